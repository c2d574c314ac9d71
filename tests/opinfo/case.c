#include "case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <tlaloc/capture.h>
#include <tlaloc/engine.h>

/* ---- reading ---- */

static const struct {
  const char *name;
  tl_dtype dtype;
  size_t size;
} dtypes[] = {{"f64", TL_F64, 8}, {"i64", TL_I64, 8}, {"i32", TL_I32, 4}, {"bool", TL_BOOL, 1}};

static void store(tl_dtype dtype, void *data, int64_t i, const char *text, char **end) {
  switch (dtype) {
  case TL_F64:
    ((double *)data)[i] = strtod(text, end);
    return;
  case TL_I64:
    ((int64_t *)data)[i] = strtoll(text, end, 10);
    return;
  case TL_I32:
    ((int32_t *)data)[i] = (int32_t)strtol(text, end, 10);
    return;
  default:
    ((bool *)data)[i] = strtol(text, end, 10) != 0;
  }
}

/* RANK EXTENTS... ELEMENTS... */
static tl_tensor read_elements(tl_dtype dtype, size_t size, char *text) {
  tl_shape shape = {.rank = (int)strtol(text, &text, 10)};
  int64_t count = 1;
  if (shape.rank < 0 || shape.rank > TL_MAX_RANK) {
    return NULL;
  }
  for (int i = 0; i < shape.rank; i++) {
    shape.dim[i] = strtoll(text, &text, 10);
    count *= shape.dim[i];
  }
  void *data = calloc((size_t)count + 1, size);
  for (int64_t i = 0; data && i < count; i++) {
    char *end = NULL;
    store(dtype, data, i, text, &end);
    if (end == text) {
      free(data);
      return NULL;
    }
    text = end;
  }
  tl_tensor out = data ? tl_from(dtype, shape, data) : NULL;
  free(data);
  return out;
}

static tl_tensor read_tensor(char *text) {
  char name[8];
  int at = 0;
  if (sscanf(text, "%7s%n", name, &at) != 1) {
    return NULL;
  }
  for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++) {
    if (strcmp(name, dtypes[i].name) == 0) {
      return read_elements(dtypes[i].dtype, dtypes[i].size, text + at);
    }
  }
  return NULL;
}

static bool read_argument(char kind, char *text, opcase *c) {
  argument *a = &c->arguments[c->argument_count++];
  int at = 0;
  *a = (argument){.count = 0};
  if (c->argument_count > MOST_ARGUMENTS || sscanf(text, "%31s%n", a->name, &at) != 1) {
    return false;
  }
  text += at;
  if (kind == 's') {
    return sscanf(text, "%31s", a->text) == 1;
  }
  for (char *end; a->count < MOST_NUMBERS; text = end) {
    a->number[a->count] = strtod(text, &end);
    if (end == text) {
      return true;
    }
    a->count++;
  }
  return false;
}

static bool add(tl_tensor x, int *count, tl_tensor *list) {
  if (!x || *count == MOST_TENSORS) {
    return false;
  }
  list[(*count)++] = x;
  return true;
}

static bool read_line(char *line, opcase *c) {
  int at = 0;
  if (sscanf(line, "in %31s%n", c->in_name[c->in_count % MOST_TENSORS], &at) == 1) {
    return add(read_tensor(line + at), &c->in_count, c->in);
  }
  if (strncmp(line, "out ", 4) == 0) {
    return add(read_tensor(line + 4), &c->out_count, c->out);
  }
  if (strncmp(line, "seed ", 5) == 0) {
    return add(read_elements(TL_F64, 8, line + 5), &c->seed_count, c->seed);
  }
  if (sscanf(line, "bar %d%n", &c->bar_of[c->bar_count % MOST_TENSORS], &at) == 1) {
    return add(read_elements(TL_F64, 8, line + at), &c->bar_count, c->bar);
  }
  return strchr("ifs", line[0]) && line[1] == ' ' && read_argument(line[0], line + 2, c);
}

bool case_read(case_file *f, opcase *out, const char **out_fault) {
  *out = (opcase){.number = 0};
  bool is_begun = f->is_at_case;
  f->is_at_case = false;
  while (true) {
    if (is_begun && !out->number) {
      memcpy(out->op, f->op, sizeof out->op);
      out->number = ++f->number;
      out->line = f->line;
    }
    if (getline(&f->text, &f->room, f->file) < 0) {
      return is_begun;
    }
    f->line++;
    if (strncmp(f->text, "case", 4) == 0) {
      if (is_begun) {
        f->is_at_case = true;
        return true;
      }
      is_begun = true;
    } else if (strncmp(f->text, "op ", 3) == 0) {
      bool was_begun = is_begun;
      snprintf(f->op, sizeof f->op, "%.*s", (int)strcspn(f->text + 3, "\n"), f->text + 3);
      f->number = 0;
      if (was_begun) {
        return true;
      }
    } else if (!is_begun || !read_line(f->text, out)) {
      *out_fault = "a line of another format";
      return false;
    }
  }
}

/* ---- comparing ---- */

typedef struct comparison {
  const opcase *c;
  double atol, rtol;
  case_control control;
  bool ok, is_altered;
} comparison;

static void report(comparison *p, const char *what, int k, const char *text) {
  if (p->control == CASE_AS_IT_IS) {
    printf("%s: case %d (line %d): %s %d: %s\n", p->c->op, p->c->number, p->c->line, what, k, text);
  }
  p->ok = false;
}

static int64_t count_of(tl_shape shape) {
  int64_t count = 1;
  for (int i = 0; i < shape.rank; i++) {
    count *= shape.dim[i];
  }
  return count;
}

/* Infinities and NaN are the same; what is finite is to the tolerance of the largest. */
static void compare_numbers(comparison *p, const char *what, int k, const double *got, double *want, int64_t count,
                            bool is_altered) {
  double size = 0, off = 0;
  int64_t at = 0;
  for (int64_t i = 0; i < count; i++) {
    bool is_larger = isfinite(want[i]) && fabs(want[i]) > size;
    at = is_larger ? i : at;
    size = is_larger ? fabs(want[i]) : size;
  }
  if (is_altered && size > 0) {
    want[at] *= 1 + fmax(1e-9, 3 * p->rtol);
    p->is_altered = true;
  }
  for (int64_t i = 0; i < count; i++) {
    bool is_same = got[i] == want[i] || (isnan(got[i]) && isnan(want[i]));
    double apart = is_same ? 0 : fabs(got[i] - want[i]);
    off = apart > off || isnan(apart) ? apart : off;
  }
  if (!(off <= p->atol + p->rtol * size)) {
    char text[80];
    snprintf(text, sizeof text, "off by %g of %g", off, size);
    report(p, what, k, text);
  }
}

/* The first of the kind that the control names is altered. */
static bool is_control(const comparison *p, bool is_cotangent) {
  return !p->is_altered && p->control == (is_cotangent ? CASE_ALTERED_COTANGENT : CASE_ALTERED_RESULT);
}

static void compare(comparison *p, const char *what, bool is_cotangent, int k, tl_tensor got, tl_tensor want) {
  tl_shape a = tl_shape_of(got), b = tl_shape_of(want);
  if (tl_status_of(got) != TL_OK) {
    report(p, what, k, got ? tl_message_of(got) : "no memory");
    return;
  }
  if (a.rank != b.rank || memcmp(a.dim, b.dim, (size_t)a.rank * sizeof *a.dim) != 0 ||
      tl_dtype_of(got) != tl_dtype_of(want)) {
    report(p, what, k, "another shape or dtype");
    return;
  }
  int64_t count = count_of(a);
  size_t bytes = (size_t)count * (tl_dtype_of(got) == TL_BOOL ? 1 : tl_dtype_of(got) == TL_I32 ? 4 : 8);
  void *x = malloc(bytes + 1), *y = malloc(bytes + 1);
  if (!x || !y || tl_read(got, x, bytes) != TL_OK || tl_read(want, y, bytes) != TL_OK) {
    report(p, what, k, "its elements cannot be read");
  } else if (tl_dtype_of(got) == TL_F64) {
    compare_numbers(p, what, k, x, y, count, is_control(p, is_cotangent));
  } else if (memcmp(x, y, bytes) != 0) {
    report(p, what, k, "other elements");
  }
  free(x);
  free(y);
}

/* ---- playing ---- */

typedef struct player {
  const opcase *c;
  play_fn *fn;
} player;

static void play(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  const player *p = ctx;
  for (int i = 0; i < p->c->out_count; i++) {
    out[i] = NULL;
  }
  p->fn(&(call){p->c, in}, out);
}

static void compare_run(comparison *p, tl_engine *engine, const tl_graph *graph, const tl_tensor *args, int out_count,
                        bool has_bars) {
  tl_program *program = NULL;
  tl_tensor got[2 * MOST_TENSORS] = {0};
  if (tl_engine_prepare(engine, graph, NULL, &program) != TL_OK || tl_program_run(program, args, got) != TL_OK) {
    report(p, "run", 0, tl_last_message());
  } else {
    for (int i = 0; i < p->c->out_count; i++) {
      compare(p, "captured result", false, i, got[i], p->c->out[i]);
    }
    for (int i = 0; has_bars && i < p->c->bar_count; i++) {
      compare(p, "cotangent of input", true, p->c->bar_of[i], got[p->c->out_count + i], p->c->bar[i]);
    }
  }
  for (int i = 0; i < out_count; i++) {
    tl_release(got[i]);
  }
  tl_program_close(program);
}

static void play_captured(comparison *p, player *fn) {
  const opcase *c = p->c;
  tl_spec specs[MOST_TENSORS];
  tl_tensor args[2 * MOST_TENSORS];
  size_t wrt[MOST_TENSORS];
  for (int i = 0; i < c->in_count; i++) {
    specs[i] = (tl_spec){tl_dtype_of(c->in[i]), tl_shape_of(c->in[i]), NULL};
    args[i] = c->in[i];
  }
  for (int i = 0; i < c->seed_count; i++) {
    args[c->in_count + i] = c->seed[i];
  }
  for (int i = 0; i < c->bar_count; i++) {
    wrt[i] = (size_t)c->bar_of[i];
  }
  tl_graph *graph = NULL, *vjp = NULL;
  tl_engine *engine = NULL;
  bool has_bars = c->bar_count > 0;
  if (tl_engine_open("interpreter", NULL, &engine) != TL_OK ||
      tl_capture("op", play, fn, (size_t)c->in_count, specs, (size_t)c->out_count, &graph) != TL_OK ||
      (has_bars && tl_graph_vjp(graph, (size_t)c->bar_count, wrt, true, &vjp) != TL_OK)) {
    report(p, "capture", 0, tl_last_message());
  } else {
    compare_run(p, engine, has_bars ? vjp : graph, args, c->out_count + (has_bars ? c->bar_count : 0), has_bars);
  }
  tl_graph_release(vjp);
  tl_graph_release(graph);
  tl_engine_close(engine);
}

bool case_play(const opcase *c, play_fn *fn, sweep_tolerance tolerance, case_control control, bool *out_altered) {
#define ROW(name, atol, rtol, reason) {atol, rtol},
  static const double tolerances[][2] = {SWEEP_TOLERANCE_MAP(ROW)};
#undef ROW
  comparison p = {c, tolerances[tolerance][0], tolerances[tolerance][1], control, true, false};
  player f = {c, fn};
  tl_tensor out[MOST_TENSORS];
  play(&f, c->in, out);
  for (int i = 0; i < c->out_count; i++) {
    compare(&p, "result", false, i, out[i], c->out[i]);
  }
  play_captured(&p, &f);
  *out_altered = p.is_altered;
  return p.ok;
}
