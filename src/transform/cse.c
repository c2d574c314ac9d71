/* Common subexpressions. One walk in dominance order over one hash table; what a region added is taken out again when
 * the walk leaves it, so an entry that is found always dominates the op at hand. Loads are numbered by array version;
 * the version is first followed back over stores that provably go elsewhere. */
#include <string.h>

#include "transform/rewrite.h"
#include "transform/transform.h"

typedef struct entry {
  tl_op *op;
  uint64_t hash;
  tl_value base;  /* index: the version that it is numbered by */
  bool from_copy; /* index: there is a clone between the two; it must not stay alive for the sake of other loads */
  uint32_t next;  /* in its bucket; 0 ends */
} entry;

typedef struct cse {
  tl_rewrite rw;
  TL_VEC(entry) entries; /* [0] unused; a stack, innermost region last */
  uint32_t *buckets;
  uint32_t mask;
} cse;

static uint64_t mix(uint64_t h, uint64_t x) {
  h = (h ^ x) * 0x9e3779b97f4a7c15u;
  return h ^ (h >> 29);
}

/* The oldest version of the array in which the element at these indices is provably the same. */
static tl_value base_version(const tl_func *f, tl_value array, uint32_t count, const tl_value *indices,
                             bool *from_copy) {
  for (int steps = 0; steps < 32; steps++) {
    const tl_op *def = tl_def(f, array);
    if (!def) {
      return array;
    }
    if (def->code == TL_OP_clone) {
      *from_copy = true;
      array = def->operands[0];
    } else if (def->code == TL_OP_update &&
               tl__indices_compare(f, count, def->operands + 1, indices) == TL_INDEX_DIFFERENT) {
      array = def->operands[0];
    } else {
      return array;
    }
  }
  return array;
}

static uint64_t float_hash(long double x) {
  double d = (double)x;
  uint64_t bits;
  memcpy(&bits, &d, sizeof bits);
  return bits;
}

static uint64_t hash_op(const tl_func *f, const tl_op *op, tl_value base) {
  uint64_t h = mix((uint64_t)op->code, (uint64_t)tl_type_of(f, op->first_result).dtype);
  if (op->code == TL_OP_const) {
    tl_dtype t = tl_type_of(f, op->first_result).dtype;
    return mix(h, tl_dtype_is_float(t) ? float_hash(op->u.floating) : (uint64_t)op->u.integer);
  }
  if (tl__op_is_commutative(op->code)) {
    tl_value a = op->operands[0], b = op->operands[1];
    return mix(mix(h, a < b ? a : b), a < b ? b : a);
  }
  for (uint32_t i = 0; i < op->operand_count; i++) {
    h = mix(h, i == 0 && base ? base : op->operands[i]);
  }
  return h;
}

static bool same_attribute(tl_attr_kind kind, const tl_attr *x, const tl_attr *y) {
  if (kind == TL_ATTR_AXES) {
    return x->axes.count == y->axes.count &&
           (x->axes.count <= 0 || memcmp(x->axes.axis, y->axes.axis, (size_t)x->axes.count) == 0);
  }
  if (kind == TL_ATTR_INTS) {
    return x->ints.count == y->ints.count &&
           (!x->ints.count || memcmp(x->ints.at, y->ints.at, (size_t)x->ints.count * sizeof *x->ints.at) == 0);
  }
  return x->integer == y->integer;
}

/* What a tensor op is told, and the shape that it states. */
static bool same_attributes(const tl_func *f, const tl_op *a, const tl_op *b) {
  const tl_op_info *row = &tl_op_table[a->code];
  if (a->code == TL_OP_dim) {
    return a->u.integer == b->u.integer;
  }
  bool states_shape = tl_op_states_shape(a->code);
  if (states_shape && !tl_type_equal(tl_type_of(f, a->first_result), tl_type_of(f, b->first_result))) {
    return false;
  }
  for (int i = states_shape; i < row->attr_count; i++) {
    if (!same_attribute(row->attrs[i].kind, &a->attrs[i], &b->attrs[i])) {
      return false;
    }
  }
  return true;
}

static bool same_op(const tl_func *f, const entry *e, const tl_op *op, tl_value base) {
  const tl_op *a = e->op;
  if (a->code != op->code || a->operand_count != op->operand_count || e->base != base ||
      tl_type_of(f, a->first_result).dtype != tl_type_of(f, op->first_result).dtype) {
    return false;
  }
  if (e->from_copy && a->operands[0] != op->operands[0]) {
    return false;
  }
  if (op->code == TL_OP_const) {
    return tl__same_value(f, a->first_result, op->first_result);
  }
  if (!same_attributes(f, a, op)) {
    return false;
  }
  if (tl__op_is_commutative(op->code) && a->operands[0] == op->operands[1] && a->operands[1] == op->operands[0]) {
    return true;
  }
  for (uint32_t i = base ? 1 : 0; i < op->operand_count; i++) {
    if (a->operands[i] != op->operands[i]) {
      return false;
    }
  }
  return true;
}

/* The dominating op that computes the same, or NULL after this one was entered. */
static tl_op *find_or_enter(cse *c, tl_op *op) {
  tl_func *f = c->rw.func;
  tl_value base = TL_NO_VALUE;
  bool from_copy = false;
  if (op->code == TL_OP_index) {
    base = base_version(f, op->operands[0], op->operand_count - 1, op->operands + 1, &from_copy);
  }
  uint64_t h = hash_op(f, op, base);
  uint32_t *bucket = &c->buckets[h & c->mask];
  for (uint32_t i = *bucket; i; i = c->entries.data[i].next) {
    const entry *e = &c->entries.data[i];
    if (e->hash == h && same_op(f, e, op, base)) {
      return e->op;
    }
  }
  TL_PUSH(c->rw.scratch, c->entries, (entry){op, h, base, from_copy, *bucket});
  *bucket = c->entries.count - 1;
  return NULL;
}

static bool can_merge(const tl_op *op) {
  return tl_op_table[op->code].elementwise || tl_op_table[op->code].on_tensors || op->code == TL_OP_const ||
         op->code == TL_OP_index || op->code == TL_OP_item || op->code == TL_OP_dim;
}

static void walk(cse *c, tl_region *r) {
  uint32_t outer = c->entries.count;
  tl__rewrite_params(&c->rw, r);
  uint32_t n = 0;
  for (uint32_t i = 0; i < r->ops.count; i++) {
    tl_op *op = r->ops.data[i];
    tl__rewrite_op(&c->rw, op);
    for (uint32_t k = 0; k < op->region_count; k++) {
      walk(c, op->regions[k]);
    }
    tl_op *same = can_merge(op) ? find_or_enter(c, op) : NULL;
    if (same) {
      tl_value_info *kept = &c->rw.func->values.data[same->first_result];
      if (!kept->name) {
        kept->name = tl_info(c->rw.func, op->first_result)->name;
      }
      tl__rewrite_set(&c->rw, op->first_result, same->first_result);
    } else {
      r->ops.data[n++] = op;
    }
  }
  r->ops.count = n;
  tl__rewrite_yields(&c->rw, r);
  while (c->entries.count > outer) {
    const entry *e = &c->entries.data[--c->entries.count];
    c->buckets[e->hash & c->mask] = e->next;
  }
}

void tl__cse_run(tl_func *f, tl_arena *scratch) {
  tl_arena_mark mark = tl_arena_get_mark(scratch);
  cse c = {0};
  tl__rewrite_init(&c.rw, f, scratch);
  uint32_t size = 16;
  while (size < 2 * tl__op_count(f->body)) {
    size *= 2;
  }
  c.buckets = TL_NEW_ARRAY(scratch, uint32_t, size);
  c.mask = size - 1;
  TL_PUSH(scratch, c.entries, (entry){0});
  walk(&c, f->body);
  tl__rewrite_params(&c.rw, f->body);
  tl_arena_rewind(scratch, mark);
}
