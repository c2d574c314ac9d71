"""readme.py TLALOCC ROOT: the first gradient of the README compiles and prints what the README says, what C the README and
docs/getting-started.md show compiles as it stands, a command of the latter prints what it says, and tlalocc, CMake's project and
the man page state one version."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

tlalocc = os.path.realpath(sys.argv[1])
root = pathlib.Path(sys.argv[2])
readme = (root / "README.md").read_text()
source = re.search(r"```c\n(.*?)```", readme, re.S)[1]
shown = re.search(r"\$ build/bin/tlalocc first\.c -lm -o first && \./first\n((?:    .*\n)+)", readme)[1]
shown = "".join(line[4:] + "\n" for line in shown.splitlines())
faults = files = commands = 0
with tempfile.TemporaryDirectory() as work:
    path = pathlib.Path(work)
    (path / "first.c").write_text(source)
    subprocess.run([tlalocc, "-Wall", "-Wextra", "-Werror", "first.c", "-lm", "-o", "first"], cwd=work, check=True)
    printed = subprocess.run(["./first"], cwd=work, check=True, capture_output=True, text=True).stdout
    if printed != shown:
        print(f"README: the program prints\n{printed}not\n{shown}")
        faults += 1
    for page in ("README.md", "docs/getting-started.md"):
        text = (root / page).read_text()
        for block in re.findall(r"```c\n(.*?)```", text, re.S):
            files += 1
            (path / "part.c").write_text(block)
            if subprocess.run([tlalocc, "-Wall", "-Wextra", "-Werror", "-c", "part.c"], cwd=work).returncode:
                print(f"{page}: this does not compile:\n{block}")
                faults += 1
        if text.count("```") != 2 * text.count("```c\n"):
            print(f"{page}: a block that is not marked as C")
            faults += 1
        # What a command of the page prints of the file above it, also where the dump has prototypes of other functions.
        shown_commands = r"```c\n((?:(?!```).)*)```\n\n[^`]*`tlalocc ([^`]* file\.c[^`]*)` prints the prototypes of the\s+derivatives, here\n\n((?:    [^\n]*\n)+)"
        for block, command, printed in re.findall(shown_commands, text, re.S):
            commands += 1
            others = "\nstatic double a(double x) { return x; }\nstatic double b(double x) { return a(x); }\n"
            rule = "static double a_vjp(double x, double a_bar, double *x_bar) { *x_bar = a_bar; return a(x); }\n"
            used = "TL_CUSTOM_VJP(a, a_vjp);\nvoid use(double *H) { tl_hessian(b)(1, H); }\n"
            (path / "file.c").write_text(block + others + rule + used)
            said = subprocess.run(f"{tlalocc} {command}", shell=True, cwd=work, capture_output=True, text=True).stdout
            said = said.replace("void b__hessian(double x, double H[1][1]);\n", "").splitlines()
            if said != [line.strip() for line in printed.splitlines()]:
                print(f"{page}: tlalocc {command} prints {said}, not {printed}")
                faults += 1
versions = {
    "tlalocc": subprocess.run([tlalocc, "--tlaloc-version"], check=True, capture_output=True, text=True).stdout.strip(),
    "CMakeLists.txt": "tlaloc " + re.search(r"project\(tlaloc VERSION (\S+)", (root / "CMakeLists.txt").read_text())[1],
    "docs/tlalocc.1": re.search(r'^\.TH TLALOCC 1 "" "(.*?)"', (root / "docs/tlalocc.1").read_text(), re.M)[1].lower(),
}
if len(set(versions.values())) != 1:
    print(f"versions differ: {versions}")
    faults += 1
lines = len(source.strip().splitlines())
print(f"README's example: {lines} lines; {files} blocks of C, {commands} commands; {faults} faults")
sys.exit(bool(faults) or files < 9 or not commands or lines > 10)
