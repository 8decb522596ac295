# Copies to shared memory that cannot be.
import quadrants as qd
from quadrants.lang.simt import block

F = qd.types.ndarray(dtype=qd.f32, ndim=1)
G = qd.types.ndarray(dtype=qd.f32, ndim=2)
I = qd.types.ndarray(dtype=qd.i32, ndim=1)


@qd.kernel
def places(f: F, g: G, i: I):
    qd.loop_config(block_dim=64)
    for k in range(64):
        s = block.SharedArray((64,), qd.f32)
        block.memcpy_async(f, 0, f, 0, 64, 64)  # error: `block.memcpy_async` copies from an ndarray or a field of one dimension to a `block.SharedArray` of one dimension, not from
        block.memcpy_async(s, 0, s, 0, 64, 64)  # error: `block.memcpy_async` copies from an ndarray or a field of one dimension
        block.memcpy_async(s, 0, g, 0, 64, 64)  # error: `block.memcpy_async` copies from an ndarray or a field of one dimension
        block.memcpy_async(s, 0, 5, 0, 64, 64)  # error: `src` of `block.memcpy_async` has to be an array or a field, not the integer 5
        block.memcpy_async(s, 0, i, 0, 64, 64)  # error: `block.memcpy_async` copies elements as they are, but


@qd.kernel
def waits(f: F):
    qd.loop_config(block_dim=64)
    for k in range(64):
        block.memcpy_wait(-1)  # error: `pending` of `block.memcpy_wait` has to be between 0 and 7, not -1
