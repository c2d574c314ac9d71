/* Ops on arrays, with indices that count from behind, in derivatives and batches that the compiler makes. */
#include <tlaloc/grad.h>
#include <tlaloc/tensor.h>

#include "composite_check.h"

tl_axis(Row);
tl_axis(Column);

static tl_tensor power(tl_typed(F64, Row, Column) x) { return tl_sum(tl_power(tl_exp(x), tl_sin(x)), TL_ALL, false); }
static tl_tensor lists(tl_typed(F64, Row, Column) x) {
  tl_tensor most = tl_reduce_list(TL_REDUCE_MAX, 3, (const tl_tensor[]){x, tl_cos(x), tl_scalar_like(x, 0.1)});
  tl_tensor mean = tl_mean_list(2, (const tl_tensor[]){x, tl_exp(x)});
  return tl_sum(tl_mul(most, mean), TL_ALL, false);
}
static tl_tensor reductions(tl_typed(F64, Row, Column) x) {
  tl_tensor rows = tl_mul(tl_sum_square(x, TL_AXES(1), false), tl_log_sum(tl_exp(x), TL_AXES(1), false));
  tl_tensor apart = tl_mul(tl_standardize(x, TL_AXES(0), 0.01), tl_inverse_deviation(x, TL_AXES(1), true, 0.1));
  return tl_add(tl_sum(rows, TL_ALL, false), tl_sum(tl_mul(apart, x), TL_ALL, false));
}
static tl_tensor hardmax(tl_typed(F64, Row, Column) x) {
  return tl_sum(tl_mul(tl_hardmax(x, 1), tl_mul(x, x)), TL_ALL, false);
}
static tl_tensor places(tl_typed(F64, 4, 3) x) {
  tl_tensor order = tl_sub(tl_argsort(tl_cos(x), 1, false), tl_argmax_last(tl_sin(x), 1, true));
  tl_tensor taken = tl_gather_elements(tl_sin(x), order, 1, TL_INDEX_CHECK);
  tl_tensor given = tl_scatter_elements(x, order, tl_mul(taken, x), 1, TL_REDUCE_ADD, TL_INDEX_CHECK);
  return tl_sum(tl_mul(given, given), TL_ALL, false);
}
static tl_tensor back(tl_typed(F64, 4, 3) x) {
  tl_tensor y = tl_slice(x, TL_INTS(3, 0), TL_INTS(-1, 3), TL_INTS(-2, 2));
  return tl_sum(tl_mul(y, tl_exp(y)), TL_ALL, false);
}
static tl_tensor before(tl_typed(F64, 4, 3) x) {
  return tl_sum(tl_mul(tl_cumsum_before(x, 0, false), tl_cos(x)), TL_ALL, false);
}
static tl_tensor rows(tl_typed(F64, 4, 3) x) {
  tl_tensor first = tl_take(x, tl_argmax_last(x, 0, false), 0, TL_INDEX_CHECK);
  return tl_sum(tl_mul(first, first), TL_ALL, false);
}

int main(void) {
  double d[COUNT];
  set_elements(d);
  tl_tensor x = tl_from(TL_F64, TL_SHAPE(ROWS, COLUMNS), xs);
  tl_tensor direction = tl_from(TL_F64, TL_SHAPE(ROWS, COLUMNS), d);
  CHECK_ALL(power);
  CHECK_ALL(lists);
  CHECK_ALL(reductions);
  CHECK_ALL(hardmax);
  CHECK_ALL(places);
  CHECK_ALL(back);
  CHECK_ALL(before);
  CHECK_ALL(rows);
  return check_done();
}
