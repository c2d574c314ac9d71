"""layers_torch.py FOLDER: convolutions, pools and cumulative ops by PyTorch in float64, with the cotangents of their
inputs. Each case is a line `case OP NUMBERS...`, then tensors, a line each: what it is, rank, extents, elements."""
import hashlib
import itertools
import pathlib
import sys

import torch
import torch.nn.functional as F

torch.manual_seed(1)
folder = pathlib.Path(sys.argv[1])
lines = []


def tensor(what, t):
    lines.append(" ".join([what, str(t.dim()), *map(str, t.shape), *(f"{v:.17g}" for v in t.detach().flatten().tolist())]))


def case(op, numbers, f, *shapes):
    inputs = [torch.randn(shape, dtype=torch.float64, requires_grad=True) for shape in shapes]
    out = f(*inputs)
    seed = torch.randn(out.shape, dtype=torch.float64)
    bars = torch.autograd.grad(out, inputs, seed)
    lines.append(" ".join(["case", op, *map(str, numbers)]))
    for t in inputs:
        tensor("in", t)
    tensor("out", out)
    tensor("seed", seed)
    for t in bars:
        tensor("bar", t)


for stride, padding, dilation, groups in itertools.product([(1, 1), (2, 1), (2, 3)], [(0, 0), (1, 2)], [(1, 1), (2, 1)], [1, 2]):
    numbers = [*stride, *padding, *dilation, groups]
    case("conv2d", [*numbers, 0, 0], lambda x, w: F.conv2d(x, w, None, stride, padding, dilation, groups), (2, 4, 7, 6), (6, 4 // groups, 3, 2))
    for extra in [(0, 0), (stride[0] - 1, stride[1] - 1)] if max(stride) > 1 else [(0, 0)]:
        case("conv2d_transpose", [*numbers, *extra],
             lambda x, w: F.conv_transpose2d(x, w, None, stride, padding, extra, groups, dilation), (2, 4, 4, 5), (4, 6 // groups, 3, 2))
for window, stride, padding in itertools.product([(2, 2), (3, 2)], [(0, 0), (1, 1), (2, 3)], [(0, 0), (1, 1)]):
    step = stride if stride[0] else window
    for dilation in [(1, 1), (2, 1)]:
        case("max_pool2d", [*window, *stride, *padding, *dilation, 0],
             lambda x: F.max_pool2d(x, window, step, padding, dilation), (2, 3, 7, 8))
    for without in [0, 1]:
        case("avg_pool2d", [*window, *stride, *padding, 1, 1, without],
             lambda x: F.avg_pool2d(x, window, step, padding, count_include_pad=not without), (2, 3, 7, 8))
cumulative = {"cumsum": torch.cumsum, "cumprod": torch.cumprod,
              "cummax": lambda x, axis: torch.cummax(x, axis).values, "cummin": lambda x, axis: torch.cummin(x, axis).values}
for (op, f), (shape, axis), reverse in itertools.product(
        cumulative.items(), [((7,), 0), ((3, 1), 1), ((3, 8), -1), ((9, 2), 0), ((2, 5, 3), 1)], [0, 1]):
    case(op, [axis, reverse], lambda x: f(x.flip(axis), axis).flip(axis) if reverse else f(x, axis), shape)

text = "\n".join(lines) + "\n"
(folder / "cases.txt").write_text(text)
(folder / "SOURCES").write_text(
    f"Recorded from torch {torch.__version__.split('+')[0]} in float64 by tests/oracles/layers_torch.py. SHA-256:\n"
    f"{hashlib.sha256(text.encode()).hexdigest()}  cases.txt\n")
