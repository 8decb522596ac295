# Recorded from quadrants/_kernels.py.
import quadrants as qd
from quadrants import grouped
from quadrants import static


# quadrants/_kernels.py:134
@qd.kernel
def matrix_to_ext_arr(mat: qd.template(), arr: qd.types.ndarray(), as_vector: qd.template()):
    # default value of offset is [], replace it with [0] * len
    offset = static([0])

    for I in grouped(mat):
        for p in static(range(mat.n)):
            for q in static(range(mat.m)):
                if static(True):
                    if static(True):
                        arr[I - offset, p] = mat[I][p]
                    else:
                        arr[I - offset, p] = mat[I][p, q]
                else:
                    if static(getattr(mat, "ndim", 2) == 1):
                        arr[I - offset, p, q] = mat[I][p]
                    else:
                        arr[I - offset, p, q] = mat[I][p, q]
