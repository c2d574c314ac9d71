/* Derivatives of functions of exits.c, written by tlalocc 0.1.0. C99; link with -lm. */
#include <math.h>
#include <stddef.h>

void sum_of_roots__grad(int n, const double x[n], double x_bar[n]);

void sum_of_roots__grad(int n, const double x[n], double x_bar[restrict n]) {
  /* line 8: for (int i = 0; i < n; i++) */
  for (int i = 0; i < n; i++) {
    /* line 9: double root = x[i]; */
    double root = x[i];
    /* line 10: for (int k = 0; k < 50; k++) */
    double root_saved[50];
    double root_2 = root;
    long count = 0;
    for (int k = 0; k < 50; k++) {
      count++;
      root_saved[k] = root_2;
      /* line 11: double step = 0.5 * (x[i] / root - root); */
      double step = 0.5 * (root / root_2 - root_2);
      /* line 12: root += step; */
      root_2 += step;
      /* line 13: if (fabs(step) < 1e-12) */
      if (fabs(step) < 1e-12) {
        break;
      }
    }
    double root_bar = 1.0, root_bar_2 = 0.0;
    for (long k = count - 1; k >= 0; k--) {
      double root_3 = root_saved[k];
      /* line 11: double step = 0.5 * (x[i] / root - root); */
      double half_root_bar = root_bar * 0.5, half_root_bar_over_root = half_root_bar / root_3;
      root_bar_2 += half_root_bar_over_root;
      root_bar = root_bar - half_root_bar - half_root_bar_over_root * (root / root_3);
    }
    /* line 9: double root = x[i]; */
    x_bar[i] = root_bar_2 + root_bar;
  }
}
