# Metal: spirv-opt made (x + c) - c into x, and (x / 7) * 2 into a product with a rounded constant.
#
# launch k
# array x f32 4 40500000bf8000003f80000042280000
# array y f32 4 zero
# array z f32 4 zero
# end
import quadrants as qd


@qd.kernel
def k(
    x: qd.types.ndarray(dtype=qd.f32, ndim=1),
    y: qd.types.ndarray(dtype=qd.f32, ndim=1),
    z: qd.types.ndarray(dtype=qd.f32, ndim=1),
):
    for i in range(4):
        y[i] = (x[i] + qd.f32(100000000.0)) - qd.f32(100000000.0)
        z[i] = (x[i] / qd.f32(-7.0)) / qd.f32(-0.5)
