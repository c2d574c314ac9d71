/* Random DXIR for the emitter. Values of several types; arrays of fixed and symbolic extents, cells, tapes and arrays
 * that grow; older versions of arrays are used now and then, so that copies are needed. */
#include "rig.h"

typedef TL_VEC(tl_value) pool;

typedef struct maker {
  tl_builder b;
  uint64_t seed;
  pool floats[2], ints[2], bits, arrays; /* f64 and f32; i64 and i32 */
  tl_value extent, extent32;             /* symbolic: u64; i32 */
  int budget, depth;
} maker;

static uint32_t pick(maker *m, uint32_t n) { return (uint32_t)(rig_random(&m->seed) >> 20) % n; }
static tl_value any(maker *m, const pool *p) {
  uint32_t recent = pick(m, 2) && p->count > 6 ? 6 : p->count;
  return p->data[p->count - 1 - pick(m, recent)];
}
static void add(maker *m, pool *p, tl_value v) { TL_PUSH(m->b.func->arena, *p, v); }
static void yield(maker *m, tl_region *r, tl_value v) { TL_PUSH(m->b.func->arena, r->yields, v); }

static const char *const names[] = {"s", "t", "x", "y", "s_bar", "x_bar", "next", "sin"};

static void name(maker *m, tl_value v) {
  tl_value_info *info = &m->b.func->values.data[v];
  if (info->op && info->op->code != TL_OP_const && pick(m, 3) == 0) {
    info->name = names[pick(m, 8)];
  }
}

static pool *pool_of(maker *m, tl_value v) {
  tl_type t = tl_type_of(m->b.func, v);
  if (t.is_array) {
    return &m->arrays;
  }
  switch ((int)t.dtype) {
  case TL_F64:
    return &m->floats[0];
  case TL_F32:
    return &m->floats[1];
  case TL_I64:
    return &m->ints[0];
  case TL_I32:
    return &m->ints[1];
  default:
    return &m->bits;
  }
}

static void keep(maker *m, tl_value v) {
  name(m, v);
  add(m, pool_of(m, v), v);
}

static void make_scalar(maker *m) {
  static const tl_opcode floats[] = {TL_OP_add, TL_OP_sub, TL_OP_mul, TL_OP_div, TL_OP_fmax, TL_OP_copysign};
  static const tl_opcode ints[] = {TL_OP_add, TL_OP_sub, TL_OP_mul, TL_OP_and, TL_OP_xor, TL_OP_or};
  static const tl_opcode unary[] = {TL_OP_neg, TL_OP_fabs, TL_OP_floor, TL_OP_sqrt};
  static const tl_opcode compare[] = {TL_OP_eq, TL_OP_ne, TL_OP_lt, TL_OP_ge, TL_OP_gt, TL_OP_le};
  tl_builder *b = &m->b;
  const pool *f = &m->floats[pick(m, 4) == 0], *k = &m->ints[pick(m, 3) == 0];
  switch (pick(m, 14)) {
  case 0:
  case 1:
  case 2:
    keep(m, tl_build_binary(b, floats[pick(m, 6)], any(m, f), any(m, f)));
    break;
  case 3:
    keep(m, tl_build_unary(b, unary[pick(m, 4)], any(m, f)));
    break;
  case 4:
  case 5:
    keep(m, tl_build_binary(b, ints[pick(m, 6)], any(m, k), any(m, k)));
    break;
  case 6:
    keep(m, tl_build_binary(b, compare[pick(m, 6)], any(m, k), any(m, k)));
    break;
  case 7:
    keep(m, tl_build_binary(b, compare[pick(m, 6)], any(m, f), any(m, f)));
    break;
  case 8: {
    static const tl_opcode logic[] = {TL_OP_and, TL_OP_or, TL_OP_xor, TL_OP_xor};
    keep(m, pick(m, 3) ? tl_build_binary(b, logic[pick(m, 4)], any(m, &m->bits), any(m, &m->bits))
                       : tl_build_unary(b, TL_OP_not, any(m, &m->bits)));
    break;
  }
  case 9: {
    const pool *p = pick(m, 3) == 0 ? &m->bits : pick(m, 2) ? f : k;
    keep(m, tl_build_select(b, any(m, &m->bits), any(m, p), any(m, p)));
    break;
  }
  case 10:
    keep(m, tl_build_float(b, pick(m, 3) ? TL_F64 : TL_F32, (int)pick(m, 5) - 2, NULL));
    keep(m, tl_build_int(b, pick(m, 2) ? TL_I64 : TL_I32, (int)pick(m, 4) - 1));
    break;
  case 11: { /* conversions that lose nothing surprising */
    static const tl_dtype to[] = {TL_F64, TL_F32, TL_I64, TL_I32};
    const pool *p = pick(m, 3) == 0 ? &m->bits : k;
    keep(m, tl_build_cvt(b, to[pick(m, 4)], any(m, p)));
    break;
  }
  case 12:
    keep(m,
         pick(m, 2) ? tl_build_cvt(b, TL_F64, any(m, &m->floats[1])) : tl_build_cvt(b, TL_F32, any(m, &m->floats[0])));
    break;
  case 13: { /* through types narrower than int */
    static const tl_dtype small[] = {TL_I8, TL_U8, TL_I16, TL_U16, TL_U32, TL_U64};
    tl_dtype d = small[pick(m, 6)];
    tl_value x = tl_build_cvt(b, d, any(m, k)), y = tl_build_cvt(b, d, any(m, k));
    tl_value z = tl_build_binary(b, ints[pick(m, 6)], x, y);
    if (pick(m, 2)) {
      z = tl_build_unary(b, pick(m, 2) ? TL_OP_neg : TL_OP_bitnot, z);
    }
    keep(m, pick(m, 3) ? tl_build_cvt(b, TL_I64, z) : tl_build_binary(b, compare[pick(m, 6)], z, y));
    break;
  }
  }
}

/* An index in range for an extent of at least 1; with a symbolic extent the access stands under a guard. */
static tl_value any_index(maker *m, tl_extent extent) {
  tl_builder *b = &m->b;
  if (extent.value == TL_NO_VALUE) {
    if (pick(m, 2)) {
      return tl_build_int(b, pick(m, 2) ? TL_I64 : TL_I32, pick(m, (uint32_t)extent.fixed));
    }
    tl_value e = tl_build_int(b, TL_I64, extent.fixed);
    tl_value r = tl_build_binary(b, TL_OP_rem, any(m, &m->ints[0]), e);
    return tl_build_binary(b, TL_OP_rem, tl_build_binary(b, TL_OP_add, r, e), e);
  }
  tl_value e = tl_build_cvt(b, TL_I64, extent.value);
  tl_value one = tl_build_int(b, TL_I64, 1);
  tl_value zero = tl_build_int(b, TL_I64, 0);
  e = tl_build_select(b, tl_build_binary(b, TL_OP_gt, e, zero), e, one);
  tl_value r = tl_build_binary(b, TL_OP_rem, any(m, &m->ints[0]), e);
  return tl_build_binary(b, TL_OP_rem, tl_build_binary(b, TL_OP_add, r, e), e);
}

static uint32_t any_indices(maker *m, tl_value array, tl_value *out) {
  tl_type t = tl_type_of(m->b.func, array);
  for (int i = 0; i < t.rank; i++) {
    out[i] = any_index(m, t.extents[i]);
  }
  return (uint32_t)t.rank;
}

static tl_value float_of(maker *m, tl_value array) {
  return any(m, &m->floats[tl_type_of(m->b.func, array).dtype == TL_F32]);
}

static bool same_shape(const tl_func *f, tl_value a, tl_value b) {
  tl_type s = tl_type_of(f, a), t = tl_type_of(f, b);
  bool same = s.dtype == t.dtype && s.rank == t.rank;
  for (int i = 0; same && i < s.rank; i++) {
    same = s.extents[i].fixed == t.extents[i].fixed && s.extents[i].value == t.extents[i].value;
  }
  return same;
}

/* c: the array has elements. */
static tl_value guard(maker *m, tl_value array) {
  tl_type t = tl_type_of(m->b.func, array);
  tl_value c = TL_NO_VALUE;
  for (int i = 0; i < t.rank; i++) {
    if (t.extents[i].value != TL_NO_VALUE) {
      tl_dtype d = tl_type_of(m->b.func, t.extents[i].value).dtype;
      tl_value has = tl_build_binary(&m->b, TL_OP_gt, t.extents[i].value, tl_build_int(&m->b, d, 0));
      c = c == TL_NO_VALUE ? has : tl_build_binary(&m->b, TL_OP_and, c, has);
    }
  }
  return c;
}

static void make_update(maker *m, tl_value *a) {
  tl_builder *b = &m->b;
  tl_value c = guard(m, *a), indices[4], old = *a;
  tl_op *op = NULL;
  tl_region *around = b->region;
  if (c != TL_NO_VALUE) {
    op = tl_build_if(b, c);
    b->region = op->regions[0];
  }
  uint32_t n = any_indices(m, *a, indices);
  tl_value v = float_of(m, *a);
  if (pick(m, 2)) {
    static const tl_opcode ops[] = {TL_OP_add, TL_OP_sub, TL_OP_mul};
    tl_value e = tl_build_index(b, *a, n, indices);
    v = pick(m, 2) ? tl_build_binary(b, ops[pick(m, 3)], e, v) : tl_build_binary(b, ops[pick(m, 3)], v, e);
  }
  *a = tl_build_update(b, *a, n, indices, v);
  if (op) {
    yield(m, op->regions[0], *a);
    yield(m, op->regions[1], old);
    b->region = around;
    tl_build_if_results(b, op);
    *a = op->first_result;
  }
}

static void make_load(maker *m, tl_value a) {
  tl_builder *b = &m->b;
  tl_value c = guard(m, a), indices[4];
  tl_op *op = NULL;
  tl_region *around = b->region;
  if (c != TL_NO_VALUE) {
    op = tl_build_if(b, c);
    b->region = op->regions[0];
  }
  uint32_t n = any_indices(m, a, indices);
  tl_value v = tl_build_index(b, a, n, indices);
  if (op) {
    yield(m, op->regions[0], v);
    b->region = op->regions[1];
    yield(m, op->regions[1], tl_build_zero(b, tl_type_of(b->func, a).dtype));
    b->region = around;
    tl_build_if_results(b, op);
    v = op->first_result;
    b->func->values.data[v].name = NULL;
  }
  keep(m, v);
}

static void make_alloc(maker *m) {
  tl_builder *b = &m->b;
  tl_extent shapes[][2] = {{{5, 0}, {0, 0}}, {{0, m->extent}, {0, 0}}, {{3, 0}, {4, 0}}, {{0, m->extent32}, {3, 0}}};
  uint32_t s = pick(m, 5);
  unsigned flags = TL_ALLOC_ZEROED | (pick(m, 3) == 0 ? TL_ALLOC_TAPE : pick(m, 2) ? TL_ALLOC_LOCAL : 0);
  tl_dtype d = pick(m, 4) ? TL_F64 : TL_F32;
  tl_value a = s == 4 ? tl_build_alloc(b, d, 0, NULL, TL_ALLOC_ZEROED, "cell")
                      : tl_build_alloc(b, d, s < 2 ? 1 : 2, shapes[s], flags, pick(m, 2) ? names[pick(m, 8)] : NULL);
  add(m, &m->arrays, a);
}

static void make_array(maker *m) {
  tl_builder *b = &m->b;
  uint32_t which = pick(m, m->arrays.count);
  tl_value *a = &m->arrays.data[which];
  switch (pick(m, 12)) {
  case 10:
  case 11: /* a sum into a copy or a fresh array */
  case 8:
    for (uint32_t i = 0; i < m->arrays.count; i++) {
      uint32_t other = (which + 1 + i) % m->arrays.count;
      if (other != which && same_shape(b->func, *a, m->arrays.data[other])) {
        *a = tl_build_accumulate(b, *a, m->arrays.data[other]);
        break;
      }
    }
    break;
  case 0:
  case 1:
  case 2:
    make_load(m, *a);
    break;
  case 3:
  case 4:
  case 5: {
    tl_value old = *a, next = old;
    make_update(m, &next);
    m->arrays.data[which] = next;
    if (pick(m, 12) == 0) { /* the old version stays in use */
      add(m, &m->arrays, old);
    }
    break;
  }
  case 6:
    *a = tl_build_fill(b, *a, pick(m, 2) ? tl_build_zero(b, tl_type_of(b->func, *a).dtype) : float_of(m, *a));
    break;
  case 7:
    add(m, &m->arrays, tl_build_clone(b, *a));
    break;
  case 9:
    make_alloc(m);
    break;
  }
}

typedef struct scope {
  uint32_t counts[6];
  tl_value versions[64];
} scope;

static pool *nth(maker *m, int i) {
  pool *all[] = {&m->floats[0], &m->floats[1], &m->ints[0], &m->ints[1], &m->bits, &m->arrays};
  return all[i];
}

static scope enter(maker *m) {
  scope s = {0};
  for (int i = 0; i < 6; i++) {
    s.counts[i] = nth(m, i)->count;
  }
  for (uint32_t i = 0; i < m->arrays.count && i < 64; i++) {
    s.versions[i] = m->arrays.data[i];
  }
  m->depth++;
  return s;
}

static void leave(maker *m, const scope *s) {
  for (int i = 0; i < 6; i++) {
    nth(m, i)->count = s->counts[i];
  }
  for (uint32_t i = 0; i < m->arrays.count; i++) {
    m->arrays.data[i] = s->versions[i];
  }
  m->depth--;
}

static void make_block(maker *m);

static pool *any_pool(maker *m) {
  uint32_t k = pick(m, 8);
  return k < 4 ? &m->floats[0] : k == 4 ? &m->floats[1] : k == 5 ? &m->bits : &m->ints[k - 6];
}

static void make_if(maker *m) {
  tl_builder *b = &m->b;
  tl_region *around = b->region;
  tl_op *op = tl_build_if(b, any(m, &m->bits));
  scope s = enter(m);
  pool *pools[4];
  uint32_t scalars = pick(m, 4), arrays = pick(m, m->arrays.count + 1);
  for (uint32_t i = 0; i < scalars; i++) {
    pools[i] = any_pool(m);
  }
  bool small = pick(m, 3) == 0;
  for (int k = 0; k < 2; k++) {
    b->region = op->regions[k];
    if (small) {
      make_scalar(m);
    } else if (pick(m, 3)) {
      make_block(m);
    }
    for (uint32_t i = 0; i < scalars; i++) {
      yield(m, b->region, any(m, pools[i]));
    }
    for (uint32_t i = 0; i < arrays; i++) {
      yield(m, b->region, m->arrays.data[i]);
    }
    leave(m, &s);
    m->depth++;
  }
  m->depth--;
  b->region = around;
  tl_build_if_results(b, op);
  for (uint32_t i = 0; i < scalars; i++) {
    if (pick(m, 2)) {
      b->func->values.data[op->first_result + i].name = pick(m, 2) ? names[pick(m, 8)] : NULL;
    }
    add(m, pools[i], op->first_result + i);
  }
  for (uint32_t i = 0; i < arrays; i++) {
    m->arrays.data[i] = op->first_result + scalars + i;
  }
}

static void make_loop(maker *m) {
  tl_builder *b = &m->b;
  tl_region *around = b->region;
  static const tl_dtype ivs[] = {TL_I64, TL_I32, TL_U64};
  tl_dtype d = ivs[pick(m, 3)];
  int64_t step = pick(m, 3) ? 1 : pick(m, 2) ? -1 : (int)pick(m, 2) ? 2 : -2;
  if (step == -2 && d == TL_U64) {
    step = 2; /* it would pass zero */
  }
  tl_value lo = tl_build_int(b, d, pick(m, 3)), hi;
  bool dynamic = pick(m, 2);
  if (!dynamic) {
    hi = tl_build_int(b, d, pick(m, 5));
  } else if (pick(m, 2)) {
    hi = tl_build_cvt(b, d, m->extent);
  } else {
    hi = tl_build_cvt(b, d, tl_build_binary(b, TL_OP_and, any(m, &m->ints[0]), tl_build_int(b, TL_I64, 3)));
  }
  if (d != TL_U64 && pick(m, 4) == 0) {
    hi = tl_build_binary(b, TL_OP_add, hi, tl_build_int(b, d, 1));
  }
  if (step < 0) {
    tl_value t = lo;
    lo = hi;
    hi = t;
  }
  bool conditional = pick(m, 3) == 0;
  if (conditional && pick(m, 3) == 0) {
    hi = TL_NO_VALUE; /* stopped by the condition */
  }
  tl_value inits[80];
  pool *pools[5];
  uint32_t n = 0, scalars = pick(m, 5), arrays = pick(m, m->arrays.count + 1);
  for (uint32_t i = 0; i < scalars; i++) {
    pools[i] = i && pick(m, 2) ? pools[i - 1] : any_pool(m);
    inits[n++] = any(m, pools[i]);
  }
  for (uint32_t i = 0; i < arrays; i++) {
    inits[n++] = m->arrays.data[i];
  }
  tl_op *op = tl_build_loop(b, lo, hi, step, pick(m, 2) ? "i" : NULL, n, inits);
  op->reversed = hi != TL_NO_VALUE && !conditional && pick(m, 3) == 0;
  scope s = enter(m);
  for (int k = 0; k < 2; k++) {
    tl_region *r = op->regions[k];
    if (k == 0 && !conditional) {
      continue;
    }
    b->region = r;
    tl_value iv = tl_build_cvt(b, TL_I64, r->params.data[0]);
    add(m, &m->ints[0], iv);
    for (uint32_t i = 0; i < scalars; i++) {
      add(m, pools[i], r->params.data[i + 1]);
    }
    for (uint32_t i = 0; i < arrays; i++) {
      m->arrays.data[i] = r->params.data[1 + scalars + i];
    }
    if (k == 0) {
      for (uint32_t i = pick(m, 3); i > 0; i--) {
        make_scalar(m);
      }
      tl_value c = any(m, &m->bits);
      if (hi == TL_NO_VALUE) {
        tl_value limit = tl_build_int(b, TL_I64, step > 0 ? 5 : -5);
        c = tl_build_binary(b, TL_OP_and, c, tl_build_binary(b, step > 0 ? TL_OP_lt : TL_OP_gt, iv, limit));
        if (d == TL_U64 && step < 0) {
          c = tl_build_binary(b, TL_OP_and, c, tl_build_binary(b, TL_OP_gt, iv, tl_build_int(b, TL_I64, 0)));
        }
      }
      yield(m, r, c);
    } else {
      make_block(m);
      for (uint32_t i = 0; i < scalars; i++) { /* often another carry of the same type, as it was: swaps */
        tl_value v = any(m, pools[i]);
        if (pick(m, 3) == 0) {
          uint32_t other = pick(m, scalars);
          v = pools[other] == pools[i] ? r->params.data[1 + other] : v;
        }
        yield(m, r, v);
      }
      for (uint32_t i = 0; i < arrays; i++) {
        tl_value v = m->arrays.data[i];
        if (pick(m, 10) == 0) {
          uint32_t other = pick(m, arrays);
          v = same_shape(b->func, v, m->arrays.data[other]) ? m->arrays.data[other] : v;
        }
        yield(m, r, v);
      }
    }
    leave(m, &s);
    m->depth++;
  }
  m->depth--;
  b->region = around;
  tl_build_loop_results(b, op);
  for (uint32_t i = 0; i < scalars; i++) {
    add(m, pools[i], op->first_result + i);
  }
  for (uint32_t i = 0; i < arrays; i++) {
    m->arrays.data[i] = op->first_result + scalars + i;
  }
  add(m, &m->ints[0], tl_loop_trips(op));
}

static void make_block(maker *m) {
  for (uint32_t n = 1 + pick(m, 6); n > 0 && m->budget > 0; n--) {
    m->budget--;
    uint32_t kind = pick(m, 12);
    if (kind == 0 && m->depth < 4) {
      make_if(m);
    } else if (kind < 3 && m->depth < 4) {
      make_loop(m);
    } else if (kind < 6 && m->arrays.count < 12) {
      make_array(m);
    } else {
      make_scalar(m);
    }
  }
}

static void add_param(maker *m, tl_type t, const char *declarator, const char *access) {
  tl_func *f = m->b.func;
  const char *n = tl_arena_printf(f->arena, "p%u", f->params.count);
  tl_value v = tl_region_add_param(f, f->body, t, n);
  TL_PUSH(f->arena, f->cparams,
          (tl_cparam){.name = n,
                      .declarator = declarator,
                      .bare = declarator,
                      .by_value = !t.is_array,
                      .role = t.is_array ? TL_ROLE_INOUT : TL_ROLE_INPUT});
  uint32_t index = f->params.count;
  TL_PUSH(f->arena, f->params, (tl_param){.value = v, .cparam = index, .access = access, .is_memory = t.is_array});
  if (t.dtype == TL_U64 && m->extent == TL_NO_VALUE) {
    m->extent = v;
  } else if (t.dtype == TL_I32 && m->extent32 == TL_NO_VALUE) {
    m->extent32 = v;
  } else {
    add(m, pool_of(m, v), v);
  }
}

tl_func *random_program(tl_module *module, const char *name, uint64_t seed) {
  tl_func *f = tl_func_create(module, name);
  maker m = {.b = {.func = f, .region = f->body}, .seed = seed};
  m.budget = 10 + (int)pick(&m, 60);
  add_param(&m, tl_scalar(TL_U64), "size_t @", "$");
  add_param(&m, tl_scalar(TL_I32), "int @", "$");
  for (int i = 0; i < 2; i++) {
    add_param(&m, tl_scalar(TL_F64), i ? "const double @" : "double @", "$");
    add_param(&m, tl_scalar(TL_F32), "float @", "$");
    add_param(&m, tl_scalar(TL_I64), "long @", "$");
    add_param(&m, tl_scalar(TL_I32), "int @", "$");
  }
  add_param(&m, tl_scalar(TL_BOOL), "_Bool @", "$");
  tl_extent line[] = {{5, 0}}, table[] = {{3, 0}, {4, 0}}, symbolic[] = {{0, m.extent}},
            matrix[] = {{0, m.extent}, {0, m.extent32}};
  uint32_t first = f->params.count;
  add_param(&m, tl_array_type(f, TL_F64, 1, line), "double @[5]", "$[#]");
  add_param(&m, tl_array_type(f, TL_F64, 2, table), "double @[3][4]", "$[#][#]");
  add_param(&m, tl_array_type(f, TL_F64, 1, symbolic), "double @[p0]", "$[#]");
  add_param(&m, tl_array_type(f, TL_F32, 2, matrix), "float @[p0][p1]", "$[#][#]");
  add_param(&m, tl_array_type(f, TL_F64, 0, NULL), "double *@", "(*$)");
  while (m.budget > 0) {
    make_block(&m);
  }
  uint32_t returns = pick(&m, 3);
  static const char *const members[] = {"$.r0", "$.r1"};
  for (uint32_t i = 0; i < returns; i++) {
    yield(&m, f->body, any(&m, &m.floats[0]));
    TL_PUSH(f->arena, f->results, (tl_result){.role = TL_RESULT_RETURN, .access = returns == 1 ? "$" : members[i]});
  }
  f->return_declarator = returns == 0   ? "void"
                         : returns == 1 ? "double"
                                        : tl_arena_printf(f->arena, "struct %s_result", name);
  for (uint32_t i = 0; i < 5; i++) {
    if (pick(&m, 5)) {
      yield(&m, f->body, m.arrays.data[i]);
      TL_PUSH(f->arena, f->results, (tl_result){.role = TL_RESULT_FINAL, .param = first + i});
    }
  }
  return f;
}
