/* Softmax, its logarithm, and the cross entropy of a student by its teacher, with their derivatives, against mpmath's
 * values: where one element outweighs the others by up to 1000, and where the student is close to its teacher. Every
 * element is exact to its own size; the naive formulas are not. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tlaloc/capture.h>
#include <tlaloc/engine.h>
#include <tlaloc/tensor.h>

enum { MOST = 16, ROWS = 8 };

typedef struct row {
  char what[16];
  int count;
  double at[MOST];
} row;

typedef struct edge {
  char op[32];
  tl_dtype dtype;
  int count;
  row rows[ROWS];
} edge;

static const row *find(const edge *e, const char *what) {
  for (int i = 0; i < e->count; i++) {
    if (!strcmp(e->rows[i].what, what)) {
      return &e->rows[i];
    }
  }
  printf("%s: no row %s\n", e->op, what);
  exit(2);
}

static tl_tensor tensor_of(const edge *e, const char *what) {
  const row *r = find(e, what);
  return tl_cast(tl_from(TL_F64, TL_SHAPE(r->count), r->at), e->dtype);
}

/* ---- the programs ---- */

static void softmax(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  (void)ctx;
  *out = tl_softmax(in[0], 0);
}
static void log_softmax(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  (void)ctx;
  *out = tl_log_softmax(in[0], 0);
}
static void distillation(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  (void)ctx;
  *out = tl_distillation_loss(in[0], in[1], tl_reshape(in[2], TL_SCALAR), 0);
}

/* What a program gives, run by the engine: tensors that the caller releases. */
static bool run(tl_engine *engine, const tl_graph *graph, const tl_tensor in[], tl_tensor out[]) {
  tl_program *program = NULL;
  bool ok = tl_engine_prepare(engine, graph, NULL, &program) == TL_OK && tl_program_run(program, in, out) == TL_OK;
  if (!ok) {
    printf("%s\n", tl_last_message());
  }
  tl_program_close(program);
  return ok;
}

/* ---- comparing ---- */

static double worst[2]; /* in F64 and F32: the largest relative error of an element */

/* Each element to its own size; below the least normal number, to that. */
static bool is_near(const edge *e, const char *what, tl_tensor got, const char *row_name) {
  const row *want = find(e, row_name);
  bool is_double = e->dtype == TL_F64;
  double x[MOST], rtol = is_double ? 2e-13 : 1e-5, atol = is_double ? DBL_MIN : FLT_MIN;
  if (tl_status_of(got) != TL_OK || tl_dtype_of(got) != e->dtype ||
      tl_read(tl_cast(got, TL_F64), x, (size_t)want->count * sizeof *x) != TL_OK) {
    printf("%s: %s: %s\n", e->op, what, tl_message_of(got));
    return false;
  }
  for (int i = 0; i < want->count; i++) {
    double off = fabs(x[i] - want->at[i]), size = fabs(want->at[i]);
    if (!(off <= atol + rtol * size)) {
      printf("%s in %s: %s: element %d is %.17g; %.17g was wanted\n", e->op, is_double ? "F64" : "F32", what, i, x[i],
             want->at[i]);
      return false;
    }
    if (size > 1e3 * atol) {
      worst[!is_double] = fmax(worst[!is_double], off / size);
    }
  }
  return true;
}

static bool check_single(tl_engine *engine, edge *e, tl_fn *f) {
  tl_spec spec = {e->dtype, TL_SHAPE(find(e, "x")->count), NULL};
  tl_tensor in[2] = {tensor_of(e, "x"), tensor_of(e, "seed")}, eager, got[2] = {0};
  tl_graph *graph = NULL, *vjp = NULL;
  f(NULL, in, &eager);
  bool ok = is_near(e, "eager", eager, "out");
  ok = tl_capture("f", f, NULL, 1, &spec, 1, &graph) == TL_OK && ok;
  ok = tl_graph_vjp(graph, 0, NULL, true, &vjp) == TL_OK && run(engine, vjp, in, got) && ok;
  ok = ok && is_near(e, "captured", got[0], "out") && is_near(e, "cotangent", got[1], "bar");
  tl_release(got[0]);
  tl_release(got[1]);
  tl_graph_release(vjp);
  tl_graph_release(graph);
  return ok;
}

static bool check_pair(tl_engine *engine, edge *e) {
  tl_shape shape = TL_SHAPE(find(e, "s")->count);
  tl_spec specs[3] = {{e->dtype, shape, NULL}, {e->dtype, shape, NULL}, {e->dtype, TL_SHAPE(1), NULL}};
  tl_tensor in[3] = {tensor_of(e, "s"), tensor_of(e, "t"), tensor_of(e, "h")}, eager, got[4] = {0};
  tl_graph *graph = NULL, *grad = NULL, *hessian = NULL;
  distillation(NULL, in, &eager);
  bool ok = is_near(e, "eager", eager, "out");
  ok = tl_capture("f", distillation, NULL, 3, specs, 1, &graph) == TL_OK && ok;
  ok = tl_graph_grad(graph, 2, (const size_t[]){0, 1}, true, &grad) == TL_OK && run(engine, grad, in, got) && ok;
  ok = tl_graph_hessian(graph, 1, (const size_t[]){0}, false, &hessian) == TL_OK && run(engine, hessian, in, got + 3) &&
       ok;
  ok = ok && is_near(e, "captured", got[0], "out") && is_near(e, "the student's gradient", got[1], "bar_s") &&
       is_near(e, "the teacher's gradient", got[2], "bar_t") && is_near(e, "the Hessian", got[3], "hessian");
  for (int i = 0; i < 4; i++) {
    tl_release(got[i]);
  }
  tl_graph_release(hessian);
  tl_graph_release(grad);
  tl_graph_release(graph);
  return ok;
}

/* The control: of a student 1e-6 from its teacher the difference of two softmaxes has lost some digits in F32, the
 * gradient has not. */
static bool check_control(const edge *e) {
  tl_tensor s = tensor_of(e, "s"), t = tensor_of(e, "t");
  const row *want = find(e, "bar_s");
  double naive[MOST], off = 0, size = 0;
  tl_read(tl_cast(tl_sub(tl_softmax(s, 0), tl_softmax(t, 0)), TL_F64), naive, (size_t)want->count * sizeof *naive);
  for (int i = 0; i < want->count; i++) {
    off = fmax(off, fabs(naive[i] - want->at[i]));
    size = fmax(size, fabs(want->at[i]));
  }
  bool is_close = size < 1e-6 && size > FLT_MIN, ok = !is_close || off > 1e-3 * size;
  if (!ok) {
    printf("the difference of two softmaxes is off by %g of %g only\n", off, size);
  }
  return ok;
}

static bool check(tl_engine *engine, edge *e) {
  if (!strcmp(e->op, "softmax") || !strcmp(e->op, "log_softmax")) {
    return check_single(engine, e, !strcmp(e->op, "softmax") ? softmax : log_softmax);
  }
  return check_pair(engine, e);
}

/* ---- lines that need no reference ---- */

static bool has(tl_tensor x, int count, const double *want) {
  double got[MOST];
  bool ok = tl_read(x, got, (size_t)count * sizeof *got) == TL_OK;
  for (int i = 0; ok && i < count; i++) {
    ok = got[i] == want[i] || (isnan(got[i]) && isnan(want[i]));
  }
  if (!ok) {
    printf("%s", tl_message_of(x));
    tl_print(stdout, x);
  }
  return ok;
}

static bool check_infinities(void) {
  tl_tensor h = tl_fill(TL_F64, TL_SHAPE(1), 1);
  /* What is masked in both adds nothing. */
  double s[] = {-INFINITY, 0, 0}, t[] = {-INFINITY, 0, -INFINITY};
  tl_tensor student = tl_from(TL_F64, TL_SHAPE(3), s), teacher = tl_from(TL_F64, TL_SHAPE(3), t);
  bool ok = has(tl_softmax_difference(student, teacher, h, 0), 3, (const double[]){0, -0.5, 0.5});
  ok = has(tl_softmax_difference(teacher, student, h, 0), 3, (const double[]){0, 0.5, -0.5}) && ok;
  ok = has(tl_soft_cross_entropy(student, teacher, h, 0), 1, (const double[]){log1p(1)}) && ok;
  ok = has(tl_soft_cross_entropy(teacher, student, h, 0), 1, (const double[]){INFINITY}) && ok;
  ok = has(tl_softmax_difference(student, student, h, 0), 3, (const double[]){0, 0, 0}) && ok;
  /* As in JAX: of an infinity NaN. */
  double infinite[] = {INFINITY, 0};
  ok = has(tl_log_softmax(tl_from(TL_F64, TL_SHAPE(2), infinite), 0), 2, (const double[]){NAN, -INFINITY}) && ok;
  double masked[] = {-INFINITY, 2};
  ok = has(tl_log_softmax(tl_from(TL_F64, TL_SHAPE(2), masked), 0), 2, (const double[]){-INFINITY, 0}) && ok;
  double nothing[] = {-INFINITY, -INFINITY}, number[] = {NAN, 1};
  ok = has(tl_log_softmax(tl_from(TL_F64, TL_SHAPE(2), nothing), 0), 2, (const double[]){NAN, NAN}) && ok;
  ok = has(tl_softmax_difference(tl_from(TL_F64, TL_SHAPE(2), number), tl_from(TL_F64, TL_SHAPE(2), masked), h, 0), 2,
           (const double[]){NAN, NAN}) &&
       ok;
  return ok;
}

/* ---- the file ---- */

static bool read_row(char *line, edge *e) {
  if (e->count == ROWS) {
    return false;
  }
  row *r = &e->rows[e->count++];
  int at = 0;
  *r = (row){.count = 0};
  if (sscanf(line, "%15s%n", r->what, &at) != 1) {
    return false;
  }
  char *rest = line + at, *end;
  for (double v; r->count < MOST && (v = strtod(rest, &end), end != rest); rest = end) {
    r->at[r->count++] = v;
  }
  return true;
}

int main(int argc, char **argv) {
  FILE *f = argc == 2 ? fopen(argv[1], "r") : NULL;
  tl_engine *engine = NULL;
  if (!f || tl_engine_open("interpreter", NULL, &engine) != TL_OK) {
    fprintf(stderr, "usage: test_softmax_edges CASES\n");
    return 2;
  }
  static edge e;
  char *line = NULL, dtype[8];
  size_t room = 0;
  int cases = 0, controls = 0;
  int faults = !check_infinities();
  for (bool more = true; more;) {
    more = getline(&line, &room, f) > 0;
    if (more && strncmp(line, "case ", 5) != 0) {
      faults += !read_row(line, &e);
      continue;
    }
    if (e.count) {
      tl_scope scope = tl_scope_open();
      faults += !check(engine, &e);
      if (!strcmp(e.op, "distillation") && e.dtype == TL_F32 && find(&e, "h")->at[0] == 1) {
        faults += !check_control(&e);
        controls++;
      }
      tl_scope_close(scope);
    }
    e = (edge){.count = 0};
    if (more) {
      faults += sscanf(line, "case %31s %7s", e.op, dtype) != 2;
      e.dtype = !strcmp(dtype, "f32") ? TL_F32 : TL_F64;
      cases++;
    }
  }
  free(line);
  fclose(f);
  tl_engine_close(engine);
  printf("%d cases, %d controls, %d faults; an element is off by at most %.1e of itself in F64, %.1e in F32\n", cases,
         controls, faults, worst[0], worst[1]);
  return cases < 180 || controls < 4 || faults;
}
