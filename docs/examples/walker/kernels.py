"""Soft robots of points and springs, that learn to walk. They differ in how muscles pull, and move at the same time.

A kernel here never overwrites what its own gradient needs: `pull` and `touch` only add to forces, and `move` is linear.
"""

import quadrants as qd

DT = 0.004
STIFFNESS = 1000.0  # newtons for a strain of 1; a point has 1 kg
DAMPING = 12.0
PULL = 0.2  # how much shorter or longer a muscle gets at most, as a part of its length
BEAT = 10.0  # radians a second
GRAVITY = 9.8
GROUND = 50000.0  # newtons for the square of a depth of 1 m: the force begins smoothly
GRIP = 0.8  # friction as a part of the ground's force
CREEP = 0.3  # metres a second at which feet grip: less than that and they creep

Vec2 = qd.types.vector(2, qd.f64)
Waves = qd.types.vector(4, qd.f64)
Spring = qd.types.struct(a=qd.i32, b=qd.i32, length=qd.f64, muscle=qd.f64)  # `muscle` is 1, or 0 for a bone

Points = qd.types.ndarray(dtype=Vec2, ndim=2)  # robot, point
Weights = qd.types.ndarray(dtype=Waves, ndim=2)  # robot, spring
Springs = qd.types.ndarray(dtype=Spring, ndim=1, layout=qd.Layout.AOS, needs_grad=False)
Reals = qd.types.ndarray(dtype=qd.f64, ndim=1)


@qd.func
def length_now(spring, weights, time):
    """The length that the spring wants: two sines and cosines, with weights of its own."""
    beat = BEAT * time
    waves = qd.Vector([qd.sin(beat), qd.cos(beat), qd.sin(2.0 * beat), qd.cos(2.0 * beat)])
    return spring.length * (1.0 + PULL * spring.muscle * qd.tanh(weights.dot(waves)))


@qd.kernel
def pull(springs: Springs, weights: Weights, x: Points, v: Points, force: Points, time: qd.f64):
    for robot, s in weights:
        spring = springs[s]
        across = x[robot, spring.b] - x[robot, spring.a]
        length = across.norm()
        along = across / length
        strain = length / length_now(spring, weights[robot, s], time) - 1.0
        f = STIFFNESS * strain + DAMPING * (v[robot, spring.b] - v[robot, spring.a]).dot(along)
        force[robot, spring.a] += f * along
        force[robot, spring.b] -= f * along


@qd.kernel
def touch(x: Points, v: Points, force: Points):
    """The ground is at y = 0. It pushes up, and holds back what slides."""
    for robot, p in x:
        depth = qd.max(-x[robot, p][1], 0.0)
        up = GROUND * depth * depth
        force[robot, p] += qd.Vector([-GRIP * up * qd.tanh(v[robot, p][0] / CREEP), up - GRAVITY])


@qd.kernel
def move(x: Points, v: Points, force: Points):
    for robot, p in x:
        v[robot, p] += DT * force[robot, p]
        x[robot, p] += DT * v[robot, p]
        force[robot, p] = qd.Vector([0.0, 0.0])


@qd.kernel
def measure(x: Points, loss: Reals):
    """Where each robot is, by the mean of its points: less is further to the right."""
    for robot, p in x:
        loss[robot] -= x[robot, p][0] / x.shape[1]


@qd.kernel
def learn(weights: Weights, slope: Weights, mean: Weights, square: Weights, step: qd.i32, rate: qd.f64):
    """A step of Adam (Kingma and Ba, 2015)."""
    for robot, s in weights:
        g = slope[robot, s]
        mean[robot, s] = 0.9 * mean[robot, s] + 0.1 * g
        square[robot, s] = 0.99 * square[robot, s] + 0.01 * g * g
        m = mean[robot, s] / (1.0 - 0.9**step)
        q = square[robot, s] / (1.0 - 0.99**step)
        weights[robot, s] -= rate * m / (qd.sqrt(q) + 1e-8)
