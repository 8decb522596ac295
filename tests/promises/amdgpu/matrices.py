# Products of a subgroup's matrices are the matrix unit's, and what it multiplies is loaded as it lies.
# RUN: %show_gfx942_wave64 %s | FileCheck %s
# RUN: %show_gfx1100_wave32 %s | FileCheck %s --check-prefix=WMMA
import quadrants as qd
from quadrants.lang.simt import subgroup

Half = qd.types.ndarray(qd.f16, 2)
Byte = qd.types.ndarray(qd.i8, 2)
Real = qd.types.ndarray(qd.f32, 2)
Sum = qd.types.ndarray(qd.i32, 2)


# CHECK-LABEL: halves_t0:
# CHECK: v_mfma_f32_16x16x16_f16
# CHECK-NOT: {{v_mfma|v_fma}}
# CHECK: s_endpgm
# WMMA-LABEL: halves_t0:
# WMMA: v_wmma_f32_16x16x16_f16
# WMMA-NOT: {{v_wmma|v_fma}}
# WMMA: s_endpgm
@qd.kernel
def halves(x: Half, y: Half, z: Real):
    qd.loop_config(block_dim=64)
    for i in range(64):
        c = subgroup.Matrix.zeros((16, 16))
        c.mma(subgroup.Matrix.a(x, (0, 0), (16, 16)), subgroup.Matrix.b(y, (0, 0), (16, 16)))
        c.store(z, (0, 0))


# CHECK-LABEL: bytes_t0:
# CHECK: v_mfma_i32_16x16x32_i8
# CHECK-NOT: v_mfma
# CHECK: s_endpgm
# WMMA-LABEL: bytes_t0:
# WMMA-COUNT-2: v_wmma_i32_16x16x16_iu8
# WMMA-NOT: v_wmma
# WMMA: s_endpgm
@qd.kernel
def bytes(x: Byte, y: Byte, z: Sum):
    qd.loop_config(block_dim=64)
    for i in range(64):
        c = subgroup.Matrix.zeros((16, 16), qd.i32)
        c.mma(subgroup.Matrix.a(x, (0, 0), (16, 32)), subgroup.Matrix.b(y, (0, 0), (32, 16)))
        c.store(z, (0, 0))
