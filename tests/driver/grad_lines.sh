#!/bin/sh
# grad_lines.sh TLALOCC LINES
set -eu
tlalocc=$(realpath "$1") lines=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C TZ=UTC TMPDIR="$work/tmp"
mkdir "$work/tmp" "$work/tlalocc-files" "$work/tlalocc-files/sub"
cd "$work/tlalocc-files"
cat >grad.c <<'C'
#include "mine.h"
#include <tlaloc/grad.h>

static double cube(double x) { return SCALE * x * x * x; }

double slope(double x) { return tl_grad(cube)(x); }
C
printf '#define SCALE 2.0\ndouble slope(double x);\n' >mine.h
cat >main.c <<'C'
#include <stdio.h>
#include "mine.h"
int main(void) { return printf("%%a %%s\n", slope(3), __FILE__) < 0; }
C
sed -i 's/%%/%/g' main.c
cat >sub/inner.c <<'C'
#include "near.h"
#include <tlaloc/grad.h>
static double square(double x) { return NEAR * x * x; }
double inner(double x) { return tl_grad(square)(x); }
const char *inner_file = __FILE__;
C
printf '#define NEAR 1.5\n' >sub/near.h
printf '#include <tlaloc/grad.h>\nstatic inline double in_header(double x) { return x * x; }\n' >sub/shared.h
printf '#include "shared.h"\ndouble from_header(double x) { return tl_grad(in_header)(x); }\n' >from_header.c
cp grad.c named.txt
cp grad.c 'spaced name.c'
printf 'static double square(double x) { return x * x; }\ndouble forced(double x) { return tl_grad(square)(x); }\n' >forced.c
printf '#include <tlaloc/grad.h>\nstatic double square(double x) { return x * x; }\ndouble f(double x) { return tl_grad(square)(x) +; }\n' >syntax_error.c
printf '#include <tlaloc/grad.h>\nstatic double square(double x) { return x * x; }\nint f(double *x) { return tl_grad(square)(x); }\n' >refused_by_cc.c
printf '#include <tlaloc/grad.h>\nstatic double square(double x) { return x * x; }\ndouble f(double x) { int v; return tl_grad(square)(x); }\n' >warns.c
printf -- '-c -O1 "grad.c"\n-o out.o\n' >args.rsp

# The twins: the header gives derivatives by hand.
cp -r "$work/tlalocc-files" "$work/cc-files"
mkdir "$work/twin" "$work/twin/tlaloc"
cat >"$work/twin/tlaloc/grad.h" <<'C'
#ifndef TWIN
#define TWIN
#pragma GCC system_header
#define tl_grad(f) f##__grad
static double cube__grad(double x) __attribute__((unused));
static double cube__grad(double x) { return 6.0 * x * x; }
static double square__grad(double x) __attribute__((unused));
static double square__grad(double x) { return 2.0 * NEAR_OR_ONE * x; }
#ifdef NEAR
#define NEAR_OR_ONE NEAR
#else
#define NEAR_OR_ONE 1.0
#endif
static double in_header__grad(double x) __attribute__((unused));
static double in_header__grad(double x) { return 2.0 * x; }
#endif
C
# Macros are replaced where they are used: the definition must stand before.
python3 - "$work/twin/tlaloc/grad.h" <<'P'
import sys
text = open(sys.argv[1]).read()
start, end = text.index("#ifdef NEAR"), text.index("static double in_header__grad")
block = text[start:end]
text = text.replace(block, "")
text = text.replace("static double cube__grad(double x) __attribute__", block + "static double cube__grad(double x) __attribute__", 1)
open(sys.argv[1], "w").write(text)
P
sed -i 's/static double cube(/static __attribute__((unused)) double cube(/; s/static double square(/static __attribute__((unused)) double square(/' "$work"/cc-files/*.c "$work"/cc-files/sub/*.c "$work"/cc-files/named.txt

run() {
  who=$1 compiler=$2 line=$3
  rm -rf "$work/run" "$work/$who"
  cp -r "$work/$who-files" "$work/run"
  status=0
  (cd "$work/run" && eval "$compiler $line") >"$work/$who.out" 2>"$work/$who.err" </dev/null || status=$?
  echo "$status" >"$work/$who.status"
  mv "$work/run" "$work/$who"
  (cd "$work/$who" && find . -type f | grep -v '\.ltrans\|\.res$' | sort) >"$work/$who.files"
  (cd "$work/$who" && find . -name '*.d' -exec cat {} + | tr -s ' \\\n' '\n' | grep -v 'grad\.h') >"$work/$who.deps" || true
}

count=0 faults=0
while IFS= read -r line; do
  case $line in '' | '#'*) continue ;; esac
  count=$((count + 1))
  run cc "${TLALOCC_CC:-cc} -isystem '$work/twin'" "$line"
  run tlalocc "'$tlalocc'" "$line"
  # Messages are of the user's own file and line; a twin's text differs at the columns of its attribute.
  for who in cc tlalocc; do
    sed -n 's/^\([^:]*:[0-9]*\):[0-9]*: \(error\|warning\).*/\1 \2/p' "$work/$who.err" >"$work/$who.messages"
    case $line in *' -E'* | '-E'*) : >"$work/$who.out" ;; esac
    case $line in *-MM*' grad.c' | *save-temps*) sed -i 's/ [^ ]*grad\.h//g' "$work/$who.out" ;; esac
  done
  for what in status out messages deps; do
    if ! cmp -s "$work/cc.$what" "$work/tlalocc.$what"; then
      echo "cc $line: $what differs:"
      diff "$work/cc.$what" "$work/tlalocc.$what" || true
      sed -n 1,10p "$work/tlalocc.err"
      faults=$((faults + 1))
    fi
  done
  if ! cmp -s "$work/cc.files" "$work/tlalocc.files"; then
    echo "cc $line: other files appear:"
    diff "$work/cc.files" "$work/tlalocc.files" || true
    faults=$((faults + 1))
  fi
  if [ -n "$(ls -A "$work/tmp")" ]; then
    echo "cc $line: temporaries are left: $(ls -A "$work/tmp")"
    rm -rf "$work/tmp"
    mkdir "$work/tmp"
    faults=$((faults + 1))
  fi
done <"$lines"
echo "$count command lines, $faults differences"
[ "$count" -ge 40 ] && [ "$faults" = 0 ]
