# exact
# some build
# build: Solver.step[self.n=1]
# What Python has and kernels have not: each message says what to write instead.
import quadrants as qd

I = qd.types.ndarray(dtype=qd.i32, ndim=1)
flag = qd.types.ndarray(dtype=qd.i32, ndim=0)
POWERS = {2**n for n in range(4)}


@qd.kernel
def expressions(x: I):
    for i in x:
        yield x[i]  # error: 'yield' cannot be used in kernels | store the values to an array
        f = lambda v: v  # error: a lambda cannot be used in kernels | write a function under `@qd.func`, and name it here
        x[i] = sum(v for v in x)  # error: a generator expression cannot be used in kernels | write a list, as in `[f(i) for i in qd.static(range(4))]`, or a loop
        s = {1, 2}  # error: a set cannot be used in kernels | write a tuple, as in `x in (1, 2)`
        t = {v for v in (1, 2)}  # error: a set comprehension cannot be used in kernels | write a list comprehension, `[…]`
        d = {**(1, 2), 1: 2}  # error: `**` needs a dictionary, not a tuple
        z = 3j  # error: an imaginary number cannot be used in kernels | write a vector of 2 components, and multiply with `qd.math.cmul`
        x[i] = POWERS[2]  # error: `POWERS` has no value when kernels are built | assign it a constant at module level, or set it with --const POWERS=...
        e = {n: 2**n async for n in range(4)}  # error: an asynchronous dictionary comprehension cannot be used in kernels | remove `async`
        e = {n: x[n] for n in x}  # error: a comprehension runs over compile-time values, not the array `x`
        if i in x:  # error: `in` needs a compile-time tuple or list on its right, not the array `x` | compare with each element in a loop
            x[i] = 1
        if i in qd.Vector([1, 2]):  # error: `in` needs a compile-time tuple or list on its right, not a vector | write `(v == x).any()`
            x[i] = 1


@qd.kernel
def loops(x: I):
    for i in range(1):
        for j in range(3):  # error: `for … else` is not supported | set a variable before each `break`, and test it after the loop
            x[j] = 1
        else:
            x[0] = 2
        while x[0] < 3:  # error: `while … else` is not supported | set a variable before each `break`, and test it after the loop
            x[0] += 1
        else:
            x[0] = 2


@qd.kernel
def many(*args):  # error: kernels cannot take `*` or `**` parameters | name each parameter, or take a struct, whose members are arguments
    pass


@qd.kernel
def sparse(x: I):
    for i in x:
        qd.activate(x, i)  # error: `qd.activate`: sparse structures are not supported | use dense fields, all of whose elements exist
        if qd.is_active(x, i):  # error: `qd.is_active`: sparse structures are not supported | use dense fields, all of whose elements exist
            qd.deactivate(x, i)  # error: `qd.deactivate`: sparse structures are not supported | use dense fields, all of whose elements exist
        qd.append(x, i)  # error: `qd.append`: sparse structures are not supported | count with `qd.atomic_add` on an element of an array, and store at the old count


@qd.kernel(graph=True, checkpoints=True)
def spans(x: I, go: flag):
    with qd.checkpoint(1, yield_on=go):
        with qd.checkpoint(2, yield_on=go):  # error: checkpoints cannot be nested | let the one end before the other begins
            x[0] = 1
    while qd.graph.do_while(go):  # error: `while … else` is not supported | write what is under `else` after the loop, which no `break` leaves
        x[0] = 1
    else:
        x[0] = 2


@qd.kernel(grpah=True)  # error: `@qd.kernel` has no option `grpah` | did you mean `graph`?
def misspelt(x: I):
    x[0] = 1


@qd.kernel(fastmath=True)  # error: `@qd.kernel` has no option `fastmath` | did you mean `fast_math`?
def slow(x: I):
    x[0] = 1


@qd.kernel(unroll=True, pure=True, fastcache=True)  # error: `@qd.kernel` has no option `unroll` | it has pure, fastcache, graph, checkpoints and fast_math
def unknown(x: I):
    x[0] = 1


@qd.func(requires_toplevel=True)  # error: `@qd.func` has no option `requires_toplevel` | did you mean `requires_top_level`?
def inner(x):
    return x


@qd.kernel(checkpoints=True)
def alone(x: I):  # error: `checkpoints=True` needs `graph=True` | write `@qd.kernel(graph=True, checkpoints=True)`
    x[0] = 1


@qd.data_oriented
class Solver:
    @qd.kernel(Graph=True)  # error: `@qd.kernel` has no option `Graph` | did you mean `graph`?
    def step(self, x: I):
        x[0] = 1


@qd.kernel
def methods(x: I):
    for i in x:
        v = qd.Vector([1.0, 2.0])
        a = v.norm(epsilon=1.0)  # error: `norm` has no parameter `epsilon`
        b = v.norm(1.0, eps=2.0)  # error: `norm` is given `eps` twice
        c = v.max(axis=1)  # error: `max` has no parameter `axis`
        d = v.frobenius_inner(2.0)  # error: `other` of `frobenius_inner` has to be a vector or a matrix, not a real constant
        e = v.frobenius_inner(qd.Vector([1.0, 2.0, 3.0]))  # error: the shapes differ: 2x1 and 3x1
        f = v.clamp(xmax=1.0)  # error: `clamp` needs `xmin`


@qd.dataclass
class Packed:
    r: qd.types.UnpackedVector[qd.f32]


@qd.dataclass
class Wide:
    r: qd.types.UnpackedVector[qd.f32, 2000]


@qd.dataclass
class Odd:
    r: qd.types.UnpackedVector[3, 2]


@qd.kernel
def packed(x: I):
    for i in x:
        p = Packed()  # error: `Packed` cannot be made: of its member `r`, `qd.types.UnpackedVector` takes a dtype and a number of components | write `qd.types.UnpackedVector[qd.f32, 3]`
        w = Wide()  # error: `Wide` cannot be made: of its member `r`, a vector or matrix has 1 to 1024 components
        o = Odd()  # error: `Odd` cannot be made: of its member `r`, a dtype is needed, not the integer 3
