# exact
# Functions of vectors, matrices and arrays, and their names.
import quadrants as qd
from quadrants.lang.simt import block

F = qd.types.ndarray(dtype=qd.f32, ndim=1)
mat13 = qd.types.matrix(13, 13, qd.f32)


@qd.kernel
def dimensions(a: qd.types.NDArray[qd.f32, -1]):  # error: an ndarray has 0 to 8 dimensions, not -1
    pass


@qd.kernel
def more_dimensions(a: qd.types.NDArray[qd.f32, 9]):  # error: an ndarray has 0 to 8 dimensions, not 9
    pass


@qd.kernel
def element(a: qd.types.ndarray(dtype=qd.f32, ndim=0)):
    a[0] = 1  # error: `a` has 0 dimensions, but is indexed with 1 index | write `a[None]`


@qd.kernel
def names(f: F):
    for i in f:
        f[i] = qd.math.lerp(f[i], 1.0, 0.5)  # error: `math` has no `lerp` | did you mean `math.mix`?
        f[i] = qd.saturate(f[i])  # error: `qd` has no `saturate` | did you mean `qd.clamp`?
        f[i] = qd.math.sqr(f[i])  # error: `math` has no `sqr` | did you mean `math.sqrt`?
        f[i] = qd.math.vec5(f[i])  # error: `math` has no `vec5` | did you mean `math.vec2`?
        f[i] = qd.math._inverse(f[i])  # error: `math` has no `_inverse` | did you mean `math.inverse`?


@qd.kernel
def constructors(f: F, n: qd.i32):
    for i in f:
        f[i] = qd.Matrix.unit(3, 3)[0]  # error: a vector of 3 components has no component 3
        f[i] = qd.Matrix.unit(3, n)[0]  # error: `i` of `qd.Matrix.unit` has to be a compile-time integer, not a run-time i32 | use a literal, a module constant, `qd.static(...)`, or a `qd.template()` parameter
        f[i] = qd.Matrix.diag(33, 1.0)[0, 0]  # error: `dim` of `qd.Matrix.diag` has to be between 1 and 32, not 33
        f[i] = qd.Matrix.diag(2, (1, 2))[0, 0]  # error: `val` of `qd.Matrix.diag` has to be a number, not a tuple
        f[i] = qd.Matrix.rows([1, 2])[0]  # error: `qd.Matrix.rows` needs a list of vectors, not of numbers
        f[i] = qd.random(qd.i16)  # error: `qd.random` gives reals, and integers of 32 and 64 bits | cast the result


@qd.kernel
def inverses(f: F, m: mat13):
    for i in f:
        f[i] = m.inverse()[0, 0]  # error: `inverse` needs a square matrix of at most 12 rows, not a matrix(13, 13, f32)
        f[i] = m.determinant()  # error: `determinant` needs a square matrix of at most 12 rows, not a matrix(13, 13, f32)
        f[i] = qd.Vector([f[i]]).determinant()  # error: `determinant` needs a square matrix of at most 12 rows, not a vector(1, f32)


@qd.kernel
def fills(f: F, v: qd.types.vector(2, qd.f32)):
    for i in f:
        s = block.SharedArray((128,), qd.f32)
        s.fill(0)  # error: a SharedArray has no `fill`: its threads share the work | let each thread store to its own elements, then call `block.sync()`
        x = f[i]
        x.fill(1)  # error: `fill` is a method of vectors, matrices, fields and arrays
        m = qd.Vector([1.0, 2.0])
        m.fill(m)  # error: `fill` needs a number here, not a vector
        m.fill()  # error: `fill` takes one value
        m.fill(1, 2)  # error: `fill` takes one value
        v.fill(1.0)  # error: `v` is an argument of the kernel and cannot be assigned | copy it into a variable first
        (m + m).fill(1)  # error: `fill` is not supported on a vector
