#include "differential.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "interp/interp.h"

enum { MAX_LEAVES = 64, MAX_TRIALS = 24 };

typedef struct tl_case_args {
  tl_interp_value values[MAX_LEAVES];
  void *buffers[MAX_LEAVES]; /* what C gets; the interpreter has its own copy */
  long extents[MAX_LEAVES][TL_MAX_RANK];
} tl_case_args;

static uint64_t state;

static uint64_t next_random(void) {
  state += 0x9e3779b97f4a7c15U;
  uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

static double random_double(void) { return (double)(int64_t)(next_random() >> 11) / 9007199254740992.0 * 4 - 2; }

/* ---- a wrapper per function ---- */

static void put_access(FILE *out, const char *access, const char *name, uint32_t leaf) {
  int axis = 0;
  for (const char *s = access; *s; s++) {
    if (*s == '$') {
      fputs(name, out);
    } else if (*s == '#') {
      fprintf(out, "i%u_%d", leaf, axis++);
    } else {
      fputc(*s, out);
    }
  }
}

static const char *ctype_name(tl_dtype d) {
  static const char *const names[] = {
#define TL_C(id, name, size, c) c,
      TL_DTYPE_MAP(TL_C)
#undef TL_C
  };
  return names[d];
}

/* obj.leaf[...] = buffer[...], or back. */
static void put_copy(FILE *out, const tl_func *f, uint32_t leaf, const char *name, bool back) {
  const tl_param *p = &f->params.data[leaf];
  tl_type t = tl_type_of(f, p->value);
  fputs("  { long k = 0;", out);
  for (int a = 0; a < t.rank; a++) {
    fprintf(out, " for (long i%u_%d = 0; i%u_%d < e[%u][%d]; i%u_%d++)", leaf, a, leaf, a, leaf, a, leaf, a);
  }
  fputs(" { ", out);
  if (back) {
    fprintf(out, "((%s *)a[%u])[k++] = ", ctype_name(t.dtype), leaf);
    put_access(out, p->access, name, leaf);
  } else {
    put_access(out, p->access, name, leaf);
    fprintf(out, " = ((%s *)a[%u])[k++]", ctype_name(t.dtype), leaf);
  }
  fputs("; } }\n", out);
}

static bool has_pointer_member(const tl_record *r, const char *name, size_t length) {
  for (uint32_t i = 0; i < r->fields.count; i++) {
    const tl_field *field = &r->fields.data[i];
    bool named = field->name && strlen(field->name) == length && !strncmp(field->name, name, length);
    if ((named && field->type->kind == TL_CT_POINTER) ||
        (field->type->kind == TL_CT_RECORD && has_pointer_member(field->type->record, name, length))) {
      return true;
    }
  }
  return false;
}

/* By the last name of its access; no struct of the cases has two members of one name, one of them a pointer. */
static bool is_pointer_member(const tl_function *f, const tl_param *p) {
  const tl_ctype *t = f->params.data[p->cparam]->type;
  t = t->kind == TL_CT_POINTER ? t->target : t;
  if (t->kind != TL_CT_RECORD) {
    return false;
  }
  const char *name = p->access;
  for (const char *s; (s = strpbrk(name, ".>")) != NULL;) {
    name = s + 1;
  }
  return has_pointer_member(t->record, name, strcspn(name, "[)"));
}

static const char *member_name(const char *access, char *out) {
  const char *s = strpbrk(access, ".>");
  s = s ? s + 1 : access;
  size_t n = strcspn(s, "[)");
  memcpy(out, s, n);
  out[n] = 0;
  return out;
}

static void put_wrapper(FILE *out, const tl_func *f, const tl_function *ast) {
  bool returns = ast->type->target->kind != TL_CT_VOID;
  bool returns_struct = ast->type->target->kind == TL_CT_RECORD;
  fprintf(out, "void wrap_%s(void **a, long (*e)[%d]) {\n  (void)a; (void)e;\n", f->name, TL_MAX_RANK);
  for (uint32_t c = 0; c < f->cparams.count; c++) {
    const tl_cparam *cp = &f->cparams.data[c];
    if (!cp->is_struct) {
      continue;
    }
    char declaration[256] = {0}, name[24];
    size_t n = strcspn(cp->bare, "[");
    snprintf(name, sizeof name, "%s%u", cp->by_value ? "p" : "*p", c);
    size_t used = 0;
    for (size_t k = 0; k < n; k++) {
      if (cp->bare[k] == '@') {
        used += (size_t)snprintf(declaration + used, sizeof declaration - used, "%s", name);
      } else if (cp->bare[k] != '*') {
        declaration[used++] = cp->bare[k];
      }
    }
    fprintf(out, "  %s", declaration);
    if (!cp->by_value) {
      fprintf(out, " = __builtin_calloc(64, sizeof *p%u)", c);
    }
    fputs(";\n", out);
    snprintf(name, sizeof name, "p%u", c);
    for (uint32_t i = 0; i < f->params.count; i++) {
      const tl_param *p = &f->params.data[i];
      if (p->cparam == c && is_pointer_member(ast, p)) {
        char member[64];
        fprintf(out, "  p%u%s%s = a[%u];\n", c, cp->by_value ? "." : "->", member_name(p->access, member), i);
      } else if (p->cparam == c) {
        put_copy(out, f, i, name, false);
      }
    }
  }
  fputs("  ", out);
  if (returns) {
    fprintf(out, "%s *r = a[%u]; *r = ", ast->return_declarator, f->params.count);
  }
  fprintf(out, "%s(", f->name);
  for (uint32_t c = 0; c < f->cparams.count; c++) {
    const tl_cparam *cp = &f->cparams.data[c];
    uint32_t leaf = 0;
    while (leaf < f->params.count && f->params.data[leaf].cparam != c) {
      leaf++;
    }
    fputs(c ? ", " : "", out);
    if (cp->is_struct) {
      fprintf(out, "p%u", c);
    } else if (leaf == f->params.count) {
      fputs("0", out);
    } else if (cp->by_value) {
      fprintf(out, "*(%s *)a[%u]", ctype_name(tl_type_of(f, f->params.data[leaf].value).dtype), leaf);
    } else {
      fprintf(out, "a[%u]", leaf);
    }
  }
  fputs(");\n", out);
  for (uint32_t i = 0; i < f->params.count; i++) {
    const tl_param *p = &f->params.data[i];
    const tl_cparam *cp = &f->cparams.data[p->cparam];
    char name[24];
    snprintf(name, sizeof name, "p%u", p->cparam);
    if (cp->is_struct && !cp->by_value && !is_pointer_member(ast, p)) {
      put_copy(out, f, i, name, true);
    }
  }
  if (returns_struct) {
    uint32_t k = 0;
    fputs("  void **b = (void **)a + 64;\n", out);
    for (uint32_t i = 0; i < f->results.count; i++) {
      if (f->results.data[i].role == TL_RESULT_RETURN) {
        tl_type t = tl_type_of(f, f->body->yields.data[i]);
        fprintf(out, "  { long k = 0; ");
        for (int a = 0; a < t.rank; a++) {
          fprintf(out, "for (long i%u_%d = 0; i%u_%d < %ld; i%u_%d++) ", i, a, i, a, (long)t.extents[a].fixed, i, a);
        }
        fprintf(out, "((%s *)b[%u])[k++] = ", ctype_name(t.dtype), k++);
        put_access(out, f->results.data[i].access, "(*r)", i);
        fputs("; }\n", out);
      }
    }
  }
  for (uint32_t c = 0; c < f->cparams.count; c++) {
    if (f->cparams.data[c].is_struct && !f->cparams.data[c].by_value) {
      fprintf(out, "  __builtin_free(p%u);\n", c);
    }
  }
  fputs("}\n", out);
}

/* ---- arguments ---- */

/* An extent's value from the arguments. */
static long evaluate(const tl_func *f, const tl_case_args *args, tl_value v) {
  int64_t c;
  if (tl_is_const_int(f, v, &c)) {
    return (long)c;
  }
  const tl_op *op = tl_def(f, v);
  if (!op) {
    return (long)args->values[tl_info(f, v)->index].scalar.integer;
  }
  if (op->code == TL_OP_index) {
    uint32_t leaf = tl_info(f, op->operands[0])->index;
    return (long)tl_interp_at(&args->values[leaf], 0);
  }
  tl_dtype dtypes[3];
  tl_interp_scalar operands[3], result = {0};
  for (uint32_t i = 0; i < op->operand_count; i++) {
    dtypes[i] = tl_type_of(f, op->operands[i]).dtype;
    operands[i].integer = evaluate(f, args, op->operands[i]);
  }
  tl_interp_elementwise(op->code, dtypes, tl_type_of(f, v).dtype, operands, false, &result);
  return (long)result.integer;
}

static void set_element(tl_dtype d, void *data, long i, long integer) {
  double x = random_double();
  switch (d) {
  case TL_F32:
    ((float *)data)[i] = (float)x;
    break;
  case TL_F64:
    ((double *)data)[i] = x;
    break;
  case TL_F80:
    ((long double *)data)[i] = (long double)x;
    break;
  case TL_BOOL:
    ((bool *)data)[i] = integer & 1;
    break;
  case TL_I8:
  case TL_U8:
    ((int8_t *)data)[i] = (int8_t)integer;
    break;
  case TL_I16:
  case TL_U16:
    ((int16_t *)data)[i] = (int16_t)integer;
    break;
  case TL_I32:
  case TL_U32:
    ((int32_t *)data)[i] = (int32_t)integer;
    break;
  case TL_I64:
  case TL_U64:
    ((int64_t *)data)[i] = integer;
    break;
  case TL_F16:
  case TL_BF16:
  case TL_F8E4M3FN:
  case TL_DTYPE_COUNT:
    break;
  }
}

/* Sizes are called n, m, l: 1 to 6. Other integers are -3 to 8, positive where unsigned. */
static long random_integer(const tl_func *f, uint32_t leaf) {
  const tl_param *p = &f->params.data[leaf];
  const char *name = tl_info(f, p->value)->name;
  const char *last = name ? strrchr(name, '_') : NULL;
  name = last ? last + 1 : name;
  if (name && strchr("nml", name[0]) && !name[1]) {
    return 1 + (long)(next_random() % 6);
  }
  if (tl_dtype_is_unsigned(tl_type_of(f, p->value).dtype)) {
    return (long)(next_random() % 9);
  }
  return (long)(next_random() % 12) - 3;
}

static void make_args(const tl_func *f, tl_case_args *args) {
  memset(args, 0, sizeof *args);
  for (int pass = 0; pass < 2; pass++) { /* cells and scalars first: extents depend on them */
    for (uint32_t i = 0; i < f->params.count; i++) {
      tl_type t = tl_type_of(f, f->params.data[i].value);
      if ((t.rank > 0) != (pass == 1)) {
        continue;
      }
      long count = 1;
      int64_t extents[TL_MAX_RANK];
      for (int a = 0; a < t.rank; a++) {
        tl_extent e = t.extents[a];
        args->extents[i][a] = e.value != TL_NO_VALUE ? evaluate(f, args, e.value) : e.fixed < 0 ? 40 : (long)e.fixed;
        extents[a] = args->extents[i][a];
        count *= args->extents[i][a];
      }
      size_t bytes = tl_dtype_size(t.dtype) * (size_t)count;
      args->buffers[i] = calloc(bytes + 64, 1);
      void *copy = calloc(bytes + 64, 1);
      for (long k = 0; k < count; k++) {
        set_element(t.dtype, copy, k, random_integer(f, i));
      }
      memcpy(args->buffers[i], copy, bytes);
      if (t.is_array) {
        args->values[i] = tl_interp_array(t.dtype, copy, t.rank, extents);
      } else {
        args->values[i] = (tl_interp_value){.dtype = t.dtype};
        tl_interp_scalar s = {0};
        switch (t.dtype) {
        case TL_F32:
          s.f32 = *(float *)copy;
          break;
        case TL_F64:
          s.f64 = *(double *)copy;
          break;
        case TL_F80:
          s.f80 = *(long double *)copy;
          break;
        case TL_BOOL:
        case TL_U8:
          s.integer = *(uint8_t *)copy;
          break;
        case TL_I8:
          s.integer = *(int8_t *)copy;
          break;
        case TL_I16:
          s.integer = *(int16_t *)copy;
          break;
        case TL_U16:
          s.integer = *(uint16_t *)copy;
          break;
        case TL_I32:
          s.integer = *(int32_t *)copy;
          break;
        case TL_U32:
          s.integer = *(uint32_t *)copy;
          break;
        case TL_I64:
        case TL_U64:
          s.integer = *(int64_t *)copy;
          break;
        case TL_F16:
        case TL_BF16:
        case TL_F8E4M3FN:
        case TL_DTYPE_COUNT:
          break;
        }
        args->values[i].scalar = s;
        free(copy);
      }
    }
  }
}

static void free_args(const tl_func *f, tl_case_args *args) {
  for (uint32_t i = 0; i < f->params.count; i++) {
    free(args->buffers[i]);
    free(args->values[i].is_array ? args->values[i].data : NULL);
  }
}

static long double element_at(tl_dtype d, const void *data, long i) {
  tl_interp_value v = tl_interp_array(d, (void *)data, 1, (int64_t[]){i + 1});
  return tl_interp_at(&v, i);
}

static bool same_number(long double a, long double b) {
  return (a != a && b != b) || (a == b && __builtin_signbitl(a) == __builtin_signbitl(b));
}

/* ---- running ---- */

static bool run_trial(const tl_func *f, const tl_function *ast, void (*wrapper)(void **, long (*)[TL_MAX_RANK]),
                      int trial) {
  static tl_case_args args;
  make_args(f, &args);
  void *pointers[128] = {0};
  long double returned[256] = {0};
  static long double parts[32][64];
  memcpy(pointers, args.buffers, sizeof *pointers * f->params.count);
  pointers[f->params.count] = returned;
  for (int i = 0; i < 32; i++) {
    pointers[64 + i] = parts[i];
  }
  tl_interp_value results[MAX_LEAVES];
  memset(results, 0, sizeof results);
  tl_arena arena;
  tl_diag diag;
  tl_arena_init(&arena);
  tl_diag_init(&diag, &arena);
  tl_interp_opts opts = {.max_steps = 2000000, .diag = &diag};
  bool ok = tl_interp_run(f, f->params.count, args.values, &opts, results, NULL) == TL_OK;
  if (!ok) {
    fprintf(stderr, "%s, trial %d: %s\n", f->name, trial,
            diag.items.count ? diag.items.data[0].message : "does not run");
    tl_arena_deinit(&arena);
    free_args(f, &args);
    return false;
  }
  wrapper(pointers, args.extents);
  bool returns_struct = ast->type->target->kind == TL_CT_RECORD;
  uint32_t part = 0;
  for (uint32_t r = 0; r < f->results.count && ok; r++) {
    const void *c = f->results.data[r].role == TL_RESULT_FINAL ? args.buffers[f->results.data[r].param]
                    : returns_struct                           ? (void *)parts[part++]
                                                               : (void *)returned;
    for (long i = 0; i < (long)tl_interp_count(&results[r]) && ok; i++) {
      long double mine = tl_interp_at(&results[r], i), its = element_at(results[r].dtype, c, i);
      if (!same_number(mine, its)) {
        fprintf(stderr, "%s, trial %d: result %u element %ld is %.21Lg, C says %.21Lg\n", f->name, trial, r, i, mine,
                its);
        ok = false;
      }
    }
  }
  for (uint32_t r = 0; r < f->results.count; r++) {
    tl_interp_value_deinit(&results[r]);
  }
  /* what is no result must be as it was */
  for (uint32_t i = 0; i < f->params.count && ok; i++) {
    bool final = false;
    for (uint32_t r = 0; r < f->results.count; r++) {
      final = final || (f->results.data[r].role == TL_RESULT_FINAL && f->results.data[r].param == i);
    }
    for (long k = 0; !final && args.values[i].is_array && k < (long)tl_interp_count(&args.values[i]) && ok; k++) {
      if (!same_number(tl_interp_at(&args.values[i], k), element_at(args.values[i].dtype, args.buffers[i], k))) {
        fprintf(stderr, "%s, trial %d: C writes %s, the lowering does not\n", f->name, trial, f->params.data[i].access);
        ok = false;
      }
    }
  }
  tl_arena_deinit(&arena);
  free_args(f, &args);
  return ok;
}

static void print_diag(const tl_diag *diag) {
  for (uint32_t i = 0; i < diag->items.count; i++) {
    const tl_diag_item *d = &diag->items.data[i];
    fprintf(stderr, "%s:%u:%u: %s [%s]\n", d->loc.file ? d->loc.file : "?", d->loc.line, d->loc.column, d->message,
            tl_status_name(d->code));
  }
}

void (*tl_differential_prepare)(tl_func *);

int tl_differential_run(const char *path, const char *include, const char *only, tl_differential_counts *counts) {
  tl_arena arena;
  tl_diag diag;
  tl_arena_init(&arena);
  tl_diag_init(&diag, &arena);
  char *whole = realpath(path, NULL);
  path = whole ? tl_arena_strdup(&arena, whole) : path;
  free(whole);
  const char *args[] = {tl_arena_printf(&arena, "-I%s", include)};
  tl_parse_opts opts = {.file = path, .args = args, .arg_count = 1};
  tl_parse_result parsed;
  int failures = 0;
  if (tl_parse_file(&arena, &diag, &opts, &parsed) != TL_OK) {
    print_diag(&diag);
    tl_arena_deinit(&arena);
    return 1;
  }
  tl_module *m = tl_module_create(&arena, &diag);
  tl_lower_opts lower = {0};
  struct {
    tl_func *f;
    const tl_function *ast;
  } *list = tl_arena_alloc(&arena, sizeof *list * (parsed.unit->functions.count + 1));
  uint32_t count = 0;
  for (uint32_t i = 0; i < parsed.unit->functions.count; i++) {
    const tl_function *f = parsed.unit->functions.data[i];
    bool mine =
        f->body && f->loc.file && !strcmp(f->loc.file, path) && !f->is_static && (!only || !strcmp(only, f->name));
    if (!mine) {
      continue;
    }
    uint32_t seen = diag.items.count;
    tl_func *func = tl_lower_function(m, parsed.unit, f, &lower);
    if (func && tl_differential_prepare && tl_func_verify(func) == TL_OK) {
      tl_differential_prepare(func);
    }
    if (!func || tl_func_verify(func) != TL_OK) {
      fprintf(stderr, "%s: not lowered\n", f->name);
      diag.items.data += seen;
      diag.items.count -= seen;
      print_diag(&diag);
      diag.items.data -= seen;
      diag.items.count += seen;
      failures++;
      continue;
    }
    list[count].f = func;
    list[count++].ast = f;
  }
  char directory[] = "/tmp/tl_lower_XXXXXX";
  if (!mkdtemp(directory)) {
    tl_arena_deinit(&arena);
    return 1;
  }
  const char *source = tl_arena_printf(&arena, "%s/w.c", directory),
             *object = tl_arena_printf(&arena, "%s/w.so", directory);
  FILE *out = fopen(source, "w");
  fprintf(out, "#define TL_DIFFERENTIAL 1\n#include \"%s\"\n", path);
  for (uint32_t i = 0; i < count; i++) {
    put_wrapper(out, list[i].f, list[i].ast);
  }
  fclose(out);
  const char *command = tl_arena_printf(
      &arena, "cc -std=gnu17 -D__TLALOCC__ -O0 -w -ffp-contract=off -fPIC -shared -Wl,-Bsymbolic -I%s -o %s %s -lm",
      include, object, source);
  void *library = system(command) == 0 ? dlopen(object, RTLD_LAZY | RTLD_LOCAL) : NULL;
  if (!library) {
    fprintf(stderr, "%s: the wrappers do not compile or load\n", path);
    failures++;
  }
  for (uint32_t i = 0; library && i < count; i++) {
    void (*wrapper)(void **, long(*)[TL_MAX_RANK]);
    *(void **)&wrapper = dlsym(library, tl_arena_printf(&arena, "wrap_%s", list[i].f->name));
    state = 42;
    bool ok = wrapper != NULL;
    for (int t = 0; t < MAX_TRIALS && ok; t++) {
      ok = run_trial(list[i].f, list[i].ast, wrapper, t);
    }
    failures += !ok;
    counts->functions++;
  }
  if (library) {
    dlclose(library);
  }
  if (!getenv("TL_KEEP")) {
    unlink(source);
  }
  unlink(object);
  rmdir(directory);
  tl_arena_deinit(&arena);
  return failures;
}
