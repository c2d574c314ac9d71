#include "ir/lex.h"

#include <stdlib.h>
#include <string.h>

#include "ir/text.h"

enum { LONGEST_NUMBER = 127 };

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_letter(char c) { return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

void tl__lexer_fail(tl_lexer *l, const char *format, ...) {
  if (!l->failed) {
    tl_loc loc = {l->file, l->token.line, l->token.column, l->token.column + (l->token.length ? l->token.length : 1)};
    va_list args;
    va_start(args, format);
    tl_diag_error(l->diag, TL_IR_INVALID, loc, "%s", tl_arena_vprintf(l->diag->arena, format, args));
    va_end(args);
  }
  l->failed = true;
  l->at = l->end;
  l->token.kind = TL_TOKEN_END;
}

static char peek(const tl_lexer *l, size_t ahead) { return (size_t)(l->end - l->at) > ahead ? l->at[ahead] : 0; }

static void skip_blanks(tl_lexer *l) {
  while (l->at < l->end) {
    char c = *l->at;
    if (c == '\n') {
      l->at++;
      l->line++;
      l->line_start = l->at;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      l->at++;
    } else if (c == '/' && peek(l, 1) == '/') {
      while (l->at < l->end && *l->at != '\n') {
        l->at++;
      }
    } else {
      return;
    }
  }
}

static int hex_digit(char c) {
  return is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* At the opening quote; the content comes unescaped. A string lies on one line. */
static const char *lex_string(tl_lexer *l) {
  const char *start = ++l->at;
  while (l->at < l->end && *l->at != '"' && *l->at != '\n') {
    l->at += *l->at == '\\' && l->at + 1 < l->end ? 2 : 1;
  }
  if (l->at >= l->end || *l->at != '"') {
    tl__lexer_fail(l, "the string does not end on its line");
    return NULL;
  }
  char *out = tl_arena_alloc(l->arena, (size_t)(l->at - start) + 1);
  size_t n = 0;
  for (const char *p = start; p < l->at; p++) {
    if (*p == '\0') {
      tl__lexer_fail(l, "a string holds no zero byte");
      return NULL;
    }
    if (*p != '\\') {
      out[n++] = *p;
      continue;
    }
    p++;
    int high = *p == 'x' && l->at - p > 2 ? hex_digit(p[1]) : -1, low = high >= 0 ? hex_digit(p[2]) : -1;
    if (*p == 'n') {
      out[n++] = '\n';
    } else if (*p == 't') {
      out[n++] = '\t';
    } else if (*p == '"' || *p == '\\') {
      out[n++] = *p;
    } else if (low >= 0 && high * 16 + low > 0) {
      out[n++] = (char)(high * 16 + low);
      p += 2;
    } else {
      tl__lexer_fail(l, "an escape is one of \\n, \\t, \\\", \\\\ and \\xHH, and not zero");
      return NULL;
    }
  }
  l->at++;
  return out;
}

static const char *lex_name(tl_lexer *l) {
  if (peek(l, 0) == '"') {
    return lex_string(l);
  }
  const char *start = l->at;
  while (is_letter(peek(l, 0)) || is_digit(peek(l, 0))) {
    l->at++;
  }
  return tl_arena_strndup(l->arena, start, (size_t)(l->at - start));
}

static void lex_value(tl_lexer *l) {
  l->at++;
  if (is_digit(peek(l, 0))) {
    while (is_digit(peek(l, 0))) {
      l->at++;
    }
    return;
  }
  if (!is_letter(peek(l, 0)) && peek(l, 0) != '"') {
    tl__lexer_fail(l, "a value's name is missing after '%%'");
    return;
  }
  l->token.string = lex_name(l);
  if (!l->failed && peek(l, 0) == '.' && is_digit(peek(l, 1))) {
    l->at++;
    while (is_digit(peek(l, 0))) {
      l->at++;
    }
  }
}

/* A sign, then letters, digits and points, with a sign after an exponent's letter. What it means is checked where it is
 * used. */
static void lex_number(tl_lexer *l) {
  l->at++;
  bool hex = false;
  for (;; l->at++) {
    char c = peek(l, 0);
    if (!is_letter(c) && !is_digit(c) && c != '.') {
      char before = l->at[-1];
      bool exponent = before == 'p' || before == 'P' || (!hex && (before == 'e' || before == 'E'));
      if ((c != '+' && c != '-') || !exponent) {
        return;
      }
    }
    hex |= c == 'x' || c == 'X';
  }
}

void tl__lexer_next(tl_lexer *l) {
  if (l->failed) {
    return;
  }
  skip_blanks(l);
  const char *start = l->at;
  l->token = (tl_token){.text = start, .line = l->line, .column = (uint32_t)(start - l->line_start) + 1};
  if (l->at >= l->end) {
    return;
  }
  char c = *l->at, after = peek(l, 1);
  if (is_letter(c)) {
    l->token.kind = TL_TOKEN_WORD;
    while (is_letter(peek(l, 0)) || is_digit(peek(l, 0))) {
      l->at++;
    }
  } else if (is_digit(c) || (c == '-' && (is_digit(after) || is_letter(after) || after == '.'))) {
    l->token.kind = TL_TOKEN_NUMBER;
    lex_number(l);
  } else if (c == '"') {
    l->token.kind = TL_TOKEN_STRING;
    l->token.string = lex_string(l);
  } else if (c == '%') {
    l->token.kind = TL_TOKEN_VALUE;
    lex_value(l);
  } else if (c == '@') {
    l->token.kind = TL_TOKEN_GLOBAL;
    l->at++;
    if (is_letter(after) || after == '"') {
      l->token.string = lex_name(l);
    } else {
      tl__lexer_fail(l, "a function's name is missing after '@'");
    }
  } else if (c == '-' && after == '>') {
    l->token.kind = TL_TOKEN_PUNCT;
    l->token.punct = TL_PUNCT_ARROW;
    l->at += 2;
  } else if (c && strchr("(){}[]<>,:=-", c)) {
    l->token.kind = TL_TOKEN_PUNCT;
    l->token.punct = c;
    l->at++;
  } else {
    tl__lexer_fail(l, "unexpected byte 0x%02x", (unsigned char)c);
  }
  if (!l->failed) {
    l->token.length = (uint32_t)(l->at - start);
  }
}

void tl__lexer_init(tl_lexer *l, tl_arena *arena, tl_diag *diag, const char *file, const char *text, size_t length) {
  *l = (tl_lexer){
      .arena = arena, .diag = diag, .file = file, .at = text, .end = text + length, .line_start = text, .line = 1};
}

/* ---- what the parser asks for ---- */

bool tl__lexer_at_word(const tl_lexer *l, const char *word) {
  const tl_token *t = &l->token;
  return t->kind == TL_TOKEN_WORD && t->length == strlen(word) && !memcmp(t->text, word, t->length);
}

bool tl__lexer_at_punct(const tl_lexer *l, char c) { return l->token.kind == TL_TOKEN_PUNCT && l->token.punct == c; }

bool tl__lexer_accept_word(tl_lexer *l, const char *word) {
  bool yes = tl__lexer_at_word(l, word);
  if (yes) {
    tl__lexer_next(l);
  }
  return yes;
}

bool tl__lexer_accept_punct(tl_lexer *l, char c) {
  bool yes = tl__lexer_at_punct(l, c);
  if (yes) {
    tl__lexer_next(l);
  }
  return yes;
}

void tl__lexer_expect_punct(tl_lexer *l, char c) {
  if (!tl__lexer_accept_punct(l, c)) {
    tl__lexer_fail(l, "'%c' is expected here", c);
  }
}

void tl__lexer_expect_word(tl_lexer *l, const char *word) {
  if (!tl__lexer_accept_word(l, word)) {
    tl__lexer_fail(l, "'%s' is expected here", word);
  }
}

const char *tl__lexer_string(tl_lexer *l) {
  if (tl__lexer_accept_word(l, "null")) {
    return NULL;
  }
  const char *s = l->token.string;
  if (l->token.kind != TL_TOKEN_STRING) {
    tl__lexer_fail(l, "a string is expected here");
    return NULL;
  }
  tl__lexer_next(l);
  return s;
}

bool tl__token_integer(const tl_token *t, bool *negative, uint64_t *out) {
  *negative = t->text[0] == '-';
  uint64_t v = 0;
  for (uint32_t i = *negative; i < t->length; i++) {
    unsigned digit = (unsigned char)t->text[i] - '0';
    if (digit > 9 || v > (UINT64_MAX - digit) / 10) {
      return false;
    }
    v = 10 * v + digit;
  }
  if (*negative && v > (uint64_t)INT64_MAX + 1) {
    return false;
  }
  *out = *negative ? 0 - v : v;
  return t->length > *negative;
}

int64_t tl__lexer_integer(tl_lexer *l, bool whole_u64) {
  bool negative = false;
  uint64_t v = 0;
  if (l->token.kind != TL_TOKEN_NUMBER || !tl__token_integer(&l->token, &negative, &v) ||
      (!negative && !whole_u64 && v > INT64_MAX)) {
    tl__lexer_fail(l, "an integer is expected here");
    return 0;
  }
  tl__lexer_next(l);
  return (int64_t)v;
}

uint32_t tl__lexer_count(tl_lexer *l) {
  int64_t v = tl__lexer_integer(l, false);
  if (!l->failed && (v < 0 || v > UINT32_MAX)) {
    tl__lexer_fail(l, "the number is not between 0 and 2^32 - 1");
  }
  return l->failed ? 0 : (uint32_t)v;
}

long double tl__lexer_float(tl_lexer *l, tl_dtype dtype) {
  char text[LONGEST_NUMBER + 1], *end;
  const tl_token *t = &l->token;
  if ((t->kind != TL_TOKEN_NUMBER && t->kind != TL_TOKEN_WORD) || t->length > LONGEST_NUMBER) {
    tl__lexer_fail(l, "a floating constant of at most %d bytes is expected here", LONGEST_NUMBER);
    return 0;
  }
  memcpy(text, t->text, t->length);
  text[t->length] = 0;
  strtold(text, &end);
  if (*end || end == text) {
    tl__lexer_fail(l, "a floating constant is expected here");
    return 0;
  }
  tl__lexer_next(l);
  return tl__text_to_float(dtype, text);
}
