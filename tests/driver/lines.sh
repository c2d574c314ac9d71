#!/bin/sh
# lines.sh TLALOCC LINES: every command line of LINES by tlalocc and by the compiler that it calls, on files without
# intrinsics. What appears must be the same: status, output, messages, files and their content.
set -eu
tlalocc=$(realpath "$1") lines=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C TZ=UTC
mkdir "$work/files" "$work/files/sub" "$work/bin"
cd "$work/files"
printf '#include <stdio.h>\n#include "plain.h"\nint plain(void) { return VALUE_IN_HEADER; }\n' >plain.c
printf '#define VALUE_IN_HEADER 4\nint plain(void);\n' >plain.h
printf '#include "plain.h"\nint main(void) { return plain(); }\n' >main.c
printf '#include "sub.h"\nint other(void) { return SUB; }\n' >sub/other.c
printf '#define SUB 5\n' >sub/sub.h
printf '#include "sub.h"\nint uses_sub(void) { return SUB; }\n' >uses_sub.c
printf 'int needs_include(void) { return SUB; }\n' >needs_include.c
printf 'int needs_value(void) { return VALUE; }\n' >needs_value.c
printf 'int f(void) {\n  return 1 +;\n}\n' >syntax_error.c
printf 'int f(void) { int unused; return 1; }\n' >warns.c
printf 'int f(void) { return 1; }\n' >not_named_c.txt
printf '#include <vector>\nint f() { return std::vector<int>{1}.front(); }\n' >thing.cc
printf '.globl f\nf:\n  ret\n.section .note.GNU-stack,"",@progbits\n' >asm.s
printf '#define NAME f\n.globl NAME\nNAME:\n  ret\n.section .note.GNU-stack,"",@progbits\n' >asm.S
printf -- '-c -O1\n"plain.c" -D '"'"'TEXT=a b'"'"' -DQ=\\"x\\"\n' >args.rsp
cp plain.c 'file with spaces.c'
cd "$work"

# `cc` in a line of the list is the compiler under test.
run() {
  who=$1 compiler=$2 line=$3
  rm -rf "$work/run" "$work/$who"
  cp -r "$work/files" "$work/run" # one path for both, so that debug information agrees
  status=0
  (cd "$work/run" && cc() { command $compiler "$@"; } && eval "cc $line") >"$work/$who.out" 2>"$work/$who.err" </dev/null || status=$?
  echo "$status" >"$work/$who.status"
  mv "$work/run" "$work/$who"
}

count=0 faults=0
while IFS= read -r line; do
  case $line in '' | '#'*) continue ;; esac
  count=$((count + 1))
  run cc "${TLALOCC_CC:-cc}" "$line"
  run tlalocc "$tlalocc" "$line"
  for what in status out err; do
    if ! cmp -s "$work/cc.$what" "$work/tlalocc.$what"; then
      echo "cc $line: $what differs:"
      diff "$work/cc.$what" "$work/tlalocc.$what" || true
      faults=$((faults + 1))
    fi
  done
  if ! diff -r "$work/cc" "$work/tlalocc"; then
    echo "cc $line: files differ"
    faults=$((faults + 1))
  fi
done <"$lines"
echo "$count command lines, $faults differences"
[ "$count" -ge 60 ] && [ "$faults" = 0 ]
