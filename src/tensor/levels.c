#include "tensor/loops.h"

#include <stdatomic.h>

#include "tensor/tensor_priv.h"

#define ENTRY(level, bytes)                                                                                            \
  {bytes,           tl__kernel_of_##level, tl__where_of_##level, tl__convert_##level,                                  \
   tl__sum_##level, tl__max_##level,       tl__multiply_##level, tl__exponents_##level},
static const tl__loops levels[] = {TL__LEVELS(ENTRY)};

static const tl__loops *_Atomic chosen;

int tl__loops_count(void) {
#ifdef TL_WITH_X86_LEVELS
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2")) {
    bool is_wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                   __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                   __builtin_cpu_supports("avx512vl");
    return is_wide ? 3 : 2;
  }
#endif
  return 1;
}

void tl__loops_use(int level) { atomic_store_explicit(&chosen, &levels[level], memory_order_relaxed); }

const tl__loops *tl__loops_here(void) {
  const tl__loops *l = atomic_load_explicit(&chosen, memory_order_relaxed);
  if (!l) {
    tl__loops_use(tl__loops_count() - 1); /* by whichever thread, the same */
    l = atomic_load_explicit(&chosen, memory_order_relaxed);
  }
  return l;
}

void tl__convert(tl_dtype to, void *out, tl_dtype from, const void *x, int64_t step, int64_t n) {
  tl__loops_here()->convert(to, out, from, x, step, n);
}
