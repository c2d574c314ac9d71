#include "front/ast_print.h"

#include <inttypes.h>

static void print_expr(FILE *out, const tl_expr *e);
static void print_stmt(FILE *out, const tl_stmt *s, int indent);

static void print_record(FILE *out, const tl_record *r) {
  fprintf(out, "%s %s", r->is_union ? "union" : "struct", r->name ? r->name : "-");
}

static void print_extent(FILE *out, const tl_ctype *t) {
  fputc('[', out);
  if (t->extent >= 0) {
    fprintf(out, "%" PRId64, t->extent);
  }
  if (t->extent_expr) {
    fputs(t->extent >= 0 ? "=" : "", out);
    print_expr(out, t->extent_expr);
  } else if (t->extent == -1) {
    fputc('?', out);
  }
  fputc(']', out);
}

static void print_type(FILE *out, const tl_ctype *t) {
  if (!t) {
    fputs("none", out);
    return;
  }
  if (t->is_const && t->kind != TL_CT_ARRAY) {
    fputs("const-", out);
  }
  if (t->is_volatile) {
    fputs("volatile-", out);
  }
  switch (t->kind) {
  case TL_CT_VOID:
    fputs("void", out);
    return;
  case TL_CT_SCALAR:
    fputs(tl_dtype_name(t->dtype), out);
    return;
  case TL_CT_POINTER:
    fputc('*', out);
    if (t->was_array) {
      print_extent(out, t);
    }
    print_type(out, t->target);
    return;
  case TL_CT_ARRAY:
    print_extent(out, t);
    print_type(out, t->target);
    return;
  case TL_CT_RECORD:
    print_record(out, t->record);
    return;
  case TL_CT_FUNCTION:
    fputs("fn(", out);
    for (uint32_t i = 0; i < t->params.count; i++) {
      fputs(i ? " " : "", out);
      print_type(out, t->params.data[i]);
    }
    fputs(t->variadic ? " ...)" : ")", out);
    print_type(out, t->target);
    return;
  case TL_CT_UNSUPPORTED:
    fprintf(out, "<%s>", t->spelling);
    return;
  }
}

static const char *binary_name(tl_binary op) {
  switch (op) {
  case TL_BIN_ADD:
    return "+";
  case TL_BIN_SUB:
    return "-";
  case TL_BIN_MUL:
    return "*";
  case TL_BIN_DIV:
    return "/";
  case TL_BIN_REM:
    return "%";
  case TL_BIN_SHL:
    return "<<";
  case TL_BIN_SHR:
    return ">>";
  case TL_BIN_AND:
    return "&";
  case TL_BIN_OR:
    return "|";
  case TL_BIN_XOR:
    return "^";
  case TL_BIN_EQ:
    return "==";
  case TL_BIN_NE:
    return "!=";
  case TL_BIN_LT:
    return "<";
  case TL_BIN_LE:
    return "<=";
  case TL_BIN_GT:
    return ">";
  case TL_BIN_GE:
    return ">=";
  }
  return "?";
}

static void print_operands(FILE *out, const char *head, const tl_expr *e) {
  fprintf(out, "(%s", head);
  const tl_expr *parts[] = {e->a, e->b, e->c};
  for (int i = 0; i < 3; i++) {
    if (parts[i]) {
      fputc(' ', out);
      print_expr(out, parts[i]);
    }
  }
  for (uint32_t i = 0; i < e->args.count; i++) {
    fputc(' ', out);
    if (e->args.data[i]) {
      print_expr(out, e->args.data[i]);
    } else {
      fputc('_', out);
    }
  }
  fputc(')', out);
}

static void print_typed(FILE *out, const char *head, const tl_expr *e) {
  fprintf(out, "(%s:", head);
  print_type(out, e->type);
  print_operands(out, "", e);
  fputc(')', out);
}

/* "(+:type a b)" and "(+=:type a b)": the type is what it is computed in. */
static void print_binary(FILE *out, const char *suffix, const tl_ctype *type, const tl_expr *e) {
  fprintf(out, "(%s%s:", binary_name(e->op), suffix);
  print_type(out, type);
  fputc(' ', out);
  print_expr(out, e->a);
  fputc(' ', out);
  print_expr(out, e->b);
  fputc(')', out);
}

static void print_expr(FILE *out, const tl_expr *e) {
  char unary[2] = {e->unary, 0};
  switch (e->kind) {
  case TL_EXPR_INT:
    if (e->type->kind == TL_CT_SCALAR && tl_dtype_is_unsigned(e->type->dtype)) {
      fprintf(out, "%" PRIu64, (uint64_t)e->integer);
    } else {
      fprintf(out, "%" PRId64, e->integer);
    }
    if (e->type->kind != TL_CT_SCALAR || e->type->dtype != TL_I32) {
      fputc(':', out);
      print_type(out, e->type);
    }
    return;
  case TL_EXPR_FLOAT:
    fprintf(out, "%s:", e->spelling);
    print_type(out, e->type);
    fprintf(out, "=%.21Lg", e->floating);
    return;
  case TL_EXPR_STRING:
    fputs(e->spelling, out);
    return;
  case TL_EXPR_VAR:
    fprintf(out, "%s", e->name ? e->name : e->decl->name);
    return;
  case TL_EXPR_FUNCTION:
    fprintf(out, "#%s", e->name);
    return;
  case TL_EXPR_UNARY:
    print_operands(out, unary, e);
    return;
  case TL_EXPR_BINARY:
    print_binary(out, "", e->type, e);
    return;
  case TL_EXPR_LOGICAL_AND:
    print_operands(out, "&&", e);
    return;
  case TL_EXPR_LOGICAL_OR:
    print_operands(out, "||", e);
    return;
  case TL_EXPR_CONDITIONAL:
    fprintf(out, "(%s:", e->b ? "?" : "?-");
    print_type(out, e->type);
    print_operands(out, "", e);
    fputc(')', out);
    return;
  case TL_EXPR_COMMA:
    print_operands(out, ",", e);
    return;
  case TL_EXPR_ASSIGN:
    print_operands(out, "=", e);
    return;
  case TL_EXPR_COMPOUND_ASSIGN:
    print_binary(out, "=", e->compute_type, e);
    return;
  case TL_EXPR_PRE_INC:
    print_operands(out, "++pre", e);
    return;
  case TL_EXPR_PRE_DEC:
    print_operands(out, "--pre", e);
    return;
  case TL_EXPR_POST_INC:
    print_operands(out, "post++", e);
    return;
  case TL_EXPR_POST_DEC:
    print_operands(out, "post--", e);
    return;
  case TL_EXPR_CAST:
    print_typed(out, e->implicit ? "to" : "cast", e);
    return;
  case TL_EXPR_DECAY:
    print_operands(out, "decay", e);
    return;
  case TL_EXPR_CALL:
    print_typed(out, "call", e);
    return;
  case TL_EXPR_INTRINSIC:
    fprintf(out, "(intrinsic %s:", e->name);
    print_type(out, e->type);
    print_operands(out, "", e);
    fputc(')', out);
    return;
  case TL_EXPR_INDEX:
    print_operands(out, "[]", e);
    return;
  case TL_EXPR_MEMBER:
  case TL_EXPR_ARROW:
    fprintf(out, "(%s%s/%" PRIu32 " ", e->kind == TL_EXPR_MEMBER ? "." : "->", e->name ? e->name : "-", e->field);
    print_expr(out, e->a);
    fputc(')', out);
    return;
  case TL_EXPR_DEREF:
    print_operands(out, "deref", e);
    return;
  case TL_EXPR_ADDRESS:
    print_operands(out, "addr", e);
    return;
  case TL_EXPR_INIT_LIST:
    fputc('{', out);
    for (uint32_t i = 0; i < e->args.count; i++) {
      fputs(i ? " " : "", out);
      if (e->args.data[i]) {
        print_expr(out, e->args.data[i]);
      } else {
        fputc('_', out);
      }
    }
    fputc('}', out);
    return;
  case TL_EXPR_COMPOUND_LITERAL:
    fputs("(literal:", out);
    print_type(out, e->type);
    fputc(' ', out);
    print_expr(out, e->a);
    fputc(')', out);
    return;
  case TL_EXPR_SIZEOF_VLA:
    fputs("(sizeof:", out);
    print_type(out, e->type);
    fputc(' ', out);
    print_type(out, e->sized);
    fputc(')', out);
    return;
  case TL_EXPR_STMT:
    fputs("(stmt:", out);
    print_type(out, e->type);
    fputc('\n', out);
    print_stmt(out, e->body, 6);
    fputs("      )", out);
    return;
  case TL_EXPR_UNSUPPORTED:
    fprintf(out, "<unsupported: %s>", e->text);
    return;
  }
}

void tl_ast_print_decl(FILE *out, const tl_decl *d) {
  static const char *const storages[] = {"local", "param", "static", "file"};
  fprintf(out, "(%s %s ", storages[d->storage], d->name);
  print_type(out, d->type);
  if (d->inout) {
    fputs(" inout", out);
  }
  if (d->len) {
    fputs(" len=", out);
    print_expr(out, d->len);
  }
  if (d->init) {
    fputc(' ', out);
    print_expr(out, d->init);
  }
  fputc(')', out);
}

static void print_part(FILE *out, const tl_expr *e) {
  fputc(' ', out);
  if (e) {
    print_expr(out, e);
  } else {
    fputc('_', out);
  }
}

static void print_decls(FILE *out, const tl_stmt *s) {
  for (uint32_t i = 0; i < s->decls.count; i++) {
    fputc(' ', out);
    tl_ast_print_decl(out, s->decls.data[i]);
  }
}

static void print_below(FILE *out, const tl_stmt *s, int indent) {
  fputc('\n', out);
  print_stmt(out, s, indent + 2);
}

static void print_stmt(FILE *out, const tl_stmt *s, int indent) {
  fprintf(out, "%*s", indent, "");
  switch (s->kind) {
  case TL_STMT_NULL:
    fputs("null", out);
    break;
  case TL_STMT_EXPR:
    print_expr(out, s->expr);
    break;
  case TL_STMT_DECL:
    fputs("decl", out);
    print_decls(out, s);
    break;
  case TL_STMT_COMPOUND:
    fputs("{\n", out);
    for (uint32_t i = 0; i < s->body.count; i++) {
      print_stmt(out, s->body.data[i], indent + 2);
    }
    fprintf(out, "%*s}", indent, "");
    break;
  case TL_STMT_IF:
    fputs("if", out);
    print_part(out, s->expr);
    print_below(out, s->then_body, indent);
    if (s->else_body) {
      fprintf(out, "%*selse\n", indent, "");
      print_stmt(out, s->else_body, indent + 2);
    }
    return;
  case TL_STMT_WHILE:
  case TL_STMT_SWITCH:
    fputs(s->kind == TL_STMT_WHILE ? "while" : "switch", out);
    print_part(out, s->expr);
    print_below(out, s->then_body, indent);
    return;
  case TL_STMT_DO:
    fputs("do", out);
    print_below(out, s->then_body, indent);
    fprintf(out, "%*swhile", indent, "");
    print_part(out, s->expr);
    break;
  case TL_STMT_FOR:
    fputs("for", out);
    if (s->decls.count) {
      print_decls(out, s);
    } else {
      print_part(out, s->init);
    }
    print_part(out, s->expr);
    print_part(out, s->step);
    print_below(out, s->then_body, indent);
    return;
  case TL_STMT_CASE:
    fprintf(out, "case %" PRId64, s->case_lo);
    if (s->case_hi != s->case_lo) {
      fprintf(out, "...%" PRId64, s->case_hi);
    }
    print_below(out, s->then_body, indent);
    return;
  case TL_STMT_DEFAULT:
    fputs("default", out);
    print_below(out, s->then_body, indent);
    return;
  case TL_STMT_BREAK:
    fputs("break", out);
    break;
  case TL_STMT_CONTINUE:
    fputs("continue", out);
    break;
  case TL_STMT_RETURN:
    fputs("return", out);
    if (s->expr) {
      print_part(out, s->expr);
    }
    break;
  case TL_STMT_GOTO:
    fprintf(out, "goto %s", s->label);
    break;
  case TL_STMT_LABEL:
    fprintf(out, "label %s", s->label);
    print_below(out, s->then_body, indent);
    return;
  case TL_STMT_UNSUPPORTED:
    fprintf(out, "<unsupported: %s>", s->text);
    break;
  }
  fputc('\n', out);
}

void tl_ast_print_function(FILE *out, const tl_function *f) {
  fprintf(out, "(function %s%s%s:", f->is_static ? "static " : "", f->is_inline ? "inline " : "", f->name);
  print_type(out, f->type->target);
  fprintf(out, "%s\n", f->variadic ? " variadic" : "");
  for (uint32_t i = 0; i < f->params.count; i++) {
    fputs("  ", out);
    tl_ast_print_decl(out, f->params.data[i]);
    if (f->declarators.data[i]) {
      fprintf(out, " `%s`", f->declarators.data[i]);
    }
    fputc('\n', out);
  }
  if (f->custom_vjp) {
    fprintf(out, "  custom vjp %s\n", f->custom_vjp);
  }
  if (f->custom_jvp) {
    fprintf(out, "  custom jvp %s\n", f->custom_jvp);
  }
  if (f->body) {
    print_stmt(out, f->body, 2);
  }
  fputs(")\n", out);
}
