#include <assert.h>
#include <string.h>

#include "front/lower_counter.h"

/* ---- carrying ---- */

typedef struct tl_carry {
  uint32_t slot, first, count; /* which of the loop's carries */
  tl_pointer *shape;           /* pointer slots */
  bool may_stay;               /* it refers to one object only, and some of its indices may not change */
} tl_carry;

typedef struct tl_attempt {
  const tl_loop_form *form;
  const tl_counting *counting; /* NULL: not counted */
  tl_decl_set assigned;
  tl_pointer **shapes; /* per slot; grows from one attempt to the next */
  uint64_t *moves;     /* per slot: the indices that change, as attempts found out that took them to stay */
  TL_VEC(tl_carry) carries;
  TL_VEC(tl_value) inits;
  TL_VEC(tl_value) yields;
  tl_env before;
  uint32_t outer_break, outer_continue;
  bool tried; /* what a pointer that was not set before comes to be is known */
  tl_op *op;
} tl_attempt;

static bool may_change(const tl_attempt *a, const tl_binding *b) {
  const tl_object *o = b->object;
  if (o->dead || o->kind == TL_OBJECT_GLOBAL || b->leaf->is_opaque) {
    return false;
  }
  if (a->counting && o->decl == a->counting->decl) {
    return false;
  }
  if (b->leaf->is_pointer && o->kind == TL_OBJECT_MEMORY && b->leaf->rank) {
    return false;
  }
  return o->escaped || tl__lower_set_has(&a->assigned, o->decl);
}

static void choose_carries(tl_lower *l, tl_attempt *a) {
  static const tl_pointer none;
  a->carries.count = a->inits.count = 0;
  TL_PUSH(l->arena, a->inits, tl_build_int(&l->b, TL_I32, 0)); /* carry 0: the pending exit */
  for (uint32_t s = 0; s < a->before.count; s++) {
    const tl_binding *b = &a->before.slots[s];
    if (!may_change(a, b)) {
      continue;
    }
    tl_carry c = {.slot = s, .first = a->inits.count};
    if (b->leaf->is_pointer) {
      const tl_pointer *now = b->pointer ? b->pointer : &none;
      c.shape = a->shapes[s] ? a->shapes[s] : tl__lower_pointer_shape(l, now, &none, UINT32_MAX);
      c.count = tl__lower_pointer_part_count(c.shape);
      c.may_stay = now->count == 1 && c.shape->count == 1 && !c.shape->table;
      tl_value *parts = TL_NEW_ARRAY(l->arena, tl_value, c.count + 1);
      tl__lower_pointer_parts(l, now, c.shape, parts);
      for (uint32_t i = 0; i < c.count; i++) {
        TL_PUSH(l->arena, a->inits, parts[i]);
      }
    } else {
      c.count = 1;
      TL_PUSH(l->arena, a->inits, b->value != TL_NO_VALUE ? b->value : tl_build_zero(&l->b, b->leaf->dtype));
    }
    TL_PUSH(l->arena, a->carries, c);
  }
}

/* Open in the tries of a loop around this one. */
static bool is_open(const tl_pointer *p) { return p && p->count == 1 && p->targets[0].tentative; }

/* Whether this attempt takes index k of a pointer to be what it was ahead of the loop: all but the last in
 * `for (p = m[i]; p < m[i] + 3; p++)`. The last mostly moves, but where the others do. */
static bool is_fixed(const tl_attempt *a, const tl_carry *c, uint32_t k) {
  uint64_t moves = a->moves[c->slot];
  return c->may_stay && !(moves >> k & 1) && (k + 1 < c->count || moves);
}

/* Binds the carried slots to values (a region's parameters after the iv, or the loop's results). */
static void bind(tl_lower *l, const tl_attempt *a, const tl_value *values) {
  for (uint32_t i = 0; i < a->carries.count; i++) {
    const tl_carry *c = &a->carries.data[i];
    if (c->may_stay) {
      tl_value *parts = TL_NEW_ARRAY(l->arena, tl_value, c->count + 1);
      for (uint32_t k = 0; k < c->count; k++) {
        parts[k] = is_fixed(a, c, k) ? a->inits.data[c->first + k] : values[c->first + k];
      }
      l->env.slots[c->slot].pointer = tl__lower_pointer_rebuild(l, c->shape, parts);
    } else if (c->shape) {
      bool open = !a->tried || is_open(a->before.slots[c->slot].pointer);
      l->env.slots[c->slot].pointer = c->shape->count ? tl__lower_pointer_rebuild(l, c->shape, values + c->first)
                                      : open          ? tl__lower_pointer_open(l)
                                                      : NULL;
    } else {
      l->env.slots[c->slot].value = values[c->first];
    }
  }
}

static void enter_region(tl_lower *l, tl_attempt *a, tl_region *r) {
  l->b.region = r;
  l->env = tl__lower_env_copy(l, &a->before);
  bind(l, a, r->params.data + 1);
  l->env.exit = (tl_exit){.stays = true};
  for (uint32_t i = 0; i < a->carries.count; i++) {
    const tl_carry *c = &a->carries.data[i];
    for (uint32_t k = 0; k < c->count; k++) {
      l->func->values.data[r->params.data[1 + c->first + k]].name =
          c->shape ? NULL : a->before.slots[c->slot].leaf->name;
    }
  }
  l->func->values.data[r->params.data[1]].name = "leave";
  if (a->counting) {
    const tl_object *o = tl__lower_decl_object(l, a->counting->decl, a->form->stmt->loc);
    tl_value i = tl__lower_int_cvt(l, a->counting->decl->type->dtype, r->params.data[0]);
    tl__lower_slot_write(l, &o->leaves[0], i);
  }
}

/* Leaves by `code` where not c. */
static void leave_unless(tl_lower *l, tl_value c, uint32_t code) {
  int64_t known;
  if (tl_is_const_int(l->func, c, &known)) {
    if (!known) {
      tl__lower_exit_set(l, code);
    }
    return;
  }
  tl_exit *e = &l->env.exit;
  e->value = tl_build_select(&l->b, c, tl_build_int(&l->b, TL_I32, 0), tl_build_int(&l->b, TL_I32, code));
  l->func->values.data[e->value].name = "leave";
  e->code = TL_EXIT_DYNAMIC;
  e->codes[code / 64] |= (uint64_t)1 << (code % 64);
}

static void step_and_test(tl_lower *l, const tl_attempt *a) {
  if (a->form->step && !a->counting) {
    tl__lower_effect(l, a->form->step);
  }
  if (a->form->test_last && a->form->cond) {
    tl_value c = tl__lower_condition(l, a->form->cond);
    leave_unless(l, c, l->break_code);
  }
}

/* The body, from the parameters to the state at its end, with the pending `continue` taken off. */
static void lower_body(tl_lower *l, tl_attempt *a, bool test_inside) {
  tl_branches br;
  bool guarded = false;
  l->b.loc = a->form->stmt->loc;
  if (test_inside) {
    tl_value c = tl__lower_condition(l, a->form->cond);
    int64_t known;
    if (!tl_is_const_int(l->func, c, &known)) {
      tl__lower_if_begin(l, c, &br);
      guarded = true;
    } else if (!known) {
      tl__lower_exit_set(l, l->break_code);
      return;
    }
  }
  if (a->form->head) {
    /* break and continue in it belong to the loop or switch around it */
    uint32_t mark = l->frame->labels.count, own_break = l->break_code, own_continue = l->continue_code;
    TL_PUSH(l->arena, l->frame->labels, (tl_label){a->form->head->label, own_continue});
    l->break_code = a->outer_break;
    l->continue_code = a->outer_continue;
    tl__lower_block_of_loop(l, a->form->body, a->form->body_count, a->form->head);
    l->break_code = own_break;
    l->continue_code = own_continue;
    l->frame->labels.count = mark;
  } else {
    tl__lower_block(l, a->form->body, a->form->body_count);
  }
  if (a->form->head && l->env.exit.stays && !tl__lower_exit_pending(&l->env.exit)) {
    tl__lower_exit_set(l, l->break_code);
  } else if (a->form->head && l->env.exit.stays) {
    tl_branches after;
    tl_value here = tl__lower_exit_here(l);
    tl__lower_if_begin(l, here, &after);
    tl__lower_exit_set(l, l->break_code);
    tl__lower_if_else(l, &after);
    tl__lower_exit_gone(l);
    tl__lower_if_end(l, &after);
  }
  tl__lower_exit_strip(l, l->continue_code);
  bool has_end = (a->form->step && !a->counting) || a->form->test_last;
  if (has_end && l->env.exit.stays) {
    if (tl__lower_exit_pending(&l->env.exit)) {
      tl_branches after;
      tl_value here = tl__lower_exit_here(l);
      tl__lower_if_begin(l, here, &after);
      l->env.exit = (tl_exit){.stays = true};
      step_and_test(l, a);
      tl__lower_if_else(l, &after);
      tl__lower_exit_gone(l);
      tl__lower_if_end(l, &after);
    } else {
      step_and_test(l, a);
    }
  }
  if (guarded) {
    tl__lower_if_else(l, &br);
    tl__lower_exit_set(l, l->break_code);
    tl__lower_if_end(l, &br);
  }
}

/* What the body yields; false where a pointer may come to refer to something that this attempt did not foresee. */
static bool collect_yields(tl_lower *l, tl_attempt *a) {
  static const tl_pointer none;
  bool fits = true;
  a->yields.count = 0;
  TL_PUSH(l->arena, a->yields, tl__lower_exit_value(l));
  for (uint32_t i = 0; i < a->carries.count; i++) {
    tl_carry *c = &a->carries.data[i];
    const tl_binding *b = &l->env.slots[c->slot];
    if (!c->shape) {
      TL_PUSH(l->arena, a->yields, b->value != TL_NO_VALUE ? b->value : a->inits.data[c->first]);
      continue;
    }
    const tl_pointer *now = b->pointer ? b->pointer : &none;
    tl_pointer *all = tl__lower_pointer_shape(l, c->shape, now, a->before.count);
    if (!tl__lower_pointer_same_shape(all, c->shape)) {
      a->shapes[c->slot] = all;
      fits = false;
      continue;
    }
    tl_value *parts = TL_NEW_ARRAY(l->arena, tl_value, c->count + 1);
    tl__lower_pointer_parts(l, now, c->shape, parts);
    uint64_t moves = 0;
    for (uint32_t k = 0; k < c->count; k++) {
      if (is_fixed(a, c, k) && !tl__lower_same_index(l->func, parts[k], a->inits.data[c->first + k])) {
        moves |= (uint64_t)1 << k;
        fits = false;
      }
      TL_PUSH(l->arena, a->yields, parts[k]);
    }
    a->moves[c->slot] |= moves;
  }
  return fits;
}

/* ---- dropping what does not change ---- */

typedef struct tl_renaming {
  tl_value base, end;
  tl_value *to; /* by id - base; TL_NO_VALUE: itself */
} tl_renaming;

static tl_value renamed(const tl_renaming *r, tl_value v) {
  return v >= r->base && v < r->end && r->to[v - r->base] != TL_NO_VALUE ? r->to[v - r->base] : v;
}

static void rename_region(const tl_renaming *r, tl_region *region) {
  for (uint32_t i = 0; i < region->ops.count; i++) {
    tl_op *op = region->ops.data[i];
    for (uint32_t k = 0; k < op->operand_count; k++) {
      op->operands[k] = renamed(r, op->operands[k]);
    }
    for (uint32_t k = 0; k < op->region_count; k++) {
      rename_region(r, op->regions[k]);
    }
  }
  for (uint32_t k = 0; k < region->yields.count; k++) {
    region->yields.data[k] = renamed(r, region->yields.data[k]);
  }
}

static void rename_types(tl_lower *l, const tl_renaming *r) {
  for (tl_value v = r->base; v < l->func->values.count; v++) {
    tl_type *t = &l->func->values.data[v].type;
    bool found = false;
    for (int k = 0; k < t->rank; k++) {
      found = found || renamed(r, t->extents[k].value) != t->extents[k].value;
    }
    if (found) {
      tl_extent *copy = TL_NEW_ARRAY(l->func->arena, tl_extent, t->rank);
      for (int k = 0; k < t->rank; k++) {
        copy[k] = t->extents[k];
        copy[k].value = renamed(r, copy[k].value);
      }
      t->extents = copy;
    }
  }
}

static void drop_param(tl_lower *l, tl_region *r, uint32_t i) {
  memmove(r->params.data + i, r->params.data + i + 1, sizeof *r->params.data * (r->params.count - i - 1));
  r->params.count--;
  for (uint32_t k = i; k < r->params.count; k++) {
    l->func->values.data[r->params.data[k]].index = k;
  }
}

/* Carries whose next value is their own are no carries. Leaves in `values`, per first carry, the init of a dropped one,
 * or TL_NO_VALUE. */
static void drop_unchanged(tl_lower *l, tl_attempt *a, bool exits, tl_value *values) {
  tl_op *op = a->op;
  tl_region *cond = tl_loop_cond(op), *body = tl_loop_body(op);
  uint32_t n = tl_loop_carries(op);
  tl_renaming r = {.base = cond->params.data[0], .end = body->params.data[n] + 1};
  r.to = TL_NEW_ARRAY(l->arena, tl_value, r.end - r.base + 1);
  for (uint32_t i = 0; i < n; i++) {
    tl_value mine = body->params.data[1 + i], next = body->yields.data[i], init = tl_loop_init(op, i);
    bool same = i == 0 ? !exits : next == mine || next == init;
    values[i] = same ? init : TL_NO_VALUE;
    if (same) {
      r.to[mine - r.base] = init;
      r.to[cond->params.data[1 + i] - r.base] = init;
    }
  }
  for (uint32_t i = n; i-- > 0;) {
    if (values[i] == TL_NO_VALUE) {
      continue;
    }
    drop_param(l, cond, 1 + i);
    drop_param(l, body, 1 + i);
    memmove(body->yields.data + i, body->yields.data + i + 1, sizeof *body->yields.data * (body->yields.count - i - 1));
    body->yields.count--;
    memmove(op->operands + 2 + i, op->operands + 3 + i, sizeof *op->operands * (op->operand_count - 3 - i));
    op->operand_count--;
  }
  rename_region(&r, cond);
  rename_region(&r, body);
  rename_types(l, &r);
}

/* ---- one attempt ---- */

typedef enum tl_attempt_result { LOOP_DONE, LOOP_AGAIN, LOOP_UNCOUNTED, LOOP_WIDER } tl_attempt_result;

static tl_value and_also(tl_lower *l, tl_value a, const tl_expr *e) {
  if (a == TL_NO_VALUE) {
    return tl__lower_condition(l, e);
  }
  if (tl__lower_scan_cheap(l, e)) {
    return tl_build_binary(&l->b, TL_OP_and, a, tl__lower_condition(l, e));
  }
  tl_branches br;
  tl__lower_if_begin(l, a, &br);
  tl_value yes = tl__lower_condition(l, e);
  tl__lower_if_else(l, &br);
  return tl__lower_if_end_value(l, &br, yes, tl_build_int(&l->b, TL_BOOL, 0));
}

static void lower_cond(tl_lower *l, tl_attempt *a, bool exits, bool test_inside) {
  tl_region *cond = tl_loop_cond(a->op);
  enter_region(l, a, cond);
  l->b.loc = a->form->stmt->loc;
  tl_value c = TL_NO_VALUE;
  if (exits) {
    c = tl_build_binary(&l->b, TL_OP_eq, cond->params.data[1], tl_build_int(&l->b, TL_I32, 0));
  }
  if (a->counting) {
    for (uint32_t i = 0; i < a->counting->rest_count; i++) {
      c = and_also(l, c, a->counting->rest[i]);
    }
  } else if (a->form->cond && !test_inside && !a->form->test_last) {
    int64_t v;
    if (!tl_expr_constant(a->form->cond, &v) || !v) {
      c = and_also(l, c, a->form->cond);
    }
  }
  if (c != TL_NO_VALUE) {
    TL_PUSH(l->func->arena, cond->yields, c);
  }
}

static bool is_invariant(const tl_attempt *a, uint32_t slot, const tl_value *dropped) {
  const tl_object *o = a->before.slots[slot].object;
  if (o->decl && o->decl == a->counting->decl) {
    return false;
  }
  for (uint32_t i = 0; i < a->carries.count; i++) {
    const tl_carry *c = &a->carries.data[i];
    if (c->slot == slot) {
      for (uint32_t k = 0; k < c->count; k++) {
        if (dropped[c->first + k] == TL_NO_VALUE) {
          return false;
        }
      }
    }
  }
  return true;
}

static tl_attempt_result attempt(tl_lower *l, tl_attempt *a) {
  const tl_counting *counting = a->counting;
  const tl_loop_form *form = a->form;
  a->before = tl__lower_env_copy(l, &l->env);
  tl_region *outer = l->b.region;
  uint32_t ops_mark = outer->ops.count, entry_mark = l->entry_ops, extents_mark = l->frame->extents.count;
  uint32_t break_code = l->break_code, continue_code = l->continue_code, code_mark = l->next_code;
  l->b.loc = form->stmt->loc;

  tl_slot_list log = {0};
  tl_value from = TL_NO_VALUE, lo, hi = TL_NO_VALUE;
  if (counting) {
    const tl_object *o = tl__lower_decl_object(l, counting->decl, form->stmt->loc);
    from = tl__lower_slot_read(l, &o->leaves[0]);
    lo = tl__lower_int_cvt(l, counting->iv, from);
    if (counting->down_first) {
      lo = tl__lower_int_op(l, TL_OP_sub, lo, tl_build_int(&l->b, counting->iv, 1));
    }
    tl_slot_list *outer_log = l->read_log;
    l->read_log = &log;
    hi = tl__lower_count_end(l, counting);
    l->read_log = outer_log;
  } else {
    lo = tl_build_int(&l->b, TL_I64, 0);
  }
  choose_carries(l, a);
  a->op = tl_build_loop(&l->b, lo, hi, counting ? counting->step : 1, counting ? counting->decl->name : NULL,
                        a->inits.count, a->inits.data);
  tl_region *body = tl_loop_body(a->op);
  bool infinite = !form->cond;
  int64_t known;
  infinite = infinite || (tl_expr_constant(form->cond, &known) && known && !form->test_last);
  bool test_inside = form->cond && !form->test_last && !counting && !tl__lower_scan_pure(form->cond);

  enter_region(l, a, body);
  a->outer_break = break_code;
  a->outer_continue = continue_code;
  l->break_code = tl__lower_code_create(l, form->stmt->loc);
  l->continue_code = tl__lower_code_create(l, form->stmt->loc);
  bool guessed = l->guessed;
  l->guessed = false;
  lower_body(l, a, test_inside);
  /* While tries still find what pointers may refer to, the others are open. What is guessed after that is open in a
   * loop around this one, which will try again. */
  bool settled = collect_yields(l, a), fits = settled && (a->tried || !l->guessed);
  a->tried = a->tried || settled;
  l->guessed = guessed || (fits && l->guessed);
  tl_exit exit = l->env.exit;
  bool exits = tl__lower_exit_pending(&exit);
  tl_attempt_result result = LOOP_AGAIN;
  uint32_t n = a->inits.count;
  tl_value *dropped = TL_NEW_ARRAY(l->arena, tl_value, n + 1);
  if (fits) {
    for (uint32_t i = 0; i < a->yields.count; i++) {
      TL_PUSH(l->func->arena, body->yields, a->yields.data[i]);
    }
    lower_cond(l, a, exits, test_inside);
    drop_unchanged(l, a, exits, dropped);
    result = LOOP_DONE;
    for (uint32_t i = 0; counting && i < log.slots.count; i++) {
      if (!is_invariant(a, log.slots.data[i], dropped)) {
        result = LOOP_UNCOUNTED;
      }
    }
    bool leaves = counting && (exits || counting->rest_count > 0);
    if (counting && !tl__lower_count_ends(l, counting, from, hi, leaves)) {
      result = LOOP_UNCOUNTED;
    } else if (leaves && tl__lower_count_widens(l, counting, hi)) {
      result = result == LOOP_DONE ? LOOP_WIDER : result;
    }
  }
  uint32_t own_break = l->break_code;
  l->b.region = outer;
  l->break_code = break_code;
  l->continue_code = continue_code;
  l->next_code = code_mark;
  l->frame->extents.count = extents_mark;
  l->env = tl__lower_env_copy(l, &a->before);
  if (result != LOOP_DONE) {
    outer->ops.count = ops_mark + (outer == l->func->body ? l->entry_ops - entry_mark : 0);
    return result;
  }

  l->b.loc = form->stmt->loc;
  tl_build_loop_results(&l->b, a->op);
  tl_value *values = TL_NEW_ARRAY(l->arena, tl_value, n + 1), next = a->op->first_result;
  for (uint32_t i = 0; i < n; i++) {
    values[i] = dropped[i] != TL_NO_VALUE ? dropped[i] : next++;
  }
  bind(l, a, values);
  for (uint32_t i = 0; i < a->carries.count; i++) {
    const tl_carry *c = &a->carries.data[i];
    if (!c->shape && dropped[c->first] == TL_NO_VALUE) {
      l->func->values.data[values[c->first]].name = a->before.slots[c->slot].leaf->name;
    } else if (!c->shape && a->before.slots[c->slot].value == TL_NO_VALUE) {
      l->env.slots[c->slot].value = TL_NO_VALUE;
    }
  }
  if (exits) {
    l->func->values.data[values[0]].name = "leave";
    exit.value = values[0];
    exit.code = TL_EXIT_DYNAMIC;
    exit.stays = !infinite;
    l->env.exit = exit;
  }
  if (counting) { /* where its variable stands after the loop */
    const tl_object *o = tl__lower_decl_object(l, counting->decl, form->stmt->loc);
    tl_value trips = tl_loop_trips(a->op);
    if (exits) {
      tl_value left = tl_build_binary(&l->b, TL_OP_ne, values[0], tl_build_int(&l->b, TL_I32, 0));
      trips = tl_build_binary(&l->b, TL_OP_sub, trips, tl_build_cvt(&l->b, TL_I64, left));
    }
    tl_value moved = tl__lower_int_op(l, TL_OP_mul, tl__lower_int_cvt(l, counting->iv, trips),
                                      tl_build_int(&l->b, counting->iv, counting->step));
    tl_value last = tl__lower_int_op(l, TL_OP_add, moved, lo);
    tl__lower_slot_write(l, &o->leaves[0], tl__lower_int_cvt(l, counting->decl->type->dtype, last));
  }
  tl__lower_exit_strip(l, own_break);
  return LOOP_DONE;
}

void tl__lower_loop(tl_lower *l, const tl_stmt *s) {
  uint32_t scope = tl__lower_scope_enter(l);
  if (s->kind == TL_STMT_FOR) {
    for (uint32_t i = 0; i < s->decls.count; i++) {
      tl__lower_local(l, s->decls.data[i]);
    }
    if (s->init) {
      tl__lower_effect(l, s->init);
    }
  }
  tl_stmt **one = TL_NEW_ARRAY(l->arena, tl_stmt *, 1);
  one[0] = s->then_body;
  bool compound = s->then_body && s->then_body->kind == TL_STMT_COMPOUND;
  tl_loop_form form = {.stmt = s,
                       .cond = s->expr,
                       .step = s->kind == TL_STMT_FOR ? s->step : NULL,
                       .body = compound ? s->then_body->body.data : one,
                       .body_count = compound       ? s->then_body->body.count
                                     : s->then_body ? 1
                                                    : 0,
                       .test_last = s->kind == TL_STMT_DO};
  tl_loop_form plain = form;
  tl_attempt a = {.form = &form};
  tl__lower_scan_assigned(l->arena, s->then_body, &a.assigned);
  tl__lower_scan_assigned_expr(l->arena, s->expr, &a.assigned);
  tl__lower_scan_assigned_expr(l->arena, s->step, &a.assigned);
  tl_counting counting;
  a.counting = tl__lower_counts(l, &form, &counting) ? &counting : NULL;
  a.shapes = TL_NEW_ARRAY(l->arena, tl_pointer *, l->env.count + 1);
  a.moves = TL_NEW_ARRAY(l->arena, uint64_t, l->env.count + 1);
  for (;;) {
    tl_attempt_result r = attempt(l, &a);
    if (r == LOOP_DONE) {
      break;
    }
    if (r == LOOP_UNCOUNTED) {
      a.counting = NULL;
      form = plain;
    } else if (r == LOOP_WIDER) {
      counting.iv = TL_I64;
    }
  }
  tl__lower_scope_leave(l, scope);
}

void tl__lower_goto_loop(tl_lower *l, tl_stmt *const *stmts, uint32_t count) {
  const tl_stmt *head = stmts[0];
  assert(head);
  for (const tl_stmt *s = head; s && s->kind == TL_STMT_LABEL; s = s->then_body) {
    for (uint32_t i = 0; i < count; i++) {
      head = tl__lower_scan_jumps(stmts[i], s->label) ? s : head;
    }
  }
  tl_loop_form form = {.stmt = stmts[0], .body = stmts, .body_count = count, .head = head};
  tl_attempt a = {.form = &form};
  for (uint32_t i = 0; i < count; i++) {
    tl__lower_scan_assigned(l->arena, stmts[i], &a.assigned);
  }
  a.shapes = TL_NEW_ARRAY(l->arena, tl_pointer *, l->env.count + 1);
  a.moves = TL_NEW_ARRAY(l->arena, uint64_t, l->env.count + 1);
  while (attempt(l, &a) != LOOP_DONE) {
  }
}
