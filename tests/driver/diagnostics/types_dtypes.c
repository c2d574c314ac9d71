#include <tlaloc/tensor.h>
tl_tensor dtypes(tl_typed(F64, 3) x, tl_typed(BOOL, 3) m, tl_tensor unknown, tl_dtype given) {
  tl_tensor y = tl_mul(x, tl_cast(x, TL_F32));
  y = tl_where(m, x, tl_scalar_like(x, 1));
  y = tl_where(x, y, y);
  y = tl_exp(tl_cast(tl_cast(x, given), TL_I8));
  y = tl_cast(x, TL_F80);
  y = tl_add(tl_exp(unknown), m);
  tl_typed(F32, 3) z = x;
  return tl_add(z, y);
}
