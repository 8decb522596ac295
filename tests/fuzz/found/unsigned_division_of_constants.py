# AMD: 4294967291 // d was a division of 24-bit floats, as if the constant were -5.
#
# launch k
# array x u32 4 00000009000000010000000bfffffffb
# array y u64 4 iota
# array q u32 4 zero
# array r u32 4 zero
# array q64 u64 4 zero
# array by64 u64 4 zero
# end
import quadrants as qd


@qd.kernel
def k(
    x: qd.types.ndarray(dtype=qd.u32, ndim=1),
    y: qd.types.ndarray(dtype=qd.u64, ndim=1),
    q: qd.types.ndarray(dtype=qd.u32, ndim=1),
    r: qd.types.ndarray(dtype=qd.u32, ndim=1),
    q64: qd.types.ndarray(dtype=qd.u64, ndim=1),
    by64: qd.types.ndarray(dtype=qd.u64, ndim=1),
):
    for i in range(4):
        d = x[i] % qd.u32(7) + qd.u32(8)
        q[i] = qd.u32(4294967291) // d
        r[i] = qd.u32(4294967294) % d
        q64[i] = qd.u64(18446744073709551611) // (y[i] + qd.u64(9))
        by64[i] = y[i] // qd.u64(18446744073709551611)
