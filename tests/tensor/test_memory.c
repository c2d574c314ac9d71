/* Every eager op where each of its allocations fails in turn: the value is NULL and nothing is lost. An op allocates as
 * often for many elements as for few. Threads with their own scopes share tensors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/dtype.h"
#include "tensor/op.h"
#include "tlaloc/tensor.h"

/* Operands of n x n elements; indices and conditions among them. */
typedef struct operands {
  tl_dtype dtype;
  int64_t n;
  tl_tensor x, y, turned, truth, row, indices, exponents, dominant;
} operands;

static operands make(tl_dtype dtype, int64_t n) {
  operands o = {.dtype = dtype, .n = n};
  o.x = tl_fill(dtype, TL_SHAPE(n, n), 1);
  o.y = tl_fill(dtype, TL_SHAPE(n, n), 1);
  o.turned = tl_transpose(o.y, TL_ALL);
  o.truth = tl_fill(TL_BOOL, TL_SHAPE(n, n), 1);
  o.row = tl_fill(dtype, TL_SHAPE(n), 1);
  o.indices = tl_fill(TL_I32, TL_SHAPE(n), 0);
  o.dominant = tl_add(o.x, tl_identity_like(o.x));
  o.exponents = tl_fill(TL_I32, TL_SHAPE(n, n), 1);
  return o;
}

/* Each is an op of one call; those that a dtype does not have return a refusal. */
#define UNARY(name)                                                                                                    \
  static tl_tensor do_##name(const operands *o) { return tl_##name(o->x); }
#define BINARY(name)                                                                                                   \
  static tl_tensor do_##name(const operands *o) { return tl_##name(o->x, o->turned); }
TL__UNARY(UNARY)
TL__BINARY(BINARY)
#define CALLS(X)                                                                                                       \
  X(fma, tl_fma(o->x, o->y, o->turned))                                                                                \
  X(where, tl_where(o->truth, o->x, o->turned))                                                                        \
  X(jn_of, tl_jn(o->exponents, o->x))                                                                                  \
  X(ldexp_of, tl_ldexp(o->x, o->exponents))                                                                            \
  X(cast, tl_cast(o->turned, TL_F16))                                                                                  \
  X(cast_from, tl_cast(o->x, TL_F64))                                                                                  \
  X(from, tl_from(o->dtype, TL_SHAPE(o->n, o->n), tl_data(o->x)))                                                      \
  X(fill, tl_fill(o->dtype, TL_SHAPE(o->n, o->n), 2))                                                                  \
  X(scalar_like, tl_scalar_like(o->x, 2))                                                                              \
  X(reshape, tl_reshape(o->x, TL_SHAPE(-1)))                                                                           \
  X(reshape_turned, tl_reshape(o->turned, TL_SHAPE(-1)))                                                               \
  X(transpose, tl_transpose(o->x, TL_AXES(1, 0)))                                                                      \
  X(broadcast, tl_broadcast(o->x, TL_SHAPE(2, o->n, o->n)))                                                            \
  X(sum_to, tl_sum_to(o->x, TL_SHAPE(o->n)))                                                                           \
  X(sum, tl_sum(o->x, TL_ALL, false))                                                                                  \
  X(sum_axis, tl_sum(o->x, TL_AXES(0), true))                                                                          \
  X(sum_turned, tl_sum(o->turned, TL_AXES(1), false))                                                                  \
  X(max, tl_max(o->x, TL_AXES(1), false))                                                                              \
  X(argmax, tl_argmax(o->turned, 0, true))                                                                             \
  X(argmin, tl_argmin(o->x, 1, false))                                                                                 \
  X(argsort, tl_argsort(o->turned, 1, true))                                                                           \
  X(reduce_or, tl_reduce_or(o->truth, TL_AXES(0), false))                                                              \
  X(reduce_and, tl_reduce_and(o->truth, TL_ALL, true))                                                                 \
  X(iota, tl_iota(o->dtype, TL_SHAPE(o->n, o->n), 1))                                                                  \
  X(mean, tl_mean(o->turned, TL_AXES(0), false))                                                                       \
  X(logsumexp, tl_logsumexp(o->x, TL_AXES(1), false))                                                                  \
  X(log_softmax, tl_log_softmax(o->turned, 0))                                                                         \
  X(clip, tl_clip(o->x, o->row, o->turned))                                                                            \
  X(take_along, tl_take_along(o->x, tl_broadcast(o->indices, TL_SHAPE(o->n, o->n)), 0, TL_INDEX_CLIP))                 \
  X(sort, tl_sort(o->turned, 0, false))                                                                                \
  X(top_k, tl_top_k(o->x, 2, 1).values)                                                                                \
  X(one_hot, tl_one_hot(o->indices, o->n, o->dtype))                                                                   \
  X(contract, tl_contract(o->x, o->turned, TL_AXES(0), TL_AXES(1)))                                                    \
  X(einsum, tl_einsum("ij,kj,j->ki", 3, (tl_tensor[]){o->x, o->turned, o->row}))                                       \
  X(relu, tl_relu(o->turned))                                                                                          \
  X(prelu, tl_prelu(o->x, o->row))                                                                                     \
  X(hard_swish, tl_hard_swish(o->x))                                                                                   \
  X(softplus, tl_softplus(o->turned, 2, 20))                                                                           \
  X(softsign, tl_softsign(o->x))                                                                                       \
  X(glu, tl_glu(tl_concat(o->x, o->turned, 1), 1))                                                                     \
  X(smooth_l1_loss, tl_smooth_l1_loss(o->x, o->turned, 0.5, TL_REDUCTION_BATCH_MEAN))                                  \
  X(kl_div, tl_kl_div(o->x, o->turned, false, TL_REDUCTION_NONE))                                                      \
  X(binary_cross_entropy, tl_binary_cross_entropy(o->x, o->turned, o->row, TL_REDUCTION_MEAN))                         \
  X(cross_entropy, tl_cross_entropy(o->x, o->indices, o->row, 1, 1, 0.1, TL_REDUCTION_MEAN))                           \
  X(power, tl_power(o->exponents, tl_fill(TL_U8, TL_SCALAR, 3)))                                                       \
  X(is_inf, tl_is_inf(o->x, true, true))                                                                               \
  X(reduce_list, tl_reduce_list(TL_REDUCE_MAX, 3, (tl_tensor[]){o->x, o->turned, o->row}))                             \
  X(mean_list, tl_mean_list(2, (tl_tensor[]){o->x, o->row}))                                                           \
  X(log_sum, tl_log_sum(o->x, TL_AXES(1), true))                                                                       \
  X(argmax_last, tl_argmax_last(o->x, 1, false))                                                                       \
  X(hardmax, tl_hardmax(o->turned, 1))                                                                                 \
  X(standardize, tl_standardize(o->x, TL_AXES(1), 0.1))                                                                \
  X(inverse_deviation, tl_inverse_deviation(o->x, TL_AXES(0), false, 0.1))                                             \
  X(gemm, tl_gemm(o->x, o->turned, o->row, (tl_gemm_opts){2, 3, true, false}))                                         \
  X(extents, tl_extents(o->x, 0, 2))                                                                                   \
  X(size, tl_size(o->x))                                                                                               \
  X(eye, tl_eye(o->dtype, o->n, o->n, 1))                                                                              \
  X(cosine_window, tl_cosine_window(o->dtype, o->n, true, 2, (double[]){0.5, 0.5}))                                    \
  X(take, tl_take(o->x, o->indices, 0, TL_INDEX_CLIP))                                                                 \
  X(gather_elements, tl_gather_elements(o->x, tl_broadcast(o->indices, TL_SHAPE(o->n, o->n)), 0, TL_INDEX_CLIP))       \
  X(scatter_elements, tl_scatter_elements(o->x, tl_broadcast(o->indices, TL_SHAPE(o->n, o->n)), o->turned, 0,          \
                                          TL_REDUCE_ADD, TL_INDEX_DROP))                                               \
  X(one_of, tl_one_of(o->indices, 4, 0, tl_fill(o->dtype, TL_SCALAR, 0), tl_fill(o->dtype, TL_SCALAR, 1)))             \
  X(resize, tl_resize(o->x, TL_SHAPE(5, 2), (tl_resize_opts){.method = TL_RESIZE_CUBIC}))                              \
  X(quantize, tl_quantize(o->x, o->row, tl_fill(TL_I8, TL_SCALAR, 3), 1))                                              \
  X(quantize_range, tl_quantize_range(o->x).scale)                                                                     \
  X(slice_back, tl_slice(o->x, TL_INTS(1, 0), TL_INTS(-1, 1), TL_INTS(-1, 1)))                                         \
  X(softmax, tl_softmax(o->x, 1))                                                                                      \
  X(softmax_axis, tl_softmax(o->turned, 1))                                                                            \
  X(matmul, tl_matmul(o->x, o->turned))                                                                                \
  X(matmul_row, tl_matmul(o->row, o->turned))                                                                          \
  X(tril, tl_tril(o->turned, -1))                                                                                      \
  X(triu, tl_triu(o->x, 1))                                                                                            \
  X(scale_triangles, tl_scale_triangles(o->x, 1, 0.5, 0))                                                              \
  X(identity_like, tl_identity_like(o->x))                                                                             \
  X(cholesky, tl_cholesky(o->dominant))                                                                                \
  X(triangular_solve, tl_triangular_solve(o->dominant, o->row, (tl_triangular_solve_opts){.upper = true}))             \
  X(solve, tl_solve(o->dominant, o->turned, true))                                                                     \
  X(solve_singular, tl_solve(o->x, o->row, false))                                                                     \
  X(solve_spd, tl_solve_spd(o->dominant, o->row))                                                                      \
  X(inverse, tl_inverse(o->dominant))                                                                                  \
  X(inv_spd, tl_inv_spd(o->dominant))                                                                                  \
  X(det, tl_det(o->dominant))                                                                                          \
  X(log_det_spd, tl_log_det_spd(o->dominant))                                                                          \
  X(slogdet, tl_slogdet(o->dominant).log)                                                                              \
  X(lu, tl_lu(o->dominant))                                                                                            \
  X(lu_permutation, tl_lu_permutation(o->turned))                                                                      \
  X(tridiagonal_solve, tl_tridiagonal_solve(o->row, o->row, o->row, o->turned))                                        \
  X(qr_q, tl_qr_q(o->turned))                                                                                          \
  X(qr_both, tl_qr(o->dominant).q)                                                                                     \
  X(eigh_values, tl_eigh_values(o->dominant))                                                                          \
  X(eigh, tl_eigh(o->dominant).vectors)                                                                                \
  X(gather, tl_gather(o->turned, o->indices, 0, (tl_gather_opts){.mode = TL_INDEX_FILL}))                              \
  X(scatter_add, tl_scatter_add(o->x, o->indices, o->turned, 1, (tl_gather_opts){.mode = TL_INDEX_CLIP}))
#define CALL(name, call)                                                                                               \
  static tl_tensor do_##name(const operands *o) { return call; }
CALLS(CALL)

#define NAMED(name) {"tl_" #name, do_##name},
#define NAMED_CALL(name, call) {"tl_" #name, do_##name},
static const struct {
  const char *name;
  tl_tensor (*run)(const operands *);
} ops[] = {TL__UNARY(NAMED) TL__BINARY(NAMED) CALLS(NAMED_CALL)};
enum { OPS = sizeof ops / sizeof *ops };

/* The allocations of an op; fails where one that fails gives anything but NULL. */
static int allocations(int i, const operands *o) {
  for (int n = 1;; n++) {
    tl_scope s = tl_scope_open();
    tl__alloc_fail_at((uint64_t)n);
    tl_tensor r = ops[i].run(o);
    tl__alloc_fail_at(0);
    bool is_made = r != NULL;
    tl_scope_close(s);
    if (is_made) {
      return n - 1;
    }
    if (n > 100) {
      fail_msg("%s: NULL though no allocation failed", ops[i].name);
    }
  }
}

static void test_failures(void **state) {
  (void)state;
  for (int d = 0; d < TL_DTYPE_COUNT; d++) {
    if (d == TL_F80) {
      continue;
    }
    tl_scope s = tl_scope_open();
    operands o = make((tl_dtype)d, 3);
    for (int i = 0; i < OPS; i++) {
      assert_true(allocations(i, &o) > 0);
    }
    tl_scope_close(s);
  }
}

/* More than as many steps as elements: fewer of them tell as much. */
static bool is_slow(const char *name) {
  static const char slow[] =
      " matmul contract einsum argsort sort top_k one_hot take_along cast cholesky solve solve_singular "
      "solve_spd inverse inv_spd det log_det_spd slogdet lu lu_permutation qr_q qr_both eigh_values eigh "
      "power reduce_list mean_list argmax_last hardmax standardize inverse_deviation gemm take "
      "gather_elements scatter_elements one_of resize quantize quantize_range log_sum is_inf "
      "cross_entropy binary_cross_entropy softplus glu smooth_l1_loss softsign kl_div log_softmax ";
  char word[64];
  snprintf(word, sizeof word, " %s ", name + strlen("tl_"));
  return strstr(slow, word) != NULL;
}

static void test_numbers_of_allocations(void **state) {
  (void)state;
  const tl_dtype dtypes[] = {TL_F32, TL_F64, TL_I32, TL_F16};
  for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
    tl_scope s = tl_scope_open();
    operands few = make(dtypes[d], 3), some = make(dtypes[d], 100),
             many = make(dtypes[d], dtypes[d] == TL_F16 ? 100 : 1000);
    for (int i = 0; i < OPS; i++) {
      operands o = is_slow(ops[i].name) ? some : many;
      if (allocations(i, &few) != allocations(i, &o)) {
        fail_msg("%s: %d allocations of few elements, %d of many", ops[i].name, allocations(i, &few),
                 allocations(i, &o));
      }
    }
    tl_scope_close(s);
  }
}

static void *use(void *shared) {
  const operands *o = shared;
  for (int round = 0; round < 3; round++) {
    tl_scope s = tl_scope_open();
    for (int i = 0; i < OPS; i++) {
      tl_tensor r = ops[i].run(o);
      if (!r) {
        return NULL;
      }
    }
    tl_scope_close(s);
  }
  return shared;
}

static void test_threads(void **state) {
  (void)state;
  enum { THREADS = 4 };
  tl_scope s = tl_scope_open();
  operands o = make(TL_F32, 40);
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++) {
    assert_int_equal(pthread_create(&threads[i], NULL, use, &o), 0);
  }
  for (int i = 0; i < THREADS; i++) {
    void *done = NULL;
    pthread_join(threads[i], &done);
    assert_ptr_equal(done, &o);
  }
  /* A product that threads compute. */
  tl_tensor x = tl_fill(TL_F32, TL_SHAPE(520, 300), 1), y = tl_fill(TL_F32, TL_SHAPE(300, 300), 0.5);
  static float got[520 * 300];
  assert_int_equal(tl_read(tl_matmul(x, y), got, sizeof got), TL_OK);
  for (int i = 0; i < 520 * 300; i++) {
    assert_true(got[i] == 150);
  }
  tl_scope_close(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_failures),
      cmocka_unit_test(test_numbers_of_allocations),
      cmocka_unit_test(test_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
