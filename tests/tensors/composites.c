/* Ops that are made of others, in derivatives and batches: each against central differences, with extents that are
 * known when the program runs alone. */
#include <tlaloc/grad.h>
#include <tlaloc/tensor.h>

#include "check.h"

tl_axis(Batch);
tl_axis(Head);
tl_axis(Query);
tl_axis(Key);
tl_axis(Feature);
tl_axis(Example);

static tl_tensor mean(tl_typed(F64, Batch, Feature) x) {
  return tl_sum(tl_exp(tl_mean(x, TL_AXES(0), true)), TL_ALL, false);
}
static tl_tensor logsumexp(tl_typed(F64, Batch, Feature) x) {
  return tl_sum(tl_sin(tl_logsumexp(x, TL_AXES(1), false)), TL_ALL, false);
}
static tl_tensor log_softmax(tl_typed(F64, Batch, Feature) x) {
  return tl_sum(tl_mul(tl_log_softmax(x, -1), tl_cos(x)), TL_ALL, false);
}
static tl_tensor clip(tl_typed(F64, Batch, Feature) x) {
  tl_tensor y = tl_clip(x, tl_scalar_like(x, -0.7), tl_mean(x, TL_ALL, false));
  return tl_sum(tl_mul(y, y), TL_ALL, false);
}
static tl_tensor take_along(tl_typed(F64, Batch, Feature) x) {
  tl_tensor order = tl_argsort(tl_cos(x), 1, false);
  return tl_sum(tl_mul(tl_take_along(tl_sin(x), order, 1, TL_INDEX_CHECK), x), TL_ALL, false);
}
static tl_tensor sorted(tl_typed(F64, Batch, Feature) x) {
  return tl_sum(tl_mul(tl_sort(x, 0, true), tl_exp(x)), TL_ALL, false);
}
static tl_tensor contract(tl_typed(F64, Batch, Feature) x) {
  tl_tensor products = tl_contract(x, tl_sin(x), TL_AXES(1), TL_AXES(1));
  return tl_sum(tl_mul(products, tl_contract(x, x, TL_AXES(-1), TL_AXES(1))), TL_ALL, false);
}
/* A weight for each example, and two axes that are summed over at once. */
static tl_tensor einsum(tl_typed(F64, Batch, Feature) x) {
  tl_tensor rows = tl_einsum("bf,bf,b->b", 3, (const tl_tensor[]){x, tl_cos(x), tl_sum(x, TL_AXES(1), false)});
  tl_tensor whole = tl_einsum("bf,bf->", 2, (const tl_tensor[]){x, x});
  return tl_add(tl_sum(rows, TL_ALL, false), tl_mul(whole, whole));
}

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

/* Attention of several heads, every extent open: scores and their mean are contractions along axes with names. */
static tl_tensor attention(tl_typed(F64, Batch, Head, Query, Feature) q, tl_typed(F64, Batch, Head, Key, Feature) k,
                           tl_typed(F64, Batch, Head, Key, Feature) v) {
  tl_tensor p = tl_softmax(tl_einsum("bhqd,bhkd->bhqk", 2, (const tl_tensor[]){q, k}), -1);
  tl_tensor out = tl_einsum("bhqk,bhkd->bhqd", 2, (const tl_tensor[]){p, v});
  return tl_sum(tl_mul(out, out), TL_ALL, false);
}

static void check_attention(void) {
  enum { B = 2, H = 2, Q = 3, K = 4, D = 2, QS = B * H * Q * D, KS = B * H * K * D };
  double q[QS], k[KS], g[QS], h = 1e-4;
  for (int i = 0; i < KS; i++) {
    k[i] = cos(3.0 * i);
    q[i < QS ? i : 0] = sin(2.0 * i);
  }
  tl_tensor kt = tl_from(TL_F64, TL_SHAPE(B, H, K, D), k), vt = tl_sin(kt);
  tl_read(tl_grad(attention, q)(tl_from(TL_F64, TL_SHAPE(B, H, Q, D), q), kt, vt), g, sizeof g);
  for (int i = 0; i < QS; i++) {
    double was = q[i];
    q[i] = was + h;
    double above = tl_item(attention(tl_from(TL_F64, TL_SHAPE(B, H, Q, D), q), kt, vt));
    q[i] = was - h;
    double below = tl_item(attention(tl_from(TL_F64, TL_SHAPE(B, H, Q, D), q), kt, vt));
    q[i] = was;
    CHECK_TO(g[i], (above - below) / (2 * h), 1e-7);
  }
}

int main(void) {
  double ds[COUNT];
  for (int i = 0; i < COUNT; i++) {
    xs[i] = sin(2.3 * i + 0.4);
    ds[i] = cos(1.7 * i);
  }
  tl_tensor x = tl_from(TL_F64, TL_SHAPE(ROWS, COLUMNS), xs), direction = tl_from(TL_F64, TL_SHAPE(ROWS, COLUMNS), ds);
  CHECK_ALL(mean);
  CHECK_ALL(logsumexp);
  CHECK_ALL(log_softmax);
  CHECK_ALL(clip);
  CHECK_ALL(take_along);
  CHECK_ALL(sorted);
  CHECK_ALL(contract);
  CHECK_ALL(einsum);
  check_attention();
  return check_done();
}
