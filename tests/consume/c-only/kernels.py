import quadrants as qd


@qd.kernel
def square(a: qd.types.ndarray(dtype=qd.i64, ndim=1)):
    for i in range(a.shape[0]):
        a[i] = a[i] * a[i]
