# Keys of dictionaries, marks of functions, and parameters without names.
# some build
import quadrants as qd

I = qd.types.ndarray(dtype=qd.i32, ndim=1)


@qd.func
def plain(a, /, b):
    return a + b


@qd.func
def named(a, /, **more):
    return a + more["a"]


@qd.kernel(3)  # error: `@qd.kernel` takes its options by name
def with_number(x: I):
    x[0] = 1


@qd.kernel
@qd.func
def with_two_marks(x: I):  # error: `with_two_marks` is marked as a kernel and with `@qd.func`
    x[0] = 1


@qd.kernel
def keys(x: I):
    for i in x:
        d = {x[0]: 5, x[0]: 6}  # error: a key of a dictionary is known when kernels are built, and this is a run-time i32
        d = {(1, x[0]): 5}  # error: a key of a dictionary is known when kernels are built, and this is a tuple
        d = {[1, 2]: 5}  # error: a list cannot be a key of a dictionary
        d = {(1, [2]): 5}  # error: a list cannot be a key of a dictionary
        d = {{1: 2}: 5}  # error: a dictionary cannot be a key of a dictionary
        d = {k: 1 for k in ([1], [2])}  # error: a list cannot be a key of a dictionary
        d = {x[i + k]: 1 for k in qd.static(range(2))}  # error: a key of a dictionary is known when kernels are built, and this is a run-time i32
        e = {1: 2, (1, "a"): 3}
        x[i] = e[x[i]]  # error: a key of a dictionary is known when kernels are built, and this is a run-time i32
        x[i] = e[[1]]  # error: a list cannot be a key of a dictionary
        x[i] = plain(a=3, b=4)  # error: `a` stands before the `/` of `plain`, and takes no name
        e[1] = 7  # error: the entries of a dictionary cannot be assigned
        a, *b = (1, 2, 3)  # error: `*` targets are not supported
        for x[i] in range(3):  # error: the index of a loop is a name, not an element or a member
            pass
        x[i] = qd.math.erf(1.0)  # error: `math` has no `erf`
        x[i] = plain(3, b=4) + named(3, a=4) + e[(1, "a")]
