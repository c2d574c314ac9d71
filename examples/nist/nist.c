/* Fits regression problems in CSV files of NIST's form (model.h) with derivatives by tlalocc, and tells how many of the
 * certified digits each fit has.
 *
 *   nist_demo [--svg FILE] [--svg-set NAME] [--keep DIR] [--parameters] FILE.csv ...
 *
 * Each model line becomes C, which tlalocc (TLALOCC, else build/bin/tlalocc) compiles into a shared object. The table
 * has, for each start, the digits of the worst parameter and of the residual sum of squares, the steps taken, and
 * whether MINPACK's lmder converges from there with the same Jacobian; a fit counts where it does. A file without
 * certified values has no digits, and its fits do not count: there lmder is compared with the fit. Where no fit is had
 * from a start, the row says NO FIT, and why stands on standard error. Exit status 0: all that count have 10 digits,
 * and there is a fit from every start. */
#define _POSIX_C_SOURCE 200809L
#include "fit.h"
#include "model.h"
#include "svg.h"

#include <cminpack.h>
#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef NIST_INCLUDE
#define NIST_INCLUDE "include"
#endif

enum { DIGITS = 10, LMDER_DIGITS = 4 };

extern char **environ;

typedef struct {
  const char *svg, *svg_set, *folder;
  int parameters; /* whether the fitted ones are printed */
  int heading;    /* whether it is printed, as it is before the first row */
  int counted, good, refused, unfitted;
} session;

typedef struct {
  const model_problem *problem;
  const model_table *table;
} model_context;

static void evaluate(const void *context, size_t p, const double *b, size_t n, double *r, double *jacobian) {
  const model_context *c = context;
  const double *const *column = (const double *const *)c->problem->column;
  if (jacobian) {
    c->table->jacobian(p, b, n, column, r, jacobian);
  } else {
    c->table->residuals(p, b, n, column, r);
  }
}

/* MINPACK asks for residuals (iflag 1) or the Jacobian by columns (iflag 2). */
static int evaluate_lmder(void *context, int m, int n, const double *b, double *r, double *jacobian, int leading,
                          int iflag) {
  size_t p = (size_t)n, rows = (size_t)m;
  if (iflag == 1) {
    evaluate(context, p, b, rows, r, NULL);
    return 0;
  }
  double *by_rows = malloc(rows * p * sizeof *by_rows), *unused = malloc(rows * sizeof *unused);
  if (by_rows == NULL || unused == NULL) {
    free(by_rows);
    free(unused);
    return -1;
  }
  evaluate(context, p, b, rows, unused, by_rows);
  for (size_t i = 0; i < rows; i++) {
    for (size_t j = 0; j < p; j++) {
      jacobian[j * (size_t)leading + i] = by_rows[i * p + j];
    }
  }
  free(unused);
  free(by_rows);
  return 0;
}

/* The correct digits of a value: -log10 of its relative error, at most 11, as many as are certified. */
static double digits(double value, double certified) {
  double error = fabs(value - certified) / fabs(certified);
  return error > 0 ? fmin(11, fmax(0, -log10(error))) : isnan(error) ? 0 : 11;
}

static double worst_digits(const model_problem *problem, const double *b, const double *wanted) {
  double worst = 11;
  for (size_t j = 0; j < problem->parameters; j++) {
    worst = fmin(worst, digits(b[j], wanted[j]));
  }
  return worst;
}

/* Whether lmder, at its tightest tolerances, ends at the wanted parameters. */
static int lmder_converges(model_context *context, const double *start, const double *wanted) {
  const model_problem *problem = context->problem;
  size_t p = problem->parameters, n = problem->rows;
  double *memory = malloc((7 * p + 2 * n + n * p) * sizeof *memory);
  int *pivot = malloc(p * sizeof *pivot);
  int evaluations = 0, jacobians = 0, converges = 0;
  if (memory && pivot) {
    double *b = memory, *diag = b + p, *qtf = diag + p, *wa1 = qtf + p, *wa2 = wa1 + p, *wa3 = wa2 + p, *r = wa3 + p,
           *wa4 = r + n, *jacobian = wa4 + n;
    memcpy(b, start, p * sizeof *b);
    int info = lmder(evaluate_lmder, context, (int)n, (int)p, b, r, jacobian, (int)n, 1e-15, 1e-15, 0, 20000, diag, 1,
                     100, 0, &evaluations, &jacobians, pivot, qtf, wa1, wa2, wa3, wa4);
    converges = info >= 1 && info != 5 && worst_digits(problem, b, wanted) >= LMDER_DIGITS;
  }
  free(pivot);
  free(memory);
  return converges;
}

static int compile(const char *source, const char *object) {
  const char *compiler = getenv("TLALOCC"), *include = getenv("TLALOC_INCLUDE");
  char flag[1024];
  pid_t child;
  int status;
  if (compiler == NULL) {
    compiler = access("build/bin/tlalocc", X_OK) == 0 ? "build/bin/tlalocc" : "tlalocc";
  }
  snprintf(flag, sizeof flag, "-I%s", include ? include : NIST_INCLUDE);
  char *arguments[] = {(char *)compiler, "-O2",          "-fPIC", "-shared", flag, "-o",
                       (char *)object,   (char *)source, "-lm",   NULL};
  int error = posix_spawnp(&child, compiler, NULL, NULL, arguments, environ);
  if (error != 0) {
    fprintf(stderr, "%s: %s\n", compiler, strerror(error));
    return -1;
  }
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) {
      perror("waitpid");
      return -1;
    }
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -1;
}

/* Writes, compiles and loads the model. */
static void *load_model(const session *s, const model_problem *problem, const model_table **out_table) {
  char source[512], object[512];
  snprintf(source, sizeof source, "%s/%s.c", s->folder, problem->name);
  snprintf(object, sizeof object, "%s/%s.so", s->folder, problem->name);
  FILE *out = fopen(source, "w");
  if (out == NULL) {
    perror(source);
    return NULL;
  }
  int status = model_write_c(problem, out);
  if (fclose(out) != 0 || status != 0 || compile(source, object) != 0) {
    return NULL;
  }
  void *library = dlopen(object, RTLD_NOW | RTLD_LOCAL);
  *out_table = library ? dlsym(library, "nist_model") : NULL;
  if (*out_table == NULL) {
    fprintf(stderr, "%s\n", dlerror());
  }
  return library;
}

/* The first column that the equation's right side can be drawn over: the only one besides the response. */
static int draw(const session *s, model_context *context, const double *b) {
  enum { STEPS = 600 };
  const model_problem *problem = context->problem;
  double low = INFINITY, high = -INFINITY, *x = malloc(2 * STEPS * sizeof *x), *y = x + STEPS;
  if (x == NULL || problem->columns != 2) {
    fprintf(stderr, "%s: only a problem with one predictor can be drawn\n", problem->path);
    free(x);
    return -1;
  }
  for (size_t i = 0; i < problem->rows; i++) {
    low = fmin(low, problem->column[1][i]);
    high = fmax(high, problem->column[1][i]);
  }
  for (size_t i = 0; i < STEPS; i++) {
    x[i] = low + (high - low) * (double)i / (STEPS - 1);
  }
  const double *const column[2] = {NULL, x};
  context->table->curve(problem->parameters, b, STEPS, column, y);
  int status = svg_write(s->svg, problem->title, problem->column_name[1], problem->column_name[0], problem->rows,
                         problem->column[1], problem->column[0], STEPS, x, y);
  free(x);
  return status;
}

static void print_digits(double digits, bool are_known) {
  if (are_known) {
    printf("%6.2f ", digits);
  } else {
    printf("%6s ", "-");
  }
}

/* Returns whether b is a fit. */
static bool fit_from(session *s, model_context *context, int start, double *b) {
  const model_problem *problem = context->problem;
  size_t p = problem->parameters;
  double from[MODEL_PARAMETERS], certified[MODEL_PARAMETERS];
  fit_result result;
  for (size_t j = 0; j < p; j++) {
    from[j] = b[j] = problem->parameter[j].start[start];
    certified[j] = problem->parameter[j].certified;
  }
  if (fit_run(evaluate, context, p, b, problem->rows, &result) != 0) {
    fprintf(stderr, "%s: out of memory\n", problem->path);
    s->refused++;
    return false;
  }
  bool is_fit = result.outcome == FIT_CONVERGED;
  if (!is_fit) {
    fprintf(stderr, "%s: start %d: %s\n", problem->path, start + 1, fit_outcome_text(result.outcome));
    s->unfitted++;
  }
  bool is_certified = !isnan(certified[0]);
  int converges = lmder_converges(context, from, is_certified ? certified : b), counts = is_certified && converges;
  double worst = worst_digits(problem, b, certified);
  s->counted += counts;
  s->good += counts && is_fit && worst >= DIGITS;
  printf(" | ");
  print_digits(worst, is_fit && is_certified);
  print_digits(digits(result.rss, problem->certified_rss), is_fit && !isnan(problem->certified_rss));
  printf("%6zu  %-3s %-9s", result.iterations + result.polish,
         !is_fit && !is_certified ? "-"
         : converges              ? "yes"
                                  : "no",
         !is_fit           ? "NO FIT"
         : !counts         ? "(no count)"
         : worst >= DIGITS ? ""
                           : "TOO FEW");
  return is_fit;
}

static void print_parameters(const model_problem *problem, int start, bool is_fit, const double *b) {
  printf("           start %d:", start);
  if (!is_fit) {
    printf(" no fit\n");
    return;
  }
  for (size_t j = 0; j < problem->parameters; j++) {
    printf(" %s = %.11g", problem->parameter[j].name, b[j]);
  }
  printf("\n");
}

static void print_heading(session *s) {
  if (s->heading) {
    return;
  }
  s->heading = 1;
  printf(
      "Certified digits of the worst parameter and of the residual sum of squares (RSS), steps, and whether MINPACK's\n"
      "lmder converges from the same start; a fit counts where it does.\n\n"
      "%-10s %2s %4s | %6s %6s %6s  %-13s | %6s %6s %6s  %-13s\n",
      "", "", "", "", "start", "1", "", "", "start", "2", "");
  printf("%-10s %2s %4s | %6s %6s %6s  %-13s | %6s %6s %6s  %-13s\n", "set", "p", "n", "params", "RSS", "steps",
         "lmder", "params", "RSS", "steps", "lmder");
}

static void run_problem(session *s, const char *path) {
  model_problem problem;
  const model_table *table;
  double b[2][MODEL_PARAMETERS];
  if (model_problem_read(path, &problem) != 0) {
    s->refused++;
    return;
  }
  void *library = load_model(s, &problem, &table);
  if (library == NULL || table == NULL) {
    s->refused++;
  } else {
    model_context context = {&problem, table};
    bool is_fit[2];
    print_heading(s);
    printf("%-10s %2zu %4zu", problem.name, problem.parameters, problem.rows);
    for (int start = 0; start < 2; start++) {
      is_fit[start] = fit_from(s, &context, start, b[start]);
    }
    printf("\n");
    for (int start = 0; start < 2 && s->parameters; start++) {
      print_parameters(&problem, start + 1, is_fit[start], b[start]);
    }
    fflush(stdout);
    if (s->svg && strcmp(s->svg_set ? s->svg_set : problem.name, problem.name) == 0) {
      if (is_fit[1] && draw(s, &context, b[1]) == 0) {
        printf("           drawn: %s\n", s->svg);
      } else {
        s->refused++;
      }
      s->svg = NULL;
    }
  }
  if (library) {
    dlclose(library);
  }
  model_problem_deinit(&problem);
}

static void print_summary(const session *s) {
  printf("\n%d of the %d fits that count have at least %d certified digits", s->good, s->counted, DIGITS);
  if (s->unfitted) {
    printf("; from %d start%s there is no fit", s->unfitted, s->unfitted == 1 ? "" : "s");
  }
  if (s->refused) {
    printf("; %d file%s failed", s->refused, s->refused == 1 ? "" : "s");
  }
  printf("\n");
}

static void remove_files(const session *s, int count, char **paths) {
  char path[512];
  for (int i = 0; i < count; i++) {
    const char *base = strrchr(paths[i], '/') ? strrchr(paths[i], '/') + 1 : paths[i];
    for (int k = 0; k < 2; k++) {
      size_t length = strcspn(base, ".");
      length = length < MODEL_NAME ? length : MODEL_NAME - 1; /* as a problem is called by it */
      snprintf(path, sizeof path, "%s/%.*s%s", s->folder, (int)length, base, k ? ".so" : ".c");
      unlink(path);
    }
  }
  rmdir(s->folder);
}

int main(int argc, char **argv) {
  session s = {0};
  char folder[] = "/tmp/nist_demo_XXXXXX";
  int first = 1;
  for (; first + 1 < argc && strncmp(argv[first], "--", 2) == 0; first += 2) {
    if (strcmp(argv[first], "--parameters") == 0) {
      s.parameters = 1;
      first--;
    } else if (strcmp(argv[first], "--svg") == 0) {
      s.svg = argv[first + 1];
    } else if (strcmp(argv[first], "--svg-set") == 0) {
      s.svg_set = argv[first + 1];
    } else if (strcmp(argv[first], "--keep") == 0) {
      s.folder = argv[first + 1];
    } else {
      break;
    }
  }
  if (first >= argc || strncmp(argv[first], "--", 2) == 0) {
    fprintf(stderr, "usage: %s [--svg FILE] [--svg-set NAME] [--keep DIR] [--parameters] FILE.csv ...\n", argv[0]);
    return 2;
  }
  int keep = s.folder != NULL;
  if (!keep && (s.folder = mkdtemp(folder)) == NULL) {
    perror(folder);
    return 1;
  }
  for (int i = first; i < argc; i++) {
    run_problem(&s, argv[i]);
  }
  if (s.heading) {
    print_summary(&s);
  }
  if (!keep) {
    remove_files(&s, argc - first, argv + first);
  }
  return s.good == s.counted && s.refused == 0 && s.unfitted == 0 ? 0 : 1;
}
