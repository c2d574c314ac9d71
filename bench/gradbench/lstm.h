/* lstm: loss of a recurrent network with diagonal weights. A layer's parameters are {weight, bias} of {forget, ingate,
   outgate, change}; its state is {hidden, cell}; extra is {input weight, output weight, output bias}. */
#ifndef LSTM_H
#define LSTM_H

#include <math.h>
#include <stddef.h>

static double lstm_sigmoid(double x) { return 1 / (1 + exp(-x)); }

static double lstm_objective(size_t layers, size_t steps, size_t bits, const double main_params[layers][2][4][bits],
                             const double extra_params[3][bits], const double state[layers][2][bits],
                             const double sequence[steps][bits]) {
  double hidden[layers][bits], cell[layers][bits];
  for (size_t k = 0; k < layers; k++) {
    for (size_t i = 0; i < bits; i++) {
      hidden[k][i] = state[k][0][i];
      cell[k][i] = state[k][1][i];
    }
  }
  double total = 0;
  for (size_t t = 1; t < steps; t++) {
    double signal[bits];
    for (size_t i = 0; i < bits; i++) {
      signal[i] = sequence[t - 1][i] * extra_params[0][i];
    }
    for (size_t k = 0; k < layers; k++) {
      for (size_t i = 0; i < bits; i++) {
        double x = signal[i], h = hidden[k][i];
        double forget = lstm_sigmoid(x * main_params[k][0][0][i] + main_params[k][1][0][i]);
        double ingate = lstm_sigmoid(h * main_params[k][0][1][i] + main_params[k][1][1][i]);
        double outgate = lstm_sigmoid(x * main_params[k][0][2][i] + main_params[k][1][2][i]);
        double change = tanh(h * main_params[k][0][3][i] + main_params[k][1][3][i]);
        cell[k][i] = cell[k][i] * forget + ingate * change;
        hidden[k][i] = outgate * tanh(cell[k][i]);
        signal[i] = hidden[k][i];
      }
    }
    double sum = 2, gold = 0, gold_sum = 0;
    for (size_t i = 0; i < bits; i++) {
      double prediction = signal[i] * extra_params[1][i] + extra_params[2][i];
      sum += exp(prediction);
      gold += sequence[t][i] * prediction;
      gold_sum += sequence[t][i];
    }
    total += gold - gold_sum * log(sum);
  }
  return -total / ((double)(steps - 1) * (double)bits);
}

#endif
