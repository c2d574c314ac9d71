/* Ordinary C with the headers that numerical code includes. */
#include <assert.h>
#include <complex.h>
#include <ctype.h>
#include <errno.h>
#include <fenv.h>
#include <float.h>
#include <inttypes.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <signal.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tgmath.h>
#include <time.h>
#include <wchar.h>

typedef struct {
  size_t rows, cols;
  double *restrict data;
} matrix;

static matrix *matrix_new(size_t rows, size_t cols) {
  matrix *m = malloc(sizeof *m);
  if (!m || rows > SIZE_MAX / sizeof(double) / (cols ? cols : 1)) {
    perror("matrix");
    exit(EXIT_FAILURE);
  }
  *m = (matrix){.rows = rows, .cols = cols, .data = calloc(rows * cols, sizeof(double))};
  return m;
}

static inline double at(const matrix *m, size_t i, size_t j) {
  assert(i < m->rows && j < m->cols);
  return m->data[i * m->cols + j];
}

double norm(const matrix *m) {
  double s = 0, c = 0;
  for (size_t i = 0; i < m->rows; ++i)
    for (size_t j = 0; j < m->cols; ++j) {
      double y = at(m, i, j) * at(m, i, j) - c, t = s + y;
      c = (t - s) - y;
      s = t;
    }
  if (isnan(s) || isinf(s) || !isfinite(s) || signbit(s)) errno = EDOM;
  return sqrt(s) + (s < DBL_EPSILON ? fabs(s) : pow(s, 2)) + M_PI + DBL_MAX + INT_MAX;
}

float single(float x) { return sin(x) + exp(x) * fmax(x, 1); }

int text(char *buffer, size_t size, const char *from) {
  char *p = strchr(from, ':');
  memset(buffer, 0, size);
  if (p && isdigit((unsigned char)p[1])) memcpy(buffer, p + 1, strlen(p + 1) < size ? strlen(p + 1) : size - 1);
  return snprintf(buffer, size, "%s %d %" PRId64 "\n", from, atoi(from), (int64_t)strtol(from, NULL, 10)) + printf("%g\n", 1.0);
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

void sort(size_t n, double x[static n]) { qsort(x, n, sizeof *x, compare); }

_Noreturn void stop(const char *why) {
  fprintf(stderr, "%s: %s\n", __func__, why);
  abort();
}
