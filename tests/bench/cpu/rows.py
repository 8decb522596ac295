"""Kernels as users write them, one idea each; C++ with OpenMP beside them is in rows-peers.cpp."""
import quadrants as qd
from fractal import escape

vec4 = qd.types.vector(4, qd.f32)
vec3 = qd.types.vector(3, qd.f32)
mat4 = qd.types.matrix(4, 4, qd.f32)
TILE = 16
REGISTERS = 8
DEPTH = 8
RADIX = 256
KEYS = 16  # a thread's


@qd.kernel
def stencil7(x: qd.types.ndarray(qd.f32, 3), y: qd.types.ndarray(qd.f32, 3)):
    for i, j, k in qd.ndrange(x.shape[0], x.shape[1], x.shape[2]):
        s = x[qd.max(i - 1, 0), j, k] + x[qd.min(i + 1, x.shape[0] - 1), j, k]
        s += x[i, qd.max(j - 1, 0), k] + x[i, qd.min(j + 1, x.shape[1] - 1), k]
        s += x[i, j, qd.max(k - 1, 0)] + x[i, j, qd.min(k + 1, x.shape[2] - 1)]
        y[i, j, k] = 0.5 * x[i, j, k] + s / 12.0


@qd.kernel
def blur3(x: qd.types.ndarray(qd.f32, 2), y: qd.types.ndarray(qd.f32, 2)):
    for i, j in qd.ndrange(x.shape[0], x.shape[1]):
        s = 0.0
        for di, dj in qd.static(qd.ndrange((-1, 2), (-1, 2))):
            row = qd.min(qd.max(i + di, 0), x.shape[0] - 1)
            col = qd.min(qd.max(j + dj, 0), x.shape[1] - 1)
            s += x[row, col]
        y[i, j] = s / 9.0


@qd.kernel
def transform(x: qd.types.ndarray(qd.f32, 2), y: qd.types.ndarray(qd.f32, 2)):
    for i, j in qd.ndrange(x.shape[0], x.shape[1]):
        y[i, j] = 2.0 * x[i, j] + 1.0


@qd.kernel
def reduce4(x: qd.types.ndarray(vec4, 1), y: qd.types.ndarray(qd.f32, 1)):
    for i in range(x.shape[0]):
        y[i] = x[i].sum()


@qd.kernel
def saxpy4(a: qd.f32, x: qd.types.ndarray(vec4, 1), y: qd.types.ndarray(vec4, 1)):
    for i in range(x.shape[0]):
        y[i] = a * x[i] + y[i]


@qd.dataclass
class Particle:
    pos: vec3
    vel: vec3
    mass: qd.f32


@qd.kernel
def particles(p: qd.types.ndarray(Particle, 1), dt: qd.f32):
    for i in range(p.shape[0]):
        p[i].vel[2] = p[i].vel[2] - 9.81 * dt * p[i].mass
        p[i].pos = p[i].pos + dt * p[i].vel


@qd.kernel
def total(x: qd.types.ndarray(qd.f32, 1), out: qd.types.ndarray(qd.f32, 1)):
    for i in range(x.shape[0]):
        out[0] += x[i]


@qd.kernel
def bins(x: qd.types.ndarray(qd.i32, 1), out: qd.types.ndarray(qd.i32, 1)):
    for i in range(x.shape[0]):
        out[x[i]] += 1


@qd.kernel
def matmul_tiled(a: qd.types.ndarray(qd.f32, 2), b: qd.types.ndarray(qd.f32, 2), c: qd.types.ndarray(qd.f32, 2)):
    qd.loop_config(block_dim=TILE * TILE)
    for i in range(c.shape[0] * c.shape[1]):
        tile_a = qd.simt.block.SharedArray((TILE, TILE), qd.f32)
        tile_b = qd.simt.block.SharedArray((TILE, TILE), qd.f32)
        t = qd.simt.block.thread_idx()
        row, col = t // TILE, t % TILE
        block = i // (TILE * TILE)
        across = c.shape[1] // TILE
        y, x = block // across * TILE + row, block % across * TILE + col
        s = 0.0
        for k in range(a.shape[1] // TILE):
            tile_a[row, col] = a[y, k * TILE + col]
            tile_b[row, col] = b[k * TILE + row, x]
            qd.simt.block.sync()
            for m in qd.static(range(TILE)):
                s += tile_a[row, m] * tile_b[m, col]
            qd.simt.block.sync()
        c[y, x] = s


@qd.kernel
def matmul_registers(a: qd.types.ndarray(qd.f32, 2), b: qd.types.ndarray(qd.f32, 2), c: qd.types.ndarray(qd.f32, 2)):
    """Each thread has a column of eight sums."""
    for rows, x in qd.ndrange(c.shape[0] // REGISTERS, c.shape[1]):
        s = qd.Vector([0.0 for _ in range(REGISTERS)])
        for k in range(a.shape[1]):
            right = b[k, x]
            for r in qd.static(range(REGISTERS)):
                s[r] += a[rows * REGISTERS + r, k] * right
        for r in qd.static(range(REGISTERS)):
            c[rows * REGISTERS + r, x] = s[r]


@qd.kernel
def matmul_blocks(a: qd.types.ndarray(qd.f32, 2), b: qd.types.ndarray(qd.f32, 2), c: qd.types.ndarray(qd.f32, 2)):
    """A block has 128 rows and columns of c in its threads' registers, each thread 8 of both; DEPTH steps are shared."""
    qd.loop_config(block_dim=256)
    for i in range(c.shape[0] * c.shape[1] // (REGISTERS * REGISTERS)):
        left = qd.simt.block.SharedArray((DEPTH, 128), qd.f32)
        right = qd.simt.block.SharedArray((DEPTH, 128), qd.f32)
        t = qd.simt.block.thread_idx()
        across = c.shape[1] // 128
        y, x = i // 256 // across * 128, i // 256 % across * 128
        row, col = t // 16 * REGISTERS, t % 16 * REGISTERS
        s = qd.Matrix.zero(qd.f32, REGISTERS, REGISTERS)
        for step in range(a.shape[1] // DEPTH):
            for part in qd.static(range(DEPTH * 128 // 256)):
                k = part * 256 + t
                left[k % DEPTH, k // DEPTH] = a[y + k // DEPTH, step * DEPTH + k % DEPTH]
                right[k // 128, k % 128] = b[step * DEPTH + k // 128, x + k % 128]
            qd.simt.block.sync()
            for k in qd.static(range(DEPTH)):
                u = qd.Vector([left[k, row + r] for r in range(REGISTERS)])
                v = qd.Vector([right[k, col + r] for r in range(REGISTERS)])
                for r, q in qd.static(qd.ndrange(REGISTERS, REGISTERS)):
                    s[r, q] += u[r] * v[q]
            qd.simt.block.sync()
        for r, q in qd.static(qd.ndrange(REGISTERS, REGISTERS)):
            c[y + row + r, x + col + q] = s[r, q]


@qd.kernel
def spmv(
    begin: qd.types.ndarray(qd.i32, 1),
    column: qd.types.ndarray(qd.i32, 1),
    value: qd.types.ndarray(qd.f32, 1),
    x: qd.types.ndarray(qd.f32, 1),
    y: qd.types.ndarray(qd.f32, 1),
):
    for row in range(y.shape[0]):
        s = 0.0
        for k in range(begin[row], begin[row + 1]):
            s += value[k] * x[column[k]]
        y[row] = s


@qd.kernel
def saxpy(a: qd.f32, x: qd.types.ndarray(qd.f32, 1), y: qd.types.ndarray(qd.f32, 1)):
    for i in range(x.shape[0]):
        y[i] = a * x[i] + y[i]


@qd.kernel
def transpose(x: qd.types.ndarray(qd.f32, 2), y: qd.types.ndarray(qd.f32, 2)):
    for i, j in qd.ndrange(y.shape[0], y.shape[1]):
        y[i, j] = x[j, i]


@qd.kernel
def product4(x: qd.types.ndarray(mat4, 1), y: qd.types.ndarray(mat4, 1), z: qd.types.ndarray(mat4, 1)):
    for i in range(x.shape[0]):
        z[i] = x[i] @ y[i]


@qd.kernel
def mandelbrot(out: qd.types.ndarray(qd.i32, 2), limit: qd.i32):
    """Rows in the middle cost most."""
    for row, col in qd.ndrange(out.shape[0], out.shape[1]):
        out[row, col] = escape(row, col, out.shape[0], out.shape[1], limit)


@qd.kernel
def steps(out: qd.types.ndarray(qd.f32, 1), count: qd.i32):
    """The same work everywhere, and no memory but an element: what is left is the launch."""
    for i in range(out.shape[0]):
        value = out[i]
        for _ in range(count):
            value = value * 0.5 + 1.0
        out[i] = value


@qd.kernel
def radix_count(keys: qd.types.ndarray(qd.u32, 1), counts: qd.types.ndarray(qd.i32, 1)):
    """How many keys of each low byte a tile has: the first pass of a radix sort begins."""
    qd.loop_config(block_dim=RADIX)
    for i in range(keys.shape[0] // KEYS):
        t = qd.simt.block.thread_idx()
        tile = i // RADIX
        own = qd.simt.block.SharedArray((RADIX,), qd.i32)
        own[t] = 0
        qd.simt.block.sync()
        for k in range(KEYS):
            qd.atomic_add(own[qd.cast(keys[(tile * KEYS + k) * RADIX + t] & 255, qd.i32)], 1)
        qd.simt.block.sync()
        counts[t * (keys.shape[0] // (RADIX * KEYS)) + tile] = own[t]


@qd.kernel
def radix_places(counts: qd.types.ndarray(qd.i32, 1)):
    """The sums of all counts before each one. A block does it, with a byte for each thread."""
    qd.loop_config(block_dim=RADIX)
    for t in range(RADIX):
        tiles = counts.shape[0] // RADIX
        total = 0
        for tile in range(tiles):
            total += counts[t * tiles + tile]
        at = qd.simt.block.exclusive_add(total, RADIX, qd.i32)
        for tile in range(tiles):
            count = counts[t * tiles + tile]
            counts[t * tiles + tile] = at
            at += count


@qd.kernel
def radix_scatter(
    keys: qd.types.ndarray(qd.u32, 1), places: qd.types.ndarray(qd.i32, 1), out: qd.types.ndarray(qd.u32, 1)
):
    """Moves each key to its place, in order."""
    qd.loop_config(block_dim=RADIX)
    for i in range(keys.shape[0] // KEYS):
        t = qd.simt.block.thread_idx()
        tile = i // RADIX
        next = qd.simt.block.SharedArray((RADIX,), qd.i32)
        bins = qd.simt.block.SharedArray((RADIX,), qd.i32)
        before = qd.simt.block.SharedArray((RADIX,), qd.i32)
        next[t] = places[t * (keys.shape[0] // (RADIX * KEYS)) + tile]
        qd.simt.block.sync()
        for k in range(KEYS):
            key = keys[(tile * KEYS + k) * RADIX + t]
            digit = qd.cast(key & 255, qd.i32)
            rank = qd.simt.block.radix_rank_match_atomic_or(key, RADIX, 8, 0, 8, bins, before)
            out[next[digit] + rank - before[digit]] = key
            qd.simt.block.sync()
            next[t] += bins[t]
            qd.simt.block.sync()
