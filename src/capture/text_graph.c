/* The text of a graph: its parameters, each on a line, then the function. docs/capture.md has the form. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/dtype.h"
#include "capture/graph.h"
#include "ir/lex.h"

/* ---- printing ---- */

static void print_extent(int64_t e, FILE *out) {
  if (!tl__extent_is_symbol(e)) {
    fprintf(out, "%lld", (long long)e);
  } else if (!tl__extent_is_bounded(e)) {
    fprintf(out, "sym %lld", (long long)tl__extent_symbol(e));
  } else {
    fprintf(out, "sym %lld to %lld", (long long)tl__extent_symbol(e), (long long)tl__extent_bound(e));
  }
}

static void print_type(const tl_spec *s, FILE *out) {
  fprintf(out, " %s<", tl_dtype_name(s->dtype));
  for (int i = 0; i < s->shape.rank; i++) {
    fputs(i ? ", " : "", out);
    print_extent(s->shape.dim[i], out);
  }
  fputs(">", out);
}

/* The elements' bytes as they lie in memory, the least first, in hexadecimal. */
static tl_status print_elements(tl_tensor x, FILE *out) {
  size_t bytes = tl_dtype_size(tl_dtype_of(x));
  tl_shape shape = tl_shape_of(x);
  for (int i = 0; i < shape.rank; i++) {
    bytes *= (size_t)shape.dim[i];
  }
  unsigned char *data = tl__alloc_try(bytes);
  if (!data) {
    return TL_OUT_OF_MEMORY;
  }
  tl_status status = tl_read(x, data, bytes);
  fputs(" \"", out);
  for (size_t i = 0; i < bytes && status == TL_OK; i++) {
    fprintf(out, "%02x", data[i]);
  }
  fputs("\"", out);
  tl__free(data);
  return status;
}

typedef struct printing {
  const tl_graph *graph;
  FILE *out;
} printing;

static tl_status print(void *ctx) {
  const tl_graph *g = ((const printing *)ctx)->graph;
  FILE *out = ((const printing *)ctx)->out;
  fputs("graph\n", out);
  for (uint32_t i = 0; i < g->params.count; i++) {
    const tl_graph_param *p = &g->params.data[i];
    tl_status status = TL_OK;
    switch (p->kind) {
    case TL_GRAPH_INPUT:
      fputs("input", out);
      print_type(&p->spec, out);
      break;
    case TL_GRAPH_CONSTANT:
      fputs("constant", out);
      print_type(&p->spec, out);
      status = print_elements(p->constant, out);
      break;
    case TL_GRAPH_MASK:
    case TL_GRAPH_LENGTH:
      fputs(p->kind == TL_GRAPH_MASK ? "mask " : "length ", out);
      print_extent(p->extent, out);
      break;
    }
    fputs("\n", out);
    if (status != TL_OK) {
      return tl__graph_fail(status, "print: a constant cannot be read");
    }
  }
  tl_func_print(g->func, out);
  return ferror(out) ? tl__graph_fail(TL_FILE_UNWRITABLE, "print: the file cannot be written") : TL_OK;
}

tl_status tl_graph_print(const tl_graph *g, FILE *out) { return tl__graph_guard(print, &(printing){g, out}); }

/* ---- parsing ---- */

typedef struct parser {
  tl_graph *graph;
  tl_arena arena;
  tl_diag diag;
  tl_lexer lex;
  TL_VEC(tl_graph_param) params;
  TL_VEC(tl_token) places;
  tl_func *func;
} parser;

#define FAIL(p, ...) tl__lexer_fail(&(p)->lex, __VA_ARGS__)

static int64_t parse_extent(parser *p) {
  if (!tl__lexer_accept_word(&p->lex, "sym")) {
    int64_t e = tl__lexer_integer(&p->lex, false);
    if (e < 0) {
      FAIL(p, "an extent is not negative");
    }
    return e;
  }
  uint32_t k = tl__lexer_count(&p->lex);
  int64_t most = tl__lexer_accept_word(&p->lex, "to") ? tl__lexer_integer(&p->lex, false) : 0;
  if (k >= 67108864 || most < 0 || most > (int64_t)1 << 36) {
    FAIL(p, "no such extent");
    return 0;
  }
  return most ? TL_BOUNDED(k, most) : TL_SYM(k);
}

static tl_dtype parse_dtype(parser *p) {
  for (int d = 0; d < TL_DTYPE_COUNT; d++) {
    if (d != TL_F80 && tl__lexer_accept_word(&p->lex, tl_dtype_name((tl_dtype)d))) {
      return (tl_dtype)d;
    }
  }
  FAIL(p, "a dtype of tensors is expected here");
  return TL_F32;
}

static void parse_type(parser *p, tl_spec *s) {
  s->dtype = parse_dtype(p);
  tl__lexer_expect_punct(&p->lex, '<');
  while (!p->lex.failed && !tl__lexer_at_punct(&p->lex, '>')) {
    if (s->shape.rank) {
      tl__lexer_expect_punct(&p->lex, ',');
    }
    if (s->shape.rank == TL_MAX_RANK) {
      FAIL(p, "a tensor has at most %d axes", TL_MAX_RANK);
      return;
    }
    s->shape.dim[s->shape.rank++] = parse_extent(p);
  }
  tl__lexer_expect_punct(&p->lex, '>');
}

static int digit(char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; }

/* Elements, which the graph retains from here on: a parameter for it is there already. */
static void parse_elements(parser *p, const tl_spec *s, tl_tensor *out) {
  tl_token place = p->lex.token;
  const char *text = place.kind == TL_TOKEN_STRING ? tl__lexer_string(&p->lex) : NULL;
  if (!text || p->lex.failed) {
    FAIL(p, "a string with the bytes of the elements is expected here");
    return;
  }
  uint64_t bytes = tl_dtype_size(s->dtype);
  bool fits = true;
  for (int i = 0; i < s->shape.rank; i++) {
    fits = fits && s->shape.dim[i] >= 0 && !__builtin_mul_overflow(bytes, (uint64_t)s->shape.dim[i], &bytes);
  }
  size_t length = strlen(text);
  if (!fits || bytes > length || length != 2 * bytes) {
    p->lex.token = place;
    FAIL(p, "the elements take another number of bytes");
    return;
  }
  unsigned char *data = tl_arena_alloc(&p->arena, bytes + 1);
  for (size_t i = 0; i < bytes; i++) {
    int high = digit(text[2 * i]), low = digit(text[2 * i + 1]);
    if (high < 0 || low < 0) {
      p->lex.token = place;
      FAIL(p, "byte %zu is not two hexadecimal digits", i);
      return;
    }
    data[i] = (unsigned char)(high * 16 + low);
  }
  tl_scope scope = tl_scope_open();
  tl_tensor x = tl_from(s->dtype, s->shape, data);
  *out = tl_status_of(x) == TL_OK ? tl_retain(x) : NULL;
  tl_scope_close(scope);
  if (!*out) {
    tl__recovery_raise();
  }
}

static bool parse_param(parser *p) {
  tl_graph_param param = {.kind = TL_GRAPH_INPUT};
  tl_token place = p->lex.token;
  if (tl__lexer_accept_word(&p->lex, "input")) {
    parse_type(p, &param.spec);
  } else if (tl__lexer_accept_word(&p->lex, "constant")) {
    param.kind = TL_GRAPH_CONSTANT;
    parse_type(p, &param.spec);
  } else if (tl__lexer_at_word(&p->lex, "mask") || tl__lexer_at_word(&p->lex, "length")) {
    bool mask = tl__lexer_accept_word(&p->lex, "mask");
    if (!mask) {
      tl__lexer_expect_word(&p->lex, "length");
    }
    param.kind = mask ? TL_GRAPH_MASK : TL_GRAPH_LENGTH;
    param.extent = parse_extent(p);
    param.spec = (tl_spec){.dtype = mask ? TL_BOOL : TL_I64, .shape = {mask, {param.extent}}};
    if (!p->lex.failed && !tl__extent_is_bounded(param.extent)) {
      p->lex.token = place;
      FAIL(p, "only an extent with a bound has a mask or a length");
    }
  } else {
    return false;
  }
  TL_PUSH(&p->arena, p->places, place);
  TL_PUSH(&p->graph->arena, p->graph->params, param);
  if (param.kind == TL_GRAPH_CONSTANT && !p->lex.failed) {
    parse_elements(p, &param.spec, &p->graph->params.data[p->graph->params.count - 1].constant);
  }
  return !p->lex.failed;
}

/* ---- what a graph's function may be ---- */

static void refuse(parser *p, tl_loc loc, const char *text) {
  if (!p->diag.errors) {
    loc.file = loc.file ? loc.file : p->lex.file;
    loc.line = loc.line ? loc.line : 1;
    loc.column = loc.column ? loc.column : 1;
    tl_diag_error(&p->diag, TL_IR_INVALID, loc, "%s", text);
  }
}

static void check_ops(parser *p, const tl_region *r) {
  for (uint32_t i = 0; i < r->ops.count; i++) {
    const tl_op *o = r->ops.data[i];
    if (o->code == TL_OP_call || o->code == TL_OP_extern) {
      refuse(p, o->loc, "a graph has no calls");
    }
    if (o->code == TL_OP_alloc && (o->u.flags & TL_ALLOC_TABLE)) {
      refuse(p, o->loc, "a graph has no tables of C");
    }
    for (uint32_t k = 0; k < o->region_count; k++) {
      check_ops(p, o->regions[k]);
    }
  }
}

/* The parameter and axis that an extent is read from; NULL where it is another value. */
static const tl_op *read_from(const tl_func *f, tl_extent e) {
  const tl_op *def = e.value ? tl_def(f, e.value) : NULL;
  bool is_dim =
      def && def->code == TL_OP_dim && !tl_def(f, def->operands[0]) && tl_info(f, def->operands[0])->region == f->body;
  return is_dim ? def : NULL;
}

/* Without lines for the parameters: all are inputs, and extents that the function does not know are symbols. */
static void infer_params(parser *p) {
  const tl_func *f = p->func;
  int64_t next = 0;
  for (uint32_t i = 0; i < f->body->params.count; i++) {
    tl_type type = tl_type_of(f, f->body->params.data[i]);
    tl_graph_param param = {.spec = {.dtype = type.dtype, .shape.rank = type.rank}};
    for (int k = 0; k < type.rank; k++) {
      const tl_op *from = read_from(f, type.extents[k]);
      uint32_t other = from ? tl_info(f, from->operands[0])->index : 0;
      bool is_known = from && (other < i || (other == i && from->u.integer < k));
      param.spec.shape.dim[k] = is_known && other < i ? p->graph->params.data[other].spec.shape.dim[from->u.integer]
                                : is_known            ? param.spec.shape.dim[from->u.integer]
                                : !type.extents[k].value && type.extents[k].fixed >= 0 ? type.extents[k].fixed
                                                                                       : TL_SYM(next++);
    }
    TL_PUSH(&p->graph->arena, p->graph->params, param);
    TL_PUSH(&p->arena, p->places, (tl_token){.line = f->loc.line, .column = f->loc.column});
  }
}

static void check_param(parser *p, uint32_t i) {
  const tl_func *f = p->func;
  const tl_graph_param *param = &p->graph->params.data[i];
  tl_loc loc = {.file = p->lex.file, .line = p->places.data[i].line, .column = p->places.data[i].column};
  tl_type type = tl_type_of(f, f->body->params.data[i]);
  if (!type.is_tensor || type.dtype != param->spec.dtype || type.rank != param->spec.shape.rank) {
    refuse(p, loc, "the function's parameter is no tensor of this dtype and rank");
    return;
  }
  for (int k = 0; k < type.rank; k++) {
    tl_extent e = type.extents[k];
    int64_t want = param->spec.shape.dim[k];
    const tl_op *from = read_from(f, e);
    bool fits =
        from ? p->graph->params.data[tl_info(f, from->operands[0])->index].spec.shape.dim[from->u.integer] == want
             : !e.value && (e.fixed == -1 || e.fixed == want);
    if (!fits) {
      refuse(p, loc, "the function's parameter has another extent");
    }
  }
}

static void check_func(parser *p, bool has_lines) {
  const tl_func *f = p->func;
  for (uint32_t i = 0; i < f->body->params.count; i++) {
    if (!tl_type_of(f, f->body->params.data[i]).is_tensor) {
      refuse(p, f->loc, "a graph's function takes tensors alone");
      return;
    }
  }
  for (uint32_t i = 0; i < f->body->yields.count; i++) {
    if (!tl_type_of(f, f->body->yields.data[i]).is_tensor) {
      refuse(p, f->loc, "a graph's function gives tensors alone");
      return;
    }
  }
  check_ops(p, f->body);
  if (!has_lines) {
    infer_params(p);
  }
  if (p->graph->params.count != f->body->params.count) {
    refuse(p, f->loc, "the graph has another number of parameters than its function");
    return;
  }
  for (uint32_t i = 0; i < f->body->params.count; i++) {
    check_param(p, i);
    const char *name = tl_info(f, f->body->params.data[i])->name;
    p->graph->params.data[i].spec.name =
        tl_arena_strdup(&p->graph->arena, f->cparams.count == f->body->params.count ? f->cparams.data[i].name
                                          : name                                    ? name
                                                 : tl_arena_printf(&p->arena, "x%u", i));
  }
}

/* ---- the file ---- */

typedef struct source {
  const char *path;
  char *text;
  size_t length;
} source;

static tl_status parse_source(parser *p, const source *s) {
  tl_lexer *lex = &p->lex;
  tl_module *m = tl_module_create(&p->arena, &p->diag);
  tl__lexer_init(lex, &p->arena, &p->diag, tl_arena_strdup(&p->arena, s->path), s->text, s->length);
  tl__lexer_next(lex);
  bool has_lines = tl__lexer_accept_word(lex, "graph");
  while (has_lines && parse_param(p)) {
  }
  if (lex->failed || !tl__lexer_at_word(lex, "func")) {
    FAIL(p, has_lines ? "a parameter or 'func' is expected here" : "'graph' or 'func' is expected here");
    return tl__graph_fail_by(&p->diag);
  }
  /* The function's parser gets the text without the lines before it, but for their ends: places stay. */
  size_t start = (size_t)(lex->token.text - s->text);
  for (size_t i = 0; i < start; i++) {
    s->text[i] = s->text[i] == '\n' ? '\n' : ' ';
  }
  if (tl_module_parse(m, s->path, s->text, s->length) != TL_OK || tl_module_verify(m) != TL_OK) {
    return tl__graph_fail_by(&p->diag);
  }
  p->func = m->funcs.data[0];
  if (m->funcs.count > 1) {
    refuse(p, m->funcs.data[1]->loc, "a graph is one function");
  } else {
    check_func(p, has_lines);
  }
  if (p->diag.errors) {
    return tl__graph_fail_by(&p->diag);
  }
  tl_graph *g = p->graph;
  g->module = tl_module_create(&g->arena, &g->diag);
  g->func = tl__graph_copy_func(g->module, p->func, p->func->name);
  tl__graph_sign(g->func, g->params.count, g->params.data);
  return tl__graph_finish(g);
}

static tl_status parse(void *ctx, tl_graph *g) {
  parser p = {.graph = g};
  tl_arena_init(&p.arena);
  tl_diag_init(&p.diag, &p.arena);
  tl_status status = parse_source(&p, ctx);
  tl_arena_deinit(&p.arena);
  return status;
}

static tl_status read_file(const char *path, source *out) {
  *out = (source){.path = path};
  FILE *f = fopen(path, "rb");
  size_t room = 0;
  bool ok = f;
  for (bool more = ok; more && ok;) {
    if (out->length == room) {
      room = room ? 2 * room : 65536;
      char *text = tl__realloc_try(out->text, room);
      if (!text) {
        fclose(f);
        return tl__graph_fail(TL_OUT_OF_MEMORY, "an allocation failed");
      }
      out->text = text;
    }
    size_t got = fread(out->text + out->length, 1, room - out->length, f);
    out->length += got;
    more = got > 0;
    ok = !ferror(f);
  }
  tl_status status = ok ? TL_OK : tl__graph_fail(TL_FILE_UNREADABLE, "%s: %s", path, strerror(errno));
  if (f) {
    fclose(f);
  }
  return status;
}

tl_status tl_graph_parse(const char *path, tl_graph **out_graph) {
  source s;
  *out_graph = NULL;
  tl_status status = read_file(path, &s);
  if (status == TL_OK) {
    status = tl__graph_make(parse, &s, out_graph);
  }
  tl__free(s.text);
  return status;
}
