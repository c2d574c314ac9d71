"""softmax_mpmath.py FOLDER: softmax, its logarithm, and the cross entropy of a student by its teacher, with derivatives,
by mpmath, where one element outweighs the others by up to 1000. Each case is a line `case OP DTYPE`, then rows, a line
each: what it is, and numbers."""
import hashlib
import pathlib
import struct
import sys

import mpmath

mpmath.mp.dps = 1000  # e^-1000 beside 1, and differences of such sums
mpf = mpmath.mpf
folder = pathlib.Path(sys.argv[1])
lines = []
MARGINS = [1, 10, 16.5, 17, 30, 36.5, 37, 100, 700, 1000]


def row(what, numbers):
    lines.append(" ".join([what, *(mpmath.nstr(mpf(v), 20, min_fixed=-3, max_fixed=5) for v in numbers)]))


def rounded(dtype, v):
    return struct.unpack("f", struct.pack("f", v))[0] if dtype == "f32" else v


def softmax(x):
    most = max(x)
    weights = [mpmath.exp(mpf(v) - mpf(most)) for v in x]
    return [w / mpmath.fsum(weights) for w in weights]


def dot(x, y):
    return mpmath.fsum(a * b for a, b in zip(x, y))


def jacobian(p, v):
    return [a * (b - dot(p, v)) for a, b in zip(p, v)]


def one_hot(n, i):
    return [mpf(k == i) for k in range(n)]


def single(dtype, x):
    n, top, p = len(x), x.index(max(x)), softmax(x)
    seed = one_hot(n, top)
    for op, out, bar in [("softmax", p, jacobian(p, seed)),
                         ("log_softmax", [mpmath.log(v) for v in p], [a - b for a, b in zip(seed, p)])]:
        lines.append(f"case {op} {dtype}")
        row("x", x)
        row("seed", seed)
        row("out", out)
        row("bar", bar)


def pair(dtype, s, t, h):
    n, h = len(s), mpf(h)
    s, t = [rounded(dtype, v) for v in s], [rounded(dtype, v) for v in t]
    p, q = softmax([mpf(v) / h for v in s]), softmax([mpf(v) / h for v in t])
    surprise = [-mpmath.log(v) for v in p]
    lines.append(f"case distillation {dtype}")
    row("s", s)
    row("t", t)
    row("h", [h])
    row("out", [dot(q, surprise) * h * h])
    row("bar_s", [(a - b) * h for a, b in zip(p, q)])
    row("bar_t", [v * h for v in jacobian(q, surprise)])
    row("hessian", [v for i in range(n) for v in jacobian(p, one_hot(n, i))])


for dtype in ["f32", "f64"]:
    for margin in MARGINS:
        single(dtype, [0.25, 0.25 + margin, 1.25, -0.5])  # the others are not alike, and are not 0
        single(dtype, [-margin, 0, -margin - 2])
    near = 1e-6 if dtype == "f32" else 1e-12
    for margin in MARGINS:
        t = [0.25, 0.25 + margin, 1.25, -0.5]
        pair(dtype, [v + d * margin / 64 for v, d in zip(t, [1, 2, -1, 0])], t, 1)
        pair(dtype, t, [0.5, 0, 0.25, -0.25], 2)  # a sure student of an unsure teacher
        pair(dtype, [0.5, 0, 0.25, -0.25], t, 2)
        pair(dtype, t, [margin, 0.25, 0.75, -0.5], 1)  # both sure, of different things
    for h in [1, 2, 3]:
        for t in [[0.25, 1, -0.75, 0.5], [0, 3, -1, 1], [0.5, 0.5, -1, 0.25]]:
            pair(dtype, [v + near * d for v, d in zip(t, [0.5, -1, 1, 0.25])], t, h)
        pair(dtype, [near, 2 * near, -near, 0], [0, 12, -1, 1], h)

text = "\n".join(lines) + "\n"
(folder / "cases.txt").write_text(text)
(folder / "SOURCES").write_text(
    f"Recorded from mpmath {mpmath.__version__} by tests/oracles/softmax_mpmath.py. SHA-256:\n"
    f"{hashlib.sha256(text.encode()).hexdigest()}  cases.txt\n")
