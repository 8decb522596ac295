# Fast math on the CPU: a quotient of f32 by a square root takes neither a division nor a root for
# usual arguments. Its first value is made of the bits by a shift.
# RUN: %show_x86-64-v3_wave8 %s | FileCheck %s
import quadrants as qd

F32 = qd.types.ndarray(dtype=qd.f32, ndim=1)
F64 = qd.types.ndarray(dtype=qd.f64, ndim=1)


# CHECK-LABEL: quotient_t0:
# CHECK: vpsrld
# CHECK: vfmadd
@qd.kernel(fast_math=True)
def quotient(x: F32, y: F32):
    for i in x:
        x[i] = y[i] / qd.sqrt(x[i])


# CHECK-LABEL: exact_t0:
# CHECK-NOT: vpsrld
# CHECK: vsqrtps
# CHECK-NOT: vpsrld
# CHECK: vdivps
# CHECK-NOT: vpsrld
@qd.kernel
def exact(x: F32, y: F32):
    for i in x:
        x[i] = y[i] / qd.sqrt(x[i])


# CHECK-LABEL: precise_t0:
# CHECK-NOT: vpsrld
# CHECK: vdivps
# CHECK-NOT: vpsrld
@qd.kernel(fast_math=True)
def precise(x: F32, y: F32):
    for i in x:
        x[i] = qd.precise(y[i] / qd.sqrt(x[i]))


# CHECK-LABEL: twice_t0:
# CHECK-NOT: vpsrlq
# CHECK: vdivpd
# CHECK-NOT: vpsrlq
@qd.kernel(fast_math=True)
def twice(x: F64, y: F64):
    for i in x:
        x[i] = y[i] / qd.sqrt(x[i])
