#!/bin/sh
# run.sh TLALOCC INCLUDE SOURCE PROGRAM [FLAGS]: compiles a case and runs it.
set -e
tlalocc=$1 include=$2 source=$3 program=$4
shift 4
"$tlalocc" -std=c17 -Wall -Wextra "-I$include" "$@" "$source" -o "$program" -lm
exec "$program"
