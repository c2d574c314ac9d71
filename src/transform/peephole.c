/* Rewrites one elementwise op by the rules of rules.def. The rules are parsed once a thread and sorted by the op at
 * their root; matching walks the pattern and the definitions of the operands side by side. */
#include "transform/peephole.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "transform/fold.h"
#include "transform/rewrite.h"
#include "transform/transform.h"

const tl_rule tl_rule_table[] = {
#define TL_RULE(name, types, licence, guard, left, right)                                                              \
  {#name, TL_RULE_##types, TL_RULE_##licence, TL_RULE_##guard, left, right},
#include "transform/rules.def"
};
enum { RULE_COUNT = sizeof tl_rule_table / sizeof *tl_rule_table };
const uint32_t tl_rule_count = RULE_COUNT;

static tl_opcode opcode_of(const char *name, size_t length) {
  for (uint32_t i = 0; i < TL_OP_COUNT; i++) {
    if (strlen(tl_op_table[i].name) == length && !memcmp(tl_op_table[i].name, name, length)) {
      return (tl_opcode)i;
    }
  }
  assert(!"a rule names an op that does not exist");
  return TL_OP_COUNT;
}

static uint32_t parse_node(const char **at, tl_pattern *p) {
  assert(p->count < TL_PATTERN_NODES);
  uint32_t id = p->count++;
  tl_pattern_node n = {0};
  const char *s = *at;
  static const char variables[] = "xyzcdeab";
  const char *variable = *s ? strchr(variables, *s) : NULL;
  if (*s == '(') {
    size_t length = strcspn(++s, " )");
    n.kind = TL_PATTERN_OP;
    n.code = opcode_of(s, length);
    s += length;
    while (*s == ' ') {
      s++;
      n.child[n.child_count++] = parse_node(&s, p);
    }
    assert(*s == ')' && (int)n.child_count == tl_op_table[n.code].arity);
    s++;
  } else if (variable) {
    n.variable = (uint32_t)(variable - variables);
    n.kind = n.variable < 3 ? TL_PATTERN_VALUE : n.variable < 6 ? TL_PATTERN_CONST : TL_PATTERN_BIT;
    s++;
  } else {
    char *end;
    n.kind = TL_PATTERN_NUMBER;
    n.number = strtod(s, &end);
    assert(end != s);
    s = end;
  }
  p->nodes[id] = n;
  *at = s;
  return id;
}

void tl__pattern_parse(const char *text, tl_pattern *out) {
  out->count = 0;
  parse_node(&text, out);
  assert(!*text);
}

typedef struct parsed_rule {
  tl_pattern left, right;
  uint32_t next; /* rule with the same op at the root, plus one */
} parsed_rule;

static _Thread_local struct {
  bool ready;
  parsed_rule rules[RULE_COUNT];
  uint32_t first[TL_OP_COUNT]; /* plus one; in table order */
} table;

static void prepare(void) {
  for (uint32_t i = RULE_COUNT; i-- > 0;) {
    parsed_rule *r = &table.rules[i];
    tl__pattern_parse(tl_rule_table[i].left, &r->left);
    tl__pattern_parse(tl_rule_table[i].right, &r->right);
    tl_opcode root = r->left.nodes[0].code;
    r->next = table.first[root];
    table.first[root] = i + 1;
  }
  table.ready = true;
}

bool tl__rule_admits(tl_rule_types types, tl_dtype t) {
  bool is_float = tl_dtype_is_float(t), is_bit = t == TL_BOOL, is_unsigned = tl_dtype_is_unsigned(t);
  switch (types) {
  case TL_RULE_NUM:
    return !is_bit;
  case TL_RULE_INT:
    return !is_bit && !is_float;
  case TL_RULE_SGN:
    return !is_unsigned && !is_float;
  case TL_RULE_UNS:
    return is_unsigned && !is_bit;
  case TL_RULE_FLT:
    return is_float;
  case TL_RULE_BIT:
    return is_bit;
  case TL_RULE_WRD:
    return !is_float;
  case TL_RULE_ANY:
    return true;
  }
  return false;
}

bool tl__cvt_is_lossless(tl_dtype from, tl_dtype to) {
  if (from == to || from == TL_BOOL) {
    return true;
  }
  if (to == TL_BOOL) {
    return false;
  }
  if (tl_dtype_is_float(from)) {
    return to >= from && tl_dtype_is_float(to); /* F32, F64, F80 */
  }
  int from_bits = 8 * (int)tl_dtype_size(from) - !tl_dtype_is_unsigned(from);
  if (tl_dtype_is_float(to)) {
    return from_bits <= (to == TL_F32 ? 24 : to == TL_F64 ? 53 : 64);
  }
  if (tl_dtype_is_unsigned(to)) {
    return tl_dtype_is_unsigned(from) && from_bits <= 8 * (int)tl_dtype_size(to);
  }
  return from_bits <= 8 * (int)tl_dtype_size(to) - 1;
}

typedef struct match {
  const tl_func *func;
  const tl_rule *rule;
  const tl_pattern *pattern;
  tl_value bound[TL_PATTERN_VARIABLES];
} match;

static bool match_value(match *m, uint32_t node, tl_value v);

static bool match_operands(match *m, const tl_pattern_node *n, const tl_value *operands) {
  tl_value saved[TL_PATTERN_VARIABLES];
  memcpy(saved, m->bound, sizeof saved);
  bool ok = true;
  for (uint32_t i = 0; ok && i < n->child_count; i++) {
    ok = match_value(m, n->child[i], operands[i]);
  }
  if (!ok && tl__op_is_commutative(n->code)) {
    memcpy(m->bound, saved, sizeof saved);
    ok = match_value(m, n->child[0], operands[1]) && match_value(m, n->child[1], operands[0]);
  }
  if (!ok) {
    memcpy(m->bound, saved, sizeof saved);
  }
  return ok;
}

static bool is_number(const tl_func *f, tl_value v, double number) {
  int64_t i;
  if (tl_is_const_int(f, v, &i)) {
    return !(number == 0 && signbit(number)) && i == tl_dtype_wrap(tl_type_of(f, v).dtype, (int64_t)number);
  }
  long double x;
  return tl_is_const_float(f, v, &x) && x == number && !signbit(x) == !signbit(number);
}

static bool match_value(match *m, uint32_t node, tl_value v) {
  const tl_pattern_node *n = &m->pattern->nodes[node];
  tl_dtype t = tl_type_of(m->func, v).dtype;
  const tl_op *def = tl_def(m->func, v);
  switch (n->kind) {
  case TL_PATTERN_OP:
    return def && def->code == n->code && match_operands(m, n, def->operands);
  case TL_PATTERN_NUMBER:
    return tl__rule_admits(m->rule->types, t) && is_number(m->func, v, n->number);
  case TL_PATTERN_CONST:
    if (!def || def->code != TL_OP_const) {
      return false;
    }
    break;
  case TL_PATTERN_BIT:
  case TL_PATTERN_VALUE:
    break;
  }
  if (m->bound[n->variable]) {
    return tl__same_value(m->func, m->bound[n->variable], v);
  }
  if (!(n->kind == TL_PATTERN_BIT ? t == TL_BOOL : tl__rule_admits(m->rule->types, t))) {
    return false;
  }
  m->bound[n->variable] = v;
  return true;
}

static bool is_negative(const tl_func *f, tl_value v) {
  int64_t i;
  if (tl_is_const_int(f, v, &i)) {
    tl_dtype t = tl_type_of(f, v).dtype;
    return i < 0 && !tl_dtype_is_unsigned(t) && tl_dtype_wrap(t, (int64_t)-(uint64_t)i) > 0;
  }
  long double x;
  return tl_is_const_float(f, v, &x) && x < 0;
}

/* A power of 2 with an exponent that leaves the other factor's range almost whole. */
static bool is_power(const tl_func *f, tl_value v, bool *out_moderate) {
  long double x;
  int exponent;
  if (!tl_is_const_float(f, v, &x) || x == 0 || !isfinite(x)) {
    *out_moderate = false;
    return false;
  }
  long double fraction = frexpl(x, &exponent);
  *out_moderate = exponent > -60 && exponent < 60;
  return fabsl(fraction) == 0.5L;
}

static bool guard_holds(const match *m, tl_dtype result, const tl_value *operands) {
  tl_dtype x = m->bound[0] ? tl_type_of(m->func, m->bound[0]).dtype : result;
  switch (m->rule->guard) {
  case TL_RULE_ALWAYS:
    return true;
  case TL_RULE_LOSSLESS:
    return tl__cvt_is_lossless(x, tl_type_of(m->func, operands[0]).dtype);
  case TL_RULE_SAME_TYPE:
    return x == result;
  case TL_RULE_NEGATIVE:
    return is_negative(m->func, m->bound[3]);
  case TL_RULE_POWER: {
    bool moderate_c, moderate_d, power = is_power(m->func, m->bound[3], &moderate_c);
    is_power(m->func, m->bound[4], &moderate_d);
    return power && moderate_c && moderate_d;
  }
  }
  return false;
}

/* Whether the operations on constants of a right side stay within a signed type; `value` is the node's where it is
 * such. */
static bool stays_in_range(const match *m, const tl_pattern *right, uint32_t node, int64_t *value, bool *is_const) {
  const tl_pattern_node *n = &right->nodes[node];
  *is_const = false;
  if (n->kind == TL_PATTERN_CONST) {
    *is_const = tl_is_const_int(m->func, m->bound[n->variable], value);
    return true;
  }
  if (n->kind != TL_PATTERN_OP) {
    return true;
  }
  int64_t x[3] = {0};
  bool all = true;
  for (uint32_t i = 0; i < n->child_count; i++) {
    bool child;
    if (!stays_in_range(m, right, n->child[i], &x[i], &child)) {
      return false;
    }
    all = all && child;
  }
  bool arithmetic = n->code == TL_OP_add || n->code == TL_OP_sub || n->code == TL_OP_mul || n->code == TL_OP_neg;
  if (!all || !arithmetic) {
    return true;
  }
  tl_dtype t = tl_type_of(m->func, m->bound[3]).dtype; /* c, of the type of all constants */
  bool wraps = n->code == TL_OP_add   ? __builtin_add_overflow(x[0], x[1], value)
               : n->code == TL_OP_sub ? __builtin_sub_overflow(x[0], x[1], value)
               : n->code == TL_OP_mul ? __builtin_mul_overflow(x[0], x[1], value)
                                      : __builtin_sub_overflow(0, x[0], value);
  *is_const = true;
  return tl_dtype_is_unsigned(t) || (!wraps && tl_dtype_wrap(t, *value) == *value);
}

static tl_value build_number(tl_builder *b, tl_dtype t, double number) {
  return tl_dtype_is_float(t) ? tl_build_float(b, t, number, NULL) : tl_build_int(b, t, (int64_t)number);
}

static tl_value build_right(tl_builder *b, const match *m, uint32_t node, tl_dtype result) {
  const tl_pattern_node *n = &m->pattern->nodes[node];
  if (n->kind == TL_PATTERN_NUMBER) {
    return build_number(b, result, n->number);
  }
  if (n->kind != TL_PATTERN_OP) {
    return m->bound[n->variable];
  }
  tl_value operands[3] = {TL_NO_VALUE};
  tl_dtype neighbour = result;
  for (int numbers = 0; numbers < 2; numbers++) {
    for (uint32_t i = 0; i < n->child_count; i++) {
      if ((m->pattern->nodes[n->child[i]].kind == TL_PATTERN_NUMBER) == (numbers == 1)) {
        operands[i] = build_right(b, m, n->child[i], neighbour);
        neighbour = tl_type_of(b->func, operands[i]).dtype;
      }
    }
  }
  return n->code == TL_OP_cvt      ? tl_build_cvt(b, result, operands[0])
         : n->code == TL_OP_select ? tl_build_select(b, operands[0], operands[1], operands[2])
         : n->child_count == 1     ? tl_build_unary(b, n->code, operands[0])
                                   : tl_build_binary(b, n->code, operands[0], operands[1]);
}

static tl_value apply(tl_builder *b, uint32_t rule, tl_dtype result, const tl_value *operands) {
  match m = {.func = b->func, .rule = &tl_rule_table[rule], .pattern = &table.rules[rule].left};
  if (!match_operands(&m, &m.pattern->nodes[0], operands) || !guard_holds(&m, result, operands)) {
    return TL_NO_VALUE;
  }
  if (m.rule->licence == TL_RULE_ZERO_SIGN && tl_dtype_is_float(result) && b->func->reads_signs && !b->any_zero) {
    return TL_NO_VALUE;
  }
  m.pattern = &table.rules[rule].right;
  int64_t value;
  bool is_const;
  if (m.rule->licence == TL_RULE_NO_WRAP && !stays_in_range(&m, m.pattern, 0, &value, &is_const)) {
    return TL_NO_VALUE;
  }
  return build_right(b, &m, 0, result);
}

static void prepare_once(void) {
  if (!table.ready) {
    prepare();
  }
}

tl_value tl__rule_apply(tl_builder *b, uint32_t rule, tl_opcode code, tl_dtype result, const tl_value *operands) {
  prepare_once();
  return code == table.rules[rule].left.nodes[0].code ? apply(b, rule, result, operands) : TL_NO_VALUE;
}

tl_value tl__simplify_peephole(tl_builder *b, tl_opcode code, tl_dtype result, const tl_value *operands) {
  prepare_once();
  tl_value folded = tl__fold(b, code, result, operands);
  tl_builder inner = *b;
  inner.peephole = tl__simplify_peephole;
  for (uint32_t i = table.first[code]; i && !folded; i = table.rules[i - 1].next) {
    folded = apply(&inner, i - 1, result, operands);
  }
  return folded;
}
