# Misuse of the SIMT operations.
import quadrants as qd
from quadrants.lang.simt import subgroup, block

A = qd.types.ndarray(dtype=qd.f32, ndim=1)
I = qd.types.ndarray(dtype=qd.i32, ndim=1)
N = 100

@qd.kernel
def lanes(a: A, h: qd.types.ndarray(dtype=qd.f16, ndim=1)):
    qd.loop_config(block_dim=64)
    for i in range(a.shape[0]):
        lane = subgroup.invocation_id()
        a[i] = subgroup.shuffle(a[i], lane)  # error: a lane number, offset or mask of `subgroup.shuffle` is u32, not i32
        a[i] = subgroup.shuffle(h[i], 1)  # error: takes i32, u32, i64, u64, f32 and f64, not f16
        a[i] = subgroup.reduce_add_tiled(a[i], 6)  # error: asks for a tile of 2**6 lanes, but the subgroup has 32
        a[i] = subgroup.reduce_add_tiled(a[i], lane)  # error: `log2_size` of `subgroup.reduce_add_tiled` has to be a compile-time integer
        a[i] = subgroup.inclusive_and(a[i])  # error: is bitwise and takes integers, not f32
        a[i] = subgroup.ballot(a[i])  # error: takes an integer predicate, not f32
        a[i] = subgroup.ballot_first_n(1, 33)  # error: has to be between 1 and 32, not 33

@qd.kernel
def blocks(a: A):
    qd.loop_config(block_dim=48)
    for i in range(480):
        a[i] = subgroup.reduce_add(a[i])  # error: works on whole subgroups of 32 lanes, but the block has 48 threads
        a[i] = subgroup.reduce_add_tiled(a[i], 5)  # error: works on tiles of 32 lanes, but the block has 48 threads
        a[i] = subgroup.reduce_add_tiled(a[i], 4)
        a[i] = block.reduce_add(a[i], 48, qd.f32)  # error: block_dim has to be a positive multiple of the subgroup size

@qd.kernel
def partial(a: A):
    qd.loop_config(block_dim=64)
    for i in range(N):
        block.sync()  # error: `block.sync` needs whole blocks, but the loop has 100 iterations in blocks of 64
        a[i] = 1

@qd.kernel
def through(a: A):
    qd.loop_config(block_dim=64)
    for i in range(N):
        a[i] = block.reduce_add(a[i], 64, qd.f32)  # error: `block.reduce_add` needs whole blocks

@qd.kernel
def from_memory(a: A, n: I):
    qd.loop_config(block_dim=64)
    for i in range(n[0]):
        block.sync()  # error: the loop's bound is read from device memory
        a[i] = 1

@qd.kernel
def shared(a: A, n: qd.i32):
    for i in range(128):
        s = block.SharedArray((n,), qd.f32)  # error: the shape of a SharedArray has to be a compile-time integer
        t = block.SharedArray((16, 4), qd.f32)
        t[i] = 1.0  # error: `t` has 2 dimensions, but is indexed with 1 index
        t[0, 4] = 1.0  # error: the index 4 is outside of `t`
        qd.volatile_load(t[0, 0])  # error: takes an element of an ndarray or a field

@qd.kernel
def serial(a: A):
    a[0] = subgroup.reduce_add(a[0])  # error: the block has 1 thread
    qd.loop_config(block_dim=0)  # error: `block_dim` has to be between 1 and 1024, not 0
    for i in range(4):
        a[i] = 1
