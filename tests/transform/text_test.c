/* Text in, text out. A case is a file: a line "// passes: NAME...", functions in DXIR, a line "// gives", and the
 * functions that the passes make of them, as the printer writes them. With TL_RECORD_GOLDENS=1 in the environment the
 * second half is written anew. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ir/ir.h"
#include "transform/transform.h"

static const char *folder;
static bool records;

static char *read_file(const char *path, tl_arena *arena) {
  FILE *in = fopen(path, "rb");
  assert_non_null(in);
  fseek(in, 0, SEEK_END);
  size_t length = (size_t)ftell(in);
  rewind(in);
  char *text = tl_arena_alloc(arena, length + 1);
  assert_int_equal(fread(text, 1, length, in), length);
  fclose(in);
  return text;
}

static void run_passes(tl_module *m, const char *names, const char *path) {
  tl_arena scratch;
  tl_arena_init(&scratch);
  while (*names) {
    names += strspn(names, " ");
    size_t length = strcspn(names, " ");
    const char *name = tl_arena_strndup(m->arena, names, length);
    const tl_pass *pass = tl_pass_find(name);
    if (!pass) {
      fail_msg("%s: no pass '%s'", path, name);
      return;
    }
    for (uint32_t k = 0; k < m->funcs.count; k++) {
      pass->run(m->funcs.data[k], &scratch);
    }
    names += length;
  }
  tl_arena_deinit(&scratch);
}

static void check_valid(const tl_module *m, const char *path, const char *when) {
  if (tl_module_verify(m) != TL_OK) {
    fail_msg("%s, %s: %s", path, when, m->diag->items.data[0].message);
  }
}

static void check_case(const char *path) {
  static const char head[] = "// passes: ", mark[] = "// gives\n";
  tl_arena arena;
  tl_arena_init(&arena);
  char *text = read_file(path, &arena), *gives = strstr(text, mark), *line_end = strchr(text, '\n');
  if (strncmp(text, head, strlen(head)) || !line_end || (!gives && !records)) {
    fail_msg("%s has no '// passes: ' at its start or no '// gives'", path);
  }
  size_t length = gives ? (size_t)(gives - text) : strlen(text);
  tl_diag diag;
  tl_diag_init(&diag, &arena);
  tl_module *m = tl_module_create(&arena, &diag);
  if (tl_module_parse(m, path, text, length) != TL_OK) {
    fail_msg("%s:%u: %s", path, diag.items.data[0].loc.line, diag.items.data[0].message);
  }
  check_valid(m, path, "as written");
  run_passes(m, tl_arena_strndup(&arena, text + strlen(head), (size_t)(line_end - text) - strlen(head)), path);
  check_valid(m, path, "after the passes");
  char *printed;
  size_t printed_length;
  FILE *out = open_memstream(&printed, &printed_length);
  tl_module_print(m, out);
  fclose(out);
  if (records) {
    out = fopen(path, "wb");
    assert_non_null(out);
    fprintf(out, "%.*s%s%s", (int)length, text, mark, printed);
    fclose(out);
  } else if (strcmp(printed, gives + strlen(mark))) {
    fail_msg("%s gives\n%s", path, printed);
  }
  free(printed);
  tl_arena_deinit(&arena);
}

static void every_case(void **state) {
  (void)state;
  DIR *d = opendir(folder);
  assert_non_null(d);
  int cases = 0;
  for (struct dirent *e; (e = readdir(d));) {
    size_t length = strlen(e->d_name);
    if (length > 5 && !strcmp(e->d_name + length - 5, ".tlir")) {
      char path[4096];
      snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
      check_case(path);
      cases++;
    }
  }
  closedir(d);
  assert_true(cases > 0);
}

int main(int argc, char **argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: text_test FOLDER\n");
    return 2;
  }
  folder = argv[1];
  const char *record = getenv("TL_RECORD_GOLDENS");
  records = record && !strcmp(record, "1");
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_case)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
