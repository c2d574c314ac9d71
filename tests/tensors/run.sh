#!/bin/sh
# run.sh TLALOCC ROOT SOURCE PROGRAM LIBRARIES SANITIZERS [FLAGS]: compiles a case and its dump, and runs it.
set -e
tlalocc=$1 root=$2 source=$3 program=$4 libraries=$5 sanitizers=$6
shift 6
[ -z "$sanitizers" ] || set -- "$@" "-fsanitize=$sanitizers"
"$tlalocc" -std=c17 -Wall -Wextra -Werror "-I$root/include" "-I$root/tests/cases" "$@" "$source" -o "$program" \
  "-L$libraries" -ltlaloc -lm --dump-grad-source > "$program.dump.c"
for cc in gcc clang-19; do
  if command -v "$cc" > /dev/null; then
    "$cc" -std=c17 -Wall -Wextra -Werror "-I$root/include" -c "$program.dump.c" -o "$program.dump.o"
  fi
done
LD_LIBRARY_PATH=$libraries exec "$program"
