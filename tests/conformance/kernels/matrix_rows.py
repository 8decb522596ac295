# Rows of accumulators, and accumulators as an operand of T, as attention needs them.
import quadrants as qd
from quadrants.lang.simt import subgroup

T = qd.f16
W = subgroup.group_size()
Left = qd.types.ndarray(qd.f32, 2)
Right = qd.types.ndarray(T, 2)
Column = qd.types.ndarray(qd.f32, 1)


@qd.func
def less(x, y):
    return x - y


# The largest of each row of x, an array of 32 by 48, and (x - the largest of its row) @ y with the difference
# as an operand of T.
@qd.kernel
def below_largest(x: Left, y: Right, largest: Column, z: Left):
    qd.loop_config(block_dim=64)
    for t in range(64):
        if t < W:
            left = subgroup.Matrix.c(x, (0, 0), (32, 48))
            top = left.reduce_rows(qd.max)
            top.store(largest, (0,))
            sums = subgroup.Matrix.zeros((32, 16))
            b = subgroup.Matrix.b(y, (0, 0), (48, 16))
            sums.mma(left.combine(top, less).as_a(T), b)
            sums.store(z, (0, 0))
