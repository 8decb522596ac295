"""A viscous fluid in a periodic rectangle: the lattice Boltzmann method, D2Q9, one relaxation time.

Nine populations a cell move to the neighbours and relax towards equilibrium. The arrays hold what each
has beyond its weight, so that `f32` keeps more digits. Extents are powers of two.
"""

import quadrants as qd

X = (0, 1, 0, -1, 0, 1, -1, -1, 1)  # the directions
Y = (0, 0, 1, 0, -1, 1, 1, -1, -1)
WEIGHT = (4 / 9, 1 / 9, 1 / 9, 1 / 9, 1 / 9, 1 / 36, 1 / 36, 1 / 36, 1 / 36)

Populations = qd.types.ndarray(dtype=qd.f32, ndim=3)  # direction, row, column
Velocity = qd.types.ndarray(dtype=qd.types.vector(2, qd.f32), ndim=2)


@qd.func
def equilibrium(q: qd.template(), density, u):
    """`density` is what it is beyond 1."""
    along = 3.0 * (X[q] * u[0] + Y[q] * u[1])
    return WEIGHT[q] * (density + (1.0 + density) * (along + 0.5 * along * along - 1.5 * u.dot(u)))


@qd.kernel
def start(velocity: Velocity, f: Populations):
    for row, column in velocity:
        for q in qd.static(range(9)):
            f[q, row, column] = equilibrium(q, 0.0, velocity[row, column])


@qd.kernel
def step(f: Populations, out: Populations, velocity: Velocity, relaxation: qd.f32):
    """One step of time. `velocity` gets the velocity before the collision."""
    for row, column in velocity:
        here = qd.Vector([0.0 for q in qd.static(range(9))])
        density = 0.0
        momentum = qd.Vector([0.0, 0.0])
        for q in qd.static(range(9)):
            here[q] = f[q, (row - Y[q]) & (velocity.shape[0] - 1), (column - X[q]) & (velocity.shape[1] - 1)]
            density += here[q]
            momentum += qd.Vector([X[q], Y[q]]) * here[q]
        u = momentum / (1.0 + density)
        velocity[row, column] = u
        for q in qd.static(range(9)):
            out[q, row, column] = here[q] + relaxation * (equilibrium(q, density, u) - here[q])
