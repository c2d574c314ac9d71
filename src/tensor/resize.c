/* Elements between the elements of a grid, made of other ops: each axis by itself, as sums of a few of its elements. */
#include <math.h>

#include "tensor/compose.h"

enum { MOST_TAPS = 4 };
/* One element of the result along an axis: so many elements, with weights. */
typedef struct taps {
  int64_t place[MOST_TAPS];
  double weight[MOST_TAPS];
} taps;

/* Where element i of `to` lies among the `from` elements, which are at 0, 1, 2 ... */
static double place_among(const tl_resize_opts *o, int axis, int64_t i, int64_t from, int64_t to) {
  bool has_scale = o->scale[axis] > 0;
  double scale = has_scale ? o->scale[axis] : (double)to / (double)from;
  double length = has_scale ? (double)from * scale : (double)to; /* of which `to` is the whole part */
  double last = (double)(from - 1), x = (double)i;
  switch (o->places) {
  case TL_RESIZE_HALF_PIXEL:
    return (x + 0.5) / scale - 0.5;
  case TL_RESIZE_HALF_PIXEL_OR_FIRST:
    return to > 1 ? (x + 0.5) / scale - 0.5 : 0;
  case TL_RESIZE_ALIGN_CORNERS:
    return to > 1 ? x * last / (length - 1) : 0;
  case TL_RESIZE_ASYMMETRIC:
    return x / scale;
  case TL_RESIZE_HALF_PIXEL_NEAREST:
    return (x + 0.5) / scale;
  case TL_RESIZE_CROP: {
    double start = o->crop_start[axis], end = o->crop_end[axis];
    return to > 1 ? start * last + x * (end - start) * last / (length - 1) : 0.5 * (start + end) * last;
  }
  }
  return 0;
}

static int64_t nearest(const tl_resize_opts *o, double place) {
  switch (o->rounding) {
  case TL_RESIZE_HALVES_DOWN:
    return (int64_t)ceil(place - 0.5);
  case TL_RESIZE_HALVES_UP:
    return (int64_t)floor(place + 0.5);
  case TL_RESIZE_DOWN:
    return (int64_t)floor(place);
  case TL_RESIZE_UP:
    return (int64_t)ceil(place);
  }
  return 0;
}

/* Keys' kernel: through the elements, and smooth. */
static double cubic(double a, double x) {
  x = fabs(x);
  return x <= 1 ? ((a + 2) * x - (a + 3)) * x * x + 1 : x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

static int tap_count(const tl_resize_opts *o) {
  return o->method == TL_RESIZE_NEAREST ? 1 : o->method == TL_RESIZE_LINEAR ? 2 : 4;
}

static taps taps_at(const tl_resize_opts *o, double place, int64_t n) {
  taps t = {.weight = {1}};
  int count = tap_count(o);
  int64_t first = count == 1 ? nearest(o, place) : (int64_t)floor(place) - (count / 2 - 1);
  double a = o->cubic ? o->cubic : -0.75, sum = 0;
  for (int k = 0; k < count; k++) {
    int64_t at = first + k;
    double apart = fabs(place - (double)at);
    if (count > 1) {
      t.weight[k] = count == 2 ? fmax(1 - apart, 0) : cubic(a, apart);
    }
    t.weight[k] = o->only_inside && count > 1 && (at < 0 || at >= n) ? 0 : t.weight[k];
    t.place[k] = at < 0 ? 0 : at < n ? at : n - 1;
    sum += t.weight[k];
  }
  for (int k = 0; o->only_inside && k < count; k++) {
    t.weight[k] /= sum;
  }
  return t;
}

/* The tensors by which an axis of x becomes `to` elements. */
typedef struct axis_taps {
  tl_tensor places, weights, outside; /* [to, count]; [to], BOOL */
  bool changes;
} axis_taps;

static axis_taps make_taps(const tl_resize_opts *o, int axis, int64_t from, int64_t to) {
  int count = tap_count(o);
  void *places, *weights, *outside;
  axis_taps out = {.places = tl__tensor_blank(TL_I64, TL_SHAPE(to, count), &places),
                   .weights = tl__tensor_blank(TL_F64, TL_SHAPE(to, count), &weights),
                   .outside = tl__tensor_blank(TL_BOOL, TL_SHAPE(to), &outside),
                   .changes = from != to};
  if (!tl__tensor_is_valid(out.places) || !tl__tensor_is_valid(out.weights) || !tl__tensor_is_valid(out.outside)) {
    out.changes = true;
    return out;
  }
  for (int64_t i = 0; i < to; i++) {
    double place = place_among(o, axis, i, from, to);
    place = fmin(fmax(place, -0x1p40), 0x1p40);
    taps t = taps_at(o, place, from);
    for (int k = 0; k < count; k++) {
      ((int64_t *)places)[i * count + k] = t.place[k];
      ((double *)weights)[i * count + k] = t.weight[k];
      out.changes = out.changes || (t.weight[k] != 0 && t.place[k] != i);
    }
    ((bool *)outside)[i] = o->places == TL_RESIZE_CROP && !(place >= 0 && place <= (double)(from - 1));
    out.changes = out.changes || ((bool *)outside)[i];
  }
  return out;
}

static tl_tensor resize_axis(tl_tensor x, const axis_taps *t, int axis, bool is_nearest) {
  if (is_nearest) {
    return tl_gather(x, tl_reshape(t->places, TL_SHAPE(-1)), axis, (tl_gather_opts){.mode = TL_INDEX_CHECK});
  }
  tl_tensor seen = tl_gather(x, t->places, axis, (tl_gather_opts){.mode = TL_INDEX_CHECK});
  if (!tl__tensor_is_valid(seen) || !tl__tensor_is_valid(t->weights)) {
    return tl__tensor_is_valid(seen) ? t->weights : seen;
  }
  tl_shape shape = tl__list_of(seen->rank, 1);
  shape.dim[axis] = t->weights->dim[0];
  shape.dim[axis + 1] = t->weights->dim[1];
  tl_tensor weights = tl_reshape(tl_cast(t->weights, x->dtype), shape);
  return tl_sum(tl_mul(seen, weights), tl__one_axis(axis + 1), false);
}

static bool read_resize(tl_tensor x, tl_shape shape, const tl_resize_opts *o, tl_tensor *out) {
  if (!tl__list_fits("resize", "extents", shape, x->rank, out)) {
    return false;
  }
  bool is_nearest = o->method == TL_RESIZE_NEAREST;
  if (!is_nearest && (!tl_dtype_is_float(x->dtype) || x->rank == TL_MAX_RANK)) {
    *out = tl__tensor_refuse(TL_DTYPE_UNSUPPORTED, "resize: what lies between elements of dtype %s and rank %d",
                             tl_dtype_name(x->dtype), x->rank);
    return false;
  }
  for (int i = 0; i < x->rank; i++) {
    if (shape.dim[i] == x->dim[i] && !tl__is_number(x->dim[i])) {
      continue;
    }
    if (!tl__has_extent("resize", x, i, out)) {
      return false;
    }
    if (shape.dim[i] < 0 || (shape.dim[i] > 0 && x->dim[i] == 0)) {
      *out = tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH, "resize: axis %d of extent %lld to %lld", i,
                               (long long)x->dim[i], (long long)shape.dim[i]);
      return false;
    }
  }
  return true;
}

tl_tensor tl_resize(tl_tensor x, tl_shape shape, tl_resize_opts o) {
  tl_scope scope;
  tl_tensor out;
  if (!tl__compose_enter(1, &x, &scope, &out)) {
    return out;
  }
  if (!read_resize(x, shape, &o, &out)) {
    return tl__compose_leave("resize", scope, out);
  }
  bool is_nearest = o.method == TL_RESIZE_NEAREST;
  tl_tensor outside = NULL;
  out = is_nearest ? x : tl__widened(x);
  for (int i = 0; tl__tensor_is_valid(out) && i < x->rank; i++) {
    if (!tl__is_number(x->dim[i]) || x->dim[i] == 0) {
      continue;
    }
    axis_taps t = make_taps(&o, i, x->dim[i], shape.dim[i]);
    if (!t.changes) {
      continue;
    }
    out = resize_axis(out, &t, i, is_nearest);
    if (o.places == TL_RESIZE_CROP) {
      tl_tensor here = tl__along(t.outside, x->rank, i);
      outside = outside ? tl_or(outside, here) : here;
    }
  }
  if (outside) {
    out = tl_where(outside, tl_scalar_like(out, o.outside), out);
  }
  return tl__compose_leave("resize", scope, tl__like(out, x));
}
