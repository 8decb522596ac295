# Operations that are a few instructions, an instruction with its scope, or a known loop.
# RUN: %show_vulkan_wave32 %s | FileCheck %s --check-prefixes=CHECK,W32
# RUN: %show_vulkan_wave64 %s | FileCheck %s --check-prefixes=CHECK,W64
import quadrants as qd
from quadrants.lang.simt import block, grid, subgroup

I32 = qd.types.ndarray(dtype=qd.i32, ndim=1)
U32 = qd.types.ndarray(dtype=qd.u32, ndim=1)
I64 = qd.types.ndarray(dtype=qd.i64, ndim=1)
U64 = qd.types.ndarray(dtype=qd.u64, ndim=1)
F16 = qd.types.ndarray(dtype=qd.f16, ndim=1)
F32 = qd.types.ndarray(dtype=qd.f32, ndim=1)
F64 = qd.types.ndarray(dtype=qd.f64, ndim=1)


# 64 bits move as a pair of words by one instruction.
# CHECK-LABEL: "wide_moves_t0"
# CHECK: OpGroupNonUniformShuffleXor %v2uint %uint_3
# CHECK: OpGroupNonUniformShuffleDown %v2uint %uint_3
# CHECK-NOT: GroupNonUniformShuffle
@qd.kernel
def wide_moves(x: F64, y: I64, out: F64):
    for i in range(x.shape[0]):
        moved = subgroup.shuffle_xor(y[i], qd.u32(1))
        out[i] = subgroup.shuffle_down(x[i], qd.u32(3)) + qd.cast(moved, qd.f64)


# A lane is an input, the size a constant; elect is a comparison.
# CHECK-LABEL: "identity_t0"
# CHECK: OpFunction
# CHECK: %[[LANE:.*]] = OpLoad %uint %SubgroupLocalInvocationId
# W32: OpIMul %uint %{{.*}} %uint_32
# W64: OpIMul %uint %{{.*}} %uint_64
# CHECK: OpIEqual %bool %{{.*}} %uint_0
# CHECK-NOT: GroupNonUniform
# CHECK: OpFunctionEnd
@qd.kernel
def identity(out: I32):
    for i in range(out.shape[0]):
        out[i] = subgroup.invocation_id() * subgroup.group_size() + subgroup.elect()


# Components 0 and 1 of one ballot.
# CHECK-LABEL: "ballots_t0"
# CHECK: %[[WORDS:.*]] = OpGroupNonUniformBallot %v4uint %uint_3
# W32-NEXT: OpCompositeExtract %uint %[[WORDS]] 0
# W32-NEXT: OpUConvert %ulong
# W64-NEXT: OpVectorShuffle %v2uint %[[WORDS]] %[[WORDS]] 0 1
# W64-NEXT: OpBitcast %ulong
@qd.kernel
def ballots(x: I32, out: U64):
    for i in range(x.shape[0]):
        out[i] = subgroup.ballot(x[i])


# CHECK-LABEL: "first_32_t0"
# CHECK: %[[P:.*]] = OpINotEqual %bool %{{.*}} %uint_0
# CHECK-NEXT: %[[WORDS:.*]] = OpGroupNonUniformBallot %v4uint %uint_3 %[[P]]
# CHECK-NEXT: OpCompositeExtract %uint %[[WORDS]] 0
@qd.kernel
def first_32(x: I32, out: U32):
    for i in range(x.shape[0]):
        out[i] = subgroup.ballot_first_n(x[i], 32)


# CHECK-LABEL: "first_7_t0"
# CHECK: OpSLessThan %bool %{{.*}} %uint_7
# CHECK-NEXT: %[[P:.*]] = OpLogicalAnd %bool
# CHECK-NEXT: OpGroupNonUniformBallot %v4uint %uint_3 %[[P]]
@qd.kernel
def first_7(x: I32, out: U32):
    for i in range(x.shape[0]):
        out[i] = subgroup.ballot_first_n(x[i], 7)


# Reals are compared as such: NaN does not equal a NaN, zeros of both signs are equal.
# CHECK-LABEL: "equal_t0"
# CHECK: OpGroupNonUniformBroadcast %float %uint_3 %{{.*}} %uint_0
# CHECK-NEXT: OpFOrdEqual %bool
# CHECK-NEXT: OpGroupNonUniformAll %bool %uint_3
@qd.kernel
def equal(x: F32, out: I32):
    for i in range(x.shape[0]):
        out[i] = subgroup.all_equal(x[i])


# One search for the highest bit.
# CHECK-LABEL: "segments_t0"
# CHECK: OpGroupNonUniformBallot
# CHECK: FindUMsb
# CHECK-NOT: FindUMsb
@qd.kernel
def segments(x: F32, heads: I32, out: F32):
    for i in range(x.shape[0]):
        out[i] = subgroup.segmented_reduce_add_tiled(x[i], heads[i], 5)


# Arithmetic on the lane: nothing is asked of other lanes.
# CHECK-LABEL: "masks_t0"
# CHECK: OpFunction
# CHECK-NOT: GroupNonUniform
# CHECK-COUNT-5: OpShiftLeftLogical
# CHECK-NOT: {{GroupNonUniform|OpShift}}
# CHECK: OpFunctionEnd
@qd.kernel
def masks(lanes: U32, lt: U32, le: U32, eq: U32, gt: U32, ge: U32):
    qd.loop_config(block_dim=64)
    for i in range(64):
        lt[i] = subgroup.lanemask_lt(lanes[i])
        le[i] = subgroup.lanemask_le(lanes[i])
        eq[i] = subgroup.lanemask_eq(lanes[i])
        gt[i] = subgroup.lanemask_gt(lanes[i])
        ge[i] = subgroup.lanemask_ge(lanes[i])


# Scopes: 3 the subgroup, 2 the block, 1 the device. Acquire and release, of buffers and shared
# memory: 0x8 | 0x40 | 0x100.
# CHECK-LABEL: "orders_t0"
# CHECK: OpControlBarrier %uint_3 %uint_3 %uint_328
# CHECK: OpMemoryBarrier %uint_3 %uint_328
# CHECK: OpControlBarrier %uint_2 %uint_2 %uint_328
# CHECK: OpMemoryBarrier %uint_2 %uint_328
# CHECK: OpMemoryBarrier %uint_1 %uint_328
@qd.kernel
def orders(out: I32):
    qd.loop_config(block_dim=64)
    for i in range(64):
        out[i] = 1
        subgroup.sync()
        out[i] = 2
        subgroup.mem_fence()
        out[i] = 3
        block.sync()
        out[i] = 4
        block.mem_fence()
        out[i] = 5
        grid.mem_fence()
        out[i] = 6


# CHECK-LABEL: "thread_t0"
# CHECK: OpFunction
# CHECK: OpLoad %uint %gl_LocalInvocationIndex
# CHECK-NOT: OpGroup
# CHECK: OpFunctionEnd
@qd.kernel
def thread(out: I32):
    qd.loop_config(block_dim=64)
    for i in range(64):
        out[i] = block.thread_idx()


# One instruction each, of the device, or of the block on shared memory; a product is a loop.
# CHECK-LABEL: "integers_t0"
# CHECK: OpAtomicIAdd %uint %{{.*}} %uint_1 %uint_0
# CHECK: OpAtomicIAdd %uint %{{.*}} %uint_1 %uint_0
# CHECK: OpAtomicSMin %uint %{{.*}} %uint_1 %uint_0
# CHECK: OpAtomicSMax %uint %{{.*}} %uint_1 %uint_0
# CHECK: OpAtomicAnd %uint %{{.*}} %uint_1 %uint_0
# CHECK: OpAtomicOr %uint %{{.*}} %uint_1 %uint_0
# CHECK: OpAtomicXor %uint %{{.*}} %uint_1 %uint_0
# CHECK: OpAtomicExchange %uint %{{.*}} %uint_1 %uint_0
# CHECK: OpAtomicCompareExchange %uint %{{.*}} %uint_1 %uint_0 %uint_0
# CHECK-NOT: OpLoopMerge
# CHECK: OpAtomicIAdd %uint %{{.*}} %uint_2 %uint_0
# CHECK: OpAtomicCompareExchange %uint %{{.*}} %uint_2 %uint_0 %uint_0
# CHECK: OpLoopMerge
# CHECK: OpIMul
# CHECK: OpAtomicCompareExchange %uint
@qd.kernel
def integers(x: I32):
    qd.loop_config(block_dim=64)
    for i in range(64):
        cells = block.SharedArray((4,), qd.i32)
        qd.atomic_add(x[0], i)
        qd.atomic_sub(x[1], i)
        qd.atomic_min(x[2], i)
        qd.atomic_max(x[3], i)
        qd.atomic_and(x[4], i)
        qd.atomic_or(x[5], i)
        qd.atomic_xor(x[6], i)
        qd.atomic_exchange(x[7], i)
        qd.atomic_cas(x[8], i, 7)
        qd.atomic_add(cells[0], i)
        qd.atomic_cas(cells[1], i, 7)
        qd.atomic_mul(x[9], i)


# CHECK-LABEL: "wide_integers_t0"
# CHECK-DAG: OpAtomicIAdd %ulong %{{.*}} %uint_1 %uint_0
# CHECK-DAG: OpAtomicUMin %ulong %{{.*}} %uint_1 %uint_0
# CHECK-DAG: OpAtomicOr %ulong %{{.*}} %uint_2 %uint_0
# CHECK-NOT: OpLoopMerge
@qd.kernel
def wide_integers(x: U64):
    qd.loop_config(block_dim=64)
    for i in range(64):
        cells = block.SharedArray((4,), qd.u64)
        qd.atomic_add(x[0], qd.u64(i))
        qd.atomic_min(x[1], qd.u64(i))
        qd.atomic_or(cells[0], qd.u64(i))


# Exchanges of reals are those of their bits; a half's is a loop on its word, but for shared
# memory, where it has a word of its own.
# CHECK-LABEL: "exchanges_t0"
# CHECK: OpAtomicExchange %uint %{{.*}} %uint_1 %uint_0
# CHECK: OpAtomicExchange %ulong %{{.*}} %uint_1 %uint_0
# CHECK: OpAtomicExchange %uint %{{.*}} %uint_2 %uint_0
# CHECK: OpAtomicExchange %ulong %{{.*}} %uint_2 %uint_0
# CHECK-NOT: OpLoopMerge
# CHECK: OpAtomicExchange %uint %{{.*}} %uint_2 %uint_0
# CHECK: OpLoopMerge
# CHECK: OpAtomicCompareExchange %uint %{{.*}} %uint_1
@qd.kernel
def exchanges(a: F32, b: F64, c: F16, x: F32, y: F64, z: F16):
    qd.loop_config(block_dim=64)
    for i in range(64):
        floats = block.SharedArray((4,), qd.f32)
        doubles = block.SharedArray((4,), qd.f64)
        halves = block.SharedArray((4,), qd.f16)
        qd.atomic_exchange(a[0], x[i])
        qd.atomic_exchange(b[0], y[i])
        qd.atomic_exchange(floats[0], x[i])
        qd.atomic_exchange(doubles[0], y[i])
        qd.atomic_exchange(halves[0], z[i])
        qd.atomic_exchange(c[0], z[i])


# CHECK-LABEL: "waits_t0"
# CHECK: OpMemberDecorate %{{.*}} 0 Volatile
# CHECK: OpLoopMerge
# CHECK: OpLoad %uint %{{.*}} Volatile
# CHECK: OpBranchConditional
@qd.kernel
def waits(flags: I32):
    qd.loop_config(block_dim=64)
    for i in range(64):
        while qd.volatile_load(flags[i + 64]) == 0:
            pass
        flags[i] = 1


# A distance or mask that may differ between lanes: one shuffle by the lane's number.
# CHECK-LABEL: "own_distances_t0"
# CHECK: OpBitwiseXor %uint
# CHECK: OpGroupNonUniformShuffle %float %uint_3
# CHECK: OpISub %uint
# CHECK: OpGroupNonUniformShuffle %float %uint_3
# CHECK: OpIAdd %uint
# CHECK: OpGroupNonUniformShuffle %float %uint_3
# CHECK-NOT: GroupNonUniformShuffle{{[UDX]}}
@qd.kernel
def own_distances(x: F32, by: U32):
    qd.loop_config(block_dim=64)
    for i in range(64):
        a = subgroup.shuffle_xor(x[i], by[i])
        b = subgroup.shuffle_up(a, by[i])
        x[i] = subgroup.shuffle_down(b, by[i])
