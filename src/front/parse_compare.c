/* Does the C compiler read the program that libclang read? Its preprocessed text is read by libclang too, and the trees
 * of the functions in question are walked side by side. Conversions that C implies follow from the types of the
 * operands, so they are looked through; everything that is written is compared. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/ctext.h"
#include "front/parse_clang.h"

typedef struct compare {
  tl_arena *arena;
  tl__map decls;     /* objects of the left (libclang's reading) to those of the right (the compiler's) */
  tl__map records;   /* the same, of records that are being or have been compared */
  tl__map functions; /* left to right */
  TL_VEC(const tl_function *) queue;
  bool differ;
  tl_loc left_loc, right_loc;
  const char *left_text, *right_text;
} compare;

/* --- what a node is called in a message ------------------------------------------------------------------------------
 */

static const char *describe(compare *c, const tl_expr *e) {
  if (!e) {
    return "nothing";
  }
  switch (e->kind) {
  case TL_EXPR_INT:
    return tl_arena_printf(c->arena, "%lld", (long long)e->integer);
  case TL_EXPR_FLOAT:
    return e->spelling;
  case TL_EXPR_STRING:
    return e->spelling;
  case TL_EXPR_VAR:
    return e->decl && e->decl->name ? e->decl->name : "an object";
  case TL_EXPR_FUNCTION:
    return e->name;
  case TL_EXPR_INTRINSIC:
    return tl_arena_printf(c->arena, "%s(...)", e->name);
  case TL_EXPR_CALL:
    return e->a->kind == TL_EXPR_FUNCTION ? tl_arena_printf(c->arena, "%s(...)", e->a->name)
                                          : "a call through a pointer";
  case TL_EXPR_MEMBER:
  case TL_EXPR_ARROW:
    return tl_arena_printf(c->arena, "member %s", e->name ? e->name : "without a name");
  case TL_EXPR_CAST:
    return tl_arena_printf(c->arena, "a conversion to %s", e->type->spelling);
  case TL_EXPR_UNARY:
  case TL_EXPR_BINARY:
  case TL_EXPR_LOGICAL_AND:
  case TL_EXPR_LOGICAL_OR:
    return "another operator";
  case TL_EXPR_CONDITIONAL:
    return "a conditional expression";
  case TL_EXPR_COMMA:
    return "a comma expression";
  case TL_EXPR_ASSIGN:
  case TL_EXPR_COMPOUND_ASSIGN:
    return "an assignment";
  case TL_EXPR_PRE_INC:
  case TL_EXPR_PRE_DEC:
  case TL_EXPR_POST_INC:
  case TL_EXPR_POST_DEC:
    return "an increment";
  case TL_EXPR_DECAY:
    return "an array or function";
  case TL_EXPR_INDEX:
    return "a subscript";
  case TL_EXPR_DEREF:
    return "a dereference";
  case TL_EXPR_ADDRESS:
    return "an address";
  case TL_EXPR_INIT_LIST:
  case TL_EXPR_COMPOUND_LITERAL:
    return "a list of initialisers";
  case TL_EXPR_SIZEOF_VLA:
    return "a size";
  case TL_EXPR_STMT:
    return "a statement expression";
  case TL_EXPR_UNSUPPORTED:
    return e->text;
  }
  return "an expression";
}

static const char *describe_stmt(const tl_stmt *s) {
  if (!s) {
    return "nothing";
  }
  switch (s->kind) {
  case TL_STMT_NULL:
    return "an empty statement";
  case TL_STMT_EXPR:
    return "an expression";
  case TL_STMT_DECL:
    return "a declaration";
  case TL_STMT_COMPOUND:
    return "a block";
  case TL_STMT_IF:
    return "if";
  case TL_STMT_WHILE:
    return "while";
  case TL_STMT_DO:
    return "do";
  case TL_STMT_FOR:
    return "for";
  case TL_STMT_SWITCH:
    return "switch";
  case TL_STMT_CASE:
    return "case";
  case TL_STMT_DEFAULT:
    return "default";
  case TL_STMT_BREAK:
    return "break";
  case TL_STMT_CONTINUE:
    return "continue";
  case TL_STMT_RETURN:
    return "return";
  case TL_STMT_GOTO:
    return "goto";
  case TL_STMT_LABEL:
    return "a label";
  case TL_STMT_UNSUPPORTED:
    return s->text;
  }
  return "a statement";
}

/* --- the walk
 * ---------------------------------------------------------------------------------------------------------- */

static bool same_expr(compare *c, const tl_expr *a, const tl_expr *b);
static bool same_stmt(compare *c, const tl_stmt *a, const tl_stmt *b);

/* Notes the first difference. */
static bool differ(compare *c, tl_loc left, const char *left_text, tl_loc right, const char *right_text) {
  if (!c->differ) {
    c->differ = true;
    c->left_loc = left;
    c->right_loc = right;
    c->left_text = left_text;
    c->right_text = right_text;
  }
  return false;
}

static bool exprs_differ(compare *c, const tl_expr *a, const tl_expr *b) {
  return differ(c, a ? a->loc : (tl_loc){0}, describe(c, a), b ? b->loc : (tl_loc){0}, describe(c, b));
}

static bool same_type(compare *c, const tl_ctype *a, const tl_ctype *b);

static bool same_record(compare *c, const tl_record *a, const tl_record *b) {
  const tl_record *known = tl__map_get(&c->records, a);
  if (known) {
    return known == b;
  }
  tl__map_put(c->arena, &c->records, a, (void *)(uintptr_t)b);
  bool same = a->is_union == b->is_union && a->complete == b->complete && a->fields.count == b->fields.count;
  for (uint32_t i = 0; same && i < a->fields.count; i++) {
    const tl_field *f = &a->fields.data[i], *g = &b->fields.data[i];
    same = !f->name == !g->name && (!f->name || strcmp(f->name, g->name) == 0) && f->is_bitfield == g->is_bitfield &&
           f->bit_width == g->bit_width && same_type(c, f->type, g->type);
  }
  if (!same) {
    const char *tag = a->name ? a->name : "without a name";
    return differ(c, a->loc, tl_arena_printf(c->arena, "struct %s", tag), b->loc, "other members");
  }
  return true;
}

static bool same_type(compare *c, const tl_ctype *a, const tl_ctype *b) {
  if (!a || !b || a->kind != b->kind || a->is_volatile != b->is_volatile) {
    return a == b;
  }
  switch (a->kind) {
  case TL_CT_VOID:
    return true;
  case TL_CT_SCALAR:
    return a->dtype == b->dtype;
  case TL_CT_POINTER:
    if (a->was_array != b->was_array ||
        (a->was_array && (a->extent != b->extent || !same_expr(c, a->extent_expr, b->extent_expr)))) {
      return false;
    }
    return same_type(c, a->target, b->target);
  case TL_CT_ARRAY:
    return a->extent == b->extent && (a->extent >= 0 || same_expr(c, a->extent_expr, b->extent_expr)) &&
           same_type(c, a->target, b->target);
  case TL_CT_RECORD:
    return same_record(c, a->record, b->record);
  case TL_CT_FUNCTION:
    if (a->params.count != b->params.count || a->variadic != b->variadic || !same_type(c, a->target, b->target)) {
      return false;
    }
    for (uint32_t i = 0; i < a->params.count; i++) {
      if (!same_type(c, a->params.data[i], b->params.data[i])) {
        return false;
      }
    }
    return true;
  case TL_CT_UNSUPPORTED:
    return strcmp(a->spelling, b->spelling) == 0;
  }
  return false;
}

/* A floating constant behind any conversions between floating types, as float.h spells them in one way or another. */
static bool float_constant(const tl_expr *e, tl_dtype *out_dtype, long double *out_value) {
  if (e->type->kind != TL_CT_SCALAR || !tl_dtype_is_float(e->type->dtype)) {
    return false;
  }
  if (e->kind == TL_EXPR_FLOAT) {
    *out_value = e->floating;
  } else if (e->kind == TL_EXPR_CAST && !e->implicit && float_constant(tl_expr_strip(e->a), out_dtype, out_value)) {
    *out_value = tl_dtype_round(e->type->dtype, *out_value);
  } else {
    return false;
  }
  *out_dtype = e->type->dtype;
  return true;
}

static bool same_decl(compare *c, const tl_decl *a, const tl_decl *b) {
  const tl_decl *known = tl__map_get(&c->decls, a);
  if (known) {
    return known == b;
  }
  tl__map_put(c->arena, &c->decls, a, (void *)(uintptr_t)b);
  if (a->storage != b->storage || strcmp(a->name, b->name) != 0 || !same_type(c, a->type, b->type)) {
    return differ(c, a->loc, tl_arena_printf(c->arena, "%s %s", a->type->spelling, a->name), b->loc,
                  tl_arena_printf(c->arena, "%s %s", b->type->spelling, b->name));
  }
  if ((a->init && a->init->kind == TL_EXPR_UNSUPPORTED) || same_expr(c, a->init, b->init)) {
    return true;
  }
  return differ(c, a->loc, describe(c, a->init), b->loc, describe(c, b->init));
}

/* Its body is compared later, once. */
static bool same_function(compare *c, const tl_expr *a, const tl_expr *b) {
  if (strcmp(a->name, b->name) != 0) {
    return exprs_differ(c, a, b);
  }
  if (a->function && b->function && !tl__map_get(&c->functions, a->function)) {
    tl__map_put(c->arena, &c->functions, a->function, b->function);
    TL_PUSH(c->arena, c->queue, a->function);
  }
  return true;
}

static bool same_arguments(compare *c, const tl_expr *a, const tl_expr *b) {
  if (a->args.count != b->args.count) {
    return exprs_differ(c, a, b);
  }
  for (uint32_t i = 0; i < a->args.count; i++) {
    if (!same_expr(c, a->args.data[i], b->args.data[i])) {
      return exprs_differ(c, a->args.data[i] ? a->args.data[i] : a, b->args.data[i] ? b->args.data[i] : b);
    }
  }
  return true;
}

static bool is_call_of(const tl_expr *e, const char *prefix) {
  return e->kind == TL_EXPR_CALL && e->a->kind == TL_EXPR_FUNCTION && strncmp(e->a->name, prefix, strlen(prefix)) == 0;
}

/* assert's failure names the file as the compiler was told to spell it. */
static bool is_assert_failure(const tl_expr *e) { return is_call_of(e, "__assert"); }

static uint32_t written_casts(const tl_expr *e) {
  uint32_t n = 0;
  for (; e && e->kind == TL_EXPR_CAST; e = e->a) {
    n += !e->implicit;
  }
  return n;
}

/* <tgmath.h>: gcc's sin(x) is a builtin that chooses from the list of functions, __builtin_tgmath(sinf, sin, sinl, ...,
 * x). The choice is the language's, so it is enough that the function clang chose is on the list and that the operands
 * are the same. */
static bool same_generic_call(compare *c, const tl_expr *a, const tl_expr *b) {
  if (a->a->kind != TL_EXPR_FUNCTION || a->args.count >= b->args.count) {
    return false;
  }
  uint32_t functions = b->args.count - a->args.count;
  bool listed = false;
  for (uint32_t i = 0; i < functions; i++) {
    const tl_expr *f = b->args.data[i];
    f = f->kind == TL_EXPR_DECAY ? f->a : f;
    listed |= f->kind == TL_EXPR_FUNCTION && strcmp(f->name, a->a->name) == 0;
  }
  for (uint32_t i = 0; listed && i < a->args.count; i++) {
    const tl_expr *operand = a->args.data[i], *other = b->args.data[functions + i];
    bool by_macro = written_casts(operand) > written_casts(other); /* converted to the chosen type */
    listed = same_expr(c, by_macro ? tl_expr_strip(operand)->a : operand, other);
  }
  return listed;
}

static bool same_parts(compare *c, const tl_expr *a, const tl_expr *b) {
  return same_expr(c, a->a, b->a) && same_expr(c, a->b, b->b) && same_expr(c, a->c, b->c);
}

static bool same_node(compare *c, const tl_expr *a, const tl_expr *b) {
  switch (a->kind) {
  case TL_EXPR_INT:
  case TL_EXPR_FLOAT:
    return false; /* equal constants were found equal before */
  case TL_EXPR_STRING:
    return strcmp(a->spelling, b->spelling) == 0;
  case TL_EXPR_VAR:
    if (a->decl && b->decl && a->decl->storage == TL_STORAGE_FILE && b->decl->storage == TL_STORAGE_FILE) {
      return strcmp(a->decl->name, b->decl->name) == 0 && same_decl(c, a->decl, b->decl);
    }
    return tl__map_get(&c->decls, a->decl) == b->decl;
  case TL_EXPR_FUNCTION:
    return same_function(c, a, b);
  case TL_EXPR_UNARY:
    return a->unary == b->unary && same_parts(c, a, b);
  case TL_EXPR_BINARY:
  case TL_EXPR_COMPOUND_ASSIGN:
    return a->op == b->op && same_parts(c, a, b);
  case TL_EXPR_CALL:
    if (is_call_of(b, "__builtin_tgmath")) {
      return same_generic_call(c, a, b);
    }
    return is_assert_failure(a) ? is_assert_failure(b) : same_parts(c, a, b) && same_arguments(c, a, b);
  case TL_EXPR_MEMBER:
  case TL_EXPR_ARROW:
    return a->field == b->field && same_record(c, a->record, b->record) && same_parts(c, a, b);
  case TL_EXPR_CAST:
  case TL_EXPR_COMPOUND_LITERAL:
    return same_type(c, a->type, b->type) && same_parts(c, a, b);
  case TL_EXPR_INIT_LIST:
    return same_arguments(c, a, b);
  case TL_EXPR_SIZEOF_VLA:
    return same_type(c, a->sized, b->sized);
  case TL_EXPR_STMT:
    return same_stmt(c, a->body, b->body);
  case TL_EXPR_LOGICAL_AND:
  case TL_EXPR_LOGICAL_OR:
  case TL_EXPR_CONDITIONAL:
  case TL_EXPR_COMMA:
  case TL_EXPR_ASSIGN:
  case TL_EXPR_PRE_INC:
  case TL_EXPR_PRE_DEC:
  case TL_EXPR_POST_INC:
  case TL_EXPR_POST_DEC:
  case TL_EXPR_DECAY:
  case TL_EXPR_INDEX:
  case TL_EXPR_DEREF:
  case TL_EXPR_ADDRESS:
    return same_parts(c, a, b);
  case TL_EXPR_INTRINSIC:
  case TL_EXPR_UNSUPPORTED:
    return true; /* handled before */
  }
  return false;
}

static bool same_expr(compare *c, const tl_expr *a, const tl_expr *b) {
  a = tl_expr_strip(a);
  b = tl_expr_strip(b);
  if (!a || !b) {
    return a == b || exprs_differ(c, a, b);
  }
  if (a->kind == TL_EXPR_UNSUPPORTED) {
    return true; /* refused if it is lowered */
  }
  if (a->kind == TL_EXPR_INTRINSIC) { /* to the compiler a function that is not declared yet */
    return b->kind == TL_EXPR_CALL && b->a->kind == TL_EXPR_FUNCTION && strcmp(a->name, b->a->name) == 0
               ? same_arguments(c, a, b)
               : exprs_differ(c, a, b);
  }
  if (a->kind == TL_EXPR_FUNCTION && !a->function) {
    return true; /* the same, as a value */
  }
  int64_t x, y;
  if (tl_expr_constant(a, &x) && tl_expr_constant(b, &y)) {
    return (x == y && a->type->dtype == b->type->dtype) || exprs_differ(c, a, b);
  }
  tl_dtype d, e;
  long double v, w;
  if (float_constant(a, &d, &v) && float_constant(b, &e, &w)) {
    return (d == e && ((v != v && w != w) || (v == w && signbit(v) == signbit(w)))) || exprs_differ(c, a, b);
  }
  return (a->kind == b->kind && same_node(c, a, b)) || exprs_differ(c, a, b);
}

static bool same_stmt(compare *c, const tl_stmt *a, const tl_stmt *b) {
  if (!a || !b) {
    return a == b || differ(c, a ? a->loc : (tl_loc){0}, describe_stmt(a), b ? b->loc : (tl_loc){0}, describe_stmt(b));
  }
  if (a->kind == TL_STMT_UNSUPPORTED) {
    return true;
  }
  bool same = a->kind == b->kind && a->decls.count == b->decls.count && a->body.count == b->body.count &&
              a->case_lo == b->case_lo && a->case_hi == b->case_hi && !a->label == !b->label &&
              (!a->label || strcmp(a->label, b->label) == 0);
  if (!same) {
    return differ(c, a->loc, describe_stmt(a), b->loc, describe_stmt(b));
  }
  for (uint32_t i = 0; i < a->decls.count; i++) {
    if (!same_decl(c, a->decls.data[i], b->decls.data[i])) {
      return false;
    }
  }
  for (uint32_t i = 0; i < a->body.count; i++) {
    if (!same_stmt(c, a->body.data[i], b->body.data[i])) {
      return false;
    }
  }
  return same_expr(c, a->init, b->init) && same_expr(c, a->expr, b->expr) && same_expr(c, a->step, b->step) &&
         same_stmt(c, a->then_body, b->then_body) && same_stmt(c, a->else_body, b->else_body);
}

static bool same_definition(compare *c, const tl_function *a, const tl_function *b) {
  if (!same_type(c, a->type->target, b->type->target) || a->params.count != b->params.count ||
      a->variadic != b->variadic) {
    return differ(c, a->loc, a->type->spelling, b->loc, b->type->spelling);
  }
  for (uint32_t i = 0; i < a->params.count; i++) {
    const tl_decl *p = a->params.data[i], *q = b->params.data[i];
    if (!a->body) { /* declared only: names of parameters mean nothing */
      tl__map_put(c->arena, &c->decls, p, (void *)(uintptr_t)q);
      if (!same_type(c, p->type, q->type)) {
        return differ(c, a->loc, a->type->spelling, b->loc, b->type->spelling);
      }
    } else if (!same_decl(c, p, q)) {
      return false;
    }
  }
  /* A header may give an inline body to an optimising compiler alone: the function is known by its name then. */
  return !a->body || (!b->body && !a->is_inline ? differ(c, a->loc, "a definition", b->loc, "a declaration")
                                                : !b->body || same_stmt(c, a->body, b->body));
}

/* --- the report
 * ---------------------------------------------------------------------------------------------------------- */

/* A line of the preprocessed text, and the place that its line markers say. The first line of what libclang read is
 * ours. */
static tl_loc marked_place(tl_arena *arena, const char *text, uint32_t line, const char **out_line) {
  tl_loc loc = {0};
  *out_line = "";
  const char *s = text;
  for (uint32_t n = 2; *s; n++) {
    size_t length = strcspn(s, "\n");
    if (n == line) {
      const char *first = tl__parse_skip_space(s, s + length);
      *out_line = tl_arena_strndup(arena, first, (size_t)(s + length - first));
      break;
    }
    if (s[0] == '#' && s[1] == ' ') {
      char *after;
      loc.line = (uint32_t)strtoul(s + 2, &after, 10);
      const char *open = strchr(after, '"'), *close = open && open < s + length ? s + length : open;
      while (close && *close != '"') { /* the last: the name's own are escaped, and flags follow */
        close--;
      }
      loc.file = close && close > open ? tl_marker_unescape(arena, open + 1, (size_t)(close - open - 1)) : loc.file;
    } else {
      loc.line++;
    }
    s += length + (s[length] == '\n');
  }
  loc.column = 1;
  loc.end_column = 2;
  return loc;
}

static void report(compare *c, tl_diag *diag, const tl_function *f, const char *preprocessed) {
  tl_loc loc = c->left_loc.file && c->left_loc.line ? c->left_loc : f->loc;
  tl_diag_error(diag, TL_FRONT_MISMATCH, loc, "in '%s' the C compiler reads '%s' where libclang reads '%s'", f->name,
                c->right_text, c->left_text);
  if (c->right_loc.line) {
    const char *line;
    tl_loc place = marked_place(c->arena, preprocessed, c->right_loc.line, &line);
    tl_diag_note(diag, place, "the C compiler's line is: %s", line);
  }
}

tl_status tl_front_compare(tl_arena *arena, tl_diag *diag, const tl_parse_opts *opts, const char *preprocessed,
                           uint32_t count, tl_function *const functions[]) {
  compare c = {.arena = arena};
  tl_unit *right = NULL;
  tl_status status = tl__parse_preprocessed(arena, diag, opts, preprocessed, count, functions, &right);
  if (status != TL_OK) {
    return status;
  }
  for (uint32_t i = 0; i < count; i++) {
    tl_function *other = tl_unit_find(right, functions[i]->name);
    if (!other) {
      tl_diag_error(diag, TL_FRONT_MISMATCH, functions[i]->loc, "the C compiler does not read '%s'",
                    functions[i]->name);
      status = TL_FRONT_MISMATCH;
    } else if (!tl__map_get(&c.functions, functions[i])) {
      tl__map_put(arena, &c.functions, functions[i], other);
      TL_PUSH(arena, c.queue, functions[i]);
    }
  }
  for (uint32_t i = 0; i < c.queue.count; i++) {
    c.differ = false;
    if (!same_definition(&c, c.queue.data[i], tl__map_get(&c.functions, c.queue.data[i]))) {
      report(&c, diag, c.queue.data[i], preprocessed);
      status = TL_FRONT_MISMATCH;
    }
  }
  return status;
}
