/* onnx_cases FOLDER REFUSED [PATTERN]: the node cases in FOLDER, each a model with inputs and the outputs that it is to
 * give. REFUSED lists the cases that do not pass as they are to, with reasons; refused.txt says how. It fails where a
 * case gives something else, where one that is not listed is not mapped, where one that is listed passes, and where
 * fewer pass than FLOOR. */
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/dtype.h"
#include "ops.h"
#include "tlaloc/engine.h"

enum { FLOOR = 500, CAPTURED_FLOOR = 790, MOST_VALUES = 16 };

static tl_arena arena;
static tl_engine *engine;
static int captured; /* cases that pass as a program too */

/* ---- files ---- */

static onnx_bytes read_file(const char *path, bool *out_is_there) {
  FILE *f = fopen(path, "rb");
  *out_is_there = f != NULL;
  if (!f) {
    return (onnx_bytes){NULL, 0};
  }
  size_t room = 1 << 12, count = 0, n;
  unsigned char *data = tl_arena_alloc(&arena, room);
  while ((n = fread(data + count, 1, room - count, f)) > 0) {
    count += n;
    if (count == room) {
      data = tl_arena_grow(&arena, data, count, 2 * room);
      room *= 2;
    }
  }
  fclose(f);
  return (onnx_bytes){data, count};
}

/* ---- values by name ---- */

typedef struct value {
  const char *name;
  tl_tensor tensor;
} value;
typedef struct values {
  TL_VEC(value) list;
} values;

static void set(values *v, const char *name, tl_tensor x) { TL_PUSH(&arena, v->list, (value){name, x}); }

static tl_tensor get(const values *v, const char *name) {
  for (uint32_t i = v->list.count; i > 0; i--) {
    if (strcmp(v->list.data[i - 1].name, name) == 0) {
      return v->list.data[i - 1].tensor;
    }
  }
  return NULL;
}

static tl_tensor tensor_of(const onnx_tensor *t) { return tl_from(t->dtype, t->shape, t->data); }

/* ---- comparison ---- */

static double worst[TL_DTYPE_COUNT]; /* relative to the largest element, of the cases that have no bound of their own */

/* ONNX's own tolerance for each element; and beside it, relative to the largest one, what the dtype allows. */
static const double RELATIVE = 1e-3, ABSOLUTE = 1e-7;
static double bound_of(tl_dtype d) {
  switch (d) {
  case TL_F64:
    return 1e-14;
  case TL_F32:
    return 1e-6;
  case TL_F16:
    return 0x1p-11;
  case TL_BF16:
    return 0x1p-8;
  default:
    return 0;
  }
}

/* `bound` 0: that of the dtype. */
static const char *compare(tl_tensor got, const onnx_tensor *want, double bound, char text[160]) {
  tl_shape shape = tl_shape_of(got);
  if (tl_dtype_of(got) != want->dtype) {
    snprintf(text, 160, "dtype %s, not %s", tl_dtype_name(tl_dtype_of(got)), tl_dtype_name(want->dtype));
    return text;
  }
  bool fits = shape.rank == want->shape.rank;
  int64_t count = 1;
  for (int i = 0; fits && i < shape.rank; i++) {
    fits = shape.dim[i] == want->shape.dim[i];
    count *= shape.dim[i];
  }
  if (!fits) {
    return "another shape";
  }
  size_t size = tl_dtype_size(want->dtype), bytes = size * (size_t)count;
  void *data = tl_arena_alloc(&arena, bytes + 1);
  if (tl_read(got, data, bytes) != TL_OK) {
    return "no elements";
  }
  if (!tl_dtype_is_float(want->dtype)) {
    return bytes == 0 || memcmp(data, want->data, bytes) == 0 ? NULL : "other integers";
  }
  tl_tensor pair[2] = {tl_cast(got, TL_F64), tl_cast(tensor_of(want), TL_F64)};
  double *x = tl_arena_alloc(&arena, 8 * (size_t)count + 8), *y = tl_arena_alloc(&arena, 8 * (size_t)count + 8);
  if (tl_read(pair[0], x, 8 * (size_t)count) != TL_OK || tl_read(pair[1], y, 8 * (size_t)count) != TL_OK) {
    return "no elements";
  }
  double largest = 0, off = 0, allowed = bound > 0 ? bound : bound_of(want->dtype);
  for (int64_t i = 0; i < count; i++) {
    largest = isfinite(y[i]) && fabs(y[i]) > largest ? fabs(y[i]) : largest;
  }
  for (int64_t i = 0; i < count; i++) {
    if (x[i] == y[i] || (isnan(x[i]) && isnan(y[i]))) {
      continue;
    }
    double d = fabs(x[i] - y[i]);
    off = d > off ? d : off;
    if (!(d <= ABSOLUTE + RELATIVE * fabs(y[i])) || !(d <= allowed * largest)) {
      snprintf(text, 160, "element %lld is %.9g, not %.9g, of at most %.3g", (long long)i, x[i], y[i], largest);
      return text;
    }
  }
  double relative = largest > 0 ? off / largest : 0;
  worst[want->dtype] = bound > 0 ? worst[want->dtype] : fmax(worst[want->dtype], relative);
  return NULL;
}

/* ---- one case ---- */

typedef enum verdict { PASSED, FAILED, REFUSED, NOT_PLAIN } verdict;

static verdict say(verdict v, const char *reason, const char **out) {
  *out = reason;
  return v;
}

static bool is_plain(const onnx_model *m) {
  bool plain = true;
  for (int i = 0; i < m->input_count; i++) {
    plain &= m->inputs[i].is_plain;
  }
  for (int i = 0; i < m->output_count; i++) {
    plain &= m->outputs[i].is_plain;
  }
  return plain;
}

/* Runs one node; the outputs join the values. */
static verdict run_node(const onnx_model *m, const onnx_node *node, values *v, const char **why) {
  onnx_call call = {.node = node, .opset = m->opset, .inputs = node->inputs.count, .outputs = node->outputs.count};
  if (call.inputs > ONNX_MOST || call.outputs > ONNX_MOST) {
    return say(REFUSED, "a node with so many operands", why);
  }
  for (int i = 0; i < call.inputs; i++) {
    const char *name = node->inputs.name[i];
    call.in[i] = *name ? get(v, name) : NULL;
    if (*name && !call.in[i]) {
      return say(FAILED, "an input that no node gives", why);
    }
  }
  onnx_run_node(&call);
  if (call.refused) {
    return say(REFUSED, tl_arena_printf(&arena, "%s: %s", node->op, call.refused), why);
  }
  for (int i = 0; i < call.outputs; i++) {
    if (!*node->outputs.name[i]) {
      continue;
    }
    if (tl_status_of(call.out[i]) != TL_OK) {
      return say(FAILED,
                 tl_arena_printf(&arena, "%s: %s [%s]", node->op, tl_message_of(call.out[i]),
                                 tl_status_name(tl_status_of(call.out[i]))),
                 why);
    }
    set(v, node->outputs.name[i], call.out[i]);
  }
  return PASSED;
}

static bool read_data(const char *folder, const char *kind, int k, const onnx_value *as, onnx_tensor *out,
                      const char **why) {
  bool is_there;
  onnx_bytes bytes = read_file(tl_arena_printf(&arena, "%s/test_data_set_0/%s_%d.pb", folder, kind, k), &is_there);
  if (!is_there) {
    *why = "a tensor is not there";
    return false;
  }
  if (!onnx_read_tensor(&arena, bytes, out, why)) {
    return false;
  }
  /* NumPy has no bfloat16: its bits are stored as those of another dtype. */
  out->dtype = as->dtype == TL_BF16 && out->dtype == TL_U16 ? TL_BF16 : out->dtype;
  return true;
}

static verdict run_nodes(const onnx_model *m, values *v, const char **why) {
  verdict done = PASSED;
  for (int i = 0; i < m->node_count && done == PASSED; i++) {
    done = run_node(m, &m->nodes[i], v, why);
  }
  return done;
}

static verdict compare_all(const onnx_model *m, const tl_tensor got[], const onnx_tensor want[], double bound,
                           const char **why) {
  for (int i = 0; i < m->output_count; i++) {
    char text[160];
    const char *differs = got[i] ? compare(got[i], &want[i], bound, text) : "no node gives it";
    if (differs) {
      return say(FAILED, tl_arena_printf(&arena, "%s: %s", m->outputs[i].name, differs), why);
    }
  }
  return PASSED;
}

/* ---- the same as a program ---- */

typedef struct program {
  const onnx_model *model;
  values *given;
  int count, traced[MOST_VALUES]; /* the inputs of the model that are those of the program */
} program;

static void run_traced(void *ctx, const tl_tensor in[], tl_tensor out[]) {
  const program *p = ctx;
  values v = {.list = {0}};
  const char *why = "";
  for (uint32_t i = 0; i < p->given->list.count; i++) {
    set(&v, p->given->list.data[i].name, p->given->list.data[i].tensor);
  }
  for (int i = 0; i < p->count; i++) {
    set(&v, p->model->inputs[p->traced[i]].name, in[i]);
  }
  run_nodes(p->model, &v, &why);
  for (int i = 0; i < p->model->output_count; i++) {
    out[i] = get(&v, p->model->outputs[i].name);
  }
}

static bool is_floating(tl_tensor x) { return tl_dtype_is_float(tl_dtype_of(x)); }

/* A program of the floating inputs, or of the first where none is; those that are read as attributes are constants of
 * it. A case whose floating inputs are read so is none. */
static verdict run_captured(const onnx_model *m, values *given, const onnx_tensor want[], double bound,
                            const char **why) {
  program p = {.model = m, .given = given};
  tl_spec specs[MOST_VALUES] = {0};
  tl_tensor in[MOST_VALUES], out[MOST_VALUES] = {0};
  bool any = false;
  for (int i = 0; i < m->input_count; i++) {
    any = any || is_floating(get(given, m->inputs[i].name));
  }
  for (int i = 0; i < m->input_count; i++) {
    tl_tensor x = get(given, m->inputs[i].name);
    if (any ? is_floating(x) : i == 0) {
      in[p.count] = x;
      specs[p.count] = (tl_spec){tl_dtype_of(x), tl_shape_of(x), NULL};
      p.traced[p.count++] = i;
    }
  }
  tl_graph *graph = NULL;
  if (p.count == 0 ||
      tl_capture("node", run_traced, &p, (size_t)p.count, specs, (size_t)m->output_count, &graph) != TL_OK) {
    return PASSED;
  }
  tl_program *run = NULL;
  verdict v = tl_engine_prepare(engine, graph, NULL, &run) == TL_OK && tl_program_run(run, in, out) == TL_OK
                  ? compare_all(m, out, want, bound, why)
                  : say(FAILED, tl_arena_printf(&arena, "as a program: %s", tl_last_message()), why);
  captured += v == PASSED;
  for (int i = 0; i < m->output_count; i++) {
    tl_release(out[i]);
  }
  tl_program_close(run);
  tl_graph_release(graph);
  return v;
}

static verdict run_case(const char *folder, double bound, const char **why) {
  onnx_model m;
  bool is_there;
  onnx_bytes bytes = read_file(tl_arena_printf(&arena, "%s/model.onnx", folder), &is_there);
  if (!is_there || !onnx_read_model(&arena, bytes, &m, why)) {
    return say(FAILED, is_there ? *why : "no model", why);
  }
  if (!is_plain(&m)) {
    return NOT_PLAIN;
  }
  if (m.input_count > MOST_VALUES || m.output_count > MOST_VALUES) {
    return say(FAILED, "so many inputs or outputs", why);
  }
  values v = {.list = {0}};
  for (int i = 0; i < m.initializer_count; i++) {
    set(&v, m.initializers[i].name, tensor_of(&m.initializers[i]));
  }
  for (int i = 0, k = 0; i < m.input_count; i++) {
    onnx_tensor t;
    if (get(&v, m.inputs[i].name)) {
      continue;
    }
    if (!read_data(folder, "input", k++, &m.inputs[i], &t, why)) {
      return FAILED;
    }
    set(&v, m.inputs[i].name, tensor_of(&t));
  }
  values given = v;
  given.list.room = given.list.count; /* what the nodes add is not the program's */
  verdict done = run_nodes(&m, &v, why);
  tl_tensor got[MOST_VALUES];
  onnx_tensor want[MOST_VALUES];
  for (int i = 0; done == PASSED && i < m.output_count; i++) {
    got[i] = get(&v, m.outputs[i].name);
    done = read_data(folder, "output", i, &m.outputs[i], &want[i], why) ? PASSED : FAILED;
  }
  done = done == PASSED ? compare_all(&m, got, want, bound, why) : done;
  return done == PASSED ? run_captured(&m, &given, want, bound, why) : done;
}

/* ---- the list ---- */

typedef enum kind { UNMAPPED, DIFFERS, WITHIN } kind;
typedef struct rule {
  kind kind;
  double bound; /* of WITHIN */
  char *pattern, *reason;
  int cases, needed;
} rule;

static char *word_of(char **line) {
  char *word = *line;
  *line += strcspn(*line, " ");
  if (**line) {
    *(*line)++ = 0;
    *line += strspn(*line, " ");
  }
  return word;
}

static bool read_rule(char *line, rule *out) {
  *out = (rule){.kind = UNMAPPED};
  const char *first = word_of(&line);
  if (strcmp(first, "within") == 0) {
    out->kind = WITHIN;
    out->bound = strtod(word_of(&line), NULL);
  } else if (strcmp(first, "differs") == 0) {
    out->kind = DIFFERS;
  } else if (strcmp(first, "unmapped") != 0) {
    return false;
  }
  out->pattern = word_of(&line);
  out->reason = line;
  return *out->pattern && *out->reason && (out->kind != WITHIN || out->bound > 0);
}

static int read_rules(const char *path, rule **out) {
  bool is_there;
  onnx_bytes bytes = read_file(path, &is_there);
  TL_VEC(rule) rules = {0};
  if (!is_there) {
    fprintf(stderr, "onnx: %s is not there\n", path);
    exit(1);
  }
  char *text = tl_arena_strndup(&arena, (const char *)bytes.at, bytes.count), *rest = NULL;
  for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
    rule r;
    if (*line == '#') {
      continue;
    }
    if (!read_rule(line, &r)) {
      fprintf(stderr, "onnx: %s: the line of '%s' is no rule\n", path, line);
      exit(1);
    }
    TL_PUSH(&arena, rules, r);
  }
  *out = rules.data;
  return (int)rules.count;
}

static rule *find_rule(rule *rules, int count, const char *name) {
  for (int i = 0; i < count; i++) {
    if (fnmatch(rules[i].pattern, name, 0) == 0) {
      return &rules[i];
    }
  }
  return NULL;
}

/* ---- all cases ---- */

typedef struct tally {
  int cases, plain, whole, passed, whole_passed, unmapped, differ, within, failed;
} tally;

static void judge(tally *t, const char *name, rule *listed, verdict v, const char *why) {
  bool is_expanded = strstr(name, "_expanded") != NULL;
  kind expected = listed ? listed->kind : WITHIN;
  t->plain++;
  t->whole += !is_expanded;
  if (v == PASSED && expected == WITHIN) {
    t->passed++;
    t->whole_passed += !is_expanded;
    t->within += listed != NULL;
  } else if (v == REFUSED && expected == UNMAPPED) {
    t->unmapped++;
  } else if (v == FAILED && expected == DIFFERS) {
    t->differ++;
  } else {
    t->failed++;
    printf("FAILED %s: %s\n", name, v == PASSED ? "it is listed, and passes" : why);
  }
}

/* A case with a bound of its own is to need it. */
static bool needs_bound(const char *folder) {
  const char *why;
  return run_case(folder, 0, &why) == FAILED;
}

static void run_one(tally *t, rule *rules, int rule_count, const char *name, const char *folder) {
  rule *listed = find_rule(rules, rule_count, name);
  const char *why = "";
  verdict v = run_case(folder, listed ? listed->bound : 0, &why);
  t->cases++;
  if (v == NOT_PLAIN) {
    return;
  }
  if (listed) {
    listed->cases++;
    listed->needed += listed->kind != WITHIN || needs_bound(folder);
  }
  judge(t, name, listed, v, why);
}

static int is_case(const struct dirent *d) { return strncmp(d->d_name, "test_", 5) == 0; }

static int run_all(const char *folder, const char *list, const char *only) {
  rule *rules;
  int rule_count = read_rules(list, &rules);
  struct dirent **entries;
  int count = scandir(folder, &entries, is_case, alphasort);
  if (count < 0) {
    fprintf(stderr, "onnx: %s: %s\n", folder, strerror(errno));
    return 1;
  }
  tally t = {.cases = 0};
  for (int i = 0; i < count; i++) {
    const char *name = entries[i]->d_name + 5;
    if (!only || fnmatch(only, name, 0) == 0) {
      tl_arena_mark mark = tl_arena_get_mark(&arena);
      tl_scope scope = tl_scope_open();
      run_one(&t, rules, rule_count, name, tl_arena_printf(&arena, "%s/%s", folder, entries[i]->d_name));
      tl_scope_close(scope);
      tl_arena_rewind(&arena, mark);
    }
    free(entries[i]);
  }
  free(entries);
  for (int i = 0; !only && i < rule_count; i++) {
    if (rules[i].needed == 0) {
      printf("FAILED %s: it is listed, and there is no such case\n", rules[i].pattern);
      t.failed++;
    }
  }
  static const tl_dtype floating[] = {TL_F64, TL_F32, TL_F16, TL_BF16};
  for (size_t i = 0; i < sizeof floating / sizeof *floating; i++) {
    printf("%s: at most %.2g off, relative to the largest element; %.0e is allowed\n", tl_dtype_name(floating[i]),
           worst[floating[i]], bound_of(floating[i]));
  }
  printf("%d cases, %d of plain dtypes: %d of one node as it stands, of which %d pass, and %d as functions\n", t.cases,
         t.plain, t.whole, t.whole_passed, t.plain - t.whole);
  printf("%d of those that pass do so as programs of their floating inputs, too\n", captured);
  printf("%d differ as listed, %d pass within a bound of their own\n", t.differ, t.within);
  printf("%d passed, %d failed, %d of %d not mapped\n", t.passed, t.failed, t.unmapped, t.plain);
  if (!only && captured < CAPTURED_FLOOR) {
    printf("FAILED: fewer than %d pass as programs\n", CAPTURED_FLOOR);
    return 1;
  }
  if (!only && t.whole_passed < FLOOR) {
    printf("FAILED: fewer than %d of one node pass\n", FLOOR);
    return 1;
  }
  return t.failed > 0;
}

int main(int argc, char **argv) {
  if (argc < 3 || argc > 4) {
    fprintf(stderr, "usage: onnx_cases FOLDER REFUSED [PATTERN]\n");
    return 2;
  }
  tl_arena_init(&arena);
  tl_recovery recovery;
  tl__recovery_enter(&recovery);
  if (setjmp(recovery.jump)) {
    fprintf(stderr, "onnx: out of memory\n");
    return 1;
  }
  if (tl_engine_open("interpreter", NULL, &engine) != TL_OK) {
    fprintf(stderr, "onnx: no engine\n");
    return 1;
  }
  int status = run_all(argv[1], argv[2], argc == 4 ? argv[3] : NULL);
  tl_engine_close(engine);
  tl__recovery_leave(&recovery);
  tl_arena_deinit(&arena);
  return status;
}
