# Histograms, segments, copies of pieces.
import quadrants as qd

i32s = qd.types.ndarray(dtype=qd.i32, ndim=1)
i64s = qd.types.ndarray(dtype=qd.i64, ndim=1)
u32s = qd.types.ndarray(dtype=qd.u32, ndim=1)
f32s = qd.types.ndarray(dtype=qd.f32, ndim=1)


@qd.kernel
def even(x: i32s, hist: i32s, n: qd.i32):
    qd.algorithms.histogram_even(x, hist, n, 10, -50, 51)


@qd.kernel
def even_reals(x: f32s, hist: i32s, n: qd.i32, lower: qd.f32, upper: qd.f32):
    qd.algorithms.histogram_even(x, hist, n, 5000, lower, upper)


@qd.kernel
def levels(x: f32s, hist: i32s, bounds: f32s, n: qd.i32):
    qd.algorithms.histogram_range(x, hist, bounds, n, 5)


@qd.func
def last_set(a, b):
    return b if b != 0 else a


@qd.kernel
def segment_sums(x: f32s, out: f32s, offsets: i32s, segments: qd.i32):
    qd.algorithms.segmented_reduce(x, out, offsets, segments, qd.f32, qd.add, 0)


@qd.kernel
def segment_scans(x: i32s, out: i32s, offsets: i32s, segments: qd.i32):
    qd.algorithms.segmented_scan(x, out, offsets, segments, qd.i32, last_set, 0)


@qd.kernel
def segment_sorts(keys: f32s, tmp: f32s, values: i32s, tmp_values: i32s, offsets: i32s, segments: qd.i32):
    qd.algorithms.segmented_sort(keys, tmp, values, tmp_values, offsets, segments, qd.f32, True, 32)


@qd.kernel
def copies(src: i32s, dst: i32s, src_offsets: i32s, dst_offsets: i32s, sizes: i32s, scratch: u32s, count: qd.i32):
    qd.algorithms.batched_copy(src, dst, src_offsets, dst_offsets, sizes, scratch, count)


@qd.kernel
def wide_copies(src: i32s, dst: i32s, src_offsets: i64s, dst_offsets: i64s, sizes: i64s, scratch: u32s, count: qd.i64):
    qd.algorithms.batched_copy(src, dst, src_offsets, dst_offsets, sizes, scratch, count)
