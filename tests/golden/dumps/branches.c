/* Derivatives of functions of branches.c, written by tlalocc 0.1.0. C99; link with -lm. */
#include <math.h>
#include <stddef.h>

void huber__grad(int n, const double x[n], const double y[n], double slope, double offset, double x_bar[n], double y_bar[n], double *slope_bar, double *offset_bar);

void huber__grad(int n, const double x[n], const double y[n], double slope, double offset,
    double x_bar[restrict n], double y_bar[restrict n], double *restrict slope_bar,
    double *restrict offset_bar) {
  /* line 16: return loss / n; */
  double loss_bar = 1.0 / (double)n;
  /* line 8: for (int i = 0; i < n; i++) */
  double slope_bar_2 = 0.0, offset_bar_2 = 0.0;
  for (int i = 0; i < n; i++) {
    /* line 9: double residual = slope * x[i] + offset - y[i]; */
    double x_i = x[i], residual = slope * x_i + offset - y[i];
    /* line 10: if (fabs(residual) < 1) */
    double residual_bar, loss_bar_2;
    if (fabs(residual) < 1.0) {
      /* line 11: loss += 0.5 * residual * residual; */
      residual_bar = residual * loss_bar;
      loss_bar_2 = 0.0;
    } else {
      residual_bar = 0.0;
      loss_bar_2 = loss_bar;
    }
    residual_bar += residual > 0.0 ? loss_bar_2 : residual < 0.0 ? -loss_bar_2 : 0.0;
    /* line 9: double residual = slope * x[i] + offset - y[i]; */
    y_bar[i] = -residual_bar;
    offset_bar_2 += residual_bar;
    slope_bar_2 += residual_bar * x_i;
    x_bar[i] = residual_bar * slope;
  }
  /* line 9: double residual = slope * x[i] + offset - y[i]; */
  *slope_bar = slope_bar_2;
  *offset_bar = offset_bar_2;
}
