/* The translation of one file, from its text to the copy, the bodies and the dumps. */
#include <errno.h>
#include <string.h>

#include "files.h"
#include "front.h"

/* ---- source lines for diagnostics and comments ---- */

static void split_lines(tl_arena *a, front_source *s, const char *text) {
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
  front_source *s = NULL;
  for (uint32_t i = 0; i < f->sources.count && !s; i++) {
    if (strcmp(f->sources.data[i]->name, file) == 0) {
      s = f->sources.data[i];
    }
  }
  if (!s) {
    s = TL_NEW(f->arena, front_source);
    s->name = tl_arena_strdup(f->arena, file);
    size_t length;
    const char *text = strcmp(file, f->opts->file) == 0 ? f->text : tl_path_read(f->arena, file, &length);
    if (text) {
      split_lines(f->arena, s, text);
    }
    TL_PUSH(f->arena, f->sources, s);
  }
  return line <= s->lines.count ? s->lines.data[line - 1] : NULL;
}

/* ---- the whole ---- */

static void print_diagnostics(front *f) {
  tl_warning_opts warnings = {f->opts->warnings.count, f->opts->warnings.data, f->opts->warnings_off,
                              f->opts->warnings_are_errors};
  tl_diag_apply_warning_options(&f->diag, &warnings);
  tl_diag_print_opts print = {.json = f->opts->json, .source_line = front_source_line, .ctx = f};
  tl_diag_print(&f->diag, &print, f->messages);
}

static bool write_dump(front *f, const char *path) {
  FILE *out = strcmp(path, "-") == 0 ? stdout : fopen(path, "w");
  bool ok = out && front_write_dump(f, out);
  ok = (out == stdout ? fflush(out) == 0 : out && fclose(out) == 0) && ok;
  if (!ok && out && out != stdout) {
    int why = errno;
    remove(path); /* no half of a file is left */
    errno = why;
  }
  return ok;
}

static void cannot_write(const front *f, const char *path) {
  fprintf(f->messages, "tlalocc: error: cannot write %s: %s\n", strcmp(path, "-") == 0 ? "standard output" : path,
          strerror(errno));
}

/* cc's preprocessor may take other branches than libclang's: what the targets' primals reach must be the same program.
 * What bodies name is compared with them; the functions of <tgmath.h> that clang's calls are not there by name. Rules
 * are named outside of bodies. */
static void compare_with_cc(front *f) {
  front_function_list reached = {0};
  front_expr_list intrinsics = {0};
  TL_VEC(tl_function *) functions = {0};
  for (uint32_t i = 0; i < f->targets.count; i++) {
    const tl_function *primal = f->targets.data[i].request->primal;
    if (primal->body) {
      TL_PUSH(f->arena, functions, tl_unit_find(f->parse.unit, primal->name));
    }
    front_reach(f, primal, &reached, &intrinsics);
  }
  for (uint32_t i = 0; i < reached.count; i++) {
    const char *rules[] = {reached.data[i]->custom_vjp, reached.data[i]->custom_jvp};
    for (int r = 0; r < 2; r++) {
      tl_function *rule = rules[r] ? tl_unit_find(f->parse.unit, rules[r]) : NULL;
      if (rule && rule->body) {
        TL_PUSH(f->arena, functions, rule);
      }
    }
  }
  tl_parse_opts p = front_parse_opts(f);
  tl_front_compare(f->arena, &f->diag, &p, f->preprocessed, functions.count, functions.data);
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

tl_front_status front_run(front *f) {
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
    fprintf(f->messages, "tlalocc: error: there is no pass '%s' to dump after\n", o->dump_ir_pass);
    return TL_FRONT_FAILED;
  }
  size_t length;
  f->preprocessed = o->preprocessed ? tl_path_read(f->arena, o->preprocessed, &length) : NULL;
  tl_status status = front_derive_all(f);
  if (status == TL_OK && f->parse.syntax_errors && !f->diag.errors) {
    return front_write_syntax_copy(f) ? TL_FRONT_SYNTAX : TL_FRONT_FAILED;
  }
  if (status == TL_OK) {
    tl_check_tensors(&f->parse);
  }
  if (status == TL_OK && !f->diag.errors && f->preprocessed) {
    compare_with_cc(f);
  }
  if (status == TL_OK && !f->diag.errors && f->parse.requests.count) {
    front_emit(f, false, &f->bodies); /* the emitter warns too */
  }
  if (status == TL_OUT_OF_MEMORY) {
    fputs(FRONT_OUT_OF_MEMORY, f->messages);
    return TL_FRONT_FAILED;
  }
  print_diagnostics(f);
  if (status == TL_OK && f->diag.errors && f->parse.doubtful && front_write_syntax_copy(f)) {
    return TL_FRONT_DOUBTFUL;
  }
  if (status != TL_OK || f->diag.errors) {
    return TL_FRONT_FAILED;
  }
  if (!f->parse.requests.count) {
    return TL_FRONT_NOTHING;
  }
  if (o->dump_ir) {
    front_dump_ir(f);
    if (fflush(stdout) != 0 || ferror(stdout)) {
      cannot_write(f, "-");
      return TL_FRONT_FAILED;
    }
  }
  bool ok = front_write_copy(f);
  for (uint32_t i = 0; i < o->dump_source.count && ok; i++) {
    ok = write_dump(f, o->dump_source.data[i]);
    if (!ok) {
      cannot_write(f, o->dump_source.data[i]);
    }
  }
  return ok ? TL_FRONT_TRANSLATED : TL_FRONT_FAILED;
}
