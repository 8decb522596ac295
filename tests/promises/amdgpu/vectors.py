# Elements of vectors and matrices are accessed 16 bytes at a time.
# RUN: %show_gfx942_wave64 %s | FileCheck %s
# RUN: %show_gfx1100_wave32 %s | FileCheck %s
import quadrants as qd
from quadrants.lang.simt import block

vec4 = qd.types.vector(4, qd.f32)
V4 = qd.types.ndarray(vec4, 1)
M4 = qd.types.ndarray(qd.types.matrix(4, 4, qd.f32), 1)


# CHECK-LABEL: scale_t0:
# CHECK-NOT: {{global_(load|store)_(dword|b32) }}
# CHECK: {{global_load_(dwordx4|b128)}}
# CHECK: {{global_store_(dwordx4|b128)}}
# CHECK: s_endpgm
@qd.kernel
def scale(x: V4, y: V4, s: qd.f32):
    for i in x:
        y[i] = x[i] * s


# CHECK-LABEL: product_t0:
# CHECK-COUNT-8: {{global_load_(dwordx4|b128)}}
# CHECK-COUNT-4: {{global_store_(dwordx4|b128)}}
# CHECK: s_endpgm
@qd.kernel
def product(x: M4, y: M4, z: M4):
    for i in x:
        z[i] = x[i] @ y[i]


# CHECK-LABEL: turned_t0:
# CHECK: {{ds_(write|store)_b128}}
# CHECK: {{ds_(read|load)_b128}}
# CHECK: s_endpgm
@qd.kernel
def turned(x: V4, y: V4):
    qd.loop_config(block_dim=64)
    for i in range(x.shape[0]):
        tile = block.SharedArray((64,), vec4)
        tile[i % 64] = x[i]
        block.sync()
        y[i] = tile[63 - i % 64]
