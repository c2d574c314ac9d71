/* What the rules of types have in common. */
#ifndef TL_IR_SHAPE_PRIV_H
#define TL_IR_SHAPE_PRIV_H

#include "ir/shape.h"

/* Says why, of argument `at`; returns the status. */
tl_status tl__shape_fail(tl_shape_rules *, int at, tl_status, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* An extent of -1 is not stated: nothing is known of it, as of one that is a value. */
static inline bool tl__extent_is_number(tl_extent e) { return e.value == TL_NO_VALUE && e.fixed >= 0; }
static inline bool tl__extent_is_one(tl_extent e) { return tl__extent_is_number(e) && e.fixed == 1; }
static inline bool tl__extent_is_same(tl_extent a, tl_extent b) {
  return a.value ? a.value == b.value : tl__extent_is_number(a) && tl__extent_is_number(b) && a.fixed == b.fixed;
}

/* Axis i of x as axis o of the result. */
static inline void tl__shape_take(tl_tensor_type *t, int o, const tl_tensor_type *x, int i) {
  t->dim[o] = x->dim[i];
  t->axis[o] = x->axis[i];
  t->bound[o] = x->bound[i];
}

/* Lays axis k of y, argument `at`, over axis i of x: the name and the bound that there are, which become axis `o` of
 * the result. Where the extents are numbers they are the caller's to compare; names come first, since they are known
 * to the compiler and at run time alike. */
tl_status tl__shape_align(tl_shape_rules *, const char *op, int at, const tl_tensor_type *x, int i,
                          const tl_tensor_type *y, int k, tl_tensor_type *t, int o);
/* Whether an axis of argument `at` with that extent may have the bound, which may be NULL. */
tl_status tl__shape_within(tl_shape_rules *, const char *op, int at, int axis, tl_extent, const tl_axis_bound *);
/* NumPy's rule: axes aligned from behind, equal or 1. y is argument `at`; the result is of out's dtype. */
tl_status tl__shape_join(tl_shape_rules *, const char *op, int at, const tl_tensor_type *x, const tl_tensor_type *y,
                         tl_tensor_type *out);
/* Whether a shape, argument `at`, can be one. */
tl_status tl__shape_check_target(tl_shape_rules *, const char *op, int rank, const tl_extent *target, bool may_be_open);
tl_status tl__shape_refuse_bool(tl_shape_rules *, const char *op, tl_dtype);
tl_status tl__shape_need_float(tl_shape_rules *, const char *op, int operand, tl_dtype);
tl_status tl__shape_alike(tl_shape_rules *, const char *op, int i, tl_dtype x, int k, tl_dtype y);

#endif
