"""The kernels of the Python package's tests: one for each kind of argument and result."""
import dataclasses

import quadrants as qd

floats = qd.types.ndarray(dtype=qd.f32, ndim=1)
ints = qd.types.ndarray(dtype=qd.i32, ndim=1)
vec3 = qd.types.vector(3, qd.f32)
mat23 = qd.types.matrix(2, 3, qd.f32)
Spot = qd.types.struct(on=qd.u1, at=qd.types.vector(2, qd.f64))

total = qd.field(qd.i32, shape=())
table = qd.Vector.field(2, qd.f32, shape=(3, 4))


@qd.dataclass
class Grain:
    kind: qd.u8
    pos: vec3
    spot: Spot
    turn: qd.types.matrix(2, 2, qd.i16)


@qd.dataclass
class Warm:
    mass: qd.u32
    heat: qd.f32


@dataclasses.dataclass
class State:
    mass: floats
    step: qd.f32


grains = Grain.field(shape=2, layout=qd.Layout.AOS)


@qd.kernel
def saxpy(n: qd.i32, a: qd.f32, x: floats, y: floats):
    """Adds a multiple of x to y.

    Both have at least n elements.
    """
    for i in range(n):
        y[i] = a * x[i] + y[i]


@qd.kernel
def scalars(
    flag: qd.u1, i1: qd.i8, i2: qd.i16, i4: qd.i32, i8: qd.i64, u1: qd.u8, u2: qd.u16, u4: qd.u32, u8: qd.u64,
    f2: qd.f16, f4: qd.f32, f8: qd.f64, out: qd.types.ndarray(dtype=qd.i64, ndim=1),
    reals: qd.types.ndarray(dtype=qd.f64, ndim=1),
):
    for _ in range(1):
        out[0] = qd.cast(flag, qd.i64)
        out[1] = qd.cast(i1, qd.i64)
        out[2] = qd.cast(i2, qd.i64)
        out[3] = qd.cast(i4, qd.i64)
        out[4] = i8
        out[5] = qd.cast(u1, qd.i64)
        out[6] = qd.cast(u2, qd.i64)
        out[7] = qd.cast(u4, qd.i64)
        out[8] = qd.cast(u8, qd.i64)
        reals[0] = qd.cast(f2, qd.f64)
        reals[1] = qd.cast(f4, qd.f64)
        reals[2] = f8


@qd.kernel
def transform(m: mat23, v: vec3, x: qd.types.ndarray(dtype=vec3, ndim=1), y: qd.types.ndarray(dtype=mat23, ndim=2)):
    for i in range(x.shape[0]):
        x[i] = x[i] + v
    for i, j in qd.ndrange(y.shape[0], y.shape[1]):
        y[i, j] = y[i, j] + m * (i + 10 * j)


@qd.kernel
def twice(x: qd.types.ndarray(), n: qd.i32):
    for i in range(n):
        x[i] = x[i] + x[i]


@qd.kernel
def one(x: qd.types.ndarray(dtype=qd.i32, ndim=0)):
    x[None] = x[None] + 7


@qd.kernel
def sum_of(x: ints) -> qd.i32:
    total[None] = 0
    for i in range(x.shape[0]):
        total[None] += x[i]
    return total[None]


@qd.kernel
def several(a: qd.f32) -> tuple[vec3, mat23, qd.u1, qd.i64]:
    return vec3(a, 2 * a, 3 * a), mat23([[a, 0, 1], [2, 3, a]]), a > 1.0, qd.cast(-5000000000, qd.i64)


@qd.kernel
def fill_table(by: qd.f32):
    for i, j in table:
        table[i, j] = [by * i, j]


@qd.kernel
def advance(state: State, n: qd.i32):
    for i in range(n):
        state.mass[i] += state.step


@qd.data_oriented
class Bundle:
    @qd.kernel
    def add(self, n: qd.i32):
        for i in range(n):
            for x in qd.static(self.arrays):
                x[i] += self.steps[1].step


@qd.kernel
def shake(x: qd.types.ndarray(dtype=Grain, ndim=1, layout=qd.Layout.AOS)):
    for i in x:
        x[i].kind = x[i].kind + 1
        x[i].pos.y += 0.5
        x[i].spot.at.y *= 2.0
        x[i].spot.on = not x[i].spot.on
        x[i].turn[1, 0] = -i
    for i in grains:
        grains[i] = x[i]


@qd.kernel
def warm(x: qd.types.ndarray(dtype=Warm, ndim=1, layout=qd.Layout.AOS)):
    for i in x:
        x[i].mass += 1
        x[i].heat += 0.5


@qd.kernel
def slow(rounds: qd.i32, x: ints):
    """Busy for a while: each round needs the one before."""
    for i in range(1):
        v = x[0]
        for _ in range(rounds):
            v = v * 1664525 + 1013904223
        x[0] = v


@qd.kernel
def speak(x: ints):
    for i in range(1):
        print("x is", x[0])
