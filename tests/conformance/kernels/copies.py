# Copies to shared memory that arrive later. Every thread reads what others have copied, so a copy that
# is not there yet, or went to another place, shows. See CopyTest.cpp.
import quadrants as qd
from quadrants.lang.simt import block

I = qd.types.ndarray(dtype=qd.i32, ndim=1)
L = qd.types.ndarray(dtype=qd.i64, ndim=1)
B = qd.types.ndarray(dtype=qd.u8, ndim=1)
vec4 = qd.types.vector(4, qd.f32)
pair = qd.types.vector(2, qd.i32)
V = qd.types.ndarray(dtype=vec4, ndim=1)
P = qd.types.ndarray(dtype=pair, ndim=1)

TILE = 200
ROOM = 2 * TILE


@qd.kernel
def rounds(x: I, out: I, n: qd.i32, blocks: qd.i32):
    """Tiles, each in reverse; the next tile of a block is on its way while this one is read."""
    qd.loop_config(block_dim=128)
    for i in range(blocks * 128):
        own = block.SharedArray((ROOM,), qd.i32)
        tid = block.thread_idx()
        first = i // 128
        tiles = (n + TILE - 1) // TILE
        block.memcpy_async(own, 0, x, first * TILE, qd.min(TILE, n - first * TILE), 128)
        half = 0
        for tile in range(first, tiles, blocks):
            following = tile + blocks
            if following < tiles:
                block.memcpy_async(own, TILE - half, x, following * TILE, qd.min(TILE, n - following * TILE), 128)
                block.memcpy_wait(1)
            else:
                block.memcpy_wait()
            size = qd.min(TILE, n - tile * TILE)
            for k in range(tid, size, 128):
                out[tile * TILE + k] = 3 * own[half + size - 1 - k]
            block.sync()
            half = TILE - half


@qd.func
def turned(x: qd.template(), out: qd.template(), i, dtype: qd.template()):
    own = block.SharedArray((128,), dtype)
    begin = i // 128 * 128
    block.memcpy_async(own, 0, x, begin, 128, 128)
    block.memcpy_wait()
    out[i] = own[127 - block.thread_idx()]


@qd.kernel
def words(x: I, out: I):
    qd.loop_config(block_dim=128)
    for i in range(512):
        turned(x, out, i, qd.i32)


@qd.kernel
def doubles(x: L, out: L):
    qd.loop_config(block_dim=128)
    for i in range(512):
        turned(x, out, i, qd.i64)


@qd.kernel
def bytes(x: B, out: B):
    qd.loop_config(block_dim=128)
    for i in range(512):
        turned(x, out, i, qd.u8)


@qd.kernel
def pairs(x: P, out: P):
    qd.loop_config(block_dim=128)
    for i in range(512):
        turned(x, out, i, pair)


@qd.kernel
def vectors(x: V, out: V):
    qd.loop_config(block_dim=128)
    for i in range(512):
        turned(x, out, i, vec4)
