#!/bin/sh
# The evals, the cases' primals and the demo use no custom rule, no special op and no pragma; nor do they look for
# themselves under a tool: each is what its author would write without tlalocc, but for the intrinsics.
set -e
cd "$1"
if grep -nE 'TL_CUSTOM|TL_INOUT|TL_LEN|#[[:space:]]*pragma|_Pragma|__builtin|__attribute__|__TLALOC|asm' \
  bench/gradbench/*.[ch] examples/nist/*.[ch] examples/first/*.c; then
  echo "a special construct is in the evals or the demo" >&2
  exit 1
fi
# The control: the same search does find them.
printf 'TL_CUSTOM_VJP(f, g);\n' | grep -qE 'TL_CUSTOM'
[ "$(ls bench/gradbench/*.h | wc -l)" -ge 13 ]
