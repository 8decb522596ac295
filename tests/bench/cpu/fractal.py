"""The body of Mandelbrot's rows: each file of rows has a kernel of its own around it."""
import quadrants as qd


@qd.func
def escape(row, col, rows, cols, limit):
    """Rounds until a point of [-2, 1] x [-1, 1] escapes: lanes leave the loop at different ones."""
    cr = -2.0 + 3.0 * qd.cast(col, qd.f32) / qd.cast(cols, qd.f32)
    ci = -1.0 + 2.0 * qd.cast(row, qd.f32) / qd.cast(rows, qd.f32)
    zr = 0.0
    zi = 0.0
    count = 0
    while zr * zr + zi * zi <= 4.0 and count < limit:
        next_zr = zr * zr - zi * zi + cr
        zi = 2.0 * zr * zi + ci
        zr = next_zr
        count += 1
    return count
