#include <string.h>

#include "front/lower_priv.h"

/* Arrays of pointers whose length is known only at run time: the rows of a matrix. All pointers of a table refer to one
 * object. Where each is memory made for it (a[i] = malloc(m * sizeof *a[i])), the rows together are one object with the
 * table's axes and one more, made with the table; a first try finds out that, and how long a row is. Else (a[i] = data
 * + i * m) the table is an integer array per index of its pointers. */

/* A short array of pointers is one where it is an object of its own. */
static bool may_be_table(const tl_object *o, const tl_leaf *leaf) {
  return leaf->is_table || (leaf->is_pointer && leaf->rank && o->leaf_count == 1);
}

/* Follows the making of an object: its table, if it is one, gets the rows that an earlier try asked for. */
void tl__lower_table_make(tl_lower *l, tl_object *o) {
  for (uint32_t i = 0; i < o->leaf_count; i++) {
    tl_leaf *leaf = &o->leaves[i];
    if (!may_be_table(o, leaf)) {
      continue;
    }
    o->note = l->table_count++;
    if (o->note == l->tables.count) {
      TL_PUSH(l->arena, l->tables, (tl_table_note){0});
    }
    tl_table_note *note = &l->tables.data[o->note];
    leaf->is_table = leaf->is_table || note->wanted;
    if (note->extent == TL_NO_VALUE || leaf->rank == TL_MAX_RANK) {
      continue;
    }
    tl_value v = tl__lower_recompute(l, note->extent_func, note->extent);
    if (v == TL_NO_VALUE) {
      continue;
    }
    note->extent = v;
    note->extent_func = l->func;
    tl_extent axes[TL_MAX_RANK];
    memcpy(axes, leaf->extents, sizeof *axes * leaf->rank);
    axes[leaf->rank] = tl__lower_as_extent(l, v);
    leaf->pointee =
        tl__lower_object_create(l, TL_OBJECT_HEAP, leaf->name, note->type, leaf->rank + 1, axes, true, "$", o->loc);
    tl__lower_object_allocate(l, leaf->pointee, 0);
    return;
  }
}

static const tl_target *only(const tl_pointer *p) {
  return p && p->count == 1 && p->targets[0].kind == TL_TARGET_OBJECT ? &p->targets[0] : NULL;
}

tl_pointer *tl__lower_table_load(tl_lower *l, const tl_leaf *leaf, uint32_t count, const tl_value *index) {
  const tl_pointer *p = tl__lower_slot_pointer(l, leaf->slot);
  if (!only(p)) {
    return tl__lower_pointer_copy(l, p);
  }
  tl_target t = p->targets[0];
  for (uint32_t k = 0; k < t.index_count; k++) {
    t.index[k] = tl_build_index(&l->b, t.index[k], count, index);
  }
  return tl__lower_pointer_single(l, &t);
}

void tl__lower_table_store(tl_lower *l, const tl_leaf *leaf, uint32_t count, const tl_value *index, const tl_pointer *p,
                           tl_loc loc) {
  const tl_target *to = only(p);
  const tl_pointer *now = l->env.slots[leaf->slot].pointer;
  if (!to || leaf->pointee || (only(now) && !tl__lower_pointer_same_shape(now, p))) {
    tl__lower_refuse(l, TL_POINTER_UNKNOWN, loc, "the pointers in '%s' do not all refer to one object", leaf->name);
  }
  tl_target t = *to;
  for (uint32_t k = 0; k < t.index_count; k++) {
    tl_value array = only(now) ? now->targets[0].index[k]
                               : tl_build_alloc(&l->b, TL_I64, (int)leaf->rank, leaf->extents, 0, leaf->name);
    t.index[k] = tl_build_update(&l->b, array, count, index, tl__lower_int_cvt(l, TL_I64, t.index[k]));
  }
  tl_pointer *next = tl__lower_pointer_single(l, &t);
  next->table = leaf;
  tl__lower_slot_write_pointer(l, leaf->slot, next);
}

/* r lies in a loop that `outer` does not lie in. */
static bool deeper_by_loop(const tl_region *r, const tl_region *outer) {
  for (; r && r != outer; r = r->parent ? r->parent->parent : NULL) {
    if (r->parent && r->parent->code == TL_OP_loop) {
      return true;
    }
  }
  return false;
}

bool tl__lower_table_take(tl_lower *l, const tl_pointer *place, const tl_pointer *v, tl_loc loc) {
  const tl_target *at = only(place), *to = only(v);
  if (!at || !to || at->leaf_count != 1 || !at->object->home || to->object->kind != TL_OBJECT_HEAP ||
      !to->object->home || to->object->leaf_count != 1 || to->index_count != 1 || to->leaf_count != 1 ||
      to->object->leaves[0].rank != 1 || !to->object->leaves[0].is_array ||
      !may_be_table(at->object, &at->object->leaves[at->leaf])) {
    return false;
  }
  const tl_leaf *leaf = &at->object->leaves[at->leaf], *row = &to->object->leaves[0];
  tl_extent e = row->extents[0];
  tl_value extent = e.value != TL_NO_VALUE ? e.value : tl_build_int(&l->b, TL_I64, e.fixed);
  if (!leaf->pointee) {
    int64_t fixed;
    if (!deeper_by_loop(to->object->home, at->object->home) || !tl__lower_depends_on_params(l->func, extent) ||
        (!leaf->is_table && tl_is_const_int(l->func, at->index[at->index_count - 1], &fixed))) {
      return false;
    }
    tl_table_note *note = &l->tables.data[at->object->note];
    if (note->extent != TL_NO_VALUE) {
      return false;
    }
    *note = (tl_table_note){.wanted = true, .extent = extent, .extent_func = l->func, .type = to->object->type};
    tl__lower_restart(l);
  }
  tl_extent mine = leaf->pointee->leaves[0].extents[leaf->rank];
  tl_value have = mine.value != TL_NO_VALUE ? mine.value : tl_build_int(&l->b, TL_I64, mine.fixed);
  if (!tl__lower_same_value(l->func, have, extent)) {
    tl__lower_refuse(l, TL_POINTER_UNKNOWN, loc, "the rows of '%s' are not all of one length", leaf->name);
  }
  const tl_op *first = tl_def(l->func, to->object->first[0]);
  bool is_fresh = l->env.slots[row->slot].value == to->object->first[0] && !(first->u.flags & TL_ALLOC_ZEROED);
  if (!is_fresh) {
    tl_pointer *mine_now = tl__lower_place_load_pointer(l, place, loc);
    tl__lower_copy_elements(l, mine_now, v, to->object->type, extent, loc);
  }
  return true;
}
