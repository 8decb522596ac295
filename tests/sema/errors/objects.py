# Objects that kernels make, otherwise than they can.
# exact
import quadrants as qd

F = qd.types.ndarray(dtype=qd.f32, ndim=1)


@qd.data_oriented
class Ray:
    def __init__(self, origin):
        self.origin = origin

    @qd.func
    def move(self, by):
        self.origin = self.origin + by  # error: `ray` cannot be changed here | its members are what the launch passes or the build names; change the elements of its arrays


@qd.data_oriented
class Under:
    def __init__(self, x):
        if x > 0:
            self.x = x  # error: `self.x` is assigned under a condition or in a loop of the run, but an object has its members from where it is made | compute the value before, in a variable, and assign the member once


@qd.data_oriented
class Host:
    def __init__(self, path):
        with open(path) as file:
            self.text = file.read()


@qd.data_oriented
class Empty:
    pass


class Plain:
    def __init__(self, x):
        self.x = x


@qd.data_oriented
class OfHost(Host):
    def __init__(self, x):
        super().__init__(x)  # error: this object cannot be made in kernels, because its `__init__` is code of the host | pass the object to the kernel, or pass its members one by one


@qd.kernel
def of_base(x: F):
    for i in x:
        x[i] = OfHost(x[i]).text


@qd.kernel
def moved(x: F):
    for i in x:
        ray = Ray(x[i])
        ray.move(1.0)


@qd.kernel
def again(x: F):
    for i in x:
        ray = Ray(x[i])
        if x[i] > 0:
            ray = Ray(2.0)  # error: `ray` is an object already, and which one it is cannot change | use another name; or choose its members before, as in `ray = Ray(a if condition else b)`
        x[i] = ray.origin


@qd.kernel
def under(x: F):
    for i in x:
        under = Under(x[i])


@qd.kernel
def of_host(x: F):
    for i in x:
        host = Host(x[i])  # error: this object cannot be made in kernels, because its `__init__` is code of the host | pass the object to the kernel, or pass its members one by one


@qd.kernel
def plain(x: F):
    for i in x:
        x[i] = Plain(x[i]).x  # error: `Plain` is a class of the host, and kernels cannot use its objects | decorate it with `@qd.dataclass` (values), `@dataclasses.dataclass` (arrays and numbers) or `@qd.data_oriented` (kernels as methods)


@qd.kernel
def arguments(x: F):
    for i in x:
        x[i] = Ray().origin  # error: `__init__` needs `origin`
        empty = Empty(3)  # error: `Empty` has no `__init__` that could take arguments
        x[i] = Ray(x[i]).direction  # error: `Ray` has no `direction`
