/* Strings, places and raw source text. */
#include <string.h>

#include "base/name.h"
#include "front/parse_clang.h"

static uint32_t map_slot(const tl__map *m, const void *key) {
  uint64_t h = (uint64_t)(uintptr_t)key * 0x9E3779B97F4A7C15u;
  uint32_t i = (uint32_t)(h >> 32) & (m->room - 1);
  while (m->slots[i].key && m->slots[i].key != key) {
    i = (i + 1) & (m->room - 1);
  }
  return i;
}

void *tl__map_get(const tl__map *m, const void *key) { return m->room ? m->slots[map_slot(m, key)].value : NULL; }

void tl__map_put(tl_arena *arena, tl__map *m, const void *key, void *value) {
  if (2 * m->count >= m->room) {
    tl__map old = *m;
    m->room = old.room ? 2 * old.room : 64;
    m->slots = tl_arena_alloc(arena, sizeof *m->slots * m->room);
    for (uint32_t i = 0; i < old.room; i++) {
      if (old.slots[i].key) {
        m->slots[map_slot(m, old.slots[i].key)] = old.slots[i];
      }
    }
  }
  uint32_t i = map_slot(m, key);
  m->count += !m->slots[i].key;
  m->slots[i].key = key;
  m->slots[i].value = value;
}

const char *tl__parse_string(tl__parse *p, CXString s) {
  p->held = s;
  p->holds = true;
  const char *c = clang_getCString(s);
  const char *copy = tl_arena_strdup(p->arena, c ? c : "");
  p->holds = false;
  clang_disposeString(s);
  return copy;
}

const char *tl__parse_spelling(tl__parse *p, CXCursor c) { return tl__parse_string(p, clang_getCursorSpelling(c)); }

typedef struct collector {
  tl__parse *parse;
  bool only_expressions, full;
  uint32_t count;
} collector;

static bool add_found(collector *to, CXCursor c) {
  if (to->count == to->parse->stack_room) {
    to->full = true;
    return false;
  }
  to->parse->stack[to->count++] = c;
  return true;
}

static enum CXChildVisitResult collect(CXCursor c, CXCursor parent, CXClientData data) {
  (void)parent;
  collector *to = data;
  if (to->only_expressions && !clang_isExpression(clang_getCursorKind(c))) {
    return CXChildVisit_Continue;
  }
  return add_found(to, c) ? CXChildVisit_Continue : CXChildVisit_Break;
}

static enum CXVisitorResult collect_field(CXCursor c, CXClientData data) {
  return add_found(data, c) ? CXVisit_Continue : CXVisit_Break;
}

/* Visits again with more room until all is found. */
static tl__cursors collect_all(tl__parse *p, const CXCursor *parent, const CXType *record, bool only_expressions) {
  for (;;) {
    collector to = {.parse = p, .only_expressions = only_expressions};
    if (parent) {
      clang_visitChildren(*parent, collect, &to);
    } else {
      clang_Type_visitFields(*record, collect_field, &to);
    }
    if (!to.full) {
      tl__cursors found = {0};
      if (to.count) {
        found.data = TL_NEW_ARRAY(p->arena, CXCursor, to.count);
        memcpy(found.data, p->stack, sizeof *found.data * to.count);
        found.count = found.room = to.count;
      }
      return found;
    }
    uint32_t room = p->stack_room ? 4 * p->stack_room : 1024;
    p->stack = TL_NEW_ARRAY(p->arena, CXCursor, room);
    p->stack_room = room;
  }
}

tl__cursors tl__parse_children(tl__parse *p, CXCursor c) { return collect_all(p, &c, NULL, false); }

tl__cursors tl__parse_expressions(tl__parse *p, CXCursor c) { return collect_all(p, &c, NULL, true); }

tl__cursors tl__parse_fields(tl__parse *p, CXType record) { return collect_all(p, NULL, &record, false); }

static const char *file_name(tl__parse *p, CXFile file) {
  if (!file) {
    return NULL;
  }
  const char *name = tl__map_get(&p->files, file);
  if (!name) {
    name = tl__parse_string(p, clang_getFileName(file));
    tl__map_put(p->arena, &p->files, file, (void *)(uintptr_t)name);
  }
  return name;
}

/* libclang marks a place inside a macro's expansion by the top bit of its offset; no function of the C API tells. */
static bool in_macro(CXSourceLocation l) { return l.int_data >> 31; }

static int compare_line(const tl__insertion *in, const char *file, uint32_t line) {
  int order = strcmp(in->file, file);
  return order ? order : in->line < line ? -1 : in->line > line;
}

/* Takes inserted prototypes out of a column. Insertions are in the order of their files and places. */
static uint32_t user_column(const tl__parse *p, const char *file, uint32_t line, uint32_t column) {
  uint32_t low = 0, high = p->insertions.count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (compare_line(&p->insertions.data[middle], file, line) < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  uint32_t before = 0; /* the length of what was inserted before, on the line */
  for (; low < p->insertions.count; low++) {
    const tl__insertion *in = &p->insertions.data[low];
    if (compare_line(in, file, line) != 0 || column <= in->column + before) {
      break;
    }
    if (column - before - in->column < in->length) {
      return in->column; /* inside of it */
    }
    before += in->length;
  }
  return column - before;
}

static tl_loc make_loc(tl__parse *p, CXFile file, unsigned line, unsigned column, unsigned end_line,
                       unsigned end_column) {
  tl_loc loc = {file_name(p, file), line, column, end_column};
  if (!loc.file) {
    return (tl_loc){0};
  }
  bool one_line = end_line == line && end_column > column;
  if (p->insertions.count) {
    loc.column = user_column(p, loc.file, line, column);
    loc.end_column = user_column(p, loc.file, line, end_column);
  }
  if (!one_line || loc.end_column <= loc.column) {
    loc.end_column = loc.column + 1;
  }
  return loc;
}

static tl_loc range_loc(tl__parse *p, CXSourceRange range) {
  CXSourceLocation start = clang_getRangeStart(range);
  CXFile file;
  unsigned line, column, end_line, end_column, from, written;
  p->saw_macro |= in_macro(start);
  clang_getExpansionLocation(start, &file, &line, &column, &from);
  clang_getExpansionLocation(clang_getRangeEnd(range), NULL, &end_line, &end_column, NULL);
  clang_getFileLocation(start, NULL, NULL, NULL, &written);
  if (in_macro(start) && written != from) { /* a macro's argument stands where it is written */
    clang_getFileLocation(start, &file, &line, &column, NULL);
    clang_getFileLocation(clang_getRangeEnd(range), NULL, &end_line, &end_column, NULL);
  }
  return make_loc(p, file, line, column, end_line, end_column);
}

tl_loc tl__parse_expr_loc(tl__parse *p, CXCursor c) { return range_loc(p, clang_getCursorExtent(c)); }

tl_loc tl__parse_location(tl__parse *p, CXSourceLocation at, uint32_t length) {
  CXFile file;
  unsigned line, column;
  clang_getExpansionLocation(at, &file, &line, &column, NULL);
  return make_loc(p, file, line, column, line, column + length);
}

tl_loc tl__parse_name_loc(tl__parse *p, CXCursor c) {
  CXSourceLocation at = clang_getCursorLocation(c);
  size_t length = 1;
  if (!in_macro(at)) {
    CXString name = clang_getCursorSpelling(c);
    length = strlen(clang_getCString(name));
    clang_disposeString(name);
  }
  return tl__parse_location(p, at, (uint32_t)(length ? length : 1));
}

const char *tl__parse_skip_space(const char *s, const char *end) {
  for (;;) {
    while (s < end && (*s == ' ' || (*s >= '\t' && *s <= '\r') || *s == '\\')) {
      s++;
    }
    if (end - s >= 2 && s[0] == '/' && s[1] == '*') {
      for (s += 2; s < end && !(s[0] == '*' && s + 1 < end && s[1] == '/'); s++) {
      }
      s = end - s >= 2 ? s + 2 : end;
    } else if (end - s >= 2 && s[0] == '/' && s[1] == '/') {
      while (s < end && *s != '\n') {
        s++;
      }
    } else {
      return s;
    }
  }
}

/* One word, literal or punctuation character. */
const char *tl__parse_skip_token(const char *s, const char *end) {
  if (s >= end) {
    return end;
  }
  if (*s == '"' || *s == '\'') {
    char quote = *s++;
    while (s < end && *s != quote && *s != '\n') {
      s += *s == '\\' && s + 1 < end ? 2 : 1;
    }
    return s < end ? s + 1 : end;
  }
  if (!tl_in_name(*s)) {
    return s + 1;
  }
  while (s < end && tl_in_name(*s)) {
    s++;
  }
  return s;
}

/* libclang looks for a file's text among everything that it read, each macro's expansion too: once will do. */
const char *tl__parse_file_text(tl__parse *p, CXFile file, const char **out_end) {
  *out_end = NULL;
  if (!file) {
    return NULL;
  }
  tl__parse_text *known = tl__map_get(&p->texts, file);
  if (!known) {
    size_t size = 0;
    known = TL_NEW(p->arena, tl__parse_text);
    known->text = clang_getFileContents(p->tu, file, &size);
    known->end = known->text ? known->text + size : NULL;
    tl__map_put(p->arena, &p->texts, file, known);
  }
  *out_end = known->end;
  return known->text;
}

/* libclang would look for the file of an offset in the same way. */
void tl__parse_advance(const char *from, const char *to, unsigned *line, unsigned *column) {
  for (const char *c = from; c < to; c++) {
    *column = *c == '\n' ? 1 : *column + 1;
    *line += *c == '\n';
  }
}

/* A cursor inside an expansion points into the macro: the token read there knows where it was written. */
static CXSourceLocation written_at(tl__parse *p, CXSourceLocation at) {
  if (in_macro(at)) {
    CXToken *token = clang_getToken(p->tu, at);
    if (!token) {
      return clang_getNullLocation();
    }
    at = clang_getTokenLocation(p->tu, *token);
    clang_disposeTokens(p->tu, token, 1);
  }
  return at;
}

const char *tl__parse_text_at(tl__parse *p, CXCursor c, const char **out_end) {
  CXFile file;
  unsigned offset;
  CXSourceLocation at = written_at(p, clang_getRangeStart(clang_getCursorExtent(c)));
  clang_getExpansionLocation(at, &file, NULL, NULL, &offset);
  const char *text = tl__parse_file_text(p, file, out_end);
  return text && text + offset <= *out_end ? text + offset : NULL;
}

const char *tl__parse_token_at(tl__parse *p, CXCursor c) {
  CXToken *token = clang_getToken(p->tu, clang_getRangeStart(clang_getCursorExtent(c)));
  if (!token) {
    return "";
  }
  CXString text = clang_getTokenSpelling(p->tu, *token);
  clang_disposeTokens(p->tu, token, 1);
  return tl__parse_string(p, text);
}

const char *tl__parse_argument_number(tl__parse *p, CXCursor c) {
  CXFile file;
  unsigned offset;
  clang_getFileLocation(clang_getRangeStart(clang_getCursorExtent(c)), &file, NULL, NULL, &offset);
  const char *end, *text = tl__parse_file_text(p, file, &end), *s = text ? text + offset : NULL;
  if (!s || s >= end || !((*s >= '0' && *s <= '9') || *s == '.')) {
    return "";
  }
  const char *start = s;
  while (s < end && (tl_in_name(*s) || *s == '.' || ((*s == '+' || *s == '-') && strchr("eEpP", s[-1])))) {
    s++;
  }
  return tl_arena_strndup(p->arena, start, (size_t)(s - start));
}

/* NULL if either lies in a macro. */
const char *tl__parse_text_between(tl__parse *p, CXCursor left, CXCursor right, size_t *out_length) {
  CXSourceLocation from = clang_getRangeEnd(clang_getCursorExtent(left));
  CXSourceLocation to = clang_getRangeStart(clang_getCursorExtent(right));
  if (in_macro(from) || in_macro(to) || in_macro(clang_getRangeStart(clang_getCursorExtent(left)))) {
    return NULL;
  }
  CXFile file, to_file;
  unsigned offset, to_offset;
  clang_getExpansionLocation(from, &file, NULL, NULL, &offset);
  clang_getExpansionLocation(to, &to_file, NULL, NULL, &to_offset);
  const char *end, *text = tl__parse_file_text(p, file, &end);
  if (!text || file != to_file || to_offset < offset || text + to_offset > end) {
    return NULL;
  }
  *out_length = to_offset - offset;
  return text + offset;
}

/* The operator is the first token after the left operand that is neither space nor a closing parenthesis. Where macros
 * hide it, the place is that of the whole expression. */
tl_loc tl__parse_operator_loc(tl__parse *p, CXCursor whole, CXCursor left, const char *operator_text) {
  CXSourceLocation from = clang_getRangeEnd(clang_getCursorExtent(left));
  CXSourceLocation start = clang_getRangeStart(clang_getCursorExtent(whole));
  if (in_macro(start) || in_macro(from) || in_macro(clang_getRangeStart(clang_getCursorExtent(left)))) {
    return tl__parse_expr_loc(p, whole);
  }
  CXFile file;
  unsigned offset, line, column;
  clang_getExpansionLocation(from, &file, &line, &column, &offset);
  const char *end, *text = tl__parse_file_text(p, file, &end);
  if (!text) {
    return tl__parse_expr_loc(p, whole);
  }
  const char *s = tl__parse_skip_space(text + offset, end);
  while (s < end && *s == ')') {
    s = tl__parse_skip_space(s + 1, end);
  }
  size_t length = strlen(operator_text);
  if ((size_t)(end - s) < length || memcmp(s, operator_text, length) != 0) {
    return tl__parse_expr_loc(p, whole);
  }
  tl__parse_advance(text + offset, s, &line, &column);
  return make_loc(p, file, line, column, line, column + (unsigned)length);
}
