/* tl_vmap against a loop over the plain function: for each choice of what is batched, of numbers, arrays, structs and
 * pointers; bit for bit, in batches of 0, 1, 7 and 64. */
#include <stddef.h>
#include <string.h>

#include "check.h"

#include <tlaloc/grad.h>

enum { MOST = 64, N = 3, ROWS = 2 };

static const size_t sizes[] = {0, 1, 7, MOST};

/* Numbers of the same bits in the same places. */
static void check_same(const char *what, size_t size, const void *got, const void *want) {
  check_near(what, memcmp(got, want, size) != 0, 0, 0);
}

#define SAME(what, got, want) check_same(what, sizeof(got), got, want)

/* Values that differ from place to place, and that nothing writes behind a batch. */
#define FILL(array, from)                                                                                              \
  do {                                                                                                                 \
    for (size_t fill_i = 0; fill_i < sizeof(array) / sizeof *(array); fill_i++) {                                      \
      (array)[fill_i] = (from) + .37 * (double)(fill_i % 11) - .05 * (double)(fill_i % 7);                             \
    }                                                                                                                  \
  } while (0)

/* ---- numbers, in both types ---- */

#define NUMBERS(T, S)                                                                                                  \
  static T blend_##S(T x, int k, T y) {                                                                                \
    T s = y;                                                                                                           \
    for (int i = 0; i < k; i++) {                                                                                      \
      s = s * x + (T)i;                                                                                                \
      if (s > 40) {                                                                                                    \
        return s - 40;                                                                                                 \
      }                                                                                                                \
    }                                                                                                                  \
    return k % 2 ? s : -s;                                                                                             \
  }                                                                                                                    \
  static void halve_##S(const T *x, T *until, int *steps) {                                                            \
    *steps = 0;                                                                                                        \
    while (*until > *x && *x > 0) {                                                                                    \
      *until /= 2;                                                                                                     \
      ++*steps;                                                                                                        \
    }                                                                                                                  \
  }
NUMBERS(double, d)
NUMBERS(float, f)

/* Every choice of three parameters; `at` is which element a shared one has. */
#define AT(batched, i) ((batched) ? (i) : 0)
#define CHECK_BLEND(T, S, by_x, by_k, by_y, call)                                                                      \
  do {                                                                                                                 \
    T got[MOST], want[MOST];                                                                                           \
    FILL(got, -1);                                                                                                     \
    memcpy(want, got, sizeof got);                                                                                     \
    for (size_t i = 0; i < b; i++) {                                                                                   \
      want[i] = blend_##S(x[AT(by_x, i)], k[AT(by_k, i)], y[AT(by_y, i)]);                                             \
    }                                                                                                                  \
    call;                                                                                                              \
    SAME(#call, got, want);                                                                                            \
  } while (0)
#define NUMBERS_CHECKED(T, S)                                                                                          \
  static void numbers_##S(size_t b) {                                                                                  \
    T x[MOST], y[MOST];                                                                                                \
    int k[MOST];                                                                                                       \
    FILL(x, -1);                                                                                                       \
    FILL(y, .3);                                                                                                       \
    for (int i = 0; i < MOST; i++) {                                                                                   \
      k[i] = (i + 3) % 9;                                                                                              \
    }                                                                                                                  \
    CHECK_BLEND(T, S, 1, 0, 1, tl_vmap(blend_##S, b)(b, x, *k, y, got));                                               \
    CHECK_BLEND(T, S, 1, 0, 0, tl_vmap(blend_##S, b, x)(b, x, *k, *y, got));                                           \
    CHECK_BLEND(T, S, 0, 1, 0, tl_vmap(blend_##S, b, k)(b, *x, k, *y, got));                                           \
    CHECK_BLEND(T, S, 0, 0, 1, tl_vmap(blend_##S, b, y)(b, *x, *k, y, got));                                           \
    CHECK_BLEND(T, S, 1, 1, 0, tl_vmap(blend_##S, b, x, k)(b, x, k, *y, got));                                         \
    CHECK_BLEND(T, S, 1, 0, 1, tl_vmap(blend_##S, b, x, y)(b, x, *k, y, got));                                         \
    CHECK_BLEND(T, S, 0, 1, 1, tl_vmap(blend_##S, b, y, k)(b, *x, k, y, got));                                         \
    CHECK_BLEND(T, S, 1, 1, 1, tl_vmap(blend_##S, b, x, k, y)(b, x, k, y, got));                                       \
    T until[MOST], until_want[MOST], low[MOST];                                                                        \
    int steps[MOST] = {0}, steps_want[MOST] = {0};                                                                     \
    FILL(until, 3);                                                                                                    \
    FILL(low, .4);                                                                                                     \
    memcpy(until_want, until, sizeof until);                                                                           \
    for (size_t i = 0; i < b; i++) {                                                                                   \
      halve_##S(&low[i], &until_want[i], &steps_want[i]);                                                              \
    }                                                                                                                  \
    tl_vmap(halve_##S, b, x)(b, low, until, steps);                                                                    \
    SAME("halve", until, until_want);                                                                                  \
    SAME("halve, steps", steps, steps_want);                                                                           \
  }
NUMBERS_CHECKED(double, d)
NUMBERS_CHECKED(float, f)

/* ---- arrays ---- */

/* An output, an in-out, an array that is only read, one of two axes, and a value. */
static double mix(size_t n, const double w[n], double m[static ROWS][n], const double x[static restrict n],
                  double y[ROWS]) {
  double s = 0, old[ROWS];
  for (size_t r = 0; r < ROWS; r++) {
    old[r] = m[r][0];
    y[r] = 0;
    for (size_t i = 0; i < n; i++) {
      y[r] += m[r][i] * x[i];
      m[r][i] -= w[i] * y[r];
    }
    s += y[r] * old[r];
  }
  return s;
}

#define CHECK_MIX(by_w, by_x, call)                                                                                    \
  do {                                                                                                                 \
    double m[MOST][ROWS][N], m_want[MOST][ROWS][N], y[MOST][ROWS], y_want[MOST][ROWS], got[MOST], want[MOST];          \
    for (size_t i = 0; i < MOST; i++) {                                                                                \
      for (size_t r = 0; r < ROWS; r++) {                                                                              \
        y[i][r] = -7;                                                                                                  \
        for (size_t k = 0; k < N; k++) {                                                                               \
          m[i][r][k] = .3 * (double)i - (double)r + .1 * (double)k;                                                    \
        }                                                                                                              \
      }                                                                                                                \
    }                                                                                                                  \
    FILL(got, 2);                                                                                                      \
    memcpy(want, got, sizeof got);                                                                                     \
    memcpy(m_want, m, sizeof m);                                                                                       \
    memcpy(y_want, y, sizeof y);                                                                                       \
    for (size_t i = 0; i < b; i++) {                                                                                   \
      want[i] = mix(N, w[AT(by_w, i)], m_want[i], x[AT(by_x, i)], y_want[i]);                                          \
    }                                                                                                                  \
    call;                                                                                                              \
    SAME(#call, got, want);                                                                                            \
    SAME(#call ": m", m, m_want);                                                                                      \
    SAME(#call ": y", y, y_want);                                                                                      \
  } while (0)

static void arrays(size_t b) {
  double w[MOST][N], x[MOST][N];
  for (size_t i = 0; i < MOST; i++) {
    for (size_t k = 0; k < N; k++) {
      w[i][k] = .01 * (double)(i * N + k);
      x[i][k] = 1 - .1 * (double)(i + k);
    }
  }
  CHECK_MIX(1, 1, tl_vmap(mix, b)(b, N, w, m, x, y, got));
  CHECK_MIX(1, 0, tl_vmap(mix, b, w)(b, N, w, m, *x, y, got));
  CHECK_MIX(0, 1, tl_vmap(mix, b, x)(b, N, *w, m, x, y, got));
  CHECK_MIX(0, 0, tl_vmap(mix, b, m)(b, N, *w, m, *x, y, got)); /* batched in any case */
  CHECK_MIX(1, 1, tl_vmap(mix, b, x, m, w)(b, N, w, m, x, y, got));
}

/* Pointers whose lengths TL_LEN states, rows behind a pointer to arrays, a typedef of each kind. */
typedef double triple[N];
typedef const double *numbers;

static double by_pointers(size_t n, size_t m, const double *flat TL_LEN(n *m), const double (*rows)[N] TL_LEN(n),
                          const triple last, numbers more TL_LEN(m), double *sum) {
  double s = 0;
  for (size_t i = 0; i < n; i++) {
    for (size_t k = 0; k < m; k++) {
      s += flat[i * m + k] * rows[i][k % N] * more[k];
    }
  }
  *sum = s + last[1];
  return s;
}

static void pointers(size_t b) {
  enum { ALL = ROWS * N };
  double flat[MOST][ROWS * N], rows[MOST][ROWS][N], last[MOST][N], more[MOST][N];
  double got[MOST] = {0}, want[MOST] = {0}, sum[MOST] = {0}, sum_want[MOST] = {0};
  for (size_t i = 0; i < MOST; i++) {
    for (size_t k = 0; k < ALL; k++) {
      flat[i][k] = (double)(i + k);
      rows[i][k / N][k % N] = (double)i - .3 * (double)k;
      last[i][k % N] = more[i][k % N] = .7 * (double)(i + k);
    }
  }
  for (size_t i = 0; i < b; i++) {
    want[i] = by_pointers(ROWS, N, flat[i], (const double(*)[N])rows[i], last[i], more[i], &sum_want[i]);
  }
  tl_vmap(by_pointers, b)(b, ROWS, N, flat, rows, last, more, sum, got);
  SAME("by_pointers", got, want);
  SAME("by_pointers, sum", sum, sum_want);
  for (size_t i = 0; i < b; i++) {
    want[i] = by_pointers(ROWS, N, flat[0], (const double(*)[N])rows[i], last[0], more[0], &sum_want[i]);
  }
  tl_vmap(by_pointers, b, rows)(b, ROWS, N, *flat, rows, *last, *more, sum, got);
  SAME("by_pointers, rows", got, want);
  SAME("by_pointers, rows, sum", sum, sum_want);
}

/* ---- structs ---- */

struct place {
  double x, v[2];
  int turns;
};

static struct place turned(struct place p, const struct place *q, double t) {
  struct place r = {p.x + q->x * t, {p.v[1], q->v[0]}, p.turns + q->turns};
  p.v[0] += t; /* of its own: the next example sees nothing of it */
  r.v[1] += p.v[0];
  return r;
}

static void push(struct place *p, struct place q, struct place all[ROWS]) {
  p->v[p->turns % 2] += q.x;
  p->turns++;
  for (int i = 0; i < ROWS; i++) {
    all[i].x *= q.v[i % 2];
  }
}

static void fill_places(struct place *p, size_t count) {
  for (size_t i = 0; i < count; i++) {
    memset(&p[i], 0, sizeof p[i]);
    p[i].x = .5 + .1 * (double)i;
    p[i].v[0] = 1 - .2 * (double)i;
    p[i].v[1] = .3 * (double)i;
    p[i].turns = (int)i % 5;
  }
}

static int same_places(const struct place *a, const struct place *b, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (a[i].x != b[i].x || a[i].v[0] != b[i].v[0] || a[i].v[1] != b[i].v[1] || a[i].turns != b[i].turns) {
      return 0;
    }
  }
  return 1;
}

static void structs(size_t b) {
  struct place p[MOST], q[MOST], got[MOST], want[MOST];
  double t[MOST];
  fill_places(p, MOST);
  fill_places(q, MOST);
  fill_places(got, MOST);
  fill_places(want, MOST);
  FILL(t, .1);
  for (size_t i = 0; i < b; i++) {
    want[i] = turned(p[i], &q[i], t[i]);
  }
  tl_vmap(turned, b)(b, p, q, t, got);
  CHECK(same_places(got, want, MOST), 1);
  for (size_t i = 0; i < b; i++) {
    want[i] = turned(p[0], &q[i], t[0]);
  }
  tl_vmap(turned, b, q)(b, *p, q, *t, got);
  CHECK(same_places(got, want, MOST), 1);
  for (size_t i = 0; i < b; i++) {
    want[i] = turned(p[i], &q[0], t[0]);
  }
  tl_vmap(turned, b, p)(b, p, q, *t, got);
  CHECK(same_places(got, want, MOST), 1);
  CHECK(p[0].v[0], 1); /* by value */
  struct place all[MOST][ROWS], all_want[MOST][ROWS], p_want[MOST];
  fill_places(*all, MOST * ROWS);
  fill_places(*all_want, MOST * ROWS);
  fill_places(p_want, MOST);
  for (size_t i = 0; i < b; i++) {
    push(&p_want[i], q[i], all_want[i]);
  }
  tl_vmap(push, b, q)(b, p, q, all);
  CHECK(same_places(p, p_want, MOST), 1);
  CHECK(same_places(*all, *all_want, MOST * ROWS), 1);
}

/* Members that point elsewhere, and rows behind pointers: each example brings its own. */
struct view {
  size_t n;
  const double *at TL_LEN(n);
  double scale;
};

static double seen(struct view v, const double *const *rows TL_LEN(2), int use) {
  double s = use ? rows[0][0] * rows[1][2] : 0;
  for (size_t i = 0; i < v.n; i++) {
    s += v.at[i] * v.scale;
  }
  return s;
}

/* As many as the other array has that each example brings. */
struct pair {
  double *first, scale;
};

static double spread(size_t n, struct pair *v, const double x[n]) {
  double s = 0;
  for (size_t i = 0; i < n; i++) {
    v->first[i] = x[i] * v->scale;
    s += v->first[i];
  }
  return s;
}

static void members(size_t b) {
  static double content[MOST][N];
  const double *rows[MOST][2];
  struct view v[MOST];
  double got[MOST] = {0}, want[MOST] = {0};
  for (size_t i = 0; i < MOST; i++) {
    for (size_t k = 0; k < N; k++) {
      content[i][k] = (double)(3 * i + k);
    }
    v[i] = (struct view){N, content[MOST - 1 - i], .1 * (double)i};
    rows[i][0] = content[i];
    rows[i][1] = content[(i + 1) % MOST];
  }
  for (size_t i = 0; i < b; i++) {
    want[i] = seen(v[0], rows[i], i % 2);
  }
  int use[MOST];
  for (int i = 0; i < MOST; i++) {
    use[i] = i % 2;
  }
  tl_vmap(seen, b, rows, use)(b, *v, rows, use, got);
  SAME("seen", got, want);
  static double made[MOST][N], made_want[MOST][N];
  struct pair p[MOST];
  for (size_t i = 0; i < MOST; i++) {
    p[i] = (struct pair){made_want[i], .2 * (double)i};
  }
  for (size_t i = 0; i < b; i++) {
    want[i] = spread(N, &p[i], content[i]);
  }
  for (size_t i = 0; i < MOST; i++) {
    p[i].first = made[i];
  }
  tl_vmap(spread, b, x)(b, N, p, content, got);
  SAME("spread", got, want);
  SAME("spread, made", made, made_want);
}

/* ---- control ---- */

/* Newton with an exit, a search, a switch with fall-through; what an example does is its own affair. */
static double solved(double a, int kind, const double table[N]) {
  double x = 1;
  int at = 0;
  for (int i = 0; i < 50; i++) {
    double next = x - (x * x - a) / (2 * x);
    if (fabs(next - x) < 1e-9) {
      break;
    }
    if (i == 40) {
      goto lost;
    }
    x = next;
  }
  while (at < N && table[at] < x) {
    at++;
  }
  switch (kind) {
  case 0:
    x = -x;
    /* fall through */
  case 1:
    x += at;
    break;
  case 2:
    return table[at % N];
  default:
    x *= 2;
  }
  return x;
lost:
  return -1;
}

/* Two local arrays that change places, and a pointer to one of two parameters. */
static double relaxed(int steps, const double a[N], const double c[N], int first) {
  double here[N], there[N];
  const double *from = first ? a : c;
  for (int i = 0; i < N; i++) {
    here[i] = from[i];
  }
  for (int s = 0; s < steps; s++) {
    for (int i = 0; i < N; i++) {
      there[i] = (here[(i + 1) % N] + here[(i + 2) % N]) / 2;
    }
    memcpy(here, there, sizeof here);
  }
  return here[0] - here[1];
}

static void control(size_t b) {
  double a[MOST], table[N] = {.5, 1.5, 2.5}, got[MOST] = {0}, want[MOST] = {0};
  int kind[MOST], steps[MOST], first[MOST];
  FILL(a, .2);
  for (int i = 0; i < MOST; i++) {
    kind[i] = i % 4;
    steps[i] = i % 6;
    first[i] = i % 3 == 0;
  }
  for (size_t i = 0; i < b; i++) {
    want[i] = solved(a[i], kind[i], table);
  }
  tl_vmap(solved, b, a, kind)(b, a, kind, table, got);
  SAME("solved", got, want);
  double rows[MOST][N], others[MOST][N];
  for (size_t i = 0; i < MOST; i++) {
    for (size_t k = 0; k < N; k++) {
      rows[i][k] = (double)(i * k) - 2;
      others[i][k] = 1 / (1 + (double)(i + k));
    }
  }
  for (size_t i = 0; i < b; i++) {
    want[i] = relaxed(steps[i], rows[i], others[i], first[i]);
  }
  tl_vmap(relaxed, b, steps, a, c, first)(b, steps, rows, others, first, got);
  SAME("relaxed", got, want);
  for (size_t i = 0; i < b; i++) {
    want[i] = relaxed(steps[i], rows[0], others[i], first[i]);
  }
  tl_vmap(relaxed, b, steps, c, first)(b, steps, *rows, others, first, got);
  SAME("relaxed, one shared", got, want);
}

/* ---- twice, and names ---- */

/* The names of the batch and of the loop's counter mean something else inside. */
static const double example = 3;

static double scaled(double x, double y) {
  double batch = example * x, i = y;
  return batch + i;
}

static void twice(void) {
  enum { A = 3, B = 5 };
  double x[A][B], y[B], got[A][B], once[A], want[A];
  for (size_t i = 0; i < A; i++) {
    for (size_t k = 0; k < B; k++) {
      x[i][k] = (double)i - .5 * (double)k;
      y[k] = 2 * (double)k;
    }
  }
  tl_vmap(tl_vmap(scaled, batch), others, x)(A, B, x, y, got);
  for (size_t i = 0; i < A; i++) {
    for (size_t k = 0; k < B; k++) {
      CHECK_TO(got[i][k], scaled(x[i][k], y[k]), 0);
    }
    want[i] = scaled(x[i][0], 2);
    once[i] = x[i][0];
  }
  double out[A];
  tl_vmap(scaled, scaled_out, x)(A, once, 2, out);
  SAME("scaled", out, want);
}

int main(void) {
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    numbers_d(sizes[i]);
    numbers_f(sizes[i]);
    arrays(sizes[i]);
    pointers(sizes[i]);
    structs(sizes[i]);
    members(sizes[i]);
    control(sizes[i]);
  }
  twice();
  return check_done();
}
