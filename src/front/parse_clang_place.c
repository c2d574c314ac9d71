/* Where prototypes of generated functions may stand: behind a function's first declaration, as a place in the main
 * file. */
#include "front/parse_clang.h"

/* The line of the main file's #include that first brought `file` in; 0: the command line did. */
typedef struct include_search {
  CXFile main_file, file;
  uint32_t line;
  bool found;
} include_search;

static void on_inclusion(CXFile file, CXSourceLocation *stack, unsigned depth, CXClientData data) {
  include_search *search = data;
  if (search->found || !clang_File_isEqual(search->file, file)) {
    return;
  }
  search->found = true;
  if (depth) {
    CXFile outermost;
    unsigned line;
    clang_getExpansionLocation(stack[depth - 1], &outermost, &line, NULL, NULL);
    search->line = outermost && clang_File_isEqual(outermost, search->main_file) ? line : 0;
  }
}

typedef struct placing {
  tl__parse *parse;
  CXFile main_file;
  include_search last; /* declarations of one header follow each other */
  tl__map done;        /* tl_function -> itself */
} placing;

static uint32_t include_line(placing *pl, CXFile file) {
  if (pl->last.file != file) {
    pl->last = (include_search){.main_file = pl->main_file, .file = file};
    clang_getInclusions(pl->parse->tu, on_inclusion, &pl->last);
  }
  return pl->last.line;
}

static tl_loc place_of(placing *pl, CXCursor c) {
  tl__parse *p = pl->parse;
  CXFile file;
  clang_getExpansionLocation(clang_getCursorLocation(c), &file, NULL, NULL, NULL);
  if (file && clang_File_isEqual(file, pl->main_file)) {
    tl__insertion in = {0};
    if (tl__request_place_after(p, c, &in)) {
      return tl__parse_location(p, clang_getLocationForOffset(p->tu, file, in.offset), 1);
    }
  } else if (file) {
    return (tl_loc){p->unit->file, include_line(pl, file), 0, 0};
  }
  return (tl_loc){p->unit->file, 0, 0, 0};
}

void tl__parse_set_first_ends(tl__parse *p) {
  placing pl = {.parse = p, .main_file = clang_getFile(p->tu, p->unit->file)};
  for (uint32_t i = 0; i < p->top.count; i++) {
    CXCursor c = p->top.data[i];
    if (clang_getCursorKind(c) != CXCursor_FunctionDecl ||
        clang_Location_isInSystemHeader(clang_getCursorLocation(c))) {
      continue;
    }
    tl_function *f = tl__map_get(&p->functions, clang_getCanonicalCursor(c).data[0]);
    if (f && !tl__map_get(&pl.done, f)) {
      tl__map_put(p->arena, &pl.done, f, f);
      f->first_end = place_of(&pl, c);
    }
  }
}

/* Both in the main file; of an #include the line alone is known. */
static bool is_ahead(const tl_loc *a, const tl_loc *b) {
  return a->line < b->line || (a->line == b->line && b->column && a->column < b->column);
}

void tl__parse_find_early_uses(tl__parse *p, tl_parse_result *result) {
  placing pl = {.parse = p, .main_file = clang_getFile(p->tu, p->unit->file)};
  for (uint32_t i = 0; i < result->requests.count; i++) {
    tl_request *r = &result->requests.data[i];
    const tl_loc *place = r->primal ? &r->primal->first_end : NULL;
    for (uint32_t k = 0; place && place->line && k < r->uses.count && !r->ahead.line; k++) {
      const tl_loc *use = &r->uses.data[k];
      CXFile file = use->file ? clang_getFile(p->tu, use->file) : NULL;
      bool in_itself = place->column && is_ahead(&r->primal->loc, use) && is_ahead(&r->primal->loc, place);
      if (file && clang_File_isEqual(file, pl.main_file) && is_ahead(use, place) && !in_itself) {
        r->ahead = *use;
      }
    }
    for (uint32_t k = 0; place && place->line && !place->column && k < r->uses.count && !r->early.line; k++) {
      CXFile file = r->uses.data[k].file ? clang_getFile(p->tu, r->uses.data[k].file) : NULL;
      if (file && !clang_File_isEqual(file, pl.main_file) && include_line(&pl, file) == place->line) {
        r->early = r->uses.data[k];
      }
    }
  }
}
