/* Variables, members and parameters that are called as functions and objects of the file are. */
#include "dumps.h"

#include <math.h>

enum { COUNT = 3 };
double halved(double x);
struct pair {
  double slope, weights;
  double (*halved)(double);
};
static const double weights[COUNT] = {1, 2, 3}, scale = 0.5;
static double offsets[COUNT] = {0.1, 0.2, 0.3};

static double cube(double x) { return x * x * x; }

static double slope(double x) { return CALL(grad, cube)(x); }

double halved(double x) { return x * scale; }

static double fold(double x, int n) {
  double slope = sin(x) + weights[1], scale = n * slope, halved[COUNT] = {slope, scale}, (*cube)[COUNT] = &halved;
  for (int i = 0; i < (int)(sizeof offsets / sizeof *offsets); i++) {
    scale += (*cube)[i] * offsets[i];
  }
  return n ? scale * fold(x * 0.5, n - 1) : slope;
}

static double steepest(double x, int n) { return n ? cos(steepest(x, n - 1)) * slope(x) : x; }

static double weighted(const double x[COUNT], double halved, const struct pair *p) {
  double s = 0;
  for (int i = 0; i < COUNT; i++) {
    s += x[i] * x[i] * weights[i] * halved * p->slope;
  }
  return s;
}

/* calls */
int RUN(double out[]) {
  const double x[] = {1, 2, 3};
  const struct pair p = {2, 0, 0};
  volatile double at = 0.5; /* or the compiler computes with it, to other digits than the library */
  out[0] = CALL(grad, fold)(at, 3);
  out[1] = CALL(grad, steepest)(at, 2);
  CALL_BY(grad, weighted, x)(x, 2, &p, out + 2);
  return 5;
}
