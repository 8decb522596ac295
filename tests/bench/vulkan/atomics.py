# Atomics at one place, at few and at many, which blocks collect: one file for CUDA and Vulkan.
import quadrants as qd

I32 = qd.types.ndarray(dtype=qd.i32, ndim=1)
F32 = qd.types.ndarray(dtype=qd.f32, ndim=1)


@qd.kernel
def sum_f32(x: F32, out: F32):
    for i in range(x.shape[0]):
        out[0] += x[i]


@qd.kernel
def sum_i32(x: I32, out: I32):
    for i in range(x.shape[0]):
        out[0] += x[i]


@qd.kernel
def max_i32(x: I32, out: I32):
    for i in range(x.shape[0]):
        qd.atomic_max(out[0], x[i])


@qd.kernel
def max_f32(x: F32, out: F32):
    for i in range(x.shape[0]):
        qd.atomic_max(out[0], x[i])


@qd.kernel
def count_half(x: I32, out: I32):
    for i in range(x.shape[0]):
        if x[i] % 2 == 0:
            out[0] += 1


@qd.kernel
def count_seldom(x: I32, out: I32):
    for i in range(x.shape[0]):
        if x[i] < 1024:
            out[0] += 1


@qd.kernel
def sum_rows(x: F32, out: F32):
    for i in range(x.shape[0] // 64):
        for j in range(64):
            out[0] += x[i * 64 + j]


@qd.kernel
def bins(x: I32, last: qd.i32, out: I32):
    for i in range(x.shape[0]):
        out[x[i] & last] += 1


@qd.kernel
def keyed_f32(x: I32, v: F32, last: qd.i32, out: F32):
    for i in range(x.shape[0]):
        out[x[i] & last] += v[i]


@qd.kernel
def keyed_max(x: I32, last: qd.i32, out: I32):
    for i in range(x.shape[0]):
        qd.atomic_max(out[x[i] & last], x[i])
