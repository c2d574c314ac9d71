/* Arrays: parameters, locals, several axes, in place. */
#include <stddef.h>
#include <string.h>
void scale(int n, double x[n], double a) { for (int i = 0; i < n; i++) x[i] *= a; }
void saxpy(int n, float a, const float x[n], float y[n]) { for (int i = 0; i < n; i++) y[i] += a * x[i]; }
double local_array(double x) { double a[4] = {1, 2}; a[2] = x; a[3] = a[2] * a[1]; return a[0] + a[1] + a[2] + a[3]; }
double local_uninit(double x) { double a[3]; for (int i = 0; i < 3; i++) a[i] = x * i; return a[0] + a[1] * a[2]; }
double designated(double x) { double a[6] = {[2] = x, 5, [0] = 1}; double s = 0; for (int i = 0; i < 6; i++) s = s * 2 + a[i]; return s; }
double zeroed(int n, double x) { double a[10] = {0}; a[n] = x; double s = 0; for (int i = 0; i < 10; i++) s = s * 1.5 + a[i]; return s; }
double variable(int n, const double x[n]) { double a[n]; for (int i = 0; i < n; i++) a[i] = x[n - 1 - i]; double s = 0; for (int i = 0; i < n; i++) s = s * 2 + a[i]; return s; }
double variable_2d(int n, int m, const double x[n]) { double a[n][m + 1]; for (int i = 0; i < n; i++) for (int j = 0; j <= m; j++) a[i][j] = x[i] * j; double s = 0; for (int j = 0; j <= m; j++) for (int i = 0; i < n; i++) s = s * 0.5 + a[i][j]; return s; }
double variable_in_loop(int n, const double x[n]) { double s = 0; for (int i = 1; i <= n; i++) { double a[i]; for (int j = 0; j < i; j++) a[j] = x[j] + i; s += a[i - 1] * a[0]; } return s; }
double matrix(double x) { double a[2][3] = {{1, x, 3}, {x * x, 5}}; return a[0][1] * a[1][0] + a[1][1] + a[1][2] + a[0][2]; }
void transpose(int n, int m, const double a[n][m], double b[m][n]) { for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) b[j][i] = a[i][j]; }
void multiply(int n, int m, int l, const double a[n][l], const double b[l][m], double c[n][m]) { for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) { double s = 0; for (int k = 0; k < l; k++) s += a[i][k] * b[k][j]; c[i][j] = s; } }
double trace3(const double a[3][3]) { return a[0][0] + a[1][1] + a[2][2]; }
double cube(int n, const double a[n][2][3]) { double s = 0; for (int i = 0; i < n; i++) for (int j = 0; j < 2; j++) for (int k = 0; k < 3; k++) s = s * 0.5 + a[i][j][k]; return s; }
double flat(int n, int m, const double a[n * m]) { double s = 0; for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) s = s * 0.5 + a[i * m + j]; return s; }
void prefix(int n, double x[n]) { for (int i = 1; i < n; i++) x[i] += x[i - 1]; }
void reverse(int n, double x[n]) { for (int i = 0; i < n / 2; i++) { double t = x[i]; x[i] = x[n - 1 - i]; x[n - 1 - i] = t; } }
void sort(int n, double a[n]) { for (int i = 1; i < n; i++) { double key = a[i]; int j = i - 1; while (j >= 0 && a[j] > key) { a[j + 1] = a[j]; j--; } a[j + 1] = key; } }
void bubble(int n, double a[n]) { int swapped; do { swapped = 0; for (int i = 1; i < n; i++) if (a[i - 1] > a[i]) { double t = a[i]; a[i] = a[i - 1]; a[i - 1] = t; swapped = 1; } } while (swapped); }
int lu(int n, double a[n][n], int piv[n]) {
  for (int k = 0; k < n; k++) {
    int p = k;
    double big = a[k][k] < 0 ? -a[k][k] : a[k][k];
    for (int i = k + 1; i < n; i++) { double t = a[i][k] < 0 ? -a[i][k] : a[i][k]; if (t > big) { big = t; p = i; } }
    piv[k] = p;
    if (big < 0.05) return k + 1;
    if (p != k) for (int j = 0; j < n; j++) { double t = a[k][j]; a[k][j] = a[p][j]; a[p][j] = t; }
    for (int i = k + 1; i < n; i++) { a[i][k] /= a[k][k]; for (int j = k + 1; j < n; j++) a[i][j] -= a[i][k] * a[k][j]; }
  }
  return 0;
}
int search(int n, const double x[n], double key, double *where) { for (int i = 0; i < n; i++) { if (x[i] == key) { *where = i; return 1; } if (x[i] > 1.5) break; if (x[i] < -1.5) { *where = -1; return -1; } } return 0; }
void histogram(int n, const double x[n], int bins[8]) { for (int i = 0; i < 8; i++) bins[i] = 0; for (int i = 0; i < n; i++) { int b = (int)((x[i] + 2) * 2); if (b >= 0 && b < 8) bins[b]++; } }
double gather(int n, const double x[n], const unsigned char index[n]) { double s = 0; for (int i = 0; i < n; i++) s += x[index[i] % n] * i; return s; }
void copy(int n, const double x[n], double y[n]) { memcpy(y, x, n * sizeof(double)); }
void copy_part(int n, const double x[n], double y[n]) { if (n > 1) memcpy(y + 1, x, (n - 1) * sizeof *x); y[0] = 9; }
void clear(int n, double x[n]) { memset(x, 0, n * sizeof *x); }
void shift(int n, double x[n]) { memmove(x + 1, x, (n - 1) * sizeof *x); }
void shift_back(int n, double x[n]) { memmove(x, x + 1, (n - 1) * sizeof *x); }
double local_copy(const double x[4]) { double a[4], b[4]; memcpy(a, x, sizeof a); memset(b, 0, sizeof b); memcpy(b, a, 2 * sizeof *b); a[0] = 7; return a[0] + a[3] * 2 + b[1] * 3 + b[2] + b[0]; }
double int_array(int n) { int fib[12] = {1, 1}; for (int i = 2; i < 12; i++) fib[i] = fib[i - 1] + fib[i - 2]; return fib[n] / 3.0; }
double bool_array(int n, const double x[n]) { _Bool seen[6] = {0}; double s = 0; for (int i = 0; i < n; i++) { int k = (int)(x[i] * 2 + 6) % 6; if (!seen[k]) { s += x[i]; seen[k] = 1; } } return s; }
double index_by_array(const double x[4]) { int order[4] = {3, 1, 0, 2}; double s = 0; for (int i = 0; i < 4; i++) s = s * 2 + x[order[i]]; return s; }
double swapped_subscript(const double x[3]) { return 2[x] + 0 [x]; }
void jacobi(int n, double a[n], double b[n]) { for (int k = 0; k < 3; k++) { for (int i = 1; i < n - 1; i++) b[i] = 0.5 * (a[i - 1] + a[i + 1]); for (int i = 1; i < n - 1; i++) a[i] = b[i]; } }
double static_extent(const double x[static 3]) { return x[0] * x[1] - x[2]; }
double partial_init_2d(double x) { double a[3][2] = {[1] = {x, 2}, [2][0] = 4}; double s = 0; for (int i = 0; i < 3; i++) for (int j = 0; j < 2; j++) s = s * 2 + a[i][j]; return s; }
double compound_literal(double x) { const double *p = (double[]){x, 2 * x, 3}; return p[0] * p[1] + p[2]; }
double declared_inside(int n, const double x[n]) { double s = 0; for (int i = 0; i < n; i++) { double t[2] = {x[i], 1}; t[1] += t[0]; s += t[1] * t[0]; } return s; }
