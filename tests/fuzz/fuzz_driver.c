/* Any bytes as what the driver reads itself: a command line (one argument a line), C to be scanned for its includes,
 * cc's preprocessed text to be split into declarations. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cmdline.h"
#include "front_decls.h"
#include "scan.h"

enum { MOST_ARGUMENTS = 64 };

static const char *no_line(void *ctx, const char *file, uint32_t line) {
  (void)ctx, (void)file, (void)line;
  return "#include <math.h>";
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  tl_arena arena;
  tl_arena_init(&arena);
  char *text = tl_arena_strndup(&arena, (const char *)data, size);
  char *line = tl_arena_strdup(&arena, text), *argv[MOST_ARGUMENTS + 1] = {0};
  int argc = 0;
  argv[argc++] = line;
  for (char *word = strtok(line, "\n"); word && argc < MOST_ARGUMENTS; word = strtok(NULL, "\n")) {
    argv[argc++] = word[0] == '@' ? word + 1 : word; /* no files */
  }
  tl_cmdline cmdline;
  tl_cmdline_parse(&arena, argc, argv, &cmdline);
  if (cmdline.args.count != cmdline.kinds.count) {
    abort();
  }
  tl_cmdline nowhere;
  tl_cmdline_parse(&arena, 1, argv, &nowhere); /* no folder to search */
  tl_scan scan = {.arena = &arena, .cmdline = &nowhere};
  tl_scan_text(&scan, text, strlen(text), "/nowhere/");
  front_decls decls;
  front_read_decls(&arena, text, no_line, NULL, &decls);
  for (uint32_t i = 0; i < decls.decls.count; i++) {
    if (!decls.decls.data[i].text) {
      abort();
    }
  }
  tl_arena_deinit(&arena);
  return 0;
}
