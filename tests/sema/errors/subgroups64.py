# Blocks of 32 threads on waves of 64: what the block's lanes fill is right, the rest is not.
# exact
# waves: 64
import quadrants as qd
from quadrants.lang.simt import subgroup, block

F = qd.types.ndarray(dtype=qd.f32, ndim=1)
I = qd.types.ndarray(dtype=qd.i32, ndim=1)


@qd.kernel
def half(a: F, b: I):
    qd.loop_config(block_dim=32)
    for i in range(a.shape[0]):
        lane = subgroup.invocation_id()
        a[i] = subgroup.shuffle(a[i], qd.cast(lane ^ 1, qd.u32))
        for k in qd.static(range(5)):
            a[i] += subgroup.shuffle_down(a[i], 1 << k) + subgroup.shuffle_xor(a[i], 1 << k)
        a[i] += subgroup.shuffle_down(a[i], 32)  # error: `subgroup.shuffle_down` reads at a distance of 32, but the block has 32 threads | make block_dim a multiple of the wave
        a[i] += subgroup.shuffle_xor(a[i], 63)  # error: `subgroup.shuffle_xor` exchanges values over a mask of 63, but the block has 32 threads | make block_dim a multiple of the wave
        b[i] = subgroup.ballot_first_n(b[i], 32)
        a[i] = subgroup.reduce_add_tiled(a[i], 5) + subgroup.reduce_all_add_tiled(a[i], 5)
        a[i] = subgroup.inclusive_add_tiled(a[i], 5)
        a[i] = subgroup.reduce_add(a[i])  # error: `subgroup.reduce_add` works on whole subgroups of 64 lanes, but the block has 32 threads | make block_dim a multiple of the wave, or use the `_tiled` form
        a[i], b[i] = subgroup.bitonic_sort_kv(a[i], b[i])  # error: `subgroup.bitonic_sort_kv` works on whole subgroups of 64 lanes, but the block has 32 threads | make block_dim a multiple of the wave, or use the `_tiled` form
        a[i] = block.reduce_add(a[i], 32, qd.f32)  # error: `block.reduce_add` works on blocks of whole subgroups of 64 lanes, but block_dim is 32 | make block_dim, here and in `qd.loop_config`, a multiple of the wave


@qd.kernel
def waves(a: F):
    # Only this wave has lane 63 and tiles of 64.
    qd.loop_config(block_dim=96)
    for i in range(a.shape[0]):
        a[i] = subgroup.reduce_add_tiled(a[i], 6)  # error: `subgroup.reduce_add_tiled` works on whole subgroups of 64 lanes, but the block has 96 threads | make block_dim a multiple of the wave
        a[i] = subgroup.broadcast(a[i], 63)  # error: `subgroup.broadcast` reads lane 63, but the block has 96 threads | make block_dim a multiple of the wave
        a[i] = subgroup.broadcast(a[i], 64)  # error: `subgroup.broadcast` reads lane 64, but the subgroup has 64 lanes | lanes count from 0; `subgroup.group_size()` is how many there are
