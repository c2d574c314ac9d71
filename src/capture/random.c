/* Random numbers of Threefry-2x32 (Salmon et al., 2011) in JAX's original layout: the same bits for the same keys. Made
 * of integer ops, but for draws that reject, so that they are captured and batched, over keys too. */
#include <math.h>
#include <string.h>

#include "base/dtype.h"
#include "tensor/op.h"
#include "tlaloc/capture.h"

/* ---- the block function ---- */

static const int rotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
enum { PARITY = 0x1BD11BDA };

static tl_tensor word(uint32_t v) { return tl_from(TL_U32, TL_SCALAR, &v); }

static tl_tensor rotated(tl_tensor x, int by) {
  return tl_or(tl_shl(x, word((uint32_t)by)), tl_shr(x, word((uint32_t)(32 - by))));
}

static tl_tensor element(tl_tensor x, int64_t i) {
  return tl_reshape(tl_pick(x, TL_SHAPE(1), TL_INTS(i), TL_INTS(1)), TL_SCALAR);
}

/* The words of two halves under a key, behind one another. */
static tl_tensor block(tl_tensor key, tl_tensor low, tl_tensor high) {
  tl_tensor k[3] = {element(key, 0), element(key, 1), NULL}, x = low, y = high;
  k[2] = tl_xor(tl_xor(k[0], k[1]), word(PARITY));
  x = tl_add(x, k[0]);
  y = tl_add(y, k[1]);
  for (int i = 0; i < 5; i++) {
    for (int r = 0; r < 4; r++) {
      x = tl_add(x, y);
      y = tl_xor(rotated(y, rotations[i % 2][r]), x);
    }
    x = tl_add(x, k[(i + 1) % 3]);
    y = tl_add(tl_add(y, k[(i + 2) % 3]), word((uint32_t)i + 1));
  }
  return tl_concat(x, y, 0);
}

/* The same for two words, where draws reject. */
static void block_of(const uint32_t key[2], uint32_t x, uint32_t y, uint32_t out[2]) {
  uint32_t k[3] = {key[0], key[1], key[0] ^ key[1] ^ PARITY};
  x += k[0];
  y += k[1];
  for (uint32_t i = 0; i < 5; i++) {
    for (int r = 0; r < 4; r++) {
      int by = rotations[i % 2][r];
      x += y;
      y = (y << by | y >> (32 - by)) ^ x;
    }
    x += k[(i + 1) % 3];
    y += k[(i + 2) % 3] + i + 1;
  }
  out[0] = x;
  out[1] = y;
}

/* The words of 0, 1, ... count - 1: the first half of the counts with the second, which an odd number ends with a 0. */
static tl_tensor words(tl_tensor key, int64_t count) {
  int64_t half = (count + 1) / 2;
  tl_tensor all = tl_iota(TL_U32, TL_SHAPE(count), 0);
  tl_tensor low = tl_pick(all, TL_SHAPE(half), TL_INTS(0), TL_INTS(1));
  tl_tensor high = tl_pick(all, TL_SHAPE(half), TL_INTS(half), TL_INTS(1)); /* 0 behind the end */
  return tl_pick(block(key, low, high), TL_SHAPE(count), TL_INTS(0), TL_INTS(1));
}

static bool is_key(const char *op, tl_tensor key, tl_tensor *out) {
  tl_shape s = tl_shape_of(key);
  *out = key;
  if (tl__tensor_is_valid(key) && (tl_dtype_of(key) != TL_U32 || s.rank != 1 || s.dim[0] != 2)) {
    *out = tl__tensor_refuse(tl_dtype_of(key) != TL_U32 ? TL_DTYPE_UNSUPPORTED : TL_TENSOR_SHAPE_MISMATCH,
                             "%s: a key is two numbers of dtype u32", op);
    return false;
  }
  return tl__tensor_is_valid(key);
}

/* ---- keys ---- */

tl_tensor tl_random_key(uint64_t seed) {
  return tl_from(TL_U32, TL_SHAPE(2), (uint32_t[]){(uint32_t)(seed >> 32), (uint32_t)seed});
}

tl_tensor tl_random_split(tl_tensor key, int64_t count) {
  tl_tensor out;
  if (!is_key("random_split", key, &out)) {
    return out;
  }
  if (count < 0 || count > INT32_MAX) {
    return tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH, "random_split: %lld keys", (long long)count);
  }
  tl_scope scope = tl_scope_open();
  return scope ? tl__scope_leave(scope, tl_reshape(words(key, 2 * count), TL_SHAPE(count, 2))) : NULL;
}

tl_tensor tl_random_fold_in(tl_tensor key, uint32_t data) {
  tl_tensor out;
  if (!is_key("random_fold_in", key, &out)) {
    return out;
  }
  tl_scope scope = tl_scope_open();
  if (!scope) {
    return NULL;
  }
  tl_tensor low = tl_fill(TL_U32, TL_SHAPE(1), 0), high = tl_reshape(word(data), TL_SHAPE(1));
  return tl__scope_leave(scope, block(key, low, high));
}

/* ---- numbers ---- */

/* How many elements; false where they are too many for 32 bits of count, or no numbers. */
static bool count_of(const char *op, tl_shape shape, size_t size, int64_t *out, tl_tensor *refused) {
  int64_t words = (int64_t)size;
  *out = 1;
  bool ok = shape.rank >= 0 && shape.rank <= TL_MAX_RANK;
  for (int i = 0; ok && i < shape.rank; i++) {
    ok = shape.dim[i] >= 0 && !__builtin_mul_overflow(*out, shape.dim[i], out) &&
         !__builtin_mul_overflow(words, shape.dim[i], &words);
  }
  if (!ok || words / 4 > UINT32_MAX) {
    *refused = tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH,
                                 "%s: a shape of numbers, and of no more words than 2^32, is needed", op);
    return false;
  }
  return true;
}

tl_tensor tl_random_bits(tl_tensor key, tl_dtype dtype, tl_shape shape) {
  tl_tensor out;
  int64_t count;
  if (!is_key("random_bits", key, &out)) {
    return out;
  }
  if (dtype < TL_U8 || dtype > TL_U64) {
    return tl__tensor_refuse(TL_DTYPE_UNSUPPORTED, "random_bits: they are of a dtype without a sign");
  }
  if (!count_of("random_bits", shape, tl_dtype_size(dtype), &count, &out)) {
    return out;
  }
  tl_scope scope = tl_scope_open();
  if (!scope) {
    return NULL;
  }
  int64_t size = (int64_t)tl_dtype_size(dtype), needed = (count * size + 3) / 4;
  out = words(key, needed);
  if (size == 8) { /* the first half of the words are the high ones */
    tl_tensor high = tl_pick(out, TL_SHAPE(count), TL_INTS(0), TL_INTS(1));
    tl_tensor low = tl_pick(out, TL_SHAPE(count), TL_INTS(count), TL_INTS(1));
    out = tl_or(tl_shl(tl_cast(high, TL_U64), tl_fill(TL_U64, TL_SCALAR, 32)), tl_cast(low, TL_U64));
  } else if (size < 4) {
    out = tl_reshape(tl_bitcast(out, dtype), TL_SHAPE(needed * 4 / size));
    out = tl_pick(out, TL_SHAPE(count), TL_INTS(0), TL_INTS(1));
  }
  return tl__scope_leave(scope, tl_reshape(out, shape));
}

/* The bits of a fraction below those of 1, less 1. */
tl_tensor tl_random_uniform(tl_tensor key, tl_dtype dtype, tl_shape shape, double low, double high) {
  static const struct {
    tl_dtype drawn, bits;
    int fraction, all; /* bits; those that are drawn */
    double one;        /* its bits, as a number */
  } formats[TL_DTYPE_COUNT] = {[TL_F64] = {TL_U64, TL_U64, 52, 64, 0x3FF0000000000000},
                               [TL_F32] = {TL_U32, TL_U32, 23, 32, 0x3F800000},
                               [TL_F16] = {TL_U16, TL_U16, 10, 16, 0x3C00},
                               [TL_BF16] = {TL_U8, TL_U16, 7, 8, 0x3F80}};
  if ((unsigned)dtype >= TL_DTYPE_COUNT || !formats[dtype].all) {
    return tl__tensor_refuse(TL_DTYPE_UNSUPPORTED, "random_uniform: of F64, F32, F16 or BF16");
  }
  tl_scope scope = tl_scope_open();
  if (!scope) {
    return NULL;
  }
  tl_dtype d = formats[dtype].bits;
  tl_tensor bits = tl_random_bits(key, formats[dtype].drawn, shape);
  if (!tl__tensor_is_valid(bits)) {
    return tl__scope_leave(scope, bits);
  }
  bits = formats[dtype].drawn == d ? bits : tl_cast(bits, d);
  bits = tl_or(tl_shr(bits, tl_fill(d, TL_SCALAR, formats[dtype].all - formats[dtype].fraction)),
               tl_fill(d, TL_SCALAR, formats[dtype].one));
  tl_tensor unit = tl_sub(tl_bitcast(bits, dtype), tl_fill(dtype, TL_SCALAR, 1));
  tl_tensor least = tl_fill(dtype, TL_SCALAR, low), width = tl_sub(tl_fill(dtype, TL_SCALAR, high), least);
  return tl__scope_leave(scope, tl_maximum(least, tl_add(tl_mul(unit, width), least)));
}

static const double root_2 = 1.41421356237309504880;

/* The least number above -1. */
static double above_minus_one(tl_dtype dtype) {
  return dtype == TL_F64 ? -1 + 0x1p-53 : dtype == TL_F32 ? -1 + 0x1p-24 : dtype == TL_F16 ? -1 + 0x1p-11 : -1 + 0x1p-8;
}

tl_tensor tl_random_normal(tl_tensor key, tl_dtype dtype, tl_shape shape) {
  tl_scope scope = tl_scope_open();
  if (!scope) {
    return NULL;
  }
  tl_tensor u = tl_random_uniform(key, dtype, shape, above_minus_one(dtype), 1);
  return tl__scope_leave(scope, tl__tensor_is_valid(u) ? tl_mul(tl_fill(dtype, TL_SCALAR, root_2), tl_erf_inv(u)) : u);
}

/* Of a small format in float. */
static tl_tensor gumbel(tl_tensor key, tl_dtype dtype, tl_shape shape) {
  double tiny = dtype == TL_F64 ? 0x1p-1022 : dtype == TL_F16 ? 0x1p-14 : 0x1p-126;
  tl_tensor u = tl_random_uniform(key, dtype, shape, tiny, 1);
  u = tl__tensor_is_valid(u) && tl_dtype_is_stored_only(dtype) ? tl_cast(u, TL_F32) : u;
  return tl_neg(tl_log(tl_neg(tl_log(u))));
}

tl_tensor tl_random_gumbel(tl_tensor key, tl_dtype dtype, tl_shape shape) {
  tl_scope scope = tl_scope_open();
  if (!scope) {
    return NULL;
  }
  tl_tensor out = gumbel(key, dtype, shape);
  return tl__scope_leave(scope, tl__tensor_is_valid(out) && tl_dtype_of(out) != dtype ? tl_cast(out, dtype) : out);
}

tl_tensor tl_random_categorical(tl_tensor key, tl_tensor logits, int axis) {
  if (!tl__tensor_is_valid(logits)) {
    return logits;
  }
  tl_scope scope = tl_scope_open();
  if (!scope) {
    return NULL;
  }
  tl_tensor noise = gumbel(key, tl_dtype_of(logits), tl_shape_of(logits));
  bool widens = tl__tensor_is_valid(noise) && tl_dtype_of(noise) != tl_dtype_of(logits);
  return tl__scope_leave(scope, tl_argmax(tl_add(noise, widens ? tl_cast(logits, TL_F32) : logits), axis, false));
}

/* ---- gamma, which rejects ---- */

static void split_of(const uint32_t key[2], int count, uint32_t out[][2]) {
  uint32_t flat[6];
  for (int i = 0; i < count; i++) {
    uint32_t pair[2];
    block_of(key, (uint32_t)i, (uint32_t)(count + i), pair);
    flat[i] = pair[0];
    flat[count + i] = pair[1];
  }
  memcpy(out, flat, sizeof *flat * 2 * (size_t)count);
}

/* In [0, 1), with as many bits as the dtype has. */
static double uniform_of(const uint32_t key[2], tl_dtype dtype) {
  uint32_t pair[2];
  block_of(key, 0, dtype == TL_F64, pair);
  uint64_t bits = dtype == TL_F64 ? ((uint64_t)pair[0] << 32 | pair[1]) >> 12 : pair[0] >> 9;
  return ldexp((double)bits, dtype == TL_F64 ? -52 : -23);
}

static double rounded(tl_dtype dtype, double v) { return dtype == TL_F64 ? v : (double)(float)v; }

static double erf_inv_of(double x) {
  tl_scope scope = tl_scope_open();
  double y = tl_item(tl_erf_inv(tl_fill(TL_F64, TL_SCALAR, x)));
  tl_scope_close(scope);
  return y;
}

static double normal_of(const uint32_t key[2], tl_dtype dtype) {
  double low = above_minus_one(dtype), u = uniform_of(key, dtype);
  u = fmax(low, rounded(dtype, rounded(dtype, u * rounded(dtype, 1 - low)) + low));
  return rounded(dtype, rounded(dtype, root_2) * rounded(dtype, erf_inv_of(u)));
}

/* G. Marsaglia and W. W. Tsang, "A simple method for generating gamma variables" (2000); below 1 by a power of a
 * uniform number. */
static double gamma_of(const uint32_t given[2], tl_dtype dtype, double alpha) {
  uint32_t keys[3][2], key[2], boost[2];
  split_of(given, 2, keys);
  memcpy(key, keys[0], sizeof key);
  memcpy(boost, keys[1], sizeof boost);
  double d = (alpha >= 1 ? alpha : alpha + 1) - 1.0 / 3, c = 1.0 / 3 / sqrt(d), v, square, u;
  do {
    split_of(key, 3, keys);
    memcpy(key, keys[0], sizeof key);
    uint32_t of_x[2] = {keys[1][0], keys[1][1]}, pair[2][2];
    double x;
    do {
      split_of(of_x, 2, pair);
      memcpy(of_x, pair[0], sizeof of_x);
      x = normal_of(pair[1], dtype);
      v = 1 + x * c;
    } while (v <= 0);
    square = x * x;
    v = v * v * v;
    u = uniform_of(keys[2], dtype);
  } while (u >= 1 - 0.0331 * square * square && log(u) >= square * 0.5 + d * (1 - v + log(v)));
  return d * v * (alpha >= 1 ? 1 : pow(1 - uniform_of(boost, dtype), 1 / alpha));
}

tl_tensor tl_random_gamma(tl_tensor key, tl_tensor alpha) {
  tl_tensor out;
  int64_t count;
  tl_dtype dtype = tl_dtype_of(alpha);
  if (!is_key("random_gamma", key, &out) || !tl__tensor_is_valid(alpha)) {
    return tl__tensor_is_valid(alpha) ? out : alpha;
  }
  if (dtype != TL_F64 && dtype != TL_F32) {
    return tl__tensor_refuse(TL_DTYPE_UNSUPPORTED, "random_gamma: of F64 or F32");
  }
  if (tl__tracer_value(key) || tl__tracer_value(alpha)) {
    return tl__tensor_refuse(TL_TRACED_TENSOR, "random_gamma: draws that reject are not recorded");
  }
  if (!count_of("random_gamma", tl_shape_of(alpha), tl_dtype_size(dtype), &count, &out)) {
    return out;
  }
  tl_scope scope = tl_scope_open();
  if (!scope) {
    return NULL;
  }
  void *data;
  tl_tensor parameters = tl_cast(alpha, TL_F64), keys = tl_random_split(key, count);
  out = tl__tensor_blank(TL_F64, tl_shape_of(alpha), &data);
  tl_tensor packed = tl_mul(parameters, tl_fill(TL_F64, TL_SCALAR, 1)); /* row-major */
  if (tl__tensor_is_valid(out) && tl__tensor_is_valid(keys) && tl__tensor_is_valid(packed)) {
    const double *a = tl_data(packed);
    const uint32_t *k = tl_data(keys);
    for (int64_t i = 0; i < count; i++) {
      ((double *)data)[i] = a[i] > 0 ? gamma_of(k + 2 * i, dtype, a[i]) : NAN;
    }
  } else {
    out = tl__tensor_is_valid(keys) ? tl__tensor_is_valid(packed) ? out : packed : keys;
  }
  return tl__scope_leave(scope, dtype == TL_F64 ? out : tl_cast(out, dtype));
}
