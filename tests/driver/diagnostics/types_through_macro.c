#include <tlaloc/tensor.h>
#define SUM(x, y) tl_add((x), (y))
#define TWICE(x) tl_add(x, tl_fill(TL_F32, TL_SHAPE(2), 0))
/* What is written as a macro's argument is at fault there, what the macro writes where it is used. */
tl_tensor macros(tl_typed(F32, 3) x, tl_typed(F64, 3) y) {
  tl_tensor z = SUM(x, tl_exp(y));
  z = tl_as(tl_add(x, tl_exp(y)), F32, 3);
  return TWICE(x);
}
