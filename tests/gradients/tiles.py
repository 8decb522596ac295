"""A factorization and triangular solve of tiles: as lanes.py. LLVM takes minutes for it in f64 on AMD."""

import quadrants as qd

M = qd.types.ndarray(T, 2)


@qd.kernel
def tiles(x: M, out: M):
    qd.loop_config(block_dim=32)
    for i in range(32):
        a = qd.simt.Tile16x16.eye(T)
        v = x[0:16, 1]
        a += qd.outer(v, v)
        a.cholesky_(1e-9)
        b = qd.simt.Tile16x16.eye(T)
        w = x[16:32, 2]
        b += qd.outer(w, w)
        a.solve_triangular_(b)
        out[0:16, 0:5] = a
        out[16:32, 0:5] = b
