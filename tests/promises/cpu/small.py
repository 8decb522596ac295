# Operations that are a few instructions on x86: what they are, and that there is nothing else.
# RUN: %show_x86-64-v3_wave8 %s | FileCheck %s --check-prefixes=CHECK,V3
# RUN: %show_x86-64-v4_wave8 %s | FileCheck %s --check-prefixes=CHECK,V4
import quadrants as qd
from quadrants.lang.simt import block, subgroup

I32 = qd.types.ndarray(dtype=qd.i32, ndim=1)
U32 = qd.types.ndarray(dtype=qd.u32, ndim=1)


# Sizes of the subgroup, lanes and the choice of the first are constants, loaded before the loop over
# blocks.
# CHECK-LABEL: sizes_t0:
# CHECK: vbroadcastss {{.}}mm0, {{.*}} ptr [rip
# CHECK: movsxd rdx, edx
# CHECK-NEXT: vmovups ymmword ptr [rax + 4*rdx], ymm0
# CHECK-NEXT: add edx, 8
# CHECK: ret
@qd.kernel
def sizes(x: I32):
    qd.loop_config(block_dim=8)
    for i in range(64):
        x[i] = subgroup.group_size() + subgroup.log2_group_size()


# CHECK-LABEL: lane_t0:
# CHECK: vmovaps {{.}}mm0, {{.*}} ptr [rip
# CHECK: movsxd rdx, edx
# CHECK-NEXT: vmovups ymmword ptr [rax + 4*rdx], ymm0
# CHECK-NEXT: add edx, 8
# CHECK: ret
@qd.kernel
def lane(x: I32):
    qd.loop_config(block_dim=8)
    for i in range(64):
        x[i] = subgroup.invocation_id()


# CHECK-LABEL: thread_t0:
# CHECK: movsxd rdx, edx
# V3-NEXT: vmovups ymmword ptr [rax + 4*rdx + 32], ymm0
# V3-NEXT: vmovups ymmword ptr [rax + 4*rdx], ymm1
# V4-NEXT: vmovups zmmword ptr [rax + 4*rdx], zmm0
# CHECK-NEXT: add edx, 16
# CHECK: ret
@qd.kernel
def thread(x: I32):
    qd.loop_config(block_dim=16)
    for i in range(64):
        x[i] = block.thread_idx()


# CHECK-LABEL: elect_t0:
# CHECK: vmovss {{.}}mm0, {{.*}} ptr [rip
# CHECK: movsxd rdx, edx
# CHECK-NEXT: vmovups ymmword ptr [rax + 4*rdx], ymm0
# CHECK-NEXT: add edx, 8
# CHECK: ret
@qd.kernel
def elect(x: I32):
    qd.loop_config(block_dim=8)
    for i in range(64):
        x[i] = subgroup.elect()


# Masks of lanes: what keeps the shift within the word, the shift, and for two of them one more.
# CHECK-LABEL: mask_eq_t0:
# CHECK: vpand [[L:ymm[0-9]]], {{.*}}, ymmword ptr
# CHECK-NEXT: vpsllvd {{.*}}, [[L]]
# CHECK-NEXT: vmovdqu ymmword ptr
# CHECK-NEXT: add edx, 8
@qd.kernel
def mask_eq(x: U32):
    qd.loop_config(block_dim=8)
    for i in range(64):
        x[i] = subgroup.lanemask_eq(x[i])


# CHECK-LABEL: mask_lt_t0:
# CHECK: vpand [[L:ymm[0-9]]], {{.*}}, ymmword ptr
# CHECK-NEXT: vpsllvd {{.*}}, [[L]]
# V3-NEXT: vpxor
# V4-NEXT: vpternlogq
# CHECK-NEXT: vmovdqu ymmword ptr
# CHECK-NEXT: add edx, 8
@qd.kernel
def mask_lt(x: U32):
    qd.loop_config(block_dim=8)
    for i in range(64):
        x[i] = subgroup.lanemask_lt(x[i])


# CHECK-LABEL: mask_le_t0:
# CHECK: vpand [[L:ymm[0-9]]], {{.*}}, ymmword ptr
# CHECK-NEXT: vpsllvd {{.*}}, [[L]]
# V3-NEXT: vpxor
# V4-NEXT: vpternlogq
# CHECK-NEXT: vmovdqu ymmword ptr
# CHECK-NEXT: add edx, 8
@qd.kernel
def mask_le(x: U32):
    qd.loop_config(block_dim=8)
    for i in range(64):
        x[i] = subgroup.lanemask_le(x[i])


# CHECK-LABEL: mask_gt_t0:
# CHECK: vpand [[L:ymm[0-9]]], {{.*}}, ymmword ptr
# CHECK-NEXT: vpsllvd {{.*}}, [[L]]
# CHECK-NEXT: vmovdqu ymmword ptr
# CHECK-NEXT: add edx, 8
@qd.kernel
def mask_gt(x: U32):
    qd.loop_config(block_dim=8)
    for i in range(64):
        x[i] = subgroup.lanemask_gt(x[i])


# CHECK-LABEL: mask_ge_t0:
# CHECK: vpand [[L:ymm[0-9]]], {{.*}}, ymmword ptr
# CHECK-NEXT: vpsllvd {{.*}}, [[L]]
# CHECK-NEXT: vmovdqu ymmword ptr
# CHECK-NEXT: add edx, 8
@qd.kernel
def mask_ge(x: U32):
    qd.loop_config(block_dim=8)
    for i in range(64):
        x[i] = subgroup.lanemask_ge(x[i])


# A ballot of fewer lanes leaves the others out as it packs the mask, or by one `and` after it.
# CHECK-LABEL: ballot_7_t0:
# V3: vpackssdw
# V3-NEXT: vpshufb
# V3-NEXT: vpmovmskb [[B:e[a-z]+]],
# V3-NEXT: movzx
# V4: vptestmd k0
# V4-NEXT: kmovd [[B:e[a-z]+]], k0
# V4-NEXT: and {{[a-z]+}}, 127
# V4-NEXT: movzx
# CHECK-NOT: {{vpmovmskb|kmov|and}}
# CHECK: ret
@qd.kernel
def ballot_7(x: U32):
    qd.loop_config(block_dim=8)
    for i in range(64):
        x[i] = subgroup.ballot_first_n(x[i], 7)
