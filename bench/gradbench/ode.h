/* ode: y_0' = x_0, y_i' = x_i y_(i-1), y(0) = 0, at time 2 by the classical Runge-Kutta method in s steps. */
#ifndef ODE_H
#define ODE_H

#include <stddef.h>

static void ode_slope(size_t n, const double x[n], const double y[n], double slope[n]) {
  slope[0] = x[0];
  for (size_t i = 1; i < n; i++) {
    slope[i] = x[i] * y[i - 1];
  }
}

static void ode(size_t n, const double x[n], size_t s, double y[n]) {
  double h = 2 / (double)s;
  for (size_t i = 0; i < n; i++) {
    y[i] = 0;
  }
  for (size_t step = 0; step < s; step++) {
    double k1[n], k2[n], k3[n], k4[n], between[n];
    ode_slope(n, x, y, k1);
    for (size_t i = 0; i < n; i++) {
      between[i] = y[i] + h / 2 * k1[i];
    }
    ode_slope(n, x, between, k2);
    for (size_t i = 0; i < n; i++) {
      between[i] = y[i] + h / 2 * k2[i];
    }
    ode_slope(n, x, between, k3);
    for (size_t i = 0; i < n; i++) {
      between[i] = y[i] + h * k3[i];
    }
    ode_slope(n, x, between, k4);
    for (size_t i = 0; i < n; i++) {
      y[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
    }
  }
}

#endif
