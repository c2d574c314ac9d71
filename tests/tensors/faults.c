/* Faults that compilers of this kind have had, each with a test of its name, of both floating dtypes where it is about
 * them. docs/design/tensors.md lists them all, those too whose test is elsewhere. */
#include <string.h>

#include <tlaloc/capture.h>
#include <tlaloc/engine.h>
#include <tlaloc/grad.h>
#include <tlaloc/tensor.h>

#include "check.h"

tl_axis(Batch);
tl_axis(In);
tl_axis(Out);
tl_axis(Class);

enum { MOST = 64 };

static int64_t count_of(tl_tensor x) {
  tl_shape shape = tl_shape_of(x);
  int64_t count = 1;
  for (int i = 0; i < shape.rank; i++) {
    count *= shape.dim[i];
  }
  return count;
}

/* Numbers that are not near one another or 0, and which float holds. */
static tl_tensor numbers(tl_dtype dtype, tl_shape shape) {
  double x[MOST];
  int64_t count = 1;
  for (int i = 0; i < shape.rank; i++) {
    count *= shape.dim[i];
  }
  for (int64_t i = 0; i < count; i++) {
    x[i] = (double)((i * 37 + 11) % 61 - 30) / 32;
  }
  return tl_cast(tl_from(TL_F64, shape, x), dtype);
}

typedef tl_tensor function(tl_tensor x);

/* The gradient against central differences, or, in F32, against that of the same function in F64. */
static void check_gradient(const char *what, function f, tl_tensor x, tl_tensor gradient) {
  double at[MOST], g[MOST], h = 1e-3;
  int64_t count = count_of(x);
  if (tl_status_of(gradient) != TL_OK) {
    printf("%s: %s\n", what, tl_message_of(gradient));
  }
  CHECK(tl_status_of(gradient), TL_OK);
  CHECK(count_of(gradient), count);
  CHECK(tl_read(x, at, sizeof *at * (size_t)count), TL_OK);
  CHECK(tl_read(gradient, g, sizeof *g * (size_t)count), TL_OK);
  for (int64_t i = 0; i < count; i++) {
    static const double steps[] = {-2, -1, 1, 2};
    double was = at[i], d[4];
    for (int k = 0; k < 4; k++) {
      at[i] = was + steps[k] * h;
      d[k] = tl_item(f(tl_from(TL_F64, tl_shape_of(x), at)));
    }
    at[i] = was;
    check_near(what, g[i], (d[0] - 8 * d[1] + 8 * d[2] - d[3]) / (12 * h), 1e-8);
  }
}

static void check_float(const char *what, tl_tensor got, tl_tensor want) {
  CHECK(tl_dtype_of(got), TL_F32);
  double x[MOST], y[MOST], size = 0;
  size_t count = (size_t)count_of(want);
  CHECK(tl_read(tl_cast(got, TL_F64), x, sizeof *x * count), TL_OK);
  CHECK(tl_read(want, y, sizeof *y * count), TL_OK);
  for (size_t i = 0; i < count; i++) {
    size = fmax(size, fabs(y[i]));
  }
  for (size_t i = 0; i < count; i++) {
    check_near(what, x[i] / size, y[i] / size, 4e-5);
  }
}

/* A function of one tensor in both dtypes: name_F64 and name_F32; ALONG is the shape that it is tried on. */
#define FUNCTION(name, body, ...)                                                                                      \
  static tl_tensor name##_F64(tl_typed(F64, __VA_ARGS__) x) { return tl_sum(body, TL_ALL, false); }                    \
  static tl_tensor name##_F32(tl_typed(F32, __VA_ARGS__) x) { return tl_sum(body, TL_ALL, false); }
#define TRY(name, ...)                                                                                                 \
  do {                                                                                                                 \
    tl_tensor x = numbers(TL_F64, TL_SHAPE(__VA_ARGS__)), g = tl_grad(name##_F64)(x);                                  \
    check_gradient(#name, name##_F64, x, g);                                                                           \
    check_float(#name, tl_grad(name##_F32)(tl_cast(x, TL_F32)), g);                                                    \
    double along = tl_item(tl_sum(tl_mul(g, tl_cos(x)), TL_ALL, false));                                               \
    check_near(#name, tl_item(tl_jvp(name##_F64)(x, tl_cos(x))), along, 1e-12);                                        \
  } while (0)

/* ---- masks: of clip, maximum, minimum, where and comparisons, of every rank ---- */

#define MASKED                                                                                                         \
  tl_mul(tl_where(tl_gt(x, tl_scalar_like(x, 0.1)), tl_maximum(x, tl_cos(x)), tl_minimum(tl_sin(x), x)),               \
         tl_clip(x, tl_scalar_like(x, -0.4), tl_scalar_like(x, 0.6)))
FUNCTION(masks_of_rank_1, MASKED, Batch)
FUNCTION(masks_of_rank_2, MASKED, Batch, In)
FUNCTION(masks_of_rank_3, MASKED, Batch, In, 2)
FUNCTION(masks_of_rank_4, MASKED, Batch, In, 2, 2)
FUNCTION(masks_of_rank_5, MASKED, Batch, In, 2, 2, 1)

static void check_masks(void) {
  TRY(masks_of_rank_1, 5);
  TRY(masks_of_rank_2, 4, 3);
  TRY(masks_of_rank_3, 3, 4, 2);
  TRY(masks_of_rank_4, 2, 3, 2, 2);
  TRY(masks_of_rank_5, 2, 3, 2, 2, 1);
}

/* The mask of a small format is of that format, as in dropout. */
static tl_tensor mask_of_small_format(tl_typed(BF16, Batch, In) x, tl_typed(BOOL, Batch, In) kept) {
  tl_tensor scaled = tl_div(x, tl_scalar_like(x, 0.5));
  return tl_sum(tl_mul(tl_where(kept, scaled, tl_scalar_like(x, 0)), x), TL_ALL, false);
}

static void check_small_format(void) {
  tl_tensor x = tl_cast(numbers(TL_F64, TL_SHAPE(3, 2)), TL_BF16), kept = tl_gt(x, tl_scalar_like(x, 0));
  tl_tensor g = tl_grad(mask_of_small_format, x)(x, kept);
  CHECK(tl_dtype_of(g), TL_BF16);
  tl_tensor want = tl_where(kept, tl_mul(x, tl_scalar_like(x, 4)), tl_scalar_like(x, 0));
  CHECK(tl_item(tl_max(tl_fabs(tl_sub(g, want)), TL_ALL, false)), 0);
}

/* ---- elementwise ops and products ---- */

FUNCTION(sine_and_cosine, tl_mul(tl_sin(x), tl_cos(tl_mul(x, x))), Batch, In)
/* The derivative's constants are of the shape behind the reshape. */
FUNCTION(tanh_behind_a_reshape, tl_mul(tl_tanh(tl_reshape(x, TL_SHAPE(4, 3))), tl_reshape(tl_exp(x), TL_SHAPE(4, 3))),
         3, 4)
FUNCTION(dot_that_the_gradient_needs, tl_exp(tl_contract(x, tl_sin(x), TL_AXES(0), TL_AXES(0))), In)
FUNCTION(softmax_of_one_row, tl_mul(tl_softmax(x, 1), tl_cos(x)), 1, 10)
FUNCTION(softmax_of_one_element, tl_softmax(x, 1), Batch, 1)

static tl_tensor after_a_product(tl_typed(F64, Batch, In) x, tl_typed(F64, In, Out) w) {
  tl_tensor y = tl_matmul(x, w), z = tl_add(tl_mul(y, y), tl_scalar_like(y, 0.5));
  tl_tensor some = tl_add(tl_add(tl_tanh(y), tl_logistic(y)), tl_mul(tl_tan(y), tl_atan(y)));
  return tl_add(some, tl_mul(tl_pow(z, tl_scalar_like(z, 1.5)), tl_rsqrt(z)));
}
static tl_tensor sum_after_a_product(tl_tensor x) {
  return tl_sum(after_a_product(tl_as(x, F64, Batch, In), tl_as(numbers(TL_F64, TL_SHAPE(3, 4)), F64, In, Out)), TL_ALL,
                false);
}
static tl_tensor total(tl_typed(F64, Batch, In) x, tl_typed(F64, In, Out) w) {
  return tl_sum(after_a_product(x, w), TL_ALL, false);
}

/* Tangents of tanh, logistic, tan, atan, pow and rsqrt have the shape of a product, which neither parameter has. */
static void check_tangents_behind_a_product(void) {
  tl_tensor x = numbers(TL_F64, TL_SHAPE(2, 3)), w = numbers(TL_F64, TL_SHAPE(3, 4)), v = tl_cos(x);
  tl_tensor g = tl_grad(total, x)(x, w), y_dot;
  check_gradient("after_a_product", sum_after_a_product, x, g);
  tl_value_and_jvp(after_a_product, x)(x, w, v, &y_dot);
  CHECK(tl_shape_of(y_dot).dim[0], 2);
  CHECK(tl_shape_of(y_dot).dim[1], 4);
  double want = tl_item(tl_sum(tl_mul(g, v), TL_ALL, false));
  CHECK_TO(tl_item(tl_sum(y_dot, TL_ALL, false)), want, 1e-12);
}

/* ---- broadcasts ---- */

FUNCTION(new_axis_and_stretched_axis, tl_exp(tl_broadcast(x, TL_SHAPE(2, 3, 4))), 3, 1)

/* The same where the extents are known at run time alone. */
static tl_tensor open_broadcast(tl_typed(F64, Out, 1) x, tl_typed(F64, Batch, Out, In) y) {
  return tl_sum(tl_exp(tl_mul(x, y)), TL_ALL, false);
}

static void check_open_broadcast(void) {
  tl_tensor x = numbers(TL_F64, TL_SHAPE(3, 1)), y = numbers(TL_F64, TL_SHAPE(2, 3, 4));
  tl_tensor g = tl_grad(open_broadcast, x)(x, y);
  CHECK(count_of(g), 3);
  tl_tensor want = tl_sum(tl_mul(y, tl_exp(tl_mul(x, y))), TL_AXES(0, 2), false);
  CHECK_TO(tl_item(tl_max(tl_fabs(tl_sub(tl_reshape(g, TL_SHAPE(3)), want)), TL_ALL, false)), 0, 1e-13);
}

/* The first parameter has another rank than what the gradient broadcasts to. */
static tl_tensor vector_before_matrix(tl_typed(F64, 2) scales, tl_typed(F64, Batch, In) x) {
  tl_tensor first = tl_gather(scales, tl_cast(tl_scalar_like(scales, 0), TL_I64), 0, (tl_gather_opts){0});
  tl_tensor mean = tl_mean(tl_mul(x, x), TL_AXES(1), true);
  return tl_mul(tl_sum(tl_mul(tl_sub(x, mean), tl_max(x, TL_AXES(0), true)), TL_ALL, false), first);
}
static tl_tensor of_the_matrix(tl_tensor x) {
  return vector_before_matrix(tl_as(numbers(TL_F64, TL_SHAPE(2)), F64, 2), tl_as(x, F64, Batch, In));
}

static void check_vector_before_matrix(void) {
  tl_tensor x = numbers(TL_F64, TL_SHAPE(3, 4)), scales = numbers(TL_F64, TL_SHAPE(2)), by_scales, by_x;
  tl_value_and_grad(vector_before_matrix)(scales, x, &by_scales, &by_x);
  check_gradient("vector_before_matrix", of_the_matrix, x, by_x);
  CHECK(count_of(by_scales), 2);
}

/* A shape that is not one to broadcast to is refused, and not taken for the operand's. */
static void check_broadcasts_that_disagree(void) {
  tl_tensor x = numbers(TL_F64, TL_SHAPE(3, 2));
  CHECK(tl_status_of(tl_broadcast(x, TL_SHAPE(4, 2))), TL_TENSOR_SHAPE_MISMATCH);
  CHECK(tl_status_of(tl_broadcast(x, TL_SHAPE(2))), TL_TENSOR_SHAPE_MISMATCH);
  CHECK(tl_status_of(tl_sum_to(x, TL_SHAPE(4, 2))), TL_TENSOR_SHAPE_MISMATCH);
  CHECK(tl_status_of(tl_add(x, numbers(TL_F64, TL_SHAPE(3)))), TL_TENSOR_SHAPE_MISMATCH);
}

/* ---- names ---- */

/* A transpose keeps its axes' names, so that they meet those of the same name, and are refused where they do not. */
static tl_typed(F64, Out, Class) contract_of_a_transpose(tl_typed(F64, Batch, Out) x, tl_typed(F64, Batch, Class) y) {
  tl_typed(F64, Out, Batch) turned = tl_transpose(x, TL_ALL);
  return tl_contract(turned, y, TL_AXES(1), TL_AXES(0));
}
static tl_tensor of_a_transpose(tl_typed(F64, Batch, Out) x, tl_typed(F64, Batch, Class) y) {
  return tl_sum(tl_sin(contract_of_a_transpose(x, y)), TL_ALL, false);
}
static tl_tensor of_that_alone(tl_tensor x) {
  return of_a_transpose(tl_as(x, F64, Batch, Out), tl_as(numbers(TL_F64, TL_SHAPE(3, 2)), F64, Batch, Class));
}

static void check_names_of_a_transpose(void) {
  tl_tensor x = numbers(TL_F64, TL_SHAPE(3, 4)), y = numbers(TL_F64, TL_SHAPE(3, 2));
  check_gradient("contract_of_a_transpose", of_that_alone, x, tl_grad(of_a_transpose, x)(x, y));
  tl_tensor named = tl_transpose(tl_as(x, F64, Batch, Out), TL_ALL), other = tl_as(y, F64, In, Class);
  tl_tensor (*unchecked)(tl_tensor, tl_tensor, tl_axes, tl_axes) =
      tl_contract; /* the compiler refuses the call itself */
  CHECK(tl_status_of(unchecked(named, other, TL_AXES(1), TL_AXES(0))), TL_NAMED_INDEX_MISMATCH);
}

/* ---- constants, none of which goes through float or is taken for a number near it ---- */

static tl_tensor constants(tl_typed(F64, Batch) x) {
  tl_tensor y = tl_mul(x, tl_scalar_like(x, 0.8770685575110583));
  return tl_sum(tl_add(y, tl_scalar_like(x, 0.1)), TL_ALL, false);
}
static tl_tensor near_one(tl_typed(F64, Batch) x) {
  return tl_sum(tl_mul(x, tl_scalar_like(x, 1 + 0x1p-52)), TL_ALL, false);
}
static tl_tensor near_zero(tl_typed(F64, Batch) x) {
  return tl_sum(tl_mul(x, tl_scalar_like(x, 0x1p-1074)), TL_ALL, false);
}
static tl_tensor near_one_in_float(tl_typed(F32, Batch) x) {
  return tl_sum(tl_mul(x, tl_scalar_like(x, 1 + 0x1p-23)), TL_ALL, false);
}
/* A sum with coefficients over a loop, which has a closed form. */
static double loop_with_coefficients(double x) {
  double sum = 0;
  for (int i = 0; i < 10; i++) {
    sum += 0.08770685575110583 * x + 0.1;
  }
  return sum;
}

static void check_constants(void) {
  tl_tensor x = numbers(TL_F64, TL_SHAPE(3));
  double g[3];
  tl_read(tl_grad(constants)(x), g, sizeof g);
  check_near("constants", g[0], 0.8770685575110583, 0);
  tl_read(tl_grad(near_one)(x), g, sizeof g);
  check_near("near_one", g[1], 1 + 0x1p-52, 0);
  tl_read(tl_grad(near_zero)(x), g, sizeof g);
  check_near("near_zero", ldexp(g[2], 1074), 1, 0);
  float f[3];
  tl_read(tl_grad(near_one_in_float)(tl_cast(x, TL_F32)), f, sizeof f);
  check_near("near_one_in_float", f[0], 1 + 0x1p-23, 0);
  CHECK_TO(tl_grad(loop_with_coefficients)(0.75), 0.8770685575110583, 4e-16);
}

/* ---- probabilities ---- */

/* Past a margin of 16.6 in F32, of 36.7 in F64, 1 - p is 0, and the gradient is not. */
static tl_tensor confident_in_F64(tl_typed(F64, 2) x) {
  return tl_neg(tl_sum(tl_slice(tl_log_softmax(x, 0), TL_INTS(0), TL_INTS(1), TL_SCALAR), TL_ALL, false));
}
static tl_tensor confident_in_F32(tl_typed(F32, 2) x) {
  return tl_neg(tl_sum(tl_slice(tl_log_softmax(x, 0), TL_INTS(0), TL_INTS(1), TL_SCALAR), TL_ALL, false));
}

static void check_confident_targets(void) {
  for (int margin = 1; margin < 80; margin++) {
    double x[] = {margin, 0}, want = 1 / (1 + exp(margin)), g[2];
    tl_tensor logits = tl_from(TL_F64, TL_SHAPE(2), x), by_x;
    CHECK_TO(tl_item(tl_value_and_grad(confident_in_F64)(logits, &by_x)) / log1p(exp(-margin)), 1, 1e-14);
    tl_read(by_x, g, sizeof g);
    CHECK_TO(g[0] / -want, 1, 1e-14);
    CHECK_TO(g[1] / want, 1, 1e-14);
    float f[2];
    CHECK_TO(tl_item(tl_value_and_grad(confident_in_F32)(tl_cast(logits, TL_F32), &by_x)) / log1p(exp(-margin)), 1,
             1e-6);
    tl_read(by_x, f, sizeof f);
    CHECK_TO(f[0] / -want, 1, 1e-6);
    CHECK_TO(f[1] / want, 1, 1e-6);
  }
}

/* Nothing takes the labels' sum to be 1. */
FUNCTION(labels_that_do_not_sum_to_1, tl_mul(tl_exp(tl_cos(x)), tl_log_softmax(x, 1)), Batch, Class)

/* ---- options by name ---- */

static void check_options_by_name(void) {
  tl_tensor x = tl_fill(TL_F64, TL_SHAPE(1, 1, 8, 9), 1), w = tl_fill(TL_F64, TL_SHAPE(1, 1, 2, 3), 1);
  tl_shape a = tl_shape_of(tl_conv2d(x, w, (tl_conv2d_opts){.stride = {1, 2}, .dilation = {3, 1}, .padding = {0, 1}}));
  tl_shape b = tl_shape_of(tl_conv2d(x, w, (tl_conv2d_opts){.padding = {0, 1}, .stride = {1, 2}, .dilation = {3, 1}}));
  CHECK(a.dim[2], 5);
  CHECK(a.dim[3], 5);
  CHECK(memcmp(a.dim, b.dim, 4 * sizeof *a.dim), 0);
}

/* ---- the scale of a mean over windows, captured ---- */

static void mean_of_windows(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  (void)ctx;
  *out = tl_sum(tl_avg_pool(in[0], (tl_pool_opts){.window = TL_INTS(3)}), TL_ALL, false);
}

static void check_scale_of_a_pool(void) {
  tl_spec spec = {TL_F64, TL_SHAPE(1, 1, 6), NULL};
  tl_graph *graph = NULL, *grad = NULL;
  tl_engine *engine = NULL;
  tl_program *program = NULL;
  tl_tensor x = numbers(TL_F64, spec.shape), g = NULL;
  CHECK(tl_capture("pool", mean_of_windows, NULL, 1, &spec, 1, &graph), TL_OK);
  CHECK(tl_graph_grad(graph, 0, NULL, false, &grad), TL_OK);
  CHECK(tl_engine_open("interpreter", NULL, &engine), TL_OK);
  CHECK(tl_engine_prepare(engine, grad, NULL, &program), TL_OK);
  CHECK(tl_program_run(program, &x, &g), TL_OK);
  double at[6] = {0};
  CHECK(tl_read(g, at, sizeof at), TL_OK);
  for (int i = 0; i < 6; i++) {
    check_near("scale_of_a_pool", at[i], 1.0 / 3, 0);
  }
  tl_release(g);
  tl_program_close(program);
  tl_engine_close(engine);
  tl_graph_release(grad);
  tl_graph_release(graph);
}

int main(void) {
  check_masks();
  check_small_format();
  TRY(sine_and_cosine, 3, 4);
  TRY(tanh_behind_a_reshape, 3, 4);
  TRY(dot_that_the_gradient_needs, 5);
  TRY(softmax_of_one_row, 1, 10);
  TRY(softmax_of_one_element, 4, 1);
  check_tangents_behind_a_product();
  TRY(new_axis_and_stretched_axis, 3, 1);
  check_open_broadcast();
  check_vector_before_matrix();
  check_broadcasts_that_disagree();
  check_names_of_a_transpose();
  check_constants();
  check_confident_targets();
  TRY(labels_that_do_not_sum_to_1, 3, 4);
  check_options_by_name();
  check_scale_of_a_pool();
  return check_done();
}
