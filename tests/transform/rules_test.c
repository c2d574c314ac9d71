/* Every rule of rules.def on random and special values: the left side is built from its pattern and evaluated, then
 * rewritten by that rule and evaluated again. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "eval.h"
#include "transform/fold.h"
#include "transform/peephole.h"
#include "transform/transform.h"

typedef struct trial {
  const tl_rule *rule;
  tl_dtype type; /* of x y z c d e */
  tl_value bound[TL_PATTERN_VARIABLES];
  eval_cell cells[TL_PATTERN_VARIABLES];
  tl_builder b;
  tl_region *constants;
} trial;

static const double special[] = {0, -0.0, 1, -1, 2, -2, 0.5, 3, INFINITY, -INFINITY, NAN, 1e300, -1e-300, 5e-324, 7.25};

static eval_cell draw(tl_dtype t, bool is_const, uint64_t *seed) {
  uint64_t r = eval_random(seed);
  if (tl_dtype_is_float(t)) {
    double x = special[r % (sizeof special / sizeof *special)];
    if (r & 0x10000) {
      x = (double)(int64_t)eval_random(seed) / 1e18;
    }
    if (is_const && !isfinite(x)) {
      x = -3.5;
    }
    return (eval_cell){.x = tl_dtype_round(t, x)};
  }
  static const int64_t ints[] = {0, 1, -1, 2, -2, 3, 100, -100, 127, -128};
  return (eval_cell){.i = tl_dtype_wrap(t, r & 0x10000 ? (int64_t)(eval_random(seed) >> (r % 60)) : ints[r % 10])};
}

static tl_value build_const(tl_builder *b, tl_dtype t, eval_cell c) {
  return tl_dtype_is_float(t) ? tl_build_float(b, t, c.x, NULL) : tl_build_int(b, t, c.i);
}

/* Types that make the pattern well formed: those of literals follow their neighbours. */
static tl_value build_left(trial *t, const tl_pattern *p, uint32_t node, tl_dtype wanted) {
  const tl_pattern_node *n = &p->nodes[node];
  if (n->kind == TL_PATTERN_NUMBER) {
    eval_cell c = tl_dtype_is_float(wanted) ? (eval_cell){.x = n->number} : (eval_cell){.i = (int64_t)n->number};
    return build_const(&t->b, wanted, c);
  }
  if (n->kind != TL_PATTERN_OP) {
    return t->bound[n->variable];
  }
  tl_value operands[3];
  for (uint32_t i = 0; i < n->child_count; i++) {
    bool bit = (n->code == TL_OP_select && i == 0) || tl_op_table[n->code].operands == TL_OPERANDS_BOOL;
    const tl_pattern_node *child = &p->nodes[n->child[i]];
    bool from_bit = child->kind == TL_PATTERN_BIT && n->code == TL_OP_cvt;
    operands[i] = build_left(t, p, n->child[i], bit || from_bit ? TL_BOOL : t->type);
  }
  if (n->code == TL_OP_cvt) {
    return tl_build_elementwise(&t->b, TL_OP_cvt, t->type, operands);
  }
  return n->code == TL_OP_select ? tl_build_select(&t->b, operands[0], operands[1], operands[2])
         : n->child_count == 3   ? tl_build_elementwise(&t->b, n->code, t->type, operands)
         : n->child_count == 2   ? tl_build_binary(&t->b, n->code, operands[0], operands[1])
                                 : tl_build_unary(&t->b, n->code, operands[0]);
}

/* False where the left side is undefined for these values: overflow of a signed type counts only where the licence
 * says. */
static bool evaluate(trial *t, tl_value v, bool exact_ints, eval_cell *out) {
  const tl_func *f = t->b.func;
  const tl_op *def = tl_def(f, v);
  for (int i = 0; i < TL_PATTERN_VARIABLES; i++) {
    if (t->bound[i] == v) {
      *out = t->cells[i];
      return true;
    }
  }
  if (def->code == TL_OP_const) {
    *out = tl_dtype_is_float(tl_type_of(f, v).dtype) ? (eval_cell){.x = def->u.floating}
                                                     : (eval_cell){.i = def->u.integer};
    return true;
  }
  eval_cell x[3] = {{0}};
  for (uint32_t i = 0; i < def->operand_count; i++) {
    if (!evaluate(t, def->operands[i], exact_ints, &x[i])) {
      return false;
    }
  }
  tl_dtype from = tl_type_of(f, def->operands[def->code == TL_OP_select ? 1 : 0]).dtype, to = tl_type_of(f, v).dtype;
  bool known = true;
  *out = eval_elementwise(def->code, from, to, x, &known);
  known = known && !(exact_ints && eval_overflows(def->code, to, x));
  return known;
}

/* Far enough from the ends of the normal range for a factor of up to 2^60 on the way. */
static bool is_moderate(tl_dtype t, long double x) {
  long double least = t == TL_F32   ? FLT_MIN
                      : t == TL_F64 ? DBL_MIN
                                    : LDBL_MIN,
              most = t == TL_F32   ? FLT_MAX
                     : t == TL_F64 ? DBL_MAX
                                   : LDBL_MAX;
  return fabsl(x) > least * 0x1p61L && fabsl(x) < most * 0x1p-61L;
}

static bool agrees(const trial *t, tl_dtype type, eval_cell a, eval_cell b) {
  bool is_float = tl_dtype_is_float(type);
  switch (t->rule->licence) {
  case TL_RULE_EXACT:
  case TL_RULE_NO_WRAP:
    return eval_cells_equal(is_float, a, b, true);
  case TL_RULE_ZERO_SIGN:
    return eval_cells_equal(is_float, a, b, false);
  case TL_RULE_RANGE:
    return eval_cells_equal(is_float, a, b, true) || !is_moderate(type, a.x) || !is_moderate(type, b.x);
  }
  return false;
}

/* How often the rule applied to the left side of its own equation with these types. */
static int try_rule(const tl_rule *rule, uint32_t index, tl_dtype type, tl_dtype inner, uint64_t *seed,
                    tl_arena *arena) {
  tl_diag diag;
  tl_diag_init(&diag, arena);
  tl_module *m = tl_module_create(arena, &diag);
  trial t = {.rule = rule, .type = type};
  tl_func *f = tl_func_create(m, "rule");
  t.b = (tl_builder){.func = f, .region = f->body};
  for (int i = 0; i < TL_PATTERN_VARIABLES; i++) {
    tl_dtype v = i >= 6 ? TL_BOOL : rule->guard == TL_RULE_LOSSLESS || rule->guard == TL_RULE_SAME_TYPE ? inner : type;
    bool is_const = i >= 3 && i < 6;
    t.cells[i] = draw(v, is_const, seed);
    t.bound[i] = is_const ? build_const(&t.b, v, t.cells[i]) : tl_region_add_param(f, f->body, tl_scalar(v), NULL);
  }
  tl_pattern left;
  tl__pattern_parse(rule->left, &left);
  tl_value before = build_left(&t, &left, 0, type);
  const tl_op *def = tl_def(f, before);
  tl_dtype result = tl_type_of(f, before).dtype;
  tl_value after = tl__rule_apply(&t.b, index, def->code, result, def->operands);
  if (!after) {
    return 0;
  }
  assert_int_equal(tl_type_of(f, after).dtype, result);
  eval_cell x, y;
  if (!evaluate(&t, before, rule->licence == TL_RULE_NO_WRAP, &x)) {
    return 0;
  }
  bool defined = evaluate(&t, after, false, &y);
  if (!defined || !agrees(&t, result, x, y)) {
    fail_msg("rule %s on %s: %Lg (%lld) became %Lg (%lld)", rule->name, tl_dtype_name(type), x.x, (long long)x.i, y.x,
             (long long)y.i);
  }
  return 1;
}

static void every_rule_holds(void **state) {
  (void)state;
  uint64_t seed = 1;
  for (uint32_t i = 0; i < tl_rule_count; i++) {
    const tl_rule *rule = &tl_rule_table[i];
    int applied = 0;
    for (tl_dtype type = 0; type < TL_DTYPE_COUNT; type++) {
      if (!tl__rule_admits(rule->types, type) || tl_dtype_is_stored_only(type)) {
        continue;
      }
      for (int k = 0; k < 120; k++) {
        tl_arena arena;
        tl_arena_init(&arena);
        applied += try_rule(rule, i, type, (tl_dtype)(k % TL_DTYPE_COUNT), &seed, &arena);
        tl_arena_deinit(&arena);
      }
    }
    if (!applied) {
      fail_msg("rule %s never applied", rule->name);
    }
  }
}

/* Random constants of every type through every op and conversion: what is folded is what the evaluator gives. */
static int fold_once(tl_opcode code, tl_dtype from, tl_dtype to, uint64_t *seed, tl_arena *arena) {
  tl_diag diag;
  tl_diag_init(&diag, arena);
  tl_module *m = tl_module_create(arena, &diag);
  tl_func *f = tl_func_create(m, "fold");
  tl_builder b = {.func = f, .region = f->body};
  eval_cell x[3] = {{0}};
  tl_value operands[3] = {0};
  for (int i = 0; i < tl_op_table[code].arity; i++) {
    x[i] = draw(from, true, seed);
    operands[i] = build_const(&b, from, x[i]);
  }
  tl_value folded = tl__fold(&b, code, to, operands);
  if (!folded) {
    return 0;
  }
  bool known = true;
  const tl_op *def = tl_def(f, folded);
  eval_cell want = eval_elementwise(code, from, to, x, &known), got = {.i = def->u.integer};
  if (tl_dtype_is_float(to)) {
    got = (eval_cell){.x = def->u.floating};
  }
  if (known && !eval_cells_equal(tl_dtype_is_float(to), want, got, true)) {
    fail_msg("%s of %s: %Lg (%lld) is folded to %Lg (%lld)", tl_op_table[code].name, tl_dtype_name(from), want.x,
             (long long)want.i, got.x, (long long)got.i);
  }
  return known;
}

static void every_fold_holds(void **state) {
  (void)state;
  uint64_t seed = 7;
  int folded = 0;
  for (uint32_t code = 0; code < TL_OP_COUNT; code++) {
    const tl_op_info *row = &tl_op_table[code];
    bool alike = row->operands == TL_OPERANDS_NUM || row->operands == TL_OPERANDS_INT ||
                 row->operands == TL_OPERANDS_FLT || row->operands == TL_OPERANDS_BOOL ||
                 row->operands == TL_OPERANDS_ANY;
    for (tl_dtype from = 0; row->elementwise && alike && from < TL_DTYPE_COUNT; from++) {
      bool is_float = tl_dtype_is_float(from);
      if (tl_dtype_is_stored_only(from)) {
        continue; /* no op has such a scalar */
      }
      bool fits = row->operands == TL_OPERANDS_ANY || (row->operands == TL_OPERANDS_NUM && from != TL_BOOL) ||
                  (row->operands == TL_OPERANDS_INT && !is_float) || (row->operands == TL_OPERANDS_FLT && is_float) ||
                  (row->operands == TL_OPERANDS_BOOL && from == TL_BOOL);
      for (int k = 0; fits && k < 200; k++) {
        tl_dtype to = row->result == TL_RESULT_BOOL    ? TL_BOOL
                      : row->result == TL_RESULT_GIVEN ? (tl_dtype)(k % TL_DTYPE_COUNT)
                      : row->result == TL_RESULT_I32   ? TL_I32
                                                       : from;
        tl_arena arena;
        tl_arena_init(&arena);
        folded += fold_once((tl_opcode)code, from, to, &seed, &arena);
        tl_arena_deinit(&arena);
      }
    }
  }
  assert_true(folded > 10000);
}

/* The check itself: a wrong equation has to be found out. */
static void wrong_values_are_seen(void **state) {
  (void)state;
  trial exact = {.rule = &(tl_rule){.licence = TL_RULE_EXACT}},
        zero = {.rule = &(tl_rule){.licence = TL_RULE_ZERO_SIGN}};
  eval_cell plus = {.x = 0}, minus = {.x = -0.0L}, one = {.x = 1}, next = {.x = nextafter(1, 2)}, nan = {.x = NAN};
  assert_false(agrees(&exact, TL_F64, plus, minus));
  assert_true(agrees(&zero, TL_F64, plus, minus));
  assert_false(agrees(&zero, TL_F64, one, next));
  assert_false(agrees(&exact, TL_F64, one, next));
  assert_false(agrees(&exact, TL_F64, one, nan));
  assert_true(agrees(&exact, TL_F64, nan, nan));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_rule_holds), cmocka_unit_test(every_fold_holds),
                                     cmocka_unit_test(wrong_values_are_seen)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
