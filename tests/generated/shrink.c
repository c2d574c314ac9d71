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

static bool run_tape(const gen_options *o, gen_tape *tape, uint64_t seed, gen_outcome *outcome, char **text, bool print,
                     FILE *out) {
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
    fprintf(out, "/* %s%s", p.extra == GEN_EXTRA_NONE ? "" : "with ",
            (const char *const[]){"", "grad", "jacobian", "jacobian_reverse", "hessian"}[p.extra]);
    fprintf(out, "%s%s\n   in:", p.extra > GEN_EXTRA_GRAD ? " by " : "",
            p.extra > GEN_EXTRA_GRAD ? p.params[p.extra_wrt].name : "");
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

enum { TRIES = 48 };

typedef struct candidate {
  uint32_t *data;
  size_t count;
} candidate;

/* Tries all candidates in one batch and keeps the shortest one that fails as before. False where none does. */
static bool try_candidates(shrinker *s, candidate *c, unsigned count) {
  gen_program programs[TRIES];
  gen_program *list[TRIES];
  gen_outcome outcomes[TRIES];
  unsigned of[TRIES], made = 0;
  memset(outcomes, 0, sizeof outcomes);
  for (unsigned i = 0; i < count; i++) {
    gen_tape tape;
    gen_tape_init_replay(&tape, c[i].data, c[i].count);
    if (gen_program_init(&programs[made], 0, made, &tape)) {
      c[i].count = tape.at < c[i].count ? tape.at : c[i].count;
      of[made] = i;
      list[made] = &programs[made];
      made++;
    }
    gen_tape_deinit(&tape);
  }
  s->trials += count;
  candidate *best = NULL;
  if (made && gen_batch_run(s->options, made, list, outcomes)) {
    for (unsigned i = 0; i < made; i++) {
      if (outcomes[i].verdict == s->verdict && (!best || c[of[i]].count < best->count)) {
        best = &c[of[i]];
        memcpy(s->message, outcomes[i].message, sizeof s->message);
      }
    }
  }
  for (unsigned i = 0; i < made; i++) {
    gen_program_deinit(&programs[i]);
  }
  if (best) {
    memcpy(s->best, best->data, best->count * sizeof *s->best);
    for (s->count = best->count; s->count > 0 && s->best[s->count - 1] == 0;) {
      s->count--;
    }
  }
  return best;
}

/* All ways to take `size` decisions out, or to set them to 0, from position `at` on; the number of candidates made. */
static unsigned propose(const shrinker *s, size_t size, bool zeroes, size_t *at, candidate *c) {
  unsigned n = 0;
  for (; *at + size <= s->count && n < TRIES; *at += zeroes ? size : (size + 1) / 2) {
    bool changes = !zeroes;
    for (size_t k = *at; k < *at + size; k++) {
      changes = changes || s->best[k] != 0;
    }
    if (!changes) {
      continue;
    }
    memcpy(c[n].data, s->best, s->count * sizeof *s->best);
    c[n].count = s->count;
    if (zeroes) {
      memset(c[n].data + *at, 0, size * sizeof *s->best);
    } else {
      memmove(c[n].data + *at, s->best + *at + size, (s->count - *at - size) * sizeof *s->best);
      c[n].count -= size;
    }
    n++;
  }
  return n;
}

/* Chunks of falling size are taken out, then set to 0; then single decisions are lowered. Each until nothing changes.
 */
static void shrink(shrinker *s) {
  candidate c[TRIES];
  size_t capacity = s->count + 1;
  for (unsigned i = 0; i < TRIES; i++) {
    c[i].data = malloc(capacity * sizeof *c[i].data);
  }
  for (bool changed = true; changed && s->trials < s->max_trials;) {
    changed = false;
    for (size_t size = s->count / 2 > 1 ? s->count / 2 : 1; size > 0 && s->trials < s->max_trials;
         size = size * 3 / 5) {
      for (int zeroes = 0; zeroes < 2; zeroes++) {
        size_t at = 0;
        while (at + size <= s->count && s->trials < s->max_trials) {
          size_t from = at;
          unsigned n = propose(s, size, zeroes, &at, c);
          if (n && try_candidates(s, c, n)) {
            changed = true;
            at = from > size ? from - size : 0;
          } else if (!n) {
            break;
          }
        }
      }
    }
    for (size_t at = 0; at < s->count && s->trials < s->max_trials;) {
      unsigned n = 0;
      size_t from = at;
      for (; at < s->count && n + 2 <= TRIES; at++) {
        for (uint32_t v = 0; v < s->best[at] && v < 2; v++) {
          memcpy(c[n].data, s->best, s->count * sizeof *s->best);
          c[n].data[at] = v ? s->best[at] / 2 : 0;
          c[n++].count = s->count;
        }
      }
      if (n && try_candidates(s, c, n)) {
        changed = true;
        at = from;
      }
    }
  }
  for (unsigned i = 0; i < TRIES; i++) {
    free(c[i].data);
  }
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
  gen_options less = *o; /* what fails before anything runs needs no compiler */
  less.interprets = false;
  less.level_count = 0;
  gen_outcome early = {0};
  gen_tape again;
  gen_tape_init(&again, seed);
  if (run_tape(&less, &again, seed, &early, NULL, false, NULL) && early.verdict == outcome.verdict) {
    o = &less;
  }
  gen_tape_deinit(&again);
  shrinker s = {.options = o, .verdict = outcome.verdict, .count = tape.count, .max_trials = max_trials};
  s.best = malloc((tape.count + 1) * sizeof *s.best);
  memcpy(s.best, tape.data, tape.count * sizeof *s.best);
  memcpy(s.message, outcome.message, sizeof s.message);
  shrink(&s);
  fprintf(out, "/* seed %llu: %s: %s\n   %zu of %zu decisions after %u trials */\n", (unsigned long long)seed,
          gen_verdict_name(s.verdict), s.message, s.count, tape.count, s.trials);
  gen_tape least;
  gen_tape_init_replay(&least, s.best, s.count);
  run_tape(o, &least, 0, &outcome, NULL, true, out);
  gen_tape_deinit(&least);
  gen_tape_deinit(&tape);
  free(s.best);
  return 0;
}
