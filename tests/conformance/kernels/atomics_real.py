# Atomics on reals, each operation on memory of its own: that is where devices that have an
# instruction for it use it. T is the build's.
import quadrants as qd
from quadrants.lang.simt import block

T = qd.f32
Array = qd.types.ndarray(dtype=T, ndim=1)


@qd.kernel
def each(y: Array, added: Array, least: Array, most: Array, taken: Array, old: qd.types.ndarray(dtype=T, ndim=2)):
    for i in range(y.shape[0]):
        old[0, i] = qd.atomic_add(added[i], y[i])
        old[1, i] = qd.atomic_min(least[i], y[i])
        old[2, i] = qd.atomic_max(most[i], y[i])
        old[3, i] = qd.atomic_exchange(taken[i], y[i])


# Cells are three: two halves of a word, and one of the next.
@qd.kernel
def contend(y: Array, ids: Array, added: Array, least: Array, most: Array, slots: Array, got: Array):
    for i in range(y.shape[0]):
        qd.atomic_add(added[i % 3], y[i])
        qd.atomic_min(least[i % 3], y[i])
        qd.atomic_max(most[i % 3], y[i])
        got[i] = qd.atomic_exchange(slots[i % 3], ids[i])


@qd.kernel
def in_block(y: Array, ids: Array, out: qd.types.ndarray(dtype=T, ndim=2), got: Array):
    qd.loop_config(block_dim=128)
    for i in range(y.shape[0]):
        added = block.SharedArray((3,), T)
        least = block.SharedArray((3,), T)
        most = block.SharedArray((3,), T)
        slots = block.SharedArray((3,), T)
        tid = block.thread_idx()
        if tid < 3:
            added[tid] = qd.cast(0, T)
            least[tid] = qd.cast(1000, T)
            most[tid] = qd.cast(-1000, T)
            slots[tid] = qd.cast(0, T)
        block.sync()
        qd.atomic_add(added[tid % 3], y[i])
        qd.atomic_min(least[tid % 3], y[i])
        qd.atomic_max(most[tid % 3], y[i])
        got[i] = qd.atomic_exchange(slots[tid % 3], ids[i])
        block.sync()
        if tid < 3:
            out[0, i // 128 * 3 + tid] = added[tid]
            out[1, i // 128 * 3 + tid] = least[tid]
            out[2, i // 128 * 3 + tid] = most[tid]
            out[3, i // 128 * 3 + tid] = slots[tid]
