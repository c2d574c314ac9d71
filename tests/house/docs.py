"""Every code that a diagnostic of C can carry has a page with a cause, an example and a mend, the man page names tlalocc's options
and, as the README and grad.h do, the intrinsics: docs.py ROOT."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
codes = re.findall(r"X\(TL_([A-Z_]+), \d+,", (root / "include/tlaloc/tlaloc.h").read_text())
warnings = re.findall(r'X\(tl_[a-z_]+, "(tl-[a-z-]+)"', (root / "src/base/warning.h").read_text())
codes = [c for c in codes if c not in ("OK",)] + warnings
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
# The intrinsics and macros that grad.h gives, which are those of the table, where each text lists them.
intrinsics = ["tl_" + name for name in re.findall(r'X\(TL_INTRINSIC_[A-Z_]+, "([a-z_]+)"', (root / "src/base/intrinsic.h").read_text())]
header = (root / "include/tlaloc/grad.h").read_text()
defined = sorted(set(re.findall(r"^#define (tl_[a-z_]+|TL_[A-Z_]+)\(?", header, re.M)) - {"TL_GRAD_H"})
defined = [name for name in defined if not name.startswith("TL__") and name != "TLALOC_GRAD_H"]
if sorted(name for name in defined if name.startswith("tl_")) != sorted(intrinsics):
    faults.append(f"grad.h defines {defined}, and the table has {intrinsics}")
man = (root / "docs/tlalocc.1").read_text().replace("\\-", "-")
readme = (root / "README.md").read_text()
for name in defined:
    word = re.compile(rf"(?<![A-Za-z_]){name}(?![A-Za-z_])")
    if not re.search(rf"^\.BR? {name}( |$)", man, re.M):
        faults.append(f"docs/tlalocc.1 has no entry for {name}")
    if not word.search(readme):
        faults.append(f"README.md does not name {name}")
for name in intrinsics:
    if not re.search(rf"^ \*   {name} ", header, re.M):
        faults.append(f"the table of grad.h has no line for {name}")
# The options that the driver reads, in the man page and in its help.
own = (root / "tools/tlalocc/cmdline.c").read_text()
own = own[own.index("static bool own_option") : own.index("/* ---- cc's options ---- */")]
options = sorted(set(re.findall(r'"(--[a-z-]+)=?"', own)))
shown = (root / "tools/tlalocc/explain.c").read_text().replace("--[no-]strict-lowering", "--no-strict-lowering --strict-lowering")
for option in options:
    for page, text in (("docs/tlalocc.1", man), ("--help", shown)):
        if not re.search(rf"{option}(?![a-z-])", text):
            faults.append(f"{page} does not name {option}")
for warning in warnings:
    if warning not in man:
        faults.append(f"docs/tlalocc.1 does not name {warning}")
for fault in faults:
    print(fault)
print(f"{len(codes)} codes, {len(intrinsics)} intrinsics, {len(options)} options, {len(faults)} faults")
sys.exit(bool(faults) or not intrinsics or len(options) < 8)
