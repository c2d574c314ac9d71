/* Derivatives of functions of names.c, written by tlalocc 0.1.0. C99; link with -lm. */
#include <math.h>
#include <stddef.h>

struct pair {
  double slope, weights;
  double (*halved)(double);
};

double cube__grad(double x);
double fold__grad(double x, int n);
double steepest__grad(double x, int n);
void weighted__grad__x(const double x[3], double halved, const struct pair *p, double x_bar[3]);
static double fold__value_and_jvp__x(double x, int n, double x_dot, double *fold_dot);
static double steepest__value_and_jvp__x(double x, int n, double x_dot, double *steepest_dot);

double cube__grad(double x) {
  return x * x * 3.0;
}

double fold__grad(double x, int n) {
  static const double weights_2[3] = {1.0, 2.0, 3.0};
  static const double offsets_2[3] = {0.1, 0.2, 0.3};
  /* line 22: double slope = sin(x) + weights[1], scale = n * slope, halved[COUNT] = {slope, scale}, (*cube)[COUNT] = &halved; */
  double slope_dot = cos(x), slope = sin(x) + weights_2[1], scale_2 = n * slope;
  double scale_dot = slope_dot * n, halved[3] = {0};
  halved[0] = slope;
  double halved_dot[3] = {0};
  halved_dot[0] = slope_dot;
  halved[1] = scale_2;
  halved_dot[1] = scale_dot;
  /* line 23: for (int i = 0; i < (int)(sizeof offsets / sizeof *offsets); i++) */
  for (int i = 0; i < 3; i++) {
    /* line 24: scale += (*cube)[i] * offsets[i]; */
    double offsets_2_i = offsets_2[i];
    scale_2 += halved[i] * offsets_2_i;
    scale_dot += halved_dot[i] * offsets_2_i;
  }
  /* line 26: return n ? scale * fold(x * 0.5, n - 1) : slope; */
  if (n != 0) {
    double fold_dot;
    double fold_result = fold__value_and_jvp__x(x * 0.5, n - 1, 0.5, &fold_dot);
    slope_dot = scale_dot * fold_result + fold_dot * scale_2;
  }
  return slope_dot;
}

double steepest__grad(double x, int n) {
  double x_dot;
  if (n != 0) {
    double steepest_dot;
    double steepest_result = steepest__value_and_jvp__x(x, n - 1, 1.0, &steepest_dot);
    x_dot = -3.0 * (x * x) * (steepest_dot * sin(steepest_result)) + 6.0 * x * cos(steepest_result);
  } else {
    x_dot = 1.0;
  }
  return x_dot;
}

void weighted__grad__x(const double x[3], double halved, const struct pair *p, double x_bar[restrict 3]) {
  static const double weights_2[3] = {1.0, 2.0, 3.0};
  /* line 34: s += x[i] * x[i] * weights[i] * halved * p->slope; */
  double p_slope_times_halved = p->slope * halved;
  /* line 33: for (int i = 0; i < COUNT; i++) */
  for (size_t i = 0; i < 3; i++) {
    x_bar[i] = weights_2[i];
  }
  for (int i = 0; i < 3; i++) {
    /* line 34: s += x[i] * x[i] * weights[i] * halved * p->slope; */
    x_bar[i] = x[i] * (p_slope_times_halved * x_bar[i]) * 2.0;
  }
}

static double fold__value_and_jvp__x(double x, int n, double x_dot, double *restrict fold_dot) {
  static const double weights_2[3] = {1.0, 2.0, 3.0};
  static const double offsets_2[3] = {0.1, 0.2, 0.3};
  /* line 22: double slope = sin(x) + weights[1], scale = n * slope, halved[COUNT] = {slope, scale}, (*cube)[COUNT] = &halved; */
  double slope_dot = x_dot * cos(x), slope = sin(x) + weights_2[1], scale_2 = n * slope;
  double scale_dot = slope_dot * n, halved[3] = {0};
  halved[0] = slope;
  double halved_dot[3] = {0};
  halved_dot[0] = slope_dot;
  halved[1] = scale_2;
  halved_dot[1] = scale_dot;
  /* line 23: for (int i = 0; i < (int)(sizeof offsets / sizeof *offsets); i++) */
  for (int i = 0; i < 3; i++) {
    /* line 24: scale += (*cube)[i] * offsets[i]; */
    double offsets_2_i = offsets_2[i];
    scale_2 += halved[i] * offsets_2_i;
    scale_dot += halved_dot[i] * offsets_2_i;
  }
  /* line 26: return n ? scale * fold(x * 0.5, n - 1) : slope; */
  if (n != 0) {
    double fold_dot_value;
    double fold_result = fold__value_and_jvp__x(x * 0.5, n - 1, x_dot * 0.5, &fold_dot_value);
    slope = scale_2 * fold_result;
    slope_dot = scale_dot * fold_result + fold_dot_value * scale_2;
  }
  *fold_dot = slope_dot;
  return slope;
}

static double steepest__value_and_jvp__x(double x, int n, double x_dot, double *restrict steepest_dot) {
  double x_2;
  if (n != 0) {
    double steepest_dot_value;
    double steepest_result = steepest__value_and_jvp__x(x, n - 1, x_dot, &steepest_dot_value);
    double cos_steepest_result = cos(steepest_result);
    /* line 15: static double cube(double x) { return x * x * x; } */
    double x_times_x = x * x;
    x_2 = cos_steepest_result * (x_times_x * 3.0);
    x_dot = -3.0 * x_times_x * (steepest_dot_value * sin(steepest_result)) +
        6.0 * (x * x_dot) * cos_steepest_result;
  } else {
    x_2 = x;
  }
  *steepest_dot = x_dot;
  return x_2;
}
