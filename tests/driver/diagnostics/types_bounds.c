#include <tlaloc/tensor.h>
tl_bound(MaxSeq, 4096);
tl_bound(MaxImg, 64);
tl_axis(Seq);
tl_tensor bounds(tl_typed(F32, MaxSeq, 8) text, tl_typed(F32, Seq(MaxImg), 8) image, tl_tensor q) {
  tl_tensor x = tl_add(text, image);
  x = tl_matmul(tl_transpose(text, TL_ALL), image);
  x = tl_add(image, tl_fill(TL_F32, TL_SHAPE(65, 8), 0));
  text = tl_fill(TL_F32, TL_SHAPE(64, 8), 0);
  text = tl_fill(TL_F32, TL_SHAPE(0, 8), 0);
  return tl_as(tl_as(q, F32, 5000, 8), F32, Seq(MaxSeq), 8);
}
