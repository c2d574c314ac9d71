#!/bin/sh
# run.sh TLALOCC INCLUDE SOURCE GOLDEN FOLDER: the dump of a program is the golden one, compiles as it is with gcc and clang
# as C99 and C17 without a warning, and has the bits of the gradient that tlalocc compiles with the same compiler and flags.
# TL_RECORD_GOLDENS=1 writes the golden anew.
set -e
tlalocc=$1 include=$2 source=$3 golden=$4 out=$5
here=$(dirname "$0")
mkdir -p "$out"
# From its own folder: the dump names the file as the command line does.
(cd "$here" && "$tlalocc" -std=c99 "-I$include" --dump-grad-source "$(basename "$source")") >"$out/dump.c"
if [ "$TL_RECORD_GOLDENS" = 1 ]; then
  cp "$out/dump.c" "$golden"
else
  diff "$golden" "$out/dump.c"
fi
{
  cat "$out/dump.c"
  echo '#define DUMPED'
  echo '#include "dumps.h"'
  sed -n '/^\/\* calls \*\//,$p' "$source"
} >"$out/dumped.c"
for cc in gcc clang-19; do
  if ! command -v $cc >/dev/null; then
    echo "skipped: there is no $cc"
    continue
  fi
  for std in c99 c17; do
    flags="-std=$std -O2 -Wall -Wextra -Werror"
    $cc $flags -Wconversion -Wsign-conversion -Wshadow -Wdouble-promotion -c "$out/dump.c" -o "$out/dump.o"
    TLALOCC_CC=$cc "$tlalocc" $flags "-I$include" "-I$here" -c "$source" -o "$out/compiled.o"
    $cc $flags "-I$here" "$here/compare.c" "$out/dumped.c" "$out/compiled.o" -lm -o "$out/compare"
    "$out/compare"
  done
done
