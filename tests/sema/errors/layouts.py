# Orders of axes, and arrays whose types the build names.
# build: turned[x=ndarray(f32, layout=(2, 0, 1))]
# build: untyped
# build: structs[x=ndarray(Mixed, 1, layout=Layout.AOS)]
import quadrants as qd

twice = qd.field(qd.f32, shape=(2, 3), layout=(1, 1))  # error: a layout names each axis once, the outermost first
short = qd.field(qd.f32, shape=(2, 3), layout=(0,))  # error: a layout names each axis once, the outermost first
later = qd.field(qd.f32, layout=(1, 0))  # error: a field with a layout needs its `shape`


@qd.kernel
def fields():
    for i in range(2):
        twice[i, 0] = 1.0
        short[i, 0] = 1.0
        later[i, 0] = 1.0
        x = qd.Tensor()  # error: `qd.Tensor` annotates parameters; host code makes such arrays


@qd.kernel
def turned(x: qd.types.ndarray(qd.f32, 2)):  # error: `x` has 2 dimensions, but is instantiated with a layout of 3
    for i in range(2):
        x[i, 0] = 1.0


@qd.kernel
def untyped(x: qd.Tensor):  # error: the ndarray `x` has no element type
    for i in range(2):
        x[i] = 1.0


Mixed = qd.types.struct(on=qd.u1, v=qd.types.vector(300, qd.f32), n=qd.i32)


@qd.kernel
def structs(x: qd.types.ndarray()):  # error: an array of `Mixed` in one piece has 1 to 1024 units an element, each as large as the struct's smallest scalar, not 1208
    for i in range(3):
        x[i].n = i
