#include <stddef.h>
#include <math.h>

double sum_of_products(size_t n, const double x[n], double w) {
  double s = 0.0;
  for (size_t i = 0; i < n; i++) {
    s += x[i] * w;
  }
  return s;
}

struct swap_result swap(int n, double x, double y) {
  double a = x, b = y;
  for (int i = 0; i < n; i++) {
    double next_a = b;
    b = a;
    a = next_a;
  }
  struct swap_result result;
  result.r0 = a;
  result.r1 = b;
  return result;
}

long fibonacci(int n) {
  long a = 0, b = 1;
  for (int i = 0; i < n; i++) {
    long next = a + b;
    a = b;
    b = next;
  }
  return a;
}

struct ring_result ring(int n, double x, double y, double z) {
  double a = x, b = y, c = z;
  for (int i = 0; i < n; i++) {
    double d = a + b;
    a = b;
    b = c;
    c = d;
  }
  struct ring_result result;
  result.r0 = a;
  result.r1 = b;
  result.r2 = c;
  return result;
}

struct newton_result newton(double x) {
  double y = 1.0;
  long steps = 0;
  for (long i = 0; fabs(y * y - fabs(x)) > 1e-9 && i < 50; i++) {
    double h = fabs(x) / y + y;
    y = h * 0.5;
    steps++;
  }
  struct newton_result result;
  result.r0 = y;
  result.r1 = (double)steps;
  return result;
}

double search(size_t n, const double x[n], double limit) {
  double s = 0.0;
  long k = 0;
  for (size_t i = 0; i < n; i++) {
    double e = x[i];
    if (!(e < limit) && !(s < e)) {
      break;
    }
    s += x[i];
    k++;
  }
  return s + (double)k;
}

double long_condition(int n, double x) {
  double y = x;
  for (int i = 0; i < n; i++) {
    double s = sin(y);
    if (!(s * s + s < 0.25)) {
      break;
    }
    y += i;
  }
  return y;
}

struct counting_result counting(int n, size_t m, double x) {
  int n1 = n + 1;
  double a = x;
  for (int i = 0; i < n1; i++) {
    a = a * 3.0 - i;
  }
  double b = x;
  for (int i = n; i > 0; i--) {
    b = b * 3.0 - i;
  }
  double c = x;
  for (long step = n > 0 ? (long)((n + 1) / 2) : 0; step-- > 0;) {
    int i = (int)step * 2;
    c = c * 3.0 - i;
  }
  double d = x;
  for (size_t i = m; i-- > 0;) {
    d = d * 3.0 - (double)i;
  }
  double e = x;
  for (size_t i = 0; i++ < m;) {
    e = e * 3.0 - (double)i;
  }
  long trips = (n1 > 0 ? (long)n1 : 0) + (n > 0 ? (long)n : 0) +
      ((n > 0 ? (long)((n + 1) / 2) : 0) + (long)m);
  struct counting_result result;
  result.r0 = a;
  result.r1 = b;
  result.r2 = c;
  result.r3 = d;
  result.r4 = e;
  result.r5 = (double)(trips + (m > 0 ? (long)m : 0));
  return result;
}

double keeps_start(int n, double s) {
  double s_2 = sin(s), r = s_2;
  for (int i = 0; i < n; i++) {
    r *= s;
  }
  return r - s_2;
}

double first_above(size_t n, const double x[n], double limit) {
  double s = 0.0;
  long t = 0;
  for (size_t i = 0; i < n; i++) {
    t++;
    double e = x[i];
    if (e > limit) {
      break;
    }
    s += e;
  }
  return s + (double)t;
}

double which_exit(size_t n, const double x[n], double limit) {
  int exit = 0;
  double s = 0.0;
  for (size_t i = 0; i < n; i++) {
    double e = x[i];
    if (e > limit) {
      s += limit;
      exit = 2;
      break;
    }
    s += e;
    if (s < 0.0) {
      exit = 1;
      break;
    }
  }
  return exit == 2 ? -s : s;
}

double skip_negative(size_t n, const double x[n], double limit) {
  int leave = 0;
  double s = 0.0;
  for (size_t i = 0; i < n; i++) {
    double e = x[i];
    if (!(e < 0.0)) {
      s += e;
      if (s > limit) {
        leave = 1;
        break;
      }
    }
  }
  return s - leave;
}
