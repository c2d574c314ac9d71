#include "transform/by_value.h"

#include "transform/copy.h"

static bool is_tensor_behind_pointer(const tl_func *f, uint32_t result) {
  const tl_result *r = &f->results.data[result];
  tl_type type = r->role == TL_RESULT_FINAL ? tl_type_of(f, f->params.data[r->param].value) : tl_scalar(TL_F64);
  return type.element && !type.rank;
}

/* What the storage for one tensor holds at the function's end. */
static tl_value content(tl_builder *b, tl_value v) {
  const tl_op *def = tl_def(b->func, v);
  return def && def->code == TL_OP_update && def->operand_count == 2 ? def->operands[1] : tl_build_index(b, v, 0, NULL);
}

tl_func *tl__func_by_value(const tl_func *f, const char *name) {
  tl_value *map;
  tl_func *h = tl__func_begin_like(f, name, &map);
  tl_builder b = {.func = h, .region = h->body, .loc = f->loc};
  tl__func_copy_extents(&b, f, map);
  for (uint32_t i = 0; i < f->results.count; i++) {
    if (!is_tensor_behind_pointer(f, i)) {
      continue;
    }
    uint32_t leaf = f->results.data[i].param;
    tl_value given = map[f->params.data[leaf].value];
    tl_value own = tl_build_alloc_like(&b, tl_type_of(h, given), 0, tl_info(h, given)->name);
    bool is_read = !tl_func_is_output(f, leaf);
    map[f->params.data[leaf].value] =
        is_read ? tl_build_update(&b, own, 0, NULL, tl_build_index(&b, given, 0, NULL)) : own;
  }
  for (uint32_t i = tl__func_extent_ops(f); i < f->body->ops.count; i++) {
    tl_clone_op_from(&b, f, f->body->ops.data[i], map);
  }
  for (uint32_t i = 0; i < f->results.count; i++) {
    tl_result r = f->results.data[i];
    tl_value v = map[f->body->yields.data[i]];
    if (is_tensor_behind_pointer(f, i)) {
      r.role = TL_RESULT_RETURN;
      r.access = "$";
      v = content(&b, v);
    }
    TL_PUSH(h->arena, h->results, r);
    TL_PUSH(h->arena, h->body->yields, v);
  }
  return h;
}
