# A vector or matrix where one number is needed, and the other way round.
# exact
import quadrants as qd
from quadrants.lang.simt import block

F = qd.field(qd.f32, shape=4)
VF = qd.Vector.field(3, qd.f32, shape=4)
f32s = qd.types.ndarray(dtype=qd.f32, ndim=1)
vec3s = qd.types.ndarray(dtype=qd.types.vector(3, qd.f32), ndim=1)


@qd.func
def one(x: qd.f32):
    return x


@qd.func
def given(x) -> qd.f32:
    return x


@qd.kernel
def elements(o: f32s, w: vec3s, c: qd.i32):
    for i in range(4):
        v = qd.Vector([1.0, 2.0])
        m = qd.Matrix([[1.0, 2.0], [3.0, 4.0]])
        shared = block.SharedArray((4,), qd.i32)
        o[i] = v  # error: a vector(2, f32) does not fit here, where one f32 is needed | name one component, as in `v[0]` or `v.x`, or reduce the vector, as in `v.sum()`
        o[i] = m  # error: a matrix(2, 2, f32) does not fit here, where one f32 is needed | name one component, as in `m[0, 0]`
        o[i] += v  # error: a vector(2, f32) does not fit here, where one f32 is needed | name one component, as in `v[0]` or `v.x`, or reduce the vector, as in `v.sum()`
        o[i] *= v  # error: a vector(2, f32) does not fit here, where one f32 is needed | name one component, as in `v[0]` or `v.x`, or reduce the vector, as in `v.sum()`
        F[i] -= m  # error: a matrix(2, 2, f32) does not fit here, where one f32 is needed | name one component, as in `m[0, 0]`
        shared[i] = v  # error: a vector(2, f32) does not fit here, where one i32 is needed | name one component, as in `v[0]` or `v.x`, or reduce the vector, as in `v.sum()`
        qd.atomic_add(o[i], v)  # error: a vector(2, f32) does not fit here, where one f32 is needed | name one component, as in `v[0]` or `v.x`, or reduce the vector, as in `v.sum()`
        o[i] = qd.f32(v)  # error: a vector(2, f32) does not fit here, where one f32 is needed | name one component, as in `v[0]` or `v.x`, or reduce the vector, as in `v.sum()`
        o[i] = qd.math.vec2(c)  # error: a vector(2, f32) does not fit here, where one f32 is needed | name one component, as in `v[0]` or `v.x`, or reduce the vector, as in `v.sum()`
        o[i] = qd.select(v, 1.0, 2.0)  # error: a vector(2, f32) does not fit here, where one f32 is needed | name one component, as in `v[0]` or `v.x`, or reduce the vector, as in `v.sum()`
        o[i] = v if c > 1 else 0.0  # error: a vector(2, f32) does not fit here, where one f32 is needed | name one component, as in `v[0]` or `v.x`, or reduce the vector, as in `v.sum()`
        w[i][c] = v  # error: a vector(2, f32) does not fit here, where one f32 is needed | name one component, as in `v[0]` or `v.x`, or reduce the vector, as in `v.sum()`
        o[i] = one(v)  # error: a vector(2, f32) does not fit here, where one f32 is needed | name one component, as in `v[0]` or `v.x`, or reduce the vector, as in `v.sum()`
        VF[i] = v  # error: a vector(2, f32) does not fit a vector(3, f32)
        o[i] = qd.select(v, v, m).x  # error: `qd.select` needs one shape: a vector(2, f32) and a matrix(2, 2, f32) differ
        o[i] = qd.select("a", v, v).x  # error: `condition` of `qd.select` has to be a number, a vector or a list of numbers, not a string
        v = m  # error: `v` is a vector(2, f32) and cannot become a matrix(2, 2, f32)


@qd.kernel
def results(o: f32s):
    for i in range(4):
        o[i] = given(qd.Vector([1.0, 2.0]))  # error: a vector(2, f32) does not fit here, where one f32 is needed | name one component, as in `v[0]` or `v.x`, or reduce the vector, as in `v.sum()`


@qd.kernel
def components(w: vec3s):
    for i in range(4):
        t = (1, 2)
        w[i].xx = 1.0  # error: `.xx` names a component twice | what is stored to names each component once
        w[i].xyw = 1.0  # error: the component 3 is outside of vector(3, f32)
        w[i].xy = w[i]  # error: a vector(3, f32) does not fit a vector(2, f32)
        t[i] = 3  # error: the items of a tuple or list cannot be assigned | make it a vector, with `qd.Vector([...])`
        t[2] += 3  # error: the index 2 is outside of a tuple of 2
