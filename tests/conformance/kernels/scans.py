# Subgroup scans for every tile size. T is the build's.
import quadrants as qd
from quadrants.lang.simt import subgroup

T = qd.i32


@qd.kernel
def scan(src: qd.types.ndarray(dtype=T, ndim=1), out: qd.types.ndarray(dtype=T, ndim=2)):
    qd.loop_config(block_dim=128)
    for i in range(src.shape[0]):
        v = src[i]
        for k in qd.static(range(subgroup.log2_group_size() + 1)):
            out[8 * k, i] = subgroup.inclusive_add_tiled(v, k)
            out[8 * k + 1, i] = subgroup.inclusive_mul_tiled(v, k)
            out[8 * k + 2, i] = subgroup.inclusive_min_tiled(v, k)
            out[8 * k + 3, i] = subgroup.inclusive_max_tiled(v, k)
            out[8 * k + 4, i] = subgroup.exclusive_add_tiled(v, k)
            out[8 * k + 5, i] = subgroup.exclusive_mul_tiled(v, k)
            out[8 * k + 6, i] = subgroup.exclusive_min_tiled(v, k)
            out[8 * k + 7, i] = subgroup.exclusive_max_tiled(v, k)


@qd.kernel
def scan_full(src: qd.types.ndarray(dtype=T, ndim=1), out: qd.types.ndarray(dtype=T, ndim=2)):
    qd.loop_config(block_dim=64)
    for i in range(src.shape[0]):
        v = src[i]
        out[0, i] = subgroup.inclusive_add(v)
        out[1, i] = subgroup.inclusive_mul(v)
        out[2, i] = subgroup.inclusive_min(v)
        out[3, i] = subgroup.inclusive_max(v)
        out[4, i] = subgroup.exclusive_add(v)
        out[5, i] = subgroup.exclusive_mul(v)
        out[6, i] = subgroup.exclusive_min(v)
        out[7, i] = subgroup.exclusive_max(v)
