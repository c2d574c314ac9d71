#!/bin/sh
# numpy_live.sh PYTHON ROOT TEST_NUMPY: calls of other seeds than the recorded ones, where that Python has the NumPy that
# recorded them.
set -eu
version=$(sed -n 's/^numpy==//p' "$2/tests/oracles/requirements.txt")
"$1" -c "import sys, numpy; sys.exit(numpy.__version__ != '$version')" 2>/dev/null || {
  echo "skipped: $1 has no NumPy $version"
  exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for seed in 2 3 4; do
  "$1" "$2/tests/oracles/eager_numpy.py" "$work" --seed $seed --calls 3000
  "$3" "$work/calls.txt"
done
