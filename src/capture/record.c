/* Ops on tracers become ops of the IR. The rule of types of the eager call says what the result is or why there is
 * none; NumPy's broadcasting, which the rule allows, is written out, as operands of elementwise ops have one shape. */
#include "capture/record.h"

#include <assert.h>
#include <math.h>
#include <setjmp.h>
#include <string.h>

#include "base/alloc.h"
#include "ir/shape.h"

static tl_tensor record(tl__recorder *, tl_opcode, const tl_tensor *, const tl_attr *, tl_dtype given);
static int64_t affine_extent(tl__recorder *, int64_t n, int64_t times, int64_t plus, int64_t over);

void tl__capture_init(tl_capture_state *c, tl_graph *g, const char *constant_prefix) {
  *c = (tl_capture_state){
      .recorder = {.record = record, .extent = affine_extent}, .graph = g, .constant_prefix = constant_prefix};
  tl_arena_init(&c->scratch);
  c->b = (tl_builder){.func = g->func, .region = g->func->body};
}

tl_capture_state *tl__capture_current(void) { return (tl_capture_state *)tl__recorder_current(); }

bool tl__capture_guard(tl_capture_state *c, void (*work)(void *), void *ctx) {
  if (c->out_of_memory) {
    return false;
  }
  tl_recovery recovery;
  tl__recovery_enter(&recovery);
  if (setjmp(recovery.jump)) {
    c->out_of_memory = true;
    return false;
  }
  work(ctx);
  tl__recovery_leave(&recovery);
  return true;
}

/* ---- extents ---- */

void tl__capture_note_extent(tl_capture_state *c, tl_value v, int64_t extent) {
  if (v >= c->extents_room) {
    uint32_t room = v + v / 2 + 64;
    c->extents =
        tl_arena_grow(&c->scratch, c->extents, sizeof *c->extents * c->extents_room, sizeof *c->extents * room);
    c->extents_room = room;
  }
  c->extents[v] = extent;
}

/* As tl_shape_of gives it. */
static int64_t extent_number(tl_capture_state *c, tl_extent e) {
  int64_t known;
  if (!e.value) {
    return e.fixed;
  }
  if (tl_is_const_int(c->b.func, e.value, &known)) {
    return known;
  }
  if (e.value >= c->extents_room || !c->extents[e.value]) {
    tl__capture_note_extent(c, e.value, TL_SYM(TL_GRAPH_MOST_SYMBOLS + (int64_t)c->computed.count));
    TL_PUSH(&c->scratch, c->computed, e.value);
  }
  return c->extents[e.value];
}

bool tl__capture_extent(const tl_capture_state *c, int64_t number, tl_extent *out) {
  *out = (tl_extent){.fixed = number};
  if (!tl__extent_is_symbol(number)) {
    return true;
  }
  int64_t k = tl__extent_symbol(number) - TL_GRAPH_MOST_SYMBOLS;
  if (k >= 0 && k < c->computed.count) {
    out->value = c->computed.data[k];
  }
  for (uint32_t i = 0; i < c->symbols.count; i++) {
    if (c->symbols.data[i].extent == number) {
      out->value = c->symbols.data[i].value;
    }
  }
  out->fixed = 0;
  return out->value != TL_NO_VALUE;
}

static bool is_visible(const tl_func *f, tl_value v, const tl_region *from) {
  const tl_region *home = tl_info(f, v)->region;
  while (from != home && from->parent) {
    from = from->parent->parent;
  }
  return from == home;
}

typedef struct affine {
  tl_capture_state *c;
  tl_capture_affine a;
} affine;

static bool is_extent_here(const tl_capture_state *c, int64_t number, tl_extent *out) {
  return tl__capture_extent(c, number, out) && out->value && is_visible(c->b.func, out->value, c->b.region);
}

/* Equal extents have one number, so that what they are extents of is known to fit. */
static void build_affine(void *ctx) {
  affine *w = ctx;
  tl_capture_state *c = w->c;
  tl_capture_affine *a = &w->a;
  tl_extent n, known;
  if (!is_extent_here(c, a->n, &n)) {
    return;
  }
  for (uint32_t i = 0; i < c->affines.count; i++) {
    const tl_capture_affine *k = &c->affines.data[i];
    if (k->n == a->n && k->times == a->times && k->plus == a->plus && k->over == a->over &&
        is_extent_here(c, k->extent, &known)) {
      a->extent = k->extent;
      return;
    }
  }
  a->extent = extent_number(c, tl_build_extent_affine(&c->b, n, a->times, a->plus, a->over));
  TL_PUSH(&c->scratch, c->affines, *a);
}

static int64_t affine_extent(tl__recorder *r, int64_t n, int64_t times, int64_t plus, int64_t over) {
  affine w = {(tl_capture_state *)r, {n, times, plus, over, n}};
  tl__capture_guard(w.c, build_affine, &w);
  return w.a.extent;
}

static int64_t number_of(const tl_capture_state *c, tl_extent e) {
  return !e.value ? e.fixed : e.value < c->extents_room ? c->extents[e.value] : 0;
}

static tl_status fail(tl_shape_rules *r, tl_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static tl_status fail(tl_shape_rules *r, tl_status status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(r->message, sizeof r->message, format, arguments);
  va_end(arguments);
  return status;
}

/* Two extents that an op aligns, of which one may be bounded. */
static tl_status check_bounds(const tl_capture_state *c, tl_shape_rules *r, const char *op, tl_extent x, tl_extent y) {
  int64_t m = number_of(c, x), n = number_of(c, y);
  if (!tl__extent_is_bounded(m)) {
    int64_t swap = m;
    m = n;
    n = swap;
  }
  if (!tl__extent_is_bounded(m) || m == n || n == 1) {
    return TL_OK;
  }
  if (tl__extent_is_bounded(n)) {
    return fail(r, TL_BOUNDED_AXIS_MISMATCH,
                "%s: an axis of extent %lld, at most %lld, meets one of extent %lld, at most %lld", op,
                (long long)tl__extent_symbol(m), (long long)tl__extent_bound(m), (long long)tl__extent_symbol(n),
                (long long)tl__extent_bound(n));
  }
  return n >= 0 && (n < 1 || n > tl__extent_bound(m))
             ? fail(r, TL_BOUNDED_DIM_EXCEEDED, "%s: extent %lld meets one that is 1 to %lld", op, (long long)n,
                    (long long)tl__extent_bound(m))
             : TL_OK;
}

static tl_status check_aligned(const tl_capture_state *c, tl_shape_rules *r, tl_opcode code, const tl_tensor_type *x,
                               const tl_attr *attrs) {
  const char *op = tl_op_table[code].name;
  tl_status status = TL_OK;
  for (int k = 1; tl_op_table[code].elementwise && k < tl_op_table[code].arity; k++) {
    for (int i = 1; status == TL_OK && i <= x[0].rank && i <= x[k].rank; i++) {
      status = check_bounds(c, r, op, x[0].dim[x[0].rank - i], x[k].dim[x[k].rank - i]);
    }
  }
  if (code == TL_OP_matmul && x[0].rank && x[1].rank) {
    status = check_bounds(c, r, op, x[0].dim[x[0].rank - 1], x[1].dim[x[1].rank > 1 ? x[1].rank - 2 : 0]);
  }
  bool by_triangle = code == TL_OP_triangular_solve;
  if ((by_triangle || code == TL_OP_solve || code == TL_OP_solve_spd) && x[0].rank > 1 && x[1].rank) {
    int rows = code != TL_OP_solve_spd && attrs[by_triangle].integer ? 1 : 2; /* from behind */
    status = check_bounds(c, r, op, x[0].dim[x[0].rank - rows], x[1].dim[x[1].rank > 1 ? x[1].rank - 2 : 0]);
  }
  return status;
}

/* ---- operands ---- */

static tl_type tensor_type(const tl_tensor_type *t) {
  return (tl_type){.dtype = t->dtype, .is_tensor = true, .rank = t->rank, .extents = t->dim};
}

/* A tensor's type, of which the extents are known by their numbers. */
static tl_tensor_type type_of(const tl_capture_state *c, tl_tensor x) {
  tl_tensor_type t = tl__tensor_type(x); /* with the names of its axes */
  for (int i = 0; i < t.rank; i++) {
    bool known = tl__capture_extent(c, t.dim[i].fixed, &t.dim[i]);
    assert(known);
    (void)known;
  }
  return t;
}

tl_value tl__capture_add_param(tl_capture_state *c, const tl_graph_param *p, const tl_extent *dim) {
  tl_func *f = c->b.func;
  tl_type type = tl_array_type(f, p->spec.dtype, p->spec.shape.rank, dim);
  type.is_array = false;
  type.is_tensor = true;
  tl__graph_add_param(c->graph, p);
  return tl_region_add_param(f, f->body, type, NULL);
}

static uint32_t constant_slot(const tl_capture_constant *table, uint32_t room, tl_tensor x) {
  uint32_t at = (uint32_t)(((uintptr_t)x >> 4) * 2654435761u) & (room - 1);
  while (table[at].tensor && table[at].tensor != x) {
    at = (at + 1) & (room - 1);
  }
  return at;
}

static void grow_constants(tl_capture_state *c) {
  uint32_t room = c->constant_room ? 2 * c->constant_room : 16;
  tl_capture_constant *table = TL_NEW_ARRAY(&c->scratch, tl_capture_constant, room);
  for (uint32_t i = 0; i < c->constant_room; i++) {
    if (c->constants[i].tensor) {
      table[constant_slot(table, room, c->constants[i].tensor)] = c->constants[i];
    }
  }
  c->constants = table;
  c->constant_room = room;
}

/* A tensor with elements is a parameter that the graph gives. */
static tl_value constant_param(tl_capture_state *c, tl_tensor x) {
  if (2 * c->constant_count >= c->constant_room) {
    grow_constants(c);
  }
  tl_capture_constant *slot = &c->constants[constant_slot(c->constants, c->constant_room, x)];
  if (!slot->tensor) {
    tl_graph_param p = {.kind = TL_GRAPH_CONSTANT, .constant = x, .spec = {tl_dtype_of(x), tl_shape_of(x), NULL}};
    p.spec.name = tl_arena_printf(&c->scratch, "%s%u", c->constant_prefix, c->constant_count);
    tl_tensor_type type = type_of(c, x);
    *slot = (tl_capture_constant){x, tl__capture_add_param(c, &p, type.dim)};
    c->constant_count++;
  }
  return slot->value;
}

tl_value tl__capture_value(tl_capture_state *c, tl_tensor x) {
  if (tl__tracer_value(x)) {
    return tl__tracer_value(x);
  }
  tl_value scalar = tl__tensor_uniform_value(&c->b, x);
  if (!scalar) {
    return constant_param(c, x);
  }
  tl_tensor_type type = type_of(c, x);
  return tl_build_broadcast(&c->b, scalar, tensor_type(&type));
}

bool tl__capture_can_use(const tl_capture_state *c, const char *op, tl_tensor x, tl_tensor *out_failed) {
  if (tl_status_of(x) != TL_OK) {
    *out_failed = x;
    return false;
  }
  if (tl__tracer_is_foreign(x)) {
    *out_failed = tl__tracer_refused(op);
    return false;
  }
  bool ok = !tl__tracer_value(x) || is_visible(c->b.func, tl__tracer_value(x), c->b.region);
  if (!ok) {
    char message[160];
    snprintf(message, sizeof message, "%s: an operand stands for a value of a loop's body or a branch that has ended",
             op);
    *out_failed = tl__tensor_failed(TL_TRACED_TENSOR, message);
  }
  return ok;
}

/* ---- results ---- */

tl_tensor tl__capture_tracer(tl_capture_state *c, tl_value v) {
  tl_builder *b = &c->b;
  tl_type type = tl_build_type(b, v), has = tl_type_of(b->func, v);
  bool is_stated = true;
  for (int i = 0; i < type.rank; i++) {
    is_stated = is_stated && has.extents[i].value == type.extents[i].value;
  }
  if (!is_stated) {
    v = tl_build_tensor(b, TL_OP_reshape, &v, &(tl_attr){.shape = {type.rank, type.extents}});
  }
  int64_t dim[TL_MAX_RANK];
  tl_tensor_type t = tl__shape_of_value(b->func, v);
  for (int i = 0; i < t.rank; i++) {
    dim[i] = extent_number(c, t.dim[i]);
  }
  return tl__tracer_create(&c->recorder, v, &t, dim);
}

/* ---- ops ---- */

/* On truth values arithmetic and order are logic, which is how the IR has them. */
static tl_value build_logic(tl_builder *b, tl_opcode code, tl_value x, tl_value y) {
  switch (code) {
  case TL_OP_add:
    return tl_build_binary(b, TL_OP_or, x, y);
  case TL_OP_mul:
    return tl_build_binary(b, TL_OP_and, x, y);
  case TL_OP_eq:
    return tl_build_unary(b, TL_OP_not, tl_build_binary(b, TL_OP_xor, x, y));
  case TL_OP_ne:
    return tl_build_binary(b, TL_OP_xor, x, y);
  case TL_OP_lt:
    return tl_build_binary(b, TL_OP_and, tl_build_unary(b, TL_OP_not, x), y);
  case TL_OP_le:
    return tl_build_binary(b, TL_OP_or, tl_build_unary(b, TL_OP_not, x), y);
  case TL_OP_gt:
    return tl_build_binary(b, TL_OP_and, x, tl_build_unary(b, TL_OP_not, y));
  case TL_OP_ge:
    return tl_build_binary(b, TL_OP_or, x, tl_build_unary(b, TL_OP_not, y));
  default:
    assert(!"the rule refuses truth values in every other row");
    return TL_NO_VALUE;
  }
}

static bool same_dims(const tl_tensor_type *x, const tl_tensor_type *y) {
  bool same = x->rank == y->rank;
  for (int i = 0; same && i < x->rank; i++) {
    tl_extent m = x->dim[i], n = y->dim[i];
    same = m.value == n.value && (m.value || m.fixed == n.fixed);
  }
  return same;
}

static tl_value build_elementwise(tl_capture_state *c, tl_opcode code, const tl_tensor *x, const tl_tensor_type *types,
                                  const tl_tensor_type *result) {
  tl_value operands[3];
  for (int i = 0; i < tl_op_table[code].arity; i++) {
    operands[i] = tl__tensor_uniform_value(&c->b, x[i]);
    if (!operands[i]) {
      operands[i] = tl__capture_value(c, x[i]);
      if (!same_dims(&types[i], result)) {
        operands[i] = tl_build_broadcast(&c->b, operands[i], tensor_type(result));
      }
    }
  }
  if (code == TL_OP_cvt) {
    return tl_build_cvt(&c->b, result->dtype, operands[0]);
  }
  if (tl_op_table[code].operands == TL_OPERANDS_NUM && types[0].dtype == TL_BOOL) {
    return build_logic(&c->b, code, operands[0], operands[1]);
  }
  return tl_build_elementwise(&c->b, code, result->dtype, operands);
}

static tl_value build_tensor(tl_capture_state *c, tl_opcode code, const tl_tensor *x, const tl_attr *attrs) {
  tl_value operands[4];
  for (int i = 0; i < tl_op_table[code].arity; i++) {
    operands[i] = tl__capture_value(c, x[i]);
  }
  return tl_build_tensor(&c->b, code, operands, attrs);
}

/* To know whether a shape fits, any value will do as a product or quotient of such. */
static tl_extent any_value(void *ctx, tl_extent x, tl_extent y) {
  (void)ctx;
  return x.value ? x : y;
}

typedef struct op {
  tl_capture_state *c;
  tl_opcode code;
  const tl_tensor *x;
  const tl_attr *attrs;
  tl_dtype given;
  tl_tensor result;
} op;

static void record_op(void *ctx) {
  op *o = ctx;
  tl_capture_state *c = o->c;
  const tl_op_info *row = &tl_op_table[o->code];
  tl_tensor_type types[4], result;
  for (int i = 0; i < row->arity; i++) {
    if (!tl__capture_can_use(c, row->name, o->x[i], &o->result)) {
      return;
    }
    types[i] = type_of(c, o->x[i]);
  }
  tl_shape_rules rules = {.product = any_value, .quotient = any_value};
  tl_status status = TL_OK;
  tl_attr stated[TL_MAX_ATTRS];
  tl_extent dim[TL_MAX_RANK];
  const tl_attr *attrs = o->attrs;
  if (tl_op_states_shape(o->code)) {
    memcpy(stated, attrs, sizeof *attrs * (size_t)row->attr_count);
    stated[0].shape.dim = dim;
    for (int i = 0; i < attrs[0].shape.rank && i < TL_MAX_RANK; i++) {
      int64_t number = attrs[0].shape.dim[i].fixed;
      if (!tl__capture_extent(c, number, &dim[i]) ||
          (dim[i].value && !is_visible(c->b.func, dim[i].value, c->b.region))) {
        status = fail(&rules, TL_TENSOR_SHAPE_MISMATCH, "%s: %lld, of axis %d, is no extent of this capture here",
                      row->name, (long long)number, i);
      }
    }
    attrs = stated;
  }
  if (status == TL_OK) {
    status = check_aligned(c, &rules, o->code, types, attrs);
  }
  if (status == TL_OK) {
    status = row->elementwise ? tl__shape_elementwise(&rules, o->code, types, o->given, &result)
                              : tl_shape_table[o->code](&rules, types, attrs, &result);
  }
  if (status != TL_OK) {
    o->result = tl__tensor_failed(status, rules.message);
    return;
  }
  tl_value v =
      row->elementwise ? build_elementwise(c, o->code, o->x, types, &result) : build_tensor(c, o->code, o->x, attrs);
  o->result = tl__tensor_name(tl__capture_tracer(c, v), &result);
}

static tl_tensor record(tl__recorder *r, tl_opcode code, const tl_tensor *x, const tl_attr *attrs, tl_dtype given) {
  op o = {(tl_capture_state *)r, code, x, attrs, given, NULL};
  return tl__capture_guard(o.c, record_op, &o) ? o.result : NULL;
}

/* ---- what is valid of an extent ---- */

typedef struct validity {
  tl_capture_state *c;
  int64_t extent;
  bool mask;
  tl_tensor result;
} validity;

static void record_validity(void *ctx) {
  validity *w = ctx;
  tl_capture_state *c = w->c;
  tl_builder *b = &c->b;
  tl_extent e;
  const char *name = w->mask ? "valid_mask" : "valid_length";
  if (!is_extent_here(c, w->extent, &e)) {
    char message[160];
    snprintf(message, sizeof message, "%s: %lld is no extent of this capture here", name, (long long)w->extent);
    w->result = tl__tensor_failed(TL_TENSOR_SHAPE_MISMATCH, message);
    return;
  }
  tl_tensor_type type = {.dtype = w->mask ? TL_BOOL : TL_I64, .rank = w->mask, .dim = {e}};
  if (!tl__extent_is_bounded(w->extent)) {
    tl_value scalar = w->mask ? tl_build_int(b, TL_BOOL, 1) : tl_build_cvt(b, TL_I64, e.value);
    w->result = tl__capture_tracer(c, tl_build_broadcast(b, scalar, tensor_type(&type)));
    return;
  }
  uint32_t i = 0;
  while (c->symbols.data[i].extent != w->extent) {
    i++;
  }
  tl_value *known = w->mask ? &c->symbols.data[i].mask : &c->symbols.data[i].length;
  if (!*known) {
    tl_graph_param p = {.kind = w->mask ? TL_GRAPH_MASK : TL_GRAPH_LENGTH, .extent = w->extent};
    p.spec = (tl_spec){.dtype = type.dtype, .shape = {type.rank, {w->extent}}};
    p.spec.name = tl_arena_printf(&c->scratch, "%s%s%u", c->constant_prefix, name, i);
    *known = tl__capture_add_param(c, &p, type.dim);
  }
  w->result = tl__capture_tracer(c, *known);
}

static tl_tensor valid(int64_t extent, bool mask) {
  tl_capture_state *c = tl__capture_current();
  if (!tl__extent_is_symbol(extent) || !c) {
    return mask         ? tl_fill(TL_BOOL, TL_SHAPE(extent), 1)
           : extent < 0 ? tl_fill(TL_I64, TL_SHAPE(extent), 0)
                        : tl_from(TL_I64, TL_SCALAR, &extent);
  }
  validity w = {c, extent, mask, NULL};
  return tl__capture_guard(c, record_validity, &w) ? w.result : NULL;
}

tl_tensor tl_valid_mask(int64_t extent) { return valid(extent, true); }
tl_tensor tl_valid_length(int64_t extent) { return valid(extent, false); }
