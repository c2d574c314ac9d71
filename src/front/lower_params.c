#include <assert.h>
#include <string.h>

#include "base/ctext.h"
#include "front/lower_priv.h"

/* ---- which parameters are arrays ---- */

/* What tl__lower_scan_indexed does not see shows while lowering, which then starts anew. */
void tl__lower_params_indexed(tl_lower *l, tl_object *o) {
  l->notes.data[o->note].indexed = true;
  tl__lower_restart(l);
}

/* ---- extents that callees state ---- */

static tl_value same_param(tl_lower *l, const void *ctx, tl_value v) {
  const tl_func *old = ctx;
  for (uint32_t i = 0; i < old->params.count; i++) {
    const tl_param *p = &old->params.data[i];
    for (uint32_t k = 0; p->value == v && k < l->func->params.count; k++) {
      const tl_param *q = &l->func->params.data[k];
      if (q->cparam == p->cparam && !strcmp(q->access, p->access)) {
        return q->value;
      }
    }
  }
  return TL_NO_VALUE;
}

tl_value tl__lower_recompute(tl_lower *l, const tl_func *old, tl_value v) {
  return tl__lower_again(l, old, v, same_param, old);
}

/* Whether recompute will succeed, without building anything. */
bool tl__lower_depends_on_params(const tl_func *f, tl_value v) {
  const tl_value_info *info = tl_info(f, v);
  if (!info->op) {
    return info->region == f->body;
  }
  if (info->op->code == TL_OP_const) {
    return true;
  }
  if ((!tl_op_table[info->op->code].elementwise && info->op->code != TL_OP_index) ||
      tl_dtype_is_float(info->type.dtype)) {
    return false;
  }
  for (uint32_t i = 0; i < info->op->operand_count; i++) {
    if (!tl__lower_depends_on_params(f, info->op->operands[i])) {
      return false;
    }
  }
  return true;
}

void tl__lower_params_adopt(tl_lower *l, const tl_pointer *p, tl_value extent) {
  for (uint32_t i = 0; i < p->count; i++) {
    const tl_target *t = &p->targets[i];
    int64_t at;
    if (t->kind != TL_TARGET_OBJECT || t->object->kind != TL_OBJECT_MEMORY || t->index_count > 1 ||
        t->leaf_count != t->object->leaf_count || (!t->object->flex && tl__target_used(t) > 0)) {
      continue; /* a member's extent says nothing of how many objects there are */
    }
    tl_memory_note *note = &l->notes.data[t->object->note];
    if (!t->object->flex) {
      int64_t one;
      if (!(tl_is_const_int(l->func, extent, &one) && one == 1)) {
        note->indexed = true;
      }
      if (note->indexed && tl__lower_depends_on_params(l->func, extent)) {
        note->extent = extent;
        note->extent_func = l->func;
      }
      l->adopted = l->adopted || note->indexed;
      continue;
    }
    tl_extent now = t->object->leaves[0].extents[0];
    if (now.value != TL_NO_VALUE || now.fixed >= 0 || !tl_is_const_int(l->func, t->index[0], &at) || at != 0 ||
        note->extent != TL_NO_VALUE || !tl__lower_depends_on_params(l->func, extent)) {
      continue;
    }
    note->extent = extent;
    note->extent_func = l->func;
    l->adopted = true;
  }
}

/* ---- making the parameters ---- */

static void add_param(tl_lower *l, tl_object *o, tl_leaf *leaf) {
  if (leaf->is_pointer || leaf->is_opaque) {
    return;
  }
  tl_type type =
      leaf->is_array ? tl_array_type(l->func, leaf->dtype, (int)leaf->rank, leaf->extents) : tl_scalar(leaf->dtype);
  if (leaf->type->is_tensor) {
    tl_type stated = tl__lower_stated_type(l, l->top->params.data[o->cparam], leaf);
    type.dtype = stated.dtype;
    type.element = leaf->is_array ? tl__type_copy(l->func, stated) : NULL;
    type = leaf->is_array ? type : stated;
  }
  tl_value v = tl_region_add_param(l->func, l->func->body, type, leaf->name);
  TL_PUSH(l->func->arena, l->func->params,
          (tl_param){.value = v,
                     .cparam = o->cparam,
                     .access = leaf->access,
                     .is_memory = leaf->is_array,
                     .by_members = o->by_members,
                     .axes_before = o->axes_before,
                     .is_const = leaf->is_const,
                     .behind_const = o->by_members && tl__lower_is_const(o->type),
                     .member = o->member});
  l->env.slots[leaf->slot].value = v;
  if (leaf->type->is_tensor) {
    TL_PUSH(l->arena, l->tensor_params, (tl_tensor_param){v, leaf});
  }
}

static void add_params(tl_lower *l, tl_object *o, uint32_t cparam) {
  o->cparam = cparam;
  for (uint32_t i = 0; i < o->leaf_count; i++) {
    add_param(l, o, &o->leaves[i]);
  }
}

static tl_memory_note *next_note(tl_lower *l, uint32_t *out) {
  *out = l->note_count++;
  if (*out == l->notes.count) {
    TL_PUSH(l->arena, l->notes, (tl_memory_note){0});
  }
  return &l->notes.data[*out];
}

/* Streams are complete types in some C libraries, whose members only those use. */
static bool is_stream(const tl_record *r) {
  return r->name && (!strcmp(r->name, "_IO_FILE") || !strcmp(r->name, "__sFILE") || !strcmp(r->name, "FILE"));
}

static bool is_opaque_pointee(const tl_ctype *t) {
  return t->kind == TL_CT_VOID || t->kind == TL_CT_FUNCTION || t->kind == TL_CT_UNSUPPORTED ||
         (t->kind == TL_CT_RECORD && (!t->record->complete || t->record->is_union || is_stream(t->record)));
}

typedef struct tl_memory_spec {
  const char *name, *access; /* of the pointer */
  tl_ctype *pointer;
  uint32_t axis_count; /* that lead to the pointer */
  const tl_extent *axes;
  const tl_expr *len;
  const tl_member *member;
  uint32_t cparam;
  bool indexed;
  tl_loc loc;
} tl_memory_spec;

/* Structs may point to structs of their own type: how deep one is followed. */
enum { MAX_POINTER_DEPTH = 3 };

static void add_pointees(tl_lower *l, tl_object *o, uint32_t cparam, int depth);

/* The memory that a parameter, or a pointer in a parameter's memory, points to. */
static tl_object *make_memory(tl_lower *l, const tl_memory_spec *m, int depth) {
  uint32_t number;
  tl_memory_note *note = next_note(l, &number);
  tl_extent axes[TL_MAX_RANK];
  uint32_t n = m->axis_count;
  if (n) {
    memcpy(axes, m->axes, sizeof *axes * n);
  }
  const tl_ctype *p = m->pointer;
  bool flex = true;
  tl_extent e = {.fixed = -1};
  if (m->len) {
    e = tl__lower_as_extent(l, tl__lower_expr(l, m->len));
  } else if (p->was_array && (p->extent >= 0 || p->extent_expr)) {
    e = tl__lower_extent_of(l, p);
  } else {
    flex = p->was_array || m->indexed || note->indexed;
    if (note->extent != TL_NO_VALUE && flex) {
      tl_value v = tl__lower_recompute(l, note->extent_func, note->extent);
      if (v != TL_NO_VALUE) {
        e = tl__lower_as_extent(l, v);
        note->extent = v; /* of the function that is being made now */
        note->extent_func = l->func;
      }
    }
  }
  const char *access = tl_arena_printf(l->arena, flex ? "%s[#]" : "(*%s)", m->access);
  if (flex) {
    if (n == TL_MAX_RANK) {
      tl__lower_refuse(l, TL_UNSUPPORTED_CONSTRUCT, m->loc, "'%s' has more than %d axes", m->name, TL_MAX_RANK);
    }
    axes[n++] = e;
  }
  tl_object *o = tl__lower_object_create(l, TL_OBJECT_MEMORY, m->name, p->target, n, axes, flex, access, m->loc);
  o->note = number;
  o->access = m->access;
  o->by_members = (uint32_t)depth;
  o->axes_before = m->axis_count;
  o->member = m->member;
  add_params(l, o, m->cparam);
  add_pointees(l, o, m->cparam, depth + 1);
  return o;
}

bool tl__lower_follows(const tl_leaf *leaf, const tl_ctype *holder, int depth) {
  const tl_ctype *to = leaf->type->target;
  bool is_self = to->kind == TL_CT_RECORD && holder->kind == TL_CT_RECORD && to->record == holder->record;
  return !is_opaque_pointee(to) && !is_self && depth < MAX_POINTER_DEPTH;
}

/* The struct that a leaf is a member of. */
static tl_pointer *holder_pointer(tl_lower *l, tl_object *o, const tl_leaf *leaf) {
  tl_pointer *p = tl__lower_object_pointer(l, o);
  p->targets[0].leaf = leaf->holder_leaf;
  p->targets[0].leaf_count = tl__lower_leaf_count(leaf->holder);
  p->targets[0].elem = leaf->holder;
  return p;
}

/* The integer member that says how many elements lie behind the pointer `field`, as far as one can guess: the nearest
 * one ahead of it, else the first. NULL where there is none. */
static const char *length_beside(const tl_record *r, const tl_field *field) {
  const char *length = NULL;
  bool is_ahead = true;
  for (uint32_t i = 0; i < r->fields.count; i++) {
    const tl_field *f = &r->fields.data[i];
    is_ahead &= f != field;
    bool is_integer = f->name && f->type->kind == TL_CT_SCALAR && !tl_dtype_is_float(f->type->dtype) &&
                      f->type->dtype != TL_BOOL && strncmp(f->type->spelling, "enum ", 5) != 0;
    length = is_integer && (is_ahead || !length) ? f->name : length;
  }
  return length;
}

static const tl_member *describe_member(tl_lower *l, const tl_object *o, const tl_leaf *leaf) {
  const tl_field *f = leaf->field;
  if (!f || !f->name || !leaf->access) {
    return o->member; /* rows of it */
  }
  tl_member *m = TL_NEW(l->func->arena, tl_member);
  *m = (tl_member){.access = leaf->access,
                   .axis = leaf->rank,
                   .in_system_header = f->in_system_header,
                   .loc = f->loc,
                   .outer = o->member};
  const char *length = length_beside(leaf->holder->record, f), *type = f->type->spelling;
  if (length && f->type->kind == TL_CT_POINTER && *type && type[strlen(type) - 1] == '*') {
    m->fix = tl_arena_printf(l->func->arena, "%s%s TL_LEN(%s)", type, f->name, length);
  }
  return m;
}

/* Evaluates a TL_LEN over the members beside it. */
static void add_pointees(tl_lower *l, tl_object *o, uint32_t cparam, int depth) {
  for (uint32_t i = 0; i < o->leaf_count; i++) {
    tl_leaf *leaf = &o->leaves[i];
    if (!leaf->is_pointer) {
      continue;
    }
    if (!tl__lower_follows(leaf, o->type, depth)) {
      tl_pointer *text =
          leaf->access ? tl__lower_pointer_unknown(l, "it lies in memory that only the caller knows") : NULL;
      if (!leaf->rank && o->kind != TL_OBJECT_GLOBAL) {
        l->env.slots[leaf->slot].pointer = text;
      }
      continue;
    }
    tl_memory_spec m = {.name = leaf->name,
                        .access = leaf->access,
                        .pointer = leaf->type,
                        .axis_count = leaf->rank,
                        .axes = leaf->extents,
                        .member = describe_member(l, o, leaf),
                        .cparam = cparam,
                        .loc = o->loc};
    const tl_pointer *outer_place = l->len_place;
    const tl_record *outer_record = l->len_record;
    const tl_expr *len = leaf->field ? leaf->field->len : NULL;
    if (len && !leaf->rank) {
      l->len_place = holder_pointer(l, o, leaf);
      l->len_record = leaf->holder->record;
      m.len = len;
    } else if (len) {
      m.indexed = true;
    }
    if (o->kind == TL_OBJECT_MEMORY && o->type->kind == TL_CT_POINTER) {
      m.indexed = true; /* double **: rows */
    }
    leaf->pointee = make_memory(l, &m, depth);
    l->len_place = outer_place;
    l->len_record = outer_record;
    if (!leaf->rank) {
      l->env.slots[leaf->slot].pointer = tl__lower_object_pointer(l, leaf->pointee);
    }
  }
}

static tl_object *variable(tl_lower *l, const tl_function *f, const tl_decl *d) {
  tl_object *o = tl__lower_object_create(l, TL_OBJECT_LOCAL, d->name, d->type, 0, NULL, false, "$", d->loc);
  o->decl = d;
  o->escaped = tl__lower_scan_escapes(l, f, d);
  o->cparam = d->index;
  TL_PUSH(l->arena, l->frame->names, (tl_named_object){d, o});
  return o;
}

/* Leaves in the order of the C parameters. */
static void sort_params(tl_lower *l) {
  tl_func *f = l->func;
  uint32_t n = f->params.count, at = 0;
  tl_param *sorted = TL_NEW_ARRAY(l->arena, tl_param, n + 1);
  for (uint32_t c = 0; c < f->cparams.count; c++) {
    for (uint32_t i = 0; i < n; i++) {
      if (f->params.data[i].cparam == c) {
        sorted[at++] = f->params.data[i];
      }
    }
  }
  assert(at == n);
  for (uint32_t i = 0; i < n; i++) {
    f->params.data[i] = sorted[i];
    f->body->params.data[i] = sorted[i].value;
    f->values.data[sorted[i].value].index = i;
  }
}

static bool points_to_struct(const tl_decl *d) {
  return d->type->kind == TL_CT_POINTER && d->type->target->kind == TL_CT_RECORD && !d->len && !d->type->was_array;
}

void tl__lower_params_cast(tl_lower *l, uint32_t param, tl_ctype *type, tl_loc loc) {
  if (type->kind == TL_CT_RECORD && type->record->is_union) {
    tl__lower_refuse(l, TL_ACTIVE_UNION, loc, "a member of a union that may hold active values is used");
  }
  while (l->casts.count <= param) {
    TL_PUSH(l->arena, l->casts, NULL);
  }
  if (is_opaque_pointee(type) || l->casts.data[param]) {
    tl__lower_refuse(l, TL_ACTIVE_CAST, loc, "what '%s' points to is used as '%s'", l->top->params.data[param]->name,
                     type->spelling);
  }
  l->casts.data[param] = type;
  tl__lower_restart(l);
}

/* A type's spelling without const in front, for casts in access templates. */
static const char *plain_spelling(const tl_ctype *t) {
  return !strncmp(t->spelling, "const ", 6) ? t->spelling + 6 : t->spelling;
}

static void add_pointer(tl_lower *l, const tl_function *f, const tl_decl *d) {
  tl_object *o = tl__lower_decl_object(l, d, d->loc);
  tl_pointer *p;
  tl_ctype *cast = d->index < l->casts.count ? l->casts.data[d->index] : NULL;
  if (cast) {
    tl_ctype *type = TL_NEW(l->arena, tl_ctype);
    *type = *d->type;
    type->target = cast;
    const char *access = tl_arena_printf(l->arena, "((%s *)$)", plain_spelling(cast));
    tl_memory_spec m = {.name = d->name, .access = access, .pointer = type, .cparam = d->index, .loc = d->loc};
    p = tl__lower_object_pointer(l, make_memory(l, &m, 0));
  } else if (is_opaque_pointee(d->type->target)) {
    p = tl__lower_pointer_text(l, d->name);
    p->targets[0].opaque_param = d->index + 1;
  } else {
    tl_memory_spec m = {
        .name = d->name, .access = "$", .pointer = d->type, .len = d->len, .cparam = d->index, .loc = d->loc};
    m.indexed = tl__lower_scan_indexed(f, d);
    p = tl__lower_object_pointer(l, make_memory(l, &m, 0));
  }
  l->env.slots[o->leaves[0].slot].pointer = p;
}

/* Scalars first, so that extents can be computed from them; then structs, whose members extents may name; then the
 * rest. */
void tl__lower_params(tl_lower *l, const tl_function *f) {
  for (uint32_t i = 0; i < f->params.count; i++) {
    const tl_decl *d = f->params.data[i];
    const char *declarator = i < f->declarators.count ? f->declarators.data[i] : "";
    tl_cparam c = {
        .name = d->name, .declarator = declarator, .bare = tl_text_without_const(l->arena, declarator), .loc = d->loc};
    c.by_value = d->type->kind == TL_CT_SCALAR || d->type->kind == TL_CT_RECORD;
    c.is_struct =
        d->type->kind == TL_CT_RECORD || (d->type->kind == TL_CT_POINTER && d->type->target->kind == TL_CT_RECORD);
    if (d->type->kind == TL_CT_POINTER && !d->type->was_array && !strchr(declarator, '*') && !strchr(declarator, '[')) {
      c.pointee = d->type->target->spelling;
    }
    c.differentiable =
        tl__lower_declares_float(d) && !(d->type->kind == TL_CT_POINTER && is_opaque_pointee(d->type->target));
    TL_PUSH(l->func->arena, l->func->cparams, c);
    if (d->type->kind == TL_CT_UNSUPPORTED) {
      tl__lower_refuse(l, TL_UNSUPPORTED_CONSTRUCT, d->loc, "a parameter of type '%s' is not differentiated",
                       d->type->spelling);
    }
    tl_object *o = variable(l, f, d);
    if (d->type->kind == TL_CT_SCALAR) {
      add_params(l, o, i);
    }
  }
  for (uint32_t i = 0; i < f->params.count; i++) {
    const tl_decl *d = f->params.data[i];
    if (d->type->kind == TL_CT_RECORD) {
      tl_object *o = tl__lower_decl_object(l, d, d->loc);
      add_params(l, o, i);
      add_pointees(l, o, i, 1);
    }
  }
  for (int structs = 1; structs >= 0; structs--) {
    for (uint32_t i = 0; i < f->params.count; i++) {
      const tl_decl *d = f->params.data[i];
      if (d->type->kind == TL_CT_POINTER && points_to_struct(d) == (structs == 1)) {
        add_pointer(l, f, d);
      }
    }
  }
  sort_params(l);
  tl__lower_tensor_extents(l, f);
}

/* ---- results ---- */

void tl__lower_results(tl_lower *l, const tl_function *f) {
  tl_func *func = l->func;
  tl_object *r = l->frame->result;
  if (r) {
    if (r->type->kind == TL_CT_POINTER) {
      tl__lower_refuse(l, TL_UNSUPPORTED_CONSTRUCT, f->loc, "'%s' returns a pointer", f->name);
    }
    for (uint32_t i = 0; i < r->leaf_count; i++) {
      const tl_leaf *leaf = &r->leaves[i];
      if (leaf->is_pointer || leaf->is_opaque) {
        continue;
      }
      if (leaf->is_const) {
        tl__lower_refuse(l, TL_UNSUPPORTED_CONSTRUCT, f->loc, "'%s' returns a struct whose member '%s' is const",
                         f->name, leaf->field->name);
      }
      TL_PUSH(func->arena, func->body->yields, tl__lower_slot_read(l, leaf));
      TL_PUSH(func->arena, func->results, (tl_result){.role = TL_RESULT_RETURN, .access = leaf->access});
    }
  }
  /* Where one part of an object is written, the cotangents of its other parts pass through as well. */
  bool *written = TL_NEW_ARRAY(l->arena, bool, func->cparams.count + 1);
  tl_value *final = TL_NEW_ARRAY(l->arena, tl_value, func->params.count + 1);
  for (uint32_t i = 0; i < func->params.count; i++) {
    const tl_param *p = &func->params.data[i];
    for (uint32_t s = 0; p->is_memory && s < l->env.count; s++) {
      const tl_binding *b = &l->env.slots[s];
      if (b->object->kind == TL_OBJECT_MEMORY && b->object->cparam == p->cparam && b->leaf->access &&
          !strcmp(b->leaf->access, p->access)) {
        final[i] = b->value;
        written[p->cparam] = written[p->cparam] || b->value != p->value;
        break;
      }
    }
  }
  for (uint32_t i = 0; i < func->params.count; i++) {
    const tl_param *p = &func->params.data[i];
    bool passes = written[p->cparam] && tl_dtype_is_float(tl_type_of(func, p->value).dtype);
    if (final[i] != TL_NO_VALUE && (passes || final[i] != p->value)) {
      TL_PUSH(func->arena, func->body->yields, final[i]);
      TL_PUSH(func->arena, func->results, (tl_result){.role = TL_RESULT_FINAL, .param = i});
    }
  }
}
