# Sorts by some bits of the keys, sorts of only keys, and sorts that tell where keys were.
import quadrants as qd

i32s = qd.types.ndarray(dtype=qd.i32, ndim=1)
u32s = qd.types.ndarray(dtype=qd.u32, ndim=1)
f32s = qd.types.ndarray(dtype=qd.f32, ndim=1)
i64s = qd.types.ndarray(dtype=qd.i64, ndim=1)


@qd.kernel
def middle(keys: u32s, tmp: u32s, values: i32s, tmp_values: i32s, scratch: u32s, n: qd.i32):
    """Digits of 8 and of 7 bits."""
    qd.algorithms.sort(keys, tmp, values, tmp_values, scratch, n, qd.u32, True, 18, 4, begin_bit=3)


@qd.kernel
def one_bit(keys: u32s, tmp: u32s, values: i32s, tmp_values: i32s, scratch: u32s, n: qd.i32):
    qd.algorithms.sort(keys, tmp, values, tmp_values, scratch, n, qd.u32, True, 8, 4, begin_bit=7)


@qd.kernel
def down(keys: u32s, tmp: u32s, values: i32s, tmp_values: i32s, scratch: u32s, n: qd.i32):
    qd.algorithms.sort(keys, tmp, values, tmp_values, scratch, n, qd.u32, True, 16, 4, descending=True)


@qd.kernel
def keys_alone(keys: u32s, tmp: u32s, scratch: u32s, n: qd.i32):
    qd.algorithms.sort(keys, tmp, keys, tmp, scratch, n, qd.u32, False, 16, 4)


@qd.kernel
def top(keys: i64s, tmp: i64s, values: i32s, tmp_values: i32s, scratch: u32s, n: qd.i32):
    qd.algorithms.sort(keys, tmp, values, tmp_values, scratch, n, qd.i64, True, 64, 4, begin_bit=52)


@qd.kernel
def places_up(keys: f32s, tmp: f32s, places: i32s, tmp_places: i32s, scratch: u32s, n: qd.i32):
    qd.algorithms.argsort(keys, tmp, places, tmp_places, scratch, n, qd.f32)


@qd.kernel
def places_down(keys: f32s, tmp: f32s, places: i32s, tmp_places: i32s, scratch: u32s, n: qd.i32):
    qd.algorithms.argsort(keys, tmp, places, tmp_places, scratch, n, qd.f32, descending=True)
