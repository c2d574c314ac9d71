"""time.py TLALOCC SECONDS MILLISECONDS: what tlalocc adds to cc on a file without intrinsics, and its own time on many functions."""
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

tlalocc = os.path.realpath(sys.argv[1])
limit = float(sys.argv[2])
limit_ms = float(sys.argv[3])
compiler = os.environ.get("TLALOCC_CC", "cc")


def seconds(command, cwd):
    began = time.perf_counter()
    subprocess.run(command, cwd=cwd, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


with tempfile.TemporaryDirectory() as folder:
    work = pathlib.Path(folder)
    headers = "".join(f'#include "h{i}.h"\n' for i in range(40))
    for i in range(40):
        (work / f"h{i}.h").write_text(f"#include <stdio.h>\n#ifndef H{i}\n#define H{i}\nint h{i}(void);\n#endif\n" * 20)
    (work / "plain.c").write_text("#include <stdio.h>\n#include <math.h>\n" + headers + "int main(void) { return 0; }\n")
    plain, ours = [], []
    for _ in range(31):
        plain.append(seconds([compiler, "-c", "plain.c"], work))
        ours.append(seconds([tlalocc, "-c", "plain.c"], work))
    # The least of interleaved runs: what the machine does besides adds to both.
    added = (min(ours) - min(plain)) * 1e3
    print(f"without intrinsics: {added:.2f} ms more than {compiler}'s {min(plain) * 1e3:.1f} ms "
          f"(medians {statistics.median(ours) * 1e3:.1f} and {statistics.median(plain) * 1e3:.1f})")
    ok = added < limit_ms

    count = 2000
    body = "".join(f"double f{i}(double x, double y) {{\n  double s = {i}.5;\n  s += sin(x * y) * y;\n  return s * x;\n}}\n"
                   for i in range(count))
    calls = "".join(f"  tl_grad(f{i})(x, 1.0, &a, &b);\n  t += a + b;\n" for i in range(count))
    (work / "many.c").write_text("#include <math.h>\n#include <tlaloc/grad.h>\n" + body
                                 + "double all(double x) {\n  double t = 0, a, b;\n" + calls + "  return t;\n}\n")
    # tlalocc's own time: with a compiler that only preprocesses, `cc -E` and cc itself out of the account.
    before = os.times()
    seconds([tlalocc, "-fsyntax-only", "many.c"], work)
    after = os.times()
    whole = (after.children_user + after.children_system) - (before.children_user + before.children_system)
    (work / "shown.c").write_bytes(subprocess.run([tlalocc, "-E", "many.c"], cwd=work, check=True, stdout=subprocess.PIPE).stdout)
    before = os.times()
    seconds([compiler, "-fsyntax-only", "shown.c"], work)
    after = os.times()
    cc = (after.children_user + after.children_system) - (before.children_user + before.children_system)
    print(f"{count} functions: {whole - cc:.2f} s of tlalocc's own processor time, limit {limit} s")
    ok = ok and whole - cc < limit
sys.exit(not ok)
