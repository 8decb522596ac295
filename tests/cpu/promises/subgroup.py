# What operations on subgroups and blocks take on x86, where a subgroup of eight lanes is one
# vector of words (count.awk counts): permutations and operations in registers, no loop over
# lanes, no call.
# RUN: %count_x86-64-v3_wave8 'lock|call|vp?gather|v(add|max)[sp]|vperm|vshuf|vmovs[hl]dup|vextract|vinsert|vbroadcastss|vmovmskps|v?p?test|k.*test|kmov|vptest|vblend' | FileCheck %s --check-prefixes=CHECK,V3
# RUN: %count_x86-64-v4_wave8 'lock|call|vp?gather|v(add|max)[sp]|vperm|vshuf|vmovs[hl]dup|vextract|vinsert|vbroadcastss|vmovmskps|v?p?test|k.*test|kmov|vptest|vblend' | FileCheck %s --check-prefixes=CHECK,V4
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
# V3: {{^}}shuffle_f64: 1 vextracti128, 2 vpgatherdq{{$}}
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


# V3: {{^}}any_true_2: 1 vextracti128{{$}}
# V4: {{^}}any_true_2: 1 vptestmd{{$}}
@qd.kernel
def any_true_2(x: I32):
    qd.loop_config(block_dim=8)
    for i in range(64):
        x[i] = subgroup.any_true_tiled(x[i], 2)


# V3: {{^}}all_equal: 1 vbroadcastss, 1 vtestps{{$}}
# V4: {{^}}all_equal: 1 kortestb, 1 vbroadcastss{{$}}
@qd.kernel
def all_equal(x: F32, out: I32):
    qd.loop_config(block_dim=8)
    for i in range(64):
        out[i] = subgroup.all_equal(x[i])


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


# V3: {{^}}segmented: 3 vaddps, 3 vblendvps, 1 vmovmskps, 2 vpermpd, 1 vpermps{{$}}
# V4: {{^}}segmented: 1 kmovd, 3 vaddps, 2 vpermpd, 1 vpermps, 1 vptestmd{{$}}
@qd.kernel
def segmented(x: F32, heads: I32):
    qd.loop_config(block_dim=8)
    for i in range(64):
        x[i] = subgroup.segmented_reduce_add(x[i], heads[i])


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
# CHECK: {{^}}block_reduce: 4 vaddps, 3 vaddss, 1 vblendps, 3 vbroadcastss, 2 vmovshdup, 2 vshufpd{{$}}
@qd.kernel
def block_reduce(x: F32):
    qd.loop_config(block_dim=16)
    for i in range(64):
        x[i] = block.reduce_add(x[i], 16, qd.f32)
