/* See keep.h. The decision per group is a minimum cut. A value that has to be at hand is either saved, at the price of
 * its storage, or computed again, at the price of its op, and then its operands have to be at hand too. */
#include "transform/keep_priv.h"

#include <assert.h>

#include "transform/mincut.h"
#include "transform/rewrite.h"

enum { /* prices, in units of one addition */
       PRICE_SIMPLE = 1,
       PRICE_DIVIDE = 4,
       PRICE_CALL = 12, /* a call of libm */
       PRICE_LOOP = 200,
       PRICE_SAVE = 8, /* a store and a load, through memory */
       PRICE_READ = 2, /* a load from where the function stores it anyway */
       PRICE_SAVE_ELEMENT =
           12, /* of an array that is saved as a whole: a store, and a load and a store to bring it back */
       PRICE_SAVE_ARRAY = 1000, /* a whole array in every iteration: where nothing else will do */
       PRICE_EXPORT = 3,        /* out of a branch, without a loop: a variable */
};

enum { SHORT_AXIS = 4 }; /* saved as a whole even where only one index of it is read */

bool tl__keep_is_fetched(const tl_keep *k, const tl_mirror *m, tl_value v) {
  return k->saved[v] && k->saved[v]->provider != m &&
         tl__enclosing_loop(k->adjoint->func->values.data[v].region) == tl__enclosing_loop(m->primal);
}

static void want(tl_planner *p, tl_mirror *m, tl_value v) {
  if (!v) {
    return;
  }
  v = tl__keep_stand_in(p->k, m->primal, v);
  const tl_region *home = tl__keep_region(p, v);
  while (!tl__region_contains(m->primal, home)) {
    m = m->outer;
  }
  bool root = m->index == 0;
  const tl_op *group = tl__enclosing_loop(home);
  if (!root && group == tl__enclosing_loop(m->primal) && !(p->group_decided && group == p->group)) {
    p->need[v] = true; /* its own group decides about it later */
  } else if (!p->k->head[m->index][v]) {
    p->k->head[m->index][v] = true;
    TL_PUSH(p->arena, p->work, (pending){m, v});
  }
}

static void want_control(tl_planner *p, tl_mirror *m, const tl_region *r) {
  for (const tl_op *o = r->parent; o && tl__region_contains(m->primal, o->parent); o = o->parent->parent) {
    want(p, m, o->operands[0]);
    if (o->code == TL_OP_loop) {
      want(p, m, o->operands[1]);
      if (tl_loop_cond(o)->yields.count) {
        want(p, m, tl_loop_cond(o)->yields.data[0]);
      }
    }
  }
}

static void want_result(tl_planner *p, tl_mirror *m, const tl_op *o, uint32_t index) {
  want(p, m, o->operands[0]);
  if (o->code == TL_OP_if) {
    want(p, m, o->regions[0]->yields.data[index]);
    want(p, m, o->regions[1]->yields.data[index]);
    return;
  }
  want(p, m, o->operands[1]);
  if (tl_loop_cond(o)->yields.count) {
    want(p, m, tl_loop_cond(o)->yields.data[0]);
  }
  if (index < tl_loop_carries(o)) {
    want(p, m, tl_loop_init(o, index));
    want(p, m, tl_loop_body(o)->params.data[1 + index]);
    want(p, m, tl_loop_body(o)->yields.data[index]);
  }
}

static void settle(tl_planner *p) {
  while (p->work.count) {
    pending w = p->work.data[--p->work.count];
    const tl_value_info info = *tl_info(p->f, w.value);
    if (tl__keep_is_fetched(p->k, w.mirror, w.value)) {
      const tl_save *s = p->k->saved[w.value];
      want(p, w.mirror, s->holder);
      for (uint32_t i = 1; s->holder && i + 1 < s->store->operand_count; i++) {
        want(p, w.mirror, s->store->operands[i]);
      }
      for (int axis = 0; axis < info.type.rank; axis++) {
        want(p, w.mirror, info.type.extents[axis].value);
      }
      continue;
    }
    if (!info.op) {
      const tl_op *loop = info.region->parent;
      if (loop && info.region != w.mirror->primal && info.index > 0) {
        want_result(p, w.mirror, loop, info.index - 1);
      }
      assert(info.region != w.mirror->primal || !loop || info.index == 0);
    } else if (info.op->code == TL_OP_if || info.op->code == TL_OP_loop) {
      want_result(p, w.mirror, info.op, info.index);
    } else {
      for (uint32_t i = 0; i < info.op->operand_count; i++) {
        want(p, w.mirror, tl__keep_operand(p->k, w.mirror->primal, info.op, i));
      }
    }
    if (info.region != w.mirror->primal) {
      want_control(p, w.mirror, info.region);
    }
  }
}

/* ---- the cut ---- */

typedef struct node {
  tl_value value;
  uint32_t in, out; /* in the cut's graph: cutting between the two saves the value */
  int64_t again, save;
  TL_VEC(tl_value) inputs;  /* of the same group */
  TL_VEC(tl_value) extents; /* of the same group: an array that is saved needs them too, as a load its indices */
} node;

typedef struct graph {
  tl_planner *p;
  const tl_op *group;
  uint32_t *number; /* by value: index of its node plus one */
  TL_VEC(node) nodes;
  uint32_t sinks; /* how many of them, the first, have to be at hand */
  bool all_again; /* can all be computed again, */
  bool dear;      /* and does that take a call or a loop? */
  tl_cut cut;
  bool *needed; /* by the cut's nodes: on the sink's side */
  tl_closure closure;
} graph;

/* To save a tensor is to keep it: cheap but for memory, and dear to compute again, where it is no view. */
static int64_t price_of_tensor(const tl_op *o) {
  bool is_view = o->code == TL_OP_broadcast || o->code == TL_OP_reshape || o->code == TL_OP_transpose;
  return is_view ? PRICE_SIMPLE : PRICE_LOOP;
}

static int64_t price_of_op(tl_planner *p, const tl_op *o) {
  if (tl_type_of(p->f, o->first_result).is_tensor && o->code != TL_OP_index) {
    return price_of_tensor(o);
  }
  if (!tl_op_table[o->code].elementwise) {
    return PRICE_SIMPLE;
  }
  bool floating = tl_dtype_is_float(p->f->values.data[o->first_result].type.dtype);
  switch (o->code) {
  case TL_OP_div:
  case TL_OP_rem:
  case TL_OP_sqrt:
  case TL_OP_fmax:
  case TL_OP_fmin:
    return PRICE_DIVIDE;
  case TL_OP_add:
  case TL_OP_sub:
  case TL_OP_mul:
  case TL_OP_neg:
  case TL_OP_fma:
  case TL_OP_select:
  case TL_OP_cvt:
  case TL_OP_fabs:
  case TL_OP_copysign:
    return PRICE_SIMPLE;
  default:
    return floating ? PRICE_CALL : PRICE_SIMPLE;
  }
}

static bool is_of_group(const graph *g, tl_value v) {
  const tl_region *home = tl__keep_region(g->p, v);
  return v && home != g->p->f->body && tl__enclosing_loop(home) == g->group;
}

static void add_input(graph *g, node *n, tl_value v) {
  if (is_of_group(g, v)) {
    TL_PUSH(g->p->arena, n->inputs, v);
  }
}

static void describe(graph *g, node *n) {
  tl_planner *p = g->p;
  tl_value v = n->value;
  const tl_value_info info = *tl_info(p->f, v);
  const tl_op *o = info.op;
  bool array = info.type.is_array;
  const tl_op *store = NULL;
  n->save = !g->group ? PRICE_EXPORT : !array && tl__keep_find_holder(p, v, &store) ? PRICE_READ : PRICE_SAVE;
  for (uint32_t i = 1; store && i + 1 < store->operand_count; i++) {
    if (is_of_group(g, store->operands[i])) {
      TL_PUSH(p->arena, n->extents, store->operands[i]);
    }
  }
  if (array) {
    n->save = !g->group && tl__keep_is_exportable(p, v) ? PRICE_SIMPLE : PRICE_SAVE_ARRAY;
    for (int axis = 0; axis < info.type.rank; axis++) {
      if (is_of_group(g, info.type.extents[axis].value)) {
        TL_PUSH(p->arena, n->extents, info.type.extents[axis].value);
      }
    }
  }
  if (!o) {
    n->again = info.index == 0 ? 0 : TL_CUT_INFINITE;
    return;
  }
  n->again = array ? (tl__keep_is_rebuildable(p, v, info.region) ? 0 : TL_CUT_INFINITE) : price_of_op(p, o);
  switch (o->code) {
  case TL_OP_extern:
  case TL_OP_call:
    n->again = TL_CUT_INFINITE;
    return;
  case TL_OP_if:
    for (int k = 0; k < 2; k++) {
      add_input(g, n, o->regions[k]->yields.data[info.index]);
    }
    add_input(g, n, o->operands[0]);
    return;
  case TL_OP_loop: {
    tl_closure *c = &g->closure;
    c->touched.count = c->inputs.count = 0;
    c->at = info.region;
    c->stop = g->group;
    tl__keep_close(c, 1, &v);
    if (!c->possible) {
      n->again = TL_CUT_INFINITE;
    } else if (n->again < TL_CUT_INFINITE) {
      n->again = PRICE_LOOP;
    }
    for (uint32_t i = 0; i < c->inputs.count; i++) {
      add_input(g, n, c->inputs.data[i]);
    }
    return;
  }
  case TL_OP_index:
    if (!tl__keep_is_readable(p, tl__keep_operand(p->k, info.region, o, 0), info.region)) {
      n->again = TL_CUT_INFINITE;
      return;
    }
    break;
  default:
    break;
  }
  for (uint32_t i = 0; i < o->operand_count; i++) {
    add_input(g, n, tl__keep_operand(p->k, info.region, o, i));
  }
}

static void add_node(graph *g, tl_value v) {
  if (!g->number[v]) {
    TL_PUSH(g->p->arena, g->nodes, (node){.value = v});
    g->number[v] = g->nodes.count;
  }
}

static void save_value(tl_planner *p, const tl_op *group, tl_value v) {
  tl_save *s = TL_NEW(p->arena, tl_save);
  s->value = v;
  s->holder = group ? tl__keep_find_holder(p, v, &s->store) : TL_NO_VALUE;
  s->is_copied = !group && tl__keep_is_array(p, v) && !tl__keep_is_exportable(p, v);
  p->k->saved[v] = s;
  TL_PUSH(p->arena, p->k->saves, s);
}

/* ---- whether a loop runs before its adjoint ---- */

static bool follows(tl_planner *p, tl_value v) { return v && p->follows[v]; }

static bool set_follows(tl_planner *p, tl_value v) {
  if (p->follows[v]) {
    return false;
  }
  p->follows[v] = true;
  TL_PUSH(p->arena, p->followers, v);
  return true;
}

/* Marks what in the region needs a value that is marked. Whether it marked anything. */
static bool mark_followers(tl_planner *p, const tl_region *r, uint32_t from, uint32_t count) {
  bool any = false;
  for (uint32_t i = from; i < from + count; i++) {
    const tl_op *o = r->ops.data[i];
    bool all = false; /* the results need it */
    for (uint32_t k = 0; k < o->operand_count && (o->code != TL_OP_loop || k < 2); k++) {
      all = all || follows(p, o->operands[k]);
    }
    for (bool again = true; again;) {
      again = false;
      if (o->code == TL_OP_loop) {
        for (uint32_t k = 0; k < tl_loop_carries(o); k++) {
          if (follows(p, tl_loop_init(o, k)) || follows(p, tl_loop_body(o)->yields.data[k])) {
            again |= set_follows(p, tl_loop_body(o)->params.data[1 + k]);
            again |= set_follows(p, tl_loop_cond(o)->params.data[1 + k]);
          }
        }
      }
      for (uint32_t k = 0; k < o->region_count; k++) {
        again |= mark_followers(p, o->regions[k], 0, o->regions[k]->ops.count);
      }
      any |= again;
      again = again && o->code == TL_OP_loop;
    }
    if (o->code == TL_OP_loop && tl_loop_cond(o)->yields.count) {
      all = all || follows(p, tl_loop_cond(o)->yields.data[0]);
    }
    for (uint32_t k = 0; k < o->result_count; k++) {
      bool does = all;
      if (o->code == TL_OP_loop && k < tl_loop_carries(o)) {
        does = does || follows(p, tl_loop_body(o)->params.data[1 + k]);
      } else if (o->code == TL_OP_if) {
        does = does || follows(p, o->regions[0]->yields.data[k]) || follows(p, o->regions[1]->yields.data[k]);
      }
      any |= does && set_follows(p, tl_op_result(o, k));
    }
  }
  return any;
}

static bool reads_follower(tl_planner *p, const tl_op *o) {
  bool any = false;
  for (uint32_t i = 0; i < o->operand_count && !any; i++) {
    any = follows(p, o->operands[i]);
  }
  for (uint32_t k = 0; k < o->region_count; k++) {
    for (uint32_t i = 0; i < o->regions[k]->ops.count && !any; i++) {
      any = reads_follower(p, o->regions[k]->ops.data[i]);
    }
    for (uint32_t i = 0; i < o->regions[k]->yields.count && !any; i++) {
      any = follows(p, o->regions[k]->yields.data[i]);
    }
  }
  return any;
}

/* Does the adjoint read what a loop inside this one, or this one, has stored by its end? */
static bool reads_behind(const tl_planner *p, const tl_op *loop) {
  for (uint32_t i = 0; i < p->k->saves.count; i++) {
    const tl_save *s = p->k->saves.data[i];
    if (tl__region_contains(tl_loop_body(loop), tl__keep_region(p, s->value)) &&
        !tl__region_contains(tl_loop_body(loop), s->provider->primal)) {
      return true;
    }
  }
  for (tl_value v = 1; v < p->a->primal_values; v++) {
    const tl_op *o = p->k->settled[v] ? tl_def(p->f, p->k->settled[v]) : NULL;
    bool is_read = p->need[v];
    for (uint32_t i = 1; o && i < p->a->mirrors.count && !is_read; i++) {
      is_read = p->k->head[i][v];
    }
    if (o && is_read && tl__region_contains(tl_loop_body(loop), tl__keep_region(p, v)) &&
        !tl__region_contains(tl_loop_body(loop), o->parent)) {
      return true;
    }
  }
  return false;
}

/* Does the loop's adjoint need what the loop ends with, so that the two cannot become one loop? */
static bool runs_first(tl_planner *p, const tl_mirror *m) {
  if (reads_behind(p, m->primal_op)) {
    return true;
  }
  const tl_mirror *around = m->outer;
  while (around->outer && !around->is_loop) {
    around = around->outer;
  }
  uint32_t split = around->index ? 0 : p->a->primal_ops, first = around->index ? around->primal->ops.count : split;
  const tl_op *loop = m->primal_op;
  for (uint32_t i = 0; i < loop->result_count; i++) {
    set_follows(p, tl_op_result(loop, i));
  }
  mark_followers(p, around->primal, 0, first);
  mark_followers(p, around->adjoint, split, around->adjoint->ops.count - split);
  bool does = reads_follower(p, m->adjoint->parent);
  for (const tl_op *o = m->adjoint->parent->parent->parent; o && o->code == TL_OP_if; o = o->parent->parent) {
    does = does || follows(p, o->operands[0]);
  }
  for (uint32_t i = 0; i < p->followers.count; i++) {
    p->follows[p->followers.data[i]] = false;
  }
  p->followers.count = 0;
  return does;
}

/* ---- arrays that are saved as a whole ---- */

/* Does the index depend on v? What is loaded or carried may depend on anything. */
static bool index_depends(const tl_planner *p, tl_value index, tl_value v, int depth) {
  const tl_op *o = tl_def(p->f, index);
  if (index == v || depth > 8) {
    return true;
  }
  if (!o) {
    return tl_info(p->f, index)->region != p->f->body && tl_info(p->f, index)->index > 0;
  }
  bool does = o->code != TL_OP_const && !tl_op_table[o->code].elementwise;
  for (uint32_t i = 0; i < o->operand_count && !does; i++) {
    does = index_depends(p, o->operands[i], v, depth + 1);
  }
  return does;
}

/* Do the loops between the load and the loop that changes the array run over all of it? *out_repeats: one of these
 * loops loads the same elements in every iteration. */
static bool runs_over_array(const tl_planner *p, const tl_op *load, bool *out_repeats) {
  const tl_region *home = tl__keep_region(p, load->operands[0]);
  uint32_t found = 0, all = 0;
  *out_repeats = false;
  tl_type type = tl_type_of(p->f, load->operands[0]);
  for (int axis = 0; axis < type.rank; axis++) {
    all |= 1u << axis;
    found |= !type.extents[axis].value && type.extents[axis].fixed <= SHORT_AXIS ? 1u << axis : 0;
  }
  for (const tl_region *r = load->parent; r != home; r = r->parent->parent) {
    if (r->parent->code == TL_OP_loop) {
      bool any = false;
      for (int axis = 0; axis < type.rank; axis++) {
        bool does = index_depends(p, load->operands[1 + axis], r->params.data[0], 0);
        found |= does ? 1u << axis : 0;
        any |= does;
      }
      *out_repeats |= !any;
    }
  }
  return found == all;
}

/* The version that the load reads, where only a loop further out changes it and it is worth a copy of its own for each
 * of that loop's iterations. */
static tl_value array_to_copy(tl_planner *p, const tl_op *load, bool *out_repeats) {
  tl_value v = load->operands[0];
  const tl_op *home_loop = tl__keep_group(p, v);
  if (load->code != TL_OP_index || !home_loop || home_loop == tl__enclosing_loop(load->parent) ||
      !tl__region_contains(tl__keep_region(p, v), load->parent) || tl__keep_region(p, v) == load->parent ||
      !runs_over_array(p, load, out_repeats)) {
    return TL_NO_VALUE;
  }
  return v;
}

/* ---- deciding ---- */

static void build_graph(graph *g) {
  tl_planner *p = g->p;
  g->number = TL_NEW_ARRAY(p->arena, uint32_t, p->a->primal_values);
  g->closure = (tl_closure){.p = p, .seen = TL_NEW_ARRAY(p->arena, bool, p->a->primal_values)};
  for (tl_value v = 1; v < p->a->primal_values; v++) {
    if (p->need[v] && p->f->values.data[v].region && tl__keep_region(p, v) != p->f->body &&
        tl__keep_group(p, v) == g->group) {
      add_node(g, v);
    }
  }
  g->sinks = g->nodes.count;
  g->all_again = true;
  for (uint32_t i = 0; i < g->nodes.count; i++) {
    node n = g->nodes.data[i];
    describe(g, &n);
    g->nodes.data[i] = n;
    g->all_again &= n.again < TL_CUT_INFINITE;
    g->dear |= n.again >= PRICE_CALL && n.again < TL_CUT_INFINITE;
    for (uint32_t k = 0; k < n.inputs.count; k++) {
      add_node(g, n.inputs.data[k]);
    }
    for (uint32_t k = 0; k < n.extents.count; k++) {
      add_node(g, n.extents.data[k]);
    }
  }
}

/* Returns the price of the cheapest choice. */
static int64_t cut_graph(graph *g) {
  tl_cut *cut = &g->cut;
  tl__cut_init(cut, g->p->arena);
  uint32_t source = tl__cut_add_node(cut), sink = tl__cut_add_node(cut);
  for (uint32_t i = 0; i < g->nodes.count; i++) {
    g->nodes.data[i].in = tl__cut_add_node(cut);
    g->nodes.data[i].out = tl__cut_add_node(cut);
  }
  for (uint32_t i = 0; i < g->nodes.count; i++) {
    node *n = &g->nodes.data[i];
    tl__cut_add_edge(cut, source, n->in, n->again);
    tl__cut_add_edge(cut, n->in, n->out, n->save);
    if (i < g->sinks) {
      tl__cut_add_edge(cut, n->out, sink, TL_CUT_INFINITE);
    }
    for (uint32_t k = 0; k < n->inputs.count; k++) {
      tl__cut_add_edge(cut, g->nodes.data[g->number[n->inputs.data[k]] - 1].out, n->in, TL_CUT_INFINITE);
    }
    for (uint32_t k = 0; k < n->extents.count; k++) {
      tl__cut_add_edge(cut, g->nodes.data[g->number[n->extents.data[k]] - 1].out, n->out, TL_CUT_INFINITE);
    }
  }
  g->needed = TL_NEW_ARRAY(g->p->arena, bool, cut->nodes.count);
  return tl__cut_run(cut, source, sink, g->needed);
}

/* Whether copies of whole arrays, which loops further out make, are cheaper than saving what the group loads of them.
 * If so the arrays count as readable from now on, and *g is the graph with them. */
static bool copy_arrays(graph *g, int64_t price) {
  tl_planner *p = g->p;
  TL_VEC(tl_value) arrays = {0};
  int64_t copies = 0;
  for (uint32_t i = 0; i < g->nodes.count; i++) {
    const tl_op *o = tl_def(p->f, g->nodes.data[i].value);
    bool repeats;
    tl_value v = o && o->code == TL_OP_index && g->nodes.data[i].again >= TL_CUT_INFINITE
                     ? array_to_copy(p, o, &repeats)
                     : TL_NO_VALUE;
    if (v && !p->copied[v]) {
      p->copied[v] = true;
      TL_PUSH(p->arena, arrays, v);
      copies += repeats ? PRICE_SIMPLE : PRICE_SAVE_ELEMENT;
    }
  }
  if (!arrays.count) {
    return false;
  }
  graph other = {.p = p, .group = g->group};
  build_graph(&other);
  if (cut_graph(&other) + copies < price) {
    *g = other;
    return true;
  }
  for (uint32_t i = 0; i < arrays.count; i++) {
    p->copied[arrays.data[i]] = false;
  }
  return false;
}

/* Decides what of the group is saved. */
static void decide(tl_planner *p, const tl_mirror *m) {
  graph g = {.p = p, .group = m->is_loop ? m->primal_op : NULL};
  build_graph(&g);
  if (g.group && g.all_again && !(g.dear && runs_first(p, m))) {
    return; /* the loop keeps nothing */
  }
  copy_arrays(&g, cut_graph(&g));
  for (uint32_t i = 0; i < g.nodes.count; i++) {
    if (g.needed[g.nodes.data[i].out] && !g.needed[g.nodes.data[i].in]) {
      save_value(p, g.group, g.nodes.data[i].value);
    }
  }
}

/* Where the saved values of a group are computed: in the head of the innermost mirror around the loop that can run the
 * loop again, else in the forward sweep. */
static void choose_provider(tl_planner *p, tl_mirror *m, uint32_t first_save) {
  TL_VEC(tl_value) values = {0};
  for (uint32_t i = first_save; i < p->k->saves.count; i++) {
    p->k->saves.data[i]->provider = p->a->mirrors.data[0];
    if (!p->k->saves.data[i]->holder) {
      TL_PUSH(p->arena, values, p->k->saves.data[i]->value);
    }
  }
  if (!values.count) {
    return;
  }
  tl_mirror *provider = m;
  if (m->is_loop) {
    for (provider = m->outer; tl__enclosing_loop(provider->primal); provider = provider->outer) {
      tl_closure c = {.p = p, .at = provider->primal, .stop = tl__enclosing_loop(provider->primal)};
      c.seen = TL_NEW_ARRAY(p->arena, bool, p->a->primal_values);
      tl__keep_close(&c, values.count, values.data);
      if (c.possible && tl__keep_inputs_are_rebuildable(&c)) {
        break;
      }
      while (!provider->is_loop) {
        provider = provider->outer;
      }
    }
  }
  if (!tl__enclosing_loop(provider->primal)) {
    provider = p->a->mirrors.data[0];
  }
  for (uint32_t i = first_save; i < p->k->saves.count; i++) {
    if (!p->k->saves.data[i]->holder) {
      p->k->saves.data[i]->provider = provider;
    }
  }
  for (uint32_t i = 0; i < values.count; i++) {
    want(p, provider, values.data[i]);
    want_control(p, provider, tl__keep_region(p, values.data[i]));
  }
  settle(p);
}

static void plan_group(tl_planner *p, tl_mirror *m) {
  p->group = m->is_loop ? m->primal_op : NULL;
  p->group_decided = false;
  uint32_t first_save = p->k->saves.count;
  decide(p, m);
  choose_provider(p, m, first_save);
  p->group_decided = true;
  for (tl_value v = 1; v < p->a->primal_values; v++) {
    if (p->need[v] && p->k->mirror_of[v] && p->k->mirror_of[v]->index && tl__keep_group(p, v) == p->group) {
      want(p, p->k->mirror_of[v], v);
    }
  }
  settle(p);
}

/* ---- what the adjoint reads ---- */

static void read_by_adjoint(tl_planner *p, tl_value v) {
  if (v && v < p->a->primal_values) {
    p->need[v] = true;
  }
}

static void collect_reads(tl_planner *p, const tl_region *r, uint32_t from) {
  for (uint32_t i = from; i < r->ops.count; i++) {
    const tl_op *o = r->ops.data[i];
    if (o->code == TL_OP_loop) {
      read_by_adjoint(p, o->operands[0]);
      read_by_adjoint(p, o->operands[1]);
      for (uint32_t k = 0; k < tl_loop_carries(o); k++) {
        if (p->a->live[tl_loop_body(o)->params.data[1 + k]]) {
          read_by_adjoint(p, tl_loop_init(o, k));
          read_by_adjoint(p, tl_loop_body(o)->yields.data[k]);
        }
      }
    } else {
      for (uint32_t k = 0; k < o->operand_count; k++) {
        read_by_adjoint(p, o->operands[k]);
      }
      if (o->code == TL_OP_if) {
        for (uint32_t k = 0; k < o->result_count; k++) {
          if (p->a->live[tl_op_result(o, k)]) {
            read_by_adjoint(p, o->regions[0]->yields.data[k]);
            read_by_adjoint(p, o->regions[1]->yields.data[k]);
          }
        }
      }
    }
    for (uint32_t k = 0; k < o->region_count; k++) {
      collect_reads(p, o->regions[k], 0);
    }
  }
}

static void find_mirrors(tl_planner *p) {
  for (uint32_t i = 0; i < p->a->mirrors.count; i++) {
    tl_mirror *m = p->a->mirrors.data[i];
    for (uint32_t k = 0; k < m->primal->params.count; k++) {
      if (m->primal->params.data[k] < p->a->primal_values) { /* seeds and storage are no values of the primal */
        p->k->mirror_of[m->primal->params.data[k]] = m;
      }
    }
    uint32_t count = i ? m->primal->ops.count : p->a->primal_ops;
    for (uint32_t k = 0; k < count; k++) {
      const tl_op *o = m->primal->ops.data[k];
      for (uint32_t r = 0; r < o->result_count; r++) {
        p->k->mirror_of[tl_op_result(o, r)] = m;
      }
    }
  }
}

/* The forward sweep keeps every effect. */
static void want_effects(tl_planner *p, const tl_region *r, uint32_t count) {
  tl_mirror *root = p->a->mirrors.data[0];
  for (uint32_t i = 0; i < count; i++) {
    const tl_op *o = r->ops.data[i];
    if (o->code == TL_OP_extern && o->has_effect) {
      for (uint32_t k = 0; k < o->operand_count; k++) {
        want(p, root, o->operands[k]);
      }
      want_control(p, root, r);
    }
    for (uint32_t k = 0; k < o->region_count; k++) {
      want_effects(p, o->regions[k], o->regions[k]->ops.count);
    }
  }
}

tl_keep *tl__keep_plan(tl_adjoint *a, uint32_t root_count, const tl_value *roots) {
  uint32_t n = a->primal_values;
  tl_keep *k = TL_NEW(a->arena, tl_keep);
  k->adjoint = a;
  k->mirror_of = TL_NEW_ARRAY(a->arena, tl_mirror *, n);
  k->saved = TL_NEW_ARRAY(a->arena, tl_save *, n);
  k->lasting = TL_NEW_ARRAY(a->arena, tl_value, n);
  k->settled = TL_NEW_ARRAY(a->arena, tl_value, n);
  k->head = TL_NEW_ARRAY(a->arena, bool *, a->mirrors.count);
  for (uint32_t i = 0; i < a->mirrors.count; i++) {
    k->head[i] = TL_NEW_ARRAY(a->arena, bool, n);
  }
  tl_planner p = {.k = k, .a = a, .f = a->func, .arena = a->arena};
  p.need = TL_NEW_ARRAY(a->arena, bool, n);
  p.copied = TL_NEW_ARRAY(a->arena, bool, n);
  p.follows = TL_NEW_ARRAY(a->arena, bool, a->func->values.count);
  p.uses = TL_NEW_ARRAY(a->arena, use_list, n);
  p.overwritten = TL_NEW_ARRAY(a->arena, signed char, n);
  p.rebuildable = TL_NEW_ARRAY(a->arena, signed char, n);
  tl__keep_find_uses(&p, a->func->body, a->primal_ops);
  find_mirrors(&p);
  tl__keep_find_lasting(&p);
  tl__keep_find_settled(&p);
  collect_reads(&p, a->func->body, a->primal_ops);
  for (uint32_t i = 0; i < a->mirrors.count; i++) {
    const tl_mirror *m = a->mirrors.data[i];
    if (m->is_loop && m->counter) {
      read_by_adjoint(&p, tl_loop_lo(m->primal_op));
    }
  }
  for (uint32_t i = 0; i < root_count; i++) {
    want(&p, a->mirrors.data[0], roots[i]);
  }
  for (uint32_t i = 0; i < a->func->body->params.count; i++) {
    tl_type type = tl_type_of(a->func, a->func->body->params.data[i]);
    for (int axis = 0; axis < type.rank; axis++) {
      want(&p, a->mirrors.data[0], type.extents[axis].value);
    }
  }
  want_effects(&p, a->func->body, a->primal_ops);
  settle(&p);
  for (uint32_t i = a->mirrors.count; i-- > 0;) {
    if (a->mirrors.data[i]->is_loop || i == 0) {
      plan_group(&p, a->mirrors.data[i]);
    }
  }
  for (tl_value v = 1; v < n; v++) {
    if (p.need[v] && k->mirror_of[v] && k->mirror_of[v]->index == 0) {
      want(&p, a->mirrors.data[0], v);
    }
  }
  settle(&p);
  return k;
}
