/* generated: checks the derivatives of programs made from seeds.
 *
 *   generated [--seed A] [--count N] [--lane interp|compiled|both] [--opt -O0]... [--batch N] [--jobs N] [--flags TEXT]
 *             [--tlalocc PATH] [--cc CC] [--include DIR] [--work DIR] [--log FILE] [--show SEED] [--shrink SEED
 * [--trials N]]
 *
 * Ends with the mix of the programs and a line "N programs, N failed"; exit status 1 where one failed. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "batch.h"
#include "options.h"
#include "shrink.h"

typedef struct totals {
  unsigned programs, failed, by_verdict[GEN_VERDICT_COUNT], by_feature[GEN_FEATURE_COUNT], by_extra[5], by_batched[4];
  unsigned long long entries, untrusted;
} totals;

static void run_batch(const gen_options *o, uint64_t seed, unsigned count, totals *t) {
  gen_program **programs = calloc(count, sizeof *programs);
  gen_outcome *outcomes = calloc(count, sizeof *outcomes);
  unsigned made = 0;
  for (unsigned i = 0; i < count; i++) {
    gen_tape tape;
    gen_tape_init(&tape, seed + i);
    programs[made] = malloc(sizeof **programs);
    if (gen_program_init(programs[made], seed + i, made, &tape)) {
      made++;
    } else {
      free(programs[made]);
    }
    gen_tape_deinit(&tape);
  }
  if (!gen_batch_run(o, made, programs, outcomes)) {
    exit(2);
  }
  for (unsigned i = 0; i < made; i++) {
    const gen_program *p = programs[i];
    t->programs++;
    t->by_verdict[outcomes[i].verdict]++;
    t->by_extra[p->extra]++;
    t->by_batched[p->batched]++;
    t->entries += outcomes[i].entries;
    t->untrusted += outcomes[i].untrusted;
    for (int f = 0; f < GEN_FEATURE_COUNT; f++) {
      t->by_feature[f] += p->features >> f & 1;
    }
    if (outcomes[i].verdict == GEN_COMPILER) {
      printf("seed %llu: the C compiler's fault: %s\n", (unsigned long long)p->seed, outcomes[i].message);
    } else if (outcomes[i].verdict != GEN_PASSED) {
      t->failed++;
      printf("FAILED seed %llu: %s: %s\n", (unsigned long long)p->seed, gen_verdict_name(outcomes[i].verdict),
             outcomes[i].message);
    }
    gen_program_deinit(programs[i]);
    free(programs[i]);
  }
  fflush(stdout);
  free(programs);
  free(outcomes);
}

static void print_totals(const totals *t) {
  printf("mix:");
  for (int f = 0; f < GEN_FEATURE_COUNT; f++) {
    printf(" %s %u%s", gen_feature_names[f], t->by_feature[f], f + 1 < GEN_FEATURE_COUNT ? "," : "\n");
  }
  printf("beside vjp and jvp: grad %u, jacobian %u, jacobian_reverse %u, hessian %u\n", t->by_extra[1], t->by_extra[2],
         t->by_extra[3], t->by_extra[4]);
  printf("batches: of functions %u, of vjps %u, vjps of batches %u\n", t->by_batched[1], t->by_batched[2],
         t->by_batched[3]);
  printf("entries compared with differences %llu, of which differences do not settle %llu\n", t->entries, t->untrusted);
  for (int v = 1; v < GEN_VERDICT_COUNT; v++) {
    if (t->by_verdict[v]) {
      printf("%s %u\n", gen_verdict_name((gen_verdict)v), t->by_verdict[v]);
    }
  }
  printf("%u programs, %u failed\n", t->programs, t->failed);
}

static void add_totals(totals *t, const totals *more) {
  t->programs += more->programs;
  t->failed += more->failed;
  t->entries += more->entries;
  t->untrusted += more->untrusted;
  for (int i = 0; i < GEN_VERDICT_COUNT; i++) {
    t->by_verdict[i] += more->by_verdict[i];
  }
  for (int i = 0; i < GEN_FEATURE_COUNT; i++) {
    t->by_feature[i] += more->by_feature[i];
  }
  for (int i = 0; i < 5; i++) {
    t->by_extra[i] += more->by_extra[i];
  }
  for (int i = 0; i < 4; i++) {
    t->by_batched[i] += more->by_batched[i];
  }
}

/* Job j takes every jobs-th batch, in a folder and a process of its own. */
static totals run_all(const gen_options *o, uint64_t seed, unsigned count, unsigned batch, unsigned jobs) {
  totals *shared = gen_shared(sizeof *shared * jobs), sum = {0};
  bool good = true;
  for (unsigned j = 0; j < jobs; j++) {
    fflush(NULL);
    if (fork() == 0) {
      gen_options mine = *o;
      char work[512];
      gen_set(work, sizeof work, "%s/%u", o->work, j);
      mine.work = work;
      if (mkdir(work, 0777) != 0 && errno != EEXIST) {
        perror(work);
        exit(2);
      }
      for (unsigned done = j * batch; done < count; done += jobs * batch) {
        run_batch(&mine, seed + done, count - done < batch ? count - done : batch, &shared[j]);
      }
      exit(0);
    }
  }
  for (unsigned j = 0; j < jobs; j++) {
    int status;
    good = wait(&status) > 0 && status == 0 && good;
  }
  for (unsigned j = 0; j < jobs; j++) {
    add_totals(&sum, &shared[j]);
  }
  gen_shared_free(shared, sizeof *shared * jobs);
  if (!good) {
    exit(2);
  }
  return sum;
}

static int show(uint64_t seed) {
  gen_program p;
  gen_tape tape;
  gen_tape_init(&tape, seed);
  if (gen_program_init(&p, seed, 0, &tape)) {
    gen_program *programs[] = {&p};
    gen_write(stdout, GEN_FILE_COMPILED, 1, programs);
    gen_program_deinit(&p);
  }
  gen_tape_deinit(&tape);
  return 0;
}

int main(int argc, char **argv) {
  gen_options o = {
      .cc = "gcc", .tlalocc = "tlalocc", .include = "include", .flags = "", .seconds = 30, .interprets = true};
  uint64_t seed = 1;
  unsigned count = 200, batch = 250, trials = 1500, jobs = 1;
  const char *lane = "interp", *log = NULL, *shrinks = NULL, *shows = NULL;
  for (int i = 1; i < argc; i++) {
    const char *a = argv[i];
    if (!strcmp(a, "--seed")) {
      seed = strtoull(gen_option_value(argc, argv, &i), NULL, 10);
    } else if (!strcmp(a, "--count")) {
      count = (unsigned)strtoul(gen_option_value(argc, argv, &i), NULL, 10);
    } else if (!strcmp(a, "--batch")) {
      batch = (unsigned)strtoul(gen_option_value(argc, argv, &i), NULL, 10);
    } else if (!strcmp(a, "--jobs")) {
      jobs = (unsigned)strtoul(gen_option_value(argc, argv, &i), NULL, 10);
    } else if (!strcmp(a, "--lane")) {
      lane = gen_option_value(argc, argv, &i);
    } else if (!strcmp(a, "--opt") && o.level_count < GEN_MAX_LEVELS) {
      o.levels[o.level_count++] = gen_option_value(argc, argv, &i);
    } else if (!strcmp(a, "--flags")) {
      o.flags = gen_option_value(argc, argv, &i);
    } else if (!strcmp(a, "--tlalocc")) {
      o.tlalocc = gen_option_value(argc, argv, &i);
    } else if (!strcmp(a, "--cc")) {
      o.cc = gen_option_value(argc, argv, &i);
    } else if (!strcmp(a, "--include")) {
      o.include = gen_option_value(argc, argv, &i);
    } else if (!strcmp(a, "--work")) {
      o.work = gen_option_value(argc, argv, &i);
    } else if (!strcmp(a, "--log")) {
      log = gen_option_value(argc, argv, &i);
    } else if (!strcmp(a, "--shrink")) {
      shrinks = gen_option_value(argc, argv, &i);
    } else if (!strcmp(a, "--trials")) {
      trials = (unsigned)strtoul(gen_option_value(argc, argv, &i), NULL, 10);
    } else if (!strcmp(a, "--show")) {
      shows = gen_option_value(argc, argv, &i);
    } else {
      fprintf(stderr, "generated: unknown option %s\n", a);
      return 2;
    }
  }
  if (shows) {
    return show(strtoull(shows, NULL, 10));
  }
  jobs = jobs < 1 ? 1 : jobs;
  batch = batch < 1 ? 1 : batch > GEN_MAX_BATCH ? GEN_MAX_BATCH : batch;
  o.interprets = strcmp(lane, "compiled") != 0;
  if (!strcmp(lane, "interp")) {
    o.level_count = 0;
  } else if (!o.level_count) {
    o.levels[o.level_count++] = "-O0";
    o.levels[o.level_count++] = "-O2";
  }
  o.work = gen_work_folder(o.work);
  if (shrinks) {
    return gen_shrink(&o, strtoull(shrinks, NULL, 10), trials, stdout);
  }
  time_t begun = time(NULL);
  totals t = run_all(&o, seed, count, batch, jobs);
  print_totals(&t);
  if (log) {
    FILE *out = fopen(log, "a");
    if (!out) {
      perror(log);
      return 2;
    }
    fprintf(out, "seeds %llu..%llu lane %s", (unsigned long long)seed, (unsigned long long)(seed + count - 1), lane);
    for (int k = 0; k < o.level_count; k++) {
      fprintf(out, " %s", o.levels[k]);
    }
    fprintf(out, ": %u programs, %u failed, %llu entries, %llu unsettled, %ld s\n", t.programs, t.failed, t.entries,
            t.untrusted, (long)(time(NULL) - begun));
    fclose(out);
  }
  return t.failed > 0;
}
