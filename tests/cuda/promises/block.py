# What block operations take, counted in the PTX of kernels as users write them (count.awk
# tells what the words mean).
# RUN: %count_75 | FileCheck %s --check-prefixes=CHECK,OLD
# RUN: %count_90 | FileCheck %s --check-prefixes=CHECK,NEW
import quadrants as qd
from quadrants.lang.simt import block, grid, subgroup

I32 = qd.types.ndarray(dtype=qd.i32, ndim=1)
U32 = qd.types.ndarray(dtype=qd.u32, ndim=1)
F32 = qd.types.ndarray(dtype=qd.f32, ndim=1)



@qd.func
def affine(a, b):
    # Does not commute.
    return a * 3 + b


# One barrier; a fence has none.
# CHECK: {{^}}sync: bar 1{{$}}
@qd.kernel
def sync(x: I32):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        x[i] = 1
        block.sync()
        x[i] = 2


# CHECK: {{^}}fence: fence 1{{$}}
@qd.kernel
def fence(x: I32):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        x[i] = 1
        block.mem_fence()
        x[i] = 2


# CHECK: {{^}}grid_fence: fence 1{{$}}
@qd.kernel
def grid_fence(x: I32):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        x[i] = 1
        grid.mem_fence()
        x[i] = 2


# One barrier that reduces, nothing shared.
# CHECK: {{^}}sync_all: bar 1{{$}}
@qd.kernel
def sync_all(x: I32):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        x[i] = block.sync_all_nonzero(x[i])


# CHECK: {{^}}sync_any: bar 1{{$}}
@qd.kernel
def sync_any(x: I32):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        x[i] = block.sync_any_nonzero(x[i])


# CHECK: {{^}}sync_count: bar 1{{$}}
@qd.kernel
def sync_count(x: I32):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        x[i] = block.sync_count_nonzero(x[i])


# Five shuffles and one barrier, three ops of the first thread after it.
# CHECK: {{^}}reduce: shfl 5 real 8 bar 1 shared 3 bytes 16{{$}}
@qd.kernel
def reduce(x: F32):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        x[i] = block.reduce_add(x[i], 128, qd.f32)


# A block that is one subgroup: nothing but the subgroup's.
# CHECK: {{^}}reduce_warp: shfl 5 real 5{{$}}
@qd.kernel
def reduce_warp(x: F32):
    qd.loop_config(block_dim=32)
    for i in range(x.shape[0]):
        x[i] = block.reduce_add(x[i], 32, qd.f32)


# As many barriers, for each thread folds the four aggregates itself;
# CHECK: {{^}}reduce_all: shfl 5 real 8 bar 1 shared 2 bytes 16{{$}}
@qd.kernel
def reduce_all(x: F32):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        x[i] = block.reduce_all_max(x[i], 128, qd.f32)


# a second one, and one hop through shared memory, where there are many.
# CHECK: {{^}}reduce_all_1024: shfl 5 real 36 bar 2 shared 12 bytes 128{{$}}
@qd.kernel
def reduce_all_1024(x: F32):
    qd.loop_config(block_dim=1024)
    for i in range(x.shape[0]):
        x[i] = block.reduce_all_max(x[i], 1024, qd.f32)


# CHECK: {{^}}reduce_all_warp: shfl 5 real 5{{$}}
@qd.kernel
def reduce_all_warp(x: F32):
    qd.loop_config(block_dim=32)
    for i in range(x.shape[0]):
        x[i] = block.reduce_all_max(x[i], 32, qd.f32)


# The warp's reduction of integers is one instruction from sm_80 on.
# OLD: {{^}}reduce_i32: shfl 5 bar 1 shared 3 bytes 16{{$}}
# NEW: {{^}}reduce_i32: redux 1 bar 1 shared 3 bytes 16{{$}}
@qd.kernel
def reduce_i32(x: I32):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        x[i] = block.reduce_min(x[i], 128, qd.i32)


# The subgroup's scan, one barrier, and three ops at most for the prefix.
# CHECK: {{^}}inclusive: shfl 5 real 8 bar 1 shared 3 bytes 16{{$}}
@qd.kernel
def inclusive(x: F32):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        x[i] = block.inclusive_add(x[i], 128, qd.f32)


# CHECK: {{^}}exclusive: shfl 6 real 9 bar 1 shared 3 bytes 16{{$}}
@qd.kernel
def exclusive(x: F32):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        x[i] = block.exclusive_min(x[i], 128, qd.f32)


# CHECK: {{^}}inclusive_warp: shfl 5 real 5{{$}}
@qd.kernel
def inclusive_warp(x: F32):
    qd.loop_config(block_dim=32)
    for i in range(x.shape[0]):
        x[i] = block.inclusive_add(x[i], 32, qd.f32)


# CHECK: {{^}}generic_reduce: shfl 5 real 8 bar 1 shared 3 bytes 16{{$}}
@qd.kernel
def generic_reduce(x: F32):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        x[i] = block.reduce(x[i], 128, affine, qd.f32)


# CHECK: {{^}}generic_scan: shfl 5 real 8 bar 1 shared 3 bytes 16{{$}}
@qd.kernel
def generic_scan(x: F32):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        x[i] = block.inclusive_scan(x[i], 128, affine, qd.f32)


# Three barriers, as many as two and a scan's; 4 KiB beside the caller's 2 KiB, where the page has 8;
# one atomic, of the first lane of each digit.
# OLD: {{^}}radix: shfl 11 vote 5 bar 3 warp 2 shared 37 atom 1 bytes 6144{{$}}
# NEW: {{^}}radix: shfl 6 vote 5 redux 1 bar 3 warp 2 shared 37 atom 1 bytes 6144{{$}}
@qd.kernel
def radix(x: U32, ranks: I32):
    qd.loop_config(block_dim=256)
    for i in range(x.shape[0]):
        bins = block.SharedArray((256,), qd.i32)
        first = block.SharedArray((256,), qd.i32)
        rank = block.radix_rank_match_atomic_or(x[i], 256, 8, 0, 8, bins, first)
        ranks[i] = rank + bins[i % 256] + first[i % 256]
