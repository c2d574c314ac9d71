/* The text form read back; docs/ir.md is the grammar.
 *
 * A name may be used before it is defined (an extent of a parameter that the body computes). So operands, yields and extents
 * first hold the index of a symbol, and are replaced by ids where the function ends. Whether definitions dominate is for the
 * verifier. The first error ends the parse: the lexer is at the end of the text from then on, so every loop ends too. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "ir/ir.h"
#include "ir/lex.h"
#include "ir/text.h"

enum { DEEPEST_NESTING = 256, LONGEST_NUMBER = 127, LONGEST_TEXT = 1 << 30, SMALLEST_TABLE = 64 };

typedef struct symbol {
  const char *key; /* the token's bytes, with the '%' */
  uint32_t length;
  tl_value value; /* TL_NO_VALUE until it is defined */
  tl_token use;   /* the first */
} symbol;

typedef struct slots {
  tl_value *at; /* indices of symbols, 0 for none */
  uint32_t count;
} slots;

typedef struct definition {
  tl_token token;
  tl_type type;
} definition;

typedef TL_VEC(definition) definitions;
typedef TL_VEC(tl_value) uses;

/* A parameter or result as the short form of a function writes it. */
typedef struct short_param {
  bool has_role;
  tl_role role;
} short_param;

typedef struct short_result {
  tl_value final;     /* a symbol, or 0 for a returned value */
  const char *access; /* or NULL */
} short_result;

typedef struct parser {
  tl_lexer lex;
  tl_module *module;
  tl_func *func;
  const char *last_file;
  int depth;
  bool has_returns; /* the function states its return declarator */
  TL_VEC(symbol) symbols; /* [0] is unused */
  uint32_t *table;        /* open addressing over symbols; 0 is empty */
  uint32_t table_size;    /* a power of 2 */
  TL_VEC(slots) patches;
  TL_VEC(short_param) short_params;
  TL_VEC(short_result) short_results;
} parser;

/* ---- tokens ---- */

static const tl_token *token(const parser *p) { return &p->lex.token; }
static void next(parser *p) { tl__lexer_next(&p->lex); }
static bool failed(const parser *p) { return p->lex.failed; }
static tl_arena *arena_of(const parser *p) { return p->module->arena; }

#define FAIL(p, ...) tl__lexer_fail(&(p)->lex, __VA_ARGS__)

static bool at_word(const parser *p, const char *word) {
  const tl_token *t = token(p);
  return t->kind == TL_TOKEN_WORD && t->length == strlen(word) && !memcmp(t->text, word, t->length);
}

static bool at_punct(const parser *p, char c) { return token(p)->kind == TL_TOKEN_PUNCT && token(p)->punct == c; }

static bool accept_word(parser *p, const char *word) {
  bool yes = at_word(p, word);
  if (yes) {
    next(p);
  }
  return yes;
}

static bool accept_punct(parser *p, char c) {
  bool yes = at_punct(p, c);
  if (yes) {
    next(p);
  }
  return yes;
}

static void expect_punct(parser *p, char c) {
  if (!accept_punct(p, c)) {
    FAIL(p, "'%c' is expected here", c);
  }
}

static void expect_word(parser *p, const char *word) {
  if (!accept_word(p, word)) {
    FAIL(p, "'%s' is expected here", word);
  }
}

/* A string, or the word null. */
static const char *parse_string(parser *p) {
  if (accept_word(p, "null")) {
    return NULL;
  }
  const char *s = token(p)->string;
  if (token(p)->kind != TL_TOKEN_STRING) {
    FAIL(p, "a string is expected here");
    return NULL;
  }
  next(p);
  return s;
}

/* The token's digits: 0..2^64-1, or with a minus sign down to -2^63 as its bits. */
static bool integer_of(const tl_token *t, bool *negative, uint64_t *out) {
  *negative = t->text[0] == '-';
  uint64_t v = 0;
  for (uint32_t i = *negative; i < t->length; i++) {
    unsigned digit = (unsigned char)t->text[i] - '0';
    if (digit > 9 || v > (UINT64_MAX - digit) / 10) {
      return false;
    }
    v = 10 * v + digit;
  }
  if (*negative && v > (uint64_t)INT64_MAX + 1) {
    return false;
  }
  *out = *negative ? 0 - v : v;
  return t->length > *negative;
}

static int64_t parse_integer(parser *p, bool whole_u64) {
  bool negative = false;
  uint64_t v = 0;
  if (token(p)->kind != TL_TOKEN_NUMBER || !integer_of(token(p), &negative, &v) ||
      (!negative && !whole_u64 && v > INT64_MAX)) {
    FAIL(p, "an integer is expected here");
    return 0;
  }
  next(p);
  return (int64_t)v;
}

static uint32_t parse_count(parser *p) {
  int64_t v = parse_integer(p, false);
  if (!failed(p) && (v < 0 || v > UINT32_MAX)) {
    FAIL(p, "the number is not between 0 and 2^32 - 1");
  }
  return failed(p) ? 0 : (uint32_t)v;
}

static long double parse_float(parser *p, tl_dtype dtype) {
  char text[LONGEST_NUMBER + 1], *end;
  const tl_token *t = token(p);
  if ((t->kind != TL_TOKEN_NUMBER && t->kind != TL_TOKEN_WORD) || t->length > LONGEST_NUMBER) {
    FAIL(p, "a floating constant of at most %d bytes is expected here", LONGEST_NUMBER);
    return 0;
  }
  memcpy(text, t->text, t->length);
  text[t->length] = 0;
  strtold(text, &end);
  if (*end || end == text) {
    FAIL(p, "a floating constant is expected here");
    return 0;
  }
  next(p);
  return tl__text_to_float(dtype, text);
}

/* [FILE:]LINE:COLUMN-END after the word "at"; `file` where none is written. */
static tl_loc parse_loc(parser *p, const char *file) {
  tl_loc loc = {.file = file};
  if (!accept_word(p, "at")) {
    return (tl_loc){0};
  }
  if (accept_punct(p, '-')) {
    loc.file = NULL;
    expect_punct(p, ':');
  } else if (token(p)->kind == TL_TOKEN_STRING) {
    const char *s = parse_string(p);
    if (!p->last_file || strcmp(p->last_file, s) != 0) {
      p->last_file = s;
    }
    loc.file = p->last_file;
    expect_punct(p, ':');
  }
  loc.line = parse_count(p);
  expect_punct(p, ':');
  loc.column = parse_count(p);
  bool negative = false;
  uint64_t end = 0;
  if (token(p)->kind != TL_TOKEN_NUMBER || !integer_of(token(p), &negative, &end) || token(p)->text[0] != '-' ||
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
static tl_value parse_use(parser *p) {
  if (accept_word(p, "none")) {
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
    tl_value s = parse_use(p);
    TL_PUSH(arena_of(p), *out, s);
  } while (!failed(p) && accept_punct(p, ','));
}

/* Operands of ops that may have none stand in parentheses. */
static void parse_arguments(parser *p, uses *out) {
  expect_punct(p, '(');
  if (!at_punct(p, ')')) {
    parse_uses(p, out);
  }
  expect_punct(p, ')');
}

/* ---- types and definitions ---- */

static tl_dtype parse_dtype(parser *p) {
  for (int d = 0; d < TL_DTYPE_COUNT; d++) {
    if (accept_word(p, tl_dtype_name((tl_dtype)d))) {
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
  const char *s = parse_string(p);
  if (!s) {
    FAIL(p, "an axis has a name");
  }
  return s;
}

/* Extents hold symbols until the definition's slots are patched. */
static tl_type parse_type(parser *p) {
  tl_type t = {.dtype = parse_dtype(p)};
  if (!accept_punct(p, '[')) {
    return t;
  }
  t.is_array = true;
  tl_extent extents[TL_MAX_RANK];
  const char *names[TL_MAX_RANK];
  bool named = token(p)->kind == TL_TOKEN_WORD || token(p)->kind == TL_TOKEN_STRING;
  while (!failed(p) && !at_punct(p, ']')) {
    if (t.rank == TL_MAX_RANK) {
      FAIL(p, "an array has at most %d axes", TL_MAX_RANK);
      return t;
    }
    if (t.rank) {
      expect_punct(p, ',');
    }
    if (named) {
      names[t.rank] = parse_axis_name(p);
      expect_punct(p, '=');
    }
    extents[t.rank] = (tl_extent){0};
    if (token(p)->kind == TL_TOKEN_VALUE) {
      extents[t.rank].value = parse_use(p);
    } else {
      extents[t.rank].fixed = parse_integer(p, false);
    }
    t.rank++;
  }
  expect_punct(p, ']');
  if (failed(p) || !t.rank) {
    return (tl_type){.dtype = t.dtype, .is_array = true};
  }
  tl_extent *copy = TL_NEW_ARRAY(arena_of(p), tl_extent, t.rank);
  memcpy(copy, extents, sizeof *copy * (size_t)t.rank);
  t.extents = copy;
  if (named) {
    const char **axes = TL_NEW_ARRAY(arena_of(p), const char *, t.rank);
    memcpy(axes, names, sizeof *axes * (size_t)t.rank);
    t.axis_names = axes;
  }
  for (int i = 0; i < t.rank; i++) {
    if (copy[i].value != TL_NO_VALUE) {
      patch_later(p, &copy[i].value, 1);
    }
  }
  return t;
}

static definition parse_definition(parser *p) {
  definition d = {.token = *token(p)};
  if (d.token.kind != TL_TOKEN_VALUE) {
    FAIL(p, "a value is expected here");
    return d;
  }
  next(p);
  expect_punct(p, ':');
  d.type = parse_type(p);
  return d;
}

/* The same type with extents of its own: each is patched once. */
static tl_type copy_type(parser *p, tl_type t) {
  if (t.rank) {
    const char *const *axes = t.axis_names;
    t = tl_array_type(p->func, t.dtype, t.rank, t.extents);
    t.axis_names = axes;
    for (int i = 0; i < t.rank; i++) {
      if (t.extents[i].value != TL_NO_VALUE) {
        patch_later(p, (tl_value *)&t.extents[i].value, 1);
      }
    }
  }
  return t;
}

static void add_param(parser *p, tl_region *r, const definition *d) {
  if (!failed(p)) {
    define(p, &d->token, tl_region_add_param(p->func, r, d->type, d->token.string));
  }
}

/* ---- ops ---- */

static void parse_block(parser *p, tl_region *r);

static void parse_region_params(parser *p, tl_region *r) {
  if (!accept_punct(p, '(')) {
    return;
  }
  while (!failed(p) && !at_punct(p, ')')) {
    if (r->params.count) {
      expect_punct(p, ',');
    }
    definition d = parse_definition(p);
    add_param(p, r, &d);
  }
  expect_punct(p, ')');
}

static void parse_if_regions(parser *p, tl_op *op) {
  op->region_count = 2;
  for (int i = 0; i < 2; i++) {
    if (i) {
      expect_word(p, "else");
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
  bool has_condition = accept_word(p, "while");
  if (has_condition) {
    parse_region_params(p, cond);
    parse_block(p, cond);
  }
  expect_word(p, "do");
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
    op->u.floating = parse_float(p, d);
  } else {
    op->u.integer = parse_integer(p, d == TL_U64);
  }
  if (token(p)->kind == TL_TOKEN_STRING) {
    op->spelling = parse_string(p);
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
      if (accept_word(p, flags[i].word)) {
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
  tl_value lo = parse_use(p), hi = accept_word(p, "to") ? parse_use(p) : TL_NO_VALUE;
  TL_PUSH(arena_of(p), *operands, lo);
  TL_PUSH(arena_of(p), *operands, hi);
  expect_word(p, "step");
  op->u.step = parse_integer(p, false);
  op->reversed = accept_word(p, "reversed");
  if (accept_word(p, "carry")) {
    parse_uses(p, operands);
  }
}

static tl_opcode parse_opcode(parser *p) {
  for (int i = 0; i < TL_OP_COUNT; i++) {
    if (accept_word(p, tl_op_table[i].name)) {
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
    if (at_punct(p, '(')) {
      parse_arguments(p, operands);
    }
    parse_alloc_flags(p, op);
    break;
  case TL_OP_call:
    parse_callee(p, op);
    parse_arguments(p, operands);
    break;
  case TL_OP_extern:
    parse_callee(p, op);
    parse_arguments(p, operands);
    op->format = parse_string(p);
    op->has_effect = accept_word(p, "effect");
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
  case TL_OP_if:
    parse_uses(p, operands);
    break;
  case TL_OP_COUNT:
    break;
  }
}

static void parse_op(parser *p, tl_region *region) {
  definitions results = {0};
  if (token(p)->kind == TL_TOKEN_VALUE) {
    do {
      definition d = parse_definition(p);
      TL_PUSH(arena_of(p), results, d);
    } while (!failed(p) && accept_punct(p, ','));
    expect_punct(p, '=');
  }
  tl_opcode code = parse_opcode(p);
  if (failed(p)) {
    return;
  }
  tl_op *op = TL_NEW(arena_of(p), tl_op);
  op->code = code;
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
  expect_punct(p, '{');
  while (!failed(p) && !at_punct(p, '}') && !at_word(p, "yield")) {
    parse_op(p, r);
  }
  if (accept_word(p, "yield")) {
    uses yields = {0};
    parse_uses(p, &yields);
    r->yields.data = yields.data;
    r->yields.count = yields.count;
    r->yields.room = yields.room;
    patch_later(p, r->yields.data, r->yields.count);
  }
  expect_punct(p, '}');
  p->depth--;
}

/* ---- functions ---- */

static tl_role parse_role(parser *p) {
  if (accept_word(p, "output")) {
    return TL_ROLE_OUTPUT;
  }
  if (accept_word(p, "inout")) {
    return TL_ROLE_INOUT;
  }
  expect_word(p, "input");
  return TL_ROLE_INPUT;
}

static void parse_face_line(parser *p) {
  tl_func *f = p->func;
  if (accept_word(p, "cparam")) {
    tl_cparam c = {.name = parse_string(p)};
    c.declarator = parse_string(p);
    expect_word(p, "bare");
    c.bare = parse_string(p);
    c.role = parse_role(p);
    c.by_value = accept_word(p, "by_value");
    c.differentiable = accept_word(p, "differentiable");
    c.is_struct = accept_word(p, "struct");
    c.loc = parse_loc(p, f->loc.file);
    TL_PUSH(f->arena, f->cparams, c);
  } else if (accept_word(p, "param")) {
    definition d = parse_definition(p);
    add_param(p, f->body, &d);
    expect_word(p, "of");
    tl_param param = {.cparam = parse_count(p), .is_memory = accept_word(p, "memory")};
    param.access = parse_string(p);
    if (!failed(p)) {
      param.value = f->body->params.data[f->body->params.count - 1];
      TL_PUSH(f->arena, f->params, param);
    }
  } else {
    expect_word(p, "result");
    tl_result r = {.role = TL_RESULT_RETURN};
    if (accept_word(p, "final")) {
      r.role = TL_RESULT_FINAL;
      r.param = parse_count(p);
    } else {
      expect_word(p, "return");
      r.access = parse_string(p);
    }
    TL_PUSH(f->arena, f->results, r);
  }
}

static void parse_short_param(parser *p) {
  short_param s = {.has_role = true};
  if (accept_word(p, "in")) {
    s.role = TL_ROLE_INPUT;
  } else if (accept_word(p, "out")) {
    s.role = TL_ROLE_OUTPUT;
  } else if (accept_word(p, "inout")) {
    s.role = TL_ROLE_INOUT;
  } else {
    s.has_role = false;
  }
  definition d = parse_definition(p);
  add_param(p, p->func->body, &d);
  TL_PUSH(arena_of(p), p->short_params, s);
}

static void parse_short_results(parser *p) {
  expect_punct(p, '(');
  while (!failed(p) && !at_punct(p, ')')) {
    if (p->short_results.count) {
      expect_punct(p, ',');
    }
    short_result r = {0};
    if (accept_word(p, "final")) {
      r.final = parse_use(p);
      if (r.final == TL_NO_VALUE) {
        FAIL(p, "a parameter is expected here");
      }
    } else {
      expect_word(p, "return");
      if (token(p)->kind == TL_TOKEN_STRING) {
        r.access = parse_string(p);
      }
    }
    TL_PUSH(arena_of(p), p->short_results, r);
  }
  expect_punct(p, ')');
}

static const char *c_spelling(tl_dtype d) {
  static const char *const names[] = {
#define TL_SPELLING(id, name, size, c) c,
      TL_DTYPE_MAP(TL_SPELLING)
#undef TL_SPELLING
  };
  return names[d];
}

static const char *param_name(parser *p, uint32_t i) {
  const char *name = tl_info(p->func, p->func->body->params.data[i])->name;
  return name ? name : tl_arena_printf(arena_of(p), "p%u", i);
}

/* "[n][3]" where every extent is fixed or a scalar parameter, else NULL. */
static const char *c_extents(parser *p, tl_type t) {
  const char *text = "";
  for (int i = 0; i < t.rank; i++) {
    tl_value v = t.extents[i].value;
    if (v == TL_NO_VALUE) {
      text = tl_arena_printf(arena_of(p), "%s[%lld]", text, (long long)t.extents[i].fixed);
      continue;
    }
    const tl_value_info *info = tl_info(p->func, v);
    if (info->region != p->func->body || info->op || info->type.is_array) {
      return NULL;
    }
    text = tl_arena_printf(arena_of(p), "%s[%s]", text, param_name(p, info->index));
  }
  return text;
}

/* The C face of a function in short form: each parameter is a C parameter of its own. */
static void complete_params(parser *p) {
  tl_func *f = p->func;
  for (uint32_t i = 0; i < f->body->params.count; i++) {
    tl_value v = f->body->params.data[i];
    tl_type t = tl_type_of(f, v);
    short_param s = p->short_params.data[i];
    for (uint32_t k = 0; !s.has_role && k < p->short_results.count; k++) {
      if (p->short_results.data[k].final != 0 && p->symbols.data[p->short_results.data[k].final].value == v) {
        s.role = TL_ROLE_INOUT;
      }
    }
    tl_cparam c = {.name = param_name(p, i), .role = s.role, .by_value = !t.is_array};
    const char *extents = c_extents(p, t);
    const char *shape = !t.is_array ? "@" : !t.rank || !extents ? "*@" : tl_arena_printf(arena_of(p), "@%s", extents);
    c.bare = tl_arena_printf(arena_of(p), "%s %s", c_spelling(t.dtype), shape);
    c.declarator = t.is_array && s.role == TL_ROLE_INPUT ? tl_arena_printf(arena_of(p), "const %s", c.bare) : c.bare;
    c.differentiable = tl_dtype_is_float(t.dtype) && s.role != TL_ROLE_OUTPUT;
    TL_PUSH(f->arena, f->cparams, c);
    const char *access = !t.is_array ? "$" : !t.rank ? "(*$)" : "$";
    for (int axis = 0; axis < t.rank; axis++) {
      access = tl_arena_printf(arena_of(p), "%s[#]", access);
    }
    TL_PUSH(f->arena, f->params, (tl_param){v, i, access, t.is_array});
  }
}

static void complete_results(parser *p) {
  tl_func *f = p->func;
  uint32_t returned = 0, nth = 0;
  for (uint32_t i = 0; i < p->short_results.count; i++) {
    returned += p->short_results.data[i].final == 0;
  }
  const char *type = returned ? tl_arena_printf(arena_of(p), "struct %s_result", f->name) : "void";
  for (uint32_t i = 0; i < p->short_results.count; i++) {
    short_result s = p->short_results.data[i];
    tl_result r = {.role = TL_RESULT_RETURN, .access = s.access};
    if (s.final) {
      r.role = TL_RESULT_FINAL;
      tl_value v = p->symbols.data[s.final].value;
      const tl_value_info *info = tl_info(f, v);
      if (info->op || info->region != f->body) {
        p->lex.token = p->symbols.data[s.final].use;
        FAIL(p, "a parameter is expected here");
        return;
      }
      r.param = info->index;
    } else if (!s.access && returned > 1) {
      r.access = tl_arena_printf(arena_of(p), "$.r%u", nth);
    } else if (!s.access) {
      r.access = "$";
      if (i < f->body->yields.count && f->body->yields.data[i] != TL_NO_VALUE) {
        type = c_spelling(tl_type_of(f, f->body->yields.data[i]).dtype);
      }
    }
    nth += s.final == 0;
    TL_PUSH(f->arena, f->results, r);
  }
  if (!p->has_returns) {
    f->return_declarator = type;
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
  f->is_primal = accept_word(p, "primal");
  f->recursive = accept_word(p, "recursive");
  p->has_returns = accept_word(p, "returns");
  if (p->has_returns) {
    f->return_declarator = parse_string(p);
  }
  if (accept_word(p, "vjp")) {
    f->custom_vjp = parse_string(p);
  }
  if (accept_word(p, "jvp")) {
    f->custom_jvp = parse_string(p);
  }
  f->loc = parse_loc(p, NULL);
}

static void parse_function(parser *p) {
  expect_word(p, "func");
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
  expect_punct(p, '(');
  bool whole = at_word(p, "cparam") || at_word(p, "param") || at_word(p, "result");
  while (!failed(p) && !at_punct(p, ')')) {
    if (whole) {
      parse_face_line(p);
      continue;
    }
    if (p->short_params.count) {
      expect_punct(p, ',');
    }
    parse_short_param(p);
  }
  expect_punct(p, ')');
  if (!whole && accept_punct(p, '>')) {
    parse_short_results(p);
  }
  parse_block(p, p->func->body);
  apply_patches(p);
  if (!failed(p) && !whole) {
    complete_params(p);
    complete_results(p);
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
