/* Shared by parse.c and parse_short.c: the parser of the text form. */
#ifndef TL_IR_PARSE_PRIV_H
#define TL_IR_PARSE_PRIV_H

#include "ir/ir.h"
#include "ir/lex.h"

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
  int depth;
  bool has_returns;       /* the function states its return declarator */
  TL_VEC(symbol) symbols; /* [0] is unused */
  uint32_t *table;        /* open addressing over symbols; 0 is empty */
  uint32_t table_size;    /* a power of 2 */
  TL_VEC(slots) patches;
  TL_VEC(short_param) short_params;
  TL_VEC(short_result) short_results;
} parser;

static inline const tl_token *token(const parser *p) { return &p->lex.token; }
static inline void next(parser *p) { tl__lexer_next(&p->lex); }
static inline bool failed(const parser *p) { return p->lex.failed; }
static inline tl_arena *arena_of(const parser *p) { return p->module->arena; }

#define FAIL(p, ...) tl__lexer_fail(&(p)->lex, __VA_ARGS__)

/* NAME : TYPE. */
definition tl__parse_definition(parser *);
void tl__parse_add_param(parser *, tl_region *, const definition *);
/* The index of the symbol that is used here; 0 after an error. */
tl_value tl__parse_use(parser *);

/* The short form of a function: its parameters and results as they are, without their face in C. */
void tl__parse_short_param(parser *);
void tl__parse_short_results(parser *);
/* Makes that face, once the body is read. */
void tl__parse_complete_short(parser *);

#endif
