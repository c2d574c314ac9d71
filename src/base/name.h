/* The names of a C file: which characters they are made of, with GNU C's '$' and the bytes of UTF-8, and what is none.
 */
#ifndef TL_BASE_NAME_H
#define TL_BASE_NAME_H

#include <ctype.h>
#include <stdbool.h>

static inline bool tl_starts_name(char c) {
  return isalpha((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

static inline bool tl_in_name(char c) { return tl_starts_name(c) || isdigit((unsigned char)c); }

/* The words of C, up to C23 and with GNU C's. */
#define TL_KEYWORD_MAP(X)                                                                                              \
  X("auto")                                                                                                            \
  X("break")                                                                                                           \
  X("case")                                                                                                            \
  X("char") X("const") X("continue") X("default") X("do") X("double") X("else") X("enum") X("extern") X("float")       \
      X("for") X("goto") X("if") X("inline") X("int") X("long") X("register") X("restrict") X("return") X("short")     \
          X("signed") X("sizeof") X("static") X("struct") X("switch") X("typedef") X("union") X("unsigned") X("void")  \
              X("volatile") X("while") X("asm") X("typeof") X("bool") X("true") X("false") X("nullptr") X("constexpr") \
                  X("alignas") X("alignof") X("thread_local") X("static_assert")

bool tl_is_keyword(const char *);

#endif
