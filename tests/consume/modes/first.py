import quadrants as qd

STEP = 1


@qd.kernel
def add(x: qd.types.ndarray(dtype=qd.f32, ndim=1)):
    for i in x:
        x[i] += 1.0 * STEP
