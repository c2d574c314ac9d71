/* Many programs at once, each isolated: a crash or an endless loop is that program's outcome. */
#ifndef GEN_BATCH_H
#define GEN_BATCH_H

#include "check.h"

enum { GEN_MAX_BATCH = 400, GEN_MAX_LEVELS = 4 };

typedef struct gen_options {
  const char *work;                           /* a folder for files */
  const char *cc, *tlalocc, *include, *flags; /* flags: for cc and tlalocc alike */
  bool interprets;                            /* run the interpreter lane; else only lower and derive */
  int level_count;                            /* compiled lanes: "-O0" ... */
  const char *levels[GEN_MAX_LEVELS];
  unsigned seconds; /* for one program */
} gen_options;

/* The first failure of each program; false where nothing could be run at all. */
bool gen_batch_run(const gen_options *, unsigned count, gen_program *const programs[], gen_outcome *outcomes);

/* Runs each program in a child process: `work` sets its outcome. Memory that the child hands back is from gen_shared.
 */
typedef void gen_work_fn(void *ctx, unsigned program);
void *gen_shared(size_t bytes);
void gen_shared_free(void *, size_t bytes);
/* `prepare` runs once in each child; false ends it. */
void gen_isolated(unsigned count, gen_outcome *shared_outcomes, unsigned seconds, const char *error_file,
                  bool (*prepare)(void *ctx), gen_work_fn *, void *ctx);

#endif
