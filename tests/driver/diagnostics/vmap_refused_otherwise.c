/* Parameters that are not there, lengths that are not known, and derivatives that a batch does not have. */
#include <stddef.h>
#include <tlaloc/grad.h>
static double area(double width, double height, int kind) { return kind ? width * height : width; }
static double at(const double *x, int i) { return x[i]; }
void all(size_t n, double *w, double h, double *out) {
  tl_vmap(area, b, widht)(n, w, h, 1, out);
  tl_vmap(tl_grad(area), b, width_ba)(n, w, h, 1, out, out);
  tl_vmap(area, b, width)(n, w, h, out);
  tl_vmap(at, b)(n, w, 0, out);
  tl_vmap(at, b, i)(n, w, 0, out);
  tl_grad(tl_vmap(area, b))(n, w, h, 1, out);
  tl_vjp(tl_vmap(area, b, kind), kind)(n, w, h, 1, out, out);
  tl_vjp(tl_vmap(area, b), area_out)(n, w, h, 1, out, out);
}
