"""A scene of distance functions, drawn by marching along rays: spheres, a torus, a floor.

A ray may go as far as the distance to the nearest surface, again and again, until it is there.
"""

import quadrants as qd

vec3 = qd.types.vector(3, qd.f32)
FAR = 40.0
NEAR = 2e-4

Pixels = qd.types.ndarray(dtype=qd.u32, ndim=2)
Depths = qd.types.ndarray(dtype=qd.f32, ndim=2)


@qd.func
def smooth_union(a, b, width):
    h = qd.clamp(0.5 + 0.5 * (b - a) / width, 0.0, 1.0)
    return qd.mix(b, a, h) - width * h * (1.0 - h)


@qd.func
def ball(p):
    return (p - vec3(-1.6, 1.0, 0.0)).norm() - 1.0


@qd.func
def knot(p):
    """A ring that melts into two small balls."""
    q = p - vec3(1.5, 1.0, 0.3)
    ring = qd.Vector([qd.Vector([q[0], q[1]]).norm() - 0.75, q[2]]).norm() - 0.25
    drops = qd.min((q - vec3(0.0, 0.75, 0.35)).norm() - 0.35, (q - vec3(0.65, -0.4, 0.5)).norm() - 0.4)
    return smooth_union(ring, drops, 0.25)


@qd.func
def scene(p):
    return qd.min(qd.min(ball(p), knot(p)), p[1])


@qd.func
def march(origin, direction):
    """How far a ray goes; FAR where it meets nothing."""
    t = 0.0
    for k in range(200):
        d = scene(origin + t * direction)
        if d < NEAR:
            break
        t += d
        if t > FAR:
            t = FAR
            break
    return t


@qd.func
def normal(p):
    n = vec3(0.0)
    for axis in qd.static(range(3)):
        step = vec3(0.0)
        step[axis] = 1e-3
        n[axis] = scene(p + step) - scene(p - step)
    return n.normalized()


@qd.func
def shadow(p, to_light):
    """1 in full light, 0 in the dark, and between where a ray passes close by something."""
    light, t = 1.0, 0.03
    for k in range(60):
        d = scene(p + t * to_light)
        light = qd.min(light, 12.0 * d / t)
        t += qd.max(d, 0.01)
        if light < 0.005 or t > 12.0:
            break
    return qd.max(light, 0.0)


@qd.func
def sky(direction):
    return qd.mix(vec3(0.86, 0.90, 0.95), vec3(0.25, 0.45, 0.80), qd.sqrt(qd.max(direction[1], 0.0)))


@qd.func
def paint(p):
    c = vec3(0.90, 0.32, 0.20)
    if p[1] < 0.01:
        c = vec3(0.55) if qd.i32(qd.floor(p[0]) + qd.floor(p[2])) & 1 == 0 else vec3(0.80)
    elif ball(p) < 0.01:
        c = vec3(0.85, 0.87, 0.90)
    return c


@qd.func
def lit(p, n, direction):
    to_light = vec3(0.55, 0.70, -0.45).normalized()
    sun = qd.max(n.dot(to_light), 0.0) * shadow(p + 0.01 * n, to_light)
    c = paint(p) * (1.25 * sun * vec3(1.0, 0.93, 0.80) + (0.22 + 0.18 * n[1]) * vec3(0.75, 0.85, 1.0))
    shine = qd.max(qd.math.reflect(direction, n).dot(to_light), 0.0) ** 40
    return c + 0.5 * shine * vec3(1.0) * (sun > 0.0)


@qd.kernel
def draw(pixels: Pixels, depths: Depths, eye: vec3):
    """Looks from `eye` to the scene's middle. `depths` gets how far each ray went."""
    for row, column in pixels:
        forward = (vec3(0.0, 0.8, 0.0) - eye).normalized()
        right = forward.cross(vec3(0.0, 1.0, 0.0)).normalized()
        up = right.cross(forward)
        height, width = pixels.shape[0], pixels.shape[1]
        x = (2.0 * column + 1.0 - width) / height
        y = (height - 2.0 * row - 1.0) / height
        direction = (forward + 0.4 * (x * right + y * up)).normalized()

        t = march(eye, direction)
        depths[row, column] = t
        c = sky(direction)
        if t < FAR:
            p = eye + t * direction
            n = normal(p)
            c = lit(p, n, direction)
            mirrored = qd.math.reflect(direction, n)
            if ball(p) < 0.01:  # the ball is a mirror
                u = march(p + 0.01 * n, mirrored)
                q = p + 0.01 * n + u * mirrored
                seen = lit(q, normal(q), mirrored) if u < FAR else sky(mirrored)
                c = 0.25 * c + 0.75 * seen
            c = qd.mix(c, vec3(0.86, 0.90, 0.95), 1.0 - qd.exp(-0.0025 * t * t))  # haze
        b = qd.cast(qd.sqrt(qd.clamp(c, 0.0, 1.0)) * 255.0 + 0.5, qd.u32)
        pixels[row, column] = b[0] | (b[1] << 8) | (b[2] << 16) | qd.u32(0xFF000000)
