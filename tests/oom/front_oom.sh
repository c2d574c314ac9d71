#!/bin/sh
# front_oom.sh TLALOC_FRONT FILE...: fails the n-th allocation of the translation of each file, for every n until it gets by: one
# OUT_OF_MEMORY each time, no crash, nothing written by half.
set -eu
front=$(realpath "$1")
shift
include=$(realpath "$(dirname "$front")/../include")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
total=0
for file in "$@"; do
  cc -E -D__TLALOCC__=1 -I"$include" "$file" >"$work/preprocessed"
  n=0
  while :; do
    n=$((n + 1))
    rm -f "$work/out.c" "$work/out.grad.c"
    status=0
    "$front" --file="$file" --out="$work/out.c" --generated="$work/out.grad.c" --preprocessed="$work/preprocessed" \
      --dump-source="$work/dump.c" --fail-allocation=$n -- -I"$include" >"$work/stdout" 2>"$work/stderr" || status=$?
    [ "$status" != 0 ] || break
    if [ "$status" != 1 ] || ! grep -qF '[OUT_OF_MEMORY]' "$work/stderr" || [ "$(wc -l <"$work/stderr")" != 1 ]; then
      echo "$file: allocation $n: status $status"
      cat "$work/stderr"
      exit 1
    fi
    [ "$n" -lt 2000 ] || { echo "$file: no end after $n allocations"; exit 1; }
  done
  [ -s "$work/out.c" ] && [ -s "$work/out.grad.c" ]
  echo "$file: $((n - 1)) failures"
  [ "$n" -gt 5 ]
  total=$((total + n - 1))
done
echo "$total failed allocations"
