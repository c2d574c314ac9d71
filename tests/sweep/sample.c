#include "sample.h"

#include <string.h>

bool sweep_sample_open(sweep_subject *s, const sweep_sample *sample) {
  sweep_subject_init(s, sample->name, strlen(sample->text));
  if (!sweep_subject_read(s, sample->text)) {
    return false;
  }
  const tl_region *body = s->f->body;
  memcpy(s->domains, sample->domains, sizeof sample->domains);
  for (uint32_t i = 0; i < body->params.count; i++) {
    tl_type t = tl_type_of(s->f, body->params.data[i]);
    tl_shape shape = {.rank = t.rank};
    for (int k = 0; k < t.rank; k++) {
      shape.dim[k] = t.extents[k].fixed;
    }
    sweep_values_add(&s->args, sweep_value_draw(s, t.dtype, shape, !t.is_tensor, s->domains[i]));
  }
  return true;
}

bool sweep_is_composed(tl_opcode code, const sweep_sample *sample) {
  return tl_op_table[code].on_tensors && !sample->reason;
}

bool sweep_compose(sweep_subject *s) {
  tl_func *f = s->f, *h = tl_func_create(s->module, "composed");
  tl_builder b = {.func = h, .region = h->body};
  tl_value *map = TL_NEW_ARRAY(&s->arena, tl_value, f->values.count);
  for (uint32_t i = 0; i < f->body->params.count; i++) {
    tl_value p = f->body->params.data[i];
    const char *name = f->cparams.data[i].name;
    map[p] = tl_region_add_param(h, h->body, tl_type_of(f, p), name);
    TL_PUSH(h->arena, h->cparams, f->cparams.data[i]);
    TL_PUSH(h->arena, h->params, (tl_param){.value = map[p], .cparam = i, .access = "$"});
  }
  for (uint32_t i = 0; i < f->body->params.count; i++) {
    tl_value p = f->body->params.data[i];
    map[p] = sweep_is_float(f, p) ? tl_build_unary(&b, TL_OP_sin, map[p]) : map[p];
  }
  tl_clone_ops_from(&b, f, f->body, map);
  for (uint32_t i = 0; i < f->body->yields.count; i++) {
    tl_value y = map[f->body->yields.data[i]];
    y = sweep_is_float(h, y) ? tl_build_binary(&b, TL_OP_mul, y, y) : y;
    TL_PUSH(h->arena, h->body->yields, y);
    TL_PUSH(h->arena, h->results, f->results.data[i]);
  }
  h->return_declarator = f->return_declarator;
  s->f = h;
  return tl_func_verify(h) == TL_OK || sweep_fail(s, h, "what is composed is not valid");
}
