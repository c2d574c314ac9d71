/* lower_dump FILE [FUNCTION...]: prints the DXIR of the functions that are defined in a C file. */
#include <string.h>

#include "front/lower.h"
#include "front/parse.h"

static bool wanted(int argc, char **argv, const char *name) {
  for (int i = 2; i < argc; i++) {
    if (!strcmp(argv[i], name)) {
      return true;
    }
  }
  return argc == 2;
}

int main(int argc, char **argv) {
  if (argc < 2) {
    return 2;
  }
  tl_arena arena;
  tl_diag diag;
  tl_arena_init(&arena);
  tl_diag_init(&diag, &arena);
  static const char *const args[] = {"-I" TL_INCLUDE_DIR};
  tl_parse_opts opts = {.file = argv[1], .args = args, .arg_count = 1};
  tl_parse_result r;
  int status = tl_parse_file(&arena, &diag, &opts, &r) != TL_OK;
  if (!status) {
    tl_module *m = tl_module_create(&arena, &diag);
    tl_lower_opts lower = {0};
    for (uint32_t i = 0; i < r.unit->functions.count; i++) {
      const tl_function *f = r.unit->functions.data[i];
      if (f->body && f->loc.file && !strcmp(f->loc.file, argv[1]) && wanted(argc, argv, f->name)) {
        tl_func *func = tl_lower_function(m, r.unit, f, &lower);
        if (func) {
          tl_func_print(func, stdout);
          status = tl_func_verify(func) != TL_OK || status;
        }
      }
    }
  }
  for (uint32_t i = 0; i < diag.items.count; i++) {
    const tl_diag_item *d = &diag.items.data[i];
    fprintf(stderr, "%s:%u:%u: %s: %s [%s]\n", d->loc.file ? d->loc.file : "?", d->loc.line, d->loc.column,
            d->severity == TL_ERROR ? "error" : d->severity == TL_WARNING ? "warning" : "note", d->message,
            tl_status_name(d->code));
  }
  status = status || diag.errors;
  tl_arena_deinit(&arena);
  return status;
}
