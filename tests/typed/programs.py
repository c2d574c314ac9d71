"""programs.py TLALOCC [COUNT [SEED]]: random programs with typed tensors. Half of them are correct, and tlalocc says nothing of
them; each other one has one fault of a known kind planted, and tlalocc says of it, and of nothing else, the code at the token that
was planted: file, line and column. A model of its own, below, knows the types that values have."""
import collections
import concurrent.futures
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

Axis = collections.namedtuple("Axis", "name extent bound")  # extent: a number, or None where it is known at run time
Type = collections.namedtuple("Type", "dtype axes")

NAMED = {"Batch": None, "Seq": "MaxSeq", "In": 6, "Hidden": 8, "Out": 5, "Class": 10}
BOUNDS = {"MaxSeq": 4096, "MaxImg": 64}
FLOATS = ["F32", "F64", "BF16"]


def named(name):
    what = NAMED[name]
    return Axis(name, None, what) if isinstance(what, str) else Axis(name, what, None)


def spell_axis(a):
    extent = a.bound or (str(a.extent) if a.extent is not None else "tl_any")
    if a.name:
        return a.name if extent == "tl_any" else f"{a.name}({extent})"
    return extent


def spell(t):
    return ", ".join([t.dtype] + [spell_axis(a) for a in t.axes])


class Program:
    def __init__(self, seed, fault):
        self.r = random.Random(seed)
        self.fault = fault  # None, or a kind that waits to be planted
        self.code = None  # of the planted fault
        self.counter = 0
        self.functions = []
        self.callees = []

    def name(self, stem):
        self.counter += 1
        return f"{stem}{self.counter}"

    # ---- types ----
    def random_type(self, least=1):
        r = self.r
        axes = []
        for _ in range(r.randint(least, 3)):
            kind = r.random()
            if kind < 0.55:
                axes.append(named(r.choice([n for n in NAMED if n not in [a.name for a in axes]])))
            elif kind < 0.9:
                axes.append(Axis(None, r.choice([2, 3, 4, 7]), None))
            elif not any(a.bound for a in axes):
                axes.append(Axis(None, None, "MaxSeq"))
            else:
                axes.append(Axis(None, 3, None))
        return Type(r.choice(FLOATS), tuple(axes))

    # A value of exactly this type: by tl_as from an untyped parameter, or made where all is known.
    def value(self, t):
        r = self.r
        if all(a.extent is not None and not a.name for a in t.axes) and r.random() < 0.5:
            shape = "TL_SHAPE(%s)" % ", ".join(str(a.extent) for a in t.axes) if t.axes else "TL_SCALAR"
            return f"tl_fill(TL_{t.dtype}, {shape}, {r.randint(-3, 3)})"
        if r.random() < 0.3 and t.dtype != "F64":
            return f"tl_cast(tl_as(q, {spell(Type('F64', t.axes))}), TL_{t.dtype})"
        return f"tl_as(q, {spell(t)})"

    # ---- correct expressions: (text, type) ----
    def expression(self, text, t, depth=2):
        r = self.r
        for _ in range(r.randint(0, depth)):
            text, t = self.step(text, t)
        return text, t

    def step(self, x, t):
        r, n = self.r, len(t.axes)
        kind = r.choice(["unary", "same", "scalar", "reduced", "sum", "max", "softmax", "transpose", "matmul", "reshape",
                         "where", "gather", "scatter", "keep", "flat", "broadcast"])
        if kind == "unary":
            return f"tl_{r.choice(['exp', 'tanh', 'neg', 'fabs', 'erf', 'floor'])}({x})", t
        if kind == "same":
            return f"tl_{r.choice(['add', 'sub', 'mul', 'fmax'])}({x}, {self.value(t)})", t
        if kind == "scalar":
            return f"tl_mul({x}, tl_scalar_like({x}, 0.5))", t
        if kind == "keep":
            return f"tl_retain({x})", t
        if kind == "where":
            return f"tl_where(tl_lt({x}, {self.value(t)}), {x}, {self.value(t)})", t
        if kind == "broadcast":
            extra = r.choice([2, 3])
            if n < 3 and all(a.extent is not None for a in t.axes):
                shape = ", ".join([str(extra)] + [str(a.extent) for a in t.axes])
                return f"tl_broadcast({x}, TL_SHAPE({shape}))", Type(t.dtype, (Axis(None, extra, None),) + t.axes)
            return f"tl_broadcast({x}, tl_shape_of({x}))", t
        if not n:
            return f"tl_sqrt({x})", t
        i = r.randrange(n)
        without = Type(t.dtype, t.axes[:i] + t.axes[i + 1:])
        kept = Type(t.dtype, t.axes[:i] + (Axis(None, 1, None),) + t.axes[i + 1:])
        axis = r.choice([i, i - n])
        if kind == "reduced":  # what leaves comes back by broadcasting
            return f"tl_sub({x}, tl_max({x}, TL_AXES({axis}), true))", t
        if kind in ("sum", "max"):
            keep = r.random() < 0.4
            return f"tl_{kind}({x}, TL_AXES({axis}), {'true' if keep else 'false'})", kept if keep else without
        if kind == "softmax":
            return f"tl_softmax({x}, {axis})", t
        if kind == "transpose":
            order = list(range(n))
            r.shuffle(order)
            if r.random() < 0.3:
                return f"tl_transpose({x}, TL_ALL)", Type(t.dtype, t.axes[::-1])
            return f"tl_transpose({x}, TL_AXES({', '.join(map(str, order))}))", Type(t.dtype, tuple(t.axes[k] for k in order))
        if kind == "matmul" and n >= 1:
            last, other = t.axes[-1], named(r.choice(["Hidden", "Out", "Class"]))
            if other.name in [a.name for a in t.axes]:
                other = Axis(None, 4, None)
            right = Type(t.dtype, (last, other))
            return f"tl_matmul({x}, {self.value(right)})", Type(t.dtype, t.axes[:-1] + (other,))
        if kind in ("reshape", "flat") and n >= 2 and all(a.extent is not None for a in t.axes[1:]):
            size = 1
            for a in t.axes[1:]:
                size *= a.extent
            first = t.axes[0]
            if size == 0:
                return f"tl_exp({x})", t
            new = Axis(None, size, None) if n > 2 else t.axes[1]
            return f"tl_reshape({x}, TL_SHAPE(-1, {size}))", Type(t.dtype, (first, new))
        if kind == "gather":
            indices = Axis(r.choice([None, "Batch"]), 3, None)
            if indices.name in [a.name for a in without.axes]:
                indices = Axis(None, 3, None)
            text = f"tl_gather({x}, tl_as(q, {spell(Type(r.choice(['I32', 'I64']), (indices,)))}), {axis}, (tl_gather_opts){{.mode = TL_INDEX_CLIP}})"
            return text, Type(t.dtype, t.axes[:i] + (indices,) + t.axes[i + 1:])
        if kind == "scatter":
            indices = Axis(None, 3, None)
            updates = Type(t.dtype, t.axes[:i] + (indices,) + t.axes[i + 1:])
            return f"tl_scatter_add({x}, tl_as(q, I32, 3), {self.value(updates)}, {axis}, (tl_gather_opts){{.mode = TL_INDEX_FILL}})", t
        return f"tl_log1p({x})", t

    # ---- faults ----
    def other_name(self, t, a):
        return self.r.choice([n for n in NAMED if n not in [b.name for b in t.axes] and n != a.name])

    def changed(self, t):
        """A type that does not fit t where t is stated, as the kind says; None where it has nothing to change."""
        r, kind = self.r, self.fault
        pick = lambda wanted: r.choice([i for i, a in enumerate(t.axes) if wanted(a)] or [None])
        put = lambda i, a: Type(t.dtype, t.axes[:i] + (a,) + t.axes[i + 1:])
        if kind == "name":
            i = pick(lambda a: a.name)
            return None if i is None else put(i, t.axes[i]._replace(name=self.other_name(t, t.axes[i])))
        if kind == "extent":
            i = pick(lambda a: a.extent is not None and a.extent > 1)
            return None if i is None else put(i, t.axes[i]._replace(extent=t.axes[i].extent + r.choice([-1, 1, 9])))
        if kind == "dtype":
            return t._replace(dtype=r.choice([d for d in FLOATS + ["I32"] if d != t.dtype]))
        if kind == "exceeded":
            i = pick(lambda a: a.bound)
            return None if i is None else put(i, t.axes[i]._replace(bound=None, extent=r.choice([0, 4097, 70000])))
        if kind == "bounds":
            i = pick(lambda a: a.bound)
            return None if i is None else put(i, t.axes[i]._replace(bound="MaxImg"))
        if kind == "rank":
            return t._replace(axes=t.axes + (Axis(None, 2, None),)) if r.random() < 0.5 or len(t.axes) < 2 \
                else t._replace(axes=t.axes[:-1])
        return None

    CODES = {"name": "NAMED_INDEX_MISMATCH", "extent": "TENSOR_SHAPE_MISMATCH", "rank": "TENSOR_SHAPE_MISMATCH",
             "dtype": "DTYPE_MISMATCH", "exceeded": "BOUNDED_DIM_EXCEEDED", "bounds": "BOUNDED_AXIS_MISMATCH",
             "untyped": "UNTYPED_TENSOR", "unsupported": "DTYPE_UNSUPPORTED", "attribute": "TENSOR_SHAPE_MISMATCH"}

    def planted(self, text):
        self.code = self.CODES[self.fault]
        self.fault = None
        return "@" + text

    def into(self, t, text):
        """`text`, of type t, for a place where t is stated; now and then the fault instead."""
        if not self.fault or self.r.random() < 0.5:
            return text
        if self.fault == "untyped":
            return self.planted(self.r.choice(["q", "tl_exp(q)", "tl_add(q, q)"]))
        wrong = self.changed(t)
        return text if wrong is None else self.planted(f"tl_as(q, {spell(wrong)})")

    def wrong_op(self, x, t):
        """A call of an op on x that it refuses, or None."""
        r, n = self.r, len(t.axes)
        if self.fault == "unsupported":
            return r.choice([lambda: f"tl_exp({self.planted(f'tl_cast({x}, TL_I32)')})",
                             lambda: f"tl_where({self.planted(x)}, {x}, {x})",
                             lambda: f"tl_gather(q, {self.planted(x)}, 0, (tl_gather_opts){{.mode = TL_INDEX_CLIP}})",
                             lambda: f"tl_softmax({self.planted(f'tl_cast({x}, TL_U8)')}, 0)",
                             lambda: f"tl_sum({self.planted(f'tl_eq({x}, {x})')}, TL_ALL, false)"])()
        if self.fault == "attribute":
            return r.choice([lambda: f"tl_sum({x}, {self.planted(f'TL_AXES({n})')}, false)",
                             lambda: f"tl_max({x}, {self.planted('TL_AXES(0, 0)')}, true)",
                             lambda: f"tl_softmax({x}, {self.planted(str(-n - 1))})",
                             lambda: f"tl_transpose({x}, {self.planted('TL_AXES(' + ', '.join(['0'] * (n + 1)) + ')')})",
                             lambda: f"tl_reshape(tl_fill(TL_F32, TL_SHAPE(4, 6), 0), {self.planted('TL_SHAPE(5, -1)')})",
                             lambda: f"tl_broadcast({x}, {self.planted('TL_SHAPE(-2)')})",
                             lambda: f"tl_gather({x}, tl_as(q, I32, 3), {self.planted(str(n))}, (tl_gather_opts){{.mode = TL_INDEX_FILL}})"])()
        if self.fault in ("untyped", "rank") or not n:
            return None
        wrong = self.changed(t)
        if wrong is None or any(a.extent in (0, 1) for a in wrong.axes):
            return None
        bad = self.planted(f"tl_as(q, {spell(wrong)})")
        return r.choice([f"tl_add({x}, {bad})", f"tl_where(tl_lt({x}, {x}), {x}, {bad})", f"tl_fma({x}, {x}, {bad})"])

    # ---- statements ----
    def statements(self, variables, count, depth=0):
        """variables: name -> type, those that are assigned to with their own type alone."""
        r, out = self.r, []
        for _ in range(count):
            source = r.choice(list(variables))
            x, t = self.expression(source, variables[source])
            if self.fault and r.random() < 0.3:
                wrong = self.wrong_op(source, variables[source])
                if wrong:
                    out.append(f"tl_release({wrong});")
                    continue
            kind = r.choice(["typed", "plain", "assign", "if", "for", "call", "member", "array", "conditional", "while",
                             "switch", "initialiser", "both"])
            v = self.name("v")
            if kind == "typed":
                out.append(f"tl_typed({spell(t)}) {v} = {self.into(t, x)};")
                variables[v] = t
            elif kind == "plain":
                out.append(f"tl_tensor {v} = {x};")
                variables[v] = t
            elif kind == "assign":
                t = variables[source]
                out.append(f"tl_typed({spell(t)}) {v};")
                out.append(f"{v} = {self.into(t, source)};")
                variables[v] = t
            elif kind == "both":  # what both branches agree in
                t = variables[source]
                out.append(f"tl_tensor {v};")
                out.append(f"if (n > {r.randint(0, 9)}) {{ {v} = tl_exp({source}); }} else {{ {v} = {self.value(t)}; }}")
                variables[v] = t
            elif kind == "conditional":
                t = variables[source]
                sides = [self.into(t, source), self.into(t, self.value(t))]
                r.shuffle(sides)
                out.append(f"tl_typed({spell(t)}) {v} = n > {r.randint(0, 9)} ? {sides[0]} : {sides[1]};")
                variables[v] = t
            elif kind == "call" and self.callees:
                name, params, result = r.choice(self.callees)
                arguments = [self.into(p, self.value(p)) for p in params]
                out.append(f"tl_tensor {v} = {name}({', '.join(arguments + ['q', 'n'])});")
                variables[v] = result
            elif kind in ("member", "initialiser"):
                s, t = self.name("s"), variables[source]
                first = f" = {{{self.into(t, source)}, {source}}}" if kind == "initialiser" else ""
                out.append(f"struct {s} {{ tl_typed({spell(t)}) w; tl_tensor free; }} {v}{first};")
                out.append(f"{v}.w = {self.into(t, source)};")
                out.append(f"{v}.free = tl_tanh({v}.w);")
                variables[f"{v}.w"] = variables[f"{v}.free"] = t
            elif kind == "array":
                t = variables[source]
                out.append(f"tl_typed({spell(t)}) {v}[3] = {{{source}, {self.into(t, self.value(t))}}};")
                out.append(f"{v}[n % 3] = {self.into(t, source)};")
                variables[f"{v}[{r.choice(['0', 'n % 3'])}]"] = t
            elif depth < 2:
                inner = dict(variables)
                body = " ".join(self.statements(inner, r.randint(1, 2), depth + 1))
                if kind == "if":
                    more = " ".join(self.statements(dict(variables), 1, depth + 1))
                    out.append(f"if (n > {r.randint(0, 9)}) {{\n    {body}\n  }} else {{\n    {more}\n  }}")
                elif kind == "switch":
                    out.append(f"switch (n) {{ case 1: {{ {body} }} break; default: break; }}")
                else:
                    i, t = self.name("i"), variables[source]
                    out.append(f"tl_tensor {v} = {source};")
                    variables[v] = t
                    step = f"{v} = tl_add({v}, {self.value(t)});"
                    head = f"for (int {i} = 0; {i} < n; {i}++)" if kind == "for" else "while (n-- > 0)"
                    out.append(f"{head} {{\n    {step} {body}\n  }}")
        return out

    def function(self, is_last):
        r = self.r
        name = self.name("f")
        params = [self.random_type() for _ in range(r.randint(1, 3))]
        variables = {f"x{i}": t for i, t in enumerate(params)}
        body = self.statements(variables, r.randint(3, 6))
        result_name = r.choice(list(variables))
        result = variables[result_name]
        while is_last and self.fault:  # it has not found its place yet
            t = self.random_type(2)
            plain = Type("F32", (Axis("Batch", None, None), Axis(None, 3, None), Axis(None, None, "MaxSeq")))
            wrong = self.wrong_op(f"tl_as(q, {spell(plain)})", plain) if r.random() < 0.5 else None
            if wrong:
                body.append(f"tl_release({wrong});")
            else:
                v = self.name("v")
                body.append(f"tl_typed({spell(t)}) {v} = {self.into(t, self.value(t))};")
                body.append(f"tl_release({v});")
        body.append(f"return {self.into(result, result_name)};")
        stated = [f"tl_typed({spell(t)}) x{i}" for i, t in enumerate(params)] + ["tl_tensor q", "int n"]
        lines = "".join(f"  {line}\n" for line in body)
        self.functions.append(f"static tl_typed({spell(result)}) {name}({', '.join(stated)}) {{\n{lines}}}\n")
        self.callees.append((name, params, result))

    def text(self):
        head = "#include <tlaloc/tensor.h>\n" + "".join(f"tl_axis({n});\n" for n in NAMED)
        bounds = [f"tl_bound({b}, {m});\n" for b, m in BOUNDS.items()]
        if self.fault == "invalid":
            self.fault, self.code = None, "BOUNDED_DIM_INVALID"
            bounds.append(f"@tl_bound(Wrong, {self.r.choice([0, -1, '3 - 4'])});\n")
        count = self.r.randint(2, 4)
        waiting, self.fault, first = self.fault, None, self.r.randrange(count)
        for i in range(count):
            self.fault = waiting if i == first else self.fault
            self.function(i + 1 == count)
        return head + "".join(bounds) + "\n" + "\n".join(self.functions)



KINDS = ["name", "extent", "dtype", "untyped", "unsupported", "attribute", "exceeded", "bounds", "rank", "invalid"]


def run(tlalocc, folder, number, seed):
    fault = KINDS[number // 2 % len(KINDS)] if number % 2 else None
    program = Program(seed + number, fault)
    text = program.text()
    wanted = ""
    if fault:
        at = text.index("@")
        line, column = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
        wanted = f"p{number}.c:{line}:{column}: {program.code}"
    (folder / f"p{number}.c").write_text(text.replace("@", ""))
    said = subprocess.run([tlalocc, "-std=c17", "-Wall", "-Wextra", "-Wno-unused", "-Wno-unused-parameter", "-fsyntax-only", f"p{number}.c"], cwd=folder, capture_output=True, text=True,
                          env={**os.environ, "LC_ALL": "C"})
    found = "\n".join(f"{place} {code}" for place, code in re.findall(r"^(\S+:) error: .* \[([A-Z_]+)\]$", said.stderr, re.M))
    right = found == wanted and (said.returncode != 0) == bool(fault) and (fault or not said.stderr)
    return fault, None if right else f"p{number}.c, {fault}: wanted '{wanted}', found\n{said.stderr}"


def main():
    tlalocc = os.path.realpath(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 300
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    faults, kinds = 0, collections.Counter()
    with tempfile.TemporaryDirectory() as work:
        folder = pathlib.Path(os.environ.get("TL_KEEP", work))
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for kind, wrong in pool.map(lambda i: run(tlalocc, folder, i, seed * 100000), range(count)):
                kinds[kind or "correct"] += 1
                if wrong:
                    faults += 1
                    print(wrong)
    print(f"{count} programs: {kinds.pop('correct')} correct, {sum(kinds.values())} with a fault planted "
          f"({', '.join(f'{n} {k}' for k, n in sorted(kinds.items()))}); {faults} wrong")
    sys.exit(bool(faults))


main()
