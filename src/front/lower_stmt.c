#include <assert.h>
#include <string.h>

#include "front/lower_priv.h"

static void run(tl_lower *l, tl_cursor *cursor, const tl_exit *stop);
static void run_switch(tl_lower *l, const tl_stmt *s);

/* ---- blocks ---- */

static const tl_stmt *label_of(const tl_stmt *s) { return s->kind == TL_STMT_LABEL ? s : NULL; }

static tl_label *find_label(tl_frame *f, const char *name) {
  assert(name);
  for (uint32_t i = f->labels.count; i-- > 0;) {
    if (f->labels.data[i].name && !strcmp(f->labels.data[i].name, name)) {
      return &f->labels.data[i];
    }
  }
  return NULL;
}

/* Labels of the block lie ahead from here on. */
static void push_block_of_loop(tl_lower *l, tl_cursor *cursor, tl_stmt *const *stmts, uint32_t count,
                               const tl_stmt *head) {
  tl_cursor_block *b = TL_NEW(l->arena, tl_cursor_block);
  *b = (tl_cursor_block){.outer = cursor->top,
                         .stmts = stmts,
                         .count = count,
                         .scope = tl__lower_scope_enter(l),
                         .looping = head,
                         .label_mark = l->frame->labels.count,
                         .code_mark = l->next_code};
  for (uint32_t i = 0; i < count; i++) {
    for (const tl_stmt *s = label_of(stmts[i]); s; s = label_of(s->then_body)) {
      if (s != head) {
        TL_PUSH(l->arena, l->frame->labels, (tl_label){s->label, tl__lower_code_create(l, s->loc)});
      }
      if (!s->then_body) {
        break;
      }
    }
  }
  cursor->top = b;
}

static void push_block(tl_lower *l, tl_cursor *cursor, tl_stmt *const *stmts, uint32_t count) {
  push_block_of_loop(l, cursor, stmts, count, NULL);
}

static void pop_block(tl_lower *l, tl_cursor *cursor) {
  tl_cursor_block *b = cursor->top;
  if (!b->keeps) {
    tl__lower_scope_leave(l, b->scope);
  }
  l->frame->labels.count = b->label_mark;
  l->next_code = b->code_mark;
  cursor->top = b->outer;
}

void tl__lower_block(tl_lower *l, tl_stmt *const *stmts, uint32_t count) {
  tl__lower_block_of_loop(l, stmts, count, NULL);
}

/* A block whose first statement's label (if given) is the head of the loop that runs it. */
void tl__lower_block_of_loop(tl_lower *l, tl_stmt *const *stmts, uint32_t count, const tl_stmt *head) {
  tl_cursor cursor = {0};
  push_block_of_loop(l, &cursor, stmts, count, head);
  run(l, &cursor, NULL);
}

void tl__lower_block_open(tl_lower *l, tl_stmt *const *stmts, uint32_t count) {
  tl_cursor cursor = {0};
  push_block(l, &cursor, stmts, count);
  cursor.top->keeps = true;
  run(l, &cursor, NULL);
}

static void run_statement(tl_lower *l, const tl_stmt *s) {
  if (s) {
    tl_stmt *const list[] = {(tl_stmt *)s};
    tl__lower_block(l, list, 1);
  }
}

static tl_exit both(const tl_exit *a, const tl_exit *b) {
  tl_exit e = *a;
  for (uint32_t i = 0; b && i < TL_EXIT_CODES / 64; i++) {
    e.codes[i] |= b->codes[i];
  }
  return e;
}

/* if (c) A else B; where one side always leaves, what follows in the cursor goes into the other. */
static void run_if(tl_lower *l, const tl_stmt *s, tl_cursor *cursor, const tl_exit *stop) {
  tl_value c = tl__lower_condition(l, s->expr);
  int64_t known;
  if (tl_is_const_int(l->func, c, &known)) {
    run_statement(l, known ? s->then_body : s->else_body);
    return;
  }
  tl_branches br;
  l->b.loc = s->loc;
  tl__lower_if_begin(l, c, &br);
  run_statement(l, s->then_body);
  tl__lower_if_else(l, &br);
  run_statement(l, s->else_body);
  bool yes = br.yes.exit.stays, no = l->env.exit.stays;
  if (!yes && no) {
    tl_exit until = both(&br.yes.exit, stop);
    run(l, cursor, &until);
  } else if (yes && !no) {
    tl_exit until = both(&l->env.exit, stop);
    tl__lower_if_resume(l, &br);
    run(l, cursor, &until);
  }
  tl__lower_if_end(l, &br);
}

static void store_result(tl_lower *l, const tl_stmt *s) {
  tl_object *o = l->frame->result;
  if (!s->expr) {
    return;
  }
  if (!o) {
    tl__lower_effect(l, s->expr);
    return;
  }
  tl__lower_init(l, tl__lower_object_pointer(l, o), o->type, s->expr, false);
}

static void run_goto(tl_lower *l, const tl_stmt *s) {
  tl_label *label = find_label(l->frame, s->label);
  if (!label) {
    tl__lower_refuse(l, TL_UNSUPPORTED_CONSTRUCT, s->loc, "a goto into a block is not differentiated");
  }
  tl__lower_exit_set(l, label->code);
}

static void run_one(tl_lower *l, const tl_stmt *s, tl_cursor *cursor, const tl_exit *stop) {
  l->b.loc = s->loc;
  switch (s->kind) {
  case TL_STMT_NULL:
    break;
  case TL_STMT_EXPR:
    tl__lower_effect(l, s->expr);
    break;
  case TL_STMT_DECL:
    for (uint32_t i = 0; i < s->decls.count; i++) {
      tl__lower_local(l, s->decls.data[i]);
    }
    break;
  case TL_STMT_COMPOUND:
    push_block(l, cursor, s->body.data, s->body.count);
    break;
  case TL_STMT_IF:
    run_if(l, s, cursor, stop);
    break;
  case TL_STMT_WHILE:
  case TL_STMT_DO:
  case TL_STMT_FOR:
    tl__lower_loop(l, s);
    break;
  case TL_STMT_SWITCH:
    run_switch(l, s);
    break;
  case TL_STMT_CASE:
  case TL_STMT_DEFAULT:
    tl__lower_refuse(l, TL_UNSUPPORTED_CONSTRUCT, s->loc, "a case label here is not differentiated");
  case TL_STMT_BREAK:
    tl__lower_exit_set(l, l->break_code);
    break;
  case TL_STMT_CONTINUE:
    tl__lower_exit_set(l, l->continue_code);
    break;
  case TL_STMT_RETURN:
    store_result(l, s);
    tl__lower_exit_set(l, l->frame->return_code);
    break;
  case TL_STMT_GOTO:
    run_goto(l, s);
    break;
  case TL_STMT_LABEL:
    break; /* run took it apart */
  case TL_STMT_UNSUPPORTED:
    tl__lower_refuse(l, TL_UNSUPPORTED_CONSTRUCT, s->loc, "%s is not differentiated",
                     s->text ? s->text : "this statement");
  }
}

/* The label here, if something from here on jumps back to it. */
static const tl_stmt *looping_label(const tl_cursor_block *b) {
  for (const tl_stmt *s = label_of(b->stmts[b->at]); s; s = s->then_body ? label_of(s->then_body) : NULL) {
    for (uint32_t i = b->at; s != b->looping && i < b->count; i++) {
      if (tl__lower_scan_jumps(b->stmts[i], s->label)) {
        return s;
      }
    }
  }
  return NULL;
}

/* Control may be here, or on its way to a label that stands here. */
static bool arrives(tl_lower *l, const tl_stmt *s) {
  if (l->env.exit.stays) {
    return true;
  }
  for (const tl_stmt *k = label_of(s); k; k = k->then_body ? label_of(k->then_body) : NULL) {
    const tl_label *label = find_label(l->frame, k->label);
    if (label && tl__lower_exit_has(&l->env.exit, label->code)) {
      return true;
    }
  }
  return false;
}

/* One more than the last statement of the loop that the label here is the head of: the last one to jump back to a label
 * in it. What is declared in it is known to the end of the block, and so is the loop then. */
static uint32_t goto_loop_end(const tl_cursor_block *b) {
  uint32_t end = b->at + 1;
  for (uint32_t i = b->at; i < end; i++) {
    const tl_stmt *s = b->stmts[i];
    for (; s && s->kind == TL_STMT_LABEL; s = s->then_body) {
      for (uint32_t k = b->count; s != b->looping && k > end; k--) {
        if (tl__lower_scan_jumps(b->stmts[k - 1], s->label)) {
          end = k;
        }
      }
    }
    if (s && s->kind == TL_STMT_DECL) {
      return b->count;
    }
  }
  return end;
}

/* A label that is jumped back to begins a loop that the end of its last statement leaves. Where control may pass by
 * (because something else is pending), the loop stands under a condition. */
static void run_goto_loop(tl_lower *l, tl_cursor *cursor, const tl_stmt *s, const tl_exit *stop) {
  tl_cursor_block *b = cursor->top;
  for (const tl_stmt *k = label_of(s); k; k = k->then_body ? label_of(k->then_body) : NULL) {
    const tl_label *label = find_label(l->frame, k->label);
    if (label) {
      tl__lower_exit_strip(l, label->code);
    }
  }
  uint32_t end = goto_loop_end(b);
  for (uint32_t i = b->at + 1; i < end; i++) {
    for (const tl_stmt *k = label_of(b->stmts[i]); k; k = k->then_body ? label_of(k->then_body) : NULL) {
      const tl_label *label = find_label(l->frame, k->label);
      if (label && (tl__lower_exit_has(&l->env.exit, label->code) || (stop && tl__lower_exit_has(stop, label->code)))) {
        tl__lower_refuse(l, TL_UNSUPPORTED_CONSTRUCT, k->loc, "a goto into the middle of a loop that a goto makes");
      }
    }
  }
  tl_branches br;
  bool guarded = tl__lower_exit_pending(&l->env.exit);
  if (guarded) {
    tl_value here = tl__lower_exit_here(l);
    tl__lower_if_begin(l, here, &br);
    l->env.exit = (tl_exit){.stays = true};
  }
  tl__lower_goto_loop(l, b->stmts + b->at, end - b->at);
  if (guarded) {
    tl__lower_if_else(l, &br);
    tl__lower_exit_gone(l);
    tl__lower_if_end(l, &br);
  }
  b->at = end;
}

/* Runs the cursor's statements to their end, or up to a label that one of `stop`'s codes leads to. */
static void run(tl_lower *l, tl_cursor *cursor, const tl_exit *stop) {
  for (;;) {
    while (cursor->top && cursor->top->at == cursor->top->count) {
      pop_block(l, cursor);
    }
    if (!cursor->top) {
      return;
    }
    const tl_stmt *s = cursor->top->stmts[cursor->top->at];
    assert(s);
    for (const tl_stmt *k = s; stop && k && k->kind == TL_STMT_LABEL; k = k->then_body) {
      const tl_label *label = find_label(l->frame, k->label);
      if (label && tl__lower_exit_has(stop, label->code)) {
        return;
      }
    }
    if (l->env.exit.stays || s->kind == TL_STMT_LABEL) {
      const tl_stmt *head = looping_label(cursor->top);
      if (head && arrives(l, s)) {
        run_goto_loop(l, cursor, s, stop);
        continue;
      }
    }
    while (s && s->kind == TL_STMT_LABEL) {
      tl_label *label = s != cursor->top->looping ? find_label(l->frame, s->label) : NULL;
      if (label) {
        tl__lower_exit_strip(l, label->code);
        label->name = NULL; /* behind us now */
      }
      s = s->then_body;
    }
    if (!l->env.exit.stays || !s) {
      cursor->top->at++;
      continue;
    }
    if (tl__lower_exit_pending(&l->env.exit)) {
      tl_exit pending = l->env.exit, until = both(&pending, stop);
      tl_value here = tl__lower_exit_here(l);
      tl_branches br;
      tl__lower_if_begin(l, here, &br);
      l->env.exit = (tl_exit){.stays = true};
      if (cursor->top->stmts[cursor->top->at] != s) { /* a label was taken off */
        run_statement(l, s);
        cursor->top->at++;
      }
      run(l, cursor, &until);
      tl__lower_if_else(l, &br);
      tl__lower_exit_gone(l);
      tl__lower_if_end(l, &br);
      continue;
    }
    cursor->top->at++;
    run_one(l, s, cursor, stop);
  }
}

/* ---- declarations ---- */

static bool initialises_all(const tl_ctype *type, const tl_expr *init) {
  if (type->kind == TL_CT_ARRAY) {
    if (init->kind != TL_EXPR_INIT_LIST || (int64_t)init->args.count < type->extent || type->extent < 0) {
      return init->kind != TL_EXPR_INIT_LIST;
    }
    for (uint32_t i = 0; i < init->args.count; i++) {
      if (!init->args.data[i] || !initialises_all(type->target, init->args.data[i])) {
        return false;
      }
    }
  }
  if (type->kind == TL_CT_RECORD && init->kind == TL_EXPR_INIT_LIST) {
    for (uint32_t i = 0; i < type->record->fields.count; i++) {
      if (i >= init->args.count || !init->args.data[i] ||
          !initialises_all(type->record->fields.data[i].type, init->args.data[i])) {
        return false;
      }
    }
  }
  return true;
}

void tl__lower_local(tl_lower *l, const tl_decl *d) {
  if (d->storage == TL_STORAGE_STATIC_LOCAL || d->storage == TL_STORAGE_FILE || d->type->kind == TL_CT_FUNCTION) {
    return;
  }
  l->b.loc = d->loc;
  if (d->type->kind == TL_CT_UNSUPPORTED) {
    tl__lower_refuse(l, TL_UNSUPPORTED_CONSTRUCT, d->loc, "an object of type '%s' is not differentiated",
                     d->type->spelling);
  }
  for (const tl_ctype *t = d->type; t->kind == TL_CT_POINTER || t->kind == TL_CT_ARRAY; t = t->target) {
    if (t->kind == TL_CT_ARRAY && t->extent == -1) {
      tl__lower_extent_value(l, t); /* a variably modified type is fixed here */
    }
  }
  tl_object *o = tl__lower_constant(l, d);
  if (o) {
    TL_PUSH(l->arena, l->frame->names, (tl_named_object){d, o});
    return;
  }
  o = tl__lower_object_create(l, TL_OBJECT_LOCAL, d->name, d->type, 0, NULL, false, "$", d->loc);
  o->decl = d;
  o->escaped = tl__lower_scan_escapes(l, l->frame->function, d);
  o->home = l->b.region;
  bool zeroed = d->init && !initialises_all(d->type, d->init);
  tl__lower_object_allocate(l, o, TL_ALLOC_LOCAL | (zeroed ? TL_ALLOC_ZEROED : 0));
  tl__lower_table_make(l, o);
  TL_PUSH(l->arena, l->frame->names, (tl_named_object){d, o});
  if (d->init) {
    tl__lower_init(l, tl__lower_object_pointer(l, o), d->type, d->init, zeroed);
  }
}

/* ---- switch ---- */

typedef struct tl_case_range {
  int64_t lo, hi;
} tl_case_range;

typedef struct tl_segment {
  TL_VEC(tl_case_range) cases;
  TL_VEC(tl_stmt *) stmts;
} tl_segment;

typedef struct tl_segments {
  TL_VEC(tl_segment) list;
  uint32_t fallback; /* the default's, or the number of segments */
} tl_segments;

static void split_segments(tl_lower *l, const tl_stmt *body, tl_segments *out) {
  tl_stmt *const one[] = {(tl_stmt *)body};
  bool compound = body->kind == TL_STMT_COMPOUND;
  uint32_t count = compound ? body->body.count : 1;
  tl_stmt *const *stmts = compound ? body->body.data : one;
  uint32_t fallback = UINT32_MAX;
  for (uint32_t i = 0; i < count; i++) {
    tl_stmt *s = stmts[i];
    if (s->kind == TL_STMT_CASE || s->kind == TL_STMT_DEFAULT) {
      TL_PUSH(l->arena, out->list, (tl_segment){0});
    }
    if (!out->list.count) {
      if (s->kind == TL_STMT_DECL) {
        for (uint32_t k = 0; k < s->decls.count; k++) {
          tl__lower_local(l, s->decls.data[k]);
        }
      }
      continue;
    }
    tl_segment *seg = &out->list.data[out->list.count - 1];
    while (s && (s->kind == TL_STMT_CASE || s->kind == TL_STMT_DEFAULT)) {
      if (s->kind == TL_STMT_CASE) {
        TL_PUSH(l->arena, seg->cases, (tl_case_range){s->case_lo, s->case_hi});
      } else {
        fallback = out->list.count - 1;
      }
      s = s->then_body;
    }
    if (s) {
      TL_PUSH(l->arena, seg->stmts, s);
    }
  }
  out->fallback = fallback < out->list.count ? fallback : out->list.count;
}

static tl_value is_case(tl_lower *l, const tl_segment *seg, tl_value v) {
  tl_dtype d = tl_type_of(l->func, v).dtype;
  tl_value any = TL_NO_VALUE;
  for (uint32_t i = 0; i < seg->cases.count; i++) {
    tl_case_range r = seg->cases.data[i];
    tl_value lo = tl_build_int(&l->b, d, r.lo), is;
    if (r.lo == r.hi) {
      is = tl_build_binary(&l->b, TL_OP_eq, v, lo);
    } else {
      is = tl_build_binary(&l->b, TL_OP_and, tl_build_binary(&l->b, TL_OP_ge, v, lo),
                           tl_build_binary(&l->b, TL_OP_le, v, tl_build_int(&l->b, d, r.hi)));
    }
    any = any == TL_NO_VALUE ? is : tl_build_binary(&l->b, TL_OP_or, any, is);
  }
  return any == TL_NO_VALUE ? tl_build_int(&l->b, TL_BOOL, 0) : any;
}

static bool segment_leaves(const tl_segment *seg) {
  return seg->stmts.count && tl__lower_scan_leaves(seg->stmts.data[seg->stmts.count - 1]);
}

/* Without fall-through: a chain of ifs, the default last. */
static void switch_chain(tl_lower *l, const tl_segments *segs, tl_value v, uint32_t i) {
  i += i == segs->fallback;
  if (i >= segs->list.count) {
    if (segs->fallback < segs->list.count) {
      const tl_segment *last = &segs->list.data[segs->fallback];
      tl__lower_block(l, last->stmts.data, last->stmts.count);
    }
    return;
  }
  const tl_segment *seg = &segs->list.data[i];
  tl_branches br;
  tl__lower_if_begin(l, is_case(l, seg, v), &br);
  tl__lower_block(l, seg->stmts.data, seg->stmts.count);
  tl__lower_if_else(l, &br);
  switch_chain(l, segs, v, i + 1);
  tl__lower_if_end(l, &br);
}

/* With fall-through: segment k runs where the switch entered at or before it and nothing has left since. */
static void switch_entered(tl_lower *l, const tl_segments *segs, tl_value v) {
  uint32_t n = segs->list.count;
  tl_value entry = tl_build_int(&l->b, TL_I32, segs->fallback);
  for (uint32_t k = n; k-- > 0;) {
    if (segs->list.data[k].cases.count) {
      entry = tl_build_select(&l->b, is_case(l, &segs->list.data[k], v), tl_build_int(&l->b, TL_I32, k), entry);
    }
  }
  for (uint32_t k = 0; k < n; k++) {
    tl_value c = tl_build_binary(&l->b, TL_OP_le, entry, tl_build_int(&l->b, TL_I32, k));
    if (tl__lower_exit_pending(&l->env.exit)) {
      tl_value here = tl__lower_exit_here(l);
      c = tl_build_binary(&l->b, TL_OP_and, c, here);
    }
    tl_branches br;
    tl__lower_if_begin(l, c, &br);
    l->env.exit = (tl_exit){.stays = true};
    tl__lower_block(l, segs->list.data[k].stmts.data, segs->list.data[k].stmts.count);
    tl__lower_if_else(l, &br);
    tl__lower_if_end(l, &br);
  }
}

static void run_segments(tl_lower *l, const tl_stmt *s) {
  tl_value v = tl__lower_expr(l, s->expr);
  l->b.loc = s->loc;
  tl_segments segs = {0};
  split_segments(l, s->then_body, &segs);
  int64_t known;
  bool falls = false, is_known = tl_is_const_int(l->func, v, &known);
  for (uint32_t k = 0; k + 1 < segs.list.count; k++) {
    falls = falls || !segment_leaves(&segs.list.data[k]);
  }
  if (is_known) {
    uint32_t entry = segs.fallback;
    for (uint32_t k = segs.list.count; k-- > 0;) {
      for (uint32_t i = 0; i < segs.list.data[k].cases.count; i++) {
        tl_case_range r = segs.list.data[k].cases.data[i];
        entry = known >= r.lo && known <= r.hi ? k : entry;
      }
    }
    TL_VEC(tl_stmt *) all = {0};
    for (uint32_t k = entry; k < segs.list.count; k++) {
      for (uint32_t i = 0; i < segs.list.data[k].stmts.count; i++) {
        TL_PUSH(l->arena, all, segs.list.data[k].stmts.data[i]);
      }
    }
    tl__lower_block(l, all.data, all.count);
  } else if (falls) {
    switch_entered(l, &segs, v);
  } else {
    switch_chain(l, &segs, v, 0);
  }
}

static void run_switch(tl_lower *l, const tl_stmt *s) {
  uint32_t scope = tl__lower_scope_enter(l), code_mark = l->next_code, outer = l->break_code;
  l->break_code = tl__lower_code_create(l, s->loc);
  if (tl__lower_cases_inside(s->then_body)) {
    tl__lower_cases_run(l, s);
  } else {
    run_segments(l, s);
  }
  tl__lower_exit_strip(l, l->break_code);
  l->break_code = outer;
  l->next_code = code_mark;
  tl__lower_scope_leave(l, scope);
}
