#include "evals.h"
#include "primals.hpp"
#include "recording.hpp"

#include <algorithm>

double lstm_value(const lstm_input *in) {
  return primal::lstm<double>(in->layers, in->steps, in->bits, in->main_params, in->extra_params, in->state,
                              in->sequence);
}

void lstm_gradient(const lstm_input *in, double *main_bar, double *extra_bar) {
  static recording tape(1);
  std::size_t size = 8 * in->layers * in->bits, extra = 3 * in->bits;
  std::vector<double> x(in->main_params, in->main_params + size), g(size + extra);
  x.insert(x.end(), in->extra_params, in->extra_params + extra);
  if (!tape.made()) {
    tape.record(x.size(), x.data(), 1, [&](const active *a, active *out) {
      out[0] = primal::lstm<active>(in->layers, in->steps, in->bits, a, a + size, in->state, in->sequence);
    });
  }
  tape.gradient(x.data(), g.data());
  std::copy(g.data(), g.data() + size, main_bar);
  std::copy(g.data() + size, g.data() + size + extra, extra_bar);
}
