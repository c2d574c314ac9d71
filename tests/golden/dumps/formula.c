/* Derivatives of functions of formula.c, written by tlalocc 0.1.0. C99; link with -lm. */
#include <math.h>
#include <stddef.h>

void energy__grad(double length, double angle, double speed, double turn, double *length_bar, double *angle_bar, double *speed_bar, double *turn_bar);

void energy__grad(double length, double angle, double speed, double turn, double *restrict length_bar,
    double *restrict angle_bar, double *restrict speed_bar, double *restrict turn_bar) {
  /* line 7: double kinetic = 0.5 * (speed * speed + length * length * turn * turn); */
  *length_bar = -9.81 * cos(angle) + 40.0 * (length - 1.0) + turn * turn * length;
  *angle_bar = 9.81 * length * sin(angle);
  *speed_bar = speed;
  *turn_bar = length * length * turn;
}
