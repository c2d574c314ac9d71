/* Sums and largest elements of few rows, in order; of consecutive elements as rows of LANES of them. */
#include <string.h>

#include "tensor/loops.h"

enum { LANES = 512 }; /* bytes */
#define AT(type, p) (*(const type *)(const void *)(p))
#define ADD(type, a, b) ((type)((a) + (b)))
#define LARGER(type, a, b) ((b) > (a) || (b) != (b) ? (b) : (a))

/* name_rows is not inlined: for a width that it knows the compiler makes no vectors, but single lanes. */
#define DEFINE(name, type, TAKE)                                                                                       \
  __attribute__((noinline)) static void name##_rows(type *restrict o, int64_t width, const unsigned char *x,           \
                                                    int64_t n, int64_t down) {                                         \
    for (int64_t i = 0; i < n; i++, x += down) {                                                                       \
      for (int64_t k = 0; k < width; k++) {                                                                            \
        o[k] = TAKE(type, o[k], AT(type, x + k * (int64_t)sizeof(type)));                                              \
      }                                                                                                                \
    }                                                                                                                  \
  }                                                                                                                    \
  static type name##_line(type all, const unsigned char *x, int64_t n) {                                               \
    enum { COUNT = LANES / sizeof(type) };                                                                             \
    _Alignas(64) type lane[COUNT];                                                                                     \
    if (n >= 2 * COUNT) {                                                                                              \
      memcpy(lane, x, sizeof lane);                                                                                    \
      name##_rows(lane, COUNT, x + LANES, n / COUNT - 1, LANES);                                                       \
      for (int half = COUNT / 2; half; half /= 2) {                                                                    \
        for (int k = 0; k < half; k++) {                                                                               \
          lane[k] = TAKE(type, lane[k], lane[k + half]);                                                               \
        }                                                                                                              \
      }                                                                                                                \
      all = TAKE(type, all, lane[0]);                                                                                  \
      x += n / COUNT * LANES;                                                                                          \
      n %= COUNT;                                                                                                      \
    }                                                                                                                  \
    const type *rest = (const type *)(const void *)x;                                                                  \
    int64_t i = 0;                                                                                                     \
    if (n >= 8) { /* in four partial results, as one waits for the one before */                                       \
      type a = rest[0], b = rest[1], c = rest[2], d = rest[3];                                                         \
      for (i = 4; i + 4 <= n; i += 4) {                                                                                \
        a = TAKE(type, a, rest[i]), b = TAKE(type, b, rest[i + 1]);                                                    \
        c = TAKE(type, c, rest[i + 2]), d = TAKE(type, d, rest[i + 3]);                                                \
      }                                                                                                                \
      a = TAKE(type, a, b), c = TAKE(type, c, d), a = TAKE(type, a, c);                                                \
      all = TAKE(type, all, a);                                                                                        \
    }                                                                                                                  \
    for (; i < n; i++) {                                                                                               \
      all = TAKE(type, all, rest[i]);                                                                                  \
    }                                                                                                                  \
    return all;                                                                                                        \
  }                                                                                                                    \
  static void name(void *into, int64_t width, int64_t across, const unsigned char *x, int64_t n, int64_t down) {       \
    type *restrict o = into;                                                                                           \
    if (width == 1 && down == sizeof(type)) {                                                                          \
      *o = name##_line(*o, x, n);                                                                                      \
    } else if (across == sizeof(type)) {                                                                               \
      name##_rows(o, width, x, n, down);                                                                               \
    } else {                                                                                                           \
      for (int64_t k = 0; k < width; k++) {                                                                            \
        type all = o[k];                                                                                               \
        for (int64_t i = 0; i < n; i++) {                                                                              \
          all = TAKE(type, all, AT(type, x + k * across + i * down));                                                  \
        }                                                                                                              \
        o[k] = all;                                                                                                    \
      }                                                                                                                \
    }                                                                                                                  \
  }
#define DEFINE_SUM(d, type) DEFINE(sum_##d, type, ADD)
#define DEFINE_MAX(d, type) DEFINE(max_##d, type, LARGER)
TL__INTEGERS(DEFINE_SUM)
TL__FLOATS(DEFINE_SUM)
TL__INTEGERS(DEFINE_MAX)
TL__FLOATS(DEFINE_MAX)

#define ENTRY_SUM(d, type) [d] = sum_##d,
#define ENTRY_MAX(d, type) [d] = max_##d,
tl__fold *const TL__AT_LEVEL(sum)[TL_DTYPE_COUNT] = {TL__INTEGERS(ENTRY_SUM) TL__FLOATS(ENTRY_SUM)};
tl__fold *const TL__AT_LEVEL(max)[TL_DTYPE_COUNT] = {TL__INTEGERS(ENTRY_MAX) TL__FLOATS(ENTRY_MAX)};
