// The primals of the evals for tools that overload operators: the same algorithms as bench/gradbench/*.h, with T in place
// of double.
#ifndef PRIMALS_HPP
#define PRIMALS_HPP

#include <cmath>
#include <cstddef>
#include <vector>

namespace primal {

using std::cos;
using std::exp;
using std::log;
using std::size_t;
using std::sin;
using std::sqrt;
using std::tanh;
using std::vector;

template <class T> T log_sum_exp(size_t n, const T *v) {
  size_t top = 0;
  for (size_t i = 1; i < n; i++) {
    if (v[i] > v[top]) {
      top = i;
    }
  }
  T max = v[top], sum = 0.0;
  for (size_t i = 0; i < n; i++) {
    sum += exp(v[i] - max);
  }
  return max + log(sum);
}

template <class T>
T gmm(size_t d, size_t k, size_t n, const T *alpha, const T *mu, const T *q, const T *l, const double *x, double gamma,
      size_t m) {
  size_t triangle = d * (d - 1) / 2;
  vector<T> diagonal(k * d), q_sum(k), beta(k), centered(d), scaled(d);
  T prior = 0.0, likelihood = 0.0;
  for (size_t c = 0; c < k; c++) {
    T frobenius = 0.0;
    q_sum[c] = 0.0;
    for (size_t j = 0; j < d; j++) {
      q_sum[c] += q[c * d + j];
      diagonal[c * d + j] = exp(q[c * d + j]);
      frobenius += diagonal[c * d + j] * diagonal[c * d + j];
    }
    for (size_t j = 0; j < triangle; j++) {
      frobenius += l[c * triangle + j] * l[c * triangle + j];
    }
    prior += double(m) * q_sum[c] - 0.5 * gamma * gamma * frobenius;
  }
  for (size_t i = 0; i < n; i++) {
    for (size_t c = 0; c < k; c++) {
      for (size_t j = 0; j < d; j++) {
        centered[j] = x[i * d + j] - mu[c * d + j];
        scaled[j] = diagonal[c * d + j] * centered[j];
      }
      const T *column = l + c * triangle;
      for (size_t col = 0; col < d; col++) {
        for (size_t row = col + 1; row < d; row++) {
          scaled[row] += *column++ * centered[col];
        }
      }
      T norm = 0.0;
      for (size_t j = 0; j < d; j++) {
        norm += scaled[j] * scaled[j];
      }
      beta[c] = alpha[c] + q_sum[c] - 0.5 * norm;
    }
    likelihood += log_sum_exp(k, beta.data());
  }
  double pi = std::acos(-1.0), degrees = double(d + m + 1), log_gamma = 0.25 * double(d * (d - 1)) * log(pi);
  for (size_t j = 0; j < d; j++) {
    log_gamma += std::lgamma(0.5 * degrees - 0.5 * double(j));
  }
  double constant = degrees * double(d) * log(gamma / sqrt(2.0)) - log_gamma;
  return likelihood - double(n) * (0.5 * double(d) * log(2 * pi) + log_sum_exp(k, alpha)) + prior +
         double(k) * constant;
}

// in: camera 11, point 3, weight 1, feature 2.
template <class T> void ba(const T *in, T *error) {
  const T *r = in;
  T p[3] = {in[11] - in[3], in[12] - in[4], in[13] - in[5]}, y[3];
  T square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
  if (square != 0.0) {
    T angle = sqrt(square), c = cos(angle), s = sin(angle);
    T w[3] = {r[0] / angle, r[1] / angle, r[2] / angle};
    T along = (w[0] * p[0] + w[1] * p[1] + w[2] * p[2]) * (1.0 - c);
    y[0] = p[0] * c + (w[1] * p[2] - w[2] * p[1]) * s + w[0] * along;
    y[1] = p[1] * c + (w[2] * p[0] - w[0] * p[2]) * s + w[1] * along;
    y[2] = p[2] * c + (w[0] * p[1] - w[1] * p[0]) * s + w[2] * along;
  } else {
    y[0] = p[0] + r[1] * p[2] - r[2] * p[1];
    y[1] = p[1] + r[2] * p[0] - r[0] * p[2];
    y[2] = p[2] + r[0] * p[1] - r[1] * p[0];
  }
  T u = y[0] / y[2], v = y[1] / y[2];
  T radius = u * u + v * v, distortion = 1.0 + in[9] * radius + in[10] * radius * radius;
  error[0] = in[14] * (u * distortion * in[6] + in[7] - in[15]);
  error[1] = in[14] * (v * distortion * in[6] + in[8] - in[16]);
}

// in: shift 2, theta 26; error: n 3.
template <class T, class Input> void ht(const Input &h, const T *in, T *error) {
  const T *shift = in, *theta = in + 2;
  vector<T> absolute(h.bones * 12), transform(h.bones * 12), position(h.vertices * 3);
  for (size_t b = 0; b < h.bones; b++) {
    T turn[3][3], posed[3][4], flexion = 0.0, abduction = 0.0;
    if (b >= 1 && b <= 20 && (b - 1) % 4 != 0) {
      size_t joint = (b - 1) % 4, first = 6 + (b - 1) / 4 * 4;
      flexion = theta[joint == 1 ? first : first + joint];
      if (joint == 1) {
        abduction = theta[first + 1];
      }
    }
    T cx = cos(flexion), sx = sin(flexion), cz = cos(abduction), sz = sin(abduction);
    turn[0][0] = cz, turn[0][1] = -sz * cx, turn[0][2] = sz * sx;
    turn[1][0] = sz, turn[1][1] = cz * cx, turn[1][2] = -cz * sx;
    turn[2][0] = 0.0, turn[2][1] = sx, turn[2][2] = cx;
    const double *base = h.relative + 16 * b, *inverse = h.inverse + 16 * b;
    for (size_t i = 0; i < 3; i++) {
      for (size_t j = 0; j < 3; j++) {
        posed[i][j] = base[4 * i] * turn[0][j] + base[4 * i + 1] * turn[1][j] + base[4 * i + 2] * turn[2][j];
      }
      posed[i][3] = base[4 * i + 3];
    }
    T *own = &absolute[12 * b];
    for (size_t i = 0; i < 3; i++) {
      for (size_t j = 0; j < 4; j++) {
        if (h.parent[b] < 0) {
          own[4 * i + j] = posed[i][j];
        } else {
          const T *up = &absolute[12 * size_t(h.parent[b])] + 4 * i;
          own[4 * i + j] = up[0] * posed[0][j] + up[1] * posed[1][j] + up[2] * posed[2][j];
          if (j == 3) {
            own[4 * i + j] += up[3];
          }
        }
      }
    }
    for (size_t i = 0; i < 3; i++) {
      for (size_t j = 0; j < 4; j++) {
        transform[12 * b + 4 * i + j] = own[4 * i] * inverse[j] + own[4 * i + 1] * inverse[4 + j] +
                                        own[4 * i + 2] * inverse[8 + j] + own[4 * i + 3] * inverse[12 + j];
      }
    }
  }
  T global[3][3];
  T angle = sqrt(theta[0] * theta[0] + theta[1] * theta[1] + theta[2] * theta[2]);
  if (angle < 1e-4) {
    for (size_t i = 0; i < 3; i++) {
      for (size_t j = 0; j < 3; j++) {
        global[i][j] = i == j ? 1.0 : 0.0;
      }
    }
  } else {
    T x = theta[0] / angle, y = theta[1] / angle, z = theta[2] / angle, s = sin(angle), c = cos(angle);
    global[0][0] = x * x + (1.0 - x * x) * c;
    global[0][1] = x * y * (1.0 - c) - z * s;
    global[0][2] = x * z * (1.0 - c) + y * s;
    global[1][0] = x * y * (1.0 - c) + z * s;
    global[1][1] = y * y + (1.0 - y * y) * c;
    global[1][2] = y * z * (1.0 - c) - x * s;
    global[2][0] = x * z * (1.0 - c) - y * s;
    global[2][1] = y * z * (1.0 - c) + x * s;
    global[2][2] = z * z + (1.0 - z * z) * c;
  }
  for (size_t v = 0; v < h.vertices; v++) {
    T blended[3] = {T(0.0), T(0.0), T(0.0)};
    const double *base = h.base + 4 * v;
    for (size_t b = 0; b < h.bones; b++) {
      double weight = h.weight[v * h.bones + b];
      if (weight != 0) {
        for (size_t i = 0; i < 3; i++) {
          const T *row = &transform[12 * b + 4 * i];
          blended[i] += weight * (row[0] * base[0] + row[1] * base[1] + row[2] * base[2] + row[3] * base[3]);
        }
      }
    }
    double side = h.mirrored ? -1 : 1;
    for (size_t i = 0; i < 3; i++) {
      position[3 * v + i] =
          global[i][0] * side * blended[0] + global[i][1] * blended[1] + global[i][2] * blended[2] + theta[3 + i];
    }
  }
  for (size_t i = 0; i < h.n; i++) {
    for (size_t j = 0; j < 3; j++) {
      if (h.complicated) {
        const size_t *corner = h.triangle + 3 * h.correspondence[i];
        T u = h.us[2 * i] + shift[0], v = h.us[2 * i + 1] + shift[1];
        error[3 * i + j] = h.point[3 * i + j] - (u * position[3 * corner[0] + j] + v * position[3 * corner[1] + j] +
                                                 (1.0 - u - v) * position[3 * corner[2] + j]);
      } else {
        error[3 * i + j] = h.point[3 * i + j] - position[3 * h.correspondence[i] + j];
      }
    }
  }
}

template <class T> T sigmoid(const T &x) {
  return 1.0 / (1.0 + exp(-x));
}

template <class T>
T lstm(size_t layers, size_t steps, size_t bits, const T *main_params, const T *extra, const double *state,
       const double *sequence) {
  vector<T> hidden(layers * bits), cell(layers * bits), signal(bits);
  for (size_t k = 0; k < layers; k++) {
    for (size_t i = 0; i < bits; i++) {
      hidden[k * bits + i] = state[2 * k * bits + i];
      cell[k * bits + i] = state[(2 * k + 1) * bits + i];
    }
  }
  T total = 0.0;
  for (size_t t = 0; t + 1 < steps; t++) {
    const double *x = sequence + t * bits, *gold = x + bits;
    for (size_t i = 0; i < bits; i++) {
      signal[i] = x[i] * extra[i];
    }
    for (size_t k = 0; k < layers; k++) {
      const T *w = main_params + 8 * k * bits, *b = w + 4 * bits;
      T *h = &hidden[k * bits], *c = &cell[k * bits];
      for (size_t i = 0; i < bits; i++) {
        T forget = sigmoid(T(signal[i] * w[i] + b[i]));
        T ingate = sigmoid(T(h[i] * w[bits + i] + b[bits + i]));
        T outgate = sigmoid(T(signal[i] * w[2 * bits + i] + b[2 * bits + i]));
        T change = tanh(h[i] * w[3 * bits + i] + b[3 * bits + i]);
        c[i] = c[i] * forget + ingate * change;
        h[i] = outgate * tanh(c[i]);
        signal[i] = h[i];
      }
    }
    T sum = 2.0, score = 0.0;
    double gold_sum = 0;
    for (size_t i = 0; i < bits; i++) {
      T prediction = signal[i] * extra[bits + i] + extra[2 * bits + i];
      sum += exp(prediction);
      score += gold[i] * prediction;
      gold_sum += gold[i];
    }
    total += score - gold_sum * log(sum);
  }
  return -total / (double(steps - 1) * double(bits));
}

template <class T> T det_of_minor(size_t n, const T *a, size_t m, const size_t *columns) {
  size_t row = n - m;
  if (m == 1) {
    return a[row * n + columns[0]];
  }
  if (m == 2) {
    return a[row * n + columns[0]] * a[(row + 1) * n + columns[1]] -
           a[row * n + columns[1]] * a[(row + 1) * n + columns[0]];
  }
  T sum = 0.0;
  double sign = 1;
  vector<size_t> others(m - 1);
  for (size_t j = 0; j < m; j++) {
    for (size_t i = 0; i < m - 1; i++) {
      others[i] = columns[i < j ? i : i + 1];
    }
    sum += sign * a[row * n + columns[j]] * det_of_minor(n, a, m - 1, others.data());
    sign = -sign;
  }
  return sum;
}

template <class T> T det(size_t n, const T *a) {
  vector<size_t> columns(n);
  for (size_t j = 0; j < n; j++) {
    columns[j] = j;
  }
  return det_of_minor(n, a, n, columns.data());
}

template <class T> T llsq(size_t m, const T *x, size_t n) {
  T sum = 0.0;
  for (size_t i = 0; i < n; i++) {
    double t = -1 + double(i) * 2 / (double(n) - 1), power = 1;
    T residual = t > 0 ? 1.0 : t < 0 ? -1.0 : 0.0;
    for (size_t j = 0; j < m; j++) {
      residual -= x[j] * power;
      power *= t;
    }
    sum += residual * residual;
  }
  return sum / 2.0;
}

template <class T> T ode(size_t n, const T *x, size_t s) {
  double h = 2 / double(s);
  vector<T> y(n, T(0.0)), between(n), k1(n), k2(n), k3(n), k4(n);
  auto slope = [&](const vector<T> &at, vector<T> &k) {
    k[0] = x[0];
    for (size_t i = 1; i < n; i++) {
      k[i] = x[i] * at[i - 1];
    }
  };
  for (size_t step = 0; step < s; step++) {
    slope(y, k1);
    for (size_t i = 0; i < n; i++) {
      between[i] = y[i] + h / 2 * k1[i];
    }
    slope(between, k2);
    for (size_t i = 0; i < n; i++) {
      between[i] = y[i] + h / 2 * k2[i];
    }
    slope(between, k3);
    for (size_t i = 0; i < n; i++) {
      between[i] = y[i] + h * k3[i];
    }
    slope(between, k4);
    for (size_t i = 0; i < n; i++) {
      y[i] += h / 6 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
    }
  }
  return y[n - 1];
}

template <class T> T kmeans(size_t n, size_t k, size_t d, const double *points, const T *centroids) {
  T cost = 0.0;
  for (size_t i = 0; i < n; i++) {
    T least = 0.0;
    for (size_t c = 0; c < k; c++) {
      T distance = 0.0;
      for (size_t j = 0; j < d; j++) {
        T difference = centroids[c * d + j] - points[i * d + j];
        distance += difference * difference;
      }
      if (c == 0 || distance < least) {
        least = distance;
      }
    }
    cost += least;
  }
  return cost;
}

}  // namespace primal

#endif
