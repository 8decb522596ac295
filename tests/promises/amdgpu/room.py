# The code leaves a compute unit (a pair of them from gfx10 on) room for the blocks that a loop asks
# for: four of 256 threads are four waves of 64 for each of the four SIMD units, or eight of 32.
# RUN: %sextant compile %s -o %t.sxt --targets amdgpu:gfx942,amdgpu:gfx1100/wave32 -j 1
# RUN: %sextant inspect %t.sxt | FileCheck %s
import quadrants as qd

F32 = qd.types.ndarray(dtype=qd.f32, ndim=1)
M = qd.types.matrix(12, 12, qd.f32)


@qd.func
def power(x: F32, y: F32, i):
    m = M(0.0)
    for a, b in qd.static(qd.ndrange(12, 12)):
        m[a, b] = x[i * 144 + a * 12 + b]
    for _ in range(x.shape[0]):
        m = m @ m
    for a, b in qd.static(qd.ndrange(12, 12)):
        y[i * 144 + a * 12 + b] = m[a, b]


# CHECK: kernel alone(
# CHECK: amdgpu:gfx942/wave64 {{.*}} 1{{ *$}}
# CHECK: amdgpu:gfx1100/wave32 {{.*}} 5{{ *$}}
@qd.kernel
def alone(x: F32, y: F32):
    qd.loop_config(block_dim=256)
    for i in x:
        power(x, y, i)


# CHECK: kernel four(
# CHECK: amdgpu:gfx942/wave64 {{.*}} 4{{ *$}}
# CHECK: amdgpu:gfx1100/wave32 {{.*}} 8{{ *$}}
@qd.kernel
def four(x: F32, y: F32):
    qd.loop_config(block_dim=256, min_blocks=4)
    for i in x:
        power(x, y, i)
