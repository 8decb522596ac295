# The form of hints to loops on the CPU: as many iterations a step as they say.
# RUN: %show_x86-64-v3_wave8 %s | FileCheck %s
import quadrants as qd

F32 = qd.types.ndarray(dtype=qd.f32, ndim=1)


# Three in a step and one after the last step.
# CHECK-LABEL: by_three_t0:
# CHECK-COUNT-4: vsqrtps
# CHECK-NOT: vsqrtps
@qd.kernel
def by_three(x: F32, n: qd.i32):
    qd.loop_config(block_dim=8)
    for i in range(8):
        s = x[i]
        qd.loop_config(unroll=3)
        for j in range(n):
            s = qd.sqrt(s + j)
        x[i] = s


# CHECK-LABEL: never_t0:
# CHECK-COUNT-1: vsqrtps
# CHECK-NOT: vsqrtps
@qd.kernel
def never(x: F32):
    qd.loop_config(block_dim=8)
    for i in range(8):
        s = x[i]
        qd.loop_config(unroll=1)
        for j in range(4):
            s = qd.sqrt(s + j)
        x[i] = s


# CHECK-LABEL: whole_t0:
# CHECK-COUNT-100: vsqrtps
# CHECK-NOT: vsqrtps
@qd.kernel
def whole(x: F32):
    qd.loop_config(block_dim=8)
    for i in range(8):
        s = x[i]
        qd.loop_config(unroll=True)
        for j in range(100):
            s = qd.sqrt(s + x[j])
        x[i] = s
