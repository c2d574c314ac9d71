/* Nothing is said of these: names that hide others, size_t that no header declares here, and what is not looked at. */
double area(double width, double height);
#include <tlaloc/grad.h>
double area(double width, double height) { return width * height; }
static double sine(int n, const double x[n], const double *unused) {
  (void)unused;
  return x[0] * x[n - 1];
}
typedef double (*pointer)(int, const double *, const double *);
void all(unsigned long b, double *w, double h, double *out) {
  pointer of = sine;
  (void)of;
  tl_vmap(area, b, width)(b, w, h, out);
  tl_vmap(area, sine)(b, w, w, out);
  tl_vmap(sine, area, x)(b, 1, (double(*)[1])w, 0, out);
}
