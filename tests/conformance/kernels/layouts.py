# Arrays whose axes are in another order in memory, and arrays whose types the build names.
import quadrants as qd
from quadrants import BufferView

turned = qd.field(qd.i32, shape=(3, 4), layout=(1, 0))
cube = qd.Vector.field(2, qd.i32, shape=(2, 3, 4), layout=(2, 0, 1))


# Element [i, j, …] is a number of its indices, wherever it is.
@qd.kernel
def fill_in(x: qd.Tensor, y: qd.types.ndarray(qd.i32), v: BufferView[qd.i32], w: qd.BufferView):
    for i, j in turned:
        turned[i, j] = 10 * i + j
    for I in qd.grouped(cube):
        cube[I] = [100 * I[0] + 10 * I[1] + I[2], -1]
    for i, j, k in qd.ndrange(*x.shape):
        x[i, j, k] = 100 * i + 10 * j + k
        qd.atomic_add(y[i, j], k + x.size)
    for i in range(w.size):
        w[i] = 2 * v[i]
