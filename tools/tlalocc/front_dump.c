/* The dump: the derivatives as a C file that stands alone, with what they need of the user's file copied before them.
 */
#include <ctype.h>
#include <string.h>

#include "base/ctext.h"
#include "base/name.h"
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

/* What a name may mean in C at file scope. TYPE: also a constant that an enumeration lists. */
typedef enum meaning { TYPE, OBJECT, FUNCTION } meaning;

static bool declares(const front_decl *decl, const char *name, meaning m) {
  for (uint32_t i = 0; i < decl->names.count; i++) {
    bool is_type = i < decl->type_count;
    bool fits = m == TYPE ? is_type : !is_type && decl->is_prototype == (m == FUNCTION);
    if (fits && strcmp(decl->names.data[i], name) == 0) {
      return true;
    }
  }
  return false;
}

static void need_names_in_decl(dump *d, const char *text);
static void need_names_in_source(dump *d, const tl_function *function);

static void need(dump *d, const char *name, meaning m) {
  const tl_function *function = m == FUNCTION ? tl_unit_find(d->f->parse.unit, name) : NULL;
  if (function && function->source) {
    if (!has_function(d, function)) {
      TL_PUSH(d->f->arena, d->functions, function);
      need_names_in_source(d, function);
    }
    return;
  }
  for (uint32_t i = 0; i < d->all.decls.count; i++) {
    const front_decl *decl = &d->all.decls.data[i];
    if (!decl->is_function && !d->wanted[i] && declares(decl, name, m)) {
      d->wanted[i] = true;
      need_names_in_decl(d, decl->text);
    }
  }
}

/* ---- names in a text ---- */

typedef struct word {
  const char *text;
  bool called;   /* before a '(' */
  bool extent;   /* between square brackets */
  bool assigned; /* behind a '=' */
} word;

typedef TL_VEC(word) word_list;
typedef TL_VEC(const char *) name_list;

/* The identifiers of a C text; strings, comments, numbers and members are left out. */
static word_list words_of(tl_arena *a, const char *text) {
  word_list words = {0};
  char before = 0, before_that = 0;
  int brackets = 0;
  bool assigned = false;
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
      const char *name = tl_arena_strndup(a, p, (size_t)(end - p));
      TL_PUSH(a, words, (word){name, end[strspn(end, " \t\r\n")] == '(', brackets > 0, assigned});
    }
    brackets += *p == '[';
    brackets -= *p == ']';
    assigned |= *p == '=';
    before_that = before;
    before = end[-1];
    p = end;
  }
  return words;
}

static bool has_name(const name_list *names, const char *name) {
  for (uint32_t i = 0; i < names->count; i++) {
    if (strcmp(names->data[i], name) == 0) {
      return true;
    }
  }
  return false;
}

/* The names of a body in which those of `locals` are its own. */
static void need_names_in_body(dump *d, const char *text, const name_list *locals) {
  word_list words = words_of(d->f->arena, text);
  for (uint32_t i = 0; i < words.count; i++) {
    const word *w = &words.data[i];
    need(d, w->text, TYPE);
    if (!has_name(locals, w->text)) {
      need(d, w->text, w->called ? FUNCTION : OBJECT);
    }
  }
}

/* A declaration at file scope names types wherever it may, objects in extents, and all in what it assigns; a member or
 * a parameter of another's name is none of these. */
static void need_names_in_decl(dump *d, const char *text) {
  word_list words = words_of(d->f->arena, text);
  for (uint32_t i = 0; i < words.count; i++) {
    const word *w = &words.data[i];
    need(d, w->text, TYPE);
    if (w->assigned || w->extent) {
      need(d, w->text, OBJECT);
    }
    if (w->assigned) {
      need(d, w->text, FUNCTION);
    }
  }
}

/* ---- of the user's functions ---- */

typedef struct body_names {
  dump *d;
  name_list locals;
} body_names;

static void name_expr(tl_ast_walk *w, const tl_expr *e) {
  const body_names *b = w->ctx;
  if (e->function) {
    need(b->d, e->function->name, FUNCTION);
  }
  if (e->decl && e->decl->storage == TL_STORAGE_FILE) {
    need(b->d, e->decl->name, OBJECT);
  }
}

static void name_stmt(tl_ast_walk *w, const tl_stmt *s) {
  body_names *b = w->ctx;
  for (uint32_t i = 0; i < s->decls.count; i++) {
    TL_PUSH(b->d->f->arena, b->locals, s->decls.data[i]->name);
  }
}

/* The tree tells what is the function's own and what it names, but has only the value of a sizeof and the like: what
 * such name is in the text. */
static void need_names_in_source(dump *d, const tl_function *function) {
  body_names b = {.d = d};
  for (uint32_t i = 0; i < function->params.count; i++) {
    TL_PUSH(d->f->arena, b.locals, function->params.data[i]->name);
  }
  tl_ast_walk w = {.expr = name_expr, .stmt = name_stmt, .ctx = &b};
  tl_ast_walk_stmt(&w, function->body);
  need_names_in_body(d, function->source, &b.locals);
}

/* ---- of emitted text ---- */

/* Of what an emitted function declares only parameters may be called as an object is, and then it reads no such object.
 */
static void need_names_in_definitions(dump *d, const char *text) {
  tl_arena *a = d->f->arena;
  while (*text) {
    const char *close = strstr(text, "\n}\n");
    const char *end = close ? close + 3 : text + strlen(text);
    const char *function = tl_arena_strndup(a, text, (size_t)(end - text));
    word_list head = words_of(a, tl_arena_strndup(a, function, strcspn(function, "{")));
    name_list params = {0};
    for (uint32_t i = 0; i < head.count; i++) {
      if (!head.data[i].extent && !head.data[i].called) {
        TL_PUSH(a, params, head.data[i].text);
      }
    }
    need_names_in_body(d, function, &params);
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
    if (g->name && t && !t->is_const && declares(decl, g->name, OBJECT)) {
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
              tl_comment_escape(d->f->arena, d->f->opts->file));
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
      if (strncmp(source, words[i], n) == 0 && !tl_in_name(source[n])) {
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
  fprintf(out, "\n/* Copied from %s. */\n", tl_comment_escape(d->f->arena, d->f->opts->file));
  const tl_unit *unit = d->f->parse.unit;
  for (int definitions = d->functions.count == 1; definitions < 2; definitions++) {
    for (uint32_t i = 0; i < unit->functions.count; i++) {
      const tl_function *function = unit->functions.data[i];
      if (!has_function(d, function)) {
        continue;
      }
      const char *source = without_storage(function->source);
      if (definitions) {
        size_t length = strlen(source);
        while (length && isspace((unsigned char)source[length - 1])) {
          length--;
        }
        fprintf(out, "static %.*s\n", (int)length, source);
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

/* ---- #include lines ---- */

static void include(front *f, front_decls *all, const char *name) {
  for (uint32_t i = 0; i < all->system_includes.count; i++) {
    if (strcmp(all->system_includes.data[i], name) == 0) {
      return;
    }
  }
  TL_PUSH(f->arena, all->system_includes, name);
}

/* The emitter's own, which join those of the user's file: each once. Returns the text behind them. */
static const char *take_includes(front *f, const char *helpers, front_decls *all) {
  const char *p = helpers;
  while (strncmp(p, "#include ", 9) == 0 || *p == '\n') {
    size_t n = strcspn(p, "\n");
    if (n) {
      include(f, all, tl_arena_strndup(f->arena, p + 9, n - 9));
    }
    p += n + (p[n] == '\n');
  }
  return p;
}

static bool names_complex(const char *name) {
  static const char *const functions[] = {"carg", "cimag", "conj", "cproj", "creal"};
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    size_t n = strlen(functions[i]);
    if (strncmp(name, functions[i], n) == 0 && strchr("fl", name[n]) && (!name[n] || !name[n + 1])) {
      return true;
    }
  }
  return strcmp(name, "_Complex") == 0;
}

/* What the user wrote with <tgmath.h> is copied with the names of what it calls, of <math.h> and perhaps <complex.h>.
 */
static void replace_tgmath(dump *d) {
  front_decls *all = &d->all;
  uint32_t count = all->system_includes.count, kept = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (strcmp(all->system_includes.data[i], "<tgmath.h>") != 0) {
      all->system_includes.data[kept++] = all->system_includes.data[i];
    }
  }
  all->system_includes.count = kept;
  if (kept == count) {
    return;
  }
  include(d->f, all, "<math.h>");
  for (uint32_t i = 0; i < d->functions.count; i++) {
    word_list words = words_of(d->f->arena, d->functions.data[i]->source);
    for (uint32_t k = 0; k < words.count; k++) {
      if (names_complex(words.data[k].text)) {
        include(d->f, all, "<complex.h>");
      }
    }
  }
}

bool front_write_dump(front *f, FILE *out) {
  front_emitted emitted;
  front_emit(f, true, &emitted);
  dump d = {.f = f};
  front_read_decls(f->arena, f->preprocessed ? f->preprocessed : "", front_source_line, f, &d.all);
  const char *helpers = take_includes(f, emitted.helpers, &d.all);
  d.wanted = TL_NEW_ARRAY(f->arena, bool, d.all.decls.count + 1);
  need_names_in_decl(&d, emitted.prototypes);
  need_names_in_definitions(&d, emitted.definitions);
  replace_tgmath(&d);
  fprintf(out, "/* Derivatives of functions of %s, written by tlalocc " TL_VERSION ". C99; link with -lm. */\n",
          tl_comment_escape(f->arena, f->opts->file));
  for (uint32_t i = 0; i < d.all.system_includes.count; i++) {
    fprintf(out, "#include %s\n", d.all.system_includes.data[i]);
  }
  front_write_undefs(f, tl_arena_printf(f->arena, "%s%s", helpers, emitted.definitions), true, out);
  write_decls(&d, out);
  fprintf(out, "\n%s", emitted.prototypes);
  write_primals(&d, out);
  fprintf(out, "%s%s%s", *helpers ? "\n" : "", helpers, emitted.definitions);
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
