"""The AMD benchmark's kernels; the same algorithms in OpenCL C are in peers.cl."""
import quadrants as qd
from quadrants.lang.simt import block

TILE = 4


@qd.kernel
def row_sums(x: qd.types.ndarray(dtype=qd.f32, ndim=2), out: qd.types.ndarray(dtype=qd.f32, ndim=1)):
    for row in range(x.shape[0]):
        total = 0.0
        for col in range(x.shape[1]):
            total += x[row, col]
        out[row] = total


@qd.kernel
def softmax(x: qd.types.ndarray(dtype=qd.f32, ndim=2), out: qd.types.ndarray(dtype=qd.f32, ndim=2)):
    for row in range(x.shape[0]):
        most = x[row, 0]
        for col in range(x.shape[1]):
            most = qd.max(most, x[row, col])
        total = 0.0
        for col in range(x.shape[1]):
            e = qd.exp(x[row, col] - most)
            out[row, col] = e
            total += e
        scale = 1.0 / total
        for col in range(x.shape[1]):
            out[row, col] *= scale


@qd.kernel
def layernorm(x: qd.types.ndarray(dtype=qd.f32, ndim=2), out: qd.types.ndarray(dtype=qd.f32, ndim=2)):
    for row in range(x.shape[0]):
        total = 0.0
        for col in range(x.shape[1]):
            total += x[row, col]
        mean = total / x.shape[1]
        squares = 0.0
        for col in range(x.shape[1]):
            d = x[row, col] - mean
            squares += d * d
        scale = 1.0 / qd.sqrt(squares / x.shape[1] + 1e-5)
        for col in range(x.shape[1]):
            out[row, col] = (x[row, col] - mean) * scale


@qd.kernel
def transpose(x: qd.types.ndarray(dtype=qd.f32, ndim=2), out: qd.types.ndarray(dtype=qd.f32, ndim=2)):
    for i, j in qd.ndrange(x.shape[0], x.shape[1]):
        out[j, i] = x[i, j]


@qd.kernel
def stencil(x: qd.types.ndarray(dtype=qd.f32, ndim=2), out: qd.types.ndarray(dtype=qd.f32, ndim=2)):
    for i, j in qd.ndrange(x.shape[0], x.shape[1]):
        if i > 0 and j > 0 and i < x.shape[0] - 1 and j < x.shape[1] - 1:
            out[i, j] = x[i - 1, j] + x[i + 1, j] + x[i, j - 1] + x[i, j + 1] - 4.0 * x[i, j]


@qd.func
def normal(x: qd.f32) -> qd.f32:
    k = 1.0 / (1.0 + 0.2316419 * qd.abs(x))
    tail = qd.exp(-0.5 * x * x) * 0.39894228 * k * (
        0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
    return 1.0 - tail if x > 0.0 else tail


@qd.kernel
def black_scholes(
    price: qd.types.ndarray(dtype=qd.f32, ndim=1),
    strike: qd.types.ndarray(dtype=qd.f32, ndim=1),
    years: qd.types.ndarray(dtype=qd.f32, ndim=1),
    call: qd.types.ndarray(dtype=qd.f32, ndim=1),
):
    for i in range(price.shape[0]):
        s = price[i]
        t = years[i]
        root = qd.sqrt(t)
        d1 = (qd.log(s / strike[i]) + (0.02 + 0.5 * 0.3 * 0.3) * t) / (0.3 * root)
        d2 = d1 - 0.3 * root
        call[i] = s * normal(d1) - strike[i] * qd.exp(-0.02 * t) * normal(d2)


@qd.kernel
def matmul(
    a: qd.types.ndarray(dtype=qd.f32, ndim=2),
    b: qd.types.ndarray(dtype=qd.f32, ndim=2),
    c: qd.types.ndarray(dtype=qd.f32, ndim=2),
):
    for bi, bj in qd.ndrange(a.shape[0] // TILE, b.shape[1] // TILE):
        acc = qd.Matrix.zero(qd.f32, TILE, TILE)
        for k in range(a.shape[1]):
            for i in qd.static(range(TILE)):
                for j in qd.static(range(TILE)):
                    acc[i, j] += a[bi * TILE + i, k] * b[k, bj * TILE + j]
        for i in qd.static(range(TILE)):
            for j in qd.static(range(TILE)):
                c[bi * TILE + i, bj * TILE + j] = acc[i, j]


mat4 = qd.types.matrix(4, 4, qd.f32)


@qd.kernel
def mat4_product(
    a: qd.types.ndarray(dtype=mat4, ndim=1),
    b: qd.types.ndarray(dtype=mat4, ndim=1),
    c: qd.types.ndarray(dtype=mat4, ndim=1),
):
    for i in range(a.shape[0]):
        c[i] = a[i] @ b[i]


vec4 = qd.types.vector(4, qd.f32)


@qd.kernel
def nbody(body: qd.types.ndarray(dtype=vec4, ndim=1), force: qd.types.ndarray(dtype=vec4, ndim=1)):
    for i in range(body.shape[0]):
        p = body[i]
        f = qd.Vector([0.0, 0.0, 0.0])
        for k in range(body.shape[0]):
            q = body[k]
            d = qd.Vector([q[0] - p[0], q[1] - p[1], q[2] - p[2]])
            r = 1.0 / qd.sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + 0.01)
            f += d * (q[3] * r * r * r)
        force[i] = qd.Vector([f[0], f[1], f[2], 0.0])


# The kernels from here on have twins with two and three dimensions in their grids, or that combine by hand.
THREADS = 256
Reals = qd.types.ndarray(dtype=qd.f32, ndim=1)
Space = qd.types.ndarray(dtype=qd.f32, ndim=3)
Ints = qd.types.ndarray(dtype=qd.i32, ndim=1)
Points = qd.types.ndarray(dtype=qd.types.vector(3, qd.f32), ndim=1)


@qd.kernel
def total(x: Reals, out: Reals):
    qd.loop_config(block_dim=THREADS)
    for i in range(x.shape[0]):
        out[0] += x[i]


@qd.kernel
def particles(dt: qd.f32, velocity: Points, place: Points):
    qd.loop_config(block_dim=THREADS)
    for i in range(place.shape[0]):
        v = velocity[i]
        v[1] -= 9.8 * dt
        p = place[i] + v * dt
        for c in qd.static(range(3)):
            if p[c] < 0.0 or p[c] > 1.0:
                v[c] = -0.9 * v[c]
                p[c] = qd.min(qd.max(p[c], 0.0), 1.0)
        velocity[i] = v
        place[i] = p


@qd.kernel
def transpose_tiles(x: qd.types.ndarray(dtype=qd.f32, ndim=2), out: qd.types.ndarray(dtype=qd.f32, ndim=2)):
    qd.loop_config(block_dim=THREADS)
    for i in range(x.shape[0] * x.shape[1] // 4):
        tile = block.SharedArray((32, 33), qd.f32)
        tx = block.thread_idx() % 32
        ty = block.thread_idx() // 32
        across = x.shape[1] // 32
        bx = i // THREADS % across
        by = i // THREADS // across
        for k in qd.static(range(4)):
            tile[ty + 8 * k, tx] = x[by * 32 + ty + 8 * k, bx * 32 + tx]
        block.sync()
        for k in qd.static(range(4)):
            out[bx * 32 + ty + 8 * k, by * 32 + tx] = tile[tx, ty + 8 * k]


@qd.kernel
def mandelbrot(limit: qd.i32, out: qd.types.ndarray(dtype=qd.f32, ndim=2)):
    qd.loop_config(block_dim=THREADS)
    for y, x in qd.ndrange(out.shape[0], out.shape[1]):
        cx = -2.0 + 3.0 * x / out.shape[1]
        cy = -1.5 + 3.0 * y / out.shape[0]
        zx = 0.0
        zy = 0.0
        n = 0
        while n < limit and zx * zx + zy * zy < 4.0:
            t = zx * zx - zy * zy + cx
            zy = 2.0 * zx * zy + cy
            zx = t
            n += 1
        out[y, x] = n


@qd.kernel
def stencil7(x: Space, out: Space):
    qd.loop_config(block_dim=THREADS)
    for i, j, k in qd.ndrange((1, x.shape[0] - 1), (1, x.shape[1] - 1), (1, x.shape[2] - 1)):
        out[i, j, k] = 0.5 * x[i, j, k] + 0.25 * (
            x[i - 1, j, k] + x[i + 1, j, k] + x[i, j - 1, k] + x[i, j + 1, k] + x[i, j, k - 1] + x[i, j, k + 1]
        )


@qd.kernel
def lower_bound(table: Reals, keys: Reals, places: Reals):
    qd.loop_config(block_dim=THREADS)
    for i in range(keys.shape[0]):
        low = 0
        high = table.shape[0]
        while low < high:
            middle = (low + high) // 2
            if table[middle] < keys[i]:
                low = middle + 1
            else:
                high = middle
        places[i] = low
