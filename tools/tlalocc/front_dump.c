/* The dump: the derivatives as a C file that stands alone, with what they need of the user's file copied before them.
 */
#include <ctype.h>
#include <string.h>

#include "front.h"
#include "front_decls.h"
#include "transform/transform.h"

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

typedef struct word {
  const char *start;
  uint32_t length;
  char after;      /* the first character of the next token */
  bool after_word; /* behind a word that is no keyword of a statement: a type, so this is declared here */
} word;

typedef TL_VEC(word) word_list;

static bool starts_statement(const char *s, size_t length) {
  static const char *const words[] = {"return", "else", "goto", "case", "sizeof", "do", "struct", "union", "enum"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    if (strlen(words[i]) == length && memcmp(words[i], s, length) == 0) {
      return true;
    }
  }
  return false;
}

static bool is_qualifier(const char *s, size_t length) {
  static const char *const words[] = {"const", "volatile", "restrict", "static", "extern", "inline", "register"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    if (strlen(words[i]) == length && memcmp(words[i], s, length) == 0) {
      return true;
    }
  }
  return false;
}

/* The identifiers of a C text; strings, comments, numbers and members are left out. */
static word_list words_of(tl_arena *a, const char *text) {
  word_list words = {0};
  char before = 0, before_that = 0;
  bool after_type = false, before_was_type = false;
  for (const char *p = text; *p;) {
    if (isspace((unsigned char)*p)) {
      p++;
      continue;
    }
    if (p[0] == '/' && p[1] == '*') {
      const char *close = strstr(p + 2, "*/");
      p = close ? close + 2 : p + strlen(p);
      continue;
    }
    if (p[0] == '/' && p[1] == '/') {
      p += strcspn(p, "\n");
      continue;
    }
    const char *end = front_skip_token(p);
    bool is_name = isalpha((unsigned char)*p) || *p == '_';
    if (is_name && before != '.' && !(before == '>' && before_that == '-')) {
      const char *next = end + strspn(end, " \t\r\n");
      bool declared = after_type || (before == '*' && before_was_type);
      TL_PUSH(a, words, (word){p, (uint32_t)(end - p), *next, declared});
    }
    if (is_name && is_qualifier(p, (size_t)(end - p))) {
      p = end; /* what is behind it is what would be there without it */
      continue;
    }
    before_was_type = *p == '*' && after_type;
    after_type = is_name && !starts_statement(p, (size_t)(end - p));
    before_that = before;
    before = end[-1];
    p = end;
  }
  return words;
}

/* Every name of a text of the user's may be one that it needs; one too many is a declaration too many. */
static void need_names_in(dump *d, const char *text) {
  word_list words = words_of(d->f->arena, text);
  for (uint32_t i = 0; i < words.count; i++) {
    need_name(d, tl_arena_strndup(d->f->arena, words.data[i].start, words.data[i].length));
  }
}

/* Emitted code names its variables after the user's, and so perhaps after a function or an object: what a function
 * declares itself is not needed. */
static void need_names_in_emitted(dump *d, const char *text) {
  tl_arena *a = d->f->arena;
  while (*text) {
    const char *close = strstr(text, "\n}\n");
    const char *end = close ? close + 3 : text + strlen(text);
    word_list words = words_of(a, tl_arena_strndup(a, text, (size_t)(end - text)));
    for (uint32_t i = 0; i < words.count; i++) {
      bool local = false;
      for (uint32_t k = 0; k < words.count && !local; k++) {
        const word *w = &words.data[k];
        local = w->after_word && w->after != '(' && w->length == words.data[i].length &&
                memcmp(w->start, words.data[i].start, w->length) == 0;
      }
      if (!local || words.data[i].after == '(') {
        need_name(d, tl_arena_strndup(a, words.data[i].start, words.data[i].length));
      }
    }
    text = end;
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
      fprintf(out, "/* Not self-contained: `%s` is a variable of %s; here it keeps its first value. */\n", g,
              d->f->opts->file);
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
  for (int definitions = d->functions.count == 1; definitions < 2; definitions++) {
    for (uint32_t i = 0; i < unit->functions.count; i++) {
      const tl_function *function = unit->functions.data[i];
      if (!has_function(d, function)) {
        continue;
      }
      const char *source = without_storage(function->source);
      if (definitions) {
        fprintf(out, "static %s\n", source);
      } else {
        size_t head = strcspn(source, "{");
        while (head && isspace((unsigned char)source[head - 1])) {
          head--;
        }
        fprintf(out, "static %.*s;\n", (int)head, source);
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
  need_names_in_emitted(&d, bodies);
  fprintf(out, "/* Derivatives of functions of %s, written by tlalocc " TL_VERSION ". C99; link with -lm. */\n",
          f->opts->file);
  for (uint32_t i = 0; i < d.all.system_includes.count; i++) {
    fprintf(out, "#include %s\n", d.all.system_includes.data[i]);
  }
  write_decls(&d, out);
  write_primals(&d, out);
  fputc('\n', out);
  front_write_undefs(f, bodies, true, out);
  fputs(bodies, out);
  return !ferror(out);
}

/* ---- DXIR ---- */

static void print_after_pass(void *ctx, const char *pass, const tl_func *func) {
  front *f = ctx;
  if (strcmp(pass, f->opts->dump_ir_pass) == 0) {
    printf("// %s after %s\n", func->name, pass);
    tl_func_print(func, stdout);
  }
}

bool front_watch_pass(front *f) {
  const char *pass = f->opts->dump_ir_pass;
  if (!pass || strcmp(pass, "lower") == 0) {
    return true;
  }
  tl__pipeline_set_watch((tl_pipeline_watch){print_after_pass, f});
  return tl__pipeline_has_pass(pass);
}

void front_dump_ir(front *f) {
  const char *pass = f->opts->dump_ir_pass;
  bool lowered = pass && strcmp(pass, "lower") == 0;
  for (uint32_t i = 0; i < f->module->funcs.count; i++) {
    const tl_func *func = f->module->funcs.data[i];
    if (func->is_primal == lowered && (lowered || !pass)) {
      tl_func_print(func, stdout);
    }
  }
  fflush(stdout);
}
