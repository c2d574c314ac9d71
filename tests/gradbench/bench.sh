#!/bin/sh
# bench.sh SOURCE TLALOCC FOLDER: bench/run, in a copy, times no program that an earlier build left: a tool that does not
# build is left out and fails --check, and what builds is built anew. A batch by tl_vmap gives what the loops give.
set -e
source=$1 tlalocc=$2 out=$3
rm -rf "$out"
mkdir -p "$out"
cp -r "$source/bench" "$source/include" "$out"
rm -rf "$out"/bench/*/bin
stale() {
  mkdir -p "$out/bench/gradbench/bin"
  printf '#!/bin/sh\necho 1\nfor i in 1 2 3; do echo %s; done\n' "'{\"name\": \"evaluate\", \"nanoseconds\": 1}'" \
    >"$out/bench/gradbench/bin/lse"
  chmod +x "$out/bench/gradbench/bin/lse"
  touch -d 'next year' "$out/bench/gradbench/bin/lse"
}
fail() {
  cat "$out/log"
  echo "bench.sh: $*" >&2
  exit 1
}
run() { CPPAD= BENCH_CFLAGS=-O1 "$out/bench/run" --rounds 1 --seconds 0.001 --eval lse "$@" >"$out/log" 2>&1; }
printf '#!/bin/sh\nexit 1\n' >"$out/broken"
chmod +x "$out/broken"
stale
if TLALOCC=$out/broken run --check; then fail "--check passes without tlalocc's programs"; fi
grep -q '^skipped: tlalocc, its programs do not build$' "$out/log" || fail "the failed build is not told"
if grep -q '^eval.* tlalocc ' "$out/log"; then fail "there are times of a program that was not built"; fi
stale
TLALOCC=$tlalocc run || fail "bench/run fails"
grep -q '^eval.* tlalocc  *manual ' "$out/log" || fail "tlalocc and the derivatives by hand are not timed"
if head -c 2 "$out/bench/gradbench/bin/lse" | grep -q '#!'; then fail "the earlier program is still there"; fi
grep -q '^Over the derivatives by hand: ' "$out/log" || fail "there is no comparison"
CPPAD='' BENCH_CFLAGS=-O1 TLALOCC=$tlalocc "$out/bench/run" --eval lorenz >"$out/log" 2>&1 || fail "bench/run fails for the batch"
[ "$(grep -c '^\(numbers\|arrays\|structs\) ' "$out/log")" = 3 ] || fail "the batch is not timed in its three forms"
if grep -q 'results differ' "$out/log"; then fail "the batch gives other results than the loops"; fi
