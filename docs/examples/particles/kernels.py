"""Particles that repel each other, in a periodic square of side 1: velocity Verlet with a grid of cells.

A particle's neighbours are in its cell and the 8 around it. Each step sorts the particles into the
cells: it counts, adds the counts up (`qd.algorithms`), and gives each particle its place.
"""

import quadrants as qd

CELLS = 80  # a side; a cell is as wide as the force reaches
REACH = 1.0 / CELLS
STIFFNESS = 400.0

Points = qd.types.ndarray(dtype=qd.types.vector(2, qd.f32), ndim=1)
Ints = qd.types.ndarray(dtype=qd.u32, ndim=1)
Reals = qd.types.ndarray(dtype=qd.f32, ndim=1)


@qd.func
def cell_of(x):
    """The cell's column and row. A coordinate may be 1 by rounding."""
    return qd.min(qd.cast(x * CELLS, qd.i32), CELLS - 1)


@qd.func
def nearest_image(d):
    """The shortest way to a particle, which may lead over the border."""
    return d - qd.round(d)


@qd.kernel
def step(x: Points, v: Points, force: Points, energy: Reals, starts: Ints, ends: Ints, order: Ints,
         scratch: Ints, dt: qd.f32):
    """Moves all particles by `dt`, and stores the potential energy of each. Mass is 1."""
    for i in x:
        v[i] = v[i] + 0.5 * dt * force[i]
        p = x[i] + dt * v[i]
        x[i] = p - qd.floor(p)

    for c in ends:
        ends[c] = 0
    for i in x:
        c = cell_of(x[i])
        ends[c[1] * CELLS + c[0]] += 1
    qd.algorithms.exclusive_scan_add(ends, starts, scratch, CELLS * CELLS, qd.u32, 3)
    for c in ends:
        ends[c] = starts[c]
    for i in x:
        c = cell_of(x[i])
        place = qd.atomic_add(ends[c[1] * CELLS + c[0]], 1)
        order[place] = qd.u32(i)

    for i in x:
        total = qd.Vector([0.0, 0.0])
        potential = 0.0
        home = cell_of(x[i])
        for dy, dx in qd.static(qd.ndrange((-1, 2), (-1, 2))):
            c = (home[1] + dy + CELLS) % CELLS * CELLS + (home[0] + dx + CELLS) % CELLS
            for k in range(qd.i32(starts[c]), qd.i32(ends[c])):
                d = nearest_image(x[i] - x[order[k]])
                r = d.norm()
                if r > 0.0 and r < REACH:  # not itself
                    total += STIFFNESS * (1.0 - r / REACH) / r * d
                    potential += 0.25 * STIFFNESS * REACH * (1.0 - r / REACH) ** 2  # half of the pair's
        force[i] = total
        energy[i] = potential
        v[i] = v[i] + 0.5 * dt * total
