/* A graph as a C file: the emitter's function of its body, with the graph's parameters as tensors by value, and around
 * it the tl_fn by the graph's name, which checks the inputs and makes the constants. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/dtype.h"
#include "base/name.h"
#include "capture/graph.h"
#include "emit/c/emit_c.h"

/* ---- names ---- */

static bool is_name(const char *s) {
  bool ok = (isalpha((unsigned char)*s) || *s == '_') && !tl_is_keyword(s);
  for (; ok && *s; s++) {
    ok = isalnum((unsigned char)*s) || *s == '_';
  }
  return ok;
}

/* Compilers know these, and warn of a function that is called so and is another. */
static bool is_library(const char *name) {
  static const char *const others[] = {
      "main",   "abs",    "labs",      "llabs",  "isnan",  "isinf",  "isfinite", "gamma",   "index",  "rindex",
      "malloc", "calloc", "realloc",   "free",   "exit",   "abort",  "printf",   "puts",    "putc",   "putchar",
      "scanf",  "log2",   "logl",      "alloca", "memcpy", "memset", "memcmp",   "memmove", "strlen", "frexp",
      "modf",   "remquo", "nearbyint", "scalbn", "lrint",  "lround", "div",      "signbit", "fabs"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    if (!strcmp(name, others[i])) {
      return true;
    }
  }
  size_t n = strlen(name);
  for (int op = 0; op < TL_OP_COUNT; op++) { /* exp, expf, expl */
    const char *row = tl_op_table[op].name;
    size_t k = strlen(row);
    if (tl_op_table[op].elementwise && !strncmp(name, row, k) &&
        (n == k || (n == k + 1 && (name[k] == 'f' || name[k] == 'l')))) {
      return true;
    }
  }
  return false;
}

/* Of the file's own and of its header. */
static bool is_ours(const char *name) { return !strncmp(name, "tl_", 3) || !strncmp(name, "TL_", 3); }

/* ---- constants ---- */

static bool all_finite(const unsigned char *data, size_t count, tl_dtype d) {
  for (size_t i = 0; i < count; i++) {
    float f = 0;
    double x = 0;
    if (d == TL_F32) {
      memcpy(&f, data + i * sizeof f, sizeof f);
    } else {
      memcpy(&x, data + i * sizeof x, sizeof x);
    }
    if (!isfinite(f) || !isfinite(x)) {
      return false;
    }
  }
  return true;
}

/* How the elements are written: as what they are, or by their bits. */
typedef struct literal {
  const char *type;
  tl_dtype as;
} literal;

static literal literal_of(tl_dtype d, const unsigned char *data, size_t count) {
  switch (d) {
  case TL_BOOL:
    return (literal){"bool", TL_BOOL};
  case TL_I8:
    return (literal){"int8_t", TL_I8};
  case TL_I16:
    return (literal){"int16_t", TL_I16};
  case TL_I32:
    return (literal){"int32_t", TL_I32};
  case TL_I64:
    return (literal){"int64_t", TL_I64};
  case TL_U8:
  case TL_F8E4M3FN:
    return (literal){"uint8_t", TL_U8};
  case TL_U16:
  case TL_F16:
  case TL_BF16:
    return (literal){"uint16_t", TL_U16};
  case TL_U32:
    return (literal){"uint32_t", TL_U32};
  case TL_U64:
    return (literal){"uint64_t", TL_U64};
  case TL_F32:
    return all_finite(data, count, d) ? (literal){"float", TL_F32} : (literal){"uint32_t", TL_U32};
  case TL_F64:
    return all_finite(data, count, d) ? (literal){"double", TL_F64} : (literal){"uint64_t", TL_U64};
  case TL_F80:
  case TL_DTYPE_COUNT:
    break;
  }
  return (literal){"unsigned char", TL_U8};
}

static void print_integer(FILE *out, const unsigned char *p, tl_dtype as, bool bits) {
  size_t size = tl_dtype_size(as);
  uint64_t u = 0;
  for (size_t i = size; i-- > 0;) { /* the least byte first */
    u = u << 8 | p[i];
  }
  if (bits) {
    fprintf(out, "0x%0*llx%s", (int)(2 * size), (unsigned long long)u, size == 8 ? "u" : "");
  } else if (tl_dtype_is_unsigned(as) || as == TL_BOOL) {
    fprintf(out, "%llu%s", (unsigned long long)u, size >= 4 ? "u" : "");
  } else {
    int64_t v = (int64_t)(u << (64 - 8 * size)) >> (64 - 8 * size);
    bool least = v == INT64_MIN || v == INT32_MIN; /* no literal has that number */
    fprintf(out, least ? "%lld - 1" : "%lld", (long long)(least ? v + 1 : v));
  }
}

static void print_element(FILE *out, const unsigned char *p, tl_dtype as, bool bits) {
  float f;
  double x;
  if (as == TL_F32) {
    memcpy(&f, p, sizeof f);
    fprintf(out, "%af", (double)f);
  } else if (as == TL_F64) {
    memcpy(&x, p, sizeof x);
    fprintf(out, "%a", x);
  } else {
    print_integer(out, p, as, bits);
  }
}

static size_t count_of(const tl_spec *s) {
  size_t count = 1;
  for (int i = 0; i < s->shape.rank; i++) {
    count *= (size_t)s->shape.dim[i];
  }
  return count;
}

static tl_status print_constant(const tl_func *f, const tl_graph_param *p, uint32_t i, FILE *out) {
  size_t count = count_of(&p->spec), size = tl_dtype_size(p->spec.dtype);
  if (!count) {
    return TL_OK;
  }
  unsigned char *data = tl__alloc_try(count * size);
  tl_status status = data ? tl_read(p->constant, data, count * size) : TL_OUT_OF_MEMORY;
  if (status == TL_OK) {
    literal l = literal_of(p->spec.dtype, data, count);
    bool bits = l.as != p->spec.dtype;
    fprintf(out, "%sstatic const %s %s_data_%u[%zu] = {", bits ? "/* by their bits */\n" : "", l.type, f->name, i,
            count);
    for (size_t k = 0; k < count; k++) {
      fputs(!k ? "" : k % 6 ? ", " : ",\n  ", out);
      print_element(out, data + k * size, l.as, bits);
    }
    fputs("};\n\n", out);
  }
  tl__free(data);
  return status;
}

/* ---- the function by the graph's name ---- */

static void print_shape(const tl_shape *s, bool literal, FILE *out) {
  fprintf(out, literal ? "TL_SHAPE(" : "{%d, {", s->rank);
  for (int i = 0; i < s->rank; i++) {
    int64_t e = s->dim[i];
    fputs(i ? ", " : "", out);
    if (!tl__extent_is_symbol(e)) {
      fprintf(out, "%lld", (long long)e);
    } else if (!tl__extent_is_bounded(e)) {
      fprintf(out, "TL_SYM(%lld)", (long long)tl__extent_symbol(e));
    } else {
      fprintf(out, "TL_BOUNDED(%lld, %lld)", (long long)tl__extent_symbol(e), (long long)tl__extent_bound(e));
    }
  }
  fputs(literal ? ")" : s->rank ? "}}" : "0}}", out);
}

static void print_specs(const tl_graph *g, const tl_func *f, FILE *out) {
  fprintf(out, "static const tl_spec %s_inputs[] = {", f->name);
  const char *before = "\n";
  for (uint32_t i = 0; i < g->params.count; i++) {
    const tl_graph_param *p = &g->params.data[i];
    if (p->kind == TL_GRAPH_INPUT) {
      fprintf(out, "%s  {%s, ", before, tl_dtype_symbol(p->spec.dtype));
      print_shape(&p->spec.shape, false, out);
      fprintf(out, ", \"%s\"}", f->cparams.data[i].name);
      before = ",\n";
    }
  }
  fputs("\n};\n\n", out);
}

/* An axis of an input that has the extent. */
static void print_extent(const tl_graph *g, int64_t extent, FILE *out) {
  size_t input = 0;
  for (uint32_t i = 0; i < g->params.count; i++) {
    const tl_graph_param *p = &g->params.data[i];
    for (int k = 0; p->kind == TL_GRAPH_INPUT && k < p->spec.shape.rank; k++) {
      if (p->spec.shape.dim[k] == extent) {
        fprintf(out, "tl_shape_of(in[%zu]).dim[%d]", input, k);
        return;
      }
    }
    input += p->kind == TL_GRAPH_INPUT;
  }
}

static void print_argument(const tl_graph *g, const tl_func *f, uint32_t i, size_t input, FILE *out) {
  const tl_graph_param *p = &g->params.data[i];
  switch (p->kind) {
  case TL_GRAPH_INPUT:
    fprintf(out, "in[%zu]", input);
    return;
  case TL_GRAPH_CONSTANT:
    fprintf(out, count_of(&p->spec) ? "tl_from(%s, " : "tl_fill(%s, ", tl_dtype_symbol(p->spec.dtype));
    if (p->spec.shape.rank) {
      print_shape(&p->spec.shape, true, out);
    } else {
      fputs("TL_SCALAR", out);
    }
    if (count_of(&p->spec)) {
      fprintf(out, ", %s_data_%u)", f->name, i);
    } else {
      fputs(", 0)", out);
    }
    return;
  case TL_GRAPH_MASK:
  case TL_GRAPH_LENGTH:
    fputs(p->kind == TL_GRAPH_MASK ? "tl_valid_mask(" : "tl_valid_length(", out);
    print_extent(g, p->extent, out);
    fputs(")", out);
    return;
  }
}

static void print_check(const tl_graph *g, const tl_func *f, FILE *out) {
  uint32_t outputs = f->results.count;
  fprintf(out, "  tl_tensor failed;\n  if (!tl_inputs_fit(\"%s\", %u, %s_inputs, in, &failed)) {\n", f->name,
          g->input_count, f->name);
  if (outputs > 1) {
    fprintf(out, "    for (int i = 0; i < %u; i++) {\n      out[i] = failed;\n    }\n    return;\n  }\n", outputs);
  } else {
    fputs("    out[0] = failed;\n    return;\n  }\n", out);
  }
}

static void print_entry(const tl_graph *g, const tl_func *f, FILE *out) {
  uint32_t outputs = f->results.count;
  if (g->input_count) {
    print_specs(g, f, out);
  }
  fprintf(out, "void %s(void *ctx, const tl_tensor in[], tl_tensor out[]);\n", f->name);
  fprintf(out, "void %s(void *ctx, const tl_tensor in[], tl_tensor out[]) {\n  (void)ctx;\n", f->name);
  fputs(!g->input_count ? "  (void)in;\n" : "", out);
  fputs(!outputs ? "  (void)out;\n" : "", out);
  if (g->input_count && outputs) {
    print_check(g, f, out);
  }
  if (outputs) {
    fputs("  tl_scope scope = tl_scope_open();\n", out);
    fprintf(out, outputs == 1 ? "  tl_tensor result = %s_body(" : "  struct %s_result result = %s_body(", f->name,
            f->name);
    size_t input = 0;
    for (uint32_t i = 0; i < g->params.count; i++) {
      fputs(i ? ",\n      " : "", out);
      print_argument(g, f, i, input, out);
      input += g->params.data[i].kind == TL_GRAPH_INPUT;
    }
    fputs(");\n", out);
    for (uint32_t i = 0; i < outputs; i++) {
      fprintf(out,
              outputs == 1 ? "  out[%u] = tl_scope_keep(scope, result);\n"
                           : "  out[%u] = tl_scope_keep(scope, result.r%u);\n",
              i, i);
    }
    fputs("  tl_scope_close(scope);\n", out);
  }
  fputs("}\n", out);
}

/* ---- the file ---- */

/* A copy to work on, as graphs are shared: with the same parameters under names that C can have. */
static tl_func *named_copy(tl_module *m, const tl_graph *g) {
  tl_func *f = tl__graph_copy_func(m, g->func, g->func->name);
  tl_graph_param *params = TL_NEW_ARRAY(m->arena, tl_graph_param, g->params.count + 1);
  for (uint32_t i = 0; i < g->params.count; i++) {
    params[i] = g->params.data[i];
    const char *name = params[i].spec.name;
    if (!is_name(name) || is_ours(name) || is_library(name) || !strcmp(name, f->name)) {
      name = tl_arena_printf(m->arena, "input_%u", i);
      for (uint32_t k = 0; k < g->params.count; k++) {
        if (!strcmp(name, k < i ? params[k].spec.name : g->params.data[k].spec.name)) {
          name = tl_arena_printf(m->arena, "%s_", name);
          k = UINT32_MAX; /* from the first again */
        }
      }
    }
    params[i].spec.name = name;
  }
  tl__graph_sign(f, g->params.count, params);
  return f;
}

static tl_status print_into(const tl_graph *g, tl_module *m, FILE *out, FILE *body) {
  tl_func *f = named_copy(m, g);
  tl_emit_needs needs = {.tensor = true};
  const char *name = f->name;
  if (f->results.count) {
    f->name = tl_arena_printf(m->arena, "%s_body", name);
    tl_emit_c_function(f, &(tl_emit_opts){.is_static = true}, &needs, body);
    f->name = name;
  }
  fprintf(out, "/* %s: a program of tensors. */\n", name);
  tl_emit_c_helpers(&needs, out);
  fputs("#include <tlaloc/capture.h>\n\n", out);
  tl_status status = TL_OK;
  for (uint32_t i = 0; i < g->params.count && status == TL_OK; i++) {
    status = g->params.data[i].kind == TL_GRAPH_CONSTANT ? print_constant(f, &g->params.data[i], i, out) : TL_OK;
  }
  if (f->results.count > 1) {
    fprintf(out, "struct %s_result {\n  tl_tensor r0", name);
    for (uint32_t i = 1; i < f->results.count; i++) {
      fprintf(out, ", r%u", i);
    }
    fputs(";\n};\n\n", out);
  }
  return status == TL_OK ? status : tl__graph_fail(status, "source: a constant cannot be read");
}

typedef struct text {
  char *data;
  size_t length;
  FILE *file;
} text;

typedef struct work {
  const tl_graph *graph;
  FILE *out;
  text *body;
} work;

static tl_status print_head_and_body(void *ctx) {
  const work *w = ctx;
  tl_arena arena;
  tl_arena_init(&arena);
  tl_diag diag;
  tl_diag_init(&diag, &arena);
  tl_module *m = tl_module_create(&arena, &diag);
  tl_status status = print_into(w->graph, m, w->out, w->body->file);
  if (status == TL_OK) {
    fflush(w->body->file);
    fwrite(w->body->data, 1, w->body->length, w->out);
    fputs("\n", w->out);
    print_entry(w->graph, m->funcs.data[0], w->out);
  }
  tl_arena_deinit(&arena);
  return status;
}

tl_status tl_graph_source(const tl_graph *g, FILE *out) {
  const char *name = g->func->name;
  if (!is_name(name) || *name == '_' || is_ours(name) || is_library(name)) {
    return tl__graph_fail(TL_NAME_CLASH, "source: '%s' cannot be the name of a function of a C program", name);
  }
  text body = {.data = NULL};
  body.file = open_memstream(&body.data, &body.length);
  if (!body.file) {
    return tl__graph_fail(TL_OUT_OF_MEMORY, "an allocation failed");
  }
  tl_status status = tl__graph_guard(print_head_and_body, &(work){g, out, &body});
  bool complete = fclose(body.file) == 0;
  free(body.data);
  if (status == TL_OK && !complete) {
    return tl__graph_fail(TL_OUT_OF_MEMORY, "an allocation failed");
  }
  return status == TL_OK && ferror(out) ? tl__graph_fail(TL_FILE_UNWRITABLE, "source: the file cannot be written")
                                        : status;
}
