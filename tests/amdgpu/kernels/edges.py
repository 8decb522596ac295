# Unusual reals: reductions and scans over tiles of every size, atomics. T is the build's.
import quadrants as qd
from quadrants.lang.simt import subgroup

T = qd.f32


@qd.kernel
def edges(src: qd.types.ndarray(dtype=T, ndim=1), out: qd.types.ndarray(dtype=T, ndim=2)):
    qd.loop_config(block_dim=128)
    for i in range(src.shape[0]):
        v = src[i]
        for k in qd.static(range(subgroup.log2_group_size() + 1)):
            out[9 * k, i] = subgroup.reduce_all_add_tiled(v, k)
            out[9 * k + 1, i] = subgroup.reduce_all_min_tiled(v, k)
            out[9 * k + 2, i] = subgroup.reduce_all_max_tiled(v, k)
            out[9 * k + 3, i] = subgroup.inclusive_add_tiled(v, k)
            out[9 * k + 4, i] = subgroup.inclusive_min_tiled(v, k)
            out[9 * k + 5, i] = subgroup.inclusive_max_tiled(v, k)
            out[9 * k + 6, i] = subgroup.exclusive_add_tiled(v, k)
            out[9 * k + 7, i] = subgroup.exclusive_min_tiled(v, k)
            out[9 * k + 8, i] = subgroup.exclusive_max_tiled(v, k)


@qd.kernel
def atomic_edges(
    src: qd.types.ndarray(dtype=T, ndim=1),
    cells: qd.types.ndarray(dtype=T, ndim=2),
    old: qd.types.ndarray(dtype=T, ndim=2),
):
    # A cell a thread, minima and maxima, in device and in shared memory; and one for all.
    qd.loop_config(block_dim=128)
    for i in range(src.shape[0]):
        tid = qd.simt.block.thread_idx()
        shared = qd.simt.block.SharedArray((128,), T)
        v = src[i]
        old[0, i] = qd.atomic_min(cells[0, i], v)
        old[1, i] = qd.atomic_max(cells[1, i], v)
        shared[tid] = cells[2, i]
        old[2, i] = qd.atomic_min(shared[tid], v)
        cells[2, i] = shared[tid]
        shared[tid] = cells[3, i]
        old[3, i] = qd.atomic_max(shared[tid], v)
        cells[3, i] = shared[tid]
        qd.atomic_min(cells[4, i // 32], v)
        qd.atomic_max(cells[5, i // 32], v)
