# Reductions and scans of reals, over tiles of every size. T is the build's.
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
