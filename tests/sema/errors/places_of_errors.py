# Errors are reported where the fault is, and say how to go on.
# exact
import quadrants as qd
import taichi as ti

A = qd.types.ndarray(dtype=qd.i32, ndim=1)
huge = qd.field(qd.i32, shape=(1 << 49,))  # error: this field has more than 281474976710656 scalars | split it into several fields, or pass the data as an ndarray
square = qd.field(qd.i32, shape=(1 << 40, 1 << 40))  # error: this field has more than 281474976710656 scalars | split it into several fields, or pass the data as an ndarray
negative = qd.field(qd.i32, shape=(-4,))  # error: a field has at least one element along each axis, but this extent is -4
empty = qd.Vector.field(3, qd.i32, shape=0)  # error: a field has at least one element along each axis, but this extent is 0
typed = qd.types.vector(3, qd.f32).field(shape=(2, -1))  # error: a field has at least one element along each axis, but this extent is -1
unknown = qd.field(qd.i32, shape=elsewhere())  # error: the name `elsewhere` is not defined here


@qd.func
def member(a):
    return a.foo  # error: a run-time i32 has no `foo`


@qd.func
def outer(a):
    return member(a) + 1


class Particle:
    mass: qd.f32


@qd.kernel
def uses(x: A):
    for i in range(4):
        x[i] = outer(i)
        x[i] = huge[i] + square[i, 0] + negative[i] + empty[i][0] + typed[i, 0][0] + unknown[i]
        x[i] = i.sum + 1  # error: `+` does not take the method `sum` | call it, as in `.sum(...)`
        p = Particle()  # error: `Particle` is a class of the host, and kernels cannot use its objects | decorate it with `@qd.dataclass` (values), `@dataclasses.dataclass` (arrays and numbers) or `@qd.data_oriented` (kernels as methods)
        x[i] = ti.abs(i)  # error: `ti` is the package `taichi`, but kernels are written for `quadrants` | write `import quadrants as ti`; most names are the same


@qd.kernel
def iterates(x: A):
    for i, v in enumerate(x):  # error: `enumerate` runs over compile-time values in kernels, not the array `x` | loop over the indices, as in `for i in range(x.shape[0])`, and read the elements
        x[i] = v


@qd.kernel
def zips(x: A, n: qd.i32):
    for v, w in zip(x, x):  # error: `zip` runs over compile-time values in kernels, not the array `x` | loop over the indices, as in `for i in range(x.shape[0])`, and read the elements
        x[v] = w


@qd.kernel
def names(x: A):
    for i in range(4):
        length = 4
        x[i] = total  # error: the name `total` is not defined here | assign it before it is used, or define it at module level
        x[i] = lenght  # error: the name `lenght` is not defined here | did you mean `length`?
        x[i] = SIZE  # error: the name `SIZE` is not defined here | define it at module level, or set it with --const SIZE=...
        x[i] = later  # error: the name `later` is not defined here | assign it before it is used
        later = 1
        if i > 2:
            inner = 3
        x[i] = inner  # error: the name `inner` is not defined here | assign it before that block too: what a block assigns first, lives in it
