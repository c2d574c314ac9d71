"""Prints src/ops/special_tables.h: the constants of the digamma and polygamma functions. Needs mpmath 1.3.0.

    python3 tools/generators/special_tables.py > src/ops/special_tables.h

NEAR   polynomial in x - 1.5 for digamma(x)/(x - root) on [1, 2], interpolated in Chebyshev points
FAR    B(2k)/(2k): Stirling's series of digamma for x >= 10
SUM    B(2j)/(2j)!: the Euler-Maclaurin terms of polygamma
ROOT   digamma's positive zero as a sum of two numbers of the type
"""
from mpmath import bernoulli, cos, digamma, factorial, findroot, lu_solve, matrix, mp, mpf, nstr, pi

mp.dps = 60
root = findroot(digamma, mpf("1.4616321449683623"))


def near(terms):
    nodes = [cos(pi * (2 * k + 1) / (2 * terms)) / 2 for k in range(terms)]
    table = matrix(terms, terms)
    values = matrix(terms, 1)
    for i, u in enumerate(nodes):
        for j in range(terms):
            table[i, j] = u**j
        values[i] = digamma(u + mpf(3) / 2) / (u + mpf(3) / 2 - root)
    return list(lu_solve(table, values))


def split(bits):
    with_bits = mpf(2) ** bits
    high = mpf(int(root * with_bits)) / with_bits
    return [high, root - high]


def block(name, dtype, numbers, digits):
    lines, line = [], "  "
    for i, x in enumerate(numbers):
        item = "C(%s)%s" % (nstr(x, digits, min_fixed=-3, max_fixed=3), "," if i + 1 < len(numbers) else "")
        if len(line) + len(item) > 110:
            lines.append(line)
            line = "  "
        line += (" " if line.strip() else "") + item
    lines.append(line)
    return "#define %s_%s \\\n%s\n" % (name, dtype, " \\\n".join(lines))


print("""/* Constants of the digamma and polygamma functions, printed by tools/generators/special_tables.py. */""")
for dtype, digits, near_terms, far_terms, sum_terms, bits in (
        ("F64", 19, 22, 9, 9, 52), ("F80", 23, 27, 13, 13, 63)):
    print()
    print(block("NEAR", dtype, near(near_terms), digits), end="")
    print(block("FAR", dtype, [bernoulli(2 * k) / (2 * k) for k in range(1, far_terms + 1)], digits), end="")
    print(block("SUM", dtype, [bernoulli(2 * j) / factorial(2 * j) for j in range(1, sum_terms + 1)], digits), end="")
    high, low = split(bits)
    print("#define ROOT_HIGH_%s C(%s)" % (dtype, nstr(high, digits + 6)))
    print("#define ROOT_LOW_%s C(%s)" % (dtype, nstr(low, digits, min_fixed=-3, max_fixed=3)))
print("/* end */")
