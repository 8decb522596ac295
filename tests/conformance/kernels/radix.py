# The block radix rank: digits of several widths and places, and its two side results.
import quadrants as qd
from quadrants.lang.simt import block


@qd.kernel
def rank8(
    keys: qd.types.ndarray(dtype=qd.u32, ndim=1),
    ranks: qd.types.ndarray(dtype=qd.i32, ndim=2),
    counts: qd.types.ndarray(dtype=qd.i32, ndim=2),
    starts: qd.types.ndarray(dtype=qd.i32, ndim=2),
):
    qd.loop_config(block_dim=256)
    for i in range(keys.shape[0]):
        bins = block.SharedArray((256,), qd.i32)
        excl = block.SharedArray((256,), qd.i32)
        tid = block.thread_idx()
        ranks[0, i] = block.radix_rank_match_atomic_or(keys[i], 256, 8, 0, 8, bins, excl)
        counts[0, i] = bins[tid]
        starts[0, i] = excl[tid]
        block.sync()
        ranks[1, i] = block.radix_rank_match_atomic_or(keys[i], 256, 8, 24, 8, bins, excl)
        counts[1, i] = bins[tid]
        starts[1, i] = excl[tid]
        block.sync()
        ranks[2, i] = block.radix_rank_match_atomic_or(keys[i], 256, 8, 5, 3, bins, excl)
        counts[2, i] = bins[tid]
        starts[2, i] = excl[tid]


@qd.kernel
def sort_block(
    keys: qd.types.ndarray(dtype=qd.u32, ndim=1), out: qd.types.ndarray(dtype=qd.u32, ndim=1)
):
    # A whole least-significant-digit sort of one block's keys.
    qd.loop_config(block_dim=256)
    for i in range(keys.shape[0]):
        bins = block.SharedArray((256,), qd.i32)
        excl = block.SharedArray((256,), qd.i32)
        moved = block.SharedArray((256,), qd.u32)
        tid = block.thread_idx()
        key = keys[i]
        for digit in qd.static(range(4)):
            rank = block.radix_rank_match_atomic_or(key, 256, 8, 8 * digit, 8, bins, excl)
            moved[rank] = key
            block.sync()
            key = moved[tid]
            block.sync()
        out[i] = key
