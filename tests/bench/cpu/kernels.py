"""The CPU benchmark's kernels; the plain loops beside them are in peers.cpp."""
import quadrants as qd
from fractal import escape
from quadrants.lang.simt import subgroup

BLOCK = 256
BINS = 256
ITEMS = 8
SUM = 1 << 32
PREFIX = 2 << 32


@qd.kernel
def saxpy(a: qd.f32, x: qd.types.ndarray(dtype=qd.f32, ndim=1), y: qd.types.ndarray(dtype=qd.f32, ndim=1)):
    for i in range(x.shape[0]):
        y[i] = a * x[i] + y[i]


@qd.kernel
def block_reduce(src: qd.types.ndarray(dtype=qd.f32, ndim=1), out: qd.types.ndarray(dtype=qd.f32, ndim=1)):
    qd.loop_config(block_dim=BLOCK)
    for i in range(src.shape[0]):
        total = qd.simt.block.reduce_add(src[i], BLOCK, qd.f32)
        if qd.simt.block.thread_idx() == 0:
            out[i // BLOCK] = total


@qd.kernel
def block_scan(src: qd.types.ndarray(dtype=qd.i32, ndim=1), out: qd.types.ndarray(dtype=qd.i32, ndim=1)):
    qd.loop_config(block_dim=BLOCK)
    for i in range(src.shape[0]):
        out[i] = qd.simt.block.inclusive_add(src[i], BLOCK, qd.i32)


@qd.kernel
def scan(
    src: qd.types.ndarray(dtype=qd.i32, ndim=1),
    out: qd.types.ndarray(dtype=qd.i32, ndim=1),
    states: qd.types.ndarray(dtype=qd.u64, ndim=1),
):
    """All sums in one pass. A block tells its sum, then that of all blocks up to it: a word of `states`
    is 0, SUM or PREFIX above 32 bits of sum. A block waits for those before it, which have begun."""
    blocks = src.shape[0] // (BLOCK * ITEMS)
    for i in range(blocks):
        states[i] = qd.u64(0)
    qd.loop_config(block_dim=BLOCK)
    for i in range(blocks * BLOCK):
        told = qd.simt.block.SharedArray((1,), qd.i32)
        t = qd.simt.block.thread_idx()
        b = i // BLOCK
        at = (b * BLOCK + t) * ITEMS
        own = 0
        for k in qd.static(range(ITEMS)):
            own += src[at + k]
        upto = qd.simt.block.inclusive_add(own, BLOCK, qd.i32)
        if t == BLOCK - 1:
            qd.atomic_exchange(states[b], qd.u64(SUM) | qd.u64(qd.u32(upto)))
            before = qd.u32(0)
            p = b - 1
            while p >= 0:
                word = qd.atomic_or(states[p], qd.u64(0))
                if word != 0:
                    before += qd.u32(word)
                    p = -1 if word >= qd.u64(PREFIX) else p - 1
            qd.atomic_exchange(states[b], qd.u64(PREFIX) | qd.u64(before + qd.u32(upto)))
            told[0] = qd.i32(before)
        qd.simt.block.sync()
        s = told[0] + upto - own
        for k in qd.static(range(ITEMS)):
            s += src[at + k]
            out[at + k] = s


@qd.kernel
def histogram(src: qd.types.ndarray(dtype=qd.u8, ndim=1), bins: qd.types.ndarray(dtype=qd.i32, ndim=1), items: qd.i32):
    """Each thread counts `items` values, a subgroup's lanes side by side; the array is blocks * BLOCK * items long."""
    qd.loop_config(block_dim=BLOCK)
    for i in range(src.shape[0] // items):
        local = qd.simt.block.SharedArray((BINS,), qd.i32)
        tid = qd.simt.block.thread_idx()
        local[tid] = 0
        qd.simt.block.sync()
        lane = subgroup.invocation_id()
        base = (i - lane) * items + lane
        for k in range(items):
            local[qd.cast(src[base + k * subgroup.group_size()], qd.i32)] += 1
        qd.simt.block.sync()
        bins[tid] += local[tid]


@qd.kernel
def mandelbrot(out: qd.types.ndarray(dtype=qd.i32, ndim=2), limit: qd.i32):
    """Escape times over [-2, 1] x [-1, 1]: lanes leave the loop at different iterations."""
    for row, col in qd.ndrange(out.shape[0], out.shape[1]):
        out[row, col] = escape(row, col, out.shape[0], out.shape[1], limit)


@qd.kernel
def empty():
    """The cost of a launch by itself."""
    qd.loop_config(block_dim=1)
    for _ in range(1):
        pass
