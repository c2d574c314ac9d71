"""eager_numpy.py FOLDER [--calls N] [--seed S]: calls of eager ops over generated operands, and what NumPy gives for them.

Writes FOLDER/calls.txt and FOLDER/SOURCES. A line is `OP[ATTRIBUTES] OPERAND... > DTYPE SHAPE RESULT`.

An operand is DTYPE:SHAPE:KIND SEED[:VIEW]...: its elements are drawn by splitmix64, by `elements` below and by
tests/tensor/test_numpy.c alike, row-major in that shape; then it is transposed (t), broadcast (b), reshaped (r).
RESULT is `=` and a hash of the elements' bytes where an op has one right answer; else `~`, a tolerance in units of the
dtype's rounding and the elements in base64 of little-endian doubles, as NumPy computes them in double.
The elements of sums and products are such that float holds them exactly. What NumPy has not (BF16 and F8E4M3FN, C's
integer division, shifts by the width or more) is made of what it has.
"""

import argparse
import base64
import hashlib
import pathlib

import numpy as np

SIZES = {"i1": 1, "i8": 1, "i16": 2, "i32": 4, "i64": 8, "u8": 1, "u16": 2, "u32": 4, "u64": 8, "f32": 4, "f64": 8,
         "f16": 2, "bf16": 2, "f8e4m3fn": 1}
PLAIN = {"i1": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "u8": np.uint8,
         "u16": np.uint16, "u32": np.uint32, "u64": np.uint64, "f32": np.float32, "f64": np.float64, "f16": np.float16}
FLOATS = ("f32", "f64", "f16", "bf16", "f8e4m3fn")
SMALL = ("f16", "bf16", "f8e4m3fn")
INTEGERS = ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64")
NUMBERS = INTEGERS + FLOATS
ALL = ("i1",) + NUMBERS
# Those that are stored only are arrays of float32 here, whose elements the format holds.
WORKING = {**PLAIN, "bf16": np.float32, "f8e4m3fn": np.float32}

# ---- the formats that NumPy has not ----


def f8_values():
    bits = np.arange(127)
    e, m = bits >> 3, bits & 7
    return np.where(e == 0, m * 2.0**-9, (8 + m) * 2.0 ** (e - 10.0))


F8 = f8_values()


def to_f8(x):
    """The nearest of F8, of two as near the one whose last bit is 0; NaN beyond the largest."""
    size = np.abs(x)
    at = np.clip(np.searchsorted(F8, size), 1, 126)
    below, above = F8[at - 1], F8[at]
    middle = (below + above) / 2
    up = (size > middle) | ((size == middle) & (at % 2 == 0))
    value = np.where(up, above, below)
    value = np.where(size > 464, np.nan, value)  # 464 lies between 448 and what would be 480
    value = np.where((size > 448) & (size <= 464), 448, value)
    return np.copysign(np.where(np.isnan(x), np.nan, value), x).astype(np.float32)


def to_bf16(x):
    """From double by way of an odd float, so that it is rounded once."""
    f = x.astype(np.float32)
    bits = f.view(np.uint32).astype(np.uint64)
    away = np.abs(f.astype(np.float64)) > np.abs(x)
    inexact = np.isfinite(x) & np.isfinite(f) & (f.astype(np.float64) != x)
    bits = np.where(inexact, np.where(away, bits - 1, bits) | 1, bits)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000
    out = rounded.astype(np.uint32).view(np.float32)
    return np.where(np.isnan(x), np.copysign(np.float32(np.nan), f), out).astype(np.float32)


def to(dtype, x):
    """x, of doubles or of what the dtype is computed in, rounded to the dtype."""
    if dtype == "bf16":
        return to_bf16(np.asarray(x, np.float64))
    if dtype == "f8e4m3fn":
        return to_f8(np.asarray(x, np.float64))
    return np.asarray(x).astype(WORKING[dtype])


def encode(dtype, x, zeros_alike):
    """The bytes; NaN as one pattern, and where either zero is right, the positive one."""
    x = np.ascontiguousarray(x)
    if dtype in FLOATS and zeros_alike:
        x = np.where(x == 0, np.zeros((), x.dtype), x)
    if dtype == "bf16":
        bits = (x.view(np.uint32) >> 16).astype(np.uint16)
        return np.where(np.isnan(x), np.uint16(0x7FC0), bits).tobytes()
    if dtype == "f8e4m3fn":
        bits = np.searchsorted(F8, np.abs(x)).astype(np.uint8) | (np.signbit(x).astype(np.uint8) << 7)
        return np.where(np.isnan(x), np.uint8(0x7F), bits).astype(np.uint8).tobytes()
    if dtype in FLOATS:
        x = np.where(np.isnan(x), np.array(np.nan, x.dtype), x)
    return x.tobytes()


def digest(data):
    """FNV-1a of 64 bits."""
    h = 0xCBF29CE484222325
    for byte in data:
        h = ((h ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return f"{h:016x}"


# ---- operands ----


def splitmix(seed, count):
    with np.errstate(over="ignore"):
        z = np.uint64(seed) + np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ z >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ z >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
        return z ^ z >> np.uint64(31)


def elements(dtype, shape, kind, limit, seed):
    z = splitmix(seed, int(np.prod(shape, dtype=np.int64)))
    low = (z >> np.uint64(8)) % np.uint64(201)
    v = low.astype(np.int64) - 100
    if kind == "p":
        v = np.abs(v) + 1
    elif kind == "u":
        v = (low % np.uint64(33)).astype(np.int64) - 16
    elif kind == "k":
        v = (z >> np.uint64(8)).astype(np.uint64) % np.uint64(limit)
    elif kind == "o":
        v = ((z >> np.uint64(8)) % np.uint64(limit + 4)).astype(np.int64) - 2
    special = (z % np.uint64(8)).astype(np.int64)
    if dtype == "i1":
        x = v % 2 != 0
    elif dtype in FLOATS:
        x = v / 16
        if kind == "z":
            x = np.choose(special, [np.nan, np.inf, -np.inf, -0.0, 0.0, x, x, x])
        x = to(dtype, x)
    else:
        unsigned = dtype[0] == "u"
        x = (np.abs(v.astype(np.int64)) if unsigned else v).astype(PLAIN[dtype])
        if kind == "z":
            info = np.iinfo(PLAIN[dtype])
            x = np.where(special == 0, info.min, np.where(special == 1, info.max, x)).astype(PLAIN[dtype])
    return x.reshape(shape)


class Operand:
    def __init__(self, dtype, shape, kind, seed, limit=0):
        self.dtype = dtype
        self.value = elements(dtype, shape, kind, limit, seed)
        self.text = f"{dtype}:{numbers(shape)}:{kind}{limit or ''}.{seed}"

    def view(self, text, value):
        self.text += ":" + text
        self.value = value


def numbers(shape):
    return ",".join(map(str, shape)) or "-"


class Generator:
    def __init__(self, seed):
        self.random = np.random.Generator(np.random.PCG64(seed))

    def below(self, n):
        return int(self.random.integers(0, n))

    def one(self, choices):
        return choices[self.below(len(choices))]

    def shape(self, rank, most=5):
        return [0 if self.below(40) == 0 else 1 + self.below(most) for _ in range(rank)]

    def operand(self, dtype, shape, kind="s", limit=0):
        """One that is seen in the shape: packed, transposed, broadcast or reshaped."""
        seed, how, rank = self.below(1 << 30), self.below(5), len(shape)
        if how == 1 and rank:
            order = [int(i) for i in self.random.permutation(rank)]
            stored = [0] * rank
            for i, axis in enumerate(order):
                stored[axis] = shape[i]
            x = Operand(dtype, stored, kind, seed, limit)
            x.view("t" + ".".join(map(str, order)), x.value.transpose(order))
        elif how == 2 and rank:
            stored = [1 if self.below(2) else d for d in shape][self.below(2) if shape[0] else 0:]
            x = Operand(dtype, stored, kind, seed, limit)
            x.view("b" + numbers(shape), np.broadcast_to(x.value, shape))
        elif how == 3 and rank:
            stored = [shape[-1], int(np.prod(shape[:-1], dtype=np.int64))]
            x = Operand(dtype, stored, kind, seed, limit)
            x.view("t1.0", x.value.T)
            x.view("r" + numbers(shape), x.value.reshape(shape))
        else:
            x = Operand(dtype, shape, kind, seed, limit)
        return x

    def partner(self, shape):
        """A shape that broadcasts with it."""
        cut = self.below(len(shape) + 1) if self.below(3) == 0 else 0
        return [1 if self.below(4) == 0 else d for d in shape[cut:]]


# ---- ops ----

EXACT_UNARY = {"neg": (NUMBERS, np.negative), "bitnot": (("i1",) + INTEGERS, np.invert), "not": (("i1",), np.logical_not),
               "signbit": (FLOATS, np.signbit), "fabs": (FLOATS, np.abs), "sqrt": (FLOATS, np.sqrt),
               "floor": (FLOATS, np.floor), "ceil": (FLOATS, np.ceil), "trunc": (FLOATS, np.trunc),
               "rint": (FLOATS, np.rint), "nearbyint": (FLOATS, np.rint),
               "round": (FLOATS, lambda x: np.copysign(np.floor(np.abs(x) + x.dtype.type(0.5)), x)),
               "frexp_fraction": (FLOATS, lambda x: np.frexp(x)[0]), "modf_fraction": (FLOATS, lambda x: np.modf(x)[0])}
NEAR_UNARY = {"cbrt": ("s", np.cbrt), "exp": ("s", np.exp), "exp2": ("s", np.exp2), "expm1": ("s", np.expm1),
              "log": ("p", np.log), "log2": ("p", np.log2), "log10": ("p", np.log10), "log1p": ("p", np.log1p),
              "sin": ("s", np.sin), "cos": ("s", np.cos), "tan": ("u", np.tan), "asin": ("u", np.arcsin),
              "acos": ("u", np.arccos), "atan": ("s", np.arctan), "sinh": ("s", np.sinh), "cosh": ("s", np.cosh),
              "tanh": ("s", np.tanh), "asinh": ("s", np.arcsinh), "acosh": ("p", np.arccosh), "atanh": ("u", np.arctanh)}


def quotient(x, y):
    with np.errstate(all="ignore"):
        safe = np.where((y == 0) | (y == -1 if y.dtype.kind == "i" else False), 1, y).astype(y.dtype)
        q = np.floor_divide(x, safe)
        q = q + ((q * safe != x) & ((x < 0) != (safe < 0))).astype(x.dtype)
        q = np.where(y == 0, np.array(-1).astype(x.dtype), q)
        return (np.where(y == -1, np.negative(x), q) if y.dtype.kind == "i" else q).astype(x.dtype)


def rest(x, y):
    with np.errstate(all="ignore"):
        return np.where(y == 0, x, x - quotient(x, y) * y).astype(x.dtype)


def shift(x, y, left):
    bits = 8 * x.dtype.itemsize
    inside = (y >= 0) & (y < bits)
    by = np.where(inside, y, 0).astype(y.dtype)
    outside = (np.zeros_like(x) if left else np.where(x < 0, -1, 0)).astype(x.dtype)
    return np.where(inside, x << by if left else x >> by, outside).astype(x.dtype)


WITH_BOOL = ("i1",) + INTEGERS
EXACT_BINARY = {"add": (ALL, np.add), "sub": (NUMBERS, np.subtract), "mul": (ALL, np.multiply),
                "div": (INTEGERS + FLOATS, lambda x, y: np.divide(x, y) if x.dtype.kind == "f" else quotient(x, y)),
                "rem": (INTEGERS, rest), "and": (WITH_BOOL, np.bitwise_and), "or": (WITH_BOOL, np.bitwise_or),
                "xor": (WITH_BOOL, np.bitwise_xor), "shl": (INTEGERS, lambda x, y: shift(x, y, True)),
                "shr": (INTEGERS, lambda x, y: shift(x, y, False)), "eq": (ALL, np.equal), "ne": (ALL, np.not_equal),
                "lt": (ALL, np.less), "le": (ALL, np.less_equal), "gt": (ALL, np.greater), "ge": (ALL, np.greater_equal),
                "fmax": (FLOATS, np.fmax), "fmin": (FLOATS, np.fmin), "fmod": (FLOATS, np.fmod),
                "copysign": (FLOATS, np.copysign)}
NEAR_BINARY = {"pow": ("p", np.power), "atan2": ("s", np.arctan2), "hypot": ("s", np.hypot)}
BOOLEAN = ("eq", "ne", "lt", "le", "gt", "ge", "signbit", "not")
ZEROS_ALIKE = ("fmax", "fmin", "max", "sum", "matmul", "scatter_add", "sort", "top_k", "clip", "einsum")


class Call:
    def __init__(self, op, attributes, operands, dtype, value, units=None, text=None):
        if units:
            result = f"~{units}.{base64.b64encode(np.asarray(value, '<f8').tobytes()).decode()}"
        else:
            result = text or f"={digest(encode(dtype, value, op in ZEROS_ALIKE))}"
        head = op + (f"[{';'.join(attributes)}]" if attributes else "")
        self.line = f"{head} {' '.join(x.text for x in operands)} > {dtype} {numbers(np.shape(value))} {result}"


def computed(dtype, x):
    """In what an op computes: float for the small formats."""
    return x.astype(np.float32) if dtype == "f16" else x


def exact_unary(g):
    op = g.one(list(EXACT_UNARY))
    dtypes, f = EXACT_UNARY[op]
    dtype = g.one(dtypes)
    x = g.operand(dtype, g.shape(g.below(5)), "z" if g.below(3) == 0 else "s")
    out = "i1" if op in BOOLEAN else dtype
    return Call(op, (), [x], out, to(out, f(computed(dtype, x.value))))


def near_unary(g):
    op = g.one(list(NEAR_UNARY))
    kind, f = NEAR_UNARY[op]
    dtype = g.one(("f32", "f64", "f32", "f64", "f16", "bf16"))
    x = g.operand(dtype, g.shape(g.below(4), 3), kind)
    return Call(op, (), [x], dtype, f(x.value.astype(np.float64)), 8)


def binary_operands(g, dtype, kind="s", most=5):
    shape = g.shape(g.below(5), most)
    shapes = [shape, g.partner(shape)]
    if g.below(2):
        shapes.reverse()
    return [g.operand(dtype, s, kind) for s in shapes]


def exact_binary(g):
    op = g.one(list(EXACT_BINARY))
    dtypes, f = EXACT_BINARY[op]
    dtype = g.one(dtypes)
    x, y = binary_operands(g, dtype, "z" if g.below(4) == 0 else "s")
    out = "i1" if op in BOOLEAN else dtype
    return Call(op, (), [x, y], out, to(out, f(computed(dtype, x.value), computed(dtype, y.value))))


def near_binary(g):
    op = g.one(list(NEAR_BINARY))
    kind, f = NEAR_BINARY[op]
    dtype = g.one(("f32", "f64"))
    x, y = binary_operands(g, dtype, kind, 3)
    return Call(op, (), [x, y], dtype, f(x.value.astype(np.float64), y.value.astype(np.float64)), 8)


def where(g):
    dtype = g.one(ALL)
    shape = g.shape(g.below(4))
    c = g.operand("i1", g.partner(shape))
    x, y = g.operand(dtype, shape, "z"), g.operand(dtype, g.partner(shape), "z")
    return Call("where", (), [c, x, y], dtype, np.where(c.value, x.value, y.value))


def cast(g):
    source, target = g.one(ALL), g.one(ALL)
    x = g.operand(source, g.shape(g.below(5)), "z" if target in FLOATS or source not in FLOATS else "s")
    value = x.value
    if target == "i1":
        value = value != 0
    elif target[0] == "u" and source in FLOATS:
        value = np.maximum(np.trunc(value), 0)  # NumPy wraps, an op saturates
    elif target in SMALL and source in ("i64", "u64"):
        value = value.astype(object) * 1.0  # exact: the elements are small, or the extremes, which are powers of 2 nearly
        value = np.array(value, np.float64)
    return Call("cast", (target,), [x], target, to(target, value))


def axes_of(g, rank):
    axes = [i for i in range(rank) if g.below(2)]
    return axes, [str(i - rank if g.below(2) else i) for i in axes]


def reduction(g):
    op, dtype = g.one(("sum", "max")), g.one(NUMBERS)
    shape = g.shape(g.below(5), 4)
    axes, text = axes_of(g, len(shape))
    if op == "max" and any(shape[i] == 0 for i in axes):
        op = "sum"
    keep = g.below(2)
    x = g.operand(dtype, shape, "z" if op == "max" and g.below(2) else "s")
    value = computed(dtype, x.value)
    f = np.max if op == "max" else lambda a, axis, keepdims: np.sum(a, axis=axis, keepdims=keepdims, dtype=a.dtype)
    value = f(value, axis=tuple(axes), keepdims=bool(keep))
    return Call(op, (".".join(text) or "-", str(keep)), [x], dtype, to(dtype, value))


def truth(g):
    op = g.one(("reduce_or", "reduce_and"))
    shape = g.shape(g.below(5), 4)
    axes, text = axes_of(g, len(shape))
    keep = g.below(2)
    x = g.operand("i1", shape)
    value = (np.any if op == "reduce_or" else np.all)(x.value, axis=tuple(axes), keepdims=bool(keep))
    return Call(op, (".".join(text) or "-", str(keep)), [x], "i1", value)


def place(g):
    op, dtype = g.one(("argmax", "argmin")), g.one(ALL)
    shape = g.shape(1 + g.below(4), 6)
    axis, keep = g.below(len(shape)), g.below(2)
    shape[axis] = max(1, shape[axis])
    x = g.operand(dtype, shape, g.one(("s", "z")))
    value = (np.argmax if op == "argmax" else np.argmin)(x.value, axis=axis, keepdims=bool(keep))
    return Call(op, (str(axis - len(shape) if g.below(2) else axis), str(keep)), [x], "i64", value)


def argsort(g):
    dtype = g.one(ALL)
    x = g.operand(dtype, g.shape(1 + g.below(3), 12), g.one(("s", "z", "u")))
    axis, descending = g.below(x.value.ndim), g.below(2)
    if descending:  # NaN last and equal ones in their order: by the ranks of the values, turned
        values = np.unique(x.value[~np.isnan(x.value)] if dtype in FLOATS else x.value)
        rank = len(values) - np.searchsorted(values, x.value)
        key = np.where(np.isnan(x.value), len(values) + 1, rank) if dtype in FLOATS else rank
    else:
        key = x.value
    return Call("argsort", (str(axis), str(descending)), [x], "i64", np.argsort(key, axis=axis, kind="stable"))


def iota(g):
    dtype, shape = g.one(ALL), g.shape(1 + g.below(4))
    axis = g.below(len(shape))
    line = np.arange(shape[axis]).reshape([-1 if i == axis else 1 for i in range(len(shape))])
    value = to(dtype, line if dtype != "i1" else line != 0)
    return Call("iota", (dtype, numbers(shape), str(axis)), [], dtype, np.broadcast_to(value, shape))


def summary(g):
    op, dtype = g.one(("mean", "logsumexp", "log_softmax")), g.one(("f32", "f64", "f16"))
    shape = [max(1, d) for d in g.shape(1 + g.below(3), 4)]
    axes, text = axes_of(g, len(shape))
    x, keep = g.operand(dtype, shape), g.below(2)
    wide = x.value.astype(np.float64)
    if op == "mean":
        value = np.mean(wide, axis=tuple(axes), keepdims=bool(keep))
        return Call(op, (".".join(text) or "-", str(keep)), [x], dtype, value, 8)
    if op == "logsumexp":
        value = np.log(np.sum(np.exp(wide), axis=tuple(axes), keepdims=bool(keep)))
        # The logarithm may be near 0, where the rounding of the largest element counts.
        value = np.where(np.abs(value) < 0.5, np.nan, value)
        if np.isnan(value).any() or dtype == "f16":
            return softmax(g)
        return Call(op, (".".join(text) or "-", str(keep)), [x], dtype, value, 32)
    axis = g.below(len(shape))
    value = wide - np.log(np.sum(np.exp(wide), axis=axis, keepdims=True))
    if (np.abs(value) < 0.01).any():
        return softmax(g)
    return Call(op, (str(axis),), [x], dtype, value, 1000)


def ordered(g):
    op, dtype = g.one(("sort", "take_along", "top_k")), g.one(ALL)
    shape = [max(1, d) for d in g.shape(1 + g.below(3), 8)]
    axis = g.below(len(shape))
    x = g.operand(dtype, shape, "s" if op == "top_k" else "z")
    if op == "sort":
        return Call(op, (str(axis), "0"), [x], dtype, np.sort(x.value, axis=axis))
    if op == "take_along":
        i = g.operand(g.one(("i32", "i64")), [2 if k == axis else d for k, d in enumerate(shape)], "k", shape[axis])
        return Call(op, (str(axis), "check"), [x, i], dtype, np.take_along_axis(x.value, i.value, axis))
    k = 1 + g.below(shape[axis])
    value = np.flip(np.sort(x.value, axis=axis), axis).take(range(k), axis)
    return Call(op, (str(k), str(axis)), [x], dtype, value)


def clip(g):
    dtype = g.one(NUMBERS)
    shape = g.shape(g.below(4))
    x, low, high = g.operand(dtype, shape, "z"), g.operand(dtype, g.partner(shape)), g.operand(dtype, g.partner(shape))
    return Call("clip", (), [x, low, high], dtype, np.minimum(np.maximum(x.value, low.value), high.value))


def one_hot(g):
    i, dtype, count = g.operand("i64", g.shape(g.below(3)), "o", 5), g.one(ALL), 1 + g.below(7)
    value = i.value[..., None] == np.arange(count)
    return Call("one_hot", (str(count), dtype), [i], dtype, to(dtype, value))


def einsum(g):
    dtype = g.one(("f32", "f64", "i32", "u8", "i64"))
    extent = {c: 1 + g.below(4) for c in "ijkl"}
    groups = ["".join(g.one("ijkl") for _ in range(g.below(4))) for _ in range(1 + g.below(3))]
    used = sorted(set("".join(groups)))
    out = "".join(c for c in g.random.permutation(used) if g.below(2)) if used else ""
    operands = [g.operand(dtype, [extent[c] for c in group], "u") for group in groups]
    letters = ",".join(groups) + "->" + out
    value = np.einsum(letters, *(x.value for x in operands))
    return Call("einsum", (letters,), operands, dtype, np.asarray(value, PLAIN[dtype]))


def softmax(g):
    dtype = g.one(("f32", "f64", "f16"))
    x = g.operand(dtype, g.shape(1 + g.below(3), 3))
    axis = g.below(x.value.ndim)
    wide = x.value.astype(np.float64)
    if wide.shape[axis] == 0:
        value = wide
    else:
        value = np.exp(wide - np.max(wide, axis=axis, keepdims=True))
        value = value / np.sum(value, axis=axis, keepdims=True)
    return Call("softmax", (str(axis - x.value.ndim if g.below(2) else axis),), [x], dtype, value, 8)


def matmul(g):
    dtype = g.one(NUMBERS)
    front, (rows, inner, columns) = g.shape(g.below(3), 3), g.shape(3, 8)
    a = [inner] if g.below(5) == 0 else [*g.partner(front), rows, inner]
    b = [inner] if g.below(5) == 0 else [*g.partner(front), inner, columns]
    kind = "u" if dtype in ("f8e4m3fn", "bf16") else "s"
    x, y = g.operand(dtype, a, kind), g.operand(dtype, b, kind)
    return Call("matmul", (), [x, y], dtype, to(dtype, np.matmul(computed(dtype, x.value), computed(dtype, y.value))))


MODES = ("check", "clip", "drop", "fill")


def fill_of(dtype):
    return np.nan if dtype in FLOATS else np.iinfo(PLAIN[dtype]).min if dtype[0] == "i" and dtype != "i1" else 0


def indexed(g, dtype):
    shape = [max(1, d) for d in g.shape(1 + g.below(3))]
    axis, mode = g.below(len(shape)), g.below(4)
    limit = shape[axis]
    i = g.operand(g.one(("i32", "i64")), g.shape(g.below(3), 4), "k" if mode == 0 else "o", limit)
    x = g.operand(dtype, shape)
    inside = (i.value >= 0) & (i.value < limit)
    return x, i, axis, mode, inside, np.clip(i.value, 0, limit - 1)


def gather(g):
    dtype = g.one(ALL)
    x, i, axis, mode, inside, at = indexed(g, dtype)
    value = np.take(x.value, at, axis=axis)
    if mode >= 2:
        mask = inside.reshape((1,) * axis + inside.shape + (1,) * (x.value.ndim - axis - 1))
        value = np.where(mask, value, np.array(fill_of(dtype) if mode == 3 else 0).astype(x.value.dtype))
    return Call("gather", (str(axis), MODES[mode]), [x, i], dtype, value)


def scatter_add(g):
    dtype = g.one(NUMBERS)
    x, i, axis, mode, inside, at = indexed(g, dtype)
    u = g.operand(dtype, [*x.value.shape[:axis], *i.value.shape, *x.value.shape[axis + 1:]])
    value = np.moveaxis(computed(dtype, x.value).copy(), axis, 0)
    added = np.moveaxis(computed(dtype, u.value), list(range(axis, axis + i.value.ndim)), list(range(i.value.ndim)))
    if mode >= 2:
        mask = inside.reshape(inside.shape + (1,) * (x.value.ndim - 1))
        added = np.where(mask, added, np.zeros((), added.dtype))
    with np.errstate(all="ignore"):
        np.add.at(value, at, added)
    return Call("scatter_add", (str(axis), MODES[mode]), [x, i, u], dtype, to(dtype, np.moveaxis(value, 0, axis)))


def view(g):
    dtype = g.one(ALL)
    x = g.operand(dtype, g.shape(g.below(5)), "z")
    return Call("view", (), [x], dtype, x.value)


def printed(g):
    dtype = g.one(tuple(PLAIN))
    shape = g.shape(g.below(4), 5 if g.below(10) else 14)
    x = g.operand(dtype, shape, g.one(("s", "p", "u", "z")))
    text = str(x.value) if x.value.ndim else str(x.value[()])
    return Call("print", (), [x], dtype, x.value, text="=" + digest((text + "\n").encode()))


KINDS = ((exact_unary, 12), (near_unary, 14), (exact_binary, 28), (near_binary, 4), (where, 4), (cast, 8), (reduction, 10),
         (softmax, 2), (matmul, 8), (gather, 4), (scatter_add, 2), (view, 2), (printed, 2),
         (truth, 2), (place, 4), (argsort, 3), (iota, 1), (summary, 3), (ordered, 4), (clip, 1), (one_hot, 1), (einsum, 5))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--calls", type=int, default=10000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    g = Generator(arguments.seed)
    makers = [make for make, weight in KINDS for _ in range(weight)]
    with np.errstate(all="ignore"):
        lines = [g.one(makers)(g).line for _ in range(arguments.calls)]
    arguments.folder.mkdir(parents=True, exist_ok=True)
    data = ("\n".join(lines) + "\n").encode()
    (arguments.folder / "calls.txt").write_bytes(data)
    (arguments.folder / "SOURCES").write_text(
        f"Calls of eager ops over generated operands (seed {arguments.seed}), by tests/oracles/eager_numpy.py with NumPy\n"
        f"{np.__version__}; ./dev oracles records them again. SHA-256:\n{hashlib.sha256(data).hexdigest()}  calls.txt\n")
    print(f"{len(lines)} calls by NumPy {np.__version__}")


if __name__ == "__main__":
    main()
