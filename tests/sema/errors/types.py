# Types: literals, casts, atomics, compile-time arithmetic.
import quadrants as qd

F = qd.types.ndarray(dtype=qd.f32, ndim=1)
I = qd.types.ndarray(dtype=qd.i32, ndim=1)
U = qd.types.ndarray(dtype=qd.u32, ndim=1)
B = qd.types.ndarray(dtype=qd.u8, ndim=1)
HUGE = 2 ** 2000
BAD = 1 // 0

@qd.kernel
def literals(f: F, i: I, u: U):
    for k in i:
        x = 0x80000000  # error: the integer 2147483648 does not fit i32, the default integer type
        u[k] = u[k] & 0x80000000  # error: the integer 2147483648 does not fit i32
        u[k] = 0x80000000
        u[k] = qd.u32(0x80000000)
        i[k] = qd.i32(0x80000000)  # error: the integer 2147483648 does not fit i32
        u[k] = HUGE  # error: `HUGE` has no value when kernels are built
        u[k] = BAD  # error: `BAD` has no value when kernels are built
        f[k] = "text"  # error: a number is needed here, not a string
        f[k] = i[k] // 0  # error: division by zero
        f[k] = ~f[k]  # error: `~` needs an integer, not f32
        f[k] = f[k] << 1  # error: `<<` needs integers, not f32
        f[k] = f[f[k]]  # error: an index has to be an integer, not a run-time f32
        f[-1] = 0  # error: the index -1 is outside of `f`
        f[k] = qd.bit_cast(f[k], qd.i64)  # error: the widths differ

@qd.kernel
def atomics(f: F, i: I, b: B, t: qd.types.ndarray(dtype=qd.u1, ndim=1)):
    for k in i:
        qd.atomic_and(f[k], 1)  # error: `qd.atomic_and` is bitwise and needs integers, but the element is f32
        f[k] |= 1  # error: this augmented assignment is bitwise and needs integers
        qd.atomic_cas(f[k], 1, 2)  # error: `qd.atomic_cas` compares integers, but the element is f32
        qd.atomic_add(f, 1)  # error: `qd.atomic_add` needs one element, not the whole of `f`
        qd.atomic_add(f[k] + 1, 1)  # error: is not a place in memory
        qd.atomic_add(3, 1)  # error: is not a place in memory
        b[k] += 1
        qd.atomic_add(t[k], 1)  # error: `qd.atomic_add` needs a number, but the element is u1
        t[k] -= 1  # error: this augmented assignment needs a number, but the element is u1
        t[k] |= True
        qd.atomic_cas(f[k] + 1, 1, 2)  # error: is not a place in memory
        qd.atomic_xor(f[k], 1)  # error: `qd.atomic_xor` is bitwise and needs integers, but the element is f32
        f[k] ^= 1  # error: this augmented assignment is bitwise and needs integers
        f[k] = f[k] | 1.0  # error: `|` needs integers, not f32
        local = 1
        qd.volatile_load(local)  # error: takes an element of an ndarray or a field

@qd.kernel
def statics(f: F, n: qd.i32):
    for k in f:
        m = 3
        y = qd.static(m)  # error: `qd.static` needs a compile-time value
        for j in qd.static(range(n)):  # error: the bounds of an unrolled loop have to be known at compile time
            f[k] = j
        for j in qd.static(range(1000000)):  # error: this loop would be unrolled more than 65536 times
            f[k] = j
        if qd.static(n > 3):  # error: `qd.static` needs a compile-time value
            f[k] = 1
        qd.static_assert(n > 3)  # error: this is only known at run time
        qd.static_assert(3 > 4, "three is less")  # error: three is less
        v = qd.Vector([1.0, 2.0])
        v[2] = 1  # error: the component 2 is outside of vector(2, f32)
        w = v + qd.Vector([1, 2, 3])  # error: the shapes differ
        if v:  # error: a vector is neither true nor false
            f[k] = 1
        v = "text"  # error: `v` is a vector(2, f32) and cannot become a string

@qd.func
def forever(x: qd.template()):
    return forever(x + 1)  # error: functions call each other too deeply

@qd.kernel
def recursion(f: F):
    for k in f:
        f[k] = forever(1)

@qd.kernel
def explosion(f: F):
    for k in f:
        for a in qd.static(range(1000)):
            for b in qd.static(range(1000)):
                for c in qd.static(range(1000)):  # error: this kernel unrolls and inlines to more than
                    f[k] = a + b + c
