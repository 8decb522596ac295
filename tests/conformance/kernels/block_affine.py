# Block scans with an operator that does not commute: composition of affine maps modulo 65536,
# packed into a u32 as (factor << 16) | offset.
import quadrants as qd
from quadrants.lang.simt import block


@qd.func
def then(f, g):
    factor = (f >> 16) * (g >> 16)
    offset = (f & 0xFFFF) * (g >> 16) + (g & 0xFFFF)
    return (factor << 16) | (offset & 0xFFFF)


@qd.kernel
def compose(
    src: qd.types.ndarray(dtype=qd.u32, ndim=1), out: qd.types.ndarray(dtype=qd.u32, ndim=2)
):
    qd.loop_config(block_dim=256)
    for i in range(src.shape[0]):
        out[0, i] = block.reduce(src[i], 256, then, qd.u32)
        out[1, i] = block.reduce_all(src[i], 256, then, qd.u32)
        out[2, i] = block.inclusive_scan(src[i], 256, then, qd.u32)
        out[3, i] = block.exclusive_scan(src[i], 256, then, qd.u32(0x10000), qd.u32)
