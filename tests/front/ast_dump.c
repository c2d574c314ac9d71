/* Prints the syntax tree of a C file: ast_dump [--prototypes=FILE] [--locations] FILE [cc arguments]. Made for the
 * goldens beside it. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "front/ast_print.h"
#include "front/parse.h"

static char *read_text(tl_arena *arena, const char *path) {
  FILE *f = fopen(path, "r");
  if (!f) {
    return NULL;
  }
  char *text = tl_arena_alloc(arena, 1 << 20);
  size_t n = fread(text, 1, (1 << 20) - 1, f);
  text[n] = '\0';
  fclose(f);
  return text;
}

static void print_diagnostics(const tl_diag *diag) {
  for (uint32_t i = 0; i < diag->items.count; i++) {
    const tl_diag_item *d = &diag->items.data[i];
    printf("%u:%u-%u: %s: %s [%s]\n", d->loc.line, d->loc.column, d->loc.end_column,
           d->severity == TL_ERROR ? "error" : "other", d->message, tl_status_name(d->code));
  }
}

static void print_requests(const tl_parse_result *r) {
  for (uint32_t i = 0; i < r->requests.count; i++) {
    const tl_request *q = &r->requests.data[i];
    printf("(request %s of %s%s at %u:%u", q->name, q->primal_name, q->primal ? "" : " (unknown)", q->loc.line, q->loc.column);
    for (uint32_t k = 0; k < q->steps.count; k++) {
      printf(" (%s", q->steps.data[k].intrinsic);
      for (uint32_t w = 0; w < q->steps.data[k].wrt.count; w++) {
        printf(" %s", q->steps.data[k].wrt.data[w]);
      }
      printf(")");
    }
    printf(")\n");
  }
}

int main(int argc, char **argv) {
  tl_arena arena;
  tl_diag diag;
  tl_arena_init(&arena);
  tl_diag_init(&diag, &arena);
  tl_parse_opts opts = {0};
  bool sources = false;
  int next = 1;
  for (; next < argc && strncmp(argv[next], "--", 2) == 0; next++) {
    if (strncmp(argv[next], "--prototypes=", 13) == 0) {
      opts.prototypes = read_text(&arena, argv[next] + 13);
    } else if (strcmp(argv[next], "--sources") == 0) {
      sources = true;
    }
  }
  if (next >= argc) {
    return 2;
  }
  opts.file = argv[next++];
  opts.args = (const char *const *)argv + next;
  opts.arg_count = (uint32_t)(argc - next);
  tl_parse_result r;
  tl_status status = tl_parse_file(&arena, &diag, &opts, &r);
  print_diagnostics(&diag);
  if (status == TL_OK) {
    printf("%s", r.syntax_errors ? "syntax errors\n" : "");
    print_requests(&r);
    for (uint32_t i = 0; i < r.unit->globals.count; i++) {
      tl_ast_print_decl(stdout, r.unit->globals.data[i]);
      printf("\n");
    }
    for (uint32_t i = 0; i < r.unit->functions.count; i++) {
      const tl_function *f = r.unit->functions.data[i];
      if (f->body || strcmp(f->loc.file ? f->loc.file : "", opts.file) == 0) {
        tl_ast_print_function(stdout, f);
        if (sources && f->source) {
          printf("source <<%s>>\n", f->source);
        }
      }
    }
  }
  tl_arena_deinit(&arena);
  return status == TL_OK ? 0 : 1;
}
