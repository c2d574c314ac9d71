#include <assert.h>

#include "ir/ir.h"

typedef struct copier {
  tl_builder *b;
  const tl_func *source;
  tl_value *map;
} copier;

static tl_value mapped(const copier *c, tl_value v) {
  if (v == TL_NO_VALUE || c->map[v] != TL_NO_VALUE) {
    return v == TL_NO_VALUE ? v : c->map[v];
  }
  assert(c->source == c->b->func && "a value of another function has to be in the map");
  return v;
}

/* The type in the new function: extents are mapped; the record is shared where nothing changes. */
static tl_type mapped_type(const copier *c, tl_type t) {
  if (t.element) {
    tl_type *element = TL_NEW(c->b->func->arena, tl_type);
    *element = mapped_type(c, *t.element);
    t.element = element;
  }
  bool same = true;
  for (int i = 0; i < t.rank; i++) {
    same &= mapped(c, t.extents[i].value) == t.extents[i].value;
  }
  if (same) {
    return t;
  }
  tl_extent *extents = TL_NEW_ARRAY(c->b->func->arena, tl_extent, t.rank);
  for (int i = 0; i < t.rank; i++) {
    extents[i] = (tl_extent){t.extents[i].fixed, mapped(c, t.extents[i].value)};
  }
  t.extents = extents;
  return t;
}

static tl_op *copy_op(const copier *c, tl_region *into, const tl_op *from);

static void copy_ops(const copier *c, tl_region *into, const tl_region *from) {
  uint32_t count = from->ops.count; /* `into` may be `from` */
  for (uint32_t i = 0; i < count; i++) {
    copy_op(c, into, from->ops.data[i]);
  }
}

static tl_region *copy_region(const copier *c, tl_op *parent, const tl_region *from) {
  tl_func *f = c->b->func;
  tl_region *r = tl_region_create(f, parent);
  for (uint32_t i = 0; i < from->params.count; i++) {
    tl_value old = from->params.data[i];
    tl_value_info info = *tl_info(c->source, old);
    c->map[old] = tl_region_add_param(f, r, mapped_type(c, info.type), info.name);
  }
  copy_ops(c, r, from);
  for (uint32_t i = 0; i < from->yields.count; i++) {
    TL_PUSH(f->arena, r->yields, mapped(c, from->yields.data[i]));
  }
  return r;
}

static tl_op *copy_op(const copier *c, tl_region *into, const tl_op *from) {
  tl_func *f = c->b->func;
  tl_op *op = TL_NEW(f->arena, tl_op);
  *op = *from;
  f->reads_signs |= tl_op_reads_signs(op->code);
  op->parent = into;
  op->result_count = 0;
  op->first_result = TL_NO_VALUE;
  op->operands = from->operand_count ? TL_NEW_ARRAY(f->arena, tl_value, from->operand_count) : NULL;
  for (uint32_t i = 0; i < from->operand_count; i++) {
    op->operands[i] = mapped(c, from->operands[i]);
  }
  TL_PUSH(f->arena, into->ops, op);
  for (uint32_t i = 0; i < from->region_count; i++) {
    op->regions[i] = copy_region(c, op, from->regions[i]);
  }
  for (uint32_t i = 0; i < from->result_count; i++) {
    tl_value old = tl_op_result(from, i);
    tl_value_info info = *tl_info(c->source, old);
    c->map[old] = tl_op_add_result(f, op, mapped_type(c, info.type), info.name);
  }
  return op;
}

void tl_clone_ops_from(tl_builder *b, const tl_func *source, const tl_region *from, tl_value *map) {
  copy_ops(&(copier){b, source, map}, b->region, from);
}

tl_op *tl_clone_op_from(tl_builder *b, const tl_func *source, const tl_op *from, tl_value *map) {
  return copy_op(&(copier){b, source, map}, b->region, from);
}

void tl_clone_ops(tl_builder *b, const tl_region *from, tl_value *map) { tl_clone_ops_from(b, b->func, from, map); }
