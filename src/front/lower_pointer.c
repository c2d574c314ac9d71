#include <assert.h>
#include <string.h>

#include "front/lower_priv.h"

static tl_pointer *pointer_create(tl_lower *l, uint32_t count) {
  tl_pointer *p = TL_NEW(l->arena, tl_pointer);
  p->count = count;
  p->targets = TL_NEW_ARRAY(l->arena, tl_target, count + 1);
  return p;
}

tl_pointer *tl__lower_pointer_single(tl_lower *l, const tl_target *t) {
  tl_pointer *p = pointer_create(l, 1);
  p->targets[0] = *t;
  return p;
}

tl_pointer *tl__lower_pointer_text(tl_lower *l, const char *text) {
  return tl__lower_pointer_single(l, &(tl_target){.kind = TL_TARGET_TEXT, .text = text});
}

tl_pointer *tl__lower_pointer_null(tl_lower *l) {
  return tl__lower_pointer_single(l, &(tl_target){.kind = TL_TARGET_NULL});
}

tl_pointer *tl__lower_pointer_unknown(tl_lower *l, const char *why) {
  return tl__lower_pointer_single(l, &(tl_target){.kind = TL_TARGET_UNKNOWN, .text = why});
}

tl_pointer *tl__lower_pointer_open(tl_lower *l) {
  return tl__lower_pointer_single(
      l, &(tl_target){.kind = TL_TARGET_UNKNOWN, .text = "it was never set", .tentative = true});
}

static tl_value selected(tl_lower *l, const tl_pointer *p, uint32_t i) {
  return tl_build_binary(&l->b, TL_OP_eq, p->selector, tl_build_int(&l->b, TL_I32, i));
}

/* ---- shapes: what of a pointer is known at compile time ---- */

static bool target_same(const tl_target *a, const tl_target *b) {
  if (a->kind != b->kind) {
    return false;
  }
  switch (a->kind) {
  case TL_TARGET_NULL:
  case TL_TARGET_UNKNOWN:
    return true;
  case TL_TARGET_FUNCTION:
    return a->function == b->function;
  case TL_TARGET_TEXT:
    return a->text == b->text || strcmp(a->text, b->text) == 0;
  case TL_TARGET_OBJECT:
    break;
  }
  bool alike = a->linear == b->linear || (a->by_row && !b->linear) || (b->by_row && !a->linear);
  return a->object == b->object && a->leaf == b->leaf && a->leaf_count == b->leaf_count &&
         a->index_count == b->index_count && a->virtual_axis == b->virtual_axis && alike;
}

static uint32_t target_find(const tl_pointer *p, const tl_target *t) {
  uint32_t i = 0;
  while (i < p->count && !target_same(&p->targets[i], t)) {
    i++;
  }
  return i;
}

bool tl__lower_pointer_same_shape(const tl_pointer *a, const tl_pointer *b) {
  if (a->count != b->count) {
    return false;
  }
  for (uint32_t i = 0; i < a->count; i++) {
    if (!target_same(&a->targets[i], &b->targets[i]) || a->targets[i].linear != b->targets[i].linear) {
      return false;
    }
  }
  return true;
}

/* The virtual axis of a pointer to a lone object, so that it can merge with one that has stepped. */
static void add_virtual_axis(tl_lower *l, tl_target *t) {
  t->index[t->index_count++] = tl_build_int(&l->b, TL_I64, 0);
  t->virtual_axis = true;
  t->run = 1;
}

/* The targets of both. An object made after slot `limit` does not outlive the region whose end this is. */
tl_pointer *tl__lower_pointer_shape(tl_lower *l, const tl_pointer *a, const tl_pointer *b, uint32_t limit) {
  tl_pointer *s = pointer_create(l, a->count + b->count);
  s->count = 0;
  s->table = a->table ? a->table : b->table;
  for (uint32_t i = 0; i < a->count + b->count; i++) {
    tl_target t = i < a->count ? a->targets[i] : b->targets[i - a->count];
    if (t.kind == TL_TARGET_UNKNOWN && t.tentative) {
      continue;
    }
    if (t.kind == TL_TARGET_OBJECT && t.object->leaves[0].slot != TL_NO_SLOT && t.object->leaves[0].slot >= limit &&
        !t.object->survives) {
      t = (tl_target){.kind = TL_TARGET_UNKNOWN, .text = "it is made inside a branch or a loop and used after it"};
    }
    uint32_t known = target_find(s, &t);
    if (known == s->count) {
      s->targets[s->count++] = t;
    } else if (s->targets[known].linear > t.linear) { /* one row among others stays in its row */
      s->targets[known].linear = t.linear;
      s->targets[known].by_row = false;
    }
  }
  return s;
}

uint32_t tl__lower_pointer_part_count(const tl_pointer *shape) {
  uint32_t n = shape->count > 1;
  for (uint32_t i = 0; i < shape->count; i++) {
    n += shape->targets[i].index_count;
  }
  return n;
}

/* p's run-time parts in the layout of `shape`, which has all its targets (those that end with the region as UNKNOWN).
 */
void tl__lower_pointer_parts(tl_lower *l, const tl_pointer *p, const tl_pointer *shape, tl_value *out) {
  uint32_t n = 0;
  uint32_t *map = TL_NEW_ARRAY(l->arena, uint32_t, p->count + 1);
  for (uint32_t i = 0; i < p->count; i++) {
    map[i] = target_find(shape, &p->targets[i]);
    if (p->targets[i].kind == TL_TARGET_UNKNOWN && p->targets[i].tentative) {
      map[i] = 0; /* whichever: this try is thrown away, or the pointer is not followed */
    } else if (map[i] == shape->count) {
      tl_target unknown = {.kind = TL_TARGET_UNKNOWN};
      map[i] = target_find(shape, &unknown);
      assert(map[i] < shape->count);
    }
  }
  if (shape->count > 1) {
    tl_value s;
    if (p->count <= 1) {
      s = tl_build_int(&l->b, TL_I32, p->count ? map[0] : 0);
    } else {
      bool same = true;
      for (uint32_t i = 0; i < p->count; i++) {
        same = same && map[i] == i;
      }
      s = p->selector;
      if (!same) {
        s = tl_build_int(&l->b, TL_I32, map[p->count - 1]);
        for (uint32_t i = p->count - 1; i-- > 0;) {
          tl_value is = tl_build_binary(&l->b, TL_OP_eq, p->selector, tl_build_int(&l->b, TL_I32, i));
          s = tl_build_select(&l->b, is, tl_build_int(&l->b, TL_I32, map[i]), s);
        }
      }
    }
    out[n++] = s;
  }
  for (uint32_t t = 0; t < shape->count; t++) {
    for (uint32_t k = 0; k < shape->targets[t].index_count; k++) {
      tl_value v = TL_NO_VALUE;
      for (uint32_t from = p->count; from-- > 0;) { /* several of p's may have become alike */
        if (map[from] == t) {
          tl_value mine = tl__lower_int_cvt(l, TL_I64, p->targets[from].index[k]);
          v = v == TL_NO_VALUE ? mine : tl_build_select(&l->b, selected(l, p, from), mine, v);
        }
      }
      if (v == TL_NO_VALUE && shape->table) {
        v = tl_build_alloc(&l->b, TL_I64, (int)shape->table->rank, shape->table->extents, 0, NULL);
      }
      out[n++] = v != TL_NO_VALUE ? v : tl_build_int(&l->b, TL_I64, 0);
    }
  }
}

tl_pointer *tl__lower_pointer_rebuild(tl_lower *l, const tl_pointer *shape, const tl_value *parts) {
  if (!shape->count) { /* all that it is made of is open in a loop's first tries */
    return tl__lower_pointer_open(l);
  }
  tl_pointer *p = pointer_create(l, shape->count);
  uint32_t n = 0;
  p->table = shape->table;
  if (shape->count > 1) {
    p->selector = parts[n++];
  }
  for (uint32_t t = 0; t < shape->count; t++) {
    p->targets[t] = shape->targets[t];
    for (uint32_t k = 0; k < p->targets[t].index_count; k++) {
      p->targets[t].index[k] = parts[n++];
    }
  }
  return p;
}

tl_pointer *tl__lower_pointer_select(tl_lower *l, tl_value c, tl_pointer *yes, tl_pointer *no) {
  tl_pointer *shape = tl__lower_pointer_shape(l, yes, no, UINT32_MAX);
  uint32_t n = tl__lower_pointer_part_count(shape);
  tl_value *a = TL_NEW_ARRAY(l->arena, tl_value, n + 1), *b = TL_NEW_ARRAY(l->arena, tl_value, n + 1);
  tl__lower_pointer_parts(l, yes, shape, a);
  tl__lower_pointer_parts(l, no, shape, b);
  for (uint32_t i = 0; i < n; i++) {
    /* an index that only one side has needs no selecting */
    a[i] = tl__lower_same_index(l->func, a[i], b[i]) ? a[i] : tl_build_select(&l->b, c, a[i], b[i]);
  }
  return tl__lower_pointer_rebuild(l, shape, a);
}

/* ---- arithmetic ---- */

uint32_t tl__lower_array_depth(const tl_ctype *t) {
  uint32_t n = 0;
  for (; t->kind == TL_CT_ARRAY; t = t->target) {
    n++;
  }
  return n;
}

/* Makes the target's sub-object no deeper an array than what it is seen as: a pointer to the first element of an array
 * of arrays, seen as one long row. */
void tl__lower_pointer_flatten(tl_lower *l, tl_target *t, uint32_t depth) {
  while (tl__lower_array_depth(t->elem) > depth) {
    bool was_array = t->run > 0;
    t->elem = t->elem->target;
    t->index[t->index_count++] = tl_build_int(&l->b, TL_I64, 0);
    t->run++;
    t->linear = was_array && t->run > 1 ? t->run : 0;
  }
}

/* pointer + count elements of type `pointee`. */
tl_pointer *tl__lower_pointer_step(tl_lower *l, const tl_pointer *p, tl_ctype *pointee, tl_value count, bool negative) {
  tl_pointer *out = pointer_create(l, p->count);
  out->selector = p->selector;
  if (tl_type_of(l->func, count).dtype == TL_BOOL) {
    count = tl__lower_int_cvt(l, TL_I32, count);
  }
  int64_t fixed;
  bool zero = tl_is_const_int(l->func, count, &fixed) && fixed == 0;
  for (uint32_t i = 0; i < p->count; i++) {
    tl_target *t = &out->targets[i];
    *t = p->targets[i];
    if (zero) {
      continue;
    }
    if (t->kind == TL_TARGET_UNKNOWN || t->kind == TL_TARGET_NULL) {
      continue;
    }
    if (t->kind != TL_TARGET_OBJECT) {
      *t = (tl_target){.kind = TL_TARGET_UNKNOWN, .text = "its offset is not known"};
      continue;
    }
    tl__lower_pointer_flatten(l, t, tl__lower_array_depth(pointee));
    if (!t->run) {
      if (t->object->kind == TL_OBJECT_MEMORY && !t->object->flex && t->leaf_count == t->object->leaf_count) {
        tl__lower_params_indexed(l, t->object);
      }
      if (t->leaf_count != t->object->leaf_count || t->elem->kind != t->object->type->kind) {
        *t = (tl_target){.kind = TL_TARGET_UNKNOWN, .text = "it steps out of a struct's member"};
        continue;
      }
      add_virtual_axis(l, t);
    }
    tl_value step = count;
    tl_ctype *view = pointee;
    for (uint32_t d = tl__lower_array_depth(pointee); d > tl__lower_array_depth(t->elem); d--) {
      step = tl__lower_int_op(l, TL_OP_mul, tl__lower_int_cvt(l, TL_I64, step),
                              tl__lower_int_cvt(l, TL_I64, tl__lower_extent_value(l, view)));
      view = view->target;
    }
    tl_value *last = &t->index[t->index_count - 1];
    int64_t at;
    if (!negative && tl_is_const_int(l->func, *last, &at) && at == 0) {
      *last = step;
    } else {
      *last = tl__lower_int_op(l, negative ? TL_OP_sub : TL_OP_add, tl__lower_int_cvt(l, TL_I64, *last),
                               tl__lower_int_cvt(l, TL_I64, step));
    }
  }
  return out;
}

/* ---- comparisons ---- */

/* So many indices, from the first that may run over, do two pointers into one array have in common. */
static uint32_t common_prefix(tl_lower *l, const tl_target *a, const tl_target *b) {
  if (a->run != b->run || a->index_count != b->index_count) {
    return 0;
  }
  uint32_t n = 0, from = a->index_count - a->run;
  while (n + 1 < a->run && tl__lower_same_value(l->func, a->index[from + n], b->index[from + n])) {
    n++;
  }
  return n;
}

/* The last index as i64, with what run-over axes before it add, but for the first `common`. Pointers into one array
 * differ there. */
static tl_value offset_of(tl_lower *l, const tl_target *t, uint32_t common) {
  if (!t->index_count || !t->run) {
    return tl_build_int(&l->b, TL_I64, 0);
  }
  tl_value offset = tl_build_int(&l->b, TL_I64, 0);
  const tl_leaf *leaf = &t->object->leaves[t->leaf];
  uint32_t first = t->index_count - t->run + common;
  for (uint32_t k = first; k < t->index_count; k++) {
    if (k > first) {
      offset = tl__lower_int_op(l, TL_OP_mul, offset, tl__lower_extent_i64(l, leaf->extents[k]));
    }
    offset = tl__lower_int_op(l, TL_OP_add, offset, tl__lower_int_cvt(l, TL_I64, t->index[k]));
  }
  return offset;
}

typedef enum tl_sameness { OTHER_ARRAY, MAYBE_SAME_ARRAY, SAME_ARRAY } tl_sameness;

/* Whether two pointers are into one array. Into rows of which it is not known whether they are one: maybe. */
static tl_sameness same_array(tl_lower *l, const tl_target *a, const tl_target *b) {
  if (a->object != b->object || a->leaf != b->leaf) {
    return OTHER_ARRAY;
  }
  uint32_t m = a->index_count - a->run, n = b->index_count - b->run;
  if (m != n) {
    return a->run && b->run ? OTHER_ARRAY : SAME_ARRAY;
  }
  tl_sameness same = SAME_ARRAY;
  for (uint32_t k = 0; k < m; k++) {
    int64_t p, q;
    bool known = tl_is_const_int(l->func, a->index[k], &p) && tl_is_const_int(l->func, b->index[k], &q);
    if (known && p != q) {
      return OTHER_ARRAY;
    }
    if (!known && !tl__lower_same_value(l->func, a->index[k], b->index[k])) {
      same = MAYBE_SAME_ARRAY;
    }
  }
  return same;
}

static tl_value bool_const(tl_lower *l, bool v) { return tl_build_int(&l->b, TL_BOOL, v); }

const char *tl__lower_pointer_text_format(tl_lower *l, const tl_target *t) {
  if (t->opaque_param) {
    return tl_arena_printf(l->func->arena, "$%u", t->opaque_param - 1);
  }
  char *out = tl_arena_alloc(l->func->arena, 2 * strlen(t->text) + 1), *to = out;
  for (const char *s = t->text; *s; s++) {
    *to++ = *s;
    if (*s == '%' || *s == '$') {
      *to++ = *s;
    }
  }
  *to = 0;
  return out;
}

static tl_value null_test(tl_lower *l, const char *name, const char *format, uint32_t count, const tl_value *index) {
  tl_op *op = tl_op_create(&l->b, TL_OP_extern, count, index);
  op->callee = TL_NULL_TEST;
  op->format = format;
  tl_value v = tl_op_add_result(l->func, op, tl_scalar(TL_I32), tl_arena_printf(l->func->arena, "has_%s", name));
  return tl_build_binary(&l->b, TL_OP_ne, v, tl_build_int(&l->b, TL_I32, 0));
}

/* Asked once, at the function's head: what the caller passed does not change. */
static tl_value null_test_at_entry(tl_lower *l, const char *name, const char *format) {
  for (uint32_t i = 0; i < l->null_tests.count; i++) {
    if (!strcmp(l->null_tests.data[i].format, format)) {
      return l->null_tests.data[i].is_set;
    }
  }
  tl_region *region = l->b.region;
  l->b.region = l->func->body;
  uint32_t mark = l->b.region->ops.count;
  tl_value v = null_test(l, name, format, 0, NULL);
  tl__lower_to_entry(l, mark);
  l->b.region = region;
  TL_PUSH(l->arena, l->null_tests, (tl_null_test){format, v});
  return v;
}

/* The pointer to an object of the caller's, with `%k` for its k-th index. */
static const char *pointer_format(tl_lower *l, const tl_object *o) {
  const char *out = "";
  uint32_t axis = 0;
  for (const char *s = o->access; *s; s++) {
    out = *s == '$'   ? tl_arena_printf(l->func->arena, "%s$%u", out, o->cparam)
          : *s == '#' ? tl_arena_printf(l->func->arena, "%s%%%u", out, axis++)
                      : tl_arena_printf(l->func->arena, "%s%c", out, *s);
  }
  return out;
}

/* Whether a pointer is set: known, but for one that the caller passes, itself or in memory, which may be null, and is
 * set again where it has stepped. */
static tl_value target_is_set(tl_lower *l, const tl_target *t) {
  if (t->kind == TL_TARGET_UNKNOWN && !t->tentative) {
    tl__lower_refuse(l, TL_POINTER_UNKNOWN, l->b.loc, "whether this pointer is null is not known: %s", t->text);
  }
  l->guessed = l->guessed || t->kind == TL_TARGET_UNKNOWN;
  if (t->kind == TL_TARGET_TEXT && t->opaque_param) {
    return null_test_at_entry(l, t->text, tl__lower_pointer_text_format(l, t));
  }
  const tl_object *o = t->object;
  bool asks = t->kind == TL_TARGET_OBJECT && o->kind == TL_OBJECT_MEMORY;
  for (uint32_t k = asks ? o->axes_before : 0; asks && k < t->index_count; k++) {
    int64_t at;
    asks = !tl_is_const_int(l->func, t->index[k], &at) || at == 0;
  }
  if (!asks) {
    return bool_const(l, t->kind != TL_TARGET_NULL);
  }
  const char *format = pointer_format(l, o);
  return o->axes_before ? null_test(l, o->name, format, o->axes_before, t->index)
                        : null_test_at_entry(l, o->name, format);
}

static tl_value compare_offsets(tl_lower *l, tl_opcode op, const tl_target *a, const tl_target *b) {
  uint32_t common = common_prefix(l, a, b);
  tl_value x = offset_of(l, a, common), y = offset_of(l, b, common);
  int64_t p, q;
  if (tl_is_const_int(l->func, x, &p) && tl_is_const_int(l->func, y, &q)) {
    return bool_const(l, op == TL_OP_eq   ? p == q
                         : op == TL_OP_ne ? p != q
                         : op == TL_OP_lt ? p < q
                         : op == TL_OP_le ? p <= q
                         : op == TL_OP_gt ? p > q
                                          : p >= q);
  }
  return tl_build_binary(&l->b, op, x, y);
}

static tl_value compare_targets(tl_lower *l, tl_opcode op, const tl_target *a, const tl_target *b, tl_loc loc) {
  if (a->tentative || b->tentative) {
    l->guessed = true;
    return tl_build_binary(&l->b, TL_OP_eq, tl_build_int(&l->b, TL_I32, 0), tl_build_int(&l->b, TL_I32, 0));
  }
  if (a->kind == TL_TARGET_UNKNOWN || b->kind == TL_TARGET_UNKNOWN) {
    tl__lower_refuse(l, TL_POINTER_UNKNOWN, loc, "the pointer compared here is not known: %s",
                     a->kind == TL_TARGET_UNKNOWN ? a->text : b->text);
  }
  bool equality = op == TL_OP_eq || op == TL_OP_ne;
  tl_sameness same = a->kind == TL_TARGET_OBJECT && b->kind == TL_TARGET_OBJECT ? same_array(l, a, b) : OTHER_ARRAY;
  if (same == MAYBE_SAME_ARRAY && equality) {
    tl_value equal = compare_offsets(l, TL_OP_eq, a, b);
    for (uint32_t k = 0; k < a->index_count - a->run; k++) {
      tl_value alike = tl_build_binary(&l->b, TL_OP_eq, tl__lower_int_cvt(l, TL_I64, a->index[k]),
                                       tl__lower_int_cvt(l, TL_I64, b->index[k]));
      equal = tl_build_binary(&l->b, TL_OP_and, equal, alike);
    }
    return op == TL_OP_eq ? equal : tl_build_unary(&l->b, TL_OP_not, equal);
  }
  if (same != OTHER_ARRAY) { /* by order C compares pointers into one array only */
    return compare_offsets(l, op, a, b);
  }
  if (a->kind == TL_TARGET_OBJECT && b->kind == TL_TARGET_OBJECT && a->object == b->object &&
      (!equality || a->leaf == b->leaf)) {
    tl__lower_refuse(l, TL_POINTER_UNKNOWN, loc, "pointers into different parts of one object are compared");
  }
  if (!equality) {
    tl__lower_refuse(l, TL_POINTER_UNKNOWN, loc, "pointers to different objects are compared by order");
  }
  if (a->kind == TL_TARGET_NULL || b->kind == TL_TARGET_NULL) {
    tl_value set = target_is_set(l, a->kind == TL_TARGET_NULL ? b : a);
    int64_t known;
    if (tl_is_const_int(l->func, set, &known)) {
      return bool_const(l, (op == TL_OP_ne) == (known != 0));
    }
    return op == TL_OP_ne ? set : tl_build_unary(&l->b, TL_OP_not, set);
  }
  bool alike = a->kind == b->kind && a->kind != TL_TARGET_OBJECT && target_same(a, b);
  return bool_const(l, (op == TL_OP_eq) == alike);
}

tl_value tl__lower_pointer_compare(tl_lower *l, tl_opcode op, const tl_pointer *a, const tl_pointer *b, tl_loc loc) {
  if (a->count > 1) {
    tl_value r = TL_NO_VALUE;
    for (uint32_t i = a->count; i-- > 0;) {
      tl_pointer one = {.count = 1, .targets = &a->targets[i]};
      tl_value v = tl__lower_pointer_compare(l, op, &one, b, loc);
      r = r == TL_NO_VALUE ? v : tl_build_select(&l->b, selected(l, a, i), v, r);
    }
    return r;
  }
  if (b->count > 1) {
    tl_value r = TL_NO_VALUE;
    for (uint32_t i = b->count; i-- > 0;) {
      tl_value v = compare_targets(l, op, &a->targets[0], &b->targets[i], loc);
      r = r == TL_NO_VALUE ? v : tl_build_select(&l->b, selected(l, b, i), v, r);
    }
    return r;
  }
  assert(a->count && b->count);
  return compare_targets(l, op, &a->targets[0], &b->targets[0], loc);
}

tl_value tl__lower_pointer_is_set(tl_lower *l, const tl_pointer *p) {
  tl_value r = TL_NO_VALUE;
  for (uint32_t i = p->count; i-- > 0;) {
    tl_value v = target_is_set(l, &p->targets[i]);
    r = r == TL_NO_VALUE ? v : tl_build_select(&l->b, selected(l, p, i), v, r);
  }
  return r == TL_NO_VALUE ? bool_const(l, true) : r;
}

tl_value tl__lower_pointer_difference(tl_lower *l, const tl_pointer *a, const tl_pointer *b, tl_ctype *pointee,
                                      tl_loc loc) {
  if (a->count != 1 || b->count != 1 || a->targets[0].kind != TL_TARGET_OBJECT ||
      b->targets[0].kind != TL_TARGET_OBJECT) {
    tl__lower_refuse(l, TL_POINTER_UNKNOWN, loc, "the difference of pointers that may refer to several objects");
  }
  tl_target x = a->targets[0], y = b->targets[0];
  tl__lower_pointer_flatten(l, &x, tl__lower_array_depth(pointee));
  tl__lower_pointer_flatten(l, &y, tl__lower_array_depth(pointee));
  if (same_array(l, &x, &y) == OTHER_ARRAY) {
    tl__lower_refuse(l, TL_POINTER_UNKNOWN, loc, "the difference of pointers into different objects");
  }
  uint32_t common = common_prefix(l, &x, &y);
  tl_value d = tl__lower_int_op(l, TL_OP_sub, offset_of(l, &x, common), offset_of(l, &y, common));
  tl_ctype *view = pointee;
  for (uint32_t k = tl__lower_array_depth(pointee); k > tl__lower_array_depth(x.elem); k--) {
    d = tl_build_binary(&l->b, TL_OP_div, d, tl__lower_int_cvt(l, TL_I64, tl__lower_extent_value(l, view)));
    view = view->target;
  }
  return d;
}

void tl__lower_pointer_known(tl_lower *l, const tl_pointer *p, tl_loc loc) {
  uint32_t real = 0;
  for (uint32_t i = 0; i < p->count; i++) {
    const tl_target *t = &p->targets[i];
    if (t->kind == TL_TARGET_UNKNOWN && t->tentative) {
      l->guessed = true;
      return;
    }
    if (t->kind == TL_TARGET_UNKNOWN) {
      tl__lower_refuse(l, TL_POINTER_UNKNOWN, loc, "the object that this pointer refers to is not known: %s", t->text);
    }
    if (t->kind == TL_TARGET_OBJECT && t->object->dead) {
      tl__lower_refuse(l, TL_POINTER_UNKNOWN, loc, "this pointer refers to '%s', whose life has ended",
                       t->object->name ? t->object->name : "an object");
    }
    if (t->kind == TL_TARGET_TEXT) {
      tl__lower_refuse(l, TL_UNSUPPORTED_CONSTRUCT, loc, "the content of %s is read or written", t->text);
    }
    real += t->kind == TL_TARGET_OBJECT;
  }
  if (!real) {
    tl__lower_refuse(l, TL_POINTER_UNKNOWN, loc, "a null pointer is followed");
  }
}

bool tl__lower_same_index(const tl_func *f, tl_value a, tl_value b) {
  int64_t x, y;
  return a == b || (tl_is_const_int(f, a, &x) && tl_is_const_int(f, b, &y) && x == y);
}

/* A conversion between the types that indices and extents have, taken to keep the value; not to char or short, which
 * are asked for to cut it. */
bool tl__lower_keeps_value(const tl_func *f, const tl_op *op) {
  if (!op || op->code != TL_OP_cvt) {
    return false;
  }
  tl_dtype to = tl_type_of(f, op->first_result).dtype, from = tl_type_of(f, op->operands[0]).dtype;
  return !tl_dtype_is_float(from) && (tl_dtype_size(to) >= 4 || tl_dtype_size(to) > tl_dtype_size(from));
}

/* Whether two integers are computed alike, conversions that keep their values apart. */
bool tl__lower_same_value(const tl_func *f, tl_value a, tl_value b) {
  if (a == TL_NO_VALUE || b == TL_NO_VALUE) {
    return a == b;
  }
  if (tl__lower_same_index(f, a, b)) {
    return true;
  }
  const tl_op *p = tl_def(f, a), *q = tl_def(f, b);
  bool p_keeps = tl__lower_keeps_value(f, p), q_keeps = tl__lower_keeps_value(f, q);
  if (p_keeps != q_keeps) {
    return p_keeps ? tl__lower_same_value(f, p->operands[0], b) : tl__lower_same_value(f, a, q->operands[0]);
  }
  if (!p || !q || p->code != q->code || p->operand_count != q->operand_count ||
      (!tl_op_table[p->code].elementwise && p->code != TL_OP_index) || tl_dtype_is_float(tl_type_of(f, a).dtype) ||
      (p->code == TL_OP_cvt && !p_keeps && tl_type_of(f, a).dtype != tl_type_of(f, b).dtype)) {
    return false;
  }
  for (uint32_t i = 0; i < p->operand_count; i++) {
    if (!tl__lower_same_value(f, p->operands[i], q->operands[i])) {
      return false;
    }
  }
  return true;
}
