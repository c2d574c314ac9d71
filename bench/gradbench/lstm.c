#include "lstm.h"

#include "evals.h"

#include <tlaloc/grad.h>

double lstm_value(const lstm_input *in) {
  size_t bits = in->bits;
  return lstm_objective(in->layers, in->steps, bits, (const double(*)[2][4][bits])in->main_params,
                        (const double(*)[bits])in->extra_params, (const double(*)[2][bits])in->state,
                        (const double(*)[bits])in->sequence);
}

void lstm_gradient(const lstm_input *in, double *main_bar, double *extra_bar) {
  size_t bits = in->bits;
  tl_grad(lstm_objective, main_params, extra_params)(
      in->layers, in->steps, bits, (const double(*)[2][4][bits])in->main_params,
      (const double(*)[bits])in->extra_params, (const double(*)[2][bits])in->state, (const double(*)[bits])in->sequence,
      (double(*)[2][4][bits])main_bar, (double(*)[bits])extra_bar);
}
