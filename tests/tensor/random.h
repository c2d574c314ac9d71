/* Numbers by seed. */
#ifndef TL_TESTS_TENSOR_RANDOM_H
#define TL_TESTS_TENSOR_RANDOM_H

#include <math.h>
#include <stdint.h>
#include <string.h>

static uint64_t random_state = 1;

static inline uint64_t random_bits(void) {
  uint64_t z = random_state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}
static inline int64_t random_below(int64_t n) { return (int64_t)(random_bits() % (uint64_t)n); }
/* Any exponent from 2^low to 2^high, either sign. */
static inline double random_double(int low, int high) {
  double m = 1 + (double)(random_bits() >> 12) * 0x1p-52;
  int exponent = low + (int)random_below(high - low + 1);
  return ldexp(random_bits() & 1 ? m : -m, exponent);
}

#endif
