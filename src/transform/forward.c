/* Each op is copied, and its tangent is built beside it from the tangents of its operands. A tangent that is zero
 * everywhere is no value.
 *
 * With lanes, several directions ride along: the tangent of a scalar is an array with an element per direction, that of
 * an array has one more axis, the last. The tangents of a stretch of ops without control flow are built together, in
 * one loop over the lanes behind the stretch. */
#include "transform/forward.h"

#include <stddef.h>

#include "ops/ops.h"
#include "transform/activity.h"
#include "transform/copy.h"
#include "transform/derive.h"
#include "transform/divisors.h"
#include "transform/elements.h"
#include "transform/guard.h"
#include "transform/powers.h"
#include "transform/rewrite.h"
#include "transform/storage.h"
#include "transform/transform.h"

typedef struct pusher {
  const tl_func *f;
  tl_func *h;
  tl_builder b;
  tl_activity activity;
  tl_arena *arena;
  tl_value *map;                 /* by f's value: the copy */
  tl_value *dot;                 /* by f's value: the tangent, or TL_NO_VALUE */
  uint32_t lanes;                /* 0: one direction, without an axis for it */
  TL_VEC(const tl_op *) stretch; /* copied ops whose tangents are not built yet */
  bool *divisors;                /* by f's value: quotients by it multiply by its reciprocal */
  const tl_op *linearised;       /* the op whose tangent is being built */
  bool *escapes;                 /* by f's value: an op beyond its stretch uses it */
  uint32_t *uses;                /* by f's value: how many operands and yields it is */
  tl_value *lane_dot;            /* by f's value: the tangent in the lane loop being built */
  TL_VEC(tl_value) in_lanes;     /* the values that have one */
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

/* The type of the tangent of a value of h. */
static tl_type dot_type(pusher *p, tl_type type) { return tl__lane_type(p->h, type, p->lanes); }

/* The tangent of v as a value, zero made explicit. A zero array is not remembered: it is made in the region at hand,
 * named after v or what v goes on as. */
static tl_value solid_dot_of(pusher *p, tl_value v, tl_value next) {
  if (p->dot[v]) {
    return p->dot[v];
  }
  tl_type type = dot_type(p, tl_type_of(p->h, p->map[v]));
  if (!type.is_array) {
    return tl_build_zero_like(&p->b, p->map[v]);
  }
  const char *name = p->f->values.data[p->f->values.data[v].name ? v : next].name;
  return tl_build_alloc_like(&p->b, type, TL_ALLOC_ZEROED | tl__storage_flags_beside(p->f, v),
                             name ? tl_arena_printf(p->h->arena, "%s_dot", name) : "dot");
}

static tl_value solid_dot(pusher *p, tl_value v) { return solid_dot_of(p, v, v); }

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
      TL_PUSH(p->arena, inits, solid_dot_of(p, tl_loop_init(o, i), body->params.data[1 + i]));
    }
  }
  tl_value lo = p->map[o->operands[0]], hi = o->operands[1] ? p->map[o->operands[1]] : TL_NO_VALUE;
  tl_op *made =
      tl_build_loop(&p->b, lo, hi, o->u.step, p->f->values.data[body->params.data[0]].name, inits.count, inits.data);
  made->reversed = o->reversed;
  made->is_ours = o->is_ours;
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
    if (tl_type_of(p->h, dot).is_tensor) { /* zero may have come without extents */
      dot = tl_build_broadcast(&p->b, dot, tl_build_type(&p->b, p->map[result]));
    }
  } else if (o->code == TL_OP_update) {
    for (uint32_t i = 1; i + 1 < o->operand_count; i++) {
      at[i - 1] = p->map[o->operands[i]];
    }
    tl_value base = solid_dot(p, x);
    dot = tl_build_update(&p->b, base, o->operand_count - 2, at, solid_dot(p, o->operands[o->operand_count - 1]));
  } else if (o->code == TL_OP_fill) {
    tl_value base = solid_dot(p, x), v = p->dot[o->operands[1]]; /* with lanes there is none here */
    dot = tl_build_fill(&p->b, base, v ? v : tl_build_zero_element(&p->b, tl_type_of(p->h, base)));
  } else if (o->code == TL_OP_pack && p->dot[x]) {
    dot = tl_build_pack(&p->b, p->dot[x]);
  } else if (o->code == TL_OP_clone && p->dot[x]) {
    dot = tl_build_clone(&p->b, p->dot[x]);
    tl_def(p->h, dot)->is_ours = o->is_ours;
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

/* The callee's leaf that a tangent among the results is of. */
static uint32_t callee_leaf(const tl_func *g, const tl_result *r) { return g->params.data[r->param].origin_index; }

/* The type of what the call is given for a parameter that is no argument of the primal's: extents are the caller's, of
 * the argument that it is like. That is the leaf `origin_index`, or the memory that the result `origin_index` is the
 * final content of: storage for a cotangent is there in a transposed rule alone, whose seeds are of results. A returned
 * value has fixed extents. */
static tl_type argument_type(pusher *p, const tl_func *callee, const tl_op *o, const tl_func *g,
                             const tl_param *param) {
  tl_type type = tl_type_of(g, param->value);
  if (tl_extents_count(type.extents, type.rank, INT64_MAX) >= 0) {
    return type;
  }
  bool of_result = param->origin == TL_ORIGIN_ZERO || param->origin == TL_ORIGIN_BAR;
  uint32_t leaf = of_result ? callee->results.data[param->origin_index].param : param->origin_index;
  return tl_type_of(p->h, p->map[o->operands[leaf]]);
}

/* What the call of g is given for a parameter that is neither an argument of the primal's nor a tangent. A zero tensor
 * like a result has its shape from a call of the primal, which *primal is then. */
static tl_value idle_argument(pusher *p, const tl_func *callee, const tl_op *o, const tl_func *g, const tl_param *param,
                              const tl_op **primal) {
  bool of_result = param->origin == TL_ORIGIN_ZERO, zero = of_result || param->origin == TL_ORIGIN_ZERO_DOT;
  if (!tl_type_of(g, param->value).is_tensor) {
    tl_type type = argument_type(p, callee, o, g, param);
    return type.is_array ? tl_build_alloc_like(&p->b, type, zero ? TL_ALLOC_ZEROED : 0, zero ? "zero" : NULL)
                         : tl_build_zero(&p->b, type.dtype);
  }
  if (of_result && !*primal) {
    *primal = tl_clone_op_from(&p->b, p->f, o, p->map);
  }
  return tl_build_zero_like(&p->b, of_result ? tl_op_result(*primal, param->origin_index)
                                             : p->map[o->operands[param->origin_index]]);
}

/* The function that gives the callee's value and tangent; NULL with errors in the sink. */
static tl_func *derive_callee(pusher *p, const tl_op *o, tl_func *callee) {
  bool *moving = TL_NEW_ARRAY(p->arena, bool, callee->params.count);
  for (uint32_t i = 0; i < o->operand_count; i++) {
    /* what is added to what is there is so, too, where that has no tangent: cleared at each level of a recursion it
     * would take as many steps there as it has elements */
    moving[i] = active(p, o->operands[i]) || tl__vjp_adds_to(callee, i);
  }
  return tl__derive_for_call(p->f->module, callee, TL_INTRINSIC_VALUE_AND_JVP, moving, o->loc);
}

/* A call becomes the call of the callee's value-and-tangent function. */
static bool push_call(pusher *p, const tl_op *o) {
  tl_func *callee = tl_module_find(p->f->module, o->callee), *g = derive_callee(p, o, callee);
  if (!g) {
    return false;
  }
  tl_value *arguments = TL_NEW_ARRAY(p->arena, tl_value, g->params.count);
  const tl_op *primal = NULL;
  for (uint32_t i = 0; i < g->params.count; i++) {
    const tl_param *param = &g->params.data[i];
    if (param->origin == TL_ORIGIN_PRIMAL) {
      arguments[i] = p->map[o->operands[param->origin_index]];
    } else if (param->origin == TL_ORIGIN_DOT && !tl_func_is_output(g, i)) {
      arguments[i] = solid_dot(p, o->operands[param->origin_index]);
      if (tl_type_of(g, param->value).is_array && !tl_type_of(p->h, arguments[i]).is_array) { /* passed by pointer */
        tl_value cell = tl_build_alloc_like(&p->b, tl_type_of(g, param->value), 0, "seed");
        arguments[i] = tl_build_update(&p->b, cell, 0, NULL, arguments[i]);
      }
    } else {
      arguments[i] = idle_argument(p, callee, o, g, param, &primal);
    }
  }
  const tl_op *made = tl__build_derived_call(&p->b, g, arguments, callee, o);
  for (uint32_t i = 0; i < g->results.count; i++) {
    const tl_result *r = &g->results.data[i];
    tl_value result = tl_op_result(made, i);
    if (r->is_ignored) {
      continue;
    }
    if (r->origin_index >= o->result_count) { /* a leaf that the callee leaves alone */
      if (r->is_derived) {
        p->dot[o->operands[callee_leaf(g, r)]] = result;
      }
      continue;
    }
    tl_value old = tl_op_result(o, r->origin_index);
    bool cell = r->role == TL_RESULT_FINAL && !tl_type_of(p->f, old).is_array && tl_type_of(p->h, result).is_array;
    if (!r->is_derived && !cell) {
      p->map[old] = result;
      set_names(p, result, old);
    } else if (r->is_derived && active(p, old)) {
      p->dot[old] = name_dot(p, cell ? tl_build_index(&p->b, result, 0, NULL) : result, old);
    }
  }
  for (uint32_t i = 0; i < o->result_count; i++) {
    tl_value old = tl_op_result(o, i);
    if (!p->map[old] && callee->results.data[i].role == TL_RESULT_FINAL) { /* memory that turned out to stay as it is */
      p->map[old] = p->map[o->operands[callee->results.data[i].param]];
    }
  }
  return true;
}

/* ---- lanes ---- */

/* Marks what is used beyond its stretch. A stretch ends at an op that is not plain and behind an update whose result is
 * used beyond it, so that marking is repeated until it changes nothing. */
static bool mark_escapes(pusher *p, const tl_region *r, uint32_t *stretch_of, uint32_t *counter) {
  uint32_t stretch = ++*counter;
  bool changed = false;
  for (uint32_t i = 0; i < r->ops.count; i++) {
    const tl_op *o = r->ops.data[i];
    bool plain = tl_op_table[o->code].elementwise || o->code == TL_OP_index || o->code == TL_OP_update;
    if (!plain && o->code != TL_OP_const && o->code != TL_OP_alloc) {
      stretch = ++*counter;
    }
    for (uint32_t k = 0; k < o->operand_count; k++) {
      tl_value v = o->operands[k];
      if (!p->escapes[v] && (stretch_of[v] != stretch || !plain)) {
        p->escapes[v] = changed = true;
      }
    }
    for (uint32_t k = 0; k < o->region_count; k++) {
      changed |= mark_escapes(p, o->regions[k], stretch_of, counter);
    }
    for (uint32_t k = 0; k < o->result_count; k++) {
      stretch_of[tl_op_result(o, k)] = plain ? stretch : 0;
    }
    if (o->region_count || (o->code == TL_OP_update && p->escapes[tl_op_result(o, 0)])) {
      stretch = ++*counter;
    }
  }
  for (uint32_t i = 0; i < r->yields.count; i++) {
    changed |= !p->escapes[r->yields.data[i]];
    p->escapes[r->yields.data[i]] = true;
  }
  return changed;
}

static void set_lane_dot(pusher *p, tl_value v, tl_value dot) {
  p->lane_dot[v] = dot;
  TL_PUSH(p->arena, p->in_lanes, v);
}

static void leave_lanes(pusher *p) {
  while (p->in_lanes.count) {
    p->lane_dot[p->in_lanes.data[--p->in_lanes.count]] = TL_NO_VALUE;
  }
}

/* The tangent of v in lane `lane`, inside the lane loop: a scalar, or TL_NO_VALUE. */
static tl_value lane_dot(pusher *p, tl_value v, tl_value lane) {
  if (!p->lane_dot[v] && p->dot[v] && !tl_type_of(p->f, v).is_array) {
    set_lane_dot(p, v, name_dot(p, tl_build_index(&p->b, p->dot[v], 1, &lane), v));
  }
  return p->lane_dot[v];
}

/* The peephole of tangents: common powers of 2; a quotient by one of `divisors` is a product; then rules. The divisors
 * of an op's partials are among its operands and its result. */
static tl_value tangent_peephole(tl_builder *b, tl_opcode code, tl_dtype type, const tl_value *operands) {
  const pusher *p = (pusher *)((char *)b - offsetof(pusher, b));
  const tl_op *o = p->linearised;
  tl_value v = tl__power_factor(b, code, operands);
  for (uint32_t i = 0; code == TL_OP_div && !v && i <= o->operand_count; i++) {
    tl_value old = i < o->operand_count ? o->operands[i] : o->first_result;
    if (p->map[old] == operands[1] && (p->divisors[old] || tl__divisors_own(p->f, o, old))) {
      v = tl__divisors_multiply(b, operands[0], operands[1]);
    }
  }
  return v ? v : tl__simplify_peephole(b, code, type, operands);
}

static tl_value tangent(pusher *p, const tl_op *o, const tl_value *operands, const tl_value *tangents) {
  p->linearised = o;
  p->b.peephole = tangent_peephole;
  tl_value z;
  uint32_t x, n = tl__power_degree(p->f, o, &x, &z);
  tl_value dot = !n || (z && active(p, z)) ? tl_op_tangent(&p->b, o, operands, p->map[o->first_result], tangents)
                 : tangents[x]             ? tl__power_derivative(&p->b, operands[1 - x], n, tangents[x])
                                           : TL_NO_VALUE;
  p->b.peephole = tl__simplify_peephole;
  return dot;
}

/* The tangent of a choice that the adjoint made where a cotangent is 0 (guard.h): where the cotangent's tangent is 0 as
 * well, so is that of what it multiplies. */
static tl_value guarded_tangent(pusher *p, const tl_op *o, tl_value dot, tl_value lane) {
  tl_value zeros[2 * TL_MOST_ZEROS];
  uint32_t count = dot ? tl__guard_zeros(p->f, o, zeros) : 0, tests = 0;
  if (!count || 2 * count > TL_MOST_ZEROS) {
    return dot;
  }
  for (uint32_t i = 0; i < count; i++) {
    tl_value zero = zeros[i], zero_dot = TL_NO_VALUE;
    if (active(p, zero)) {
      zero_dot = lane ? lane_dot(p, zero, lane) : p->dot[zero];
      if (!zero_dot) {
        return dot;
      }
      zeros[count + tests++] = zero_dot;
    }
    zeros[i] = p->map[zero];
  }
  return tl__guard_unless_zero(&p->b, count + tests, zeros, dot);
}

static void push_lane_op(pusher *p, const tl_op *o, tl_value lane) {
  tl_value result = tl_op_result(o, 0);
  p->b.loc = o->loc;
  if (tl_op_table[o->code].elementwise) {
    tl_value operands[3], tangents[3];
    for (uint32_t i = 0; i < o->operand_count; i++) {
      operands[i] = p->map[o->operands[i]];
      tangents[i] = active(p, o->operands[i]) ? lane_dot(p, o->operands[i], lane) : TL_NO_VALUE;
    }
    tl_value dot = guarded_tangent(p, o, tangent(p, o, operands, tangents), lane);
    set_lane_dot(p, result, dot ? name_dot(p, dot, result) : TL_NO_VALUE);
    return;
  }
  tl_value at[TL_MAX_RANK], array = o->operands[0];
  uint32_t rank = 0;
  for (uint32_t i = 1; i < o->operand_count - (o->code == TL_OP_update); i++) {
    at[rank++] = p->map[o->operands[i]];
  }
  at[rank++] = lane;
  tl_value base = p->lane_dot[array] ? p->lane_dot[array] : p->dot[array];
  if (o->code == TL_OP_index) {
    if (base) {
      set_lane_dot(p, result, name_dot(p, tl_build_index(&p->b, base, rank, at), result));
    }
    return;
  }
  tl_value v = o->operands[o->operand_count - 1];
  tl_value dot = active(p, v) ? lane_dot(p, v, lane) : TL_NO_VALUE;
  dot = dot ? dot : tl_build_zero(&p->b, tl_type_of(p->f, v).dtype);
  set_lane_dot(p, result, name_dot(p, tl_build_update(&p->b, base, rank, at, dot), result));
}

/* The scalar whose tangents' storage v's may take over: the loop carry that v becomes, where only the stretch at hand
 * reads it. */
static tl_value taken_over_by(const pusher *p, tl_value v) {
  const tl_region *r = p->f->values.data[v].region;
  if (!r->parent || r->parent->code != TL_OP_loop) {
    return TL_NO_VALUE;
  }
  for (uint32_t i = 0; i < r->yields.count; i++) {
    tl_value carry = r->params.data[1 + i];
    if (r->yields.data[i] != v || !p->dot[carry]) {
      continue;
    }
    uint32_t reads = 0;
    for (uint32_t k = 0; k < p->stretch.count; k++) {
      for (uint32_t n = 0; n < p->stretch.data[k]->operand_count; n++) {
        reads += p->stretch.data[k]->operands[n] == carry;
      }
    }
    if (reads == p->uses[carry]) {
      return carry;
    }
  }
  return TL_NO_VALUE;
}

/* Builds the lane loop of the stretch. It carries the arrays that the stretch updates and an array per tangent that
 * later ops need. */
static void flush(pusher *p) {
  if (!p->stretch.count) {
    return;
  }
  TL_VEC(tl_value) carries = {0}, bases = {0}, ends = {0}, kept = {0}, taken = {0}; /* all but carries: f's values */
  for (uint32_t i = 0; i < p->stretch.count; i++) {
    const tl_op *o = p->stretch.data[i];
    tl_value result = tl_op_result(o, 0);
    if (o->code == TL_OP_update) {
      bool chained = false;
      for (uint32_t k = 0; k < ends.count; k++) {
        if (ends.data[k] == o->operands[0]) {
          ends.data[k] = result;
          chained = true;
        }
      }
      if (!chained) {
        TL_PUSH(p->arena, carries, solid_dot(p, o->operands[0]));
        TL_PUSH(p->arena, bases, o->operands[0]);
        TL_PUSH(p->arena, ends, result);
      }
    }
  }
  uint32_t arrays = carries.count;
  for (uint32_t i = 0; i < p->stretch.count; i++) {
    tl_value result = tl_op_result(p->stretch.data[i], 0);
    if (!tl_type_of(p->f, result).is_array && p->escapes[result]) {
      TL_PUSH(p->arena, kept, result);
      tl_value carry = taken_over_by(p, result);
      for (uint32_t k = 0; k < taken.count; k++) {
        carry = taken.data[k] == carry ? TL_NO_VALUE : carry;
      }
      TL_PUSH(p->arena, taken, carry);
      if (carry) {
        TL_PUSH(p->arena, carries, p->dot[carry]);
        continue;
      }
      tl_type type = dot_type(p, tl_type_of(p->h, p->map[result]));
      const char *name = p->f->values.data[result].name;
      TL_PUSH(p->arena, carries,
              tl_build_alloc(&p->b, type.dtype, 1, type.extents, 0,
                             name ? tl_arena_printf(p->h->arena, "%s_dot", name) : "dot"));
    }
  }
  tl_value lo = tl_build_int(&p->b, TL_I32, 0), hi = tl_build_int(&p->b, TL_I32, p->lanes);
  tl_op *loop = tl_build_loop(&p->b, lo, hi, 1, "lane", carries.count, carries.data);
  loop->is_ours = true;
  tl_build_loop_enter(&p->b, loop, carries.data);
  tl_value lane = p->b.region->params.data[0];
  for (uint32_t i = 0; i < arrays; i++) {
    set_lane_dot(p, bases.data[i], carries.data[i]);
  }
  for (uint32_t i = 0; i < kept.count; i++) {
    if (taken.data[i]) {
      set_lane_dot(p, taken.data[i], tl_build_index(&p->b, carries.data[arrays + i], 1, &lane));
    }
  }
  for (uint32_t i = 0; i < p->stretch.count; i++) {
    push_lane_op(p, p->stretch.data[i], lane);
  }
  for (uint32_t i = 0; i < arrays; i++) {
    carries.data[i] = p->lane_dot[ends.data[i]];
  }
  for (uint32_t i = 0; i < kept.count; i++) {
    tl_value dot = p->lane_dot[kept.data[i]];
    dot = dot ? dot : tl_build_zero(&p->b, tl_type_of(p->f, kept.data[i]).dtype);
    carries.data[arrays + i] = tl_build_update(&p->b, carries.data[arrays + i], 1, &lane, dot);
  }
  tl_build_loop_leave(&p->b, loop, carries.data);
  for (uint32_t i = 0; i < arrays; i++) {
    p->dot[ends.data[i]] = carries.data[i];
  }
  for (uint32_t i = 0; i < kept.count; i++) {
    p->dot[kept.data[i]] = carries.data[arrays + i];
  }
  leave_lanes(p);
  p->stretch.count = 0;
}

bool tl__forward_lanes_admit(const tl_func *f, const tl_op *call) {
  const tl_func *callee = tl_module_find(f->module, call->callee);
  if ((!callee->custom_vjp && !callee->custom_jvp && !callee->rule_of) || !tl__op_is_pure(f, call)) {
    return false;
  }
  for (uint32_t i = 0; i < call->operand_count; i++) {
    bool is_inout = callee->cparams.data[callee->params.data[i].cparam].role == TL_ROLE_INOUT;
    if (tl_type_of(f, call->operands[i]).rank || is_inout) {
      return false;
    }
  }
  return true;
}

/* In lane `lane`, inside the lane loop: what the call of g gets for a parameter. All are numbers or cells. */
static tl_value lane_argument(pusher *p, const tl_op *o, const tl_func *callee, const tl_func *g, uint32_t i,
                              tl_value lane) {
  const tl_param *param = &g->params.data[i];
  tl_type type = tl_type_of(g, param->value);
  if (param->origin == TL_ORIGIN_PRIMAL && !tl_func_is_output(callee, param->origin_index)) {
    return p->map[o->operands[param->origin_index]];
  }
  bool is_dot = param->origin == TL_ORIGIN_DOT && !tl_func_is_output(g, i);
  tl_value dot = is_dot ? p->dot[o->operands[param->origin_index]] : TL_NO_VALUE;
  tl_value number = dot ? tl_build_index(&p->b, dot, 1, &lane) : tl_build_zero(&p->b, type.dtype);
  if (!type.is_array) {
    return number;
  }
  bool is_zero = is_dot || param->origin == TL_ORIGIN_ZERO || param->origin == TL_ORIGIN_ZERO_DOT;
  tl_value cell = tl_build_alloc(&p->b, type.dtype, 0, NULL, 0, is_dot ? "seed" : NULL);
  return is_zero ? tl_build_update(&p->b, cell, 0, NULL, number) : cell;
}

/* A call of a custom rule, or of what has one, on numbers: it runs once for its values and once in each lane. */
static bool push_lane_call(pusher *p, const tl_op *o) {
  tl_clone_op_from(&p->b, p->f, o, p->map);
  tl_func *callee = tl_module_find(p->f->module, o->callee), *g = derive_callee(p, o, callee);
  if (!g) {
    return false;
  }
  TL_VEC(tl_value) carries = {0};
  for (uint32_t i = 0; i < o->result_count; i++) {
    tl_type type = dot_type(p, tl_type_of(p->f, tl_op_result(o, i)));
    TL_PUSH(p->arena, carries, tl_build_alloc(&p->b, type.dtype, 1, type.extents, 0, "dot"));
  }
  tl_value lo = tl_build_int(&p->b, TL_I32, 0), hi = tl_build_int(&p->b, TL_I32, p->lanes);
  tl_op *loop = tl_build_loop(&p->b, lo, hi, 1, "lane", carries.count, carries.data);
  tl_build_loop_enter(&p->b, loop, carries.data);
  tl_value lane = p->b.region->params.data[0];
  tl_value *arguments = TL_NEW_ARRAY(p->arena, tl_value, g->params.count);
  for (uint32_t i = 0; i < g->params.count; i++) {
    arguments[i] = lane_argument(p, o, callee, g, i, lane);
  }
  const tl_op *made = tl__build_derived_call(&p->b, g, arguments, callee, o);
  for (uint32_t i = 0; i < g->results.count; i++) {
    const tl_result *r = &g->results.data[i];
    if (r->is_derived && !r->is_ignored && r->origin_index < o->result_count) {
      tl_value dot = tl_op_result(made, i), *carry = &carries.data[r->origin_index];
      dot = tl_type_of(p->h, dot).is_array ? tl_build_index(&p->b, dot, 0, NULL) : dot;
      *carry = tl_build_update(&p->b, *carry, 1, &lane, dot);
    }
  }
  tl_build_loop_leave(&p->b, loop, carries.data);
  for (uint32_t i = 0; i < o->result_count; i++) {
    tl_value old = tl_op_result(o, i);
    p->dot[old] = active(p, old) ? name_dot(p, carries.data[i], old) : p->dot[old];
  }
  return true;
}

/* fill(a, v) where v has a tangent per lane. */
static void push_lane_fill(pusher *p, const tl_op *o);

static bool push_op(pusher *p, const tl_op *o) {
  p->b.loc = o->loc;
  bool plain = tl_op_table[o->code].elementwise || o->code == TL_OP_index || o->code == TL_OP_update;
  if (p->lanes && !plain && o->code != TL_OP_const && o->code != TL_OP_alloc) {
    flush(p);
  }
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
    return p->lanes ? push_lane_call(p, o) : push_call(p, o);
  }
  tl_clone_op_from(&p->b, p->f, o, p->map);
  if (!any) {
    return true;
  }
  if (p->lanes && plain) {
    TL_PUSH(p->arena, p->stretch, o);
    if (o->code == TL_OP_update && p->escapes[tl_op_result(o, 0)]) {
      flush(p);
    }
    return true;
  }
  if (p->lanes && o->code == TL_OP_fill && p->dot[o->operands[1]]) {
    push_lane_fill(p, o);
    return true;
  }
  bool on_tensors = tl_op_table[o->code].on_tensors || o->code == TL_OP_item;
  if (!tl_op_table[o->code].elementwise && !on_tensors) {
    push_structural(p, o);
    return true;
  }
  tl_value result = tl_op_result(o, 0);
  tl_value operands[4 + TL_MAX_RANK], tangents[4 + TL_MAX_RANK];
  for (uint32_t i = 0; i < o->operand_count; i++) {
    operands[i] = p->map[o->operands[i]];
    tangents[i] = active(p, o->operands[i]) ? p->dot[o->operands[i]] : TL_NO_VALUE;
  }
  tl_value dot = on_tensors ? tl_tensor_op_tangent(&p->b, o, operands, p->map[result], tangents)
                            : guarded_tangent(p, o, tangent(p, o, operands, tangents), TL_NO_VALUE);
  if (dot) {
    p->dot[result] = name_dot(p, dot, result);
  }
  return true;
}

static bool push_ops(pusher *p, const tl_region *r, uint32_t from, uint32_t to) {
  for (uint32_t i = from; i < to; i++) {
    if (!push_op(p, r->ops.data[i])) {
      return false; /* its results have no copies that later ops could use */
    }
  }
  flush(p);
  return true;
}

typedef struct lane_fill {
  pusher *p;
  tl_value v;
} lane_fill;

static void fill_element(void *ctx, const tl_value *at, tl_value linear, uint32_t carry_count, tl_value *carries) {
  (void)linear, (void)carry_count;
  lane_fill *x = ctx;
  uint32_t rank = (uint32_t)tl_type_of(x->p->h, carries[0]).rank;
  carries[0] = tl_build_update(&x->p->b, carries[0], rank, at, tl_build_index(&x->p->b, x->v, 1, at + rank - 1));
}

static void push_lane_fill(pusher *p, const tl_op *o) {
  tl_value dot = solid_dot(p, o->operands[0]);
  lane_fill x = {p, p->dot[o->operands[1]]};
  tl__each_element(&p->b, tl_type_of(p->h, dot), 1, &dot, fill_element, &x);
  p->dot[tl_op_result(o, 0)] = name_dot(p, dot, tl_op_result(o, 0));
}

static bool push_region(pusher *p, const tl_region *r) { return push_ops(p, r, 0, r->ops.count); }

bool tl__forward_run(tl_func *f, const tl_forward_spec *spec, tl_arena *arena, tl_forwarded *out) {
  uint32_t leaves = f->params.count, result_count = f->results.count;
  pusher p = {.f = f, .arena = arena};
  if (!spec->only_sign) {
    if (!tl__activity_find(f, spec->wrt, spec->want, arena, &p.activity)) {
      return false;
    }
    if (f->is_primal) {
      tl__activity_warn(f, &p.activity);
    }
  }
  p.h = tl__func_begin_like(f, spec->name, &p.map);
  p.b = (tl_builder){.func = p.h, .region = p.h->body, .loc = f->loc, .peephole = tl__simplify_peephole};
  p.dot = TL_NEW_ARRAY(arena, tl_value, f->values.count);
  p.divisors = tl__divisors_find(f, arena);
  p.lanes = spec->lanes;
  if (p.lanes) {
    p.escapes = TL_NEW_ARRAY(arena, bool, f->values.count);
    p.lane_dot = TL_NEW_ARRAY(arena, tl_value, f->values.count);
    p.uses = tl__use_counts(f, arena);
    uint32_t counter = 0, *stretch_of = TL_NEW_ARRAY(arena, uint32_t, f->values.count);
    while (mark_escapes(&p, f->body, stretch_of, &counter)) {
    }
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
      if (pass == 0 ? spec->wrt[i] && !spec->unit : stored[i] && !spec->wrt[i]) {
        tl_value v = f->params.data[i].value;
        const char *name = f->values.data[v].name;
        out->dot_params[i] = tl_region_add_param(p.h, p.h->body, dot_type(&p, tl_type_of(p.h, p.map[v])),
                                                 tl_arena_printf(p.h->arena, "%s_dot", name ? name : "wrt"));
      }
    }
  }
  out->func = p.h;
  if (spec->sign) {
    spec->sign(spec->ctx, out);
  }
  if (spec->only_sign) {
    return true;
  }
  uint32_t extent_ops = tl__func_extent_ops(f);
  push_ops(&p, f->body, 0, extent_ops);
  tl__func_map_param_extents(p.h, f, p.map);
  for (uint32_t i = 0; p.lanes && i < leaves; i++) { /* tangents have extents of their own */
    if (out->dot_params[i]) {
      p.h->values.data[out->dot_params[i]].type = dot_type(&p, tl_type_of(p.h, p.map[f->params.data[i].value]));
    }
  }
  for (uint32_t i = 0; i < leaves; i++) {
    tl_value v = f->params.data[i].value, dot = out->dot_params[i];
    if (spec->unit && spec->wrt[i]) {
      dot = tl_build_float(&p.b, tl_type_of(f, v).dtype, 1, NULL);
      dot = tl__tensor_fit(&p.b, dot, p.map[v]);
    }
    if (!dot) {
      continue;
    }
    if (!spec->wrt[i] && !tl_func_is_output(f, i)) {
      dot = tl_build_fill(&p.b, dot, tl_build_zero_element(&p.b, tl_type_of(p.h, dot)));
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
    if (active(&p, v) || !tl_type_of(f, v).is_array || f->results.data[i].role == TL_RESULT_RETURN) {
      out->dots[i] = solid_dot(&p, v);
    } else { /* nothing of it depends on the wrt */
      tl_value storage = out->dot_params[f->results.data[i].param];
      out->dots[i] = tl_build_fill(&p.b, storage, tl_build_zero_element(&p.b, tl_type_of(p.h, storage)));
    }
  }
  out->b = p.b;
  return ok;
}
