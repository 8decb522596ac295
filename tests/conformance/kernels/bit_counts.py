# Bit functions on the narrow integers, all values, and fns at its edges.
import quadrants as qd


@qd.func
def counts(x: qd.template(), out: qd.template(), i):
    out[0, i] = qd.math.popcnt(x[i])
    out[1, i] = qd.math.clz(x[i])
    out[2, i] = qd.math.ffs(x[i])


@qd.kernel
def counts_i8(x: qd.types.ndarray(dtype=qd.i8, ndim=1), out: qd.types.ndarray(dtype=qd.i32, ndim=2)):
    for i in x:
        counts(x, out, i)


@qd.kernel
def counts_u8(x: qd.types.ndarray(dtype=qd.u8, ndim=1), out: qd.types.ndarray(dtype=qd.i32, ndim=2)):
    for i in x:
        counts(x, out, i)


@qd.kernel
def counts_i16(x: qd.types.ndarray(dtype=qd.i16, ndim=1), out: qd.types.ndarray(dtype=qd.i32, ndim=2)):
    for i in x:
        counts(x, out, i)


@qd.kernel
def counts_u16(x: qd.types.ndarray(dtype=qd.u16, ndim=1), out: qd.types.ndarray(dtype=qd.i32, ndim=2)):
    for i in x:
        counts(x, out, i)


@qd.kernel
def search(
    masks: qd.types.ndarray(dtype=qd.u32, ndim=1),
    bases: qd.types.ndarray(dtype=qd.i32, ndim=1),
    offsets: qd.types.ndarray(dtype=qd.i32, ndim=1),
    out: qd.types.ndarray(dtype=qd.u32, ndim=1),
):
    for i in out:
        out[i] = qd.math.fns(masks[i], bases[i], offsets[i])
