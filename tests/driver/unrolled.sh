#!/usr/bin/env bash
# Loops that are unrolled thousands of times: the build's time grows with them, not with their
# square, and the code is right. The limit is of processor time, so that a busy machine may run it.
# unrolled.sh SEXTANT FOLDER
set -euo pipefail
sextant=$1
rm -rf "$2"
mkdir -p "$2"
cd "$2"

cat >k.py <<'END'
import quadrants as qd

I32 = qd.types.ndarray(dtype=qd.i32, ndim=1)


@qd.kernel
def registers(x: I32):
    for i in x:
        s = x[i]
        for j in qd.static(range(4000)):
            s = s * 3 ^ j
        x[i] = s


@qd.kernel
def memory(x: I32):
    for i in x:
        for j in qd.static(range(1000)):
            x[i] = x[i] * 3 + j
END
# x86-64-v2 has no masked loads and stores: each is a branch a lane.
(
  ulimit -t 20
  "$sextant" compile k.py -o k.sxt -t cpu:x86-64-v2/wave32 -j 1 --no-cache
)
[ "$(uname -m)" = x86_64 ] || exit 0
for kernel in registers memory; do
  "$sextant" run k.sxt $kernel x=iota:i32[37] --save x=$kernel.npy >/dev/null
done
python3 - <<'END'
import struct

for kernel, steps in (("registers", 4000), ("memory", 1000)):
    data = open(kernel + ".npy", "rb").read()[-37 * 4 :]
    for i, got in enumerate(struct.unpack("<37i", data)):
        s = i
        for j in range(steps):
            s = (s * 3 ^ j if kernel == "registers" else s * 3 + j) & 0xFFFFFFFF
        assert got & 0xFFFFFFFF == s, (kernel, i, got, s)
END
