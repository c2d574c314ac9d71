/* Which characters the names of a C file are made of, with GNU C's '$' and the bytes of UTF-8. */
#ifndef TL_BASE_NAME_H
#define TL_BASE_NAME_H

#include <ctype.h>
#include <stdbool.h>

static inline bool tl_starts_name(char c) {
  return isalpha((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

static inline bool tl_in_name(char c) { return tl_starts_name(c) || isdigit((unsigned char)c); }

#endif
