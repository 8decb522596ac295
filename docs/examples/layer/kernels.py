"""A layer of a neural net: y = normalised(gelu(x W + b)), for a batch of rows of x.

The product goes through tiles in shared memory, four numbers a thread. The rows are normalised by
blocks: a block adds up a row, each thread some of it.
"""

import quadrants as qd
from quadrants.lang.simt import block

TILE = 32
EACH = 4  # rows of a tile that a thread computes
THREADS = TILE * TILE // EACH
EPSILON = 1e-5

Matrix = qd.types.ndarray(dtype=qd.f32, ndim=2)
Row = qd.types.ndarray(dtype=qd.f32, ndim=1)


@qd.func
def gelu(x):
    """The approximation by tanh."""
    return 0.5 * x * (1.0 + qd.tanh(0.7978845608 * (x + 0.044715 * x * x * x)))


@qd.kernel
def dense(x: Matrix, w: Matrix, b: Row, y: Matrix):
    """gelu(x w + b). All extents are multiples of TILE."""
    qd.loop_config(block_dim=THREADS)
    for i in range(y.shape[0] // TILE * (y.shape[1] // TILE) * THREADS):
        xs = block.SharedArray((TILE, TILE), qd.f32)
        ws = block.SharedArray((TILE, TILE), qd.f32)
        tile, thread = i // THREADS, i % THREADS
        top = tile // (y.shape[1] // TILE) * TILE
        left = tile % (y.shape[1] // TILE) * TILE
        column, row = thread % TILE, thread // TILE * EACH

        total = qd.Vector([0.0 for k in qd.static(range(EACH))])
        for t in range(x.shape[1] // TILE):
            for k in qd.static(range(EACH)):
                xs[row + k, column] = x[top + row + k, t * TILE + column]
                ws[row + k, column] = w[t * TILE + row + k, left + column]
            block.sync()
            for m in range(TILE):
                weight = ws[m, column]
                for k in qd.static(range(EACH)):
                    total[k] += xs[row + k, m] * weight
            block.sync()
        for k in qd.static(range(EACH)):
            y[top + row + k, left + column] = gelu(total[k] + b[left + column])


@qd.kernel
def normalise(y: Matrix):
    """Each row gets the mean 0 and the variance 1."""
    qd.loop_config(block_dim=THREADS)
    for i in range(y.shape[0] * THREADS):
        row, thread = i // THREADS, i % THREADS
        total = 0.0
        for k in range(thread, y.shape[1], THREADS):
            total += y[row, k]
        mean = block.reduce_all_add(total, THREADS, qd.f32) / y.shape[1]
        squares = 0.0
        for k in range(thread, y.shape[1], THREADS):
            squares += (y[row, k] - mean) ** 2
        variance = block.reduce_all_add(squares, THREADS, qd.f32) / y.shape[1]
        for k in range(thread, y.shape[1], THREADS):
            y[row, k] = (y[row, k] - mean) * qd.rsqrt(variance + EPSILON)
