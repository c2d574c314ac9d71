#!/usr/bin/env python3
"""Differentiates ERFA's functions as they stand, in both modes, and prints how many are refused.

    erfa.py TLALOCC INCLUDE SOURCE FOLDER [--values] [COUNT | NAME...]

SOURCE is the src folder of ERFA (Debian's source package erfa): plain numeric C, whose arrays have their extents in the
declarations. For each function of erfa.h with floating parameters a unit is made in FOLDER that includes the function's
files and asks for tl_vjp and tl_jvp of it. With COUNT only so many, spread over the header. Exit status 0: none is refused. With --values each unit is instead a
program that runs tl_check_vjp of the function at one point, against fourth-order differences.
"""

import os
import re
import subprocess
import sys

# A pointer to a table that the caller may replace is no numeric code; text and whole numbers have no derivative.
LEFT_OUT = {"eraDatini"}

# Where differences say nothing: an angle that turns thousands of times within a step, and a speed that the function sets
# to zero at the point, where the norm has no derivative.
ROUGH = {"eraFad03", "eraFae03", "eraFaf03", "eraFal03", "eraFame03", "eraFave03", "eraStarpv", "eraStarpm", "eraFk52h",
         "eraH2fk5"}


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
    """(name, files, redeclaration, parameters) of each function with a floating parameter and without text. An array whose extent the
    source leaves open has n elements, which the redeclaration says."""
    text = re.sub(r"/\*.*?\*/", "", open(os.path.join(source, "erfa.h")).read(), flags=re.S)
    for result, name, parameters in re.findall(r"^(\w+) (era\w+)\(([^;]*?)\);", text, flags=re.M):
        files, called = closure(source, bodies, home, name)
        if re.search(r"\b(double|eraASTROM|eraLDBODY)\b", parameters) and "char" not in parameters:
            if not called & LEFT_OUT:
                sized = re.sub(r"\[\](?!\[)", "[] TL_LEN(n)", parameters)
                yield name, files, f"{result} {name}({sized});\n" if sized != parameters else "", parameters


def argument(parameter, k):
    """C that declares and fills an argument."""
    kind, name, extents = re.fullmatch(r"(?:const )?(\w+) (\*?\w+)((?:\[\d*\])*)", parameter).groups()
    if kind == "int":
        return f"int a{k}[8] = {{1, 2, 3, 4}};" if "*" in name or extents else f"int a{k} = 2;"
    if kind == "double" and "*" not in name and not extents:
        return f"double a{k} = next();"
    extents = re.sub(r"^\[\]", "[2]", extents) or "[1]"
    return f"{kind} a{k}{extents}; fill(sizeof a{k} / sizeof(double), (double *)a{k});"


def check(name, parameters):
    """A program that compares the derivatives with differences at one point."""
    parameters = [" ".join(p.split()) for p in parameters.split(",")]
    declarations = "\n  ".join(argument(p, k) for k, p in enumerate(parameters))
    return f"""static unsigned state = 7;

static double next(void) {{
  state = state * 1664525u + 1013904223u;
  return 0.15 + 0.7 * (state / 4294967296.0);
}}

static void fill(unsigned long n, double x[n]) {{
  for (unsigned long i = 0; i < n; i++) {{
    x[i] = next();
  }}
}}

int main(void) {{
  {declarations}
  (void)fill;
  return tl_check_vjp({name})({", ".join(f"a{k}" for k in range(len(parameters)))}, 1e-5) != 0;
}}
"""


def main(tlalocc, include, source, folder, *chosen):
    os.makedirs(folder, exist_ok=True)
    rows = list(functions(source, *read_bodies(source)))
    values = "--values" in chosen
    chosen = [c for c in chosen if c != "--values"]
    if values:
        rows = [row for row in rows if row[0] not in ROUGH]
    if len(chosen) == 1 and chosen[0].isdigit():
        count = min(int(chosen[0]), len(rows))
        rows = [rows[k * len(rows) // count] for k in range(count)]
    elif chosen:
        rows = [row for row in rows if row[0] in chosen]
    passed, refused, inactive = 0, 0, 0
    for name, files, redeclaration, parameters in rows:
        path = os.path.join(folder, name + ".c")
        with open(path, "w") as file:
            for included in files:
                file.write(f'#include "{included}"\n')
            file.write(f"#include <tlaloc/grad.h>\n\n{redeclaration}")
            if values:
                file.write(check(name, parameters))
            else:
                file.write(f"void (*const {name}_derivatives[])(void) = {{(void (*)(void))tl_vjp({name}), "
                           f"(void (*)(void))tl_jvp({name})}};\n")
        command = [tlalocc, "-std=gnu17", "-O0", "-w", f"-I{include}", f"-I{source}", path, "-o", path[:-2] + ".o"]
        built = subprocess.run(command + (["-lm"] if values else ["-c"]), capture_output=True, text=True, check=False)
        if values and built.returncode == 0:
            built = subprocess.run([path[:-2] + ".o"], capture_output=True, text=True, check=False)
            built.stderr += "" if built.returncode == 0 else f"error: status {built.returncode}: the derivatives differ"
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
