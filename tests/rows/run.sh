#!/bin/sh
# tlaloc rows over the test data of StableHLO, eagerly and by the interpreter; over rows of our own from JAX; and over files
# that are not right. Every required row passes, and a row whose expected value is off is found.
#   run.sh TLALOC SOURCE data|own|errors
set -eu
tlaloc=$1 source=$2 part=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() { echo "FAILED: $*" >&2; exit 1; }

all_pass() { # FILE ARGUMENT... : all rows pass, but those that the last argument names
  "$tlaloc" rows "$@" >"$work/out" 2>&1 || { tail -5 "$work/out" >&2; fail "rows $*"; }
  tail -1 "$work/out"
}

case $part in
data)
  data=${TL_SHARED_DATA:-$source/../shared/data}/stablehlo/ops.jsonl.gz
  if [ ! -f "$data" ]; then
    [ -z "${TL_SHARED_DATA:-}" ] || fail "$data is not there, and TL_SHARED_DATA says that it is"
    echo "skipped: $data is not there"
    exit 77
  fi
  all_pass "$data"
  # Draws that reject are not recorded; nothing else differs.
  gzip -dc "$data" | grep -v '"jax.random_gamma"' >"$work/recorded"
  all_pass "$work/recorded" --engine=interpreter
  # A control: one byte of each expected value of 20 rows is off, and each is found.
  gzip -dc "$data" | grep '"op": *"stablehlo.scatter"' | grep '"check": *"eq"' | head -20 |
    sed 's/\("expected": *\[{.*"hex": *"\)\([0-9a-f]\)/\1@\2/; s/@0/1/; s/@[1-9a-f]/0/' >"$work/off"
  "$tlaloc" rows "$work/off" >"$work/out" 2>&1 && fail "rows that are off pass"
  grep -q '^0 passed, 20 failed, 0 refused$' "$work/out" || { tail -3 "$work/out" >&2; fail "not all 20 are found"; }
  ;;
own)
  all_pass "$source/tests/golden/rows/rows.jsonl"
  grep -v '"jax.random_gamma"' "$source/tests/golden/rows/rows.jsonl" >"$work/recorded"
  all_pass "$work/recorded" --engine=interpreter
  ;;
errors)
  corpus=$source/tests/fuzz/corpus/rows
  says() { # FILE TEXT
    "$tlaloc" rows "$corpus/$1" >"$work/out" 2>&1 && fail "$1 is accepted"
    grep -qF "$2" "$work/out" || { cat "$work/out" >&2; fail "$1 does not say: $2"; }
  }
  says bad_not_json "bad_not_json:1: column "
  says bad_cut "the line ends within the object"
  says bad_no_name "bad_no_name:1: name: there is none [HEADER_INVALID]"
  says bad_dtype 'inputs[0].dtype: "f31" is not a dtype that is known'
  says bad_negative "inputs[0].shape: [-2] is not a shape"
  says bad_huge "inputs[0].shape"
  says bad_short_hex "is not 8 bytes as two digits each"
  says bad_no_hex "is not hexadecimal"
  says bad_two 'check: "near" is not eq, close or almost_eq'
  says bad_no_ulp "max_ulp: there is none"
  says bad_other_type "expected[0]: it has another type than outputs[0]"
  says bad_truth_of_2 "is not of bytes that are 0 or 1"
  says bad_reducer 'attrs.reducer: "xor" is not a reducer'
  says bad_layout "attrs.dimension_numbers"
  says unknown "op: stablehlo.no_such_op is not served [UNSUPPORTED_CONSTRUCT]"
  "$tlaloc" rows "$corpus/note" | grep -q "^noted: n (stablehlo.tanh): failed: .*; not so$" || fail "a noted row is not listed"
  "$tlaloc" rows "$corpus/note" >/dev/null || fail "a noted row is counted"
  "$tlaloc" rows "$work/none" >"$work/out" 2>&1 && fail "a file that is not there"
  grep -q "FILE_UNREADABLE" "$work/out" || fail "no code for a file that is not there"
  status=0
  "$tlaloc" rows 2>/dev/null || status=$?
  [ "$status" = 2 ] || fail "usage gives $status"
  printf '\037\213\010\000broken' >"$work/broken.gz"
  "$tlaloc" rows "$work/broken.gz" >"$work/out" 2>&1 && fail "a broken file"
  grep -q "FILE_TRUNCATED" "$work/out" || fail "no code for a broken file"
  for good in add scatter gather window convolution sort truth; do
    "$tlaloc" rows "$corpus/$good" | grep -q "^1 passed, 0 failed, 0 refused$" || fail "$good does not pass"
  done
  ;;
esac
