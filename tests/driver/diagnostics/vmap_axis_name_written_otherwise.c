/* What stands where the name of a batch should. */
#include <stddef.h>
#include <tlaloc/grad.h>
static double f(double x, double y) { return x * y; }
void all(size_t n, double x[n], double y, double out[n]) {
  tl_vmap(f, 64, x)(n, x, y, out);
  tl_vmap(f, "b", x)(n, x, y, out);
  tl_vmap(f, &b, x)(n, x, y, out);
  tl_vmap(f, size_t b, x)(n, x, y, out);
  tl_vmap(f, , x)(n, x, y, out);
  tl_vmap(f, b, x[0])(n, x, y, out);
}
