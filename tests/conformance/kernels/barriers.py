# Block barriers, shared memory and indices.
import quadrants as qd
from quadrants.lang.simt import block

vec3 = qd.types.vector(3, qd.f32)


@qd.kernel
def reverse(src: qd.types.ndarray(dtype=qd.f32, ndim=1), dst: qd.types.ndarray(dtype=qd.f32, ndim=1)):
    qd.loop_config(block_dim=256)
    for i in range(src.shape[0]):
        tile = block.SharedArray((256,), qd.f32)
        tid = block.thread_idx()
        tile[tid] = src[i]
        block.sync()
        dst[i] = tile[255 - tid]


@qd.kernel
def transpose(
    src: qd.types.ndarray(dtype=qd.i32, ndim=2), dst: qd.types.ndarray(dtype=qd.i32, ndim=2)
):
    # One 16 x 16 tile a block.
    qd.loop_config(block_dim=256)
    for i in range(src.shape[0] * src.shape[1]):
        tile = block.SharedArray((16, 16), qd.i32)
        tid = block.thread_idx()
        b = i // 256
        across = src.shape[1] // 16
        r0 = b // across * 16
        c0 = b % across * 16
        tile[tid // 16, tid % 16] = src[r0 + tid // 16, c0 + tid % 16]
        block.sync()
        dst[c0 + tid // 16, r0 + tid % 16] = tile[tid % 16, tid // 16]


@qd.kernel
def nonzero(
    src: qd.types.ndarray(dtype=qd.i32, ndim=1), out: qd.types.ndarray(dtype=qd.i32, ndim=2)
):
    qd.loop_config(block_dim=128)
    for i in range(src.shape[0]):
        p = src[i]
        out[0, i] = block.sync_all_nonzero(p)
        out[1, i] = block.sync_any_nonzero(p)
        out[2, i] = block.sync_count_nonzero(p)
        out[3, i] = block.thread_idx()
        out[4, i] = block.global_thread_idx()


@qd.kernel
def tree(src: qd.types.ndarray(dtype=qd.i32, ndim=1), out: qd.types.ndarray(dtype=qd.i32, ndim=1)):
    # Barriers in a loop, with locals and divergence across them.
    qd.loop_config(block_dim=128)
    for i in range(src.shape[0]):
        part = block.SharedArray((128,), qd.i32)
        tid = block.thread_idx()
        part[tid] = src[i]
        mine = 0
        stride = 64
        block.sync()
        while stride > 0:
            if tid < stride:
                part[tid] = part[tid] + part[tid + stride]
                mine += 1
            block.sync()
            stride //= 2
        out[i] = part[0] + mine


@qd.func
def exchange(v):
    # Each inlined call has its own array.
    slot = block.SharedArray((128,), qd.i32)
    slot[block.thread_idx()] = v
    block.sync()
    return slot[(block.thread_idx() + 1) % 128]


@qd.kernel
def twice(src: qd.types.ndarray(dtype=qd.i32, ndim=1), out: qd.types.ndarray(dtype=qd.i32, ndim=1)):
    qd.loop_config(block_dim=128)
    for i in range(src.shape[0]):
        out[i] = exchange(exchange(src[i])) * 1000 + exchange(src[i] + 1)


@qd.kernel
def vectors(src: qd.types.ndarray(dtype=qd.f32, ndim=1), out: qd.types.ndarray(dtype=qd.f32, ndim=1)):
    qd.loop_config(block_dim=64)
    for i in range(src.shape[0]):
        tile = block.SharedArray((64,), vec3)
        tid = block.thread_idx()
        tile[tid] = qd.Vector([src[i], src[i] * 2.0, src[i] * 3.0])
        block.sync()
        v = tile[63 - tid]
        out[i] = v[0] + v[1] * 10.0 + v[2] * 100.0


@qd.kernel
def per_block(n: qd.i32, out: qd.types.ndarray(dtype=qd.i32, ndim=1)):
    # A block's threads after its last barrier, blocks that differ in what they do.
    qd.loop_config(block_dim=64)
    for i in range(n):
        total = block.SharedArray((1,), qd.i32)
        b = i // 64
        if block.thread_idx() == 0:
            total[0] = 0
        block.sync()
        if b % 2 == 0:
            qd.atomic_add(total[0], i)
        else:
            total[0] += 1
        block.sync()
        out[i] = total[0]
