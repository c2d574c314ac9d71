/* Graphs that each row of the op table is tried on. */
#ifndef TL_TESTS_SWEEP_SAMPLE_H
#define TL_TESTS_SWEEP_SAMPLE_H

#include "surface.h"

enum { SWEEP_SAMPLE_PARAMS = 4 };

typedef struct sweep_sample {
  const char *name, *text; /* its last function is tried */
  sweep_domain domains[SWEEP_SAMPLE_PARAMS];
  /* Surfaces that do not hold, and why; that each fails is checked. */
  unsigned excluded; /* a bit per surface */
  const char *reason;
} sweep_sample;

/* Each row that is about tensors has a list of its own in samples.c, which ends with an empty one: a row without one
 * does not link. */
#define TL_TEN(name, class, arity, attributes, doc) extern const sweep_sample sweep_samples_##name[];
#include "ir/ops.def"
extern const sweep_sample *const sweep_samples_of[TL_OP_COUNT]; /* NULL where the row is not about tensors */

/* The samples of an elementwise row, made from its columns: calls `visit` with each. */
typedef void sweep_visitor(void *ctx, const sweep_sample *);
void sweep_each_elementwise(tl_opcode, sweep_visitor *, void *ctx);

/* The sample as a subject with arguments. */
bool sweep_sample_open(sweep_subject *, const sweep_sample *);
/* f becomes r(f(s(x))) with sines of the floating parameters and squares of the floating results, so that second
 * derivatives of a linear op are not zero. */
bool sweep_compose(sweep_subject *);
/* Whether that is tried too: of the rows about tensors, where everything holds of the sample as it is. */
bool sweep_is_composed(tl_opcode, const sweep_sample *);

#endif
