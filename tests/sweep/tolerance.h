/* What may differ, and why: the only numbers that the sweep, the random graphs and the goldens compare with. */
#ifndef TL_TESTS_SWEEP_TOLERANCE_H
#define TL_TESTS_SWEEP_TOLERANCE_H

/* name, atol, rtol, reason. An element may be off by atol + rtol * scale, where the scale is the largest magnitude of
 * what is wanted and of what it was computed from. */
#define SWEEP_TOLERANCE_MAP(X)                                                                                         \
  X(EXACT, 0, 0, "the same computation")                                                                               \
  X(REORDERED, 0, 1e-13, "the same sums in another order")                                                             \
  X(REORDERED_DERIVATIVE, 0, 1e-11, "derivatives by sums in another order")                                            \
  X(REORDERED_IN_GRAPHS, 1e-14, 1e-10, "several ops in a row, each with its sums in another order")                    \
  X(DOT, 1e-14, 1e-11, "<Jv, w> against <v, J'w>: sums of products, either way")                                       \
  X(DIFFERENCES, 0, 2e-9, "fourth-order central differences of step 1e-3: h^4 f'''''/30, and rounding over h")         \
  X(DIFFERENCES_OF_GRAPHS, 0, 2e-7, "likewise, of several ops in a row")                                               \
  X(DIFFERENCES_IN_FLOAT, 0, 4e-5, "likewise, where something is computed in float: of step 1/16")                     \
  X(F32, 0, 4e-6, "float against double: an op, whose operands float holds")                                           \
  X(F32_DERIVATIVE, 0, 4e-5, "likewise, a derivative")                                                                 \
  X(F32_OF_GRAPHS, 0, 2e-3, "float against double: several ops in a row")                                              \
  X(F16, 0x1p-24, 0x1p-8, "a format of 11 bits, whose sums are formed in float")                                       \
  X(BF16, 0, 0x1p-5, "a format of 8 bits")                                                                             \
  X(F8, 0x1p-9, 0x1p-1, "a format of 4 bits, whose least number is 2^-9")                                              \
  X(GOLDEN, 1e-300, 1e-12, "JAX or PyTorch in float64")                                                                \
  X(TORCH_TRIGAMMA, 0, 3e-10, "trigamma and what follows from it by PyTorch, which mpmath finds off by 1e-9")          \
  X(TORCH_BESSEL, 0, 3e-9, "Bessel functions by PyTorch, which mpmath finds off by 1e-10")                             \
  X(TORCH_SIXTH, 0, 4e-8, "the derivative of hardsigmoid by PyTorch, whose 1/6 is a float")

typedef enum sweep_tolerance {
#define SWEEP_TOLERANCE_ENUM(name, atol, rtol, reason) SWEEP_##name,
  SWEEP_TOLERANCE_MAP(SWEEP_TOLERANCE_ENUM)
#undef SWEEP_TOLERANCE_ENUM
      SWEEP_TOLERANCE_COUNT
} sweep_tolerance;

#endif
