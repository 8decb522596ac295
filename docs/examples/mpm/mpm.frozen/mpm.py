# Recorded from mpm.py.
import quadrants as qd


PARTICLES = 6000
x = qd.Vector.field(2, qd.f32, shape=(6000,))
v = qd.Vector.field(2, qd.f32, shape=(6000,))
C = qd.Matrix.field(2, 2, qd.f32, shape=(6000,))
F = qd.Matrix.field(2, 2, qd.f32, shape=(6000,))
volume_ratio = qd.field(qd.f32, shape=(6000,))
WATER = 400.0
MU = 166.66666666666669
LAMBDA = 111.11111111111111
mass = qd.field(qd.f32, shape=(96, 96))
momentum = qd.Vector.field(2, qd.f32, shape=(96, 96))
GRID = 96
MASS = 2.712673611111111e-05
DT = 0.0002
VOLUME = 2.712673611111111e-05
CELL = 0.010416666666666666


# mpm.py:39
@qd.func
def weights(fx):
    """The quadratic B-spline's weights of three nodes, of a particle at `fx` cells from the first."""
    return qd.Matrix.cols([0.5 * (1.5 - fx) ** 2, 0.75 - (fx - 1.0) ** 2, 0.5 * (fx - 0.5) ** 2])


# mpm.py:45
@qd.func
def stress(p):
    """Kirchhoff stress: of water by its volume, of jelly by the fixed corotated model."""
    tau = qd.Matrix.zero(qd.f32, 2, 2)
    if p < PARTICLES // 2:
        pressure = WATER * (volume_ratio[p] - 1.0)
        tau = pressure * volume_ratio[p] * qd.Matrix.identity(qd.f32, 2)
    else:
        rotation, _ = qd.polar_decompose(F[p])
        J = F[p].determinant()
        tau = 2 * MU * (F[p] - rotation) @ F[p].transpose()
        tau += LAMBDA * J * (J - 1.0) * qd.Matrix.identity(qd.f32, 2)
    return tau


# mpm.py:60
@qd.kernel
def place():
    """Water in the lower part of the box, and the block of jelly above it."""
    for p in range(PARTICLES // 2):
        column, row = p % 100, p // 100
        x[p] = qd.Vector([0.06 + 0.88 * column / 99.0, 0.06 + 0.26 * row / 29.0])
    for p in range(PARTICLES // 2, PARTICLES):
        k = p - PARTICLES // 2
        column, row = k % 60, k // 60
        x[p] = qd.Vector([0.35 + 0.3 * column / 59.0, 0.55 + 0.3 * row / 49.0])
    for p in x:
        v[p] = qd.Vector([0.0, 0.0])
        C[p] = qd.Matrix.zero(qd.f32, 2, 2)
        F[p] = qd.Matrix.identity(qd.f32, 2)
        volume_ratio[p] = 1.0


# mpm.py:77
@qd.kernel
def step(gravity: qd.f32):
    """One step of DT seconds."""
    for i, j in mass:
        momentum[i, j] = qd.Vector([0.0, 0.0])
        mass[i, j] = 0.0
    for p in x:
        base = qd.cast(x[p] * GRID - 0.5, qd.i32)
        fx = x[p] * GRID - base
        w = weights(fx)
        affine = MASS * C[p] - DT * VOLUME * 4.0 / CELL**2 * stress(p)
        for i, j in qd.static(qd.ndrange(3, 3)):
            offset = qd.Vector([i, j])
            weight = w[0, i] * w[1, j]
            momentum[base + offset] += weight * (MASS * v[p] + affine @ ((offset - fx) * CELL))
            mass[base + offset] += weight * MASS
    for i, j in mass:
        if mass[i, j] > 0:
            speed = momentum[i, j] / mass[i, j]
            speed[1] -= DT * gravity
            if i < 3 and speed[0] < 0 or i > GRID - 4 and speed[0] > 0:
                speed[0] = 0
            if j < 3 and speed[1] < 0 or j > GRID - 4 and speed[1] > 0:
                speed[1] = 0
            momentum[i, j] = speed
    for p in x:
        base = qd.cast(x[p] * GRID - 0.5, qd.i32)
        fx = x[p] * GRID - base
        w = weights(fx)
        speed = qd.Vector([0.0, 0.0])
        gradient = qd.Matrix.zero(qd.f32, 2, 2)
        for i, j in qd.static(qd.ndrange(3, 3)):
            offset = qd.Vector([i, j])
            part = w[0, i] * w[1, j] * momentum[base + offset]
            speed += part
            gradient += 4.0 / CELL * part.outer_product(offset - fx)
        v[p], C[p] = speed, gradient
        x[p] += DT * speed
        volume_ratio[p] *= 1.0 + DT * gradient.trace()
        F[p] = (qd.Matrix.identity(qd.f32, 2) + DT * gradient) @ F[p]
