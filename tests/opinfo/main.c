/* opinfo CASES [--control]: PyTorch's OpInfo samples, forward and reverse. Every op of the table has cases, every case
 * an op of the table. With --control each case is played with one number of what is wanted altered, which has to be
 * noticed: the test's own test. */
#include <stdlib.h>
#include <string.h>

#include "ops.h"

enum { FEWEST_OPS = 120 };

/* OpInfo's names have dots and slashes where ours have underscores. */
static int find_op(const char *name) {
  char plain[64];
  snprintf(plain, sizeof plain, "%s", name);
  for (char *p = plain; *p; p++) {
    *p = strchr("./", *p) ? '_' : *p;
  }
  for (int i = 0; i < op_map_count; i++) {
    if (strcmp(op_maps[i].name, plain) == 0) {
      return i;
    }
  }
  return -1;
}

typedef struct tally {
  int samples, failed, altered, missed;
} tally;

static void play(const opcase *c, const op_map *op, bool is_control, tally *t) {
  bool is_altered;
  t->samples++;
  if (!is_control) {
    t->failed += !case_play(c, op->play, op_tolerance(op), CASE_AS_IT_IS, &is_altered);
    return;
  }
  for (int which = CASE_ALTERED_RESULT; which <= CASE_ALTERED_COTANGENT; which++) {
    bool is_same = case_play(c, op->play, op_tolerance(op), (case_control)which, &is_altered);
    t->altered += is_altered;
    t->missed += is_altered && is_same;
  }
}

int main(int argc, char **argv) {
  bool is_control = argc == 3 && strcmp(argv[2], "--control") == 0;
  FILE *file = argc == 2 || is_control ? fopen(argv[1], "r") : NULL;
  int *cases = calloc((size_t)op_map_count, sizeof *cases), ops = 0;
  if (!file || !cases) {
    fprintf(stderr, "usage: opinfo CASES [--control]\n");
    return 2;
  }
  case_file f = {.file = file};
  tally t = {0};
  const char *fault = NULL;
  opcase c;
  tl_scope scope = tl_scope_open();
  for (; case_read(&f, &c, &fault); tl_scope_close(scope), scope = tl_scope_open()) {
    int op = find_op(c.op);
    if (op < 0) {
      printf("%s: not in the table\n", c.op);
      t.failed++;
      continue;
    }
    cases[op]++;
    play(&c, &op_maps[op], is_control, &t);
  }
  tl_scope_close(scope);
  for (int i = 0; i < op_map_count; i++) {
    ops += cases[i] > 0;
    if (!cases[i]) {
      printf("%s: no case\n", op_maps[i].name);
      t.failed++;
    }
  }
  if (fault) {
    printf("line %d: %s\n", f.line, fault);
    t.failed++;
  }
  free(cases);
  free(f.text);
  fclose(file);
  if (is_control) {
    printf("%d numbers altered, %d not noticed\n", t.altered, t.missed);
    return t.altered < FEWEST_OPS || t.missed || t.failed;
  }
  printf("%d ops, %d samples, %d failed\n", ops, t.samples, t.failed);
  return ops < FEWEST_OPS || t.failed;
}
