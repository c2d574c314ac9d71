/* Emits the functions of a DXIR text as C: emit_text FILE [--source FILE]. With --source, comments quote that file's
 * lines. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "emit/c/emit_c.h"

typedef struct source {
  char *text;
  char line[512];
} source;

static char *read_file(const char *path, size_t *out_length) {
  FILE *f = strcmp(path, "-") ? fopen(path, "rb") : stdin;
  if (!f) {
    return NULL;
  }
  size_t room = 1 << 16, n = 0, got;
  char *text = tl__alloc(room + 1);
  while ((got = fread(text + n, 1, room - n, f)) > 0) {
    n += got;
    if (n == room) {
      room *= 2;
      text = tl__realloc(text, room + 1);
    }
  }
  text[n] = 0;
  if (f != stdin) {
    fclose(f);
  }
  *out_length = n;
  return text;
}

static const char *source_line(void *ctx, const char *file, uint32_t line) {
  source *s = ctx;
  (void)file;
  const char *p = s->text;
  for (uint32_t i = 1; p && i < line; i++) {
    p = strchr(p, '\n');
    p = p ? p + 1 : NULL;
  }
  if (!p) {
    return NULL;
  }
  snprintf(s->line, sizeof s->line, "%.*s", (int)strcspn(p, "\n"), p);
  return s->line;
}

int main(int argc, char **argv) {
  if (argc != 2 && argc != 4) {
    fprintf(stderr, "usage: emit_text FILE [--source FILE]\n");
    return 2;
  }
  size_t length;
  char *text = read_file(argv[1], &length);
  source src = {0};
  if (argc == 4) {
    src.text = read_file(argv[3], &(size_t){0});
  }
  tl_arena arena;
  tl_arena_init(&arena);
  tl_diag diag;
  tl_diag_init(&diag, &arena);
  tl_module *m = tl_module_create(&arena, &diag);
  tl_status status = text ? tl_module_parse(m, argv[1], text, length) : TL_OUT_OF_MEMORY;
  status = status == TL_OK ? tl_module_verify(m) : status;
  if (status == TL_OK) {
    tl_emit_opts opts = {.source_comments = src.text != NULL, .source_line = source_line, .ctx = &src};
    tl_emit_needs needs = {0};
    char *functions = NULL;
    size_t size;
    FILE *out = open_memstream(&functions, &size);
    for (uint32_t i = 0; i < m->funcs.count; i++) {
      fputc('\n', out);
      tl_emit_c_function(m->funcs.data[i], &opts, &needs, out);
    }
    fclose(out);
    tl_emit_c_helpers(&needs, stdout);
    fwrite(functions, 1, size, stdout);
    free(functions);
  }
  for (uint32_t i = 0; i < diag.items.count; i++) {
    const tl_diag_item *d = &diag.items.data[i];
    fprintf(stderr, "%s:%u: %s%s%s\n", d->loc.file ? d->loc.file : argv[1], d->loc.line, d->warning ? d->warning : "",
            d->warning ? ": " : "", d->message);
  }
  tl_arena_deinit(&arena);
  tl__free(text);
  tl__free(src.text);
  return status != TL_OK;
}
