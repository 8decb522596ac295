# The examples of the block page.
# waves: 4 8 16 32 64
# define: N=1024
# build: reduce128[src=qd.f32, out=qd.f32]
# build: scan128[src=qd.i32, out=qd.i32]
import quadrants as qd

@qd.kernel
def reduce128(src: qd.types.ndarray(ndim=1), out: qd.types.ndarray(ndim=1)):
    qd.loop_config(block_dim=128)
    for i in range(N):
        agg = qd.simt.block.reduce_add(src[i], 128, qd.f32)
        if qd.simt.block.thread_idx() == 0:
            out[i // 128] = agg

@qd.kernel
def scan128(src: qd.types.ndarray(ndim=1), out: qd.types.ndarray(ndim=1)):
    qd.loop_config(block_dim=128)
    for i in range(N):
        out[i] = qd.simt.block.inclusive_add(src[i], 128, qd.i32)

@qd.kernel
def publish(data: qd.types.ndarray(dtype=qd.i32, ndim=1)):
    qd.loop_config(block_dim=64)
    for i in range(64):
        shared = qd.simt.block.SharedArray((64,), qd.i32)
        shared_flag = qd.simt.block.SharedArray(1, qd.i32)
        tid = qd.simt.block.thread_idx()
        if tid == 0:
            shared[0] = data[0]
            qd.simt.block.mem_fence()   # order the data write before the flag store
            shared_flag[0] = 1
        else:
            while shared_flag[0] == 0:
                pass
            data[i] = shared[0]
