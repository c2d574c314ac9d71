#include "graph.h"

#include <string.h>

const char *const sweep_step_names[STEP_COUNT] = {
#define SWEEP_STEP_NAME(name) [STEP_##name] = #name,
    SWEEP_STEP_MAP(SWEEP_STEP_NAME)};

enum { MOST_VALUES = 64, MOST_DEPTH = 2 };
static const double ROOM = 4; /* what values stay within */

typedef struct known {
  tl_value value;
  double bound; /* of the magnitude of its elements */
} known;

typedef struct pool {
  known at[MOST_VALUES];
  uint32_t count;
} pool;

typedef struct maker {
  sweep_subject *s;
  gen_tape *tape;
  tl_builder b;
  pool tensors, numbers;
  tl_value count, indices; /* a trip count, and i64<3> */
  tl_func *helper;         /* takes a tensor of three elements and a number, gives a tensor of three elements */
  unsigned *steps;
  int depth, budget;
} maker;

static uint32_t pick(maker *m, uint32_t n) { return gen_tape_pick(m->tape, n); }

static void add(pool *p, tl_value v, double bound) {
  if (p->count < MOST_VALUES) {
    p->at[p->count++] = (known){v, bound};
  }
}

/* The one that was made last is the simplest choice. */
static known any(maker *m, const pool *p) { return p->at[p->count - 1 - pick(m, p->count)]; }

static tl_type type_of(const maker *m, tl_value v) { return tl_type_of(m->b.func, v); }
static tl_value number(maker *m, double x) { return tl_build_float(&m->b, TL_F64, x, NULL); }
static tl_value unary(maker *m, tl_opcode code, tl_value x) { return tl_build_unary(&m->b, code, x); }
static tl_value binary(maker *m, tl_opcode code, tl_value x, tl_value y) { return tl_build_binary(&m->b, code, x, y); }

/* A new value, drawn back where it may be large. */
static void keep(maker *m, tl_value v, double bound) {
  if (bound > ROOM) {
    v = unary(m, pick(m, 2) ? TL_OP_sin : TL_OP_tanh, v);
    bound = 1;
  }
  add(type_of(m, v).is_tensor ? &m->tensors : &m->numbers, v, bound);
}

static tl_type tensor_type(maker *m, int rank, const int64_t *dim) {
  tl_extent extents[TL_MAX_RANK];
  for (int i = 0; i < rank; i++) {
    extents[i] = (tl_extent){.fixed = dim[i]};
  }
  tl_type t = tl_array_type(m->b.func, TL_F64, rank, extents);
  t.is_array = false;
  t.is_tensor = true;
  return t;
}

static tl_value shaped(maker *m, tl_opcode code, tl_value x, int rank, const int64_t *dim) {
  tl_type t = tensor_type(m, rank, dim);
  return tl_build_tensor(&m->b, code, &x, &(tl_attr){.shape = {t.rank, t.extents}});
}

static int64_t elements(tl_type t) { return tl_extents_count(t.extents, t.rank, INT32_MAX); }

static void shape_of(tl_type t, int64_t *dim) {
  for (int i = 0; i < t.rank; i++) {
    dim[i] = t.extents[i].fixed;
  }
}

/* Some tensor of a shape: one that has it, or else one that is summed and spread to it. */
static known in_shape(maker *m, int rank, const int64_t *dim) {
  pool fit = {.count = 0};
  for (uint32_t i = 0; i < m->tensors.count; i++) {
    tl_type t = type_of(m, m->tensors.at[i].value);
    bool same = t.rank == rank;
    for (int k = 0; same && k < rank; k++) {
      same = t.extents[k].fixed == dim[k];
    }
    if (same) {
      add(&fit, m->tensors.at[i].value, m->tensors.at[i].bound);
    }
  }
  if (fit.count) {
    return any(m, &fit);
  }
  known x = any(m, &m->tensors);
  tl_value sum = tl_build_tensor(&m->b, TL_OP_sum, &x.value, (tl_attr[]){{.axes = TL_ALL}, {.integer = 0}});
  return (known){shaped(m, TL_OP_broadcast, unary(m, TL_OP_sin, sum), rank, dim), 1};
}

static tl_axes some_axes(maker *m, int rank) {
  tl_axes axes = {.count = 0};
  if (pick(m, 3) == 0) {
    return TL_ALL;
  }
  for (int i = 0; i < rank; i++) {
    if (pick(m, 2)) {
      axes.axis[axes.count++] = (int8_t)(pick(m, 2) ? i - rank : i);
    }
  }
  return axes;
}

/* ---- steps ---- */

static void step_unary(maker *m) {
  static const tl_opcode codes[] = {TL_OP_sin, TL_OP_cos, TL_OP_tanh, TL_OP_neg, TL_OP_atan, TL_OP_erf, TL_OP_asinh};
  known x = any(m, pick(m, 4) ? &m->tensors : &m->numbers);
  tl_opcode code = codes[pick(m, 7)];
  keep(m, unary(m, code, x.value), code == TL_OP_neg || code == TL_OP_asinh ? x.bound : code == TL_OP_atan ? 1.6 : 1);
}

static void step_binary(maker *m) {
  static const tl_opcode codes[] = {TL_OP_add, TL_OP_sub, TL_OP_mul};
  int64_t dim[TL_MAX_RANK];
  known x = any(m, &m->tensors);
  tl_type t = type_of(m, x.value);
  shape_of(t, dim);
  known y = in_shape(m, t.rank, dim);
  tl_opcode code = codes[pick(m, 3)];
  keep(m, binary(m, code, x.value, y.value), code == TL_OP_mul ? x.bound * y.bound : x.bound + y.bound);
}

static void step_with_number(maker *m) {
  static const tl_opcode codes[] = {TL_OP_mul, TL_OP_add, TL_OP_sub};
  known x = any(m, &m->tensors), y = any(m, &m->numbers);
  tl_opcode code = codes[pick(m, 3)];
  bool swaps = pick(m, 2);
  tl_value v = swaps ? binary(m, code, y.value, x.value) : binary(m, code, x.value, y.value);
  keep(m, v, code == TL_OP_mul ? x.bound * y.bound : x.bound + y.bound);
}

static void step_two_arguments(maker *m) {
  static const tl_opcode codes[] = {TL_OP_hypot, TL_OP_atan2, TL_OP_fmax, TL_OP_fmin};
  known x = any(m, &m->tensors), y = any(m, &m->numbers);
  if (pick(m, 2)) {
    int64_t dim[TL_MAX_RANK];
    tl_type t = type_of(m, x.value);
    shape_of(t, dim);
    y = in_shape(m, t.rank, dim);
  }
  tl_opcode code = codes[pick(m, 4)];
  keep(m, binary(m, code, x.value, y.value), code == TL_OP_atan2 ? 3.2 : x.bound + y.bound);
}

static void step_fused(maker *m) {
  known x = any(m, &m->tensors), y = any(m, &m->numbers), z = any(m, &m->numbers);
  tl_value operands[] = {x.value, y.value, z.value};
  keep(m, tl_build_elementwise(&m->b, TL_OP_fma, TL_F64, operands), x.bound * y.bound + z.bound);
}

static void step_square(maker *m) {
  known x = any(m, pick(m, 3) ? &m->tensors : &m->numbers);
  keep(m, binary(m, TL_OP_mul, x.value, x.value), x.bound * x.bound);
}

/* x / (1 + y^2) */
static void step_quotient(maker *m) {
  known x = any(m, pick(m, 3) ? &m->tensors : &m->numbers), y = any(m, &m->numbers);
  if (type_of(m, x.value).is_tensor && pick(m, 2)) {
    int64_t dim[TL_MAX_RANK];
    tl_type t = type_of(m, x.value);
    shape_of(t, dim);
    y = in_shape(m, t.rank, dim);
  }
  tl_value below = binary(m, TL_OP_add, number(m, 1), binary(m, TL_OP_mul, y.value, y.value));
  keep(m, binary(m, TL_OP_div, x.value, below), x.bound);
}

/* e^(sin x), log(1 + x^2), sqrt(1 + x^2) */
static void step_exponential(maker *m) {
  known x = any(m, &m->tensors);
  if (pick(m, 2) == 0) {
    keep(m, unary(m, TL_OP_exp, unary(m, TL_OP_sin, x.value)), 2.8);
    return;
  }
  tl_value y = binary(m, TL_OP_add, binary(m, TL_OP_mul, x.value, x.value), number(m, 1));
  keep(m, unary(m, pick(m, 2) ? TL_OP_log : TL_OP_sqrt, y), 1 + x.bound);
}

static void step_broadcast(maker *m) {
  known x = any(m, pick(m, 3) ? &m->tensors : &m->numbers);
  tl_type t = type_of(m, x.value);
  int64_t dim[TL_MAX_RANK] = {0};
  int more = t.rank < 3 ? (int)pick(m, (uint32_t)(4 - t.rank)) : 0;
  for (int i = 0; i < more; i++) {
    dim[i] = 1 + pick(m, 3);
  }
  for (int i = 0; i < t.rank; i++) {
    dim[more + i] = t.extents[i].fixed == 1 ? 1 + pick(m, 3) : t.extents[i].fixed;
  }
  keep(m, shaped(m, TL_OP_broadcast, x.value, more + t.rank, dim), x.bound);
}

static void step_sum_to(maker *m) {
  known x = any(m, &m->tensors);
  tl_type t = type_of(m, x.value);
  int64_t dim[TL_MAX_RANK];
  int less = (int)pick(m, (uint32_t)t.rank + 1);
  for (int i = less; i < t.rank; i++) {
    dim[i - less] = pick(m, 2) ? 1 : t.extents[i].fixed;
  }
  keep(m, shaped(m, TL_OP_sum_to, x.value, t.rank - less, dim), x.bound * (double)elements(t));
}

static void step_reshape(maker *m) {
  known x = any(m, &m->tensors);
  int64_t n = elements(type_of(m, x.value)), dim[4];
  int rank = 0;
  for (int64_t d = 4; d > 1 && rank < 2; d--) {
    if (n % d == 0 && pick(m, 2)) {
      dim[rank++] = d;
      n /= d;
    }
  }
  dim[rank++] = n;
  keep(m, shaped(m, TL_OP_reshape, x.value, rank, dim), x.bound);
}

static void step_transpose(maker *m) {
  known x = any(m, &m->tensors);
  int rank = type_of(m, x.value).rank;
  tl_axes order = TL_ALL;
  if (rank && pick(m, 2)) { /* a rotation, some of it counted from behind */
    int by = (int)pick(m, (uint32_t)rank);
    order.count = rank;
    for (int i = 0; i < rank; i++) {
      int axis = (i + by) % rank;
      order.axis[i] = (int8_t)(pick(m, 2) ? axis - rank : axis);
    }
  }
  keep(m, tl_build_tensor(&m->b, TL_OP_transpose, &x.value, &(tl_attr){.axes = order}), x.bound);
}

static void reduce(maker *m, tl_opcode code) {
  known x = any(m, &m->tensors);
  tl_type t = type_of(m, x.value);
  tl_attr attrs[] = {{.axes = some_axes(m, t.rank)}, {.integer = pick(m, 2)}};
  double bound = code == TL_OP_sum ? x.bound * (double)elements(t) : x.bound;
  keep(m, tl_build_tensor(&m->b, code, &x.value, attrs), bound);
}
static void step_sum(maker *m) { reduce(m, TL_OP_sum); }
static void step_max(maker *m) { reduce(m, TL_OP_max); }

static void step_softmax(maker *m) {
  known x = any(m, &m->tensors);
  int rank = type_of(m, x.value).rank;
  if (rank) {
    tl_attr axis = {.integer = (int64_t)pick(m, 2 * (uint32_t)rank) - rank};
    keep(m, tl_build_tensor(&m->b, TL_OP_softmax, &x.value, &axis), 1);
  }
}

static void multiply(maker *m, known x, known y, int64_t k) {
  tl_value v = tl_build_tensor(&m->b, TL_OP_matmul, (tl_value[]){x.value, y.value}, NULL);
  keep(m, v, x.bound * y.bound * (double)k);
}

/* A matrix, or several, from the right. */
static void step_product(maker *m) {
  known x = any(m, &m->tensors);
  tl_type t = type_of(m, x.value);
  if (!t.rank) {
    return;
  }
  int64_t k = t.extents[t.rank - 1].fixed, n = 1 + pick(m, 3);
  int64_t dim[] = {t.rank > 2 && t.rank < 4 && pick(m, 2) ? t.extents[t.rank - 3].fixed : 0, k, n};
  known y = dim[0] ? in_shape(m, 3, dim) : in_shape(m, 2, dim + 1);
  multiply(m, x, y, k);
}

/* A vector from either side. */
static void step_row_product(maker *m) {
  known x = any(m, &m->tensors);
  tl_type t = type_of(m, x.value);
  if (!t.rank) {
    return;
  }
  bool left = pick(m, 2);
  int64_t k = t.extents[left && t.rank > 1 ? t.rank - 2 : t.rank - 1].fixed;
  known y = in_shape(m, 1, &k);
  multiply(m, left ? y : x, left ? x : y, k);
}

static void step_gather(maker *m) {
  known x = any(m, &m->tensors);
  int rank = type_of(m, x.value).rank;
  if (rank && rank < 4) {
    tl_attr attrs[] = {{.integer = (int64_t)pick(m, 2 * (uint32_t)rank) - rank},
                       {.integer = pick(m, 2) ? TL_INDEX_DROP : TL_INDEX_CLIP},
                       {.integer = 0}};
    keep(m, tl_build_tensor(&m->b, TL_OP_gather, (tl_value[]){x.value, m->indices}, attrs), x.bound);
  }
}

static void step_scatter_add(maker *m) {
  known x = any(m, &m->tensors);
  tl_type t = type_of(m, x.value);
  if (t.rank) {
    int axis = (int)pick(m, (uint32_t)t.rank);
    int64_t dim[TL_MAX_RANK];
    shape_of(t, dim);
    dim[axis] = 3;
    known u = in_shape(m, t.rank, dim);
    tl_attr attrs[] = {{.integer = axis}, {.integer = pick(m, 2) ? TL_INDEX_DROP : TL_INDEX_CLIP}, {.integer = 0}};
    tl_value operands[] = {x.value, m->indices, u.value};
    keep(m, tl_build_tensor(&m->b, TL_OP_scatter_add, operands, attrs), x.bound + 3 * u.bound);
  }
}

/* x where x < y, else y + x: the choice of elements jumps nowhere near where it is not tried twice. */
static void step_choose(maker *m) {
  int64_t dim[TL_MAX_RANK];
  known x = any(m, &m->tensors);
  tl_type t = type_of(m, x.value);
  shape_of(t, dim);
  known y = in_shape(m, t.rank, dim), z = any(m, &m->numbers);
  tl_value c = binary(m, pick(m, 2) ? TL_OP_gt : TL_OP_lt, x.value, pick(m, 2) ? y.value : z.value);
  bool by_number = pick(m, 2);
  tl_value other = by_number ? z.value : y.value;
  tl_value v = pick(m, 2) ? tl_build_select(&m->b, c, x.value, other) : tl_build_select(&m->b, c, other, x.value);
  keep(m, v, x.bound + y.bound + z.bound);
}

static tl_value condition(maker *m) {
  known x = any(m, &m->numbers), y = any(m, &m->numbers);
  return binary(m, pick(m, 2) ? TL_OP_gt : TL_OP_le, x.value, x.value == y.value ? number(m, 0.1) : y.value);
}

static void step_choose_by_number(maker *m) {
  int64_t dim[TL_MAX_RANK];
  tl_value c = condition(m);
  known x = any(m, &m->tensors);
  tl_type t = type_of(m, x.value);
  shape_of(t, dim);
  known y = in_shape(m, t.rank, dim);
  keep(m, tl_build_select(&m->b, c, x.value, y.value), x.bound + y.bound);
}

/* A tensor's sum or largest as a number of C. */
static void step_number(maker *m) {
  known x = any(m, &m->tensors);
  tl_type t = type_of(m, x.value);
  tl_opcode code = pick(m, 2) ? TL_OP_max : TL_OP_sum;
  tl_value v = x.value;
  if (t.rank) {
    v = tl_build_tensor(&m->b, code, &v, (tl_attr[]){{.axes = TL_ALL}, {.integer = 0}});
  }
  keep(m, tl_build_item(&m->b, v), x.bound * (double)elements(t));
}

static void step_extent(maker *m) {
  known x = any(m, &m->tensors);
  int rank = type_of(m, x.value).rank;
  if (rank) {
    tl_op *op = tl_op_create(&m->b, TL_OP_dim, 1, &x.value);
    op->u.integer = pick(m, (uint32_t)rank);
    tl_value n = tl_op_add_result(m->b.func, op, tl_scalar(TL_I64), NULL);
    keep(m, tl_build_cvt(&m->b, TL_F64, n), 4);
  }
}

/* ---- regions ---- */

typedef struct scope {
  tl_region *region;
  uint32_t tensors, numbers;
} scope;

static scope enter(maker *m, tl_region *r) {
  scope s = {m->b.region, m->tensors.count, m->numbers.count};
  m->b.region = r;
  m->depth++;
  return s;
}

static void leave(maker *m, const scope *s) {
  m->b.region = s->region;
  m->tensors.count = s->tensors;
  m->numbers.count = s->numbers;
  m->depth--;
}

static void some_steps(maker *m, uint32_t most);

static void yield(maker *m, tl_region *r, tl_value v) { TL_PUSH(m->b.func->arena, r->yields, v); }

/* A tensor of this shape that a region ends with, kept small. */
static tl_value last_of(maker *m, tl_type t) {
  int64_t dim[TL_MAX_RANK];
  shape_of(t, dim);
  known v = in_shape(m, t.rank, dim);
  return v.bound > 1 ? unary(m, TL_OP_sin, v.value) : v.value;
}

static void step_branch(maker *m) {
  tl_value c = condition(m);
  tl_type t = type_of(m, any(m, &m->tensors).value);
  tl_op *op = tl_build_if(&m->b, c);
  bool with_number = pick(m, 2);
  for (int k = 0; k < 2; k++) {
    scope s = enter(m, op->regions[k]);
    some_steps(m, 3);
    yield(m, op->regions[k], last_of(m, t));
    if (with_number) {
      yield(m, op->regions[k], unary(m, TL_OP_sin, any(m, &m->numbers).value));
    }
    leave(m, &s);
  }
  tl_build_if_results(&m->b, op);
  add(&m->tensors, tl_op_result(op, 0), 1);
  if (with_number) {
    add(&m->numbers, tl_op_result(op, 1), 1);
  }
}

static void loop(maker *m, bool counted, bool keeps) {
  known x = any(m, &m->tensors);
  tl_type t = type_of(m, x.value);
  tl_value inits[3] = {x.value, any(m, &m->numbers).value, TL_NO_VALUE};
  uint32_t carries = 2;
  tl_value lo = tl_build_int(&m->b, TL_I64, 0);
  tl_value hi = !counted ? TL_NO_VALUE : pick(m, 2) ? m->count : tl_build_int(&m->b, TL_I64, 1 + pick(m, 3));
  if (keeps) {
    tl_value length = tl_build_int(&m->b, TL_I64, 8);
    inits[carries++] = tl_build_alloc_of(&m->b, t, 1, &(tl_extent){.value = length}, 0, NULL);
    tl_value one = tl_build_int(&m->b, TL_I64, 0);
    inits[2] = tl_build_update(&m->b, inits[2], 1, &one, x.value);
  }
  tl_op *op = tl_build_loop(&m->b, lo, hi, 1, NULL, carries, inits);
  if (!counted) {
    scope s = enter(m, tl_loop_cond(op));
    tl_value i = m->b.region->params.data[0], y = m->b.region->params.data[1];
    tl_value squares = binary(m, TL_OP_mul, y, y);
    tl_value sum = tl_build_tensor(&m->b, TL_OP_sum, &squares, (tl_attr[]){{.axes = TL_ALL}, {.integer = 0}});
    tl_value large = binary(m, TL_OP_gt, tl_build_item(&m->b, sum), number(m, 0.05));
    tl_value early = binary(m, TL_OP_lt, i, tl_build_int(&m->b, TL_I64, 2 + pick(m, 4)));
    yield(m, m->b.region, binary(m, TL_OP_and, large, early));
    leave(m, &s);
  }
  scope s = enter(m, tl_loop_body(op));
  const tl_value *params = m->b.region->params.data;
  tl_value body_params[4] = {params[0], params[1], params[2], carries > 2 ? params[3] : TL_NO_VALUE};
  add(&m->numbers, body_params[2], ROOM);
  add(&m->tensors, body_params[1], ROOM);
  some_steps(m, 3);
  tl_value y = last_of(m, t);
  y = binary(m, TL_OP_mul,
             counted ? y : binary(m, TL_OP_mul, unary(m, TL_OP_sin, body_params[1]), unary(m, TL_OP_cos, y)),
             number(m, 0.75));
  yield(m, m->b.region, y);
  yield(m, m->b.region, unary(m, TL_OP_sin, any(m, &m->numbers).value));
  if (keeps) {
    tl_value at = binary(m, TL_OP_and, body_params[0], tl_build_int(&m->b, TL_I64, 7));
    yield(m, m->b.region, tl_build_update(&m->b, body_params[3], 1, &at, y));
  }
  leave(m, &s);
  tl_build_loop_results(&m->b, op);
  add(&m->numbers, tl_op_result(op, 1), x.bound > ROOM ? x.bound : ROOM);
  add(&m->tensors, tl_op_result(op, 0), x.bound > 1 ? x.bound : 1);
  if (keeps) { /* the first iteration's, or what was there ahead of it */
    tl_value first = tl_build_int(&m->b, TL_I64, 0);
    keep(m, tl_build_index(&m->b, tl_op_result(op, 2), 1, &first), x.bound > 1 ? x.bound : 1);
  }
}

static void step_counted_loop(maker *m) { loop(m, true, false); }
static void step_while_loop(maker *m) { loop(m, false, false); }
static void step_kept(maker *m) { loop(m, pick(m, 2), true); }

static void step_call(maker *m) {
  if (!m->helper) {
    return;
  }
  int64_t three = 3;
  known x = in_shape(m, 1, &three), y = any(m, &m->numbers);
  tl_op *op = tl_op_create(&m->b, TL_OP_call, 2, (tl_value[]){x.value, y.value});
  op->callee = m->helper->name;
  tl_value out = tl_op_add_result(m->b.func, op, tensor_type(m, 1, &three), NULL);
  add(&m->tensors, out, 1);
}

static void some_steps(maker *m, uint32_t most) {
  static void (*const steps[STEP_COUNT])(maker *) = {
#define SWEEP_STEP_MAKE(name) [STEP_##name] = step_##name,
      SWEEP_STEP_MAP(SWEEP_STEP_MAKE)};
  for (uint32_t n = pick(m, most + 1); n > 0 && m->budget > 0; n--) {
    uint32_t step = pick(m, STEP_COUNT);
    bool nests = step == STEP_branch || step == STEP_counted_loop || step == STEP_while_loop || step == STEP_kept;
    if (nests && m->depth >= MOST_DEPTH) {
      continue;
    }
    m->budget--;
    m->steps[step]++;
    steps[step](m);
  }
}

static void argument(maker *m, const char *name, tl_type t, sweep_domain domain) {
  tl_shape shape = {.rank = t.rank};
  shape_of(t, shape.dim);
  m->s->domains[m->s->args.count] = domain;
  sweep_values_add(&m->s->args, sweep_value_draw(m->s, t.dtype, shape, !t.is_tensor, domain));
  tl_value v = sweep_add_param(m->b.func, name, t);
  if (tl_dtype_is_float(t.dtype)) {
    add(t.is_tensor ? &m->tensors : &m->numbers, v, 2);
  } else if (t.is_tensor) {
    m->indices = v;
  } else {
    m->count = v;
  }
}

/* The function that others call. */
static tl_func *make_helper(maker *m) {
  int64_t three = 3;
  maker inner = {.s = m->s, .tape = m->tape, .steps = m->steps, .depth = 1, .budget = 4};
  tl_func *h = tl_func_create(m->s->module, "helper");
  inner.b = (tl_builder){.func = h, .region = h->body};
  add(&inner.tensors, sweep_add_param(h, "v", tensor_type(&inner, 1, &three)), ROOM);
  add(&inner.numbers, sweep_add_param(h, "a", tl_scalar(TL_F64)), ROOM);
  inner.count = tl_build_int(&inner.b, TL_I64, 2);
  tl_value zero = tl_build_int(&inner.b, TL_I64, 1);
  tl_type t = tensor_type(&inner, 1, &three);
  inner.indices = tl_build_tensor(&inner.b, TL_OP_broadcast, &zero, &(tl_attr){.shape = {1, t.extents}});
  some_steps(&inner, 4);
  sweep_add_return(h, unary(&inner, TL_OP_sin, last_of(&inner, t)));
  return sweep_close_function(m->s, h) ? h : NULL;
}

bool sweep_graph_make(sweep_subject *s, gen_tape *tape, unsigned steps[STEP_COUNT]) {
  static const char *const names[] = {"x", "y", "z"};
  static const sweep_domain small = {.low = -1.5, .high = 1.5}, count = {.low = 0, .high = 5},
                            places = {.low = -1, .high = 4};
  maker m = {.s = s, .tape = tape, .steps = steps, .budget = 14};
  m.helper = pick(&m, 3) ? make_helper(&m) : NULL;
  tl_func *f = s->f = tl_func_create(s->module, "f");
  m.b = (tl_builder){.func = f, .region = f->body};
  uint32_t tensors = 1 + pick(&m, 3);
  for (uint32_t i = 0; i < tensors; i++) {
    int64_t dim[3];
    int rank = (int)pick(&m, 4);
    for (int k = 0; k < rank; k++) {
      dim[k] = 1 + pick(&m, 4);
    }
    argument(&m, names[i], tensor_type(&m, rank, dim), small);
  }
  argument(&m, "a", tl_scalar(TL_F64), small);
  argument(&m, "n", tl_scalar(TL_I64), count);
  tl_type indices = tensor_type(&m, 1, &(int64_t){3});
  indices.dtype = TL_I64;
  argument(&m, "i", indices, places);
  some_steps(&m, 12);
  sweep_add_return(f, m.tensors.at[m.tensors.count - 1].value);
  if (pick(&m, 2)) {
    sweep_add_return(f, any(&m, pick(&m, 2) ? &m.tensors : &m.numbers).value);
  }
  return !s->failed && sweep_close_function(s, f);
}
