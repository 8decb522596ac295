# The corpus of the benchmarks, part 1: a kernel for each subgroup operation, as an application
# would use it. Their CUDA twins are in subgroup.cu.
import quadrants as qd
from quadrants.lang.simt import subgroup

F32 = qd.types.ndarray(dtype=qd.f32, ndim=1)
I32 = qd.types.ndarray(dtype=qd.i32, ndim=1)
U32 = qd.types.ndarray(dtype=qd.u32, ndim=1)
TILE = 2  # log2 of the tile: the smallest wave has 4 lanes


@qd.kernel
def sg_elect(src: I32, dst: I32):
    qd.loop_config(block_dim=128)
    for i in range(src.shape[0]):
        if subgroup.elect():
            dst[i // subgroup.group_size()] = src[i]


@qd.kernel
def sg_shuffle(src: F32, dst: F32):
    qd.loop_config(block_dim=128)
    for i in range(src.shape[0]):
        lane = subgroup.invocation_id()
        dst[i] = subgroup.shuffle(src[i], qd.cast(subgroup.group_size() - 1 - lane, qd.u32))


@qd.kernel
def sg_shuffle_down(src: F32, dst: F32):
    qd.loop_config(block_dim=128)
    for i in range(src.shape[0]):
        dst[i] = src[i] + subgroup.shuffle_down(src[i], qd.u32(1))


@qd.kernel
def sg_shuffle_up(src: F32, dst: F32):
    qd.loop_config(block_dim=128)
    for i in range(src.shape[0]):
        dst[i] = src[i] + subgroup.shuffle_up(src[i], qd.u32(1))


@qd.kernel
def sg_shuffle_xor(src: F32, dst: F32):
    qd.loop_config(block_dim=128)
    for i in range(src.shape[0]):
        dst[i] = src[i] + subgroup.shuffle_xor(src[i], qd.u32(2))


@qd.kernel
def sg_broadcast(src: F32, dst: F32):
    qd.loop_config(block_dim=128)
    for i in range(src.shape[0]):
        dst[i] = src[i] - subgroup.broadcast(src[i], qd.u32(3))


@qd.kernel
def sg_broadcast_first(src: F32, dst: F32):
    qd.loop_config(block_dim=128)
    for i in range(src.shape[0]):
        dst[i] = src[i] - subgroup.broadcast_first(src[i])


@qd.kernel
def sg_ballot(src: F32, dst: I32):
    qd.loop_config(block_dim=128)
    for i in range(src.shape[0]):
        mask = subgroup.ballot(qd.i32(src[i] > 0.0))
        dst[i] = qd.math.popcnt(mask)


@qd.kernel
def sg_all_true(src: I32, dst: I32):
    qd.loop_config(block_dim=128)
    for i in range(src.shape[0]):
        dst[i] = subgroup.all_true(qd.i32(src[i] > 0))


@qd.kernel
def sg_any_true(src: I32, dst: I32):
    qd.loop_config(block_dim=128)
    for i in range(src.shape[0]):
        dst[i] = subgroup.any_true(qd.i32(src[i] > 0))


@qd.kernel
def sg_all_equal(src: I32, dst: I32):
    qd.loop_config(block_dim=128)
    for i in range(src.shape[0]):
        dst[i] = subgroup.all_equal(src[i])


@qd.kernel
def sg_lanemasks(src: I32, dst: U32):
    qd.loop_config(block_dim=128)
    for i in range(src.shape[0]):
        lane = src[i]
        mask = subgroup.lanemask_lt(lane) ^ subgroup.lanemask_ge(lane)
        mask += subgroup.lanemask_le(lane) ^ subgroup.lanemask_gt(lane)
        dst[i] = mask + subgroup.lanemask_eq(lane)


@qd.kernel
def sg_reduce_add(src: F32, dst: F32):
    qd.loop_config(block_dim=128)
    for i in range(src.shape[0]):
        total = subgroup.reduce_add(src[i])
        if subgroup.invocation_id() == 0:
            dst[i // subgroup.group_size()] = total


@qd.kernel
def sg_reduce_min(src: F32, dst: F32):
    qd.loop_config(block_dim=128)
    for i in range(src.shape[0]):
        total = subgroup.reduce_min(src[i])
        if subgroup.invocation_id() == 0:
            dst[i // subgroup.group_size()] = total


@qd.kernel
def sg_reduce_max(src: F32, dst: F32):
    qd.loop_config(block_dim=128)
    for i in range(src.shape[0]):
        total = subgroup.reduce_max(src[i])
        if subgroup.invocation_id() == 0:
            dst[i // subgroup.group_size()] = total


@qd.kernel
def sg_reduce_all_add(src: F32, dst: F32):
    qd.loop_config(block_dim=128)
    for i in range(src.shape[0]):
        dst[i] = src[i] - subgroup.reduce_all_add(src[i])


@qd.kernel
def sg_reduce_all_min(src: F32, dst: F32):
    qd.loop_config(block_dim=128)
    for i in range(src.shape[0]):
        dst[i] = src[i] - subgroup.reduce_all_min(src[i])


@qd.kernel
def sg_reduce_all_max(src: F32, dst: F32):
    qd.loop_config(block_dim=128)
    for i in range(src.shape[0]):
        dst[i] = src[i] - subgroup.reduce_all_max(src[i])


@qd.kernel
def sg_inclusive_add(src: F32, dst: F32):
    qd.loop_config(block_dim=128)
    for i in range(src.shape[0]):
        dst[i] = subgroup.inclusive_add(src[i])


@qd.kernel
def sg_inclusive_mul(src: F32, dst: F32):
    qd.loop_config(block_dim=128)
    for i in range(src.shape[0]):
        dst[i] = subgroup.inclusive_mul(src[i])


@qd.kernel
def sg_inclusive_min(src: F32, dst: F32):
    qd.loop_config(block_dim=128)
    for i in range(src.shape[0]):
        dst[i] = subgroup.inclusive_min(src[i])


@qd.kernel
def sg_inclusive_max(src: F32, dst: F32):
    qd.loop_config(block_dim=128)
    for i in range(src.shape[0]):
        dst[i] = subgroup.inclusive_max(src[i])


@qd.kernel
def sg_inclusive_and(src: I32, dst: I32):
    qd.loop_config(block_dim=128)
    for i in range(src.shape[0]):
        dst[i] = subgroup.inclusive_and(src[i])


@qd.kernel
def sg_inclusive_or(src: I32, dst: I32):
    qd.loop_config(block_dim=128)
    for i in range(src.shape[0]):
        dst[i] = subgroup.inclusive_or(src[i])


@qd.kernel
def sg_inclusive_xor(src: I32, dst: I32):
    qd.loop_config(block_dim=128)
    for i in range(src.shape[0]):
        dst[i] = subgroup.inclusive_xor(src[i])


@qd.kernel
def sg_exclusive_add(src: F32, dst: F32):
    qd.loop_config(block_dim=128)
    for i in range(src.shape[0]):
        dst[i] = subgroup.exclusive_add(src[i])


@qd.kernel
def sg_exclusive_mul(src: F32, dst: F32):
    qd.loop_config(block_dim=128)
    for i in range(src.shape[0]):
        dst[i] = subgroup.exclusive_mul(src[i])


@qd.kernel
def sg_exclusive_min(src: F32, dst: F32):
    qd.loop_config(block_dim=128)
    for i in range(src.shape[0]):
        dst[i] = subgroup.exclusive_min(src[i])


@qd.kernel
def sg_exclusive_max(src: F32, dst: F32):
    qd.loop_config(block_dim=128)
    for i in range(src.shape[0]):
        dst[i] = subgroup.exclusive_max(src[i])


@qd.kernel
def sg_exclusive_and(src: I32, dst: I32):
    qd.loop_config(block_dim=128)
    for i in range(src.shape[0]):
        dst[i] = subgroup.exclusive_and(src[i])


@qd.kernel
def sg_exclusive_or(src: I32, dst: I32):
    qd.loop_config(block_dim=128)
    for i in range(src.shape[0]):
        dst[i] = subgroup.exclusive_or(src[i])


@qd.kernel
def sg_exclusive_xor(src: I32, dst: I32):
    qd.loop_config(block_dim=128)
    for i in range(src.shape[0]):
        dst[i] = subgroup.exclusive_xor(src[i])


@qd.kernel
def sg_segmented_reduce_add(src: F32, heads: I32, dst: F32):
    qd.loop_config(block_dim=128)
    for i in range(src.shape[0]):
        dst[i] = subgroup.segmented_reduce_add(src[i], heads[i])


@qd.kernel
def sg_segmented_reduce_min(src: F32, heads: I32, dst: F32):
    qd.loop_config(block_dim=128)
    for i in range(src.shape[0]):
        dst[i] = subgroup.segmented_reduce_min(src[i], heads[i])


@qd.kernel
def sg_segmented_reduce_max(src: F32, heads: I32, dst: F32):
    qd.loop_config(block_dim=128)
    for i in range(src.shape[0]):
        dst[i] = subgroup.segmented_reduce_max(src[i], heads[i])


@qd.kernel
def sg_bitonic_sort_kv(src: F32, values: I32, dst: F32):
    qd.loop_config(block_dim=128)
    for i in range(src.shape[0]):
        key, value = subgroup.bitonic_sort_kv(src[i], values[i])
        dst[i] = key
        values[i] = value


@qd.kernel
def sg_all_equal_tiled(src: I32, dst: I32):
    qd.loop_config(block_dim=128)
    for i in range(src.shape[0]):
        dst[i] = subgroup.all_equal_tiled(src[i], TILE)


@qd.kernel
def sg_any_true_tiled(src: I32, dst: I32):
    qd.loop_config(block_dim=128)
    for i in range(src.shape[0]):
        dst[i] = subgroup.any_true_tiled(qd.i32(src[i] > 0), TILE)


@qd.kernel
def sg_reduce_add_tiled(src: F32, dst: F32):
    qd.loop_config(block_dim=128)
    for i in range(src.shape[0]):
        total = subgroup.reduce_add_tiled(src[i], TILE)
        if subgroup.invocation_id() % (1 << TILE) == 0:
            dst[i >> TILE] = total


@qd.kernel
def sg_reduce_all_max_tiled(src: F32, dst: F32):
    qd.loop_config(block_dim=128)
    for i in range(src.shape[0]):
        dst[i] = src[i] - subgroup.reduce_all_max_tiled(src[i], TILE)


@qd.kernel
def sg_inclusive_add_tiled(src: I32, dst: I32):
    qd.loop_config(block_dim=128)
    for i in range(src.shape[0]):
        dst[i] = subgroup.inclusive_add_tiled(src[i], TILE)


@qd.kernel
def sg_exclusive_add_tiled(src: I32, dst: I32):
    qd.loop_config(block_dim=128)
    for i in range(src.shape[0]):
        dst[i] = subgroup.exclusive_add_tiled(src[i], TILE)


@qd.kernel
def sg_segmented_reduce_add_tiled(src: F32, heads: I32, dst: F32):
    qd.loop_config(block_dim=128)
    for i in range(src.shape[0]):
        dst[i] = subgroup.segmented_reduce_add_tiled(src[i], heads[i], TILE)


@qd.kernel
def sg_bitonic_sort_kv_tiled(src: F32, values: I32, dst: F32):
    qd.loop_config(block_dim=128)
    for i in range(src.shape[0]):
        key, value = subgroup.bitonic_sort_kv_tiled(src[i], values[i], TILE)
        dst[i] = key
        values[i] = value
