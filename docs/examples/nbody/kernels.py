"""Bodies that attract each other, all with all: leapfrog, with the bodies in tiles.

A block loads a tile of bodies to shared memory once; each of its threads uses all of them.
"""

import quadrants as qd
from quadrants.lang.simt import block

TILE = 256
SOFTENING = 0.03  # bodies closer than this attract each other less

vec3 = qd.types.vector(3, qd.f32)
Bodies = qd.types.ndarray(dtype=qd.types.vector(4, qd.f32), ndim=1)  # position and mass
Vectors = qd.types.ndarray(dtype=vec3, ndim=1)


@qd.func
def attraction(body, others: qd.template()):
    """The acceleration by a tile of bodies."""
    total = vec3(0.0)
    for k in range(TILE):
        d = others[k].xyz - body.xyz
        inverse = qd.rsqrt(d.dot(d) + SOFTENING * SOFTENING)
        total += others[k].w * inverse * inverse * inverse * d
    return total


@qd.kernel
def step(bodies: Bodies, velocity: Vectors, acceleration: Vectors, dt: qd.f32, tiles: qd.i32):
    """`tiles` times TILE bodies."""
    for i in bodies:
        velocity[i] = velocity[i] + 0.5 * dt * acceleration[i]
        bodies[i].xyz = bodies[i].xyz + dt * velocity[i]

    qd.loop_config(block_dim=TILE)
    for i in range(tiles * TILE):
        tile = block.SharedArray((TILE,), qd.types.vector(4, qd.f32))
        total = vec3(0.0)
        for t in range(tiles):
            tile[i % TILE] = bodies[t * TILE + i % TILE]
            block.sync()
            total += attraction(bodies[i], tile)
            block.sync()
        acceleration[i] = total
        velocity[i] = velocity[i] + 0.5 * dt * total
