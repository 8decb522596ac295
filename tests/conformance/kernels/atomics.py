# Atomics on every kind of memory. T is the build's.
import quadrants as qd
from quadrants.lang.simt import block

T = qd.i32


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
        old[5, i] = qd.atomic_exchange(x[5, i], y[i])


@qd.kernel
def contend(
    y: qd.types.ndarray(dtype=T, ndim=1),
    signs: qd.types.ndarray(dtype=T, ndim=1),
    x: qd.types.ndarray(dtype=T, ndim=2),
):
    # All threads on few elements.
    for i in range(y.shape[0]):
        qd.atomic_add(x[0, i % 3], y[i])
        qd.atomic_sub(x[1, i % 3], y[i])
        qd.atomic_mul(x[2, i % 3], signs[i])
        qd.atomic_min(x[3, i % 3], y[i])
        qd.atomic_max(x[4, i % 3], y[i])
        x[5, i % 3] += y[i]
        x[6, i % 3] -= y[i]


@qd.kernel
def exchange_all(
    ids: qd.types.ndarray(dtype=T, ndim=1),
    slot: qd.types.ndarray(dtype=T, ndim=1),
    got: qd.types.ndarray(dtype=T, ndim=1),
):
    # Nothing is lost and nothing doubled.
    for i in range(ids.shape[0]):
        got[i] = qd.atomic_exchange(slot[0], ids[i])


@qd.kernel
def in_block(y: qd.types.ndarray(dtype=T, ndim=1), out: qd.types.ndarray(dtype=T, ndim=2)):
    qd.loop_config(block_dim=128)
    for i in range(y.shape[0]):
        cells = block.SharedArray((4,), T)
        tid = block.thread_idx()
        if tid < 4:
            cells[tid] = y[i - tid]
        block.sync()
        qd.atomic_add(cells[0], y[i])
        qd.atomic_min(cells[1], y[i])
        qd.atomic_max(cells[2], y[i])
        cells[3] -= y[i]
        block.sync()
        if tid < 4:
            out[tid, i // 128] = cells[tid]
