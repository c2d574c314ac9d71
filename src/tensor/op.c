/* Every eager op goes through here: what failed is handed on, what a program records is recorded, the rule gives the
 * result's type, the row's kernel the elements. */
#include "tensor/tensor_priv.h"

#define TL_TEN(name, class, arity, attributes, doc) [TL_OP_##name] = tl__eager_##name,
static tl__eager_fn *const eager_table[TL_OP_COUNT] = {
#include "ir/ops.def"
};

tl_tensor tl__op(tl_opcode code, const tl_tensor *x, const tl_attr *attrs) {
  int count = tl_op_table[code].arity;
  tl_tensor failed;
  if (tl__tensor_any_failed(count, x, &failed)) {
    return failed;
  }
  tl_tensor recorded;
  if (tl__tensor_traced(code, x, attrs, TL_DTYPE_COUNT, &recorded)) {
    return recorded;
  }
  tl_tensor_type types[TL__MOST_OPERANDS], result;
  for (int i = 0; i < count; i++) {
    types[i] = tl__tensor_type(x[i]);
  }
  tl_shape_rules rules = {.product = NULL};
  tl_status status = tl__shape_op(&rules, code, types, attrs, TL_DTYPE_COUNT, &result);
  return status == TL_OK ? tl__tensor_name(eager_table[code](x, attrs, &result), &result)
                         : tl__tensor_failed(status, rules.message);
}

tl_tensor tl__op_in_float(tl_opcode code, const tl_tensor *x, const tl_attr *attrs) {
  tl_scope scope = tl_scope_open();
  if (!scope) {
    return NULL;
  }
  tl_tensor wide[TL__MOST_OPERANDS];
  for (int i = 0; i < tl_op_table[code].arity; i++) {
    wide[i] = tl_dtype_is_stored_only(x[i]->dtype) ? tl_cast(x[i], TL_F32) : x[i];
  }
  tl_tensor out = tl__op(code, wide, attrs);
  if (tl_dtype_of(out) == TL_F32) {
    out = tl_cast(out, x[0]->dtype);
  }
  return tl__scope_leave(scope, out);
}

tl_tensor tl__tensor_op(tl_opcode code, const tl_tensor *x, const tl_attr *attrs, tl_dtype given) {
  return tl_op_table[code].elementwise ? tl__elementwise(code, x, given) : tl__op(code, x, attrs);
}
