#include <string.h>

#include "front/lower_priv.h"
#include "ir/shape.h"

/* Calls that stay calls: of functions that call themselves and of functions with custom rules; and calls of generated
 * functions, whose bodies are copied in. In both cases the callee is a DXIR function, and its leaves are found in the
 * caller's objects. Memory that the callee sees whole is passed as it is; a part of an array, or a member of a struct,
 * goes through an object of its own. */

typedef enum tl_how { HOW_VALUE, HOW_WHOLE, HOW_COPY } tl_how;

typedef struct tl_passed {
  tl_how how;
  tl_value value;
  const tl_leaf *mine;     /* WHOLE: the caller's leaf. COPY: the copy's */
  bool boxed;              /* COPY of a scalar: `value` is a cell made for the call */
  tl_pointer *from, *copy; /* COPY: places of one leaf */
  tl_value count;          /* COPY: elements */
  uint32_t cparam;
  bool is_final;
  const tl_target *target; /* whose memory, for overlaps */
  tl_loc loc;
} tl_passed;

typedef struct tl_invocation {
  tl_call_terms terms;
  tl_passed *passed; /* by the callee's leaf */
} tl_invocation;

/* ---- extents of the callee, as the caller computes them ---- */

static tl_value passed_value(tl_lower *l, const void *ctx, tl_value v) {
  (void)l;
  const tl_invocation *in = ctx;
  const tl_value_info *info = tl_info(in->terms.callee, v);
  return !info->op && info->region == in->terms.callee->body ? in->passed[info->index].value : TL_NO_VALUE;
}

/* The callee's extent as a value of the caller; TL_NO_VALUE where it states none. */
static tl_value stated_extent(tl_lower *l, const tl_invocation *in, tl_extent e) {
  if (e.value != TL_NO_VALUE) {
    return tl__lower_again(l, in->terms.callee, e.value, passed_value, in);
  }
  return e.fixed < 0 ? TL_NO_VALUE : tl_build_int(&l->b, TL_I64, e.fixed);
}

static bool same_extent(tl_lower *l, tl_extent mine, tl_value stated) {
  int64_t c;
  if (stated == TL_NO_VALUE) {
    return true; /* the callee asks for nothing */
  }
  if (mine.value == TL_NO_VALUE) {
    return mine.fixed < 0 || (tl_is_const_int(l->func, stated, &c) && c == mine.fixed);
  }
  return tl__lower_same_value(l->func, mine.value, stated);
}

/* ---- one object behind a pointer ---- */

static bool starts_whole(tl_lower *l, const tl_target *t, uint32_t flex) {
  if (tl__target_used(t) != flex) {
    return false;
  }
  for (uint32_t k = 0; k < t->index_count; k++) {
    int64_t at;
    if (!tl_is_const_int(l->func, t->index[k], &at) || at != 0) {
      return false;
    }
  }
  return true;
}

static bool passes_whole(tl_lower *l, const tl_invocation *in, const tl_target *t, const tl_leaf *mine,
                         tl_type theirs) {
  if (!mine->is_array || (uint32_t)theirs.rank != mine->rank || theirs.dtype != mine->dtype) {
    return false;
  }
  uint32_t used = tl__target_used(t);
  if (used > 1 || !starts_whole(l, t, used)) {
    return false;
  }
  for (uint32_t k = 0; k < mine->rank; k++) {
    if (!same_extent(l, mine->extents[k], stated_extent(l, in, theirs.extents[k]))) {
      return false;
    }
  }
  return true;
}

/* A place of leaf `i` of the target, as elements of its scalar type: stepped, it goes on from the last element of one
 * struct to the first of the next. */
static tl_target leaf_place(tl_lower *l, const tl_target *t, uint32_t i) {
  tl_target one = *t;
  one.leaf += i;
  one.leaf_count = 1;
  const tl_ctype *base = one.elem;
  while (base->kind == TL_CT_ARRAY) {
    base = base->target;
  }
  if (base->kind != TL_CT_RECORD) {
    return one;
  }
  const tl_leaf *leaf = &t->object->leaves[one.leaf];
  if (leaf->is_array && tl__target_used(&one) < leaf->rank) { /* from the first of its elements on */
    if (one.virtual_axis) {
      one.virtual_axis = false;
      one.index_count--;
      one.run = 0;
    }
    tl__lower_pointer_flatten(l, &one, 0);
    one.run = leaf->rank - one.index_count + (one.linear > 1 ? one.linear : one.run > 0);
    one.linear = one.run > 1 ? one.run : 0;
    while (one.index_count < leaf->rank) {
      one.index[one.index_count++] = tl_build_int(&l->b, TL_I64, 0);
    }
  }
  one.elem = leaf->type;
  return one;
}

static tl_pointer *leaf_places(tl_lower *l, const tl_pointer *p, uint32_t i) {
  tl_pointer *out = tl__lower_pointer_copy(l, p);
  for (uint32_t k = 0; k < p->count; k++) {
    if (p->targets[k].kind == TL_TARGET_OBJECT) {
      out->targets[k] = leaf_place(l, &p->targets[k], i);
    }
  }
  return out;
}

/* A struct or a member that is no element of an array is an array of one element. */
static void as_array(tl_lower *l, const tl_target *t, tl_target *place, tl_value count) {
  int64_t n;
  if (t->kind != TL_TARGET_OBJECT) {
    return;
  }
  bool is_lone = t->leaf_count == t->object->leaf_count || (tl_is_const_int(l->func, count, &n) && n == 1);
  if (!place->run && is_lone && place->index_count < TL_MAX_RANK) {
    place->index[place->index_count++] = tl_build_int(&l->b, TL_I64, 0);
    place->virtual_axis = true;
    place->run = 1;
  }
}

/* Leaf i of what `all` refers to, which is `t` or may be t. */
static void pass_leaf(tl_lower *l, tl_invocation *in, uint32_t leaf, const tl_pointer *all, const tl_target *t,
                      uint32_t i, tl_loc loc) {
  const tl_param *param = &in->terms.callee->params.data[leaf];
  tl_type theirs = tl_type_of(in->terms.callee, param->value);
  const tl_leaf *mine = &t->object->leaves[t->leaf + i];
  tl_passed *p = &in->passed[leaf];
  *p = (tl_passed){.cparam = param->cparam, .target = t, .loc = loc};
  if (all->count == 1 && passes_whole(l, in, t, mine, theirs)) {
    p->how = HOW_WHOLE;
    p->mine = mine;
    p->value = tl__lower_slot_read(l, mine);
    return;
  }
  p->how = HOW_COPY;
  p->from = leaf_places(l, all, i);
  if (!theirs.rank) { /* a cell made for the call */
    p->boxed = true;
    p->mine = mine;
    p->value = tl_build_alloc_like(&l->b, theirs, TL_ALLOC_LOCAL, mine->name);
    if (!theirs.element || !tl_func_is_output(in->terms.callee, leaf)) { /* a tensor may not be set yet */
      tl_value v = tl__lower_place_load(l, p->from, mine->type, loc);
      p->value = tl_build_update(&l->b, p->value, 0, NULL, v);
    }
    return;
  }
  tl_value count = tl_build_int(&l->b, TL_I64, 1);
  tl_extent extents[TL_MAX_RANK];
  for (int k = 0; k < theirs.rank; k++) {
    tl_value e = stated_extent(l, in, theirs.extents[k]);
    if (e == TL_NO_VALUE) {
      tl__lower_refuse(
          l, TL_POINTER_UNKNOWN, loc,
          "a part of an array is passed to '%s', whose parameter '%s' does not say how many elements it has",
          in->terms.name, in->terms.callee->cparams.data[param->cparam].name);
    }
    extents[k] = tl__lower_as_extent(l, e);
    count = tl__lower_int_op(l, TL_OP_mul, count, tl__lower_int_cvt(l, TL_I64, e));
  }
  tl_object *o = tl__lower_object_create(l, TL_OBJECT_LOCAL, mine->name, mine->type, (uint32_t)theirs.rank, extents,
                                         true, "$", loc);
  tl__lower_object_allocate(l, o, TL_ALLOC_LOCAL);
  tl_pointer *copy = tl__lower_object_pointer(l, o);
  tl_target *first = &copy->targets[0];
  for (int k = 1; k < theirs.rank; k++) {
    first->index[first->index_count++] = tl_build_int(&l->b, TL_I64, 0);
  }
  first->run = first->index_count;
  first->linear = first->run > 1 ? first->run : 0;
  p->copy = copy;
  p->count = count;
  p->mine = &o->leaves[0];
  for (uint32_t k = 0; k < all->count; k++) {
    as_array(l, &all->targets[k], &p->from->targets[k], count);
  }
  tl__lower_copy_elements(l, copy, p->from, mine->type, count, loc);
  p->value = tl__lower_slot_read(l, p->mine);
}

tl_value tl__lower_elements(tl_lower *l, const tl_pointer *p, tl_dtype dtype, tl_extent extent, tl_loc loc) {
  tl__lower_pointer_known(l, p, loc);
  const tl_target *t = NULL;
  for (uint32_t i = 0; i < p->count; i++) {
    t = p->targets[i].kind == TL_TARGET_OBJECT && !t ? &p->targets[i] : t;
  }
  if (!t) { /* a loop's first tries */
    return tl_build_alloc(&l->b, dtype, 1, &extent, TL_ALLOC_ZEROED, NULL);
  }
  const tl_leaf *leaf = &t->object->leaves[t->leaf];
  if (t->leaf_count != 1 || leaf->is_pointer || leaf->is_opaque || leaf->type->is_tensor || leaf->dtype != dtype) {
    tl__lower_refuse(l, TL_DTYPE_MISMATCH, loc, "a tensor of dtype %s is made of other elements", tl_dtype_name(dtype));
  }
  tl_value count = extent.value ? extent.value : tl_build_int(&l->b, TL_I64, extent.fixed);
  tl_pointer *from = leaf_places(l, p, 0);
  for (uint32_t k = 0; k < p->count; k++) {
    as_array(l, &p->targets[k], &from->targets[k], count);
  }
  tl_object *o = tl__lower_object_create(l, TL_OBJECT_LOCAL, leaf->name, leaf->type, 1, &extent, true, "$", loc);
  tl__lower_object_allocate(l, o, TL_ALLOC_LOCAL);
  tl__lower_copy_elements(l, tl__lower_object_pointer(l, o), from, leaf->type, count, loc);
  return tl__lower_slot_read(l, &o->leaves[0]);
}

static bool is_leaf(const tl_leaf *leaf) { return !leaf->is_pointer && !leaf->is_opaque; }

static bool same_leaves(const tl_target *a, const tl_target *b) {
  bool same = a->leaf_count == b->leaf_count;
  for (uint32_t i = 0; same && i < a->leaf_count; i++) {
    const tl_leaf *x = &a->object->leaves[a->leaf + i], *y = &b->object->leaves[b->leaf + i];
    same = is_leaf(x) && is_leaf(y) && x->dtype == y->dtype;
  }
  return same;
}

/* Stands for what is not known in a loop's first tries, which are thrown away. */
static void pass_anything(tl_lower *l, tl_invocation *in, uint32_t c, uint32_t *leaf) {
  for (; *leaf < in->terms.callee->params.count && in->terms.callee->params.data[*leaf].cparam == c; ++*leaf) {
    tl_type t = tl_type_of(in->terms.callee, in->terms.callee->params.data[*leaf].value);
    tl_extent one[TL_MAX_RANK];
    for (uint32_t k = 0; k < TL_MAX_RANK; k++) {
      one[k] = (tl_extent){.fixed = 1};
    }
    in->passed[*leaf] = (tl_passed){.how = HOW_VALUE, .cparam = c};
    in->passed[*leaf].value = t.is_array ? tl_build_alloc(&l->b, t.dtype, (int)t.rank, one, TL_ALLOC_LOCAL, NULL)
                                         : tl_build_zero(&l->b, t.dtype);
  }
}

/* What a pointer refers to; of several objects that are alike, the first; NULL in a loop's first tries. */
static const tl_target *passed_target(tl_lower *l, const tl_invocation *in, const tl_pointer *p, tl_loc loc) {
  tl__lower_pointer_known(l, p, loc);
  const tl_target *first = NULL;
  for (uint32_t i = 0; i < p->count; i++) {
    const tl_target *t = &p->targets[i];
    if (t->kind == TL_TARGET_OBJECT && first && !same_leaves(first, t)) {
      tl__lower_refuse(l, TL_POINTER_UNKNOWN, loc, "a pointer that may refer to several objects is passed to '%s'",
                       in->terms.name);
    }
    first = first || t->kind != TL_TARGET_OBJECT ? first : t;
  }
  return first;
}

/* The callee's leaves from *leaf on that belong to C parameter c, out of what p points to. */
static void pass_memory(tl_lower *l, tl_invocation *in, uint32_t c, uint32_t *leaf, const tl_pointer *p, tl_loc loc,
                        int depth) {
  const tl_func *callee = in->terms.callee;
  TL_PUSH(l->arena, in->terms.pointers, (tl_passed_pointer){c, (uint32_t)depth, *leaf, p});
  if (*leaf >= callee->params.count || callee->params.data[*leaf].cparam != c) {
    return; /* nothing of it is used */
  }
  const tl_target *t = passed_target(l, in, p, loc);
  if (!t) {
    pass_anything(l, in, c, leaf);
    return;
  }
  for (uint32_t i = 0; i < t->leaf_count; i++) {
    if (is_leaf(&t->object->leaves[t->leaf + i])) {
      if (*leaf >= callee->params.count || callee->params.data[*leaf].cparam != c) {
        tl__lower_refuse(l, TL_ACTIVE_CAST, loc, "'%s' takes an object of another type here", in->terms.name);
      }
      pass_leaf(l, in, (*leaf)++, p, t, i, loc);
    }
  }
  for (uint32_t i = 0; i < t->leaf_count; i++) {
    const tl_leaf *mine = &t->object->leaves[t->leaf + i];
    if (mine->is_pointer && *leaf < callee->params.count && callee->params.data[*leaf].cparam == c &&
        tl__lower_follows(mine, t->elem, depth)) {
      tl_target one = *t;
      one.leaf += i;
      one.leaf_count = 1;
      one.elem = mine->type;
      pass_memory(l, in, c, leaf, tl__lower_place_load_pointer(l, tl__lower_pointer_single(l, &one), loc), loc,
                  depth + 1);
    }
  }
}

/* ---- arguments ---- */

uint32_t tl__lower_first_leaf(const tl_func *f, uint32_t c) {
  uint32_t i = 0;
  while (i < f->params.count && f->params.data[i].cparam != c) {
    i++;
  }
  return i;
}

static void pass_argument(tl_lower *l, tl_invocation *in, uint32_t c, const tl_expr *arg) {
  uint32_t leaf = tl__lower_first_leaf(in->terms.callee, c);
  switch (arg->type->kind) {
  case TL_CT_SCALAR: {
    tl_type want = tl_type_of(in->terms.callee, in->terms.callee->params.data[leaf].value);
    tl_value v = tl__lower_convert(l, want.dtype, tl__lower_expr(l, arg));
    tl__lower_tensor_argument(l, v, want, in->terms.callee->cparams.data[c].name, arg->loc);
    in->passed[leaf] = (tl_passed){.how = HOW_VALUE, .value = v, .cparam = c, .loc = arg->loc};
    return;
  }
  case TL_CT_POINTER: {
    tl_pointer *p = tl__lower_pointer(l, arg);
    in->terms.texts[c] = tl__lower_text_argument(l, arg, p);
    pass_memory(l, in, c, &leaf, p, arg->loc, 0);
    return;
  }
  case TL_CT_RECORD: {
    tl_object *o = tl__lower_object_create(l, TL_OBJECT_LOCAL, in->terms.callee->cparams.data[c].name, arg->type, 0,
                                           NULL, false, "$", arg->loc);
    tl__lower_object_allocate(l, o, TL_ALLOC_LOCAL);
    tl__lower_place_copy(l, tl__lower_object_pointer(l, o), tl__lower_record(l, arg), arg->loc);
    for (uint32_t i = 0; i < o->leaf_count; i++) {
      if (is_leaf(&o->leaves[i])) {
        in->passed[leaf] =
            (tl_passed){.how = HOW_VALUE, .value = tl__lower_slot_read(l, &o->leaves[i]), .cparam = c, .loc = arg->loc};
        leaf++;
      }
    }
    for (uint32_t i = 0; i < o->leaf_count; i++) {
      if (o->leaves[i].is_pointer && tl__lower_follows(&o->leaves[i], o->type, 1)) {
        pass_memory(l, in, c, &leaf, tl__lower_slot_pointer(l, o->leaves[i].slot), arg->loc, 1);
      }
    }
    return;
  }
  case TL_CT_VOID:
  case TL_CT_ARRAY:
  case TL_CT_FUNCTION:
  case TL_CT_UNSUPPORTED:
    break;
  }
  tl__lower_refuse(l, TL_UNSUPPORTED_CONSTRUCT, arg->loc, "a value of type '%s' is not differentiated",
                   arg->type->spelling);
}

/* Numbers before memory, whose extents depend on them; structs before arrays, for the same reason. */
static int rank_of(const tl_expr *arg) {
  return arg->type->kind == TL_CT_SCALAR                                               ? 0
         : arg->type->kind == TL_CT_RECORD                                             ? 1
         : arg->type->kind == TL_CT_POINTER && arg->type->target->kind == TL_CT_RECORD ? 2
                                                                                       : 3;
}

/* Two arguments in one object, of which one is written: refused where they may not lie apart. */
static void check_overlaps(tl_lower *l, const tl_invocation *in) {
  for (uint32_t i = 0; i < in->terms.callee->params.count; i++) {
    for (uint32_t k = 0; k < in->terms.callee->params.count; k++) {
      const tl_passed *a = &in->passed[i], *b = &in->passed[k];
      if (!a->is_final || a->cparam == b->cparam || a->how == HOW_VALUE || b->how == HOW_VALUE || !a->target ||
          !b->target || a->target->object != b->target->object) {
        continue;
      }
      const tl_target *s = a->target, *t = b->target;
      bool apart = s->leaf + s->leaf_count <= t->leaf || t->leaf + t->leaf_count <= s->leaf;
      if (!apart && s->index_count == t->index_count) {
        bool same = true;
        for (uint32_t x = 0; x < s->index_count; x++) {
          same = same && tl__lower_same_value(l->func, s->index[x], t->index[x]);
        }
        apart = !same; /* elsewhere in one array: taken as disjoint */
      }
      if (!apart) {
        tl__lower_refuse(l, TL_ALIASING_ARGUMENTS, b->loc, "this argument of '%s' overlaps another one that is written",
                         in->terms.name);
      }
    }
  }
}

static void pass_all(tl_lower *l, tl_invocation *in, const tl_expr *call) {
  const tl_func *callee = in->terms.callee;
  in->passed = TL_NEW_ARRAY(l->arena, tl_passed, callee->params.count + 1);
  in->terms.texts = TL_NEW_ARRAY(l->func->arena, const char *, callee->cparams.count + 1);
  if (call->args.count != callee->cparams.count) {
    tl__lower_refuse(l, TL_UNSUPPORTED_CONSTRUCT, call->loc,
                     "'%s' is called with another number of arguments than it has parameters", in->terms.name);
  }
  for (int rank = 0; rank < 4; rank++) {
    for (uint32_t c = 0; c < call->args.count; c++) {
      if (rank_of(call->args.data[c]) == rank) {
        pass_argument(l, in, c, call->args.data[c]);
      }
    }
  }
}

/* ---- results ---- */

static void take_final(tl_lower *l, const tl_passed *p, tl_value v) {
  if (p->how == HOW_VALUE) {
    return; /* the callee's own copy */
  }
  if (p->how == HOW_WHOLE) {
    if (p->mine->slot == TL_NO_SLOT) {
      tl__lower_refuse(l, TL_ACTIVE_GLOBAL, p->loc, "an object that outlives the call is written to");
    }
    tl__lower_slot_write(l, p->mine, v);
    return;
  }
  if (p->boxed) {
    tl__lower_place_store(l, p->from, p->mine->type, tl_build_index(&l->b, v, 0, NULL), p->loc);
    return;
  }
  tl__lower_slot_write(l, p->mine, v);
  tl__lower_copy_elements(l, p->from, p->copy, p->mine->type, p->count, p->loc);
}

/* What the call gives: `role` and `param` tell the results apart, `values` are theirs. */
static tl_value take_results(tl_lower *l, const tl_invocation *in, const tl_result *results, uint32_t count,
                             const tl_value *values, tl_ctype *type, tl_pointer **out) {
  tl_value returned = TL_NO_VALUE;
  tl_object *o = NULL;
  uint32_t at = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (results[i].role == TL_RESULT_FINAL) {
      take_final(l, &in->passed[results[i].param], values[i]);
    } else if (type->kind == TL_CT_RECORD) {
      if (!o) {
        o = tl__lower_object_create(l, TL_OBJECT_LOCAL, "result", type, 0, NULL, false, "$", in->terms.loc);
        tl__lower_object_allocate(l, o, TL_ALLOC_LOCAL);
      }
      while (!is_leaf(&o->leaves[at])) {
        at++;
      }
      tl__lower_slot_write(l, &o->leaves[at++], values[i]);
    } else {
      returned = values[i];
    }
  }
  if (o && out) {
    *out = tl__lower_object_pointer(l, o);
  }
  return returned;
}

/* ---- recursion and custom rules ---- */

/* The results that a function being lowered is taken to have: its returned value, and the memory that it was found to
 * write. */
static const tl_result *expected_results(tl_lower *l, const tl_lower *callee, uint32_t *out_count) {
  uint32_t n = 0;
  const tl_object *r = callee->frame_result;
  tl_result *out = TL_NEW_ARRAY(l->arena, tl_result, (r ? r->leaf_count : 0) + callee->finals.count + 1);
  for (uint32_t i = 0; r && i < r->leaf_count; i++) {
    if (is_leaf(&r->leaves[i])) {
      out[n++] = (tl_result){.role = TL_RESULT_RETURN, .access = r->leaves[i].access};
    }
  }
  for (uint32_t i = 0; i < callee->func->params.count; i++) {
    for (uint32_t k = 0; k < callee->finals.count; k++) {
      if (callee->finals.data[k] == i) {
        out[n++] = (tl_result){.role = TL_RESULT_FINAL, .param = i};
      }
    }
  }
  *out_count = n;
  return out;
}

static tl_lower *being_lowered(tl_lower *l, const tl_function *f) {
  while (l && l->top != f) {
    l = l->outer;
  }
  return l;
}

tl_value tl__lower_call_outlined(tl_lower *l, const tl_expr *call, const tl_function *f, tl_pointer **out) {
  tl_lower *open = being_lowered(l, f);
  tl_invocation in = {.terms = {.name = f->name, .loc = call->loc}};
  const tl_result *results;
  uint32_t count;
  if (f->type->target->kind == TL_CT_POINTER) {
    tl__lower_refuse(l, TL_UNSUPPORTED_CONSTRUCT, call->loc, "'%s' is not inlined here and returns a pointer", f->name);
  }
  if (open) {
    open->calls_itself = true;
    in.terms.callee = open->func;
    results = expected_results(l, open, &count);
  } else {
    in.terms.callee = tl__lower_nested(l, f);
    if (!in.terms.callee) {
      longjmp(l->refuse, 1);
    }
    count = in.terms.callee->results.count;
    results = in.terms.callee->results.data;
  }
  if (in.terms.callee->params.count + count > 250) {
    tl__lower_refuse(l, TL_UNSUPPORTED_CONSTRUCT, call->loc, "'%s' has too many parts in its parameters", f->name);
  }
  pass_all(l, &in, call);
  for (uint32_t i = 0; i < count; i++) {
    if (results[i].role == TL_RESULT_FINAL) {
      in.passed[results[i].param].is_final = true;
    }
  }
  check_overlaps(l, &in);
  tl_value *operands = TL_NEW_ARRAY(l->arena, tl_value, in.terms.callee->params.count + 1);
  for (uint32_t i = 0; i < in.terms.callee->params.count; i++) {
    operands[i] = in.passed[i].value;
    if (operands[i] == TL_NO_VALUE) {
      tl__lower_refuse(l, TL_POINTER_UNKNOWN, call->loc, "what '%s' reads through its parameter '%s' is not known here",
                       f->name, in.terms.callee->cparams.data[in.terms.callee->params.data[i].cparam].name);
    }
  }
  l->b.loc = call->loc;
  tl_op *op = tl_op_create(&l->b, TL_OP_call, in.terms.callee->params.count, operands);
  op->callee = in.terms.callee->name;
  op->texts = in.terms.texts;
  tl_value *values = TL_NEW_ARRAY(l->arena, tl_value, count + 1);
  uint32_t at = 0;
  for (uint32_t i = 0; i < count; i++) {
    tl_type type;
    const char *name = NULL;
    if (results[i].role == TL_RESULT_FINAL) {
      type = tl_type_of(l->func, operands[results[i].param]);
      name = tl_info(l->func, operands[results[i].param])->name;
    } else if (open) {
      while (!is_leaf(&open->frame_result->leaves[at])) {
        at++;
      }
      const tl_leaf *leaf = &open->frame_result->leaves[at++];
      type =
          leaf->is_array ? tl_array_type(l->func, leaf->dtype, (int)leaf->rank, leaf->extents) : tl_scalar(leaf->dtype);
    } else {
      type = tl_type_abroad(l->func, tl_type_of(in.terms.callee, in.terms.callee->body->yields.data[i]));
    }
    values[i] = tl_op_add_result(l->func, op, type, name);
  }
  return take_results(l, &in, results, count, values, f->type->target, out);
}

static bool is_const_memory(const tl_object *o, const tl_function *f) {
  const tl_ctype *t = f->params.data[o->cparam]->type;
  return o->type->is_const || (t->kind == TL_CT_POINTER && t->target->is_const);
}

/* The memory of a C parameter that the function writes without reading it, as far as its declaration says. */
static bool is_declared_output(const tl_lower *l, const tl_function *f, uint32_t cparam) {
  if (f->params.data[cparam]->inout || f->params.data[cparam]->type->kind != TL_CT_POINTER) {
    return false;
  }
  for (uint32_t s = 0; s < l->env.count; s++) {
    const tl_object *o = l->env.slots[s].object;
    if (o->kind == TL_OBJECT_MEMORY && o->cparam == cparam && is_const_memory(o, f)) {
      return false;
    }
  }
  return true;
}

/* The number for all of a parameter that the function may read. */
static tl_value read_all(tl_lower *l, tl_value v, const tl_value *index) {
  tl_type t = tl_type_of(l->func, v);
  v = t.is_array ? tl_build_index(&l->b, v, (uint32_t)t.rank, index) : v;
  v = tl_build_cvt(&l->b, TL_F64, v);
  if (tl_type_of(l->func, v).is_tensor) {
    v = tl_build_tensor(&l->b, TL_OP_sum, &v, (tl_attr[]){{.axes = TL_ALL}, {.integer = false}});
    v = tl_build_item(&l->b, v);
  }
  return v;
}

/* A tensor of the type that is stated: a name that a parameter has too has its extent, of others it is not known. */
static tl_value declared_tensor(tl_lower *l, const tl_function *f, const tl_tensor_type *stated, const char *what,
                                tl_loc loc, tl_value number) {
  if (!stated) {
    tl__lower_refuse(l, TL_UNTYPED_TENSOR, loc,
                     "%s of '%s', which is only declared here, is a tensor of a type that is "
                     "not stated: declare it as tl_typed(DTYPE, AXIS, ...)",
                     what, f->name);
  }
  tl_tensor_type t = *stated;
  for (int k = 0; k < t.rank; k++) {
    tl_value name = t.dim[k].value, extent = TL_NO_VALUE;
    for (uint32_t i = 0; name >= TL_STATED_FIRST && i < l->func->params.count; i++) {
      const tl_param *p = &l->func->params.data[i];
      const tl_tensor_type *other = tl__lower_stated_param(l, f, p);
      for (int n = 0; tl_type_of(l->func, p->value).is_tensor && n < other->rank; n++) {
        extent = other->dim[n].value == name ? tl_build_dim(&l->b, p->value, n) : extent;
      }
    }
    if (name != TL_NO_VALUE) {
      t.dim[k] = (tl_extent){.value = extent ? extent : tl_build_cvt(&l->b, TL_I64, number)};
    }
    t.bound[k] = NULL;
  }
  tl_type type = tl__shape_to_type(l->func, &t);
  return tl_build_broadcast(&l->b, tl__lower_convert(l, t.dtype, number), type);
}

/* The body of a function that is only declared: each result depends on everything that it may read. */
void tl__lower_declared_body(tl_lower *l, const tl_function *f) {
  tl_func *func = l->func;
  tl_value sum = TL_NO_VALUE;
  tl_value zero = tl_build_int(&l->b, TL_I64, 0), index[TL_MAX_RANK];
  for (uint32_t k = 0; k < TL_MAX_RANK; k++) {
    index[k] = zero;
  }
  for (uint32_t i = 0; i < func->params.count; i++) {
    tl_value v = func->params.data[i].value;
    tl_type t = tl_type_of(func, v);
    if (tl_dtype_is_float(t.dtype) && !is_declared_output(l, f, func->params.data[i].cparam)) {
      v = read_all(l, v, index);
      sum = sum == TL_NO_VALUE ? v : tl_build_binary(&l->b, TL_OP_add, sum, v);
    }
  }
  sum = sum == TL_NO_VALUE ? tl_build_zero(&l->b, TL_F64) : sum;
  for (uint32_t i = 0; l->frame->result && i < l->frame->result->leaf_count; i++) {
    const tl_leaf *leaf = &l->frame->result->leaves[i];
    if (is_leaf(leaf) && leaf->type->is_tensor) {
      const tl_tensor_type *stated = f->stated ? f->stated : leaf->type->stated;
      tl__lower_slot_write(l, leaf, declared_tensor(l, f, stated, "the result", f->loc, sum));
    } else if (is_leaf(leaf)) {
      tl_value v = tl__lower_convert(l, leaf->dtype, sum);
      if (leaf->is_array) {
        v = tl_build_update(&l->b, tl__lower_slot_read(l, leaf), leaf->rank, index, v);
      }
      tl__lower_slot_write(l, leaf, v);
    }
  }
  for (uint32_t s = 0; s < l->env.count; s++) {
    const tl_binding *b = &l->env.slots[s];
    if (b->object->kind == TL_OBJECT_MEMORY && is_leaf(b->leaf) && !is_const_memory(b->object, f)) {
      const tl_decl *d = f->params.data[b->object->cparam];
      tl_value v = b->leaf->type->is_tensor
                       ? declared_tensor(l, f, d->stated ? d->stated : b->leaf->type->stated, "a result", d->loc, sum)
                       : tl__lower_convert(l, b->leaf->dtype, sum);
      bool whole = is_declared_output(l, f, b->object->cparam);
      tl__lower_slot_write(l, b->leaf,
                           whole ? tl_build_fill(&l->b, b->value, v)
                                 : tl_build_update(&l->b, b->value, b->leaf->rank, index, v));
    }
  }
}

/* ---- generated functions ---- */

tl_value tl__lower_call_intrinsic(tl_lower *l, const tl_expr *call, tl_pointer **out) {
  tl_func *g =
      l->opts && l->opts->resolve_intrinsic ? l->opts->resolve_intrinsic(l->opts->ctx, call->name, call->loc) : NULL;
  if (!g) {
    if (!l->module->diag->errors) {
      tl__lower_refuse(l, TL_UNSUPPORTED_CONSTRUCT, call->loc, "'%s' is not known here", call->name);
    }
    longjmp(l->refuse, 1);
  }
  l->func->lost_rule = g->lost_rule ? g->lost_rule : l->func->lost_rule;
  tl_invocation in = {.terms = {.callee = g, .name = call->name, .loc = call->loc}};
  pass_all(l, &in, call);
  for (uint32_t i = 0; i < g->results.count; i++) {
    if (g->results.data[i].role == TL_RESULT_FINAL) {
      in.passed[g->results.data[i].param].is_final = true;
    }
  }
  check_overlaps(l, &in);
  tl_value *map = TL_NEW_ARRAY(l->arena, tl_value, g->values.count + 1);
  for (uint32_t i = 0; i < g->params.count; i++) {
    map[g->params.data[i].value] = in.passed[i].value;
  }
  l->b.loc = call->loc;
  uint32_t mark = l->b.region->ops.count;
  tl_clone_ops_from(&l->b, g, g->body, map);
  uint32_t count = l->b.region->ops.count - mark;
  tl_op **copied = TL_NEW_ARRAY(l->arena, tl_op *, count + 1);
  memcpy(copied, l->b.region->ops.data + mark, sizeof *copied * count);
  for (uint32_t i = 0; i < count; i++) { /* the region's ops move when there are new ones at the function's head */
    tl__lower_settle(l, &in.terms, copied[i]);
  }
  tl_value *values = TL_NEW_ARRAY(l->arena, tl_value, g->results.count + 1);
  for (uint32_t i = 0; i < g->results.count; i++) {
    values[i] = map[g->body->yields.data[i]];
  }
  return take_results(l, &in, g->results.data, g->results.count, values, call->type, out);
}
