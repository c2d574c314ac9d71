#include "front/ast.h"

#include <assert.h>
#include <string.h>

tl_function *tl_unit_find(const tl_unit *unit, const char *name) {
  for (uint32_t i = 0; i < unit->functions.count; i++) {
    if (strcmp(unit->functions.data[i]->name, name) == 0) {
      return unit->functions.data[i];
    }
  }
  return NULL;
}

/* Scalar types are alike in every unit, so they are one table that nobody writes to. */
tl_ctype *tl_ctype_scalar(tl_unit *unit, tl_dtype dtype) {
  static tl_ctype scalars[] = {
#define TL_SCALAR(id, name, size, c) {.kind = TL_CT_SCALAR, .dtype = id, .spelling = c},
      TL_DTYPE_MAP(TL_SCALAR)
#undef TL_SCALAR
  };
  (void)unit;
  assert(dtype < TL_DTYPE_COUNT);
  return &scalars[dtype];
}
