/* Pointers that walk one row of many: which row they are in does not change in the walk, so they are compared with its
 * end, and subtracted from each other, wherever the row is. */
#include <tlaloc/grad.h>

#include "check.h"

enum { ROWS = 3, COLUMNS = 4 };

typedef struct point {
  double v, w;
} point;

typedef struct row {
  double x[COLUMNS];
  point points[2];
  int used;
} row;

static double to_the_end(const row rows[ROWS]) {
  double s = 0;
  for (int i = 0; i < ROWS; i++) {
    for (const double *p = rows[i].x; p < rows[i].x + COLUMNS; p++) {
      s += *p * *p * (i + 1);
    }
  }
  return s;
}

static double to_a_named_end(int n, const row rows[n]) {
  double s = 0;
  for (const row *r = rows; r < rows + n; r++) {
    const double *end = r->x + r->used;
    for (const double *p = r->x; p != end; ++p) {
      s += *p * *p * *p;
    }
  }
  return s;
}

static double by_difference(const double x[ROWS]) {
  row rows[ROWS];
  double s = 0;
  for (int i = 0; i < ROWS; i++) {
    double *p = rows[i].x;
    while (p - rows[i].x < COLUMNS) {
      *p = x[i] * (double)(p - rows[i].x);
      p++;
    }
    while (p-- > rows[i].x) {
      s += *p * *p;
    }
  }
  return s;
}

static double structs_in_structs(const row rows[ROWS]) {
  double s = 0;
  for (int i = 0; i < ROWS; i++) {
    for (const point *p = rows[i].points, *end = p + 2; p < end; p++) {
      s += p->v * p->w * (i + 1);
    }
  }
  return s;
}

static double rows_of_a_matrix(const double m[ROWS][COLUMNS]) {
  double s = 0;
  for (int i = 0; i < ROWS; i++) {
    const double *last = m[i] + COLUMNS - 1;
    for (const double *p = m[i]; p < last; p++) {
      s += p[0] * p[1];
    }
  }
  return s;
}

/* The row changes in the loop, and the place in it does not. */
static double from_row_to_row(const row rows[ROWS]) {
  double s = 0;
  int k = 0;
  const double *p = rows[0].x + 1;
  while (k < ROWS) {
    s += p[0] * p[1];
    if (++k < ROWS) {
      p = rows[k].x + 1;
    }
  }
  return s;
}

/* Both change. */
static double over_all(const row rows[ROWS]) {
  double s = 0;
  int k = 0;
  const double *p = rows[0].x;
  while (k < ROWS) {
    s += *p * *p;
    if (++p - rows[k].x == COLUMNS) {
      if (++k < ROWS) {
        p = rows[k].x;
      }
    }
  }
  return s;
}

/* Of all pointers one is that one: which row is known when it runs. */
static double all_but_one(const row rows[ROWS], int k) {
  double s = 0;
  for (int i = 0; i < ROWS; i++) {
    for (const double *p = rows[i].x; p < rows[i].x + COLUMNS; p++) {
      if (p != &rows[k].x[2] && &rows[i].points[0].v != &rows[i].points[0].w) {
        s += *p * *p;
      }
    }
  }
  return s;
}

int main(void) {
  row rows[ROWS], bar[ROWS];
  double m[ROWS][COLUMNS], m_bar[ROWS][COLUMNS], x[ROWS] = {0.5, -1.25, 2}, x_bar[ROWS];
  for (int i = 0; i < ROWS; i++) {
    rows[i].used = i + 2;
    for (int j = 0; j < COLUMNS; j++) {
      m[i][j] = rows[i].x[j] = 0.3 * i - 0.7 * j + 0.1;
    }
    for (int j = 0; j < 2; j++) {
      rows[i].points[j] = (point){0.4 + i - j, 1.5 - i * j};
    }
  }

  tl_grad(to_the_end)(rows, bar);
  for (int i = 0; i < ROWS; i++) {
    for (int j = 0; j < COLUMNS; j++) {
      CHECK(bar[i].x[j], 2 * (i + 1) * rows[i].x[j]);
    }
  }
  tl_grad(to_a_named_end)(ROWS, rows, bar);
  for (int i = 0; i < ROWS; i++) {
    for (int j = 0; j < COLUMNS; j++) {
      CHECK(bar[i].x[j], j < i + 2 ? 3 * rows[i].x[j] * rows[i].x[j] : 0);
    }
  }
  tl_grad(by_difference)(x, x_bar);
  for (int i = 0; i < ROWS; i++) {
    CHECK(x_bar[i], 2 * x[i] * (0 + 1 + 4 + 9));
  }
  tl_grad(structs_in_structs)(rows, bar);
  for (int i = 0; i < ROWS; i++) {
    for (int j = 0; j < 2; j++) {
      CHECK(bar[i].points[j].v, (i + 1) * rows[i].points[j].w);
      CHECK(bar[i].points[j].w, (i + 1) * rows[i].points[j].v);
    }
  }
  tl_grad(rows_of_a_matrix)((const double(*)[COLUMNS])m, m_bar);
  for (int i = 0; i < ROWS; i++) {
    for (int j = 0; j < COLUMNS; j++) {
      CHECK(m_bar[i][j], (j > 0 ? m[i][j - 1] : 0) + (j < COLUMNS - 1 ? m[i][j + 1] : 0));
    }
  }
  tl_grad(from_row_to_row)(rows, bar);
  for (int i = 0; i < ROWS; i++) {
    for (int j = 0; j < COLUMNS; j++) {
      CHECK(bar[i].x[j], j == 1 ? rows[i].x[2] : j == 2 ? rows[i].x[1] : 0);
    }
  }
  tl_grad(over_all)(rows, bar);
  for (int i = 0; i < ROWS; i++) {
    for (int j = 0; j < COLUMNS; j++) {
      CHECK(bar[i].x[j], 2 * rows[i].x[j]);
    }
  }
  tl_grad(all_but_one)(rows, 1, bar);
  for (int i = 0; i < ROWS; i++) {
    for (int j = 0; j < COLUMNS; j++) {
      CHECK(bar[i].x[j], i == 1 && j == 2 ? 0 : 2 * rows[i].x[j]);
    }
  }
  return check_done();
}
