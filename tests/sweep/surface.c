#include "surface.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "transform/tensor_batch.h"

const char *const sweep_surface_names[SURFACE_COUNT] = {
#define SWEEP_SURFACE_NAME(id, name, doc) [SURFACE_##id] = #name,
    SWEEP_SURFACE_MAP(SWEEP_SURFACE_NAME)};

const sweep_depth sweep_depth_of_ops = {.value = SWEEP_F32,
                                        .derivative = SWEEP_F32_DERIVATIVE,
                                        .differences = SWEEP_DIFFERENCES,
                                        .batch = SWEEP_REORDERED,
                                        .batch_derived = SWEEP_REORDERED_DERIVATIVE};
const sweep_depth sweep_depth_of_graphs = {.directions = true,
                                           .few_batches = true,
                                           .value = SWEEP_F32_OF_GRAPHS,
                                           .derivative = SWEEP_F32_OF_GRAPHS,
                                           .differences = SWEEP_DIFFERENCES_OF_GRAPHS,
                                           .batch = SWEEP_REORDERED_IN_GRAPHS,
                                           .batch_derived = SWEEP_REORDERED_IN_GRAPHS};

static bool is_float_param(const tl_func *f, uint32_t i) { return sweep_is_float(f, f->body->params.data[i]); }
static bool is_float_result(const tl_func *f, uint32_t i) { return sweep_is_float(f, f->body->yields.data[i]); }

static bool is_differentiable(const tl_func *f) {
  bool in = false, out = false;
  for (uint32_t i = 0; i < f->body->params.count; i++) {
    in |= is_float_param(f, i);
  }
  for (uint32_t i = 0; i < f->body->yields.count; i++) {
    out |= is_float_result(f, i);
  }
  return in && out;
}

/* The module's functions, up to `last` where that is one. */
static char *text_of(sweep_subject *s, const tl_module *m, const tl_func *last) {
  char *text = NULL;
  size_t length = 0;
  FILE *out = open_memstream(&text, &length);
  for (uint32_t i = 0; i < m->funcs.count; i++) {
    tl_func_print(m->funcs.data[i], out);
    if (m->funcs.data[i] == last) {
      break;
    }
  }
  fclose(out);
  char *copy = tl_arena_strndup(&s->arena, text, length);
  free(text);
  return copy;
}

/* s's text, which `change` may rewrite, as a subject of its own on the same arguments. */
static bool begin_other(sweep_subject *t, sweep_subject *s, const char *text) {
  sweep_subject_init(t, s->name, s->seed);
  t->surface = s->surface;
  return sweep_subject_read(t, text);
}

/* The failure of one is the other's; so are the comparisons. */
static bool end_other(sweep_subject *t, sweep_subject *s) {
  bool ok = !t->failed;
  if (!ok && !s->failed) {
    s->failed = true;
    memcpy(s->message, t->message, sizeof s->message);
  }
  s->comparisons += t->comparisons;
  s->unsettled += t->unsettled;
  sweep_subject_deinit(t);
  return ok;
}

static bool compare_all(sweep_subject *s, const tl_func *f, sweep_tolerance tolerance, const char *what,
                        const sweep_values *got, const sweep_values *want, double scale) {
  bool ok = got->count == want->count || sweep_fail(s, f, "%s: %u results, not %u", what, got->count, want->count);
  for (uint32_t i = 0; ok && i < want->count; i++) {
    ok = sweep_compare(s, f, tolerance, what, &got->at[i], &want->at[i], scale);
  }
  return ok;
}

/* ---- text ---- */

static bool check_text(sweep_subject *s, const sweep_depth *depth) {
  (void)depth;
  sweep_values here, there;
  if (is_differentiable(s->f)) { /* derived functions are text too */
    sweep_derive(s, s->f, TL_INTRINSIC_VJP, 0, NULL);
  }
  const char *text = text_of(s, s->module, NULL), *name = s->f->name;
  sweep_subject t;
  bool ok = begin_other(&t, s, text);
  const char *again = ok ? text_of(&t, t.module, NULL) : NULL;
  if (ok && strcmp(text, again) != 0) {
    ok = sweep_fail(&t, NULL, "no fixpoint:\n%s\nprints as\n%s", text, again);
  }
  ok = ok && sweep_run(s, s->f, &s->args, false, &here);
  ok = ok && sweep_run(&t, tl_module_find(t.module, name), &s->args, false, &there) &&
       compare_all(&t, t.f, SWEEP_EXACT, "what was parsed again", &there, &here, 0);
  return end_other(&t, s) && ok;
}

/* ---- derivatives ---- */

/* A function with all that its derivatives are given and give. */
typedef struct derived {
  tl_func *f;
  sweep_values args, seeds, tangents; /* seeds of the floating results, tangents of the floating parameters */
  tl_func *vjp;
  sweep_values value, bars; /* bars of the floating parameters, in order */
} derived;

static sweep_values joined(const sweep_values *a, const sweep_values *b) {
  sweep_values out = *a;
  for (uint32_t i = 0; i < b->count; i++) {
    sweep_values_add(&out, b->at[i]);
  }
  return out;
}

static sweep_value draw_like(sweep_subject *s, const sweep_value *v) {
  return sweep_value_draw(s, v->dtype, v->shape, v->is_scalar, (sweep_domain){.low = -1, .high = 1});
}

/* Which results of the vjp are cotangents. */
static bool *bars_of(sweep_subject *s, const tl_func *f, const tl_func *vjp) {
  bool *chosen = TL_NEW_ARRAY(&s->arena, bool, vjp->results.count + 1);
  for (uint32_t i = 0; i < f->params.count; i++) {
    if (is_float_param(f, i)) {
      const char *bar = tl_arena_printf(&s->arena, "%s_bar", f->cparams.data[f->params.data[i].cparam].name);
      uint32_t at = sweep_result_named(vjp, bar);
      if (at == TL_NO_RESULT) {
        sweep_fail(s, vjp, "there is no result '%s'", bar);
        return NULL;
      }
      chosen[at] = true;
    }
  }
  return chosen;
}

static bool run_reverse(sweep_subject *s, derived *d, bool f32) {
  sweep_values args = joined(&d->args, &d->seeds), out;
  const bool *is_bar = d->vjp ? bars_of(s, d->f, d->vjp) : NULL;
  if (!is_bar || !sweep_run(s, sweep_flat(s, d->vjp, NULL, false), &args, f32, &out)) {
    return false;
  }
  d->value.count = d->bars.count = 0;
  for (uint32_t i = 0; i < out.count; i++) {
    sweep_values_add(is_bar[i] ? &d->bars : &d->value, out.at[i]);
  }
  return true;
}

static bool derived_init(derived *d, sweep_subject *s, tl_func *f, const sweep_values *args) {
  sweep_values y;
  *d = (derived){.f = f, .args = *args};
  if (!sweep_run(s, f, args, false, &y)) {
    return false;
  }
  for (uint32_t i = 0; i < y.count; i++) {
    if (is_float_result(f, i)) {
      sweep_values_add(&d->seeds, draw_like(s, &y.at[i]));
    }
  }
  for (uint32_t i = 0; i < args->count; i++) {
    if (is_float_param(f, i)) {
      sweep_values_add(&d->tangents, draw_like(s, &args->at[i]));
    }
  }
  d->vjp = sweep_derive(s, f, TL_INTRINSIC_VJP, 0, NULL);
  return run_reverse(s, d, false) &&
         compare_all(s, d->vjp, SWEEP_REORDERED, "the value that the vjp returns", &d->value, &y, 0);
}

static double dot(const sweep_value *x, const sweep_value *y, double *size) {
  double sum = 0;
  for (int64_t i = 0; i < sweep_count(x); i++) {
    sum += x->at[i] * y->at[i];
    *size += fabs(x->at[i] * y->at[i]);
  }
  return sum;
}

/* <Jv, w> by forward mode, by the parameters that `wrt` says (NULL: all), against <v, J'w>. */
static bool check_dot(sweep_subject *s, const derived *d, uint32_t only, double *out_along) {
  const tl_func *f = d->f;
  sweep_values args = d->args, out;
  double forward = 0, reverse = 0, size = 0;
  const char *name = NULL;
  for (uint32_t i = 0, k = 0; i < f->params.count; i++) {
    if (is_float_param(f, i)) {
      if (only == UINT32_MAX || only == k) {
        sweep_values_add(&args, d->tangents.at[k]);
        reverse += dot(&d->tangents.at[k], &d->bars.at[k], &size);
        name = f->cparams.data[f->params.data[i].cparam].name;
      }
      k++;
    }
  }
  tl_func *jvp = sweep_derive(s, d->f, TL_INTRINSIC_JVP, only != UINT32_MAX, &name);
  if (!jvp || !sweep_run(s, sweep_flat(s, jvp, NULL, false), &args, false, &out)) {
    return false;
  }
  for (uint32_t i = 0, k = 0; i < out.count; i++) {
    if (is_float_result(f, i)) {
      forward += dot(&out.at[i], &d->seeds.at[k++], &size);
    }
  }
  *out_along = forward;
  return sweep_compare_numbers(s, jvp, SWEEP_DOT, "<Jv, w> against <v, J'w>", forward, reverse, size);
}

static bool check_forward(sweep_subject *s, const sweep_depth *depth) {
  (void)depth;
  derived d;
  double along;
  if (!is_differentiable(s->f)) {
    return true;
  }
  bool ok = derived_init(&d, s, s->f, &s->args) && check_dot(s, &d, UINT32_MAX, &along);
  for (uint32_t k = 0; ok && d.tangents.count > 1 && k < d.tangents.count; k++) {
    ok = check_dot(s, &d, k, &along);
  }
  return ok;
}

/* <w, f(args)> for the seeds w. */
static bool number_of(sweep_subject *s, const derived *d, const sweep_values *args, double *out, double *size) {
  sweep_values y;
  if (!sweep_run(s, d->f, args, false, &y)) {
    return false;
  }
  *out = *size = 0;
  for (uint32_t i = 0, k = 0; i < y.count; i++) {
    if (is_float_result(d->f, i)) {
      *out += dot(&y.at[i], &d->seeds.at[k++], size);
    }
  }
  return true;
}

/* The fourth-order difference of the number along the tangents, or along element `k` of argument `of`. */
static bool difference(sweep_subject *s, const derived *d, double h, uint32_t of, int64_t k, double *out,
                       double *size) {
  static const double at[] = {-2, -1, 1, 2}, weights[] = {1, -8, 8, -1};
  *out = 0;
  for (int q = 0; q < 4; q++) {
    sweep_values args = d->args;
    for (uint32_t i = 0, t = 0; i < args.count; i++) {
      sweep_value *x = &args.at[i];
      if (!is_float_param(d->f, i)) {
        continue;
      }
      const sweep_value *tangent = &d->tangents.at[t++];
      if (of == UINT32_MAX || of == i) {
        sweep_value moved = sweep_value_create(s, x->dtype, x->shape);
        moved.is_scalar = x->is_scalar;
        for (int64_t e = 0; e < sweep_count(x); e++) {
          double way = of == UINT32_MAX ? tangent->at[e] : e == k;
          moved.at[e] = x->at[e] + at[q] * h * way;
        }
        *x = moved;
      }
    }
    double y;
    if (!number_of(s, d, &args, &y, size)) {
      return false;
    }
    *out += weights[q] * y / (12 * h);
  }
  return true;
}

/* Whether something is computed in float, whose steps differences see. */
static bool has_float(const tl_func *f) {
  for (tl_value v = 1; v < f->values.count; v++) {
    if (tl_type_of(f, v).dtype == TL_F32) {
      return true;
    }
  }
  return false;
}

static double step_of(const tl_func *f) { return has_float(f) ? 0x1p-4 : 1e-3; }

static sweep_tolerance tolerance_of(const tl_func *f, const sweep_depth *depth) {
  return has_float(f) ? SWEEP_DIFFERENCES_IN_FLOAT : depth->differences;
}

/* Along the tangents: with two steps, which do not agree at a kink. */
static bool check_along(sweep_subject *s, const derived *d, const sweep_depth *depth, double along) {
  double with_h, with_half, size, h = step_of(d->f), most = has_float(d->f) ? 1e-4 : 1e-8;
  if (!difference(s, d, h, UINT32_MAX, 0, &with_h, &size) ||
      !difference(s, d, h / 2, UINT32_MAX, 0, &with_half, &size)) {
    return false;
  }
  if (!(fabs(with_h - with_half) <= most * (size + fabs(with_h)))) {
    s->unsettled++;
    return true;
  }
  return sweep_compare_numbers(s, d->vjp, tolerance_of(d->f, depth), "a difference along the tangents", along,
                               with_half, size);
}

static bool check_elements(sweep_subject *s, const derived *d, const sweep_depth *depth) {
  bool ok = true;
  for (uint32_t i = 0, t = 0; ok && i < d->args.count; i++) {
    if (!is_float_param(d->f, i)) {
      continue;
    }
    const sweep_value *bar = &d->bars.at[t++];
    sweep_value want = sweep_value_create(s, TL_F64, d->args.at[i].shape);
    double size = 0;
    for (int64_t k = 0; ok && k < sweep_count(&want); k++) {
      ok = difference(s, d, step_of(d->f), i, k, &want.at[k], &size);
    }
    const char *what = tl_arena_printf(&s->arena, "the cotangent of parameter %u", i);
    ok = ok && sweep_compare(s, d->vjp, tolerance_of(d->f, depth), what, bar, &want, size);
  }
  return ok;
}

static bool check_reverse(sweep_subject *s, const sweep_depth *depth) {
  derived d;
  double along;
  if (!is_differentiable(s->f)) {
    return true;
  }
  if (!derived_init(&d, s, s->f, &s->args)) {
    return false;
  }
  return depth->directions ? check_dot(s, &d, UINT32_MAX, &along) && check_along(s, &d, depth, along)
                           : check_elements(s, &d, depth);
}

/* Both modes of f, in one direction. */
static bool check_first_order(sweep_subject *s, tl_func *f, const sweep_values *args, const sweep_depth *depth) {
  derived d;
  double along;
  return !f || !is_differentiable(f)
             ? !s->failed
             : derived_init(&d, s, f, args) && check_dot(s, &d, UINT32_MAX, &along) && check_along(s, &d, depth, along);
}

/* The cotangents as functions of the arguments and seeds: by the vjp's ops, and by a call of it. */
static bool check_second(sweep_subject *s, const sweep_depth *depth) {
  derived d;
  if (!is_differentiable(s->f)) {
    return true;
  }
  if (!derived_init(&d, s, s->f, &s->args)) {
    return false;
  }
  sweep_values args = joined(&d.args, &d.seeds);
  const bool *bars = bars_of(s, s->f, d.vjp);
  return check_first_order(s, sweep_flat(s, d.vjp, bars, false), &args, depth) &&
         (depth->few_batches || check_first_order(s, sweep_flat(s, d.vjp, bars, true), &args, depth));
}

/* ---- other dtypes ---- */

/* The text with f64 replaced by another dtype. */
static const char *text_in(sweep_subject *s, const char *dtype) {
  const char *text = text_of(s, s->module, s->f), *out = "";
  for (const char *at; (at = strstr(text, "f64")); text = at + 3) {
    out = tl_arena_printf(&s->arena, "%s%.*s%s", out, (int)(at - text), text, dtype);
  }
  return tl_arena_printf(&s->arena, "%s%s", out, text);
}

static sweep_values in_dtype(sweep_subject *s, const sweep_values *from, tl_dtype dtype) {
  sweep_values out = *from;
  for (uint32_t i = 0; i < out.count; i++) {
    sweep_value *v = &out.at[i];
    if (v->dtype == TL_F64) {
      sweep_value rounded = sweep_value_create(s, dtype, v->shape);
      rounded.is_scalar = v->is_scalar;
      memcpy(rounded.at, v->at, sizeof *v->at * (size_t)sweep_count(v));
      sweep_value_round(&rounded, dtype);
      *v = rounded;
    }
  }
  return out;
}

/* The values in another dtype are near those in double, and those of `equal`, where it is given, bit for bit. */
static bool check_other_dtype(sweep_subject *s, const char *text, tl_dtype dtype, sweep_tolerance value,
                              sweep_tolerance derivative, const sweep_values *equal) {
  sweep_values args = in_dtype(s, &s->args, dtype), same = in_dtype(s, &args, TL_F64), want, got;
  for (uint32_t i = 0; i < same.count; i++) {
    same.at[i].dtype = s->args.at[i].dtype;
  }
  sweep_subject t;
  bool ok = begin_other(&t, s, text) && sweep_run(s, s->f, &same, false, &want) &&
            sweep_run(&t, t.f, &args, false, &got) &&
            compare_all(&t, t.f, value, tl_arena_printf(&s->arena, "in %s", tl_dtype_name(dtype)), &got, &want, 0) &&
            (!equal || compare_all(&t, t.f, SWEEP_EXACT, "the graph in f32 against the run in float", &got, equal, 0));
  derived d, e;
  if (ok && is_differentiable(s->f)) {
    ok = derived_init(&d, s, s->f, &same);
    e = (derived){.f = t.f, .args = args, .seeds = in_dtype(s, &d.seeds, dtype)};
    e.vjp = ok ? sweep_derive(&t, t.f, TL_INTRINSIC_VJP, 0, NULL) : NULL;
    for (uint32_t i = 0; i < d.seeds.count; i++) {
      tl_dtype own = d.seeds.at[i].dtype;
      d.seeds.at[i] = e.seeds.at[i];
      d.seeds.at[i].dtype = own;
    }
    double largest = 0;
    for (uint32_t i = 0; i < d.seeds.count; i++) {
      for (int64_t k = 0; k < sweep_count(&d.seeds.at[i]); k++) {
        largest = fmax(largest, fabs(d.seeds.at[i].at[k]));
      }
    }
    ok = ok && run_reverse(s, &d, false) && run_reverse(&t, &e, false);
    for (uint32_t i = 0; ok && i < d.bars.count; i++) {
      for (int64_t k = 0; k < sweep_count(&d.bars.at[i]); k++) {
        largest = fmax(largest, fabs(d.bars.at[i].at[k]));
      }
    }
    ok = ok && compare_all(&t, e.vjp, derivative, tl_arena_printf(&s->arena, "a cotangent in %s", tl_dtype_name(dtype)),
                           &e.bars, &d.bars, largest);
  }
  return end_other(&t, s) && ok;
}

/* Whether arguments that are off by what float rounds give other values: a comparison or a trip count is close. */
static bool is_close(sweep_subject *s, const sweep_values *base) {
  sweep_values args = s->args, out;
  for (uint32_t i = 0; i < args.count; i++) {
    sweep_value *v = &args.at[i];
    if (is_float_param(s->f, i)) {
      sweep_value moved = sweep_value_create(s, v->dtype, v->shape);
      moved.is_scalar = v->is_scalar;
      for (int64_t k = 0; k < sweep_count(v); k++) {
        moved.at[k] = v->at[k] + 2e-6 * sweep_uniform(s, -1, 1);
      }
      *v = moved;
    }
  }
  bool close = !sweep_run(s, s->f, &args, false, &out);
  for (uint32_t i = 0; i < out.count && !close; i++) {
    for (int64_t k = 0; k < sweep_count(&out.at[i]); k++) {
      close |= !(fabs(out.at[i].at[k] - base->at[i].at[k]) <= 1e-3 * (1 + fabs(base->at[i].at[k])));
    }
  }
  return close;
}

static bool check_f32(sweep_subject *s, const sweep_depth *depth) {
  sweep_values wide, narrow;
  if (!sweep_run(s, s->f, &s->args, false, &wide)) {
    return false;
  }
  for (int k = 0; depth->directions && k < 4; k++) {
    if (is_close(s, &wide)) {
      s->unsettled++;
      return true;
    }
  }
  if (!sweep_run(s, s->f, &s->args, true, &narrow) ||
      !compare_all(s, s->f, depth->value, "in float", &narrow, &wide, 0)) {
    return false;
  }
  if (!is_differentiable(s->f)) {
    return true;
  }
  for (uint32_t i = 0; i < narrow.count; i++) { /* every number of the run is one of float */
    for (int64_t k = 0; is_float_result(s->f, i) && k < sweep_count(&narrow.at[i]); k++) {
      double x = narrow.at[i].at[k];
      if (!isnan(x) && x != (double)(float)x) {
        return sweep_fail(s, s->f, "in float element %lld is %.17g, which is no float", (long long)k, x);
      }
    }
  }
  return check_other_dtype(s, text_in(s, "f32"), TL_F32, depth->value, depth->derivative,
                           depth->directions ? NULL : &narrow);
}

/* Whether a number of C is among the values: the small formats have none. */
static bool has_scalars(const tl_func *f) {
  for (tl_value v = 1; v < f->values.count; v++) {
    tl_type t = tl_type_of(f, v);
    if (tl_is_scalar(t) && t.dtype == TL_F64) {
      return true;
    }
  }
  return false;
}

static bool check_small(sweep_subject *s, const sweep_depth *depth) {
  (void)depth;
  if (!is_differentiable(s->f) || has_scalars(s->f)) {
    return true;
  }
  return check_other_dtype(s, text_in(s, "f16"), TL_F16, SWEEP_F16, SWEEP_F16, NULL) &&
         check_other_dtype(s, text_in(s, "bf16"), TL_BF16, SWEEP_BF16, SWEEP_BF16, NULL) &&
         check_other_dtype(s, text_in(s, "f8e4m3fn"), TL_F8E4M3FN, SWEEP_F8, SWEEP_F8, NULL);
}

/* ---- batches ---- */

static sweep_value batched_value(sweep_subject *s, const sweep_value *example, int64_t size, sweep_domain domain) {
  tl_shape shape = {.rank = example->shape.rank + 1, .dim = {size}};
  for (int i = 0; i < example->shape.rank; i++) {
    shape.dim[i + 1] = example->shape.dim[i];
  }
  return sweep_value_draw(s, example->dtype, shape, false, domain);
}

static sweep_value example_of(sweep_subject *s, const sweep_value *all, int64_t k, const sweep_value *like) {
  sweep_value v = {.dtype = all->dtype, .is_scalar = like->is_scalar, .shape = {.rank = all->shape.rank - 1}};
  (void)s;
  for (int i = 0; i < v.shape.rank; i++) {
    v.shape.dim[i] = all->shape.dim[i + 1];
  }
  v.at = all->at + k * sweep_count(&v);
  return v;
}

static tl_func *batch_of(sweep_subject *s, tl_func *f, const bool *on) {
  const char *name = tl_arena_printf(&s->arena, "%s__vmap%u", f->name, s->derived++);
  tl_func *batch = s->failed ? NULL : tl__batch_run(f, name, "batch", on);
  if (!batch) {
    sweep_fail(s, f, "it is not batched");
  } else if (tl_func_verify(batch) != TL_OK) {
    sweep_fail(s, batch, "its batch is not valid");
  } else {
    sweep_made_function(batch, SWEEP_MADE_BATCH);
  }
  return s->failed ? NULL : batch;
}

static const char *choice_text(sweep_subject *s, const bool *on, uint32_t count, int64_t size) {
  const char *text = "";
  for (uint32_t i = 0; i < count; i++) {
    text = tl_arena_printf(&s->arena, "%s%c", text, on[i] ? 'b' : 's');
  }
  return tl_arena_printf(&s->arena, "a batch of %lld (%s)", (long long)size, text);
}

/* f for a batch equals f for each example. */
static bool check_batch_of(sweep_subject *s, tl_func *f, tl_func *batch, const sweep_values *like, const bool *on,
                           int64_t size, sweep_tolerance tolerance) {
  sweep_values whole = *like, got, one = *like, want;
  for (uint32_t i = 0; i < like->count; i++) {
    if (on[i]) {
      whole.at[i] = batched_value(s, &like->at[i], size, sweep_domain_of(s, i));
    }
  }
  bool ok = sweep_run(s, batch, &whole, false, &got);
  const char *what = choice_text(s, on, like->count, size);
  for (int64_t k = 0; ok && k < size; k++) {
    for (uint32_t i = 0; i < like->count; i++) {
      if (on[i]) {
        one.at[i] = example_of(s, &whole.at[i], k, &like->at[i]);
      }
    }
    ok = sweep_run(s, f, &one, false, &want);
    for (uint32_t i = 0; ok && i < want.count; i++) {
      if (!got.at[i].shape.rank || got.at[i].shape.dim[0] != size) {
        return sweep_fail(s, batch, "%s: result %u has no axis for the batch", what, i);
      }
      sweep_value part = example_of(s, &got.at[i], k, &want.at[i]);
      ok = sweep_compare(s, batch, tolerance, what, &part, &want.at[i], 0);
    }
  }
  return ok;
}

static bool next_choice(sweep_subject *s, const sweep_depth *depth, uint32_t count, uint32_t *choice) {
  uint32_t all = 1U << count;
  if (!depth->few_batches) {
    return ++*choice < all;
  }
  if (*choice == 0) {
    *choice = 1 + (uint32_t)sweep_uniform(s, 0, (double)(all - 1));
    return true;
  }
  return false;
}

static void set_choice(uint32_t choice, uint32_t count, bool *on) {
  for (uint32_t i = 0; i < count; i++) {
    on[i] = choice >> i & 1;
  }
}

static bool check_batch(sweep_subject *s, const sweep_depth *depth) {
  static const int64_t sizes[] = {1, 7, 64};
  uint32_t count = s->args.count;
  bool on[SWEEP_MOST] = {false};
  for (uint32_t choice = 0; next_choice(s, depth, count, &choice);) {
    set_choice(choice, count, on);
    tl_func *batch = batch_of(s, s->f, on);
    for (int k = 0; k < 3; k++) {
      bool due = !depth->few_batches || k == (int)(choice % 3 ? 1 : 0);
      if (due && (!batch || !check_batch_of(s, s->f, batch, &s->args, on, sizes[k], depth->batch))) {
        return false;
      }
    }
  }
  return true;
}

static bool check_batch_derived(sweep_subject *s, const sweep_depth *depth) {
  uint32_t count = s->args.count;
  bool on[SWEEP_MOST] = {false};
  derived d;
  if (!is_differentiable(s->f)) {
    return true;
  }
  if (!derived_init(&d, s, s->f, &s->args)) {
    return false;
  }
  tl_func *vjp = sweep_flat(s, d.vjp, bars_of(s, s->f, d.vjp), false);
  sweep_values args = joined(&d.args, &d.seeds);
  for (uint32_t choice = 0; vjp && next_choice(s, depth, count, &choice);) {
    set_choice(choice, count, on);
    for (uint32_t i = count; i < args.count; i++) {
      on[i] = true;
    }
    tl_func *batch = batch_of(s, vjp, on);
    if (!batch || !check_batch_of(s, vjp, batch, &args, on, 7, depth->batch_derived)) {
      return false;
    }
    sweep_values whole = s->args;
    for (uint32_t i = 0; i < count; i++) {
      whole.at[i] = on[i] ? batched_value(s, &s->args.at[i], 3, s->domains[i]) : whole.at[i];
    }
    if (!check_first_order(s, batch_of(s, s->f, on), &whole, depth)) {
      return false;
    }
  }
  return !s->failed;
}

/* ---- symbolic extents ---- */

typedef struct symbols {
  tl_func *f;
  int64_t extent[TL_MAX_RANK];
  tl_value value[TL_MAX_RANK];
  int count;
} symbols;

static tl_value symbol_of(const symbols *y, tl_extent e) {
  for (int i = 0; !e.value && i < y->count; i++) {
    if (y->extent[i] == e.fixed) {
      return y->value[i];
    }
  }
  return e.value;
}

static tl_type with_symbols(const symbols *y, tl_type t) {
  tl_extent *extents = TL_NEW_ARRAY(y->f->arena, tl_extent, t.rank + 1);
  for (int i = 0; i < t.rank; i++) {
    tl_value v = t.is_tensor ? symbol_of(y, t.extents[i]) : t.extents[i].value;
    extents[i] = v ? (tl_extent){.value = v} : t.extents[i];
  }
  t.extents = extents;
  t.element = t.element ? tl__type_copy(y->f, with_symbols(y, *t.element)) : NULL;
  return t;
}

/* The extents that an op states are its last operands. */
static void state_extents(const symbols *y, tl_region *r) {
  for (uint32_t i = 0; i < r->ops.count; i++) {
    tl_op *op = r->ops.data[i];
    if (tl_op_states_shape(op->code)) {
      tl_type t = tl_type_of(y->f, op->first_result);
      uint32_t n = (uint32_t)tl_op_table[op->code].arity;
      tl_value *operands = TL_NEW_ARRAY(y->f->arena, tl_value, n + (uint32_t)t.rank);
      memcpy(operands, op->operands, sizeof *operands * n);
      for (int k = 0; k < t.rank; k++) {
        if (t.extents[k].value) {
          operands[n++] = t.extents[k].value;
        }
      }
      op->operands = operands;
      op->operand_count = n;
    }
    for (uint32_t k = 0; k < op->region_count; k++) {
      state_extents(y, op->regions[k]);
    }
  }
}

/* Every extent of a tensor parameter, and each equal to one, becomes `dim` of that parameter. */
static void make_symbolic(tl_func *f) {
  symbols y = {.f = f};
  tl_region *body = f->body;
  uint32_t before = body->ops.count, values = f->values.count;
  tl_builder b = {.func = f, .region = body};
  for (uint32_t i = 0; i < body->params.count; i++) {
    tl_type t = tl_type_of(f, body->params.data[i]);
    for (int k = 0; t.is_tensor && k < t.rank && y.count < TL_MAX_RANK; k++) {
      if (!symbol_of(&y, t.extents[k]) && t.extents[k].fixed > 1) {
        tl_op *op = tl_op_create(&b, TL_OP_dim, 1, &body->params.data[i]);
        op->u.integer = k;
        y.extent[y.count] = t.extents[k].fixed;
        y.value[y.count++] = tl_op_add_result(f, op, tl_scalar(TL_I64), NULL);
      }
    }
  }
  uint32_t made = body->ops.count - before; /* to the front */
  tl_op **ops = TL_NEW_ARRAY(f->arena, tl_op *, body->ops.count + 1);
  memcpy(ops, body->ops.data + before, sizeof *ops * made);
  memcpy(ops + made, body->ops.data, sizeof *ops * before);
  memcpy(body->ops.data, ops, sizeof *ops * body->ops.count);
  for (tl_value v = 1; v < values; v++) {
    tl_type *t = &f->values.data[v].type;
    *t = tl_is_scalar(*t) ? *t : with_symbols(&y, *t);
  }
  state_extents(&y, body);
}

static bool check_symbolic(sweep_subject *s, const sweep_depth *depth) {
  sweep_values want, got;
  sweep_subject t;
  bool ok = begin_other(&t, s, text_of(s, s->module, s->f));
  if (ok) {
    make_symbolic(t.f);
    t.args = s->args;
    memcpy(t.domains, s->domains, sizeof t.domains);
    ok = tl_func_verify(t.f) == TL_OK || sweep_fail(&t, t.f, "with symbolic extents it is not valid");
  }
  ok = ok && sweep_run(s, s->f, &s->args, false, &want) && sweep_run(&t, t.f, &t.args, false, &got) &&
       compare_all(&t, t.f, SWEEP_EXACT, "with symbolic extents", &got, &want, 0) && check_text(&t, depth) &&
       check_first_order(&t, t.f, &t.args, depth);
  bool on[SWEEP_MOST] = {false};
  set_choice((1U << t.args.count) - 1, t.args.count, on);
  tl_func *batch = ok ? batch_of(&t, t.f, on) : NULL;
  ok = ok && batch && check_batch_of(&t, t.f, batch, &t.args, on, 3, depth->batch);
  return end_other(&t, s) && ok;
}

/* ---- names ---- */

static const char *axis_name(tl_type t, int i) { return t.axis_names && t.axis_names[i] ? t.axis_names[i] : ""; }

static bool has_names(const tl_func *f) {
  for (tl_value v = 1; v < f->values.count; v++) {
    if (tl_type_of(f, v).axis_names) {
      return true;
    }
  }
  return false;
}

/* `got` has the names of `want`, behind so many axes of its own; where `want` has none, it may have what its axis was
 * aligned with. */
static bool same_names(sweep_subject *s, const tl_func *f, const char *what, tl_type got, tl_type want, int behind) {
  for (int i = 0; i < want.rank; i++) {
    if (got.rank != want.rank + behind ||
        (*axis_name(want, i) && strcmp(axis_name(got, behind + i), axis_name(want, i)) != 0)) {
      return sweep_fail(s, f, "%s: axis %d is called '%s', not '%s'", what, behind + i, axis_name(got, behind + i),
                        axis_name(want, i));
    }
    s->comparisons++;
  }
  return true;
}

static bool check_names(sweep_subject *s, const sweep_depth *depth) {
  tl_func *f = s->f;
  bool on[SWEEP_MOST] = {false}, ok = true;
  if (!has_names(f)) {
    return true;
  }
  for (uint32_t choice = 0; next_choice(s, depth, s->args.count, &choice);) {
    set_choice(choice, s->args.count, on);
    const tl_func *batch = batch_of(s, f, on);
    ok = batch != NULL;
    for (uint32_t i = 0; ok && i < f->body->yields.count; i++) {
      tl_type t = tl_type_of(batch, batch->body->yields.data[i]);
      ok = same_names(s, batch, "a result of the batch", t, tl_type_of(f, f->body->yields.data[i]), 1) &&
           (!strcmp(axis_name(t, 0), "batch") ||
            sweep_fail(s, batch, "the batch's axis is called '%s'", axis_name(t, 0)));
    }
  }
  if (!ok || !is_differentiable(f)) {
    return ok;
  }
  const tl_func *vjp = sweep_derive(s, f, TL_INTRINSIC_VJP, 0, NULL),
                *jvp = sweep_derive(s, f, TL_INTRINSIC_JVP, 0, NULL);
  for (uint32_t i = 0; !s->failed && i < f->body->yields.count; i++) {
    same_names(s, jvp, "a tangent", tl_type_of(jvp, jvp->body->yields.data[i]), tl_type_of(f, f->body->yields.data[i]),
               0);
  }
  for (uint32_t i = 0; !s->failed && i < f->params.count; i++) {
    if (is_float_param(f, i)) {
      const char *bar = tl_arena_printf(&s->arena, "%s_bar", f->cparams.data[f->params.data[i].cparam].name);
      const tl_op *stores = tl_def(vjp, vjp->body->yields.data[sweep_result_named(vjp, bar)]);
      tl_value stored = stores->operands[stores->operand_count - 1];
      same_names(s, vjp, "a cotangent", tl_type_of(vjp, stored), tl_type_of(f, f->body->params.data[i]), 0);
    }
  }
  return !s->failed;
}

bool sweep_check(sweep_subject *s, sweep_surface surface, const sweep_depth *depth) {
  static bool (*const checks[SURFACE_COUNT])(sweep_subject *, const sweep_depth *) = {
#define SWEEP_SURFACE_CHECK(id, name, doc) [SURFACE_##id] = check_##name,
      SWEEP_SURFACE_MAP(SWEEP_SURFACE_CHECK)};
  s->surface = sweep_surface_names[surface];
  return checks[surface](s, depth) && !s->failed;
}
