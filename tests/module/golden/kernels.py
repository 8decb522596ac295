import quadrants as qd

counts = qd.field(qd.i32, shape=4)


@qd.kernel
def saxpy(a: qd.f32, x: qd.types.NDArray[qd.f32, 1], y: qd.types.NDArray[qd.f32, 1]):
    for i in range(x.shape[0]):
        y[i] = a * x[i] + y[i]


@qd.kernel
def count(x: qd.types.NDArray[qd.i32, 1]) -> qd.i32:
    for i in range(x.shape[0]):
        qd.atomic_add(counts[x[i] & 3], 1)
    return counts[0]
