#include "transform/frame.h"

#include "transform/copy.h"
#include "transform/transform.h"

void tl__frame_begin(tl_frame *m, tl_derive_ctx *d) {
  tl_func *f = d->f;
  m->f = f;
  m->h = tl__func_begin_like(f, d->spec->name, &m->map);
  m->b = (tl_builder){.func = m->h, .region = m->h->body, .loc = f->loc, .peephole = tl__simplify_peephole};
  tl__func_copy_extents(&m->b, f, m->map);
  m->initial = TL_NEW_ARRAY(d->arena, tl_value, f->params.count);
  for (uint32_t i = 0; i < f->params.count; i++) {
    m->initial[i] = m->map[f->params.data[i].value];
  }
  for (uint32_t i = 0; i < f->results.count; i++) {
    if (f->results.data[i].role == TL_RESULT_FINAL) {
      uint32_t leaf = f->results.data[i].param;
      m->initial[leaf] =
          tl_func_is_output(f, leaf) ? TL_NO_VALUE : tl_build_clone(&m->b, m->map[f->params.data[leaf].value]);
    }
  }
}

void tl__frame_forget(tl_frame *m, const tl_func *g) {
  tl_module *module = m->f->module;
  uint32_t kept = 0;
  for (uint32_t i = 0; i < module->funcs.count; i++) {
    if (module->funcs.data[i] != g) {
      module->funcs.data[kept++] = module->funcs.data[i];
    }
  }
  module->funcs.count = kept;
}

tl_value tl__frame_scratch(tl_frame *m, tl_value array, unsigned flags, const char *suffix) {
  tl_type type = tl_type_of(m->h, array);
  const char *name = tl_info(m->h, array)->name;
  return tl_build_alloc_like(&m->b, type, flags,
                        tl_arena_printf(m->h->arena, "%s%s", name ? name : "work", suffix));
}

tl_value tl__frame_unit(tl_frame *m, tl_value like, const tl_value *at, const char *suffix) {
  tl_type type = tl_type_of(m->h, like);
  tl_value zero = tl__frame_scratch(m, like, TL_ALLOC_ZEROED, suffix);
  return tl_build_update(&m->b, zero, (uint32_t)type.rank, at, tl_build_float(&m->b, type.dtype, 1, NULL));
}

void tl__frame_pass_leaves(tl_frame *m, const tl_func *g, tl_value *map) {
  for (uint32_t i = 0; i < m->f->params.count; i++) {
    tl_value v = m->map[m->f->params.data[i].value];
    tl_value argument = v;
    if (!m->initial[i]) {
      argument = tl__frame_scratch(m, v, 0, "");
    } else if (m->initial[i] != v) {
      argument = tl_build_clone(&m->b, m->initial[i]);
    }
    map[g->body->params.data[i]] = argument;
  }
}
