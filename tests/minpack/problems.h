/* The 32 test problems of MINPACK: 14 systems of nonlinear equations and 18 least squares problems, from the
   definitions of More, Garbow and Hillstrom (1981), as functions from x[n] to f[m]. */
#ifndef PROBLEMS_H
#define PROBLEMS_H

#include <math.h>
#include <stddef.h>

/* --- systems of equations: m = n -------------------------------------------------------------------------------- */

static void rosenbrock(size_t n, const double x[n], size_t m, double f[m]) {
  f[0] = 1 - x[0];
  f[1] = 10 * (x[1] - x[0] * x[0]);
}

static void powell_singular(size_t n, const double x[n], size_t m, double f[m]) {
  double a = x[1] - 2 * x[2], b = x[0] - x[3];
  f[0] = x[0] + 10 * x[1];
  f[1] = sqrt(5.0) * (x[2] - x[3]);
  f[2] = a * a;
  f[3] = sqrt(10.0) * b * b;
}

static void powell_badly_scaled(size_t n, const double x[n], size_t m, double f[m]) {
  f[0] = 1e4 * x[0] * x[1] - 1;
  f[1] = exp(-x[0]) + exp(-x[1]) - 1.0001;
}

static void wood(size_t n, const double x[n], size_t m, double f[m]) {
  double a = x[1] - x[0] * x[0], b = x[3] - x[2] * x[2];
  f[0] = -200 * x[0] * a - (1 - x[0]);
  f[1] = 200 * a + 20.2 * (x[1] - 1) + 19.8 * (x[3] - 1);
  f[2] = -180 * x[2] * b - (1 - x[2]);
  f[3] = 180 * b + 20.2 * (x[3] - 1) + 19.8 * (x[1] - 1);
}

static void helical_valley(size_t n, const double x[n], size_t m, double f[m]) {
  double turn = 2 * acos(-1.0), angle;
  if (x[0] > 0) {
    angle = atan(x[1] / x[0]) / turn;
  } else if (x[0] < 0) {
    angle = atan(x[1] / x[0]) / turn + 0.5;
  } else {
    angle = copysign(0.25, x[1]);
  }
  f[0] = 10 * (x[2] - 10 * angle);
  f[1] = 10 * (sqrt(x[0] * x[0] + x[1] * x[1]) - 1);
  f[2] = x[2];
}

static void watson_equations(size_t n, const double x[n], size_t m, double f[m]) {
  for (size_t k = 0; k < m; k++) {
    f[k] = 0;
  }
  for (int i = 1; i <= 29; i++) {
    double t = i / 29.0, slope = 0, value = 0, power = 1;
    for (size_t j = 1; j < n; j++) {
      slope += (double)j * power * x[j];
      power *= t;
    }
    power = 1;
    for (size_t j = 0; j < n; j++) {
      value += power * x[j];
      power *= t;
    }
    double residual = slope - value * value - 1, twice = 2 * t * value;
    power = 1 / t;
    for (size_t k = 0; k < n; k++) {
      f[k] += power * ((double)k - twice) * residual;
      power *= t;
    }
  }
  double last = x[1] - x[0] * x[0] - 1;
  f[0] += x[0] * (1 - 2 * last);
  f[1] += last;
}

/* Shifted Chebyshev polynomials by their recurrence, averaged over x, minus their integrals. */
static void chebyquad(size_t n, const double x[n], size_t m, double f[m]) {
  for (size_t i = 0; i < m; i++) {
    f[i] = 0;
  }
  for (size_t j = 0; j < n; j++) {
    double before = 1, now = 2 * x[j] - 1, twice = 2 * now;
    for (size_t i = 0; i < m; i++) {
      f[i] += now;
      double next = twice * now - before;
      before = now;
      now = next;
    }
  }
  for (size_t i = 0; i < m; i++) {
    f[i] /= (double)n;
    if (i % 2 == 1) {
      f[i] += 1 / ((double)(i + 1) * (double)(i + 1) - 1);
    }
  }
}

static void brown_almost_linear(size_t n, const double x[n], size_t m, double f[m]) {
  double sum = -(double)(n + 1), product = 1;
  for (size_t j = 0; j < n; j++) {
    sum += x[j];
    product *= x[j];
  }
  for (size_t i = 0; i < m; i++) {
    f[i] = x[i] + sum;
  }
  f[n - 1] = product - 1;
}

static void discrete_boundary_value(size_t n, const double x[n], size_t m, double f[m]) {
  double h = 1 / (double)(n + 1);
  for (size_t k = 0; k < m; k++) {
    double s = x[k] + (double)(k + 1) * h + 1;
    double before = k > 0 ? x[k - 1] : 0, after = k + 1 < n ? x[k + 1] : 0;
    f[k] = 2 * x[k] - before - after + s * s * s * h * h / 2;
  }
}

static void discrete_integral_equation(size_t n, const double x[n], size_t m, double f[m]) {
  double h = 1 / (double)(n + 1);
  for (size_t k = 0; k < m; k++) {
    double t = (double)(k + 1) * h, left = 0, right = 0;
    for (size_t j = 0; j <= k; j++) {
      double s = (double)(j + 1) * h, cube = pow(x[j] + s + 1, 3);
      left += s * cube;
    }
    for (size_t j = k + 1; j < n; j++) {
      double s = (double)(j + 1) * h, cube = pow(x[j] + s + 1, 3);
      right += (1 - s) * cube;
    }
    f[k] = x[k] + h * ((1 - t) * left + t * right) / 2;
  }
}

static void trigonometric(size_t n, const double x[n], size_t m, double f[m]) {
  double sum = 0;
  for (size_t j = 0; j < n; j++) {
    f[j] = cos(x[j]);
    sum += f[j];
  }
  for (size_t k = 0; k < m; k++) {
    f[k] = (double)(n + k + 1) - sin(x[k]) - sum - (double)(k + 1) * f[k];
  }
}

static void variably_dimensioned(size_t n, const double x[n], size_t m, double f[m]) {
  double sum = 0;
  for (size_t j = 0; j < n; j++) {
    sum += (double)(j + 1) * (x[j] - 1);
  }
  for (size_t k = 0; k < m; k++) {
    f[k] = x[k] - 1 + (double)(k + 1) * sum * (1 + 2 * sum * sum);
  }
}

static void broyden_tridiagonal(size_t n, const double x[n], size_t m, double f[m]) {
  for (size_t k = 0; k < m; k++) {
    f[k] = (3 - 2 * x[k]) * x[k] + 1;
    if (k > 0) {
      f[k] -= x[k - 1];
    }
    if (k + 1 < n) {
      f[k] -= 2 * x[k + 1];
    }
  }
}

static void broyden_banded(size_t n, const double x[n], size_t m, double f[m]) {
  for (size_t k = 0; k < m; k++) {
    size_t first = k > 5 ? k - 5 : 0, last = k + 1 < n ? k + 1 : n - 1;
    double sum = 0;
    for (size_t j = first; j <= last; j++) {
      if (j != k) {
        sum += x[j] * (1 + x[j]);
      }
    }
    f[k] = x[k] * (2 + 5 * x[k] * x[k]) + 1 - sum;
  }
}

/* --- least squares ------------------------------------------------------------------------------------------------ */

static void linear_full_rank(size_t n, const double x[n], size_t m, double f[m]) {
  double sum = 0;
  for (size_t j = 0; j < n; j++) {
    sum += x[j];
  }
  for (size_t i = 0; i < m; i++) {
    f[i] = -2 * sum / (double)m - 1;
    if (i < n) {
      f[i] += x[i];
    }
  }
}

static void linear_rank_one(size_t n, const double x[n], size_t m, double f[m]) {
  double sum = 0;
  for (size_t j = 0; j < n; j++) {
    sum += (double)(j + 1) * x[j];
  }
  for (size_t i = 0; i < m; i++) {
    f[i] = (double)(i + 1) * sum - 1;
  }
}

static void linear_rank_one_zero(size_t n, const double x[n], size_t m, double f[m]) {
  double sum = 0;
  for (size_t j = 1; j + 1 < n; j++) {
    sum += (double)(j + 1) * x[j];
  }
  for (size_t i = 0; i < m; i++) {
    f[i] = (double)i * sum - 1;
  }
  f[m - 1] = -1;
}

static void rosenbrock_squares(size_t n, const double x[n], size_t m, double f[m]) {
  f[0] = 10 * (x[1] - x[0] * x[0]);
  f[1] = 1 - x[0];
}

static void helical_valley_squares(size_t n, const double x[n], size_t m, double f[m]) { helical_valley(n, x, m, f); }

static void powell_singular_squares(size_t n, const double x[n], size_t m, double f[m]) { powell_singular(n, x, m, f); }

static void freudenstein_roth(size_t n, const double x[n], size_t m, double f[m]) {
  f[0] = -13 + x[0] + ((5 - x[1]) * x[1] - 2) * x[1];
  f[1] = -29 + x[0] + ((1 + x[1]) * x[1] - 14) * x[1];
}

static const double bard_data[15] = {0.14, 0.18, 0.22, 0.25, 0.29, 0.32, 0.35, 0.39,
                                     0.37, 0.58, 0.73, 0.96, 1.34, 2.10, 4.39};

static void bard(size_t n, const double x[n], size_t m, double f[m]) {
  for (size_t i = 0; i < m; i++) {
    double u = (double)(i + 1), v = (double)(15 - i), w = u < v ? u : v;
    f[i] = bard_data[i] - (x[0] + u / (v * x[1] + w * x[2]));
  }
}

static const double kowalik_v[11] = {4, 2, 1, 0.5, 0.25, 0.167, 0.125, 0.1, 0.0833, 0.0714, 0.0625};
static const double kowalik_y[11] = {0.1957, 0.1947, 0.1735, 0.16,   0.0844, 0.0627,
                                     0.0456, 0.0342, 0.0323, 0.0235, 0.0246};

static void kowalik_osborne(size_t n, const double x[n], size_t m, double f[m]) {
  for (size_t i = 0; i < m; i++) {
    double v = kowalik_v[i];
    f[i] = kowalik_y[i] - x[0] * (v * (v + x[1])) / (v * (v + x[2]) + x[3]);
  }
}

static const double meyer_data[16] = {34780, 28610, 23650, 19630, 16370, 13720, 11540, 9744,
                                      8261,  7030,  6005,  5147,  4427,  3820,  3307,  2872};

static void meyer(size_t n, const double x[n], size_t m, double f[m]) {
  for (size_t i = 0; i < m; i++) {
    f[i] = x[0] * exp(x[1] / (5 * (double)(i + 1) + 45 + x[2])) - meyer_data[i];
  }
}

static void watson(size_t n, const double x[n], size_t m, double f[m]) {
  for (size_t i = 0; i + 2 < m; i++) {
    double t = (double)(i + 1) / 29, slope = 0, value = 0, power = 1;
    for (size_t j = 1; j < n; j++) {
      slope += (double)j * power * x[j];
      power *= t;
    }
    power = 1;
    for (size_t j = 0; j < n; j++) {
      value += power * x[j];
      power *= t;
    }
    f[i] = slope - value * value - 1;
  }
  f[m - 2] = x[0];
  f[m - 1] = x[1] - x[0] * x[0] - 1;
}

static void box_three_dimensional(size_t n, const double x[n], size_t m, double f[m]) {
  for (size_t i = 0; i < m; i++) {
    double t = (double)(i + 1) / 10;
    f[i] = exp(-t * x[0]) - exp(-t * x[1]) + (exp(-10 * t) - exp(-t)) * x[2];
  }
}

static void jennrich_sampson(size_t n, const double x[n], size_t m, double f[m]) {
  for (size_t i = 0; i < m; i++) {
    double t = (double)(i + 1);
    f[i] = 2 + 2 * t - exp(t * x[0]) - exp(t * x[1]);
  }
}

static void brown_dennis(size_t n, const double x[n], size_t m, double f[m]) {
  for (size_t i = 0; i < m; i++) {
    double t = (double)(i + 1) / 5, a = x[0] + t * x[1] - exp(t), b = x[2] + sin(t) * x[3] - cos(t);
    f[i] = a * a + b * b;
  }
}

static void chebyquad_squares(size_t n, const double x[n], size_t m, double f[m]) { chebyquad(n, x, m, f); }

static void brown_almost_linear_squares(size_t n, const double x[n], size_t m, double f[m]) {
  brown_almost_linear(n, x, m, f);
}

static const double osborne_1_data[33] = {0.844, 0.908, 0.932, 0.936, 0.925, 0.908, 0.881, 0.85,  0.818, 0.784, 0.751,
                                          0.718, 0.685, 0.658, 0.628, 0.603, 0.58,  0.558, 0.538, 0.522, 0.506, 0.49,
                                          0.478, 0.467, 0.457, 0.448, 0.438, 0.431, 0.424, 0.42,  0.414, 0.411, 0.406};

static void osborne_1(size_t n, const double x[n], size_t m, double f[m]) {
  for (size_t i = 0; i < m; i++) {
    double t = 10 * (double)i;
    f[i] = osborne_1_data[i] - (x[0] + x[1] * exp(-x[3] * t) + x[2] * exp(-x[4] * t));
  }
}

static const double osborne_2_data[65] = {1.366, 1.191, 1.112, 1.013, 0.991, 0.885, 0.831, 0.847, 0.786, 0.725, 0.746,
                                          0.679, 0.608, 0.655, 0.616, 0.606, 0.602, 0.626, 0.651, 0.724, 0.649, 0.649,
                                          0.694, 0.644, 0.624, 0.661, 0.612, 0.558, 0.533, 0.495, 0.5,   0.423, 0.395,
                                          0.375, 0.372, 0.391, 0.396, 0.405, 0.428, 0.429, 0.523, 0.562, 0.607, 0.653,
                                          0.672, 0.708, 0.633, 0.668, 0.645, 0.632, 0.591, 0.559, 0.597, 0.625, 0.739,
                                          0.71,  0.729, 0.72,  0.636, 0.581, 0.428, 0.292, 0.162, 0.098, 0.054};

static void osborne_2(size_t n, const double x[n], size_t m, double f[m]) {
  for (size_t i = 0; i < m; i++) {
    double t = (double)i / 10, a = t - x[8], b = t - x[9], c = t - x[10];
    f[i] = osborne_2_data[i] -
           (x[0] * exp(-t * x[4]) + x[1] * exp(-a * a * x[5]) + x[2] * exp(-b * b * x[6]) + x[3] * exp(-c * c * x[7]));
  }
}

#endif
