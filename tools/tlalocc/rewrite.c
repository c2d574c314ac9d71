#include "rewrite.h"

#include <string.h>

#include "files.h"

/* A file name as make reads it: backslashes before a blank are doubled. */
static const char *make_escape(tl_arena *a, const char *name) {
  char *escaped = tl_arena_alloc(a, 3 * strlen(name) + 1);
  size_t n = 0, backslashes = 0;
  for (; *name; name++) {
    bool blank = *name == ' ' || *name == '\t';
    for (; blank && backslashes; backslashes--) {
      escaped[n++] = '\\';
    }
    backslashes = *name == '\\' ? backslashes + 1 : 0;
    if (blank || *name == '#') {
      escaped[n++] = '\\';
    } else if (*name == '$') {
      escaped[n++] = '$';
    }
    escaped[n++] = *name;
  }
  return escaped;
}

/* As clang writes it, which takes a backslash for a slash and lets a tab stand. */
static const char *clang_escape(tl_arena *a, const char *name) {
  char *escaped = tl_arena_alloc(a, 2 * strlen(name) + 1);
  size_t n = 0;
  for (; *name; name++) {
    if (*name == ' ' || *name == '#') {
      escaped[n++] = '\\';
    } else if (*name == '$') {
      escaped[n++] = '$';
    }
    escaped[n++] = *name == '\\' ? '/' : *name;
  }
  return escaped;
}

typedef struct replacement {
  const char *from, *to;
  bool with_blanks_before; /* and a line continuation: a whole word of a rule goes */
} replacement;

typedef TL_VEC(replacement) replacements;

/* At each place the first replacement that fits. `text` ends with a null character, which is not part of it. */
static void write_replaced(const char *text, size_t length, const replacements *rs, FILE *to) {
  const char *end = text + length, *written = text;
  for (const char *p = text; p < end; p++) {
    for (uint32_t i = 0; i < rs->count; i++) {
      const replacement *r = &rs->data[i];
      size_t n = strlen(r->from);
      if ((size_t)(end - p) < n || memcmp(p, r->from, n) != 0) {
        continue;
      }
      const char *stop = p;
      if (r->with_blanks_before) {
        while (stop > written && stop[-1] == ' ') {
          stop--;
        }
      }
      fwrite(written, 1, (size_t)(stop - written), to);
      fputs(r->to, to);
      written = p + n;
      p += n - 1;
      break;
    }
  }
  fwrite(written, 1, (size_t)(end - written), to);
}

static bool mentions(const char *text, const replacements *rs) {
  for (uint32_t i = 0; i < rs->count; i++) {
    if (strstr(text, rs->data[i].from)) {
      return true;
    }
  }
  return false;
}

/* Below the temporary folder names are as cc wrote them, and stay so. */
static void add_dependency(tl_arena *a, replacements *rs, const tl_renaming *n,
                           const char *(*escape)(tl_arena *, const char *)) {
  const char *generated = escape(a, n->generated);
  /* -MP gives each header a rule of its own. */
  TL_PUSH(a, *rs, (replacement){tl_arena_printf(a, "\n%s:\n", generated), "\n", false});
  TL_PUSH(a, *rs, (replacement){generated, "", true});
  TL_PUSH(a, *rs, (replacement){escape(a, n->temp_file), make_escape(a, n->user_file), false});
  TL_PUSH(a, *rs, (replacement){escape(a, n->temp_folder), make_escape(a, n->user_folder), false});
}

bool tl_rewrite_dependencies(tl_arena *a, const char *path, const tl_renamings *names) {
  size_t length;
  char *text = tl_path_read(a, path, &length);
  if (!text) {
    return true;
  }
  replacements rs = {0};
  for (uint32_t i = 0; i < names->count; i++) {
    add_dependency(a, &rs, &names->data[i], make_escape);
    add_dependency(a, &rs, &names->data[i], clang_escape);
  }
  if (!mentions(text, &rs)) {
    return true;
  }
  FILE *f = fopen(path, "w");
  if (!f) {
    return false;
  }
  write_replaced(text, length, &rs, f);
  bool ok = !ferror(f);
  return fclose(f) == 0 && ok;
}

bool tl_rewrite_preprocessed(tl_arena *a, const char *text, size_t length, FILE *to, const tl_renamings *names) {
  replacements rs = {0};
  for (uint32_t i = 0; i < names->count; i++) {
    const tl_renaming *n = &names->data[i];
    TL_PUSH(a, rs, (replacement){tl_string_escape(a, n->temp_file), tl_string_escape(a, n->user_file), false});
    TL_PUSH(a, rs, (replacement){tl_string_escape(a, n->temp_folder), tl_string_escape(a, n->user_folder), false});
  }
  write_replaced(text, length, &rs, to);
  return fflush(to) == 0 && !ferror(to);
}
