/* Which parameters are inputs, outputs and in-outs. */
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

static const struct roles {
  const char *source; /* the function is called f */
  const char *roles;  /* a letter per parameter: i input, o output, b both */
} cases[] = {
    {"void f(int n, const double x[n], double y[n]) { for (int i = 0; i < n; i++) y[i] = x[i] * 2; }", "iio"},
    {"void f(int n, const double x[n], double y[n]) { y[0] = x[0]; for (int i = 1; i < n; i++) y[i] = y[i - 1] + x[i]; "
     "}",
     "iio"},
    {"void f(int n, double y[n]) { for (int i = 0; i < n; i++) y[i] += 1; }", "ib"},
    {"void f(int n, double y[n]) { for (int i = 1; i < n; i++) y[i] = 1; }", "ib"},
    {"void f(int n, double y[n]) { for (int i = 0; i < n - 1; i++) y[i] = 1; }", "ib"},
    {"void f(int n, double y[n]) { for (int i = 0; i < n; i += 2) y[i] = 1; }", "ib"},
    {"void f(int n, double y[n]) { for (int i = 0; i < (signed char)n; i++) y[i] = 1; }", "ib"},
    {"void f(unsigned long n, double y[n]) { for (int i = 0; i < (int)n; i++) y[i] = 1; }", "io"},
    {"void f(int n, double y[n]) { for (int i = n - 1; i >= 0; i--) y[i] = i; }", "io"},
    {"#include <stddef.h>\nvoid f(size_t n, double y[n]) { for (size_t i = n; i-- > 0;) y[i] = i; }", "io"},
    {"void f(int n, double y[n]) { for (int i = 0; i < n; i++) { if (i == 3) break; y[i] = 1; } }", "ib"},
    {"void f(int n, double y[n]) { for (int i = 0; i < n; i++) { if (i == 3) continue; y[i] = 1; } }", "ib"},
    {"void f(int n, double y[n]) { if (n > 3) return; for (int i = 0; i < n; i++) y[i] = 1; }", "ib"},
    {"void f(int n, double y[n]) { for (int i = 0; i < n; i++) if (i & 1) y[i] = 1; else y[i] = 2; }", "io"},
    {"void f(int n, double y[n][3]) { for (int i = 0; i < n; i++) { y[i][0] = 1; y[i][1] = 2; y[i][2] = y[i][0]; } }",
     "io"},
    {"void f(int n, double y[n][3]) { for (int i = 0; i < n; i++) { y[i][0] = 1; y[i][2] = 3; } }", "ib"},
    {"void f(int n, double y[n][n]) { for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) y[i][j] = i; }", "io"},
    {"void f(int n, double y[n][n]) { for (int i = 0; i < n; i++) for (int j = 0; j < i; j++) y[i][j] = i; }", "ib"},
    {"#include <stddef.h>\nvoid f(size_t m, size_t n, const double a[m][n], const double x[n], double y[m]) { for "
     "(size_t i = 0; i < m; i++) { "
     "y[i] = 0; for (size_t j = 0; j < n; j++) y[i] += a[i][j] * x[j]; } }",
     "iiiio"},
    {"void f(int n, const double l[n][n], double x[n]) { for (int i = 0; i < n; i++) { double s = 1; for (int j = 0; j "
     "< i; j++) "
     "s -= l[i][j] * x[j]; x[i] = s; } }",
     "iio"},
    {"void f(int n, const double u[n][n], double x[n]) { for (int i = n - 1; i >= 0; i--) { double s = 1; for (int j = "
     "i + 1; j < n; "
     "j++) s -= u[i][j] * x[j]; x[i] = s; } }",
     "iio"},
    {"void f(int n, double x[n]) { for (int i = 0; i < n; i++) x[i] = i ? x[n - 1] : 0; }", "ib"},
    {"void f(double x, double *y) { if (x > 0) *y = x; else *y = -x; }", "io"},
    {"void f(double x, double *y) { if (x > 0) *y = x; }", "ib"},
    {"void f(double x, double *y) { *y += x; }", "ib"},
    {"void f(const double x[3], double y[3]) { y[0] = x[1]; y[1] = x[2]; y[2] = x[0]; }", "io"},
    {"void f(const double x[3], double y[3]) { y[0] = x[1]; y[1] = x[2]; }", "ib"},
    {"void f(double *x) { double y = *x; (void)y; }", "i"},
    {"struct v { double x, y; }; void f(const struct v *a, struct v *b) { b->x = a->y; b->y = a->x; }", "io"},
    {"struct v { double x, y; }; void f(const struct v *a, struct v *b) { *b = *a; b->x *= 2; }", "io"},
    {"struct v { double x, y; }; void f(struct v *b) { b->x = 1; }", "b"},
    {"struct v { double x, y; }; void f(int n, struct v b[n]) { for (int i = 0; i < n; i++) { struct v t = {1, i}; "
     "b[i] = t; } }",
     "io"},
    {"static void set(int n, double y[n]) { for (int i = 0; i < n; i++) y[i] = 1; } void f(int n, double y[n]) { "
     "set(n, y); y[0] += 1; }",
     "io"},
    {"static void set(int n, double *y) { for (int i = 0; i < n; i++) y[i] = 1; } void f(int n, double y[n]) { set(n - "
     "1, y + 1); y[0] = 1; }",
     "io"},
    {"#include <string.h>\nvoid f(int n, const double x[n], double y[n]) { memcpy(y, x, n * sizeof *y); }", "iio"},
    {"#include <string.h>\nvoid f(int n, double y[n]) { memset(y, 0, n * sizeof *y); y[0] = 1; }", "io"},
    {"#include <tlaloc/grad.h>\nvoid f(int n, double y[n] TL_INOUT) { for (int i = 0; i < n; i++) y[i] = 1; }", "ib"},
    {"#include <tlaloc/grad.h>\nvoid f(int n, double *y TL_LEN(2 * n)) { for (int i = 0; i < 2 * n; i++) y[i] = 1; }",
     "io"},
    {"void f(int n, double *y) { for (int i = 0; i < n; i++) y[i] = 1; }", "ib"},
    {"static void set(int n, double y[n]) { for (int i = 0; i < n; i++) y[i] = 1; } void f(int n, double *y) { set(n, "
     "y); }",
     "io"},
    {"int f(int n, const double x[n], double *at) { for (int i = 0; i < n; i++) if (x[i] > 0) { *at = x[i]; return i; "
     "} *at = 0; return -1; }",
     "iio"},
    {"int f(int n, const double x[n], double *at) { for (int i = 0; i < n; i++) if (x[i] > 0) { *at = x[i]; return i; "
     "} return -1; }",
     "iib"},
    {"int f(int n, const double x[n], double *at) { for (int i = 0; i < n; i++) { if (x[i] > 0) { *at = x[i]; return "
     "i; } if (x[i] < -1) "
     "return -2; } *at = 0; return -1; }",
     "iib"},
    {"int f(int n, const double x[n], double *at) { for (int i = 0; i < n; i++) { if (x[i] > 0) { *at = x[i]; break; } "
     "} return -1; }",
     "iib"},
    {"int f(int n, const double x[n], double *at) { for (int i = 0; i < n; i++) { if (x[i] > 1) { *at = x[i]; return "
     "i; } if (x[i] < -1) { *at "
     "= 0; return -2; } if (x[i] == 0) break; } *at = 2; return -1; }",
     "iio"},
    {"int f(int n, const double x[n], double y[n]) { for (int i = 0; i < n; i++) { if (x[i] < 0) return -1; y[i] = "
     "x[i]; } return 0; }",
     "iib"},
    {"int f(int n, const double x[n], double y[n]) { for (int i = 0; i < n; i++) { if (x[i] < 0) { for (int j = 0; j < "
     "n; j++) y[j] = 0; "
     "return -1; } y[i] = x[i]; } return 0; }",
     "iio"},
    {"int f(int n, const double x[n], double y[n]) { int k = 0; while (k < n && x[k] > 0) k++; for (int i = 0; i < n; "
     "i++) y[i] = k; return k; }",
     "iio"},
    {"double f(double x, double *y) { if (y) *y = x; return x; }", "io"},
    {"#include <stddef.h>\nint f(int n, const double *x, double y[n]) { if (x == NULL || !y) return -1; for (int i = "
     "0; i < n; i++) y[i] = *x; return 0; }",
     "iio"},
    {"double f(double x, double *y) { if (y && x > 0) *y = x; return x; }", "ib"},
    {"double f(double x, double *y) { double s = x; while (s > 1) { s *= 0.5; if (s < 0.1) { *y = s; return 1; } } *y "
     "= s; return s; }",
     "io"},
};

static bool check(const struct roles *c) {
  char path[] = "/tmp/tl_roles_XXXXXX";
  int fd = mkstemp(path);
  assert_true(fd >= 0 && write(fd, c->source, strlen(c->source)) == (ssize_t)strlen(c->source));
  close(fd);
  tl_arena arena;
  tl_diag diag;
  tl_arena_init(&arena);
  tl_diag_init(&diag, &arena);
  static const char *const args[] = {"-I" TL_INCLUDE_DIR};
  tl_parse_opts opts = {.file = path, .args = args, .arg_count = 1};
  tl_parse_result parsed;
  char got[16] = "";
  if (tl_parse_file(&arena, &diag, &opts, &parsed) == TL_OK) {
    tl_lower_opts lower = {0};
    tl_func *f =
        tl_lower_function(tl_module_create(&arena, &diag), parsed.unit, tl_unit_find(parsed.unit, "f"), &lower);
    for (uint32_t i = 0; f && i < f->cparams.count; i++) {
      got[i] = "iob"[f->cparams.data[i].role];
      got[i + 1] = 0;
    }
  }
  unlink(path);
  bool ok = !strcmp(got, c->roles);
  if (!ok) {
    print_error("%s\n  wants %s, gets %s\n", c->source, c->roles, got);
  }
  tl_arena_deinit(&arena);
  return ok;
}

static void test_roles(void **unused) {
  (void)unused;
  int failures = 0;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    failures += !check(&cases[i]);
  }
  assert_int_equal(failures, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_roles)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
