#!/usr/bin/env python3
"""Rows of `tlaloc rows` of our own, by JAX: general forms that StableHLO's test data has few of.

    rows_jax.py GOLDENS

GOLDENS gets rows.jsonl, in the format that tools/tlaloc/rows.h describes, and SOURCES with the versions and the SHA-256. What JAX is a few steps off in is from mpmath.
"""

import hashlib
import json
import os
import sys

import jax
import jax.numpy as jnp
import jaxlib
import ml_dtypes
import mpmath
import numpy as np
from jax import lax
from jax.scipy import special

jax.config.update("jax_enable_x64", True)
mpmath.mp.dps = 40
jax.config.update("jax_threefry_partitionable", False)

NAMES = {"bool": "i1", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64", "uint8": "ui8", "uint16": "ui16",
         "uint32": "ui32", "uint64": "ui64", "float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64"}
rng = np.random.default_rng(1)
out = []


def value(x):
    x = np.asarray(x)
    return {"dtype": NAMES[str(x.dtype)], "shape": list(x.shape), "hex": x.tobytes().hex()}


def row(name, op, attrs, inputs, results, check="eq", **more):
    results = results if isinstance(results, (list, tuple)) else [results]
    expected = [value(r) for r in results]
    outputs = [{"dtype": e["dtype"], "shape": e["shape"]} for e in expected]
    out.append({"name": name, "op": op, "attrs": attrs, "inputs": [value(x) for x in inputs], "outputs": outputs,
                "expected": expected, "check": check, **more})


def close(ulp):
    return {"check": "close", "max_ulp": ulp}


def floats(*shape, dtype=np.float64, low=-2, high=2):
    return rng.uniform(low, high, shape).astype(dtype)


def ints(*shape, dtype=np.int32, low=-9, high=10):
    return rng.integers(low, high, shape).astype(dtype)


def elementwise():
    for dtype in (np.float32, np.float64):
        x, y = floats(20, dtype=dtype), floats(20, dtype=dtype)
        p = np.abs(x) + dtype(0.25)
        row("exponential", "stablehlo.exponential", {}, [x], np.exp(x), **close(3))
        row("expm1", "stablehlo.exponential_minus_one", {}, [x], np.expm1(x), **close(3))
        row("rsqrt", "stablehlo.rsqrt", {}, [p], 1 / np.sqrt(p), **close(3))
        row("square", "stablehlo.square", {}, [x], x * x, **close(1))
        row("atan2", "stablehlo.atan2", {}, [x, y], np.arctan2(x, y), **close(3))
        row("next_after", "chlo.next_after", {}, [x, y], np.nextafter(x, y))
    for dtype in (ml_dtypes.bfloat16, np.float16):
        x = floats(30, dtype=dtype)
        x[:4] = [0, -0.0, 1, np.inf]
        y = floats(30, dtype=dtype)
        row("next_after", "chlo.next_after", {}, [x, y], np.asarray(jnp.nextafter(jnp.asarray(x), jnp.asarray(y))))
    for dtype in (np.int8, np.uint8, np.int16, np.int32, np.uint32, np.int64, np.uint64):
        size = np.iinfo(dtype)
        x = rng.integers(size.min, size.max, 20, dtype=dtype, endpoint=True)
        y = rng.integers(0, size.bits + 3, 20).astype(dtype)
        row("not", "stablehlo.not", {}, [x], ~x)
        row("clz", "stablehlo.count_leading_zeros", {}, [x >> dtype(3)], lax.clz(jnp.asarray(x >> dtype(3))))
        row("popcnt", "stablehlo.popcnt", {}, [x], lax.population_count(jnp.asarray(x)))
        for name, f in (("shift_left", lax.shift_left), ("shift_right_logical", lax.shift_right_logical)):
            row(name, "stablehlo." + name, {}, [x, y], f(jnp.asarray(x), jnp.asarray(y)))
    row("not", "stablehlo.not", {}, [np.array([True, False])], np.array([False, True]))
    edges = np.array([0, -0.0, np.inf, -np.inf, np.nan, 1, -3])
    row("sign", "stablehlo.sign", {}, [edges], np.sign(edges))
    row("is_finite", "stablehlo.is_finite", {}, [edges], np.isfinite(edges))
    for name, f in (("maximum", np.maximum), ("minimum", np.minimum)):
        row(name, "stablehlo." + name, {}, [edges, edges[::-1].copy()], f(edges, edges[::-1]))
    for y in (-3, 0, 1, 7):
        x = floats(10)
        row("integer_pow", "jax.integer_pow", {"y": y}, [x], lax.integer_pow(jnp.asarray(x), y), **close(4))
    for e, m in ((5, 10), (8, 7), (4, 3), (11, 20)):
        x = np.ldexp(floats(60), rng.integers(-20, 20, 60))
        row("reduce_precision", "stablehlo.reduce_precision", {"exponent_bits": e, "mantissa_bits": m}, [x],
            lax.reduce_precision(jnp.asarray(x), e, m))
    x = ints(3, 4, 2, dtype=np.int32)
    row("split bits", "stablehlo.bitcast_convert", {}, [x], lax.bitcast_convert_type(jnp.asarray(x), jnp.uint8))
    x = ints(3, 4, dtype=np.int16)
    row("joined bits", "stablehlo.bitcast_convert", {}, [x], lax.bitcast_convert_type(jnp.asarray(x), jnp.uint64))


def shapes():
    x = floats(3, 4)
    for low, high, interior in (([2, 0], [0, 3], [1, 2]), ([-1, 3], [2, -2], [0, 0]), ([-2, -1], [-1, 1], [2, 1])):
        row("pad", "stablehlo.pad", {"edge_padding_low": low, "edge_padding_high": high, "interior_padding": interior},
            [x, np.float64(7)], lax.pad(jnp.asarray(x), 7.0, list(zip(low, high, interior))))
    x = floats(7, 8, 3)
    row("slice", "stablehlo.slice", {"start_indices": [1, 0, 2], "limit_indices": [6, 8, 3], "strides": [2, 3, 1]}, [x],
        x[1:6:2, 0:8:3, 2:3])
    row("concatenate", "stablehlo.concatenate", {"dimension": 1},
        [x, x[:, :1], x[:, :0], x[:, 3:]], np.concatenate([x, x[:, :1], x[:, :0], x[:, 3:]], 1))
    row("broadcast_in_dim", "stablehlo.broadcast_in_dim", {"broadcast_dimensions": [2, 0]}, [x[:, :1, 0]],
        lax.broadcast_in_dim(jnp.asarray(x[:, :1, 0]), (4, 5, 7), (2, 0)))
    for start in ([-5, 100, 1], [2, 3, 0]):
        at = [np.int64(s) for s in start]
        i, j, k = np.clip(start, 0, np.array(x.shape) - (3, 2, 2))  # JAX's own functions count negative ones from behind
        row("dynamic_slice", "stablehlo.dynamic_slice", {"slice_sizes": [3, 2, 2]}, [x] + at, x[i:i + 3, j:j + 2, k:k + 2])
        y = x.copy()
        y[i:i + 3, j:j + 2, k:k + 2] = x[:3, :2, :2]
        row("dynamic_update_slice", "stablehlo.dynamic_update_slice", {}, [x, x[:3, :2, :2]] + at, y)


def products():
    x, y = ints(2, 3, 4, 5), ints(4, 6, 2, 3)
    d = (((1, 2), (3, 0)), ((0,), (2,)))
    row("dot_general", "stablehlo.dot_general",
        {"lhs_batching_dimensions": [0], "rhs_batching_dimensions": [2], "lhs_contracting_dimensions": [1, 2],
         "rhs_contracting_dimensions": [3, 0]}, [x, y], lax.dot_general(jnp.asarray(x), jnp.asarray(y), d))
    x, y = rng.random((3, 4)) < 0.3, rng.random((4, 2)) < 0.3
    row("dot_general of truths", "stablehlo.dot_general",
        {"lhs_batching_dimensions": [], "rhs_batching_dimensions": [], "lhs_contracting_dimensions": [1],
         "rhs_contracting_dimensions": [0]}, [x, y], (x[:, :, None] & y[None]).any(1))
    for name, kind in (("groups", dict(feature_group_count=2)), ("batch groups", dict(batch_group_count=2)),
                       ("strides", dict()), ("dilations", dict()), ("negative", dict())):
        groups, batches = kind.get("feature_group_count", 1), kind.get("batch_group_count", 1)
        x, w = ints(4, 4, 7, 8).astype(np.float64), ints(6, 4 // groups, 3, 2).astype(np.float64)
        stride, padding, base, dilation = [1, 1], [[0, 0], [0, 0]], [1, 1], [1, 1]
        if name == "strides":
            stride, padding = [2, 3], [[1, 0], [2, 1]]
        if name == "dilations":
            base, dilation, padding = [2, 1], [1, 3], [[0, 2], [1, 1]]
        if name == "negative":
            padding, stride = [[-1, 2], [0, -3]], [2, 1]
        y = lax.conv_general_dilated(x, w, stride, padding, base, dilation, ("NCHW", "OIHW", "NCHW"), **kind)
        row("convolution, " + name, "stablehlo.convolution",
            {"batch_group_count": batches, "feature_group_count": groups, "padding": padding, "window_strides": stride,
             "lhs_dilation": base, "rhs_dilation": dilation, "window_reversal": [False, False],
             "dimension_numbers": {"lhs": ["b", "f", 0, 1], "rhs": ["o", "i", 0, 1], "output": ["b", "f", 0, 1]}}, [x, w], y)
        if name == "strides":
            row("convolution, reversed", "stablehlo.convolution",
                {"batch_group_count": 1, "feature_group_count": 1, "padding": padding, "window_strides": stride,
                 "lhs_dilation": base, "rhs_dilation": dilation, "window_reversal": [True, False],
                 "dimension_numbers": {"lhs": ["b", 0, 1, "f"], "rhs": [0, "i", 1, "o"], "output": [0, "b", "f", 1]}},
                [x.transpose(0, 2, 3, 1).copy(), w[:, :, ::-1].transpose(2, 1, 3, 0).copy()], y.transpose(2, 0, 1, 3))


def windows():
    cases = [dict(window=[2, 3], strides=[1, 2], padding=[[1, 1], [0, 2]], base=[1, 1], dilation=[1, 1]),
             dict(window=[3, 2], strides=[2, 1], padding=[[0, 1], [2, 0]], base=[2, 1], dilation=[1, 2]),
             dict(window=[2, 2], strides=[1, 1], padding=[[-1, 0], [0, -1]], base=[1, 3], dilation=[2, 1])]
    for c in cases:
        for reducer, f, start in (("add", lax.add, 0), ("mul", lax.mul, 1), ("max", lax.max, None), ("min", lax.min, None)):
            for dtype in (np.int32, np.uint8, np.float64):
                size = np.iinfo(dtype) if dtype != np.float64 else None
                x = ints(5, 6, low=0, high=7).astype(dtype)
                begin = start if start is not None else (
                    (size.min if reducer == "max" else size.max) if size else (-np.inf if reducer == "max" else np.inf))
                init = np.asarray(begin, dtype)
                y = lax.reduce_window(x, init, f, c["window"], c["strides"], c["padding"], c["base"], c["dilation"])
                row("reduce_window", "stablehlo.reduce_window",
                    {"padding": c["padding"], "window_dimensions": c["window"], "window_strides": c["strides"],
                     "base_dilations": c["base"], "window_dilations": c["dilation"], "reducer": reducer}, [x, init], y)
    x = rng.permutation(64).reshape(8, 8).astype(np.float64)
    for name in ("GE", "LE"):
        source = floats(4, 4)
        far = -np.inf if name == "GE" else np.inf
        p = np.pad(x, ((1, 0), (0, 1)), constant_values=far)
        y = np.zeros_like(p)
        for i in range(4):
            for j in range(4):
                w = p[2 * i:2 * i + 3, 2 * j:2 * j + 3]
                k = np.unravel_index((w.argmax if name == "GE" else w.argmin)(), w.shape)
                y[2 * i + k[0], 2 * j + k[1]] += source[i, j]
        row("select_and_scatter", "stablehlo.select_and_scatter",
            {"window_dimensions": [3, 3], "window_strides": [2, 2], "padding": [[1, 0], [0, 1]], "scatter": "add",
             "select": name, "select_type": "FLOAT"}, [x, source, np.float64(0)], y[1:, :-1], **close(2))


def indices():
    x, i = floats(3, 5, 4, 6), ints(2, 4, 7, 2, low=-2, high=6)
    sizes = (2, 3, 1, 1)
    d = lax.GatherDimensionNumbers(offset_dims=(1, 3), collapsed_slice_dims=(3,), start_index_map=(3, 1),
                                   operand_batching_dims=(2,), start_indices_batching_dims=(1,))
    y = lax.gather(jnp.asarray(x), jnp.asarray(i), d, sizes, mode=lax.GatherScatterMode.CLIP)
    row("gather with common axes", "stablehlo.gather",
        {"dimension_numbers": {"offset_dims": [1, 3], "collapsed_slice_dims": [3], "operand_batching_dims": [2],
                               "start_indices_batching_dims": [1], "start_index_map": [3, 1], "index_vector_dim": 3},
         "slice_sizes": list(sizes)}, [x, i], y)
    d = lax.ScatterDimensionNumbers(update_window_dims=(1, 3), inserted_window_dims=(3,),
                                    scatter_dims_to_operand_dims=(3, 1), operand_batching_dims=(2,),
                                    scatter_indices_batching_dims=(1,))
    i = np.stack([ints(2, 4, 7, low=-1, high=7), ints(2, 4, 7, low=0, high=3)], -1)
    u = ints(*y.shape, low=-3, high=4).astype(np.float64)
    whole = ints(*x.shape).astype(np.float64)
    for reducer, f in (("add", lax.scatter_add), ("mul", lax.scatter_mul), ("min", lax.scatter_min),
                       ("max", lax.scatter_max)):
        z = f(jnp.asarray(whole), jnp.asarray(i), jnp.asarray(u), d, mode=lax.GatherScatterMode.FILL_OR_DROP)
        row("scatter with common axes", "stablehlo.scatter",
            {"scatter_dimension_numbers": {"update_window_dims": [1, 3], "inserted_window_dims": [3],
                                           "scatter_dims_to_operand_dims": [3, 1], "input_batching_dims": [2],
                                           "scatter_indices_batching_dims": [1], "index_vector_dim": 3},
             "reducer": reducer}, [whole, i, u], z)
    keys = [ints(30, low=0, high=3), ints(30, low=0, high=3), floats(30)]
    order = np.lexsort((keys[1], keys[0]))
    row("sort by two keys", "stablehlo.sort",
        {"dimension": 0, "is_stable": True, "num_keys": 2, "comparator": {"direction": "LT", "type": "SIGNED"}}, keys,
        [k[order] for k in keys])


def functions():
    x = np.concatenate([floats(30, low=-0.999, high=0.999), [0, 1, -1, 2, 1 - 2**-40, -1 + 2**-52, 1e-300]])
    exact = [float(mpmath.erfinv(v)) if abs(v) < 1 else v * np.inf if abs(v) == 1 else np.nan for v in x]
    row("erf_inv", "chlo.erf_inv", {}, [x], np.array(exact), **close(2))
    x = np.concatenate([floats(30, low=-60, high=60), [0, 1e-5, 700, -700]])
    row("bessel_i0e", "jax.bessel_i0e", {}, [x], lax.bessel_i0e(jnp.asarray(x)), **close(16))
    row("bessel_i1e", "chlo.bessel_i1e", {}, [x], lax.bessel_i1e(jnp.asarray(x)), **close(16))
    x = floats(30, low=0.1, high=20)
    row("digamma", "chlo.digamma", {}, [x], lax.digamma(jnp.asarray(x)), check="almost_eq", atol=1e-13)
    a, x = floats(60, low=0.1, high=30), floats(60, low=0, high=40)
    row("igamma", "jax.igamma", {}, [a, x], special.gammainc(a, x), check="almost_eq", atol=1e-12)
    row("igammac", "jax.igammac", {}, [a, x], special.gammaincc(a, x), check="almost_eq", atol=1e-12)
    edges = np.array([[1, 0], [2, np.inf], [np.nan, 1], [1, np.nan]]).T.copy()
    row("igamma at edges", "jax.igamma", {}, list(edges), lax.igamma(*map(jnp.asarray, edges)))
    row("igammac at edges", "jax.igammac", {}, list(edges), lax.igammac(*map(jnp.asarray, edges)))
    a, b, x = floats(60, low=0.1, high=20), floats(60, low=0.1, high=20), floats(60, low=0, high=1)
    row("betainc", "jax.regularized_incomplete_beta", {}, [a, b, x], special.betainc(a, b, x), check="almost_eq",
        atol=1e-12)
    row("tridiagonal_solve", "jax.tridiagonal_solve", {}, *tridiagonal(), check="almost_eq", atol=1e-12)


def tridiagonal():
    lower, upper, b = floats(2, 6), floats(2, 6), floats(2, 6, 3)
    diagonal = floats(2, 6, low=5, high=6)
    lower[:, 0] = upper[:, -1] = 0
    full = np.zeros((2, 6, 6))
    k = np.arange(6)
    full[:, k, k] = diagonal
    full[:, k[1:], k[:-1]] = lower[:, 1:]
    full[:, k[:-1], k[1:]] = upper[:, :-1]
    return [lower, diagonal, upper, b], np.linalg.solve(full, b)


def draws():
    for seed in (0, 42, 2**40 + 17):
        key = jax.random.PRNGKey(seed)
        attrs = {"seed": seed, "impl": "threefry2x32"}
        for n in (2, 3, 7):
            row("split", "jax.random_split", attrs, [], jax.random.split(key, n))
        for dtype in (jnp.uint8, jnp.uint16, jnp.uint32, jnp.uint64):
            for shape in ((), (1,), (3, 3), (16,), (0, 2)):
                row("bits", "jax.random_bits", attrs, [], jax.random.bits(key, shape, dtype))
        for dtype in (jnp.float64, jnp.float32, jnp.float16, jnp.bfloat16):
            for shape in ((), (5, 3)):
                row("uniform", "jax.random_uniform", attrs, [], jax.random.uniform(key, shape, dtype))
                near = close(8) if dtype != jnp.float64 else {"check": "almost_eq", "atol": 1e-13}
                row("normal", "jax.random_normal", attrs, [], jax.random.normal(key, shape, dtype), **near)
        logits = floats(6, 5)
        row("categorical", "jax.random_categorical", dict(attrs, axis=0), [logits],
            jax.random.categorical(key, jnp.asarray(logits), axis=0))
        a = floats(20, low=0.1, high=9)
        row("gamma", "jax.random_gamma", attrs, [a], jax.random.gamma(key, jnp.asarray(a)), check="almost_eq", atol=1e-12)


def main(goldens):
    os.makedirs(goldens, exist_ok=True)
    for part in (elementwise, shapes, products, windows, indices, functions, draws):
        part()
    path = os.path.join(goldens, "rows.jsonl")
    with open(path, "w") as file:
        for r in out:
            file.write(json.dumps(r) + "\n")
    with open(path, "rb") as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    with open(os.path.join(goldens, "SOURCES"), "w") as file:
        file.write(f"Recorded from jax {jax.__version__}, jaxlib {jaxlib.__version__}, numpy {np.__version__}, mpmath {mpmath.__version__}\n")
        file.write("by tests/oracles/rows_jax.py. SHA-256:\n")
        file.write(f"{digest}  rows.jsonl\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
