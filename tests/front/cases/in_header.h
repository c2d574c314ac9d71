/* A primal that a header declares and defines, among others. */
#ifndef IN_HEADER_H
#define IN_HEADER_H
static inline double cube(double x), square(double x);
static inline double square(double x) { return x * x; } static inline double cube(double x) { return x * square(x); }
#endif
