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
