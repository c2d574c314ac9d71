/* Derivatives of functions of jacobian.c, written by tlalocc 0.1.0. C99; link with -lm. */
#include <math.h>
#include <stddef.h>
#include <string.h>

void hand__jacobian__angle(const double angle[3], const double length[3], double at[2], double J[2][3]);

void hand__jacobian__angle(const double angle[3], const double length[3], double at[restrict 2],
    double J[restrict 2][3]) {
  double angle_dot[3][3] = {0};
  /* line 8: at[0] = at[1] = 0; */
  at[1] = 0.0;
  at[0] = 0.0;
  /* line 9: for (int i = 0; i < 3; i++) */
  memset(J, 0, 2 * sizeof *J);
  double direction_dot[3] = {0}, direction = 0.0;
  for (int i = 0; i < 3; i++) {
    angle_dot[i][i] = 1.0;
    /* line 10: direction += angle[i]; */
    direction += angle[i];
    /* line 11: at[0] += length[i] * cos(direction); */
    double length_i = length[i], cos_direction = cos(direction);
    at[0] += length_i * cos_direction;
    /* line 12: at[1] += length[i] * sin(direction); */
    double sin_direction = sin(direction);
    at[1] += length_i * sin_direction;
    for (int lane = 0; lane < 3; lane++) {
      /* line 10: direction += angle[i]; */
      double direction_dot_2 = direction_dot[lane] + angle_dot[i][lane];
      /* line 11: at[0] += length[i] * cos(direction); */
      J[0][lane] -= direction_dot_2 * sin_direction * length_i;
      /* line 12: at[1] += length[i] * sin(direction); */
      J[1][lane] += direction_dot_2 * cos_direction * length_i;
      direction_dot[lane] = direction_dot_2;
    }
  }
}
