/* See guard.h. In `r = sqrt(q); if (r > 0) s += r;` the cotangent of r is 0 where the branch is not taken, and 0 / r is
 * NaN at r = 0. So the root is taken once more at the head of the branch, ahead of the adjoint: then its transpose
 * stands in the branch of the adjoint, and what the branch does not reach contributes nothing, at any order. Once the
 * adjoint is built the duplicates give way to their originals, which have the same values.
 *
 * Of other guarded values, whose uses are choices, or lie in a loop, or come out of an array, the cotangent arrives as
 * a number that may be the zero of a branch not taken. They are marked, and adjoint.c looks at what their transposes
 * give. */
#include "transform/guard.h"

#include "transform/divisors.h"
#include "transform/rewrite.h"
#include "transform/storage.h"

/* So many branches get a duplicate of one op; so many ops may clamp a value one after the other. */
enum { MOST_DUPLICATES = 4, MOST_CLAMPS = 4 };

typedef struct use {
  tl_op *op; /* NULL: a yield of `region` */
  tl_region *region;
  uint32_t index;
} use;

typedef struct value_state {
  TL_VEC(use) uses;
  bool conditional; /* what cotangent it has comes out of branches alone */
  bool reached;     /* it, or what it is made of, is the result of an op whose partials may be infinite */
  bool unbounded;   /* likewise, also where what it is made of is not conditional */
  uint32_t duplicates;
  tl_value root; /* of an array's storage, once it is asked for */
  /* of such a root */
  bool escapes;            /* more than loads and stores happens to it */
  TL_VEC(tl_value) loads;  /* of its elements */
  const tl_region *stored; /* the region that was asked about last, in which round, and the answer */
  uint32_t round;
  bool answer;
} value_state;

typedef struct guarding {
  tl_func *f;
  const tl_activity *activity;
  tl_arena *arena;
  tl_value known; /* duplicates have ids from here on */
  TL_VEC(value_state) values;
  uint32_t round; /* of find_conditional */
  bool any;       /* `unbounded` is looked for, not `reached` */
  tl_guards *out;
} guarding;

static bool is_float_scalar(const tl_func *f, tl_value v) {
  tl_type t = tl_type_of(f, v);
  return !t.is_array && tl_dtype_is_float(t.dtype);
}

/* ELEM ops whose partials are numbers where their operands and results are. A new op is none of them until it is known
 * to be. */
static const bool is_tame[TL_OP_COUNT] = {
    [TL_OP_mul] = true,  [TL_OP_fma] = true,  [TL_OP_fabs] = true, [TL_OP_sin] = true,   [TL_OP_cos] = true,
    [TL_OP_atan] = true, [TL_OP_tanh] = true, [TL_OP_erf] = true,  [TL_OP_erfc] = true,  [TL_OP_asinh] = true,
    [TL_OP_j0] = true,   [TL_OP_j1] = true,   [TL_OP_jn] = true,   [TL_OP_ldexp] = true, [TL_OP_copysign] = true,
    [TL_OP_fmax] = true, [TL_OP_fmin] = true, [TL_OP_fdim] = true};

/* Whether v is more than a constant that is not negative where the condition holds or does not. */
static bool is_above(const tl_func *f, tl_value v, tl_value condition, bool holds, long double *bound) {
  const tl_op *o = tl_def(f, condition);
  if (o && o->code == TL_OP_not) {
    return is_above(f, v, o->operands[0], !holds, bound);
  }
  if (o && o->code == (holds ? TL_OP_and : TL_OP_or)) {
    return is_above(f, v, o->operands[0], holds, bound) || is_above(f, v, o->operands[1], holds, bound);
  }
  bool is_left = o && o->operand_count == 2 && o->operands[0] == v;
  tl_opcode above = is_left ? (holds ? TL_OP_gt : TL_OP_le) : (holds ? TL_OP_lt : TL_OP_ge);
  return o && o->code == above && o->operands[is_left ? 0 : 1] == v &&
         tl_is_const_float(f, o->operands[is_left ? 1 : 0], bound) && *bound >= 0;
}

/* Whether a branch around `region` is taken only where v is more than such a constant, the largest found. */
static bool is_above_here(const tl_func *f, const tl_region *region, tl_value v, long double *out_bound) {
  bool found = false;
  for (; region->parent; region = region->parent->parent) {
    long double bound;
    if (region->parent->code == TL_OP_if &&
        is_above(f, v, region->parent->operands[0], region == region->parent->regions[0], &bound)) {
      *out_bound = found && *out_bound > bound ? *out_bound : bound;
      found = true;
    }
  }
  return found;
}

/* Whether a quotient by v is a number where the numerator is, but for the largest ones. */
static bool is_away_from_zero(const tl_func *f, const tl_region *region, tl_value v) {
  long double bound;
  if (is_above_here(f, region, v, &bound) && tl__divisors_is_away(tl_type_of(f, v).dtype, bound)) {
    return true;
  }
  const tl_op *o = tl_def(f, v);
  return tl__divisors_are_away(f, v) ||
         (o && o->code == TL_OP_sqrt && is_above_here(f, region, o->operands[0], &bound));
}

/* May its partials be infinite where its operands and its result are numbers, or the result be infinite? */
static bool is_dangerous(const tl_func *f, const tl_op *o) {
  if (tl_op_table[o->code].op_class != TL_CLASS_ELEM || is_tame[o->code] || !is_float_scalar(f, o->first_result)) {
    return false;
  }
  long double bound;
  switch ((int)o->code) {
  case TL_OP_div:
    return !tl_is_const_float(f, o->operands[1], &bound) && !is_away_from_zero(f, o->parent, o->operands[1]);
  case TL_OP_sqrt: /* of the least number a root is away from 0 */
    return !tl__divisors_are_away(f, o->operands[0]) && !is_above_here(f, o->parent, o->operands[0], &bound);
  case TL_OP_log:
  case TL_OP_log2:
  case TL_OP_log10:
    return !is_away_from_zero(f, o->parent, o->operands[0]);
  default:
    return true;
  }
}

/* Whether a constant bounds v from above or below, which is a number then, as far as `steps` ops show: clamped to a
 * range, what may be infinite is not so any more. */
static bool is_bounded(const tl_func *f, tl_value v, bool above, int steps) {
  const tl_op *o = tl_def(f, v);
  long double c;
  if (!o || tl_is_const_float(f, v, &c)) {
    return o && c - c == 0;
  }
  if (steps == 0 || (o->code != TL_OP_fmin && o->code != TL_OP_fmax)) {
    return false;
  }
  bool x = is_bounded(f, o->operands[0], above, steps - 1), y = is_bounded(f, o->operands[1], above, steps - 1);
  return (o->code == TL_OP_fmin) == above ? x || y : x && y;
}

/* ---- uses ---- */

static value_state *state(const guarding *g, tl_value v) { return &g->values.data[v]; }

/* Duplicates, which come later, are of active values. */
static bool is_active(const guarding *g, tl_value v) { return v >= g->known || tl_active(g->activity, v); }

/* A chain of stores is walked once. */
static tl_value root_of(const guarding *g, tl_value array) {
  value_state *s = state(g, array);
  if (!s->root) {
    const tl_op *o = tl_def(g->f, array);
    bool known = o && tl_op_stores(o) && state(g, o->operands[0])->root;
    s->root = known ? state(g, o->operands[0])->root : tl__storage_root(g->f, array);
  }
  return s->root;
}

static void note_array(guarding *g, const tl_op *o, uint32_t k) {
  value_state *root = state(g, root_of(g, o->operands[k]));
  if (o->code == TL_OP_index) {
    TL_PUSH(g->arena, root->loads, o->first_result);
  } else if (o->code != TL_OP_loop && (k || !tl_op_stores(o))) {
    root->escapes = true;
  }
}

static void list_uses(guarding *g, tl_region *r) {
  for (uint32_t i = 0; i < r->ops.count; i++) {
    tl_op *o = r->ops.data[i];
    for (uint32_t k = 0; k < o->operand_count; k++) {
      tl_value v = o->operands[k];
      TL_PUSH(g->arena, state(g, v)->uses, (use){o, r, k});
      if (v && tl_type_of(g->f, v).is_array) {
        note_array(g, o, k);
      }
    }
    for (uint32_t k = 0; k < o->region_count; k++) {
      list_uses(g, o->regions[k]);
    }
  }
  for (uint32_t i = 0; i < r->yields.count; i++) {
    tl_value v = r->yields.data[i];
    TL_PUSH(g->arena, state(g, v)->uses, (use){NULL, r, i});
    if (!r->parent && v && tl_type_of(g->f, v).is_array) {
      state(g, root_of(g, v))->escapes = true;
    }
  }
}

/* ---- what is conditional ---- */

/* Is the integer the outcome of a choice, as `use` of `int use = r > 0` is, as far as `steps` ops show? */
static bool is_chosen(const tl_func *f, tl_value v, int *steps) {
  const tl_op *o = tl_def(f, v);
  if (!o) {
    const tl_region *r = tl_info(f, v)->region;
    return r->parent && tl_info(f, v)->index > 0; /* loops change it */
  }
  if (o->region_count || o->code == TL_OP_select || tl_op_table[o->code].result == TL_RESULT_BOOL || --*steps < 0) {
    return true;
  }
  for (uint32_t i = 0; tl_op_table[o->code].elementwise && i < o->operand_count; i++) {
    if (tl_dtype_is_float(tl_type_of(f, o->operands[i]).dtype) || is_chosen(f, o->operands[i], steps)) {
      return true;
    }
  }
  return false;
}

/* Whether the loop guards what it uses: it has an exit, or the number of its iterations is chosen. One over a range
 * that is given counts as one that runs, or every value ahead of a loop would be a guarded one. */
static bool is_guard(const tl_func *f, const tl_op *loop) {
  int steps = 20;
  return !tl_loop_is_counted(loop) || is_chosen(f, tl_loop_lo(loop), &steps) || is_chosen(f, tl_loop_hi(loop), &steps);
}

/* Is a region on the way from `inner` out to one around `home` run on a condition: a branch or the body of such a loop?
 */
static bool is_behind_condition(const tl_func *f, const tl_region *inner, const tl_region *home) {
  for (; !tl__region_contains(inner, home); inner = inner->parent->parent) {
    if (inner->parent->code == TL_OP_if || is_guard(f, inner->parent)) {
      return true;
    }
  }
  return false;
}

/* What is stored in `region` into a local array: is it loaded for conditional uses alone? An answer that changes within
 * a round is right in the next one. */
static bool is_stored_conditionally(const guarding *g, tl_value array, const tl_region *region) {
  tl_value root = root_of(g, array);
  value_state *s = state(g, root);
  if (s->stored == region && s->round == g->round) {
    return s->answer;
  }
  const tl_op *def = tl_def(g->f, root);
  bool all = def && def->code == TL_OP_alloc && !s->escapes;
  for (uint32_t i = 0; i < s->loads.count && all; i++) {
    tl_value load = s->loads.data[i];
    all = state(g, load)->conditional || is_behind_condition(g->f, tl_info(g->f, load)->region, region);
  }
  s->stored = region;
  s->round = g->round;
  s->answer = all;
  return all;
}

static bool is_conditional_use(const guarding *g, tl_value v, const use *u) {
  const tl_region *home = tl_info(g->f, v)->region;
  if (is_behind_condition(g->f, u->region, home)) {
    return true;
  }
  const tl_op *o = u->op ? u->op : u->region->parent;
  if (!o) {
    return false; /* a result of the function */
  }
  if (!u->op) { /* not of a condition, which is no active value */
    return state(g, tl_op_result(o, u->index))->conditional &&
           (o->code == TL_OP_if || state(g, tl_loop_body(o)->params.data[1 + u->index])->conditional);
  }
  switch (o->code) {
  case TL_OP_select:
  case TL_OP_fmax:
  case TL_OP_fmin:
  case TL_OP_fdim:
    return true;
  case TL_OP_update:
  case TL_OP_fill:
    return is_stored_conditionally(g, o->operands[0], u->region);
  case TL_OP_loop:
    return state(g, tl_op_result(o, u->index - 2))->conditional &&
           (is_guard(g->f, o) || state(g, tl_loop_body(o)->params.data[u->index - 1])->conditional);
  default:
    return tl_op_table[o->code].elementwise && state(g, o->first_result)->conditional;
  }
}

static bool has_conditional_uses(const guarding *g, tl_value v) {
  const value_state *s = state(g, v);
  for (uint32_t i = 0; i < s->uses.count; i++) {
    if (!is_conditional_use(g, v, &s->uses.data[i])) {
      return false;
    }
  }
  return true;
}

/* The most values for which it holds: those that loops carry depend on themselves. */
static void find_conditional(guarding *g) {
  for (tl_value v = 1; v < g->values.count; v++) {
    state(g, v)->conditional = !is_active(g, v) || is_float_scalar(g->f, v);
  }
  for (bool changed = true; changed;) {
    changed = false;
    g->round++;
    for (tl_value v = g->values.count - 1; v; v--) {
      if (is_active(g, v) && state(g, v)->conditional && !has_conditional_uses(g, v)) {
        state(g, v)->conditional = false;
        changed = true;
      }
    }
  }
}

/* ---- what is reached ---- */

static bool is_reached(const guarding *g, tl_value v) {
  return v && (g->any ? state(g, v)->unbounded : state(g, v)->reached);
}

static bool reach(guarding *g, tl_value v, bool does) {
  bool *reached = g->any ? &state(g, v)->unbounded : &state(g, v)->reached;
  if (!does || *reached) {
    return false;
  }
  return *reached = true;
}

/* True where a value was reached that was not before. */
static bool reach_results(guarding *g, const tl_op *o) {
  bool changed = false;
  switch (o->code) {
  case TL_OP_index:
    return reach(g, o->first_result, is_reached(g, root_of(g, o->operands[0])));
  case TL_OP_update:
  case TL_OP_fill:
    return reach(g, root_of(g, o->operands[0]), is_reached(g, o->operands[o->operand_count - 1]));
  case TL_OP_if:
    for (uint32_t i = 0; i < o->result_count; i++) {
      bool does = is_reached(g, o->regions[0]->yields.data[i]) || is_reached(g, o->regions[1]->yields.data[i]);
      changed |= reach(g, tl_op_result(o, i), does);
    }
    return changed;
  case TL_OP_loop:
    for (uint32_t i = 0; i < tl_loop_carries(o); i++) {
      bool does = is_reached(g, tl_loop_init(o, i)) || is_reached(g, tl_loop_body(o)->yields.data[i]);
      changed |= reach(g, tl_op_result(o, i), does);
      changed |= reach(g, tl_loop_body(o)->params.data[1 + i], does);
    }
    return changed;
  default:
    break;
  }
  if (!tl_op_table[o->code].elementwise || !(g->any || state(g, o->first_result)->conditional) ||
      (is_bounded(g->f, o->first_result, true, MOST_CLAMPS) && is_bounded(g->f, o->first_result, false, MOST_CLAMPS))) {
    return false;
  }
  bool does = is_dangerous(g->f, o);
  for (uint32_t i = 0; i < o->operand_count && !does; i++) {
    does = is_reached(g, o->operands[i]);
  }
  return reach(g, o->first_result, does);
}

static bool reach_region(guarding *g, const tl_region *r) {
  bool changed = false;
  for (uint32_t i = 0; i < r->ops.count; i++) {
    for (uint32_t k = 0; k < r->ops.data[i]->region_count; k++) {
      changed |= reach_region(g, r->ops.data[i]->regions[k]);
    }
    changed |= reach_results(g, r->ops.data[i]);
  }
  return changed;
}

static bool is_guarded(const guarding *g, tl_value v) {
  return is_active(g, v) && state(g, v)->conditional && is_reached(g, v);
}

/* ---- duplicates ---- */

/* The branch of an `if` in `home` that the use lies in; NULL where it lies in none. */
static tl_region *branch_of_use(const tl_region *home, const use *u) {
  tl_region *r = u->region;
  if (r == home) {
    return NULL;
  }
  while (r->parent->parent != home) {
    r = r->parent->parent;
  }
  return r->parent->code == TL_OP_if ? r : NULL;
}

/* Appends o to the branch for now; what the branch does with the original it does with this one. */
static void duplicate(guarding *g, const tl_op *o, tl_region *branch) {
  tl_builder b = {.func = g->f, .region = branch, .loc = o->loc};
  tl_op *copy = tl_op_create(&b, o->code, o->operand_count, o->operands);
  const tl_value_info *info = tl_info(g->f, o->first_result);
  tl_value v = tl_op_add_result(g->f, copy, info->type, info->name);
  TL_PUSH(g->arena, g->out->duplicates, (tl_duplicate){v, o->first_result});
  bool unbounded = state(g, o->first_result)->unbounded;
  TL_PUSH(g->arena, g->values, (value_state){.reached = true, .unbounded = unbounded});
  for (uint32_t i = 0; i < copy->operand_count; i++) {
    TL_PUSH(g->arena, state(g, copy->operands[i])->uses, (use){copy, branch, i});
  }
  value_state *from = state(g, o->first_result), *to = state(g, v);
  uint32_t kept = 0;
  for (uint32_t i = 0; i < from->uses.count; i++) {
    use u = from->uses.data[i];
    if (!tl__region_contains(branch, u.region)) {
      from->uses.data[kept++] = u;
      continue;
    }
    *(u.op ? &u.op->operands[u.index] : &u.region->yields.data[u.index]) = v;
    TL_PUSH(g->arena, to->uses, u);
  }
  from->uses.count = kept;
  from->duplicates++;
  to->conditional = has_conditional_uses(g, v);
}

static void duplicate_into_branches(guarding *g, const tl_region *home, const tl_op *o) {
  value_state *s = state(g, o->first_result);
  for (uint32_t i = 0; i < s->uses.count && s->duplicates < MOST_DUPLICATES;) {
    tl_region *branch = branch_of_use(home, &s->uses.data[i]);
    if (branch) {
      duplicate(g, o, branch);
      s = state(g, o->first_result);
    } else {
      i++;
    }
  }
}

/* The branch's ops behind the first `own` come ahead of these, last to first. */
static void move_to_head(guarding *g, tl_region *branch, uint32_t own) {
  uint32_t count = branch->ops.count;
  tl_op **order = TL_NEW_ARRAY(g->arena, tl_op *, count + 1);
  for (uint32_t i = own; i < count; i++) {
    order[count - 1 - i] = branch->ops.data[i];
  }
  for (uint32_t i = 0; i < own; i++) {
    order[count - own + i] = branch->ops.data[i];
  }
  for (uint32_t i = 0; i < count; i++) {
    branch->ops.data[i] = order[i];
  }
}

/* Users come before what they use, so that a duplicate's operands are duplicated in their turn; what is guarded twice
 * goes down branch by branch. */
static void duplicate_in_region(guarding *g, tl_region *r) {
  uint32_t count = r->ops.count;
  uint32_t(*own)[2] = tl_arena_alloc(g->arena, sizeof *own * (count + 1));
  for (uint32_t i = 0; i < count; i++) {
    for (uint32_t k = 0; r->ops.data[i]->code == TL_OP_if && k < 2; k++) {
      own[i][k] = r->ops.data[i]->regions[k]->ops.count;
    }
  }
  for (uint32_t i = count; i-- > 0;) {
    const tl_op *o = r->ops.data[i];
    if (tl_op_table[o->code].elementwise && is_guarded(g, o->first_result)) {
      duplicate_into_branches(g, r, o);
    }
  }
  for (uint32_t i = 0; i < count; i++) {
    tl_op *o = r->ops.data[i];
    for (uint32_t k = 0; k < o->region_count; k++) {
      if (o->code == TL_OP_if && o->regions[k]->ops.count > own[i][k]) {
        move_to_head(g, o->regions[k], own[i][k]);
      }
      duplicate_in_region(g, o->regions[k]);
    }
  }
}

void tl__guard_run(tl_func *f, const tl_activity *activity, tl_arena *arena, tl_guards *out) {
  *out = (tl_guards){0};
  guarding g = {.f = f, .activity = activity, .arena = arena, .known = f->values.count, .out = out};
  for (uint32_t i = 0; i < f->values.count; i++) {
    TL_PUSH(arena, g.values, (value_state){0});
  }
  list_uses(&g, f->body);
  find_conditional(&g);
  for (int any = 0; any < 2; any++) {
    g.any = any;
    while (reach_region(&g, f->body)) {
    }
  }
  g.any = false;
  duplicate_in_region(&g, f->body);
  out->of = TL_NEW_ARRAY(arena, bool, g.values.count);
  out->unbounded = TL_NEW_ARRAY(arena, bool, g.values.count);
  for (tl_value v = 1; v < g.values.count; v++) {
    out->of[v] = is_guarded(&g, v);
    out->unbounded[v] = state(&g, v)->unbounded;
  }
}

bool tl__guard_is_needed(const tl_guards *guards, const tl_func *f, const tl_op *o, uint32_t which) {
  if (is_dangerous(f, o)) {
    return true;
  }
  switch ((int)o->code) { /* of the tame ones, where an operand is no number */
  case TL_OP_fabs:
  case TL_OP_fmax:
  case TL_OP_fmin:
  case TL_OP_fdim:
  case TL_OP_copysign:
  case TL_OP_ldexp:
    return false; /* their partials are numbers in any case */
  case TL_OP_mul:
  case TL_OP_fma:
    return which != 2 && guards->unbounded[o->operands[1 - which]];
  case TL_OP_div: /* bar/y, -(bar/y)*r */
    return guards->unbounded[which ? o->first_result : o->operands[1]];
  default:
    break;
  }
  bool any = false;
  for (uint32_t i = 0; i < o->operand_count; i++) {
    any |= guards->unbounded[o->operands[i]];
  }
  return any;
}

/* ---- and away with them ---- */

static void drop_duplicates(tl_region *r, const bool *is_duplicate) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < r->ops.count; i++) {
    tl_op *o = r->ops.data[i];
    if (o->result_count && is_duplicate[o->first_result]) {
      continue;
    }
    r->ops.data[kept++] = o;
    for (uint32_t k = 0; k < o->region_count; k++) {
      drop_duplicates(o->regions[k], is_duplicate);
    }
  }
  r->ops.count = kept;
}

void tl__guard_undo(tl_func *f, tl_arena *arena, const tl_guards *guards, uint32_t count, tl_value *values) {
  if (!guards->duplicates.count) {
    return;
  }
  tl_rewrite rw;
  tl__rewrite_init(&rw, f, arena);
  bool *is_duplicate = TL_NEW_ARRAY(arena, bool, f->values.count);
  for (uint32_t i = 0; i < guards->duplicates.count; i++) {
    is_duplicate[guards->duplicates.data[i].value] = true;
    tl__rewrite_set(&rw, guards->duplicates.data[i].value, guards->duplicates.data[i].original);
  }
  tl__rewrite_region(&rw, f->body);
  drop_duplicates(f->body, is_duplicate);
  for (uint32_t i = 0; i < count; i++) {
    values[i] = values[i] ? tl__rewrite_get(&rw, values[i]) : TL_NO_VALUE;
  }
}

/* ---- choices by value ---- */

tl_value tl__guard_unless_zero(tl_builder *b, uint32_t count, const tl_value *zeros, tl_value v) {
  tl_value zero = tl_build_zero(b, tl_type_of(b->func, v).dtype), condition = TL_NO_VALUE;
  for (uint32_t i = 0; i < count; i++) {
    const tl_op *o = tl_def(b->func, zeros[i]); /* -x is 0 where x is */
    tl_value tested = o && o->code == TL_OP_neg ? o->operands[0] : zeros[i];
    tl_value none = tl_build_zero(b, tl_type_of(b->func, zeros[i]).dtype);
    tl_value is_zero = tl_build_binary(b, TL_OP_eq, tested, none);
    condition = condition ? tl_build_binary(b, TL_OP_and, condition, is_zero) : is_zero;
  }
  tl_value is_nan = tl_build_binary(b, TL_OP_ne, v, v);
  return tl_build_select(b, tl_build_binary(b, TL_OP_and, condition, is_nan), zero, v);
}

static bool list_zeros(const tl_func *f, tl_value condition, uint32_t *count, tl_value *out) {
  const tl_op *o = tl_def(f, condition);
  if (o && o->code == TL_OP_and) {
    return list_zeros(f, o->operands[0], count, out) && list_zeros(f, o->operands[1], count, out);
  }
  long double zero;
  if (!o || o->code != TL_OP_eq || !tl_is_const_float(f, o->operands[1], &zero) || zero != 0 ||
      *count == TL_MOST_ZEROS) {
    return false;
  }
  out[(*count)++] = o->operands[0];
  return true;
}

uint32_t tl__guard_zeros(const tl_func *f, const tl_op *o, tl_value *out_zeros) {
  const tl_op *both = o && o->code == TL_OP_select ? tl_def(f, o->operands[0]) : NULL;
  const tl_op *is_nan = both && both->code == TL_OP_and ? tl_def(f, both->operands[1]) : NULL;
  long double zero;
  if (!is_nan || is_nan->code != TL_OP_ne || is_nan->operands[0] != o->operands[2] ||
      is_nan->operands[1] != o->operands[2] || !tl_is_const_float(f, o->operands[1], &zero) || zero != 0) {
    return 0;
  }
  uint32_t count = 0;
  return list_zeros(f, both->operands[0], &count, out_zeros) ? count : 0;
}
