#include <tlaloc/tensor.h>
tl_axis(Batch);
tl_axis(Feature);
tl_axis(Hidden);
struct state {
  tl_tensor x[2];
};
tl_tensor flow(tl_typed(F32, 3) x, tl_typed(F32, 4) y, tl_typed(F64, 3) z, int n) {
  tl_tensor a;
  if (n) {
    a = x;
  } else {
    a = y;
  }
  a = tl_add(a, z); /* of the shape nothing is known, but the dtype */
  tl_tensor b = n ? x : tl_exp(x);
  b = tl_add(b, y);
  tl_tensor c = x;
  for (int i = 0; i < n; i++) {
    c = tl_add(c, x);
    c = tl_add(c, y);
  }
  tl_tensor d = tl_fill(TL_F32, TL_SHAPE(1), 0);
  while (n-- > 0) {
    d = tl_add(d, z);
    if (n == 3) {
      d = y;
      break;
    }
    d = tl_add(d, x);
  }
  struct state s = {{x}}, t;
  s.x[1] = y;
  t = s;
  a = tl_add(t.x[0], t.x[1]);
  switch (n) {
  case 1:
    a = y;
    break;
  default:
    return x;
  }
  return tl_add(a, x);
}
