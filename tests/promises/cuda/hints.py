# The form of hints to caches and loops in PTX.
# RUN: %show_cuda_75 %s | FileCheck %s
# RUN: %show_cuda_90 %s | FileCheck %s
import quadrants as qd
from quadrants.lang.simt import block

F32 = qd.types.ndarray(dtype=qd.f32, ndim=1)
V4 = qd.types.ndarray(dtype=qd.types.vector(4, qd.f32), ndim=1)
U8 = qd.types.ndarray(dtype=qd.u8, ndim=1)


# CHECK-LABEL: .entry words_t0(
# CHECK: ld.global.cs.b32
# CHECK: ld.global.cg.b32
# CHECK: ld.global.nc.f32
# CHECK-NOT: ld.
# CHECK: st.global.cs.b32
# CHECK: ret;
@qd.kernel
def words(x: F32, y: F32, z: F32, out: F32):
    for i in x:
        sum = qd.load(x, i, cache="stream") + qd.load(y, i, cache="global") + qd.load(z, i, cache="readonly")
        qd.store(out, i, sum, cache="stream")


# CHECK-LABEL: .entry bytes_t0(
# CHECK: ld.global.cs.u8
# CHECK: st.global.cs.u8
# CHECK: ret;
@qd.kernel
def bytes(x: U8, out: U8):
    for i in x:
        qd.store(out, i, qd.load(x, i, cache="stream"), cache="stream")


# Vectors are one access.
# CHECK-LABEL: .entry vectors_t0(
# CHECK-DAG: ld.global.cs.v4.b32 {
# CHECK-DAG: ld.global.cg.v4.b32 {
# CHECK-DAG: ld.global.nc.v4.b32 {
# CHECK-NOT: ld.
# CHECK: st.global.cs.v4.b32 [
# CHECK-NOT: st.
# CHECK: ret;
@qd.kernel
def vectors(x: V4, y: V4, z: V4, out: V4):
    for i in x:
        sum = qd.load(x, i, cache="stream") + qd.load(y, i, cache="global") + qd.load(z, i, cache="readonly")
        qd.store(out, i, sum, cache="stream")


# A block of its own is room enough for code without block barriers: ptxas takes registers for more
# loads at once. Others shall fill multiprocessors.
# CHECK-LABEL: .entry alone_t0(
# CHECK: .maxntid 256, 1, 1
# CHECK-NEXT: .minnctapersm 1
@qd.kernel
def alone(x: F32):
    for i in x:
        x[i] = 2 * x[i]


# CHECK-LABEL: .entry together_t0(
# CHECK: .maxntid 128, 1, 1
# CHECK-NOT: minnctapersm
# CHECK: bar.sync
# CHECK: ret;
@qd.kernel
def together(x: F32):
    qd.loop_config(block_dim=128)
    for i in x:
        x[i] = block.reduce_all_add(x[i], 128, qd.f32)


# CHECK-LABEL: .entry room_t0(
# CHECK: .maxntid 128, 1, 1
# CHECK: .minnctapersm 8
@qd.kernel
def room(x: F32):
    qd.loop_config(block_dim=128, min_blocks=8)
    for i in x:
        x[i] = 2 * x[i]


# Three iterations a step, and up to two after the last step.
# CHECK-LABEL: .entry by_three_t0(
# CHECK-COUNT-3: sqrt.rn.f32
# CHECK: bra
# CHECK-COUNT-1: sqrt.rn.f32
# CHECK-NOT: sqrt.rn.f32
# CHECK: ret;
@qd.kernel
def by_three(x: F32, n: qd.i32):
    for i in x:
        s = x[i]
        qd.loop_config(unroll=3)
        for j in range(n):
            s = qd.sqrt(s + j)
        x[i] = s


# Not even by ptxas.
# CHECK-LABEL: .entry never_t0(
# CHECK: .pragma "nounroll";
# CHECK-COUNT-1: sqrt.rn.f32
# CHECK-NOT: sqrt.rn.f32
# CHECK: ret;
@qd.kernel
def never(x: F32):
    for i in x:
        s = x[i]
        qd.loop_config(unroll=1)
        for j in range(4):
            s = qd.sqrt(s + j)
        x[i] = s


# More than LLVM would unroll by itself.
# CHECK-LABEL: .entry whole_t0(
# CHECK-NOT: bra $L__BB{{[0-9_]*}}{{$}}
# CHECK-COUNT-200: sqrt.rn.f32
# CHECK-NOT: sqrt.rn.f32
# CHECK: ret;
@qd.kernel
def whole(x: F32):
    for i in x:
        s = x[i]
        qd.loop_config(unroll=True)
        for j in range(200):
            s = qd.sqrt(s + x[j])
        x[i] = s
