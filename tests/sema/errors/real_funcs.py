# Real functions and references, what they refuse: the whole text of each error.
# exact
import quadrants as qd

I = qd.types.ndarray(dtype=qd.i32, ndim=1)
pair = qd.types.vector(2, qd.f32)
N = 3


@qd.real_func
def set_to(a: qd.types.ref(qd.i32), b: qd.i32) -> qd.i32:
    old = a
    a = b
    return old


@qd.real_func
def longer(v: qd.types.ref(pair)):
    v *= 2.0


@qd.real_func
def untyped(a: qd.i32, b) -> qd.i32:  # error: `b` has no type, and `untyped` is a `@qd.real_func` | write one, as in `b: qd.f32`
    return a + b


@qd.real_func
def unannotated(a: qd.i32):
    return a  # error: `unannotated` returns a value, but is not annotated with its type | write the type after the parameters: `-> qd.f32`


@qd.real_func
def factorial(n: qd.i32) -> qd.i32:
    if n < 2:
        return 1
    return n * factorial(n - 1)  # error: `factorial` calls itself: functions are inlined, and this would have no end | write a loop; or mark it `@qd.func`, if a condition that is known when kernels are built ends it


@qd.func(is_real_function=True)
def even(n: qd.i32) -> qd.i32:
    if n == 0:
        return 1
    return odd(n - 1)


@qd.real_func
def odd(n: qd.i32) -> qd.i32:
    if n == 0:
        return 0
    return even(n - 1)  # error: `even` calls itself: functions are inlined, and this would have no end | write a loop; or mark it `@qd.func`, if a condition that is known when kernels are built ends it


@qd.func
def inlined(a: qd.types.ref(qd.i32)):  # error: `a` is a reference, and `inlined` is not a `@qd.real_func` | write `a: qd.template()`, which shares the caller's variable
    a = 1


@qd.real_func
def of_nothing(a: qd.types.ref):  # error: `qd.types.ref` takes the type of a number, vector or matrix | write `a: qd.types.ref(qd.f32)`
    a = 1


@qd.real_func
def of_array(a: qd.types.ref(I)):  # error: `qd.types.ref` takes the type of a number, vector or matrix | write `a: qd.types.ref(qd.f32)`
    a = 1


@qd.real_func
def passes_on(n: qd.i32) -> qd.i32:
    return set_to(n, 1)  # error: `n` cannot be changed, and `a` is a reference | copy it into a variable first


@qd.kernel
def calls(x: I, n: qd.i32):
    for i in range(4):
        a = 5
        f = 2.5
        v = qd.Vector([1, 2])
        x[i] = set_to(a, 8) + set_to(x[i], i) + set_to(b=1, a=v[0])
        x[i] = set_to(f, 8)  # error: `a` is a reference to i32, and this is f32 | pass a variable or an element of that type
        x[i] = set_to(3, 8)  # error: the integer 3 is not a place in memory | name an element of an ndarray, a field or a SharedArray
        x[i] = set_to(N, 8)  # error: the integer 3 is not a place in memory | name an element of an ndarray, a field or a SharedArray
        x[i] = set_to(a + 1, 8)  # error: a run-time i32 is not a place in memory | name an element of an ndarray, a field or a SharedArray
        x[i] = set_to(n, 8)  # error: `n` cannot be changed, and `a` is a reference | copy it into a variable first
        x[i] = set_to(x, 8)  # error: `a` is a reference to a number, vector or matrix, and this is not one | pass a variable or an element; a `qd.template()` takes arrays and structs
        longer(v)  # error: `v` is a reference to vector(2, f32), and this is vector(2, i32) | pass a variable or an element of that type
        longer(f)  # error: `v` is a reference to vector(2, f32), and this is f32 | pass a variable or an element of that type
        x[i] = untyped(1, 2)
        x[i] = unannotated(1)
        x[i] = factorial(i)
        x[i] = even(i)
        inlined(a)
        of_nothing(a)
        of_array(a)
        x[i] = passes_on(i)


@qd.kernel
def misplaced(a: qd.types.ref(qd.i32)):  # error: `types.ref` annotates parameters of `@qd.real_func` functions | let the kernel pass an array, or return the value
    pass


@qd.kernel
def boundary(x: qd.types.ndarray(qd.i32, 1, boundary="wrap")):  # error: `boundary` is "unsafe" or "clamp", not "wrap" | write `boundary="clamp"` where an index may be outside of the array
    x[0] = 1
