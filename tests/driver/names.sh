#!/bin/sh
# names.sh TLALOCC: files by any name that a folder takes. What cc does with such a file, tlalocc does with one that has
# an intrinsic, and what it writes names the file as cc would.
set -eu
. "$(dirname "$0")/harness.sh"

file_c() {
  cat <<'C'
#include <math.h>
#include "part: of it.h"
#include <tlaloc/grad.h>
static const char *const own = __FILE__;
static double f(double x) {
  double y = sin(x);
  return y * PART + both(x);
}
const char *name(void) { return own; }
double slope(double x) { return tl_grad(f)(x); }
C
}
# A header whose name stands in comments of the bodies.
part_h() {
  printf '#include <math.h>\n#define PART (x * x)\nstatic inline double both(double x) {\n  double y = cos(x);\n  return y * y;\n}\n'
}
main_c='#include <math.h>
#include <stdio.h>
#include <string.h>
double slope(double);
const char *name(void);
int main(int argc, char **argv) {
  double wanted = cos(2) * 4 + sin(2) * 4 - 2 * cos(2) * sin(2);
  if (argc != 2 || strcmp(name(), argv[1]) != 0) {
    printf("__FILE__ is %s\n", name());
    return 1;
  }
  return fabs(slope(2) - wanted) > 1e-14;
}'

# What a rule of make lists, a word a line; not what lies in cc's and our own folders.
words_of_rule() {
  sed 's/ *\\$//; s/^ *//; s/\([^\\]\) /\1\n/g' "$1" | grep -v '^$\|^/' || true
}

# try FOLDER NAME [CC ...]: everything with FOLDERNAME, by these compilers.
try() {
  begin "$(printf %s "$1$2" | tr '\001-\037\177-\377' '?' | cut -c 1-60)"
  path=$1$2
  [ -z "$1" ] || mkdir -p "$1"
  part_h >"${1}part: of it.h"
  file_c >"$path"
  printf '%s\n' "$main_c" >main.c
  # For plain cc, on the same text: a derivative that is none.
  mkdir -p twin/tlaloc
  printf '#define tl_grad(f) f\n' >twin/tlaloc/grad.h
  shift 2
  [ $# != 0 ] || set -- "${TLALOCC_CC:-cc}" clang-19
  for cc; do
    expect_status 0 $cc -isystem "$PWD/twin" -MD -MF cc.d -MT T -o cc.o -c "$path"
    expect_status 0 env TLALOCC_CC="$cc" "$tlalocc" -std=c99 -g -Wall -Wextra -Werror -MD -MF tl.d -MT T -o tl.o -c "$path"
    words_of_rule cc.d >cc.words
    words_of_rule tl.d >tl.words
    [ "$(wc -l <cc.words)" = 3 ] || fault "$cc: not one file and one header: $(cat cc.words)"
    diff cc.words tl.words >diff.out || { fault "$cc: other dependencies:"; cat diff.out; }
    expect_status 0 $cc -o prog main.c tl.o -lm
    expect_status 0 ./prog "$path"
    expect_status 0 env TLALOCC_CC="$cc" "$tlalocc" -E "$path"
    if grep -q tlalocc- out; then
      fault "$cc: -E names a temporary: $(grep tlalocc- out)"
    fi
    mv out text.i
    expect_status 0 $cc -c text.i -o text.o
    expect_status 0 env TLALOCC_CC="$cc" "$tlalocc" -MD -MP -MF tl.d -MT T --dump-grad-source-dir=dumps -g -o tl.o -c "$path"
    ! grep -q tlalocc- tl.d || fault "$cc: a rule names a temporary: $(grep tlalocc- tl.d)"
    find dumps -name '*.grad.c' -exec cp {} dump.c \;
    expect_status 0 $cc -std=c99 -Wall -Wextra -Werror -c dump.c -o dump.o
    expect_line dump.c "#include <math.h>"
    rm -rf dumps
    expect_no_temporaries
  done
}

try '' 'a"b.c'
try 'c"d/' "sp ace'\"q.c"
try '' 'a\b.c'
try 'a b/' 'c#d$e.c'
try 'a\ b/' 'c\ d.c' gcc # clang writes a slash for a backslash
# Folders whose names would end or open a comment, and trigraphs.
try 'a*/' 'b.c'
try 'a/' '*b.c'
try 'a??/' '??=b.c'
try '' "!\"#\$%&'()*+,-.:;<=>?@[\\]^_\`{|}~.c"
try '%s%n/' '%s%d.c'
try '' "$(printf '\351\377.c')"
try "$(printf '\303\251/')" "$(printf '\303\251.c')"
try '' "$(printf '\001\002\003\004\005\006\007\010\013\014\016\017\020\021\022\023\024\025\026\027\030\031\032\033\034\035\036\037\177.c')"
try '' "$(printf '%0240d' 0 | tr 0 n).c"

begin "a line break in a name is refused"
for name in "$(printf 'a\nb.c')" "$(printf 'a\rb.c')"; do
  printf '#include <tlaloc/grad.h>\ndouble f(double x) { return x; }\ndouble g(double x) { return tl_grad(f)(x); }\n' >"$name"
  expect_status 1 "$tlalocc" -c "$name"
  expect_line err "b.c: error: a file whose name has a line break cannot be translated [UNSUPPORTED_CONSTRUCT]"
  printf 'double f(double x) { return x; }\n' >"$name"
  expect_status 0 "$tlalocc" -c "$name" -o a.o
done
name="a line break in a name is refused"
expect_no_temporaries

begin "messages as JSON"
for path in 'a"b\c.c' "$(printf 't\tu\001.c')" "$(printf '\351\355\240\200\303\251\360\237\230\200.c')"; do
  printf '#include <tlaloc/grad.h>\ndouble far(double x);\ndouble g(double x) { return tl_grad(far)(x); }\n' >"$path"
  expect_status 1 "$tlalocc" --diagnostics-format=json -c "$path"
  python3 - "$path" err <<'P' || fault "$path: the file's name is another"
import json, os, sys
wanted = os.fsencode(sys.argv[1]).decode("utf-8", "replace")
for line in open(sys.argv[2], "rb").read().decode("utf-8").splitlines():
    said = json.loads(line)
    assert said["file"] == wanted and said["line"] > 0, (said["file"], wanted)
P
done

begin "what a refused derivative says at run time"
path='a??'"'"'"\b.c'
cat >"$path" <<'C'
#include <tlaloc/grad.h>
double outside(double x);
static double f(double x) { return x * outside(x); }
int main(void) { return tl_grad(f)(1) > 0; }
C
printf 'double outside(double x) { return x; }\n' >b.c
expect_status 0 "$tlalocc" --no-strict-lowering -std=c99 -o prog "$path" b.c
expect_status 134 ./prog
expect_line err "$path:3:40: error: "

begin "the C compiler reads another program in a file with quotes in its name"
printf '#include <tlaloc/grad.h>\n#ifdef __clang__\n#define N 2\n#else\n#define N 3\n#endif\nstatic double f(double x) { return N * x; }\ndouble g(double x) { return tl_grad(f)(x); }\n' >'a"b.c'
expect_status 1 env TLALOCC_CC=gcc "$tlalocc" -c 'a"b.c'
expect_line err 'a"b.c:7:1: note: the C compiler'"'"'s line is: static double f(double x) { return 3 * x; }'

begin "a derivative needs helpers of our own beside the ops of tensor.h"
cat >a.c <<'C'
#include <math.h>
#include <tlaloc/grad.h>
#include <tlaloc/tensor.h>
static double f(double x) {
  int e;
  double whole, m = frexp(x, &e);
  return lgamma(x) + m * e + modf(x, &whole);
}
static double g(int n, double x) { return x > 0 ? tl_grad(f)(x) * n : 0; }
int main(void) { return tl_grad(g)(2, 1.5) > 0 ? 0 : sizeof(tl_tensor) != 0; }
C
expect_status 0 "$tlalocc" -Wall -Wextra -Werror -O1 -o prog a.c -lm
expect_status 0 ./prog
expect_status 0 "$tlalocc" --dump-grad-source a.c
grep -q '^static double tl__digamma(' out || fault "the dump has no digamma"

end
