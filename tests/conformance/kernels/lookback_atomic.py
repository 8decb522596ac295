# The look-back scan of the page "Grid primitives" in the spelling that needs no fence: what a
# block has to tell is one word, state and value together, that is only touched by atomics.
# It is the one that Metal has before version 3.2.
import quadrants as qd

BLOCK_SIZE = 128
AGGREGATE = 1 << 30
PREFIX = 2 << 30
VALUE = (1 << 30) - 1


@qd.kernel
def lookback_atomic(
    src: qd.types.ndarray(dtype=qd.u32, ndim=1),
    dst: qd.types.ndarray(dtype=qd.u32, ndim=1),
    words: qd.types.ndarray(dtype=qd.u32, ndim=1),
    ticket: qd.types.ndarray(dtype=qd.u32, ndim=1),
):
    qd.loop_config(block_dim=BLOCK_SIZE)
    for i in range(src.shape[0]):
        shared = qd.simt.block.SharedArray((2,), qd.u32)
        tid = qd.simt.block.thread_idx()
        if tid == 0:
            shared[0] = qd.atomic_add(ticket[0], qd.u32(1))
        qd.simt.block.sync()
        bid = qd.i32(shared[0])

        value = qd.simt.block.inclusive_add(src[bid * BLOCK_SIZE + tid], BLOCK_SIZE, qd.u32)
        if tid == BLOCK_SIZE - 1:
            shared[1] = value
        qd.simt.block.sync()
        total = shared[1]
        qd.simt.block.sync()

        if tid == 0:
            qd.atomic_exchange(words[bid], qd.u32(AGGREGATE) | total)
            before = qd.u32(0)
            prev = bid - 1
            while prev >= 0:
                word = qd.atomic_or(words[prev], qd.u32(0))
                while word == 0:
                    word = qd.atomic_or(words[prev], qd.u32(0))
                before += word & qd.u32(VALUE)
                prev = -1 if word >= qd.u32(PREFIX) else prev - 1
            qd.atomic_exchange(words[bid], qd.u32(PREFIX) | (before + total))
            shared[1] = before
        qd.simt.block.sync()
        dst[bid * BLOCK_SIZE + tid] = shared[1] + value
