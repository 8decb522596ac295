"""Kernels that ISPC's examples have, too; the same in ISPC is in ispc-peers.ispc."""
import quadrants as qd
from fractal import escape

Reals = qd.types.ndarray(qd.f32, 1)
Image = qd.types.ndarray(qd.f32, 2)


@qd.func
def normal(x):
    k = 1.0 / (1.0 + 0.2316419 * qd.abs(x))
    tail = (
        qd.exp(-0.5 * x * x)
        * 0.39894228
        * k
        * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
    )
    result = tail
    if x > 0.0:
        result = 1.0 - tail
    return result


@qd.kernel
def black_scholes(price: Reals, strike: Reals, years: Reals, call: Reals):
    for i in range(price.shape[0]):
        s, k, t = price[i], strike[i], years[i]
        root = qd.sqrt(t)
        d1 = (qd.log(s / k) + (0.02 + 0.5 * 0.3 * 0.3) * t) / (0.3 * root)
        call[i] = s * normal(d1) - k * qd.exp(-0.02 * t) * normal(d1 - 0.3 * root)


@qd.kernel
def binomial(price: Reals, strike: Reals, years: Reals, call: Reals):
    """A tree of 64 steps, whose last prices are in memory of the thread's own."""
    for i in range(price.shape[0]):
        s, k, t = price[i], strike[i], years[i]
        step = t / 64.0
        up = qd.exp(0.3 * qd.sqrt(step))
        discount = qd.exp(0.02 * step)
        rise = (discount - 1.0 / up) / (up - 1.0 / up)
        value = qd.Vector([0.0 for _ in range(64)])
        for j in range(64):
            value[j] = qd.max(0.0, s * qd.pow(up, 2.0 * j - 64.0) - k)
        for n in range(63):
            for j in range(63 - n):
                value[j] = ((1.0 - rise) * value[j] + rise * value[j + 1]) / discount
        call[i] = value[0]


@qd.func
def pulls(i, x: Reals, y: Reals, z: Reals, mass: Reals, divides: qd.template()):
    """The sum of all bodies' pulls on one: by an inverse root, or by a root and a division."""
    px, py, pz = x[i], y[i], z[i]
    sx, sy, sz = 0.0, 0.0, 0.0
    for j in range(x.shape[0]):
        dx, dy, dz = x[j] - px, y[j] - py, z[j] - pz
        square = dx * dx + dy * dy + dz * dz + 1e-3
        pull = 0.0
        if qd.static(divides):
            pull = mass[j] / (square * qd.sqrt(square))
        else:
            inverse = qd.rsqrt(square)
            pull = mass[j] * inverse * inverse * inverse
        sx += pull * dx
        sy += pull * dy
        sz += pull * dz
    return sx, sy, sz


@qd.kernel
def bodies(x: Reals, y: Reals, z: Reals, mass: Reals, ax: Reals, ay: Reals, az: Reals):
    for i in range(x.shape[0]):
        ax[i], ay[i], az[i] = pulls(i, x, y, z, mass, False)


@qd.kernel
def bodies_divided(x: Reals, y: Reals, z: Reals, mass: Reals, ax: Reals, ay: Reals, az: Reals):
    for i in range(x.shape[0]):
        ax[i], ay[i], az[i] = pulls(i, x, y, z, mass, True)


@qd.kernel
def rays(cx: Reals, cy: Reals, cz: Reals, radius: Reals, image: Image):
    """The light on the nearest of some spheres."""
    for row, col in qd.ndrange(image.shape[0], image.shape[1]):
        u = 2.0 * qd.cast(col, qd.f32) / qd.cast(image.shape[1], qd.f32) - 1.0
        v = 2.0 * qd.cast(row, qd.f32) / qd.cast(image.shape[0], qd.f32) - 1.0
        scale = 1.0 / qd.sqrt(u * u + v * v + 1.0)
        dx, dy, dz = u * scale, v * scale, scale
        nearest = 1e30
        hit = -1
        for s in range(cx.shape[0]):
            along = dx * cx[s] + dy * cy[s] + dz * cz[s]
            rest = cx[s] * cx[s] + cy[s] * cy[s] + cz[s] * cz[s] - radius[s] * radius[s]
            inside = along * along - rest
            if inside > 0.0:
                t = along - qd.sqrt(inside)
                if t > 0.0 and t < nearest:
                    nearest = t
                    hit = s
        light = 0.0
        if hit >= 0:
            nx = (nearest * dx - cx[hit]) / radius[hit]
            ny = (nearest * dy - cy[hit]) / radius[hit]
            nz = (nearest * dz - cz[hit]) / radius[hit]
            light = qd.max(0.0, 0.5 * nx - 0.7 * ny - 0.5 * nz)
        image[row, col] = light


@qd.kernel
def mandelbrot(out: qd.types.ndarray(qd.i32, 2), limit: qd.i32):
    for row, col in qd.ndrange(out.shape[0], out.shape[1]):
        out[row, col] = escape(row, col, out.shape[0], out.shape[1], limit)


@qd.func
def mixed(x, y):
    h = qd.cast(x, qd.u32) * qd.u32(374761393) + qd.cast(y, qd.u32) * qd.u32(668265263)
    h = (h ^ (h >> 13)) * qd.u32(1274126177)
    return qd.cast((h ^ (h >> 16)) & qd.u32(0xFFFF), qd.f32) * (1.0 / 65536.0)


@qd.kernel
def noise(image: Image, table: Reals):
    """Octaves of values between random numbers at whole places, then a colour of a table."""
    for row, col in qd.ndrange(image.shape[0], image.shape[1]):
        x = 0.013 * qd.cast(col, qd.f32)
        y = 0.017 * qd.cast(row, qd.f32)
        total = 0.0
        weight = 0.5
        for _ in range(4):
            fx, fy = qd.floor(x), qd.floor(y)
            i, j = qd.cast(fx, qd.i32), qd.cast(fy, qd.i32)
            u, v = x - fx, y - fy
            u, v = u * u * (3.0 - 2.0 * u), v * v * (3.0 - 2.0 * v)
            low = mixed(i, j) * (1.0 - u) + mixed(i + 1, j) * u
            high = mixed(i, j + 1) * (1.0 - u) + mixed(i + 1, j + 1) * u
            total += weight * (low * (1.0 - v) + high * v)
            weight *= 0.5
            x *= 2.03
            y *= 2.03
        image[row, col] = table[qd.min(qd.cast(total * 256.0, qd.i32), 255)]
