#include "batch.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "interp_lane.h"

/* --- isolation --- */

void *gen_shared(size_t bytes) {
  void *m = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (m == MAP_FAILED) {
    perror("mmap");
    exit(2);
  }
  return m;
}

void gen_shared_free(void *m, size_t bytes) { munmap(m, bytes); }

/* The last line of a file that says something. */
static void last_line(const char *path, char *text, size_t size) {
  FILE *in = fopen(path, "r");
  char line[400];
  *text = '\0';
  while (in && fgets(line, sizeof line, in)) {
    line[strcspn(line, "\n")] = '\0';
    bool better = strstr(line, "Assertion") || strstr(line, "ERROR") || strstr(line, "runtime error") || !*text;
    if (*line && better) {
      gen_set(text, size, "%s", line);
    }
  }
  if (in) {
    fclose(in);
  }
}

static void child(unsigned from, unsigned count, unsigned *current, gen_outcome *outcomes, unsigned seconds,
                  const char *errors, bool (*prepare)(void *), gen_work_fn *work, void *ctx) {
  if (!freopen(errors, "w", stderr)) {
    _exit(3);
  }
  *current = from;
  alarm(120);
  if (prepare && !prepare(ctx)) {
    fflush(NULL);
    _exit(3);
  }
  for (unsigned i = from; i < count; i++) {
    *current = i;
    alarm(seconds);
    if (outcomes[i].verdict == GEN_PASSED) {
      work(ctx, i);
    }
  }
  alarm(0);
  fflush(NULL);
  _exit(0);
}

void gen_isolated(unsigned count, gen_outcome *outcomes, unsigned seconds, const char *errors, bool (*prepare)(void *),
                  gen_work_fn *work, void *ctx) {
  if (getenv("GEN_INLINE")) { /* for a debugger */
    for (unsigned i = 0; (!prepare || prepare(ctx)) && i < count; i++) {
      work(ctx, i);
    }
    return;
  }
  unsigned *current = gen_shared(sizeof *current);
  fflush(NULL);
  for (unsigned from = 0; from < count;) {
    pid_t pid = fork();
    if (pid == 0) {
      child(from, count, current, outcomes, seconds, errors, prepare, work, ctx);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
      break;
    }
    gen_outcome *o = &outcomes[*current];
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) {
      o->verdict = GEN_TIMEOUT;
    } else {
      o->verdict = GEN_CRASHED;
      char text[300];
      last_line(errors, text, sizeof text);
      gen_set(o->message, sizeof o->message, "%s %d: %s", WIFSIGNALED(status) ? "signal" : "status",
              WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status), text);
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 3) { /* not prepared: the same would happen to the next */
      for (unsigned i = *current; i < count; i++) {
        outcomes[i] = *o;
      }
      break;
    }
    from = *current + 1;
  }
  gen_shared_free(current, sizeof *current);
}

/* --- files --- */

static bool write_file(const gen_options *o, const char *name, gen_file kind, unsigned count,
                       gen_program *const programs[]) {
  char path[512];
  gen_set(path, sizeof path, "%s/%s", o->work, name);
  FILE *out = fopen(path, "w");
  if (!out) {
    perror(path);
    return false;
  }
  gen_write(out, kind, count, programs);
  return fclose(out) == 0;
}

__attribute__((format(printf, 1, 2))) static bool command(const char *format, ...) {
  char *text;
  va_list args;
  va_start(args, format);
  int length = vasprintf(&text, format, args);
  va_end(args);
  int status = length < 0 ? -1 : system(text);
  free(text);
  return status == 0;
}

static void *load(const char *work, const char *name, const char *table, void **handle) {
  char path[512];
  gen_set(path, sizeof path, "%s/%s", work, name);
  *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  void *found = *handle ? dlsym(*handle, table) : NULL;
  if (!found) {
    fprintf(stderr, "%s\n", dlerror());
  }
  return found;
}

/* --- lanes --- */

typedef struct lanes {
  const gen_options *o;
  gen_program *const *programs;
  unsigned count;
  gen_outcome *outcomes;
  gen_record *interpreted;
  gen_unit unit;
  gen_reference_fn *const *references;
  gen_primal_fn *const *plains;
  const gen_entry *entries;
  const unsigned *which; /* compiled lane: program of each entry */
  const char *library;
  bool exact;
  bool kept; /* the records of the interpreter are there */
} lanes;

static bool prepare_interpreter(void *ctx) {
  lanes *l = ctx;
  char path[512];
  void *handle;
  gen_set(path, sizeof path, "%s/front.c", l->o->work);
  if (l->o->interprets) {
    l->references = load(l->o->work, "primals.so", "gen_reference_table", &handle);
    l->plains = load(l->o->work, "primals.so", "gen_plain_table", &handle);
  }
  return (!l->o->interprets || (l->references && l->plains)) && gen_unit_read(&l->unit, path, l->o->include);
}

static void interpret(void *ctx, unsigned i) {
  lanes *l = ctx;
  gen_derived d;
  if (gen_derived_init(&d, &l->unit, l->programs[i], &l->outcomes[i]) && gen_derived_derive(&d) && l->o->interprets) {
    gen_target t = gen_derived_target(&d, l->references[i], l->plains[i]);
    gen_check(l->programs[i], &t, &l->interpreted[i]);
  }
  gen_derived_deinit(&d);
}

typedef struct compiled {
  const gen_entry *entry;
} compiled;

static bool call_primal(void *ctx, const double *in, double *out) {
  ((compiled *)ctx)->entry->primal(in, out);
  return true;
}
static bool call_vjp(void *ctx, const double *in, const double *seeds, double *out, double *bar) {
  ((compiled *)ctx)->entry->vjp(in, seeds, out, bar);
  return true;
}
static bool call_jvp(void *ctx, const double *in, const double *dot, double *out, double *out_dot) {
  ((compiled *)ctx)->entry->jvp(in, dot, out, out_dot);
  return true;
}
static bool call_extra(void *ctx, const double *in, double *result) {
  ((compiled *)ctx)->entry->extra(in, result);
  return true;
}
static bool call_batch(void *ctx, const double *in, const double *seeds, double *out, double *bar) {
  ((compiled *)ctx)->entry->batch(in, seeds, out, bar);
  return true;
}

static bool prepare_compiled(void *ctx) {
  lanes *l = ctx;
  void *handle;
  l->references = load(l->o->work, "primals.so", "gen_reference_table", &handle);
  l->plains = load(l->o->work, "primals.so", "gen_plain_table", &handle);
  l->entries = load(l->o->work, l->library, "gen_table", &handle);
  return l->references && l->plains && l->entries;
}

static void run_compiled(void *ctx, unsigned i) {
  lanes *l = ctx;
  unsigned program = l->which[i];
  compiled c = {&l->entries[i]};
  gen_outcome *o = &l->outcomes[program];
  gen_outcome mine = {0};
  gen_record record;
  gen_target t = {&c,
                  call_primal,
                  call_vjp,
                  call_jvp,
                  call_extra,
                  call_batch,
                  l->references[program],
                  l->exact ? l->plains[program] : NULL,
                  l->exact,
                  &mine};
  gen_check(l->programs[program], &t, &record);
  if (mine.verdict == GEN_PASSED && l->kept && l->interpreted[program].is_set) {
    gen_compare(l->programs[program], &l->interpreted[program], &record, l->exact, &mine);
  }
  mine.entries += o->entries;
  mine.untrusted += o->untrusted;
  *o = mine;
}

typedef struct chosen {
  unsigned count;
  unsigned which[GEN_MAX_BATCH];
  gen_program *programs[GEN_MAX_BATCH];
} chosen;

static void run_level(lanes *l, const char *level, const chosen *c);

#define NO_VECTORS "-fno-tree-loop-vectorize"
#define ANY_ORDER "-fassociative-math -fno-signed-zeros -fno-trapping-math"

/* Adds the elements of rows, the last one first: 808. gcc 12.2 prints 816 at -O2 (its bug 110381): where the vectoriser
 * sums in order but loads the row the other way round, it counts an element twice. */
static const char fault_of_gcc[] = "#include <stdio.h>\n"
                                   "double sum(const double (*m)[2]) {\n"
                                   "  double s = 0.0;\n"
                                   "  for (int i = 0; i < 8; i++) {\n"
                                   "    s += m[i][1];\n"
                                   "    s += m[i][0];\n"
                                   "  }\n"
                                   "  return s;\n"
                                   "}\n"
                                   "int main(void) {\n"
                                   "  static const double m[8][2] = {{1, 100}, {1, 100}, {1, 100}, {1, 100},\n"
                                   "                                 {1, 100}, {1, 100}, {1, 100}, {1, 100}};\n"
                                   "  return sum(m) != 808;\n"
                                   "}\n";

static bool has_fault(const gen_options *o, const char *level) {
  char path[512];
  gen_set(path, sizeof path, "%s/fault.c", o->work);
  FILE *out = fopen(path, "w");
  if (!out || fputs(fault_of_gcc, out) < 0 || fclose(out) != 0) {
    perror(path);
    exit(2);
  }
  if (!command("%s %s -o %s/fault %s", o->tlalocc, level, o->work, path)) {
    fprintf(stderr, "%s cannot compile %s\n", o->tlalocc, path);
    exit(2);
  }
  return !command("%s/fault", o->work);
}

static bool passes(lanes *l, const char *level, const char *flags, unsigned which, const chosen *c) {
  char with[160];
  gen_outcome wrong = l->outcomes[which];
  gen_set(with, sizeof with, "%s %s", level, flags);
  l->outcomes[which].verdict = GEN_PASSED;
  run_level(l, with, c);
  bool right = l->outcomes[which].verdict == GEN_PASSED;
  l->outcomes[which] = wrong;
  return right;
}

/* It is the C compiler's fault where that has the fault, and the program is right without vectorised loops, and with
 * sums in any order. */
static void blame_compiler(lanes *l, const char *level, unsigned which, gen_program *program) {
  chosen c = {.count = 1, .which = {which}, .programs = {program}};
  if (has_fault(l->o, level) && passes(l, level, NO_VECTORS, which, &c) && passes(l, level, ANY_ORDER, which, &c)) {
    l->outcomes[which].verdict = GEN_COMPILER;
  }
}

static void run_level(lanes *l, const char *level, const chosen *c) {
  const gen_options *o = l->o;
  char source[64], library[64], errors[512];
  static unsigned serial; /* a library that was loaded is not loaded again under its name */
  gen_set(source, sizeof source, "compiled%u.c", ++serial);
  gen_set(library, sizeof library, "compiled%u.so", serial);
  gen_set(errors, sizeof errors, "%s/compile.err", o->work);
  if (!write_file(o, source, GEN_FILE_COMPILED, c->count, c->programs)) {
    exit(2);
  }
  /* Contraction would give the derivative's copy of the primal other bits than the primal. */
  bool good = command("%s -std=gnu17 -w %s %s -ffp-contract=off %s -fPIC -shared -I%s %s/%s -o %s/%s -lm > %s 2>&1",
                      o->tlalocc, level, o->flags, !strcmp(level, "-O0") ? "-fno-builtin" : "", o->include, o->work,
                      source, o->work, library, errors);
  if (!good && c->count > 1) {
    chosen parts[2] = {{0}, {0}};
    for (unsigned k = 0; k < c->count; k++) {
      chosen *part = &parts[k >= c->count / 2];
      part->which[part->count] = c->which[k];
      part->programs[part->count++] = c->programs[k];
    }
    run_level(l, level, &parts[0]);
    run_level(l, level, &parts[1]);
  } else if (!good) {
    gen_outcome *failed = &l->outcomes[c->which[0]];
    char text[300];
    failed->verdict = GEN_COMPILE;
    last_line(errors, text, sizeof text);
    FILE *in = fopen(errors, "r");
    char line[300];
    while (in && fgets(line, sizeof line, in)) {
      if (strstr(line, "error:")) {
        line[strcspn(line, "\n")] = '\0';
        gen_set(text, sizeof text, "%s", line);
        break;
      }
    }
    if (in) {
      fclose(in);
    }
    gen_set(failed->message, sizeof failed->message, "%s: %s", level, text);
  } else {
    l->which = c->which;
    l->library = library;
    l->exact = !strcmp(level, "-O0");
    gen_outcome *outcomes = gen_shared(sizeof *outcomes * c->count);
    gen_set(errors, sizeof errors, "%s/run.err", o->work);
    gen_isolated(c->count, outcomes, o->seconds, errors, prepare_compiled, run_compiled, l);
    for (unsigned k = 0; k < c->count; k++) {
      gen_outcome *to = &l->outcomes[c->which[k]];
      if (to->verdict == GEN_PASSED && outcomes[k].verdict != GEN_PASSED) {
        to->verdict = outcomes[k].verdict; /* crashed or too long */
        gen_set(to->message, sizeof to->message, "%s", outcomes[k].message);
      }
      bool wrong = to->verdict >= GEN_PRIMAL && to->verdict <= GEN_BITS;
      if (wrong && !l->exact && !strstr(level, NO_VECTORS) && !strstr(level, ANY_ORDER)) {
        blame_compiler(l, level, c->which[k], c->programs[k]);
      }
      if (to->verdict != GEN_PASSED && to->message[0] != '-') {
        char text[400];
        gen_set(text, sizeof text, "%s: %s", level, to->message);
        memcpy(to->message, text, sizeof text);
      }
    }
    gen_shared_free(outcomes, sizeof *outcomes * c->count);
  }
  char path[512];
  gen_set(path, sizeof path, "%s/%s", o->work, source);
  if (!getenv("GEN_KEEP")) {
    unlink(path);
    gen_set(path, sizeof path, "%s/%s", o->work, library);
    unlink(path);
  }
}

bool gen_batch_run(const gen_options *o, unsigned count, gen_program *const programs[], gen_outcome *outcomes) {
  lanes l = {.o = o, .programs = programs, .count = count};
  if (!write_file(o, "front.c", GEN_FILE_FRONT, count, programs) ||
      !write_file(o, "reference.c", GEN_FILE_REFERENCE, count, programs) ||
      !write_file(o, "plain.c", GEN_FILE_PLAIN, count, programs)) {
    return false;
  }
  if ((o->interprets || o->level_count) &&
      !command("%s -std=gnu17 -w -O0 -ffp-contract=off -fno-builtin -fPIC -shared %s/reference.c %s/plain.c -o "
               "%s/primals.so -lm > %s/primals.err 2>&1",
               o->cc, o->work, o->work, o->work, o->work)) {
    fprintf(stderr, "%s cannot compile the programs: see %s/primals.err\n", o->cc, o->work);
    return false;
  }
  size_t outcome_bytes = sizeof *outcomes * count, record_bytes = sizeof(gen_record) * count;
  l.outcomes = gen_shared(outcome_bytes);
  l.interpreted = gen_shared(record_bytes);
  char errors[512];
  gen_set(errors, sizeof errors, "%s/run.err", o->work);
  gen_isolated(count, l.outcomes, o->seconds, errors, prepare_interpreter, interpret, &l);
  l.kept = o->interprets;
  for (int k = 0; k < o->level_count; k++) {
    chosen c = {0};
    for (unsigned i = 0; i < count; i++) {
      if (l.outcomes[i].verdict == GEN_PASSED) {
        c.which[c.count] = i;
        c.programs[c.count++] = programs[i];
      }
    }
    if (c.count) {
      run_level(&l, o->levels[k], &c);
    }
  }
  memcpy(outcomes, l.outcomes, outcome_bytes);
  gen_shared_free(l.outcomes, outcome_bytes);
  gen_shared_free(l.interpreted, record_bytes);
  return true;
}
