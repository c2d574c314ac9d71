/* Each op is copied, and its tangent is built beside it from the tangents of its operands. A tangent that is zero
 * everywhere is no value. */
#include "transform/forward.h"

#include <assert.h>

#include "ops/ops.h"
#include "transform/activity.h"
#include "transform/copy.h"
#include "transform/derive.h"
#include "transform/storage.h"
#include "transform/transform.h"

typedef struct pusher {
  const tl_func *f;
  tl_func *h;
  tl_builder b;
  tl_activity activity;
  tl_arena *arena;
  tl_value *map; /* by f's value: the copy */
  tl_value *dot; /* by f's value: the tangent, or TL_NO_VALUE */
} pusher;

static bool active(const pusher *p, tl_value v) { return tl_active(&p->activity, v); }

static tl_value name_dot(pusher *p, tl_value dot, tl_value primal) {
  tl_value_info *info = &p->h->values.data[dot];
  const char *name = p->f->values.data[primal].name;
  if (!info->name && name && (!info->op || info->op->code != TL_OP_const)) {
    info->name = tl_arena_printf(p->h->arena, "%s_dot", name);
  }
  return dot;
}

/* The tangent of v as a value, zero made explicit. A zero array is not remembered: it is made in the region at hand. */
static tl_value solid_dot(pusher *p, tl_value v) {
  if (p->dot[v]) {
    return p->dot[v];
  }
  tl_type type = tl_type_of(p->h, p->map[v]);
  if (!type.is_array) {
    return tl_build_zero(&p->b, type.dtype);
  }
  const char *name = p->f->values.data[v].name;
  return tl_build_alloc(&p->b, type.dtype, type.rank, type.extents,
                                    TL_ALLOC_ZEROED | tl__storage_flags_beside(p->f, v),
                                    name ? tl_arena_printf(p->h->arena, "%s_dot", name) : "dot");
}

static bool push_region(pusher *p, const tl_region *r);

static void set_names(pusher *p, tl_value copy, tl_value old) {
  p->h->values.data[copy].name = p->f->values.data[old].name;
}

static bool push_if(pusher *p, const tl_op *o) {
  tl_op *made = tl_build_if(&p->b, p->map[o->operands[0]]);
  tl_region *outer = p->b.region;
  bool ok = true;
  for (uint32_t k = 0; k < 2; k++) {
    const tl_region *from = o->regions[k];
    p->b.region = made->regions[k];
    ok &= push_region(p, from);
    for (uint32_t i = 0; i < o->result_count; i++) {
      TL_PUSH(p->h->arena, p->b.region->yields, p->map[from->yields.data[i]]);
    }
    for (uint32_t i = 0; i < o->result_count; i++) {
      if (active(p, tl_op_result(o, i))) {
        TL_PUSH(p->h->arena, p->b.region->yields, solid_dot(p, from->yields.data[i]));
      }
    }
  }
  p->b.region = outer;
  tl_build_if_results(&p->b, made);
  uint32_t next = o->result_count;
  for (uint32_t i = 0; i < o->result_count; i++) {
    tl_value old = tl_op_result(o, i);
    p->map[old] = tl_op_result(made, i);
    set_names(p, p->map[old], old);
    if (active(p, old)) {
      p->dot[old] = name_dot(p, tl_op_result(made, next++), old);
    }
  }
  return ok;
}

static bool push_loop(pusher *p, const tl_op *o) {
  uint32_t carries = tl_loop_carries(o);
  const tl_region *body = tl_loop_body(o), *cond = tl_loop_cond(o);
  TL_VEC(tl_value) inits = {0};
  TL_VEC(uint32_t) moving = {0};
  for (uint32_t i = 0; i < carries; i++) {
    TL_PUSH(p->arena, inits, p->map[tl_loop_init(o, i)]);
  }
  for (uint32_t i = 0; i < carries; i++) {
    if (active(p, body->params.data[1 + i]) || active(p, tl_op_result(o, i))) {
      TL_PUSH(p->arena, moving, i);
      TL_PUSH(p->arena, inits, solid_dot(p, tl_loop_init(o, i)));
    }
  }
  tl_value lo = p->map[o->operands[0]], hi = o->operands[1] ? p->map[o->operands[1]] : TL_NO_VALUE;
  tl_op *made = tl_build_loop(&p->b, lo, hi, o->u.step, p->f->values.data[body->params.data[0]].name, inits.count, inits.data);
  made->reversed = o->reversed;
  for (uint32_t r = 0; r < 2; r++) {
    for (uint32_t i = 0; i < o->regions[r]->params.count; i++) {
      p->map[o->regions[r]->params.data[i]] = made->regions[r]->params.data[i];
      set_names(p, made->regions[r]->params.data[i], o->regions[r]->params.data[i]);
    }
  }
  tl_region *outer = p->b.region;
  if (cond->yields.count) {
    p->b.region = tl_loop_cond(made);
    tl_clone_ops_from(&p->b, p->f, cond, p->map);
    TL_PUSH(p->h->arena, p->b.region->yields, p->map[cond->yields.data[0]]);
  }
  p->b.region = tl_loop_body(made);
  for (uint32_t i = 0; i < moving.count; i++) {
    tl_value old = body->params.data[1 + moving.data[i]], param = p->b.region->params.data[1 + carries + i];
    p->h->values.data[param].name = NULL;
    p->dot[old] = name_dot(p, param, old);
  }
  bool ok = push_region(p, body);
  for (uint32_t i = 0; i < carries; i++) {
    TL_PUSH(p->h->arena, p->b.region->yields, p->map[body->yields.data[i]]);
  }
  for (uint32_t i = 0; i < moving.count; i++) {
    TL_PUSH(p->h->arena, p->b.region->yields, solid_dot(p, body->yields.data[moving.data[i]]));
  }
  p->b.region = outer;
  tl_build_loop_results(&p->b, made);
  for (uint32_t i = 0; i < carries; i++) {
    p->map[tl_op_result(o, i)] = tl_op_result(made, i);
    set_names(p, tl_op_result(made, i), tl_op_result(o, i));
  }
  p->map[tl_loop_trips(o)] = tl_loop_trips(made);
  for (uint32_t i = 0; i < moving.count; i++) {
    tl_value old = tl_op_result(o, moving.data[i]), dot = tl_op_result(made, carries + i);
    p->h->values.data[dot].name = NULL;
    p->dot[old] = name_dot(p, dot, old);
  }
  return ok;
}

static void push_structural(pusher *p, const tl_op *o) {
  tl_value result = tl_op_result(o, 0), x = o->operands[0];
  tl_value at[TL_MAX_RANK];
  tl_value dot = TL_NO_VALUE;
  if (o->code == TL_OP_index && p->dot[x]) {
    for (uint32_t i = 1; i < o->operand_count; i++) {
      at[i - 1] = p->map[o->operands[i]];
    }
    dot = tl_build_index(&p->b, p->dot[x], o->operand_count - 1, at);
  } else if (o->code == TL_OP_update) {
    for (uint32_t i = 1; i + 1 < o->operand_count; i++) {
      at[i - 1] = p->map[o->operands[i]];
    }
    tl_value base = solid_dot(p, x);
    dot = tl_build_update(&p->b, base, o->operand_count - 2, at, solid_dot(p, o->operands[o->operand_count - 1]));
  } else if (o->code == TL_OP_fill) {
    tl_value base = solid_dot(p, x);
    dot = tl_build_fill(&p->b, base, solid_dot(p, o->operands[1]));
  } else if (o->code == TL_OP_clone && p->dot[x]) {
    dot = tl_build_clone(&p->b, p->dot[x]);
  } else if (o->code == TL_OP_accumulate) {
    dot = solid_dot(p, x);
    if (p->dot[o->operands[1]]) {
      dot = tl_build_accumulate(&p->b, dot, p->dot[o->operands[1]]);
    }
  }
  if (dot) {
    p->dot[result] = name_dot(p, dot, result);
  }
}

/* A call becomes the call of the callee's value-and-tangent function. */
static bool push_call(pusher *p, const tl_op *o) {
  tl_func *callee = tl_module_find(p->f->module, o->callee);
  bool *moving = TL_NEW_ARRAY(p->arena, bool, callee->params.count);
  for (uint32_t i = 0; i < o->operand_count; i++) {
    moving[i] = active(p, o->operands[i]);
  }
  tl_func *g = tl__derive_for_call(p->f->module, callee, TL_INTRINSIC_VALUE_AND_JVP, moving, o->loc);
  if (!g) {
    return false;
  }
  tl_value *arguments = TL_NEW_ARRAY(p->arena, tl_value, g->params.count);
  for (uint32_t i = 0; i < g->params.count; i++) {
    const tl_param *param = &g->params.data[i];
    if (i < callee->params.count) {
      arguments[i] = p->map[o->operands[i]];
    } else if (param->origin == TL_ORIGIN_DOT) {
      arguments[i] = solid_dot(p, o->operands[param->origin_index]);
    } else {
      tl_type type = tl_type_of(g, param->value);
      arguments[i] = tl_build_alloc(&p->b, type.dtype, type.rank, type.extents, TL_ALLOC_LOCAL, NULL);
    }
  }
  tl_op *made = tl_op_create(&p->b, TL_OP_call, g->params.count, arguments);
  made->callee = g->name;
  for (uint32_t i = 0; i < g->results.count; i++) {
    const tl_result *r = &g->results.data[i];
    tl_type type = r->role == TL_RESULT_FINAL ? tl_type_of(p->h, arguments[r->param]) : tl_type_of(p->f, tl_op_result(o, r->origin_index));
    tl_op_add_result(p->h, made, type, NULL);
  }
  for (uint32_t i = 0; i < g->results.count; i++) {
    const tl_result *r = &g->results.data[i];
    tl_value old = tl_op_result(o, r->origin_index), result = tl_op_result(made, i);
    bool cell = r->role == TL_RESULT_FINAL && g->params.data[r->param].origin == TL_ORIGIN_CELL;
    if (!r->is_derived && !cell) {
      p->map[old] = result;
      set_names(p, result, old);
    } else if (r->is_derived && active(p, old)) {
      p->dot[old] = name_dot(p, cell ? tl_build_index(&p->b, result, 0, NULL) : result, old);
    }
  }
  return true;
}

static bool push_op(pusher *p, const tl_op *o) {
  p->b.loc = o->loc;
  if (o->code == TL_OP_if) {
    return push_if(p, o);
  }
  if (o->code == TL_OP_loop) {
    return push_loop(p, o);
  }
  bool any = false;
  for (uint32_t i = 0; i < o->result_count; i++) {
    any |= active(p, tl_op_result(o, i));
  }
  if (any && o->code == TL_OP_call) {
    return push_call(p, o);
  }
  tl_clone_op_from(&p->b, p->f, o, p->map);
  if (!any) {
    return true;
  }
  if (!tl_op_table[o->code].elementwise) {
    push_structural(p, o);
    return true;
  }
  tl_value result = tl_op_result(o, 0);
  tl_value operands[3], tangents[3];
  for (uint32_t i = 0; i < o->operand_count; i++) {
    operands[i] = p->map[o->operands[i]];
    tangents[i] = active(p, o->operands[i]) ? p->dot[o->operands[i]] : TL_NO_VALUE;
  }
  tl_value dot = tl_op_tangent(&p->b, o, operands, p->map[result], tangents);
  if (dot) {
    p->dot[result] = name_dot(p, dot, result);
  }
  return true;
}

static bool push_ops(pusher *p, const tl_region *r, uint32_t from, uint32_t to) {
  bool ok = true;
  for (uint32_t i = from; i < to; i++) {
    ok &= push_op(p, r->ops.data[i]);
  }
  return ok;
}

static bool push_region(pusher *p, const tl_region *r) { return push_ops(p, r, 0, r->ops.count); }

bool tl__forward_run(tl_func *f, const tl_forward_spec *spec, tl_arena *arena, tl_forwarded *out) {
  uint32_t leaves = f->params.count, result_count = f->results.count;
  pusher p = {.f = f, .arena = arena};
  if (!tl__activity_find(f, spec->wrt, spec->want, arena, &p.activity)) {
    return false;
  }
  if (f->is_primal) {
    tl__activity_warn(f, &p.activity);
  }
  p.h = tl_func_create(f->module, spec->name);
  p.h->return_declarator = f->return_declarator;
  p.h->loc = f->loc;
  p.b = (tl_builder){.func = p.h, .region = p.h->body, .loc = f->loc, .peephole = tl__simplify_peephole};
  for (uint32_t i = 0; i < f->cparams.count; i++) {
    TL_PUSH(p.h->arena, p.h->cparams, f->cparams.data[i]);
  }
  p.map = tl__func_copy_params(p.h, f);
  p.dot = TL_NEW_ARRAY(arena, tl_value, f->values.count);
  for (uint32_t i = 0; i < leaves; i++) {
    tl_param leaf = f->params.data[i];
    leaf.value = p.map[leaf.value];
    leaf.origin = TL_ORIGIN_PRIMAL;
    leaf.origin_index = i;
    TL_PUSH(p.h->arena, p.h->params, leaf);
  }

  bool *stored = TL_NEW_ARRAY(arena, bool, leaves);
  for (uint32_t i = 0; i < result_count; i++) {
    if (spec->want[i] && f->results.data[i].role == TL_RESULT_FINAL) {
      stored[f->results.data[i].param] = true;
    }
  }
  out->dot_params = TL_NEW_ARRAY(arena, tl_value, leaves);
  for (int pass = 0; pass < 2; pass++) { /* wrt first, then storage */
    for (uint32_t i = 0; i < leaves; i++) {
      if (pass == 0 ? spec->wrt[i] : stored[i] && !spec->wrt[i]) {
        tl_value v = f->params.data[i].value;
        const char *name = f->values.data[v].name;
        out->dot_params[i] = tl_region_add_param(p.h, p.h->body, tl_type_of(p.h, p.map[v]),
                                                 tl_arena_printf(p.h->arena, "%s_dot", name ? name : "wrt"));
      }
    }
  }
  out->func = p.h;
  if (spec->sign) {
    spec->sign(spec->ctx, out);
  }
  uint32_t extent_ops = tl__func_extent_ops(f);
  push_ops(&p, f->body, 0, extent_ops);
  tl__func_map_param_extents(p.h, f, p.map);
  for (uint32_t i = 0; i < leaves; i++) {
    tl_value v = f->params.data[i].value, dot = out->dot_params[i];
    if (!dot) {
      continue;
    }
    if (!spec->wrt[i] && f->cparams.data[f->params.data[i].cparam].role != TL_ROLE_OUTPUT) {
      dot = tl_build_fill(&p.b, dot, tl_build_zero(&p.b, tl_type_of(f, v).dtype));
    }
    p.dot[v] = dot;
  }
  bool ok = push_ops(&p, f->body, extent_ops, f->body->ops.count);

  out->results = TL_NEW_ARRAY(arena, tl_value, result_count);
  out->dots = TL_NEW_ARRAY(arena, tl_value, result_count);
  for (uint32_t i = 0; i < result_count; i++) {
    tl_value v = f->body->yields.data[i];
    out->results[i] = p.map[v];
    if (!spec->want[i]) {
      continue;
    }
    if (active(&p, v) || !tl_type_of(f, v).is_array) {
      out->dots[i] = solid_dot(&p, v);
    } else { /* nothing of it depends on the wrt */
      tl_value storage = out->dot_params[f->results.data[i].param];
      out->dots[i] = tl_build_fill(&p.b, storage, tl_build_zero(&p.b, tl_type_of(f, v).dtype));
    }
  }
  out->b = p.b;
  return ok;
}
