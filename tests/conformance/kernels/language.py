# The language itself: control flow, functions, vectors, fields, tasks, returns.
import quadrants as qd

N = 64
WEIGHTS = (3, 1, 4, 1, 5)
vec2 = qd.types.vector(2, qd.f32)
mat2 = qd.types.matrix(2, 2, qd.f32)

total = qd.field(qd.i32, shape=())
grid = qd.field(qd.f32, shape=(8, 16))
points = qd.Vector.field(3, qd.f32, shape=N)


@qd.kernel
def collatz(src: qd.types.ndarray(dtype=qd.i32, ndim=1), out: qd.types.ndarray(dtype=qd.i32, ndim=1)):
    # Loops whose trip count differs from lane to lane.
    for i in range(src.shape[0]):
        n = src[i]
        steps = 0
        while n != 1 and steps < 1000:
            if n % 2 == 0:
                n //= 2
            else:
                n = 3 * n + 1
            steps += 1
        out[i] = steps


@qd.kernel
def jumps(src: qd.types.ndarray(dtype=qd.i32, ndim=1), out: qd.types.ndarray(dtype=qd.i32, ndim=1)):
    # break and continue, in nested loops, in some lanes only.
    for i in range(src.shape[0]):
        acc = 0
        for j in range(10):
            if (src[i] + j) % 4 == 0:
                continue
            if j > src[i] % 12:
                break
            for k in range(5, -5, -2):
                if k == src[i] % 7:
                    break
                if k % 3 == 0:
                    continue
                acc += k * j
            acc += 1
        while True:
            acc += 1
            if acc % 5 == 0:
                break
        out[i] = acc


@qd.func
def classify(x):
    # Early returns, in some lanes only.
    if x < 0:
        return -1
    for k in range(4):
        if x == k * k:
            return k
    if x % 2 == 0:
        return 100
    return 200


@qd.kernel
def early(src: qd.types.ndarray(dtype=qd.i32, ndim=1), out: qd.types.ndarray(dtype=qd.i32, ndim=1)):
    for i in range(src.shape[0]):
        out[i] = classify(src[i]) + classify(src[i] + 1) * 1000


@qd.func
def twice(f: qd.template(), x):
    return f(f(x))


@qd.func
def plus3(x):
    return x + 3


@qd.func
def square(x):
    return x * x


@qd.func
def power(x, n: qd.template()):
    if qd.static(n == 0):
        return 1
    else:
        return x * power(x, n - 1)


@qd.func
def swap(a, b):
    return b, a


@qd.kernel
def functions(src: qd.types.ndarray(dtype=qd.i32, ndim=1), out: qd.types.ndarray(dtype=qd.i32, ndim=2)):
    for i in range(src.shape[0]):
        x = src[i]
        out[0, i] = twice(plus3, x)
        out[1, i] = twice(square, x)
        out[2, i] = power(x, 3)
        a, b = swap(x, x + 1)
        out[3, i] = a * 10 - b
        s = 0
        for k in qd.static(range(5)):
            s += WEIGHTS[k] * k
        for w in qd.static(WEIGHTS):
            s += w
        out[4, i] = s
        y = x
        y, x = x + 1, y + 2
        out[5, i] = x * 7 + y


@qd.kernel
def lazy(src: qd.types.ndarray(dtype=qd.i32, ndim=1), out: qd.types.ndarray(dtype=qd.i32, ndim=1)):
    # Only the chosen side of and, or and a conditional expression is evaluated.
    for i in range(src.shape[0]):
        n = src.shape[0]
        j = src[i]
        a = src[j] if j >= 0 and j < n else -5
        b = 1 if j < 0 or j >= n or src[j] > 3 else 0
        c = (j > 5) + (j > 10)
        out[i] = a * 10 + b + c * 100


@qd.kernel
def matrices(
    src: qd.types.ndarray(dtype=vec2, ndim=1),
    m: mat2,
    scale: vec2,
    out: qd.types.ndarray(dtype=vec2, ndim=1),
    dots: qd.types.ndarray(dtype=qd.f32, ndim=1),
):
    for i in range(src.shape[0]):
        v = src[i]
        w = m @ v
        w = w * scale + 1.0
        w[0] += 0.5
        out[i] = w
        dots[i] = v.dot(w) + v.norm_sqr() + w.x


@qd.kernel
def fill_fields(k: qd.f32):
    for i, j in grid:
        grid[i, j] = k * i + j
    for i in points:
        points[i] = qd.Vector([1.0 * i, 2.0 * i, k])
    for i in range(N):
        total[None] += i


@qd.kernel
def stencil(n: qd.i32, a: qd.types.ndarray(dtype=qd.f32, ndim=1), b: qd.types.ndarray(dtype=qd.f32, ndim=1)):
    # Tasks in order: each sees what the earlier ones wrote; serial code between; carried locals.
    for i in range(n):
        b[i] = a[i] * 2.0
    first = b[0]
    last = b[n - 1]
    count = 0
    for i in range(1, n - 1):
        a[i] = b[i - 1] + b[i + 1] + first
    count += 5
    for i in range(n):
        b[i] = a[i] + last + count


@qd.kernel
def sum_return(a: qd.types.ndarray(dtype=qd.i32, ndim=1)) -> qd.i32:
    total[None] = 0
    for i in range(a.shape[0]):
        total[None] += a[i]
    return total[None]


@qd.kernel
def several(a: qd.f32, b: qd.i32) -> (qd.f32, qd.i32, vec2):
    return a * 2.0, b + 1, qd.Vector([a, 3.0])


@qd.kernel
def ranges(out: qd.types.ndarray(dtype=qd.i32, ndim=2)):
    for i, j in qd.ndrange(out.shape[0], (1, out.shape[1] - 1)):
        out[i, j] = i * 100 + j
    for I in qd.grouped(qd.ndrange((2, 4), (2, 5))):
        out[I] += 10000


@qd.kernel
def bound_in_memory(
    bounds: qd.types.ndarray(dtype=qd.i32, ndim=1), out: qd.types.ndarray(dtype=qd.i32, ndim=1)
):
    # The bound is read on the device: a grid-stride loop.
    for i in range(bounds[0], bounds[1]):
        out[i] += i + 1


@qd.kernel
def serial(out: qd.types.ndarray(dtype=qd.i32, ndim=1)):
    qd.loop_config(serialize=True)
    for i in range(out.shape[0]):
        if i == 0:
            out[i] = 1
        else:
            out[i] = out[i - 1] * 3 + i


@qd.kernel
def arrays3(a: qd.types.ndarray(dtype=qd.i32, ndim=3), out: qd.types.ndarray(dtype=qd.i32, ndim=3)):
    for i, j, k in a:
        out[i, j, k] = a[i, j, k] + a.shape[0] * 1000 + a.shape[1] * 100 + a.shape[2] * 10


@qd.kernel
def randoms(out: qd.types.ndarray(dtype=qd.f32, ndim=2)):
    for i in range(out.shape[1]):
        out[0, i] = qd.random()
        out[1, i] = qd.random()


@qd.kernel
def strided(n: qd.i32, a: qd.types.ndarray(dtype=qd.i32, ndim=1), out: qd.types.ndarray(dtype=qd.i32, ndim=1)):
    # Every way a lane's address may depend on its number.
    for i in range(n):
        out[i] = a[2 * i] + a[n - 1 - i] + a[i // 3] + a[(i * 7) % n] + a[5]


@qd.kernel
def bools(flags: qd.types.ndarray(dtype=qd.u1, ndim=1), out: qd.types.ndarray(dtype=qd.u1, ndim=1)):
    for i in range(flags.shape[0]):
        out[i] = not flags[i] or i % 3 == 0


@qd.kernel
def no_threads(n: qd.i32, out: qd.types.ndarray(dtype=qd.i32, ndim=1)):
    for i in range(n):
        out[0] = 1
