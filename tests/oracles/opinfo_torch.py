"""opinfo_torch.py FOLDER: ops by PyTorch in float64 on its OpInfo samples, with the cotangents of their inputs.

Of a sample the shapes, keyword arguments and structure are OpInfo's; the numbers are drawn here, on a coarse grid in the op's domain.
An op is a line `op NAME`, a sample of it a line `case`, then a line each:
  i, f, s NAME VALUES...                     an argument: integers, a number, a text
  in NAME DTYPE RANK EXTENTS... ELEMENTS...  a tensor among the arguments; of a list each by the list's name
  out DTYPE RANK EXTENTS... ELEMENTS...      a result
  seed RANK EXTENTS... ELEMENTS...           the cotangent of each floating result
  bar K RANK EXTENTS... ELEMENTS...          that of the K-th tensor of the arguments"""
import hashlib
import pathlib
import random
import sys

import torch
from torch.testing._internal.common_methods_invocations import op_db
from torch.testing._internal.opinfo.core import SampleInput


def set_extents(*small):
    """What OpInfo's shapes are made of."""
    for name, module in list(sys.modules.items()):
        if name.startswith("torch.testing._internal"):
            for extent, n in zip(("S", "M", "L", "XS"), small):
                if isinstance(getattr(module, extent, None), int):
                    setattr(module, extent, n)


MOST_SAMPLES, MOST_ELEMENTS = 5, 64
F64 = torch.float64
DTYPES = {torch.float64: "f64", torch.int64: "i64", torch.int32: "i32", torch.bool: "bool"}


# ---- numbers ----

def on_grid(r, shape, numbers):
    n = torch.Size(shape).numel()
    return torch.tensor([r.choice(numbers) for _ in range(n)], dtype=F64).reshape(shape)


def eighths(low, high):
    return [k / 8 for k in range(round(low * 8), round(high * 8) + 1)]


def distinct(r, shape):
    n = torch.Size(shape).numel()
    numbers = [(k - n // 2) / 8 for k in range(n)]
    r.shuffle(numbers)
    return torch.tensor(numbers, dtype=F64).reshape(shape)


def dominant(r, shape):
    return on_grid(r, shape, eighths(-1, 1)) + 4 * torch.eye(shape[-2], shape[-1], dtype=F64)


def positive_definite(r, shape):
    a = on_grid(r, shape, [k / 4 for k in range(-4, 5)])
    return a @ a.mT + torch.eye(shape[-1], dtype=F64)


DOMAINS = {
    "all": lambda r, s: on_grid(r, s, eighths(-3, 3)),
    "positive": lambda r, s: on_grid(r, s, eighths(0.125, 4)),
    "nonzero": lambda r, s: on_grid(r, s, [x for x in eighths(-3, 3) if x]),
    "unit": lambda r, s: on_grid(r, s, eighths(-0.875, 0.875)),
    "probability": lambda r, s: on_grid(r, s, eighths(0.125, 0.875)),
    "above_one": lambda r, s: on_grid(r, s, eighths(1.125, 4)),
    "off_integer": lambda r, s: on_grid(r, s, [k / 4 + 0.125 for k in range(-12, 12)]),
    "between": lambda r, s: on_grid(r, s, [k / 8 + 0.0625 for k in range(-24, 24)]),
    "sign": lambda r, s: on_grid(r, s, [-1.0, 1.0]),
    "whole": lambda r, s: on_grid(r, s, [float(k) for k in range(6)]),
    "distinct": distinct,
    "dominant": dominant,
    "definite": positive_definite,
}

# ---- the ops: name, or name/variant of OpInfo; the names of the arguments behind the first; the domain of each floating tensor, the
# last of all that follow; `fixed`: arguments that PyTorch does not differentiate; `only`: what a sample has to be; `most`: so many elements
# of an argument; `extents`: see set_extents; `more`: samples of our own, whose arguments OpInfo leaves out ----

OPS = {}


def op(names, params="", domains="all", fixed="", dtype=F64, only=None, first="input", most=MOST_ELEMENTS, extents=(4, 5, 6, 3), more=()):
    for name in names.split():
        OPS[name] = dict(most=most, extents=extents, more=more, params=params.split(), domains=domains.split(), fixed=fixed.split(), dtype=dtype, only=only, first=first, cut=not params or name.startswith("nn.functional"))


def without(*names):
    return lambda a: not any(n in a for n in names)


def has(*names):
    return lambda a: all(n in a for n in names)


# One number.
op("abs neg exp exp2 expm1 sin cos sinh cosh tanh atan asinh erf erfc sign sgn square sigmoid sinc isfinite isnan")
op("sqrt log log2 log10 log1p rsqrt digamma lgamma special.i0e special.i1e", domains="positive")
op("special.bessel_j0 special.bessel_j1 special.bessel_y0 special.bessel_y1", domains="positive")
op("special.entr", domains="probability")
op("asin acos atanh erfinv tan", domains="unit")
op("acosh", domains="above_one")
op("signbit reciprocal", domains="nonzero")
op("floor ceil trunc round frac", domains="off_integer")
op("logit", "eps", domains="probability", only=lambda a: "eps" not in a or a["eps"] > 0)
op("polygamma/polygamma_n_0 polygamma/polygamma_n_1 polygamma/polygamma_n_2 polygamma/polygamma_n_3", "n", domains="positive")
op("nan_to_num", "nan posinf neginf")
op("logical_not", dtype=torch.bool)
op("bitwise_not", dtype=torch.int64)
op("nn.functional.relu nn.functional.relu6 nn.functional.silu nn.functional.mish nn.functional.softsign nn.functional.hardswish "
   "nn.functional.logsigmoid nn.functional.tanhshrink nn.functional.selu nn.functional.hardsigmoid", "inplace")
op("nn.functional.leaky_relu", "negative_slope")
op("nn.functional.elu nn.functional.celu", "alpha")
op("nn.functional.gelu", "approximate")
op("nn.functional.softplus", "beta threshold")
op("nn.functional.hardtanh", "min_val max_val")
op("nn.functional.softshrink nn.functional.hardshrink", "lambd")
op("nn.functional.threshold", "threshold value")
op("nn.functional.prelu", "weight")
op("nn.functional.glu", "dim")

# More numbers.
op("add sub", "other", only=without("alpha"))
op("fmax fmin", "other", "all between")  # a tie is shared here, and the first's there
op("mul maximum minimum max/binary min/binary eq ne lt le gt ge hypot atan2 copysign logaddexp logaddexp2", "other")
op("rsub", "other", only=without("alpha"))
op("heaviside nextafter", "other", fixed="input other")
op("div/no_rounding_mode true_divide", "other", "all nonzero")
op("div/floor_rounding", "other rounding_mode", "off_integer nonzero", fixed="input other")
op("floor_divide", "other", "all nonzero", fixed="input other")
op("fmod remainder", "other", "off_integer nonzero")
op("pow float_power", "exponent", "positive all")
op("xlogy", "other", "all positive")
op("special.xlog1py", "other", "all positive")
op("igamma igammac", "other", "positive", fixed="input")
op("logical_and logical_or logical_xor", "other", dtype=torch.bool)
op("bitwise_and bitwise_or bitwise_xor", "other", dtype=torch.int64)
op("where", "condition other")
op("lerp", "end weight")
op("addcmul addcdiv", "tensor1 tensor2 value", "all nonzero")
op("clamp", "min max", "all all between", most=130)
op("clamp_min", "min")
op("clamp_max", "max")

# Over axes.
op("sum mean amax amin logsumexp", "dim keepdim", "distinct")
op("prod", "dim keepdim", "nonzero")
op("max/reduction_no_dim min/reduction_no_dim", "", "distinct")
op("all any", "dim keepdim", dtype=torch.bool)
op("argmax argmin", "dim keepdim", "distinct")
op("var std", "dim correction keepdim", only=without("unbiased"))
op("linalg.vector_norm", "ord dim keepdim", "nonzero")
op("softmax log_softmax", "dim")
op("msort", "", "distinct")
op("argsort", "dim descending stable", "distinct")
op("topk", "k dim largest sorted", "distinct", only=lambda a: a.get("largest", True) and a.get("sorted", True),
   extents=(3, 4, 5, 2))
op("diff", "n dim", only=without("prepend", "append"))
op("trace", "")
op("cdist", "x2 p compute_mode", "distinct all")

# Products.
op("matmul mm mv dot vdot outer", "other")
op("bmm", "other", most=100)
op("kron", "other", extents=(2, 2, 3, 2))
op("inner", "other", only=lambda a: a["input"].dim() > 0 and a["other"].dim() > 0)
op("addmm addmv baddbmm", "batch1 batch2 beta alpha", most=100)
op("einsum", "operands", only=lambda a: "." not in a["equation"] and "->" in a["equation"] and a["equation"].replace(",", "").replace(
    "->", "").replace(" ", "").isalpha() and not any(len(set(t)) < len(t) for t in a["equation"].split("->")[0].split(",")), first="operands")
op("tensordot", "other dims", only=lambda a: 1 not in a["input"].shape)
op("cross linalg.cross", "other dim")
op("nn.functional.linear", "weight bias", only=without("bias"))
op("nn.functional.bilinear", "input2 weight bias", only=lambda a: "bias" not in a and a["input"].dim() == 2, most=160)

# In other places.
op("reshape view", "shape")
op("transpose", "dim0 dim1")
op("permute", "dims")
op("movedim", "source destination")
op("t mT ravel fliplr flipud")
op("flatten", "start_dim end_dim")
op("broadcast_to expand", "size")
op("expand_as", "other", fixed="other")
op("sum_to_size", "size")
op("squeeze", "dim")
op("unsqueeze", "dim")
op("flip", "dims")
op("roll", "shifts dims")
op("tile repeat", "dims")
op("repeat_interleave", "repeats dim", only=lambda a: isinstance(a.get("repeats"), int))
op("cat stack", "dim", first="tensors")
op("split split/list_args split_with_sizes", "split_size dim")
op("chunk", "chunks dim")
op("meshgrid/list_of_tensors", "indexing", first="tensors")
op("diagonal linalg.diagonal", "offset dim1 dim2")
op("diag_embed", "offset dim1 dim2")
op("diag", "diagonal")
op("tril triu", "diagonal")
op("narrow", "dim start length", only=lambda a: isinstance(a["start"], int))
op("select", "dim index")
op("unfold", "dimension size step")
op("nn.functional.pad/constant", "pad mode value")
op("nn.functional.pad/circular nn.functional.pad/reflect nn.functional.pad/replicate", "pad mode")

# At indices.
op("gather", "dim index", only=lambda a: same_lines(a["input"], a["index"], a["dim"]))
op("take_along_dim", "index dim", only=lambda a: (a["index"] >= 0).all() and (
    "dim" not in a or same_lines(a["input"], a["index"], a["dim"])))
op("take", "index")
op("index_select", "dim index")
op("scatter_add", "dim index src", only=lambda a: same_lines(a["input"], a["index"], a["dim"]) and a["src"].shape == a["index"].shape)
op("scatter_reduce/sum scatter_reduce/prod scatter_reduce/amax scatter_reduce/amin", "dim index src reduce include_self", "distinct",
   only=lambda a: a.get("include_self", True) and same_lines(a["input"], a["index"], a["dim"]) and a["src"].shape == a["index"].shape)
op("masked_fill", "mask value")
op("nn.functional.one_hot", "num_classes", dtype=torch.int64, only=lambda a: a.get("num_classes", -1) > 0)

# Matrices.
op("cholesky linalg.cholesky", "upper", "definite", only=lambda a: not a.get("upper", False))
op("linalg.det linalg.slogdet linalg.inv", "", "dominant")
op("logdet", "", "definite")
op("linalg.solve", "other left", "dominant all", only=lambda a: a.get("left", True) and (
    a["other"].dim() == 1 or a["other"].dim() >= a["input"].dim()))
op("linalg.solve_triangular", "other upper left unitriangular", "dominant all", only=lambda a: a.get("left", True))
op("linalg.qr", "mode", "dominant", only=lambda a: a.get("mode", "reduced") == "reduced" and a["input"].shape[-2] >= a["input"].shape[-1])
op("linalg.eigvalsh", "UPLO", "definite")

# Layers.
op("nn.functional.conv1d nn.functional.conv2d", "weight bias stride padding dilation groups",
   only=lambda a: "bias" not in a and not isinstance(a.get("padding"), str) and a["input"].dim() == a["weight"].dim(), most=200)
op("nn.functional.conv_transpose2d", "weight bias stride padding output_padding groups dilation",
   only=lambda a: "bias" not in a and a["input"].dim() == a["weight"].dim(), most=200)
op("nn.functional.layer_norm", "normalized_shape weight bias eps")
op("nn.functional.rms_norm", "normalized_shape weight eps")
op("nn.functional.group_norm", "num_groups weight bias eps")
op("nn.functional.instance_norm", "running_mean running_var weight bias use_input_stats momentum eps",
   only=lambda a: "running_mean" not in a and "running_var" not in a)
op("nn.functional.local_response_norm", "size alpha beta k")
op("nn.functional.normalize", "p dim eps", "nonzero", only=lambda a: a.get("p", 2) >= 0)
op("nn.functional.cosine_similarity", "x2 dim eps", "nonzero")

# Losses.
op("nn.functional.mse_loss nn.functional.l1_loss", "target size_average reduce reduction")
op("nn.functional.smooth_l1_loss", "target size_average reduce reduction beta")
op("nn.functional.huber_loss", "target reduction delta")
op("nn.functional.kl_div", "target size_average reduce reduction log_target", "all positive")
op("nn.functional.binary_cross_entropy", "target weight size_average reduce reduction", "probability", fixed="weight")
op("nn.functional.binary_cross_entropy_with_logits", "target weight size_average reduce reduction pos_weight", "all probability positive",
   fixed="weight pos_weight")
op("nn.functional.nll_loss", "target weight size_average ignore_index reduce reduction", "all positive", fixed="weight",
   only=lambda a: a["target"].dim() == a["input"].dim() - 1)
op("nn.functional.cross_entropy", "target weight size_average ignore_index reduce reduction label_smoothing", "all positive",
   fixed="weight", only=lambda a: not a["target"].is_floating_point(),
   more=[lambda: SampleInput(torch.zeros(3, 4), args=(torch.tensor([1, 0, 3]),), kwargs=dict(label_smoothing=0.25)),
         lambda: SampleInput(torch.zeros(2, 4, 2), args=(torch.tensor([[1, 0], [3, 2]]), torch.zeros(4)),
                             kwargs=dict(label_smoothing=0.125, ignore_index=3, reduction="sum"))])
op("nn.functional.gaussian_nll_loss", "target var full eps reduction", "all all positive")
op("nn.functional.poisson_nll_loss", "target log_input full size_average eps reduce reduction", "positive whole", fixed="target")
op("nn.functional.margin_ranking_loss", "input2 target margin size_average reduce reduction", "all all sign", fixed="target")
op("nn.functional.hinge_embedding_loss", "target margin size_average reduce reduction", "all sign", fixed="target")
op("nn.functional.soft_margin_loss", "target size_average reduce reduction", "all sign", fixed="target")


def same_lines(x, index, dim):
    """Whether the indices have x's extents but along the axis."""
    return x.dim() == index.dim() > 0 and all(a == b for i, (a, b) in enumerate(zip(x.shape, index.shape)) if i != dim % x.dim())


# ---- samples ----

class Unfit(Exception):
    pass


def bound(entry, sample):
    """The arguments by name; a list of tensors is a list."""
    arguments = {}
    first = [sample.input, *sample.args]
    names = [entry["first"], *entry["params"]]
    if entry["first"] == "operands":  # einsum
        if isinstance(sample.input, (list, tuple)):
            first = [sample.input, sample.args[0]]
        names = ["operands", "equation"]
    if entry["params"] and entry["params"][-1] in ("dims", "shape", "size") and len(first) > len(names) and all(
            isinstance(a, int) for a in first[len(names) - 1:]):
        first = [*first[:len(names) - 1], tuple(first[len(names) - 1:])]
    if len(first) > len(names):
        raise Unfit
    for name, value in [*zip(names, first), *sample.kwargs.items()]:
        if value is None:
            continue
        if isinstance(value, (torch.dtype, torch.device)) or (isinstance(value, torch.Tensor) and value.is_complex()):
            raise Unfit
        arguments[name] = value
    return arguments


def drawn(entry, r, sample):
    """The sample with our numbers; a large tensor that is alone is cut to its first elements."""
    count = 0
    is_alone = not any(isinstance(a, (torch.Tensor, list, tuple)) for a in [*sample.args, *sample.kwargs.values()])

    def draw(x):
        nonlocal count
        if isinstance(x, torch.Tensor):
            if x.dtype == torch.bool:
                return on_grid(r, x.shape, [0.0, 1.0]).bool()
            if not x.is_floating_point():
                return on_grid(r, x.shape, [float(k) for k in range(-9, 10)]).long() if entry["dtype"] == torch.int64 and \
                    entry["params"] != ["num_classes"] else x
            if entry["cut"] and is_alone and x.numel() > MOST_ELEMENTS:
                x = x[tuple(slice(0, (8, 8, 4, 2)[min(x.dim(), 3)]) for _ in x.shape)]
            domain = entry["domains"][min(count, len(entry["domains"]) - 1)]
            count += 1
            if domain in ("dominant", "definite") and (x.dim() < 2 or (domain == "definite" and x.shape[-1] != x.shape[-2])):
                raise Unfit
            return DOMAINS[domain](r, x.shape)
        if isinstance(x, (list, tuple)) and any(isinstance(y, torch.Tensor) for y in x):
            return [draw(y) for y in x]
        return x

    sample.input = draw(sample.input)
    sample.args = tuple(draw(a) for a in sample.args)
    sample.kwargs = {k: draw(v) for k, v in sample.kwargs.items()}
    return sample


def tensors_of(arguments):
    out = []
    for name, value in arguments.items():
        for x in value if isinstance(value, (list, tuple)) else [value]:
            if isinstance(x, torch.Tensor):
                out.append((name, x))
    return out


def number(v):
    return repr(int(v)) if isinstance(v, float) and abs(v) < 1e15 and v == int(v) else repr(float(v)) if isinstance(v, float) else str(int(v))


def shaped(x):
    flat = x.detach().flatten().tolist()
    return " ".join([str(x.dim()), *map(str, x.shape), *map(number, flat)])


def typed(x):
    if x.dtype not in DTYPES:
        raise Unfit
    return f"{DTYPES[x.dtype]} {shaped(x)}"


def argument(name, value):
    if isinstance(value, str):
        return f"s {name} {value}"
    if isinstance(value, float):
        return f"f {name} {value!r}"
    if isinstance(value, int):
        return f"i {name} {int(value)}"
    if isinstance(value, (list, tuple)) and all(isinstance(v, int) for v in value):
        return " ".join(["i", name, *map(str, value)])
    if isinstance(value, (list, tuple)) and all(isinstance(v, (list, tuple)) for v in value):  # tensordot: two lists as one
        return " ".join(["i", name, *(str(int(v)) for part in value for v in part)])
    raise Unfit


def played(entry, info, r, sample):
    arguments = bound(entry, sample)
    axes = {"dim", "dimension", "dims", "start_dim"} & set(entry["params"])
    if axes and isinstance(sample.input, torch.Tensor) and sample.input.dim() == 0:
        raise Unfit  # a number has an axis there
    if entry["only"] and not entry["only"](arguments):
        raise Unfit
    lines = ["case"]
    tensors = tensors_of(arguments)
    wrt = []
    for name, value in arguments.items():
        if not isinstance(value, torch.Tensor) and not (isinstance(value, (list, tuple)) and value and isinstance(value[0], torch.Tensor)):
            lines.append(argument(name, value))
    for k, (name, x) in enumerate(tensors):
        if x.numel() > entry["most"]:
            raise Unfit
        lines.append(f"in {name} {typed(x)}")
        if x.is_floating_point() and name not in entry["fixed"]:
            x.requires_grad_(True)
            wrt.append((k, x))
    outs = info.op(sample.input, *sample.args, **sample.kwargs)
    outs = list(outs) if isinstance(outs, (list, tuple)) else [outs]
    if any(not isinstance(o, torch.Tensor) or o.numel() > 3 * entry["most"] for o in outs):
        raise Unfit
    lines += [f"out {typed(o)}" for o in outs]
    active = [o for o in outs if o.is_floating_point() and o.requires_grad]
    if active and wrt:
        seeds = [on_grid(r, o.shape, [k / 4 for k in range(-8, 9)]) for o in outs if o.is_floating_point()]
        by = [s for o, s in zip([o for o in outs if o.is_floating_point()], seeds) if o.requires_grad]
        bars = torch.autograd.grad(active, [x for _, x in wrt], by, allow_unused=True, materialize_grads=True)
        if any(0 < b.abs().max() < 1e-3 for b in bars if b.numel()):
            raise Unfit  # what rounding leaves
        lines += [f"seed {shaped(s)}" for s in seeds]
        lines += [f"bar {k} {shaped(torch.zeros(b.shape, dtype=F64) + b)}" for (k, _), b in zip(wrt, bars)]
    shape = (tuple(sorted((k, str(v)) for k, v in arguments.items() if not isinstance(v, (torch.Tensor, list, tuple)))),
             tuple(sorted(arguments)), tuple(x.dim() for _, x in tensors))
    finite = all(torch.isfinite(o).all() for o in outs if o.is_floating_point())
    return lines, shape, tensors[0][1].numel() if tensors else 0, finite


def samples_of(info, dtype):
    """Some that OpInfo makes need larger extents: those ahead of them."""
    made = iter(info.sample_inputs("cpu", dtype, requires_grad=False))
    while True:
        try:
            sample = next(made)
        except (StopIteration, RuntimeError, IndexError):
            return
        yield sample


def main():
    folder = pathlib.Path(sys.argv[1])
    by_name = {o.name + (f"/{o.variant_test_name}" if o.variant_test_name else ""): o for o in op_db}
    lines, total = [], 0
    for name, entry in OPS.items():
        info, r = by_name[name], random.Random(name)
        torch.manual_seed(1)
        set_extents(*entry["extents"])
        groups, seen = {}, set()
        for sample in [*(make() for make in entry["more"]), *samples_of(info, entry["dtype"])]:
            try:
                got, shape, count, finite = played(entry, info, r, drawn(entry, r, sample))
            except Unfit:
                continue
            except (RuntimeError, IndexError, ValueError, TypeError) as e:
                print("XX", name, str(e).splitlines()[0][:150])
                continue
            if finite or name == "nan_to_num":
                rank = (0 if shape not in seen and count else 1, -count)
                seen.add(shape)
                groups.setdefault(shape[1], []).append((rank, len(groups), got))
        # One with each set of arguments in turn, those that are like no other and have most elements first.
        for group in groups.values():
            group.sort(key=lambda g: g[0])
        chosen = []
        while len(chosen) < MOST_SAMPLES and any(groups.values()):
            chosen += [group.pop(0)[2] for group in groups.values() if group]
        chosen = chosen[:MOST_SAMPLES]
        if not chosen:
            print(f"{name}: no sample")
            continue
        total += len(chosen)
        lines.append(f"op {name}")
        for got in chosen:
            lines += got
    text = "\n".join(lines) + "\n"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "cases.txt").write_text(text)
    (folder / "SOURCES").write_text(f"Recorded from PyTorch {torch.__version__} (CPU), its OpInfo samples, by tests/oracles/opinfo_torch.py. "
                                    f"SHA-256:\n{hashlib.sha256(text.encode()).hexdigest()}  cases.txt\n")
    print(f"{sum(l.startswith('op ') for l in lines)} ops, {total} samples, {len(text)} bytes")


main()
