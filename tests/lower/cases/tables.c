/* File-scope and static constants. */
#include <stddef.h>
static const double weight = 0.25;
const double table[4] = {1, 2.5, -3, 4e-1};
static const double grid[2][3] = {{1, 2, 3}, {4, 5}};
static const int order[3] = {2, 0, 1};
static const struct { double a; int k; } entries[2] = {{1.5, 3}, {2.5, -4}};
static const float small[2] = {0.1f, 0.2f};
#define COUNT (sizeof table / sizeof *table)
static double changing = 3;
static double values[3] = {1, 2, 3};
double scalar(double x) { return x * weight; }
double array(double x) { double s = 0; for (size_t i = 0; i < COUNT; i++) s = s * x + table[i]; return s; }
double array_2d(double x) { double s = 0; for (int i = 0; i < 2; i++) for (int j = 0; j < 3; j++) s = s * x + grid[i][j]; return s; }
double by_order(const double x[3]) { double s = 0; for (int i = 0; i < 3; i++) s = s * 0.5 + x[order[i]]; return s; }
double structs(double x) { double s = 0; for (int i = 0; i < 2; i++) s = s * x + entries[i].a * entries[i].k; return s; }
double in_float(float x) { return small[0] * x + small[1]; }
double static_local(double x, int k) { static const double c[3] = {0.5, 1.5, 2.5}; static const double one = 1; return c[(k + 3) % 3] * x + one; }
static double dot(int n, const double *a, const double *b) { double s = 0; for (int i = 0; i < n; i++) s += a[i] * b[i]; return s; }
double passed(const double x[4]) { return dot(4, table, x) + dot(3, grid[1], x); }
double pointer(double x) { const double *p = table; p++; return *p * x + p[1]; }
double in_branch(double x) { if (x > 0) { double s = 0; for (int i = 0; i < 4; i++) s += table[i] * x; return s; } return table[1] * 2 - weight; }
struct series { const double *c; int order; double a, b; };
static double cheb_data[4] = {0.5, 0.25, -0.125, 0.0625};
static struct series cheb = {cheb_data, 3, -2, 2};
static double evaluate(const struct series *cs, double x) { double d = 0, dd = 0, y = (2 * x - cs->a - cs->b) / (cs->b - cs->a); for (int j = cs->order; j >= 1; j--) { double t = d; d = 2 * y * d - dd + cs->c[j]; dd = t; } return y * d - dd + 0.5 * cs->c[0]; }
double chebyshev(double x) { return evaluate(&cheb, x); }
static double plus(double x) { return x + 1; }
static double times(double x) { return x * 2; }
static double (*const operations[])(double) = {plus, times};
double by_table(double x, int k) { return operations[k & 1](x) + operations[0](x); }
static const double *const lines[2] = {table, grid[0]};
double by_line(double x, int k) { return lines[k & 1][1] * x; }
static double unwritten = 2.5;
double static_unwritten(double x) { static double one = 1, zero = 0; return x * unwritten + one - zero; }
#ifdef BY_NAME
double by_name(double x) { return x * changing + values[1]; }
static void set_values(int k) { changing = k; values[k] = 2; }
#endif
double gauss(double a, double b) { const double x[3] = {-0.7745966692414834, 0, 0.7745966692414834}, w[3] = {5. / 9, 8. / 9, 5. / 9}; double s = 0; for (int i = 0; i < 3; i++) { double t = 0.5 * (a + b) + 0.5 * (b - a) * x[i]; s += w[i] * t * t; } return 0.5 * (b - a) * s; }
double unqualified(double x) { double c[2][2] = {{1, 2}, {3}}; double s = 0; for (int i = 0; i < 2; i++) for (int j = 0; j < 2; j++) s = s * x + c[i][j]; return s; }
double changed_table(double x) { double c[3] = {1, 2, 3}; c[1] = x; return c[0] + c[1] * c[2]; }
double changed_by_pointer(double x) { double c[3] = {1, 2, 3}; double *p = c; p[2] = x; return c[0] + c[1] * c[2]; }
double set_from_argument(double x) { const double c[3] = {1, x, 3}; return c[0] + c[1] * c[2]; }
double passed_table(double x) { double c[3] = {1, 2, 3}; double y[3] = {x, 1, x}; return dot(3, c, y); }
double struct_table(double x) { struct { double a; int k; } t[2] = {{1, 2}, {3, 4}}; double s = 0; for (int i = 0; i < 2; i++) s = s * x + t[i].a * t[i].k; return s; }
double in_loop(int n, double x) { double s = 0; for (int i = 0; i < n; i++) { const float c[2] = {0.1f, 0.2f}; s = s * x + c[i & 1]; } return s; }
