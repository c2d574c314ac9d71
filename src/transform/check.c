/* tl_check_vjp: the reverse derivative against fourth-order central differences of the primal, entry by entry, and,
 * where there are outputs, or tl_grad goes forward, against the forward derivative by the dot-product test. Everything
 * runs on copies.
 *
 * The checked function is L(x) = sum over results r and their elements k of w(k) r[k], with w(k) = cos(k) (1 for k =
 * 0). A derivative entry fails where |bar - difference| > tolerance * (the largest of all entries and differences); a
 * NaN fails. The difference is (8 (L(x+h) - L(x-h)) - (L(x+2h) - L(x-2h))) / 12h with h a power of two times |x|, which
 * is not taken as less than 2^-12 (where float, 2^-4), and as 1 where x is 0. Of three steps the one counts whose
 * difference is nearest: how far apart a function's bends and its rounding lie is not known. */
#include <math.h>
#include <string.h>

#include "transform/derive_priv.h"
#include "transform/elements.h"
#include "transform/frame.h"

typedef struct check {
  tl_derive_ctx *d;
  tl_func *f;
  tl_frame frame;
  tl_builder *b;
  tl_reversed g;
  tl_value *map;        /* of the reverse pass */
  tl_value *difference; /* by leaf: array of differences, or a scalar's difference */
  uint32_t leaf;        /* the one that is perturbed */
  tl_value steps[2];    /* tables of relative steps, for double and float */
} check;

enum { STEPS = 3 };

static tl_value number(check *c, tl_dtype dtype, long double x) { return tl_build_float(c->b, dtype, x, NULL); }

static tl_value weight(check *c, tl_dtype dtype, tl_value linear) {
  int64_t zero;
  if (tl_is_const_int(c->frame.h, linear, &zero) && zero == 0) {
    return number(c, dtype, 1);
  }
  return tl_build_unary(c->b, TL_OP_cos, tl_build_cvt(c->b, dtype, linear));
}

/* ---- sums over elements ---- */

typedef struct weighted {
  check *c;
  tl_value x;
} weighted;

static tl_value element(check *c, tl_value v, const tl_value *at) {
  tl_type type = tl_type_of(c->frame.h, v);
  return type.is_array ? tl_build_index(c->b, v, (uint32_t)type.rank, at) : v;
}

static void add_weighted(void *ctx, const tl_value *at, tl_value linear, uint32_t carry_count, tl_value *carries) {
  (void)carry_count;
  weighted *p = ctx;
  check *c = p->c;
  tl_value x = tl_build_cvt(c->b, TL_F64, element(c, p->x, at));
  carries[0] =
      tl_build_binary(c->b, TL_OP_add, carries[0], tl_build_binary(c->b, TL_OP_mul, x, weight(c, TL_F64, linear)));
}

/* The sum so far and that of x's elements, each times its weight. */
static tl_value sum_weighted(check *c, tl_value sum, tl_value x) {
  weighted p = {c, x};
  tl__each_element(c->b, tl_type_of(c->frame.h, x), 1, &sum, add_weighted, &p);
  return sum;
}

static void fill_weight(void *ctx, const tl_value *at, tl_value linear, uint32_t carry_count, tl_value *carries) {
  (void)carry_count;
  check *c = ctx;
  tl_type type = tl_type_of(c->frame.h, carries[0]);
  carries[0] = tl_build_update(c->b, carries[0], (uint32_t)type.rank, at, weight(c, type.dtype, linear));
}

/* An array of the weights, or the weight of a scalar. */
static tl_value weights_like(check *c, tl_value v, const char *suffix) {
  tl_type type = tl_type_of(c->frame.h, v);
  if (!type.is_array) {
    return number(c, type.dtype, 1);
  }
  tl_value array = tl__frame_scratch(&c->frame, v, 0, suffix);
  tl__each_element(c->b, type, 1, &array, fill_weight, c);
  return array;
}

/* ---- L at a point ---- */

/* One call of f with the element of the leaf moved by `offset`. */
static tl_value run_moved(check *c, const tl_value *at, tl_value offset) {
  tl_func *f = c->f;
  tl_value *map = TL_NEW_ARRAY(c->d->arena, tl_value, f->values.count);
  tl__frame_pass_leaves(&c->frame, f, map);
  tl_value param = f->params.data[c->leaf].value, v = map[param];
  tl_type type = tl_type_of(c->frame.h, v);
  if (type.is_array) {
    if (v == c->frame.map[param]) {
      v = tl_build_clone(c->b, v);
    }
    tl_value x = tl_build_index(c->b, v, (uint32_t)type.rank, at);
    map[param] = tl_build_update(c->b, v, (uint32_t)type.rank, at, tl_build_binary(c->b, TL_OP_add, x, offset));
  } else {
    map[param] = tl_build_binary(c->b, TL_OP_add, v, offset);
  }
  const tl_func *callee = tl_module_find(f->module, f->name); /* f without what derivation added to it */
  tl_value *arguments = TL_NEW_ARRAY(c->d->arena, tl_value, f->params.count + 1);
  for (uint32_t i = 0; i < f->params.count; i++) {
    arguments[i] = map[f->params.data[i].value];
  }
  const tl_op *call = tl__build_derived_call(c->b, callee, arguments, callee, NULL);
  tl_value sum = number(c, TL_F64, 0);
  for (uint32_t i = 0; i < f->results.count; i++) {
    if (tl__is_float_result(f, i)) {
      tl_value v = i < callee->results.count ? tl_op_result(call, i) : arguments[f->results.data[i].param];
      sum = sum_weighted(c, sum, v);
    }
  }
  return sum;
}

/* A loop that runs so often, and its names. */
static tl_op *count_to(check *c, int64_t times, const char *counter, uint32_t carry_count, const char *const *names,
                       tl_value *carries) {
  tl_value lo = tl_build_int(c->b, TL_I32, 0), hi = tl_build_int(c->b, TL_I32, times);
  tl_op *loop = tl_build_loop(c->b, lo, hi, 1, counter, carry_count, carries);
  tl_build_loop_enter(c->b, loop, carries);
  for (uint32_t i = 0; i < carry_count; i++) {
    c->frame.h->values.data[carries[i]].name = names[i];
  }
  return loop;
}

static void end_count(check *c, tl_op *loop, uint32_t carry_count, const char *const *names, tl_value *carries) {
  tl_build_loop_leave(c->b, loop, carries);
  for (uint32_t i = 0; i < carry_count; i++) {
    c->frame.h->values.data[carries[i]].name = names[i];
  }
}

/* 8 (L(x+h) - L(x-h)) and then -1 (L(x+2h) - L(x-2h)), over 12h. */
static tl_value difference_at(check *c, const tl_value *at, tl_value step) {
  static const char *const names[] = {"change", "offset", "factor"};
  tl_value v = c->frame.initial[c->leaf];
  tl_dtype dtype = tl_type_of(c->frame.h, v).dtype;
  tl_value x = element(c, v, at);
  tl_value is_zero = tl_build_binary(c->b, TL_OP_eq, x, number(c, dtype, 0));
  tl_value least = number(c, dtype, dtype == TL_F32 ? 0x1p-4L : 0x1p-12L);
  tl_value size = tl_build_binary(c->b, TL_OP_fmax, tl_build_unary(c->b, TL_OP_fabs, x), least);
  size = tl_build_select(c->b, is_zero, number(c, dtype, 1), size);
  tl_value h = tl_build_binary(c->b, TL_OP_mul, size, tl_build_cvt(c->b, dtype, step));
  tl_value carries[3] = {number(c, TL_F64, 0), h, number(c, TL_F64, 8)};
  tl_op *loop = count_to(c, 2, "pair", 3, names, carries);
  tl_value up = run_moved(c, at, carries[1]), down = run_moved(c, at, tl_build_unary(c->b, TL_OP_neg, carries[1]));
  tl_value change = tl_build_binary(c->b, TL_OP_mul, carries[2], tl_build_binary(c->b, TL_OP_sub, up, down));
  carries[0] = tl_build_binary(c->b, TL_OP_add, carries[0], change);
  carries[1] = tl_build_binary(c->b, TL_OP_add, carries[1], carries[1]);
  carries[2] = number(c, TL_F64, -1);
  end_count(c, loop, 3, names, carries);
  tl_value h12 = tl_build_binary(c->b, TL_OP_mul, number(c, TL_F64, 12), tl_build_cvt(c->b, TL_F64, h));
  return tl_build_binary(c->b, TL_OP_div, carries[0], h12);
}

static tl_value distance(check *c, tl_value x, tl_value y) {
  return tl_build_unary(c->b, TL_OP_fabs, tl_build_binary(c->b, TL_OP_sub, x, y));
}

/* A step may leave the function's domain: a distance that is NaN is the largest. */
static tl_value nearest_difference(check *c, const tl_value *at, tl_value bar) {
  static const char *const names[] = {"nearest", "distance"};
  bool is_float = tl_type_of(c->frame.h, c->frame.initial[c->leaf]).dtype == TL_F32;
  tl_value carries[2] = {number(c, TL_F64, 0), number(c, TL_F64, NAN)};
  tl_op *loop = count_to(c, STEPS, "trial", 2, names, carries);
  tl_value trial = c->b->region->params.data[0];
  tl_value other = difference_at(c, at, tl_build_index(c->b, c->steps[is_float], 1, &trial));
  tl_value off = distance(c, other, bar);
  tl_value is_nearer = tl_build_binary(c->b, TL_OP_or, tl_build_binary(c->b, TL_OP_lt, off, carries[1]),
                                       tl_build_binary(c->b, TL_OP_ne, carries[1], carries[1]));
  carries[0] = tl_build_select(c->b, is_nearer, other, carries[0]);
  carries[1] = tl_build_select(c->b, is_nearer, off, carries[1]);
  end_count(c, loop, 2, names, carries);
  return carries[0];
}

static void make_steps(check *c) {
  static const long double steps[2][STEPS] = {{0x1p-6L, 0x1p-12L, 0x1p-18L}, {0x1p-5L, 0x1p-3L, 0x1p-8L}};
  for (int k = 0; k < 2; k++) {
    c->steps[k] = tl_build_alloc(c->b, TL_F64, 1, &(tl_extent){STEPS, TL_NO_VALUE}, TL_ALLOC_TABLE, "steps");
    tl_op *table = tl_def(c->frame.h, c->steps[k]);
    table->format = "$[#]";
    table->table = steps[k];
  }
}

/* Carries: the differences (where the leaf is an array), the largest magnitude so far. */
static void find_difference(void *ctx, const tl_value *at, tl_value linear, uint32_t carry_count, tl_value *carries) {
  (void)linear;
  check *c = ctx;
  tl_value bar = tl_build_cvt(c->b, TL_F64, element(c, c->map[c->g.bars[c->leaf]], at));
  tl_value difference = nearest_difference(c, at, bar);
  tl_value largest = carries[carry_count - 1];
  largest = tl_build_binary(c->b, TL_OP_fmax, largest, tl_build_unary(c->b, TL_OP_fabs, difference));
  carries[carry_count - 1] = tl_build_binary(c->b, TL_OP_fmax, largest, tl_build_unary(c->b, TL_OP_fabs, bar));
  if (carry_count == 2) {
    tl_type type = tl_type_of(c->frame.h, carries[0]);
    carries[0] = tl_build_update(c->b, carries[0], (uint32_t)type.rank, at, difference);
  } else {
    c->difference[c->leaf] = difference;
  }
}

/* ---- counting ---- */

/* 1 where |x - y| <= bound does not hold. */
static tl_value fails(check *c, tl_value x, tl_value y, tl_value bound) {
  tl_value good = tl_build_binary(c->b, TL_OP_le, distance(c, x, y), bound);
  return tl_build_select(c->b, good, tl_build_int(c->b, TL_I32, 0), tl_build_int(c->b, TL_I32, 1));
}

typedef struct counting {
  check *c;
  tl_value bound;
} counting;

static void count_failures(void *ctx, const tl_value *at, tl_value linear, uint32_t carry_count, tl_value *carries) {
  (void)linear, (void)carry_count;
  counting *k = ctx;
  check *c = k->c;
  tl_value bar = tl_build_cvt(c->b, TL_F64, element(c, c->map[c->g.bars[c->leaf]], at));
  tl_value difference = element(c, c->difference[c->leaf], at);
  carries[0] = tl_build_binary(c->b, TL_OP_add, carries[0], fails(c, bar, difference, k->bound));
}

/* <w, J v> against <J^T w, v>. */
static bool add_dot_product_test(check *c, tl_value tolerance, tl_value *count) {
  tl_func *f = c->f;
  const bool *want = tl__float_results(f, c->d->arena);
  tl_forwarded g;
  const char *name = tl_arena_printf(c->d->arena, "%s.forward", c->frame.h->name);
  if (!tl__forward_run(f, &(tl_forward_spec){.name = name, .wrt = c->d->wrt_leaf, .want = want}, c->d->arena, &g)) {
    return false;
  }
  tl_value *map = TL_NEW_ARRAY(c->d->arena, tl_value, g.func->values.count);
  tl__frame_pass_leaves(&c->frame, g.func, map);
  tl_value backward = number(c, TL_F64, 0), forward = number(c, TL_F64, 0);
  for (uint32_t i = 0; i < f->params.count; i++) {
    if (!g.dot_params[i]) {
      continue;
    }
    tl_value leaf = c->frame.map[f->params.data[i].value];
    if (c->d->wrt_leaf[i]) {
      map[g.dot_params[i]] = weights_like(c, leaf, "_dot");
      backward = sum_weighted(c, backward, c->map[c->g.bars[i]]);
    } else {
      map[g.dot_params[i]] = tl__frame_scratch(&c->frame, leaf, 0, "_dot");
    }
  }
  tl_clone_ops_from(c->b, g.func, g.func->body, map);
  tl__frame_forget(&c->frame, g.func);
  for (uint32_t i = 0; i < f->results.count; i++) {
    if (want[i]) {
      forward = sum_weighted(c, forward, map[g.dots[i]]);
    }
  }
  tl_value size = tl_build_binary(c->b, TL_OP_add, tl_build_unary(c->b, TL_OP_fabs, forward),
                                  tl_build_unary(c->b, TL_OP_fabs, backward));
  size = tl_build_binary(c->b, TL_OP_add, size, number(c, TL_F64, 1));
  tl_value bound = tl_build_binary(c->b, TL_OP_mul, tolerance, size);
  *count = tl_build_binary(c->b, TL_OP_add, *count, fails(c, forward, backward, bound));
  return true;
}

/* ---- the function ---- */

static bool run_reverse_on_copies(check *c) {
  tl_func *f = c->f;
  const tl_seed *seeds = tl__float_seeds(f, c->d->arena);
  bool *keep = TL_NEW_ARRAY(c->d->arena, bool, f->results.count);
  const char *name = tl_arena_printf(c->d->arena, "%s.reverse", c->frame.h->name);
  if (!tl__reverse_run(f, &(tl_reverse_spec){.name = name, .wrt = c->d->wrt_leaf, .seeds = seeds, .keep = keep},
                       c->d->arena, &c->g)) {
    return false;
  }
  c->map = TL_NEW_ARRAY(c->d->arena, tl_value, c->g.func->values.count);
  tl__frame_pass_leaves(&c->frame, c->g.func, c->map);
  for (uint32_t i = 0; i < f->params.count; i++) {
    if (c->g.bar_params[i]) {
      c->map[c->g.bar_params[i]] = tl__frame_scratch(&c->frame, c->frame.map[f->params.data[i].value], 0, "_bar");
    }
  }
  for (uint32_t i = 0; i < f->results.count; i++) {
    if (c->g.seed_params[i]) {
      const tl_result *r = &f->results.data[i];
      tl_type type = tl_type_of(f, f->body->yields.data[i]);
      tl_value like = r->role == TL_RESULT_FINAL ? c->frame.map[f->params.data[r->param].value] : TL_NO_VALUE;
      c->map[c->g.seed_params[i]] = like ? weights_like(c, like, "_bar") : number(c, type.dtype, 1);
    }
  }
  tl_clone_ops_from(c->b, c->g.func, c->g.func->body, c->map);
  tl__frame_forget(&c->frame, c->g.func);
  return true;
}

tl_func *tl__derive_check_vjp(tl_derive_ctx *d) {
  tl_func *f = d->f;
  bool floating = false, outputs = false, single = true;
  for (uint32_t i = 0; i < f->results.count; i++) {
    bool is_float = tl__is_float_result(f, i);
    floating |= is_float;
    outputs |= is_float && f->results.data[i].role == TL_RESULT_FINAL;
    if (is_float && f->results.data[i].role == TL_RESULT_RETURN && tl_type_of(f, f->body->yields.data[i]).is_array) {
      tl_diag_error(f->module->diag, TL_UNSUPPORTED_CONSTRUCT, d->spec->loc,
                    "tl_check_vjp of '%s', which returns a struct that holds an array", f->name);
      return NULL;
    }
  }
  for (uint32_t i = 0; i < f->params.count; i++) {
    if (f->params.data[i].by_members && !tl_func_pointer_length(f, i)) {
      tl_diag_error(
          f->module->diag, TL_UNSUPPORTED_CONSTRUCT, d->spec->loc,
          "tl_check_vjp of '%s', whose parameter '%s' holds pointers to other than scalars and arrays of them", f->name,
          f->cparams.data[f->params.data[i].cparam].name);
      return NULL;
    }
  }
  if (!floating) {
    tl_diag_error(f->module->diag, TL_NOT_DIFFERENTIABLE, d->spec->loc, "'%s' has no differentiable result", f->name);
    return NULL;
  }
  check c = {.d = d, .f = f};
  tl__frame_begin(&c.frame, d);
  c.b = &c.frame.b;
  c.frame.h->return_declarator = "int";
  c.frame.h->is_check = true;
  tl_signer s = {.f = f, .h = c.frame.h, .arena = d->arena};
  tl_value given = tl_region_add_param(c.frame.h, c.frame.h->body, tl_scalar(TL_F64), "tolerance");
  uint32_t cparam = tl__signer_add(&s, tl__signer_name(&s, "tolerance", ""), "double @", TL_ROLE_INPUT);
  c.frame.h->cparams.data[cparam].by_value = true;
  tl__signer_add_leaf(&s, given, cparam, "$", false, TL_ORIGIN_CELL, 0);
  tl__signer_return(&s, "$", TL_PROMISE_DERIVED, 0);
  tl__signer_finish(&s);
  for (uint32_t i = 0; i < f->params.count; i++) {
    single &= !d->wrt_leaf[i] || tl_type_of(f, f->params.data[i].value).dtype == TL_F32;
  }
  tl_value unset = tl_build_binary(c.b, TL_OP_eq, given, number(&c, TL_F64, 0));
  tl_value tolerance = tl_build_select(c.b, unset, number(&c, TL_F64, single ? 1e-3L : 1e-8L), given);

  if (!run_reverse_on_copies(&c)) {
    return NULL;
  }
  make_steps(&c);
  c.difference = TL_NEW_ARRAY(d->arena, tl_value, f->params.count);
  tl_value largest = number(&c, TL_F64, 0), count = tl_build_int(c.b, TL_I32, 0);
  for (c.leaf = 0; c.leaf < f->params.count; c.leaf++) {
    if (!d->wrt_leaf[c.leaf]) {
      continue;
    }
    tl_type type = tl_type_of(c.frame.h, c.frame.map[f->params.data[c.leaf].value]);
    tl_value carries[2] = {TL_NO_VALUE, largest};
    if (type.is_array) {
      carries[0] = tl_build_alloc(c.b, TL_F64, type.rank, type.extents, 0, "difference");
    }
    tl__each_element(c.b, type, type.is_array ? 2 : 1, carries + !type.is_array, find_difference, &c);
    largest = carries[1];
    if (type.is_array) {
      c.difference[c.leaf] = carries[0];
    }
  }
  counting k = {&c, tl_build_binary(c.b, TL_OP_mul, tolerance, largest)};
  for (c.leaf = 0; c.leaf < f->params.count; c.leaf++) {
    if (d->wrt_leaf[c.leaf]) {
      tl__each_element(c.b, tl_type_of(c.frame.h, c.frame.map[f->params.data[c.leaf].value]), 1, &count, count_failures,
                       &k);
    }
  }
  if ((outputs || tl__gradient_goes_forward(d)) && !add_dot_product_test(&c, tolerance, &count)) {
    return NULL;
  }
  tl__signer_yield(&s, c.b, NULL, &count);
  return c.frame.h;
}
