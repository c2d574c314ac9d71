#!/bin/sh
# dev.sh ROOT: the verbs of ./dev are there, and an unknown one is refused by name.
set -eu
cd "$1"
./dev help >/dev/null
for verb in setup build demo test fresh bench fuzz docs asan tsan goldens oracles device; do
  ./dev help | grep -q "^  $verb " || { echo "./dev has no verb $verb"; exit 1; }
done
if ./dev no-such-verb 2>/dev/null; then
  echo "an unknown verb is accepted"
  exit 1
fi
./dev no-such-verb 2>&1 | grep -q "no verb 'no-such-verb'"
if ./dev device >/dev/null 2>&1; then
  echo "device checks do not exist, and say so by failing"
  exit 1
fi
bash -n .ci/run
