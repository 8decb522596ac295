# Atomics on integers of 8 and 16 bits, which share a word with their neighbours. T is the build's.
import quadrants as qd
from quadrants.lang.simt import block

T = qd.u8
tally = qd.field(T, shape=7)
pair = qd.types.vector(3, T)


@qd.kernel
def each(
    x: qd.types.ndarray(dtype=T, ndim=2),
    y: qd.types.ndarray(dtype=T, ndim=1),
    old: qd.types.ndarray(dtype=T, ndim=2),
):
    # One operation an element: the arithmetic, the old values.
    for i in range(y.shape[0]):
        old[0, i] = qd.atomic_add(x[0, i], y[i])
        old[1, i] = qd.atomic_sub(x[1, i], y[i])
        old[2, i] = qd.atomic_mul(x[2, i], y[i])
        old[3, i] = qd.atomic_min(x[3, i], y[i])
        old[4, i] = qd.atomic_max(x[4, i], y[i])
        old[5, i] = qd.atomic_and(x[5, i], y[i])
        old[6, i] = qd.atomic_or(x[6, i], y[i])
        old[7, i] = qd.atomic_xor(x[7, i], y[i])
        old[8, i] = qd.atomic_exchange(x[8, i], y[i])
        old[9, i] = qd.atomic_cas(x[9, i], y[i], y[i] + 1)


@qd.kernel
def contend(
    counts: qd.types.ndarray(dtype=T, ndim=1),
    got: qd.types.ndarray(dtype=T, ndim=1),
    vectors: qd.types.ndarray(dtype=pair, ndim=1),
):
    # Neighbours in one word, an odd number of them; every old value is handed out once.
    for i in range(got.shape[0]):
        got[i] = qd.atomic_add(counts[i % 7], 1)
        tally[i % 7] += 2
        vectors[0] += qd.Vector([1, 2, 3])
        vectors[1][i % 3] -= 1
        vectors[2][1] ^= i


@qd.kernel
def in_block(y: qd.types.ndarray(dtype=T, ndim=1), out: qd.types.ndarray(dtype=T, ndim=2)):
    qd.loop_config(block_dim=64)
    for i in range(y.shape[0]):
        cells = block.SharedArray((9,), T)
        tid = block.thread_idx()
        if tid < 9:
            cells[tid] = y[i]
        block.sync()
        cells[0] += y[i]
        cells[1] -= y[i]
        qd.atomic_min(cells[2], y[i])
        qd.atomic_max(cells[3], y[i])
        cells[4] &= y[i]
        cells[5] |= y[i]
        cells[6] ^= y[i]
        qd.atomic_mul(cells[7], 3)
        # A loop of compare-and-swaps: each thread's turn counts.
        done = False
        while not done:
            seen = qd.atomic_or(cells[8], 0)
            done = qd.atomic_cas(cells[8], seen, seen + 1) == seen
        block.sync()
        if tid < 9:
            out[i // 64, tid] = cells[tid]


# Arrays of these sizes do not fit 32 KiB with 4 bytes an element. Lanes store neighbours.
@qd.kernel
def packed(x: qd.types.ndarray(dtype=T, ndim=1), out: qd.types.ndarray(dtype=T, ndim=1)):
    qd.loop_config(block_dim=64)
    for i in range(x.shape[0] // 32):
        cells = block.SharedArray((8448,), T)
        tid = block.thread_idx()
        first = i // 64 * 2048
        for k in range(32):
            cells[k * 64 + tid] = x[first + k * 64 + tid]
            cells[8447 - (k * 64 + tid)] = T(tid)
        block.sync()
        for k in range(32):
            if tid % 3 != k % 3:
                cells[k * 64 + tid] += cells[8447 - (k * 64 + tid)]
            else:
                qd.atomic_sub(cells[k * 64 + tid], 1)
        cells[4000] = 9
        block.sync()
        for k in range(32):
            out[first + k * 64 + tid] = cells[k * 64 + (tid + 5) % 64] ^ cells[4000]
