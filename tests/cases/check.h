/* Checks of the case programs: each prints its failures and ends with their count as the exit status. */
#ifndef CHECK_H
#define CHECK_H

#include <math.h>
#include <stdio.h>

static int check_count, check_failures;

/* Relative to max(1, |want|); NaN and infinity only equal themselves. */
static inline void check_near(const char *what, double got, double want, double tolerance) {
  double scale = fabs(want) > 1 ? fabs(want) : 1;
  int good = isnan(want) ? isnan(got) : isinf(want) ? got == want : fabs(got - want) <= tolerance * scale;
  check_count++;
  if (!good) {
    check_failures++;
    printf("%s: got %.17g, expected %.17g\n", what, got, want);
  }
}

static inline int check_done(void) {
  printf("%d checks, %d failed\n", check_count, check_failures);
  return check_failures != 0 || check_count == 0;
}

#define CHECK(got, want) check_near(#got, (double)(got), (double)(want), 1e-14)
#define CHECK_TO(got, want, tolerance) check_near(#got, (double)(got), (double)(want), tolerance)

#endif
