# Kernels with several implementations that cannot be built as they are written.
# waves: 32
# some build
import quadrants as qd

A = qd.types.ndarray(dtype=qd.f32, ndim=1)


@qd.perf_dispatch(get_geometry_hash=lambda x: 0)
def with_body(x: A):
    x[0] = 1  # error: `with_body` is a prototype: nothing runs its body


@with_body.register
@qd.kernel
def body_one(x: A):
    x[0] = 1


@qd.perf_dispatch(get_geometry_hash=lambda x, n: 0)
def good(x: A, n: qd.i32):
    """A docstring and `...` are not a body."""
    ...


@good.register
@qd.kernel
def good_one(x: A, n: qd.i32):
    x[0] = n


@good.register(is_compatible=None)
@qd.kernel
def good_two(x: A, n: qd.i32):
    x[0] = n + 0


@good.register(is_compatible=lambda x, n: n > 3)  # error: `is_compatible` asks the host at each launch, and a build has no host code
@qd.kernel
def sometimes(x: A, n: qd.i32):
    x[0] = n


@qd.kernel
@good.register  # error: `@good.register` stands below another decorator of `below`
def below(x: A, n: qd.i32):
    x[0] = n


@good.register
@qd.kernel
def renamed(x: A, m: qd.i32):  # error: `renamed` and its prototype `good` have other parameters: `m` differs
    x[0] = m


@good.register
@qd.kernel
def fewer(x: A):  # error: `fewer` and its prototype `good` have other parameters: `n` differs
    x[0] = 1


@good.register
@qd.kernel
def wider(x: A, n: qd.i64):  # error: `wider` takes `n` as another type than `good_one`, which implements `good` too
    x[0] = n


@good.register
@qd.kernel
def answers(x: A, n: qd.i32) -> qd.i32:  # error: `answers` returns another type than `good_one`, which implements `good` too
    return n


@qd.perf_dispatch(get_geometry_hash=lambda x: 0)
def alone(x: A): ...  # warning: `alone` is not built: no kernel is registered for it


@qd.perf_dispatch(get_geometry_hash=lambda x: 0)
def mixed(x: A): ...  # warning: `mixed` is not built: `mixed_host` implements it by host code


@mixed.register
@qd.kernel
def mixed_kernel(x: A):
    x[0] = 1


@mixed.register
def mixed_host(x):
    mixed_kernel(x)
