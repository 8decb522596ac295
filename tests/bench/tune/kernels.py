"""Sorts, a scan and a matrix product whose constants are tuned: what tune.cpp measures."""
import quadrants as qd
from quadrants.lang.simt import block

u32s = qd.types.ndarray(dtype=qd.u32, ndim=1)
u64s = qd.types.ndarray(dtype=qd.u64, ndim=1)
f32s = qd.types.ndarray(dtype=qd.f32, ndim=1)

# A block makes TILE x TILE elements of the product, a thread PER x PER of them, DEPTH steps at once.
TILE = 64
DEPTH = 8
PER = 4


@qd.kernel
def sort(keys: u32s, tmp: u32s, scratch: u32s, n: qd.i32):
    qd.algorithms.sort(keys, tmp, keys, tmp, scratch, n, qd.u32, False, 32, 4)


@qd.kernel
def sort_u64(keys: u64s, tmp: u64s, scratch: u32s, n: qd.i32):
    qd.algorithms.sort(keys, tmp, keys, tmp, scratch, n, qd.u64, False, 64, 4)


@qd.kernel
def sort_pairs(keys: u32s, tmp: u32s, scratch: u32s, n: qd.i32, values: u32s, tmp_values: u32s):
    qd.algorithms.sort(keys, tmp, values, tmp_values, scratch, n, qd.u32, True, 32, 4)


@qd.kernel
def scan(x: u32s, out: u32s, scratch: u32s, n: qd.i32):
    qd.algorithms.exclusive_scan_add(x, out, scratch, n, qd.u32, 4)


@qd.kernel
def matmul(a: f32s, b: f32s, c: f32s, n: qd.i32):
    threads = qd.static((TILE // PER) * (TILE // PER))
    across = qd.static(TILE // PER)
    qd.loop_config(block_dim=threads)
    for i in range((n // TILE) * (n // TILE) * threads):
        left = block.SharedArray((DEPTH * TILE,), qd.f32)
        right = block.SharedArray((DEPTH * TILE,), qd.f32)
        tid = block.thread_idx()
        row = i // threads // (n // TILE) * TILE
        column = i // threads % (n // TILE) * TILE
        y = tid // across
        x = tid % across
        sums = qd.Vector([qd.f32(0) for _ in qd.static(range(PER * PER))])
        for step in range(0, n, DEPTH):
            for k in qd.static(range(TILE * DEPTH // threads)):
                at = k * threads + tid
                left[at % DEPTH * TILE + at // DEPTH] = a[(row + at // DEPTH) * n + step + at % DEPTH]
                right[at] = b[(step + at // TILE) * n + column + at % TILE]
            block.sync()
            for d in qd.static(range(DEPTH)):
                own = qd.Vector([left[d * TILE + y + k * across] for k in qd.static(range(PER))])
                other = qd.Vector([right[d * TILE + x + k * across] for k in qd.static(range(PER))])
                for p in qd.static(range(PER)):
                    for q in qd.static(range(PER)):
                        sums[p * PER + q] += own[p] * other[q]
            block.sync()
        for p in qd.static(range(PER)):
            for q in qd.static(range(PER)):
                c[(row + y + p * across) * n + column + x + q * across] = sums[p * PER + q]
