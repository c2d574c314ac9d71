#!/bin/sh
# golden_test.sh EMIT_TEXT CASE GOLDEN: the emitted text is the golden one. TL_UPDATE_GOLDENS=1 writes it anew.
if [ -n "$TL_UPDATE_GOLDENS" ]; then
  "$1" "$2" > "$3"
else
  "$1" "$2" 2>/dev/null | diff "$3" - 
fi
