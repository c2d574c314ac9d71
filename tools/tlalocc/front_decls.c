#include "front_decls.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/ctext.h"
#include "base/name.h"

typedef struct token {
  const char *start;
  uint32_t length;
  uint32_t line; /* of the text, to keep line breaks */
  bool word;
} token;

typedef struct reader {
  tl_arena *arena;
  const char *(*read_line)(void *, const char *, uint32_t);
  void *ctx;
  front_decls *out;
  TL_VEC(token) tokens; /* of the declaration being read */
} reader;

static bool is(const token *t, const char *text) {
  return t->length == strlen(text) && memcmp(t->start, text, t->length) == 0;
}

static const char *word_of(reader *r, const token *t) { return tl_arena_strndup(r->arena, t->start, t->length); }

/* --- one declaration
 * --------------------------------------------------------------------------------------------------- */

/* The end of the bracketed group that opens at token i. */
static uint32_t group_end(const reader *r, uint32_t i) {
  int depth = 0;
  for (; i < r->tokens.count; i++) {
    const token *t = &r->tokens.data[i];
    char c = t->word ? 0 : *t->start;
    depth += c == '(' || c == '[' || c == '{';
    depth -= c == ')' || c == ']' || c == '}';
    if (depth == 0) {
      return i;
    }
  }
  return r->tokens.count - 1;
}

static bool qualifies(const token *t) {
  static const char *const words[] = {"__attribute__", "__attribute", "__asm__",       "__asm",
                                      "asm",           "_Alignas",    "__declspec",    "typeof",
                                      "__typeof__",    "__typeof",    "_Static_assert"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    if (is(t, words[i])) {
      return true;
    }
  }
  return false;
}

static void add_name(reader *r, front_decl *d, const token *t) { TL_PUSH(r->arena, d->names, word_of(r, t)); }

/* Tags with a body and enumeration constants, at any depth between tokens i and end. */
static void tag_names(reader *r, front_decl *d, uint32_t i, uint32_t end) {
  for (; i < end; i++) {
    const token *t = &r->tokens.data[i];
    bool is_enum = is(t, "enum");
    if (!is_enum && !is(t, "struct") && !is(t, "union")) {
      continue;
    }
    uint32_t k = i + 1;
    while (k < end && qualifies(&r->tokens.data[k])) {
      k = group_end(r, k + 1) + 1;
    }
    if (k < end && r->tokens.data[k].word) {
      uint32_t tag = k++;
      if (k < end && (*r->tokens.data[k].start == '{' || *r->tokens.data[k].start == ';')) {
        add_name(r, d, &r->tokens.data[tag]);
      }
    }
    if (is_enum && k < end && *r->tokens.data[k].start == '{') {
      bool expects = true;
      for (uint32_t close = group_end(r, k++); k < close; k++) {
        const token *e = &r->tokens.data[k];
        if (expects && e->word) {
          add_name(r, d, e);
        }
        expects = !e->word && *e->start == ',';
        if (!e->word && (*e->start == '(' || *e->start == '{')) {
          k = group_end(r, k);
        }
      }
    }
  }
}

/* The names that the declarators give: in each, the last word before a bracket, a '=' or its end; inside the first
 * parentheses where it is a pointer's or a function's, as in (*f)(double). */
static void declarator_names(reader *r, front_decl *d, uint32_t end) {
  const token *last = NULL;
  bool named = false;
  for (uint32_t i = 0; i < end; i++) {
    const token *t = &r->tokens.data[i];
    char c = t->word ? 0 : *t->start;
    if (t->word && qualifies(t)) {
      i = group_end(r, i + 1);
    } else if (t->word) {
      if (!named) {
        last = t;
      }
    } else if (c == '{') {
      i = group_end(r, i);
      last = NULL;
    } else if (c == '(') {
      bool inner = i + 1 < end && (*r->tokens.data[i + 1].start == '*' || *r->tokens.data[i + 1].start == '(');
      if (inner && !named) {
        continue; /* go on inside: the name is there */
      }
      named = true;
      i = group_end(r, i);
    } else if (c == '[' || c == '=') {
      named = true;
      if (c == '[') {
        i = group_end(r, i);
      } else {
        for (; i + 1 < end && !(*r->tokens.data[i + 1].start == ',' && !r->tokens.data[i + 1].word); i++) {
          char n = r->tokens.data[i + 1].word ? 0 : *r->tokens.data[i + 1].start;
          if (n == '(' || n == '[' || n == '{') {
            i = group_end(r, i + 1) - 1;
          }
        }
      }
    } else if (c == ',') {
      if (last) {
        add_name(r, d, last);
      }
      last = NULL;
      named = false;
    }
  }
  if (last) {
    add_name(r, d, last);
  }
}

/* f$$grad$x as C knows it. */
static void append_word(char **to, const token *t) {
  for (uint32_t i = 0; i < t->length; i++) {
    if (t->start[i] == '$') {
      i += i + 1 < t->length && t->start[i + 1] == '$';
      *(*to)++ = '_';
      *(*to)++ = '_';
    } else {
      *(*to)++ = t->start[i];
    }
  }
}

static bool is_annotation(const reader *r, uint32_t i) {
  return i + 5 < r->tokens.count && is(&r->tokens.data[i], "__attribute__") && is(&r->tokens.data[i + 3], "annotate") &&
         strncmp(r->tokens.data[i + 5].start, "\"tl_", 4) == 0;
}

static bool wants_space(const token *before, const token *t) { return before->start + before->length != t->start; }

static const char *declaration_text(reader *r) {
  size_t room = 1;
  for (uint32_t i = 0; i < r->tokens.count; i++) {
    room += 2 * r->tokens.data[i].length + 2;
  }
  if (r->tokens.count) { /* and the space between them */
    room += (size_t)(r->tokens.data[r->tokens.count - 1].start - r->tokens.data[0].start);
  }
  char *text = tl_arena_alloc(r->arena, room), *to = text;
  for (uint32_t i = 0; i < r->tokens.count; i++) {
    if (is_annotation(r, i)) {
      i = group_end(r, i + 1);
      continue;
    }
    const token *t = &r->tokens.data[i];
    if (to > text) {
      const token *before = &r->tokens.data[i - 1];
      if (before->line != t->line) {
        const char *indent = t->start;
        while (indent[-1] == ' ' || indent[-1] == '\t') {
          indent--;
        }
        *to++ = '\n';
        memcpy(to, indent, (size_t)(t->start - indent));
        to += t->start - indent;
      } else if (wants_space(before, t) && !(*t->start == ';' || *t->start == ',' || *t->start == ')')) {
        *to++ = ' ';
      }
    }
    append_word(&to, t);
  }
  return text;
}

static void finish(reader *r, bool is_function) {
  uint32_t end = r->tokens.count;
  if (end > 1) {
    front_decl d = {.is_function = is_function};
    bool is_type = false, has_parens = false, assigned = false;
    for (uint32_t i = 0; i < end; i++) {
      const token *t = &r->tokens.data[i];
      is_type |= is(t, "typedef");
      assigned |= *t->start == '=' && !t->word;
      if (t->word && qualifies(t)) {
        i = group_end(r, i + 1);
      } else if (!t->word && (*t->start == '{' || *t->start == '[')) {
        i = group_end(r, i);
      } else if (!t->word && *t->start == '(' && !assigned) {
        has_parens |= i > 0 && r->tokens.data[i - 1].word && i + 1 < end && *r->tokens.data[i + 1].start != '*';
        i = group_end(r, i);
      }
    }
    d.is_prototype = !is_function && has_parens && !is_type;
    if (!is_function) {
      tag_names(r, &d, 0, end);
    }
    uint32_t stop = end - !is_function;
    if (is_function) {
      for (stop = 0; stop < end && *r->tokens.data[stop].start != '{'; stop++) {
      }
    }
    d.type_count = d.names.count;
    declarator_names(r, &d, stop);
    d.type_count = is_type ? d.names.count : d.type_count;
    d.text = declaration_text(r);
    TL_PUSH(r->arena, r->out->decls, d);
  }
  r->tokens.count = 0;
}

/* --- the whole text
 * --------------------------------------------------------------------------------------------------- */

typedef struct marker {
  uint32_t line;
  const char *file;
  bool enters, system;
} marker;

/* What the emitted code includes of ours is as good as a system header: it has all that it declares. */
static bool is_ours(const char *file) {
  static const char *const headers[] = {"tlaloc/tlaloc.h", "tlaloc/tensor.h", "tlaloc/nn_ops.h", "tlaloc/array_ops.h"};
  size_t n = strlen(file);
  for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
    size_t m = strlen(headers[i]);
    if (n > m && file[n - m - 1] == '/' && strcmp(file + n - m, headers[i]) == 0) {
      return true;
    }
  }
  return false;
}

/* `# 12 "file" 1 3`; anything else that starts with '#' (a pragma) is no marker. */
static bool read_marker(tl_arena *a, const char *p, marker *out) {
  char *end;
  p++;
  p += strspn(p, " ");
  if (strncmp(p, "line", 4) == 0) {
    p += 4;
  }
  unsigned long line = strtoul(p, &end, 10);
  if (end == p) {
    return false;
  }
  p = end + strspn(end, " ");
  if (*p != '"') {
    return false;
  }
  const char *name = ++p;
  while (*p && *p != '"' && *p != '\n') {
    p += *p == '\\' && p[1] ? 2 : 1;
  }
  *out = (marker){(uint32_t)line, tl_marker_unescape(a, name, (size_t)(p - name)), false, false};
  for (; *p && *p != '\n'; p++) {
    out->enters |= *p == '1';
    out->system |= *p == '3';
  }
  out->system = out->system || is_ours(out->file);
  return true;
}

static void add_system_include(reader *r, const char *file, uint32_t line) {
  const char *text = r->read_line(r->ctx, file, line);
  const char *open = text && strstr(text, "include") ? strpbrk(text, "<\"") : NULL;
  const char *close = open ? strchr(open + 1, *open == '<' ? '>' : '"') : NULL;
  if (!close || strncmp(open + 1, "tlaloc/", 7) == 0) {
    return;
  }
  const char *spelled = tl_arena_printf(r->arena, "<%.*s>", (int)(close - open - 1), open + 1);
  for (uint32_t i = 0; i < r->out->system_includes.count; i++) {
    if (strcmp(r->out->system_includes.data[i], spelled) == 0) {
      return;
    }
  }
  TL_PUSH(r->arena, r->out->system_includes, spelled);
}

static const char *skip_quoted(const char *p) {
  char quote = *p++;
  while (*p && *p != quote && *p != '\n') {
    p += *p == '\\' && p[1] ? 2 : 1;
  }
  return *p == quote ? p + 1 : p;
}

const char *front_skip_token(const char *p) {
  if (*p == '"' || *p == '\'') {
    return skip_quoted(p);
  }
  if (isdigit((unsigned char)*p) || (*p == '.' && isdigit((unsigned char)p[1]))) {
    while (tl_in_name(*p) || *p == '.' || ((*p == '+' || *p == '-') && strchr("eEpP", p[-1]))) {
      p++;
    }
    return p;
  }
  if (tl_starts_name(*p)) {
    while (tl_in_name(*p)) {
      p++;
    }
    return p;
  }
  return p + 1;
}

void front_read_decls(tl_arena *a, const char *text, const char *(*read_line)(void *, const char *, uint32_t),
                      void *ctx, front_decls *out) {
  *out = (front_decls){0};
  reader r = {.arena = a, .read_line = read_line, .ctx = ctx, .out = out};
  marker at = {0};
  uint32_t line = 0; /* of the text; `at.line` is the user's */
  int depth = 0;
  bool line_start = true;
  const char *head = NULL; /* the last token at depth 0 before an opening brace */
  bool body = false, assigned = false;
  for (const char *p = text; *p;) {
    if (*p == '\n') {
      p++, line++, at.line++;
      line_start = true;
    } else if (isspace((unsigned char)*p)) {
      p++;
    } else if (*p == '#' && line_start) {
      marker next;
      if (read_marker(a, p, &next)) {
        if (next.enters && next.system && !at.system && at.file) {
          add_system_include(&r, at.file, at.line);
        }
        at = next;
        at.line--; /* the marker's own line end follows */
      }
      p += strcspn(p, "\n");
    } else {
      const char *end = front_skip_token(p);
      line_start = false;
      if (!at.system) {
        token t = {p, (uint32_t)(end - p), line, tl_starts_name(*p)};
        TL_PUSH(a, r.tokens, t);
        if (!t.word && *p == '{') {
          body |= depth == 0 && head && *head == ')' && !assigned;
          depth++;
        } else if (!t.word && (*p == '(' || *p == '[')) {
          depth++;
        } else if (!t.word && (*p == '}' || *p == ')' || *p == ']')) {
          depth -= depth > 0;
          if (depth == 0 && *p == '}' && body) {
            finish(&r, true);
            body = assigned = false;
            head = NULL;
            p = end;
            continue;
          }
        } else if (!t.word && *p == ';' && depth == 0) {
          finish(&r, false);
          assigned = false;
          head = NULL;
          p = end;
          continue;
        }
        if (depth == 0) {
          head = p;
          assigned = *p == '=' || (assigned && *p != ',');
        }
      }
      p = end;
    }
  }
}
