"""precision.py ROOT: docs/numerical-precision.md lists the rows of tests/sweep/tolerance.h, each as it stands there."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
header = (root / "tests/sweep/tolerance.h").read_text()
page = (root / "docs/numerical-precision.md").read_text()
rows = [f"| {' | '.join(row)} |" for row in re.findall(r'X\((\w+), ([^,]+), ([^,]+), "([^"]*)"\)', header)]
shown = [line for line in page.splitlines() if re.match(r"\| [A-Z]", line)]
if not rows or rows != shown:
    print("docs/numerical-precision.md does not show the rows of tests/sweep/tolerance.h:")
    print("\n".join(sorted(set(rows) ^ set(shown))))
    sys.exit(1)
