#!/bin/sh
# plain.sh SOURCE: no line of the evals, the demo or the first example has a custom rule, an annotation of a parameter, a
# pragma, a built-in or attribute of a compiler, assembly, or a macro by which tlalocc tells that it reads.
set -e
cd "$1"
special='TL_CUSTOM|TL_INOUT|TL_LEN|#[[:space:]]*pragma|_Pragma|__builtin|__attribute__|__TLALOC|asm'
if grep -nE "$special" bench/gradbench/*.[ch] bench/gradbench/main/*.c examples/nist/*.[ch] examples/first/*.c; then
  echo "a special construct is in the evals or the demo" >&2
  exit 1
fi
# The control: the same search finds each of them.
while read -r line; do
  printf '%s\n' "$line" | grep -qE "$special" || { echo "not found: $line" >&2; exit 1; }
done <<'END'
TL_CUSTOM_VJP(f, g);
TL_CUSTOM_JVP(f, g);
double f(double *x TL_INOUT);
double f(size_t n, double *x TL_LEN(n));
#pragma omp simd
#  pragma STDC FP_CONTRACT OFF
_Pragma("GCC ivdep")
__builtin_expect(x, 1);
__attribute__((noinline)) double f(double x);
#ifdef __TLALOCC__
asm("nop");
END
[ "$(ls bench/gradbench/*.h | wc -l)" -ge 13 ]
