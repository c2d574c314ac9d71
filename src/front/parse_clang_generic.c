/* <tgmath.h> of clang: sin(x) is `__tg_sin((typeof (__tg_promote((x))))(x))`, where __tg_sin is overloaded and calls
 * sinf, sin or sinl. The tree names what is called in the end, and so does the text that libclang prints. */
#include <assert.h>
#include <string.h>

#include "front/parse_clang.h"

static bool is_generic(const char *name) {
  return strncmp(name, "__tg_", 5) == 0 && strncmp(name, "__tg_promote", 12) != 0;
}

/* The expression without conversions and parentheses. */
static CXCursor stripped(tl__parse *p, CXCursor c) {
  while (clang_getCursorKind(c) == CXCursor_UnexposedExpr || clang_getCursorKind(c) == CXCursor_ParenExpr) {
    tl__cursors children = tl__parse_expressions(p, c);
    if (children.count != 1) {
      break;
    }
    c = children.data[0];
  }
  return c;
}

/* What the body is a call of, with the function's parameters in their order. */
static CXCursor forwarded(tl__parse *p, CXCursor definition) {
  CXCursor c = definition;
  static const enum CXCursorKind path[] = {CXCursor_CompoundStmt, CXCursor_ReturnStmt};
  for (int i = 0; i < 2; i++) {
    tl__cursors children = tl__parse_children(p, c);
    if (!children.count || clang_getCursorKind(children.data[children.count - 1]) != path[i]) {
      return clang_getNullCursor();
    }
    c = children.data[children.count - 1];
  }
  tl__cursors value = tl__parse_expressions(p, c);
  c = value.count == 1 ? stripped(p, value.data[0]) : clang_getNullCursor();
  int count = clang_Cursor_getNumArguments(definition);
  if (clang_getCursorKind(c) != CXCursor_CallExpr || clang_Cursor_getNumArguments(c) != count) {
    return clang_getNullCursor();
  }
  for (int i = 0; i < count; i++) {
    CXCursor argument = stripped(p, clang_Cursor_getArgument(c, (unsigned)i));
    if (!clang_equalCursors(clang_getCursorReferenced(argument), clang_Cursor_getArgument(definition, (unsigned)i))) {
      return clang_getNullCursor();
    }
  }
  return clang_getCursorReferenced(c);
}

CXCursor tl__parse_generic_choice(tl__parse *p, CXCursor function) {
  CXString name = clang_getCursorSpelling(function);
  bool generic = is_generic(clang_getCString(name));
  clang_disposeString(name);
  CXCursor definition = generic ? clang_getCursorDefinition(function) : clang_getNullCursor();
  CXCursor chosen = clang_Cursor_isNull(definition) ? definition : forwarded(p, definition);
  return clang_Cursor_isNull(chosen) ? function : chosen;
}

/* ---- text ---- */

enum { MOST_ARGUMENTS = 3 };

typedef struct choice {
  const char *generic, *chosen;
  const char *widened[MOST_ARGUMENTS]; /* the type of a floating argument of another; else NULL */
} choice;

typedef struct rewriter {
  tl__parse *parse;
  TL_VEC(choice) choices; /* in the order of the text */
  uint32_t next;
  char *to;
} rewriter;

/* carg(x) of a real x is made of other functions, and called carg, cargf or cargl. */
static const char *name_by_type(tl__parse *p, CXCursor function, const char *name) {
  enum CXTypeKind kind = clang_getCanonicalType(clang_getCursorResultType(function)).kind;
  return tl_arena_printf(p->arena, "%s%s", name + 5, kind == CXType_Float ? "f" : kind == CXType_LongDouble ? "l" : "");
}

static bool is_floating(enum CXTypeKind kind) {
  return kind == CXType_Float || kind == CXType_Double || kind == CXType_LongDouble;
}

/* The type that the macro converts the argument to, where that is another floating one. */
static const char *widened(tl__parse *p, CXCursor argument) {
  tl__cursors operands = tl__parse_expressions(p, argument);
  if (clang_getCursorKind(argument) != CXCursor_CStyleCastExpr || !operands.count) {
    return NULL;
  }
  CXType to = clang_getCanonicalType(clang_getCursorType(argument));
  enum CXTypeKind from =
      clang_getCanonicalType(clang_getCursorType(stripped(p, operands.data[operands.count - 1]))).kind;
  return is_floating(from) && from != to.kind ? tl__parse_string(p, clang_getTypeSpelling(to)) : NULL;
}

static void add_choice(rewriter *r, CXCursor call, CXCursor function) {
  tl__parse *p = r->parse;
  const char *name = tl__parse_spelling(p, function);
  if (!is_generic(name)) {
    return;
  }
  CXCursor chosen = tl__parse_generic_choice(p, function);
  bool same = clang_equalCursors(chosen, function);
  choice c = {name, same ? name_by_type(p, function, name) : tl__parse_spelling(p, chosen), {0}};
  for (int i = 0; i < MOST_ARGUMENTS && i < clang_Cursor_getNumArguments(call); i++) {
    c.widened[i] = widened(p, clang_Cursor_getArgument(call, (unsigned)i));
  }
  TL_PUSH(p->arena, r->choices, c);
}

/* libclang visits in the order in which it prints. */
static void list_choices(rewriter *r, CXCursor c) {
  tl__cursors children = tl__parse_children(r->parse, c);
  for (uint32_t i = 0; i < children.count; i++) {
    if (clang_getCursorKind(children.data[i]) == CXCursor_CallExpr) {
      add_choice(r, children.data[i], clang_getCursorReferenced(children.data[i]));
    }
    list_choices(r, children.data[i]);
  }
}

/* Just past the parenthesis that closes the one at s. */
static const char *group_end(const char *s, const char *end) {
  int depth = 0;
  do {
    depth += *s == '(' || *s == '[' || *s == '{';
    depth -= *s == ')' || *s == ']' || *s == '}';
    s = tl__parse_skip_token(s, end);
  } while (s < end && depth > 0);
  return s;
}

static void put(rewriter *r, const char *s, size_t n) {
  memcpy(r->to, s, n);
  r->to += n;
}

static bool starts(const char *s, const char *end, const char *text) {
  return (size_t)(end - s) >= strlen(text) && memcmp(s, text, strlen(text)) == 0;
}

static void rewrite(rewriter *r, const char *s, const char *end);

/* An argument with the conversion to the chosen type where C would make it with a warning only. */
static const char *rewrite_argument(rewriter *r, const char *s, const char *end, const char *type) {
  if (starts(s, end, "(typeof (__tg_promote(")) {
    const char *cast_end = group_end(s, end);
    char *kept = r->to;
    rewrite(r, s, cast_end); /* what it calls is on the list too */
    r->to = kept;
    s = cast_end;
    const char *close = s < end && *s == '(' ? group_end(s, end) : end;
    if (type) {
      put(r, "(", 1);
      put(r, type, strlen(type));
      put(r, ")", 1);
    }
    bool bare = !type || tl__parse_skip_token(s + 1, end) == close - 1;
    if (close < end && (*close == ',' || *close == ')') && bare) {
      rewrite(r, s + 1, close - 1);
      return close;
    }
  }
  const char *stop = s;
  while (stop < end && *stop != ',' && *stop != ')') {
    stop = *stop == '(' || *stop == '[' || *stop == '{' ? group_end(stop, end) : tl__parse_skip_token(stop, end);
  }
  rewrite(r, s, stop);
  return stop;
}

static void rewrite(rewriter *r, const char *s, const char *end) {
  while (s < end) {
    const char *next = tl__parse_skip_token(s, end);
    const char *word = tl_arena_strndup(r->parse->arena, s, (size_t)(next - s));
    if (!is_generic(word)) {
      put(r, s, (size_t)(next - s));
      s = next;
      continue;
    }
    assert(r->next < r->choices.count && strcmp(r->choices.data[r->next].generic, word) == 0);
    const choice *c = &r->choices.data[r->next++];
    put(r, c->chosen, strlen(c->chosen));
    s = next;
    for (int i = 0; s < end && (*s == '(' || *s == ','); i++) {
      put(r, s++, 1);
      size_t space = strspn(s, " ");
      put(r, s, space);
      s = rewrite_argument(r, s + space, end, i < MOST_ARGUMENTS ? c->widened[i] : NULL);
    }
  }
}

const char *tl__parse_without_generics(tl__parse *p, CXCursor definition, const char *text) {
  if (!strstr(text, "__tg_") || is_generic(tl__parse_spelling(p, definition))) {
    return text; /* a function of the header is not copied */
  }
  rewriter r = {.parse = p};
  list_choices(&r, definition);
  char *start = tl_arena_alloc(p->arena, strlen(text) + 1);
  r.to = start;
  rewrite(&r, text, text + strlen(text));
  *r.to = '\0';
  assert(r.next == r.choices.count);
  return start;
}
