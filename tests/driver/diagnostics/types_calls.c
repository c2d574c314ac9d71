#include <tlaloc/tensor.h>
tl_axis(Batch);
tl_axis(Feature);
tl_axis(Hidden);
static tl_typed(F32, Batch, Hidden) product(tl_typed(F32, Batch, Feature) x, tl_typed(F32, Feature, Hidden) w) {
  return tl_matmul(x, w);
}
static tl_typed(F64, Batch) wrong(tl_typed(F32, Batch, Feature) x) { return tl_sum(x, TL_AXES(1), false); }
static void fill(tl_typed(F32, 3) *out) { *out = tl_fill(TL_F32, TL_SHAPE(4), 0); }
static tl_tensor first(const tl_typed(F32, 3) x[]) { return x[0]; }
tl_tensor calls(tl_typed(F32, Feature, Hidden) w, tl_tensor *held) {
  tl_tensor x = tl_fill(TL_F32, TL_SHAPE(8, 6), 0), y, z[2] = {tl_fill(TL_F32, TL_SHAPE(3), 0), tl_fill(TL_F32, TL_SHAPE(2), 0)};
  tl_typed(F32, 4) four;
  y = product(w, x);
  y = product(x, tl_fill(TL_F32, TL_SHAPE(7, 5), 0));
  y = product(x, tl_fill(TL_F32, TL_SHAPE(6, 5), 0));
  y = tl_add(y, tl_fill(TL_F32, TL_SHAPE(9, 5), 0));
  wrong(x);
  fill(&four);
  fill(&y);
  y = tl_add(y, tl_fill(TL_F32, TL_SHAPE(2), 0));
  first(z);
  return first(held);
}
