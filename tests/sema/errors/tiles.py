# Tiles that are used otherwise than they can be.
import quadrants as qd

A2 = qd.types.NDArray[qd.f32, 2]
A3 = qd.types.NDArray[qd.f32, 3]
Tile = qd.simt.Tile16x16
N = Tile.SIZE


@qd.kernel
def sizes(a: A2):
    qd.loop_config(block_dim=8)
    for i in range(8):
        t = Tile.zeros()  # error: a `Tile16x16` needs blocks of 16 to 32 threads, or of a multiple of 32, but these have 8
    qd.loop_config(block_dim=48)
    for i in range(48):
        t = qd.simt.Tile32x32.eye()  # error: a `Tile32x32` needs blocks of 32, or of a multiple of 32, but these have 48
    qd.loop_config(block_dim=16)
    for i in range(16):
        t = Tile.zeros(qd.i32)  # error: a tile holds f32 or f64, not the type i32


@qd.kernel
def slices(a: A2, b: A3):
    qd.loop_config(block_dim=32)
    for i in range(32):
        t = Tile.zeros()
        t[:] = a[0:N, :N]  # error: a slice of an array needs its begin and its end, and no step
        t[:] = a[0:N, 0:N:2]  # error: a slice of an array needs its begin and its end, and no step
        t[:] = a[0:N]  # error: `a` has 2 dimensions, but is indexed with 1 indices
        t[:] = b[0:N, 0:N, 0:N]  # error: `b` is an array: only tiles take slices of arrays
        t[:] = a[-1:N, 0:N]  # error: a slice of an array begins and ends at 0 or later, not at -1
        t[:] = a[0:N, 0:-2]  # error: a slice of an array begins and ends at 0 or later, not at -2
        a[-1:N, 0:N] = t  # error: a slice of an array begins and ends at 0 or later, not at -1
        x = a[-3:N, 0]  # error: a slice of an array begins and ends at 0 or later, not at -3
        t[0:4] = a[0:N, 0:N]  # error: a tile is assigned as a whole
        t[:] = 1.0  # error: a tile takes a part of an array or another tile, not a real constant
        b[0, 0:N, 3] = t  # error: `b` is an array: only tiles take slices of arrays
        x = a[0:N, 0:N]  # error: `a` is an array: only tiles take slices of arrays
        a[0:N, 0:N] = 0.0  # error: `a` is an array: only tiles take slices of arrays


@qd.kernel
def products(a: A2):
    qd.loop_config(block_dim=32)
    for i in range(32):
        t = Tile.zeros()
        v = a[0:N, 0]
        t -= v  # error: a tile is changed by outer products of two numbers of each thread
        t *= qd.outer(v, v)  # error: a tile is changed by outer products of two numbers of each thread
        t -= qd.outer(qd.Vector([v, v]), v)  # error: the outer product for a tile takes two numbers, not a vector
        m = qd.outer(v, v)  # error: the outer product of two numbers of each thread is for tiles
        t.solve_triangular_(t, lower=False)  # error: a tile's `solve_triangular_` takes lower triangles only
        t.solve_triangular_(qd.simt.Tile32x32.zeros())  # error: `solve_triangular_` takes a tile of the same size
