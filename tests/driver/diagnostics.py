"""diagnostics.py TLALOCC FOLDER: what tlalocc says of each NAME.c, against NAME.txt: places, carets, texts, status.
TL_RECORD_GOLDENS=1 writes NAME.txt instead; look at the difference before a commit."""
import os
import pathlib
import subprocess
import sys

tlalocc = os.path.realpath(sys.argv[1])
folder = pathlib.Path(sys.argv[2])
record = os.environ.get("TL_RECORD_GOLDENS") == "1"
faults = 0
cases = sorted(folder.glob("*.c"))
for case in cases:
    run = subprocess.run([tlalocc, "-std=gnu17", "-Wtl-equality-branch", "-c", case.name, "-o", "/dev/null"], cwd=folder,
                         capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"})
    said = run.stderr + f"status {run.returncode}\n"
    golden = case.with_suffix(".txt")
    if record:
        golden.write_text(said)
    elif not golden.exists() or golden.read_text() != said:
        print(f"{case.name}: expected\n{golden.read_text() if golden.exists() else ''}but tlalocc says\n{said}")
        faults += 1
    for line in said.splitlines():
        if "error:" in line and not line.rstrip().endswith("]"):
            print(f"{case.name}: an error without a code: {line}")
            faults += 1
print(f"{len(cases)} files, {faults} faults")
sys.exit(bool(faults) or not cases)
