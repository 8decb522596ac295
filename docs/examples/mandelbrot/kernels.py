"""The Mandelbrot set: how often z * z + c may be repeated until z is far away."""

import quadrants as qd

LIMIT = 400
ESCAPED = 256.0  # the square of the distance; a large one makes colours smooth

Counts = qd.types.ndarray(dtype=qd.i32, ndim=2)
Reals = qd.types.ndarray(dtype=qd.f32, ndim=2)


@qd.kernel
def escape(counts: Counts, squares: Reals, left: qd.f32, top: qd.f32, pixel: qd.f32):
    """`counts` gets the number of rounds, LIMIT for points of the set, and `squares` how far z got.
    Each operation is rounded by itself (`qd.precise`), so that every device draws the same picture."""
    for row, column in counts:
        cx = qd.precise(left + column * pixel)
        cy = qd.precise(top - row * pixel)
        x, y, xx, yy = 0.0, 0.0, 0.0, 0.0
        rounds = 0
        while rounds < LIMIT and xx + yy <= ESCAPED:
            y = qd.precise(2.0 * x * y + cy)
            x = qd.precise(xx - yy + cx)
            xx = x * x
            yy = y * y
            rounds += 1
        counts[row, column] = rounds
        squares[row, column] = xx + yy
