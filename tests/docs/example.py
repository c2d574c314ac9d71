"""example.py ROOT FOLDER WORK CC FLAGS... -- LIBRARIES...: the example compiles by its README's command and prints what is shown there. Numbers
may differ by two units of their last digit. One with an exponent below -4 is an error that depends on the machine: at most ten times
as large. Exits with 77 where its data are not there."""
import pathlib
import re
import subprocess
import sys

root, folder, work = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
split = sys.argv.index("--")
cc, flags, libraries = sys.argv[4], sys.argv[5:split], sys.argv[split + 1 :]
here = root / "examples" / folder
commands, shown = (re.findall(r"^    (.*)$", part, re.M) for part in (here / "README.md").read_text().split("## Expected output"))
compiled, run = commands
_, level, source, _, program = compiled.split()[:5]

for path in re.findall(r"/usr/\S+", run):
    if not pathlib.Path(path).exists():
        print(f"{folder}: {path} is not there")
        sys.exit(77)
work.mkdir(parents=True, exist_ok=True)
binary = work / program
warnings = ["-std=c17", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
subprocess.run([cc, level, *warnings, *flags, f"-I{root}/include", here / source, "-o", binary, *libraries, "-lm"], check=True)
got = subprocess.run(["sh", "-ec", run.replace(f"./{program}", str(binary))], cwd=here, capture_output=True, text=True)
print(got.stdout + got.stderr, end="")

NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[-+]\d+)?")


def fits(want, have):
    if "e" in want and float(want) < 1e-4:
        return float(have) <= 10 * float(want)
    mantissa, _, exponent = want.partition("e")
    unit = 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2])) if "." in want else 0
    return abs(float(have) - float(want)) <= 2.001 * unit


faults = got.returncode != 0
lines = got.stdout.splitlines()
for want, have in zip(shown, lines):
    numbers = NUMBER.findall(want), NUMBER.findall(have)
    same = NUMBER.sub("#", " ".join(want.split())) == NUMBER.sub("#", " ".join(have.split()))
    if not same or not all(map(fits, *numbers)):
        print(f"{folder}: prints\n    {have}\nand its README shows\n    {want}")
        faults += 1
if not shown or len(shown) != len(lines):
    print(f"{folder}: {len(lines)} lines, and its README shows {len(shown)}")
    faults += 1
sys.exit(bool(faults))
