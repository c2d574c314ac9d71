/* Declarations: objects, functions, and the unit as a whole. */
#include <stdlib.h>
#include <string.h>

#include "front/parse_clang.h"

static bool in_system_header(CXCursor c) { return clang_Location_isInSystemHeader(clang_getCursorLocation(c)); }

static bool at_file_scope(CXCursor c) {
  return clang_getCursorKind(clang_getCursorSemanticParent(c)) == CXCursor_TranslationUnit;
}

/* The children of a declarator that are extents: all expressions but the initialiser. */
static tl__cursors extents_of(tl__parse *p, CXCursor c, CXCursor init) {
  tl__cursors all = tl__parse_expressions(p, c);
  if (!clang_Cursor_isNull(init) && all.count && clang_equalCursors(all.data[all.count - 1], init)) {
    all.count--;
  }
  return all;
}

static void set_param_type(tl__parse *p, tl_decl *d, CXCursor c) {
  tl__cursors sizes = tl__parse_expressions(p, c);
  tl_ctype *t = tl__parse_declared_type(p, clang_getCursorType(c), &sizes);
  if (t->kind == TL_CT_ARRAY) {
    tl_ctype *pointer = TL_NEW(p->arena, tl_ctype);
    *pointer = *tl__parse_pointer_to(p, t->target);
    pointer->was_array = true;
    pointer->extent = t->extent;
    pointer->extent_expr = t->extent_expr;
    t = pointer;
  }
  d->type = tl__parse_decayed(p, t);
}

/* A file-scope object has one tl_decl however often it is declared; the declaration with an initialiser wins. */
static tl_decl *variable(tl__parse *p, CXCursor c) {
  CXCursor canonical = clang_getCanonicalCursor(c);
  enum CX_StorageClass storage = clang_Cursor_getStorageClass(c);
  bool file_scope = at_file_scope(c) || storage == CX_SC_Extern;
  CXCursor key = file_scope ? canonical : c;
  tl_decl *d = tl__map_get(&p->decls, key.data[0]);
  if (d) {
    return d;
  }
  d = TL_NEW(p->arena, tl_decl);
  tl__map_put(p->arena, &p->decls, key.data[0], d);
  CXCursor definition = file_scope ? clang_getCursorDefinition(c) : c;
  CXCursor from = clang_Cursor_isNull(definition) ? c : definition;
  CXCursor init = clang_Cursor_getVarDeclInitializer(from);
  if (clang_isInvalid(clang_getCursorKind(init))) {
    init = clang_getNullCursor();
  }
  d->name = tl__parse_spelling(p, from);
  d->loc = tl__parse_name_loc(p, from);
  d->storage = file_scope ? TL_STORAGE_FILE : storage == CX_SC_Static ? TL_STORAGE_STATIC_LOCAL : TL_STORAGE_LOCAL;
  d->is_static = file_scope && clang_getCursorLinkage(from) == CXLinkage_Internal;
  tl__cursors sizes = extents_of(p, from, init);
  d->type = tl__parse_declared_type(p, clang_getCursorType(from), &sizes);
  d->stated = tl__parse_stated(p, from);
  if (file_scope) {
    TL_PUSH(p->arena, p->unit->globals, d);
  }
  if (!clang_Cursor_isNull(init)) {
    d->init = tl__parse_init(p, d->type, init);
  }
  return d;
}

/* Parameters of the declaration that a function was built from are known to it; others (of prototypes, of function
 * pointers) come here when an extent names them. */
tl_decl *tl__parse_decl(tl__parse *p, CXCursor c) {
  if (clang_getCursorKind(c) == CXCursor_VarDecl) {
    return variable(p, c);
  }
  tl_decl *d = tl__map_get(&p->decls, c.data[0]);
  if (!d) {
    d = TL_NEW(p->arena, tl_decl);
    tl__map_put(p->arena, &p->decls, c.data[0], d);
    d->name = tl__parse_spelling(p, c);
    d->storage = TL_STORAGE_PARAM;
    d->loc = tl__parse_name_loc(p, c);
    d->stated = tl__parse_stated(p, c);
    set_param_type(p, d, c);
  }
  return d;
}

static CXCursor built_from(CXCursor c) {
  CXCursor definition = clang_getCursorDefinition(c);
  return clang_Cursor_isNull(definition) ? clang_getCanonicalCursor(c) : definition;
}

/* Removes `__attribute__((annotate("tl_...")))` and what was written as TL_LEN(...) or TL_INOUT; single spaces for
 * comments and runs of space where `collapse`. */
static const char *without_annotations(tl__parse *p, const char *text, bool collapse) {
  size_t length = strlen(text), out = 0;
  char *to = tl_arena_alloc(p->arena, length + 1);
  const char *end = text + length;
  for (const char *s = text; s < end;) {
    const char *after_space = tl__parse_skip_space(s, end);
    if (after_space > s) {
      if (collapse) {
        if (out && to[out - 1] != ' ' && after_space < end) {
          to[out++] = ' ';
        }
      } else {
        memcpy(to + out, s, (size_t)(after_space - s));
        out += (size_t)(after_space - s);
      }
      s = after_space;
      continue;
    }
    const char *next = tl__parse_skip_token(s, end);
    size_t n = (size_t)(next - s);
    bool attribute = n == 13 && memcmp(s, "__attribute__", 13) == 0 && strncmp(next, "((annotate(\"tl_", 15) == 0;
    bool len = n == 6 && memcmp(s, "TL_LEN", 6) == 0;
    bool inout = n == 8 && memcmp(s, "TL_INOUT", 8) == 0;
    if (attribute || len) {
      int depth = 0;
      s = tl__parse_skip_space(next, end);
      do {
        depth += s < end && *s == '(';
        depth -= s < end && *s == ')';
        s = tl__parse_skip_space(tl__parse_skip_token(s, end), end);
      } while (s < end && depth > 0);
    } else if (inout) {
      s = tl__parse_skip_space(next, end);
    } else {
      memcpy(to + out, s, n);
      out += n;
      s = next;
      continue;
    }
    while (out && to[out - 1] == ' ') {
      out--;
    }
    if (s < end && out && *s != ')' && *s != ',' && *s != ';') {
      to[out++] = ' ';
    }
  }
  while (collapse && out && to[out - 1] == ' ') {
    out--;
  }
  to[out] = '\0';
  return to;
}

static const char *pretty(tl__parse *p, CXCursor c) {
  CXPrintingPolicy policy = clang_getCursorPrintingPolicy(c);
  CXString text = clang_getCursorPrettyPrinted(c, policy);
  clang_PrintingPolicy_dispose(policy);
  return tl__parse_string(p, text);
}

/* libclang prints the declaration with its macros expanded; the name becomes '@', or is put where an abstract
 * declarator has room for it: before the first bracket, inside the first "(*", else at the end. */
static const char *declarator_of(tl__parse *p, CXCursor c, const char *name) {
  const char *text = without_annotations(p, pretty(p, c), true);
  const char *end = text + strlen(text);
  if (name) {
    for (const char *s = text; s < end;) {
      const char *next = tl__parse_skip_token(s, end);
      if ((size_t)(next - s) == strlen(name) && memcmp(s, name, strlen(name)) == 0) {
        const char *before = tl__parse_skip_space(next, end);
        /* `struct x *x`: the name is the last one outside brackets and argument lists */
        bool again = false;
        int depth = 0;
        for (const char *k = before; k < end; k = tl__parse_skip_token(k, end)) {
          depth += *k == '[' || (*k == '(' && !(k + 1 < end && k[1] == '*'));
          depth -= depth > 0 && (*k == ']' || *k == ')');
          const char *after = tl__parse_skip_token(k, end);
          again |= depth == 0 && (size_t)(after - k) == strlen(name) && memcmp(k, name, strlen(name)) == 0;
        }
        if (!again) {
          return tl_arena_printf(p->arena, "%.*s@%s", (int)(s - text), text, next);
        }
      }
      s = next;
    }
  }
  const char *at = strstr(text, "(*");
  at = at ? at + 2 : strchr(text, '[');
  if (!at) {
    at = end;
  }
  bool space = at > text && at[-1] != ' ' && at[-1] != '*';
  return tl_arena_printf(p->arena, "%.*s%s@%s", (int)(at - text), text, space ? " " : "", at);
}

/* A redeclared parameter also shows what its earlier declarations said; only what is written here counts here. */
static bool written_within(CXCursor c, CXCursor declaration) {
  CXFile file, outer_file;
  unsigned at, from, to;
  CXSourceRange outer = clang_getCursorExtent(declaration);
  clang_getExpansionLocation(clang_getRangeStart(clang_getCursorExtent(c)), &file, NULL, NULL, &at);
  clang_getExpansionLocation(clang_getRangeStart(outer), &outer_file, NULL, NULL, &from);
  clang_getExpansionLocation(clang_getRangeEnd(outer), NULL, NULL, NULL, &to);
  return file == outer_file && at >= from && at <= to;
}

static const char **parameter_names(tl__parse *p, CXCursor declaration, uint32_t count) {
  const char **names = TL_NEW_ARRAY(p->arena, const char *, count);
  for (uint32_t i = 0; i < count; i++) {
    names[i] = tl__parse_spelling(p, clang_Cursor_getArgument(declaration, i));
  }
  return names;
}

static void merge_annotation(tl__parse *p, tl_function *f, CXCursor declaration, uint32_t i, CXCursor annotation) {
  const char *text = tl__parse_spelling(p, annotation);
  if (strcmp(text, "tl_inout") == 0) {
    f->params.data[i]->inout = true;
  } else if (strncmp(text, "tl_len:", 7) == 0) {
    uint32_t count = f->params.count;
    tl_expr *len = tl__parse_len(p, text + 7, tl__parse_expr_loc(p, annotation), f,
                                 parameter_names(p, declaration, count), count, NULL);
    f->params.data[i]->len = len ? len : f->params.data[i]->len;
  } else {
    const tl_tensor_type *stated = tl__parse_stated_text(p, text, tl__parse_expr_loc(p, annotation));
    f->params.data[i]->stated = stated ? stated : f->params.data[i]->stated;
  }
}

/* `double x[n]` in a header says how long x is where the definition has `double *x`; TL_LEN says it better. */
static void merge_extent(tl__parse *p, tl_function *f, CXCursor declaration, uint32_t i) {
  CXCursor param = clang_Cursor_getArgument(declaration, i);
  CXCursor defined = clang_Cursor_getArgument(built_from(declaration), i);
  if (clang_equalCursors(param, defined)) {
    return;
  }
  const char *text = declarator_of(p, param, NULL), *open = strchr(text, '['), *close = open ? strchr(open, ']') : NULL;
  if (f->params.data[i]->len || !close || close[1] || strchr(declarator_of(p, defined, NULL), '[')) {
    return;
  }
  open += strncmp(open + 1, "static ", 7) == 0 ? 8 : 1;
  const char *extent = tl_arena_strndup(p->arena, open, (size_t)(close - open));
  f->params.data[i]->len = tl__parse_extent(p, extent, tl__parse_name_loc(p, param), f,
                                            parameter_names(p, declaration, f->params.count), f->params.count);
}

static void merge_annotations(tl__parse *p, tl_function *f, CXCursor declaration) {
  const tl_tensor_type *stated = tl__parse_stated(p, declaration);
  f->stated = stated ? stated : f->stated;
  int count = clang_Cursor_getNumArguments(declaration);
  if (count <= 0 || (uint32_t)count != f->params.count) {
    return;
  }
  for (uint32_t i = 0; i < f->params.count; i++) {
    CXCursor param = clang_Cursor_getArgument(declaration, i);
    if (clang_Cursor_hasAttrs(param)) {
      tl__cursors children = tl__parse_children(p, param);
      for (uint32_t k = 0; k < children.count; k++) {
        if (clang_getCursorKind(children.data[k]) == CXCursor_AnnotateAttr &&
            written_within(children.data[k], declaration)) {
          merge_annotation(p, f, declaration, i, children.data[k]);
        }
      }
    }
    if (f->params.data[i]->type->kind == TL_CT_POINTER && !in_system_header(declaration)) {
      merge_extent(p, f, declaration, i);
    }
  }
}

tl_function *tl__parse_function(tl__parse *p, CXCursor c) {
  const void *key = clang_getCanonicalCursor(c).data[0];
  tl_function *f = tl__map_get(&p->functions, key);
  if (f) {
    return f;
  }
  f = TL_NEW(p->arena, tl_function);
  tl__map_put(p->arena, &p->functions, key, f);
  TL_PUSH(p->arena, p->unit->functions, f);
  CXCursor from = built_from(c);
  f->name = tl__parse_spelling(p, from);
  f->loc = tl__parse_name_loc(p, from);
  f->is_static = clang_Cursor_getStorageClass(from) == CX_SC_Static;
  f->is_inline = clang_Cursor_isFunctionInlined(from) != 0;
  CXType type = clang_getCursorType(from);
  f->type = TL_NEW(p->arena, tl_ctype);
  f->type->kind = TL_CT_FUNCTION;
  f->type->spelling = tl__parse_string(p, clang_getTypeSpelling(type));
  f->type->variadic = f->variadic =
      clang_Cursor_isVariadic(from) || clang_getCanonicalType(type).kind == CXType_FunctionNoProto;
  f->type->target = tl__parse_type(p, clang_getCursorResultType(from));
  f->return_declarator = f->type->target->spelling;
  int count = clang_Cursor_getNumArguments(from);
  for (int i = 0; i < count; i++) {
    CXCursor param = clang_Cursor_getArgument(from, (unsigned)i);
    tl_decl *d = TL_NEW(p->arena, tl_decl);
    tl__map_put(p->arena, &p->decls, param.data[0], d);
    d->name = tl__parse_spelling(p, param);
    d->storage = TL_STORAGE_PARAM;
    d->index = (uint32_t)i;
    d->loc = tl__parse_name_loc(p, param);
    TL_PUSH(p->arena, f->params, d);
  }
  bool system = in_system_header(from);
  for (int i = 0; i < count; i++) {
    CXCursor param = clang_Cursor_getArgument(from, (unsigned)i);
    tl_decl *d = f->params.data[i];
    set_param_type(p, d, param);
    TL_PUSH(p->arena, f->type->params, d->type);
    TL_PUSH(p->arena, f->declarators, system ? NULL : declarator_of(p, param, *d->name ? d->name : NULL));
    if (!*d->name) {
      /* Nothing can refer to it; a name that no other parameter has lets it be passed on. */
      d->name = tl_arena_printf(p->arena, "unnamed_%d", i + 1);
    }
  }
  return f;
}

/* System headers declare a thousand functions: their declarators are made only for what the user's code may name. */
static void complete_declarators(tl__parse *p, tl_function *f, CXCursor c) {
  CXCursor from = built_from(c);
  for (uint32_t i = 0; i < f->params.count; i++) {
    if (!f->declarators.data[i]) {
      CXCursor param = clang_Cursor_getArgument(from, i);
      CXString name = clang_getCursorSpelling(param);
      bool named = *clang_getCString(name) != '\0';
      clang_disposeString(name);
      f->declarators.data[i] = declarator_of(p, param, named ? f->params.data[i]->name : NULL);
    }
  }
}

void tl__parse_want_body(tl__parse *p, tl_function *f, CXCursor c) {
  if (tl__map_get(&p->bodies, f)) {
    return;
  }
  tl__map_put(p->arena, &p->bodies, f, f);
  complete_declarators(p, f, c);
  CXCursor definition = clang_getCursorDefinition(c);
  if (clang_Cursor_isNull(definition)) {
    return;
  }
  TL_PUSH(p->arena, p->queue, (tl__wanted){f, definition});
}

/* Intrinsics as cc knows them. */
static const char *with_c_names(tl__parse *p, const char *text) {
  if (!strstr(text, "$$")) {
    return text;
  }
  const char *end = text + strlen(text);
  char *to = tl_arena_alloc(p->arena, 2 * strlen(text) + 1), *w = to;
  for (const char *s = text; s < end;) {
    const char *next = tl__parse_skip_token(s, end);
    const char *word = tl_arena_strndup(p->arena, s, (size_t)(next - s));
    if (*word != '"' && tl__request_name(word)) {
      word = tl__request_mangle(p->arena, word);
    }
    size_t length = strlen(word);
    memcpy(w, word, length);
    w += length;
    s = next;
  }
  return to;
}

/* The text of a definition: as written, or, where macros took part, as libclang prints it. */
static const char *definition_text(tl__parse *p, CXCursor definition, bool macros) {
  const char *end, *text = macros ? NULL : tl__parse_text_at(p, definition, &end);
  unsigned from, to;
  CXSourceRange extent = clang_getCursorExtent(definition);
  clang_getExpansionLocation(clang_getRangeStart(extent), NULL, NULL, NULL, &from);
  clang_getExpansionLocation(clang_getRangeEnd(extent), NULL, NULL, NULL, &to);
  if (!text || to <= from || to - from > (size_t)(end - text)) {
    text = tl__parse_without_generics(p, definition, pretty(p, definition));
    return without_annotations(p, text, false);
  }
  return without_annotations(p, tl_arena_strndup(p->arena, text, to - from), false);
}

static void build_body(tl__parse *p, tl_function *f, CXCursor definition) {
  tl__cursors children = tl__parse_children(p, definition);
  p->saw_macro = false;
  for (uint32_t i = 0; i < children.count; i++) {
    if (clang_getCursorKind(children.data[i]) == CXCursor_CompoundStmt) {
      f->body = tl__parse_stmt(p, children.data[i]);
    }
  }
  if (f->body) {
    f->source = with_c_names(p, definition_text(p, definition, p->saw_macro));
  }
}

/* `tl__custom_vjp$f$rule`: what TL_CUSTOM_VJP(f, rule) declares. */
static void custom_rule(tl__parse *p, CXCursor c, const char *name) {
  bool vjp = strncmp(name, "tl__custom_vjp$", 15) == 0;
  const char *function = name + 15, *dollar = strchr(function, '$');
  if (!dollar) {
    return;
  }
  const char *primal = tl_arena_strndup(p->arena, function, (size_t)(dollar - function));
  tl_function *f = tl_unit_find(p->unit, primal);
  tl_loc loc = tl__parse_location(p, clang_getCursorLocation(c), 1);
  if (!f) {
    tl_diag_error(p->diag, TL_NO_DEFINITION, loc, "a custom rule for '%s', which is not declared before", primal);
    return;
  }
  *(vjp ? &f->custom_vjp : &f->custom_jvp) = dollar + 1;
  f->custom_loc = loc;
}

static void top_level(tl__parse *p, CXCursor c) {
  enum CXCursorKind kind = clang_getCursorKind(c);
  if (kind == CXCursor_FunctionDecl) {
    tl_function *f = tl__parse_function(p, c);
    merge_annotations(p, f, c);
    if (!in_system_header(c)) {
      tl__parse_want_body(p, f, c);
    }
  } else if (kind == CXCursor_VarDecl && !in_system_header(c)) {
    const char *name = tl__parse_spelling(p, c);
    if (strncmp(name, "tl__custom_vjp$", 15) == 0 || strncmp(name, "tl__custom_jvp$", 15) == 0) {
      custom_rule(p, c, name);
    } else {
      tl__parse_decl(p, c);
    }
  } else if (kind == CXCursor_StructDecl) {
    tl__parse_stated_name(p, c);
  }
}

void tl__parse_want_named(tl__parse *p, const char *function) {
  for (uint32_t i = 0; i < p->top.count; i++) {
    CXCursor c = p->top.data[i];
    if (clang_getCursorKind(c) == CXCursor_FunctionDecl) {
      CXString name = clang_getCursorSpelling(c);
      bool same = strcmp(clang_getCString(name), function) == 0;
      clang_disposeString(name);
      if (same) {
        tl__parse_want_body(p, tl__parse_function(p, c), c);
        return;
      }
    }
  }
}

void tl__parse_bodies(tl__parse *p) {
  while (p->queue_done < p->queue.count) {
    uint32_t i = p->queue_done++;
    build_body(p, p->queue.data[i].function, p->queue.data[i].definition);
  }
}

static int compare_macros(const void *a, const void *b) {
  return strcmp(((const tl_macro *)a)->name, ((const tl_macro *)b)->name);
}

/* Takes the macros out of what stands at file scope, and what else the preprocessor did. */
static void take_macros(tl__parse *p) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < p->top.count; i++) {
    CXCursor c = p->top.data[i];
    if (!clang_isPreprocessing(clang_getCursorKind(c))) {
      p->top.data[n++] = c;
    } else if (clang_getCursorKind(c) == CXCursor_MacroDefinition) {
      TL_PUSH(p->arena, p->unit->macros, (tl_macro){tl__parse_spelling(p, c), in_system_header(c)});
    }
  }
  p->top.count = n;
  if (p->unit->macros.count) {
    qsort(p->unit->macros.data, p->unit->macros.count, sizeof *p->unit->macros.data, compare_macros);
  }
}

void tl__parse_unit(tl__parse *p) {
  p->top = tl__parse_children(p, clang_getTranslationUnitCursor(p->tu));
  take_macros(p);
  for (uint32_t i = 0; i < p->top.count && !p->on_demand; i++) {
    top_level(p, p->top.data[i]);
  }
  tl__parse_bodies(p);
}
