// A recorded function, by ADOL-C (PEER_ADOLC) or CppAD. It is recorded once, in the first evaluation; the others replay
// the tape, so that recording is not in the times.
#ifndef RECORDING_HPP
#define RECORDING_HPP

#include <cstddef>
#include <vector>

#ifdef PEER_ADOLC

#include <adolc/adolc.h>

using active = adouble;

class recording {
  short tag;
  int m = 0, n = 0;
  std::vector<double> y;

public:
  explicit recording(short t) : tag(t) {}
  bool made() const { return n != 0; }

  template <class F> void record(std::size_t inputs, const double *x, std::size_t outputs, F f) {
    n = int(inputs), m = int(outputs);
    y.resize(outputs);
    trace_on(tag);
    {
      std::vector<active> ax(inputs), ay(outputs);
      for (std::size_t i = 0; i < inputs; i++) {
        ax[i] <<= x[i];
      }
      f(ax.data(), ay.data());
      for (std::size_t i = 0; i < outputs; i++) {
        ay[i] >>= y[i];
      }
    }
    trace_off();
  }

  void gradient(const double *x, double *g) { ::gradient(tag, n, const_cast<double *>(x), g); }

  void jacobian(const double *x, double *rows) {
    std::vector<double *> row(static_cast<std::size_t>(m));
    for (int i = 0; i < m; i++) {
      row[std::size_t(i)] = rows + i * n;
    }
    ::jacobian(tag, m, n, x, row.data());
  }

  // Gradient and Hessian times v.
  void hessian_times(const double *x, const double *v, double *g, double *hv) {
    gradient(x, g);
    ::hess_vec(tag, n, const_cast<double *>(x), const_cast<double *>(v), hv);
  }
};

#else

#include <cppad/cppad.hpp>

using active = CppAD::AD<double>;

class recording {
  CppAD::ADFun<double> fun;
  std::vector<double> x_now, v_now, weight, result;
  std::size_t m = 0, n = 0;

public:
  explicit recording(short) {}
  bool made() const { return n != 0; }

  template <class F> void record(std::size_t inputs, const double *x, std::size_t outputs, F f) {
    n = inputs, m = outputs;
    std::vector<active> ax(x, x + inputs), ay(outputs);
    CppAD::Independent(ax);
    f(ax.data(), ay.data());
    fun.Dependent(ax, ay);
    fun.optimize();
    fun.check_for_nan(false);
    x_now.resize(n), v_now.resize(n), weight.assign(m, 0.0);
  }

  void gradient(const double *x, double *g) {
    x_now.assign(x, x + n);
    fun.Forward(0, x_now);
    weight[0] = 1;
    result = fun.Reverse(1, weight);
    std::copy(result.begin(), result.end(), g);
  }

  void jacobian(const double *x, double *rows) {
    x_now.assign(x, x + n);
    fun.Forward(0, x_now);
    if (m < n) {
      for (std::size_t i = 0; i < m; i++) {
        weight[i] = 1;
        result = fun.Reverse(1, weight);
        weight[i] = 0;
        std::copy(result.begin(), result.end(), rows + i * n);
      }
      return;
    }
    for (std::size_t j = 0; j < n; j++) {
      v_now[j] = 1;
      result = fun.Forward(1, v_now);
      v_now[j] = 0;
      for (std::size_t i = 0; i < m; i++) {
        rows[i * n + j] = result[i];
      }
    }
  }

  void hessian_times(const double *x, const double *v, double *g, double *hv) {
    x_now.assign(x, x + n);
    v_now.assign(v, v + n);
    fun.Forward(0, x_now);
    fun.Forward(1, v_now);
    weight[0] = 1;
    result = fun.Reverse(2, weight);
    for (std::size_t i = 0; i < n; i++) {
      g[i] = result[2 * i];
      hv[i] = result[2 * i + 1];
    }
  }
};

#endif
#endif
