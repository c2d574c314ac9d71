/* special.inc compiled for each type, and which op needs which function. The text form is made by the build. */
#include "ops/special.h"

#include <assert.h>
#include <math.h>

#include "ops/special_tables.h"

#define LINK /* declared in special.h */

#define REAL float
#define WIDE double
#define M(name) name##f
#define W(name) name
#define C(x) x
#define NEAR NEAR_F64
#define FAR FAR_F64
#define SUM SUM_F64
#define ROOT_HIGH ROOT_HIGH_F64
#define ROOT_LOW ROOT_LOW_F64
#include "ops/special.inc"

#define REAL double
#define WIDE long double
#define M(name) name
#define W(name) name##l
#define C(x) x##L
#define NEAR NEAR_F80
#define FAR FAR_F80
#define SUM SUM_F80
#define ROOT_HIGH ROOT_HIGH_F80
#define ROOT_LOW ROOT_LOW_F80
#include "ops/special.inc"

#define REAL long double
#define WIDE long double
#define M(name) name##l
#define W(name) name##l
#define C(x) x##L
#define NEAR NEAR_F80
#define FAR FAR_F80
#define SUM SUM_F80
#define ROOT_HIGH ROOT_HIGH_F80
#define ROOT_LOW ROOT_LOW_F80
#include "ops/special.inc"

tl_special tl_special_of(const tl_func *f, const tl_op *op) {
  int64_t order;
  if (op->code == TL_OP_frexp_fraction) {
    return TL_SPECIAL_frexp_fraction;
  }
  if (op->code == TL_OP_frexp_exponent) {
    return TL_SPECIAL_frexp_exponent;
  }
  if (op->code == TL_OP_modf_fraction) {
    return TL_SPECIAL_modf_fraction;
  }
  if (op->code == TL_OP_remquo_quotient) {
    return TL_SPECIAL_remquo_quotient;
  }
  if (op->code != TL_OP_polygamma) {
    return TL_SPECIAL_NONE;
  }
  return tl_is_const_int(f, op->operands[0], &order) && order == 0 ? TL_SPECIAL_digamma : TL_SPECIAL_polygamma;
}

tl_special tl_special_needs(tl_special s) { return s == TL_SPECIAL_polygamma ? TL_SPECIAL_digamma : TL_SPECIAL_NONE; }

const char *tl_special_name(tl_special s, tl_dtype dtype) {
  static const char *const names[TL_SPECIAL_COUNT][3] = {
#define ROW(name) [TL_SPECIAL_##name] = {"tl__" #name "f", "tl__" #name, "tl__" #name "l"},
      TL_SPECIAL_MAP(ROW)
#undef ROW
  };
  assert(s != TL_SPECIAL_NONE && tl_dtype_is_float(dtype));
  return names[s][dtype - TL_F32];
}
