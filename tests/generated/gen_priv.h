#ifndef GEN_PRIV_H
#define GEN_PRIV_H

#include "gen.h"

/* A number of elements: C text, and the least and largest value that it can have. */
typedef struct extent {
  char text[40];
  int min, max;
} extent;

typedef enum var_kind { VAR_REAL, VAR_INT, VAR_INTS, VAR_ARRAY, VAR_STRUCT, VAR_STRUCTS } var_kind;

/* An object in scope. Reals of kind `sum` may grow to some hundreds, all others lie in [-2, 2] whenever a statement
 * ends. */
typedef struct var {
  var_kind kind;
  char name[48];
  char root[48]; /* the object it lies in */
  gen_real type;
  bool writable, sum, is_pointer;
  int rank;
  extent extents[2];
  int lo, hi;     /* INT, elements of INTS */
  char below[40]; /* INT: less than the extent of this text */
  int structure;
  bool arrow;
} var;

enum { MAX_VARS = 96, MAX_HELPERS = 5, MAX_HELPER_PARAMS = 6 };

typedef enum helper_param_kind {
  HELPER_REAL,
  HELPER_IN_ARRAY,
  HELPER_IO_ARRAY,
  HELPER_OUT_REAL,
  HELPER_STRUCT,
  HELPER_STRUCT_PTR,
  HELPER_DEPTH,
  HELPER_INT
} helper_param_kind;
typedef struct helper {
  char name[32];
  int count;
  struct {
    helper_param_kind kind;
    gen_real type;
    int structure;
    bool is_const;
  } params[MAX_HELPER_PARAMS];
  bool pure; /* writes through no pointer */
  bool recursive;
  gen_real type;
  int return_structure; /* -1: a real */
  int cost;             /* statements that a call runs */
} helper;

typedef struct gen {
  gen_tape *tape;
  gen_program *p;
  char *text;
  size_t length, capacity;
  struct chunk {
    struct chunk *next;
    char text[];
  } *chunks;
  int indent;
  unsigned index, names;
  int budget;             /* statements left */
  int runs;               /* how often the statement being made runs at most */
  int loops;              /* loops around it */
  bool breaks, continues; /* may stand here */
  bool in_top, in_vla_block;
  uint64_t allowed;            /* features that this program may use */
  int float_share, wide_share; /* percent of float and long double variables */
  var vars[MAX_VARS];
  int var_count;
  helper helpers[MAX_HELPERS];
  int helper_count;
  int self;     /* helper being made where it may call itself, or -1 */
  int no_sharp; /* inside an index or a condition's reach */
  int returns;  /* of the function being made */
  gen_real return_type;
  int return_structure;
} gen;

/* An expression: text that binds like a primary, and the interval that its value lies in. */
typedef struct ex {
  const char *s;
  double lo, hi;
} ex;

unsigned gen_pick(gen *, unsigned n);
bool gen_chance(gen *, unsigned percent); /* false is decision 0 */
bool gen_may(gen *, gen_feature);         /* allowed in this program */
void gen_mark(gen *, gen_feature);
const char *gen_format(gen *, const char *format, ...) __attribute__((format(printf, 2, 3)));
void gen_say(gen *, const char *format, ...) __attribute__((format(printf, 2, 3))); /* a line */
const char *gen_type_name(gen_real);
gen_real gen_pick_type(gen *);
const char *gen_name(gen *, const char *stem);
var *gen_add_var(gen *, var_kind, const char *name);
bool gen_real_at_hand(gen *, bool writable);

/* gen_expr.c */
ex gen_expr(gen *, int depth);
ex gen_bounded(gen *, int depth, double bound); /* |value| <= bound */
const char *gen_real_ref(gen *, bool writable, var **out_var);
const char *gen_index(gen *, const extent *); /* NULL: none is safe */
const char *gen_condition(gen *, int depth);
const char *gen_inactive_condition(gen *);
const char *gen_integer(gen *, int *lo, int *hi);
const char *gen_literal(gen *, double *value);
const char *gen_struct_member(gen *, int structure, const char *base, bool arrow, gen_real *type);
bool gen_uses(const char *expression, const char *name);

/* gen_declare.c: an object comes into scope. */
void gen_fill_array(gen *, const char *name, int rank, const extent *, bool reads);
bool gen_is_extent(const var *v);
void gen_declare_array(gen *);
const char *gen_struct_initializer(gen *, int structure);
void gen_declare_struct(gen *);
void gen_declare_pointer(gen *);
void gen_declare_int(gen *);
void gen_fix_extent(extent *e, int n);
var *gen_add_counter(gen *, const char *name, int lo, int hi, const char *below);
void gen_declare_scalar(gen *);

/* gen_stmt.c */
void gen_block(gen *, int statements);
void gen_return(gen *);
const char *gen_combination(gen *, double bound);

/* gen_call.c */
void gen_helper(gen *);
bool gen_has_call(gen *, bool pure, bool structure);
/* A call's text; pure where it is part of an expression. */
const char *gen_call(gen *, bool pure, int structure, gen_real *type);

#endif
