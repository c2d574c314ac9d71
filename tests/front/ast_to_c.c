#include "ast_to_c.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RECORDS = 256 };

typedef struct writer {
  FILE *out;
  tl_arena arena;
  const tl_record *records[MOST_RECORDS];
  uint32_t record_count;
  bool refused;
} writer;

static void write_expr(writer *w, const tl_expr *e);
static void write_stmt(writer *w, const tl_stmt *s);

static uint32_t record_number(writer *w, const tl_record *r) {
  for (uint32_t i = 0; i < w->record_count; i++) {
    if (w->records[i] == r) {
      return i;
    }
  }
  if (w->record_count == MOST_RECORDS) {
    w->refused = true;
    return 0;
  }
  w->records[w->record_count] = r;
  return w->record_count++;
}

static const char *scalar_name(tl_dtype d) {
  switch (d) {
    case TL_BOOL:
      return "_Bool";
    case TL_I8:
      return "signed char";
    case TL_I16:
      return "short";
    case TL_I32:
      return "int";
    case TL_I64:
      return "long";
    case TL_U8:
      return "unsigned char";
    case TL_U16:
      return "unsigned short";
    case TL_U32:
      return "unsigned int";
    case TL_U64:
      return "unsigned long";
    case TL_F32:
      return "float";
    case TL_F64:
      return "double";
    case TL_F80:
      return "long double";
    case TL_F16:
    case TL_BF16:
    case TL_F8E4M3FN:
    case TL_DTYPE_COUNT:
      break;
  }
  return "?";
}

static char *expr_text(writer *w, const tl_expr *e) {
  char *text = NULL;
  size_t size;
  FILE *out = w->out;
  w->out = open_memstream(&text, &size);
  write_expr(w, e);
  fclose(w->out);
  w->out = out;
  char *copy = tl_arena_strdup(&w->arena, text);
  free(text);
  return copy;
}

/* The declaration of `inner`, which is a name with whatever stands around it. */
static const char *declaration(writer *w, const tl_ctype *t, const char *inner) {
  switch (t->kind) {
    case TL_CT_VOID:
      return tl_arena_printf(&w->arena, "void %s", inner);
    case TL_CT_SCALAR:
      return tl_arena_printf(&w->arena, "%s %s", scalar_name(t->dtype), inner);
    case TL_CT_POINTER: {
      bool wraps = t->target->kind == TL_CT_ARRAY || t->target->kind == TL_CT_FUNCTION;
      return declaration(w, t->target, tl_arena_printf(&w->arena, wraps ? "(*%s)" : "*%s", inner));
    }
    case TL_CT_ARRAY: {
      const char *extent = t->extent >= 0     ? tl_arena_printf(&w->arena, "%" PRId64, t->extent)
                           : t->extent_expr ? expr_text(w, t->extent_expr)
                                              : "";
      return declaration(w, t->target, tl_arena_printf(&w->arena, "%s[%s]", inner, extent));
    }
    case TL_CT_RECORD: {
      const char *word = t->record->is_union ? "union" : "struct";
      return tl_arena_printf(&w->arena, "%s record_%u %s", word, record_number(w, t->record), inner);
    }
    case TL_CT_FUNCTION: {
      const char *params = "";
      for (uint32_t i = 0; i < t->params.count; i++) {
        params = tl_arena_printf(&w->arena, "%s%s%s", params, i ? ", " : "", declaration(w, t->params.data[i], ""));
      }
      if (t->variadic) {
        params = tl_arena_printf(&w->arena, "%s%s", params, t->params.count ? ", ..." : "");
      } else if (!t->params.count) {
        params = "void";
      }
      return declaration(w, t->target, tl_arena_printf(&w->arena, "%s(%s)", inner, params));
    }
    case TL_CT_UNSUPPORTED:
      w->refused = true;
      return "int";
  }
  return "int";
}

static const char *type_name(writer *w, const tl_ctype *t) { return declaration(w, t, ""); }

static void write_integer(writer *w, tl_dtype d, int64_t v) {
  if (d == TL_I64 || d == TL_I32) {
    const char *suffix = d == TL_I64 ? "L" : "";
    if (v == INT64_MIN || (d == TL_I32 && v == INT32_MIN)) {
      fprintf(w->out, "(%" PRId64 "%s - 1)", v + 1, suffix);
    } else {
      fprintf(w->out, "(%" PRId64 "%s)", v, suffix);
    }
  } else if (d == TL_U64) {
    fprintf(w->out, "%" PRIu64 "ul", (uint64_t)v);
  } else if (d == TL_U32) {
    fprintf(w->out, "%" PRIu64 "u", (uint64_t)v);
  } else {
    fprintf(w->out, "((%s)%" PRId64 ")", scalar_name(d), v);
  }
}

static void write_float(writer *w, const tl_expr *e) {
  const char *suffix = e->type->dtype == TL_F32 ? "f" : e->type->dtype == TL_F80 ? "L" : "";
  if (isfinite(e->floating)) {
    fprintf(w->out, "%La%s", e->floating, suffix);
  } else {
    fputs(e->spelling, w->out);
  }
}

static const char *operator_text(tl_binary op) {
  static const char *const texts[] = {"+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "==", "!=", "<", "<=", ">", ">="};
  return texts[op];
}

static const char *field_name(writer *w, const tl_record *r, uint32_t i) {
  return r->fields.data[i].name ? r->fields.data[i].name : tl_arena_printf(&w->arena, "anonymous_%u", i);
}

static void write_pair(writer *w, const char *operator, const tl_expr *e) {
  fputc('(', w->out);
  write_expr(w, e->a);
  fprintf(w->out, " %s ", operator);
  write_expr(w, e->b);
  fputc(')', w->out);
}

static void write_around(writer *w, const char *before, const tl_expr *a, const char *after) {
  fprintf(w->out, "(%s", before);
  write_expr(w, a);
  fprintf(w->out, "%s)", after);
}

static void write_list(writer *w, const tl_expr *e) {
  fputc('{', w->out);
  for (uint32_t i = 0; i < e->args.count; i++) {
    if (!e->args.data[i]) {
      continue;
    }
    if (e->type->kind == TL_CT_RECORD) {
      fprintf(w->out, ".%s = ", field_name(w, e->type->record, i));
    } else {
      fprintf(w->out, "[%u] = ", i);
    }
    write_expr(w, e->args.data[i]);
    fputs(", ", w->out);
  }
  fputc('}', w->out);
}

/* In its computation type, stored as its own: what the tree says of a op= b. */
static void write_compound(writer *w, const tl_expr *e) {
  const char *op = operator_text(e->op);
  bool bit_field = (e->a->kind == TL_EXPR_MEMBER || e->a->kind == TL_EXPR_ARROW) && e->a->record->fields.data[e->a->field].is_bitfield;
  if (!e->compute_type) {
    write_pair(w, tl_arena_printf(&w->arena, "%s=", op), e);
    return;
  }
  bool shift = e->op == TL_BIN_SHL || e->op == TL_BIN_SHR;
  const char *own = type_name(w, e->type), *computed = type_name(w, e->compute_type);
  const char *place = bit_field ? expr_text(w, e->a) : "*place_";
  if (!bit_field) {
    fprintf(w->out, "({ %s *place_ = &", scalar_name(e->type->dtype));
    write_expr(w, e->a);
    fputs("; ", w->out);
  } else {
    fputs("(", w->out);
  }
  fprintf(w->out, "%s = (%s)((%s)%s %s ", place, own, computed, place, op);
  if (!shift) {
    fprintf(w->out, "(%s)", computed);
  }
  write_expr(w, e->b);
  fputs(bit_field ? "))" : "); })", w->out);
}

static void write_expr(writer *w, const tl_expr *e) {
  switch (e->kind) {
    case TL_EXPR_INT:
      write_integer(w, e->type->dtype, e->integer);
      return;
    case TL_EXPR_FLOAT:
      write_float(w, e);
      return;
    case TL_EXPR_STRING:
      fputs(e->spelling, w->out);
      return;
    case TL_EXPR_VAR:
      fputs(e->decl->name, w->out);
      return;
    case TL_EXPR_FUNCTION:
      fputs(e->name, w->out);
      return;
    case TL_EXPR_UNARY:
      write_around(w, (char[]){e->unary, ' ', 0}, e->a, "");
      return;
    case TL_EXPR_BINARY:
      write_pair(w, operator_text(e->op), e);
      return;
    case TL_EXPR_LOGICAL_AND:
      write_pair(w, "&&", e);
      return;
    case TL_EXPR_LOGICAL_OR:
      write_pair(w, "||", e);
      return;
    case TL_EXPR_CONDITIONAL:
      fputc('(', w->out);
      write_expr(w, e->a);
      fputs(" ? ", w->out);
      if (e->b) {
        write_expr(w, e->b);
      }
      fputs(" : ", w->out);
      write_expr(w, e->c);
      fputc(')', w->out);
      return;
    case TL_EXPR_COMMA:
      write_pair(w, ",", e);
      return;
    case TL_EXPR_ASSIGN:
      write_pair(w, "=", e);
      return;
    case TL_EXPR_COMPOUND_ASSIGN:
      write_compound(w, e);
      return;
    case TL_EXPR_PRE_INC:
      write_around(w, "++", e->a, "");
      return;
    case TL_EXPR_PRE_DEC:
      write_around(w, "--", e->a, "");
      return;
    case TL_EXPR_POST_INC:
      write_around(w, "", e->a, "++");
      return;
    case TL_EXPR_POST_DEC:
      write_around(w, "", e->a, "--");
      return;
    case TL_EXPR_CAST:
      write_around(w, tl_arena_printf(&w->arena, "(%s)", type_name(w, e->type)), e->a, "");
      return;
    case TL_EXPR_DECAY:
      write_expr(w, e->a);
      return;
    case TL_EXPR_CALL:
      write_expr(w, e->a);
      fputc('(', w->out);
      for (uint32_t i = 0; i < e->args.count; i++) {
        fputs(i ? ", " : "", w->out);
        write_expr(w, e->args.data[i]);
      }
      fputc(')', w->out);
      return;
    case TL_EXPR_INDEX:
      write_expr(w, e->a);
      fputc('[', w->out);
      write_expr(w, e->b);
      fputc(']', w->out);
      return;
    case TL_EXPR_MEMBER:
    case TL_EXPR_ARROW:
      write_expr(w, e->a);
      fprintf(w->out, "%s%s", e->kind == TL_EXPR_MEMBER ? "." : "->", field_name(w, e->record, e->field));
      return;
    case TL_EXPR_DEREF:
      write_around(w, "*", e->a, "");
      return;
    case TL_EXPR_ADDRESS:
      write_around(w, "&", e->a, "");
      return;
    case TL_EXPR_INIT_LIST:
      write_list(w, e);
      return;
    case TL_EXPR_COMPOUND_LITERAL:
      fprintf(w->out, "((%s)", type_name(w, e->type));
      if (e->a->kind == TL_EXPR_INIT_LIST) {
        write_list(w, e->a);
      } else {
        fputc('{', w->out);
        write_expr(w, e->a);
        fputc('}', w->out);
      }
      fputc(')', w->out);
      return;
    case TL_EXPR_SIZEOF_VLA:
      fprintf(w->out, "sizeof(%s)", type_name(w, e->sized));
      return;
    case TL_EXPR_STMT:
      fputs("(", w->out);
      write_stmt(w, e->body);
      fputs(")", w->out);
      return;
    case TL_EXPR_INTRINSIC:
    case TL_EXPR_UNSUPPORTED:
      w->refused = true;
      return;
  }
}

static void write_decl(writer *w, const tl_decl *d) {
  fprintf(w->out, "%s%s", d->storage == TL_STORAGE_STATIC_LOCAL ? "static " : "", declaration(w, d->type, d->name));
  if (d->init) {
    fputs(" = ", w->out);
    write_expr(w, d->init);
  }
  fputs(";\n", w->out);
}

static void write_decls(writer *w, const tl_stmt *s) {
  for (uint32_t i = 0; i < s->decls.count; i++) {
    if (s->decls.data[i]->storage != TL_STORAGE_FILE) {
      write_decl(w, s->decls.data[i]);
    }
  }
}

static void write_head(writer *w, const char *word, const tl_expr *e) {
  fprintf(w->out, "%s (", word);
  write_expr(w, e);
  fputs(")\n", w->out);
}

static void write_braced(writer *w, const tl_stmt *s) {
  fputs("{\n", w->out);
  write_stmt(w, s);
  fputs("}\n", w->out);
}

static void write_stmt(writer *w, const tl_stmt *s) {
  switch (s->kind) {
    case TL_STMT_NULL:
      break;
    case TL_STMT_EXPR:
      write_expr(w, s->expr);
      break;
    case TL_STMT_DECL:
      write_decls(w, s);
      return;
    case TL_STMT_COMPOUND:
      fputs("{\n", w->out);
      for (uint32_t i = 0; i < s->body.count; i++) {
        write_stmt(w, s->body.data[i]);
      }
      fputs("}\n", w->out);
      return;
    case TL_STMT_IF:
      write_head(w, "if", s->expr);
      write_braced(w, s->then_body);
      if (s->else_body) {
        fputs("else ", w->out);
        write_braced(w, s->else_body);
      }
      return;
    case TL_STMT_WHILE:
    case TL_STMT_SWITCH:
      write_head(w, s->kind == TL_STMT_WHILE ? "while" : "switch", s->expr);
      write_stmt(w, s->then_body);
      return;
    case TL_STMT_DO:
      fputs("do ", w->out);
      write_braced(w, s->then_body);
      write_head(w, "while", s->expr);
      break;
    case TL_STMT_FOR:
      fputs("{\n", w->out);
      write_decls(w, s);
      fputs("for (", w->out);
      if (s->init) {
        write_expr(w, s->init);
      }
      fputs("; ", w->out);
      if (s->expr) {
        write_expr(w, s->expr);
      }
      fputs("; ", w->out);
      if (s->step) {
        write_expr(w, s->step);
      }
      fputs(")\n", w->out);
      write_stmt(w, s->then_body);
      fputs("}\n", w->out);
      return;
    case TL_STMT_CASE:
      fprintf(w->out, "case %" PRId64 " ... %" PRId64 ":", s->case_lo, s->case_hi);
      write_braced(w, s->then_body);
      return;
    case TL_STMT_DEFAULT:
      fputs("default:", w->out);
      write_braced(w, s->then_body);
      return;
    case TL_STMT_BREAK:
      fputs("break", w->out);
      break;
    case TL_STMT_CONTINUE:
      fputs("continue", w->out);
      break;
    case TL_STMT_RETURN:
      fputs("return ", w->out);
      if (s->expr) {
        write_expr(w, s->expr);
      }
      break;
    case TL_STMT_GOTO:
      fprintf(w->out, "goto %s", s->label);
      break;
    case TL_STMT_LABEL:
      fprintf(w->out, "%s:", s->label);
      write_braced(w, s->then_body);
      return;
    case TL_STMT_UNSUPPORTED:
      w->refused = true;
      return;
  }
  fputs(";\n", w->out);
}

/* Records in an order in which each is complete before another holds it. */
static void write_record(writer *w, FILE *out, const tl_record *r, bool *written) {
  uint32_t n = record_number(w, r);
  if (written[n] || !r->complete) {
    return;
  }
  written[n] = true;
  const char *body = "";
  for (uint32_t i = 0; i < r->fields.count; i++) {
    const tl_field *f = &r->fields.data[i];
    const tl_ctype *t = f->type;
    while (t->kind == TL_CT_ARRAY) {
      t = t->target;
    }
    if (t->kind == TL_CT_RECORD) {
      write_record(w, out, t->record, written);
    }
    const char *name = f->is_bitfield && !f->name ? "" : field_name(w, r, i);
    body = tl_arena_printf(&w->arena, "%s  %s", body, declaration(w, f->type, name));
    body = f->is_bitfield ? tl_arena_printf(&w->arena, "%s : %u;\n", body, f->bit_width) : tl_arena_printf(&w->arena, "%s;\n", body);
  }
  fprintf(out, "%s record_%u {\n%s};\n", r->is_union ? "union" : "struct", n, body);
}

static bool of_the_file(const tl_unit *unit, tl_loc loc) { return loc.file && strcmp(loc.file, unit->file) == 0; }

static void write_head_of(writer *w, const tl_function *f) {
  const char *params = f->params.count ? "" : "void";
  for (uint32_t i = 0; i < f->params.count; i++) {
    const tl_decl *d = f->params.data[i];
    params = tl_arena_printf(&w->arena, "%s%s%s", params, i ? ", " : "", declaration(w, d->type, d->name));
  }
  fputs(declaration(w, f->type->target, tl_arena_printf(&w->arena, "%s(%s%s)", f->name, params, f->variadic ? ", ..." : "")), w->out);
}

static void write_objects_and_functions(writer *w, const tl_unit *unit) {
  for (uint32_t i = 0; i < unit->functions.count; i++) {
    if (of_the_file(unit, unit->functions.data[i]->loc)) {
      write_head_of(w, unit->functions.data[i]);
      fputs(";\n", w->out);
    }
  }
  for (uint32_t i = 0; i < unit->globals.count; i++) { /* tentative first: an initialiser may take any address */
    const tl_decl *d = unit->globals.data[i];
    if (of_the_file(unit, d->loc)) {
      fprintf(w->out, "extern %s;\n", declaration(w, d->type, d->name));
    }
  }
  for (uint32_t i = 0; i < unit->globals.count; i++) {
    if (of_the_file(unit, unit->globals.data[i]->loc)) {
      write_decl(w, unit->globals.data[i]);
    }
  }
  for (uint32_t i = 0; i < unit->functions.count; i++) {
    const tl_function *f = unit->functions.data[i];
    if (f->body && of_the_file(unit, f->loc)) {
      write_head_of(w, f);
      fputc('\n', w->out);
      write_stmt(w, f->body);
    }
  }
}

bool ast_to_c(FILE *out, const tl_unit *unit) {
  writer *w = calloc(1, sizeof *w);
  tl_arena_init(&w->arena);
  char *text = NULL;
  size_t size;
  w->out = open_memstream(&text, &size);
  write_objects_and_functions(w, unit);
  fclose(w->out);
  fputs("#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n", out);
  bool written[MOST_RECORDS] = {false};
  for (uint32_t i = 0; i < w->record_count; i++) {
    fprintf(out, "%s record_%u;\n", w->records[i]->is_union ? "union" : "struct", i);
  }
  for (uint32_t i = 0; i < w->record_count; i++) {
    write_record(w, out, w->records[i], written);
  }
  fputs(text, out);
  free(text);
  bool ok = !w->refused;
  tl_arena_deinit(&w->arena);
  free(w);
  return ok;
}
