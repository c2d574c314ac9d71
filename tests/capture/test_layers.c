/* Layers, and the cotangents of their inputs, against PyTorch's values: at once and by an engine, in F64 and F32; and a
 * batch of each. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tlaloc/capture.h>
#include <tlaloc/engine.h>
#include <tlaloc/tensor.h>

#include "sweep/tolerance.h"

enum { MOST_INPUTS = 5, MOST_OUTPUTS = 3, MOST_NUMBERS = 20 };

typedef void layer_fn(const int64_t *n, const tl_tensor in[], tl_tensor out[]);

typedef struct layer {
  layer_fn *run;
  char op[32];
  int64_t n[MOST_NUMBERS];
  int inputs, outputs;
  bool is_float[MOST_INPUTS]; /* an input, which has a cotangent */
  int bars;
  tl_tensor in[MOST_INPUTS], out[MOST_OUTPUTS], seed[MOST_OUTPUTS], bar[MOST_INPUTS];
} layer;

/* ---- the layers ---- */

static tl_conv2d_opts conv_opts(const int64_t *n) {
  return (tl_conv2d_opts){{n[0], n[1]}, {n[2], n[3]}, {n[4], n[5]}, n[6], {n[7], n[8]}};
}
static void conv2d(const int64_t *n, const tl_tensor in[], tl_tensor out[]) {
  *out = tl_conv2d(in[0], in[1], conv_opts(n));
}
static void conv2d_transpose(const int64_t *n, const tl_tensor in[], tl_tensor out[]) {
  *out = tl_conv2d_transpose(in[0], in[1], conv_opts(n));
}

static tl_ints next_ints(int count, const int64_t **n) {
  tl_ints out = {.rank = count};
  bool is_given = false;
  for (int i = 0; i < count; i++) {
    out.dim[i] = *(*n)++;
    is_given = is_given || out.dim[i];
  }
  return is_given ? out : (tl_ints){.rank = 0};
}
static tl_pool_opts pool_opts(const int64_t *n) {
  int count = (int)*n++;
  tl_pool_opts o = {.window = next_ints(count, &n)};
  o.stride = next_ints(count, &n);
  o.padding = next_ints(count, &n);
  o.dilation = next_ints(count, &n);
  o.ceil_mode = n[0] != 0;
  o.without_padding = n[1] != 0;
  return o;
}
static void max_pool(const int64_t *n, const tl_tensor in[], tl_tensor out[]) {
  *out = tl_max_pool(in[0], pool_opts(n));
}
static void avg_pool(const int64_t *n, const tl_tensor in[], tl_tensor out[]) {
  *out = tl_avg_pool(in[0], pool_opts(n));
}

#define CUMULATIVE(name)                                                                                               \
  static void name(const int64_t *n, const tl_tensor in[], tl_tensor out[]) {                                          \
    *out = tl_##name(in[0], (int)n[0], n[1] != 0);                                                                     \
  }
CUMULATIVE(cumsum)
CUMULATIVE(cumprod)
CUMULATIVE(cummax)
CUMULATIVE(cummin)

/* Numbers: training, 10^9 epsilon, 10^3 momentum. */
static void batch_norm(const int64_t *n, const tl_tensor in[], tl_tensor out[]) {
  tl_batch_norm_opts o = {.training = n[0] != 0, .epsilon = (double)n[1] / 1e9, .momentum = (double)n[2] / 1e3};
  tl_batch_norm_result r = tl_batch_norm(in[0], in[1], in[2], in[3], in[4], o);
  out[0] = r.values;
  out[1] = r.mean;
  out[2] = r.variance;
}
static void embedding(const int64_t *n, const tl_tensor in[], tl_tensor out[]) {
  *out = tl_embedding(in[0], in[1], (tl_embedding_opts){.has_padding = n[0] != 0, .padding = n[1]});
}
static void embedding_bag(const int64_t *n, const tl_tensor in[], tl_tensor out[]) {
  tl_embedding_bag_opts o = {.has_padding = n[0] != 0, .padding = n[1], .reduction = (tl_bag_reduction)n[2]};
  *out = tl_embedding_bag(in[0], in[1], in[2], o);
}
static void coo_matmul(const int64_t *n, const tl_tensor in[], tl_tensor out[]) {
  *out = tl_coo_matmul(in[0], in[1], in[2], in[3], n[0], TL_INDEX_CHECK);
}
static void csr_matmul(const int64_t *n, const tl_tensor in[], tl_tensor out[]) {
  (void)n;
  *out = tl_csr_matmul(in[0], in[1], in[2], in[3], TL_INDEX_CHECK);
}
static void log_softmax(const int64_t *n, const tl_tensor in[], tl_tensor out[]) {
  *out = tl_log_softmax(in[0], (int)n[0]);
}
static void distillation_loss(const int64_t *n, const tl_tensor in[], tl_tensor out[]) {
  *out = tl_distillation_loss(in[0], in[1], tl_scalar_like(in[0], (double)n[1]), (int)n[0]);
}

static const struct {
  const char *name;
  layer_fn *run;
} layers[] = {{"conv2d", conv2d},
              {"conv2d_transpose", conv2d_transpose},
              {"max_pool", max_pool},
              {"avg_pool", avg_pool},
              {"cumsum", cumsum},
              {"cumprod", cumprod},
              {"cummax", cummax},
              {"cummin", cummin},
              {"batch_norm", batch_norm},
              {"embedding", embedding},
              {"embedding_bag", embedding_bag},
              {"coo_matmul", coo_matmul},
              {"csr_matmul", csr_matmul},
              {"log_softmax", log_softmax},
              {"distillation_loss", distillation_loss}};

/* ---- comparing ---- */

static const struct {
  double atol, rtol;
} tolerances[] = {
#define TOLERANCE(name, atol, rtol, reason) {atol, rtol},
    SWEEP_TOLERANCE_MAP(TOLERANCE)};

/* Relative to the largest element. */
static bool is_near(const layer *l, const char *what, tl_dtype dtype, tl_tensor got, tl_tensor want) {
  tl_shape a = tl_shape_of(got), b = tl_shape_of(want);
  bool is_derivative = !strcmp(what, "cotangent");
  sweep_tolerance row = dtype == TL_F64 ? SWEEP_GOLDEN : is_derivative ? SWEEP_F32_DERIVATIVE : SWEEP_F32;
  if (tl_status_of(got) != TL_OK || a.rank != b.rank || memcmp(a.dim, b.dim, (size_t)a.rank * sizeof *a.dim) ||
      tl_dtype_of(got) != dtype) {
    printf("%s in %s: %s: %s\n", l->op, dtype == TL_F64 ? "F64" : "F32", what,
           tl_status_of(got) == TL_OK ? "another shape or dtype" : tl_message_of(got));
    return false;
  }
  double off = tl_item(tl_max(tl_fabs(tl_sub(tl_cast(got, TL_F64), want)), TL_ALL, false));
  double size = tl_item(tl_max(tl_fabs(want), TL_ALL, false));
  if (!(off <= tolerances[row].atol + tolerances[row].rtol * size)) {
    printf("%s in %s: %s: off by %g of %g\n", l->op, dtype == TL_F64 ? "F64" : "F32", what, off, size);
    return false;
  }
  return true;
}

static tl_tensor as_dtype(tl_tensor x, tl_dtype dtype) { return tl_dtype_of(x) == TL_F64 ? tl_cast(x, dtype) : x; }

static void run_layer(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  const layer *l = ctx;
  l->run(l->n, in, out);
}

static bool check_eager(layer *l, tl_dtype dtype) {
  tl_tensor in[MOST_INPUTS], out[MOST_OUTPUTS];
  for (int i = 0; i < l->inputs; i++) {
    in[i] = as_dtype(l->in[i], dtype);
  }
  l->run(l->n, in, out);
  bool ok = true;
  for (int i = 0; i < l->outputs; i++) {
    ok = is_near(l, "eager", dtype, out[i], l->out[i]) && ok;
  }
  return ok;
}

static bool capture(layer *l, tl_dtype dtype, tl_graph **out_graph) {
  tl_spec specs[MOST_INPUTS] = {0};
  for (int i = 0; i < l->inputs; i++) {
    specs[i] = (tl_spec){l->is_float[i] ? dtype : TL_I64, tl_shape_of(l->in[i]), NULL};
  }
  return tl_capture("layer", run_layer, l, (size_t)l->inputs, specs, (size_t)l->outputs, out_graph) == TL_OK;
}

/* The values and the cotangents of a program. */
static bool check_captured(tl_engine *engine, layer *l, tl_dtype dtype) {
  tl_graph *graph = NULL, *vjp = NULL;
  tl_program *program = NULL;
  tl_tensor got[MOST_OUTPUTS + MOST_INPUTS] = {0}, args[MOST_INPUTS + MOST_OUTPUTS];
  size_t wrt[MOST_INPUTS], wrt_count = 0;
  for (int i = 0; i < l->inputs; i++) {
    args[i] = as_dtype(l->in[i], dtype);
    if (l->is_float[i]) {
      wrt[wrt_count++] = (size_t)i;
    }
  }
  for (int i = 0; i < l->outputs; i++) {
    args[l->inputs + i] = as_dtype(l->seed[i], dtype);
  }
  bool ok = true;
  if (!capture(l, dtype, &graph) || tl_graph_vjp(graph, wrt_count, wrt, true, &vjp) != TL_OK ||
      tl_engine_prepare(engine, vjp, NULL, &program) != TL_OK || tl_program_run(program, args, got) != TL_OK) {
    printf("%s: %s\n", l->op, tl_last_message());
    ok = false;
  } else {
    for (int i = 0; i < l->outputs; i++) {
      ok = is_near(l, "captured", dtype, got[i], l->out[i]) && ok;
    }
    for (int i = 0; i < l->bars; i++) {
      ok = is_near(l, "cotangent", dtype, got[l->outputs + i], l->bar[i]) && ok;
    }
  }
  for (int i = 0; i < l->outputs + l->bars; i++) {
    tl_release(got[i]);
  }
  tl_program_close(program);
  tl_graph_release(vjp);
  tl_graph_release(graph);
  return ok;
}

static tl_tensor with_front(tl_tensor x) {
  tl_shape shape = tl_shape_of(x);
  memmove(shape.dim + 1, shape.dim, (size_t)shape.rank * sizeof *shape.dim);
  shape.rank++;
  shape.dim[0] = 1;
  return tl_reshape(x, shape);
}
static tl_tensor both(tl_tensor x, tl_tensor y) { return tl_concat(with_front(x), with_front(y), 0); }

/* A batch of two: the inputs, and the floating ones halved. */
static bool check_batch(tl_engine *engine, layer *l) {
  tl_graph *graph = NULL, *batch = NULL;
  tl_program *program = NULL;
  tl_tensor second[MOST_INPUTS], args[MOST_INPUTS], got[MOST_OUTPUTS] = {0}, other[MOST_OUTPUTS];
  bool batched[MOST_INPUTS];
  for (int i = 0; i < l->inputs; i++) {
    second[i] = l->is_float[i] ? tl_mul(l->in[i], tl_scalar_like(l->in[i], 0.5)) : l->in[i];
    args[i] = both(l->in[i], second[i]);
    batched[i] = true;
  }
  l->run(l->n, second, other);
  bool ok = true;
  if (!capture(l, TL_F64, &graph) || tl_graph_vmap(graph, batched, &batch) != TL_OK ||
      tl_engine_prepare(engine, batch, NULL, &program) != TL_OK || tl_program_run(program, args, got) != TL_OK) {
    printf("%s: %s\n", l->op, tl_last_message());
    ok = false;
  }
  for (int i = 0; ok && i < l->outputs; i++) {
    ok = is_near(l, "batch", TL_F64, got[i], both(l->out[i], other[i]));
  }
  for (int i = 0; i < l->outputs; i++) {
    tl_release(got[i]);
  }
  tl_program_close(program);
  tl_graph_release(batch);
  tl_graph_release(graph);
  return ok;
}

/* A pool of extents that are known when the program runs. */
static bool check_open(tl_engine *engine, layer *l) {
  tl_spec spec = {TL_F64, tl_shape_of(l->in[0]), NULL};
  for (int i = 0; i < spec.shape.rank; i++) {
    spec.shape.dim[i] = TL_SYM(i);
  }
  tl_graph *graph = NULL;
  tl_program *program = NULL;
  tl_tensor got = NULL;
  tl_status status = tl_capture("layer", run_layer, l, 1, &spec, 1, &graph);
  bool is_refused = pool_opts(l->n).ceil_mode;
  bool ok = status == (is_refused ? TL_TRACED_TENSOR : TL_OK);
  if (!ok) {
    printf("%s of open extents: %s\n", l->op, tl_last_message());
  } else if (!is_refused) {
    ok = tl_engine_prepare(engine, graph, NULL, &program) == TL_OK && tl_program_run(program, l->in, &got) == TL_OK &&
         is_near(l, "open", TL_F64, got, l->out[0]);
    tl_release(got);
  }
  tl_program_close(program);
  tl_graph_release(graph);
  return ok;
}

static bool check(tl_engine *engine, layer *l) {
  bool is_pool = l->run == max_pool || l->run == avg_pool;
  static const tl_dtype dtypes[] = {TL_F64, TL_F32};
  bool ok = true;
  for (int i = 0; i < 2; i++) {
    ok = check_eager(l, dtypes[i]) && ok;
    ok = check_captured(engine, l, dtypes[i]) && ok;
  }
  ok = check_batch(engine, l) && ok;
  return (!is_pool || check_open(engine, l)) && ok;
}

/* ---- the file ---- */

/* A line of the file: the tensor behind its first word; NULL where it is none. */
static tl_tensor read_tensor(char *line, tl_dtype dtype) {
  tl_shape shape = {.rank = (int)strtol(line, &line, 10)};
  int64_t count = 1;
  for (int i = 0; i < shape.rank && i < TL_MAX_RANK; i++) {
    shape.dim[i] = strtoll(line, &line, 10);
    count *= shape.dim[i];
  }
  double *x = malloc((size_t)(count ? count : 1) * sizeof *x);
  for (int64_t i = 0; x && i < count; i++) {
    x[i] = strtod(line, &line);
  }
  tl_tensor out = x ? tl_cast(tl_from(TL_F64, shape, x), dtype) : NULL;
  free(x);
  return out;
}

static bool read_case(char *line, layer *l) {
  int at = 0;
  *l = (layer){0};
  if (sscanf(line, "case %31s%n", l->op, &at) != 1) {
    return false;
  }
  char *rest = line + at;
  for (int i = 0; i < MOST_NUMBERS; i++) {
    l->n[i] = strtoll(rest, &rest, 10);
  }
  for (size_t i = 0; i < sizeof layers / sizeof *layers; i++) {
    l->run = strcmp(l->op, layers[i].name) == 0 ? layers[i].run : l->run;
  }
  return l->run != NULL;
}

/* Where the tensor of a line belongs, by its first word. */
static tl_tensor *place_of(layer *l, const char *line, int *seeds) {
  bool is_float = !strncmp(line, "in ", 3);
  if ((is_float || !strncmp(line, "ids ", 4)) && l->inputs < MOST_INPUTS) {
    l->is_float[l->inputs] = is_float;
    return &l->in[l->inputs++];
  }
  if (!strncmp(line, "out ", 4) && l->outputs < MOST_OUTPUTS) {
    return &l->out[l->outputs++];
  }
  if (!strncmp(line, "seed ", 5) && *seeds < MOST_OUTPUTS) {
    return &l->seed[(*seeds)++];
  }
  return !strncmp(line, "bar ", 4) && l->bars < MOST_INPUTS ? &l->bar[l->bars++] : NULL;
}

int main(int argc, char **argv) {
  FILE *f = argc == 2 ? fopen(argv[1], "r") : NULL;
  tl_engine *engine = NULL;
  if (!f || tl_engine_open("interpreter", NULL, &engine) != TL_OK) {
    fprintf(stderr, "usage: test_layers CASES\n");
    return 2;
  }
  char *line = NULL;
  size_t room = 0;
  int cases = 0, faults = 0, seeds = 0;
  layer l = {0};
  tl_scope scope = tl_scope_open();
  for (bool more = true; more;) {
    more = getline(&line, &room, f) > 0;
    if (more && strncmp(line, "case ", 5) != 0) {
      tl_tensor *to = place_of(&l, line, &seeds);
      faults += !to;
      if (to) {
        *to = read_tensor(strchr(line, ' ') + 1, strncmp(line, "ids ", 4) ? TL_F64 : TL_I64);
      }
      continue;
    }
    faults += l.run && !check(engine, &l);
    tl_scope_close(scope);
    scope = tl_scope_open();
    seeds = 0;
    if (more && !read_case(line, &l)) {
      printf("no such layer: %s", line);
      faults++;
    }
    cases += more;
  }
  tl_scope_close(scope);
  free(line);
  fclose(f);
  tl_engine_close(engine);
  printf("%d cases, %d faults\n", cases, faults);
  return cases < 240 || faults;
}
