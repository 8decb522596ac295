"""What the fixes of `--diagnostics=json` make of a line. messages_test.py applies those of all pages.

    fixes_test.py SEXTANT
"""

import concurrent.futures
import os
import sys

from messages_test import applied, compiling, file_of, objects_of

# A statement in messages_test's kernel (x, y: F; n: N; m), what it becomes, and whether that is a guess.
LINES = [
    ("x[i] = sqr(y[i])", "x[i] = sqrt(y[i])", None),  # `sqrt` is not a name here: no fix
    ("x[i] = qd.sqr(y[i])", "x[i] = qd.sqrt(y[i])", True),
    ("x[i] = qd.f33(y[i])", "x[i] = qd.f32(y[i])", True),
    ("x[i] = math.sqr(y[i])", "x[i] = math.sqrt(y[i])", None),  # `qd.sqrt`, which the file may not name so
    ("x[i] = subgroup.reduce_ad(y[i])", "x[i] = subgroup.reduce_add(y[i])", True),
    ("n[i] = x.shpae[0]", "n[i] = x.shape[0]", True),
    ("x[i] = yy[i] + m", "x[i] = y[i] + m", True),
    ("value = 1.0\nx[i] = vlaue", "value = 1.0\nx[i] = value", True),
    ("if m == 1 && i == 2:\n    x[i] = 0.0", "if m == 1 and i == 2:\n    x[i] = 0.0", False),
    ("if m == 1&&i == 2:\n    x[i] = 0.0", "if m == 1 and i == 2:\n    x[i] = 0.0", False),
    ("if m == 1 || i == 2:\n    x[i] = 0.0", "if m == 1 or i == 2:\n    x[i] = 0.0", False),
    ("if m == 1\n    x[i] = 0.0", "if m == 1:\n    x[i] = 0.0", False),
    ("if m == 1  # one\n    x[i] = 0.0", "if m == 1:  # one\n    x[i] = 0.0", False),
    ("for j in range(3)\n    x[i] = 0.0", "for j in range(3):\n    x[i] = 0.0", False),
    ("if m = 1:\n    x[i] = 0.0", "if m == 1:\n    x[i] = 0.0", True),
    ("if m == 1:\n    x[i] = 0.0\nelse if m == 2:\n    x[i] = 1.0",
     "if m == 1:\n    x[i] = 0.0\nelif m == 2:\n    x[i] = 1.0", False),
    ("whlie m == 1:\n    break", "while m == 1:\n    break", True),
    ("forr j in range(3):\n    x[j] = 0.0", "for j in range(3):\n    x[j] = 0.0", True),
    ("if m == 1:\n    x[i] = 0.0\nesle:\n    x[i] = 1.0", "if m == 1:\n    x[i] = 0.0\nelse:\n    x[i] = 1.0", True),
    ("j := 1", "j = 1", False),
    ("x[i] = y[i])", "x[i] = y[i]", True),
    ("x[i] = (y[i + 1)]", "x[i] = (y[i + 1])]", True),
    ("n[i] = y[i] * 0.5", "n[i] = int(y[i] * 0.5)", False),
    ("j = 1\nj = 0.75  # three quarters", "j = 1\nj = int(0.75)  # three quarters", False),
    ("for j in range(2.5):\n    x[j] = 0.0", "for j in range(int(2.5)):\n    x[j] = 0.0", True),
    ("for j in m:\n    x[j] = 0.0", "for j in range(m):\n    x[j] = 0.0", False),
    ("for j in range(3):\n    qd.loop_config(serialise=True)\n    for l in range(3):\n        x[l] = 0.0",
     "for j in range(3):\n    qd.loop_config(serialize=True)\n    for l in range(3):\n        x[l] = 0.0", True),
]


def check(sextant, row):
    before, after, is_guess = row
    done = compiling(sextant, before, False, "--diagnostics=json")
    fixes = [one["fix"] for one in objects_of(done.stderr) if "fix" in one]
    if is_guess is None:
        return [f"{before!r}: a fix that is not certain: {fixes}"] if fixes else []
    if not fixes:
        return [f"{before!r}: no fix in {done.stderr}"]
    faults = [] if fixes[0]["isGuess"] == is_guess else [f"{before!r}: isGuess is {not is_guess}"]
    result = applied(file_of(before), fixes[0])
    if result != file_of(after):
        faults.append(f"{before!r} becomes\n{result.decode()}")
    return faults


def main(sextant):
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        faults = sum(pool.map(lambda row: check(sextant, row), LINES), [])
    print(f"{len(LINES)} lines, {len(faults)} faults", *faults, sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
