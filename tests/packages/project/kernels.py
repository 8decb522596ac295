import quadrants as qd


@qd.kernel
def double(x: qd.types.ndarray(dtype=qd.i32, ndim=1)):
    for i in range(x.shape[0]):
        x[i] = 2 * x[i]
