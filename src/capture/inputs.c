/* Whether tensors can be the inputs of a program: for engines, and for programs that were printed as C. */
#include "base/alloc.h"
#include "base/dtype.h"
#include "capture/graph.h"
#include "tensor/op.h"

int64_t tl__valid_of(size_t count, const tl_valid_extent *valid, int64_t extent) {
  for (size_t i = 0; i < count; i++) {
    if (valid[i].extent == extent) {
      return valid[i].valid;
    }
  }
  return -1;
}

tl_status tl__input_sizes_init(tl_input_sizes *s, size_t inputs) {
  *s = (tl_input_sizes){.all = tl__alloc_try((inputs * TL_MAX_RANK + 1) * sizeof *s->all)};
  return s->all ? TL_OK : tl__graph_fail(TL_OUT_OF_MEMORY, "an allocation failed");
}

void tl__input_sizes_deinit(tl_input_sizes *s) { tl__free(s->all); }

static tl_status check_extent(const char *name, tl_input_sizes *s, size_t input, int axis, int64_t want, int64_t got) {
  if (!tl__extent_is_symbol(want)) {
    return want == got
               ? TL_OK
               : tl__graph_fail(TL_TENSOR_SHAPE_MISMATCH, "run: axis %d of input %zu of '%s' has extent %lld, not %lld",
                                axis, input, name, (long long)got, (long long)want);
  }
  if (tl__extent_is_bounded(want) && (got < 1 || got > tl__extent_bound(want))) {
    return tl__graph_fail(TL_BOUNDED_DIM_EXCEEDED, "run: axis %d of input %zu of '%s' has extent %lld; it is 1 to %lld",
                          axis, input, name, (long long)got, (long long)tl__extent_bound(want));
  }
  int64_t before = tl__valid_of(s->count, s->all, want);
  if (before >= 0) {
    return before == got
               ? TL_OK
               : tl__graph_fail(TL_TENSOR_SHAPE_MISMATCH,
                                "run: axis %d of input %zu of '%s' has extent %lld, an axis before it that is "
                                "to have the same %lld",
                                axis, input, name, (long long)got, (long long)before);
  }
  s->all[s->count++] = (tl_valid_extent){want, got};
  return TL_OK;
}

tl_status tl__input_check(const char *name, const tl_spec *spec, tl_tensor x, size_t i, tl_input_sizes *s) {
  if (tl_status_of(x) != TL_OK) {
    return tl__graph_fail(tl_status_of(x), "run: input %zu of '%s': %s", i, name, tl_message_of(x));
  }
  if (tl__tracer_value(x)) {
    return tl__graph_fail(TL_TRACED_TENSOR, "run: input %zu of '%s' has no elements", i, name);
  }
  if (tl_dtype_of(x) != spec->dtype) {
    return tl__graph_fail(TL_DTYPE_MISMATCH, "run: input %zu of '%s' has dtype %s, not %s", i, name,
                          tl_dtype_name(tl_dtype_of(x)), tl_dtype_name(spec->dtype));
  }
  tl_shape shape = tl_shape_of(x);
  if (shape.rank != spec->shape.rank) {
    return tl__graph_fail(TL_TENSOR_SHAPE_MISMATCH, "run: input %zu of '%s' has rank %d, not %d", i, name, shape.rank,
                          spec->shape.rank);
  }
  tl_status status = TL_OK;
  for (int k = 0; status == TL_OK && k < shape.rank; k++) {
    status = check_extent(name, s, i, k, spec->shape.dim[k], shape.dim[k]);
  }
  return status;
}

bool tl_inputs_fit(const char *name, size_t count, const tl_spec specs[], const tl_tensor in[], tl_tensor *out_failed) {
  tl_input_sizes s;
  tl_status status = tl__input_sizes_init(&s, count);
  for (size_t i = 0; status == TL_OK && i < count; i++) {
    status = tl__input_check(name, &specs[i], in[i], i, &s);
  }
  tl__input_sizes_deinit(&s);
  *out_failed = status == TL_OK || status == TL_OUT_OF_MEMORY ? NULL : tl__tensor_failed(status, tl_last_message());
  return status == TL_OK;
}
