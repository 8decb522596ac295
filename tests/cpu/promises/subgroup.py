# What operations on subgroups and blocks take on x86, where a subgroup of eight lanes is one
# vector of words (count.awk counts): permutations and operations in registers, no loop over
# lanes, no call.
# RUN: %count_x86-64-v3_wave8 'lock|call|vp?gather|v(add|max|min)[sp]|vperm|vp?shuf|vmovs[hl]dup|vextract|vinsert|vbroadcastss|vmovmskps|v?p?test|k.*test|kmov|vblend|vplzcnt' | FileCheck %s --check-prefixes=CHECK,V3
# RUN: %count_x86-64-v4_wave8 'lock|call|vp?gather|v(add|max|min)[sp]|vperm|vp?shuf|vmovs[hl]dup|vextract|vinsert|vbroadcastss|vmovmskps|v?p?test|k.*test|kmov|vblend|vplzcnt' | FileCheck %s --check-prefixes=CHECK,V4
import quadrants as qd
from quadrants.lang.simt import block, subgroup

I32 = qd.types.ndarray(dtype=qd.i32, ndim=1)
U32 = qd.types.ndarray(dtype=qd.u32, ndim=1)
F32 = qd.types.ndarray(dtype=qd.f32, ndim=1)
F64 = qd.types.ndarray(dtype=qd.f64, ndim=1)


# One permutation.
# CHECK: {{^}}shuffle_xor: 1 vpermilps{{$}}
@qd.kernel
def shuffle_xor(x: F32, n: U32):
    qd.loop_config(block_dim=8)
    for i in range(64):
        x[i] = subgroup.shuffle_xor(x[i], qd.u32(1))


# V3: {{^}}shuffle_any: 1 vbroadcastss, 1 vpermps{{$}}
# V4: {{^}}shuffle_any: 1 vbroadcastss, 2 vpermps{{$}}
@qd.kernel
def shuffle_any(x: F32, n: U32):
    qd.loop_config(block_dim=8)
    for i in range(64):
        x[i] = subgroup.shuffle(x[i], n[i])


# AVX2 permutes no 64 bits by variable lanes: a gather from the stack.
# V3: {{^}}shuffle_f64: 1 vextracti128, 2 vpgatherdq, stack{{$}}
# V4: {{^}}shuffle_f64: 1 vpermq{{$}}
@qd.kernel
def shuffle_f64(x: F64, n: U32):
    qd.loop_config(block_dim=8)
    for i in range(64):
        x[i] = subgroup.shuffle(x[i], n[i])


# CHECK: {{^}}broadcast: 1 vbroadcastss{{$}}
@qd.kernel
def broadcast(x: F32):
    qd.loop_config(block_dim=8)
    for i in range(64):
        x[i] = subgroup.broadcast(x[i], qd.u32(0))


# The signs of a comparison, or a mask register.
# V3: {{^}}ballot: 1 vmovmskps{{$}}
# V4: {{^}}ballot: 1 kmovb, 1 vptestmd{{$}}
@qd.kernel
def ballot(x: U32):
    qd.loop_config(block_dim=8)
    for i in range(64):
        x[i] = subgroup.ballot_first_n(x[i], 32)


# One test of the mask; no log2 steps.
# V3: {{^}}all_true: 1 vtestps{{$}}
# V4: {{^}}all_true: 1 kortestb, 1 vptestnmd{{$}}
@qd.kernel
def all_true(x: I32):
    qd.loop_config(block_dim=8)
    for i in range(64):
        x[i] = subgroup.all_true(x[i])


# CHECK: {{^}}any_true: 1 vptest{{$}}
@qd.kernel
def any_true(x: I32):
    qd.loop_config(block_dim=8)
    for i in range(64):
        x[i] = subgroup.any_true(x[i])


# V3: {{^}}any_true_2: 1 vextracti128, 1 vpshufb, 1 vpshufd{{$}}
# V4: {{^}}any_true_2: 2 vpshufd, 1 vptestmd{{$}}
@qd.kernel
def any_true_2(x: I32):
    qd.loop_config(block_dim=8)
    for i in range(64):
        x[i] = subgroup.any_true_tiled(x[i], 2)


# A tile's vote is log2 moves of its mask's lanes.
# V3: {{^}}all_true_2: 1 vextracti128, 1 vpshufb, 1 vpshufd{{$}}
# V4: {{^}}all_true_2: 2 vpshufd, 1 vptestnmd{{$}}
@qd.kernel
def all_true_2(x: I32):
    qd.loop_config(block_dim=8)
    for i in range(64):
        x[i] = subgroup.all_true_tiled(x[i], 2)


# V3: {{^}}any_true_1: 1 vextracti128, 1 vpshufb{{$}}
# V4: {{^}}any_true_1: 1 vpshufd, 1 vptestmd{{$}}
@qd.kernel
def any_true_1(x: I32):
    qd.loop_config(block_dim=8)
    for i in range(64):
        x[i] = subgroup.any_true_tiled(x[i], 1)


# V3: {{^}}all_equal: 1 vbroadcastss, 1 vtestps{{$}}
# V4: {{^}}all_equal: 1 kortestb, 1 vbroadcastss{{$}}
@qd.kernel
def all_equal(x: F32, out: I32):
    qd.loop_config(block_dim=8)
    for i in range(64):
        out[i] = subgroup.all_equal(x[i])


# V3: {{^}}all_equal_2: 1 vextractf128, 1 vpshufb, 1 vpshufd, 1 vshufps{{$}}
# V4: {{^}}all_equal_2: 2 vpshufd, 1 vshufps{{$}}
@qd.kernel
def all_equal_2(x: F32, out: I32):
    qd.loop_config(block_dim=8)
    for i in range(64):
        out[i] = subgroup.all_equal_tiled(x[i], 2)


# Three additions for eight lanes, two for four.
# CHECK: {{^}}reduce: 2 vaddps, 1 vaddss, 1 vbroadcastss, 1 vmovshdup, 1 vshufpd{{$}}
@qd.kernel
def reduce(x: F32):
    qd.loop_config(block_dim=8)
    for i in range(64):
        x[i] = subgroup.reduce_add(x[i])


# CHECK: {{^}}reduce_all: 2 vaddps, 1 vaddss, 1 vbroadcastss, 1 vmovshdup, 1 vshufpd{{$}}
@qd.kernel
def reduce_all(x: F32):
    qd.loop_config(block_dim=8)
    for i in range(64):
        x[i] = subgroup.reduce_all_add(x[i])


# CHECK: {{^}}reduce_all_2: 2 vaddps, 1 vshufpd, 1 vshufps{{$}}
@qd.kernel
def reduce_all_2(x: F32):
    qd.loop_config(block_dim=8)
    for i in range(64):
        x[i] = subgroup.reduce_all_add_tiled(x[i], 2)


# V3: {{^}}reduce_max: 3 vblendvps, 1 vbroadcastss, 2 vmaxps, 1 vmaxss, 1 vmovshdup, 1 vshufpd{{$}}
# V4: {{^}}reduce_max: 1 vbroadcastss, 2 vmaxps, 1 vmaxss, 1 vmovshdup, 1 vshufpd{{$}}
@qd.kernel
def reduce_max(x: F32):
    qd.loop_config(block_dim=8)
    for i in range(64):
        x[i] = subgroup.reduce_max(x[i])


# Three additions, and a move more for the exclusive scan.
# V3: {{^}}inclusive: 3 vaddps, 1 vblendps, 1 vbroadcastss, 2 vinsertf128, 1 vpermps, 1 vshufpd{{$}}
# V4: {{^}}inclusive: 3 vaddps, 1 vbroadcastss, 1 vinsertf128, 1 vpermt2pd, 1 vpermt2ps{{$}}
@qd.kernel
def inclusive(x: F32):
    qd.loop_config(block_dim=8)
    for i in range(64):
        x[i] = subgroup.inclusive_add(x[i])


# V3: {{^}}exclusive: 3 vaddps, 2 vblendps, 1 vbroadcastss, 2 vinsertf128, 2 vpermps, 1 vshufpd{{$}}
# V4: {{^}}exclusive: 1 kmovd, 3 vaddps, 1 vbroadcastss, 1 vinsertf128, 1 vpermt2pd, 1 vpermt2ps{{$}}
@qd.kernel
def exclusive(x: F32):
    qd.loop_config(block_dim=8)
    for i in range(64):
        x[i] = subgroup.exclusive_add(x[i])


# The head's lane is counted leading zeros, on AVX2 by two tables of half bytes (vpshufb).
# V3: {{^}}segmented: 3 vaddps, 3 vblendvps, 1 vmovmskps, 2 vpermpd, 1 vpermps, 2 vpshufb{{$}}
# V4: {{^}}segmented: 1 kmovd, 3 vaddps, 2 vpermpd, 1 vpermps, 1 vplzcntd, 1 vptestmd{{$}}
@qd.kernel
def segmented(x: F32, heads: I32):
    qd.loop_config(block_dim=8)
    for i in range(64):
        x[i] = subgroup.segmented_reduce_add(x[i], heads[i])


# Two minima, which see to NaN, for a tile of four.
# V3: {{^}}segmented_min_2: 4 vblendvps, 2 vminps, 1 vmovmskps, 1 vpermpd, 1 vpermps, 2 vpshufb{{$}}
# V4: {{^}}segmented_min_2: 1 kmovd, 2 vminps, 1 vpermpd, 1 vpermps, 1 vplzcntd, 1 vptestmd{{$}}
@qd.kernel
def segmented_min_2(x: F32, heads: I32):
    qd.loop_config(block_dim=8)
    for i in range(64):
        x[i] = subgroup.segmented_reduce_min_tiled(x[i], heads[i], 2)


# log2 * (log2 + 1) permutations in registers: half of them keys, half values.
# V3: {{^}}sort: 12 vblendvps, 13 vextractf128, 1 vextracti128, 2 vpermpd, 1 vpshufd, 2 vshufpd, 7 vshufps{{$}}
# V4: {{^}}sort: 1 vpermpd, 1 vpermq, 5 vpshufd, 2 vshufpd, 3 vshufps{{$}}
@qd.kernel
def sort(x: F32, v: I32):
    qd.loop_config(block_dim=8)
    for i in range(64):
        k, w = subgroup.bitonic_sort_kv(x[i], v[i])
        x[i] = k
        v[i] = w


# V3: {{^}}sort_2: 6 vblendvps, 6 vextractf128, 1 vpshufd, 1 vshufpd, 4 vshufps{{$}}
# V4: {{^}}sort_2: 3 vpshufd, 1 vshufpd, 2 vshufps{{$}}
@qd.kernel
def sort_2(x: F32, v: I32):
    qd.loop_config(block_dim=8)
    for i in range(64):
        k, w = subgroup.bitonic_sort_kv_tiled(x[i], v[i], 2)
        x[i] = k
        v[i] = w


# Barriers are nothing: lanes run in step, a block on one thread.
# CHECK: {{^}}control: 3 vbroadcastss{{$}}
@qd.kernel
def control(x: I32):
    qd.loop_config(block_dim=8)
    for i in range(64):
        x[i] = 1
        subgroup.sync()
        x[i] = 2
        subgroup.mem_fence()
        x[i + 64] = 1
        block.sync()
        x[i + 128] = 3


# Two subgroups: three additions each, and the first thread's.
# CHECK: {{^}}block_reduce: 4 vaddps, 3 vaddss, 1 vblendps, 3 vbroadcastss, 2 vmovshdup, 2 vshufpd, bytes 8{{$}}
@qd.kernel
def block_reduce(x: F32):
    qd.loop_config(block_dim=16)
    for i in range(64):
        x[i] = block.reduce_add(x[i], 16, qd.f32)
