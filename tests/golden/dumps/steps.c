/* Derivatives of functions of steps.c, written by tlalocc 0.1.0. C99; link with -lm. */
#include <stddef.h>

void distance__grad(size_t steps, const double force[steps], double stiffness, double force_bar[steps], double *stiffness_bar);

void distance__grad(size_t steps, const double force[steps], double stiffness,
    double force_bar[restrict steps], double *restrict stiffness_bar) {
  /* line 8: for (size_t i = 0; i < steps; i++) */
  double x = 0.0, v = 0.0;
  for (size_t i = 0; i < steps; i++) {
    force_bar[i] = x;
    /* line 9: double a = force[i] - stiffness * x * x * x - 0.1 * v; */
    double a = force[i] - stiffness * x * x * x - 0.1 * v;
    /* line 10: double half_v = v + dt * a; */
    double half_v = v + 0.01 * a;
    /* line 11: x += 0.5 * dt * (v + half_v); */
    x += 0.005 * (v + half_v);
    v = half_v;
  }
  double x_bar = x * 2.0, v_bar = 0.0, stiffness_bar_2 = 0.0;
  for (size_t i = steps; i-- > 0;) {
    x = force_bar[i];
    /* line 11: x += 0.5 * dt * (v + half_v); */
    double v_bar_2 = x_bar * 0.005, half_v_bar = v_bar + v_bar_2;
    /* line 10: double half_v = v + dt * a; */
    double a_bar = half_v_bar * 0.01;
    /* line 9: double a = force[i] - stiffness * x * x * x - 0.1 * v; */
    v_bar = v_bar_2 + half_v_bar - a_bar * 0.1;
    double half_v_bar_scaled = -0.01 * half_v_bar;
    x_bar += stiffness * x * x * half_v_bar_scaled * 3.0;
    stiffness_bar_2 += half_v_bar_scaled * x * x * x;
    force_bar[i] = a_bar;
  }
  /* line 9: double a = force[i] - stiffness * x * x * x - 0.1 * v; */
  *stiffness_bar = stiffness_bar_2;
}
