#include <stdarg.h>
#include <string.h>

#include "emit/c/internal.h"

void tl__c_text_addn(tl__c_text *t, const char *s, size_t n) {
  if (t->count + n + 1 > t->room) {
    uint32_t room = t->room ? t->room : 32;
    while (room < t->count + n + 1) {
      room *= 2;
    }
    t->data = tl_arena_grow(t->arena, t->data, t->count, room);
    t->room = room;
  }
  memcpy(t->data + t->count, s, n);
  t->count += (uint32_t)n;
  t->data[t->count] = 0;
}

void tl__c_text_add(tl__c_text *t, const char *s) { tl__c_text_addn(t, s, strlen(s)); }

void tl__c_text_addf(tl__c_text *t, const char *format, ...) {
  va_list args;
  va_start(args, format);
  tl__c_text_add(t, tl_arena_vprintf(t->arena, format, args));
  va_end(args);
}

const char *tl__c_text_replace(tl_arena *arena, const char *text, char from, const char *to) {
  tl__c_text t = {.arena = arena};
  tl__c_text_add(&t, "");
  for (; *text; text++) {
    if (*text == from) {
      tl__c_text_add(&t, to);
    } else {
      tl__c_text_addn(&t, text, 1);
    }
  }
  return t.data;
}

/* The best place to break a line that is too long: after an operator or comma, where parentheses are least deep, rather
 * after a sum's sign than within a product. */
static size_t break_at(const char *s, size_t room) {
  size_t best = 0;
  int depth = 0, best_cost = 1000;
  char quote = 0;
  for (size_t i = 0; s[i] && i < room; i++) {
    char c = s[i];
    if (quote) {
      if (c == '\\' && s[i + 1]) {
        i++;
      } else if (c == quote) {
        quote = 0;
      }
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '(' || c == '[') {
      depth++;
    } else if (c == ')' || c == ']') {
      depth--;
    } else if (c == ' ' && i > room / 3 && strchr(",+-*/&|?:<>=;", s[i - 1])) {
      int cost = 2 * depth + (s[i - 1] == '*' || s[i - 1] == '/');
      if (cost <= best_cost) {
        best = i;
        best_cost = cost;
      }
    }
  }
  return best;
}

static void print_line(const char *prefix, const char *s, const char *suffix, int indent, FILE *out) {
  int column = indent;
  fprintf(out, "%*s%s", indent, "", prefix);
  while (strlen(s) + strlen(suffix) + (size_t)column > TL__LINE_WIDTH) {
    size_t n = break_at(s, (size_t)(TL__LINE_WIDTH > column + 20 ? TL__LINE_WIDTH - column : 20));
    if (!n) {
      break;
    }
    fprintf(out, "%.*s\n%*s", (int)n, s, indent + 4, "");
    s += n + 1;
    column = indent + 4;
  }
  fprintf(out, "%s%s\n", s, suffix);
}

static void stmt_print(const tl__c_stmt *s, const char *prefix, int indent, FILE *out) {
  switch (s->kind) {
  case TL__LINE:
    print_line(prefix, s->text, "", indent, out);
    return;
  case TL__COMMENT:
    fprintf(out, "%*s/* %s */\n", indent, "", s->text);
    return;
  case TL__LABEL:
    fprintf(out, "%s:\n", s->text);
    return;
  case TL__BRACED:
    break;
  }
  print_line(prefix, s->text, *s->text ? " {" : "{", indent, out);
  tl__c_block_print(&s->body, indent + 2, out);
  if (!s->otherwise.count) {
    fprintf(out, "%*s}\n", indent, "");
  } else if (s->otherwise.count == 1 && s->otherwise.data[0]->kind == TL__BRACED && s->otherwise.data[0]->is_if) {
    stmt_print(s->otherwise.data[0], "} else ", indent, out);
  } else {
    fprintf(out, "%*s} else {\n", indent, "");
    tl__c_block_print(&s->otherwise, indent + 2, out);
    fprintf(out, "%*s}\n", indent, "");
  }
}

void tl__c_block_print(const tl__c_block *b, int indent, FILE *out) {
  for (uint32_t i = 0; i < b->count; i++) {
    stmt_print(b->data[i], "", indent, out);
  }
}
