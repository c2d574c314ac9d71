"""layers_torch.py FOLDER: layers by PyTorch in float64, with the cotangents of their inputs. Each case is a line
`case OP NUMBERS...`, then tensors, a line each: what it is (in, ids: an input of integers, out, seed, bar), rank,
extents, elements. Inputs are multiples of 1/64, seeds of 1/4, which float
holds."""
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


def draw(*shape, parts=64):
    return torch.round(torch.randn(shape, dtype=torch.float64) * parts) / parts


def distinct(*shape):
    """No two elements are equal, so that there is one largest."""
    count = torch.Size(shape).numel()
    return ((torch.randperm(count).double() - count // 2) / 64).reshape(shape)


def case(op, numbers, f, *inputs):
    inputs = [x.clone().requires_grad_(x.is_floating_point()) for x in inputs]
    outs = f(*inputs)
    outs = outs if isinstance(outs, tuple) else (outs,)
    seeds = [draw(*out.shape, parts=4) * out.requires_grad for out in outs]
    wrt = [x for x in inputs if x.requires_grad]
    with_grad = [(out, seed) for out, seed in zip(outs, seeds) if out.requires_grad]
    bars = torch.autograd.grad([out for out, _ in with_grad], wrt, [seed for _, seed in with_grad], allow_unused=True,
                               materialize_grads=True)
    lines.append(" ".join(["case", op, *map(str, numbers)]))
    for x in inputs:
        tensor("in" if x.is_floating_point() else "ids", x)
    for what, tensors in [("out", outs), ("seed", seeds), ("bar", bars)]:
        for t in tensors:
            tensor(what, t)


for stride, padding, dilation, groups in itertools.product([(1, 1), (2, 3)], [(0, 0), (1, 2)], [(1, 1), (2, 1)], [1, 2]):
    numbers = [*stride, *padding, *dilation, groups]
    case("conv2d", [*numbers, 0, 0], lambda x, w: F.conv2d(x, w, None, stride, padding, dilation, groups),
         draw(1, 2, 6, 5), draw(4, 2 // groups, 3, 2))
    for extra in [(0, 0), (stride[0] - 1, stride[1] - 1)] if max(stride) > 1 else [(0, 0)]:
        case("conv2d_transpose", [*numbers, *extra],
             lambda x, w: F.conv_transpose2d(x, w, None, stride, padding, extra, groups, dilation),
             draw(1, 2, 4, 5), draw(2, 4 // groups, 3, 2))


def pool(op, f, shape, window, stride, padding, dilation, ceil, without):
    step = stride if stride[0] else window
    case(op, [len(window), *window, *stride, *padding, *dilation, int(ceil), without],
         lambda x: f(x, window, step, padding, dilation, ceil), distinct(*shape))


def max_pool(x, window, step, padding, dilation, ceil):
    return [F.max_pool1d, F.max_pool2d, F.max_pool3d][len(window) - 1](x, window, step, padding, dilation, ceil)


def avg_pool(without):
    def f(x, window, step, padding, dilation, ceil):
        return [F.avg_pool1d, F.avg_pool2d, F.avg_pool3d][len(window) - 1](
            x, window, step, padding, ceil, count_include_pad=not without)
    return f


for window, stride, padding, ceil in itertools.product([(2, 2), (3, 2)], [(0, 0), (1, 1), (2, 3)], [(0, 0), (1, 1)], [False, True]):
    for dilation in [(1, 1), (2, 1)]:
        pool("max_pool", max_pool, (1, 1, 6, 5), window, stride, padding, dilation, ceil, 0)
    for without in [0, 1]:
        pool("avg_pool", avg_pool(without), (1, 1, 6, 5), window, stride, padding, (1, 1), ceil, without)
for shape, window, stride, padding in [((2, 3, 9), (4,), (3,), (2,)), ((1, 2, 5, 4, 3), (2, 3, 2), (2, 1, 2), (1, 0, 1))]:
    for ceil in [False, True]:
        ones = (1,) * len(window)
        pool("max_pool", max_pool, shape, window, stride, padding, ones, ceil, 0)
        for without in [0, 1]:
            pool("avg_pool", avg_pool(without), shape, window, stride, padding, ones, ceil, without)
pool("max_pool", max_pool, (1, 1, 2), (3,), (2,), (0,), (1,), True, 0)  # one window, which does not fit

cumulative = {"cumsum": torch.cumsum, "cumprod": torch.cumprod,
              "cummax": lambda x, axis: torch.cummax(x, axis).values, "cummin": lambda x, axis: torch.cummin(x, axis).values}
for (op, f), (shape, axis), reverse in itertools.product(
        cumulative.items(), [((7,), 0), ((3, 1), 1), ((3, 8), -1), ((9, 2), 0), ((2, 5, 3), 1)], [0, 1]):
    case(op, [axis, reverse], lambda x: f(x.flip(axis), axis).flip(axis) if reverse else f(x, axis), distinct(*shape))



def batch_norm(training, epsilon, momentum):
    def f(x, weight, bias, mean, variance):
        if training:
            mean, variance = mean.detach().clone(), variance.detach().clone()  # replaced by their next ones
            return F.batch_norm(x, mean, variance, weight, bias, True, momentum, epsilon), mean, variance
        def column(t):
            return t.reshape(-1, *[1] * (x.dim() - 2))
        y = (x - column(mean)) / torch.sqrt(column(variance) + epsilon) * column(weight) + column(bias)
        given = F.batch_norm(x, mean.detach(), variance.detach(), weight, bias, False, momentum, epsilon)
        assert torch.allclose(y, given, rtol=1e-14, atol=1e-14)
        return y, mean, variance
    return f


for shape, training, (epsilon, momentum) in itertools.product(
        [(6, 3), (2, 3, 4), (2, 2, 3, 2)], [1, 0], [(1e-5, 0.1), (1e-3, 0.25)]):
    variance = draw(shape[1]).abs() + 0.25
    case("batch_norm", [training, round(epsilon * 1e9), round(momentum * 1e3)], batch_norm(training, epsilon, momentum),
         draw(*shape), draw(shape[1]), draw(shape[1]), draw(shape[1]), variance)


def ids(most, *shape):
    return torch.randint(most, shape)


for shape, (has, padding) in itertools.product([(4,), (2, 3), ()], [(0, 0), (1, 0), (1, 2)]):
    case("embedding", [has, padding], lambda table, i: F.embedding(i, table, padding if has else None), draw(4, 3),
         ids(4, *shape))
starts = [torch.tensor(s) for s in ([0], [0, 2, 5], [0, 0, 3, 3, 7, 8])]  # the last has bags of nothing
for start, mode, (has, padding) in itertools.product(starts, enumerate(["sum", "mean", "max"]), [(0, 0), (1, 1)]):
    case("embedding_bag", [has, padding, mode[0]],
         lambda table, i, s: F.embedding_bag(i, table, s, mode=mode[1], padding_idx=padding if has else None),
         distinct(4, 3), torch.tensor([3, 1, 0, 2, 1, 1, 3, 0]), start)

rows, columns = torch.tensor([0, 3, 0, 1, 3, 0]), torch.tensor([2, 0, 1, 4, 3, 2])  # one place twice
for shape in [(5, 2), (5, 1)]:
    case("coo_matmul", [4], lambda v, r, c, y: torch.sparse.mm(torch.sparse_coo_tensor(torch.stack([r, c]), v, (4, 5)), y),
         draw(6), rows, columns, draw(*shape))
    case("csr_matmul", [], lambda v, c, s, y: torch.sparse_csr_tensor(s, c, v, (4, 5)).to_dense() @ y,
         draw(6), torch.tensor([1, 2, 4, 0, 3, 4]), torch.tensor([0, 2, 3, 3, 6]), draw(*shape))

for axis, h in itertools.product([0, 1, -1], [1, 2]):
    case("log_softmax", [axis], lambda x: F.log_softmax(x, axis), draw(3, 4, 2))
    case("distillation_loss", [axis, h], lambda s, t: -(F.softmax(t / h, axis) * F.log_softmax(s / h, axis)).sum(axis) * h * h,
         draw(3, 4, 2), draw(3, 4, 2))

text = "\n".join(lines) + "\n"
(folder / "cases.txt").write_text(text)
(folder / "SOURCES").write_text(
    f"Recorded from torch {torch.__version__.split('+')[0]} in float64 by tests/oracles/layers_torch.py. SHA-256:\n"
    f"{hashlib.sha256(text.encode()).hexdigest()}  cases.txt\n")
