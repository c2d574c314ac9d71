#include "base/intrinsic.h"

#include <string.h>

static const char *const names[] = {
#define TL_NAME(id, name) name,
    TL_INTRINSIC_MAP(TL_NAME)
#undef TL_NAME
};

const char *tl_intrinsic_name(tl_intrinsic intrinsic) { return names[intrinsic]; }

tl_intrinsic tl_intrinsic_find(const char *name, size_t length) {
  int i = 0;
  while (i < TL_INTRINSIC_COUNT && (strlen(names[i]) != length || memcmp(names[i], name, length) != 0)) {
    i++;
  }
  return (tl_intrinsic)i;
}
