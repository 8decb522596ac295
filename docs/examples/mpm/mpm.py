"""A block of jelly falls into water: the material point method in two dimensions, in Quadrants.

    python mpm.py [--steps N] [--out picture.png]

The method is MLS-MPM (Hu et al., "A Moving Least Squares Material Point Method", SIGGRAPH 2018): particles carry
position, velocity, an affine velocity field C and a deformation F; a step moves their momentum to a grid, applies
forces there, and takes the velocities back. docs/freeze.md makes a C++ program of it.
"""

import argparse
import struct
import zlib

import quadrants as qd

PARTICLES = 6000  # the first half is water, the second jelly
GRID = 96  # cells along each side of the unit square
DT = 2e-4
CELL = 1.0 / GRID
VOLUME = (0.5 * CELL) ** 2
MASS = VOLUME * 1.0
YOUNG = 400.0  # the jelly's; its Poisson's ratio is 0.2
MU = YOUNG / (2 * (1 + 0.2))
LAMBDA = YOUNG * 0.2 / ((1 + 0.2) * (1 - 2 * 0.2))
WATER = 400.0  # its bulk modulus

qd.init(arch=qd.cpu, random_seed=1)

x = qd.Vector.field(2, qd.f32, shape=PARTICLES)
v = qd.Vector.field(2, qd.f32, shape=PARTICLES)
C = qd.Matrix.field(2, 2, qd.f32, shape=PARTICLES)
F = qd.Matrix.field(2, 2, qd.f32, shape=PARTICLES)
volume_ratio = qd.field(qd.f32, shape=PARTICLES)  # the water's
momentum = qd.Vector.field(2, qd.f32, shape=(GRID, GRID))
mass = qd.field(qd.f32, shape=(GRID, GRID))


@qd.func
def weights(fx):
    """The quadratic B-spline's weights of three nodes, of a particle at `fx` cells from the first."""
    return qd.Matrix.cols([0.5 * (1.5 - fx) ** 2, 0.75 - (fx - 1.0) ** 2, 0.5 * (fx - 0.5) ** 2])


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


def picture(points, path, size=400):
    """Writes the particles as a PNG: water blue, jelly red."""
    rows = [bytearray(b"\xff" * 3 * size) for _ in range(size)]
    for number, (px, py) in enumerate(points):
        column, row = int(px * size), size - 1 - int(py * size)
        color = b"\x30\x70\xd0" if number < PARTICLES // 2 else b"\xd0\x40\x40"
        for r in range(max(row - 1, 0), min(row + 1, size)):
            for c in range(max(column - 1, 0), min(column + 1, size)):
                rows[r][3 * c:3 * c + 3] = color

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0)) +
                   chunk(b"IDAT", zlib.compress(b"".join(b"\0" + bytes(row) for row in rows), 9)) + chunk(b"IEND", b""))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=3000)
    parser.add_argument("--out")
    options = parser.parse_args()
    place()
    for _ in range(options.steps):
        step(9.8)
    points = x.to_numpy()
    half = PARTICLES // 2
    print(f"water at {points[:half].mean(axis=0).round(4)}, jelly at {points[half:].mean(axis=0).round(4)}")
    if options.out:
        picture(points, options.out)


main()
