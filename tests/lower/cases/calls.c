/* Calls: inlined, by pointer, with arrays and results. */
#include <math.h>
#include <stdio.h>
#include <assert.h>
#include <stdlib.h>
static double square(double x) { return x * x; }
static inline double cubed(double x) { return square(x) * x; }
double calls(double x) { return cubed(x) + square(square(x)) + square(x = x + 1) + x; }
static void add_to(double *s, double x) { *s += x; }
double by_pointer(int n, const double x[n]) { double s = 0; for (int i = 0; i < n; i++) add_to(&s, x[i]); return s; }
static double sum(int n, const double x[n]) { double s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }
double sums(int n, const double x[n]) { return sum(n, x) * 2 + (n > 1 ? sum(n - 1, x + 1) : 0); }
double sum_unstated(int n, const double *x) { return n > 0 ? sum(n, x) : 0; }
static double mean(int n, const double *x) { return sum(n, x) / n; }
static double variance(int n, const double *x) { double m = mean(n, x), s = 0; for (int i = 0; i < n; i++) s += square(x[i] - m); return s / n; }
double deviation(int n, const double x[n]) { return sqrt(variance(n, x)); }
static void multiply(int n, const double a[n][n], const double x[n], double y[n]) { for (int i = 0; i < n; i++) { y[i] = 0; for (int j = 0; j < n; j++) y[i] += a[i][j] * x[j]; } }
double twice(int n, const double a[n][n], const double x[n]) { double y[n], z[n]; multiply(n, a, x, y); multiply(n, a, y, z); return sum(n, z); }
static double apply(double (*f)(double), double x) { return f(x) + 1; }
double function_pointer(double x) { return apply(square, x) + apply(cubed, x) + apply(sin, x); }
double function_pointer_local(double x, int k) { double (*f)(double) = square; if (k > 0) f = cubed; return f(x); }
double function_pointer_chosen(double x, int k) { return (k > 2 ? square : k > 0 ? cubed : cos)(x); }
typedef double (*unary)(double);
double function_table(double x, int k) { const unary table[3] = {square, cubed, exp}; return table[k < 0 ? 0 : k % 3](x); }
static double integrate(double (*f)(double, void *), void *data, double a, double b) { double s = 0; for (int i = 0; i < 8; i++) s += f(a + (b - a) * i / 8, data); return s; }
struct line { double slope, at; };
static double line(double x, void *data) { struct line *l = data; return l->slope * x + l->at; }
double callback(double a, double b) { struct line l = {a, b}; return integrate(line, &l, 0, 1); }
static int classify(double x) { if (x < -1) return -1; if (x > 1) return 1; return 0; }
double by_class(double x) { switch (classify(x)) { case -1: return -x; case 1: return x * x; } return 0.5 * x; }
static void both(double x, double *s, double *c) { *s = sin(x); *c = cos(x); }
double two_results(double x) { double s, c; both(x, &s, &c); return s * c; }
static double modifies(double x) { x += 5; return x; }
double by_value(double x) { double y = modifies(x); return x * y; }
static double search(int n, const double *x, double least) { for (int i = 0; i < n; i++) if (x[i] > least) return x[i]; return -100; }
double call_in_condition(int n, const double x[n]) { int k = 0; while (search(n, x, 0.25 * k) > -50 && k < 20) k++; return k; }
double call_in_loop_bound(int n, const double x[n]) { double s = 0; for (int i = 0; i < n - classify(x[0]); i++) s += i; return s; }
double checked(double x) { assert(x > -100); return x * 2; }
double printed(double x, int k) { if (k > 100) printf("x = %g, 100%%, %d\n", x, k); return x + k; }
double aborts(double x) { if (x > 100) abort(); return x; }
static double helper_static_array(int k, double x) { double t[3] = {x, x * x, 1}; return t[k % 3]; }
double helper_arrays(double x) { return helper_static_array(0, x) + helper_static_array(1, x) * 3 + helper_static_array(2, x); }
static double passes(const double *x, int n) { return sum(n, x); }
double passed_twice(const double *x) { return passes(x, 3); }
static double default_value(double x) { if (x > 0) return x; return 0; }
static void nothing(void) {}
double void_calls(double x) { nothing(); (void)default_value(x); return default_value(x) - default_value(-x); }
static double deep4(double x) { return x > 1 ? x : x + 1; }
static double deep3(double x) { return deep4(x) + deep4(x * 2); }
static double deep2(double x) { return deep3(x) * deep3(-x); }
double deep(double x) { return deep2(x) + deep2(x + 1); }
static void fill(int n, double x[n], double v) { for (int i = 0; i < n; i++) x[i] = v; }
double filled(int n, double v) { double a[n]; fill(n, a, v); a[0] += 1; return sum(n, a); }
static int find(int n, const double *x, double *out) { for (int i = 0; i < n; i++) { if (x[i] > 1) { *out = x[i]; return i; } } return -1; }
double found(int n, const double x[n]) { double v = -3; int i = find(n, x, &v); return v * 10 + i; }
double exits_in_call_in_loop(int n, const double x[n]) { double s = 0; for (int i = 0; i < n; i++) { double v = 0; if (find(i + 1, x, &v) == i) continue; if (v > 1.8) break; s += v + x[i]; } return s; }
float float_call(float x) { return sqrtf(x * x + 1) + fabsf(x) * (float)square(x); }
double function_set_in_loop(int n, double x) { double s = 0; double (*g)(double); for (int i = 0; i < n; i++) { if (i > 0) s += g(x + i); g = square; } return s; }
double function_changed_in_loop(int n, double x) { double s = 0; double (*g)(double) = cubed; for (int i = 0; i < n; i++) { s = s * 0.5 + g(x); g = i % 2 ? cubed : square; } return s; }
struct pair_of { double a, b; };
static struct pair_of both_of(double x) { return (struct pair_of){x, x * x}; }
double struct_function_set_in_loop(int n, double x) { double s = 0; struct pair_of (*g)(double); for (int i = 0; i < n; i++) { if (i > 0) { struct pair_of p = g(x + i); s += p.a * p.b; } g = both_of; } return s; }
static double *first_of(double *p) { return p; }
double pointer_function_set_in_loop(int n, double x) { double s = 0, y = x; double *(*g)(double *); for (int i = 0; i < n; i++) { if (i > 0) s += *g(&y) * i; g = first_of; } return s; }
