/* The interpreter over control, arrays, calls and externs, and every way in which a run can end. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "interp/interp.h"

typedef struct fixture {
  tl_arena arena;
  tl_diag diag;
  tl_module *module;
  tl_interp_opts opts;
  tl_interp_value out[4];
  tl_interp_fault fault;
} fixture;

static void load(fixture *x, const char *text) {
  *x = (fixture){0};
  tl_arena_init(&x->arena);
  tl_diag_init(&x->diag, &x->arena);
  x->module = tl_module_create(&x->arena, &x->diag);
  tl_status status = tl_module_parse(x->module, "test", text, strlen(text));
  if (status == TL_OK) {
    status = tl_module_verify(x->module);
  }
  if (status != TL_OK) {
    fail_msg("%s", x->diag.items.data[0].message);
  }
  x->opts.diag = &x->diag;
}

static tl_status run(fixture *x, const char *name, uint32_t count, const tl_interp_value *args) {
  tl_func *f = tl_module_find(x->module, name);
  assert_non_null(f);
  return tl_interp_run(f, count, args, &x->opts, x->out, &x->fault);
}

static long double scalar(fixture *x, const char *name, uint32_t count, const tl_interp_value *args) {
  if (run(x, name, count, args) != TL_OK) {
    fail_msg("%s", x->diag.items.data[0].message);
  }
  long double v = tl_interp_at(&x->out[0], 0);
  for (int i = 0; i < 4; i++) {
    tl_interp_value_deinit(&x->out[i]);
  }
  return v;
}

/* The run ends with that fault, one error, and nothing returned. */
static void expect_fault(fixture *x, const char *name, uint32_t count, const tl_interp_value *args,
                         tl_interp_fault fault) {
  uint32_t before = x->diag.errors;
  tl_status want = fault == TL_FAULT_MEMORY ? TL_OUT_OF_MEMORY : TL_IR_INVALID;
  assert_int_equal(run(x, name, count, args), want);
  assert_int_equal(x->fault, fault);
  assert_int_equal(x->diag.errors, before + 1);
  for (int i = 0; i < 4; i++) {
    assert_null(x->out[i].data);
  }
}

static void unload(fixture *x) { tl_arena_deinit(&x->arena); }

static tl_interp_value f64(double v) { return tl_interp_floating(TL_F64, v); }
static tl_interp_value i32(int v) { return tl_interp_integer(TL_I32, v); }
static tl_interp_value u64(uint64_t v) { return tl_interp_integer(TL_U64, (int64_t)v); }
static tl_interp_value doubles(double *data, int64_t n) { return tl_interp_array(TL_F64, data, 1, &n); }

static void loops_count(void **state) {
  (void)state;
  fixture x;
  load(&x, "func @trips(%lo: i32, %hi: i32) -> (return, return \"$.last\") {\n"
           "  %m: i32 = const -1\n"
           "  %last: i32, %n: i64 = loop %lo to %hi step 3 carry %m do (%i: i32, %c: i32) { yield %i }\n"
           "  yield %n, %last\n}\n"
           "func @down(%lo: u8, %hi: u8) -> (return, return \"$.last\") {\n"
           "  %m: u8 = const 7\n"
           "  %last: u8, %n: i64 = loop %lo to %hi step -2 carry %m do (%i: u8, %c: u8) { yield %i }\n"
           "  yield %n, %last\n}\n"
           "func @back(%n: i32) -> (return) {\n"
           "  %z: i32 = const 0\n %ten: i32 = const 10\n"
           "  %r: i32, %t: i64 = loop %z to %n step 1 reversed carry %z do (%i: i32, %c: i32) {\n"
           "    %s: i32 = mul %c, %ten\n    %s2: i32 = add %s, %i\n    yield %s2\n  }\n  yield %r\n}\n"
           "func @newton(%x: f64) -> (return, return \"$.n\") {\n"
           "  %z: i64 = const 0\n  %one: f64 = const 1\n  %eps: f64 = const 1e-14\n  %half: f64 = const 0.5\n"
           "  %r: f64, %n: i64 = loop %z step 1 carry %one while (%i: i64, %g: f64) {\n"
           "    %q: f64 = mul %g, %g\n    %d: f64 = sub %q, %x\n    %a: f64 = fabs %d\n    %go: i1 = gt %a, %eps\n    "
           "yield %go\n"
           "  } do (%k: i64, %h: f64) {\n"
           "    %q2: f64 = div %x, %h\n    %s: f64 = add %q2, %h\n    %h2: f64 = mul %s, %half\n    yield %h2\n  }\n"
           "  yield %r, %n\n}\n");
  static const struct {
    int lo, hi, trips, last;
  } table[] = {{0, 0, 0, -1}, {0, 1, 1, 0}, {0, 3, 1, 0}, {0, 4, 2, 3}, {5, 2, 0, -1}, {-4, 4, 3, 2}};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    tl_interp_value args[] = {i32(table[i].lo), i32(table[i].hi)};
    assert_int_equal(run(&x, "trips", 2, args), TL_OK);
    assert_true(tl_interp_at(&x.out[0], 0) == table[i].trips && tl_interp_at(&x.out[1], 0) == table[i].last);
  }
  tl_interp_value extremes[] = {i32(INT32_MIN), i32(INT32_MAX)};
  x.opts.max_steps = 1000;
  expect_fault(&x, "trips", 2, extremes, TL_FAULT_STEPS);
  x.opts.max_steps = 0;
  tl_interp_value down[] = {tl_interp_integer(TL_U8, 200), tl_interp_integer(TL_U8, 3)};
  assert_int_equal(run(&x, "down", 2, down), TL_OK);
  assert_true(tl_interp_at(&x.out[0], 0) == 99 && tl_interp_at(&x.out[1], 0) == 4);
  tl_interp_value four = i32(4), two = f64(2);
  assert_true(scalar(&x, "back", 1, &four) == 3210);
  assert_int_equal(run(&x, "newton", 1, &two), TL_OK);
  assert_true(fabsl(tl_interp_at(&x.out[0], 0) - sqrtl(2)) < 1e-14L && tl_interp_at(&x.out[1], 0) == 5);
  unload(&x);
}

static const char recursion[] =
    "func @fib(%n: i32) -> (return) {\n"
    "  %two: i32 = const 2\n  %one: i32 = const 1\n  %small: i1 = lt %n, %two\n"
    "  %r: i32 = if %small { yield %n } else {\n"
    "    %a: i32 = sub %n, %one\n    %b: i32 = sub %n, %two\n"
    "    %p: i32 = call @fib(%a)\n    %q: i32 = call @fib(%b)\n    %s: i32 = add %p, %q\n    yield %s\n  }\n"
    "  yield %r\n}\n"
    "func @forever(%n: i32) -> (return) {\n  %r: i32 = call @forever(%n)\n  yield %r\n}\n";

static void calls_recurse(void **state) {
  (void)state;
  fixture x;
  load(&x, recursion);
  tl_interp_value n = i32(20);
  assert_true(scalar(&x, "fib", 1, &n) == 6765);
  expect_fault(&x, "forever", 1, &n, TL_FAULT_DEPTH);
  x.opts.max_depth = 10;
  expect_fault(&x, "fib", 1, &n, TL_FAULT_DEPTH);
  n = i32(8);
  assert_true(scalar(&x, "fib", 1, &n) == 21);
  x.opts.max_steps = 100;
  expect_fault(&x, "fib", 1, &n, TL_FAULT_STEPS);
  unload(&x);
}

static const char arrays[] =
    /* a[i] = i*a[i] in place, then the version before the loop again */
    "func @both(%n: u64, %a: f64[%n]) -> (return, return \"$.b\") {\n"
    "  %z: u64 = const 0\n  %one: u64 = const 1\n  %top: u64 = sub %n, %one\n"
    "  %b: f64[%n], %t: i64 = loop %z to %n step 1 carry %a do (%i: u64, %c: f64[%n]) {\n"
    "    %e: f64 = index %c, %i\n    %k: f64 = cvt %i\n    %v: f64 = mul %e, %k\n    %d: f64[%n] = update %c, %i, %v\n"
    "    yield %d\n  }\n"
    "  %x: f64 = index %a, %top\n  %y: f64 = index %b, %top\n  yield %x, %y\n}\n"
    /* cumulative sum in place; only where a condition holds */
    "func @cumulate(%n: u64, inout %a: f64[%n]) -> (final %a) {\n"
    "  %one: u64 = const 1\n  %zero: f64 = const 0\n"
    "  %b: f64[%n], %t: i64 = loop %one to %n step 1 carry %a do (%i: u64, %c: f64[%n]) {\n"
    "    %j: u64 = sub %i, %one\n    %p: f64 = index %c, %j\n    %q: f64 = index %c, %i\n    %up: i1 = gt %q, %zero\n"
    "    %d: f64[%n] = if %up {\n      %s: f64 = add %p, %q\n      %u: f64[%n] = update %c, %i, %s\n      yield %u\n"
    "    } else { yield %c }\n    yield %d\n  }\n  yield %b\n}\n"
    "func @matrix(%m: i32, %n: i32, %a: f64[%m, %n], %i: i32, %j: i32) -> (return) {\n"
    "  %e: f64 = index %a, %i, %j\n  yield %e\n}\n"
    "func @grow(%n: i32) -> (return) {\n"
    "  %z: i32 = const 0\n  %a: f64[4] = alloc grow\n  %s0: f64 = const 0\n"
    "  %b: f64[4], %t: i64 = loop %z to %n step 1 carry %a do (%i: i32, %c: f64[4]) {\n"
    "    %v: f64 = cvt %i\n    %d: f64[4] = update %c, %i, %v\n    yield %d\n  }\n"
    "  %s: f64, %u: i64 = loop %z to %n step 1 reversed carry %s0 do (%k: i32, %r: f64) {\n"
    "    %e: f64 = index %b, %k\n    %w: f64 = add %r, %e\n    yield %w\n  }\n  yield %s\n}\n"
    "func @unwritten(%i: i32, %j: i32) -> (return) {\n"
    "  %a: f64[3] = alloc local\n  %v: f64 = const 5\n  %b: f64[3] = update %a, %i, %v\n  %e: f64 = index %b, %j\n  "
    "yield %e\n}\n"
    "func @partly(%i: i32, out %y: f64[2]) -> (final %y) {\n"
    "  %v: f64 = const 5\n  %b: f64[2] = update %y, %i, %v\n  yield %b\n}\n"
    "func @whole(%n: u64, %v: f64, inout %a: f64[%n]) -> (final %a, return) {\n"
    "  %c: f64[%n] = clone %a\n  %f: f64[%n] = fill %a, %v\n  %s: f64[%n] = accumulate %f, %c\n  %z: u64 = const 0\n"
    "  %e: f64 = index %c, %z\n  yield %s, %e\n}\n"
    "func @room(%n: i64) -> (return) {\n"
    "  %a: f64[%n] = alloc(%n) zeroed\n  %z: i64 = const 0\n  %e: f64 = index %a, %z\n  yield %e\n}\n"
    "func @cell(%v: f64) -> (return) {\n"
    "  %a: f64[] = alloc local\n  %b: f64[] = update %a, %v\n  %e: f64 = index %b\n  yield %e\n}\n";

static void arrays_are_values(void **state) {
  (void)state;
  fixture x;
  load(&x, arrays);
  double data[] = {3, -1, 4, 1};
  tl_interp_value args[] = {u64(4), doubles(data, 4)};
  assert_int_equal(run(&x, "both", 2, args), TL_OK);
  assert_true(tl_interp_at(&x.out[0], 0) == 1 && tl_interp_at(&x.out[1], 0) == 3);
  assert_int_equal(run(&x, "cumulate", 2, args), TL_OK);
  assert_true(tl_interp_count(&x.out[0]) == 4 && x.out[0].is_array);
  static const double sums[] = {3, -1, 3, 4};
  for (int i = 0; i < 4; i++) {
    assert_true(tl_interp_at(&x.out[0], i) == sums[i]);
  }
  tl_interp_value_deinit(&x.out[0]);
  assert_true(data[0] == 3 && data[2] == 4); /* arguments stay */
  tl_interp_value whole[] = {u64(4), f64(10), doubles(data, 4)};
  assert_int_equal(run(&x, "whole", 3, whole), TL_OK);
  assert_true(tl_interp_at(&x.out[0], 1) == 9 && tl_interp_at(&x.out[1], 0) == 3);
  tl_interp_value_deinit(&x.out[0]);
  tl_interp_value n = i32(100), v = f64(2.5);
  assert_true(scalar(&x, "grow", 1, &n) == 4950);
  assert_true(scalar(&x, "cell", 1, &v) == 2.5L);
  unload(&x);
}

static void faults_are_reported(void **state) {
  (void)state;
  fixture x;
  load(&x, arrays);
  double data[6] = {1, 2, 3, 4, 5, 6};
  int64_t shape[] = {2, 3};
  tl_interp_value m[] = {i32(2), i32(3), tl_interp_array(TL_F64, data, 2, shape), i32(1), i32(2)};
  assert_true(scalar(&x, "matrix", 5, m) == 6);
  m[4] = i32(3);
  expect_fault(&x, "matrix", 5, m, TL_FAULT_INDEX);
  assert_non_null(strstr(x.diag.items.data[0].message, "index 3 is outside axis 1 of extent 3"));
  m[4] = i32(-1);
  expect_fault(&x, "matrix", 5, m, TL_FAULT_INDEX);
  m[4] = i32(0);
  m[0] = i32(5);
  expect_fault(&x, "matrix", 5, m, TL_FAULT_ARGUMENT);
  expect_fault(&x, "matrix", 4, m, TL_FAULT_ARGUMENT);
  m[0] = f64(2);
  expect_fault(&x, "matrix", 5, m, TL_FAULT_ARGUMENT);
  tl_interp_value u[] = {i32(1), i32(1)};
  assert_true(scalar(&x, "unwritten", 2, u) == 5);
  u[1] = i32(2);
  expect_fault(&x, "unwritten", 2, u, TL_FAULT_UNWRITTEN);
  int64_t two = 2, minus = -1, huge = INT64_MAX / 4;
  tl_interp_value p[] = {i32(1), tl_interp_array(TL_F64, NULL, 1, &two)};
  expect_fault(&x, "partly", 2, p, TL_FAULT_UNWRITTEN);
  tl_interp_value negative = tl_interp_integer(TL_I64, minus), large = tl_interp_integer(TL_I64, huge);
  expect_fault(&x, "room", 1, &negative, TL_FAULT_EXTENT);
  expect_fault(&x, "room", 1, &large, TL_FAULT_MEMORY);
  unload(&x);
}

static void integers_wrap_and_trap(void **state) {
  (void)state;
  fixture x;
  load(&x, "func @ops(%a: i32, %b: i32) -> (return, return \"$.q\", return \"$.r\", return \"$.s\") {\n"
           "  %s: i32 = mul %a, %b\n  %q: i32 = div %a, %b\n  %r: i32 = rem %a, %b\n  %n: i32 = neg %a\n"
           "  yield %s, %q, %r, %n\n}\n"
           "func @shift(%a: i32, %b: i32) -> (return) {\n  %r: i32 = shl %a, %b\n  yield %r\n}\n"
           "func @small(%a: i16) -> (return) {\n  %b: i8 = cvt %a\n  %c: u32 = cvt %b\n  yield %c\n}\n"
           "func @unsigned(%a: u64, %b: u64) -> (return, return \"$.f\", return \"$.l\") {\n"
           "  %q: u64 = div %a, %b\n  %f: f64 = cvt %a\n  %l: i1 = lt %a, %b\n  yield %q, %f, %l\n}\n"
           "func @floats(%a: f64) -> (return) {\n  %b: u8 = cvt %a\n  %c: f32 = cvt %b\n  yield %c\n}\n");
  tl_interp_value args[] = {i32(INT32_MIN), i32(-1)};
  assert_int_equal(run(&x, "ops", 2, args), TL_OK);
  assert_true(tl_interp_at(&x.out[0], 0) == INT32_MIN && tl_interp_at(&x.out[1], 0) == INT32_MIN);
  assert_true(tl_interp_at(&x.out[2], 0) == 0 && tl_interp_at(&x.out[3], 0) == INT32_MIN);
  args[1] = i32(0);
  expect_fault(&x, "ops", 2, args, TL_FAULT_INTEGER);
  args[1] = i32(32);
  expect_fault(&x, "shift", 2, args, TL_FAULT_INTEGER);
  args[0] = i32(-3), args[1] = i32(4);
  assert_true(scalar(&x, "shift", 2, args) == -48);
  tl_interp_value small = tl_interp_integer(TL_I16, 0x1ff);
  assert_true(scalar(&x, "small", 1, &small) == 4294967295.0L);
  tl_interp_value u[] = {u64(UINT64_MAX), u64(2)};
  assert_int_equal(run(&x, "unsigned", 2, u), TL_OK);
  assert_true(tl_interp_at(&x.out[0], 0) == (long double)(UINT64_MAX / 2));
  assert_true(tl_interp_at(&x.out[1], 0) == 0x1p64L && tl_interp_at(&x.out[2], 0) == 0);
  tl_interp_value v = f64(-0.75);
  assert_true(scalar(&x, "floats", 1, &v) == 0);
  unload(&x);
}

static void each_type_rounds_as_it_does(void **state) {
  (void)state;
  fixture x;
  load(&x, "func @third64(%a: f64) -> (return) {\n  %t: f64 = const 3\n  %r: f64 = div %a, %t\n  yield %r\n}\n"
           "func @third32(%a: f32) -> (return) {\n  %t: f32 = const 3\n  %r: f32 = div %a, %t\n  yield %r\n}\n"
           "func @third80(%a: f80) -> (return) {\n  %t: f80 = const 3\n  %r: f80 = div %a, %t\n  yield %r\n}\n"
           "func @exp(%a: f64) -> (return) {\n  %r: f64 = exp %a\n  yield %r\n}\n"
           "func @sum(%a: f64[2]) -> (return) {\n  %z: i32 = const 0\n  %o: i32 = const 1\n"
           "  %x: f64 = index %a, %z\n  %y: f64 = index %a, %o\n  %r: f64 = add %x, %y\n  yield %r\n}\n");
  tl_interp_value one[] = {f64(1), tl_interp_floating(TL_F32, 1), tl_interp_floating(TL_F80, 1)};
  assert_true(scalar(&x, "third64", 1, &one[0]) == (long double)(1.0 / 3));
  assert_true(scalar(&x, "third32", 1, &one[1]) == (long double)(1.0f / 3));
  assert_true(scalar(&x, "third80", 1, &one[2]) == 1.0L / 3);
  x.opts.f32 = true;
  assert_true(scalar(&x, "third64", 1, &one[0]) == (long double)(1.0f / 3));
  assert_true(scalar(&x, "third80", 1, &one[2]) == 1.0L / 3);
  assert_true(scalar(&x, "exp", 1, &one[0]) == (long double)expf(1));
  double data[] = {1, 0x1p-30};
  tl_interp_value pair = doubles(data, 2);
  assert_true(scalar(&x, "sum", 1, &pair) == 1);
  x.opts.f32 = false;
  assert_true(scalar(&x, "sum", 1, &pair) == 1 + 0x1p-30L);
  unload(&x);
}

typedef struct record {
  int calls;
  char text[128];
  bool refuse;
} record;

static bool on_extern(void *ctx, const tl_op *op, uint32_t count, const tl_interp_value *operands,
                      tl_interp_scalar *out_result) {
  record *r = ctx;
  r->calls++;
  size_t used = strlen(r->text);
  snprintf(r->text + used, sizeof r->text - used, "%s/%u/%Lg ", op->callee, count,
           count ? tl_interp_at(&operands[0], 0) : 0);
  out_result->integer = 7;
  return !r->refuse;
}

static void externs_are_handed_on(void **state) {
  (void)state;
  fixture x;
  load(&x,
       "func @say(%a: f64) -> (return) {\n  extern @printf(%a) \"\\\"%%g\\\", %0\" effect\n"
       "  extern @puts() \"\\\"x\\\"\" effect\n  yield %a\n}\n"
       "func @ask(%a: f64) -> (return) {\n  %n: i32 = extern @rand() \"\"\n  %f: f64 = cvt %n\n  %r: f64 = add %f, %a\n"
       "  yield %r\n}\n"
       "func @idle(%a: f64) -> (return) {\n  %n: i32 = extern @rand() \"\" effect\n  yield %a\n}\n");
  tl_interp_value v = f64(1.5);
  assert_true(scalar(&x, "say", 1, &v) == 1.5L && scalar(&x, "idle", 1, &v) == 1.5L);
  expect_fault(&x, "ask", 1, &v, TL_FAULT_CALL);
  record r = {0};
  x.opts.on_extern = on_extern;
  x.opts.ctx = &r;
  assert_true(scalar(&x, "say", 1, &v) == 1.5L && scalar(&x, "ask", 1, &v) == 8.5L);
  assert_string_equal(r.text, "printf/1/1.5 puts/0/0 rand/0/0 ");
  r.refuse = true;
  expect_fault(&x, "say", 1, &v, TL_FAULT_CALL);
  unload(&x);
}

/* A million updates of an array of a million elements, through a loop, a branch and a call: seconds if an update
 * copied. */
static void updates_happen_in_place(void **state) {
  (void)state;
  fixture x;
  load(&x,
       "func @set(%n: u64, inout %a: f64[%n], %i: u64, %v: f64) -> (final %a) {\n"
       "  %b: f64[%n] = update %a, %i, %v\n  yield %b\n}\n"
       "func @fill(%n: u64) -> (return) {\n"
       "  %z: u64 = const 0\n  %one: u64 = const 1\n  %a: f64[%n] = alloc(%n) zeroed\n"
       "  %b: f64[%n], %t: i64 = loop %z to %n step 1 carry %a do (%i: u64, %c: f64[%n]) {\n"
       "    %k: f64 = cvt %i\n    %odd: u64 = and %i, %one\n    %is: i1 = eq %odd, %one\n    %old: f64 = index %c, %i\n"
       "    %v: f64 = add %old, %k\n"
       "    %d: f64[%n] = if %is {\n      %e: f64[%n] = update %c, %i, %v\n      yield %e\n    } else {\n"
       "      %f: f64[%n] = call @set(%n, %c, %i, %k)\n      yield %f\n    }\n"
       "    %g: f64[%n], %u: i64 = loop %z to %one step 1 carry %d while (%w: u64, %y: f64[%n]) {\n"
       "      %h: f64 = index %y, %i\n      %go: i1 = eq %h, %k\n      yield %go\n    } do (%j: u64, %l: f64[%n]) {\n"
       "      %p: f64[%n] = update %l, %i, %k\n      yield %p\n    }\n    yield %g\n  }\n"
       "  %top: u64 = sub %n, %one\n  %r: f64 = index %b, %top\n  yield %r\n}\n");
  tl_interp_value n = u64(1000000);
  clock_t start = clock();
  assert_true(scalar(&x, "fill", 1, &n) == 999999);
  assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 60);
  unload(&x);
}

/* Whichever allocation fails, the run ends with OUT_OF_MEMORY, and nothing is lost (the sanitizer build looks). */
static void exhausted_memory_is_a_status(void **state) {
  (void)state;
  fixture x;
  load(&x, arrays);
  x.opts.diag = NULL;
  double data[] = {3, -1, 4, 1};
  tl_interp_value args[] = {u64(4), f64(10), doubles(data, 4)};
  uint64_t failures = 0;
  tl_status status;
  do {
    tl__alloc_fail_at(failures + 1);
    status = run(&x, "whole", 3, args);
    tl__alloc_fail_at(0);
    if (status != TL_OK) {
      assert_int_equal(status, TL_OUT_OF_MEMORY);
      failures++;
    }
  } while (status != TL_OK);
  assert_true(failures > 5);
  tl_interp_value_deinit(&x.out[0]);
  unload(&x);
}

/* A constant of a format that only tensors have is the number that it is. */
static void constants_of_small_formats(void **state) {
  (void)state;
  fixture x;
  load(&x, "func @f(%x: f16<2>) -> (return) {\n  %c: f16 = const 0.75\n  %y: f16<2> = mul %x, %c\n  yield %y\n}\n");
  tl_scope scope = tl_scope_open();
  tl_interp_value args[] = {tl_interp_tensor(tl_fill(TL_F16, TL_SHAPE(2), 3))};
  assert_int_equal(run(&x, "f", 1, args), TL_OK);
  double got[2];
  assert_int_equal(tl_read(tl_cast(x.out[0].tensor, TL_F64), got, sizeof got), TL_OK);
  assert_true(got[0] == 2.25 && got[1] == 2.25);
  tl_interp_value_deinit(&x.out[0]);
  tl_scope_close(scope);
  unload(&x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(loops_count),
      cmocka_unit_test(calls_recurse),
      cmocka_unit_test(arrays_are_values),
      cmocka_unit_test(faults_are_reported),
      cmocka_unit_test(integers_wrap_and_trap),
      cmocka_unit_test(each_type_rounds_as_it_does),
      cmocka_unit_test(externs_are_handed_on),
      cmocka_unit_test(updates_happen_in_place),
      cmocka_unit_test(exhausted_memory_is_a_status),
      cmocka_unit_test(constants_of_small_formats),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
