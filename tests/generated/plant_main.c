/* generated_plants: plants faults into the transforms, one at a time, and looks whether programs find each.
 *
 *   generated_plants [--seed A] [--count N] [--cc CC] [--include DIR] [--work DIR] [--only NAME] [--may-miss N]
 *
 * Programs count only where they pass without a fault; that they do is the control. Prints which program found each
 * fault, and ends with "N faults, N found"; exit status 1 where one was not found or the control failed. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "batch.h"
#include "interp_lane.h"
#include "options.h"
#include "plant.h"

enum { BATCH = 400 };

typedef struct hunt {
  gen_program *programs[BATCH];
  unsigned count;
  gen_outcome *outcomes; /* shared; without a fault */
  gen_unit unit;
  gen_reference_fn *const *references;
  gen_primal_fn *const *plains;
  gen_verdict *verdict; /* shared: what found the fault */
  unsigned *program;    /* shared: the program that did */
} hunt;

static void check(hunt *h, unsigned i, gen_outcome *o) {
  gen_derived d;
  gen_record record;
  if (gen_derived_init(&d, &h->unit, h->programs[i], o) && gen_derived_derive(&d)) {
    gen_fault_spoil(&d);
    gen_target t = gen_derived_target(&d, h->references[i], h->plains[i]);
    gen_check(h->programs[i], &t, &record);
  }
  gen_derived_deinit(&d);
}

static void control(void *ctx, unsigned i) {
  hunt *h = ctx;
  check(h, i, &h->outcomes[i]);
}

/* One work item: all programs until one finds the planted fault. A crash or an endless loop finds it too. */
static void look(void *ctx, unsigned unused) {
  (void)unused;
  hunt *h = ctx;
  for (unsigned i = 0; i < h->count; i++) {
    if (h->outcomes[i].verdict == GEN_PASSED) {
      gen_outcome o = {0};
      *h->program = i;
      check(h, i, &o);
      if (o.verdict != GEN_PASSED) {
        *h->verdict = o.verdict;
        return;
      }
    }
  }
}

static void make_programs(hunt *h, uint64_t seed, unsigned count) {
  for (h->count = 0; count > 0; count--, seed++) {
    gen_tape tape;
    gen_tape_init(&tape, seed);
    h->programs[h->count] = malloc(sizeof *h->programs[0]);
    if (gen_program_init(h->programs[h->count], seed, h->count, &tape)) {
      h->count++;
    } else {
      free(h->programs[h->count]);
    }
    gen_tape_deinit(&tape);
  }
}

static bool write_and_load(const gen_options *o, hunt *h) {
  static unsigned serial;
  char path[512], text[2048];
  static const char *const names[] = {
      [GEN_FILE_FRONT] = "front", [GEN_FILE_PLAIN] = "plain", [GEN_FILE_REFERENCE] = "reference"};
  serial++;
  for (int k = 0; k < 4; k++) {
    if (names[k]) {
      gen_set(path, sizeof path, "%s/%s.c", o->work, names[k]);
      FILE *out = fopen(path, "w");
      if (!out) {
        perror(path);
        return false;
      }
      gen_write(out, (gen_file)k, h->count, h->programs);
      fclose(out);
    }
  }
  gen_set(text, sizeof text,
          "%s -std=gnu17 -w -O0 -ffp-contract=off -fno-builtin -fPIC -shared %s/reference.c %s/plain.c -o "
          "%s/plants%u.so -lm",
          o->cc, o->work, o->work, o->work, serial);
  gen_set(path, sizeof path, "%s/plants%u.so", o->work, serial);
  void *handle = system(text) == 0 ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
  h->references = handle ? dlsym(handle, "gen_reference_table") : NULL;
  h->plains = handle ? dlsym(handle, "gen_plain_table") : NULL;
  gen_set(path, sizeof path, "%s/front.c", o->work);
  return h->references && h->plains && gen_unit_read(&h->unit, path, o->include);
}

int main(int argc, char **argv) {
  gen_options o = {.cc = "gcc", .include = "include", .seconds = 60};
  uint64_t seed = 1;
  unsigned count = 2000, may_miss = 0;
  const char *only = NULL;
  for (int i = 1; i < argc; i++) {
    const char *a = argv[i];
    if (!strcmp(a, "--seed")) {
      seed = strtoull(gen_option_value(argc, argv, &i), NULL, 10);
    } else if (!strcmp(a, "--count")) {
      count = (unsigned)strtoul(gen_option_value(argc, argv, &i), NULL, 10);
    } else if (!strcmp(a, "--cc")) {
      o.cc = gen_option_value(argc, argv, &i);
    } else if (!strcmp(a, "--include")) {
      o.include = gen_option_value(argc, argv, &i);
    } else if (!strcmp(a, "--work")) {
      o.work = gen_option_value(argc, argv, &i);
    } else if (!strcmp(a, "--only")) {
      only = gen_option_value(argc, argv, &i);
    } else if (!strcmp(a, "--may-miss")) {
      may_miss = (unsigned)strtoul(gen_option_value(argc, argv, &i), NULL, 10);
    } else {
      fprintf(stderr, "generated_plants: unknown option %s\n", a);
      return 2;
    }
  }
  o.work = gen_work_folder(o.work);
  hunt *h = calloc(1, sizeof *h);
  h->outcomes = gen_shared(sizeof *h->outcomes * BATCH);
  h->verdict = gen_shared(sizeof *h->verdict);
  h->program = gen_shared(sizeof *h->program);
  gen_outcome *outcome = gen_shared(sizeof *outcome);
  unsigned fault_count = gen_fault_count(), found = 0, wanted = 0, failing = 0;
  bool *is_found = calloc(fault_count, sizeof *is_found);
  char errors[512];
  gen_set(errors, sizeof errors, "%s/plants.err", o.work);
  for (unsigned f = 0; f < fault_count; f++) {
    is_found[f] = only && !strstr(gen_fault_name(f), only);
    wanted += !is_found[f];
  }
  for (unsigned done = 0; done < count && found < wanted; done += BATCH) {
    make_programs(h, seed + done, count - done < BATCH ? count - done : BATCH);
    if (!write_and_load(&o, h)) {
      return 2;
    }
    memset(h->outcomes, 0, sizeof *h->outcomes * BATCH);
    gen_fault_plant(UINT32_MAX);
    gen_isolated(h->count, h->outcomes, o.seconds, errors, NULL, control, h);
    for (unsigned i = 0; i < h->count; i++) {
      if (h->outcomes[i].verdict != GEN_PASSED) {
        failing++;
        printf("control: seed %llu: %s: %s\n", (unsigned long long)h->programs[i]->seed,
               gen_verdict_name(h->outcomes[i].verdict), h->outcomes[i].message);
      }
    }
    for (unsigned f = 0; f < fault_count; f++) {
      if (is_found[f]) {
        continue;
      }
      *outcome = (gen_outcome){0};
      *h->verdict = GEN_PASSED;
      gen_fault_plant(f);
      gen_isolated(1, outcome, 600, errors, NULL, look, h);
      gen_verdict v = outcome->verdict != GEN_PASSED ? outcome->verdict : *h->verdict;
      if (v != GEN_PASSED) {
        is_found[f] = true;
        found++;
        printf("%-50s %s by program %u\n", gen_fault_name(f), gen_verdict_name(v), done + *h->program + 1);
        fflush(stdout);
      }
    }
    gen_unit_deinit(&h->unit);
    for (unsigned i = 0; i < h->count; i++) {
      gen_program_deinit(h->programs[i]);
      free(h->programs[i]);
    }
  }
  for (unsigned f = 0; f < fault_count; f++) {
    if (!is_found[f]) {
      printf("NOT FOUND: %s\n", gen_fault_name(f));
    }
  }
  printf("%u faults, %u found, %u programs of the control failed\n", wanted, found, failing);
  free(is_found);
  free(h);
  return found + may_miss < wanted || failing > 0;
}
