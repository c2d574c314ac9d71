/* Statements. */
#include "front/parse_clang.h"

static tl_stmt *new_stmt(tl__parse *p, tl_stmt_kind kind, tl_loc loc) {
  tl_stmt *s = TL_NEW(p->arena, tl_stmt);
  s->kind = kind;
  s->loc = loc;
  return s;
}

static tl_stmt *unsupported(tl__parse *p, tl_loc loc, const char *text) {
  tl_stmt *s = new_stmt(p, TL_STMT_UNSUPPORTED, loc);
  s->text = text;
  return s;
}

static void add_variables(tl__parse *p, tl_stmt *s, CXCursor declaration_statement) {
  tl__cursors children = tl__parse_children(p, declaration_statement);
  for (uint32_t i = 0; i < children.count; i++) {
    if (clang_getCursorKind(children.data[i]) == CXCursor_VarDecl) {
      TL_PUSH(p->arena, s->decls, tl__parse_decl(p, children.data[i]));
    }
  }
}

/* Which of a for's three parts are written: an empty one has no cursor of libclang's, so the text decides. */
static bool for_parts(tl__parse *p, CXCursor c, bool present[3]) {
  const char *end, *s = tl__parse_text_at(p, c, &end);
  if (!s) {
    return false;
  }
  s = tl__parse_skip_space(tl__parse_skip_token(s, end), end);
  if (s >= end || *s != '(') {
    return false;
  }
  int depth = 0, part = 0;
  present[0] = present[1] = present[2] = false;
  for (s = tl__parse_skip_space(s + 1, end); s < end; s = tl__parse_skip_space(tl__parse_skip_token(s, end), end)) {
    if (depth == 0 && *s == ')') {
      return part == 2;
    }
    if (depth == 0 && *s == ';') {
      if (++part > 2) {
        return false;
      }
      continue;
    }
    depth += *s == '(' || *s == '[' || *s == '{';
    depth -= *s == ')' || *s == ']' || *s == '}';
    present[part] = true;
  }
  return false;
}

static tl_stmt *for_statement(tl__parse *p, CXCursor c, tl_loc loc) {
  tl__cursors children = tl__parse_children(p, c);
  bool present[3] = {true, true, true};
  if (children.count == 1) {
    present[0] = present[1] = present[2] = false;
  } else if (children.count < 4 && !for_parts(p, c, present)) {
    return unsupported(p, loc, "a 'for' that a macro hides");
  }
  if (children.count != 1u + present[0] + present[1] + present[2]) {
    return unsupported(p, loc, "a 'for' that a macro hides");
  }
  tl_stmt *s = new_stmt(p, TL_STMT_FOR, loc);
  uint32_t next = 0;
  if (present[0]) {
    CXCursor init = children.data[next++];
    if (clang_getCursorKind(init) == CXCursor_DeclStmt) {
      add_variables(p, s, init);
    } else {
      s->init = tl__parse_expr(p, init);
    }
  }
  if (present[1]) {
    s->expr = tl__parse_expr(p, children.data[next++]);
  }
  if (present[2]) {
    s->step = tl__parse_expr(p, children.data[next++]);
  }
  s->then_body = tl__parse_stmt(p, children.data[next]);
  return s;
}

static tl_stmt *case_statement(tl__parse *p, CXCursor c, tl_loc loc) {
  tl__cursors children = tl__parse_children(p, c);
  tl_stmt *s = new_stmt(p, TL_STMT_CASE, loc);
  if (children.count < 2 || children.count > 3 || !tl_expr_constant(tl__parse_expr(p, children.data[0]), &s->case_lo)) {
    return unsupported(p, loc, "a case label");
  }
  s->case_hi = s->case_lo;
  if (children.count == 3 && !tl_expr_constant(tl__parse_expr(p, children.data[1]), &s->case_hi)) {
    return unsupported(p, loc, "a case label");
  }
  s->then_body = tl__parse_stmt(p, children.data[children.count - 1]);
  return s;
}

static tl_stmt *child_stmt(tl__parse *p, const tl__cursors *children, uint32_t i, tl_loc loc) {
  return i < children->count ? tl__parse_stmt(p, children->data[i]) : new_stmt(p, TL_STMT_NULL, loc);
}

static tl_stmt *expression_statement(tl__parse *p, CXCursor c) {
  tl_expr *e = tl__parse_expr(p, c);
  tl_stmt *s = new_stmt(p, TL_STMT_EXPR, e->loc);
  s->expr = e;
  return s;
}

tl_stmt *tl__parse_stmt(tl__parse *p, CXCursor c) {
  enum CXCursorKind kind = clang_getCursorKind(c);
  if (clang_isExpression(kind)) {
    return expression_statement(p, c);
  }
  tl_loc loc = tl__parse_expr_loc(p, c);
  switch ((int)kind) {
  case CXCursor_NullStmt:
    return new_stmt(p, TL_STMT_NULL, loc);
  case CXCursor_BreakStmt:
    return new_stmt(p, TL_STMT_BREAK, loc);
  case CXCursor_ContinueStmt:
    return new_stmt(p, TL_STMT_CONTINUE, loc);
  case CXCursor_ForStmt:
    return for_statement(p, c, loc);
  case CXCursor_CaseStmt:
    return case_statement(p, c, loc);
  case CXCursor_GCCAsmStmt:
  case CXCursor_MSAsmStmt:
    return unsupported(p, loc, "inline assembly");
  case CXCursor_IndirectGotoStmt:
    return unsupported(p, loc, "computed goto");
  default:
    break;
  }
  tl__cursors children = tl__parse_children(p, c);
  tl_stmt *s;
  switch ((int)kind) {
  case CXCursor_CompoundStmt:
    s = new_stmt(p, TL_STMT_COMPOUND, loc);
    for (uint32_t i = 0; i < children.count; i++) {
      TL_PUSH(p->arena, s->body, tl__parse_stmt(p, children.data[i]));
    }
    return s;
  case CXCursor_DeclStmt:
    s = new_stmt(p, TL_STMT_DECL, loc);
    add_variables(p, s, c);
    return s;
  case CXCursor_IfStmt:
    if (children.count < 2) {
      break;
    }
    s = new_stmt(p, TL_STMT_IF, loc);
    s->expr = tl__parse_expr(p, children.data[0]);
    s->then_body = child_stmt(p, &children, 1, loc);
    s->else_body = children.count > 2 ? child_stmt(p, &children, 2, loc) : NULL;
    return s;
  case CXCursor_WhileStmt:
  case CXCursor_SwitchStmt:
    if (children.count < 2) {
      break;
    }
    s = new_stmt(p, kind == CXCursor_WhileStmt ? TL_STMT_WHILE : TL_STMT_SWITCH, loc);
    s->expr = tl__parse_expr(p, children.data[0]);
    s->then_body = child_stmt(p, &children, 1, loc);
    return s;
  case CXCursor_DoStmt:
    if (children.count < 2) {
      break;
    }
    s = new_stmt(p, TL_STMT_DO, loc);
    s->then_body = child_stmt(p, &children, 0, loc);
    s->expr = tl__parse_expr(p, children.data[1]);
    return s;
  case CXCursor_DefaultStmt:
    s = new_stmt(p, TL_STMT_DEFAULT, loc);
    s->then_body = child_stmt(p, &children, 0, loc);
    return s;
  case CXCursor_LabelStmt:
    s = new_stmt(p, TL_STMT_LABEL, loc);
    s->label = tl__parse_spelling(p, c);
    s->then_body = child_stmt(p, &children, children.count ? children.count - 1 : 0, loc);
    return s;
  case CXCursor_GotoStmt:
    if (children.count != 1) {
      break;
    }
    s = new_stmt(p, TL_STMT_GOTO, loc);
    s->label = tl__parse_spelling(p, children.data[0]);
    return s;
  case CXCursor_ReturnStmt:
    s = new_stmt(p, TL_STMT_RETURN, loc);
    s->expr = children.count ? tl__parse_expr(p, children.data[0]) : NULL;
    return s;
  case CXCursor_UnexposedStmt: /* a statement with attributes or a loop pragma */
    for (uint32_t i = 0; i < children.count; i++) {
      enum CXCursorKind k = clang_getCursorKind(children.data[i]);
      if (clang_isStatement(k) || clang_isExpression(k)) {
        return tl__parse_stmt(p, children.data[i]);
      }
    }
    break;
  default:
    break;
  }
  return unsupported(p, loc, tl__parse_string(p, clang_getCursorKindSpelling(kind)));
}
