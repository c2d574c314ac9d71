/* Integers that stand for numbers, (q - zero) scale, made of other ops. */
#include "tensor/compose.h"

/* A scale or a zero point, of rank 0 or one for each place along an axis of x. */
static tl_tensor spread(const char *op, tl_tensor of, tl_tensor x, int axis) {
  tl_tensor out;
  if (!tl__tensor_is_valid(of) || of->rank == 0 || (of->rank == 1 && of->dim[0] == 1)) {
    return tl__tensor_is_valid(of) && of->rank ? tl_reshape(of, TL_SCALAR) : of;
  }
  if (of->rank > 1 || !tl__find_axis(op, x, &axis, &out)) {
    return of->rank > 1 ? tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH,
                                            "%s: a scale or zero point of rank %d; it has one number, or one for each "
                                            "place on an axis",
                                            op, of->rank)
                        : out;
  }
  return tl__along(of, x->rank, axis);
}

static tl_tensor refuse_zero(const char *op, tl_tensor zero) {
  bool is_small = zero->dtype == TL_I8 || zero->dtype == TL_U8 || zero->dtype == TL_I16 || zero->dtype == TL_U16 ||
                  zero->dtype == TL_I32;
  return is_small
             ? NULL
             : tl__tensor_refuse(TL_DTYPE_UNSUPPORTED, "%s: the zero point has dtype %s, not i8, u8, i16, u16 or i32",
                                 op, tl_dtype_name(zero->dtype));
}

tl_tensor tl_quantize(tl_tensor x, tl_tensor scale, tl_tensor zero, int axis) {
  tl_scope scope;
  tl_tensor out;
  if (!tl__compose_enter(3, (tl_tensor[]){x, scale, zero}, &scope, &out)) {
    return out;
  }
  out = refuse_zero("quantize", zero);
  if (!out) {
    tl_tensor by = tl__widened(spread("quantize", scale, x, axis)), wide = tl__widened(x);
    tl_tensor place = tl_cast(spread("quantize", zero, x, axis), tl_dtype_of(wide));
    out = tl_cast(tl_add(tl_rint(tl_div(wide, by)), place), zero->dtype);
  }
  return tl__compose_leave("quantize", scope, out);
}

/* q - zero as an I32, in which it wraps for an I32 alone. */
static tl_tensor apart(const char *op, tl_tensor q, tl_tensor zero, int axis) {
  tl_tensor refused = refuse_zero(op, zero);
  if (refused || q->dtype != zero->dtype) {
    return refused ? refused
                   : tl__tensor_refuse(TL_DTYPE_MISMATCH, "%s: the integers have dtype %s, their zero point %s", op,
                                       tl_dtype_name(q->dtype), tl_dtype_name(zero->dtype));
  }
  return tl_sub(tl_cast(q, TL_I32), tl_cast(spread(op, zero, q, axis), TL_I32));
}

tl_tensor tl_dequantize(tl_tensor q, tl_tensor scale, tl_tensor zero, int axis) {
  tl_scope scope;
  tl_tensor out;
  if (!tl__compose_enter(3, (tl_tensor[]){q, scale, zero}, &scope, &out)) {
    return out;
  }
  tl_tensor wide = tl__widened(scale), difference = apart("dequantize", q, zero, axis);
  out = tl_mul(tl_cast(difference, wide->dtype), spread("dequantize", wide, q, axis));
  return tl__compose_leave("dequantize", scope, tl__like(out, scale));
}

tl_quantized tl_quantize_range(tl_tensor x) {
  tl_scope scope;
  tl_tensor failed;
  if (!tl__compose_enter(1, &x, &scope, &failed)) {
    return (tl_quantized){failed, failed, failed};
  }
  tl_tensor wide = tl__widened(x), zero = tl_scalar_like(wide, 0), steps = tl_scalar_like(wide, 255);
  tl_tensor most = tl_maximum(tl_max(wide, TL_ALL, false), zero), least = tl_minimum(tl_min(wide, TL_ALL, false), zero);
  tl_tensor scale = tl_div(tl_sub(most, least), steps);
  /* Of zeros alone any scale is right, and this one is no quotient by 0. */
  tl_tensor by = tl_where(tl_eq(scale, zero), tl_scalar_like(wide, 1), scale);
  tl_tensor place = tl_cast(tl_rint(tl_div(tl_neg(least), by)), TL_U8);
  tl_tensor values = tl_cast(tl_add(tl_rint(tl_div(wide, by)), tl_cast(place, tl_dtype_of(wide))), TL_U8);
  tl_quantized out = {.values = tl_scope_keep(scope, values), .zero = tl_scope_keep(scope, place)};
  out.scale = tl__compose_leave("quantize_range", scope, tl__like(scale, x));
  return out;
}

/* ---- products ---- */

/* a of rows with zero points of their own, b of columns. */
static tl_tensor integer_product(const char *op, tl_tensor a, tl_tensor a_zero, tl_tensor b, tl_tensor b_zero) {
  return tl_matmul(apart(op, a, a_zero, -2), apart(op, b, b_zero, -1));
}

tl_tensor tl_matmul_integer(tl_tensor a, tl_tensor a_zero, tl_tensor b, tl_tensor b_zero) {
  tl_scope scope;
  tl_tensor out;
  if (!tl__compose_enter(4, (tl_tensor[]){a, a_zero, b, b_zero}, &scope, &out)) {
    return out;
  }
  return tl__compose_leave("matmul_integer", scope, integer_product("matmul_integer", a, a_zero, b, b_zero));
}

static tl_tensor integer_convolution(const char *op, tl_tensor x, tl_tensor x_zero, tl_tensor w, tl_tensor w_zero,
                                     tl_convolution_opts o) {
  return tl_convolution(apart(op, x, x_zero, 1), apart(op, w, w_zero, 0), o);
}

tl_tensor tl_convolution_integer(tl_tensor x, tl_tensor x_zero, tl_tensor w, tl_tensor w_zero, tl_convolution_opts o) {
  tl_scope scope;
  tl_tensor out;
  if (!tl__compose_enter(4, (tl_tensor[]){x, x_zero, w, w_zero}, &scope, &out)) {
    return out;
  }
  out = integer_convolution("convolution_integer", x, x_zero, w, w_zero, o);
  return tl__compose_leave("convolution_integer", scope, out);
}

static bool enter_two(tl_quantized a, tl_quantized b, tl_tensor scale, tl_tensor zero, tl_scope *scope,
                      tl_tensor *out) {
  tl_tensor all[] = {a.values, a.scale, a.zero, b.values, b.scale, b.zero, scale, zero};
  return tl__compose_enter(8, all, scope, out);
}

/* The sums of products as the integers of a scale and a zero point of their own. */
static tl_tensor rounded(const char *op, tl_tensor sums, tl_tensor a_scale, tl_tensor b_scale, tl_tensor scale,
                         tl_tensor zero, int axis) {
  if (!tl__tensor_is_valid(sums)) {
    return sums;
  }
  tl_tensor by = tl_div(tl_mul(a_scale, b_scale), spread(op, scale, sums, axis));
  return tl_quantize(tl_mul(tl_cast(sums, tl_dtype_of(by)), by), tl_scalar_like(by, 1), zero, axis);
}

tl_tensor tl_quantized_matmul(tl_quantized a, tl_quantized b, tl_tensor scale, tl_tensor zero) {
  static const char op[] = "quantized_matmul";
  tl_scope scope;
  tl_tensor out;
  if (!enter_two(a, b, scale, zero, &scope, &out)) {
    return out;
  }
  tl_tensor a_scale = spread(op, a.scale, a.values, -2), b_scale = spread(op, b.scale, b.values, -1);
  out = integer_product(op, a.values, a.zero, b.values, b.zero);
  return tl__compose_leave(op, scope, rounded(op, out, a_scale, b_scale, scale, zero, -1));
}

tl_tensor tl_quantized_convolution(tl_quantized x, tl_quantized w, tl_tensor scale, tl_tensor zero,
                                   tl_convolution_opts o) {
  static const char op[] = "quantized_convolution";
  tl_scope scope;
  tl_tensor out;
  if (!enter_two(x, w, scale, zero, &scope, &out)) {
    return out;
  }
  tl_tensor sums = integer_convolution(op, x.values, x.zero, w.values, w.zero, o);
  tl_tensor x_scale = spread(op, x.scale, x.values, 1), w_scale = w.scale;
  /* One for each filter, which is a channel of the result. */
  w_scale = tl__tensor_is_valid(sums) ? spread(op, w_scale, sums, 1) : w_scale;
  return tl__compose_leave(op, scope, rounded(op, sums, x_scale, w_scale, scale, zero, 1));
}
