# Block reductions and scans in blocks of several sizes. T is the build's.
import quadrants as qd
from quadrants.lang.simt import block

T = qd.i32
SIZES = (64, 128, 256, 512)


@qd.kernel
def typed(src: qd.types.ndarray(dtype=T, ndim=1), out: qd.types.ndarray(dtype=T, ndim=2)):
    for s in qd.static(range(4)):
        qd.loop_config(block_dim=SIZES[s])
        for i in range(src.shape[0]):
            v = src[i]
            dim = qd.static(SIZES[s])
            out[12 * s, i] = block.reduce_add(v, dim, T)
            out[12 * s + 1, i] = block.reduce_min(v, dim, T)
            out[12 * s + 2, i] = block.reduce_max(v, dim, T)
            out[12 * s + 3, i] = block.reduce_all_add(v, dim, T)
            out[12 * s + 4, i] = block.reduce_all_min(v, dim, T)
            out[12 * s + 5, i] = block.reduce_all_max(v, dim, T)
            out[12 * s + 6, i] = block.inclusive_add(v, dim, T)
            out[12 * s + 7, i] = block.inclusive_min(v, dim, T)
            out[12 * s + 8, i] = block.inclusive_max(v, dim, T)
            out[12 * s + 9, i] = block.exclusive_add(v, dim, T)
            out[12 * s + 10, i] = block.exclusive_min(v, dim, T)
            out[12 * s + 11, i] = block.exclusive_max(v, dim, T)


@qd.func
def last_set(a, b):
    # Associative, not commutative: the later operand, unless it is zero.
    return qd.select(b != 0, b, a)


@qd.kernel
def generic(src: qd.types.ndarray(dtype=T, ndim=1), out: qd.types.ndarray(dtype=T, ndim=2)):
    for s in qd.static(range(4)):
        qd.loop_config(block_dim=SIZES[s])
        for i in range(src.shape[0]):
            v = src[i]
            dim = qd.static(SIZES[s])
            out[4 * s, i] = block.reduce(v, dim, last_set, T)
            out[4 * s + 1, i] = block.reduce_all(v, dim, last_set, T)
            out[4 * s + 2, i] = block.inclusive_scan(v, dim, last_set, T)
            out[4 * s + 3, i] = block.exclusive_scan(v, dim, last_set, 7, T)


@qd.kernel
def repeated(
    src: qd.types.ndarray(dtype=T, ndim=1), rounds: qd.i32, out: qd.types.ndarray(dtype=T, ndim=2)
):
    # The same call sites again and again: staging memory is used anew each round.
    qd.loop_config(block_dim=256)
    for i in range(src.shape[0]):
        total = src[i] - src[i]
        seen = src[i] - src[i]
        for r in range(rounds):
            v = src[(i + r * 37) % src.shape[0]]
            total += block.reduce_all_max(v, 256, T)
            before = block.inclusive_min(v, 256, T)
            seen += before
            first = block.reduce_min(v, 256, T)
            if block.thread_idx() == 0:
                total += first
        out[0, i] = total
        out[1, i] = seen
