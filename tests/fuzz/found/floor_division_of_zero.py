# -0.5 // -2.5 was -0.0: a quotient of zero has the sign of the division.
#
# launch k
# array x f32 4 bf000000800000003f00000000000000
# array y f32 4 zero
# array z f16 4 zero
# end
import quadrants as qd


@qd.kernel
def k(
    x: qd.types.ndarray(dtype=qd.f32, ndim=1),
    y: qd.types.ndarray(dtype=qd.f32, ndim=1),
    z: qd.types.ndarray(dtype=qd.f16, ndim=1),
):
    for i in range(4):
        y[i] = x[i] // qd.f32(-2.5)
        z[i] = qd.f16(x[i]) // qd.f16(2.5)
