/* Divisors that a derivative multiplies by the reciprocals of. */
#ifndef TL_TRANSFORM_DIVISORS_H
#define TL_TRANSFORM_DIVISORS_H

#include "ir/ir.h"

/* By value of f: whether 1/v is computed, or v divides more than once, and 1/v is finite wherever a quotient by v may
 * be; never a constant, which may divide exactly. The derivative of x/v divides by v again, for every seed: there it
 * multiplies by 1/v. The primal's own quotients stay. */
bool *tl__divisors_find(const tl_func *f, tl_arena *);
/* Whether o is 1/v: its derivative is -(1/v)(1/v), which reads nothing but what o has computed. */
bool tl__divisors_own(const tl_func *f, const tl_op *o, tl_value v);
/* Whether a number, or v wherever it is one, is so far from 0 that 1/v leaves half of the range of the type. */
bool tl__divisors_is_away(tl_dtype, long double);
bool tl__divisors_are_away(const tl_func *, tl_value v);
/* What stands for x/v: x times 1/v; TL_NO_VALUE where x is a constant, which costs no product. */
tl_value tl__divisors_multiply(tl_builder *, tl_value x, tl_value v);

#endif
