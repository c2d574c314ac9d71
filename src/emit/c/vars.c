/* Live ranges, which values share a C variable, and where each variable is declared.
 *
 * A live range is a set of spans of positions. Structured control flow makes them exact: a use inside an `if` reaches
 * back to the start of its branch and then continues before the `if`; a use inside a loop of a value from outside keeps
 * the value through the whole loop. Out of SSA form: the values of one loop carry are one variable; where a region
 * yields, and where a loop starts, values are copied, all at once. A copy vanishes where both sides share a variable,
 * which they do when their ranges do not meet. Innermost copies are looked at first. An array and its updated version
 * are such a pair too. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "emit/c/internal.h"

uint32_t tl__c_root(tl__c_emit *e, tl_value v) {
  while (e->values[v].var != v) {
    e->values[v].var = e->values[e->values[v].var].var;
    v = e->values[v].var;
  }
  return v;
}

/* ---- live ranges ---- */

static void event(tl__c_emit *e, tl_value v, uint32_t region, uint32_t at) {
  TL_PUSH(e->arena, e->vars[tl__c_root(e, v)].events, (tl__c_event){region, at});
}

static void span(tl__c_emit *e, tl_value v, uint32_t from, uint32_t to) {
  TL_PUSH(e->arena, e->vars[tl__c_root(e, v)].live, (tl__c_span){from, to});
}

static bool is_carry_param(const tl__c_emit *e, tl_value v) {
  const tl_value_info *info = tl_info(e->f, v);
  return !info->op && info->region->parent;
}

/* v is read at a position of a region. */
static void live_until(tl__c_emit *e, tl_value v, uint32_t region, uint32_t at) {
  event(e, v, region, at);
  uint32_t home = tl__c_home(e, v);
  while (region != home) {
    const tl__c_region *g = &e->regions.data[region];
    span(e, v, g->begin, at);
    assert(g->parent != TL__NONE);
    const tl__c_op *p = &e->ops.data[g->parent];
    if (p->op->code == TL_OP_loop) {
      span(e, v, p->read, p->write - 1);
    }
    at = p->read;
    region = p->region;
  }
  const tl_op *op = tl_def(e->f, v);
  uint32_t from = op ? tl__c_op_of(e, op)->write : e->regions.data[home].begin;
  if (from <= at) {
    span(e, v, from, at);
  }
  if (is_carry_param(e, v)) { /* a read in the body keeps the carry while the condition is evaluated */
    const tl__c_op *loop = tl__c_op_of(e, tl_info(e->f, v)->region->parent);
    span(e, v, e->regions.data[loop->inner[0]].begin, e->regions.data[loop->inner[0]].write);
  }
}

static void read_uses(tl__c_emit *e, tl_value v, tl_value user);

/* v is read wherever `user`, an expression that it is part of, is printed. */
static void read_result(tl__c_emit *e, tl_value v, tl_value user, uint32_t region, uint32_t at) {
  if (e->values[user].mode == TL__INLINE) {
    read_uses(e, v, user);
  } else if (e->values[user].mode == TL__VARIABLE) {
    live_until(e, v, region, at);
  }
}

static void read_uses(tl__c_emit *e, tl_value v, tl_value user) {
  for (uint32_t i = 0; i < e->values[user].uses.count; i++) {
    const tl__c_use u = e->values[user].uses.data[i];
    if (!u.op) {
      const tl__c_region *g = &e->regions.data[u.region];
      const tl__c_op *parent = g->parent == TL__NONE ? NULL : &e->ops.data[g->parent];
      if (parent && parent->as_expression) {
        read_result(e, v, parent->op->first_result, parent->region, parent->read);
      } else {
        live_until(e, v, u.region, g->read);
      }
      continue;
    }
    const tl__c_op *o = tl__c_op_of(e, u.op);
    if (u.op->code == TL_OP_loop && u.index < 2) {
      live_until(e, v, o->region, o->write - 1);
      tl_value trips = tl_loop_trips(u.op);
      if (tl_loop_is_counted(u.op) && e->values[trips].needed) {
        read_result(e, v, trips, o->region, o->write);
      }
    } else if (u.index != TL__NONE && (tl__c_is_pure(u.op) || o->as_expression)) {
      read_result(e, v, u.op->first_result, o->region, o->read);
    } else {
      live_until(e, v, o->region, o->read);
    }
  }
}

/* The name of a value that only goes on to another variable says nothing: it is computed right into that one. */
static void find_wishes(tl__c_emit *e) {
  for (tl_value v = 1; v < e->value_count; v++) {
    const tl__c_value *x = &e->values[v];
    const tl_value_info *info = tl_info(e->f, v);
    bool passes = info->op && tl__c_is_pure(info->op) && x->uses.count == 1 && !x->uses.data[0].op &&
                  e->regions.data[x->uses.data[0].region].parent != TL__NONE;
    tl__c_var *p = tl__c_var_of(e, v);
    if (x->needed && !passes && !p->wish) {
      p->wish = info->name;
    }
  }
}

static void find_ranges(tl__c_emit *e) {
  for (tl_value v = 1; v < e->value_count; v++) {
    if (e->values[v].mode != TL__VARIABLE || !e->values[v].needed) {
      continue;
    }
    const tl_op *op = tl_def(e->f, v);
    if (op) {
      const tl__c_op *o = tl__c_op_of(e, op);
      span(e, v, o->write, o->write);
      if (op->code == TL_OP_alloc && !tl__c_type(e, v).rank && !(op->u.flags & TL_ALLOC_ZEROED)) {
        read_uses(e, v, v);
        continue; /* a cell without content is declared where it is first written */
      }
      event(e, v, o->region, op->region_count ? o->read : o->write);
    }
    read_uses(e, v, v);
  }
  for (uint32_t k = 0; k < e->ops.count; k++) {
    const tl__c_op *o = &e->ops.data[k];
    const tl_op *op = o->op;
    if (!o->needed) {
      continue;
    }
    if (op->code == TL_OP_loop) {
      const tl__c_region *cond = &e->regions.data[o->inner[0]], *body = &e->regions.data[o->inner[1]];
      tl_value iv = tl_loop_body(op)->params.data[0];
      span(e, iv, o->read, o->write - 1);
      event(e, iv, o->inner[1], body->begin);
      tl__c_var_of(e, iv)->is_iv = true;
      for (uint32_t i = 0; i < tl_loop_carries(op); i++) {
        if (tl__c_carry_needed(e, op, i)) {
          tl_value v = tl_op_result(op, i);
          span(e, v, cond->begin, cond->write);
          span(e, v, body->write, o->write);
          event(e, v, o->region, o->read);
          event(e, v, o->inner[1], body->write);
        }
      }
      tl_value trips = tl_loop_trips(op);
      if (e->values[trips].needed && e->values[trips].mode == TL__VARIABLE && !tl_loop_is_counted(op)) {
        span(e, trips, o->read, o->write);
        event(e, trips, o->region, o->read);
      }
    } else if (op->code == TL_OP_if && !o->as_expression) {
      for (uint32_t i = 0; i < op->result_count; i++) {
        tl_value v = tl_op_result(op, i);
        for (int j = 0; j < 2 && e->values[v].needed; j++) {
          uint32_t at = e->regions.data[o->inner[j]].write;
          span(e, v, at, at);
          event(e, v, o->inner[j], at);
          event(e, v, o->region, o->read);
        }
      }
    }
  }
  for (uint32_t i = 0; i < e->f->params.count; i++) {
    tl__c_var *p = tl__c_var_of(e, e->f->params.data[i].value);
    if (p->is_const) {
      TL_PUSH(e->arena, p->live, (tl__c_span){0, e->positions});
    } else if (tl__c_is_final(e, i)) {
      TL_PUSH(e->arena, p->live, (tl__c_span){e->regions.data[0].read + 1, e->positions});
    }
  }
}

static int compare_spans(const void *a, const void *b) {
  uint32_t x = ((const tl__c_span *)a)->from, y = ((const tl__c_span *)b)->from;
  return x < y ? -1 : x > y;
}

/* Sorts and joins. */
static void tidy(tl__c_var *p) {
  if (!p->live.count) {
    return;
  }
  qsort(p->live.data, p->live.count, sizeof *p->live.data, compare_spans);
  uint32_t n = 0;
  for (uint32_t i = 1; i < p->live.count; i++) {
    tl__c_span s = p->live.data[i];
    if (s.from <= p->live.data[n].to + 1) {
      p->live.data[n].to = s.to > p->live.data[n].to ? s.to : p->live.data[n].to;
    } else {
      p->live.data[++n] = s;
    }
  }
  p->live.count = n + 1;
}

static bool meet(const tl__c_var *a, const tl__c_var *b) {
  uint32_t i = 0, j = 0;
  while (i < a->live.count && j < b->live.count) {
    const tl__c_span *x = &a->live.data[i], *y = &b->live.data[j];
    if (x->from <= y->to && y->from <= x->to) {
      return true;
    }
    if (x->to < y->to) {
      i++;
    } else {
      j++;
    }
  }
  return false;
}

/* ---- sharing ---- */

static void join(tl__c_emit *e, tl_value a, tl_value b) {
  uint32_t x = tl__c_root(e, a), y = tl__c_root(e, b);
  if (x == y) {
    return;
  }
  if (e->vars[y].is_param || (!e->vars[x].is_param && y < x)) { /* parameters stay roots, else the first value */
    uint32_t t = x;
    x = y;
    y = t;
  }
  tl__c_var *p = &e->vars[x], *q = &e->vars[y];
  for (uint32_t i = 0; i < q->live.count; i++) {
    TL_PUSH(e->arena, p->live, q->live.data[i]);
  }
  for (uint32_t i = 0; i < q->events.count; i++) {
    TL_PUSH(e->arena, p->events, q->events.data[i]);
  }
  tidy(p);
  if (!p->is_param) {
    p->storage = p->storage > q->storage ? p->storage : q->storage;
    p->flags |= q->flags;
    p->is_users |= q->is_users;
  }
  p->owns |= q->owns;
  p->wish = p->wish ? p->wish : q->wish;
  e->values[y].var = x;
}

static bool has_fixed_extents(tl_type t) {
  for (int i = 0; i < t.rank; i++) {
    if (t.extents[i].value != TL_NO_VALUE) {
      return false;
    }
  }
  return true;
}

static bool try_join(tl__c_emit *e, tl_value a, tl_value b) {
  uint32_t x = tl__c_root(e, a), y = tl__c_root(e, b);
  if (x == y) {
    return true;
  }
  const tl__c_var *p = &e->vars[x], *q = &e->vars[y];
  tl_type s = tl__c_type(e, a), t = tl__c_type(e, b);
  if (s.dtype != t.dtype || s.is_array != t.is_array || s.is_tensor != t.is_tensor || !s.element != !t.element ||
      s.rank != t.rank || (p->is_param && q->is_param) || p->is_iv || q->is_iv || p->is_const || q->is_const ||
      meet(p, q)) {
    return false;
  }
  if (!s.is_array && p->wish && q->wish && strcmp(p->wish, q->wish)) {
    return false; /* two of the user's variables stay two */
  }
  if (s.is_array && p->owns && q->owns && (p->storage == TL__HEAP || q->storage == TL__HEAP) &&
      !(has_fixed_extents(s) && has_fixed_extents(t))) {
    return false; /* storage made once has one extent, which both allocations would have to know */
  }
  join(e, a, b);
  return true;
}

typedef struct pair {
  tl_value a, b;
  uint32_t depth, order;
  tl_op *tie; /* a is the array operand and b the result of it */
} pair;

static int compare_pairs(const void *a, const void *b) {
  const pair *x = a, *y = b;
  if (x->depth != y->depth) {
    return x->depth > y->depth ? -1 : 1;
  }
  if (!x->tie != !y->tie) { /* ties first: where one fails, its result must not share what else the op reads */
    return x->tie ? -1 : 1;
  }
  return x->order < y->order ? -1 : x->order > y->order;
}

static uint32_t depth_of(tl__c_emit *e, uint32_t region) {
  uint32_t d = 0;
  for (uint32_t k = e->regions.data[region].loop; k != TL__NONE; k = e->regions.data[e->ops.data[k].region].loop) {
    d++;
  }
  return d;
}

typedef TL_VEC(pair) pairs;

static void add_pair(tl__c_emit *e, pairs *ps, tl_value a, tl_value b, uint32_t region, tl_op *tie) {
  if (e->values[a].mode == TL__VARIABLE && e->values[b].mode == TL__VARIABLE) {
    TL_PUSH(e->arena, *ps, (pair){a, b, depth_of(e, region), ps->count, tie});
  }
}

static void find_pairs(tl__c_emit *e, pairs *ps) {
  for (uint32_t k = 0; k < e->ops.count; k++) {
    tl__c_op *o = &e->ops.data[k];
    tl_op *op = o->op;
    if (!o->needed) {
      continue;
    }
    if (op->code == TL_OP_loop) {
      for (uint32_t i = 0; i < tl_loop_carries(op); i++) {
        if (tl__c_carry_needed(e, op, i)) {
          tl_value v = tl_op_result(op, i);
          if (e->values[v].mode != TL__VARIABLE) { /* nothing reads the result: the carry's variable by its parameter */
            v = tl_loop_body(op)->params.data[1 + i];
          }
          add_pair(e, ps, tl_loop_body(op)->yields.data[i], v, o->inner[1], NULL);
          add_pair(e, ps, tl_loop_init(op, i), v, o->region, NULL);
        }
      }
    } else if (op->code == TL_OP_if && !o->as_expression) {
      for (uint32_t i = 0; i < op->result_count; i++) {
        tl_value v = tl_op_result(op, i);
        for (int j = 0; j < 2 && e->values[v].needed; j++) {
          add_pair(e, ps, op->regions[j]->yields.data[i], v, o->inner[j], NULL);
        }
      }
    } else if (op->code == TL_OP_clone || tl__c_is_plain_sum(e, op)) {
      add_pair(e, ps, op->operands[op->code == TL_OP_clone ? 0 : 1], op->first_result, o->region, NULL);
    } else {
      for (uint32_t i = 0; i < op->operand_count; i++) {
        uint32_t r = tl__c_tied_result(e, op, i);
        if (r != TL__NONE) {
          add_pair(e, ps, op->operands[i], tl_op_result(op, r), o->region, op);
        }
      }
    }
  }
  for (uint32_t i = 0; i < e->f->results.count; i++) {
    if (e->f->results.data[i].role == TL_RESULT_FINAL) {
      add_pair(e, ps, e->f->body->yields.data[i], e->f->params.data[e->f->results.data[i].param].value, 0, NULL);
    }
  }
}

/* Versions of one of the user's variables share a C variable where one is declared in a scope around the other's. */
enum { VERSIONS_LOOKED_AT = 8 };

static void join_versions(tl__c_emit *e) {
  TL_VEC(tl_value) last = {0}; /* one per name */
  tl_value *before = TL_NEW_ARRAY(e->arena, tl_value, e->value_count);
  for (tl_value v = 1; v < e->value_count; v++) {
    const tl_value_info *info = tl_info(e->f, v);
    if (!info->name || info->type.is_array || e->values[v].mode != TL__VARIABLE || !e->values[v].needed ||
        tl__c_var_of(e, v)->is_iv) {
      continue;
    }
    uint32_t k = 0;
    while (k < last.count && strcmp(tl_info(e->f, last.data[k])->name, info->name)) {
      k++;
    }
    if (k == last.count) {
      TL_PUSH(e->arena, last, v);
      continue;
    }
    tl_value w = last.data[k];
    before[v] = w;
    last.data[k] = v;
    for (int looked = 0; w && looked < VERSIONS_LOOKED_AT && !is_carry_param(e, v); w = before[w], looked++) {
      if (tl_info(e->f, w)->type.dtype == info->type.dtype &&
          tl__c_region_within(e, tl__c_home(e, v), tl__c_home(e, w)) && try_join(e, w, v)) {
        break;
      }
    }
  }
}

/* ---- storage of arrays ---- */

/* The size of an array, -1 where it is not constant or too large for any limit here. */
static int64_t constant_bytes(tl_type t) {
  int64_t size = (int64_t)tl_dtype_size(t.dtype), count = tl_extents_count(t.extents, t.rank, (1 << 28) / size);
  return count < 0 ? -1 : count * size;
}

/* Of the arrays that a generated function makes beside the user's locals. Recursion has less of it. */
enum { MOST_STACK_BYTES = 32768, MOST_STACK_BYTES_OF_CALLERS = 1024 };

static bool makes_storage(const tl__c_emit *e, const tl_op *op) {
  return op->code == TL_OP_alloc || op->code == TL_OP_clone || tl__c_is_plain_sum(e, op);
}

/* What the allocations of the array's versions say: a copy of an array that grows grows. */
static unsigned inherited_flags(tl__c_emit *e, tl_value v) {
  uint32_t store = tl__c_store_root(e, v);
  unsigned flags = 0;
  for (uint32_t k = 0; k < e->ops.count; k++) {
    const tl_op *op = e->ops.data[k].op;
    if (op->code == TL_OP_alloc && tl__c_store_root(e, op->first_result) == store) {
      flags |= op->u.flags & (TL_ALLOC_GROW | TL_ALLOC_ZEROED);
    }
  }
  return flags & TL_ALLOC_GROW ? flags : 0;
}

static bool calls_others(const tl__c_emit *e) {
  for (uint32_t k = 0; k < e->ops.count; k++) {
    if (e->ops.data[k].needed && e->ops.data[k].op->code == TL_OP_call) {
      return true;
    }
  }
  return false;
}

static int compare_sizes(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return x < y ? -1 : x > y;
}

/* Arrays of constant size lie on the stack, small ones first, as long as all of them together are small. */
static void share_out_stack(tl__c_emit *e) {
  TL_VEC(int64_t) sizes = {0};
  for (uint32_t k = 0; k < e->ops.count; k++) {
    const tl__c_op *o = &e->ops.data[k];
    tl_type t = o->op->result_count ? tl__c_type(e, o->op->first_result) : (tl_type){0};
    bool is_alloc = o->op->code == TL_OP_alloc;
    unsigned elsewhere = TL_ALLOC_LOCAL | TL_ALLOC_TABLE | TL_ALLOC_GROW;
    if (o->needed && makes_storage(e, o->op) && t.rank && !(is_alloc && o->op->u.flags & elsewhere) &&
        constant_bytes(t) >= 0) {
      TL_PUSH(e->arena, sizes, constant_bytes(t));
    }
  }
  e->stack_left = calls_others(e) ? MOST_STACK_BYTES_OF_CALLERS : MOST_STACK_BYTES;
  e->largest_on_stack = 0;
  if (sizes.count) {
    qsort(sizes.data, sizes.count, sizeof *sizes.data, compare_sizes);
  }
  for (uint32_t i = 0; i < sizes.count;) {
    uint32_t end = i;
    while (end < sizes.count && sizes.data[end] == sizes.data[i]) {
      end++;
    }
    if (sizes.data[i] * (end - i) > e->stack_left) {
      break;
    }
    e->stack_left -= sizes.data[i] * (end - i);
    e->largest_on_stack = sizes.data[i];
    i = end;
  }
}

/* Arrays that no allocation of the IR makes are copies; they are made where they are declared, and take what the others
 * left of the stack. */
static bool fits_stack(tl__c_emit *e, int64_t bytes, bool late) {
  if (!late) {
    return bytes >= 0 && bytes <= e->largest_on_stack;
  }
  bool fits = bytes >= 0 && bytes <= e->stack_left;
  e->stack_left -= fits ? bytes : 0;
  return fits;
}

static void find_storage(tl__c_emit *e, bool late) {
  if (!late) {
    share_out_stack(e);
  }
  for (tl_value v = 1; v < e->value_count; v++) {
    tl_type t = tl__c_type(e, v);
    tl__c_var *p = &e->vars[v];
    const tl_op *op = tl_def(e->f, v);
    bool is_used = late ? p->events.count > 0 : e->values[v].needed; /* the root itself need not be what is used */
    if (!t.is_array || !is_used || p->is_param ||
        (late ? e->values[v].var != v || p->owns : !op || !makes_storage(e, op))) {
      continue;
    }
    bool alloc = op && op->code == TL_OP_alloc;
    bool is_sum = op && tl__c_is_plain_sum(e, op);
    tl_value source = is_sum ? op->operands[1] : op && op->code == TL_OP_clone ? op->operands[0] : v;
    p->owns = true;
    p->late = late;
    p->flags = alloc ? op->u.flags : inherited_flags(e, source);
    p->is_users |= (alloc && op->u.flags & TL_ALLOC_LOCAL) || (op && op->code == TL_OP_clone && !op->is_ours);
    int64_t bytes = p->flags & TL_ALLOC_GROW ? -1 : constant_bytes(t);
    if (p->flags & TL_ALLOC_TABLE) {
      p->storage = TL__STACK;
      p->is_const = true;
    } else if (!t.rank) {
      p->storage = TL__CELL;
    } else if (p->flags & TL_ALLOC_LOCAL) {
      p->storage = TL__STACK;
    } else {
      p->storage = fits_stack(e, bytes, late) ? TL__STACK : TL__HEAP;
    }
  }
}

/* ---- declarations ---- */

static uint32_t common_region(const tl__c_emit *e, uint32_t a, uint32_t b) {
  while (a != b) {
    if (a > b) {
      a = e->regions.data[a].outer;
    } else {
      b = e->regions.data[b].outer;
    }
  }
  return a;
}

/* Storage on the heap that a loop would allocate again and again is allocated before the outermost loop in which its
 * extents do not change. */
static void hoist_storage(tl__c_emit *e, tl_value v) {
  tl__c_var *p = &e->vars[v];
  tl_type t = tl__c_type(e, v);
  tl_op *at = NULL;
  for (uint32_t k = e->regions.data[p->region].loop; k != TL__NONE; k = e->regions.data[e->ops.data[k].region].loop) {
    const tl__c_op *loop = &e->ops.data[k];
    for (int i = 0; i < t.rank; i++) {
      tl_value x = t.extents[i].value;
      const tl_op *d = x == TL_NO_VALUE ? NULL : tl_def(e->f, x);
      if (x != TL_NO_VALUE &&
          (!tl__c_region_within(e, loop->region, tl__c_home(e, x)) || (d && tl__c_op_of(e, d)->write > loop->read))) {
        goto done;
      }
    }
    at = loop->op;
  }
done:
  if (at) {
    p->region = p->lifetime = tl__c_op_of(e, at)->region;
    p->declared_at = at;
    TL_PUSH(e->arena, e->declared_at[at->mark], v);
  }
}

static void find_declarations(tl__c_emit *e) {
  e->declared_at = tl_arena_alloc(e->arena, sizeof *e->declared_at * (e->ops.count + 1));
  for (tl_value v = 1; v < e->value_count; v++) {
    tl__c_var *p = &e->vars[v];
    if (e->values[v].var != v || !p->events.count) {
      continue;
    }
    p->used = true;
    if (p->is_param) {
      continue;
    }
    uint32_t region = p->events.data[0].region, first = p->events.data[0].at;
    for (uint32_t i = 1; i < p->events.count; i++) {
      region = common_region(e, region, p->events.data[i].region);
      first = p->events.data[i].at < first ? p->events.data[i].at : first;
    }
    p->region = p->lifetime = region;
    if (p->is_iv) { /* declared in the loop's head; the block of the body is its scope */
      const tl__c_op *loop = tl__c_op_of(e, tl_info(e->f, v)->region->parent);
      bool around = e->regions.data[loop->inner[1]].outer == loop->inner[0];
      p->region = loop->inner[around ? 0 : 1];
      continue;
    }
    const tl_region *r = e->regions.data[region].region;
    for (uint32_t i = 0; i < r->ops.count && !p->declared_at; i++) {
      const tl__c_op *o = tl__c_op_of(e, r->ops.data[i]);
      if (o->read <= first && first <= o->write) {
        p->declared_at = o->op;
        TL_PUSH(e->arena, e->declared_at[o->op->mark], v);
      }
    }
    if (p->storage == TL__HEAP) {
      hoist_storage(e, v);
    }
    const tl_op *at = p->declared_at; /* an allocation inside a branch or loop of storage that lives around it */
    if (p->storage == TL__HEAP && !(at && makes_storage(e, at) && tl__c_root(e, at->first_result) == v)) {
      p->late = true;
    }
  }
}

void tl__c_plan_vars(tl__c_emit *e) {
  const tl_func *f = e->f;
  for (tl_value v = 0; v < e->value_count; v++) {
    e->values[v].var = v;
  }
  for (uint32_t i = 0; i < f->params.count; i++) {
    const tl_param *param = &f->params.data[i];
    const tl_cparam *c = &f->cparams.data[param->cparam];
    tl__c_var *p = &e->vars[param->value];
    p->is_param = true;
    p->param = i;
    p->is_const = param->is_memory ? !tl__c_is_final(e, i) : c->is_struct || strstr(c->declarator, "const") != NULL;
  }
  find_storage(e, false);
  for (uint32_t k = 0; k < e->ops.count; k++) {
    const tl_op *op = e->ops.data[k].op;
    if (!e->ops.data[k].needed || op->code != TL_OP_loop) {
      continue;
    }
    if (!tl__c_condition_is_expression(e, op)) { /* its statements start the body's block */
      e->regions.data[e->ops.data[k].inner[1]].outer = e->ops.data[k].inner[0];
    }
    join(e, tl_loop_cond(op)->params.data[0], tl_loop_body(op)->params.data[0]);
    for (uint32_t i = 0; i < tl_loop_carries(op); i++) {
      join(e, tl_op_result(op, i), tl_loop_cond(op)->params.data[i + 1]);
      join(e, tl_op_result(op, i), tl_loop_body(op)->params.data[i + 1]);
    }
  }
  find_wishes(e);
  find_ranges(e);
  for (tl_value v = 1; v < e->value_count; v++) {
    tidy(&e->vars[v]);
  }
  pairs ps = {0};
  find_pairs(e, &ps);
  if (ps.count) {
    qsort(ps.data, ps.count, sizeof *ps.data, compare_pairs);
  }
  e->copies = 0;
  for (uint32_t i = 0; i < ps.count; i++) {
    const pair *p = &ps.data[i];
    if (try_join(e, p->a, p->b)) {
      continue;
    }
    if (p->tie) { /* the copy is made before anything else of the op is read */
      tl__c_op *o = tl__c_op_of(e, p->tie);
      o->copies_operand = true;
      tl__c_var *q = tl__c_var_of(e, p->b);
      TL_PUSH(e->arena, q->live, (tl__c_span){o->read, o->read});
      TL_PUSH(e->arena, q->events, (tl__c_event){o->region, o->read});
      tidy(q);
    }
    if (tl__c_type(e, p->a).is_array) {
      e->copies++;
    }
  }
  join_versions(e);
  find_storage(e, true);
  find_declarations(e);
}
