/* The loops over elements. They are compiled once for every level of the instruction set, by the same text; the machine
 * that runs chooses (levels.c). A level changes no number, but for those of products: nothing else is contracted. */
#ifndef TL_TENSOR_LOOPS_H
#define TL_TENSOR_LOOPS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/dtype.h"
#include "ir/ir.h"

/* The dtypes that C computes in, but BOOL, with their types. */
#define TL__INTEGERS(X)                                                                                                \
  X(TL_I8, int8_t)                                                                                                     \
  X(TL_I16, int16_t)                                                                                                   \
  X(TL_I32, int32_t) X(TL_I64, int64_t) X(TL_U8, uint8_t) X(TL_U16, uint16_t) X(TL_U32, uint32_t) X(TL_U64, uint64_t)
#define TL__FLOATS(X) X(TL_F32, float) X(TL_F64, double)

/* kernels.c: one stretch of an elementwise op; at[0] is the result's first element, step[k] the bytes from one of the
 * k-th's to the next. The results are consecutive. */
typedef void tl__kernel(int64_t n, unsigned char *const at[], const int64_t step[]);

/* fold.c: takes n rows of `width` elements, which are `across` bytes apart, `down` bytes from row to row, into `into`.
 */
typedef void tl__fold(void *into, int64_t width, int64_t across, const unsigned char *x, int64_t n, int64_t down);

/* multiply.c: rows x inner times inner x columns, strides in bytes; the result is row-major. */
typedef struct tl__product {
  int64_t rows, inner, columns;
  int64_t x_row, x_inner, y_inner, y_column;
} tl__product;
typedef void tl__multiply(const tl__product *, void *out, const unsigned char *x, const unsigned char *y);

/* exponent.c: exp(x - largest) of `width` elements, `across` bytes apart, to consecutive ones. There are as many of
 * `largest`, or one; none is less than its element. */
typedef void tl__exponents(void *out, int64_t width, int64_t across, const unsigned char *x, const void *largest,
                           bool has_one_largest);

typedef struct tl__loops {
  int vector;                                    /* bytes */
  tl__kernel *(*kernel_of)(tl_opcode, tl_dtype); /* NULL: not for that dtype */
  tl__kernel *(*where_of)(tl_dtype);
  void (*convert)(tl_dtype to, void *out, tl_dtype from, const void *x, int64_t step, int64_t n);
  tl__fold *const *sum, *const *max; /* by dtype; NULL for BOOL and the small formats */
  tl__multiply *const *multiply;     /* likewise */
  tl__exponents *const *exponents;   /* for F32 and F64 */
} tl__loops;

/* levels.c: those of the best level that the machine has. */
const tl__loops *tl__loops_here(void);
/* For tests: how many levels the machine has, and from now on that one, from 0, in all threads. */
int tl__loops_count(void);
void tl__loops_use(int level);

/* What a file of loops calls what it hands to levels.c. */
#define TL__AT_LEVEL(name) TL__AT(name, TL__LEVEL)
#define TL__AT(name, level) TL__AT_(name, level)
#define TL__AT_(name, level) tl__##name##_##level
#define TL__DECLARE_LEVEL(level, bytes)                                                                                \
  tl__kernel *tl__kernel_of_##level(tl_opcode, tl_dtype);                                                              \
  tl__kernel *tl__where_of_##level(tl_dtype);                                                                          \
  void tl__convert_##level(tl_dtype to, void *out, tl_dtype from, const void *x, int64_t step, int64_t n);             \
  extern tl__fold *const tl__sum_##level[TL_DTYPE_COUNT], *const tl__max_##level[TL_DTYPE_COUNT];                      \
  extern tl__multiply *const tl__multiply_##level[TL_DTYPE_COUNT];                                                     \
  extern tl__exponents *const tl__exponents_##level[TL_DTYPE_COUNT];
#ifdef TL_WITH_X86_LEVELS
#define TL__LEVELS(X) X(base, 16) X(v3, 32) X(v4, 64) /* with the bytes of a vector register */
#else
#define TL__LEVELS(X) X(base, 16)
#endif
TL__LEVELS(TL__DECLARE_LEVEL)

/* The bytes of a vector register. */
#if defined __AVX512F__
enum { TL__VECTOR = 64 };
#elif defined __AVX2__
enum { TL__VECTOR = 32 };
#else
enum { TL__VECTOR = 16 };
#endif

#endif
