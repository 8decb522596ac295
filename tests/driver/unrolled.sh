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

# A long block for AMD is scheduled in parts, and LLVM's pass by which instructions read bytes of
# registers is left out for it: both would take the square of its time.
cat >distance.py <<'END'
import quadrants as qd

LEN = 45
Texts = qd.types.ndarray(dtype=qd.u8, ndim=2)
Distances = qd.types.ndarray(dtype=qd.i32, ndim=2)


@qd.kernel
def distance(texts: Texts, out: Distances):
    for a, b in out:
        row = qd.Vector([0 for _ in range(LEN + 1)])
        for j in qd.static(range(LEN + 1)):
            row[j] = j
        for i in qd.static(range(LEN)):
            before = row[0]
            row[0] = i + 1
            for j in qd.static(range(LEN)):
                differs = 1
                if texts[a, i] == texts[b, j]:
                    differs = 0
                here = row[j + 1]
                row[j + 1] = qd.min(qd.min(here + 1, row[j] + 1), before + differs)
                before = here
        out[a, b] = row[LEN]
END
for length in 10 45; do
  mkdir d$length
  "$sextant" compile distance.py -o d$length.sxt -t gfx90a --const LEN=$length --no-cache \
    --save-temps=d$length
  "$sextant" disasm d$length.sxt distance --target gfx90a >d$length.s
done
grep -q sched.barrier d45/*gfx90a*.ll
grep -q sdwa d10.s
for absent in "sched.barrier d10/*gfx90a*.ll" "sdwa d45.s"; do
  # shellcheck disable=SC2086
  ! grep -q $absent || exit 1
done
# The row and the letters of a text are 91 registers. LLVM's scheduler would move so much work ahead
# that the code takes 181.
registers=$("$sextant" inspect d45.sxt | awk '$1 ~ /^amdgpu:gfx90a/ {print $6}')
[ "$registers" -ge 91 ] && [ "$registers" -le 165 ] || { echo "d45: '$registers' registers" >&2; exit 1; }
