/* Loops: those that run never or once, and carries that never change or that are equal. */
#include "transform/simplify.h"
#include "transform/transform.h"

/* Carries are parted into classes of such that provably hold the same value in every iteration. At first all with one
 * initial value are alike; then those part whose next values differ, until nothing parts any more. This is optimistic:
 * two carries that swap the same value are found to be one, and so are two sums of the same terms. */
typedef struct carry_classes {
  const tl_simplify *s;
  const tl_func *func;
  const tl_op *loop;
  uint32_t *leader; /* by carry: the first of its class */
  const struct carry_classes *outer;
  int *steps; /* how many pairs of values may still be compared */
} carry_classes;

enum { MOST_STEPS = 4096, MOST_STEPS_OF_NEXT = 64, DEEPEST_NEXT = 24 };

/* The carry of this loop that v is the body's parameter of, plus one. */
static uint32_t carry_of(const tl_func *f, const tl_op *loop, tl_value v) {
  const tl_value_info *info = tl_info(f, v);
  return !info->op && info->region == tl_loop_body(loop) ? info->index : 0;
}

static bool same_results(const carry_classes *c, const tl_op *inner, uint32_t i, uint32_t k, int depth);

/* Are a and b equal where carries of one class are? */
static bool same_next(const carry_classes *c, tl_value a, tl_value b, int depth) {
  if (tl__same_value(c->func, a, b)) {
    return true;
  }
  const tl_op *x = tl_def(c->func, a), *y = tl_def(c->func, b);
  if (!a || !b || depth > DEEPEST_NEXT || --*c->steps < 0) {
    return false;
  }
  if (!x || !y) {
    for (; c && !x && !y; c = c->outer) {
      uint32_t i = carry_of(c->func, c->loop, a), k = carry_of(c->func, c->loop, b);
      if (i && k) {
        return c->leader[i - 1] == c->leader[k - 1];
      }
    }
    return false;
  }
  const carry_classes *outermost = c;
  while (outermost->outer) {
    outermost = outermost->outer;
  }
  if (!tl__region_contains(tl_loop_body(outermost->loop), x->parent)) {
    return false;
  }
  if (x == y) {
    return same_results(c, x, a - x->first_result, b - x->first_result, depth);
  }
  if (x->code != y->code || x->operand_count != y->operand_count ||
      !(tl_op_table[x->code].elementwise || x->code == TL_OP_update || x->code == TL_OP_index) ||
      tl_type_of(c->func, a).dtype != tl_type_of(c->func, b).dtype) {
    return false;
  }
  for (uint32_t at = 0; at < x->operand_count; at++) {
    if (!same_next(c, x->operands[at], y->operands[at], depth + 1)) {
      return false;
    }
  }
  return true;
}

/* Whether nothing overwrites the array or makes it a version of something larger. */
static bool is_only_read(const tl_simplify *s, tl_value v) { return v < s->counted && !s->handed_on[v]; }

/* Two new arrays of one kind, which this loop fills and which are only read after it, may be one. */
static bool same_new_array(const carry_classes *c, uint32_t i, uint32_t k) {
  const tl_func *f = c->func;
  const tl_op *x = tl_def(f, tl_loop_init(c->loop, i)), *y = tl_def(f, tl_loop_init(c->loop, k));
  if (!x || !y || x->code != TL_OP_alloc || y->code != TL_OP_alloc || x->parent != y->parent ||
      x->u.flags != y->u.flags || !tl__simplify_is_only_use(c->s, x->first_result) ||
      !tl__simplify_is_only_use(c->s, y->first_result)) {
    return false;
  }
  tl_type a = tl_type_of(f, x->first_result), b = tl_type_of(f, y->first_result);
  bool same = a.dtype == b.dtype && a.rank == b.rank;
  for (int axis = 0; same && axis < a.rank; axis++) {
    same = a.extents[axis].value ? tl__same_value(f, a.extents[axis].value, b.extents[axis].value)
                                 : !b.extents[axis].value && a.extents[axis].fixed == b.extents[axis].fixed;
  }
  return same && is_only_read(c->s, tl_op_result(c->loop, i)) && is_only_read(c->s, tl_op_result(c->loop, k));
}

/* Whether two carries start alike: with one value, or, of a loop inside the loop in question, with values alike. */
static bool same_start(carry_classes *c, uint32_t i, uint32_t k) {
  tl_value a = tl_loop_init(c->loop, i), b = tl_loop_init(c->loop, k);
  return c->outer ? same_next(c->outer, a, b, 0) : tl__same_value(c->func, a, b) || same_new_array(c, i, k);
}

/* Each comparison of two next values has a share of the steps. */
static bool same_after(const carry_classes *c, tl_value a, tl_value b) {
  int share = *c->steps < MOST_STEPS_OF_NEXT ? *c->steps : MOST_STEPS_OF_NEXT, left = share;
  carry_classes mine = *c;
  mine.steps = &left;
  bool same = same_next(&mine, a, b, 0);
  *c->steps -= share - left;
  return same;
}

static void part_classes(carry_classes *c, tl_arena *scratch) {
  uint32_t n = tl_loop_carries(c->loop);
  const tl_value *next = tl_loop_body(c->loop)->yields.data;
  for (uint32_t i = 0; i < n; i++) {
    c->leader[i] = i;
    for (uint32_t k = 0; k < i; k++) {
      if (c->leader[k] == k && same_start(c, i, k)) {
        c->leader[i] = k;
        break;
      }
    }
  }
  uint32_t *parted = TL_NEW_ARRAY(scratch, uint32_t, n);
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = 0; i < n; i++) {
      parted[i] = i;
      for (uint32_t k = 0; k < i; k++) {
        if (parted[k] == k && c->leader[k] == c->leader[i] && same_after(c, next[k], next[i])) {
          parted[i] = k;
          break;
        }
      }
    }
    for (uint32_t i = 0; i < n; i++) {
      changed = changed || parted[i] != c->leader[i];
      c->leader[i] = parted[i];
    }
  }
}

/* Two results of one op in the loop. */
static bool same_results(const carry_classes *c, const tl_op *o, uint32_t i, uint32_t k, int depth) {
  if (o->code == TL_OP_if) {
    return same_next(c, o->regions[0]->yields.data[i], o->regions[0]->yields.data[k], depth + 1) &&
           same_next(c, o->regions[1]->yields.data[i], o->regions[1]->yields.data[k], depth + 1);
  }
  if (o->code != TL_OP_loop || i >= tl_loop_carries(o) || k >= tl_loop_carries(o)) {
    return false;
  }
  tl_arena *scratch = c->s->rw.scratch;
  tl_arena_mark mark = tl_arena_get_mark(scratch);
  carry_classes inner = {c->s, c->func, o, TL_NEW_ARRAY(scratch, uint32_t, tl_loop_carries(o)), c, c->steps};
  part_classes(&inner, scratch);
  bool same = inner.leader[i] == inner.leader[k];
  tl_arena_rewind(scratch, mark);
  return same;
}

/* Whether every carry of the class yields one of the class, or the initial value again. */
static bool class_is_constant(const carry_classes *c, uint32_t leader) {
  tl_value init = tl_loop_init(c->loop, leader);
  for (uint32_t i = leader; i < tl_loop_carries(c->loop); i++) {
    tl_value next = tl_loop_body(c->loop)->yields.data[i];
    uint32_t k = carry_of(c->func, c->loop, next);
    if (c->leader[i] == leader && !(k && c->leader[k - 1] == leader) && !tl__same_value(c->func, next, init)) {
      return false;
    }
  }
  return true;
}

void tl__simplify_replace_carry(tl_simplify *s, tl_op *loop, uint32_t i, tl_value cond, tl_value body,
                                tl_value result) {
  tl__simplify_set(s, tl_loop_cond(loop)->params.data[i + 1], cond);
  tl__simplify_set(s, tl_loop_body(loop)->params.data[i + 1], body);
  tl__simplify_set(s, loop->first_result + i, result);
}

static void simplify_carries(tl_simplify *s, tl_op *loop) {
  uint32_t n = tl_loop_carries(loop);
  if (!n) {
    return;
  }
  int steps = MOST_STEPS;
  carry_classes c = {s, s->rw.func, loop, TL_NEW_ARRAY(s->rw.scratch, uint32_t, n), NULL, &steps};
  part_classes(&c, s->rw.scratch);
  bool *keep = TL_NEW_ARRAY(s->rw.scratch, bool, n);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t k = c.leader[i];
    keep[i] = k == i;
    if (class_is_constant(&c, k)) {
      tl_value init = tl_loop_init(loop, k);
      tl__simplify_replace_carry(s, loop, i, init, init, init);
      keep[i] = false;
    } else if (k != i) {
      tl__simplify_replace_carry(s, loop, i, tl_loop_cond(loop)->params.data[k + 1],
                                 tl_loop_body(loop)->params.data[k + 1], loop->first_result + k);
    }
  }
  tl__loop_keep_carries(&s->rw, loop, keep);
}

static void replace_trips(tl_simplify *s, tl_region *into, tl_op *loop, int64_t trips) {
  if (!tl__rewrite_is_set(&s->rw, tl_loop_trips(loop))) {
    tl_builder b = {.func = s->rw.func, .region = into, .loc = loop->loc};
    tl__simplify_set(s, tl_loop_trips(loop), tl_build_int(&b, TL_I64, trips));
  }
}

/* A loop from 0 by 1 up to an unsigned bound runs as often as the bound says. */
static void name_trips(tl_simplify *s, tl_region *into, tl_op *loop) {
  tl_func *f = s->rw.func;
  int64_t lo, trips;
  if (tl__loop_const_trips(f, loop, &trips)) {
    replace_trips(s, into, loop, trips);
    return;
  }
  tl_value hi = tl_loop_hi(loop);
  if (tl_loop_is_counted(loop) && loop->u.step == 1 && tl_dtype_is_unsigned(tl_type_of(f, hi).dtype) &&
      tl_is_const_int(f, tl_loop_lo(loop), &lo) && lo == 0 && !tl__rewrite_is_set(&s->rw, tl_loop_trips(loop)) &&
      tl_loop_trips(loop) < s->counted && s->uses[tl_loop_trips(loop)]) {
    tl_builder b = {.func = f, .region = into, .loc = loop->loc, .peephole = tl__simplify_peephole};
    tl__simplify_set(s, tl_loop_trips(loop), tl_build_cvt(&b, TL_I64, hi));
  }
}

void tl__simplify_loop(tl_simplify *s, tl_region *into, tl_op *loop) {
  tl_func *f = s->rw.func;
  tl_region *cond = tl_loop_cond(loop), *body = tl_loop_body(loop);
  int64_t trips;
  bool known = tl__loop_const_trips(f, loop, &trips);
  if (known && trips == 0) {
    replace_trips(s, into, loop, 0);
    for (uint32_t i = 0; i < tl_loop_carries(loop); i++) {
      tl__simplify_set(s, loop->first_result + i, tl_loop_init(loop, i));
    }
    return;
  }
  if (known && trips == 1) {
    replace_trips(s, into, loop, 1);
    tl__simplify_set(s, body->params.data[0], tl_loop_lo(loop));
    for (uint32_t i = 0; i < tl_loop_carries(loop); i++) {
      tl__simplify_set(s, body->params.data[i + 1], tl_loop_init(loop, i));
    }
    tl__simplify_splice(s, into, body);
    for (uint32_t i = 0; i < tl_loop_carries(loop); i++) {
      tl__simplify_set(s, loop->first_result + i, body->yields.data[i]);
    }
    return;
  }
  tl__rewrite_yields(&s->rw, body);
  simplify_carries(s, loop);
  tl__simplify_region(s, cond);
  tl__simplify_region(s, body);
  int64_t holds;
  if (tl_loop_hi(loop) && cond->yields.count && tl_is_const_int(f, cond->yields.data[0], &holds) && holds) {
    cond->yields.count = 0;
    s->rw.changed = true;
  }
  simplify_carries(s, loop);
  tl__simplify_bound(s, into, loop);
  tl__region_append(f, into, loop);
  tl__simplify_overwritten(s, into, loop);
  tl__simplify_last_stores(s, loop);
  name_trips(s, into, loop);
  tl__simplify_inductions(s, into, loop);
}
