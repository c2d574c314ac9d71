#!/bin/sh
# deps_control.sh SOURCE: a planted include that breaks the law must be found.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/src/emit" "$work/include"
cp -r "$1/src/base" "$work/src/base"
echo '#include "front/ast.h"' >"$work/src/emit/planted.c"
if python3 "$1/tests/house/deps.py" "$work" >"$work/out"; then
  echo "a planted fault was not found"
  exit 1
fi
grep -q 'src/emit/planted.c:1: emit may not include front/ast.h' "$work/out"
