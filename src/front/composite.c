#include "front/composite.h"

#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "tensor/op.h"

typedef struct recording {
  tl__recorder recorder; /* first: it is what the tensors' side knows */
  const tl_composite_host *host;
  TL_VEC(tl_composite_value) values; /* a tracer's number is one's place, from 1 on */
  TL_VEC(tl_value) extents;          /* the k-th stands in shapes as -2 - k */
  bool out_of_memory;
} recording;

/* ---- between extents and the numbers that stand for them ---- */

static int64_t number_of(recording *r, tl_extent e) {
  if (!e.value) {
    return e.fixed;
  }
  uint32_t k = 0;
  while (k < r->extents.count && r->extents.data[k] != e.value) {
    k++;
  }
  if (k == r->extents.count) {
    TL_PUSH(r->host->arena, r->extents, e.value);
  }
  return -2 - (int64_t)k;
}

static tl_extent extent_of(const recording *r, int64_t number) {
  return number < -1 ? (tl_extent){.value = r->extents.data[-2 - number]} : (tl_extent){.fixed = number};
}

/* ---- between values and the tensors that stand for them ---- */

static tl_tensor stand_in(recording *r, const tl_composite_value *v) {
  int64_t dim[TL_MAX_RANK];
  for (int i = 0; i < v->type.rank; i++) {
    dim[i] = number_of(r, v->type.dim[i]);
  }
  TL_PUSH(r->host->arena, r->values, *v);
  return tl__tracer_create(&r->recorder, r->values.count, &v->type, dim);
}

static bool value_behind(recording *r, tl_tensor x, tl_composite_value *out) {
  if (tl__tracer_value(x)) {
    *out = r->values.data[tl__tracer_value(x) - 1];
    return true;
  }
  out->type = tl__tensor_type(x);
  return r->host->constant(r->host->ctx, x, out);
}

typedef struct op_call {
  tl_opcode code;
  const tl_tensor *operands;
  const tl_attr *attrs;
  tl_dtype given;
  tl_tensor result;
} op_call;

static tl_tensor failed(tl_opcode code, const char *text) {
  return tl__tensor_refuse(TL_UNSUPPORTED_CONSTRUCT, "%s: %s", tl_op_table[code].name, text);
}

static void run_op(recording *r, op_call *c) {
  const tl_op_info *row = &tl_op_table[c->code];
  tl_composite_value operands[TL_CALL_MOST_OPERANDS], out;
  tl_attr attrs[TL_MAX_ATTRS];
  tl_extent dim[TL_MAX_RANK];
  for (int i = 0; i < row->arity; i++) {
    if (!value_behind(r, c->operands[i], &operands[i])) {
      c->result = failed(c->code, "an operand is made of numbers that a program does not hold");
      return;
    }
  }
  for (int i = 0; c->attrs && i < row->attr_count; i++) {
    attrs[i] = c->attrs[i];
    if (row->attrs[i].kind == TL_ATTR_SHAPE) {
      attrs[i].shape.dim = dim;
      for (int k = 0; k < attrs[i].shape.rank && k < TL_MAX_RANK; k++) {
        dim[k] = extent_of(r, c->attrs[i].shape.dim[k].fixed);
      }
    }
  }
  tl_shape_rules rules = {.at = 0};
  tl_status status = r->host->op(r->host->ctx, c->code, operands, attrs, c->given, &rules, &out);
  c->result = status == TL_OK ? stand_in(r, &out) : tl__tensor_failed(status, rules.message);
}

/* Runs what may jump where there is no memory; the library's functions, which hold scopes, are not jumped over. */
static bool guarded(recording *r, void (*work)(recording *, void *), void *ctx) {
  if (r->out_of_memory) {
    return false;
  }
  tl_recovery recovery;
  tl__recovery_enter(&recovery);
  if (setjmp(recovery.jump)) {
    r->out_of_memory = true;
    return false;
  }
  work(r, ctx);
  tl__recovery_leave(&recovery);
  return true;
}

static void run_op_guarded(recording *r, void *ctx) { run_op(r, ctx); }

typedef struct affine {
  int64_t n, times, plus, over;
} affine;

static void build_affine(recording *r, void *ctx) {
  affine *a = ctx;
  a->n = number_of(r, r->host->extent(r->host->ctx, extent_of(r, a->n), a->times, a->plus, a->over));
}

static int64_t affine_extent(tl__recorder *recorder, int64_t n, int64_t times, int64_t plus, int64_t over) {
  affine a = {n, times, plus, over};
  guarded((recording *)recorder, build_affine, &a);
  return a.n;
}

static tl_tensor record(tl__recorder *recorder, tl_opcode code, const tl_tensor *operands, const tl_attr *attrs,
                        tl_dtype given) {
  op_call c = {code, operands, attrs, given, NULL};
  return guarded((recording *)recorder, run_op_guarded, &c) ? c.result : NULL;
}

/* ---- the call ---- */

/* What the calls of composites.def are given. */
typedef struct argument {
  tl_tensor x;
  const tl_tensor *list;
  tl_axes axes;
  int64_t integer;
  double number;
  tl_dtype dtype;
  const char *text;
  tl_ints ints;
} argument;

#define TL_COMPOSITE(name, arguments, call)                                                                            \
  static tl_tensor call_##name(const argument *a) { return call; }
#include "tensor/composites.def"

static tl_tensor (*const calls[])(const argument *) = {
#define TL_COMPOSITE(name, arguments, call) call_##name,
#include "tensor/composites.def"
};

typedef struct whole_call {
  int composite;
  const tl_composite_argument *given;
  argument arguments[TL_CALL_MOST_ARGUMENTS];
  tl_tensor list[TL_CALL_MOST_OPERANDS];
} whole_call;

static void make_arguments(recording *r, void *ctx) {
  whole_call *w = ctx;
  for (int i = 0; tl_composite_table[w->composite].arguments[i]; i++) {
    const tl_composite_argument *from = &w->given[i];
    argument *to = &w->arguments[i];
    *to = (argument){
        .axes = from->axes, .integer = from->integer, .number = from->number, .dtype = from->dtype, .text = from->text};
    switch (tl_composite_table[w->composite].arguments[i]) {
    case 'x':
      to->x = stand_in(r, &from->x);
      break;
    case 'X':
      for (int k = 0; k < from->list_count; k++) {
        w->list[k] = stand_in(r, &from->list[k]);
      }
      to->list = w->list;
      break;
    case 'n':
      to->integer = number_of(r, from->extent);
      break;
    case 'l':
      to->ints.rank = (int)from->integer;
      for (int k = 0; k < to->ints.rank; k++) {
        to->ints.dim[k] = number_of(r, from->dim[k]);
      }
      break;
    }
  }
}

tl_status tl_composite_run(const tl_composite_host *host, int composite, const tl_composite_argument *given,
                           tl_shape_rules *rules, tl_composite_value *out) {
  recording r = {.recorder = {.record = record, .extent = affine_extent}, .host = host};
  whole_call w = {.composite = composite, .given = given};
  tl_scope scope = tl_scope_open();
  tl_status status = TL_OUT_OF_MEMORY;
  if (scope) {
    tl__recorder_enter(&r.recorder);
    tl_tensor result = guarded(&r, make_arguments, &w) ? calls[composite](w.arguments) : NULL;
    tl__recorder_leave(&r.recorder);
    status = r.out_of_memory ? TL_OUT_OF_MEMORY : tl_status_of(result);
    snprintf(rules->message, sizeof rules->message, "%s", tl_message_of(result));
    if (status == TL_OK && !value_behind(&r, result, out)) {
      snprintf(rules->message, sizeof rules->message, "%s: it is made of numbers that a program does not hold",
               tl_composite_table[composite].name);
      status = TL_UNSUPPORTED_CONSTRUCT;
    }
    tl_scope_close(scope);
  }
  if (status == TL_OUT_OF_MEMORY) {
    tl__recovery_raise();
  }
  return status;
}
