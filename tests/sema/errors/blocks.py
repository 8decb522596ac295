# Block operations that cannot be right, on waves of 32: the whole text of each error.
# exact
# waves: 32
import quadrants as qd
from quadrants.lang.simt import subgroup, block

F = qd.types.ndarray(dtype=qd.f32, ndim=1)
I = qd.types.ndarray(dtype=qd.i32, ndim=1)
U = qd.types.ndarray(dtype=qd.u32, ndim=1)
N = 100


@qd.func
def add(a, b):
    return a + b


@qd.kernel
def sizes(a: F, n: qd.i32):
    qd.loop_config(block_dim=64)
    for i in range(6400):
        a[i] = block.reduce_add(a[i], 48, qd.f32)  # error: `block.reduce_add` works on blocks of whole subgroups of 32 lanes, but block_dim is 48 | make block_dim, here and in `qd.loop_config`, a multiple of the wave
        a[i] = block.reduce_all_max(a[i], 128, qd.f32)  # error: `block.reduce_all_max` is told that block_dim is 128, but the loop around it has blocks of 64 threads | write `qd.loop_config(block_dim=128)` before the loop, or pass 64
        a[i] = block.inclusive_add(a[i], 0, qd.f32)  # error: `block.inclusive_add` works on blocks of whole subgroups of 32 lanes, but block_dim is 0 | make block_dim, here and in `qd.loop_config`, a multiple of the wave
        a[i] = block.exclusive_min(a[i], n, qd.f32)  # error: `block_dim` of `block.exclusive_min` has to be a compile-time integer, not a run-time i32 | use a literal, a module constant, `qd.static(...)`, or a `qd.template()` parameter
        a[i] = block.reduce(a[i], 96, add, qd.f32)  # error: `block.reduce` is told that block_dim is 96, but the loop around it has blocks of 64 threads | write `qd.loop_config(block_dim=96)` before the loop, or pass 64


@qd.kernel
def types(a: F, b: I, h: qd.types.ndarray(dtype=qd.f16, ndim=1)):
    for i in range(1280):
        a[i] = block.reduce_add(a[i], 128, qd.i32)  # error: `block.reduce_add` is told that dtype is i32, but the value is f32 | cast the value, as in `qd.i32(...)`, or pass `qd.f32`
        b[i] = block.inclusive_max(b[i], 128, qd.u32)  # error: `block.inclusive_max` is told that dtype is u32, but the value is i32 | cast the value, as in `qd.u32(...)`, or pass `qd.i32`
        h[i] = block.reduce_min(h[i], 128, qd.f16)  # error: `block.reduce_min` takes i32, u32, i64, u64, f32 and f64, not f16 | cast the value to f32 and pass `qd.f32`
        b[i] = block.exclusive_add(b[i], 128, qd.u8)  # error: `block.exclusive_add` takes i32, u32, i64, u64, f32 and f64, not u8 | cast the value to i32 and pass `qd.i32`
        b[i] = block.reduce_add(b[i], 128, 32)  # error: `dtype` of `block.reduce_add` has to be a scalar type, not the integer 32 | write `qd.f32` or another
        a[i] = block.reduce_add(qd.Vector([a[i], 1.0]), 128, qd.f32)  # error: `value` of `block.reduce_add` has to be a number, not a vector(2, f32) | call it for each component
        a[i] = block.reduce_all(a[i], 128, 3, qd.f32)  # error: `op` of `block.reduce_all` has to be a `@qd.func` of (earlier, later), not the integer 3
        a[i] = block.exclusive_scan(a[i], 128, add, 0, qd.i64)  # error: `block.exclusive_scan` is told that dtype is i64, but the value is f32 | cast the value, as in `qd.i64(...)`, or pass `qd.f32`
        b[i] = block.reduce_add(1, 128, qd.i32)
        b[i] = block.sync_all_nonzero(a[i])  # error: `block.sync_all_nonzero` takes an integer predicate, not f32 | compare it, as in `x != 0`


@qd.kernel
def whole_blocks(a: F):
    qd.loop_config(block_dim=64)
    for i in range(N):
        block.sync()  # error: `block.sync` needs whole blocks, but the loop has 100 iterations in blocks of 64 | make the bound a multiple of block_dim and test the index in the body
        a[i] = 1
    qd.loop_config(block_dim=64)
    for i in range(N):
        a[i] = block.reduce_add(a[i], 64, qd.f32)  # error: `block.reduce_add` needs whole blocks, but the loop has 100 iterations in blocks of 64 | make the bound a multiple of block_dim and test the index in the body
    qd.loop_config(block_dim=64)
    for i in range(96):
        a[i] = block.exclusive_max(a[i], 64, qd.f32)  # error: `block.exclusive_max` needs whole blocks, but the loop has 96 iterations in blocks of 64 | make the bound a multiple of block_dim and test the index in the body
    qd.loop_config(block_dim=32)
    for i in range(N):
        a[i] = block.inclusive_add(a[i], 32, qd.f32)  # error: `block.inclusive_add` needs whole blocks, but the loop has 100 iterations in blocks of 32 | make the bound a multiple of block_dim and test the index in the body
    a[0] = block.reduce_add(a[0], 32, qd.f32)  # error: `block.reduce_add` works on the threads of a block, but this is serial code, which one thread runs | call it in a parallel loop


@qd.kernel
def radix(keys: U, ranks: I, reals: F, wide: qd.types.ndarray(dtype=qd.u64, ndim=1)):
    qd.loop_config(block_dim=256)
    for i in range(256):
        bins = block.SharedArray((256,), qd.i32)
        excl = block.SharedArray((256,), qd.i32)
        short = block.SharedArray((128,), qd.i32)
        square = block.SharedArray((16, 16), qd.i32)
        halves = block.SharedArray((256,), qd.f16)
        ranks[i] = block.radix_rank_match_atomic_or(keys[i], 256, 8, 0, 8, bins, excl)
        ranks[i] = block.radix_rank_match_atomic_or(keys[i], 256, 7, 0, 7, bins, excl)  # error: `block.radix_rank_match_atomic_or` needs one thread a digit: block_dim has to be 1 << radix_bits, which is 128, not 256 | set block_dim, here and in `qd.loop_config`, to 128
        ranks[i] = block.radix_rank_match_atomic_or(keys[i], 128, 7, 0, 7, bins, excl)  # error: `block.radix_rank_match_atomic_or` is told that block_dim is 128, but the loop around it has blocks of 256 threads | write `qd.loop_config(block_dim=128)` before the loop, or pass 256
        ranks[i] = block.radix_rank_match_atomic_or(keys[i], 16, 4, 0, 4, bins, excl)  # error: `block.radix_rank_match_atomic_or` works on blocks of whole subgroups of 32 lanes, but block_dim is 16 | make block_dim, here and in `qd.loop_config`, a multiple of the wave
        ranks[i] = block.radix_rank_match_atomic_or(keys[i], 256, 8, 0, 9, bins, excl)  # error: `num_bits` of `block.radix_rank_match_atomic_or` has to be between 1 and radix_bits, which is 8, not 9
        ranks[i] = block.radix_rank_match_atomic_or(keys[i], 256, 8, 0, 0, bins, excl)  # error: `num_bits` of `block.radix_rank_match_atomic_or` has to be between 1 and radix_bits, which is 8, not 0
        ranks[i] = block.radix_rank_match_atomic_or(keys[i], 256, 8, 28, 8, bins, excl)  # error: the digit of `block.radix_rank_match_atomic_or` has to lie within the key's 32 bits, but bit_start is 28 and num_bits 8
        ranks[i] = block.radix_rank_match_atomic_or(keys[i], 256, 8, ranks[0], 8, bins, excl)  # error: `bit_start` of `block.radix_rank_match_atomic_or` has to be a compile-time integer, not a run-time i32 | use a literal, a module constant, `qd.static(...)`, or a `qd.template()` parameter
        ranks[i] = block.radix_rank_match_atomic_or(keys[i], 256, 20, 0, 8, bins, excl)  # error: `radix_bits` of `block.radix_rank_match_atomic_or` has to be between 1 and 10, not 20
        ranks[i] = block.radix_rank_match_atomic_or(reals[i], 256, 8, 0, 8, bins, excl)  # error: `key` of `block.radix_rank_match_atomic_or` has to be an integer, not a run-time f32 | `qd.bit_cast` gives the bits of a real number as an integer
        ranks[i] = block.radix_rank_match_atomic_or(wide[i], 256, 8, 0, 8, bins, excl)  # error: `key` of `block.radix_rank_match_atomic_or` is u32, not a run-time u64 | write `qd.u32(...)`, or `qd.bit_cast(...)` for the bits of a real
        ranks[i] = block.radix_rank_match_atomic_or(keys[i], 256, 8, 0, 8, short, excl)  # error: `bins` of `block.radix_rank_match_atomic_or` has to be `block.SharedArray((256,), qd.i32)`, not an array of 128 elements
        ranks[i] = block.radix_rank_match_atomic_or(keys[i], 256, 8, 0, 8, bins, square)  # error: `excl_prefix` of `block.radix_rank_match_atomic_or` has to be `block.SharedArray((256,), qd.i32)`, not an array of 2 dimensions
        ranks[i] = block.radix_rank_match_atomic_or(keys[i], 256, 8, 0, 8, bins, halves)  # error: `excl_prefix` of `block.radix_rank_match_atomic_or` has to be `block.SharedArray((256,), qd.i32)`, not an array of f16
        ranks[i] = block.radix_rank_match_atomic_or(keys[i], 256, 8, 0, 8, ranks, excl)  # error: `bins` of `block.radix_rank_match_atomic_or` has to be `block.SharedArray((256,), qd.i32)`, not `ranks`, which is not a SharedArray
        ranks[i] = block.radix_rank_match_atomic_or(keys[i], 256, 8, 0, 8, bins, bins)  # error: `bins` and `excl_prefix` of `block.radix_rank_match_atomic_or` are the same array | give it two


@qd.kernel
def shapes(a: F, n: qd.i32):
    for i in range(128):
        s = block.SharedArray((n,), qd.f32)  # error: the shape of a SharedArray has to be a compile-time integer, not a run-time i32 | use a literal, a module constant, `qd.static(...)`, or a `qd.template()` parameter
        s = block.SharedArray((-4,), qd.f32)  # error: the extents of a SharedArray have to be positive, not -4
        s = block.SharedArray((4, 0), qd.f32)  # error: the extents of a SharedArray have to be positive, not 0
        s = block.SharedArray((), qd.f32)  # error: `block.SharedArray` needs at least one extent
        s = block.SharedArray((16,), 4)  # error: `dtype` of `block.SharedArray` has to be a type of numbers, vectors, matrices or structs, not the integer 4
        t = block.SharedArray((16, 4), qd.f32)
        t[i] = 1.0  # error: `t` has 2 dimensions, but is indexed with 1 index
        t[0, 4] = 1.0  # error: the index 4 is outside of `t`, whose extent is 4
        a[i] = qd.volatile_load(t[0, 0])  # error: `qd.volatile_load` takes an element of an ndarray or a field: nothing else can be changed by other blocks | read it directly
        local = 1.0
        a[i] = qd.volatile_load(local)  # error: `qd.volatile_load` takes an element of an ndarray or a field: nothing else can be changed by other blocks | read it directly
        a[i] = qd.volatile_load(a)  # error: `qd.volatile_load` takes an element of an ndarray or a field: nothing else can be changed by other blocks | index the array
