#!/usr/bin/env python3
"""Counts the statements of an eval's derivatives and of what they are derivatives of, as clang reads them.

    statements.py CLANG EVAL SOURCE DUMP INCLUDE...

A declaration counts where it initialises something, a loop or branch as one beside its body, a call of a function that the
file defines as that function's statements beside its own: what is called twice counts twice, as it does where the
derivative has it in place. Prints a line for each derivative that the source asks for. Fails where a variable named by a
number alone (t_3) is used once, unless a loop repeats that use, and where a derivative has more statements than MOST times
those of its primal (or MORE says).
"""

import json
import re
import subprocess
import sys

COMPOUND = ("IfStmt", "ForStmt", "WhileStmt", "DoStmt", "SwitchStmt")
MOST = 3.0
# What has more: the derivative by hand in bench/manual has 3.6 times as many, in loops over arrays that ours has not.
MORE = {"ba_block__jacobian_reverse__unknown": 4.8}
INTRINSICS = ("grad", "value_and_grad", "jvp", "value_and_jvp", "vjp", "jacobian", "jacobian_reverse", "hessian")
LOOPS = ("ForStmt", "WhileStmt", "DoStmt")
PASSED_OVER = ("CompoundStmt", "CaseStmt", "DefaultStmt", "LabelStmt", "NullStmt")


def functions(clang, file, includes):
    """{name: body} of the functions that the file defines, but those that come with every dump. An intrinsic is a call of
    f__grad and the like, but for a nested one, which is an error that clang reads on after."""
    macros = [f"-Dtl_{name}(f, ...)=f##__{name}" for name in INTRINSICS]
    done = subprocess.run([clang, "-std=gnu17", "-w", "-fsyntax-only", "-Xclang", "-ast-dump=json", "-DTLALOC_GRAD_H",
                           "-Wno-error=implicit-function-declaration", *macros, *(f"-I{folder}" for folder in includes),
                           file], capture_output=True, text=True)
    unit = json.loads(done.stdout)
    return {node["name"]: node["inner"][-1] for node in unit["inner"]
            if node["kind"] == "FunctionDecl" and not node["name"].startswith("tl_") and node.get("inner") and node["inner"][-1]["kind"] == "CompoundStmt"}


def walk(node):
    yield node
    for part in node.get("inner", []):
        if part.get("kind"):
            yield from walk(part)


def calls(node, bodies):
    """The functions with a body that the expressions of `node` call."""
    for part in walk(node):
        if part["kind"] == "CallExpr":
            for name in walk(part["inner"][0]):
                if name["kind"] == "DeclRefExpr" and name["referencedDecl"]["name"] in bodies:
                    yield name["referencedDecl"]["name"]


def count(node, bodies, above):
    """The statements of `node`, a statement, in the functions `above`."""
    kind, inner = node["kind"], [part for part in node.get("inner", []) if part.get("kind")]
    if kind in PASSED_OVER:
        return sum(count(part, bodies, above) for part in inner if kind == "CompoundStmt" or part is inner[-1])
    if kind in COMPOUND:
        is_body = lambda part: part["kind"].endswith("Stmt") and part["kind"] != "DeclStmt" or part is inner[-1]
        return 1 + sum(count(part, bodies, above) if is_body(part) else called(part, bodies, above) for part in inner)
    if node.get("castKind") == "ToVoid" and all(part["kind"] != "CallExpr" for part in walk(node)):
        return 0  # (void)x: the parameter is not read
    own = any("init" in part for part in inner) if kind == "DeclStmt" else 1
    return own + called(node, bodies, above)


def called(node, bodies, above):
    return sum(count(bodies[name], bodies, above | {name}) for name in calls(node, bodies) if name not in above)


def used_once(body):
    """The variables named by a number alone that are read once, and in no loop that they stand before."""
    declared, uses = {}, {}

    def visit(node, loops):
        if node["kind"] == "VarDecl" and re.fullmatch(r"(t|term)(_\d+)?", node["name"]):
            declared[node["id"]] = node["name"], loops
        if node["kind"] == "DeclRefExpr":
            uses.setdefault(node["referencedDecl"]["id"], []).append(loops)
        for part in node.get("inner", []):
            if part.get("kind"):
                visit(part, loops + (node["kind"] in LOOPS))

    visit(body, 0)
    return [name for key, (name, loops) in declared.items() if uses.get(key) == [loops]]


def main():
    clang, name, source, dump, *includes = sys.argv[1:]
    primal, derivative = functions(clang, source, includes), functions(clang, dump, [])
    primal.update({"__".join(key.split("__")[:2]): body for key, body in derivative.items()})
    inside = {callee for body in derivative.values() for callee in calls(body, derivative)}
    good = True
    for function, body in derivative.items():
        of = function.split("__")[0]
        for variable in used_once(body):
            print(f"{function}: {variable} is used once")
            good = False
        if of in primal and function not in inside:
            ours, theirs = (count(bodies[key], bodies, frozenset([key]))
                            for bodies, key in ((derivative, function), (primal, of)))
            print(f"{name:10} {function:45} {ours:4} statements over {theirs:3}: {ours / theirs:.2f}")
            if ours > MORE.get(function, MOST) * theirs:
                print(f"    that is more than {MORE.get(function, MOST)} times as many")
                good = False
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
