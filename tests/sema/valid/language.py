# A walk through the language: every form that docs/language.md and its pages name.
# build: templated[n=3, dt=qd.f32, op=plus]
# build: untyped[x=qd.f64, a=qd.types.ndarray(qd.f32, 2)]
import math
import quadrants as qd
import quadrants.lang.simt.subgroup as sg
from quadrants import simt, f32
from quadrants.lang.simt import subgroup as s2, block

N, M = 16, (2, 3)
TABLE = [1.0, 2.0, 4.0]
DT = qd.f32
TWO_PI = 2 * math.pi
LANES = sg.group_size() * 2
vec3 = qd.types.vector(3, qd.f32)
mat2 = qd.types.matrix(2, 2, qd.f32)

total = qd.field(qd.i32, shape=())
grid2 = qd.field(dtype=DT, shape=(N, N))
points = qd.Vector.field(3, qd.f32, shape=N)
mats = qd.Matrix.field(2, 2, dtype=qd.f32, shape=(4,))
typed = vec3.field(shape=(4,))

A1 = qd.types.ndarray(dtype=qd.f32, ndim=1)
A2 = qd.types.NDArray[qd.f32, 2]
I1 = qd.types.ndarray(qd.i32, 1)
V1 = qd.types.ndarray(dtype=vec3, ndim=1)

if __name__ == "__main__":
    qd.init(arch=qd.cpu)


@qd.func
def plus(a, b):
    return a + b


@qd.func
def swap(a: qd.template(), b: qd.template()):
    t = a
    a = b
    b = t


@qd.func
def sign_of(x) -> qd.i32:
    """Early returns."""
    if x > 0:
        return 1
    elif x < 0:
        return -1
    return 0


@qd.func
def fib(n: qd.template()):
    if qd.static(n < 2):
        return n
    else:
        return fib(n - 1) + fib(n - 2)


@qd.func
def minmax(a, b):
    return min(a, b), max(a, b)


@qd.func
def fill(a: A1, value: qd.f32 = 1):
    for i in a:
        a[i] = value


@qd.kernel
def control(a: A1, b: I1, n: int, scale: float):
    for i in range(n):
        x = a[i]
        k = 0
        while True:
            if x > 10 or k >= 8:
                break
            if k == 3:
                k += 1
                continue
            x *= 2
            k += 1
        y: qd.f64 = x
        y += 0.1
        for j in range(3, 10, 2):
            if j == 7:
                continue
            y -= j
        for j in range(n, -1, -1):
            y += j
        for j, l in qd.ndrange(2, (1, 4)):
            y += j * l
        for J in qd.grouped(qd.ndrange(2, 2)):
            y += J[0] + J.y
        step = b[i]
        for j in range(0, n, step):
            y += j
        z = x if 0 < x < 5 else scale
        lo, hi = minmax(z, y)
        lo, hi = hi, lo
        swap(lo, hi)
        b[i] = sign_of(lo) + fib(6) + (not k) + (k and n) - (x == y)
        assert x > 0
        a[i] = qd.select(k > 3, lo, hi) + TWO_PI + TABLE[1] + M[1]
        if 3 <= k < 5 and not (x != x):
            pass


@qd.kernel
def unrolled(a: A1):
    for i in range(4):
        for k in qd.static(range(3)):
            a[i] += TABLE[k]
            if qd.static(k == 1):
                a[i] *= 2
            elif a[i] > 3:
                continue
            if a[i] < 0:
                break
        for k, t in qd.static(enumerate(TABLE)):
            a[i] += k * t
        for k, t in qd.static(zip((1, 2), TABLE)):
            a[i] += k * t
        for p, q in qd.static(qd.ndrange(2, 2)):
            a[i] += p - q
        squares = qd.static([k * k for k in range(4) if k % 2])
        for v in qd.static(squares):
            a[i] += v
        name = qd.static("add" if N > 3 else "mul")
        if qd.static(name == "add" and N in (8, 16)):
            a[i] += 1
        qd.static_assert(N % 4 == 0, "N")
        sum4 = 0.0
        for d in qd.static(range(4)):
            if d == i:
                sum4 += d
        a[i] = sum4


@qd.kernel
def vectors(v: V1, a: A1, m: mat2, w: vec3):
    for i in v:
        p = v[i]
        q = qd.Vector([1.0, 2.0, 3.0])
        p += q * 2
        p.x = p.y + p[2]
        p[i % 3] = 4
        a[i] = p.dot(q) + p.norm() + p.cross(q).sum() + p[i % 3]
        r = qd.Matrix([[1.0, 2.0], [3.0, 4.0]])
        r = r @ m + r.transpose()
        r[0, 1] = r.determinant()
        u = r @ qd.Vector([p.x, p.y])
        a[i] += u[0] + u.y + r[i % 2, 1]
        v[i] = p.normalized() + w
        v[i][1] = 2
        v[i].z += 3
        v[i] += vec3(1, 2, 3)
        qd.atomic_max(v[i], qd.Vector([1.0, 2.0, 3.0]))
        both = (p > q) & (p < 3)
        a[i] += qd.select(both, p, q).sum() + qd.min(p, q, 0.5).max()
        h = qd.Vector([0] * 4)
        h[i % 4] += 1
        a[i] += h.sum() + qd.math.dot(p, q) + qd.math.clamp(p.x, 0, 1)
        z = qd.zero(p) + qd.one(p.x)
        a[i] += z[0]


@qd.kernel
def fields():
    for i, j in grid2:
        grid2[i, j] = i * j
        total[None] += 1
    for I in qd.grouped(grid2):
        grid2[I] += I[0]
        if I.x > 0:
            grid2[I - qd.Vector([1, 0])] = 2
    for i in points:
        points[i] = [i, i + 1, i + 2]
        points[i].y = points[i][0]
        mats[i % 4] = qd.Matrix.identity(qd.f32, 2) * 2
        mats[0][1, 0] += 1
        typed[i % 4][2] = points[i].norm()


@qd.kernel
def results(a: A1) -> (qd.f32, qd.i32):
    best = -math.inf
    count = 0
    for i in range(a.shape[0]):
        qd.atomic_max(best, a[i])
        count += 1
    return best, count


@qd.kernel
def vector_result(x: qd.f32) -> vec3:
    return vec3(x, x * 2, 3)


@qd.kernel
def early(a: A1) -> qd.i32:
    if a[0] > 0:
        return 1
    return 2


@qd.kernel
def tasks(a: A1, b: A2):
    fill(a)
    fill(a, 2)
    for k in qd.static(range(2)):
        for i in range(a.shape[0] // 2):
            a[i] = k
    if qd.static(N > 3):
        for i, j in qd.ndrange(b.shape[0], b.shape[1]):
            b[i, j] = 1
    for i, j in qd.ndrange(4, 5, axes=(1, 0)):
        b[i, j] = 2
    n = 0
    while n < 3:
        for i in range(3):
            a[i] += n
        n += 1
    qd.loop_config(serialize=True)
    for i in range(10):
        if a[i] > 3:
            break
        a[i] = n
    qd.loop_config(block_dim=LANES)
    for i in range(n):
        a[i] = s2.reduce_add(a[i]) + sg.reduce_all_max_tiled(a[i], 2)


@qd.kernel
def templated(a: A1, n: qd.template(), dt: qd.template(), op: qd.template()):
    for i in a:
        x = qd.cast(i, dt)
        for k in qd.static(range(n)):
            x = op(x, k)
        if qd.static(dt == qd.f32):
            a[i] = x


@qd.kernel
def untyped(x, a):
    for i, j in a:
        a[i, j] = x


@qd.kernel
def numbers(a: A1, b: I1, u: qd.types.ndarray(qd.u64, 1), h: qd.types.ndarray(qd.f16, 1),
            f: qd.types.ndarray(qd.u1, 1)):
    for i in b:
        b[i] = qd.math.popcnt(b[i]) + qd.math.clz(u[i]) + qd.math.ffs(qd.u8(3))
        b[i] = qd.cast(qd.math.fns(qd.u32(b[i]), 0, 1), qd.i32)
        a[i] = qd.sqrt(a[i]) + qd.exp(b[i]) + qd.math.sin(a[i]) + abs(a[i]) + qd.floor(a[i])
        a[i] = qd.atan2(a[i], 2) + a[i] ** 0.5 + a[i] ** 3 + 2 ** b[i] + round(a[i]) + pow(a[i], 2)
        u[i] = (u[i] >> 3) ^ 0xFF | qd.u64(1) << 40
        u[i] = qd.bit_shr(b[i], 2)
        h[i] = h[i] * 2 + 1.5
        f[i] = not f[i] and a[i] > 3
        b[i] = int(a[i]) % 7 // 2 - (-b[i]) + qd.raw_div(b[i], 3) + qd.raw_mod(b[i], 3)
        a[i] = float(b[i]) / 3 + qd.random() + qd.random(qd.f64) + (qd.random(qd.i32) & 3)
        a[i] %= 2.5
        a[i] //= 2
        b[i] <<= 1
        b[i] = qd.bit_cast(a[i], qd.i32)
        b[i] |= 3
        b[i] ^= ~b[i]
        b[i] &= qd.max(b[i], 1, 2)
        b[i] = qd.i32(f[i]) + f[i]
        local = 5
        old = qd.atomic_add(local, 3)
        b[i] = old + local
