#include <string.h>

#include "front/lower_priv.h"

/* ---- slots and scopes ---- */

uint32_t tl__lower_slot_create(tl_lower *l, tl_object *object, const tl_leaf *leaf) {
  tl_env *e = &l->env;
  if (e->count == e->room) {
    uint32_t room = e->room ? 2 * e->room : 16;
    e->slots = tl_arena_grow(l->arena, e->slots, sizeof *e->slots * e->count, sizeof *e->slots * room);
    e->room = room;
  }
  e->slots[e->count] = (tl_binding){.object = object, .leaf = leaf};
  return e->count++;
}

/* Notes that a slot is read, for whoever asks. */
static void log_read(tl_lower *l, uint32_t slot) {
  if (l->read_log) {
    TL_PUSH(l->arena, l->read_log->slots, slot);
  }
}

/* What was never written reads as zero: C leaves it open. */
tl_value tl__lower_slot_read(tl_lower *l, const tl_leaf *leaf) {
  if (leaf->slot == TL_NO_SLOT) {
    if (leaf->fixed == TL_NO_VALUE) {
      if (leaf->type->is_const) {
        tl__lower_refuse(l, TL_UNSUPPORTED_CONSTRUCT, l->b.loc,
                         "the initial value of '%s', which is static, is not known here", leaf->name);
      }
      tl__lower_refuse(l, TL_ACTIVE_GLOBAL, l->b.loc,
                       "'%s' is static and may change from call to call: pass it as a parameter", leaf->name);
    }
    return leaf->fixed;
  }
  log_read(l, leaf->slot);
  tl_value v = l->env.slots[leaf->slot].value;
  if (v == TL_NO_VALUE && leaf->type->is_tensor) {
    tl__lower_refuse(l, TL_UNTYPED_TENSOR, l->b.loc, "the tensor '%s' may be read before it is set", leaf->name);
  }
  return v != TL_NO_VALUE ? v : tl_build_zero(&l->b, leaf->dtype);
}

tl_pointer *tl__lower_slot_pointer(tl_lower *l, uint32_t slot) {
  log_read(l, slot);
  tl_pointer *p = l->env.slots[slot].pointer;
  return p && p->count ? p : tl__lower_pointer_unknown(l, "it was never set");
}

/* A value takes the name of the first variable that it is stored in. */
static void give_name(tl_lower *l, tl_value v, const char *name) {
  tl_value_info *info = &l->func->values.data[v];
  if (name && !info->name && info->op && info->op->code != TL_OP_const) {
    info->name = name;
  }
}

void tl__lower_slot_write(tl_lower *l, const tl_leaf *leaf, tl_value v) {
  give_name(l, v, leaf->name);
  l->env.slots[leaf->slot].value = v;
}

void tl__lower_slot_write_pointer(tl_lower *l, uint32_t slot, tl_pointer *p) { l->env.slots[slot].pointer = p; }

uint32_t tl__lower_scope_enter(const tl_lower *l) { return l->env.count; }

/* Ends the life of the objects made since `mark`. Heap memory lives on, and keeps the slots below it. */
void tl__lower_scope_leave(tl_lower *l, uint32_t mark) {
  uint32_t keep = mark;
  for (uint32_t s = mark; s < l->env.count; s++) {
    tl_object *o = l->env.slots[s].object;
    if (o->kind == TL_OBJECT_LOCAL) {
      o->dead = true;
      l->env.slots[s].value = TL_NO_VALUE;
      l->env.slots[s].pointer = NULL;
    } else if (!o->dead) {
      keep = s + 1;
    }
  }
  l->env.count = keep;
}

tl_env tl__lower_env_copy(tl_lower *l, const tl_env *from) {
  tl_env copy = *from;
  copy.room = from->count;
  copy.slots = TL_NEW_ARRAY(l->arena, tl_binding, from->count + 1);
  if (from->count) {
    memcpy(copy.slots, from->slots, sizeof *copy.slots * from->count);
  }
  return copy;
}

/* ---- exits ---- */

bool tl__lower_exit_has(const tl_exit *e, uint32_t code) { return e->codes[code / 64] >> (code % 64) & 1; }

bool tl__lower_exit_pending(const tl_exit *e) {
  for (uint32_t i = 0; i < TL_EXIT_CODES / 64; i++) {
    if (e->codes[i]) {
      return true;
    }
  }
  return false;
}

static uint32_t exit_code_count(const tl_exit *e) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < TL_EXIT_CODES / 64; i++) {
    n += (uint32_t)__builtin_popcountll(e->codes[i]);
  }
  return n;
}

void tl__lower_exit_set(tl_lower *l, uint32_t code) {
  tl_exit e = {.stays = false, .code = code};
  e.codes[code / 64] |= (uint64_t)1 << (code % 64);
  l->env.exit = e;
}

/* The code, where only one may be pending; else 0. */
static uint32_t only_code(const tl_exit *e) {
  uint32_t found = 0;
  for (uint32_t code = 1; code < TL_EXIT_CODES; code++) {
    if (tl__lower_exit_has(e, code)) {
      if (found) {
        return 0;
      }
      found = code;
    }
  }
  return found;
}

tl_value tl__lower_exit_value(tl_lower *l) {
  tl_exit *e = &l->env.exit;
  if (e->code != TL_EXIT_DYNAMIC) {
    return tl_build_int(&l->b, TL_I32, e->code);
  }
  if (e->is_stale) { /* one code counts, and the others have arrived */
    tl_value c = tl_build_int(&l->b, TL_I32, only_code(e)), zero = tl_build_int(&l->b, TL_I32, 0);
    e->value = tl_build_select(&l->b, tl_build_binary(&l->b, TL_OP_eq, e->value, c), c, zero);
    give_name(l, e->value, "leave");
    e->is_stale = false;
  }
  return e->value;
}

tl_value tl__lower_exit_here(tl_lower *l) {
  const tl_exit *e = &l->env.exit;
  uint32_t code = only_code(e);
  if (e->code == TL_EXIT_DYNAMIC && code) {
    return tl_build_binary(&l->b, TL_OP_ne, e->value, tl_build_int(&l->b, TL_I32, code));
  }
  return tl_build_binary(&l->b, TL_OP_eq, tl__lower_exit_value(l), tl_build_int(&l->b, TL_I32, 0));
}

void tl__lower_exit_gone(tl_lower *l) {
  uint32_t code = only_code(&l->env.exit);
  if (code) {
    tl__lower_exit_set(l, code);
  } else {
    tl__lower_exit_value(l);
    l->env.exit.stays = false;
  }
}

/* Control that was on its way to `code` has arrived. */
void tl__lower_exit_strip(tl_lower *l, uint32_t code) {
  tl_exit *e = &l->env.exit;
  if (!tl__lower_exit_has(e, code)) {
    return;
  }
  if (exit_code_count(e) == 1) {
    *e = (tl_exit){.stays = true};
    return;
  }
  tl_value v = tl__lower_exit_value(l);
  e->codes[code / 64] &= ~((uint64_t)1 << (code % 64));
  e->code = TL_EXIT_DYNAMIC;
  e->value = v;
  e->stays = true;
  if (only_code(e)) {
    e->is_stale = true; /* whoever asks compares with the code that is left */
    return;
  }
  tl_value c = tl_build_int(&l->b, TL_I32, code);
  e->value = tl_build_select(&l->b, tl_build_binary(&l->b, TL_OP_eq, v, c), tl_build_int(&l->b, TL_I32, 0), v);
  give_name(l, e->value, "leave");
}

uint32_t tl__lower_code_create(tl_lower *l, tl_loc loc) {
  if (++l->next_code >= TL_EXIT_CODES) {
    tl__lower_refuse(l, TL_UNSUPPORTED_CONSTRUCT, loc, "loops, switches and calls are nested too deeply here");
  }
  return l->next_code;
}

/* ---- branches ---- */

/* Run-time extents found inside a region are not known after it. */
static void forget_extents(tl_lower *l, const tl_branches *br) {
  if (l->frame) {
    l->frame->extents.count = br->extents;
  }
}

void tl__lower_if_begin(tl_lower *l, tl_value condition, tl_branches *br) {
  *br = (tl_branches){.outer = l->b.region};
  br->op = tl_build_if(&l->b, condition);
  br->before = tl__lower_env_copy(l, &l->env);
  br->extents = l->frame ? l->frame->extents.count : 0;
  l->b.region = br->op->regions[0];
}

void tl__lower_if_else(tl_lower *l, tl_branches *br) {
  forget_extents(l, br);
  br->yes = l->env;
  l->env = tl__lower_env_copy(l, &br->before);
  l->b.region = br->op->regions[1];
}

/* The other branch goes on; its environment waits in `no`. */
void tl__lower_if_resume(tl_lower *l, tl_branches *br) {
  br->no = l->env;
  l->env = br->yes;
  l->b.region = br->op->regions[0];
}

typedef struct tl_merge {
  uint32_t slot; /* or MERGE_VALUE, MERGE_POINTER */
  uint32_t first, count;
  tl_pointer *shape;
} tl_merge;
#define MERGE_VALUE (UINT32_MAX - 1)
#define MERGE_POINTER UINT32_MAX

static void yield(tl_lower *l, tl_branches *br, int side, tl_value v) {
  TL_PUSH(l->func->arena, br->op->regions[side]->yields, v);
}

static tl_value binding_value(tl_lower *l, tl_branches *br, int side, tl_value v, tl_dtype dtype) {
  if (v != TL_NO_VALUE) {
    return v;
  }
  l->b.region = br->op->regions[side];
  return tl_build_zero(&l->b, dtype);
}

static bool same_parts(const tl_pointer *a, const tl_pointer *b) {
  if (a == b) {
    return true;
  }
  if (!a || !b || !tl__lower_pointer_same_shape(a, b) || a->selector != b->selector) {
    return false;
  }
  for (uint32_t t = 0; t < a->count; t++) {
    if (memcmp(a->targets[t].index, b->targets[t].index, sizeof(tl_value) * a->targets[t].index_count) != 0) {
      return false;
    }
  }
  return true;
}

/* Yields a pointer's run-time parts from both sides and says what shape the results have. */
static tl_merge merge_pointer(tl_lower *l, tl_branches *br, uint32_t slot, tl_pointer *yes, tl_pointer *no) {
  static const tl_pointer none;
  yes = yes ? yes : (tl_pointer *)&none;
  no = no ? no : (tl_pointer *)&none;
  tl_merge m = {.slot = slot, .first = br->op->regions[0]->yields.count};
  m.shape = tl__lower_pointer_shape(l, yes, no, br->before.count);
  m.count = tl__lower_pointer_part_count(m.shape);
  tl_value *parts = TL_NEW_ARRAY(l->arena, tl_value, m.count + 1);
  for (int side = 0; side < 2; side++) {
    l->b.region = br->op->regions[side];
    tl__lower_pointer_parts(l, side ? no : yes, m.shape, parts);
    for (uint32_t i = 0; i < m.count; i++) {
      yield(l, br, side, parts[i]);
    }
  }
  return m;
}

static tl_exit merge_exit(tl_lower *l, tl_branches *br, const tl_exit *a, const tl_exit *b, bool *out_dynamic) {
  tl_exit e = {.stays = a->stays || b->stays};
  for (uint32_t i = 0; i < TL_EXIT_CODES / 64; i++) {
    e.codes[i] = a->codes[i] | b->codes[i];
  }
  *out_dynamic = false;
  if (a->code == b->code &&
      (a->code != TL_EXIT_DYNAMIC || (a->value == b->value && a->is_stale == b->is_stale &&
                                      (!a->is_stale || !memcmp(a->codes, b->codes, sizeof a->codes))))) {
    e.is_stale = a->is_stale;
    e.code = a->code;
    e.value = a->value;
    return e;
  }
  for (int side = 0; side < 2; side++) {
    const tl_exit *x = side ? b : a;
    l->b.region = br->op->regions[side];
    l->env.exit = *x;
    yield(l, br, side, tl__lower_exit_value(l));
  }
  e.code = TL_EXIT_DYNAMIC;
  *out_dynamic = true;
  return e;
}

/* Memory made in a branch, but defined ahead of it, lives on after it. */
typedef struct tl_survivor {
  tl_object *object;
  tl_value values[2]; /* of one leaf at the ends of the branches */
  uint32_t leaf, yielded;
} tl_survivor;

typedef struct tl_survivors {
  TL_VEC(tl_survivor) list;
} tl_survivors;

static bool encloses(const tl_region *outer, const tl_region *r) {
  while (r && r != outer) {
    r = r->parent ? r->parent->parent : NULL;
  }
  return r != NULL;
}

static bool holds_pointer(const tl_object *o) {
  for (uint32_t i = 0; i < o->leaf_count; i++) {
    if (o->leaves[i].is_pointer || o->leaves[i].is_opaque) {
      return true;
    }
  }
  return false;
}

static void find_survivors(tl_lower *l, const tl_branches *br, const tl_env *env, int side, uint32_t from,
                           tl_survivors *out) {
  for (uint32_t s = from; s < env->count; s++) {
    tl_object *o = env->slots[s].object;
    if (o->kind != TL_OBJECT_HEAP || o->dead || !o->home || !encloses(o->home, br->outer) || holds_pointer(o)) {
      continue;
    }
    uint32_t leaf = (uint32_t)(env->slots[s].leaf - o->leaves);
    tl_survivor v = {.object = o, .values = {o->first[leaf], o->first[leaf]}, .leaf = leaf, .yielded = UINT32_MAX};
    v.values[side] = env->slots[s].value;
    o->survives = true;
    TL_PUSH(l->arena, out->list, v);
  }
}

/* Ends both branches: every slot that they leave with different content becomes a result of the `if`. */
static void if_end(tl_lower *l, tl_branches *br) {
  forget_extents(l, br);
  if (br->no.slots) {
    br->yes = l->env;
    l->env = br->no;
  }
  tl_env *yes = &br->yes, *no = &l->env;
  uint32_t count = yes->count < no->count ? yes->count : no->count;
  count = count < br->before.count ? count : br->before.count;
  TL_VEC(tl_merge) merges = {0};
  tl_survivors survivors = {0};
  find_survivors(l, br, yes, 0, count, &survivors);
  find_survivors(l, br, no, 1, count, &survivors);
  for (uint32_t s = 0; s < count; s++) {
    tl_binding a = yes->slots[s], b = no->slots[s];
    const tl_leaf *leaf = a.leaf;
    if (a.leaf != b.leaf) { /* a scope ended in one of them */
      count = s;
    } else if (leaf->is_pointer) {
      if (!same_parts(a.pointer, b.pointer)) {
        tl_merge m = merge_pointer(l, br, s, a.pointer, b.pointer);
        TL_PUSH(l->arena, merges, m);
      }
    } else if (a.value != b.value) {
      tl_merge m = {.slot = s, .first = br->op->regions[0]->yields.count, .count = 1};
      yield(l, br, 0, binding_value(l, br, 0, a.value, leaf->dtype));
      yield(l, br, 1, binding_value(l, br, 1, b.value, leaf->dtype));
      TL_PUSH(l->arena, merges, m);
    }
  }
  bool dynamic;
  for (uint32_t i = 0; i < survivors.list.count; i++) {
    tl_survivor *v = &survivors.list.data[i];
    if (v->values[0] != v->values[1]) {
      v->yielded = br->op->regions[0]->yields.count;
      yield(l, br, 0, v->values[0]);
      yield(l, br, 1, v->values[1]);
    }
  }
  uint32_t exit_at = br->op->regions[0]->yields.count;
  tl_exit yes_exit = yes->exit, no_exit = no->exit;
  tl_exit exit = merge_exit(l, br, &yes_exit, &no_exit, &dynamic);
  if (br->extra[0] != TL_NO_VALUE) {
    tl_merge m = {.slot = MERGE_VALUE, .first = br->op->regions[0]->yields.count, .count = 1};
    yield(l, br, 0, br->extra[0]);
    yield(l, br, 1, br->extra[1]);
    TL_PUSH(l->arena, merges, m);
  }
  if (br->pointers[0]) {
    tl_merge m = merge_pointer(l, br, MERGE_POINTER, br->pointers[0], br->pointers[1]);
    TL_PUSH(l->arena, merges, m);
  }
  l->b.region = br->outer;
  tl_build_if_results(&l->b, br->op);

  l->env.count = count;
  tl_value first = br->op->first_result;
  tl_value *parts = TL_NEW_ARRAY(l->arena, tl_value, br->op->result_count + 1);
  for (uint32_t i = 0; i < merges.count; i++) {
    const tl_merge *m = &merges.data[i];
    for (uint32_t k = 0; k < m->count; k++) {
      parts[k] = first + m->first + k;
    }
    if (m->slot == MERGE_VALUE) {
      br->extra[0] = parts[0];
    } else if (m->slot == MERGE_POINTER) {
      br->pointers[0] = tl__lower_pointer_rebuild(l, m->shape, parts);
    } else if (m->shape) {
      l->env.slots[m->slot].pointer = tl__lower_pointer_rebuild(l, m->shape, parts);
    } else {
      tl_value_info *info = &l->func->values.data[parts[0]];
      info->name = l->env.slots[m->slot].leaf->name;
      l->env.slots[m->slot].value = parts[0];
    }
  }
  for (uint32_t i = 0; i < survivors.list.count; i++) {
    const tl_survivor *v = &survivors.list.data[i];
    tl_leaf *leaf = &v->object->leaves[v->leaf];
    v->object->survives = false;
    leaf->slot = tl__lower_slot_create(l, v->object, leaf);
    l->env.slots[leaf->slot].value = v->yielded == UINT32_MAX ? v->values[0] : first + v->yielded;
  }
  if (dynamic) {
    exit.value = first + exit_at;
    l->func->values.data[exit.value].name = "leave";
  }
  l->env.exit = exit;
}

void tl__lower_if_end(tl_lower *l, tl_branches *br) { if_end(l, br); }

tl_value tl__lower_if_end_value(tl_lower *l, tl_branches *br, tl_value yes, tl_value no) {
  br->extra[0] = yes;
  br->extra[1] = no;
  if_end(l, br);
  return br->extra[0];
}

tl_pointer *tl__lower_if_end_pointer(tl_lower *l, tl_branches *br, tl_pointer *yes, tl_pointer *no) {
  br->pointers[0] = yes;
  br->pointers[1] = no;
  if_end(l, br);
  return br->pointers[0];
}
