# One case of each mistake with statements: loops, assignments, returns, calls, names.
# waves: 32
# define: GIVEN=unknown
import quadrants as qd
from quadrants.lang.simt import block, subgroup

F = qd.types.ndarray(dtype=qd.f32, ndim=1)
I = qd.types.ndarray(dtype=qd.i32, ndim=1)
ITSELF = ITSELF + 1
HOST = open("file")


@qd.func
def takes(a: qd.types.ndarray(dtype=qd.f32, ndim=2)):
    return a[0, 0]


@qd.kernel
def loops(x: F, n: I):
    for i in range(1, 2, 3, 4):  # error: `range` takes one to three arguments
        x[i] = 0
    for i in range(1.5):  # error: `range` needs integers
        x[i] = 0
    for i in range(0, 4, 0):  # error: the step of a range cannot be 0
        x[i] = 0
    for i, j in qd.ndrange(2, 2, rows=1):  # error: has no parameter `rows`
        x[i] = 0
    for i in 3:  # error: a loop cannot run over
        x[i] = 0
    for i in qd.static(3):  # error: a loop cannot be unrolled over
        x[i] = 0
    for i in (1, 2):  # error: is unrolled only under `qd.static`
        x[i] = 0
    for i in qd.static(range(0, 4, n[0])):  # error: the step of an unrolled loop
        x[i] = 0
    for i in range(4):
        s = block.SharedArray((64,), qd.f32)
        for j in s:  # error: a loop cannot run over a SharedArray
            x[j] = 0
        return  # error: a kernel cannot return from inside a parallel loop
    while n[0] < 3:  # error: `while … else` is not supported
        n[0] += 1
    else:
        n[0] = 0
    qd.loop_config(3)  # error: takes keyword arguments only
    qd.loop_config(rows=3)  # error: has no parameter `rows`
    qd.loop_config(name=4)  # error: `name` of `qd.loop_config` has to be a compile-time string, not the integer 4
    qd.block_dim(1, 2)  # error: `qd.block_dim` takes 1 argument
    if n[1] > 2:
        for i in range(4):
            x[i] = 0


@qd.kernel
def assignments(x: F, n: I):
    for i in range(4):
        fresh += 1  # error: is changed before it has a value here
        a, b = n[i]  # error: cannot be unpacked into 2 names
        c, d = (1, 2, 3)  # error: 3 values cannot be unpacked into 2 names
        (e, *g) = (1, 2)  # error: `*` targets
        x = 3  # error: is an argument of the kernel and cannot be assigned
        t = (1, 2.0)
        t = 5  # error: cannot become
        u = (1, (2, 3))
        n[i] = u[n[i]]  # error: cannot be indexed at run time
        m = qd.Matrix([[1.0, 2.0], [3.0, 4.0]])
        x[i] = m[n[i]][0]  # error: a row of a matrix cannot be picked at run time
        n[i].y = 3  # error: this is a single i32
        n[i][0] = 3  # error: this is a single i32 and has no components
        import math  # error: imports stand at module level


@qd.kernel
def definitions(n: I):
    n[0] = ITSELF  # error: has no value when kernels are built
    n[1] = HOST  # error: has no value when kernels are built
    n[3] = takes(n)  # error: has to
    n[4] = takes(3)  # error: has to be an ndarray


@qd.kernel
def atomics(x: F, n: I, v: qd.types.ndarray(dtype=qd.types.vector(2, qd.i32), ndim=1)):
    for i in range(4):
        qd.atomic_add((x[0], x[1]), 1.0)  # error: not a tuple
        qd.atomic_add(3, 1)  # error: is not a place in memory
        qd.atomic_cas(n, 0, 1)  # error: needs one element, not the whole array
        qd.atomic_cas((n[0], n[1]), 0, 1)  # error: needs a place in memory, not a tuple
        qd.atomic_cas(v[i], 0, 1)  # error: takes a single element, not a vector
        n[i] = subgroup.all_true(x)  # error: takes a scalar predicate
        s = block.SharedArray((1 << 20, 1 << 20), qd.f32)  # error: larger than any device's shared memory
        f = qd.field(qd.f32, shape=(3,))  # error: fields cannot be made inside kernels


@qd.kernel
def several(n: I) -> qd.i32:
    if n[0] > 0:
        return 1, 2  # error: 2
    return 1


@qd.kernel
def starparameters(*args):  # error: kernels cannot take
    pass
