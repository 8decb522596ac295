# What block operations take, counted in the code of kernels as users write them (count.awk tells
# what the words mean; what a line does not name, there is none of): one barrier, none where the
# block is one subgroup, no atomics in reductions and scans.
# RUN: %count_vulkan_wave32 | FileCheck %s --check-prefixes=ALL,W32
# RUN: %count_vulkan_wave64 | FileCheck %s --check-prefixes=ALL,W64
# RUN: %count_metal | FileCheck %s --check-prefixes=ALL,W32
import quadrants as qd
from quadrants.lang.simt import block, grid, subgroup

I32 = qd.types.ndarray(dtype=qd.i32, ndim=1)
U32 = qd.types.ndarray(dtype=qd.u32, ndim=1)
F32 = qd.types.ndarray(dtype=qd.f32, ndim=1)


@qd.func
def affine(a, b):
    return a * 3 + b


# ALL: {{^}}sync: barrier 1{{$}}
@qd.kernel
def sync(x: I32):
    qd.loop_config(block_dim=256)
    for i in range(256):
        block.sync()
        x[i] = block.thread_idx()


# ALL: {{^}}fence: fence 1{{$}}
@qd.kernel
def fence(x: I32):
    qd.loop_config(block_dim=256)
    for i in range(256):
        x[i] = 1
        block.mem_fence()
        x[i] = 2


# ALL: {{^}}grid_fence: fence 1{{$}}
@qd.kernel
def grid_fence(x: I32):
    qd.loop_config(block_dim=256)
    for i in range(256):
        x[i] = 1
        grid.mem_fence()
        x[i] = 2


# A barrier and an atomic a call, and one barrier a task.
# ALL: {{^}}count: barrier 2 atomic 1 bytes 16{{$}}
@qd.kernel
def count(x: I32):
    qd.loop_config(block_dim=256)
    for i in range(256):
        x[i] = block.sync_count_nonzero(x[i])


# ALL: {{^}}counts: barrier 4 atomic 3 bytes 16{{$}}
@qd.kernel
def counts(x: I32):
    qd.loop_config(block_dim=256)
    for i in range(256):
        a = block.sync_all_nonzero(x[i])
        b = block.sync_any_nonzero(x[i])
        x[i] = a + b + block.sync_count_nonzero(x[i])


# W32: {{^}}reduce_add: arith 1 barrier 1 bytes 32{{$}}
# W64: {{^}}reduce_add: arith 1 barrier 1 bytes 16{{$}}
@qd.kernel
def reduce_add(x: I32):
    qd.loop_config(block_dim=256)
    for i in range(256):
        x[i] = block.reduce_add(x[i], 256, qd.i32)


# W32: {{^}}reduce_min: down 5 barrier 1 bytes 32{{$}}
# W64: {{^}}reduce_min: down 6 barrier 1 bytes 16{{$}}
@qd.kernel
def reduce_min(x: F32):
    qd.loop_config(block_dim=256)
    for i in range(256):
        x[i] = block.reduce_min(x[i], 256, qd.f32)


# W32: {{^}}reduce_one: down 5{{$}}
# W64: {{^}}reduce_one: down 6{{$}}
@qd.kernel
def reduce_one(x: F32):
    qd.loop_config(block_dim=subgroup.group_size())
    for i in range(subgroup.group_size()):
        x[i] = block.reduce_min(x[i], subgroup.group_size(), qd.f32)


# W32: {{^}}reduce_all_min: down 5 barrier 1 bytes 32{{$}}
# W64: {{^}}reduce_all_min: down 6 barrier 1 bytes 16{{$}}
@qd.kernel
def reduce_all_min(x: F32):
    qd.loop_config(block_dim=256)
    for i in range(256):
        x[i] = block.reduce_all_min(x[i], 256, qd.f32)


# From 9 subgroups on, one hop through shared memory and one barrier more.
# W32: {{^}}reduce_all_many: down 5 barrier 2 bytes 144{{$}}
# W64: {{^}}reduce_all_many: down 6 barrier 2 bytes 80{{$}}
@qd.kernel
def reduce_all_many(x: F32):
    qd.loop_config(block_dim=1024)
    for i in range(1024):
        x[i] = block.reduce_all_min(x[i], 1024, qd.f32)


# W32: {{^}}inclusive: up 5 barrier 1 bytes 32{{$}}
# W64: {{^}}inclusive: up 6 barrier 1 bytes 16{{$}}
@qd.kernel
def inclusive(x: F32):
    qd.loop_config(block_dim=256)
    for i in range(256):
        x[i] = block.inclusive_min(x[i], 256, qd.f32)


# W32: {{^}}inclusive_one: up 5{{$}}
# W64: {{^}}inclusive_one: up 6{{$}}
@qd.kernel
def inclusive_one(x: F32):
    qd.loop_config(block_dim=subgroup.group_size())
    for i in range(subgroup.group_size()):
        x[i] = block.inclusive_min(x[i], subgroup.group_size(), qd.f32)


# W32: {{^}}exclusive: up 6 barrier 1 bytes 32{{$}}
# W64: {{^}}exclusive: up 7 barrier 1 bytes 16{{$}}
@qd.kernel
def exclusive(x: F32):
    qd.loop_config(block_dim=256)
    for i in range(256):
        x[i] = block.exclusive_min(x[i], 256, qd.f32)


# W32: {{^}}generic: up 4 broadcast 1 barrier 1 bytes 32{{$}}
# W64: {{^}}generic: up 4 broadcast 3 barrier 1 bytes 16{{$}}
@qd.kernel
def generic(x: I32):
    qd.loop_config(block_dim=256)
    for i in range(256):
        x[i] = block.inclusive_scan(x[i], 256, affine, qd.i32)


# Two barriers and the block scan's; 8 KiB at most at 32 lanes and 12 KiB at 64, beside the
# caller's 2 KiB.
# W32: {{^}}radix: {{.*}}barrier 3 {{.*}}bytes {{([0-9][0-9][0-9][0-9]|10[0-2][0-9][0-9])$}}
# W64: {{^}}radix: {{.*}}barrier 3 {{.*}}bytes {{([0-9][0-9][0-9][0-9]|1[0-3][0-9][0-9][0-9])$}}
@qd.kernel
def radix(keys: U32, ranks: I32):
    qd.loop_config(block_dim=256)
    for i in range(256):
        bins = block.SharedArray((256,), qd.i32)
        excl = block.SharedArray((256,), qd.i32)
        ranks[i] = block.radix_rank_match_atomic_or(keys[i], 256, 8, 0, 8, bins, excl) + bins[i] + excl[i]
