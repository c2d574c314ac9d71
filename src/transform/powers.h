/* Powers in derivatives: what c*x^n becomes when it is differentiated, and common factors that are powers of 2. */
#ifndef TL_TRANSFORM_POWERS_H
#define TL_TRANSFORM_POWERS_H

#include "ir/ir.h"

/* o is y*x, where y is z*x^(n-1) and z no product with x: n, which operand x is, and z, TL_NO_VALUE where that is x too
 * or a constant. Else 0. The derivative by x is then n*y, whatever y is computed from, and that by z is x^n. */
uint32_t tl__power_degree(const tl_func *f, const tl_op *o, uint32_t *out_which, tl_value *out_z);
/* n*y by what the derivative is multiplied by. */
tl_value tl__power_derivative(tl_builder *, tl_value y, uint32_t n, tl_value by);

/* c*x + c*y or c*x - c*y, where c is a power of 2, as c*(x + y) or c*(x - y), so that the factors of 2 and 1/2 that
 * squares and square roots bring meet each other; TL_NO_VALUE where the operands are not that. Right but for where x +
 * y overflows: not for what the user wrote. */
tl_value tl__power_factor(tl_builder *, tl_opcode code, const tl_value *operands);

#endif
