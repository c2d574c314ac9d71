/* Sums, maxima, softmax, products, gather and scatter in every dtype over random shapes and views: each result against
 * one that is computed element by element in long double or, of integers, modulo their width. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/dtype.h"
#include "base/small_float.h"
#include "random.h"
#include "tensor/loops.h"
#include "tlaloc/tensor.h"

enum { MOST = 20000 };

/* The elements in the order of the axes, as numbers; those of 64 bits exactly, as long double has 64. */
typedef struct plain {
  tl_dtype dtype;
  tl_shape shape;
  int64_t count;
  long double *at;
} plain;

static plain plain_of(tl_tensor x) {
  if (tl_status_of(x) != TL_OK) {
    fail_msg("%s", tl_message_of(x));
  }
  plain p = {.dtype = tl_dtype_of(x), .shape = tl_shape_of(x), .count = 1};
  for (int i = 0; i < p.shape.rank; i++) {
    p.count *= p.shape.dim[i];
  }
  static _Alignas(16) unsigned char data[8 * MOST];
  assert_true(p.count <= MOST);
  assert_int_equal(tl_read(x, data, (size_t)p.count * tl_dtype_size(p.dtype)), TL_OK);
  p.at = calloc((size_t)p.count + 1, sizeof *p.at);
  for (int64_t i = 0; i < p.count; i++) {
    switch (p.dtype) {
#define CASE(d, type)                                                                                                  \
  case d:                                                                                                              \
    p.at[i] = ((type *)(void *)data)[i];                                                                               \
    break;
      CASE(TL_BOOL, _Bool)
      CASE(TL_I8, int8_t)
      CASE(TL_I16, int16_t)
      CASE(TL_I32, int32_t)
      CASE(TL_I64, int64_t)
      CASE(TL_U8, uint8_t)
      CASE(TL_U16, uint16_t)
      CASE(TL_U32, uint32_t)
      CASE(TL_U64, uint64_t)
      CASE(TL_F32, float)
      CASE(TL_F64, double)
    case TL_F8E4M3FN:
      p.at[i] = tl__small_float_to(p.dtype, data[i]);
      break;
    case TL_F16:
    case TL_BF16:
      p.at[i] = tl__small_float_to(p.dtype, ((uint16_t *)(void *)data)[i]);
      break;
    case TL_F80:
    case TL_DTYPE_COUNT:
      fail();
    }
  }
  return p;
}

static plain like(tl_tensor x) {
  plain p = plain_of(x);
  for (int64_t i = 0; i < p.count; i++) {
    p.at[i] = 0;
  }
  return p;
}

static long double bits_of(tl_dtype d) { return ldexpl(1, 8 * (int)tl_dtype_size(d)); }

/* An integer modulo its width. */
static long double wrapped(tl_dtype d, long double v) {
  long double width = bits_of(d), r = fmodl(v, width);
  r = r < 0 ? r + width : r;
  return !tl_dtype_is_unsigned(d) && r >= width / 2 ? r - width : r;
}

/* Half a unit in the last place of 1. */
static long double rounding(tl_dtype d) {
  return d == TL_F64 ? 0x1p-53L : d == TL_F32 ? 0x1p-24L : d == TL_F16 ? 0x1p-11L : d == TL_BF16 ? 0x1p-8L : 0x1p-4L;
}

/* `scale`: the sum of the magnitudes that were added. */
static void compare(const char *what, const plain *got, const plain *want, const long double *scale) {
  assert_int_equal(got->count, want->count);
  for (int64_t i = 0; i < got->count; i++) {
    long double g = got->at[i], w = want->at[i];
    if (tl_dtype_is_stored_only(got->dtype)) {
      w = tl__small_float_to(got->dtype, tl__small_float_from(got->dtype, (double)w)); /* beyond the largest */
    }
    long double most = scale ? 32 * rounding(got->dtype) * scale[i] : 0;
    bool fits = tl_dtype_is_float(got->dtype) ? g == w || (isnan(g) && isnan(w)) || fabsl(g - w) <= most
                                              : g == wrapped(got->dtype, w);
    if (!fits) {
      fail_msg("%s in %s: element %lld is %Lg, not %Lg", what, tl_dtype_name(got->dtype), (long long)i, g, w);
    }
  }
}

static void drop(plain p) { free(p.at); }

static tl_shape random_shape(int rank, int most) {
  tl_shape s = {.rank = rank};
  for (int i = 0; i < rank; i++) {
    s.dim[i] = random_below(15) ? 1 + random_below((int64_t)most) : 0;
  }
  return s;
}

/* Packed, with the axes in another order in memory, or repeated along an axis. */
static tl_tensor random_tensor(tl_dtype d, tl_shape s) {
  static double numbers[MOST];
  int64_t count = 1;
  tl_shape stored = s;
  int how = s.rank ? (int)random_below(4) : 0, repeat = how == 3 ? (int)random_below((int64_t)s.rank) : 0;
  for (int i = 0; i < s.rank; i++) {
    if (how == 1) {
      stored.dim[i] = s.dim[s.rank - 1 - i];
    }
    if (how == 2) {
      stored.dim[i] = s.dim[(i + 1) % s.rank];
    }
    if (how == 3 && i == repeat) {
      stored.dim[i] = 1;
    }
  }
  for (int i = 0; i < s.rank; i++) {
    count *= stored.dim[i];
  }
  assert_true(count <= MOST);
  for (int64_t i = 0; i < count; i++) {
    double v = random_double(-3, 2);
    numbers[i] = tl_dtype_is_float(d) ? v : trunc(64 * fabs(v) * (tl_dtype_is_unsigned(d) || v > 0 ? 1 : -1));
  }
  tl_tensor x = tl_cast(tl_from(TL_F64, stored, numbers), d);
  tl_axes turn = {.count = s.rank};
  for (int i = 0; i < s.rank; i++) {
    turn.axis[(i + 1) % s.rank] = (int8_t)i;
  }
  return how == 1 ? tl_transpose(x, TL_ALL) : how == 2 ? tl_transpose(x, turn) : how == 3 ? tl_broadcast(x, s) : x;
}

static void check_reduction(tl_dtype d) {
  int rank = (int)random_below(5);
  tl_shape s = random_shape(rank, rank > 2 ? 9 : 100);
  tl_tensor x = random_tensor(d, s);
  tl_axes axes = {.count = 0};
  bool named[TL_MAX_RANK] = {false}, keep = random_below(2), has_empty = false;
  for (int i = 0; i < rank; i++) {
    if (random_below(2)) {
      named[i] = true;
      axes.axis[axes.count++] = (int8_t)(random_below(2) ? i : i - rank);
      has_empty = has_empty || !s.dim[i];
    }
  }
  plain p = plain_of(x), sum = plain_of(tl_sum(x, axes, keep)), want = like(tl_sum(x, axes, keep));
  tl_tensor largest = tl_max(x, axes, keep);
  assert_int_equal(tl_status_of(largest), has_empty ? TL_TENSOR_SHAPE_MISMATCH : TL_OK);
  long double *scale = calloc((size_t)want.count + 1, sizeof *scale);
  plain most = like(tl_sum(x, axes, keep));
  for (int64_t i = 0; i < most.count; i++) {
    most.at[i] = -INFINITY;
  }
  for (int64_t i = 0; i < p.count; i++) {
    int64_t rest = i, to = 0, stride = 1;
    for (int k = rank - 1; k >= 0; k--) {
      int64_t at = rest % s.dim[k];
      rest /= s.dim[k];
      if (!named[k]) {
        to += at * stride;
        stride *= s.dim[k];
      }
    }
    want.at[to] += p.at[i];
    scale[to] += fabsl(p.at[i]);
    most.at[to] = p.at[i] > most.at[to] ? p.at[i] : most.at[to];
  }
  compare("sum", &sum, &want, scale);
  assert_int_equal(sum.shape.rank, keep ? rank : rank - axes.count);
  if (!has_empty) {
    plain got = plain_of(largest);
    compare("max", &got, &most, NULL);
    drop(got);
  }
  free(scale);
  drop(p), drop(sum), drop(want), drop(most);
}

static void check_softmax(tl_dtype d) {
  int rank = 1 + (int)random_below(4);
  tl_shape s = random_shape(rank, 9);
  int axis = (int)random_below((int64_t)rank);
  tl_tensor x = random_tensor(d, s);
  plain p = plain_of(x), got = plain_of(tl_softmax(x, random_below(2) ? axis : axis - rank)), want = like(x);
  int64_t stride = 1;
  for (int k = rank - 1; k > axis; k--) {
    stride *= s.dim[k];
  }
  for (int64_t i = 0; i < p.count; i++) {
    if (i / stride % s.dim[axis] == 0) {
      long double sum = 0;
      for (int64_t k = 0; k < s.dim[axis]; k++) {
        sum += expl(p.at[i + k * stride]);
      }
      for (int64_t k = 0; k < s.dim[axis]; k++) {
        want.at[i + k * stride] = expl(p.at[i + k * stride]) / sum;
      }
    }
  }
  compare("softmax", &got, &want, want.at);
  drop(p), drop(got), drop(want);
}

static void check_product(tl_dtype d) {
  int64_t rows = random_below(20) ? 1 + random_below(20) : 0, inner = random_below(20) ? 1 + random_below(40) : 0,
          columns = 1 + random_below(20);
  bool x_is_row = random_below(5) == 0, y_is_column = random_below(5) == 0;
  int front = (int)random_below(3);
  tl_shape f = random_shape(front, 3), sx = {.rank = 0}, sy = {.rank = 0};
  for (int i = 0; i < front; i++) {
    if (!x_is_row && (i || random_below(2))) {
      sx.dim[sx.rank++] = random_below(3) ? f.dim[i] : 1;
    }
    if (!y_is_column) {
      sy.dim[sy.rank++] = f.dim[i];
    }
  }
  if (!x_is_row) {
    sx.dim[sx.rank++] = rows;
  }
  sx.dim[sx.rank++] = inner;
  sy.dim[sy.rank++] = inner;
  if (!y_is_column) {
    sy.dim[sy.rank++] = columns;
  }
  rows = x_is_row ? 1 : rows;
  columns = y_is_column ? 1 : columns;
  tl_tensor x = random_tensor(d, sx), y = random_tensor(d, sy), z = tl_matmul(x, y);
  plain px = plain_of(x), py = plain_of(y), got = plain_of(z), want = like(z), scale = like(z);
  int64_t matrices = rows > 0 && columns > 0 ? got.count / (rows * columns) : 0;
  int extra = got.shape.rank - !x_is_row - !y_is_column;
  for (int64_t b = 0; b < matrices; b++) {
    int64_t rest = b, ax = 0, ay = 0, wx = rows * inner, wy = inner * columns;
    for (int k = extra - 1; k >= 0; k--) {
      int64_t at = rest % got.shape.dim[k];
      rest /= got.shape.dim[k];
      int kx = k - (extra - (sx.rank - 1 - !x_is_row)), ky = k - (extra - (sy.rank - 1 - !y_is_column));
      if (kx >= 0) {
        ax += (sx.dim[kx] == 1 ? 0 : at) * wx;
        wx *= sx.dim[kx];
      }
      if (ky >= 0) {
        ay += (sy.dim[ky] == 1 ? 0 : at) * wy;
        wy *= sy.dim[ky];
      }
    }
    for (int64_t i = 0; i < rows * columns * inner; i++) {
      int64_t r = i / inner / columns, c = i / inner % columns, k = i % inner, to = b * rows * columns + i / inner;
      long double v = px.at[ax + r * inner + k] * py.at[ay + k * columns + c];
      want.at[to] += v;
      scale.at[to] += fabsl(v);
    }
  }
  compare("matmul", &got, &want, scale.at);
  drop(px), drop(py), drop(got), drop(want), drop(scale);
}

static long double fill_of(tl_dtype d) {
  int64_t least, most;
  if (tl_dtype_is_float(d)) {
    return NAN;
  }
  tl_dtype_range(d, &least, &most);
  return tl_dtype_is_unsigned(d) ? 0 : least;
}

static void check_indices(tl_dtype d) {
  int rank = 1 + (int)random_below(3), axis = (int)random_below((int64_t)rank);
  tl_shape s = random_shape(rank, 7), si = random_shape((int)random_below(3), 5), su = {.rank = 0};
  tl_index_mode mode = (tl_index_mode)random_below(4);
  int64_t extent = s.dim[axis], count = 1, behind = 1;
  bool all_inside = true;
  for (int i = 0; i < si.rank; i++) {
    count *= si.dim[i];
  }
  double numbers[32] = {0};
  for (int64_t i = 0; i < count; i++) {
    int64_t k = mode == TL_INDEX_CHECK && random_below(20) ? random_below((int64_t)extent + !extent)
                                                           : (int64_t)random_below(12) - 3;
    all_inside = all_inside && k >= 0 && k < extent;
    numbers[i] = (double)k;
  }
  tl_tensor x = random_tensor(d, s), indices = tl_cast(tl_from(TL_F64, si, numbers), random_below(2) ? TL_I32 : TL_I64);
  for (int i = 0; i < rank; i++) {
    for (int k = 0; i == axis && k < si.rank; k++) {
      su.dim[su.rank++] = si.dim[k];
    }
    if (i != axis) {
      su.dim[su.rank++] = s.dim[i];
    }
    behind *= i > axis ? s.dim[i] : 1;
  }
  bool fails = (mode == TL_INDEX_CHECK && !all_inside) || (mode == TL_INDEX_CLIP && !extent && count);
  tl_tensor taken = tl_gather(x, indices, axis - (random_below(2) ? rank : 0), (tl_gather_opts){.mode = mode});
  assert_int_equal(tl_status_of(taken), fails ? TL_INDEX_OUT_OF_RANGE : TL_OK);
  tl_tensor updates = random_tensor(d, su);
  tl_tensor added = d == TL_BOOL ? NULL : tl_scatter_add(x, indices, updates, axis, (tl_gather_opts){.mode = mode});
  if (fails) {
    return;
  }
  plain p = plain_of(x), u = plain_of(updates), got = plain_of(taken), want = like(taken);
  plain sums = plain_of(x), scale = plain_of(x);
  for (int64_t i = 0; i < p.count; i++) {
    scale.at[i] = fabsl(scale.at[i]);
  }
  for (int64_t i = 0; i < want.count; i++) {
    int64_t k = (int64_t)numbers[i / behind % count], a = i / behind / count, b = i % behind;
    int64_t inside = k < 0 ? 0 : k >= extent ? extent - 1 : k, from = (a * extent + inside) * behind + b;
    bool dropped = k != inside && mode >= TL_INDEX_DROP;
    want.at[i] = !dropped ? p.at[from] : mode == TL_INDEX_FILL ? fill_of(d) : 0;
    if (!dropped) {
      sums.at[from] += u.at[i];
      scale.at[from] += fabsl(u.at[i]);
    }
  }
  compare("gather", &got, &want, NULL);
  if (added) {
    plain s_got = plain_of(added);
    compare("scatter_add", &s_got, &sums, scale.at);
    drop(s_got);
  }
  drop(p), drop(u), drop(got), drop(want), drop(sums), drop(scale);
}

/* Over the dtypes, at each level of the machine. */
static void each(void (*check)(tl_dtype), int times, bool floats_alone, bool with_bool) {
  for (int k = 0; k < TL_DTYPE_COUNT * tl__loops_count(); k++) {
    int d = k % TL_DTYPE_COUNT;
    tl__loops_use(k / TL_DTYPE_COUNT);
    if (d == TL_F80 || (d == TL_BOOL && !with_bool) || (floats_alone && !tl_dtype_is_float((tl_dtype)d))) {
      continue;
    }
    for (int i = 0; i < times; i++) {
      tl_scope s = tl_scope_open();
      check((tl_dtype)d);
      tl_scope_close(s);
    }
  }
}

static void test_reductions(void **state) {
  (void)state;
  each(check_reduction, 200, false, false);
}
static void test_softmax(void **state) {
  (void)state;
  each(check_softmax, 100, true, false);
}
static void test_products(void **state) {
  (void)state;
  each(check_product, 100, false, false);
}
static void test_indices(void **state) {
  (void)state;
  each(check_indices, 200, false, true);
}

static void test_special(void **state) {
  (void)state;
  tl_scope s = tl_scope_open();
  /* Of 2^24 ones a sum in order in float is right, of 3 * 2^24 not: the tree is. 1 + 2^-30 is no float. */
  float f;
  double one = 1 + 0x1p-30, d;
  tl_tensor ones = tl_broadcast(tl_fill(TL_F32, TL_SCALAR, 1), TL_SHAPE(3, 1 << 12, 1 << 12));
  assert_int_equal(tl_read(tl_sum(ones, TL_ALL, false), &f, sizeof f), TL_OK);
  assert_true(f == 3 * 0x1p24f);
  assert_int_equal(tl_read(tl_sum(tl_fill(TL_F64, TL_SHAPE(4), one), TL_ALL, false), &d, sizeof d), TL_OK);
  assert_true(d == 4 * one);
  tl_tensor line = tl_fill(TL_F64, TL_SHAPE(1, 1), one);
  assert_int_equal(tl_read(tl_matmul(line, line), &d, sizeof d), TL_OK);
  assert_true(d == one * one);
  /* NaN wherever it lies among the elements of a maximum. */
  for (int i = 0; i < 40; i++) {
    float x[40] = {0};
    x[i] = NAN;
    x[39 - i] += 5;
    assert_int_equal(tl_read(tl_max(tl_from(TL_F32, TL_SHAPE(40), x), TL_ALL, false), &f, sizeof f), TL_OK);
    assert_true(isnan(f));
    float y[20];
    assert_int_equal(tl_read(tl_max(tl_from(TL_F32, TL_SHAPE(2, 20), x), TL_AXES(0), false), y, sizeof y), TL_OK);
    for (int k = 0; k < 20; k++) {
      assert_true(!isnan(y[k]) == (k != i % 20));
    }
  }
  float big[2] = {1000, 0}, p[2];
  assert_int_equal(tl_read(tl_softmax(tl_from(TL_F32, TL_SHAPE(2), big), 0), p, sizeof p), TL_OK);
  assert_true(p[0] == 1 && p[1] == 0);
  int32_t rows[2] = {0, 5};
  tl_tensor y =
      tl_gather(tl_fill(TL_F32, TL_SHAPE(4, 2), 1), tl_from(TL_I32, TL_SHAPE(2), rows), 0, (tl_gather_opts){0});
  assert_int_equal(tl_status_of(y), TL_INDEX_OUT_OF_RANGE);
  assert_string_equal(tl_message_of(y), "gather: index 5 on axis 0, which has extent 4");
  tl_scope_close(s);
}

/* The same bits at every level; of products, which are larger than those above, nearly so. */
static void test_levels(void **state) {
  (void)state;
  tl_scope s = tl_scope_open();
  for (int d = 0; d < TL_DTYPE_COUNT; d++) {
    if (d == TL_F80 || d == TL_BOOL || tl_dtype_is_stored_only((tl_dtype)d)) {
      continue;
    }
    tl_tensor x = random_tensor((tl_dtype)d, TL_SHAPE(130, 140)), y = random_tensor((tl_dtype)d, TL_SHAPE(140, 120));
    static unsigned char first[6][8 * MOST], other[8 * MOST];
    plain product = {.at = NULL};
    for (int level = 0; level < tl__loops_count(); level++) {
      tl__loops_use(level);
      bool is_float = tl_dtype_is_float((tl_dtype)d);
      tl_tensor got[6] = {tl_sum(x, TL_ALL, false),
                          tl_sum(x, TL_AXES(0), false),
                          tl_max(y, TL_AXES(1), false),
                          tl_mul(x, x),
                          is_float ? tl_softmax(x, 0) : tl_cast(x, TL_F32),
                          is_float ? tl_softmax(x, 1) : tl_cast(x, TL_I16)};
      for (int i = 0; i < 6; i++) {
        plain p = plain_of(got[i]);
        size_t bytes = (size_t)p.count * tl_dtype_size(p.dtype);
        drop(p);
        assert_int_equal(tl_read(got[i], level ? other : first[i], bytes), TL_OK);
        assert_true(!level || memcmp(first[i], other, bytes) == 0);
      }
      plain p = plain_of(tl_matmul(x, y));
      if (level) {
        long double *scale = calloc((size_t)p.count, sizeof *scale);
        for (int64_t i = 0; i < p.count; i++) {
          scale[i] = 140 * 64;
        }
        compare("matmul", &p, &product, scale);
        free(scale);
        drop(p);
      } else {
        product = p;
      }
    }
    drop(product);
  }
  tl_scope_close(s);
}

static void expect(tl_tensor t, tl_status status, const char *message) {
  assert_int_equal(tl_status_of(t), status);
  assert_string_equal(tl_message_of(t), message);
}

static void test_refused_composites(void **state) {
  (void)state;
  tl_scope s = tl_scope_open();
  tl_tensor x = tl_fill(TL_F32, TL_SHAPE(2, 3), 1), y = tl_fill(TL_F32, TL_SHAPE(4, 3), 1), both[] = {x, y};
  expect(tl_einsum("ii->i", 1, &x), TL_TENSOR_SHAPE_MISMATCH, "einsum: axes with one letter have different extents");
  expect(tl_einsum("ij,ij->i", 2, both), TL_TENSOR_SHAPE_MISMATCH,
         "einsum: axes with one letter have different extents");
  expect(tl_einsum("ij,k->i", 2, both), TL_TENSOR_SHAPE_MISMATCH,
         "einsum: an operand has another rank than it has letters");
  const char *const bad[] = {"ij", "ij,jk", "i1->i", "->", "ij,kj->ik ->"};
  for (int i = 0; i < 5; i++) {
    expect(tl_einsum(bad[i], i == 1 || i == 4 ? 2 : 1, both), TL_TENSOR_SHAPE_MISMATCH,
           i == 3 ? "einsum: an operand has another rank than it has letters"
                  : "einsum: one group of letters for each operand, then -> and those of the result");
  }
  expect(tl_einsum("ij->ii", 1, &x), TL_TENSOR_SHAPE_MISMATCH,
         "einsum: a letter of the result is in no operand, or twice in the result");
  expect(tl_contract(x, y, TL_AXES(0), TL_AXES(0)), TL_TENSOR_SHAPE_MISMATCH,
         "contract: axes with one letter have different extents");
  expect(tl_contract(x, y, TL_AXES(0, 1), TL_AXES(0)), TL_TENSOR_SHAPE_MISMATCH,
         "contract: as many axes of one operand as of the other");
  expect(tl_mean(tl_fill(TL_I32, TL_SHAPE(2), 1), TL_ALL, false), TL_DTYPE_UNSUPPORTED,
         "mean: of integers it would not be one: cast them");
  expect(tl_take_along(x, tl_fill(TL_I64, TL_SHAPE(2), 0), 0, TL_INDEX_CHECK), TL_TENSOR_SHAPE_MISMATCH,
         "take_along: the indices have another rank");
  tl_top_k_result top = tl_top_k(x, 4, 1);
  expect(top.values, TL_INDEX_OUT_OF_RANGE, "top_k: index 3 on axis 1, which has extent 3");
  assert_int_equal(tl_status_of(top.indices), TL_INDEX_OUT_OF_RANGE);
  tl_scope_close(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_reductions),
      cmocka_unit_test(test_softmax),
      cmocka_unit_test(test_products),
      cmocka_unit_test(test_indices),
      cmocka_unit_test(test_special),
      cmocka_unit_test(test_levels),
      cmocka_unit_test(test_refused_composites),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
