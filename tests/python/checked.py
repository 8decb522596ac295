"""A kernel that checks, and whose stream argument takes the keyword's name."""
import quadrants as qd


@qd.kernel
def checked(x: qd.types.ndarray(dtype=qd.i32, ndim=1), stream: qd.i32):
    for i in range(1):
        assert x[0] == stream, "x differs"
        x[0] = x[0] + 1
