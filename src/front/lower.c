#include "front/lower.h"

#include <stdarg.h>

#include "front/lower_priv.h"

_Noreturn void tl__lower_refuse(tl_lower *l, tl_status code, tl_loc loc, const char *format, ...) {
  va_list args;
  va_start(args, format);
  const char *text = tl_arena_vprintf(l->arena, format, args);
  va_end(args);
  tl_diag_error(l->module->diag, code, loc, "%s", text);
  for (const tl_frame *f = l->frame; f && f->outer; f = f->outer) {
    tl_diag_note(l->module->diag, f->call, "in '%s', called from here", f->function->name);
  }
  longjmp(l->refuse, 1);
}

_Noreturn void tl__lower_restart(tl_lower *l) { longjmp(l->restart, 1); }

/* Everything of one lowering; what an earlier try learnt stays in the notes. */
static void lower_once(tl_lower *l, const tl_function *f, const char *name) {
  l->func = tl_func_create(l->module, name);
  l->func->is_primal = true;
  l->func->loc = f->loc;
  l->func->return_declarator = f->return_declarator;
  l->func->custom_vjp = f->custom_vjp;
  l->func->custom_jvp = f->custom_jvp;
  l->func->is_declared = !f->body;
  l->b = (tl_builder){.func = l->func, .region = l->func->body, .loc = f->loc};
  l->env = (tl_env){.exit = {.stays = true}};
  l->tensor_params.count = l->tensor_note_count = 0;
  l->note_count = l->table_count = l->globals.count = l->null_tests.count = l->entry_ops = 0;
  l->break_code = l->continue_code = l->next_code = 0;
  l->adopted = false;
  l->read_log = NULL;
  l->len_place = NULL;
  l->len_record = NULL;
  tl_frame *frame = TL_NEW(l->arena, tl_frame);
  frame->function = f;
  frame->call = f->loc;
  l->frame = frame;
  tl__lower_params(l, f);
  if (f->type->target->kind != TL_CT_VOID) {
    frame->result = tl__lower_object_create(l, TL_OBJECT_LOCAL, f->name, f->type->target, 0, NULL, false, "$", f->loc);
    tl__lower_object_allocate(l, frame->result, TL_ALLOC_LOCAL);
  }
  frame->return_code = tl__lower_code_create(l, f->loc);
  l->frame_result = frame->result;
  l->calls_itself = false;
  if (!f->body || l->by_declaration) {
    tl__lower_declared_body(l, f);
  } else {
    tl__lower_block(l, f->body->body.data, f->body->body.count);
  }
  tl__lower_exit_strip(l, frame->return_code);
  tl__lower_results(l, f);
}

/* Drops the function, and those that were lowered on its behalf: they may have called it. */
static void forget(tl_lower *l) {
  tl_module *m = l->module;
  uint32_t n = l->func_mark;
  for (uint32_t i = n; i < m->funcs.count; i++) {
    if (!m->funcs.data[i]->is_primal) {
      m->funcs.data[n++] = m->funcs.data[i];
    }
  }
  m->funcs.count = n;
}

/* What the lowering found written, against what its calls of itself took for granted. */
static bool learnt_finals(tl_lower *l) {
  bool learnt = false;
  for (uint32_t i = 0; i < l->func->results.count; i++) {
    const tl_result *r = &l->func->results.data[i];
    bool known = r->role != TL_RESULT_FINAL;
    for (uint32_t k = 0; k < l->finals.count; k++) {
      known = known || l->finals.data[k] == r->param;
    }
    if (!known) {
      TL_PUSH(l->arena, l->finals, r->param);
      learnt = true;
    }
  }
  return learnt && l->calls_itself;
}

static tl_func *lower_named(tl_module *m, const tl_unit *unit, const tl_function *f, const tl_lower_opts *opts,
                            tl_lower *outer, bool is_rule);

/* The functions of the module that are f's custom rules: what is called, and differentiated where derivatives are
 * nested. To be called, a rule need only be declared. */
static bool lower_rules(tl_module *m, const tl_unit *unit, const tl_function *f, const tl_lower_opts *opts) {
  const char *names[] = {f->custom_vjp, f->custom_jvp};
  for (int i = 0; i < 2; i++) {
    const tl_function *rule = names[i] ? tl_unit_find(unit, names[i]) : NULL;
    if (names[i] && !rule) {
      tl_diag_error(m->diag, TL_NO_DEFINITION, f->custom_loc, "'%s', the custom rule of '%s', is not declared",
                    names[i], f->name);
      return false;
    }
    if (rule && !lower_named(m, unit, rule, opts, NULL, true)) {
      return false;
    }
  }
  return true;
}

/* Nothing behind the pointers in it can be written through it. A list that is linked by pointers goes on for ever. */
static bool is_read_only(const tl_ctype *t, uint32_t depth) {
  enum { DEPTH = 8 };
  while (t->kind == TL_CT_ARRAY) {
    t = t->target;
  }
  if (t->kind == TL_CT_POINTER) {
    return depth < DEPTH && tl__lower_is_const(t->target) && is_read_only(t->target, depth + 1);
  }
  for (uint32_t i = 0; t->kind == TL_CT_RECORD && i < t->record->fields.count; i++) {
    if (depth >= DEPTH || !is_read_only(t->record->fields.data[i].type, depth + 1)) {
      return false;
    }
  }
  return true;
}

/* Its prototype tells what it reads and what it writes; of other pointers only the body tells whether it reads first.
 */
static bool is_plainly_declared(const tl_function *f) {
  for (uint32_t i = 0; i < f->params.count; i++) {
    const tl_decl *d = f->params.data[i];
    const tl_ctype *t = d->type->kind == TL_CT_POINTER && d->inout ? d->type->target : d->type;
    if (!is_read_only(t, 0)) {
      return false;
    }
  }
  return true;
}

/* The body of a function that has a rule is only called: what is not understood of it does no harm. */
static bool goes_by_declaration(tl_lower *l, const tl_function *f, const tl_diag *before) {
  if ((!f->custom_vjp && !f->custom_jvp) || !f->body || l->by_declaration || !is_plainly_declared(f) ||
      tl__lower_scan_changes_static(l, f)) {
    return false;
  }
  *l->module->diag = *before;
  l->by_declaration = true;
  return true;
}

static tl_func *lower_named(tl_module *m, const tl_unit *unit, const tl_function *f, const tl_lower_opts *opts,
                            tl_lower *outer, bool is_rule) {
  tl_func *found = tl_module_find(m, f->name);
  if (found) {
    return found;
  }
  if (!f->body && !f->custom_vjp && !f->custom_jvp && !is_rule) {
    tl_diag_error(m->diag, TL_NO_DEFINITION, f->loc, "the definition of '%s' is not visible in this unit", f->name);
    return NULL;
  }
  if (f->variadic) {
    tl_diag_error(m->diag, TL_UNSUPPORTED_CONSTRUCT, f->loc, "the variadic function '%s' is not differentiated",
                  f->name);
    return NULL;
  }
  tl_lower *l = TL_NEW(m->arena, tl_lower);
  *l = (tl_lower){.module = m, .unit = unit, .opts = opts, .arena = m->arena, .outer = outer, .top = f};
  l->func_mark = m->funcs.count;
  const tl_diag before = *m->diag;
  if (setjmp(l->refuse)) {
    forget(l);
    if (!goes_by_declaration(l, f, &before)) {
      return NULL;
    }
  }
  if (setjmp(l->restart)) {
    forget(l);
  }
  lower_once(l, f, f->name);
  if (learnt_finals(l) || l->adopted) {
    tl__lower_restart(l);
  }
  l->func->recursive = f->body && !l->by_declaration && tl__lower_scan_recursive(l, f);
  bool *inout = TL_NEW_ARRAY(m->arena, bool, f->params.count + 1);
  for (uint32_t i = 0; i < f->params.count; i++) {
    inout[i] = f->params.data[i]->inout;
  }
  tl__lower_roles(l->func, inout);
  return lower_rules(m, unit, f, opts) ? l->func : NULL;
}

tl_func *tl__lower_nested(tl_lower *l, const tl_function *f) {
  return lower_named(l->module, l->unit, f, l->opts, l, false);
}

tl_func *tl_lower_function(tl_module *m, const tl_unit *unit, const tl_function *f, const tl_lower_opts *opts) {
  return lower_named(m, unit, f, opts, NULL, false);
}
