/* What a function's body reaches. */
#include "front.h"

typedef struct walk {
  tl_arena *arena;
  const tl_unit *unit;
  front_function_list *functions;
  front_expr_list *intrinsics;
} walk;

static void walk_expr(walk *w, const tl_expr *e);
static void walk_stmt(walk *w, const tl_stmt *s);

static void reach(walk *w, const tl_function *function) {
  for (uint32_t i = 0; i < w->functions->count; i++) {
    if (w->functions->data[i] == function) {
      return;
    }
  }
  TL_PUSH(w->arena, *w->functions, function);
  if (function->body) {
    walk_stmt(w, function->body);
  }
  const char *rules[] = {function->custom_vjp, function->custom_jvp};
  for (int i = 0; i < 2; i++) {
    const tl_function *rule = rules[i] ? tl_unit_find(w->unit, rules[i]) : NULL;
    if (rule) {
      reach(w, rule);
    }
  }
}

static void walk_expr(walk *w, const tl_expr *e) {
  if (!e) {
    return;
  }
  if (e->function) {
    reach(w, e->function);
  }
  if (e->kind == TL_EXPR_INTRINSIC) {
    TL_PUSH(w->arena, *w->intrinsics, e);
  }
  walk_expr(w, e->a);
  walk_expr(w, e->b);
  walk_expr(w, e->c);
  for (uint32_t i = 0; i < e->args.count; i++) {
    walk_expr(w, e->args.data[i]);
  }
  if (e->body) {
    walk_stmt(w, e->body);
  }
}

static void walk_stmt(walk *w, const tl_stmt *s) {
  if (!s) {
    return;
  }
  walk_expr(w, s->expr);
  walk_expr(w, s->init);
  walk_expr(w, s->step);
  for (uint32_t i = 0; i < s->decls.count; i++) {
    walk_expr(w, s->decls.data[i]->init);
  }
  for (uint32_t i = 0; i < s->body.count; i++) {
    walk_stmt(w, s->body.data[i]);
  }
  walk_stmt(w, s->then_body);
  walk_stmt(w, s->else_body);
}

void front_reach(front *f, const tl_function *function, front_function_list *out_functions,
                 front_expr_list *out_intrinsics) {
  walk w = {f->arena, f->parse.unit, out_functions, out_intrinsics};
  reach(&w, function);
}
