# The kernels of the page on gradients, for its programs.
import quadrants as qd

F = qd.types.ndarray(qd.f64, 1)


@qd.kernel
def pull(x: F, v: F, stiffness: F, dt: qd.f64):
    for i in x:
        v[i] -= dt * stiffness[0] * x[i] * x[i] * x[i]


@qd.kernel
def move(x: F, v: F, dt: qd.f64):
    for i in x:
        x[i] += dt * v[i]


@qd.kernel
def energy(v: F, loss: F):
    for i in v:
        loss[0] += 0.5 * v[i] * v[i]
