/* sweep_goldens: values and derivatives of samples against JAX in float64.
 *
 *   sweep_goldens --samples          prints the samples with arguments, for tests/oracles/sweep_jax.py
 *   sweep_goldens FILE               replays what that has recorded
 *   sweep_goldens --off FILE         the control: with the largest number of each value off by 4e-12 of it every sample
 *                                    fails
 *
 * A record is lines: "sample ROW NAME"; the function, each line behind "| "; its arguments, tangents of the floating
 * ones, a seed, and arguments of a batch of 3, as DTYPE SHAPE NUMBERS; then what JAX gives: the value, the tangent, the
 * cotangent of each floating argument, the Hessian of <seed, value> by the first of them where it is small, the batch's
 * value; or "without REASON"; then "end". */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sample.h"
#include "transform/tensor_batch.h"

enum { BATCH = 3, MOST_HESSIAN = 12 };

/* ---- samples ---- */

static void print_value(const char *what, const sweep_value *v) {
  printf("%s %s ", what, tl_dtype_name(v->dtype));
  if (v->is_scalar || !v->shape.rank) {
    printf(v->is_scalar ? "number" : "-");
  }
  for (int i = 0; i < v->shape.rank; i++) {
    printf("%s%lld", i ? "x" : "", (long long)v->shape.dim[i]);
  }
  for (int64_t i = 0; i < sweep_count(v); i++) {
    printf(" %.17g", v->at[i]);
  }
  printf("\n");
}

static sweep_value drawn(sweep_subject *s, const sweep_value *like, int64_t batch, sweep_domain domain) {
  tl_shape shape = {.rank = like->shape.rank + (batch > 0), .dim = {batch}};
  for (int i = 0; i < like->shape.rank; i++) {
    shape.dim[i + (batch > 0)] = like->shape.dim[i];
  }
  return sweep_value_draw(s, like->dtype, shape, like->is_scalar && !batch, domain);
}

static void print_sample(sweep_subject *s, const char *row, const char *name) {
  static const sweep_domain unit = {.low = -1, .high = 1};
  sweep_values y;
  if (!sweep_run(s, s->f, &s->args, false, &y)) {
    fprintf(stderr, "%s\n", s->message);
    exit(1);
  }
  printf("sample %s %s\n", row, name);
  char *text = NULL;
  size_t length = 0;
  FILE *out = open_memstream(&text, &length);
  tl_func_print(s->f, out);
  fclose(out);
  for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
    printf("| %s\n", line);
  }
  free(text);
  for (uint32_t i = 0; i < s->args.count; i++) {
    print_value("arg", &s->args.at[i]);
  }
  for (uint32_t i = 0; i < s->args.count; i++) {
    if (tl_dtype_is_float(s->args.at[i].dtype)) {
      sweep_value t = drawn(s, &s->args.at[i], 0, unit);
      print_value("tangent", &t);
    }
  }
  sweep_value seed = drawn(s, &y.at[0], 0, unit);
  print_value("seed", &seed);
  for (uint32_t i = 0; i < s->args.count; i++) {
    sweep_value b = drawn(s, &s->args.at[i], BATCH, s->domains[i]);
    print_value("batch", &b);
  }
  printf("end\n");
}

static void visit(void *ctx, const sweep_sample *sample) {
  static sweep_subject s;
  const tl_opcode *code = ctx;
  const tl_op_info *row = &tl_op_table[*code];
  for (int composed = 0; composed <= row->on_tensors; composed++) {
    bool chosen = sweep_sample_open(&s, sample) && (!composed || sweep_compose(&s));
    chosen = chosen && sweep_is_float(s.f, s.f->body->yields.data[0]);
    bool floats = false;
    for (uint32_t i = 0; i < s.args.count; i++) { /* of elementwise rows: tensors of one shape */
      chosen = chosen && (row->on_tensors || s.args.at[i].shape.rank == 2);
      floats |= s.args.at[i].dtype == TL_F64;
    }
    if (chosen && floats) {
      char name[160];
      snprintf(name, sizeof name, "%s%s", sample->name, composed ? ", composed" : "");
      print_sample(&s, row->name, name);
    }
    sweep_subject_deinit(&s);
  }
}

static void print_samples(void) {
  for (int i = 0; i < TL_OP_COUNT; i++) {
    tl_opcode code = (tl_opcode)i;
    if (tl_op_table[i].elementwise) {
      sweep_each_elementwise(code, visit, &code);
    }
    for (const sweep_sample *s = sweep_samples_of[i]; s && s->text; s++) {
      visit(&code, s);
    }
  }
}

/* ---- replay ---- */

typedef struct record {
  char name[200], *text;
  sweep_values arg, tangent, seed, batch, value, jvp, vjp, hessian, vmap;
  bool without;
} record;

static sweep_value parse_value(sweep_subject *s, char *text) {
  sweep_value v = {.dtype = TL_DTYPE_COUNT};
  char *rest, *word = strtok_r(text, " \n", &rest);
  for (int d = 0; d < TL_DTYPE_COUNT; d++) {
    v.dtype = word && !strcmp(word, tl_dtype_name((tl_dtype)d)) ? (tl_dtype)d : v.dtype;
  }
  word = strtok_r(NULL, " \n", &rest);
  v.is_scalar = word && !strcmp(word, "number");
  while (word && *word >= '0' && *word <= '9') {
    v.shape.dim[v.shape.rank++] = strtoll(word, &word, 10);
    word += *word == 'x';
  }
  v.at = TL_NEW_ARRAY(&s->arena, double, sweep_count(&v) + 1);
  for (int64_t i = 0; i < sweep_count(&v); i++) {
    word = strtok_r(NULL, " \n", &rest);
    v.at[i] = word ? strtod(word, NULL) : 0;
  }
  return v;
}

/* The next record; false at the end of the file. */
static bool read_record(FILE *in, sweep_subject *s, record *r) {
  static char *line;
  static size_t room;
  *r = (record){.text = NULL};
  size_t length = 0;
  FILE *text = open_memstream(&r->text, &length);
  bool any = false;
  while (getline(&line, &room, in) > 0 && strncmp(line, "end", 3) != 0) {
    struct {
      const char *word;
      sweep_values *to;
    } fields[] = {{"arg ", &r->arg},     {"tangent ", &r->tangent}, {"seed ", &r->seed},
                  {"batch ", &r->batch}, {"value ", &r->value},     {"jvp ", &r->jvp},
                  {"vjp ", &r->vjp},     {"hessian ", &r->hessian}, {"vmap ", &r->vmap}};
    any = true;
    if (!strncmp(line, "sample ", 7)) {
      snprintf(r->name, sizeof r->name, "%.*s", (int)strcspn(line + 7, "\n"), line + 7);
    } else if (!strncmp(line, "| ", 2)) {
      fputs(line + 2, text);
    } else if (!strncmp(line, "without ", 8)) {
      r->without = true;
    }
    for (size_t k = 0; k < sizeof fields / sizeof *fields; k++) {
      size_t n = strlen(fields[k].word);
      if (!strncmp(line, fields[k].word, n)) {
        sweep_values_add(fields[k].to, parse_value(s, line + n));
      }
    }
  }
  fclose(text);
  return any;
}

static sweep_values joined(const sweep_values *a, const sweep_values *b) {
  sweep_values out = *a;
  for (uint32_t i = 0; i < b->count; i++) {
    sweep_values_add(&out, b->at[i]);
  }
  return out;
}

static bool expect(sweep_subject *s, const char *what, const sweep_values *got, const sweep_values *want) {
  s->surface = what;
  bool ok = got->count >= want->count || sweep_fail(s, s->f, "%u results for %u", got->count, want->count);
  for (uint32_t i = 0; ok && i < want->count; i++) {
    ok = sweep_compare(s, s->f, SWEEP_GOLDEN, what, &got->at[i], &want->at[i], 0);
  }
  return ok;
}

/* The cotangents of the floating parameters alone. */
static tl_func *cotangents(sweep_subject *s, bool first_only) {
  tl_func *vjp = sweep_derive(s, s->f, TL_INTRINSIC_VJP, 0, NULL);
  bool chosen[SWEEP_MOST] = {false}, done = false;
  for (uint32_t i = 0; vjp && i < vjp->results.count; i++) {
    chosen[i] = vjp->results.data[i].role == TL_RESULT_FINAL && !(first_only && done);
    done |= chosen[i];
  }
  return sweep_flat(s, vjp, chosen, false);
}

static bool check_hessian(sweep_subject *s, const record *r) {
  uint32_t first = 0;
  while (!tl_dtype_is_float(r->arg.at[first].dtype)) {
    first++;
  }
  const char *name = s->f->cparams.data[first].name;
  tl_func *jvp = sweep_flat(s, sweep_derive(s, cotangents(s, true), TL_INTRINSIC_JVP, 1, &name), NULL, false);
  int64_t n = sweep_count(&r->arg.at[first]);
  sweep_values columns = {.count = 1};
  columns.at[0] = sweep_value_create(s, TL_F64, (tl_shape){.rank = 2, .dim = {n, n}});
  for (int64_t k = 0; k < n && !s->failed; k++) {
    sweep_values args = joined(&r->arg, &r->seed), out;
    sweep_value unit = sweep_value_create(s, TL_F64, r->arg.at[first].shape);
    unit.is_scalar = r->arg.at[first].is_scalar;
    unit.at[k] = 1;
    sweep_values_add(&args, unit);
    if (sweep_run(s, jvp, &args, false, &out)) {
      memcpy(columns.at[0].at + k * n, out.at[0].at, sizeof(double) * (size_t)n);
    }
  }
  return !s->failed && expect(s, "hessian", &columns, &r->hessian);
}

static bool check(sweep_subject *s, const record *r) {
  sweep_values out, args = joined(&r->arg, &r->tangent);
  bool on[SWEEP_MOST];
  memset(on, 1, sizeof on);
  if (!sweep_subject_read(s, r->text) || !sweep_run(s, s->f, &r->arg, false, &out) ||
      !expect(s, "value", &out, &r->value) ||
      !sweep_run(s, sweep_flat(s, sweep_derive(s, s->f, TL_INTRINSIC_JVP, 0, NULL), NULL, false), &args, false, &out) ||
      !expect(s, "jvp", &out, &r->jvp)) {
    return false;
  }
  args = joined(&r->arg, &r->seed);
  return sweep_run(s, cotangents(s, false), &args, false, &out) && expect(s, "vjp", &out, &r->vjp) &&
         (!r->hessian.count || check_hessian(s, r)) &&
         sweep_run(s, tl__batch_run(s->f, "vmap", NULL, on), &r->batch, false, &out) &&
         expect(s, "vmap", &out, &r->vmap);
}

/* Puts the largest number off; false where all are 0, or none is a number. */
static bool put_off(sweep_value *v) {
  int64_t largest = -1;
  for (int64_t i = 0; i < sweep_count(v); i++) {
    if (isfinite(v->at[i]) && v->at[i] != 0 && (largest < 0 || fabs(v->at[i]) > fabs(v->at[largest]))) {
      largest = i;
    }
  }
  if (largest >= 0) {
    v->at[largest] *= 1 + 4e-12;
  }
  return largest >= 0;
}

int main(int argc, char **argv) {
  bool off = argc == 3 && !strcmp(argv[1], "--off");
  if (argc == 2 && !strcmp(argv[1], "--samples")) {
    print_samples();
    return 0;
  }
  FILE *in = argc == 2 + off ? fopen(argv[1 + off], "r") : NULL;
  if (!in) {
    fprintf(stderr, "usage: sweep_goldens --samples | [--off] FILE\n");
    return 2;
  }
  unsigned samples = 0, without = 0, failed = 0, hessians = 0;
  unsigned long comparisons = 0;
  static sweep_subject s;
  record r;
  for (bool more = true; more;) {
    sweep_subject_init(&s, "golden", 1);
    more = read_record(in, &s, &r);
    if (more) {
      samples++;
      without += r.without;
      hessians += r.hessian.count;
      s.name = r.name;
      bool counts = !r.without && (!off || put_off(&r.value.at[0]));
      if (counts && check(&s, &r) == off) {
        printf("%s\n", off ? r.name : s.message);
        failed++;
      }
      comparisons += s.comparisons;
    }
    free(r.text);
    sweep_subject_deinit(&s);
  }
  fclose(in);
  printf("%u samples, %u hessians, %u that JAX has not, %lu comparisons, %u failed\n", samples, hessians, without,
         comparisons, failed);
  return failed || !samples;
}
