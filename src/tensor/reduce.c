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
  LEAF = 32,           /* elements that are taken in order, */
  LEAF_OF_LANES = 4096 /* and where consecutive ones are taken into many partial results */
};

typedef struct axis {
  int64_t dim, stride, out; /* `out`: the result's stride */
} axis;

typedef struct reduction {
  tl__line line;
  int64_t width, across; /* results that are taken side by side */
  int depth;
  axis over[TL_MAX_RANK]; /* the reduced axes, the closest elements last */
} reduction;

void tl__fold_line(const tl__line *l, void *into, int64_t width, int64_t across, const unsigned char *x, int64_t n,
                   int64_t down) {
  bool is_row = width == 1 && down == l->size;
  if (n <= (is_row ? LEAF_OF_LANES : LEAF)) {
    l->take(into, width, across, x, n, down);
    return;
  }
  /* The first half is whole leaves, so that vectors are. */
  _Alignas(64) unsigned char second[TL__TILE * sizeof(int64_t)];
  int64_t half = (n / 2 + LEAF - 1) / LEAF * LEAF;
  half = is_row && n > 2 * LEAF_OF_LANES ? half / LEAF_OF_LANES * LEAF_OF_LANES : half;
  memcpy(second, l->identity, (size_t)(width * l->size));
  tl__fold_line(l, into, width, across, x, half, down);
  tl__fold_line(l, second, width, across, x + half * down, n - half, down);
  l->take(into, width, l->size, second, 1, 0);
}

/* Whether n elements of an axis, with all that lie within them, are so few that they are taken in order. */
static bool few(const reduction *r, int level, int64_t n) {
  for (int i = level + 1; i < r->depth && n <= LEAF; i++) {
    n = r->over[i].dim > LEAF ? LEAF + 1 : n * r->over[i].dim;
  }
  return n <= LEAF;
}

/* n elements of axis `level` of those that are reduced, into `into`. */
static void reduce_over(const reduction *r, int level, int64_t n, const unsigned char *x, unsigned char *into) {
  const axis *a = &r->over[level];
  if (level == r->depth - 1) {
    tl__fold_line(&r->line, into, r->width, r->across, x, n, a->stride);
  } else if (n > 1 && few(r, level, n)) {
    for (int64_t i = 0; i < n; i++) {
      reduce_over(r, level + 1, r->over[level + 1].dim, x + i * a->stride, into);
    }
  } else if (n > 1) {
    _Alignas(64) unsigned char second[TL__TILE * sizeof(int64_t)];
    memcpy(second, r->line.identity, (size_t)(r->width * r->line.size));
    reduce_over(r, level, n / 2, x, into);
    reduce_over(r, level, n - n / 2, x + n / 2 * a->stride, second);
    r->line.take(into, r->width, r->line.size, second, 1, 0);
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
  int64_t index[TL_MAX_RANK] = {0}, step = is_wide ? TL__TILE : 1;
  r->across = last->stride;
  for (;;) {
    for (int64_t i = 0; i < last->dim; i += step) {
      _Alignas(64) unsigned char tile[TL__TILE * sizeof(int64_t)];
      r->width = last->dim - i < step ? last->dim - i : step;
      memcpy(tile, r->line.identity, (size_t)(r->width * r->line.size));
      reduce_over(r, 0, r->over[0].dim, x + i * last->stride, tile);
      for (int64_t k = 0; k < r->width; k++) {
        memcpy(out + (i + k) * last->out, tile + k * r->line.size, (size_t)r->line.size);
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

static tl_tensor reduce(tl_opcode code, tl__fold *take, double identity, tl_tensor x, const tl_attr *attrs,
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
  reduction r = {.line = {.take = take, .size = (int64_t)tl_dtype_size(x->dtype)}};
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
  _Alignas(8) unsigned char identities[TL__TILE * sizeof(int64_t)];
  tl__convert(x->dtype, identities, TL_F64, &identity, 0, out->count < TL__TILE ? out->count : TL__TILE);
  r.line.identity = identities;
  reduce_all(&r, count, stays, x->data, out->data);
  return out;
}

tl_tensor tl__eager_sum(const tl_tensor *x, const tl_attr *attrs, const tl_tensor_type *type) {
  return tl_dtype_is_stored_only(type->dtype)
             ? tl__op_in_float(TL_OP_sum, x, attrs)
             : reduce(TL_OP_sum, tl__loops_here()->sum[type->dtype], 0, *x, attrs, type);
}

tl_tensor tl__eager_max(const tl_tensor *x, const tl_attr *attrs, const tl_tensor_type *type) {
  /* The conversion takes the infinity to an integer's least number. */
  return tl_dtype_is_stored_only(type->dtype)
             ? tl__op_in_float(TL_OP_max, x, attrs)
             : reduce(TL_OP_max, tl__loops_here()->max[type->dtype], -INFINITY, *x, attrs, type);
}

/* A truth is a byte that is 0 or 1. */
tl_tensor tl__eager_reduce_or(const tl_tensor *x, const tl_attr *attrs, const tl_tensor_type *type) {
  return reduce(TL_OP_reduce_or, tl__loops_here()->max[TL_U8], 0, *x, attrs, type);
}

tl_tensor tl__eager_reduce_and(const tl_tensor *x, const tl_attr *attrs, const tl_tensor_type *type) {
  return reduce(TL_OP_reduce_and, tl__loops_here()->min[TL_U8], 1, *x, attrs, type);
}

tl_tensor tl_sum(tl_tensor x, tl_axes axes, bool keep) {
  return tl__op(TL_OP_sum, &x, (tl_attr[]){{.axes = axes}, {.integer = keep}});
}

tl_tensor tl_max(tl_tensor x, tl_axes axes, bool keep) {
  return tl__op(TL_OP_max, &x, (tl_attr[]){{.axes = axes}, {.integer = keep}});
}

tl_tensor tl_reduce_or(tl_tensor x, tl_axes axes, bool keep) {
  return tl__op(TL_OP_reduce_or, &x, (tl_attr[]){{.axes = axes}, {.integer = keep}});
}

tl_tensor tl_reduce_and(tl_tensor x, tl_axes axes, bool keep) {
  return tl__op(TL_OP_reduce_and, &x, (tl_attr[]){{.axes = axes}, {.integer = keep}});
}
