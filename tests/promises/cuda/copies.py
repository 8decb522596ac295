# Copies to shared memory in PTX: from sm_80 on without a register between.
# RUN: %show_cuda_90 %s | FileCheck %s
# RUN: %show_cuda_75 %s | FileCheck %s --check-prefix=OLD
import quadrants as qd
from quadrants.lang.simt import block

F32 = qd.types.ndarray(dtype=qd.f32, ndim=1)
vec4 = qd.types.vector(4, qd.f32)
V4 = qd.types.ndarray(dtype=vec4, ndim=1)


# CHECK-LABEL: .entry words_t0(
# CHECK-NOT: ld.global
# CHECK: cp.async.ca.shared.global [{{.*}}], [{{.*}}], 4;
# CHECK-NOT: st.shared
# CHECK: cp.async.commit_group;
# CHECK: cp.async.wait_group 0;
# CHECK: bar.sync
# CHECK: ret;
# OLD-LABEL: .entry words_t0(
# OLD-NOT: cp.async
# OLD: ld.global
# OLD: st.shared
# OLD-NOT: cp.async
# OLD: bar.sync
# OLD: ret;
@qd.kernel
def words(x: F32, y: F32):
    qd.loop_config(block_dim=128)
    for i in range(1280):
        own = block.SharedArray((128,), qd.f32)
        block.memcpy_async(own, 0, x, i // 128 * 128, 128, 128)
        block.memcpy_wait()
        y[i] = own[127 - block.thread_idx()]


# Vectors are one copy of 16 bytes; the second one may still be on its way.
# CHECK-LABEL: .entry vectors_t0(
# CHECK: cp.async.cg.shared.global [{{.*}}], [{{.*}}], 16;
# CHECK: cp.async.commit_group;
# CHECK: cp.async.cg.shared.global [{{.*}}], [{{.*}}], 16;
# CHECK: cp.async.commit_group;
# CHECK-NOT: st.shared
# CHECK: cp.async.wait_group 1;
# CHECK: cp.async.wait_group 0;
# CHECK: ret;
@qd.kernel
def vectors(x: V4, y: V4):
    qd.loop_config(block_dim=128)
    for i in range(1280):
        own = block.SharedArray((256,), vec4)
        block.memcpy_async(own, 0, x, i // 128 * 128, 128, 128)
        block.memcpy_async(own, 128, y, i // 128 * 128, 128, 128)
        block.memcpy_wait(1)
        first = own[127 - block.thread_idx()]
        block.memcpy_wait()
        y[i] = own[255 - block.thread_idx()] + first
