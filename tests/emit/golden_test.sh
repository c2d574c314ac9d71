#!/bin/sh
# golden_test.sh EMIT_TEXT CASE GOLDEN [OPTION...]: the emitted text is the golden one. TL_RECORD_GOLDENS=1 writes it anew.
set -e
program=$1 case=$2 golden=$3
shift 3
text=$("$program" "$case" "$@")
if [ "$TL_RECORD_GOLDENS" = 1 ]; then
  printf '%s\n' "$text" > "$golden"
else
  printf '%s\n' "$text" | diff "$golden" -
fi
