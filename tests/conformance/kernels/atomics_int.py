# The atomics that only integers have. T is the build's.
import quadrants as qd
from quadrants.lang.simt import block

T = qd.i32


@qd.kernel
def each_bits(
    x: qd.types.ndarray(dtype=T, ndim=2),
    y: qd.types.ndarray(dtype=T, ndim=1),
    old: qd.types.ndarray(dtype=T, ndim=2),
):
    for i in range(y.shape[0]):
        old[0, i] = qd.atomic_and(x[0, i], y[i])
        old[1, i] = qd.atomic_or(x[1, i], y[i])
        old[2, i] = qd.atomic_xor(x[2, i], y[i])
        old[3, i] = qd.atomic_cas(x[3, i], y[i], y[i] + 1)


@qd.kernel
def contend_bits(y: qd.types.ndarray(dtype=T, ndim=1), x: qd.types.ndarray(dtype=T, ndim=1)):
    for i in range(y.shape[0]):
        qd.atomic_and(x[0], ~y[i])
        qd.atomic_or(x[1], y[i])
        qd.atomic_xor(x[2], y[i])
        x[3] &= ~y[i]
        x[4] |= y[i]
        x[5] ^= y[i]


@qd.kernel
def reserve(
    counter: qd.types.ndarray(dtype=T, ndim=1), got: qd.types.ndarray(dtype=T, ndim=1)
):
    # Old values are handed out once each.
    for i in range(got.shape[0]):
        got[i] = qd.atomic_add(counter[0], 1)


@qd.kernel
def cas_add(y: qd.types.ndarray(dtype=T, ndim=1), x: qd.types.ndarray(dtype=T, ndim=1)):
    # A retry loop: each lane retries on its own.
    for i in range(y.shape[0]):
        done = False
        while not done:
            seen = qd.volatile_load(x[0])
            done = qd.atomic_cas(x[0], seen, seen + y[i]) == seen


@qd.kernel
def in_block_bits(y: qd.types.ndarray(dtype=T, ndim=1), out: qd.types.ndarray(dtype=T, ndim=2)):
    qd.loop_config(block_dim=128)
    for i in range(y.shape[0]):
        cells = block.SharedArray((3,), T)
        tid = block.thread_idx()
        if tid == 0:
            cells[0] = ~(y[i] ^ y[i])
            cells[1] = y[i] ^ y[i]
            cells[2] = y[i] ^ y[i]
        block.sync()
        qd.atomic_and(cells[0], y[i])
        qd.atomic_or(cells[1], y[i])
        qd.atomic_xor(cells[2], y[i])
        block.sync()
        if tid < 3:
            out[tid, i // 128] = cells[tid]
