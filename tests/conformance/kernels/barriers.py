# Block barriers and shared memory in loops, funcs, and blocks that differ.
import quadrants as qd
from quadrants.lang.simt import block


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
