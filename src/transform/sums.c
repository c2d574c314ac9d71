#include "transform/sums.h"

#include "transform/rewrite.h"

/* The sum of the value, which the loop's body computes, over the iterations; TL_NO_VALUE where the loop makes none. */
static tl_value sum_over(const tl_func *f, const tl_op *loop, tl_value v) {
  const tl_region *body = tl_loop_body(loop);
  for (uint32_t k = 0; k < tl_loop_carries(loop); k++) {
    const tl_op *sum = tl_def(f, body->yields.data[k]);
    tl_value param = body->params.data[1 + k];
    bool is_sum =
        sum && sum->code == TL_OP_add &&
        ((sum->operands[0] == param && sum->operands[1] == v) || (sum->operands[1] == param && sum->operands[0] == v));
    if (is_sum && tl_is_plus_zero(f, tl_loop_init(loop, k))) {
      return tl_op_result(loop, k);
    }
  }
  return TL_NO_VALUE;
}

/* What v is ahead of the loop whose body is `body`: itself, or what a carry that never changes begins with. */
static tl_value ahead_of(const tl_func *f, tl_value v, const tl_region *body) {
  const tl_value_info *info = tl_info(f, v);
  if (!info->op && info->region == body && info->index > 0 && body->yields.data[info->index - 1] == v) {
    return tl_loop_init(body->parent, info->index - 1);
  }
  return tl__value_visible(f, v, body->parent->parent) ? v : TL_NO_VALUE;
}

tl_value tl__sum_multiple(tl_builder *b, const tl_op *loop, tl_value begin, tl_value param, tl_value after) {
  const tl_func *f = b->func;
  const tl_op *step = tl_def(f, after);
  if (!step || (step->code != TL_OP_add && step->code != TL_OP_sub) || step->operands[0] != param) {
    return TL_NO_VALUE;
  }
  const tl_op *product = tl_def(f, step->operands[1]);
  tl_value term = step->operands[1], factor = TL_NO_VALUE;
  for (uint32_t i = 0; product && product->code == TL_OP_mul && i < 2 && !factor; i++) {
    factor = ahead_of(f, product->operands[i], tl_info(f, param)->region);
    term = factor ? product->operands[1 - i] : term;
  }
  tl_value sum = tl_loop_is_counted(loop) ? sum_over(f, loop, term) : TL_NO_VALUE;
  if (!sum) {
    return TL_NO_VALUE;
  }
  tl_value end = tl_build_binary(b, step->code, begin, factor ? tl_build_binary(b, TL_OP_mul, factor, sum) : sum);
  tl_opcode behind = loop->u.step > 0 ? TL_OP_gt : TL_OP_lt;
  tl_value runs = tl_build_binary(b, behind, tl_loop_hi(loop), tl_loop_lo(loop));
  return tl_build_select(b, runs, end, begin);
}
