#!/bin/sh
# headers.sh INCLUDE: each public header compiles alone, as C99, C17 and C++, with gcc and clang, without a warning; and
# grad.h under plain cc is exactly one error, whatever the file does with it.
set -eu
include=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
checked=0
check() {
  compiler=$1 standard=$2 header=$3
  command -v "${compiler%% *}" >/dev/null 2>&1 || return 0
  extension=c
  case $standard in *++*) extension=cc ;; esac
  printf '#include <tlaloc/%s>\n#include <tlaloc/%s>\nint tl_test_object;\n' "$header" "$header" >"$work/alone.$extension"
  # shellcheck disable=SC2086
  $compiler -std=$standard -D__TLALOCC__=1 -Wall -Wextra -Wpedantic -Werror -I"$include" -c "$work/alone.$extension" -o "$work/alone.o" || {
    echo "$header does not compile alone with $compiler -std=$standard"
    exit 1
  }
  checked=$((checked + 1))
}
for header in "$include"/tlaloc/*.h; do
  header=$(basename "$header")
  for compiler in gcc clang-19; do
    for standard in c99 c17 gnu17; do
      check "$compiler" "$standard" "$header"
    done
  done
  check g++ c++17 "$header"
  check clang++-19 c++17 "$header"
done

# The custom rules' declarations warn nowhere and may be repeated.
cat >"$work/rules.c" <<'C'
#include <tlaloc/grad.h>
double f(double x);
double f_vjp(double x, double f_bar, double *x_bar);
TL_CUSTOM_VJP(f, f_vjp);
TL_CUSTOM_VJP(f, f_vjp);
TL_CUSTOM_JVP(f, f_vjp);
double g(int n, const double *x TL_LEN(n), double *y TL_INOUT TL_LEN(n * 2));
C
for compiler in gcc clang-19; do
  $compiler -std=c99 -D__TLALOCC__=1 -Wall -Wextra -Wpedantic -Wredundant-decls -Werror -I"$include" -c "$work/rules.c" -o "$work/rules.o"
  cat >"$work/plain.c" <<'C'
#include <tlaloc/grad.h>
double f(double x, double y) { return x * y; }
double use(void);
double use(void) {
  double a, b;
  void (*p)(double, double, double *, double *) = tl_grad(f);
  p(1, 2, &a, &b);
  tl_grad(f)(1, 2, &a, &b);
  return tl_grad(f, x)(1.0, 2.0) + tl_value_and_grad(f)(1.0, 2.0, &a, &b) + tl_grad(tl_grad(f, x), y)(1.0, 2.0);
}
C
  if $compiler -Wall -I"$include" -c "$work/plain.c" -o "$work/plain.o" 2>"$work/errors"; then
    echo "grad.h compiles under plain $compiler"
    exit 1
  fi
  errors=$(grep -c 'error:' "$work/errors")
  warnings=$(grep -c 'warning:' "$work/errors" || true)
  if [ "$errors" != 1 ] || [ "$warnings" != 0 ] || ! grep -q 'tlalocc' "$work/errors"; then
    echo "grad.h under plain $compiler is not exactly one error:"
    cat "$work/errors"
    exit 1
  fi
done

# Types of tensors mean nothing to plain cc, and no warning.
cat >"$work/typed.c" <<'C'
#include <tlaloc/tensor.h>
tl_axis(Batch);
tl_axis(Seq);
tl_bound(MaxSeq, 4096);
enum { WIDTH = 3 };
struct layer {
  tl_typed(F32, WIDTH, WIDTH) w;
};
typedef tl_typed(F32, Batch, WIDTH) rows;
tl_typed(F32, Batch, WIDTH) typed(const struct layer *l, rows x, tl_tensor y, int n);
tl_typed(F32, Batch, WIDTH) typed(const struct layer *l, rows x, tl_tensor y, int n) {
  tl_typed(F64) all[1] = {tl_as(y, F64)};
  tl_tensor z = tl_as(y, F32, Batch, 3, WIDTH, n, 2 * WIDTH, MaxSeq, Seq(MaxSeq), Batch(7), Batch(n), tl_any, 0, 1);
  return tl_status_of(z) == TL_OK ? tl_matmul(x, l->w) : all[0];
}
C
cp "$work/typed.c" "$work/typed.cc"
for line in "gcc -std=c11 typed.c" "gcc -std=gnu17 typed.c" "clang-19 -std=c17 typed.c" "clang-19 -std=c17 -D__TLALOC_FRONT__ typed.c" \
  "g++ -std=c++17 typed.cc" "clang++-19 -std=c++17 typed.cc"; do
  command -v "${line%% *}" >/dev/null 2>&1 || continue
  # shellcheck disable=SC2086
  (include=$(realpath "$include") && cd "$work" && ${line% *} -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -I"$include" \
    -c "${line##* }" -o typed.o) || {
    echo "types of tensors do not compile: $line"
    exit 1
  }
  checked=$((checked + 1))
done

# The names of the intrinsics, nested, with up to twelve wrt.
cat >"$work/names.c" <<'C'
#include <tlaloc/grad.h>
tl_grad(f)
tl_grad(tl_grad(f, x), y)
tl_hessian(tl_jvp(tl_value_and_grad(tl_vjp(f, a), b, c)), d)
tl_jacobian_reverse(f, a, b, c, d, e, f, g, h, i, j, k, l)
tl_check_vjp(tl_jacobian(tl_value_and_jvp(f)))
C
cat >"$work/expected" <<'C'
f__grad
f__grad__x__grad__y
f__vjp__a__value_and_grad__b__c__jvp__hessian__d
f__jacobian_reverse__a__b__c__d__e__f__g__h__i__j__k__l
f__value_and_jvp__jacobian__check_vjp
C
for compiler in gcc clang-19; do
  $compiler -E -P -std=c99 -pedantic-errors -D__TLALOCC__=1 -I"$include" "$work/names.c" | grep -v '^ *$' >"$work/names"
  diff "$work/expected" "$work/names"
  $compiler -E -P -D__TLALOC_FRONT__=1 -I"$include" "$work/names.c" | grep -v '^ *$' | sed 's/\$\$/__/g; s/\$/__/g' >"$work/names"
  diff "$work/expected" "$work/names"
done
echo "$checked compilations"
[ "$checked" -gt 0 ]
