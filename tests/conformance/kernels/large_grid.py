# More blocks than some devices run in one row of the grid (65535 on many of Vulkan's).
import quadrants as qd

BLOCK = 8


@qd.kernel
def number(out: qd.types.ndarray(dtype=qd.i32, ndim=1)):
    qd.loop_config(block_dim=BLOCK)
    for i in range(out.shape[0]):
        qd.atomic_add(out[i], 2 * i + 1)


# Block b waits for block b - 1: it ends only if blocks start in increasing order.
@qd.kernel
def chain(
    src: qd.types.ndarray(dtype=qd.u32, ndim=1),
    sums: qd.types.ndarray(dtype=qd.u32, ndim=1),
):
    qd.loop_config(block_dim=BLOCK)
    for i in range(src.shape[0]):
        total = qd.simt.block.SharedArray((1,), qd.u32)
        tid = qd.simt.block.thread_idx()
        bid = qd.simt.block.global_thread_idx() // BLOCK
        if tid == 0:
            total[0] = qd.u32(1)
        qd.simt.block.sync()
        qd.atomic_add(total[0], src[i])
        qd.simt.block.sync()
        if tid == 0:
            before = qd.u32(0)
            if bid > 0:
                before = qd.atomic_or(sums[bid - 1], qd.u32(0))
                while before == 0:
                    before = qd.atomic_or(sums[bid - 1], qd.u32(0))
            qd.atomic_exchange(sums[bid], before + total[0])
