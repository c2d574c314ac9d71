/* Reverse mode: joins the forward sweep and the adjoint into one function, with what keep.c decided in between. */
#include "transform/reverse.h"

#include <assert.h>

#include "ops/ops.h"
#include "transform/copy.h"
#include "transform/transform.h"
#include "transform/writer.h"

tl_value tl__writer_find(const tl_writer *w, const tl_mirror *m, tl_value v) {
  v = tl__keep_stand_in(w->k, m->primal, v);
  while (m && !m->map[v]) {
    m = m->outer;
  }
  return m ? m->map[v] : TL_NO_VALUE;
}

tl_value tl__writer_lookup(const tl_writer *w, const tl_mirror *m, tl_value v) {
  if (!v) {
    return v;
  }
  if (v >= w->a->primal_values) {
    assert(w->adjoint_map[v]);
    return w->adjoint_map[v];
  }
  v = tl__writer_find(w, m, v);
  assert(v && "a value that the plan did not provide");
  return v;
}

void tl__writer_keep_name(tl_writer *w, tl_value made, const char *name) {
  tl_value_info *info = &w->h->values.data[made];
  if (!info->name && name && (!info->op || info->op->code != TL_OP_const)) {
    info->name = name;
  }
}

/* ---- heads: copies of primal ops ---- */

static bool wants(const tl_writer *w, const tl_mirror *m, tl_value v) { return w->k->head[m->index][v]; }

static bool is_computed(const tl_writer *w, const tl_mirror *m, tl_value v) {
  return wants(w, m, v) && !tl__keep_is_fetched(w->k, m, v);
}

static bool wants_region(const tl_writer *w, const tl_mirror *m, const tl_region *r);

/* Does the head of m run the op? Where it only wants results that are fetched it does not. Effects are the forward
 * sweep's alone. */
static bool runs_op(const tl_writer *w, const tl_mirror *m, const tl_op *o) {
  for (uint32_t i = 0; i < o->result_count; i++) {
    if (is_computed(w, m, tl_op_result(o, i))) {
      return true;
    }
  }
  if (o->code == TL_OP_extern && o->has_effect && m->index == 0) {
    return true;
  }
  for (uint32_t i = 0; i < o->region_count; i++) {
    if (wants_region(w, m, o->regions[i])) {
      return true;
    }
  }
  return false;
}

static bool wants_op(const tl_writer *w, const tl_mirror *m, const tl_op *o) {
  for (uint32_t i = 0; i < o->result_count; i++) {
    if (wants(w, m, tl_op_result(o, i))) {
      return true;
    }
  }
  return runs_op(w, m, o);
}

static bool wants_region(const tl_writer *w, const tl_mirror *m, const tl_region *r) {
  for (uint32_t i = 0; i < r->params.count; i++) {
    if (wants(w, m, r->params.data[i])) {
      return true;
    }
  }
  for (uint32_t i = 0; i < r->ops.count; i++) {
    if (wants_op(w, m, r->ops.data[i])) {
      return true;
    }
  }
  return false;
}

static void copy_primal_ops(tl_writer *w, tl_mirror *m, const tl_region *r, uint32_t from, uint32_t count);

static void copy_primal_region(tl_writer *w, tl_mirror *m, const tl_region *r) {
  copy_primal_ops(w, m, r, 0, r->ops.count);
}

typedef TL_VEC(tl_thread *) thread_list;

/* The threads of the head being written that op `o` writes in its regions. */
static thread_list threads_through(tl_writer *w, const tl_op *o) {
  thread_list list = {0};
  for (uint32_t i = 0; i < w->threads.count; i++) {
    if (tl__op_contains(o, w->threads.data[i]->site)) {
      TL_PUSH(w->a->arena, list, w->threads.data[i]);
    }
  }
  return list;
}

static void copy_if(tl_writer *w, tl_mirror *m, const tl_op *o) {
  thread_list threads = threads_through(w, o);
  tl_value *before = TL_NEW_ARRAY(w->a->arena, tl_value, threads.count);
  for (uint32_t i = 0; i < threads.count; i++) {
    before[i] = threads.data[i]->current;
  }
  tl_op *made = tl_build_if(&w->b, tl__writer_lookup(w, m, o->operands[0]));
  tl_region *outer = w->b.region;
  for (uint32_t k = 0; k < 2; k++) {
    w->b.region = made->regions[k];
    for (uint32_t i = 0; i < threads.count; i++) {
      threads.data[i]->current = before[i];
    }
    copy_primal_region(w, m, o->regions[k]);
    for (uint32_t i = 0; i < o->result_count; i++) {
      if (is_computed(w, m, tl_op_result(o, i))) {
        TL_PUSH(w->h->arena, made->regions[k]->yields, tl__writer_lookup(w, m, o->regions[k]->yields.data[i]));
      }
    }
    for (uint32_t i = 0; i < threads.count; i++) {
      TL_PUSH(w->h->arena, made->regions[k]->yields, threads.data[i]->current);
    }
  }
  w->b.region = outer;
  tl_build_if_results(&w->b, made);
  uint32_t next = 0;
  for (uint32_t i = 0; i < o->result_count; i++) {
    if (is_computed(w, m, tl_op_result(o, i))) {
      m->map[tl_op_result(o, i)] = tl_op_result(made, next);
      w->h->values.data[tl_op_result(made, next++)].name = tl__writer_primal(w, tl_op_result(o, i))->name;
    }
  }
  for (uint32_t i = 0; i < threads.count; i++) {
    threads.data[i]->current = tl_op_result(made, next++);
  }
}

static bool carry_is_wanted(const tl_writer *w, const tl_mirror *m, const tl_op *o, uint32_t i) {
  return wants(w, m, tl_loop_body(o)->params.data[1 + i]);
}

/* Iteration number in a copied loop, as value of the copy. */
static void set_counter(tl_writer *w, const tl_op *o, const tl_op *made) {
  tl_builder *b = &w->b;
  tl_value iv = tl_loop_body(made)->params.data[0];
  int64_t zero = 1, step = o->u.step;
  tl_value k = iv;
  if (!tl_is_const_int(w->h, made->operands[0], &zero) || zero != 0 || step != 1) {
    k = tl_build_binary(b, TL_OP_sub, tl_build_cvt(b, TL_I64, iv), tl_build_cvt(b, TL_I64, made->operands[0]));
    if (step != 1) {
      k = tl_build_binary(b, TL_OP_div, k, tl_build_int(b, TL_I64, step));
    }
  }
  w->counter[tl_loop_body(o)->params.data[0]] = k;
}

static void copy_loop(tl_writer *w, tl_mirror *m, const tl_op *o) {
  tl_builder *b = &w->b;
  tl__saved_enter_loop(w, m, o);
  thread_list threads = threads_through(w, o);
  TL_VEC(tl_value) inits = {0};
  TL_VEC(uint32_t) carries = {0};
  for (uint32_t i = 0; i < tl_loop_carries(o); i++) {
    if (carry_is_wanted(w, m, o, i)) {
      TL_PUSH(w->a->arena, carries, i);
      TL_PUSH(w->a->arena, inits, tl__writer_lookup(w, m, tl_loop_init(o, i)));
    }
  }
  for (uint32_t i = 0; i < threads.count; i++) {
    TL_PUSH(w->a->arena, inits, threads.data[i]->current);
  }
  const tl_region *body = tl_loop_body(o), *cond = tl_loop_cond(o);
  tl_op *made = tl_build_loop(b, tl__writer_lookup(w, m, o->operands[0]), tl__writer_lookup(w, m, o->operands[1]),
                              o->u.step, tl__writer_primal(w, body->params.data[0])->name, inits.count, inits.data);
  made->reversed = o->reversed;
  made->is_ours = o->is_ours;
  tl_region *outer = b->region;
  for (uint32_t r = 0; r < 2; r++) {
    m->map[o->regions[r]->params.data[0]] = made->regions[r]->params.data[0];
    for (uint32_t i = 0; i < carries.count; i++) {
      tl_value old = o->regions[r]->params.data[1 + carries.data[i]], param = made->regions[r]->params.data[1 + i];
      m->map[old] = param;
      w->h->values.data[param].name = tl__writer_primal(w, old)->name;
    }
  }
  if (cond->yields.count) {
    b->region = tl_loop_cond(made);
    copy_primal_region(w, m, cond);
    TL_PUSH(w->h->arena, b->region->yields, tl__writer_lookup(w, m, cond->yields.data[0]));
  }
  b->region = tl_loop_body(made);
  for (uint32_t i = 0; i < threads.count; i++) {
    threads.data[i]->current = b->region->params.data[1 + carries.count + i];
  }
  if (threads.count) {
    set_counter(w, o, made);
  }
  for (uint32_t i = 0; i < body->params.count; i++) {
    tl__saved_store(w, m, body->params.data[i]);
  }
  copy_primal_region(w, m, body);
  for (uint32_t i = 0; i < carries.count; i++) {
    TL_PUSH(w->h->arena, b->region->yields, tl__writer_lookup(w, m, body->yields.data[carries.data[i]]));
  }
  for (uint32_t i = 0; i < threads.count; i++) {
    TL_PUSH(w->h->arena, b->region->yields, threads.data[i]->current);
  }
  b->region = outer;
  tl_build_loop_results(b, made);
  for (uint32_t i = 0; i < carries.count; i++) {
    tl_value old = tl_op_result(o, carries.data[i]);
    m->map[old] = tl_op_result(made, i);
    w->h->values.data[tl_op_result(made, i)].name = tl__writer_primal(w, old)->name;
  }
  m->map[tl_loop_trips(o)] = tl_loop_trips(made);
  for (uint32_t i = 0; i < threads.count; i++) {
    threads.data[i]->current = tl_op_result(made, carries.count + i);
  }
  tl__saved_leave_loop(w, m, o, made);
}

/* The type of an array's elements in the new function: an extent that is not at hand is not stated. */
static const tl_type *element_here(tl_writer *w, const tl_mirror *m, tl_type element) {
  tl_extent *extents = TL_NEW_ARRAY(w->h->arena, tl_extent, element.rank + 1);
  for (int k = 0; k < element.rank; k++) {
    tl_extent e = element.extents[k];
    tl_value v = e.value ? tl__writer_find(w, m, e.value) : TL_NO_VALUE;
    bool visible = v && tl__value_visible(w->h, v, w->b.region);
    extents[k] = visible ? (tl_extent){.value = v} : e.value ? (tl_extent){.fixed = -1} : e;
  }
  element.extents = extents;
  return tl__type_copy(w->h, element);
}

/* A plain op with its operands looked up from mirror m. Returns its first result, or nothing where it has none. */
static tl_value copy_plain(tl_writer *w, const tl_mirror *m, const tl_op *o) {
  tl_builder *b = &w->b;
  tl_value *operands = TL_NEW_ARRAY(w->a->arena, tl_value, o->operand_count);
  for (uint32_t i = 0; i < o->operand_count; i++) {
    operands[i] = tl__writer_lookup(w, m, tl__keep_operand(w->k, m->primal, o, i));
  }
  const tl_value_info *info = o->result_count ? &w->a->func->values.data[o->first_result] : NULL;
  tl_value made = TL_NO_VALUE;
  if (tl_op_table[o->code].elementwise) {
    assert(info);
    made = tl_build_elementwise(b, o->code, info->type.dtype, operands);
  } else if (o->code == TL_OP_const) {
    assert(info);
    made = tl_dtype_is_float(info->type.dtype) ? tl_build_float(b, info->type.dtype, o->u.floating, o->spelling)
                                               : tl_build_int(b, info->type.dtype, o->u.integer);
  } else if (tl_op_table[o->code].on_tensors) {
    made = tl_build_tensor_again(b, o, info->type, operands);
  } else {
    tl_op *copy = tl_op_create(b, o->code, o->operand_count, operands);
    copy->u = o->u;
    copy->callee = o->callee;
    copy->format = o->format;
    copy->table = o->table;
    copy->texts = o->texts;
    copy->has_effect = o->has_effect;
    for (uint32_t i = 0; i < o->result_count; i++) {
      const tl_value_info *old = &w->a->func->values.data[tl_op_result(o, i)];
      tl_type type = old->type;
      if (tl_op_stores(o) || o->code == TL_OP_clone) {
        type = tl_type_of(w->h, operands[0]);
      } else {
        type.element = type.element ? element_here(w, m, *type.element) : NULL;
        tl_extent *extents = TL_NEW_ARRAY(w->h->arena, tl_extent, type.rank + 1);
        for (int k = 0; k < type.rank; k++) {
          extents[k] = (tl_extent){type.extents[k].fixed, tl__writer_lookup(w, m, type.extents[k].value)};
        }
        type.extents = extents;
      }
      if (o->code == TL_OP_call) {
        const tl_func *callee = tl_module_find(w->h->module, o->callee);
        const tl_result *r = &callee->results.data[i];
        type = r->role == TL_RESULT_FINAL ? tl_type_of(w->h, operands[r->param]) : type;
      }
      tl_value v = tl_op_add_result(w->h, copy, type, old->name);
      made = i ? made : v;
    }
  }
  if (made) {
    tl__writer_keep_name(w, made, info->name);
  }
  return made;
}

tl_value tl__writer_bring(tl_writer *w, tl_mirror *m, tl_value v) {
  const tl_value_info *info = tl__writer_primal(w, v);
  if (info->op && info->region == m->primal && m->index && !m->map[v]) {
    for (uint32_t i = 0; i < info->op->operand_count; i++) {
      tl__writer_bring(w, m, info->op->operands[i]);
    }
    m->map[v] = copy_plain(w, m, info->op);
  }
  return tl__writer_lookup(w, m, v);
}

static void copy_primal_ops(tl_writer *w, tl_mirror *m, const tl_region *r, uint32_t from, uint32_t count) {
  for (uint32_t i = from; i < count; i++) {
    const tl_op *o = r->ops.data[i];
    if (!wants_op(w, m, o)) {
      continue;
    }
    w->b.loc = o->loc;
    for (uint32_t k = 0; k < o->result_count; k++) {
      tl_value v = tl_op_result(o, k);
      if (wants(w, m, v) && !is_computed(w, m, v)) {
        tl__saved_load(w, m, v);
      }
    }
    if (!runs_op(w, m, o)) {
      continue;
    }
    if (r == m->primal && o->region_count) {
      tl__saved_begin(w, m, o);
    }
    if (o->code == TL_OP_if) {
      copy_if(w, m, o);
    } else if (o->code == TL_OP_loop) {
      copy_loop(w, m, o);
    } else {
      tl_value made = copy_plain(w, m, o);
      for (uint32_t k = 0; k < o->result_count; k++) {
        m->map[tl_op_result(o, k)] = made + k;
      }
    }
    for (uint32_t k = 0; k < o->result_count; k++) {
      tl__saved_store(w, m, tl_op_result(o, k));
    }
  }
}

/* ---- the adjoint ---- */

static void write_adjoint_ops(tl_writer *w, tl_mirror *m, const tl_region *r, uint32_t from);

static tl_mirror *mirror_of_region(const tl_writer *w, const tl_region *adjoint) {
  for (uint32_t i = 1; i < w->a->mirrors.count; i++) {
    if (w->a->mirrors.data[i]->adjoint == adjoint) {
      return w->a->mirrors.data[i];
    }
  }
  return NULL;
}

/* Head, then adjoint ops. Regions of the adjoint that mirror nothing (sums over an array) use the mirror around
 * them. Returns the mirror that was used. */
static tl_mirror *write_adjoint_region(tl_writer *w, tl_mirror *outer, const tl_region *r) {
  tl_mirror *m = mirror_of_region(w, r);
  if (m) {
    m->map = TL_NEW_ARRAY(w->a->arena, tl_value, w->a->primal_values);
    if (m->is_loop) {
      tl_value iv = m->primal->params.data[0];
      if (m->iv) {
        m->map[iv] = w->adjoint_map[m->iv];
      } else if (wants(w, m, iv)) {
        tl_dtype type = tl__writer_primal(w, iv)->type.dtype;
        tl_value k = tl_build_cvt(&w->b, type, w->adjoint_map[m->counter]);
        tl_value offset = tl_build_binary(&w->b, TL_OP_mul, k, tl_build_int(&w->b, type, m->primal_op->u.step));
        m->map[iv] = tl_build_binary(&w->b, TL_OP_add, tl__writer_lookup(w, outer, tl_loop_lo(m->primal_op)), offset);
      }
      for (uint32_t i = 1; i < m->primal->params.count; i++) {
        if (wants(w, m, m->primal->params.data[i])) {
          tl__saved_load(w, m, m->primal->params.data[i]);
        }
      }
    }
    copy_primal_region(w, m, m->primal);
  }
  m = m ? m : outer;
  write_adjoint_ops(w, m, r, 0);
  return m;
}

static void write_adjoint_if(tl_writer *w, tl_mirror *m, const tl_op *o) {
  tl_op *made = tl_build_if(&w->b, tl__writer_lookup(w, m, o->operands[0]));
  tl_region *outer = w->b.region;
  for (uint32_t k = 0; k < 2; k++) {
    w->b.region = made->regions[k];
    const tl_mirror *inner = write_adjoint_region(w, m, o->regions[k]);
    for (uint32_t i = 0; i < o->result_count; i++) {
      if (w->a->live[tl_op_result(o, i)]) {
        TL_PUSH(w->h->arena, w->b.region->yields, tl__writer_lookup(w, inner, o->regions[k]->yields.data[i]));
      }
    }
  }
  w->b.region = outer;
  tl_build_if_results(&w->b, made);
  uint32_t next = 0;
  for (uint32_t i = 0; i < o->result_count; i++) {
    if (w->a->live[tl_op_result(o, i)]) {
      w->adjoint_map[tl_op_result(o, i)] = tl_op_result(made, next);
      w->h->values.data[tl_op_result(made, next++)].name = w->a->func->values.data[tl_op_result(o, i)].name;
    }
  }
}

static void write_adjoint_loop(tl_writer *w, tl_mirror *m, const tl_op *o) {
  tl_func *f = w->a->func;
  const tl_region *body = tl_loop_body(o);
  TL_VEC(tl_value) inits = {0};
  TL_VEC(uint32_t) carries = {0};
  for (uint32_t i = 0; i < tl_loop_carries(o); i++) {
    if (w->a->live[body->params.data[1 + i]]) {
      TL_PUSH(w->a->arena, carries, i);
      TL_PUSH(w->a->arena, inits, tl__writer_lookup(w, m, tl_loop_init(o, i)));
    }
  }
  tl_op *made = tl_build_loop(&w->b, tl__writer_lookup(w, m, o->operands[0]), tl__writer_lookup(w, m, o->operands[1]),
                              o->u.step, f->values.data[body->params.data[0]].name, inits.count, inits.data);
  made->reversed = o->reversed;
  made->is_ours = o->is_ours;
  tl_region *outer = w->b.region;
  w->b.region = tl_loop_body(made);
  w->adjoint_map[body->params.data[0]] = w->b.region->params.data[0];
  for (uint32_t i = 0; i < carries.count; i++) {
    tl_value old = body->params.data[1 + carries.data[i]], param = w->b.region->params.data[1 + i];
    w->adjoint_map[old] = param;
    w->h->values.data[param].name = f->values.data[old].name;
  }
  const tl_mirror *inner = write_adjoint_region(w, m, body);
  for (uint32_t i = 0; i < carries.count; i++) {
    TL_PUSH(w->h->arena, w->b.region->yields, tl__writer_lookup(w, inner, body->yields.data[carries.data[i]]));
  }
  w->b.region = outer;
  tl_build_loop_results(&w->b, made);
  for (uint32_t i = 0; i < carries.count; i++) {
    tl_value old = tl_op_result(o, carries.data[i]);
    w->adjoint_map[old] = tl_op_result(made, i);
    w->h->values.data[tl_op_result(made, i)].name = f->values.data[old].name;
  }
}

static void write_adjoint_ops(tl_writer *w, tl_mirror *m, const tl_region *r, uint32_t from) {
  for (uint32_t i = from; i < r->ops.count; i++) {
    const tl_op *o = r->ops.data[i];
    w->b.loc = o->loc;
    if (o->code == TL_OP_if) {
      write_adjoint_if(w, m, o);
    } else if (o->code == TL_OP_loop) {
      write_adjoint_loop(w, m, o);
    } else {
      tl_value made = copy_plain(w, m, o);
      for (uint32_t k = 0; k < o->result_count; k++) {
        w->adjoint_map[tl_op_result(o, k)] = made + k;
      }
    }
  }
}

/* ---- the whole ---- */

/* A tensor's type as a parameter may have it: extents that are no parameter's are not stated. */
static tl_type entry_type(tl_func *f, tl_type type) {
  if (!type.is_tensor || !type.rank) {
    return type;
  }
  tl_extent *extents = TL_NEW_ARRAY(f->arena, tl_extent, type.rank);
  for (int i = 0; i < type.rank; i++) {
    bool known = type.extents[i].value == TL_NO_VALUE;
    for (uint32_t k = 0; !known && k < f->body->params.count; k++) {
      tl_type t = tl_type_of(f, f->body->params.data[k]);
      for (int axis = 0; axis < t.rank; axis++) {
        known = known || t.extents[axis].value == type.extents[i].value;
      }
    }
    extents[i] = known ? type.extents[i] : (tl_extent){.fixed = -1};
  }
  type.extents = extents;
  return type;
}

bool tl__reverse_run(tl_func *f, const tl_reverse_spec *spec, tl_arena *arena, tl_reversed *out) {
  uint32_t leaves = f->params.count, result_count = f->results.count;
  tl_func *t = tl__func_copy(f, spec->name);
  t->module->funcs.count--; /* the two-part program is nobody's to find */
  tl_adjoint a = {.func = t, .arena = arena};
  tl__adjoint_take_snapshots(&a);
  a.primal_ops = t->body->ops.count;
  a.primal_values = t->values.count;
  bool *seeded = TL_NEW_ARRAY(arena, bool, result_count);
  for (uint32_t i = 0; i < result_count; i++) {
    seeded[i] = spec->seeds[i] != TL_SEED_NONE;
  }
  tl_activity activity = {0};
  if (!spec->only_sign) {
    if (!tl__activity_find(t, spec->wrt, seeded, arena, &activity)) {
      return false;
    }
    if (f->is_primal) {
      tl__activity_warn(t, &activity);
    }
    tl__guard_run(t, &activity, arena, &a.guards);
    if (a.guards.duplicates.count && !tl__activity_find(t, spec->wrt, seeded, arena, &activity)) {
      return false;
    }
    a.primal_values = t->values.count;
  }
  a.activity = &activity;
  a.b = (tl_builder){.func = t, .region = t->body, .loc = f->loc, .peephole = tl__simplify_peephole};
  a.bar = TL_NEW_ARRAY(arena, tl_value, a.primal_values);

  /* Seeds and storage come as parameters of both functions, in one order. */
  out->results = TL_NEW_ARRAY(arena, tl_value, result_count);
  out->seed_params = TL_NEW_ARRAY(arena, tl_value, result_count);
  out->bar_params = TL_NEW_ARRAY(arena, tl_value, leaves);
  out->bars = TL_NEW_ARRAY(arena, tl_value, leaves);
  tl_value *seed_of = TL_NEW_ARRAY(arena, tl_value, result_count);
  tl_value *storage_of = TL_NEW_ARRAY(arena, tl_value, leaves);
  for (uint32_t i = 0; i < result_count; i++) {
    if (spec->seeds[i] == TL_SEED_PARAM) {
      tl_type type = entry_type(t, tl_type_of(t, t->body->yields.data[i]));
      bool final = f->results.data[i].role == TL_RESULT_FINAL;
      const char *name = final ? t->values.data[t->params.data[f->results.data[i].param].value].name : f->name;
      seed_of[i] = tl_region_add_param(t, t->body, type, tl_arena_printf(t->arena, "%s_bar", name ? name : "seed"));
      if (final && spec->wrt[f->results.data[i].param]) {
        storage_of[f->results.data[i].param] = seed_of[i];
      }
    }
  }
  a.adds = spec->adds ? spec->adds : TL_NEW_ARRAY(arena, bool, leaves);
  bool *apart =
      TL_NEW_ARRAY(arena, bool, leaves); /* what the storage holds must not pass for a later version's cotangent */
  a.bar_storage = TL_NEW_ARRAY(arena, tl_value, t->body->params.count + leaves);
  for (uint32_t i = 0; i < leaves; i++) {
    tl_value v = t->params.data[i].value;
    if (spec->wrt[i] && tl_type_of(t, v).is_array && !storage_of[i]) {
      const char *name = t->values.data[v].name;
      storage_of[i] =
          tl_region_add_param(t, t->body, tl_type_of(t, v), tl_arena_printf(t->arena, "%s_bar", name ? name : "wrt"));
      apart[i] = a.adds[i] && tl__adjoint_overwrites(&a, v);
      a.bar_storage[i] = apart[i] ? TL_NO_VALUE : storage_of[i];
    }
  }

  tl_value *param_map;
  tl_func *h = tl__func_begin_like(t, spec->name, &param_map);
  for (uint32_t i = 0; i < leaves; i++) {
    out->bar_params[i] = storage_of[i] ? param_map[storage_of[i]] : TL_NO_VALUE;
  }
  for (uint32_t i = 0; i < result_count; i++) {
    out->seed_params[i] = seed_of[i] ? param_map[seed_of[i]] : TL_NO_VALUE;
  }
  out->func = h;
  if (spec->sign) {
    spec->sign(spec->ctx, out);
  }
  if (spec->only_sign) {
    return true;
  }

  for (uint32_t i = 0; i < result_count; i++) {
    tl_value v = t->body->yields.data[i];
    if (spec->seeds[i] == TL_SEED_NONE || !tl_active(&activity, v)) {
      continue;
    }
    tl_value seed = seed_of[i];
    if (spec->seeds[i] == TL_SEED_ONE) {
      seed = tl_build_float(&a.b, tl_type_of(t, v).dtype, 1, NULL);
      seed = tl__tensor_fit(&a.b, seed, v);
    } else if (tl_type_of(t, v).is_array &&
               (f->results.data[i].role == TL_RESULT_RETURN || !spec->wrt[f->results.data[i].param])) {
      seed = tl_build_clone(&a.b, seed); /* the caller's seed stays as it is */
    }
    if (!a.bar[v]) {
      a.bar[v] = seed;
    } else {
      a.bar[v] = tl_type_of(t, v).is_array ? tl_build_accumulate(&a.b, seed, a.bar[v])
                                           : tl_build_binary(&a.b, TL_OP_add, a.bar[v], seed);
    }
  }
  if (!tl__adjoint_build(&a)) {
    return false;
  }

  /* What the function yields: the primal's results that are kept, and the cotangents in their storage. */
  tl_value *bars = TL_NEW_ARRAY(arena, tl_value, leaves);
  for (uint32_t i = 0; i < leaves; i++) {
    if (!spec->wrt[i]) {
      continue;
    }
    tl_value v = t->params.data[i].value;
    tl_dtype dtype = tl_type_of(t, v).dtype;
    tl_value bar = a.bar[v];
    if (!tl_type_of(t, v).is_array) {
      bars[i] = bar ? bar : tl_build_zero_like(&a.b, v);
    } else if (bar && !a.bar_storage[i] && !apart[i]) {
      bars[i] = bar;
    } else {
      tl_value sum = a.adds[i] ? storage_of[i] : tl_build_fill(&a.b, storage_of[i], tl_build_zero(&a.b, dtype));
      bars[i] = bar ? tl_build_accumulate(&a.b, sum, bar) : sum; /* the cotangent was built elsewhere */
    }
  }
  tl__guard_undo(t, arena, &a.guards, leaves, bars);
  tl__adjoint_prune(&a, leaves, bars);
  uint32_t root_count = 0;
  tl_value *roots = TL_NEW_ARRAY(arena, tl_value, result_count + leaves);
  for (uint32_t i = 0; i < leaves; i++) {
    if (bars[i] && bars[i] < a.primal_values) {
      roots[root_count++] = bars[i]; /* the cotangent is a value of the primal */
    }
  }
  for (uint32_t i = 0; i < result_count; i++) {
    if (spec->keep[i]) {
      roots[root_count++] = t->body->yields.data[i];
    }
  }
  tl_keep *keep = tl__keep_plan(&a, root_count, roots);

  tl_writer w = {.a = &a, .k = keep, .h = h};
  w.b = (tl_builder){.func = h, .region = h->body, .loc = f->loc, .peephole = tl__simplify_peephole};
  w.adjoint_map = TL_NEW_ARRAY(arena, tl_value, t->values.count);
  w.counter = TL_NEW_ARRAY(arena, tl_value, a.primal_values);
  tl_mirror *root = a.mirrors.data[0];
  root->map = TL_NEW_ARRAY(arena, tl_value, a.primal_values);
  for (uint32_t i = 0; i < t->body->params.count; i++) {
    tl_value old = t->body->params.data[i];
    *(old < a.primal_values ? &root->map[old] : &w.adjoint_map[old]) = param_map[old];
  }
  uint32_t extent_ops = tl__func_extent_ops(t);
  copy_primal_ops(&w, root, t->body, 0, extent_ops);
  tl__func_map_param_extents(h, t, root->map);
  copy_primal_ops(&w, root, t->body, extent_ops, a.primal_ops);
  write_adjoint_ops(&w, root, t->body, a.primal_ops);

  for (uint32_t i = 0; i < result_count; i++) {
    out->results[i] = spec->keep[i] ? tl__writer_lookup(&w, root, t->body->yields.data[i]) : TL_NO_VALUE;
  }
  for (uint32_t i = 0; i < leaves; i++) {
    out->bars[i] = bars[i] ? tl__writer_lookup(&w, root, bars[i]) : TL_NO_VALUE;
  }
  out->b = w.b;
  return true;
}
