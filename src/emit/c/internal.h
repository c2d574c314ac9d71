/* Inside the C emitter.
 *
 * A function is emitted in four steps: the plan says of each value whether it is dead, an expression printed where it
 * is used, or a C variable, and which values share a variable (plan.c, modes.c, vars.c); names are given (names.c);
 * statements are made (stmt.c, loop.c, exits.c, memory.c, tape.c, call.c, with expressions from expr.c); the statements
 * are tidied (tidy.c) and laid out (text.c). emit_c.c runs the steps and prints what stands around them. */
#ifndef TL_EMIT_C_INTERNAL_H
#define TL_EMIT_C_INTERNAL_H

#include <ctype.h>

#include "base/vec.h"
#include "emit/c/emit_c.h"
#include "ir/ir.h"

#define TL__NONE UINT32_MAX

/* ---- text.c: strings and statements ---- */

enum { TL__LINE_WIDTH = 110 }; /* longer lines of emitted C are broken where they can be */

typedef struct tl__c_text {
  tl_arena *arena;
  char *data; /* always terminated once anything was added */
  uint32_t count, room;
} tl__c_text;

void tl__c_text_add(tl__c_text *, const char *);
void tl__c_text_addn(tl__c_text *, const char *, size_t);
void tl__c_text_addf(tl__c_text *, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A copy of `text` with `from` replaced by `to` wherever it stands. */
const char *tl__c_text_replace(tl_arena *, const char *text, char from, const char *to);

typedef struct tl__c_stmt tl__c_stmt;
typedef TL_VEC(tl__c_stmt *) tl__c_block;
struct tl__c_stmt {
  enum { TL__LINE, TL__COMMENT, TL__LABEL, TL__BRACED } kind;
  const char *text; /* LINE: with semicolon; BRACED: what stands before the brace, "" for a plain block */
  tl__c_block body, otherwise;
  bool is_if;                  /* BRACED: `otherwise` is its else branch */
  const char *opposite;        /* is_if: "if (...)" with the negated condition */
  bool counted;                /* BRACED: a loop that ends of itself */
  const char *defines;         /* LINE: the variable that it declares or assigns, if that is all it does; else NULL */
  const char *reads;           /* with `defines`: what it reads */
  const char *place, *stored;  /* LINE: "place = stored;", a floating variable into an element; else NULL */
  bool saves;                  /* with `place`: for the way back, not of the user's */
  bool is_chain;               /* LINE: "x = p[i] = y;" */
  const char *held;            /* is_chain: the last place in it of the user's, or NULL */
  const char *truth, *untruth; /* with `defines`: the assigned constant is if_true where `truth` holds, else if_false */
  int64_t if_true, if_false;
};

/* Removes assignments of variables that nothing reads, their declarations, and blocks that this leaves empty. */
void tl__c_block_tidy(tl__c_block *, tl_arena *);
bool tl__c_block_has(const tl__c_block *, const char *word);
static inline bool tl__c_in_word(char c) { return isalnum((unsigned char)c) || c == '_'; }
bool tl__c_has_word(const char *text, const char *word);
void tl__c_block_print(const tl__c_block *, int indent, FILE *);

/* ---- the plan ---- */

typedef enum tl__c_mode {
  TL__DEAD,     /* nothing needs it */
  TL__INLINE,   /* printed as an expression at each use */
  TL__VARIABLE, /* lives in a C variable: every array, and scalars that are computed once for several uses */
} tl__c_mode;

/* Where a value is used: by an operand of op, or (op NULL) as yield `index` of region. index TL__NONE: as an extent. */
typedef struct tl__c_use {
  tl_op *op;
  uint32_t region, index;
} tl__c_use;

typedef struct tl__c_span {
  uint32_t from, to; /* positions, both included */
} tl__c_span;

typedef struct tl__c_value {
  tl__c_mode mode;
  bool needed, forced, cheap;
  uint32_t weight;                          /* operators printed where the value is */
  uint32_t root_at, root_region, root_loop; /* INLINE with one use: the position and region of the statement that it
                                               ends up in; the loop in whose header it stands, or TL__NONE */
  TL_VEC(tl__c_use) uses;
  uint32_t var;   /* union-find over values; the root stands for the variable */
  uint32_t store; /* the same, of all versions of an array whether or not they can share storage */
} tl__c_value;

/* A place where a variable is read or written. */
typedef struct tl__c_event {
  uint32_t region, at;
} tl__c_event;

/* How an array lies in C. */
typedef enum tl__c_storage { TL__PARAM, TL__STACK, TL__CELL, TL__HEAP } tl__c_storage;

/* A variable, found under the root of its values. */
typedef struct tl__c_var {
  TL_VEC(tl__c_span) live;
  const char *name;
  const char *wish;        /* the user's variable whose versions it holds, or NULL */
  bool is_param, is_const; /* is_const: storage that must not be written */
  uint32_t param;          /* index into func->params */
  tl__c_storage storage;   /* arrays */
  unsigned flags;          /* arrays: of the alloc */
  bool is_users;           /* arrays: an object of the program's */
  uint32_t region;         /* where it is declared */
  uint32_t lifetime;       /* heap: the region at whose end it is freed */
  tl_op *declared_at;      /* the op before or at which it is declared; NULL: at the end of the region */
  bool used, declared, is_iv;
  bool owns;              /* it has storage of its own */
  bool late;              /* its storage is made where it is declared, not by an op of the IR */
  bool made;              /* heap: allocated above */
  bool at_entry;          /* heap: allocated at the head of the function */
  const tl_op *zeroed_by; /* at_entry: the allocation of the IR whose zeros are there from the start */
  const char *room;       /* arrays that grow: the variable that holds how many elements there are */
  tl_value together;      /* arrays that grow: the one whose store makes room in both, perhaps itself; or TL_NO_VALUE */
  const tl_op *grown_by;  /* where `together` is itself: that store */
  TL_VEC(tl__c_event) events;
} tl__c_var;

typedef struct tl__c_op {
  tl_op *op;
  uint32_t region;      /* where it lies */
  uint32_t read, write; /* positions: operands are read at one, results written at the other */
  uint32_t inner[2];    /* its regions */
  bool needed;
  bool as_expression;  /* if: printed as c ? a : b */
  bool reserved;       /* update of an array that grows: the loop around it made room */
  bool copies_operand; /* the result cannot share the array operand's storage */
  bool emitted;        /* ahead of the block that the body stands in */
} tl__c_op;

typedef struct tl__c_region {
  tl_region *region;
  uint32_t parent;             /* op, TL__NONE for the body */
  uint32_t outer;              /* region */
  uint32_t loop;               /* the innermost loop op that it lies in, or TL__NONE */
  bool in_condition;           /* of a loop */
  uint32_t begin, read, write; /* positions: yields are read at one, what receives them is written at the other */
} tl__c_region;

/* A name, and the region in whose scope it stands; TL__NONE: nothing else may have it anywhere. */
typedef struct tl__c_named {
  const char *name;
  uint32_t region, next;
} tl__c_named;

typedef struct tl__c_emit {
  const tl_func *f;
  const tl_emit_opts *opts;
  tl_emit_needs *needs;
  tl_arena *arena;
  uint32_t value_count;
  tl__c_value *values;          /* by id */
  tl__c_var *vars;              /* by id of the root value */
  TL_VEC(tl__c_op) ops;         /* op->mark is the index */
  TL_VEC(tl__c_region) regions; /* [0] is the body */
  uint32_t positions;
  TL_VEC(uint32_t) * declared_at; /* per op: the roots of variables that are declared at it */
  bool extents_needed;            /* the extents of arrays are kept for copies and for filling results with NaN */
  TL_VEC(tl_loc) warned;          /* where a copy was reported */
  uint32_t copies;                /* pairs of array versions that cannot share storage */
  bool failing;                   /* some allocation can fail */
  int64_t largest_on_stack;       /* bytes of an array beside the user's locals */
  int64_t stack_left;             /* bytes for copies that no allocation makes */
  /* names.c */
  TL_VEC(tl__c_named) named;  /* the newest last */
  uint32_t *named_heads;      /* by hash; the newest of each */
  TL_VEC(tl__c_named) theirs; /* names of the user's variables; region: of which kinds they are */
  uint32_t *their_heads;
  /* stmt.c */
  tl__c_block *out;
  uint32_t region; /* the one being printed */
  const char *line_file;
  uint32_t line; /* of the last comment */
  /* tensor.c */
  TL_VEC(const char *) scopes; /* the open ones, the innermost last */
  /* tape.c */
  TL_VEC(uint32_t) heap;      /* roots of the arrays on the heap, in order */
  uint32_t object_blocks;     /* the most blocks for objects that a call has */
  const char *label, *tape;   /* names; no label where the one failure is handled in place */
  TL_VEC(uint32_t) unchecked; /* roots of arrays whose allocation was not checked yet; */
  uint32_t checks_from;       /* those of the region being printed are the ones from here on */
  TL_VEC(tl_value) pool;      /* arrays that are allocated together; not emitted yet */
  const tl__c_block *pool_at;
  bool block;         /* the body stands in a block of its own, so that the label is outside the scope of its arrays */
  bool leaving;       /* what is emitted leaves the function: variables that are declared later are not there yet */
  bool outside_block; /* what is emitted stands behind that block, where its variables are out of scope */
} tl__c_emit;

static inline tl__c_op *tl__c_op_of(tl__c_emit *e, const tl_op *op) { return &e->ops.data[op->mark]; }
static inline tl_type tl__c_type(const tl__c_emit *e, tl_value v) { return tl_type_of(e->f, v); }
uint32_t tl__c_root(tl__c_emit *, tl_value);
uint32_t tl__c_store_root(tl__c_emit *, tl_value);
static inline tl__c_var *tl__c_var_of(tl__c_emit *e, tl_value v) { return &e->vars[tl__c_root(e, v)]; }
/* The region that a value is defined in. */
uint32_t tl__c_home(tl__c_emit *, tl_value);
bool tl__c_is_const(const tl__c_emit *, tl_value);
/* No statement, only an expression: elementwise ops, constants, loads. */
bool tl__c_is_pure(const tl_op *);
/* accumulate(zeros, b), where nothing else reads the zeros: the result is b. */
bool tl__c_is_plain_sum(const tl__c_emit *, const tl_op *);
/* Which result of the op is a later version of the array that is its operand, or TL__NONE. */
uint32_t tl__c_tied_result(const tl__c_emit *, const tl_op *, uint32_t operand);
bool tl__c_region_within(const tl__c_emit *, uint32_t inner, uint32_t outer);
bool tl__c_carry_needed(tl__c_emit *, const tl_op *loop, uint32_t carry);
bool tl__c_is_final(const tl__c_emit *, uint32_t param); /* the parameter's storage receives a result */

void tl__c_plan(tl__c_emit *);       /* plan.c: everything below in order; fills values, ops, regions, vars */
void tl__c_plan_modes(tl__c_emit *); /* modes.c */
void tl__c_plan_vars(tl__c_emit *);  /* vars.c */
/* The condition region of the loop is one expression. */
bool tl__c_condition_is_expression(tl__c_emit *, const tl_op *loop);
/* The trip count is needed. */
bool tl__c_trips_needed(tl__c_emit *, const tl_op *loop);

/* ---- names.c ---- */
/* The function with other names for parameters that would hide what its body names; itself where there are none. */
const tl_func *tl__c_unhide(const tl_func *, const tl_emit_opts *, tl_arena *);
void tl__c_names_reserve(tl__c_emit *);
void tl__c_name_vars(tl__c_emit *);
/* A fresh name, none of the user's, for a variable that is declared in `region`. */
const char *tl__c_name_fresh(tl__c_emit *, uint32_t region, const char *wish);

void tl__c_name_add(tl__c_emit *, uint32_t region, const char *name);
/* Forgets the names added since there were `count` in e->named. */
void tl__c_name_rewind(tl__c_emit *, uint32_t count);
/* The name means something at that place, or is one of the user's for no counter: a loop's own counter has another. */
bool tl__c_name_visible(const tl__c_emit *, uint32_t region, const char *name);

/* ---- expr.c ---- */
enum {
  TL__PREC_COMMA,
  TL__PREC_ASSIGN,
  TL__PREC_COND,
  TL__PREC_LOR,
  TL__PREC_LAND,
  TL__PREC_OR,
  TL__PREC_XOR,
  TL__PREC_AND,
  TL__PREC_EQ,
  TL__PREC_REL,
  TL__PREC_SHIFT,
  TL__PREC_ADD,
  TL__PREC_MUL,
  TL__PREC_UNARY,
  TL__PREC_POSTFIX
};
typedef struct tl__c_expr {
  const char *text;
  int prec;
} tl__c_expr;

const char *tl__c_type_text(tl_dtype);
tl__c_expr tl__c_value_expr(tl__c_emit *, tl_value);
/* The value as an operand that binds at least as tightly as prec. */
const char *tl__c_value_text(tl__c_emit *, tl_value, int prec);
/* A constant or expression whose C type is exactly the value's. */
const char *tl__c_exact_text(tl__c_emit *, tl_value, int prec);
/* Beside a value of its type of 64 bits in a comparison. */
const char *tl__c_bound_text(tl__c_emit *, tl_value, int prec);
/* As an array index or a bound, where C widens by itself. */
const char *tl__c_index_text(tl__c_emit *, tl_value, int prec);
const char *tl__c_condition_text(tl__c_emit *, tl_value, bool negated, int prec);
const char *tl__c_nan_text(tl__c_emit *, tl_dtype);
tl__c_expr tl__c_constant_expr(tl__c_emit *, const tl_op *, tl_dtype, bool exact);
/* "x op= y;", "x++;" or "x = expr;" for the value computed by op. */
const char *tl__c_assign_text(tl__c_emit *, const char *place, tl_value);
const char *tl__c_extent_text(tl__c_emit *, tl_extent, int prec);
const char *tl__c_stack_extent(tl__c_emit *, tl_extent); /* of an array on the stack, which has an element at least */
/* The value where C converts it to its type by itself: an assignment, an argument, an operand beside one of that type.
 */
const char *tl__c_converted_text(tl__c_emit *, tl_value, int prec);

/* ---- tensor.c ---- */
bool tl__c_has_tensors(tl_type); /* it is one, or an array of some */
/* The C type of a variable of the type, or of an array's element. */
const char *tl__c_decl_text(tl_type);
/* Printed by tl__c_tensor_expr. */
bool tl__c_is_tensor_op(const tl_func *, const tl_op *);
tl__c_expr tl__c_tensor_expr(tl__c_emit *, const tl_op *);
/* Some op in the region or those in it gives a tensor. */
bool tl__c_region_has_tensors(const tl_func *, const tl_region *);
/* A scope for the tensors that statements from here on make; the end of the innermost one, which stays on the list. */
void tl__c_scope_open(tl__c_emit *);
void tl__c_scope_close(tl__c_emit *);
/* The tensor handed out of all scopes but the outermost `depth`. */
const char *tl__c_pack_text(tl__c_emit *, const tl_op *); /* a call that copies an array's elements */
const char *tl__c_kept_text(tl__c_emit *, const char *text, uint32_t depth);

/* ---- memory.c ---- */
/* An access template with `name` for its '$' and the indices for its '#', in order. */
const char *tl__c_substitute(tl_arena *, const char *access, const char *name, uint32_t count,
                             const char *const *indices);
/* An element; index texts are complete expressions. */
tl__c_expr tl__c_element_expr(tl__c_emit *, tl_value array, uint32_t rank, const char *const *indices);
/* Some extent is of a type narrower than 64 bits, so that a product of extents has to be widened. */
bool tl__c_narrow_extents(tl__c_emit *, tl_type);
/* The scalar parameter that the variable is: its name, or where it lies in the C parameter. */
const char *tl__c_scalar_param_text(tl__c_emit *, const tl__c_var *);
tl__c_expr tl__c_load_expr(tl__c_emit *, const tl_op *index);
/* The array as an argument: the name that decays to a pointer, or an address. */
const char *tl__c_base_text(tl__c_emit *, tl_value array);
void tl__c_emit_alloc(tl__c_emit *, tl_op *);
void tl__c_emit_update(tl__c_emit *, tl_op *);
void tl__c_emit_fill(tl__c_emit *, tl_op *);
void tl__c_emit_accumulate(tl__c_emit *, tl_op *);
/* Warns, once per place, of a copy inside a loop. */
void tl__c_warn_copy(tl__c_emit *, tl_value to, tl_value from, const tl_op *at);
/* Copies the array's content into another variable's storage; declares the latter where that is due. */
void tl__c_emit_array_copy(tl__c_emit *, tl_value to, tl_value from, tl_op *at);
/* A loop nest over the elements of an array of that type; statements then go inside. Gives the names of the indices;
 * tl__c_nest_close gives the block back. */
typedef struct tl__c_nest {
  tl__c_block *outside;
  uint32_t name_count;
  const char *index[TL_MAX_RANK];
} tl__c_nest;
void tl__c_nest_open(tl__c_emit *, tl_type, tl__c_nest *);
void tl__c_nest_close(tl__c_emit *, tl__c_nest *);
/* A statement that stores into the array. */
void tl__c_store_line(tl__c_emit *, tl_value array, const char *text);
/* Sets every element of the array to the text. */
void tl__c_emit_set_all(tl__c_emit *, tl_value array, const char *text);
/* Sets every element of the array, a parameter, to NaN. */
void tl__c_emit_spoil(tl__c_emit *, tl_value array);
/* Declares an array variable without initialiser, or with `= {0}`. */
void tl__c_declare_array(tl__c_emit *, tl_value array, bool zeroed);

/* ---- tape.c ---- */
void tl__c_tape_plan(tl__c_emit *);
/* Which arrays grow together. */
void tl__c_tape_group(tl__c_emit *);
void tl__c_tape_declare(tl__c_emit *);
void tl__c_tape_enter(tl__c_emit *); /* allocates what is allocated at the head of the function */
void tl__c_tape_allocate(tl__c_emit *, tl_value array, bool zeroed);
/* "type (*name)row" for as many objects as the first axis of the type has, or one; checked. */
void tl__c_tape_allocate_object(tl__c_emit *, const char *type, const char *name, const char *row, tl_type);
void tl__c_tape_free_objects(tl__c_emit *); /* those made last */
bool tl__c_tape_any_heap(tl__c_emit *);
/* The number of elements of an array of that type: 0 where an extent is negative. */
const char *tl__c_count_text(tl__c_emit *, tl_type);
const char *tl__c_count_factor(tl__c_emit *, tl_type); /* to be multiplied */
/* Allocations since the last check are checked. */
void tl__c_tape_check(tl__c_emit *);
void tl__c_tape_check_for(tl__c_emit *, const tl_op *); /* before the op: where it needs that */
void tl__c_tape_grow(tl__c_emit *, const tl_op *update);
/* Room for as many elements as `room` says. */
void tl__c_tape_widen(tl__c_emit *, tl_value array, const char *room);
/* Before a counted loop: room for all that its body stores, where the indices follow its induction variable. */
void tl__c_tape_reserve(tl__c_emit *, const tl_op *loop);
void tl__c_tape_free(tl__c_emit *, uint32_t region);
bool tl__c_tape_frees(tl__c_emit *, uint32_t region); /* something is freed at the region's end */
void tl__c_tape_failure(tl__c_emit *);                /* the label and what follows, where it is used */

/* ---- stmt.c ---- */
void tl__c_emit_region_ops(tl__c_emit *, uint32_t region);
void tl__c_line(tl__c_emit *, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A line that does nothing but set the variable: "double x = y;", "x += y;", "x++;". */
void tl__c_define(tl__c_emit *, const char *name, const char *text);
tl__c_stmt *tl__c_braced(tl__c_emit *, const char *text);
void tl__c_comment(tl__c_emit *, tl_loc);
/* Prints into another block until it is given back. */
static inline tl__c_block *tl__c_into(tl__c_emit *e, tl__c_block *b) {
  tl__c_block *old = e->out;
  e->out = b;
  return old;
}
/* `name = text;`, declaring the variable where that is due. */
void tl__c_set_text(tl__c_emit *, tl_value variable, const char *text, tl_op *at);
void tl__c_declare_before(tl__c_emit *, tl_op *at);
typedef struct tl__c_copy {
  tl_value to, from;
} tl__c_copy;
/* All at once: sources are read before any destination is written. */
void tl__c_emit_copies(tl__c_emit *, uint32_t count, tl__c_copy *, tl_op *at);
void tl__c_emit_body(tl__c_emit *);
void tl__c_emit_return_failed(tl__c_emit *);

/* ---- loop.c ---- */
tl__c_expr tl__c_trips_expr(tl__c_emit *, const tl_op *loop);
void tl__c_emit_loop(tl__c_emit *, tl_op *);

/* ---- exits.c ---- */
/* The carry whose first value is all that the condition asks for, beside *out_rest (or TL_NO_VALUE); else TL__NONE. */
uint32_t tl__c_exit_flag(tl__c_emit *, const tl_op *loop, tl_value *out_rest, int64_t *out_go);
/* Puts `break` where the finished body sets the flag to something else than `go`, if that is all that it does with it.
 */
bool tl__c_exit_by_break(tl__c_emit *, tl__c_block *body, const char *flag, int64_t go);

/* ---- call.c ---- */
void tl__c_emit_call(tl__c_emit *, tl_op *);
void tl__c_emit_extern(tl__c_emit *, tl_op *);
/* How many objects are made on the heap for the call; of some the rows may have a size known at run time only. */
uint32_t tl__c_call_blocks(tl__c_emit *, const tl_op *, bool *out_rows_vary);

#endif
