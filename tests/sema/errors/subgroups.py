# Subgroup operations that cannot be right, on waves of 32: the whole text of each error.
# exact
# waves: 32
import quadrants as qd
from quadrants.lang.simt import subgroup

F = qd.types.ndarray(dtype=qd.f32, ndim=1)
I = qd.types.ndarray(dtype=qd.i32, ndim=1)
N = 100


@qd.kernel
def ragged(a: F, b: I):
    # The second subgroup has 16 lanes.
    qd.loop_config(block_dim=48)
    for i in range(a.shape[0]):
        a[i] = subgroup.shuffle_xor(a[i], 8)
        a[i] = subgroup.shuffle_xor(a[i], 16)  # error: `subgroup.shuffle_xor` exchanges values over a mask of 16, but the block has 48 threads | make block_dim a multiple of the wave
        a[i] = subgroup.shuffle(a[i], 15)
        a[i] = subgroup.shuffle(a[i], 16)  # error: `subgroup.shuffle` reads lane 16, but the block has 48 threads | make block_dim a multiple of the wave
        a[i] = subgroup.broadcast(a[i], 31)  # error: `subgroup.broadcast` reads lane 31, but the block has 48 threads | make block_dim a multiple of the wave
        a[i] = subgroup.broadcast_first(a[i])
        a[i] = subgroup.shuffle_down(a[i], 8)
        a[i] = subgroup.shuffle_down(a[i], 16)  # error: `subgroup.shuffle_down` reads at a distance of 16, but the block has 48 threads | make block_dim a multiple of the wave
        a[i] = subgroup.shuffle_up(a[i], 16)
        b[i] = subgroup.ballot(b[i])  # error: `subgroup.ballot` works on whole subgroups of 32 lanes, but the block has 48 threads | make block_dim a multiple of the wave, or ask only the first lanes, with `subgroup.ballot_first_n`
        b[i] = subgroup.ballot_first_n(b[i], 16)
        b[i] = subgroup.ballot_first_n(b[i], 17)  # error: `subgroup.ballot_first_n` asks the first 17 lanes, but the block has 48 threads | make block_dim a multiple of the wave, or ask for at most 16
        b[i] = subgroup.all_true(b[i])  # error: `subgroup.all_true` works on whole subgroups of 32 lanes, but the block has 48 threads | make block_dim a multiple of the wave, or use the `_tiled` form
        b[i] = subgroup.any_true(b[i])  # error: `subgroup.any_true` works on whole subgroups of 32 lanes, but the block has 48 threads | make block_dim a multiple of the wave, or use the `_tiled` form
        b[i] = subgroup.any_true_tiled(b[i], 4)
        b[i] = subgroup.all_equal(b[i])  # error: `subgroup.all_equal` works on whole subgroups of 32 lanes, but the block has 48 threads | make block_dim a multiple of the wave, or use the `_tiled` form
        b[i] = subgroup.all_equal_tiled(b[i], 5)  # error: `subgroup.all_equal_tiled` works on whole subgroups of 32 lanes, but the block has 48 threads | make block_dim a multiple of the wave
        b[i] = subgroup.all_equal_tiled(b[i], 4)
        a[i] = subgroup.reduce_add(a[i])  # error: `subgroup.reduce_add` works on whole subgroups of 32 lanes, but the block has 48 threads | make block_dim a multiple of the wave, or use the `_tiled` form
        a[i] = subgroup.reduce_all_max(a[i])  # error: `subgroup.reduce_all_max` works on whole subgroups of 32 lanes, but the block has 48 threads | make block_dim a multiple of the wave, or use the `_tiled` form
        a[i] = subgroup.inclusive_add(a[i])  # error: `subgroup.inclusive_add` works on whole subgroups of 32 lanes, but the block has 48 threads | make block_dim a multiple of the wave, or use the `_tiled` form
        a[i] = subgroup.exclusive_mul_tiled(a[i], 4)
        a[i] = subgroup.segmented_reduce_min(a[i], b[i])  # error: `subgroup.segmented_reduce_min` works on whole subgroups of 32 lanes, but the block has 48 threads | make block_dim a multiple of the wave, or use the `_tiled` form
        a[i] = subgroup.segmented_reduce_add_tiled(a[i], b[i], 4)
        a[i], b[i] = subgroup.bitonic_sort_kv(a[i], b[i])  # error: `subgroup.bitonic_sort_kv` works on whole subgroups of 32 lanes, but the block has 48 threads | make block_dim a multiple of the wave, or use the `_tiled` form
        a[i], b[i] = subgroup.bitonic_sort_kv_tiled(a[i], b[i], 3)
        b[i] = subgroup.lanemask_lt(subgroup.invocation_id()) + subgroup.elect()
        subgroup.sync()
        subgroup.mem_fence()


@qd.kernel
def odd(a: F):
    qd.loop_config(block_dim=40)
    for i in range(a.shape[0]):
        a[i] = subgroup.reduce_add_tiled(a[i], 3)
        a[i] = subgroup.reduce_add_tiled(a[i], 4)  # error: `subgroup.reduce_add_tiled` works on tiles of 16 lanes, but the block has 40 threads | make block_dim a multiple of the tile


@qd.kernel
def tail(a: F):
    # The last subgroup runs the body in 4 lanes: 64 + 32 + 4.
    qd.loop_config(block_dim=64)
    for i in range(N):
        a[i] = subgroup.reduce_add_tiled(a[i], 2)
        a[i] = subgroup.reduce_add_tiled(a[i], 3)  # error: `subgroup.reduce_add_tiled` works on tiles of 8 lanes, but the loop has 100 iterations in blocks of 64, so that only 4 lanes of its last subgroup run the body | make the bound a multiple of the tile and test the index in the body
        a[i] = subgroup.reduce_add(a[i])  # error: `subgroup.reduce_add` works on whole subgroups of 32 lanes, but the loop has 100 iterations in blocks of 64, so that only 4 lanes of its last subgroup run the body | make the bound a multiple of the wave and test the index in the body, or use the `_tiled` form
        a[i] = subgroup.shuffle(a[i], 5)  # error: `subgroup.shuffle` reads lane 5, but the loop has 100 iterations in blocks of 64, so that only 4 lanes of its last subgroup run the body | make the bound a multiple of the wave and test the index in the body
        a[i] = subgroup.shuffle(a[i], 3)


@qd.kernel
def out_of_the_wave(a: F, b: I):
    qd.loop_config(block_dim=64)
    for i in range(a.shape[0]):
        lane = subgroup.invocation_id()
        a[i] = subgroup.reduce_add_tiled(a[i], 6)  # error: `subgroup.reduce_add_tiled` asks for a tile of 2**6 lanes, but the subgroup has 32 | log2_size is between 0 and 5 here; build this kernel for wider waves only if it needs more
        a[i] = subgroup.reduce_add_tiled(a[i], -1)  # error: `subgroup.reduce_add_tiled` asks for a tile of 2**-1 lanes, but the subgroup has 32 | log2_size is between 0 and 5 here; build this kernel for wider waves only if it needs more
        a[i] = subgroup.segmented_reduce_max_tiled(a[i], b[i], 6)  # error: `subgroup.segmented_reduce_max_tiled` asks for a tile of 2**6 lanes, but the subgroup has 32 | log2_size is between 0 and 5 here; build this kernel for wider waves only if it needs more
        a[i], b[i] = subgroup.bitonic_sort_kv_tiled(a[i], b[i], 7)  # error: `subgroup.bitonic_sort_kv_tiled` asks for a tile of 2**7 lanes, but the subgroup has 32 | log2_size is between 0 and 5 here; build this kernel for wider waves only if it needs more
        b[i] = subgroup.all_equal_tiled(b[i], 6)  # error: `subgroup.all_equal_tiled` asks for a tile of 2**6 lanes, but the subgroup has 32 | log2_size is between 0 and 5 here; build this kernel for wider waves only if it needs more
        a[i] = subgroup.inclusive_add_tiled(a[i], lane)  # error: `log2_size` of `subgroup.inclusive_add_tiled` has to be a compile-time integer, not a run-time i32 | use a literal, `subgroup.log2_group_size()` or a `qd.template()` parameter
        a[i] = subgroup.segmented_reduce_add_tiled(a[i], b[i], lane)  # error: `log2_size` of `subgroup.segmented_reduce_add_tiled` has to be a compile-time integer, not a run-time i32 | use a literal, `subgroup.log2_group_size()` or a `qd.template()` parameter
        a[i] = subgroup.shuffle(a[i], 32)  # error: `subgroup.shuffle` reads lane 32, but the subgroup has 32 lanes | lanes count from 0; `subgroup.group_size()` is how many there are
        a[i] = subgroup.broadcast(a[i], qd.u32(40))  # error: `subgroup.broadcast` reads lane 40, but the subgroup has 32 lanes | lanes count from 0; `subgroup.group_size()` is how many there are
        a[i] = subgroup.shuffle_xor(a[i], 32)  # error: `subgroup.shuffle_xor` exchanges values over a mask of 32, but the subgroup has 32 lanes | lanes count from 0; `subgroup.group_size()` is how many there are
        a[i] = subgroup.shuffle_down(a[i], 32)  # error: `subgroup.shuffle_down` reads at a distance of 32, but the subgroup has 32 lanes | lanes count from 0; `subgroup.group_size()` is how many there are
        a[i] = subgroup.shuffle_up(a[i], 100)  # error: `subgroup.shuffle_up` reads at a distance of 100, but the subgroup has 32 lanes | lanes count from 0; `subgroup.group_size()` is how many there are
        b[i] = subgroup.ballot_first_n(1, 0)  # error: `n` of `subgroup.ballot_first_n` has to be between 1 and 32, not 0
        b[i] = subgroup.ballot_first_n(1, 33)  # error: `n` of `subgroup.ballot_first_n` has to be between 1 and 32, not 33
        b[i] = subgroup.lanemask_lt(32)  # error: `subgroup.lanemask_lt` has bits for the lanes 0 to 31, not for lane 32 | `subgroup.ballot` has one for each of 64 lanes
        b[i] = subgroup.lanemask_ge(31) | subgroup.lanemask_eq(0)


@qd.kernel
def types(
    a: F,
    b: I,
    h: qd.types.ndarray(dtype=qd.f16, ndim=1),
    g: qd.types.ndarray(dtype=qd.bf16, ndim=1),
    v: qd.types.ndarray(dtype=qd.types.vector(3, qd.f32), ndim=1),
    u: qd.types.ndarray(dtype=qd.u8, ndim=1),
):
    for i in range(a.shape[0]):
        lane = subgroup.invocation_id()
        a[i] = subgroup.shuffle(a[i], lane)  # error: a lane number, offset or mask of `subgroup.shuffle` is u32, not i32 | write `qd.u32(...)`
        a[i] = subgroup.shuffle_down(a[i], -1)  # error: a lane number, offset or mask of `subgroup.shuffle_down` is u32, not the integer -1
        a[i] = subgroup.shuffle_xor(a[i], a[i])  # error: a lane number, offset or mask of `subgroup.shuffle_xor` is u32, not f32 | write `qd.u32(...)`
        a[i] = subgroup.shuffle(a[i], u[i])
        h[i] = subgroup.shuffle(h[i], 1)  # error: `subgroup.shuffle` takes i32, u32, i64, u64, f32 and f64, not f16 | write `qd.f32(...)`
        h[i] = subgroup.reduce_add(h[i])  # error: `subgroup.reduce_add` takes i32, u32, i64, u64, f32 and f64, not f16 | write `qd.f32(...)`
        g[i] = subgroup.shuffle(g[i], 1)  # error: `subgroup.shuffle` takes i32, u32, i64, u64, f32 and f64, not bf16 | write `qd.f32(...)`
        g[i] = subgroup.reduce_and(qd.f32(h[i]))  # error: `subgroup.reduce_and` is bitwise and takes integers, not f32 | `qd.bit_cast` gives the bits of a real
        g[i] &= 1  # error: this augmented assignment is bitwise and needs integers, but the element is bf16
        u[i] = subgroup.inclusive_max(u[i])  # error: `subgroup.inclusive_max` takes i32, u32, i64, u64, f32 and f64, not u8 | write `int(...)`
        a[i] = subgroup.broadcast(v[i], 0)[0]  # error: `subgroup.broadcast` takes a scalar, not a vector | call it for each component
        a[i], u[i] = subgroup.bitonic_sort_kv(a[i], u[i])  # error: `subgroup.bitonic_sort_kv` takes i32, u32, i64, u64, f32 and f64, not u8 | write `int(...)`
        b[i] = subgroup.all_equal(u[i]) + subgroup.all_equal(h[i])
        b[i] = subgroup.all_true(a[i]) + subgroup.any_true(h[i])
        a[i] = subgroup.inclusive_and(a[i])  # error: `subgroup.inclusive_and` is bitwise and takes integers, not f32 | `qd.bit_cast` gives the bits of a real
        a[i] = subgroup.exclusive_xor_tiled(a[i], 2)  # error: `subgroup.exclusive_xor_tiled` is bitwise and takes integers, not f32 | `qd.bit_cast` gives the bits of a real
        b[i] = subgroup.ballot(a[i])  # error: `subgroup.ballot` takes an integer predicate, not f32 | compare it, as in `x != 0`
        b[i] = subgroup.lanemask_le(a[i])  # error: `lane_id` of `subgroup.lanemask_le` is an integer, not a run-time f32 | compare it, as in `x != 0`, or cast it
        a[i] = subgroup.segmented_reduce_add(a[i], a[i])  # error: `head_flag` of `subgroup.segmented_reduce_add` is an integer, not a run-time f32 | compare it, as in `x != 0`, or cast it


@qd.kernel
def serial(a: F):
    a[0] = subgroup.reduce_add(a[0])  # error: `subgroup.reduce_add` works on whole subgroups of 32 lanes, but the block has 1 thread | call it in a parallel loop
    a[1] = subgroup.shuffle_xor(a[0], 1)  # error: `subgroup.shuffle_xor` exchanges values over a mask of 1, but the block has 1 thread | call it in a parallel loop
    a[2] = subgroup.ballot(1)  # error: `subgroup.ballot` works on whole subgroups of 32 lanes, but the block has 1 thread | call it in a parallel loop


@qd.kernel
def warps(a: I):
    qd.loop_config(block_dim=64)
    for i in range(64):
        qd.simt.warp.sync(qd.u32(0xFFFFFFFF))
        qd.simt.warp.sync(0xFFFF)  # error: `warp.sync` is of all 32 lanes: its mask is 0xFFFFFFFF, not 65535 | let all lanes reach the call; `qd.simt.subgroup` has operations on tiles
        qd.simt.warp.sync(i)  # error: `mask` of `warp.sync` has to be a compile-time integer, not a run-time i32 | use a literal, a module constant, `qd.static(...)`, or a `qd.template()` parameter
        a[i] = qd.simt.warp.shfl_sync_i32(0xFF, i, 1)  # error: `warp.shfl_sync_i32` is of all 32 lanes: its mask is 0xFFFFFFFF, not 255 | let all lanes reach the call; `qd.simt.subgroup` has operations on tiles
        a[i] = qd.simt.warp.any_nonzero(i, i)  # error: `mask` of `warp.any_nonzero` has to be a compile-time integer, not a run-time i32 | use a literal, a module constant, `qd.static(...)`, or a `qd.template()` parameter
        a[i] = qd.simt.warp.active_mask()  # error: `qd.simt.warp` has no `active_mask`: which lanes are together is not known | write `qd.simt.subgroup.ballot(condition)`, for the lanes where it holds
        a[i] = qd.simt.warp.shfl_sync(0xFFFFFFFF, i, 1)  # error: `warp` has no `shfl_sync` | `qd.simt.subgroup` has shuffles, votes and ballots of all widths; those with `_tiled` take 5 for 32 lanes
        a[i] = i.bit_length()  # error: `bit_length` needs a compile-time integer, not a run-time i32 | use a literal, a module constant, `qd.static(...)`, or a `qd.template()` parameter
