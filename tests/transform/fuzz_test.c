/* Seeded random programs through the passes in several orders: each gives what it gave before, and stays valid. A batch
 * of them gives what its examples give alone. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "eval.h"
#include "transform/derive.h"
#include "transform/transform.h"

typedef TL_VEC(tl_value) pool;

typedef struct maker {
  tl_builder b;
  uint64_t seed;
  pool floats, ints, bits; /* in scope */
  pool arrays;             /* live versions in scope: always f64[5] or f64[3, 4] */
  tl_value last_index;     /* in scope; 0..2 */
  tl_value ivs[4];         /* of the loops around, counted from 0 to a bound; 0 for other loops */
  int64_t bounds[4];
  int depth;
  int budget;
} maker;

static uint32_t pick(maker *m, uint32_t n) { return (uint32_t)(eval_random(&m->seed) % n); }
static tl_value any(maker *m, const pool *p) { return p->data[pick(m, p->count)]; }
static void add(maker *m, pool *p, tl_value v) { TL_PUSH(m->b.func->arena, *p, v); }

static tl_value any_index(maker *m, int64_t extent) {
  for (int i = m->depth; i-- > 0;) {
    if (m->ivs[i] && m->bounds[i] <= extent && pick(m, 3)) {
      return m->ivs[i];
    }
  }
  if (pick(m, 3) == 0) {
    return tl_build_int(&m->b, TL_I64, pick(m, (uint32_t)extent));
  }
  if (m->last_index && pick(m, 2)) {
    return m->last_index;
  }
  if (pick(m, 2)) { /* i & 1, or one more */
    tl_value r = tl_build_binary(&m->b, TL_OP_and, any(m, &m->ints), tl_build_int(&m->b, TL_I64, 1));
    tl_value next = tl_build_binary(&m->b, TL_OP_add, r, tl_build_int(&m->b, TL_I64, 1));
    add(m, &m->ints, r);
    m->last_index = pick(m, 2) ? r : next;
    return r == m->last_index ? next : r;
  }
  /* ((i % extent) + extent) % extent, so that the index is in range */
  tl_value e = tl_build_int(&m->b, TL_I64, extent);
  tl_value r = tl_build_binary(&m->b, TL_OP_rem, any(m, &m->ints), e);
  r = tl_build_binary(&m->b, TL_OP_rem, tl_build_binary(&m->b, TL_OP_add, r, e), e);
  add(m, &m->ints, r);
  return r;
}

static void yield(maker *m, tl_region *r, tl_value v) { TL_PUSH(m->b.func->arena, r->yields, v); }

static void make_block(maker *m, int depth);

static void make_scalar(maker *m) {
  static const tl_opcode floats[] = {TL_OP_add, TL_OP_sub, TL_OP_mul, TL_OP_div, TL_OP_fmax};
  static const tl_opcode ints[] = {TL_OP_add, TL_OP_sub, TL_OP_mul, TL_OP_and, TL_OP_xor};
  static const tl_opcode unary[] = {TL_OP_neg, TL_OP_fabs, TL_OP_floor};
  static const tl_opcode compare[] = {TL_OP_eq, TL_OP_ne, TL_OP_lt, TL_OP_ge};
  tl_builder *b = &m->b;
  switch (pick(m, 9)) {
  case 0:
  case 1:
    add(m, &m->floats, tl_build_binary(b, floats[pick(m, 5)], any(m, &m->floats), any(m, &m->floats)));
    break;
  case 2:
    add(m, &m->floats, tl_build_unary(b, unary[pick(m, 3)], any(m, &m->floats)));
    break;
  case 3:
    add(m, &m->ints, tl_build_binary(b, ints[pick(m, 5)], any(m, &m->ints), any(m, &m->ints)));
    break;
  case 4:
    add(m, &m->bits, tl_build_binary(b, compare[pick(m, 4)], any(m, &m->ints), any(m, &m->ints)));
    break;
  case 5:
    add(m, &m->bits,
        pick(m, 2) ? tl_build_unary(b, TL_OP_not, any(m, &m->bits))
                   : tl_build_binary(b, compare[pick(m, 4)], any(m, &m->floats), any(m, &m->floats)));
    break;
  case 6:
    add(m, &m->floats, tl_build_select(b, any(m, &m->bits), any(m, &m->floats), any(m, &m->floats)));
    break;
  case 7:
    add(m, &m->floats, tl_build_float(b, TL_F64, (int)pick(m, 4) - 1, NULL));
    add(m, &m->ints, tl_build_int(b, TL_I64, (int)pick(m, 4) - 1));
    break;
  case 8:
    add(m, &m->floats, tl_build_cvt(b, TL_F64, pick(m, 2) ? any(m, &m->ints) : any(m, &m->bits)));
    break;
  }
}

static uint32_t any_indices(maker *m, tl_value array, tl_value *out) {
  tl_type t = tl_type_of(m->b.func, array);
  for (int i = 0; i < t.rank; i++) {
    out[i] = any_index(m, t.extents[i].fixed);
  }
  return (uint32_t)t.rank;
}

static void make_array(maker *m) {
  tl_builder *b = &m->b;
  uint32_t which = pick(m, m->arrays.count);
  tl_value *a = &m->arrays.data[which], indices[2];
  switch (pick(m, 7)) {
  case 0:
  case 1: {
    uint32_t n = any_indices(m, *a, indices);
    add(m, &m->floats, tl_build_index(b, *a, n, indices));
    break;
  }
  case 2:
  case 3: {
    uint32_t n = any_indices(m, *a, indices);
    tl_value v = any(m, &m->floats);
    if (pick(m, 2)) { /* a[i] += v */
      v = tl_build_binary(b, TL_OP_add, tl_build_index(b, *a, n, indices), v);
    }
    *a = tl_build_update(b, *a, n, indices, v);
    if (pick(m, 2)) {
      add(m, &m->floats, tl_build_index(b, *a, n, indices));
    }
    break;
  }
  case 4:
    *a = tl_build_fill(b, *a, pick(m, 2) ? tl_build_zero(b, TL_F64) : any(m, &m->floats));
    break;
  case 5:
    if (pick(m, 2)) {
      *a = tl_build_clone(b, *a);
    } else if (m->arrays.count < 6) {
      add(m, &m->arrays, tl_build_clone(b, *a));
    }
    break;
  case 6: {
    tl_type t = tl_type_of(b->func, *a);
    tl_value fresh = tl_build_alloc(b, TL_F64, t.rank, t.extents, TL_ALLOC_ZEROED, NULL);
    if (pick(m, 2)) {
      fresh = tl_build_accumulate(b, fresh, *a);
    }
    if (m->arrays.count < 6) {
      add(m, &m->arrays, fresh);
    }
    break;
  }
  }
}

/* Values of an inner region go out of scope at its end; arrays get their outer versions back. */
typedef struct scope {
  uint32_t floats, ints, bits, arrays;
  tl_value versions[8];
} scope;

static scope enter(maker *m) {
  m->last_index = TL_NO_VALUE;
  scope s = {m->floats.count, m->ints.count, m->bits.count, m->arrays.count, {0}};
  for (uint32_t i = 0; i < s.arrays; i++) {
    s.versions[i] = m->arrays.data[i];
  }
  return s;
}

static void leave(maker *m, const scope *s) {
  m->last_index = TL_NO_VALUE;
  m->floats.count = s->floats;
  m->ints.count = s->ints;
  m->bits.count = s->bits;
  m->arrays.count = s->arrays;
  for (uint32_t i = 0; i < s->arrays; i++) {
    m->arrays.data[i] = s->versions[i];
  }
}

static void make_if(maker *m, int depth) {
  tl_region *around = m->b.region;
  tl_value condition = any(m, &m->bits);
  if (pick(m, 3) == 0) {
    condition = tl_build_unary(&m->b, TL_OP_not, condition);
    add(m, &m->bits, condition);
  }
  tl_op *op = tl_build_if(&m->b, condition);
  scope s = enter(m);
  uint32_t scalars = pick(m, 3), arrays = pick(m, s.arrays + 1);
  for (int k = 0; k < 2; k++) {
    m->b.region = op->regions[k];
    if (pick(m, 4)) {
      make_block(m, depth + 1);
    }
    for (uint32_t i = 0; i < scalars; i++) {
      yield(m, op->regions[k], any(m, &m->floats));
    }
    for (uint32_t i = 0; i < arrays; i++) {
      yield(m, op->regions[k], m->arrays.data[i]);
    }
    leave(m, &s);
  }
  m->b.region = around;
  tl_build_if_results(&m->b, op);
  for (uint32_t i = 0; i < scalars; i++) {
    add(m, &m->floats, op->first_result + i);
  }
  for (uint32_t i = 0; i < arrays; i++) {
    m->arrays.data[i] = op->first_result + scalars + i;
  }
}

static void make_loop(maker *m, int depth) {
  tl_region *around = m->b.region;
  static const int64_t extents[] = {5, 3, 4};
  bool unbounded = pick(m, 6) == 0, whole = !unbounded && pick(m, 2);
  int64_t bound = extents[pick(m, 3)];
  tl_value lo = tl_build_int(&m->b, TL_I64, whole || unbounded ? 0 : pick(m, 2)), hi;
  if (unbounded) {
    hi = TL_NO_VALUE;
  } else if (whole) {
    hi = tl_build_int(&m->b, TL_I64, bound);
  } else if (pick(m, 2)) {
    hi = tl_build_int(&m->b, TL_I64, pick(m, 4));
  } else {
    hi = tl_build_binary(&m->b, TL_OP_and, any(m, &m->ints), tl_build_int(&m->b, TL_I64, 3));
  }
  uint32_t floats = pick(m, 4), ints = unbounded ? 2 : pick(m, 3), arrays = pick(m, m->arrays.count + 1);
  tl_value inits[16];
  uint32_t n = 0;
  for (uint32_t i = 0; i < floats; i++) {
    inits[n] = i && pick(m, 3) == 0 ? inits[n - 1] : any(m, &m->floats);
    n++;
  }
  for (uint32_t i = 0; i < ints; i++) {
    inits[n++] = any(m, &m->ints);
  }
  for (uint32_t i = 0; i < arrays; i++) {
    inits[n++] = m->arrays.data[i];
  }
  tl_op *op = tl_build_loop(&m->b, lo, hi, whole || unbounded || pick(m, 4) ? 1 : 2, "i", n, inits);
  m->bounds[m->depth] = bound;
  scope s = enter(m);
  for (int k = 0; k < 2; k++) {
    tl_region *r = op->regions[k];
    if (k == 0 && !unbounded && pick(m, 3)) {
      op->reversed = pick(m, 4) == 0;
      continue;
    }
    m->b.region = r;
    m->ivs[m->depth++] = whole ? r->params.data[0] : TL_NO_VALUE;
    add(m, &m->ints, r->params.data[0]);
    for (uint32_t i = 0; i < n; i++) {
      tl_value p = r->params.data[i + 1];
      if (i < floats) {
        add(m, &m->floats, p);
      } else if (i < floats + ints) {
        add(m, &m->ints, p);
      } else {
        m->arrays.data[i - floats - ints] = p;
      }
    }
    if (k == 0) {
      static const tl_opcode compare[] = {TL_OP_lt, TL_OP_le, TL_OP_gt, TL_OP_ge};
      tl_value x = any(m, &m->floats), go = tl_build_binary(&m->b, TL_OP_lt, x, any(m, &m->floats));
      if (unbounded) {
        tl_value end = pick(m, 2) ? any(m, &m->ints) : tl_build_int(&m->b, TL_I64, (int)pick(m, 9) - 3);
        tl_value test = tl_build_binary(&m->b, compare[pick(m, 4)], r->params.data[1 + floats + pick(m, ints)], end);
        go = pick(m, 2) ? test : tl_build_binary(&m->b, TL_OP_and, test, go);
      }
      yield(m, r, go);
    } else {
      make_block(m, depth + 1);
      for (uint32_t i = 0; i < n; i++) {
        bool same = pick(m, 4) == 0;
        if (i >= floats && i < floats + ints && pick(m, 2)) { /* j += c */
          tl_value c = tl_build_int(&m->b, TL_I64, (int)pick(m, 4) - 1);
          yield(m, r, tl_build_binary(&m->b, pick(m, 2) ? TL_OP_add : TL_OP_sub, r->params.data[1 + i], c));
          continue;
        }
        tl_value own = r->params.data[1 + (i < floats ? pick(m, floats) : i)];
        yield(m, r,
              i >= floats + ints ? m->arrays.data[i - floats - ints]
              : same             ? own
              : i < floats       ? any(m, &m->floats)
                                 : any(m, &m->ints));
      }
    }
    m->depth--;
    leave(m, &s);
  }
  m->b.region = around;
  tl_build_loop_results(&m->b, op);
  for (uint32_t i = 0; i < n; i++) {
    tl_value v = op->first_result + i;
    if (i < floats) {
      add(m, &m->floats, v);
    } else if (i < floats + ints) {
      add(m, &m->ints, v);
    } else {
      m->arrays.data[i - floats - ints] = v;
    }
  }
  add(m, &m->ints, tl_loop_trips(op));
}

static void make_block(maker *m, int depth) {
  for (uint32_t n = 2 + pick(m, 6); n > 0 && m->budget > 0; n--) {
    m->budget--;
    uint32_t kind = pick(m, 12);
    if (kind == 0 && depth < 3) {
      make_if(m, depth);
    } else if (kind == 1 && depth < 3) {
      make_loop(m, depth);
    } else if (kind < 6) {
      make_array(m);
    } else {
      make_scalar(m);
    }
  }
}

static tl_func *make_program(tl_module *module, uint64_t seed) {
  tl_func *f = tl_func_create(module, "program");
  maker m = {.b = {.func = f, .region = f->body}, .seed = seed, .budget = 60};
  for (int i = 0; i < 3; i++) {
    add(&m, &m.floats, tl_region_add_param(f, f->body, tl_scalar(TL_F64), NULL));
    add(&m, &m.ints, tl_region_add_param(f, f->body, tl_scalar(TL_I64), NULL));
  }
  add(&m, &m.bits, tl_region_add_param(f, f->body, tl_scalar(TL_BOOL), NULL));
  tl_extent line[] = {{5, 0}}, table[] = {{3, 0}, {4, 0}};
  add(&m, &m.arrays, tl_region_add_param(f, f->body, tl_array_type(f, TL_F64, 1, line), NULL));
  add(&m, &m.arrays, tl_region_add_param(f, f->body, tl_array_type(f, TL_F64, 2, table), NULL));
  for (uint32_t i = 0; i < f->body->params.count; i++) {
    tl_type t = tl_type_of(f, f->body->params.data[i]);
    bool is_array = t.is_array;
    TL_PUSH(f->arena, f->cparams,
            (tl_cparam){.name = tl_arena_printf(f->arena, "p%u", i),
                        .declarator = "@",
                        .bare = "@",
                        .by_value = !is_array,
                        .role = is_array ? TL_ROLE_INOUT : TL_ROLE_INPUT});
    const char *access = t.rank == 2 ? "$[#][#]" : t.rank ? "$[#]" : "$";
    tl_param param = {.value = f->body->params.data[i], .cparam = i, .access = access, .is_memory = is_array};
    TL_PUSH(f->arena, f->params, param);
  }
  while (m.budget > 0) {
    make_block(&m, 0);
  }
  for (int i = 0; i < 2; i++) {
    yield(&m, f->body, m.floats.data[m.floats.count - 1 - pick(&m, 3)]);
    TL_PUSH(f->arena, f->results, (tl_result){.role = TL_RESULT_RETURN, .access = i ? "$.b" : "$.a"});
  }
  for (uint32_t i = 0; i < 2; i++) {
    yield(&m, f->body, m.arrays.data[i]);
    TL_PUSH(f->arena, f->results, (tl_result){.role = TL_RESULT_FINAL, .param = 7 + i});
  }
  f->return_declarator = "struct r";
  return f;
}

/* ---- array versions ---- */

static bool region_uses(const tl_region *r, tl_value v, uint32_t from) {
  for (uint32_t i = from; i < r->ops.count; i++) {
    const tl_op *op = r->ops.data[i];
    for (uint32_t k = 0; k < op->operand_count; k++) {
      if (op->operands[k] == v) {
        return true;
      }
    }
    for (uint32_t k = 0; k < op->region_count; k++) {
      if (region_uses(op->regions[k], v, 0)) {
        return true;
      }
    }
  }
  for (uint32_t i = 0; i < r->yields.count; i++) {
    if (r->yields.data[i] == v) {
      return true;
    }
  }
  return false;
}

static bool is_used_after(const tl_func *f, const tl_op *op, tl_value v) {
  for (;;) {
    const tl_region *r = op->parent;
    uint32_t at = 0;
    while (r->ops.data[at] != op) {
      at++;
    }
    if (region_uses(r, v, at + 1)) {
      return true;
    }
    if (tl_info(f, v)->region == r) {
      return false;
    }
    op = r->parent;
    if (op->code == TL_OP_loop) {
      return true;
    }
  }
}

static bool counts(const tl_func *f, tl_value v, bool wholes) {
  tl_type t = tl_type_of(f, v);
  return t.is_array && (!wholes || (t.rank && t.extents[0].value));
}

/* How many stores into an array would need a copy of it, because it is used again; `wholes`: an array of all examples.
 */
static int count_copies(const tl_func *f, const tl_region *r, bool wholes) {
  int copies = 0;
  for (uint32_t i = 0; i < r->ops.count; i++) {
    const tl_op *op = r->ops.data[i];
    if (op->code == TL_OP_update || op->code == TL_OP_fill || op->code == TL_OP_accumulate) {
      copies += counts(f, op->operands[0], wholes) && is_used_after(f, op, op->operands[0]);
    }
    for (uint32_t k = 0; k < tl_loop_carries(op) && op->code == TL_OP_loop; k++) {
      tl_value init = tl_loop_init(op, k);
      copies += counts(f, init, wholes) && is_used_after(f, op, init);
    }
    for (uint32_t k = 0; k < op->region_count; k++) {
      copies += count_copies(f, op->regions[k], wholes);
      for (uint32_t y = 0; y < op->regions[k]->yields.count; y++) {
        tl_value v = op->regions[k]->yields.data[y];
        bool outer = counts(f, v, wholes) && tl_info(f, v)->region != op->regions[k];
        copies += outer && is_used_after(f, op, v);
      }
    }
    copies += op->code == TL_OP_clone && counts(f, op->operands[0], wholes);
  }
  return copies;
}

typedef void pass(tl_func *, tl_arena *);
static pass *const orders[][9] = {
    {tl__simplify_run},
    {tl__cse_run},
    {tl__dce_run},
    {tl__hoist_run},
    {tl__fuse_run},
    {tl__shift_run},
    {tl__reuse_run},
    {tl__scalars_run},
    {tl__copies_run},
    {tl__sink_run},
    {tl__simplify_run, tl__dce_run, tl__scalars_run, tl__cse_run, tl__simplify_run, tl__dce_run},
    {tl__simplify_run, tl__cse_run, tl__dce_run, tl__fuse_run, tl__cse_run, tl__simplify_run, tl__dce_run},
    {tl__simplify_run, tl__copies_run, tl__cse_run, tl__fuse_run, tl__copies_run, tl__dce_run},
    {tl__simplify_run, tl__cse_run, tl__dce_run},
    {tl__simplify_run, tl__fuse_run, tl__dce_run, tl__shift_run, tl__cse_run, tl__simplify_run, tl__dce_run},
    {tl__dce_run, tl__hoist_run, tl__simplify_run, tl__dce_run},
    {tl__cse_run, tl__simplify_run, tl__hoist_run, tl__cse_run, tl__dce_run, tl__simplify_run, tl__cse_run,
     tl__dce_run},
};
enum { ORDERS = sizeof orders / sizeof *orders, ARGUMENTS = 3 };

static void check_valid(tl_func *f, uint64_t seed, const char *when) {
  tl_diag *d = f->module->diag;
  if (tl_func_verify(f) != TL_OK) {
    tl_func_print(f, stderr);
    fail_msg("program %llu %s: %s", (unsigned long long)seed, when, d->items.data[0].message);
  }
}

static void check_program(uint64_t seed, int order) {
  tl_arena arena, scratch;
  tl_arena_init(&arena);
  tl_arena_init(&scratch);
  tl_diag diag;
  tl_diag_init(&diag, &arena);
  tl_func *f = make_program(tl_module_create(&arena, &diag), seed);
  check_valid(f, seed, "as made");
  eval_value args[ARGUMENTS][16], before[ARGUMENTS][4], after[4];
  bool defined[ARGUMENTS];
  eval_state s;
  uint64_t draw = seed;
  for (int i = 0; i < ARGUMENTS; i++) {
    eval_random_args(f, &arena, &draw, args[i]);
    defined[i] = eval_function(&s, f, &arena, true, args[i], before[i], 3000);
  }
  for (int k = 0; orders[order][k]; k++) {
    orders[order][k](f, &scratch);
    check_valid(f, seed, "after a pass");
  }
  for (int i = 0; i < ARGUMENTS; i++) {
    if (!defined[i]) {
      continue;
    }
    bool ok = eval_function(&s, f, &arena, false, args[i], after, 10000);
    for (int k = 0; ok && k < 4; k++) {
      ok = eval_equal(&before[i][k], &after[k]);
    }
    if (!ok) {
      for (int k = 0; k < 4 && !s.failure; k++) {
        for (size_t c = 0; c < before[i][k].count; c++) {
          const eval_value *x = &before[i][k], *y = &after[k];
          print_error("result %d: %Lg, then %Lg\n", k, (x->is_array ? x->cells[c] : x->cell).x,
                      (y->is_array ? y->cells[c] : y->cell).x);
        }
      }
      fail_msg("program %llu, order %d gives another result%s%s", (unsigned long long)seed, order,
               s.failure ? ": " : "", s.failure ? s.failure : "");
    }
  }
  tl_arena_deinit(&scratch);
  tl_arena_deinit(&arena);
}

/* Passes never make the emitter copy more. */
static void check_copies(uint64_t seed, int order) {
  if (orders[order][0] == tl__fuse_run) {
    return; /* it counts on simplification: branches that hand the same array on twice */
  }
  tl_arena arena, scratch;
  tl_arena_init(&arena);
  tl_arena_init(&scratch);
  tl_diag diag;
  tl_diag_init(&diag, &arena);
  tl_func *plain = make_program(tl_module_create(&arena, &diag), seed);
  tl_func *f = make_program(tl_module_create(&arena, &diag), seed);
  tl__dce_run(plain, &scratch);
  for (int k = 0; orders[order][k]; k++) {
    orders[order][k](f, &scratch);
  }
  tl__dce_run(f, &scratch);
  int before = count_copies(plain, plain->body, false), after = count_copies(f, f->body, false);
  if (after > before) {
    tl_func_print(plain, stderr);
    tl_func_print(f, stderr);
    fail_msg("program %llu, order %d: %d copies became %d", (unsigned long long)seed, order, before, after);
  }
  tl_arena_deinit(&scratch);
  tl_arena_deinit(&arena);
}

/* ---- batches ---- */

enum { EXAMPLES = 3, PARAMS = 9, RESULTS = 4 };

/* The same parameter or result of all examples, one behind the other. */
static eval_value joined(tl_arena *arena, const eval_value *parts, uint32_t stride) {
  eval_value v = {.is_array = true, .is_float = parts->is_float, .rank = parts->rank + 1, .extents = {EXAMPLES}};
  v.count = EXAMPLES * parts->count;
  v.cells = TL_NEW_ARRAY(arena, eval_cell, v.count);
  for (int i = 0; i < parts->rank; i++) {
    v.extents[i + 1] = parts->extents[i];
  }
  for (size_t e = 0; e < EXAMPLES; e++) {
    const eval_value *part = parts + e * stride;
    for (size_t k = 0; k < part->count; k++) {
      v.cells[e * part->count + k] = part->is_array ? part->cells[k] : part->cell;
    }
  }
  return v;
}

/* Bit i of `choice`: parameter i is named. What the program writes is batched in any case. Whether the examples differ,
 * so that one in another's place would be seen. */
static bool check_batch(uint64_t seed, uint32_t choice) {
  tl_arena arena, scratch;
  tl_arena_init(&arena);
  tl_arena_init(&scratch);
  tl_diag diag;
  tl_diag_init(&diag, &arena);
  tl_func *f = make_program(tl_module_create(&arena, &diag), seed);
  const char *names[PARAMS + 1] = {"batch"};
  tl_derivation spec = {.intrinsic = TL_INTRINSIC_VMAP, .name = "batches", .wrt_count = 1, .wrt = names};
  eval_value args[EXAMPLES][16], want[EXAMPLES][RESULTS], batch_args[16], got[RESULTS];
  eval_state s;
  uint64_t draw = seed;
  bool defined = true;
  for (int e = 0; e < EXAMPLES; e++) {
    eval_random_args(f, &arena, &draw, args[e]);
  }
  batch_args[0] = (eval_value){.count = 1, .cell = {.i = EXAMPLES}};
  for (uint32_t i = 0; i < PARAMS; i++) {
    bool named = choice >> i & 1;
    if (named) {
      names[spec.wrt_count++] = f->cparams.data[i].name;
    }
    for (int e = 1; e < EXAMPLES && !named && !args[0][i].is_array; e++) {
      args[e][i] = args[0][i];
    }
    batch_args[i + 1] = named || args[0][i].is_array ? joined(&arena, &args[0][i], 16) : args[0][i];
  }
  for (int e = 0; e < EXAMPLES && defined; e++) {
    defined = eval_function(&s, f, &arena, true, args[e], want[e], 3000);
  }
  tl_func *h = tl_derive(f->module, f, &spec);
  if (!h) {
    fail_msg("program %llu has no batch: %s", (unsigned long long)seed, diag.items.data[0].message);
  }
  check_valid(h, seed, "in a batch");
  if (count_copies(h, h->body, true)) {
    tl_func_print(h, stderr);
    fail_msg("the batch of program %llu, choice %x, copies all examples", (unsigned long long)seed, choice);
  }
  for (uint32_t i = 0; i < 2 && defined; i++) { /* what was there is overwritten */
    batch_args[PARAMS + 1 + i] = joined(&arena, &want[0][i], 0);
  }
  if (defined && !eval_function(&s, h, &arena, false, batch_args, got, 40000)) {
    fail_msg("the batch of program %llu, choice %x: %s", (unsigned long long)seed, choice, s.failure);
  }
  for (int k = 0; k < RESULTS && defined; k++) {
    eval_value all = joined(&arena, &want[0][k], RESULTS);
    if (!eval_equal(&all, &got[k])) {
      fail_msg("the batch of program %llu, choice %x: result %d differs", (unsigned long long)seed, choice, k);
    }
  }
  bool differ = defined && !eval_equal(&want[0][2], &want[1][2]) && !eval_equal(&want[1][2], &want[2][2]);
  tl_arena_deinit(&scratch);
  tl_arena_deinit(&arena);
  return differ;
}

static uint64_t programs = 250;

static void batches_are_loops(void **state) {
  (void)state;
  uint64_t told_apart = 0;
  for (uint64_t seed = 1; seed <= 4 * programs; seed++) {
    uint64_t draw = seed;
    told_apart += check_batch(seed, (uint32_t)eval_random(&draw) & 0x1ff);
  }
  assert_true(told_apart > programs);
}

static void passes_keep_the_meaning(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= programs; seed++) {
    for (int order = 0; order < ORDERS; order++) {
      check_program(seed, order);
      check_copies(seed, order);
    }
  }
}

/* The check itself: a wrong result has to be found out. */
static void wrong_results_are_seen(void **state) {
  (void)state;
  static const struct {
    long double a, b;
    bool equal;
  } pairs[] = {{5, 5, true},
               {5, 5 + 1e-9L, true},
               {5, 5.001L, false},
               {5, -5, false},
               {INFINITY, INFINITY, true},
               {INFINITY, -INFINITY, false},
               {INFINITY, 5, false},
               {5, -INFINITY, false},
               {INFINITY, 1e300L, false},
               {NAN, NAN, true},
               {NAN, 5, false},
               {INFINITY, NAN, false}};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    eval_value a = {.is_float = true, .count = 1, .cell = {.x = pairs[i].a}}, b = a;
    b.cell.x = pairs[i].b;
    assert_int_equal(eval_equal(&a, &b), pairs[i].equal);
    assert_int_equal(eval_equal(&b, &a), pairs[i].equal);
    eval_value x = {.is_array = true, .is_float = true, .count = 2, .cells = (eval_cell[]){{.x = 1}, a.cell}}, y = x;
    y.cells = (eval_cell[]){{.x = 1}, b.cell};
    assert_int_equal(eval_equal(&x, &y), pairs[i].equal);
  }
}

/* fuzz_test [PROGRAMS] */
int main(int argc, char **argv) {
  if (argc > 1) {
    programs = strtoull(argv[1], NULL, 10);
  }
  const struct CMUnitTest tests[] = {cmocka_unit_test(passes_keep_the_meaning), cmocka_unit_test(batches_are_loops),
                                     cmocka_unit_test(wrong_results_are_seen)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
