# lavapipe: x[i] >= qd.i64(3) was true for every x, a comparison of a value extended to 64 bits.
#
# launch k
# array x i32 4 0000000200000003fffffffb7fffffff
# array y i32 4 zero
# array z i32 4 zero
# array s i16 4 0000ffff00080007
# end
import quadrants as qd


@qd.kernel
def k(
    x: qd.types.ndarray(dtype=qd.i32, ndim=1),
    y: qd.types.ndarray(dtype=qd.i32, ndim=1),
    z: qd.types.ndarray(dtype=qd.i32, ndim=1),
    s: qd.types.ndarray(dtype=qd.i16, ndim=1),
):
    for i in range(4):
        y[i] = x[i] >= qd.i64(3)
        z[i] = 1 >= qd.i64(s[i])
        if qd.u64(x[i]) > qd.u64(9223372036854775807):
            z[i] = 7
