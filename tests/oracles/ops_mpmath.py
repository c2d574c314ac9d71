"""Goldens of the elementwise ops, by mpmath with 50 digits: values, first and second derivatives.

    python3 tests/oracles/ops_mpmath.py src/ir/ops.def tests/golden/ops

Writes elementwise.csv (every row of ops.def, at points that the row's `samples` column gives) and polygamma.csv, and the
list SOURCES with their hashes. Independent of the project's code: only names, operand kinds and samples are read. Arguments
are dyadic fractions with few bits, exact in every floating type. An op without a meaning here is an error.
"""
import hashlib
import random
import re
import sys
from pathlib import Path

import mpmath
from mpmath import mp, mpf

mp.dps = 50
POINTS = 12
DIGITS = 30


def trunc(x):
    return mp.floor(x) if x >= 0 else mp.ceil(x)


def nearest_even(x):
    return mp.nint(x)


def half_away(x):
    return mp.floor(abs(x) + mpf(1) / 2) * (1 if x >= 0 else -1)


def exponent(x):
    return mp.frexp(x)[1]


def fmod(x, y):
    return x - y * trunc(x / y)


def remainder(x, y):
    return x - y * nearest_even(x / y)


def atan2(x, y):
    return mp.atan2(x, y)


FLOAT = {
    "add": lambda x, y: x + y, "sub": lambda x, y: x - y, "mul": lambda x, y: x * y, "div": lambda x, y: x / y,
    "neg": lambda x: -x, "fma": lambda x, y, z: x * y + z,
    "eq": lambda x, y: mpf(x == y), "ne": lambda x, y: mpf(x != y), "lt": lambda x, y: mpf(x < y),
    "le": lambda x, y: mpf(x <= y), "gt": lambda x, y: mpf(x > y), "ge": lambda x, y: mpf(x >= y),
    "signbit": lambda x: mpf(x < 0), "select": lambda c, x, y: x if c else y, "cvt": lambda x: x,
    "fabs": lambda x: abs(x), "sqrt": mp.sqrt, "cbrt": lambda x: mp.cbrt(x) if x >= 0 else -mp.cbrt(-x),
    "exp": mp.exp, "exp2": lambda x: mpf(2)**x, "expm1": mp.expm1, "log": mp.log, "log2": lambda x: mp.log(x, 2),
    "log10": lambda x: mp.log(x, 10), "log1p": mp.log1p, "sin": mp.sin, "cos": mp.cos, "tan": mp.tan, "asin": mp.asin,
    "acos": mp.acos, "atan": mp.atan, "sinh": mp.sinh, "cosh": mp.cosh, "tanh": mp.tanh, "asinh": mp.asinh,
    "acosh": mp.acosh, "atanh": mp.atanh, "erf": mp.erf, "erfc": mp.erfc,
    "lgamma": lambda x: mp.log(abs(mp.gamma(x))), "tgamma": mp.gamma,
    "floor": mp.floor, "ceil": mp.ceil, "trunc": trunc, "round": half_away, "rint": nearest_even,
    "nearbyint": nearest_even, "logb": lambda x: mpf(exponent(x) - 1), "ilogb": lambda x: mpf(exponent(x) - 1),
    "frexp_exponent": lambda x: mpf(exponent(x)), "frexp_fraction": lambda x: mp.frexp(x)[0],
    "modf_fraction": lambda x: x - trunc(x),
    "j0": lambda x: mp.besselj(0, x), "j1": lambda x: mp.besselj(1, x), "y0": lambda x: mp.bessely(0, x),
    "y1": lambda x: mp.bessely(1, x), "jn": mp.besselj, "yn": mp.bessely, "polygamma": mp.polygamma,
    "pow": lambda x, y: mp.power(x, y), "atan2": atan2, "hypot": mp.hypot, "fmax": lambda x, y: x if x > y else y,
    "fmin": lambda x, y: x if x < y else y, "fdim": lambda x, y: x - y if x > y else mpf(0), "fmod": fmod,
    "remainder": remainder, "remquo_quotient": lambda x, y: nearest_even(x / y),
    "copysign": lambda x, y: abs(x) * (1 if y >= 0 else -1), "nextafter": lambda x, y: x + 0 * y,
    "ldexp": lambda x, n: x * mpf(2)**n,
}
# Piecewise constant functions; their differences at a point inside a piece are exactly 0.


def c_div(x, y):
    q = abs(x) // abs(y)
    return q if (x < 0) == (y < 0) else -q


INTEGER = {
    "add": lambda x, y: x + y, "sub": lambda x, y: x - y, "mul": lambda x, y: x * y, "div": c_div, "neg": lambda x: -x,
    "rem": lambda x, y: x - y * c_div(x, y), "and": lambda x, y: x & y, "or": lambda x, y: x | y,
    "xor": lambda x, y: x ^ y, "bitnot": lambda x: ~x, "shl": lambda x, y: x << y, "shr": lambda x, y: x >> y,
    "not": lambda x: int(not x), "eq": lambda x, y: int(x == y), "ne": lambda x, y: int(x != y),
    "lt": lambda x, y: int(x < y), "le": lambda x, y: int(x <= y), "gt": lambda x, y: int(x > y),
    "ge": lambda x, y: int(x >= y), "select": lambda c, x, y: x if c else y, "cvt": lambda x: x,
}


def rows(path):
    text = Path(path).read_text()
    for m in re.finditer(r'^TL_ELT\((\w+), (\w+), (\d), (\w+), (\w+), (\w+), (.*), "', text, re.M):
        yield m.group(1), m.group(2), int(m.group(3)), m.group(4), m.group(5), m.group(6)


def real(rng, low, high):
    return mpf(rng.randrange(int(low * 512), int(high * 512))) / 512 + mpf(1) / 1024


def draw(rng, samples, position):
    if samples == "POSITIVE" or (samples == "POW" and position == 0):
        return real(rng, 0, 4)
    if samples == "UNIT":
        return real(rng, -1, 1)
    if samples == "ABOVE_ONE":
        return real(rng, 1, 4)
    if samples == "NONZERO":
        return real(rng, 0.125, 4) * rng.choice([1, -1])
    if samples == "OFF_INTEGER":
        return mpf(rng.randrange(-4, 4)) + real(rng, 0.0625, 0.4375) + rng.choice([0, mpf(1) / 2])
    return real(rng, -4, 4)


def float_points(name, arity, operands, samples, seed):
    rng = random.Random(seed)
    for k in range(POINTS):
        args = [draw(rng, samples, i) for i in range(arity)]
        if operands == "FLT_INT":
            args[1] = rng.randrange(-8, 9)
        if operands == "INT_FLT":
            args[0] = k % 5
        if operands == "SELECT":
            args[0] = k % 2
        if samples == "DISTINCT" and args[0] == args[1]:
            args[1] += 1
        if name == "remquo_quotient" and abs(args[0] / args[1]) > 7:
            args[0] /= 8
        yield args


def number(x):
    if isinstance(x, int):
        return str(x)
    return mp.nstr(x, DIGITS, min_fixed=-5, max_fixed=20)


def derivative(f, args, floating, order):
    """Partial derivative; `order` counts per floating position."""
    def of_floats(*v):
        full = list(args)
        for i, x in zip(floating, v):
            full[i] = x
        return f(*full)
    point = tuple(args[i] for i in floating)
    if len(floating) == 1:
        return mp.diff(of_floats, point[0], order[0])
    return mp.diff(of_floats, point, order)


def float_lines(name, arity, operands, samples):
    f = FLOAT[name]
    if operands == "FLT_INT":
        floating = [0]
    elif operands == "INT_FLT":
        floating = [1]
    elif operands == "SELECT":
        floating = [1, 2]
    else:
        floating = list(range(arity))
    for args in float_points(name, arity, operands, samples, name):
        line = [name, "float"] + [number(a) for a in args] + [""] * (3 - arity) + [number(f(*args))]
        first = {}
        for k, i in enumerate(floating):
            first[i] = number(derivative(f, args, floating, tuple(int(j == k) for j in range(len(floating)))))
        line += [first.get(i, "") for i in range(3)]
        second = {}
        for k, i in enumerate(floating):
            for l, j in enumerate(floating[k:], k):
                order = tuple(int(m == k) + int(m == l) for m in range(len(floating)))
                second[(i, j)] = number(derivative(f, args, floating, order))
        line += [second.get((i, j), "") for i in range(3) for j in range(i, 3)]
        yield line


def integer_lines(name, arity, operands, samples):
    rng = random.Random("integer " + name)
    for k in range(POINTS):
        args = [rng.randrange(0, 6) for _ in range(arity)]
        if samples == "NONZERO":
            args = [rng.randrange(1, 12) * rng.choice([1, -1]) for _ in range(arity)]
        if samples == "ALL":
            args = [rng.randrange(-9, 10) for _ in range(arity)]
        if operands == "BOOL":
            args = [k % 2]
        if operands == "SELECT":
            args[0] = k % 2
        yield [name, "integer"] + [str(a) for a in args] + [""] * (3 - arity) + [str(INTEGER[name](*args))] + [""] * 9


def elementwise(path):
    yield "op,kind,x,y,z,value,dx,dy,dz,dxx,dxy,dxz,dyy,dyz,dzz".split(",")
    for name, _, arity, operands, _, samples in rows(path):
        if operands not in ("INT", "BOOL"):
            yield from float_lines(name, arity, operands, samples)
        if operands in ("NUM", "INT", "BOOL", "SELECT", "ANY"):
            yield from integer_lines(name, arity, operands, samples)


def polygamma():
    """Points with 24 bits: exact in every floating type. Close to the zero of digamma, near poles, large and small."""
    yield "n,x,value".split(",")
    rng = random.Random("polygamma")
    def rounded(x):
        m, e = mp.frexp(x)
        return mp.ldexp(mp.nint(m * 2**24), e - 24)
    root = mpf("1.46163214496836234126")
    points = [rounded(root + s * mpf(10)**-k) for k in range(1, 8) for s in (1, -1)]
    points += [rounded(mpf(rng.random()) * 12) for _ in range(40)] + [rounded(mpf(10)**rng.uniform(-20, 20)) for _ in range(30)]
    points += [rounded(mpf(k)) for k in range(1, 14)] + [mpf("0.5"), mpf("-0.5"), mpf("-1.5"), mpf("-7.25")]
    points += [rounded(-mpf(rng.random()) * 8) for _ in range(30)]
    for x in points:
        for n in (0, 1, 2, 3, 7):
            value = mp.polygamma(n, x)
            if abs(value) < mpf(10)**4000:
                yield [str(n), mp.nstr(x, 40, min_fixed=-5, max_fixed=20), mp.nstr(value, DIGITS)]


def main():
    ops, out = sys.argv[1], Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    listing = ["Recorded from mpmath %s with %d digits by tests/oracles/ops_mpmath.py. SHA-256:" % (mpmath.__version__, mp.dps)]
    for name, lines in (("elementwise.csv", elementwise(ops)), ("polygamma.csv", polygamma())):
        data = "".join(",".join(line) + "\n" for line in lines).encode()
        (out / name).write_bytes(data)
        listing.append("%s  %s" % (hashlib.sha256(data).hexdigest(), name))
    (out / "SOURCES").write_text("\n".join(listing) + "\n")


main()
