#!/usr/bin/env python3
"""Prints what the derivatives of the evals keep of each iteration of a loop, beside the least that any could keep.

    kept.py TLALOCC SOURCE

The least is the state of a recurrence, from which an iteration can run again; all else that the way back needs can be
computed again. Where more is kept, an exp, a division or a chain of loops is not run twice. Fails where more or less is kept
than this file says.
"""

import collections
import os
import re
import subprocess
import sys
import tempfile

# Per function: (how many values, over how many loops); the least, and of what.
KEPT = {
    "gmm_objective__grad__alpha__mu__q__l": ([(1, 1)], [], "the exponentials of the shares, over components; points keep nothing"),
    "lstm_objective__grad__main_params__extra_params": (
        [(2, 1), (2, 2), (8, 3)], [(2, 3)], "the hidden state and the cell; also kept: gates, so that no exp runs twice"),
    "llsq__grad": ([(1, 1)], [], "the powers of a row, which could be divided back; rows keep nothing"),
    "log_sum_exp__grad": ([(1, 1)], [], "the exponentials, where the cotangents then lie"),
    "ode__vjp__x": ([(4, 2)], [(1, 2)], "y before each step; also kept: the three points between, so that no stage runs twice"),
}
EVALS = ["hello", "gmm", "ba", "ht", "lstm", "det", "llsq", "lse", "ode", "kmeans", "particle", "saddle"]


def kept_in(text):
    """{function: [(how many, over how many loops)]} of a dump of DXIR."""
    found, function = {}, None
    for line in text.splitlines():
        head = re.match(r"func @(\S+)", line)
        if head:
            function = head[1]
            found[function] = collections.Counter()
        tape = re.search(r": \w+\[([^\]]*)\] = alloc.*\btape\b", line)
        if tape:
            found[function][tape[1].count(",") + 1] += 1
    return {name: sorted((count, loops) for loops, count in counts.items()) for name, counts in found.items()}


def shown(kept):
    return ", ".join(f"{count} over {loops} loop{'s' * (loops > 1)}" for count, loops in kept) or "nothing"


def main(tlalocc, source):
    bench = os.path.join(source, "bench", "gradbench")
    failed, seen = 0, set()
    for name in EVALS:
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                [tlalocc, "-std=gnu17", f"-I{bench}", f"-I{source}/include", "--dump-ir", "-c", f"{bench}/{name}.c", "-o",
                 f"{folder}/{name}.o"], capture_output=True, text=True, check=True)
        functions = kept_in(done.stdout + done.stderr)
        derived = {f: k for f, k in functions.items() if "__" in f}
        if not derived:
            print(f"{name}: the dump has no derivative")
            failed += 1
        for function, kept in sorted(derived.items()):
            want, least, why = KEPT.get(function, ([], [], ""))
            seen.add(function)
            if kept or want:
                print(f"{name:9} {function}: {shown(kept)}; at least {shown(least)}: {why}")
            if kept != want:
                print(f"    where {shown(want)} is expected")
                failed += 1
        if not any(derived.values()):
            print(f"{name:9} nothing")
    for function in sorted(set(KEPT) - seen):
        print(f"{function} is in no dump")
        failed += 1
    return failed != 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
