/* Pointers, offsets, aliases. */
#include <stddef.h>
#include <stdlib.h>
double deref(const double *x) { return *x * 2; }
double walk(int n, const double x[n]) { double s = 0; const double *end = x + n; for (const double *p = x; p < end; p++) s = s * 0.5 + *p; return s; }
double walk_post(int n, const double x[n]) { double s = 0; const double *p = x; while (n-- > 0) s = s * 0.5 + *p++; return s; }
double walk_ne(int n, const double x[n]) { double s = 0; for (const double *p = x; p != x + n; ++p) s = s * 0.5 + *p; return s; }
double walk_down(int n, const double x[n]) { double s = 0; const double *p = x + n; while (p > x) s = s * 0.5 + *--p; return s; }
void write_walk(int n, double x[n]) { double *p = x; for (int i = 0; i < n; i++) *p++ *= i; }
double offset(int n, const double x[n]) { const double *p = x + n - 1; return p[0] + p[1 - n] + *(p - n + 1) + (&x[0])[n - 1]; }
ptrdiff_t difference(int n, const double x[n]) { const double *p = &x[n - 1]; const double *q = x; return p - q + (q - p) * 10 + (&x[0] - x); }
double local_address(double x) { double y = x; double *p = &y; *p += 1; p[0] *= 2; return y + *p; }
double alias(double x) { double a = x, *p = &a, **pp = &p; **pp = 3 * a; return a; }
double alias_array(double x) { double a[3] = {x, 1, 2}; double *p = a, *q = a + 1; p[1] = 5; q[0] *= x; q[1] += p[0]; return a[0] + a[1] + a[2]; }
double chosen(int k, double x, double y) { double *p = k > 0 ? &x : &y; *p *= 10; return x + y; }
double chosen_if(int k, double x, double y) { double *p; if (k > 0) p = &x; else p = &y; *p += 1; p = &x; *p += 100; return x + y; }
double chosen_array(int k, const double x[3], const double y[3]) { const double *p = k > 0 ? x : y; double s = 0; for (int i = 0; i < 3; i++) s = s * 0.5 + p[i]; return s; }
double chosen_offset(int k, const double x[6]) { const double *p = k > 0 ? x + 2 : x; p += 1; return *p * p[1]; }
double ping_pong(int n, double x) { double a[4] = {x, 1, 2, 3}, b[4]; double *p = a, *q = b; for (int i = 0; i < n; i++) { for (int j = 0; j < 4; j++) q[j] = 0.5 * (p[j] + p[(j + 1) % 4]); double *t = p; p = q; q = t; } return p[0] + 2 * p[3]; }
double min_pointer(int n, const double x[n]) { const double *best = x; for (int i = 1; i < n; i++) if (x[i] < *best) best = &x[i]; return *best * 10 + (best - x); }
double null_check(const double *x, int k) { const double *p = k > 0 ? x : NULL; if (p) return *p; return -1; }
double optional(double x, double *out) { if (out) *out = x; return x * 2; }
double null_local(double x) { double *p = NULL; if (!p) x += 1; if (p != 0) x += 100; p = &x; if (p) *p *= 2; return x; }
void swap(double *a, double *b) { double t = *a; *a = *b; *b = t; }
double swapped(double x, double y) { swap(&x, &y); return x * 10 + y; }
void swap_elements(int n, double x[n], int i) { i = i < 0 ? 0 : i % n; swap(&x[0], &x[i]); }
static void bump(double *x, int n) { for (int i = 0; i < n; i++) x[i] += 1; }
void bump_tail(int n, double x[n]) { bump(x + 1, n - 1); bump(&x[n - 1], 1); }
double bump_scalar(double x) { bump(&x, 1); return x; }
double row_pointer(int n, const double a[n][3]) { double s = 0; for (int i = 0; i < n; i++) { const double *row = a[i]; for (int j = 0; j < 3; j++) s = s * 0.5 + row[j]; } return s; }
double row_walk(int n, const double a[n][3]) { double s = 0; for (const double (*r)[3] = a; r < a + n; r++) s = s * 0.5 + (*r)[0] + r[0][2]; return s; }
double flat_walk(void) { double a[2][3] = {{1, 2, 3}, {4, 5, 6}}; double s = 0; const double *p = &a[0][0]; for (int i = 0; i < 6; i++) s = s * 0.5 + p[i]; return s; }
double flat_cast(double x) { double a[2][3] = {{1, 2, x}, {4, x, 6}}; double s = 0; const double *p = (const double *)a; for (int i = 0; i < 6; i++) s = s * 0.5 + *p++; return s; }
double flat_write(double x) { double a[3][2]; double *p = &a[0][0]; for (int i = 0; i < 6; i++) p[i] = x * i; return a[1][1] + 10 * a[2][0]; }
double as_rows(int n, const double x[n * 3]) { const double (*a)[3] = (const double (*)[3])x; double s = 0; for (int i = 0; i < n; i++) for (int j = 0; j < 3; j++) s = s * 0.5 + a[i][j]; return s; }
double as_rows_variable(int n, int m, const double x[n * m]) { const double (*a)[m] = (const double (*)[m])x; double s = 0; for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) s = s * 0.5 + a[i][j]; return s; }
static double dot3(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
double rows(const double a[3][3]) { return dot3(a[0], a[1]) + dot3(a[2], a[2]); }
double pointer_array(const double x[3], const double y[3]) { const double *p[2] = {x, y}; double s = 0; for (int i = 0; i < 3; i++) s += p[0][i] * p[1][i]; return s; }
double pointer_array_run_time(const double x[3], const double y[3]) { const double *p[2] = {x, y}; double s = 0; for (int k = 0; k < 2; k++) for (int i = 0; i < 3; i++) s = s * 0.5 + p[k][i]; return s; }
double pointer_array_write(int k, double x, double y) { double *p[2]; p[0] = &x; p[1] = &y; *p[k & 1] = 9; return x * 10 + y; }
struct node { double v; struct node *next; };
double list(double x) { struct node c = {3, NULL}, b = {x, &c}, a = {1, &b}; return a.next->v * 10 + a.next->next->v; }
double list_walk(double x) { struct node c = {3, NULL}, b = {x, &c}, a = {1, &b}; double s = 0; for (const struct node *p = &a; p; p = p->next) s = s * 2 + p->v; return s; }
double heap(int n, const double x[n]) { double *w = malloc(n * sizeof(double)); if (!w) return -1; for (int i = 0; i < n; i++) w[i] = x[i] * i; double s = 0; for (int i = 0; i < n; i++) s += w[n - 1 - i] * x[i]; free(w); return s; }
double heap_zero(size_t n, double x) { double *w = calloc(n + 1, sizeof *w); w[n] = x; double s = 0; for (size_t i = 0; i <= n; i++) s = s * 2 + w[i]; free(w); return s; }
static double *vector(int n) { return malloc(sizeof(double) * n); }
double heap_helper(int n, const double x[n]) { double *a = vector(n), *b = vector(n + 1); for (int i = 0; i < n; i++) { a[i] = x[i]; b[i + 1] = a[i] * 2; } b[0] = 1; double s = 0; for (int i = 0; i <= n; i++) s = s * 0.5 + b[i]; free(a); free(b); return s; }
struct big { double a[3]; int k; };
double heap_struct(double x) { struct big *p = malloc(sizeof *p); p->k = 2; for (int i = 0; i < 3; i++) p->a[i] = x * i; double r = p->a[p->k] + p->k; free(p); return r; }
double heap_matrix(int n, const double x[n]) { double (*a)[n] = malloc(sizeof(double[n][n])); for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[i][j] = x[i] * x[j] + i; double s = 0; for (int i = 0; i < n; i++) s += a[i][n - 1 - i]; free(a); return s; }
void pointer_to_array(double (*a)[3], double x) { (*a)[1] = x; a[0][2] *= 2; }
double end_pointer(int n, const double x[n]) { const double *p = x, *const end = &x[n]; double s = 0; while (p != end) { if (*p < -1) { p++; continue; } s += *p++; } return s; }
double two_cursors(int n, double x[n]) { double *lo = x, *hi = x + n - 1; while (lo < hi) { double t = *lo; *lo++ = *hi; *hi-- = t; } return *lo; }
double pointer_parameter_moves(const double *x, int n) { double s = 0; n = n < 0 ? 0 : n; for (; n > 0; n--, x++) s = s * 0.5 + *x; return s; }
double cast_void(double x) { void *p = &x; double *q = p; *q += 2; return x; }
/* Pointers that the first tries of a loop leave open: followed in an inner loop, chosen between, called, late known. */
double open_inner(int n, const double x[n]) { const double *a; double s = 0; for (int i = 0; i < n; i++) { for (int j = 0; j < 2; j++) if (i) s += a[0] * j; a = x + i; } return s; }
double open_chosen(int n, const double x[n]) { const double *a, *b; double s = 0; for (int i = 0; i < n; i++) { if (i) { const double *p = i & 1 ? a : b; s += p == x ? *p : 2 * *p; } a = x; b = x + i; } return s; }
double open_compared(int n, const double x[n]) { const double *a, *b; double s = 0; for (int i = 0; i < n; i++) { if (i) s += (i & 1 ? a : b) == x ? 1 : x[i]; a = x; b = x + i; } return s; }
static double open_one(double x) { return x * x; }
static double open_two(double x) { return 2 * x; }
double open_called(int n, const double x[n]) { double (*a)(double), (*b)(double), s = 0; for (int i = 0; i < n; i++) { if (i) s += (i & 1 ? a : b)(x[i]); a = open_one; b = open_two; } return s; }
double open_chain(int n, const double x[n]) { const double *a, *b, *c; double s = 0; for (int i = 0; i < n; i++) { if (i > 2) s += *a * *a; a = b; b = c; c = x + i; } return s; }
double open_both(int n, const double x[n]) { const double *a, *b, *p; double s = 0; for (int i = 0; i < n; i++) { if (i) p = a; for (int j = 0; j < 3; j++) if (i > 0) { s += *p * *b; p = b; } a = x; b = x + i; } return s; }
