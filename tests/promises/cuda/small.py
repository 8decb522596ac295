# Operations that are a few instructions: what they are, and that there is nothing else.
# RUN: %show_cuda_75 %s | FileCheck %s
# RUN: %show_cuda_90 %s | FileCheck %s
import quadrants as qd
from quadrants.lang.simt import block, grid, subgroup

I32 = qd.types.ndarray(dtype=qd.i32, ndim=1)
U32 = qd.types.ndarray(dtype=qd.u32, ndim=1)


# Sizes of the subgroup are constants: nothing is asked at run time.
# CHECK-LABEL: .entry sizes_t0(
# CHECK-NOT: {{warpsize|laneid}}
# CHECK: mov.b32 [[S:%r[0-9]+]], 37;
# CHECK: st.global.u32 [{{.*}}], [[S]];
# CHECK: ret;
@qd.kernel
def sizes(x: I32):
    qd.loop_config(block_dim=128)
    for i in range(128):
        x[i] = subgroup.group_size() + subgroup.log2_group_size()


# CHECK-LABEL: .entry lane_t0(
# CHECK: mov.u32 [[T:%r[0-9]+]], %tid.x;
# CHECK: and.b32 [[L:%r[0-9]+]], [[T]], 31;
# CHECK: st.global.u32 [{{.*}}], [[L]];
# CHECK: ret;
@qd.kernel
def lane(x: I32):
    qd.loop_config(block_dim=128)
    for i in range(128):
        x[i] = subgroup.invocation_id()


# CHECK-LABEL: .entry elect_t0(
# CHECK: and.b32 [[L:%r[0-9]+]], {{.*}}, 31;
# CHECK: setp.eq.s32 [[P:%p[0-9]+]], [[L]], 0;
# CHECK: selp.u32 [[E:%r[0-9]+]], 1, 0, [[P]];
# CHECK: st.global.u32 [{{.*}}], [[E]];
# CHECK: ret;
@qd.kernel
def elect(x: I32):
    qd.loop_config(block_dim=128)
    for i in range(128):
        x[i] = subgroup.elect()


# CHECK-LABEL: .entry thread_t0(
# CHECK: mov.u32 [[T:%r[0-9]+]], %tid.x;
# CHECK: st.global.u32 [{{.*}}], [[T]];
# CHECK: ret;
@qd.kernel
def thread(x: I32):
    qd.loop_config(block_dim=128)
    for i in range(128):
        x[i] = block.thread_idx()


# The predicate itself goes into the ballot, and what comes out is stored.
# CHECK-LABEL: .entry ballot_32_t0(
# CHECK: ld.global.u32 [[V:%r[0-9]+]]
# CHECK-NEXT: setp.ne.s32 [[P:%p[0-9]+]], [[V]], 0;
# CHECK-NEXT: vote.sync.ballot.b32 [[B:%r[0-9]+]], [[P]], -1;
# CHECK-NEXT: st.global.u32 [{{.*}}], [[B]];
# CHECK: ret;
@qd.kernel
def ballot_32(x: U32):
    qd.loop_config(block_dim=128)
    for i in range(128):
        x[i] = subgroup.ballot_first_n(x[i], 32)


# Fewer lanes: one comparison and one `and` before it, nothing after it.
# CHECK-LABEL: .entry ballot_7_t0(
# CHECK: setp.ne.s32
# CHECK: setp.lt.u32 {{.*}}, 7;
# CHECK: and.pred [[P:%p[0-9]+]]
# CHECK: vote.sync.ballot.b32 [[B:%r[0-9]+]], [[P]], -1;
# CHECK-NEXT: st.global.u32 [{{.*}}], [[B]];
# CHECK: ret;
@qd.kernel
def ballot_7(x: U32):
    qd.loop_config(block_dim=128)
    for i in range(128):
        x[i] = subgroup.ballot_first_n(x[i], 7)


# 64 bits of which the upper half is zero.
# CHECK-LABEL: .entry ballot_t0(
# CHECK: vote.sync.ballot.b32 [[B:%r[0-9]+]], {{.*}}, -1;
# CHECK-NEXT: cvt.u64.u32 [[W:%rd[0-9]+]], [[B]];
# CHECK-NOT: {{(or|shl)\.b64}}
# CHECK: st.global.u64 [{{.*}}], [[W]];
# CHECK: ret;
@qd.kernel
def ballot(x: qd.types.ndarray(dtype=qd.u64, ndim=1)):
    qd.loop_config(block_dim=128)
    for i in range(128):
        x[i] = subgroup.ballot(i > 5)


# CHECK-LABEL: .entry votes_t0(
# CHECK: vote.sync.all.pred
# CHECK-NOT: vote
# CHECK: vote.sync.any.pred
# CHECK-NOT: {{vote|shfl}}
# CHECK: ret;
@qd.kernel
def votes(x: I32):
    qd.loop_config(block_dim=128)
    for i in range(128):
        all = subgroup.all_true(x[i])
        x[i] = all + 2 * subgroup.any_true(x[i])


# The value of the first lane, compared as a real: NaN is not equal to itself.
# CHECK-LABEL: .entry same_t0(
# CHECK: shfl.sync.idx.b32 [[F:%r[0-9]+]]{{.*}}, 0, 31, -1;
# CHECK: mov.b32 [[R:%f[0-9]+]], [[F]];
# CHECK: setp.eq.f32 [[P:%p[0-9]+]], {{.*}}[[R]]
# CHECK: vote.sync.all.pred {{.*}}, [[P]], -1;
# CHECK-NOT: {{match|shfl|vote}}
# CHECK: ret;
@qd.kernel
def same(x: qd.types.ndarray(dtype=qd.f32, ndim=1), out: I32):
    qd.loop_config(block_dim=128)
    for i in range(128):
        out[i] = subgroup.all_equal(x[i])


# One count of leading zeros finds the head of a segment.
# CHECK-LABEL: .entry segments_t0(
# CHECK: vote.sync.ballot
# CHECK: clz.b32
# CHECK-NOT: {{clz|vote}}
# CHECK: ret;
@qd.kernel
def segments(x: I32):
    qd.loop_config(block_dim=128)
    for i in range(128):
        x[i] = subgroup.segmented_reduce_add(x[i], x[i] & 1)


# Masks of lanes: two or three operations, that keeps the shift within the word among them, and
# no constant counted.
# CHECK-LABEL: .entry mask_eq_t0(
# CHECK: ld.global.u32 [[L:%r[0-9]+]]
# CHECK-NEXT: and.b32 [[A:%r[0-9]+]], [[L]], 31;
# CHECK-NEXT: mov.b32 [[ONE:%r[0-9]+]], 1;
# CHECK-NEXT: shl.b32 [[M:%r[0-9]+]], [[ONE]], [[A]];
# CHECK-NEXT: st.global.u32 [{{.*}}], [[M]];
@qd.kernel
def mask_eq(x: U32):
    qd.loop_config(block_dim=128)
    for i in range(128):
        x[i] = subgroup.lanemask_eq(x[i])


# CHECK-LABEL: .entry mask_lt_t0(
# CHECK: ld.global.u32
# CHECK-NEXT: and.b32
# CHECK-NEXT: mov.b32 {{.*}}, -1;
# CHECK-NEXT: shl.b32
# CHECK-NEXT: not.b32
# CHECK-NEXT: st.global.u32
@qd.kernel
def mask_lt(x: U32):
    qd.loop_config(block_dim=128)
    for i in range(128):
        x[i] = subgroup.lanemask_lt(x[i])


# CHECK-LABEL: .entry mask_le_t0(
# CHECK: ld.global.u32
# CHECK-NEXT: and.b32
# CHECK-NEXT: mov.b32 {{.*}}, -2;
# CHECK-NEXT: shl.b32
# CHECK-NEXT: not.b32
# CHECK-NEXT: st.global.u32
@qd.kernel
def mask_le(x: U32):
    qd.loop_config(block_dim=128)
    for i in range(128):
        x[i] = subgroup.lanemask_le(x[i])


# CHECK-LABEL: .entry mask_gt_t0(
# CHECK: ld.global.u32
# CHECK-NEXT: and.b32
# CHECK-NEXT: mov.b32 {{.*}}, -2;
# CHECK-NEXT: shl.b32
# CHECK-NEXT: st.global.u32
@qd.kernel
def mask_gt(x: U32):
    qd.loop_config(block_dim=128)
    for i in range(128):
        x[i] = subgroup.lanemask_gt(x[i])


# CHECK-LABEL: .entry mask_ge_t0(
# CHECK: ld.global.u32
# CHECK-NEXT: and.b32
# CHECK-NEXT: mov.b32 {{.*}}, -1;
# CHECK-NEXT: shl.b32
# CHECK-NEXT: st.global.u32
@qd.kernel
def mask_ge(x: U32):
    qd.loop_config(block_dim=128)
    for i in range(128):
        x[i] = subgroup.lanemask_ge(x[i])


# Fences of the subgroup and of the block are a block's, that of the grid the device's; none
# is a barrier.
# CHECK-LABEL: .entry fences_t0(
# CHECK: membar.cta;
# CHECK: membar.cta;
# CHECK: membar.gl;
# CHECK-NOT: {{membar|bar\.}}
# CHECK: ret;
@qd.kernel
def fences(x: I32):
    qd.loop_config(block_dim=128)
    for i in range(128):
        x[i] = 1
        subgroup.mem_fence()
        x[i] = 2
        block.mem_fence()
        x[i] = 3
        grid.mem_fence()
        x[i] = 4


# CHECK-LABEL: .entry waits_t0(
# CHECK: ld.volatile.global.u32
# CHECK: ld.volatile.global.u32
# CHECK-NOT: ld.
# CHECK: ret;
@qd.kernel
def waits(x: I32):
    qd.loop_config(block_dim=128)
    for i in range(128):
        x[i + 128] = qd.volatile_load(x[i]) + qd.volatile_load(x[i])


# Device scope, which is what no scope means.
# CHECK-LABEL: .entry scope_t0(
# CHECK: atom.global.add.u32
# CHECK-NOT: {{atom.*(sys|cta)|membar}}
# CHECK: ret;
@qd.kernel
def scope(x: I32):
    qd.loop_config(block_dim=128)
    for i in range(128):
        qd.atomic_add(x[0], i)
