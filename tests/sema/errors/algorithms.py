# Device-wide algorithms that are called otherwise than they can be.
import quadrants as qd

I = qd.types.ndarray(qd.i32, ndim=1)
F = qd.types.ndarray(qd.f32, ndim=1)
W = qd.types.ndarray(qd.u64, ndim=1)
U = qd.types.ndarray(qd.u32, ndim=1)


@qd.kernel
def nested(x: I, out: I, scratch: U):
    for k in range(2):
        qd.algorithms.reduce_add(x, out, scratch, 5, qd.i32, 4)  # error: `reduce_add` requires the top level: its loops are tasks of the kernel


@qd.kernel
def counts(x: I, out: I, scratch: U, f: F):
    qd.algorithms.reduce_add(x, out, scratch, f[0], qd.i32, 4)  # error: `n` of `algorithms.reduce_add` is an integer, or an array of one without dimensions, not a run-time f32
    qd.algorithms.reduce_add(x, out, scratch, f, qd.i32, 4)  # error: `n` of `algorithms.reduce_add` is an integer, or an array of one without dimensions, not the array `f`
    qd.algorithms.reduce_add(x, out, scratch, 5, qd.i32, 5)  # error: `log256_max_n` is 1 to 4: arrays have at most 2**31 - 1 elements, and 256**4 is more


@qd.kernel
def scratches(x: I, out: I, scratch: W):
    qd.algorithms.exclusive_scan_add(x, out, scratch, 5, qd.i32, 4)  # error: `scratch` of 4-byte elements is an array of u32


@qd.kernel
def bits(x: U, scratch: U):
    qd.algorithms.sort(x, x, x, x, scratch, 5, qd.u32, False, 33, 4)  # error: `begin_bit` and `end_bit` name bits of the key: 0 <= begin_bit < end_bit <= its width


@qd.kernel
def unknown(x: I):
    qd.algorithms.device_scan(x)  # error: `algorithms` has no `device_scan`
    qd.algorithms._scan(x)  # error: `algorithms` has no `_scan`
