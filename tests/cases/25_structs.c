/* Structs by value and by pointer, nested, with arrays and inactive members. */
#include "check.h"

#include <tlaloc/grad.h>

typedef struct {
  double x, y;
} point;

typedef struct {
  int tag;
  point centre;
  double radius[2];
} ring;

static double energy(ring r, double scale) {
  double s = 0;
  for (int i = 0; i < 2; i++) {
    s += r.radius[i] * r.radius[i] * (r.tag + i);
  }
  point c = r.centre;
  c.x *= 2;
  return scale * (s + c.x * r.centre.y);
}

static void advance(point *p, double t) {
  double x = p->x;
  p->x = x * cos(t) - p->y * sin(t);
  p->y = x * sin(t) + p->y * cos(t);
}

static double after(double x, double t) {
  point p = {x, 1};
  advance(&p, t);
  advance(&p, t);
  return p.x * p.y;
}

int main(void) {
  ring r = {3, {0.5, -1}, {2, 4}}, r_bar;
  double scale_bar;
  tl_grad(energy)(r, 1.5, &r_bar, &scale_bar);
  CHECK(r_bar.tag, 3);
  CHECK(r_bar.centre.x, 1.5 * 2 * -1);
  CHECK(r_bar.centre.y, 1.5);
  CHECK(r_bar.radius[0], 1.5 * 2 * 2 * 3);
  CHECK(r_bar.radius[1], 1.5 * 2 * 4 * 4);
  CHECK(scale_bar, 12 + 64 - 1);
  double x = 0.7, t = 0.3, u = x * cos(2 * t) - sin(2 * t), v = x * sin(2 * t) + cos(2 * t), x_bar, t_bar;
  tl_grad(after)(x, t, &x_bar, &t_bar);
  CHECK(x_bar, cos(2 * t) * v + u * sin(2 * t));
  CHECK(t_bar, 2 * (u * u - v * v));
  return check_done();
}
