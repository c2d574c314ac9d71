"""Every code that a diagnostic of C can carry has a page with a cause, an example and a mend: docs.py ROOT."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
codes = re.findall(r"X\(TL_([A-Z_]+), \d+,", (root / "include/tlaloc/tlaloc.h").read_text())
codes = [c for c in codes if c not in ("OK",)] + ["tl-array-copy", "tl-equality-branch"]
pages = {p.stem: p.read_text() for p in (root / "docs/diagnostics").glob("*.md")}
index = (root / "docs/diagnostics.md").read_text()
faults = [f"no page for {c}" for c in codes if c not in pages]
faults += [f"docs/diagnostics/{c}.md is about no code" for c in pages if c not in codes]
for code, text in pages.items():
    for part in ("## Cause", "## Example", "## Mend"):
        if part not in text:
            faults.append(f"docs/diagnostics/{code}.md has no part '{part}'")
    if "```c" not in text and code not in ("INTERNAL_ERROR", "OUT_OF_MEMORY", "VERSION_UNSUPPORTED", "IR_INVALID"):
        faults.append(f"docs/diagnostics/{code}.md shows no C")
    if f"diagnostics/{code}.md" not in index:
        faults.append(f"docs/diagnostics.md does not list {code}")
# Links between the pages lead somewhere.
for page in [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "docs").rglob("*.md"))]:
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
        if not (page.parent / target).exists():
            faults.append(f"{page.relative_to(root)}: {target} is not there")
for fault in faults:
    print(fault)
print(f"{len(codes)} codes, {len(faults)} faults")
sys.exit(bool(faults))
