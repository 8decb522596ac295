# A ballot of more lanes than a narrow wave has, and what a block with a rest can ask for.
# exact
# waves: 8
import quadrants as qd
from quadrants.lang.simt import subgroup

U = qd.types.ndarray(dtype=qd.u32, ndim=1)


@qd.kernel
def wide(x: U):
    qd.loop_config(block_dim=32)
    for i in range(32):
        x[i] = subgroup.ballot_first_n(1, 16)  # error: `subgroup.ballot_first_n` asks the first 16 lanes, but the subgroup has 8 | ask for at most 8, or build this kernel for wider waves only
        x[i] = subgroup.ballot_first_n(1, 8)
        x[i] = subgroup.ballot_first_n(1, 32)


@qd.kernel
def rest(x: U):
    qd.loop_config(block_dim=12)
    for i in range(12):
        x[i] = subgroup.ballot_first_n(1, 8)  # error: `subgroup.ballot_first_n` asks the first 8 lanes, but the block has 12 threads | make block_dim a multiple of the wave, or ask for at most 4
        x[i] = subgroup.ballot_first_n(1, 4)


@qd.kernel
def warp(x: U):
    qd.loop_config(block_dim=32)
    for i in range(32):
        qd.simt.warp.sync(-1)  # error: `warp.sync` asks for a tile of 2**5 lanes, but the subgroup has 8 | log2_size is between 0 and 3 here; build this kernel for wider waves only if it needs more
