#!/usr/bin/env python3
"""refused.py ROOT BIN EVAL: inputs that the program BIN/EVAL must refuse, and by the name of the key that is wrong.

Each is a good input, which the program accepts, with one edit. Refused means: exit status 1, nothing on standard
output, and one line `error: ...` that has the key. Under the sanitizers a read out of bounds is a failure by its status
and its report.
"""

import copy
import json
import os
import subprocess
import sys
import tempfile

ROOT, BIN, EVAL = sys.argv[1:]
sys.path.insert(0, os.path.join(ROOT, "bench", "gradbench"))
import gen  # noqa: E402

GONE = object()
FUNCTIONS = {"hello": ["square", "double"], "kmeans": ["cost", "dir"], "particle": ["rr", "ff"], "saddle": ["rr", "ff"]}
FUNCTIONS.update({name: ["primal", "gradient"] for name in ("det", "llsq", "lse", "ode")})
FUNCTIONS.update({name: ["objective", "jacobian"] for name in ("gmm", "ba", "ht", "lstm")})
# Counts with the least that is allowed, single numbers, and arrays; * where the array itself says how long it is.
COUNTS = {"gmm": "d1 k1 n1 m0", "ba": "n1 m1 p10", "det": "ell1", "llsq": "n2", "ode": "s1"}
NUMBERS = {"gmm": "gamma", "ba": "w", "particle": "w"}
ARRAYS = {
    "gmm": "alpha mu q l x",
    "ba": "cam x feat",
    "ht": "theta us data.points data.correspondences data.model.parents data.model.base_relatives"
          " data.model.inverse_base_absolutes data.model.base_positions data.model.weights data.model.triangles",
    "lstm": "main_params extra_params state sequence",
    "det": "A",
    "llsq": "x*",
    "lse": "x*",
    "ode": "x*",
    "kmeans": "points centroids",
    "saddle": "start",
}
# Arrays that may have any number of rows, and those by whose rows another is judged.
OWN_ROWS = {("kmeans", "points"), ("kmeans", "centroids"), ("lstm", "sequence"), ("lstm", "main_params"),
            ("ht", "triangles")}
COUNTED = {("ht", "correspondences"): "points", ("ht", "parents"): "base_relatives",
           ("ht", "base_positions"): "weights"}
# What is particular: path, value, and a key of the message where it is not the path's.
SPECIAL = {
    "gmm": [("d", 3, "mu"), ("k", 4, "alpha"), ("n", 21, "x"), ("n", 2**31 - 1, "x"), ("k", 2**31 - 1, "alpha"),
            ("d", 2**31 - 1, "mu")],
    "ba": [("p", 2**31 - 1), ("n", 2**31 - 1), ("m", 2**31 - 1), ("p", 7 * 10**7)],
    "ht": [("us", [[0.1, 0.2]]), ("data.correspondences", []), ("data.correspondences", [40] * 12),
           ("data.correspondences", [-1] * 12), ("data.correspondences", [0.5] * 12),
           ("data.correspondences", [1e300] * 12), ("data.model.triangles", [[0, 1, 30]] * 40),
           ("data.model.triangles", [[0, -1, 2]] * 40), ("data.model.triangles", [], "correspondences"),
           ("data.model.parents", []), ("data.model.parents", [-1] + [1] * 21),
           ("data.model.parents", [-1] + [22] * 21), ("data.model.parents", [-2] + [0] * 21),
           ("data.model.parents", [-1] + [1e300] * 21),
           ("data.model.base_positions", []), ("data.model", GONE), ("data.model", 1, "parents"), ("data", GONE),
           ("data.model.is_mirrored", GONE)],
    "lstm": [("main_params", []), ("main_params", [[]]), ("main_params", [[], []]), ("main_params", [[0.5] * 8] * 3),
             ("main_params", [[0.5] * 20] * 2, "state"), ("main_params", [[0.5] * 6] * 4), ("sequence", []),
             ("sequence", [[0.0] * 5])],
    "det": [("ell", 5, "A"), ("ell", 2**31 - 1, "A"), ("A", [])],
    "llsq": [("x", [])],
    "lse": [("x", [])],
    "ode": [("x", [])],
    "kmeans": [("points", []), ("points", [[]]), ("centroids", []), ("centroids", [[0.0] * 3] * 3)],
}


def parent(value, path):
    *folders, key = path.split(".")
    for folder in folders:
        value = value[folder]
    return value, key


def edited(path, replacement):
    value = copy.deepcopy(GOOD)
    within, key = parent(value, path)
    if replacement is GONE:
        del within[key]
    else:
        within[key] = replacement
    return value


def innermost(value):
    while isinstance(value[-1], list) and value[-1]:
        value = value[-1]
    return value


def values():
    if EVAL == "hello":
        for value in ("x", None, [1], {}, float("inf"), float("nan")):
            yield value, None
        return
    for value in ([], 1, "x", None):
        yield value, None
    for value in (0, -1, 0.5, "1", float("inf"), 1e300):
        yield edited("min_runs", value), "min_runs"
    for value in ("1", float("inf"), None):
        yield edited("min_seconds", value), "min_seconds"
    wrong = [GONE, None, "3", [], {}, True, float("inf"), float("-inf"), float("nan")]
    for count in COUNTS.get(EVAL, "").split():
        key, least = count.rstrip("0123456789"), int(count.lstrip("abcdefghijklmnopqrstuvwxyz"))
        for value in [*wrong, [3], least - 1, -1, -1e300, 1e300, 1e19, 2**31, 2**64, least + 0.5]:
            yield edited(key, value), key
    for key in NUMBERS.get(EVAL, "").split():
        for value in wrong:
            yield edited(key, value), key
    for path in ARRAYS.get(EVAL, "").split():
        path, own_length = path.rstrip("*"), path.endswith("*")
        within, key = parent(GOOD, path)
        for value in [GONE, None, "3", {}, True]:
            yield edited(path, value), key
        for value in [None, "3", {}, True, float("inf"), float("nan")]:
            array = copy.deepcopy(within[key])
            innermost(array)[-1] = value
            yield edited(path, array), key
        if own_length:
            continue
        # A number more and one less in the last of the innermost arrays, then a row more and one less.
        if isinstance(within[key][-1], list):
            longer, shorter = copy.deepcopy(within[key]), copy.deepcopy(within[key])
            innermost(longer).append(1.0)
            innermost(shorter).pop()
            yield edited(path, longer), key
            yield edited(path, shorter), key
        if (EVAL, key) not in OWN_ROWS:
            counted = COUNTED.get((EVAL, key), key)
            yield edited(path, within[key] + within[key][-1:]), counted
            yield edited(path, within[key][:-1]), counted
    for path, value, *key in SPECIAL.get(EVAL, []):
        yield edited(path, value), key[0] if key else path.split(".")[-1]


def cases():
    good = json.dumps(GOOD)
    for text in ("", "{", "[1, 2", good[:-1] + "?", good + " {", good + "\0", "nul"):
        yield text, None
    for value, key in values():
        yield json.dumps(value), key


def run(text, function):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        file.write(text)
        file.flush()
        done = subprocess.run([os.path.join(BIN, EVAL), file.name, function], capture_output=True, text=True,
                              timeout=60, check=False)
    return done.returncode, done.stdout, done.stderr


GOOD = gen.generate(EVAL)
total = faults = 0
for function in FUNCTIONS[EVAL]:
    status, out, err = run(json.dumps(GOOD), function)
    if status != 0 or not out or err:
        print(f"{function}: the good input has status {status}: {err[:2000]}")
        faults += 1
    for text, key in cases():
        status, out, err = run(text, function)
        total += 1
        lines = err.splitlines()
        if status != 1 or out or len(lines) != 1 or not lines[0].startswith("error: ") or (key and key not in lines[0]):
            print(f"{function}, {key}, {text[:300]}: status {status}, {out[:100]!r}, {err[:2000]}")
            faults += 1
print(f"{total} inputs, {faults} faults")
sys.exit(1 if faults or not total else 0)
