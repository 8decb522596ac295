# Bitwise subgroup scans for every tile size. T is the build's: an integer type.
import quadrants as qd
from quadrants.lang.simt import subgroup

T = qd.i32


@qd.kernel
def scan_bits(src: qd.types.ndarray(dtype=T, ndim=1), out: qd.types.ndarray(dtype=T, ndim=2)):
    qd.loop_config(block_dim=128)
    for i in range(src.shape[0]):
        v = src[i]
        for k in qd.static(range(subgroup.log2_group_size() + 1)):
            out[6 * k, i] = subgroup.inclusive_and_tiled(v, k)
            out[6 * k + 1, i] = subgroup.inclusive_or_tiled(v, k)
            out[6 * k + 2, i] = subgroup.inclusive_xor_tiled(v, k)
            out[6 * k + 3, i] = subgroup.exclusive_and_tiled(v, k)
            out[6 * k + 4, i] = subgroup.exclusive_or_tiled(v, k)
            out[6 * k + 5, i] = subgroup.exclusive_xor_tiled(v, k)


@qd.kernel
def scan_bits_full(src: qd.types.ndarray(dtype=T, ndim=1), out: qd.types.ndarray(dtype=T, ndim=2)):
    qd.loop_config(block_dim=64)
    for i in range(src.shape[0]):
        v = src[i]
        out[0, i] = subgroup.inclusive_and(v)
        out[1, i] = subgroup.inclusive_or(v)
        out[2, i] = subgroup.inclusive_xor(v)
        out[3, i] = subgroup.exclusive_and(v)
        out[4, i] = subgroup.exclusive_or(v)
        out[5, i] = subgroup.exclusive_xor(v)
