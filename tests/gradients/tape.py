"""Kernels that tapes record: springs in a chain, and small maps whose gradients are known."""
import quadrants as qd

F = qd.types.ndarray(qd.f64, 1)
Ints = qd.types.ndarray(qd.i32, 1)
weight = qd.field(qd.f64, shape=4, needs_grad=True)


@qd.kernel
def square(x: F, y: F):
    for i in x:
        y[i] = x[i] * x[i]


@qd.kernel
def scale(a: qd.f64, x: F):
    for i in x:
        x[i] = a * x[i]


@qd.kernel
def product(x: F, y: F, loss: F):
    for i in x:
        loss[0] += x[i] * y[i]


@qd.kernel
def total(x: F, loss: F):
    for i in x:
        loss[0] += x[i]


@qd.kernel
def weigh(x: F, loss: F):
    for i in weight:
        loss[0] += weight[i] * x[i]


@qd.kernel
def gather(x: F, index: Ints, y: F):
    for i in y:
        y[i] = x[index[i]]


@qd.kernel
def count_up(index: Ints):
    """Writes no reals, so a tape takes it without a gradient."""
    for i in index:
        index[i] += 1


@qd.kernel
def halve(x: F):
    """Is built without its gradient."""
    for i in x:
        x[i] = 0.5 * x[i]


@qd.kernel
def pull(x: F, v: F, stiffness: F, dt: qd.f64):
    """Springs to the neighbours, which get harder with their length. The ends are walls."""
    for i in x:
        left = x[i] - (x[i - 1] if i > 0 else 0.0)
        right = (x[i + 1] if i + 1 < x.shape[0] else 0.0) - x[i]
        v[i] += dt * stiffness[0] * (right + right * right * right - left - left * left * left)


@qd.kernel
def move(x: F, v: F, dt: qd.f64):
    for i in x:
        x[i] += dt * v[i]


@qd.kernel
def advance(x: F, v: F, dt: qd.f64):
    """A step of springs that get harder: `x` is overwritten after it was read."""
    for i in x:
        v[i] -= dt * x[i] * x[i] * x[i]
        x[i] += dt * v[i]


@qd.kernel
def moments(x: F, y: F) -> tuple[qd.types.vector(2, qd.f64), qd.i32, qd.f64]:
    """Squares, the sums of the numbers and their squares, how many there are, and the sum of their cubes."""
    first = qd.f64(0)
    second = qd.f64(0)
    third = qd.f64(0)
    for i in x:
        first += x[i]
        second += x[i] * x[i]
        third += x[i] * x[i] * x[i]
        y[i] = x[i] * x[i]
    return qd.Vector([first, second]), x.shape[0], third


Pairs = qd.types.ndarray(qd.types.vector(2, qd.f64), 1)
Ball = qd.types.struct(pos=qd.types.vector(3, qd.f64), mass=qd.f64)


@qd.kernel
def turn(m: qd.types.matrix(2, 2, qd.f64), x: Pairs, y: Pairs):
    for i in x:
        y[i] = m @ x[i]


@qd.kernel
def inertia(balls: qd.types.ndarray(Ball, 1, layout=qd.Layout.AOS), loss: F):
    for i in balls:
        loss[0] += balls[i].mass * balls[i].pos.norm_sqr()
