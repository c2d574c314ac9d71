/* tl-opt: one pass, text to text.
 *
 *   tl-opt --pass=NAME FILE|-      parse, verify, run the pass over every function, verify, print
 *   tl-opt --list                  the passes' names
 *
 * Exit status: 0, 1 for errors in the text or after the pass, 2 for a wrong command line. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "ir/ir.h"
#include "transform/transform.h"

typedef struct pass {
  const char *name;
  void (*run)(tl_func *, tl_arena *scratch); /* NULL: nothing to do */
} pass;

static const pass passes[] = {
    {"none", NULL},
    {"simplify", tl__simplify_run},
    {"cse", tl__cse_run},
    {"dce", tl__dce_run},
    {"hoist", tl__hoist_run},
};
enum { PASS_COUNT = sizeof passes / sizeof *passes };

static const pass *find_pass(const char *name) {
  for (int i = 0; i < PASS_COUNT; i++) {
    if (!strcmp(passes[i].name, name)) {
      return &passes[i];
    }
  }
  return NULL;
}

static void print_diagnostics(const tl_diag *d) {
  static const char *const severities[] = {[TL_ERROR] = "error", [TL_WARNING] = "warning", [TL_NOTE] = "note"};
  for (uint32_t i = 0; i < d->items.count; i++) {
    const tl_diag_item *item = &d->items.data[i];
    if (item->loc.line) {
      fprintf(stderr, "%s:%u:%u: ", item->loc.file ? item->loc.file : "-", item->loc.line, item->loc.column);
    }
    fprintf(stderr, "%s: %s", severities[item->severity], item->message);
    if (item->code != TL_OK) {
      fprintf(stderr, " [%s]", tl_status_name(item->code));
    }
    fputc('\n', stderr);
  }
}

static char *read_all(FILE *in, size_t *out_length) {
  size_t room = 1 << 16, length = 0;
  char *text = tl__alloc(room);
  for (size_t n; (n = fread(text + length, 1, room - length, in)) > 0;) {
    length += n;
    if (length == room) {
      text = tl__realloc(text, room *= 2);
    }
  }
  *out_length = length;
  return text;
}

static tl_status transform(const char *file, const char *text, size_t length, const pass *p) {
  tl_arena arena, scratch;
  tl_arena_init(&arena);
  tl_arena_init(&scratch);
  tl_diag diag;
  tl_diag_init(&diag, &arena);
  tl_module *m = tl_module_create(&arena, &diag);
  tl_status status = tl_module_parse(m, file, text, length);
  if (status == TL_OK) {
    status = tl_module_verify(m);
  }
  if (status == TL_OK && p->run) {
    for (uint32_t i = 0; i < m->funcs.count; i++) {
      p->run(m->funcs.data[i], &scratch);
    }
    status = tl_module_verify(m);
    if (status != TL_OK) {
      tl_diag_note(&diag, (tl_loc){0}, "after pass '%s'", p->name);
    }
  }
  if (status == TL_OK) {
    tl_module_print(m, stdout);
  }
  print_diagnostics(&diag);
  tl_arena_deinit(&scratch);
  tl_arena_deinit(&arena);
  return status;
}

static int usage(void) {
  fputs("usage: tl-opt --pass=NAME FILE|-\n       tl-opt --list\n", stderr);
  return 2;
}

int main(int argc, char **argv) {
  const pass *p = &passes[0];
  const char *file = NULL;
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "--list")) {
      for (int k = 0; k < PASS_COUNT; k++) {
        puts(passes[k].name);
      }
      return 0;
    }
    if (!strncmp(argv[i], "--pass=", 7)) {
      p = find_pass(argv[i] + 7);
      if (!p) {
        fprintf(stderr, "tl-opt: there is no pass '%s'\n", argv[i] + 7);
        return 2;
      }
    } else if (file || (argv[i][0] == '-' && argv[i][1])) {
      return usage();
    } else {
      file = argv[i];
    }
  }
  if (!file) {
    return usage();
  }
  bool standard_input = !strcmp(file, "-");
  FILE *in = standard_input ? stdin : fopen(file, "rb");
  if (!in) {
    fprintf(stderr, "tl-opt: cannot read %s\n", file);
    return 1;
  }
  size_t length;
  char *text = read_all(in, &length);
  bool unreadable = ferror(in);
  if (!standard_input) {
    fclose(in);
  }
  if (unreadable) {
    fprintf(stderr, "tl-opt: cannot read %s\n", file);
  }
  tl_status status = unreadable ? TL_IR_INVALID : transform(file, text, length, p);
  tl__free(text);
  if (fflush(stdout)) {
    fputs("tl-opt: cannot write the result\n", stderr);
    return 1;
  }
  return status == TL_OK ? 0 : 1;
}
