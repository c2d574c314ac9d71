#!/bin/sh
# cases.sh TLALOCC INCLUDE CASES FOLDER: the dump of every program of tests/cases compiles with gcc as C99 and with clang as
# C17 without a warning, but for those of what is written so in the program: it falls through without a word, counts
# what nothing of the dump reads, or passes NULL where it never comes to that.
tlalocc=$1 include=$2 cases=$3 out=$4 faults=0
flags="-Wall -Wextra -Werror -Wno-implicit-fallthrough -Wno-unused-but-set-variable -Wno-nonnull"
mkdir -p "$out"
for source in "$cases"/[0-9]*.c; do
  name=$(basename "$source")
  if ! "$tlalocc" -std=c17 -w "-I$include" --dump-grad-source "$source" >"$out/$name"; then
    faults=$((faults + 1))
    continue
  fi
  for cc in "gcc -std=c99" "clang-19 -std=c17"; do
    command -v "${cc% *}" >/dev/null || continue
    $cc $flags -c "$out/$name" -o "$out/case.o" || { echo "$name: $cc"; faults=$((faults + 1)); }
  done
done
echo "$faults faults"
[ $faults = 0 ]
