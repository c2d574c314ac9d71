#include "fit.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The state of a fit. Matrices are row-major; r_factor is the p by p triangle of J with its columns in the order
   `pivot`, and qtr the first p entries of Q' r. */
typedef struct {
  size_t p, n;
  double *b, *trial, *residual, *trial_residual, *jacobian;
  double *r_factor, *qtr, *scale, *step, *damped, *image, *work;
  size_t *pivot;
} workspace;

/* NaN where an entry is: fmax alone would pass over it, and nothing but NaN would have the norm 0. */
static double norm(size_t n, const double *x) {
  double largest = 0, sum = 0;
  for (size_t i = 0; i < n; i++) {
    if (isnan(x[i])) {
      return NAN;
    }
    largest = fmax(largest, fabs(x[i]));
  }
  if (largest == 0 || !isfinite(largest)) {
    return largest;
  }
  for (size_t i = 0; i < n; i++) {
    double part = x[i] / largest;
    sum += part * part;
  }
  return largest * sqrt(sum);
}

/* The column of a (rows by cols) from `first` down to its norm by a reflection, applied to the columns after it and, if
   it is there, to x. */
static double reflect(size_t rows, size_t cols, double *a, size_t first, double *x) {
  double *column = a + first * cols + first;
  double length = 0, sum = 0;
  for (size_t i = 0; i < rows - first; i++) {
    length = hypot(length, column[i * cols]);
  }
  if (length == 0) {
    return 0;
  }
  if (column[0] > 0) {
    length = -length;
  }
  double pivot = column[0] - length;
  for (size_t c = 1; c < cols - first; c++) {
    sum = 0;
    for (size_t i = 0; i < rows - first; i++) {
      sum += (i ? column[i * cols] : pivot) * column[i * cols + c];
    }
    sum /= length * pivot;
    for (size_t i = 0; i < rows - first; i++) {
      column[i * cols + c] += sum * (i ? column[i * cols] : pivot);
    }
  }
  if (x) {
    sum = 0;
    for (size_t i = 0; i < rows - first; i++) {
      sum += (i ? column[i * cols] : pivot) * x[first + i];
    }
    sum /= length * pivot;
    for (size_t i = 0; i < rows - first; i++) {
      x[first + i] += sum * (i ? column[i * cols] : pivot);
    }
  }
  column[0] = length;
  return length;
}

/* Factors the Jacobian, the column of largest remaining norm first. */
static void factor(workspace *w) {
  size_t p = w->p, n = w->n;
  double *x = w->trial_residual;
  memcpy(x, w->residual, n * sizeof *x);
  for (size_t j = 0; j < p; j++) {
    w->pivot[j] = j;
  }
  for (size_t j = 0; j < p; j++) {
    size_t best = j;
    double most = -1;
    for (size_t c = j; c < p; c++) {
      double length = 0;
      for (size_t i = j; i < n; i++) {
        length += w->jacobian[i * p + c] * w->jacobian[i * p + c];
      }
      if (length > most) {
        most = length;
        best = c;
      }
    }
    if (best != j) {
      size_t keep = w->pivot[j];
      w->pivot[j] = w->pivot[best];
      w->pivot[best] = keep;
      for (size_t i = 0; i < n; i++) {
        double entry = w->jacobian[i * p + j];
        w->jacobian[i * p + j] = w->jacobian[i * p + best];
        w->jacobian[i * p + best] = entry;
      }
    }
    reflect(n, p, w->jacobian, j, x);
  }
  for (size_t i = 0; i < p; i++) {
    for (size_t j = 0; j < p; j++) {
      w->r_factor[i * p + j] = j < i ? 0 : w->jacobian[i * p + j];
    }
    w->qtr[i] = x[i];
  }
}

/* x = -T^-1 y for a triangle T; where an entry of its diagonal is 0, so is x. */
static void solve_triangle(size_t p, const double *t, const double *y, double *x) {
  for (size_t i = p; i-- > 0;) {
    double sum = -y[i];
    for (size_t j = i + 1; j < p; j++) {
      sum -= t[i * p + j] * x[j];
    }
    x[i] = t[i * p + i] != 0 ? sum / t[i * p + i] : 0;
  }
}

/* The step that minimises |J s + r|^2 + damping |D s|^2, into w->step; its triangle into w->damped. Returns |D s|. */
static double damped_step(workspace *w, double damping) {
  size_t p = w->p;
  double *stack = w->work, *y = w->work + 2 * p * p, *x = y + 2 * p, *scaled = x + p;
  memset(stack, 0, 2 * p * p * sizeof *stack);
  memset(y, 0, 2 * p * sizeof *y);
  memcpy(stack, w->r_factor, p * p * sizeof *stack);
  memcpy(y, w->qtr, p * sizeof *y);
  if (damping > 0) {
    for (size_t j = 0; j < p; j++) {
      stack[(p + j) * p + j] = sqrt(damping) * w->scale[w->pivot[j]];
    }
    for (size_t j = 0; j < p; j++) {
      reflect(2 * p, p, stack, j, y);
    }
  }
  memcpy(w->damped, stack, p * p * sizeof *stack);
  solve_triangle(p, w->damped, y, x);
  for (size_t j = 0; j < p; j++) {
    w->step[w->pivot[j]] = x[j];
    scaled[w->pivot[j]] = w->scale[w->pivot[j]] * x[j];
  }
  return norm(p, scaled);
}

/* |T^-T P' D D s / |D s||, T being w->damped: the slope of |D s| by the damping is minus its square times |D s|. */
static double slope_norm(workspace *w, double length) {
  size_t p = w->p;
  double *x = w->work;
  for (size_t i = 0; i < p; i++) {
    size_t at = w->pivot[i];
    double sum = w->scale[at] * w->scale[at] * w->step[at] / length;
    for (size_t j = 0; j < i; j++) {
      sum -= w->damped[j * p + i] * x[j];
    }
    x[i] = sum / w->damped[i * p + i];
  }
  return norm(p, x);
}

/* The step within `radius`, by Newton's method on |D s| as a function of the damping. */
static double trust_step(workspace *w, double radius, double damping) {
  size_t p = w->p;
  double length = damped_step(w, 0), excess = length - radius;
  double low = 0, high, regular = 1;
  if (excess <= 0.1 * radius) {
    return 0;
  }
  for (size_t j = 0; j < p; j++) {
    regular = w->r_factor[j * p + j] == 0 ? 0 : regular;
  }
  if (regular) {
    double slope = slope_norm(w, length);
    low = excess / radius / slope / slope;
  }
  for (size_t j = 0; j < p; j++) {
    double sum = 0;
    for (size_t i = 0; i <= j; i++) {
      sum += w->r_factor[i * p + j] * w->qtr[i];
    }
    w->work[j] = sum / w->scale[w->pivot[j]];
  }
  double gradient = norm(p, w->work);
  high = gradient > 0 ? gradient / radius : DBL_MIN / fmin(radius, 0.1);
  damping = fmin(fmax(damping, low), high);
  if (damping == 0) {
    damping = gradient / length;
  }
  for (int k = 0; k < 10; k++) {
    if (damping == 0) {
      damping = fmax(DBL_MIN, 0.001 * high);
    }
    double before = excess;
    length = damped_step(w, damping);
    excess = length - radius;
    if (fabs(excess) <= 0.1 * radius || (low == 0 && excess <= before && before < 0)) {
      break;
    }
    double slope = slope_norm(w, length);
    if (excess > 0) {
      low = fmax(low, damping);
    } else {
      high = fmin(high, damping);
    }
    damping = fmax(low, damping + excess / radius / slope / slope);
  }
  return damping;
}

/* |J s| and |D s| for the step at hand. */
static void measure_step(workspace *w, double *out_image, double *out_scaled) {
  size_t p = w->p;
  for (size_t i = 0; i < p; i++) {
    w->image[i] = 0;
    for (size_t j = i; j < p; j++) {
      w->image[i] += w->r_factor[i * p + j] * w->step[w->pivot[j]];
    }
    w->work[i] = w->scale[i] * w->step[i];
  }
  *out_image = norm(p, w->image);
  *out_scaled = norm(p, w->work);
}

static double scaled_norm(workspace *w) {
  for (size_t j = 0; j < w->p; j++) {
    w->work[j] = w->scale[j] * w->b[j];
  }
  return norm(w->p, w->work);
}

static void grow_scale(workspace *w, int first) {
  for (size_t j = 0; j < w->p; j++) {
    double length = 0;
    for (size_t i = 0; i < w->n; i++) {
      length = hypot(length, w->jacobian[i * w->p + j]);
    }
    w->scale[j] = first ? (length == 0 ? 1 : length) : fmax(w->scale[j], length);
  }
}

static void descend(fit_function *function, const void *context, workspace *w, fit_result *result) {
  size_t p = w->p, n = w->n;
  const double least = 4 * DBL_EPSILON;
  double damping = 0, radius = 0, at = norm(n, w->residual);
  result->outcome = FIT_NO_END;
  for (result->iterations = 0; result->iterations < 20000; result->iterations++) {
    function(context, p, w->b, n, w->residual, w->jacobian);
    result->evaluations++;
    grow_scale(w, result->iterations == 0);
    if (result->iterations == 0) {
      radius = 100 * scaled_norm(w);
      radius = radius == 0 ? 100 : radius;
      at = norm(n, w->residual);
    }
    double slopes = norm(n * p, w->jacobian);
    if (!isfinite(at) || !isfinite(slopes)) {
      result->outcome = FIT_NOT_FINITE;
      return;
    }
    if (result->iterations == 0 && slopes == 0 && at != 0) {
      result->outcome = FIT_NO_DERIVATIVE;
      return;
    }
    factor(w);
    for (int accepted = 0, tries = 0; !accepted; tries++) {
      double image, scaled;
      damping = trust_step(w, radius, damping);
      measure_step(w, &image, &scaled);
      if (result->iterations == 0 && tries == 0) {
        radius = fmin(radius, scaled);
      }
      for (size_t j = 0; j < p; j++) {
        w->trial[j] = w->b[j] + w->step[j];
      }
      function(context, p, w->trial, n, w->trial_residual, NULL);
      result->evaluations++;
      double there = norm(n, w->trial_residual);
      double actual = isfinite(there) && 0.1 * there < at ? 1 - (there / at) * (there / at) : -1;
      double linear = (image / at) * (image / at), bound = damping * (scaled / at) * (scaled / at);
      double predicted = linear + 2 * bound, slope = -(linear + bound);
      double ratio = predicted != 0 ? actual / predicted : 0;
      if (ratio <= 0.25) {
        double shrink = actual >= 0 ? 0.5 : 0.5 * slope / (slope + 0.5 * actual);
        if (!(0.1 * there < at) || shrink < 0.1) {
          shrink = 0.1;
        }
        radius = shrink * fmin(radius, 10 * scaled);
        damping /= shrink;
      } else if (damping == 0 || ratio >= 0.75) {
        radius = 2 * scaled;
        damping *= 0.5;
      }
      accepted = ratio >= 1e-4;
      if (accepted) {
        memcpy(w->b, w->trial, p * sizeof *w->b);
        memcpy(w->residual, w->trial_residual, n * sizeof *w->residual);
        at = there;
      }
      if (at == 0 || (fabs(actual) <= least && predicted <= least && ratio <= 2) || radius <= least * scaled_norm(w)) {
        result->outcome = FIT_CONVERGED;
        return;
      }
      if (tries > 200) {
        return;
      }
    }
  }
}

/* Gauss-Newton steps; the last one that shrank the step is the last one taken. */
static void polish(fit_function *function, const void *context, workspace *w, fit_result *result) {
  size_t p = w->p, n = w->n;
  double before = INFINITY, at = norm(n, w->residual);
  for (result->polish = 0; result->polish < 50; result->polish++) {
    double size = 0;
    function(context, p, w->b, n, w->residual, w->jacobian);
    result->evaluations++;
    factor(w);
    damped_step(w, 0);
    for (size_t j = 0; j < p; j++) {
      size = fmax(size, fabs(w->step[j]) / fmax(fabs(w->b[j]), DBL_MIN));
      w->trial[j] = w->b[j] + w->step[j];
    }
    function(context, p, w->trial, n, w->trial_residual, NULL);
    result->evaluations++;
    double there = norm(n, w->trial_residual);
    if (!(size < before) || !(there <= at * (1 + 1e-9))) {
      break;
    }
    memcpy(w->b, w->trial, p * sizeof *w->b);
    before = size;
    at = fmin(at, there);
  }
}

int fit_run(fit_function *function, const void *context, size_t p, double *b, size_t n, fit_result *out_result) {
  size_t doubles = 2 * p + 2 * n + n * p + p * p + p + p + p + p * p + p + 2 * p * p + 4 * p;
  double *memory = malloc(doubles * sizeof *memory);
  size_t *pivot = malloc(p * sizeof *pivot);
  memset(out_result, 0, sizeof *out_result);
  if (memory == NULL || pivot == NULL) {
    free(memory);
    free(pivot);
    return -1;
  }
  workspace w = {.p = p, .n = n, .b = b, .pivot = pivot};
  double *at = memory;
  w.trial = at, at += p;
  w.residual = at, at += n;
  w.trial_residual = at, at += n;
  w.jacobian = at, at += n * p;
  w.r_factor = at, at += p * p;
  w.qtr = at, at += p;
  w.scale = at, at += p;
  w.step = at, at += p;
  w.damped = at, at += p * p;
  w.image = at, at += p;
  w.work = at;
  function(context, p, b, n, w.residual, NULL);
  out_result->evaluations++;
  descend(function, context, &w, out_result);
  function(context, p, b, n, w.residual, NULL);
  if (out_result->outcome == FIT_CONVERGED) {
    polish(function, context, &w, out_result);
    function(context, p, b, n, w.residual, NULL);
  }
  for (size_t i = 0; i < n; i++) {
    out_result->rss += w.residual[i] * w.residual[i];
  }
  if (out_result->outcome == FIT_CONVERGED && !(isfinite(out_result->rss) && isfinite(norm(p, b)))) {
    out_result->outcome = FIT_NOT_FINITE;
  }
  free(pivot);
  free(memory);
  return 0;
}

const char *fit_outcome_text(fit_outcome outcome) {
  switch (outcome) {
  case FIT_CONVERGED:
    return "it converges";
  case FIT_NOT_FINITE:
    return "the residuals or their derivatives are not finite numbers";
  case FIT_NO_DERIVATIVE:
    return "no parameter changes the residuals there";
  case FIT_NO_END:
    return "the steps do not come to an end";
  }
  return "";
}
