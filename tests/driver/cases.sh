#!/bin/sh
# cases.sh TLALOCC: what is tlalocc's own: its options, its diagnostics, crashes of its child, signals, time.
set -eu
. "$(dirname "$0")/harness.sh"

begin "no definition"
printf '#include <tlaloc/grad.h>\ndouble far(double x);\ndouble f(double x) {\n  return tl_grad(far)(x);\n}\n' >a.c
expect_status 1 "$tlalocc" -c a.c
expect_text err "a.c:4:10: error: the body of 'far' is not visible in this unit [NO_DEFINITION]
    4 |   return tl_grad(far)(x);
      |          ^~~~~~~~~~~~
a.c:2:8: note: it is only declared here: define it in this file, or in a header that the file includes
    2 | double far(double x);
      |        ^~~"
[ ! -e a.o ] || fault "an object was written"

begin "not a function"
printf '#include <tlaloc/grad.h>\ndouble g;\ndouble f(double x) {\n  return tl_grad(g)(x) + tl_grad(nowhere)(x);\n}\n' >a.c
expect_status 1 "$tlalocc" -c a.c
expect_line err "a.c:4:10: error: 'g' is not a function of this unit [NO_DEFINITION]"
expect_line err "a.c:2:8: note: it is an object, declared here; an intrinsic needs the function itself"
expect_line err "a.c:4:26: error: 'nowhere' is not a function of this unit [NO_DEFINITION]"

begin "an intrinsic without a function"
printf '#include <tlaloc/grad.h>\nstatic double f(double x) { return x; }\ndouble g(double x) {\n  return tl_grad()(x) + tl_grad(, x)(x) + tl_grad(f)(x);\n}\ndouble (*h)(double) = tl_vjp();\n' >a.c
expect_status 1 "$tlalocc" -c a.c
expect_line err "a.c:4:10: error: this intrinsic names no function [NO_DEFINITION]"
expect_line err "a.c:4:25: error: this intrinsic names no function [NO_DEFINITION]"
expect_line err "a.c:6:23: error: this intrinsic names no function [NO_DEFINITION]"

begin "name clash"
printf '#include <tlaloc/grad.h>\nstatic double f(double x) { return x; }\ndouble f__grad(double x) { return x; }\ndouble g(double x) { return tl_grad(f)(x); }\n' >a.c
expect_status 1 "$tlalocc" -c a.c
expect_line err "a.c:4:29: error: the derivative's name 'f__grad' is taken [NAME_CLASH]"
expect_line err "a.c:3:8: note: 'f__grad' is declared here"

begin "two intrinsics, one name"
printf '#include <tlaloc/grad.h>\nstatic double f(double grad) { return grad; }\nvoid g(double x) { double b; tl_vjp(f, grad)(x, 1, &b); tl_grad(tl_vjp(f), grad)(x, 1, &b, &b); tl_grad(tl_vjp(f))(x, 1, &b, &b, &b); }\n' >a.c
expect_status 1 "$tlalocc" -c a.c
expect_line err "come to one name, 'f__vjp__grad' [NAME_CLASH]"

begin "front mismatch"
printf '#include <tlaloc/grad.h>\n#ifdef __clang__\n#define SCALE 2.0\n#else\n#define SCALE 3.0\n#endif\ndouble f(double x) {\n  return SCALE * x;\n}\ndouble g(double x) { return tl_grad(f)(x); }\n' >a.c
expect_status 1 env TLALOCC_CC=gcc "$tlalocc" -c a.c
expect_line err "a.c:8:10: error: in 'f' the C compiler reads '3.0' where libclang reads '2.0' [FRONT_MISMATCH]"
expect_line err "      |          ^~~~~"
expect_line err "note: the C compiler's line is: return 3.0 * x;"
expect_status 0 env TLALOCC_CC=clang-19 "$tlalocc" -c a.c

begin "front mismatch: a function only cc has"
printf '#include <tlaloc/grad.h>\n#ifdef __clang__\nstatic double h(double x) { return x; }\n#else\ndouble h(double x);\n#endif\ndouble f(double x) { return h(x); }\ndouble g(double x) { return tl_grad(f)(x); }\n' >a.c
expect_status 1 env TLALOCC_CC=gcc "$tlalocc" -c a.c
expect_line err "a.c:3:15: error: in 'h' the C compiler reads 'a declaration' where libclang reads 'a definition' [FRONT_MISMATCH]"

begin "no mismatch by headers that spell one value in two ways"
printf '#include <float.h>\n#include <math.h>\n#include <assert.h>\n#include <stdbool.h>\n#include <stdint.h>\n#include <tlaloc/grad.h>\ndouble f(double x) {\n  assert(x > DBL_MIN && x < DBL_MAX && !isnan(x) && isfinite(x) && !signbit(x));\n  bool big = isgreater(x, HUGE_VAL) || x > FLT_MAX || x == INFINITY;\n  return big ? x * M_PI : x * DBL_EPSILON * (double)INT64_MAX;\n}\ndouble g(double x) { return tl_grad(f)(x); }\n' >a.c
expect_status 0 "$tlalocc" -Wall -Wextra -O2 -D_FORTIFY_SOURCE=2 -c a.c

begin "no mismatch by <tgmath.h>, whose macros call what only clang has"
printf '#include <tgmath.h>\n#include <tlaloc/grad.h>\nstatic double h(float y) { return fabs(y); }\ndouble f(double x) { return sin(x) * pow(x, 2) + h((float)x); }\ndouble g(double x) { return tl_grad(f)(x); }\n' >a.c
expect_status 0 "$tlalocc" -c a.c

begin "no mismatch by conversions that are written in operands of <tgmath.h>"
printf '#include <tgmath.h>\n#include <tlaloc/grad.h>\ndouble f(double x, long k) { return ldexp(x * x, (int)k) + sin((double)(float)x) + fabs(x - 2.L); }\ndouble g(double x) { return tl_grad(f, x)(x, 3); }\n' >a.c
expect_status 0 env TLALOCC_CC=gcc "$tlalocc" -c a.c
expect_status 0 env TLALOCC_CC=clang-19 "$tlalocc" -c a.c

begin "front mismatch: by a conversion in an operand of <tgmath.h>"
printf '#include <tgmath.h>\n#include <tlaloc/grad.h>\n#ifdef __clang__\n#define TO (float)\n#else\n#define TO\n#endif\ndouble f(double x) { return sin(TO x); }\ndouble g(double x) { return tl_grad(f)(x); }\n' >a.c
expect_status 1 env TLALOCC_CC=gcc "$tlalocc" -c a.c
grep -q FRONT_MISMATCH err || fault "the conversion is not seen"

begin "front mismatch: in a rule"
printf '#include <tlaloc/grad.h>\nstatic double f(double x) { return x * x; }\n#ifdef __clang__\n#define TWO 2\n#else\n#define TWO 3\n#endif\nstatic double d(double x) { return TWO * x; }\nstatic double rule(double x, double x_dot, double *y_dot) { *y_dot = d(x) * x_dot; return x * x; }\nTL_CUSTOM_JVP(f, rule);\ndouble g(double x) { return tl_jvp(f)(x, 1.0); }\n' >a.c
expect_status 1 env TLALOCC_CC=gcc "$tlalocc" -c a.c
expect_line err "a.c:8:36: error: in 'd' the C compiler reads '3' where libclang reads '2' [FRONT_MISMATCH]"

begin "what only cc accepts"
printf '#include <tlaloc/grad.h>\nstatic double f(double x) { return x; }\nint h(void) {\n  double q(double z) { return z; }\n  return (int)q(tl_grad(f)(2.0));\n}\n' >a.c
expect_status 1 env TLALOCC_CC=gcc "$tlalocc" -c a.c
expect_line err "a.c:4:22: error: cc accepts this file but libclang does not: 'q' is defined within another function [FRONT_MISMATCH]"
expect_line err "    4 |   double q(double z) { return z; }"

begin "a nested function that is differentiated"
printf '#include <tlaloc/grad.h>\nstatic double f(double x) {\n  double\n  sq (double y, double (*g)(double))\n  {\n    return y * g(x);\n  }\n  return sq(x, 0) + 1;\n}\ndouble g(double x) { return tl_grad(f)(x); }\n' >a.c
expect_status 1 env TLALOCC_CC=gcc "$tlalocc" -c a.c
expect_line err "a.c:5:3: error: cc accepts this file but libclang does not: 'sq' is defined within another function [FRONT_MISMATCH]"
grep -q UNKNOWN_EXTERNAL err && fault "its call is refused too"

begin "JSON"
printf '#include <tlaloc/grad.h>\ndouble far(double x);\ndouble f(double x) {\n  return tl_grad(far)(x);\n}\n' >a.c
expect_status 1 "$tlalocc" --diagnostics-format=json -c a.c
python3 - <<'P' || fault "the JSON is not what it should be: $(cat err)"
import json
lines = open("err").read().splitlines()
assert len(lines) == 1, lines
d = json.loads(lines[0])
assert list(d) == ["file", "line", "column", "end", "severity", "code", "message", "notes", "fix"], d
assert (d["file"], d["line"], d["column"], d["end"], d["severity"], d["code"]) == ("a.c", 4, 10, 22, "error", "NO_DEFINITION"), d
assert d["notes"][0]["line"] == 2 and d["fix"] is None, d
P

begin "bad format"
expect_status 1 "$tlalocc" --diagnostics-format=xml -c a.c
expect_line err "tlalocc: error: bad value in '--diagnostics-format=xml'"

begin "own options on a file without intrinsics"
printf 'int f(void) { return 1; }\n' >a.c
expect_status 0 "$tlalocc" --no-strict-lowering -Wno-tl-array-copy -Werror=tl-equality-branch --diagnostics-format=json --dump-grad-source-dir=d -c a.c
[ -e a.o ] || fault "no object"

begin "the dump stands alone"
grad_c
expect_status 0 "$tlalocc" --dump-grad-source grad.c
cp out dump.c
for cc in gcc clang-19; do
  for std in c99 c17; do
    expect_status 0 $cc -std=$std -Wall -Wextra -Wpedantic -Werror -O2 -c dump.c -o dump.o
  done
done
expect_line dump.c "double f__grad__x(double x, const struct pair *p)"
expect_line dump.c "struct pair { double a, b[2]; };"
if grep -q 'tlaloc/' dump.c; then fault "the dump includes a header of ours"; fi
# Its comments quote lines of the file.
if sed 's,/\*.*\*/,,' dump.c | grep -qE '(^|[^_a-z])helper\('; then fault "a function of the file is called"; fi

begin "dump and compile at once"
grad_c
expect_status 0 "$tlalocc" --dump-grad-source -O1 -c grad.c -o g.o
[ -e g.o ] || fault "no object"
[ -s out ] || fault "no dump"

begin "a recursion over an array copies no part of it"
cat >parts.c <<'C'
#include <tlaloc/grad.h>
static double f(int n, const double x[n]) { return n ? x[0] * x[0] + 0.5 * f(n - 1, x + 1) : 0; }
double g(int n, const double x[n], double y[n]) { return tl_value_and_grad(f)(n, x, y) + tl_jvp(f)(n, x, y); }
C
expect_status 0 "$tlalocc" --dump-grad-source parts.c
expect_line out "f__add_vjp__x(n - 1, x + 1, 0.5, x_bar + 1);"
expect_line out "f__value_and_jvp__x(n - 1, x + 1, x_dot + 1, "
if grep -q "for (" out; then fault "there is a loop"; fi
if grep -qE 'double [a-z_0-9]+\[.*\];' out; then fault "an array is made"; fi

begin "a check calls its function in one place, whatever it is by"
cat >check.c <<'C'
#include <tlaloc/grad.h>
static double f(int n, const double x[n], float y) { return n ? x[0] * x[n - 1] * y : 0; }
int g(int n, const double x[n], float y) { return tl_check_vjp(f)(n, x, y, 0); }
C
expect_status 0 "$tlalocc" --dump-grad-source check.c
[ "$(grep -o ' = f(\|, f_result_[0-9]* = f(' out | wc -l)" = 1 ] || fault "its function is called in more than one place"

begin "a check of structs is one function of differences, on copies of the structs"
cat >structs.c <<'C'
#include <tlaloc/grad.h>
struct P { double m; float d[3]; int kind; struct { double q[2][2]; const double *tab; } in; };
static double f(struct P *p, const struct P *c, double *out) {
  p->m += c->d[1] * c->in.q[1][0];
  for (int i = 0; i < 3; i++) p->d[i] = (float)(p->d[i] * c->m) + p->d[(i + 1) % 3];
  *out = p->in.q[0][1] * p->m;
  p->in.q[1][1] = *out * p->d[2];
  return p->d[0] * p->in.q[1][1];
}
int g(struct P *p, struct P *c, double *out) { return tl_check_vjp(f, p, c)(p, c, out, 0); }
C
expect_status 0 "$tlalocc" --dump-grad-source structs.c
[ "$(wc -l <out)" -lt 320 ] || fault "the check has $(wc -l <out) lines"
[ "$(grep -c '= f(' out)" = 1 ] || fault "its function is called in more than one place"
expect_line out "struct P p_2 = *p;"
expect_line out "struct P c_2 = *c;"
if grep -v "^struct P {" out | grep -q "tab"; then fault "what f leaves alone is looked at"; fi

begin "pointer members in dumps: as a person writes them"
cat >pointers.c <<'C'
#include <tlaloc/grad.h>
struct P { double m; const double *tab; };
static double f(const struct P *c) { return c->m * *c->tab; }
static double r(struct P *c, int d) { return d ? r(c, d - 1) * c->m : *c->tab; }
static double h(double m, const struct P *c) { struct P p = {m, c->tab}; return r(&p, 2); }
void slopes(const struct P *c, struct P *b, double *m) { tl_grad(f)(c, b); *m = tl_grad(h, m)(*m, c); }
int check(const struct P *c) { return tl_check_vjp(f)(c, 0); }
C
expect_status 0 "$tlalocc" --dump-grad-source pointers.c
expect_line out "*(double *)c_bar->tab = c->m;"
if grep -qF '&(*' out; then fault "the address of what a pointer points to is that pointer"; fi
if grep -E '^ +(double|float) ([a-z_0-9]+) = .*;$' -A1 out | grep -qE '^ +c_m = '; then fault "a first store is dead"; fi

begin "nothing but the user's variables has their names in a dump"
cat >named.c <<'C'
#include <math.h>
#include <tlaloc/grad.h>
static double f(int n, const double x[n]) {
  double k = 1, x_a = 2, s = 0, i = 0, t = x[0];
  for (int a = 0; a < n; a++) {
    s += sin(x[a % 3] * k) * t;
    k = k * x[a] * x[a];
    x_a += s;
    i += k;
  }
  return s * x_a * i;
}
void g(int n, const double x[n], double x_bar[n], double H[n][n]) { tl_grad(f)(n, x, x_bar), tl_hessian(f)(n, x, H); }
C
expect_status 0 "$tlalocc" -Wno-tl-array-copy --dump-grad-source named.c
expect_line out "int index = a % 3;"
expect_line out "double k_2 = k_saved[a]"
if grep -nE '(int|long|size_t) (k|x_a|s|i|t)(_[0-9]+)? = |[ ,](k|x_a)(_[0-9]+)? = x\[' out; then fault "a name of the user's is given to something else"; fi

begin "cc's notes point at the parameters of the function"
printf 'double f(const double x[3], int n);\n' >f.h
printf '#include "f.h"\n#include <tlaloc/grad.h>\ndouble f(const double x[3], int n) { return x[0] * x[1] * n; }\nvoid g(int *k, double b[3]) { tl_grad(f, x)(k, 2, b); }\n' >declared.c
cat >here.c <<'C'
#include <tlaloc/grad.h>
static double f(int n,
                const double *x TL_LEN(n)) { return x[0] * x[1]; } static int twice(int x) { return 2 * x; }
void g(int *k, double b[2]) { tl_grad(f, x)(2, k, b); }
int h(char *s) { return twice(s); }
C
printf '#include <tlaloc/grad.h>\n#define WRAP(text) text\nWRAP(static double f(const double *x TL_LEN(2)) { return x[0] * x[1]; }) int after;\nvoid g(int *k, double b[2]) { tl_grad(f, x)(k, b); }\n' >wrapped.c
for cc in gcc clang-19; do
  expect_status 0 env TLALOCC_CC=$cc "$tlalocc" -Wpedantic -c declared.c
  expect_line err "declared.c:3:23: note: "
  expect_status 0 env TLALOCC_CC=$cc "$tlalocc" -Wpedantic -Wno-int-conversion -c here.c
  expect_line err "here.c:3:31: note: "
  expect_status 1 env TLALOCC_CC=$cc "$tlalocc" -Wpedantic -Werror=int-conversion -c here.c
  expect_line err "here.c:5:31: error: "
  expect_line err "here.c:3:89: note: "
  expect_status 0 env TLALOCC_CC=$cc "$tlalocc" -Wpedantic -c wrapped.c
  expect_line err "wrapped.c:3:"
done

begin "a folder per object"
grad_c
expect_status 0 "$tlalocc" --dump-grad-source-dir=dumps -c grad.c -o one.o
mkdir objects
expect_status 0 "$tlalocc" --dump-grad-source-dir=dumps -c grad.c -o objects/two.o
[ -s dumps/one.o.grad/grad.grad.c ] || fault "no dumps/one.o.grad/grad.grad.c"
cmp -s dumps/one.o.grad/grad.grad.c dumps/objects/two.o.grad/grad.grad.c || fault "the dumps differ"
for object in objects_two.o ./objects//two.o objects/../objects/two.o "$PWD/objects/two.o"; do
  expect_status 0 "$tlalocc" --dump-grad-source-dir=dumps -c grad.c -o "$object"
done
[ "$(find dumps -name grad.grad.c | wc -l)" = 5 ] || fault "not a dump for each: $(find dumps -name grad.grad.c)"
[ -s dumps/objects/up.grad/objects/two.o.grad/grad.grad.c ] || fault "no dump of what goes up"
[ -s "dumps/root.grad$PWD/objects/two.o.grad/grad.grad.c" ] || fault "no dump of an absolute path"

begin "dumps beside the objects, once these exist"
grad_c
mkdir a b
printf '#include <tlaloc/grad.h>\nstatic double f(double x) { return x * x; }\ndouble slope_a(double x) { return tl_grad(f)(x); }\n' >a/x.c
printf '#include <tlaloc/grad.h>\nstatic double f(double x) { return 2 * x * x; }\ndouble slope_b(double x) { return tl_grad(f)(x); }\nint main(void) { return 0; }\n' >b/x.c
for try in 1 2; do
  expect_status 0 "$tlalocc" --dump-grad-source-dir=. -c grad.c -o grad.o
  expect_status 0 "$tlalocc" --dump-grad-source-dir=. -c grad.c
  expect_status 0 "$tlalocc" --dump-grad-source-dir=. a/x.c b/x.c -o prog
  [ -s grad.o.grad/grad.grad.c ] || fault "$try: no grad.o.grad/grad.grad.c"
  grep -q '4.0 \* x' b/x.o.grad/x.grad.c || fault "$try: no dump of b/x.c"
  grep -q 'x \* 2.0' a/x.o.grad/x.grad.c || fault "$try: no dump of a/x.c"
done

begin "what a debugger shows"
mkdir src
printf 'static inline double sum(int n, const double *x) {\n  double s = 0;\n  for (int i = 0; i < n; i++) s += x[i] * x[i];\n  return s;\n}\n' >src/sum.h
cat >src/a.c <<'C'
#include "sum.h"
#include <math.h>
#include <tlaloc/grad.h>
static double f(int n, const double *x TL_LEN(n)) {
  double y = sum(n, x);
  return y * sin(y);
}
void g(int n, const double *x, double *x_bar) { tl_grad(f, x)(n, x, x_bar); }
int main(void) {
  double x[2] = {1, 2}, x_bar[2];
  g(2, x, x_bar);
  return x_bar[0] == 0;
}
C
# debugger_says TEXT COMMAND...: gdb says it.
debugger_says() {
  wanted=$1
  shift
  if command -v gdb >/dev/null; then
    gdb -batch -nx "$@" prog >said 2>&1 || true
    expect_line said "$wanted"
  else
    echo "skipped: there is no gdb"
  fi
}
for cc in gcc clang-19; do
  for option in -g -ggdb3 "-O0 -g2" "-g0 -gdwarf-4"; do
    # shellcheck disable=SC2086
    expect_status 0 env TLALOCC_CC=$cc "$tlalocc" $option -Wall -Wextra src/a.c -lm -o prog
    debugger_says "double y = sum(n, x);" -ex "list f__grad__x"
  done
  expect_status 0 env TLALOCC_CC=$cc "$tlalocc" -g src/a.c -lm -o prog
  objdump --dwarf=decodedline prog | grep -q 'sum\.h' || fault "$cc: no line of the header"
  expect_status 0 env TLALOCC_CC=$cc "$tlalocc" -g --dump-grad-source-dir=d src/a.c -lm -o prog
  line=$(grep -n '^void f__grad__x(.*{' d/src/a.o.grad/a.grad.c | cut -d: -f1)
  debugger_says "d/src/a.o.grad/a.grad.c" -ex "info line f__grad__x"
  debugger_says "$line	void f__grad__x(" -ex "list f__grad__x,+1"
  objdump --dwarf=decodedline prog | grep -q "a\.grad\.c  *$line " || fault "$cc: no line $line of the dump"
done
expect_status 0 "$tlalocc" -g -E src/a.c
grep -A1 '^# 4 "src/a.c" 3' out | grep -q '^static void f__grad__x(' || fault "the derivative is not at the line of its function"
expect_status 0 "$tlalocc" -g -g0 -E src/a.c
if grep -q '^# 4 "src/a.c" 3' out; then fault "-g0: lines for a debugger"; fi
expect_status 0 "$tlalocc" --dump-grad-source src/a.c
expect_line out "/* line 3 of src/sum.h: for (int i = 0; i < n; i++) s += x[i] * x[i]; */"

begin "the dump has the bits of the compiled gradient"
cat >bits.c <<'C'
#include <math.h>
#include <tlaloc/grad.h>
double f(double x, double y) {
  double s = 0;
  for (int i = 1; i < 9; i++) {
    s += sin(x * i) * exp(-y / i) + x / (y + i);
  }
  return s * s;
}
void (*compiled)(double, double, double *, double *) = tl_grad(f);
C
cat >compare.c <<'C'
#include <stdio.h>
#include <string.h>
extern void (*compiled)(double, double, double *, double *);
void f__grad(double, double, double *, double *);
static void (*volatile dumped)(double, double, double *, double *) = f__grad;
int main(void) {
  for (int i = 0; i < 1000; i++) {
    double a[2], b[2], x = 0.001 * i, y = 3 - 0.0007 * i;
    compiled(x, y, &a[0], &a[1]);
    dumped(x, y, &b[0], &b[1]);
    if (memcmp(a, b, sizeof a)) {
      return printf("%a %a, %a %a\n", a[0], a[1], b[0], b[1]), 1;
    }
  }
  return 0;
}
C
expect_status 0 "$tlalocc" --dump-grad-source bits.c
cp out bits_dump.c
for cc in gcc clang-19; do
  expect_status 0 env TLALOCC_CC=$cc "$tlalocc" -O2 -c bits.c -o bits.o
  expect_status 0 $cc -O2 bits.o bits_dump.c compare.c -lm -o compare
  expect_status 0 ./compare
done

begin "DXIR"
grad_c
expect_status 0 "$tlalocc" --dump-ir grad.c
expect_line out "func @f__grad__x"
expect_status 0 "$tlalocc" --dump-ir=lower grad.c
expect_line out "func @f "
for pass in derive dce simplify cse hoist; do
  expect_status 0 "$tlalocc" --dump-ir=$pass grad.c
  expect_line out "// f__grad__x after $pass"
done
expect_status 1 "$tlalocc" --dump-ir=no-such-pass grad.c
expect_line err "there is no pass 'no-such-pass'"

begin "what the compiler refuses about a derivative's call shows its prototype"
cat >a.c <<'C'
#include <tlaloc/grad.h>
static double f(double x, double y) { return x * y; }
double g(double x) { double a, b; tl_grad(f)(x, 1, a, &b); return a; }
double h(double x) { return tl_grad(f, x)(x, 1) + tl_grad(f, y)(x, 1); }
C
expect_status 1 env TLALOCC_CC=gcc "$tlalocc" -c a.c
expect_line err "a.c:3:52: error: incompatible type for argument 3 of 'f__grad'"
expect_line err "a.c:2:15: note: 'f__grad' is void f__grad(double x, double y, double *x_bar, double *y_bar)"
expect_line err "      |               ^"
[ "$(grep -c "' is " err)" = 1 ] || fault "other prototypes are shown: $(cat err)"
printf '#include <tlaloc/grad.h>\nstatic double f(double x, double y) { return x * y; }\ndouble g(double x) { return tl_grad(f)(x, 1, &x, &x); }\ndouble h(double x) { return tl_grad(f, x)(x, 1); }\n' >a.c
expect_status 1 env TLALOCC_CC=gcc "$tlalocc" -c a.c
expect_line err "a.c:3:37: error: void value not ignored"
expect_line err "a.c:2:15: note: 'f__grad' is void f__grad("
[ "$(grep -c "' is " err)" = 1 ] || fault "other prototypes are shown: $(cat err)"
printf '#include <tlaloc/grad.h>\nstatic double f(double x, double y) { return x * y; }\ndouble g(double x) { return tl_grad(f, x)(x); }\n' >a.c
expect_status 1 env TLALOCC_CC=gcc "$tlalocc" -std=c2x -c a.c
expect_line err "a.c:3:37: error: too few arguments to function 'f__grad__x'"
expect_line err "a.c:2:15: note: 'f__grad__x' is double f__grad__x(double x, double y)"
printf '#include <tlaloc/grad.h>\nstatic double f(double x, double y) { return x * y; }\ndouble g(double x) { return tl_grad(f, x)(x, 1) + none; }\n' >a.c
expect_status 1 "$tlalocc" -c a.c
if grep -q "' is " err; then fault "a prototype that nothing asks for: $(cat err)"; fi

begin "what is not declared is the compiler's to judge"
printf '#include <tlaloc/grad.h>\nstatic double f(double x) { if (x < 0) exit(1); return sin(x); }\nint main(void) { printf("%%g\\n", tl_grad(f)(0)); return 0; }\n' >a.c
expect_status 0 env TLALOCC_CC=gcc "$tlalocc" -std=gnu17 a.c -lm -o prog
expect_line err "a.c:2:40: warning: implicit declaration of function 'exit'"
expect_status 0 ./prog
expect_text out 1
expect_status 1 env TLALOCC_CC=clang-19 "$tlalocc" -std=gnu17 -c a.c
expect_line err "a.c:2:40: error: call to undeclared library function 'exit'"
printf '#include <tlaloc/grad.h>\ndouble f(double x) { return other(x) * x; }\ndouble g(double x) { return tl_grad(f)(x); }\n' >a.c
expect_status 1 env TLALOCC_CC=gcc "$tlalocc" -std=gnu17 -c a.c
expect_line err "a.c:2:29: warning: implicit declaration of function 'other'"
expect_line err "a.c:2:29: error: 'other' has no body here and is not declared, so that it would return an int [UNKNOWN_EXTERNAL]"
expect_status 1 env TLALOCC_CC=clang-19 "$tlalocc" -std=gnu17 -c a.c
expect_line err "a.c:2:29: error: call to undeclared function 'other'"
if grep -q UNKNOWN_EXTERNAL err; then fault "two errors for one"; fi
expect_status 0 env TLALOCC_CC=gcc "$tlalocc" -std=gnu17 --no-strict-lowering -c a.c
printf '#include <tlaloc/grad.h>\ndouble f(size_t n, const double x[n]) { double s = 0; for (size_t i = 0; i < n; i++) s += x[i]; return s; }\ndouble g(double *x) { tl_grad(f)(1, x, x); return *x; }\n' >a.c
for cc in gcc clang-19; do
  for options in -std=gnu17 -std=c2x --no-strict-lowering; do
    expect_status 1 env TLALOCC_CC=$cc "$tlalocc" $options -c a.c
    expect_line err "a.c:2:10: error: unknown type name 'size_t'"
    if grep -q 'tlalocc-\|\[[A-Z]' err; then fault "something else is said: $(cat err)"; fi
  done
done

begin "a refusal that only warns, in every standard"
printf '#include <tlaloc/grad.h>\nint f(int x) { return x; }\nvoid g(int x) { tl_grad(f)(x); tl_grad(f)(x, 1.0, &x); }\n' >a.c
for cc in gcc clang-19; do
  for std in c99 gnu17 c2x; do
    expect_status 0 env TLALOCC_CC=$cc "$tlalocc" -std=$std --no-strict-lowering -Wall -Wextra -Wpedantic -c a.c
    expect_line err "a.c:3:17: warning: 'f' has no differentiable parameter [-Wtl-not-differentiable]"
    expect_line err "a.c:3:32: warning: 'f' has no differentiable parameter [-Wtl-not-differentiable]"
    [ "$(grep -c 'warning:' err)" = 2 ] || fault "$cc $std: other warnings: $(cat err)"
  done
done

begin "what -save-temps keeps names the user's file, and -### runs nothing"
mkdir src deep
printf '#include <tlaloc/grad.h>\nstatic double f(double x) { return x * x; }\ndouble g(double x) { return tl_grad(f)(x); }\n' >src/a.c
printf 'int main(void) { return 0; }\n' >src/b.c
for cc in gcc clang-19; do
  for options in "-save-temps -c" "-save-temps=obj -c -o deep/o.o" "-save-temps=cwd -c -o deep/o.o" "-save-temps src/b.c" "-save-temps src/b.c -o deep/prog"; do
    # shellcheck disable=SC2086
    expect_status 0 env TLALOCC_CC=$cc "$tlalocc" src/a.c $options
    kept=$(find . -name '*.i' | grep -v 'b\.i')
    [ -n "$kept" ] || fault "$cc $options keeps nothing"
    expect_line "$kept" '# 1 "src/a.c"'
    if grep -q tlalocc- "$kept"; then fault "$cc $options: $kept names a temporary"; fi
    find . -type f ! -name '*.c' -delete
  done
  expect_status 0 env TLALOCC_CC=$cc "$tlalocc" -### -c src/a.c
  expect_line err "src/a.c"
  [ ! -e a.o ] || fault "$cc -### writes an object"
  expect_no_temporaries
done

begin "reports name the user's file, and come from the one run that counts"
mkdir src
printf '#include <tlaloc/grad.h>\nstatic double f(double x) { return x * x; }\ndouble g(double x) { return tl_grad(f)(x); }\n' >src/a.c
for options in "gcc:-fstack-usage:a.su" "gcc:-fcallgraph-info:a.ci" "gcc:-aux-info aux:aux" "clang-19:-MJ j.json:j.json" "clang-19:-ftime-trace:a.json"; do
  cc=${options%%:*} option=${options#*:} file=${options##*:}
  option=${option%:*}
  # shellcheck disable=SC2086
  expect_status 0 env TLALOCC_CC=$cc "$tlalocc" -c src/a.c $option
  expect_line "$file" src/a.c
  if grep -q tlalocc- "$file"; then fault "$cc $option: $file names a temporary"; fi
  [ "$(find . -type f ! -name a.c ! -name a.o ! -name out ! -name err)" = "./$file" ] || fault "$cc $option: $(find .)"
  rm "$file"
done
for cc in gcc clang-19; do
  for option in -dM -dD "-dM -dD"; do
    # shellcheck disable=SC2086
    expect_status 0 env TLALOCC_CC=$cc "$tlalocc" -E $option src/a.c
    expect_line out "#define tl_grad(...)"
  done
done

begin "a refusal that only warns"
cat >a.c <<'C'
#include <stdio.h>
#include <tlaloc/grad.h>
double outside(double x);
static double f(double x) { return outside(x) * x; }
static double g(double x) { return x * x; }
int main(int argc, char **argv) {
  (void)argv;
  printf("%g\n", tl_grad(g)(3.0));
  fflush(stdout);
  return argc > 1 ? (int)tl_grad(f)(1.0) : 0;
}
C
expect_status 1 "$tlalocc" -c a.c
expect_line err "[UNKNOWN_EXTERNAL]"
printf 'double outside(double x) { return x; }\n' >b.c
expect_status 0 "$tlalocc" --no-strict-lowering -Wall -Wextra a.c b.c -o prog
expect_line err "warning: "
expect_line err "[-Wtl-unknown-external]"
expect_status 0 ./prog
expect_text out 6
expect_status 134 ./prog x
expect_line err "[UNKNOWN_EXTERNAL]"
expect_status 0 "$tlalocc" --no-strict-lowering -Wno-tl-unknown-external -Wall -Wextra a.c b.c -o prog
[ ! -s err ] || fault "the warning is not silent"
expect_status 1 "$tlalocc" --no-strict-lowering -Werror=tl-unknown-external a.c b.c -o prog
printf '#include <tlaloc/grad.h>\ndouble far(double x);\ndouble f(double x) { return tl_grad(far)(x); }\n' >c.c
expect_status 1 "$tlalocc" --no-strict-lowering -c c.c
expect_line err "error: the body of 'far' is not visible"
expect_status 1 "$tlalocc" --no-strict-lowering --strict-lowering -c a.c
expect_line err "error: 'outside' has no body in this unit"
expect_status 0 "$tlalocc" --strict-lowering --no-strict-lowering -c a.c

begin "warnings are the user's own"
cat >a.c <<'C'
#include <tlaloc/grad.h>
static double used(double x) { return x * x; }
static double unused(double x) { return x * x; }
double h(double a) {
  int variable;
  return tl_grad(used)(a);
}
C
for cc in gcc clang-19; do
  expect_status 0 env TLALOCC_CC=$cc "$tlalocc" -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wfloat-equal -Wmissing-prototypes -Wno-missing-prototypes -c a.c
  [ "$(grep -c 'warning:' err)" = 2 ] || { fault "not two warnings with $cc"; cat err; }
  expect_line err "a.c:3:15: warning"
  expect_line err "a.c:5:7: warning"
done

begin "custom rules count as used, in whichever mode"
cat >a.c <<'C'
#include <tlaloc/grad.h>
static double f(double x) { return x * x; }
static double f_jvp(double x, double x_dot, double *f_dot) { *f_dot = 2 * x * x_dot; return x * x; }
TL_CUSTOM_JVP(f, f_jvp);
static double f_vjp(double x, double f_bar, double *x_bar) { *x_bar = 2 * x * f_bar; return x * x; }
TL_CUSTOM_VJP(f, f_vjp);
double e(double x) { return f(x) + 1; }
double grad(double x) { return TL_MODE; }
C
for cc in gcc clang-19; do
  for mode in 'tl_grad(e)(x)' 'tl_grad(f)(x)' 'tl_jvp(e)(x,1)' 'tl_grad(tl_grad(e))(x)'; do
    expect_status 0 env TLALOCC_CC=$cc "$tlalocc" -Wall -Wextra -Werror "-DTL_MODE=$mode" -c a.c
  done
done

begin "__FILE__, __LINE__ and debug information are the user's"
mkdir src
printf '#include <tlaloc/grad.h>\nstatic double f(double x) { return x * x; }\ndouble g(double x) { return tl_grad(f)(x); }\nconst char *file = __FILE__; int line = __LINE__;\nconst char *base = __BASE_FILE__;\n' >src/a.c
expect_status 0 "$tlalocc" -g -c src/a.c -o a.o
strings -a a.o >strings.out
expect_line strings.out "src/a.c"
if grep -q 'tlalocc-' strings.out; then fault "the object names a temporary"; fi
expect_status 0 "$tlalocc" -E src/a.c
expect_line out 'int line = 4;'
if grep -q 'tlalocc-' out; then fault "-E names a temporary"; fi

begin "dependency files name the user's file and headers only"
mkdir src
printf '#include "near.h"\n#include <tlaloc/grad.h>\nstatic double f(double x) { return NEAR * x; }\ndouble g(double x) { return tl_grad(f)(x); }\n' >src/a.c
printf '#define NEAR 2\n' >src/near.h
for options in "-MD" "-MD -MP" "-MMD -MP" "-MD -MF other.d" "-MMD -MF other.d -MT t"; do
  rm -f ./*.d
  # shellcheck disable=SC2086
  expect_status 0 "$tlalocc" $options -c src/a.c
  cat ./*.d >all.out
  expect_line all.out " src/a.c"
  expect_line all.out "src/near.h"
  if grep -q 'tlalocc-\|\.grad\.c' all.out; then fault "$options: a temporary is named"; cat all.out; fi
done
cp src/near.h 'src/a b.h'
printf '#include "a b.h"\n#include <tlaloc/grad.h>\nstatic double f(double x) { return NEAR * x; }\ndouble g(double x) { return tl_grad(f)(x); }\n' >'src/a $b#.c'
expect_status 0 "$tlalocc" -MMD -MF other.d -c 'src/a $b#.c' -o a.o
expect_line other.d 'src/a\ $$b\#.c'
expect_line other.d 'src/a\ b.h'

begin "byte order mark, no newline at the end, DOS line ends"
printf '\357\273\277#include <tlaloc/grad.h>\r\nstatic double f(double x) { return x * x; }\r\ndouble g(double x) { int unused; return tl_grad(f)(x); }' >a.c
expect_status 0 "$tlalocc" -Wall -c a.c
expect_line err "a.c:3:26: warning: unused variable"

begin "a libclang of another version"
cat >fake.c <<'C'
typedef struct { const void *data; unsigned flags; } string;
string clang_getClangVersion(void);
string clang_getClangVersion(void) { return (string){"Debian clang version 21.1.0", 0}; }
C
expect_status 0 cc -shared -fPIC fake.c -o fake.so
grad_c
export ASAN_OPTIONS=verify_asan_link_order=0
expect_status 1 env LD_PRELOAD="$PWD/fake.so" "$tlalocc" -c grad.c
expect_line err "21.1.0"
expect_line err "[VERSION_UNSUPPORTED]"
expect_status 0 env LD_PRELOAD="$PWD/fake.so" "$tlalocc" --unsafe-allow-unsupported-clang -c grad.c
unset ASAN_OPTIONS

begin "a header by itself, another target"
printf '#include <tlaloc/grad.h>\ndouble f(int n, const double *x TL_LEN(n));\n' >a.h
expect_status 0 "$tlalocc" -fsyntax-only -Wall -Wextra a.h
expect_status 0 "$tlalocc" -x c-header a.h -o a.h.gch
grad_c
expect_status 1 "$tlalocc" -m32 -c grad.c
expect_line err "[UNSUPPORTED_CONSTRUCT]"

begin "standard input"
printf '#include <tlaloc/grad.h>\nstatic double f(double x) { return x * x; }\ndouble g(double x) { return tl_grad(f)(x) +; }\n' >a.c
status=0
"$tlalocc" -x c -c -o a.o - <a.c >out 2>err || status=$?
[ "$status" = 1 ] || fault "status $status"
expect_line err "<stdin>:3:44: error"

begin "a crash of the child is one diagnostic"
mkdir bin
cp "$tlalocc" bin/tlalocc
ln -s "$include" include
grad_c
printf '#!/bin/sh\necho "some last words" >&2\nkill -SEGV $$\n' >bin/tlaloc-front
chmod +x bin/tlaloc-front
expect_status 1 bin/tlalocc -c grad.c
expect_line err "grad.c: error: the translation ended by signal 11 (Segmentation fault) [INTERNAL_ERROR]"
expect_line err "https://github.com/tlaloc/tlaloc/issues"
[ "$(grep -c 'error:' err)" = 1 ] || fault "more than one error"
expect_line err "some last words"
expect_no_temporaries

begin "a child that takes too long is one diagnostic"
mkdir bin
cp "$tlalocc" bin/tlalocc
ln -s "$include" include
grad_c
printf '#!/bin/sh\nexec sleep 60\n' >bin/tlaloc-front
chmod +x bin/tlaloc-front
expect_status 1 env TLALOCC_TIMEOUT=1 bin/tlalocc -c grad.c
expect_line err "the translation took longer than 1 seconds [INTERNAL_ERROR]"
expect_no_temporaries

begin "a signal leaves nothing behind"
mkdir bin
cp "$tlalocc" bin/tlalocc
ln -s "$include" include
grad_c
printf '#!/bin/sh\necho $$ >%s/child\nexec sleep 60\n' "$PWD" >bin/tlaloc-front
chmod +x bin/tlaloc-front
bin/tlalocc -c grad.c >out 2>err &
driver=$!
for attempt in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
  [ -s child ] && break
  sleep 0.1
done
kill -TERM $driver
status=0
wait $driver 2>/dev/null || status=$?
[ "$status" = 143 ] || fault "status $status, not that of SIGTERM"
expect_no_temporaries
if kill -0 "$(cat child)" 2>/dev/null; then fault "the child lives on"; fi

begin "the compiler cannot be started"
grad_c
expect_status 1 env TLALOCC_CC=no-such-compiler "$tlalocc" -c grad.c
printf 'int x;\n' >plain.c
expect_status 1 env TLALOCC_CC=no-such-compiler "$tlalocc" -c plain.c
expect_line err "cannot start no-such-compiler"

begin "the compiler behind tlalocc is tlalocc itself"
grad_c
mkdir bin
cp "$tlalocc" bin/tlalocc
ln -s "$tlalocc" bin/cc
printf 'int x;\n' >plain.c
for cc in "$tlalocc" "$PWD/bin/cc" "$PWD/bin/tlalocc" tlalocc "ccache $tlalocc"; do
  for file in grad.c plain.c; do
    expect_status 1 env PATH="$PWD/bin:$PATH" TLALOCC_CC="$cc" "$tlalocc" -c $file
    expect_line err "' is tlalocc itself: TLALOCC_CC names the compiler behind tlalocc, as gcc"
  done
done
expect_status 1 env PATH="$PWD/bin:$PATH" TLALOCC_CC= "$tlalocc" -c grad.c
expect_line err "tlalocc: error: 'cc' is tlalocc itself"
expect_status 0 "$tlalocc" --tlaloc-launch "$PWD/bin/tlalocc" -c grad.c

begin "as a launcher"
grad_c
expect_status 0 "$tlalocc" --tlaloc-launch gcc -O1 -c grad.c -o g.o
[ -e g.o ] || fault "no object"

begin "names that intrinsics reach through macros and headers"
printf '#include <tlaloc/grad.h>\n#define DERIVE(f, at) tl_grad(f)(at)\n#define DEFINE(name) static double name(double x) { return x * x; }\n' >lib.h
printf '#include "lib.h"\nDEFINE(f)\ndouble g(double x) { return DERIVE(f, x); }\n' >a.c
expect_status 0 "$tlalocc" -Wall -Wextra -Wpedantic -c a.c
printf '#define HEADER "lib.h"\n#include HEADER\nDEFINE(f)\ndouble g(double x) { return DERIVE(f, x); }\n' >b.c
expect_status 0 "$tlalocc" -Wall -Wextra -Wpedantic -c b.c

begin "macros with the names that emitted code has"
cat >a.c <<'C'
#include <math.h>
#include <stdio.h>
#include <tlaloc/grad.h>
#define x_bar out[0]
#define SIZE 4
#define tape 9
#define blocks 9
#define out_of_memory 4
#define lane 3
#define k 2
static double f(int n, const double x[n], double y) {
  double s = 1;
  for (int i = 0; i < n; i++) {
    s = sin(s * x[i]) + y;
    if (s > y) {
      s *= lane * x[i];
    }
  }
  return s * s;
}
static double g(const double *x TL_LEN(SIZE)) { return x[0] * x[SIZE - 1]; }
#define i 3
#define n 2
#define s 1
#define cos 0
#define sin(a) 0
#define memset 0
#define free 0
#define malloc(a, b) 0
#define size_t short
#define weak strong
#undef NULL
#define NULL nothing
#undef NAN
#define NAN 7
int main(void) {
  double X[SIZE] = {.1, .2, .3, .4}, out[SIZE], slope[SIZE], y, J[1][SIZE], J_y[1][1], H[SIZE][SIZE];
  tl_grad(f)(SIZE, X, .5, &x_bar, &y);
  tl_jacobian(f)(SIZE, X, .5, J, J_y);
  tl_hessian(f, x)(SIZE, X, .5, H);
  tl_grad(g)(X, slope);
  printf("%d %d %d %g\n", fabs(out[1] - J[0][1]) < 1e-12, fabs(H[0][1] - H[1][0]) < 1e-12, tl_check_vjp(f)(SIZE, X, .5, 0), slope[0]);
  return 0;
}
C
for cc in gcc clang-19; do
  expect_status 0 env TLALOCC_CC=$cc "$tlalocc" -Wall -Wextra -Wno-tl-array-copy a.c -lm -o prog
  [ ! -s err ] || { fault "$cc says:"; cat err; }
  expect_status 0 ./prog
  expect_text out "1 1 0 0.4"
done
expect_status 0 "$tlalocc" -Wno-tl-array-copy --dump-grad-source a.c
if grep -q '#undef' out; then fault "the dump, which has no macros of the file, undefines some"; fi

begin "the functions of <tgmath.h> are those of <math.h> in emitted code"
cat >a.c <<'C'
#include <complex.h>
#include <tgmath.h>
#include <stdio.h>
#include <tlaloc/grad.h>
static double f(double x, float y) { return sin(x) * exp(y) + fabs(x) * sqrt((double)y); }
int main(void) {
  double x_bar;
  float y_bar;
  tl_grad(f)(.3, .7f, &x_bar, &y_bar);
  printf("%.3f %.3f %d\n", x_bar, (double)y_bar, tl_check_vjp(f, x)(.3, .7f, 0));
  return 0;
}
double (*slope)(double, float) = tl_grad(f, x);
C
for cc in gcc clang-19; do
  expect_status 0 env TLALOCC_CC=$cc "$tlalocc" -Wall -Wextra a.c -lm -o prog
  [ ! -s err ] || { fault "$cc says:"; cat err; }
  expect_status 0 ./prog
  expect_text out "2.760 0.774 0"
done
sed '/^int main/,/^}/d' a.c >b.c
expect_status 0 "$tlalocc" --dump-grad-source b.c
cp out dump.c
if grep -q 'tgmath\|#undef' dump.c; then fault "the dump, which names the functions, has <tgmath.h> or its macros"; fi
for cc in gcc clang-19; do
  expect_status 0 $cc -Wall -Wextra -Werror -c dump.c -o dump.o
done

begin "derivatives inside differentiated functions"
cat >a.c <<'C'
#include <stdio.h>
#include <tlaloc/grad.h>
static double cube(double x) { return x * x * x; }
static double slope(double x) { return tl_grad(cube)(x) * x; }
static double deeper(double x) { return tl_grad(slope)(x) * x; }
int main(void) {
  printf("%g %g %g\n", tl_grad(slope)(2.0), tl_grad(deeper)(2.0), tl_grad(tl_grad(cube))(2.0));
  return 0;
}
C
expect_status 0 "$tlalocc" -Wall -Wextra -Wpedantic a.c -o prog
expect_status 0 ./prog
expect_text out "36 108 12"

begin "two files of two folders in one command"
mkdir one two
printf '#define V 1.0\n' >one/v.h
printf '#define V 2.0\n' >two/v.h
for d in one two; do
  printf '#include "v.h"\n#include <tlaloc/grad.h>\nstatic double f(double x) { return V * x * x; }\ndouble %s(double x) { return tl_grad(f)(x); }\n' $d >$d/a.c
done
printf '#include <stdio.h>\ndouble one(double), two(double);\nint main(void) { printf("%%g %%g\\n", one(1), two(1)); return 0; }\n' >main.c
expect_status 0 "$tlalocc" one/a.c two/a.c main.c -lm -o prog
expect_status 0 ./prog
expect_text out "2 4"
expect_no_temporaries

begin "several files, some without intrinsics, in all orders and folders"
mkdir src other
printf '#define V 3.0\n' >src/v.h
printf '#include "v.h"\n#include <tlaloc/grad.h>\nstatic double f(double x) { return V * x * x; }\ndouble model(double x) { return tl_grad(f)(x); }\n' >src/model.c
printf '#include <stdio.h>\ndouble model(double), more(double);\nint main(void) { printf("%%g\\n", model(1) + more(1)); return 0; }\n' >main.c
printf 'double more(double x) { return x; }\n' >other/more.c
cp main.c src/main.c
cp other/more.c src/more.c
cp other/more.c more.c
gcc -c more.c -o more.o
for inputs in "main.c src/model.c other/more.c" "src/model.c main.c other/more.c" "other/more.c main.c src/model.c" \
  "src/main.c src/model.c src/more.c" "main.c more.o src/model.c" "$PWD/main.c src/model.c more.c" "main.c $PWD/src/model.c more.o" \
  "src/../main.c ../run/src/model.c ./more.c" "-x c main.c src/model.c other/more.c"; do
  rm -f prog
  # shellcheck disable=SC2086
  expect_status 0 "$tlalocc" -Wall -Wextra $inputs -lm -o prog
  expect_status 0 ./prog
  expect_text out 7
  # shellcheck disable=SC2086
  expect_status 0 env TLALOCC_CC=clang-19 "$tlalocc" -O1 -o prog $inputs -lm
  expect_status 0 ./prog
  expect_text out 7
  expect_no_temporaries
done
printf -- 'main.c src/model.c more.c -o prog -lm\n' >words
expect_status 0 "$tlalocc" @words
expect_status 1 "$tlalocc" -c main.c src/model.c -o prog.o
expect_line err "cannot specify"
printf '#include <tlaloc/grad.h>\nstatic double f(double x) { return x * x; }\ndouble model(double x) { return tl_grad(f)(x); }\n#error stop\n' >src/model.c
expect_status 1 "$tlalocc" main.c src/model.c more.c -o prog
printf 'int main(void) { return wrong; }\n' >main.c
printf '#include <tlaloc/grad.h>\nstatic double f(double x) { return x * x; }\ndouble model(double x) { return tl_grad(f)(x); }\n' >src/model.c
expect_status 1 "$tlalocc" main.c src/model.c more.c -o prog
expect_line err "main.c:1:25: error"
expect_no_temporaries

begin "dependencies of sources of several folders that are linked, as cc names them"
mkdir one two user
printf '#include <tlaloc/grad.h>\n#include "v.h"\nstatic double f(double x) { return V * x * x; }\ndouble model(double x) { return tl_grad(f)(x); }\n' >one/model.c
printf '#define V 3.0\n' >one/v.h
printf 'double model(double);\nint main(void) { return model(1) != 6; }\n' >two/main.c
sed '/tlaloc/d; s/tl_grad(f)/f/' one/model.c >user/model.c
cp one/v.h user/v.h
for cc in gcc clang-19; do
  for options in "-MD" "-MMD -MP" "-MMD -o prog" "-MD -o user/prog.exe" "-MMD -MF other.d" "-MMD -MT t -o prog" \
    "-Wp,-MMD,other.d -o prog"; do
    for inputs in "one/model.c two/main.c" "two/main.c one/model.c"; do
      find . -name '*.d' -delete
      # shellcheck disable=SC2086
      expect_status 0 env TLALOCC_CC=$cc "$tlalocc" -Wno-unused-command-line-argument $options $inputs
      for file in $(find . -name '*.d'); do
        printf '%s: ' "$file"
        grep -v '\.h:$\|^$' "$file" | tr -d '\\\n' | tr -s ' ' '\n' | grep -v '^/usr\|tlaloc' | tr '\n' ' '
        echo
      done | sort >deps.ours
      find . -name '*.d' -delete
      # shellcheck disable=SC2086
      expect_status 0 "$cc" -Wno-unused-command-line-argument $options $(echo "$inputs" | sed 's/one/user/')
      for file in $(find . -name '*.d'); do
        printf '%s: ' "$file"
        sed 's|user/\([mv]\)|one/\1|g' "$file" | grep -v '\.h:$\|^$' | tr -d '\\\n' | tr -s ' ' '\n' | grep -v '^/usr' | tr '\n' ' '
        echo
      done | sort >deps.theirs
      diff deps.ours deps.theirs >diff.out || { fault "$cc $options $inputs:"; cat diff.out; }
      [ -s deps.ours ] || fault "$cc $options: no dependencies"
    done
  done
done
expect_no_temporaries

begin "inputs behind --"
grad_c
printf '#include <tlaloc/grad.h>\ndouble plain(double x) { return x; }\n' >header.c
printf '#include <math.h>\n#include "near/near.h"\n' >includes.c
mkdir near
printf '#include <tlaloc/grad.h>\n' >near/near.h
for inputs in grad.c header.c includes.c "grad.c header.c"; do
  rm -f ./*.o
  # shellcheck disable=SC2086
  expect_status 0 env TLALOCC_CC=clang-19 "$tlalocc" -O1 -c -- $inputs
  for input in $inputs; do
    [ -e "${input%.c}.o" ] || fault "no ${input%.c}.o"
  done
  [ ! -s err ] || { fault "clang says:"; cat err; }
done
printf -- '-c -O1\n-- grad.c\n' >words
rm -f ./*.o
expect_status 0 env TLALOCC_CC=clang-19 "$tlalocc" @words
[ -e grad.o ] || fault "no grad.o"
printf -- '-c -O1\n-- header.c\n' >words
expect_status 0 env TLALOCC_CC=clang-19 "$tlalocc" @words
[ -e header.o ] || fault "no header.o"
expect_no_temporaries
mkdir other
cp header.c other/other.c
printf 'int main(void) { return 0; }\n' >main.c
expect_status 0 env TLALOCC_CC=clang-19 "$tlalocc" -o prog -lm -- grad.c other/other.c main.c
expect_status 0 ./prog
expect_status 0 env TLALOCC_CC=clang-19 "$tlalocc" -E -- grad.c
expect_line out "double f("
printf '#include <tlaloc/grad.h>\ndouble f(double x) { return x +; }\ndouble g(double x) { return tl_grad(f)(x); }\n' >-bad.c
expect_status 1 env TLALOCC_CC=clang-19 "$tlalocc" -c -- -bad.c
expect_line err "-bad.c:2:32: error: expected expression"

begin "a folder for temporaries that cannot be used"
grad_c
printf '#include <tlaloc/grad.h>\n' >plain.c
: >file
long=$(printf '%01100d' 0)
for folder in "$work/no/such" file "$long" "$(printf 'a\nb')" a=b ''; do
  case $folder in *file* | *no/such | "$long") ;; *) mkdir -p "./$folder" ;; esac
  for options in -c -E "-c -MD" "-g -c"; do
    # shellcheck disable=SC2086
    expect_status 0 env TMPDIR="$folder" "$tlalocc" $options grad.c
    [ ! -s err ] || { fault "TMPDIR=$folder says:"; cat err; }
  done
  expect_status 0 env TMPDIR="$folder" sh -c 'cat plain.c | "$0" -x c -c -o p.o -' "$tlalocc"
done
for option in -E "-g -c -o grad.o"; do
  # shellcheck disable=SC2086
  expect_status 0 env TMPDIR=a=b "$tlalocc" $option grad.c
  if grep -q tlalocc- out grad.o; then fault "$option names a temporary"; fi
done

# What is in no folder of the user's is in that of the system, which here takes nothing.
begin "no folder for temporaries"
grad_c
printf '#include <tlaloc/grad.h>\n' >plain.c
mkdir own
read_only() { unshare -rm sh -c 'mount --bind /tmp /tmp && mount -o remount,bind,ro /tmp && cd "$PWD" && mount -t tmpfs none own && cd "$PWD" && exec "$@"' sh "$@"; }
if read_only true 2>/dev/null; then
  why="Read-only file system"
  expect_status 1 read_only env TMPDIR="$work/no/such" "$tlalocc" -c grad.c
  expect_text err "tlalocc: error: cannot make a temporary folder in $work/no/such (TMPDIR) or in /tmp: $why"
  expect_status 1 read_only env -u TMPDIR "$tlalocc" -c grad.c
  expect_text err "tlalocc: error: cannot make a temporary folder in /tmp: $why"
  expect_status 1 read_only env -u TMPDIR sh -c 'cat plain.c | "$0" -x c -o "$PWD/own/p.o" -c -' "$tlalocc"
  expect_text err "tlalocc: error: cannot make a temporary folder in /tmp: $why"
  # All that tlalocc makes is in TMPDIR.
  expect_status 0 read_only env TMPDIR="$PWD/own" "$tlalocc" -E grad.c
  expect_line out "double f("
  expect_status 0 read_only env TMPDIR="$PWD/own" "$tlalocc" -c grad.c -o own/grad.o
  expect_status 0 read_only env TMPDIR="$PWD/own" sh -c 'cat plain.c | "$0" -x c -o own/p.o -c - && ls own' "$tlalocc"
  expect_text out p.o
else
  echo "no namespace of one's own: it is not tried what happens where /tmp takes nothing"
fi

begin "the dump cannot be written"
grad_c
: >file
expect_status 1 "$tlalocc" --dump-grad-source-dir=file -c grad.c -o g.o
expect_line err "tlalocc: error: cannot write file/g.o.grad/grad.grad.c: Not a directory"
[ ! -e g.o ] || fault "an object was written"
expect_status 1 "$tlalocc" --dump-grad-source-dir= -c grad.c
expect_line err "tlalocc: error: bad value in '--dump-grad-source-dir='"

begin "a derivative that needs itself"
printf '#include <tlaloc/grad.h>\ndouble f(double x) { return x > 1 ? tl_grad(f)(x / 2) : x * x; }\n' >a.c
expect_status 1 "$tlalocc" -c a.c
expect_line err "a.c:2:37: error: 'f__grad' is needed for its own derivation [UNSUPPORTED_CONSTRUCT]"

begin "an intrinsic within the include that brings its function"
printf '#include <math.h>\n#include <tlaloc/grad.h>\nstatic double f(double x) { return sin(x); }\n' >f.h
printf 'static inline double slope(double x) { return tl_grad(f)(x); }\n' >use.h
printf '#include "f.h"\n#include "use.h"\n' >both.h
printf '#include "both.h"\ndouble g(double x) { return slope(x) + tl_grad(f)(x); }\n' >a.c
expect_status 1 "$tlalocc" -c a.c
expect_line err "use.h:1:47: error: this derivative of 'f' is named within the #include that brings 'f', and can be declared only behind it"
expect_line err "a.c:1: note: this #include"
printf '#include "f.h"\n#include "use.h"\ndouble g(double x) { return slope(x) + tl_grad(f)(x); }\n' >a.c
expect_status 0 "$tlalocc" -Wall -Wextra -Werror -c a.c

begin "what the preprocessor printed cannot be written"
grad_c
status=0
"$tlalocc" -E grad.c 2>err >/dev/full || status=$?
[ "$status" = 1 ] || fault "status $status"
expect_line err "tlalocc: error: cannot write what the preprocessor printed: No space left on device"

begin "a child that ends with a status of its own"
mkdir bin
cp "$tlalocc" bin/tlalocc
ln -s "$include" include
grad_c
printf '#!/bin/sh\necho "some last words" >&2\nexit 3\n' >bin/tlaloc-front
chmod +x bin/tlaloc-front
expect_status 1 bin/tlalocc -c grad.c
expect_line err "grad.c: error: the translation ended with status 3 [INTERNAL_ERROR]"
expect_line err "some last words"
expect_no_temporaries

begin "a child without memory"
mkdir bin
cp "$tlalocc" bin/tlalocc
ln -s "$include" include
grad_c
for words in "libLLVM.so: failed to map segment from shared object" "LIBCLANG FATAL ERROR: pthread_create failed: Resource temporarily unavailable"; do
  printf '#!/bin/sh\necho "%s" >&2\nexit 127\n' "$words" >bin/tlaloc-front
  chmod +x bin/tlaloc-front
  expect_status 1 bin/tlalocc -c grad.c
  expect_line err "grad.c: error: an allocation failed [OUT_OF_MEMORY]"
  expect_line err "note: $words"
  expect_no_temporaries
done

cat >bin/tlaloc-front <<'SH'
#!/bin/sh
echo "terminate called after throwing an instance of 'St9bad_alloc'
  what():  std::bad_alloc
libclang: crash detected during parsing: {
grad.c: error: libclang could not read the file (error 2) [INTERNAL_ERROR]" >&2
exit 1
SH
expect_status 1 bin/tlalocc -c grad.c
expect_text err "grad.c: error: an allocation failed [OUT_OF_MEMORY]
grad.c: note: std::bad_alloc"

begin "bodies that the compiler refuses"
mkdir bin
cp "$tlalocc" bin/tlalocc
ln -s "$include" include
grad_c
cat >bin/tlaloc-front <<'C'
#!/bin/sh
for word; do
  case $word in
    --out=*) out=${word#--out=} ;;
    --generated=*) generated=${word#--generated=} ;;
  esac
done
echo 'double broken( {' >"$generated"
printf '#include "%s"\n' "$generated" >"$out"
C
chmod +x bin/tlaloc-front
expect_status 1 bin/tlalocc -c grad.c
expect_line err "grad.c: error: the compiler refuses the derivative that was written for this file [INTERNAL_ERROR]"
echo "echo '#line 3 \"grad.c\"' >\"\$generated\"; echo 'double broken( {' >>\"\$generated\"" >>bin/tlaloc-front
expect_status 1 bin/tlalocc -g -c grad.c
expect_line err "grad.c: error: the compiler refuses the derivative that was written for this file [INTERNAL_ERROR]"
expect_line err "https://github.com/tlaloc/tlaloc/issues"
expect_no_temporaries

begin "no child"
mkdir bin
cp "$tlalocc" bin/tlalocc
ln -s "$include" include
grad_c
expect_status 1 bin/tlalocc -c grad.c
expect_line err "tlalocc: error: cannot start $PWD/bin/../libexec/tlaloc/tlaloc-front: No such file or directory"
expect_no_temporaries
if [ -x "$(dirname "$tlalocc")/tlaloc-front" ]; then
  expect_status 1 "$(dirname "$tlalocc")/tlaloc-front" --no-such-option
  expect_line err "tlaloc-front: this program is started by tlalocc"
else
  fault "there is no tlaloc-front beside $tlalocc"
fi

end
