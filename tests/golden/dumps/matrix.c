/* Derivatives of functions of matrix.c, written by tlalocc 0.1.0. C99; link with -lm. */
#include <math.h>
#include <stddef.h>
#include <string.h>

void loss__grad__weight(size_t rows, size_t columns, const double weight[rows][columns], const double bias[rows], const double x[columns], const double target[rows], double weight_bar[rows][columns]);
void loss__grad__x(size_t rows, size_t columns, const double weight[rows][columns], const double bias[rows], const double x[columns], const double target[rows], double x_bar[columns]);

void loss__grad__weight(size_t rows, size_t columns, const double weight[rows][columns],
    const double bias[rows], const double x[columns], const double target[rows],
    double weight_bar[restrict rows][columns]) {
  /* line 10: for (size_t i = 0; i < rows; i++) */
  for (size_t i = 0; i < rows; i++) {
    /* line 12: for (size_t j = 0; j < columns; j++) */
    double activation = bias[i];
    for (size_t j = 0; j < columns; j++) {
      /* line 13: activation += weight[i][j] * x[j]; */
      activation += weight[i][j] * x[j];
    }
    /* line 15: double miss = tanh(activation) - target[i]; */
    double tanh_activation = tanh(activation);
    double activation_bar = (tanh_activation - target[i]) * 2.0 * (1.0 - tanh_activation * tanh_activation);
    /* line 12: for (size_t j = 0; j < columns; j++) */
    for (size_t j = 0; j < columns; j++) {
      /* line 13: activation += weight[i][j] * x[j]; */
      weight_bar[i][j] = activation_bar * x[j];
    }
  }
}

void loss__grad__x(size_t rows, size_t columns, const double weight[rows][columns],
    const double bias[rows], const double x[columns], const double target[rows],
    double x_bar[restrict columns]) {
  /* line 10: for (size_t i = 0; i < rows; i++) */
  memset(x_bar, 0, columns * sizeof *x_bar);
  for (size_t i = 0; i < rows; i++) {
    /* line 12: for (size_t j = 0; j < columns; j++) */
    double activation = bias[i];
    for (size_t j = 0; j < columns; j++) {
      /* line 13: activation += weight[i][j] * x[j]; */
      activation += weight[i][j] * x[j];
    }
    /* line 15: double miss = tanh(activation) - target[i]; */
    double tanh_activation = tanh(activation);
    double activation_bar = (tanh_activation - target[i]) * 2.0 * (1.0 - tanh_activation * tanh_activation);
    /* line 12: for (size_t j = 0; j < columns; j++) */
    for (size_t j = 0; j < columns; j++) {
      /* line 13: activation += weight[i][j] * x[j]; */
      x_bar[j] += activation_bar * weight[i][j];
    }
  }
}
