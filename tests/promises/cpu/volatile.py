# A volatile load goes to memory each time, and nowhere else.
# RUN: %show_x86-64-v3_wave8 %s | FileCheck %s
import quadrants as qd


# CHECK-LABEL: twice_t0:
# CHECK: mov [[A:e[a-z]+]], dword ptr [[P:\[r[a-z0-9]+\]]]
# CHECK-NEXT: add [[A]], dword ptr [[P]]
# CHECK-NOT: dword ptr [[P]]
@qd.kernel
def twice(x: qd.types.ndarray(dtype=qd.i32, ndim=1), out: qd.types.ndarray(dtype=qd.i32, ndim=1)):
    qd.loop_config(block_dim=8)
    for i in range(8):
        out[i] = qd.volatile_load(x[0]) + qd.volatile_load(x[0])
