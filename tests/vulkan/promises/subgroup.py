# What subgroup operations take, counted in the code of kernels as users write them (count.awk
# tells what the words mean; what a line does not name, there is none of: no barrier, no shared
# memory, no atomics).
# RUN: %count_vulkan_wave32 | FileCheck %s --check-prefixes=ALL,W32,V32
# RUN: %count_vulkan_wave64 | FileCheck %s --check-prefixes=ALL,W64
# RUN: %count_metal | FileCheck %s --check-prefixes=ALL,W32,METAL
import quadrants as qd
from quadrants.lang.simt import subgroup

I32 = qd.types.ndarray(dtype=qd.i32, ndim=1)
U32 = qd.types.ndarray(dtype=qd.u32, ndim=1)
I64 = qd.types.ndarray(dtype=qd.i64, ndim=1)
U64 = qd.types.ndarray(dtype=qd.u64, ndim=1)
F32 = qd.types.ndarray(dtype=qd.f32, ndim=1)


# ALL: {{^}}moves: index 1 up 1 down 1 xor 1 broadcast 2{{$}}
@qd.kernel
def moves(x: F32, at: U32, out: F32):
    for i in range(x.shape[0]):
        a = subgroup.shuffle(x[i], at[i])
        b = subgroup.shuffle_down(a, qd.u32(3))
        c = subgroup.shuffle_up(b, qd.u32(4))
        d = subgroup.shuffle_xor(c, qd.u32(5))
        e = subgroup.broadcast(d, qd.u32(6))
        out[i] = subgroup.broadcast_first(e + x[i])


# ALL: {{^}}orders: sync 1 fence 1{{$}}
@qd.kernel
def orders(out: I32):
    for i in range(out.shape[0]):
        out[i] = 1
        subgroup.sync()
        out[i] = 2
        subgroup.mem_fence()
        out[i] = 3


# ALL: {{^}}ballots: ballot 1{{$}}
@qd.kernel
def ballots(x: I32, out: U64):
    for i in range(x.shape[0]):
        out[i] = subgroup.ballot(x[i])


# ALL: {{^}}first_32: ballot 1{{$}}
@qd.kernel
def first_32(x: I32, out: U32):
    for i in range(x.shape[0]):
        out[i] = subgroup.ballot_first_n(x[i], 32)


# ALL: {{^}}first_7: ballot 1{{$}}
@qd.kernel
def first_7(x: I32, out: U32):
    for i in range(x.shape[0]):
        out[i] = subgroup.ballot_first_n(x[i], 7)


# ALL: {{^}}votes: vote 2{{$}}
@qd.kernel
def votes(x: I32, out: I32):
    for i in range(x.shape[0]):
        out[i] = subgroup.all_true(x[i]) + subgroup.any_true(x[i] - 1)


# Of a tile: no shuffles at all.
# ALL: {{^}}tile_vote: ballot 1{{$}}
@qd.kernel
def tile_vote(x: I32, out: I32):
    for i in range(x.shape[0]):
        out[i] = subgroup.all_true_tiled(x[i], 3)


# ALL: {{^}}equal: broadcast 1 vote 1{{$}}
@qd.kernel
def equal(x: F32, out: I32):
    for i in range(x.shape[0]):
        out[i] = subgroup.all_equal(x[i])


# ALL: {{^}}tile_equal: index 1 ballot 1{{$}}
@qd.kernel
def tile_equal(x: F32, out: I32):
    for i in range(x.shape[0]):
        out[i] = subgroup.all_equal_tiled(x[i], 3)


# Whole reductions of 32-bit integers are the device's own (docs/decisions/0006).
# ALL: {{^}}reduce_i32: arith 2{{$}}
@qd.kernel
def reduce_i32(x: I32, out: I32):
    for i in range(x.shape[0]):
        out[i] = subgroup.reduce_add(x[i]) + subgroup.reduce_all_max(x[i])


# W32: {{^}}reduce_min: down 5{{$}}
# W64: {{^}}reduce_min: down 6{{$}}
@qd.kernel
def reduce_min(x: F32, out: F32):
    for i in range(x.shape[0]):
        out[i] = subgroup.reduce_min(x[i])


# W32: {{^}}reduce_all_min: xor 5{{$}}
# W64: {{^}}reduce_all_min: xor 6{{$}}
@qd.kernel
def reduce_all_min(x: F32, out: F32):
    for i in range(x.shape[0]):
        out[i] = subgroup.reduce_all_min(x[i])


# W32: {{^}}reduce_wide: xor 5{{$}}
# W64: {{^}}reduce_wide: xor 6{{$}}
@qd.kernel
def reduce_wide(x: I64, out: I64):
    for i in range(x.shape[0]):
        out[i] = subgroup.reduce_all_add(x[i])


# ALL: {{^}}reduce_tile: down 3{{$}}
@qd.kernel
def reduce_tile(x: I32, out: I32):
    for i in range(x.shape[0]):
        out[i] = subgroup.reduce_add_tiled(x[i], 3)


# Two scans. Metal has prefix sums.
# V32: {{^}}scan_i32: up 10{{$}}
# W64: {{^}}scan_i32: up 12{{$}}
# METAL: {{^}}scan_i32: up 6 arith 1{{$}}
@qd.kernel
def scan_i32(x: I32, out: I32):
    for i in range(x.shape[0]):
        out[i] = subgroup.inclusive_add(x[i]) + subgroup.exclusive_min(x[i])


# W32: {{^}}scan_min: up 5{{$}}
# W64: {{^}}scan_min: up 6{{$}}
@qd.kernel
def scan_min(x: F32, out: F32):
    for i in range(x.shape[0]):
        out[i] = subgroup.inclusive_min(x[i])


# W32: {{^}}scan_before: up 6{{$}}
# W64: {{^}}scan_before: up 7{{$}}
@qd.kernel
def scan_before(x: F32, out: F32):
    for i in range(x.shape[0]):
        out[i] = subgroup.exclusive_min(x[i])


# W32: {{^}}segments: up 4 broadcast 1 ballot 1{{$}}
# W64: {{^}}segments: up 4 broadcast 3 ballot 1{{$}}
@qd.kernel
def segments(x: F32, heads: I32, out: F32):
    for i in range(x.shape[0]):
        out[i] = subgroup.segmented_reduce_add(x[i], heads[i])


# log2 * (log2 + 1)
# W32: {{^}}sort: xor 30{{$}}
# W64: {{^}}sort: xor 42{{$}}
@qd.kernel
def sort(keys: F32, values: I32):
    for i in range(keys.shape[0]):
        k, v = subgroup.bitonic_sort_kv(keys[i], values[i])
        keys[i] = k
        values[i] = v
