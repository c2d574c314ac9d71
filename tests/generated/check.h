/* Whether a program's derivatives are right. */
#ifndef GEN_CHECK_H
#define GEN_CHECK_H

#include "gen.h"

#define GEN_VERDICT_MAP(X)                                                                                             \
  X(PASSED, "passed")                                                                                                  \
  X(REFUSED, "the front or a transform refused it")                                                                    \
  X(INVALID, "a graph that the verifier rejects")                                                                      \
  X(CRASHED, "a signal or a failed assertion")                                                                         \
  X(TIMEOUT, "ran too long")                                                                                           \
  X(COMPILE, "the C compiler or tlalocc refused the file")                                                             \
  X(RUN, "the interpreter ended with an error")                                                                        \
  X(SIGNATURE, "parameters or results are not those of the C function")                                                \
  X(VALUE, "the primal has another value than as compiled by the C compiler")                                          \
  X(PRIMAL, "the derivative computes another value than the primal")                                                   \
  X(GRADIENT, "reverse mode against differences")                                                                      \
  X(TANGENT, "forward mode against differences")                                                                       \
  X(DUALITY, "forward against reverse mode: the dot-product test")                                                     \
  X(UNIT, "forward against reverse mode: a unit direction")                                                            \
  X(GRAD, "tl_grad against reverse mode")                                                                              \
  X(JACOBIAN, "a Jacobian against differences")                                                                        \
  X(HESSIAN, "a Hessian against differences of the gradient")                                                          \
  X(BATCH, "tl_vmap against a loop")                                                                                   \
  X(BITS, "compiled against interpreted, bit for bit")                                                                 \
  X(COMPILER, "wrong as compiled, right without the C compiler's vectoriser: no failure")

typedef enum gen_verdict {
#define GEN_VERDICT_ENUM(name, text) GEN_##name,
  GEN_VERDICT_MAP(GEN_VERDICT_ENUM)
#undef GEN_VERDICT_ENUM
      GEN_VERDICT_COUNT
} gen_verdict;
const char *gen_verdict_name(gen_verdict);

enum { GEN_MAX_EXTRA = GEN_MAX_FLAT * GEN_MAX_FLAT }; /* a Jacobian or a Hessian */

typedef struct gen_outcome {
  gen_verdict verdict;
  char message[400];
  unsigned entries, untrusted; /* entries compared with differences, and those whose differences do not settle */
} gen_outcome;

/* What there is to run. Each returns false, with the outcome set, where it cannot. */
typedef struct gen_target {
  void *ctx;
  bool (*primal)(void *ctx, const double *in, double *out);
  bool (*vjp)(void *ctx, const double *in, const double *seeds, double *out, double *bar);
  bool (*jvp)(void *ctx, const double *in, const double *dot, double *out, double *out_dot);
  bool (*extra)(void *ctx, const double *in, double *result);
  bool (*batch)(void *ctx, const double *in, const double *seeds, double *out, double *bar); /* NULL: not here */
  gen_reference_fn *reference;
  gen_primal_fn *plain; /* NULL: the primal's bits are not compared */
  bool exact; /* the derivative gives the primal's values bit for bit; else the compiler may have folded calls of
                 libm in one of them, which rounds otherwise */
  gen_outcome *outcome;
} gen_target;

/* What a target computed, for comparing two of them. */
typedef struct gen_record {
  double out[GEN_MAX_FLAT], bar[GEN_MAX_FLAT], out_dot[GEN_MAX_FLAT];
  double extra[GEN_MAX_EXTRA];
  bool is_set;
} gen_record;

/* Sets the outcome. `record` is filled. */
void gen_check(const gen_program *, const gen_target *, gen_record *record);
/* Sets the outcome to BITS where the records differ; `exact` or else to a few units of rounding. */
void gen_compare(const gen_program *, const gen_record *a, const gen_record *b, bool exact, gen_outcome *);

#endif
