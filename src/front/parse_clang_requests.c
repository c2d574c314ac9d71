/* Intrinsics: their spelling while the front reads, and the places of their prototypes. */
#include <stdlib.h>
#include <string.h>

#include "front/parse_clang.h"

bool tl__request_name(const char *identifier) {
  const char *at = strstr(identifier, "$$");
  return at && tl_intrinsic_find(at + 2, strcspn(at + 2, "$")) != TL_INTRINSIC_COUNT;
}

const char *tl__request_mangle(tl_arena *arena, const char *identifier) {
  char *to = tl_arena_alloc(arena, 2 * strlen(identifier) + 1), *w = to;
  for (const char *s = identifier; *s; s++) {
    if (*s != '$') {
      *w++ = *s;
      continue;
    }
    s += s[1] == '$';
    *w++ = '_';
    *w++ = '_';
  }
  return to;
}

static tl_request *find_request(tl_parse_result *result, const char *name, const char *identifier,
                                const char **identifiers) {
  for (uint32_t i = 0; i < result->requests.count; i++) {
    if (strcmp(result->requests.data[i].name, name) == 0 && (!identifier || strcmp(identifiers[i], identifier) == 0)) {
      return &result->requests.data[i];
    }
  }
  return NULL;
}

/* "f$$grad$x$$grad$y" into its parts; false if a part after "$$" is no intrinsic's keyword. */
static bool decode(tl__parse *p, const char *identifier, tl_request *r) {
  const char *s = strstr(identifier, "$$");
  r->name = tl__request_mangle(p->arena, identifier);
  r->primal_name = tl_arena_strndup(p->arena, identifier, (size_t)(s - identifier));
  r->primal = tl_unit_find(p->unit, r->primal_name);
  while (s[0] == '$' && s[1] == '$') {
    size_t length = strcspn(s + 2, "$");
    tl_request_step step = {.intrinsic = tl_intrinsic_find(s + 2, length)};
    s += 2 + length;
    if (step.intrinsic == TL_INTRINSIC_COUNT) {
      return false;
    }
    while (s[0] == '$' && s[1] && s[1] != '$') {
      length = strcspn(s + 1, "$");
      TL_PUSH(p->arena, step.wrt, tl_arena_strndup(p->arena, s + 1, length));
      s += 1 + length;
    }
    TL_PUSH(p->arena, r->steps, step);
  }
  return *s == '\0';
}

static bool is_misuse(const tl__parse *p, const tl_loc *at) {
  for (uint32_t i = 0; i < p->misuses.count; i++) {
    const tl_loc *m = &p->misuses.data[i];
    if (m->line == at->line && m->column == at->column && m->file == at->file) {
      return true;
    }
  }
  return false;
}

static void add_use(tl__parse *p, tl_parse_result *result, const tl__use *use, const char **identifiers) {
  if (is_misuse(p, &use->loc)) {
    return;
  }
  const char *name = tl__request_mangle(p->arena, use->identifier);
  tl_request *known = find_request(result, name, use->identifier, identifiers);
  if (known) {
    for (uint32_t i = 0; i < known->uses.count; i++) {
      const tl_loc *l = &known->uses.data[i];
      if (l->line == use->loc.line && l->column == use->loc.column && l->file == use->loc.file) {
        return;
      }
    }
    TL_PUSH(p->arena, known->uses, use->loc);
    return;
  }
  tl_request r = {.loc = use->loc};
  if (use->identifier[0] == '$') {
    tl_diag_error(p->diag, TL_NO_DEFINITION, use->loc, "this intrinsic names no function");
    return;
  }
  if (use->identifier[strlen(use->identifier) - 1] == '$') {
    tl_diag_error(p->diag, TL_NO_SUCH_PARAMETER, use->loc,
                  "what this intrinsic has behind a comma is no parameter's name");
    return;
  }
  if (!decode(p, use->identifier, &r)) {
    tl_diag_error(p->diag, TL_NO_DEFINITION, use->loc, "'%s' is no intrinsic's name", r.name);
    return;
  }
  tl_request *clash = find_request(result, name, NULL, identifiers);
  if (clash) {
    r.clash = identifiers[clash - result->requests.data];
    clash->clash = use->identifier;
  }
  TL_PUSH(p->arena, r.uses, use->loc);
  identifiers[result->requests.count] = use->identifier;
  TL_PUSH(p->arena, result->requests, r);
}

/* Includes come before what includes them; within a file by place. The order is that of the lines as far as one file
 * goes, and the same at every read of it. */
static bool is_before(const tl__parse *p, const tl_loc *a, const tl_loc *b) {
  bool main_a = a->file && strcmp(a->file, p->unit->file) == 0, main_b = b->file && strcmp(b->file, p->unit->file) == 0;
  if (main_a != main_b) {
    return main_b;
  }
  int order = a->file && b->file ? strcmp(a->file, b->file) : 0;
  return order ? order < 0 : a->line != b->line ? a->line < b->line : a->column < b->column;
}

void tl__request_collect(tl__parse *p, tl_parse_result *result) {
  const char **identifiers = TL_NEW_ARRAY(p->arena, const char *, p->uses.count + 1);
  for (uint32_t i = 1; i < p->uses.count; i++) {
    tl__use use = p->uses.data[i];
    uint32_t k = i;
    for (; k > 0 && is_before(p, &use.loc, &p->uses.data[k - 1].loc); k--) {
      p->uses.data[k] = p->uses.data[k - 1];
    }
    p->uses.data[k] = use;
  }
  for (uint32_t i = 0; i < p->uses.count; i++) {
    add_use(p, result, &p->uses.data[i], identifiers);
  }
  for (uint32_t i = 0; i < p->calls.count; i++) {
    const tl__call *call = &p->calls.data[i];
    tl_request *r = find_request(result, call->name, NULL, NULL);
    if (r) {
      TL_PUSH(p->arena, r->calls, (tl_request_call){call->loc, call->arguments});
    }
  }
}

typedef struct named_function {
  const char *name;
  CXCursor cursor;
  uint32_t order;
} named_function;

static int by_name(const void *a, const void *b) {
  const named_function *f = a, *g = b;
  int order = strcmp(f->name, g->name);
  return order ? order : f->order < g->order ? -1 : f->order > g->order;
}

typedef TL_VEC(named_function) named_functions;

/* Every declaration of a function at file scope, by name and then in order. */
static named_functions all_functions(tl__parse *p) {
  named_functions all = {0};
  tl__cursors top = tl__parse_children(p, clang_getTranslationUnitCursor(p->tu));
  for (uint32_t i = 0; i < top.count; i++) {
    if (clang_getCursorKind(top.data[i]) == CXCursor_FunctionDecl) {
      TL_PUSH(p->arena, all, (named_function){tl__parse_spelling(p, top.data[i]), top.data[i], i});
    }
  }
  if (all.count) {
    qsort(all.data, all.count, sizeof *all.data, by_name);
  }
  return all;
}

static const CXCursor *first_declaration(const named_functions *all, const char *name) {
  uint32_t low = 0, high = all->count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (strcmp(all->data[middle].name, name) < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < all->count && strcmp(all->data[low].name, name) == 0 ? &all->data[low].cursor : NULL;
}

/* Behind the declaration: past the closing brace of a definition, past the semicolon of anything else. */
bool tl__request_place_after(tl__parse *p, CXCursor c, tl__insertion *in) {
  CXSourceLocation end = clang_getRangeEnd(clang_getCursorExtent(c));
  CXFile file;
  unsigned offset, line, column;
  clang_getExpansionLocation(end, &file, &line, &column, &offset);
  const char *stop, *text = tl__parse_file_text(p, file, &stop);
  if (!text || text + offset > stop) {
    return false;
  }
  if (!clang_isCursorDefinition(c)) {
    int depth = 0;
    const char *s = text + offset;
    for (s = tl__parse_skip_space(s, stop); s < stop && !(depth == 0 && *s == ';');
         s = tl__parse_skip_space(tl__parse_skip_token(s, stop), stop)) {
      depth += *s == '(' || *s == '{';
      depth -= *s == ')' || *s == '}';
    }
    if (s >= stop) {
      return false;
    }
    tl__parse_advance(text + offset, s + 1, &line, &column);
    offset = (unsigned)(s - text) + 1;
  }
  in->file = tl__parse_string(p, clang_getFileName(file));
  in->offset = offset;
  in->line = line;
  in->column = column;
  return true;
}

static void insert_sorted(tl__parse *p, tl__insertion in) {
  TL_PUSH(p->arena, p->insertions, in);
  uint32_t i = p->insertions.count - 1;
  for (; i > 0; i--) {
    const tl__insertion *before = &p->insertions.data[i - 1];
    int order = strcmp(before->file, in.file);
    if (order < 0 || (order == 0 && before->offset <= in.offset)) {
      break;
    }
    p->insertions.data[i] = *before;
  }
  p->insertions.data[i] = in;
}

/* Each declaration in the text goes behind the first declaration of the function that its '$' name begins with. */
void tl__request_place(tl__parse *p, const char *prototypes) {
  named_functions all = all_functions(p);
  const char *end = prototypes + strlen(prototypes);
  for (const char *s = tl__parse_skip_space(prototypes, end); s < end; s = tl__parse_skip_space(s, end)) {
    const char *start = s;
    char *primal = NULL;
    int depth = 0;
    for (; s < end && !(depth == 0 && *s == ';'); s = tl__parse_skip_space(tl__parse_skip_token(s, end), end)) {
      depth += *s == '(' || *s == '{';
      depth -= *s == ')' || *s == '}';
      const char *next = tl__parse_skip_token(s, end);
      const char *word = tl_arena_strndup(p->arena, s, (size_t)(next - s));
      if (!primal && tl__request_name(word)) {
        primal = tl_arena_strndup(p->arena, word, (size_t)(strstr(word, "$$") - word));
      }
    }
    s += s < end;
    tl__insertion in = {0};
    const CXCursor *first = primal ? first_declaration(&all, primal) : NULL;
    if (first && tl__request_place_after(p, *first, &in)) {
      char *text = tl_arena_printf(p->arena, " %.*s", (int)(s - start), start);
      for (char *c = text; *c; c++) {
        *c = *c == '\n' ? ' ' : *c; /* lines stay where they are */
      }
      in.text = text;
      in.length = (uint32_t)strlen(text);
      insert_sorted(p, in);
    }
  }
}
