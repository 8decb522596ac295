"""The cost of operations of blocks, and of fences.

The kernels are the same on every target; what each may take there stands in ../TARGET/block.txt.
The constants are for GPUs: the CPU sets smaller ones, as a subgroup has 8 lanes there.
"""
import quadrants as qd
from quadrants.lang.simt import block, grid, subgroup

BLOCK = 128
MANY = 1024
COUNT = 1024

I32 = qd.types.ndarray(dtype=qd.i32, ndim=1)
U32 = qd.types.ndarray(dtype=qd.u32, ndim=1)
I64 = qd.types.ndarray(dtype=qd.i64, ndim=1)
F32 = qd.types.ndarray(dtype=qd.f32, ndim=1)


@qd.func
def affine(a, b):
    # It does not commute.
    return a * 3 + b


# One barrier; a fence has none.
@qd.kernel
def sync(x: I32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(COUNT):
        x[i] = 1
        block.sync()
        x[i] = 2


@qd.kernel
def fence(x: I32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(COUNT):
        x[i] = 1
        block.mem_fence()
        x[i] = 2


@qd.kernel
def grid_fence(x: I32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(COUNT):
        x[i] = 1
        grid.mem_fence()
        x[i] = 2


# One barrier that reduces.
@qd.kernel
def sync_all(x: I32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(COUNT):
        x[i] = block.sync_all_nonzero(x[i])


@qd.kernel
def sync_any(x: I32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(COUNT):
        x[i] = block.sync_any_nonzero(x[i])


@qd.kernel
def sync_count(x: I32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(COUNT):
        x[i] = block.sync_count_nonzero(x[i])


@qd.kernel
def sync_three(x: I32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(COUNT):
        a = block.sync_all_nonzero(x[i])
        b = block.sync_any_nonzero(x[i])
        x[i] = a + b + block.sync_count_nonzero(x[i])


@qd.kernel
def sync_count_many(x: I32):
    qd.loop_config(block_dim=MANY)
    for i in range(COUNT):
        x[i] = block.sync_count_nonzero(x[i])


# The subgroup's reduction, one barrier, an op a subgroup of the first thread's.
@qd.kernel
def reduce(x: F32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(COUNT):
        x[i] = block.reduce_add(x[i], BLOCK, qd.f32)


# A block that is one subgroup has no barrier.
@qd.kernel
def reduce_one(x: F32):
    qd.loop_config(block_dim=subgroup.group_size())
    for i in range(COUNT):
        x[i] = block.reduce_add(x[i], subgroup.group_size(), qd.f32)


# Each thread folds the aggregates itself;
@qd.kernel
def reduce_all(x: F32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(COUNT):
        x[i] = block.reduce_all_max(x[i], BLOCK, qd.f32)


@qd.kernel
def reduce_all_one(x: F32):
    qd.loop_config(block_dim=subgroup.group_size())
    for i in range(COUNT):
        x[i] = block.reduce_all_max(x[i], subgroup.group_size(), qd.f32)


# a second barrier, and one hop through shared memory, where there are many.
@qd.kernel
def reduce_all_many(x: F32):
    qd.loop_config(block_dim=MANY)
    for i in range(COUNT):
        x[i] = block.reduce_all_max(x[i], MANY, qd.f32)


@qd.kernel
def reduce_all_i64(x: I64):
    qd.loop_config(block_dim=BLOCK)
    for i in range(COUNT):
        x[i] = block.reduce_all_max(x[i], BLOCK, qd.i64)


@qd.kernel
def reduce_i32(x: I32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(COUNT):
        x[i] = block.reduce_min(x[i], BLOCK, qd.i32)


# The subgroup's scan, one barrier, and the prefix.
@qd.kernel
def inclusive(x: F32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(COUNT):
        x[i] = block.inclusive_add(x[i], BLOCK, qd.f32)


@qd.kernel
def inclusive_one(x: F32):
    qd.loop_config(block_dim=subgroup.group_size())
    for i in range(COUNT):
        x[i] = block.inclusive_add(x[i], subgroup.group_size(), qd.f32)


@qd.kernel
def inclusive_i32(x: I32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(COUNT):
        x[i] = block.inclusive_add(x[i], BLOCK, qd.i32)


@qd.kernel
def exclusive(x: F32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(COUNT):
        x[i] = block.exclusive_min(x[i], BLOCK, qd.f32)


@qd.kernel
def exclusive_one(x: F32):
    qd.loop_config(block_dim=subgroup.group_size())
    for i in range(COUNT):
        x[i] = block.exclusive_add(x[i], subgroup.group_size(), qd.f32)


# With a function of the kernel's.
@qd.kernel
def generic_reduce(x: F32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(COUNT):
        x[i] = block.reduce(x[i], BLOCK, affine, qd.f32)


@qd.kernel
def generic_scan(x: F32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(COUNT):
        x[i] = block.inclusive_scan(x[i], BLOCK, affine, qd.f32)


# Two barriers and a scan's; beside the caller's 2 KiB of shared memory 8 KiB at 32 lanes at most, 12 at 64.
@qd.kernel
def radix(keys: U32, ranks: I32):
    qd.loop_config(block_dim=256)
    for i in range(COUNT):
        bins = block.SharedArray((256,), qd.i32)
        first = block.SharedArray((256,), qd.i32)
        rank = block.radix_rank_match_atomic_or(keys[i], 256, 8, 0, 8, bins, first)
        ranks[i] = rank + bins[i % 256] + first[i % 256]
