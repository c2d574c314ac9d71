/* DXIR as text; docs/ir.md is the grammar. Values are numbered in the order of their definitions in the text, which is
 * also the order in which the parser creates them, so printing what was parsed gives the same text again. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/ir.h"
#include "ir/text.h"

typedef struct printer {
  const tl_func *func;
  FILE *out;
  uint32_t *number; /* by value; 0: not defined by an op or region of the function */
  uint32_t next;
} printer;

/* ---- words ---- */

/* A letter or '_', then letters, digits and '_'. Other names are written in quotes. */
static bool is_name(const char *s) {
  if (!(*s == '_' || (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z'))) {
    return false;
  }
  while (*s == '_' || (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || (*s >= '0' && *s <= '9')) {
    s++;
  }
  return !*s;
}

static void print_string(FILE *out, const char *s) {
  if (!s) {
    fputs("null", out);
    return;
  }
  putc('"', out);
  for (; *s; s++) {
    unsigned char c = (unsigned char)*s;
    if (c == '"' || c == '\\') {
      fprintf(out, "\\%c", c);
    } else if (c == '\n') {
      fputs("\\n", out);
    } else if (c == '\t') {
      fputs("\\t", out);
    } else if (c < 0x20 || c == 0x7f) {
      fprintf(out, "\\x%02x", c);
    } else {
      putc(c, out);
    }
  }
  putc('"', out);
}

static void print_name(FILE *out, const char *s) {
  if (s && is_name(s)) {
    fputs(s, out);
  } else {
    print_string(out, s);
  }
}

static bool same_float(long double a, long double b) {
  return a != a ? b != b : a == b && !__builtin_signbit(a) == !__builtin_signbit(b);
}

long double tl__text_to_float(tl_dtype dtype, const char *text) {
  return dtype == TL_F32   ? (long double)strtof(text, NULL)
         : dtype == TL_F64 ? (long double)strtod(text, NULL)
                           : strtold(text, NULL);
}

/* Decimal where few enough digits give the value back, so that people can read it, else all 21 digits or hexadecimal.
 */
static void print_float(FILE *out, tl_dtype dtype, long double v) {
  static const int digits[] = {6, 9, 15, 17, 21};
  if (v != v) {
    fputs(__builtin_signbit(v) ? "-nan" : "nan", out);
    return;
  }
  char text[64];
  for (size_t i = 0; i < sizeof digits / sizeof *digits; i++) {
    snprintf(text, sizeof text, "%.*Lg", digits[i], v);
    if (same_float(tl__text_to_float(dtype, text), v)) {
      fputs(text, out);
      return;
    }
  }
  fprintf(out, "%La", v); /* no value of the dtype */
}

static bool same_text(const char *a, const char *b) { return a == b || (a && b && !strcmp(a, b)); }

/* The file is left out where it is `file`, that of the function around. */
static void print_loc(FILE *out, tl_loc loc, const char *file) {
  if (!loc.file && !loc.line && !loc.column && !loc.end_column) {
    return;
  }
  fputs(" at ", out);
  if (!same_text(loc.file, file)) {
    if (loc.file) {
      print_string(out, loc.file);
    } else {
      putc('-', out);
    }
    putc(':', out);
  }
  fprintf(out, "%" PRIu32 ":%" PRIu32 "-%" PRIu32, loc.line, loc.column, loc.end_column);
}

/* ---- values and types ---- */

static void print_value(const printer *p, tl_value v) {
  if (v == TL_NO_VALUE) {
    fputs("none", p->out);
    return;
  }
  putc('%', p->out);
  if (v >= p->func->values.count || !p->number[v]) {
    fprintf(p->out, "undefined_%" PRIu32, v); /* an invalid graph: what is printed does not parse */
    return;
  }
  const char *name = tl_info(p->func, v)->name;
  if (name) {
    print_name(p->out, name);
    putc('.', p->out);
  }
  fprintf(p->out, "%" PRIu32, p->number[v]);
}

static void print_axes(const printer *p, tl_type t, char begin, char end) {
  putc(begin, p->out);
  for (int i = 0; i < t.rank && t.extents; i++) {
    if (i) {
      fputs(", ", p->out);
    }
    if (t.axis_names && t.axis_names[i]) {
      print_name(p->out, t.axis_names[i]);
      putc('=', p->out);
    }
    if (t.extents[i].value != TL_NO_VALUE) {
      print_value(p, t.extents[i].value);
    } else {
      fprintf(p->out, "%" PRId64, t.extents[i].fixed);
    }
  }
  putc(end, p->out);
}

static void print_type(const printer *p, tl_type t) {
  if (t.is_array && t.element) {
    print_type(p, *t.element);
  } else {
    fputs(tl_dtype_name(t.dtype), p->out);
  }
  if (t.is_array) {
    print_axes(p, t, '[', ']');
  } else if (t.is_tensor) {
    print_axes(p, t, '<', '>');
  }
}

static void print_definition(const printer *p, tl_value v) {
  print_value(p, v);
  fputs(": ", p->out);
  if (v < p->func->values.count) {
    print_type(p, tl_type_of(p->func, v));
  }
}

static void print_definitions(const printer *p, uint32_t count, const tl_value *values) {
  for (uint32_t i = 0; i < count; i++) {
    if (i) {
      fputs(", ", p->out);
    }
    print_definition(p, values[i]);
  }
}

/* The operands of ops that may have none, so that the next line does not read as operands. */
static void print_arguments(const printer *p, const tl_op *op) {
  putc('(', p->out);
  for (uint32_t i = 0; i < op->operand_count; i++) {
    if (i) {
      fputs(", ", p->out);
    }
    print_value(p, op->operands[i]);
  }
  putc(')', p->out);
}

/* An array of which the callee gets a part is followed by the indices of the part's first element. */
static void print_call_arguments(const printer *p, const tl_op *op) {
  uint32_t count = op->operand_count;
  for (uint32_t i = 0; op->views && i < count; i++) {
    count = op->views[i] && op->views[i] < count ? op->views[i] : count;
  }
  putc('(', p->out);
  for (uint32_t i = 0; i < count; i++) {
    fputs(i ? ", " : "", p->out);
    print_value(p, op->operands[i]);
    for (int k = 0; op->views && op->views[i] && k < tl_type_of(p->func, op->operands[i]).rank; k++) {
      fputs(k ? ", " : "[", p->out);
      print_value(p, op->operands[op->views[i] + (uint32_t)k]);
    }
    fputs(op->views && op->views[i] ? "]" : "", p->out);
  }
  putc(')', p->out);
}

static void print_uses(const printer *p, uint32_t count, const tl_value *values) {
  for (uint32_t i = 0; i < count; i++) {
    fputs(i ? ", " : " ", p->out);
    print_value(p, values[i]);
  }
}

/* ---- numbering ---- */

/* Whether the condition says nothing: then it is not printed, and the parser makes it from the body's parameters. */
static bool is_plain_condition(const tl_func *f, const tl_op *loop) {
  const tl_region *cond = tl_loop_cond(loop), *body = tl_loop_body(loop);
  if (cond->ops.count || cond->yields.count || cond->params.count != body->params.count) {
    return false;
  }
  for (uint32_t i = 0; i < cond->params.count; i++) {
    if (cond->params.data[i] >= f->values.count || body->params.data[i] >= f->values.count) {
      return false;
    }
    const tl_value_info *a = tl_info(f, cond->params.data[i]), *b = tl_info(f, body->params.data[i]);
    if (!tl_type_equal(a->type, b->type) || !same_text(a->name, b->name)) {
      return false;
    }
  }
  return true;
}

static void number_value(printer *p, tl_value v) {
  if (v != TL_NO_VALUE && v < p->func->values.count && !p->number[v]) {
    p->number[v] = p->next++;
  }
}

static void number_params(printer *p, const tl_region *r) {
  for (uint32_t i = 0; i < r->params.count; i++) {
    number_value(p, r->params.data[i]);
  }
}

static void number_ops(printer *p, const tl_region *r) {
  for (uint32_t i = 0; i < r->ops.count; i++) {
    const tl_op *op = r->ops.data[i];
    for (uint32_t k = 0; k < op->result_count; k++) {
      number_value(p, tl_op_result(op, k));
    }
    if (op->code == TL_OP_loop && op->region_count == 2 && is_plain_condition(p->func, op)) {
      number_params(p, tl_loop_body(op));
      number_params(p, tl_loop_cond(op));
      number_ops(p, tl_loop_body(op));
      continue;
    }
    for (uint32_t k = 0; k < op->region_count; k++) {
      number_params(p, op->regions[k]);
      number_ops(p, op->regions[k]);
    }
  }
}

/* ---- ops ---- */

static void indent(const printer *p, int depth) { fprintf(p->out, "%*s", 2 * depth, ""); }

static void print_ops(const printer *p, const tl_region *r, int depth);

static void print_region(const printer *p, const tl_region *r, int depth) {
  if (r->params.count) {
    putc('(', p->out);
    print_definitions(p, r->params.count, r->params.data);
    fputs(") ", p->out);
  }
  fputs("{\n", p->out);
  print_ops(p, r, depth + 1);
  indent(p, depth);
  putc('}', p->out);
}

static void print_const(const printer *p, const tl_op *op) {
  tl_dtype d = op->result_count ? tl_type_of(p->func, op->first_result).dtype : TL_I64;
  putc(' ', p->out);
  if (tl_dtype_is_float(d)) {
    print_float(p->out, d, op->u.floating);
  } else if (d == TL_U64) {
    fprintf(p->out, "%" PRIu64, (uint64_t)op->u.integer);
  } else {
    fprintf(p->out, "%" PRId64, op->u.integer);
  }
  if (op->spelling) {
    putc(' ', p->out);
    print_string(p->out, op->spelling);
  }
}

static void print_if(const printer *p, const tl_op *op, int depth) {
  print_uses(p, op->operand_count, op->operands);
  print_loc(p->out, op->loc, p->func->loc.file);
  for (uint32_t i = 0; i < op->region_count; i++) {
    fputs(i ? " else " : " ", p->out);
    print_region(p, op->regions[i], depth);
  }
}

static void print_loop(const printer *p, const tl_op *op, int depth) {
  print_uses(p, 1, op->operands);
  if (tl_loop_hi(op) != TL_NO_VALUE) {
    fputs(" to", p->out);
    print_uses(p, 1, op->operands + 1);
  }
  fprintf(p->out, " step %" PRId64, op->u.step);
  if (op->reversed) {
    fputs(" reversed", p->out);
  }
  if (op->operand_count > 2) {
    fputs(" carry", p->out);
    print_uses(p, op->operand_count - 2, op->operands + 2);
  }
  print_loc(p->out, op->loc, p->func->loc.file);
  if (!is_plain_condition(p->func, op)) {
    fputs(" while ", p->out);
    print_region(p, tl_loop_cond(op), depth);
  }
  fputs(" do ", p->out);
  print_region(p, tl_loop_body(op), depth);
}

static const struct {
  unsigned flag;
  const char *word;
} alloc_flags[] = {TL__ALLOC_FLAGS};

/* After the flags of an alloc: where its content is, and what. */
static void print_table(const printer *p, const tl_op *op) {
  tl_type t = tl_type_of(p->func, op->first_result);
  if (op->callee) {
    fputs(" @", p->out);
    print_name(p->out, op->callee);
  }
  putc(' ', p->out);
  print_string(p->out, op->format ? op->format : "$");
  for (int64_t i = 0; op->table && i < tl_extents_count(t.extents, t.rank, INT64_MAX); i++) {
    fputs(i ? ", " : " (", p->out);
    if (tl_dtype_is_float(t.dtype)) {
      print_float(p->out, t.dtype, op->table[i]);
    } else if (t.dtype == TL_U64) {
      fprintf(p->out, "%" PRIu64, (uint64_t)op->table[i]);
    } else {
      fprintf(p->out, "%" PRId64, (int64_t)op->table[i]);
    }
  }
  fputs(op->table ? ")" : "", p->out);
}

static void print_attr(const printer *p, tl_attr_kind kind, const tl_attr *a) {
  switch (kind) {
  case TL_ATTR_AXES:
    if (a->axes.count < 0) {
      fputs("all", p->out);
      break;
    }
    putc('(', p->out);
    for (int i = 0; i < a->axes.count; i++) {
      fprintf(p->out, "%s%d", i ? ", " : "", a->axes.axis[i]);
    }
    putc(')', p->out);
    break;
  case TL_ATTR_MODE:
    fputs(tl_index_mode_words[a->integer], p->out);
    break;
  case TL_ATTR_REDUCER:
    fputs(tl_reducer_words[a->integer], p->out);
    break;
  case TL_ATTR_DTYPE:
    fputs(tl_dtype_name((tl_dtype)a->integer), p->out);
    break;
  case TL_ATTR_INTS:
    putc('(', p->out);
    for (int i = 0; i < a->ints.count; i++) {
      fprintf(p->out, "%s%" PRId64, i ? ", " : "", a->ints.at[i]);
    }
    putc(')', p->out);
    break;
  case TL_ATTR_AXIS:
  case TL_ATTR_FLAG:
  case TL_ATTR_OPTION:
  case TL_ATTR_INTEGER:
  case TL_ATTR_COUNT:
    fprintf(p->out, "%" PRId64, a->integer);
    break;
  case TL_ATTR_SHAPE:
    break;
  }
}

static void print_attrs(const printer *p, const tl_op *op) {
  const tl_op_info *row = &tl_op_table[op->code];
  const char *before = " with ";
  for (int k = 0; k < row->attr_count; k++) {
    if (row->attrs[k].kind != TL_ATTR_SHAPE) {
      fprintf(p->out, "%s%s ", before, row->attrs[k].name);
      print_attr(p, row->attrs[k].kind, &op->attrs[k]);
      before = ", ";
    }
  }
}

static void print_op(const printer *p, const tl_op *op, int depth) {
  indent(p, depth);
  for (uint32_t i = 0; i < op->result_count; i++) {
    if (i) {
      fputs(", ", p->out);
    }
    print_definition(p, tl_op_result(op, i));
  }
  fputs(op->result_count ? " = " : "", p->out);
  fputs((unsigned)op->code < TL_OP_COUNT ? tl_op_table[op->code].name : "?", p->out);
  switch (op->code) {
  case TL_OP_if:
    print_if(p, op, depth);
    putc('\n', p->out);
    return;
  case TL_OP_loop:
    if (op->operand_count >= 2 && op->region_count == 2) {
      print_loop(p, op, depth);
      putc('\n', p->out);
      return;
    }
    print_uses(p, op->operand_count, op->operands);
    break;
  case TL_OP_const:
    print_const(p, op);
    break;
  case TL_OP_alloc:
    if (op->operand_count) {
      print_arguments(p, op);
    }
    for (size_t i = 0; i < sizeof alloc_flags / sizeof *alloc_flags; i++) {
      if (op->u.flags & alloc_flags[i].flag) {
        fprintf(p->out, " %s", alloc_flags[i].word);
      }
    }
    if (op->u.flags & TL_ALLOC_TABLE && op->result_count == 1) {
      print_table(p, op);
    }
    break;
  case TL_OP_call:
    fputs(" @", p->out);
    print_name(p->out, op->callee);
    print_call_arguments(p, op);
    break;
  case TL_OP_extern:
    fputs(" @", p->out);
    print_name(p->out, op->callee);
    print_arguments(p, op);
    putc(' ', p->out);
    print_string(p->out, op->format);
    fputs(op->has_effect ? " effect" : "", p->out);
    break;
#define TL_ELT(name, class, arity, operands, result, samples, meaning, doc) case TL_OP_##name:
#include "ir/ops.def"
  case TL_OP_index:
  case TL_OP_update:
  case TL_OP_fill:
  case TL_OP_clone:
  case TL_OP_accumulate:
  case TL_OP_item:
  case TL_OP_pack:
    print_uses(p, op->operand_count, op->operands);
    break;
  case TL_OP_dim:
    print_uses(p, op->operand_count, op->operands);
    fprintf(p->out, " axis %" PRId64, op->u.integer);
    break;
#define TL_TEN(name, class, arity, attributes, doc) case TL_OP_##name:
#include "ir/ops.def"
    print_uses(p, op->operand_count, op->operands);
    print_attrs(p, op);
    break;
  case TL_OP_COUNT:
    break;
  }
  print_loc(p->out, op->loc, p->func->loc.file);
  putc('\n', p->out);
}

static void print_ops(const printer *p, const tl_region *r, int depth) {
  for (uint32_t i = 0; i < r->ops.count; i++) {
    print_op(p, r->ops.data[i], depth);
  }
  if (r->yields.count) {
    indent(p, depth);
    fputs("yield", p->out);
    print_uses(p, r->yields.count, r->yields.data);
    putc('\n', p->out);
  }
}

/* ---- functions ---- */

static const char *const role_words[] = {
    [TL_ROLE_INPUT] = "input", [TL_ROLE_OUTPUT] = "output", [TL_ROLE_INOUT] = "inout"};

static void print_cparam(const printer *p, const tl_cparam *c) {
  fputs("  cparam ", p->out);
  print_string(p->out, c->name);
  putc(' ', p->out);
  print_string(p->out, c->declarator);
  fputs(" bare ", p->out);
  print_string(p->out, c->bare);
  fprintf(p->out, " %s%s%s%s", role_words[c->role], c->by_value ? " by_value" : "",
          c->differentiable ? " differentiable" : "", c->is_struct ? " struct" : "");
  print_loc(p->out, c->loc, p->func->loc.file);
  putc('\n', p->out);
}

static void print_face(const printer *p) {
  const tl_func *f = p->func;
  for (uint32_t i = 0; i < f->cparams.count; i++) {
    print_cparam(p, &f->cparams.data[i]);
  }
  for (uint32_t i = 0; i < f->params.count; i++) {
    const tl_param *param = &f->params.data[i];
    fputs("  param ", p->out);
    print_definition(p, param->value);
    fprintf(p->out, " of %" PRIu32 "%s ", param->cparam, param->is_memory ? " memory" : "");
    print_string(p->out, param->access);
    putc('\n', p->out);
  }
  for (uint32_t i = 0; i < f->results.count; i++) {
    const tl_result *r = &f->results.data[i];
    switch (r->role) {
    case TL_RESULT_RETURN:
      fputs("  result return ", p->out);
      print_string(p->out, r->access);
      break;
    case TL_RESULT_FINAL:
      fprintf(p->out, "  result final %" PRIu32, r->param);
      break;
    }
    putc('\n', p->out);
  }
}

void tl_func_print(const tl_func *f, FILE *out) {
  tl_arena scratch; /* not the function's, which other threads may print too */
  tl_arena_init(&scratch);
  printer p = {.func = f, .out = out, .number = TL_NEW_ARRAY(&scratch, uint32_t, f->values.count), .next = 1};
  number_params(&p, f->body);
  number_ops(&p, f->body);
  fputs("func @", out);
  print_name(out, f->name);
  fputs(f->is_primal ? " primal" : "", out);
  fputs(f->recursive ? " recursive" : "", out);
  fputs(" returns ", out);
  print_string(out, f->return_declarator);
  if (f->custom_vjp) {
    fputs(" vjp ", out);
    print_string(out, f->custom_vjp);
  }
  if (f->custom_jvp) {
    fputs(" jvp ", out);
    print_string(out, f->custom_jvp);
  }
  print_loc(out, f->loc, NULL);
  fputs(" (\n", out);
  print_face(&p);
  fputs(") {\n", out);
  print_ops(&p, f->body, 1);
  fputs("}\n", out);
  tl_arena_deinit(&scratch);
}

void tl_module_print(const tl_module *m, FILE *out) {
  for (uint32_t i = 0; i < m->funcs.count; i++) {
    if (i) {
      putc('\n', out);
    }
    tl_func_print(m->funcs.data[i], out);
  }
}
