#include <string.h>

#include "front/lower_priv.h"

tl_value tl__lower_call_outlined(tl_lower *l, const tl_expr *call, const tl_function *f, tl_pointer **out) {
  (void)out;
  tl__lower_refuse(l, TL_UNSUPPORTED_CONSTRUCT, call->loc, "'%s' calls itself", f->name);
}

tl_value tl__lower_call_intrinsic(tl_lower *l, const tl_expr *call, tl_pointer **out) {
  (void)out;
  tl__lower_refuse(l, TL_UNSUPPORTED_CONSTRUCT, call->loc, "'%s' inside a function", call->name);
}
