/* The dump: the derivatives as a C file that stands alone, with what they need of the user's file copied before them. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "front.h"

typedef struct dump {
  front *f;
  TL_VEC(const tl_file_decl *) decls;
  TL_VEC(const tl_function *) functions;
} dump;

static bool has_decl(const dump *d, const tl_file_decl *decl) {
  for (uint32_t i = 0; i < d->decls.count; i++) {
    if (d->decls.data[i] == decl) {
      return true;
    }
  }
  return false;
}

static bool has_function(const dump *d, const tl_function *function) {
  for (uint32_t i = 0; i < d->functions.count; i++) {
    if (d->functions.data[i] == function) {
      return true;
    }
  }
  return false;
}

static void need_names_in(dump *d, const char *text);

static void need_name(dump *d, const char *name) {
  const tl_unit *unit = d->f->parse.unit;
  for (uint32_t i = 0; i < unit->file_decls.count; i++) {
    const tl_file_decl *decl = &unit->file_decls.data[i];
    if (decl->name && strcmp(decl->name, name) == 0 && !has_decl(d, decl)) {
      TL_PUSH(d->f->arena, d->decls, decl);
      need_names_in(d, decl->text);
    }
  }
  const tl_function *function = tl_unit_find(unit, name);
  if (function && function->source && !has_function(d, function)) {
    TL_PUSH(d->f->arena, d->functions, function);
    need_names_in(d, function->source);
  }
}

/* Every identifier of the text, strings and comments left out, may name something that it needs. One too many is a
 * declaration too many. */
static void need_names_in(dump *d, const char *text) {
  for (const char *p = text; *p;) {
    if (*p == '"' || *p == '\'') {
      char quote = *p++;
      while (*p && *p != quote) {
        p += *p == '\\' && p[1] ? 2 : 1;
      }
      p += *p != '\0';
    } else if (p[0] == '/' && p[1] == '*') {
      const char *close = strstr(p + 2, "*/");
      p = close ? close + 2 : p + strlen(p);
    } else if (p[0] == '/' && p[1] == '/') {
      p += strcspn(p, "\n");
    } else if (isalpha((unsigned char)*p) || *p == '_') {
      const char *start = p;
      while (isalnum((unsigned char)*p) || *p == '_') {
        p++;
      }
      bool member = start > text && (start[-1] == '.' || (start - text > 1 && start[-1] == '>' && start[-2] == '-'));
      if (!member) {
        need_name(d, tl_arena_strndup(d->f->arena, start, (size_t)(p - start)));
      }
    } else if (isdigit((unsigned char)*p)) {
      while (isalnum((unsigned char)*p) || *p == '.' || *p == '_') {
        p++;
      }
    } else {
      p++;
    }
  }
}

static const tl_decl *mutable_global(const dump *d, const tl_file_decl *decl) {
  const tl_unit *unit = d->f->parse.unit;
  for (uint32_t i = 0; i < unit->globals.count; i++) {
    const tl_decl *g = unit->globals.data[i];
    const tl_ctype *t = g->type;
    while (t && t->kind == TL_CT_ARRAY) {
      t = t->target;
    }
    if (g->name && strcmp(g->name, decl->name) == 0 && t && !t->is_const) {
      return g;
    }
  }
  return NULL;
}

/* Declarations in the order of the file; the names of one declaration share its text. */
static void write_decls(const dump *d, FILE *out) {
  const tl_unit *unit = d->f->parse.unit;
  const char *last = NULL;
  for (uint32_t i = 0; i < unit->file_decls.count; i++) {
    const tl_file_decl *decl = &unit->file_decls.data[i];
    if (!has_decl(d, decl) || (last && strcmp(last, decl->text) == 0)) {
      continue;
    }
    const tl_decl *g = mutable_global(d, decl);
    if (g) {
      fprintf(out, "/* Not self-contained: `%s` is a variable of %s; here it keeps its first value. */\n", g->name, d->f->opts->file);
    }
    fprintf(out, "%s\n", decl->text);
    last = decl->text;
  }
}

/* The definition without `static`, `extern` or `inline` before it. */
static const char *without_storage(const char *source) {
  static const char *const words[] = {"static", "extern", "inline", "__inline", "__inline__", "_Noreturn"};
  for (bool again = true; again;) {
    again = false;
    source += strspn(source, " \t\r\n");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
      size_t n = strlen(words[i]);
      if (strncmp(source, words[i], n) == 0 && !isalnum((unsigned char)source[n]) && source[n] != '_') {
        source += n;
        again = true;
      }
    }
  }
  return source;
}

static void write_primals(const dump *d, FILE *out) {
  if (!d->functions.count) {
    return;
  }
  fprintf(out, "\n/* Copied from %s. */\n", d->f->opts->file);
  const tl_unit *unit = d->f->parse.unit;
  for (int definitions = 0; definitions < 2; definitions++) {
    for (uint32_t i = 0; i < unit->functions.count; i++) {
      const tl_function *function = unit->functions.data[i];
      if (!has_function(d, function)) {
        continue;
      }
      const char *source = without_storage(function->source);
      if (definitions) {
        fprintf(out, "static %s\n", source);
      } else {
        fprintf(out, "static %.*s;\n", (int)strcspn(source, "{"), source);
      }
    }
  }
}

static void write_includes(const front *f, FILE *out) {
  for (uint32_t i = 0; i < f->parse.unit->system_includes.count; i++) {
    fprintf(out, "#include %s\n", f->parse.unit->system_includes.data[i]);
  }
}

bool front_write_dump(front *f, FILE *out) {
  size_t length;
  char *bodies = front_emit_bodies(f, true, &length);
  dump d = {.f = f};
  need_names_in(&d, bodies);
  fprintf(out, "/* Derivatives of functions of %s, written by tlalocc " TL_VERSION ". C99; link with -lm. */\n", f->opts->file);
  write_includes(f, out);
  if (d.decls.count) {
    fputc('\n', out);
    write_decls(&d, out);
  }
  write_primals(&d, out);
  fwrite(bodies, 1, length, out);
  return !ferror(out);
}

void front_dump_ir(front *f, FILE *out) {
  const char *pass = f->opts->dump_ir_pass;
  for (uint32_t i = 0; i < f->module->funcs.count; i++) {
    const tl_func *func = f->module->funcs.data[i];
    bool lowered_only = pass && strcmp(pass, "lower") == 0;
    if (!pass ? !func->is_primal : func->is_primal == lowered_only) {
      tl_func_print(func, out);
    }
  }
  fflush(out);
}
