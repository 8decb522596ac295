"""Cholesky factors of many small matrices by tiles: what tiles.cpp times beside tiles.cu."""
import quadrants as qd

A3 = qd.types.ndarray(dtype=qd.f32, ndim=3)


@qd.kernel
def cholesky16(a: A3):
    qd.loop_config(block_dim=128)
    for i in range(a.shape[0] * 32):
        t = qd.simt.Tile16x16.zeros(dtype=qd.f32)
        t[:] = a[i // 32, 0:16, 0:16]
        t.cholesky_(1e-6)
        a[i // 32, 0:16, 0:16] = t


@qd.kernel
def cholesky64(a: A3):
    qd.loop_config(block_dim=64)
    for i in range(a.shape[0] * 32):
        b = i // 32
        for kb in range(2):
            k0 = kb * 32
            diagonal = qd.simt.Tile32x32.zeros(dtype=qd.f32)
            diagonal[:] = a[b, k0:k0 + 32, k0:k0 + 32]
            for j in range(k0):
                v = a[b, k0:k0 + 32, j]
                diagonal -= qd.outer(v, v)
            diagonal.cholesky_(1e-6)
            a[b, k0:k0 + 32, k0:k0 + 32] = diagonal
            if kb == 0:
                below = qd.simt.Tile32x32.zeros(dtype=qd.f32)
                below[:] = a[b, 32:64, 0:32]
                diagonal.solve_triangular_(below)
                a[b, 32:64, 0:32] = below
