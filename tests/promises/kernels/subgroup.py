"""The cost of subgroup operations.

The kernels are the same on every target; what each may take there stands in ../TARGET/subgroup.txt.
The constants are for GPUs: the CPU sets smaller ones, as a subgroup has 8 lanes there.
"""
import quadrants as qd
from quadrants.lang.simt import subgroup

BLOCK = 128
COUNT = 1024
TILE = 3  # the logarithm of its lanes

I32 = qd.types.ndarray(dtype=qd.i32, ndim=1)
U32 = qd.types.ndarray(dtype=qd.u32, ndim=1)
I64 = qd.types.ndarray(dtype=qd.i64, ndim=1)
F32 = qd.types.ndarray(dtype=qd.f32, ndim=1)


# Moves: one each.
@qd.kernel
def shuffle(x: F32, lane: U32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(COUNT):
        x[i] = subgroup.shuffle(x[i], lane[i])


@qd.kernel
def shuffle_i64(x: I64, lane: U32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(COUNT):
        x[i] = subgroup.shuffle(x[i], lane[i])


@qd.kernel
def shuffle_down(x: F32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(COUNT):
        x[i] = subgroup.shuffle_down(x[i], qd.u32(3))


@qd.kernel
def shuffle_up(x: F32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(COUNT):
        x[i] = subgroup.shuffle_up(x[i], qd.u32(3))


@qd.kernel
def shuffle_xor(x: F32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(COUNT):
        x[i] = subgroup.shuffle_xor(x[i], qd.u32(1))


@qd.kernel
def broadcast(x: F32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(COUNT):
        x[i] = subgroup.broadcast(x[i], qd.u32(5))


@qd.kernel
def broadcast_first(x: F32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(COUNT):
        x[i] = subgroup.broadcast_first(x[i])


# Arithmetic, and constants.
@qd.kernel
def where(x: I32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(COUNT):
        x[i] = subgroup.invocation_id() + subgroup.group_size() + subgroup.log2_group_size()


@qd.kernel
def elect(x: I32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(COUNT):
        x[i] = subgroup.elect()


# A barrier of the subgroup, a fence of the block.
@qd.kernel
def orders(x: I32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(COUNT):
        x[i] = 1
        subgroup.sync()
        x[i] = 2
        subgroup.mem_fence()
        x[i] = 3


# One ballot; small.py has what stands around it.
@qd.kernel
def ballot(x: I32, out: U32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(COUNT):
        out[i] = subgroup.ballot_first_n(x[i], 32)


@qd.kernel
def ballot_some(x: I32, out: U32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(COUNT):
        out[i] = subgroup.ballot_first_n(x[i], 7)


# One vote.
@qd.kernel
def all_true(x: I32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(COUNT):
        x[i] = subgroup.all_true(x[i])


@qd.kernel
def any_true(x: I32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(COUNT):
        x[i] = subgroup.any_true(x[i])


# A tile takes log2 shuffles at most.
@qd.kernel
def all_true_tiled(x: I32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(COUNT):
        x[i] = subgroup.all_true_tiled(x[i], TILE)


@qd.kernel
def any_true_tiled(x: I32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(COUNT):
        x[i] = subgroup.any_true_tiled(x[i], TILE)


# One shuffle and one vote, by the comparison of reals.
@qd.kernel
def all_equal(x: F32, out: I32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(COUNT):
        out[i] = subgroup.all_equal(x[i])


@qd.kernel
def all_equal_tiled(x: F32, out: I32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(COUNT):
        out[i] = subgroup.all_equal_tiled(x[i], TILE)


# log2 shuffles and ops, no barrier, nothing shared.
@qd.kernel
def reduce_add(x: F32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(COUNT):
        x[i] = subgroup.reduce_add(x[i])


@qd.kernel
def reduce_all_add(x: F32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(COUNT):
        x[i] = subgroup.reduce_all_add(x[i])


@qd.kernel
def reduce_min(x: F32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(COUNT):
        x[i] = subgroup.reduce_min(x[i])


@qd.kernel
def reduce_all_min(x: F32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(COUNT):
        x[i] = subgroup.reduce_all_min(x[i])


@qd.kernel
def reduce_max(x: F32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(COUNT):
        x[i] = subgroup.reduce_max(x[i])


@qd.kernel
def reduce_all_max(x: F32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(COUNT):
        x[i] = subgroup.reduce_all_max(x[i])


# A tile takes the logarithm of its lanes.
@qd.kernel
def reduce_tiled(x: F32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(COUNT):
        x[i] = subgroup.reduce_add_tiled(x[i], TILE)


@qd.kernel
def reduce_all_tiled(x: F32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(COUNT):
        x[i] = subgroup.reduce_all_add_tiled(x[i], TILE)


# 64 bits are twice the moves.
@qd.kernel
def reduce_i64(x: I64):
    qd.loop_config(block_dim=BLOCK)
    for i in range(COUNT):
        x[i] = subgroup.reduce_add(x[i])


# 32-bit integers: where the target has an instruction for the whole, it is that.
@qd.kernel
def reduce_i32(x: I32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(COUNT):
        x[i] = subgroup.reduce_add(x[i])


@qd.kernel
def reduce_all_u32(x: U32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(COUNT):
        x[i] = subgroup.reduce_all_max(x[i])


# Not for tiles.
@qd.kernel
def reduce_i32_tiled(x: I32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(COUNT):
        x[i] = subgroup.reduce_all_add_tiled(x[i], TILE)


# log2 pairs of shuffle and op.
@qd.kernel
def inclusive_add(x: F32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(COUNT):
        x[i] = subgroup.inclusive_add(x[i])


@qd.kernel
def inclusive_mul(x: F32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(COUNT):
        x[i] = subgroup.inclusive_mul(x[i])


@qd.kernel
def inclusive_min(x: F32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(COUNT):
        x[i] = subgroup.inclusive_min(x[i])


@qd.kernel
def inclusive_max(x: F32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(COUNT):
        x[i] = subgroup.inclusive_max(x[i])


@qd.kernel
def inclusive_i32(x: I32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(COUNT):
        x[i] = subgroup.inclusive_add(x[i])


@qd.kernel
def inclusive_xor(x: I32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(COUNT):
        x[i] = subgroup.inclusive_xor(x[i])


# One move more.
@qd.kernel
def exclusive_add(x: F32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(COUNT):
        x[i] = subgroup.exclusive_add(x[i])


@qd.kernel
def exclusive_i32(x: I32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(COUNT):
        x[i] = subgroup.exclusive_max(x[i])


@qd.kernel
def exclusive_tiled(x: F32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(COUNT):
        x[i] = subgroup.exclusive_min_tiled(x[i], TILE)


# One ballot, log2 shuffles and ops.
@qd.kernel
def segmented(x: F32, head: I32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(COUNT):
        x[i] = subgroup.segmented_reduce_add(x[i], head[i])


@qd.kernel
def segmented_tiled(x: F32, head: I32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(COUNT):
        x[i] = subgroup.segmented_reduce_max_tiled(x[i], head[i], TILE)


# log2 * (log2 + 1) shuffles: half of them keys, half values.
@qd.kernel
def sort(keys: F32, values: I32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(COUNT):
        k, v = subgroup.bitonic_sort_kv(keys[i], values[i])
        keys[i] = k
        values[i] = v


@qd.kernel
def sort_tiled(keys: F32, values: I32):
    qd.loop_config(block_dim=BLOCK)
    for i in range(COUNT):
        k, v = subgroup.bitonic_sort_kv_tiled(keys[i], values[i], TILE)
        keys[i] = k
        values[i] = v
