#include "check.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const char *gen_verdict_name(gen_verdict v) {
  static const char *const names[] = {
#define GEN_VERDICT_NAME(name, text) #name,
      GEN_VERDICT_MAP(GEN_VERDICT_NAME)
#undef GEN_VERDICT_NAME
  };
  return names[v];
}

__attribute__((format(printf, 3, 4))) static bool fail(const gen_target *t, gen_verdict v, const char *format, ...) {
  va_list args;
  va_start(args, format);
  t->outcome->verdict = v;
  vsnprintf(t->outcome->message, sizeof t->outcome->message, format, args);
  va_end(args);
  return false;
}

/* Where a flat input or output lies: "a3[#] element 2". */
static const char *place(const gen_program *p, bool outs, int at) {
  static char text[160];
  const gen_leaf *leaves = outs ? p->out_leaves : p->in_leaves;
  for (int i = 0; i < (outs ? p->out_leaf_count : p->in_leaf_count); i++) {
    if (at >= leaves[i].at && at < leaves[i].at + leaves[i].count) {
      snprintf(text, sizeof text, "%s%s element %d", leaves[i].param < 0 ? "value" : p->params[leaves[i].param].name,
               leaves[i].path, at - leaves[i].at);
    }
  }
  return text;
}

/* But for the sign of a zero, which the rules of simplification do not keep. */
static bool same_bits(double a, double b) {
  return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b)) || (a == 0 && b == 0);
}

/* --- fourth-order differences --- */

/* Along `direction`, of each output: the derivative, and how far the step's half disagrees. That is infinite where the
 * output has none: at a kink, where the slopes to both sides differ as much for half the step, and at a jump, where the
 * primal in double, whose outputs are `primal`, is on another side than in long double. */
static void differentiate(const gen_program *p, gen_reference_fn *f, const double *primal, const double *direction,
                          long double *out, long double *doubt) {
  static const long double weights[] = {1.0L / 12, -8.0L / 12, 8.0L / 12, -1.0L / 12};
  static const int steps[] = {-2, -1, 1, 2};
  long double in[GEN_MAX_FLAT], values[GEN_MAX_FLAT], center[GEN_MAX_FLAT];
  long double derivative[2][GEN_MAX_FLAT] = {{0}}, bend[2][GEN_MAX_FLAT] = {{0}};
  for (int j = 0; j < p->in_count; j++) {
    in[j] = p->in[j];
  }
  f(in, center);
  for (int round = 0; round < 2; round++) {
    long double h = round ? 5e-5L : 1e-4L;
    for (int s = 0; s < 4; s++) {
      for (int j = 0; j < p->in_count; j++) {
        in[j] = p->in[j] + steps[s] * h * direction[j];
      }
      f(in, values);
      for (int k = 0; k < p->out_count; k++) {
        derivative[round][k] += weights[s] * values[k] / h;
        bend[round][k] += steps[s] == 1 || steps[s] == -1 ? (values[k] - center[k]) / h : 0;
      }
    }
  }
  for (int k = 0; k < p->out_count; k++) {
    out[k] = derivative[1][k];
    doubt[k] = fabsl(derivative[0][k] - derivative[1][k]);
    long double first = fabsl(bend[0][k]), half = fabsl(bend[1][k]);
    bool is_kink = half > 0.75L * first && half > 1e-6L * fabsl(out[k]) + 1e-9L;
    /* (int)x, trunc(x) where x is a whole number but for rounding: the primal and its reference went different ways. */
    bool is_jump = !(fabsl(center[k] - primal[k]) <= (p->has_float ? 1e-4L : 1e-12L) * fmaxl(1, fabsl(center[k])));
    if (is_kink || is_jump) {
      doubt[k] = INFINITY;
    }
  }
}

/* Differences are trusted where both steps agree. A difference of the steps that the tolerance does not cover widens
 * it; beyond a thousandth of the scale the entry says nothing. */
static bool agrees(const gen_program *p, gen_outcome *o, double got, long double want, long double doubt,
                   long double scale) {
  o->entries++;
  long double size = fmaxl(fabsl(want), scale);
  if (!(doubt <= 1e-3L * size)) {
    o->untrusted++;
    return true;
  }
  long double tolerance = p->has_float ? 4e-3L * size : 1e-8L * fabsl(want) + 1e-9L * scale;
  return fabsl(got - want) <= tolerance + 20 * doubt;
}

static long double largest(const long double *v, int count) {
  long double m = 1e-3L;
  for (int i = 0; i < count; i++) {
    m = fabsl(v[i]) > m && isfinite((double)v[i]) ? fabsl(v[i]) : m;
  }
  return m;
}

/* --- the checks --- */

static bool check_value(const gen_program *p, const gen_target *t, double *out) {
  if (!t->primal(t->ctx, p->in, out)) {
    return false;
  }
  if (t->plain) {
    double want[GEN_MAX_FLAT];
    t->plain(p->in, want);
    for (int k = 0; k < p->out_count; k++) {
      if (!same_bits(out[k], want[k])) {
        return fail(t, GEN_VALUE, "%s: %a, expected %a", place(p, true, k), out[k], want[k]);
      }
    }
  }
  return true;
}

static bool check_unchanged(const gen_program *p, const gen_target *t, const double *primal, const double *out,
                            const char *what) {
  for (int k = 0; k < p->out_count; k++) {
    double near = (p->has_float ? 1e-5 : 1e-12) * fmax(1, fabs(primal[k]));
    if (!same_bits(primal[k], out[k]) && (t->exact || !(fabs(primal[k] - out[k]) <= near))) {
      return fail(t, GEN_PRIMAL, "%s: %s: %a, the primal gives %a", what, place(p, true, k), out[k], primal[k]);
    }
  }
  return true;
}

typedef struct differences {
  long double by_input[GEN_MAX_FLAT][GEN_MAX_FLAT], doubt[GEN_MAX_FLAT][GEN_MAX_FLAT]; /* [input][output] */
} differences;

static bool check_reverse(const gen_program *p, const gen_target *t, const differences *d, const double *bar) {
  long double want[GEN_MAX_FLAT], doubt[GEN_MAX_FLAT];
  for (int j = 0; j < p->in_count; j++) {
    want[j] = doubt[j] = 0;
    for (int k = 0; k < p->out_count; k++) {
      want[j] += p->seeds[k] * d->by_input[j][k];
      doubt[j] += fabs(p->seeds[k]) * d->doubt[j][k];
    }
  }
  long double scale = largest(want, p->in_count);
  for (int j = 0; j < p->in_count; j++) {
    if (!agrees(p, t->outcome, bar[j], want[j], doubt[j], scale)) {
      return fail(t, GEN_GRADIENT, "%s: %.17g, differences give %.17Lg (doubt %.2Lg, largest %.3Lg)",
                  place(p, false, j), bar[j], want[j], doubt[j], scale);
    }
  }
  return true;
}

static bool check_forward(const gen_program *p, const gen_target *t, const differences *d, const double *out_dot) {
  long double want[GEN_MAX_FLAT], doubt[GEN_MAX_FLAT];
  for (int k = 0; k < p->out_count; k++) {
    want[k] = doubt[k] = 0;
    for (int j = 0; j < p->in_count; j++) {
      want[k] += p->dot[j] * d->by_input[j][k];
      doubt[k] += fabs(p->dot[j]) * d->doubt[j][k];
    }
  }
  long double scale = largest(want, p->out_count);
  for (int k = 0; k < p->out_count; k++) {
    if (!agrees(p, t->outcome, out_dot[k], want[k], doubt[k], scale)) {
      return fail(t, GEN_TANGENT, "%s: %.17g, differences give %.17Lg (doubt %.2Lg)", place(p, true, k), out_dot[k],
                  want[k], doubt[k]);
    }
  }
  return true;
}

static bool dual(const gen_program *p, const double *bar, const double *dot, const double *out_dot, double *a,
                 double *b) {
  double size = p->has_float ? 1e-4 : 1e-6; /* what cancels leaves noise */
  *a = *b = 0;
  for (int k = 0; k < p->out_count; k++) {
    *a += p->seeds[k] * out_dot[k];
    size += fabs(p->seeds[k] * out_dot[k]);
  }
  for (int j = 0; j < p->in_count; j++) {
    *b += bar[j] * dot[j];
    size += fabs(bar[j] * dot[j]);
  }
  double largest_bar = 0;
  for (int j = 0; j < p->in_count; j++) {
    largest_bar = fmax(largest_bar, fabs(bar[j]));
  }
  return fabs(*a - *b) <= (p->has_float ? 2e-3 : 1e-10) * (size + largest_bar) || (isnan(*a) && isnan(*b)) ||
         (isinf(*a) && *a == *b);
}

static bool check_duality(const gen_program *p, const gen_target *t, const double *bar, const double *out_dot) {
  double a, b;
  if (!dual(p, bar, p->dot, out_dot, &a, &b)) {
    return fail(t, GEN_DUALITY, "seeds times tangents: %.17g, cotangents times directions: %.17g", a, b);
  }
  int step = p->in_count > 6 ? p->in_count / 6 : 1;
  for (int j = 0; j < p->in_count; j += step) {
    double dot[GEN_MAX_FLAT] = {0}, out[GEN_MAX_FLAT] = {0}, dots[GEN_MAX_FLAT] = {0};
    dot[j] = 1;
    if (!t->jvp(t->ctx, p->in, dot, out, dots)) {
      return false;
    }
    if (!dual(p, bar, dot, dots, &a, &b)) {
      return fail(t, GEN_UNIT, "%s: forward %.17g, reverse %.17g", place(p, false, j), a, b);
    }
  }
  return true;
}

/* --- the other intrinsics --- */

static const gen_program *order_program;
static bool order_outs;

/* The indices of an element along its path, fields included. */
static int path_key(const gen_leaf *l, int k, int key[16]) {
  int index[3] = {0}, rest = k, n = 0, at = 0;
  for (int r = l->rank - 1; r >= 0; r--) {
    index[r] = rest % l->extents[r];
    rest /= l->extents[r];
  }
  for (const char *c = l->path; *c; c++) {
    if (*c == 'm') {
      key[n++] = c[1] - '0';
    } else if (*c == '#') {
      key[n++] = index[at++];
    }
  }
  return n;
}

static int by_memory(const void *a, const void *b) {
  int keys[2][16], count[2];
  const gen_leaf *leaves = order_outs ? order_program->out_leaves : order_program->in_leaves;
  int n = order_outs ? order_program->out_leaf_count : order_program->in_leaf_count;
  for (int w = 0; w < 2; w++) {
    int at = *(const int *)(w ? b : a);
    for (int i = 0; i < n; i++) {
      if (at >= leaves[i].at && at < leaves[i].at + leaves[i].count) {
        count[w] = path_key(&leaves[i], at - leaves[i].at, keys[w]);
      }
    }
  }
  for (int i = 0; i < count[0] && i < count[1]; i++) {
    if (keys[0][i] != keys[1][i]) {
      return keys[0][i] < keys[1][i] ? -1 : 1;
    }
  }
  return 0;
}

/* The flat indices of a parameter's (-1: the value's) floating members as C orders them. */
static int memory_order(const gen_program *p, int param, bool outs, int *order) {
  const gen_leaf *leaves = outs ? p->out_leaves : p->in_leaves;
  int count = 0;
  for (int i = 0; i < (outs ? p->out_leaf_count : p->in_leaf_count); i++) {
    for (int k = 0; leaves[i].param == param && k < leaves[i].count; k++) {
      order[count++] = leaves[i].at + k;
    }
  }
  order_program = p;
  order_outs = outs;
  qsort(order, (size_t)count, sizeof *order, by_memory);
  return count;
}

static bool check_grad(const gen_program *p, const gen_target *t, const double *grad) {
  double seeds[GEN_MAX_FLAT] = {0}, out[GEN_MAX_FLAT] = {0}, bar[GEN_MAX_FLAT] = {0}, scale = 1e-3;
  seeds[0] = 1;
  if (!t->vjp(t->ctx, p->in, seeds, out, bar)) {
    return false;
  }
  for (int j = 0; j < p->in_count; j++) {
    scale = fmax(scale, fabs(bar[j]));
  }
  for (int j = 0; j < p->in_count; j++) {
    if (!(fabs(grad[j] - bar[j]) <= (p->has_float ? 1e-3 : 1e-10) * scale)) {
      return fail(t, GEN_GRAD, "%s: %.17g, reverse gives %.17g", place(p, false, j), grad[j], bar[j]);
    }
  }
  return true;
}

static bool check_jacobian(const gen_program *p, const gen_target *t, const differences *d, const double *j) {
  int columns[GEN_MAX_FLAT], column_count = memory_order(p, p->extra_wrt, false, columns), at = 0;
  for (int i = -1; i < p->param_count; i++) {
    if (i >= 0 && p->params[i].role == GEN_INPUT) {
      continue;
    }
    int rows[GEN_MAX_FLAT], row_count = memory_order(p, i, true, rows);
    for (int r = 0; r < row_count; r++) {
      long double scale = 1e-3L;
      for (int c = 0; c < column_count; c++) {
        scale = fmaxl(scale, fabsl(d->by_input[columns[c]][rows[r]]));
      }
      for (int c = 0; c < column_count; c++, at++) {
        long double want = d->by_input[columns[c]][rows[r]];
        if (!agrees(p, t->outcome, j[at], want, d->doubt[columns[c]][rows[r]], scale)) {
          char row[160];
          snprintf(row, sizeof row, "%s", place(p, true, rows[r]));
          return fail(t, GEN_JACOBIAN, "%s by %s: %.17g, differences give %.17Lg", row, place(p, false, columns[c]),
                      j[at], want);
        }
      }
    }
  }
  return true;
}

/* Column c against fourth-order differences of the reverse gradient of the returned value. */
static bool check_hessian(const gen_program *p, const gen_target *t, const double *h) {
  int order[GEN_MAX_FLAT], n = memory_order(p, p->extra_wrt, false, order);
  static const double weights[] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
  static const int steps[] = {-2, -1, 1, 2};
  double seeds[GEN_MAX_FLAT] = {0};
  seeds[0] = 1;
  for (int c = 0; c < n; c++) {
    double rows[2][GEN_MAX_FLAT] = {{0}};
    for (int round = 0; round < 2; round++) {
      double step = round ? 5e-4 : 1e-3;
      for (int s = 0; s < 4; s++) {
        double in[GEN_MAX_FLAT], out[GEN_MAX_FLAT] = {0}, bar[GEN_MAX_FLAT] = {0};
        memcpy(in, p->in, sizeof in);
        in[order[c]] += steps[s] * step;
        if (!t->vjp(t->ctx, in, seeds, out, bar)) {
          return false;
        }
        for (int r = 0; r < n; r++) {
          rows[round][r] += weights[s] * bar[order[r]] / step;
        }
      }
    }
    double scale = 1e-2;
    for (int r = 0; r < n; r++) {
      scale = fmax(scale, fabs(rows[1][r]));
    }
    for (int r = 0; r < n; r++) {
      double doubt = fabs(rows[0][r] - rows[1][r]), got = h[r * n + c];
      t->outcome->entries++;
      if (!(doubt <= 1e-4 * scale)) {
        t->outcome->untrusted++;
      } else if (!(fabs(got - rows[1][r]) <= 1e-7 * scale + 20 * doubt)) {
        return fail(t, GEN_HESSIAN, "row %d column %d: %.17g, differences give %.17g (doubt %.2g)", r, c, got,
                    rows[1][r], doubt);
      }
    }
  }
  return true;
}

/* --- two results --- */

static bool compare(const double *a, const double *b, int count, bool exact, double tolerance, int *at) {
  double scale = 1e-3;
  for (int i = 0; i < count; i++) {
    scale = fmax(scale, fabs(a[i]));
  }
  for (*at = 0; *at < count; ++*at) {
    if (!same_bits(a[*at], b[*at]) && (exact || !(fabs(a[*at] - b[*at]) <= tolerance * scale))) {
      return false;
    }
  }
  return true;
}

/* Each example is the program's inputs and seeds by another factor. */
static bool check_batch(const gen_program *p, const gen_target *t) {
  double in[GEN_EXAMPLES * GEN_MAX_FLAT], seeds[GEN_EXAMPLES * GEN_MAX_FLAT];
  double out[GEN_EXAMPLES * GEN_MAX_FLAT] = {0}, bar[GEN_EXAMPLES * GEN_MAX_FLAT] = {0};
  bool derives = p->batched != GEN_BATCHED_VALUES;
  for (int e = 0; e < GEN_EXAMPLES; e++) {
    for (int j = 0; j < p->in_count; j++) {
      in[e * p->in_count + j] = p->in[j] * (1 - e / 8.0);
    }
    for (int k = 0; k < p->out_count; k++) {
      seeds[e * p->out_count + k] = p->seeds[k] * (1 + e);
    }
  }
  if (!t->batch(t->ctx, in, seeds, out, bar)) {
    return false;
  }
  for (int e = 0; e < GEN_EXAMPLES; e++) {
    const double *x = in + e * p->in_count, *y = out + e * p->out_count, *x_bar = bar + e * p->in_count;
    double want[GEN_MAX_FLAT] = {0}, want_bar[GEN_MAX_FLAT] = {0};
    int at;
    if (!(derives ? t->vjp(t->ctx, x, seeds + e * p->out_count, want, want_bar) : t->primal(t->ctx, x, want))) {
      return false;
    }
    if (!compare(want, y, p->out_count, t->exact, p->has_float ? 1e-5 : 1e-12, &at)) {
      return fail(t, GEN_BATCH, "example %d: %s: %a, alone %a", e, place(p, true, at), y[at], want[at]);
    }
    if (derives && !compare(want_bar, x_bar, p->in_count, false, p->has_float ? 1e-5 : 1e-13, &at)) {
      return fail(t, GEN_BATCH, "example %d: cotangent of %s: %a, alone %a", e, place(p, false, at), x_bar[at],
                  want_bar[at]);
    }
  }
  return true;
}

void gen_check(const gen_program *p, const gen_target *t, gen_record *record) {
  double out[GEN_MAX_FLAT] = {0};
  memset(record, 0, sizeof *record);
  *t->outcome = (gen_outcome){0};
  if (!check_value(p, t, record->out)) {
    return;
  }
  differences *d = malloc(sizeof *d);
  for (int j = 0; j < p->in_count; j++) {
    double direction[GEN_MAX_FLAT] = {0};
    direction[j] = 1;
    differentiate(p, t->reference, record->out, direction, d->by_input[j], d->doubt[j]);
  }
  bool good = t->vjp(t->ctx, p->in, p->seeds, out, record->bar) && check_unchanged(p, t, record->out, out, "vjp") &&
              check_reverse(p, t, d, record->bar);
  good = good && t->jvp(t->ctx, p->in, p->dot, out, record->out_dot);
  if (good && p->jvp_has_value) {
    good = check_unchanged(p, t, record->out, out, "value_and_jvp");
  }
  good = good && check_forward(p, t, d, record->out_dot) && check_duality(p, t, record->bar, record->out_dot);
  if (good && p->extra != GEN_EXTRA_NONE) {
    good = t->extra(t->ctx, p->in, record->extra);
    switch (p->extra) {
    case GEN_EXTRA_NONE:
      break;
    case GEN_EXTRA_GRAD:
      good = good && check_grad(p, t, record->extra);
      break;
    case GEN_EXTRA_JACOBIAN:
    case GEN_EXTRA_JACOBIAN_REVERSE:
      good = good && check_jacobian(p, t, d, record->extra);
      break;
    case GEN_EXTRA_HESSIAN:
      good = good && check_hessian(p, t, record->extra);
      break;
    }
  }
  good = good && (!p->batched || !t->batch || check_batch(p, t));
  record->is_set = good;
  free(d);
}

/* --- two targets --- */

void gen_compare(const gen_program *p, const gen_record *a, const gen_record *b, bool exact, gen_outcome *o) {
  const struct {
    const char *what;
    const double *a, *b;
    int count;
  } parts[] = {{"value", a->out, b->out, p->out_count},
               {"cotangent", a->bar, b->bar, p->in_count},
               {"tangent", a->out_dot, b->out_dot, p->out_count},
               {"matrix", a->extra, b->extra, gen_extra_count(p)}};
  for (int i = 0; i < 4; i++) {
    int at;
    if (!compare(parts[i].a, parts[i].b, parts[i].count, exact, p->has_float ? 1e-4 : 1e-11, &at)) {
      o->verdict = GEN_BITS;
      snprintf(o->message, sizeof o->message, "%s %d: interpreted %a, compiled %a", parts[i].what, at, parts[i].a[at],
               parts[i].b[at]);
      return;
    }
  }
}
