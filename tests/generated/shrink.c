#include "shrink.h"

#include <stdlib.h>
#include <string.h>

typedef struct shrinker {
  const gen_options *options;
  gen_verdict verdict;
  uint32_t *best;
  size_t count;
  unsigned trials, max_trials;
  char message[400];
} shrinker;

static bool run_tape(const gen_options *o, gen_tape *tape, uint64_t seed, gen_outcome *outcome, char **text, bool print, FILE *out) {
  gen_program p;
  if (!gen_program_init(&p, seed, 0, tape)) {
    return false;
  }
  gen_program *programs[] = {&p};
  bool ran = gen_batch_run(o, 1, programs, outcome);
  if (text) {
    *text = strdup(p.text);
  }
  if (print) {
    fprintf(out, "%s", p.text);
    fprintf(out, "/* %s%s", p.extra == GEN_EXTRA_NONE ? "" : "with ", (const char *const[]){"", "grad", "jacobian", "jacobian_reverse", "hessian"}[p.extra]);
    fprintf(out, "%s%s\n   in:", p.extra > GEN_EXTRA_GRAD ? " by " : "", p.extra > GEN_EXTRA_GRAD ? p.params[p.extra_wrt].name : "");
    for (int i = 0; i < p.in_leaf_count; i++) {
      fprintf(out, " %s%s =", p.params[p.in_leaves[i].param].name, p.in_leaves[i].path);
      for (int k = 0; k < p.in_leaves[i].count; k++) {
        fprintf(out, " %.9g", p.in[p.in_leaves[i].at + k]);
      }
    }
    fprintf(out, "; seeds:");
    for (int k = 0; k < p.out_count; k++) {
      fprintf(out, " %.9g", p.seeds[k]);
    }
    for (int i = 0; i < p.param_count; i++) {
      if (p.params[i].kind == GEN_INT) {
        fprintf(out, "; %s = %d", p.params[i].name, p.params[i].integer);
      }
    }
    fprintf(out, " */\n");
  }
  gen_program_deinit(&p);
  return ran;
}

static bool still_fails(shrinker *s, const uint32_t *data, size_t count) {
  if (s->trials >= s->max_trials) {
    return false;
  }
  s->trials++;
  gen_tape tape;
  gen_tape_init_replay(&tape, data, count);
  gen_outcome outcome = {0};
  bool ran = run_tape(s->options, &tape, 0, &outcome, NULL, false, NULL);
  size_t used = tape.at < count ? tape.at : count;
  gen_tape_deinit(&tape);
  if (!ran || outcome.verdict != s->verdict) {
    return false;
  }
  memmove(s->best, data, used * sizeof *data);
  while (used > 0 && s->best[used - 1] == 0) {
    used--;
  }
  s->count = used;
  memcpy(s->message, outcome.message, sizeof s->message);
  return true;
}

/* Chunks of falling size are taken out, then set to 0; then single decisions are lowered. Each until nothing changes. */
static void shrink(shrinker *s) {
  uint32_t *trial = malloc((s->count + 1) * sizeof *trial);
  for (bool changed = true; changed && s->trials < s->max_trials;) {
    changed = false;
    for (size_t size = s->count / 2 > 64 ? 64 : s->count / 2; size > 0; size = size * 2 / 3) {
      for (size_t at = 0; at + size <= s->count && s->trials < s->max_trials;) {
        memcpy(trial, s->best, at * sizeof *trial);
        memcpy(trial + at, s->best + at + size, (s->count - at - size) * sizeof *trial);
        if (still_fails(s, trial, s->count - size)) {
          changed = true;
          continue;
        }
        bool zero = true;
        memcpy(trial, s->best, s->count * sizeof *trial);
        for (size_t k = at; k < at + size; k++) {
          zero = zero && trial[k] == 0;
          trial[k] = 0;
        }
        if (!zero && still_fails(s, trial, s->count)) {
          changed = true;
        }
        at += size;
      }
    }
    for (size_t at = 0; at < s->count && s->trials < s->max_trials; at++) {
      for (uint32_t v = 0; v < s->best[at] && v < 3; v++) {
        memcpy(trial, s->best, s->count * sizeof *trial);
        trial[at] = v;
        if (still_fails(s, trial, s->count)) {
          changed = true;
          break;
        }
      }
    }
  }
  free(trial);
}

int gen_shrink(const gen_options *o, uint64_t seed, unsigned max_trials, FILE *out) {
  gen_tape tape;
  gen_tape_init(&tape, seed);
  gen_outcome outcome = {0};
  if (!run_tape(o, &tape, seed, &outcome, NULL, false, NULL) || outcome.verdict == GEN_PASSED) {
    fprintf(out, "seed %llu does not fail\n", (unsigned long long)seed);
    gen_tape_deinit(&tape);
    return 1;
  }
  shrinker s = {.options = o, .verdict = outcome.verdict, .count = tape.count, .max_trials = max_trials};
  s.best = malloc((tape.count + 1) * sizeof *s.best);
  memcpy(s.best, tape.data, tape.count * sizeof *s.best);
  memcpy(s.message, outcome.message, sizeof s.message);
  shrink(&s);
  fprintf(out, "/* seed %llu: %s: %s\n   %zu of %zu decisions after %u trials */\n", (unsigned long long)seed, gen_verdict_name(s.verdict), s.message, s.count,
          tape.count, s.trials);
  gen_tape least;
  gen_tape_init_replay(&least, s.best, s.count);
  run_tape(o, &least, 0, &outcome, NULL, true, out);
  gen_tape_deinit(&least);
  gen_tape_deinit(&tape);
  free(s.best);
  return 0;
}
