/* sweep_graphs: random functions on tensors over every surface.
 *
 *   sweep_graphs [--seed A] [--count N]
 *   sweep_graphs --show SEED | --shrink SEED
 *
 * Each graph is checked in a process of its own: a crash is the outcome of that graph alone. Prints what fails, cut
 * down to the shortest list of decisions that fails alike, then how often each step was made, and ends with "N graphs,
 * N comparisons, N unsettled, N failed". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "graph.h"
#include "surface.h"

typedef struct outcome {
  bool failed;
  char surface[32], message[6000];
  unsigned comparisons, unsettled, steps[STEP_COUNT];
} outcome;

static void check(gen_tape *tape, outcome *o) {
  static sweep_subject s;
  for (int surface = 0; surface < SURFACE_COUNT && !o->failed; surface++) {
    gen_tape again;
    gen_tape_init_replay(&again, tape->data, tape->count);
    unsigned steps[STEP_COUNT] = {0};
    snprintf(o->surface, sizeof o->surface, "%s", sweep_surface_names[surface]);
    sweep_subject_init(&s, "graph", 1 + tape->count);
    bool ok = sweep_graph_make(&s, &again, steps) && sweep_check(&s, (sweep_surface)surface, &sweep_depth_of_graphs);
    o->failed = !ok;
    memcpy(o->message, s.message, sizeof o->message);
    memcpy(o->steps, steps, sizeof steps);
    o->comparisons += s.comparisons;
    o->unsettled += s.unsettled;
    sweep_subject_deinit(&s);
    gen_tape_deinit(&again);
  }
}

static outcome *shared; /* with the process that checks */

/* Checks in a process of its own, which ends after 20 seconds. */
static const outcome *run(gen_tape *tape) {
  memset(shared, 0, sizeof *shared);
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    alarm(20);
    check(tape, shared);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status)) {
    shared->failed = true;
    snprintf(shared->message, sizeof shared->message, "ends by signal %d on %s", WTERMSIG(status), shared->surface);
  }
  return shared;
}

/* What fails on the same surface, by a crash or not, fails alike. */
static bool fails_alike(const uint32_t *data, size_t count, const outcome *as) {
  gen_tape tape;
  gen_tape_init_replay(&tape, data, count);
  const outcome *o = run(&tape);
  gen_tape_deinit(&tape);
  return o->failed && !strcmp(o->surface, as->surface) && !strncmp(o->message, as->message, 8);
}

/* Takes stretches of decisions out, sets decisions to 0, and halves them, while it fails alike. */
static size_t shrink(uint32_t *data, size_t count, const outcome *as) {
  uint32_t *trial = malloc((count + 1) * sizeof *trial);
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t size = count / 2; size > 0; size /= 2) {
      for (size_t at = 0; at + size <= count;) {
        memcpy(trial, data, at * sizeof *trial);
        memcpy(trial + at, data + at + size, (count - at - size) * sizeof *trial);
        if (fails_alike(trial, count - size, as)) {
          count -= size;
          memcpy(data, trial, count * sizeof *trial);
          changed = true;
        } else {
          at += size;
        }
      }
    }
    for (size_t at = 0; at < count; at++) {
      for (uint32_t v = 0; v < 2 && data[at] > v; v++) {
        memcpy(trial, data, count * sizeof *trial);
        trial[at] = v ? data[at] / 2 : 0;
        if (fails_alike(trial, count, as)) {
          memcpy(data, trial, count * sizeof *trial);
          changed = true;
          break;
        }
      }
    }
  }
  free(trial);
  return count;
}

static void show(gen_tape *tape) {
  static sweep_subject s;
  unsigned steps[STEP_COUNT] = {0};
  sweep_subject_init(&s, "graph", 1);
  sweep_graph_make(&s, tape, steps);
  tl_module_print(s.module, stdout);
  sweep_subject_deinit(&s);
}

/* A list of decisions that makes the same graph as the seed, replayed. */
static void decisions_of(uint64_t seed, gen_tape *out) {
  static sweep_subject s;
  unsigned steps[STEP_COUNT] = {0};
  gen_tape tape;
  gen_tape_init(&tape, seed);
  sweep_subject_init(&s, "graph", 1);
  sweep_graph_make(&s, &tape, steps);
  sweep_subject_deinit(&s);
  gen_tape_init_replay(out, tape.data, tape.count);
  gen_tape_deinit(&tape);
}

static void report(gen_tape *tape, uint64_t seed) {
  outcome as = *run(tape);
  printf("seed %llu: %s\n", (unsigned long long)seed, as.message);
  if (as.failed) {
    size_t count = shrink(tape->data, tape->count, &as);
    gen_tape least;
    gen_tape_init_replay(&least, tape->data, count);
    printf("%zu of %zu decisions:\n", count, tape->count);
    show(&least);
    gen_tape_deinit(&least);
    gen_tape_init_replay(&least, tape->data, count);
    printf("%s\n", run(&least)->message);
    gen_tape_deinit(&least);
  }
}

int main(int argc, char **argv) {
  uint64_t seed = 1, count = 2000, only = 0;
  bool shows = false;
  for (int i = 1; i + 1 < argc; i += 2) {
    uint64_t v = strtoull(argv[i + 1], NULL, 10);
    if (!strcmp(argv[i], "--seed")) {
      seed = v;
    } else if (!strcmp(argv[i], "--count")) {
      count = v;
    } else if (!strcmp(argv[i], "--show") || !strcmp(argv[i], "--shrink")) {
      only = v;
      shows = !strcmp(argv[i], "--show");
    } else {
      fprintf(stderr, "usage: sweep_graphs [--seed A] [--count N] | --show SEED | --shrink SEED\n");
      return 2;
    }
  }
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  unsigned long comparisons = 0, unsettled = 0, failed = 0, steps[STEP_COUNT] = {0};
  for (uint64_t k = only ? only : seed; k < (only ? only + 1 : seed + count); k++) {
    gen_tape tape;
    decisions_of(k, &tape);
    if (only && shows) {
      show(&tape);
    } else if (only) {
      report(&tape, k);
    } else {
      const outcome *o = run(&tape);
      comparisons += o->comparisons;
      unsettled += o->unsettled;
      for (int i = 0; i < STEP_COUNT; i++) {
        steps[i] += o->steps[i];
      }
      if (o->failed && ++failed <= 3) {
        report(&tape, k);
      } else if (o->failed) {
        printf("seed %llu: %s: %.200s\n", (unsigned long long)k, o->surface, o->message);
      }
    }
    gen_tape_deinit(&tape);
  }
  if (only) {
    return 0;
  }
  for (int i = 0; i < STEP_COUNT; i++) {
    printf("%s %lu%s", sweep_step_names[i], steps[i], i + 1 < STEP_COUNT ? ", " : "\n");
    failed += count >= 1000 && !steps[i];
  }
  printf("%llu graphs, %lu comparisons, %lu unsettled, %lu failed\n", (unsigned long long)count, comparisons, unsettled,
         failed);
  return failed != 0;
}
