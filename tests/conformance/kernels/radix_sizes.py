# The block radix rank in blocks of 64 and of 512 threads.
import quadrants as qd
from quadrants.lang.simt import block

U32 = qd.types.ndarray(dtype=qd.u32, ndim=1)
I32 = qd.types.ndarray(dtype=qd.i32, ndim=1)


@qd.kernel
def rank6(keys: U32, ranks: I32, counts: I32, starts: I32):
    qd.loop_config(block_dim=64)
    for i in range(keys.shape[0]):
        bins = block.SharedArray((64,), qd.i32)
        excl = block.SharedArray((64,), qd.i32)
        ranks[i] = block.radix_rank_match_atomic_or(keys[i], 64, 6, 3, 6, bins, excl)
        counts[i] = bins[block.thread_idx()]
        starts[i] = excl[block.thread_idx()]


@qd.kernel
def rank9(keys: U32, ranks: I32, counts: I32, starts: I32):
    qd.loop_config(block_dim=512)
    for i in range(keys.shape[0]):
        bins = block.SharedArray((512,), qd.i32)
        excl = block.SharedArray((512,), qd.i32)
        ranks[i] = block.radix_rank_match_atomic_or(keys[i], 512, 9, 3, 9, bins, excl)
        counts[i] = bins[block.thread_idx()]
        starts[i] = excl[block.thread_idx()]
