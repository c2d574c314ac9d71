#!/bin/sh
# output.sh TLALOCC: what tlalocc prints, where it goes and who reads it: its own words, closed pipes, full disks.
set -eu
. "$(dirname "$0")/harness.sh"

begin "explain, version and help"
expect_status 0 "$tlalocc" --explain=EXTENT_UNKNOWN
expect_line out "# EXTENT_UNKNOWN"
expect_status 0 "$tlalocc" --explain extent_unknown
expect_line out "# EXTENT_UNKNOWN"
expect_status 0 "$tlalocc" --explain=tl-array-copy
expect_line out "# tl-array-copy"
expect_status 0 "$tlalocc" --explain tl-unknown-external
expect_line out "# tl-unknown-external"
expect_line out "-Wno-tl-unknown-external hides it"
expect_line out "# UNKNOWN_EXTERNAL"
expect_status 0 "$tlalocc" --explain=-Wtl-equality-branch
expect_line out "# tl-equality-branch"
expect_status 1 "$tlalocc" --explain=NO_SUCH_CODE
expect_text err "tlalocc: error: there is no diagnostic 'NO_SUCH_CODE'
tlalocc: note: tlalocc --explain lists them all"
expect_status 1 "$tlalocc" --explain EXTENT_UNKNWON
expect_line err "tlalocc: error: there is no diagnostic 'EXTENT_UNKNWON'; did you mean 'EXTENT_UNKNOWN'?"
expect_status 1 "$tlalocc" --explain=tl-no-definition
expect_line err "there is no diagnostic 'tl-no-definition'; did you mean 'NO_DEFINITION'?"
expect_status 1 "$tlalocc" --explain=
expect_text err "tlalocc: error: bad value in '--explain='"
expect_status 0 "$tlalocc" --tlaloc-version
expect_line out "tlaloc 0."
expect_status 0 "$tlalocc" --help
expect_line out "--dump-grad-source-dir=DIR"
expect_line out "--[no-]strict-lowering"
expect_line out "--explain[=NAME]"

begin "names of warnings"
printf 'int f(void) { return 1; }\n' >a.c
expect_status 1 "$tlalocc" -Wtl-aray-copy -c a.c
expect_text err "tlalocc: error: there is no warning 'tl-aray-copy' for '-Wtl-aray-copy'; did you mean '-Wtl-array-copy'?"
expect_status 1 "$tlalocc" -Werror=tl-unknown-externel -c a.c
expect_line err "did you mean '-Werror=tl-unknown-external'?"
expect_status 1 "$tlalocc" -Wno-error=tl-no-definition -c a.c
expect_text err "tlalocc: error: there is no warning 'tl-no-definition' for '-Wno-error=tl-no-definition'"
expect_status 0 "$tlalocc" -Wno-tl-aray-copy -c a.c

# What is printed must be more than a pipe holds.
long_c() {
  printf '#include <tlaloc/grad.h>\n' >long.c
  i=0
  while [ $i -lt 300 ]; do
    printf 'static double f%d(double x) { return x * (x + %d) * (x + 2) * (x + 3) * (x + 4) * (x + 5) * (x + 6) * (x + 7); } const char t%d[] = "%0400d";\n' $i $i $i $i
    printf 'double g%d(double x) { return tl_grad(f%d)(x); }\n' $i $i
    i=$((i + 1))
  done >>long.c
}

begin "a closed pipe ends tlalocc as it ends cat, without a word"
long_c
for options in --dump-grad-source --dump-ir --dump-ir=cse -E "--dump-grad-source -c -o long.o" "--dump-grad-source-dir=d --dump-grad-source -c -o long.o"; do
  # shellcheck disable=SC2086
  { status=0; "$tlalocc" $options long.c 2>err || status=$?; echo $status >status; } | head -1 >out
  [ "$(cat status)" = 141 ] || fault "$options: status $(cat status), not that of SIGPIPE"
  [ ! -s err ] || { fault "$options says:"; cat err; }
  [ -s out ] || fault "$options prints nothing"
  [ ! -e long.o ] || fault "$options: an object was written"
  [ -z "$(find . -name '*.grad.c')" ] || fault "$options: a dump was written"
  expect_no_temporaries
done

begin "a closed pipe where SIGPIPE is ignored is an error that is named"
long_c
for options in --dump-grad-source --dump-ir -E; do
  (
    trap '' PIPE
    status=0
    "$tlalocc" $options long.c 2>err || status=$?
    echo $status >status
  ) | head -1 >out
  [ "$(cat status)" = 1 ] || fault "$options: status $(cat status)"
  [ "$(wc -l <err)" = 1 ] || fault "$options: not one line"
  expect_line err "tlalocc: error: cannot write "
  expect_line err ": Broken pipe"
  expect_no_temporaries
done

begin "messages into a closed pipe"
printf '#include <tlaloc/grad.h>\ndouble far(double x);\ndouble f(double x) {\n  return tl_grad(far)(x);\n}\n' >a.c
{ status=0; sleep 0.2; "$tlalocc" -c a.c 2>&1 || status=$?; echo $status >status; } | true
[ "$(cat status)" = 141 ] || fault "status $(cat status), not that of SIGPIPE"
expect_no_temporaries

begin "what cannot be written"
grad_c
for options in --explain --explain=NOT_SCALAR --tlaloc-version --help "--dump-grad-source grad.c" "--dump-ir grad.c" "-E grad.c"; do
  status=0
  # shellcheck disable=SC2086
  "$tlalocc" $options 2>err >/dev/full || status=$?
  [ "$status" = 1 ] || fault "$options: status $status"
  expect_line err "tlalocc: error: cannot write "
  expect_line err ": No space left on device"
done

begin "no half of a file is left"
long_c
for options in "-E -o long.i" "--dump-grad-source-dir=d -c -o long.o"; do
  status=0
  # A file may have 64 KiB, and who writes more is told so instead of ended.
  # shellcheck disable=SC2086
  (trap '' XFSZ; ulimit -f 64; "$tlalocc" $options long.c 2>err) || status=$?
  [ "$status" = 1 ] || fault "$options: status $status"
  left=$(find . -type f ! -name long.c ! -name err)
  [ -z "$left" ] || fault "$options leaves $left"
done

end
