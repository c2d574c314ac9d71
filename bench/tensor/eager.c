/* Times eager ops: reads lines `CASE RUNS`, answers each with the nanoseconds that a run took, from the call to the
 * release of what it returned. `list` names the cases. What is the same in NumPy is in bench/tensor/run. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tlaloc/tensor.h"

/* Operands, made once per case. Their elements are 0.5 to 1.5, their kinds those that a case asks for. */
typedef struct operands {
  tl_tensor x, y, z;
} operands;

static tl_tensor numbers(tl_dtype dtype, tl_shape shape) {
  int64_t count = 1;
  for (int i = 0; i < shape.rank; i++) {
    count *= shape.dim[i];
  }
  double *data = malloc((size_t)count * sizeof *data);
  if (!data) {
    abort();
  }
  for (int64_t i = 0; i < count; i++) {
    data[i] = 0.5 + (double)(i * 7919 % 1009) / 1009;
  }
  tl_tensor t = tl_cast(tl_from(TL_F64, shape, data), dtype);
  free(data);
  return t;
}

static tl_tensor rows(int64_t count, int64_t extent) {
  int64_t *data = malloc((size_t)count * sizeof *data);
  if (!data) {
    abort();
  }
  for (int64_t i = 0; i < count; i++) {
    data[i] = i * 7919 % extent;
  }
  tl_tensor t = tl_from(TL_I64, TL_SHAPE(count), data);
  free(data);
  return t;
}

/* Symmetric and positive definite. */
static tl_tensor spd(int64_t n) {
  tl_tensor x = numbers(TL_F64, TL_SHAPE(n, n));
  return tl_add(tl_add(x, tl_transpose(x, TL_ALL)), tl_mul(tl_identity_like(x), tl_scalar_like(x, (double)(2 * n))));
}

#define MAKE_CASES(X)                                                                                                  \
  X(add_f32_8, (x = numbers(TL_F32, TL_SHAPE(8)), y = x), tl_add(x, y))                                                \
  X(add_f32_1e3, (x = numbers(TL_F32, TL_SHAPE(1000)), y = x), tl_add(x, y))                                           \
  X(add_f32_1e5, (x = numbers(TL_F32, TL_SHAPE(100000)), y = numbers(TL_F32, TL_SHAPE(100000))), tl_add(x, y))         \
  X(add_f32_1e6, (x = numbers(TL_F32, TL_SHAPE(1000000)), y = numbers(TL_F32, TL_SHAPE(1000000))), tl_add(x, y))       \
  X(add_f32_1e7, (x = numbers(TL_F32, TL_SHAPE(10000000)), y = numbers(TL_F32, TL_SHAPE(10000000))), tl_add(x, y))     \
  X(add_f64_1e6, (x = numbers(TL_F64, TL_SHAPE(1000000)), y = numbers(TL_F64, TL_SHAPE(1000000))), tl_add(x, y))       \
  X(mul_i32_1e6, (x = numbers(TL_I32, TL_SHAPE(1000000)), y = numbers(TL_I32, TL_SHAPE(1000000))), tl_mul(x, y))       \
  X(add_row_f32, (x = numbers(TL_F32, TL_SHAPE(1000, 1000)), y = numbers(TL_F32, TL_SHAPE(1000))), tl_add(x, y))       \
  X(add_column_f32, (x = numbers(TL_F32, TL_SHAPE(1000, 1000)), y = numbers(TL_F32, TL_SHAPE(1000, 1))), tl_add(x, y)) \
  X(add_transposed_f32,                                                                                                \
    (x = numbers(TL_F32, TL_SHAPE(1000, 1000)), y = tl_transpose(numbers(TL_F32, TL_SHAPE(1000, 1000)), TL_ALL)),      \
    tl_add(x, y))                                                                                                      \
  X(sqrt_f32_1e6, (x = numbers(TL_F32, TL_SHAPE(1000000))), tl_sqrt(x))                                                \
  X(lt_f32_1e6, (x = numbers(TL_F32, TL_SHAPE(1000000)), y = numbers(TL_F32, TL_SHAPE(1000000))), tl_lt(x, y))         \
  X(where_f32_1e6, (x = numbers(TL_F32, TL_SHAPE(1000000)), y = tl_neg(x), z = tl_lt(x, tl_scalar_like(x, 1))),        \
    tl_where(z, x, y))                                                                                                 \
  X(cast_f32_f64_1e6, (x = numbers(TL_F32, TL_SHAPE(1000000))), tl_cast(x, TL_F64))                                    \
  X(exp_f32_1e6, (x = numbers(TL_F32, TL_SHAPE(1000000))), tl_exp(x))                                                  \
  X(exp_f64_1e6, (x = numbers(TL_F64, TL_SHAPE(1000000))), tl_exp(x))                                                  \
  X(tanh_f32_1e6, (x = numbers(TL_F32, TL_SHAPE(1000000))), tl_tanh(x))                                                \
  X(log_f64_1e6, (x = numbers(TL_F64, TL_SHAPE(1000000))), tl_log(x))                                                  \
  X(sum_f32_8, (x = numbers(TL_F32, TL_SHAPE(8))), tl_sum(x, TL_ALL, false))                                           \
  X(sum_f32_1e6, (x = numbers(TL_F32, TL_SHAPE(1000000))), tl_sum(x, TL_ALL, false))                                   \
  X(sum_f64_1e6, (x = numbers(TL_F64, TL_SHAPE(1000000))), tl_sum(x, TL_ALL, false))                                   \
  X(sum_f32_axis_0, (x = numbers(TL_F32, TL_SHAPE(1000, 1000))), tl_sum(x, TL_AXES(0), false))                         \
  X(sum_f32_axis_1, (x = numbers(TL_F32, TL_SHAPE(1000, 1000))), tl_sum(x, TL_AXES(1), false))                         \
  X(sum_f32_middle, (x = numbers(TL_F32, TL_SHAPE(100, 100, 100))), tl_sum(x, TL_AXES(1), false))                      \
  X(sum_f32_short_rows, (x = numbers(TL_F32, TL_SHAPE(100000, 10))), tl_sum(x, TL_AXES(1), false))                     \
  X(max_f32_1e6, (x = numbers(TL_F32, TL_SHAPE(1000000))), tl_max(x, TL_ALL, false))                                   \
  X(max_f64_axis_0, (x = numbers(TL_F64, TL_SHAPE(1000, 1000))), tl_max(x, TL_AXES(0), false))                         \
  X(matmul_f32_4, (x = numbers(TL_F32, TL_SHAPE(4, 4)), y = x), tl_matmul(x, y))                                       \
  X(matmul_f32_16, (x = numbers(TL_F32, TL_SHAPE(16, 16)), y = x), tl_matmul(x, y))                                    \
  X(matmul_f32_64, (x = numbers(TL_F32, TL_SHAPE(64, 64)), y = x), tl_matmul(x, y))                                    \
  X(matmul_f32_256, (x = numbers(TL_F32, TL_SHAPE(256, 256)), y = x), tl_matmul(x, y))                                 \
  X(matmul_f32_1024, (x = numbers(TL_F32, TL_SHAPE(1024, 1024)), y = x), tl_matmul(x, y))                              \
  X(matmul_f64_512, (x = numbers(TL_F64, TL_SHAPE(512, 512)), y = x), tl_matmul(x, y))                                 \
  X(matmul_f64_transposed, (x = numbers(TL_F64, TL_SHAPE(512, 512)), y = tl_transpose(x, TL_ALL)), tl_matmul(x, y))    \
  X(matmul_f32_batch, (x = numbers(TL_F32, TL_SHAPE(64, 32, 32)), y = x), tl_matmul(x, y))                             \
  X(matmul_f32_vector, (x = numbers(TL_F32, TL_SHAPE(1000, 1000)), y = numbers(TL_F32, TL_SHAPE(1000))),               \
    tl_matmul(x, y))                                                                                                   \
  X(gather_f32_rows, (x = numbers(TL_F32, TL_SHAPE(10000, 64)), y = rows(5000, 10000)),                                \
    tl_gather(x, y, 0, (tl_gather_opts){0}))                                                                           \
  X(softmax_f32, (x = numbers(TL_F32, TL_SHAPE(1000, 1000))), tl_softmax(x, -1))                                       \
  X(cholesky_f64_300, (x = spd(300)), tl_cholesky(x))                                                                  \
  X(solve_f64_300, (x = spd(300), y = numbers(TL_F64, TL_SHAPE(300, 300))), tl_solve(x, y, false))                     \
  X(eigh_values_f64_300, (x = spd(300)), tl_eigh_values(x))

#define DEFINE(name, make, call)                                                                                       \
  static operands make_##name(void) {                                                                                  \
    tl_tensor x = NULL, y = NULL, z = NULL;                                                                            \
    (void)(make);                                                                                                      \
    return (operands){x, y, z};                                                                                        \
  }                                                                                                                    \
  static tl_tensor run_##name(const operands *o) {                                                                     \
    tl_tensor x = o->x, y = o->y, z = o->z;                                                                            \
    (void)x, (void)y, (void)z;                                                                                         \
    return call;                                                                                                       \
  }
MAKE_CASES(DEFINE)
#define ENTRY(name, make, call) {#name, make_##name, run_##name},
static const struct {
  const char *name;
  operands (*make)(void);
  tl_tensor (*run)(const operands *);
} cases[] = {MAKE_CASES(ENTRY)};
enum { CASES = sizeof cases / sizeof *cases };

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

int main(void) {
  operands made[CASES] = {{0}};
  char name[64];
  long runs;
  setvbuf(stdout, NULL, _IOLBF, 0);
  while (scanf("%63s", name) == 1) {
    if (strcmp(name, "list") == 0) {
      for (int i = 0; i < CASES; i++) {
        printf("%s%c", cases[i].name, i + 1 < CASES ? ' ' : '\n');
      }
      continue;
    }
    int i = 0;
    while (i < CASES && strcmp(cases[i].name, name) != 0) {
      i++;
    }
    if (i == CASES || scanf("%ld", &runs) != 1 || runs < 1) {
      return 2;
    }
    if (!made[i].x) {
      made[i] = cases[i].make();
    }
    double from = now();
    for (long k = 0; k < runs; k++) {
      tl_scope s = tl_scope_open();
      if (tl_status_of(cases[i].run(&made[i])) != TL_OK) {
        return 1;
      }
      tl_scope_close(s);
    }
    printf("%.1f\n", (now() - from) / (double)runs);
  }
  return 0;
}
