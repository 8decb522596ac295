# Reals that are bits in memory, T: conversions to and from them, arithmetic that is rounded, and where values of them
# can be.
import quadrants as qd
from quadrants.lang.simt import block

T = qd.bf16
UNSIGNED, SIGNED = (qd.u16, qd.i16) if T == qd.bf16 else (qd.u8, qd.i8)
A = qd.types.ndarray(T, 1)
F = qd.types.ndarray(qd.f32, 1)


@qd.kernel
def widen(x: A, out: F):
    for i in x:
        out[i] = x[i]


@qd.kernel
def narrow(x: F, out: A):
    for i in x:
        out[i] = x[i]


@qd.kernel
def narrow_f16(x: qd.types.ndarray(qd.f16, 1), out: A):
    for i in x:
        out[i] = qd.cast(x[i], T)


@qd.kernel
def narrow_f64(x: qd.types.ndarray(qd.f64, 1), out: A, back: qd.types.ndarray(qd.f64, 1)):
    for i in x:
        out[i] = x[i]
        back[i] = out[i]


@qd.kernel
def narrow_i16(x: qd.types.ndarray(qd.i16, 1), out: A):
    for i in x:
        out[i] = x[i]


@qd.kernel
def narrow_i32(x: qd.types.ndarray(qd.i32, 1), out: A):
    for i in x:
        out[i] = x[i]


@qd.kernel
def narrow_u32(x: qd.types.ndarray(qd.u32, 1), out: A):
    for i in x:
        out[i] = x[i]


@qd.kernel
def narrow_i64(x: qd.types.ndarray(qd.i64, 1), out: A):
    for i in x:
        out[i] = x[i]


@qd.kernel
def narrow_u64(x: qd.types.ndarray(qd.u64, 1), out: A):
    for i in x:
        out[i] = x[i]


@qd.kernel
def integers(x: A, wide: qd.types.ndarray(qd.i64, 1), byte: qd.types.ndarray(qd.u8, 1), truth: qd.types.ndarray(qd.u1, 1)):
    for i in x:
        wide[i] = qd.cast(x[i], qd.i64)
        byte[i] = qd.cast(x[i], qd.u8)
        truth[i] = qd.cast(x[i], qd.u1)


@qd.kernel
def binary(x: A, y: A, out: qd.types.ndarray(T, 2)):
    for i in x:
        a = x[i]
        b = y[i]
        out[0, i] = a + b
        out[1, i] = a - b
        out[2, i] = a * b
        out[3, i] = a / b
        out[4, i] = qd.min(a, b)
        out[5, i] = qd.max(a, b)
        out[6, i] = b if a < b else a
        out[7, i] = qd.select(a == b, 1.0, qd.cast(0.0, T))


@qd.kernel
def unary(x: A, out: qd.types.ndarray(T, 2)):
    for i in x:
        a = x[i]
        out[0, i] = -a
        out[1, i] = abs(a)
        out[2, i] = qd.sqrt(a)
        out[3, i] = qd.floor(a)
        out[4, i] = a * 0.1
        out[5, i] = a**2
        out[6, i] = 1.0 if not a else 0.0
        b = a
        b += a
        out[7, i] = b


@qd.kernel
def whole(x: A, y: A, out: qd.types.ndarray(T, 2)):
    for i in x:
        out[0, i] = x[i] // y[i]
        out[1, i] = x[i] % y[i]


@qd.kernel
def promoted(x: A, h: qd.types.ndarray(qd.f16, 1), f: F, n: qd.types.ndarray(qd.i32, 1), out: qd.types.ndarray(qd.f32, 2)):
    for i in x:
        out[0, i] = x[i] + h[i]
        out[1, i] = x[i] + f[i]
        out[2, i] = x[i] * n[i]


kept = qd.field(T, shape=(64,))


@qd.kernel
def places(x: A, a: T, v: qd.types.vector(2, T), out: qd.types.ndarray(qd.types.vector(3, T), 1)) -> T:
    total = qd.cast(0, T)
    qd.loop_config(block_dim=64)
    for i in range(64):
        shared = block.SharedArray((64,), T)
        shared[i] = x[i] * a
        kept[i] = x[i] + v[1]
        block.sync()
        out[i] = qd.Vector([shared[63 - i], kept[i], v[0]])
        if i % 8 == 0:
            total += qd.cast(1, T)
    return total * a


@qd.kernel
def bits(x: A, out: qd.types.ndarray(UNSIGNED, 1), back: A):
    for i in x:
        out[i] = qd.bit_cast(x[i], UNSIGNED)
        back[i] = qd.bit_cast(qd.bit_cast(x[i], SIGNED), T)


@qd.kernel
def frexp(x: A, m: A, e: qd.types.ndarray(qd.i32, 1)):
    for i in x:
        m[i], e[i] = qd.frexp(x[i])


@qd.kernel
def kinds(x: A, out: qd.types.ndarray(qd.i32, 2)):
    for i in x:
        out[0, i] = qd.math.isnan(x[i])
        out[1, i] = qd.math.isinf(x[i])


@qd.kernel
def atomics(x: A, old: A, out: A):
    for i in x:
        old[i] = qd.atomic_add(out[i ^ 1], x[i])
        qd.atomic_max(out[i ^ 1], qd.cast(2, T))
        qd.atomic_mul(out[i ^ 1], qd.cast(-3, T))
