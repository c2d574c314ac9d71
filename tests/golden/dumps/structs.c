/* Derivatives of functions of structs.c, written by tlalocc 0.1.0. C99; link with -lm. */
#include <math.h>
#include <stddef.h>

struct vector {
  double x, y;
};
struct body {
  struct vector at, speed;
  double mass;
};

void energy__grad__b(const struct body *b, const struct vector sources[2], struct body *b_bar);

void energy__grad__b(const struct body *b, const struct vector sources[2], struct body *restrict b_bar) {
  /* line 19: double kinetic = 0.5 * (b->speed.x * b->speed.x + b->speed.y * b->speed.y); */
  double x = b->speed.x, y = b->speed.y, kinetic = 0.5 * (x * x + y * y);
  /* line 20: return b->mass * (kinetic + potential(b->at, sources[0]) + potential(b->at, sources[1])); */
  double mass = b->mass, at_x = b->at.x, at_y = b->at.y;
  /* line 15: return -1 / hypot(at.x - source.x, at.y - source.y); */
  double at_x_minus_source_x = at_x - sources[0].x, at_y_minus_source_y = at_y - sources[0].y;
  double hypot_value = hypot(at_x_minus_source_x, at_y_minus_source_y);
  double potential = -1.0 / hypot_value, at_x_minus_source_x_2 = at_x - sources[1].x;
  double at_y_minus_source_y_2 = at_y - sources[1].y;
  double hypot_value_2 = hypot(at_x_minus_source_x_2, at_y_minus_source_y_2);
  double potential_2 = -1.0 / hypot_value_2, over_hypot_value_2 = mass * potential_2 / hypot_value_2;
  double t = hypot_value_2 == 0.0 ? 1.0 : hypot_value_2;
  double over_hypot_value = mass * potential / hypot_value;
  double t_2 = hypot_value == 0.0 ? 1.0 : hypot_value;
  /* line 20: return b->mass * (kinetic + potential(b->at, sources[0]) + potential(b->at, sources[1])); */
  b_bar->at.y = -(over_hypot_value_2 * (at_y_minus_source_y_2 / t) +
      over_hypot_value * (at_y_minus_source_y / t_2));
  b_bar->at.x = -(over_hypot_value_2 * (at_x_minus_source_x_2 / t) +
      over_hypot_value * (at_x_minus_source_x / t_2));
  b_bar->mass = kinetic + potential + potential_2;
  /* line 19: double kinetic = 0.5 * (b->speed.x * b->speed.x + b->speed.y * b->speed.y); */
  b_bar->speed.y = mass * y;
  b_bar->speed.x = mass * x;
}
