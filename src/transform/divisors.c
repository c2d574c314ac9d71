#include "transform/divisors.h"

#include "transform/rewrite.h"

typedef struct finder {
  const tl_func *f;
  bool *shared;
  tl_value *first; /* by divisor: what it divides first */
} finder;

static void note(void *ctx, tl_op *o) {
  finder *d = ctx;
  long double c;
  if (o->code != TL_OP_div || !tl_dtype_is_float(tl_type_of(d->f, o->first_result).dtype) ||
      tl_is_const_float(d->f, o->operands[1], &c)) {
    return;
  }
  tl_value x = o->operands[0], v = o->operands[1];
  d->shared[v] |= d->first[v] != TL_NO_VALUE || (tl_is_const_float(d->f, x, &c) && c == 1);
  d->first[v] = x;
}

bool *tl__divisors_find(const tl_func *f, tl_arena *arena) {
  finder d = {f, TL_NEW_ARRAY(arena, bool, f->values.count), TL_NEW_ARRAY(arena, tl_value, f->values.count)};
  tl__region_each_op(f->body, note, &d);
  return d.shared;
}

tl_value tl__divisors_multiply(tl_builder *b, tl_value x, tl_value v) {
  long double c;
  if (tl_is_const_float(b->func, x, &c)) {
    return TL_NO_VALUE;
  }
  tl_value one = tl_build_float(b, tl_type_of(b->func, v).dtype, 1, NULL);
  return tl_build_binary(b, TL_OP_mul, x, tl_build_binary(b, TL_OP_div, one, v));
}
