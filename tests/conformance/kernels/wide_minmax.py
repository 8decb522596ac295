# Atomic minima and maxima of u64 whose old value nobody asks for: Metal has these 64-bit
# atomics and no others, from version 2.4 on.
import quadrants as qd


@qd.kernel
def extremes(
    values: qd.types.ndarray(dtype=qd.u64, ndim=1),
    least: qd.types.ndarray(dtype=qd.u64, ndim=1),
    most: qd.types.ndarray(dtype=qd.u64, ndim=1),
):
    for i in range(values.shape[0]):
        qd.atomic_min(least[i % 5], values[i])
        qd.atomic_max(most[i % 5], values[i])
