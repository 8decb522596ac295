# The form of hints to caches and loops in SPIR-V.
# RUN: %show_vulkan_wave32 %s | FileCheck %s
import quadrants as qd

F32 = qd.types.ndarray(dtype=qd.f32, ndim=1)
V4 = qd.types.ndarray(dtype=qd.types.vector(4, qd.f32), ndim=1)


# CHECK-LABEL: "words_t0"
# CHECK: OpLoad %float %{{[0-9]+}} Nontemporal
# CHECK: OpLoad %float %{{[0-9]+$}}
# CHECK: OpStore %{{[0-9]+}} %{{[0-9]+}} Nontemporal
@qd.kernel
def words(x: F32, y: F32, out: F32):
    for i in x:
        qd.store(out, i, qd.load(x, i, cache="stream") + qd.load(y, i, cache="global"), cache="stream")


# CHECK-LABEL: "vectors_t0"
# CHECK: OpLoad %v4float %{{[0-9]+}} Nontemporal
# CHECK: OpStore %{{[0-9]+}} %{{[0-9]+}} Nontemporal
# CHECK-NOT: OpStore
@qd.kernel
def vectors(x: V4, out: V4):
    for i in x:
        qd.store(out, i, 2.0 * qd.load(x, i, cache="stream"), cache="stream")


# CHECK-LABEL: "loops_t0"
# CHECK: OpLoopMerge %{{.*}} Unroll
# CHECK: OpLoopMerge %{{.*}} DontUnroll
# CHECK: OpLoopMerge %{{.*}} Unroll
# CHECK: OpLoopMerge %{{.*}} None
@qd.kernel
def loops(x: F32, n: qd.i32):
    for i in x:
        s = x[i]
        qd.loop_config(unroll=3)
        for j in range(n):
            s = qd.sqrt(s + j)
        qd.loop_config(unroll=1)
        for j in range(n):
            s = qd.sqrt(s + j)
        qd.loop_config(unroll=True)
        for j in range(9):
            s = qd.sqrt(s + j)
        for j in range(n):
            s = qd.sqrt(s + j)
        x[i] = s
