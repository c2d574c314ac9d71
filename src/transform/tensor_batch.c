/* A walk that builds each op for all examples at once; docs/design/batching.md says how.
 *
 * First a data flow marks what differs between examples; the rest is computed once and shared. A branch on a condition
 * that differs runs both ways under a mask, and its results are chosen; what goes into a branch is masked too, so that
 * nothing flows back from an example that did not take it. A loop runs until the last example that takes part has
 * ended; the others keep their carries. */
#include "transform/tensor_batch.h"

#include <assert.h>
#include <string.h>

#include "ops/ops.h"
#include "transform/batch.h"
#include "transform/copy.h"
#include "transform/rewrite.h"
#include "transform/storage.h"
#include "transform/transform.h"

typedef struct batcher {
  const tl_func *f;
  tl_func *h;
  tl_builder b;
  tl_arena *arena;
  tl_value *map;  /* by f's value */
  bool *batched;  /* by f's value */
  tl_value *most; /* by f's value, the extent of an array for all examples: the largest of them, as a scalar */
  tl_extent size; /* of the batch */
  const char *axis;
  tl_value mask; /* which examples take part here, an i1 for each; TL_NO_VALUE: all */
  struct batcher *caller;
} batcher;

static bool fail(batcher *p, const tl_op *o, const char *what) {
  tl_diag_error(p->f->module->diag, TL_VMAP_NO_BATCHING_RULE, o->loc, "%s cannot be batched", what);
  return false;
}

/* A store in a masked place leaves the other examples' part alone, which is read for it; but that of a tape, which is
 * not written there and which they do not read. */
static bool is_tape(const tl_func *f, tl_value array) {
  const tl_op *o = tl_def(f, tl__storage_root(f, array));
  return o && o->code == TL_OP_alloc && (o->u.flags & TL_ALLOC_TAPE) && !(o->u.flags & TL_ALLOC_ZEROED);
}

/* ---- what differs between examples ---- */

typedef struct flow {
  const tl_func *f;
  bool *batched;
  bool changed;
} flow;

static void mark(flow *w, tl_value v, bool on) {
  if (v && on && !w->batched[v]) {
    w->batched[v] = true;
    w->changed = true;
  }
}

/* Versions of one array are batched together. */
static void join(flow *w, tl_value x, tl_value y) {
  mark(w, y, w->batched[x]);
  mark(w, x, tl_type_of(w->f, x).is_array && w->batched[y]);
}

static void flow_region(flow *w, const tl_region *r, bool masked);

static void flow_loop(flow *w, const tl_op *o, bool masked) {
  uint32_t n = tl_loop_carries(o);
  const tl_region *cond = tl_loop_cond(o), *body = tl_loop_body(o);
  bool lo = w->batched[tl_loop_lo(o)], hi = tl_loop_hi(o) && w->batched[tl_loop_hi(o)];
  for (uint32_t i = 0; i < n; i++) {
    join(w, tl_loop_init(o, i), body->params.data[1 + i]);
    join(w, body->yields.data[i], body->params.data[1 + i]);
    join(w, body->params.data[1 + i], tl_op_result(o, i));
    join(w, body->params.data[1 + i], cond->params.data[1 + i]);
  }
  for (uint32_t r = 0; r < 2; r++) {
    mark(w, o->regions[r]->params.data[0], lo);
  }
  flow_region(w, cond, masked);
  bool ragged = lo || hi || (cond->yields.count && w->batched[cond->yields.data[0]]);
  flow_region(w, body, masked || ragged);
  for (uint32_t i = 0; i < n; i++) {
    /* Carries stop changing at different iterations. */
    bool moves = body->yields.data[i] != body->params.data[1 + i];
    mark(w, body->params.data[1 + i], ragged && moves && !tl_type_of(w->f, body->params.data[1 + i]).is_array);
  }
  mark(w, tl_loop_trips(o), ragged);
}

static void flow_op(flow *w, const tl_op *o, bool masked) {
  if (o->code == TL_OP_loop) {
    flow_loop(w, o, masked);
    return;
  }
  if (o->code == TL_OP_if) {
    bool choice = w->batched[o->operands[0]];
    for (uint32_t r = 0; r < 2; r++) {
      flow_region(w, o->regions[r], masked || choice);
      for (uint32_t i = 0; i < o->result_count; i++) {
        join(w, o->regions[r]->yields.data[i], tl_op_result(o, i));
        mark(w, tl_op_result(o, i), choice);
      }
    }
    return;
  }
  bool any = false;
  for (uint32_t i = 0; i < o->operand_count; i++) {
    any = any || w->batched[o->operands[i]];
  }
  for (uint32_t i = 0; i < o->result_count; i++) {
    mark(w, tl_op_result(o, i), any && o->code != TL_OP_dim);
  }
  if (tl_op_stores(o)) { /* in a masked place only some examples do */
    mark(w, tl_op_result(o, 0), masked && !is_tape(w->f, o->operands[0]));
    join(w, o->operands[0], tl_op_result(o, 0));
  }
  const tl_func *callee = o->code == TL_OP_call ? tl_module_find(w->f->module, o->callee) : NULL;
  for (uint32_t i = 0; callee && i < callee->results.count; i++) {
    if (callee->results.data[i].role == TL_RESULT_FINAL) {
      join(w, o->operands[callee->results.data[i].param], tl_op_result(o, i));
    }
  }
}

static void flow_region(flow *w, const tl_region *r, bool masked) {
  for (uint32_t i = 0; i < r->ops.count; i++) {
    flow_op(w, r->ops.data[i], masked);
  }
}

/* ---- types ---- */

static tl_extent mapped_extent(batcher *p, tl_extent e) {
  tl_value v = e.value && p->batched && p->batched[e.value] ? p->most[e.value]
               : e.value                                    ? p->map[e.value]
                                                            : TL_NO_VALUE;
  return v ? (tl_extent){.value = v} : e.value ? (tl_extent){.fixed = -1} : e;
}

/* The type in the new function, and with the batch in front. */
static tl_type mapped_type(batcher *p, tl_type type, bool batched) {
  tl_extent *dim = TL_NEW_ARRAY(p->h->arena, tl_extent, type.rank + 1);
  const char **names = TL_NEW_ARRAY(p->h->arena, const char *, type.rank + 1);
  int rank = 0;
  bool named = type.axis_names;
  if (batched && !type.is_array) {
    dim[rank] = p->size;
    names[rank++] = p->axis;
    named = named || p->axis;
    type.is_tensor = true;
  }
  for (int i = 0; i < type.rank; i++) {
    dim[rank] = mapped_extent(p, type.extents[i]);
    names[rank++] = type.axis_names ? type.axis_names[i] : NULL;
  }
  if (type.is_array && (batched || type.element)) {
    tl_type element = type.element ? *type.element : tl_scalar(type.dtype);
    type.element = tl__type_copy(p->h, mapped_type(p, element, batched));
  }
  type.rank = rank;
  type.extents = dim;
  type.axis_names = named ? names : NULL;
  return type;
}

/* The type of v in one example, in the new function. */
static tl_type example_type(batcher *p, tl_value v) { return mapped_type(p, tl_type_of(p->f, v), false); }

/* v for each example. */
static tl_value per_example(batcher *p, tl_value v) {
  tl_value x = p->map[v];
  tl_type type = tl_type_of(p->h, x);
  assert(!type.is_array);
  if (p->batched[v]) {
    return x;
  }
  return tl_build_broadcast(&p->b, x, mapped_type(p, tl_type_of(p->f, v), true));
}

/* x where the mask holds and y elsewhere; both differ between examples. */
static tl_value choose(batcher *p, tl_value mask, tl_value x, tl_value y) {
  tl_op like = {.code = TL_OP_select, .operand_count = 3};
  return tl_batch_elementwise(&p->b, &like, tl_type_of(p->h, x), (tl_value[]){mask, x, y}, (bool[]){true, true, true});
}

static tl_value both(batcher *p, tl_value x, tl_value y) {
  return !x ? y : !y ? x : tl_build_binary(&p->b, TL_OP_and, x, y);
}

/* Whether any example is marked, as a scalar. */
static tl_value any_of(batcher *p, tl_value mask) {
  tl_value ones = tl_build_cvt(&p->b, TL_I64, mask);
  tl_value sum = tl_build_tensor(&p->b, TL_OP_sum, &ones, (tl_attr[]){{.axes = TL_ALL}, {.integer = 0}});
  return tl_build_binary(&p->b, TL_OP_gt, tl_build_item(&p->b, sum), tl_build_int(&p->b, TL_I64, 0));
}

/* The largest of a number per example, as a scalar. */
static tl_value largest_of(batcher *p, tl_value v) {
  return tl_build_item(&p->b, tl_build_tensor(&p->b, TL_OP_max, &v, (tl_attr[]){{.axes = TL_ALL}, {.integer = 0}}));
}

static void set_result(batcher *p, tl_value old, tl_value made) {
  p->map[old] = made;
  tl_value_info *info = &p->h->values.data[made];
  if (info->type.is_tensor) { /* the rules for ops do not know what the batch's axis is called */
    tl_type type = mapped_type(p, tl_type_of(p->f, old), p->batched[old]);
    assert(type.rank == info->type.rank);
    info->type.axis_names = type.axis_names;
  }
  if (!info->name && !(info->op && info->op->code == TL_OP_const)) {
    info->name = p->f->values.data[old].name;
  }
}

/* ---- ops ---- */

static bool batch_region(batcher *p, const tl_region *r);

static bool is_any_batched(const batcher *p, const tl_op *o) {
  for (uint32_t i = 0; i < o->operand_count; i++) {
    if (p->batched[o->operands[i]]) {
      return true;
    }
  }
  return o->result_count && p->batched[tl_op_result(o, 0)];
}

/* An op on values that all examples share. */
static void copy_op(batcher *p, const tl_op *o) {
  const tl_op *made = tl_clone_op_from(&p->b, p->f, o, p->map);
  (void)made;
}

static void batch_plain(batcher *p, const tl_op *o) {
  const tl_op_info *row = &tl_op_table[o->code];
  tl_value args[4];
  bool batched[4];
  for (int i = 0; i < row->arity; i++) {
    args[i] = p->map[o->operands[i]];
    batched[i] = p->batched[o->operands[i]];
  }
  tl_value result = tl_op_result(o, 0);
  tl_type type = example_type(p, result);
  set_result(p, result,
             row->elementwise ? tl_batch_elementwise(&p->b, o, type, args, batched)
                              : tl_batch_tensor_op(&p->b, o, type, args, batched));
}

static bool batch_alloc(batcher *p, const tl_op *o) {
  tl_value result = tl_op_result(o, 0);
  for (uint32_t i = 0; i < o->operand_count; i++) {
    tl_value extent = o->operands[i];
    if (p->batched[extent] && !p->most[extent]) {
      p->most[extent] = largest_of(p, p->map[extent]);
    }
  }
  tl_type type = mapped_type(p, tl_type_of(p->f, result), true);
  if (o->u.flags & TL_ALLOC_TABLE) {
    return fail(p, o, "a table whose elements differ between examples");
  }
  unsigned zeroed = is_tape(p->f, result) ? 0 : TL_ALLOC_ZEROED; /* masked stores read what is there */
  set_result(p, result, tl_build_alloc_of(&p->b, *type.element, type.rank, type.extents, o->u.flags | zeroed, NULL));
  return true;
}

/* Loads and stores. The indices are shared. */
static bool batch_access(batcher *p, const tl_op *o) {
  tl_value at[TL_MAX_RANK], array = o->operands[0];
  uint32_t rank = 0, end = o->operand_count - (o->code == TL_OP_update);
  for (uint32_t i = 1; i < end; i++) {
    if (p->batched[o->operands[i]]) {
      return fail(p, o, "an array at an index that differs between examples");
    }
    at[rank++] = p->map[o->operands[i]];
  }
  if (o->code == TL_OP_index) {
    set_result(p, tl_op_result(o, 0), tl_build_index(&p->b, p->map[array], rank, at));
    return true;
  }
  tl_value v = per_example(p, o->operands[end]);
  if (p->mask && !is_tape(p->f, array)) {
    v = choose(p, p->mask, v, tl_build_index(&p->b, p->map[array], rank, at));
  }
  set_result(p, tl_op_result(o, 0), tl_build_update(&p->b, p->map[array], rank, at, v));
  return true;
}

/* Is o the first store of an array that is made where o stands, so that who takes no part never reads it? */
static bool is_fresh(const batcher *p, const tl_op *o) {
  const tl_op *made = tl_def(p->f, o->operands[0]);
  return made && made->code == TL_OP_alloc && made->parent == o->parent;
}

/* Ops on all of an array, whose elements are tensors then: where all examples take part, or none reads it later. */
static bool batch_whole(batcher *p, const tl_op *o) {
  tl_value x = o->operands[0], y = o->operand_count > 1 ? o->operands[1] : TL_NO_VALUE;
  if (p->mask && o->code != TL_OP_clone && !(o->code == TL_OP_fill && is_fresh(p, o))) {
    return fail(p, o, "an op on a whole array in a branch or loop in which only some examples take part");
  }
  if (o->code == TL_OP_accumulate && p->batched[x] != p->batched[y]) {
    return fail(p, o, "the sum of an array that all examples share and one that they do not");
  }
  set_result(p, tl_op_result(o, 0),
             o->code == TL_OP_clone  ? tl_build_clone(&p->b, p->map[x])
             : o->code == TL_OP_fill ? tl_build_fill(&p->b, p->map[x], per_example(p, y))
                                     : tl_build_accumulate(&p->b, p->map[x], p->map[y]));
  return true;
}

/* Values from around a branch are masked in it: so an example that does not take it gets nothing back through it. What
 * stands in their place is 1, in the domain of nearly every function. */
static void mask_inputs(batcher *p, const tl_region *r, tl_value mask, bool *seen, tl_value *saved, tl_value **touched,
                        uint32_t *count) {
  for (uint32_t i = 0; i < r->ops.count; i++) {
    const tl_op *o = r->ops.data[i];
    for (uint32_t k = 0; k < o->operand_count + 0u; k++) {
      tl_value v = o->operands[k];
      if (!v || seen[v] || !p->map[v] || !p->batched[v] || tl_type_of(p->f, v).is_array ||
          !tl_dtype_is_float(tl_type_of(p->f, v).dtype)) {
        continue;
      }
      seen[v] = true;
      saved[v] = p->map[v];
      (*touched)[(*count)++] = v;
      tl_type type = mapped_type(p, tl_type_of(p->f, v), true);
      tl_value one = tl_build_broadcast(&p->b, tl_build_float(&p->b, type.dtype, 1, NULL), type);
      p->map[v] = choose(p, mask, p->map[v], one);
    }
    for (uint32_t k = 0; k < o->region_count; k++) {
      mask_inputs(p, o->regions[k], mask, seen, saved, touched, count);
    }
  }
}

static bool batch_branch(batcher *p, const tl_region *r, tl_value mask) {
  tl_value outer = p->mask;
  bool *seen = TL_NEW_ARRAY(p->arena, bool, p->f->values.count);
  tl_value *saved = TL_NEW_ARRAY(p->arena, tl_value, p->f->values.count);
  tl_value *touched = TL_NEW_ARRAY(p->arena, tl_value, p->f->values.count);
  uint32_t count = 0;
  mask_inputs(p, r, mask, seen, saved, &touched, &count);
  p->mask = mask;
  bool ok = batch_region(p, r);
  p->mask = outer;
  for (uint32_t i = 0; i < count; i++) {
    p->map[touched[i]] = saved[touched[i]];
  }
  return ok;
}

/* The version of an array that goes into the op of whose regions v is a yield; TL_NO_VALUE where it is made there. */
static tl_value version_before(const tl_func *f, const tl_op *o, tl_value v) {
  while (v && tl__op_contains(o, tl_info(f, v)->region)) {
    const tl_value_info *info = tl_info(f, v);
    const tl_op *def = info->op ? info->op : info->region->parent;
    v = !info->op                 ? tl_loop_init(def, info->index - 1)
        : tl_op_stores(def)       ? def->operands[0]
        : def->code == TL_OP_loop ? tl_loop_init(def, info->index)
        : def->code == TL_OP_if   ? def->regions[0]->yields.data[info->index]
                                  : TL_NO_VALUE;
  }
  return v;
}

/* Both branches store into the same array, one after the other: a masked store leaves the rest alone. Of a tape, whose
 * stores are not masked, only one may. */
static bool can_store_in_turn(const tl_func *f, const tl_op *o, uint32_t i) {
  tl_value x = o->regions[0]->yields.data[i], y = o->regions[1]->yields.data[i];
  tl_value before = version_before(f, o, x);
  return before && before == version_before(f, o, y) && (!is_tape(f, before) || x == before || y == before);
}

static bool batch_choice(batcher *p, const tl_op *o) {
  tl_value condition = p->map[o->operands[0]];
  tl_value yes = both(p, p->mask, condition);
  tl_value no = both(p, p->mask, tl_build_unary(&p->b, TL_OP_not, condition));
  tl_value *chosen[2];
  for (uint32_t i = 0; i < o->result_count; i++) {
    if (tl_type_of(p->f, tl_op_result(o, i)).is_array && !can_store_in_turn(p->f, o, i)) {
      return fail(p, o, "an array that is made in a branch which only some examples take");
    }
  }
  for (int r = 0; r < 2; r++) {
    if (!batch_branch(p, o->regions[r], r ? no : yes)) {
      return false;
    }
    chosen[r] = TL_NEW_ARRAY(p->arena, tl_value, o->result_count + 1);
    for (uint32_t i = 0; i < o->result_count; i++) {
      tl_value y = o->regions[r]->yields.data[i];
      bool is_array = tl_type_of(p->f, y).is_array;
      chosen[r][i] = is_array ? p->map[y] : per_example(p, y);
      if (is_array) {
        p->map[version_before(p->f, o, y)] = chosen[r][i];
      }
    }
  }
  for (uint32_t i = 0; i < o->result_count; i++) {
    bool is_array = tl_type_of(p->f, tl_op_result(o, i)).is_array;
    set_result(p, tl_op_result(o, i), is_array ? chosen[1][i] : choose(p, condition, chosen[0][i], chosen[1][i]));
  }
  return true;
}

/* What a region yields in place of f's value v: for each example where `wide`. */
static tl_value yielded(batcher *p, tl_value v, bool wide) {
  return wide && !tl_type_of(p->f, v).is_array ? per_example(p, v) : p->map[v];
}

static bool batch_if(batcher *p, const tl_op *o) {
  if (p->batched[o->operands[0]]) {
    return batch_choice(p, o);
  }
  tl_op *made = tl_build_if(&p->b, p->map[o->operands[0]]);
  tl_region *outer = p->b.region;
  bool ok = true;
  for (int r = 0; r < 2 && ok; r++) {
    p->b.region = made->regions[r];
    ok = batch_region(p, o->regions[r]);
    for (uint32_t i = 0; ok && i < o->result_count; i++) {
      TL_PUSH(p->h->arena, made->regions[r]->yields,
              yielded(p, o->regions[r]->yields.data[i], p->batched[tl_op_result(o, i)]));
    }
  }
  p->b.region = outer;
  if (!ok) {
    return false;
  }
  tl_build_if_results(&p->b, made);
  for (uint32_t i = 0; i < o->result_count; i++) {
    set_result(p, tl_op_result(o, i), tl_op_result(made, i));
  }
  return true;
}

/* ---- loops ---- */

/* lo + k step, in lo's type. */
static tl_value induction(batcher *p, const tl_op *o, tl_value k) {
  tl_dtype dtype = tl_type_of(p->f, tl_loop_lo(o)).dtype;
  tl_value offset =
      tl_build_binary(&p->b, TL_OP_mul, tl_build_cvt(&p->b, dtype, k), tl_build_int(&p->b, dtype, o->u.step));
  return tl_build_binary(&p->b, TL_OP_add, p->map[tl_loop_lo(o)], offset);
}

/* How often a loop between lo and hi runs, by example: (hi - lo - 1)/step + 1 where lo lies before hi, else 0. */
static tl_value trips_of(batcher *p, const tl_op *o) {
  tl_builder *b = &p->b;
  tl_value lo = p->map[tl_loop_lo(o)], hi = p->map[tl_loop_hi(o)];
  tl_dtype dtype = tl_type_of(p->f, tl_loop_lo(o)).dtype;
  bool up = o->u.step > 0;
  tl_value far = up ? hi : lo, near = up ? lo : hi;
  tl_value runs = tl_build_binary(b, TL_OP_lt, near, far);
  tl_value distance =
      tl_build_binary(b, TL_OP_sub, tl_build_binary(b, TL_OP_sub, far, near), tl_build_int(b, dtype, 1));
  tl_value whole = tl_build_binary(b, TL_OP_div, tl_build_cvt(b, TL_I64, distance),
                                   tl_build_int(b, TL_I64, up ? o->u.step : -o->u.step));
  tl_value count = tl_build_binary(b, TL_OP_add, whole, tl_build_int(b, TL_I64, 1));
  return tl_build_select(b, runs, count, tl_build_int(b, TL_I64, 0));
}

/* A loop that all examples run equally often. */
static bool batch_even_loop(batcher *p, const tl_op *o) {
  uint32_t n = tl_loop_carries(o);
  const tl_region *body = tl_loop_body(o), *cond = tl_loop_cond(o);
  tl_value *inits = TL_NEW_ARRAY(p->arena, tl_value, n + 1);
  for (uint32_t i = 0; i < n; i++) {
    inits[i] = yielded(p, tl_loop_init(o, i), p->batched[body->params.data[1 + i]]);
  }
  tl_value hi = tl_loop_hi(o) ? p->map[tl_loop_hi(o)] : TL_NO_VALUE;
  tl_op *made =
      tl_build_loop(&p->b, p->map[tl_loop_lo(o)], hi, o->u.step, tl_info(p->f, body->params.data[0])->name, n, inits);
  made->reversed = o->reversed;
  made->is_ours = o->is_ours;
  tl_region *outer = p->b.region;
  for (uint32_t r = 0; r < 2; r++) {
    for (uint32_t i = 0; i <= n; i++) {
      set_result(p, o->regions[r]->params.data[i], made->regions[r]->params.data[i]);
    }
  }
  p->b.region = tl_loop_cond(made);
  bool ok = batch_region(p, cond);
  if (ok && cond->yields.count) {
    TL_PUSH(p->h->arena, p->b.region->yields, p->map[cond->yields.data[0]]);
  }
  p->b.region = tl_loop_body(made);
  ok = ok && batch_region(p, body);
  for (uint32_t i = 0; ok && i < n; i++) {
    TL_PUSH(p->h->arena, p->b.region->yields, yielded(p, body->yields.data[i], p->batched[body->params.data[1 + i]]));
  }
  p->b.region = outer;
  if (!ok) {
    return false;
  }
  tl_build_loop_results(&p->b, made);
  for (uint32_t i = 0; i < n; i++) {
    set_result(p, tl_op_result(o, i), tl_op_result(made, i));
  }
  p->map[tl_loop_trips(o)] = tl_loop_trips(made);
  return true;
}

/* A counted loop between bounds that differ: to the largest trip count; those with fewer take no part in the rest. */
static bool batch_ragged_count(batcher *p, const tl_op *o) {
  tl_builder *b = &p->b;
  uint32_t n = tl_loop_carries(o);
  const tl_region *body = tl_loop_body(o);
  tl_value *carries = TL_NEW_ARRAY(p->arena, tl_value, n + 1);
  tl_value trips = trips_of(p, o);
  trips = p->mask ? tl_build_select(b, p->mask, trips, tl_build_int(b, TL_I64, 0)) : trips;
  tl_value most = largest_of(p, trips);
  for (uint32_t i = 0; i < n; i++) {
    carries[i] = yielded(p, tl_loop_init(o, i), p->batched[body->params.data[1 + i]]);
  }
  tl_op *made = tl_build_loop(b, tl_build_int(b, TL_I64, 0), most, 1, "k", n, carries);
  made->reversed = o->reversed;
  tl_build_loop_enter(b, made, carries);
  tl_value k = b->region->params.data[0], outer = p->mask;
  set_result(p, body->params.data[0], induction(p, o, k));
  for (uint32_t i = 0; i < n; i++) {
    set_result(p, body->params.data[1 + i], carries[i]);
  }
  tl_value alive = both(p, outer, tl_build_binary(b, TL_OP_lt, k, trips));
  bool ok = batch_branch(p, body, alive);
  for (uint32_t i = 0; ok && i < n; i++) {
    tl_value next = yielded(p, body->yields.data[i], p->batched[body->params.data[1 + i]]);
    bool stays = next == carries[i] || tl_type_of(p->h, next).is_array;
    carries[i] = stays ? next : choose(p, alive, next, carries[i]);
  }
  tl_build_loop_leave(b, made, carries);
  for (uint32_t i = 0; ok && i < n; i++) {
    set_result(p, tl_op_result(o, i), carries[i]);
  }
  p->map[tl_loop_trips(o)] = trips;
  return ok;
}

/* A loop whose condition differs: while any example goes on. It carries which do, and how often each has run. */
static bool batch_ragged_while(batcher *p, const tl_op *o) {
  tl_builder *b = &p->b;
  uint32_t n = tl_loop_carries(o);
  const tl_region *body = tl_loop_body(o), *cond = tl_loop_cond(o);
  tl_value *carries = TL_NEW_ARRAY(p->arena, tl_value, n + 3), outer = p->mask;
  tl_type flags = {.dtype = TL_BOOL, .is_tensor = true, .rank = 1, .extents = &p->size}, counts = flags;
  counts.dtype = TL_I64;
  for (uint32_t i = 0; i < n; i++) {
    carries[i] = yielded(p, tl_loop_init(o, i), p->batched[body->params.data[1 + i]]);
  }
  carries[n] = outer ? outer : tl_build_broadcast(b, tl_build_int(b, TL_BOOL, 1), flags);
  carries[n + 1] = tl_build_broadcast(b, tl_build_int(b, TL_I64, 0), counts);
  tl_op *made = tl_build_loop(b, tl_build_int(b, TL_I64, 0), TL_NO_VALUE, 1, "k", n + 2, carries);
  /* The condition is computed at the end of an iteration, for the next, and once ahead of the loop: so that the loop's
   * own condition is whether any example goes on. */
  tl_region *around = b->region;
  b->region = tl_loop_cond(made);
  TL_PUSH(p->h->arena, b->region->yields, any_of(p, b->region->params.data[1 + n]));
  b->region = around;
  bool ok = true;
  tl_value first = carries[n];
  for (int when = 0; when < 2 && ok; when++) { /* ahead of the loop, then in it */
    tl_value alive = when ? TL_NO_VALUE : first, k = tl_build_int(b, TL_I64, 0);
    if (when) {
      tl_build_loop_enter(b, made, carries);
      k = b->region->params.data[0];
      alive = carries[n];
      set_result(p, body->params.data[0], induction(p, o, k));
      for (uint32_t i = 0; i < n; i++) {
        set_result(p, body->params.data[1 + i], carries[i]);
      }
      ok = batch_branch(p, body, alive);
      for (uint32_t i = 0; ok && i < n; i++) {
        tl_value next = yielded(p, body->yields.data[i], p->batched[body->params.data[1 + i]]);
        bool stays = next == carries[i] || tl_type_of(p->h, next).is_array;
        carries[i] = stays ? next : choose(p, alive, next, carries[i]);
      }
      carries[n + 1] = tl_build_binary(b, TL_OP_add, carries[n + 1], tl_build_cvt(b, TL_I64, alive));
      k = tl_build_binary(b, TL_OP_add, k, tl_build_int(b, TL_I64, 1));
    }
    tl_value iv = induction(p, o, k), goes_on = TL_NO_VALUE;
    if (ok && tl_loop_hi(o)) {
      goes_on = tl_build_binary(b, o->u.step > 0 ? TL_OP_lt : TL_OP_gt, iv, p->map[tl_loop_hi(o)]);
    }
    if (ok && cond->yields.count) {
      set_result(p, cond->params.data[0], iv);
      for (uint32_t i = 0; i < n; i++) {
        set_result(p, cond->params.data[1 + i], carries[i]);
      }
      ok = batch_region(p, cond);
      tl_value c = ok ? p->map[cond->yields.data[0]] : TL_NO_VALUE;
      goes_on = goes_on && ok ? tl_build_binary(b, TL_OP_and, goes_on, c) : c;
    }
    if (ok && goes_on) {
      alive = tl_build_binary(b, TL_OP_and, alive, goes_on);
    }
    if (when) {
      carries[n] = alive;
    } else {
      made->operands[2 + n] = alive;
      /* what was just built ahead of the loop stands behind it */
      tl_region *r = around;
      uint32_t at = 0;
      while (r->ops.data[at] != made) {
        at++;
      }
      memmove(&r->ops.data[at], &r->ops.data[at + 1], (r->ops.count - at - 1) * sizeof *r->ops.data);
      r->ops.data[r->ops.count - 1] = made;
    }
  }
  if (!ok) {
    return false;
  }
  tl_build_loop_leave(b, made, carries);
  for (uint32_t i = 0; i < n; i++) {
    set_result(p, tl_op_result(o, i), carries[i]);
  }
  p->map[tl_loop_trips(o)] = carries[n + 1];
  return true;
}

static bool batch_loop(batcher *p, const tl_op *o) {
  const tl_region *cond = tl_loop_cond(o);
  bool bounds = p->batched[tl_loop_lo(o)] || (tl_loop_hi(o) && p->batched[tl_loop_hi(o)]);
  bool condition = cond->yields.count && p->batched[cond->yields.data[0]];
  if (!bounds && !condition) {
    return batch_even_loop(p, o);
  }
  return condition || !tl_loop_hi(o) || cond->yields.count ? batch_ragged_while(p, o) : batch_ragged_count(p, o);
}

/* ---- calls: the callee's body in place ---- */

static bool *find_batched(const tl_func *f, tl_arena *arena, const bool *params) {
  flow w = {.f = f, .batched = TL_NEW_ARRAY(arena, bool, f->values.count), .changed = true};
  for (uint32_t i = 0; i < f->body->params.count; i++) {
    mark(&w, f->body->params.data[i], params[i]);
  }
  while (w.changed) {
    w.changed = false;
    flow_region(&w, f->body, false);
  }
  return w.batched;
}

static bool batch_call(batcher *p, const tl_op *o) {
  const tl_func *callee = tl_module_find(p->f->module, o->callee);
  for (const batcher *c = p; c; c = c->caller) {
    if (c->f == callee) {
      return fail(p, o, "recursion");
    }
  }
  bool has_rule = callee && (callee->custom_vjp || callee->custom_jvp);
  if (has_rule && !is_any_batched(p, o)) { /* one call for all examples, whose derivative is the rule */
    copy_op(p, o);
    return true;
  }
  if (!callee || o->views || callee->is_declared) {
    return fail(p, o, "a call of a function without a body here");
  }
  p->h->lost_rule = has_rule ? callee->name : callee->lost_rule ? callee->lost_rule : p->h->lost_rule;
  uint32_t count = callee->body->params.count;
  bool *params = TL_NEW_ARRAY(p->arena, bool, count + 1);
  batcher inner = *p;
  inner.f = callee;
  inner.caller = p;
  inner.map = TL_NEW_ARRAY(p->arena, tl_value, callee->values.count);
  inner.most = TL_NEW_ARRAY(p->arena, tl_value, callee->values.count);
  for (uint32_t i = 0; i < count; i++) {
    params[i] = p->batched[o->operands[i]];
    inner.map[callee->body->params.data[i]] = p->map[o->operands[i]];
  }
  inner.batched = find_batched(callee, p->arena, params);
  bool ok = batch_region(&inner, callee->body);
  for (uint32_t i = 0; ok && i < o->result_count; i++) {
    p->b = inner.b;
    tl_value y = callee->body->yields.data[i];
    set_result(p, tl_op_result(o, i), yielded(&inner, y, p->batched[tl_op_result(o, i)]));
  }
  p->b = inner.b;
  return ok;
}

static bool batch_op(batcher *p, const tl_op *o) {
  p->b.loc = o->loc;
  if (o->code == TL_OP_if) {
    return batch_if(p, o);
  }
  if (o->code == TL_OP_loop) {
    return batch_loop(p, o);
  }
  if (o->code == TL_OP_call) {
    return batch_call(p, o);
  }
  if (o->code == TL_OP_dim && p->batched[o->operands[0]]) {
    set_result(p, tl_op_result(o, 0), tl_build_dim(&p->b, p->map[o->operands[0]], (int)o->u.integer + 1));
    return true;
  }
  if (!is_any_batched(p, o)) {
    copy_op(p, o);
    return true;
  }
  if (tl_op_table[o->code].elementwise || tl_op_table[o->code].on_tensors) {
    batch_plain(p, o);
    return true;
  }
  switch (o->code) {
  case TL_OP_item: /* one number for each example */
    set_result(p, tl_op_result(o, 0), p->map[o->operands[0]]);
    return true;
  case TL_OP_alloc:
    return batch_alloc(p, o);
  case TL_OP_index:
  case TL_OP_update:
    return batch_access(p, o);
  case TL_OP_fill:
  case TL_OP_clone:
  case TL_OP_accumulate:
    return batch_whole(p, o);
  case TL_OP_extern:
    return fail(p, o, "a call of a C function");
  default:
    return fail(p, o, "an op on a whole array");
  }
}

static bool batch_region(batcher *p, const tl_region *r) {
  for (uint32_t i = 0; i < r->ops.count; i++) {
    if (!batch_op(p, r->ops.data[i])) {
      return false;
    }
  }
  return true;
}

/* ---- the function ---- */

/* The parameters, with the batch in front where they are batched; those of f's types whose extents f computes keep them
 * open until the body has done so. */
static void add_params(batcher *p, const bool *batched) {
  for (uint32_t i = 0; i < p->f->body->params.count; i++) {
    tl_value old = p->f->body->params.data[i];
    tl_type type = mapped_type(p, tl_type_of(p->f, old), batched[i]);
    p->map[old] = tl_region_add_param(p->h, p->h->body, type, tl_info(p->f, old)->name);
  }
}

static void add_face(batcher *p, const bool *batched) {
  tl_func *h = p->h;
  for (uint32_t i = 0; i < p->f->cparams.count; i++) {
    TL_PUSH(h->arena, h->cparams, p->f->cparams.data[i]);
  }
  for (uint32_t i = 0; i < p->f->params.count; i++) {
    tl_param leaf = p->f->params.data[i];
    leaf.value = p->map[leaf.value];
    leaf.origin = TL_ORIGIN_PRIMAL;
    leaf.origin_index = i;
    tl_cparam *c = &h->cparams.data[leaf.cparam];
    if (batched[i] && !leaf.is_memory) {
      c->declarator = c->bare = "tl_tensor @";
    }
    TL_PUSH(h->arena, h->params, leaf);
  }
}

tl_func *tl__batch_run(tl_func *f, const char *name, const char *axis, const bool *batched) {
  tl_arena arena;
  tl_arena_init(&arena);
  uint32_t count = f->module->funcs.count, first = 0;
  batcher p = {.f = f, .arena = &arena, .axis = axis};
  p.h = tl_func_create(f->module, name);
  p.h->loc = f->loc;
  p.h->lost_rule = f->lost_rule;
  p.h->return_declarator = f->return_declarator;
  p.b = (tl_builder){.func = p.h, .region = p.h->body, .loc = f->loc, .peephole = tl__simplify_peephole};
  p.map = TL_NEW_ARRAY(&arena, tl_value, f->values.count);
  p.most = TL_NEW_ARRAY(&arena, tl_value, f->values.count);
  while (first < f->body->params.count && !(batched[first] && !tl_type_of(f, f->body->params.data[first]).is_array)) {
    first++;
  }
  assert(first < f->body->params.count);
  bool *flags = TL_NEW_ARRAY(&arena, bool, f->body->params.count + 1);
  for (uint32_t i = 0; i < f->params.count; i++) {
    flags[i] = batched[i] || (f->params.data[i].is_memory && tl_func_final(f, i) != TL_NO_RESULT);
  }
  p.batched = find_batched(f, &arena, flags);
  p.size = (tl_extent){.fixed = -1};
  add_params(&p, flags);
  /* The batch's size is that of the first batched parameter, read at entry. */
  tl_op *dim = tl_op_create(&p.b, TL_OP_dim, 1, &p.map[f->body->params.data[first]]);
  p.size = (tl_extent){.value = tl_op_add_result(p.h, dim, tl_scalar(TL_I64), axis ? axis : "batch")};
  bool ok = true;
  uint32_t extent_ops = tl__func_extent_ops(f), i = 0;
  for (; ok && i < extent_ops; i++) {
    ok = batch_op(&p, f->body->ops.data[i]);
  }
  for (uint32_t k = 0; ok && k < f->body->params.count; k++) { /* their extents are known now */
    tl_value old = f->body->params.data[k];
    p.h->values.data[p.map[old]].type = mapped_type(&p, tl_type_of(f, old), flags[k]);
  }
  for (; ok && i < f->body->ops.count; i++) {
    ok = batch_op(&p, f->body->ops.data[i]);
  }
  if (ok) {
    add_face(&p, flags);
    for (uint32_t k = 0; k < f->body->yields.count; k++) {
      TL_PUSH(p.h->arena, p.h->results, f->results.data[k]);
      TL_PUSH(p.h->arena, p.h->body->yields, yielded(&p, f->body->yields.data[k], true));
      if (f->results.data[k].role == TL_RESULT_RETURN) {
        p.h->return_declarator = "tl_tensor";
      }
    }
    tl__pipeline_run(p.h, &arena);
    if (tl_func_verify(p.h) != TL_OK) { /* a fault of ours: nothing invalid is emitted */
      tl_diag_error(f->module->diag, TL_INTERNAL_ERROR, f->loc, "'%s' breaks a rule of the IR", name);
      ok = false;
    }
  }
  if (!ok) {
    f->module->funcs.count = count;
  }
  tl_arena_deinit(&arena);
  return ok ? p.h : NULL;
}

/* ---- tl_vmap ---- */

bool tl__has_tensor_params(const tl_func *f) {
  for (uint32_t i = 0; i < f->params.count; i++) {
    if (tl_type_of(f, f->params.data[i].value).is_tensor) {
      return true;
    }
  }
  return false;
}

/* The leaf of a batched parameter that no tensor can hold for all examples, or that has the batch's axis already. */
static bool admits(tl_derive_ctx *d, const tl_batch *batch, const char *axis) {
  const tl_func *f = d->f;
  tl_diag *diag = f->module->diag;
  for (uint32_t i = 0; i < f->params.count; i++) {
    const tl_param *p = &f->params.data[i];
    const tl_cparam *c = &f->cparams.data[p->cparam];
    tl_type t = tl_type_of(f, p->value);
    for (int k = 0; t.axis_names && k < t.rank; k++) {
      if (t.axis_names[k] && strcmp(t.axis_names[k], axis) == 0) {
        tl_diag_error(diag, TL_VMAP_AXIS_NAME_CLASH, d->spec->loc, "'%s' has an axis '%s' already", c->name, axis);
        tl_diag_note(diag, c->loc, "declared here");
        return false;
      }
    }
    if (!batch->is_batched[p->cparam]) {
      continue;
    }
    if (p->is_memory ? !t.element : !c->by_value || c->is_struct) {
      tl_diag_error(diag, TL_VMAP_NO_BATCHING_RULE, d->spec->loc,
                    "'%s' cannot be batched: '%s' is a function on tensors, and this is neither a tensor nor a number",
                    c->name, f->name);
      tl_diag_note(diag, c->loc, "declared here");
      return false;
    }
    if (t.rank == TL_MAX_RANK) {
      tl_diag_error(diag, TL_VMAP_NO_BATCHING_RULE, d->spec->loc, "'%s' has %d axes already, the most there can be",
                    c->name, TL_MAX_RANK);
      return false;
    }
  }
  return true;
}

tl_func *tl__derive_tensor_vmap(tl_derive_ctx *d) {
  tl_batch batch;
  if (!tl__batch_find_params(d, &batch)) {
    return NULL;
  }
  const char *axis = d->spec->wrt[0];
  bool *flags = TL_NEW_ARRAY(d->arena, bool, d->f->params.count + 1), any = false;
  for (uint32_t i = 0; i < d->f->params.count; i++) {
    flags[i] = batch.is_batched[d->f->params.data[i].cparam];
    any = any || (flags[i] && !d->f->params.data[i].is_memory);
  }
  if (!admits(d, &batch, axis)) {
    return NULL;
  }
  if (!any) {
    tl_diag_error(d->f->module->diag, TL_VMAP_NO_BATCHING_RULE, d->spec->loc,
                  "'%s' has no argument that is batched, which would say how many examples there are", d->f->name);
    return NULL;
  }
  return tl__batch_run(d->f, d->spec->name, axis, flags);
}
