"""A neural field: a small net that maps places of a picture to its colours. Products go through tiles in shared memory.

All extents are multiples of TILE. A layer stores its sums, and the next one loads what is above 0 of them. So the
gradient of a layer needs no sum again, and none of these kernels overwrites what a gradient needs.
"""

import quadrants as qd
from quadrants.lang.simt import block

TILE = 32
EACH = 4  # rows of a tile that a thread computes
THREADS = TILE * TILE // EACH

Matrix = qd.types.ndarray(dtype=qd.f32, ndim=2)
Loss = qd.types.ndarray(dtype=qd.f64, ndim=1)
Given = qd.types.ndarray(dtype=qd.f32, ndim=2, needs_grad=False)


@qd.kernel
def encode(place: Given, waves: Given, features: Given):
    """Sines and cosines of waves across the picture. Without them, a net learns only what is smooth."""
    for p, k in qd.ndrange(place.shape[0], waves.shape[0]):
        phase = 6.2831853 * (place[p, 0] * waves[k, 0] + place[p, 1] * waves[k, 1])
        features[p, k] = qd.sin(phase)
        features[p, waves.shape[0] + k] = qd.cos(phase)


@qd.func
def layer(x, w, b, y, i, bend: qd.template()):
    """y = x w + b, a thread's part of it. If `bend`, what is below 0 in x counts as 0."""
    xs = block.SharedArray((TILE, TILE), qd.f32)
    ws = block.SharedArray((TILE, TILE), qd.f32)
    tile, thread = i // THREADS, i % THREADS
    top = tile // (y.shape[1] // TILE) * TILE
    left = tile % (y.shape[1] // TILE) * TILE
    column, row = thread % TILE, thread // TILE * EACH

    total = qd.Vector([b[0, left + column] for k in qd.static(range(EACH))])
    for t in range(x.shape[1] // TILE):
        for k in qd.static(range(EACH)):
            value = x[top + row + k, t * TILE + column]
            xs[row + k, column] = qd.max(value, 0.0) if qd.static(bend) else value
            ws[row + k, column] = w[t * TILE + row + k, left + column]
        block.sync()
        for m in range(TILE):
            weight = ws[m, column]
            for k in qd.static(range(EACH)):
                total[k] += xs[row + k, m] * weight
        block.sync()
    for k in qd.static(range(EACH)):
        y[top + row + k, left + column] = total[k]


@qd.kernel
def first(x: Given, w: Matrix, b: Matrix, y: Matrix):
    qd.loop_config(block_dim=THREADS)
    for i in range(y.shape[0] // TILE * (y.shape[1] // TILE) * THREADS):
        layer(x, w, b, y, i, False)


@qd.kernel
def later(x: Matrix, w: Matrix, b: Matrix, y: Matrix):
    qd.loop_config(block_dim=THREADS)
    for i in range(y.shape[0] // TILE * (y.shape[1] // TILE) * THREADS):
        layer(x, w, b, y, i, True)


@qd.func
def colour(y):
    """Between 0 and 1."""
    return 1.0 / (1.0 + qd.exp(-y))


@qd.kernel
def compare(y: Matrix, picture: Given, loss: Loss):
    """The mean square of what colours are off by. They are the first columns of y."""
    for p, c in picture:
        off = colour(y[p, c]) - picture[p, c]
        loss[0] += off * off / (picture.shape[0] * picture.shape[1])


@qd.kernel
def paint(y: Given, colours: Given):
    for p, c in colours:
        colours[p, c] = colour(y[p, c])


@qd.kernel
def learn(values: Given, slope: Given, mean: Given, square: Given, step: qd.i32, rate: qd.f32):
    """A step of Adam (Kingma and Ba, 2015). The slope is 0 after it."""
    for i, j in values:
        g = slope[i, j]
        slope[i, j] = 0.0
        mean[i, j] = 0.9 * mean[i, j] + 0.1 * g
        square[i, j] = 0.99 * square[i, j] + 0.01 * g * g
        m = mean[i, j] / (1.0 - 0.9**step)
        q = square[i, j] / (1.0 - 0.99**step)
        values[i, j] -= rate * m / (qd.sqrt(q) + 1e-8)
