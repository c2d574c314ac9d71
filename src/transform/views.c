/* Parts of arrays in calls. The front passes a part of an array as a copy made for the call, and the adjoint gathers
 * the part's cotangent in an array of its own and adds that to the whole's. A recursion over an array would so take as
 * many steps for each level as there are elements left. This last pass, which only the emitter follows, passes the
 * place where the part starts instead:
 *
 *     copy = alloc(n - 1); for i: copy[i] = x[i + 1]; f(copy)        f(x[1])
 *     part = zeros(n - 1); f__add_vjp(part); for i: x_bar[i + 1] += part[i]        f__add_vjp(x_bar[1])
 *
 * where f only reads the copy and nothing changes x, and where f__add_vjp adds to what the part holds. */
#include <string.h>

#include "transform/derive_priv.h"
#include "transform/rewrite.h"
#include "transform/transform.h"

typedef struct viewer {
  tl_func *func;
  tl_arena *scratch;
  tl_rewrite rw;
  uint32_t *uses;
  uint32_t room; /* values that `uses` knows */
  bool is_plain; /* every array parameter's elements lie side by side */
  TL_VEC(tl_op *) loops;
} viewer;

/* ---- where a part starts ---- */

static bool ends_in_index(const char *access) {
  size_t n = strlen(access);
  return n >= 3 && !strcmp(access + n - 3, "[#]");
}

/* The parameter or the alloc whose storage the array has; TL_NO_VALUE where branches differ. */
static tl_value root_of(const tl_func *f, tl_value array) {
  for (;;) {
    const tl_value_info *info = tl_info(f, array);
    const tl_op *op = info->op;
    if (!op && !info->region->parent) {
      return array;
    }
    if (!op || op->code == TL_OP_loop) {
      array = tl_loop_init(op ? op : info->region->parent, op ? info->index : info->index - 1);
    } else if (tl_op_stores(op)) {
      array = op->operands[0];
    } else if (op->code == TL_OP_call) {
      const tl_result *r = &tl_module_find(f->module, op->callee)->results.data[info->index];
      if (r->role != TL_RESULT_FINAL) {
        return TL_NO_VALUE;
      }
      array = op->operands[r->param];
    } else if (op->code == TL_OP_if) {
      tl_value yes = root_of(f, op->regions[0]->yields.data[info->index]);
      return yes == root_of(f, op->regions[1]->yields.data[info->index]) ? yes : TL_NO_VALUE;
    } else {
      return op->code == TL_OP_alloc ? array : TL_NO_VALUE;
    }
  }
}

static const char *declarator_of(const tl_func *f, tl_value root) {
  const tl_value_info *info = tl_info(f, root);
  return info->op ? NULL : f->cparams.data[f->params.data[info->index].cparam].declarator;
}

/* A pointer to an element of the array can be passed for the callee's leaf. */
static bool may_point(const viewer *v, tl_value array, const tl_func *callee, uint32_t leaf) {
  const tl_param *p = &callee->params.data[leaf];
  for (uint32_t i = 0; i < callee->params.count; i++) {
    if (i != leaf && callee->params.data[i].cparam == p->cparam) {
      return false;
    }
  }
  tl_type theirs = tl_type_of(callee, p->value), mine = tl_type_of(v->func, array);
  const tl_cparam *c = &callee->cparams.data[p->cparam];
  if (c->is_struct || strcmp(p->access, "$[#]") != 0 || theirs.rank != 1 || mine.rank < 1 ||
      theirs.dtype != mine.dtype) {
    return false;
  }
  tl_value root = root_of(v->func, array);
  if (root == TL_NO_VALUE) {
    return false;
  }
  const tl_op *made = tl_def(v->func, root);
  const char *ours = declarator_of(v->func, root);
  bool is_const = ours ? strstr(ours, "const") != NULL : made->u.flags & TL_ALLOC_TABLE;
  if (ours && !ends_in_index(v->func->params.data[tl_info(v->func, root)->index].access)) {
    return false;
  }
  if (!ours && ((made->u.flags & (TL_ALLOC_GROW | TL_ALLOC_TAPE)) || !v->is_plain)) {
    return false;
  }
  return !is_const || strstr(c->declarator, "const");
}

static tl_value through_cvt(const tl_func *f, tl_value x) {
  const tl_op *op = tl_def(f, x);
  return op && op->code == TL_OP_cvt && !tl_dtype_is_float(tl_type_of(f, op->operands[0]).dtype) ? op->operands[0] : x;
}

/* A value that is there ahead of `at`, an op of its region; a constant can be. */
static bool is_ahead(const tl_func *f, tl_value x, const tl_op *at) {
  const tl_op *def = tl_def(f, x);
  if (def && def->code == TL_OP_const) {
    return true;
  }
  if (!tl__value_visible(f, x, at->parent)) {
    return false;
  }
  for (uint32_t i = 0; def && def->parent == at->parent && at->parent->ops.data[i] != def; i++) {
    if (at->parent->ops.data[i] == at) {
      return false;
    }
  }
  return true;
}

/* Where an access of a loop's body starts: its indices in the first iteration of `for i = 0..`, if only the last goes
 * along with i. TL_NO_VALUE stands for 0. */
static bool find_start(const tl_func *f, const tl_op *loop, uint32_t count, const tl_value *indices, const tl_op *at,
                       tl_value *out) {
  tl_value iv = tl_loop_body(loop)->params.data[0];
  for (uint32_t k = 0; k + 1 < count; k++) {
    out[k] = indices[k];
    if (!is_ahead(f, indices[k], at)) {
      return false;
    }
  }
  tl_value last = through_cvt(f, indices[count - 1]);
  if (last == iv) {
    out[count - 1] = TL_NO_VALUE;
    return true;
  }
  const tl_op *sum = tl_def(f, last);
  if (!sum || sum->code != TL_OP_add) {
    return false;
  }
  for (int side = 0; side < 2; side++) {
    if (through_cvt(f, sum->operands[side]) == iv) {
      out[count - 1] = sum->operands[1 - side];
      return is_ahead(f, out[count - 1], at);
    }
  }
  return false;
}

static bool counts_from_zero(const tl_func *f, const tl_op *loop) {
  int64_t lo;
  return tl_loop_is_counted(loop) && loop->u.step == 1 && !loop->reversed &&
         tl_is_const_int(f, tl_loop_lo(loop), &lo) && lo == 0;
}

/* The carry's one store in each iteration, NULL where there is more to it. */
static const tl_op *only_store(const viewer *v, const tl_op *loop, uint32_t carry) {
  const tl_region *body = tl_loop_body(loop);
  tl_value last = body->yields.data[carry];
  const tl_op *store = tl_def(v->func, last);
  return store && store->code == TL_OP_update && store->parent == body && v->uses[last] == 1 &&
                 store->operands[0] == body->params.data[carry + 1]
             ? store
             : NULL;
}

/* ---- uses ---- */

typedef bool visit_use(void *ctx, tl_op *op, uint32_t operand);

/* Whether `visit` agrees with every use of the array; a yield is none that it could. */
static bool all_uses(viewer *v, const tl_region *r, tl_value array, visit_use *visit, void *ctx) {
  for (uint32_t i = 0; i < r->ops.count; i++) {
    tl_op *op = r->ops.data[i];
    for (uint32_t k = 0; k < op->operand_count; k++) {
      if (op->operands[k] && tl__rewrite_get(&v->rw, op->operands[k]) == array && !visit(ctx, op, k)) {
        return false;
      }
    }
    for (uint32_t k = 0; k < op->region_count; k++) {
      if (!all_uses(v, op->regions[k], array, visit, ctx)) {
        return false;
      }
    }
  }
  for (uint32_t i = 0; i < r->yields.count; i++) {
    if (tl__rewrite_get(&v->rw, r->yields.data[i]) == array) {
      return false;
    }
  }
  return true;
}

static bool is_none(void *ctx, tl_op *op, uint32_t operand) {
  (void)ctx, (void)op, (void)operand;
  return false;
}

static bool is_read(void *ctx, tl_op *op, uint32_t operand) {
  const viewer *v = ctx;
  return (op->code == TL_OP_index && operand == 0) ||
         (op->code == TL_OP_call && !tl__op_overwrites(v->func, op, operand));
}

typedef struct part {
  viewer *v;
  tl_value whole;
  const tl_value *start;
  uint32_t rank;
} part;

static bool may_view(void *ctx, tl_op *op, uint32_t operand) {
  const part *p = ctx;
  const tl_func *callee = op->code == TL_OP_call ? tl_module_find(p->v->func->module, op->callee) : NULL;
  return callee && operand < callee->params.count && !(op->views && op->views[operand]) &&
         !tl__op_overwrites(p->v->func, op, operand) && may_point(p->v, p->whole, callee, operand);
}

/* ---- rewriting ---- */

/* Moves the op that was appended to the region last ahead of `at`. */
static void move_ahead(tl_region *r, const tl_op *at) {
  uint32_t n = r->ops.count - 1;
  tl_op *op = r->ops.data[n];
  for (; r->ops.data[n] != at; n--) {
    r->ops.data[n] = r->ops.data[n - 1];
    if (r->ops.data[n] == at) {
      r->ops.data[n - 1] = op;
      return;
    }
  }
}

/* Passes the whole array and the indices of the part's first element. */
static void set_view(viewer *v, tl_op *call, uint32_t argument, const part *p) {
  tl_func *f = v->func;
  uint32_t arguments = tl_module_find(f->module, call->callee)->params.count;
  uint32_t *views = TL_NEW_ARRAY(f->arena, uint32_t, arguments);
  if (call->views) {
    memcpy(views, call->views, sizeof *views * arguments);
  }
  tl_value *operands = TL_NEW_ARRAY(f->arena, tl_value, call->operand_count + p->rank);
  memcpy(operands, call->operands, sizeof *operands * call->operand_count);
  operands[argument] = p->whole;
  views[argument] = call->operand_count;
  for (uint32_t k = 0; k < p->rank; k++) {
    tl_value x = p->start[k];
    const tl_op *c = x == TL_NO_VALUE ? NULL : tl_def(f, x);
    if (x == TL_NO_VALUE || (c && c->code == TL_OP_const)) {
      tl_builder b = {.func = f, .region = call->parent, .loc = call->loc};
      x = tl_build_int(&b, x == TL_NO_VALUE ? TL_I64 : tl_type_of(f, x).dtype, c ? c->u.integer : 0);
      move_ahead(call->parent, call);
    }
    operands[call->operand_count + k] = x;
  }
  call->operands = operands;
  call->operand_count += p->rank;
  call->views = views;
}

static bool take_view(void *ctx, tl_op *op, uint32_t operand) {
  set_view(((const part *)ctx)->v, op, operand, ctx);
  return true;
}

/* The loop does nothing to the carry any more; what it gave is `to`. */
static void retire(viewer *v, tl_op *loop, uint32_t carry, tl_value to) {
  tl_region *body = tl_loop_body(loop);
  body->yields.data[carry] = body->params.data[carry + 1];
  tl__rewrite_set(&v->rw, tl_op_result(loop, carry), to);
  v->rw.changed = true;
}

/* ---- copies that are only read ---- */

static void view_copy(viewer *v, tl_op *loop, uint32_t carry) {
  const tl_func *f = v->func;
  tl_value made = tl_loop_init(loop, carry), copy = tl_op_result(loop, carry);
  const tl_op *alloc = tl_def(f, made), *store = only_store(v, loop, carry);
  if (!store || store->operand_count != 3 || through_cvt(f, store->operands[1]) != tl_loop_body(loop)->params.data[0] ||
      v->uses[tl_loop_body(loop)->params.data[carry + 1]] != 1 || !alloc || alloc->code != TL_OP_alloc ||
      (alloc->u.flags & ~(unsigned)TL_ALLOC_LOCAL) || v->uses[made] != 1 || !v->uses[copy]) {
    return;
  }
  const tl_op *load = tl_def(f, store->operands[2]);
  tl_value start[TL_MAX_RANK];
  if (!load || load->code != TL_OP_index || load->parent != tl_loop_body(loop) || load->operand_count < 2 ||
      !is_ahead(f, load->operands[0], loop) || tl_type_of(f, load->operands[0]).dtype != tl_type_of(f, made).dtype ||
      !find_start(f, loop, load->operand_count - 1, load->operands + 1, loop, start)) {
    return;
  }
  part p = {v, load->operands[0], start, load->operand_count - 1};
  if (all_uses(v, f->body, p.whole, is_read, v) && all_uses(v, f->body, copy, may_view, &p)) {
    all_uses(v, f->body, copy, take_view, &p);
    retire(v, loop, carry, p.whole);
  }
}

/* ---- parts that are added to ---- */

static bool misses(const tl_func *f, const tl_op *store, const tl_op *other) {
  return store->operand_count == other->operand_count &&
         tl__indices_compare(f, store->operand_count - 2, store->operands + 1, other->operands + 1) ==
             TL_INDEX_DIFFERENT;
}

/* Whether the array holds zeros where the store, one of a loop's body, stores. */
static bool is_zero(const tl_func *f, tl_value array, const tl_op *store) {
  const tl_op *def = tl_def(f, array);
  long double x;
  while (def && def->code == TL_OP_update && misses(f, store, def)) {
    def = tl_def(f, def->operands[0]);
  }
  return def && ((def->code == TL_OP_alloc && (def->u.flags & TL_ALLOC_ZEROED)) ||
                 (def->code == TL_OP_fill && tl_is_const_float(f, def->operands[1], &x) && x == 0));
}

/* What the store adds, in every element of the carry: the load of it. Into zeros it may be stored as it is. */
static const tl_op *added(const viewer *v, const tl_op *store, bool into_zeros) {
  const tl_func *f = v->func;
  tl_value carry = store->operands[0];
  const tl_op *value = tl_def(f, store->operands[store->operand_count - 1]);
  if (!value || value->parent != store->parent || v->uses[value->first_result] != 1) {
    return NULL;
  }
  if (value->code == TL_OP_index) {
    return into_zeros && v->uses[carry] == 1 && value->operands[0] != carry ? value : NULL;
  }
  for (int side = 0; value->code == TL_OP_add && side < 2; side++) {
    const tl_op *mine = tl_def(f, value->operands[side]), *other = tl_def(f, value->operands[1 - side]);
    if (mine && mine->code == TL_OP_index && mine->operands[0] == carry && v->uses[carry] == 2 &&
        v->uses[mine->first_result] == 1 && mine->operand_count + 1 == store->operand_count &&
        tl__indices_compare(f, mine->operand_count - 1, mine->operands + 1, store->operands + 1) == TL_INDEX_SAME &&
        other && other->code == TL_OP_index && other->parent == store->parent && v->uses[other->first_result] == 1) {
      return other;
    }
  }
  return NULL;
}

/* How often the ops from `from` up to `to`, both of one region, name the array; in regions of theirs, many times. */
static uint32_t named_between(viewer *v, const tl_op *from, const tl_op *to, tl_value array) {
  bool within = false;
  uint32_t n = 0;
  for (uint32_t i = 0; from->parent->ops.data[i] != to; i++) {
    const tl_op *op = from->parent->ops.data[i];
    within = within || op == from;
    for (uint32_t k = 0; within && k < op->operand_count; k++) {
      n += op->operands[k] && tl__rewrite_get(&v->rw, op->operands[k]) == array;
    }
    for (uint32_t k = 0; within && k < op->region_count; k++) {
      n += all_uses(v, op->regions[k], array, is_none, NULL) ? 0 : UINT16_MAX;
    }
  }
  return n;
}

/* What is stored into the array between the call and the loop goes on top of what the call adds, if each such store
 * adds as well, or misses what the call adds to. Gives the array that was there ahead of the call, and the first store
 * with the load that it has of that array. */
typedef struct later {
  tl_value array;
  tl_op *store, *load;
} later;

/* How often its array is named from the call on: by the store, and by its load. */
static uint32_t times_named(const later *l) { return l->load ? 2 : l->store ? 1 : 0; }

static bool go_back(viewer *v, const tl_op *call, const tl_op *loop, const tl_op *sum, tl_value whole, later *out) {
  tl_func *f = v->func;
  *out = (later){.array = whole};
  while (!is_ahead(f, out->array, call)) {
    tl_op *store = tl_def(f, out->array);
    if (!store || store->code != TL_OP_update || store->parent != call->parent ||
        named_between(v, call, loop, out->array) != times_named(out)) {
      return false;
    }
    tl_value array = tl__rewrite_get(&v->rw, store->operands[0]);
    const tl_op *value = tl_def(f, store->operands[store->operand_count - 1]);
    tl_op *load = NULL;
    for (int side = 0; value && value->code == TL_OP_add && value->parent == store->parent && side < 2; side++) {
      tl_op *x = tl_def(f, value->operands[side]);
      if (x && x->code == TL_OP_index && x->parent == store->parent &&
          tl__rewrite_get(&v->rw, x->operands[0]) == array && x->operand_count + 1 == store->operand_count &&
          v->uses[x->first_result] == 1 && v->uses[value->first_result] == 1 &&
          tl__indices_compare(f, x->operand_count - 1, x->operands + 1, store->operands + 1) == TL_INDEX_SAME) {
        load = x;
      }
    }
    load = load && is_ahead(f, load->first_result, call) ? NULL : load; /* it is no matter of what the call adds */
    if (!load && !misses(f, sum, store)) {
      return false;
    }
    *out = (later){array, store, load};
  }
  return named_between(v, call, loop, out->array) == times_named(out);
}

static void view_sum(viewer *v, tl_op *loop, uint32_t carry) {
  tl_func *f = v->func;
  tl_value whole = tl__rewrite_get(&v->rw, tl_loop_init(loop, carry));
  const tl_op *store = only_store(v, loop, carry), *load = store ? added(v, store, is_zero(f, whole, store)) : NULL;
  if (!load || load->operand_count != 2 || through_cvt(f, load->operands[1]) != tl_loop_body(loop)->params.data[0]) {
    return;
  }
  tl_value sum = load->operands[0];
  tl_op *call = tl_def(f, sum);
  if (!call || call->code != TL_OP_call || call->parent != loop->parent || v->uses[sum] != 1) {
    return;
  }
  const tl_func *callee = tl_module_find(f->module, call->callee);
  const tl_result *r = &callee->results.data[tl_info(f, sum)->index];
  const tl_op *zeros = r->role == TL_RESULT_FINAL ? tl_def(f, call->operands[r->param]) : NULL;
  tl_value start[TL_MAX_RANK];
  later after;
  if (!zeros || zeros->code != TL_OP_alloc || (zeros->u.flags & ~(unsigned)TL_ALLOC_LOCAL) != TL_ALLOC_ZEROED ||
      v->uses[zeros->first_result] != 1 || (call->views && call->views[r->param]) ||
      !tl__vjp_adds_to(callee, r->param) || !may_point(v, whole, callee, r->param) ||
      !go_back(v, call, loop, store, whole, &after) ||
      !find_start(f, loop, store->operand_count - 2, store->operands + 1, call, start)) {
    return;
  }
  part p = {v, after.array, start, store->operand_count - 2};
  set_view(v, call, r->param, &p);
  f->values.data[sum].type = tl_type_of(f, whole);
  f->values.data[sum].name = tl_info(f, whole)->name;
  if (after.store) {
    after.store->operands[0] = sum;
    v->uses[sum] = 1;
  } else {
    v->uses[sum] = v->uses[tl_op_result(loop, carry)];
  }
  if (after.load) {
    after.load->operands[0] = sum;
    v->uses[sum]++;
  }
  retire(v, loop, carry, after.store ? whole : sum);
}

/* ---- all of a function ---- */

static void note_loop(void *ctx, tl_op *op) {
  viewer *v = ctx;
  if (op->code == TL_OP_loop && counts_from_zero(v->func, op)) {
    TL_PUSH(v->scratch, v->loops, op);
  }
}

static void each_carry(viewer *v, void (*view)(viewer *, tl_op *, uint32_t)) {
  for (uint32_t i = 0; i < v->loops.count; i++) {
    tl_op *loop = v->loops.data[i];
    for (uint32_t k = 0; k < tl_loop_carries(loop); k++) {
      if (tl_type_of(v->func, tl_loop_init(loop, k)).is_array && !tl__rewrite_is_set(&v->rw, tl_op_result(loop, k))) {
        view(v, loop, k);
      }
    }
  }
}

void tl__views_run(tl_func *f, tl_arena *scratch) {
  tl_arena_mark mark = tl_arena_get_mark(scratch);
  viewer v = {.func = f, .scratch = scratch, .uses = tl__use_counts(f, scratch), .is_plain = true};
  for (uint32_t i = 0; i < f->params.count; i++) {
    v.is_plain = v.is_plain && (!f->params.data[i].is_memory || ends_in_index(f->params.data[i].access) ||
                                !tl_type_of(f, f->params.data[i].value).rank);
  }
  tl__rewrite_init(&v.rw, f, scratch);
  tl__region_each_op(f->body, note_loop, &v);
  each_carry(&v, view_copy);
  each_carry(&v, view_sum);
  if (v.rw.changed) {
    tl__rewrite_region(&v.rw, f->body);
    tl__dce_run(f, scratch);
  }
  tl_arena_rewind(scratch, mark);
}
