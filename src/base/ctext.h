/* Text within C's tokens: a file's name may have any byte in it. */
#ifndef TL_BASE_CTEXT_H
#define TL_BASE_CTEXT_H

#include "base/arena.h"

/* Between the quotes of a string literal or of #line: without numeric escapes, which clang has not in #line, and
 * without trigraphs. */
const char *tl_literal_escape(tl_arena *, const char *);
/* The text between two quotes of a line marker, as gcc and clang write it. */
const char *tl_marker_unescape(tl_arena *, const char *, size_t length);
/* Within a comment on one line: what would end or open a comment is broken up by a blank. */
const char *tl_comment_escape(tl_arena *, const char *);

/* A declarator or a type without const at any level. */
const char *tl_text_without_const(tl_arena *, const char *);

/* How many bytes the character at `s` has; 0 where they are not UTF-8. */
size_t tl_utf8_length(const char *s);

#endif
