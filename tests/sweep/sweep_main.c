/* sweep: every row of the op table on its samples, over every surface.
 *
 *   sweep [--row NAME] [--surface NAME]
 *
 * Prints what fails, then a line per row with how many numbers each surface has compared, and ends with "N rows, N
 * samples, N comparisons, N failed". A row of which a surface compares nothing, though its class says that it must,
 * fails; so does an excluded surface that holds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sample.h"

typedef struct sweep {
  const char *only_row, *only_surface;
  tl_opcode code;
  unsigned samples, failed, excluded;
  unsigned long comparisons[TL_OP_COUNT][SURFACE_COUNT], all;
} sweep;

static void check(sweep *w, const sweep_sample *sample, bool composed) {
  for (int surface = 0; surface < SURFACE_COUNT; surface++) {
    if (w->only_surface && strcmp(w->only_surface, sweep_surface_names[surface]) != 0) {
      continue;
    }
    sweep_subject *s = malloc(sizeof *s);
    bool excluded = sample->excluded >> surface & 1;
    bool ok = sweep_sample_open(s, sample) && (!composed || sweep_compose(s)) &&
              sweep_check(s, (sweep_surface)surface, &sweep_depth_of_ops);
    if (excluded && ok && s->comparisons) {
      printf("%s%s, %s: excluded, as %s, and holds\n", sample->name, composed ? ", composed" : "",
             sweep_surface_names[surface], sample->reason);
      ok = false;
    } else if (excluded) {
      ok = true;
      w->excluded++;
    } else if (!ok) {
      printf("%s%s: %s\n", tl_op_table[w->code].name, composed ? ", composed" : "", s->message);
    }
    w->failed += !ok;
    w->comparisons[w->code][surface] += s->comparisons;
    w->all += s->comparisons;
    sweep_subject_deinit(s);
    free(s);
  }
}

static void visit(void *ctx, const sweep_sample *sample) {
  sweep *w = ctx;
  w->samples++;
  check(w, sample, false);
  if (sweep_is_composed(w->code, sample)) {
    check(w, sample, true);
  }
}

/* What the row's class says that its samples must show. */
static bool is_due(tl_opcode code, sweep_surface surface) {
  const tl_op_info *row = &tl_op_table[code];
  bool on_floats = row->operands != TL_OPERANDS_INT && row->operands != TL_OPERANDS_BOOL;
  switch (surface) {
  case SURFACE_TEXT:
  case SURFACE_BATCH:
  case SURFACE_SYMBOLIC:
  case SURFACE_NAMES:
  case SURFACE_F32:
    return true;
  case SURFACE_FORWARD:
  case SURFACE_REVERSE:
  case SURFACE_SECOND:
  case SURFACE_BATCH_DERIVED:
  case SURFACE_SMALL:
    return on_floats && (row->result == TL_RESULT_SAME || row->result == TL_RESULT_GIVEN || row->on_tensors);
  case SURFACE_COUNT:
    break;
  }
  return false;
}

static void check_row(sweep *w, tl_opcode code) {
  const tl_op_info *row = &tl_op_table[code];
  if ((!row->elementwise && !row->on_tensors) || (w->only_row && strcmp(w->only_row, row->name) != 0)) {
    return;
  }
  w->code = code;
  if (row->elementwise) {
    sweep_each_elementwise(code, visit, w);
  }
  for (const sweep_sample *s = sweep_samples_of[code]; s && s->text; s++) {
    visit(w, s);
  }
  printf("%-16s", row->name);
  for (int k = 0; k < SURFACE_COUNT; k++) {
    printf(" %8lu", w->comparisons[code][k]);
    if (!w->only_surface && is_due(code, (sweep_surface)k) && !w->comparisons[code][k]) {
      printf("\n%s has no sample for the surface '%s'\n", row->name, sweep_surface_names[k]);
      w->failed++;
    }
  }
  printf("\n");
}

int main(int argc, char **argv) {
  sweep w = {.code = 0};
  for (int i = 1; i + 1 < argc; i += 2) {
    if (!strcmp(argv[i], "--row")) {
      w.only_row = argv[i + 1];
    } else if (!strcmp(argv[i], "--surface")) {
      w.only_surface = argv[i + 1];
    } else {
      fprintf(stderr, "usage: sweep [--row NAME] [--surface NAME]\n");
      return 2;
    }
  }
  printf("%-16s", "row");
  for (int k = 0; k < SURFACE_COUNT; k++) {
    printf(" %8.8s", sweep_surface_names[k]);
  }
  printf("\n");
  unsigned rows = 0;
  for (int code = 0; code < TL_OP_COUNT; code++) {
    unsigned before = w.samples;
    check_row(&w, (tl_opcode)code);
    rows += w.samples > before;
  }
  printf("%u rows, %u samples, %lu comparisons, %u excluded, %u failed\n", rows, w.samples, w.all, w.excluded,
         w.failed);
  return w.failed != 0 || !rows;
}
