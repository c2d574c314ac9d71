/* The typed syntax tree: one unit of C as libclang read it, with every conversion explicit and nothing of libclang
 * left.
 *
 * parse_clang.c builds it; lower.c turns functions of it into DXIR. All in one arena; pointers may be compared.
 *
 * Conventions. Every expression has a type. Reading an lvalue is not a node: an lvalue expression (VAR, DEREF, INDEX,
 * MEMBER, ARROW) in a value position is read. Array-to-pointer and function-to-pointer decay are EXPR_DECAY. Implicit
 * arithmetic conversions are EXPR_CAST with `implicit` set. Parentheses vanish. Constants are evaluated where libclang
 * can do so safely (sizeof, enumerators, literals); other constant expressions stay expressions. */
#ifndef TL_FRONT_AST_H
#define TL_FRONT_AST_H

#include "base/diag.h"
#include "base/dtype.h"
#include "base/vec.h"
#include "ir/shape.h"
#include "tlaloc/tlaloc.h"

typedef struct tl_ctype tl_ctype;
typedef struct tl_record tl_record;
typedef struct tl_expr tl_expr;
typedef struct tl_stmt tl_stmt;
typedef struct tl_decl tl_decl;
typedef struct tl_function tl_function;

typedef enum tl_ctype_kind {
  TL_CT_VOID,
  TL_CT_SCALAR, /* integers, _Bool, enums, floating types; tensors, which are values too */
  TL_CT_POINTER,
  TL_CT_ARRAY,
  TL_CT_RECORD, /* struct or union */
  TL_CT_FUNCTION,
  TL_CT_UNSUPPORTED, /* _Complex, vector types, __float128, ...: `spelling` says which */
} tl_ctype_kind;

struct tl_ctype {
  tl_ctype_kind kind;
  tl_dtype dtype; /* SCALAR */
  bool is_tensor; /* SCALAR: then the dtype says nothing */
  bool is_const, is_volatile;
  const char *spelling; /* as C prints it, typedef names kept: "size_t", "const double *" */
  tl_ctype *target;     /* POINTER: pointee; ARRAY: element; FUNCTION: result */
  int64_t extent;       /* ARRAY: >= 0 constant; -1: extent_expr at run time; -2: not stated ([]) */
  tl_expr *extent_expr; /* ARRAY: also set where a constant extent was written as an expression, else NULL */
  bool was_array;    /* POINTER of a parameter declared as an array: then extent and extent_expr hold the outermost */
  tl_record *record; /* RECORD */
  TL_VEC(tl_ctype *) params; /* FUNCTION */
  bool variadic;
  const tl_tensor_type *stated; /* a typedef's tl_typed, see tl_decl */
};

/* What tl_typed states: numbers are extents; a value is that of one of the unit's axes or bounds, of which every tensor
 * has the same extent in one call, or TL_STATED_ANY. */
enum { TL_STATED_ANY = 1, TL_STATED_FIRST = 2 };

typedef struct tl_field {
  const char *name; /* NULL for an anonymous struct or union member */
  tl_ctype *type;
  tl_expr *len; /* TL_LEN over sibling members (EXPR_VAR nodes whose decl is NULL and name is the sibling), or NULL */
  const tl_tensor_type *stated; /* see tl_decl */
  bool is_bitfield;
  uint32_t bit_width;
  bool in_system_header;
  tl_loc loc;
} tl_field;

struct tl_record {
  const char *name; /* tag, or the typedef's name, or NULL */
  bool is_union, complete;
  TL_VEC(tl_field) fields;
  tl_loc loc;
};

typedef enum tl_storage { TL_STORAGE_LOCAL, TL_STORAGE_PARAM, TL_STORAGE_STATIC_LOCAL, TL_STORAGE_FILE } tl_storage;

struct tl_decl { /* an object */
  const char *name;
  tl_ctype *type;
  tl_storage storage;
  tl_expr *init;                /* EXPR_INIT_LIST for braces; NULL */
  tl_expr *len;                 /* TL_LEN of a parameter (merged over all declarations of the function), or NULL */
  bool inout;                   /* TL_INOUT */
  const tl_tensor_type *stated; /* tl_typed of the tensors that it is, holds or points to; NULL: not typed */
  bool is_static;               /* FILE: internal linkage */
  uint32_t index;               /* PARAM: position */
  tl_loc loc;
};

typedef enum tl_expr_kind {
  TL_EXPR_INT,      /* integer, character or enumerator constant; sizeof of constant type */
  TL_EXPR_FLOAT,    /* value, and spelling as in the source for exact re-emission */
  TL_EXPR_STRING,   /* spelling: the source text with quotes */
  TL_EXPR_VAR,      /* decl */
  TL_EXPR_FUNCTION, /* a function's name; function is NULL for a generated one that is named but not called: name is
                       its C name then */
  TL_EXPR_UNARY,    /* op: '-' '+' '~' '!' ; a */
  TL_EXPR_BINARY,   /* op: see tl_binary ; a, b already converted */
  TL_EXPR_LOGICAL_AND,
  TL_EXPR_LOGICAL_OR,      /* a, b; type int */
  TL_EXPR_CONDITIONAL,     /* a ? b : c; b NULL for GNU a ?: c */
  TL_EXPR_COMMA,           /* a, b */
  TL_EXPR_ASSIGN,          /* a = b, b already converted */
  TL_EXPR_COMPOUND_ASSIGN, /* a op= b: computed in compute_type (both sides converted to it), stored converted to a's
                              type; pointer += integer has compute_type NULL */
  TL_EXPR_PRE_INC,
  TL_EXPR_PRE_DEC,
  TL_EXPR_POST_INC,
  TL_EXPR_POST_DEC,  /* a */
  TL_EXPR_CAST,      /* a to type; implicit or written */
  TL_EXPR_DECAY,     /* a: array lvalue to pointer to its first element, or function to pointer */
  TL_EXPR_CALL,      /* a: EXPR_FUNCTION (direct) or a pointer expression; args */
  TL_EXPR_INTRINSIC, /* a call of a generated function: callee_name ("f__grad__x"), args; type from its signature */
  TL_EXPR_INDEX,     /* a[b], a is the pointer operand (after DECAY), b the integer */
  TL_EXPR_MEMBER,    /* a.field */
  TL_EXPR_ARROW,     /* a->field */
  TL_EXPR_DEREF,     /* *a */
  TL_EXPR_ADDRESS,   /* &a */
  TL_EXPR_INIT_LIST, /* args in the order of elements or fields, NULL where absent (zero); designators resolved */
  TL_EXPR_COMPOUND_LITERAL, /* (type){...}: a is the INIT_LIST */
  TL_EXPR_SIZEOF_VLA,       /* sizeof of a run-time-sized type: `sized` */
  TL_EXPR_STMT,             /* GNU ({ ... }): body */
  TL_EXPR_UNSUPPORTED,      /* text says what: refused if it is lowered */
} tl_expr_kind;

typedef enum tl_binary {
  TL_BIN_ADD,
  TL_BIN_SUB,
  TL_BIN_MUL,
  TL_BIN_DIV,
  TL_BIN_REM,
  TL_BIN_SHL,
  TL_BIN_SHR,
  TL_BIN_AND,
  TL_BIN_OR,
  TL_BIN_XOR,
  TL_BIN_EQ,
  TL_BIN_NE,
  TL_BIN_LT,
  TL_BIN_LE,
  TL_BIN_GT,
  TL_BIN_GE, /* type int */
} tl_binary; /* ADD and SUB also of pointer and integer, SUB of two pointers, comparisons of pointers */

struct tl_expr {
  tl_expr_kind kind;
  tl_ctype *type;
  tl_loc loc; /* the expression's first character (expansion location); for a binary operator its operator */
  tl_expr *a, *b, *c;
  TL_VEC(tl_expr *) args;
  tl_binary op;
  char unary;             /* UNARY */
  int64_t integer;        /* INT: the value, sign- or zero-extended by the type */
  long double floating;   /* FLOAT */
  const char *spelling;   /* FLOAT, STRING */
  const char *name;       /* VAR in a TL_LEN of a field; FUNCTION; INTRINSIC's callee; MEMBER's field name */
  tl_decl *decl;          /* VAR */
  tl_function *function;  /* FUNCTION */
  uint32_t field;         /* MEMBER, ARROW: index into the record's fields */
  tl_record *record;      /* MEMBER, ARROW */
  tl_ctype *compute_type; /* COMPOUND_ASSIGN */
  tl_ctype *sized;        /* SIZEOF_VLA */
  bool implicit;          /* CAST */
  tl_stmt *body;          /* STMT */
  const char *text;       /* UNSUPPORTED: "setjmp", "inline assembly", ... */
};

typedef enum tl_stmt_kind {
  TL_STMT_NULL,
  TL_STMT_EXPR,
  TL_STMT_DECL,
  TL_STMT_COMPOUND,
  TL_STMT_IF,
  TL_STMT_WHILE,
  TL_STMT_DO,
  TL_STMT_FOR,
  TL_STMT_SWITCH,
  TL_STMT_CASE,
  TL_STMT_DEFAULT,
  TL_STMT_BREAK,
  TL_STMT_CONTINUE,
  TL_STMT_RETURN,
  TL_STMT_GOTO,
  TL_STMT_LABEL,
  TL_STMT_UNSUPPORTED,
} tl_stmt_kind;

struct tl_stmt {
  tl_stmt_kind kind;
  tl_loc loc;
  tl_expr *expr;            /* EXPR; IF, WHILE, DO, FOR (may be NULL), SWITCH: the condition; RETURN (may be NULL) */
  TL_VEC(tl_decl *) decls;  /* DECL; FOR with a declaration */
  TL_VEC(tl_stmt *) body;   /* COMPOUND */
  tl_stmt *then_body;       /* IF; loops and SWITCH: the body; CASE, DEFAULT, LABEL: the statement after it */
  tl_stmt *else_body;       /* IF */
  tl_expr *init, *step;     /* FOR */
  int64_t case_lo, case_hi; /* CASE: equal but for GNU ranges */
  const char *label;        /* GOTO, LABEL */
  const char *text;         /* UNSUPPORTED */
};

struct tl_function {
  const char *name;
  tl_ctype *type;           /* FUNCTION */
  TL_VEC(tl_decl *) params; /* of the definition, else of the first declaration */
  TL_VEC(const char *)
  declarators;                   /* per parameter, source text with '@' for the name and TL_LEN, TL_INOUT removed:
                                    "const double @[n]", macros in it expanded; NULL in a system header's
                                    function that the unit does not use */
  const char *return_declarator; /* "double", "struct s" */
  tl_stmt *body;                 /* NULL: not defined in this unit */
  bool is_static, is_inline, variadic;
  bool is_implicit;   /* called without a declaration, and no function of the library: cc takes it to return int */
  tl_loc loc;         /* of the name in the definition, else the declaration */
  const char *source; /* text of the definition as the dump copies it; NULL without body */
  const tl_tensor_type *stated;        /* of the result; see tl_decl */
  const char *custom_vjp, *custom_jvp; /* names of rule functions, from TL_CUSTOM_VJP and TL_CUSTOM_JVP */
  tl_loc custom_loc;
  /* Where the driver puts prototypes of what is derived from it: just past the ';' or '}' of its first declaration at
   * file scope, as a place in the main file (expansion location). column 0: the declaration came from an #include on
   * that line. */
  tl_loc first_end;
};

/* A name that the file, or what it includes, defines as a macro at some place; perhaps it is none any more at the end.
 */
typedef struct tl_macro {
  const char *name;
  bool in_system_header;
} tl_macro;

/* A name that tl_axis or tl_bound declares. */
typedef struct tl_stated_name {
  const char *name;
  const tl_axis_bound *bound; /* NULL: an axis */
} tl_stated_name;

typedef struct tl_unit {
  tl_arena *arena;
  tl_diag *diag;
  const char *file;
  TL_VEC(tl_function *) functions; /* every function declared, once each */
  TL_VEC(tl_decl *) globals;
  TL_VEC(tl_stated_name) stated_names; /* the i-th has the value TL_STATED_FIRST + i */
  TL_VEC(tl_macro) macros;             /* by name; none of a preprocessed text */
} tl_unit;

tl_function *tl_unit_find(const tl_unit *, const char *name);
tl_ctype *tl_ctype_scalar(tl_dtype);

const tl_expr *tl_expr_strip(const tl_expr *); /* without implicit casts; NULL is NULL */

/* ast_constant.c: the value of an integer constant expression; false, and *out_value as it was, where it is none. A
 * right operand that && or || does not reach need not be constant. */
bool tl_expr_constant(const tl_expr *, int64_t *out_value);
/* The same of a number of any type, each operation rounded to its own type; a const object is what it is initialised
 * with, and NULL, what an initialiser leaves out, is 0. */
bool tl_expr_number(const tl_expr *, long double *out_value);

/* Visits every expression (before its operands) and statement below one; NULL has none. `stmt` may be NULL. */
typedef struct tl_ast_walk {
  void (*expr)(struct tl_ast_walk *, const tl_expr *);
  void (*stmt)(struct tl_ast_walk *, const tl_stmt *);
  void *ctx;
} tl_ast_walk;
void tl_ast_walk_expr(tl_ast_walk *, const tl_expr *);
void tl_ast_walk_stmt(tl_ast_walk *, const tl_stmt *);

#endif
