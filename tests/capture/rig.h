/* What the tests of capture share: graphs run by the interpreter, tensors of random numbers, comparisons. */
#ifndef TL_TESTS_CAPTURE_RIG_H
#define TL_TESTS_CAPTURE_RIG_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../tensor/random.h"
#include "base/diag.h"
#include "base/dtype.h"
#include "tlaloc/engine.h"

static inline size_t count_of(tl_tensor x) {
  tl_shape s = tl_shape_of(x);
  size_t n = 1;
  for (int i = 0; i < s.rank; i++) {
    n *= (size_t)s.dim[i];
  }
  return n;
}

static inline double uniform(double low, double high) {
  return low + (high - low) * (double)(random_bits() >> 11) * 0x1p-53;
}

static inline tl_tensor random_tensor(tl_dtype dtype, tl_shape shape, double low, double high) {
  tl_tensor x = tl_fill(TL_F64, shape, 0);
  double *data = (double *)tl_data(x);
  for (size_t i = 0; i < count_of(x); i++) {
    data[i] = uniform(low, high);
  }
  return tl_cast(x, dtype);
}

static inline tl_graph *capture(const char *name, tl_fn *fn, void *ctx, size_t in_count, const tl_spec *in,
                                size_t out_count) {
  tl_graph *g;
  tl_status status = tl_capture(name, fn, ctx, in_count, in, out_count, &g);
  if (status != TL_OK) {
    fail_msg("%s is not captured: %s [%s]", name, tl_last_message(), tl_status_name(status));
  }
  return g;
}

/* The outputs belong to the innermost scope. */
static inline tl_status run_graph(const tl_graph *g, const tl_tensor *in, tl_tensor *out) {
  tl_engine *e;
  tl_program *p;
  assert_int_equal(tl_engine_open("interpreter", NULL, &e), TL_OK);
  assert_int_equal(tl_engine_prepare(e, g, NULL, &p), TL_OK);
  tl_status status = tl_program_run(p, in, out);
  tl_program_close(p);
  tl_engine_close(e);
  return status;
}

static inline void run_well(const tl_graph *g, const tl_tensor *in, tl_tensor *out) {
  tl_status status = run_graph(g, in, out);
  if (status != TL_OK) {
    tl_graph_print(g, stderr);
    fail_msg("%s: %s [%s]", tl_graph_name(g), tl_last_message(), tl_status_name(status));
  }
}

static inline void release_all(size_t count, tl_tensor *x) {
  for (size_t i = 0; i < count; i++) {
    tl_release(x[i]);
  }
}

static inline bool same_bits(tl_tensor x, tl_tensor y) {
  tl_shape a = tl_shape_of(x), b = tl_shape_of(y);
  size_t bytes = count_of(x) * tl_dtype_size(tl_dtype_of(x));
  if (tl_status_of(x) != TL_OK || tl_status_of(y) != TL_OK || tl_dtype_of(x) != tl_dtype_of(y) || a.rank != b.rank ||
      memcmp(a.dim, b.dim, (size_t)a.rank * sizeof *a.dim) != 0) {
    return false;
  }
  unsigned char *p = malloc(2 * bytes + 1);
  bool same =
      tl_read(x, p, bytes) == TL_OK && tl_read(y, p + bytes, bytes) == TL_OK && memcmp(p, p + bytes, bytes) == 0;
  free(p);
  return same;
}

/* Relative to the largest element of y, or to 1e-2 where that is more. */
static inline double difference(tl_tensor x, tl_tensor y) {
  size_t n = count_of(y);
  if (count_of(x) != n || tl_shape_of(x).rank != tl_shape_of(y).rank) {
    return INFINITY;
  }
  double *p = malloc((2 * n + 1) * sizeof *p), largest = 1e-2, worst = 0;
  assert_int_equal(tl_read(tl_cast(x, TL_F64), p, n * sizeof *p), TL_OK);
  assert_int_equal(tl_read(tl_cast(y, TL_F64), p + n, n * sizeof *p), TL_OK);
  for (size_t i = 0; i < n; i++) {
    largest = fmax(largest, fabs(p[n + i]));
  }
  for (size_t i = 0; i < n; i++) {
    double d = fabs(p[i] - p[n + i]) / largest;
    worst = d <= worst ? worst : d; /* NaN too */
  }
  free(p);
  return worst;
}

/* "file text" of a graph, to be freed. */
static inline char *text_of(const tl_graph *g) {
  char *text = NULL;
  size_t length = 0;
  FILE *f = open_memstream(&text, &length);
  assert_int_equal(tl_graph_print(g, f), TL_OK);
  fclose(f);
  return text;
}

static inline void write_file(const char *path, const char *text) {
  FILE *f = fopen(path, "wb");
  assert_non_null(f);
  fputs(text, f);
  fclose(f);
}

#endif
