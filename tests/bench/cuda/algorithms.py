# Device-wide algorithms, beside CUB's (algorithms.cu).
import quadrants as qd

u32s = qd.types.ndarray(qd.u32, 1)
u64s = qd.types.ndarray(qd.u64, 1)
f32s = qd.types.ndarray(qd.f32, 1)
i32s = qd.types.ndarray(qd.i32, 1)


@qd.kernel
def reduce_u32(x: u32s, out: u32s, scratch: u32s, n: qd.i32):
    qd.algorithms.reduce_add(x, out, scratch, n, qd.u32, 4)


@qd.kernel
def reduce_u64(x: u64s, out: u64s, scratch: u32s, n: qd.i32):
    qd.algorithms.reduce_add(x, out, scratch, n, qd.u64, 4)


@qd.kernel
def reduce_f32(x: f32s, out: f32s, scratch: u32s, n: qd.i32):
    qd.algorithms.reduce_add(x, out, scratch, n, qd.f32, 4)


@qd.kernel
def scan_u32(x: u32s, out: u32s, scratch: u32s, n: qd.i32):
    qd.algorithms.exclusive_scan_add(x, out, scratch, n, qd.u32, 4)


@qd.kernel
def scan_u64(x: u64s, out: u64s, scratch: u32s, n: qd.i32):
    qd.algorithms.exclusive_scan_add(x, out, scratch, n, qd.u64, 4)


@qd.kernel
def scan_f32(x: f32s, out: f32s, scratch: u32s, n: qd.i32):
    qd.algorithms.exclusive_scan_add(x, out, scratch, n, qd.f32, 4)


@qd.kernel
def select_u32(x: u32s, flags: i32s, out: u32s, count: i32s, scratch: u32s, n: qd.i32):
    qd.algorithms.select(x, flags, out, count, scratch, n, 4)


@qd.kernel
def sort_u32(keys: u32s, tmp: u32s, scratch: u32s, n: qd.i32):
    qd.algorithms.sort(keys, tmp, keys, tmp, scratch, n, qd.u32, False, 32, 4)


@qd.kernel
def sort_f32(keys: f32s, tmp: f32s, scratch: u32s, n: qd.i32):
    qd.algorithms.sort(keys, tmp, keys, tmp, scratch, n, qd.f32, False, 32, 4)


@qd.kernel
def sort_u64(keys: u64s, tmp: u64s, scratch: u32s, n: qd.i32):
    qd.algorithms.sort(keys, tmp, keys, tmp, scratch, n, qd.u64, False, 64, 4)


@qd.kernel
def sort_pairs(keys: u32s, tmp: u32s, values: u32s, tmp_values: u32s, scratch: u32s, n: qd.i32):
    qd.algorithms.sort(keys, tmp, values, tmp_values, scratch, n, qd.u32, True, 32, 4)


@qd.kernel
def histogram_f32(x: f32s, out: i32s, scratch: u32s, n: qd.i32, lower: qd.f32, upper: qd.f32):
    qd.algorithms.histogram_even(x, out, n, 256, lower, upper)


# Counts of more than 2^31 elements.
u8s = qd.types.ndarray(qd.u8, 1)


@qd.kernel
def sort_u8_wide(keys: u8s, tmp: u8s, scratch: u32s, n: qd.i64):
    qd.algorithms.sort(keys, tmp, keys, tmp, scratch, n, qd.u8, False, 8, 4)


@qd.kernel
def scan_u32_wide(x: u32s, out: u32s, scratch: u32s, n: qd.i64):
    qd.algorithms.inclusive_scan(x, out, scratch, n, qd.u32, qd.add, 0)


@qd.kernel
def runs_u8_wide(x: u8s, out: u8s, lengths: u32s, count: u32s, scratch: u32s, n: qd.i64):
    qd.algorithms.run_length_encode(x, out, lengths, count, scratch, n)
