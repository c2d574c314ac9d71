# tl-opt from the outside. Arguments: the program, the folder of this script.
set -eu
opt=$1
samples=$2/samples
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

fail() {
  echo "$1" >&2
  exit 1
}

expect() { # status, then a command
  want=$1
  shift
  got=0
  "$@" >"$out/stdout" 2>"$out/stderr" || got=$?
  [ "$got" = "$want" ] || { cat "$out/stderr" >&2; fail "status $got, not $want: $*"; }
}

says() { grep -qF "$1" "$out/stderr" || { cat "$out/stderr" >&2; fail "no message: $1"; }; }

# Every pass leaves every sample valid; without a pass the text is a fixpoint.
for pass in $("$opt" --list); do
  for sample in "$samples"/*.tlir; do
    expect 0 "$opt" --pass="$pass" "$sample"
    cp "$out/stdout" "$out/first"
    expect 0 "$opt" --pass=none "$out/first"
    cmp "$out/first" "$out/stdout" || fail "$pass of $sample is no fixpoint"
  done
done
expect 0 sh -c "'$opt' --pass=none - <'$samples/control.tlir'"

printf 'func @f(%%x: f64) -> (return) {\n  %%r: f64 = neg %%y\n  yield %%r\n}\n' >"$out/bad.tlir"
expect 1 "$opt" --pass=none "$out/bad.tlir"
says "bad.tlir:2:17: error: %y is not defined in the function [IR_INVALID]"
[ ! -s "$out/stdout" ] || fail "something is printed after an error"

printf 'func @f(%%x: f64) -> (return) {\n  %%r: f32 = neg %%x at "f.c":3:5-9\n  yield %%r\n}\n' >"$out/bad.tlir"
expect 1 "$opt" "$out/bad.tlir"
says "f.c:3:5: error: function 'f': op 'neg' that defines %r.2: (C6)"
says "[IR_INVALID]"

expect 1 "$opt" "$out/missing.tlir"
expect 2 "$opt" --pass=nosuch "$out/bad.tlir"
expect 2 "$opt"
expect 2 "$opt" --frobnicate
expect 1 sh -c "'$opt' '$samples/control.tlir' >/dev/full"
