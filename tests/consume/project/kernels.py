import quadrants as qd
from helpers import shifted

SCALE = 1

counts = qd.field(qd.i32, shape=4)


@qd.kernel
def axpy(a: qd.f32, x: qd.types.ndarray(dtype=qd.f32, ndim=1), y: qd.types.ndarray(dtype=qd.f32, ndim=1)):
    for i in range(x.shape[0]):
        y[i] = shifted(a * x[i]) + y[i] * SCALE


@qd.kernel
def total(x: qd.types.ndarray(dtype=qd.i32, ndim=2)) -> qd.i32:
    sum = 0
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            sum += x[i, j]
    return sum


@qd.kernel
def fill(out: qd.types.ndarray(dtype=qd.i32, ndim=1), value: qd.template()):
    for i in range(out.shape[0]):
        out[i] = value


@qd.kernel
def count(x: qd.types.ndarray(dtype=qd.i32, ndim=1)):
    for i in range(x.shape[0]):
        counts[x[i] % 4] += 1
