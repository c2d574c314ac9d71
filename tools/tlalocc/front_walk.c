/* What a function's body reaches. */
#include "front.h"

typedef struct reached {
  tl_arena *arena;
  const tl_unit *unit;
  front_function_list *functions;
  front_expr_list *intrinsics;
} reached;

static void reach(tl_ast_walk *w, const tl_function *function) {
  const reached *r = w->ctx;
  for (uint32_t i = 0; i < r->functions->count; i++) {
    if (r->functions->data[i] == function) {
      return;
    }
  }
  TL_PUSH(r->arena, *r->functions, function);
  tl_ast_walk_stmt(w, function->body);
  const char *rules[] = {function->custom_vjp, function->custom_jvp};
  for (int i = 0; i < 2; i++) {
    const tl_function *rule = rules[i] ? tl_unit_find(r->unit, rules[i]) : NULL;
    if (rule) {
      reach(w, rule);
    }
  }
}

static void visit(tl_ast_walk *w, const tl_expr *e) {
  const reached *r = w->ctx;
  if (e->function) {
    reach(w, e->function);
  }
  if (e->kind == TL_EXPR_INTRINSIC) {
    TL_PUSH(r->arena, *r->intrinsics, e);
  }
}

void front_reach(front *f, const tl_function *function, front_function_list *out_functions,
                 front_expr_list *out_intrinsics) {
  reached r = {f->arena, f->parse.unit, out_functions, out_intrinsics};
  tl_ast_walk w = {.expr = visit, .ctx = &r};
  reach(&w, function);
}
