/* Case labels within loops, branches and blocks of a switch, as in Duff's device. The switch is rewritten into one
 * block in which all of them are labels, and a choice of gotos ahead of them:
 *
 *     switch (n) { case 0: do { A; case 1: B; } while (c); }
 *
 *     t = n; if (t == 0) goto $0; if (t == 1) goto $1; break;
 *     $0: A; $1: B; $2: while (c) { A; B; } $3: ;
 *
 * So the iteration that may be entered in its middle stands before the loop, which is a loop as any other. */
#include <string.h>

#include "front/lower_priv.h"

typedef struct flat {
  tl_lower *l;
  tl_expr *value;            /* what the switch chooses by */
  const char *otherwise;     /* the default's label */
  TL_VEC(tl_stmt *) objects; /* without initialisers, ahead of all */
  TL_VEC(tl_stmt *) choice;
  TL_VEC(tl_stmt *) list;
} flat;

/* ---- what lies in a statement ---- */

/* A case of the switch that the statement stands in. */
static bool has_case(const tl_stmt *s) {
  if (!s || s->kind == TL_STMT_SWITCH) {
    return false;
  }
  if (s->kind == TL_STMT_CASE || s->kind == TL_STMT_DEFAULT) {
    return true;
  }
  for (uint32_t i = 0; i < s->body.count; i++) {
    if (has_case(s->body.data[i])) {
      return true;
    }
  }
  return has_case(s->then_body) || has_case(s->else_body);
}

bool tl__lower_cases_inside(const tl_stmt *body) {
  bool is_block = body->kind == TL_STMT_COMPOUND;
  for (uint32_t i = 0; i < (is_block ? body->body.count : 1); i++) {
    const tl_stmt *s = is_block ? body->body.data[i] : body;
    while (s && (s->kind == TL_STMT_CASE || s->kind == TL_STMT_DEFAULT)) {
      s = s->then_body;
    }
    if (has_case(s)) {
      return true;
    }
  }
  return false;
}

static void find_label(tl_ast_walk *w, const tl_stmt *s) {
  const tl_stmt **found = w->ctx;
  *found = !*found && s->kind == TL_STMT_LABEL ? s : *found;
}

static void skip_expr(tl_ast_walk *w, const tl_expr *e) {
  (void)w;
  (void)e;
}

/* ---- making statements ---- */

static tl_stmt *make(flat *f, tl_stmt_kind kind, tl_loc loc) {
  tl_stmt *s = TL_NEW(f->l->arena, tl_stmt);
  *s = (tl_stmt){.kind = kind, .loc = loc};
  return s;
}

static const char *new_label(flat *f) { return tl_arena_printf(f->l->arena, "$%u", f->l->case_labels++); }

static tl_stmt *make_goto(flat *f, const char *label, tl_loc loc) {
  tl_stmt *s = make(f, TL_STMT_GOTO, loc);
  s->label = label;
  return s;
}

static void put_label(flat *f, const char *label, tl_loc loc) {
  tl_stmt *s = make(f, TL_STMT_LABEL, loc);
  s->label = label;
  s->then_body = make(f, TL_STMT_NULL, loc);
  TL_PUSH(f->l->arena, f->list, s);
}

/* if (c) goto yes; else goto no; */
static void put_choice(flat *f, tl_expr *c, const char *yes, const char *no, tl_loc loc) {
  if (!c) { /* for (;;) */
    TL_PUSH(f->l->arena, f->list, make_goto(f, yes, loc));
    return;
  }
  tl_stmt *s = make(f, TL_STMT_IF, loc);
  s->expr = c;
  s->then_body = make_goto(f, yes, loc);
  s->else_body = make_goto(f, no, loc);
  TL_PUSH(f->l->arena, f->list, s);
}

static tl_expr *make_int(flat *f, int64_t v, tl_loc loc) {
  tl_expr *e = TL_NEW(f->l->arena, tl_expr);
  *e = (tl_expr){.kind = TL_EXPR_INT, .type = f->value->type, .loc = loc, .integer = v};
  return e;
}

static tl_expr *make_binary(flat *f, tl_expr_kind kind, tl_binary op, tl_expr *a, tl_expr *b) {
  tl_expr *e = TL_NEW(f->l->arena, tl_expr);
  *e = (tl_expr){.kind = kind, .type = tl_ctype_scalar(TL_I32), .loc = a->loc, .op = op, .a = a, .b = b};
  return e;
}

static void choose_case(flat *f, const tl_stmt *s, const char *label) {
  if (s->kind == TL_STMT_DEFAULT) {
    f->otherwise = label;
    return;
  }
  tl_expr *is, *lo = make_int(f, s->case_lo, s->loc);
  if (s->case_lo == s->case_hi) {
    is = make_binary(f, TL_EXPR_BINARY, TL_BIN_EQ, f->value, lo);
  } else {
    is = make_binary(f, TL_EXPR_LOGICAL_AND, TL_BIN_EQ, make_binary(f, TL_EXPR_BINARY, TL_BIN_GE, f->value, lo),
                     make_binary(f, TL_EXPR_BINARY, TL_BIN_LE, f->value, make_int(f, s->case_hi, s->loc)));
  }
  tl_stmt *choice = make(f, TL_STMT_IF, s->loc);
  choice->expr = is;
  choice->then_body = make_goto(f, label, s->loc);
  TL_PUSH(f->l->arena, f->choice, choice);
}

/* ---- copies ---- */

typedef struct jumps {
  const char *to_break, *to_continue; /* gotos in the place of these; NULL: they stay */
  bool drop_cases;
} jumps;

static tl_stmt *copied(flat *f, const tl_stmt *s, jumps j) {
  if (!s) {
    return NULL;
  }
  bool loops = s->kind == TL_STMT_WHILE || s->kind == TL_STMT_DO || s->kind == TL_STMT_FOR;
  if (loops || s->kind == TL_STMT_SWITCH) {
    j.to_break = NULL;
    j.to_continue = loops ? NULL : j.to_continue;
    j.drop_cases &= loops;
  }
  if ((s->kind == TL_STMT_BREAK && j.to_break) || (s->kind == TL_STMT_CONTINUE && j.to_continue)) {
    return make_goto(f, s->kind == TL_STMT_BREAK ? j.to_break : j.to_continue, s->loc);
  }
  if (j.drop_cases && (s->kind == TL_STMT_CASE || s->kind == TL_STMT_DEFAULT)) {
    return s->then_body ? copied(f, s->then_body, j) : make(f, TL_STMT_NULL, s->loc);
  }
  tl_stmt *out = TL_NEW(f->l->arena, tl_stmt);
  *out = *s;
  memset(&out->body, 0, sizeof out->body);
  for (uint32_t i = 0; i < s->body.count; i++) {
    TL_PUSH(f->l->arena, out->body, copied(f, s->body.data[i], j));
  }
  out->then_body = copied(f, s->then_body, j);
  out->else_body = copied(f, s->else_body, j);
  return out;
}

/* ---- the block ---- */

static void flatten(flat *f, tl_stmt *s);

static void flatten_branch(flat *f, const tl_stmt *s) {
  const char *yes = new_label(f), *no = new_label(f), *end = new_label(f);
  put_choice(f, s->expr, yes, no, s->loc);
  put_label(f, yes, s->loc);
  flatten(f, s->then_body);
  TL_PUSH(f->l->arena, f->list, make_goto(f, end, s->loc));
  put_label(f, no, s->loc);
  flatten(f, s->else_body);
  put_label(f, end, s->loc);
}

/* The first iteration, which may be entered in its middle, and then the loop. */
static void flatten_loop(flat *f, const tl_stmt *s) {
  const tl_stmt *label = NULL;
  tl_ast_walk w = {.expr = skip_expr, .stmt = find_label, .ctx = &label};
  tl_ast_walk_stmt(&w, s->then_body);
  if (label) {
    tl__lower_refuse(f->l, TL_UNSUPPORTED_CONSTRUCT, label->loc,
                     "a label in a loop that a case label leads into is not differentiated");
  }
  const char *first = new_label(f), *next = new_label(f), *end = new_label(f);
  tl_stmt *loop = make(f, s->kind == TL_STMT_DO ? TL_STMT_WHILE : s->kind, s->loc);
  loop->expr = s->expr;
  loop->step = s->step;
  loop->then_body = copied(f, s->then_body, (jumps){.drop_cases = true});
  if (s->decls.count) {
    tl_stmt *d = make(f, TL_STMT_DECL, s->loc);
    d->decls.data = s->decls.data;
    d->decls.count = s->decls.count;
    flatten(f, d);
  } else if (s->init) {
    tl_stmt *e = make(f, TL_STMT_EXPR, s->loc);
    e->expr = s->init;
    TL_PUSH(f->l->arena, f->list, e);
  }
  if (s->kind != TL_STMT_DO) {
    put_choice(f, s->expr, first, end, s->loc);
  }
  put_label(f, first, s->loc);
  flatten(f, copied(f, s->then_body, (jumps){.to_break = end, .to_continue = next}));
  put_label(f, next, s->loc);
  if (s->step) {
    tl_stmt *e = make(f, TL_STMT_EXPR, s->loc);
    e->expr = s->step;
    TL_PUSH(f->l->arena, f->list, e);
  }
  TL_PUSH(f->l->arena, f->list, loop);
  put_label(f, end, s->loc);
}

/* An object without initialiser is there wherever its block is entered. */
static bool is_plain(const tl_stmt *s) {
  for (uint32_t i = 0; i < s->decls.count; i++) {
    const tl_ctype *t = s->decls.data[i]->type;
    while (t->kind == TL_CT_ARRAY && t->extent >= 0) {
      t = t->target;
    }
    if (s->decls.data[i]->init || t->kind == TL_CT_ARRAY) {
      return false;
    }
  }
  return true;
}

static void flatten(flat *f, tl_stmt *s) {
  if (!s) {
    return;
  }
  if (s->kind == TL_STMT_DECL && is_plain(s)) {
    TL_PUSH(f->l->arena, f->objects, s);
  } else if (!has_case(s)) {
    TL_PUSH(f->l->arena, f->list, s);
  } else if (s->kind == TL_STMT_CASE || s->kind == TL_STMT_DEFAULT) {
    const char *label = new_label(f);
    choose_case(f, s, label);
    put_label(f, label, s->loc);
    flatten(f, s->then_body);
  } else if (s->kind == TL_STMT_LABEL) {
    put_label(f, s->label, s->loc);
    flatten(f, s->then_body);
  } else if (s->kind == TL_STMT_COMPOUND) {
    for (uint32_t i = 0; i < s->body.count; i++) {
      flatten(f, s->body.data[i]);
    }
  } else if (s->kind == TL_STMT_IF) {
    flatten_branch(f, s);
  } else {
    flatten_loop(f, s);
  }
}

void tl__lower_cases_run(tl_lower *l, const tl_stmt *s) {
  flat f = {.l = l};
  tl_decl *d = TL_NEW(l->arena, tl_decl);
  *d = (tl_decl){.name = "entry", .type = s->expr->type, .storage = TL_STORAGE_LOCAL, .init = s->expr, .loc = s->loc};
  f.value = TL_NEW(l->arena, tl_expr);
  *f.value = (tl_expr){.kind = TL_EXPR_VAR, .type = d->type, .loc = s->loc, .decl = d};
  tl_stmt *entry = make(&f, TL_STMT_DECL, s->loc);
  TL_PUSH(l->arena, entry->decls, d);
  TL_PUSH(l->arena, f.objects, entry);
  flatten(&f, s->then_body);
  tl_stmt *rest = f.otherwise ? make_goto(&f, f.otherwise, s->loc) : make(&f, TL_STMT_BREAK, s->loc);
  TL_PUSH(l->arena, f.choice, rest);
  for (uint32_t i = 0; i < f.choice.count; i++) {
    TL_PUSH(l->arena, f.objects, f.choice.data[i]);
  }
  for (uint32_t i = 0; i < f.list.count; i++) {
    TL_PUSH(l->arena, f.objects, f.list.data[i]);
  }
  tl__lower_block(l, f.objects.data, f.objects.count);
}
