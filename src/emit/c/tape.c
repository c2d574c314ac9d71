/* Arrays on the heap, and what happens when they cannot be allocated. A tl_tape holds the blocks of a
 * call in the order in which they are taken, so that all of them, or those of a region, are freed at once. Where one
 * cannot be had every result becomes NaN, tl_tape_failed is told, everything is freed, and the function returns. Where
 * only one allocation can fail this is written where it fails, else once at the end of the function, behind a label.
 *
 * Ahead of arrays that are made and freed together one block of their size is taken and given back. A C library keeps
 * the storage of one block for the next call, but returns that of many to the system, and the pages then have to be
 * made anew each time. They are no parts of one block: gcc 12 breaks loops that load from and store to two parts of
 * one. */
#include <assert.h>
#include <string.h>

#include "emit/c/internal.h"

bool tl__c_tape_any_heap(tl__c_emit *e) {
  for (tl_value v = 1; v < e->value_count; v++) {
    if (e->values[v].var == v && e->vars[v].used && e->vars[v].storage == TL__HEAP && !e->vars[v].is_param) {
      return true;
    }
  }
  bool vary = false;
  for (uint32_t k = 0; k < e->ops.count; k++) {
    if (e->ops.data[k].needed && e->ops.data[k].op->code == TL_OP_call &&
        tl__c_call_blocks(e, e->ops.data[k].op, &vary)) {
      return true;
    }
  }
  return false;
}

/* The text of v means the same wherever it stands: no variable in it is assigned to again. */
static bool is_settled(tl__c_emit *e, tl_value v, bool at_entry) {
  const tl_op *op = tl_def(e->f, v);
  if (op && op->code == TL_OP_const) {
    return true;
  }
  if (op && e->values[v].mode != TL__VARIABLE) {
    for (uint32_t i = 0; i < op->operand_count; i++) {
      if (!is_settled(e, op->operands[i], at_entry)) {
        return false;
      }
    }
    return op->region_count == 0 && (!at_entry || tl_op_table[op->code].elementwise);
  }
  uint32_t root = tl__c_root(e, v), holds = 0;
  for (tl_value k = 1; k < e->value_count; k++) {
    holds += tl__c_root(e, k) == root;
  }
  return holds == 1 && (!at_entry || e->vars[root].is_param);
}

/* It lives as long as the call, and its size is known when the function is entered. */
static bool is_made_at_entry(tl__c_emit *e, tl_value array) {
  const tl__c_var *p = &e->vars[array];
  tl_type t = tl__c_type(e, array);
  for (int i = 0; i < t.rank; i++) {
    if (t.extents[i].value && !is_settled(e, t.extents[i].value, true)) {
      return false;
    }
  }
  return !p->lifetime && !(p->flags & TL_ALLOC_GROW);
}

/* Before names are given. */
void tl__c_tape_plan(tl__c_emit *e) {
  memset(&e->heap, 0, sizeof e->heap);
  e->label = e->tape = NULL;
  memset(&e->unchecked, 0, sizeof e->unchecked);
  e->checks_from = 0;
  e->block = false;
  memset(&e->pool, 0, sizeof e->pool);
  uint32_t sites = 0;
  bool any_at_entry = false;
  for (tl_value v = 1; v < e->value_count; v++) {
    tl__c_var *p = &e->vars[v];
    if (e->values[v].var == v && p->used && p->storage == TL__HEAP && !p->is_param) {
      TL_PUSH(e->arena, e->heap, v);
      p->at_entry = is_made_at_entry(e, v);
      any_at_entry |= p->at_entry;
      sites += p->at_entry ? 0 : p->flags & TL_ALLOC_GROW ? 2 : 1;
    }
  }
  sites += any_at_entry;
  e->object_blocks = 0;
  for (uint32_t k = 0; k < e->ops.count; k++) {
    if (e->ops.data[k].needed && e->ops.data[k].op->code == TL_OP_call) {
      uint32_t n = tl__c_call_blocks(e, e->ops.data[k].op, &e->block);
      e->object_blocks = n > e->object_blocks ? n : e->object_blocks;
      sites += n;
    }
  }
  if (sites < 2) {
    return;
  }
  e->label = "out_of_memory";
  for (tl_value v = 1; v < e->value_count; v++) {
    const tl__c_var *p = &e->vars[v];
    bool is_stack = p->storage == TL__STACK;
    if (e->values[v].var != v || !p->used || p->is_param || p->region || !(is_stack || p->storage == TL__HEAP)) {
      continue;
    }
    tl_type t = tl__c_type(e, v);
    for (int i = is_stack ? 0 : 1; i < t.rank; i++) { /* the first extent of an array on the heap is not in its type */
      e->block = e->block || t.extents[i].value != TL_NO_VALUE;
    }
  }
}

void tl__c_tape_declare(tl__c_emit *e) {
  if (!e->heap.count && !e->object_blocks) {
    return;
  }
  if (e->label) {
    e->label = tl__c_name_fresh(e, 0, e->label);
  }
  const char *blocks = tl__c_name_fresh(e, 0, "blocks");
  e->tape = tl__c_name_fresh(e, 0, "tape");
  e->needs->tape = true;
  tl__c_line(e, "void *%s[%u];", blocks, e->heap.count + e->object_blocks);
  tl__c_line(e, "tl_tape %s = {%s, 0, 0};", e->tape, blocks);
}

void tl__c_tape_enter(tl__c_emit *e) {
  for (uint32_t i = 0; i < e->heap.count; i++) {
    tl__c_var *p = &e->vars[e->heap.data[i]];
    if (p->at_entry) {
      const tl_op *op = p->declared_at;
      bool is_first = op && op->code == TL_OP_alloc && tl__c_root(e, op->first_result) == e->heap.data[i];
      p->zeroed_by = is_first && op->u.flags & TL_ALLOC_ZEROED ? op : NULL;
      p->made = true;
      tl__c_tape_allocate(e, e->heap.data[i], p->zeroed_by);
    }
  }
  if (!e->label) {
    tl__c_tape_check(e);
  }
}

static void fail(tl__c_emit *e) {
  if (e->label) {
    tl__c_line(e, "goto %s;", e->label);
    return;
  }
  tl__c_line(e, "tl_tape_report(\"%s\", &%s);", e->f->name, e->tape);
  e->leaving = true;
  tl__c_emit_return_failed(e);
  e->leaving = false;
}

/* The extent is never negative: an unsigned value, a constant, a trip count, `x > 0 ? x : 0`. */
static bool is_counting(tl__c_emit *e, tl_extent x) {
  if (x.value == TL_NO_VALUE || tl_dtype_is_unsigned(tl__c_type(e, x.value).dtype)) {
    return true;
  }
  const tl_op *op = tl_def(e->f, x.value);
  int64_t k;
  if (op && op->code == TL_OP_select) {
    const tl_op *c = tl_def(e->f, op->operands[0]);
    return c && c->code == TL_OP_gt && c->operands[0] == op->operands[1] && tl_is_const_int(e->f, c->operands[1], &k) &&
           k >= 0 && tl_is_const_int(e->f, op->operands[2], &k) && k >= 0;
  }
  return op && op->code == TL_OP_loop && tl_loop_trips(op) == x.value;
}

/* n where the extent is printed as "n > 0 ? n : 0"; TL_NO_VALUE where it is something else. */
static tl_value counted(tl__c_emit *e, tl_extent x) {
  const tl_op *op = tl_def(e->f, x.value);
  int64_t zero;
  if (!op || e->values[x.value].mode != TL__INLINE) {
    return TL_NO_VALUE;
  }
  if (op->code == TL_OP_loop) {
    bool plain = op->u.step == 1 && tl_is_const_int(e->f, tl_loop_lo(op), &zero) && !zero;
    tl_value hi = tl_loop_hi(op);
    bool varies = !tl_dtype_is_unsigned(tl__c_type(e, hi).dtype) && !tl__c_is_const(e, hi);
    return plain && varies ? hi : TL_NO_VALUE;
  }
  const tl_op *c = op->code == TL_OP_select ? tl_def(e->f, op->operands[0]) : NULL;
  bool plain = c && tl_is_const_int(e->f, c->operands[1], &zero) && !zero &&
               tl_is_const_int(e->f, op->operands[2], &zero) && !zero;
  return plain ? op->operands[1] : TL_NO_VALUE;
}

/* The extent as a size_t, or as what C makes one without losing a sign. */
static const char *extent_factor(tl__c_emit *e, tl_extent x, bool alone) {
  if (x.value == TL_NO_VALUE || tl_dtype_is_unsigned(tl__c_type(e, x.value).dtype)) {
    return tl__c_extent_text(e, x, alone ? TL__PREC_COND : TL__PREC_UNARY);
  }
  tl_value n = is_counting(e, x) ? counted(e, x) : x.value;
  if (n == TL_NO_VALUE) {
    return tl_arena_printf(e->arena, "(size_t)%s", tl__c_extent_text(e, x, TL__PREC_UNARY));
  }
  return tl_arena_printf(e->arena, "(size_t)(%s > 0 ? %s : 0)", tl__c_bound_text(e, n, TL__PREC_SHIFT),
                         tl__c_bound_text(e, n, TL__PREC_COND));
}

const char *tl__c_count_text(tl__c_emit *e, tl_type t) {
  tl__c_text s = {.arena = e->arena};
  tl__c_text_add(&s, "");
  for (int i = 0; i < t.rank; i++) {
    const char *factor = extent_factor(e, t.extents[i], t.rank == 1);
    bool widens = !i && t.rank > 1 && tl__c_narrow_extents(e, t) && *factor != '(';
    tl__c_text_addf(&s, "%s%s%s", i ? " * " : "", widens ? "(size_t)" : "", factor);
  }
  return s.data;
}

static bool is_cast(const char *count) { return !strncmp(count, "(size_t)", 8); }

const char *tl__c_count_factor(tl__c_emit *e, tl_type t) {
  const char *text = tl__c_count_text(e, t);
  bool is_factor = t.rank > 1 || is_cast(text) || !strpbrk(text, " ");
  return is_factor ? text : tl_arena_printf(e->arena, "(%s)", text);
}

/* Whether the array may be one of those that are made together here. */
static bool fits_pool(tl__c_emit *e, tl_value array) {
  const tl__c_var *p = tl__c_var_of(e, array);
  tl_type t = tl__c_type(e, array);
  if (e->heap.count < 2 || p->flags & TL_ALLOC_GROW || t.rank == 0) {
    return false;
  }
  if (e->pool.count) {
    tl_value first = e->pool.data[0];
    if (e->pool_at != e->out || tl__c_type(e, first).dtype != t.dtype ||
        tl__c_var_of(e, first)->lifetime != p->lifetime) {
      return false;
    }
  }
  for (int i = 0; i < t.rank; i++) {
    if (t.extents[i].value && !is_settled(e, t.extents[i].value, false)) {
      return false;
    }
  }
  return true;
}

/* The number of elements of all arrays in the pool: equal ones are counted. */
static const char *pool_count_text(tl__c_emit *e) {
  tl__c_text s = {.arena = e->arena};
  uint32_t n = e->pool.count;
  const char **texts = TL_NEW_ARRAY(e->arena, const char *, n);
  for (uint32_t i = 0; i < n; i++) {
    tl_type t = tl__c_type(e, e->pool.data[i]);
    const char *text = tl__c_count_factor(e, t);
    bool is_narrow = t.rank == 1 && tl__c_narrow_extents(e, t) && !is_cast(text);
    texts[i] = tl_arena_printf(e->arena, "%s%s", is_narrow ? "(size_t)" : "", text);
  }
  for (uint32_t i = 0; i < n; i++) {
    uint32_t times = 0;
    bool is_first = true;
    for (uint32_t k = 0; k < n; k++) {
      bool same = !strcmp(texts[i], texts[k]);
      is_first = is_first && !(same && k < i);
      times += same;
    }
    if (is_first) {
      tl__c_text_add(&s, s.count ? " + " : "");
      tl__c_text_add(&s, times > 1 ? tl_arena_printf(e->arena, "%u * ", times) : "");
      tl__c_text_add(&s, texts[i]);
    }
  }
  return s.data;
}

/* Arrays that grow together have one variable for how many elements there are. */
static void declare_room(tl__c_emit *e, tl_value root, const char *count) {
  tl__c_var *p = &e->vars[root];
  tl_value leader = p->together ? p->together : root;
  bool is_shared = false;
  for (tl_value v = 1; v < e->value_count; v++) {
    is_shared |= v != leader && e->vars[v].together == leader;
    if (p->together && v != root && e->vars[v].together == leader && e->vars[v].room) {
      p->room = e->vars[v].room;
      return;
    }
  }
  p->room = tl__c_name_fresh(e, p->region, is_shared ? "room" : tl_arena_printf(e->arena, "%s_room", p->name));
  tl__c_define(e, p->room, tl_arena_printf(e->arena, "size_t %s = %s;", p->room, count));
}

static void allocate(tl__c_emit *e, tl_value array, bool zeroed) {
  tl__c_var *p = tl__c_var_of(e, array);
  tl_type t = tl__c_type(e, array);
  tl__c_text row = {.arena = e->arena};
  tl__c_text_add(&row, "");
  for (int i = 1; i < t.rank; i++) {
    tl__c_text_addf(&row, "[%s]", tl__c_stack_extent(e, t.extents[i]));
  }
  t.rank = 1;
  const char *count = tl__c_count_text(e, t);
  assert(!p->declared);
  p->declared = true;
  tl__c_line(e, row.count ? "%s (*%s)%s = %s(&%s, %s, sizeof *%s);" : "%s *%s%s = %s(&%s, %s, sizeof *%s);",
             tl__c_decl_text(t), p->name, row.data, zeroed ? "tl_tape_zeros" : "tl_tape_alloc", e->tape, count,
             p->name);
  if (p->flags & TL_ALLOC_GROW) {
    declare_room(e, tl__c_root(e, array), count);
  }
}

void tl__c_tape_allocate_object(tl__c_emit *e, const char *type, const char *name, const char *row, tl_type t) {
  e->needs->alloc = true;
  TL_PUSH(e->arena, e->unchecked, TL_NO_VALUE);
  tl__c_line(
      e, *row ? "%s (*%s)%s = tl_tape_alloc(&%s, %s, sizeof *%s);" : "%s *%s%s = tl_tape_alloc(&%s, %s, sizeof *%s);",
      type, name, row, e->tape, t.rank ? tl__c_count_text(e, t) : "1", name);
  tl__c_tape_check(e);
}

static void allocate_pool(tl__c_emit *e) {
  assert(!e->pool.count || e->pool_at == e->out);
  if (e->pool.count > 1) {
    e->needs->reserve = true;
    tl__c_line(e, "tl_tape_reserve(%s, sizeof(%s));", pool_count_text(e),
               tl__c_decl_text(tl__c_type(e, e->pool.data[0])));
  }
  for (uint32_t i = 0; i < e->pool.count; i++) {
    allocate(e, e->pool.data[i], false);
  }
  e->pool.count = 0;
}

void tl__c_tape_allocate(tl__c_emit *e, tl_value array, bool zeroed) {
  *(zeroed ? &e->needs->zeros : &e->needs->alloc) = true;
  TL_PUSH(e->arena, e->unchecked, tl__c_root(e, array));
  if (!zeroed && fits_pool(e, array)) {
    e->pool_at = e->out;
    TL_PUSH(e->arena, e->pool, array);
  } else {
    allocate(e, array, zeroed);
  }
}

void tl__c_tape_check(tl__c_emit *e) {
  if (e->unchecked.count == e->checks_from) {
    return;
  }
  e->unchecked.count = e->checks_from;
  allocate_pool(e);
  tl__c_block *outside = e->out;
  e->out = &tl__c_braced(e, tl_arena_printf(e->arena, "if (%s.failed_bytes > 0)", e->tape))->body;
  fail(e);
  e->out = outside;
}

static bool is_unchecked(tl__c_emit *e, tl_value v) {
  for (uint32_t i = e->checks_from; i < e->unchecked.count && tl__c_type(e, v).is_array; i++) {
    if (e->unchecked.data[i] == tl__c_root(e, v)) {
      return true;
    }
  }
  return false;
}

/* The op, or what it is around, reads or writes an array whose allocation was not checked. */
static bool touches_unchecked(tl__c_emit *e, const tl_op *op) {
  bool touches = false;
  for (uint32_t i = 0; i < op->operand_count && !touches; i++) {
    touches = op->operands[i] && is_unchecked(e, op->operands[i]);
  }
  for (uint32_t i = 0; i < op->result_count && !touches; i++) {
    touches = is_unchecked(e, tl_op_result(op, i));
  }
  for (uint32_t k = 0; k < op->region_count && !touches; k++) {
    const tl_region *r = op->regions[k];
    for (uint32_t i = 0; i < r->ops.count && !touches; i++) {
      touches = touches_unchecked(e, r->ops.data[i]);
    }
  }
  return touches;
}

void tl__c_tape_check_for(tl__c_emit *e, const tl_op *op) {
  if (!e->label || touches_unchecked(e, op)) {
    tl__c_tape_check(e);
  } else if (op->region_count) {
    allocate_pool(e);
  }
}

static void resize(tl__c_emit *e, const tl__c_var *p) {
  tl__c_line(e, "%s = tl_tape_resize(&%s, %s, %s, sizeof *%s);", p->name, e->tape, p->name, p->room, p->name);
}

/* Makes room for the element in the array with this root, and in those that grow together with it. */
static void grow(tl__c_emit *e, tl_value root, const char *test, const char *index) {
  const tl__c_var *p = &e->vars[root];
  e->needs->grow = true;
  tl__c_block *outside = e->out;
  e->out = &tl__c_braced(e, tl_arena_printf(e->arena, "if (%s%s >= %s)", test, index, p->room))->body;
  if (p->flags & TL_ALLOC_ZEROED) {
    e->needs->grow_zeroed = e->needs->memory = true;
    tl__c_line(e, "%s = tl_tape_grow_zeroed(&%s, %s, &%s, %s, sizeof *%s);", p->name, e->tape, p->name, p->room, index,
               p->name);
  } else {
    tl__c_line(e, "%s = tl_tape_room(%s, %s);", p->room, p->room, index);
    resize(e, p);
    for (tl_value v = 1; v < e->value_count; v++) {
      if (v != root && e->vars[v].together == root) {
        resize(e, &e->vars[v]);
      }
    }
  }
  e->out = &tl__c_braced(e, tl_arena_printf(e->arena, "if (%s.failed_bytes > 0)", e->tape))->body;
  fail(e);
  e->out = outside;
}

/* Whether the store is the one that makes room in its array. */
static bool makes_room(tl__c_emit *e, const tl_op *update) {
  tl_value leader = e->vars[tl__c_root(e, update->first_result)].together;
  return !leader || e->vars[leader].grown_by == update;
}

void tl__c_tape_grow(tl__c_emit *e, const tl_op *update) {
  if (makes_room(e, update)) {
    const char *index = tl__c_index_text(e, update->operands[1], TL__PREC_ASSIGN);
    grow(e, tl__c_root(e, update->first_result), "",
         tl_arena_printf(e->arena, strpbrk(index, " ?") ? "(size_t)(%s)" : "(size_t)%s", index));
  }
}

void tl__c_tape_widen(tl__c_emit *e, tl_value array, const char *room) {
  grow(e, tl__c_root(e, array), tl_arena_printf(e->arena, "%s > 0 && ", room),
       tl_arena_printf(e->arena, "%s - 1", room));
}

/* ---- arrays that grow together ---- */

/* Whether the op reads the array or hands it on to a loop or branch, and so does nothing to its size. */
static bool keeps_size(const tl_op *op) {
  return op->code == TL_OP_index || op->code == TL_OP_loop || op->code == TL_OP_if;
}

/* By root: how many ops may make the array grow. */
static uint32_t *count_growing(tl__c_emit *e) {
  uint32_t *counts = TL_NEW_ARRAY(e->arena, uint32_t, e->value_count);
  for (uint32_t k = 0; k < e->ops.count; k++) {
    const tl_op *op = e->ops.data[k].op;
    for (uint32_t i = 0; i < op->operand_count && e->ops.data[k].needed && !keeps_size(op); i++) {
      if (op->operands[i] && tl__c_type(e, op->operands[i]).is_array) {
        counts[tl__c_root(e, op->operands[i])]++;
      }
    }
  }
  return counts;
}

/* The array that grows by this op alone, a store; else TL_NO_VALUE. */
static tl_value grown_by_alone(tl__c_emit *e, const tl_op *op, const uint32_t *growing) {
  tl_value root = op->code == TL_OP_update ? tl__c_root(e, op->first_result) : TL_NO_VALUE;
  const tl__c_var *p = &e->vars[root];
  bool grows = root && !p->is_param && p->flags & TL_ALLOC_GROW && !(p->flags & TL_ALLOC_ZEROED) &&
               p->storage == TL__HEAP && growing[root] == 1;
  return grows ? root : TL_NO_VALUE;
}

/* Two arrays that start alike and get an element each at one index have always as much room as each other. The first
 * store makes it for both: the second runs only where the first did. */
static bool grow_alike(tl__c_emit *e, const tl_op *first, const tl__c_op *second) {
  const tl__c_var *a = &e->vars[tl__c_root(e, first->first_result)];
  const tl__c_var *b = &e->vars[tl__c_root(e, second->op->first_result)];
  return first->operands[1] == second->op->operands[1] && a->region == b->region && a->lifetime == b->lifetime &&
         tl__c_region_within(e, second->region, tl__c_op_of(e, first)->region);
}

void tl__c_tape_group(tl__c_emit *e) {
  const uint32_t *growing = count_growing(e);
  TL_VEC(tl_value) leaders = {0};
  for (uint32_t k = 0; k < e->ops.count; k++) {
    const tl__c_op *o = &e->ops.data[k];
    tl_value root = o->needed ? grown_by_alone(e, o->op, growing) : TL_NO_VALUE;
    if (!root) {
      continue;
    }
    tl__c_var *p = &e->vars[root];
    for (uint32_t i = leaders.count; i-- > 0 && !p->together;) {
      p->together = grow_alike(e, e->vars[leaders.data[i]].grown_by, o) ? leaders.data[i] : TL_NO_VALUE;
    }
    if (!p->together) {
      p->together = root;
      p->grown_by = o->op;
      TL_PUSH(e->arena, leaders, root);
    }
  }
}

static tl_value without_cvt(const tl__c_emit *e, tl_value v) {
  const tl_op *op = tl_def(e->f, v);
  return op && op->code == TL_OP_cvt && !tl_dtype_is_float(tl_type_of(e->f, op->operands[0]).dtype) ? op->operands[0]
                                                                                                    : v;
}

static bool same_number(const tl__c_emit *e, tl_value a, tl_value b) {
  int64_t x, y;
  a = without_cvt(e, a);
  b = without_cvt(e, b);
  return a == b || (tl_is_const_int(e->f, a, &x) && tl_is_const_int(e->f, b, &y) && x == y);
}

/* The value is iv - lo of the loop. */
static bool is_distance(const tl__c_emit *e, const tl_op *loop, tl_value v) {
  tl_value iv = tl_loop_body(loop)->params.data[0];
  int64_t zero;
  v = without_cvt(e, v);
  if (v == iv) {
    return tl_is_const_int(e->f, tl_loop_lo(loop), &zero) && !zero;
  }
  const tl_op *op = tl_def(e->f, v);
  return op && op->code == TL_OP_sub && without_cvt(e, op->operands[0]) == iv &&
         same_number(e, op->operands[1], tl_loop_lo(loop));
}

static bool is_outside(tl__c_emit *e, const tl_op *loop, tl_value v) {
  return !tl__c_region_within(e, tl__c_home(e, v), tl__c_op_of(e, loop)->inner[0]) &&
         !tl__c_region_within(e, tl__c_home(e, v), tl__c_op_of(e, loop)->inner[1]);
}

/* An index base + (iv - lo), base from outside the loop, reaches base + hi - lo - 1 where nothing else ends it. */
static void reserve(tl__c_emit *e, const tl_op *loop, const tl_region *r) {
  for (uint32_t i = 0; i < r->ops.count; i++) {
    tl_op *op = r->ops.data[i];
    if (op->code == TL_OP_if) {
      reserve(e, loop, op->regions[0]);
      reserve(e, loop, op->regions[1]);
    }
    const tl__c_var *p = op->code == TL_OP_update ? tl__c_var_of(e, op->first_result) : NULL;
    if (!p || !tl__c_op_of(e, op)->needed || p->is_param || !(p->flags & TL_ALLOC_GROW) || p->storage != TL__HEAP ||
        !p->room) {
      continue;
    }
    const char *base = NULL;
    const tl_op *sum = tl_def(e->f, op->operands[1]);
    if (is_distance(e, loop, op->operands[1])) {
      base = "";
    } else if (sum && sum->code == TL_OP_add) {
      for (int k = 0; k < 2 && !base; k++) {
        if (is_distance(e, loop, sum->operands[1 - k]) && is_outside(e, loop, sum->operands[k])) {
          base = tl_arena_printf(e->arena, "%s + ", tl__c_value_text(e, sum->operands[k], TL__PREC_ADD));
        }
      }
    }
    if (!base) {
      continue;
    }
    tl__c_op_of(e, op)->reserved = true;
    if (!makes_room(e, op)) {
      continue;
    }
    tl_value lo = tl_loop_lo(loop), hi = tl_loop_hi(loop);
    int64_t zero;
    bool from_zero = tl_is_const_int(e->f, lo, &zero) && !zero;
    const char *lo_text = tl__c_value_text(e, lo, TL__PREC_SHIFT), *hi_text = tl__c_value_text(e, hi, TL__PREC_SHIFT);
    const char *count =
        from_zero ? tl__c_value_text(e, hi, TL__PREC_ADD)
                  : tl_arena_printf(e->arena, *base ? "(%s - %s)" : "%s - %s", tl__c_exact_text(e, hi, TL__PREC_ADD),
                                    tl__c_value_text(e, lo, TL__PREC_MUL));
    int64_t l, h;
    bool runs = tl_is_const_int(e->f, lo, &l) && tl_is_const_int(e->f, hi, &h) && l < h;
    grow(e, tl__c_root(e, op->first_result), runs ? "" : tl_arena_printf(e->arena, "%s > %s && ", hi_text, lo_text),
         tl_arena_printf(e->arena, "(size_t)(%s%s - 1)", base, count));
  }
}

void tl__c_tape_reserve(tl__c_emit *e, const tl_op *loop) {
  if (tl_loop_is_counted(loop) && loop->u.step == 1) {
    reserve(e, loop, tl_loop_body(loop));
  }
}

bool tl__c_tape_frees(tl__c_emit *e, uint32_t region) {
  for (uint32_t i = 0; i < e->heap.count; i++) {
    if (e->vars[e->heap.data[i]].lifetime == region) {
      return true;
    }
  }
  return false;
}

/* Frees all blocks but those of the regions around `region`, and its own where they are kept. */
static void free_blocks(tl__c_emit *e, uint32_t region, bool keep) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < e->heap.count; i++) {
    const tl__c_var *p = &e->vars[e->heap.data[i]];
    kept += p->made && (keep || p->lifetime != region) && tl__c_region_within(e, region, p->lifetime);
  }
  tl__c_line(e, "tl_tape_free(&%s, %u);", e->tape, kept);
}

void tl__c_tape_free(tl__c_emit *e, uint32_t region) {
  if (tl__c_tape_frees(e, region)) {
    free_blocks(e, region, false);
  }
}

void tl__c_tape_free_objects(tl__c_emit *e) { free_blocks(e, e->region, true); }

void tl__c_tape_failure(tl__c_emit *e) {
  if (!e->label) {
    return;
  }
  tl__c_stmt *label = TL_NEW(e->arena, tl__c_stmt);
  label->kind = TL__LABEL;
  label->text = e->label;
  TL_PUSH(e->arena, *e->out, label);
  tl__c_line(e, "tl_tape_report(\"%s\", &%s);", e->f->name, e->tape);
  e->outside_block = e->block;
  tl__c_emit_return_failed(e);
  e->outside_block = false;
}
