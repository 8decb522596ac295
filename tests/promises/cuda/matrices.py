# Products of a subgroup's matrices are one instruction for 16 by 8 elements of the result, and those of Hopper
# read their operands from shared memory, where bulk copies bring them.
# RUN: %show_cuda_80 %s | FileCheck %s
# RUN: %show_cuda_75 %s | FileCheck %s --check-prefix=OLD
import quadrants as qd
from quadrants.lang.simt import subgroup

Half = qd.types.ndarray(qd.f16, 2)
Byte = qd.types.ndarray(qd.u8, 2)
Real = qd.types.ndarray(qd.f32, 2)
Sum = qd.types.ndarray(qd.i32, 2)


# CHECK-LABEL: .entry halves_t0(
# CHECK-NOT: mma.sync
# CHECK-COUNT-2: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
# CHECK-NOT: mma.sync
# OLD-LABEL: .entry halves_t0(
# OLD-COUNT-4: mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32
# OLD-NOT: mma.sync
@qd.kernel
def halves(x: Half, y: Half, z: Real):
    qd.loop_config(block_dim=32)
    for i in range(32):
        c = subgroup.Matrix.zeros((16, 16))
        c.mma(subgroup.Matrix.a(x, (0, 0), (16, 16)), subgroup.Matrix.b(y, (0, 0), (16, 16)))
        c.store(z, (0, 0))


# CHECK-LABEL: .entry words_t0(
# CHECK-COUNT-4: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
# CHECK-NOT: {{mma.sync|fma.rn.f32}}
# OLD-LABEL: .entry words_t0(
# OLD-NOT: mma.sync
# OLD: fma.rn.f32
@qd.kernel
def words(x: Real, y: Real, z: Real):
    qd.loop_config(block_dim=32)
    for i in range(32):
        c = subgroup.Matrix.zeros((16, 16))
        c.mma(subgroup.Matrix.a(x, (0, 0), (16, 16), "tf32"), subgroup.Matrix.b(y, (0, 0), (16, 16), "tf32"))
        c.store(z, (0, 0))


# CHECK-LABEL: .entry bytes_t0(
# CHECK-COUNT-2: mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32
# CHECK-NOT: mma.sync
# OLD-LABEL: .entry bytes_t0(
# OLD-COUNT-8: mma.sync.aligned.m8n8k16.row.col.s32.u8.u8.s32
# OLD-NOT: mma.sync
@qd.kernel
def bytes(x: Byte, y: Byte, z: Sum):
    qd.loop_config(block_dim=32)
    for i in range(32):
        c = subgroup.Matrix.zeros((16, 16), qd.i32)
        c.mma(subgroup.Matrix.a(x, (0, 0), (16, 32)), subgroup.Matrix.b(y, (0, 0), (32, 16)))
        c.store(z, (0, 0))
