import quadrants as qd
from shared import shifted


@qd.kernel
def moved(x: qd.types.ndarray(dtype=qd.i32, ndim=1)):
    for i in range(x.shape[0]):
        x[i] = shifted(x[i])
