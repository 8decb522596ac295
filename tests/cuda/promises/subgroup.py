# What subgroup operations take, counted in the PTX of kernels as users write them (count.awk
# tells what the words mean). None has a block barrier or touches shared memory.
# RUN: %count_75 | FileCheck %s --check-prefixes=CHECK,OLD
# RUN: %count_90 | FileCheck %s --check-prefixes=CHECK,NEW
import quadrants as qd
from quadrants.lang.simt import subgroup

I32 = qd.types.ndarray(dtype=qd.i32, ndim=1)
U32 = qd.types.ndarray(dtype=qd.u32, ndim=1)
I64 = qd.types.ndarray(dtype=qd.i64, ndim=1)
F32 = qd.types.ndarray(dtype=qd.f32, ndim=1)
F64 = qd.types.ndarray(dtype=qd.f64, ndim=1)


# A move each.
# CHECK: {{^}}moves: shfl 4{{$}}
@qd.kernel
def moves(x: F32, n: U32):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        a = subgroup.shuffle(x[i], n[i])
        b = subgroup.shuffle_down(a, n[i])
        c = subgroup.shuffle_up(b, n[i])
        x[i] = subgroup.shuffle_xor(c, n[i])


# 64 bits are two.
# CHECK: {{^}}moves_f64: shfl 2{{$}}
@qd.kernel
def moves_f64(x: F64, n: U32):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        x[i] = subgroup.shuffle(x[i], n[i])


# CHECK: {{^}}broadcasts: shfl 2{{$}}
@qd.kernel
def broadcasts(x: I32, n: U32):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        a = subgroup.broadcast(x[i], n[0])
        x[i] = subgroup.broadcast_first(a)


# Sizes are constants, and the lane is arithmetic.
# CHECK: {{^}}where:{{$}}
@qd.kernel
def where(x: I32):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        x[i] = subgroup.invocation_id() + subgroup.group_size() + subgroup.log2_group_size()


# CHECK: {{^}}elect:{{$}}
@qd.kernel
def elect(x: I32):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        x[i] = subgroup.elect()


# CHECK: {{^}}control: warp 1 fence 1{{$}}
@qd.kernel
def control(x: I32):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        x[i] = 1
        subgroup.sync()
        x[i] = 2
        subgroup.mem_fence()


# One ballot (small.py has what stands around it).
# CHECK: {{^}}ballots: vote 1{{$}}
@qd.kernel
def ballots(x: I32, out: U32):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        out[i] = subgroup.ballot_first_n(x[i], 32)


# CHECK: {{^}}ballot_some: vote 1{{$}}
@qd.kernel
def ballot_some(x: I32, out: U32):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        out[i] = subgroup.ballot_first_n(x[i], 7)


# CHECK: {{^}}all_true: vote 1{{$}}
@qd.kernel
def all_true(x: I32):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        x[i] = subgroup.all_true(x[i])


# CHECK: {{^}}any_true: vote 1{{$}}
@qd.kernel
def any_true(x: I32):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        x[i] = subgroup.any_true(x[i])


# CHECK: {{^}}all_true_5: vote 1{{$}}
@qd.kernel
def all_true_5(x: I32):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        x[i] = subgroup.all_true_tiled(x[i], 5)


# A tile's part of a ballot, where the page has three shuffles.
# CHECK: {{^}}any_true_3: vote 1{{$}}
@qd.kernel
def any_true_3(x: I32):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        x[i] = subgroup.any_true_tiled(x[i], 3)


# One shuffle and one vote, by the comparison of reals.
# CHECK: {{^}}all_equal: shfl 1 vote 1{{$}}
@qd.kernel
def all_equal(x: F32, out: I32):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        out[i] = subgroup.all_equal(x[i])


# Five pairs of shuffle and op.
# CHECK: {{^}}reduce_add: shfl 5 real 5{{$}}
@qd.kernel
def reduce_add(x: F32):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        x[i] = subgroup.reduce_add(x[i])


# CHECK: {{^}}reduce_all_add: shfl 5 real 5{{$}}
@qd.kernel
def reduce_all_add(x: F32):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        x[i] = subgroup.reduce_all_add(x[i])


# CHECK: {{^}}reduce_min: shfl 5 real 5{{$}}
@qd.kernel
def reduce_min(x: F32):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        x[i] = subgroup.reduce_min(x[i])


# CHECK: {{^}}reduce_all_min: shfl 5 real 5{{$}}
@qd.kernel
def reduce_all_min(x: F32):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        x[i] = subgroup.reduce_all_min(x[i])


# CHECK: {{^}}reduce_max: shfl 5 real 5{{$}}
@qd.kernel
def reduce_max(x: F32):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        x[i] = subgroup.reduce_max(x[i])


# CHECK: {{^}}reduce_all_max: shfl 5 real 5{{$}}
@qd.kernel
def reduce_all_max(x: F32):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        x[i] = subgroup.reduce_all_max(x[i])


# Three for a tile of eight.
# CHECK: {{^}}reduce_add_3: shfl 3 real 3{{$}}
@qd.kernel
def reduce_add_3(x: F32):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        x[i] = subgroup.reduce_add_tiled(x[i], 3)


# CHECK: {{^}}reduce_all_add_4: shfl 4 real 4{{$}}
@qd.kernel
def reduce_all_add_4(x: F32):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        x[i] = subgroup.reduce_all_add_tiled(x[i], 4)


# Two shuffles a step for 64 bits.
# CHECK: {{^}}reduce_f64: shfl 10 real 5{{$}}
@qd.kernel
def reduce_f64(x: F64):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        x[i] = subgroup.reduce_add(x[i])


# Integers of the whole warp are one instruction from sm_80 on.
# OLD: {{^}}reduce_i32: shfl 15{{$}}
# NEW: {{^}}reduce_i32: redux 3{{$}}
@qd.kernel
def reduce_i32(x: I32):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        x[i] = subgroup.reduce_add(x[i]) + subgroup.reduce_all_min(x[i]) + subgroup.reduce_max(x[i])


# OLD: {{^}}reduce_u32: shfl 15{{$}}
# NEW: {{^}}reduce_u32: redux 3{{$}}
@qd.kernel
def reduce_u32(x: U32):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        x[i] = subgroup.reduce_all_add(x[i]) + subgroup.reduce_min(x[i]) + subgroup.reduce_all_max(x[i])


# Those of tiles are not: a redux.sync a tile takes longer than the shuffles.
# CHECK: {{^}}reduce_i32_4: shfl 4{{$}}
@qd.kernel
def reduce_i32_4(x: I32):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        x[i] = subgroup.reduce_all_add_tiled(x[i], 4)


# Five pairs; the shuffle says itself which lanes have a source.
# CHECK: {{^}}inclusive_add: shfl 5 real 5{{$}}
@qd.kernel
def inclusive_add(x: F32):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        x[i] = subgroup.inclusive_add(x[i])


# CHECK: {{^}}inclusive_mul: shfl 5 real 5{{$}}
@qd.kernel
def inclusive_mul(x: F32):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        x[i] = subgroup.inclusive_mul(x[i])


# CHECK: {{^}}inclusive_min: shfl 5 real 5{{$}}
@qd.kernel
def inclusive_min(x: F32):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        x[i] = subgroup.inclusive_min(x[i])


# CHECK: {{^}}inclusive_max: shfl 5 real 5{{$}}
@qd.kernel
def inclusive_max(x: F32):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        x[i] = subgroup.inclusive_max(x[i])


# One shuffle more.
# CHECK: {{^}}exclusive_add: shfl 6 real 5{{$}}
@qd.kernel
def exclusive_add(x: F32):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        x[i] = subgroup.exclusive_add(x[i])


# CHECK: {{^}}exclusive_min_2: shfl 3 real 2{{$}}
@qd.kernel
def exclusive_min_2(x: F32):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        x[i] = subgroup.exclusive_min_tiled(x[i], 2)


# CHECK: {{^}}inclusive_xor: shfl 5{{$}}
@qd.kernel
def inclusive_xor(x: I32):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        x[i] = subgroup.inclusive_xor(x[i])


# One ballot and five pairs.
# CHECK: {{^}}segmented_add: shfl 5 vote 1 real 5{{$}}
@qd.kernel
def segmented_add(x: F32, heads: I32):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        x[i] = subgroup.segmented_reduce_add(x[i], heads[i])


# CHECK: {{^}}segmented_max_3: shfl 3 vote 1 real 3{{$}}
@qd.kernel
def segmented_max_3(x: F32, heads: I32):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        x[i] = subgroup.segmented_reduce_max_tiled(x[i], heads[i], 3)


# log2 * (log2 + 1) shuffles: half of them keys, half values.
# CHECK: {{^}}sort: shfl 30{{$}}
@qd.kernel
def sort(x: F32, v: I32):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        k, w = subgroup.bitonic_sort_kv(x[i], v[i])
        x[i] = k
        v[i] = w


# CHECK: {{^}}sort_3: shfl 12{{$}}
@qd.kernel
def sort_3(x: F32, v: I32):
    qd.loop_config(block_dim=128)
    for i in range(x.shape[0]):
        k, w = subgroup.bitonic_sort_kv_tiled(x[i], v[i], 3)
        x[i] = k
        v[i] = w
