/* tl_check_vjp: the reverse derivative against fourth-order central differences of the primal, entry by entry, and,
 * where there are outputs, or tl_grad goes forward, against the forward derivative by the dot-product test. Everything
 * runs on copies. What f leaves alone behind pointers is not looked at.
 *
 * The checked function is L(x) = sum over results r and their elements k of w(k) r[k], with w(k) = cos(k) (1 for k =
 * 0). A derivative entry fails where |bar - difference| > tolerance * (the largest of all entries and differences); a
 * NaN fails. The difference is (8 (L(x+h) - L(x-h)) - (L(x+2h) - L(x-2h))) / 12h with h a power of two times |x|, which
 * is not taken as less than 2^-12 (where float, 2^-4), and as 1 where x is 0. Of three steps the one counts whose
 * difference is nearest: how far apart a function's bends and its rounding lie is not known.
 *
 * The differences are a function of their own, which is told the leaf and the element by number, so that f is called in
 * one place. */
#include <math.h>
#include <string.h>

#include "base/dtype.h"
#include "transform/activity.h"
#include "transform/by_value.h"
#include "transform/copy.h"
#include "transform/derive_priv.h"
#include "transform/elements.h"
#include "transform/frame.h"
#include "transform/rewrite.h"
#include "transform/transform.h"

typedef struct check {
  tl_derive_ctx *d;
  tl_func *f;
  tl_func *plain;    /* f with every tensor by value */
  tl_value *results; /* f's in the check, of which tensors have their shape; NULL where there are none */
  tl_frame frame;
  tl_builder *b;
  tl_reversed g;
  tl_value *map;          /* of the reverse pass */
  tl_value *difference;   /* by leaf: array of differences, or a scalar's difference */
  bool *is_coarse;        /* by leaf: something that depends on it is a float */
  uint32_t leaf;          /* the one that is perturbed */
  tl_func *differ;        /* the function of differences */
  bool singles, doubles;  /* leaves of float, and of other types, are perturbed */
  uint32_t members, rank; /* how many leaves are perturbed, and the most axes that one of them has */
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

/* ---- elements: those of a tensor are numbered along one axis ---- */

static bool is_tensor(const check *c, tl_value v) { return tl_type_of(c->frame.h, v).is_tensor; }

/* The type whose elements are walked: of a tensor, an array of as many. */
static tl_type walked(check *c, tl_value v) {
  tl_type type = tl_type_of(c->frame.h, v);
  if (!type.is_tensor) {
    return type;
  }
  tl_extent n = tl__tensor_count(c->b, tl_build_type(c->b, v));
  return tl_array_type(c->frame.h, type.dtype, 1, &n);
}

static tl_value flat(check *c, tl_value v) {
  tl_extent n = tl__tensor_count(c->b, tl_build_type(c->b, v));
  return tl_build_tensor(c->b, TL_OP_reshape, &v, &(tl_attr){.shape = {1, &n}});
}

static const tl_attr at_front[] = {{.integer = 0}, {.integer = TL_INDEX_CHECK}, {.integer = 0}};

static tl_value as_tensor(check *c, tl_value scalar) {
  return tl_build_broadcast(c->b, scalar, (tl_type){.dtype = tl_type_of(c->frame.h, scalar).dtype, .is_tensor = true});
}

static tl_value element(check *c, tl_value v, const tl_value *at) {
  tl_type type = tl_type_of(c->frame.h, v);
  if (type.is_tensor) {
    tl_value index = as_tensor(c, tl_build_cvt(c->b, TL_I64, at[0]));
    return tl_build_item(c->b, tl_build_tensor(c->b, TL_OP_gather, (tl_value[]){flat(c, v), index}, at_front));
  }
  return type.is_array ? tl_build_index(c->b, v, (uint32_t)type.rank, at) : v;
}

/* ---- sums over elements ---- */

typedef struct weighted {
  check *c;
  tl_value x;
} weighted;

/* The weights of a tensor's elements, in its shape. */
static tl_value tensor_weights(check *c, tl_value v, tl_dtype dtype) {
  tl_type type = tl_build_type(c->b, v);
  tl_value numbers = tl__build_numbers(c->b, tl__tensor_count(c->b, type));
  tl_value weights = tl_build_unary(c->b, TL_OP_cos, tl_build_cvt(c->b, dtype, numbers));
  return tl_build_tensor(c->b, TL_OP_reshape, &weights, &(tl_attr){.shape = {type.rank, type.extents}});
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
  tl_type type = tl_type_of(c->frame.h, x);
  if (type.element && !type.rank) {
    x = tl_build_index(c->b, x, 0, NULL);
  }
  if (is_tensor(c, x)) {
    tl_value part = tl_build_binary(c->b, TL_OP_mul, tl_build_cvt(c->b, TL_F64, x), tensor_weights(c, x, TL_F64));
    part = tl_build_tensor(c->b, TL_OP_sum, &part, (tl_attr[]){{.axes = TL_ALL}, {.integer = false}});
    return tl_build_binary(c->b, TL_OP_add, sum, tl_build_item(c->b, part));
  }
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

/* An array or tensor of the weights, or the weight of a scalar. */
static tl_value weights_like(check *c, tl_value v, const char *suffix) {
  tl_type type = tl_type_of(c->frame.h, v);
  if (type.is_tensor) {
    return tensor_weights(c, v, type.dtype);
  }
  if (!type.is_array) {
    return number(c, type.dtype, 1);
  }
  tl_value array = tl__frame_scratch(&c->frame, v, 0, suffix);
  tl__each_element(c->b, type, 1, &array, fill_weight, c);
  return array;
}

/* ---- differences ---- */

static bool is_left_alone(const check *c, uint32_t leaf) { return c->d->untouched && c->d->untouched[leaf]; }

/* A result that L sums, and whose cotangents seed the reverse pass. */
static bool is_summed(const check *c, uint32_t result) {
  const tl_result *r = &c->f->results.data[result];
  return tl__is_float_result(c->f, result) && !(r->role == TL_RESULT_FINAL && is_left_alone(c, r->param));
}

/* The arguments for a run of f, or of a derivative of it, on copies of what it writes. */
static void pass_copies(check *c, const tl_func *g, tl_value *map) {
  tl_func *f = c->f;
  for (uint32_t i = 0; i < f->params.count; i++) {
    tl_value v = c->frame.map[f->params.data[i].value];
    bool is_written = tl_func_final(f, i) != TL_NO_RESULT && !is_left_alone(c, i);
    bool is_output = is_written && tl_func_is_output(f, i);
    map[g->body->params.data[i]] = is_output    ? tl__frame_scratch(&c->frame, v, 0, "")
                                   : is_written ? tl_build_clone(c->b, v)
                                                : v;
  }
}

/* What the function of differences is told beside f's arguments. */
typedef struct told {
  tl_value member, single, at[TL_MAX_RANK], x, bar;
} told;

static tl_value is_here(check *c, int64_t number, const told *t) {
  return c->members > 1 ? tl_build_binary(c->b, TL_OP_eq, t->member, tl_build_int(c->b, TL_I32, number)) : TL_NO_VALUE;
}

/* Where another leaf is moved this one is by nothing, which is -0, at an element that may not be there. */
static tl_value moved_tensor(check *c, int64_t number, const told *t, tl_value v, tl_value offset) {
  tl_type type = tl_build_type(c->b, v);
  tl_value here = is_here(c, number, t), at = tl_build_cvt(c->b, TL_I64, t->at[0]);
  if (here) {
    offset = tl_build_select(c->b, here, offset, tl_build_float(c->b, type.dtype, -0.0L, NULL));
  }
  static const tl_attr dropped[] = {{.integer = 0}, {.integer = TL_INDEX_DROP}, {.integer = 0}};
  tl_value operands[] = {flat(c, v), as_tensor(c, at), as_tensor(c, offset)};
  tl_value next = tl_build_tensor(c->b, TL_OP_scatter_add, operands, dropped);
  return tl_build_tensor(c->b, TL_OP_reshape, &next, &(tl_attr){.shape = {type.rank, type.extents}});
}

/* The leaf's argument with the element of it moved, if it is the one that is perturbed. */
static tl_value moved(check *c, uint32_t leaf, int64_t number, const told *t, tl_value v, tl_value offset) {
  tl_type type = tl_type_of(c->frame.h, v);
  offset = tl_build_cvt(c->b, type.dtype, offset);
  if (type.is_tensor) {
    return moved_tensor(c, number, t, v, offset);
  }
  tl_value here = is_here(c, number, t);
  if (!type.rank) {
    tl_value now = element(c, c->frame.map[c->f->params.data[leaf].value], NULL);
    tl_value next = tl_build_binary(c->b, TL_OP_add, now, offset);
    next = here ? tl_build_select(c->b, here, next, now) : next;
    return type.is_array ? tl_build_update(c->b, tl__frame_scratch(&c->frame, v, 0, ""), 0, NULL, next) : next;
  }
  if (tl_func_final(c->f, leaf) == TL_NO_RESULT) {
    v = tl_build_clone(c->b, v);
  }
  tl_region *outer = c->b->region;
  tl_op *branch = here ? tl_build_if(c->b, here) : NULL;
  c->b->region = branch ? branch->regions[0] : outer;
  tl_value x = tl_build_index(c->b, v, (uint32_t)type.rank, t->at);
  tl_value next = tl_build_update(c->b, v, (uint32_t)type.rank, t->at, tl_build_binary(c->b, TL_OP_add, x, offset));
  if (!branch) {
    return next;
  }
  TL_PUSH(c->frame.h->arena, branch->regions[0]->yields, next);
  TL_PUSH(c->frame.h->arena, branch->regions[1]->yields, v);
  c->b->region = outer;
  tl_build_if_results(c->b, branch);
  return tl_op_result(branch, 0);
}

/* L, of one call of f. */
static tl_value run_moved(check *c, const told *t, tl_value offset) {
  tl_func *f = c->f;
  tl_value *map = TL_NEW_ARRAY(c->d->arena, tl_value, f->values.count);
  pass_copies(c, f, map);
  const tl_func *callee = tl_module_find(f->module, f->name); /* f without what derivation added to it */
  tl_value *arguments = TL_NEW_ARRAY(c->d->arena, tl_value, f->params.count + 1);
  int64_t member = 0;
  for (uint32_t i = 0; i < f->params.count; i++) {
    tl_value v = map[f->params.data[i].value];
    arguments[i] = c->d->wrt_leaf[i] ? moved(c, i, member++, t, v, offset) : v;
  }
  const tl_op *call = tl__build_derived_call(c->b, callee, arguments, callee, NULL);
  tl_value sum = number(c, TL_F64, 0);
  for (uint32_t i = 0; i < f->results.count; i++) {
    if (is_summed(c, i)) {
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

static tl_value negative(check *c, tl_value x) { return tl_build_unary(c->b, TL_OP_neg, x); }

/* L(x+h) - L(x-h) */
static tl_value pair_at(check *c, const told *t, tl_value offset) {
  static const char *const names[] = {"pair", "shift", "sign"};
  tl_value carries[3] = {number(c, TL_F64, 0), offset, number(c, TL_F64, 1)};
  tl_op *loop = count_to(c, 2, "side", 3, names, carries);
  tl_value signed_value = tl_build_binary(c->b, TL_OP_mul, carries[2], run_moved(c, t, carries[1]));
  carries[0] = tl_build_binary(c->b, TL_OP_add, carries[0], signed_value);
  carries[1] = negative(c, carries[1]);
  carries[2] = negative(c, carries[2]);
  end_count(c, loop, 3, names, carries);
  return carries[0];
}

/* `single` where the element is a float, else `wide`. */
static tl_value by_type(check *c, const told *t, tl_value single, tl_value wide) {
  return !c->doubles ? single : !c->singles ? wide : tl_build_select(c->b, t->single, single, wide);
}

/* 8 (L(x+h) - L(x-h)) and then -1 (L(x+2h) - L(x-2h)), over 12h. */
static tl_value difference_at(check *c, const told *t, tl_value step) {
  static const char *const names[] = {"change", "offset", "factor"};
  tl_value is_zero = tl_build_binary(c->b, TL_OP_eq, t->x, number(c, TL_F64, 0));
  tl_value least = by_type(c, t, number(c, TL_F64, 0x1p-4L), number(c, TL_F64, 0x1p-12L));
  tl_value size = tl_build_binary(c->b, TL_OP_fmax, tl_build_unary(c->b, TL_OP_fabs, t->x), least);
  size = tl_build_select(c->b, is_zero, number(c, TL_F64, 1), size);
  tl_value h = tl_build_binary(c->b, TL_OP_mul, size, step);
  tl_value carries[3] = {number(c, TL_F64, 0), h, number(c, TL_F64, 8)};
  tl_op *loop = count_to(c, 2, "width", 3, names, carries);
  tl_value change = tl_build_binary(c->b, TL_OP_mul, carries[2], pair_at(c, t, carries[1]));
  carries[0] = tl_build_binary(c->b, TL_OP_add, carries[0], change);
  carries[1] = tl_build_binary(c->b, TL_OP_add, carries[1], carries[1]);
  carries[2] = number(c, TL_F64, -1);
  end_count(c, loop, 3, names, carries);
  return tl_build_binary(c->b, TL_OP_div, carries[0], tl_build_binary(c->b, TL_OP_mul, number(c, TL_F64, 12), h));
}

static tl_value distance(check *c, tl_value x, tl_value y) {
  return tl_build_unary(c->b, TL_OP_fabs, tl_build_binary(c->b, TL_OP_sub, x, y));
}

static tl_value make_steps(check *c, bool single) {
  static const long double steps[2][STEPS] = {{0x1p-6L, 0x1p-12L, 0x1p-18L}, {0x1p-5L, 0x1p-3L, 0x1p-8L}};
  tl_value v = tl_build_alloc(c->b, TL_F64, 1, &(tl_extent){STEPS, TL_NO_VALUE}, TL_ALLOC_TABLE,
                              single ? "float_steps" : "steps");
  tl_op *table = tl_def(c->frame.h, v);
  table->format = "$[#]";
  table->table = steps[single];
  return v;
}

/* A step may leave the function's domain: a distance that is NaN is the largest. */
static tl_value nearest_difference(check *c, const told *t) {
  static const char *const names[] = {"nearest", "distance"};
  tl_value single = c->singles ? make_steps(c, true) : TL_NO_VALUE;
  tl_value wide = c->doubles ? make_steps(c, false) : TL_NO_VALUE;
  tl_value carries[2] = {number(c, TL_F64, 0), number(c, TL_F64, NAN)};
  tl_op *loop = count_to(c, STEPS, "trial", 2, names, carries);
  tl_value trial = c->b->region->params.data[0];
  single = single ? tl_build_index(c->b, single, 1, &trial) : TL_NO_VALUE;
  wide = wide ? tl_build_index(c->b, wide, 1, &trial) : TL_NO_VALUE;
  tl_value other = difference_at(c, t, by_type(c, t, single, wide));
  tl_value off = distance(c, other, t->bar);
  tl_value is_nearer = tl_build_binary(c->b, TL_OP_or, tl_build_binary(c->b, TL_OP_lt, off, carries[1]),
                                       tl_build_binary(c->b, TL_OP_ne, carries[1], carries[1]));
  carries[0] = tl_build_select(c->b, is_nearer, other, carries[0]);
  carries[1] = tl_build_select(c->b, is_nearer, off, carries[1]);
  end_count(c, loop, 2, names, carries);
  return carries[0];
}

/* A function with f's parameters that only reads their memory. */
static void begin_function(check *c, const char *name, const char *returns) {
  tl_func *f = c->f;
  c->frame = (tl_frame){.f = f};
  c->frame.h = tl__func_begin_like(f, name, &c->frame.map);
  c->frame.h->return_declarator = returns;
  c->frame.h->is_check = true;
  c->frame.b =
      (tl_builder){.func = c->frame.h, .region = c->frame.h->body, .loc = f->loc, .peephole = tl__simplify_peephole};
  c->b = &c->frame.b;
  tl__func_copy_extents(c->b, f, c->frame.map);
}

/* One more parameter, a number. */
static tl_value add_number(check *c, tl_signer *s, const char *name, tl_dtype dtype, const char *declarator) {
  tl_value v = tl_region_add_param(c->frame.h, c->frame.h->body, tl_scalar(dtype), name);
  uint32_t cparam = tl__signer_add(s, tl__signer_name(s, name, ""), declarator, TL_ROLE_INPUT);
  c->frame.h->cparams.data[cparam].by_value = true;
  tl__signer_add_leaf(s, v, cparam, "$", false, TL_ORIGIN_CELL, 0);
  return v;
}

static const char *const index_names[TL_MAX_RANK] = {"i", "j", "k", "l"};

/* double NAME__difference(f's parameters, member, single, i, j, x, bar): the difference nearest to `bar`, which is the
 * derivative by an element that holds x. What all calls would agree on is left out. */
static bool make_difference(check *c) {
  begin_function(c, tl_arena_printf(c->f->module->arena, "%s__difference", c->d->spec->name), "double");
  tl_signer s = {.f = c->f, .h = c->frame.h, .arena = c->d->arena};
  told t = {0};
  if (c->members > 1) {
    t.member = add_number(c, &s, "member", TL_I32, "int @");
  }
  if (c->singles && c->doubles) {
    t.single =
        tl_build_binary(c->b, TL_OP_ne, add_number(c, &s, "is_float", TL_I32, "int @"), tl_build_int(c->b, TL_I32, 0));
  }
  for (uint32_t k = 0; k < c->rank; k++) {
    t.at[k] = add_number(c, &s, index_names[k] ? index_names[k] : "i", TL_U64, "size_t @");
  }
  t.x = add_number(c, &s, "x", TL_F64, "double @");
  t.bar = add_number(c, &s, "bar", TL_F64, "double @");
  tl__signer_return(&s, "$", TL_PROMISE_DERIVED, 0);
  tl__signer_finish(&s);
  tl_value nearest = nearest_difference(c, &t);
  tl__signer_yield(&s, c->b, NULL, &nearest);
  c->differ = c->frame.h;
  tl__pipeline_run(c->differ, c->d->arena);
  if (tl_func_verify(c->differ) != TL_OK) { /* a fault of ours */
    tl_diag_error(c->f->module->diag, TL_INTERNAL_ERROR, c->d->spec->loc, "'%s' breaks a rule of the IR",
                  c->differ->name);
    return false;
  }
  return true;
}

/* A call of it, with f's arguments as they came. */
static tl_value call_difference(check *c, const tl_value *at, tl_value x, tl_value bar) {
  tl_func *f = c->f;
  TL_VEC(tl_value) arguments = {0};
  int64_t member = 0;
  for (uint32_t i = 0; i < f->params.count; i++) {
    TL_PUSH(c->d->arena, arguments, c->frame.map[f->params.data[i].value]);
    member += i < c->leaf && c->d->wrt_leaf[i];
  }
  tl_type type = walked(c, arguments.data[c->leaf]);
  if (c->members > 1) {
    TL_PUSH(c->d->arena, arguments, tl_build_int(c->b, TL_I32, member));
  }
  if (c->singles && c->doubles) {
    TL_PUSH(c->d->arena, arguments, tl_build_int(c->b, TL_I32, type.dtype == TL_F32));
  }
  for (uint32_t k = 0; k < c->rank; k++) {
    tl_value index = k < (uint32_t)type.rank ? at[k] : tl_build_int(c->b, TL_U64, 0);
    TL_PUSH(c->d->arena, arguments, tl_build_cvt(c->b, TL_U64, index));
  }
  TL_PUSH(c->d->arena, arguments, tl_build_cvt(c->b, TL_F64, x));
  TL_PUSH(c->d->arena, arguments, bar);
  return tl_op_result(tl__build_derived_call(c->b, c->differ, arguments.data, c->differ, NULL), 0);
}

/* Carries: the differences (where the leaf is an array), the largest magnitude so far. */
static void find_difference(void *ctx, const tl_value *at, tl_value linear, uint32_t carry_count, tl_value *carries) {
  (void)linear;
  check *c = ctx;
  tl_value bar = tl_build_cvt(c->b, TL_F64, element(c, c->map[c->g.bars[c->leaf]], at));
  tl_value x = element(c, c->frame.map[c->f->params.data[c->leaf].value], at);
  tl_value difference = call_difference(c, at, x, bar);
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
  bool *want = TL_NEW_ARRAY(c->d->arena, bool, f->results.count);
  for (uint32_t i = 0; i < f->results.count; i++) {
    want[i] = is_summed(c, i);
  }
  tl_forwarded g;
  const char *name = tl_arena_printf(c->d->arena, "%s.forward", c->frame.h->name);
  if (!tl__forward_run(c->plain, &(tl_forward_spec){.name = name, .wrt = c->d->wrt_leaf, .want = want}, c->d->arena,
                       &g)) {
    return false;
  }
  tl_value *map = TL_NEW_ARRAY(c->d->arena, tl_value, g.func->values.count);
  pass_copies(c, g.func, map);
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

/* ---- tolerances ---- */

/* What of f depends on one leaf: is a float among it? */
typedef struct floats {
  const tl_func *func;
  const tl_activity *activity; /* NULL: all of a callee does, it is not followed further */
  TL_VEC(const tl_func *) seen;
  tl_arena *arena;
  bool found;
} floats;

static bool is_narrow(tl_dtype d) { return tl_dtype_is_float(d) && tl_dtype_size(d) < 8; }

static void look_at_function(floats *w, const tl_func *f);

static void look_at_call(void *ctx, tl_op *op) {
  floats *w = ctx;
  const tl_func *callee = op->code == TL_OP_call ? tl_module_find(w->func->module, op->callee) : NULL;
  bool depends = !w->activity;
  for (uint32_t i = 0; callee && i < op->operand_count && !depends; i++) {
    depends = tl_active(w->activity, op->operands[i]);
  }
  if (callee && depends) {
    floats inner = *w;
    inner.activity = NULL;
    look_at_function(&inner, callee);
    w->seen = inner.seen;
    w->found |= inner.found;
  }
}

static void look_at_function(floats *w, const tl_func *f) {
  for (uint32_t i = 0; i < w->seen.count; i++) {
    if (w->seen.data[i] == f) {
      return;
    }
  }
  TL_PUSH(w->arena, w->seen, f);
  for (uint32_t v = 1; v < f->values.count; v++) {
    w->found |= is_narrow(tl_type_of(f, v).dtype) && (!w->activity || tl_active(w->activity, v));
  }
  tl__region_each_op(f->body, look_at_call, w);
}

/* By which leaves the differences are those of floats: where something that depends on the leaf is one, be it the leaf.
 * Others are as exact as without floats, for what does not move cancels. */
static bool find_coarse(check *c) {
  tl_func *f = c->f;
  tl_arena *arena = c->d->arena;
  bool *seeded = TL_NEW_ARRAY(arena, bool, f->results.count), *wrt = TL_NEW_ARRAY(arena, bool, f->params.count);
  for (uint32_t i = 0; i < f->results.count; i++) {
    seeded[i] = is_summed(c, i);
  }
  c->is_coarse = TL_NEW_ARRAY(arena, bool, f->params.count);
  for (uint32_t i = 0; i < f->params.count; i++) {
    if (c->d->wrt_leaf[i]) {
      tl_activity activity;
      wrt[i] = true;
      if (!tl__activity_find(f, wrt, seeded, arena, &activity)) {
        return false;
      }
      wrt[i] = false;
      floats w = {.func = f, .activity = &activity, .arena = arena};
      look_at_function(&w, f);
      c->is_coarse[i] = w.found || is_narrow(tl_type_of(f, f->params.data[i].value).dtype);
    }
  }
  return true;
}

/* The given one, or the default. */
static tl_value tolerance_of(check *c, tl_value given, bool is_coarse) {
  tl_value unset = tl_build_binary(c->b, TL_OP_eq, given, number(c, TL_F64, 0));
  return tl_build_select(c->b, unset, number(c, TL_F64, is_coarse ? 1e-3L : 1e-8L), given);
}

/* ---- the function ---- */

static bool run_reverse_on_copies(check *c) {
  tl_func *f = c->f;
  tl_seed *seeds = TL_NEW_ARRAY(c->d->arena, tl_seed, f->results.count);
  for (uint32_t i = 0; i < f->results.count; i++) {
    seeds[i] = is_summed(c, i) ? TL_SEED_PARAM : TL_SEED_NONE;
  }
  bool *keep = TL_NEW_ARRAY(c->d->arena, bool, f->results.count);
  const char *name = tl_arena_printf(c->d->arena, "%s.reverse", c->frame.h->name);
  if (!tl__reverse_run(c->plain, &(tl_reverse_spec){.name = name, .wrt = c->d->wrt_leaf, .seeds = seeds, .keep = keep},
                       c->d->arena, &c->g)) {
    return false;
  }
  c->map = TL_NEW_ARRAY(c->d->arena, tl_value, c->g.func->values.count);
  pass_copies(c, c->g.func, c->map);
  for (uint32_t i = 0; i < f->params.count; i++) {
    if (c->g.bar_params[i]) {
      c->map[c->g.bar_params[i]] = tl__frame_scratch(&c->frame, c->frame.map[f->params.data[i].value], 0, "_bar");
    }
  }
  for (uint32_t i = 0; i < f->results.count; i++) {
    if (c->g.seed_params[i]) {
      const tl_result *r = &c->plain->results.data[i];
      tl_type type = tl_type_of(f, f->body->yields.data[i]);
      tl_value like = c->results && is_tensor(c, c->results[i]) ? c->results[i]
                      : r->role == TL_RESULT_FINAL              ? c->frame.map[f->params.data[r->param].value]
                                                                : TL_NO_VALUE;
      c->map[c->g.seed_params[i]] = like ? weights_like(c, like, "_bar") : number(c, type.dtype, 1);
    }
  }
  tl_clone_ops_from(c->b, c->g.func, c->g.func->body, c->map);
  tl__frame_forget(&c->frame, c->g.func);
  return true;
}

/* Which of f is looked at; false with an error where it cannot be. */
static bool admits(const tl_derive_ctx *d) {
  const tl_func *f = d->f;
  tl_diag *diag = f->module->diag;
  for (uint32_t i = 0; i < f->results.count; i++) {
    bool returns = tl__is_float_result(f, i) && f->results.data[i].role == TL_RESULT_RETURN;
    if (returns && tl_type_of(f, f->body->yields.data[i]).is_array) {
      tl_diag_error(diag, TL_UNSUPPORTED_CONSTRUCT, d->spec->loc,
                    "tl_check_vjp of '%s', which returns a struct that holds an array", f->name);
      return false;
    }
  }
  for (uint32_t i = 0; i < f->params.count; i++) {
    const tl_param *p = &f->params.data[i];
    const char *name = f->cparams.data[p->cparam].name;
    tl_type type = tl_type_of(f, p->value);
    if (p->by_members && !tl_func_pointer_length(f, i) && !(d->untouched && d->untouched[i])) {
      tl_diag_error(diag, TL_UNSUPPORTED_CONSTRUCT, d->spec->loc,
                    "tl_check_vjp of '%s', whose parameter '%s' holds pointers to other than scalars and arrays of "
                    "them",
                    f->name, name);
      return false;
    }
    if (d->wrt_leaf[i] && type.element) {
      tl_diag_error(diag, TL_UNSUPPORTED_CONSTRUCT, d->spec->loc,
                    "tl_check_vjp of '%s', whose parameter '%s' points to tensors: pass them by value", f->name, name);
      return false;
    }
    if (d->wrt_leaf[i] && tl_dtype_is_stored_only(type.dtype)) {
      tl_diag_error(diag, TL_DTYPE_UNSUPPORTED, d->spec->loc,
                    "tl_check_vjp of '%s': differences of '%s', a tensor of dtype %s, are too coarse to say anything",
                    f->name, name, tl_dtype_name(type.dtype));
      return false;
    }
  }
  return true;
}

/* Runs f, where it gives tensors, for their shapes. */
static void find_shapes(check *c) {
  tl_func *f = c->f;
  bool gives_tensors = false;
  for (uint32_t i = 0; i < f->results.count; i++) {
    gives_tensors |= tl_type_of(c->plain, c->plain->body->yields.data[i]).is_tensor;
  }
  if (!gives_tensors) {
    return;
  }
  tl_value *map = TL_NEW_ARRAY(c->d->arena, tl_value, c->plain->values.count);
  pass_copies(c, c->plain, map);
  tl_clone_ops_from(c->b, c->plain, c->plain->body, map);
  c->results = TL_NEW_ARRAY(c->d->arena, tl_value, f->results.count);
  for (uint32_t i = 0; i < f->results.count; i++) {
    c->results[i] = map[c->plain->body->yields.data[i]];
  }
}

tl_func *tl__derive_check_vjp(tl_derive_ctx *d) {
  tl_func *f = d->f;
  bool floating = false, outputs = false, any_coarse = false;
  for (uint32_t i = 0; i < f->results.count; i++) {
    bool is_float = tl__is_float_result(f, i);
    floating |= is_float;
    outputs |= is_float && (f->results.data[i].role == TL_RESULT_FINAL || tl_type_of(f, f->body->yields.data[i]).rank);
  }
  if (!admits(d)) {
    return NULL;
  }
  if (!floating) {
    tl_diag_error(f->module->diag, TL_NOT_DIFFERENTIABLE, d->spec->loc, "'%s' has no differentiable result", f->name);
    return NULL;
  }
  check c = {.d = d, .f = f, .plain = f};
  if (tl__is_on_tensors(f)) {
    c.plain = tl__func_by_value(f, tl_arena_printf(f->module->arena, "%s by value", d->spec->name));
    f->module->funcs.count--;
  }
  for (uint32_t i = 0; i < f->params.count; i++) {
    if (d->wrt_leaf[i]) {
      tl_type type = tl_type_of(f, f->params.data[i].value);
      uint32_t rank = type.is_tensor ? 1 : (uint32_t)type.rank;
      c.members++;
      c.rank = rank > c.rank ? rank : c.rank;
      *(type.dtype == TL_F32 ? &c.singles : &c.doubles) = true;
    }
  }
  if (!make_difference(&c)) {
    return NULL;
  }
  begin_function(&c, d->spec->name, "int");
  tl_signer s = {.f = f, .h = c.frame.h, .arena = d->arena};
  tl_value given = add_number(&c, &s, "tolerance", TL_F64, "double @");
  tl__signer_return(&s, "$", TL_PROMISE_DERIVED, 0);
  tl__signer_finish(&s);
  find_shapes(&c);
  if (!run_reverse_on_copies(&c) || !find_coarse(&c)) {
    return NULL;
  }
  c.difference = TL_NEW_ARRAY(d->arena, tl_value, f->params.count);
  tl_value largest = number(&c, TL_F64, 0), count = tl_build_int(c.b, TL_I32, 0);
  for (c.leaf = 0; c.leaf < f->params.count; c.leaf++) {
    if (!d->wrt_leaf[c.leaf]) {
      continue;
    }
    tl_type type = walked(&c, c.frame.map[f->params.data[c.leaf].value]);
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
  for (c.leaf = 0; c.leaf < f->params.count; c.leaf++) {
    if (d->wrt_leaf[c.leaf]) {
      any_coarse |= c.is_coarse[c.leaf];
      tl_value tolerance = tolerance_of(&c, given, c.is_coarse[c.leaf]);
      counting k = {&c, tl_build_binary(c.b, TL_OP_mul, tolerance, largest)};
      tl__each_element(c.b, walked(&c, c.frame.map[f->params.data[c.leaf].value]), 1, &count, count_failures, &k);
    }
  }
  if ((outputs || tl__gradient_goes_forward(d)) &&
      !add_dot_product_test(&c, tolerance_of(&c, given, any_coarse), &count)) {
    return NULL;
  }
  tl__signer_yield(&s, c.b, NULL, &count);
  return c.frame.h;
}
