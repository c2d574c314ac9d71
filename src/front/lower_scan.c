#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "front/lower_priv.h"

/* ---- sets of objects ---- */

bool tl__lower_set_has(const tl_decl_set *set, const tl_decl *d) {
  for (uint32_t i = 0; i < set->decls.count; i++) {
    if (set->decls.data[i] == d) {
      return true;
    }
  }
  return false;
}

static void set_add(tl_arena *arena, tl_decl_set *set, const tl_decl *d) {
  if (!tl__lower_set_has(set, d)) {
    TL_PUSH(arena, set->decls, d);
  }
}

/* The variable that an lvalue is a part of, reached without following a pointer; NULL if there is none. */
static const tl_decl *root_of(const tl_expr *e) {
  for (;;) {
    if (e->kind == TL_EXPR_MEMBER) {
      e = e->a;
    } else if (e->kind == TL_EXPR_INDEX && e->a->kind == TL_EXPR_DECAY) {
      e = e->a->a;
    } else {
      return e->kind == TL_EXPR_VAR ? e->decl : NULL;
    }
  }
}

static bool writes(const tl_expr *e) {
  return e->kind == TL_EXPR_ASSIGN || e->kind == TL_EXPR_COMPOUND_ASSIGN || e->kind == TL_EXPR_PRE_INC ||
         e->kind == TL_EXPR_PRE_DEC || e->kind == TL_EXPR_POST_INC || e->kind == TL_EXPR_POST_DEC;
}

typedef struct tl_assigned_ctx {
  tl_arena *arena;
  tl_decl_set *set;
} tl_assigned_ctx;

static void assigned_expr(tl_ast_walk *w, const tl_expr *e) {
  const tl_assigned_ctx *c = w->ctx;
  const tl_decl *d = writes(e) ? root_of(e->a) : NULL;
  if (d) {
    set_add(c->arena, c->set, d);
  }
}

void tl__lower_scan_assigned(tl_arena *arena, const tl_stmt *s, tl_decl_set *set) {
  tl_assigned_ctx c = {arena, set};
  tl_ast_walk w = {.expr = assigned_expr, .ctx = &c};
  tl_ast_walk_stmt(&w, s);
}

void tl__lower_scan_assigned_expr(tl_arena *arena, const tl_expr *e, tl_decl_set *set) {
  tl_assigned_ctx c = {arena, set};
  tl_ast_walk w = {.expr = assigned_expr, .ctx = &c};
  tl_ast_walk_expr(&w, e);
}

/* An address is taken by & and by an array's decay, unless the decay is subscripted at once. The walk meets an INDEX
 * before its DECAY, so it notes those decays first. */
typedef struct tl_escape_ctx {
  tl_arena *arena;
  tl_decl_set *set;
  const tl_expr *benign;
} tl_escape_ctx;

static void escape_expr(tl_ast_walk *w, const tl_expr *e) {
  tl_escape_ctx *c = w->ctx;
  if (e->kind == TL_EXPR_INDEX && e->a->kind == TL_EXPR_DECAY) {
    c->benign = e->a;
  } else if (e->kind == TL_EXPR_ADDRESS ||
             (e->kind == TL_EXPR_DECAY && e != c->benign && e->a->kind != TL_EXPR_FUNCTION)) {
    const tl_decl *d = root_of(e->a);
    if (d) {
      TL_PUSH(c->arena, c->set->decls, d);
    }
  }
}

static int by_address(const void *a, const void *b) {
  uintptr_t x = (uintptr_t)*(const tl_decl *const *)a, y = (uintptr_t)*(const tl_decl *const *)b;
  return (x > y) - (x < y);
}

static const tl_decl_set *escapes_of(tl_lower *l, const tl_function *f) {
  for (uint32_t i = 0; i < l->known_escapes.count; i++) {
    if (l->known_escapes.data[i].function == f) {
      return &l->known_escapes.data[i].set;
    }
  }
  TL_PUSH(l->arena, l->known_escapes, (tl_known_escapes){.function = f});
  tl_decl_set *set = &l->known_escapes.data[l->known_escapes.count - 1].set;
  tl_escape_ctx c = {.arena = l->arena, .set = set};
  tl_ast_walk w = {.expr = escape_expr, .ctx = &c};
  tl_ast_walk_stmt(&w, f->body);
  if (set->decls.count) {
    qsort(set->decls.data, set->decls.count, sizeof *set->decls.data, by_address);
  }
  return set;
}

bool tl__lower_scan_escapes(tl_lower *l, const tl_function *f, const tl_decl *d) {
  const tl_decl_set *set = escapes_of(l, f);
  return set->decls.count && bsearch(&d, set->decls.data, set->decls.count, sizeof *set->decls.data, by_address);
}

typedef struct tl_indexed_ctx {
  const tl_decl *decl;
  bool found;
} tl_indexed_ctx;

static bool names(const tl_expr *e, const tl_decl *d) {
  e = tl_expr_strip(e);
  return e && e->kind == TL_EXPR_VAR && e->decl == d;
}

static void indexed_expr(tl_ast_walk *w, const tl_expr *e) {
  tl_indexed_ctx *c = w->ctx;
  int64_t at;
  bool steps = writes(e) && e->kind != TL_EXPR_ASSIGN;
  bool adds = e->kind == TL_EXPR_BINARY && (e->op == TL_BIN_ADD || e->op == TL_BIN_SUB);
  bool subscripts = e->kind == TL_EXPR_INDEX && !(tl_expr_constant(e->b, &at) && at == 0);
  c->found = c->found || ((steps || adds || subscripts) && names(e->a, c->decl)) || (adds && names(e->b, c->decl));
}

bool tl__lower_scan_indexed(const tl_function *f, const tl_decl *d) {
  tl_indexed_ctx c = {.decl = d};
  tl_ast_walk w = {.expr = indexed_expr, .ctx = &c};
  tl_ast_walk_stmt(&w, f->body);
  return c.found;
}

/* Whether some function of the unit writes to a static object, or hands out its address other than as a pointer to
 * const or to a pointer through which nothing is written. What makes an address harmless stands above it in the tree,
 * so the walk notes those addresses first. */
enum { MAX_BENIGN = 64, MAX_ASKED = 32 };

/* The pointers that the object's address went to, each asked once: while that is open it is taken to write nothing, for
 * if it does, whoever asked finds so. */
typedef struct tl_asked {
  const tl_decl *decls[MAX_ASKED];
  bool writes[MAX_ASKED];
  uint32_t count;
} tl_asked;

typedef struct tl_modified_ctx {
  const tl_unit *unit;
  const tl_decl *decl;
  bool points;         /* decl is a pointer, and what it points to is asked for */
  bool plain;          /* decl is of scalars: what is reached from it is a part of it */
  const tl_stmt *body; /* of the function that the walk is in */
  tl_asked *asked;
  const tl_expr *benign[MAX_BENIGN]; /* a ring: what is noted is met soon */
  uint32_t at;
  bool found;
} tl_modified_ctx;

static void note(tl_modified_ctx *c, const tl_expr *e) { c->benign[c->at++ % MAX_BENIGN] = e; }

static bool is_harmless(const tl_modified_ctx *c, const tl_expr *e) {
  for (uint32_t i = 0; i < MAX_BENIGN; i++) {
    if (c->benign[i] == e) {
      return true;
    }
  }
  return false;
}

static bool reads_only_as(const tl_ctype *t) {
  return t && t->kind == TL_CT_POINTER && (t->target->is_const || t->target->kind == TL_CT_FUNCTION);
}

static void note_benign(tl_modified_ctx *c, const tl_expr *e, const tl_ctype *as) {
  if (e && reads_only_as(as)) {
    note(c, e);
  }
}

static void note_init(tl_modified_ctx *c, const tl_expr *init, const tl_ctype *type) {
  if (!init) {
    return;
  }
  note_benign(c, init, type);
  if (init->kind != TL_EXPR_INIT_LIST) {
    return;
  }
  for (uint32_t i = 0; i < init->args.count; i++) {
    if (type->kind == TL_CT_ARRAY) {
      note_init(c, init->args.data[i], type->target);
    } else if (type->kind == TL_CT_RECORD && i < type->record->fields.count) {
      note_init(c, init->args.data[i], type->record->fields.data[i].type);
    }
  }
}

/* Whether an lvalue or an address is a part of the variable or was reached from it. */
static bool is_from(const tl_expr *e, const tl_decl *d) {
  while (e && e->kind != TL_EXPR_VAR) {
    if (e->kind == TL_EXPR_CONDITIONAL) {
      if (is_from(e->b ? e->b : e->a, d)) {
        return true;
      }
      e = e->c;
      continue;
    }
    bool follows = e->kind == TL_EXPR_MEMBER || e->kind == TL_EXPR_ARROW || e->kind == TL_EXPR_INDEX ||
                   e->kind == TL_EXPR_DEREF || e->kind == TL_EXPR_DECAY || e->kind == TL_EXPR_ADDRESS ||
                   e->kind == TL_EXPR_CAST || e->kind == TL_EXPR_BINARY || e->kind == TL_EXPR_COMMA || writes(e);
    bool second = e->kind == TL_EXPR_COMMA || (e->kind == TL_EXPR_BINARY && e->a->type->kind != TL_CT_POINTER);
    e = !follows ? NULL : second ? e->b : e->a;
  }
  return e && e->decl == d;
}

static bool is_part(const tl_modified_ctx *c, const tl_expr *e) {
  return c->points || c->plain ? is_from(e, c->decl) : root_of(e) == c->decl;
}

static void modified_expr(tl_ast_walk *w, const tl_expr *e);
static void modified_stmt(tl_ast_walk *w, const tl_stmt *s);

/* Whether nothing is written through `d`, a parameter or a local of the function with that body. */
static bool only_reads(const tl_modified_ctx *c, const tl_stmt *body, const tl_decl *d) {
  tl_asked *asked = c->asked;
  for (uint32_t i = 0; i < asked->count; i++) {
    if (asked->decls[i] == d) {
      return !asked->writes[i];
    }
  }
  if (!body || asked->count == MAX_ASKED) {
    return false;
  }
  uint32_t at = asked->count++;
  asked->decls[at] = d;
  asked->writes[at] = false;
  tl_modified_ctx inner = {.unit = c->unit, .decl = d, .points = true, .body = body, .asked = asked};
  tl_ast_walk w = {.expr = modified_expr, .stmt = modified_stmt, .ctx = &inner};
  tl_ast_walk_stmt(&w, body);
  asked->writes[at] = inner.found;
  return !inner.found;
}

/* The object's address, or one in it, becomes the value of the variable `to`. */
static void note_assigned(tl_modified_ctx *c, const tl_expr *value, const tl_decl *to) {
  if (to && value && to->type->kind == TL_CT_POINTER && !reads_only_as(to->type) &&
      (to->storage == TL_STORAGE_LOCAL || to->storage == TL_STORAGE_PARAM) && is_from(value, c->decl) &&
      only_reads(c, c->body, to)) {
    note(c, value);
  }
}

static void note_arguments(tl_modified_ctx *c, const tl_expr *call) {
  const tl_ctype *type = call->a->type;
  type = type->kind == TL_CT_POINTER ? type->target : type;
  const tl_function *f = call->a->kind == TL_EXPR_FUNCTION ? tl_unit_find(c->unit, call->a->name) : NULL;
  for (uint32_t i = 0; type->kind == TL_CT_FUNCTION && i < call->args.count && i < type->params.count; i++) {
    const tl_expr *e = call->args.data[i];
    note_benign(c, e, type->params.data[i]);
    if (f && f->body && i < f->params.count && !reads_only_as(type->params.data[i]) && is_from(e, c->decl) &&
        only_reads(c, f->body, f->params.data[i])) {
      note(c, e);
    }
  }
}

static bool is_pointer(const tl_expr *e) { return e && e->type->kind == TL_CT_POINTER; }

/* The value of a ({ ... }), NULL for none. */
static const tl_expr *last_value(const tl_stmt *body) {
  const tl_stmt *last = body && body->body.count ? body->body.data[body->body.count - 1] : NULL;
  return last && last->kind == TL_STMT_EXPR ? last->expr : NULL;
}

/* What an expression does with the addresses below it. */
static void note_operands(tl_modified_ctx *c, const tl_expr *e) {
  bool follows = e->kind == TL_EXPR_INDEX || e->kind == TL_EXPR_DEREF || e->kind == TL_EXPR_ARROW;
  bool moves =
      c->points && writes(e) && is_pointer(e->a) && tl_expr_strip(e->a)->kind == TL_EXPR_VAR && is_harmless(c, e);
  if ((e->kind == TL_EXPR_INDEX && e->a->kind == TL_EXPR_DECAY) ||
      (follows && is_pointer(e->a) && (c->points || c->plain)) || moves) {
    note(c, e->a);
  } else if (e->kind == TL_EXPR_BINARY && !is_pointer(e) && is_pointer(e->a)) { /* a comparison, a difference */
    note(c, e->a);
    note(c, e->b);
  } else if (e->kind == TL_EXPR_CALL) {
    note_arguments(c, e);
  } else if (e->kind == TL_EXPR_INIT_LIST) {
    note_init(c, e, e->type);
  } else if (e->kind == TL_EXPR_CAST) {
    note_benign(c, e->a, e->type);
  } else if (e->kind == TL_EXPR_COMMA) {
    note(c, e->a); /* a value that nobody takes */
  }
  if (e->kind == TL_EXPR_ASSIGN) {
    const tl_expr *to = tl_expr_strip(e->a);
    note_benign(c, e->b, e->a->type);
    note_assigned(c, e->b, to->kind == TL_EXPR_VAR ? to->decl : NULL);
  } else if (is_harmless(c, e) && is_pointer(e)) { /* an address made of others */
    bool chooses = e->kind == TL_EXPR_CONDITIONAL;
    if (e->kind == TL_EXPR_CAST || e->kind == TL_EXPR_BINARY || (chooses && !e->b) || (c->points && writes(e))) {
      note(c, e->a);
    }
    if (e->kind == TL_EXPR_BINARY || e->kind == TL_EXPR_COMMA || chooses) {
      note(c, e->b);
      note(c, e->c);
    }
  }
}

static void modified_expr(tl_ast_walk *w, const tl_expr *e) {
  tl_modified_ctx *c = w->ctx;
  assert(e->a || (e->kind != TL_EXPR_INDEX && e->kind != TL_EXPR_CALL && e->kind != TL_EXPR_ASSIGN &&
                  e->kind != TL_EXPR_DECAY));
  note_operands(c, e);
  bool takes = e->kind == TL_EXPR_ADDRESS || (e->kind == TL_EXPR_DECAY && e->a->kind != TL_EXPR_FUNCTION);
  bool stores = writes(e) && !(c->points && tl_expr_strip(e->a)->kind == TL_EXPR_VAR);
  bool hands_out = c->points && e->kind == TL_EXPR_VAR && e->decl == c->decl;
  bool ends_in = e->kind == TL_EXPR_STMT && is_pointer(e) && is_from(last_value(e->body), c->decl);
  c->found = c->found || ends_in || (stores && is_part(c, e->a)) ||
             (!is_harmless(c, e) && (hands_out || (takes && is_part(c, e->a))));
}

static void modified_stmt(tl_ast_walk *w, const tl_stmt *s) {
  if (s->kind == TL_STMT_EXPR || s->kind == TL_STMT_FOR) { /* values that nobody takes */
    note(w->ctx, s->kind == TL_STMT_EXPR ? s->expr : s->init);
    note(w->ctx, s->step);
  }
  for (uint32_t i = 0; i < s->decls.count; i++) {
    const tl_decl *d = s->decls.data[i];
    note_init(w->ctx, d->init, d->type);
    note_assigned(w->ctx, d->init, d);
  }
}

bool tl__lower_scan_modified(const tl_unit *unit, const tl_decl *d) {
  const tl_ctype *t = d->type;
  while (t->kind == TL_CT_ARRAY) {
    t = t->target;
  }
  tl_asked asked = {.count = 0};
  tl_modified_ctx c = {.unit = unit, .decl = d, .plain = t->kind == TL_CT_SCALAR, .asked = &asked};
  tl_ast_walk w = {.expr = modified_expr, .stmt = modified_stmt, .ctx = &c};
  for (uint32_t i = 0; i < unit->functions.count && !c.found; i++) {
    c.body = unit->functions.data[i]->body;
    tl_ast_walk_stmt(&w, c.body);
  }
  for (uint32_t i = 0; i < unit->globals.count && !c.found; i++) {
    note_init(&c, unit->globals.data[i]->init, unit->globals.data[i]->type);
    tl_ast_walk_expr(&w, unit->globals.data[i]->init);
  }
  return c.found;
}

/* ---- counters that nobody reads ---- */

typedef struct tl_counter_ctx {
  const tl_decl *decl;
  const tl_expr *dropped[MAX_BENIGN]; /* a ring: values that nobody takes */
  uint32_t at;
  const tl_expr *taken; /* the value of a ({ ... }) */
  uint32_t named, updates;
} tl_counter_ctx;

static void count_names(tl_ast_walk *w, const tl_expr *e) {
  tl_counter_ctx *c = w->ctx;
  c->named += e->kind == TL_EXPR_VAR && e->decl == c->decl;
}

static uint32_t times_named(const tl_expr *e, const tl_decl *d) {
  tl_counter_ctx c = {.decl = d};
  tl_ast_walk w = {.expr = count_names, .ctx = &c};
  tl_ast_walk_expr(&w, e);
  return c.named;
}

static void drop(tl_counter_ctx *c, const tl_expr *e) {
  if (e && e != c->taken) {
    c->dropped[c->at++ % MAX_BENIGN] = e;
  }
}

static void counter_expr(tl_ast_walk *w, const tl_expr *e) {
  tl_counter_ctx *c = w->ctx;
  bool dropped = false;
  for (uint32_t i = 0; i < MAX_BENIGN && !dropped; i++) {
    dropped = c->dropped[i] == e;
  }
  c->named += e->kind == TL_EXPR_VAR && e->decl == c->decl;
  if (e->kind == TL_EXPR_STMT) {
    c->taken = last_value(e->body);
  } else if (e->kind == TL_EXPR_COMMA || (e->kind == TL_EXPR_CAST && e->type->kind == TL_CT_VOID)) {
    drop(c, e->a);
  }
  if (dropped && (e->kind == TL_EXPR_COMMA || e->kind == TL_EXPR_CONDITIONAL)) {
    drop(c, e->b);
    drop(c, e->c);
  }
  if (dropped && writes(e) && root_of(e->a) == c->decl && tl__lower_scan_pure(e->a) &&
      (!e->b || tl__lower_scan_pure(e->b))) {
    c->updates += 1 + (e->b ? times_named(e->b, c->decl) : 0);
  }
}

static void counter_stmt(tl_ast_walk *w, const tl_stmt *s) {
  if (s->kind == TL_STMT_EXPR || s->kind == TL_STMT_FOR) {
    drop(w->ctx, s->kind == TL_STMT_EXPR ? s->expr : s->init);
    drop(w->ctx, s->step);
  }
}

bool tl__lower_scan_unobserved(const tl_unit *unit, const tl_expr *e) {
  const tl_decl *d = writes(e) ? root_of(e->a) : NULL;
  if (!d || (d->storage != TL_STORAGE_STATIC_LOCAL && !(d->storage == TL_STORAGE_FILE && d->is_static)) ||
      e->a->type->kind != TL_CT_SCALAR || tl_dtype_is_float(e->a->type->dtype) || !tl__lower_scan_pure(e->a) ||
      (e->b && !tl__lower_scan_pure(e->b))) {
    return false;
  }
  tl_counter_ctx c = {.decl = d};
  tl_ast_walk w = {.expr = counter_expr, .stmt = counter_stmt, .ctx = &c};
  for (uint32_t i = 0; i < unit->functions.count; i++) {
    tl_ast_walk_stmt(&w, unit->functions.data[i]->body);
  }
  for (uint32_t i = 0; i < unit->globals.count; i++) {
    tl_ast_walk_expr(&w, unit->globals.data[i]->init);
  }
  return c.named == c.updates;
}

/* ---- purity ---- */

typedef struct tl_flag_ctx {
  bool found;
} tl_flag_ctx;

static void impure_expr(tl_ast_walk *w, const tl_expr *e) {
  tl_flag_ctx *c = w->ctx;
  c->found = c->found || writes(e) || e->kind == TL_EXPR_STMT || e->kind == TL_EXPR_INTRINSIC ||
             e->kind == TL_EXPR_COMPOUND_LITERAL || e->kind == TL_EXPR_UNSUPPORTED ||
             (e->kind == TL_EXPR_CALL && (e->a->kind != TL_EXPR_FUNCTION || !tl__lower_math_is_pure(e->a->name)));
}

bool tl__lower_scan_pure(const tl_expr *e) {
  tl_flag_ctx c = {0};
  tl_ast_walk w = {.expr = impure_expr, .ctx = &c};
  tl_ast_walk_expr(&w, e);
  return !c.found;
}

static bool is_float(const tl_ctype *t) { return t->kind == TL_CT_SCALAR && tl_dtype_is_float(t->dtype); }

/* May be computed where C would not: no load that may fault, no trap, no signed overflow, and no product, whose
 * partials could turn an untaken branch into a NaN. */
bool tl__lower_scan_cheap(tl_lower *l, const tl_expr *e) {
  if (!e || e->type->kind != TL_CT_SCALAR) {
    return false;
  }
  switch (e->kind) {
  case TL_EXPR_INT:
  case TL_EXPR_FLOAT:
    return true;
  case TL_EXPR_VAR:
    return e->decl && (e->decl->storage == TL_STORAGE_LOCAL || e->decl->storage == TL_STORAGE_PARAM);
  case TL_EXPR_MEMBER:
    return !e->record->is_union && e->a->kind == TL_EXPR_VAR && e->a->decl && e->a->decl->storage != TL_STORAGE_FILE &&
           e->a->decl->storage != TL_STORAGE_STATIC_LOCAL;
  case TL_EXPR_UNARY:
    return (e->unary != '-' || is_float(e->type) || tl_dtype_is_unsigned(e->type->dtype) ||
            e->a->kind == TL_EXPR_INT) &&
           tl__lower_scan_cheap(l, e->a);
  case TL_EXPR_BINARY:
    switch (e->op) {
    case TL_BIN_ADD:
    case TL_BIN_SUB:
      return (is_float(e->type) || tl_dtype_is_unsigned(e->type->dtype)) && tl__lower_scan_cheap(l, e->a) &&
             tl__lower_scan_cheap(l, e->b);
    case TL_BIN_AND:
    case TL_BIN_OR:
    case TL_BIN_XOR:
    case TL_BIN_EQ:
    case TL_BIN_NE:
    case TL_BIN_LT:
    case TL_BIN_LE:
    case TL_BIN_GT:
    case TL_BIN_GE:
      return tl__lower_scan_cheap(l, e->a) && tl__lower_scan_cheap(l, e->b);
    case TL_BIN_MUL:
    case TL_BIN_DIV:
    case TL_BIN_REM:
    case TL_BIN_SHL:
    case TL_BIN_SHR:
      return false;
    }
    return false;
  case TL_EXPR_LOGICAL_AND:
  case TL_EXPR_LOGICAL_OR:
    return tl__lower_scan_cheap(l, e->a) && tl__lower_scan_cheap(l, e->b);
  case TL_EXPR_CONDITIONAL:
    return e->b && tl__lower_scan_cheap(l, e->a) && tl__lower_scan_cheap(l, e->b) && tl__lower_scan_cheap(l, e->c);
  case TL_EXPR_CAST:
    return e->a->type->kind == TL_CT_SCALAR && (!is_float(e->a->type) || is_float(e->type)) &&
           tl__lower_scan_cheap(l, e->a);
  case TL_EXPR_STRING:
  case TL_EXPR_FUNCTION:
  case TL_EXPR_COMMA:
  case TL_EXPR_ASSIGN:
  case TL_EXPR_COMPOUND_ASSIGN:
  case TL_EXPR_PRE_INC:
  case TL_EXPR_PRE_DEC:
  case TL_EXPR_POST_INC:
  case TL_EXPR_POST_DEC:
  case TL_EXPR_DECAY:
  case TL_EXPR_CALL:
  case TL_EXPR_INTRINSIC:
  case TL_EXPR_INDEX:
  case TL_EXPR_ARROW:
  case TL_EXPR_DEREF:
  case TL_EXPR_ADDRESS:
  case TL_EXPR_INIT_LIST:
  case TL_EXPR_COMPOUND_LITERAL:
  case TL_EXPR_SIZEOF_VLA:
  case TL_EXPR_STMT:
  case TL_EXPR_UNSUPPORTED:
    break;
  }
  return false;
}

/* ---- control ---- */

bool tl__lower_scan_leaves(const tl_stmt *s) {
  if (!s) {
    return false;
  }
  switch (s->kind) {
  case TL_STMT_BREAK:
  case TL_STMT_CONTINUE:
  case TL_STMT_RETURN:
  case TL_STMT_GOTO:
    return true;
  case TL_STMT_COMPOUND:
    return s->body.count && tl__lower_scan_leaves(s->body.data[s->body.count - 1]);
  case TL_STMT_IF:
    return tl__lower_scan_leaves(s->then_body) && tl__lower_scan_leaves(s->else_body);
  case TL_STMT_CASE:
  case TL_STMT_DEFAULT:
  case TL_STMT_LABEL:
    return tl__lower_scan_leaves(s->then_body);
  case TL_STMT_NULL:
  case TL_STMT_EXPR:
  case TL_STMT_DECL:
  case TL_STMT_WHILE:
  case TL_STMT_DO:
  case TL_STMT_FOR:
  case TL_STMT_SWITCH:
  case TL_STMT_UNSUPPORTED:
    break;
  }
  return false;
}

/* A `continue` of the loop that `s` is the body of. */
bool tl__lower_scan_has_continue(const tl_stmt *s) {
  if (!s) {
    return false;
  }
  if (s->kind == TL_STMT_CONTINUE) {
    return true;
  }
  if (s->kind == TL_STMT_WHILE || s->kind == TL_STMT_DO || s->kind == TL_STMT_FOR) {
    return false;
  }
  for (uint32_t i = 0; i < s->body.count; i++) {
    if (tl__lower_scan_has_continue(s->body.data[i])) {
      return true;
    }
  }
  return tl__lower_scan_has_continue(s->then_body) || tl__lower_scan_has_continue(s->else_body);
}

bool tl__lower_scan_jumps(const tl_stmt *s, const char *label) {
  if (!s) {
    return false;
  }
  if (s->kind == TL_STMT_GOTO && !strcmp(s->label, label)) {
    return true;
  }
  for (uint32_t i = 0; i < s->body.count; i++) {
    if (tl__lower_scan_jumps(s->body.data[i], label)) {
      return true;
    }
  }
  return tl__lower_scan_jumps(s->then_body, label) || tl__lower_scan_jumps(s->else_body, label);
}

/* ---- what a function reaches by calls ---- */

typedef struct tl_calls_ctx {
  tl_arena *arena;
  TL_VEC(const tl_function *) seen;
  const tl_function *goal; /* the function, or NULL: a write to what outlives calls */
  bool found;
} tl_calls_ctx;

/* Written, or, where it holds floating values, handed out. */
static bool changes_static(const tl_expr *e) {
  bool takes = e->kind == TL_EXPR_ADDRESS || (e->kind == TL_EXPR_DECAY && e->a->kind != TL_EXPR_FUNCTION);
  const tl_decl *d = takes || writes(e) ? root_of(e->a) : NULL;
  bool outlives = d && (d->storage == TL_STORAGE_FILE || d->storage == TL_STORAGE_STATIC_LOCAL);
  return outlives && !tl__lower_is_const(d->type) && (!takes || tl__lower_has_float(d->type, true));
}

static void calls_expr(tl_ast_walk *w, const tl_expr *e) {
  tl_calls_ctx *c = w->ctx;
  c->found = c->found || (!c->goal && changes_static(e));
  if (e->kind != TL_EXPR_FUNCTION || !e->function) {
    return;
  }
  if (e->function == c->goal) {
    c->found = true;
    return;
  }
  for (uint32_t i = 0; i < c->seen.count; i++) {
    if (c->seen.data[i] == e->function) {
      return;
    }
  }
  TL_PUSH(c->arena, c->seen, e->function);
  tl_ast_walk_stmt(w, e->function->body);
}

/* Names itself, perhaps through others. */
bool tl__lower_scan_recursive(tl_lower *l, const tl_function *f) {
  for (uint32_t i = 0; i < l->known_calls.count; i++) {
    if (l->known_calls.data[i].function == f) {
      return l->known_calls.data[i].recursive;
    }
  }
  tl_calls_ctx c = {.arena = l->arena, .goal = f};
  tl_ast_walk w = {.expr = calls_expr, .ctx = &c};
  tl_ast_walk_stmt(&w, f->body);
  TL_PUSH(l->arena, l->known_calls, (tl_known_call){f, c.found});
  return c.found;
}

bool tl__lower_scan_changes_static(tl_lower *l, const tl_function *f) {
  tl_calls_ctx c = {.arena = l->arena};
  tl_ast_walk w = {.expr = calls_expr, .ctx = &c};
  tl_ast_walk_stmt(&w, f->body);
  return c.found;
}
