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


# Structs in one piece, as C has them: an array, and a field that is placed later.
Inner = qd.types.struct(a=qd.f32, b=qd.types.vector(2, qd.f32))


@qd.dataclass
class Body:
    pos: qd.types.vector(3, qd.f32)
    inner: Inner
    mass: qd.f32

    @qd.func
    def push(self, by):
        self.pos.x += by
        self.mass *= 2.0


bodies = Body.field(shape=(2, 3), layout=qd.Layout.AOS)
late = Body.field(layout=qd.Layout.AOS)
qd.root.dense(qd.i, 4).place(late)


@qd.kernel
def bodies_in_one_piece(x: qd.types.ndarray()):
    for i in x:
        x[i].push(10.0)
        x[i].inner.b[i % 2] = 100 + i
        qd.atomic_add(x[0].inner.a, 1.0)
        if i < 4:
            late[i] = x[i]
            late[i].pos.yz = [-1.0, -2.0]
    for i, j in bodies:
        bodies[i, j] = x[3 * i + j]
        bodies[i, j].inner = Inner(7.0, qd.Vector([8.0, 10.0 * i + j]))


# Arrays and fields of structs whose axes are in another order in memory.
Pair = qd.types.struct(n=qd.i32, f=qd.f32)
pairs = Pair.field(shape=(2, 3), layout=(1, 0))


@qd.kernel
def turned_pairs(x: qd.types.ndarray()):
    for i, j in qd.ndrange(x.shape[0], x.shape[1]):
        x[i, j].n = 10 * i + j
        x[i, j].f = -1.0 - i
        pairs[i, j] = x[i, j]
