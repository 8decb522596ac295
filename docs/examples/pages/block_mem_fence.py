# From the page "Block primitives": one thread publishes data in shared memory, then sets a flag.
# The page shows the middle; here it is a whole kernel.
import quadrants as qd


@qd.kernel
def publish(src: qd.types.ndarray(dtype=qd.f32, ndim=1),
            dst: qd.types.ndarray(dtype=qd.f32, ndim=1)):
    qd.loop_config(block_dim=64)
    for i in range(src.shape[0] // 64 * 64):
        shared = qd.simt.block.SharedArray((1,), qd.f32)
        shared_flag = qd.simt.block.SharedArray((1,), qd.i32)
        tid = qd.simt.block.thread_idx()
        if tid == 0:
            shared_flag[0] = 0
        qd.simt.block.sync()
        if tid == 0:
            shared[0] = src[i] * 2.0
            qd.simt.block.mem_fence()   # order the data write before the flag store
            shared_flag[0] = 1
        else:
            while shared_flag[0] == 0:
                pass
        dst[i] = shared[0]
