#include "transform/copy.h"

#include <string.h>

/* Types with extents are copied together with their extents, which stay writable until the map is complete: every
 * version of a parameter shares them. */
static tl_value *copy_params(tl_func *to, const tl_func *f) {
  tl_value *map = TL_NEW_ARRAY(to->arena, tl_value, f->values.count);
  for (uint32_t i = 0; i < f->body->params.count; i++) {
    tl_value old = f->body->params.data[i];
    tl_type type = tl_type_of(f, old);
    if (type.rank) {
      tl_extent *extents = TL_NEW_ARRAY(to->arena, tl_extent, type.rank);
      memcpy(extents, type.extents, sizeof *extents * (size_t)type.rank);
      type.extents = extents;
    }
    type.element = type.element ? tl__type_copy(to, tl_type_abroad(to, *type.element)) : NULL;
    map[old] = tl_region_add_param(to, to->body, type, f->values.data[old].name);
  }
  return map;
}

tl_func *tl__func_begin_like(const tl_func *f, const char *name, tl_value **out_map) {
  tl_func *h = tl_func_create(f->module, name);
  h->return_declarator = f->return_declarator;
  h->loc = f->loc;
  h->reads_signs = f->reads_signs;
  h->lost_rule = f->lost_rule;
  for (uint32_t i = 0; i < f->cparams.count; i++) {
    TL_PUSH(h->arena, h->cparams, f->cparams.data[i]);
  }
  tl_value *map = copy_params(h, f);
  for (uint32_t i = 0; i < f->params.count; i++) {
    tl_param leaf = f->params.data[i];
    leaf.value = map[leaf.value];
    leaf.origin = TL_ORIGIN_PRIMAL;
    leaf.origin_index = i;
    TL_PUSH(h->arena, h->params, leaf);
  }
  *out_map = map;
  return h;
}

uint32_t tl__func_extent_ops(const tl_func *f) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < f->body->params.count; i++) {
    tl_type type = tl_type_of(f, f->body->params.data[i]);
    for (int k = 0; k < type.rank; k++) {
      const tl_op *def = type.extents[k].value ? tl_def(f, type.extents[k].value) : NULL;
      for (uint32_t at = count; def && at < f->body->ops.count; at++) {
        if (f->body->ops.data[at] == def) {
          count = at + 1;
        }
      }
    }
  }
  return count;
}

void tl__func_map_param_extents(tl_func *to, const tl_func *f, const tl_value *map) {
  for (uint32_t i = 0; i < f->body->params.count; i++) {
    tl_type from = tl_type_of(f, f->body->params.data[i]), type = tl_type_of(to, to->body->params.data[i]);
    tl_extent *extents = (tl_extent *)type.extents;
    for (int k = 0; k < type.rank; k++) {
      extents[k].value = from.extents[k].value ? map[from.extents[k].value] : TL_NO_VALUE;
    }
  }
}

void tl__func_copy_extents(tl_builder *b, const tl_func *f, tl_value *map) {
  uint32_t count = tl__func_extent_ops(f);
  for (uint32_t i = 0; i < count; i++) {
    tl_clone_op_from(b, f, f->body->ops.data[i], map);
  }
  tl__func_map_param_extents(b->func, f, map);
}

tl_func *tl__func_copy(const tl_func *f, const char *name) {
  tl_value *map;
  tl_func *copy = tl__func_begin_like(f, name, &map);
  tl_builder b = {.func = copy, .region = copy->body};
  tl_clone_ops_from(&b, f, f->body, map);
  tl__func_map_param_extents(copy, f, map);
  for (uint32_t i = 0; i < f->results.count; i++) {
    TL_PUSH(copy->arena, copy->results, f->results.data[i]);
    TL_PUSH(copy->arena, copy->body->yields, map[f->body->yields.data[i]]);
  }
  return copy;
}
