/* Programs made from a seed: C functions that a derivative is taken of, with all that is needed to call them.
 *
 * A program is what its tape says: a list of decisions that a seed begins and that may be cut down afterwards. Decision
 * 0 is always the simplest choice, and a tape that is used up gives 0 for ever. */
#ifndef GEN_H
#define GEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct gen_tape {
  uint64_t state;
  uint32_t *data; /* decisions taken */
  size_t count, capacity, at;
  bool replays; /* decisions come from data */
} gen_tape;

/* As snprintf; what does not fit is cut off. */
void gen_set(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

void gen_tape_init(gen_tape *, uint64_t seed);
void gen_tape_init_replay(gen_tape *, const uint32_t *data, size_t count);
void gen_tape_deinit(gen_tape *);
uint32_t gen_tape_pick(gen_tape *, uint32_t n); /* 0 .. n-1 */

typedef enum gen_real { GEN_F64, GEN_F32, GEN_F80 } gen_real;
typedef enum gen_role { GEN_INPUT, GEN_OUTPUT, GEN_INOUT } gen_role;
typedef enum gen_kind {
  GEN_INT,        /* int n */
  GEN_INTS,       /* const int k[n] */
  GEN_REAL,       /* double x */
  GEN_ARRAY,      /* rank 1 or 2 */
  GEN_CELL,       /* double *p, used as *p */
  GEN_STRUCT,     /* struct s v */
  GEN_STRUCT_PTR, /* struct s *v */
  GEN_STRUCTS     /* struct s v[n] */
} gen_kind;

enum {
  GEN_MAX_PARAMS = 12,
  GEN_MAX_LEAVES = 48,
  GEN_MAX_FLAT = 96,
  GEN_MAX_STRUCTS = 4,
  GEN_MAX_FIELDS = 5,
  GEN_MAX_INTS = 6
};

typedef struct gen_field {
  char name[8];
  bool is_int;
  int nested; /* index of a struct, or -1 */
  gen_real type;
  int extent; /* 0: no array */
} gen_field;

typedef struct gen_struct {
  char name[32];
  int count;
  gen_field fields[GEN_MAX_FIELDS];
} gen_struct;

typedef struct gen_param {
  gen_kind kind;
  gen_role role;
  char name[12];
  gen_real type;
  int rank;
  int extents[2];
  int structure;
  int integer;                /* INT: the argument */
  int integers[GEN_MAX_INTS]; /* INTS */
  char declarator[128];       /* with TL_LEN and TL_INOUT */
} gen_param;

/* A leaf of a parameter or of the returned value that holds floating values: `path` is the access without the parameter
 * ("", "[#]", ".c.v[#]"). Elements lie row-major from `at` in the flat vectors. */
typedef struct gen_leaf {
  int param; /* -1: the returned value */
  char path[48];
  gen_real type;
  int rank, extents[3], count, at;
} gen_leaf;

#define GEN_FEATURE_MAP(X)                                                                                             \
  X(loops)                                                                                                             \
  X(nested_loops)                                                                                                      \
  X(while_loops) X(do_loops) X(down_loops) X(strides) X(exits) X(continues) X(early_returns) X(gotos) X(branches)      \
      X(switches) X(fall_through) X(conditionals) X(short_circuits) X(commas) X(condition_assignments)                 \
          X(compound_assignments) X(arrays) X(matrices) X(local_arrays) X(vlas) X(inouts) X(outputs) X(structs)        \
              X(struct_pointers) X(nested_structs) X(pointers) X(pointer_walks) X(aliases) X(calls) X(pointer_calls)   \
                  X(recursion) X(floats) X(long_doubles) X(integers) X(gathers) X(tables) X(active_branches) X(math)   \
                      X(several_results) X(chained)

typedef enum gen_feature {
#define GEN_ENUM(name) GEN_HAS_##name,
  GEN_FEATURE_MAP(GEN_ENUM)
#undef GEN_ENUM
      GEN_FEATURE_COUNT
} gen_feature;
extern const char *const gen_feature_names[GEN_FEATURE_COUNT];

/* What is derived beside vjp and jvp. */
typedef enum gen_extra {
  GEN_EXTRA_NONE,
  GEN_EXTRA_GRAD,
  GEN_EXTRA_JACOBIAN,
  GEN_EXTRA_JACOBIAN_REVERSE,
  GEN_EXTRA_HESSIAN
} gen_extra;

/* What tl_vmap is tried on: the function, its vjp, or, the other way round, the vjp of the batch. */
typedef enum gen_batched { GEN_BATCHED_NONE, GEN_BATCHED_VALUES, GEN_BATCHED_VJPS, GEN_VJP_OF_BATCH } gen_batched;
enum { GEN_EXAMPLES = 3 };

typedef struct gen_program {
  uint64_t seed;
  char name[32];
  char *text; /* types, helpers and the function */
  int param_count;
  gen_param params[GEN_MAX_PARAMS];
  int struct_count;
  gen_struct structs[GEN_MAX_STRUCTS];
  enum { GEN_RETURNS_VOID, GEN_RETURNS_REAL, GEN_RETURNS_STRUCT, GEN_RETURNS_INT } returns;
  gen_real return_type;
  int return_structure;
  int in_leaf_count, out_leaf_count, in_count, out_count;
  gen_leaf in_leaves[GEN_MAX_LEAVES], out_leaves[GEN_MAX_LEAVES];
  double in[GEN_MAX_FLAT], dot[GEN_MAX_FLAT], seeds[GEN_MAX_FLAT];
  bool has_float;     /* differences are compared to float's precision */
  bool jvp_has_value; /* tl_value_and_jvp, not tl_jvp */
  gen_extra extra;
  int extra_wrt; /* parameter */
  gen_batched batched;
  uint64_t features;
} gen_program;

/* False where the signature came out too large; nothing is to be freed then. `index` makes the names unique in a file.
 */
bool gen_program_init(gen_program *, uint64_t seed, unsigned index, gen_tape *);
void gen_program_deinit(gen_program *);

/* write.c: a file of programs and their flat entry points.
 *   NAME_primal(in, out)  NAME_vjp(in, seeds, out, bar)  NAME_jvp(in, dot, out, out_dot)  NAME_extra(in, result)
 *   NAME_batch(in, seeds, out, bar), all of GEN_EXAMPLES examples one behind the other
 * The reference computes in long double throughout; it and the plain file, which needs no tlalocc, have the primal
 * alone (gen_reference_table, gen_plain_table). The front's text has no entry points. */
typedef enum gen_file { GEN_FILE_FRONT, GEN_FILE_COMPILED, GEN_FILE_PLAIN, GEN_FILE_REFERENCE } gen_file;
void gen_write(FILE *, gen_file, unsigned count, gen_program *const programs[]);
/* The number of values that NAME_extra gives. */
int gen_extra_count(const gen_program *);
int gen_param_leaf_count(const gen_program *, int param, bool outs); /* flat values of it */

typedef void gen_primal_fn(const double *in, double *out);
typedef void gen_reference_fn(const long double *in, long double *out);
typedef void gen_vjp_fn(const double *in, const double *seeds, double *out, double *bar);
typedef void gen_jvp_fn(const double *in, const double *dot, double *out, double *out_dot);
typedef void gen_extra_fn(const double *in, double *result);
typedef struct gen_entry {
  gen_primal_fn *primal;
  gen_vjp_fn *vjp;
  gen_jvp_fn *jvp;
  gen_extra_fn *extra;
  gen_vjp_fn *batch;
} gen_entry;

#endif
