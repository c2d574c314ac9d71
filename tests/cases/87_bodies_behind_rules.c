/* A function with a rule may do in its body what is refused elsewhere: bits of a number, unions, a nested table. */
#include "check.h"

#include <setjmp.h>
#include <stdint.h>
#include <string.h>

#include <tlaloc/grad.h>

static double from_bits(uint64_t bits) {
  double d;
  memcpy(&d, &bits, sizeof d);
  return d;
}

static double from_bits_jvp(uint64_t bits, double *y_dot) {
  *y_dot = 0;
  return from_bits(bits);
}

TL_CUSTOM_JVP(from_bits, from_bits_jvp);

struct shape {
  int kind;
  union {
    double radius;
    double sides[2];
  } size;
};

static double area(const struct shape *s) {
  return s->kind ? s->size.sides[0] * s->size.sides[1] : 3 * s->size.radius * s->size.radius;
}

static double area_vjp(const struct shape *s, double bar) {
  (void)bar;
  return area(s);
}

TL_CUSTOM_VJP(area, area_vjp);

static float inverse_root(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  bits = 0x5f3759df - (bits >> 1);
  float y;
  memcpy(&y, &bits, sizeof y);
  for (int i = 0; i < 4; i++) {
    y *= 1.5f - 0.5f * x * y * y;
  }
  return y;
}

static float inverse_root_vjp(float x, float bar, float *x_bar) {
  float r = inverse_root(x);
  *x_bar = -0.5f * r * r * r * bar;
  return r;
}

TL_CUSTOM_VJP(inverse_root, inverse_root_vjp);

static void double_all(int n, double TL_INOUT y[n]) {
  static jmp_buf here;
  if (setjmp(here)) {
    return;
  }
  for (int i = 0; i < n; i++) {
    y[i] *= 2;
  }
  longjmp(here, 1);
}

static void double_all_jvp(int n, double TL_INOUT y[n], double TL_INOUT y_dot[n]) {
  for (int i = 0; i < n; i++) {
    y[i] *= 2;
    y_dot[i] *= 2;
  }
}

TL_CUSTOM_JVP(double_all, double_all_jvp);

static double of_bits(uint64_t bits, double x) { return from_bits(bits) * x * x; }

static double of_shape(const struct shape *s, double x) { return area(s) * x * x; }

static float of_root(float x) { return inverse_root(x) * x; }

static double of_doubled(const double x[3]) {
  double y[3] = {x[0], x[1] * x[1], x[0] * x[2]};
  double_all(3, y);
  return y[0] * y[1] + y[2];
}

int main(void) {
  uint64_t bits;
  memcpy(&bits, &(double){1.5}, sizeof bits);
  CHECK(tl_grad(of_bits, x)(bits, 2.0), 6);
  struct shape disc = {0, {.radius = 2}}, box = {1, {.sides = {2, 5}}};
  CHECK(tl_grad(of_shape, x)(&disc, 2.0), 48);
  CHECK(tl_jvp(of_shape, x)(&box, 2.0, 1.0), 40);
  CHECK_TO(tl_grad(of_root)(4.0f), 0.25, 1e-6);
  CHECK_TO(tl_jvp(of_root)(4.0f, 1.0f), 0.25, 1e-6);
  double x[3] = {1.5, 0.5, 3}, x_bar[3];
  tl_grad(of_doubled)(x, x_bar);
  CHECK(x_bar[0], 4 * 0.25 + 2 * 3);
  CHECK(x_bar[1], 4 * 1.5 * 2 * 0.5);
  CHECK(x_bar[2], 2 * 1.5);
  return check_done();
}
