/* Bounded programs: inputs padded to buckets, outputs cut back. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/dtype.h"
#include "engine/engine_priv.h"
#include "tensor/op.h"

static int64_t bucket(int64_t n, int64_t bound) {
  int64_t size = 1;
  while (size < n) {
    size *= 2;
  }
  return size < bound ? size : bound;
}

typedef struct padding {
  size_t count; /* of bounded extents */
  tl_valid_extent *valid;
  tl_tensor *in;
} padding;

static int64_t *find(padding *p, int64_t extent) {
  for (size_t i = 0; i < p->count; i++) {
    if (p->valid[i].extent == extent) {
      return &p->valid[i].valid;
    }
  }
  return NULL;
}

static tl_status pad_inputs(padding *p, const tl_graph *g, const tl_tensor in[]) {
  for (size_t i = 0; i < tl_graph_input_count(g); i++) {
    tl_spec spec = tl_graph_input(g, i);
    tl_shape shape = tl_shape_of(in[i]), padded = shape;
    for (int k = 0; k < shape.rank; k++) {
      int64_t e = spec.shape.dim[k];
      if (tl__extent_is_bounded(e)) {
        padded.dim[k] = bucket(shape.dim[k], tl__extent_bound(e));
        if (!find(p, e)) {
          p->valid[p->count++] = (tl_valid_extent){e, shape.dim[k]};
        }
      }
    }
    bool same = memcmp(shape.dim, padded.dim, (size_t)shape.rank * sizeof *shape.dim) == 0;
    p->in[i] = same ? in[i] : tl__tensor_padded(in[i], padded);
    if (tl_status_of(p->in[i]) != TL_OK) {
      return tl__graph_fail(tl_status_of(p->in[i]), "run: %s", tl_message_of(p->in[i]));
    }
  }
  return TL_OK;
}

/* An output's axes are bounded, or have nothing to do with bounds: a computed extent may come of one. */
static tl_status check_outputs(const tl_graph *g) {
  for (size_t i = 0; i < tl_graph_output_count(g); i++) {
    tl_spec spec = tl_graph_output(g, i);
    for (int k = 0; k < spec.shape.rank; k++) {
      int64_t e = spec.shape.dim[k];
      if (tl__extent_is_symbol(e) && tl__extent_symbol(e) >= TL_GRAPH_MOST_SYMBOLS) {
        return tl__graph_fail(TL_BOUNDED_AXIS_MISMATCH,
                              "run: axis %d of output %zu of '%s' has a computed extent, of which it is not known how "
                              "much is padding",
                              k, i, tl_graph_name(g));
      }
    }
  }
  return TL_OK;
}

static bool cut(padding *p, const tl_spec *spec, tl_tensor *x) {
  tl_scope scope = tl_scope_open();
  tl_tensor part = scope ? *x : NULL;
  for (int k = 0; part && k < spec->shape.rank; k++) {
    const int64_t *valid = find(p, spec->shape.dim[k]);
    if (valid && *valid < tl_shape_of(part).dim[k]) {
      part = tl__tensor_slice(part, k, 0, *valid);
    }
  }
  if (part && part != *x) { /* without the padding */
    part = tl_cast(part, spec->dtype);
  }
  part = tl_retain(part);
  tl_scope_close(scope);
  tl_release(*x);
  *x = part;
  return part;
}

static void release_all(size_t count, tl_tensor *x) {
  for (size_t i = 0; i < count; i++) {
    tl_release(x[i]);
    x[i] = NULL;
  }
}

static tl_status run_padded(padding *p, tl_program *program, const tl_graph *g, const tl_tensor in[], tl_tensor out[]) {
  tl_scope scope = tl_scope_open();
  tl_status status = scope ? pad_inputs(p, g, in) : tl__graph_fail(TL_OUT_OF_MEMORY, "an allocation failed");
  if (status == TL_OK) {
    status = tl__program_run_valid(program, p->count, p->valid, p->in, out);
  }
  tl_scope_close(scope);
  for (size_t i = 0; status == TL_OK && i < tl_graph_output_count(g); i++) {
    tl_spec spec = tl_graph_output(g, i);
    if (!cut(p, &spec, &out[i])) {
      status = tl__graph_fail(TL_OUT_OF_MEMORY, "an allocation failed");
    }
  }
  if (status != TL_OK) {
    release_all(tl_graph_output_count(g), out);
  }
  return status;
}

static tl_status run_bucketed(tl_program *program, const tl_graph *g, const tl_tensor in[], tl_tensor out[]) {
  size_t inputs = tl_graph_input_count(g);
  tl_status status = tl__engine_check_inputs(g, in);
  if (status != TL_OK || (status = check_outputs(g)) != TL_OK) {
    return status;
  }
  padding p = {.valid = tl__alloc_try((inputs * TL_MAX_RANK + 1) * sizeof *p.valid),
               .in = tl__alloc_try((inputs + 1) * sizeof *p.in)};
  status =
      p.valid && p.in ? run_padded(&p, program, g, in, out) : tl__graph_fail(TL_OUT_OF_MEMORY, "an allocation failed");
  tl__free(p.valid);
  tl__free(p.in);
  return status;
}

tl_status tl_bounded_run(tl_engine *e, const tl_graph *g, bool bucketed, const tl_tensor in[], tl_tensor out[]) {
  memset(out, 0, tl_graph_output_count(g) * sizeof *out);
  tl_program *program;
  tl_status status = tl_engine_prepare(e, g, NULL, &program);
  if (status == TL_OK) {
    status = bucketed ? run_bucketed(program, g, in, out) : tl_program_run(program, in, out);
    tl_program_close(program);
  }
  return status;
}

/* ---- both ways ---- */

static double tolerance(tl_dtype d) {
  return d == TL_F64 ? 1e-12 : d == TL_F32 ? 1e-5 : tl_dtype_is_stored_only(d) ? 1e-2 : 0;
}

static tl_status read_numbers(tl_tensor x, size_t count, double *out) {
  tl_scope scope = tl_scope_open();
  tl_status status = scope ? tl_read(tl_cast(x, TL_F64), out, count * sizeof *out) : TL_OUT_OF_MEMORY;
  tl_scope_close(scope);
  return status == TL_OK ? TL_OK : tl__graph_fail(status, "check: an output cannot be read");
}

static tl_status compare_numbers(const tl_graph *g, size_t output, tl_dtype dtype, size_t count, const double *exact,
                                 const double *padded) {
  double largest = 0;
  for (size_t i = 0; i < count; i++) {
    largest = isfinite(exact[i]) ? fmax(largest, fabs(exact[i])) : largest;
  }
  for (size_t i = 0; i < count; i++) {
    bool same = exact[i] == padded[i] || (isnan(exact[i]) && isnan(padded[i]));
    if (!same && !(fabs(exact[i] - padded[i]) <= tolerance(dtype) * largest)) {
      return tl__graph_fail(TL_PADDING_DIFFERS,
                            "element %zu of output %zu of '%s' is %.17g, and %.17g where the inputs are padded", i,
                            output, tl_graph_name(g), exact[i], padded[i]);
    }
  }
  return TL_OK;
}

static tl_status compare(const tl_graph *g, size_t output, tl_tensor exact, tl_tensor padded) {
  tl_shape x = tl_shape_of(exact), y = tl_shape_of(padded);
  size_t count = 1;
  for (int i = 0; i < x.rank; i++) {
    count *= (size_t)x.dim[i];
  }
  if (x.rank != y.rank || memcmp(x.dim, y.dim, (size_t)x.rank * sizeof *x.dim) != 0) {
    return tl__graph_fail(TL_PADDING_DIFFERS, "output %zu of '%s' has another shape where the inputs are padded",
                          output, tl_graph_name(g));
  }
  double *numbers = tl__alloc_try((2 * count + 1) * sizeof *numbers);
  tl_status status =
      numbers ? read_numbers(exact, count, numbers) : tl__graph_fail(TL_OUT_OF_MEMORY, "an allocation failed");
  if (status == TL_OK) {
    status = read_numbers(padded, count, numbers + count);
  }
  if (status == TL_OK) {
    status = compare_numbers(g, output, tl_dtype_of(exact), count, numbers, numbers + count);
  }
  tl__free(numbers);
  return status;
}

tl_status tl_bounded_check(tl_engine *e, const tl_graph *g, const tl_tensor in[]) {
  size_t count = tl_graph_output_count(g);
  tl_tensor *out = tl__alloc_try((2 * count + 1) * sizeof *out);
  if (!out) {
    return tl__graph_fail(TL_OUT_OF_MEMORY, "an allocation failed");
  }
  memset(out, 0, 2 * count * sizeof *out);
  tl_status status = tl_bounded_run(e, g, false, in, out);
  if (status == TL_OK) {
    status = tl_bounded_run(e, g, true, in, out + count);
  }
  for (size_t i = 0; status == TL_OK && i < count; i++) {
    status = compare(g, i, out[i], out[count + i]);
  }
  release_all(2 * count, out);
  tl__free(out);
  return status;
}
