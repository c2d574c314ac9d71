#include <assert.h>
#include <math.h>
#include <string.h>

#include "ir/shape.h"

tl_module *tl_module_create(tl_arena *arena, tl_diag *diag) {
  tl_module *m = TL_NEW(arena, tl_module);
  m->arena = arena;
  m->diag = diag;
  return m;
}

tl_func *tl_func_create(tl_module *m, const char *name) {
  tl_func *f = TL_NEW(m->arena, tl_func);
  f->name = tl_arena_strdup(m->arena, name);
  f->module = m;
  f->arena = m->arena;
  TL_PUSH(f->arena, f->values, (tl_value_info){0});
  f->body = tl_region_create(f, NULL);
  TL_PUSH(m->arena, m->funcs, f);
  return f;
}

tl_func *tl_module_find(const tl_module *m, const char *name) {
  for (uint32_t i = 0; i < m->funcs.count; i++) {
    if (!strcmp(m->funcs.data[i]->name, name)) {
      return m->funcs.data[i];
    }
  }
  return NULL;
}

uint32_t tl_func_final(const tl_func *f, uint32_t leaf) {
  for (uint32_t i = 0; i < f->results.count; i++) {
    if (f->results.data[i].role == TL_RESULT_FINAL && f->results.data[i].param == leaf) {
      return i;
    }
  }
  return TL_NO_RESULT;
}

uint32_t tl_func_pointer_length(const tl_func *f, uint32_t leaf) {
  const tl_param *p = &f->params.data[leaf];
  size_t n = strlen(p->access);
  uint32_t behind = (uint32_t)tl_type_of(f, p->value).rank - p->axes_before;
  if (p->by_members != 1) {
    return 0;
  }
  if (!behind) {
    return !strncmp(p->access, "(*", 2) && p->access[n - 1] == ')' ? (uint32_t)n - 1 : 0;
  }
  for (; behind; behind--, n -= 3) {
    if (n < 3 || strncmp(p->access + n - 3, "[#]", 3) != 0) {
      return 0;
    }
  }
  return (uint32_t)n;
}

bool tl_func_is_output(const tl_func *f, uint32_t leaf) {
  return f->cparams.data[f->params.data[leaf].cparam].role == TL_ROLE_OUTPUT;
}

tl_region *tl_region_create(tl_func *f, tl_op *parent) {
  tl_region *r = TL_NEW(f->arena, tl_region);
  r->parent = parent;
  return r;
}

static tl_value value_create(tl_func *f, tl_value_info info) {
  tl_value v = f->values.count;
  TL_PUSH(f->arena, f->values, info);
  return v;
}

tl_value tl_region_add_param(tl_func *f, tl_region *r, tl_type type, const char *name) {
  tl_value v = value_create(f, (tl_value_info){.type = type, .name = name, .region = r, .index = r->params.count});
  TL_PUSH(f->arena, r->params, v);
  return v;
}

tl_type tl_array_type(tl_func *f, tl_dtype dtype, int rank, const tl_extent *extents) {
  assert(rank >= 0 && rank <= TL_MAX_RANK);
  tl_type t = {.dtype = dtype, .is_array = true, .rank = rank};
  if (rank) {
    tl_extent *copy = TL_NEW_ARRAY(f->arena, tl_extent, rank);
    memcpy(copy, extents, sizeof *copy * (size_t)rank);
    t.extents = copy;
  }
  return t;
}

const tl_type *tl__type_copy(tl_func *f, tl_type type) {
  tl_type *copy = TL_NEW(f->arena, tl_type);
  *copy = type;
  return copy;
}

tl_type tl_type_abroad(tl_func *f, tl_type type) {
  if (!type.is_tensor) {
    return type;
  }
  tl_extent *extents = TL_NEW_ARRAY(f->arena, tl_extent, type.rank + 1);
  for (int i = 0; i < type.rank; i++) {
    extents[i] = type.extents[i].value ? (tl_extent){.fixed = -1} : type.extents[i];
  }
  type.extents = extents;
  return type;
}

tl_op *tl_op_create(tl_builder *b, tl_opcode code, uint32_t operand_count, const tl_value *operands) {
  tl_arena *arena = b->func->arena;
  b->func->reads_signs |= tl_op_reads_signs(code);
  tl_op *op = TL_NEW(arena, tl_op);
  op->code = code;
  op->operand_count = operand_count;
  if (operand_count) {
    op->operands = TL_NEW_ARRAY(arena, tl_value, operand_count);
    memcpy(op->operands, operands, sizeof *operands * operand_count);
  }
  op->parent = b->region;
  op->loc = b->loc;
  TL_PUSH(arena, b->region->ops, op);
  return op;
}

tl_value tl_op_add_result(tl_func *f, tl_op *op, tl_type type, const char *name) {
  tl_value v = value_create(
      f, (tl_value_info){.type = type, .name = name, .op = op, .region = op->parent, .index = op->result_count});
  if (!op->result_count) {
    op->first_result = v;
  }
  assert(v == op->first_result + op->result_count);
  op->result_count++;
  return v;
}

/* Whether the names, or else the extents, of x are stated and those of y, which has the same shape, are not. */
static bool tells_more(tl_type x, tl_type y) {
  for (int i = 0; i < x.rank; i++) {
    bool unknown = y.extents[i].value == TL_NO_VALUE && y.extents[i].fixed < 0;
    if (unknown && (x.extents[i].value != TL_NO_VALUE || x.extents[i].fixed >= 0)) {
      return true;
    }
  }
  return x.axis_names && !y.axis_names;
}

/* The type of an elementwise op: that of a tensor among the operands, one with names if there is one. */
static tl_type elementwise_type(const tl_func *f, tl_opcode code, tl_dtype result, const tl_value *operands) {
  tl_type type = tl_scalar(result);
  for (int i = 0; i < tl_op_table[code].arity; i++) {
    tl_type t = tl_type_of(f, operands[i]);
    assert(!t.is_array && (!t.is_tensor || !type.is_tensor || t.rank == type.rank));
    if (t.is_tensor && (!type.is_tensor || tells_more(t, type))) {
      type = t;
    }
  }
  type.dtype = result;
  return type;
}

tl_value tl_build_spread(tl_builder *b, tl_opcode code, tl_value v, const tl_value *operands) {
  if (tl_type_of(b->func, v).is_tensor) {
    return v;
  }
  for (int i = 0; i < tl_op_table[code].arity; i++) {
    if (tl_type_of(b->func, operands[i]).is_tensor) {
      return tl_build_broadcast(b, v, tl_build_type(b, operands[i]));
    }
  }
  return v;
}

tl_value tl_build_elementwise(tl_builder *b, tl_opcode code, tl_dtype result, const tl_value *operands) {
  assert(tl_op_table[code].elementwise);
  tl_type type = elementwise_type(b->func, code, result, operands);
  if (b->peephole) {
    tl_value v = b->peephole(b, code, result, operands);
    if (v != TL_NO_VALUE) {
      return type.is_tensor ? tl_build_spread(b, code, v, operands) : v;
    }
  }
  tl_op *op = tl_op_create(b, code, (uint32_t)tl_op_table[code].arity, operands);
  return tl_op_add_result(b->func, op, type, NULL);
}

tl_extent tl_build_extent_product(tl_builder *b, tl_extent x, tl_extent y) {
  if (!x.value && !y.value) {
    return (tl_extent){.fixed = x.fixed * y.fixed};
  }
  if ((!x.value && x.fixed == 1) || (!y.value && y.fixed == 1)) {
    return x.value ? x : y;
  }
  tl_value m = tl_build_cvt(b, TL_I64, x.value ? x.value : tl_build_int(b, TL_I64, x.fixed));
  tl_value n = tl_build_cvt(b, TL_I64, y.value ? y.value : tl_build_int(b, TL_I64, y.fixed));
  return (tl_extent){.value = tl_build_binary(b, TL_OP_mul, m, n)};
}

tl_extent tl_build_extent_affine(tl_builder *b, tl_extent x, int64_t times, int64_t plus, int64_t over) {
  tl_value v = x.value;
  tl_dtype dtype = tl_type_of(b->func, v).dtype;
  v = times == 1 ? v : tl_build_binary(b, TL_OP_mul, v, tl_build_int(b, dtype, times));
  v = plus == 0 ? v : tl_build_binary(b, TL_OP_add, v, tl_build_int(b, dtype, plus));
  return (tl_extent){.value = over == 1 ? v : tl_build_binary(b, TL_OP_div, v, tl_build_int(b, dtype, over))};
}

static tl_extent multiply_extents(void *ctx, tl_extent x, tl_extent y) { return tl_build_extent_product(ctx, x, y); }

static bool is_stated(tl_extent e) { return e.value || e.fixed >= 0; }

/* Where y is 0 there are no elements, and any extent will do. */
static tl_extent divide_extents(void *ctx, tl_extent x, tl_extent y) {
  tl_builder *b = ctx;
  if (!is_stated(x) || !is_stated(y)) {
    return (tl_extent){.fixed = -1};
  }
  if (x.value && !y.value) {
    return tl_build_extent_affine(b, x, 1, 0, y.fixed ? y.fixed : 1);
  }
  tl_value n = tl_build_cvt(b, TL_I64, x.value ? x.value : tl_build_int(b, TL_I64, x.fixed));
  tl_value by = tl_build_cvt(b, TL_I64, y.value ? y.value : tl_build_int(b, TL_I64, y.fixed));
  tl_value none = tl_build_binary(b, TL_OP_eq, by, tl_build_int(b, TL_I64, 0));
  by = tl_build_select(b, none, tl_build_int(b, TL_I64, 1), by);
  return (tl_extent){.value = tl_build_binary(b, TL_OP_div, n, by)};
}

tl_attr *tl_attrs_copy(tl_arena *arena, tl_opcode code, const tl_attr *attrs) {
  const tl_op_info *row = &tl_op_table[code];
  tl_attr *copy = row->attr_count ? TL_NEW_ARRAY(arena, tl_attr, row->attr_count) : NULL;
  for (int i = 0; i < row->attr_count; i++) {
    if (row->attrs[i].kind == TL_ATTR_INTS) {
      int count = attrs[i].ints.count;
      int64_t *at = count ? TL_NEW_ARRAY(arena, int64_t, count) : NULL;
      for (int k = 0; k < count; k++) {
        at[k] = attrs[i].ints.at[k];
      }
      copy[i].ints.count = count;
      copy[i].ints.at = at;
    } else if (row->attrs[i].kind != TL_ATTR_SHAPE) {
      copy[i] = attrs[i];
    }
  }
  return copy;
}

tl_value tl_build_tensor(tl_builder *b, tl_opcode code, const tl_value *operands, const tl_attr *attrs) {
  const tl_op_info *row = &tl_op_table[code];
  assert(row->on_tensors);
  tl_tensor_type types[4], result;
  for (int i = 0; i < row->arity; i++) {
    types[i] = tl__shape_of_value(b->func, operands[i]);
  }
  tl_shape_rules rules = {.product = multiply_extents, .quotient = divide_extents, .ctx = b};
  tl_status status = tl_shape_table[code](&rules, types, attrs, &result);
  assert(status == TL_OK);
  (void)status;
  tl_value all[4 + TL_MAX_RANK];
  uint32_t count = (uint32_t)row->arity;
  memcpy(all, operands, sizeof *all * count);
  for (int i = 0; tl_op_states_shape(code) && i < result.rank; i++) {
    if (result.dim[i].value) {
      all[count++] = result.dim[i].value;
    }
  }
  tl_op *op = tl_op_create(b, code, count, all);
  op->attrs = tl_attrs_copy(b->func->arena, code, attrs);
  return tl_op_add_result(b->func, op, tl__shape_to_type(b->func, &result), NULL);
}

static bool has_shape(tl_type x, const tl_tensor_type *t) {
  for (int i = 0; i < t->rank; i++) {
    if (x.rank != t->rank || x.extents[i].value != t->dim[i].value ||
        (!t->dim[i].value && x.extents[i].fixed != t->dim[i].fixed)) {
      return false;
    }
  }
  return x.rank == t->rank;
}

tl_status tl_build_tensor_checked(tl_builder *b, tl_opcode code, const tl_value *operands, const tl_attr *attrs,
                                  tl_dtype given, tl_shape_rules *out_rules, tl_value *out) {
  int arity = tl_op_table[code].arity;
  tl_tensor_type types[4], result;
  for (int i = 0; i < arity; i++) {
    types[i] = tl__shape_of_value(b->func, operands[i]);
  }
  *out_rules = (tl_shape_rules){.product = multiply_extents, .quotient = divide_extents, .ctx = b};
  tl_status status = tl__shape_op(out_rules, code, types, attrs, given, &result);
  if (status != TL_OK) {
    return status;
  }
  if (!tl_op_table[code].elementwise) {
    *out = tl_build_tensor(b, code, operands, attrs);
    return TL_OK;
  }
  tl_value x[3];
  for (int i = 0; i < arity; i++) {
    tl_type type = tl_type_of(b->func, operands[i]);
    x[i] = operands[i];
    if (type.is_tensor && !has_shape(type, &result)) {
      tl_extent dim[TL_MAX_RANK];
      for (int k = 0; k < result.rank; k++) {
        dim[k] = result.dim[k];
        for (int n = 0; n < arity && !dim[k].value && dim[k].fixed < 0; n++) { /* of an operand that has it */
          tl_type t = tl_type_of(b->func, operands[n]);
          int axis = k - (result.rank - t.rank);
          dim[k] = axis >= 0 ? (tl_extent){.value = tl_build_dim(b, operands[n], axis)} : dim[k];
        }
      }
      x[i] = tl_build_tensor(b, TL_OP_broadcast, &operands[i], &(tl_attr){.shape = {result.rank, dim}});
    }
  }
  *out = tl_build_elementwise(b, code, result.dtype, x);
  return TL_OK;
}

tl_value tl_build_broadcast(tl_builder *b, tl_value x, tl_type like) {
  tl_value v = tl_build_tensor(b, TL_OP_broadcast, &x, &(tl_attr){.shape = {like.rank, like.extents}});
  b->func->values.data[v].type.axis_names = like.axis_names;
  return v;
}

tl_value tl_build_pack(tl_builder *b, tl_value array) {
  tl_type type = tl_type_of(b->func, array);
  assert(type.is_array && type.rank == 1 && !type.element);
  type.is_array = false;
  type.is_tensor = true;
  return tl_op_add_result(b->func, tl_op_create(b, TL_OP_pack, 1, &array), type, NULL);
}

tl_value tl_build_item(tl_builder *b, tl_value x) {
  assert(tl_type_of(b->func, x).is_tensor && tl_type_of(b->func, x).rank == 0);
  return tl_op_add_result(b->func, tl_op_create(b, TL_OP_item, 1, &x), tl_scalar(tl_type_of(b->func, x).dtype), NULL);
}

tl_value tl_build_dim(tl_builder *b, tl_value x, int axis) {
  tl_extent e = tl_type_of(b->func, x).extents[axis];
  if (e.value != TL_NO_VALUE) {
    return tl_build_cvt(b, TL_I64, e.value);
  }
  if (e.fixed >= 0) {
    return tl_build_int(b, TL_I64, e.fixed);
  }
  tl_op *op = tl_op_create(b, TL_OP_dim, 1, &x);
  op->u.integer = axis;
  return tl_op_add_result(b->func, op, tl_scalar(TL_I64), NULL);
}

/* The result's dtype that the op's row gives for these operands; rows that leave it to the op are not asked. */
static tl_dtype row_result(const tl_func *f, tl_opcode code, const tl_value *operands) {
  const tl_op_info *info = &tl_op_table[code];
  switch (info->result) {
  case TL_RESULT_SAME: {
    bool second = info->operands == TL_OPERANDS_SELECT || info->operands == TL_OPERANDS_INT_FLT;
    return tl_type_of(f, operands[second ? 1 : 0]).dtype;
  }
  case TL_RESULT_BOOL:
    return TL_BOOL;
  case TL_RESULT_I32:
    return TL_I32;
  case TL_RESULT_I64:
    return TL_I64;
  case TL_RESULT_GIVEN:
  case TL_RESULT_OTHER:
    break;
  }
  assert(!"the row does not give the result's dtype");
  return TL_DTYPE_COUNT;
}

tl_value tl_build_unary(tl_builder *b, tl_opcode code, tl_value x) {
  assert(tl_op_table[code].arity == 1);
  return tl_build_elementwise(b, code, row_result(b->func, code, &x), &x);
}

tl_value tl_build_binary(tl_builder *b, tl_opcode code, tl_value x, tl_value y) {
  assert(tl_op_table[code].arity == 2);
  tl_value operands[] = {x, y};
  return tl_build_elementwise(b, code, row_result(b->func, code, operands), operands);
}

tl_value tl_build_select(tl_builder *b, tl_value c, tl_value x, tl_value y) {
  tl_value operands[] = {c, x, y};
  return tl_build_elementwise(b, TL_OP_select, tl_type_of(b->func, x).dtype, operands);
}

tl_value tl_build_cvt(tl_builder *b, tl_dtype to, tl_value x) {
  return tl_type_of(b->func, x).dtype == to ? x : tl_build_elementwise(b, TL_OP_cvt, to, &x);
}

static tl_op *const_create(tl_builder *b, tl_dtype dtype) {
  tl_op *op = tl_op_create(b, TL_OP_const, 0, NULL);
  tl_op_add_result(b->func, op, tl_scalar(dtype), NULL);
  return op;
}

tl_value tl_build_int(tl_builder *b, tl_dtype dtype, int64_t v) {
  assert(!tl_dtype_is_float(dtype));
  tl_op *op = const_create(b, dtype);
  op->u.integer = tl_dtype_wrap(dtype, v);
  return op->first_result;
}

tl_value tl_build_float(tl_builder *b, tl_dtype dtype, long double v, const char *spelling) {
  assert(tl_dtype_is_float(dtype));
  tl_op *op = const_create(b, dtype);
  op->u.floating = tl_dtype_round(dtype, v);
  op->spelling = spelling;
  return op->first_result;
}

tl_value tl_build_zero(tl_builder *b, tl_dtype dtype) {
  return tl_dtype_is_float(dtype) ? tl_build_float(b, dtype, 0, NULL) : tl_build_int(b, dtype, 0);
}

tl_type tl_build_type(tl_builder *b, tl_value v) {
  tl_type type = tl_type_of(b->func, v);
  tl_extent *extents = NULL;
  for (int i = 0; type.is_tensor && i < type.rank; i++) {
    if (type.extents[i].value == TL_NO_VALUE && type.extents[i].fixed < 0) {
      if (!extents) {
        extents = TL_NEW_ARRAY(b->func->arena, tl_extent, type.rank);
        memcpy(extents, type.extents, sizeof *extents * (size_t)type.rank);
        type.extents = extents;
      }
      extents[i] = (tl_extent){.value = tl_build_dim(b, v, i)};
    }
  }
  return type;
}

tl_value tl_build_zero_like(tl_builder *b, tl_value v) {
  tl_type type = tl_build_type(b, v);
  assert(!type.is_array);
  tl_value zero = tl_build_zero(b, type.dtype);
  return type.is_tensor ? tl_build_broadcast(b, zero, type) : zero;
}

tl_value tl_build_alloc(tl_builder *b, tl_dtype dtype, int rank, const tl_extent *extents, unsigned flags,
                        const char *name) {
  return tl_build_alloc_of(b, tl_scalar(dtype), rank, extents, flags, name);
}

tl_value tl_build_alloc_of(tl_builder *b, tl_type element, int rank, const tl_extent *extents, unsigned flags,
                           const char *name) {
  assert(rank >= 0 && rank <= TL_MAX_RANK);
  tl_value operands[TL_MAX_RANK] = {0};
  uint32_t count = 0;
  for (int i = 0; i < rank; i++) {
    if (extents[i].value != TL_NO_VALUE) {
      operands[count++] = extents[i].value;
    }
  }
  bool is_filled = element.is_tensor && flags & TL_ALLOC_ZEROED && !(flags & TL_ALLOC_GROW);
  tl_op *op = tl_op_create(b, TL_OP_alloc, count, operands);
  op->u.flags = is_filled ? flags & ~(unsigned)TL_ALLOC_ZEROED : flags;
  tl_type type = tl_array_type(b->func, element.dtype, rank, extents);
  if (element.is_tensor) {
    type.element = tl__type_copy(b->func, element);
  }
  tl_value v = tl_op_add_result(b->func, op, type, name);
  return is_filled ? tl_build_fill(b, v, tl_build_zero_element(b, type)) : v;
}

tl_value tl_build_zero_element(tl_builder *b, tl_type array) {
  tl_value zero = tl_build_zero(b, array.dtype);
  if (!array.element) {
    return zero;
  }
  tl_extent dim[TL_MAX_RANK];
  tl_type element = *array.element;
  for (int i = 0; i < element.rank; i++) {
    tl_extent e = element.extents[i];
    dim[i] = e.value || e.fixed >= 0 ? e : (tl_extent){.fixed = 1};
  }
  element.extents = dim;
  return tl_build_broadcast(b, zero, element);
}

tl_value tl_build_alloc_like(tl_builder *b, tl_type type, unsigned flags, const char *name) {
  assert(type.is_array);
  return tl_build_alloc_of(b, type.element ? *type.element : tl_scalar(type.dtype), type.rank, type.extents, flags,
                           name);
}

static tl_op *create_with_indices(tl_builder *b, tl_opcode code, tl_value array, uint32_t count,
                                  const tl_value *indices, tl_value stored) {
  assert(count <= TL_MAX_RANK);
  tl_value operands[TL_MAX_RANK + 2];
  uint32_t n = 0;
  operands[n++] = array;
  for (uint32_t i = 0; i < count; i++) {
    operands[n++] = indices[i];
  }
  if (stored != TL_NO_VALUE) {
    operands[n++] = stored;
  }
  return tl_op_create(b, code, n, operands);
}

tl_value tl_build_index(tl_builder *b, tl_value array, uint32_t count, const tl_value *indices) {
  tl_op *op = create_with_indices(b, TL_OP_index, array, count, indices, TL_NO_VALUE);
  tl_type type = tl_type_of(b->func, array);
  return tl_op_add_result(b->func, op, type.element ? *type.element : tl_scalar(type.dtype), NULL);
}

/* The result is a new version of the array. */
static tl_value version_of(tl_builder *b, tl_op *op, tl_value array) {
  tl_value_info info = *tl_info(b->func, array);
  return tl_op_add_result(b->func, op, info.type, info.name);
}

tl_value tl_build_update(tl_builder *b, tl_value array, uint32_t count, const tl_value *indices, tl_value v) {
  return version_of(b, create_with_indices(b, TL_OP_update, array, count, indices, v), array);
}

tl_value tl_build_fill(tl_builder *b, tl_value array, tl_value v) {
  return version_of(b, tl_op_create(b, TL_OP_fill, 2, (tl_value[]){array, v}), array);
}

tl_value tl_build_clone(tl_builder *b, tl_value array) {
  tl_op *op = tl_op_create(b, TL_OP_clone, 1, &array);
  op->is_ours = true;
  return version_of(b, op, array);
}

tl_value tl_build_accumulate(tl_builder *b, tl_value x, tl_value y) {
  return version_of(b, tl_op_create(b, TL_OP_accumulate, 2, (tl_value[]){x, y}), x);
}

static void add_regions(tl_func *f, tl_op *op) {
  op->region_count = 2;
  op->regions[0] = tl_region_create(f, op);
  op->regions[1] = tl_region_create(f, op);
}

tl_op *tl_build_if(tl_builder *b, tl_value condition) {
  tl_op *op = tl_op_create(b, TL_OP_if, 1, &condition);
  add_regions(b->func, op);
  return op;
}

/* The type of a tensor that is one of two: extents that they do not have in common are not stated. */
static tl_type either_type(tl_func *f, tl_type x, tl_type y) {
  if (!x.is_tensor || x.rank != y.rank || tl_type_equal(x, y)) {
    return x;
  }
  tl_extent *extents = TL_NEW_ARRAY(f->arena, tl_extent, x.rank + 1);
  for (int i = 0; i < x.rank; i++) {
    tl_extent m = x.extents[i], n = y.extents[i];
    extents[i] = m.value == n.value && (m.value || m.fixed == n.fixed) ? m : (tl_extent){.fixed = -1};
  }
  x.extents = extents;
  return x;
}

void tl_build_if_results(tl_builder *b, tl_op *op) {
  const tl_region *yes = op->regions[0], *no = op->regions[1];
  assert(yes->yields.count == no->yields.count && !op->result_count);
  for (uint32_t i = 0; i < yes->yields.count; i++) {
    tl_value_info x = *tl_info(b->func, yes->yields.data[i]), y = *tl_info(b->func, no->yields.data[i]);
    tl_op_add_result(b->func, op, either_type(b->func, x.type, y.type), x.name ? x.name : y.name);
  }
}

tl_op *tl_build_loop(tl_builder *b, tl_value lo, tl_value hi, int64_t step, const char *iv_name, uint32_t carry_count,
                     const tl_value *inits) {
  tl_func *f = b->func;
  tl_op *op = TL_NEW(f->arena, tl_op);
  op->code = TL_OP_loop;
  op->operand_count = carry_count + 2;
  op->operands = TL_NEW_ARRAY(f->arena, tl_value, op->operand_count);
  op->operands[0] = lo;
  op->operands[1] = hi;
  if (carry_count) {
    memcpy(op->operands + 2, inits, sizeof *inits * carry_count);
  }
  op->parent = b->region;
  op->loc = b->loc;
  op->u.step = step;
  TL_PUSH(f->arena, b->region->ops, op);
  add_regions(f, op);
  for (int r = 0; r < 2; r++) {
    tl_region_add_param(f, op->regions[r], tl_scalar(tl_type_of(f, lo).dtype), iv_name);
    for (uint32_t i = 0; i < carry_count; i++) {
      tl_value_info init = *tl_info(f, op->operands[2 + i]);
      tl_region_add_param(f, op->regions[r], init.type, init.name);
    }
  }
  return op;
}

void tl_build_loop_results(tl_builder *b, tl_op *op) {
  tl_func *f = b->func;
  const tl_region *body = tl_loop_body(op);
  assert(body->yields.count == tl_loop_carries(op) && !op->result_count);
  for (uint32_t i = 0; i < tl_loop_carries(op); i++) {
    tl_value_info init = *tl_info(f, tl_loop_init(op, i)), yield = *tl_info(f, body->yields.data[i]);
    tl_op_add_result(f, op, init.type, yield.name ? yield.name : init.name);
  }
  tl_op_add_result(f, op, tl_scalar(TL_I64), NULL);
}

void tl_build_loop_enter(tl_builder *b, tl_op *op, tl_value *carries) {
  b->region = tl_loop_body(op);
  for (uint32_t i = 0; i < tl_loop_carries(op); i++) {
    carries[i] = b->region->params.data[1 + i];
  }
}

void tl_build_loop_leave(tl_builder *b, tl_op *op, tl_value *carries) {
  assert(b->region == tl_loop_body(op));
  for (uint32_t i = 0; i < tl_loop_carries(op); i++) {
    TL_PUSH(b->func->arena, b->region->yields, carries[i]);
  }
  b->region = op->parent;
  tl_build_loop_results(b, op);
  for (uint32_t i = 0; i < tl_loop_carries(op); i++) {
    carries[i] = tl_op_result(op, i);
  }
}

bool tl_is_const_int(const tl_func *f, tl_value v, int64_t *out) {
  const tl_op *op = tl_def(f, v);
  if (!op || op->code != TL_OP_const || tl_dtype_is_float(tl_type_of(f, v).dtype)) {
    return false;
  }
  *out = op->u.integer;
  return true;
}

bool tl_is_const_float(const tl_func *f, tl_value v, long double *out) {
  const tl_op *op = tl_def(f, v);
  if (!op || op->code != TL_OP_const || !tl_dtype_is_float(tl_type_of(f, v).dtype)) {
    return false;
  }
  *out = op->u.floating;
  return true;
}

bool tl_is_plus_zero(const tl_func *f, tl_value v) {
  int64_t i;
  long double x;
  return (tl_is_const_int(f, v, &i) && i == 0) || (tl_is_const_float(f, v, &x) && x == 0 && !signbit(x));
}

static bool same_name(const char *a, const char *b) { return a == b || (a && b && strcmp(a, b) == 0); }

bool tl_type_equal(tl_type a, tl_type b) {
  if (a.dtype != b.dtype || a.is_array != b.is_array || a.is_tensor != b.is_tensor || a.rank != b.rank ||
      !a.element != !b.element || (a.element && !tl_type_equal(*a.element, *b.element))) {
    return false;
  }
  for (int i = 0; i < a.rank; i++) {
    tl_extent x = a.extents[i], y = b.extents[i];
    if (x.value != y.value || (x.value == TL_NO_VALUE && x.fixed != y.fixed)) {
      return false;
    }
    if (!same_name(a.axis_names ? a.axis_names[i] : NULL, b.axis_names ? b.axis_names[i] : NULL)) {
      return false;
    }
  }
  return true;
}

int64_t tl_extents_count(const tl_extent *extents, int rank, int64_t most) {
  int64_t count = 1;
  for (int i = 0; i < rank; i++) {
    int64_t n = extents[i].fixed;
    if (extents[i].value != TL_NO_VALUE || n < 0 || (n && count > most / n)) {
      return -1;
    }
    count *= n;
  }
  return count;
}
