/* Any bytes as what the driver reads itself: a command line (one argument a line), C to be scanned for its includes,
 * cc's preprocessed text to be split into declarations and to have its file names changed, a dependency file. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cmdline.h"
#include "front_decls.h"
#include "memory_file.h"
#include "rewrite.h"
#include "scan.h"

enum { MOST_ARGUMENTS = 64 };

static const char *no_line(void *ctx, const char *file, uint32_t line) {
  (void)ctx, (void)file, (void)line;
  return "#include <math.h>";
}

/* A file that the scan passes over goes to cc as it is: whatever stands before it, an include of ours must be found. */
static void scan(tl_arena *arena, const tl_cmdline *nowhere, const char *text, size_t size) {
  tl_scan alone = {.arena = arena, .cmdline = nowhere};
  tl_scan_text(&alone, text, size, "/nowhere/");
  static const char include[] = "\n#include <tlaloc/grad.h>\n";
  char *longer = malloc(size + sizeof include - 1);
  if (!longer) {
    exit(1);
  }
  memcpy(longer, text, size);
  memcpy(longer + size, include, sizeof include - 1);
  tl_scan both = {.arena = arena, .cmdline = nowhere};
  if (!tl_scan_text(&both, longer, size + sizeof include - 1, "/nowhere/")) {
    abort();
  }
  free(longer);
}

/* The names are as short as inputs can hit. */
static void rewrite(tl_arena *arena, const char *text, size_t size) {
  tl_renamings names = {0};
  TL_PUSH(arena, names, (tl_renaming){"/t/0/a.c", "/t/0/", "s r/$a.c", "s r/", "/t/0/a.grad.c"});
  FILE *nothing = fopen("/dev/null", "w");
  if (!nothing || !tl_rewrite_preprocessed(arena, text, size, nothing, &names)) {
    abort();
  }
  fclose(nothing);
  memory_file_put(MEMORY_FILE, text, size);
  if (!tl_rewrite_dependencies(arena, MEMORY_FILE_PATH, &names)) {
    abort();
  }
  close(MEMORY_FILE);
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
    argv[argc++] = word[0] == '@' ? word + 1 : word; /* no files: fuzz_words has them */
  }
  tl_cmdline cmdline;
  tl_cmdline_parse(&arena, argc, argv, &cmdline);
  if (cmdline.args.count != cmdline.kinds.count) {
    abort();
  }
  tl_cmdline nowhere;
  tl_cmdline_parse(&arena, 1, argv, &nowhere); /* no folder to search */
  scan(&arena, &nowhere, (const char *)data, size);
  rewrite(&arena, text, size);
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
