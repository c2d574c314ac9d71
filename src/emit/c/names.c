/* Names of variables. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/name.h"
#include "emit/c/internal.h"

static const char *const keywords[] = {
#define WORD(word) word,
    TL_KEYWORD_MAP(WORD)
#undef WORD
        "I",
    "NULL",
    "NAN",
    "INFINITY",
    "HUGE_VAL",
    "errno",
    "assert",
    "EOF",
    "stdin",
    "stdout",
    "stderr",
    "linux",
    "unix",
    "complex",
    "signbit",
    "isnan",
    "isinf",
    "isfinite",
    "malloc",
    "free",
    "realloc",
    "memset",
    "memcpy",
    "size_t",
    "tl_tape_failed",
    "tl_tape_report",
    "tl_tape_observer",
    "tl_tape_room",
    "tl_tape_resize",
    "tl_tape_grow_zeroed",
    "tl_tape_alloc",
    "tl_tape_zeros",
    "tl_tape_reserve",
    "main",
};

enum { NAME_BUCKETS = 4096 };

static uint32_t bucket(const char *name) {
  uint32_t h = 2166136261u;
  for (; *name; name++) {
    h = (h ^ (unsigned char)*name) * 16777619u;
  }
  return (h ^ (h >> 16)) & (NAME_BUCKETS - 1);
}

void tl__c_name_add(tl__c_emit *e, uint32_t region, const char *name) {
  uint32_t b = bucket(name), index = e->named.count;
  TL_PUSH(e->arena, e->named, (tl__c_named){name, region, e->named_heads[b]});
  e->named_heads[b] = index;
}

void tl__c_name_rewind(tl__c_emit *e, uint32_t count) {
  while (e->named.count > count) {
    const tl__c_named *n = &e->named.data[--e->named.count];
    e->named_heads[bucket(n->name)] = n->next;
  }
}

static void reserve(tl__c_emit *e, const char *name) {
  for (uint32_t i = e->named_heads[bucket(name)]; i != TL__NONE; i = e->named.data[i].next) {
    if (!strcmp(e->named.data[i].name, name)) {
      return;
    }
  }
  tl__c_name_add(e, TL__NONE, name);
}

/* ---- the user's names ---- */

enum { COUNTER = 1, NO_COUNTER = 2 }; /* an integer of a primal's; anything else */

static tl__c_named *find_theirs(const tl__c_emit *e, const char *name) {
  for (uint32_t i = e->their_heads[bucket(name)]; i != TL__NONE; i = e->theirs.data[i].next) {
    if (!strcmp(e->theirs.data[i].name, name)) {
      return &e->theirs.data[i];
    }
  }
  return NULL;
}

/* Those of the primals, also of variables that a derivative has no use for, and those of the function itself. A reader
 * has them in mind: nothing else is called so. */
static void list_theirs(tl__c_emit *e) {
  memset(&e->theirs, 0, sizeof e->theirs);
  e->their_heads = TL_NEW_ARRAY(e->arena, uint32_t, NAME_BUCKETS);
  for (uint32_t i = 0; i < NAME_BUCKETS; i++) {
    e->their_heads[i] = TL__NONE;
  }
  for (uint32_t k = 0; k < e->f->module->funcs.count; k++) {
    const tl_func *f = e->f->module->funcs.data[k];
    bool is_own = !strcmp(f->name, e->f->name);
    for (tl_value v = 1; (is_own || f->is_primal) && v < f->values.count; v++) {
      const tl_value_info *info = &f->values.data[v];
      tl__c_named *known = info->name ? find_theirs(e, info->name) : NULL;
      bool counts = !info->type.is_array && !tl_dtype_is_float(info->type.dtype);
      uint32_t kinds = !counts ? NO_COUNTER : f->is_primal ? COUNTER : 0;
      if (known) {
        known->region |= kinds;
      } else if (info->name) {
        uint32_t b = bucket(info->name);
        TL_PUSH(e->arena, e->theirs, (tl__c_named){info->name, kinds, e->their_heads[b]});
        e->their_heads[b] = e->theirs.count - 1;
      }
    }
  }
}

static bool is_no_counter(const tl__c_emit *e, const char *name) {
  const tl__c_named *known = find_theirs(e, name);
  return known && known->region & NO_COUNTER;
}

/* Every identifier in a piece of C. */
static void reserve_identifiers(tl__c_emit *e, const char *text) {
  while (text && *text) {
    if (*text == '"') { /* not in strings */
      for (text++; *text && *text != '"'; text++) {
        text += *text == '\\' && text[1];
      }
      text += *text == '"';
    } else if (isalpha((unsigned char)*text) || *text == '_') {
      size_t n = 1;
      while (tl__c_in_word(text[n])) {
        n++;
      }
      reserve(e, tl_arena_strndup(e->arena, text, n));
      text += n;
    } else {
      text++;
    }
  }
}

void tl__c_names_reserve(tl__c_emit *e) {
  const tl_func *f = e->f;
  memset(&e->named, 0, sizeof e->named);
  e->named_heads = TL_NEW_ARRAY(e->arena, uint32_t, NAME_BUCKETS);
  for (uint32_t i = 0; i < NAME_BUCKETS; i++) {
    e->named_heads[i] = TL__NONE;
  }
  for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++) {
    reserve(e, keywords[i]);
  }
  list_theirs(e);
  reserve(e, f->name);
  reserve_identifiers(e, f->return_declarator);
  for (uint32_t i = 0; i < f->cparams.count; i++) {
    reserve(e, f->cparams.data[i].name);
    reserve_identifiers(e, f->cparams.data[i].declarator);
  }
  for (uint32_t k = 0; k < e->ops.count; k++) {
    const tl_op *op = e->ops.data[k].op;
    if (op->callee) {
      reserve(e, op->callee);
    }
    reserve_identifiers(e, op->format);
    const tl_func *called = op->code == TL_OP_call && op->texts ? tl_module_find(f->module, op->callee) : NULL;
    for (uint32_t c = 0; called && c < called->cparams.count; c++) {
      reserve_identifiers(e, op->texts[c]);
    }
    if (tl_op_table[op->code].elementwise && op->result_count) {
      const char *name = tl_op_table[op->code].name;
      reserve(e, name);
      reserve(e, tl_arena_printf(e->arena, "%sf", name));
      reserve(e, tl_arena_printf(e->arena, "%sl", name));
    }
  }
}

static bool overlap(const tl__c_emit *e, uint32_t a, uint32_t b) {
  return tl__c_region_within(e, a, b) || tl__c_region_within(e, b, a);
}

static bool is_free(const tl__c_emit *e, uint32_t region, const char *name) {
  for (uint32_t i = e->named_heads[bucket(name)]; i != TL__NONE; i = e->named.data[i].next) {
    const tl__c_named *n = &e->named.data[i];
    if (!strcmp(n->name, name) && (n->region == TL__NONE || overlap(e, n->region, region))) {
      return false;
    }
  }
  return true;
}

/* "x_2" is no longer wish than "x". */
static size_t stem_length(const char *s) {
  size_t n = strlen(s), k = n;
  while (k && isdigit((unsigned char)s[k - 1])) {
    k--;
  }
  return k && k < n && s[k - 1] == '_' && k > 1 ? k - 1 : n;
}

bool tl__c_name_visible(const tl__c_emit *e, uint32_t region, const char *name) {
  if (is_no_counter(e, name)) {
    return true;
  }
  for (uint32_t i = e->named_heads[bucket(name)]; i != TL__NONE; i = e->named.data[i].next) {
    const tl__c_named *n = &e->named.data[i];
    if (!strcmp(n->name, name) && (n->region == TL__NONE || tl__c_region_within(e, region, n->region))) {
      return true;
    }
  }
  return false;
}

static bool shadows(const tl__c_emit *e, const char *name) {
  return e->opts && e->opts->is_object && e->opts->is_object(e->opts->ctx, name);
}

/* What is not the user's variable of that name is called instead. Not name_2, which a later content of theirs is. */
static const char *other_wish(tl__c_emit *e, const char *wish) {
  static const char *const others[][2] = {{"k", "index"}, {"t", "term"}, {"i", "element"}, {"result", "returned"}};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    if (!strcmp(wish, others[i][0]) && !find_theirs(e, others[i][1])) {
      return others[i][1];
    }
  }
  return tl_arena_printf(e->arena, "%s_value", wish);
}

/* is_theirs: the wish is the name of the user's variable that is named. */
static const char *fresh(tl__c_emit *e, uint32_t region, const char *wish, bool is_theirs) {
  if (!isalpha((unsigned char)*wish) && *wish != '_') {
    wish = "t"; /* described by a number */
  }
  while (!is_theirs && find_theirs(e, wish)) {
    wish = other_wish(e, wish);
  }
  const char *name = wish;
  for (int i = 2; !is_free(e, region, name) || shadows(e, name) || (i > 2 && find_theirs(e, name)); i++) {
    name = tl_arena_printf(e->arena, "%.*s_%d", (int)stem_length(wish), wish, i);
  }
  tl__c_name_add(e, region, name);
  return name;
}

const char *tl__c_name_fresh(tl__c_emit *e, uint32_t region, const char *wish) { return fresh(e, region, wish, false); }

/* What an operand is called, as part of another name; NULL where that would say nothing. */
static const char *part_name(tl__c_emit *e, tl_value v) {
  int64_t k;
  if (tl_is_const_int(e->f, v, &k)) {
    return k >= 0 && k < 100 ? tl_arena_printf(e->arena, "%d", (int)k) : NULL;
  }
  const tl_op *op = tl_def(e->f, v);
  if (tl_info(e->f, v)->name) {
    return tl_info(e->f, v)->name;
  }
  if (op && op->code == TL_OP_cvt) {
    return part_name(e, op->operands[0]);
  }
  if (e->values[v].mode == TL__VARIABLE) {
    return tl__c_var_of(e, v)->name;
  }
  if (op && (op->code == TL_OP_add || op->code == TL_OP_sub) && tl_is_const_int(e->f, op->operands[1], &k) &&
      k > -100 && k < 100) {
    const char *x = part_name(e, op->operands[0]);
    bool minus = (op->code == TL_OP_sub) != (k < 0);
    return x ? tl_arena_printf(e->arena, "%s_%s_%d", x, minus ? "minus" : "plus", (int)(k < 0 ? -k : k)) : NULL;
  }
  if (op && op->code == TL_OP_index) {
    return part_name(e, op->operands[0]);
  }
  return NULL;
}

static const char *array_name(tl__c_emit *e, tl_value array) {
  const tl__c_var *p = tl__c_var_of(e, array);
  if (!p->is_param) {
    return p->name ? p->name : tl_info(e->f, array)->name;
  }
  const tl_param *param = &e->f->params.data[p->param];
  const char *dot = strrchr(param->access, '.'), *arrow = strrchr(param->access, '>');
  const char *member = dot > arrow ? dot : arrow;
  if (member) {
    size_t n = 1;
    while (tl__c_in_word(member[n])) {
      n++;
    }
    return tl_arena_strndup(e->arena, member + 1, n - 1);
  }
  return e->f->cparams.data[param->cparam].name;
}

enum { LONGEST = 24 };

/* What an array of saved values holds, by the first value stored there; NULL where that has no name. */
static const char *stored_name(tl__c_emit *e, tl_value array) {
  uint32_t store = tl__c_store_root(e, array);
  for (uint32_t k = 0; k < e->ops.count; k++) {
    const tl_op *op = e->ops.data[k].op;
    if (op->code != TL_OP_update || !e->ops.data[k].needed || tl__c_store_root(e, op->operands[0]) != store) {
      continue;
    }
    tl_value v = op->operands[op->operand_count - 1];
    const tl_op *d = tl_def(e->f, v);
    const char *name = part_name(e, v);
    if (!name && d && d->code == TL_OP_index) {
      name = array_name(e, d->operands[0]);
    }
    if (!name && d && tl_op_table[d->code].elementwise && d->code > TL_OP_cvt) {
      name = tl_op_table[d->code].name;
    }
    return name && isalpha((unsigned char)*name) && strlen(name) < LONGEST ? name : NULL;
  }
  return NULL;
}

static const char *default_name(const tl__c_emit *e, tl_value v) {
  tl_dtype d = tl__c_type(e, v).dtype;
  const tl_op *op = tl_def(e->f, v);
  if (op && tl_dtype_is_float(d) && e->values[v].uses.count == 1 &&
      e->values[v].uses.data[0].op) { /* a part of what would be too long */
    switch (op->code) {
    case TL_OP_add:
    case TL_OP_sub:
      return "sum";
    case TL_OP_mul:
      return "product";
    default:
      break;
    }
  }
  return d == TL_BOOL ? "is_so" : tl_dtype_is_float(d) ? "t" : "k";
}

/* What a constant is called before a verb: "one_minus_x", "half_x". */
static const char *number_name(const tl__c_emit *e, tl_value v) {
  long double x;
  int64_t k;
  if (tl_is_const_int(e->f, v, &k)) {
    x = (long double)k;
  } else if (!tl_is_const_float(e->f, v, &x)) {
    return NULL;
  }
  return x == 0.5L ? "half" : x == 1 ? "one" : x == 2 ? "two" : x == 3 ? "three" : NULL;
}

/* "x_plus_y", or what says as much where an operand has no short name. */
static const char *joined(tl__c_emit *e, const tl_op *op, const char *verb) {
  const char *x = part_name(e, op->operands[0]), *y = part_name(e, op->operands[1]);
  bool first = tl__c_is_const(e, op->operands[0]), second = tl__c_is_const(e, op->operands[1]);
  if (op->code == TL_OP_mul && (first || second) && !(first && second)) { /* "half_x", "x_scaled" */
    const char *factor = number_name(e, op->operands[first ? 0 : 1]), *rest = first ? y : x;
    if (rest && strlen(rest) < LONGEST) {
      return factor && strcmp(factor, "one")
                 ? tl_arena_printf(e->arena, "%s_%s", !strcmp(factor, "two") ? "twice" : factor, rest)
                 : tl_arena_printf(e->arena, "%s_scaled", rest);
    }
    return default_name(e, op->first_result);
  }
  x = first ? number_name(e, op->operands[0]) : x;
  y = second ? number_name(e, op->operands[1]) : y;
  if (!x && y && !second && op->code == TL_OP_div) {
    return strlen(y) < LONGEST ? tl_arena_printf(e->arena, "over_%s", y) : "quotient";
  }
  bool fit = x && y && strlen(x) + strlen(y) < LONGEST - 4;
  return fit                     ? tl_arena_printf(e->arena, "%s_%s_%s", x, verb, y)
         : op->code == TL_OP_div ? "quotient"
                                 : default_name(e, op->first_result);
}

/* Of a function that derivation made the user's: "f" of "f__vjp__x", also where that stands for f as its custom rule.
 */
static const char *primal_name(tl__c_emit *e, const char *callee) {
  const tl_func *f = tl_module_find(e->f->module, callee);
  const char *step = f && !f->is_primal ? strstr(callee + 1, "__") : NULL;
  const char *name = step ? tl_arena_strndup(e->arena, callee, (size_t)(step - callee)) : callee;
  const tl_func *rule = tl_module_find(e->f->module, name);
  return rule && rule->rule_of ? rule->rule_of : name;
}

/* An array that a call is given is called as the parameter is; NULL for others. */
static const char *argument_name(tl__c_emit *e, tl_value array) {
  uint32_t root = tl__c_root(e, array);
  for (uint32_t k = 0; k < e->ops.count; k++) {
    const tl_op *op = e->ops.data[k].op;
    const tl_func *callee =
        op->code == TL_OP_call && e->ops.data[k].needed ? tl_module_find(e->f->module, op->callee) : NULL;
    for (uint32_t i = 0; callee && i < op->operand_count && i < callee->params.count; i++) {
      if (tl__c_type(e, op->operands[i]).is_array && tl__c_root(e, op->operands[i]) == root) {
        return tl_info(callee, callee->params.data[i].value)->name;
      }
    }
  }
  return NULL;
}

/* What `exp_saved[t - 1][k][i]` is without its place: `exp_value`; NULL of other arrays. */
static const char *saved_value_name(tl__c_emit *e, tl_value array) {
  const tl__c_var *p = tl__c_var_of(e, array);
  const char *end = p->flags & TL_ALLOC_TAPE && p->name ? strstr(p->name, "_saved") : NULL;
  if (!end) {
    return NULL;
  }
  const char *name = tl_arena_strndup(e->arena, p->name, (size_t)(end - p->name));
  for (int op = 0; op < TL_OP_COUNT; op++) {
    if (tl_op_table[op].elementwise && !strcmp(tl_op_table[op].name, name)) {
      return tl_arena_printf(e->arena, "%s_value", name);
    }
  }
  return name;
}

/* A name for a value that the user gave none, from what it is. */
static const char *describe(tl__c_emit *e, tl_value v) {
  const tl_op *op = tl_def(e->f, v);
  if (!op) {
    return default_name(e, v);
  }
  tl__c_text t = {.arena = e->arena};
  switch ((int)op->code) {
  case TL_OP_index: {
    const char *saved = saved_value_name(e, op->operands[0]);
    if (saved) {
      return saved;
    }
    const char *name = array_name(e, op->operands[0]);
    tl__c_text_add(&t, name ? name : "element");
    const tl__c_var *p = tl__c_var_of(e, op->operands[0]);
    if (op->operand_count == 1 && p->is_param && name == e->f->cparams.data[e->f->params.data[p->param].cparam].name) {
      tl__c_text_add(&t, "_value"); /* what the pointer refers to */
    }
    for (uint32_t i = 1; i < op->operand_count; i++) {
      const char *part = part_name(e, op->operands[i]);
      if (!part || strlen(part) + t.count > LONGEST) {
        break;
      }
      tl__c_text_addf(&t, "_%s", part);
    }
    return t.data;
  }
  case TL_OP_alloc: {
    const char *stored = op->u.flags & TL_ALLOC_TAPE ? stored_name(e, v) : NULL;
    const char *passed = op->u.flags & TL_ALLOC_TAPE ? NULL : argument_name(e, v);
    return stored                        ? tl_arena_printf(e->arena, "%s_saved", stored)
           : passed                      ? passed
           : op->u.flags & TL_ALLOC_TAPE ? "saved"
                                         : "work";
  }
  case TL_OP_lt:
    return "is_less";
  case TL_OP_le:
    return "is_at_most";
  case TL_OP_gt:
    return "is_greater";
  case TL_OP_ge:
    return "is_at_least";
  case TL_OP_eq:
    return "is_equal";
  case TL_OP_ne:
    return "is_different";
  case TL_OP_add:
    return joined(e, op, "plus");
  case TL_OP_sub:
    return joined(e, op, "minus");
  case TL_OP_mul:
    return joined(e, op, "times");
  case TL_OP_div:
    return joined(e, op, "over");
  case TL_OP_neg: {
    const char *x = part_name(e, op->operands[0]);
    return x && strlen(x) < LONGEST ? tl_arena_printf(e->arena, "minus_%s", x) : default_name(e, v);
  }
  case TL_OP_select: {
    int64_t zero;
    bool counts = tl_is_const_int(e->f, op->operands[2], &zero) && !zero && !tl__c_is_const(e, op->operands[1]);
    return counts ? "count" : default_name(e, v);
  }
  case TL_OP_loop:
    return op->first_result + tl_loop_carries(op) == v ? "count" : "t";
  case TL_OP_call:
    return tl_arena_printf(e->arena, "%s_result", primal_name(e, op->callee));
  case TL_OP_extern:
    return tl_arena_printf(e->arena, "%s_result", op->callee);
  default:
    break;
  }
  bool function = tl_op_table[op->code].elementwise && op->code > TL_OP_cvt;
  if (function) {
    tl_value x = op->operands[tl_op_table[op->code].operands == TL_OPERANDS_INT_FLT ? 1 : 0];
    const char *part = part_name(e, x);
    const char *name = tl_op_table[op->code].name;
    return part && isalpha((unsigned char)*part) && strlen(part) + strlen(name) < LONGEST
               ? tl_arena_printf(e->arena, "%s_%s", name, part)
               : tl_arena_printf(e->arena, "%s_value", name);
  }
  return default_name(e, v);
}

/* In the order of values, which is nearly that of the text; parameters have theirs. */
void tl__c_name_vars(tl__c_emit *e) {
  /* first member of each class with a name; one pass, so that this stays linear */
  const char **wishes = TL_NEW_ARRAY(e->arena, const char *, e->value_count);
  for (tl_value v = 1; v < e->value_count; v++) {
    uint32_t r = tl__c_root(e, v);
    if (!wishes[r] && e->vars[r].wish) {
      wishes[r] = e->vars[r].wish;
    } else if (!wishes[r] && e->values[v].needed) {
      wishes[r] = tl_info(e->f, v)->name;
    }
  }
  for (int pass = 0; pass < 3;
       pass++) { /* the user's loops keep their names, then other variables, then the nameless */
    for (tl_value v = 1; v < e->value_count; v++) {
      tl__c_var *p = &e->vars[v];
      if (e->values[v].var != v || !p->used || p->is_param || pass != (!wishes[v] ? 2 : p->is_iv ? 0 : 1)) {
        continue;
      }
      const char *wish = wishes[v];
      if (wish && p->is_iv && find_theirs(e, wish)->region == NO_COUNTER) {
        wish = NULL; /* a loop that derivation made, beside another variable of that name */
      }
      static const char *const letters[] = {"i", "j", "k", "l", "m"};
      for (int i = 0; i < 5 && !wish && p->is_iv; i++) {
        wish = is_free(e, p->region, letters[i]) && !is_no_counter(e, letters[i]) ? letters[i] : NULL;
      }
      p->name = fresh(e, p->region, wish ? wish : describe(e, v), wish);
    }
  }
}
