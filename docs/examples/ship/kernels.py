import quadrants as qd


@qd.kernel
def scale(x: qd.types.ndarray(dtype=qd.f32, ndim=1), factor: qd.f32):
    for i in range(x.shape[0]):
        x[i] = x[i] * factor
