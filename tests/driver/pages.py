"""pages.py TLALOCC ROOT: the example of each page of docs/diagnostics is compiled, and tlalocc must say what the page shows, to the
column and the caret. TL_RECORD_GOLDENS=1 writes what it says into the pages instead."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

tlalocc = os.path.realpath(sys.argv[1])
pages = pathlib.Path(sys.argv[2]) / "docs/diagnostics"
record = os.environ.get("TL_RECORD_GOLDENS") == "1"
# These show what no file of C brings about.
WITHOUT_FILE = {"INTERNAL_ERROR", "OUT_OF_MEMORY", "VERSION_UNSUPPORTED", "IR_INVALID", "INDEX_OUT_OF_RANGE",
                "FILE_UNREADABLE", "FILE_UNWRITABLE", "FILE_TRUNCATED", "FORMAT_UNKNOWN", "HEADER_INVALID", "TRACED_TENSOR",
                "DONATED", "PADDING_DIFFERS", "ENGINE_UNKNOWN", "ENGINE_CLOSED"}
# These need a compiler that is not libclang's; the others show what tlalocc says over any.
NEEDS_GCC = {"FRONT_MISMATCH"}

faults = compiled = 0
for page in sorted(pages.glob("*.md")):
    code = page.stem
    if code in WITHOUT_FILE:
        continue
    text = page.read_text()
    m = re.search(r"## Example\n\n```c\n(.*?)```\n\n((?:    [^\n]*\n|\n)*)", text, re.S)
    if not m:
        print(f"{code}: the example is not a file of C followed by the diagnostics")
        faults += 1
        continue
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "a.c").write_text(m[1])
        options = ["-W" + code] if code.startswith("tl-") else []
        environment = {**os.environ, "LC_ALL": "C"}
        if code in NEEDS_GCC:
            environment["TLALOCC_CC"] = "gcc"
        run = subprocess.run([tlalocc, "-Wall", "-Wextra", *options, "-c", "a.c"], cwd=folder, capture_output=True,
                             text=True, env=environment)
    compiled += 1
    said = "".join("    " + line + "\n" if line else "\n" for line in run.stderr.splitlines())
    if record:
        page.write_text(text[:m.start(2)] + said + "\n" + text[m.end(2):])
    elif said.strip("\n") != m[2].strip("\n"):
        print(f"{code}: the page shows\n{m[2]}but tlalocc says\n{said}")
        faults += 1
    if f"[{code}]" not in run.stderr and f"[-W{code}]" not in run.stderr:
        print(f"{code}: the example does not bring it about:\n{run.stderr}")
        faults += 1
    if (run.returncode != 0) != code.isupper():
        print(f"{code}: status {run.returncode}")
        faults += 1
shown = re.search(r"(?:^    .*\n)+", (pages.parent / "diagnostics.md").read_text(), re.M)
if not record and not any(shown[0] in page.read_text() for page in pages.glob("*.md")):
    print(f"docs/diagnostics.md shows what no page does:\n{shown[0]}")
    faults += 1
print(f"{compiled} examples compiled, {faults} faults")
sys.exit(bool(faults))
