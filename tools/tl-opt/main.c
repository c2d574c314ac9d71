/* tl-opt: one pass, text to text.
 *
 *   tl-opt --pass=NAME FILE|-      parse, verify, run the pass over every function, verify, print
 *   tl-opt --derive=NAME[:WRT,...] FILE|-   the pass pipeline, then that intrinsic over every function, verify, print
 *   tl-opt --list                  the passes' names
 *
 * Exit status: 0, 1 for errors in the text or after the pass, 2 for a wrong command line. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/diag_print.h"
#include "ir/ir.h"
#include "transform/derive.h"
#include "transform/transform.h"

static const tl_pass none = {"none", NULL};

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

/* "grad:x,y" applied to every function of the module; the derivatives stand after the functions. */
static tl_status derive_all(tl_module *m, const char *spec, tl_arena *scratch) {
  size_t length = strcspn(spec, ":");
  tl_derivation d = {.intrinsic = tl_intrinsic_find(spec, length)};
  if (d.intrinsic == TL_INTRINSIC_COUNT) {
    tl_diag_error(m->diag, TL_IR_INVALID, (tl_loc){0}, "there is no intrinsic '%s'", spec);
    return TL_IR_INVALID;
  }
  TL_VEC(const char *) wrt = {0};
  for (const char *at = spec + length; *at; at += length) {
    length = strcspn(++at, ",");
    TL_PUSH(m->arena, wrt, tl_arena_strndup(m->arena, at, length));
  }
  d.wrt = wrt.data;
  d.wrt_count = wrt.count;
  uint32_t count = m->funcs.count;
  for (uint32_t i = 0; i < count; i++) {
    tl__pipeline_run(m->funcs.data[i], scratch);
    d.name = tl_arena_printf(m->arena, "%s__%s", m->funcs.data[i]->name, tl_intrinsic_name(d.intrinsic));
    if (!tl_derive(m, m->funcs.data[i], &d)) {
      return TL_IR_INVALID;
    }
  }
  return tl_module_verify(m);
}

static tl_status transform_in(tl_arena *arena, tl_arena *scratch, const char *file, const char *text, size_t length,
                              const tl_pass *p, const char *derivation) {
  tl_diag diag;
  tl_diag_init(&diag, arena);
  tl_module *m = tl_module_create(arena, &diag);
  tl_status status = tl_module_parse(m, file, text, length);
  if (status == TL_OK) {
    status = tl_module_verify(m);
  }
  if (status == TL_OK && p->run) {
    for (uint32_t i = 0; i < m->funcs.count; i++) {
      p->run(m->funcs.data[i], scratch);
    }
    status = tl_module_verify(m);
    if (status != TL_OK) {
      tl_diag_note(&diag, (tl_loc){0}, "after pass '%s'", p->name);
    }
  }
  if (status == TL_OK && derivation) {
    status = derive_all(m, derivation, scratch);
  }
  if (status == TL_OK) {
    tl_module_print(m, stdout);
  }
  tl_diag_print(&diag, &(tl_diag_print_opts){.program = "tl-opt"}, stderr);
  return status;
}

/* The recovery point of memory exhaustion. */
static tl_status transform(const char *file, const char *text, size_t length, const tl_pass *p,
                           const char *derivation) {
  tl_arena arena, scratch;
  tl_arena_init(&arena);
  tl_arena_init(&scratch);
  tl_recovery recovery;
  tl__recovery_enter(&recovery);
  volatile tl_status status = TL_OUT_OF_MEMORY;
  if (!setjmp(recovery.jump)) {
    status = transform_in(&arena, &scratch, file, text, length, p, derivation);
    tl__recovery_leave(&recovery);
  } else {
    fprintf(stderr, "tl-opt: error: %s [%s]\n", tl_status_text(TL_OUT_OF_MEMORY), tl_status_name(TL_OUT_OF_MEMORY));
  }
  tl_arena_deinit(&scratch);
  tl_arena_deinit(&arena);
  return status;
}

static int usage(void) {
  fputs("usage: tl-opt --pass=NAME FILE|-\n       tl-opt --derive=NAME[:WRT,...] FILE|-\n       tl-opt --list\n",
        stderr);
  return 2;
}

int main(int argc, char **argv) {
  const tl_pass *p = &none;
  const char *file = NULL, *derivation = NULL;
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "--list")) {
      puts(none.name);
      for (uint32_t k = 0; k < tl_pass_count; k++) {
        puts(tl_passes[k].name);
      }
      return 0;
    }
    if (!strncmp(argv[i], "--derive=", 9)) {
      derivation = argv[i] + 9;
    } else if (!strncmp(argv[i], "--pass=", 7)) {
      p = strcmp(argv[i] + 7, none.name) == 0 ? &none : tl_pass_find(argv[i] + 7);
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
  tl_status status = unreadable ? TL_IR_INVALID : transform(file, text, length, p, derivation);
  tl__free(text);
  if (fflush(stdout)) {
    fputs("tl-opt: cannot write the result\n", stderr);
    return 1;
  }
  return status == TL_OK ? 0 : 1;
}
