#!/bin/sh
# sums_control.sh FOLDER...: a changed file, one that is missing and one too many are seen in a copy of each folder.
set -eu
here=$(dirname "$(realpath "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
seen() {
  if sh "$here/sums.sh" "$work/copy" >"$work/out" 2>&1; then
    echo "$folder: $1 is not seen"
    exit 1
  fi
  rm -rf "$work/copy"
  cp -r "$folder" "$work/copy"
}
for folder in "$@"; do
  rm -rf "$work/copy"
  cp -r "$folder" "$work/copy"
  sh "$here/sums.sh" "$work/copy"
  file=$(find "$work/copy" -type f ! -name SOURCES ! -name MANIFEST.json | head -n 1)
  printf ' ' >>"$file"
  seen "a changed file"
  rm "$file"
  seen "a missing file"
  cp "$file" "$file.more"
  seen "a file too many"
done
