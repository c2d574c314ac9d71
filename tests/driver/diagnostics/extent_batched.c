/* Named, behind a pointer, in a struct, computed from, and written by the function. */
#include <stddef.h>
#include <tlaloc/grad.h>
struct model {
  int rows, columns;
  double *w TL_LEN(rows * columns);
};
static double sum(size_t n, const double x[n]) { return x[n - 1]; }
static double flat(int n, int m, const double *x TL_LEN(n * m)) { return x[n * m - 1]; }
static double from(const struct model *model, double k) { return model->w[0] * k; }
static double grown(struct model *model, double k) { return model->w[model->rows++] * k; }
void all(double *out) {
  tl_vmap(sum, b, n);
  tl_vmap(flat, b, m, x);
  tl_vmap(from, b)(1, 0, 0, out);
  tl_vmap(from, b, model);
  tl_vmap(grown, b, k);
  tl_vmap(tl_vmap(sum, b, x), c, b);
}
