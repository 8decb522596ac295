# An application may bind a field to memory that is aligned for its elements, so no code counts on more.
# RUN: %sextant compile %s -o %t.sxt --targets=cpu:x86-64-v3/wave32 --dump-ir=irgen | FileCheck %s
import quadrants as qd

numbers = qd.field(qd.f32, shape=64)
points = qd.Vector.field(4, qd.f32, shape=16)
pairs = qd.Vector.field(6, qd.f32, shape=16)


# CHECK: func.func @fill_t0(
# CHECK-SAME: !simt.buffer<f32, global>, %{{[a-z0-9]*}}: !simt.buffer<f32, global> {simt.align = 16 : i32}, %{{[a-z0-9]*}}: !simt.buffer<f32, global> {simt.align = 8 : i32})
@qd.kernel
def fill():
    for i in range(16):
        numbers[4 * i] = 1.0
        points[i] = qd.Vector([1.0, 2.0, 3.0, 4.0])
        pairs[i] = qd.Vector([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
