#include <math.h>
#include <tlaloc/grad.h>

/* No array is the user's: the directions of two numbers, which change places. */
static double cost(const double u[4], double h) {
  double angle = 0, speed = 0;
  for (int i = 0; i < 100; i++) {
    double next = speed + h * u[i / 25] * cos(angle);
    speed = angle + h * speed * speed;
    angle = next;
  }
  return angle * angle + 0.1 * speed;
}

static void turns(const double u[2], int n, double at[2]) {
  double x = u[0], y = u[1];
  for (int i = 0; i < n; i++) {
    double t = x;
    x = y;
    y = t;
  }
  at[0] = x * x, at[1] = y;
}

void curves(const double u[4], double h, double H[4][4]) { tl_hessian(cost, u)(u, h, H); }
void slopes(const double u[2], int n, double at[2], double J[2][2]) { tl_jacobian(turns, u)(u, n, at, J); }
