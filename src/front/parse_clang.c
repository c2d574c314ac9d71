/* Reads a C file with libclang. */
#include "front/parse.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "front/parse_clang.h"

/* Ours come last: they hold against the user's. Diagnostics are for us alone, and only errors matter; a call of an
 * undeclared function must be one, since that is how a request shows. */
static const char *const own_args[] = {
    "-xc", "-D__TLALOC_FRONT__", "-fdollars-in-identifiers", "-ferror-limit=0", "-fno-spell-checking",
    "-Wno-everything", "-Werror=implicit-function-declaration",
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
                "--unsafe-allow-unsupported-clang uses it all the same", text);
  return TL_VERSION_UNSUPPORTED;
}

static enum CXErrorCode read_file(tl__parse *p, CXIndex index, const tl_parse_opts *opts, struct CXUnsavedFile *overlay,
                                  unsigned overlay_count) {
  size_t own = sizeof own_args / sizeof *own_args;
  const char **args = TL_NEW_ARRAY(p->arena, const char *, opts->arg_count + own);
  for (uint32_t i = 0; i < opts->arg_count; i++) {
    args[i] = opts->args[i];
  }
  for (size_t i = 0; i < own; i++) {
    args[opts->arg_count + i] = own_args[i];
  }
  return clang_parseTranslationUnit2(index, opts->file, args, (int)(opts->arg_count + own), overlay, overlay_count,
                                     CXTranslationUnit_None, &p->tu);
}

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

static void read_diagnostics(tl__parse *p, tl_parse_result *result) {
  bool undeclared = false;
  unsigned count = clang_getNumDiagnostics(p->tu);
  for (int pass = 0; pass < 2; pass++) {
    for (unsigned i = 0; i < count; i++) {
      CXDiagnostic d = clang_getDiagnostic(p->tu, i);
      enum CXDiagnosticSeverity severity = clang_getDiagnosticSeverity(d);
      if (severity >= CXDiagnostic_Error) {
        const char *message = tl__parse_string(p, clang_getDiagnosticSpelling(d));
        const char *word = quoted_request(p, message);
        if (word && pass == 0) {
          undeclared = true;
          TL_PUSH(p->arena, p->uses, (tl__use){word, tl__parse_location(p, clang_getDiagnosticLocation(d), 1)});
        } else if (!word && pass == 1 && !result->syntax_errors) {
          /* An intrinsic without its prototype returns int: what clang says of that is no fault of the user's. */
          bool certain = !undeclared || severity == CXDiagnostic_Fatal;
          if (certain || !result->maybe_syntax_errors) {
            result->syntax_message = message;
            result->syntax_loc = tl__parse_location(p, clang_getDiagnosticLocation(d), 1);
          }
          *(certain ? &result->syntax_errors : &result->maybe_syntax_errors) = true;
        }
      }
      clang_disposeDiagnostic(d);
    }
  }
}

static tl_status failed(tl__parse *p, const tl_parse_opts *opts, enum CXErrorCode code) {
  tl_diag_error(p->diag, TL_INTERNAL_ERROR, (tl_loc){.file = opts->file}, "libclang could not read the file (error %d)", (int)code);
  return TL_INTERNAL_ERROR;
}

static tl_status read_unit(tl__parse *p, CXIndex index, const tl_parse_opts *opts, tl_parse_result *result) {
  enum CXErrorCode code = read_file(p, index, opts, NULL, 0);
  if (code != CXError_Success) {
    return failed(p, opts, code);
  }
  if (opts->prototypes) {
    tl__request_place(p, opts->prototypes);
    struct CXUnsavedFile *overlay = TL_NEW_ARRAY(p->arena, struct CXUnsavedFile, p->insertions.count + 1);
    unsigned count = make_overlay(p, overlay);
    if (count) {
      clang_disposeTranslationUnit(p->tu);
      p->tu = NULL;
      code = read_file(p, index, opts, overlay, count);
      if (code != CXError_Success) {
        return failed(p, opts, code);
      }
    }
  }
  tl__parse_unit(p);
  tl__parse_set_first_ends(p);
  read_diagnostics(p, result);
  tl__request_collect(p, result);
  return TL_OK;
}

tl_status tl_parse_file(tl_arena *arena, tl_diag *diag, const tl_parse_opts *opts, tl_parse_result *out_result) {
  *out_result = (tl_parse_result){0};
  tl_status status = check_version(diag, opts);
  if (status != TL_OK) {
    return status;
  }
  CXIndex index = clang_createIndex(0, 0);
  /* libclang's memory is not the arena's: exhaustion comes by here, gives it back and becomes a status. */
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
  p->unit = out_result->unit = TL_NEW(arena, tl_unit);
  p->unit->arena = arena;
  p->unit->diag = diag;
  p->unit->file = tl_arena_strdup(arena, opts->file);
  status = read_unit(p, index, opts, out_result);
  tl__recovery_leave(&recovery);
  if (p->tu) {
    clang_disposeTranslationUnit(p->tu);
  }
  clang_disposeIndex(index);
  return status;
}
