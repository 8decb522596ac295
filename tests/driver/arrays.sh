#!/usr/bin/env bash
# A kernel of hundreds of arrays and statements: AMD's code loads addresses where it uses them, so
# that it needs few registers and spills none, and the build's time stays small. The limit is of
# processor time, so that a busy machine may run it. (Conformance has the results of 300 arrays.)
# arrays.sh SEXTANT FOLDER
set -euo pipefail
sextant=$1
rm -rf "$2"
mkdir -p "$2"
cd "$2"

python3 - >k.py <<'END'
import random

random.seed(1)
print("import quadrants as qd\n\nA = qd.types.ndarray(dtype=qd.f32, ndim=1)\n\n\n@qd.kernel")
print("def k(c: qd.f32, n: qd.i32, " + ", ".join(f"a{i}: A" for i in range(300)) + "):")
print("    for i in range(n):")
for _ in range(1000):
    to, left, right = (random.randrange(300) for _ in range(3))
    print(f"        a{to}[i] = a{left}[i] * c + a{right}[i]")
END
(
  ulimit -t 20
  "$sextant" compile k.py -o k.sxt -t gfx942,gfx1100/wave32 -j 1 --no-cache
)
"$sextant" inspect --json k.sxt | python3 -c '
import json, sys

variants = json.load(sys.stdin)["kernels"][0]["variants"]
assert len(variants) == 2, variants
for variant in variants:
    task, = variant["resources"]
    assert task["spillBytes"] == 0 and task["stackBytes"] == 0 and task["registers"] <= 96, variant
'
