"""calls.py TLALOCC CC LIBRARIES...: wrong calls of tensor.h, each beside a right one. What tlalocc says of a wrong call at compile
time (code, names and shapes) is what the call says when it runs, compiled by plain cc; of the right ones neither says anything."""
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

COUNT = 170
HEAD = """#include <stdio.h>
#include <tlaloc/tensor.h>
tl_axis(Batch);
tl_axis(Feature);
tl_axis(Hidden);
tl_bound(MaxSeq, 40);
tl_bound(MaxImg, 20);
"""
r = random.Random(3)
AXES = ["Batch", "Feature", "Hidden"]
FLOATS = ["F32", "F64", "F16", "BF16", "F8E4M3FN"]
INTS = ["I8", "I16", "I32", "I64", "U8", "U16", "U32", "U64"]


def shape(*dims):
    return f"TL_SHAPE({', '.join(map(str, dims))})" if dims else "TL_SCALAR"


def fill(dtype, *dims):
    return f"tl_fill(TL_{dtype}, {shape(*dims)}, 1)"


def stated(dtype, dims, axes):
    return f"tl_as({fill(dtype, *dims)}, {', '.join([dtype, *map(str, axes)])})"


def other(pool, *not_these):
    return r.choice([x for x in pool if x not in not_these])


def dim():
    return r.randint(2, 9)


def binary():
    return r.choice(["add", "sub", "mul", "div", "pow", "atan2", "hypot", "fmax", "fmin", "fmod", "copysign", "lt", "ge", "eq"])


# Each gives a wrong call and a right one that differs in what is wrong.
def extents():
    d, a, b, op = r.choice(FLOATS), dim(), dim(), binary()
    c = other(range(2, 12), b)
    front = [dim()] if r.random() < 0.5 else []
    return (f"tl_{op}({fill(d, a, b)}, {fill(d, *front, a, c)})", f"tl_{op}({fill(d, a, b)}, {fill(d, *front, a, 1)})")


def names():
    d, a, b, op = r.choice(FLOATS), dim(), dim(), binary()
    x, y = r.sample(AXES, 2)
    return (f"tl_{op}({stated(d, [a, b], ['tl_any', x])}, {stated(d, [b], [y])})",
            f"tl_{op}({stated(d, [a, b], ['tl_any', x])}, {stated(d, [b], [x])})")


def bounds():
    d, a, b, op = r.choice(FLOATS), dim(), dim(), binary()
    return (f"tl_{op}({stated(d, [a, b], ['MaxSeq', b])}, {stated(d, [a, b], ['MaxImg', b])})",
            f"tl_{op}({stated(d, [a, b], ['MaxSeq', b])}, {stated(d, [a, b], ['MaxSeq', 'tl_any'])})")


def exceeded():
    d, a, op = r.choice(FLOATS), dim(), binary()
    n = r.randint(41, 99)
    return (f"tl_{op}({stated(d, [a], ['MaxSeq'])}, {fill(d, n)})", f"tl_{op}({stated(d, [a], ['MaxSeq'])}, {fill(d, a)})")


def dtypes():
    op, d = binary(), r.choice(FLOATS)
    e = other(FLOATS, d)
    return f"tl_{op}({fill(d, 3)}, {fill(e, 3)})", f"tl_{op}({fill(d, 3)}, {fill(d, 3)})"


def unsupported():
    i, d, n = r.choice(INTS), r.choice(FLOATS), dim()
    return r.choice([
        (lambda f: (f"tl_{f}({fill(i, n)})", f"tl_{f}({fill(d, n)})"))(r.choice(["exp", "tanh", "sqrt", "lgamma", "floor", "erf"])),
        (lambda f: (f"tl_{f}({fill(i, n)}, {fill(d, n)})", f"tl_{f}({fill(i, n)}, {fill(i, n)})"))(r.choice(["rem", "shl", "xor"])),
        (f"tl_not({fill(d, n)})", f"tl_not({fill('BOOL', n)})"),
        (f"tl_where({fill(i, n)}, {fill(d, n)}, {fill(d, n)})", f"tl_where({fill('BOOL', n)}, {fill(d, n)}, {fill(d, n)})"),
        (f"tl_fma({fill(d, n)}, {fill(i, n)}, {fill(d, n)})", f"tl_fma({fill(d, n)}, {fill(d, n)}, {fill(d, n)})"),
        (f"tl_sub({fill('BOOL', n)}, {fill('BOOL', n)})", f"tl_xor({fill('BOOL', n)}, {fill('BOOL', n)})"),
        (f"tl_ldexp({fill(d, n)}, {fill('I64', n)})", f"tl_ldexp({fill(d, n)}, {fill('I32', n)})")])


def reshapes():
    d, a, b = r.choice(FLOATS + INTS), dim(), dim()
    x = fill(d, a, b)
    wrong = r.choice([shape(a, b, 2), shape(-1, a * b + 1), shape(-1, -1), shape(a, -2), shape(0, -1), shape(1)])
    return f"tl_reshape({x}, {wrong})", f"tl_reshape({x}, {r.choice([shape(b, a), shape(-1), shape(a, 1, -1)])})"


def transposes():
    d, x = r.choice(FLOATS + INTS), None
    x = fill(d, dim(), dim(), dim())
    wrong = r.choice(["TL_AXES(0, 1)", "TL_AXES(0, 1, 1)", f"TL_AXES(2, 0, {r.randint(3, 9)})", "TL_AXES(0, 1, -4)", "TL_AXES(-1, 2, 0)"])
    return f"tl_transpose({x}, {wrong})", f"tl_transpose({x}, {r.choice(['TL_ALL', 'TL_AXES(2, 0, 1)', 'TL_AXES(-1, 0, 1)'])})"


def broadcasts():
    d, a = r.choice(FLOATS + INTS), dim()
    b = other(range(2, 12), a)
    x = fill(d, 1, a)
    wrong = r.choice([shape(a), shape(3, b), shape(-1, a), shape(3, a, b)])
    return f"tl_broadcast({x}, {wrong})", f"tl_broadcast({x}, {shape(2, 3, a)})"


def reductions():
    f, d = r.choice(["sum", "max"]), r.choice(FLOATS + INTS)
    keep, a = r.choice(["true", "false"]), dim()
    x = fill(d, a, 3)
    wrong = [f"tl_{f}({x}, TL_AXES({r.choice([2, -3, 7])}), {keep})", f"tl_{f}({x}, TL_AXES(1, {r.choice([1, -1])}), {keep})",
             f"tl_{f}({fill('BOOL', a, 3)}, TL_ALL, {keep})", f"tl_max({fill(d, a, 0)}, TL_AXES(1), {keep})"]
    return r.choice(wrong), f"tl_{f}({x}, {r.choice(['TL_AXES(1)', 'TL_ALL', 'TL_AXES(-1, 0)', 'TL_NONE'])}, {keep})"


def softmaxes():
    d, a = r.choice(FLOATS), dim()
    return (r.choice([f"tl_softmax({fill(d, a, 3)}, {r.choice([2, -3, 5])})", f"tl_softmax({fill(r.choice(INTS), a, 3)}, 0)"]),
            f"tl_softmax({fill(d, a, 3)}, -1)")


def products():
    d, a, b, c = r.choice(FLOATS), dim(), dim(), dim()
    e, f = other(range(2, 12), b), other(range(2, 12), c)
    right = f"tl_matmul({fill(d, a, b)}, {fill(d, b, c)})"
    x, y = r.sample(AXES, 2)
    return r.choice([f"tl_matmul({fill(d, a, b)}, {fill(d, e, c)})", f"tl_matmul({fill(d, b)}, {fill(d, e)})",
                     f"tl_matmul({fill(d, a, b)}, {fill(other(FLOATS, d), b, c)})", f"tl_matmul({fill(d, a, b)}, {fill(d)})",
                     f"tl_matmul({fill(d)}, {fill(d, b, c)})", f"tl_matmul({fill('BOOL', a, b)}, {fill('BOOL', b, c)})",
                     f"tl_matmul({fill(d, c, a, b)}, {fill(d, f, b, a)})",
                     f"tl_matmul({stated(d, [a, b], [x, y])}, {stated(d, [b, c], [x, y])})",
                     f"tl_matmul({stated(d, [a, b], ['tl_any', 'MaxSeq'])}, {fill(d, 41 + b, c)})",
                     f"tl_matmul({stated(d, [a, b], ['tl_any', 'MaxSeq'])}, {stated(d, [b, c], ['MaxImg', c])})"]), right


def gathers():
    d, a, n = r.choice(FLOATS + INTS), dim(), dim()
    i = fill(r.choice(["I32", "I64"]), n)
    wrong = [f"tl_gather({fill(d, a, 3)}, {fill(other(FLOATS + INTS, 'I32', 'I64'), n)}, 0, (tl_gather_opts){{.mode = TL_INDEX_CLIP}})",
             f"tl_gather({fill(d, a, 3)}, {i}, {r.choice([2, -3, 9])}, (tl_gather_opts){{.mode = TL_INDEX_FILL}})",
             f"tl_gather({fill(d, *[1] * 11)}, {fill('I32', 1, 1, 1)}, 0, (tl_gather_opts){{.mode = TL_INDEX_CLIP}})"]
    return r.choice(wrong), f"tl_gather({fill(d, a, 3)}, {i}, -2, (tl_gather_opts){{.mode = TL_INDEX_CLIP}})"


def scatters():
    d, a, n = r.choice(FLOATS), dim(), dim()
    x, i = fill(d, a, 3), fill("I32", n)
    wrong = [f"tl_scatter_add({x}, {i}, {fill(other(FLOATS, d), n, 3)}, 0, (tl_gather_opts){{.mode = TL_INDEX_CLIP}})",
             f"tl_scatter_add({x}, {i}, {fill(d, n)}, 0, (tl_gather_opts){{.mode = TL_INDEX_CLIP}})",
             f"tl_scatter_add({x}, {i}, {fill(d, n + 1, 3)}, 0, (tl_gather_opts){{.mode = TL_INDEX_CLIP}})",
             f"tl_scatter_add({x}, {fill(d, n)}, {fill(d, n, 3)}, 0, (tl_gather_opts){{.mode = TL_INDEX_CLIP}})",
             f"tl_scatter_add({x}, {i}, {fill(d, n, 3)}, 2, (tl_gather_opts){{.mode = TL_INDEX_CLIP}})",
             f"tl_scatter_add({fill('BOOL', a, 3)}, {i}, {fill('BOOL', n, 3)}, 0, (tl_gather_opts){{.mode = TL_INDEX_CLIP}})",
             f"tl_scatter_add({stated(d, [a, 3], ['Batch', 'Feature'])}, {i}, {stated(d, [n, 3], ['tl_any', 'Hidden'])}, 0, (tl_gather_opts){{.mode = TL_INDEX_CLIP}})"]
    return r.choice(wrong), f"tl_scatter_add({x}, {i}, {fill(d, n, 3)}, 0, (tl_gather_opts){{.mode = TL_INDEX_CLIP}})"


def types():
    d, a, b = r.choice(FLOATS + INTS), dim(), dim()
    c = other(range(2, 12), b)
    x, y = r.sample(AXES, 2)
    made = fill(d, a, b)
    wrong = [f"tl_as({made}, {other(FLOATS, d)}, {x}, {b})", f"tl_as({made}, {d}, {x})", f"tl_as({made}, {d}, {x}, {c})",
             f"tl_as({fill(d, b, c)}, {d}, {x}, {x})", f"tl_as({fill(d, b, c)}, {d}, MaxSeq, {x}(MaxSeq))",
             f"tl_as({fill(d, 21 + a, b)}, {d}, {x}(MaxImg), {b})", f"tl_as({fill(d, 0, b)}, {d}, MaxSeq, {b})",
             f"tl_as({stated(d, [a, b], [x, b])}, {d}, {y}, tl_any)", f"tl_as({stated(d, [a, b], ['MaxSeq', b])}, {d}, MaxImg, tl_any)",
             f"tl_as({made}, {d}, {a}, {x}({c}))", f"tl_as({stated(d, [a, b], ['MaxSeq', b])}, {d}, {41 + a}, tl_any)"]
    return r.choice(wrong), f"tl_as({made}, {d}, {x}({a}), {r.choice(['tl_any', str(b), y])})"


def composites():
    d, i, a, b = r.choice(["F32", "F64"]), r.choice(INTS), dim(), dim()
    c, x = other(range(2, 12), b), fill(d, a, b)
    wrong = [f"tl_mean({fill(i, a, b)}, TL_ALL, false)", f"tl_mean({x}, TL_AXES({r.choice([2, -3, 8])}), true)",
             f"tl_logsumexp({x}, TL_AXES(1, {r.choice([1, -1])}), false)", f"tl_log_softmax({x}, {r.choice([2, -3])})",
             f"tl_log_softmax({fill(i, a, b)}, 0)", f"tl_clip({x}, {fill(d, c)}, {fill(d, b)})",
             f"tl_clip({x}, {fill(d, b)}, {fill(other(FLOATS, d), b)})", f"tl_take_along({x}, {fill('I64', a)}, 0, TL_INDEX_CLIP)",
             f"tl_take_along({x}, {fill('I64', a + 1, b)}, 1, TL_INDEX_CLIP)", f"tl_sort({x}, {r.choice([2, -3])}, false)",
             f"tl_contract({x}, {fill(d, c, 2)}, TL_AXES(1), TL_AXES(0))", f"tl_contract({x}, {fill(d, b, 2)}, TL_AXES(0, 1), TL_AXES(0))",
             f"tl_contract({x}, {fill(d, b, 2)}, TL_AXES(2), TL_AXES(0))",
             f"tl_einsum(\"ij,jk->ik\", 2, (const tl_tensor[]){{{x}, {fill(d, c, 2)}}})",
             f"tl_einsum(\"ij->ik\", 1, (const tl_tensor[]){{{x}}})", f"tl_einsum(\"i->i\", 1, (const tl_tensor[]){{{x}}})",
             f"tl_einsum(\"ij,jk->ik\", 2, (const tl_tensor[]){{{stated(d, [a, b], ['tl_any', 'Batch'])}, "
             f"{stated(d, [b, 2], ['Hidden', 'tl_any'])}}})"]
    right = [f"tl_mean({x}, TL_AXES(-1), true)", f"tl_logsumexp({x}, TL_ALL, false)", f"tl_log_softmax({x}, -2)",
             f"tl_clip({x}, {fill(d, b)}, {fill(d)})", f"tl_take_along({x}, {fill('I64', a, 1)}, 1, TL_INDEX_CLIP)",
             f"tl_sort({x}, -1, true)", f"tl_contract({x}, {fill(d, b, 2)}, TL_AXES(-1), TL_AXES(0))",
             f"tl_einsum(\"ij,jk->ki\", 2, (const tl_tensor[]){{{x}, {fill(d, b, 2)}}})"]
    return r.choice(wrong), r.choice(right)


def made():
    d, a = r.choice(FLOATS + INTS), dim()
    wrong = [f"tl_fill(TL_F80, {shape(a)}, 0)", f"tl_fill(TL_{d}, {shape(a, -a)}, 0)", f"tl_from(TL_{d}, {shape(-1)}, NULL)",
             f"tl_wrap(TL_F80, {shape(0)}, NULL, NULL, NULL)", f"tl_fill(TL_{d}, {shape(1 << 31, 1 << 31, a)}, 0)",
             f"tl_cast({fill(d, a)}, TL_F80)", f"tl_broadcast({fill(d, 1)}, {shape(1 << 31, 1 << 31, 8)})"]
    return r.choice(wrong), f"tl_fill(TL_{d}, {shape(0, a)}, 0)"


KINDS = [extents, names, bounds, exceeded, dtypes, unsupported, reshapes, transposes, broadcasts, reductions, softmaxes, products,
         gathers, scatters, types, made, composites]


def program(calls):
    lines = [f"static tl_tensor call{i}(void) {{ return {text}; }}\n" for i, text in enumerate(calls)]
    main = "".join(f"  say(call{i}());\n" for i in range(len(calls)))
    return HEAD + "".join(lines) + """static void say(tl_tensor t) {
  printf("%s|%s\\n", tl_status_of(t) == TL_OK ? "OK" : tl_status_name(tl_status_of(t)), tl_message_of(t));
}
int main(void) {
""" + main + "  return 0;\n}\n"


tlalocc, cc, libraries = os.path.realpath(sys.argv[1]), sys.argv[2].split(), sys.argv[3:]
include = pathlib.Path(tlalocc).parent.parent / "include"
wrong, right = {}, {}
while len(wrong) < COUNT:
    kind = KINDS[len(wrong) % len(KINDS)]
    bad, good = kind()
    wrong[bad] = right[good] = kind.__name__
faults, codes = 0, {}
with tempfile.TemporaryDirectory() as work:
    folder = pathlib.Path(os.environ.get("TL_KEEP", work))

    def both(name, calls):
        """Of each call what tlalocc says, and what it says itself."""
        (folder / f"{name}.c").write_text(program(calls))
        said = subprocess.run([tlalocc, "-fsyntax-only", f"{name}.c"], cwd=folder, capture_output=True, text=True,
                              env={**os.environ, "LC_ALL": "C"}).stderr
        compiled = [[] for _ in calls]
        for line, message, code in re.findall(r"^\S+?:(\d+):\d+: error: (.*) \[([A-Z_]+)\]$", said, re.M):
            compiled[int(line) - HEAD.count("\n") - 1].append(f"{code}|{message}")
        subprocess.run([*cc, "-w", f"-I{include}", f"{name}.c", "-o", name, *libraries, "-lm", "-lpthread"], cwd=folder, check=True)
        ran = subprocess.run([f"./{name}"], cwd=folder, capture_output=True, text=True, check=True).stdout.splitlines()
        return compiled, ran

    for text, compiled, ran in zip(wrong, *both("wrong", wrong)):
        codes[ran.split("|")[0]] = codes.get(ran.split("|")[0], 0) + 1
        if ran.startswith("OK") or compiled != [ran]:
            faults += 1
            print(f"{text}\n  compiled: {compiled}\n  ran:      {ran}")
    for text, compiled, ran in zip(right, *both("right", right)):
        if ran != "OK|" or compiled:
            faults += 1
            print(f"{text} is right\n  compiled: {compiled}\n  ran:      {ran}")
print(f"{len(wrong)} wrong calls ({', '.join(f'{n} {c}' for c, n in sorted(codes.items()))}), {len(right)} right ones; {faults} faults")
sys.exit(bool(faults))
