/* From the requests of a file to derived functions. */
#include <stdlib.h>
#include <string.h>

#include "base/warning.h"
#include "front.h"

/* ---- names ---- */

const char *front_step_name(tl_arena *a, const char *before, const tl_request_step *step) {
  const char *name = tl_arena_printf(a, "%s__%s", before, tl_intrinsic_name(step->intrinsic));
  for (uint32_t i = 0; i < step->wrt.count; i++) {
    name = tl_arena_printf(a, "%s__%s", name, step->wrt.data[i]);
  }
  return name;
}

/* "f$$grad$x": how the front spells the name of the request. */
static const char *front_name(tl_arena *a, const tl_request *r) {
  const char *name = r->primal_name;
  for (uint32_t i = 0; i < r->steps.count; i++) {
    name = tl_arena_printf(a, "%s$$%s", name, tl_intrinsic_name(r->steps.data[i].intrinsic));
    for (uint32_t k = 0; k < r->steps.data[i].wrt.count; k++) {
      name = tl_arena_printf(a, "%s$%s", name, r->steps.data[i].wrt.data[k]);
    }
  }
  return name;
}

/* ---- checks at the intrinsic ---- */

static const tl_decl *find_global(const tl_unit *unit, const char *name) {
  for (uint32_t i = 0; i < unit->globals.count; i++) {
    if (unit->globals.data[i]->name && strcmp(unit->globals.data[i]->name, name) == 0) {
      return unit->globals.data[i];
    }
  }
  return NULL;
}

static bool check_name(front *f, const tl_request *r) {
  const tl_function *function = tl_unit_find(f->parse.unit, r->name);
  const tl_decl *object = find_global(f->parse.unit, r->name);
  if (function || object) {
    tl_diag_error(&f->diag, TL_NAME_CLASH, r->loc, "the derivative's name '%s' is taken", r->name);
    tl_diag_note(&f->diag, function ? function->loc : object->loc, "'%s' is declared here", r->name);
    return false;
  }
  if (r->early.line) {
    tl_diag_error(
        &f->diag, TL_UNSUPPORTED_CONSTRUCT, r->early,
        "this derivative of '%s' is named within the #include that brings '%s', and can be declared only behind "
        "it; name it in the file itself, or behind that #include",
        r->primal_name, r->primal_name);
    tl_diag_note(&f->diag, r->primal->first_end, "this #include");
    return false;
  }
  if (r->clash) {
    tl_diag_error(&f->diag, TL_NAME_CLASH, r->loc, "two intrinsics of this file come to one name, '%s'", r->name);
    return false;
  }
  return true;
}

static bool check_definition(front *f, const tl_request *r) {
  if (!r->primal) {
    tl_diag_error(&f->diag, TL_NO_DEFINITION, r->loc, "'%s' is not a function of this unit", r->primal_name);
    const tl_decl *object = find_global(f->parse.unit, r->primal_name);
    if (object) {
      tl_diag_note(&f->diag, object->loc, "it is an object, declared here; an intrinsic needs the function itself");
    } else {
      front_suggest_function(f, r);
    }
    return false;
  }
  if (!r->primal->body) {
    tl_diag_error(&f->diag, TL_NO_DEFINITION, r->loc, "the body of '%s' is not visible in this unit", r->primal_name);
    tl_diag_note(&f->diag, r->primal->loc,
                 "it is only declared here: define it in this file, or in a header that the file includes");
    return false;
  }
  if (r->ahead.line) {
    tl_diag_error(&f->diag, TL_NO_DEFINITION, r->ahead, "'%s' is not declared before this intrinsic", r->primal_name);
    tl_diag_note(&f->diag, r->primal->loc, "it is declared here: put it, or a prototype of it, before the intrinsic");
    return false;
  }
  return true;
}

/* ---- deriving ---- */

static int find_request(const front *f, const char *name) {
  for (uint32_t i = 0; i < f->parse.requests.count; i++) {
    if (strcmp(f->parse.requests.data[i].name, name) == 0) {
      return (int)i;
    }
  }
  return -1;
}

static tl_func *derive(front *f, const tl_request *r);

static tl_func *resolve_intrinsic(void *ctx, const char *name, tl_loc loc) {
  front *f = ctx;
  for (uint32_t i = 0; i < f->resolving.count; i++) {
    if (strcmp(f->resolving.data[i], name) == 0) {
      tl_diag_error(&f->diag, TL_UNSUPPORTED_CONSTRUCT, loc, "'%s' is needed for its own derivation", name);
      return NULL;
    }
  }
  int named = find_request(f, name);
  if (named >= 0) {
    return derive(f, &f->parse.requests.data[named]);
  }
  tl_diag_error(&f->diag, TL_NO_DEFINITION, loc, "'%s' is no derivative that this file asks for", name);
  return NULL;
}

static tl_func *derive(front *f, const tl_request *r) {
  tl_func *known = tl_module_find(f->module, r->name);
  if (known) {
    return known;
  }
  if (!check_definition(f, r) || !check_name(f, r)) {
    return NULL;
  }
  TL_PUSH(f->arena, f->resolving, r->name);
  tl_lower_opts lower = {.resolve_intrinsic = resolve_intrinsic, .ctx = f};
  tl_func *func = tl_lower_function(f->module, f->parse.unit, r->primal, &lower);
  const char *name = r->primal_name;
  for (uint32_t i = 0; i < r->steps.count && func; i++) {
    const tl_request_step *step = &r->steps.data[i];
    name = front_step_name(f->arena, name, step);
    tl_derivation d = {
        .intrinsic = step->intrinsic, .name = name, .wrt_count = step->wrt.count, .wrt = step->wrt.data, .loc = r->loc};
    func = tl_derive(f->module, func, &d);
  }
  f->resolving.count--;
  return func;
}

/* ---- calls ---- */

static void check_calls(front *f, tl_diag *diag, const tl_request *r, const tl_func *func) {
  for (uint32_t i = 0; i < r->calls.count; i++) {
    const tl_request_call *call = &r->calls.data[i];
    uint32_t expected = func->cparams.count, given = call->arguments;
    if (given == expected) {
      continue;
    }
    tl_diag_error(diag, TL_ARGUMENT_COUNT, call->loc, "'%s' takes %u argument%s, and this call has %u", func->name,
                  expected, expected == 1 ? "" : "s", given);
    tl_diag_note(diag, call->loc, "expected is %s", front_prototype(f, func, func->name));
    tl_diag_note(diag, r->primal->loc, "'%s' is declared here", r->primal_name);
  }
}

/* ---- refusals that only warn ---- */

/* The errors from `first` on become warnings named after their codes; the text of the first is what the call will
 * print. NULL where one of them must stay an error. */
static const char *soften(front *f, uint32_t first) {
  const char *refusal = NULL;
  for (uint32_t i = first; i < f->diag.items.count; i++) {
    const tl_diag_item *item = &f->diag.items.data[i];
    if (item->severity == TL_ERROR && !tl_status_may_warn(item->code)) {
      return NULL;
    }
  }
  for (uint32_t i = first; i < f->diag.items.count; i++) {
    tl_diag_item *item = &f->diag.items.data[i];
    if (item->severity != TL_ERROR) {
      continue;
    }
    if (!refusal) {
      refusal = tl_arena_printf(f->arena, "%s:%u:%u: error: %s [%s]", item->loc.file ? item->loc.file : f->opts->file,
                                item->loc.line, item->loc.column, item->message, tl_status_name(item->code));
    }
    item->severity = TL_WARNING;
    item->warning = tl_status_warning(f->arena, item->code);
    f->diag.errors--;
  }
  return refusal;
}

static void derive_targets(front *f) {
  f->module = tl_module_create(f->arena, &f->diag);
  f->targets.count = 0;
  for (uint32_t i = 0; i < f->parse.requests.count; i++) {
    const tl_request *r = &f->parse.requests.data[i];
    uint32_t first = f->diag.items.count;
    front_target target = {.request = r};
    target.func = derive(f, r);
    front_suggest_parameter(f, r, first);
    front_suggest_rules(f, first);
    front_repeat_at_uses(f, r, first);
    if (target.func) {
      check_calls(f, &f->diag, r, target.func);
    }
    if (f->diag.errors && f->opts->no_strict_lowering && !f->parse.unknown_names) {
      target.refusal = soften(f, first);
      target.func = NULL;
    }
    TL_PUSH(f->arena, f->targets, target);
  }
}

/* --- code that calls generated functions and is itself differentiated
 * --------------------------------------------------- */

static bool is_known(const front *f, const char *name) {
  for (uint32_t i = 0; i < f->known.count; i++) {
    if (strcmp(f->known.data[i], name) == 0) {
      return true;
    }
  }
  return false;
}

/* Whether lowering the primal of `r` meets a call of a generated function whose type is not known yet. */
static bool meets_unknown_call(front *f, const tl_request *r) {
  if (!r->primal) {
    return false;
  }
  front_function_list functions = {0};
  front_expr_list intrinsics = {0};
  front_reach(f, r->primal, &functions, &intrinsics);
  for (uint32_t i = 0; i < intrinsics.count; i++) {
    if (!is_known(f, intrinsics.data[i]->name)) {
      return true;
    }
  }
  return false;
}

static const char *prototype_text(front *f, const tl_request *r, const tl_func *func) {
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  tl_emit_opts opts = {.is_static = true, .is_early = true};
  tl_emit_c_prototype(func, &opts, out);
  fclose(out);
  const char *at = strstr(text, r->name);
  const char *spelled = at ? tl_arena_printf(f->arena, "%.*s%s%s;\n", (int)(at - text), text, front_name(f->arena, r),
                                             at + strlen(r->name))
                           : NULL;
  free(text);
  return spelled;
}

static void note_named(front *f, const char *name) {
  for (uint32_t i = 0; i < f->named.count; i++) {
    if (strcmp(f->named.data[i], name) == 0) {
      return;
    }
  }
  TL_PUSH(f->arena, f->named, name);
}

tl_parse_opts front_parse_opts(const front *f) {
  return (tl_parse_opts){.file = f->opts->read,
                         .arg_count = f->opts->cc_args.count,
                         .args = f->opts->cc_args.data,
                         .prototypes = f->prototypes,
                         .allow_any_clang = f->opts->allow_any_clang};
}

static tl_status parse(front *f) {
  tl_parse_opts p = front_parse_opts(f);
  memset(&f->parse, 0, sizeof f->parse);
  tl_status status = tl_parse_file(f->arena, &f->diag, &p, &f->parse);
  for (uint32_t i = 0; i < f->parse.requests.count; i++) {
    note_named(f, f->parse.requests.data[i].name);
  }
  return status;
}

/* Errors of a read without prototypes may come from what an intrinsic's call is not known to return. */
static bool must_read_again(front *f) {
  if (f->parse.maybe_syntax_errors && !f->parse.syntax_errors) {
    return true;
  }
  for (uint32_t i = 0; i < f->parse.requests.count; i++) {
    if (meets_unknown_call(f, &f->parse.requests.data[i])) {
      return true;
    }
  }
  return false;
}

/* Prototypes of the derivatives whose primals meet no unknown call, added to f->prototypes; false where there are none.
 * What fails here fails again in the last round, and is reported then: there is nothing more to learn about it. */
static bool learn_prototypes(front *f) {
  tl_diag reported = f->diag;
  tl_diag_init(&f->diag, f->arena);
  f->module = tl_module_create(f->arena, &f->diag);
  f->prototypes = f->prototypes ? f->prototypes : "";
  TL_VEC(const char *) learnt = {0};
  for (uint32_t i = 0; i < f->parse.requests.count; i++) {
    const tl_request *r = &f->parse.requests.data[i];
    if (is_known(f, r->name) || meets_unknown_call(f, r)) {
      continue;
    }
    TL_PUSH(f->arena, learnt, r->name);
    const tl_func *func = derive(f, r);
    if (func) {
      check_calls(f, &reported, r, func); /* the next read would take them for syntax errors */
    }
    const char *text = func ? prototype_text(f, r, func) : NULL;
    f->prototypes = text ? tl_arena_printf(f->arena, "%s%s", f->prototypes, text) : f->prototypes;
  }
  for (uint32_t i = 0; i < learnt.count; i++) {
    TL_PUSH(f->arena, f->known, learnt.data[i]);
  }
  f->diag = reported;
  return learnt.count > 0;
}

tl_status front_derive_all(front *f) {
  tl_status status = parse(f);
  bool learnt = true;
  while (status == TL_OK && !f->diag.errors && !f->parse.syntax_errors && learnt && must_read_again(f)) {
    learnt = learn_prototypes(f); /* where it is false there is a cycle: resolve_intrinsic says so */
    if (!f->diag.errors) {
      status = parse(f);
    }
  }
  if (status == TL_OK && !f->diag.errors && !f->parse.syntax_errors) {
    derive_targets(f);
  }
  return status;
}
