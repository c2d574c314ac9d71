"""guide.py ROOT PAGE WORK CC FLAGS... -- LIBRARIES...: each program of the page compiles without a warning and prints what the page
shows below it."""
import pathlib
import re
import subprocess
import sys

root, page, work = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
split = sys.argv.index("--")
cc, flags, libraries = sys.argv[4], sys.argv[5:split], sys.argv[split + 1 :]
text = (root / page).read_text()
faults = programs = 0
for source, shown in re.findall(r"```c\n(.*?)```\n\n((?:    [^\n]*\n)+)", text, re.S):
    programs += 1
    path = work / f"{pathlib.Path(page).stem}_{programs}"
    path.with_suffix(".c").write_text(source)
    command = [cc, "-Wall", "-Wextra", "-Wpedantic", "-Werror", *flags, f"-I{root}/include", f"{path}.c", "-o", path, *libraries, "-lm"]
    if subprocess.run(command).returncode:
        print(f"program {programs} does not compile")
        faults += 1
        continue
    run = subprocess.run([path], capture_output=True, text=True)
    want = "".join(line[4:] + "\n" for line in shown.splitlines())
    if run.returncode or run.stdout != want:
        print(f"program {programs} prints\n{run.stdout}{run.stderr}not\n{want}")
        faults += 1
if programs != text.count("```c\n"):
    print("a block of C without what it prints")
    faults += 1
print(f"{programs} programs, {faults} faults")
sys.exit(bool(faults) or not programs)
