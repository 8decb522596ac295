# Code that is written for subgroups of 32 lanes, of which half of a subgroup of 64 takes part.
import quadrants as qd
from quadrants.lang.simt import block, subgroup

BLOCK = 256
LANES = 32
AGGREGATE = 1 << 30
PREFIX = 2 << 30
VALUE = (1 << 30) - 1
Ints = qd.types.ndarray(dtype=qd.i32, ndim=1)
Table = qd.types.ndarray(dtype=qd.i32, ndim=2)
Words = qd.types.ndarray(dtype=qd.u32, ndim=1)


@qd.kernel
def collectives(x: Ints, out: Table):
    qd.loop_config(block_dim=BLOCK)
    for i in range(x.shape[0]):
        tid = block.thread_idx()
        if tid < LANES:
            v = x[i]
            at = i // BLOCK * LANES + tid
            out[0, at] = subgroup.reduce_all_add(v)
            out[1, at] = subgroup.inclusive_add(v)
            out[2, at] = subgroup.exclusive_max(v)
            out[3, at] = qd.i32(subgroup.any_true(v < 3))
            out[4, at] = qd.i32(subgroup.ballot_first_n(v & 1, LANES))
            out[5, at] = subgroup.shuffle_xor(v, 16)
            out[6, at] = subgroup.reduce_all_min_tiled(v, 4)
            out[7, at] = subgroup.broadcast(v, qd.u32(5))


# Single-pass scan: the first 32 threads of a block look at the 32 blocks before it at once.
@qd.kernel
def scan(x: Ints, out: Ints, words: Words, ticket: Words):
    qd.loop_config(block_dim=BLOCK)
    for i in range(x.shape[0]):
        shared = block.SharedArray((3,), qd.i32)
        tid = block.thread_idx()
        if tid == 0:
            shared[0] = qd.i32(qd.atomic_add(ticket[0], qd.u32(1)))
        block.sync()
        number = shared[0]
        value = block.inclusive_add(x[number * BLOCK + tid], BLOCK, qd.i32)
        if tid == BLOCK - 1:
            shared[1] = value
        block.sync()
        if tid < LANES:
            total = shared[1]
            if tid == 0:
                qd.atomic_exchange(words[number], qd.u32(AGGREGATE) | qd.u32(total))
            before = 0
            at = number - 1
            while at >= 0:
                word = qd.u32(PREFIX)
                if at - tid >= 0:
                    word = qd.volatile_load(words[at - tid])
                    while word == 0:
                        word = qd.volatile_load(words[at - tid])
                is_prefix = word >= qd.u32(PREFIX)
                nearest = subgroup.reduce_all_min(qd.select(is_prefix, tid, LANES))
                before += subgroup.reduce_all_add(qd.select(tid <= nearest, qd.i32(word & qd.u32(VALUE)), 0))
                at = qd.select(nearest < LANES, -1, at - LANES)
            if tid == 0:
                qd.atomic_exchange(words[number], qd.u32(PREFIX) | qd.u32(before + total))
                shared[2] = before
        block.sync()
        out[number * BLOCK + tid] = shared[2] + value
