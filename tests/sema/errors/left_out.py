# The constructs that the language leaves out, each an error at its use.
import quadrants as qd

F = qd.types.ndarray(dtype=qd.f32, ndim=1)
x = qd.field(qd.f32, shape=4)
block = qd.root.dense(qd.i, 4)
small = qd.types.quant.int(5, True)
bare = qd.field(qd.f32)  # error: a field needs a constant `shape`, or a place: nothing at module level places `bare`


@qd.kernel
def uses(a: F):
    for i in range(4):
        a[i] = x.grad[i]  # error: `x` has no gradient
        a[i] = block[i]  # error: a node cannot be indexed
        a[i] = small  # error: `small` has no value when kernels are built
        a[i] = bare[i]
        t = qd.Texture(qd.f32)  # error: textures are not supported
        m = qd.Mesh  # error: meshes are not supported
        c = qd.cfg.arch == qd.x64  # error: `qd.x64`: all CPUs are one backend here
        s = qd.Struct(1)  # error: `qd.Struct` takes its members by name
        a[i] = a[0:2]  # error: `a` is an array: only tiles take slices of arrays
        f = lambda v: v  # error: lambda
        d = {1, 2}  # error: a set cannot be used in kernels
