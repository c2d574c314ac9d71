#!/bin/sh
# sums.sh FOLDER: the files of a recorded folder are those that its SOURCES (or MANIFEST.json) lists, with these SHA-256.
set -eu
cd "$1"
list=SOURCES
[ -e SOURCES ] || list=MANIFEST.json
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
hex='[0-9a-f]\{64\}'
sed -n "s/^\($hex  .*\)$/\1/p; s/^ *\"\(.*\)\": \"\($hex\)\",\{0,1\}$/\2  \1/p" $list >"$work/sums"
[ -s "$work/sums" ] || { echo "$1/$list has no sums"; exit 1; }
sha256sum --check --quiet "$work/sums"
cut -c 67- "$work/sums" | LC_ALL=C sort >"$work/listed"
find . -type f ! -name $list | sed 's,^\./,,' | LC_ALL=C sort | diff "$work/listed" - || {
  echo "$1 and its $list differ"
  exit 1
}
