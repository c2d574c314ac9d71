/* Derivatives of calls that stay calls: of recursive functions and of functions with custom rules. */
#include <string.h>

#include "transform/copy.h"
#include "transform/derive_priv.h"

/* ---- custom rules ---- */

/* The prototype that the rule has to have: a function without a body, not in the module. */
static tl_func *expected_rule(tl_derive_ctx *d, tl_intrinsic intrinsic) {
  tl_func *f = d->f;
  uint32_t before = f->module->funcs.count;
  d->wrt_leaf = TL_NEW_ARRAY(d->arena, bool, f->params.count);
  tl__add_all_wrt(d);
  tl_func *shell = NULL;
  if (intrinsic == TL_INTRINSIC_VJP) {
    const tl_seed *seeds = tl__float_seeds(f, d->arena);
    tl_reverse_spec spec = {
        .name = "rule", .wrt = d->wrt_leaf, .seeds = seeds, .sign = tl__sign_vjp, .ctx = d, .only_sign = true};
    tl_reversed r;
    tl__reverse_run(f, &spec, d->arena, &r);
    shell = r.func;
  } else {
    const bool *want = tl__float_results(f, d->arena);
    tl_forward_spec spec = {
        .name = "rule", .wrt = d->wrt_leaf, .want = want, .sign = tl__sign_jvp, .ctx = d, .only_sign = true};
    tl_forwarded r;
    tl__forward_run(f, &spec, d->arena, &r);
    shell = r.func;
  }
  f->module->funcs.count = before;
  return shell;
}

static bool refuse_rule(tl_func *f, tl_func *rule, tl_intrinsic intrinsic, const char *what, const char *name) {
  tl_diag_error(f->module->diag, TL_CUSTOM_RULE_SIGNATURE, rule->loc, "'%s' is the custom rule of '%s', but %s%s%s",
                rule->name, f->name, what, name ? " " : "", name ? name : "");
  tl_diag_note(f->module->diag, f->loc,
               "a rule has the prototype of tl_%s(%s) with every differentiable parameter as wrt",
               tl_intrinsic_name(intrinsic), f->name);
  return false;
}

/* Types of leaves agree; of tensors, or cells of them, no axis may have another name or another extent that is stated,
 * and the rule states no extent that is not known to hold. */
static bool is_type_expected(tl_type want, tl_type got) {
  if (want.element && got.element) {
    return want.rank == got.rank && is_type_expected(*want.element, *got.element);
  }
  bool same = want.dtype == got.dtype && want.rank == got.rank && want.is_tensor == got.is_tensor &&
              !want.element == !got.element;
  for (int i = 0; same && want.is_tensor && i < want.rank; i++) {
    const char *a = want.axis_names ? want.axis_names[i] : NULL, *b = got.axis_names ? got.axis_names[i] : NULL;
    bool is_stated = !got.extents[i].value && got.extents[i].fixed >= 0;
    same = (!a || !b || !strcmp(a, b)) &&
           (!is_stated || (!want.extents[i].value && want.extents[i].fixed == got.extents[i].fixed));
  }
  return same;
}

/* The leaf of the expected prototype that a leaf of the rule is. */
static const tl_param *expected_leaf(const tl_func *shell, const tl_func *rule, const tl_param *leaf) {
  for (uint32_t k = 0; k < shell->params.count; k++) {
    const tl_param *p = &shell->params.data[k];
    if (p->cparam == leaf->cparam && !strcmp(p->access, leaf->access) &&
        is_type_expected(tl_type_of(shell, p->value), tl_type_of(rule, leaf->value))) {
      return p;
    }
  }
  return NULL;
}

/* What is not floating in a struct of seeds has no leaf in the expected prototype. For a rule it is zero, of the type
 * of what it is in f: of a leaf of the parameter that the seeds are of, or of the returned value. */
static bool match_idle_leaf(const tl_func *f, const tl_func *shell, const tl_func *rule, tl_param *leaf) {
  const tl_param *seed = NULL;
  for (uint32_t k = 0; k < shell->params.count && !seed; k++) {
    const tl_param *p = &shell->params.data[k];
    seed = p->cparam == leaf->cparam && (p->origin == TL_ORIGIN_DOT || p->origin == TL_ORIGIN_SEED) ? p : NULL;
  }
  if (!seed || tl_dtype_is_float(tl_type_of(rule, leaf->value).dtype)) {
    return false;
  }
  const tl_result *of = seed->origin == TL_ORIGIN_SEED ? &f->results.data[seed->origin_index] : NULL;
  if (of && of->role == TL_RESULT_RETURN) {
    for (uint32_t i = 0; i < f->results.count; i++) {
      if (f->results.data[i].role == TL_RESULT_RETURN && !strcmp(f->results.data[i].access, leaf->access)) {
        leaf->origin = TL_ORIGIN_ZERO;
        leaf->origin_index = i;
        return true;
      }
    }
    return false;
  }
  uint32_t cparam = f->params.data[of ? of->param : seed->origin_index].cparam;
  for (uint32_t i = 0; i < f->params.count; i++) {
    if (f->params.data[i].cparam == cparam && !strcmp(f->params.data[i].access, leaf->access)) {
      leaf->origin = TL_ORIGIN_ZERO_DOT;
      leaf->origin_index = i;
      return true;
    }
  }
  return false;
}

/* `leaf` may be NULL: all of the parameter. */
static bool refuse_unwritten(tl_func *f, const tl_func *rule, tl_intrinsic intrinsic, uint32_t cparam,
                             const tl_param *leaf) {
  const tl_cparam *c = &rule->cparams.data[cparam];
  int length = 0;
  const char *member = leaf ? tl__access_member(leaf->access, &length) : "";
  tl_diag_error(f->module->diag, TL_CUSTOM_RULE_SIGNATURE, c->loc,
                "'%s' is the custom rule of '%s', but it never writes %s%.*s%s'%s'", rule->name, f->name,
                length ? "the member '" : "", length, member, length ? "' of " : "", c->name);
  tl_diag_note(f->module->diag, f->loc, "it stands for tl_%s(%s), which writes every result",
               tl_intrinsic_name(intrinsic), f->name);
  return false;
}

/* Members of a struct that is written elsewhere end as they began. */
static bool is_written(const tl_func *rule, uint32_t result) {
  const tl_result *r = &rule->results.data[result];
  return r->role != TL_RESULT_FINAL || rule->body->yields.data[result] != rule->params.data[r->param].value;
}

static bool writes_to(const tl_func *rule, uint32_t cparam) {
  for (uint32_t i = 0; i < rule->results.count; i++) {
    const tl_result *r = &rule->results.data[i];
    if (r->role == TL_RESULT_FINAL && rule->params.data[r->param].cparam == cparam && is_written(rule, i)) {
      return true;
    }
  }
  return false;
}

/* An in-out's cotangent or tangent may stay as it is, and what f leaves alone; nothing else of what the intrinsic
 * writes may. */
static bool must_write(const tl_func *f, const tl_func *shell, tl_intrinsic intrinsic, const tl_result *r) {
  bool is_of_result = !r->is_derived || intrinsic == TL_INTRINSIC_VALUE_AND_JVP;
  if (is_of_result && r->origin_index < f->results.count && !is_written(f, r->origin_index)) {
    return false;
  }
  return r->role == TL_RESULT_FINAL && !r->is_ignored && !(r->is_derived && !tl_func_is_output(shell, r->param));
}

/* A result's place that is not even looked at: what is behind the pointer is a cell then, whatever it should be. */
static bool is_unused_result(const tl_func *f, const tl_func *shell, const tl_func *rule, tl_intrinsic intrinsic,
                             const tl_param *leaf) {
  for (uint32_t k = 0; k < shell->results.count && leaf->is_memory && !writes_to(rule, leaf->cparam); k++) {
    const tl_result *r = &shell->results.data[k];
    if (must_write(f, shell, intrinsic, r) && shell->params.data[r->param].cparam == leaf->cparam) {
      return true;
    }
  }
  return false;
}

static bool is_same_leaf(const tl_param *a, const tl_param *b) {
  return a->cparam == b->cparam && !strcmp(a->access, b->access);
}

static uint32_t find_result(const tl_func *rule, const tl_func *shell, const tl_result *like) {
  for (uint32_t i = 0; i < rule->results.count; i++) {
    const tl_result *r = &rule->results.data[i];
    bool is_final = r->role == TL_RESULT_FINAL;
    if (r->role == like->role &&
        (is_final ? is_same_leaf(&rule->params.data[r->param], &shell->params.data[like->param])
                  : !strcmp(r->access, like->access))) {
      return i;
    }
  }
  return TL_NO_RESULT;
}

/* What the rule does not write of an in-out's cotangent or tangent is a result all the same: what was passed. */
static uint32_t leave_alone(tl_func *rule, const tl_param *like) {
  for (uint32_t i = 0; i < rule->params.count; i++) {
    const tl_param *leaf = &rule->params.data[i];
    if (is_same_leaf(leaf, like)) {
      rule->cparams.data[leaf->cparam].role = TL_ROLE_INOUT;
      TL_PUSH(rule->arena, rule->body->yields, leaf->value);
      TL_PUSH(rule->arena, rule->results, (tl_result){.role = TL_RESULT_FINAL, .param = i});
      return rule->results.count - 1;
    }
  }
  return TL_NO_RESULT;
}

static bool match_results(tl_func *f, const tl_func *shell, tl_func *rule, tl_intrinsic intrinsic) {
  for (uint32_t i = 0; i < rule->results.count; i++) {
    rule->results.data[i].is_ignored = true; /* what it stores elsewhere */
  }
  for (uint32_t k = 0; k < shell->results.count; k++) {
    const tl_result *like = &shell->results.data[k];
    uint32_t at = find_result(rule, shell, like);
    if (must_write(f, shell, intrinsic, like) && (at == TL_NO_RESULT || !is_written(rule, at))) {
      const tl_param *leaf = &shell->params.data[like->param];
      return refuse_unwritten(f, rule, intrinsic, leaf->cparam, writes_to(rule, leaf->cparam) ? leaf : NULL);
    }
    if (at == TL_NO_RESULT && like->role == TL_RESULT_FINAL && like->is_derived) {
      at = leave_alone(rule, &shell->params.data[like->param]);
    }
    if (at != TL_NO_RESULT) {
      tl_result *r = &rule->results.data[at];
      r->is_derived = like->is_derived;
      r->is_ignored = like->is_ignored;
      r->origin_index = like->origin_index;
    }
  }
  return true;
}

/* Gives the rule's leaves and results their origins, by its likeness to the expected prototype. */
static bool match_rule(tl_derive_ctx *d, tl_func *rule, tl_intrinsic intrinsic) {
  tl_func *f = d->f, *shell = expected_rule(d, intrinsic);
  if (rule->cparams.count != shell->cparams.count) {
    const char *counts =
        tl_arena_printf(d->arena, "%u parameters, where %u are expected", rule->cparams.count, shell->cparams.count);
    return refuse_rule(f, rule, intrinsic, "it has", counts);
  }
  if (strcmp(rule->return_declarator, shell->return_declarator) != 0) {
    return refuse_rule(f, rule, intrinsic, "it does not return", shell->return_declarator);
  }
  for (uint32_t i = 0; i < rule->params.count; i++) {
    tl_param *leaf = &rule->params.data[i];
    const tl_param *like = expected_leaf(shell, rule, leaf);
    if (!like && match_idle_leaf(f, shell, rule, leaf)) {
      continue;
    }
    if (!like && is_unused_result(f, shell, rule, intrinsic, leaf)) {
      return refuse_unwritten(f, rule, intrinsic, leaf->cparam, NULL);
    }
    if (!like) {
      return refuse_rule(f, rule, intrinsic,
                         "its parameter differs from what is expected there:", rule->cparams.data[leaf->cparam].name);
    }
    leaf->origin = like->origin;
    leaf->origin_index = like->origin_index;
  }
  rule->rule_of = f->name;
  return match_results(f, shell, rule, intrinsic);
}

static tl_func *transposed_rule(tl_module *m, tl_func *callee, tl_intrinsic intrinsic, tl_loc loc);

static tl_func *rule_for(tl_module *m, tl_func *callee, tl_intrinsic intrinsic, tl_loc loc) {
  const char *name = intrinsic == TL_INTRINSIC_VJP ? callee->custom_vjp : callee->custom_jvp;
  if (!name) {
    return transposed_rule(m, callee, intrinsic, loc);
  }
  tl_func *rule = tl_module_find(m, name);
  if (!rule) {
    tl_diag_error(m->diag, TL_NO_DEFINITION, loc, "the definition of '%s', the custom rule of '%s', is not visible",
                  name, callee->name);
    return NULL;
  }
  tl_arena scratch;
  tl_arena_init(&scratch);
  tl_derivation spec = {.intrinsic = intrinsic, .name = name, .loc = loc};
  tl_derive_ctx d = {.f = callee, .spec = &spec, .arena = &scratch};
  bool ok = match_rule(&d, rule, intrinsic);
  tl_arena_deinit(&scratch);
  return ok ? rule : NULL;
}

/* Is the rule's leaf one of its seeds, against storage for what it gives? */
static bool is_seed(const tl_func *rule, uint32_t leaf, tl_origin seed) {
  return rule->params.data[leaf].origin == seed && !tl_func_is_output(rule, leaf);
}

/* The rule of the other mode serves: it is linear in its seeds (a vjp in the cotangents, a jvp in the tangents), so its
 * own vjp with respect to them is its transpose, whatever the seeds are: they are zero. The result is that vjp with its
 * leaves and results told in the callee's terms. */
static tl_func *transposed_rule(tl_module *m, tl_func *callee, tl_intrinsic intrinsic, tl_loc loc) {
  tl_intrinsic other = intrinsic == TL_INTRINSIC_VJP ? TL_INTRINSIC_VALUE_AND_JVP : TL_INTRINSIC_VJP;
  tl_origin seed = intrinsic == TL_INTRINSIC_VJP ? TL_ORIGIN_DOT : TL_ORIGIN_SEED;
  tl_func *rule = rule_for(m, callee, other, loc);
  if (!rule) {
    return NULL;
  }
  TL_VEC(const char *) wrt = {0};
  const char *name = tl_arena_printf(m->arena, "%s__vjp", rule->name);
  for (uint32_t c = 0; c < rule->cparams.count; c++) {
    bool any = false;
    for (uint32_t i = 0; i < rule->params.count; i++) {
      any |= rule->params.data[i].cparam == c && is_seed(rule, i, seed);
    }
    if (any) {
      TL_PUSH(m->arena, wrt, rule->cparams.data[c].name);
      name = tl_arena_printf(m->arena, "%s__%s", name, rule->cparams.data[c].name);
    }
  }
  tl_func *g = tl_derive(m, rule, &(tl_derivation){TL_INTRINSIC_VJP, name, wrt.count, wrt.data, loc, .adds = false});
  if (!g) {
    return NULL;
  }
  tl_func *t = TL_NEW(m->arena, tl_func);
  *t = *g;
  t->params.data = NULL;
  t->params.count = t->params.room = 0;
  t->results.data = NULL;
  t->results.count = t->results.room = 0;
  for (uint32_t i = 0; i < g->params.count; i++) {
    tl_param p = g->params.data[i];
    if (p.origin == TL_ORIGIN_SEED && rule->results.data[p.origin_index].is_ignored) {
      const tl_param *like = &rule->params.data[rule->results.data[p.origin_index].param];
      p.origin = like->origin == TL_ORIGIN_SEED ? TL_ORIGIN_ZERO : TL_ORIGIN_ZERO_DOT;
      p.origin_index = like->origin_index;
    } else if (p.origin == TL_ORIGIN_SEED) { /* of one of the rule's results */
      const tl_result *r = &rule->results.data[p.origin_index];
      p.origin = !r->is_derived ? TL_ORIGIN_ZERO : intrinsic == TL_INTRINSIC_VJP ? TL_ORIGIN_SEED : TL_ORIGIN_DOT;
      p.origin_index = r->origin_index;
    } else {
      const tl_param *like = &rule->params.data[p.origin_index];
      if (p.origin == TL_ORIGIN_PRIMAL && is_seed(rule, p.origin_index, seed)) {
        p.origin = seed == TL_ORIGIN_SEED ? TL_ORIGIN_ZERO : TL_ORIGIN_ZERO_DOT;
      } else if (p.origin == TL_ORIGIN_PRIMAL) {
        bool storage = like->origin == TL_ORIGIN_BAR || like->origin == TL_ORIGIN_CELL || like->origin == TL_ORIGIN_DOT;
        p.origin = storage ? TL_ORIGIN_SCRATCH : like->origin;
      }
      p.origin_index = like->origin_index;
    }
    TL_PUSH(m->arena, t->params, p);
  }
  for (uint32_t i = 0; i < g->results.count; i++) {
    tl_result r = g->results.data[i];
    if (r.is_derived) {
      r.origin_index = rule->params.data[r.origin_index].origin_index;
    } else if (!r.is_ignored) {
      r.is_ignored = rule->results.data[r.origin_index].is_derived || rule->results.data[r.origin_index].is_ignored;
      r.origin_index = rule->results.data[r.origin_index].origin_index;
    }
    TL_PUSH(m->arena, t->results, r);
  }
  return t;
}

tl_func *tl__derive_through_rules(tl_module *m, tl_func *f) {
  if (!f->custom_vjp && !f->custom_jvp) {
    return f;
  }
  tl_value *map;
  tl_func *w = tl__func_begin_like(f, f->name, &map);
  m->funcs.count--;
  tl_builder b = {.func = w, .region = w->body, .loc = f->loc};
  tl__func_copy_extents(&b, f, map);
  tl_value *arguments = TL_NEW_ARRAY(w->arena, tl_value, f->params.count + 1);
  for (uint32_t i = 0; i < f->params.count; i++) {
    arguments[i] = w->params.data[i].value;
  }
  const tl_op *call = tl__build_derived_call(&b, f, arguments, f, NULL);
  for (uint32_t i = 0; i < f->results.count; i++) {
    TL_PUSH(w->arena, w->results, f->results.data[i]);
    TL_PUSH(w->arena, w->body->yields, tl_op_result(call, i));
  }
  return w;
}

/* ---- calls ---- */

static const char *const *leafless_texts(tl_arena *arena, const tl_func *g, const tl_func *primal, const tl_op *like) {
  const char **texts = TL_NEW_ARRAY(arena, const char *, g->cparams.count + 1);
  for (uint32_t c = 0; c < primal->cparams.count && c < g->cparams.count; c++) {
    texts[c] = !like ? tl_arena_printf(arena, "$%u", c) : like->texts ? like->texts[c] : NULL;
  }
  return texts;
}

tl_op *tl__build_derived_call(tl_builder *b, const tl_func *g, const tl_value *arguments, const tl_func *primal,
                              const tl_op *like) {
  tl_op *call = tl_op_create(b, TL_OP_call, g->params.count, arguments);
  call->callee = g->name;
  call->texts = leafless_texts(b->func->arena, g, primal, like);
  for (uint32_t i = 0; i < g->results.count; i++) {
    const tl_result *r = &g->results.data[i];
    tl_value like =
        r->role == TL_RESULT_FINAL ? arguments[r->param] : primal->body->yields.data[g == primal ? i : r->origin_index];
    tl_type type =
        r->role == TL_RESULT_FINAL ? tl_type_of(b->func, like) : tl_type_abroad(b->func, tl_type_of(primal, like));
    tl_op_add_result(b->func, call, type, NULL);
  }
  return call;
}

tl_func *tl__derive_for_call(tl_module *m, tl_func *callee, tl_intrinsic intrinsic, const bool *active_leaf,
                             tl_loc loc) {
  if (callee->custom_vjp || callee->custom_jvp) {
    return rule_for(m, callee, intrinsic, loc);
  }
  TL_VEC(const char *) wrt = {0};
  bool adds = intrinsic == TL_INTRINSIC_VJP;
  const char *name =
      tl_arena_printf(m->arena, "%s__%s%s", callee->name, adds ? "add_" : "", tl_intrinsic_name(intrinsic));
  for (uint32_t c = 0; c < callee->cparams.count; c++) {
    bool any = false;
    for (uint32_t i = 0; i < callee->params.count; i++) {
      any |= callee->params.data[i].cparam == c && active_leaf[i];
    }
    if (any && tl__may_be_wrt(&callee->cparams.data[c])) {
      TL_PUSH(m->arena, wrt, callee->cparams.data[c].name);
      name = tl_arena_printf(m->arena, "%s__%s", name, callee->cparams.data[c].name);
    }
  }
  return tl_derive(m, callee, &(tl_derivation){intrinsic, name, wrt.count, wrt.data, loc, .adds = adds});
}

bool tl__vjp_adds_to(const tl_func *g, uint32_t leaf) {
  const tl_param *p = &g->params.data[leaf];
  return g->vjp_of && p->origin == TL_ORIGIN_BAR && g->cparams.data[p->cparam].role == TL_ROLE_INOUT;
}
