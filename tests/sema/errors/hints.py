# Hints to loops and caches that mean nothing.
import quadrants as qd
from quadrants.lang.simt import block

F = qd.types.ndarray(dtype=qd.f32, ndim=1)


@qd.kernel
def rooms(f: F, n: qd.i32):
    qd.loop_config(min_blocks=0)  # error: `min_blocks` of `qd.loop_config` has to be between 1 and 32, not 0
    for i in f:
        f[i] = 1
    qd.loop_config(min_blocks=33)  # error: `min_blocks` of `qd.loop_config` has to be between 1 and 32, not 33
    for i in f:
        f[i] = 1
    qd.loop_config(min_blocks=n)  # error: `min_blocks` of `qd.loop_config` has to be a compile-time integer, not a run-time i32
    for i in f:
        f[i] = 1
    qd.loop_config(min_blocks=2.5)  # error: `min_blocks` of `qd.loop_config` has to be a compile-time integer, not a real constant
    for i in f:
        f[i] = 1
    qd.loop_config(max_blocks=2)  # error: `qd.loop_config` has no parameter `max_blocks`
    for i in f:
        f[i] = 1


@qd.kernel
def steps(f: F, n: qd.i32):
    qd.loop_config(unroll=4)  # error: `unroll` stands before a parallel loop, whose iterations are threads
    for i in f:
        qd.loop_config(unroll=0)  # error: `unroll` has to be between 1 and 1024 iterations, or True, not 0
        for j in range(n):
            f[i] = j
        qd.loop_config(unroll=-1)  # error: `unroll` has to be between 1 and 1024 iterations, or True, not -1
        for j in range(n):
            f[i] = j
        qd.loop_config(unroll=n)  # error: `unroll` has to be a compile-time integer, not a run-time i32
        for j in range(n):
            f[i] = j
        qd.loop_config(unroll=2)  # error: `unroll` stands before a loop that `qd.static` unrolls as a whole
        for j in qd.static(range(3)):
            f[i] = j


@qd.kernel
def accesses(f: F):
    for i in f:
        s = block.SharedArray((64,), qd.f32)
        a = qd.load(s, i, cache="stream")  # error: `qd.load` takes an ndarray or a field and an index, not the shared array `s`
        b = qd.load(3, cache="stream")  # error: `qd.load` takes an ndarray or a field and an index, not
        c = qd.load(f, i, cache="l2")  # error: `qd.load` takes `cache="all", "stream", "global" or "readonly"`, and no other keyword
        d = qd.load(f, i, hint="stream")  # error: `qd.load` takes `cache="all", "stream", "global" or "readonly"`, and no other keyword
        qd.store(f, i, 1.0, cache="readonly")  # error: `qd.store` takes `cache="all" or "stream"`, and no other keyword
        qd.store(f)  # error: `qd.store` takes an array, an index and the value
        f[i] = qd.load(f, i, i)  # error: `f` has 1 dimension, but is indexed with 2 indices
