/* What the files check*.c share. */
#ifndef TL_FRONT_CHECK_PRIV_H
#define TL_FRONT_CHECK_PRIV_H

#include "front/check.h"
#include "front/tensor_call.h"

/* What is known of a tensor. Extents that are not numbers are values: TL_STATED_ANY one of which nothing is known, an
 * axis's or bound's, or what the check numbers itself; equal ones are equal extents, but for TL_STATED_ANY. */
typedef struct tl__type {
  bool is_anything; /* of every type: NULL, not set yet, or refused already */
  bool has_dtype, has_axes;
  tl_tensor_type t; /* as far as it is known */
} tl__type;

/* A part of an object of the function's own: the object, or a member or element of a place. */
typedef struct tl__place {
  const tl_decl *root;
  uint32_t parent; /* 0: it is the object */
  int64_t step;    /* which member or element */
  bool is_lost;    /* of an object: its address is known elsewhere, so that nothing is known of it */
} tl__place;

typedef enum tl__reach {
  TL__EXACT,
  TL__SOME_ELEMENT, /* of the place, an array */
  TL__WITHIN,       /* somewhere in the place */
} tl__reach;

typedef struct tl__target {
  uint32_t place; /* 0: none that is followed */
  tl__reach reach;
} tl__target;

/* What the places hold where the walk is. */
typedef struct tl__env {
  bool is_reached;
  bool is_lost;                   /* objects that are not in `types` may hold anything, set or not */
  TL_VEC(const tl__type *) types; /* by place; NULL: as the place around it */
} tl__env;

/* An extent that is a value: a number times other values. */
typedef struct tl__extent {
  int64_t factor;
  int count;
  tl_value parts[4];
} tl__extent;

/* Where a break or continue leads. */
typedef struct tl__exit {
  struct tl__exit *outer;
  bool is_switch;
  bool has_default;
  tl__env entry; /* of a switch */
  tl__env out, again;
} tl__exit;

typedef struct tl__check {
  tl_arena arena; /* rewound behind each function */
  const tl_unit *unit;
  const tl_request *requests;
  uint32_t request_count;
  const tl_function *function;
  int silent;                 /* > 0: the walk is on its way to what holds in a loop */
  TL_VEC(tl__place) places;   /* [0] is unused */
  TL_VEC(tl__extent) extents; /* those of our own, from first_extent on */
  tl_value first_extent;
  tl__env env;
  tl__exit *exit;
} tl__check;

/* Where a type is stated: a value that gets there has to be of it. */
typedef struct tl__slot {
  const tl_tensor_type *stated;
  const char *what;    /* "'w'" */
  const tl_decl *decl; /* which states it, or NULL */
  bool takes_unknown;  /* and not only what is known to be of it */
} tl__slot;

/* check_type.c */
extern const tl__type tl__unknown, tl__anything;
const tl__type *tl__type_new(tl__check *, const tl_tensor_type *);
/* What both agree in. */
const tl__type *tl__type_meet(tl__check *, const tl__type *, const tl__type *);
bool tl__type_equal(const tl__type *, const tl__type *);
/* The type with a value of its own for each TL_STATED_ANY. */
const tl__type *tl__type_fresh(tl__check *, const tl__type *);
tl_extent tl__extent_fresh(tl__check *);
tl_shape_rules tl__rules(tl__check *); /* with extents that are values */
/* What a declaration, or else its C type, states of the tensors in it; NULL: nothing. */
const tl_tensor_type *tl__stated(const tl_tensor_type *by_declaration, const tl_ctype *);
/* What is stated of an lvalue, or of what a pointer points to. */
const tl_tensor_type *tl__stated_of(const tl_expr *);

/* check_place.c */
tl__target tl__target_of(tl__check *, const tl_expr *lvalue);
tl__target tl__target_within(tl__check *, tl__target, int64_t step);
tl__target tl__target_root(tl__check *, const tl_decl *);
const tl__type *tl__target_read(tl__check *, tl__target);
void tl__target_write(tl__check *, tl__target, const tl__type *);
void tl__target_copy(tl__check *, tl__target to, tl__target from);
void tl__target_lose(tl__check *, tl__target); /* for good */
tl__env tl__env_copy(tl__check *, const tl__env *);
tl__env tl__env_join(tl__check *, const tl__env *, const tl__env *);
bool tl__env_equal(tl__check *, const tl__env *, const tl__env *);

/* check_expr.c: runs the expression, and what is known of its value where that is a tensor, which goes to the slot
 * unless that is NULL. */
const tl__type *tl__check_expr(tl__check *, const tl_expr *, const tl__slot *);
void tl__check_lvalue(tl__check *, const tl_expr *); /* what is computed to find the object */
void tl__check_decl(tl__check *, const tl_decl *);
void tl__refuse(tl__check *, tl_status, tl_loc, const char *text, const tl_decl *note);
/* What is known of the value behind the slot; refused at the place where it does not fit. */
const tl__type *tl__check_slot(tl__check *, const tl__slot *, const tl__type *, tl_loc);

/* check_call.c */
const tl__type *tl__check_call(tl__check *, const tl_expr *);
/* What an axis or bound is in a call: axes of one name or bound have one extent there. */
typedef struct tl__binding {
  tl_value axis;
  tl_extent extent;
  const char *who;
} tl__binding;
typedef TL_VEC(tl__binding) tl__bindings;
/* An argument, for the parameter that the slot says; `param` is its C type, or NULL. */
void tl__check_argument(tl__check *, tl__bindings *, const tl__slot *, const tl_ctype *param, const tl_expr *arg);
const tl__type *tl__check_result(tl__check *, const tl_tensor_type *stated, const tl__bindings *);

/* check_intrinsic.c */
const tl__type *tl__check_intrinsic(tl__check *, const tl_expr *);

/* check.c */
void tl__check_stmt(tl__check *, const tl_stmt *);

#endif
