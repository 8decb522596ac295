# What block operations take, counted in the code of kernels as users write them (count.awk
# tells what the words mean): one barrier, none if the block is one subgroup, no atomics.
# RUN: %count_gfx90a_wave64 | FileCheck %s --check-prefix=G9
# RUN: %count_gfx942_wave64 | FileCheck %s --check-prefix=G9
# RUN: %count_gfx1030_wave32 | FileCheck %s --check-prefix=W32
# RUN: %count_gfx1100_wave32 | FileCheck %s --check-prefix=W32
# RUN: %count_gfx1201_wave32 | FileCheck %s --check-prefix=W32
# RUN: %count_gfx1030_wave64 | FileCheck %s --check-prefix=G10W64
# RUN: %count_gfx1100_wave64 | FileCheck %s --check-prefix=G11W64
# RUN: %count_gfx1201_wave64 | FileCheck %s --check-prefix=G11W64
import quadrants as qd
from quadrants.lang.simt import block, subgroup


@qd.func
def affine(a, b):
    return a * 3 + b


# G9: {{^}}reduce_add: dpp 6 permlane 0 lane 1 crossbar 0 lds 3 global 0 cas 0 barrier 1 bytes 16{{$}}
# W32: {{^}}reduce_add: dpp 4 permlane 1 lane 0 crossbar 0 lds 5 global 0 cas 0 barrier 1 bytes 32{{$}}
# G10W64: {{^}}reduce_add: dpp 4 permlane 1 lane 2 crossbar 0 lds 3 global 0 cas 0 barrier 1 bytes 16{{$}}
# G11W64: {{^}}reduce_add: dpp 4 permlane 2 lane 0 crossbar 0 lds 3 global 0 cas 0 barrier 1 bytes 16{{$}}
@qd.kernel
def reduce_add(x: qd.types.ndarray(dtype=qd.f32, ndim=1)):
    qd.loop_config(block_dim=256)
    for i in range(x.shape[0]):
        x[i] = block.reduce_add(x[i], 256, qd.f32)


# G9: {{^}}reduce_add_one: dpp 6 permlane 0 lane 1 crossbar 0 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
# W32: {{^}}reduce_add_one: dpp 4 permlane 1 lane 0 crossbar 0 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
# G10W64: {{^}}reduce_add_one: dpp 4 permlane 1 lane 2 crossbar 0 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
# G11W64: {{^}}reduce_add_one: dpp 4 permlane 2 lane 0 crossbar 0 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
@qd.kernel
def reduce_add_one(x: qd.types.ndarray(dtype=qd.f32, ndim=1)):
    qd.loop_config(block_dim=subgroup.group_size())
    for i in range(x.shape[0]):
        x[i] = block.reduce_add(x[i], subgroup.group_size(), qd.f32)


# G9: {{^}}reduce_all_max: dpp 12 permlane 0 lane 2 crossbar 0 lds 3 global 0 cas 0 barrier 1 bytes 32{{$}}
# W32: {{^}}reduce_all_max: dpp 8 permlane 2 lane 0 crossbar 0 lds 5 global 0 cas 0 barrier 1 bytes 64{{$}}
# G10W64: {{^}}reduce_all_max: dpp 8 permlane 2 lane 4 crossbar 0 lds 3 global 0 cas 0 barrier 1 bytes 32{{$}}
# G11W64: {{^}}reduce_all_max: dpp 8 permlane 4 lane 0 crossbar 0 lds 3 global 0 cas 0 barrier 1 bytes 32{{$}}
@qd.kernel
def reduce_all_max(x: qd.types.ndarray(dtype=qd.f64, ndim=1)):
    qd.loop_config(block_dim=256)
    for i in range(x.shape[0]):
        x[i] = block.reduce_all_max(x[i], 256, qd.f64)


# G9: {{^}}inclusive_add: dpp 6 permlane 0 lane 0 crossbar 0 lds 2 global 0 cas 0 barrier 1 bytes 16{{$}}
# W32: {{^}}inclusive_add: dpp 5 permlane 1 lane 0 crossbar 0 lds 3 global 0 cas 0 barrier 1 bytes 32{{$}}
# G10W64: {{^}}inclusive_add: dpp 6 permlane 1 lane 1 crossbar 0 lds 2 global 0 cas 0 barrier 1 bytes 16{{$}}
# G11W64: {{^}}inclusive_add: dpp 6 permlane 1 lane 1 crossbar 0 lds 2 global 0 cas 0 barrier 1 bytes 16{{$}}
@qd.kernel
def inclusive_add(x: qd.types.ndarray(dtype=qd.i32, ndim=1)):
    qd.loop_config(block_dim=256)
    for i in range(x.shape[0]):
        x[i] = block.inclusive_add(x[i], 256, qd.i32)


# G9: {{^}}inclusive_add_one: dpp 6 permlane 0 lane 0 crossbar 0 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
# W32: {{^}}inclusive_add_one: dpp 5 permlane 1 lane 0 crossbar 0 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
# G10W64: {{^}}inclusive_add_one: dpp 6 permlane 1 lane 1 crossbar 0 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
# G11W64: {{^}}inclusive_add_one: dpp 6 permlane 1 lane 1 crossbar 0 lds 0 global 0 cas 0 barrier 0 bytes 0{{$}}
@qd.kernel
def inclusive_add_one(x: qd.types.ndarray(dtype=qd.i32, ndim=1)):
    qd.loop_config(block_dim=subgroup.group_size())
    for i in range(x.shape[0]):
        x[i] = block.inclusive_add(x[i], subgroup.group_size(), qd.i32)


# G9: {{^}}exclusive_min: dpp 7 permlane 0 lane 0 crossbar 0 lds 2 global 0 cas 0 barrier 1 bytes 16{{$}}
# W32: {{^}}exclusive_min: dpp 6 permlane 1 lane 0 crossbar 0 lds 3 global 0 cas 0 barrier 1 bytes 32{{$}}
# G10W64: {{^}}exclusive_min: dpp 7 permlane 1 lane 1 crossbar 0 lds 2 global 0 cas 0 barrier 1 bytes 16{{$}}
# G11W64: {{^}}exclusive_min: dpp 7 permlane 1 lane 1 crossbar 0 lds 2 global 0 cas 0 barrier 1 bytes 16{{$}}
@qd.kernel
def exclusive_min(x: qd.types.ndarray(dtype=qd.f32, ndim=1)):
    qd.loop_config(block_dim=256)
    for i in range(x.shape[0]):
        x[i] = block.exclusive_min(x[i], 256, qd.f32)


# G9: {{^}}scan_affine: dpp 4 permlane 0 lane 3 crossbar 0 lds 2 global 0 cas 0 barrier 1 bytes 16{{$}}
# W32: {{^}}scan_affine: dpp 4 permlane 0 lane 1 crossbar 0 lds 3 global 0 cas 0 barrier 1 bytes 32{{$}}
# G10W64: {{^}}scan_affine: dpp 4 permlane 0 lane 3 crossbar 0 lds 2 global 0 cas 0 barrier 1 bytes 16{{$}}
# G11W64: {{^}}scan_affine: dpp 4 permlane 0 lane 3 crossbar 0 lds 2 global 0 cas 0 barrier 1 bytes 16{{$}}
@qd.kernel
def scan_affine(x: qd.types.ndarray(dtype=qd.i32, ndim=1)):
    qd.loop_config(block_dim=256)
    for i in range(x.shape[0]):
        x[i] = block.inclusive_scan(x[i], 256, affine, qd.i32)


# G9: {{^}}count: dpp 0 permlane 0 lane 0 crossbar 0 lds 4 global 0 cas 0 barrier 2 bytes 12{{$}}
# W32: {{^}}count: dpp 0 permlane 0 lane 0 crossbar 0 lds 4 global 0 cas 0 barrier 2 bytes 12{{$}}
# G10W64: {{^}}count: dpp 0 permlane 0 lane 0 crossbar 0 lds 4 global 0 cas 0 barrier 2 bytes 12{{$}}
# G11W64: {{^}}count: dpp 0 permlane 0 lane 0 crossbar 0 lds 4 global 0 cas 0 barrier 2 bytes 12{{$}}
@qd.kernel
def count(x: qd.types.ndarray(dtype=qd.i32, ndim=1)):
    qd.loop_config(block_dim=256)
    for i in range(x.shape[0]):
        x[i] = block.sync_count_nonzero(x[i])


# Two barriers and the block scan's one; 12 KiB at most for 64 lanes, 8 KiB for 32, beside the
# caller's 2 KiB.
# G9: {{^}}radix: {{.*}} crossbar 0 lds {{.*}} global 0 cas 0 barrier 3 bytes {{([0-9]|1[0-3])[0-9][0-9][0-9]$}}
# W32: {{^}}radix: {{.*}} crossbar 0 lds {{.*}} global 0 cas 0 barrier 3 bytes {{([0-9]|10)[0-9][0-9][0-9]$}}
# G10W64: {{^}}radix: {{.*}} crossbar 0 lds {{.*}} global 0 cas 0 barrier 3 bytes {{([0-9]|1[0-3])[0-9][0-9][0-9]$}}
# G11W64: {{^}}radix: {{.*}} crossbar 0 lds {{.*}} global 0 cas 0 barrier 3 bytes {{([0-9]|1[0-3])[0-9][0-9][0-9]$}}
@qd.kernel
def radix(
    keys: qd.types.ndarray(dtype=qd.u32, ndim=1),
    ranks: qd.types.ndarray(dtype=qd.i32, ndim=1),
):
    qd.loop_config(block_dim=256)
    for i in range(keys.shape[0]):
        bins = block.SharedArray((256,), qd.i32)
        first = block.SharedArray((256,), qd.i32)
        rank = block.radix_rank_match_atomic_or(keys[i], 256, 8, 0, 8, bins, first)
        ranks[i] = rank + bins[i % 256] + first[i % 256]
