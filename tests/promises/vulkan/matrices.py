# Products of a subgroup's matrices are one instruction for 16 by 16 elements, in functions that make several at once, and
# parts of matrices in arrays come to shared memory by 16 bytes.
# RUN: %show_vulkan_matrix %s | FileCheck %s
import quadrants as qd
from quadrants.lang.simt import subgroup

Half = qd.types.ndarray(qd.f16, 2)
Byte = qd.types.ndarray(qd.i8, 2)
Real = qd.types.ndarray(qd.f32, 2)
Sum = qd.types.ndarray(qd.i32, 2)
Workspace = qd.types.ndarray(qd.u64, 1)


# CHECK-LABEL: "halves_t0"
# CHECK-COUNT-8: OpCooperativeMatrixMulAddKHR %c_f32_16x16
# CHECK-NOT: {{OpCooperativeMatrixMulAddKHR|GroupNonUniformShuffle|Fma}}
@qd.kernel
def halves(x: Half, y: Half, z: Real):
    qd.loop_config(block_dim=32)
    for i in range(32):
        c = subgroup.Matrix.zeros((32, 64))
        c.mma(subgroup.Matrix.a(x, (0, 0), (32, 16)), subgroup.Matrix.b(y, (0, 0), (16, 64)))
        c.store(z, (0, 0))


# CHECK-LABEL: "bytes_t0"
# CHECK-COUNT-1: OpCooperativeMatrixMulAddKHR %c_i32_16x16
# CHECK-NOT: {{OpCooperativeMatrixMulAddKHR|GroupNonUniformShuffle}}
@qd.kernel
def bytes(x: Byte, y: Byte, z: Sum):
    qd.loop_config(block_dim=32)
    for i in range(32):
        c = subgroup.Matrix.zeros((16, 16), qd.i32)
        c.mma(subgroup.Matrix.a(x, (0, 0), (16, 32)), subgroup.Matrix.b(y, (0, 0), (32, 16)))
        c.store(z, (0, 0))


# CHECK-LABEL: "whole_t0
# CHECK-COUNT-16: OpLoad %v4uint %{{[0-9]+}} NonPrivatePointer
# CHECK-NOT: OpLoad %v4uint
@qd.kernel
def whole(x: Half, y: Half, z: Half, workspace: Workspace):
    qd.tensors.matmul(x, y, z, workspace)
