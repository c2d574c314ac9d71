/* tlaloc-front: translates the intrinsics of one C file. Started by tlalocc; see front_protocol.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "files.h"
#include "front.h"

/* ---- source lines for diagnostics and comments ---- */

typedef struct source_file {
  const char *name;
  TL_VEC(const char *) lines;
} source_file;

static TL_VEC(source_file *) source_files; /* one run, one thread */

static void split_lines(tl_arena *a, source_file *s, const char *text) {
  while (*text) {
    size_t n = strcspn(text, "\r\n");
    TL_PUSH(a, s->lines, tl_arena_strndup(a, text, n));
    text += n;
    text += *text == '\r';
    text += *text == '\n';
  }
}

const char *front_source_line(void *ctx, const char *file, uint32_t line) {
  front *f = ctx;
  if (!file || !line) {
    return NULL;
  }
  source_file *s = NULL;
  for (uint32_t i = 0; i < source_files.count && !s; i++) {
    if (strcmp(source_files.data[i]->name, file) == 0) {
      s = source_files.data[i];
    }
  }
  if (!s) {
    s = TL_NEW(f->arena, source_file);
    s->name = tl_arena_strdup(f->arena, file);
    size_t length;
    const char *text = strcmp(file, f->opts->file) == 0 ? f->text : tl_path_read(f->arena, file, &length);
    if (text) {
      split_lines(f->arena, s, text);
    }
    TL_PUSH(f->arena, source_files, s);
  }
  return line <= s->lines.count ? s->lines.data[line - 1] : NULL;
}

/* ---- options ---- */

static const char *value_of(const char *arg, const char *option) {
  size_t n = strlen(option);
  return strncmp(arg, option, n) == 0 ? arg + n : NULL;
}

static bool parse_options(tl_arena *a, int argc, char **argv, front_opts *o) {
  int i = 1;
  for (; i < argc && strcmp(argv[i], "--") != 0; i++) {
    const char *arg = argv[i], *v;
    if ((v = value_of(arg, "--file="))) {
      o->file = v;
    } else if ((v = value_of(arg, "--read="))) {
      o->read = v;
    } else if ((v = value_of(arg, "--out="))) {
      o->out = v;
    } else if ((v = value_of(arg, "--generated="))) {
      o->generated = v;
    } else if ((v = value_of(arg, "--preprocessed="))) {
      o->preprocessed = v;
    } else if ((v = value_of(arg, "--fail-allocation="))) {
      o->fail_allocation = strtoull(v, NULL, 10);
    } else if ((v = value_of(arg, "--dump-source="))) {
      TL_PUSH(a, o->dump_source, v);
    } else if (strcmp(arg, "--dump-ir") == 0) {
      o->dump_ir = true;
    } else if ((v = value_of(arg, "--dump-ir="))) {
      o->dump_ir = true;
      o->dump_ir_pass = v;
    } else if (strcmp(arg, "--no-strict-lowering") == 0) {
      o->no_strict_lowering = true;
    } else if (strcmp(arg, "--diagnostics-format=json") == 0) {
      o->json = true;
    } else if (strcmp(arg, "--unsafe-allow-unsupported-clang") == 0) {
      o->allow_any_clang = true;
    } else if (strcmp(arg, "-w") == 0) {
      o->warnings_off = true;
    } else if (strcmp(arg, "-Werror") == 0) {
      o->warnings_are_errors = true;
    } else if (value_of(arg, "-W")) {
      TL_PUSH(a, o->warnings, arg);
    } else {
      return false;
    }
  }
  for (i++; i < argc; i++) {
    TL_PUSH(a, o->cc_args, argv[i]);
  }
  o->read = o->read ? o->read : o->file;
  return o->file && o->out && o->generated;
}

/* Streams that were open hold memory that nothing names any more: the process ends at once. */
static _Noreturn void out_of_memory(void) {
  fputs("tlalocc: error: an allocation failed [OUT_OF_MEMORY]\n", stderr);
  fflush(stderr);
  _exit(TL_FRONT_FAILED);
}

/* ---- the run ---- */

static void print_diagnostics(front *f) {
  tl_warning_opts warnings = {f->opts->warnings.count, f->opts->warnings.data, f->opts->warnings_off,
                              f->opts->warnings_are_errors};
  tl_diag_apply_warning_options(&f->diag, &warnings);
  tl_diag_print_opts print = {.json = f->opts->json, .source_line = front_source_line, .ctx = f};
  tl_diag_print(&f->diag, &print, stderr);
}

static bool write_dump(front *f, const char *path) {
  FILE *out = strcmp(path, "-") == 0 ? stdout : fopen(path, "w");
  bool ok = out && front_write_dump(f, out);
  return (out == stdout ? fflush(out) == 0 : out && fclose(out) == 0) && ok;
}

/* cc's preprocessor may take other branches than libclang's: what the targets' primals reach must be the same program.
 */
static void compare_with_cc(front *f) {
  front_function_list reached = {0};
  front_expr_list intrinsics = {0};
  for (uint32_t i = 0; i < f->targets.count; i++) {
    front_reach(f, f->targets.data[i].request->primal, &reached, &intrinsics);
  }
  TL_VEC(tl_function *) functions = {0};
  for (uint32_t i = 0; i < reached.count; i++) {
    if (reached.data[i]->body) {
      TL_PUSH(f->arena, functions, tl_unit_find(f->parse.unit, reached.data[i]->name));
    }
  }
  tl_parse_opts p = front_parse_opts(f);
  tl_front_compare(f->arena, &f->diag, &p, f->parse.unit, f->preprocessed, functions.count, functions.data);
}

/* Emitted code spells 64-bit integers as an LP64 target does. */
static bool check_target(front *f) {
  for (uint32_t i = 0; i < f->opts->cc_args.count; i++) {
    const char *arg = f->opts->cc_args.data[i];
    if (strcmp(arg, "-m32") == 0 || strcmp(arg, "-mx32") == 0) {
      tl_diag_error(&f->diag, TL_UNSUPPORTED_CONSTRUCT, (tl_loc){.file = f->opts->file},
                    "derivatives are made for targets whose long and pointers have 64 bits, and %s asks for another",
                    arg);
      return false;
    }
  }
  return true;
}

static tl_front_status run(front *f) {
  const front_opts *o = f->opts;
  if (!check_target(f)) {
    print_diagnostics(f);
    return TL_FRONT_FAILED;
  }
  f->text = tl_path_read(f->arena, o->read, &f->length);
  if (!f->text) {
    return TL_FRONT_NOTHING; /* cc says so */
  }
  if (!front_watch_pass(f)) {
    fprintf(stderr, "tlalocc: error: there is no pass '%s' to dump after\n", o->dump_ir_pass);
    return TL_FRONT_FAILED;
  }
  size_t length;
  f->preprocessed = o->preprocessed ? tl_path_read(f->arena, o->preprocessed, &length) : NULL;
  tl_status status = front_derive_all(f);
  if (status == TL_OK && f->parse.syntax_errors) {
    return front_write_syntax_copy(f) ? TL_FRONT_SYNTAX : TL_FRONT_FAILED;
  }
  if (status == TL_OK && !f->diag.errors && f->preprocessed) {
    compare_with_cc(f);
  }
  if (status == TL_OK && !f->diag.errors && f->parse.requests.count) {
    f->bodies = front_emit_bodies(f, false, &f->bodies_length); /* the emitter warns too */
  }
  if (status == TL_OUT_OF_MEMORY) {
    out_of_memory();
  }
  print_diagnostics(f);
  if (status != TL_OK || f->diag.errors) {
    return TL_FRONT_FAILED;
  }
  if (!f->parse.requests.count) {
    return TL_FRONT_NOTHING;
  }
  if (o->dump_ir) {
    front_dump_ir(f);
  }
  bool ok = front_write_copy(f);
  for (uint32_t i = 0; i < o->dump_source.count && ok; i++) {
    ok = write_dump(f, o->dump_source.data[i]);
    if (!ok) {
      fprintf(stderr, "tlalocc: error: cannot write %s: %s\n", o->dump_source.data[i], strerror(errno));
    }
  }
  return ok ? TL_FRONT_TRANSLATED : TL_FRONT_FAILED;
}

int main(int argc, char **argv) {
  tl_arena arena;
  tl_arena_init(&arena);
  front_opts opts = {0};
  front f = {.arena = &arena, .opts = &opts};
  tl_recovery recovery;
  tl__recovery_enter(&recovery);
  if (setjmp(recovery.jump)) {
    out_of_memory();
  }
  tl_diag_init(&f.diag, &arena);
  if (!parse_options(&arena, argc, argv, &opts)) {
    fputs("tlaloc-front: this program is started by tlalocc\n", stderr);
    return TL_FRONT_FAILED;
  }
  tl__alloc_fail_at(opts.fail_allocation);
  tl_front_status status = run(&f);
  tl__recovery_leave(&recovery);
  tl_arena_deinit(&arena);
  return (int)status;
}
