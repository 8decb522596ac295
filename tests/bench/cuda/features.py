"""Pairs of kernels that do the same work, by what the compiler makes of the library's call and by
steps spelt out: what features.cpp times beside each other."""
import quadrants as qd
from quadrants.lang.simt import block, subgroup

BLOCK = 256
I32 = qd.types.ndarray(dtype=qd.i32, ndim=1)
U32 = qd.types.ndarray(dtype=qd.u32, ndim=1)


@qd.func
def tree(value, log2_size: qd.template()):
    total = value
    for k in qd.static(range(log2_size)):
        total += subgroup.shuffle_xor(total, qd.u32(1 << k))
    return total


@qd.kernel
def sum_call(x: I32, rounds: qd.i32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(x.shape[0]):
        v = x[i]
        for k in range(rounds):
            v = subgroup.reduce_all_add(v) + k
        x[i] = v


@qd.kernel
def sum_steps(x: I32, rounds: qd.i32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(x.shape[0]):
        v = x[i]
        for k in range(rounds):
            v = tree(v, 5) + k
        x[i] = v


@qd.kernel
def vote_call(x: I32, rounds: qd.i32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(x.shape[0]):
        v = x[i]
        for k in range(rounds):
            v = v * 5 + subgroup.any_true_tiled(v & 64, 3)
        x[i] = v


@qd.kernel
def vote_steps(x: I32, rounds: qd.i32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(x.shape[0]):
        v = x[i]
        for k in range(rounds):
            any = v & 64
            for step in qd.static(range(3)):
                any |= subgroup.shuffle_xor(any, qd.u32(1 << step))
            v = v * 5 + qd.cast(any != 0, qd.i32)
        x[i] = v


@qd.kernel
def rank_call(keys: U32, ranks: I32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(keys.shape[0]):
        bins = block.SharedArray((BLOCK,), qd.i32)
        starts = block.SharedArray((BLOCK,), qd.i32)
        ranks[i] = block.radix_rank_match_atomic_or(keys[i], BLOCK, 8, 0, 8, bins, starts)


@qd.kernel
def rank_steps(keys: U32, ranks: I32):
    """The rank by masks in shared memory: an atomic or a key, a cell a subgroup and digit."""
    qd.loop_config(block_dim=BLOCK)
    for i in range(keys.shape[0]):
        cells = block.SharedArray((8 * BLOCK,), qd.u32)
        starts = block.SharedArray((BLOCK,), qd.i32)
        tid = block.thread_idx()
        lane = subgroup.invocation_id()
        row = (tid // 32) * BLOCK
        digit = qd.cast(keys[i] & qd.u32(255), qd.i32)
        for k in qd.static(range(8)):
            cells[row + k * 32 + lane] = 0
        bit = qd.u32(1) << qd.cast(lane, qd.u32)
        subgroup.sync()
        qd.atomic_or(cells[row + digit], bit)
        subgroup.sync()
        peers = cells[row + digit]
        before = qd.math.popcnt(peers & (bit - 1))
        subgroup.sync()
        if before == 0:
            cells[row + digit] = qd.math.popcnt(peers)
        block.sync()
        total = 0
        for s in qd.static(range(8)):
            here = qd.cast(cells[s * BLOCK + tid], qd.i32)
            cells[s * BLOCK + tid] = total
            total = total + here
        starts[tid] = block.exclusive_add(total, BLOCK, qd.i32)
        block.sync()
        ranks[i] = starts[digit] + qd.cast(cells[row + digit], qd.i32) + before


F32 = qd.types.ndarray(dtype=qd.f32, ndim=1)


@qd.kernel
def least_call(x: F32, least: F32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(x.shape[0]):
        qd.atomic_min(least[i % least.shape[0]], x[i])


@qd.kernel
def least_steps(x: F32, least: I32):
    """A loop of compare-and-swaps on the numbers' bits."""
    qd.loop_config(block_dim=BLOCK)
    for i in range(x.shape[0]):
        at = i % least.shape[0]
        seen = qd.volatile_load(least[at])
        wait = True
        while wait:
            less = qd.bit_cast(qd.min(qd.bit_cast(seen, qd.f32), x[i]), qd.i32)
            old = qd.atomic_cas(least[at], seen, less)
            wait = old != seen
            seen = old
