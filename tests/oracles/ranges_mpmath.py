"""Derivatives of the elementwise ops over the whole range of double, by mpmath.

    python3 tests/oracles/ranges_mpmath.py tests/golden/ops

Writes ranges.csv: op, x, y, operand, derivative; arguments and derivatives exact or to 20 digits. A line stands for a point at
which the value of the op is a double to 12 digits or better: a derivative is not expected to be finite where its function
is not. Formulas are written here anew; only the ops' names are shared with the project.
"""
import hashlib
import sys
from pathlib import Path

import mpmath
from mpmath import mp, mpf

DIGITS = 60
MANY_DIGITS = 700  # for the sines of the largest doubles and remainders of them
MANY = ("sin", "cos", "tan", "fmod", "remainder")
mp.dps = DIGITS
LARGEST, LEAST = mpf(2)**1024, mpf(2)**-1074

EXPONENTS = [-1074, -1070, -1050, -1025, -1024, -1023, -1022, -1021, -1000, -800, -540, -512, -511, -400, -300, -150, -60,
             -20, -3, -1, 0, 1, 3, 6, 9, 20, 60, 150, 300, 400, 510, 511, 512, 540, 800, 1000, 1021, 1022, 1023]
PAIRED = [-1074, -1050, -1024, -1023, -1022, -1000, -700, -512, -200, -1, 0, 3, 200, 511, 700, 1000, 1022, 1023]


def spread(exponents, signs=(1, -1), fractions=(mpf(1), mpf(43) / 32)):
    for e in exponents:
        for fraction in fractions[:1 if e < -1060 else None]:
            for sign in signs:
                yield sign * fraction * mpf(2)**e


def gamma(x):
    return mp.gamma(x)


def bessel(f, n):
    return lambda x: (f(n - 1, x) - f(n + 1, x)) / 2


# op: value, derivative, arguments
UNARY = {
    "fabs": (abs, lambda x: mp.sign(x), None),
    "sqrt": (mp.sqrt, lambda x: 1 / (2 * mp.sqrt(x)), "positive"),
    "cbrt": (lambda x: mp.sign(x) * mp.cbrt(abs(x)), lambda x: 1 / (3 * mp.cbrt(abs(x))**2), None),
    "exp": (mp.exp, mp.exp, "small"),
    "exp2": (lambda x: mpf(2)**x, lambda x: mp.log(2) * mpf(2)**x, "small"),
    "expm1": (mp.expm1, mp.exp, "small"),
    "log": (mp.log, lambda x: 1 / x, "positive"),
    "log2": (lambda x: mp.log(x, 2), lambda x: 1 / (x * mp.log(2)), "positive"),
    "log10": (lambda x: mp.log(x, 10), lambda x: 1 / (x * mp.log(10)), "positive"),
    "log1p": (mp.log1p, lambda x: 1 / (1 + x), "positive"),
    "sin": (mp.sin, mp.cos, None),
    "cos": (mp.cos, lambda x: -mp.sin(x), None),
    "tan": (mp.tan, lambda x: 1 + mp.tan(x)**2, None),
    "asin": (mp.asin, lambda x: 1 / mp.sqrt(1 - x * x), "unit"),
    "acos": (mp.acos, lambda x: -1 / mp.sqrt(1 - x * x), "unit"),
    "atan": (mp.atan, lambda x: 1 / (1 + x * x), None),
    "sinh": (mp.sinh, mp.cosh, "small"),
    "cosh": (mp.cosh, mp.sinh, "small"),
    "tanh": (mp.tanh, lambda x: 1 / mp.cosh(x)**2, "small"),
    "asinh": (mp.asinh, lambda x: 1 / mp.sqrt(1 + x * x), None),
    "acosh": (mp.acosh, lambda x: 1 / mp.sqrt(x * x - 1), "above one"),
    "atanh": (mp.atanh, lambda x: 1 / (1 - x * x), "unit"),
    "erf": (mp.erf, lambda x: 2 / mp.sqrt(mp.pi) * mp.exp(-x * x), "small"),
    "erfc": (mp.erfc, lambda x: -2 / mp.sqrt(mp.pi) * mp.exp(-x * x), "small"),
    "lgamma": (lambda x: mp.loggamma(x).real, lambda x: mp.psi(0, x), "positive"),
    "tgamma": (gamma, lambda x: gamma(x) * mp.psi(0, x), "positive"),
    "frexp_fraction": (lambda x: mp.frexp(x)[0], lambda x: mpf(2)**-mp.frexp(x)[1], "positive"),
    "j0": (lambda x: mp.besselj(0, x), lambda x: -mp.besselj(1, x), "bessel"),
    "j1": (lambda x: mp.besselj(1, x), bessel(mp.besselj, 1), "bessel"),
    "y0": (lambda x: mp.bessely(0, x), lambda x: -mp.bessely(1, x), "bessel"),
    "y1": (lambda x: mp.bessely(1, x), bessel(mp.bessely, 1), "bessel"),
}
ARGUMENTS = {
    None: lambda x: True, "positive": lambda x: x > 0, "unit": lambda x: abs(x) < 1, "above one": lambda x: x > 1,
    "small": lambda x: abs(x) < 2000, "bessel": lambda x: 0 < x < 2000,
}


def nearest(x):
    return mp.nint(x)


def trunc(x):
    return mp.floor(x) if x >= 0 else mp.ceil(x)


# op: value, derivatives, which pairs
BINARY = {
    "mul": (lambda x, y: x * y, lambda x, y: y, lambda x, y: x, None),
    "div": (lambda x, y: x / y, lambda x, y: 1 / y, lambda x, y: -x / y**2, None),
    "pow": (mp.power, lambda x, y: y * mp.power(x, y - 1), lambda x, y: mp.power(x, y) * mp.log(x), "power"),
    "atan2": (mp.atan2, lambda x, y: y / (x * x + y * y), lambda x, y: -x / (x * x + y * y), None),
    "hypot": (mp.hypot, lambda x, y: x / mp.hypot(x, y), lambda x, y: y / mp.hypot(x, y), None),
    "fmod": (lambda x, y: x - y * trunc(x / y), lambda x, y: mpf(1), lambda x, y: -trunc(x / y), None),
    "remainder": (lambda x, y: x - y * nearest(x / y), lambda x, y: mpf(1), lambda x, y: -nearest(x / y), None),
}
POWERS = [mpf(n) / 8 for n in (-80, -24, -16, -12, -8, -4, -1, 1, 4, 8, 12, 16, 24, 32, 40, 80)]


def text(x):
    return mp.nstr(x, 20, min_fixed=-5, max_fixed=20)


def is_double(v):
    """To 12 digits."""
    return v == 0 or abs(v) < LARGEST and abs(v) >= LEAST * 2**40 or abs(v) >= LEAST and (v / LEAST) % 1 == 0


def lines():
    yield "op,x,y,operand,derivative".split(",")
    for name, (value, slope, domain) in UNARY.items():
        mp.dps = MANY_DIGITS if name in MANY else DIGITS
        for x in spread(EXPONENTS):
            if ARGUMENTS[domain](x) and is_double(value(x)):
                yield [name, x.__float__().hex(), "", "0", text(slope(x))]
    for name, (value, by_x, by_y, pairs) in BINARY.items():
        mp.dps = MANY_DIGITS if name in MANY else DIGITS
        for x in spread(PAIRED, (1,), (mpf(43) / 32,)):
            for y in POWERS if pairs else spread(PAIRED, (1, -1) if name == "div" else (1,), (mpf(1),)):
                x = mpf(float(x))
                if is_double(value(x, y)):
                    for operand, slope in enumerate((by_x, by_y)):
                        yield [name, float(x).hex(), float(y).hex(), str(operand), text(slope(x, y))]


def main():
    out = Path(sys.argv[1])
    data = "".join(",".join(line) + "\n" for line in lines()).encode()
    (out / "ranges.csv").write_bytes(data)
    listing = (out / "SOURCES").read_text().splitlines()
    listing = [line for line in listing if not line.endswith(" ranges.csv") and "ranges_mpmath" not in line]
    listing.append("Recorded from mpmath %s with %d digits by tests/oracles/ranges_mpmath.py:" % (mpmath.__version__, DIGITS))
    listing.append("%s  %s" % (hashlib.sha256(data).hexdigest(), "ranges.csv"))
    (out / "SOURCES").write_text("\n".join(listing) + "\n")


main()
