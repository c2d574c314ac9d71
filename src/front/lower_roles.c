#include <string.h>

#include "front/lower_priv.h"

/* Which parameters are outputs: memory that every path writes in full before it reads it.
 *
 * Each version of a parameter's array has a coverage: boxes of elements that are surely written. A box is an interval
 * per axis whose bounds are a value plus a constant. An update adds a box of one element; a branch keeps what both
 * sides cover; a counted loop that surely runs through turns [iv, iv+1) into the whole range, and while it runs, what
 * earlier iterations wrote is covered up to iv. Where control leaves early an integer says how: for versions that come
 * together with such an integer, the coverage is kept for each of its values, and a branch on the integer brings it
 * back. Whatever all this does not see makes an in-out of the parameter. */

typedef struct tl_bound {
  tl_value v; /* TL_NO_VALUE: 0 */
  int64_t c;
} tl_bound;

typedef struct tl_box {
  tl_bound lo[TL_MAX_RANK], hi[TL_MAX_RANK];
} tl_box;

typedef struct tl_coverage {
  TL_VEC(tl_box) boxes;
} tl_coverage;

/* Where integer `exit` is `code`, version `array` covers this. */
typedef struct tl_exit_case {
  tl_value array, exit;
  int64_t code;
  tl_coverage *coverage;
} tl_exit_case;

typedef struct tl_cover {
  const tl_func *f;
  tl_arena *arena;
  tl_coverage **of; /* by value; NULL: not a version of the array */
  int rank;
  tl_box whole;
  bool has_whole; /* every extent is known */
  bool checks, failed;
  TL_VEC(tl_exit_case) cases;
} tl_cover;

static bool same_bound(const tl_func *f, tl_bound a, tl_bound b) {
  return a.c == b.c && tl__lower_same_value(f, a.v, b.v);
}

/* v as value + constant. */
static tl_bound bound_of(const tl_func *f, tl_value v) {
  int64_t c;
  if (tl_is_const_int(f, v, &c)) {
    return (tl_bound){TL_NO_VALUE, c};
  }
  const tl_op *op = tl_def(f, v);
  if (tl__lower_keeps_value(f, op)) {
    return bound_of(f, op->operands[0]);
  }
  if (op && (op->code == TL_OP_add || op->code == TL_OP_sub)) {
    if (tl_is_const_int(f, op->operands[1], &c)) {
      tl_bound b = bound_of(f, op->operands[0]);
      return (tl_bound){b.v, op->code == TL_OP_add ? b.c + c : b.c - c};
    }
    if (op->code == TL_OP_add && tl_is_const_int(f, op->operands[0], &c)) {
      tl_bound b = bound_of(f, op->operands[1]);
      return (tl_bound){b.v, b.c + c};
    }
  }
  return (tl_bound){v, 0};
}

/* The counted loop of step 1 or -1 whose induction variable v is. */
static const tl_op *loop_of(const tl_func *f, tl_value v) {
  const tl_value_info *info = v != TL_NO_VALUE ? tl_info(f, v) : NULL;
  if (!info || info->op || !info->region->parent || info->index) {
    return NULL;
  }
  const tl_op *op = info->region->parent;
  bool counted = op->code == TL_OP_loop && tl_loop_hi(op) != TL_NO_VALUE && (op->u.step == 1 || op->u.step == -1);
  return counted ? op : NULL;
}

/* a <= b for sure. An induction variable lies between its loop's bounds. */
static bool at_most(const tl_func *f, tl_bound a, tl_bound b, int depth) {
  if (tl__lower_same_value(f, a.v, b.v)) {
    return a.c <= b.c;
  }
  if (!depth) {
    return false;
  }
  const tl_op *loop = loop_of(f, a.v);
  if (loop) {
    tl_bound most = bound_of(f, loop->u.step > 0 ? tl_loop_hi(loop) : tl_loop_lo(loop));
    most.c += a.c - (loop->u.step > 0);
    if (at_most(f, most, b, depth - 1)) {
      return true;
    }
  }
  loop = loop_of(f, b.v);
  if (loop) {
    tl_bound least = bound_of(f, loop->u.step > 0 ? tl_loop_lo(loop) : tl_loop_hi(loop));
    least.c += b.c + (loop->u.step < 0);
    return at_most(f, a, least, depth - 1);
  }
  return a.v == TL_NO_VALUE && b.v != TL_NO_VALUE && tl_dtype_is_unsigned(tl_type_of(f, b.v).dtype) && a.c <= b.c;
}

static bool contains(const tl_cover *c, const tl_box *outer, const tl_box *inner) {
  for (int k = 0; k < c->rank; k++) {
    if (!at_most(c->f, outer->lo[k], inner->lo[k], 6) || !at_most(c->f, inner->hi[k], outer->hi[k], 6)) {
      return false;
    }
  }
  return true;
}

static bool covers(const tl_cover *c, const tl_coverage *cov, const tl_box *box) {
  for (uint32_t i = 0; i < cov->boxes.count; i++) {
    if (contains(c, &cov->boxes.data[i], box)) {
      return true;
    }
  }
  return false;
}

/* Adds a box, joined with those that it continues along one axis. */
static void add_box(tl_cover *c, tl_coverage *cov, tl_box box) {
  for (bool joined = true; joined;) {
    joined = false;
    for (uint32_t i = 0; i < cov->boxes.count && !joined; i++) {
      tl_box *other = &cov->boxes.data[i];
      if (contains(c, other, &box)) {
        return;
      }
      int differ = -1, count = 0;
      for (int k = 0; k < c->rank; k++) {
        if (!same_bound(c->f, other->lo[k], box.lo[k]) || !same_bound(c->f, other->hi[k], box.hi[k])) {
          differ = k;
          count++;
        }
      }
      bool meets = count == 1 && (same_bound(c->f, other->hi[differ], box.lo[differ]) ||
                                  same_bound(c->f, box.hi[differ], other->lo[differ]));
      if (meets) {
        bool first = same_bound(c->f, other->hi[differ], box.lo[differ]);
        box.lo[differ] = first ? other->lo[differ] : box.lo[differ];
        box.hi[differ] = first ? box.hi[differ] : other->hi[differ];
        *other = cov->boxes.data[--cov->boxes.count];
        joined = true;
      }
    }
  }
  TL_PUSH(c->arena, cov->boxes, box);
}

static tl_coverage *coverage_copy(tl_cover *c, const tl_coverage *from) {
  tl_coverage *cov = TL_NEW(c->arena, tl_coverage);
  for (uint32_t i = 0; i < from->boxes.count; i++) {
    TL_PUSH(c->arena, cov->boxes, from->boxes.data[i]);
  }
  return cov;
}

static tl_coverage *full(tl_cover *c) {
  tl_coverage *cov = TL_NEW(c->arena, tl_coverage);
  if (c->has_whole) {
    TL_PUSH(c->arena, cov->boxes, c->whole);
  }
  return cov;
}

static bool is_full(const tl_cover *c, const tl_coverage *cov) { return c->has_whole && covers(c, cov, &c->whole); }

static tl_box element_box(const tl_cover *c, const tl_value *index) {
  tl_box box = {0};
  for (int k = 0; k < c->rank; k++) {
    box.lo[k] = bound_of(c->f, index[k]);
    box.hi[k] = box.lo[k];
    box.hi[k].c++;
  }
  return box;
}

/* What both cover. A value that is no version of the array replaces it whole. */
static tl_coverage *meet(tl_cover *c, const tl_coverage *a, const tl_coverage *b) {
  if (!a || !b) {
    return a ? coverage_copy(c, a) : b ? coverage_copy(c, b) : full(c);
  }
  tl_coverage *cov = TL_NEW(c->arena, tl_coverage);
  for (uint32_t i = 0; i < a->boxes.count; i++) {
    if (covers(c, b, &a->boxes.data[i])) {
      add_box(c, cov, a->boxes.data[i]);
    }
  }
  for (uint32_t i = 0; i < b->boxes.count; i++) {
    if (covers(c, a, &b->boxes.data[i])) {
      add_box(c, cov, b->boxes.data[i]);
    }
  }
  return cov;
}

static bool defined_in(const tl_func *f, tl_value v, const tl_op *loop) {
  if (v == TL_NO_VALUE) {
    return false;
  }
  for (const tl_region *r = tl_info(f, v)->region; r; r = r->parent ? r->parent->parent : NULL) {
    if (r->parent == loop) {
      return true;
    }
  }
  return false;
}

/* A box that the body wrote at `iv`, over the iterations from lo up to (not including) iv, or over them all. False
 * where it depends on something else that the body computes. */
static bool over_iterations(const tl_cover *c, const tl_op *loop, tl_value iv, bool all, tl_box *box) {
  int along = -1;
  for (int k = 0; k < c->rank; k++) {
    if (box->lo[k].v == iv && box->hi[k].v == iv && box->hi[k].c == box->lo[k].c + 1 && along < 0) {
      along = k;
    } else if (defined_in(c->f, box->lo[k].v, loop) || defined_in(c->f, box->hi[k].v, loop)) {
      return false;
    }
  }
  if (along < 0) {
    return false;
  }
  int64_t at = box->lo[along].c;
  tl_bound lo = bound_of(c->f, tl_loop_lo(loop)), hi = bound_of(c->f, tl_loop_hi(loop)), now = {iv, 0};
  if (loop->u.step > 0) {
    hi = all ? hi : now;
  } else {
    tl_bound first = lo;
    lo = all ? hi : now;
    lo.c++;
    hi = first;
    hi.c++;
  }
  box->lo[along] = (tl_bound){lo.v, lo.c + at};
  box->hi[along] = (tl_bound){hi.v, hi.c + at};
  return true;
}

static void walk(tl_cover *c, const tl_region *r);

static tl_coverage *yield_coverage(tl_cover *c, const tl_region *r, uint32_t i) { return c->of[r->yields.data[i]]; }

/* ---- early exits ---- */

static void set_case(tl_cover *c, tl_value array, tl_value exit, int64_t code, tl_coverage *cov, bool replaces) {
  for (uint32_t i = 0; i < c->cases.count; i++) {
    tl_exit_case *k = &c->cases.data[i];
    if (k->array == array && k->exit == exit && k->code == code) {
      k->coverage = replaces ? cov : meet(c, k->coverage, cov);
      return;
    }
  }
  TL_PUSH(c->arena, c->cases, (tl_exit_case){array, exit, code, cov});
}

static bool has_cases(const tl_cover *c, tl_value array, tl_value exit) {
  for (uint32_t i = 0; i < c->cases.count; i++) {
    if (c->cases.data[i].array == array && c->cases.data[i].exit == exit) {
      return true;
    }
  }
  return false;
}

static void drop_cases(tl_cover *c, tl_value array, tl_value exit) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < c->cases.count; i++) {
    if (c->cases.data[i].array != array || c->cases.data[i].exit != exit) {
      c->cases.data[n++] = c->cases.data[i];
    }
  }
  c->cases.count = n;
}

/* One case per value that the exit may have, the array being `cov` whichever it is. */
static bool add_codes(tl_cover *c, tl_value array, tl_value exit, tl_value e, tl_coverage *cov, int depth) {
  int64_t code;
  if (tl_is_const_int(c->f, e, &code)) {
    set_case(c, array, exit, code, cov ? cov : full(c), false);
    return true;
  }
  const tl_op *op = tl_def(c->f, e);
  if (!op || op->code != TL_OP_if || !depth) {
    return false;
  }
  uint32_t i = tl_info(c->f, e)->index;
  return add_codes(c, array, exit, op->regions[0]->yields.data[i], cov, depth - 1) &&
         add_codes(c, array, exit, op->regions[1]->yields.data[i], cov, depth - 1);
}

/* Adds the cases of one way in which (array, exit) come to be: as the values (a, e), a covering `cov`. */
static bool add_cases(tl_cover *c, tl_value array, tl_value exit, tl_value a, tl_value e, tl_coverage *cov) {
  int64_t code;
  if (tl_is_const_int(c->f, e, &code)) {
    set_case(c, array, exit, code, cov ? cov : full(c), false);
    return true;
  }
  bool found = false;
  uint32_t n = c->cases.count;
  for (uint32_t i = 0; i < n; i++) {
    tl_exit_case k = c->cases.data[i];
    if (k.array == a && k.exit == e) {
      set_case(c, array, exit, k.code, k.coverage, false);
      found = true;
    }
  }
  return found || add_codes(c, array, exit, e, cov, 16);
}

static bool is_exit(const tl_cover *c, tl_value v) {
  tl_type t = tl_type_of(c->f, v);
  return !t.is_array && t.dtype == TL_I32;
}

typedef struct tl_saved_coverage {
  tl_value array;
  tl_coverage *coverage;
} tl_saved_coverage;

typedef struct tl_saved {
  TL_VEC(tl_saved_coverage) list;
} tl_saved;

/* What the condition says in one branch of an `if` about versions that have cases. */
static void assume(tl_cover *c, tl_value condition, bool holds, tl_saved *saved) {
  const tl_op *op = tl_def(c->f, condition);
  int64_t code;
  if (!op || (op->code != TL_OP_eq && op->code != TL_OP_ne) || !tl_is_const_int(c->f, op->operands[1], &code)) {
    return;
  }
  bool equal = holds == (op->code == TL_OP_eq);
  uint32_t n = c->cases.count;
  for (uint32_t i = 0; i < n; i++) {
    tl_exit_case k = c->cases.data[i];
    bool fits = k.exit == op->operands[0] && (k.code == code) == equal;
    if (!fits) {
      continue;
    }
    bool again = false;
    for (uint32_t j = 0; j < saved->list.count; j++) {
      again = again || saved->list.data[j].array == k.array;
    }
    if (!again) {
      TL_PUSH(c->arena, saved->list, (tl_saved_coverage){k.array, c->of[k.array]});
    }
    c->of[k.array] = again ? meet(c, c->of[k.array], k.coverage) : k.coverage;
  }
}

/* A condition's value where every pointer parameter is set: a call without one writes nothing there. */
static bool known_condition(const tl_func *f, tl_value v, int64_t *out, int depth) {
  if (tl_is_const_int(f, v, out)) {
    return true;
  }
  const tl_op *op = tl_def(f, v);
  int64_t a, b;
  if (!op || !depth) {
    return false;
  }
  if (op->code == TL_OP_extern && !strcmp(op->callee, TL_NULL_TEST)) {
    *out = 1;
    return true;
  }
  bool logic = op->code == TL_OP_and || op->code == TL_OP_or;
  if ((logic && tl_type_of(f, v).dtype == TL_BOOL) || op->code == TL_OP_eq || op->code == TL_OP_ne) {
    bool p = known_condition(f, op->operands[0], &a, depth - 1), q = known_condition(f, op->operands[1], &b, depth - 1);
    if (logic && ((p && (a != 0) == (op->code == TL_OP_or)) || (q && (b != 0) == (op->code == TL_OP_or)))) {
      *out = op->code == TL_OP_or;
      return true;
    }
    *out = op->code == TL_OP_and ? a && b : op->code == TL_OP_or ? a || b : op->code == TL_OP_eq ? a == b : a != b;
    return p && q;
  }
  if (op->code == TL_OP_not && known_condition(f, op->operands[0], &a, depth - 1)) {
    *out = !a;
    return true;
  }
  if (op->code == TL_OP_if && known_condition(f, op->operands[0], &a, depth - 1)) { /* a && b, a || b */
    return known_condition(f, op->regions[a ? 0 : 1]->yields.data[tl_info(f, v)->index], out, depth - 1);
  }
  return false;
}

static void walk_if(tl_cover *c, const tl_op *op) {
  int64_t holds;
  if (known_condition(c->f, op->operands[0], &holds, 16)) {
    const tl_region *r = op->regions[holds ? 0 : 1];
    walk(c, r);
    for (uint32_t i = 0; i < op->result_count; i++) {
      c->of[op->first_result + i] = yield_coverage(c, r, i);
      for (uint32_t k = 0; c->of[op->first_result + i] && k < op->result_count; k++) {
        tl_value exit = op->first_result + k;
        drop_cases(c, op->first_result + i, exit);
        if (is_exit(c, exit) && !add_cases(c, op->first_result + i, exit, r->yields.data[i], r->yields.data[k],
                                           c->of[op->first_result + i])) {
          drop_cases(c, op->first_result + i, exit);
        }
      }
    }
    return;
  }
  uint32_t n = op->result_count;
  tl_coverage **ends = TL_NEW_ARRAY(c->arena, tl_coverage *, 2 * n + 1);
  for (uint32_t side = 0; side < 2; side++) {
    tl_saved saved = {0};
    assume(c, op->operands[0], side == 0, &saved);
    walk(c, op->regions[side]);
    for (uint32_t i = 0; i < n; i++) {
      ends[side * n + i] = yield_coverage(c, op->regions[side], i);
    }
    for (uint32_t i = 0; i < saved.list.count; i++) {
      c->of[saved.list.data[i].array] = saved.list.data[i].coverage;
    }
  }
  for (uint32_t i = 0; i < n; i++) {
    tl_value array = op->first_result + i;
    if (!ends[i] && !ends[n + i]) {
      continue;
    }
    c->of[array] = meet(c, ends[i], ends[n + i]);
    for (uint32_t k = 0; k < n; k++) {
      tl_value exit = op->first_result + k;
      if (!is_exit(c, exit)) {
        continue;
      }
      drop_cases(c, array, exit);
      bool known = true;
      for (uint32_t side = 0; side < 2 && known; side++) {
        const tl_region *r = op->regions[side];
        known = add_cases(c, array, exit, r->yields.data[i], r->yields.data[k], ends[side * n + i]);
      }
      if (!known) {
        drop_cases(c, array, exit);
      }
    }
  }
}

/* The loop's condition is that this carry has its first value. */
static bool tests_only(const tl_cover *c, const tl_op *loop, uint32_t carry, int64_t first) {
  const tl_region *cond = tl_loop_cond(loop);
  const tl_op *op = cond->yields.count == 1 ? tl_def(c->f, cond->yields.data[0]) : NULL;
  int64_t code;
  return op && op->code == TL_OP_eq && op->operands[0] == cond->params.data[1 + carry] &&
         tl_is_const_int(c->f, op->operands[1], &code) && code == first;
}

/* The carry that says how the loop was left, if there is one with cases for the array: its number, or the carries'
 * count. */
static uint32_t exit_carry(tl_cover *c, const tl_op *loop, uint32_t carried, int64_t *out_first) {
  const tl_region *body = tl_loop_body(loop);
  uint32_t n = tl_loop_carries(loop);
  for (uint32_t i = 0; i < n; i++) {
    bool fits = is_exit(c, tl_loop_init(loop, i)) && tl_is_const_int(c->f, tl_loop_init(loop, i), out_first) &&
                has_cases(c, body->yields.data[carried], body->yields.data[i]);
    if (fits) {
      return i;
    }
  }
  return n;
}

/* One carry of a loop that is the array. */
static void walk_loop(tl_cover *c, const tl_op *op) {
  const tl_region *cond = tl_loop_cond(op), *body = tl_loop_body(op);
  uint32_t n = tl_loop_carries(op), carried = n;
  for (uint32_t i = 0; i < n; i++) {
    if (c->of[tl_loop_init(op, i)]) {
      carried = i;
    }
  }
  if (carried == n) { /* not carried: reads of it only */
    walk(c, cond);
    walk(c, body);
    return;
  }
  tl_coverage *before = c->of[tl_loop_init(op, carried)];
  tl_value iv = body->params.data[0], mine = body->params.data[1 + carried], result = op->first_result + carried;
  bool counted = loop_of(c->f, iv) != NULL, checks = c->checks;
  c->of[mine] = coverage_copy(c, before);
  c->checks = false;
  walk(c, body);
  c->checks = checks;
  const tl_coverage *end = yield_coverage(c, body, carried);
  int64_t first;
  uint32_t leaves = end ? exit_carry(c, op, carried, &first) : n;
  tl_value next = body->yields.data[carried], how = leaves < n ? body->yields.data[leaves] : TL_NO_VALUE;
  for (uint32_t i = 0; leaves < n && i < c->cases.count; i++) { /* iterations that go on */
    const tl_exit_case *k = &c->cases.data[i];
    end = k->array == next && k->exit == how && k->code == first ? k->coverage : end;
  }
  tl_coverage *start = coverage_copy(c, before), *after = coverage_copy(c, before), *through = coverage_copy(c, before);
  for (uint32_t i = 0; end && counted && i < end->boxes.count; i++) {
    tl_box prefix = end->boxes.data[i], all = prefix;
    if (over_iterations(c, op, iv, false, &prefix)) {
      add_box(c, start, prefix);
    }
    if (over_iterations(c, op, iv, true, &all)) {
      add_box(c, through, all);
    }
  }
  if (leaves < n) { /* by what it left for: what the last iteration wrote, or all of them together */
    tl_value exit = op->first_result + leaves;
    uint32_t count = c->cases.count;
    drop_cases(c, result, exit);
    set_case(c, result, exit, first, tests_only(c, op, leaves, first) ? through : coverage_copy(c, before), true);
    for (uint32_t i = 0; i < count && i < c->cases.count; i++) {
      tl_exit_case k = c->cases.data[i];
      if (k.array != next || k.exit != how || k.code == first) {
        continue;
      }
      tl_coverage *left = coverage_copy(c, before);
      for (uint32_t j = 0; j < k.coverage->boxes.count; j++) {
        tl_box box = k.coverage->boxes.data[j];
        bool outlives = true;
        for (int axis = 0; axis < c->rank; axis++) {
          outlives = outlives && !defined_in(c->f, box.lo[axis].v, op) && !defined_in(c->f, box.hi[axis].v, op);
        }
        if (outlives) {
          add_box(c, left, box);
        }
      }
      set_case(c, result, exit, k.code, left, true);
    }
  }
  if (!cond->yields.count) {
    after = through;
  } else if (leaves < n) { /* however it was left */
    tl_coverage *all = NULL;
    for (uint32_t i = 0; i < c->cases.count; i++) {
      const tl_exit_case *k = &c->cases.data[i];
      if (k->array == result && k->exit == op->first_result + leaves) {
        all = all ? meet(c, all, k->coverage) : k->coverage;
      }
    }
    after = all;
  }
  if (checks) {
    c->of[mine] = start;
    c->of[cond->params.data[1 + carried]] = coverage_copy(c, before);
    walk(c, cond);
    walk(c, body);
  }
  c->of[result] = after;
}

static void require_full(tl_cover *c, tl_value v) {
  if (c->of[v] && c->checks && !is_full(c, c->of[v])) {
    c->failed = true;
  }
}

static void walk_op(tl_cover *c, const tl_op *op) {
  if (op->code == TL_OP_loop) {
    walk_loop(c, op);
    return;
  }
  if (op->code == TL_OP_if) {
    walk_if(c, op);
    return;
  }
  if (!op->operand_count || !c->of[op->operands[0]]) {
    for (uint32_t i = 0; i < op->operand_count; i++) {
      if (op->operands[i] != TL_NO_VALUE) {
        require_full(c, op->operands[i]);
      }
    }
    if (op->code == TL_OP_call) {
      for (uint32_t i = 0; i < op->operand_count; i++) {
        for (uint32_t k = 0; c->of[op->operands[i]] && k < op->result_count; k++) {
          if (tl_type_equal(tl_type_of(c->f, op->first_result + k), tl_type_of(c->f, op->operands[i]))) {
            c->of[op->first_result + k] = full(c);
          }
        }
      }
    }
    return;
  }
  const tl_coverage *cov = c->of[op->operands[0]];
  if (op->code == TL_OP_index) {
    tl_box box = element_box(c, op->operands + 1);
    if (c->checks && !covers(c, cov, &box) && !is_full(c, cov)) { /* an index lies within the extents */
      c->failed = true;
    }
  } else if (op->code == TL_OP_update) {
    tl_coverage *next = coverage_copy(c, cov);
    add_box(c, next, element_box(c, op->operands + 1));
    c->of[op->first_result] = next;
  } else if (op->code == TL_OP_fill) {
    c->of[op->first_result] = full(c);
  } else {
    require_full(c, op->operands[0]);
    for (uint32_t i = 0; op->code != TL_OP_clone && i < op->result_count; i++) {
      if (tl_type_equal(tl_type_of(c->f, op->first_result + i), tl_type_of(c->f, op->operands[0]))) {
        c->of[op->first_result + i] = full(c);
      }
    }
  }
}

static void walk(tl_cover *c, const tl_region *r) {
  for (uint32_t i = 0; i < r->ops.count; i++) {
    walk_op(c, r->ops.data[i]);
  }
}

/* Whether the parameter leaf's final content is written in full, and never read before. */
static bool is_output(tl_func *f, uint32_t param, tl_value final) {
  tl_value v = f->params.data[param].value;
  tl_type type = tl_type_of(f, v);
  tl_cover c = {.f = f, .arena = f->arena, .rank = type.rank, .has_whole = true, .checks = true};
  for (int k = 0; k < type.rank; k++) {
    tl_extent e = type.extents[k];
    c.has_whole = c.has_whole && (e.value != TL_NO_VALUE || e.fixed >= 0);
    c.whole.lo[k] = (tl_bound){TL_NO_VALUE, 0};
    c.whole.hi[k] = e.value != TL_NO_VALUE ? bound_of(f, e.value) : (tl_bound){TL_NO_VALUE, e.fixed};
  }
  if (!c.has_whole) {
    return false;
  }
  c.of = TL_NEW_ARRAY(f->arena, tl_coverage *, f->values.count);
  c.of[v] = TL_NEW(f->arena, tl_coverage);
  walk(&c, f->body);
  return !c.failed && (!c.of[final] || is_full(&c, c.of[final]));
}

void tl__lower_roles(tl_func *f, const bool *inout) {
  for (uint32_t p = 0; p < f->cparams.count; p++) {
    tl_cparam *cp = &f->cparams.data[p];
    bool written = false, output = true, floats = false;
    for (uint32_t i = 0; i < f->params.count; i++) {
      floats =
          floats || (f->params.data[i].cparam == p && tl_dtype_is_float(tl_type_of(f, f->params.data[i].value).dtype));
    }
    for (uint32_t i = 0; i < f->params.count && !cp->by_value; i++) {
      const tl_param *leaf = &f->params.data[i];
      if (leaf->cparam != p || !leaf->is_memory) {
        continue;
      }
      uint32_t final = tl_func_final(f, i);
      bool leaf_written = final != TL_NO_RESULT;
      bool matters = !floats || tl_dtype_is_float(tl_type_of(f, leaf->value).dtype);
      if (leaf_written) {
        output = output && (!matters || (!inout[p] && is_output(f, i, f->body->yields.data[final])));
      }
      written = written || leaf_written;
      output = output && (leaf_written || !matters);
    }
    if (written || (inout[p] && !cp->by_value)) {
      cp->role = written && output && !inout[p] ? TL_ROLE_OUTPUT : TL_ROLE_INOUT;
    }
    cp->differentiable = cp->differentiable && cp->role != TL_ROLE_OUTPUT;
  }
}
