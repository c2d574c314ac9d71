/* Where prototypes of generated functions may stand: behind a function's first declaration, as a place in the main file. */
#include <string.h>

#include "front/parse_clang.h"

typedef struct include_line {
  CXFile file;
  uint32_t line; /* of the main file's #include that first brought it in; 0: the command line did */
} include_line;

typedef struct placing {
  tl__parse *parse;
  CXFile main_file;
  TL_VEC(include_line) includes;
  tl__map done; /* tl_function -> itself */
} placing;

static void on_inclusion(CXFile file, CXSourceLocation *stack, unsigned depth, CXClientData data) {
  placing *pl = data;
  for (uint32_t i = 0; i < pl->includes.count; i++) {
    if (clang_File_isEqual(pl->includes.data[i].file, file)) {
      return;
    }
  }
  include_line in = {file, 0};
  if (depth) {
    CXFile outermost;
    clang_getExpansionLocation(stack[depth - 1], &outermost, &in.line, NULL, NULL);
    if (!outermost || !clang_File_isEqual(outermost, pl->main_file)) {
      in.line = 0;
    }
  }
  TL_PUSH(pl->parse->arena, pl->includes, in);
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
  }
  for (uint32_t i = 0; file && i < pl->includes.count; i++) {
    if (clang_File_isEqual(pl->includes.data[i].file, file)) {
      return (tl_loc){p->unit->file, pl->includes.data[i].line, 0, 0};
    }
  }
  return (tl_loc){p->unit->file, 0, 0, 0};
}

static enum CXChildVisitResult on_declaration(CXCursor c, CXCursor parent, CXClientData data) {
  (void)parent;
  placing *pl = data;
  if (clang_getCursorKind(c) != CXCursor_FunctionDecl || clang_Location_isInSystemHeader(clang_getCursorLocation(c))) {
    return CXChildVisit_Continue;
  }
  tl_function *f = tl__map_get(&pl->parse->functions, clang_getCanonicalCursor(c).data[0]);
  if (f && !tl__map_get(&pl->done, f)) {
    tl__map_put(pl->parse->arena, &pl->done, f, f);
    f->first_end = place_of(pl, c);
  }
  return CXChildVisit_Continue;
}

void tl__parse_set_first_ends(tl__parse *p) {
  placing pl = {.parse = p, .main_file = clang_getFile(p->tu, p->unit->file)};
  clang_getInclusions(p->tu, on_inclusion, &pl);
  clang_visitChildren(clang_getTranslationUnitCursor(p->tu), on_declaration, &pl);
}
