# Fast math on the CPU: a quotient of f32 by a square root takes neither a division nor a root, but an
# estimate. Quotients by one divisor, or by one that a loop does not change, take one division. With
# AVX-512, a divisor that is a power of 1.5 is three factors.
# RUN: %show_x86-64-v3_wave8 %s | FileCheck %s
# RUN: %show_x86-64-v4_wave8 %s | FileCheck %s --check-prefixes=CHECK,V4
import quadrants as qd

F32 = qd.types.ndarray(dtype=qd.f32, ndim=1)
F64 = qd.types.ndarray(dtype=qd.f64, ndim=1)


# CHECK-LABEL: quotient_t0:
# CHECK-NOT: {{vdivps|vsqrtps}}
# CHECK: vrsqrt{{(14)?}}ps
# CHECK-NOT: {{vdivps|vsqrtps}}
@qd.kernel(fast_math=True)
def quotient(x: F32, y: F32):
    for i in x:
        x[i] = y[i] / qd.sqrt(x[i])


# CHECK-LABEL: exact_t0:
# CHECK-NOT: vrsqrt
# CHECK: vsqrtps
# CHECK-NOT: vrsqrt
# CHECK: vdivps
# CHECK-NOT: vrsqrt
@qd.kernel
def exact(x: F32, y: F32):
    for i in x:
        x[i] = y[i] / qd.sqrt(x[i])


# CHECK-LABEL: precise_t0:
# CHECK-NOT: vrsqrt
# CHECK: vdivps
# CHECK-NOT: vrsqrt
@qd.kernel(fast_math=True)
def precise(x: F32, y: F32):
    for i in x:
        x[i] = qd.precise(y[i] / qd.sqrt(x[i]))


# CHECK-LABEL: twice_t0:
# CHECK-NOT: vrsqrt
# CHECK: vdivpd
# CHECK-NOT: vrsqrt
@qd.kernel(fast_math=True)
def twice(x: F64, y: F64):
    for i in x:
        x[i] = y[i] / qd.sqrt(x[i])


# CHECK-LABEL: together_t0:
# CHECK-COUNT-1: vdivps
# CHECK-NOT: vdivps
@qd.kernel(fast_math=True)
def together(x: F32, y: F32):
    qd.loop_config(block_dim=8)
    for i in range(8):
        d = y[i]
        x[i] = x[i] / d + x[i + 8] / d


# CHECK-LABEL: apart_t0:
# CHECK-COUNT-2: vdivps
# CHECK-NOT: vdivps
@qd.kernel
def apart(x: F32, y: F32):
    qd.loop_config(block_dim=8)
    for i in range(8):
        d = y[i]
        x[i] = x[i] / d + x[i + 8] / d


# CHECK-LABEL: repeated_t0:
# CHECK: vdivps
# CHECK: vmulps
# CHECK-NOT: vdivps
@qd.kernel(fast_math=True)
def repeated(x: F32, y: F32, n: qd.i32):
    qd.loop_config(block_dim=8)
    for i in range(8):
        v, d = x[i], y[i]
        for _ in range(n):
            v = (v + 1.0) / d
        x[i] = v


# CHECK-LABEL: power_t0:
# V4-NOT: {{vdivps|vsqrtps}}
# V4: vrsqrt14ps
# V4-NOT: {{vdivps|vsqrtps}}
@qd.kernel(fast_math=True)
def power(x: F32, y: F32):
    for i in x:
        x[i] = y[i] / (x[i] * qd.sqrt(x[i]))
