/* Macros of the user's whose names the emitted code has. It stands behind the file, where all macros are defined, and
 * means none of them: what it has of the user's text, extents and the like, libclang printed with macros expanded.
 * Nothing of the user's follows, so they are undefined for good. The same goes for macros that headers put in the place
 * of functions, as <tgmath.h> does; in a dump these stay, since they come down to the function that is meant. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "front.h"
#include "front_decls.h"

/* Of macros that headers define the emitted code means these, which C or the headers promise; where the user has others
 * of these names, what they are. */
static const struct {
  const char *name, *meaning;
} meant[] = {
    {"INFINITY", "INFINITY (__builtin_inff())"},
    {"NAN", "NAN (__builtin_nanf(\"\"))"},
    {"NULL", "NULL ((void *)0)"},
    {"signbit", "signbit(x) __builtin_signbit(x)"},
    {"errno", "errno (*__errno_location())"},
    {"stdin", NULL},
    {"stdout", NULL},
    {"stderr", NULL},
    {"bool", "bool _Bool"},
    {"true", "true 1"},
    {"false", "false 0"},
};

/* Macros of tensor.h, by which emitted code spells shapes and axes. */
static const char *const ours[] = {"TL_SHAPE", "TL_SCALAR", "TL_AXES", "TL_ALL", "TL_NONE", "TL_INTS"};

/* What a file does to these is done to the emitted prototypes too, which stand within it. */
static const char *const keywords[] = {
    "auto",   "break",    "case",     "char",     "const", "continue", "default", "do",     "double",
    "else",   "enum",     "extern",   "float",    "for",   "goto",     "if",      "inline", "int",
    "long",   "register", "restrict", "return",   "short", "signed",   "sizeof",  "static", "struct",
    "switch", "typedef",  "union",    "unsigned", "void",  "volatile", "while",   "_Bool",
};

static int compare(const void *name, const void *macro) { return strcmp(name, ((const tl_macro *)macro)->name); }

/* Whether there is such a macro, and whether all of that name are of system headers. */
static bool find_macro(const front *f, const char *name, bool *out_in_system) {
  const tl_macro *all = f->parse.unit->macros.data, *end = all + f->parse.unit->macros.count;
  const tl_macro *m = all ? bsearch(name, all, (size_t)(end - all), sizeof *all, compare) : NULL;
  if (!m) {
    return false;
  }
  while (m > all && !strcmp(m[-1].name, name)) {
    m--;
  }
  *out_in_system = true;
  for (; m < end && !strcmp(m->name, name); m++) {
    *out_in_system &= m->in_system_header;
  }
  return true;
}

bool front_is_macro(void *ctx, const char *name) {
  bool in_system;
  return find_macro(ctx, name, &in_system);
}

static bool is_keyword(const char *name) {
  for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++) {
    if (!strcmp(keywords[i], name)) {
      return true;
    }
  }
  return false;
}

static void write_one(const front *f, const char *name, bool of_headers, FILE *out) {
  bool in_system;
  if (is_keyword(name) || !find_macro(f, name, &in_system)) {
    return;
  }
  for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) {
    if (!strcmp(ours[i], name)) {
      return;
    }
  }
  if (of_headers && (!in_system || tl_unit_find(f->parse.unit, name))) {
    return;
  }
  for (size_t i = 0; i < sizeof meant / sizeof *meant; i++) {
    if (!strcmp(meant[i].name, name)) {
      if (!in_system) {
        fprintf(out, meant[i].meaning ? "#undef %s\n#define %s\n" : "#undef %s\n", name, meant[i].meaning);
      }
      return;
    }
  }
  fprintf(out, "#undef %s\n", name);
}

void front_write_undefs(front *f, const char *text, bool of_headers, FILE *out) {
  TL_VEC(const char *) seen = {0};
  for (const char *p = text; *p;) {
    if (p[0] == '/' && p[1] == '*') {
      const char *close = strstr(p + 2, "*/");
      p = close ? close + 2 : p + strlen(p);
      continue;
    }
    const char *end = isspace((unsigned char)*p) ? p + 1 : front_skip_token(p);
    if (isalpha((unsigned char)*p) || *p == '_') {
      const char *name = tl_arena_strndup(f->arena, p, (size_t)(end - p));
      bool known = false;
      for (uint32_t i = 0; i < seen.count && !known; i++) {
        known = !strcmp(seen.data[i], name);
      }
      if (!known) {
        TL_PUSH(f->arena, seen, name);
        write_one(f, name, of_headers, out);
      }
    }
    p = end;
  }
}
