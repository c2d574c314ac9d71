/* Which values are printed as expressions where they are used, and which are C variables.
 *
 * A pure value with one use moves to that use where nothing in between changes what it reads and no loop repeats it.
 * Decided from the last op to the first, so that the statement in which a user ends up is known; a second pass, from
 * the first to the last, gives a variable to what would make expressions too long to read. */
#include <string.h>

#include "emit/c/internal.h"

enum { MOST_OPERATORS = 9, MOST_IN_SUM = 16, NAMED_OPERATORS = 2, MOST_CONDITIONAL = 6 };

typedef struct kill {
  uint32_t store, at;
} kill;

typedef struct modes {
  tl__c_emit *e;
  TL_VEC(kill) kills;       /* by position */
  TL_VEC(uint32_t) growing; /* stores */
} modes;

/* ---- versions of one array, whether or not they can share storage ---- */

uint32_t tl__c_store_root(tl__c_emit *e, tl_value v) {
  while (e->values[v].store != v) {
    e->values[v].store = e->values[e->values[v].store].store;
    v = e->values[v].store;
  }
  return v;
}

static void store_join(tl__c_emit *e, tl_value a, tl_value b) {
  if (tl__c_type(e, a).is_array) {
    e->values[tl__c_store_root(e, a)].store = tl__c_store_root(e, b);
  }
}

static void find_stores(modes *m) {
  tl__c_emit *e = m->e;
  for (tl_value v = 0; v < e->value_count; v++) {
    e->values[v].store = v;
  }
  for (uint32_t k = 0; k < e->ops.count; k++) {
    const tl_op *op = e->ops.data[k].op;
    if (op->code == TL_OP_if) {
      for (uint32_t i = 0; i < op->result_count; i++) {
        store_join(e, op->regions[0]->yields.data[i], tl_op_result(op, i));
        store_join(e, op->regions[1]->yields.data[i], tl_op_result(op, i));
      }
    } else if (op->code == TL_OP_loop) {
      for (uint32_t i = 0; i < tl_loop_carries(op); i++) {
        store_join(e, tl_loop_init(op, i), tl_op_result(op, i));
        store_join(e, tl_loop_cond(op)->params.data[i + 1], tl_op_result(op, i));
        store_join(e, tl_loop_body(op)->params.data[i + 1], tl_op_result(op, i));
        store_join(e, tl_loop_body(op)->yields.data[i], tl_op_result(op, i));
      }
    } else {
      for (uint32_t i = 0; i < op->operand_count; i++) {
        uint32_t r = tl__c_tied_result(e, op, i);
        if (r != TL__NONE) {
          store_join(e, op->operands[i], tl_op_result(op, r));
        }
      }
    }
  }
  for (uint32_t i = 0; i < e->f->results.count; i++) {
    if (e->f->results.data[i].role == TL_RESULT_FINAL) {
      store_join(e, e->f->body->yields.data[i], e->f->params.data[e->f->results.data[i].param].value);
    }
  }
  for (uint32_t k = 0; k < e->ops.count; k++) {
    const tl__c_op *o = &e->ops.data[k];
    if (o->op->code == TL_OP_alloc && o->op->u.flags & TL_ALLOC_GROW) {
      TL_PUSH(e->arena, m->growing, tl__c_store_root(e, o->op->first_result));
    }
    for (uint32_t i = 0; o->needed && i < o->op->operand_count; i++) {
      if (tl__c_tied_result(e, o->op, i) != TL__NONE ||
          (o->op->code == TL_OP_extern && tl__c_type(e, o->op->operands[i]).is_array)) {
        TL_PUSH(e->arena, m->kills, (kill){tl__c_store_root(e, o->op->operands[i]), o->read});
      }
    }
  }
}

/* The array is changed after `from` and before `to`. */
static bool killed(modes *m, tl_value array, uint32_t from, uint32_t to) {
  uint32_t s = tl__c_store_root(m->e, array);
  for (uint32_t i = 0; i < m->kills.count; i++) {
    if (m->kills.data[i].store == s && m->kills.data[i].at > from && m->kills.data[i].at < to) {
      return true;
    }
  }
  return false;
}

/* The loop stores elements of that type, so that a load in its header would be repeated. */
static bool loop_stores(tl__c_emit *e, const tl__c_op *loop, tl_dtype dtype) {
  for (uint32_t k = loop->op->mark; k < e->ops.count && e->ops.data[k].read < loop->write; k++) {
    const tl_op *op = e->ops.data[k].op;
    for (uint32_t i = 0; i < op->operand_count; i++) {
      if (tl__c_tied_result(e, op, i) != TL__NONE && tl__c_type(e, op->operands[i]).dtype == dtype) {
        return true;
      }
    }
  }
  return false;
}

/* ---- conditionals as expressions ---- */

static bool region_is_expression(tl__c_emit *e, uint32_t r, uint32_t *operators) {
  const tl_region *g = e->regions.data[r].region;
  for (uint32_t i = 0; i < g->ops.count; i++) {
    tl_op *op = g->ops.data[i];
    tl__c_op *o = tl__c_op_of(e, op);
    if (!o->needed || op->code == TL_OP_const) {
      continue;
    }
    if (op->code == TL_OP_if) {
      if (!o->as_expression) {
        return false;
      }
    } else if (!tl__c_is_pure(op)) {
      return false;
    }
    if (e->values[op->first_result].uses.count != 1) {
      return false;
    }
    ++*operators;
  }
  return true;
}

/* Inner ifs come first: ops are in program order, so this runs over them backwards. */
static void find_conditionals(tl__c_emit *e) {
  for (uint32_t k = e->ops.count; k-- > 0;) {
    tl__c_op *o = &e->ops.data[k];
    if (!o->needed || o->op->code != TL_OP_if) {
      continue;
    }
    uint32_t needed = 0, operators = 0;
    for (uint32_t i = 0; i < o->op->result_count; i++) {
      needed += e->values[tl_op_result(o->op, i)].needed;
    }
    if (needed != 1 || o->op->result_count != 1 || tl__c_type(e, o->op->first_result).is_array ||
        !region_is_expression(e, o->inner[0], &operators) || !region_is_expression(e, o->inner[1], &operators)) {
      continue;
    }
    bool in_condition = e->regions.data[o->region].in_condition;
    const tl_value_info *info = tl_info(e->f, o->op->first_result);
    if (in_condition || (operators <= MOST_CONDITIONAL && (!info->name || info->type.dtype == TL_BOOL))) {
      o->as_expression = true;
    }
  }
}

/* ---- one value ---- */

/* A value so cheap that it may be printed at several uses. */
static bool is_cheap(tl__c_emit *e, const tl_op *op, int depth) {
  if (depth && op->code != TL_OP_cvt) {
    return false;
  }
  const tl__c_value *v = &e->values[op->first_result];
  for (uint32_t i = 0; i < v->uses.count && !depth; i++) {
    const tl__c_use *u = &v->uses.data[i];
    if (!u->op && u->index != TL__NONE && !e->regions.data[u->region].in_condition) {
      return false; /* what a region yields has a variable of its own already */
    }
  }
  bool integer = !tl_dtype_is_float(tl__c_type(e, op->first_result).dtype);
  if (tl_info(e->f, op->first_result)->name && op->code != TL_OP_cvt) {
    return false;
  }
  switch ((int)op->code) {
  case TL_OP_add:
  case TL_OP_sub:
  case TL_OP_mul:
    if (!integer) {
      return false;
    }
    break;
  case TL_OP_cvt:
  case TL_OP_not:
    break;
  default:
    return false;
  }
  for (uint32_t i = 0; i < op->operand_count; i++) {
    const tl_op *d = tl_def(e->f, op->operands[i]);
    bool leaf = !d || d->code == TL_OP_const || !tl__c_is_pure(d) || e->values[op->operands[i]].uses.count > 1;
    if (!leaf && (depth || !is_cheap(e, d, depth + 1))) {
      return false;
    }
  }
  return true;
}

static bool grows(modes *m, tl_value array) {
  uint32_t s = tl__c_store_root(m->e, array);
  for (uint32_t i = 0; i < m->growing.count; i++) {
    if (m->growing.data[i] == s) {
      return true;
    }
  }
  return false;
}

/* Whether v, defined by `o`, may be printed at its only use; the statement that it ends up in. */
static bool may_move(modes *m, tl__c_op *o, tl__c_value *v) {
  tl__c_emit *e = m->e;
  const tl__c_use u = v->uses.data[0];
  if (u.index == TL__NONE) {
    return false;
  }
  v->root_loop = TL__NONE;
  if (!u.op) {
    const tl__c_region *g = &e->regions.data[u.region];
    v->root_at = g->read;
    v->root_region = u.region;
    const tl_op *parent = g->parent == TL__NONE ? NULL : e->ops.data[g->parent].op;
    bool condition = parent && parent->code == TL_OP_loop && g->region == parent->regions[0];
    if (parent && !condition) {
      return false;
    }
  } else {
    tl__c_op *user = tl__c_op_of(e, u.op);
    v->root_at = user->read;
    v->root_region = user->region;
    if (u.op->code == TL_OP_fill || (u.op->code == TL_OP_update && u.index == 1 && grows(m, u.op->operands[0]))) {
      return false; /* printed several times */
    }
    if (u.op->code == TL_OP_loop && u.index < 2) {
      v->root_loop = u.op->mark;
      v->root_at = user->write;
      bool integer = !tl_dtype_is_float(tl__c_type(e, o->op->first_result).dtype);
      if (!integer || tl__c_trips_needed(e, u.op)) {
        return false;
      }
    } else if (tl__c_is_pure(u.op) || user->as_expression) {
      const tl__c_value *r = &e->values[u.op->first_result];
      if (r->mode == TL__INLINE) {
        if ((r->uses.count != 1 || r->cheap) && !r->forced) {
          return false;
        }
        v->root_at = r->root_at;
        v->root_region = r->root_region;
        v->root_loop = r->root_loop;
      }
    }
  }
  return e->regions.data[o->region].loop == e->regions.data[v->root_region].loop;
}

/* Every load below the value, itself included, still reads the same at the value's root. */
static bool loads_hold(modes *m, tl_region *r, tl_op *op, const tl__c_value *root) {
  tl__c_emit *e = m->e;
  if (op && op->code == TL_OP_index) {
    const tl__c_op *o = tl__c_op_of(e, op);
    if (killed(m, op->operands[0], o->read, root->root_at) ||
        (root->root_loop != TL__NONE &&
         loop_stores(e, &e->ops.data[root->root_loop], tl__c_type(e, op->first_result).dtype))) {
      return false;
    }
  }
  for (uint32_t j = 0; op && j < op->region_count; j++) {
    if (!loads_hold(m, op->regions[j], NULL, root)) {
      return false;
    }
  }
  for (uint32_t i = 0; r && i < r->ops.count; i++) {
    if (!loads_hold(m, NULL, r->ops.data[i], root)) {
      return false;
    }
  }
  return true;
}

/* A load from a cell of our own that nothing changes any more: the cell's name. */
static bool reads_lasting_cell(modes *m, const tl__c_op *o) {
  const tl_op *op = o->op;
  if (op->code != TL_OP_index || op->operand_count != 1 || tl_info(m->e->f, op->first_result)->name ||
      !tl_def(m->e->f, op->operands[0]) || killed(m, op->operands[0], o->read, UINT32_MAX)) {
    return false;
  }
  const tl__c_value *v = &m->e->values[op->first_result];
  for (uint32_t i = 0; i < v->uses.count; i++) {
    if (!v->uses.data[i].op || v->uses.data[i].op->code == TL_OP_loop || v->uses.data[i].index == TL__NONE) {
      return false; /* goes on to another variable, or is read again in a loop's head */
    }
  }
  return true;
}

static void decide(modes *m, tl_op *op, bool forced) {
  tl__c_emit *e = m->e;
  tl__c_op *o = tl__c_op_of(e, op);
  tl__c_value *v = &e->values[op->first_result];
  if (!v->needed || !v->uses.count) {
    v->mode = TL__DEAD;
    return;
  }
  v->forced = forced;
  if (forced) { /* inside a conditional expression: the root is the conditional's */
    const tl__c_value *r = &e->values[e->ops.data[e->regions.data[o->region].parent].op->first_result];
    v->mode = TL__INLINE;
    v->root_at = r->mode == TL__INLINE ? r->root_at : e->ops.data[e->regions.data[o->region].parent].read;
    v->root_region = r->mode == TL__INLINE ? r->root_region : e->ops.data[e->regions.data[o->region].parent].region;
    v->root_loop = r->mode == TL__INLINE ? r->root_loop : TL__NONE;
    return;
  }
  if (op->code == TL_OP_const) {
    v->mode = TL__INLINE;
  } else if (v->uses.count == 1 && may_move(m, o, v) && loads_hold(m, NULL, op, v)) {
    v->mode = TL__INLINE;
  } else if (is_cheap(e, op, 0) || reads_lasting_cell(m, o)) {
    v->mode = TL__INLINE;
    v->cheap = true;
    v->root_region = 0;
    v->root_loop = TL__NONE;
  } else {
    v->mode = TL__VARIABLE;
  }
}

static void decide_region(modes *m, uint32_t region, bool forced) {
  tl__c_emit *e = m->e;
  const tl_region *r = e->regions.data[region].region;
  for (uint32_t i = r->ops.count; i-- > 0;) {
    tl_op *op = r->ops.data[i];
    tl__c_op *o = tl__c_op_of(e, op);
    if (!o->needed) {
      continue;
    }
    if (tl__c_is_pure(op)) {
      decide(m, op, forced);
      continue;
    }
    if (o->as_expression) {
      decide(m, op, forced);
    } else {
      for (uint32_t j = 0; j < op->result_count; j++) {
        tl__c_value *v = &e->values[tl_op_result(op, j)];
        v->mode = v->needed ? TL__VARIABLE : TL__DEAD;
      }
      if (op->code == TL_OP_loop && tl_loop_is_counted(op) && tl__c_trips_needed(e, op)) {
        tl__c_value *trips = &e->values[tl_loop_trips(op)];
        int64_t lo = 1;
        bool plain = op->u.step == 1 && tl_is_const_int(e->f, tl_loop_lo(op), &lo) && !lo &&
                     tl_dtype_is_unsigned(tl__c_type(e, tl_loop_hi(op)).dtype);
        trips->mode = plain || trips->uses.count == 1 ? TL__INLINE : TL__VARIABLE;
      }
    }
    for (uint32_t j = 0; j < op->region_count; j++) {
      decide_region(m, tl__c_op_of(e, op)->inner[j], o->as_expression);
    }
  }
}

static uint32_t region_weight(tl__c_emit *e, const tl_region *r) {
  uint32_t w = 0;
  for (uint32_t i = 0; i < r->yields.count; i++) {
    w += e->values[r->yields.data[i]].mode == TL__INLINE ? e->values[r->yields.data[i]].weight : 0;
  }
  return w;
}

static bool is_derived_name(const char *name) { return strstr(name, "_bar") || strstr(name, "_dot"); }

/* A statement of the user's that changes a variable, "s += x;", and whose result another statement goes on with. */
static bool is_user_update(tl__c_emit *e, const tl_op *op) {
  const char *name = tl_info(e->f, op->first_result)->name;
  const tl__c_use *u = &e->values[op->first_result].uses.data[0];
  if (!name || !u->op || !op->loc.line || u->op->loc.line == op->loc.line || op->code == TL_OP_index ||
      is_derived_name(name)) {
    return false;
  }
  for (uint32_t i = 0; i < op->operand_count; i++) {
    const char *other = tl_info(e->f, op->operands[i])->name;
    if (other && !strcmp(name, other) && e->values[op->operands[i]].mode == TL__VARIABLE) {
      return true;
    }
  }
  return false;
}

/* A cotangent or tangent that the statement in which it ends up adds more to, or stores. */
static bool is_derived_part(tl__c_emit *e, const tl_op *op) {
  const char *name = tl_info(e->f, op->first_result)->name;
  const tl__c_use *u = &e->values[op->first_result].uses.data[0];
  if (!name || !u->op || !is_derived_name(name)) {
    return false;
  }
  const char *sum = u->op->result_count ? tl_info(e->f, u->op->first_result)->name : NULL;
  bool adds = (u->op->code == TL_OP_add || u->op->code == TL_OP_sub) && sum && !strcmp(name, sum);
  return adds || (u->op->code == TL_OP_update && u->index == u->op->operand_count - 1);
}

/* Of a sum that goes on, or is what a statement stores, each term can stand on a line of its own. */
static uint32_t most_operators(tl__c_emit *e, const tl_op *op) {
  const tl__c_use *u = &e->values[op->first_result].uses.data[0];
  bool is_sum = op->code == TL_OP_add || op->code == TL_OP_sub;
  bool goes_on = u->op && (u->op->code == TL_OP_add || u->op->code == TL_OP_sub || u->op->code == TL_OP_update);
  return is_sum && goes_on ? MOST_IN_SUM : MOST_OPERATORS;
}

static void weigh(tl__c_emit *e, const tl_region *r) {
  for (uint32_t k = 0; k < r->ops.count; k++) {
    const tl_op *op = r->ops.data[k];
    tl__c_op *o = tl__c_op_of(e, op);
    for (uint32_t j = 0; j < op->region_count; j++) {
      weigh(e, op->regions[j]);
    }
    if (!o->needed || !(tl__c_is_pure(op) || o->as_expression) || op->code == TL_OP_const) {
      continue;
    }
    tl__c_value *v = &e->values[op->first_result];
    v->weight = op->code == TL_OP_index || op->code == TL_OP_cvt ? 0 : 1;
    for (uint32_t i = 0; i < op->operand_count; i++) {
      const tl__c_value *x = &e->values[op->operands[i]];
      v->weight += x->mode == TL__INLINE ? x->weight : 0;
    }
    if (o->as_expression) {
      v->weight += region_weight(e, op->regions[0]) + region_weight(e, op->regions[1]);
    }
    if (v->mode != TL__INLINE || v->forced || v->cheap || e->regions.data[o->region].in_condition) {
      continue;
    }
    bool returned = v->uses.count == 1 && !v->uses.data[0].op && !e->regions.data[v->uses.data[0].region].outer &&
                    e->regions.data[v->uses.data[0].region].parent == TL__NONE;
    bool named =
        tl_info(e->f, op->first_result)->name && v->weight > NAMED_OPERATORS && !returned && !is_derived_part(e, op);
    if (named || v->weight > most_operators(e, op) || is_user_update(e, op)) {
      v->mode = TL__VARIABLE;
    }
  }
}

bool tl__c_condition_is_expression(tl__c_emit *e, const tl_op *loop) {
  const tl_region *r = tl_loop_cond(loop);
  if (tl__c_region_has_tensors(e->f, r)) {
    return false; /* what it makes is released at the end of the iteration */
  }
  for (uint32_t i = 0; i < r->ops.count; i++) {
    tl__c_op *o = tl__c_op_of(e, r->ops.data[i]);
    if (o->needed &&
        !((tl__c_is_pure(o->op) || o->as_expression) && e->values[o->op->first_result].mode != TL__VARIABLE)) {
      return false;
    }
  }
  return true;
}

void tl__c_plan_modes(tl__c_emit *e) {
  modes m = {.e = e};
  for (tl_value v = 1; v < e->value_count; v++) {
    if (!tl_def(e->f, v)) {
      e->values[v].mode = TL__VARIABLE;
    }
  }
  find_stores(&m);
  find_conditionals(e);
  decide_region(&m, 0, false);
  weigh(e, e->f->body);
}
