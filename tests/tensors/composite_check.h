/* Functions of a matrix to a number against central differences, their tangents, and batches of them. */
#include <tlaloc/grad.h>
#include <tlaloc/tensor.h>

#include "check.h"

tl_axis(Example);

static double value_at(tl_tensor f(tl_tensor), const double *x, int rows, int columns) {
  return tl_item(f(tl_from(TL_F64, TL_SHAPE(rows, columns), x)));
}

enum { ROWS = 4, COLUMNS = 3, COUNT = ROWS * COLUMNS };
static double xs[COUNT];

static void check_differences(tl_tensor f(tl_tensor), tl_tensor gradient) {
  double g[COUNT], h = 1e-3;
  CHECK(tl_read(gradient, g, sizeof g), TL_OK);
  for (int i = 0; i < COUNT; i++) {
    static const double steps[] = {-2, -1, 1, 2};
    double was = xs[i], d[4];
    for (int k = 0; k < 4; k++) {
      xs[i] = was + steps[k] * h;
      d[k] = value_at(f, xs, ROWS, COLUMNS);
    }
    xs[i] = was;
    CHECK_TO(g[i], (d[0] - 8 * d[1] + 8 * d[2] - d[3]) / (12 * h), 1e-8);
  }
}

/* The tangent along a direction is the gradient's product with it. */
static void check_tangent(tl_tensor tangent, tl_tensor gradient, tl_tensor direction) {
  double t = tl_item(tangent), g = tl_item(tl_sum(tl_mul(gradient, direction), TL_ALL, false));
  CHECK_TO(t, g, 1e-12 * (1 + fabs(g)));
}

/* A batch of functions of one matrix each is a loop over them. */
static void check_batch(tl_tensor batch, tl_tensor f(tl_tensor)) {
  double got[2], twice[2 * COUNT];
  for (int i = 0; i < 2 * COUNT; i++) {
    twice[i] = i < COUNT ? xs[i] : sin(xs[i - COUNT]);
  }
  CHECK(tl_read(batch, got, sizeof got), TL_OK);
  for (int k = 0; k < 2; k++) {
    double want = value_at(f, twice + k * COUNT, ROWS, COLUMNS);
    CHECK_TO(got[k], want, 1e-12 * (1 + fabs(want)));
  }
}

static tl_tensor two(tl_tensor x) {
  tl_tensor y = tl_sin(x), both[] = {x, y};
  double data[2 * COUNT];
  for (int k = 0; k < 2; k++) {
    tl_read(both[k], data + k * COUNT, sizeof data / 2);
  }
  return tl_from(TL_F64, TL_SHAPE(2, ROWS, COLUMNS), data);
}

#define CHECK_ALL(f)                                                                                                   \
  do {                                                                                                                 \
    tl_tensor g = tl_grad(f)(x);                                                                                       \
    check_differences(f, g);                                                                                           \
    check_tangent(tl_jvp(f)(x, direction), g, direction);                                                              \
    check_batch(tl_vmap(f, Example)(two(x)), f);                                                                       \
  } while (0)

static void set_elements(double *direction) {
  for (int i = 0; i < COUNT; i++) {
    xs[i] = sin(2.3 * i + 0.4);
    direction[i] = cos(1.7 * i);
  }
}
