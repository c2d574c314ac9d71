/* Control flow over tensors: run at once, or recorded as regions of the IR. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "capture/record.h"

static tl_tensor refuse(tl_status status, const char *op, const char *text, size_t position) {
  char message[192];
  snprintf(message, sizeof message, "%s: %s %zu", op, text, position);
  return tl__tensor_failed(status, message);
}

static void set_all(size_t count, tl_tensor *out, tl_tensor t) {
  for (size_t i = 0; i < count; i++) {
    out[i] = t;
  }
}

/* The tensor that every output is; it belongs to the innermost scope once more. */
static void fail_all(size_t count, tl_tensor *out, tl_tensor failed) {
  set_all(count, out, failed && count ? tl__scope_add(tl_retain(failed)) : failed);
}

/* The first that failed; false where none did. */
static bool any_failed(const char *op, size_t count, const tl_tensor *x, tl_tensor *out) {
  for (size_t i = 0; i < count; i++) {
    if (tl_status_of(x[i]) != TL_OK) {
      *out = x[i];
      return true;
    }
    if (tl__tracer_is_foreign(x[i])) {
      *out = tl__tracer_refused(op);
      return true;
    }
  }
  return false;
}

/* Whether what goes on is of the type that came in; else *out says so. */
static bool goes_on(const char *op, size_t count, const tl_tensor *from, const tl_tensor *to, tl_tensor *out) {
  for (size_t i = 0; i < count; i++) {
    tl_shape x = tl_shape_of(from[i]), y = tl_shape_of(to[i]);
    if (tl_dtype_of(from[i]) != tl_dtype_of(to[i])) {
      *out = refuse(TL_DTYPE_MISMATCH, op, "an iteration changes the dtype of value", i);
      return false;
    }
    if (x.rank != y.rank || memcmp(x.dim, y.dim, (size_t)x.rank * sizeof *x.dim) != 0) {
      *out = refuse(TL_TENSOR_SHAPE_MISMATCH, op, "an iteration changes the shape of value", i);
      return false;
    }
  }
  return true;
}

static bool is_condition(const char *op, tl_tensor x, tl_tensor *out) {
  if (tl_dtype_of(x) != TL_BOOL) {
    *out = refuse(TL_DTYPE_MISMATCH, op, "the condition is not of dtype i1, but of dtype number", tl_dtype_of(x));
    return false;
  }
  if (tl_shape_of(x).rank) {
    *out = refuse(TL_TENSOR_SHAPE_MISMATCH, op, "the condition has not rank 0, but", (size_t)tl_shape_of(x).rank);
    return false;
  }
  return true;
}

static bool read_condition(const char *op, tl_tensor x, bool *out_value, tl_tensor *out_failed) {
  if (any_failed(op, 1, &x, out_failed) || !is_condition(op, x, out_failed)) {
    return false;
  }
  if (tl_read(x, out_value, sizeof *out_value) != TL_OK) {
    *out_failed = tl__tracer_refused(op);
    return false;
  }
  return true;
}

/* ---- eager ---- */

/* Values that go on from one iteration to the next. They belong to `scope`, which they leave when they are replaced. */
typedef struct carries {
  tl_scope scope;
  size_t count;
  tl_tensor *now, *next;
  bool are_ours; /* `now` belongs to the scope: not what came in */
} carries;

static bool carries_init(carries *c, size_t count, const tl_tensor *init) {
  *c = (carries){.count = count};
  c->now = tl__alloc_try((2 * count + 1) * sizeof *c->now);
  c->scope = c->now ? tl_scope_open() : NULL;
  if (!c->scope) {
    tl__free(c->now);
    return false;
  }
  c->next = c->now + count;
  memcpy(c->now, init, count * sizeof *init);
  return true;
}

/* `next` becomes `now`; the iteration's scope closes. NULL in *out where there is no memory. */
static bool carries_step(carries *c, tl_scope iteration, tl_tensor *out) {
  for (size_t i = 0; i < c->count; i++) {
    tl_tensor kept = tl_scope_keep(iteration, c->next[i]);
    if (!kept) {
      *out = NULL;
      return false;
    }
    if (c->are_ours) {
      tl__scope_drop(c->scope, c->now[i]);
    }
    c->now[i] = kept;
  }
  c->are_ours = true;
  tl_scope_close(iteration);
  return true;
}

/* Hands the carries, or the failure, to the scope around. */
static void carries_end(carries *c, bool failed, tl_tensor failure, size_t out_count, tl_tensor *out) {
  for (size_t i = 0; i < c->count && !failed; i++) {
    out[i] = tl_scope_keep(c->scope, c->now[i]);
  }
  failure = failed ? tl_retain(failure) : NULL;
  tl_scope_close(c->scope); /* and those of iterations that failed */
  if (failed) {
    set_all(out_count, out, failure ? tl__scope_add(failure) : NULL);
  }
  tl__free(c->now);
}

static void run_loop(tl_fn *cond, tl_fn *body, void *ctx, size_t count, const tl_tensor *init, tl_tensor *out) {
  carries c;
  tl_tensor failure = NULL;
  if (!carries_init(&c, count, init)) {
    set_all(count, out, NULL);
    return;
  }
  bool ok = !any_failed("loop", count, init, &failure), going = true;
  while (ok && going) {
    tl_scope iteration = tl_scope_open();
    tl_tensor condition = NULL;
    ok = iteration;
    if (ok) {
      cond(ctx, c.now, &condition);
      ok = read_condition("loop", condition, &going, &failure);
    }
    if (ok && going) {
      set_all(count, c.next, NULL);
      body(ctx, c.now, c.next);
      ok = !any_failed("loop", count, c.next, &failure) && goes_on("loop", count, c.now, c.next, &failure) &&
           carries_step(&c, iteration, &failure);
    } else if (ok) {
      tl_scope_close(iteration);
    }
  }
  carries_end(&c, !ok, failure, count, out);
}

/* The outputs of all iterations, one behind the other. */
typedef struct stack {
  tl_tensor whole;
  unsigned char *data;
  size_t bytes; /* of one */
} stack;

static bool stack_init(stack *s, tl_tensor one, int64_t trips, tl_scope iteration) {
  tl_shape shape = tl_shape_of(one);
  if (shape.rank == TL_MAX_RANK) {
    s->whole = tl__tensor_failed(TL_TENSOR_SHAPE_MISMATCH, "scan: an output has as many axes as a tensor can have");
    return false;
  }
  memmove(shape.dim + 1, shape.dim, (size_t)shape.rank * sizeof *shape.dim);
  shape.dim[0] = trips;
  shape.rank++;
  void *data = NULL;
  s->whole = tl_scope_keep(iteration, tl__tensor_blank(tl_dtype_of(one), shape, &data));
  s->data = data;
  s->bytes = tl_dtype_size(tl_dtype_of(one));
  for (int i = 1; i < shape.rank; i++) {
    s->bytes *= (size_t)shape.dim[i];
  }
  return tl_status_of(s->whole) == TL_OK;
}

/* How often a scan runs: the first extent of each input. */
static bool find_trips(size_t count, const tl_tensor *in, int64_t *out_trips, tl_tensor *out_failed) {
  *out_failed = NULL;
  if (!count) {
    *out_failed = tl__tensor_failed(TL_TENSOR_SHAPE_MISMATCH, "scan: there is no input, which says how often");
    return false;
  }
  for (size_t i = 0; i < count; i++) {
    tl_shape shape = tl_shape_of(in[i]);
    if (!shape.rank || (i && shape.dim[0] != *out_trips)) {
      *out_failed = refuse(TL_TENSOR_SHAPE_MISMATCH, "scan", "an extent in front is missing, or another, in input", i);
      return false;
    }
    *out_trips = shape.dim[0];
  }
  return true;
}

static tl_shape without_first(tl_shape shape) {
  memmove(shape.dim, shape.dim + 1, (size_t)--shape.rank * sizeof *shape.dim);
  return shape;
}

/* The arguments of an iteration: the carries, then element k of each input; of an input without elements a zero. */
static void set_arguments(const carries *c, size_t in_count, const tl_tensor *in, int64_t k, tl_tensor *arguments) {
  memcpy(arguments, c->now, c->count * sizeof *arguments);
  for (size_t i = 0; i < in_count; i++) {
    tl_shape shape = without_first(tl_shape_of(in[i]));
    arguments[c->count + i] = k < tl_shape_of(in[i]).dim[0] ? tl_reshape(tl__tensor_slice(in[i], 0, k, 1), shape)
                                                            : tl_fill(tl_dtype_of(in[i]), shape, 0);
  }
}

typedef struct scan {
  tl_fn *body;
  void *ctx;
  size_t carry_count, in_count, out_count;
  const tl_tensor *init, *in;
} scan;

static bool scan_iteration(const scan *s, carries *c, int64_t k, int64_t trips, tl_tensor *arguments,
                           tl_tensor *results, stack *stacks, tl_tensor *failure) {
  tl_scope iteration = tl_scope_open();
  *failure = NULL;
  if (!iteration) {
    return false;
  }
  set_arguments(c, s->in_count, s->in, k, arguments);
  set_all(s->carry_count + s->out_count, results, NULL);
  s->body(s->ctx, arguments, results);
  if (any_failed("scan", s->carry_count + s->in_count, arguments, failure) ||
      any_failed("scan", s->carry_count + s->out_count, results, failure) ||
      !goes_on("scan", s->carry_count, c->now, results, failure)) {
    return false;
  }
  for (size_t i = 0; i < s->out_count; i++) {
    tl_tensor one = results[s->carry_count + i], front;
    if (k == 0) {
      if (!stack_init(&stacks[i], one, trips, iteration)) {
        *failure = stacks[i].whole;
        return false;
      }
    } else {
      front = tl_reshape(tl__tensor_slice(stacks[i].whole, 0, 0, 1), without_first(tl_shape_of(stacks[i].whole)));
      if (any_failed("scan", 1, &front, failure) || !goes_on("scan", 1, &front, &one, failure)) {
        return false;
      }
    }
    if (trips && tl_read(one, stacks[i].data + (size_t)k * stacks[i].bytes, stacks[i].bytes) != TL_OK) {
      *failure = tl__tracer_refused("scan");
      return false;
    }
  }
  memcpy(c->next, trips ? results : c->now, s->carry_count * sizeof *results);
  return carries_step(c, iteration, failure);
}

/* With no iterations at all, one is run on zeros for the outputs' shapes. */
static void run_scan(const scan *s, tl_tensor *out) {
  size_t all = s->carry_count + s->out_count;
  int64_t trips = 0;
  carries c;
  tl_tensor failure;
  tl_tensor *arguments = tl__alloc_try((2 * s->carry_count + s->in_count + s->out_count + 1) * sizeof *arguments);
  stack *stacks = tl__alloc_try((s->out_count + 1) * sizeof *stacks);
  if (!arguments || !stacks || !carries_init(&c, s->carry_count, s->init)) {
    tl__free(arguments);
    tl__free(stacks);
    set_all(all, out, NULL);
    return;
  }
  tl_tensor *results = arguments + s->carry_count + s->in_count;
  bool ok = !any_failed("scan", s->carry_count, s->init, &failure) &&
            !any_failed("scan", s->in_count, s->in, &failure) && find_trips(s->in_count, s->in, &trips, &failure);
  for (int64_t k = 0; ok && (k < trips || (k == 0 && s->out_count)); k++) {
    ok = scan_iteration(s, &c, k, trips, arguments, results, stacks, &failure);
  }
  for (size_t i = 0; ok && i < s->out_count; i++) {
    out[s->carry_count + i] = tl_scope_keep(c.scope, stacks[i].whole);
  }
  carries_end(&c, !ok, failure, all, out);
  tl__free(arguments);
  tl__free(stacks);
}

static void run_branch(tl_fn *fn, void *ctx, const tl_tensor *in, size_t out_count, tl_tensor *out) {
  tl_tensor failure;
  set_all(out_count, out, NULL);
  fn(ctx, in, out);
  if (any_failed("cond", out_count, out, &failure)) {
    fail_all(out_count, out, failure);
  }
}

/* ---- captured ---- */

/* A region that is being recorded, and what it takes to leave it. */
typedef struct recording {
  tl_capture_state *c;
  const char *op;
  tl_region *around;
  uint32_t around_count; /* of ops: what is recorded in vain is taken back */
  tl_op *made;
  size_t count;
  const tl_tensor *tensors;
  tl_value *values;
  tl_tensor *tracers;
  tl_tensor condition;
  int64_t trips;
} recording;

static recording recording_start(tl_capture_state *c, const char *op) {
  return (recording){.c = c, .op = op, .around = c->b.region, .around_count = c->b.region->ops.count};
}

static void take_back(recording *r) {
  r->c->b.region = r->around;
  r->around->ops.count = r->around_count;
}

static void take_values(void *ctx) {
  recording *r = ctx;
  r->values = TL_NEW_ARRAY(&r->c->scratch, tl_value, r->count + 1);
  for (size_t i = 0; i < r->count; i++) {
    r->values[i] = tl__capture_value(r->c, r->tensors[i]);
  }
}

static bool all_usable(const recording *r, size_t count, const tl_tensor *x, tl_tensor *failure) {
  for (size_t i = 0; i < count; i++) {
    if (!tl__capture_can_use(r->c, r->op, x[i], failure)) {
      return false;
    }
  }
  return true;
}

static void yield_tensors(void *ctx) {
  recording *r = ctx;
  for (size_t i = 0; i < r->count; i++) {
    tl_value v = tl__capture_value(r->c, r->tensors[i]);
    TL_PUSH(r->c->b.func->arena, r->c->b.region->yields, v);
  }
}

static void yield_condition(void *ctx) {
  recording *r = ctx;
  tl_value v = tl_build_item(&r->c->b, tl__capture_value(r->c, r->condition));
  TL_PUSH(r->c->b.func->arena, r->c->b.region->yields, v);
}

static void trace_params(void *ctx) {
  recording *r = ctx;
  for (size_t i = 0; i < r->count; i++) {
    r->tracers[i] = tl__capture_tracer(r->c, r->c->b.region->params.data[1 + i]);
  }
}

/* Runs fn on tracers in the region; its outputs are usable there, or *failure says what is not. */
static bool record_call(recording *r, tl_fn *fn, void *ctx, const tl_tensor *in, size_t out_count, tl_tensor *out,
                        tl_tensor *failure) {
  set_all(out_count, out, NULL);
  fn(ctx, in, out);
  return all_usable(r, out_count, out, failure);
}

static void build_while(void *ctx) {
  recording *r = ctx;
  tl_builder *b = &r->c->b;
  take_values(r);
  r->made = tl_build_loop(b, tl_build_int(b, TL_I64, 0), TL_NO_VALUE, 1, "k", (uint32_t)r->count, r->values);
}

static void build_loop_results(void *ctx) {
  recording *r = ctx;
  tl_build_loop_results(&r->c->b, r->made);
  for (size_t i = 0; i < r->count; i++) {
    r->tracers[i] = tl__capture_tracer(r->c, tl_op_result(r->made, (uint32_t)i));
  }
}

static tl_tensor *new_tensors(size_t count) { return tl__alloc_try((count + 1) * sizeof(tl_tensor)); }

static bool record_loop_in(recording *r, tl_fn *cond, tl_fn *body, void *ctx, const tl_tensor *init, tl_tensor *now,
                           tl_tensor *next, tl_tensor *failure) {
  tl_capture_state *c = r->c;
  *failure = NULL;
  if (!all_usable(r, r->count, init, failure)) {
    return false;
  }
  r->tensors = init;
  r->tracers = now;
  if (!tl__capture_guard(c, build_while, r)) {
    return false;
  }
  c->b.region = tl_loop_cond(r->made);
  if (!tl__capture_guard(c, trace_params, r) || !record_call(r, cond, ctx, now, 1, &r->condition, failure) ||
      !is_condition(r->op, r->condition, failure) || !tl__capture_guard(c, yield_condition, r)) {
    return false;
  }
  c->b.region = tl_loop_body(r->made);
  r->tensors = next;
  return tl__capture_guard(c, trace_params, r) && record_call(r, body, ctx, now, r->count, next, failure) &&
         goes_on(r->op, r->count, init, next, failure) && tl__capture_guard(c, yield_tensors, r);
}

/* The region's tracers are released; a failure goes on. */
static void end_recording(recording *r, tl_scope scope, bool ok, tl_tensor failure, size_t out_count, tl_tensor *out) {
  if (!ok) {
    take_back(r);
  }
  failure = !ok && failure ? tl_retain(failure) : NULL;
  tl_scope_close(scope);
  if (!ok) {
    set_all(out_count, out, failure ? tl__scope_add(failure) : NULL);
  }
}

static void record_loop(tl_capture_state *c, tl_fn *cond, tl_fn *body, void *ctx, size_t count, const tl_tensor *init,
                        tl_tensor *out) {
  recording r = recording_start(c, "loop");
  r.count = count;
  tl_scope scope = tl_scope_open();
  tl_tensor *now = scope ? new_tensors(2 * count) : NULL, failure = NULL;
  bool ok = now && record_loop_in(&r, cond, body, ctx, init, now, now + count, &failure);
  end_recording(&r, scope, ok, failure, count, out);
  tl__free(now);
  if (ok) {
    c->b.region = r.around;
    r.tracers = out;
    if (!tl__capture_guard(c, build_loop_results, &r)) {
      set_all(count, out, NULL);
    }
  }
}

/* ---- a captured scan: a counted loop that gathers its inputs, and scatters its outputs into tensors that it carries.
 * ---- */

typedef struct scan_recording {
  recording r;
  const scan *s;
  tl_tensor *arguments, *results;
  tl_tensor_type *outs; /* of the outputs, with the trips in front; NULL while they are not known */
} scan_recording;

/* Minus zero, as a sum with it is the other number, that bit for bit; truth values are carried as bytes. */
static tl_value empty_output(tl_builder *b, const tl_tensor_type *t) {
  tl_dtype dtype = t->dtype == TL_BOOL ? TL_U8 : t->dtype;
  tl_value zero = tl_dtype_is_float(dtype) ? tl_build_float(b, dtype, -0.0L, NULL) : tl_build_int(b, dtype, 0);
  return tl_build_broadcast(b, zero, (tl_type){.dtype = dtype, .is_tensor = true, .rank = t->rank, .extents = t->dim});
}

static void build_scan(void *ctx) {
  scan_recording *w = ctx;
  recording *r = &w->r;
  tl_builder *b = &r->c->b;
  const scan *s = w->s;
  size_t outs = w->outs ? s->out_count : 0;
  tl_value *inits = TL_NEW_ARRAY(&r->c->scratch, tl_value, s->carry_count + outs + 1);
  tl_extent trips;
  tl__capture_extent(r->c, r->trips, &trips);
  tl_value hi = trips.value ? tl_build_cvt(b, TL_I64, trips.value) : tl_build_int(b, TL_I64, trips.fixed);
  for (size_t i = 0; i < s->carry_count; i++) {
    inits[i] = tl__capture_value(r->c, s->init[i]);
  }
  for (size_t i = 0; i < outs; i++) {
    inits[s->carry_count + i] = empty_output(b, &w->outs[i]);
  }
  r->values = TL_NEW_ARRAY(&r->c->scratch, tl_value, s->in_count + 1);
  for (size_t i = 0; i < s->in_count; i++) {
    r->values[i] = tl__capture_value(r->c, s->in[i]);
  }
  r->made = tl_build_loop(b, tl_build_int(b, TL_I64, 0), hi, 1, "k", (uint32_t)(s->carry_count + outs), inits);
  b->region = tl_loop_body(r->made);
  tl_value k = b->region->params.data[0];
  tl_value at = tl_build_broadcast(b, k, (tl_type){.dtype = TL_I64, .is_tensor = true});
  for (size_t i = 0; i < s->carry_count; i++) {
    w->arguments[i] = tl__capture_tracer(r->c, b->region->params.data[1 + i]);
  }
  for (size_t i = 0; i < s->in_count; i++) {
    tl_value x = tl_build_tensor(b, TL_OP_gather, (tl_value[]){r->values[i], at},
                                 (tl_attr[]){{.integer = 0}, {.integer = TL_INDEX_CLIP}, {.integer = 0}});
    w->arguments[s->carry_count + i] = tl__capture_tracer(r->c, x);
  }
}

static void yield_scan(void *ctx) {
  scan_recording *w = ctx;
  recording *r = &w->r;
  tl_builder *b = &r->c->b;
  tl_region *region = b->region;
  const scan *s = w->s;
  for (size_t i = 0; i < s->carry_count; i++) {
    tl_value v = tl__capture_value(r->c, w->results[i]);
    TL_PUSH(b->func->arena, region->yields, v);
  }
  tl_value at = tl_build_broadcast(b, region->params.data[0], (tl_type){.dtype = TL_I64, .is_tensor = true});
  for (size_t i = 0; w->outs && i < s->out_count; i++) {
    tl_value one = tl__capture_value(r->c, w->results[s->carry_count + i]);
    one = w->outs[i].dtype == TL_BOOL ? tl_build_cvt(b, TL_U8, one) : one;
    tl_value whole = region->params.data[1 + s->carry_count + i];
    tl_value v = tl_build_tensor(b, TL_OP_scatter_add, (tl_value[]){whole, at, one},
                                 (tl_attr[]){{.integer = 0}, {.integer = TL_INDEX_CLIP}, {.integer = 0}});
    TL_PUSH(b->func->arena, region->yields, v);
  }
}

static void build_scan_results(void *ctx) {
  scan_recording *w = ctx;
  recording *r = &w->r;
  tl_builder *b = &r->c->b;
  tl_build_loop_results(b, r->made);
  for (size_t i = 0; i < w->s->carry_count + w->s->out_count; i++) {
    tl_value v = tl_op_result(r->made, (uint32_t)i);
    bool is_bool = i >= w->s->carry_count && w->outs[i - w->s->carry_count].dtype == TL_BOOL;
    r->tracers[i] = tl__capture_tracer(r->c, is_bool ? tl_build_cvt(b, TL_BOOL, v) : v);
  }
}

/* The outputs' types; an extent that only the body knows cannot be one of a tensor that it carries. */
static bool find_outs(scan_recording *w, tl_tensor_type *outs, tl_tensor *failure) {
  const scan *s = w->s;
  recording *r = &w->r;
  for (size_t i = 0; i < s->out_count; i++) {
    tl_tensor x = w->results[s->carry_count + i];
    tl_shape shape = tl_shape_of(x);
    tl_tensor_type *t = &outs[i];
    *t = (tl_tensor_type){.dtype = tl_dtype_of(x), .rank = shape.rank + 1};
    bool ok = shape.rank < TL_MAX_RANK && tl__capture_extent(r->c, r->trips, &t->dim[0]);
    for (int k = 0; ok && k < shape.rank; k++) {
      ok = tl__capture_extent(r->c, shape.dim[k], &t->dim[1 + k]);
      const tl_region *home = ok && t->dim[1 + k].value ? tl_info(r->c->b.func, t->dim[1 + k].value)->region : NULL;
      for (; ok && home; home = home->parent ? home->parent->parent : NULL) {
        ok = home != tl_loop_body(r->made);
      }
    }
    if (!ok) {
      *failure = refuse(TL_TENSOR_SHAPE_MISMATCH, "scan", "no tensor has one for each iteration of output", i);
      return false;
    }
  }
  return true;
}

static bool record_scan_body(scan_recording *w, const scan *s, tl_tensor *failure) {
  recording *r = &w->r;
  return tl__capture_guard(r->c, build_scan, w) && all_usable(r, s->carry_count + s->in_count, w->arguments, failure) &&
         record_call(r, s->body, s->ctx, w->arguments, s->carry_count + s->out_count, w->results, failure) &&
         goes_on("scan", s->carry_count, s->init, w->results, failure);
}

static bool record_scan_in(scan_recording *w, tl_tensor_type *outs, tl_tensor *failure) {
  const scan *s = w->s;
  recording *r = &w->r;
  *failure = NULL;
  if (!all_usable(r, s->carry_count, s->init, failure) || !all_usable(r, s->in_count, s->in, failure) ||
      !find_trips(s->in_count, s->in, &r->trips, failure)) {
    return false;
  }
  if (s->out_count) { /* once in vain, for the outputs' types */
    if (!record_scan_body(w, s, failure) || !find_outs(w, outs, failure)) {
      return false;
    }
    take_back(r);
    w->outs = outs;
  }
  return record_scan_body(w, s, failure) && tl__capture_guard(r->c, yield_scan, w);
}

static void record_scan(tl_capture_state *c, const scan *s, tl_tensor *out) {
  size_t all = s->carry_count + s->out_count;
  scan_recording w = {.r = recording_start(c, "scan"), .s = s};
  tl_scope scope = tl_scope_open();
  w.arguments = scope ? new_tensors(s->carry_count + s->in_count + all) : NULL;
  tl_tensor_type *outs = w.arguments ? tl__alloc_try((s->out_count + 1) * sizeof *outs) : NULL;
  w.results = w.arguments ? w.arguments + s->carry_count + s->in_count : NULL;
  tl_tensor failure = NULL;
  bool ok = outs && record_scan_in(&w, outs, &failure);
  end_recording(&w.r, scope, ok, failure, all, out);
  if (ok) {
    c->b.region = w.r.around;
    w.r.tracers = out;
    if (!tl__capture_guard(c, build_scan_results, &w)) {
      set_all(all, out, NULL);
    }
  }
  tl__free(w.arguments);
  tl__free(outs);
}

static void build_if(void *ctx) {
  recording *r = ctx;
  tl_value condition = tl_build_item(&r->c->b, tl__capture_value(r->c, r->condition));
  r->made = tl_build_if(&r->c->b, condition);
}

static void build_if_results(void *ctx) {
  recording *r = ctx;
  tl_build_if_results(&r->c->b, r->made);
  for (size_t i = 0; i < r->count; i++) {
    r->tracers[i] = tl__capture_tracer(r->c, tl_op_result(r->made, (uint32_t)i));
  }
}

static bool record_cond_in(recording *r, tl_fn *const fns[2], void *ctx, const tl_tensor *in, tl_tensor *results,
                           tl_tensor *failure) {
  *failure = NULL;
  if (!all_usable(r, 1, &r->condition, failure) || !is_condition(r->op, r->condition, failure) ||
      !tl__capture_guard(r->c, build_if, r)) {
    return false;
  }
  for (int k = 0; k < 2; k++) {
    tl_tensor *own = results + (k ? r->count : 0);
    r->c->b.region = r->made->regions[k];
    r->tensors = own;
    if (!record_call(r, fns[k], ctx, in, r->count, own, failure) || !tl__capture_guard(r->c, yield_tensors, r)) {
      return false;
    }
  }
  for (size_t i = 0; i < r->count; i++) {
    tl_tensor x = results[i], y = results[r->count + i];
    if (tl_dtype_of(x) != tl_dtype_of(y)) {
      *failure = refuse(TL_DTYPE_MISMATCH, r->op, "the branches give two dtypes for output", i);
      return false;
    }
    if (tl_shape_of(x).rank != tl_shape_of(y).rank) {
      *failure = refuse(TL_TENSOR_SHAPE_MISMATCH, r->op, "the branches give two ranks for output", i);
      return false;
    }
  }
  return true;
}

static void record_cond(tl_capture_state *c, tl_tensor condition, tl_fn *const fns[2], void *ctx, const tl_tensor *in,
                        size_t out_count, tl_tensor *out) {
  recording r = recording_start(c, "cond");
  r.count = out_count;
  r.condition = condition;
  tl_scope scope = tl_scope_open();
  tl_tensor *results = scope ? new_tensors(2 * out_count) : NULL, failure = NULL;
  bool ok = results && record_cond_in(&r, fns, ctx, in, results, &failure);
  end_recording(&r, scope, ok, failure, out_count, out);
  tl__free(results);
  if (ok) {
    c->b.region = r.around;
    r.tracers = out;
    if (!tl__capture_guard(c, build_if_results, &r)) {
      set_all(out_count, out, NULL);
    }
  }
}

/* ---- both ---- */

void tl_loop(tl_fn *cond, tl_fn *body, void *ctx, size_t count, const tl_tensor init[], tl_tensor out[]) {
  tl_capture_state *c = tl__capture_current();
  if (c) {
    record_loop(c, cond, body, ctx, count, init, out);
  } else {
    run_loop(cond, body, ctx, count, init, out);
  }
}

void tl_scan(tl_fn *body, void *ctx, size_t carry_count, const tl_tensor init[], size_t in_count, const tl_tensor in[],
             size_t out_count, tl_tensor out[]) {
  scan s = {body, ctx, carry_count, in_count, out_count, init, in};
  tl_capture_state *c = tl__capture_current();
  if (c) {
    record_scan(c, &s, out);
  } else {
    run_scan(&s, out);
  }
}

void tl_cond(tl_tensor condition, tl_fn *then, tl_fn *otherwise, void *ctx, size_t in_count, const tl_tensor in[],
             size_t out_count, tl_tensor out[]) {
  tl_capture_state *c = tl__capture_current();
  tl_tensor failure;
  bool is_true;
  if (any_failed("cond", 1, &condition, &failure) || any_failed("cond", in_count, in, &failure)) {
    fail_all(out_count, out, failure);
  } else if (c && tl__tracer_value(condition)) {
    record_cond(c, condition, (tl_fn *const[]){then, otherwise}, ctx, in, out_count, out);
  } else if (read_condition("cond", condition, &is_true, &failure)) {
    run_branch(is_true ? then : otherwise, ctx, in, out_count, out);
  } else {
    fail_all(out_count, out, failure);
  }
}
