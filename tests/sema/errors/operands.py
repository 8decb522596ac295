# exact
# What parameters take: each word of Operations.def, by a call that gives its parameter something else.
import quadrants as qd
from quadrants.lang.simt import block

F = qd.types.ndarray(qd.f32, 1)
N = qd.types.ndarray(qd.i32, 1)


@qd.kernel
def numbers(f: F, n: N):
    for i in range(4):
        f[i] = qd.sqrt([1.0, 2.0])  # error: `x` of `qd.sqrt` has to be a number or a vector, not a list
        f[i] = int(None)  # error: `x` of `int` has to be a number or a vector, not None
        f[i] = qd.math.clamp("a", 0, 1)  # error: `x` of `clamp` has to be a number, a vector or a list of numbers, not a string
        f[i] = qd.assume_in_range("a", 0, 0, 4)  # error: `val` of `qd.assume_in_range` has to be a number or a vector, not a string
        f[i] = qd.math.popcnt(f[i])  # error: `x` of `qd.popcnt` has to be an integer, not a run-time f32 | `qd.bit_cast` gives the bits of a real number as an integer
        f[i] = qd.bit_or(qd.Vector([1, 2]), qd.Vector([f[i], f[i]]))[0]  # error: `b` of `qd.bit_or` has to be an integer, not a vector(2, f32) | `qd.bit_cast` gives the bits of a real number as an integer
        f[i] = qd.math.fns(qd.Vector([n[i], n[i]]), 0, 1)  # error: `mask` of `qd.fns` has to be an integer, not a vector(2, i32) | `qd.bit_cast` gives the bits of a real number as an integer
        qd.atomic_add(f[i], "a")  # error: `y` of `qd.atomic_add` has to be a number, a vector or a list of numbers, not a string
        qd.atomic_cas(n[i], qd.Vector([1, 2]), 1)  # error: `expected` of `qd.atomic_cas` has to be a number, not a vector(2, i32) | call it for each component


@qd.kernel
def vectors(f: F, n: N):
    for i in range(4):
        v = qd.Vector([f[i], 1.0])
        m = qd.Matrix([[f[i], 1.0, 2.0], [3.0, 4.0, 5.0]])
        f[i] = v.dot(m)  # error: `other` of `dot` has to be a vector, not a matrix(2, 3, f32)
        f[i] = v.dot(other=f)  # error: `other` of `dot` has to be a vector, not the array `f`
        f[i] = v.dot()  # error: `dot` needs `other`
        f[i] = v.dot(v, v)  # error: `dot` takes 1 argument
        f[i] = f[i].norm()  # error: `norm` needs a vector or a matrix, not a run-time f32
        f[i] = v.norm(None)  # error: `eps` of `norm` has to be a number, a vector or a list of numbers, not None
        f[i] = m.determinant()  # error: `determinant` needs a square matrix of at most 12 rows, not a matrix(2, 3, f32)
        f[i] = m.trace()  # error: `trace` needs a square matrix, not a matrix(2, 3, f32)
        f[i] = sum(f[i])  # error: `x` of `sum` has to be a vector, a matrix, a tuple or a list, not a run-time f32
        f[i] = qd.Matrix(3)[0, 0]  # error: `arr` of `qd.Matrix` has to be a vector or a list, not the integer 3


@qd.kernel
def known(f: F, n: N):
    qd.loop_config(block_dim="wide")  # error: `block_dim` of `qd.loop_config` has to be a compile-time integer, not a string
    for i in range(4):
        a = qd.Vector.zero(qd.f32, n[i])  # error: `n` of `qd.Vector.zero` has to be a compile-time integer, not a run-time i32 | use a literal, a module constant, `qd.static(...)`, or a `qd.template()` parameter
        b = qd.Matrix.identity(qd.f32, 0)  # error: `n` of `qd.Matrix.identity` has to be between 1 and 32, not 0
        c = qd.Matrix.zero(qd.f32, 1024, 2)  # error: a matrix has 1 to 1024 components
        d = qd.cast(f[i], 3)  # error: `dtype` of `qd.cast` has to be a type of numbers, vectors or matrices, not the integer 3
        e = qd.bit_cast(f[i], qd.types.vector(2, qd.i32))  # error: `dtype` of `qd.bit_cast` has to be a scalar type, not the type vector(2, i32) | write `qd.f32` or another
        qd.static_assert(True, 3)  # error: `message` of `qd.static_assert` has to be a compile-time string, not the integer 3
        s = block.SharedArray(4, 4)  # error: `dtype` of `block.SharedArray` has to be a type of numbers, vectors, matrices or structs, not the integer 4
