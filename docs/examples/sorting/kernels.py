"""Numbers, counted and sorted by the functions of `qd.algorithms`."""

import quadrants as qd

BINS = 256

Reals = qd.types.ndarray(dtype=qd.f32, ndim=1)
Ints = qd.types.ndarray(dtype=qd.u32, ndim=1)


@qd.kernel
def histogram(x: Reals, counts: Ints, n: qd.i32, lower: qd.f32, upper: qd.f32):
    qd.algorithms.histogram_even(x, counts, n, BINS, lower, upper)


@qd.kernel
def sort(keys: Reals, keys_tmp: Reals, places: Ints, places_tmp: Ints, scratch: Ints, n: qd.i32):
    """Sorts `keys`; places[i] becomes where key i came from. Equal keys keep their order."""
    for i in range(n):
        places[i] = qd.u32(i)
    qd.algorithms.sort(keys, keys_tmp, places, places_tmp, scratch, n, qd.f32, True, 32, 4)
