#include <tlaloc/tensor.h>
tl_axis(Batch);
tl_axis(Feature);
tl_axis(Hidden);
typedef tl_typed(F32, Batch, Feature) rows;
struct layer {
  tl_typed(F32, Feature, Hidden) w;
  tl_typed(F32, Hidden) b;
};
/* Names follow the values through every op. */
tl_tensor applied(const struct layer *l, rows x) {
  tl_tensor h = tl_tanh(tl_add(tl_matmul(x, l->w), l->b));
  tl_tensor back = tl_matmul(h, l->w);
  tl_tensor turned = tl_transpose(l->w, TL_ALL);
  tl_tensor parted = tl_reshape(tl_softmax(tl_matmul(h, turned), -1), TL_SHAPE(-1, 2, 3));
  return tl_add(tl_sum(h, TL_AXES(0), false), tl_max(tl_mul(x, x), TL_AXES(0), false));
}
