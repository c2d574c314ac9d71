#include <math.h>
#include <string.h>

#include "gen_priv.h"

static ex make(const char *s, double lo, double hi) { return (ex){s, lo, hi}; }

/* --- integers and indices --- */

static var *pick_var(gen *g, bool (*fits)(const gen *, const var *, const void *), const void *ctx) {
  int fitting[MAX_VARS], count = 0;
  for (int i = 0; i < g->var_count; i++) {
    if (fits(g, &g->vars[i], ctx)) {
      fitting[count++] = i;
    }
  }
  /* Newer ones are likelier: what was just computed gets used. */
  if (!count) {
    return NULL;
  }
  unsigned a = gen_pick(g, (unsigned)count), b = gen_pick(g, (unsigned)count);
  return &g->vars[fitting[a > b ? a : b]];
}

static bool is_below(const gen *g, const var *v, const void *ctx) {
  (void)g;
  const extent *e = ctx;
  return v->kind == VAR_INT && v->lo >= 0 && (v->hi < e->min || (v->below[0] && !strcmp(v->below, e->text)));
}

static bool is_natural(const gen *g, const var *v, const void *ctx) {
  (void)g, (void)ctx;
  return v->kind == VAR_INT && v->lo >= 0 && v->hi < 64;
}

static bool is_gather(const gen *g, const var *v, const void *ctx) {
  (void)g;
  const extent *e = ctx;
  return v->kind == VAR_INTS && v->lo >= 0 && v->hi < e->min;
}

static bool is_small_real(const gen *g, const var *v, const void *ctx) {
  (void)g, (void)ctx;
  return v->kind == VAR_REAL && !v->sum;
}

const char *gen_index(gen *g, const extent *e) {
  switch (gen_pick(g, 9)) {
  case 8: { /* a value that is active chooses the element */
    var *v = gen_may(g, GEN_HAS_active_branches) ? pick_var(g, is_small_real, NULL) : NULL;
    if (v) {
      gen_mark(g, GEN_HAS_active_branches);
      return gen_format(g, "(int)(7 + 1.37 * %s) %% (int)(%s)", v->name, e->text);
    }
    break;
  }
  case 0:
  case 1:
  case 2:
  case 3: {
    var *v = pick_var(g, is_below, e);
    if (v) {
      return v->name;
    }
    break;
  }
  case 4: {
    var *v = pick_var(g, is_below, e);
    if (v) {
      return gen_format(g, "%s - 1 - %s", e->text, v->name);
    }
    break;
  }
  case 5: {
    var *v = pick_var(g, is_natural, NULL);
    if (v && gen_may(g, GEN_HAS_integers)) {
      gen_mark(g, GEN_HAS_integers);
      switch (gen_pick(g, 4)) {
      case 0:
        return gen_format(g, "(%s + 1) %% %s", v->name, e->text);
      case 1:
        return gen_format(g, "(%s * 3 + 1) %% %s", v->name, e->text);
      case 2:
        return gen_format(g, "((size_t)%s + 2) %% (size_t)(%s)", v->name, e->text);
      default:
        return gen_format(g, "(int)((unsigned)%s * 2654435761u %% (unsigned)(%s))", v->name, e->text);
      }
    }
    break;
  }
  case 6: {
    var *v = gen_may(g, GEN_HAS_gathers) ? pick_var(g, is_gather, e) : NULL;
    const char *inner = v ? gen_index(g, &v->extents[0]) : NULL;
    if (inner) {
      gen_mark(g, GEN_HAS_gathers);
      return gen_format(g, "%s[%s]", v->name, inner);
    }
    break;
  }
  default:
    break;
  }
  return e->min > 0 ? gen_format(g, "%u", gen_pick(g, (unsigned)e->min)) : NULL;
}

static bool is_int(const gen *g, const var *v, const void *ctx) {
  (void)g, (void)ctx;
  return v->kind == VAR_INT;
}

/* An inactive integer of small range. */
const char *gen_integer(gen *g, int *lo, int *hi) {
  var *v = pick_var(g, is_int, NULL);
  if (!v) {
    *lo = *hi = (int)gen_pick(g, 5);
    return gen_format(g, "%d", *lo);
  }
  *lo = v->lo, *hi = v->hi;
  switch (gen_pick(g, 7)) {
  case 1:
    *lo -= 1, *hi -= 1;
    return gen_format(g, "((int)%s - 1)", v->name);
  case 2:
    *lo = v->lo < 0 ? -2 : 0, *hi = 2;
    return gen_format(g, "(%s %% 3)", v->name);
  case 3:
    *lo = 0, *hi = 3;
    return gen_format(g, "(%s & 3)", v->name);
  case 4:
    *lo = -2 * v->hi, *hi = -2 * v->lo;
    return gen_format(g, "(-2 * (int)%s)", v->name);
  case 5:
    *lo = 0, *hi = 7;
    return gen_format(g, "((%s ^ 5) & 7)", v->name);
  case 6:
    *lo = v->lo / 2 - 1, *hi = v->hi / 2 + 1;
    return gen_format(g, v->lo >= 0 ? "(%s >> 1)" : "(%s / 2)", v->name);
  default:
    return v->name;
  }
}

/* --- places --- */

const char *gen_literal(gen *g, double *value) {
  static const char *const texts[] = {"0.5", "0.75", "1.25", "0.3", "1.1", "0.9", "0.61", "1e-1", "0.37", "0.83"};
  static const double values[] = {0.5, 0.75, 1.25, 0.3, 1.1, 0.9, 0.61, 0.1, 0.37, 0.83};
  unsigned k = gen_pick(g, 10);
  *value = values[k];
  return texts[k];
}

const char *gen_struct_member(gen *g, int structure, const char *base, bool arrow, gen_real *type) {
  const gen_struct *s = &g->p->structs[structure];
  int fitting[GEN_MAX_FIELDS], count = 0;
  for (int i = 0; i < s->count; i++) {
    if (!s->fields[i].is_int) {
      fitting[count++] = i;
    }
  }
  const gen_field *f = &s->fields[fitting[gen_pick(g, (unsigned)count)]];
  const char *text = gen_format(g, "%s%s%s", base, arrow ? "->" : ".", f->name);
  if (f->nested >= 0) {
    gen_mark(g, GEN_HAS_nested_structs);
    if (f->extent) {
      extent e = {.min = f->extent, .max = f->extent};
      gen_set(e.text, sizeof e.text, "%d", f->extent);
      text = gen_format(g, "%s[%s]", text, gen_index(g, &e));
    }
    return gen_struct_member(g, f->nested, text, false, type);
  }
  *type = f->type;
  if (f->extent) {
    extent e = {.min = f->extent, .max = f->extent};
    gen_set(e.text, sizeof e.text, "%d", f->extent);
    text = gen_format(g, "%s[%s]", text, gen_index(g, &e));
  }
  return text;
}

static bool is_real_place(const gen *g, const var *v, const void *ctx) {
  (void)g;
  const bool *writable = ctx;
  return (v->kind == VAR_REAL || v->kind == VAR_ARRAY || v->kind == VAR_STRUCT || v->kind == VAR_STRUCTS) &&
         (!*writable || v->writable);
}

bool gen_real_at_hand(gen *g, bool writable) {
  for (int i = 0; i < g->var_count; i++) {
    if (is_real_place(g, &g->vars[i], &writable)) {
      return true;
    }
  }
  return false;
}

/* The text of a floating lvalue; out_var's type is set to the place's for structs. */
const char *gen_real_ref(gen *g, bool writable, var **out_var) {
  var *v = pick_var(g, is_real_place, &writable);
  *out_var = v;
  if (!v) {
    return NULL;
  }
  switch (v->kind) {
  case VAR_REAL:
    return v->name;
  case VAR_ARRAY: {
    if (v->is_pointer && (v->extents[0].max == 1 || gen_chance(g, 20))) { /* a cell says by its use that it is one */
      return gen_format(g, gen_chance(g, 50) ? "*%s" : "%s[0]", v->name);
    }
    const char *i = gen_index(g, &v->extents[0]);
    if (v->rank == 1) {
      return v->is_pointer && gen_chance(g, 15) ? gen_format(g, "*(%s + (%s))", v->name, i)
                                                : gen_format(g, "%s[%s]", v->name, i);
    }
    return gen_format(g, "%s[%s][%s]", v->name, i, gen_index(g, &v->extents[1]));
  }
  case VAR_STRUCT: {
    gen_real type;
    return gen_struct_member(g, v->structure, v->name, v->arrow, &type);
  }
  case VAR_STRUCTS: {
    gen_real type;
    const char *element = gen_format(g, "%s[%s]", v->name, gen_index(g, &v->extents[0]));
    return gen_struct_member(g, v->structure, element, false, &type);
  }
  case VAR_INT:
  case VAR_INTS:
    break;
  }
  return NULL;
}

bool gen_uses(const char *expression, const char *name) {
  size_t length = strlen(name);
  for (const char *at = expression; (at = strstr(at, name)); at += length) {
    char before = at == expression ? ' ' : at[-1], after = at[length];
    bool word = (before >= 'a' && before <= 'z') || (before >= '0' && before <= '9') || before == '_';
    word = word || (after >= 'a' && after <= 'z') || (after >= '0' && after <= '9') || after == '_';
    if (!word) {
      return true;
    }
  }
  return false;
}

/* --- expressions --- */

static ex leaf(gen *g) {
  if (gen_real_at_hand(g, false) && !gen_chance(g, 12)) {
    var *v;
    const char *s = gen_real_ref(g, false, &v);
    double bound = v->kind == VAR_REAL && v->sum ? 1000 : 2;
    return make(s, -bound, bound);
  }
  if (gen_chance(g, 40)) {
    int lo, hi;
    const char *i = gen_integer(g, &lo, &hi);
    gen_mark(g, GEN_HAS_integers);
    double f;
    const char *scale = gen_literal(g, &f);
    double a = lo * f, b = hi * f;
    return make(gen_format(g, gen_chance(g, 50) ? "(%s * %s)" : "((double)%s * %s)", i, scale), a, b);
  }
  double v;
  const char *s = gen_literal(g, &v);
  return make(s, v, v);
}

static const char *suffix(gen *g) {
  if (g->float_share && gen_chance(g, (unsigned)g->float_share / 2)) {
    g->p->has_float = true;
    return "f";
  }
  if (g->wide_share && gen_chance(g, (unsigned)g->wide_share / 2)) {
    gen_mark(g, GEN_HAS_long_doubles);
    return "l";
  }
  return "";
}

static ex call1(gen *g, const char *f, const char *argument, double lo, double hi) {
  return make(gen_format(g, "%s%s(%s)", f, suffix(g), argument), lo, hi);
}

/* Something of any size brought into [-2, 2], smoothly. */
static ex squash(gen *g, ex e) {
  const char *s = e.s;
  bool huge = fmax(fabs(e.lo), fabs(e.hi)) > 20;
  if (huge) {
    s = gen_format(g, "0.01 * %s", s);
  }
  unsigned way = gen_pick(g, 8);
  switch (strlen(e.s) > 40 && way >= 5 ? 0 : way) {
  case 1:
    return call1(g, "tanh", s, -1, 1);
  case 2:
    return call1(g, "cos", s, -1, 1);
  case 3:
    return call1(g, "atan", s, -1.6, 1.6);
  case 4:
    return call1(g, "erf", s, -1, 1);
  case 5:
    return make(gen_format(g, "(%s / (1.5 + %s * %s))", e.s, e.s, e.s), -0.5, 0.5);
  case 6:
    return make(gen_format(g, "(2 / (1 + %s * %s))", e.s, e.s), 0, 2);
  default:
    return call1(g, "sin", s, -1, 1);
  }
}

static ex within(gen *g, ex e, double bound) {
  if (e.lo >= -bound && e.hi <= bound) {
    return e;
  }
  double size = fmax(fabs(e.lo), fabs(e.hi));
  if (size <= 4 * bound && gen_chance(g, 40)) {
    double f = bound / size > 0.5 ? 0.5 : bound / size > 0.25 ? 0.25 : bound / size > 0.125 ? 0.125 : 0.0625;
    if (size * f <= bound) {
      return make(gen_format(g, "(%g * %s)", f, e.s), e.lo * f, e.hi * f);
    }
  }
  e = squash(g, e);
  if (e.lo < -bound || e.hi > bound) {
    e = make(gen_format(g, "(%g * %s)", bound / 2, e.s), e.lo * bound / 2, e.hi * bound / 2);
  }
  return e;
}

ex gen_bounded(gen *g, int depth, double bound) { return within(g, gen_expr(g, depth), bound); }

/* Functions on domains where they are smooth, each about a bounded argument u in [-2, 2]. */
static ex unary(gen *g, int depth) {
  ex e = gen_bounded(g, depth - 1, 2);
  const char *u = e.s;
  gen_mark(g, GEN_HAS_math);
#define SQUARE(text) gen_format(g, text, u, u)
#define SINE(text) gen_format(g, text, u)
  switch (gen_pick(g, 42)) {
  case 0:
    return call1(g, "sin", u, -1, 1);
  case 1:
    return call1(g, "cos", u, -1, 1);
  case 2:
    return call1(g, "exp", SINE("0.5 * %s"), 0.3, 2.8);
  case 3:
    return call1(g, "log", SQUARE("1.3 + %s * %s"), 0.2, 1.7);
  case 4:
    return call1(g, "sqrt", SQUARE("1.1 + %s * %s"), 1, 2.3);
  case 5:
    return call1(g, "tanh", u, -1, 1);
  case 6:
    return call1(g, "exp2", SINE("0.7 * %s"), 0.3, 2.7);
  case 7:
    return call1(g, "expm1", SINE("0.5 * %s"), -0.7, 1.8);
  case 8:
    return call1(g, "log2", SQUARE("1.2 + %s * %s"), 0.2, 2.5);
  case 9:
    return call1(g, "log10", SQUARE("1.4 + %s * %s"), 0.1, 0.8);
  case 10:
    return call1(g, "log1p", SQUARE("0.4 + %s * %s"), 0.3, 1.7);
  case 11:
    return call1(g, "tan", SINE("0.5 * %s"), -1.6, 1.6);
  case 12:
    return call1(g, "asin", SINE("0.45 * %s"), -1.2, 1.2);
  case 13:
    return call1(g, "acos", SINE("0.4 * %s"), 0.6, 2.6);
  case 14:
    return call1(g, "atan", u, -1.2, 1.2);
  case 15:
    return call1(g, "sinh", SINE("0.6 * %s"), -1.6, 1.6);
  case 16:
    return call1(g, "cosh", SINE("0.6 * %s"), 1, 1.9);
  case 17:
    return call1(g, "asinh", u, -1.5, 1.5);
  case 18:
    return call1(g, "acosh", SQUARE("1.5 + %s * %s"), 0.9, 2.4);
  case 19:
    return call1(g, "atanh", SINE("0.4 * %s"), -1.2, 1.2);
  case 20:
    return call1(g, "erf", u, -1, 1);
  case 21:
    return call1(g, "erfc", u, 0, 2);
  case 22:
    return call1(g, "lgamma", SQUARE("1.6 + %s * %s"), -0.2, 4.5);
  case 23:
    return call1(g, "tgamma", SINE("2.7 + 0.5 * %s"), 0.8, 4.4);
  case 24:
    return call1(g, "j0", u, -1, 1);
  case 25:
    return call1(g, "j1", u, -1, 1);
  case 26:
    return call1(g, "y0", SQUARE("1.2 + %s * %s"), -1, 1);
  case 27:
    return call1(g, "y1", SQUARE("1.2 + %s * %s"), -1, 1);
  case 28: {
    int k = (int)gen_pick(g, 4);
    return make(gen_format(g, "jn(%d, %s)", k, u), -1, 1);
  }
  case 29: {
    int k = (int)gen_pick(g, 3);
    return make(gen_format(g, "yn(%d, 1.7 + %s * %s)", k, u, u), -1.2, 1.2);
  }
  case 30:
    return call1(g, "cbrt", SINE("2.6 + %s"), 0.8, 1.7);
  case 31:
    return call1(g, "fabs", u, 0, 2);
  case 32: {
    static const char *const names[] = {"floor", "ceil", "trunc", "round", "rint", "nearbyint"};
    const char *f = names[gen_pick(g, 6)];
    return make(gen_format(g, "(%s(%s) + 0.3 * %s)", f, u, u), -2.6, 2.6);
  }
  case 33: {
    int k = (int)gen_pick(g, 4) - 2;
    const char *f = gen_chance(g, 50) ? "ldexp" : gen_chance(g, 50) ? "scalbn" : "scalbln";
    return make(gen_format(g, "%s(%s, %d)", f, u, k), -4, 4);
  }
  case 34:
    return make(gen_format(g, "(logb(2.9 + %s) + %s)", u, u), -2.5, 4.5);
  case 35:
    return make(gen_format(g, "(0.25 * ilogb(3.1 + %s) + %s)", u, u), -2.5, 3);
  case 36:
    return make(gen_format(g, "((signbit(%s) ? 0.25 : 0.5) * %s)", u, u), -1, 1);
  case 37:
    return make(gen_format(g, "((isnan(%s) || isinf(%s)) ? 0.0 : %s)", u, u, u), -2, 2);
  default:
    return call1(g, "sin", SINE("1.2 * %s"), -1, 1);
  }
#undef SQUARE
#undef SINE
}

static ex binary(gen *g, int depth) {
  ex a = gen_bounded(g, depth - 1, 2), b = gen_bounded(g, depth - 1, 2);
  gen_mark(g, GEN_HAS_math);
#define TWO(text, lo, hi) make(gen_format(g, text, suffix(g), a.s, b.s), lo, hi)
  switch (gen_pick(g, 16)) {
  case 1:
    return TWO("atan2%s(%s, 2.5 + %s)", -1.6, 1.6);
  case 2:
    return TWO("hypot%s(%s, 2.3 + %s)", 0.3, 4.8);
  case 3:
    return TWO("fmax%s(%s, %s)", -2, 2);
  case 4:
    return TWO("fmin%s(%s, %s)", -2, 2);
  case 5:
    return TWO("fdim%s(%s, %s)", 0, 4);
  case 6:
    return TWO("fmod%s(3 * %s, 2.7 + 0.5 * %s)", -3.8, 3.8);
  case 7:
    return TWO("remainder%s(2 * %s, 2.6 + 0.5 * %s)", -1.9, 1.9);
  case 8:
    return TWO("copysign%s(1.3 + 0.4 * %s, %s)", -2.2, 2.2);
  case 9:
    return TWO("nextafter%s(%s, %s)", -2, 2);
  case 10:
    return make(gen_format(g, "fma(%s, %s, 0.7 * %s)", a.s, b.s, a.s), -5.5, 5.5);
  case 11:
    return make(gen_format(g, "pow(%s, %u)", a.s, 2 + gen_pick(g, 2)), -8, 8);
  case 12:
    return make(gen_format(g, "pow(1.6 + 0.3 * %s, %s)", a.s, gen_chance(g, 50) ? "1.5" : "-0.5"), 0.6, 3.3);
  case 13:
    return make(gen_format(g, "(atan2(2.5 + %s, 0.5 * %s) - 1)", a.s, b.s), -1.1, 2.2);
  default:
    return TWO("pow%s(1.6 + 0.3 * %s, 0.5 * %s)", 0.4, 2.3);
  }
#undef TWO
}

ex gen_expr(gen *g, int depth) {
  if (depth <= 0) {
    return leaf(g);
  }
  switch (gen_pick(g, 20)) {
  case 0:
  case 1:
    return leaf(g);
  case 2:
  case 3:
  case 4: {
    ex a = gen_expr(g, depth - 1), b = gen_expr(g, depth - 1);
    return make(gen_format(g, "(%s + %s)", a.s, b.s), a.lo + b.lo, a.hi + b.hi);
  }
  case 5:
  case 6: {
    ex a = gen_expr(g, depth - 1), b = gen_expr(g, depth - 1);
    return make(gen_format(g, "(%s - %s)", a.s, b.s), a.lo - b.hi, a.hi - b.lo);
  }
  case 7:
  case 8:
  case 9:
  case 10: {
    ex a = gen_bounded(g, depth - 1, 4), b = gen_bounded(g, depth - 1, 4);
    double p = fmin(fmin(a.lo * b.lo, a.lo * b.hi), fmin(a.hi * b.lo, a.hi * b.hi));
    double q = fmax(fmax(a.lo * b.lo, a.lo * b.hi), fmax(a.hi * b.lo, a.hi * b.hi));
    return make(gen_format(g, "(%s * %s)", a.s, b.s), p, q);
  }
  case 11: {
    ex a = gen_bounded(g, depth - 1, 4), b = gen_bounded(g, depth - 1, 2);
    double q = fmax(fabs(a.lo), fabs(a.hi));
    if (gen_chance(g, 50)) {
      return make(gen_format(g, "(%s / (2.5 + %s))", a.s, b.s), -2 * q, 2 * q);
    }
    return make(gen_format(g, "(%s / (1.5 + %s * %s))", a.s, b.s, b.s), -q, q);
  }
  case 12: {
    ex a = gen_expr(g, depth - 1);
    return make(gen_format(g, "(-%s)", a.s), -a.hi, -a.lo);
  }
  case 13:
    if (gen_may(g, GEN_HAS_conditionals)) {
      const char *c = gen_condition(g, 1);
      ex a = gen_expr(g, depth - 1), b = gen_expr(g, depth - 1);
      gen_mark(g, GEN_HAS_conditionals);
      return make(gen_format(g, "(%s ? %s : %s)", c, a.s, b.s), fmin(a.lo, b.lo), fmax(a.hi, b.hi));
    }
    return leaf(g);
  case 14:
    if (gen_may(g, GEN_HAS_calls) && gen_has_call(g, true, false)) {
      gen_real type;
      const char *text = gen_call(g, true, -1, &type);
      return text ? make(text, -2, 2) : leaf(g);
    }
    return leaf(g);
  case 15:
    return binary(g, depth);
  default:
    return unary(g, depth);
  }
}

/* --- conditions --- */

const char *gen_inactive_condition(gen *g) {
  int lo, hi;
  const char *i = gen_integer(g, &lo, &hi);
  switch (gen_pick(g, 6)) {
  case 1:
    return gen_format(g, "%s %% 2 == 0", i);
  case 2:
    return gen_format(g, "%s != %d", i, lo + (hi > lo ? 1 : 0));
  case 3:
    return gen_format(g, "%s >= %d", i, (lo + hi + 1) / 2);
  case 4:
    return gen_format(g, "!(%s & 1)", i);
  case 5: {
    int lo2, hi2;
    const char *j = gen_integer(g, &lo2, &hi2);
    return gen_format(g, "%s < %s", i, j);
  }
  default:
    return gen_format(g, "%s == %d", i, hi);
  }
}

const char *gen_condition(gen *g, int depth) {
  switch (gen_pick(g, 6)) {
  case 1:
  case 2:
    if (gen_may(g, GEN_HAS_active_branches) && gen_real_at_hand(g, false)) {
      var *v, *w;
      const char *a = gen_real_ref(g, false, &v);
      gen_mark(g, GEN_HAS_active_branches);
      switch (gen_pick(g, 4)) {
      case 1:
        return gen_format(g, "%s < 0.2137", a);
      case 2:
        return gen_format(g, "fabs(%s) < 0.8531", a);
      case 3: {
        const char *b = gen_real_ref(g, false, &w);
        return gen_format(g, "%s <= %s + 0.1173", a, b);
      }
      default:
        return gen_format(g, "%s > 0.3719", a);
      }
    }
    return gen_inactive_condition(g);
  case 3:
    if (depth > 0 && gen_may(g, GEN_HAS_short_circuits)) {
      const char *a = gen_condition(g, depth - 1), *b = gen_condition(g, depth - 1);
      gen_mark(g, GEN_HAS_short_circuits);
      return gen_format(g, gen_chance(g, 50) ? "(%s && %s)" : "(%s || %s)", a, b);
    }
    return gen_inactive_condition(g);
  case 4:
    if (depth > 0) {
      return gen_format(g, "!(%s)", gen_condition(g, depth - 1));
    }
    return gen_inactive_condition(g);
  default:
    return gen_inactive_condition(g);
  }
}
