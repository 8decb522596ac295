# In-register sorts for every tile size: T keys with i32 values, and i32 keys with T values.
import quadrants as qd
from quadrants.lang.simt import subgroup

T = qd.i32


@qd.kernel
def sort_keys(
    keys: qd.types.ndarray(dtype=T, ndim=1),
    values: qd.types.ndarray(dtype=qd.i32, ndim=1),
    out_keys: qd.types.ndarray(dtype=T, ndim=2),
    out_values: qd.types.ndarray(dtype=qd.i32, ndim=2),
):
    qd.loop_config(block_dim=64)
    for i in range(keys.shape[0]):
        for log2 in qd.static(range(subgroup.log2_group_size() + 1)):
            k, v = subgroup.bitonic_sort_kv_tiled(keys[i], values[i], log2)
            out_keys[log2, i] = k
            out_values[log2, i] = v


@qd.kernel
def sort_values(
    keys: qd.types.ndarray(dtype=qd.i32, ndim=1),
    values: qd.types.ndarray(dtype=T, ndim=1),
    out_keys: qd.types.ndarray(dtype=qd.i32, ndim=1),
    out_values: qd.types.ndarray(dtype=T, ndim=1),
):
    qd.loop_config(block_dim=64)
    for i in range(keys.shape[0]):
        k, v = subgroup.bitonic_sort_kv(keys[i], values[i])
        out_keys[i] = k
        out_values[i] = v
