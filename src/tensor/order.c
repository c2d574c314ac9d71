/* The places of elements in their order along an axis. NaN is behind every number, as NumPy sorts; the largest and the
 * smallest element are NaN where there is one, the first. */
#include <string.h>

#include "base/alloc.h"
#include "tensor/tensor_priv.h"

/* Of n elements, `step` bytes apart. */
typedef int64_t first_most(int64_t n, const unsigned char *x, int64_t step);
/* The indices of n elements in their order; `keys` and `spare` have room for n. */
typedef void sort(int64_t n, const unsigned char *x, int64_t step, bool descends, void *keys, int64_t *order,
                  int64_t *spare);

#define AT(type, p) (*(const type *)(const void *)(p))
#define DEFINE_MOST(name, type, MORE)                                                                                  \
  static int64_t name(int64_t n, const unsigned char *x, int64_t step) {                                               \
    int64_t at = 0;                                                                                                    \
    type most = AT(type, x);                                                                                           \
    for (int64_t i = 1; i < n && most == most; i++) {                                                                  \
      type v = AT(type, x + i * step);                                                                                 \
      if (v MORE most || v != v) {                                                                                     \
        most = v;                                                                                                      \
        at = i;                                                                                                        \
      }                                                                                                                \
    }                                                                                                                  \
    return at;                                                                                                         \
  }
/* Runs of 1, 2, 4 ... are merged; of equal elements the first one stays first. */
#define DEFINE_SORT(d, type)                                                                                           \
  static bool goes_before_##d(type a, type b, bool descends) {                                                         \
    return descends ? a > b || (a == a && b != b) : a < b || (a == a && b != b);                                       \
  }                                                                                                                    \
  static void sort_##d(int64_t n, const unsigned char *x, int64_t step, bool descends, void *keys, int64_t *order,     \
                       int64_t *spare) {                                                                               \
    type *key = keys;                                                                                                  \
    for (int64_t i = 0; i < n; i++) {                                                                                  \
      key[i] = AT(type, x + i * step);                                                                                 \
      order[i] = i;                                                                                                    \
    }                                                                                                                  \
    int64_t *from = order, *to = spare;                                                                                \
    for (int64_t run = 1; run < n; run *= 2) {                                                                         \
      for (int64_t start = 0; start < n; start += 2 * run) {                                                           \
        int64_t middle = start + run < n ? start + run : n, end = start + 2 * run < n ? start + 2 * run : n;           \
        int64_t i = start, k = middle;                                                                                 \
        for (int64_t o = start; o < end; o++) {                                                                        \
          bool second = i == middle || (k < end && goes_before_##d(key[from[k]], key[from[i]], descends));             \
          to[o] = second ? from[k++] : from[i++];                                                                      \
        }                                                                                                              \
      }                                                                                                                \
      int64_t *swapped = from;                                                                                         \
      from = to;                                                                                                       \
      to = swapped;                                                                                                    \
    }                                                                                                                  \
    if (from != order) {                                                                                               \
      memcpy(order, from, (size_t)n * sizeof *order);                                                                  \
    }                                                                                                                  \
  }
#define DEFINE(d, type)                                                                                                \
  DEFINE_MOST(largest_##d, type, >)                                                                                    \
  DEFINE_MOST(smallest_##d, type, <)                                                                                   \
  DEFINE_SORT(d, type)
DEFINE(TL_BOOL, _Bool)
TL__INTEGERS(DEFINE)
TL__FLOATS(DEFINE)

#define ENTRY(d, type) [d] = {largest_##d, smallest_##d, sort_##d},
static const struct {
  first_most *largest, *smallest;
  sort *sort;
} table[TL_DTYPE_COUNT] = {ENTRY(TL_BOOL, ) TL__INTEGERS(ENTRY) TL__FLOATS(ENTRY)};

typedef struct lines {
  int64_t n, step, out_step;
  first_most *most;
  sort *sort;
  bool descends;
  void *keys;
  int64_t *order, *spare;
} lines;

static void most_stretch(void *ctx, int64_t n, unsigned char *const at[], const int64_t step[]) {
  const lines *l = ctx;
  for (int64_t i = 0; i < n; i++) {
    int64_t place = l->most(l->n, at[1] + i * step[1], l->step);
    memcpy(at[0] + i * step[0], &place, sizeof place);
  }
}

static void sort_stretch(void *ctx, int64_t n, unsigned char *const at[], const int64_t step[]) {
  const lines *l = ctx;
  for (int64_t i = 0; i < n; i++) {
    l->sort(l->n, at[1] + i * step[1], l->step, l->descends, l->keys, l->order, l->spare);
    for (int64_t k = 0; k < l->n; k++) {
      memcpy(at[0] + i * step[0] + k * l->out_step, &l->order[k], sizeof *l->order);
    }
  }
}

static int axis_of(tl_tensor x, int64_t axis) { return (int)(axis + (axis < 0 ? x->rank : 0)); }

/* Each line along the axis; out_stride[k] is the result's along x's axis k. */
static void run_lines(lines *l, tl_tensor x, int axis, tl_tensor out, const int64_t *out_stride, tl__stretch *run) {
  int64_t dim[TL_MAX_RANK];
  memcpy(dim, x->dim, sizeof dim);
  l->n = dim[axis];
  l->step = x->stride[axis];
  dim[axis] = 1;
  tl__walk w;
  tl__walk_init(&w, x->rank, dim, 2, (const int64_t *const[]){out_stride, x->stride});
  tl__walk_run(&w, (unsigned char *const[]){out->data, x->data}, run, l);
}

static tl_tensor place_of_most(tl_opcode code, tl_tensor x, bool is_largest, const tl_attr *attrs,
                               const tl_tensor_type *type) {
  if (tl_dtype_is_stored_only(x->dtype)) {
    return tl__op_in_float(code, &x, attrs);
  }
  tl_tensor out = tl__tensor_of(type);
  if (!out || out->status != TL_OK || out->count == 0) {
    return out;
  }
  int axis = axis_of(x, attrs[0].integer);
  bool keeps = attrs[1].integer;
  int64_t stride[TL_MAX_RANK];
  for (int i = 0, o = 0; i < x->rank; i++) {
    stride[i] = i == axis && !keeps ? 0 : out->stride[o++];
  }
  lines l = {.most = is_largest ? table[x->dtype].largest : table[x->dtype].smallest};
  run_lines(&l, x, axis, out, stride, most_stretch);
  return out;
}

tl_tensor tl__eager_argmax(const tl_tensor *x, const tl_attr *attrs, const tl_tensor_type *type) {
  return place_of_most(TL_OP_argmax, *x, true, attrs, type);
}

tl_tensor tl__eager_argmin(const tl_tensor *x, const tl_attr *attrs, const tl_tensor_type *type) {
  return place_of_most(TL_OP_argmin, *x, false, attrs, type);
}

tl_tensor tl__eager_argsort(const tl_tensor *operands, const tl_attr *attrs, const tl_tensor_type *type) {
  tl_tensor x = *operands;
  if (tl_dtype_is_stored_only(x->dtype)) {
    return tl__op_in_float(TL_OP_argsort, operands, attrs);
  }
  int axis = axis_of(x, attrs[0].integer);
  size_t n = (size_t)x->dim[axis];
  int64_t *room = tl__alloc_try(n * (2 * sizeof *room + sizeof(int64_t)));
  tl_tensor out = room ? tl__tensor_of(type) : NULL;
  if (out && out->status == TL_OK && out->count) {
    lines l = {.sort = table[x->dtype].sort,
               .descends = attrs[1].integer != 0,
               .out_step = out->stride[axis],
               .order = room,
               .spare = room + n,
               .keys = room + 2 * n};
    run_lines(&l, x, axis, out, out->stride, sort_stretch);
  }
  tl__free(room);
  return out;
}

tl_tensor tl_argmax(tl_tensor x, int axis, bool keep) {
  return tl__op(TL_OP_argmax, &x, (tl_attr[]){{.integer = axis}, {.integer = keep}});
}

tl_tensor tl_argmin(tl_tensor x, int axis, bool keep) {
  return tl__op(TL_OP_argmin, &x, (tl_attr[]){{.integer = axis}, {.integer = keep}});
}

tl_tensor tl_argsort(tl_tensor x, int axis, bool descending) {
  return tl__op(TL_OP_argsort, &x, (tl_attr[]){{.integer = axis}, {.integer = descending}});
}
