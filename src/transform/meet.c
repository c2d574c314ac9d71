/* Bringing two ops of one region together, so that they can become one. */
#include "transform/meet.h"

#include "transform/rewrite.h"

static void list_users(tl_meet *f, tl_region *r) {
  for (uint32_t i = 0; i < r->ops.count; i++) {
    tl_op *o = r->ops.data[i];
    for (uint32_t k = 0; k < o->operand_count; k++) {
      if (o->operands[k]) {
        TL_PUSH(f->scratch, f->users[o->operands[k]], (tl_meet_user){o, r, k});
      }
    }
    for (uint32_t k = 0; k < o->region_count; k++) {
      list_users(f, o->regions[k]);
    }
  }
  for (uint32_t i = 0; i < r->yields.count; i++) {
    TL_PUSH(f->scratch, f->users[r->yields.data[i]], (tl_meet_user){NULL, r, i});
  }
}

void tl__meet_init(tl_meet *f, tl_func *func, tl_arena *scratch) {
  *f = (tl_meet){.func = func, .scratch = scratch, .base = tl_arena_get_mark(scratch)};
  tl__meet_refresh(f);
}

void tl__meet_refresh(tl_meet *f) {
  tl_arena_rewind(f->scratch, f->base);
  f->value_count = f->func->values.count;
  f->users = TL_NEW_ARRAY(f->scratch, tl_meet_users, f->value_count);
  list_users(f, f->func->body);
}

bool tl__meet_has_effect(const tl_meet *f, const tl_op *o) {
  if (o->code == TL_OP_extern || o->code == TL_OP_call) {
    return !tl__op_is_pure(f->func, o) || o->code == TL_OP_extern;
  }
  for (uint32_t r = 0; r < o->region_count; r++) {
    for (uint32_t i = 0; i < o->regions[r]->ops.count; i++) {
      if (tl__meet_has_effect(f, o->regions[r]->ops.data[i])) {
        return true;
      }
    }
  }
  return false;
}

static void mark_reads(const tl_meet *f, const tl_op *o, bool *read) {
  for (uint32_t i = 0; i < o->operand_count; i++) {
    read[o->operands[i]] = true;
  }
  for (uint32_t r = 0; r < o->region_count; r++) {
    for (uint32_t i = 0; i < o->regions[r]->ops.count; i++) {
      mark_reads(f, o->regions[r]->ops.data[i], read);
    }
    for (uint32_t i = 0; i < o->regions[r]->yields.count; i++) {
      read[o->regions[r]->yields.data[i]] = true;
    }
  }
}

bool tl__meet_reads_any(const tl_meet *f, const tl_op *o, const bool *of) {
  for (uint32_t i = 0; i < o->operand_count; i++) {
    if (o->operands[i] < f->value_count && of[o->operands[i]]) {
      return true;
    }
  }
  for (uint32_t r = 0; r < o->region_count; r++) {
    for (uint32_t i = 0; i < o->regions[r]->ops.count; i++) {
      if (tl__meet_reads_any(f, o->regions[r]->ops.data[i], of)) {
        return true;
      }
    }
    for (uint32_t i = 0; i < o->regions[r]->yields.count; i++) {
      if (of[o->regions[r]->yields.data[i]]) {
        return true;
      }
    }
  }
  return false;
}

void tl__meet_mark_overwritten(const tl_meet *f, const tl_op *o, bool *gone) {
  for (uint32_t i = 0; i < o->operand_count; i++) {
    gone[o->operands[i]] |= tl__op_overwrites(f->func, o, i);
  }
  for (uint32_t r = 0; r < o->region_count; r++) {
    for (uint32_t i = 0; i < o->regions[r]->ops.count; i++) {
      tl__meet_mark_overwritten(f, o->regions[r]->ops.data[i], gone);
    }
  }
}

bool *tl__meet_flags(const tl_meet *f) { return TL_NEW_ARRAY(f->scratch, bool, f->value_count); }

bool tl__meet_is_possible(const tl_meet *f, const tl_region *r, uint32_t first, uint32_t second, const bool *gone,
                          bool *late) {
  const tl_op *a = r->ops.data[first], *b = r->ops.data[second];
  bool *from_late = tl__meet_flags(f), *early_overwrites = tl__meet_flags(f), *late_overwrites = tl__meet_flags(f);
  for (uint32_t i = 0; i < a->result_count; i++) {
    from_late[tl_op_result(a, i)] = true;
  }
  for (uint32_t i = first + 1; i < second; i++) {
    const tl_op *o = r->ops.data[i];
    if (tl__meet_has_effect(f, o)) {
      return false;
    }
    late[i - first] = tl__meet_reads_any(f, o, from_late);
    if (!late[i - first]) {
      if (tl__meet_reads_any(f, o, late_overwrites)) {
        return false; /* an early op would pass a late one that overwrites what it reads: it reads the old version
                         anyway */
      }
      tl__meet_mark_overwritten(f, o, early_overwrites);
      continue;
    }
    if (tl__meet_reads_any(f, o, gone)) {
      return false;
    }
    for (uint32_t k = 0; k < o->result_count; k++) {
      from_late[tl_op_result(o, k)] = true;
    }
    tl__meet_mark_overwritten(f, o, late_overwrites);
  }
  for (uint32_t i = 0; i < a->result_count; i++) {
    from_late[tl_op_result(a, i)] = false;
  }
  return !tl__meet_reads_any(f, b, from_late) && !tl__meet_reads_any(f, b, late_overwrites) &&
         !tl__meet_reads_any(f, a, early_overwrites);
}

void tl__meet_reorder(tl_meet *f, tl_region *r, uint32_t first, uint32_t second, const bool *late, uint32_t made) {
  uint32_t count = r->ops.count;
  tl_op **old = TL_NEW_ARRAY(f->scratch, tl_op *, count);
  for (uint32_t i = 0; i < count; i++) {
    old[i] = r->ops.data[i];
  }
  uint32_t at = first;
  for (uint32_t i = first + 1; i < second; i++) {
    if (!late[i - first]) {
      r->ops.data[at++] = old[i];
    }
  }
  for (uint32_t i = made; i < count; i++) {
    r->ops.data[at++] = old[i];
  }
  for (uint32_t i = first + 1; i < second; i++) {
    if (late[i - first]) {
      r->ops.data[at++] = old[i];
    }
  }
  for (uint32_t i = second + 1; i < made; i++) {
    r->ops.data[at++] = old[i];
  }
  r->ops.count = at;
}

bool *tl__meet_needed_by(const tl_meet *f, const tl_region *r, uint32_t at) {
  bool *needed = TL_NEW_ARRAY(f->scratch, bool, at + 1), *read = tl__meet_flags(f);
  mark_reads(f, r->ops.data[at], read);
  for (uint32_t i = at; i-- > 0;) {
    const tl_op *o = r->ops.data[i];
    for (uint32_t k = 0; k < o->result_count && !needed[i]; k++) {
      needed[i] = read[tl_op_result(o, k)];
    }
    if (needed[i]) {
      mark_reads(f, o, read);
    }
  }
  return needed;
}
