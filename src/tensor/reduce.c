/* Sums and maxima over axes.
 *
 * Sums are trees: an axis is halved until few elements are left, so that the error grows with the logarithm of their
 * number. Results that lie side by side are summed side by side where their elements are closer in memory than those of
 * one sum. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "tensor/tensor_priv.h"

enum {
  TILE = 256, /* results at a time */
  LANES = 16, /* consecutive elements are taken into that many partial results */
  LEAF = 32   /* elements that are taken in order */
};

/* Takes n rows of `width` elements, which are `across` bytes apart, `down` bytes from row to row, into `into`. */
typedef void fold(void *into, int64_t width, int64_t across, const unsigned char *x, int64_t n, int64_t down);

#define ADD(type, a, b) ((a) + (b))
#define LARGER(type, a, b) ((b) > (a) || (b) != (b) ? (b) : (a))
#define AT(type, p) (*(const type *)(const void *)(p))
#define DEFINE_FOLD(name, type, TAKE, identity)                                                                        \
  static type name##_row(const type *x, int64_t n) {                                                                   \
    type lane[LANES], all = (identity);                                                                                \
    int64_t i = 0;                                                                                                     \
    if (n >= LANES) {                                                                                                  \
      memcpy(lane, x, sizeof lane);                                                                                    \
      for (i = LANES; i + LANES <= n; i += LANES) {                                                                    \
        for (int k = 0; k < LANES; k++) {                                                                              \
          type v = x[i + k];                                                                                           \
          lane[k] = (type)TAKE(type, lane[k], v);                                                                      \
        }                                                                                                              \
      }                                                                                                                \
      for (int half = LANES / 2; half; half /= 2) {                                                                    \
        for (int k = 0; k < half; k++) {                                                                               \
          lane[k] = (type)TAKE(type, lane[k], lane[k + half]);                                                         \
        }                                                                                                              \
      }                                                                                                                \
      all = lane[0];                                                                                                   \
    }                                                                                                                  \
    for (; i < n; i++) {                                                                                               \
      all = (type)TAKE(type, all, x[i]);                                                                               \
    }                                                                                                                  \
    return all;                                                                                                        \
  }                                                                                                                    \
  static void name(void *into, int64_t width, int64_t across, const unsigned char *x, int64_t n, int64_t down) {       \
    type *restrict o = into;                                                                                           \
    if (width == 1 && down == sizeof(type)) {                                                                          \
      type v = name##_row((const type *)(const void *)x, n);                                                           \
      *o = (type)TAKE(type, *o, v);                                                                                    \
      return;                                                                                                          \
    }                                                                                                                  \
    for (int64_t i = 0; i < n; i++, x += down) {                                                                       \
      if (across == sizeof(type)) {                                                                                    \
        for (int64_t k = 0; k < width; k++) {                                                                          \
          type v = AT(type, x + k * (int64_t)sizeof(type));                                                            \
          o[k] = (type)TAKE(type, o[k], v);                                                                            \
        }                                                                                                              \
      } else {                                                                                                         \
        for (int64_t k = 0; k < width; k++) {                                                                          \
          type v = AT(type, x + k * across);                                                                           \
          o[k] = (type)TAKE(type, o[k], v);                                                                            \
        }                                                                                                              \
      }                                                                                                                \
    }                                                                                                                  \
  }
#define LEAST(type) ((type) - 1 < (type)1 ? (type)((uint64_t)1 << (8 * sizeof(type) - 1)) : (type)0)
#define DEFINE_SUM(d, type) DEFINE_FOLD(sum_##d, type, ADD, 0)
#define DEFINE_LARGEST(d, type) DEFINE_FOLD(max_##d, type, LARGER, LEAST(type))
#define DEFINE_LARGEST_FLOAT(d, type) DEFINE_FOLD(max_##d, type, LARGER, -(type)INFINITY)
TL__INTEGERS(DEFINE_SUM)
TL__FLOATS(DEFINE_SUM)
TL__INTEGERS(DEFINE_LARGEST)
TL__FLOATS(DEFINE_LARGEST_FLOAT)

#define ENTRY_SUM(d, type) [d] = sum_##d,
#define ENTRY_MAX(d, type) [d] = max_##d,
static fold *const sums[TL_DTYPE_COUNT] = {TL__INTEGERS(ENTRY_SUM) TL__FLOATS(ENTRY_SUM)};
static fold *const maxima[TL_DTYPE_COUNT] = {TL__INTEGERS(ENTRY_MAX) TL__FLOATS(ENTRY_MAX)};

typedef struct axis {
  int64_t dim, stride, out; /* `out`: the result's stride */
} axis;

typedef struct reduction {
  fold *take;
  int64_t size;          /* of an element */
  const void *identity;  /* TILE of them */
  int64_t width, across; /* results that are taken side by side */
  int64_t leaf;          /* elements of the last axis that are not halved any more */
  int depth;
  axis over[TL_MAX_RANK]; /* the reduced axes, the closest elements last */
} reduction;

/* Axis `level` of those that are reduced, n of its elements, into `into`. */
static void reduce_over(const reduction *r, int level, int64_t n, const unsigned char *x, unsigned char *into) {
  const axis *a = &r->over[level];
  bool is_last = level == r->depth - 1;
  if (n > (is_last ? r->leaf : 1)) {
    _Alignas(8) unsigned char second[TILE * sizeof(int64_t)];
    int64_t half = is_last ? n / 2 / LANES * LANES : n / 2;
    memcpy(second, r->identity, (size_t)(r->width * r->size));
    reduce_over(r, level, half, x, into);
    reduce_over(r, level, n - half, x + half * a->stride, second);
    r->take(into, r->width, r->size, second, 1, 0);
  } else if (is_last) {
    r->take(into, r->width, r->across, x, n, a->stride);
  } else if (n == 1) {
    reduce_over(r, level + 1, r->over[level + 1].dim, x, into);
  }
}

static int64_t magnitude(int64_t v) { return v < 0 ? -v : v; }

/* The widest steps first, and axes that are one behind the other made one. */
static int arrange(int count, axis *a) {
  for (int i = 1; i < count; i++) {
    for (int k = i; k > 0 && magnitude(a[k - 1].stride) < magnitude(a[k].stride); k--) {
      axis swapped = a[k];
      a[k] = a[k - 1];
      a[k - 1] = swapped;
    }
  }
  int kept = 0;
  for (int i = 0; i < count; i++) {
    if (a[i].dim == 1) {
      continue;
    }
    axis *before = kept ? &a[kept - 1] : NULL;
    if (before && before->stride == a[i].stride * a[i].dim && before->out == a[i].out * a[i].dim) {
      *before = (axis){before->dim * a[i].dim, a[i].stride, a[i].out};
    } else {
      a[kept++] = a[i];
    }
  }
  if (!kept) {
    a[kept++] = (axis){1, 0, 0};
  }
  return kept;
}

/* Every tile of results along the last axis that stays, for each place on the others. */
static void reduce_all(reduction *r, int count, const axis *stays, const unsigned char *x, unsigned char *out) {
  const axis *last = &stays[count - 1];
  bool is_wide = magnitude(last->stride) < magnitude(r->over[r->depth - 1].stride) || r->over[r->depth - 1].dim == 1;
  int64_t index[TL_MAX_RANK] = {0}, step = is_wide ? TILE : 1;
  r->across = last->stride;
  r->leaf = !is_wide && r->over[r->depth - 1].stride == r->size ? LANES * LEAF : LEAF;
  for (;;) {
    for (int64_t i = 0; i < last->dim; i += step) {
      _Alignas(64) unsigned char tile[TILE * sizeof(int64_t)];
      r->width = last->dim - i < step ? last->dim - i : step;
      memcpy(tile, r->identity, (size_t)(r->width * r->size));
      reduce_over(r, 0, r->over[0].dim, x + i * last->stride, tile);
      for (int64_t k = 0; k < r->width; k++) {
        memcpy(out + (i + k) * last->out, tile + k * r->size, (size_t)r->size);
      }
    }
    int level = count - 2;
    while (level >= 0 && ++index[level] == stays[level].dim) {
      index[level] = 0;
      x -= stays[level].stride * (stays[level].dim - 1);
      out -= stays[level].out * (stays[level].dim - 1);
      level--;
    }
    if (level < 0) {
      return;
    }
    x += stays[level].stride;
    out += stays[level].out;
  }
}

static tl_tensor reduce(tl_opcode code, fold *take, double identity, tl_tensor x, const tl_attr *attrs,
                        const tl_tensor_type *type) {
  tl_tensor out = tl__tensor_of(type);
  if (!out || out->status != TL_OK || out->count == 0) {
    return out;
  }
  bool named[TL_MAX_RANK];
  tl_shape_rules rules;
  tl_status status = tl__shape_axes(&rules, tl_op_table[code].name, x->rank, attrs[0].axes, named);
  assert(status == TL_OK);
  (void)status;
  reduction r = {.take = take, .size = (int64_t)tl_dtype_size(x->dtype)};
  axis stays[TL_MAX_RANK + 1];
  int count = 0, over = 0, to = 0;
  for (int i = 0; i < x->rank; i++) {
    if (named[i]) {
      r.over[over++] = (axis){x->dim[i], x->stride[i], 0};
      to += attrs[1].integer != 0;
    } else {
      stays[count++] = (axis){x->dim[i], x->stride[i], out->stride[to++]};
    }
  }
  r.depth = arrange(over, r.over);
  count = arrange(count, stays);
  _Alignas(8) unsigned char identities[TILE * sizeof(int64_t)];
  tl__convert(x->dtype, identities, TL_F64, &identity, 0, TILE);
  r.identity = identities;
  reduce_all(&r, count, stays, x->data, out->data);
  return out;
}

tl_tensor tl__eager_sum(const tl_tensor *x, const tl_attr *attrs, const tl_tensor_type *type) {
  return tl_dtype_is_stored_only(type->dtype) ? tl__op_in_float(TL_OP_sum, x, attrs)
                                              : reduce(TL_OP_sum, sums[type->dtype], 0, *x, attrs, type);
}

tl_tensor tl__eager_max(const tl_tensor *x, const tl_attr *attrs, const tl_tensor_type *type) {
  /* The conversion takes the infinity to an integer's least number. */
  return tl_dtype_is_stored_only(type->dtype) ? tl__op_in_float(TL_OP_max, x, attrs)
                                              : reduce(TL_OP_max, maxima[type->dtype], -INFINITY, *x, attrs, type);
}

tl_tensor tl_sum(tl_tensor x, tl_axes axes, bool keep) {
  return tl__op(TL_OP_sum, &x, (tl_attr[]){{.axes = axes}, {.integer = keep}});
}

tl_tensor tl_max(tl_tensor x, tl_axes axes, bool keep) {
  return tl__op(TL_OP_max, &x, (tl_attr[]){{.axes = axes}, {.integer = keep}});
}
