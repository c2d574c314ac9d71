/* Reads a C file with libclang. */
#include "front/parse.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/name.h"
#include "front/parse_clang.h"

/* Ours come last: they hold against the user's. Diagnostics are for us alone, and only errors matter; a call of an
 * undeclared function must be one, since that is how a request shows. */
static const char *const own_args[] = {
    "-xc",
    "-D__TLALOC_FRONT__",
    "-fdollars-in-identifiers",
    "-ferror-limit=0",
    "-fno-spell-checking",
    "-Wno-everything",
    "-Werror=implicit-function-declaration",
};

static tl_status check_version(tl_diag *diag, const tl_parse_opts *opts) {
  char text[128];
  CXString version = clang_getClangVersion();
  snprintf(text, sizeof text, "%s", clang_getCString(version));
  clang_disposeString(version);
  const char *number = strstr(text, "version ");
  if ((number && strncmp(number + 8, "19.", 3) == 0) || opts->allow_any_clang) {
    return TL_OK;
  }
  tl_diag_error(diag, TL_VERSION_UNSUPPORTED, (tl_loc){.file = opts->file},
                "libclang is %s, and this release was tested with version 19 only; "
                "--unsafe-allow-unsupported-clang uses it all the same",
                text);
  return TL_VERSION_UNSUPPORTED;
}

typedef struct read_args {
  const char *file;
  TL_VEC(const char *) args;
  struct CXUnsavedFile *overlay; /* NULL, or the file's text */
  unsigned options;
} read_args;

/* Each file with insertions once, its whole text with them put in. */
static unsigned make_overlay(tl__parse *p, struct CXUnsavedFile *overlay) {
  unsigned count = 0;
  for (uint32_t i = 0; i < p->insertions.count;) {
    const char *name = p->insertions.data[i].file;
    size_t size = 0, extra = 0, from = 0, out = 0;
    const char *text = clang_getFileContents(p->tu, clang_getFile(p->tu, name), &size);
    uint32_t last = i;
    for (; last < p->insertions.count && strcmp(p->insertions.data[last].file, name) == 0; last++) {
      extra += p->insertions.data[last].length;
    }
    char *to = tl_arena_alloc(p->arena, size + extra + 1);
    for (; i < last; i++) {
      const tl__insertion *in = &p->insertions.data[i];
      memcpy(to + out, text + from, in->offset - from);
      out += in->offset - from;
      from = in->offset;
      memcpy(to + out, in->text, in->length);
      out += in->length;
    }
    memcpy(to + out, text + from, size - from);
    overlay[count++] = (struct CXUnsavedFile){.Filename = name, .Contents = to, .Length = size + extra};
  }
  return count;
}

/* The quoted word of a diagnostic that names an intrinsic, or NULL. */
static const char *quoted_request(tl__parse *p, const char *message) {
  for (const char *s = strchr(message, '\''); s; s = strchr(s + 1, '\'')) {
    const char *close = strchr(s + 1, '\'');
    if (!close) {
      return NULL;
    }
    const char *word = tl_arena_strndup(p->arena, s + 1, (size_t)(close - s - 1));
    if (tl__request_name(word)) {
      return word;
    }
    s = close;
  }
  return NULL;
}

/* An option of cc's that clang does not have changes no meaning that libclang could see. */
static bool is_about_options(const char *message, CXDiagnostic d) {
  CXFile file;
  clang_getExpansionLocation(clang_getDiagnosticLocation(d), &file, NULL, NULL, NULL);
  return !file && (strncmp(message, "unknown argument", 16) == 0 || strncmp(message, "unsupported ", 12) == 0);
}

static bool starts_with_any(const char *message, size_t count, const char *const starts[]) {
  for (size_t i = 0; i < count; i++) {
    if (strncmp(message, starts[i], strlen(starts[i])) == 0) {
      return true;
    }
  }
  return false;
}

/* It has an implicit declaration, which is an error of clang's alone before C23: cc judges that. */
static bool is_about_implicit_declaration(const char *message) {
  static const char *const starts[] = {"call to undeclared function '", "call to undeclared library function '"};
  return starts_with_any(message, sizeof starts / sizeof *starts, starts);
}

static void mark_implicit(tl__parse *p, const char *message) {
  const char *quote = strchr(message, '\''), *end = quote ? strchr(quote + 1, '\'') : NULL;
  if (end && strncmp(message, "call to undeclared function", 27) == 0) {
    tl_function *f = tl_unit_find(p->unit, tl_arena_strndup(p->arena, quote + 1, (size_t)(end - quote - 1)));
    if (f) {
      f->is_implicit = true;
    }
  }
}

static bool is_about_unknown_name(const char *message) {
  static const char *const starts[] = {"unknown type name '", "use of undeclared identifier '", "no member named '",
                                       "must use '"};
  return starts_with_any(message, sizeof starts / sizeof *starts, starts);
}

/* GNU C's nested function, at its '{': clang takes nothing of it, so that its calls seem to be of no known function.
 * The message with its name, which stands before the parameters; NULL where it is another one. */
static const char *nested_function(tl__parse *p, const char *message, CXSourceLocation at) {
  CXFile file;
  unsigned offset;
  size_t size;
  if (strncmp(message, "function definition is not allowed here", 39) != 0) {
    return NULL;
  }
  clang_getFileLocation(at, &file, NULL, NULL, &offset);
  const char *text = file ? clang_getFileContents(p->tu, file, &size) : NULL;
  const char *open = NULL, *s = text ? text + offset : NULL;
  int depth = 0;
  for (; s && s > text && !open && s[-1] != ';' && s[-1] != '{' && s[-1] != '}'; s--) {
    depth += (s[-1] == ')') - (s[-1] == '(');
    open = s[-1] == '(' && depth == 0 ? s - 1 : NULL;
  }
  while (open && open > text && isspace((unsigned char)open[-1])) {
    open--;
  }
  const char *start = open;
  while (start && start > text && tl_in_name(start[-1])) {
    start--;
  }
  return start == open
             ? "a function is defined within another"
             : tl_arena_printf(p->arena, "'%.*s' is defined within another function", (int)(open - start), start);
}

/* The intrinsics that are named first, then the rest. */
static void read_error(tl__parse *p, tl_parse_result *result, CXDiagnostic d, int pass, bool *undeclared) {
  const char *message = tl__parse_string(p, clang_getDiagnosticSpelling(d));
  const char *word = quoted_request(p, message);
  CXSourceLocation at = clang_getDiagnosticLocation(d);
  if (pass == 0) {
    tl__misuse seen = word                                          ? TL__MISUSE_UNDECLARED
                      : strncmp(message, "pasting formed", 14) == 0 ? TL__MISUSE_PASTED
                                                                    : TL__MISUSE_ERROR;
    if (!tl__request_misused(p, at, seen) && word) {
      *undeclared = true;
      TL_PUSH(p->arena, p->uses, (tl__use){word, tl__parse_location(p, at, 1)});
    }
  } else if (!word && is_about_implicit_declaration(message)) {
    result->doubtful = true;
    mark_implicit(p, message);
  } else if (!word && !result->syntax_errors && !is_about_options(message, d)) {
    bool unknown = is_about_unknown_name(message);
    result->doubtful |= unknown;
    result->unknown_names |= unknown;
    /* An intrinsic without its prototype returns int: what clang says of that is no fault of the user's. */
    const char *nested = nested_function(p, message, at);
    bool certain = !*undeclared || nested || clang_getDiagnosticSeverity(d) == CXDiagnostic_Fatal;
    if (certain || !result->maybe_syntax_errors) {
      result->syntax_message = nested ? nested : message;
      result->syntax_loc = tl__parse_location(p, at, 1);
    }
    *(certain ? &result->syntax_errors : &result->maybe_syntax_errors) = true;
  }
}

static void read_diagnostics(tl__parse *p, tl_parse_result *result) {
  bool undeclared = false;
  unsigned count = clang_getNumDiagnostics(p->tu);
  for (int pass = 0; pass < 2; pass++) {
    for (unsigned i = 0; i < count; i++) {
      CXDiagnostic d = clang_getDiagnostic(p->tu, i);
      if (clang_getDiagnosticSeverity(d) >= CXDiagnostic_Error) {
        read_error(p, result, d, pass, &undeclared);
      }
      clang_disposeDiagnostic(d);
    }
  }
  if (p->misuses.count) { /* what else does not fit there is its consequence */
    result->syntax_errors = result->maybe_syntax_errors = result->doubtful = result->unknown_names = false;
  }
}

/* Reads the main file, and again with the prototypes where there are any; `c_names`: with their names as cc knows them.
 */
static tl_status read_with_prototypes(tl__parse *p, CXIndex index, const read_args *args, const char *prototypes,
                                      bool c_names) {
  enum CXErrorCode code = clang_parseTranslationUnit2(index, args->file, args->args.data, (int)args->args.count,
                                                      args->overlay, args->overlay ? 1 : 0, args->options, &p->tu);
  if (code == CXError_Success && prototypes) {
    tl__request_place(p, prototypes);
    for (uint32_t i = 0; c_names && i < p->insertions.count; i++) {
      tl__insertion *in = &p->insertions.data[i];
      in->text = tl__request_mangle(p->arena, in->text);
      in->length = (uint32_t)strlen(in->text);
    }
    struct CXUnsavedFile *overlay = TL_NEW_ARRAY(p->arena, struct CXUnsavedFile, p->insertions.count + 1);
    unsigned count = make_overlay(p, overlay);
    if (count) {
      clang_disposeTranslationUnit(p->tu);
      p->tu = NULL;
      code = clang_parseTranslationUnit2(index, args->file, args->args.data, (int)args->args.count, overlay, count,
                                         args->options, &p->tu);
    }
  }
  if (code != CXError_Success) {
    tl_diag_error(p->diag, TL_INTERNAL_ERROR, (tl_loc){.file = args->file},
                  "libclang could not read the file (error %d)", (int)code);
    return TL_INTERNAL_ERROR;
  }
  return TL_OK;
}

static tl_status read_unit(tl__parse *p, CXIndex index, const tl_parse_opts *opts, void *ctx) {
  tl_parse_result *result = ctx;
  result->unit = p->unit;
  read_args args = {.file = opts->file, .options = CXTranslationUnit_DetailedPreprocessingRecord};
  for (uint32_t i = 0; i < opts->arg_count; i++) {
    TL_PUSH(p->arena, args.args, opts->args[i]);
  }
  for (size_t i = 0; i < sizeof own_args / sizeof *own_args; i++) {
    TL_PUSH(p->arena, args.args, own_args[i]);
  }
  tl_status status = read_with_prototypes(p, index, &args, opts->prototypes, false);
  if (status != TL_OK) {
    return status;
  }
  tl__parse_unit(p);
  tl__parse_set_first_ends(p);
  read_diagnostics(p, result);
  tl__request_collect(p, result);
  tl__parse_find_early_uses(p, result);
  return TL_OK;
}

typedef struct preprocessed {
  const char *text;
  uint32_t count;
  tl_function *const *wanted;
  tl_unit *unit;
} preprocessed;

/* gcc knows these names as keywords, and glibc's headers use them where they believe to be read by a recent gcc. */
#define TL__GCC_TYPES                                                                                                  \
  "typedef float _Float32; typedef double _Float64; typedef double _Float32x; typedef long double _Float64x; "         \
  "typedef long double _Float128;"

static tl_status read_preprocessed(tl__parse *p, CXIndex index, const tl_parse_opts *opts, void *ctx) {
  preprocessed *pre = ctx;
  pre->unit = p->unit;
  p->on_demand = true;
  read_args args = {.file = tl_arena_printf(p->arena, "%s.i", opts->file)};
  for (uint32_t i = 0; i < opts->arg_count; i++) { /* of the preprocessor's arguments nothing is left to do */
    const char *a = opts->args[i];
    if (strcmp(a, "-include") == 0 || strcmp(a, "-imacros") == 0 || strcmp(a, "-D") == 0 || strcmp(a, "-U") == 0 ||
        strcmp(a, "-I") == 0) {
      i++;
    } else if (strncmp(a, "-D", 2) != 0 && strncmp(a, "-U", 2) != 0 && strncmp(a, "-I", 2) != 0) {
      TL_PUSH(p->arena, args.args, a);
    }
  }
  for (size_t i = 2; i < sizeof own_args / sizeof *own_args; i++) {
    TL_PUSH(p->arena, args.args, own_args[i]);
  }
  TL_PUSH(p->arena, args.args, "-xcpp-output");
  /* One line before the text, which the compiler does not have. */
  const char *text = tl_arena_printf(p->arena, TL__GCC_TYPES "\n%s", pre->text);
  args.overlay = &(struct CXUnsavedFile){.Filename = args.file, .Contents = text, .Length = strlen(text)};
  tl_status status = read_with_prototypes(p, index, &args, opts->prototypes, true);
  if (status != TL_OK) {
    return status;
  }
  tl__parse_unit(p);
  for (uint32_t i = 0; i < pre->count; i++) {
    tl__parse_want_named(p, pre->wanted[i]->name);
  }
  tl__parse_bodies(p);
  return TL_OK;
}

typedef tl_status reader(tl__parse *, CXIndex, const tl_parse_opts *, void *ctx);

/* libclang's memory is not the arena's: exhaustion comes by here, gives it back and becomes a status. */
static tl_status read_guarded(tl_arena *arena, tl_diag *diag, const tl_parse_opts *opts, reader *read, void *ctx) {
  tl_status status = check_version(diag, opts);
  if (status != TL_OK) {
    return status;
  }
  CXIndex index = clang_createIndex(0, 0);
  tl__parse *volatile p = NULL;
  tl_recovery recovery;
  tl__recovery_enter(&recovery);
  if (setjmp(recovery.jump)) {
    if (p && p->holds) {
      clang_disposeString(p->held);
    }
    if (p && p->tu) {
      clang_disposeTranslationUnit(p->tu);
    }
    clang_disposeIndex(index);
    return TL_OUT_OF_MEMORY;
  }
  p = TL_NEW(arena, tl__parse);
  p->arena = arena;
  p->diag = diag;
  p->unit = TL_NEW(arena, tl_unit);
  p->unit->arena = arena;
  p->unit->diag = diag;
  p->unit->file = tl_arena_strdup(arena, opts->file);
  status = read(p, index, opts, ctx);
  tl__recovery_leave(&recovery);
  if (p->tu) {
    clang_disposeTranslationUnit(p->tu);
  }
  clang_disposeIndex(index);
  return status;
}

tl_status tl_parse_file(tl_arena *arena, tl_diag *diag, const tl_parse_opts *opts, tl_parse_result *out_result) {
  *out_result = (tl_parse_result){0};
  return read_guarded(arena, diag, opts, read_unit, out_result);
}

tl_status tl__parse_preprocessed(tl_arena *arena, tl_diag *diag, const tl_parse_opts *opts, const char *text,
                                 uint32_t count, tl_function *const wanted[], tl_unit **out_unit) {
  preprocessed pre = {text, count, wanted, NULL};
  tl_status status = read_guarded(arena, diag, opts, read_preprocessed, &pre);
  *out_unit = pre.unit;
  return status;
}
