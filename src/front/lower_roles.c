#include <string.h>

#include "front/lower_priv.h"

/* Which parameters are outputs: memory that every path writes in full before it reads it.
 *
 * Each version of a parameter's array has a coverage: boxes of elements that are surely written. A box is an interval
 * per axis whose bounds are a value plus a constant. An update adds a box of one element; a branch keeps what both
 * sides cover; a counted loop that surely runs through turns [iv, iv+1) into the whole range, and while it runs, what
 * earlier iterations wrote is covered up to iv. Whatever this does not see makes an in-out of the parameter. */

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

typedef struct tl_cover {
  const tl_func *f;
  tl_arena *arena;
  tl_coverage **of; /* by value; NULL: not a version of the array */
  int rank;
  tl_box whole;
  bool has_whole; /* every extent is known */
  bool checks, failed;
} tl_cover;

static bool same_bound(tl_bound a, tl_bound b) { return a.v == b.v && a.c == b.c; }

static bool is_integer(const tl_func *f, tl_value v) { return !tl_dtype_is_float(tl_type_of(f, v).dtype); }

/* v as value + constant; conversions between integers keep the number. */
static tl_bound bound_of(const tl_func *f, tl_value v) {
  int64_t c;
  if (tl_is_const_int(f, v, &c)) {
    return (tl_bound){TL_NO_VALUE, c};
  }
  const tl_op *op = tl_def(f, v);
  if (op && op->code == TL_OP_cvt && is_integer(f, op->operands[0])) {
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
  if (a.v == b.v) {
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
        if (!same_bound(other->lo[k], box.lo[k]) || !same_bound(other->hi[k], box.hi[k])) {
          differ = k;
          count++;
        }
      }
      bool meets = count == 1 &&
                   (same_bound(other->hi[differ], box.lo[differ]) || same_bound(box.hi[differ], other->lo[differ]));
      if (meets) {
        bool first = same_bound(other->hi[differ], box.lo[differ]);
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
  const tl_coverage *before = c->of[tl_loop_init(op, carried)];
  tl_value iv = body->params.data[0], mine = body->params.data[1 + carried];
  bool counted = loop_of(c->f, iv) != NULL, checks = c->checks;
  c->of[mine] = coverage_copy(c, before);
  c->checks = false;
  walk(c, body);
  c->checks = checks;
  const tl_coverage *end = yield_coverage(c, body, carried);
  tl_coverage *start = coverage_copy(c, before), *after = coverage_copy(c, before);
  for (uint32_t i = 0; end && counted && i < end->boxes.count; i++) {
    tl_box prefix = end->boxes.data[i], all = prefix;
    if (over_iterations(c, op, iv, false, &prefix)) {
      add_box(c, start, prefix);
    }
    if (!cond->yields.count && over_iterations(c, op, iv, true, &all)) {
      add_box(c, after, all);
    }
  }
  if (checks) {
    c->of[mine] = start;
    c->of[cond->params.data[1 + carried]] = coverage_copy(c, before);
    walk(c, cond);
    walk(c, body);
  }
  c->of[op->first_result + carried] = after;
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
    walk(c, op->regions[0]);
    walk(c, op->regions[1]);
    for (uint32_t i = 0; i < op->result_count; i++) {
      tl_coverage *a = yield_coverage(c, op->regions[0], i), *b = yield_coverage(c, op->regions[1], i);
      if (a || b) {
        c->of[op->first_result + i] = meet(c, a, b);
      }
    }
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
      bool leaf_written = false;
      bool matters = !floats || tl_dtype_is_float(tl_type_of(f, leaf->value).dtype);
      for (uint32_t r = 0; r < f->results.count; r++) {
        if (f->results.data[r].role == TL_RESULT_FINAL && f->results.data[r].param == i) {
          leaf_written = true;
          output = output && (!matters || (!inout[p] && is_output(f, i, f->body->yields.data[r])));
        }
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
