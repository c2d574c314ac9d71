#include <tlaloc/grad.h>
#include <stddef.h>
static double area(double width, double height) { return width * height; }
static double norm(size_t n, const double w[n]) {
  double s = 0;
  for (size_t i = 0; i < n; i++) s += w[i] * w[i];
  return s;
}
#define SLOPE(f, ...) tl_grad(f, width)(__VA_ARGS__)
#define BOTH 1, 2
double few(double x) { return tl_grad(area)(x); }
double many(double x) { return tl_grad(area, width)(x, 2, &x); }
double none(void) { return tl_grad(area, width)(); }
double arrays(size_t n, const double *w, double *w_bar) { return tl_value_and_grad(norm)(w, w_bar); }
double macro(double x) { return SLOPE(area, x) + SLOPE(area, BOTH) + SLOPE(area, x, x); }
double (*stored)(double, double) = tl_grad(area, height);
