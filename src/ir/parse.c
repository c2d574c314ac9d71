/* The text form read back; docs/ir.md is the grammar.
 *
 * A name may be used before it is defined (an extent of a parameter that the body computes). So operands, yields and
 * extents first hold the index of a symbol, and are replaced by ids where the function ends. Whether definitions
 * dominate is for the verifier. The first error ends the parse: the lexer is at the end of the text from then on, so
 * every loop ends too. */
#include <string.h>

#include "ir/parse_priv.h"
#include "ir/text.h"

enum { DEEPEST_NESTING = 256, LONGEST_TEXT = 1 << 30, SMALLEST_TABLE = 64 };

/* [FILE:]LINE:COLUMN-END after the word "at"; `file` where none is written. */
static tl_loc parse_loc(parser *p, const char *file) {
  tl_loc loc = {.file = file};
  if (!tl__lexer_accept_word(&p->lex, "at")) {
    return (tl_loc){0};
  }
  if (tl__lexer_accept_punct(&p->lex, '-')) {
    loc.file = NULL;
    tl__lexer_expect_punct(&p->lex, ':');
  } else if (token(p)->kind == TL_TOKEN_STRING) {
    loc.file = tl__lexer_string(&p->lex);
    tl__lexer_expect_punct(&p->lex, ':');
  }
  loc.line = tl__lexer_count(&p->lex);
  tl__lexer_expect_punct(&p->lex, ':');
  loc.column = tl__lexer_count(&p->lex);
  bool negative = false;
  uint64_t end = 0;
  if (token(p)->kind != TL_TOKEN_NUMBER || !tl__token_integer(token(p), &negative, &end) || token(p)->text[0] != '-' ||
      0 - end > UINT32_MAX) {
    FAIL(p, "'-' and the end column are expected here");
    return loc;
  }
  loc.end_column = (uint32_t)(0 - end);
  next(p);
  return loc;
}

/* ---- symbols ---- */

static uint32_t hash(const char *s, uint32_t length) {
  uint32_t h = 2166136261u;
  for (uint32_t i = 0; i < length; i++) {
    h = (h ^ (unsigned char)s[i]) * 16777619u;
  }
  return h ^ (h >> 15);
}

static uint32_t *find(parser *p, const char *key, uint32_t length) {
  uint32_t i = hash(key, length);
  for (;; i++) {
    uint32_t *at = &p->table[i & (p->table_size - 1)];
    const symbol *s = &p->symbols.data[*at];
    if (!*at || (s->length == length && !memcmp(s->key, key, length))) {
      return at;
    }
  }
}

static uint32_t symbol_of(parser *p, const tl_token *t) {
  if (2 * (p->symbols.count + 1) > p->table_size) {
    p->table_size *= 2;
    p->table = TL_NEW_ARRAY(arena_of(p), uint32_t, p->table_size);
    for (uint32_t i = 1; i < p->symbols.count; i++) {
      *find(p, p->symbols.data[i].key, p->symbols.data[i].length) = i;
    }
  }
  uint32_t *at = find(p, t->text, t->length);
  if (!*at) {
    *at = p->symbols.count;
    TL_PUSH(arena_of(p), p->symbols, (symbol){t->text, t->length, TL_NO_VALUE, *t});
  }
  return *at;
}

static void define(parser *p, const tl_token *t, tl_value v) {
  uint32_t index = symbol_of(p, t); /* may move the symbols */
  symbol *s = &p->symbols.data[index];
  if (s->value != TL_NO_VALUE) {
    p->lex.token = *t;
    FAIL(p, "%.*s is defined twice", (int)t->length, t->text);
    return;
  }
  s->value = v;
}

static void patch_later(parser *p, tl_value *at, uint32_t count) {
  if (count) {
    TL_PUSH(arena_of(p), p->patches, (slots){at, count});
  }
}

/* A value as operand; `none` where the op allows none there is for the verifier. */
tl_value tl__parse_use(parser *p) {
  if (tl__lexer_accept_word(&p->lex, "none")) {
    return TL_NO_VALUE;
  }
  if (token(p)->kind != TL_TOKEN_VALUE) {
    FAIL(p, "a value is expected here");
    return TL_NO_VALUE;
  }
  tl_value s = symbol_of(p, token(p));
  next(p);
  return s;
}

static void parse_uses(parser *p, uses *out) {
  do {
    tl_value s = tl__parse_use(p);
    TL_PUSH(arena_of(p), *out, s);
  } while (!failed(p) && tl__lexer_accept_punct(&p->lex, ','));
}

/* Operands of ops that may have none stand in parentheses. */
static void parse_arguments(parser *p, uses *out) {
  tl__lexer_expect_punct(&p->lex, '(');
  if (!tl__lexer_at_punct(&p->lex, ')')) {
    parse_uses(p, out);
  }
  tl__lexer_expect_punct(&p->lex, ')');
}

/* An array of which the callee gets a part is followed by the indices of the part's first element. */
static void parse_call_arguments(parser *p, tl_op *op, uses *out) {
  uses indices = {0};
  TL_VEC(uint32_t) starts = {0}; /* one more than where in the indices, or 0 */
  bool any = false;
  tl__lexer_expect_punct(&p->lex, '(');
  if (!tl__lexer_at_punct(&p->lex, ')')) {
    do {
      tl_value s = tl__parse_use(p);
      TL_PUSH(arena_of(p), *out, s);
      bool part = tl__lexer_accept_punct(&p->lex, '[');
      TL_PUSH(arena_of(p), starts, part ? indices.count + 1 : 0);
      if (part) {
        parse_uses(p, &indices);
        tl__lexer_expect_punct(&p->lex, ']');
        any = true;
      }
    } while (!failed(p) && tl__lexer_accept_punct(&p->lex, ','));
  }
  tl__lexer_expect_punct(&p->lex, ')');
  uint32_t arguments = out->count;
  for (uint32_t i = 0; any && i < arguments; i++) {
    starts.data[i] += starts.data[i] ? arguments - 1 : 0;
  }
  for (uint32_t i = 0; i < indices.count; i++) {
    TL_PUSH(arena_of(p), *out, indices.data[i]);
  }
  op->views = any ? starts.data : NULL;
}

/* ---- types and definitions ---- */

static tl_dtype parse_dtype(parser *p) {
  for (int d = 0; d < TL_DTYPE_COUNT; d++) {
    if (tl__lexer_accept_word(&p->lex, tl_dtype_name((tl_dtype)d))) {
      return (tl_dtype)d;
    }
  }
  FAIL(p, "a type is expected here");
  return TL_F64;
}

static const char *parse_axis_name(parser *p) {
  if (token(p)->kind == TL_TOKEN_WORD) {
    const char *s = tl_arena_strndup(arena_of(p), token(p)->text, token(p)->length);
    next(p);
    return s;
  }
  const char *s = tl__lexer_string(&p->lex);
  if (!s) {
    FAIL(p, "an axis has a name");
  }
  return s;
}

/* The extents and names of axes, up to `end`. Extents hold symbols until the definition's slots are patched. */
static void parse_axes(parser *p, char end, tl_type *t) {
  tl_extent extents[TL_MAX_RANK];
  const char *names[TL_MAX_RANK] = {NULL};
  bool named = false;
  while (!failed(p) && !tl__lexer_at_punct(&p->lex, end)) {
    if (t->rank == TL_MAX_RANK) {
      FAIL(p, "an array or tensor has at most %d axes", TL_MAX_RANK);
      break;
    }
    if (t->rank) {
      tl__lexer_expect_punct(&p->lex, ',');
    }
    if (token(p)->kind == TL_TOKEN_WORD || token(p)->kind == TL_TOKEN_STRING) {
      names[t->rank] = parse_axis_name(p);
      named = true;
      tl__lexer_expect_punct(&p->lex, '=');
    }
    extents[t->rank] = (tl_extent){0};
    if (token(p)->kind == TL_TOKEN_VALUE) {
      extents[t->rank].value = tl__parse_use(p);
    } else {
      extents[t->rank].fixed = tl__lexer_integer(&p->lex, false);
    }
    t->rank++;
  }
  tl__lexer_expect_punct(&p->lex, end);
  if (failed(p) || !t->rank) {
    t->rank = 0;
    return;
  }
  tl_extent *copy = TL_NEW_ARRAY(arena_of(p), tl_extent, t->rank);
  memcpy(copy, extents, sizeof *copy * (size_t)t->rank);
  t->extents = copy;
  if (named) {
    const char **axes = TL_NEW_ARRAY(arena_of(p), const char *, t->rank);
    memcpy(axes, names, sizeof *axes * (size_t)t->rank);
    t->axis_names = axes;
  }
  for (int i = 0; i < t->rank; i++) {
    if (copy[i].value != TL_NO_VALUE) {
      patch_later(p, &copy[i].value, 1);
    }
  }
}

static tl_type parse_type(parser *p) {
  tl_type t = {.dtype = parse_dtype(p)};
  if (tl__lexer_accept_punct(&p->lex, '<')) {
    t.is_tensor = true;
    parse_axes(p, '>', &t);
  }
  if (tl__lexer_accept_punct(&p->lex, '[')) {
    tl_type *element = t.is_tensor ? TL_NEW(arena_of(p), tl_type) : NULL;
    if (element) {
      *element = t;
    }
    t = (tl_type){.dtype = t.dtype, .is_array = true, .element = element};
    parse_axes(p, ']', &t);
  }
  return t;
}

definition tl__parse_definition(parser *p) {
  definition d = {.token = *token(p)};
  if (d.token.kind != TL_TOKEN_VALUE) {
    FAIL(p, "a value is expected here");
    return d;
  }
  next(p);
  tl__lexer_expect_punct(&p->lex, ':');
  d.type = parse_type(p);
  return d;
}

/* The same type with extents of its own: each is patched once. */
static tl_type copy_type(parser *p, tl_type t) {
  if (t.rank) {
    tl_extent *extents = TL_NEW_ARRAY(arena_of(p), tl_extent, t.rank);
    memcpy(extents, t.extents, sizeof *extents * (size_t)t.rank);
    t.extents = extents;
    for (int i = 0; i < t.rank; i++) {
      if (extents[i].value != TL_NO_VALUE) {
        patch_later(p, &extents[i].value, 1);
      }
    }
  }
  if (t.element) {
    tl_type *element = TL_NEW(arena_of(p), tl_type);
    *element = copy_type(p, *t.element);
    t.element = element;
  }
  return t;
}

void tl__parse_add_param(parser *p, tl_region *r, const definition *d) {
  if (!failed(p)) {
    define(p, &d->token, tl_region_add_param(p->func, r, d->type, d->token.string));
  }
}

/* ---- ops ---- */

static void parse_block(parser *p, tl_region *r);

static void parse_region_params(parser *p, tl_region *r) {
  if (!tl__lexer_accept_punct(&p->lex, '(')) {
    return;
  }
  while (!failed(p) && !tl__lexer_at_punct(&p->lex, ')')) {
    if (r->params.count) {
      tl__lexer_expect_punct(&p->lex, ',');
    }
    definition d = tl__parse_definition(p);
    tl__parse_add_param(p, r, &d);
  }
  tl__lexer_expect_punct(&p->lex, ')');
}

static void parse_if_regions(parser *p, tl_op *op) {
  op->region_count = 2;
  for (int i = 0; i < 2; i++) {
    if (i) {
      tl__lexer_expect_word(&p->lex, "else");
    }
    op->regions[i] = tl_region_create(p->func, op);
    parse_region_params(p, op->regions[i]);
    parse_block(p, op->regions[i]);
  }
}

static void parse_loop_regions(parser *p, tl_op *op) {
  op->region_count = 2;
  tl_region *cond = op->regions[0] = tl_region_create(p->func, op);
  tl_region *body = op->regions[1] = tl_region_create(p->func, op);
  bool has_condition = tl__lexer_accept_word(&p->lex, "while");
  if (has_condition) {
    parse_region_params(p, cond);
    parse_block(p, cond);
  }
  tl__lexer_expect_word(&p->lex, "do");
  parse_region_params(p, body);
  for (uint32_t i = 0; !has_condition && i < body->params.count; i++) {
    tl_value_info info = *tl_info(p->func, body->params.data[i]);
    tl_region_add_param(p->func, cond, copy_type(p, info.type), info.name);
  }
  parse_block(p, body);
}

static void parse_constant(parser *p, tl_op *op, const definitions *results) {
  if (results->count != 1) {
    FAIL(p, "a constant has one result");
    return;
  }
  tl_dtype d = results->data[0].type.dtype;
  if (tl_dtype_is_float(d)) {
    op->u.floating = tl__lexer_float(&p->lex, d);
  } else {
    op->u.integer = tl__lexer_integer(&p->lex, d == TL_U64);
  }
  if (token(p)->kind == TL_TOKEN_STRING) {
    op->spelling = tl__lexer_string(&p->lex);
  }
}

static void parse_alloc_flags(parser *p, tl_op *op) {
  static const struct {
    unsigned flag;
    const char *word;
  } flags[] = {TL__ALLOC_FLAGS};
  for (bool more = true; more;) {
    more = false;
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
      if (tl__lexer_accept_word(&p->lex, flags[i].word)) {
        op->u.flags |= flags[i].flag;
        more = true;
      }
    }
  }
}

static void parse_callee(parser *p, tl_op *op) {
  if (token(p)->kind != TL_TOKEN_GLOBAL) {
    FAIL(p, "'@' and a function's name are expected here");
    return;
  }
  op->callee = token(p)->string;
  next(p);
}

static void parse_loop_operands(parser *p, tl_op *op, uses *operands) {
  tl_value lo = tl__parse_use(p), hi = tl__lexer_accept_word(&p->lex, "to") ? tl__parse_use(p) : TL_NO_VALUE;
  TL_PUSH(arena_of(p), *operands, lo);
  TL_PUSH(arena_of(p), *operands, hi);
  tl__lexer_expect_word(&p->lex, "step");
  op->u.step = tl__lexer_integer(&p->lex, false);
  op->reversed = tl__lexer_accept_word(&p->lex, "reversed");
  if (tl__lexer_accept_word(&p->lex, "carry")) {
    parse_uses(p, operands);
  }
}

/* What follows the flags of an alloc with a table: [@name] "access" [(number, ...)]. */
static void parse_table(parser *p, tl_op *op, const definitions *results) {
  if (results->count != 1) {
    FAIL(p, "an alloc has one result");
    return;
  }
  tl_type t = results->data[0].type;
  if (token(p)->kind == TL_TOKEN_GLOBAL) {
    parse_callee(p, op);
  }
  op->format = tl__lexer_string(&p->lex);
  if (!tl__lexer_accept_punct(&p->lex, '(')) {
    return;
  }
  TL_VEC(long double) content = {0};
  do {
    long double v = tl_dtype_is_float(t.dtype) ? tl__lexer_float(&p->lex, t.dtype) : 0;
    if (!tl_dtype_is_float(t.dtype)) {
      int64_t i = tl__lexer_integer(&p->lex, t.dtype == TL_U64);
      v = t.dtype == TL_U64 ? (long double)(uint64_t)i : (long double)i;
    }
    TL_PUSH(arena_of(p), content, v);
  } while (tl__lexer_accept_punct(&p->lex, ','));
  tl__lexer_expect_punct(&p->lex, ')');
  if (tl_extents_count(t.extents, t.rank, content.count) != content.count) {
    FAIL(p, "a table has as many numbers as elements");
    return;
  }
  op->table = content.data;
}

static int64_t parse_attr_integer(parser *p, const tl_op_info *row, int k) {
  tl_attr_kind kind = row->attrs[k].kind;
  if (kind != TL_ATTR_MODE && kind != TL_ATTR_REDUCER && kind != TL_ATTR_DTYPE) {
    return tl__lexer_integer(&p->lex, false);
  }
  int last = kind == TL_ATTR_MODE ? TL_INDEX_FILL : kind == TL_ATTR_REDUCER ? TL_REDUCE_REPLACE : TL_DTYPE_COUNT - 1;
  for (int i = 0; i <= last; i++) {
    if (tl__lexer_accept_word(&p->lex, kind == TL_ATTR_MODE      ? tl_index_mode_words[i]
                                       : kind == TL_ATTR_REDUCER ? tl_reducer_words[i]
                                                                 : tl_dtype_name((tl_dtype)i))) {
      return i;
    }
  }
  FAIL(p, kind == TL_ATTR_MODE      ? "an index mode is check, clip, drop or fill"
          : kind == TL_ATTR_REDUCER ? "a reducer is add, mul, min, max or replace"
                                    : "a dtype is expected here");
  return 0;
}

static void parse_attr_ints(parser *p, tl_attr *out) {
  int64_t at[TL_MAX_RANK];
  int count = 0;
  tl__lexer_expect_punct(&p->lex, '(');
  while (!failed(p) && !tl__lexer_at_punct(&p->lex, ')')) {
    if (count) {
      tl__lexer_expect_punct(&p->lex, ',');
    }
    if (count == TL_MAX_RANK) {
      FAIL(p, "at most %d numbers", TL_MAX_RANK);
      break;
    }
    at[count++] = tl__lexer_integer(&p->lex, false);
  }
  tl__lexer_expect_punct(&p->lex, ')');
  int64_t *copy = count ? TL_NEW_ARRAY(arena_of(p), int64_t, count) : NULL;
  for (int i = 0; i < count; i++) {
    copy[i] = at[i];
  }
  out->ints.count = count;
  out->ints.at = copy;
}

static tl_axes parse_attr_axes(parser *p) {
  tl_axes axes = {.count = 0};
  if (tl__lexer_accept_word(&p->lex, "all")) {
    return TL_ALL;
  }
  tl__lexer_expect_punct(&p->lex, '(');
  while (!failed(p) && !tl__lexer_at_punct(&p->lex, ')')) {
    if (axes.count) {
      tl__lexer_expect_punct(&p->lex, ',');
    }
    int64_t axis = tl__lexer_integer(&p->lex, false);
    if (axes.count == TL_MAX_RANK || axis < -TL_MAX_RANK || axis >= TL_MAX_RANK) {
      FAIL(p, "at most %d axes, each from -%d to %d", TL_MAX_RANK, TL_MAX_RANK, TL_MAX_RANK - 1);
      break;
    }
    axes.axis[axes.count++] = (int8_t)axis;
  }
  tl__lexer_expect_punct(&p->lex, ')');
  return axes;
}

/* "with NAME VALUE, ...": all of the row's attributes in its order, but for the shape. */
static void parse_attrs(parser *p, tl_op *op) {
  const tl_op_info *row = &tl_op_table[op->code];
  tl_attr *attrs = row->attr_count ? TL_NEW_ARRAY(arena_of(p), tl_attr, row->attr_count) : NULL;
  op->attrs = attrs;
  bool first = true;
  for (int k = 0; k < row->attr_count && !failed(p); k++) {
    if (row->attrs[k].kind == TL_ATTR_SHAPE) {
      continue;
    }
    if (first) {
      tl__lexer_expect_word(&p->lex, "with");
    } else {
      tl__lexer_expect_punct(&p->lex, ',');
    }
    first = false;
    tl__lexer_expect_word(&p->lex, row->attrs[k].name);
    if (row->attrs[k].kind == TL_ATTR_AXES) {
      attrs[k].axes = parse_attr_axes(p);
    } else if (row->attrs[k].kind == TL_ATTR_INTS) {
      parse_attr_ints(p, &attrs[k]);
    } else {
      attrs[k].integer = parse_attr_integer(p, row, k);
    }
  }
}

static tl_opcode parse_opcode(parser *p) {
  for (int i = 0; i < TL_OP_COUNT; i++) {
    if (tl__lexer_accept_word(&p->lex, tl_op_table[i].name)) {
      return (tl_opcode)i;
    }
  }
  FAIL(p, "an op's name is expected here");
  return TL_OP_COUNT;
}

/* Attributes and operands. */
static void parse_rest(parser *p, tl_op *op, const definitions *results, uses *operands) {
  switch (op->code) {
  case TL_OP_const:
    parse_constant(p, op, results);
    break;
  case TL_OP_alloc:
    if (tl__lexer_at_punct(&p->lex, '(')) {
      parse_arguments(p, operands);
    }
    parse_alloc_flags(p, op);
    if (op->u.flags & TL_ALLOC_TABLE) {
      parse_table(p, op, results);
    }
    break;
  case TL_OP_call:
    parse_callee(p, op);
    parse_call_arguments(p, op, operands);
    break;
  case TL_OP_extern:
    parse_callee(p, op);
    parse_arguments(p, operands);
    op->format = tl__lexer_string(&p->lex);
    op->has_effect = tl__lexer_accept_word(&p->lex, "effect");
    break;
  case TL_OP_loop:
    parse_loop_operands(p, op, operands);
    break;
#define TL_ELT(name, class, arity, operands, result, samples, meaning, doc) case TL_OP_##name:
#include "ir/ops.def"
  case TL_OP_index:
  case TL_OP_update:
  case TL_OP_fill:
  case TL_OP_clone:
  case TL_OP_accumulate:
  case TL_OP_item:
  case TL_OP_pack:
  case TL_OP_if:
    parse_uses(p, operands);
    break;
  case TL_OP_dim:
    parse_uses(p, operands);
    tl__lexer_expect_word(&p->lex, "axis");
    op->u.integer = tl__lexer_integer(&p->lex, false);
    break;
#define TL_TEN(name, class, arity, attributes, doc) case TL_OP_##name:
#include "ir/ops.def"
    parse_uses(p, operands);
    parse_attrs(p, op);
    break;
  case TL_OP_COUNT:
    break;
  }
}

static void parse_op(parser *p, tl_region *region) {
  definitions results = {0};
  if (token(p)->kind == TL_TOKEN_VALUE) {
    do {
      definition d = tl__parse_definition(p);
      TL_PUSH(arena_of(p), results, d);
    } while (!failed(p) && tl__lexer_accept_punct(&p->lex, ','));
    tl__lexer_expect_punct(&p->lex, '=');
  }
  tl_opcode code = parse_opcode(p);
  if (failed(p)) {
    return;
  }
  tl_op *op = TL_NEW(arena_of(p), tl_op);
  op->code = code;
  p->func->reads_signs |= tl_op_reads_signs(code);
  op->parent = region;
  uses operands = {0};
  parse_rest(p, op, &results, &operands);
  op->operands = operands.data;
  op->operand_count = operands.count;
  patch_later(p, op->operands, op->operand_count);
  op->loc = parse_loc(p, p->func->loc.file);
  if (failed(p)) {
    return;
  }
  TL_PUSH(arena_of(p), region->ops, op);
  for (uint32_t i = 0; i < results.count && !failed(p); i++) {
    const definition *d = &results.data[i];
    define(p, &d->token, tl_op_add_result(p->func, op, d->type, d->token.string));
  }
  if (code == TL_OP_if) {
    parse_if_regions(p, op);
  } else if (code == TL_OP_loop) {
    parse_loop_regions(p, op);
  }
}

static void parse_block(parser *p, tl_region *r) {
  if (++p->depth > DEEPEST_NESTING) {
    FAIL(p, "regions are nested more than %d deep", DEEPEST_NESTING);
    return;
  }
  tl__lexer_expect_punct(&p->lex, '{');
  while (!failed(p) && !tl__lexer_at_punct(&p->lex, '}') && !tl__lexer_at_word(&p->lex, "yield")) {
    parse_op(p, r);
  }
  if (tl__lexer_accept_word(&p->lex, "yield")) {
    uses yields = {0};
    parse_uses(p, &yields);
    r->yields.data = yields.data;
    r->yields.count = yields.count;
    r->yields.room = yields.room;
    patch_later(p, r->yields.data, r->yields.count);
  }
  tl__lexer_expect_punct(&p->lex, '}');
  p->depth--;
}

/* ---- functions ---- */

static tl_role parse_role(parser *p) {
  if (tl__lexer_accept_word(&p->lex, "output")) {
    return TL_ROLE_OUTPUT;
  }
  if (tl__lexer_accept_word(&p->lex, "inout")) {
    return TL_ROLE_INOUT;
  }
  tl__lexer_expect_word(&p->lex, "input");
  return TL_ROLE_INPUT;
}

static void parse_face_line(parser *p) {
  tl_func *f = p->func;
  if (tl__lexer_accept_word(&p->lex, "cparam")) {
    tl_cparam c = {.name = tl__lexer_string(&p->lex)};
    c.declarator = tl__lexer_string(&p->lex);
    tl__lexer_expect_word(&p->lex, "bare");
    c.bare = tl__lexer_string(&p->lex);
    c.role = parse_role(p);
    c.by_value = tl__lexer_accept_word(&p->lex, "by_value");
    c.differentiable = tl__lexer_accept_word(&p->lex, "differentiable");
    c.is_struct = tl__lexer_accept_word(&p->lex, "struct");
    c.loc = parse_loc(p, f->loc.file);
    TL_PUSH(f->arena, f->cparams, c);
  } else if (tl__lexer_accept_word(&p->lex, "param")) {
    definition d = tl__parse_definition(p);
    tl__parse_add_param(p, f->body, &d);
    tl__lexer_expect_word(&p->lex, "of");
    tl_param param = {.cparam = tl__lexer_count(&p->lex), .is_memory = tl__lexer_accept_word(&p->lex, "memory")};
    param.access = tl__lexer_string(&p->lex);
    if (!failed(p)) {
      param.value = f->body->params.data[f->body->params.count - 1];
      TL_PUSH(f->arena, f->params, param);
    }
  } else {
    tl__lexer_expect_word(&p->lex, "result");
    tl_result r = {.role = TL_RESULT_RETURN};
    if (tl__lexer_accept_word(&p->lex, "final")) {
      r.role = TL_RESULT_FINAL;
      r.param = tl__lexer_count(&p->lex);
    } else {
      tl__lexer_expect_word(&p->lex, "return");
      r.access = tl__lexer_string(&p->lex);
    }
    TL_PUSH(f->arena, f->results, r);
  }
}

static void apply_patches(parser *p) {
  for (uint32_t i = 1; i < p->symbols.count && !failed(p); i++) {
    symbol *s = &p->symbols.data[i];
    if (s->value == TL_NO_VALUE) {
      p->lex.token = s->use;
      FAIL(p, "%.*s is not defined in the function", (int)s->length, s->key);
    }
  }
  for (uint32_t i = 0; i < p->patches.count && !failed(p); i++) {
    slots s = p->patches.data[i];
    for (uint32_t k = 0; k < s.count; k++) {
      s.at[k] = s.at[k] ? p->symbols.data[s.at[k]].value : TL_NO_VALUE;
    }
  }
}

static void start_function(parser *p) {
  p->symbols.count = 0;
  TL_PUSH(arena_of(p), p->symbols, (symbol){0});
  p->table_size = SMALLEST_TABLE;
  p->table = TL_NEW_ARRAY(arena_of(p), uint32_t, p->table_size);
  p->patches.count = p->short_params.count = p->short_results.count = 0;
  p->depth = 0;
}

static void parse_attributes(parser *p) {
  tl_func *f = p->func;
  f->is_primal = tl__lexer_accept_word(&p->lex, "primal");
  f->recursive = tl__lexer_accept_word(&p->lex, "recursive");
  p->has_returns = tl__lexer_accept_word(&p->lex, "returns");
  if (p->has_returns) {
    f->return_declarator = tl__lexer_string(&p->lex);
  }
  if (tl__lexer_accept_word(&p->lex, "vjp")) {
    f->custom_vjp = tl__lexer_string(&p->lex);
  }
  if (tl__lexer_accept_word(&p->lex, "jvp")) {
    f->custom_jvp = tl__lexer_string(&p->lex);
  }
  f->loc = parse_loc(p, NULL);
}

static void parse_function(parser *p) {
  tl__lexer_expect_word(&p->lex, "func");
  if (token(p)->kind != TL_TOKEN_GLOBAL) {
    FAIL(p, "'@' and a function's name are expected here");
    return;
  }
  if (tl_module_find(p->module, token(p)->string)) {
    FAIL(p, "the module has a function '%s' already", token(p)->string);
    return;
  }
  p->func = tl_func_create(p->module, token(p)->string);
  next(p);
  start_function(p);
  parse_attributes(p);
  tl__lexer_expect_punct(&p->lex, '(');
  bool whole = tl__lexer_at_word(&p->lex, "cparam") || tl__lexer_at_word(&p->lex, "param") ||
               tl__lexer_at_word(&p->lex, "result");
  while (!failed(p) && !tl__lexer_at_punct(&p->lex, ')')) {
    if (whole) {
      parse_face_line(p);
      continue;
    }
    if (p->short_params.count) {
      tl__lexer_expect_punct(&p->lex, ',');
    }
    tl__parse_short_param(p);
  }
  tl__lexer_expect_punct(&p->lex, ')');
  if (!whole && tl__lexer_accept_punct(&p->lex, TL_PUNCT_ARROW)) {
    tl__parse_short_results(p);
  }
  parse_block(p, p->func->body);
  apply_patches(p);
  if (!failed(p) && !whole) {
    tl__parse_complete_short(p);
  }
}

tl_status tl_module_parse(tl_module *m, const char *file, const char *text, size_t length) {
  parser p = {.module = m};
  uint32_t functions = m->funcs.count;
  tl__lexer_init(&p.lex, m->arena, m->diag, tl_arena_strdup(m->arena, file), text, length);
  if (length > LONGEST_TEXT) {
    FAIL(&p, "the text is longer than 1 GiB");
  }
  next(&p);
  while (!failed(&p) && token(&p)->kind != TL_TOKEN_END) {
    parse_function(&p);
  }
  if (failed(&p)) {
    m->funcs.count = functions;
    return TL_IR_INVALID;
  }
  return TL_OK;
}
