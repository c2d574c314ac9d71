#include "transform/storage.h"

tl_value tl__storage_root(const tl_func *f, tl_value v) {
  for (;;) {
    const tl_value_info *info = tl_info(f, v);
    const tl_op *o = info->op;
    if (!o) {
      if (!info->region->parent) {
        return v;
      }
      v = tl_loop_init(info->region->parent, info->index - 1);
    } else if (tl_op_stores(o)) {
      v = o->operands[0];
    } else if (o->code == TL_OP_loop) {
      v = tl_loop_init(o, info->index);
    } else if (o->code == TL_OP_if) {
      v = o->regions[0]->yields.data[info->index];
    } else {
      return v;
    }
  }
}

tl_value tl__storage_of_result(const tl_func *f, const tl_op *call, uint32_t result) {
  const tl_result *r = &tl_module_find(f->module, call->callee)->results.data[result];
  return r->role == TL_RESULT_FINAL ? call->operands[r->param] : TL_NO_VALUE;
}

unsigned tl__storage_flags_beside(const tl_func *f, tl_value v) {
  const tl_op *o = tl_def(f, tl__storage_root(f, v));
  return o && o->code == TL_OP_alloc ? o->u.flags & (TL_ALLOC_TAPE | TL_ALLOC_GROW) : 0;
}
