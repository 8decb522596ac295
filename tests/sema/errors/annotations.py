# Annotations, returns and literals that do not mean what they say.
# waves: 32
import quadrants as qd

A = qd.types.ndarray(dtype=qd.f32, ndim=1)
V3 = qd.types.vector(3, qd.f32)


@qd.kernel
def vector_for_scalar() -> qd.i32:
    return qd.Vector([1.0, 2.0])  # error: `vector_for_scalar` is annotated to return i32, but returns a vector(2, f32)


@qd.kernel
def scalar_for_vector() -> V3:
    return 5  # error: `scalar_for_vector` is annotated to return vector(3, f32), but returns the integer 5


@qd.kernel
def short_vector() -> V3:
    return [1.0, 2.0]  # error: `short_vector` is annotated to return vector(3, f32), but returns a vector(2, f32)


@qd.kernel
def real_for_integer() -> qd.types.vector(2, qd.i32):
    return qd.Vector([1.0, 2.0])  # error: is annotated to return vector(2, i32), but returns a vector(2, f32)


@qd.kernel
def pair_for_one() -> qd.i32:
    return 1, 2  # error: the kernel is annotated with 1 result, but returns 2


@qd.kernel
def one_for_pair() -> tuple[qd.i32, qd.f32]:
    return 1  # error: the kernel is annotated with 2 results, but returns 1


@qd.kernel
def unannotated(x: A):
    return x[0]  # error: `unannotated` returns a value, but is not annotated with its type


@qd.kernel
def one_path(x: A) -> qd.i32:
    if x[0] > 1:
        return 1  # error: `one_path` returns a value here, but not on every path: its end can be reached


@qd.kernel
def in_a_loop(x: A) -> qd.i32:
    n = 5
    while n > 0:
        return 1  # error: `in_a_loop` returns a value here, but not on every path
        n -= 1


@qd.func
def half(x):
    if x > 0:
        return 1.0  # error: `half` returns a value here, but not on every path


@qd.func
def mixed(x):
    if x > 0:
        return  # error: `mixed` returns no value here, but does elsewhere
    return 1.0


@qd.func
def nothing(x) -> qd.f32:  # error: `nothing` is annotated to return a value, but never does
    y = x


@qd.func
def number(x) -> V3:
    return x  # error: the result of `number` is annotated as vector(3, f32), but is


@qd.func
def none(x) -> None:
    return x  # error: `none` is annotated with `-> None`, but returns a value


@qd.func
def two(x) -> tuple[qd.f32, qd.f32]:
    return x  # error: the result of `two` is annotated as 2 values, but is


@qd.func
def takes(v: V3):
    return v.x


@qd.kernel
def calls(x: A):
    x[0] = half(x[1])
    x[0] = mixed(x[1])
    nothing(x[1])
    number(x[1])
    none(x[1])
    two(x[1])
    x[0] = takes(1.0)  # error: `v` is annotated as vector(3, f32), but is


@qd.kernel
def identity(x: A, n: qd.template()):
    if x[0] is None:  # error: `is` compares what is known when kernels are built, not a run-time value
        x[0] = 1
    if x[0] is not 1:  # error: `is` compares what is known when kernels are built
        x[0] = 1
    if 3 is 3:  # error: `is` compares names, not numbers
        x[0] = 1
    if n is None:
        x[0] = 1


# build: identity[n=3]


@qd.kernel
def literals(x: A):
    x[0] = 1e400  # error: this real number is more than f64 holds
    x[0] = -1e400  # error: this real number is more than f64 holds


@qd.kernel
def default(x: A, n: qd.i32 = 3):  # error: `n` is passed at every launch: its default would never be used
    x[0] = n


@qd.kernel
def default_array(n: qd.i32, x: A = None):  # error: `x` is passed at every launch
    x[0] = n


@qd.kernel
def locals_(x: A):
    y: qd.i32 = 1
    y: qd.f32 = 2.5  # error: `y` is annotated as f32, but is i32 already
    y: V3 = qd.Vector([1.0, 2.0, 3.0])  # error: `y` is annotated as vector(3, f32), but is i32 already
    z: qd.f32  # error: an annotation without a value declares nothing
    x[0]: qd.i32 = 3  # error: this element is f32, but is annotated as i32
    v: V3 = 3  # error: this value is annotated as vector(3, f32), but is the integer 3


@qd.kernel
def vectors(x: A):
    a = qd.Vector([x[0], x[1]])
    b = a or a  # error: `and` and `or` of vectors need integers, not f32


@qd.kernel
def unread(x: A):
    for i in x:
        if x[i] > 1:
            continue
            y = missing1  # error: the name `missing1` is not defined here
        assert missing2 > 1  # error: the name `missing2` is not defined here
        assert x[i] > 1, missing3  # error: the name `missing3` is not defined here
        assert x[i] > 1, "%d and %d" % i  # error: the text has 2 places for values, but is given 1
        assert x[i] > 1, "%q" % i  # error: `%q` is not a place for a value
        assert x[i] > 1, 7  # error: the message of an `assert` has to be a string, not the integer 7
    if False:
        x[0] = missing4  # error: the name `missing4` is not defined here
    while False:
        x[0] = missing5  # error: the name `missing5` is not defined here
        break
    while True:
        x[0] += 1
    x[0] = missing6  # error: the name `missing6` is not defined here


@qd.kernel
def stopped(x: A):
    return
    for i in x:
        x[i] = missing7  # error: the name `missing7` is not defined here


@qd.func
def both(x):
    if x > 0:
        return 1
    else:
        return 2
    return missing8  # error: the name `missing8` is not defined here


@qd.kernel
def calls_both(x: A):
    x[0] = both(x[0])
