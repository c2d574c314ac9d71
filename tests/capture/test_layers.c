/* Convolutions, pools and cumulative ops, and the cotangents of their inputs, against PyTorch's values: eager and by an
 * engine. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tlaloc/capture.h>
#include <tlaloc/engine.h>
#include <tlaloc/tensor.h>

enum { MOST_INPUTS = 2, MOST_NUMBERS = 9 };

typedef struct layer {
  char op[32];
  int64_t n[MOST_NUMBERS];
} layer;

typedef enum layer_kind { CONV, CONV_TRANSPOSE, MAX_POOL, AVG_POOL, CUMULATIVE } layer_kind;
static const struct {
  const char *name;
  layer_kind kind;
  tl_tensor (*cumulative)(tl_tensor, int, bool);
} layers[] = {{"conv2d", CONV, NULL},
              {"conv2d_transpose", CONV_TRANSPOSE, NULL},
              {"max_pool2d", MAX_POOL, NULL},
              {"avg_pool2d", AVG_POOL, NULL},
              {"cumsum", CUMULATIVE, tl_cumsum},
              {"cumprod", CUMULATIVE, tl_cumprod},
              {"cummax", CUMULATIVE, tl_cummax},
              {"cummin", CUMULATIVE, tl_cummin}};

static void run_layer(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  const layer *l = ctx;
  const int64_t *n = l->n;
  for (size_t i = 0; i < sizeof layers / sizeof *layers; i++) {
    if (strcmp(l->op, layers[i].name) != 0) {
      continue;
    }
    tl_conv2d_opts conv = {{n[0], n[1]}, {n[2], n[3]}, {n[4], n[5]}, n[6], {n[7], n[8]}};
    tl_pool2d_opts pool = {{n[0], n[1]}, {n[2], n[3]}, {n[4], n[5]}, {n[6], n[7]}, n[8] != 0};
    switch (layers[i].kind) {
    case CONV:
      *out = tl_conv2d(in[0], in[1], conv);
      return;
    case CONV_TRANSPOSE:
      *out = tl_conv2d_transpose(in[0], in[1], conv);
      return;
    case MAX_POOL:
      *out = tl_max_pool2d(in[0], pool);
      return;
    case AVG_POOL:
      *out = tl_avg_pool2d(in[0], pool);
      return;
    case CUMULATIVE:
      *out = layers[i].cumulative(in[0], (int)n[0], n[1] != 0);
      return;
    }
  }
  *out = NULL;
}

/* A line of the file: the tensor behind its first word; NULL where it is none. */
static tl_tensor read_tensor(char *line) {
  tl_shape shape = {.rank = (int)strtol(line, &line, 10)};
  int64_t count = 1;
  for (int i = 0; i < shape.rank && i < TL_MAX_RANK; i++) {
    shape.dim[i] = strtoll(line, &line, 10);
    count *= shape.dim[i];
  }
  double *x = malloc((size_t)count * sizeof *x);
  for (int64_t i = 0; x && i < count; i++) {
    x[i] = strtod(line, &line);
  }
  tl_tensor out = x ? tl_from(TL_F64, shape, x) : NULL;
  free(x);
  return out;
}

/* To 1e-13 of the largest element. */
static bool is_near(const layer *l, const char *what, tl_tensor got, tl_tensor want) {
  tl_shape a = tl_shape_of(got), b = tl_shape_of(want);
  bool ok = tl_status_of(got) == TL_OK && a.rank == b.rank && !memcmp(a.dim, b.dim, (size_t)a.rank * sizeof *a.dim);
  if (!ok) {
    printf("%s: %s: %s\n", l->op, what, tl_status_of(got) == TL_OK ? "another shape" : tl_message_of(got));
    return false;
  }
  double off = tl_item(tl_max(tl_fabs(tl_sub(got, want)), TL_ALL, false));
  double size = tl_item(tl_max(tl_fabs(want), TL_ALL, false));
  if (!(off <= 1e-13 * size)) {
    printf("%s: %s: off by %g of %g\n", l->op, what, off, size);
    return false;
  }
  return true;
}

/* in[0..count), out, seed, bars. */
static bool check(tl_engine *engine, layer *l, int count, const tl_tensor t[]) {
  const tl_tensor *in = t, want = t[count], seed = t[count + 1], *bars = t + count + 2;
  tl_tensor eager;
  run_layer(l, in, &eager);
  bool ok = is_near(l, "eager", eager, want);
  tl_spec specs[MOST_INPUTS] = {0};
  for (int i = 0; i < count; i++) {
    specs[i] = (tl_spec){TL_F64, tl_shape_of(in[i]), NULL};
  }
  tl_graph *graph = NULL, *vjp = NULL;
  tl_program *program = NULL;
  tl_tensor got[1 + MOST_INPUTS] = {0}, args[MOST_INPUTS + 1] = {in[0], count == 2 ? in[1] : seed, seed};
  if (tl_capture("layer", run_layer, l, (size_t)count, specs, 1, &graph) != TL_OK ||
      tl_graph_vjp(graph, 0, NULL, true, &vjp) != TL_OK || tl_engine_prepare(engine, vjp, NULL, &program) != TL_OK ||
      tl_program_run(program, args, got) != TL_OK) {
    printf("%s: %s\n", l->op, tl_last_message());
    ok = false;
  } else {
    ok = is_near(l, "captured", got[0], want) && ok;
    for (int i = 0; i < count; i++) {
      ok = is_near(l, "cotangent", got[1 + i], bars[i]) && ok;
    }
  }
  for (int i = 0; i <= count; i++) {
    tl_release(got[i]);
  }
  tl_program_close(program);
  tl_graph_release(vjp);
  tl_graph_release(graph);
  return ok;
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
  int cases = 0, faults = 0, tensors = 0, inputs = 0;
  layer l = {0};
  tl_tensor t[2 * MOST_INPUTS + 2] = {0};
  tl_scope scope = tl_scope_open();
  while (getline(&line, &room, f) > 0) {
    if (!strncmp(line, "case ", 5)) {
      int at = 0;
      l = (layer){0};
      if (sscanf(line, "case %31s%n", l.op, &at) != 1) {
        break;
      }
      char *rest = line + at;
      for (int i = 0; i < MOST_NUMBERS; i++) {
        l.n[i] = strtoll(rest, &rest, 10);
      }
      tl_scope_close(scope);
      scope = tl_scope_open();
      tensors = inputs = 0;
      cases++;
      continue;
    }
    inputs += !strncmp(line, "in ", 3);
    t[tensors++] = read_tensor(strchr(line, ' ') + 1);
    if (inputs && tensors == 2 * inputs + 2) {
      faults += !check(engine, &l, inputs, t);
    }
  }
  tl_scope_close(scope);
  free(line);
  fclose(f);
  tl_engine_close(engine);
  printf("%d cases, %d faults\n", cases, faults);
  return cases < 100 || faults;
}
