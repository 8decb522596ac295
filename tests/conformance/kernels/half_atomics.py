# Atomics on f16: every operation, in arrays, fields, vectors and shared memory.
import quadrants as qd
from quadrants.lang.simt import block

H = qd.types.ndarray(dtype=qd.f16, ndim=1)
pair = qd.types.vector(2, qd.f16)
tally = qd.field(qd.f16, shape=3)


@qd.kernel
def each(x: qd.types.ndarray(dtype=qd.f16, ndim=2), y: H, old: qd.types.ndarray(dtype=qd.f16, ndim=2)):
    for i in range(y.shape[0]):
        old[0, i] = qd.atomic_add(x[0, i], y[i])
        old[1, i] = qd.atomic_sub(x[1, i], y[i])
        old[2, i] = qd.atomic_mul(x[2, i], y[i])
        old[3, i] = qd.atomic_min(x[3, i], y[i])
        old[4, i] = qd.atomic_max(x[4, i], y[i])
        old[5, i] = qd.atomic_exchange(x[5, i], y[i])


@qd.kernel
def contend(sums: H, slot: H, got: H, vectors: qd.types.ndarray(dtype=pair, ndim=1)):
    for i in range(got.shape[0]):
        sums[i % 3] += 1
        tally[i % 3] -= 1
        got[i] = qd.atomic_exchange(slot[0], qd.f16(i + 1))
        vectors[0] += qd.Vector([1.0, 2.0])


@qd.kernel
def in_block(y: H, out: qd.types.ndarray(dtype=qd.f16, ndim=2)):
    qd.loop_config(block_dim=64)
    for i in range(y.shape[0]):
        cells = block.SharedArray((5,), qd.f16)
        tid = block.thread_idx()
        if tid < 5:
            cells[tid] = 1
        block.sync()
        cells[0] += y[i]
        qd.atomic_min(cells[1], y[i])
        qd.atomic_max(cells[2], y[i])
        if tid < 6:
            qd.atomic_mul(cells[3], 2)
        # The exchange loses nothing: what goes round comes out once.
        out[i // 64, 5 + tid] = qd.atomic_exchange(cells[4], qd.f16(tid + 2))
        block.sync()
        if tid < 5:
            out[i // 64, tid] = cells[tid]
