# Kernels of the package that the language comes from: the import is what has to change.
# waves: 32
# exact
# some build
import taichi as ti
import quadrants as qd


@qd.kernel
def good(x: qd.types.ndarray(dtype=qd.f32, ndim=1)):
    x[0] = 1


@ti.kernel  # error: `ti` is the package `taichi`, but kernels are written for `quadrants` | write `import quadrants as ti`; most names are the same
def bare():
    pass
