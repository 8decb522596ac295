# x86-64-v4: the sign of a remainder was chosen by a vpternlog under a mask, with the wrong truth
# table (llvm/llvm-project#157929). -40 % -7 was -9.4e-38.
#
# launch k
# array x u16 4 c220c1a040c00000
# array y u16 4 c0e040e0c0a04080
# array z f32 4 zero
# end
import quadrants as qd


@qd.kernel
def k(
    x: qd.types.ndarray(dtype=qd.u16, ndim=1),
    y: qd.types.ndarray(dtype=qd.u16, ndim=1),
    z: qd.types.ndarray(dtype=qd.f32, ndim=1),
):
    for i in range(4):
        a = qd.bit_cast(qd.u32(x[i]) << 16, qd.f32)
        b = qd.bit_cast(qd.u32(y[i]) << 16, qd.f32)
        z[i] = a % b
