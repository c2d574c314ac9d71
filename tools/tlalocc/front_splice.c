/* The copy that cc reads. Lines keep their numbers: prototypes go between lines of the user's, bodies into a file that
 * the last line includes. */
#include <stdlib.h>
#include <string.h>

#include "base/ctext.h"
#include "front.h"
#include "prototypes.h"
#include "transform/transform.h"

/* ---- what to emit ---- */

typedef TL_VEC(tl_func *) func_list;

static void add_func(front *f, func_list *list, tl_func *func) {
  for (uint32_t i = 0; i < list->count; i++) {
    if (list->data[i] == func) {
      return;
    }
  }
  TL_PUSH(f->arena, *list, func);
}

static void add_callees(front *f, func_list *list, const tl_region *region) {
  for (uint32_t i = 0; i < region->ops.count; i++) {
    const tl_op *op = region->ops.data[i];
    tl_func *callee = op->code == TL_OP_call ? tl_module_find(f->module, op->callee) : NULL;
    if (callee) {
      add_func(f, list, callee);
    }
    for (uint32_t k = 0; k < op->region_count; k++) {
      add_callees(f, list, op->regions[k]);
    }
  }
}

/* The targets first, then everything that they call, however far. */
static func_list functions_of(front *f, uint32_t *out_target_count) {
  func_list list = {0};
  for (uint32_t i = 0; i < f->targets.count; i++) {
    if (f->targets.data[i].func) {
      add_func(f, &list, f->targets.data[i].func);
    }
  }
  *out_target_count = list.count;
  for (uint32_t i = 0; i < list.count; i++) {
    add_callees(f, &list, list.data[i]->body);
  }
  return list;
}

static bool is_object(void *ctx, const char *name) {
  const front *f = ctx;
  for (uint32_t i = 0; i < f->parse.unit->globals.count; i++) {
    const tl_decl *global = f->parse.unit->globals.data[i];
    if (global->name && !strcmp(global->name, name)) {
      return true;
    }
  }
  return false;
}

/* What is written to the stream, in the arena. */
static const char *taken(front *f, FILE *out, char **text, size_t *length) {
  fclose(out);
  const char *kept = tl_arena_strndup(f->arena, *text, *length);
  free(*text);
  return kept;
}

void front_emit(front *f, bool external, front_emitted *out_texts) {
  uint32_t target_count;
  func_list all = functions_of(f, &target_count);
  char *text = NULL;
  size_t length;
  FILE *out = open_memstream(&text, &length);
  tl_emit_opts opts = {.source_comments = true, .source_line = front_source_line, .is_object = is_object, .ctx = f};
  tl_emit_needs needs = {0};
  tl_arena scratch;
  tl_arena_init(&scratch);
  for (uint32_t i = 0; i < all.count; i++) {
    if (all.data[i]->is_primal) {
      continue; /* the user's own function, or its copy */
    }
    opts.is_static = !external || i >= target_count;
    tl__views_run(all.data[i], &scratch);
    fputc('\n', out);
    tl_emit_c_function(all.data[i], &opts, &needs, out);
  }
  tl_arena_deinit(&scratch);
  out_texts->definitions = taken(f, out, &text, &length);
  out = open_memstream(&text, &length);
  tl_emit_c_helpers(&needs, out);
  out_texts->helpers = taken(f, out, &text, &length);
  out = open_memstream(&text, &length);
  for (uint32_t i = 0; i < all.count; i++) {
    opts.is_static = !external || i >= target_count;
    if (!all.data[i]->is_primal && (external || i >= target_count)) {
      tl_emit_c_prototype(all.data[i], &opts, out);
      fputs(";\n", out);
    }
  }
  out_texts->prototypes = taken(f, out, &text, &length);
}

/* ---- the file of bodies ---- */

static void add_name(front *f, tl_args *names, const char *name) {
  for (uint32_t i = 0; i < names->count; i++) {
    if (strcmp(names->data[i], name) == 0) {
      return;
    }
  }
  TL_PUSH(f->arena, *names, name);
}

/* A function that only an intrinsic names, or TL_CUSTOM_VJP and its kin, counts as used. */
static void write_uses(front *f, FILE *out) {
  front_function_list reached = {0};
  front_expr_list intrinsics = {0};
  tl_args names = {0};
  for (uint32_t i = 0; i < f->targets.count; i++) {
    const tl_request *r = f->targets.data[i].request;
    add_name(f, &names, r->primal_name);
    front_reach(f, r->primal, &reached, &intrinsics);
  }
  for (uint32_t i = 0; i < reached.count; i++) {
    const char *rules[] = {reached.data[i]->custom_vjp, reached.data[i]->custom_jvp};
    for (int k = 0; k < 2; k++) {
      const tl_function *rule = rules[k] ? tl_unit_find(f->parse.unit, rules[k]) : NULL;
      if (rule && rule->body) {
        add_name(f, &names, rule->name);
      }
    }
  }
  fputs("\nstatic void __attribute__((__unused__)) tl__primals_are_used(void) {\n", out);
  for (uint32_t i = 0; i < names.count; i++) {
    fprintf(out, "  (void)%s;\n", names.data[i]);
  }
  fputs("}\n", out);
}

static void write_for_debugger(front *f, const char *text, FILE *out) {
  const char *path = NULL;
  for (uint32_t i = 0; i < f->opts->dump_source.count; i++) {
    path = strcmp(f->opts->dump_source.data[i], "-") == 0 ? path : f->opts->dump_source.data[i];
  }
  char *dump = NULL;
  size_t size;
  FILE *to = path ? open_memstream(&dump, &size) : NULL;
  if (to) {
    front_write_dump(f, to);
    fclose(to);
  }
  front_write_with_lines(f, text, dump, path, out);
  free(dump);
}

static bool write_generated(front *f) {
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  fprintf(out, "%s%s%s", f->bodies.helpers, f->bodies.prototypes, f->bodies.definitions);
  for (uint32_t i = 0; i < f->targets.count; i++) {
    if (f->targets.data[i].refusal) {
      front_write_stub(f, &f->targets.data[i], out);
    }
  }
  write_uses(f, out);
  fclose(out);
  out = fopen(f->opts->generated, "w");
  if (!out) {
    free(text);
    return false;
  }
  /* The user's warning options are for the user's code. */
  fputs("#pragma GCC system_header\n", out);
  front_write_undefs(f, text, false, out);
  if (f->opts->debug) {
    write_for_debugger(f, text, out);
  } else {
    fwrite(text, 1, size, out);
  }
  free(text);
  bool ok = !ferror(out);
  return fclose(out) == 0 && ok;
}

/* For the driver to show where cc refuses a call. */
static bool write_prototypes(front *f) {
  FILE *out = fopen(tl_arena_printf(f->arena, "%s.prototypes", f->opts->generated), "w");
  if (!out) {
    return false;
  }
  for (uint32_t i = 0; i < f->targets.count; i++) {
    const front_target *t = &f->targets.data[i];
    if (t->func) {
      const char *lines = ",";
      for (uint32_t k = 0; k < t->request->uses.count; k++) {
        lines = tl_arena_printf(f->arena, "%s%u,", lines, t->request->uses.data[k].line);
      }
      tl_prototype p = {t->func->name, front_prototype(f, t->func, t->func->name), t->request->primal->loc, lines};
      tl_prototype_write(&p, out);
    }
  }
  bool ok = !ferror(out);
  return fclose(out) == 0 && ok;
}

/* ---- the copy ---- */

typedef struct insertion {
  size_t offset;
  uint32_t line, column; /* column 0: after an #include line */
  const char *text;
} insertion;

typedef TL_VEC(insertion) insertion_list;

static size_t line_offset(const front *f, uint32_t line) {
  const char *p = f->text, *end = f->text + f->length;
  for (; line > 1 && p < end; line--) {
    const char *newline = memchr(p, '\n', (size_t)(end - p));
    p = newline ? newline + 1 : end;
  }
  return (size_t)(p - f->text);
}

static char *one_line(char *text) {
  for (char *p = text; *p; p++) {
    *p = *p == '\n' ? ' ' : *p;
  }
  return text;
}

static const char *prototype(front *f, const front_target *t) {
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  fputc(' ', out);
  if (t->func) {
    tl_emit_opts opts = {.is_static = true, .is_early = true, .is_macro = front_is_macro, .ctx = f};
    tl_emit_c_prototype(t->func, &opts, out);
    fputc(';', out);
  } else {
    front_write_stub_declaration(t, out);
  }
  fclose(out);
  char *kept = one_line(tl_arena_strndup(f->arena, text, size));
  free(text);
  if (!t->func) {
    return kept;
  }
  out = open_memstream(&text, &size);
  front_write_placed_prototype(f, t->func, kept, out);
  fclose(out);
  kept = tl_arena_strndup(f->arena, text, size);
  free(text);
  return kept;
}

static void add_insertion(front *f, insertion_list *list, const front_target *t) {
  const tl_loc *at = &t->request->primal->first_end;
  insertion in = {.line = at->line, .column = at->column, .text = prototype(f, t)};
  if (!in.column) {
    in.offset = line_offset(f, at->line + 1);
  } else {
    in.offset = line_offset(f, at->line) + at->column - 1;
  }
  in.offset = in.offset > f->length ? f->length : in.offset;
  TL_PUSH(f->arena, *list, in);
  for (uint32_t i = list->count - 1; i > 0 && list->data[i - 1].offset > in.offset; i--) {
    list->data[i] = list->data[i - 1];
    list->data[i - 1] = in;
  }
}

static void write_line_marker(const front *f, uint32_t line, FILE *out) {
  fprintf(out, "#line %u \"%s\"\n", line, tl_literal_escape(f->arena, f->opts->file));
}

/* It may stand at the start of a file only, which is ours now. */
static size_t byte_order_mark(const front *f) {
  return f->length >= 3 && memcmp(f->text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

static uint32_t line_count(const front *f) {
  uint32_t lines = 1;
  for (size_t i = 0; i < f->length; i++) {
    lines += f->text[i] == '\n';
  }
  return lines;
}

bool front_write_copy(front *f) {
  insertion_list list = {0};
  for (uint32_t i = 0; i < f->targets.count; i++) {
    add_insertion(f, &list, &f->targets.data[i]);
  }
  FILE *out = fopen(f->opts->out, "w");
  if (!out) {
    return false;
  }
  for (uint32_t i = 0; i < f->targets.count; i++) {
    if (f->targets.data[i].refusal) {
      front_write_any_arguments(out);
      break;
    }
  }
  write_line_marker(f, 1, out);
  size_t written = byte_order_mark(f);
  for (uint32_t i = 0; i < list.count; i++) {
    const insertion *in = &list.data[i];
    fwrite(f->text + written, 1, in->offset - written, out);
    written = in->offset;
    if (!in->column) {
      bool broken = written && f->text[written - 1] != '\n';
      fprintf(out, "%s%s\n", broken ? "\n" : "", in->text);
      write_line_marker(f, in->line + 1, out);
    } else {
      fprintf(out, "%s\n", in->text);
      write_line_marker(f, in->line, out);
      fprintf(out, "%*s", (int)in->column - 1, "");
    }
  }
  fwrite(f->text + written, 1, f->length - written, out);
  if (f->length && f->text[f->length - 1] != '\n') {
    fputc('\n', out);
  }
  write_line_marker(f, line_count(f) + 1, out);
  fprintf(out, "#include \"%s\"\n", tl_path_base(f->opts->generated));
  bool ok = !ferror(out);
  return fclose(out) == 0 && ok && write_generated(f) && write_prototypes(f);
}

/* clang could not read the file: cc is to say why, and nothing about names that only a translation would declare. */
bool front_write_syntax_copy(front *f) {
  FILE *out = fopen(f->opts->out, "w");
  if (!out) {
    return false;
  }
  fprintf(out, "#include \"%s\"\n", tl_path_base(f->opts->generated));
  write_line_marker(f, 1, out);
  fwrite(f->text + byte_order_mark(f), 1, f->length - byte_order_mark(f), out);
  bool ok = !ferror(out);
  ok = fclose(out) == 0 && ok;
  out = fopen(f->opts->generated, "w");
  if (!out) {
    return false;
  }
  fputs("#pragma GCC system_header\n", out);
  front_write_any_arguments(out);
  for (uint32_t i = 0; i < f->named.count; i++) {
    const char *name = f->named.data[i];
    if (!tl_unit_find(f->parse.unit, name)) {
      fprintf(out, "double %s(TL__ANY_ARGUMENTS);\n", name);
    }
  }
  ok = fclose(out) == 0 && ok;
  out = fopen(tl_arena_printf(f->arena, "%s.message", f->opts->generated), "w");
  if (!out) {
    return false;
  }
  fprintf(out, "%u:%u:%s", f->parse.syntax_loc.line, f->parse.syntax_loc.column,
          f->parse.syntax_message ? f->parse.syntax_message : "it gives no message");
  return fclose(out) == 0 && ok;
}
