/* Reads a file of rows, runs each, and says which fail. */
#define _GNU_SOURCE
#include "rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* ---- lines of a file, compressed or not ---- */

typedef struct reader {
  gzFile file;
  char *line;
  size_t length, size;
} reader;

/* The next line, without its end; false at the end of the file or where it cannot be read, which `error` says. */
static bool next_line(reader *r, const char **out_error) {
  *out_error = NULL;
  r->length = 0;
  for (;;) {
    if (r->size - r->length < 2) {
      size_t size = r->size ? 2 * r->size : 65536;
      char *bigger = size <= INT32_MAX ? realloc(r->line, size) : NULL;
      if (!bigger) {
        *out_error = "a line is too long";
        return false;
      }
      r->line = bigger;
      r->size = size;
    }
    if (!gzgets(r->file, r->line + r->length, (int)(r->size - r->length))) {
      int code;
      const char *text = gzerror(r->file, &code);
      *out_error = code == Z_OK || code == Z_STREAM_END ? NULL : text;
      return r->length > 0 && !*out_error;
    }
    r->length += strlen(r->line + r->length);
    if (r->length && r->line[r->length - 1] == '\n') {
      r->length--;
      return true;
    }
  }
}

/* ---- one row ---- */

typedef enum outcome { PASSED, FAILED, REFUSED } outcome;

typedef struct captured {
  const row *row;
  row_error error;
  bool known;
} captured;

static void apply_captured(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  captured *c = ctx;
  c->known = row_apply(c->row, in, out, &c->error);
}

/* By an engine: the row's op as a program. */
static tl_status run_on(tl_engine *engine, captured *c, const tl_tensor in[], tl_tensor out[]) {
  tl_spec specs[ROW_MOST];
  tl_graph *graph = NULL;
  tl_program *program = NULL;
  const row *r = c->row;
  for (int i = 0; i < r->inputs.count; i++) {
    specs[i] = (tl_spec){.dtype = r->inputs.at[i].dtype, .shape = r->inputs.at[i].shape};
  }
  tl_status status =
      tl_capture("row", apply_captured, c, (size_t)r->inputs.count, specs, (size_t)r->outputs.count, &graph);
  status = status == TL_OK ? tl_engine_prepare(engine, graph, NULL, &program) : status;
  status = status == TL_OK ? tl_program_run(program, in, out) : status;
  tl_program_close(program);
  tl_graph_release(graph);
  return status;
}

static outcome run_row(const row *r, tl_engine *engine, char *text, size_t length) {
  tl_tensor in[ROW_MOST], out[ROW_MOST] = {NULL};
  captured c = {.row = r};
  outcome result = PASSED;
  tl_scope scope = tl_scope_open();
  for (int i = 0; i < r->inputs.count; i++) {
    in[i] = tl_from(r->inputs.at[i].dtype, r->inputs.at[i].shape, r->inputs.at[i].data);
  }
  tl_status status = TL_OK;
  if (engine) {
    status = run_on(engine, &c, in, out);
  } else {
    apply_captured(&c, in, out);
  }
  if (!c.known) {
    snprintf(text, length, "%s%s%s [%s]", c.error.key, *c.error.key ? ": " : "", c.error.text,
             tl_status_name(TL_UNSUPPORTED_CONSTRUCT));
    result = REFUSED;
  }
  for (int i = 0; result == PASSED && i < r->outputs.count; i++) {
    tl_status own = engine ? status : tl_status_of(out[i]);
    if (own != TL_OK) {
      snprintf(text, length, "%s [%s]", engine ? tl_last_message() : tl_message_of(out[i]), tl_status_name(own));
      result = REFUSED;
    } else if (!row_matches(r, i, out[i], text, length)) {
      result = FAILED;
    }
  }
  for (int i = 0; engine && i < r->outputs.count; i++) {
    tl_release(out[i]);
  }
  tl_scope_close(scope);
  return result;
}

/* ---- counts by op ---- */

typedef struct counts {
  char *op;
  long of[3];
} counts;

typedef struct table {
  counts *at;
  size_t count, size;
} table;

static counts *count_of(table *t, const char *op) {
  for (size_t i = 0; i < t->count; i++) {
    if (strcmp(t->at[i].op, op) == 0) {
      return &t->at[i];
    }
  }
  if (t->count == t->size) {
    size_t size = t->size ? 2 * t->size : 64;
    counts *bigger = realloc(t->at, size * sizeof *bigger);
    if (!bigger) {
      return NULL;
    }
    t->at = bigger;
    t->size = size;
  }
  char *copy = strdup(op);
  if (!copy) {
    return NULL;
  }
  t->at[t->count] = (counts){.op = copy};
  return &t->at[t->count++];
}

static int by_name(const void *a, const void *b) { return strcmp(((const counts *)a)->op, ((const counts *)b)->op); }

typedef struct totals {
  long of[3], noted;
  table ops;
} totals;

static bool add_row(totals *t, const row *r, tl_engine *engine) {
  static const char *const words[] = {"passed", "failed", "refused"};
  char text[512] = "";
  outcome result = run_row(r, engine, text, sizeof text);
  if (r->note) { /* its value is in doubt: it is listed, and not counted */
    t->noted++;
    printf("noted: %s (%s): %s%s%s; %s\n", r->name, r->op, words[result], *text ? ": " : "", text, r->note);
    return true;
  }
  counts *c = count_of(&t->ops, r->op);
  if (!c) {
    return false;
  }
  c->of[result]++;
  t->of[result]++;
  if (result != PASSED) {
    printf("%s: %s (%s): %s\n", words[result], r->name, r->op, text);
  }
  return true;
}

static void print_totals(totals *t) {
  if (t->ops.count) {
    qsort(t->ops.at, t->ops.count, sizeof *t->ops.at, by_name);
  }
  printf("%-36s %7s %7s %7s\n", "op", "passed", "failed", "refused");
  for (size_t i = 0; i < t->ops.count; i++) {
    const counts *c = &t->ops.at[i];
    printf("%-36s %7ld %7ld %7ld\n", c->op, c->of[PASSED], c->of[FAILED], c->of[REFUSED]);
  }
  printf("%ld passed, %ld failed, %ld refused", t->of[PASSED], t->of[FAILED], t->of[REFUSED]);
  printf(t->noted ? "; %ld more with a note\n" : "\n", t->noted);
}

static bool run_lines(reader *r, const char *path, tl_engine *engine, totals *t) {
  const char *error;
  long number = 0;
  while (next_line(r, &error)) {
    row one;
    row_error e;
    number++;
    bool ok = row_init(&one, r->line, r->length, &e);
    if (!ok) {
      fprintf(stderr, "tlaloc: %s:%ld: %s%s%s [%s]\n", path, number, e.key, *e.key ? ": " : "", e.text,
              tl_status_name(TL_HEADER_INVALID));
    } else {
      ok = add_row(t, &one, engine);
    }
    row_deinit(&one);
    if (!ok) {
      return false;
    }
  }
  if (error) {
    fprintf(stderr, "tlaloc: %s:%ld: %s [%s]\n", path, number + 1, error, tl_status_name(TL_FILE_TRUNCATED));
  }
  return !error;
}

int rows_run(const char *path, const char *engine_name) {
  reader r = {.file = gzopen(path, "rb")};
  if (!r.file) {
    fprintf(stderr, "tlaloc: %s: it cannot be read [%s]\n", path, tl_status_name(TL_FILE_UNREADABLE));
    return 1;
  }
  tl_engine *engine = NULL;
  tl_status status = engine_name ? tl_engine_open(engine_name, NULL, &engine) : TL_OK;
  totals t = {.noted = 0};
  bool ok = status == TL_OK;
  if (!ok) {
    fprintf(stderr, "tlaloc: --engine=%s: %s [%s]\n", engine_name, tl_last_message(), tl_status_name(status));
  } else {
    ok = run_lines(&r, path, engine, &t);
    print_totals(&t);
  }
  for (size_t i = 0; i < t.ops.count; i++) {
    free(t.ops.at[i].op);
  }
  free(t.ops.at);
  free(r.line);
  gzclose(r.file);
  tl_engine_close(engine);
  return !ok || t.of[FAILED] || t.of[REFUSED] || fflush(stdout) ? 1 : 0;
}
