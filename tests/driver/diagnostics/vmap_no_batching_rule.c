/* Nothing that could be batched. */
#include <stdio.h>
#include <tlaloc/grad.h>
static double noted(FILE *log, void *extra, double (*of)(double), double x) {
  fprintf(log, "%p", extra);
  return of ? x * x : x;
}
static double deep(double x[1][1][1][1][1][1][1][1][1][1][1][1]) { return x[0][0][0][0][0][0][0][0][0][0][0][0]; }
void all(void) {
  tl_vmap(noted, b, log);
  tl_vmap(noted, b, x, extra);
  tl_vmap(noted, b, of);
  tl_vmap(deep, b);
}
