/* What the lowering refuses: the code, and the place, which the marker stands right before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "front/lower.h"
#include "front/parse.h"

#define HERE "/*!*/"

static const struct refusal {
  tl_status code;
  const char *source; /* the function is called f */
} refusals[] = {
    {TL_UNKNOWN_EXTERNAL, "double g(const double *); double f(double x) { double y = x; return g(" HERE "&y); }"},
    {TL_UNKNOWN_EXTERNAL, "double g(int, double *); double f(double *x) { return g(1, " HERE "x); }"},
    {TL_UNKNOWN_EXTERNAL, "struct s { double a; }; struct s g(int); double f(double x) { return " HERE "g(2).a * x; }"},
    {TL_UNKNOWN_EXTERNAL,
     "struct s { double a; }; int g(struct s); double f(double x) { struct s v = {x}; return g(" HERE "v); }"},
    {TL_ACTIVE_UNION, "union u { double d; long l; }; double f(double x) { union u v; " HERE "v.d = x; return v.d; }"},
    {TL_ACTIVE_UNION,
     "struct s { int k; union { double d; float f; } u; }; double f(struct s v) { return " HERE "v.u.d; }"},
    {TL_ACTIVE_UNION, "union u { double d; long l; }; double f(union u *v) { return " HERE "v->d; }"},
    {TL_ACTIVE_CAST, "double f(double x) { return " HERE "*(long *)&x; }"},
    {TL_ACTIVE_CAST, "float f(float x) { int k = " HERE "*(int *)&x; return k; }"},
    {TL_ACTIVE_CAST,
     "struct a { double x, y; }; struct b { double u; }; double f(struct a v) { return " HERE "((struct b *)&v)->u; }"},
    {TL_ACTIVE_CAST, "#include <string.h>\nvoid f(int n, double x[n]) { " HERE "memset(x, 1, n * sizeof *x); }"},
    {TL_ACTIVE_GLOBAL, "double kept; double f(double x) { " HERE "kept = x; return x; }"},
    {TL_ACTIVE_GLOBAL, "double f(double x) { static double last; " HERE "last = x; return last; }"},
    {TL_ACTIVE_GLOBAL, "double kept[3]; double f(double x) { " HERE "kept[1] += x; return x; }"},
    {TL_ACTIVE_GLOBAL, "double kept[3]; static void set(double *p, double x) { " HERE
                       "p[2] = x; } double f(double x) { set(kept, x); return x; }"},
    {TL_ACTIVE_GLOBAL, "static void set(double *p) { " HERE
                       "p[1] = 2; } double f(double x) { static double t[2] = {1, 2}; set(t); return t[1] * x; }"},
    {TL_ACTIVE_GLOBAL, "static void set(double *p) { " HERE
                       "*(p + 1) = 2; } double f(double x) { static double t[2] = {1, 2}; set(t); return t[1] * x; }"},
    {TL_UNSUPPORTED_CONSTRUCT, "static void set(double *p) { " HERE
                               "++*p; } double f(double x) { static double t[2] = {1, 2}; set(t); return t[1] * x; }"},
    {TL_UNSUPPORTED_CONSTRUCT, "int count; double f(double x) { " HERE "count++; return x; }"},
    {TL_POINTER_UNKNOWN, "double *g(void); double f(double x) { return " HERE "*g() * x; }"},
    {TL_POINTER_UNKNOWN, "extern double *table; double f(double x) { return " HERE "table[0] * x; }"},
    {TL_POINTER_UNKNOWN, "double f(double x) { double *p; return " HERE "*p + x; }"},
    {TL_POINTER_UNKNOWN, "double f(double x) { double *p = 0; return " HERE "*p + x; }"},
    {TL_POINTER_UNKNOWN, "double f(double x) { double *p; { double y = x; p = &y; } return " HERE "*p; }"},
    {TL_POINTER_UNKNOWN,
     "struct s { double a, b; }; double f(struct s v, int k) { double *p = &v.a; return " HERE "p[k]; }"},
    {TL_POINTER_UNKNOWN, "double f(double *x, double *y, int k) { return x " HERE "< y ? 1.0 : 2.0; }"},
    {TL_POINTER_UNKNOWN, "long f(double *x, double *y) { return x " HERE "- y; }"},
    {TL_POINTER_UNKNOWN, "double f(long address) { return *" HERE "(double *)address; }"},
    {TL_POINTER_UNKNOWN, "double f(int n, double **rows, double *x) { " HERE "rows[n] = x; return *x; }"},
    {TL_POINTER_UNKNOWN, "double f(double *x, int n) { return n == 0 ? 0 : *x + f(x " HERE "+ 1, n - 1); }"},
    {TL_FUNCTION_POINTER_UNKNOWN, "double f(double (*g)(double), double x) { return " HERE "g(x); }"},
    {TL_FUNCTION_POINTER_UNKNOWN,
     "struct s { double (*g)(double); }; double f(struct s *v, double x) { return " HERE "v->g(x); }"},
    {TL_FUNCTION_POINTER_UNKNOWN, "extern double (*g)(double); double f(double x) { return 1 + " HERE "g(x); }"},
    {TL_ALIASING_ARGUMENTS, "static void g(int n, double *a, const double *b) { if (n > 0) { *a += *b; g(n - 1, a, b); "
                            "} } double f(double x) { g(3, &x, " HERE "&x); return x; }"},
    {TL_UNSUPPORTED_CONSTRUCT,
     "#include <setjmp.h>\njmp_buf j; double f(double x) { if (" HERE "setjmp(j)) return x; return 2 * x; }"},
    {TL_UNSUPPORTED_CONSTRUCT, "double f(double x) { " HERE "__asm__(\"nop\"); return x; }"},
    {TL_UNSUPPORTED_CONSTRUCT, "double f(double x) { void *p = " HERE "&&end; goto *p; end: return x; }"},
    {TL_UNSUPPORTED_CONSTRUCT, "double f(double x) { " HERE "goto in; { x = 2; in: x += 1; } return x; }"},
    {TL_UNSUPPORTED_CONSTRUCT,
     "double f(double x, int n) { switch (n) { case 0: { x = 1; " HERE "case 1: x = 2; } } return x; }"},
    {TL_UNSUPPORTED_CONSTRUCT, "double " HERE "f(double x, ...) { return x; }"},
    {TL_UNSUPPORTED_CONSTRUCT,
     "static double g(double x, ...) { return x; } double f(double x) { return " HERE "g(x, 1); }"},
    {TL_UNSUPPORTED_CONSTRUCT,
     "#include <stdlib.h>\ndouble f(double x) { double *p = malloc(8); p = " HERE "realloc(p, 16); return x; }"},
    {TL_UNSUPPORTED_CONSTRUCT, "double *" HERE "f(double *x) { return x; }"},
    {TL_UNSUPPORTED_CONSTRUCT, "double f(const char *s) { return " HERE "\"abc\"[1] + *s; }"},
    {TL_NO_DEFINITION, "double " HERE "f(double x); double g(double x) { return f(x); }"},
};

typedef struct place {
  uint32_t line, column;
} place;

static place marked(const char *source) {
  const char *at = strstr(source, HERE) + strlen(HERE);
  place p = {1, 1};
  for (const char *s = source; s < at; s++) {
    p.line += *s == '\n';
    p.column = *s == '\n' ? 1 : p.column + 1;
  }
  return p;
}

static bool check(const struct refusal *r) {
  char path[] = "/tmp/tl_refuse_XXXXXX";
  int fd = mkstemp(path);
  assert_true(fd >= 0 && write(fd, r->source, strlen(r->source)) == (ssize_t)strlen(r->source));
  close(fd);
  tl_arena arena;
  tl_diag diag;
  tl_arena_init(&arena);
  tl_diag_init(&diag, &arena);
  static const char *const args[] = {"-I" TL_INCLUDE_DIR};
  tl_parse_opts opts = {.file = path, .args = args, .arg_count = 1};
  tl_parse_result parsed;
  bool ok = tl_parse_file(&arena, &diag, &opts, &parsed) == TL_OK;
  if (ok) {
    tl_lower_opts lower = {0};
    tl_func *f =
        tl_lower_function(tl_module_create(&arena, &diag), parsed.unit, tl_unit_find(parsed.unit, "f"), &lower);
    place want = marked(r->source);
    const tl_diag_item *d = diag.items.count ? &diag.items.data[0] : NULL;
    ok = !f && d && d->code == r->code && d->loc.line == want.line && d->loc.column == want.column;
    if (!ok) {
      print_error("%s\n  wants %s at %u:%u, gets ", r->source, tl_status_name(r->code), want.line, want.column);
      if (d) {
        print_error("%s at %u:%u: %s\n", tl_status_name(d->code), d->loc.line, d->loc.column, d->message);
      } else {
        print_error("nothing\n");
      }
    }
  }
  unlink(path);
  tl_arena_deinit(&arena);
  return ok;
}

static void test_refusals(void **unused) {
  (void)unused;
  int failures = 0;
  for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
    failures += !check(&refusals[i]);
  }
  assert_int_equal(failures, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_refusals)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
