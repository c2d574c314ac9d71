/* The intrinsics of <tlaloc/grad.h> by their names without "tl_", as they stand in the generated functions' names. */
#ifndef TL_BASE_INTRINSIC_H
#define TL_BASE_INTRINSIC_H

#include <stddef.h>

#define TL_INTRINSIC_MAP(X)                                                                                            \
  X(TL_INTRINSIC_GRAD, "grad")                                                                                         \
  X(TL_INTRINSIC_VALUE_AND_GRAD, "value_and_grad")                                                                     \
  X(TL_INTRINSIC_JVP, "jvp")                                                                                           \
  X(TL_INTRINSIC_VALUE_AND_JVP, "value_and_jvp")                                                                       \
  X(TL_INTRINSIC_VJP, "vjp")                                                                                           \
  X(TL_INTRINSIC_JACOBIAN, "jacobian")                                                                                 \
  X(TL_INTRINSIC_JACOBIAN_REVERSE, "jacobian_reverse")                                                                 \
  X(TL_INTRINSIC_HESSIAN, "hessian")                                                                                   \
  X(TL_INTRINSIC_CHECK_VJP, "check_vjp")                                                                               \
  X(TL_INTRINSIC_VMAP, "vmap")

typedef enum tl_intrinsic {
#define TL_INTRINSIC_ENUM(id, name) id,
  TL_INTRINSIC_MAP(TL_INTRINSIC_ENUM)
#undef TL_INTRINSIC_ENUM
      TL_INTRINSIC_COUNT
} tl_intrinsic;

const char *tl_intrinsic_name(tl_intrinsic);
/* TL_INTRINSIC_COUNT where none has that name of `length` bytes. */
tl_intrinsic tl_intrinsic_find(const char *name, size_t length);

#endif
