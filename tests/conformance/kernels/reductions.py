# Subgroup reductions for every tile size. T is the build's.
import quadrants as qd
from quadrants.lang.simt import subgroup

T = qd.i32


@qd.kernel
def reduce(src: qd.types.ndarray(dtype=T, ndim=1), out: qd.types.ndarray(dtype=T, ndim=2)):
    qd.loop_config(block_dim=128)
    for i in range(src.shape[0]):
        v = src[i]
        for k in qd.static(range(subgroup.log2_group_size() + 1)):
            out[6 * k, i] = subgroup.reduce_add_tiled(v, k)
            out[6 * k + 1, i] = subgroup.reduce_min_tiled(v, k)
            out[6 * k + 2, i] = subgroup.reduce_max_tiled(v, k)
            out[6 * k + 3, i] = subgroup.reduce_all_add_tiled(v, k)
            out[6 * k + 4, i] = subgroup.reduce_all_min_tiled(v, k)
            out[6 * k + 5, i] = subgroup.reduce_all_max_tiled(v, k)


@qd.kernel
def reduce_full(src: qd.types.ndarray(dtype=T, ndim=1), out: qd.types.ndarray(dtype=T, ndim=2)):
    qd.loop_config(block_dim=64)
    for i in range(src.shape[0]):
        v = src[i]
        out[0, i] = subgroup.reduce_add(v)
        out[1, i] = subgroup.reduce_min(v)
        out[2, i] = subgroup.reduce_max(v)
        out[3, i] = subgroup.reduce_all_add(v)
        out[4, i] = subgroup.reduce_all_min(v)
        out[5, i] = subgroup.reduce_all_max(v)


@qd.kernel
def segmented(
    src: qd.types.ndarray(dtype=T, ndim=1),
    heads: qd.types.ndarray(dtype=qd.i32, ndim=1),
    out: qd.types.ndarray(dtype=T, ndim=2),
):
    qd.loop_config(block_dim=128)
    for i in range(src.shape[0]):
        for k in qd.static(range(subgroup.log2_group_size() + 1)):
            out[3 * k, i] = subgroup.segmented_reduce_add_tiled(src[i], heads[i], k)
            out[3 * k + 1, i] = subgroup.segmented_reduce_min_tiled(src[i], heads[i], k)
            out[3 * k + 2, i] = subgroup.segmented_reduce_max_tiled(src[i], heads[i], k)


@qd.kernel
def segmented_full(
    src: qd.types.ndarray(dtype=T, ndim=1),
    heads: qd.types.ndarray(dtype=qd.i32, ndim=1),
    out: qd.types.ndarray(dtype=T, ndim=2),
):
    qd.loop_config(block_dim=64)
    for i in range(src.shape[0]):
        out[0, i] = subgroup.segmented_reduce_add(src[i], heads[i])
        out[1, i] = subgroup.segmented_reduce_min(src[i], heads[i])
        out[2, i] = subgroup.segmented_reduce_max(src[i], heads[i])
