#!/bin/sh
# run.sh PRELOAD LIBRARIES FOLDER: the test programs of LAPACK in FOLDER (Debian's liblapack-test) with our factorizations
# preloaded. Every group of tests has to pass and every factorization to have been called; with results that are off, as the
# control, every group has to fail.
set -eu
preload=$1 libraries=$2 folder=$3
export OPENBLAS_NUM_THREADS=1 # matrices of 50 rows; threads that wait for each other take minutes on a busy machine
if [ ! -x "$folder/xlintstd" ]; then
  echo "lapack: no test programs in $folder (Debian's liblapack-test)"
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# run NAME PROGRAM INPUT: the program's lines on what passed and what failed, and the calls that were ours.
run() {
  LD_LIBRARY_PATH=$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} LD_PRELOAD=$preload TL_PRELOAD_LOG=$work/calls \
    "$folder/$2" <"$3" >"$work/out" 2>&1 || { cat "$work/out"; exit 1; }
  grep -aE "passed the threshold|failed to pass the threshold" "$work/out" >"$work/verdicts" || true
  sed "s/^/$1: /" "$work/verdicts"
  sed "s/^/$1: calls of ours: /" "$work/calls"
}

# expect GROUPS PATTERN: so many lines of verdicts are like the pattern, and none is not.
expect() {
  if [ "$(grep -acE "$2" "$work/verdicts")" != "$1" ] || [ "$(wc -l <"$work/verdicts")" != "$1" ]; then
    echo "lapack: not $1 lines of '$2'"
    grep -aE "type *=? *[0-9]+, (test|seed)" "$work/out" | head -20
    exit 1
  fi
  if grep -a "failed the tests of the error exits" "$work/out"; then
    exit 1
  fi
}

called() {
  for kind in "$@"; do
    if grep -qE "$kind 0( |$)" "$work/calls"; then
      echo "lapack: $kind was not called"
      exit 1
    fi
  done
}

# Rows beyond those that are done without LAPACK.
sed '3s/20/34/' "$folder/sep.in" >"$work/symmetric.in"
for p in d s; do
  upper=$(echo $p | tr ds DS)
  # All but the paths, then those that are ours. Triangular matrices of the types from 11 on are for latrs.
  grep -vE "^$upper[A-Z0-9][A-Z0-9]" "$folder/${p}test.in" >"$work/linear.in"
  printf '%sGE 11\n%sPO 9\n%sTR 10\n1 2 3 4 5 6 7 8 9 10\n%sQR 8\n' $upper $upper $upper $upper >>"$work/linear.in"
  run "linear equations, $p" "xlintst$p" "$work/linear.in"
  expect 6 "passed the threshold"
  called potrf getrf geqrf trtrs
  run "symmetric eigenvalues, $p" "xeigtst$p" "$work/symmetric.in"
  expect 10 "passed the threshold"
  called syev
done
export TL_PRELOAD_OFF=1
run "control" xlintsts "$work/linear.in"
expect 6 "failed to pass the threshold"
run "control" xeigtsts "$work/symmetric.in"
if ! grep -aq "failed to pass the threshold" "$work/verdicts"; then
  echo "lapack: the control passed"
  exit 1
fi
