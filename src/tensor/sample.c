/* Elements of images at places that a tensor has, made of other ops: a few elements around each place, with weights
 * that are functions of it. */
#include "tensor/compose.h"

/* An image's axis, and where its elements lie. */
typedef struct line {
  tl_tensor last; /* n - 1, in the places' dtype */
  int64_t n;
  tl_sample_opts o;
} line;

/* From -1 ... 1 to places among the elements. */
static tl_tensor place_of(const line *l, tl_tensor at) {
  tl_tensor one = tl__number(at, 1), half = tl__number(at, 0.5), n = tl__number(at, (double)l->n);
  tl_tensor above = tl_add(at, one);
  return l->o.align_corners ? tl_mul(tl_mul(above, half), l->last) : tl_mul(tl_sub(tl_mul(above, n), one), half);
}

/* A place beyond the ends as its mirror image in them: at the elements, or half a step beyond them. */
static tl_tensor mirrored(const line *l, tl_tensor at) {
  double low = l->o.align_corners ? 0 : -0.5, span = l->o.align_corners ? (double)(l->n - 1) : (double)l->n;
  if (span == 0) {
    return tl_mul(at, tl__number(at, 0));
  }
  tl_tensor apart = tl_fabs(tl_sub(at, tl__number(at, low))), turn = tl__number(at, 2 * span);
  tl_tensor rest = tl_sub(apart, tl_mul(turn, tl_floor(tl_div(apart, turn))));
  tl_tensor folded = tl_where(tl_gt(rest, tl__number(at, span)), tl_sub(turn, rest), rest);
  return tl_add(folded, tl__number(at, low));
}

/* The place where one beyond the ends is read. */
static tl_tensor bordered(const line *l, tl_tensor at) {
  if (l->o.border == TL_SAMPLE_ZEROS) {
    return at;
  }
  tl_tensor inside = l->o.border == TL_SAMPLE_MIRROR ? mirrored(l, at) : at;
  return tl_clip(inside, tl__number(at, 0), l->last);
}

/* One of the elements around a place: where it is, whether it is there, and its weight. */
typedef struct tap {
  tl_tensor index, is_there, weight; /* I64, BOOL */
} tap;
enum { MOST_TAPS = 4 };

static tap tap_of(const line *l, tl_tensor at, tl_tensor weight) {
  tl_tensor zero = tl__number(at, 0), inside = tl_clip(at, zero, l->last);
  return (tap){.index = tl_cast(inside, TL_I64), .is_there = tl_eq(inside, at), .weight = weight};
}

/* Keys' kernel with -3/4, at a distance up to 1, and from 1 to 2. */
static tl_tensor cubic(tl_tensor x, bool is_near) {
  double a = -0.75;
  tl_tensor c[4];
  const double near[] = {a + 2, -(a + 3), 0, 1}, far[] = {a, -5 * a, 8 * a, -4 * a}, *of = is_near ? near : far;
  for (int i = 0; i < 4; i++) {
    c[i] = tl__number(x, of[i]);
  }
  return tl_add(tl_mul(tl_add(tl_mul(tl_add(tl_mul(c[0], x), c[1]), x), c[2]), x), c[3]);
}

static int taps_around(const line *l, tl_tensor at, tap out[MOST_TAPS]) {
  tl_tensor place = place_of(l, at), one = tl__number(at, 1);
  if (l->o.method != TL_RESIZE_CUBIC) {
    place = bordered(l, place);
  }
  if (l->o.method == TL_RESIZE_NEAREST) {
    out[0] = tap_of(l, tl_rint(place), NULL);
    return 1;
  }
  tl_tensor first = tl_floor(place), past = tl_sub(place, first), left = tl_sub(one, past);
  if (l->o.method == TL_RESIZE_LINEAR) {
    out[0] = tap_of(l, first, left);
    out[1] = tap_of(l, tl_add(first, one), past);
    return 2;
  }
  for (int k = 0; k < MOST_TAPS; k++) { /* each of the four is read where the border says */
    tl_tensor far = k < 2 ? past : left, weight = cubic(k == 0 || k == 3 ? tl_add(far, one) : far, k == 1 || k == 2);
    out[k] = tap_of(l, bordered(l, tl_add(first, tl__number(at, k - 1))), weight);
  }
  return MOST_TAPS;
}

static tl_tensor with_last(tl_tensor x) {
  tl_shape shape = tl_shape_of(x);
  shape.dim[shape.rank++] = 1;
  return tl__tensor_is_valid(x) ? tl_reshape(x, shape) : x;
}

/* x of examples, rows, columns, channels at one row and column for each place, times the weights. */
static tl_tensor read_tap(tl_tensor x, const tap *row, const tap *column) {
  tl_tensor indices = tl_concat(with_last(row->index), with_last(column->index), 3);
  tl_tensor seen = tl_gather_nd(x, indices, 1, TL_INDEX_CHECK);
  tl_tensor is_there = with_last(tl_and(row->is_there, column->is_there));
  if (row->weight) {
    seen = tl_mul(seen, with_last(tl_mul(row->weight, column->weight)));
  }
  return tl_where(is_there, seen, tl__number(seen, 0));
}

static tl_tensor sample(tl_tensor x, tl_tensor places, tl_sample_opts o) {
  tl_tensor image = tl_transpose(x, TL_AXES(0, 2, 3, 1)), out = NULL;
  tap rows[MOST_TAPS], columns[MOST_TAPS];
  tl_shape each = tl_shape_of(places);
  each.rank--;
  line line_of_rows = {.last = tl__number(places, (double)(x->dim[2] - 1)), .n = x->dim[2], .o = o};
  line line_of_columns = {.last = tl__number(places, (double)(x->dim[3] - 1)), .n = x->dim[3], .o = o};
  taps_around(&line_of_columns, tl_reshape(tl__part(places, 3, 0, 1), each), columns);
  int count = taps_around(&line_of_rows, tl_reshape(tl__part(places, 3, 1, 1), each), rows);
  for (int i = 0; i < count; i++) {
    for (int k = 0; k < count; k++) {
      tl_tensor one = read_tap(image, &rows[i], &columns[k]);
      out = out ? tl_add(out, one) : one;
    }
  }
  return tl_transpose(out, TL_AXES(0, 3, 1, 2));
}

tl_tensor tl_grid_sample(tl_tensor x, tl_tensor places, tl_sample_opts o) {
  tl_scope scope;
  tl_tensor out;
  if (!tl__compose_enter_floats("grid_sample", 2, (tl_tensor[]){x, places}, &scope, &out)) {
    return out;
  }
  if (x->rank != 4 || places->rank != 4 || places->dim[3] != 2) {
    out = tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH,
                            "grid_sample: x has rank %d; it has examples, channels, rows and columns, and the places "
                            "examples, rows, columns and two numbers",
                            x->rank);
  } else if (tl__has_extent("grid_sample", x, 2, &out) && tl__has_extent("grid_sample", x, 3, &out)) {
    out = x->dim[2] && x->dim[3] ? tl__like(sample(tl__widened(x), tl__widened(places), o), x)
                                 : tl__tensor_refuse(TL_TENSOR_SHAPE_MISMATCH, "grid_sample: x has no elements");
  }
  return tl__compose_leave("grid_sample", scope, out);
}
