/* One Runge-Kutta step of the Lorenz system for each of 4096 states: by tl_vmap, by a loop that calls the step, and by
 * a loop that it is inlined into. For three ways to write the step, a line with the median nanoseconds of each:
 *
 *     FORM called inlined tl_vmap
 *
 * lorenz ROUNDS; the three take turns in each round. Exit status 1 where their results differ. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <tlaloc/grad.h>

enum { STATES = 4096, WAYS = 3 };
static const double width = 1e-3;

/* The three loops are called through pointers, so that none of them knows the number of states or the width. */

#define APART __attribute__((noinline))

/* ---- numbers, stepped in place ---- */

static inline void slope(double x, double y, double z, double d[3]) {
  d[0] = 10 * (y - x);
  d[1] = x * (28 - z) - y;
  d[2] = x * y - 8. / 3 * z;
}

static inline void step_numbers(double h, double *x, double *y, double *z) {
  double a[3], b[3], c[3], d[3];
  slope(*x, *y, *z, a);
  slope(*x + h / 2 * a[0], *y + h / 2 * a[1], *z + h / 2 * a[2], b);
  slope(*x + h / 2 * b[0], *y + h / 2 * b[1], *z + h / 2 * b[2], c);
  slope(*x + h * c[0], *y + h * c[1], *z + h * c[2], d);
  *x += h / 6 * (a[0] + 2 * b[0] + 2 * c[0] + d[0]);
  *y += h / 6 * (a[1] + 2 * b[1] + 2 * c[1] + d[1]);
  *z += h / 6 * (a[2] + 2 * b[2] + 2 * c[2] + d[2]);
}

static APART void call_numbers(double h, double *x, double *y, double *z) { step_numbers(h, x, y, z); }

static APART void numbers_called(size_t n, double h, double x[n], double y[n], double z[n]) {
  for (size_t i = 0; i < n; i++) {
    call_numbers(h, &x[i], &y[i], &z[i]);
  }
}

static APART void numbers_inlined(size_t n, double h, double x[restrict n], double y[restrict n],
                                  double z[restrict n]) {
  for (size_t i = 0; i < n; i++) {
    step_numbers(h, &x[i], &y[i], &z[i]);
  }
}

typedef void numbers_way(size_t n, double h, double *x, double *y, double *z);
static numbers_way *const volatile numbers[WAYS] = {numbers_called, numbers_inlined, tl_vmap(step_numbers, b, x)};

/* ---- arrays, from one to another ---- */

static inline void step_array(double h, const double s[3], double next[3]) {
  double x = s[0], y = s[1], z = s[2];
  step_numbers(h, &x, &y, &z);
  next[0] = x;
  next[1] = y;
  next[2] = z;
}

static APART void call_array(double h, const double s[3], double next[3]) { step_array(h, s, next); }

static APART void arrays_called(size_t n, double h, const double s[n][3], double next[n][3]) {
  for (size_t i = 0; i < n; i++) {
    call_array(h, s[i], next[i]);
  }
}

static APART void arrays_inlined(size_t n, double h, const double s[restrict n][3], double next[restrict n][3]) {
  for (size_t i = 0; i < n; i++) {
    step_array(h, s[i], next[i]);
  }
}

typedef void arrays_way(size_t n, double h, const double (*s)[3], double (*next)[3]);
static arrays_way *const volatile arrays[WAYS] = {arrays_called, arrays_inlined, tl_vmap(step_array, b, s)};

/* ---- structs, by value ---- */

typedef struct state {
  double x, y, z;
} state;

static inline state step_struct(state s, double h) {
  step_numbers(h, &s.x, &s.y, &s.z);
  return s;
}

static APART state call_struct(state s, double h) { return step_struct(s, h); }

static APART void structs_called(size_t n, const state s[n], double h, state next[n]) {
  for (size_t i = 0; i < n; i++) {
    next[i] = call_struct(s[i], h);
  }
}

static APART void structs_inlined(size_t n, const state s[restrict n], double h, state next[restrict n]) {
  for (size_t i = 0; i < n; i++) {
    next[i] = step_struct(s[i], h);
  }
}

typedef void structs_way(size_t n, const state *s, double h, state *next);
static structs_way *const volatile structs[WAYS] = {structs_called, structs_inlined, tl_vmap(step_struct, b, s)};

/* ---- times ---- */

/* The states of each way, coordinate by coordinate and state by state. */
static double now_numbers[WAYS][3][STATES], now_arrays[WAYS][STATES][3], next_arrays[WAYS][STATES][3];
static state now_structs[WAYS][STATES], next_structs[WAYS][STATES];

typedef enum form { NUMBERS, ARRAYS, STRUCTS, FORMS } form;

static void run(form f, int way) {
  switch (f) {
  case NUMBERS:
    numbers[way](STATES, width, now_numbers[way][0], now_numbers[way][1], now_numbers[way][2]);
    break;
  case ARRAYS:
    arrays[way](STATES, width, (const double(*)[3])now_arrays[way], next_arrays[way]);
    break;
  case STRUCTS:
    structs[way](STATES, now_structs[way], width, next_structs[way]);
    break;
  case FORMS:
    break;
  }
}

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static int differ(double got, double want) { return !(fabs(got - want) <= 1e-12 * fabs(want)); }

int main(int argc, char **argv) {
  static const char *const names[FORMS] = {"numbers", "arrays", "structs"};
  int rounds = argc > 1 ? atoi(argv[1]) : 501, faults = 0;
  double *times[WAYS];
  for (int way = 0; way < WAYS; way++) {
    times[way] = malloc((size_t)rounds * sizeof *times[way]);
    for (int i = 0; i < STATES; i++) {
      double s[3] = {1 + 1e-3 * i, 1 - 1e-4 * i, 20};
      for (int k = 0; k < 3; k++) {
        now_numbers[way][k][i] = now_arrays[way][i][k] = s[k];
      }
      now_structs[way][i] = (state){s[0], s[1], s[2]};
    }
  }
  for (form f = NUMBERS; f < FORMS; f++) {
    for (int round = 0; round < rounds; round++) {
      for (int way = 0; way < WAYS; way++) {
        double start = seconds();
        run(f, way);
        times[way][round] = 1e9 * (seconds() - start);
      }
    }
    printf("%s", names[f]);
    for (int way = 0; way < WAYS; way++) {
      qsort(times[way], (size_t)rounds, sizeof *times[way], by_size);
      printf(" %.0f", times[way][rounds / 2]);
    }
    printf("\n");
  }
  for (int way = 1; way < WAYS; way++) {
    for (int i = 0; i < STATES; i++) {
      for (int k = 0; k < 3; k++) {
        faults += differ(now_numbers[way][k][i], now_numbers[0][k][i]);
        faults += differ(next_arrays[way][i][k], next_arrays[0][i][k]);
      }
      faults +=
          differ(next_structs[way][i].x, next_structs[0][i].x) + differ(next_structs[way][i].z, next_structs[0][i].z);
      faults += differ(next_structs[way][i].y, next_structs[0][i].y);
    }
  }
  for (int way = 0; way < WAYS; way++) {
    free(times[way]);
  }
  if (faults) {
    fprintf(stderr, "%d results differ\n", faults);
  }
  return faults != 0;
}
