#include "lstm.h"

#include "evals.h"

#include <stdlib.h>
#include <string.h>

double lstm_value(const lstm_input *in) {
  size_t bits = in->bits;
  return lstm_objective(in->layers, in->steps, bits, (const double(*)[2][4][bits])in->main_params,
                        (const double(*)[bits])in->extra_params, (const double(*)[2][bits])in->state,
                        (const double(*)[bits])in->sequence);
}

/* What the way back needs of one cell at one step. */
typedef struct {
  double signal, hidden, cell, forget, ingate, outgate, change, bent;
} record;

void lstm_gradient(const lstm_input *in, double *main_bar, double *extra_bar) {
  size_t layers = in->layers, steps = in->steps - 1, bits = in->bits;
  const double *w_in = in->extra_params, *w_out = w_in + bits, *b_out = w_out + bits;
  double hidden[layers][bits], cell[layers][bits], signal[bits];
  record *kept = malloc((steps * layers * bits + 1) * sizeof *kept);
  double *last = malloc((steps * bits + 1) * sizeof *last), *share = malloc((steps * bits + 1) * sizeof *share);
  for (size_t k = 0; k < layers; k++) {
    memcpy(hidden[k], in->state + 2 * k * bits, bits * sizeof(double));
    memcpy(cell[k], in->state + (2 * k + 1) * bits, bits * sizeof(double));
  }
  double scale = -1 / ((double)steps * (double)bits);
  for (size_t t = 0; t < steps; t++) {
    const double *x = in->sequence + t * bits, *gold = x + bits;
    for (size_t i = 0; i < bits; i++) {
      signal[i] = x[i] * w_in[i];
    }
    for (size_t k = 0; k < layers; k++) {
      const double *w = in->main_params + 8 * k * bits, *b = w + 4 * bits;
      record *r = kept + (t * layers + k) * bits;
      for (size_t i = 0; i < bits; i++) {
        r[i].signal = signal[i];
        r[i].hidden = hidden[k][i];
        r[i].cell = cell[k][i];
        r[i].forget = lstm_sigmoid(signal[i] * w[i] + b[i]);
        r[i].ingate = lstm_sigmoid(hidden[k][i] * w[bits + i] + b[bits + i]);
        r[i].outgate = lstm_sigmoid(signal[i] * w[2 * bits + i] + b[2 * bits + i]);
        r[i].change = tanh(hidden[k][i] * w[3 * bits + i] + b[3 * bits + i]);
        cell[k][i] = cell[k][i] * r[i].forget + r[i].ingate * r[i].change;
        r[i].bent = tanh(cell[k][i]);
        hidden[k][i] = r[i].outgate * r[i].bent;
        signal[i] = hidden[k][i];
      }
    }
    double sum = 2, gold_sum = 0;
    for (size_t i = 0; i < bits; i++) {
      double e = exp(signal[i] * w_out[i] + b_out[i]);
      last[t * bits + i] = signal[i];
      share[t * bits + i] = e;
      sum += e;
      gold_sum += gold[i];
    }
    for (size_t i = 0; i < bits; i++) {
      share[t * bits + i] = scale * (gold[i] - gold_sum / sum * share[t * bits + i]);
    }
  }

  double hidden_bar[layers][bits], cell_bar[layers][bits], signal_bar[bits];
  memset(hidden_bar, 0, sizeof hidden_bar);
  memset(cell_bar, 0, sizeof cell_bar);
  memset(main_bar, 0, 8 * layers * bits * sizeof *main_bar);
  memset(extra_bar, 0, 3 * bits * sizeof *extra_bar);
  for (size_t t = steps; t-- > 0;) {
    for (size_t i = 0; i < bits; i++) {
      double by = share[t * bits + i];
      extra_bar[bits + i] += by * last[t * bits + i];
      extra_bar[2 * bits + i] += by;
      signal_bar[i] = by * w_out[i];
    }
    for (size_t k = layers; k-- > 0;) {
      const double *w = in->main_params + 8 * k * bits;
      double *w_bar = main_bar + 8 * k * bits, *b_bar = w_bar + 4 * bits;
      const record *kept_here = kept + (t * layers + k) * bits;
      for (size_t i = 0; i < bits; i++) {
        const record r = kept_here[i];
        double h = hidden_bar[k][i] + signal_bar[i];
        double c = cell_bar[k][i] + h * r.outgate * (1 - r.bent * r.bent);
        double forget = c * r.cell * r.forget * (1 - r.forget);
        double ingate = c * r.change * r.ingate * (1 - r.ingate);
        double outgate = h * r.bent * r.outgate * (1 - r.outgate);
        double change = c * r.ingate * (1 - r.change * r.change);
        w_bar[i] += forget * r.signal;
        w_bar[bits + i] += ingate * r.hidden;
        w_bar[2 * bits + i] += outgate * r.signal;
        w_bar[3 * bits + i] += change * r.hidden;
        b_bar[i] += forget;
        b_bar[bits + i] += ingate;
        b_bar[2 * bits + i] += outgate;
        b_bar[3 * bits + i] += change;
        cell_bar[k][i] = c * r.forget;
        hidden_bar[k][i] = ingate * w[bits + i] + change * w[3 * bits + i];
        signal_bar[i] = forget * w[i] + outgate * w[2 * bits + i];
      }
    }
    for (size_t i = 0; i < bits; i++) {
      extra_bar[i] += signal_bar[i] * in->sequence[t * bits + i];
    }
  }
  free(share);
  free(last);
  free(kept);
}
