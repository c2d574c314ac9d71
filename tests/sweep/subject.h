/* A function of DXIR on tensors and scalars with arguments, and what is done with it: run, derived, batched, compared.
 *
 * Nothing here ends the process: what goes wrong is in the report, and what follows does nothing. */
#ifndef TL_TESTS_SWEEP_SUBJECT_H
#define TL_TESTS_SWEEP_SUBJECT_H

#include "base/intrinsic.h"
#include "interp/interp.h"
#include "tolerance.h"

enum { SWEEP_MOST = 24 };

/* Elements of every dtype as doubles. */
typedef struct sweep_value {
  tl_dtype dtype;
  bool is_scalar;
  tl_shape shape;
  double *at;
} sweep_value;

typedef struct sweep_values {
  uint32_t count;
  sweep_value at[SWEEP_MOST];
} sweep_values;

/* Where elements are drawn: uniformly, or multiples of `grid`, plus `offset` and at most `jitter`. */
typedef struct sweep_domain {
  double low, high;
  bool both_signs; /* and as many negative ones */
  double grid, offset, jitter;
} sweep_domain;

typedef struct sweep_subject {
  tl_arena arena;
  tl_diag diag;
  tl_module *module;
  tl_func *f;
  sweep_values args; /* of f: its parameters in order */
  sweep_domain domains[SWEEP_MOST];
  const char *name, *surface;
  uint64_t seed;
  unsigned derived;     /* functions made, for their names */
  unsigned comparisons; /* of elements */
  unsigned unsettled;   /* differences with two steps that do not agree, which say nothing */
  bool failed;
  char message[6000];
} sweep_subject;

void sweep_subject_init(sweep_subject *, const char *name, uint64_t seed);
void sweep_subject_deinit(sweep_subject *);
/* Reads text; f is its last function. */
bool sweep_subject_read(sweep_subject *, const char *text);

/* The first failure is kept: what is said, and the function where there is one. Returns false. */
bool sweep_fail(sweep_subject *, const tl_func *, const char *format, ...) __attribute__((format(printf, 3, 4)));

double sweep_uniform(sweep_subject *, double low, double high);
int64_t sweep_count(const sweep_value *);
sweep_value sweep_value_create(sweep_subject *, tl_dtype, tl_shape);
sweep_value sweep_value_draw(sweep_subject *, tl_dtype, tl_shape, bool is_scalar, sweep_domain);
/* What a parameter of f, or a seed of a derivative behind those, is drawn from. */
sweep_domain sweep_domain_of(const sweep_subject *, uint32_t param);
/* As the dtype holds it. */
void sweep_value_round(sweep_value *, tl_dtype);
void sweep_values_add(sweep_values *, sweep_value);
bool sweep_is_float(const tl_func *, tl_value);

/* For functions that are built: a parameter of its own, a result, and the face that they make. */
tl_value sweep_add_param(tl_func *, const char *name, tl_type);
void sweep_add_return(tl_func *, tl_value);
bool sweep_close_function(sweep_subject *, tl_func *);

/* Runs f, whose parameters are all tensors and scalars. */
bool sweep_run(sweep_subject *, const tl_func *, const sweep_values *args, bool f32, sweep_values *out);

/* A derivative by all floating parameters, or by those that are named. */
tl_func *sweep_derive(sweep_subject *, tl_func *, tl_intrinsic, uint32_t wrt_count, const char *const *wrt);
/* Called with what was derived or batched, before it is used; does nothing but in sweep_plants. */
typedef enum sweep_made { SWEEP_MADE_DERIVATIVE, SWEEP_MADE_BATCH } sweep_made;
void sweep_made_function(tl_func *, sweep_made);

/* g with its storage for results made inside: every parameter is a tensor or a scalar, every result too, in the order
 * of g's; with `chosen` only those. By a call of g where `calls`, else with g's ops. */
tl_func *sweep_flat(sweep_subject *, tl_func *g, const bool *chosen, bool calls);
/* Which result of a derivative is the final content of the parameter of that name; TL_NO_RESULT where none is. */
uint32_t sweep_result_named(const tl_func *, const char *name);

/* `scale` is added to the largest magnitude of what is wanted. */
bool sweep_compare(sweep_subject *, const tl_func *, sweep_tolerance, const char *what, const sweep_value *got,
                   const sweep_value *want, double scale);
bool sweep_compare_numbers(sweep_subject *, const tl_func *, sweep_tolerance, const char *what, double got, double want,
                           double scale);

#endif
