#include "interp_lane.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "front/lower.h"
#include "interp/interp.h"
#include "transform/derive.h"

__attribute__((format(printf, 3, 4))) static bool fail(gen_outcome *o, gen_verdict v, const char *format, ...) {
  va_list args;
  va_start(args, format);
  o->verdict = v;
  vsnprintf(o->message, sizeof o->message, format, args);
  va_end(args);
  return false;
}

static bool fail_by_diag(gen_outcome *o, gen_verdict v, const tl_diag *diag, const char *what) {
  for (uint32_t i = 0; i < diag->items.count; i++) {
    const tl_diag_item *item = &diag->items.data[i];
    if (item->severity == TL_ERROR) {
      return fail(o, v, "%s: %s [%s]", what, item->message, tl_status_name(item->code));
    }
  }
  return fail(o, v, "%s: no message", what);
}

/* --- reading --- */

bool gen_unit_read(gen_unit *u, const char *path, const char *include_dir) {
  tl_arena_init(&u->arena);
  tl_diag_init(&u->diag, &u->arena);
  const char *args[] = {"-std=gnu17", "-I", include_dir};
  tl_parse_opts opts = {.file = path, .arg_count = 3, .args = args};
  tl_status status = tl_parse_file(&u->arena, &u->diag, &opts, &u->parsed);
  if (status != TL_OK || u->diag.errors || u->parsed.syntax_errors) {
    fprintf(stderr, "%s: %s\n", path, u->parsed.syntax_message ? u->parsed.syntax_message : "not read");
    return false;
  }
  return true;
}

void gen_unit_deinit(gen_unit *u) { tl_arena_deinit(&u->arena); }

static tl_func *no_intrinsics(void *ctx, const char *name, tl_loc loc) {
  (void)ctx, (void)name, (void)loc;
  return NULL;
}

static bool check_signature(const gen_derived *);

bool gen_derived_init(gen_derived *d, const gen_unit *u, const gen_program *p, gen_outcome *outcome) {
  *d = (gen_derived){.p = p, .outcome = outcome};
  tl_arena_init(&d->arena);
  tl_diag_init(&d->diag, &d->arena);
  d->module = tl_module_create(&d->arena, &d->diag);
  const tl_function *f = tl_unit_find(u->parsed.unit, p->name);
  if (!f) {
    return fail(outcome, GEN_REFUSED, "not found after parsing");
  }
  tl_lower_opts opts = {.resolve_intrinsic = no_intrinsics};
  d->primal = tl_lower_function(d->module, u->parsed.unit, f, &opts);
  if (!d->primal || d->diag.errors) {
    return fail_by_diag(outcome, GEN_REFUSED, &d->diag, "lowering");
  }
  if (tl_module_verify(d->module) != TL_OK) {
    return fail_by_diag(outcome, GEN_INVALID, &d->diag, "lowered");
  }
  return check_signature(d);
}

static bool derive(gen_derived *d, tl_intrinsic intrinsic, const char *what, const char *wrt, tl_func **out) {
  tl_derivation spec = {.intrinsic = intrinsic,
                        .name = tl_arena_printf(&d->arena, "%s__%s", d->p->name, what),
                        .wrt_count = wrt ? 1 : 0,
                        .wrt = &wrt};
  *out = tl_derive(d->module, d->primal, &spec);
  if (!*out || d->diag.errors) {
    return fail_by_diag(d->outcome, GEN_REFUSED, &d->diag, what);
  }
  if (tl_module_verify(d->module) != TL_OK) {
    return fail_by_diag(d->outcome, GEN_INVALID, &d->diag, what);
  }
  return true;
}

bool gen_derived_derive(gen_derived *d) {
  const char *wrt = d->p->params[d->p->extra_wrt].name;
  bool good = derive(d, TL_INTRINSIC_VJP, "vjp", NULL, &d->vjp) &&
              (d->p->jvp_has_value ? derive(d, TL_INTRINSIC_VALUE_AND_JVP, "value_and_jvp", NULL, &d->jvp)
                                   : derive(d, TL_INTRINSIC_JVP, "jvp", NULL, &d->jvp));
  switch (d->p->extra) {
  case GEN_EXTRA_NONE:
    return good;
  case GEN_EXTRA_GRAD:
    return good &&
           derive(d, d->p->jvp_has_value ? TL_INTRINSIC_VALUE_AND_GRAD : TL_INTRINSIC_GRAD, "grad", NULL, &d->extra);
  case GEN_EXTRA_JACOBIAN:
    return good && derive(d, TL_INTRINSIC_JACOBIAN, "jacobian", wrt, &d->extra);
  case GEN_EXTRA_JACOBIAN_REVERSE:
    return good && derive(d, TL_INTRINSIC_JACOBIAN_REVERSE, "jacobian_reverse", wrt, &d->extra);
  case GEN_EXTRA_HESSIAN:
    return good && derive(d, TL_INTRINSIC_HESSIAN, "hessian", wrt, &d->extra);
  }
  return good;
}

void gen_derived_deinit(gen_derived *d) { tl_arena_deinit(&d->arena); }

/* --- leaves of the graph and of the program --- */

/* "$->m0[#]" and "(*$).m0[#]" to ".m0[#]", "$" and "(*$)" to "". */
static void normalize(const char *access, char out[64]) {
  size_t n = 0;
  access += !strncmp(access, "(*$)", 4) ? 4 : *access == '$';
  for (const char *c = access; *c && n < 62; c++) {
    if (c[0] == '-' && c[1] == '>') {
      out[n++] = '.';
      c++;
    } else {
      out[n++] = *c;
    }
  }
  out[n] = '\0';
}

static const gen_leaf *find_leaf(const gen_program *p, bool outs, int param, const char *access) {
  char path[64];
  normalize(access, path);
  const gen_leaf *leaves = outs ? p->out_leaves : p->in_leaves;
  for (int i = 0; i < (outs ? p->out_leaf_count : p->in_leaf_count); i++) {
    if (leaves[i].param == param && !strcmp(leaves[i].path, path)) {
      return &leaves[i];
    }
  }
  return NULL;
}

static const gen_leaf *in_leaf(const gen_derived *d, uint32_t leaf) {
  const tl_param *l = &d->primal->params.data[leaf];
  return find_leaf(d->p, false, (int)l->cparam, l->access);
}

static const gen_leaf *out_leaf_of_param(const gen_derived *d, uint32_t leaf) {
  const tl_param *l = &d->primal->params.data[leaf];
  return find_leaf(d->p, true, (int)l->cparam, l->access);
}

static const gen_leaf *out_leaf(const gen_derived *d, uint32_t result) {
  const tl_result *r = &d->primal->results.data[result];
  return r->role == TL_RESULT_RETURN ? find_leaf(d->p, true, -1, r->access) : out_leaf_of_param(d, r->param);
}

static bool check_signature(const gen_derived *d) {
  for (uint32_t i = 0; i < d->primal->cparams.count; i++) {
    const tl_cparam *c = &d->primal->cparams.data[i];
    const gen_param *q = &d->p->params[i];
    static const gen_role roles[] = {
        [TL_ROLE_INPUT] = GEN_INPUT, [TL_ROLE_OUTPUT] = GEN_OUTPUT, [TL_ROLE_INOUT] = GEN_INOUT};
    if (strcmp(c->name, q->name) != 0 || roles[c->role] != q->role) {
      return fail(d->outcome, GEN_SIGNATURE, "parameter %s has role %d, expected %d", c->name, (int)c->role,
                  (int)q->role);
    }
  }
  for (uint32_t i = 0; i < d->primal->results.count; i++) {
    if (tl_dtype_is_float(tl_type_of(d->primal, d->primal->body->yields.data[i]).dtype) && !out_leaf(d, i)) {
      return fail(d->outcome, GEN_SIGNATURE, "result %u is no output of the program", i);
    }
  }
  return true;
}

/* The value for a parameter of type `type` whose elements are at `values` (NULL: not written). */
static tl_interp_value make_value(gen_derived *d, tl_arena *arena, tl_type type, const gen_leaf *leaf, int cparam,
                                  const double *values) {
  const gen_param *q = cparam >= 0 && cparam < d->p->param_count ? &d->p->params[cparam] : NULL;
  if (!type.is_array) {
    if (tl_dtype_is_float(type.dtype)) {
      return tl_interp_floating(type.dtype, values && leaf ? values[leaf->at] : 0);
    }
    return tl_interp_integer(type.dtype, q && q->kind == GEN_INT ? q->integer : 0);
  }
  int64_t extents[TL_MAX_RANK] = {0}, count = 1;
  for (int i = 0; i < type.rank; i++) {
    extents[i] = leaf                                   ? leaf->extents[i]
                 : type.extents[i].value == TL_NO_VALUE ? type.extents[i].fixed
                 : q                                    ? q->extents[0]
                                                        : 1;
    count *= extents[i];
  }
  bool is_float = tl_dtype_is_float(type.dtype);
  if (is_float && !(leaf && values)) {
    return tl_interp_array(type.dtype, NULL, type.rank, extents);
  }
  char *data = tl_arena_alloc(arena, (size_t)(count + 1) * 16);
  for (int64_t i = 0; i < count; i++) {
    if (type.dtype == TL_F64) {
      ((double *)data)[i] = values[leaf->at + i];
    } else if (type.dtype == TL_F32) {
      ((float *)data)[i] = (float)values[leaf->at + i];
    } else if (type.dtype == TL_I32 && q && q->kind == GEN_INTS) {
      ((int32_t *)data)[i] = q->integers[i];
    }
  }
  return tl_interp_array(type.dtype, data, type.rank, extents);
}

/* --- runs
 * ---------------------------------------------------------------------------------------------------------------------
 */

static void read_value(const tl_interp_value *v, const gen_leaf *leaf, double *out) {
  int64_t count = v->is_array ? tl_interp_count(v) : 1;
  for (int64_t i = 0; i < count && i < leaf->count; i++) {
    out[leaf->at + i] = (double)tl_interp_at(v, i);
  }
}

static bool is_float_value(const tl_interp_value *v) { return tl_dtype_is_float(v->dtype); }

typedef struct run_vectors {
  const double *in, *dot, *seeds;
  double *out, *bar, *out_dot, *matrix;
} run_vectors;

/* Of the matrix that the parameter is storage for: there is one for each output, or one Hessian. */
static void matrix_extents(const gen_derived *d, const tl_func *h, const tl_param *l, int64_t extents[2]) {
  const gen_program *p = d->p;
  int before = 0;
  for (const tl_param *q = h->params.data; q < l; q++) {
    tl_type type = tl_type_of(h, q->value);
    before += q->origin == TL_ORIGIN_CELL && type.rank == 2 && tl_dtype_is_float(type.dtype);
  }
  extents[0] = extents[1] = gen_param_leaf_count(p, p->extra_wrt, false);
  for (int i = -1; i < p->param_count && p->extra != GEN_EXTRA_HESSIAN; i++) {
    bool is_output =
        i < 0 ? p->returns == GEN_RETURNS_REAL || p->returns == GEN_RETURNS_STRUCT : p->params[i].role != GEN_INPUT;
    if (is_output && before-- == 0) {
      extents[0] = gen_param_leaf_count(p, i, true);
      return;
    }
  }
}

/* The parameter that "x_bar" is named after, or -1. */
static int named_after(const gen_derived *d, const char *name) {
  for (int i = 0; i < d->p->param_count; i++) {
    size_t n = strlen(d->p->params[i].name);
    if (!strncmp(d->p->params[i].name, name, n) && name[n] == '_') {
      return i;
    }
  }
  return -1;
}

static tl_interp_value make_argument(gen_derived *d, tl_arena *arena, const tl_func *h, const tl_param *l,
                                     const run_vectors *v) {
  tl_type type = tl_type_of(h, l->value);
  const gen_leaf *leaf;
  int cparam = (int)l->cparam;
  switch (h == d->primal ? TL_ORIGIN_PRIMAL : l->origin) {
  case TL_ORIGIN_PRIMAL: {
    uint32_t at = h == d->primal ? (uint32_t)(l - h->params.data) : l->origin_index;
    cparam = (int)d->primal->params.data[at].cparam;
    leaf = in_leaf(d, at);
    return make_value(d, arena, type, leaf ? leaf : out_leaf_of_param(d, at), cparam, leaf ? v->in : NULL);
  }
  case TL_ORIGIN_DOT:
    cparam = (int)d->primal->params.data[l->origin_index].cparam;
    leaf = in_leaf(d, l->origin_index);
    return make_value(d, arena, type, leaf ? leaf : out_leaf_of_param(d, l->origin_index), cparam,
                      leaf ? v->dot : NULL);
  case TL_ORIGIN_SEED:
    leaf = out_leaf(d, l->origin_index);
    return make_value(d, arena, type, leaf, -1, v->seeds);
  case TL_ORIGIN_BAR: {
    cparam = (int)d->primal->params.data[l->origin_index].cparam;
    const gen_leaf *out = out_leaf_of_param(d, l->origin_index);
    return make_value(d, arena, type, out ? out : in_leaf(d, l->origin_index), cparam, out ? v->seeds : NULL);
  }
  case TL_ORIGIN_CELL:
  case TL_ORIGIN_ZERO: /* this and the next: in calls of rules alone */
  case TL_ORIGIN_ZERO_DOT:
  case TL_ORIGIN_SCRATCH:
    break;
  }
  if (type.rank == 2 && tl_dtype_is_float(type.dtype) && h == d->extra) {
    int64_t extents[2];
    matrix_extents(d, h, l, extents);
    return tl_interp_array(type.dtype, NULL, 2, extents);
  }
  return make_value(d, arena, type, NULL, named_after(d, h->cparams.data[l->cparam].name), NULL);
}

static void take_result(gen_derived *d, const tl_func *h, uint32_t k, const tl_interp_value *value,
                        const run_vectors *v, int *matrix_at) {
  const tl_result *r = &h->results.data[k];
  const gen_leaf *leaf = NULL;
  if (!is_float_value(value)) {
    return;
  }
  if (h == d->primal || !r->is_derived) {
    leaf = out_leaf(d, h == d->primal ? k : r->origin_index);
    if (leaf && v->out) {
      read_value(value, leaf, v->out);
    }
  } else if (v->matrix) {
    for (int64_t i = 0; i < (value->is_array ? tl_interp_count(value) : 1) && *matrix_at < GEN_MAX_EXTRA; i++) {
      v->matrix[(*matrix_at)++] = (double)tl_interp_at(value, i);
    }
  } else if (v->bar) {
    leaf = in_leaf(d, r->origin_index);
    if (leaf) {
      read_value(value, leaf, v->bar);
    }
  } else if (v->out_dot) {
    leaf = out_leaf(d, r->origin_index);
    if (leaf) {
      read_value(value, leaf, v->out_dot);
    }
  }
}

static bool run(gen_derived *d, const tl_func *h, const char *what, const run_vectors *v) {
  tl_arena scratch;
  tl_diag diag;
  tl_arena_init(&scratch);
  tl_diag_init(&diag, &scratch);
  uint32_t count = h->params.count;
  tl_interp_value *args = TL_NEW_ARRAY(&scratch, tl_interp_value, count + 1);
  tl_interp_value *results = TL_NEW_ARRAY(&scratch, tl_interp_value, h->body->yields.count + 1);
  for (uint32_t i = 0; i < count; i++) {
    args[i] = make_argument(d, &scratch, h, &h->params.data[i], v);
  }
  tl_interp_fault fault = TL_FAULT_NONE;
  tl_interp_opts opts = {.max_steps = 20000000, .diag = &diag};
  tl_status status = tl_interp_run(h, count, args, &opts, results, &fault);
  bool good = status == TL_OK;
  if (good) {
    /* What no result says stays as it was. */
    for (int i = 0; i < d->p->out_leaf_count && v->out; i++) {
      const gen_leaf *l = &d->p->out_leaves[i];
      for (int j = 0; j < d->p->in_leaf_count; j++) {
        const gen_leaf *m = &d->p->in_leaves[j];
        if (m->param == l->param && !strcmp(m->path, l->path)) {
          for (int e = 0; e < l->count; e++) {
            v->out[l->at + e] = v->in[m->at + e];
            if (v->bar) {
              v->bar[m->at + e] = v->seeds[l->at + e];
            }
            if (v->out_dot) {
              v->out_dot[l->at + e] = v->dot[m->at + e];
            }
          }
        }
      }
    }
    int matrix_at = 0;
    for (uint32_t k = 0; k < h->body->yields.count; k++) {
      take_result(d, h, k, &results[k], v, &matrix_at);
      tl_interp_value_deinit(&results[k]);
    }
  } else {
    fail(d->outcome, GEN_RUN, "%s: fault %d: %s", what, (int)fault, diag.items.count ? diag.items.data[0].message : "");
  }
  tl_arena_deinit(&scratch);
  return good;
}

static bool run_primal(void *ctx, const double *in, double *out) {
  gen_derived *d = ctx;
  return run(d, d->primal, "primal", &(run_vectors){.in = in, .out = out});
}

static bool run_vjp(void *ctx, const double *in, const double *seeds, double *out, double *bar) {
  gen_derived *d = ctx;
  return run(d, d->vjp, "vjp", &(run_vectors){.in = in, .seeds = seeds, .out = out, .bar = bar});
}

static bool run_jvp(void *ctx, const double *in, const double *dot, double *out, double *out_dot) {
  gen_derived *d = ctx;
  return run(d, d->jvp, "jvp", &(run_vectors){.in = in, .dot = dot, .out = out, .out_dot = out_dot});
}

static bool run_extra(void *ctx, const double *in, double *result) {
  gen_derived *d = ctx;
  double unused[GEN_MAX_FLAT], seeds[GEN_MAX_FLAT] = {0};
  if (d->p->extra == GEN_EXTRA_GRAD) {
    return run(d, d->extra, "grad", &(run_vectors){.in = in, .seeds = seeds, .out = unused, .bar = result});
  }
  return run(d, d->extra, d->p->extra == GEN_EXTRA_HESSIAN ? "hessian" : "jacobian",
             &(run_vectors){.in = in, .out = unused, .matrix = result});
}

gen_target gen_derived_target(gen_derived *d, gen_reference_fn *reference, gen_primal_fn *plain) {
  return (gen_target){d, run_primal, run_vjp, run_jvp, run_extra, NULL, reference, plain, true, d->outcome};
}
