"""The rows of kernels.py in Warp's language, for peers.py."""
import warp as wp

Array = wp.array(dtype=wp.float32)


@wp.kernel
def saxpy(x: Array, out: Array):
    i = wp.tid()
    out[i] = 2.5 * x[i] + out[i]


@wp.kernel
def functions(x: Array, out: Array):
    i = wp.tid()
    out[i] = wp.exp(-x[i] * x[i]) * wp.sin(x[i]) + wp.sqrt(1.0 + x[i] * x[i])


@wp.kernel
def energy(x: wp.array(dtype=wp.vec3), out: Array):
    i = wp.tid()
    wp.atomic_add(out, 0, 0.5 * wp.length_sq(x[i]) * wp.exp(-wp.length(x[i])))


@wp.kernel
def stencil(x: Array, out: Array):
    i = wp.tid()
    if i >= 1 and i < x.shape[0] - 1:
        out[i] = (x[i - 1] - 2.0 * x[i] + x[i + 1]) * x[i]


@wp.kernel
def rows(x: Array, m: wp.array2d(dtype=wp.float32), out: Array):
    i = wp.tid()
    s = float(0.0)
    for k in range(m.shape[1]):
        s += m[i, k] * wp.tanh(x[k])
    out[i] = s * s


@wp.kernel
def pendulum(x: Array, out: Array):
    i = wp.tid()
    p = x[i]
    v = float(0.0)
    for k in range(30):
        v -= 0.1 * wp.sin(p)
        p += 0.1 * v
    out[i] = p * v


@wp.kernel
def long_pendulum(x: Array, out: Array):
    i = wp.tid()
    p = x[i]
    v = float(0.0)
    for k in range(500):
        v -= 0.01 * wp.sin(p)
        p += 0.01 * v
    out[i] = p * v


@wp.kernel
def newton(x: Array, out: Array):
    i = wp.tid()
    r = float(1.0)
    while wp.abs(r * r - x[i]) > 1.0e-5 * x[i]:
        r = 0.5 * (r + x[i] / r)
    out[i] = r
