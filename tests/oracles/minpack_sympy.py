#!/usr/bin/env python3
"""Values and analytic Jacobians of the 32 MINPACK problems: formulas differentiated by SymPy, evaluated to 40 digits.

    minpack_sympy.py tests/golden/minpack

Writes jacobians.txt, and SOURCES with the versions and its hash.
"""

import hashlib
import sys
from pathlib import Path

import mpmath
import sympy
from sympy import Rational, cos, exp, pi, prod, sin, sqrt

mpmath.mp.dps = 40


def number(text):
    return Rational(str(text))


def watson(x, m=31):
    n, f = len(x), []
    for i in range(1, 30):
        t = Rational(i, 29)
        slope = sum(j * t ** (j - 1) * x[j] for j in range(1, n))
        f.append(slope - sum(t**j * x[j] for j in range(n)) ** 2 - 1)
    return [*f, x[0], x[1] - x[0] ** 2 - 1]


def watson_equations(x):
    total = sum(f**2 for f in watson(x)) / 2
    return [sympy.diff(total, v) for v in x]


def chebyquad(x, m=None):
    def integral(k):
        return Rational(-1, k * k - 1) if k % 2 == 0 else 0

    def polynomial(k, v):
        return sympy.expand(sympy.chebyshevt(k, 2 * v - 1))

    return [sum(polynomial(k, v) for v in x) / len(x) - integral(k) for k in range(1, (m or len(x)) + 1)]


def helical(x, positive):
    angle = sympy.atan(x[1] / x[0]) / (2 * pi) + (0 if positive else Rational(1, 2))
    return [10 * (x[2] - 10 * angle), 10 * (sqrt(x[0] ** 2 + x[1] ** 2) - 1), x[2]]


def powell_singular(x):
    return [x[0] + 10 * x[1], sqrt(5) * (x[2] - x[3]), (x[1] - 2 * x[2]) ** 2, sqrt(10) * (x[0] - x[3]) ** 2]


def wood(x):
    a, b = x[1] - x[0] ** 2, x[3] - x[2] ** 2
    c, d = number("20.2"), number("19.8")
    return [
        -200 * x[0] * a - (1 - x[0]),
        200 * a + c * (x[1] - 1) + d * (x[3] - 1),
        -180 * x[2] * b - (1 - x[2]),
        180 * b + c * (x[3] - 1) + d * (x[1] - 1),
    ]


def almost_linear(x):
    n = len(x)
    return [x[i] + sum(x) - (n + 1) for i in range(n - 1)] + [prod(x) - 1]


def boundary_value(x):
    n = len(x)
    h, padded = Rational(1, n + 1), [0, *x, 0]
    return [2 * x[k] - padded[k] - padded[k + 2] + h**2 * (x[k] + (k + 1) * h + 1) ** 3 / 2 for k in range(n)]


def integral_equation(x):
    n = len(x)
    h = Rational(1, n + 1)
    t = [(j + 1) * h for j in range(n)]
    cube = [(x[j] + t[j] + 1) ** 3 for j in range(n)]
    return [
        x[k]
        + h / 2 * ((1 - t[k]) * sum(t[j] * cube[j] for j in range(k + 1))
                   + t[k] * sum((1 - t[j]) * cube[j] for j in range(k + 1, n)))
        for k in range(n)
    ]


def trigonometric(x):
    n = len(x)
    total = sum(cos(v) for v in x)
    return [n - total + (k + 1) * (1 - cos(x[k])) - sin(x[k]) for k in range(n)]


def variably_dimensioned(x):
    total = sum((j + 1) * (v - 1) for j, v in enumerate(x))
    return [x[k] - 1 + (k + 1) * total * (1 + 2 * total**2) for k in range(len(x))]


def tridiagonal(x):
    padded = [0, *x, 0]
    return [(3 - 2 * x[k]) * x[k] - padded[k] - 2 * padded[k + 2] + 1 for k in range(len(x))]


def banded(x):
    n = len(x)
    around = lambda k: [j for j in range(max(0, k - 5), min(n, k + 2)) if j != k]
    return [x[k] * (2 + 5 * x[k] ** 2) + 1 - sum(x[j] * (1 + x[j]) for j in around(k)) for k in range(n)]


def full_rank(x, m):
    return [(x[i] if i < len(x) else 0) - Rational(2, m) * sum(x) - 1 for i in range(m)]


def rank_one(x, m):
    return [(i + 1) * sum((j + 1) * v for j, v in enumerate(x)) - 1 for i in range(m)]


def rank_one_zero(x, m):
    inner = sum((j + 1) * x[j] for j in range(1, len(x) - 1))
    return [i * inner - 1 for i in range(m - 1)] + [sympy.Integer(-1)]


BARD = "0.14 0.18 0.22 0.25 0.29 0.32 0.35 0.39 0.37 0.58 0.73 0.96 1.34 2.10 4.39".split()
KOWALIK_V = "4 2 1 0.5 0.25 0.167 0.125 0.1 0.0833 0.0714 0.0625".split()
KOWALIK_Y = "0.1957 0.1947 0.1735 0.16 0.0844 0.0627 0.0456 0.0342 0.0323 0.0235 0.0246".split()
MEYER = "34780 28610 23650 19630 16370 13720 11540 9744 8261 7030 6005 5147 4427 3820 3307 2872".split()
OSBORNE_1 = """0.844 0.908 0.932 0.936 0.925 0.908 0.881 0.85 0.818 0.784 0.751 0.718 0.685 0.658 0.628 0.603 0.58 0.558
0.538 0.522 0.506 0.49 0.478 0.467 0.457 0.448 0.438 0.431 0.424 0.42 0.414 0.411 0.406""".split()
OSBORNE_2 = """1.366 1.191 1.112 1.013 0.991 0.885 0.831 0.847 0.786 0.725 0.746 0.679 0.608 0.655 0.616 0.606 0.602
0.626 0.651 0.724 0.649 0.649 0.694 0.644 0.624 0.661 0.612 0.558 0.533 0.495 0.5 0.423 0.395 0.375 0.372 0.391 0.396
0.405 0.428 0.429 0.523 0.562 0.607 0.653 0.672 0.708 0.633 0.668 0.645 0.632 0.591 0.559 0.597 0.625 0.739 0.71 0.729
0.72 0.636 0.581 0.428 0.292 0.162 0.098 0.054""".split()


def bard(x):
    return [number(y) - (x[0] + Rational(i) / ((16 - i) * x[1] + min(i, 16 - i) * x[2])) for i, y in enumerate(BARD, 1)]


def kowalik(x):
    rows = zip(map(number, KOWALIK_V), map(number, KOWALIK_Y))
    return [y - x[0] * (v**2 + v * x[1]) / (v**2 + v * x[2] + x[3]) for v, y in rows]


def meyer(x):
    return [x[0] * exp(x[1] / (45 + 5 * i + x[2])) - number(y) for i, y in enumerate(MEYER, 1)]


def box(x, m=10):
    return [exp(-t * x[0]) - exp(-t * x[1]) - x[2] * (exp(-t) - exp(-10 * t)) for t in (Rational(i, 10) for i in range(1, m + 1))]


def jennrich(x, m=10):
    return [2 + 2 * i - (exp(i * x[0]) + exp(i * x[1])) for i in range(1, m + 1)]


def brown_dennis(x, m=20):
    times = [Rational(i, 5) for i in range(1, m + 1)]
    return [(x[0] + t * x[1] - exp(t)) ** 2 + (x[2] + x[3] * sin(t) - cos(t)) ** 2 for t in times]


def osborne_1(x):
    return [number(y) - (x[0] + x[1] * exp(-10 * i * x[3]) + x[2] * exp(-10 * i * x[4])) for i, y in enumerate(OSBORNE_1)]


def osborne_2(x):
    def model(t):
        return x[0] * exp(-t * x[4]) + sum(x[k] * exp(-((t - x[7 + k]) ** 2) * x[4 + k]) for k in (1, 2, 3))

    return [number(y) - model(Rational(i, 10)) for i, y in enumerate(OSBORNE_2)]


def rosenbrock(x):
    return [1 - x[0], 10 * (x[1] - x[0] ** 2)]


def spread(n, start="0.3", step="0.17"):
    return [float(start) + float(step) * ((7 * i) % 11) for i in range(n)]


# name, function of the symbols, points: MINPACK's start and one away from it.
PROBLEMS = [
    ("rosenbrock", rosenbrock, [[-1.2, 1], [0.7, -0.4]]),
    ("powell_singular", powell_singular, [[3, -1, 0, 1], [0.2, 1.1, -0.7, 0.5]]),
    ("powell_badly_scaled", lambda x: [10**4 * x[0] * x[1] - 1, exp(-x[0]) + exp(-x[1]) - number("1.0001")],
     [[0, 1], [0.3, 0.02]]),
    ("wood", wood, [[-3, -1, -3, -1], [0.5, 1.5, -0.3, 0.8]]),
    ("helical_valley", lambda x: helical(x, False), [[-1, 0, 0], [-0.6, 0.9, 0.4]]),
    ("helical_valley", lambda x: helical(x, True), [[0.8, -0.3, 1.2]]),
    ("watson_equations", watson_equations, [[0] * 6, spread(6, "-0.4"), spread(9, "-0.5", "0.09")]),
    ("chebyquad", chebyquad, [[j / 6 for j in range(1, 6)], spread(7, "0.05", "0.08")]),
    ("brown_almost_linear", almost_linear, [[0.5] * 10, spread(6), [0, 1.5, 2]]),
    ("discrete_boundary_value", boundary_value, [spread(10, "-0.4", "0.05"), [0.3]]),
    ("discrete_integral_equation", integral_equation, [spread(10, "-0.4", "0.05"), [0.3]]),
    ("trigonometric", trigonometric, [[0.1] * 10, spread(6)]),
    ("variably_dimensioned", variably_dimensioned, [[1 - j / 10 for j in range(1, 11)], spread(4)]),
    ("broyden_tridiagonal", tridiagonal, [[-1] * 10, spread(7, "-0.9")]),
    ("broyden_banded", banded, [[-1] * 10, spread(13, "-0.9", "0.1")]),
    ("linear_full_rank", lambda x: full_rank(x, 10), [[1] * 5]),
    ("linear_rank_one", lambda x: rank_one(x, 10), [[1] * 5]),
    ("linear_rank_one_zero", lambda x: rank_one_zero(x, 10), [[1] * 5]),
    ("rosenbrock_squares", lambda x: rosenbrock(x)[::-1], [[-1.2, 1]]),
    ("helical_valley_squares", lambda x: helical(x, False), [[-1, 0, 0]]),
    ("powell_singular_squares", powell_singular, [[3, -1, 0, 1]]),
    ("freudenstein_roth", lambda x: [-13 + x[0] + ((5 - x[1]) * x[1] - 2) * x[1],
                                     -29 + x[0] + ((1 + x[1]) * x[1] - 14) * x[1]], [[0.5, -2], [15, 3]]),
    ("bard", bard, [[1, 1, 1], [0.1, 1.2, 2.3]]),
    ("kowalik_osborne", kowalik, [[0.25, 0.39, 0.415, 0.39]]),
    ("meyer", meyer, [[0.02, 4000, 250]]),
    ("watson", watson, [[0] * 6, spread(9, "-0.5", "0.09")]),
    ("box_three_dimensional", box, [[0, 10, 20], [1.5, 4, 0.6]]),
    ("jennrich_sampson", jennrich, [[0.3, 0.4]]),
    ("brown_dennis", brown_dennis, [[25, 5, -5, -1]]),
    ("chebyquad_squares", lambda x: chebyquad(x, 8), [[j / 9 for j in range(1, 9)], [0.2]]),
    ("brown_almost_linear_squares", almost_linear, [[0.5] * 10]),
    ("osborne_1", osborne_1, [[0.5, 1.5, -1, 0.01, 0.02]]),
    ("osborne_2", osborne_2, [[1.3, 0.65, 0.65, 0.7, 0.6, 3, 5, 7, 2, 4.5, 5.5]]),
]


def main(folder):
    lines = []
    for name, function, points in PROBLEMS:
        for point in points:
            point = [float(v) for v in point]
            x = sympy.symbols(f"x0:{len(point)}")
            f = [sympy.sympify(e) for e in function(list(x))]
            jacobian = [[sympy.diff(e, v) for v in x] for e in f]
            at = [mpmath.mpf(v) for v in point]
            evaluate = sympy.lambdify(x, [f, jacobian], "mpmath", cse=True)
            values, rows = evaluate(*at)
            lines.append(f"{name} {len(point)} {len(f)}")
            for numbers in [point, values, *rows]:
                lines.append(" ".join(repr(float(v)) for v in numbers))
        print(name, flush=True)
    data = "".join(line + "\n" for line in lines).encode()
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "jacobians.txt").write_bytes(data)
    (folder / "SOURCES").write_text(
        f"Recorded from SymPy {sympy.__version__} and mpmath {mpmath.__version__} with {mpmath.mp.dps} digits by"
        f" tests/oracles/minpack_sympy.py. SHA-256:\n{hashlib.sha256(data).hexdigest()}  jacobians.txt\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
