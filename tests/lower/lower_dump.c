/* lower_dump [-q] [-I... -D...] FILE [FUNCTION...]: prints the DXIR of the functions that are defined in a C file; with
 * -q only whether each could be lowered. */
#include <string.h>

#include "front/lower.h"
#include "front/parse.h"

enum { MAX_ARGS = 64 };

static bool wanted(uint32_t count, char **names, const char *name) {
  for (uint32_t i = 0; i < count; i++) {
    if (!strcmp(names[i], name)) {
      return true;
    }
  }
  return count == 0;
}

static void print_diag(const tl_diag *diag, uint32_t from) {
  for (uint32_t i = from; i < diag->items.count; i++) {
    const tl_diag_item *d = &diag->items.data[i];
    fprintf(stderr, "%s:%u:%u: %s: %s [%s]\n", d->loc.file ? d->loc.file : "?", d->loc.line, d->loc.column,
            d->severity == TL_ERROR     ? "error"
            : d->severity == TL_WARNING ? "warning"
                                        : "note",
            d->message, tl_status_name(d->code));
  }
}

int main(int argc, char **argv) {
  const char *args[MAX_ARGS] = {"-I" TL_INCLUDE_DIR};
  uint32_t arg_count = 1;
  bool quiet = false;
  int at = 1;
  for (; at < argc && argv[at][0] == '-' && arg_count < MAX_ARGS; at++) {
    if (!strcmp(argv[at], "-q")) {
      quiet = true;
    } else {
      args[arg_count++] = argv[at];
    }
  }
  if (at >= argc) {
    return 2;
  }
  const char *file = argv[at++];
  tl_arena arena;
  tl_diag diag;
  tl_arena_init(&arena);
  tl_diag_init(&diag, &arena);
  tl_parse_opts opts = {.file = file, .args = args, .arg_count = arg_count};
  tl_parse_result r;
  int status = tl_parse_file(&arena, &diag, &opts, &r) != TL_OK;
  print_diag(&diag, 0);
  if (!status) {
    tl_module *m = tl_module_create(&arena, &diag);
    tl_lower_opts lower = {0};
    for (uint32_t i = 0; i < r.unit->functions.count; i++) {
      const tl_function *f = r.unit->functions.data[i];
      if (!f->body || !f->loc.file || strcmp(f->loc.file, file) != 0 ||
          !wanted((uint32_t)(argc - at), argv + at, f->name)) {
        continue;
      }
      uint32_t seen = diag.items.count;
      tl_func *func = tl_lower_function(m, r.unit, f, &lower);
      if (func) {
        if (!quiet) {
          tl_func_print(func, stdout);
        }
        status = tl_func_verify(func) != TL_OK || status;
      }
      if (quiet) {
        printf("%s %s\n", diag.items.count == seen ? "yes" : "no ", f->name);
        fflush(stdout);
      }
      print_diag(&diag, seen);
    }
  }
  status = status || diag.errors;
  tl_arena_deinit(&arena);
  return status;
}
