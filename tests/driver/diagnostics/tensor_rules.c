/* Rules of functions on tensors: another dtype, another name of an axis, an extent that is not known to hold, a result
 * that is never written; a batch that leaves the rule behind. */
#include <tlaloc/grad.h>
#include <tlaloc/tensor.h>
tl_axis(N);
tl_axis(M);
static tl_typed(F64, N) a(tl_typed(F64, N) x) { return tl_mul(x, x); }
static tl_tensor a_rule(tl_typed(F64, N) x, tl_typed(F32, N) y_bar, tl_typed(F64, N) *x_bar) {
  *x_bar = tl_mul(x, tl_cast(y_bar, TL_F64));
  return tl_mul(x, x);
}
TL_CUSTOM_VJP(a, a_rule);
static tl_typed(F64, N) b(tl_typed(F64, N) x) { return tl_mul(x, x); }
static tl_tensor b_rule(tl_typed(F64, N) x, tl_typed(F64, M) y_bar, tl_typed(F64, N) *x_bar) {
  *x_bar = tl_reshape(y_bar, tl_shape_of(x));
  return tl_mul(x, x);
}
TL_CUSTOM_VJP(b, b_rule);
static tl_typed(F64, N) c(tl_typed(F64, N) x) { return tl_mul(x, x); }
static tl_tensor c_rule(tl_typed(F64, 3) x, tl_typed(F64, 3) y_bar, tl_typed(F64, 3) *x_bar) {
  *x_bar = tl_mul(x, y_bar);
  return tl_mul(x, x);
}
TL_CUSTOM_VJP(c, c_rule);
static tl_typed(F64, N) d(tl_typed(F64, N) x) { return tl_mul(x, x); }
static tl_tensor d_rule(tl_typed(F64, N) x, tl_typed(F64, N) y_bar, tl_typed(F64, N) *x_bar) {
  (void)y_bar, (void)x_bar;
  return tl_mul(x, x);
}
TL_CUSTOM_VJP(d, d_rule);
static tl_typed(F64, N) e(tl_typed(F64, N) x) { return tl_mul(x, x); }
static tl_tensor e_rule(tl_typed(F64, N) x, tl_typed(F64, N) y_bar, tl_typed(F64, N) *x_bar) {
  *x_bar = tl_mul(x, y_bar);
  return tl_mul(x, x);
}
TL_CUSTOM_VJP(e, e_rule);
static tl_tensor all(tl_typed(F64, M, N) x) { return tl_sum(tl_vmap(e, M, x)(x), TL_ALL, false); }
static tl_tensor f(tl_typed(F64, N) x) { return tl_sum(a(x), TL_ALL, false); }
static tl_tensor g(tl_typed(F64, N) x) { return tl_sum(b(x), TL_ALL, false); }
static tl_tensor h(tl_typed(F64, N) x) { return tl_sum(c(x), TL_ALL, false); }
static tl_tensor k(tl_typed(F64, N) x) { return tl_sum(d(x), TL_ALL, false); }
void every(tl_tensor x) {
  tl_grad(f)(x);
  tl_grad(g)(x);
  tl_grad(h)(x);
  tl_grad(k)(x);
  tl_grad(all)(x);
}
