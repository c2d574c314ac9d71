#!/bin/sh
# run.sh CASES SOURCE FOLDER: the node cases in FOLDER (Debian's libonnx-testdata); and, as controls, cases whose expected
# values are off and lists that say what is not so.
set -eu
cases=$1 list=$2/tests/onnx/refused.txt folder=$3

fail() { echo "FAILED: $*" >&2; exit 1; }

if [ ! -d "$folder" ]; then
  [ -z "${TL_SHARED_DATA:-}" ] || fail "$folder is not there (Debian's libonnx-testdata)"
  echo "onnx: no node cases in $folder (Debian's libonnx-testdata)"
  exit 77
fi
"$cases" "$folder" "$list"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/cases"
cp -r "$folder/test_add" "$folder/test_gather_0" "$folder/test_argmax_no_keepdims_random" "$work/cases"
: >"$work/none"

# expect COUNT PATTERN LIST: so many cases fail, for a reason like the pattern.
expect() {
  "$cases" "$work/cases" "$3" "*" >"$work/out" 2>&1 && [ "$1" != 0 ] && fail "a control passes"
  [ "$(grep -c "^FAILED .*$2" "$work/out" || true)" = "$1" ] || { cat "$work/out" >&2; fail "not $1 times: $2"; }
}
expect 0 "" "$work/none"
echo "unmapped add it is mapped" >"$work/list"
expect 1 "it is listed, and passes" "$work/list"
echo "differs add it does not" >"$work/list"
expect 1 "it is listed, and passes" "$work/list"
for output in "$work"/cases/*/test_data_set_0/output_0.pb; do # the last byte is of the last element's sign and exponent
  head -c -1 "$output" >"$work/cut"
  printf '\012' >>"$work/cut"
  cp "$work/cut" "$output"
done
expect 3 "element\|other integers" "$work/none"
for output in "$work"/cases/*/test_data_set_0/output_0.pb; do
  head -c -1 "$output" >"$work/cut"
  cp "$work/cut" "$output"
done
expect 3 "the bytes end within a field" "$work/none"
