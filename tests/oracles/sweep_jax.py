#!/usr/bin/env python3
"""Values, tangents, cotangents, Hessians and batches of the sweep's samples by JAX in double precision.

    sweep_goldens --samples >SAMPLES
    sweep_jax.py SAMPLES GOLDENS

SAMPLES has functions in the text form of docs/ir.md with arguments; what each op means is written here from JAX alone.
GOLDENS gets samples.txt, which is SAMPLES with the results, and SOURCES with the versions and the SHA-256.
"""

import hashlib
import os
import re
import sys

import jax
import jax.numpy as jnp
import jaxlib
import numpy as np
from jax.scipy import special

jax.config.update("jax_enable_x64", True)

DTYPES = {"f64": np.float64, "f32": np.float32, "i64": np.int64, "i32": np.int32, "i16": np.int16, "u64": np.uint64, "u32": np.uint32,
          "u16": np.uint16, "u8": np.uint8, "i1": np.bool_}
MOST_HESSIAN = 12
WITHOUT = {
    "j0": "JAX has no Bessel functions of the first kind of order 0",
    "j1": "JAX has no Bessel functions of the first kind of order 1",
    "y0": "JAX has no Bessel functions of the second kind",
    "y1": "JAX has no Bessel functions of the second kind",
    "jn": "JAX has no Bessel functions with a derivative",
    "yn": "JAX has no Bessel functions of the second kind",
    "nextafter": "JAX gives nextafter no derivative",
    "frexp_fraction": "JAX gives frexp no derivative",
    "logb": "JAX has no logb",
}


def fixed(x):
    return jax.lax.stop_gradient(x)


# lgamma's derivative is digamma, and that of polygamma the next one.
ELEMENTWISE = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y,
    "neg": lambda x: -x,
    "fma": lambda x, y, z: x * y + z,
    "eq": lambda x, y: x == y,
    "select": jnp.where,
    "fabs": jnp.abs,
    "sqrt": jnp.sqrt,
    "cbrt": jnp.cbrt,
    "exp": jnp.exp,
    "exp2": jnp.exp2,
    "expm1": jnp.expm1,
    "log": jnp.log,
    "log2": lambda x: jnp.log(x) / np.log(2),
    "log10": lambda x: jnp.log(x) / np.log(10),
    "log1p": jnp.log1p,
    "sin": jnp.sin,
    "cos": jnp.cos,
    "tan": jnp.tan,
    "asin": jnp.arcsin,
    "acos": jnp.arccos,
    "atan": jnp.arctan,
    "sinh": jnp.sinh,
    "cosh": jnp.cosh,
    "tanh": jnp.tanh,
    "asinh": jnp.arcsinh,
    "acosh": jnp.arccosh,
    "atanh": jnp.arctanh,
    "erf": special.erf,
    "erfc": special.erfc,
    "lgamma": special.gammaln,
    "tgamma": special.gamma,
    "floor": jnp.floor,
    "ceil": jnp.ceil,
    "trunc": jnp.trunc,
    "round": jnp.round,
    "rint": jnp.rint,
    "nearbyint": jnp.rint,
    "modf_fraction": lambda x: x - fixed(jnp.trunc(x)),
    "polygamma": lambda n, x: jnp.where(n == 0, special.digamma(x), special.polygamma(jnp.maximum(n, 1), x)),
    "pow": jnp.power,
    "atan2": jnp.arctan2,
    "hypot": jnp.hypot,
    "fmax": jnp.maximum,
    "fmin": jnp.minimum,
    "fdim": lambda x, y: jnp.where(x > y, x - y, 0),
    "fmod": lambda x, y: x - fixed(jnp.trunc(x / y)) * y,
    "remainder": lambda x, y: x - fixed(jnp.rint(x / y)) * y,
    "copysign": lambda x, y: x * fixed(jnp.sign(x) * jnp.sign(y)),
    "ldexp": lambda x, n: x * 2.0**n,
}


def places(indices, mode, extent):
    """Indices in range, and which were."""
    inside = (indices >= 0) & (indices < extent)
    return jnp.clip(indices, 0, extent - 1), inside | (mode in ("clip", "check"))


def gather(x, i, axis, mode, batch):
    if batch:
        return jax.vmap(lambda x, i: gather(x, i, axis - 1, mode, batch - 1))(x, i)
    at, inside = places(i, mode, x.shape[axis])
    out = jnp.take(x, at, axis=axis)
    shape = (1,) * axis + i.shape + (1,) * (x.ndim - 1 - axis)
    return jnp.where(inside.reshape(shape), out, jnp.nan if mode == "fill" else 0)


def scatter_add(x, i, u, axis, mode, batch):
    if batch:
        return jax.vmap(lambda x, i, u: scatter_add(x, i, u, axis - 1, mode, batch - 1))(x, i, u)
    at, inside = places(i, mode, x.shape[axis])
    shape = (1,) * axis + i.shape + (1,) * (x.ndim - 1 - axis)
    u = jnp.where(inside.reshape(shape), u, 0)
    return x.at[(slice(None),) * axis + (at,)].add(u)


def strided_places(n, start, step, extent):
    """Places of n elements along an axis, and which are in it."""
    at = start + step * np.arange(n)
    inside = (at >= 0) & (at < extent)
    return np.clip(at, 0, max(extent - 1, 0)), inside


def pick(x, shape, start, step):
    for k, n in enumerate(shape):
        at, inside = strided_places(n, start[k], step[k], x.shape[k])
        if x.shape[k] == 0:
            return jnp.zeros(shape, x.dtype)
        x = jnp.take(x, at, axis=k) * inside.astype(x.dtype).reshape((-1,) + (1,) * (x.ndim - 1 - k))
    return x


def place(x, shape, start, step):
    for k, n in enumerate(shape):
        at, inside = strided_places(x.shape[k], start[k], step[k], n)
        x = x * inside.astype(x.dtype).reshape((-1,) + (1,) * (x.ndim - 1 - k))
        out = jnp.zeros(x.shape[:k] + (n,) + x.shape[k + 1:], x.dtype)
        x = out.at[(slice(None),) * k + (at,)].add(x) if n else out
    return x


def normal(axes, rank):
    return tuple(range(rank)) if axes is None else tuple(k % rank for k in axes)


def windows(x, shape, axes, stride, dilation):
    rank = x.ndim
    for j, k in enumerate(normal(axes, rank)):
        at = stride[j] * np.arange(shape[k])[:, None] + dilation[j] * np.arange(shape[rank + j])
        taken = jnp.take(x, at, axis=k)
        x = jnp.moveaxis(taken, k + 1, -1)
    return x


def overlap_add(y, shape, axes, stride, dilation):
    zero = jnp.zeros(shape, y.dtype)
    return jax.linear_transpose(lambda x: windows(x, y.shape, axes, stride, dilation), zero)(y)[0]


def window_places(x, i, window, axes, mode):
    """For each element of each window its place in x, flat, and whether it is there; i has no common axes."""
    front = i.shape[:-1]
    flat, inside = jnp.zeros(front + window, int), jnp.ones(front + window, bool)
    for k, n in enumerate(x.shape):
        start = i[..., axes.index(k)] if k in axes else jnp.zeros(front, int)
        start = jnp.clip(start, 0, n - window[k]) if mode == "clip" else start
        at = start.reshape(front + (1,) * x.ndim) + jnp.arange(window[k]).reshape((-1,) + (1,) * (x.ndim - 1 - k))
        inside = inside & (at >= 0) & (at < n)
        flat = flat * n + at
    return jnp.where(inside, flat, 0), inside


def window_gather(x, i, shape, axes, mode, batch):
    axes = normal(axes, x.ndim)
    if batch:
        inner = tuple(k - 1 for k in axes)
        return jax.vmap(lambda x, i: window_gather(x, i, shape[1:], inner, mode, batch - 1))(x, i)
    at, inside = window_places(x, i, tuple(shape[i.ndim - 1:]), axes, mode)
    return jnp.where(inside, x.reshape(-1)[at], jnp.nan if mode == "fill" else 0)


def window_scatter(x, i, u, axes, reducer, mode, batch):
    axes = normal(axes, x.ndim)
    if batch:
        inner = tuple(k - 1 for k in axes)
        return jax.vmap(lambda x, i, u: window_scatter(x, i, u, inner, reducer, mode, batch - 1))(x, i, u)
    at, inside = window_places(x, i, u.shape[i.ndim - 1:], axes, mode)
    old, at, inside, u = x.reshape(-1), at.reshape(-1), inside.reshape(-1), u.reshape(-1)
    if not u.size:
        return x
    meets = (at[None, :] == jnp.arange(old.size)[:, None]) & inside[None, :]
    if reducer == "add":
        out = old + jnp.where(meets, u, 0).sum(1)
    elif reducer == "mul":
        out = old * jnp.where(meets, u, 1).prod(1)
    elif reducer == "min":
        out = jnp.minimum(old, jnp.where(meets, u, jnp.inf).min(1))
    elif reducer == "max":
        out = jnp.maximum(old, jnp.where(meets, u, -jnp.inf).max(1))
    else:
        last = jnp.where(meets, jnp.arange(u.size), -1).max(1)
        out = jnp.where(last < 0, old, u[jnp.maximum(last, 0)])
    return out.reshape(x.shape)


def reduce(op, x, axes, keep):
    axes = tuple(range(x.ndim)) if axes is None else axes
    return op(x, axis=axes, keepdims=bool(keep))


def sum_to(x, shape):
    x = x.sum(axis=tuple(range(x.ndim - len(shape))))
    ones = tuple(k for k, n in enumerate(shape) if n == 1 and x.shape[k] != 1)
    return x.sum(axis=ones, keepdims=True)


def transposed(a):
    return jnp.swapaxes(a, -1, -2)


def in_front(a, b):
    """a and b with the same axes in front of the matrices; a column is a matrix of one."""
    column = b.ndim == 1
    b = b[:, None] if column else b
    front = jnp.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    return jnp.broadcast_to(a, front + a.shape[-2:]), jnp.broadcast_to(b, front + b.shape[-2:]), column


def solve_triangle(a, b, upper, transposed, unit_diagonal):
    a, b, column = in_front(a, b)
    x = jax.lax.linalg.triangular_solve(
        a, b, left_side=True, lower=not upper, transpose_a=bool(transposed), unit_diagonal=bool(unit_diagonal))
    return x[..., 0] if column else x


def solve(a, b):
    a, b, column = in_front(a, b)
    x = jnp.linalg.solve(a, b)
    return x[..., 0] if column else x


def solve_spd(a, b):
    a, b, column = in_front(a, b)
    l = jnp.linalg.cholesky(a)
    x = solve_triangle(l, solve_triangle(l, b, False, False, False), False, True, False)
    return x[..., 0] if column else x


def eigenvectors(a):
    """The largest element of each is positive; JAX gives them either sign."""
    v = jnp.linalg.eigh(a)[1]
    if v.size == 0:
        return v
    largest = jnp.take_along_axis(v, jnp.argmax(jnp.abs(v), axis=-2, keepdims=True), axis=-2)
    return v * fixed(jnp.sign(largest))


def tridiagonal_solve(lower, diagonal, upper, b):
    """As a matrix: JAX's own has no forward derivative."""
    n = diagonal.shape[-1]
    on = lambda line, k: line[..., :, None] * jnp.eye(n, k=k)
    return jnp.linalg.solve(on(lower, -1) + on(diagonal, 0) + on(upper, 1), b)


MATRICES = {
    "identity_like": lambda x: jnp.broadcast_to(jnp.eye(x.shape[-1], dtype=x.dtype), x.shape),
    "cholesky": jnp.linalg.cholesky,
    "solve_spd": solve_spd,
    "inverse": jnp.linalg.inv,
    "inv_spd": lambda a: solve_spd(a, jnp.broadcast_to(jnp.eye(a.shape[-1]), a.shape)),
    "det": lambda a: jnp.linalg.det(a) if a.shape[-1] else jnp.ones(a.shape[:-2]),  # JAX refuses no rows
    "log_det_spd": lambda a: 2 * jnp.log(jnp.diagonal(jnp.linalg.cholesky(a), axis1=-2, axis2=-1)).sum(-1),
    "slogdet_sign": lambda a: jnp.linalg.slogdet(a)[0],
    "slogdet_log": lambda a: jnp.linalg.slogdet(a)[1],
    "lu": lambda a: jax.lax.linalg.lu(a)[0],
    "tridiagonal_solve": tridiagonal_solve,
    "qr_q": lambda a: jnp.linalg.qr(a)[0],
    "qr_r": lambda a: jnp.linalg.qr(a)[1],
    "eigh_values": lambda a: jnp.linalg.eigh(a)[0],
    "eigh_vectors": eigenvectors,
}

ATTRIBUTE = re.compile(r"(\w+) (all|\([^)]*\)|-?\w+)")


def attributes(text):
    out = {}
    for name, value in ATTRIBUTE.findall(text):
        if value == "all":
            out[name] = None
        elif value.startswith("("):
            out[name] = tuple(int(v) for v in re.findall(r"-?\d+", value))
        else:
            out[name] = int(value) if re.fullmatch(r"-?\d+", value) else value
    return out


def apply(op, x, dtype, shape, a):
    if op in ELEMENTWISE:
        return ELEMENTWISE[op](*x)
    if op == "cvt":
        return x[0].astype(DTYPES[dtype])
    if op == "broadcast":
        return jnp.broadcast_to(x[0], shape)
    if op == "sum_to":
        return sum_to(x[0], shape)
    if op == "reshape":
        return x[0].reshape(shape)
    if op == "transpose":
        return jnp.transpose(x[0], None if a["order"] is None else [k % x[0].ndim for k in a["order"]])
    if op in ("sum", "max"):
        return reduce(jnp.sum if op == "sum" else jnp.max, x[0], a["axes"], a["keep"])
    if op == "matmul":
        return jnp.matmul(*x)
    if op == "gather":
        return gather(*x, a["axis"] % x[0].ndim, a["mode"], a["batch"])
    if op == "scatter_add":
        return scatter_add(*x, a["axis"] % x[0].ndim, a["mode"], a["batch"])
    if op in ("pick", "place"):
        return {"pick": pick, "place": place}[op](x[0], shape, a["start"], a["step"])
    if op == "concat":
        return jnp.concatenate(x, axis=a["axis"])
    if op == "reverse":
        return jnp.flip(x[0], normal(a["axes"], x[0].ndim))
    if op in ("windows", "overlap_add"):
        f = windows if op == "windows" else overlap_add
        return f(x[0], shape, a["axes"], a["stride"], a["dilation"])
    if op == "window_gather":
        return window_gather(*x, shape, a["axes"], a["mode"], a["batch"])
    if op == "window_scatter":
        return window_scatter(*x, a["axes"], a["reducer"], a["mode"], a["batch"])
    if op == "sign":
        return jnp.sign(x[0])
    if op == "reduce_precision":
        return jax.lax.reduce_precision(x[0], a["exponent"], a["mantissa"])
    if op == "softmax":
        return jax.nn.softmax(x[0], axis=a["axis"])
    if op == "softmax_difference":
        return jax.nn.softmax(x[0] / x[2], axis=a["axis"]) - jax.nn.softmax(x[1] / x[2], axis=a["axis"])
    if op == "soft_cross_entropy":
        p, log_q = jax.nn.softmax(x[1] / x[2], axis=a["axis"]), jax.nn.log_softmax(x[0] / x[2], axis=a["axis"])
        return -jnp.sum(p * log_q, axis=a["axis"], keepdims=True)
    if op in ("tril", "triu"):
        return (jnp.tril if op == "tril" else jnp.triu)(x[0], a["diagonal"])
    if op == "triangular_solve":
        return solve_triangle(*x, a["upper"], a["transposed"], a["unit_diagonal"])
    if op == "solve":
        return solve(transposed(x[0]) if a["transposed"] else x[0], x[1])
    if op in MATRICES:
        return MATRICES[op](*x)
    raise KeyError(op)


STATEMENT = re.compile(r"\s*(%\S+): (\w+)(?:<([^>]*)>)? = (\w+) (.*)")


def function(lines):
    """The function that the text is, over its parameters in order."""
    params = [m.group(1) for m in (re.match(r"\s*param (%[^:]+):", line) for line in lines) if m]
    statements = [m.groups() for m in map(STATEMENT.match, lines) if m]
    result = [line.split()[1] for line in lines if line.strip().startswith("yield")][0]

    def f(*args):
        values = dict(zip(params, args))
        for name, dtype, axes, op, rest in statements:
            if op == "const":
                values[name] = jnp.asarray(float(rest) if dtype[0] == "f" else int(rest), DTYPES[dtype])
                continue
            operands, _, attrs = rest.partition(" with ")
            shape = tuple(int(axis.split("=")[-1]) for axis in axes.split(",")) if axes else ()
            x = [values[v] for v in re.findall(r"%[^\s,]+", operands)]
            values[name] = apply(op, x, dtype, shape, attributes(attrs))
        return values[result]

    return f, {op for _, _, _, op, _ in statements}


def parse_value(text):
    dtype, shape, *numbers = text.split()
    dims = [int(n) for n in shape.split("x")] if shape not in ("-", "number") else []
    return jnp.asarray(np.array([float(n) for n in numbers]).reshape(dims).astype(DTYPES[dtype]))


def spelled(word, x):
    x = np.asarray(x)
    dtype = {np.dtype(v): k for k, v in DTYPES.items()}[x.dtype]
    shape = "x".join(str(n) for n in x.shape) or "-"
    return " ".join([word, dtype, shape] + ["%.17g" % float(v) for v in x.reshape(-1)])


def results(record):
    f, ops = function(record["text"])
    for op in ops:
        if op in WITHOUT:
            return ["without " + WITHOUT[op]]
    args, seed = record["arg"], record["seed"][0]
    floats = [k for k, x in enumerate(args) if jnp.issubdtype(x.dtype, jnp.floating)]

    def of(*moved):
        all_args = list(args)
        for k, x in zip(floats, moved):
            all_args[k] = x
        return f(*all_args)

    at = tuple(args[k] for k in floats)
    value, tangent = jax.jvp(of, at, tuple(record["tangent"]))
    cotangents = jax.vjp(of, *at)[1](seed)
    out = [spelled("value", value), spelled("jvp", tangent)] + [spelled("vjp", c) for c in cotangents]
    n = at[0].size
    if 0 < n <= MOST_HESSIAN and at[0].dtype == jnp.float64:
        hessian = jax.hessian(lambda x: (of(x, *at[1:]) * seed).sum())(at[0])
        out.append(spelled("hessian", hessian.reshape(n, n)))
    out.append(spelled("vmap", jax.vmap(f)(*record["batch"])))
    return out


def main(samples, goldens):
    os.makedirs(goldens, exist_ok=True)
    path = os.path.join(goldens, "samples.txt")
    with open(samples) as source, open(path, "w") as out:
        record = {}
        for line in source:
            word, _, rest = line.rstrip("\n").partition(" ")
            if word == "sample":
                record = {"text": []}
            elif word == "|":
                record["text"].append(rest)
            elif word == "end":
                out.write("".join(r + "\n" for r in results(record)))
            else:
                record.setdefault(word, []).append(parse_value(rest))
            out.write(line)
    with open(path, "rb") as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    with open(os.path.join(goldens, "SOURCES"), "w") as file:
        file.write(f"Recorded from jax {jax.__version__}, jaxlib {jaxlib.__version__}, numpy {np.__version__} in float64\n")
        file.write("by tests/oracles/sweep_jax.py over sweep_goldens --samples. SHA-256:\n")
        file.write(f"{digest}  samples.txt\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
