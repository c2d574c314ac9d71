/* Prints the syntax tree of a C file: ast_dump [--sources] [--prototypes=FILE] FILE [cc arguments]. */
#include <string.h>

#include "dump.h"

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
    fputs("usage: ast_dump [--sources] [--prototypes=FILE] FILE [cc arguments]\n", stderr);
    return 2;
  }
  opts.file = argv[next++];
  opts.args = (const char *const *)argv + next;
  opts.arg_count = (uint32_t)(argc - next);
  tl_parse_result r;
  tl_status status = tl_parse_file(&arena, &diag, &opts, &r);
  dump_parse(stdout, &diag, &r, sources);
  tl_arena_deinit(&arena);
  return status == TL_OK ? 0 : 1;
}
