/* DXIR: SSA with value semantics and structured control flow.
 *
 * A module owns functions; a function owns values (32-bit ids; 0 is no value), ops and regions, all in the function's
 * arena. A region is a list of ops with parameters and yields; there are no jumps. C's mutation is functional update of
 * arrays: `y2 = update(y1, i, v)`.
 *
 * Types. A scalar has a dtype. An array has a dtype, a rank and one extent per axis, fixed or the value of an integer
 * scalar that dominates the array (those of a function's own parameters: any integer scalar of its body's own region,
 * read at entry); rank 0 is one memory cell (what a pointer to a scalar refers to). Structs do not
 * exist as types: an object is the tuple of its leaves (a nested struct's floating member of an array of structs is an
 * array over the array's axes and the member's own). A tensor is a value as a scalar is, with extents and names of
 * axes; an array may have tensors as elements.
 *
 * if(c): regions[0] runs where c is true, regions[1] where false. Both yield result_count values of the results' types.
 *
 * loop(lo, hi, init_1..init_n): regions[0] is the condition, regions[1] the body. Both have the parameters
 * (iv, carry_1..carry_n); iv has lo's dtype. The condition yields one i1, or nothing, which means true; its ops have no
 * effects. The body yields the next carries. Results: the final carries, then the trip count (i64): how many times the
 * body ran. For k = 0, 1, ...: iv = lo + k*step (step is a non-zero constant of the op); the loop runs while
 *     (step > 0 ? iv < hi : iv > hi)   where hi is present (a counted loop), and
 *     condition(iv, carries).
 * Without hi (operand 0) the loop is unbounded. With `reversed` (only where counted and without condition) the same iv
 * values come last to first. lo, hi and the loop's captured values do not change while it runs.
 *
 * call(args): `callee` names a function of the module. Arguments match its parameters, results its results. Of some
 * arrays it may get a part: see `views`.
 *
 * extern(args): `callee` is C's name; `format` holds the argument list as C text in which each `%k` stands for operand
 * k and each `$k` for the name of C parameter k (string literals are written out; "%%" and "$$" are those signs). At
 * most one result. The callee "!!" asks whether the pointer that `format` spells, a parameter or a member behind one,
 * is not null.
 *
 * Linear use of arrays: the front gives each array one live version at a time. Where a version is used after it was
 * updated, the emitter copies. */
#ifndef TL_IR_IR_H
#define TL_IR_IR_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/dtype.h"
#include "base/vec.h"
#include "tlaloc/tlaloc.h"

typedef uint32_t tl_value;
#define TL_NO_VALUE ((tl_value)0)

typedef enum tl_opcode {
#define TL_ELT(name, class, arity, operands, result, samples, meaning, doc) TL_OP_##name,
#define TL_TEN(name, class, arity, attributes, doc) TL_OP_##name,
#define TL_STR(name, class, arity, doc) TL_OP_##name,
#define TL_CTL(name, class, arity, doc) TL_OP_##name,
#include "ir/ops.def"
  TL_OP_COUNT
} tl_opcode;

typedef enum tl_op_class {
  TL_CLASS_ELEM,
  TL_CLASS_ZEROGRAD,
  TL_CLASS_LINEAR,
  TL_CLASS_BILINEAR,
  TL_CLASS_HAND,
  TL_CLASS_BUILDER,
  TL_CLASS_REGION
} tl_op_class;
typedef enum tl_operand_kind {
  TL_OPERANDS_NUM,
  TL_OPERANDS_INT,
  TL_OPERANDS_FLT,
  TL_OPERANDS_BOOL,
  TL_OPERANDS_FLT_INT,
  TL_OPERANDS_INT_FLT,
  TL_OPERANDS_SELECT,
  TL_OPERANDS_ANY,
  TL_OPERANDS_OTHER /* structural and control */
} tl_operand_kind;
typedef enum tl_result_kind {
  TL_RESULT_SAME,
  TL_RESULT_BOOL,
  TL_RESULT_I32,
  TL_RESULT_I64,
  TL_RESULT_GIVEN,
  TL_RESULT_OTHER
} tl_result_kind;

typedef struct tl_extent {
  int64_t fixed;  /* where value is TL_NO_VALUE */
  tl_value value; /* an integer scalar */
} tl_extent;

/* What a tensor op is told beside its operands. */
typedef enum tl_attr_kind {
  TL_ATTR_AXES,
  TL_ATTR_AXIS,
  TL_ATTR_FLAG,
  TL_ATTR_OPTION,
  TL_ATTR_INTEGER,
  TL_ATTR_COUNT,
  TL_ATTR_MODE,
  TL_ATTR_REDUCER,
  TL_ATTR_DTYPE,
  TL_ATTR_INTS,
  TL_ATTR_SHAPE
} tl_attr_kind;
typedef union tl_attr {
  tl_axes axes;
  int64_t integer; /* all but AXES, INTS and SHAPE */
  struct {
    int count; /* at most TL_MAX_RANK */
    const int64_t *at;
  } ints;
  struct {
    int rank;
    const tl_extent *dim;
  } shape; /* for the rule of types and the kernels; not set in a tl_op, whose result has it */
} tl_attr;
enum { TL_MAX_ATTRS = 4 };

typedef struct tl_op_info {
  const char *name, *doc;
  tl_op_class op_class;
  int arity; /* -1: varies */
  tl_operand_kind operands;
  tl_result_kind result;
  bool elementwise;
  bool on_tensors; /* only */
  int attr_count;
  struct {
    tl_attr_kind kind;
    const char *name;
  } attrs[TL_MAX_ATTRS];
} tl_op_info;
extern const tl_op_info tl_op_table[TL_OP_COUNT];
/* Whether the result's shape is an attribute, the first. Its symbolic extents are operands, in order, behind those of
 * the row. */
static inline bool tl_op_states_shape(tl_opcode code) {
  return tl_op_table[code].attr_count > 0 && tl_op_table[code].attrs[0].kind == TL_ATTR_SHAPE;
}
extern const char *const tl_index_mode_words[]; /* check, clip, drop, fill */
extern const char *const tl_reducer_words[];    /* add, mul, min, max, replace */

/* `from` may be NULL where there are none. */
static inline void tl_extents_copy(tl_extent *to, const tl_extent *from, int count) {
  for (int i = 0; i < count; i++) {
    to[i] = from[i];
  }
}

typedef struct tl_type {
  tl_dtype dtype;
  bool is_array;
  bool is_tensor;
  int rank; /* 0 for scalars and memory cells */
  const tl_extent *extents;
  const char *const *axis_names; /* tensors: interned, each may be NULL; NULL: none has one */
  const struct tl_type *element; /* arrays of tensors; NULL otherwise */
} tl_type;

typedef struct tl_op tl_op;

typedef struct tl_region {
  TL_VEC(tl_value) params;
  TL_VEC(tl_op *) ops;
  TL_VEC(tl_value) yields;
  tl_op *parent; /* NULL: a function's body */
} tl_region;

enum {
  TL_ALLOC_ZEROED = 1, /* content is zero, else not to be read before it is written */
  TL_ALLOC_TAPE = 2,   /* saved values: heap unless small and of constant size */
  TL_ALLOC_GROW = 4,   /* rank 1: grows as far as the largest index updated; the extent is a first guess */
  TL_ALLOC_LOCAL = 8,  /* a local of the user's: lies on the stack */
  TL_ALLOC_TABLE = 16
}; /* a file-scope or static object that is only read: `callee` is its C name (NULL: not visible
      where a derivative stands) and `format` its access template over '$'; `table` its content */

struct tl_op {
  tl_opcode code;
  uint32_t operand_count, result_count, region_count;
  tl_value *operands;
  tl_value first_result; /* results have consecutive ids */
  tl_region *regions[2];
  tl_region *parent;
  tl_loc loc;
  /* attributes, by op */
  union {
    int64_t integer;      /* const of an integer dtype or i1 */
    long double floating; /* const of a floating dtype */
    int64_t step;         /* loop */
    unsigned flags;       /* alloc */
  } u;
  const tl_attr *attrs; /* tensor ops: by the row; NULL where it has none */
  bool reversed;        /* loop */
  bool is_ours; /* loop, clone: over elements or directions, no loop of the user's, no copy that the program makes;
                   not in the text form */
  const char *spelling; /* const: source text to print again, or NULL (valid for its own dtype only) */
  const char *callee;   /* call, extern */
  const char *format;   /* extern */
  /* call: by argument, 0 where it is passed as it is; else the callee's array, of one axis, starts at an element of the
   * operand, whose indices are the operands from this one on, behind the arguments. A final content is the operand's.
   * NULL: there is none. Only the last pass, views.c, makes these; no other pass knows them. */
  const uint32_t *views;
  /* call: by the callee's C parameter, where no leaf belongs to that, the argument as C text with `$k` as in `format`;
   * NULL, or an element that is: a null pointer. Not in the text form. */
  const char *const *texts;
  bool has_effect; /* extern: kept although its result is unused */
  const long double
      *table;    /* alloc with TL_ALLOC_TABLE: the elements, row-major; NULL: not constant, read it by its name */
  uint32_t mark; /* the running pass's own; means nothing between passes */
};

typedef struct tl_value_info {
  tl_type type;
  const char *name;  /* the user's variable that this is a version of, or NULL */
  tl_op *op;         /* the op that defines it; NULL for region parameters */
  tl_region *region; /* the region whose parameter it is, or that op lies in */
  uint32_t index;    /* which result or parameter */
} tl_value_info;

/* How a parameter of the C function is used. */
typedef enum tl_role {
  TL_ROLE_INPUT,  /* by value, or memory that is only read */
  TL_ROLE_OUTPUT, /* memory that is written in full before it is read */
  TL_ROLE_INOUT,  /* memory that is read and written */
} tl_role;

/* One parameter of the C function. In declarators the name stands as '@': "const double @[n]", "struct p *@". */
typedef struct tl_cparam {
  const char *name;
  const char *declarator; /* as the user wrote it */
  const char *bare;       /* without const at any level */
  tl_role role;
  bool by_value;       /* scalar or struct passed by value */
  bool differentiable; /* holds a floating leaf and is no output */
  bool is_struct;
  tl_loc loc;
  const char *pointee; /* of a pointer whose type is a typedef: the type that it points to; else NULL; not in the text
                          form */
  bool is_batch;       /* the number of examples, a size_t that no header need have declared; not in the text form */
} tl_cparam;

/* What a generated function's leaf is with respect to its primal; calls in derivatives are put together from it. */
typedef enum tl_origin {
  TL_ORIGIN_PRIMAL, /* the primal's leaf `origin_index` */
  TL_ORIGIN_DOT,    /* tangent of that leaf, or storage for it */
  TL_ORIGIN_SEED,   /* cotangent of the primal's result `origin_index` */
  TL_ORIGIN_BAR,  /* storage for the cotangent of the primal's leaf; of an in-out, which the cotangent is added to; of a
                     transposed rule in forward mode, for the tangent of the primal's result */
  TL_ORIGIN_CELL, /* a result by pointer */
  TL_ORIGIN_ZERO, /* zero, of the type of the primal's result `origin_index`: what a transposed rule ignores, what is
                     not floating among a rule's seeds */
  TL_ORIGIN_ZERO_DOT, /* zero, of the type of the primal's leaf */
  TL_ORIGIN_SCRATCH,  /* storage like the primal's leaf, or a cell for a scalar, for a result that nobody reads */
} tl_origin;

/* A pointer that is a member of a parameter's object: how many elements lie behind it is the extent of `axis`. */
typedef struct tl_member {
  const char *access; /* "$->w" */
  const char *fix;    /* how it may be declared so that it says how many, or NULL */
  uint32_t axis;
  bool in_system_header;
  tl_loc loc;
  const struct tl_member *outer; /* the one on the way to it */
} tl_member;

/* A leaf of a C parameter: one IR parameter. `access` spells an element in C: '$' is the parameter's name and each '#'
 * one index: "$[#][#]", "(*$)", "$->v[#]", "$.x" . A by-value scalar is "$". */
typedef struct tl_param {
  tl_value value; /* the body region's parameter */
  uint32_t cparam;
  const char *access;
  bool is_memory;   /* array (rank 0 included), as against a by-value scalar */
  tl_origin origin; /* not in the text form: it serves one compilation */
  uint32_t origin_index;
  uint32_t by_members;  /* behind so many pointers that are members of the parameter's object; not in the text form */
  uint32_t axes_before; /* by_members: how many of the axes lie ahead of the last of them */
  bool is_const;        /* it is, or lies in, a const member of the object that is at hand; not in the text form */
  bool behind_const;    /* by_members: the last of them points to const; not in the text form */
  bool is_untouched; /* by_members: as written, a function of the user's neither reads nor writes it; known once it is
                        tidy; not in the text form */
  const tl_member *member; /* by_members: the last of them; NULL where it is an element of rows; not in the text form */
} tl_param;

typedef enum tl_result_role {
  TL_RESULT_RETURN, /* the returned value, or a leaf of a returned struct (access "$.x") */
  TL_RESULT_FINAL,  /* the final content of the memory parameter `param` */
} tl_result_role;

typedef struct tl_result {
  tl_result_role role;
  uint32_t param;     /* FINAL: index into params */
  const char *access; /* RETURN */
  bool is_ignored;    /* a copy of what is not floating, or of a transposed rule: no derivative that calls reads it */
  bool is_derived; /* of a generated function: the derivative of the primal's leaf or result `origin_index`, against a
                      result of the primal itself; not in the text form */
  uint32_t origin_index;
} tl_result;

#define TL_NO_RESULT UINT32_MAX

typedef struct tl_func {
  const char *name;
  struct tl_module *module;
  tl_arena *arena;
  TL_VEC(tl_value_info) values; /* [0] is unused */
  tl_region *body;              /* its yields match results */
  TL_VEC(tl_cparam) cparams;
  TL_VEC(tl_param) params; /* leaves, in the order of the body's parameters */
  TL_VEC(tl_result) results;
  const char *return_declarator; /* "double", "struct s", "void" */
  tl_loc loc;
  bool is_primal;   /* lowered from C (against generated) */
  bool is_tidy;     /* simplified as far as a primal is; not in the text form */
  bool reads_signs; /* an op in it tells -0 from 0, so what it is computed from may not change from one to the other;
                       not in the text form */
  bool is_check; /* tl_check_vjp: it runs on copies, which are no news, and without memory it has found a fault; not in
                    the text form */
  bool
      is_declared; /* its C has no body here: calls of it can be written, its derivative cannot; not in the text form */
  bool recursive;  /* calls itself, perhaps through others */
  const char *custom_vjp, *custom_jvp; /* names of rule functions in C, or NULL */
  const char *vjp_of;    /* the function that the origins are about, if this is its vjp; not in the text form */
  const char *rule_of;   /* likewise, if this is the custom rule of it; not in the text form */
  const char *lost_rule; /* a function with a custom rule whose body stands in a batch here, so that a derivative would
                            not use the rule; not in the text form */
} tl_func;

/* A member of a local or parameter of the user's: "T_m" is "T.m". */
typedef struct tl_spelling {
  const char *name, *spelled;
} tl_spelling;

typedef struct tl_module {
  tl_arena *arena;
  tl_diag *diag;
  TL_VEC(tl_func *) funcs;
  TL_VEC(tl_spelling) spellings; /* for messages; not in the text form */
} tl_module;

/* build.c. Names, spellings and other strings are not copied (but a function's name is): they outlive the module. */
tl_module *tl_module_create(tl_arena *, tl_diag *);
tl_func *tl_func_create(tl_module *, const char *name);
tl_func *tl_module_find(const tl_module *, const char *name);
/* The result that is the final content of a memory leaf; TL_NO_RESULT where the function leaves the leaf alone. */
uint32_t tl_func_final(const tl_func *, uint32_t leaf);
/* Of a leaf that is all that one member points to, a scalar or an array of them: how much of its access spells that
 * pointer, "$->w" of "$->w[#]", "(*$->q" of "(*$->q)"; else 0. */
uint32_t tl_func_pointer_length(const tl_func *, uint32_t leaf);
/* Whether the leaf is one of an output's. */
bool tl_func_is_output(const tl_func *, uint32_t leaf);
tl_region *tl_region_create(tl_func *, tl_op *parent); /* the caller stores it in parent->regions */
tl_value tl_region_add_param(tl_func *, tl_region *, tl_type, const char *name);

/* Where new ops go. Ops are appended to `region`; op ids do not exist, order is the region's. The peephole hook, where
 * set, may return an existing or folded value instead of a new elementwise op. */
typedef struct tl_builder {
  tl_func *func;
  tl_region *region;
  tl_loc loc;
  tl_value (*peephole)(struct tl_builder *, tl_opcode, tl_dtype result, const tl_value *operands);
  bool any_zero; /* nothing tells -0 from 0 in what is built, though the function reads signs */
} tl_builder;

static inline bool tl_is_scalar(tl_type t) { return !t.is_array && !t.is_tensor; }
static inline tl_type tl_scalar(tl_dtype d) { return (tl_type){.dtype = d}; }
tl_type tl_array_type(tl_func *, tl_dtype, int rank, const tl_extent *extents); /* copies the extents */

const tl_type *tl__type_copy(tl_func *, tl_type); /* for the element of an array's type */
/* A tensor's type in another function: extents that are values are not stated. Any other type as it is. */
tl_type tl_type_abroad(tl_func *, tl_type);

tl_op *tl_op_create(tl_builder *, tl_opcode, uint32_t operand_count,
                    const tl_value *operands); /* appended, no results yet */
tl_value tl_op_add_result(tl_func *, tl_op *, tl_type,
                          const char *name); /* all results of an op must be added in a row */
/* Whether ops of this kind tell -0 from 0. */
static inline bool tl_op_reads_signs(tl_opcode code) {
  return code == TL_OP_copysign || code == TL_OP_signbit || code == TL_OP_atan2;
}

/* Whether the op stores into its first operand: its result is the next version of it, in the same storage. */
static inline bool tl_op_stores(const tl_op *op) {
  return op->code == TL_OP_update || op->code == TL_OP_fill || op->code == TL_OP_accumulate;
}
static inline tl_value tl_op_result(const tl_op *op, uint32_t i) { return op->first_result + i; }

/* Of tensors, which have one shape, and scalars: a tensor where an operand is one. */
tl_value tl_build_elementwise(tl_builder *, tl_opcode, tl_dtype result, const tl_value *operands);
/* v, which stands for the result of such an op: as a tensor where it is a scalar and an operand is one. */
tl_value tl_build_spread(tl_builder *, tl_opcode, tl_value v, const tl_value *operands);
/* An op of a row that is about tensors; its types fit. Attributes are copied; that of a SHAPE has the result's extents.
 */
tl_value tl_build_tensor(tl_builder *, tl_opcode, const tl_value *operands, const tl_attr *);
/* A copy of a tensor op's attributes, but for a shape, which lives with the arena. */
tl_attr *tl_attrs_copy(tl_arena *, tl_opcode, const tl_attr *);
/* The product of two extents, as a value where one is. */
tl_extent tl_build_extent_product(tl_builder *, tl_extent, tl_extent);
/* (x*times + plus)/over, toward zero, of an extent that is a value. */
tl_extent tl_build_extent_affine(tl_builder *, tl_extent x, int64_t times, int64_t plus, int64_t over);
/* x, a scalar or a tensor, in the shape of a tensor type. */
tl_value tl_build_broadcast(tl_builder *, tl_value x, tl_type like);
tl_value tl_build_item(tl_builder *, tl_value x);
/* An array of rank 1, whose extent is stated, as a tensor. */
tl_value tl_build_pack(tl_builder *, tl_value array);
/* The extent of an axis, a constant where it is fixed. */
tl_value tl_build_dim(tl_builder *, tl_value x, int axis);
/* The type of a tensor or scalar with every extent stated: where it is not, by dim. */
tl_type tl_build_type(tl_builder *, tl_value);
/* Zero of the type of a scalar or tensor. */
tl_value tl_build_zero_like(tl_builder *, tl_value);
tl_value tl_build_unary(tl_builder *, tl_opcode, tl_value x);
tl_value tl_build_binary(tl_builder *, tl_opcode, tl_value x, tl_value y); /* result dtype by the op's row */
tl_value tl_build_select(tl_builder *, tl_value c, tl_value x, tl_value y);
tl_value tl_build_cvt(tl_builder *, tl_dtype, tl_value x); /* x itself where the type is the same */
tl_value tl_build_int(tl_builder *, tl_dtype, int64_t);
tl_value tl_build_float(tl_builder *, tl_dtype, long double, const char *spelling);
tl_value tl_build_zero(tl_builder *, tl_dtype);
tl_value tl_build_alloc(tl_builder *, tl_dtype, int rank, const tl_extent *extents, unsigned flags, const char *name);
/* An array of scalars or tensors. */
tl_value tl_build_alloc_of(tl_builder *, tl_type element, int rank, const tl_extent *extents, unsigned flags,
                           const char *name);
/* Zero, as an element of an array of this type: a tensor has extent 1 where the type states none. */
tl_value tl_build_zero_element(tl_builder *, tl_type array);
/* An array of this type. */
tl_value tl_build_alloc_like(tl_builder *, tl_type, unsigned flags, const char *name);
tl_value tl_build_index(tl_builder *, tl_value array, uint32_t count, const tl_value *indices);
tl_value tl_build_update(tl_builder *, tl_value array, uint32_t count, const tl_value *indices, tl_value v);
tl_value tl_build_fill(tl_builder *, tl_value array, tl_value v);
tl_value tl_build_clone(tl_builder *, tl_value array);
tl_value tl_build_accumulate(tl_builder *, tl_value a, tl_value b);
/* Creates the op with empty regions; fill each region's ops and yields, then tl_build_if_results. */
tl_op *tl_build_if(tl_builder *, tl_value condition);
void tl_build_if_results(tl_builder *, tl_op *); /* types and names from the yields */
/* hi may be TL_NO_VALUE. Both regions get their parameters (iv, carries) named after the inits. */
tl_op *tl_build_loop(tl_builder *, tl_value lo, tl_value hi, int64_t step, const char *iv_name, uint32_t carry_count,
                     const tl_value *inits);
void tl_build_loop_results(tl_builder *, tl_op *); /* after the body's yields are set; adds the trip count too */
/* A body written by going into it: `region` becomes the body and carries[i] its parameters; then the carries are
 * yielded, `region` is the one around the loop again and carries[i] are the results. */
void tl_build_loop_enter(tl_builder *, tl_op *, tl_value *carries);
void tl_build_loop_leave(tl_builder *, tl_op *, tl_value *carries);

static inline tl_type tl_type_of(const tl_func *f, tl_value v) { return f->values.data[v].type; }
static inline const tl_value_info *tl_info(const tl_func *f, tl_value v) { return &f->values.data[v]; }
static inline tl_op *tl_def(const tl_func *f, tl_value v) { return f->values.data[v].op; }
bool tl_is_const_int(const tl_func *, tl_value, int64_t *out);
bool tl_is_const_float(const tl_func *, tl_value, long double *out);
bool tl_is_plus_zero(const tl_func *, tl_value); /* a constant, all of whose bits are 0 */
bool tl_type_equal(tl_type, tl_type);
/* How many elements fixed extents make; -1 where one is not fixed, or where they are more than `most`. */
int64_t tl_extents_count(const tl_extent *, int rank, int64_t most);

static inline tl_value tl_loop_lo(const tl_op *o) { return o->operands[0]; }
static inline tl_value tl_loop_hi(const tl_op *o) { return o->operands[1]; }
static inline uint32_t tl_loop_carries(const tl_op *o) { return o->operand_count - 2; }
static inline tl_value tl_loop_init(const tl_op *o, uint32_t i) { return o->operands[2 + i]; }
static inline tl_value tl_loop_trips(const tl_op *o) { return o->first_result + tl_loop_carries(o); }
static inline tl_region *tl_loop_cond(const tl_op *o) { return o->regions[0]; }
static inline tl_region *tl_loop_body(const tl_op *o) { return o->regions[1]; }
/* By lo and hi alone: it has no exit. */
static inline bool tl_loop_is_counted(const tl_op *o) { return tl_loop_hi(o) && !tl_loop_cond(o)->yields.count; }

/* Deep copy of a region's ops into the builder's region under a value map (indexed by old id; unmapped operands map to
 * themselves). The map must have room for every value of the function at the time of the call. Yields are not copied.
 */
void tl_clone_ops(tl_builder *, const tl_region *from, tl_value *map);
/* The same out of another function, whose ids index the map; every operand from outside has to be in it. */
void tl_clone_ops_from(tl_builder *, const tl_func *source, const tl_region *from, tl_value *map);
tl_op *tl_clone_op_from(tl_builder *, const tl_func *source, const tl_op *from, tl_value *map);

/* print.c, parse.c, verify.c: the text form, and the rules (labels C1.. in docs/ir.md) */
void tl_func_print(const tl_func *, FILE *);
void tl_module_print(const tl_module *, FILE *);
tl_status tl_module_parse(tl_module *, const char *file, const char *text,
                          size_t length); /* errors go to the module's sink */
/* TL_OK, or TL_IR_INVALID with errors in the sink that name the function, the op and the rule. */
tl_status tl_func_verify(const tl_func *);
tl_status tl_module_verify(const tl_module *);

#endif
