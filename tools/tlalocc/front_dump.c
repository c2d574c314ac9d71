/* The dump: the derivatives as a C file that stands alone, with what they need of the user's file copied before them. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "front.h"
#include "front_decls.h"

typedef struct dump {
  front *f;
  front_decls all;
  bool *wanted; /* of all.decls */
  TL_VEC(const tl_function *) functions;
} dump;

static bool has_function(const dump *d, const tl_function *function) {
  for (uint32_t i = 0; i < d->functions.count; i++) {
    if (d->functions.data[i] == function) {
      return true;
    }
  }
  return false;
}

static void need_names_in(dump *d, const char *text);

static bool declares(const front_decl *decl, const char *name) {
  for (uint32_t i = 0; i < decl->names.count; i++) {
    if (strcmp(decl->names.data[i], name) == 0) {
      return true;
    }
  }
  return false;
}

static void need_name(dump *d, const char *name) {
  const tl_function *function = tl_unit_find(d->f->parse.unit, name);
  bool copied = function && function->source;
  if (copied && !has_function(d, function)) {
    TL_PUSH(d->f->arena, d->functions, function);
    need_names_in(d, function->source);
  }
  for (uint32_t i = 0; i < d->all.decls.count; i++) {
    const front_decl *decl = &d->all.decls.data[i];
    bool serves = !decl->is_function && !(decl->is_prototype && copied);
    if (serves && !d->wanted[i] && declares(decl, name)) {
      d->wanted[i] = true;
      need_names_in(d, decl->text);
    }
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

static const char *mutable_global(const dump *d, const front_decl *decl) {
  const tl_unit *unit = d->f->parse.unit;
  for (uint32_t i = 0; i < unit->globals.count; i++) {
    const tl_decl *g = unit->globals.data[i];
    const tl_ctype *t = g->type;
    while (t && t->kind == TL_CT_ARRAY) {
      t = t->target;
    }
    if (g->name && t && !t->is_const && declares(decl, g->name)) {
      return g->name;
    }
  }
  return NULL;
}

static void write_decls(const dump *d, FILE *out) {
  bool any = false;
  for (uint32_t i = 0; i < d->all.decls.count; i++) {
    const front_decl *decl = &d->all.decls.data[i];
    if (!d->wanted[i]) {
      continue;
    }
    const char *g = mutable_global(d, decl);
    fputs(any ? "" : "\n", out);
    any = true;
    if (g) {
      fprintf(out, "/* Not self-contained: `%s` is a variable of %s; here it keeps its first value. */\n", g, d->f->opts->file);
    }
    if (decl->is_prototype) {
      fprintf(out, "/* Not self-contained: defined elsewhere. */\n");
    }
    fprintf(out, "%s\n", decl->text);
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

/* The emitter's own #include lines, which join those of the user's file: each once. Returns the text behind them. */
static const char *take_includes(front *f, const char *bodies, front_decls *all) {
  const char *p = bodies;
  while (strncmp(p, "#include ", 9) == 0 || *p == '\n') {
    size_t n = strcspn(p, "\n");
    const char *name = n > 9 ? tl_arena_strndup(f->arena, p + 9, n - 9) : NULL;
    bool known = !name;
    for (uint32_t i = 0; i < all->system_includes.count && !known; i++) {
      known = strcmp(all->system_includes.data[i], name) == 0;
    }
    if (!known) {
      TL_PUSH(f->arena, all->system_includes, name);
    }
    p += n + (p[n] == '\n');
  }
  return p;
}

bool front_write_dump(front *f, FILE *out) {
  size_t length;
  const char *bodies = front_emit_bodies(f, true, &length);
  dump d = {.f = f};
  front_read_decls(f->arena, f->preprocessed ? f->preprocessed : "", front_source_line, f, &d.all);
  bodies = take_includes(f, bodies, &d.all);
  d.wanted = TL_NEW_ARRAY(f->arena, bool, d.all.decls.count + 1);
  need_names_in(&d, bodies);
  fprintf(out, "/* Derivatives of functions of %s, written by tlalocc " TL_VERSION ". C99; link with -lm. */\n", f->opts->file);
  for (uint32_t i = 0; i < d.all.system_includes.count; i++) {
    fprintf(out, "#include %s\n", d.all.system_includes.data[i]);
  }
  write_decls(&d, out);
  write_primals(&d, out);
  fputc('\n', out);
  fputs(bodies, out);
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
