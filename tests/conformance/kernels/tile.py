# Tiles, `qd.simt.Tile16x16` and `qd.simt.Tile32x32`, of T.
import quadrants as qd

T = qd.f32
Array2 = qd.types.NDArray[T, 2]
Array3 = qd.types.NDArray[T, 3]


# The lower factor of the matrix a[b], whose rows and columns need not fill whole tiles.
@qd.func
def factor(a: qd.template(), b, Tile: qd.template()):
    N = qd.static(Tile.SIZE)
    n = a.shape[1]
    for kb in range((n + N - 1) // N):
        k0 = kb * N
        k1 = qd.min(k0 + N, n)
        diagonal = Tile.eye(dtype=T)
        diagonal[:] = a[b, k0:k1, k0:k1]
        for j in range(k0):
            v = a[b, k0:k1, j]
            diagonal -= qd.outer(v, v)
        diagonal.cholesky_(1e-6)
        for ib in range(kb + 1, (n + N - 1) // N):
            i0 = ib * N
            i1 = qd.min(i0 + N, n)
            below = Tile.zeros(T)
            below[:] = a[b, i0:i1, k0:k1]
            for j in range(k0):
                below -= qd.outer(a[b, i0:i1, j], a[b, k0:k1, j])
            diagonal.solve_triangular_(below)
            a[b, i0:i1, k0:k1] = below
        a[b, k0:k1, k0:k1] = diagonal


@qd.kernel
def factor16(a: Array3):
    qd.loop_config(block_dim=qd.simt.Tile16x16.SIZE)
    for i in range(a.shape[0] * 16):
        factor(a, i // 16, qd.simt.Tile16x16)


@qd.kernel
def factor32(a: Array3):
    qd.loop_config(block_dim=qd.simt.Tile32x32.SIZE)
    for i in range(a.shape[0] * 32):
        factor(a, i // 32, qd.simt.Tile32x32)


# Two groups a block, and two tiles of different sizes a group.
@qd.kernel
def groups(a: Array3, small: Array3):
    qd.loop_config(block_dim=64)
    for i in range(a.shape[0] * 32):
        b = i // 32
        large = qd.simt.Tile32x32.zeros(T)
        large[:] = a[b, 0:32, 0:32]
        corner = qd.simt.Tile16x16.zeros(T)
        corner[:] = a[b, 8:24, 8:24]
        large.cholesky_(1e-6)
        corner.cholesky_(1e-6)
        a[b, 0:32, 0:32] = large
        small[b, 0:16, 0:16] = corner


# Numbers in parts: rows and columns that a slice leaves out keep what the tile has, and the array
# ends where it ends.
@qd.kernel
def parts(x: Array2, out: Array3, r0: qd.i32, r1: qd.i32, c0: qd.i32, c1: qd.i32):
    qd.loop_config(block_dim=16)
    for i in range(16):
        t = qd.simt.Tile16x16.eye(T)
        t[:] = x[r0:r1, c0:c1]
        out[0, 0:16, 0:16] = t
        t.eye_()
        t += qd.outer(x[r0:r1, c0], 10 * i)
        out[1, 0:16, 0:16] = t
        # Copies through the block's memory, and through another tile.
        shared = qd.simt.block.SharedArray((16, 16), T)
        shared[0:16, 0:16] = t
        qd.simt.block.sync()
        u = qd.simt.Tile16x16.zeros(T)
        u[:] = shared[0:16, 4:16]
        w = u
        u -= qd.outer(1, shared[0:16, 0])
        out[2, 0:16, 0:16] = w
        out[3, r0:r1, c0:c1] = u


# Memory that is narrower and shorter than the tile, as the build knows.
cells = qd.field(T, shape=(12, 10))


@qd.kernel
def narrow(out: Array3):
    qd.loop_config(block_dim=16)
    for i in range(16):
        shared = qd.simt.block.SharedArray((12, 10), T)
        if i < 12:
            for k in range(10):
                shared[i, k] = 100 * i + k + 1
        qd.simt.block.sync()
        t = qd.simt.Tile16x16.eye(T)
        t[:] = shared[0:16, 0:16]
        out[0, 0:16, 0:16] = t
        cells[0:16, 2:18] = t
    qd.loop_config(block_dim=16)
    for i in range(16):
        t = qd.simt.Tile16x16.zeros(T)
        t[:] = cells[1:17, 0:16]
        out[1, 0:16, 0:16] = t


# Each thread's least pivot is its own.
@qd.kernel
def pivots(a: Array2, least: qd.types.NDArray[T, 1]):
    qd.loop_config(block_dim=32)
    for i in range(32):
        t = qd.simt.Tile32x32.zeros(T)
        t[:] = a[0:32, 0:32]
        t.cholesky_(least[i])
        a[0:32, 0:32] = t
