"""A launch of four arrays and two scalars, which runs no iterations: what is left is the launch."""
import quadrants as qd

floats = qd.types.ndarray(dtype=qd.f32, ndim=1)


@qd.kernel
def blend(n: qd.i32, a: qd.f32, w: floats, x: floats, y: floats, z: floats):
    for i in range(n):
        z[i] = a * x[i] + w[i] * y[i]
