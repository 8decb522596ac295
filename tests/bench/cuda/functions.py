# Kernels whose time is that of functions, in both kinds of code: exact, and by --fast-math.
import quadrants as qd

Reals = qd.types.ndarray(qd.f32, 1)
Bodies = qd.types.ndarray(qd.types.vector(4, qd.f32), 1)
Picture = qd.types.ndarray(qd.i32, 2)

RATE, SPREAD, SOFTENING = 0.02, 0.3, 1e-4


@qd.func
def normal(x):
    k = 1.0 / (1.0 + 0.2316419 * qd.abs(x))
    series = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
    tail = qd.exp(-0.5 * x * x) * 0.39894228 * series
    return 1.0 - tail if x > 0.0 else tail


@qd.kernel
def black_scholes(price: Reals, strike: Reals, years: Reals, call: Reals):
    for i in range(price.shape[0]):
        root = qd.sqrt(years[i])
        up = (qd.log(price[i] / strike[i]) + (RATE + 0.5 * SPREAD * SPREAD) * years[i]) / (SPREAD * root)
        paid = strike[i] * qd.exp(-RATE * years[i])
        call[i] = price[i] * normal(up) - paid * normal(up - SPREAD * root)


@qd.kernel
def nbody(bodies: Bodies, force: Bodies):
    for i in range(bodies.shape[0]):
        own = bodies[i]
        total = qd.Vector([0.0, 0.0, 0.0])
        for j in range(bodies.shape[0]):
            other = bodies[j]
            way = qd.Vector([other[0] - own[0], other[1] - own[1], other[2] - own[2]])
            near = qd.rsqrt(way.dot(way) + SOFTENING)
            total += way * (other[3] * near * near * near)
        force[i] = qd.Vector([total[0], total[1], total[2], 0.0])


@qd.kernel
def mandelbrot(limit: qd.i32, picture: Picture):
    for y, x in picture:
        cx = -2.0 + 3.0 * x / picture.shape[1]
        cy = -1.5 + 3.0 * y / picture.shape[0]
        zx = 0.0
        zy = 0.0
        n = 0
        while n < limit and zx * zx + zy * zy < 4.0:
            zx, zy = zx * zx - zy * zy + cx, 2.0 * zx * zy + cy
            n += 1
        picture[y, x] = n


@qd.kernel
def waves(x: Reals, y: Reals):
    for i in range(x.shape[0]):
        value = x[i]
        for _ in range(16):
            value = qd.sin(value) + qd.cos(value) / (1.0 + value * value)
        y[i] = value
