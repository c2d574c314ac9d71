/* Derivatives of functions of rules.c, written by tlalocc 0.1.0. C99; link with -lm. */
#include <math.h>
#include <stddef.h>

void sum__grad(int n, const double k[n], double k_bar[n]);

/* Copied from rules.c. */
static double fixed_point(double k);
static double fixed_point_vjp(double k, double x_bar, double *k_bar);
static double fixed_point(double k) {
  double x = 0.5;
  for (int i = 0; i < 100; i++) {
    x = cos(k * x);
  }
  return x;
}
static double fixed_point_vjp(double k, double x_bar, double *k_bar) {
  double x = fixed_point(k), slope = -sin(k * x);
  *k_bar = x_bar * slope * x / (1 - slope * k);
  return x;
}

void sum__grad(int n, const double k[n], double k_bar[restrict n]) {
  /* line 25: for (int i = 0; i < n; i++) */
  for (int i = 0; i < n; i++) {
    /* line 26: s += fixed_point(k[i]) * i; */
    double k_bar_value;
    (void)fixed_point_vjp(k[i], i, &k_bar_value);
    k_bar[i] = k_bar_value;
  }
}
