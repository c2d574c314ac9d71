/* What ops that are made of others have in common. Each runs in a scope of its own, so that what lies between is given
 * up at once. */
#ifndef TL_TENSOR_COMPOSE_H
#define TL_TENSOR_COMPOSE_H

#include <string.h>

#include "base/dtype.h"
#include "tensor/lists.h"
#include "tensor/tensor_priv.h"

static inline tl_tensor tl__compose_refuse(const char *op, tl_status status, const char *text) {
  return tl__tensor_refuse(status, "%s: %s", op, text);
}

/* False where an operand has failed or there is no memory for a scope; *out is what the composite returns then. */
static inline bool tl__compose_enter(int count, const tl_tensor *operands, tl_scope *scope, tl_tensor *out) {
  if (tl__tensor_any_failed(count, operands, out)) {
    return false;
  }
  *out = NULL;
  *scope = tl_scope_open();
  return *scope != NULL;
}

/* The same of operands that are to be of one floating dtype. */
static inline bool tl__compose_enter_floats(const char *op, int count, const tl_tensor *operands, tl_scope *scope,
                                            tl_tensor *out) {
  if (tl__tensor_any_failed(count, operands, out)) {
    return false;
  }
  for (int i = 0; i < count; i++) {
    if (!tl_dtype_is_float(operands[i]->dtype)) {
      *out = tl__tensor_refuse(TL_DTYPE_UNSUPPORTED, "%s: operand %d has dtype %s, which it does not take", op, i,
                               tl_dtype_name(operands[i]->dtype));
      return false;
    }
    if (operands[i]->dtype != operands[0]->dtype) {
      *out = tl__tensor_refuse(TL_DTYPE_MISMATCH, "%s: operand 0 has dtype %s, operand %d %s", op,
                               tl_dtype_name(operands[0]->dtype), i, tl_dtype_name(operands[i]->dtype));
      return false;
    }
  }
  return tl__compose_enter(0, NULL, scope, out);
}

/* What an op inside refuses, the composite refuses in its own name. */
static inline tl_tensor tl__compose_named(const char *op, tl_tensor out) {
  const char *text = out && out->status != TL_OK ? strstr(out->message, ": ") : NULL;
  return text ? tl__compose_refuse(op, out->status, text + 2) : out;
}

/* Hands the result out of the scope. */
static inline tl_tensor tl__compose_leave(const char *op, tl_scope scope, tl_tensor out) {
  return tl__scope_leave(scope, tl__compose_named(op, out));
}

/* Elements of a small format as floats; rounded again by tl__like. */
static inline tl_tensor tl__widened(tl_tensor x) {
  return x && x->status == TL_OK && tl_dtype_is_stored_only(x->dtype) ? tl_cast(x, TL_F32) : x;
}
static inline tl_tensor tl__like(tl_tensor out, tl_tensor x) {
  return out && out->status == TL_OK && out->dtype != x->dtype ? tl_cast(out, x->dtype) : out;
}

static inline tl_tensor tl__number(tl_tensor x, double number) { return tl_scalar_like(x, number); }

/* activation.c: log(1 + e^x). loss.c: x log y, and 0 where x is 0 and y is not NaN. */
tl_tensor tl__softplus_of(tl_tensor x);
tl_tensor tl__xlogy_of(tl_tensor x, tl_tensor y);

/* composite.c: how many elements each of `sum` is a sum of. */
tl_tensor tl__summands(tl_tensor x, tl_tensor sum, tl_axes axes, bool keep);

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
