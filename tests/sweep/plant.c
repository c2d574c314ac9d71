#include "plant.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ops/ops.h"
#include "subject.h"

typedef enum fault_kind {
  PARTIAL_DROPPED, /* of an elementwise row, in both modes */
  PARTIAL_DOUBLED,
  TANGENT_DROPPED,   /* of an operand, in forward mode */
  COTANGENT_DROPPED, /* in reverse mode */
  COTANGENT_NEGATED,
  BATCH_DOUBLED,  /* what a batching rule gives */
  BATCH_REVERSED, /* the examples the wrong way round, where its axes are two or more */
  MUTATES         /* what was derived or batched */
} fault_kind;

typedef enum mutant {
  NAMES_DROPPED,
  CONSTANT_IN_FLOAT,
  CONSTANT_OFF,
  MODE_CLIPS,
  MODE_DROPS,
  SELECT_FIRST,
  SELECT_SWAPPED,
  COMPARISON_FLIPPED,
  TRANSPOSE_REVERSED,
  SUM_OF_OTHER_AXIS,
  SUM_IS_MAX,
  MAX_IS_SUM,
  SOFTMAX_OF_OTHER_AXIS,
  PRODUCT_SWAPPED,
  PRODUCT_SQUARED,
  SUM_LOSES_TERM,
  SUM_IS_DIFFERENCE,
  DIFFERENCE_IS_SUM,
  NEGATION_LOST,
  QUOTIENT_IS_PRODUCT,
  SINE_IS_COSINE,
  COSINE_IS_SINE,
  LOOP_RUNS_FORWARD,
  LOOP_ENDS_EARLY,
  LOOP_STARTS_LATE,
  CONDITION_NEGATED,
  BRANCHES_SWAPPED,
  CARRY_LOST,
  STORE_LOST,
  LOAD_OF_FIRST,
  SCATTER_LOST,
  GATHER_OF_OTHER_AXIS,
  EXTENT_OF_OTHER_AXIS,
  ARGUMENTS_SWAPPED,
  RESULTS_SWAPPED,
  BROADCAST_OF_ZERO,
  PLACE_MOVED,
  REVERSE_LOST,
  REDUCER_REPLACES,
  MUTANT_COUNT
} mutant;

static const char *const mutant_names[MUTANT_COUNT] = {[NAMES_DROPPED] = "names of axes dropped",
                                                       [CONSTANT_IN_FLOAT] = "constants rounded to float",
                                                       [CONSTANT_OFF] = "constants are off",
                                                       [MODE_CLIPS] = "indices clipped that are to be dropped",
                                                       [MODE_DROPS] = "indices dropped that are to be clipped",
                                                       [SELECT_FIRST] = "selects not masked",
                                                       [SELECT_SWAPPED] = "selects swapped",
                                                       [COMPARISON_FLIPPED] = "comparisons flipped",
                                                       [TRANSPOSE_REVERSED] = "transposes by another order",
                                                       [SUM_OF_OTHER_AXIS] = "sums over another axis",
                                                       [SUM_IS_MAX] = "sums are maxima",
                                                       [MAX_IS_SUM] = "maxima are sums",
                                                       [SOFTMAX_OF_OTHER_AXIS] = "softmax along another axis",
                                                       [PRODUCT_SWAPPED] = "products of matrices swapped",
                                                       [PRODUCT_SQUARED] = "products square",
                                                       [SUM_LOSES_TERM] = "sums lose a term",
                                                       [SUM_IS_DIFFERENCE] = "sums are differences",
                                                       [DIFFERENCE_IS_SUM] = "differences are sums",
                                                       [NEGATION_LOST] = "negations lost",
                                                       [QUOTIENT_IS_PRODUCT] = "quotients are products",
                                                       [SINE_IS_COSINE] = "sines are cosines",
                                                       [COSINE_IS_SINE] = "cosines are sines",
                                                       [LOOP_RUNS_FORWARD] = "reversed loops run forward",
                                                       [LOOP_ENDS_EARLY] = "loops end an iteration early",
                                                       [LOOP_STARTS_LATE] = "loops start an iteration late",
                                                       [CONDITION_NEGATED] = "conditions of loops negated",
                                                       [BRANCHES_SWAPPED] = "branches swapped",
                                                       [CARRY_LOST] = "a carry of loops lost",
                                                       [STORE_LOST] = "stores lost",
                                                       [LOAD_OF_FIRST] = "loads of the first element",
                                                       [SCATTER_LOST] = "scatters lost",
                                                       [GATHER_OF_OTHER_AXIS] = "gathers along another axis",
                                                       [EXTENT_OF_OTHER_AXIS] = "extents of another axis",
                                                       [ARGUMENTS_SWAPPED] = "arguments of calls exchanged",
                                                       [RESULTS_SWAPPED] = "results exchanged",
                                                       [BROADCAST_OF_ZERO] = "what is spread is twice as much",
                                                       [PLACE_MOVED] = "what is picked or placed is one further",
                                                       [REVERSE_LOST] = "reversed axes are not",
                                                       [REDUCER_REPLACES] = "what is to be added replaces"};

typedef struct fault {
  char name[80];
  fault_kind kind;
  tl_opcode row; /* TL_OP_COUNT: of no row */
  uint32_t which;
  mutant mutant;
  sweep_made on;
} fault;

static fault *faults;
static unsigned fault_count;
static const fault *planted;

__attribute__((format(printf, 2, 3))) static void add(fault f, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(f.name, sizeof f.name, format, args);
  va_end(args);
  faults = realloc(faults, (fault_count + 1) * sizeof *faults);
  faults[fault_count++] = f;
}

/* Of windows, or of one axis: the second operand. */
static bool takes_indices(tl_opcode code) {
  return code == TL_OP_gather || code == TL_OP_scatter_add || code == TL_OP_window_gather ||
         code == TL_OP_window_scatter;
}

/* Whether an operand has a derivative: floating, and moved by more than steps. */
static bool has_rule(tl_opcode code, uint32_t which) {
  const tl_op_info *row = &tl_op_table[code];
  if (row->on_tensors) {
    return which != 1 || !takes_indices(code);
  }
  switch (row->operands) {
  case TL_OPERANDS_FLT_INT:
    return which == 0;
  case TL_OPERANDS_INT_FLT:
    return which == 1;
  case TL_OPERANDS_SELECT:
    return which > 0;
  case TL_OPERANDS_NUM:
  case TL_OPERANDS_FLT:
  case TL_OPERANDS_ANY:
    return !(which == 1 && (code == TL_OP_copysign || code == TL_OP_nextafter));
  case TL_OPERANDS_INT:
  case TL_OPERANDS_BOOL:
  case TL_OPERANDS_OTHER:
    break;
  }
  return false;
}

static void list_row(tl_opcode code) {
  const tl_op_info *row = &tl_op_table[code];
  bool differentiable = row->op_class != TL_CLASS_ZEROGRAD;
  for (uint32_t i = 0; differentiable && i < (uint32_t)row->arity; i++) {
    fault f = {.row = code, .which = i};
    if (!has_rule(code, i)) {
      continue;
    }
    if (row->op_class == TL_CLASS_ELEM) {
      f.kind = PARTIAL_DROPPED;
      add(f, "the partial of %s[%u] deleted", row->name, i);
      f.kind = PARTIAL_DOUBLED;
      add(f, "the partial of %s[%u] doubled", row->name, i);
      continue;
    }
    f.kind = TANGENT_DROPPED;
    add(f, "the tangent of %s[%u] deleted", row->name, i);
    f.kind = COTANGENT_DROPPED;
    add(f, "the cotangent of %s[%u] deleted", row->name, i);
    f.kind = COTANGENT_NEGATED;
    add(f, "the cotangent of %s[%u] negated", row->name, i);
  }
  if (row->on_tensors) {
    add((fault){.kind = BATCH_DOUBLED, .row = code}, "the batch of %s doubled", row->name);
    add((fault){.kind = BATCH_REVERSED, .row = code}, "the batch of %s transposed", row->name);
  }
}

static void list(void) {
  for (int code = 0; code < TL_OP_COUNT; code++) {
    if (tl_op_table[code].elementwise || tl_op_table[code].on_tensors) {
      list_row((tl_opcode)code);
    }
  }
  add((fault){.kind = TANGENT_DROPPED, .row = TL_OP_item}, "the tangent of item deleted");
  add((fault){.kind = COTANGENT_DROPPED, .row = TL_OP_item}, "the cotangent of item deleted");
  add((fault){.kind = BATCH_DOUBLED, .row = TL_OP_add}, "the batch of elementwise ops doubled");
  for (int m = 0; m < MUTANT_COUNT; m++) {
    fault f = {.kind = MUTATES, .row = TL_OP_COUNT, .mutant = (mutant)m};
    add(f, "derivatives: %s", mutant_names[m]);
    f.on = SWEEP_MADE_BATCH;
    /* A batch has no constants of its own, no reversed loops, and the ops of what it calls instead of calls. */
    bool in_batches = m != CONSTANT_IN_FLOAT && m != LOOP_RUNS_FORWARD && m != ARGUMENTS_SWAPPED;
    if (in_batches) {
      add(f, "batches: %s", mutant_names[m]);
    }
  }
}

unsigned sweep_fault_count(void) {
  if (!faults) {
    list();
  }
  return fault_count;
}

const char *sweep_fault_name(unsigned i) { return i < sweep_fault_count() ? faults[i].name : "none"; }
tl_opcode sweep_fault_row(unsigned i) { return i < sweep_fault_count() ? faults[i].row : TL_OP_COUNT; }
void sweep_fault_plant(unsigned i) { planted = i < sweep_fault_count() ? &faults[i] : NULL; }

/* ---- rules ---- */

static bool is_planted(fault_kind kind, tl_opcode row, uint32_t which) {
  return planted && planted->kind == kind && planted->row == row && planted->which == which;
}

#define PLANT_ELEM(name)                                                                                               \
  static tl_value partial_##name(tl_builder *b, const tl_value *args, tl_value result, uint32_t which) {               \
    tl_value v = tl__partial_##name(b, args, result, which);                                                           \
    if (is_planted(PARTIAL_DROPPED, TL_OP_##name, which)) {                                                            \
      return TL_NO_VALUE;                                                                                              \
    }                                                                                                                  \
    return v && is_planted(PARTIAL_DOUBLED, TL_OP_##name, which) ? tl_build_binary(b, TL_OP_add, v, v) : v;            \
  }
#define PLANT_LINEAR(name)
#define PLANT_ZEROGRAD(name)
#define TL_ELT(name, class, arity, operands, result, samples, meaning, doc) PLANT_##class(name)
#include "ir/ops.def"
#undef PLANT_ELEM
#define PLANT_ELEM(name) [TL_OP_##name] = partial_##name,
#define TL_ELT(name, class, arity, operands, result, samples, meaning, doc) PLANT_##class(name)
extern tl_partial_fn *const __wrap_tl_partial_table[TL_OP_COUNT];
tl_partial_fn *const __wrap_tl_partial_table[TL_OP_COUNT] = {
#include "ir/ops.def"
};

static tl_value spoilt_cotangent(tl_builder *b, tl_opcode code, uint32_t which, tl_value v) {
  if (is_planted(COTANGENT_DROPPED, code, which)) {
    return TL_NO_VALUE;
  }
  return v && is_planted(COTANGENT_NEGATED, code, which) ? tl_build_unary(b, TL_OP_neg, v) : v;
}

static void spoil_tangents(const tl_op *op, const tl_value *tangents, tl_value *mine) {
  for (uint32_t i = 0; i < op->operand_count; i++) {
    mine[i] = is_planted(TANGENT_DROPPED, op->code, i) ? TL_NO_VALUE : tangents[i];
  }
}

enum { MOST_OPERANDS = 4 + TL_MAX_RANK };
#define WRAPPED(type, name, ...)                                                                                       \
  type __real_##name(__VA_ARGS__);                                                                                     \
  type __wrap_##name(__VA_ARGS__);                                                                                     \
  type __wrap_##name(__VA_ARGS__)

WRAPPED(tl_value, tl_op_tangent, tl_builder *b, const tl_op *op, const tl_value *args, tl_value result,
        const tl_value *tangents) {
  tl_value mine[MOST_OPERANDS];
  spoil_tangents(op, tangents, mine);
  return __real_tl_op_tangent(b, op, args, result, mine);
}

WRAPPED(tl_value, tl_tensor_op_tangent, tl_builder *b, const tl_op *op, const tl_value *args, tl_value result,
        const tl_value *tangents) {
  tl_value mine[MOST_OPERANDS];
  spoil_tangents(op, tangents, mine);
  return __real_tl_tensor_op_tangent(b, op, args, result, mine);
}

WRAPPED(tl_value, tl_op_cotangent, tl_builder *b, const tl_op *op, const tl_value *args, tl_value result, tl_value bar,
        uint32_t which) {
  return spoilt_cotangent(b, op->code, which, __real_tl_op_cotangent(b, op, args, result, bar, which));
}

WRAPPED(tl_value, tl_tensor_op_cotangent, tl_builder *b, const tl_op *op, const tl_value *args, tl_value result,
        tl_value bar, uint32_t which) {
  return spoilt_cotangent(b, op->code, which, __real_tl_tensor_op_cotangent(b, op, args, result, bar, which));
}

static tl_value spoilt_batch(tl_builder *b, tl_opcode code, tl_value v) {
  tl_type t = tl_type_of(b->func, v);
  if (is_planted(BATCH_DOUBLED, code, 0)) { /* of truth the contrary */
    return t.dtype == TL_BOOL ? tl_build_elementwise(b, TL_OP_not, TL_BOOL, &v) : tl_build_binary(b, TL_OP_add, v, v);
  }
  if (is_planted(BATCH_REVERSED, code, 0) && t.rank > 1) { /* the same elements, the last axes the wrong way round */
    tl_axes order = {.count = t.rank};
    for (int i = 0; i < t.rank; i++) {
      order.axis[i] = (int8_t)(t.rank - 1 - i);
    }
    tl_value turned = tl_build_tensor(b, TL_OP_transpose, &v, &(tl_attr){.axes = order});
    tl_type stated = tl_build_type(b, v);
    return tl_build_tensor(b, TL_OP_reshape, &turned, &(tl_attr){.shape = {t.rank, stated.extents}});
  }
  return v;
}

WRAPPED(tl_value, tl_batch_tensor_op, tl_builder *b, const tl_op *op, tl_type type, const tl_value *args,
        const bool *batched) {
  return spoilt_batch(b, op->code, __real_tl_batch_tensor_op(b, op, type, args, batched));
}

WRAPPED(tl_value, tl_batch_elementwise, tl_builder *b, const tl_op *op, tl_type type, const tl_value *args,
        const bool *batched) {
  return spoilt_batch(b, TL_OP_add, __real_tl_batch_elementwise(b, op, type, args, batched));
}

/* ---- what was made ---- */

static void replace_in(tl_region *r, const tl_op *after, tl_value from, tl_value to) {
  bool live = !after;
  for (uint32_t i = 0; i < r->ops.count; i++) {
    tl_op *op = r->ops.data[i];
    for (uint32_t k = 0; live && k < op->operand_count; k++) {
      op->operands[k] = op->operands[k] == from ? to : op->operands[k];
    }
    for (uint32_t k = 0; live && k < op->region_count; k++) {
      replace_in(op->regions[k], NULL, from, to);
    }
    live |= op == after;
  }
  for (uint32_t i = 0; i < r->yields.count; i++) {
    r->yields.data[i] = r->yields.data[i] == from ? to : r->yields.data[i];
  }
}

/* An op made right behind `at`. */
static tl_value insert(tl_func *f, tl_region *r, uint32_t at, tl_opcode code, tl_value x, tl_value y) {
  tl_builder b = {.func = f, .region = r};
  tl_value v = tl_build_binary(&b, code, x, y);
  tl_op *made = r->ops.data[r->ops.count - 1];
  memmove(r->ops.data + at + 2, r->ops.data + at + 1, (r->ops.count - at - 2) * sizeof *r->ops.data);
  r->ops.data[at + 1] = made;
  return v;
}

static tl_attr *own_attrs(tl_func *f, tl_op *op) {
  int count = tl_op_table[op->code].attr_count;
  tl_attr *attrs = TL_NEW_ARRAY(f->arena, tl_attr, count + 1);
  for (int i = 0; i < count; i++) {
    attrs[i] = op->attrs[i];
  }
  op->attrs = attrs;
  return attrs;
}

static bool same_type(const tl_func *f, tl_value x, tl_value y) {
  return x != y && tl_type_equal(tl_type_of(f, x), tl_type_of(f, y));
}

static void swap(tl_value *x, tl_value *y) {
  tl_value t = *x;
  *x = *y;
  *y = t;
}

static int rank_of(const tl_func *f, tl_value v) { return tl_type_of(f, v).rank; }
static bool is_float(const tl_func *f, tl_value v) { return tl_dtype_is_float(tl_type_of(f, v).dtype); }

static void mutate_loop(tl_func *f, tl_op *op) {
  tl_region *body = tl_loop_body(op), *cond = tl_loop_cond(op);
  switch ((int)planted->mutant) {
  case LOOP_RUNS_FORWARD:
    op->reversed = false;
    break;
  case CONDITION_NEGATED:
    if (cond->yields.count) {
      tl_builder b = {.func = f, .region = cond};
      cond->yields.data[0] = tl_build_unary(&b, TL_OP_not, cond->yields.data[0]);
    }
    break;
  case CARRY_LOST:
    for (uint32_t i = 0; i < tl_loop_carries(op); i++) {
      if (is_float(f, body->yields.data[i]) && !tl_type_of(f, body->yields.data[i]).is_array) {
        body->yields.data[i] = body->params.data[1 + i];
        break;
      }
    }
    break;
  }
}

/* Moves a bound of the loop at position *at of the region. */
static void move_bound(tl_func *f, tl_region *r, uint32_t *at, uint32_t which, tl_opcode code) {
  tl_op *op = r->ops.data[*at];
  tl_builder b = {.func = f, .region = r};
  tl_value one = tl_build_int(&b, tl_type_of(f, op->operands[which]).dtype, 1);
  tl_value moved = tl_build_binary(&b, code, op->operands[which], one);
  tl_op *made[] = {r->ops.data[r->ops.count - 2], r->ops.data[r->ops.count - 1]};
  memmove(r->ops.data + *at + 2, r->ops.data + *at, (r->ops.count - 2 - *at) * sizeof *r->ops.data);
  memcpy(r->ops.data + *at, made, sizeof made);
  op->operands[which] = moved;
  *at += 2;
}

static void mutate_op(tl_func *f, tl_region *r, uint32_t *at) {
  tl_op *op = r->ops.data[*at];
  tl_value result = op->result_count ? tl_op_result(op, 0) : TL_NO_VALUE;
  tl_type type = result ? tl_type_of(f, result) : tl_scalar(TL_BOOL);
  bool floats = tl_dtype_is_float(type.dtype);
  switch (planted->mutant) {
  case NAMES_DROPPED:
    if (type.is_tensor) {
      f->values.data[result].type.axis_names = NULL;
    }
    break;
  case CONSTANT_IN_FLOAT:
    if (op->code == TL_OP_const && floats) {
      op->u.floating = (float)op->u.floating;
    }
    break;
  case CONSTANT_OFF:
    if (op->code == TL_OP_const && floats) {
      op->u.floating = (long double)tl_dtype_round(type.dtype, op->u.floating + 0.125L);
    }
    break;
  case MODE_CLIPS:
  case MODE_DROPS:
    if (takes_indices(op->code)) {
      int at = op->code == TL_OP_window_gather || op->code == TL_OP_window_scatter ? 2 : 1;
      int64_t mode = op->attrs[at].integer;
      int64_t wrong = planted->mutant == MODE_CLIPS ? TL_INDEX_CLIP : TL_INDEX_DROP;
      own_attrs(f, op)[at].integer = mode == TL_INDEX_CHECK ? mode : wrong;
    }
    break;
  case SELECT_FIRST:
    if (op->code == TL_OP_select && same_type(f, op->operands[1], result)) {
      replace_in(r, op, result, op->operands[1]);
    }
    break;
  case SELECT_SWAPPED:
    if (op->code == TL_OP_select) {
      swap(&op->operands[1], &op->operands[2]);
    }
    break;
  case COMPARISON_FLIPPED:
    if (op->code == TL_OP_lt || op->code == TL_OP_gt || op->code == TL_OP_eq || op->code == TL_OP_le) {
      op->code = op->code == TL_OP_lt   ? TL_OP_gt
                 : op->code == TL_OP_gt ? TL_OP_lt
                 : op->code == TL_OP_eq ? TL_OP_ne
                                        : TL_OP_gt;
    }
    break;
  case TRANSPOSE_REVERSED:
    if (op->code == TL_OP_transpose && type.rank > 1) {
      tl_axes *order = &own_attrs(f, op)[0].axes;
      if (order->count < 0) {
        order->count = type.rank;
        for (int i = 0; i < type.rank; i++) {
          order->axis[i] = (int8_t)i;
        }
      } else {
        *order = TL_ALL;
      }
    }
    break;
  case SUM_OF_OTHER_AXIS:
    if (op->code == TL_OP_sum && op->attrs[0].axes.count > 0) {
      int rank = rank_of(f, op->operands[0]);
      int8_t *axis = own_attrs(f, op)[0].axes.axis;
      *axis = (int8_t)((*axis + rank + 1) % rank);
    }
    break;
  case SUM_IS_MAX:
    op->code = op->code == TL_OP_sum && floats ? TL_OP_max : op->code;
    break;
  case MAX_IS_SUM:
    op->code = op->code == TL_OP_max ? TL_OP_sum : op->code;
    break;
  case SOFTMAX_OF_OTHER_AXIS:
    if (op->code == TL_OP_softmax && type.rank > 1) {
      tl_attr *attrs = own_attrs(f, op);
      attrs[0].integer = (attrs[0].integer + type.rank + 1) % type.rank;
    }
    break;
  case PRODUCT_SWAPPED:
    if (op->code == TL_OP_matmul) {
      swap(&op->operands[0], &op->operands[1]);
    }
    break;
  case PRODUCT_SQUARED:
    if (op->code == TL_OP_mul && floats && same_type(f, op->operands[0], op->operands[1])) {
      op->operands[1] = op->operands[0];
    }
    break;
  case SUM_LOSES_TERM:
    if (op->code == TL_OP_add && floats && tl_type_equal(tl_type_of(f, op->operands[0]), type)) {
      replace_in(r, op, result, op->operands[0]);
    }
    break;
  case SUM_IS_DIFFERENCE:
    op->code = op->code == TL_OP_add && floats ? TL_OP_sub : op->code;
    break;
  case DIFFERENCE_IS_SUM:
    op->code = op->code == TL_OP_sub && floats ? TL_OP_add : op->code;
    break;
  case NEGATION_LOST:
    if (op->code == TL_OP_neg && floats) {
      replace_in(r, op, result, op->operands[0]);
    }
    break;
  case QUOTIENT_IS_PRODUCT:
    op->code = op->code == TL_OP_div && floats ? TL_OP_mul : op->code;
    break;
  case SINE_IS_COSINE:
    op->code = op->code == TL_OP_sin ? TL_OP_cos : op->code;
    break;
  case COSINE_IS_SINE:
    op->code = op->code == TL_OP_cos ? TL_OP_sin : op->code;
    break;
  case LOOP_ENDS_EARLY:
    if (op->code == TL_OP_loop && tl_loop_hi(op)) {
      move_bound(f, r, at, 1, TL_OP_sub);
    }
    break;
  case LOOP_STARTS_LATE:
    if (op->code == TL_OP_loop) {
      move_bound(f, r, at, 0, TL_OP_add);
    }
    break;
  case LOOP_RUNS_FORWARD:
  case CONDITION_NEGATED:
  case CARRY_LOST:
    if (op->code == TL_OP_loop) {
      mutate_loop(f, op);
    }
    break;
  case BRANCHES_SWAPPED:
    if (op->code == TL_OP_if) {
      tl_region *t = op->regions[0];
      op->regions[0] = op->regions[1];
      op->regions[1] = t;
    }
    break;
  case STORE_LOST:
    if (op->code == TL_OP_update && op->operand_count > 2) {
      replace_in(r, op, result, op->operands[0]);
    }
    break;
  case LOAD_OF_FIRST:
    if (op->code == TL_OP_index && op->operand_count == 2) {
      tl_value zero = insert(f, r, *at - 1, TL_OP_sub, op->operands[1], op->operands[1]);
      op->operands[1] = zero;
      ++*at;
    }
    break;
  case SCATTER_LOST:
    if (op->code == TL_OP_scatter_add || op->code == TL_OP_window_scatter) {
      replace_in(r, op, result, op->operands[0]);
    }
    break;
  case GATHER_OF_OTHER_AXIS:
    if ((op->code == TL_OP_gather || op->code == TL_OP_scatter_add) && rank_of(f, op->operands[0]) > 1) {
      int rank = rank_of(f, op->operands[0]);
      tl_attr *attrs = own_attrs(f, op);
      attrs[0].integer = (attrs[0].integer + rank + 1) % rank;
    }
    break;
  case EXTENT_OF_OTHER_AXIS:
    if (op->code == TL_OP_dim && rank_of(f, op->operands[0]) > 1) {
      op->u.integer = (op->u.integer + 1) % rank_of(f, op->operands[0]);
    }
    break;
  case ARGUMENTS_SWAPPED:
    for (uint32_t i = 1; op->code == TL_OP_call && i < op->operand_count; i++) {
      if (is_float(f, op->operands[i]) && same_type(f, op->operands[i], op->operands[i - 1])) {
        swap(&op->operands[i], &op->operands[i - 1]);
        break;
      }
    }
    break;
  case BROADCAST_OF_ZERO:
    if (op->code == TL_OP_broadcast && floats) {
      replace_in(r, op, result, insert(f, r, *at, TL_OP_add, result, result));
      tl_op *sum = r->ops.data[*at + 1];
      sum->operands[0] = sum->operands[1] = result;
      ++*at;
    }
    break;
  case PLACE_MOVED:
    if ((op->code == TL_OP_pick || op->code == TL_OP_place) && type.rank) {
      tl_attr *attrs = own_attrs(f, op);
      int64_t *start = TL_NEW_ARRAY(f->arena, int64_t, type.rank);
      memcpy(start, attrs[1].ints.at, sizeof *start * (size_t)type.rank);
      start[type.rank - 1]++;
      attrs[1].ints.at = start;
    }
    break;
  case REVERSE_LOST:
    if (op->code == TL_OP_reverse) {
      replace_in(r, op, result, op->operands[0]);
    }
    break;
  case REDUCER_REPLACES:
    if (op->code == TL_OP_window_scatter && op->attrs[1].integer == TL_REDUCE_ADD) {
      own_attrs(f, op)[1].integer = TL_REDUCE_REPLACE;
    }
    break;
  case RESULTS_SWAPPED:
  case MUTANT_COUNT:
    break;
  }
}

static void mutate_region(tl_func *f, tl_region *r) {
  for (uint32_t i = 0; i < r->ops.count; i++) {
    tl_op *op = r->ops.data[i];
    mutate_op(f, r, &i);
    for (uint32_t k = 0; k < op->region_count; k++) {
      mutate_region(f, op->regions[k]);
    }
  }
}

void sweep_made_function(tl_func *f, sweep_made made) {
  if (!planted || planted->kind != MUTATES || planted->on != made) {
    return;
  }
  mutate_region(f, f->body);
  for (uint32_t i = 1; planted->mutant == RESULTS_SWAPPED && i < f->body->yields.count; i++) {
    tl_value *y = f->body->yields.data;
    if (same_type(f, y[i], y[i - 1])) {
      swap(&y[i], &y[i - 1]);
      return;
    }
  }
}
