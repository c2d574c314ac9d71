#include "emit/c/emit_c.h"

#include <ctype.h>
#include <string.h>

#include "emit/c/internal.h"
#include "base/alloc.h"

static bool is_written(const tl_func *f, uint32_t cparam) {
  for (uint32_t i = 0; i < f->results.count; i++) {
    const tl_result *r = &f->results.data[i];
    if (r->role == TL_RESULT_FINAL && f->params.data[r->param].cparam == cparam) {
      return !f->cparams.data[cparam].by_value;
    }
  }
  return false;
}

/* The declarator with the pointer itself restrict, as which it declares the same type of function: "double @[restrict
 * n]", "double *restrict @". Unchanged where that cannot be written. */
static const char *restricted(const char *declarator, tl_arena *arena) {
  const char *at = strchr(declarator, '@');
  if (!at || strstr(declarator, "restrict")) {
    return declarator;
  }
  size_t n = (size_t)(at - declarator);
  if (at[1] == '[') {
    return tl_arena_printf(arena, "%.*s[restrict%s%s", (int)n + 1, declarator, at[2] == ']' ? "" : " ", at + 2);
  }
  return n && declarator[n - 1] == '*' ? tl_arena_printf(arena, "%.*srestrict %s", (int)n, declarator, at) : declarator;
}

/* By an extent of a parameter: it is one of the user's then, and the name is no macro where the prototype stands. */
static bool is_named(const tl_func *f, const char *name) {
  for (uint32_t i = 0; i < f->cparams.count; i++) {
    if (tl__c_has_word(f->cparams.data[i].declarator, name)) {
      return true;
    }
  }
  return false;
}

/* A definition says that what is written through one parameter is not reached through another, which the caller has
 * promised, and is broken between parameters where it is long. */
static void prototype(const tl_func *f, const tl_emit_opts *opts, bool definition, tl_arena *arena, FILE *out) {
  const char *head =
      tl_arena_printf(arena, "%s%s %s(", opts && opts->is_static ? "static " : "", f->return_declarator, f->name);
  fputs(head, out);
  size_t column = strlen(head);
  for (uint32_t i = 0; i < f->cparams.count; i++) {
    const tl_cparam *c = &f->cparams.data[i];
    bool restricts = definition && !f->is_primal && is_written(f, i);
    bool nameless =
        !definition && opts && opts->is_macro && !is_named(f, c->name) && opts->is_macro(opts->ctx, c->name);
    const char *declarator = c->is_batch && opts && opts->is_early ? "__SIZE_TYPE__ @" : c->declarator;
    const char *text =
        tl__c_text_replace(arena, restricts ? restricted(declarator, arena) : declarator, '@', nameless ? "" : c->name);
    size_t n = strlen(text);
    bool breaks = definition && i && column + n + 4 > TL__LINE_WIDTH;
    fprintf(out, "%s%s", breaks ? ",\n    " : i ? ", " : "", text);
    column = breaks ? 4 + n : column + n + 2;
  }
  fputs(f->cparams.count ? ")" : "void)", out);
}

/* Where memory runs out, the arena goes before the failure is handed on. */
typedef struct task {
  const tl_func *func;
  const tl_emit_opts *opts;
  tl_emit_needs *needs;
  FILE *out;
} task;

static void with_arena(void (*run)(const task *, tl_arena *), const task *t) {
  tl_arena arena;
  tl_arena_init(&arena);
  tl_recovery recovery;
  tl__recovery_enter(&recovery);
  if (setjmp(recovery.jump)) {
    tl_arena_deinit(&arena);
    tl__recovery_raise();
  }
  run(t, &arena);
  tl__recovery_leave(&recovery);
  tl_arena_deinit(&arena);
}

static void run_prototype(const task *t, tl_arena *arena) { prototype(t->func, t->opts, false, arena, t->out); }

void tl_emit_c_prototype(const tl_func *f, const tl_emit_opts *opts, FILE *out) {
  with_arena(run_prototype, &(task){.func = f, .opts = opts, .out = out});
}

/* Plans until nothing more is asked of the plan: copies need the extents of arrays, heap storage those of the results.
 */
static void plan(tl__c_emit *e) {
  for (;;) {
    tl__c_plan(e);
    bool extents = e->copies > 0, failing = tl__c_tape_any_heap(e);
    if ((extents && !e->extents_needed) || (failing && !e->failing)) {
      e->extents_needed |= extents;
      e->failing |= failing;
      continue;
    }
    break;
  }
  tl__c_tape_plan(e);
  tl__c_tape_group(e);
  tl__c_names_reserve(e);
  tl__c_name_vars(e);
}

static void run_function(const task *t, tl_arena *arena) {
  const tl_func *f = tl__c_unhide(t->func, t->opts, arena);
  FILE *out = t->out;
  tl__c_block block = {0};
  tl__c_emit e = {.f = f, .opts = t->opts, .needs = t->needs, .arena = arena, .out = &block};
  plan(&e);
  tl__c_emit_body(&e);
  tl__c_block_tidy(&block, arena);
  prototype(f, t->opts, true, arena, out);
  fputs(" {\n", out);
  for (uint32_t i = 0; i < f->cparams.count; i++) {
    const char *name = f->cparams.data[i].name;
    bool used = tl__c_block_has(&block, name);
    for (uint32_t k = 0; k < f->cparams.count && !used; k++) { /* an extent of another parameter */
      used = k != i && tl__c_has_word(f->cparams.data[k].declarator, name);
    }
    if (!used) {
      fprintf(out, "  (void)%s;\n", name);
    }
  }
  tl__c_block_print(&block, 2, out);
  fputs("}\n", out);
}

void tl_emit_c_function(const tl_func *f, const tl_emit_opts *opts, tl_emit_needs *needs, FILE *out) {
  with_arena(run_function, &(task){.func = f, .opts = opts, .needs = needs, .out = out});
}

/* The program's tl_tape_failed goes by another name here, so that it may be defined in the same file: a weak
 * declaration of tl_tape_failed itself, or a weak default, would clash with that definition. */
static const char tape_report[] =
    "/* A program may define void tl_tape_failed(const char *function, size_t bytes); it is told of arrays that cannot "
    "be\n"
    " * allocated. Without it a line goes to stderr. */\n"
    "__attribute__((weak)) void tl_tape_observer(const char *function, size_t bytes) __asm__(\"tl_tape_failed\");\n\n"
    "/* The blocks that a call allocated, and the size of one that could not be had. */\n"
    "typedef struct tl_tape {\n"
    "  void **blocks;\n"
    "  size_t count, failed_bytes;\n"
    "} tl_tape;\n\n"
    "/* Frees all blocks but the first `kept`. */\n"
    "static void tl_tape_free(tl_tape *tape, size_t kept) {\n"
    "  while (tape->count > kept) {\n"
    "    free(tape->blocks[--tape->count]);\n"
    "  }\n"
    "}\n\n"
    "/* Tells of the failure, and frees everything. */\n"
    "static void tl_tape_report(const char *function, tl_tape *tape) {\n"
    "  if (tl_tape_observer != NULL) {\n"
    "    tl_tape_observer(function, tape->failed_bytes);\n"
    "  } else {\n"
    "    fprintf(stderr, \"%s: %zu bytes could not be allocated\\n\", function, tape->failed_bytes);\n"
    "  }\n"
    "  tl_tape_free(tape, 0);\n"
    "}\n";

static const char tape_alloc[] =
    "/* Room for `count` elements, or one. NULL where that fails. */\n"
    "static void *tl_tape_alloc(tl_tape *tape, size_t count, size_t size) {\n"
    "  size_t bytes = count == 0 ? size : count <= (size_t)-1 / size ? count * size : (size_t)-1;\n"
    "  void *block = bytes < (size_t)-1 ? malloc(bytes) : NULL;\n"
    "  if (block == NULL) {\n"
    "    tape->failed_bytes = bytes;\n"
    "  } else {\n"
    "    tape->blocks[tape->count++] = block;\n"
    "  }\n"
    "  return block;\n"
    "}\n";

static const char tape_reserve[] =
    "/* Takes and gives back one block for `count` elements: the C library then keeps so much for the next call. */\n"
    "static void tl_tape_reserve(size_t count, size_t size) {\n"
    "  void *volatile block = count <= (size_t)-1 / size ? malloc(count * size) : NULL;\n"
    "  free(block);\n"
    "}\n";

static const char tape_zeros[] = "/* The same filled with zeros. */\n"
                                 "static void *tl_tape_zeros(tl_tape *tape, size_t count, size_t size) {\n"
                                 "  void *block = calloc(count > 0 ? count : 1, size);\n"
                                 "  if (block == NULL) {\n"
                                 "    tape->failed_bytes = count <= (size_t)-1 / size ? count * size : (size_t)-1;\n"
                                 "  } else {\n"
                                 "    tape->blocks[tape->count++] = block;\n"
                                 "  }\n"
                                 "  return block;\n"
                                 "}\n";

/* Not inlined: gcc 12 makes slower loops of what stands before such a memset. */
static const char tape_spoil[] = "/* All bits set: NaN in any floating type. */\n"
                                 "__attribute__((noinline)) static void tl_tape_spoil(void *results, size_t bytes) {\n"
                                 "  memset(results, 0xff, bytes);\n"
                                 "}\n";

static const char tape_grow[] = "/* How many elements there are to be, so that there is one at `index`. */\n"
                                "static size_t tl_tape_room(size_t room, size_t index) {\n"
                                "  room = room < 8 ? 16 : 2 * room;\n"
                                "  return room > index ? room : index + 1;\n"
                                "}\n"
                                "\n"
                                "static void *tl_tape_resize(tl_tape *tape, void *block, size_t count, size_t size) {\n"
                                "  size_t at = 0;\n"
                                "  while (tape->blocks[at] != block) {\n"
                                "    at++;\n"
                                "  }\n"
                                "  void *grown = count <= (size_t)-1 / size ? realloc(block, count * size) : NULL;\n"
                                "  if (grown == NULL) {\n"
                                "    tape->failed_bytes = count <= (size_t)-1 / size ? count * size : (size_t)-1;\n"
                                "    return block;\n"
                                "  }\n"
                                "  tape->blocks[at] = grown;\n"
                                "  return grown;\n"
                                "}\n";

static const char tape_grow_zeroed[] =
    "/* Makes room in the block for element `index`. */\n"
    "static void *tl_tape_grow_zeroed(tl_tape *tape, void *block, size_t *room, size_t index, size_t size) {\n"
    "  size_t more = tl_tape_room(*room, index);\n"
    "  char *grown = tl_tape_resize(tape, block, more, size);\n"
    "  if (tape->failed_bytes == 0) {\n"
    "    memset(grown + *room * size, 0, (more - *room) * size);\n"
    "    *room = more;\n"
    "  }\n"
    "  return grown;\n"
    "}\n";

/* math.h hides these under -std=c99; declared again they are the same functions. */
static void print_bessel(const tl_emit_needs *needs, FILE *out) {
  const char *before = "\n";
  for (int op = 0; op < TL_OP_COUNT; op++) {
    for (int d = 0; d < TL_DTYPE_COUNT; d++) {
      if (needs->bessel[op][d]) {
        const char *type = tl__c_type_text((tl_dtype)d), *suffix = d == TL_F32 ? "f" : d == TL_F80 ? "l" : "";
        const char *order = tl_op_table[op].operands == TL_OPERANDS_INT_FLT ? "int, " : "";
        fprintf(out, "%s%s %s%s(%s%s);\n", before, type, tl_op_table[op].name, suffix, order, type);
        before = "";
      }
    }
  }
}

void tl_emit_c_helpers(const tl_emit_needs *needs, FILE *out) {
  fputs("#include <stddef.h>\n", out);
  if (needs->tensor) {
    fputs("#include <tlaloc/tensor.h>\n", out);
  }
  if (needs->math) {
    fputs("#include <math.h>\n", out);
  }
  if (needs->tape) {
    fputs("#include <stdio.h>\n#include <stdlib.h>\n", out);
  }
  if (needs->memory) {
    fputs("#include <string.h>\n", out);
  }
  print_bessel(needs, out);
  if (needs->tape) {
    fprintf(out, "\n%s", tape_report);
  }
  if (needs->alloc) {
    fprintf(out, "\n%s", tape_alloc);
  }
  if (needs->reserve) {
    fprintf(out, "\n%s", tape_reserve);
  }
  if (needs->zeros) {
    fprintf(out, "\n%s", tape_zeros);
  }
  if (needs->spoil) {
    fprintf(out, "\n%s", tape_spoil);
  }
  if (needs->grow) {
    fprintf(out, "\n%s", tape_grow);
  }
  if (needs->grow_zeroed) {
    fprintf(out, "\n%s", tape_grow_zeroed);
  }
  for (int s = 0; s < TL_SPECIAL_COUNT; s++) { /* what another needs stands before it in the table */
    for (int d = 0; d < TL_DTYPE_COUNT; d++) {
      if (needs->special[s][d]) {
        fprintf(out, "\n%s", tl_special_text((tl_special)s, (tl_dtype)d));
      }
    }
  }
}
