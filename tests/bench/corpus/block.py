# The corpus of the benchmarks, part 2: a kernel for each block operation, as an application would
# use it. Their CUDA twins are in block.cu.
import quadrants as qd
from quadrants.lang.simt import block, subgroup

F32 = qd.types.ndarray(dtype=qd.f32, ndim=1)
I32 = qd.types.ndarray(dtype=qd.i32, ndim=1)
U32 = qd.types.ndarray(dtype=qd.u32, ndim=1)
BLOCK = 256


@qd.func
def compose(a, b):
    return a + b + a * b


@qd.kernel
def bl_sync_all_nonzero(src: I32, dst: I32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(src.shape[0]):
        dst[i] = block.sync_all_nonzero(qd.i32(src[i] > 0))


@qd.kernel
def bl_sync_any_nonzero(src: I32, dst: I32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(src.shape[0]):
        dst[i] = block.sync_any_nonzero(qd.i32(src[i] > 0))


@qd.kernel
def bl_sync_count_nonzero(src: I32, dst: I32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(src.shape[0]):
        dst[i] = block.sync_count_nonzero(qd.i32(src[i] > 0))


@qd.kernel
def bl_reduce(src: F32, dst: F32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(src.shape[0]):
        total = block.reduce(src[i], BLOCK, compose, qd.f32)
        if block.thread_idx() == 0:
            dst[i // BLOCK] = total


@qd.kernel
def bl_reduce_add(src: F32, dst: F32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(src.shape[0]):
        total = block.reduce_add(src[i], BLOCK, qd.f32)
        if block.thread_idx() == 0:
            dst[i // BLOCK] = total


@qd.kernel
def bl_reduce_min(src: F32, dst: F32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(src.shape[0]):
        total = block.reduce_min(src[i], BLOCK, qd.f32)
        if block.thread_idx() == 0:
            dst[i // BLOCK] = total


@qd.kernel
def bl_reduce_max(src: F32, dst: F32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(src.shape[0]):
        total = block.reduce_max(src[i], BLOCK, qd.f32)
        if block.thread_idx() == 0:
            dst[i // BLOCK] = total


@qd.kernel
def bl_reduce_all(src: F32, dst: F32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(src.shape[0]):
        dst[i] = src[i] - block.reduce_all(src[i], BLOCK, compose, qd.f32)


@qd.kernel
def bl_reduce_all_add(src: F32, dst: F32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(src.shape[0]):
        dst[i] = src[i] - block.reduce_all_add(src[i], BLOCK, qd.f32)


@qd.kernel
def bl_reduce_all_min(src: F32, dst: F32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(src.shape[0]):
        dst[i] = src[i] - block.reduce_all_min(src[i], BLOCK, qd.f32)


@qd.kernel
def bl_reduce_all_max(src: F32, dst: F32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(src.shape[0]):
        dst[i] = src[i] - block.reduce_all_max(src[i], BLOCK, qd.f32)


@qd.kernel
def bl_inclusive_scan(src: F32, dst: F32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(src.shape[0]):
        dst[i] = block.inclusive_scan(src[i], BLOCK, compose, qd.f32)


@qd.kernel
def bl_inclusive_add(src: I32, dst: I32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(src.shape[0]):
        dst[i] = block.inclusive_add(src[i], BLOCK, qd.i32)


@qd.kernel
def bl_inclusive_min(src: I32, dst: I32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(src.shape[0]):
        dst[i] = block.inclusive_min(src[i], BLOCK, qd.i32)


@qd.kernel
def bl_inclusive_max(src: I32, dst: I32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(src.shape[0]):
        dst[i] = block.inclusive_max(src[i], BLOCK, qd.i32)


@qd.kernel
def bl_exclusive_scan(src: F32, dst: F32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(src.shape[0]):
        dst[i] = block.exclusive_scan(src[i], BLOCK, compose, 0.0, qd.f32)


@qd.kernel
def bl_exclusive_add(src: I32, dst: I32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(src.shape[0]):
        dst[i] = block.exclusive_add(src[i], BLOCK, qd.i32)


@qd.kernel
def bl_exclusive_min(src: I32, dst: I32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(src.shape[0]):
        dst[i] = block.exclusive_min(src[i], BLOCK, qd.i32)


@qd.kernel
def bl_exclusive_max(src: I32, dst: I32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(src.shape[0]):
        dst[i] = block.exclusive_max(src[i], BLOCK, qd.i32)


@qd.kernel
def bl_radix_rank(src: U32, dst: I32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(src.shape[0]):
        bins = block.SharedArray((BLOCK,), qd.i32)
        before = block.SharedArray((BLOCK,), qd.i32)
        dst[i] = block.radix_rank_match_atomic_or(src[i], BLOCK, 8, 0, 8, bins, before)
