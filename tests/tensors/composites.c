/* Ops that are made of others, in derivatives and batches: each against central differences, with extents that are
 * known when the program runs alone. */
#include <tlaloc/grad.h>
#include <tlaloc/tensor.h>

#include "composite_check.h"

tl_axis(Batch);
tl_axis(Head);
tl_axis(Query);
tl_axis(Key);
tl_axis(Feature);

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
  set_elements(ds);
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
