"""The dependency law of the source folders, read from their #include lines: deps.py ROOT."""
import pathlib
import re
import sys

# A folder may include itself, the public headers and what is named here. front and emit do not see each other.
LAW = {
    "base": [],
    "ir": ["base"],
    "ops": ["base", "ir"],
    "tensor": ["base", "ir", "ops"],
    "interp": ["base", "ir", "ops", "tensor"],
    "transform": ["base", "ir", "ops"],
    "capture": ["base", "ir", "ops", "transform", "tensor"],
    "engine": ["base", "ir", "tensor", "interp", "capture"],
    "front": ["base", "ir"],
    "emit": ["base", "ir"],
}
# Text of ops that the emitter prints is a fact about the ops, not about the emitter. The library's ops that are made of
# others run at compile time, on stand-ins.
ALSO = {("emit", "ops/special.h"), ("front", "tensor/op.h"), ("front", "tensor/composites.def")}

root = pathlib.Path(sys.argv[1])
src = root / "src"
faults = []
files = 0
for folder in sorted(p.name for p in src.iterdir() if p.is_dir()):
    if folder not in LAW and any((src / folder).rglob("*.c")):
        faults.append(f"src/{folder}: no rule for this folder in tests/house/deps.py")
for path in sorted([*src.rglob("*.[ch]"), *src.rglob("*.inc"), *src.rglob("*.def")]):
    folder = path.relative_to(src).parts[0]
    files += 1
    for number, line in enumerate(path.read_text().splitlines(), 1):
        m = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
        if not m or "/" not in m[1] or m[1].startswith("tlaloc/"):
            continue
        other = m[1].split("/")[0]
        if other == folder or other in LAW.get(folder, []) or (folder, m[1]) in ALSO:
            continue
        if (path.parent / m[1]).exists():
            continue
        faults.append(f"{path.relative_to(root)}:{number}: {folder} may not include {m[1]}")
for path in sorted((root / "include").rglob("*.h")):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        m = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
        if m and not m[1].startswith("tlaloc/"):
            faults.append(f"{path.relative_to(root)}:{number}: a public header may not include {m[1]}")
for fault in faults:
    print(fault)
print(f"{files} files, {len(faults)} faults")
sys.exit(bool(faults) or not files)
