# Vulkan: SPIRV-Tools folded a signed maximum as an unsigned one, a[i] was 0.0625.
#
# launch k
# array x i32 4 00000001800000007fffffffffffffff
# array a f32 4 zero
# array b f32 4 zero
# end
import quadrants as qd


@qd.kernel
def k(
    x: qd.types.ndarray(dtype=qd.i32, ndim=1),
    a: qd.types.ndarray(dtype=qd.f32, ndim=1),
    b: qd.types.ndarray(dtype=qd.f32, ndim=1),
):
    for i in range(4):
        a[i] = (x[i] <= 2147483647) / 7.0
        b[i] = (x[i] <= 5) / 7.0
