/* How ops that are made of others begin and end: an operand that has failed is handed on, and what lies between the
 * operands and the result is given up in a scope of its own. */
#ifndef TL_TENSOR_COMPOSE_H
#define TL_TENSOR_COMPOSE_H

#include <string.h>

#include "tensor/lists.h"
#include "tensor/tensor_priv.h"

/* False where an operand has failed or there is no memory for a scope; *out is what the composite returns then. */
static inline bool tl__enter(int count, const tl_tensor *operands, tl_scope *scope, tl_tensor *out) {
  if (tl__tensor_any_failed(count, operands, out)) {
    return false;
  }
  *out = NULL;
  *scope = tl_scope_open();
  return *scope != NULL;
}

/* Hands the result out of the scope. What an op inside refuses, the composite refuses in its own name. */
static inline tl_tensor tl__leave(const char *op, tl_scope scope, tl_tensor out) {
  const char *text = out && out->status != TL_OK ? strstr(out->message, ": ") : NULL;
  return tl__scope_leave(scope, text ? tl__tensor_refuse(out->status, "%s: %s", op, text + 2) : out);
}

/* Elements of a small format as floats; rounded again by tl__like. */
static inline tl_tensor tl__widened(tl_tensor x) {
  return tl__tensor_is_valid(x) && tl_dtype_is_stored_only(x->dtype) ? tl_cast(x, TL_F32) : x;
}
static inline tl_tensor tl__like(tl_tensor out, tl_tensor x) {
  return tl__tensor_is_valid(out) && out->dtype != x->dtype ? tl_cast(out, x->dtype) : out;
}

static inline tl_axes tl__one_axis(int axis) { return (tl_axes){.count = 1, .axis = {(int8_t)axis}}; }

/* An axis counted from behind as one from the front; false where there is none. */
static inline bool tl__find_axis(const char *op, tl_tensor x, int *axis, tl_tensor *out) {
  tl_shape_rules rules;
  tl_status status = tl__shape_axis(&rules, op, 0, x->rank, *axis, axis);
  *out = status == TL_OK ? NULL : tl__tensor_failed(status, rules.message);
  return status == TL_OK;
}

/* Whether the extent is a number; where it is none yet, as in a program that is being captured, it is refused. */
static inline bool tl__has_extent(const char *op, tl_tensor x, int axis, tl_tensor *out) {
  if (tl__is_number(x->dim[axis])) {
    return true;
  }
  *out = tl__tensor_refuse(TL_TRACED_TENSOR, "%s: axis %d has an extent that is no number yet", op, axis);
  return false;
}

/* A vector along one axis of `rank`: its extent there, 1 elsewhere. */
static inline tl_tensor tl__along(tl_tensor vector, int rank, int axis) {
  tl_shape shape = tl__list_of(rank, 1);
  if (!tl__tensor_is_valid(vector)) {
    return vector;
  }
  shape.dim[axis] = vector->dim[0];
  return tl_reshape(vector, shape);
}

#endif
