#include "llsq.h"

#include "evals.h"

#include <tlaloc/grad.h>

double llsq_value(size_t m, const double *x, size_t n) { return llsq(m, x, n); }

void llsq_gradient(size_t m, const double *x, size_t n, double *x_bar) { tl_grad(llsq)(m, x, n, x_bar); }
