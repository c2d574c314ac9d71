#include "det.h"

#include "evals.h"

#include <tlaloc/grad.h>

double det_value(size_t n, const double *a) { return det(n, (const double(*)[n])a); }

void det_gradient(size_t n, const double *a, double *a_bar) {
  tl_grad(det)(n, (const double(*)[n])a, (double(*)[n])a_bar);
}
