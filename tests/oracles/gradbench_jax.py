#!/usr/bin/env python3
"""Expected outputs of the twelve evals by JAX in double precision, written from the evals' mathematics alone.

    gradbench_jax.py INPUTS GOLDENS

INPUTS is a folder made by `bench/gradbench/gen.py --set test`; for each input and function a golden is written to
GOLDENS, and MANIFEST.json with the versions and the SHA-256 of each file.
"""

import hashlib
import json
import math
import os
import platform
import sys

import jax
import jax.numpy as jnp
import jaxlib
import numpy as np
from jax.scipy.special import gammaln, logsumexp

jax.config.update("jax_enable_x64", True)


def array(x):
    return jnp.asarray(np.asarray(x, dtype=np.float64))


# gmm: the density itself, by matrices, rather than its simplified form.
def gmm_posterior(p, x, m, gamma):
    alpha, mu, q, l = p["alpha"], p["mu"], p["q"], p["l"]
    n, d = x.shape
    columns, rows = np.triu_indices(d, 1)

    def factor(q, l):
        return jnp.zeros((d, d)).at[rows, columns].set(l) + jnp.diag(jnp.exp(q))

    factors = jax.vmap(factor)(q, l)
    precisions = jnp.einsum("kab,kac->kbc", factors, factors)
    logdets = jnp.linalg.slogdet(precisions)[1]

    def log_density(point, mean, precision, logdet):
        c = point - mean
        return -0.5 * (c @ precision @ c) + 0.5 * logdet - 0.5 * d * jnp.log(2 * jnp.pi)

    densities = jax.vmap(lambda point: jax.vmap(log_density, (None, 0, 0, 0))(point, mu, precisions, logdets))(x)
    likelihood = logsumexp(densities + jax.nn.log_softmax(alpha), axis=1).sum()
    v = d + m + 1
    multigamma = d * (d - 1) / 4 * math.log(math.pi) + sum(gammaln(v / 2 - j / 2) for j in range(d))
    wishart = (
        (v - d - 1) / 2 * logdets
        - 0.5 * gamma**2 * jnp.trace(precisions, axis1=1, axis2=2)
        - v * d / 2 * math.log(2)
        + v * d * math.log(gamma)
        - multigamma
    )
    return likelihood + wishart.sum()


def gmm(i, function):
    d, k = i["d"], i["k"]
    p = {
        "alpha": array(i["alpha"]),
        "mu": array(i["mu"]).reshape(k, d),
        "q": array(i["q"]).reshape(k, d),
        "l": array(i["l"]).reshape(k, d * (d - 1) // 2),
    }
    x = array(i["x"]).reshape(i["n"], d)
    objective = lambda p: gmm_posterior(p, x, i["m"], i["gamma"])
    return objective(p) if function == "objective" else jax.grad(objective)(p)


# ba: the rotation as the exponential of a cross-product matrix.
def cross_matrix(r):
    z = jnp.zeros(())
    return jnp.array([[z, -r[2], r[1]], [r[2], z, -r[0]], [-r[1], r[0], z]])


def ba_error(camera, point, w, feature):
    turned = jax.scipy.linalg.expm(cross_matrix(camera[:3])) @ (point - camera[3:6])
    flat = turned[:2] / turned[2]
    square = flat @ flat
    seen = flat * (1 + camera[9] * square + camera[10] * square**2) * camera[6] + camera[7:9]
    return w * (seen - feature)


def ba(i, function):
    n, m, p = i["n"], i["m"], i["p"]
    camera, point, w, feature = array(i["cam"]), array(i["x"]), array(i["w"]), array(i["feat"])
    if function == "objective":
        return {
            "reproj_error": {"elements": ba_error(camera, point, w, feature), "repeated": p},
            "w_err": {"element": 1 - w**2, "repeated": p},
        }
    by_camera, by_point, by_weight = jax.jacfwd(ba_error, (0, 1, 2))(camera, point, w, feature)
    block = jnp.concatenate([by_camera, by_point, by_weight[:, None]], axis=1)
    rows = [15 * r for r in range(2 * p + 1)] + [30 * p + r + 1 for r in range(p)]
    cols = [*range(11), *(11 * n + j for j in range(3)), 11 * n + 3 * m] * 2
    return {
        "rows": rows[:30] + rows[-1:],
        "cols": cols + [11 * n + 3 * m + p - 1],
        "vals": [*map(float, block.reshape(-1)), float(-2 * w)],
    }


# ht: homogeneous matrices throughout.
def rotation_about(axis, angle):
    c, s = jnp.cos(angle), jnp.sin(angle)
    a, b = [(1, 2), (2, 0), (0, 1)][axis]
    return jnp.eye(4).at[a, a].set(c).at[b, b].set(c).at[a, b].set(-s).at[b, a].set(s)


def ht_positions(theta, model):
    bones = len(model["parents"])
    bend, spread = [None] * bones, [None] * bones
    at = 6
    for finger in range(5):
        for joint in (2, 3, 4):
            bone = 4 * finger + joint
            bend[bone] = theta[at]
            at += 1
            if joint == 2:
                spread[bone] = theta[at]
                at += 1
    absolutes = []
    for bone, parent in enumerate(model["parents"]):
        local = array(model["base_relatives"][bone])
        if spread[bone] is not None:
            local = local @ rotation_about(2, spread[bone])
        if bend[bone] is not None:
            local = local @ rotation_about(0, bend[bone])
        absolutes.append(local if parent < 0 else absolutes[parent] @ local)
    transforms = jnp.stack(absolutes) @ array(model["inverse_base_absolutes"])
    skinned = jnp.einsum("vb,bij,vj->vi", array(model["weights"]), transforms, array(model["base_positions"]))[:, :3]
    if model["is_mirrored"]:
        skinned = skinned * jnp.array([-1.0, 1.0, 1.0])
    # The specified function takes the identity near zero, and so has no derivative by the rotation there.
    small = bool(np.linalg.norm(np.asarray(model["theta"][:3])) < 1e-4)
    rotation = jnp.eye(3) if small else jax.scipy.linalg.expm(cross_matrix(theta[:3]))
    return skinned @ rotation.T + theta[3:6]


def ht(i, function):
    model = dict(i["data"]["model"], theta=i["theta"])
    points = array(i["data"]["points"])
    which = np.asarray(i["data"]["correspondences"])
    theta, us = array(i["theta"]), i["us"]
    if us:
        us = array(us)
        corners = np.asarray(model["triangles"])[which]

        def errors(theta, shift):
            u = us + shift
            barycentric = jnp.concatenate([u, 1 - u.sum(axis=1, keepdims=True)], axis=1)
            p = ht_positions(theta, model)[corners]
            return (points - jnp.einsum("nc,nci->ni", barycentric, p)).reshape(-1)

        if function == "objective":
            return errors(theta, jnp.zeros(2))
        by_theta, by_shift = jax.jacfwd(errors, (0, 1))(theta, jnp.zeros(2))
        return jnp.concatenate([by_shift, by_theta], axis=1)
    errors = lambda theta: (points - ht_positions(theta, model)[which]).reshape(-1)
    return errors(theta) if function == "objective" else jax.jacfwd(errors)(theta)


def lstm_loss(main, extra, state, sequence):
    layers = main.shape[0]
    hidden = [state[k, 0] for k in range(layers)]
    cell = [state[k, 1] for k in range(layers)]
    total = 0.0
    for t in range(sequence.shape[0] - 1):
        signal = sequence[t] * extra[0]
        for k in range(layers):
            w, b = main[k, 0], main[k, 1]
            forget = jax.nn.sigmoid(signal * w[0] + b[0])
            ingate = jax.nn.sigmoid(hidden[k] * w[1] + b[1])
            outgate = jax.nn.sigmoid(signal * w[2] + b[2])
            change = jnp.tanh(hidden[k] * w[3] + b[3])
            cell[k] = cell[k] * forget + ingate * change
            hidden[k] = signal = outgate * jnp.tanh(cell[k])
        prediction = signal * extra[1] + extra[2]
        total += sequence[t + 1] @ (prediction - jnp.log(2 + jnp.exp(prediction).sum()))
    return -total / ((sequence.shape[0] - 1) * sequence.shape[1])


def lstm(i, function):
    layers, bits = len(i["main_params"]) // 2, len(i["extra_params"][0])
    main, extra = array(i["main_params"]).reshape(layers, 2, 4, bits), array(i["extra_params"])
    state, sequence = array(i["state"]).reshape(layers, 2, bits), array(i["sequence"])
    if function == "objective":
        return lstm_loss(main, extra, state, sequence)
    by_main, by_extra = jax.grad(lstm_loss, (0, 1))(main, extra, state, sequence)
    return jnp.concatenate([by_main.reshape(-1), by_extra.reshape(-1)])


def det(i, function):
    a = array(i["A"]).reshape(i["ell"], i["ell"])
    return jnp.linalg.det(a) if function == "primal" else jax.grad(jnp.linalg.det)(a).reshape(-1)


def llsq(i, function):
    t = -1 + array(range(i["n"])) * 2 / (i["n"] - 1)
    objective = lambda x: 0.5 * ((jnp.sign(t) - jnp.polyval(x[::-1], t)) ** 2).sum()
    x = array(i["x"])
    return objective(x) if function == "primal" else jax.grad(objective)(x)


def lse(i, function):
    x = array(i["x"])
    return logsumexp(x) if function == "primal" else jax.grad(logsumexp)(x)


def ode_end(x, s):
    h = 2 / s
    slope = lambda y: x * jnp.concatenate([jnp.ones(1), y[:-1]])
    y = jnp.zeros_like(x)
    for _ in range(s):
        k1 = slope(y)
        k2 = slope(y + h / 2 * k1)
        k3 = slope(y + h / 2 * k2)
        k4 = slope(y + h * k3)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return y


def ode(i, function):
    x = array(i["x"])
    return ode_end(x, i["s"]) if function == "primal" else jax.grad(lambda x: ode_end(x, i["s"])[-1])(x)


def kmeans(i, function):
    points, centroids = array(i["points"]), array(i["centroids"])
    cost = lambda c: ((points[:, None] - c[None]) ** 2).sum(axis=2).min(axis=1).sum()
    if function == "cost":
        return cost(centroids)
    size = centroids.size
    hessian = jax.hessian(cost)(centroids).reshape(size, size)
    return jnp.linalg.solve(hessian, jax.grad(cost)(centroids).reshape(size)).reshape(centroids.shape)


def descend(x, value, slope):
    x = np.asarray(x, dtype=np.float64)
    at, g, step, good = value(x), slope(x), 1e-5, 0
    while np.sqrt((g * g).sum()) > 1e-5:
        if good == 10:
            step, good = step * 2, 0
            continue
        there_x = x - step * g
        if np.sqrt(((there_x - x) ** 2).sum()) <= 1e-5:
            break
        there = value(there_x)
        if there < at:
            x, at, g, good = there_x, there, slope(there_x), good + 1
        else:
            step, good = step / 2, 0
    return x


def particle_miss(w):
    def potential(x):
        return sum(1 / jnp.sqrt(((x - c) ** 2).sum()) for c in (jnp.array([10.0, 10.0 - w]), jnp.array([10.0, 0.0])))

    def move(state):
        x, v, before, _ = state
        return x + 0.1 * v, v - 0.1 * jax.grad(potential)(x), x, v

    start = jnp.array([0.0, 8.0]), jnp.array([0.75, 0.0]), jnp.array([0.0, 8.0]), jnp.array([0.75, 0.0])
    x, _, _, v = jax.lax.while_loop(lambda s: s[0][1] > 0, move, start)
    return (x[0] - x[1] / v[1] * v[0]) ** 2


def particle(i, function):
    value = jax.jit(particle_miss)
    slope = jax.jit(jax.jacfwd(particle_miss))
    return descend([i["w"]], lambda w: float(value(w[0])), lambda w: np.array([float(slope(w[0]))]))[0]


def saddle(i, function):
    start = i["start"]
    inner = lambda x: descend(start, lambda y: y @ y - x @ x, lambda y: 2 * y)
    x = descend(start, lambda x: x @ x - inner(x) @ inner(x), lambda x: 2 * x)
    return np.concatenate([x, inner(x)])


FUNCTIONS = {
    gmm: ["objective", "jacobian"],
    ba: ["objective", "jacobian"],
    ht: ["objective", "jacobian"],
    lstm: ["objective", "jacobian"],
    det: ["primal", "gradient"],
    llsq: ["primal", "gradient"],
    lse: ["primal", "gradient"],
    ode: ["primal", "gradient"],
    kmeans: ["cost", "dir"],
    particle: ["rr", "rf", "fr", "ff"],
    saddle: ["rr", "rf", "fr", "ff"],
}
ORACLES = {f.__name__: (f, names) for f, names in FUNCTIONS.items()}
ORACLES["hello"] = (lambda x, function: x * x if function == "square" else 2 * x, ["square", "double"])
# The differences are of rounding: 1e-14 in what gcc and clang make of ours at -O0 to -O3 -ffast-math, and 1e-12 in what JAX
# computes for gmm.
TOLERANCE = 1e-10


def plain(value):
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    if isinstance(value, (int, float)):
        return value
    return np.asarray(value, dtype=np.float64).tolist()


def main(inputs, goldens):
    os.makedirs(goldens, exist_ok=True)
    digests = {}
    for name in sorted(os.listdir(inputs)):
        with open(os.path.join(inputs, name)) as file:
            value = json.load(file)
        evaluation = name.split("-", 1)[0]
        oracle, functions = ORACLES[evaluation]
        golden = {
            "eval": evaluation,
            "tolerance": TOLERANCE,
            "input": value,
            "outputs": {function: plain(oracle(value, function)) for function in functions},
        }
        path = os.path.join(goldens, name)
        with open(path, "w") as file:
            json.dump(golden, file)
            file.write("\n")
        with open(path, "rb") as file:
            digests[name] = hashlib.sha256(file.read()).hexdigest()
        print(name, flush=True)
    manifest = {
        "source": "tests/oracles/gradbench_jax.py over bench/gradbench/gen.py --set test",
        "versions": {"python": platform.python_version(), "jax": jax.__version__, "jaxlib": jaxlib.__version__,
                     "numpy": np.__version__},
        "sha256": digests,
    }
    with open(os.path.join(goldens, "MANIFEST.json"), "w") as file:
        json.dump(manifest, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
