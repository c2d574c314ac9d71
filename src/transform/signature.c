#include "transform/signature.h"

#include <assert.h>
#include <string.h>

static bool is_taken(const tl_func *h, const char *name) {
  for (uint32_t i = 0; i < h->cparams.count; i++) {
    if (!strcmp(h->cparams.data[i].name, name)) {
      return true;
    }
  }
  return false;
}

const char *tl__signer_name(tl_signer *s, const char *base, const char *suffix) {
  const char *name = tl_arena_printf(s->h->arena, "%s%s", base, suffix);
  for (int n = 2; is_taken(s->h, name); n++) {
    name = tl_arena_printf(s->h->arena, "%s%s_%d", base, suffix, n);
  }
  return name;
}

const char *tl__declarator_type(tl_arena *arena, const char *declarator) {
  size_t length = strcspn(declarator, "@");
  while (length && declarator[length - 1] == ' ') {
    length--;
  }
  return tl_arena_strndup(arena, declarator, length);
}

static const char *pointer_declarator(tl_arena *arena, const char *declarator) {
  const char *at = strchr(declarator, '@');
  assert(at);
  return tl_arena_printf(arena, "%.*s*%s", (int)(at - declarator), declarator, at);
}

uint32_t tl__signer_add(tl_signer *s, const char *name, const char *declarator, tl_role role) {
  tl_cparam c = {.name = name, .declarator = declarator, .bare = declarator, .role = role};
  c.loc = s->f->loc;
  TL_PUSH(s->h->arena, s->h->cparams, c);
  return s->h->cparams.count - 1;
}

uint32_t tl__signer_add_like(tl_signer *s, uint32_t like, const char *suffix, tl_role role, bool as_result) {
  tl_cparam c = s->f->cparams.data[like];
  c.name = tl__signer_name(s, c.name, suffix);
  if (c.by_value && as_result) {
    c.bare = pointer_declarator(s->h->arena, c.bare);
    c.by_value = false;
  }
  c.declarator = c.bare;
  c.role = role;
  c.differentiable = role != TL_ROLE_OUTPUT;
  TL_PUSH(s->h->arena, s->h->cparams, c);
  return s->h->cparams.count - 1;
}

uint32_t tl__signer_add_for_return(tl_signer *s, const char *suffix, bool as_result) {
  tl_cparam c = {.name = tl__signer_name(s, s->f->name, suffix), .loc = s->f->loc};
  c.bare = tl_arena_printf(s->h->arena, "%s %s@", s->f->return_declarator, as_result ? "*" : "");
  c.declarator = c.bare;
  c.role = as_result ? TL_ROLE_OUTPUT : TL_ROLE_INPUT;
  c.by_value = !as_result;
  c.differentiable = !as_result;
  c.is_struct = s->f->results.count > 0 && strcmp(s->f->results.data[0].access, "$") != 0;
  TL_PUSH(s->h->arena, s->h->cparams, c);
  return s->h->cparams.count - 1;
}

/* The primal's leaf that a leaf is the tangent or cotangent of. */
static const tl_param *like_of(const tl_func *f, tl_origin origin, uint32_t index) {
  switch (origin) {
  case TL_ORIGIN_PRIMAL:
  case TL_ORIGIN_DOT:
  case TL_ORIGIN_BAR:
    return &f->params.data[index];
  case TL_ORIGIN_SEED:
    return f->results.data[index].role == TL_RESULT_FINAL ? &f->params.data[f->results.data[index].param] : NULL;
  case TL_ORIGIN_CELL:
  case TL_ORIGIN_ZERO:
  case TL_ORIGIN_ZERO_DOT:
  case TL_ORIGIN_SCRATCH:
    break;
  }
  return NULL;
}

void tl__signer_add_leaf(tl_signer *s, tl_value v, uint32_t cparam, const char *access, bool is_memory,
                         tl_origin origin, uint32_t origin_index) {
  const tl_param *like = like_of(s->f, origin, origin_index);
  TL_PUSH(s->h->arena, s->h->params,
          (tl_param){.value = v,
                     .cparam = cparam,
                     .access = access,
                     .is_memory = is_memory,
                     .origin = origin,
                     .origin_index = origin_index});
  if (like) {
    tl__signer_lies_like(s, like);
  }
}

void tl__signer_lies_like(tl_signer *s, const tl_param *like) {
  tl_param *p = &s->h->params.data[s->h->params.count - 1];
  p->by_members = like->by_members;
  p->axes_before = like->axes_before;
  p->is_const = like->is_const;
  p->behind_const = like->behind_const;
}

const char *tl__access_member(const char *access, int *out_length) {
  const char *member = access + strspn(access, "(*$[#]->.)");
  *out_length = (int)strcspn(member, "[)");
  return member;
}

const char *tl__signer_by_pointer(tl_signer *s, const char *access) {
  return access[1] ? tl_arena_printf(s->h->arena, "$->%s", access + 2) : "(*$)";
}

/* What is returned stands ahead of outputs, as in every function. */
static void promise(tl_signer *s, tl_result r, tl_promise p) {
  r.is_derived = p.kind == TL_PROMISE_DERIVED;
  r.origin_index = p.index;
  TL_PUSH(s->h->arena, s->h->results, r);
  TL_PUSH(s->arena, s->promises, p);
  uint32_t at = s->promises.count - 1;
  for (; r.role == TL_RESULT_RETURN && at && s->h->results.data[at - 1].role == TL_RESULT_FINAL; at--) {
    s->h->results.data[at] = s->h->results.data[at - 1];
    s->promises.data[at] = s->promises.data[at - 1];
  }
  s->h->results.data[at] = r;
  s->promises.data[at] = p;
}

void tl__signer_final(tl_signer *s, tl_value param, tl_promise_kind kind, uint32_t index) {
  /* `param` names the body parameter until tl__signer_finish knows its position among the leaves. */
  promise(s, (tl_result){.role = TL_RESULT_FINAL, .param = param}, (tl_promise){kind, index, TL_NO_VALUE});
}

void tl__signer_return(tl_signer *s, const char *access, tl_promise_kind kind, uint32_t index) {
  promise(s, (tl_result){.role = TL_RESULT_RETURN, .access = access}, (tl_promise){kind, index, TL_NO_VALUE});
}

void tl__signer_cell(tl_signer *s, uint32_t cparam, const char *access, tl_type type, tl_promise_kind kind,
                     uint32_t index) {
  if (type.is_tensor) { /* storage for one, whose extents the primal's result has */
    type = (tl_type){.dtype = type.dtype, .element = tl__type_copy(s->h, tl_type_abroad(s->h, type))};
  }
  type.is_array = true;
  tl_value param = tl_region_add_param(s->h, s->h->body, type, s->h->cparams.data[cparam].name);
  tl__signer_add_leaf(s, param, cparam, access, true, TL_ORIGIN_CELL, index);
  bool is_copy = kind != TL_PROMISE_DERIVED;
  promise(s, (tl_result){.role = TL_RESULT_FINAL, .param = param, .is_ignored = is_copy},
          (tl_promise){kind, index, param});
}

void tl__signer_copy_inactive(tl_signer *s, uint32_t like, uint32_t cparam, const bool *untouched, bool final) {
  for (uint32_t i = 0; i < s->f->params.count; i++) {
    tl_param leaf = s->f->params.data[i];
    tl_type type = tl_type_of(s->f, leaf.value);
    if (leaf.cparam != like || tl_dtype_is_float(type.dtype) || (untouched && untouched[i])) {
      continue;
    }
    const char *access = s->f->cparams.data[like].by_value ? tl__signer_by_pointer(s, leaf.access) : leaf.access;
    uint32_t result = final ? tl_func_final(s->f, i) : TL_NO_RESULT;
    bool stays = result == TL_NO_RESULT;
    tl__signer_cell(s, cparam, access, tl_type_of(s->h, s->h->params.data[i].value),
                    stays ? TL_PROMISE_ARGUMENT : TL_PROMISE_PRIMAL, stays ? i : result);
    tl__signer_lies_like(s, &leaf);
    tl_param *cell = &s->h->params.data[s->h->params.count - 1];
    cell->origin = TL_ORIGIN_SCRATCH;
    cell->origin_index = i;
  }
}

/* The content of v in `storage`, whose type says whether that is one element or an array. */
static tl_value store(tl_builder *b, tl_value storage, tl_value v) {
  tl_type type = tl_type_of(b->func, storage), from = tl_type_of(b->func, v);
  if (type.rank == 0) {
    return tl_build_update(b, storage, 0, NULL, from.is_array ? tl_build_index(b, v, 0, NULL) : v);
  }
  return tl_build_accumulate(b, tl_build_fill(b, storage, tl_build_zero(b, type.dtype)), v);
}

void tl__signer_yield(tl_signer *s, tl_builder *b, const tl_value *primal, const tl_value *derived) {
  for (uint32_t i = 0; i < s->promises.count; i++) {
    tl_promise p = s->promises.data[i];
    tl_value v = TL_NO_VALUE;
    switch (p.kind) {
    case TL_PROMISE_PRIMAL:
      v = primal[p.index];
      break;
    case TL_PROMISE_DERIVED:
      v = derived[p.index];
      break;
    case TL_PROMISE_ARGUMENT:
      v = s->h->params.data[p.index].value;
      break;
    }
    TL_PUSH(s->h->arena, s->h->body->yields, p.storage ? store(b, p.storage, v) : v);
  }
}

void tl__signer_finish(tl_signer *s) {
  tl_func *h = s->h;
  uint32_t count = h->params.count;
  assert(count == h->body->params.count && "every body parameter is a leaf");
  tl_param *sorted = TL_NEW_ARRAY(h->arena, tl_param, count);
  for (uint32_t i = 0; i < count; i++) {
    sorted[tl_info(h, h->params.data[i].value)->index] = h->params.data[i];
  }
  memcpy(h->params.data, sorted, sizeof *sorted * count);
  for (uint32_t i = 0; i < h->results.count; i++) {
    if (h->results.data[i].role == TL_RESULT_FINAL) {
      h->results.data[i].param = tl_info(h, h->results.data[i].param)->index;
    }
  }
}

static const char *leaf_text(const tl_func *h, tl_value v) {
  for (uint32_t i = 0; i < h->params.count; i++) {
    const tl_param *p = &h->params.data[i];
    if (p->value == v && !strchr(p->access, '#')) {
      const char *dollar = strchr(p->access, '$');
      return tl_arena_printf(h->arena, "%.*s%s%s", (int)(dollar - p->access), p->access,
                             h->cparams.data[p->cparam].name, dollar + 1);
    }
  }
  return NULL;
}

static const char *extent_text(const tl_func *h, tl_value v) {
  const tl_op *o = tl_def(h, v);
  int64_t n;
  if (tl_is_const_int(h, v, &n)) {
    return tl_arena_printf(h->arena, "%lld", (long long)n);
  }
  if (!o) {
    return leaf_text(h, v);
  }
  if (o->code == TL_OP_cvt) {
    return extent_text(h, o->operands[0]);
  }
  if (o->code == TL_OP_index && o->operand_count == 1) {
    return leaf_text(h, o->operands[0]);
  }
  const char *sign = o->code == TL_OP_add   ? "+"
                     : o->code == TL_OP_sub ? "-"
                     : o->code == TL_OP_mul ? "*"
                     : o->code == TL_OP_div ? "/"
                                            : NULL;
  const char *x = sign ? extent_text(h, o->operands[0]) : NULL, *y = sign ? extent_text(h, o->operands[1]) : NULL;
  return x && y ? tl_arena_printf(h->arena, "(%s %s %s)", x, sign, y) : NULL;
}

const char *tl__signer_extent_text(const tl_func *h, tl_value v) {
  const char *text = extent_text(h, v);
  return text && *text == '(' ? tl_arena_strndup(h->arena, text + 1, strlen(text) - 2) : text;
}
