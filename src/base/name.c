#include "base/name.h"

#include <stddef.h>
#include <string.h>

bool tl_is_keyword(const char *name) {
  static const char *const words[] = {
#define TL_WORD(word) word,
      TL_KEYWORD_MAP(TL_WORD)
#undef TL_WORD
  };
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    if (!strcmp(words[i], name)) {
      return true;
    }
  }
  return false;
}
