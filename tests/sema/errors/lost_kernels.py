# Kernels that are written, but not where they can be built: none is dropped in silence.
# waves: 32
# some build
import quadrants as qd
from quadrants import kernel as k
from quadrants import kernal as misspelled

A = qd.types.ndarray(dtype=qd.f32, ndim=1)


@qd.kernel
def good(x: A):
    x[0] = 1


class Simulation:
    size = 3

    @qd.kernel
    def step(self, x: A):  # error: `step` is a kernel, but a method of `Simulation`, which is not `@qd.data_oriented`
        x[0] = 1

    @staticmethod
    @qd.func
    def helper(x):
        return x

    def host(self):
        return 3


@qd.data_oriented
class Other:
    class Inner:
        @k
        def inner(self):  # error: `inner` is a kernel, but a method of `Inner`, which stands inside another class
            pass


@qd.kernel
async def coroutine(x: A):  # error: `coroutine` is marked @qd.kernel, but is `async`
    x[0] = 1


@qd.kernal  # error: this decorator is unknown, so that `typo` would be host code
def typo(x: A):
    x[0] = 1


@misspelled  # error: this decorator is unknown
def typo2(x: A):
    x[0] = 1


@kernl  # error: this decorator is unknown
def typo3(x: A):
    x[0] = 1


if True:

    @qd.kernel
    def under_if(x: A):  # error: `under_if` is a kernel under `if`, which is host code
        x[0] = 1

else:

    @qd.kernel(pure=True)
    def under_else(x: A):  # error: `under_else` is a kernel under `else`
        x[0] = 1


try:

    @qd.kernel
    def under_try(x: A):  # error: `under_try` is a kernel under `try`
        x[0] = 1

except ImportError:
    pass

for i in range(3):

    @qd.kernel
    def under_for(x: A):  # error: `under_for` is a kernel under `for`
        x[0] = 1


def factory(n):
    @qd.func
    def local(x):
        return x

    @qd.kernel
    def made(x: A):  # error: `made` is a kernel inside the function `factory`
        x[0] = n

    return made


def host(x):
    return x


called = qd.kernel(host)  # error: a kernel is made by a call here
