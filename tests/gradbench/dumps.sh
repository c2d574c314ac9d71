#!/bin/sh
# dumps.sh TLALOCC SOURCE FOLDER: the dump of each eval compiles unedited with gcc and clang as C99 and C17 without a warning.
# Prints how many statements its derivatives have, and how many what they are derivatives of.
set -e
tlalocc=$1 source=$2 out=$3
bench=$source/bench/gradbench
mkdir -p "$out"
for eval in hello gmm ba ht lstm det llsq lse ode kmeans particle saddle; do
  rm -rf "$out/$eval"
  "$tlalocc" -std=gnu17 -O0 "-I$bench" "-I$source/include" "--dump-grad-source-dir=$out/$eval" -c "$bench/$eval.c" \
    -o "$out/$eval.o"
  dump=$(find "$out/$eval" -name '*.grad.c')
  for cc in gcc clang-19; do
    if ! command -v $cc >/dev/null; then
      echo "skipped: there is no $cc"
      continue
    fi
    for std in c99 c17; do
      $cc -std=$std -Wall -Wextra -Wconversion -Wsign-conversion -Wshadow -Wdouble-promotion -Werror -O2 -c "$dump" -o "$out/dump.o"
    done
  done
  if command -v clang-19 >/dev/null; then
    python3 "$source/tests/gradbench/statements.py" clang-19 $eval "$bench/$eval.c" "$dump" "$bench" "$source/include"
  fi
done
