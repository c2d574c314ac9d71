/* sweep_plants: plants faults, one at a time, and looks whether the sweep or the random graphs find each.
 *
 *   sweep_plants [--only TEXT] [--graphs N]
 *
 * The row that the fault is about comes first, then every row, then N graphs (default 300). Prints what found each
 * fault, and ends with "N faults, N found"; exit status 1 where one was not found, or where something fails without. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "graph.h"
#include "plant.h"
#include "sample.h"

static struct shared {
  char by[128];
} *shared; /* with the process that looks */

static bool excluded(const sweep_sample *sample, int surface) { return sample->excluded >> surface & 1; }

/* Ends the process where the sample fails: the fault is found. */
static void try_sample(void *ctx, const sweep_sample *sample) {
  static sweep_subject s;
  const tl_opcode *code = ctx;
  for (int composed = 0; composed <= sweep_is_composed(*code, sample); composed++) {
    for (int surface = 0; surface < SURFACE_COUNT; surface++) {
      if (excluded(sample, surface)) {
        continue;
      }
      snprintf(shared->by, sizeof shared->by, "%s, %s", sample->name, sweep_surface_names[surface]);
      bool ok = sweep_sample_open(&s, sample) && (!composed || sweep_compose(&s)) &&
                sweep_check(&s, (sweep_surface)surface, &sweep_depth_of_ops);
      sweep_subject_deinit(&s);
      if (!ok) {
        _exit(1);
      }
    }
  }
}

static void try_row(tl_opcode code) {
  if (tl_op_table[code].elementwise) {
    sweep_each_elementwise(code, try_sample, &code);
  }
  for (const sweep_sample *s = sweep_samples_of[code]; s && s->text; s++) {
    try_sample(&code, s);
  }
}

static void try_graphs(uint64_t count) {
  static sweep_subject s;
  for (uint64_t seed = 1; seed <= count; seed++) {
    for (int surface = 0; surface < SURFACE_COUNT; surface++) {
      gen_tape tape;
      unsigned steps[STEP_COUNT] = {0};
      gen_tape_init(&tape, seed);
      sweep_subject_init(&s, "graph", seed);
      snprintf(shared->by, sizeof shared->by, "graph %llu, %s", (unsigned long long)seed, sweep_surface_names[surface]);
      bool ok = sweep_graph_make(&s, &tape, steps) && sweep_check(&s, (sweep_surface)surface, &sweep_depth_of_graphs);
      sweep_subject_deinit(&s);
      gen_tape_deinit(&tape);
      if (!ok) {
        _exit(1);
      }
    }
  }
}

/* In a process of its own: a crash or an endless loop finds the fault too. */
static bool finds(unsigned fault, uint64_t graphs) {
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    alarm(120);
    if (!freopen("/dev/null", "w", stderr)) {
      _exit(2);
    }
    sweep_fault_plant(fault);
    tl_opcode row = sweep_fault_row(fault);
    if (row < TL_OP_COUNT) {
      try_row(row);
    }
    for (int code = 0; code < TL_OP_COUNT && tl_op_table[row < TL_OP_COUNT ? row : 0].elementwise; code++) {
      try_row((tl_opcode)(TL_OP_COUNT - 1 - code)); /* those about tensors first */
    }
    try_graphs(graphs);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return !WIFEXITED(status) || WEXITSTATUS(status);
}

int main(int argc, char **argv) {
  const char *only = NULL;
  uint64_t graphs = 300;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (!strcmp(argv[i], "--only")) {
      only = argv[i + 1];
    } else if (!strcmp(argv[i], "--graphs")) {
      graphs = strtoull(argv[i + 1], NULL, 10);
    } else {
      fprintf(stderr, "usage: sweep_plants [--only TEXT] [--graphs N]\n");
      return 2;
    }
  }
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  unsigned wanted = 0, found = 0;
  bool fails = finds(UINT32_MAX, graphs);
  if (fails) {
    printf("without a fault it fails: %s\n", shared->by);
  }
  for (unsigned f = 0; f < sweep_fault_count(); f++) {
    if (only && !strstr(sweep_fault_name(f), only)) {
      continue;
    }
    wanted++;
    bool is_found = finds(f, graphs);
    found += is_found;
    printf("%-50s %s%s\n", sweep_fault_name(f), is_found ? "by " : "NOT FOUND", is_found ? shared->by : "");
  }
  printf("%u faults, %u found\n", wanted, found);
  return fails || found < wanted || !wanted;
}
