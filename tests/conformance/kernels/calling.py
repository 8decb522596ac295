# How arguments reach code: functions with typed arguments (`@qd.real_func`), by value and by
# reference, and arrays whose indices are clamped.
import quadrants as qd

ints = qd.types.ndarray(dtype=qd.i32, ndim=1)
floats = qd.types.ndarray(dtype=qd.f32, ndim=1)
pair = qd.types.vector(2, qd.f32)
clamped = qd.types.ndarray(dtype=qd.i32, ndim=2, boundary="clamp")
pairs = qd.types.ndarray(dtype=pair, ndim=1, boundary="clamp")


@qd.dataclass
class Body:
    mass: qd.i32
    speed: qd.f32

    @qd.func
    def gains(self, by):
        self.mass += 10
        self.mass += by


@qd.real_func
def swap(a: qd.types.ref(qd.i32), b: qd.types.ref(qd.i32)):
    a, b = b, a


@qd.real_func
def raised(a: qd.types.ref(qd.i32), by: qd.i32) -> qd.i32:
    old = a
    a = by + 1
    a += by  # the value that was passed, also if it was the variable itself
    return old


@qd.real_func
def moved(to: qd.types.ref(qd.i32), at: qd.types.ref(qd.i32)):
    at += 1
    to = at  # where `at` was


@qd.func
def grown(a: qd.template(), by):
    a += 1
    a += by  # the value that was passed, also if it was the variable itself


@qd.real_func
def counted(by: qd.i32) -> tuple[qd.i32, qd.f32]:
    by += 1  # a copy
    if by > 4:
        return qd.i32(by * 2.75), by
    return by, 0.25 * by


@qd.real_func
def narrow(a: qd.i8) -> qd.u8:
    return a * 2


@qd.real_func
def turned(v: qd.types.ref(pair), by: qd.f32) -> pair:
    before = v
    v = [-v.y * by, v.x * by]
    v[0] += 1.0
    return before


@qd.real_func
def collatz(n: qd.i32, most: qd.template()) -> qd.i32:
    steps = 0
    for k in range(most):
        if n == 1:
            return steps
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps = k + 1
    return -1


@qd.real_func
def mixed(n: qd.i32) -> qd.i32:
    s = 1
    for i in range(n):  # serial: each round needs the one before
        s = (s * 31 + i) % 65521
    return s


@qd.real_func
def heavier(body: Body, by: qd.i32) -> Body:
    body.mass += by
    return body


@qd.kernel
def references(x: ints, out: ints):
    for i in x:
        a = x[i]
        b = 7
        swap(a, b)  # a 7, b x
        v = qd.Vector([1, 2, 3])
        swap(v[1], v[a % 3])  # v[1] and v[1]: 7 % 3 is 1
        old = raised(v[i % 3], b)
        swap(x[i], v[2])
        body = Body(i, 0.5)
        mass = raised(body.mass, body.mass)  # passed by value: the mass before
        k = i
        moved(out[6 * k + 5], k)  # out[6 * i + 5] = i + 1
        grown(k, k)
        body2 = Body(k, 0.5)
        body2.gains(body2.mass)
        out[6 * i + 5] += 10 * k + 1000 * body2.mass
        out[6 * i] = old
        out[6 * i + 1] = x[i]
        out[6 * i + 2] = v[0] * 100 + v[1]
        out[6 * i + 3] = a * 1000 + mass
        out[6 * i + 4] = body.mass


@qd.kernel
def values(x: ints, out: floats, steps: ints):
    for i in x:
        n = x[i]
        whole, part = counted(n)
        v = qd.Vector([1.0, 2.0])
        before = turned(v, 3)
        body = Body(5, 1.0)
        out[6 * i] = whole
        out[6 * i + 1] = part
        out[6 * i + 2] = narrow(n * 100)
        out[6 * i + 3] = v.x * 100 + v.y
        out[6 * i + 4] = before.x * 10 + before.y
        out[6 * i + 5] = heavier(body, n).mass * 10 + body.mass
        steps[i] = collatz(qd.abs(n) + 1, 40) * 100 + n


@qd.kernel
def at_the_top(n: qd.i32, out: ints):
    out[0] = mixed(n)
    a = 3
    old = raised(a, n)
    out[1] = a * 100 + old
    for i in range(2, out.shape[0]):
        out[i] = mixed(i)


@qd.kernel
def clamps(x: clamped, row: ints, column: ints, out: ints):
    for i in row:
        out[2 * i] = x[row[i], column[i]]
        out[2 * i + 1] = x[qd.u32(row[i]), -1]


@qd.kernel
def clamps_stores(x: clamped, v: pairs, at: ints):
    for i in at:
        x[0, at[i]] += 1
        v[at[i]][1] += 1.0
        if at[i] < -100:
            v[at[i]].x = 5.0
        if at[i] > 100:
            x[at[i], at[i]] = 77


@qd.kernel
def clamps_wide(x: clamped, row: qd.i64, column: qd.u64, out: ints):
    out[0] = x[row, 0]
    out[1] = x[0, column]
