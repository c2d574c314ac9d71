/* Arrays of tensors, and tensors of memory, that are refused. */
#include <tlaloc/grad.h>
#include <tlaloc/tensor.h>
#include <stdint.h>
tl_axis(N);
static tl_tensor dtypes(tl_typed(F64, N) x) {
  tl_tensor w[2] = {x, tl_cast(x, TL_F32)};
  return tl_sum(w[0], TL_ALL, false);
}
static tl_tensor ranks(tl_typed(F64, N) x) {
  tl_tensor w[2] = {x};
  w[1] = tl_sum(x, TL_ALL, false);
  return tl_sum(w[0], TL_ALL, false);
}
static tl_tensor unknown(tl_typed(F64, N) x, int n) {
  tl_tensor w[8];
  for (int i = 0; i < n; i++) {
    w[i] = i ? tl_mul(w[i - 1], x) : x;
  }
  return tl_sum(w[0], TL_ALL, false);
}
static double elements(const float v[3]) {
  return tl_item(tl_sum(tl_from(TL_F64, TL_SHAPE(3), v), TL_ALL, false));
}
static double halves(const uint16_t v[3], double a) {
  return a * tl_item(tl_sum(tl_cast(tl_from(TL_F16, TL_SHAPE(3), v), TL_F64), TL_ALL, false));
}
static double wrapped(double v[3]) {
  return tl_item(tl_sum(tl_wrap(TL_F64, TL_SHAPE(3), v, NULL, NULL), TL_ALL, false));
}
typedef struct untyped {
  tl_tensor w;
} untyped;
static tl_tensor of_untyped(untyped u, tl_typed(F64, N) x) { return tl_sum(tl_mul(u.w, x), TL_ALL, false); }
void all(tl_tensor x, untyped u, float *f, float *f_bar, uint16_t *h, double *v, double *v_bar) {
  tl_grad(dtypes)(x);
  tl_grad(ranks)(x);
  tl_grad(unknown)(x, 3);
  tl_grad(elements)(f, f_bar);
  tl_grad(halves)(h, 1);
  tl_grad(wrapped)(v, v_bar);
  tl_grad(of_untyped)(u, x);
}
