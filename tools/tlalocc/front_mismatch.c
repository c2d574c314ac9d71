/* Two front ends read one program. libclang says that it is gcc 4, gcc says 12: a header may give each another function.
 * So cc's preprocessed text is read too, and the trees of what is differentiated must agree, literals by value. */
#include <math.h>
#include <string.h>

#include "front.h"

typedef struct comparison {
  front *f;
  const tl_function *function;
  tl_loc ours, theirs; /* where they differ */
  bool differs;
  TL_VEC(const tl_record *) records; /* compared or being compared */
} comparison;

static bool same_expr(comparison *c, const tl_expr *a, const tl_expr *b);
static bool same_stmt(comparison *c, const tl_stmt *a, const tl_stmt *b);

static bool differ_at(comparison *c, tl_loc ours, tl_loc theirs) {
  if (!c->differs) {
    c->differs = true;
    c->ours = ours;
    c->theirs = theirs;
  }
  return false;
}

static bool same_name(const char *a, const char *b) { return a == b || (a && b && strcmp(a, b) == 0); }

/* --- types ----------------------------------------------------------------------------------------------------------- */

static bool same_type(comparison *c, const tl_ctype *a, const tl_ctype *b);

static bool same_record(comparison *c, const tl_record *a, const tl_record *b) {
  for (uint32_t i = 0; i < c->records.count; i++) {
    if (c->records.data[i] == a) {
      return true;
    }
  }
  TL_PUSH(c->f->arena, c->records, a);
  if (!same_name(a->name, b->name) || a->is_union != b->is_union || a->fields.count != b->fields.count) {
    return false;
  }
  for (uint32_t i = 0; i < a->fields.count; i++) {
    const tl_field *x = &a->fields.data[i], *y = &b->fields.data[i];
    if (!same_name(x->name, y->name) || x->is_bitfield != y->is_bitfield || x->bit_width != y->bit_width ||
        !same_type(c, x->type, y->type)) {
      return false;
    }
  }
  return true;
}

static bool same_type(comparison *c, const tl_ctype *a, const tl_ctype *b) {
  if (!a || !b || a == b) {
    return a == b;
  }
  if (a->kind != b->kind || a->is_const != b->is_const || a->is_volatile != b->is_volatile) {
    return false;
  }
  switch (a->kind) {
  case TL_CT_VOID:
    return true;
  case TL_CT_SCALAR:
    return a->dtype == b->dtype;
  case TL_CT_POINTER:
    return same_type(c, a->target, b->target);
  case TL_CT_ARRAY:
    return a->extent == b->extent && same_type(c, a->target, b->target);
  case TL_CT_RECORD:
    return same_record(c, a->record, b->record);
  case TL_CT_FUNCTION:
    return a->variadic == b->variadic && a->params.count == b->params.count && same_type(c, a->target, b->target);
  case TL_CT_UNSUPPORTED:
    return same_name(a->spelling, b->spelling);
  }
  return false;
}

/* --- expressions ------------------------------------------------------------------------------------------------------ */

static long double rounded(tl_dtype to, long double v) { return to == TL_F32 ? (float)v : to == TL_F64 ? (double)v : v; }

/* DBL_MAX is a cast of a long double to one compiler and a double to the other. */
static bool floating_constant(const tl_expr *e, long double *out) {
  if (e->kind == TL_EXPR_FLOAT) {
    *out = rounded(e->type->dtype, e->floating);
    return true;
  }
  if (e->kind == TL_EXPR_INT) {
    *out = (long double)e->integer;
    return true;
  }
  if (e->kind == TL_EXPR_CAST && e->type->kind == TL_CT_SCALAR && tl_dtype_is_float(e->type->dtype) && floating_constant(e->a, out)) {
    *out = rounded(e->type->dtype, *out);
    return true;
  }
  if (e->kind == TL_EXPR_UNARY && e->unary == '-' && floating_constant(e->a, out)) {
    *out = -*out;
    return true;
  }
  return false;
}

static bool same_constant(const tl_expr *a, const tl_expr *b) {
  long double x, y;
  return a->type && b->type && a->type->kind == TL_CT_SCALAR && b->type->kind == TL_CT_SCALAR && a->type->dtype == b->type->dtype &&
         floating_constant(a, &x) && floating_constant(b, &y) && (x == y || (isnan(x) && isnan(y)));
}

static bool same_args(comparison *c, const tl_expr *a, const tl_expr *b) {
  if (a->args.count != b->args.count) {
    return differ_at(c, a->loc, b->loc);
  }
  for (uint32_t i = 0; i < a->args.count; i++) {
    if (!same_expr(c, a->args.data[i], b->args.data[i])) {
      return false;
    }
  }
  return true;
}

/* What the node itself says; its operands are compared by the caller. */
static bool same_node(comparison *c, const tl_expr *a, const tl_expr *b) {
  switch (a->kind) {
  case TL_EXPR_INT:
    return a->integer == b->integer;
  case TL_EXPR_FLOAT:
    return same_constant(a, b);
  case TL_EXPR_STRING:
    return true; /* messages; __FILE__ may be spelled in two ways */
  case TL_EXPR_VAR:
    return same_name(a->name, b->name) && (!a->decl || !b->decl || (same_name(a->decl->name, b->decl->name) && a->decl->storage == b->decl->storage));
  case TL_EXPR_FUNCTION:
  case TL_EXPR_INTRINSIC:
    return same_name(a->name, b->name);
  case TL_EXPR_UNARY:
    return a->unary == b->unary;
  case TL_EXPR_BINARY:
    return a->op == b->op;
  case TL_EXPR_COMPOUND_ASSIGN:
    return a->op == b->op && same_type(c, a->compute_type, b->compute_type);
  case TL_EXPR_MEMBER:
  case TL_EXPR_ARROW:
    return a->field == b->field && same_name(a->name, b->name);
  case TL_EXPR_SIZEOF_VLA:
    return same_type(c, a->sized, b->sized);
  case TL_EXPR_UNSUPPORTED:
    return same_name(a->text, b->text);
  case TL_EXPR_LOGICAL_AND:
  case TL_EXPR_LOGICAL_OR:
  case TL_EXPR_CONDITIONAL:
  case TL_EXPR_COMMA:
  case TL_EXPR_ASSIGN:
  case TL_EXPR_PRE_INC:
  case TL_EXPR_PRE_DEC:
  case TL_EXPR_POST_INC:
  case TL_EXPR_POST_DEC:
  case TL_EXPR_CAST:
  case TL_EXPR_DECAY:
  case TL_EXPR_CALL:
  case TL_EXPR_INDEX:
  case TL_EXPR_DEREF:
  case TL_EXPR_ADDRESS:
  case TL_EXPR_INIT_LIST:
  case TL_EXPR_COMPOUND_LITERAL:
  case TL_EXPR_STMT:
    return true;
  }
  return false;
}

static bool same_expr(comparison *c, const tl_expr *a, const tl_expr *b) {
  if (!a || !b) {
    return a == b || differ_at(c, a ? a->loc : (tl_loc){0}, b ? b->loc : (tl_loc){0});
  }
  if (same_constant(a, b)) {
    return true;
  }
  if (a->kind != b->kind || !same_node(c, a, b) || !same_type(c, a->type, b->type)) {
    return differ_at(c, a->loc, b->loc);
  }
  return same_expr(c, a->a, b->a) && same_expr(c, a->b, b->b) && same_expr(c, a->c, b->c) && same_args(c, a, b) &&
         (!a->body || same_stmt(c, a->body, b->body));
}

/* --- statements -------------------------------------------------------------------------------------------------------- */

static bool same_decl(comparison *c, const tl_decl *a, const tl_decl *b) {
  if (!same_name(a->name, b->name) || !same_type(c, a->type, b->type)) {
    return differ_at(c, a->loc, b->loc);
  }
  return same_expr(c, a->init, b->init);
}

static bool same_stmt(comparison *c, const tl_stmt *a, const tl_stmt *b) {
  if (!a || !b) {
    return a == b || differ_at(c, a ? a->loc : (tl_loc){0}, b ? b->loc : (tl_loc){0});
  }
  if (a->kind != b->kind || a->decls.count != b->decls.count || a->case_lo != b->case_lo || a->case_hi != b->case_hi ||
      !same_name(a->label, b->label)) {
    return differ_at(c, a->loc, b->loc);
  }
  for (uint32_t i = 0; i < a->decls.count; i++) {
    if (!same_decl(c, a->decls.data[i], b->decls.data[i])) {
      return false;
    }
  }
  if (!same_expr(c, a->init, b->init) || !same_expr(c, a->expr, b->expr) || !same_expr(c, a->step, b->step)) {
    return false;
  }
  for (uint32_t i = 0; i < a->body.count || i < b->body.count; i++) {
    if (i >= a->body.count || i >= b->body.count) {
      return differ_at(c, i < a->body.count ? a->body.data[i]->loc : a->loc, i < b->body.count ? b->body.data[i]->loc : b->loc);
    }
    if (!same_stmt(c, a->body.data[i], b->body.data[i])) {
      return false;
    }
  }
  return same_stmt(c, a->then_body, b->then_body) && same_stmt(c, a->else_body, b->else_body);
}

/* --- functions --------------------------------------------------------------------------------------------------------- */

static bool same_function(comparison *c, const tl_function *a, const tl_function *b) {
  if (!b || !b->body || a->params.count != b->params.count) {
    return differ_at(c, a->loc, b ? b->loc : (tl_loc){0});
  }
  for (uint32_t i = 0; i < a->params.count; i++) {
    if (!same_decl(c, a->params.data[i], b->params.data[i])) {
      return false;
    }
  }
  return same_stmt(c, a->body, b->body);
}

static void report(comparison *c, const tl_function *theirs) {
  front *f = c->f;
  tl_loc at = c->ours.line ? c->ours : c->function->loc;
  tl_diag_error(&f->diag, TL_FRONT_MISMATCH, at, "cc and libclang read different text for '%s'", c->function->name);
  const char *text = c->theirs.line ? front_source_line(f, f->opts->preprocessed, c->theirs.line) : NULL;
  if (text) {
    tl_diag_note(&f->diag, (tl_loc){0}, "cc reads: %s", text + strspn(text, " \t"));
  } else if (!theirs || !theirs->body) {
    tl_diag_note(&f->diag, (tl_loc){0}, "cc reads no definition of '%s'", c->function->name);
  }
}

/* What a read of preprocessed text still needs of cc's arguments: the language, not the search for headers. */
static tl_args language_args(front *f) {
  tl_args args = {0};
  for (uint32_t i = 0; i < f->opts->cc_args.count; i++) {
    const char *arg = f->opts->cc_args.data[i];
    static const char *const with_value[] = {"-I", "-D", "-U", "-iquote", "-isystem", "-idirafter", "-include", "-imacros",
                                             "-isysroot", "-iprefix", "-iwithprefix", "-iwithprefixbefore", "--sysroot", "-target"};
    for (size_t k = 0; k < sizeof with_value / sizeof *with_value; k++) {
      if (strcmp(arg, with_value[k]) == 0) {
        i++;
      }
    }
    if (strncmp(arg, "-std", 4) == 0 || strncmp(arg, "-f", 2) == 0 || strncmp(arg, "-m", 2) == 0 || strcmp(arg, "-ansi") == 0) {
      TL_PUSH(f->arena, args, arg);
    }
  }
  return args;
}

void front_compare_with_cc(front *f) {
  tl_args args = language_args(f);
  tl_parse_opts p = {.file = f->opts->preprocessed, .arg_count = args.count, .args = args.data, .prototypes = f->prototypes,
                     .allow_any_clang = true};
  tl_parse_result theirs = {0};
  tl_diag ignored;
  tl_diag_init(&ignored, f->arena);
  if (tl_parse_file(f->arena, &ignored, &p, &theirs) != TL_OK) {
    return;
  }
  front_function_list reached = {0};
  front_expr_list intrinsics = {0};
  for (uint32_t i = 0; i < f->targets.count; i++) {
    if (f->targets.data[i].request->primal) {
      front_reach(f->arena, f->targets.data[i].request->primal, &reached, &intrinsics);
    }
  }
  for (uint32_t i = 0; i < reached.count; i++) {
    const tl_function *ours = reached.data[i];
    if (!ours->body) {
      continue;
    }
    comparison c = {.f = f, .function = ours};
    const tl_function *other = tl_unit_find(theirs.unit, ours->name);
    if (!same_function(&c, ours, other)) {
      report(&c, other);
      return; /* what it calls differs for the same reason */
    }
  }
}
