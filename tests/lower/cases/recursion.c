/* Functions that call themselves. */
#include <math.h>
double factorial(unsigned k) { return k < 2 ? 1 : k * factorial(k - 1); }
int fibonacci(unsigned k) { if (k < 2) return k; return fibonacci(k - 1) + fibonacci(k - 2); }
double power(double x, unsigned k) { if (k == 0) return 1; double h = power(x, k / 2); return k % 2 ? h * h * x : h * h; }
static double total(int n, const double x[n]) { return n == 0 ? 0 : x[0] + 0.5 * total(n - 1, x + 1); }
double tail(int n, const double x[n]) { return total(n, x) + total(n - 1, x); }
double halves(int n, const double x[n]) { if (n == 1) return x[0]; int h = n / 2; return halves(h, x) * 0.5 + halves(n - h, x + h); }
double whole_array(int n, const double x[n], int k) { if (k < 0 || k >= n) return 0; return x[k] + 0.5 * whole_array(n, x, k + 1); }
void fill(int n, double x[n], int k) { if (k < 0) { fill(n, x, 0); return; } if (k >= n) return; x[k] = k * 0.5; fill(n, x, k + 1); }
void double_halves(int n, double x[n]) { if (n == 1) { x[0] *= 2; return; } double_halves(n / 2, x); double_halves(n - n / 2, x + n / 2); }
static int is_odd(unsigned k);
int is_even(unsigned k) { return k == 0 ? 1 : is_odd(k - 1); }
static int is_odd(unsigned k) { return k == 0 ? 0 : is_even(k - 1); }
static void accumulate(double *s, int k, double x) { if (k <= 0) return; *s += x; accumulate(s, k - 1, x * 0.5); }
double through_pointer(int k, double x) { double s = 1; accumulate(&s, k, x); return s; }
struct pair { double a, b; };
struct pair split(struct pair p, unsigned k) { if (k == 0) return p; struct pair q = {p.b, p.a + p.b}; return split(q, k - 1); }
double simpson(double a, double b, int depth) { double m = 0.5 * (a + b); double whole = (b - a) / 6 * (exp(a) + 4 * exp(m) + exp(b)); if (depth <= 0) return whole; return simpson(a, m, depth - 1) + simpson(m, b, depth - 1); }
void sort(int n, double a[n]) { if (n < 2) return; double p = a[n / 2]; int i = 0, j = n - 1; while (i <= j) { while (a[i] < p) i++; while (a[j] > p) j--; if (i <= j) { double t = a[i]; a[i] = a[j]; a[j] = t; i++; j--; } } if (j > 0) sort(j + 1, a); if (i < n - 1) sort(n - i, a + i); }
int ackermann(unsigned a, unsigned b) { a %= 3; b %= 4; if (a == 0) return b + 1; if (b == 0) return ackermann(a - 1, 1); return ackermann(a - 1, ackermann(a, b - 1) % 4); }
