import quadrants as qd
from shared import shifted

SCALE = 3


@qd.kernel
def scaled(x: qd.types.ndarray(dtype=qd.i32, ndim=1)):
    for i in range(x.shape[0]):
        x[i] = shifted(x[i]) * SCALE


@qd.kernel
def doubled(x: qd.types.ndarray(dtype=qd.i32, ndim=1)):
    for i in range(x.shape[0]):
        x[i] = x[i] * 2
