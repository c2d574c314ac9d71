/* Functions on tensors: reverse mode against central differences and forward mode, batches against a loop; with
 * branches, loops whose trip counts the data decide, saved tensors, and both transforms of each other. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/diag_print.h"
#include "interp/interp.h"
#include "transform/tensor_batch.h"
#include "transform/derive.h"

enum { MOST_PARAMS = 8, MOST_ELEMENTS = 4096 };

/* Every floating parameter is batched where its letter is 'b', and shared where it is 's'; 'i' is an integer one that
 * is shared, 'j' one that is batched. */
typedef struct sample {
  const char *name, *text, *kinds;
  const char *shapes[MOST_PARAMS]; /* of an example: "3,4"; "" for a number or rank 0 */
  double low, high;                /* of the elements */
} sample;

static const sample samples[] = {
    {"classifier",
     "func @f(%x: f64<%n, 4>, %w: f64<4, 5>, %b: f64<5>, %v: f64<5, 3>) -> (return) {\n"
     "  %n: i64 = dim %x axis 0\n"
     "  %h: f64<%n, 5> = matmul %x, %w\n"
     "  %bb: f64<%n, 5> = broadcast %b, %n\n"
     "  %hb: f64<%n, 5> = add %h, %bb\n"
     "  %a: f64<%n, 5> = tanh %hb\n"
     "  %z: f64<%n, 3> = matmul %a, %v\n"
     "  %p: f64<%n, 3> = softmax %z with axis 1\n"
     "  %m: f64<%n> = max %p with axes (1), keep 0\n"
     "  %e: f64<%n> = exp %m\n"
     "  %s: f64<> = sum %e with axes all, keep 0\n"
     "  yield %s\n}",
     "bsss",
     {"6,4", "4,5", "5", "5,3"},
     -1,
     1},
    {"vectors",
     "func @f(%x: f64<3>, %w: f64<3, 3>, %y: f64<3>) -> (return) {\n"
     "  %a: f64<3> = matmul %w, %x\n"
     "  %b: f64<3> = matmul %y, %w\n"
     "  %c: f64<> = matmul %a, %b\n"
     "  %d: f64 = item %c\n"
     "  %e: f64<3> = mul %a, %d\n"
     "  %g: f64<3, 1> = reshape %e\n"
     "  %h: f64<1, 3> = transpose %g with order (1, 0)\n"
     "  %k: f64<2, 3> = broadcast %h\n"
     "  %l: f64<2, 3> = sin %k\n"
     "  %s: f64<> = sum %l with axes (0, -1), keep 0\n"
     "  yield %s\n}",
     "bbb",
     {"3", "3,3", "3"},
     -1,
     1},
    {"rows",
     "func @f(%x: f64<4, 3>, %i: i64<2>, %u: f64<2, 3>) -> (return) {\n"
     "  %r: f64<2, 3> = gather %x, %i with axis 0, mode clip, batch 0\n"
     "  %p: f64<2, 3> = mul %r, %u\n"
     "  %y: f64<4, 3> = scatter_add %x, %i, %p with axis 0, mode drop, batch 0\n"
     "  %t: f64<3, 4> = transpose %y with order all\n"
     "  %g: f64<3, 2> = gather %t, %i with axis 1, mode drop, batch 0\n"
     "  %q: f64<3, 2> = mul %g, %g\n"
     "  %s: f64<> = sum %q with axes all, keep 0\n"
     "  yield %s\n}",
     "bjb",
     {"4,3", "2", "2,3"},
     -1,
     1},
    {"power",
     "func @f(%x: f64<3>, %w: f64<3, 3>, %n: i64) -> (return) {\n"
     "  %lo: i64 = const 0\n"
     "  %y: f64<3>, %trips: i64 = loop %lo to %n step 1 carry %x do (%i: i64, %y1: f64<3>) {\n"
     "    %a: f64<3> = matmul %w, %y1\n"
     "    %b: f64<3> = tanh %a\n"
     "    %c: f64<3> = mul %b, %y1\n"
     "    yield %c\n"
     "  }\n"
     "  %s: f64<> = sum %y with axes all, keep 0\n"
     "  yield %s\n}",
     "bsi",
     {"3", "3,3", ""},
     0.2,
     1},
    {"ragged count",
     "func @f(%x: f64<3>, %w: f64<3, 3>, %n: i64) -> (return) {\n"
     "  %lo: i64 = const 0\n"
     "  %y: f64<3>, %trips: i64 = loop %lo to %n step 1 carry %x do (%i: i64, %y1: f64<3>) {\n"
     "    %a: f64<3> = matmul %w, %y1\n"
     "    %b: f64<3> = exp %a\n"
     "    %c: f64<3> = sin %b\n"
     "    yield %c\n"
     "  }\n"
     "  %s: f64<> = sum %y with axes all, keep 0\n"
     "  yield %s\n}",
     "bsj",
     {"3", "3,3", ""},
     0.2,
     1},
    {"newton",
     "func @f(%x: f64<2>, %y: f64) -> (return) {\n"
     "  %lo: i64 = const 0\n"
     "  %one: f64 = const 1\n"
     "  %start: f64<2> = broadcast %one\n"
     "  %z: f64<2>, %trips: i64 = loop %lo step 1 carry %start while (%i: i64, %z0: f64<2>) {\n"
     "    %q0: f64<2> = mul %z0, %z0\n"
     "    %r0: f64<2> = sub %q0, %x\n"
     "    %r1: f64<2> = mul %r0, %r0\n"
     "    %r2: f64<> = sum %r1 with axes all, keep 0\n"
     "    %r3: f64 = item %r2\n"
     "    %e: f64 = const 1e-26\n"
     "    %go: i1 = gt %r3, %e\n"
     "    yield %go\n"
     "  } do (%k: i64, %z1: f64<2>) {\n"
     "    %q: f64<2> = div %x, %z1\n"
     "    %t: f64<2> = add %z1, %q\n"
     "    %half: f64 = const 0.5\n"
     "    %m: f64<2> = mul %t, %half\n"
     "    yield %m\n"
     "  }\n"
     "  %p: f64<2> = mul %z, %y\n"
     "  %s: f64<> = sum %p with axes all, keep 0\n"
     "  yield %s\n}",
     "bb",
     {"2", ""},
     0.5,
     9},
    {"branch",
     "func @f(%x: f64<3>, %w: f64<3>) -> (return) {\n"
     "  %t: f64<> = sum %x with axes all, keep 0\n"
     "  %v: f64 = item %t\n"
     "  %zero: f64 = const 0\n"
     "  %c: i1 = gt %v, %zero\n"
     "  %y: f64<3> = if %c {\n"
     "    %s: f64<> = broadcast %v\n"
     "    %l: f64<> = log %s\n"
     "    %lb: f64<3> = broadcast %l\n"
     "    %m: f64<3> = mul %lb, %w\n"
     "    yield %m\n"
     "  } else {\n"
     "    %n: f64 = neg %v\n"
     "    %q: f64 = sqrt %n\n"
     "    %k: f64<3> = mul %x, %q\n"
     "    yield %k\n"
     "  }\n"
     "  %z: f64<3> = mul %y, %y\n"
     "  %r: f64<> = sum %z with axes all, keep 0\n"
     "  yield %r\n}",
     "bs",
     {"3", "3"},
     -1,
     1},
    {"loop in branch",
     "func @f(%x: f64<2>, %n: i64, %w: f64<2, 2>) -> (return) {\n"
     "  %t: f64<> = max %x with axes all, keep 0\n"
     "  %v: f64 = item %t\n"
     "  %edge: f64 = const 0.4\n"
     "  %c: i1 = lt %v, %edge\n"
     "  %y: f64<2> = if %c {\n"
     "    %lo: i64 = const 0\n"
     "    %y2: f64<2>, %trips: i64 = loop %lo to %n step 1 carry %x do (%i: i64, %y1: f64<2>) {\n"
     "      %a: f64<2> = matmul %y1, %w\n"
     "      %b: f64<2> = cos %a\n"
     "      yield %b\n"
     "    }\n"
     "    yield %y2\n"
     "  } else {\n"
     "    %m: f64<2> = mul %x, %x\n"
     "    yield %m\n"
     "  }\n"
     "  %r: f64<> = sum %y with axes all, keep 0\n"
     "  yield %r\n}",
     "bjs",
     {"2", "", "2,2"},
     -1,
     1},
    {"call",
     "func @inner(%x: f64<2>, %y: f64<2>) -> (return) {\n"
     "  %p: f64<2> = mul %x, %y\n"
     "  %q: f64<2> = exp %p\n"
     "  yield %q\n}\n"
     "func @f(%x: f64<2>, %y: f64<2>) -> (return) {\n"
     "  %a: f64<2> = call @inner(%x, %y)\n"
     "  %b: f64<2> = call @inner(%a, %x)\n"
     "  %r: f64<> = sum %b with axes all, keep 0\n"
     "  yield %r\n}",
     "bs",
     {"2", "2"},
     -1,
     1},
};
enum { SAMPLES = sizeof samples / sizeof *samples };

/* ---- values ---- */

static uint64_t seed = 1;

static double uniform(double low, double high) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return low + (high - low) * (double)(seed >> 11) * 0x1p-53;
}

typedef struct value {
  tl_dtype dtype;
  bool is_scalar;
  tl_shape shape;
  double *at; /* integers too */
} value;

static int64_t count_of(const value *v) {
  int64_t n = 1;
  for (int i = 0; i < v->shape.rank; i++) {
    n *= v->shape.dim[i];
  }
  return n;
}

static value value_create(tl_dtype dtype, tl_shape shape) {
  value v = {.dtype = dtype, .shape = shape};
  v.at = calloc((size_t)count_of(&v) + 1, sizeof *v.at);
  return v;
}

static tl_shape parse_shape(const char *text) {
  tl_shape s = {.rank = 0};
  while (*text) {
    char *end;
    s.dim[s.rank++] = strtol(text, &end, 10);
    text = *end ? end + 1 : end;
  }
  return s;
}

static value example(const sample *s, const tl_func *f, int param) {
  tl_type type = tl_type_of(f, f->body->params.data[param]);
  value v = value_create(type.dtype, parse_shape(s->shapes[param]));
  v.is_scalar = !type.is_tensor;
  for (int64_t i = 0; i < count_of(&v); i++) {
    v.at[i] = tl_dtype_is_float(type.dtype) ? uniform(s->low, s->high) : floor(uniform(0, 4));
  }
  return v;
}

static tl_interp_value given(const value *v) {
  if (v->is_scalar) {
    return tl_dtype_is_float(v->dtype) ? tl_interp_floating(v->dtype, v->at[0])
                                       : tl_interp_integer(v->dtype, (int64_t)v->at[0]);
  }
  return tl_interp_tensor(tl_cast(tl_from(TL_F64, v->shape, v->at), v->dtype));
}

/* The elements of a result: a tensor, a number, or a tensor that an array of rank 0 holds. */
static value taken(tl_interp_value *r) {
  value v = {.dtype = r->dtype};
  if (!r->tensor) {
    v.is_scalar = true;
    v.at = malloc(sizeof *v.at);
    v.at[0] = (double)tl_interp_at(r, 0);
    return v;
  }
  v = value_create(r->dtype, tl_shape_of(r->tensor));
  tl_tensor wide = tl_cast(r->tensor, TL_F64);
  assert_int_equal(tl_read(wide, v.at, (size_t)count_of(&v) * sizeof *v.at), TL_OK);
  return v;
}

typedef struct rig {
  tl_arena arena;
  tl_diag diag;
  tl_module *module;
} rig;

static void show(rig *r, const tl_func *f) {
  tl_diag_print(&r->diag, &(tl_diag_print_opts){.program = "test"}, stderr);
  if (f) {
    tl_func_print(f, stderr);
  }
}

/* Runs f; its results are `out`. Storage for results is made. */
static void run(rig *r, const tl_func *f, int count, const value *args, value *out) {
  tl_scope scope = tl_scope_open();
  tl_interp_value in[2 * MOST_PARAMS], results[2 * MOST_PARAMS];
  int n = 0;
  for (uint32_t i = 0; i < f->body->params.count; i++) {
    tl_type type = tl_type_of(f, f->body->params.data[i]);
    if (type.is_array) {
      in[i] = tl_interp_array(type.dtype, NULL, 0, NULL);
      continue;
    }
    assert_true(n < count);
    in[i] = given(&args[n++]);
  }
  assert_int_equal(n, count);
  tl_interp_opts opts = {.diag = &r->diag, .max_steps = 1000000};
  if (tl_interp_run(f, f->body->params.count, in, &opts, results, NULL) != TL_OK) {
    show(r, f);
    fail_msg("%s does not run", f->name);
  }
  for (uint32_t i = 0; i < f->body->yields.count; i++) {
    out[i] = taken(&results[i]);
    tl_interp_value_deinit(&results[i]);
  }
  tl_scope_close(scope);
}

static void rig_init(rig *r, const sample *s) {
  tl_arena_init(&r->arena);
  tl_diag_init(&r->diag, &r->arena);
  r->module = tl_module_create(&r->arena, &r->diag);
  if (tl_module_parse(r->module, s->name, s->text, strlen(s->text)) != TL_OK || tl_module_verify(r->module) != TL_OK) {
    show(r, NULL);
    fail_msg("%s: no valid text", s->name);
  }
}

static tl_func *derive(rig *r, tl_func *f, tl_intrinsic intrinsic, const char *name) {
  tl_func *made = tl_derive(r->module, f, &(tl_derivation){.intrinsic = intrinsic, .name = name});
  if (!made) {
    show(r, f);
    fail_msg("%s is not derived", name);
  }
  return made;
}

/* Relative to the largest element, or to `floor` where that is more. */
static void compare(rig *r, const tl_func *f, const char *what, const value *got, const value *want, double tolerance,
                    double floor) {
  int64_t n = count_of(want);
  double largest = floor;
  if (got->shape.rank != want->shape.rank ||
      memcmp(got->shape.dim, want->shape.dim, (size_t)want->shape.rank * sizeof *want->shape.dim) != 0) {
    show(r, f);
    fail_msg("%s: another shape", what);
  }
  for (int64_t i = 0; i < n; i++) {
    largest = fmax(largest, fabs(want->at[i]));
  }
  for (int64_t i = 0; i < n; i++) {
    if (!(fabs(got->at[i] - want->at[i]) <= tolerance * largest)) {
      show(r, f);
      fail_msg("%s: element %lld is %.17g, not %.17g (off by %.3g of the largest)", what, (long long)i, got->at[i],
               want->at[i], fabs(got->at[i] - want->at[i]) / largest);
    }
  }
}

static double value_at(rig *r, const tl_func *f, int count, value *args) {
  value out;
  run(r, f, count, args, &out);
  double x = out.at[0];
  free(out.at);
  return x;
}

static bool is_float_param(const tl_func *f, int i) {
  return tl_dtype_is_float(tl_type_of(f, f->body->params.data[i]).dtype);
}

/* Fourth-order central differences of f's one number by every element of every floating parameter. */
static void differences(rig *r, const tl_func *f, int count, value *args, value *out) {
  int n = 0;
  for (int i = 0; i < count; i++) {
    if (!is_float_param(f, i)) {
      continue;
    }
    out[n] = value_create(TL_F64, args[i].shape);
    for (int64_t k = 0; k < count_of(&args[i]); k++) {
      double x = args[i].at[k], h = 2e-4, at[4];
      static const double steps[] = {-2, -1, 1, 2};
      for (int q = 0; q < 4; q++) {
        args[i].at[k] = x + steps[q] * h;
        at[q] = value_at(r, f, count, args);
      }
      args[i].at[k] = x;
      out[n].at[k] = (at[0] - 8 * at[1] + 8 * at[2] - at[3]) / (12 * h);
    }
    n++;
  }
}

static void check_gradient(const sample *s) {
  rig r;
  rig_init(&r, s);
  tl_func *f = tl_module_find(r.module, "f");
  int count = (int)f->body->params.count, n = 0;
  tl_func *g = derive(&r, f, TL_INTRINSIC_VALUE_AND_GRAD, "g"), *h = derive(&r, f, TL_INTRINSIC_VALUE_AND_JVP, "h");
  value args[2 * MOST_PARAMS], want[MOST_PARAMS], got[2 * MOST_PARAMS], tangents[MOST_PARAMS];
  for (int round = 0; round < 3; round++) {
    n = 0;
    for (int i = 0; i < count; i++) {
      args[i] = example(s, f, i);
    }
    differences(&r, f, count, args, want);
    run(&r, g, count, args, got);
    double along = 0;
    for (int i = 0; i < count; i++) {
      if (is_float_param(f, i)) {
        compare(&r, g, s->name, &got[1 + n], &want[n], 1e-8, 1e-2);
        tangents[n] = value_create(TL_F64, args[i].shape);
        tangents[n].is_scalar = args[i].is_scalar;
        for (int64_t k = 0; k < count_of(&args[i]); k++) {
          tangents[n].at[k] = uniform(-1, 1);
          along += tangents[n].at[k] * got[1 + n].at[k];
        }
        args[count + n] = tangents[n];
        n++;
      }
    }
    value pushed[2];
    run(&r, h, count + n, args, pushed);
    compare(&r, h, s->name, &pushed[0], &got[0], 0, 1e-300);
    if (!(fabs(pushed[1].at[0] - along) <= 1e-12 * (1 + fabs(along)))) {
      show(&r, h);
      fail_msg("%s: forward %.17g, reverse %.17g", s->name, pushed[1].at[0], along);
    }
    free(pushed[0].at), free(pushed[1].at), free(got[0].at);
    for (int i = 0; i < count + n; i++) {
      free(args[i].at);
    }
    for (int i = 0; i < n; i++) {
      free(want[i].at), free(got[1 + i].at);
    }
  }
  tl_arena_deinit(&r.arena);
}

static void test_gradients(void **state) {
  (void)state;
  for (int i = 0; i < SAMPLES; i++) {
    check_gradient(&samples[i]);
  }
}

/* ---- batches ---- */

/* f, or a derivative of it, for a batch equals f for each example. */
static void check_batch_of(rig *r, const sample *s, tl_func *f, const tl_func *face, const char *name, const bool *on,
                           int64_t size, double tolerance) {
  bool batched[2 * MOST_PARAMS] = {false};
  int count = (int)face->body->params.count;
  memcpy(batched, on, sizeof *on * (size_t)count);
  tl_func *batch = tl__batch_run(f, name, "batch", batched);
  if (!batch) {
    show(r, f);
    fail_msg("%s is not batched", s->name);
  }
  value whole[MOST_PARAMS], got[2 * MOST_PARAMS], one[MOST_PARAMS], out[2 * MOST_PARAMS];
  for (int i = 0; i < count; i++) {
    one[i] = example(s, face, i);
    whole[i] = one[i];
    if (on[i]) {
      tl_shape shape = {.rank = one[i].shape.rank + 1, .dim = {size}};
      memcpy(shape.dim + 1, one[i].shape.dim, sizeof *shape.dim * (size_t)one[i].shape.rank);
      whole[i] = value_create(one[i].dtype, shape);
      for (int64_t k = 0; k < count_of(&whole[i]); k++) {
        bool is_float = tl_dtype_is_float(one[i].dtype);
        whole[i].at[k] = is_float ? uniform(s->low, s->high) : floor(uniform(0, 4));
      }
    }
  }
  run(r, batch, count, whole, got);
  uint32_t results = f->body->yields.count;
  for (int64_t k = 0; k < size; k++) {
    for (int i = 0; i < count; i++) {
      int64_t n = count_of(&one[i]);
      memcpy(one[i].at, whole[i].at + (on[i] ? k * n : 0), sizeof *one[i].at * (size_t)n);
    }
    run(r, f, count, one, out);
    for (uint32_t i = 0; i < results; i++) {
      value part = {.dtype = got[i].dtype, .shape = {.rank = got[i].shape.rank - 1}};
      memcpy(part.shape.dim, got[i].shape.dim + 1, sizeof *part.shape.dim * (size_t)part.shape.rank);
      part.at = got[i].at + k * count_of(&part);
      compare(r, batch, s->name, &part, &out[i], tolerance, 1e-300);
      free(out[i].at);
    }
  }
  for (uint32_t i = 0; i < results; i++) {
    free(got[i].at);
  }
  for (int i = 0; i < count; i++) {
    if (on[i]) {
      free(whole[i].at);
    }
    free(one[i].at);
  }
}

static void check_batches(const sample *s) {
  static const int64_t sizes[] = {1, 7, 64};
  rig r;
  rig_init(&r, s);
  tl_func *f = tl_module_find(r.module, "f");
  int count = (int)strlen(s->kinds);
  tl_func *g = derive(&r, f, TL_INTRINSIC_VALUE_AND_GRAD, "g");
  for (int choice = 1; choice < 1 << count; choice++) {
    bool on[MOST_PARAMS] = {false}, any = false;
    for (int i = 0; i < count; i++) {
      on[i] = choice >> i & 1 && s->kinds[i] != 'i';
      any = any || on[i];
    }
    for (int k = 0; k < 3 && any; k++) {
      check_batch_of(&r, s, f, f, "b", on, sizes[k], 1e-13);
      check_batch_of(&r, s, g, f, "c", on, sizes[k], 1e-11);
    }
  }
  tl_arena_deinit(&r.arena);
}

/* The vjp of f for a batch, from ones, against the gradients of f for each example: those by shared parameters are
 * summed. */
static void check_vjp_of_batch(const sample *s, int choice) {
  enum { SIZE = 5 };
  rig r;
  rig_init(&r, s);
  tl_func *f = tl_module_find(r.module, "f");
  int count = (int)strlen(s->kinds), n = 0;
  bool on[MOST_PARAMS] = {false}, any = false;
  for (int i = 0; i < count; i++) {
    on[i] = choice >> i & 1 && s->kinds[i] != 'i';
    any = any || (on[i] && is_float_param(f, i));
  }
  if (!any) {
    tl_arena_deinit(&r.arena);
    return;
  }
  tl_func *g = derive(&r, f, TL_INTRINSIC_GRAD, "g"), *batch = tl__batch_run(f, "b", NULL, on);
  assert_non_null(batch);
  tl_func *v = derive(&r, batch, TL_INTRINSIC_VJP, "v");
  value args[MOST_PARAMS + 1], one[MOST_PARAMS], got[2 * MOST_PARAMS], each[MOST_PARAMS], sums[MOST_PARAMS];
  for (int i = 0; i < count; i++) {
    one[i] = example(s, f, i);
    tl_shape shape = one[i].shape;
    if (on[i]) {
      shape = (tl_shape){.rank = one[i].shape.rank + 1, .dim = {SIZE}};
      memcpy(shape.dim + 1, one[i].shape.dim, sizeof *shape.dim * (size_t)one[i].shape.rank);
    }
    args[i] = value_create(one[i].dtype, shape);
    args[i].is_scalar = one[i].is_scalar && !on[i];
    for (int64_t k = 0; k < count_of(&args[i]); k++) {
      args[i].at[k] = tl_dtype_is_float(one[i].dtype) ? uniform(s->low, s->high) : floor(uniform(0, 4));
    }
    if (is_float_param(f, i)) {
      sums[n++] = value_create(TL_F64, shape);
    }
  }
  args[count] = value_create(TL_F64, (tl_shape){.rank = 1, .dim = {SIZE}});
  for (int k = 0; k < SIZE; k++) {
    args[count].at[k] = 1;
  }
  run(&r, v, count + 1, args, got);
  for (int k = 0; k < SIZE; k++) {
    for (int i = 0; i < count; i++) {
      int64_t m = count_of(&one[i]);
      memcpy(one[i].at, args[i].at + (on[i] ? k * m : 0), sizeof *one[i].at * (size_t)m);
    }
    run(&r, g, count, one, each);
    for (int i = 0, at = 0; i < count; i++) {
      if (is_float_param(f, i)) {
        int64_t m = count_of(&one[i]);
        for (int64_t e = 0; e < m; e++) {
          sums[at].at[(on[i] ? k * m : 0) + e] += each[at].at[e];
        }
        free(each[at++].at);
      }
    }
  }
  for (int i = 0; i < n; i++) {
    compare(&r, v, s->name, &got[1 + i], &sums[i], 1e-11, 1e-300);
    free(got[1 + i].at), free(sums[i].at);
  }
  free(got[0].at);
  for (int i = 0; i <= count; i++) {
    free(args[i].at);
    if (i < count) {
      free(one[i].at);
    }
  }
  tl_arena_deinit(&r.arena);
}

static void test_vjps_of_batches(void **state) {
  (void)state;
  for (int i = 0; i < SAMPLES; i++) {
    for (int choice = 1; choice < 1 << strlen(samples[i].kinds); choice++) {
      check_vjp_of_batch(&samples[i], choice);
    }
  }
}

static void test_batches(void **state) {
  (void)state;
  for (int i = 0; i < SAMPLES; i++) {
    check_batches(&samples[i]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_gradients), cmocka_unit_test(test_batches),
                                     cmocka_unit_test(test_vjps_of_batches)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
