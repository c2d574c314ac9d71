/* The name of a batch that is a parameter's, a word of C, a type of the parameters, a number, or missing. */
#include <stddef.h>
#include <tlaloc/grad.h>
typedef double real;
#define SIZE 64
static double f(size_t n, const real x[n], real y) { return x[0] * y; }
void all(size_t n, real x[n], real y, real out[n]) {
  tl_vmap(f, x)(1, n, x, y, out);
  tl_vmap(f, y, x)(1, n, x, y, out);
  tl_vmap(f, restrict)(1, n, x, y, out);
  tl_vmap(f, real, y)(1, n, x, y, out);
  tl_vmap(f, SIZE, y)(1, n, x, y, out);
  tl_vmap(f)(1, n, x, y, out);
  tl_vmap(f, b, y, y)(1, n, x, y, out);
  tl_vmap(tl_vmap(f, b, y), b)(1, 1, n, x, y, out);
  tl_vmap(tl_vmap(f, b, y), f_out)(1, 1, n, x, y, out);
}
