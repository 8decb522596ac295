# Gradients as memory: `x.grad` of arrays that launches pass, of fields, of arrays of structs and of members of objects.
# Kernels fill them by rules that are written out; nothing is differentiated here.
import quadrants as qd

floats = qd.types.ndarray(dtype=qd.f32, ndim=1)
Point = qd.types.struct(pos=qd.types.vector(2, qd.f32), tag=qd.i32)

line = qd.field(qd.f32, shape=4, needs_grad=True)
points = Point.field(shape=(2, 4), needs_grad=True)
pieces = Point.field(shape=4, layout=qd.Layout.AOS, needs_grad=True)
later = qd.field(qd.f32, needs_grad=True)
qd.root.dense(qd.i, 4).place(later, later.grad)


@qd.func
def accumulate(x, i, by):
    qd.atomic_add(x.grad[i % 2], by * x[i])


@qd.kernel
def squares(x: floats, unused: floats, y: floats):
    for i in x:
        y[i] = x[i] * x[i]
    for i in x.grad:
        x.grad[i] += 2 * x[i] * y.grad[i]


@qd.kernel
def of_fields(out: floats):
    for i in line:
        line[i] = i + 1
        line.grad[i] = 10 * line[i]
    for I in qd.grouped(points.grad):
        points[I].pos = qd.Vector([100.0, 200.0])
        points.grad[I].pos = qd.Vector([I[0] + 0.5, I[1] + 0.25])
    for i in pieces:
        pieces[i].pos = qd.Vector([7.0, 7.0])
        pieces.grad[i].pos.y = 2.5 * i
        pieces.grad[i].tag = 3 * i
    for i in later:
        later[i] = -1.0
        later.grad[i] = 1000 * i
    for i in range(4):
        out[i] = line.grad[i] + 100 * points.grad[1, i].pos.x + points.pos.grad[1, i].y
        out[i] += pieces.grad.pos[i].y + pieces.grad[i].tag + later.grad[i]


@qd.data_oriented
class Solver:
    @qd.kernel
    def step(self):
        for i in self.x:
            accumulate(self.x, i, 3)
            self.particles.grad[i].pos += self.particles[i].pos * self.loss.grad[None]
