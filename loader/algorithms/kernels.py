"""The kernels of sextant-algorithms.sxt. The build makes an instance for each element type (CMakeLists.txt); their names
are what Algorithms.cpp asks for: `sort_u32`, `sort_pairs_f32_u32` with values of 4 bytes, `reduce_add_i64`.
"""
import quadrants as qd

Elements = qd.types.ndarray(ndim=1)
Scratch = qd.types.ndarray(dtype=qd.u32, ndim=1)
Flags = qd.types.ndarray(dtype=qd.i32, ndim=1)


@qd.kernel
def sort(keys: Elements, tmp: Elements, scratch: Scratch, n: qd.i32):
    qd.algorithms.sort(keys, tmp, keys, tmp, scratch, n, keys.dtype, False, None, 4)


@qd.kernel
def sort_down(keys: Elements, tmp: Elements, scratch: Scratch, n: qd.i32):
    qd.algorithms.sort(keys, tmp, keys, tmp, scratch, n, keys.dtype, False, None, 4, descending=True)


@qd.kernel
def sort_pairs(keys: Elements, tmp: Elements, values: Elements, tmp_values: Elements, scratch: Scratch, n: qd.i32):
    qd.algorithms.sort(keys, tmp, values, tmp_values, scratch, n, keys.dtype, True, None, 4)


@qd.kernel
def sort_pairs_down(keys: Elements, tmp: Elements, values: Elements, tmp_values: Elements, scratch: Scratch, n: qd.i32):
    qd.algorithms.sort(keys, tmp, values, tmp_values, scratch, n, keys.dtype, True, None, 4, descending=True)


@qd.kernel
def reduce_add(x: Elements, out: Elements, scratch: Scratch, n: qd.i32):
    qd.algorithms.reduce_add(x, out, scratch, n, x.dtype, 4)


@qd.kernel
def reduce_min(x: Elements, out: Elements, scratch: Scratch, n: qd.i32):
    qd.algorithms.reduce_min(x, out, scratch, n, x.dtype, 4)


@qd.kernel
def reduce_max(x: Elements, out: Elements, scratch: Scratch, n: qd.i32):
    qd.algorithms.reduce_max(x, out, scratch, n, x.dtype, 4)


@qd.kernel
def exclusive_sum(x: Elements, out: Elements, scratch: Scratch, n: qd.i32):
    qd.algorithms.exclusive_scan_add(x, out, scratch, n, x.dtype, 4)


@qd.kernel
def inclusive_sum(x: Elements, out: Elements, scratch: Scratch, n: qd.i32):
    qd.algorithms.inclusive_scan(x, out, scratch, n, x.dtype, qd.add, 0, 4)


@qd.kernel
def select(x: Elements, flags: Flags, out: Elements, count: Flags, scratch: Scratch, n: qd.i32):
    qd.algorithms.select(x, flags, out, count, scratch, n, 4)
