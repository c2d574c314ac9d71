"""guides.py TLALOCC ROOT: the C of each guide is compiled. Where a diagnostic is shown behind it tlalocc says that, to the column and
the caret, and fails; else it says nothing. TL_RECORD_GOLDENS=1 writes what it says into the guides instead."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

GUIDES = ["docs/typed-tensors.md"]

tlalocc = os.path.realpath(sys.argv[1])
root = pathlib.Path(sys.argv[2])
record = os.environ.get("TL_RECORD_GOLDENS") == "1"
faults = blocks = refused = 0
for guide in GUIDES:
    text = (root / guide).read_text()
    if text.count("```") != 2 * text.count("```c\n"):
        print(f"{guide}: a block that is not marked as C")
        faults += 1
    # From the last on, so that places in the text stay.
    for m in reversed(list(re.finditer(r"^```c\n(.*?)^```\n\n((?:    [^\n]*\n)*)", text, re.S | re.M))):
        with tempfile.TemporaryDirectory() as work:
            (pathlib.Path(work) / "a.c").write_text(m[1])
            run = subprocess.run([tlalocc, "-std=c17", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-c", "a.c"], cwd=work,
                                 capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"})
        blocks += 1
        refused += bool(m[2])
        said = "".join("    " + line + "\n" for line in run.stderr.splitlines())
        if record and m[2]:
            text = text[: m.start(2)] + said + text[m.end(2) :]
            (root / guide).write_text(text)
        elif said != m[2]:
            print(f"{guide}: the guide shows\n{m[2]}but of\n{m[1]}tlalocc says\n{said}")
            faults += 1
        if bool(run.returncode) != bool(m[2]):
            print(f"{guide}: status {run.returncode} of\n{m[1]}")
            faults += 1
print(f"{blocks} blocks of C, {refused} of them refused as shown, {faults} faults")
sys.exit(bool(faults) or not blocks or not refused)
