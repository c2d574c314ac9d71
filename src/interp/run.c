/* The walk. A frame has a slot per value of its function; a slot counts as one reference to its array. An operand that
 * has its last use at an op is moved out of its slot, so an array with one reference is changed in place.
 *
 * Faults and exhausted memory leave by a jump; whatever the run allocated is in its lists. */
#include <assert.h>
#include <setjmp.h>
#include <string.h>

#include "base/alloc.h"
#include "interp/internal.h"
#include "tensor/op.h"

typedef struct plan_entry {
  const tl_func *func;
  tl__region_plan *body;
  struct plan_entry *next;
} plan_entry;

typedef struct run {
  const tl_interp_opts *opts;
  tl__array *arrays;
  tl_arena plans, frames;
  plan_entry *entries;
  uint64_t steps;
  uint32_t depth;
  tl_interp_fault fault;
  tl_status tensor_status;   /* TL_FAULT_TENSOR: of the op that failed */
  tl_scope outermost, scope; /* the innermost; tensors are the scopes', slots name them only */
  jmp_buf leave;
} run;

typedef struct slot {
  tl_interp_scalar scalar;
  tl__array *array;
  tl_tensor tensor;
} slot;

typedef struct frame {
  run *run;
  const tl_func *func;
  slot *slots;
} frame;

__attribute__((noreturn, format(printf, 4, 5))) static void fail(const frame *f, const tl_op *op, tl_interp_fault fault,
                                                                 const char *format, ...) {
  run *r = f->run;
  r->fault = fault;
  if (r->opts->diag) {
    va_list args;
    va_start(args, format);
    const char *text = tl_arena_vprintf(r->opts->diag->arena, format, args);
    va_end(args);
    tl_diag_error(r->opts->diag, TL_IR_INVALID, op ? op->loc : f->func->loc, "%s%s%s in '%s'",
                  op ? tl_op_table[op->code].name : "", op ? ": " : "", text, f->func->name);
  }
  longjmp(r->leave, 1);
}

static tl_dtype dtype_of(const frame *f, tl_value v) { return tl_type_of(f->func, v).dtype; }

static void slot_set(frame *f, tl_value v, slot s) {
  tl__array_release(f->slots[v].array);
  f->slots[v] = s;
}

/* The value with a reference of its own. */
static slot slot_take(frame *f, tl_value v, bool dies) {
  slot s = f->slots[v];
  if (s.array && dies) {
    f->slots[v].array = NULL;
  }
  if (s.array && !dies) {
    s.array->references++;
  }
  return s;
}

static int64_t integer_at(const frame *f, tl_value v) { return f->slots[v].scalar.integer; }

/* ---- arrays ---- */

static tl__array *alloc_array(const frame *f, const tl_op *op, tl_type type) {
  int64_t extents[TL_MAX_RANK], count = 1;
  for (int i = 0; i < type.rank; i++) {
    tl_extent e = type.extents[i];
    extents[i] = e.value ? integer_at(f, e.value) : e.fixed;
    if (extents[i] < 0) {
      fail(f, op, TL_FAULT_EXTENT, "extent %d is %lld", i, (long long)extents[i]);
    }
    if (__builtin_mul_overflow(count, extents[i], &count) || count > INT64_MAX / 32) {
      fail(f, op, TL_FAULT_MEMORY, "an array of more than %lld elements", (long long)(INT64_MAX / 32));
    }
  }
  return tl__array_create(&f->run->arrays, type.dtype, type.element, type.rank, extents);
}

/* The array operand, to be changed: itself if nobody else has it, else a copy. */
static tl__array *array_to_change(frame *f, const tl__op_plan *o) {
  tl__array *a = slot_take(f, o->op->operands[0], o->dies[0]).array;
  assert(a);
  if (a->references == 1) {
    return a;
  }
  tl__array *copy = tl__array_copy(&f->run->arrays, a);
  tl__array_release(a);
  return copy;
}

static void set_tensor(frame *, const tl_op *, tl_tensor);
static tl_tensor apply(const frame *, tl_opcode, tl_tensor *operands, const tl_attr *, tl_dtype given);

/* An element of an array of tensors that is zero has extent 1 where the type states none. */
static void zero_tensors(frame *f, const tl_op *op, tl__array *a) {
  tl_type element = *tl_type_of(f->func, op->first_result).element;
  tl_shape shape = {.rank = element.rank};
  for (int i = 0; i < element.rank; i++) {
    tl_extent e = element.extents[i];
    shape.dim[i] = e.value ? integer_at(f, e.value) : e.fixed < 0 ? 1 : e.fixed;
  }
  set_tensor(f, op, tl_fill(element.dtype, shape, 0));
  for (int64_t i = 0; i < a->count; i++) {
    tl__array_store_tensor(a, i, f->slots[op->first_result].tensor);
  }
}

static void zero(frame *f, const tl_op *op, tl__array *a) {
  if (a->of_tensors) {
    zero_tensors(f, op, a);
    return;
  }
  for (int64_t i = 0; i < a->count; i++) {
    tl__element_store(a->dtype, a->data, i, (tl_interp_scalar){.f80 = 0});
  }
  tl__array_set_written(a);
}

/* The row-major position that the operands after the array give. */
static int64_t position(const frame *f, const tl_op *op, tl__array *a, bool stores) {
  int64_t at = 0;
  for (int i = 0; i < a->rank; i++) {
    tl_value v = op->operands[1 + i];
    int64_t index = integer_at(f, v);
    if (stores && a->grows && index >= a->extents[0] && index < INT64_MAX / 64) {
      tl__array_grow(a, index + 1);
    }
    if (index < 0 || index >= a->extents[i]) {
      fail(f, op, TL_FAULT_INDEX, "index %lld is outside axis %d of extent %lld", (long long)index, i,
           (long long)a->extents[i]);
    }
    at = at * a->extents[i] + index;
  }
  return at;
}

static void run_index(frame *f, const tl__op_plan *o) {
  const tl_op *op = o->op;
  slot s = {0}, from = slot_take(f, op->operands[0], o->dies[0]);
  int64_t at = position(f, op, from.array, false);
  if (from.array->of_tensors) {
    s.tensor = tl__scope_add(tl_retain(tl__array_tensor(from.array, at)));
    if (!s.tensor) {
      fail(f, op, TL_FAULT_UNWRITTEN, "element %lld was never written", (long long)at);
    }
  } else if (!tl__array_load(from.array, at, &s.scalar)) {
    fail(f, op, TL_FAULT_UNWRITTEN, "element %lld was never written", (long long)at);
  }
  tl__array_release(from.array);
  slot_set(f, op->first_result, s);
}

static void run_accumulate(frame *f, const tl__op_plan *o) {
  const tl_op *op = o->op;
  slot other = slot_take(f, op->operands[1], o->dies[1]);
  tl__array *a = array_to_change(f, o), *b = other.array;
  for (int i = 0; i < a->rank; i++) {
    if (a->extents[i] != b->extents[i]) {
      fail(f, op, TL_FAULT_EXTENT, "axis %d has extent %lld and %lld", i, (long long)a->extents[i],
           (long long)b->extents[i]);
    }
  }
  tl_dtype dtypes[] = {a->dtype, a->dtype};
  for (int64_t i = 0; i < a->count && a->of_tensors; i++) {
    tl_tensor x[2] = {tl__array_tensor(a, i), tl__array_tensor(b, i)};
    if (!x[0] || !x[1]) {
      fail(f, op, TL_FAULT_UNWRITTEN, "element %lld was never written", (long long)i);
    }
    set_tensor(f, op, apply(f, TL_OP_add, x, NULL, a->dtype));
    tl__array_store_tensor(a, i, f->slots[op->first_result].tensor);
  }
  for (int64_t i = 0; i < a->count && !a->of_tensors; i++) {
    tl_interp_scalar x[2];
    if (!tl__array_load(a, i, &x[0]) || !tl__array_load(b, i, &x[1])) {
      fail(f, op, TL_FAULT_UNWRITTEN, "element %lld was never written", (long long)i);
    }
    tl_interp_elementwise(TL_OP_add, dtypes, a->dtype, x, f->run->opts->f32, &x[0]);
    tl__array_store(a, i, x[0]);
  }
  tl__array_release(b);
  slot_set(f, op->first_result, (slot){.array = a});
}

static void run_fill(frame *f, const tl__op_plan *o) {
  tl__array *a = array_to_change(f, o);
  const slot *v = &f->slots[o->op->operands[1]];
  for (int64_t i = 0; i < a->count; i++) {
    if (a->of_tensors) {
      tl__array_store_tensor(a, i, v->tensor);
    } else {
      tl__array_store(a, i, v->scalar);
    }
  }
  tl__array_set_written(a);
  slot_set(f, o->op->first_result, (slot){.array = a});
}

static void run_update(frame *f, const tl__op_plan *o) {
  tl__array *a = array_to_change(f, o);
  int64_t at = position(f, o->op, a, true);
  const slot *v = &f->slots[o->op->operands[o->op->operand_count - 1]];
  if (a->of_tensors) {
    tl__array_store_tensor(a, at, v->tensor);
  } else {
    tl__array_store(a, at, v->scalar);
  }
  slot_set(f, o->op->first_result, (slot){.array = a});
}

/* The content of a constant object. */
static void fill_table(const tl_op *op, tl__array *a) {
  for (int64_t i = 0; i < a->count; i++) {
    tl__array_store(a, i, tl__scalar_of(a->dtype, op->table[i]));
  }
}

static void run_alloc(frame *f, const tl_op *op) {
  tl__array *a = alloc_array(f, op, tl_type_of(f->func, op->first_result));
  if (op->table) {
    fill_table(op, a);
  }
  a->grows = op->u.flags & TL_ALLOC_GROW;
  if (op->u.flags & TL_ALLOC_ZEROED) {
    zero(f, op, a);
  }
  slot_set(f, op->first_result, (slot){.array = a});
}

/* ---- scalars ---- */

static void run_const(frame *f, const tl_op *op) {
  tl_dtype dtype = dtype_of(f, op->first_result);
  tl_interp_scalar v = {.integer = op->u.integer};
  if (tl_dtype_is_float(dtype)) {
    v = tl__scalar_of(dtype, op->u.floating);
  }
  slot_set(f, op->first_result, (slot){.scalar = tl__scalar_round(dtype, v, f->run->opts->f32)});
}

static void run_elementwise(frame *f, const tl_op *op) {
  tl_dtype dtypes[3];
  tl_interp_scalar x[3];
  for (uint32_t i = 0; i < op->operand_count; i++) {
    dtypes[i] = dtype_of(f, op->operands[i]);
    x[i] = f->slots[op->operands[i]].scalar;
  }
  slot s = {0};
  const char *wrong =
      tl_interp_elementwise(op->code, dtypes, dtype_of(f, op->first_result), x, f->run->opts->f32, &s.scalar);
  if (wrong) {
    fail(f, op, TL_FAULT_INTEGER, "%s", wrong);
  }
  slot_set(f, op->first_result, s);
}

/* ---- tensors ---- */

static tl_tensor from_scalar(tl_dtype dtype, tl_interp_scalar s) {
  if (tl_dtype_is_stored_only(dtype)) { /* a constant, which a double holds */
    return tl_fill(dtype, TL_SCALAR, (double)tl__scalar_number(dtype, s));
  }
  unsigned char element[16];
  tl__element_store(dtype, element, 0, s);
  return tl_from(dtype, TL_SCALAR, element);
}

/* A scalar is a tensor of rank 0 to a tensor op. */
static tl_tensor tensor_at(const frame *f, tl_value v) {
  const slot *s = &f->slots[v];
  return tl_type_of(f->func, v).is_tensor ? s->tensor : from_scalar(dtype_of(f, v), s->scalar);
}

static void set_tensor(frame *f, const tl_op *op, tl_tensor t) {
  tl_status status = tl_status_of(t);
  if (status == TL_OUT_OF_MEMORY) {
    f->run->fault = TL_FAULT_MEMORY;
    longjmp(f->run->leave, 1);
  }
  if (status != TL_OK) {
    f->run->tensor_status = status;
    fail(f, op, TL_FAULT_TENSOR, "%s [%s]", tl_message_of(t), tl_status_name(status));
  }
  slot_set(f, op->first_result, (slot){.tensor = t});
}

/* An op on tensors; in float, where the run is, what would be in double. */
static tl_tensor apply(const frame *f, tl_opcode code, tl_tensor *x, const tl_attr *attrs, tl_dtype given) {
  bool in_float = f->run->opts->f32 && given == TL_F64;
  for (int i = 0; f->run->opts->f32 && i < tl_op_table[code].arity; i++) {
    x[i] = tl_dtype_of(x[i]) == TL_F64 ? tl_cast(x[i], TL_F32) : x[i];
  }
  tl_tensor out = tl__tensor_op(code, x, attrs, in_float ? TL_F32 : given);
  return in_float ? tl_cast(out, TL_F64) : out;
}

static void run_tensor_op(frame *f, const tl_op *op) {
  const tl_op_info *row = &tl_op_table[op->code];
  tl_type type = tl_type_of(f->func, op->first_result);
  tl_tensor x[4];
  tl_attr attrs[TL_MAX_ATTRS];
  tl_extent dim[TL_MAX_RANK];
  for (int i = 0; i < row->arity; i++) { /* what follows are extents */
    x[i] = tensor_at(f, op->operands[i]);
  }
  for (int i = 0; i < type.rank; i++) {
    tl_extent e = type.extents[i];
    dim[i] = e.value ? (tl_extent){.fixed = integer_at(f, e.value)} : e;
  }
  for (int i = 0; i < row->attr_count; i++) {
    attrs[i] = row->attrs[i].kind == TL_ATTR_SHAPE ? (tl_attr){.shape = {type.rank, dim}} : op->attrs[i];
  }
  set_tensor(f, op, apply(f, op->code, x, attrs, type.dtype));
}

static void run_pack(frame *f, const tl_op *op) {
  const tl__array *a = f->slots[op->operands[0]].array;
  set_tensor(f, op, tl_from(a->dtype, TL_SHAPE(a->count), a->data));
}

static void run_item(frame *f, const tl_op *op) {
  unsigned char element[16];
  tl_dtype dtype = dtype_of(f, op->first_result);
  tl_interp_scalar s = {.integer = 0};
  tl_read(f->slots[op->operands[0]].tensor, element, tl_dtype_size(dtype));
  tl__element_load(dtype, element, 0, &s);
  slot_set(f, op->first_result, (slot){.scalar = s});
}

static void run_dim(frame *f, const tl_op *op) {
  int64_t n = tl_shape_of(f->slots[op->operands[0]].tensor).dim[op->u.integer];
  slot_set(f, op->first_result, (slot){.scalar.integer = n});
}

/* Tensors of a stretch of the run are released together, but for some that go on. */
static tl_scope enter_scope(frame *f) {
  tl_scope outer = f->run->scope;
  f->run->scope = tl_scope_open();
  if (!f->run->scope) {
    f->run->scope = outer;
    f->run->fault = TL_FAULT_MEMORY;
    longjmp(f->run->leave, 1);
  }
  return outer;
}

static void leave_scope(frame *f, tl_scope outer, uint32_t count, slot *kept) {
  for (uint32_t i = 0; i < count; i++) {
    if (kept[i].tensor) {
      kept[i].tensor = tl_scope_keep(f->run->scope, kept[i].tensor);
      if (!kept[i].tensor) {
        f->run->fault = TL_FAULT_MEMORY;
        longjmp(f->run->leave, 1);
      }
    }
  }
  tl_scope_close(f->run->scope);
  f->run->scope = outer;
}

/* ---- control ---- */

static void run_region(frame *, const tl__region_plan *);

static slot *new_slots(const frame *f, uint32_t count) { return TL_NEW_ARRAY(&f->run->frames, slot, count + 1); }

static void take_yields(frame *f, const tl__region_plan *p, slot *out) {
  for (uint32_t i = 0; i < p->region->yields.count; i++) {
    out[i] = slot_take(f, p->region->yields.data[i], p->yield_dies[i]);
  }
}

static void release_dead(frame *f, const tl__op_plan *o) {
  for (uint32_t i = 0; i < o->op->result_count; i++) {
    if (o->dead[i]) {
      slot_set(f, tl_op_result(o->op, i), (slot){0});
    }
  }
}

static void run_if(frame *f, const tl__op_plan *o) {
  const tl_op *op = o->op;
  tl_arena_mark mark = tl_arena_get_mark(&f->run->frames);
  slot *yields = new_slots(f, op->result_count);
  const tl__region_plan *chosen = o->regions[integer_at(f, op->operands[0]) ? 0 : 1];
  run_region(f, chosen);
  take_yields(f, chosen, yields);
  for (uint32_t i = 0; i < op->result_count; i++) {
    slot_set(f, tl_op_result(op, i), yields[i]);
  }
  tl_arena_rewind(&f->run->frames, mark);
}

/* How often lo, lo + step, ... stays before hi. */
static uint64_t counted_trips(tl_dtype dtype, int64_t lo, int64_t hi, int64_t step) {
  bool is_unsigned = tl_dtype_is_unsigned(dtype);
  bool below = is_unsigned ? (uint64_t)lo < (uint64_t)hi : lo < hi, above = lo != hi && !below;
  uint64_t distance = below ? (uint64_t)hi - (uint64_t)lo : (uint64_t)lo - (uint64_t)hi;
  uint64_t stride = step > 0 ? (uint64_t)step : 0 - (uint64_t)step;
  return (step > 0 ? below : above) ? (distance - 1) / stride + 1 : 0;
}

static void step(frame *f, const tl_op *op) {
  run *r = f->run;
  if (r->opts->max_steps && ++r->steps > r->opts->max_steps) {
    fail(f, op, TL_FAULT_STEPS, "more than %llu steps", (unsigned long long)r->opts->max_steps);
  }
}

static void run_loop(frame *f, const tl__op_plan *o) {
  const tl_op *op = o->op;
  uint32_t count = tl_loop_carries(op);
  const tl_region *condition = tl_loop_cond(op), *body = tl_loop_body(op);
  tl_dtype dtype = dtype_of(f, tl_loop_lo(op));
  int64_t lo = integer_at(f, tl_loop_lo(op)), stride = op->u.step;
  uint64_t trips = tl_loop_hi(op) ? counted_trips(dtype, lo, integer_at(f, tl_loop_hi(op)), stride) : UINT64_MAX;
  tl_arena_mark mark = tl_arena_get_mark(&f->run->frames);
  slot *carries = new_slots(f, count);
  tl_tensor *before = TL_NEW_ARRAY(&f->run->frames, tl_tensor, count + 1); /* carries that the scope has from here */
  for (uint32_t i = 0; i < count; i++) {
    carries[i] = slot_take(f, tl_loop_init(op, i), o->dies[2 + i]);
  }
  uint64_t k = 0;
  for (; k < trips; k++) {
    step(f, op);
    tl_scope outer = enter_scope(f);
    uint64_t at = op->reversed ? trips - 1 - k : k;
    slot iv = {.scalar.integer = tl_dtype_wrap(dtype, (int64_t)((uint64_t)lo + at * (uint64_t)stride))};
    if (condition->yields.count) {
      slot_set(f, condition->params.data[0], iv);
      for (uint32_t i = 0; i < count; i++) {
        if (carries[i].array) {
          carries[i].array->references++;
        }
        slot_set(f, condition->params.data[1 + i], carries[i]);
      }
      run_region(f, o->regions[0]);
      bool goes_on = integer_at(f, condition->yields.data[0]);
      for (uint32_t i = 0; i < count; i++) {
        slot_set(f, condition->params.data[1 + i], (slot){0});
      }
      if (!goes_on) {
        leave_scope(f, outer, 0, NULL);
        break;
      }
    }
    slot_set(f, body->params.data[0], iv);
    for (uint32_t i = 0; i < count; i++) {
      slot_set(f, body->params.data[1 + i], carries[i]);
    }
    run_region(f, o->regions[1]);
    take_yields(f, o->regions[1], carries);
    leave_scope(f, outer, count, carries);
    for (uint32_t i = 0; i < count; i++) {
      if (before[i]) {
        tl__scope_drop(outer, before[i]);
      }
      before[i] = carries[i].tensor;
    }
  }
  for (uint32_t i = 0; i < count; i++) {
    slot_set(f, tl_op_result(op, i), carries[i]);
  }
  slot_set(f, tl_loop_trips(op), (slot){.scalar.integer = (int64_t)k});
  tl_arena_rewind(&f->run->frames, mark);
}

static const tl__region_plan *plan_of(run *r, const tl_func *func) {
  for (plan_entry *e = r->entries; e; e = e->next) {
    if (e->func == func) {
      return e->body;
    }
  }
  plan_entry *e = TL_NEW(&r->plans, plan_entry);
  *e = (plan_entry){func, tl__interp_plan(func, &r->plans), r->entries};
  r->entries = e;
  return e->body;
}

/* An extent that is known where the function starts: a number, a parameter, or that of a tensor parameter. */
static bool entry_extent(const frame *f, tl_extent e, int64_t *out) {
  const tl_op *op = e.value ? tl_def(f->func, e.value) : NULL;
  if (op && op->code == TL_OP_dim && !tl_def(f->func, op->operands[0])) {
    *out = tl_shape_of(f->slots[op->operands[0]].tensor).dim[op->u.integer];
    return true;
  }
  *out = e.value && !op ? integer_at(f, e.value) : e.fixed;
  return !op && *out >= 0;
}

/* Parameters have the extents that are known. */
static void check_extents(const frame *f) {
  const tl_region *body = f->func->body;
  for (uint32_t i = 0; i < body->params.count; i++) {
    tl_type type = tl_type_of(f->func, body->params.data[i]);
    const slot *s = &f->slots[body->params.data[i]];
    for (int k = 0; k < type.rank; k++) {
      int64_t want, got = type.is_tensor ? tl_shape_of(s->tensor).dim[k] : s->array->extents[k];
      if (entry_extent(f, type.extents[k], &want) && got != want) {
        fail(f, NULL, TL_FAULT_ARGUMENT, "axis %d of parameter %u has extent %lld, not %lld", k, i, (long long)got,
             (long long)want);
      }
    }
  }
}

/* Takes the arguments' references, gives the results'. */
static void run_function(run *r, const tl_func *func, const slot *args, slot *results) {
  const tl__region_plan *plan = plan_of(r, func);
  tl_arena_mark mark = tl_arena_get_mark(&r->frames);
  frame f = {r, func, TL_NEW_ARRAY(&r->frames, slot, func->values.count)};
  for (uint32_t i = 0; i < func->body->params.count; i++) {
    f.slots[func->body->params.data[i]] = args[i];
  }
  check_extents(&f);
  run_region(&f, plan);
  take_yields(&f, plan, results);
  for (uint32_t v = 1; v < func->values.count; v++) {
    tl__array_release(f.slots[v].array);
  }
  tl_arena_rewind(&r->frames, mark);
}

/* A part of an array starts at that element, row-major, and goes on to the array's end. */
static int64_t part_start(frame *f, const tl_op *op, uint32_t argument) {
  const tl__array *whole = f->slots[op->operands[argument]].array;
  int64_t at = 0;
  for (int k = 0; k < whole->rank; k++) {
    at = at * whole->extents[k] + f->slots[op->operands[op->views[argument] + (uint32_t)k]].scalar.integer;
  }
  if (at < 0 || at > whole->count) {
    fail(f, op, TL_FAULT_INDEX, "a part starts at element %lld of %lld", (long long)at, (long long)whole->count);
  }
  return at;
}

static tl__array *part_taken(frame *f, const tl__array *whole, int64_t start) {
  int64_t count = whole->count - start;
  size_t size = tl_dtype_size(whole->dtype);
  tl__array *a = tl__array_create(&f->run->arrays, whole->dtype, false, 1, &count);
  memcpy(a->data, (const char *)whole->data + (size_t)start * size, (size_t)count * size);
  if (whole->written) {
    memcpy(a->written, whole->written + start, (size_t)count);
  } else {
    tl__array_set_written(a);
  }
  return a;
}

static tl__array *part_put_back(frame *f, const tl__array *whole, tl__array *part, int64_t start) {
  size_t size = tl_dtype_size(whole->dtype);
  tl__array *a = tl__array_copy(&f->run->arrays, whole);
  memcpy((char *)a->data + (size_t)start * size, part->data, (size_t)part->count * size);
  for (int64_t i = 0; a->written && i < part->count; i++) {
    a->written[start + i] = !part->written || part->written[i];
  }
  tl__array_release(part);
  return a;
}

static void run_call(frame *f, const tl__op_plan *o) {
  const tl_op *op = o->op;
  run *r = f->run;
  const tl_func *callee = f->func->module ? tl_module_find(f->func->module, op->callee) : NULL;
  if (!callee) {
    fail(f, op, TL_FAULT_CALL, "there is no function '%s'", op->callee);
  }
  uint32_t limit = r->opts->max_depth ? r->opts->max_depth : 1000;
  if (r->depth >= limit) {
    fail(f, op, TL_FAULT_DEPTH, "more than %u calls deep", limit);
  }
  tl_arena_mark mark = tl_arena_get_mark(&r->frames);
  uint32_t count = callee->params.count;
  slot *args = new_slots(f, count), *results = new_slots(f, op->result_count);
  int64_t *starts = TL_NEW_ARRAY(&r->frames, int64_t, count + 1);
  tl__array **wholes = TL_NEW_ARRAY(&r->frames, tl__array *, count + 1);
  for (uint32_t i = 0; op->views && i < count; i++) {
    if (op->views[i]) {
      wholes[i] = slot_take(f, op->operands[i], false).array;
      starts[i] = part_start(f, op, i);
      args[i].array = part_taken(f, wholes[i], starts[i]);
    }
  }
  for (uint32_t i = 0; i < count; i++) {
    if (!wholes[i]) {
      args[i] = slot_take(f, op->operands[i], o->dies[i]);
    } else if (o->dies[i]) {
      tl__array_release(slot_take(f, op->operands[i], true).array);
    }
  }
  r->depth++;
  run_function(r, callee, args, results);
  r->depth--;
  for (uint32_t i = 0; i < op->result_count; i++) {
    const tl_result *result = &callee->results.data[i];
    if (result->role == TL_RESULT_FINAL && wholes[result->param]) {
      results[i].array = part_put_back(f, wholes[result->param], results[i].array, starts[result->param]);
    }
    slot_set(f, tl_op_result(op, i), results[i]);
  }
  for (uint32_t i = 0; i < count; i++) {
    tl__array_release(wholes[i]);
  }
  tl_arena_rewind(&r->frames, mark);
}

static tl_interp_value view(const frame *f, tl_value v) {
  const slot *s = &f->slots[v];
  if (s->tensor) {
    return tl_interp_tensor(s->tensor);
  }
  if (!s->array) {
    return (tl_interp_value){.dtype = dtype_of(f, v), .scalar = s->scalar};
  }
  return tl_interp_array(s->array->dtype, s->array->data, s->array->rank, s->array->extents);
}

static void run_extern(frame *f, const tl__op_plan *o) {
  const tl_op *op = o->op;
  run *r = f->run;
  slot result = {0};
  if (!strcmp(op->callee, "!!")) { /* whether a pointer parameter is not null: here there are no null pointers */
    result.scalar.integer = 1;
  } else if (!r->opts->on_extern) {
    if (op->result_count && !o->dead[0]) {
      fail(f, op, TL_FAULT_CALL, "nobody gives the result of '%s'", op->callee);
    }
  } else {
    tl_arena_mark mark = tl_arena_get_mark(&r->frames);
    tl_interp_value *operands = TL_NEW_ARRAY(&r->frames, tl_interp_value, op->operand_count + 1);
    for (uint32_t i = 0; i < op->operand_count; i++) {
      operands[i] = view(f, op->operands[i]);
    }
    if (!r->opts->on_extern(r->opts->ctx, op, op->operand_count, operands, &result.scalar)) {
      fail(f, op, TL_FAULT_CALL, "'%s' was refused", op->callee);
    }
    tl_arena_rewind(&r->frames, mark);
  }
  for (uint32_t i = 0; i < op->operand_count; i++) {
    slot s = slot_take(f, op->operands[i], o->dies[i]);
    tl__array_release(s.array);
  }
  if (op->result_count) {
    slot_set(f, op->first_result, result);
  }
}

static void run_region(frame *f, const tl__region_plan *p) {
  for (uint32_t i = 0; i < p->region->ops.count; i++) {
    const tl__op_plan *o = &p->ops[i];
    const tl_op *op = o->op;
    step(f, op);
    if (tl_op_table[op->code].elementwise && tl_is_scalar(tl_type_of(f->func, op->first_result))) {
      run_elementwise(f, op);
      continue;
    }
    switch (op->code) {
#define TL_ELT(name, class, arity, operands, result, samples, meaning, doc) case TL_OP_##name:
#define TL_TEN(name, class, arity, attributes, doc) case TL_OP_##name:
#include "ir/ops.def"
      run_tensor_op(f, op);
      break;
    case TL_OP_item:
      run_item(f, op);
      break;
    case TL_OP_pack:
      run_pack(f, op);
      break;
    case TL_OP_dim:
      run_dim(f, op);
      break;
    case TL_OP_COUNT:
      assert(!"no op");
      break;
    case TL_OP_const:
      run_const(f, op);
      break;
    case TL_OP_alloc:
      run_alloc(f, op);
      break;
    case TL_OP_index:
      run_index(f, o);
      break;
    case TL_OP_update:
      run_update(f, o);
      break;
    case TL_OP_fill:
      run_fill(f, o);
      break;
    case TL_OP_clone:
      slot_set(f, op->first_result, (slot){.array = array_to_change(f, o)});
      break;
    case TL_OP_accumulate:
      run_accumulate(f, o);
      break;
    case TL_OP_if:
      run_if(f, o);
      break;
    case TL_OP_loop:
      run_loop(f, o);
      break;
    case TL_OP_call:
      run_call(f, o);
      break;
    case TL_OP_extern:
      run_extern(f, o);
      break;
    }
    release_dead(f, o);
  }
}

/* ---- entry ---- */

static slot argument(frame *f, uint32_t i, const tl_interp_value *given) {
  tl_type type = tl_type_of(f->func, f->func->body->params.data[i]);
  slot s = {0};
  if (given->dtype != type.dtype || given->is_array != type.is_array || !given->tensor != !type.is_tensor ||
      (!tl_is_scalar(type) && given->rank != type.rank)) {
    fail(f, NULL, TL_FAULT_ARGUMENT, "argument %u has another type than the parameter", i);
  }
  if (type.is_tensor) {
    s.tensor = given->tensor;
    if (f->run->opts->f32 && type.dtype == TL_F64) {
      s.tensor = tl_cast(tl_cast(s.tensor, TL_F32), TL_F64);
    }
    return s;
  }
  if (!type.is_array) {
    s.scalar = tl__scalar_round(type.dtype, given->scalar, f->run->opts->f32);
    return s;
  }
  for (int k = 0; k < type.rank; k++) {
    if (given->extents[k] < 0) {
      fail(f, NULL, TL_FAULT_ARGUMENT, "argument %u has a negative extent", i);
    }
  }
  s.array = tl__array_create(&f->run->arrays, type.dtype, type.element, type.rank, given->extents);
  if (!given->data) {
    return s;
  }
  memcpy(s.array->data, given->data, (size_t)s.array->count * tl_dtype_size(type.dtype));
  tl__array_set_written(s.array);
  for (int64_t k = 0; f->run->opts->f32 && type.dtype == TL_F64 && k < s.array->count; k++) {
    double *x = (double *)s.array->data + k;
    *x = (double)(float)*x;
  }
  return s;
}

static void result(const frame *f, uint32_t i, slot s, tl_interp_value *out) {
  tl_type type = tl_type_of(f->func, f->func->body->yields.data[i]);
  if (s.tensor) {
    *out = tl_interp_tensor(tl_retain(s.tensor));
    return;
  }
  if (!s.array) {
    *out = (tl_interp_value){.dtype = type.dtype, .scalar = s.scalar};
    return;
  }
  for (int64_t k = 0; s.array->written && k < s.array->count; k++) {
    if (!s.array->written[k]) {
      fail(f, NULL, TL_FAULT_UNWRITTEN, "element %lld of result %u was never written", (long long)k, i);
    }
  }
  if (s.array->of_tensors && s.array->rank == 0) { /* storage for one: the tensor */
    *out = tl_interp_tensor(tl_retain(tl__array_tensor(s.array, 0)));
    return;
  }
  size_t bytes = (size_t)s.array->count * tl_dtype_size(type.dtype);
  void *data = tl__alloc(bytes);
  memcpy(data, s.array->data, bytes);
  *out = tl_interp_array(type.dtype, data, type.rank, s.array->extents);
}

static void run_entry(run *r, const tl_func *func, uint32_t arg_count, const tl_interp_value *args,
                      tl_interp_value *out) {
  frame outer = {r, func, NULL};
  if (arg_count != func->body->params.count) {
    fail(&outer, NULL, TL_FAULT_ARGUMENT, "%u arguments for %u parameters", arg_count, func->body->params.count);
  }
  uint32_t count = func->body->yields.count;
  slot *given = TL_NEW_ARRAY(&r->frames, slot, arg_count + 1), *results = TL_NEW_ARRAY(&r->frames, slot, count + 1);
  enter_scope(&outer);
  r->outermost = r->scope;
  for (uint32_t i = 0; i < arg_count; i++) {
    given[i] = argument(&outer, i, &args[i]);
  }
  run_function(r, func, given, results);
  for (uint32_t i = 0; i < count; i++) {
    result(&outer, i, results[i], &out[i]);
  }
}

/* Where the jumps land. Apart from tl_interp_run because a function's own variables do not survive them. */
static void run_guarded(run *r, const tl_func *func, uint32_t arg_count, const tl_interp_value *args,
                        tl_interp_value *out) {
  tl_recovery recovery;
  tl__recovery_enter(&recovery);
  if (setjmp(recovery.jump)) {
    r->fault = TL_FAULT_MEMORY;
    return;
  }
  if (!setjmp(r->leave)) {
    run_entry(r, func, arg_count, args, out);
  }
  tl__recovery_leave(&recovery);
}

static void run_end(run *r) {
  tl_scope_close(r->outermost);
  tl__array_free_all(&r->arrays);
  tl_arena_deinit(&r->plans);
  tl_arena_deinit(&r->frames);
}

tl_status tl_interp_run(const tl_func *func, uint32_t arg_count, const tl_interp_value *args,
                        const tl_interp_opts *opts, tl_interp_value *out_results, tl_interp_fault *out_fault) {
  static const tl_interp_opts defaults;
  run r = {.opts = opts ? opts : &defaults};
  tl_arena_init(&r.plans);
  tl_arena_init(&r.frames);
  for (uint32_t i = 0; i < func->body->yields.count; i++) {
    out_results[i] = (tl_interp_value){0};
  }
  run_guarded(&r, func, arg_count, args, out_results);
  run_end(&r);
  if (out_fault) {
    *out_fault = r.fault;
  }
  if (r.fault == TL_FAULT_NONE) {
    return TL_OK;
  }
  for (uint32_t i = 0; i < func->body->yields.count; i++) {
    tl_interp_value_deinit(&out_results[i]);
  }
  return r.fault == TL_FAULT_MEMORY ? TL_OUT_OF_MEMORY : r.fault == TL_FAULT_TENSOR ? r.tensor_status : TL_IR_INVALID;
}

void tl_interp_value_deinit(tl_interp_value *v) {
  tl__free(v->data);
  tl_release(v->tensor);
  *v = (tl_interp_value){0};
}

tl_interp_value tl_interp_integer(tl_dtype dtype, int64_t x) {
  assert(!tl_dtype_is_float(dtype));
  return (tl_interp_value){.dtype = dtype, .scalar.integer = tl_dtype_wrap(dtype, x)};
}

tl_interp_value tl_interp_floating(tl_dtype dtype, long double x) {
  assert(tl_dtype_is_float(dtype));
  return (tl_interp_value){.dtype = dtype, .scalar = tl__scalar_of(dtype, x)};
}

tl_interp_value tl_interp_array(tl_dtype dtype, void *data, int rank, const int64_t *extents) {
  tl_interp_value v = {.dtype = dtype, .is_array = true, .rank = rank, .data = data};
  for (int i = 0; i < rank; i++) {
    v.extents[i] = extents[i];
  }
  return v;
}

tl_interp_value tl_interp_tensor(tl_tensor x) {
  tl_shape shape = tl_shape_of(x);
  tl_interp_value v = {.dtype = tl_dtype_of(x), .rank = shape.rank, .tensor = x};
  for (int i = 0; i < shape.rank; i++) {
    v.extents[i] = shape.dim[i];
  }
  return v;
}

int64_t tl_interp_count(const tl_interp_value *v) {
  int64_t count = 1;
  for (int i = 0; i < v->rank; i++) {
    count *= v->extents[i];
  }
  return count;
}

long double tl_interp_at(const tl_interp_value *v, int64_t position) {
  tl_interp_scalar s = v->scalar;
  if (v->is_array) {
    tl__element_load(v->dtype, v->data, position, &s);
  }
  return tl__scalar_number(v->dtype, s);
}
