#include "dump.h"

#include <string.h>

#include "front/ast_print.h"

char *read_text(tl_arena *arena, const char *path) {
  FILE *f = fopen(path, "r");
  if (!f) {
    return NULL;
  }
  enum { MOST = 1 << 20 };
  char *text = tl_arena_alloc(arena, MOST);
  size_t n = fread(text, 1, MOST - 1, f);
  text[n] = '\0';
  fclose(f);
  return text;
}

static void print_requests(FILE *out, const tl_parse_result *r) {
  for (uint32_t i = 0; i < r->requests.count; i++) {
    const tl_request *q = &r->requests.data[i];
    fprintf(out, "(request %s of %s%s at", q->name, q->primal_name, q->primal ? "" : " (unknown)");
    for (uint32_t k = 0; k < q->uses.count; k++) {
      fprintf(out, " %u:%u", q->uses.data[k].line, q->uses.data[k].column);
    }
    for (uint32_t k = 0; k < q->steps.count; k++) {
      fprintf(out, " (%s", tl_intrinsic_name(q->steps.data[k].intrinsic));
      for (uint32_t w = 0; w < q->steps.data[k].wrt.count; w++) {
        fprintf(out, " %s", q->steps.data[k].wrt.data[w]);
      }
      fputc(')', out);
    }
    if (q->clash) {
      fprintf(out, " clash %s", q->clash);
    }
    fputs(")\n", out);
  }
}

void dump_parse(FILE *out, const tl_diag *diag, const tl_parse_result *r, bool sources) {
  for (uint32_t i = 0; i < diag->items.count; i++) {
    const tl_diag_item *d = &diag->items.data[i];
    fprintf(out, "%u:%u-%u: %s: %s [%s]\n", d->loc.line, d->loc.column, d->loc.end_column,
            d->severity == TL_ERROR ? "error" : "note", d->message, tl_status_name(d->code));
  }
  if (!r->unit) {
    return;
  }
  if (r->syntax_errors) {
    fprintf(out, "syntax error at %u:%u: %s\n", r->syntax_loc.line, r->syntax_loc.column, r->syntax_message);
  }
  print_requests(out, r);
  for (uint32_t i = 0; i < r->unit->globals.count; i++) {
    tl_ast_print_decl(out, r->unit->globals.data[i]);
    fputc('\n', out);
  }
  for (uint32_t i = 0; i < r->unit->functions.count; i++) {
    const tl_function *f = r->unit->functions.data[i];
    if (f->body || (f->loc.file && strcmp(f->loc.file, r->unit->file) == 0)) {
      tl_ast_print_function(out, f);
      if (sources && f->source) {
        fprintf(out, "source <<%s>>\n", f->source);
      }
    }
  }
}
