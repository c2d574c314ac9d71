#!/bin/sh
# Builds nist_demo and fits the 27 problems of data/, or the files given, whose parameters it prints. TLALOCC and
# TLALOC_INCLUDE name the compiler and the headers; by default those of this source tree's build.
set -e
root=$(cd "$(dirname "$0")/../.." && pwd)
here=$root/examples/nist
out=${TL_BUILD:-$root/build}
: "${TLALOCC:=$out/bin/tlalocc}" "${TLALOC_INCLUDE:=$root/include}"
export TLALOCC TLALOC_INCLUDE
mkdir -p "$out/bin"
# shellcheck disable=SC2046
${CC:-cc} -std=c17 -O2 -Wall -Wextra -Wpedantic -o "$out/bin/nist_demo" "$here/nist.c" "$here/model_read.c" \
  "$here/model_c.c" "$here/fit.c" "$here/svg.c" $(pkg-config --cflags --libs cminpack) -lm -ldl
if [ $# -gt 0 ]; then
  exec "$out/bin/nist_demo" --parameters "$@"
fi
exec "$out/bin/nist_demo" --svg "$out/nist-thurber.svg" --svg-set Thurber "$here"/data/*.csv
