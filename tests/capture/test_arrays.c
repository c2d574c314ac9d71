/* Ops on arrays that are made of others: what they give at once, by a program and as a batch, in F64 and narrower;
 * their cotangents against central differences. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <tlaloc/capture.h>
#include <tlaloc/engine.h>

enum { MOST_INPUTS = 6 };

typedef tl_tensor call_fn(const tl_tensor in[]);

/* An input: numbers, or indices below a count and from its negative on, or none below 0. */
typedef struct input {
  tl_shape shape;
  int64_t below;
  bool from_behind;
} input;
typedef struct row {
  const char *name;
  call_fn *run;
  int count;
  input in[MOST_INPUTS];
} row;

/* ---- the ops ---- */

#define OP(name, expression)                                                                                           \
  static tl_tensor do_##name(const tl_tensor in[]) { return expression; }
#define S(...)                                                                                                         \
  {                                                                                                                    \
    .shape = { TL__COUNT(__VA_ARGS__), {__VA_ARGS__} }                                                                 \
  }
#define INDICES(count, behind, ...)                                                                                    \
  {.shape = {TL__COUNT(__VA_ARGS__), {__VA_ARGS__}}, .below = count, .from_behind = behind}
#define SCALAR {.shape = {0}}

static tl_tensor resized(tl_tensor x, tl_resize_method method, tl_resize_places places) {
  tl_resize_opts o = {.method = method, .places = places};
  for (int i = 0; i < 4; i++) {
    o.crop_start[i] = i == 3 ? 0.2 : 0;
    o.crop_end[i] = i == 3 ? 1.2 : 1;
  }
  o.outside = 3;
  return tl_resize(x, TL_SHAPE(tl_shape_of(x).dim[0], 2, 7, 3), o);
}

static tl_tensor sampled(const tl_tensor in[], tl_resize_method method, tl_sample_border border, bool corners) {
  return tl_grid_sample(in[0], in[1], (tl_sample_opts){method, border, corners});
}

static tl_tensor quantized_scale(const tl_tensor in[]) {
  return tl_dequantize(tl_cast(in[1], TL_I32), in[0], tl_fill(TL_I32, TL_SCALAR, 2), 0);
}

static tl_recurrent_weights weights(const tl_tensor in[]) { return (tl_recurrent_weights){in[2], in[3], in[4]}; }
static tl_tensor both(tl_recurrent_result r) { return tl_add(tl_mul(r.states, r.states), tl_add(r.state, r.cell)); }
static tl_tensor zeros_like(tl_tensor x) { return tl_mul(x, tl_scalar_like(x, 0)); }

OP(power, tl_power(tl_exp(in[0]), in[1]))
OP(sum_of_list, tl_reduce_list(TL_REDUCE_ADD, 3, in))
OP(product_of_list, tl_reduce_list(TL_REDUCE_MUL, 3, in))
OP(most_of_list, tl_reduce_list(TL_REDUCE_MAX, 3, in))
OP(mean_list, tl_mean_list(2, in))
OP(sum_square, tl_sum_square(in[0], TL_ALL, false))
OP(log_sum, tl_log_sum(tl_fabs(in[0]), TL_AXES(-1), false))
OP(standardize, tl_standardize(in[0], TL_AXES(1), 1e-3))
OP(inverse_deviation, tl_inverse_deviation(in[0], TL_AXES(0), true, 1e-3))
OP(hardmax, tl_mul(tl_hardmax(in[0], 1), in[0]))
OP(gemm, tl_gemm(in[0], in[1], in[2], (tl_gemm_opts){1.25, -0.5, true, true}))
OP(depth_to_space, tl_depth_to_space(in[0], 2, false))
OP(depth_to_space_channels, tl_depth_to_space(in[0], 2, true))
OP(space_to_depth, tl_space_to_depth(in[0], 3))
OP(slice_back, tl_slice(in[0], TL_INTS(3, 0), TL_INTS(-1, 5), TL_INTS(-2, 2)))
OP(take, tl_take(in[0], in[1], 1, TL_INDEX_CHECK))
OP(gather_elements, tl_gather_elements(in[0], in[1], -1, TL_INDEX_CHECK))
OP(scatter_elements, tl_scatter_elements(in[0], in[1], in[2], 1, TL_REDUCE_ADD, TL_INDEX_CHECK))
OP(scatter_elements_product, tl_scatter_elements(in[0], in[1], in[2], 0, TL_REDUCE_MUL, TL_INDEX_CHECK))
OP(gather_lines, tl_gather_elements(in[0], in[1], 1, TL_INDEX_CHECK))
OP(scatter_lines, tl_scatter_elements(in[0], in[1], in[2], 0, TL_REDUCE_ADD, TL_INDEX_CHECK))
OP(gather_nd, tl_gather_nd(in[0], in[1], 1, TL_INDEX_CHECK))
OP(scatter_nd, tl_scatter_nd(in[0], in[1], in[2], TL_REDUCE_ADD, TL_INDEX_CHECK))
OP(one_of, tl_one_of(in[0], 4, 1, in[1], in[2]))
OP(reverse_sequence, tl_reverse_sequence(in[0], in[1], 1, 0))
OP(place_flat, tl_place_flat(in[0], in[1], TL_SHAPE(3, 4)))
OP(least_k, tl_least_k(in[0], 2, 1).values)
OP(cumsum_before, tl_cumsum_before(in[0], 1, true))
OP(convolution_transpose, tl_convolution_transpose(in[0], in[1],
                                                   (tl_convolution_transpose_opts){.stride = TL_INTS(2),
                                                                                   .low = TL_INTS(1),
                                                                                   .high = TL_INTS(-1),
                                                                                   .dilation = TL_INTS(2),
                                                                                   .groups = 2}))
OP(resize_nearest, resized(in[0], TL_RESIZE_NEAREST, TL_RESIZE_HALF_PIXEL))
OP(resize_linear, resized(in[0], TL_RESIZE_LINEAR, TL_RESIZE_ALIGN_CORNERS))
OP(resize_cubic, resized(in[0], TL_RESIZE_CUBIC, TL_RESIZE_HALF_PIXEL))
OP(resize_crop, resized(in[0], TL_RESIZE_LINEAR, TL_RESIZE_CROP))
OP(sample_nearest, sampled(in, TL_RESIZE_NEAREST, TL_SAMPLE_ZEROS, false))
OP(sample_linear, sampled(in, TL_RESIZE_LINEAR, TL_SAMPLE_ZEROS, false))
OP(sample_linear_edge, sampled(in, TL_RESIZE_LINEAR, TL_SAMPLE_EDGE, true))
OP(sample_linear_mirror, sampled(in, TL_RESIZE_LINEAR, TL_SAMPLE_MIRROR, false))
OP(sample_linear_mirror_corners, sampled(in, TL_RESIZE_LINEAR, TL_SAMPLE_MIRROR, true))
OP(sample_cubic, sampled(in, TL_RESIZE_CUBIC, TL_SAMPLE_ZEROS, true))
OP(sample_cubic_mirror, sampled(in, TL_RESIZE_CUBIC, TL_SAMPLE_MIRROR, false))
OP(dequantize, quantized_scale(in))
OP(rnn, both(tl_rnn(in[0], in[1], weights(in), false)))
OP(gru, both(tl_gru(in[0], in[1], weights(in), false, false)))
OP(gru_reset_after, both(tl_gru(in[0], in[1], weights(in), false, true)))
OP(lstm, both(tl_lstm(in[0], in[1], tl_sin(in[1]), weights(in), false)))
OP(lstm_peephole, both(tl_lstm_peephole(in[0], in[1], zeros_like(in[1]), weights(in), in[5], false)))

#define RECURRENT(gates) S(4, 2, 3), S(2, 2), S(gates * 2, 3), S(gates * 2, 2), S(2, gates * 2)
#define ROW(name, ...) {#name, do_##name, (int)(sizeof((input[]){__VA_ARGS__}) / sizeof(input)), {__VA_ARGS__}},
static const row rows[] = {
    ROW(power, S(3, 4), S(4)) ROW(sum_of_list, S(3, 4), S(4), S(3, 1)) ROW(product_of_list, S(3, 4), S(4), S(3, 1))
        ROW(most_of_list, S(3, 4), S(4), S(3, 1)) ROW(mean_list, S(3, 4), S(4)) ROW(sum_square, S(3, 4))
            ROW(log_sum, S(3, 4)) ROW(standardize, S(3, 4)) ROW(inverse_deviation, S(3, 4)) ROW(hardmax, S(3, 4))
                ROW(gemm, S(4, 3), S(2, 4), S(2)) ROW(depth_to_space, S(2, 8, 2, 3)) ROW(
                    depth_to_space_channels, S(2, 8, 2, 3)) ROW(space_to_depth, S(1, 2, 3, 6)) ROW(slice_back, S(4, 6))
                    ROW(take, S(3, 4), INDICES(4, true, 2, 3)) ROW(gather_elements, S(3, 4), INDICES(4, true, 2, 5))
                        ROW(scatter_elements, S(3, 4), INDICES(4, true, 2, 5),
                            S(2, 5)) ROW(scatter_elements_product, S(3, 4), INDICES(3, true, 4, 3),
                                         S(4, 3)) ROW(gather_lines, S(3, 4), INDICES(4, true, 3, 2))
                            ROW(scatter_lines, S(3, 4), INDICES(3, true, 5, 4), S(5, 4)) ROW(gather_nd, S(2, 3, 4),
                                                                                             INDICES(3, true, 2, 5, 2))
                                ROW(scatter_nd, S(3, 3, 4), INDICES(3, true, 5, 2),
                                    S(5, 4)) ROW(one_of, INDICES(4, true, 2, 3), SCALAR,
                                                 SCALAR) ROW(reverse_sequence, S(3, 4), INDICES(5, false, 3))
                                    ROW(place_flat, S(2, 2), INDICES(12, false, 2, 2)) ROW(least_k, S(3, 4)) ROW(
                                        cumsum_before, S(3, 4)) ROW(convolution_transpose, S(1, 4, 5), S(4, 2, 3))
                                        ROW(resize_nearest, S(1, 2, 4, 5)) ROW(resize_linear, S(1, 2, 4, 5))
                                            ROW(resize_cubic, S(1, 2, 4, 5)) ROW(resize_crop, S(1, 2, 4, 5))
                                                ROW(sample_nearest, S(1, 2, 4, 5),
                                                    S(1, 3, 2, 2)) ROW(sample_linear, S(1, 2, 4, 5), S(1, 3, 2, 2))
                                                    ROW(sample_linear_edge, S(1, 2, 4, 5), S(1, 3, 2, 2))
                                                        ROW(sample_linear_mirror, S(1, 2, 4, 5), S(1, 3, 2, 2)) ROW(
                                                            sample_linear_mirror_corners, S(1, 2, 4, 5), S(1, 3, 2, 2))
                                                            ROW(sample_cubic, S(1, 2, 4, 5), S(1, 3, 2, 2))
                                                                ROW(sample_cubic_mirror, S(1, 2, 4, 5), S(1, 3, 2, 2))
                                                                    ROW(dequantize, SCALAR, INDICES(9, true, 4))
                                                                        ROW(rnn, RECURRENT(1)) ROW(gru, RECURRENT(3))
                                                                            ROW(gru_reset_after, RECURRENT(3))
                                                                                ROW(lstm, RECURRENT(4))
                                                                                    ROW(lstm_peephole, RECURRENT(4),
                                                                                        S(3, 2))};

/* ---- inputs ---- */

static uint64_t drawn;
/* Each op has draws of its own, whatever the others are. */
static void begin(const row *r) {
  drawn = 1;
  for (const char *c = r->name; *c; c++) {
    drawn = drawn * 31 + (unsigned char)*c;
  }
}
/* From -1 to 1, in steps that no two draws share. */
static double draw(void) {
  drawn = drawn * 6364136223846793005u + 1442695040888963407u;
  return (double)(drawn >> 11) * 0x1p-52 - 1;
}

/* In F32's numbers, so that what is given in F64 and F32 is one. */
static tl_tensor make(const input *in) {
  double x[128];
  int64_t count = 1;
  for (int i = 0; i < in->shape.rank; i++) {
    count *= in->shape.dim[i];
  }
  for (int64_t i = 0; i < count; i++) {
    double low = in->from_behind ? -(double)in->below : 0, span = (double)in->below - low;
    x[i] = in->below ? low + floor((draw() + 1) / 2 * span) : (double)(float)(1.5 * draw());
  }
  tl_tensor out = tl_from(TL_F64, in->shape, x);
  return in->below ? tl_cast(out, TL_I64) : out;
}

/* No two of these are one, or what is placed there depends on the order of equal ones. */
static tl_tensor make_distinct(const input *in) {
  int64_t x[] = {7, 0, 11, 4};
  return tl_from(TL_I64, in->shape, x);
}

/* ---- checks ---- */

static bool say(const row *r, const char *what, double off, double size) {
  printf("%s: %s is off by %g of %g\n", r->name, what, off, size);
  return false;
}

static bool is_near(const row *r, const char *what, tl_tensor got, tl_tensor want, double relative) {
  tl_shape a = tl_shape_of(got), b = tl_shape_of(want);
  if (tl_status_of(got) != TL_OK || tl_status_of(want) != TL_OK) {
    printf("%s: %s: %s%s\n", r->name, what, tl_message_of(got), tl_message_of(want));
    return false;
  }
  if (a.rank != b.rank || memcmp(a.dim, b.dim, (size_t)a.rank * sizeof *a.dim) != 0) {
    printf("%s: %s has another shape\n", r->name, what);
    return false;
  }
  tl_tensor x = tl_cast(got, TL_F64), y = tl_cast(want, TL_F64);
  double off = tl_item(tl_max(tl_fabs(tl_sub(x, y)), TL_ALL, false)), size = tl_item(tl_max(tl_fabs(y), TL_ALL, false));
  return off <= relative * (size + 1e-300) || say(r, what, off, size);
}

static void run_row(void *ctx, const tl_tensor in[], tl_tensor out[]) { *out = ((const row *)ctx)->run(in); }

static bool capture(const row *r, const tl_tensor in[], tl_graph **out) {
  tl_spec specs[MOST_INPUTS] = {0};
  for (int i = 0; i < r->count; i++) {
    specs[i] = (tl_spec){tl_dtype_of(in[i]), tl_shape_of(in[i]), NULL};
  }
  return tl_capture("op", run_row, (void *)(uintptr_t)r, (size_t)r->count, specs, 1, out) == TL_OK;
}

static bool run_graph(tl_engine *engine, const row *r, const tl_graph *graph, const tl_tensor in[], tl_tensor out[]) {
  tl_program *program = NULL;
  bool ok = tl_engine_prepare(engine, graph, NULL, &program) == TL_OK && tl_program_run(program, in, out) == TL_OK;
  if (!ok) {
    printf("%s: %s\n", r->name, tl_last_message());
  }
  tl_program_close(program);
  return ok;
}

static double dot(tl_tensor x, tl_tensor y) { return tl_item(tl_sum(tl_mul(x, y), TL_ALL, false)); }

/* <seed, f(x + t d)> by t at 0, by differences of the fourth order. */
static double difference(const row *r, const tl_tensor in[], const tl_tensor along[], tl_tensor seed) {
  static const double steps[] = {-2, -1, 1, 2}, parts[] = {1, -8, 8, -1};
  double h = 1e-4, sum = 0;
  for (int k = 0; k < 4; k++) {
    tl_tensor moved[MOST_INPUTS];
    for (int i = 0; i < r->count; i++) {
      moved[i] = along[i] ? tl_add(in[i], tl_mul(along[i], tl_scalar_like(in[i], steps[k] * h))) : in[i];
    }
    sum += parts[k] * dot(seed, r->run(moved));
  }
  return sum / (12 * h);
}

static bool check_cotangents(tl_engine *engine, const row *r, const tl_graph *graph, const tl_tensor in[],
                             tl_tensor value) {
  size_t wrt[MOST_INPUTS], count = 0;
  tl_tensor along[MOST_INPUTS] = {0}, args[MOST_INPUTS + 1], got[MOST_INPUTS + 1] = {0};
  for (int i = 0; i < r->count; i++) {
    args[i] = in[i];
    if (!r->in[i].below) {
      wrt[count++] = (size_t)i;
      along[i] = make(&r->in[i]);
    }
  }
  const input like = {.shape = tl_shape_of(value)};
  tl_tensor seed = args[r->count] = make(&like);
  tl_graph *vjp = NULL;
  bool ok = tl_graph_vjp(graph, count, wrt, true, &vjp) == TL_OK;
  if (!ok) {
    printf("%s: %s\n", r->name, tl_last_message());
  }
  ok = ok && run_graph(engine, r, vjp, args, got) && is_near(r, "the value of a program", got[0], value, 1e-15);
  double sum = 0, size = 0;
  for (size_t k = 0; ok && k < count; k++) {
    double d = dot(got[1 + k], along[wrt[k]]);
    sum += d;
    size += fabs(d);
  }
  double want = difference(r, in, along, seed);
  if (ok && !(fabs(sum - want) <= 1e-8 * (1 + size))) {
    ok = say(r, "the cotangent along a direction", sum - want, want);
  }
  for (size_t k = 0; k <= count; k++) {
    tl_release(got[k]);
  }
  tl_graph_release(vjp);
  return ok;
}

static tl_tensor front(tl_tensor x) {
  tl_shape shape = tl_shape_of(x);
  memmove(shape.dim + 1, shape.dim, (size_t)shape.rank * sizeof *shape.dim);
  shape.rank++;
  shape.dim[0] = 1;
  return tl_reshape(x, shape);
}
static tl_tensor stack(tl_tensor x, tl_tensor y) { return tl_concat(front(x), front(y), 0); }

static bool check_batch(tl_engine *engine, const row *r, const tl_graph *graph, const tl_tensor in[], tl_tensor value) {
  tl_tensor other[MOST_INPUTS], args[MOST_INPUTS], got = NULL;
  bool batched[MOST_INPUTS];
  for (int i = 0; i < r->count; i++) {
    other[i] = r->in[i].below ? in[i] : make(&r->in[i]);
    args[i] = stack(in[i], other[i]);
    batched[i] = true;
  }
  tl_graph *batch = NULL;
  bool ok = tl_graph_vmap(graph, batched, &batch) == TL_OK;
  if (!ok) {
    printf("%s: %s\n", r->name, tl_last_message());
  }
  ok = ok && run_graph(engine, r, batch, args, &got) && is_near(r, "a batch", got, stack(value, r->run(other)), 1e-14);
  tl_release(got);
  tl_graph_release(batch);
  return ok;
}

/* Of what is narrower each op, or the whole, is rounded once. */
static bool check_narrow(const row *r, const tl_tensor in[], tl_dtype dtype, double relative) {
  tl_tensor narrow[MOST_INPUTS], wide[MOST_INPUTS];
  for (int i = 0; i < r->count; i++) {
    narrow[i] = r->in[i].below ? in[i] : tl_cast(in[i], dtype);
    wide[i] = r->in[i].below ? in[i] : tl_cast(narrow[i], TL_F64);
  }
  tl_tensor got = r->run(narrow);
  if (tl_dtype_of(got) != dtype) {
    printf("%s: another dtype than %d: %s\n", r->name, (int)dtype, tl_message_of(got));
    return false;
  }
  return is_near(r, dtype == TL_F32 ? "in F32" : "in F16", got, r->run(wide), relative);
}

static bool check(tl_engine *engine, const row *r) {
  tl_tensor in[MOST_INPUTS];
  begin(r);
  for (int i = 0; i < r->count; i++) {
    in[i] = r->in[i].below == 12 ? make_distinct(&r->in[i]) : make(&r->in[i]);
  }
  tl_tensor value = r->run(in);
  tl_graph *graph = NULL;
  bool ok = capture(r, in, &graph);
  if (!ok) {
    printf("%s: %s\n", r->name, tl_last_message());
  }
  ok = ok && check_cotangents(engine, r, graph, in, value);
  ok = ok && check_batch(engine, r, graph, in, value);
  ok = ok && check_narrow(r, in, TL_F32, 1e-5) && check_narrow(r, in, TL_F16, 1e-2);
  tl_graph_release(graph);
  return ok;
}

int main(void) {
  tl_engine *engine = NULL;
  if (tl_engine_open("interpreter", NULL, &engine) != TL_OK) {
    return 2;
  }
  int failed = 0, count = sizeof rows / sizeof *rows;
  for (int i = 0; i < count; i++) {
    tl_scope scope = tl_scope_open();
    failed += !check(engine, &rows[i]);
    tl_scope_close(scope);
  }
  tl_engine_close(engine);
  printf("%d passed, %d failed\n", count - failed, failed);
  return failed > 0;
}
