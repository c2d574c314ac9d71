#!/usr/bin/env python3
"""Inputs of the twelve evals by seed, in GradBench's format; Python's standard library alone.

    gen.py EVAL [key=value ...]     one input on standard output
    gen.py --set test|bench DIR     a set of inputs, DIR/<eval>-<label>.json

Keys are the sizes below and `seed`, `min_runs`, `min_seconds`.
"""

import json
import math
import os
import random
import sys


class Source:
    """Uniform and normal numbers by seed, the same in every version of Python."""

    def __init__(self, seed):
        self.random = random.Random(seed).random

    def uniform(self, *shape, low=0.0, high=1.0):
        if not shape:
            return low + (high - low) * self.random()
        return [self.uniform(*shape[1:], low=low, high=high) for _ in range(shape[0])]

    def normal(self, *shape):
        if not shape:
            return math.sqrt(-2 * math.log(1 - self.random())) * math.cos(2 * math.pi * self.random())
        return [self.normal(*shape[1:]) for _ in range(shape[0])]

    def index(self, count):
        return min(int(self.random() * count), count - 1)


def hello(source, x=3.25):
    return x


def gmm(source, d=2, k=5, n=20, m=0, gamma=1.0):
    return {
        "d": d,
        "k": k,
        "n": n,
        "x": source.normal(n, d),
        "m": m,
        "gamma": gamma,
        "alpha": source.normal(k),
        "mu": source.uniform(k, d),
        "q": source.normal(k, d),
        "l": source.normal(k, d * (d - 1) // 2),
    }


def ba(source, n=3, m=7, p=20, still=0):
    rotation = [0.0] * 3 if still else source.uniform(3, low=-1, high=1)
    centre = source.uniform(3, low=20, high=50)
    lens = [source.uniform(low=300, high=500), *source.uniform(2, low=-10, high=10), *source.uniform(2, high=0.1)]
    return {
        "n": n,
        "m": m,
        "p": p,
        "cam": rotation + centre + lens,
        "x": source.uniform(3, low=-5, high=5),
        "w": source.uniform(),
        "feat": source.uniform(2, low=100, high=900),
    }


def multiply(a, b):
    return [[sum(a[i][k] * b[k][j] for k in range(4)) for j in range(4)] for i in range(4)]


def placement(source, reach):
    """A random rotation (from a quaternion) and translation."""
    w, x, y, z = source.normal(4)
    s = 2 / (w * w + x * x + y * y + z * z)
    t = source.uniform(3, low=-reach, high=reach)
    return [
        [1 - s * (y * y + z * z), s * (x * y - z * w), s * (x * z + y * w), t[0]],
        [s * (x * y + z * w), 1 - s * (x * x + z * z), s * (y * z - x * w), t[1]],
        [s * (x * z - y * w), s * (y * z + x * w), 1 - s * (x * x + y * y), t[2]],
        [0.0, 0.0, 0.0, 1.0],
    ]


def inverted(a):
    r = [[a[j][i] for j in range(3)] for i in range(3)]
    t = [-sum(r[i][j] * a[j][3] for j in range(3)) for i in range(3)]
    return [[*r[i], t[i]] for i in range(3)] + [[0.0, 0.0, 0.0, 1.0]]


def ht(source, vertices=30, triangles=40, n=12, complicated=1, mirrored=0, still=0):
    fingers = ["thumb", "index", "middle", "ring", "pinky"]
    names = ["wrist"] + [f"{finger}{i}" for finger in fingers for i in range(1, 5)] + ["forearm"]
    parents = [-1] + [0 if i == 0 else 4 * f + i for f in range(5) for i in range(4)] + [0]
    relatives = [placement(source, 0.5) for _ in names]
    absolutes = []
    for parent, relative in zip(parents, relatives):
        absolutes.append(relative if parent < 0 else multiply(absolutes[parent], relative))
    weights = []
    for _ in range(vertices):
        row = [0.0] * len(names)
        for _ in range(1 + source.index(4)):
            row[source.index(len(names))] += 0.1 + source.uniform()
        total = sum(row)
        weights.append([value / total for value in row])
    corners = triangles if complicated else vertices
    theta = source.uniform(26, low=-0.7, high=0.7)
    if still:
        theta[:3] = [0.0] * 3
    return {
        "theta": theta,
        "us": source.uniform(n, 2, high=0.5) if complicated else [],
        "data": {
            "model": {
                "bone_count": len(names),
                "bone_names": names,
                "parents": parents,
                "base_relatives": relatives,
                "inverse_base_absolutes": [inverted(a) for a in absolutes],
                "base_positions": [[*source.uniform(3, low=-1), 1.0] for _ in range(vertices)],
                "weights": weights,
                "triangles": [[source.index(vertices) for _ in range(3)] for _ in range(triangles)],
                "is_mirrored": bool(mirrored),
            },
            "correspondences": [source.index(corners) for _ in range(n)],
            "points": source.uniform(n, 3, low=-1),
        },
    }


def lstm(source, l=2, c=8, b=5):
    return {
        "main_params": source.uniform(2 * l, 4 * b),
        "extra_params": source.uniform(3, b),
        "state": source.uniform(2 * l, b),
        "sequence": [[float(source.index(2)) for _ in range(b)] for _ in range(c)],
    }


def det(source, ell=4):
    return {"A": source.uniform(ell * ell), "ell": ell}


def llsq(source, n=16, m=6):
    return {"x": source.uniform(m), "n": n}


def lse(source, n=50, low=0.0, high=1.0):
    return {"x": source.uniform(n, low=low, high=high)}


def ode(source, n=6, s=5):
    return {"x": source.uniform(n), "s": s}


def kmeans(source, k=3, n=30, d=4):
    points = source.uniform(n, d)
    return {"points": points, "centroids": points[-k:]}


def particle(source, w=0.0):
    return {"w": w}


def saddle(source, start=(1.0, 1.0)):
    return {"start": list(start)}


EVALS = {f.__name__: f for f in (hello, gmm, ba, ht, lstm, det, llsq, lse, ode, kmeans, particle, saddle)}

SETS = {
    "test": [
        ("hello", "3.25", {}),
        ("gmm", "d2-k5-n20", {"d": 2, "k": 5, "n": 20}),
        ("gmm", "d5-k3-n11", {"d": 5, "k": 3, "n": 11, "m": 2, "gamma": 1.3}),
        ("gmm", "d1-k2-n4", {"d": 1, "k": 2, "n": 4, "m": 1, "gamma": 0.7}),
        ("ba", "n3-m7-p20", {}),
        ("ba", "still", {"still": 1}),
        ("ht", "complicated", {}),
        ("ht", "simple", {"complicated": 0, "mirrored": 1}),
        ("ht", "still", {"n": 5, "still": 1}),
        ("lstm", "l2-c8-b5", {}),
        ("lstm", "l3-c5-b4", {"l": 3, "c": 5, "b": 4}),
        ("det", "1", {"ell": 1}),
        ("det", "4", {"ell": 4}),
        ("det", "6", {"ell": 6}),
        ("llsq", "n16-m6", {}),
        ("llsq", "n9-m1", {"n": 9, "m": 1}),
        ("lse", "n50", {}),
        ("lse", "n40-wide", {"n": 40, "low": -900.0, "high": 900.0}),
        ("lse", "n1", {"n": 1}),
        ("ode", "n6-s5", {}),
        ("ode", "n4-s1", {"n": 4, "s": 1}),
        ("ode", "n1-s3", {"n": 1, "s": 3}),
        ("kmeans", "k3-n30-d4", {}),
        ("kmeans", "k5-n40-d1", {"k": 5, "n": 40, "d": 1}),
        ("particle", "w0", {}),
        ("saddle", "1-1", {}),
    ],
    "bench": [
        ("hello", "1", {}),
        ("gmm", "d10-k10-n1000", {"d": 10, "k": 10, "n": 1000}),
        ("gmm", "d10-k25-n1000", {"d": 10, "k": 25, "n": 1000}),
        ("ba", "n49-m7776-p31843", {"n": 49, "m": 7776, "p": 31843}),
        ("ht", "v544-n800", {"vertices": 544, "triangles": 1000, "n": 800}),
        ("lstm", "l2-c1024-b14", {"l": 2, "c": 1024, "b": 14}),
        ("det", "7", {"ell": 7}),
        ("llsq", "n128-m128", {"n": 128, "m": 128}),
        ("lse", "n20000", {"n": 20000}),
        ("ode", "n100-s100", {"n": 100, "s": 100}),
        ("kmeans", "k100-n1000-d8", {"k": 100, "n": 1000, "d": 8}),
        ("particle", "w0", {}),
        ("saddle", "1-1", {}),
    ],
}


def generate(name, seed=1, min_runs=None, min_seconds=None, **sizes):
    value = EVALS[name](Source(f"{name} {seed}"), **sizes)
    if isinstance(value, dict):
        if min_runs is not None:
            value["min_runs"] = int(min_runs)
        if min_seconds is not None:
            value["min_seconds"] = min_seconds
    return value


def main(arguments):
    if len(arguments) == 3 and arguments[0] == "--set" and arguments[1] in SETS:
        os.makedirs(arguments[2], exist_ok=True)
        for name, label, sizes in SETS[arguments[1]]:
            with open(os.path.join(arguments[2], f"{name}-{label}.json"), "w") as file:
                json.dump(generate(name, **sizes), file)
        return 0
    if not arguments or arguments[0] not in EVALS:
        print(__doc__, file=sys.stderr)
        return 2
    options = dict(argument.split("=", 1) for argument in arguments[1:])
    json.dump(generate(arguments[0], **{key: json.loads(value) for key, value in options.items()}), sys.stdout)
    print()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
