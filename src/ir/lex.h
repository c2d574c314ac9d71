/* Tokens of the text form. The text needs no terminating zero and may hold any bytes. */
#ifndef TL_IR_LEX_H
#define TL_IR_LEX_H

#include "ir/ir.h"

typedef enum tl_token_kind {
  TL_TOKEN_END,    /* of the text, and for ever after an error */
  TL_TOKEN_WORD,   /* add, f64, inf */
  TL_TOKEN_NUMBER, /* 12, -0x1.8p+3, -inf */
  TL_TOKEN_STRING, /* "..."; `string` is its content */
  TL_TOKEN_VALUE,  /* %3, %x, %x.3, %"a b".3; `string` is the name or NULL */
  TL_TOKEN_GLOBAL, /* @f, @"a b"; `string` is the name */
  TL_TOKEN_PUNCT,  /* one of ( ) { } [ ] < > , : = - and TL_PUNCT_ARROW */
} tl_token_kind;

enum { TL_PUNCT_ARROW = 1 }; /* "->" */

typedef struct tl_token {
  tl_token_kind kind;
  const char *text; /* the bytes of the token in the text */
  uint32_t length;
  char punct;
  const char *string; /* in the arena, terminated */
  uint32_t line, column;
} tl_token;

typedef struct tl_lexer {
  tl_arena *arena;
  tl_diag *diag;
  const char *file, *at, *end, *line_start;
  uint32_t line;
  bool failed;
  tl_token token; /* the current one */
} tl_lexer;

void tl__lexer_init(tl_lexer *, tl_arena *, tl_diag *, const char *file, const char *text, size_t length);
void tl__lexer_next(tl_lexer *);
/* Reports the first error only, at the current token; the lexer is at the end of the text then. */
void tl__lexer_fail(tl_lexer *, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Words and punctuation: whether the current token is it, skipping it where it is, and failing where it is not. */
bool tl__lexer_at_word(const tl_lexer *, const char *word);
bool tl__lexer_at_punct(const tl_lexer *, char);
bool tl__lexer_accept_word(tl_lexer *, const char *word);
bool tl__lexer_accept_punct(tl_lexer *, char);
void tl__lexer_expect_word(tl_lexer *, const char *word);
void tl__lexer_expect_punct(tl_lexer *, char);

/* A string, or NULL for the word null. */
const char *tl__lexer_string(tl_lexer *);
/* `whole_u64`: up to 2^64-1, given as its bits. */
int64_t tl__lexer_integer(tl_lexer *, bool whole_u64);
uint32_t tl__lexer_count(tl_lexer *);
long double tl__lexer_float(tl_lexer *, tl_dtype);
/* Whether the token is an integer from -2^63 to 2^64-1; its bits. */
bool tl__token_integer(const tl_token *, bool *out_negative, uint64_t *out);

#endif
