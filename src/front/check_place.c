/* Objects of the function's own and what they hold. Static and file-scope objects and what lies behind pointers hold
 * what they state, and nothing else is known of them. */
#include "front/check_priv.h"

/* ---- places ---- */

static uint32_t intern(tl__check *c, const tl_decl *root, uint32_t parent, int64_t step) {
  if (!c->places.count) {
    TL_PUSH(&c->arena, c->places, (tl__place){NULL, 0, 0, false});
  }
  for (uint32_t i = 1; i < c->places.count; i++) {
    const tl__place *p = &c->places.data[i];
    if (p->root == root && p->parent == parent && p->step == step) {
      return i;
    }
  }
  TL_PUSH(&c->arena, c->places, (tl__place){root, parent, step, false});
  return c->places.count - 1;
}

tl__target tl__target_root(tl__check *c, const tl_decl *d) {
  bool is_own = d && (d->storage == TL_STORAGE_LOCAL || d->storage == TL_STORAGE_PARAM);
  return (tl__target){is_own ? intern(c, d, 0, 0) : 0, TL__EXACT};
}

tl__target tl__target_within(tl__check *c, tl__target outer, int64_t step) {
  if (!outer.place || outer.reach != TL__EXACT) {
    return (tl__target){outer.place, TL__WITHIN};
  }
  return (tl__target){intern(c, c->places.data[outer.place].root, outer.place, step), TL__EXACT};
}

tl__target tl__target_of(tl__check *c, const tl_expr *e) {
  if (e->kind == TL_EXPR_VAR) {
    return tl__target_root(c, e->decl);
  }
  if (e->kind == TL_EXPR_MEMBER) {
    return tl__target_within(c, tl__target_of(c, e->a), e->field);
  }
  if (e->kind == TL_EXPR_INDEX && e->a->kind == TL_EXPR_DECAY) {
    tl__target array = tl__target_of(c, e->a->a);
    int64_t i;
    if (tl_attr_integer(e->b, &i) || !array.place) {
      return array.place ? tl__target_within(c, array, i) : array;
    }
    return (tl__target){array.place, array.reach == TL__EXACT ? TL__SOME_ELEMENT : TL__WITHIN};
  }
  return (tl__target){0, TL__EXACT};
}

static uint32_t root_of(const tl__check *c, uint32_t place) {
  while (c->places.data[place].parent) {
    place = c->places.data[place].parent;
  }
  return place;
}

static bool is_below(const tl__check *c, uint32_t place, uint32_t outer) {
  while (place && place != outer) {
    place = c->places.data[place].parent;
  }
  return place != 0;
}

/* ---- what they hold ---- */

static const tl__type *read_place(const tl__check *c, const tl__env *env, uint32_t place) {
  if (!env->is_reached) {
    return &tl__anything;
  }
  uint32_t root = root_of(c, place);
  if (c->places.data[root].is_lost) {
    return &tl__unknown;
  }
  for (;; place = c->places.data[place].parent) {
    if (place < env->types.count && env->types.data[place]) {
      return env->types.data[place];
    }
    if (place == root) {
      bool is_unset = c->places.data[root].root->storage == TL_STORAGE_LOCAL && !env->is_lost;
      return is_unset ? &tl__anything : &tl__unknown;
    }
  }
}

const tl__type *tl__target_read(tl__check *c, tl__target t) {
  if (!t.place || t.reach == TL__WITHIN) {
    return &tl__unknown;
  }
  const tl__type *out = read_place(c, &c->env, t.place);
  for (uint32_t i = 1; t.reach == TL__SOME_ELEMENT && i < c->places.count; i++) {
    if (c->places.data[i].parent == t.place) {
      out = tl__type_meet(c, out, read_place(c, &c->env, i));
    }
  }
  return tl__type_fresh(c, out);
}

static void set(tl__check *c, uint32_t place, const tl__type *type) {
  while (c->env.types.count <= place) {
    TL_PUSH(&c->arena, c->env.types, NULL);
  }
  c->env.types.data[place] = type;
}

void tl__target_write(tl__check *c, tl__target t, const tl__type *type) {
  if (!t.place) {
    return;
  }
  if (t.reach == TL__SOME_ELEMENT) { /* each element may be the one */
    const tl__type *rest = tl__type_meet(c, read_place(c, &c->env, t.place), type);
    for (uint32_t i = 1; i < c->places.count; i++) {
      if (c->places.data[i].parent == t.place) {
        set(c, i, tl__type_meet(c, read_place(c, &c->env, i), type));
      }
    }
    set(c, t.place, rest);
    return;
  }
  for (uint32_t i = 1; i < c->env.types.count; i++) {
    if (i != t.place && is_below(c, i, t.place)) {
      c->env.types.data[i] = NULL;
    }
  }
  set(c, t.place, t.reach == TL__WITHIN ? &tl__unknown : type);
}

void tl__target_copy(tl__check *c, tl__target to, tl__target from) {
  if (!from.place || from.reach != TL__EXACT || !to.place || to.reach != TL__EXACT || from.place == to.place) {
    tl__target_write(c, to, &tl__unknown);
    return;
  }
  tl__target_write(c, to, read_place(c, &c->env, from.place));
  uint32_t count = c->places.count;
  uint32_t *copies = TL_NEW_ARRAY(&c->arena, uint32_t, count);
  copies[from.place] = to.place;
  for (uint32_t i = from.place + 1; i < count; i++) { /* outer places come first */
    uint32_t parent = c->places.data[i].parent;
    if (parent && parent < count && copies[parent]) {
      copies[i] = intern(c, c->places.data[to.place].root, copies[parent], c->places.data[i].step);
      set(c, copies[i], read_place(c, &c->env, i));
    }
  }
}

void tl__target_lose(tl__check *c, tl__target t) {
  if (t.place) {
    c->places.data[root_of(c, t.place)].is_lost = true;
  }
}

/* ---- environments ---- */

tl__env tl__env_copy(tl__check *c, const tl__env *e) {
  tl__env out = {.is_reached = e->is_reached, .is_lost = e->is_lost};
  for (uint32_t i = 0; i < e->types.count; i++) {
    TL_PUSH(&c->arena, out.types, e->types.data[i]);
  }
  return out;
}

tl__env tl__env_join(tl__check *c, const tl__env *a, const tl__env *b) {
  if (!a->is_reached || !b->is_reached) {
    return tl__env_copy(c, a->is_reached ? a : b);
  }
  tl__env out = {.is_reached = true, .is_lost = a->is_lost || b->is_lost};
  for (uint32_t i = 0; i < c->places.count; i++) {
    bool is_unset =
        i == 0 || ((i >= a->types.count || !a->types.data[i]) && (i >= b->types.count || !b->types.data[i]));
    TL_PUSH(&c->arena, out.types, is_unset ? NULL : tl__type_meet(c, read_place(c, a, i), read_place(c, b, i)));
  }
  return out;
}

bool tl__env_equal(tl__check *c, const tl__env *a, const tl__env *b) {
  bool equal = a->is_reached == b->is_reached && a->is_lost == b->is_lost;
  for (uint32_t i = 1; equal && i < c->places.count; i++) {
    equal = tl__type_equal(read_place(c, a, i), read_place(c, b, i));
  }
  return equal;
}
