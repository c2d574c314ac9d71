/* Calls of generated functions: what is passed on to the primal is of the types that its parameters state, with the
 * batch's axis in front where tl_vmap batches it, and a derivative is of the type of what it is by. */
#include <string.h>

#include "front/check_priv.h"

typedef struct parameter {
  const char *name;
  const tl_ctype *type;
  const tl_tensor_type *stated;
  const tl_decl *decl; /* of the primal; NULL: a result */
} parameter;

/* What is known of a generated function: its first parameters, and whether these are all. */
typedef struct signature {
  TL_VEC(parameter) params;
  bool has_all;
  const tl_ctype *returned; /* NULL: nothing */
  const tl_tensor_type *result;
} signature;

static signature signature_of(tl__check *c, const tl_function *primal) {
  signature s = {.has_all = true, .returned = primal->type->target, .result = primal->stated};
  for (uint32_t i = 0; i < primal->params.count; i++) {
    const tl_decl *d = primal->params.data[i];
    TL_PUSH(&c->arena, s.params, (parameter){d->name, d->type, tl__stated(d->stated, d->type), d});
  }
  return s;
}

/* The parameters that a step names or, where it names none, that are floating; false where that is not known. */
static bool find_wrt(const signature *s, const tl_request_step *step, uint32_t first, uint32_t *out,
                     uint32_t *out_count) {
  *out_count = 0;
  for (uint32_t i = first; i < step->wrt.count; i++) {
    uint32_t k = 0;
    while (k < s->params.count && strcmp(s->params.data[k].name, step->wrt.data[i]) != 0) {
      k++;
    }
    if (k == s->params.count) {
      return false;
    }
    out[(*out_count)++] = k;
  }
  for (uint32_t k = 0; step->wrt.count == first && k < s->params.count; k++) {
    const parameter *p = &s->params.data[k];
    bool is_tensor = tl_ctype_is_tensor(p->type);
    if (p->type->kind != TL_CT_SCALAR || (is_tensor && !p->stated)) {
      return false;
    }
    if (tl_dtype_is_float(is_tensor ? p->stated->dtype : p->type->dtype)) {
      out[(*out_count)++] = k;
    }
  }
  return true;
}

/* Where a parameter is an object that may be written to, its seeds and results are in between. */
static bool has_objects(const signature *s) {
  for (uint32_t i = 0; i < s->params.count; i++) {
    if (!s->params.data[i].decl || s->params.data[i].type->kind != TL_CT_SCALAR) {
      return true;
    }
  }
  return false;
}

static const tl_ctype *pointer_to(tl__check *c, const tl_ctype *target) {
  tl_ctype *t = TL_NEW(&c->arena, tl_ctype);
  *t = (tl_ctype){.kind = TL_CT_POINTER, .target = (tl_ctype *)target};
  return t;
}

/* Cotangents of the wrt: the result, where there is one and nothing else is returned, or else behind the parameters. */
static void add_gradients(tl__check *c, signature *s, const tl_request_step *step, uint32_t *wrt) {
  bool with_value = step->intrinsic == TL_INTRINSIC_VALUE_AND_GRAD;
  uint32_t count;
  if (has_objects(s) || !find_wrt(s, step, 0, wrt, &count)) {
    s->has_all = false;
    s->result = with_value ? s->result : NULL;
    return;
  }
  if (!with_value && count == 1) {
    s->returned = s->params.data[wrt[0]].type;
    s->result = s->params.data[wrt[0]].stated;
    return;
  }
  s->returned = with_value ? s->returned : NULL;
  for (uint32_t i = 0; i < count; i++) {
    parameter p = s->params.data[wrt[i]];
    TL_PUSH(&c->arena, s->params,
            (parameter){tl_arena_printf(&c->arena, "%s_bar", p.name), pointer_to(c, p.type), p.stated, NULL});
  }
}

static const tl_tensor_type *with_axis(tl__check *c, const tl_tensor_type *t, uint32_t name) {
  if (!t || t->rank == TL_MAX_RANK) {
    return NULL;
  }
  tl_tensor_type *out = TL_NEW(&c->arena, tl_tensor_type);
  *out = (tl_tensor_type){.dtype = t->dtype, .rank = t->rank + 1};
  for (int i = 0; i < t->rank; i++) {
    out->dim[i + 1] = t->dim[i];
    out->axis[i + 1] = t->axis[i];
    out->bound[i + 1] = t->bound[i];
  }
  out->dim[0] = (tl_extent){.value = TL_STATED_FIRST + name};
  out->axis[0] = c->unit->stated_names.data[name].name;
  return out;
}

/* False: not a batch of tensors along an axis by a name. */
static bool add_batch(tl__check *c, signature *s, const tl_request_step *step, uint32_t *wrt) {
  uint32_t name = 0, count;
  while (step->wrt.count && name < c->unit->stated_names.count &&
         strcmp(c->unit->stated_names.data[name].name, step->wrt.data[0]) != 0) {
    name++;
  }
  if (!step->wrt.count || name == c->unit->stated_names.count || !s->has_all || !find_wrt(s, step, 1, wrt, &count)) {
    return false;
  }
  for (uint32_t i = 0; i < count; i++) {
    parameter *p = &s->params.data[wrt[i]];
    p->stated = with_axis(c, p->stated, name);
  }
  for (uint32_t i = 0; i < s->params.count; i++) {
    parameter *p = &s->params.data[i];
    p->stated = p->decl ? p->stated : with_axis(c, p->stated, name);
  }
  s->result = with_axis(c, s->result, name);
  return true;
}

/* False where nothing is known of the generated function. */
static bool generated(tl__check *c, const tl_request *r, signature *out) {
  if (!r->primal) {
    return false;
  }
  *out = signature_of(c, r->primal);
  for (uint32_t i = 0; i < r->steps.count; i++) {
    const tl_request_step *step = &r->steps.data[i];
    uint32_t *wrt = TL_NEW_ARRAY(&c->arena, uint32_t, step->wrt.count + out->params.count + 1);
    switch (step->intrinsic) {
    case TL_INTRINSIC_GRAD:
    case TL_INTRINSIC_VALUE_AND_GRAD:
      add_gradients(c, out, step, wrt);
      break;
    case TL_INTRINSIC_VMAP:
      if (!add_batch(c, out, step, wrt)) {
        return false;
      }
      break;
    default:
      out->has_all = false;
      out->result = NULL;
    }
  }
  return true;
}

/* "tl_vmap(tl_grad(f, w), Example, x)" */
static const char *as_written(tl__check *c, const tl_request *r) {
  const char *text = r->primal_name;
  for (uint32_t i = 0; i < r->steps.count; i++) {
    text = tl_arena_printf(&c->arena, "tl_%s(%s", tl_intrinsic_name(r->steps.data[i].intrinsic), text);
    for (uint32_t k = 0; k < r->steps.data[i].wrt.count; k++) {
      text = tl_arena_printf(&c->arena, "%s, %s", text, r->steps.data[i].wrt.data[k]);
    }
    text = tl_arena_printf(&c->arena, "%s)", text);
  }
  return text;
}

const tl__type *tl__check_intrinsic(tl__check *c, const tl_expr *e) {
  const tl_request *r = NULL;
  for (uint32_t i = 0; i < c->request_count && !r; i++) {
    r = strcmp(c->requests[i].name, e->name) == 0 ? &c->requests[i] : NULL;
  }
  signature s = {.has_all = false};
  bool is_known = r && generated(c, r, &s);
  tl__bindings all = {0};
  for (uint32_t i = 0; i < e->args.count; i++) {
    const parameter *p = is_known && i < s.params.count ? &s.params.data[i] : NULL;
    tl__slot slot = {p ? p->stated : NULL,
                     p ? tl_arena_printf(&c->arena, "'%s' of '%s'", p->name, as_written(c, r)) : "a parameter",
                     p && p->decl && r->primal->body ? p->decl : NULL, true};
    tl__check_argument(c, &all, &slot, p ? p->type : NULL, e->args.data[i]);
  }
  return is_known && s.result && s.returned && tl_ctype_is_tensor(s.returned) ? tl__check_result(c, s.result, &all)
                                                                              : &tl__unknown;
}
