#include "transform/elements.h"

tl_value tl__extent_value(tl_builder *b, tl_extent e) { return e.value ? e.value : tl_build_int(b, TL_U64, e.fixed); }

tl_value tl__element_count(tl_builder *b, tl_type type, int axis, tl_dtype dtype) {
  tl_value count = tl_build_int(b, dtype, 1);
  for (; axis < type.rank; axis++) {
    count = tl_build_binary(b, TL_OP_mul, count, tl_build_cvt(b, dtype, tl__extent_value(b, type.extents[axis])));
  }
  return count;
}

tl_extent tl__tensor_count(tl_builder *b, tl_type type) {
  tl_extent n = {.fixed = 1};
  for (int i = 0; i < type.rank; i++) {
    n = tl_build_extent_product(b, n, type.extents[i]);
  }
  return n;
}

tl_value tl__build_numbers(tl_builder *b, tl_extent n) {
  tl_type type = {.dtype = TL_I64, .is_tensor = true, .rank = 1, .extents = &n};
  tl_value zeros = tl_build_broadcast(b, tl_build_int(b, TL_I64, 0), type);
  return tl_build_tensor(b, TL_OP_positions, &zeros, (tl_attr[]){{.integer = 0}});
}

tl_type tl__lane_type(tl_func *f, tl_type type, uint32_t lanes) {
  if (!lanes) {
    return type;
  }
  tl_extent extents[TL_MAX_RANK];
  for (int i = 0; i < type.rank; i++) {
    extents[i] = type.extents[i];
  }
  extents[type.rank] = (tl_extent){lanes, TL_NO_VALUE};
  return tl_array_type(f, type.dtype, type.rank + 1, extents);
}

static void each_axis(tl_builder *b, tl_type type, int axis, tl_value *at, tl_value linear, uint32_t carry_count,
                      tl_value *carries, tl_element_visitor *visit, void *ctx) {
  if (axis == type.rank) {
    visit(ctx, at, linear ? linear : tl_build_int(b, TL_I64, 0), carry_count, carries);
    return;
  }
  tl_value hi = tl__extent_value(b, type.extents[axis]);
  tl_value lo = tl_build_int(b, tl_type_of(b->func, hi).dtype, 0);
  static const char *const names[] = {"i", "j", "k", "l"};
  tl_op *loop = tl_build_loop(b, lo, hi, 1, names[axis % 4], carry_count, carries);
  loop->is_ours = true;
  tl_build_loop_enter(b, loop, carries);
  at[axis] = b->region->params.data[0];
  tl_value here = at[axis];
  if (linear) {
    bool as_size = tl_type_of(b->func, linear).dtype == TL_U64 && tl_type_of(b->func, hi).dtype == TL_U64;
    tl_dtype t = as_size ? TL_U64 : TL_I64;
    tl_value row = tl_build_binary(b, TL_OP_mul, tl_build_cvt(b, t, linear), tl_build_cvt(b, t, hi));
    here = tl_build_binary(b, TL_OP_add, row, tl_build_cvt(b, t, here));
  }
  each_axis(b, type, axis + 1, at, here, carry_count, carries, visit, ctx);
  tl_build_loop_leave(b, loop, carries);
}

void tl__each_element(tl_builder *b, tl_type type, uint32_t carry_count, tl_value *carries, tl_element_visitor *visit,
                      void *ctx) {
  tl_value at[TL_MAX_RANK];
  each_axis(b, type, 0, at, TL_NO_VALUE, carry_count, carries, visit, ctx);
}
