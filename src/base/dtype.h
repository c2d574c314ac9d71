/* Element types: what follows from a dtype alone. */
#ifndef TL_BASE_DTYPE_H
#define TL_BASE_DTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tlaloc/tlaloc.h"

const char *tl_dtype_name(tl_dtype);   /* f64 */
const char *tl_dtype_symbol(tl_dtype); /* TL_F64 */
size_t tl_dtype_size(tl_dtype);

static inline bool tl_dtype_is_float(tl_dtype d) { return d >= TL_F32 && d <= TL_F8E4M3FN; }
/* A format of tensors alone: C has no scalar of it that could be computed with. */
static inline bool tl_dtype_is_stored_only(tl_dtype d) { return d >= TL_F16 && d <= TL_F8E4M3FN; }
static inline bool tl_dtype_is_unsigned(tl_dtype d) { return d == TL_BOOL || (d >= TL_U8 && d <= TL_U64); }

/* What an integer or i1 constant of that dtype holds (u64 as its bits); a floating value rounded to the dtype. */
int64_t tl_dtype_wrap(tl_dtype, int64_t);
/* The largest finite number of a floating type but f80. */
double tl_dtype_largest(tl_dtype);
/* The least and the largest number of an integer type or i1; of u64 no larger one than INT64_MAX. */
void tl_dtype_range(tl_dtype, int64_t *out_least, int64_t *out_most);
long double tl_dtype_round(tl_dtype, long double);

#endif
