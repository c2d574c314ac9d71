/* Functions behind op rows that math.h lacks, for the interpreters and as C text for emitted programs. */
#ifndef TL_OPS_SPECIAL_H
#define TL_OPS_SPECIAL_H

#include "ir/ir.h"

/* Id, name in emitted code without the type's suffix. */
#define TL_SPECIAL_MAP(X)                                                                                              \
  X(digamma)         /* double tl__digamma(double x) */                                                                \
  X(polygamma)       /* double tl__polygamma(int n, double x) */                                                       \
  X(frexp_fraction)  /* double tl__frexp_fraction(double x) */                                                         \
  X(frexp_exponent)  /* int tl__frexp_exponent(double x) */                                                            \
  X(modf_fraction)   /* double tl__modf_fraction(double x) */                                                          \
  X(remquo_quotient) /* int tl__remquo_quotient(double x, double y) */

typedef enum tl_special {
  TL_SPECIAL_NONE,
#define TL_SPECIAL_ENUM(name) TL_SPECIAL_##name,
  TL_SPECIAL_MAP(TL_SPECIAL_ENUM)
#undef TL_SPECIAL_ENUM
      TL_SPECIAL_COUNT
} tl_special;

/* The function that an op needs in emitted code, of the dtype of its floating operand. polygamma of the constant order
 * 0 is digamma, which takes the floating operand alone. */
tl_special tl_special_of(const tl_func *, const tl_op *);
/* "tl__digamma", "tl__digammaf", "tl__digammal" */
const char *tl_special_name(tl_special, tl_dtype);
/* A static C99 function of that name, with a comment; needs math.h and, before it, the text of tl_special_needs. */
const char *tl_special_text(tl_special, tl_dtype);
tl_special tl_special_needs(tl_special);

/* Accuracy: 1 ulp in float and double, 4 ulp in long double up to order 4, order ulp beyond; of negative x near a zero
 * of the function, ulp of the larger term of the reflection. Poles: digamma(+-0) = -+infinity, NaN at negative
 * integers. */
float tl__polygammaf(int n, float x);
double tl__polygamma(int n, double x);
long double tl__polygammal(int n, long double x);
float tl__frexp_fractionf(float);
double tl__frexp_fraction(double);
long double tl__frexp_fractionl(long double);
int tl__frexp_exponentf(float);
int tl__frexp_exponent(double);
int tl__frexp_exponentl(long double);
float tl__modf_fractionf(float);
double tl__modf_fraction(double);
long double tl__modf_fractionl(long double);
int tl__remquo_quotientf(float, float);
int tl__remquo_quotient(double, double);
int tl__remquo_quotientl(long double, long double);

#endif
