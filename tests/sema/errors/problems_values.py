# One case of each mistake with values: functions of numbers, vectors and matrices, constants.
# waves: 32
import quadrants as qd
from quadrants.lang.simt import block, subgroup

F = qd.types.ndarray(dtype=qd.f32, ndim=1)
I = qd.types.ndarray(dtype=qd.i32, ndim=1)


@qd.kernel
def functions(x: F, n: I, b: qd.types.ndarray(dtype=qd.u1, ndim=1)):
    for i in range(8):
        x[i] = abs((1, 2))  # error: `x` of `abs` has to be a number or a vector, not a tuple
        n[i] = qd.bit_shr(x[i], 1)  # error: `a` of `qd.bit_shr` has to be an integer, not a run-time f32
        x[i] = qd.floor(x[i], 3)  # error: `dtype` of `qd.floor` has to be a scalar type, not the integer 3
        x[i] = max((x, x))  # error: a number is needed here
        x[i] = max()  # error: needs at least one value
        n[i] = qd.raw_div(b[i], b[i])  # error: needs numbers
        x[i] = qd.raw_mod(x[i], x[i])  # error: `a` of `qd.raw_mod` has to be an integer, not a run-time f32
        x[i] = sum(x[i])  # error: `x` of `sum` has to be a vector, a matrix, a tuple or a list, not a run-time f32
        n[i] = any(n[i])  # error: `x` of `any` has to be a vector, a matrix, a tuple or a list, not a run-time i32
        n[i] = len(n[i])  # error: has no length
        v2 = qd.precise(qd.Vector([x[i], x[i]]))  # error: `qd.precise` takes a number
        t = tuple(n[i])  # error: cannot become a tuple
        x[i] = qd.random(3)  # error: `dtype` of `qd.random` has to be a scalar type, not the integer 3
        x[i] = qd.zero("text")  # error: needs a value
        x[i] = qd.cast(x[i], 3)  # error: `dtype` of `qd.cast` has to be a type of numbers, vectors or matrices, not the integer 3
        x[i] = qd.bit_cast(x[i], 3)  # error: `dtype` of `qd.bit_cast` has to be a scalar type, not the integer 3
        x[i] = qd.f32(x[i], x[i])  # error: takes one value
        x[i] = qd.f32(value=x[i])  # error: a cast takes no keyword arguments
        n[i] = int(1e30)  # error: this real constant does not fit an integer
        v = qd.static()  # error: `qd.static` needs a value
        qd.init()  # error: is for host code and cannot be used in kernels


@qd.kernel
def vectors(x: F, m: qd.types.ndarray(dtype=qd.types.matrix(2, 3, qd.f32), ndim=1)):
    for i in range(8):
        a = qd.Vector([x[i], x[i]])
        c = qd.Vector([x[i], x[i], x[i], x[i]])
        p = m[i]
        x[i] = c.cross(c)  # error: `cross` needs vectors of 3 (or 2) components
        x[i] = qd.math.dot(p, a)  # error: needs a vector
        x[i] = qd.math.norm(x[i])  # error: needs a vector or a matrix
        x[i] = p.trace()  # error: `trace` needs a square matrix
        x[i] = x[i].max()  # error: `max` needs a vector or a matrix, not a run-time f32
        w = qd.Vector([[1, 2], [3, 4]])  # error: `qd.Vector` needs numbers, not rows
        u = qd.Vector.zero(3, 4)  # error: `dt` of `qd.Vector.zero` has to be a scalar type, not the integer 3
        e = qd.Vector.unit(2000, 0)  # error: `n` of `qd.Vector.unit` has to be between 1 and 1024, not 2000
        y = qd.Matrix([[1, 2], [3]])  # error: the rows of a matrix have to be equally long
        z = qd.Vector([])  # error: a vector cannot be empty
        s = qd.Vector([x, x])  # error: a vector cannot hold
        r = qd.Vector(3)  # error: `arr` of `qd.Vector` has to be a vector or a list, not the integer 3
        q = p @ a  # error: the shapes do not fit
        x[i] = a.z  # error: a vector of 2 components has no
        x[i] = a[0, 0]  # error: index
        x[i] = a[5]  # error: is outside of
        f = qd.types.vector(2, qd.f32)(1.0, 2.0, 3.0)  # error: has 2 components, but is given 3
        a.zz = 1.0  # error: names a component twice


@qd.kernel
def arithmetic(x: F, n: I):
    for i in range(8):
        x[i] = ~1.5  # error: `~` needs an integer
        n[i] = 1 << -1  # error: a negative shift
        n[i] = 2 ** (2**90)  # error: too large
        n[i] = n[i] in n  # error: needs a compile-time tuple or list
        x[i] = x + 1  # error: does not take the array
        n[i] = "a" < 1  # error: cannot order
        n[i] = 0 if x else 1  # error: neither true nor false
        n[i] = ...  # error: `...` has no value
        n[i] = 99999999999999999999999999  # error: does not fit
        c = [j for j in range(n[i])]  # error: the bounds of an unrolled loop
        d = [j for j in range(100000)]  # error: unrolled more than 65536 times
        d = [j for j in n]  # error: a comprehension runs over compile-time values
        v = qd.Vector([n[i], n[i]])
        n[i] = n[i](3)  # error: cannot be called
        n[i] = 3[0]  # error: cannot be indexed
        n[i] = max(*n[i])  # error: `*` needs a tuple
