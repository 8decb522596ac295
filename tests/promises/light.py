# Short loops that name no block run in blocks of 256 threads where GPUs would take as long to begin
# smaller ones. Loops, and what asks for the block, keep blocks of 128; and so do other targets.
# RUN: %sextant compile %s -o %t.sxt --targets cuda:compute_90,amdgpu:gfx942,vulkan:1.1/wave32,metal:3.0,x86-64-v3/wave8 -j 1
# RUN: %sextant inspect %t.sxt | FileCheck %s
# RUN: %sextant disasm %t.sxt -k scaled -t cuda:compute_90 | FileCheck %s --check-prefix=PTX
import quadrants as qd
from quadrants.lang.simt import block

F32 = qd.types.ndarray(dtype=qd.f32, ndim=1)


# CHECK-LABEL: kernel asks(
# CHECK: task asks_t0 128 threads a block, x.shape[0] iterations
# CHECK-NEXT: variant
@qd.kernel
def asks(x: F32):
    for i in x:
        x[i] = block.thread_idx()


# CHECK-LABEL: kernel given(
# CHECK: task given_t0 128 threads a block, x.shape[0] iterations
# CHECK-NEXT: variant
@qd.kernel
def given(x: F32):
    qd.loop_config(block_dim=128)
    for i in x:
        x[i] = 2.0 * x[i]


# CHECK-LABEL: kernel rounds(
# CHECK: task rounds_t0 128 threads a block, x.shape[0] iterations
# CHECK-NEXT: variant
@qd.kernel
def rounds(x: F32, n: qd.i32):
    for i in x:
        for j in range(n):
            x[i] = x[i] * x[i]


# CHECK-LABEL: kernel scaled(
# CHECK: for amdgpu, cuda, vulkan, waves of 64, 32:
# CHECK-NEXT: task scaled_t0 256 threads a block, x.shape[0] iterations
# CHECK: for cpu, metal, waves of 8, 32:
# CHECK-NEXT: task scaled_t0 128 threads a block, x.shape[0] iterations
# PTX: .maxntid 256, 1, 1
# PTX: mov.u32 [[B:%r[0-9]+]], %ctaid.x;
# PTX: shl.b32 {{.*}}, [[B]], 8;
@qd.kernel
def scaled(x: F32):
    for i in x:
        x[i] = 2.0 * x[i]
