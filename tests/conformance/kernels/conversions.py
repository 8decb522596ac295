# Conversions of T, the build's, to each other type.
import quadrants as qd

T = qd.f32
A = qd.types.ndarray(T, 1)


@qd.kernel
def to_ints(
    x: A,
    i8: qd.types.ndarray(qd.i8, 1),
    i16: qd.types.ndarray(qd.i16, 1),
    i32: qd.types.ndarray(qd.i32, 1),
    i64: qd.types.ndarray(qd.i64, 1),
    u8: qd.types.ndarray(qd.u8, 1),
    u16: qd.types.ndarray(qd.u16, 1),
    u32: qd.types.ndarray(qd.u32, 1),
    u64: qd.types.ndarray(qd.u64, 1),
    u1: qd.types.ndarray(qd.u1, 1),
):
    for i in x:
        i8[i] = qd.i8(x[i])
        i16[i] = qd.i16(x[i])
        i32[i] = qd.i32(x[i])
        i64[i] = qd.i64(x[i])
        u8[i] = qd.u8(x[i])
        u16[i] = qd.u16(x[i])
        u32[i] = qd.u32(x[i])
        u64[i] = qd.u64(x[i])
        u1[i] = qd.u1(x[i])


@qd.kernel
def bounded(x: A, i8: qd.types.ndarray(qd.i8, 1), u8: qd.types.ndarray(qd.u8, 1), i32: qd.types.ndarray(qd.i32, 1)):
    # The range that the compiler knows of the numbers saves it the ends of the range that they do not reach.
    for i in x:
        i8[i] = qd.i8(qd.min(qd.max(x[i], -100.0), 127.9))
        u8[i] = qd.u8(qd.min(qd.max(x[i], 0.0), 300.0))
        i32[i] = qd.i32(qd.floor(qd.abs(qd.cast(i & 1023, T)) * 0.5) - 7.0)


@qd.kernel
def to_reals(x: A, f16: qd.types.ndarray(qd.f16, 1), bf16: qd.types.ndarray(qd.bf16, 1), f32: qd.types.ndarray(qd.f32, 1)):
    for i in x:
        f16[i] = qd.f16(x[i])
        bf16[i] = qd.bf16(x[i])
        f32[i] = qd.f32(x[i])


@qd.kernel
def to_f64(x: A, f64: qd.types.ndarray(qd.f64, 1)):
    for i in x:
        f64[i] = qd.f64(x[i])
