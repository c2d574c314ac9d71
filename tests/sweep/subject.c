#include "subject.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag_print.h"
#include "transform/derive.h"

static const struct {
  const char *name;
  double atol, rtol;
} tolerances[] = {
#define SWEEP_TOLERANCE_ROW(name, atol, rtol, reason) [SWEEP_##name] = {#name, atol, rtol},
    SWEEP_TOLERANCE_MAP(SWEEP_TOLERANCE_ROW)};

void sweep_subject_init(sweep_subject *s, const char *name, uint64_t seed) {
  memset(s, 0, sizeof *s);
  tl_arena_init(&s->arena);
  tl_diag_init(&s->diag, &s->arena);
  s->module = tl_module_create(&s->arena, &s->diag);
  s->name = name;
  s->surface = "text";
  s->seed = seed;
}

void sweep_subject_deinit(sweep_subject *s) { tl_arena_deinit(&s->arena); }

bool sweep_fail(sweep_subject *s, const tl_func *f, const char *format, ...) {
  if (s->failed) {
    return false;
  }
  s->failed = true;
  FILE *out = fmemopen(s->message, sizeof s->message - 1, "w");
  va_list args;
  va_start(args, format);
  fprintf(out, "%s, %s: ", s->name, s->surface);
  vfprintf(out, format, args);
  va_end(args);
  fputc('\n', out);
  tl_diag_print(&s->diag, &(tl_diag_print_opts){.program = "sweep"}, out);
  if (f) {
    tl_func_print(f, out);
  }
  fclose(out);
  return false;
}

bool sweep_subject_read(sweep_subject *s, const char *text) {
  if (tl_module_parse(s->module, s->name, text, strlen(text)) != TL_OK || tl_module_verify(s->module) != TL_OK) {
    return sweep_fail(s, NULL, "no valid text:\n%s", text);
  }
  s->f = s->module->funcs.data[s->module->funcs.count - 1];
  return true;
}

/* ---- values ---- */

double sweep_uniform(sweep_subject *s, double low, double high) {
  uint64_t z = s->seed += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return low + (high - low) * (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

int64_t sweep_count(const sweep_value *v) {
  int64_t n = 1;
  for (int i = 0; i < v->shape.rank; i++) {
    n *= v->shape.dim[i];
  }
  return n;
}

sweep_value sweep_value_create(sweep_subject *s, tl_dtype dtype, tl_shape shape) {
  sweep_value v = {.dtype = dtype, .shape = shape};
  v.at = TL_NEW_ARRAY(&s->arena, double, sweep_count(&v) + 1);
  return v;
}

static double draw(sweep_subject *s, sweep_domain d) {
  double x = sweep_uniform(s, d.low, d.high);
  x = d.grid ? d.grid * floor(x / d.grid) : x;
  x += d.offset + d.jitter * sweep_uniform(s, -1, 1);
  return d.both_signs && sweep_uniform(s, 0, 1) < 0.5 ? -x : x;
}

/* Floating elements are such that float holds them. */
sweep_value sweep_value_draw(sweep_subject *s, tl_dtype dtype, tl_shape shape, bool is_scalar, sweep_domain d) {
  sweep_value v = sweep_value_create(s, dtype, shape);
  v.is_scalar = is_scalar;
  for (int64_t i = 0; i < sweep_count(&v); i++) {
    double x = draw(s, d);
    v.at[i] = tl_dtype_is_float(dtype) ? (double)tl_dtype_round(dtype, (float)x) : floor(x);
  }
  return v;
}

sweep_domain sweep_domain_of(const sweep_subject *s, uint32_t param) {
  return param < s->args.count ? s->domains[param] : (sweep_domain){.low = -1, .high = 1};
}

void sweep_value_round(sweep_value *v, tl_dtype dtype) {
  for (int64_t i = 0; i < sweep_count(v); i++) {
    v->at[i] = (double)tl_dtype_round(dtype, v->at[i]);
  }
}

void sweep_values_add(sweep_values *to, sweep_value v) {
  if (to->count < SWEEP_MOST) {
    to->at[to->count++] = v;
  }
}

bool sweep_is_float(const tl_func *f, tl_value v) { return tl_dtype_is_float(tl_type_of(f, v).dtype); }

/* ---- runs ---- */

static tl_interp_value given(const sweep_value *v) {
  if (!v->is_scalar) {
    return tl_interp_tensor(tl_cast(tl_from(TL_F64, v->shape, v->at), v->dtype));
  }
  return tl_dtype_is_float(v->dtype) ? tl_interp_floating(v->dtype, v->at[0])
                                     : tl_interp_integer(v->dtype, (int64_t)v->at[0]);
}

static sweep_value taken(sweep_subject *s, const tl_interp_value *r) {
  if (!r->tensor) {
    sweep_value v = sweep_value_create(s, r->dtype, TL_SCALAR);
    v.is_scalar = true;
    v.at[0] = (double)tl_interp_at(r, 0);
    return v;
  }
  sweep_value v = sweep_value_create(s, r->dtype, tl_shape_of(r->tensor));
  if (tl_read(tl_cast(r->tensor, TL_F64), v.at, (size_t)sweep_count(&v) * sizeof *v.at) != TL_OK) {
    sweep_fail(s, NULL, "a result cannot be read");
  }
  return v;
}

bool sweep_run(sweep_subject *s, const tl_func *f, const sweep_values *args, bool f32, sweep_values *out) {
  if (s->failed || !f) {
    return false;
  }
  if (args->count != f->body->params.count || f->body->yields.count > SWEEP_MOST) {
    return sweep_fail(s, f, "%u arguments for %u parameters", args->count, f->body->params.count);
  }
  tl_scope scope = tl_scope_open();
  tl_interp_value in[SWEEP_MOST], results[SWEEP_MOST];
  for (uint32_t i = 0; i < args->count; i++) {
    in[i] = given(&args->at[i]);
  }
  tl_interp_opts opts = {.diag = &s->diag, .max_steps = 4000000, .f32 = f32};
  bool ran = tl_interp_run(f, args->count, in, &opts, results, NULL) == TL_OK;
  out->count = ran ? f->body->yields.count : 0;
  for (uint32_t i = 0; i < out->count; i++) {
    out->at[i] = taken(s, &results[i]);
    tl_interp_value_deinit(&results[i]);
  }
  tl_scope_close(scope);
  return ran || sweep_fail(s, f, "it does not run");
}

/* ---- derived functions ---- */

__attribute__((weak)) void sweep_made_function(tl_func *f, sweep_made made) { (void)f, (void)made; }

tl_func *sweep_derive(sweep_subject *s, tl_func *f, tl_intrinsic intrinsic, uint32_t wrt_count,
                      const char *const *wrt) {
  if (s->failed || !f) {
    return NULL;
  }
  tl_derivation d = {.intrinsic = intrinsic, .wrt_count = wrt_count, .wrt = wrt};
  d.name = tl_arena_printf(&s->arena, "%s__%s%u", f->name, tl_intrinsic_name(intrinsic), s->derived++);
  tl_func *made = tl_derive(s->module, f, &d);
  if (!made) {
    sweep_fail(s, f, "its %s is not derived", tl_intrinsic_name(intrinsic));
  } else {
    sweep_made_function(made, SWEEP_MADE_DERIVATIVE);
  }
  return made;
}

uint32_t sweep_result_named(const tl_func *f, const char *name) {
  for (uint32_t i = 0; i < f->results.count; i++) {
    const tl_result *r = &f->results.data[i];
    if (r->role == TL_RESULT_FINAL && !strcmp(f->cparams.data[f->params.data[r->param].cparam].name, name)) {
      return i;
    }
  }
  return TL_NO_RESULT;
}

tl_value sweep_add_param(tl_func *h, const char *name, tl_type type) {
  tl_value v = tl_region_add_param(h, h->body, type, name);
  const char *declarator =
      type.is_tensor ? "tl_tensor @" : tl_arena_printf(h->arena, "%s @", tl_dtype_name(type.dtype));
  tl_cparam c = {.name = name, .declarator = declarator, .bare = declarator, .by_value = true};
  c.differentiable = tl_dtype_is_float(type.dtype);
  TL_PUSH(h->arena, h->params, (tl_param){.value = v, .cparam = h->cparams.count, .access = "$"});
  TL_PUSH(h->arena, h->cparams, c);
  return v;
}

void sweep_add_return(tl_func *h, tl_value v) {
  TL_PUSH(h->arena, h->body->yields, v);
  TL_PUSH(h->arena, h->results, (tl_result){.role = TL_RESULT_RETURN});
}

bool sweep_close_function(sweep_subject *s, tl_func *h) {
  for (uint32_t i = 0; i < h->results.count; i++) {
    h->results.data[i].access = h->results.count > 1 ? tl_arena_printf(h->arena, "$.r%u", i) : "$";
  }
  h->return_declarator = h->results.count > 1 ? "struct results" : "tl_tensor";
  return tl_func_verify(h) == TL_OK || sweep_fail(s, h, "what was built is not valid");
}

/* The operands that stand for g's parameters in h: parameters of h, or storage. */
static void make_operands(tl_builder *b, const tl_func *g, tl_value *operands) {
  tl_func *h = b->func;
  for (uint32_t i = 0; i < g->body->params.count; i++) {
    const tl_value_info *p = tl_info(g, g->body->params.data[i]);
    if (!p->type.is_array) {
      tl_type type = tl_type_abroad(h, p->type);
      const tl_param *leaf = &g->params.data[i]; /* of a struct of seeds each is one */
      const char *name = g->cparams.data[leaf->cparam].name;
      name = strcmp(leaf->access, "$") ? tl_arena_printf(h->arena, "%s_%u", name, i) : name;
      operands[i] = sweep_add_param(h, name, type);
    }
  }
  for (uint32_t i = 0; i < g->body->params.count; i++) {
    tl_type type = tl_type_of(g, g->body->params.data[i]);
    if (type.is_array) {
      type.element = type.element ? tl__type_copy(h, tl_type_abroad(h, *type.element)) : NULL;
      operands[i] = tl_build_alloc_like(b, type, 0, NULL);
    }
  }
}

tl_func *sweep_flat(sweep_subject *s, tl_func *g, const bool *chosen, bool calls) {
  if (s->failed || !g) {
    return NULL;
  }
  tl_func *h = tl_func_create(s->module, tl_arena_printf(&s->arena, "%s__flat%u", g->name, s->derived++));
  tl_builder b = {.func = h, .region = h->body};
  tl_value *operands = TL_NEW_ARRAY(h->arena, tl_value, g->body->params.count + 1);
  tl_value *map = TL_NEW_ARRAY(h->arena, tl_value, g->values.count);
  make_operands(&b, g, operands);
  tl_op *call = NULL;
  if (calls) {
    call = tl_op_create(&b, TL_OP_call, g->body->params.count, operands);
    call->callee = g->name;
    for (uint32_t i = 0; i < g->body->yields.count; i++) {
      tl_type type = tl_type_of(g, g->body->yields.data[i]);
      bool is_final = g->results.data[i].role == TL_RESULT_FINAL;
      tl_op_add_result(h, call, is_final ? tl_type_of(h, operands[g->results.data[i].param]) : tl_type_abroad(h, type),
                       NULL);
    }
  } else {
    for (uint32_t i = 0; i < g->body->params.count; i++) {
      map[g->body->params.data[i]] = operands[i];
    }
    tl_clone_ops_from(&b, g, g->body, map);
  }
  for (uint32_t i = 0; i < g->body->yields.count; i++) {
    if (!chosen || chosen[i]) {
      tl_value v = calls ? tl_op_result(call, i) : map[g->body->yields.data[i]];
      v = tl_type_of(h, v).is_array ? tl_build_index(&b, v, 0, NULL) : v;
      sweep_add_return(h, v);
    }
  }
  return sweep_close_function(s, h) ? h : NULL;
}

/* ---- comparison ---- */

static const char *shape_text(sweep_subject *s, tl_shape shape) {
  const char *text = "";
  for (int i = 0; i < shape.rank; i++) {
    text = tl_arena_printf(&s->arena, "%s%s%lld", text, i ? ", " : "", (long long)shape.dim[i]);
  }
  return text;
}

bool sweep_compare(sweep_subject *s, const tl_func *f, sweep_tolerance tolerance, const char *what,
                   const sweep_value *got, const sweep_value *want, double scale) {
  if (s->failed) {
    return false;
  }
  if (got->shape.rank != want->shape.rank ||
      memcmp(got->shape.dim, want->shape.dim, (size_t)want->shape.rank * sizeof *want->shape.dim) != 0) {
    return sweep_fail(s, f, "%s has shape (%s), not (%s)", what, shape_text(s, got->shape), shape_text(s, want->shape));
  }
  double atol = tolerances[tolerance].atol, rtol = tolerances[tolerance].rtol, off = 0;
  int64_t n = sweep_count(want), worst = -1;
  for (int64_t i = 0; i < n; i++) {
    scale = isfinite(want->at[i]) ? fmax(scale, fabs(want->at[i])) : scale;
  }
  for (int64_t i = 0; i < n; i++) {
    double x = got->at[i], y = want->at[i], d = isnan(x) && isnan(y) ? 0 : x == y ? 0 : fabs(x - y);
    if (!(d <= off)) {
      off = d;
      worst = i;
    }
    if (isnan(d)) {
      break;
    }
  }
  s->comparisons += (unsigned)n;
  if (off <= atol + rtol * scale) {
    return true;
  }
  return sweep_fail(s, f, "%s: element %lld is %.17g, not %.17g; atol %.3g or rtol %.3g would have passed (%s)", what,
                    (long long)worst, got->at[worst], want->at[worst], off, off / scale, tolerances[tolerance].name);
}

bool sweep_compare_numbers(sweep_subject *s, const tl_func *f, sweep_tolerance tolerance, const char *what, double got,
                           double want, double scale) {
  sweep_value x = {.at = &got}, y = {.at = &want};
  return sweep_compare(s, f, tolerance, what, &x, &y, scale);
}
