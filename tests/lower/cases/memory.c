/* Heap memory, tables of pointers, memory made in branches. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
double heap_rows(int n, const double x[n]) { double **a = malloc(n * sizeof *a); for (int i = 0; i < n; i++) { a[i] = malloc(n * sizeof **a); for (int j = 0; j < n; j++) a[i][j] = x[i] * x[j] + j; } double s = 0; for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) s = s * 0.5 + a[j][i]; for (int i = 0; i < n; i++) free(a[i]); free(a); return s; }
static double **new_matrix(int n, int m) { double **a = malloc(n * sizeof *a); if (!a) return NULL; for (int i = 0; i < n; i++) a[i] = calloc(m, sizeof **a); return a; }
static void free_matrix(double **a, int n) { for (int i = 0; i < n; i++) free(a[i]); free(a); }
double helper_rows(int n, int m, const double x[n]) { double **a = new_matrix(n, m), **b = new_matrix(m, n); for (int i = 0; i < n; i++) for (int j = 0; j <= i && j < m; j++) a[i][j] = x[i] + j; for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) b[j][i] = a[i][j] * 2; double s = 0; for (int j = 0; j < m; j++) for (int i = 0; i < n; i++) s = s * 0.5 + b[j][i]; free_matrix(a, n); free_matrix(b, m); return s; }
double contiguous_rows(int n, int m, const double x[n]) { double *data = malloc(n * m * sizeof *data); double **a = malloc(n * sizeof *a); for (int i = 0; i < n; i++) a[i] = data + i * m; for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i][j] = x[i] * j; double s = 0; for (int k = 0; k < n * m; k++) s = s * 0.5 + data[k]; double *t = a[0]; a[0] = a[n - 1]; a[n - 1] = t; s += a[0][0] * 10 + a[n - 1][m - 1]; free(a); free(data); return s; }
double first_row_holds_all(int n, int m, const double x[n]) { double **a = malloc(n * sizeof *a); a[0] = malloc(n * m * sizeof **a); for (int i = 1; i < n; i++) a[i] = a[0] + i * m; for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i][j] = x[i] - j; double s = 0; for (int i = n - 1; i >= 0; i--) s = s * 0.5 + a[i][m / 2]; free(a[0]); free(a); return s; }
double variable_table(int n, const double x[n * 3]) { const double *row[n]; for (int i = 0; i < n; i++) row[i] = &x[3 * (n - 1 - i)]; double s = 0; for (int i = 0; i < n; i++) s = s * 0.5 + row[i][1] * row[n - 1 - i][2]; return s; }
double small_buffer(int n, const double x[n]) { double buf[3]; double *w = n <= 3 ? buf : malloc(n * sizeof *w); for (int i = 0; i < n; i++) w[i] = x[i] * 2; double s = 0; for (int i = 0; i < n; i++) s += w[i]; if (w != buf) free(w); return s; }
double lazy(int n, const double x[n]) { double *w = NULL; if (n > 2) w = malloc(n * sizeof *w); if (!w) return 0; for (int i = 0; i < n; i++) w[i] = x[i]; double s = w[0] + w[n - 1]; free(w); return s; }
double in_both(int n, const double x[n]) { double *w; if (n > 2) { w = malloc(n * sizeof *w); w[0] = 5; } else { w = calloc(4, sizeof *w); w[1] = 3; } w[n - 1] = x[0]; double s = n > 2 ? w[0] : w[1]; free(w); return s; }
double sets_errno(double x) { if (x < 0) { errno = EDOM; return -1; } return sqrt(x); }
double previous(int n, const double x[n]) { const double *prev; double s = 0; for (int i = 0; i < n; i++) { if (i > 0) s = s * 0.5 + x[i] - *prev; prev = &x[i]; } return s; }
static void *allocate(size_t n) { void *p = malloc(n); if (!p) { fprintf(stderr, "out of memory\n"); exit(1); } return p; }
double own_allocator(int n, const double x[n]) { double *w = allocate(n * sizeof *w); for (int i = 0; i < n; i++) w[i] = x[i] * x[i]; double s = 0; for (int i = 0; i < n; i++) s += w[i]; free(w); return s; }
char character(int k) { char s[] = "he\tll" "o\x41\0z"; return s[(k + 3) % 10]; }
int characters(void) { char s[8] = "abc"; int n = 0; while (s[n]) n++; return n * 100 + sizeof s; }
struct vector { int n; double *at; };
static struct vector *make(int n) { struct vector *v = malloc(sizeof *v); if (!v) return NULL; v->n = n; v->at = calloc(n, sizeof *v->at); return v; }
double by_struct(int n, const double x[n]) { struct vector *v = make(n); if (!v) return -1; for (int i = 0; i < v->n; i++) v->at[i] += x[i]; double s = 0; for (int i = 0; i < v->n; i++) s = s * 0.5 + v->at[i]; free(v->at); free(v); return s; }
