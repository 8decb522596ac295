# Orders of axes, and arrays whose types the build names.
# build: turned[x=ndarray(f32, layout=(2, 0, 1))]
# build: scattered[x=ndarray(f32, 2, layout=((0, 4, 10), (1, 5, 2)))]
# build: untyped
# build: structs[x=ndarray(Mixed, 1, layout=Layout.AOS)]
import quadrants as qd

twice = qd.field(qd.f32, shape=(2, 3), layout=(1, 1))  # error: a layout names each axis once, the outermost first
short = qd.field(qd.f32, shape=(2, 3), layout=(0,))  # error: a layout names each axis once, the outermost first
flat = qd.field(qd.f32, shape=(2, 3), layout=((0, 2, 3),))  # error: each axis has a level
third = qd.field(qd.f32, shape=2, layout=((1, 2, 3),))  # error: there is no axis 1 among 1
still = qd.field(qd.f32, shape=2, layout=((0, 2, 0),))  # error: a level has an extent and a stride from 1 to 2^48
shared = qd.field(qd.f32, shape=(4, 5), layout=((0, 4, 2), (1, 5, 1)))  # error: elements of a layout have memory of their own
pairs = qd.field(qd.f32, shape=2, layout=((0, 2),))  # error: a level of a layout has three numbers
other = qd.field(qd.f32, shape=2, layout=((0, 3, 1),))  # error: the extents of the layout are not those of the field
named = qd.field(qd.f32, shape=2, layout={"x": ((0, 2, 1),)})  # error: a layout with levels needs
later = qd.field(qd.f32, layout=(1, 0))  # error: a field with a layout needs its `shape`


@qd.kernel
def fields():
    for i in range(2):
        twice[i, 0] = 1.0
        short[i, 0] = 1.0
        flat[i, 0] = 1.0
        third[i] = 1.0
        still[i] = 1.0
        shared[i, 0] = 1.0
        pairs[i] = 1.0
        other[i] = 1.0
        named[i] = 1.0
        later[i, 0] = 1.0
        x = qd.Tensor()  # error: `qd.Tensor` annotates parameters; host code makes such arrays


@qd.kernel
def turned(x: qd.types.ndarray(qd.f32, 2)):  # error: `x` has 2 dimensions, but is instantiated with a layout of 3
    for i in range(2):
        x[i, 0] = 1.0


@qd.kernel
def scattered(x: qd.types.ndarray(qd.f32, 1)):  # error: `x` is instantiated with a layout of another number of dimensions
    for i in range(2):
        x[i] = 1.0


@qd.kernel
def untyped(x: qd.Tensor):  # error: the ndarray `x` has no element type
    for i in range(2):
        x[i] = 1.0


Mixed = qd.types.struct(on=qd.u1, v=qd.types.vector(300, qd.f32), n=qd.i32)


@qd.kernel
def structs(x: qd.types.ndarray()):  # error: an array of `Mixed` in one piece has 1 to 1024 units an element, each as large as the struct's smallest scalar, not 1208
    for i in range(3):
        x[i].n = i
