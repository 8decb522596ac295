# A product of 16 by 16 by 16 consists of products of the SIMD-group's matrices, of 8 by 8 by 8. A call makes two of them
# where a word has two elements, and one of f32.
# RUN: %show_metal_matrix %s | FileCheck %s
import quadrants as qd
from quadrants.lang.simt import subgroup

Half = qd.types.ndarray(qd.f16, 2)
Real = qd.types.ndarray(qd.f32, 2)


# CHECK: void sextantInstruction0(
# CHECK-NEXT: {
# CHECK-NEXT: simdgroup_matrix<half, 8, 8> x, y;
# CHECK-NEXT: simdgroup_matrix<float, 8, 8> z;
# CHECK-COUNT-2: simdgroup_multiply_accumulate(z, x, y, z);
# CHECK-NOT: simdgroup_multiply_accumulate
# CHECK-LABEL: kernel void halves_t0(
# CHECK-COUNT-4: {{^ *}}sextantInstruction0(
# CHECK-NOT: {{sextantInstruction|fma\(|simd_shuffle}}
@qd.kernel
def halves(x: Half, y: Half, z: Real):
    qd.loop_config(block_dim=32)
    for i in range(32):
        c = subgroup.Matrix.zeros((16, 16))
        c.mma(subgroup.Matrix.a(x, (0, 0), (16, 16)), subgroup.Matrix.b(y, (0, 0), (16, 16)))
        c.store(z, (0, 0))


# CHECK: void sextantInstruction0(
# CHECK-NEXT: {
# CHECK-NEXT: simdgroup_matrix<float, 8, 8> x, y;
# CHECK-NEXT: simdgroup_matrix<float, 8, 8> z;
# CHECK-COUNT-1: simdgroup_multiply_accumulate(z, x, y, z);
# CHECK-NOT: simdgroup_multiply_accumulate
# CHECK-LABEL: kernel void reals_t0(
# CHECK-COUNT-8: {{^ *}}sextantInstruction0(
# CHECK-NOT: {{sextantInstruction|fma\(|simd_shuffle}}
@qd.kernel
def reals(x: Real, y: Real, z: Real):
    qd.loop_config(block_dim=32)
    for i in range(32):
        c = subgroup.Matrix.zeros((16, 16))
        c.mma(subgroup.Matrix.a(x, (0, 0), (16, 16)), subgroup.Matrix.b(y, (0, 0), (16, 16)))
        c.store(z, (0, 0))
