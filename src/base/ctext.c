#include "base/ctext.h"

#include <stdbool.h>
#include <string.h>

#include "base/name.h"

const char *tl_literal_escape(tl_arena *a, const char *s) {
  static const char signs[] = "\"\\?\a\b\f\n\r\t\v", letters[] = "\"\\?abfnrtv";
  char *escaped = tl_arena_alloc(a, 2 * strlen(s) + 1);
  size_t n = 0;
  for (; *s; s++) {
    const char *sign = strchr(signs, *s);
    if (sign) {
      escaped[n++] = '\\';
    }
    escaped[n++] = sign ? letters[sign - signs] : *s;
  }
  escaped[n] = '\0';
  return escaped;
}

static bool is_octal(char c) { return c >= '0' && c <= '7'; }

const char *tl_marker_unescape(tl_arena *a, const char *s, size_t length) {
  char *text = tl_arena_alloc(a, length + 1);
  size_t n = 0;
  for (const char *end = s + length; s < end; s++) {
    bool escaped = *s == '\\' && s + 1 < end;
    if (escaped && end - s > 3 && is_octal(s[1]) && is_octal(s[2]) && is_octal(s[3])) {
      text[n++] = (char)((s[1] - '0') << 6 | (s[2] - '0') << 3 | (s[3] - '0'));
      s += 3;
    } else {
      s += escaped;
      text[n++] = escaped && *s == 'n' ? '\n' : *s;
    }
  }
  text[n] = '\0';
  return text;
}

const char *tl_comment_escape(tl_arena *a, const char *s) {
  char *escaped = tl_arena_alloc(a, 2 * strlen(s) + 1);
  size_t n = 0;
  for (; *s; s++) {
    bool opens = (*s == '*' && s[1] == '/') || (*s == '/' && s[1] == '*');
    escaped[n++] = *s == '\n' || *s == '\r' ? ' ' : *s;
    if (opens) {
      escaped[n++] = ' ';
    }
  }
  escaped[n] = '\0';
  return escaped;
}

size_t tl_utf8_length(const char *s) {
  unsigned char c = (unsigned char)s[0], next = (unsigned char)s[1];
  size_t length = c < 0x80 ? 1 : c >= 0xc2 && c < 0xe0 ? 2 : (c & 0xf0) == 0xe0 ? 3 : c >= 0xf0 && c < 0xf5 ? 4 : 0;
  bool overlong = (c == 0xe0 && next < 0xa0) || (c == 0xf0 && next < 0x90);
  bool beyond = (c == 0xed && next >= 0xa0) || (c == 0xf4 && next >= 0x90); /* surrogates, and above U+10FFFF */
  for (size_t i = 1; i < length; i++) {
    if (((unsigned char)s[i] & 0xc0) != 0x80) {
      return 0;
    }
  }
  return overlong || beyond ? 0 : length;
}

const char *tl_text_without_const(tl_arena *arena, const char *text) {
  char *out = tl_arena_strdup(arena, text), *to = out;
  for (const char *s = text; *s;) {
    size_t n = 0;
    while (tl_in_name(s[n])) {
      n++;
    }
    bool is_const = (n == 5 && !strncmp(s, "const", 5)) || (n == 9 && !strncmp(s, "__const__", 9)) ||
                    (n == 7 && !strncmp(s, "__const", 7));
    if (is_const) {
      s += n;
      while (*s == ' ') {
        s++;
      }
      if (to > out && to[-1] == ' ' && !tl_in_name(*s) && *s != '@' && *s != '*' && *s != '(') {
        to--;
      }
      continue;
    }
    n = n ? n : 1;
    memmove(to, s, n);
    to += n;
    s += n;
  }
  *to = 0;
  return out;
}
