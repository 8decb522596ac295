"""The CUDA benchmark's kernels; the CUB kernels beside them are in peers.cu."""
import quadrants as qd
from quadrants.lang.simt import block, subgroup

BLOCK = 256


@qd.kernel
def block_reduce(src: qd.types.ndarray(dtype=qd.f32, ndim=1), out: qd.types.ndarray(dtype=qd.f32, ndim=1)):
    qd.loop_config(block_dim=BLOCK)
    for i in range(src.shape[0]):
        total = block.reduce_add(src[i], BLOCK, qd.f32)
        if block.thread_idx() == 0:
            out[i // BLOCK] = total


@qd.kernel
def block_scan(src: qd.types.ndarray(dtype=qd.i32, ndim=1), out: qd.types.ndarray(dtype=qd.i32, ndim=1)):
    qd.loop_config(block_dim=BLOCK)
    for i in range(src.shape[0]):
        out[i] = block.inclusive_add(src[i], BLOCK, qd.i32)


@qd.kernel
def warp_reduce(src: qd.types.ndarray(dtype=qd.f32, ndim=1), out: qd.types.ndarray(dtype=qd.f32, ndim=1)):
    qd.loop_config(block_dim=BLOCK)
    for i in range(src.shape[0]):
        total = subgroup.reduce_add(src[i])
        if subgroup.invocation_id() == 0:
            out[i // subgroup.group_size()] = total


@qd.kernel
def touch(out: qd.types.ndarray(dtype=qd.i32, ndim=1), value: qd.i32):
    """As good as nothing: what is left is the launch."""
    qd.loop_config(block_dim=32)
    for i in range(out.shape[0]):
        out[i] = value
