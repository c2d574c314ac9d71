/* Intrinsics: the arguments checked, the transform run, the signature put on. Jacobians and Hessians are in matrix.c.
 */
#include "transform/derive.h"

#include <string.h>

#include "transform/copy.h"
#include "transform/derive_priv.h"
#include "transform/rewrite.h"
#include "transform/storage.h"
#include "transform/transform.h"

static bool is_float_leaf(const tl_func *f, uint32_t leaf) {
  return tl_dtype_is_float(tl_type_of(f, f->params.data[leaf].value).dtype);
}

bool tl__returns_float(const tl_func *f) {
  return f->results.count && f->results.data[0].role == TL_RESULT_RETURN && !strcmp(f->results.data[0].access, "$") &&
         tl_dtype_is_float(tl_type_of(f, f->body->yields.data[0]).dtype) &&
         tl_type_of(f, f->body->yields.data[0]).rank == 0;
}

bool tl__is_float_result(const tl_func *f, uint32_t result) {
  return tl_dtype_is_float(tl_type_of(f, f->body->yields.data[result]).dtype);
}

bool *tl__float_results(const tl_func *f, tl_arena *arena) {
  bool *floats = TL_NEW_ARRAY(arena, bool, f->results.count);
  for (uint32_t i = 0; i < f->results.count; i++) {
    floats[i] = tl__is_float_result(f, i);
  }
  return floats;
}

tl_seed *tl__float_seeds(const tl_func *f, tl_arena *arena) {
  tl_seed *seeds = TL_NEW_ARRAY(arena, tl_seed, f->results.count);
  for (uint32_t i = 0; i < f->results.count; i++) {
    seeds[i] = tl__is_float_result(f, i) ? TL_SEED_PARAM : TL_SEED_NONE;
  }
  return seeds;
}

/* ---- arguments ---- */

bool tl__may_be_wrt(const tl_cparam *c) { return c->differentiable && c->role != TL_ROLE_OUTPUT; }

static bool is_wrt(const tl_derive_ctx *d, uint32_t cparam) {
  for (uint32_t i = 0; i < d->wrt.count; i++) {
    if (d->wrt.data[i] == cparam) {
      return true;
    }
  }
  return false;
}

static bool is_left_alone(const tl_derive_ctx *d, uint32_t leaf) { return d->untouched && d->untouched[leaf]; }

/* Is the leaf of what is differentiated by? What f leaves alone has no cotangent, but as a part of a seed that is
 * passed on; in tangents and matrices it has its place. */
static bool has_derivative(const tl_derive_ctx *d, uint32_t leaf) {
  if (!is_float_leaf(d->f, leaf) || !is_left_alone(d, leaf) || d->f->rule_of) {
    return is_float_leaf(d->f, leaf);
  }
  switch (d->spec->intrinsic) {
  case TL_INTRINSIC_GRAD:
  case TL_INTRINSIC_VALUE_AND_GRAD:
  case TL_INTRINSIC_CHECK_VJP:
    return false;
  case TL_INTRINSIC_VJP:
    return d->f->cparams.data[d->f->params.data[leaf].cparam].role == TL_ROLE_INOUT;
  case TL_INTRINSIC_JVP:
  case TL_INTRINSIC_VALUE_AND_JVP:
  case TL_INTRINSIC_JACOBIAN:
  case TL_INTRINSIC_JACOBIAN_REVERSE:
  case TL_INTRINSIC_HESSIAN:
  case TL_INTRINSIC_VMAP:
  case TL_INTRINSIC_COUNT:
    break;
  }
  return true;
}

static void add_wrt(tl_derive_ctx *d, uint32_t cparam) {
  if (is_wrt(d, cparam)) {
    return;
  }
  TL_PUSH(d->arena, d->wrt, cparam);
  for (uint32_t i = 0; i < d->f->params.count; i++) {
    if (d->f->params.data[i].cparam == cparam && has_derivative(d, i)) {
      d->wrt_leaf[i] = true;
    }
  }
}

void tl__add_all_wrt(tl_derive_ctx *d) {
  for (uint32_t i = 0; i < d->f->cparams.count; i++) {
    if (tl__may_be_wrt(&d->f->cparams.data[i])) {
      add_wrt(d, i);
    }
  }
}

static bool find_wrt(tl_derive_ctx *d, const tl_derivation *spec) {
  tl_func *f = d->f;
  tl_diag *diag = f->module->diag;
  for (uint32_t k = 0; k < spec->wrt_count; k++) {
    uint32_t at = 0;
    while (at < f->cparams.count && strcmp(f->cparams.data[at].name, spec->wrt[k]) != 0) {
      at++;
    }
    if (at == f->cparams.count) {
      tl_diag_error(diag, TL_NO_SUCH_PARAMETER, spec->loc, "'%s' has no parameter '%s'", f->name, spec->wrt[k]);
      return false;
    }
    const tl_cparam *c = &f->cparams.data[at];
    if (!tl__may_be_wrt(c)) {
      tl_diag_error(diag, TL_NOT_DIFFERENTIABLE, spec->loc, "parameter '%s' of '%s' %s", c->name, f->name,
                    c->role == TL_ROLE_OUTPUT ? "is an output: it is written before it is read"
                                              : "holds nothing floating");
      tl_diag_note(diag, c->loc, "declared here");
      return false;
    }
    if (is_wrt(d, at)) {
      tl_diag_error(diag, TL_NOT_DIFFERENTIABLE, spec->loc, "'%s' is named twice: '%s' has one derivative by it",
                    c->name, f->name);
      tl_diag_note(diag, c->loc, "declared here");
      return false;
    }
    add_wrt(d, at);
  }
  if (!spec->wrt_count) {
    tl__add_all_wrt(d);
  }
  if (!d->wrt.count) {
    tl_diag_error(diag, TL_NOT_DIFFERENTIABLE, spec->loc, "'%s' has no differentiable parameter", f->name);
  }
  return d->wrt.count > 0;
}

/* The first access to a parameter's memory. */
typedef struct tl_first_access {
  const tl_func *f;
  tl_value memory;
  const tl_op *found;
} tl_first_access;

static void note_access(void *ctx, tl_op *o) {
  tl_first_access *a = ctx;
  bool accesses = o->code == TL_OP_index || o->code == TL_OP_update;
  if (!a->found && accesses && tl__storage_root(a->f, o->operands[0]) == a->memory) {
    a->found = o;
  }
}

const char *tl__spell_access(tl_arena *arena, const char *access, const char *name) {
  const char *out = "";
  for (; *access; access++) {
    out = *access == '$'   ? tl_arena_printf(arena, "%s%s", out, name)
          : *access == '#' ? tl_arena_printf(arena, "%si", out)
                           : tl_arena_printf(arena, "%s%c", out, *access);
  }
  return out;
}

void tl__refuse_extent(const tl_derive_ctx *d, uint32_t leaf, uint32_t axis) {
  tl_diag *diag = d->f->module->diag;
  const tl_param *p = &d->f->params.data[leaf];
  const tl_cparam *c = &d->f->cparams.data[p->cparam];
  const tl_member *m = p->member;
  while (m && m->axis > axis) {
    m = m->outer;
  }
  if (!m) {
    tl_diag_error(diag, TL_EXTENT_UNKNOWN, c->loc,
                  "the number of elements behind '%s' is not known; declare it as an array or add TL_LEN(expr)",
                  c->name);
    return;
  }
  const char *name = tl__spell_access(d->arena, m->access, c->name);
  if (m->axis < axis) {
    tl_diag_error(diag, TL_EXTENT_UNKNOWN, m->loc,
                  "the number of elements of the rows behind '%s' is not known; pass them as a parameter of their own",
                  name);
  } else if (m->in_system_header) {
    tl_first_access a = {.f = d->f, .memory = p->value};
    tl__region_each_op(d->f->body, note_access, &a);
    tl_diag_error(diag, TL_EXTENT_UNKNOWN, a.found ? a.found->loc : c->loc,
                  "the number of elements behind '%s' is not known, and the member is a system header's; pass what it "
                  "points to as a parameter of its own",
                  name);
  } else if (m->fix) {
    tl_diag_error(diag, TL_EXTENT_UNKNOWN, m->loc,
                  "the number of elements behind '%s' is not known; declare the member as '%s', if so many", name,
                  m->fix);
  } else {
    tl_diag_error(diag, TL_EXTENT_UNKNOWN, m->loc,
                  "the number of elements behind '%s' is not known; add TL_LEN(expr), over the members beside it",
                  name);
  }
}

/* Memory that the derivative has to copy or clear needs its number of elements. */
static bool check_extents(tl_derive_ctx *d) {
  tl_func *f = d->f;
  bool *checked = TL_NEW_ARRAY(d->arena, bool, f->params.count);
  for (uint32_t i = 0; i < f->results.count; i++) {
    if (f->results.data[i].role == TL_RESULT_FINAL) {
      checked[f->results.data[i].param] = true;
    }
  }
  for (uint32_t i = 0; i < f->params.count; i++) {
    tl_type type = tl_type_of(f, f->params.data[i].value);
    bool needed = type.is_array && (d->wrt_leaf[i] || (checked[i] && !is_left_alone(d, i)));
    for (int k = 0; k < type.rank; k++) {
      if (needed && !type.extents[k].value && type.extents[k].fixed < 0) {
        tl__refuse_extent(d, i, (uint32_t)k);
        tl_diag_note(f->module->diag, d->spec->loc, "needed by this derivative");
        return false;
      }
    }
  }
  return true;
}

/* A result that is the content at entry: of a member that f leaves alone. */
static bool is_untouched(const tl_func *f, uint32_t result) {
  const tl_result *r = &f->results.data[result];
  return r->role == TL_RESULT_FINAL && f->body->yields.data[result] == f->params.data[r->param].value;
}

/* An in-out is one as a whole: f, or a copy of it in which the leaves of in-outs that f only reads are results too. */
static tl_func *with_whole_inouts(tl_derive_ctx *d, tl_func *f) {
  TL_VEC(uint32_t) missing = {0};
  for (uint32_t i = 0; i < f->params.count; i++) {
    const tl_param *p = &f->params.data[i];
    bool inout = p->is_memory && f->cparams.data[p->cparam].role == TL_ROLE_INOUT;
    if (inout && is_float_leaf(f, i) && tl_func_final(f, i) == TL_NO_RESULT) {
      TL_PUSH(d->arena, missing, i);
    }
  }
  if (!missing.count) {
    return f;
  }
  tl_func *copy = tl__func_copy(f, f->name);
  f->module->funcs.count--;
  for (uint32_t i = 0; i < missing.count; i++) {
    TL_PUSH(copy->arena, copy->results, (tl_result){.role = TL_RESULT_FINAL, .param = missing.data[i]});
    TL_PUSH(copy->arena, copy->body->yields, copy->params.data[missing.data[i]].value);
  }
  return copy;
}

/* ---- shared pieces of signatures ---- */

void tl__sign_primal_results(tl_derive_ctx *d, tl_signer *s, bool value) {
  for (uint32_t i = 0; i < d->f->results.count; i++) {
    const tl_result *r = &d->f->results.data[i];
    if (r->role == TL_RESULT_RETURN && value) {
      tl__signer_return(s, r->access, TL_PROMISE_PRIMAL, i);
    } else if (r->role == TL_RESULT_FINAL && !is_untouched(d->f, i)) {
      tl__signer_final(s, s->h->params.data[r->param].value, TL_PROMISE_PRIMAL, i);
    }
  }
}

/* Is the cotangent of this leaf added to what its storage holds? Only that of memory that f reads: an in-out is one as
 * a whole, and what f is given by value has no storage. */
static bool adds_leaf(const tl_derive_ctx *d, uint32_t leaf) {
  const tl_param *p = &d->f->params.data[leaf];
  return d->spec->adds && d->f->cparams.data[p->cparam].role == TL_ROLE_INPUT && p->is_memory &&
         is_float_leaf(d->f, leaf);
}

static bool adds_to(const tl_derive_ctx *d, uint32_t cparam) {
  bool adds = false;
  for (uint32_t i = 0; i < d->f->params.count; i++) {
    adds |= d->f->params.data[i].cparam == cparam && adds_leaf(d, i);
  }
  return adds;
}

/* The cotangents of parameter `like` as a result: "x_bar". */
static void sign_bar(tl_derive_ctx *d, tl_signer *s, uint32_t like, const tl_reversed *r) {
  tl_func *f = d->f;
  bool by_value = f->cparams.data[like].by_value;
  uint32_t cparam = tl__signer_add_like(s, like, "_bar", adds_to(d, like) ? TL_ROLE_INOUT : TL_ROLE_OUTPUT, true);
  const char *name = s->h->cparams.data[cparam].name;
  for (uint32_t i = 0; i < f->params.count; i++) {
    if (f->params.data[i].cparam != like || !has_derivative(d, i)) {
      continue;
    }
    const char *access = by_value ? tl__signer_by_pointer(s, f->params.data[i].access) : f->params.data[i].access;
    if (r->bar_params[i]) {
      s->h->values.data[r->bar_params[i]].name = name;
      tl__signer_add_leaf(s, r->bar_params[i], cparam, access, true, TL_ORIGIN_BAR, i);
      tl__signer_final(s, r->bar_params[i], TL_PROMISE_DERIVED, i);
    } else {
      tl__signer_cell(s, cparam, access, tl_type_of(f, f->params.data[i].value), TL_PROMISE_DERIVED, i);
      tl__signer_lies_like(s, &f->params.data[i]);
    }
  }
  if (!adds_to(d, like)) { /* else whoever made the object has put them there */
    tl__signer_copy_inactive(s, like, cparam, d->untouched, false);
  }
}

static void signer_start(tl_derive_ctx *d, tl_func *h) {
  d->signer.f = d->f;
  d->signer.h = h;
  d->signer.arena = d->arena;
}

static bool is_single_scalar(const tl_derive_ctx *d) {
  const tl_cparam *c = &d->f->cparams.data[d->wrt.data[0]];
  return d->wrt.count == 1 && c->by_value && !c->is_struct;
}

/* ---- tl_grad, tl_value_and_grad, tl_vjp ---- */

static void sign_grad(void *ctx, const tl_reversed *r) {
  tl_derive_ctx *d = ctx;
  tl_func *f = d->f;
  bool with_value = d->spec->intrinsic == TL_INTRINSIC_VALUE_AND_GRAD;
  signer_start(d, r->func);
  tl_signer *s = &d->signer;
  r->func->return_declarator = with_value ? f->return_declarator : "void";
  tl__sign_primal_results(d, s, with_value);
  if (is_single_scalar(d) && !with_value) {
    const tl_cparam *c = &f->cparams.data[d->wrt.data[0]];
    r->func->return_declarator = tl__declarator_type(r->func->arena, c->bare);
    for (uint32_t i = 0; i < f->params.count; i++) {
      if (d->wrt_leaf[i]) {
        tl__signer_return(s, "$", TL_PROMISE_DERIVED, i);
      }
    }
  } else {
    for (uint32_t i = 0; i < d->wrt.count; i++) {
      sign_bar(d, s, d->wrt.data[i], r);
    }
  }
  tl__signer_finish(s);
}

static tl_func *run_reverse(tl_derive_ctx *d, const tl_seed *seeds, const bool *keep,
                            void (*sign)(void *, const tl_reversed *)) {
  bool *adds = TL_NEW_ARRAY(d->arena, bool, d->f->params.count);
  for (uint32_t i = 0; i < d->f->params.count; i++) {
    adds[i] = adds_leaf(d, i);
  }
  tl_reverse_spec spec = {
      .name = d->spec->name, .wrt = d->wrt_leaf, .seeds = seeds, .keep = keep, .sign = sign, .ctx = d, .adds = adds};
  tl_reversed r;
  if (!tl__reverse_run(d->f, &spec, d->arena, &r)) {
    return NULL;
  }
  tl__signer_yield(&d->signer, &r.b, r.results, r.bars);
  return r.func;
}

typedef struct way_back {
  const tl_module *module;
  bool needs_memory; /* reverse mode would keep values of loops, or run calls again */
  bool is_given;     /* a call has a rule of its own for that mode */
} way_back;

static void note_way_back(void *ctx, tl_op *op) {
  way_back *way = ctx;
  const tl_func *callee = op->code == TL_OP_call ? tl_module_find(way->module, op->callee) : NULL;
  way->needs_memory |= op->code == TL_OP_loop || op->code == TL_OP_call;
  way->is_given |= callee && callee->custom_vjp;
}

static tl_value first_wrt_leaf(const tl_derive_ctx *d) {
  uint32_t i = 0;
  while (!d->wrt_leaf[i]) {
    i++;
  }
  return d->f->params.data[i].value;
}

bool tl__gradient_goes_forward(const tl_derive_ctx *d) {
  way_back way = {.module = d->f->module};
  tl__region_each_op(d->f->body, note_way_back, &way);
  return is_single_scalar(d) && way.needs_memory && !way.is_given && tl_is_scalar(tl_type_of(d->f, first_wrt_leaf(d)));
}

static void sign_forward_grad(void *ctx, const tl_forwarded *r) {
  tl_derive_ctx *d = ctx;
  tl_value *bars = TL_NEW_ARRAY(d->arena, tl_value, d->f->params.count);
  sign_grad(d, &(tl_reversed){.func = r->func, .bar_params = bars});
}

/* By one number forward mode gives the same and keeps nothing. */
static tl_func *derive_grad_forward(tl_derive_ctx *d) {
  tl_func *f = d->f;
  bool *want = TL_NEW_ARRAY(d->arena, bool, f->results.count);
  want[0] = true;
  tl_forward_spec spec = {
      .name = d->spec->name, .wrt = d->wrt_leaf, .want = want, .sign = sign_forward_grad, .ctx = d, .unit = true};
  tl_forwarded r;
  if (!tl__forward_run(f, &spec, d->arena, &r)) {
    return NULL;
  }
  tl_value *bars = TL_NEW_ARRAY(d->arena, tl_value, f->params.count);
  for (uint32_t i = 0; i < f->params.count; i++) {
    if (d->wrt_leaf[i]) {
      bars[i] = tl_build_cvt(&r.b, tl_type_of(f, f->params.data[i].value).dtype, r.dots[0]);
    }
  }
  tl__signer_yield(&d->signer, &r.b, r.results, bars);
  return r.func;
}

static tl_func *derive_grad(tl_derive_ctx *d) {
  tl_func *f = d->f;
  if (!tl__returns_float(f)) {
    tl_diag_error(f->module->diag, TL_NOT_SCALAR, d->spec->loc,
                  "'%s' does not return a floating scalar; use tl_jacobian or tl_vjp", f->name);
    return NULL;
  }
  if (tl__gradient_goes_forward(d)) {
    return derive_grad_forward(d);
  }
  tl_seed *seeds = TL_NEW_ARRAY(d->arena, tl_seed, f->results.count);
  bool *keep = TL_NEW_ARRAY(d->arena, bool, f->results.count);
  seeds[0] = TL_SEED_ONE;
  for (uint32_t i = 0; i < f->results.count; i++) {
    keep[i] = f->results.data[i].role == TL_RESULT_FINAL || d->spec->intrinsic == TL_INTRINSIC_VALUE_AND_GRAD;
  }
  return run_reverse(d, seeds, keep, sign_grad);
}

/* Seeds: of the returned value, then of outputs and in-outs by declaration; then the cotangents. */
void tl__sign_vjp(void *ctx, const tl_reversed *r) {
  tl_derive_ctx *d = ctx;
  tl_func *f = d->f;
  signer_start(d, r->func);
  r->func->vjp_of = f->name;
  tl_signer *s = &d->signer;
  tl__sign_primal_results(d, s, true);
  uint32_t cparam = UINT32_MAX;
  for (uint32_t i = 0; i < f->results.count; i++) {
    if (f->results.data[i].role == TL_RESULT_RETURN && r->seed_params[i]) {
      if (cparam == UINT32_MAX) {
        cparam = tl__signer_add_for_return(s, "_bar", false);
      }
      bool array = tl_type_of(f, f->body->yields.data[i]).is_array;
      tl__signer_add_leaf(s, r->seed_params[i], cparam, f->results.data[i].access, array, TL_ORIGIN_SEED, i);
    }
  }
  for (uint32_t c = 0; c < f->cparams.count; c++) {
    cparam = UINT32_MAX;
    bool wrt = is_wrt(d, c);
    for (uint32_t i = 0; i < f->results.count; i++) {
      const tl_result *result = &f->results.data[i];
      if (result->role != TL_RESULT_FINAL || f->params.data[result->param].cparam != c || !r->seed_params[i]) {
        continue;
      }
      if (cparam == UINT32_MAX) {
        cparam = tl__signer_add_like(s, c, "_bar", wrt ? TL_ROLE_INOUT : TL_ROLE_INPUT, false);
      }
      s->h->values.data[r->seed_params[i]].name = s->h->cparams.data[cparam].name;
      tl__signer_add_leaf(s, r->seed_params[i], cparam, f->params.data[result->param].access, true, TL_ORIGIN_SEED, i);
      if (wrt) {
        tl__signer_final(s, r->seed_params[i], TL_PROMISE_DERIVED, result->param);
      }
    }
  }
  for (uint32_t i = 0; i < d->wrt.count; i++) {
    if (f->cparams.data[d->wrt.data[i]].role != TL_ROLE_INOUT) {
      sign_bar(d, s, d->wrt.data[i], r);
    }
  }
  tl__signer_finish(s);
}

static tl_func *derive_vjp(tl_derive_ctx *d) {
  tl_func *f = d->f;
  bool *keep = TL_NEW_ARRAY(d->arena, bool, f->results.count);
  for (uint32_t i = 0; i < f->results.count; i++) {
    keep[i] = true;
  }
  return run_reverse(d, tl__float_seeds(f, d->arena), keep, tl__sign_vjp);
}

/* ---- tl_jvp, tl_value_and_jvp ---- */

/* Is the result's tangent one too? Not that of what f leaves alone, unless it comes in and is passed on. */
static bool has_tangent(const tl_derive_ctx *d, uint32_t result) {
  const tl_result *r = &d->f->results.data[result];
  return tl__is_float_result(d->f, result) &&
         (r->role != TL_RESULT_FINAL || d->wrt_leaf[r->param] || !is_left_alone(d, r->param));
}

void tl__sign_jvp(void *ctx, const tl_forwarded *r) {
  tl_derive_ctx *d = ctx;
  tl_func *f = d->f;
  bool with_value = d->spec->intrinsic == TL_INTRINSIC_VALUE_AND_JVP, returns_dot = false;
  signer_start(d, r->func);
  tl_signer *s = &d->signer;
  for (uint32_t i = 0; i < f->results.count; i++) {
    returns_dot |= f->results.data[i].role == TL_RESULT_RETURN && tl__is_float_result(f, i);
  }
  r->func->return_declarator = with_value || returns_dot ? f->return_declarator : "void";
  tl__sign_primal_results(d, s, with_value);
  for (uint32_t i = 0; i < d->wrt.count; i++) {
    uint32_t c = d->wrt.data[i];
    bool inout = f->cparams.data[c].role == TL_ROLE_INOUT;
    uint32_t cparam = tl__signer_add_like(s, c, "_dot", inout ? TL_ROLE_INOUT : TL_ROLE_INPUT, false);
    for (uint32_t k = 0; k < f->params.count; k++) {
      if (f->params.data[k].cparam == c && d->wrt_leaf[k]) {
        s->h->values.data[r->dot_params[k]].name = s->h->cparams.data[cparam].name;
        tl__signer_add_leaf(s, r->dot_params[k], cparam, f->params.data[k].access, f->params.data[k].is_memory,
                            TL_ORIGIN_DOT, k);
      }
    }
  }
  uint32_t cparam = UINT32_MAX;
  for (uint32_t i = 0; i < f->results.count && returns_dot; i++) {
    const tl_result *result = &f->results.data[i];
    if (result->role != TL_RESULT_RETURN) {
      continue;
    }
    /* Inactive members are copied. */
    tl_promise_kind kind = tl__is_float_result(f, i) ? TL_PROMISE_DERIVED : TL_PROMISE_PRIMAL;
    if (!with_value) {
      tl__signer_return(s, result->access, kind, i);
      continue;
    }
    if (cparam == UINT32_MAX) {
      cparam = tl__signer_add_for_return(s, "_dot", true);
    }
    tl_type type = tl_type_of(f, f->body->yields.data[i]);
    const char *access = tl__signer_by_pointer(s, result->access);
    tl__signer_cell(s, cparam, access, type, kind, i); /* a member's extents are fixed */
  }
  for (uint32_t c = 0; c < f->cparams.count; c++) {
    cparam = UINT32_MAX;
    for (uint32_t i = 0; i < f->results.count; i++) {
      const tl_result *result = &f->results.data[i];
      if (result->role != TL_RESULT_FINAL || f->params.data[result->param].cparam != c || !tl__is_float_result(f, i)) {
        continue;
      }
      tl_value param = r->dot_params[result->param];
      if (!has_tangent(d, i)) {
        continue;
      }
      if (!d->wrt_leaf[result->param]) {
        if (cparam == UINT32_MAX) {
          cparam = tl__signer_add_like(s, c, "_dot", TL_ROLE_OUTPUT, true);
          tl__signer_copy_inactive(s, c, cparam, d->untouched, true);
        }
        s->h->values.data[param].name = s->h->cparams.data[cparam].name;
        tl__signer_add_leaf(s, param, cparam, f->params.data[result->param].access, true, TL_ORIGIN_DOT, result->param);
      }
      tl__signer_final(s, param, TL_PROMISE_DERIVED, i);
    }
  }
  tl__signer_finish(s);
}

static tl_func *derive_jvp(tl_derive_ctx *d) {
  bool *want = TL_NEW_ARRAY(d->arena, bool, d->f->results.count);
  for (uint32_t i = 0; i < d->f->results.count; i++) {
    want[i] = has_tangent(d, i);
  }
  tl_forward_spec spec = {.name = d->spec->name, .wrt = d->wrt_leaf, .want = want, .sign = tl__sign_jvp, .ctx = d};
  tl_forwarded r;
  if (!tl__forward_run(d->f, &spec, d->arena, &r)) {
    return NULL;
  }
  tl__signer_yield(&d->signer, &r.b, r.results, r.dots);
  return r.func;
}

static bool *untouched_leaves(tl_derive_ctx *d, tl_func *f) {
  if (f->custom_vjp || f->custom_jvp) { /* a rule may do with it what it likes */
    return NULL;
  }
  bool *untouched = tl__find_untouched(f, d->arena);
  for (uint32_t i = 0; i < f->params.count && f->is_primal; i++) {
    untouched[i] = f->params.data[i].is_untouched;
  }
  return untouched;
}

/* What is written of a result must not be const. */
static bool check_const(const tl_derive_ctx *d, const tl_func *made) {
  for (uint32_t i = 0; i < made->results.count; i++) {
    const tl_param *p =
        made->results.data[i].role == TL_RESULT_FINAL ? &made->params.data[made->results.data[i].param] : NULL;
    if (p && p->is_const && p->origin != TL_ORIGIN_PRIMAL) {
      int length;
      const char *member = tl__access_member(p->access, &length);
      tl_diag_error(d->f->module->diag, TL_UNSUPPORTED_CONSTRUCT, d->spec->loc,
                    "'%s' has the member '%.*s', which is const: it could not be written",
                    made->cparams.data[p->cparam].name, length, member);
      return false;
    }
  }
  return true;
}

/* ---- dispatch ---- */

tl_func *tl_derive(tl_module *m, tl_func *f, const tl_derivation *spec) {
  tl_func *made = tl_module_find(m, spec->name);
  if (made) {
    return made;
  }
  if (f->is_declared && !f->custom_vjp && !f->custom_jvp) {
    tl_diag_error(m->diag, TL_NO_DEFINITION, spec->loc,
                  "the derivative of the custom rule '%s' is needed here, and its body is not visible in this unit",
                  f->name);
    tl_diag_note(m->diag, f->loc, "it is only declared here; to be called, that would be enough");
    return NULL;
  }
  if (f->lost_rule && spec->intrinsic != TL_INTRINSIC_VMAP) {
    tl_diag_error(m->diag, TL_VMAP_NO_BATCHING_RULE, spec->loc,
                  "'%s' runs '%s' for a batch of tensors, whose custom rule this derivative would not use: batch the "
                  "derivative instead",
                  f->name, f->lost_rule);
    return NULL;
  }
  tl_arena scratch;
  tl_arena_init(&scratch);
  tl_derive_ctx d = {.arena = &scratch, .spec = spec};
  if (f->is_primal && !f->is_tidy) {
    tl__note_untouched(f, &scratch);
    tl__tidy_run(f, &scratch);
    f->is_tidy = true;
  }
  d.untouched = untouched_leaves(&d, f);
  bool is_vmap = spec->intrinsic == TL_INTRINSIC_VMAP;
  f = tl__derive_through_rules(m, f);
  d.f = f = is_vmap ? f : with_whole_inouts(&d, f);
  d.wrt_leaf = TL_NEW_ARRAY(&scratch, bool, f->params.count);
  uint32_t before = m->funcs.count;
  if (is_vmap || (find_wrt(&d, spec) && check_extents(&d))) {
    switch (spec->intrinsic) {
    case TL_INTRINSIC_GRAD:
    case TL_INTRINSIC_VALUE_AND_GRAD:
      made = derive_grad(&d);
      break;
    case TL_INTRINSIC_JVP:
    case TL_INTRINSIC_VALUE_AND_JVP:
      made = derive_jvp(&d);
      break;
    case TL_INTRINSIC_VJP:
      made = derive_vjp(&d);
      break;
    case TL_INTRINSIC_JACOBIAN:
      made = tl__is_on_tensors(f) ? tl__derive_tensor_jacobian(&d) : tl__derive_jacobian(&d);
      break;
    case TL_INTRINSIC_JACOBIAN_REVERSE:
      made = tl__is_on_tensors(f) ? tl__derive_tensor_jacobian_reverse(&d) : tl__derive_jacobian_reverse(&d);
      break;
    case TL_INTRINSIC_HESSIAN:
      made = tl__is_on_tensors(f) ? tl__derive_tensor_hessian(&d) : tl__derive_hessian(&d);
      break;
    case TL_INTRINSIC_CHECK_VJP:
      made = tl__derive_check_vjp(&d);
      break;
    case TL_INTRINSIC_VMAP:
      made = tl__has_tensor_params(f) ? tl__derive_tensor_vmap(&d) : tl__derive_vmap(&d);
      break;
    case TL_INTRINSIC_COUNT:
      break;
    }
    if (made && !check_const(&d, made)) {
      made = NULL;
    }
    if (made) {
      tl__pipeline_run(made, &scratch);
      if (tl_func_verify(made) != TL_OK) { /* a fault of ours: nothing invalid is emitted */
        tl_diag_error(m->diag, TL_INTERNAL_ERROR, spec->loc, "'%s' breaks a rule of the IR", spec->name);
        made = NULL;
      }
    }
    if (!made) {
      m->funcs.count = before; /* what was begun for it goes too */
    }
  }
  tl_arena_deinit(&scratch);
  return made;
}
