/* What has no Jacobian, Hessian or check among functions on tensors. */
#include <tlaloc/grad.h>
#include <tlaloc/tensor.h>
tl_axis(N);
typedef struct pair {
  tl_typed(F64, N) a, b;
} pair;
static tl_tensor of_pair(pair p) { return tl_sum(tl_mul(p.a, p.b), TL_ALL, false); }
static tl_tensor of_array(tl_typed(F64, N) x[2]) { return tl_sum(tl_mul(x[0], x[1]), TL_ALL, false); }
static void to_array(tl_typed(F64, 2) x, double y[2]) {
  y[0] = tl_item(tl_sum(x, TL_ALL, false));
  y[1] = 2 * y[0];
}
static tl_tensor of_numbers(tl_typed(F64, N) x, const double w[2]) {
  return tl_mul(x, tl_fill(TL_F64, TL_SCALAR, w[0] * w[1]));
}
static tl_tensor vector(tl_typed(F64, N) x) { return tl_mul(x, x); }
static tl_tensor wide(tl_typed(F64, 1, 1, 1, 1, 1, 1, 1) x) { return tl_mul(x, x); }
static tl_tensor half(tl_typed(F16, N) x) { return tl_sum(tl_mul(x, x), TL_ALL, false); }
void all(tl_tensor x, pair p, tl_tensor *y, double *w, double *v, tl_tensor *J) {
  tl_jacobian(of_pair)(p, J);
  tl_hessian(of_array)(y, J);
  tl_jacobian_reverse(to_array)(x, v, J);
  tl_jacobian(of_numbers, w)(x, w, J);
  tl_hessian(vector)(x, J);
  tl_jacobian(wide)(x, J);
  tl_check_vjp(half)(x, 0);
  tl_check_vjp(of_array)(y, 0);
}
