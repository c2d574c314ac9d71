/* Statements of a region, copies between variables, and the function's end. */
#include <assert.h>
#include <stdarg.h>
#include <string.h>

#include "base/ctext.h"
#include "emit/c/internal.h"

static tl__c_stmt *add(tl__c_emit *e, int kind, const char *text) {
  tl__c_stmt *s = TL_NEW(e->arena, tl__c_stmt);
  s->kind = kind;
  s->text = text;
  TL_PUSH(e->arena, *e->out, s);
  return s;
}

void tl__c_line(tl__c_emit *e, const char *format, ...) {
  va_list args;
  va_start(args, format);
  add(e, TL__LINE, tl_arena_vprintf(e->arena, format, args));
  va_end(args);
}

void tl__c_define(tl__c_emit *e, const char *name, const char *text) {
  tl__c_stmt *s = add(e, TL__LINE, text);
  s->defines = name;
  const char *value = strchr(text, '=');
  s->reads = value ? value + 1 : "";
}

tl__c_stmt *tl__c_braced(tl__c_emit *e, const char *text) {
  tl__c_stmt *s = add(e, TL__BRACED, text);
  s->is_if = !strncmp(text, "if (", 4);
  return s;
}

/* The user's source line, once per group of statements that come from it. */
void tl__c_comment(tl__c_emit *e, tl_loc loc) {
  if (!e->opts || !e->opts->source_comments || !loc.line || !loc.file || !e->opts->source_line) {
    return;
  }
  if (e->line == loc.line && e->line_file && !strcmp(e->line_file, loc.file)) {
    return;
  }
  e->line = loc.line;
  e->line_file = loc.file;
  if (loc.line == e->f->loc.line && e->f->loc.file && !strcmp(loc.file, e->f->loc.file)) {
    return; /* what belongs to the function as a whole */
  }
  const char *text = e->opts->source_line(e->opts->ctx, loc.file, loc.line);
  if (!text) {
    return;
  }
  tl__c_text t = {.arena = e->arena};
  char quote = 0;
  for (text += strspn(text, " \t"); *text;
       text++) { /* without comments; what looks like one in a string is broken up */
    if (!quote && *text == '/' && text[1] == '/') {
      break;
    }
    if (!quote && *text == '/' && text[1] == '*') {
      const char *end = strstr(text + 2, "*/");
      if (!end) {
        break;
      }
      text = end + 1;
      continue;
    }
    if (quote && *text == '\\' && text[1]) {
      tl__c_text_addn(&t, text++, 1);
    } else if (quote ? *text == quote : *text == '"' || *text == '\'') {
      quote = quote ? 0 : *text;
    }
    bool opens = (*text == '*' && text[1] == '/') || (*text == '/' && text[1] == '*');
    tl__c_text_addn(&t, text, 1);
    tl__c_text_add(&t, opens ? " " : "");
  }
  while (t.count && strchr(" \t\r\n{", t.data[t.count - 1])) {
    t.data[--t.count] = 0;
  }
  if (t.count) {
    bool is_own = !e->f->loc.file || !strcmp(loc.file, e->f->loc.file);
    const char *of = is_own ? "" : tl_arena_printf(e->arena, " of %s", tl_comment_escape(e->arena, loc.file));
    add(e, TL__COMMENT, tl_arena_printf(e->arena, "line %u%s: %s", loc.line, of, t.data));
  }
}

/* ---- variables ---- */

void tl__c_set_text(tl__c_emit *e, tl_value variable, const char *text, tl_op *at) {
  tl__c_var *p = tl__c_var_of(e, variable);
  if (!p->is_param && !p->declared && p->declared_at == at) {
    p->declared = true;
    tl__c_define(e, p->name,
                 tl_arena_printf(e->arena, "%s %s = %s;", tl__c_decl_text(tl__c_type(e, variable)), p->name, text));
    return;
  }
  assert(p->is_param || p->declared);
  const char *name = p->is_param ? tl__c_scalar_param_text(e, p) : p->name;
  if (strcmp(name, text)) {
    tl__c_define(e, name, tl_arena_printf(e->arena, "%s = %s;", name, text));
  }
}

/* Notes of the statement just made that it assigns one of two constants. */
static void describe_choice(tl__c_emit *e, tl_value variable, tl_value value, const char *name) {
  tl__c_stmt *s = e->out->count ? e->out->data[e->out->count - 1] : NULL;
  const tl_op *op = tl_def(e->f, value);
  if (tl__c_type(e, variable).is_tensor) {
    return;
  }
  if (!s || !name || s->kind != TL__LINE || !s->defines || strcmp(s->defines, name) || !op || !op->result_count ||
      (value != variable && e->values[value].mode != TL__INLINE)) {
    return;
  }
  tl_value condition = TL_NO_VALUE;
  s->if_true = 1;
  s->if_false = 0;
  if (op->code == TL_OP_cvt && tl__c_type(e, op->operands[0]).dtype == TL_BOOL) {
    condition = op->operands[0];
  } else if (op->code == TL_OP_select || (op->code == TL_OP_if && tl__c_op_of(e, op)->as_expression)) {
    tl_value x = op->code == TL_OP_select ? op->operands[1] : op->regions[0]->yields.data[0];
    tl_value y = op->code == TL_OP_select ? op->operands[2] : op->regions[1]->yields.data[0];
    bool constants = tl_is_const_int(e->f, x, &s->if_true) && tl_is_const_int(e->f, y, &s->if_false);
    condition = constants ? op->operands[0] : TL_NO_VALUE;
  }
  if (condition != TL_NO_VALUE) {
    s->truth = tl__c_condition_text(e, condition, false, 0);
    s->untruth = tl__c_condition_text(e, condition, true, 0);
  }
}

/* `variable = value;`, declaring it where that is due. */
static void set(tl__c_emit *e, tl_value variable, tl_value value, tl_op *at) {
  tl__c_var *p = tl__c_var_of(e, variable);
  const tl_op *op = tl_def(e->f, value);
  bool own =
      op && tl__c_is_pure(op) && (variable == value || e->values[value].mode == TL__INLINE) && op->code != TL_OP_const;
  bool declares = !p->is_param && !p->declared && p->declared_at == at;
  if (own && !declares) {
    const char *place = p->is_param ? tl__c_scalar_param_text(e, p) : p->name;
    const char *compound = tl__c_assign_text(e, place, value);
    if (compound) {
      tl__c_define(e, place, compound);
      return;
    }
  }
  const char *text;
  if (variable == value) { /* its op; where that only converts, C does so by itself */
    tl__c_mode mode = e->values[value].mode;
    e->values[value].mode = TL__INLINE;
    text = tl__c_converted_text(e, value, TL__PREC_ASSIGN);
    e->values[value].mode = mode;
  } else {
    text = tl__c_converted_text(e, value, TL__PREC_ASSIGN);
  }
  tl__c_set_text(e, variable, text, at);
  describe_choice(e, variable, value, p->name);
}

/* Declares what is first needed inside `at` but lives around it. */
void tl__c_declare_before(tl__c_emit *e, tl_op *at) {
  for (uint32_t i = 0; i < e->declared_at[at->mark].count; i++) {
    uint32_t v = e->declared_at[at->mark].data[i];
    tl__c_var *p = &e->vars[v];
    if (p->declared_at != at) {
      continue; /* hoisted */
    }
    if (p->is_param || (p->storage == TL__HEAP && tl__c_type(e, v).is_array ? !p->late || p->made : p->declared)) {
      continue;
    }
    if (at->code == TL_OP_loop) { /* what the loop starts with declares its carries */
      bool initialised = false;
      for (uint32_t k = 0; k < tl_loop_carries(at); k++) {
        initialised =
            initialised ||
            (tl__c_carry_needed(e, at, k) && tl__c_root(e, tl_op_result(at, k)) == v &&
             !(e->values[tl_loop_init(at, k)].mode == TL__VARIABLE && tl__c_root(e, tl_loop_init(at, k)) == v));
      }
      if (initialised || tl__c_root(e, tl_loop_trips(at)) == v) {
        continue;
      }
    } else if (at->code != TL_OP_if) {
      continue;
    }
    if (tl__c_type(e, v).is_array && p->storage != TL__CELL) {
      tl__c_declare_array(e, v, false);
      continue;
    }
    p->declared = true;
    tl__c_define(e, p->name, tl_arena_printf(e->arena, "%s %s;", tl__c_decl_text(tl__c_type(e, v)), p->name));
  }
}

/* ---- copies ---- */

/* The expression reads the variable with that root. */
static bool reads(tl__c_emit *e, tl_value v, uint32_t root) {
  if (e->values[v].mode != TL__INLINE) {
    return tl__c_root(e, v) == root;
  }
  const tl_op *op = tl_def(e->f, v);
  if (op->code == TL_OP_loop) {
    return reads(e, op->operands[0], root) || reads(e, op->operands[1], root);
  }
  for (uint32_t i = 0; i < op->operand_count; i++) {
    if (reads(e, op->operands[i], root)) {
      return true;
    }
  }
  for (uint32_t i = 0; i < op->region_count; i++) {
    if (reads(e, op->regions[i]->yields.data[0], root)) {
      return true;
    }
  }
  return false;
}

static bool is_noop(tl__c_emit *e, tl__c_copy c) {
  return e->values[c.from].mode == TL__VARIABLE && tl__c_root(e, c.from) == tl__c_root(e, c.to);
}

/* Elements of arrays that change places, one by one. */
static void exchange_arrays(tl__c_emit *e, uint32_t count, const tl__c_copy *copies, tl_op *at) {
  tl_type t = tl__c_type(e, copies[0].to);
  tl__c_warn_copy(e, copies[0].to, copies[0].from, at);
  tl__c_nest nest = {0};
  tl__c_nest_open(e, t, &nest);
  const char **names = TL_NEW_ARRAY(e->arena, const char *, count);
  for (uint32_t i = 0; i < count; i++) {
    names[i] = tl__c_name_fresh(e, e->region, "t");
    tl__c_line(e, "%s %s = %s;", tl__c_decl_text(t), names[i],
               tl__c_element_expr(e, copies[i].from, (uint32_t)t.rank, nest.index).text);
  }
  for (uint32_t i = 0; i < count; i++) {
    tl__c_line(e, "%s = %s;", tl__c_element_expr(e, copies[i].to, (uint32_t)t.rank, nest.index).text, names[i]);
  }
  tl__c_nest_close(e, &nest);
}

void tl__c_emit_copies(tl__c_emit *e, uint32_t count, tl__c_copy *copies, tl_op *at) {
  uint32_t n = 0;
  const char **saved = TL_NEW_ARRAY(e->arena, const char *, count + 1);
  for (uint32_t i = 0; i < count; i++) {
    if (!is_noop(e, copies[i])) {
      copies[n++] = copies[i];
    }
  }
  while (n) {
    uint32_t k = n;
    for (uint32_t i = 0; i < n && k == n; i++) { /* one whose destination nothing else reads any more */
      bool free_to_write = true;
      uint32_t root = tl__c_root(e, copies[i].to);
      for (uint32_t j = 0; j < n; j++) {
        free_to_write = free_to_write && (j == i || saved[j] || !reads(e, copies[j].from, root));
      }
      if (free_to_write) {
        k = i;
      }
    }
    if (k == n) { /* a cycle */
      for (k = 0; k < n && (saved[k] || tl__c_type(e, copies[k].to).is_array); k++) {
      }
      if (k == n) {
        exchange_arrays(e, n, copies, at);
        return;
      }
      const char *old = tl_info(e->f, copies[k].to)->name;
      const char *name = tl__c_name_fresh(e, e->region, old ? tl_arena_printf(e->arena, "next_%s", old) : "next");
      tl__c_line(e, "%s %s = %s;", tl__c_decl_text(tl__c_type(e, copies[k].to)), name,
                 tl__c_converted_text(e, copies[k].from, TL__PREC_ASSIGN));
      saved[k] = name;
      continue;
    }
    if (saved[k]) {
      tl__c_set_text(e, copies[k].to, saved[k], at);
    } else if (tl__c_type(e, copies[k].to).is_array) {
      tl__c_emit_array_copy(e, copies[k].to, copies[k].from, at);
    } else {
      set(e, copies[k].to, copies[k].from, at);
    }
    n--;
    for (uint32_t i = k; i < n; i++) {
      copies[i] = copies[i + 1];
      saved[i] = saved[i + 1];
    }
  }
}

/* ---- ops ---- */

static void emit_branch(tl__c_emit *e, tl_op *op, int which, tl__c_block *out) {
  uint32_t outside = e->region, line = e->line;
  tl__c_block *old = tl__c_into(e, out);
  e->region = tl__c_op_of(e, op)->inner[which];
  tl__c_emit_region_ops(e, e->region);
  tl__c_copy *copies = TL_NEW_ARRAY(e->arena, tl__c_copy, op->result_count + 1);
  uint32_t n = 0;
  for (uint32_t i = 0; i < op->result_count; i++) {
    if (e->values[tl_op_result(op, i)].needed) {
      copies[n++] = (tl__c_copy){tl_op_result(op, i), op->regions[which]->yields.data[i]};
    }
  }
  tl__c_emit_copies(e, n, copies, NULL);
  tl__c_tape_free(e, e->region);
  e->out = old;
  e->region = outside;
  e->line = line;
}

/* Printed as `else if`. */
static bool is_chain(const tl__c_block *b) {
  return b->count == 1 && b->data[0]->kind == TL__BRACED && b->data[0]->is_if;
}

static void emit_if(tl__c_emit *e, tl_op *op) {
  tl__c_comment(e, op->loc);
  tl__c_declare_before(e, op);
  tl__c_tape_check_for(e, op);
  tl__c_block then = {0}, otherwise = {0};
  emit_branch(e, op, 0, &then);
  emit_branch(e, op, 1, &otherwise);
  if (!then.count && !otherwise.count) {
    return;
  }
  bool negated = !then.count;
  const char *c = tl__c_condition_text(e, op->operands[0], negated, 0);
  bool opposite = !negated;
  if (otherwise.count && then.count && *c == '!' && !is_chain(&otherwise)) {
    tl__c_block t = then;
    then = otherwise;
    otherwise = t;
    c = tl__c_condition_text(e, op->operands[0], true, 0);
    opposite = false;
  }
  tl__c_stmt *s = tl__c_braced(e, tl_arena_printf(e->arena, "if (%s)", c));
  s->opposite = tl_arena_printf(e->arena, "if (%s)", tl__c_condition_text(e, op->operands[0], opposite, 0));
  s->body = negated ? otherwise : then;
  if (!negated) {
    s->otherwise = otherwise;
  }
}

static void emit_pure(tl__c_emit *e, tl_op *op) {
  tl_value v = op->first_result;
  if (e->values[v].mode == TL__VARIABLE && e->values[v].needed) {
    tl__c_comment(e, op->loc);
    set(e, v, v, op);
  }
}

static void emit_op(tl__c_emit *e, tl_op *op) {
  switch (op->code) {
#define TL_ELT(name, class, arity, operands, result, samples, meaning, doc) case TL_OP_##name:
#include "ir/ops.def"
#define TL_TEN(name, class, arity, attributes, doc) case TL_OP_##name:
#include "ir/ops.def"
  case TL_OP_item:
  case TL_OP_dim:
  case TL_OP_const:
  case TL_OP_index:
    emit_pure(e, op);
    return;
  case TL_OP_pack:
    tl__c_comment(e, op->loc);
    tl__c_set_text(e, op->first_result, tl__c_pack_text(e, op), op);
    return;
  case TL_OP_alloc:
    tl__c_emit_alloc(e, op);
    return;
  case TL_OP_update:
    tl__c_emit_update(e, op);
    return;
  case TL_OP_fill:
    tl__c_emit_fill(e, op);
    return;
  case TL_OP_clone:
    if (tl__c_root(e, op->operands[0]) != tl__c_root(e, op->first_result)) {
      tl__c_comment(e, op->loc);
      tl__c_emit_array_copy(e, op->first_result, op->operands[0], op);
    }
    return;
  case TL_OP_accumulate:
    tl__c_emit_accumulate(e, op);
    return;
  case TL_OP_if:
    if (!tl__c_op_of(e, op)->as_expression) {
      emit_if(e, op);
    } else if (e->values[op->first_result].mode == TL__VARIABLE) {
      tl__c_comment(e, op->loc);
      set(e, op->first_result, op->first_result, op);
    }
    return;
  case TL_OP_loop:
    tl__c_emit_loop(e, op);
    return;
  case TL_OP_call:
    tl__c_emit_call(e, op);
    return;
  case TL_OP_extern:
    tl__c_emit_extern(e, op);
    return;
  case TL_OP_COUNT:
    break;
  }
  assert(!"no op");
}

void tl__c_emit_region_ops(tl__c_emit *e, uint32_t region) {
  const tl_region *r = e->regions.data[region].region;
  uint32_t around = e->checks_from; /* what was allocated before stays unchecked: a branch or loop may not run */
  e->checks_from = region ? e->unchecked.count : 0;
  for (uint32_t i = 0; i < r->ops.count; i++) {
    const tl_op *op = r->ops.data[i];
    if (!tl__c_op_of(e, op)->needed || tl__c_op_of(e, op)->emitted) {
      continue;
    }
    if (!tl__c_is_pure(op) && op->code != TL_OP_alloc) {
      tl__c_tape_check_for(e, op);
    }
    emit_op(e, r->ops.data[i]);
  }
  tl__c_tape_check(e);
  e->checks_from = around;
}

/* ---- the function's end ---- */

static bool returns_value(const tl__c_emit *e) { return strcmp(e->f->return_declarator, "void") != 0; }

static bool is_whole(const tl_result *r) { return !strcmp(r->access, "$"); }

static const char *leaf(tl__c_emit *e, const tl_result *r, const char *name, uint32_t count,
                        const char *const *indices) {
  return tl__c_substitute(e->arena, r->access, name, count, indices);
}

static void set_leaf(tl__c_emit *e, const tl_result *r, const char *name, tl_value v) {
  tl_type t = tl__c_type(e, v);
  if (!t.is_array) {
    const char *text = tl__c_converted_text(e, v, TL__PREC_ASSIGN);
    tl__c_line(e, "%s = %s;", leaf(e, r, name, 0, NULL), t.is_tensor ? tl__c_kept_text(e, text, 0) : text);
    return;
  }
  tl__c_nest nest = {0};
  tl__c_nest_open(e, t, &nest);
  tl__c_line(e, "%s = %s;", leaf(e, r, name, (uint32_t)t.rank, nest.index),
             tl__c_element_expr(e, v, (uint32_t)t.rank, nest.index).text);
  tl__c_nest_close(e, &nest);
}

static void emit_return(tl__c_emit *e) {
  const tl_func *f = e->f;
  tl__c_copy *copies = TL_NEW_ARRAY(e->arena, tl__c_copy, f->results.count + 1);
  uint32_t n = 0;
  bool writes = tl__c_tape_frees(e, 0);
  const char *value = NULL;
  tl_value returned = TL_NO_VALUE;
  for (uint32_t i = 0; i < f->results.count; i++) {
    const tl_result *r = &f->results.data[i];
    tl_value v = f->body->yields.data[i];
    if (r->role == TL_RESULT_FINAL) {
      copies[n] = (tl__c_copy){f->params.data[r->param].value, v};
      writes = writes || !is_noop(e, copies[n]);
      n++;
    } else if (is_whole(r)) {
      returned = v;
      value = tl__c_converted_text(e, v, TL__PREC_ASSIGN);
    }
  }
  e->line = 0;
  bool returns_tensor = value && tl__c_type(e, returned).is_tensor;
  if (returns_tensor && e->scopes.count) {
    value = tl__c_kept_text(e, value, 0);
  }
  if (value && (writes || e->scopes.count) &&
      (returns_tensor || (e->values[returned].mode == TL__INLINE && !tl__c_is_const(e, returned)))) {
    const char *name = tl__c_name_fresh(e, 0, "result");
    tl__c_line(e, "%s %s = %s;", f->return_declarator, name, value);
    value = name;
  } else if (!value && returns_value(e)) {
    const char *name = tl__c_name_fresh(e, 0, "result");
    tl__c_line(e, "%s %s;", f->return_declarator, name);
    for (uint32_t i = 0; i < f->results.count; i++) {
      if (f->results.data[i].role == TL_RESULT_RETURN) {
        set_leaf(e, &f->results.data[i], name, f->body->yields.data[i]);
      }
    }
    value = name;
  }
  tl__c_emit_copies(e, n, copies, NULL);
  tl__c_tape_free(e, 0);
  if (e->scopes.count) {
    tl__c_scope_close(e);
  }
  if (value) {
    tl__c_line(e, "return %s;", value);
  } else if (e->label) {
    tl__c_line(e, "return;");
  }
}

static const char *failed_text(tl__c_emit *e, tl_type t) {
  if (t.is_tensor) {
    return "NULL";
  }
  tl_dtype d = t.dtype;
  if (!tl_dtype_is_float(d)) {
    return e->f->is_check ? "1" : "0"; /* what was not compared is no success */
  }
  return tl__c_nan_text(e, d);
}

/* Every result becomes NaN, an integer among them 0 where it is returned, and a check's count 1. */
void tl__c_emit_return_failed(tl__c_emit *e) {
  const tl_func *f = e->f;
  const char *value = NULL;
  for (uint32_t i = 0; i < f->results.count; i++) {
    const tl_result *r = &f->results.data[i];
    if (r->role == TL_RESULT_FINAL) {
      tl_value array = f->params.data[r->param].value;
      tl_dtype d = tl__c_type(e, array).dtype;
      if (tl_dtype_is_float(d) || tl__c_type(e, array).element) {
        tl__c_emit_spoil(e, array);
      }
    } else if (is_whole(r)) {
      value = failed_text(e, tl__c_type(e, f->body->yields.data[i]));
    }
  }
  if (!value && returns_value(e)) {
    uint32_t names = e->named.count;
    const char *name = tl__c_name_fresh(e, 0, "failed");
    tl__c_line(e, "%s %s;", f->return_declarator, name);
    for (uint32_t i = 0; i < f->results.count; i++) {
      const tl_result *r = &f->results.data[i];
      if (r->role != TL_RESULT_RETURN) {
        continue;
      }
      tl_type t = tl__c_type(e, f->body->yields.data[i]), indexed = t.is_array ? t : tl_scalar(t.dtype);
      tl__c_nest nest = {0};
      tl__c_nest_open(e, indexed, &nest);
      tl__c_line(e, "%s = %s;", leaf(e, r, name, (uint32_t)indexed.rank, nest.index), failed_text(e, t));
      tl__c_nest_close(e, &nest);
    }
    tl__c_name_rewind(e, names);
    value = name;
  }
  if (e->scopes.count) {
    tl__c_scope_close(e);
  }
  if (value) {
    tl__c_line(e, "return %s;", value);
  } else if (!e->label) {
    tl__c_line(e, "return;");
  }
}

/* What an extent reads of a parameter is a variable that the code behind the block needs too: it stands ahead of it. */
static void emit_extent(tl__c_emit *e, tl_value v) {
  tl_op *op = v == TL_NO_VALUE ? NULL : tl_def(e->f, v);
  if (!op || tl__c_op_of(e, op)->emitted || !tl__c_op_of(e, op)->needed || !tl__c_is_pure(op)) {
    return;
  }
  for (uint32_t i = 0; i < op->operand_count; i++) {
    emit_extent(e, op->operands[i]);
  }
  if (op->code == TL_OP_index && !tl_def(e->f, op->operands[0])) {
    tl__c_op_of(e, op)->emitted = true;
    emit_op(e, op);
  }
}

static void emit_extents_of_results(tl__c_emit *e) {
  const tl_func *f = e->f;
  for (uint32_t i = 0; i < f->results.count; i++) {
    if (f->results.data[i].role != TL_RESULT_FINAL) {
      continue;
    }
    tl_type t = tl__c_type(e, f->params.data[f->results.data[i].param].value);
    for (int axis = 0; axis < t.rank; axis++) {
      emit_extent(e, t.extents[axis].value);
    }
  }
}

void tl__c_emit_body(tl__c_emit *e) {
  e->region = 0;
  if (e->block) {
    emit_extents_of_results(e);
  }
  tl__c_tape_declare(e);
  tl__c_block *outside = e->out;
  if (e->block) {
    e->out = &tl__c_braced(e, "")->body;
  }
  if (tl__c_region_has_tensors(e->f, e->f->body)) {
    e->needs->tensor = true;
    tl__c_scope_open(e);
  }
  tl__c_tape_enter(e);
  tl__c_emit_region_ops(e, 0);
  emit_return(e);
  e->out = outside;
  tl__c_tape_failure(e);
}
