#include "rig.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

typedef struct text {
  tl_arena *arena;
  char *data;
  size_t count, room;
} text;

static void put(text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(text *t, const char *format, ...) {
  va_list args;
  va_start(args, format);
  char *s = tl_arena_vprintf(t->arena, format, args);
  va_end(args);
  size_t n = strlen(s);
  if (t->count + n + 1 > t->room) {
    size_t room = 2 * (t->count + n + 1);
    t->data = tl_arena_grow(t->arena, t->data, t->count, room);
    t->room = room;
  }
  memcpy(t->data + t->count, s, n + 1);
  t->count += n;
}

uint64_t rig_random(uint64_t *seed) {
  *seed += 0x9e3779b97f4a7c15u;
  uint64_t z = *seed;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

void rig_init(rig *r, tl_arena *arena) { *r = (rig){.arena = arena}; }

static const char *c_type(tl_dtype d) {
  switch (d) {
#define C_TYPE(id, name, size, c)                                                                                      \
  case id:                                                                                                             \
    return c;
    TL_DTYPE_MAP(C_TYPE)
#undef C_TYPE
  case TL_DTYPE_COUNT:
    break;
  }
  abort();
}

static long double random_float(uint64_t *seed, tl_dtype d) {
  long double v = (long double)(int64_t)(rig_random(seed) % 4001 - 2000) / 512;
  return d == TL_F32 ? (float)v : v;
}

static bool is_extent(const tl_func *f, tl_value v) {
  for (uint32_t i = 0; i < f->params.count; i++) {
    tl_type t = tl_type_of(f, f->params.data[i].value);
    for (int k = 0; k < t.rank; k++) {
      if (t.extents[k].value == v) {
        return true;
      }
    }
  }
  return false;
}

/* What the printed line of one number is; zeros and NaNs have no signs. */
static void put_number(text *t, tl_dtype d, long double x, int64_t k) {
  if (!tl_dtype_is_float(d)) {
    put(t, "%lld\n", (long long)k);
  } else if (isnan(x)) {
    put(t, "nan\n");
  } else {
    put(t, "%La\n", x == 0 ? 0 : x);
  }
}

static int64_t integer_at(const tl_interp_value *v, int64_t i) {
  if (!v->is_array) {
    return v->scalar.integer;
  }
  switch (v->dtype) {
  case TL_BOOL:
    return ((_Bool *)v->data)[i];
  case TL_I8:
    return ((int8_t *)v->data)[i];
  case TL_I16:
    return ((int16_t *)v->data)[i];
  case TL_I32:
    return ((int32_t *)v->data)[i];
  case TL_U8:
    return ((uint8_t *)v->data)[i];
  case TL_U16:
    return ((uint16_t *)v->data)[i];
  case TL_U32:
    return ((uint32_t *)v->data)[i];
  case TL_I64:
  case TL_U64:
  case TL_F32:
  case TL_F64:
  case TL_F80:
  case TL_F16:
  case TL_BF16:
  case TL_F8E4M3FN:
  case TL_DTYPE_COUNT:
    return ((int64_t *)v->data)[i];
  }
  abort();
}

static void put_constant(text *t, tl_dtype d, long double x, int64_t k) {
  if (tl_dtype_is_float(d)) {
    put(t, "%La%s", x, d == TL_F32 ? "f" : d == TL_F80 ? "L" : "");
  } else {
    put(t, "%lld", (long long)k);
  }
}

bool rig_add(rig *r, tl_func *f, uint64_t seed, const char *name) {
  uint32_t n = f->params.count;
  tl_interp_value *args = TL_NEW_ARRAY(r->arena, tl_interp_value, n + 1);
  for (uint32_t i = 0; i < n; i++) { /* scalars first: extents */
    tl_value v = f->params.data[i].value;
    tl_type t = tl_type_of(f, v);
    if (t.is_array) {
      continue;
    }
    int64_t k = is_extent(f, v) ? (int64_t)(rig_random(&seed) % 6) : (int64_t)(rig_random(&seed) % 9) - 4;
    if (tl_dtype_is_unsigned(t.dtype)) {
      k = k < 0 ? -k : k;
    }
    args[i] = tl_dtype_is_float(t.dtype) ? tl_interp_floating(t.dtype, random_float(&seed, t.dtype))
                                         : tl_interp_integer(t.dtype, t.dtype == TL_BOOL ? k & 1 : k);
  }
  text call = {.arena = r->arena}, expected = {.arena = r->arena};
  put(&call, "%s", "");
  put(&expected, "%s", "");
  for (uint32_t i = 0; i < n; i++) {
    tl_type t = tl_type_of(f, f->params.data[i].value);
    if (!t.is_array) {
      continue;
    }
    int64_t extents[TL_MAX_RANK] = {0}, count = 1;
    for (int k = 0; k < t.rank; k++) {
      extents[k] = t.extents[k].fixed;
      if (t.extents[k].value != TL_NO_VALUE) {
        for (uint32_t j = 0; j < n; j++) {
          if (f->params.data[j].value == t.extents[k].value) {
            extents[k] = args[j].scalar.integer;
          }
        }
      }
      count *= extents[k];
    }
    long double *numbers = TL_NEW_ARRAY(r->arena, long double, count + 1);
    void *data = tl_arena_alloc(r->arena, (size_t)(count + 1) * tl_dtype_size(t.dtype));
    put(&call, "  %s a%u[%lld] = {", c_type(t.dtype), i, (long long)(count > 0 ? count : 1));
    for (int64_t k = 0; k < count; k++) {
      numbers[k] = tl_dtype_is_float(t.dtype) ? random_float(&seed, t.dtype) : (long double)(rig_random(&seed) % 3);
      switch (t.dtype) {
      case TL_F32:
        ((float *)data)[k] = (float)numbers[k];
        break;
      case TL_F64:
        ((double *)data)[k] = (double)numbers[k];
        break;
      case TL_I32:
        ((int32_t *)data)[k] = (int32_t)numbers[k];
        break;
      case TL_I64:
      case TL_U64:
        ((int64_t *)data)[k] = (int64_t)numbers[k];
        break;
      case TL_BOOL:
      case TL_I8:
      case TL_I16:
      case TL_U8:
      case TL_U16:
      case TL_U32:
      case TL_F80:
      case TL_F16:
      case TL_BF16:
      case TL_F8E4M3FN:
      case TL_DTYPE_COUNT:
        abort();
      }
      put(&call, "%s", k ? ", " : "");
      put_constant(&call, t.dtype, numbers[k], (int64_t)numbers[k]);
    }
    put(&call, count > 0 ? "};\n" : "0};\n");
    args[i] = tl_interp_array(t.dtype, data, t.rank, extents);
  }
  tl_interp_value *results = TL_NEW_ARRAY(r->arena, tl_interp_value, f->results.count + 1);
  tl_interp_opts opts = {.max_steps = 200000};
  if (tl_interp_run(f, n, args, &opts, results, NULL) != TL_OK) {
    return false;
  }
  put(&call, "  ");
  if (strcmp(f->return_declarator, "void")) {
    put(&call, "%s r = ", f->return_declarator);
  }
  put(&call, "%s(", f->name);
  for (uint32_t i = 0; i < n; i++) {
    tl_type t = tl_type_of(f, f->params.data[i].value);
    put(&call, "%s", i ? ", " : "");
    if (t.is_array) {
      put(&call, "%s", t.rank > 1 ? "(void *)" : "");
      put(&call, "a%u", i);
    } else {
      put_constant(&call, t.dtype, tl_dtype_is_float(t.dtype) ? tl_interp_at(&args[i], 0) : 0,
                   tl_dtype_is_float(t.dtype) ? 0 : args[i].scalar.integer);
    }
  }
  put(&call, ");\n");
  for (uint32_t i = 0; i < f->results.count; i++) {
    const tl_result *result = &f->results.data[i];
    int64_t count = tl_interp_count(&results[i]);
    tl_dtype d = results[i].dtype;
    for (int64_t k = 0; k < count; k++) {
      put(&call, tl_dtype_is_float(d) ? "  show((long double)" : "  show_integer((long)");
      if (result->role == TL_RESULT_FINAL) {
        put(&call, "a%u[%lld]", result->param, (long long)k);
      } else {
        put(&call, "r%s", result->access + 1);
      }
      put(&call, ");\n");
      put_number(&expected, d, tl_dtype_is_float(d) ? tl_interp_at(&results[i], k) : 0,
                 tl_dtype_is_float(d) ? 0 : integer_at(&results[i], k));
    }
    tl_interp_value_deinit(&results[i]);
  }
  bool known = false;
  for (uint32_t i = 0; i < r->funcs.count; i++) {
    known = known || r->funcs.data[i] == f;
  }
  if (!known) {
    TL_PUSH(r->arena, r->funcs, f);
  }
  TL_PUSH(r->arena, r->calls, call.data);
  TL_PUSH(r->arena, r->names, tl_arena_strdup(r->arena, name));
  TL_PUSH(r->arena, r->expected, expected.data);
  return true;
}

static void write_struct(FILE *out, const tl_func *f) {
  if (strncmp(f->return_declarator, "struct ", 7)) {
    return;
  }
  fprintf(out, "%s {", f->return_declarator);
  for (uint32_t i = 0; i < f->results.count; i++) {
    if (f->results.data[i].role == TL_RESULT_RETURN) {
      fprintf(out, " %s %s;", c_type(tl_type_of(f, f->body->yields.data[i]).dtype), f->results.data[i].access + 2);
    }
  }
  fprintf(out, " };\n");
}

/* Every allocation can be made to fail: then all results are NaN, nothing is left allocated, and one call says so. What
 * tl_tape_reserve takes is given back at once and always fails here: nothing depends on it. */
static const char prelude[] =
    "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\n"
    "static long allocations, live, fail_at, failures, numbers;\n"
    "static int failing(void) { return ++allocations == fail_at; }\n"
    "void *test_malloc(size_t n, const char *caller) {\n  if (!strcmp(caller, \"tl_tape_reserve\")) {\n    return "
    "NULL;\n  }\n"
    "  void *p = failing() ? NULL : malloc(n);\n  live += p != NULL;\n  return p;\n}\n"
    "void *test_calloc(size_t n, size_t m) {\n  void *p = failing() ? NULL : calloc(n, m);\n  live += p != NULL;\n  "
    "return p;\n}\n"
    "void *test_realloc(void *old, size_t n) {\n  if (failing()) {\n    return NULL;\n  }\n"
    "  live += old == NULL;\n  return realloc(old, n);\n}\n"
    "void test_free(void *p) {\n  live -= p != NULL;\n  free(p);\n}\n"
    "void tl_tape_failed(const char *function, size_t bytes) {\n  failures += function != NULL && bytes > 0;\n}\n"
    "void show(long double x) {\n  if (fail_at) {\n    numbers += x == x;\n  } else if (x != x) {\n    "
    "puts(\"nan\");\n  } else {\n"
    "    printf(\"%La\\n\", x == 0 ? 0.0L : x);\n  }\n}\n"
    "void show_integer(long x) {\n  if (!fail_at) {\n    printf(\"%ld\\n\", x);\n  }\n}\n"
    "static void try(void (*call)(void)) {\n  allocations = fail_at = 0;\n  call();\n  if (live) {\n    "
    "puts(\"leak\");\n  }\n"
    "  for (long k = 1, n = allocations; k <= n && k < 9; k++) {\n    allocations = failures = numbers = 0;\n    "
    "fail_at = k;\n    call();\n"
    "    if (failures != 1 || numbers || live) {\n      printf(\"failed allocation %ld of %ld: %ld calls, %ld numbers, "
    "%ld left\\n\", k, n, failures, numbers, live);\n"
    "    }\n    live = 0;\n  }\n}\n"
    "#define malloc(n) test_malloc(n, __func__)\n#define calloc test_calloc\n#define realloc test_realloc\n#define "
    "free test_free\n\n";

unsigned rig_run(rig *r, const char *directory, const char *command) {
  const char *source = tl_arena_printf(r->arena, "%s/unit.c", directory);
  const char *program = tl_arena_printf(r->arena, "%s/unit", directory);
  FILE *out = fopen(source, "w");
  if (!out) {
    return r->calls.count;
  }
  char *functions = NULL;
  size_t size;
  FILE *body = open_memstream(&functions, &size);
  tl_emit_needs needs = {0};
  for (uint32_t i = 0; i < r->funcs.count; i++) {
    write_struct(body, r->funcs.data[i]);
    tl_emit_opts opts = {.is_static = true};
    tl_emit_c_function(r->funcs.data[i], &opts, &needs, body);
    fputc('\n', body);
  }
  fclose(body);
  fputs(prelude, out);
  tl_emit_c_helpers(&needs, out);
  fwrite(functions, 1, size, out);
  free(functions);
  for (uint32_t i = 0; i < r->calls.count; i++) {
    fprintf(out, "static void call_%u(void) {\n%s}\n\n", i, r->calls.data[i]);
  }
  fputs("int main(void) {\n  setvbuf(stdout, NULL, _IOLBF, 0);\n", out);
  for (uint32_t i = 0; i < r->calls.count; i++) {
    fprintf(out, "  puts(\"case %u\");\n  try(call_%u);\n", i, i);
  }
  fputs("  puts(\"end\");\n  return 0;\n}\n", out);
  fclose(out);
  if (system(tl_arena_printf(r->arena, command, source, program))) {
    fprintf(stderr, "%s does not compile\n", source);
    return r->calls.count;
  }
  FILE *in = popen(tl_arena_printf(r->arena, "timeout 20 %s", program), "r");
  char line[256];
  unsigned failed = 0;
  bool some = fgets(line, sizeof line, in) != NULL; /* the first "case" */
  for (uint32_t i = 0; i < r->calls.count; i++) {
    text got = {.arena = r->arena};
    put(&got, "%s", "");
    while (some && fgets(line, sizeof line, in) && strncmp(line, "case ", 5) && strcmp(line, "end\n")) {
      put(&got, "%s", line);
    }
    if (strcmp(got.data, r->expected.data[i])) {
      if (!failed) {
        FILE *ir = fopen(tl_arena_printf(r->arena, "%s/failed.tlir", directory), "w");
        for (uint32_t k = 0; ir && k < r->funcs.count; k++) {
          if (!strcmp(r->funcs.data[k]->name, r->names.data[i])) {
            tl_func_print(r->funcs.data[k], ir);
          }
        }
        fclose(ir);
        fprintf(stderr, "%s (call_%u): the interpreter gives\n%sthe program\n%s", r->names.data[i], i,
                r->expected.data[i], got.data);
      }
      failed++;
    }
  }
  pclose(in);
  return failed;
}
