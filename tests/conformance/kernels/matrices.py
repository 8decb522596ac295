# Matrices of subgroups: products of T and U. KIND is the type that the operands have in registers.
import quadrants as qd
from quadrants.lang.simt import subgroup

T = qd.f16
U = qd.f16
KIND = None
W = subgroup.group_size()
SUM = qd.f64 if T == qd.f64 else qd.i32 if T in (qd.i8, qd.u8) else qd.f32
Left = qd.types.ndarray(T, 2)
Right = qd.types.ndarray(U, 2)
Sums = qd.types.ndarray(SUM, 2)


# z = x @ y of any shape, a tile of 16 by 16 a subgroup.
@qd.kernel
def product(x: Left, y: Right, z: Sums):
    across = (z.shape[1] + 15) // 16
    tiles = (z.shape[0] + 15) // 16 * across
    qd.loop_config(block_dim=64)
    for t in range((tiles * W + 63) // 64 * 64):
        tile = t // W
        if tile < tiles:
            row = tile // across * 16
            col = tile % across * 16
            sums = subgroup.Matrix.zeros((16, 16), SUM)
            for k in range(0, x.shape[1], 16):
                a = subgroup.Matrix.a(x, (row, k), (16, 16), KIND)
                b = subgroup.Matrix.b(y, (k, col), (16, 16), KIND)
                sums.mma(a, b)
            sums.store(z, (row, col))


@qd.func
def numbered(value, row, col):
    return value * 2 + qd.cast(row * 100 + col, SUM)


# z = 2 * transposed(y @ x) + 100 * row + col, of one matrix of 16 by 48 from two transposed arrays, 32
# elements of the inner axis at once.
@qd.kernel
def transposed(x: Left, y: Right, z: Sums):
    qd.loop_config(block_dim=64)
    for t in range(64):
        if t < W:
            sums = subgroup.Matrix.full((32, 16), 1, SUM)
            for k in range(0, x.shape[0], 32):
                a = subgroup.Matrix.a(x, (k, 0), (32, 32), KIND, transposed=True)
                b = subgroup.Matrix.b(y, (0, k), (32, 16), KIND, transposed=True)
                sums.mma(a, b)
            sums.map(numbered).store(z, (0, 0), transposed=True)
