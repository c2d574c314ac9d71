#!/usr/bin/env python3
"""Differentiates ERFA's functions as they stand, in both modes, and prints how many are refused.

    erfa.py TLALOCC INCLUDE SOURCE FOLDER [COUNT | NAME...]

SOURCE is the src folder of ERFA (Debian's source package erfa): plain numeric C, whose arrays have their extents in the
declarations. For each function of erfa.h with floating parameters a unit is made in FOLDER that includes the function's
files and asks for tl_vjp and tl_jvp of it. With COUNT only so many, spread over the header. Exit status 0: none is refused.
"""

import os
import re
import subprocess
import sys

# A pointer to a table that the caller may replace is no numeric code; text and whole numbers have no derivative.
LEFT_OUT = {"eraDatini"}


def read_bodies(source):
    """{file: its text without comments} and {function: the file that defines it}."""
    bodies, home = {}, {}
    for name in sorted(os.listdir(source)):
        if name.endswith(".c") and not name.startswith("t_"):
            text = open(os.path.join(source, name)).read()
            bodies[name] = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
            for function in re.findall(r"^\w[\w ]*\b(era\w+)\s*\([^;{]*\)\s*\{", bodies[name], flags=re.M):
                home[function] = name
    return bodies, home


def closure(source, bodies, home, name):
    """The files that define a function and all that it calls, and the functions."""
    files, called, todo = set(), set(), [name]
    while todo:
        function = todo.pop()
        called.add(function)
        file = home.get(function)
        if file and file not in files:
            files.add(file)
            todo += re.findall(r"\bera[A-Z]\w*(?=\s*\()", bodies[file])
    return [os.path.join(source, file) for file in sorted(files)], called


def functions(source, bodies, home):
    """(name, files, redeclaration) of each function with a floating parameter and without text. An array whose extent the
    source leaves open has n elements, which the redeclaration says."""
    text = re.sub(r"/\*.*?\*/", "", open(os.path.join(source, "erfa.h")).read(), flags=re.S)
    for result, name, parameters in re.findall(r"^(\w+) (era\w+)\(([^;]*?)\);", text, flags=re.M):
        files, called = closure(source, bodies, home, name)
        if re.search(r"\b(double|eraASTROM|eraLDBODY)\b", parameters) and "char" not in parameters:
            if not called & LEFT_OUT:
                sized = re.sub(r"\[\](?!\[)", "[] TL_LEN(n)", parameters)
                yield name, files, f"{result} {name}({sized});\n" if sized != parameters else ""


def main(tlalocc, include, source, folder, *chosen):
    os.makedirs(folder, exist_ok=True)
    rows = list(functions(source, *read_bodies(source)))
    if len(chosen) == 1 and chosen[0].isdigit():
        count = min(int(chosen[0]), len(rows))
        rows = [rows[k * len(rows) // count] for k in range(count)]
    elif chosen:
        rows = [row for row in rows if row[0] in chosen]
    passed, refused, inactive = 0, 0, 0
    for name, files, redeclaration in rows:
        path = os.path.join(folder, name + ".c")
        with open(path, "w") as file:
            for included in files:
                file.write(f'#include "{included}"\n')
            file.write(f"#include <tlaloc/grad.h>\n\n{redeclaration}")
            file.write(f"void (*const {name}_derivatives[])(void) = {{(void (*)(void))tl_vjp({name}), "
                       f"(void (*)(void))tl_jvp({name})}};\n")
        built = subprocess.run([tlalocc, "-std=gnu17", "-O0", "-w", f"-I{include}", f"-I{source}", "-c", path, "-o",
                                path[:-2] + ".o"], capture_output=True, text=True, check=False)
        errors = [line for line in built.stderr.splitlines() if "error:" in line]
        if built.returncode == 0:
            passed += 1
            os.unlink(path[:-2] + ".o")
        elif any("[NOT_DIFFERENTIABLE]" in line for line in errors):
            inactive += 1  # nothing but outputs: a table of constants
        else:
            refused += 1
            print(f"{name}: {errors[0] if errors else built.stderr[:300]}", flush=True)
    print(f"{passed} of {passed + refused} functions differentiated in both modes, {refused} refused; {inactive} have no "
          "differentiable parameter")
    return 0 if refused == 0 and passed > 0 else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
