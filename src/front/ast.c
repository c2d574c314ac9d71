#include "front/ast.h"

#include <assert.h>
#include <string.h>

tl_function *tl_unit_find(const tl_unit *unit, const char *name) {
  for (uint32_t i = 0; i < unit->functions.count; i++) {
    if (strcmp(unit->functions.data[i]->name, name) == 0) {
      return unit->functions.data[i];
    }
  }
  return NULL;
}

/* Scalar types are alike in every unit, so they are one table that nobody writes to. */
tl_ctype *tl_ctype_scalar(tl_dtype dtype) {
  static tl_ctype scalars[] = {
#define SCALAR_ROW(id, name, size, c) {.kind = TL_CT_SCALAR, .dtype = id, .spelling = c},
      TL_DTYPE_MAP(SCALAR_ROW)
#undef SCALAR_ROW
  };
  assert(dtype < TL_DTYPE_COUNT);
  return &scalars[dtype];
}

const tl_expr *tl_expr_strip(const tl_expr *e) {
  while (e && e->kind == TL_EXPR_CAST && e->implicit) {
    e = e->a;
  }
  return e;
}

void tl_ast_walk_expr(tl_ast_walk *w, const tl_expr *e) {
  if (!e) {
    return;
  }
  w->expr(w, e);
  tl_ast_walk_expr(w, e->a);
  tl_ast_walk_expr(w, e->b);
  tl_ast_walk_expr(w, e->c);
  for (uint32_t i = 0; i < e->args.count; i++) {
    tl_ast_walk_expr(w, e->args.data[i]);
  }
  tl_ast_walk_stmt(w, e->body);
}

void tl_ast_walk_stmt(tl_ast_walk *w, const tl_stmt *s) {
  if (!s) {
    return;
  }
  if (w->stmt) {
    w->stmt(w, s);
  }
  tl_ast_walk_expr(w, s->expr);
  tl_ast_walk_expr(w, s->init);
  tl_ast_walk_expr(w, s->step);
  for (uint32_t i = 0; i < s->decls.count; i++) {
    tl_ast_walk_expr(w, s->decls.data[i]->init);
  }
  for (uint32_t i = 0; i < s->body.count; i++) {
    tl_ast_walk_stmt(w, s->body.data[i]);
  }
  tl_ast_walk_stmt(w, s->then_body);
  tl_ast_walk_stmt(w, s->else_body);
}
