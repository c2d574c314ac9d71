/* The floating formats that tensors store and no scalar of C has: F16, BF16, F8E4M3FN (tlaloc.h says what they are).
 *
 * To a format: the nearest number, of two as near the one whose last bit is 0. What rounds beyond the largest becomes
 * infinite, or NaN in F8E4M3FN, which has no infinity. From a format: exact. A NaN stays one and keeps its sign. */
#ifndef TL_BASE_SMALL_FLOAT_H
#define TL_BASE_SMALL_FLOAT_H

#include "base/dtype.h"

/* The bits, in the low ones of the result, and the number that such bits are. `d` is stored only. */
uint16_t tl__small_float_from(tl_dtype d, double);
double tl__small_float_to(tl_dtype d, uint16_t bits);

/* A double that rounds to each of these formats as the integer would: exact up to 53 bits, else its last bit is set
 * where what is cut off is not 0. */
double tl__small_float_of_i64(int64_t);
double tl__small_float_of_u64(uint64_t);

#endif
