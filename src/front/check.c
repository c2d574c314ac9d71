#include "front/check.h"

#include "front/check_priv.h"

/* ---- loops and switches ---- */

static void join_into(tl__check *c, tl__env *to, const tl__env *from) { *to = tl__env_join(c, to, from); }

static bool always(const tl_expr *condition) {
  int64_t value;
  return !condition || (tl_attr_integer(condition, &value) && value != 0);
}

static void evaluate(tl__check *c, const tl_expr *e) {
  if (e) {
    tl__check_expr(c, e, NULL);
  }
}

static void test(tl__check *c, const tl_stmt *s, tl__exit *exit) {
  evaluate(c, s->expr);
  if (!always(s->expr)) {
    join_into(c, &exit->out, &c->env);
  }
}

/* One iteration from what holds at its head; what holds behind it is in c->env, what leaves the loop in exit->out. */
static void iterate(tl__check *c, const tl_stmt *s, tl__exit *exit) {
  exit->out = exit->again = (tl__env){.is_reached = false};
  if (s->kind != TL_STMT_DO) {
    test(c, s, exit);
  }
  tl__check_stmt(c, s->then_body);
  join_into(c, &c->env, &exit->again);
  evaluate(c, s->step);
  if (s->kind == TL_STMT_DO) {
    test(c, s, exit);
  }
}

/* What holds at the head is what all iterations agree in: found in silence, then said once. */
static void check_loop(tl__check *c, const tl_stmt *s) {
  tl__exit exit = {.outer = c->exit};
  c->exit = &exit;
  for (bool is_settled = false; !is_settled;) {
    tl__env head = tl__env_copy(c, &c->env);
    c->silent++;
    iterate(c, s, &exit);
    c->silent--;
    tl__env joined = tl__env_join(c, &head, &c->env);
    is_settled = tl__env_equal(c, &head, &joined);
    c->env = is_settled ? head : joined;
  }
  if (!c->silent) {
    iterate(c, s, &exit);
  }
  c->env = exit.out;
  c->exit = exit.outer;
}

static void check_switch(tl__check *c, const tl_stmt *s) {
  evaluate(c, s->expr);
  tl__exit exit = {.outer = c->exit, .is_switch = true, .entry = tl__env_copy(c, &c->env)};
  c->exit = &exit;
  c->env.is_reached = false;
  tl__check_stmt(c, s->then_body);
  join_into(c, &c->env, &exit.out);
  if (!exit.has_default) {
    join_into(c, &c->env, &exit.entry);
  }
  c->exit = exit.outer;
}

static tl__exit *innermost(tl__check *c, bool is_switch) {
  tl__exit *exit = c->exit;
  while (exit && exit->is_switch != is_switch) {
    exit = exit->outer;
  }
  return exit;
}

static void leave(tl__check *c, tl__env *to) {
  join_into(c, to, &c->env);
  c->env.is_reached = false;
}

static void enter_case(tl__check *c, bool is_default) {
  tl__exit *exit = innermost(c, true);
  if (exit) {
    join_into(c, &c->env, &exit->entry);
    exit->has_default |= is_default;
  }
}

/* ---- statements ---- */

static void check_if(tl__check *c, const tl_stmt *s) {
  evaluate(c, s->expr);
  tl__env before = tl__env_copy(c, &c->env);
  tl__check_stmt(c, s->then_body);
  tl__env after = c->env;
  c->env = before;
  if (s->else_body) {
    tl__check_stmt(c, s->else_body);
  }
  join_into(c, &c->env, &after);
}

static void check_return(tl__check *c, const tl_stmt *s) {
  const tl_tensor_type *stated = tl__stated(c->function->stated, c->function->type->target);
  tl__slot slot = {stated, tl_arena_printf(&c->arena, "the result of '%s'", c->function->name), NULL, false};
  if (s->expr) {
    tl__check_expr(c, s->expr, stated && tl_ctype_is_tensor(c->function->type->target) ? &slot : NULL);
  }
  c->env.is_reached = false;
}

void tl__check_stmt(tl__check *c, const tl_stmt *s) {
  switch (s->kind) {
  case TL_STMT_NULL:
  case TL_STMT_UNSUPPORTED:
    return;
  case TL_STMT_EXPR:
    evaluate(c, s->expr);
    return;
  case TL_STMT_DECL:
    for (uint32_t i = 0; i < s->decls.count; i++) {
      tl__check_decl(c, s->decls.data[i]);
    }
    return;
  case TL_STMT_COMPOUND:
    for (uint32_t i = 0; i < s->body.count; i++) {
      tl__check_stmt(c, s->body.data[i]);
    }
    return;
  case TL_STMT_IF:
    check_if(c, s);
    return;
  case TL_STMT_FOR:
    for (uint32_t i = 0; i < s->decls.count; i++) {
      tl__check_decl(c, s->decls.data[i]);
    }
    evaluate(c, s->init);
    check_loop(c, s);
    return;
  case TL_STMT_WHILE:
  case TL_STMT_DO:
    check_loop(c, s);
    return;
  case TL_STMT_SWITCH:
    check_switch(c, s);
    return;
  case TL_STMT_CASE:
  case TL_STMT_DEFAULT:
    enter_case(c, s->kind == TL_STMT_DEFAULT);
    tl__check_stmt(c, s->then_body);
    return;
  case TL_STMT_BREAK:
    if (c->exit) {
      leave(c, &c->exit->out);
    }
    return;
  case TL_STMT_CONTINUE: {
    tl__exit *loop = innermost(c, false);
    if (loop) {
      leave(c, &loop->again);
    }
    return;
  }
  case TL_STMT_RETURN:
    check_return(c, s);
    return;
  case TL_STMT_GOTO:
    c->env.is_reached = false;
    return;
  case TL_STMT_LABEL: /* from anywhere in the function */
    c->env = (tl__env){.is_reached = true, .is_lost = true};
    tl__check_stmt(c, s->then_body);
    return;
  }
}

/* ---- functions ---- */

static void check_function(tl__check *c, const tl_function *f) {
  tl_arena_mark mark = tl_arena_get_mark(&c->arena);
  *c = (tl__check){.arena = c->arena,
                   .unit = c->unit,
                   .requests = c->requests,
                   .request_count = c->request_count,
                   .function = f,
                   .first_extent = TL_STATED_FIRST + c->unit->stated_names.count,
                   .env = {.is_reached = true}};
  tl__check_stmt(c, f->body);
  tl_arena_rewind(&c->arena, mark);
}

void tl_check_tensors(const tl_parse_result *parsed) {
  const tl_unit *unit = parsed->unit;
  if (!tl_unit_find(unit, "tl_from")) {
    return;
  }
  tl__check c = {.unit = unit, .requests = parsed->requests.data, .request_count = parsed->requests.count};
  tl_arena_init(&c.arena);
  for (uint32_t i = 0; i < unit->functions.count; i++) {
    if (unit->functions.data[i]->body) {
      check_function(&c, unit->functions.data[i]);
    }
  }
  tl_arena_deinit(&c.arena);
}
