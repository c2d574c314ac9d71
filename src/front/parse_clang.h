/* What the files parse_clang*.c share: one read of one file. Nothing outside them includes this. */
#ifndef TL_FRONT_PARSE_CLANG_H
#define TL_FRONT_PARSE_CLANG_H

#include <clang-c/Index.h>

#include "front/ast.h"
#include "front/parse.h"

/* Address to pointer; keys are never NULL. */
typedef struct tl__map {
  struct {
    const void *key;
    void *value;
  } *slots;
  uint32_t count, room; /* room is a power of two, or 0 */
} tl__map;

/* Text put into a file for the second read, so that columns can be counted as in the user's file. */
typedef struct tl__insertion {
  const char *file;
  uint32_t offset; /* in the file as the user wrote it */
  uint32_t line, column;
  const char *text;
  uint32_t length;
} tl__insertion;

typedef TL_VEC(CXCursor) tl__cursors;

/* A place that names an intrinsic. */
typedef struct tl__use {
  const char *identifier; /* "f$$grad$x" */
  tl_loc loc;
} tl__use;

/* A call of one. */
typedef struct tl__call {
  const char *name; /* "f__grad__x" */
  tl_loc loc;
  uint32_t arguments;
} tl__call;

/* A function whose body is to be read. */
typedef struct tl__wanted {
  tl_function *function;
  CXCursor definition;
} tl__wanted;

typedef struct tl__parse_text {
  const char *text, *end;
} tl__parse_text;

typedef struct tl__parse {
  tl_arena *arena;
  tl_diag *diag;
  tl_unit *unit;
  CXTranslationUnit tu;
  tl__map decls;     /* VarDecl, ParmDecl -> tl_decl */
  tl__map functions; /* canonical FunctionDecl -> tl_function */
  tl__map records;   /* definition or canonical record -> tl_record */
  tl__map types;     /* QualType -> tl_ctype */
  tl__map pointers;  /* tl_ctype -> pointer to it */
  tl__map files;     /* CXFile -> name */
  tl__map texts;     /* CXFile -> tl__parse_text */
  tl__map bodies;    /* tl_function -> itself, once its body is queued */
  TL_VEC(tl__wanted) queue;
  uint32_t queue_done;
  TL_VEC(tl__insertion) insertions;
  TL_VEC(tl__use) uses;
  TL_VEC(tl__call) calls;
  TL_VEC(tl_loc) misuses; /* intrinsics that were refused as they are written */
  tl__cursors top;        /* the unit's file-scope declarations */
  CXCursor *stack; /* where libclang's visitors put what they find: they must not allocate, since exhaustion jumps */
  uint32_t stack_room;
  CXString held; /* a string that is being copied; disposed of when memory runs out */
  bool holds;
  bool has_tensors; /* tensor.h was read: declarations may state types of them */
  bool on_demand; /* bodies and objects only of what is wanted by name and what that uses */
  bool saw_macro; /* set by locations that came out of a macro */
} tl__parse;

/* parse_clang.c: a read of preprocessed text; of its functions only `wanted` and what they use. */
tl_status tl__parse_preprocessed(tl_arena *, tl_diag *, const tl_parse_opts *, const char *text, uint32_t count,
                                 tl_function *const wanted[], tl_unit **out_unit);

/* parse_clang_text.c */
void *tl__map_get(const tl__map *, const void *key);
void tl__map_put(tl_arena *, tl__map *, const void *key, void *value);
const char *tl__parse_string(tl__parse *, CXString); /* a copy in the arena; disposes its argument */
const char *tl__parse_spelling(tl__parse *, CXCursor);
tl__cursors tl__parse_children(tl__parse *, CXCursor);
tl__cursors tl__parse_expressions(tl__parse *, CXCursor); /* the children that are expressions */
tl__cursors tl__parse_fields(tl__parse *, CXType record);
tl_loc tl__parse_name_loc(tl__parse *, CXCursor); /* a declaration's name */
tl_loc tl__parse_expr_loc(tl__parse *, CXCursor);
tl_loc tl__parse_location(tl__parse *, CXSourceLocation, uint32_t length);
tl_loc tl__parse_operator_loc(tl__parse *, CXCursor whole, CXCursor left, const char *operator_text);
const char *tl__parse_file_text(tl__parse *, CXFile, const char **out_end); /* NULL for none */
void tl__parse_advance(const char *from, const char *to, unsigned *line, unsigned *column);
const char *tl__parse_token_at(tl__parse *, CXCursor); /* the token at its first character, macros looked through */
const char *tl__parse_argument_number(tl__parse *, CXCursor); /* as it was written as a macro's argument, or "" */
const char *tl__parse_text_at(tl__parse *, CXCursor, const char **out_end); /* text of the file from there, same */
const char *tl__parse_text_between(tl__parse *, CXCursor left, CXCursor right, size_t *out_length);
const char *tl__parse_skip_space(const char *, const char *end);
const char *tl__parse_skip_token(const char *, const char *end);

/* parse_clang_type.c */
tl_ctype *tl__parse_type(tl__parse *, CXType);
/* The type of a declarator or type name whose bracketed extents are `sizes`, in libclang's order (innermost first). */
tl_ctype *tl__parse_declared_type(tl__parse *, CXType, const tl__cursors *sizes);
tl_ctype *tl__parse_pointer_to(tl__parse *, tl_ctype *);
tl_ctype *tl__parse_decayed(tl__parse *, tl_ctype *);
bool tl__parse_same_type(const tl_ctype *, const tl_ctype *); /* but for qualifiers and spelling */
tl_dtype tl__parse_promoted(tl_dtype);
tl_dtype tl__parse_arithmetic(tl_dtype, tl_dtype); /* the usual arithmetic conversions */
/* Where `name` lies in a record, through anonymous members: indices from the outermost in; false if it has none. */
bool tl__parse_field_path(const tl_record *, const char *name, uint32_t path[], uint32_t *out_length);
enum { TL__FIELD_DEPTH = 16 };

/* parse_clang_expr.c */
tl_expr *tl__parse_expr(tl__parse *, CXCursor);
tl_expr *tl__parse_new(tl__parse *, tl_expr_kind, tl_ctype *, tl_loc);
/* The member that a path of fields leads to, unnamed ones on the way included. */
tl_expr *tl__parse_member(tl__parse *, tl_expr *base, bool arrow, tl_record *, const uint32_t *path, uint32_t length,
                          tl_loc);
tl_expr *tl__parse_unsupported(tl__parse *, tl_ctype *, tl_loc, const char *text);
tl_expr *tl__parse_convert(tl__parse *, tl_expr *, tl_ctype *, bool implicit);

/* parse_clang_name.c: a sizeof that is not constant; the association of a _Generic that is chosen. */
tl_expr *tl__parse_sizeof(tl__parse *, CXCursor, tl_ctype *, tl_loc);
tl_expr *tl__parse_generic(tl__parse *, CXCursor, tl_ctype *, tl_loc);

/* parse_clang_generic.c: <tgmath.h>. What the function, one of its own, comes down to; itself if it is none. */
CXCursor tl__parse_generic_choice(tl__parse *, CXCursor function);
/* Text of the definition that libclang printed, with the names of what is called in the end. */
const char *tl__parse_without_generics(tl__parse *, CXCursor definition, const char *text);

/* parse_clang_init.c */
tl_expr *tl__parse_init(tl__parse *, tl_ctype *, CXCursor);

/* parse_clang_stmt.c */
tl_stmt *tl__parse_stmt(tl__parse *, CXCursor);

/* parse_clang_decl.c */
tl_decl *tl__parse_decl(tl__parse *, CXCursor);
tl_function *tl__parse_function(tl__parse *, CXCursor);
void tl__parse_want_body(tl__parse *, tl_function *, CXCursor any_declaration);
void tl__parse_unit(tl__parse *);
void tl__parse_want_named(tl__parse *, const char *function);
void tl__parse_bodies(tl__parse *); /* of all functions that are wanted, and of those they use */

/* parse_clang_len.c: the expression of a TL_LEN, over parameters or over the members of a record. */
tl_expr *tl__parse_len(tl__parse *, const char *text, tl_loc, const tl_function *, const char *const *names,
                       uint32_t count, const tl_record *);
/* The same of what stands in the brackets of another declaration's array; NULL where it is anything else. */
tl_expr *tl__parse_extent(tl__parse *, const char *text, tl_loc, const tl_function *, const char *const *names,
                          uint32_t count);

/* parse_clang_typed.c: what tl_typed states at a declaration itself; NULL: nothing, or an error was reported. */
const tl_tensor_type *tl__parse_stated(tl__parse *, CXCursor declaration);
const tl_tensor_type *tl__parse_stated_text(tl__parse *, const char *annotation, tl_loc); /* NULL where it is another */
/* A struct at file scope, which tl_axis or tl_bound may have declared. */
void tl__parse_stated_name(tl__parse *, CXCursor);

/* parse_clang_requests.c */
bool tl__request_name(const char *identifier); /* is it an intrinsic's, "f$$grad$x"? "$$grad" too */
const char *tl__request_mangle(tl_arena *, const char *identifier); /* "f__grad__x" */
void tl__request_collect(tl__parse *, tl_parse_result *);           /* from the uses, in the order of the source */
/* Reads `prototypes` and finds their places after a read without them. */
void tl__request_place(tl__parse *, const char *prototypes);
/* Where that would be for one declaration. */
bool tl__request_place_after(tl__parse *, CXCursor declaration, tl__insertion *out_place);

/* parse_clang_misuse.c: is the intrinsic at this place written so that it can come to no name? Then an error says so.
 * What libclang said of the place decides where macros leave a doubt. */
typedef enum tl__misuse { TL__MISUSE_UNDECLARED, TL__MISUSE_ERROR, TL__MISUSE_PASTED } tl__misuse;
bool tl__request_misused(tl__parse *, CXSourceLocation, tl__misuse seen);

/* parse_clang_place.c */
void tl__parse_set_first_ends(tl__parse *);                     /* first_end of every function of the user's */
void tl__parse_find_early_uses(tl__parse *, tl_parse_result *); /* after that, of the requests */

#endif
