"""explain.py TLALOCC ROOT: every code that a diagnostic can have, and every name that tlalocc takes as -WNAME, has a page of
`tlalocc --explain`, and `tlalocc --explain` alone lists exactly those."""
import pathlib
import re
import subprocess
import sys
import tempfile

tlalocc = pathlib.Path(sys.argv[1]).resolve()
root = pathlib.Path(sys.argv[2])
codes = [c for c in re.findall(r"X\(TL_([A-Z_]+), \d+,", (root / "include/tlaloc/tlaloc.h").read_text()) if c != "OK"]
warnings = re.findall(r'X\(tl_[a-z_]+, "(tl-[a-z-]+)"', (root / "src/base/warning.h").read_text())
refusals = ["tl-" + code.lower().replace("_", "-") for code in codes]
faults = []


def run(*words, cwd=None):
    return subprocess.run([tlalocc, *words], cwd=cwd, capture_output=True, text=True)


listed = re.findall(r"^  (\S+) ", run("--explain").stdout, re.M)
with tempfile.TemporaryDirectory() as folder:
    (pathlib.Path(folder) / "a.c").write_text("int a;\n")
    taken = [name for name in warnings + refusals if run("-W" + name, "-fsyntax-only", "a.c", cwd=folder).returncode == 0]
if not set(warnings) <= set(taken) or "tl-unknown-external" not in taken or "tl-no-definition" in taken:
    faults.append(f"-W takes {taken}")
if sorted(listed) != sorted(codes + taken):
    faults.append(f"--explain lists {sorted(listed)}, not {sorted(codes + taken)}")
for name in codes + taken:
    page = root / "docs/diagnostics" / (name + ".md")
    text = (page if page.exists() else root / "docs/diagnostics" / (codes[refusals.index(name)] + ".md")).read_text()
    for words in (["--explain=" + name], ["--explain", name], ["--explain=" + name.swapcase()]):
        said = run(*words)
        if said.returncode or not said.stdout.startswith(f"# {name}\n") or not said.stdout.endswith(text):
            faults.append(f"{' '.join(words)}: status {said.returncode}, {said.stdout[:80]!r} {said.stderr}")
for name in refusals:
    if name not in taken and run("--explain=" + name).returncode != 1:
        faults.append(f"there is no warning {name}, and it is explained")
print(*faults, sep="\n")
print(f"{len(codes)} codes and {len(taken)} warnings, {len(faults)} faults")
sys.exit(bool(faults) or len(codes) < 20)
