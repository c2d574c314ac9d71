#include "lse.h"

#include "evals.h"

#include <tlaloc/grad.h>

double lse_value(size_t n, const double *x) { return log_sum_exp(n, x); }

void lse_gradient(size_t n, const double *x, double *x_bar) { tl_grad(log_sum_exp)(n, x, x_bar); }
