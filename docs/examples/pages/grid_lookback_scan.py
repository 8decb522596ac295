# From the page "Grid primitives": an inclusive scan over all blocks in one launch, by decoupled
# look-back. The page shows the look-back; here it is a whole kernel. A block may only wait for
# blocks that already run, so blocks take their number from a counter when they start.
#
# `partials`, `flags` and `ticket` have one element a block (`ticket` one), `flags` and `ticket`
# zero before the launch.
import quadrants as qd

BLOCK_SIZE = 128
STATE_INVALID = 0
STATE_AGGREGATE = 1
STATE_PREFIX = 2


@qd.kernel
def lookback_scan(src: qd.types.ndarray(dtype=qd.i32, ndim=1),
                  dst: qd.types.ndarray(dtype=qd.i32, ndim=1),
                  partials: qd.types.ndarray(dtype=qd.i32, ndim=1),
                  prefixes: qd.types.ndarray(dtype=qd.i32, ndim=1),
                  flags: qd.types.ndarray(dtype=qd.i32, ndim=1),
                  ticket: qd.types.ndarray(dtype=qd.i32, ndim=1)) -> None:
    qd.loop_config(block_dim=BLOCK_SIZE)
    for i in range(src.shape[0]):
        shared = qd.simt.block.SharedArray((2,), qd.i32)
        tid = qd.simt.block.global_thread_idx() % BLOCK_SIZE
        if tid == 0:
            shared[0] = qd.atomic_add(ticket[0], 1)
        qd.simt.block.sync()
        bid = shared[0]

        value = qd.simt.block.inclusive_add(src[bid * BLOCK_SIZE + tid], BLOCK_SIZE, qd.i32)
        if tid == BLOCK_SIZE - 1:
            shared[1] = value
        qd.simt.block.sync()
        block_sum = shared[1]
        qd.simt.block.sync()

        if tid == 0:
            partials[bid] = block_sum
            qd.simt.grid.mem_fence()
            flags[bid] = STATE_AGGREGATE

        if tid == 0:
            before = 0
            prev = bid - 1
            while prev >= 0:
                while flags[prev] == STATE_INVALID:
                    qd.simt.grid.mem_fence()
                qd.simt.grid.mem_fence()
                if qd.volatile_load(flags[prev]) == STATE_PREFIX:
                    qd.simt.grid.mem_fence()
                    before += prefixes[prev]
                    prev = -1
                else:
                    before += partials[prev]
                    prev -= 1
            prefixes[bid] = before + block_sum
            qd.simt.grid.mem_fence()
            flags[bid] = STATE_PREFIX
            shared[1] = before
        qd.simt.block.sync()
        dst[bid * BLOCK_SIZE + tid] = shared[1] + value
