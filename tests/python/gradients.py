"""Kernels whose gradients go to fields, to structs, and through members of objects."""
import quadrants as qd

floats = qd.types.ndarray(dtype=qd.f32, ndim=1)
weight = qd.field(qd.f32, shape=4, needs_grad=True)
bias = qd.field(qd.f32, shape=4)
Ball = qd.types.struct(pos=qd.types.vector(3, qd.f32), mass=qd.f32)
balls = Ball.field(shape=3, needs_grad=True, layout=qd.Layout.AOS)


@qd.kernel
def weigh(x: floats, loss: floats):
    for i in x:
        loss[0] += weight[i] * x[i] * x[i] + bias[i]


@qd.kernel
def inertia(loss: floats):
    for i in balls:
        loss[0] += balls[i].mass * balls[i].pos.norm_sqr()


@qd.data_oriented
class Spring:
    @qd.kernel
    def energy(self, x: floats, loss: floats):
        for i in x:
            loss[0] += self.stiffness * x[i] * x[i]
