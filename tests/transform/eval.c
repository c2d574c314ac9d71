#include "eval.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define FLOAT_OP(op, f32, f64, f80)                                                                                    \
  if (code == TL_OP_##op) {                                                                                            \
    return t == TL_F32 ? (long double)(f32) : t == TL_F64 ? (long double)(f64) : (f80);                                \
  }
#define ARITHMETIC(op, e) FLOAT_OP(op, a[0] e a[1], b[0] e b[1], c[0] e c[1])
#define UNARY(op) FLOAT_OP(op, op##f(a[0]), op(b[0]), op##l(c[0]))
#define BINARY(op) FLOAT_OP(op, op##f(a[0], a[1]), op(b[0], b[1]), op##l(c[0], c[1]))

static long double eval_float(tl_opcode code, tl_dtype t, const eval_cell *x, bool *known) {
  float a[3];
  double b[3];
  long double c[3];
  for (int i = 0; i < 3; i++) {
    c[i] = x[i].x;
    b[i] = (double)c[i];
    a[i] = (float)c[i];
  }
  ARITHMETIC(add, +)
  ARITHMETIC(sub, -)
  ARITHMETIC(mul, *)
  ARITHMETIC(div, /)
  FLOAT_OP(neg, -a[0], -b[0], -c[0])
  FLOAT_OP(fma, fmaf(a[0], a[1], a[2]), fma(b[0], b[1], b[2]), fmal(c[0], c[1], c[2]))
  UNARY(fabs)
  UNARY(sqrt)
  UNARY(exp)
  UNARY(log)
  UNARY(sin)
  UNARY(cos)
  UNARY(floor)
  UNARY(ceil)
  UNARY(trunc)
  BINARY(pow)
  BINARY(fmax)
  BINARY(fmin)
  BINARY(copysign)
  BINARY(fdim)
  BINARY(fmod)
  BINARY(remainder)
  BINARY(nextafter)
  UNARY(round)
  UNARY(rint)
  UNARY(nearbyint)
  *known = false;
  return 0;
}

static int64_t eval_int(tl_opcode code, tl_dtype t, int64_t a, int64_t b, bool *known) {
  uint64_t x = (uint64_t)a, y = (uint64_t)b;
  bool u = tl_dtype_is_unsigned(t);
  int bits = 8 * (int)tl_dtype_size(t);
  bool defined_shift = b >= 0 && b < bits;
  bool defined_division = b != 0 && (u || b != -1);
  if (code == TL_OP_add) {
    return (int64_t)(x + y);
  }
  if (code == TL_OP_sub) {
    return (int64_t)(x - y);
  }
  if (code == TL_OP_mul) {
    return (int64_t)(x * y);
  }
  if (code == TL_OP_neg) {
    return (int64_t)(0 - x);
  }
  if (code == TL_OP_and) {
    return a & b;
  }
  if (code == TL_OP_or) {
    return a | b;
  }
  if (code == TL_OP_xor) {
    return a ^ b;
  }
  if (code == TL_OP_bitnot) {
    return ~a;
  }
  if (code == TL_OP_not) {
    return !a;
  }
  if (code == TL_OP_div && defined_division) {
    return u ? (int64_t)(x / y) : a / b;
  }
  if (code == TL_OP_rem && defined_division) {
    return u ? (int64_t)(x % y) : a % b;
  }
  if (code == TL_OP_shl && defined_shift) {
    return (int64_t)(x << b);
  }
  if (code == TL_OP_shr && defined_shift) {
    return u ? (int64_t)(x >> b) : a >> b;
  }
  *known = false;
  return 0;
}

#define COMPARISON(op, e)                                                                                              \
  if (code == TL_OP_##op) {                                                                                            \
    return is_float ? x[0].x e x[1].x : u ? (uint64_t)x[0].i e(uint64_t) x[1].i : x[0].i e x[1].i;                     \
  }
static int compare(tl_opcode code, bool is_float, bool u, const eval_cell *x) {
  COMPARISON(eq, ==)
  COMPARISON(ne, !=)
  COMPARISON(lt, <)
  COMPARISON(le, <=)
  COMPARISON(gt, >)
  COMPARISON(ge, >=)
  return -1;
}

static eval_cell convert(tl_dtype from, tl_dtype to, eval_cell x, bool *known) {
  if (tl_dtype_is_float(from) && tl_dtype_is_float(to)) {
    return (eval_cell){.x = tl_dtype_round(to, x.x)};
  }
  if (tl_dtype_is_float(to)) {
    long double wide = from == TL_U64 ? (long double)(uint64_t)x.i : (long double)x.i;
    return (eval_cell){.x = tl_dtype_round(to, wide)};
  }
  if (!tl_dtype_is_float(from)) {
    return (eval_cell){.i = tl_dtype_wrap(to, x.i)};
  }
  if (to == TL_BOOL) {
    return (eval_cell){.i = x.x != 0};
  }
  *known = *known && fabsl(x.x) < 100;
  return (eval_cell){.i = *known && (x.x > -1 || !tl_dtype_is_unsigned(to)) ? tl_dtype_wrap(to, (int64_t)x.x) : 0};
}

eval_cell eval_elementwise(tl_opcode code, tl_dtype from, tl_dtype to, const eval_cell *x, bool *known) {
  bool is_float = tl_dtype_is_float(from);
  if (code == TL_OP_cvt) {
    return convert(from, to, x[0], known);
  }
  if (code == TL_OP_select) {
    return x[0].i ? x[1] : x[2];
  }
  if (code == TL_OP_signbit) {
    return (eval_cell){.i = signbit(x[0].x) != 0};
  }
  int comparison = compare(code, is_float, tl_dtype_is_unsigned(from), x);
  if (comparison >= 0) {
    return (eval_cell){.i = comparison};
  }
  if (is_float) {
    return (eval_cell){.x = eval_float(code, from, x, known)};
  }
  return (eval_cell){.i = tl_dtype_wrap(to, eval_int(code, from, x[0].i, x[1].i, known))};
}

bool eval_overflows(tl_opcode code, tl_dtype t, const eval_cell *x) {
  if (tl_dtype_is_float(t) || tl_dtype_is_unsigned(t)) {
    return false;
  }
  int64_t r = 0;
  bool wraps = code == TL_OP_add   ? __builtin_add_overflow(x[0].i, x[1].i, &r)
               : code == TL_OP_sub ? __builtin_sub_overflow(x[0].i, x[1].i, &r)
               : code == TL_OP_mul ? __builtin_mul_overflow(x[0].i, x[1].i, &r)
               : code == TL_OP_neg ? __builtin_sub_overflow(0, x[0].i, &r)
                                   : false;
  return wraps || tl_dtype_wrap(t, r) != r;
}

static bool fail(eval_state *s, const char *reason) {
  s->failure = reason;
  return false;
}

static bool shape(eval_state *s, tl_type t, eval_value *v) {
  v->is_array = true;
  v->rank = t.rank;
  v->is_float = tl_dtype_is_float(t.dtype);
  v->count = 1;
  for (int i = 0; i < t.rank; i++) {
    v->extents[i] = t.extents[i].value ? s->values[t.extents[i].value].cell.i : t.extents[i].fixed;
    if (v->extents[i] < 0 || v->extents[i] > 1000) {
      return fail(s, "extent");
    }
    v->count *= (size_t)v->extents[i];
  }
  v->cells = TL_NEW_ARRAY(s->arena, eval_cell, v->count + 1);
  return true;
}

static bool position(eval_state *s, const eval_value *a, const tl_value *indices, size_t *out) {
  size_t at = 0;
  for (int i = 0; i < a->rank; i++) {
    int64_t k = s->values[indices[i]].cell.i;
    if (k < 0 || k >= a->extents[i]) {
      return fail(s, "index");
    }
    at = at * (size_t)a->extents[i] + (size_t)k;
  }
  *out = at;
  return true;
}

static bool run_region(eval_state *s, const tl_region *r);

static bool run_loop(eval_state *s, const tl_op *op) {
  const tl_region *cond = tl_loop_cond(op), *body = tl_loop_body(op);
  uint32_t n = tl_loop_carries(op);
  tl_dtype t = tl_type_of(s->func, tl_loop_lo(op)).dtype;
  int64_t lo = s->values[tl_loop_lo(op)].cell.i, step = op->u.step, trips = 0, count = -1;
  eval_value *carries = TL_NEW_ARRAY(s->arena, eval_value, n + 1);
  for (uint32_t i = 0; i < n; i++) {
    carries[i] = s->values[tl_loop_init(op, i)];
  }
  if (tl_loop_hi(op)) {
    int64_t hi = s->values[tl_loop_hi(op)].cell.i;
    count = 0;
    while (count < 10000 && (step > 0 ? lo + count * step < hi : lo + count * step > hi)) {
      count++;
    }
  }
  for (; count < 0 || trips < count; trips++) {
    int64_t k = op->reversed ? count - 1 - trips : trips;
    eval_value iv = {.count = 1, .cell = {.i = tl_dtype_wrap(t, lo + k * step)}};
    s->values[cond->params.data[0]] = s->values[body->params.data[0]] = iv;
    for (uint32_t i = 0; i < n; i++) {
      s->values[cond->params.data[i + 1]] = s->values[body->params.data[i + 1]] = carries[i];
    }
    if (!run_region(s, cond)) {
      return false;
    }
    if (cond->yields.count && !s->values[cond->yields.data[0]].cell.i) {
      break;
    }
    if (!run_region(s, body)) {
      return false;
    }
    for (uint32_t i = 0; i < n; i++) {
      carries[i] = s->values[body->yields.data[i]];
    }
  }
  for (uint32_t i = 0; i < n; i++) {
    s->values[op->first_result + i] = carries[i];
  }
  s->values[tl_loop_trips(op)] = (eval_value){.count = 1, .cell = {.i = trips}};
  return true;
}

static bool run_array_op(eval_state *s, const tl_op *op) {
  const tl_func *f = s->func;
  eval_value v = {0};
  if (op->code == TL_OP_alloc) {
    if (!shape(s, tl_type_of(f, op->first_result), &v)) {
      return false;
    }
    for (size_t i = 0; i < v.count; i++) {
      if (v.is_float) {
        v.cells[i].x = op->u.flags & TL_ALLOC_ZEROED ? 0 : 777;
      } else {
        v.cells[i].i = op->u.flags & TL_ALLOC_ZEROED ? 0 : 777;
      }
    }
    s->values[op->first_result] = v;
    return true;
  }
  const eval_value *a = &s->values[op->operands[0]];
  size_t at;
  if (op->code == TL_OP_index) {
    if (!position(s, a, op->operands + 1, &at)) {
      return false;
    }
    s->values[op->first_result] = (eval_value){.is_float = a->is_float, .count = 1, .cell = a->cells[at]};
    return true;
  }
  v = *a;
  v.cells = TL_NEW_ARRAY(s->arena, eval_cell, v.count + 1);
  memcpy(v.cells, a->cells, v.count * sizeof *v.cells);
  if (op->code == TL_OP_update) {
    if (!position(s, a, op->operands + 1, &at)) {
      return false;
    }
    v.cells[at] = s->values[op->operands[op->operand_count - 1]].cell;
  }
  for (size_t i = 0; i < v.count; i++) {
    if (op->code == TL_OP_fill) {
      v.cells[i] = s->values[op->operands[1]].cell;
    } else if (op->code == TL_OP_accumulate && v.is_float) {
      v.cells[i].x =
          tl_dtype_round(tl_type_of(f, op->first_result).dtype, v.cells[i].x + s->values[op->operands[1]].cells[i].x);
    } else if (op->code == TL_OP_accumulate) {
      v.cells[i].i += s->values[op->operands[1]].cells[i].i;
    }
  }
  s->values[op->first_result] = v;
  return true;
}

static bool run_op(eval_state *s, const tl_op *op) {
  const tl_func *f = s->func;
  if (s->steps-- <= 0) {
    return fail(s, "steps");
  }
  if (op->code == TL_OP_const) {
    bool is_float = tl_dtype_is_float(tl_type_of(f, op->first_result).dtype);
    eval_cell c = is_float ? (eval_cell){.x = op->u.floating} : (eval_cell){.i = op->u.integer};
    s->values[op->first_result] = (eval_value){.is_float = is_float, .count = 1, .cell = c};
    return true;
  }
  if (tl_op_table[op->code].elementwise) {
    eval_cell x[3] = {{0}};
    for (uint32_t i = 0; i < op->operand_count; i++) {
      x[i] = s->values[op->operands[i]].cell;
    }
    tl_dtype from = tl_type_of(f, op->operands[op->code == TL_OP_select ? 1 : 0]).dtype;
    tl_dtype to = tl_type_of(f, op->first_result).dtype;
    bool known = !(s->strict && tl_dtype_is_float(to) == tl_dtype_is_float(from) && eval_overflows(op->code, to, x));
    eval_cell c = eval_elementwise(op->code, from, to, x, &known);
    s->values[op->first_result] = (eval_value){.is_float = tl_dtype_is_float(to), .count = 1, .cell = c};
    /* Zeros of either sign count as one here, and a quotient tells them apart. */
    known = known && !(s->strict && op->code == TL_OP_div && tl_dtype_is_float(from) && x[1].x == 0);
    return known || fail(s, "undefined");
  }
  if (op->code == TL_OP_if) {
    const tl_region *taken = op->regions[s->values[op->operands[0]].cell.i ? 0 : 1];
    if (!run_region(s, taken)) {
      return false;
    }
    for (uint32_t i = 0; i < op->result_count; i++) {
      s->values[op->first_result + i] = s->values[taken->yields.data[i]];
    }
    return true;
  }
  if (op->code == TL_OP_loop) {
    return run_loop(s, op);
  }
  return op->code == TL_OP_call || op->code == TL_OP_extern ? fail(s, "call") : run_array_op(s, op);
}

static bool run_region(eval_state *s, const tl_region *r) {
  for (uint32_t i = 0; i < r->ops.count; i++) {
    if (!run_op(s, r->ops.data[i])) {
      return false;
    }
  }
  return true;
}

bool eval_function(eval_state *s, const tl_func *f, tl_arena *arena, bool strict, const eval_value *args,
                   eval_value *out, int64_t most_steps) {
  *s = (eval_state){.func = f, .arena = arena, .steps = most_steps, .strict = strict};
  s->values = TL_NEW_ARRAY(arena, eval_value, f->values.count);
  for (uint32_t i = 0; i < f->body->params.count; i++) {
    s->values[f->body->params.data[i]] = args[i];
  }
  if (!run_region(s, f->body)) {
    return false;
  }
  for (uint32_t i = 0; i < f->body->yields.count; i++) {
    out[i] = s->values[f->body->yields.data[i]];
  }
  s->steps = most_steps - s->steps;
  return true;
}

bool eval_cells_equal(bool is_float, eval_cell a, eval_cell b, bool zero_signs) {
  if (!is_float) {
    return a.i == b.i;
  }
  if (isnan(a.x) || isnan(b.x)) {
    return isnan(a.x) && isnan(b.x);
  }
  return a.x == b.x && (!zero_signs || a.x != 0 || !signbit(a.x) == !signbit(b.x));
}

/* Sums in another order. Of an infinity any number would be near. */
static bool is_near(eval_cell a, eval_cell b) {
  return isfinite(a.x) && isfinite(b.x) && fabsl(a.x - b.x) <= 1e-9L * (fabsl(a.x) + fabsl(b.x));
}

bool eval_equal(const eval_value *a, const eval_value *b) {
  if (a->is_array != b->is_array || a->is_float != b->is_float || a->count != b->count) {
    return false;
  }
  for (size_t i = 0; i < a->count; i++) {
    eval_cell x = a->is_array ? a->cells[i] : a->cell, y = b->is_array ? b->cells[i] : b->cell;
    if (!eval_cells_equal(a->is_float, x, y, false) && !(a->is_float && is_near(x, y))) {
      return false;
    }
  }
  return true;
}

uint64_t eval_random(uint64_t *seed) {
  uint64_t z = *seed += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static eval_cell random_cell(tl_dtype t, uint64_t *seed) {
  if (tl_dtype_is_float(t)) {
    return (eval_cell){.x = tl_dtype_round(t, (long double)(eval_random(seed) % 8000) / 1000 - 4)};
  }
  return (eval_cell){.i = t == TL_BOOL ? (int64_t)(eval_random(seed) % 2) : (int64_t)(eval_random(seed) % 6)};
}

void eval_random_args(const tl_func *f, tl_arena *arena, uint64_t *seed, eval_value *out) {
  eval_state s = {.func = f, .arena = arena, .values = TL_NEW_ARRAY(arena, eval_value, f->values.count)};
  for (uint32_t pass = 0; pass < 2; pass++) {
    for (uint32_t i = 0; i < f->body->params.count; i++) {
      tl_value p = f->body->params.data[i];
      tl_type t = tl_type_of(f, p);
      if (t.is_array != (pass == 1)) {
        continue;
      }
      eval_value v = {.is_float = tl_dtype_is_float(t.dtype), .count = 1};
      if (t.is_array) {
        bool ok = shape(&s, t, &v);
        assert(ok), (void)ok;
        for (size_t k = 0; k < v.count; k++) {
          v.cells[k] = random_cell(t.dtype, seed);
        }
      } else {
        v.cell = random_cell(t.dtype, seed);
      }
      out[i] = s.values[p] = v;
    }
  }
}
