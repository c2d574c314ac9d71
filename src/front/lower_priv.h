/* Inside the lowering: from the syntax tree to DXIR.
 *
 * Objects. Every object that C code can name or point to (a local, the memory behind a parameter, a compound literal,
 * heap memory, a file-scope table) is a list of leaves: its scalar and pointer members, flattened. A leaf has a slot in
 * the environment, which maps slots to what they hold now: an SSA scalar, an SSA array over the axes that enclose the
 * member, or a pointer. Taking the address of a local costs nothing, because pointers are resolved while lowering.
 *
 * Pointers. A pointer value is a small set of targets and, where there is more than one, an SSA selector that says
 * which is meant. A target is an object, a run of its leaves and one index per enclosing axis.
 *
 * Control. DXIR has no jumps. Each place to which control can leave (break, continue, return, a label ahead) has a
 * code; the environment says which codes may be pending and holds the SSA value that tells which one is. What follows a
 * statement that may leave is lowered into the branch that stays, or under `if (exit == 0)`.
 *
 * A refusal reports at the construct and jumps out of the lowering of the whole function. */
#ifndef TL_FRONT_LOWER_PRIV_H
#define TL_FRONT_LOWER_PRIV_H

#include <setjmp.h>

#include "front/lower.h"

typedef struct tl_lower tl_lower;
typedef struct tl_object tl_object;
typedef struct tl_pointer tl_pointer;

typedef enum tl_object_kind {
  TL_OBJECT_LOCAL,  /* has automatic storage (retired at the end of its scope) */
  TL_OBJECT_HEAP,   /* malloc and its kin */
  TL_OBJECT_MEMORY, /* what a parameter of the function points to */
  TL_OBJECT_GLOBAL, /* file scope or static: read only */
} tl_object_kind;

typedef struct tl_leaf {
  const char *name;   /* for SSA values */
  const char *access; /* C spelling of an element ('$', '#'), or NULL */
  tl_ctype *type;     /* SCALAR, POINTER, or the type of what is opaque */
  tl_dtype dtype;     /* SCALAR */
  bool is_pointer, is_opaque;
  bool is_table; /* pointers, more than a slot each is made for: see lower_table.c */
  bool is_array; /* held as an SSA array (rank 0 included) */
  uint32_t rank;
  tl_extent extents[TL_MAX_RANK];
  tl_object *pointee;    /* a pointer in a parameter's memory: what it points to */
  bool is_const;         /* it lies in a const member of the object */
  const tl_field *field; /* the member that it is, or whose elements they are; NULL: of no struct */
  tl_ctype *holder;      /* the struct of that member, and its first leaf */
  uint32_t holder_leaf;
  uint32_t tensor_note; /* a local array of tensors: which of the lowering's notes */
  uint32_t slot;        /* the first of one per element for a local array of pointers */
  tl_value fixed;       /* GLOBAL: the content, in place of a slot */
} tl_leaf;
#define TL_NO_SLOT UINT32_MAX

struct tl_object {
  tl_object_kind kind;
  const char *name;
  tl_ctype *type; /* of the object, or of one element where `flex` */
  bool flex;      /* a leading axis of elements: memory behind a pointer */
  bool escaped;   /* may be written otherwise than through its name */
  bool dead;
  const char *access;      /* MEMORY: C spelling of the pointer to it ('$', '#') */
  uint32_t by_members;     /* MEMORY: how many pointers lie between the parameter's object and this one */
  uint32_t axes_before;    /* by_members: the axes of the last of them */
  const tl_member *member; /* by_members: that one, where it is a member */
  const tl_region *home; /* HEAP: where its first content is defined; LOCAL, where it is a variable: where it is made */
  const tl_value *first; /* HEAP: that content, by leaf */
  bool survives;         /* HEAP: being carried out of the branch that made it */
  bool is_constant;      /* GLOBAL: what its initialiser says */
  const char *literal;   /* GLOBAL: the string literal that it is, as it is spelled */
  const tl_decl *decl;
  uint32_t cparam; /* MEMORY */
  uint32_t note;   /* MEMORY: which of the lowering's notes */
  tl_loc loc;
  uint32_t leaf_count;
  tl_leaf *leaves;
};

typedef enum tl_target_kind {
  TL_TARGET_OBJECT,
  TL_TARGET_NULL,
  TL_TARGET_FUNCTION,
  TL_TARGET_TEXT,    /* known only as C text: a string, stderr, an opaque parameter */
  TL_TARGET_UNKNOWN, /* text says why */
} tl_target_kind;

typedef struct tl_target {
  tl_target_kind kind;
  tl_object *object;
  uint32_t leaf, leaf_count;
  tl_ctype *elem; /* type of the sub-object at these leaves and indices */
  uint32_t index_count;
  tl_value index[TL_MAX_RANK];
  uint32_t run;      /* trailing axes that belong to one array: the last index may step, and run over into them */
  uint32_t linear;   /* > 1: the last index counts elements over this many trailing axes */
  bool by_row;       /* linear only because it is the first row of an array of rows that a pointer was made of */
  bool virtual_axis; /* the last index is of an object that is no array: 0 where it is read */
  const tl_function *function;
  const char *text;
  bool tentative;        /* UNKNOWN in a loop's first tries: it may become known */
  uint32_t opaque_param; /* TEXT: one more than the parameter, of void * or the like, that it is; or 0 */
} tl_target;

/* The indices that a place in the object's leaves has, which a virtual axis is not one of. */
static inline uint32_t tl__target_used(const tl_target *t) { return t->index_count - (t->virtual_axis ? 1 : 0); }

struct tl_pointer {
  uint32_t count; /* 0: indeterminate */
  tl_target *targets;
  tl_value selector;    /* i32, where count > 1 */
  const tl_leaf *table; /* the content of a table: one target, and an array of it per index */
};

typedef struct tl_binding {
  tl_object *object; /* whose leaf this slot holds */
  const tl_leaf *leaf;
  tl_value value;      /* TL_NO_VALUE: indeterminate */
  tl_pointer *pointer; /* of pointer slots */
} tl_binding;

enum { TL_EXIT_CODES = 256 };
#define TL_EXIT_DYNAMIC UINT32_MAX

typedef struct tl_exit {
  bool stays;     /* control may still be here */
  uint32_t code;  /* the one pending code, 0 if none, or TL_EXIT_DYNAMIC: see value */
  tl_value value; /* i32: 0 where control is still here */
  bool is_stale;  /* value may also be a code that has arrived: only the one code left counts */
  uint64_t codes[TL_EXIT_CODES / 64];
} tl_exit;

typedef struct tl_env {
  uint32_t count, room;
  tl_binding *slots;
  tl_exit exit;
} tl_env;

/* Run-time extents of a variably modified type, as they were where it was declared. */
typedef struct tl_vm_extent {
  const tl_ctype *type;
  tl_value value;
} tl_vm_extent;

typedef struct tl_named_object {
  const tl_decl *decl;
  tl_object *object;
} tl_named_object;

typedef struct tl_label {
  const char *name;
  uint32_t code;
} tl_label;

/* One function being lowered, the outermost or one inlined into it. */
typedef struct tl_frame {
  struct tl_frame *outer;
  const tl_function *function;
  tl_loc call;
  TL_VEC(tl_named_object) names;
  TL_VEC(tl_vm_extent) extents;
  TL_VEC(tl_label) labels; /* ahead of where lowering stands */
  tl_object *result;       /* NULL for void */
  uint32_t return_code;
} tl_frame;

typedef struct tl_cursor_block {
  struct tl_cursor_block *outer;
  tl_stmt *const *stmts;
  uint32_t count, at;
  uint32_t scope, label_mark, code_mark;
  const tl_stmt *looping; /* the first statement's label is the head of the loop that runs it */
  bool keeps;             /* its objects live on at its end */
} tl_cursor_block;

typedef struct tl_cursor {
  tl_cursor_block *top;
} tl_cursor;

/* What a restart of a function's lowering knows of a parameter's memory. */
typedef struct tl_memory_note {
  bool indexed;    /* more than one element is used */
  tl_value extent; /* a value of the abandoned function that is the extent, or TL_NO_VALUE */
  tl_func *extent_func;
} tl_memory_note;

/* What a restart knows of the n-th array of pointers that is made. */
typedef struct tl_table_note {
  bool wanted;     /* a table although it is short: a loop makes its rows */
  tl_value extent; /* elements of a row, a value of the abandoned function; TL_NO_VALUE: not rows of its own */
  tl_func *extent_func;
  tl_ctype *type; /* of an element */
} tl_table_note;

typedef struct tl_slot_list {
  TL_VEC(uint32_t) slots;
} tl_slot_list;

/* Whether the caller passed a pointer, asked once at the function's head. */
typedef struct tl_null_test {
  const char *format;
  tl_value is_set; /* i1 */
} tl_null_test;

/* One pointer that the callee of a call sees, its parameter or one in memory behind that. */
typedef struct tl_passed_pointer {
  uint32_t cparam, depth; /* behind so many pointers */
  uint32_t leaf;          /* the callee's first leaf behind it */
  const tl_pointer *pointer;
} tl_passed_pointer;

/* What a call passes for the parameters that its callee names. */
typedef struct tl_call_terms {
  const tl_func *callee;
  TL_VEC(tl_passed_pointer) pointers;
  const char **texts; /* by the callee's parameter: see tl_op */
  const char *name;
  tl_loc loc;
} tl_call_terms;

typedef struct tl_known_call {
  const tl_function *function;
  bool recursive;
} tl_known_call;

typedef struct tl_decl_set {
  TL_VEC(const tl_decl *) decls;
} tl_decl_set;

/* The locals and parameters of a function whose address is taken, sorted by where they lie. */
typedef struct tl_known_escapes {
  const tl_function *function;
  tl_decl_set set;
} tl_known_escapes;

/* A parameter that is a tensor or holds them. */
typedef struct tl_tensor_param {
  tl_value value;
  const tl_leaf *leaf;
} tl_tensor_param;

/* What the tensors in a local array are, as the first store of an earlier try found. */
typedef struct tl_tensor_note {
  bool is_known;
  tl_dtype dtype;
  int rank;
} tl_tensor_note;

struct tl_lower {
  TL_VEC(tl_known_call) known_calls;
  TL_VEC(tl_known_escapes) known_escapes;
  tl_module *module;
  const tl_unit *unit;
  const tl_lower_opts *opts;
  tl_arena *arena;
  tl_func *func;
  tl_builder b;
  tl_env env;
  tl_frame *frame;
  uint32_t break_code, continue_code, next_code;
  tl_slot_list *read_log;       /* slots read, where somebody asks */
  TL_VEC(tl_memory_note) notes; /* by memory object of the parameters, in the order of their making */
  uint32_t note_count;
  TL_VEC(tl_tensor_param) tensor_params;
  TL_VEC(tl_tensor_note) tensor_notes; /* in the order of their making, as those below */
  uint32_t tensor_note_count;
  TL_VEC(tl_table_note) tables;
  uint32_t table_count;
  tl_ctype *heap_pointee;      /* what a void * that is made here will be used as, or NULL */
  bool guessed;                /* a tentative pointer was followed */
  bool adopted;                /* an extent was learnt: lower again, so that the types have it */
  const tl_pointer *len_place; /* the struct whose members a TL_LEN names */
  const tl_record *len_record; /* its type */
  TL_VEC(tl_named_object) globals;
  TL_VEC(tl_null_test) null_tests;
  uint32_t entry_ops; /* ops at the head of the body that everything may use */
  tl_lower *outer;    /* whose call asked for this function */
  const tl_function *top;
  tl_object *frame_result;  /* of the function itself */
  TL_VEC(tl_ctype *) casts; /* by parameter: what an earlier try found a void * to be used as, or NULL */
  uint32_t case_labels;     /* labels that were made for cases */
  bool by_declaration;      /* a function with a rule whose body was refused */
  bool calls_itself;
  uint32_t func_mark;      /* functions of the module before this one */
  TL_VEC(uint32_t) finals; /* leaves that an earlier try found written */
  jmp_buf refuse, restart;
};

/* lower.c */
/* Another function, which calls of this one name; NULL with errors in the sink. */
tl_func *tl__lower_nested(tl_lower *, const tl_function *);
_Noreturn void tl__lower_refuse(tl_lower *, tl_status, tl_loc, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
_Noreturn void tl__lower_restart(tl_lower *);

/* lower_env.c: slots, scopes, merging */
uint32_t tl__lower_slot_create(tl_lower *, tl_object *, const tl_leaf *);
tl_value tl__lower_slot_read(tl_lower *, const tl_leaf *);
tl_pointer *tl__lower_slot_pointer(tl_lower *, uint32_t slot);
void tl__lower_slot_write(tl_lower *, const tl_leaf *, tl_value);
void tl__lower_slot_write_pointer(tl_lower *, uint32_t slot, tl_pointer *);
uint32_t tl__lower_scope_enter(const tl_lower *);
void tl__lower_scope_leave(tl_lower *, uint32_t mark);
tl_env tl__lower_env_copy(tl_lower *, const tl_env *);

typedef struct tl_branches {
  tl_op *op;
  tl_region *outer;
  tl_env before, yes, no;
  tl_value extra[2]; /* values that the branches yield besides, or TL_NO_VALUE */
  tl_pointer *pointers[2];
  uint32_t extents; /* how many of the frame's extents were known before */
} tl_branches;
void tl__lower_if_begin(tl_lower *, tl_value condition, tl_branches *);
void tl__lower_if_else(tl_lower *, tl_branches *);
void tl__lower_if_resume(tl_lower *, tl_branches *); /* after the else branch is done: back into the first */
void tl__lower_if_end(tl_lower *, tl_branches *);
tl_value tl__lower_if_end_value(tl_lower *, tl_branches *, tl_value yes, tl_value no); /* no: in the else branch */
tl_pointer *tl__lower_if_end_pointer(tl_lower *, tl_branches *, tl_pointer *yes, tl_pointer *no);

bool tl__lower_exit_pending(const tl_exit *); /* some code may be pending */
bool tl__lower_exit_has(const tl_exit *, uint32_t code);
void tl__lower_exit_set(tl_lower *, uint32_t code);
void tl__lower_exit_strip(tl_lower *, uint32_t code);
tl_value tl__lower_exit_here(tl_lower *);  /* i1: control is still here */
void tl__lower_exit_gone(tl_lower *);      /* where it is known not to be */
tl_value tl__lower_exit_value(tl_lower *); /* as i32, in the current region */
uint32_t tl__lower_code_create(tl_lower *, tl_loc);

/* The callee of an extern op that tells whether the pointer spelled in its format is not null. */
#define TL_NULL_TEST "!!"

/* lower_pointer.c */
tl_pointer *tl__lower_pointer_copy(tl_lower *, const tl_pointer *);
tl_pointer *tl__lower_pointer_single(tl_lower *, const tl_target *);
tl_pointer *tl__lower_pointer_text(tl_lower *, const char *);
tl_pointer *tl__lower_pointer_null(tl_lower *);
tl_pointer *tl__lower_pointer_unknown(tl_lower *, const char *why);
tl_pointer *tl__lower_pointer_open(tl_lower *); /* in a loop's first tries: unknown, but may become known */
tl_pointer *tl__lower_pointer_select(tl_lower *, tl_value c, tl_pointer *yes, tl_pointer *no);
tl_pointer *tl__lower_pointer_step(tl_lower *, const tl_pointer *, tl_ctype *pointee, tl_value count, bool negative);
tl_value tl__lower_pointer_compare(tl_lower *, tl_opcode, const tl_pointer *, const tl_pointer *, tl_loc); /* i1 */
tl_value tl__lower_pointer_difference(tl_lower *, const tl_pointer *, const tl_pointer *, tl_ctype *pointee, tl_loc);
tl_value tl__lower_pointer_is_set(tl_lower *, const tl_pointer *); /* i1: not null */
/* The text of a pointer that is known as such, for extern ops and calls: see their `format`. */
const char *tl__lower_pointer_text_format(tl_lower *, const tl_target *);
tl_pointer *tl__lower_pointer_shape(tl_lower *, const tl_pointer *, const tl_pointer *, uint32_t slot_limit);
bool tl__lower_pointer_same_shape(const tl_pointer *, const tl_pointer *);
uint32_t tl__lower_pointer_part_count(const tl_pointer *shape);
void tl__lower_pointer_parts(tl_lower *, const tl_pointer *, const tl_pointer *shape, tl_value *out_parts);
tl_pointer *tl__lower_pointer_rebuild(tl_lower *, const tl_pointer *shape, const tl_value *parts);
void tl__lower_pointer_known(tl_lower *, const tl_pointer *,
                             tl_loc); /* refuses what cannot be read or written through */

bool tl__lower_same_value(const tl_func *, tl_value, tl_value); /* integers that are computed alike */
bool tl__lower_keeps_value(const tl_func *, const tl_op *);     /* a conversion of an integer to one that is as large */
bool tl__lower_same_index(const tl_func *, tl_value, tl_value); /* one value, or one constant */

/* lower_type.c, lower_object.c: objects, loads, stores, copies */
uint32_t tl__lower_leaf_count(const tl_ctype *);
bool tl__lower_is_const(const tl_ctype *);                  /* an array is where its elements are */
bool tl__lower_has_float(const tl_ctype *, bool in_unions); /* however deep, behind pointers too */
bool tl__lower_declares_float(const tl_decl *);             /* likewise; tensors of floating types too */
/* An object of `type`, or, with axes, what lies at the end of them (the last is the elements behind a pointer, `flex`).
 */
tl_object *tl__lower_object_create(tl_lower *, tl_object_kind, const char *name, tl_ctype *, uint32_t axis_count,
                                   const tl_extent *axes, bool flex, const char *access, tl_loc);
void tl__lower_object_allocate(tl_lower *, tl_object *, unsigned flags); /* fresh arrays for its array leaves */
tl_pointer *tl__lower_object_pointer(tl_lower *, tl_object *); /* to the object, or its first element where flex */
tl_pointer *tl__lower_place_member(tl_lower *, const tl_pointer *, const tl_record *, uint32_t field, tl_loc);
tl_pointer *tl__lower_place_decay(tl_lower *, const tl_pointer *, tl_ctype *array);
tl_value tl__lower_place_load(tl_lower *, const tl_pointer *, tl_ctype *, tl_loc);
void tl__lower_place_store(tl_lower *, const tl_pointer *, tl_ctype *, tl_value, tl_loc);
tl_pointer *tl__lower_place_load_pointer(tl_lower *, const tl_pointer *, tl_loc);
void tl__lower_place_store_pointer(tl_lower *, const tl_pointer *, tl_pointer *, tl_loc);
void tl__lower_place_copy(tl_lower *, const tl_pointer *to, const tl_pointer *from, tl_loc);
void tl__lower_place_zero(tl_lower *, const tl_pointer *, tl_loc);
tl_value tl__lower_extent_value(tl_lower *, const tl_ctype *array); /* run-time extent of an array type */
tl_extent tl__lower_extent_of(tl_lower *, const tl_ctype *array);
tl_extent tl__lower_as_extent(tl_lower *, tl_value);  /* fixed where the value is a constant */
tl_value tl__lower_extent_i64(tl_lower *, tl_extent); /* of a known extent */
int64_t tl__lower_type_size(const tl_ctype *);        /* -1: not constant or not known */
tl_value tl__lower_type_size_value(tl_lower *, const tl_ctype *, tl_loc);
/* v, of the function `from`, computed once more where the builder stands. `known` gives what some values are there, and
 * TL_NO_VALUE for the others. TL_NO_VALUE where v depends on more than those and constants. */
typedef tl_value tl_known_value(tl_lower *, const void *ctx, tl_value);
tl_value tl__lower_again(tl_lower *, const tl_func *from, tl_value v, tl_known_value *known, const void *ctx);
/* Binary on integers with the plain foldings (constants, +0, *1). */
tl_value tl__lower_int_op(tl_lower *, tl_opcode, tl_value, tl_value);
tl_value tl__lower_int_cvt(tl_lower *, tl_dtype, tl_value);
void tl__lower_pointer_flatten(tl_lower *, tl_target *, uint32_t depth);
uint32_t tl__lower_array_depth(const tl_ctype *);

/* lower_condition.c */
tl_opcode tl__lower_comparison(tl_binary);                 /* TL_OP_COUNT: it is none */
tl_value tl__lower_truth(tl_lower *, tl_value);            /* i1: not zero */
tl_value tl__lower_condition(tl_lower *, const tl_expr *); /* i1 */

/* lower_expr.c, lower_init.c */
tl_value tl__lower_expr(tl_lower *, const tl_expr *);                             /* a scalar's value */
tl_pointer *tl__lower_pointer_as(tl_lower *, const tl_expr *, tl_ctype *pointee); /* a void * is about to be a T * */
tl_pointer *tl__lower_pointer(tl_lower *, const tl_expr *);                       /* a pointer's value */
tl_value tl__lower_without_cvt(const tl_lower *, tl_value);                       /* what conversions were made of */
tl_pointer *tl__lower_lvalue(tl_lower *, const tl_expr *);                        /* the place that it designates */
tl_pointer *tl__lower_record(tl_lower *, const tl_expr *); /* the place where a struct's value lies */
void tl__lower_effect(tl_lower *, const tl_expr *);        /* any type, value dropped */
_Noreturn void tl__lower_refuse_left_behind(tl_lower *, const char *what, tl_loc); /* the library's state is read */
void tl__lower_init(tl_lower *, const tl_pointer *place, tl_ctype *, const tl_expr *init, bool zeroed);
/* The characters of a string literal that an array is set from; false where it is none or of wide characters. */
bool tl__lower_string(const tl_ctype *array, const tl_expr *init, int64_t *out);
tl_value tl__lower_convert(tl_lower *, tl_dtype, tl_value);
tl_object *tl__lower_decl_object(tl_lower *, const tl_decl *, tl_loc);

/* lower_call.c */
tl_value tl__lower_call(tl_lower *, const tl_expr *,
                        tl_pointer **out_pointer); /* scalar value, or a pointer or a record's place */
/* An argument that has a C text, as the `format` of extern ops has it: strings, streams, what parameters point to.
 * NULL: it is another pointer. */
const char *tl__lower_text_argument(tl_lower *, const tl_expr *, const tl_pointer *);
/* lower_tensor.c */
/* What is stated of the tensors that a type is, holds or points to, by a declaration or a typedef; NULL where nothing
 * is, or they are none. */
const tl_tensor_type *tl__lower_stated(const tl_tensor_type *by_declaration, const tl_ctype *);
/* The type of the elements of a local array of tensors: as stated, or as an earlier try found; false where it is not
 * known yet. */
bool tl__lower_local_element(tl_lower *, const tl_object *, tl_leaf *, tl_type *out);
/* A tensor that is to be stored there: where the type is not known, that is learnt and lowering starts again. */
void tl__lower_check_stored(tl_lower *, const tl_leaf *, tl_value v, tl_loc);
void tl__lower_check_copied(tl_lower *, const tl_leaf *to, const tl_leaf *from, tl_loc);
/* Where it is not known when an element is read, it is refused. */
void tl__lower_check_loaded(tl_lower *, const tl_leaf *, tl_loc);
/* What is stated of a parameter that is a tensor or holds them. */
const tl_tensor_type *tl__lower_stated_param(const tl_lower *, const tl_function *, const tl_param *);
/* The type of a parameter's leaf that is a tensor or holds them; its symbolic extents are stated by the next. */
tl_type tl__lower_stated_type(tl_lower *, const tl_decl *, const tl_leaf *);
void tl__lower_tensor_extents(tl_lower *, const tl_function *);
/* Refuses a tensor of another type than the callee's parameter has. */
void tl__lower_tensor_argument(tl_lower *, tl_value, tl_type want, const char *param, tl_loc);
/* A call of tensor.h: false where it is none. `*out` is the tensor or number, TL_NO_VALUE for none. */
bool tl__lower_tensor_call(tl_lower *, const tl_expr *call, tl_value *out, tl_pointer **out_pointer);
/* tl_shape_of(x).dim[i]: false where the expression is none. */
bool tl__lower_tensor_extent(tl_lower *, const tl_expr *, tl_value *out);
/* lower_table.c: arrays of pointers whose length is known only at run time */
void tl__lower_table_make(tl_lower *, tl_object *);
tl_pointer *tl__lower_table_load(tl_lower *, const tl_leaf *, uint32_t count, const tl_value *index);
void tl__lower_table_store(tl_lower *, const tl_leaf *, uint32_t count, const tl_value *index, const tl_pointer *,
                           tl_loc);
/* place = v, where v was returned by malloc or the like: true if v becomes a row of the table's own memory. */
bool tl__lower_table_take(tl_lower *, const tl_pointer *place, const tl_pointer *v, tl_loc);
/* lower_memory.c: malloc, memcpy and their kin */
tl_pointer *tl__lower_heap(tl_lower *, const tl_expr *call, tl_ctype *pointee); /* malloc and kin; NULL if it is none */
void tl__lower_heap_name(tl_lower *, const tl_pointer *, const char *name);     /* of what the pointer is stored in */
bool tl__lower_is_heap(const tl_expr *); /* a call of malloc or its kin, with arguments that do nothing */
const tl_target *tl__lower_only_target(tl_lower *, const tl_pointer *, tl_loc);
/* to[i] = from[i], or 0 without `from`, for i < count. */
void tl__lower_copy_elements(tl_lower *, const tl_pointer *to, const tl_pointer *from, tl_ctype *type, tl_value count,
                             tl_loc);
const tl_expr *tl__lower_strip_casts(const tl_expr *);
const tl_expr *tl__lower_callee(const tl_expr *call); /* what is called, casts and the like taken off */
bool tl__lower_memory_call(tl_lower *, const tl_expr *call,
                           const char *name); /* false: none of memcpy, memmove, memset */
/* lower_outline.c: calls that stay calls: recursion, custom rules, generated functions */
tl_value tl__lower_call_outlined(tl_lower *, const tl_expr *, const tl_function *, tl_pointer **out_pointer);
tl_value tl__lower_call_intrinsic(tl_lower *, const tl_expr *, tl_pointer **out_pointer);
void tl__lower_declared_body(tl_lower *, const tl_function *);
/* So many elements behind a pointer, in an array of their own of rank 1. */
tl_value tl__lower_elements(tl_lower *, const tl_pointer *, tl_dtype, tl_extent, tl_loc);
uint32_t tl__lower_first_leaf(const tl_func *, uint32_t cparam); /* of a C parameter; their count where it has none */
/* lower_settle.c: an op of a generated function's body, copied, in the caller's terms */
void tl__lower_settle(tl_lower *, const tl_call_terms *, tl_op *);
/* lower_math.c: true if the call is one of math.h's (or stdlib's abs) and was lowered */
bool tl__lower_math(tl_lower *, const tl_expr *call, const char *name, tl_value *out_value);
bool tl__lower_math_is_pure(const char *name);

/* lower_stmt.c, lower_loop.c */
void tl__lower_block(tl_lower *, tl_stmt *const *stmts, uint32_t count);
void tl__lower_block_of_loop(tl_lower *, tl_stmt *const *stmts, uint32_t count, const tl_stmt *head);
void tl__lower_block_open(tl_lower *, tl_stmt *const *stmts, uint32_t count); /* leaves its scope to the caller */
void tl__lower_local(tl_lower *, const tl_decl *);
void tl__lower_loop(tl_lower *, const tl_stmt *);
/* Statements that begin with a label to which some of them jump back: runs them as a loop. */
void tl__lower_goto_loop(tl_lower *, tl_stmt *const *stmts, uint32_t count);
bool tl__lower_scan_jumps(const tl_stmt *, const char *label); /* holds a goto to the label */

/* lower_cases.c */
bool tl__lower_cases_inside(const tl_stmt *body);       /* a switch's: a case label lies within a statement of it */
void tl__lower_cases_run(tl_lower *, const tl_stmt *s); /* such a switch; `break` leaves by the break code */

/* lower_scan.c: questions about the syntax tree */
bool tl__lower_set_has(const tl_decl_set *, const tl_decl *);
void tl__lower_scan_assigned(tl_arena *, const tl_stmt *, tl_decl_set *);
void tl__lower_scan_assigned_expr(tl_arena *, const tl_expr *, tl_decl_set *);
bool tl__lower_scan_escapes(tl_lower *, const tl_function *, const tl_decl *); /* address taken somewhere */
/* Whether a pointer is stepped, or subscripted by anything but 0. */
bool tl__lower_scan_indexed(const tl_function *, const tl_decl *);
bool tl__lower_scan_modified(const tl_unit *, const tl_decl *); /* a static object is written somewhere, or may be */
/* An update of a static integer that the unit does nothing with but such updates. */
bool tl__lower_scan_unobserved(const tl_unit *, const tl_expr *);
bool tl__lower_scan_pure(const tl_expr *); /* no side effect */
bool tl__lower_scan_cheap(tl_lower *,
                          const tl_expr *);  /* may be computed although C would not: cannot trap or overflow */
bool tl__lower_scan_leaves(const tl_stmt *); /* the statement's end is never reached */
bool tl__lower_scan_has_continue(const tl_stmt *);
bool tl__lower_scan_recursive(tl_lower *, const tl_function *);
/* It, or what it calls, may write to an object that outlives the call. */
bool tl__lower_scan_changes_static(tl_lower *, const tl_function *);

/* lower_params.c */
/* Whether what a pointer member points to is among the leaves; `depth`: of pointers followed so far. */
bool tl__lower_follows(const tl_leaf *, const tl_ctype *holder, int depth);
void tl__lower_params(tl_lower *, const tl_function *);
void tl__lower_results(tl_lower *, const tl_function *);
/* A value of an abandoned try of the function, made again from the parameters; and whether that can be done. */
tl_value tl__lower_recompute(tl_lower *, const tl_func *old, tl_value);
bool tl__lower_depends_on_params(const tl_func *, tl_value);
/* A void * parameter is used as a pointer to `type`: lowers anew. */
void tl__lower_params_cast(tl_lower *, uint32_t param, tl_ctype *type, tl_loc);
/* More than one element of a parameter's memory is used although it was taken for a single cell: lowers anew. */
void tl__lower_params_indexed(tl_lower *, tl_object *);
/* A pointer that is passed on takes the extent of the callee's declarator. */
void tl__lower_params_adopt(tl_lower *, const tl_pointer *, tl_value extent);

/* lower_roles.c */
void tl__lower_roles(tl_func *, const bool *inout);

/* lower_global.c */
/* A pointer in a constant object: element `number` (row-major over its axes) of a leaf. */
tl_pointer *tl__lower_global_pointer(tl_lower *, const tl_object *, const tl_leaf *, int64_t number);
tl_object *tl__lower_global(tl_lower *, const tl_decl *, tl_loc);
/* Moves the ops appended to the body since `mark` to its head, after those that went there before. */
void tl__lower_to_entry(tl_lower *, uint32_t mark);
tl_object *tl__lower_constant(tl_lower *, const tl_decl *);      /* NULL: the local is none */
tl_object *tl__lower_literal(tl_lower *, const tl_expr *string); /* NULL: of wide characters, known only as text */

#endif
