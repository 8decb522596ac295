# Merges of sorted arrays, and copies of many pieces. Each thread makes a run of the result.
import quadrants as qd
from quadrants import algorithms
from quadrants.lang.simt import block

_RUN = 8


@qd.func
def _less(a, b):
    return a < b


# Merges the first `na` and `nb` elements of two arrays that are sorted by `less(x, y)`. Equal ones of
# `a` come before those of `b`.
@qd.func(requires_top_level=True)
def merge(
    a: qd.template(),
    b: qd.template(),
    out: qd.template(),
    na: qd.template(),
    nb: qd.template(),
    less: qd.template() = _less,
):
    a_count = algorithms._count(na)
    b_count = algorithms._count(nb)
    qd.loop_config(block_dim=algorithms.SCAN_THREADS, name="merge")
    for i in range(algorithms._tiles(a_count + b_count, _RUN)):
        begin = i * _RUN
        end = qd.min(begin + _RUN, a_count + b_count)
        # How many of the elements before `begin` are of a: the least number at which the next one of a
        # belongs after the last one of b.
        first = qd.max(begin - b_count, 0)
        last = qd.min(begin, a_count)
        while first < last:
            middle = (first + last) // 2
            if less(b[begin - 1 - middle], a[middle]):
                last = middle
            else:
                first = middle + 1
        from_a = first
        from_b = begin - first
        for at in range(begin, end):
            takes_a = from_b >= b_count
            if from_a < a_count and from_b < b_count:
                takes_a = not less(b[from_b], a[from_a])
            if takes_a:
                out[at] = a[from_a]
                from_a += 1
            else:
                out[at] = b[from_b]
                from_b += 1


# Copies `sizes[k]` elements from `src[src_offsets[k]]` on to `dst[dst_offsets[k]]` on, for each k below
# `count`. Large and small pieces are spread evenly. The first elements of `scratch` get the places where
# pieces begin among all elements.
@qd.func(requires_top_level=True)
def batched_copy(
    src: qd.template(),
    dst: qd.template(),
    src_offsets: qd.template(),
    dst_offsets: qd.template(),
    sizes: qd.template(),
    scratch: qd.template(),
    count: qd.template(),
):
    _for_pieces(_copy_element, src, dst, src_offsets, dst_offsets, sizes, scratch, count)


# Calls `move(src, from, dst, to)` for each element.
@qd.func(requires_top_level=True)
def _for_pieces(
    move: qd.template(),
    src: qd.template(),
    dst: qd.template(),
    src_offsets: qd.template(),
    dst_offsets: qd.template(),
    sizes: qd.template(),
    scratch: qd.template(),
    count: qd.template(),
):
    pieces = algorithms._count(count)
    dtype = qd.static(qd.i64 if sizes.dtype in algorithms._WORDS8 else qd.i32)
    algorithms._check_scratch(scratch, dtype)
    places = algorithms._Fold(dtype, block._add, 0, write=_write_place)
    start = pieces * qd.static(algorithms._slots(scratch, dtype))
    algorithms._scan(places, sizes, (scratch, dtype), scratch, start, pieces, 4)
    threads = qd.static(2048 * 256)
    qd.loop_config(block_dim=256, name="copy")
    for i in range(qd.min(pieces, 1) * threads):
        total = algorithms._load_fold(scratch, 0, pieces - 1, dtype) + qd.cast(sizes[pieces - 1], dtype)
        # Blocks take tiles of 2048 elements in turn, and a thread one element of each row.
        for base in range(qd.cast(i // 256 * 2048, dtype), total, qd.static(2048 * 2048)):
            at = base + i % 256
            first = 0 * pieces
            last = pieces
            while last - first > 1:
                middle = (first + last) // 2
                if algorithms._load_fold(scratch, 0, middle, dtype) <= at:
                    first = middle
                else:
                    last = middle
            while at < qd.min(base + 2048, total):
                while (
                    first + 1 < pieces
                    and algorithms._load_fold(scratch, 0, qd.min(first + 1, pieces - 1), dtype) <= at
                ):
                    first += 1
                offset = at - algorithms._load_fold(scratch, 0, first, dtype)
                move(src, src_offsets[first] + offset, dst, dst_offsets[first] + offset)
                at += 256


@qd.func
def _write_place(sink: qd.template(), i, value, scanned):
    algorithms._store_fold(sink[0], 0, i, scanned, sink[1])


@qd.func
def _copy_element(src: qd.template(), i, dst: qd.template(), at):
    dst[at] = src[i]


# ---- Gradients --------------------------------------------------------------------------
# derivatives.py says how this function is used.


# Pieces may share elements of `src`.
@qd.func
def _element_back(src: qd.template(), i, dst: qd.template(), at):
    if qd.static(dst.grad is not None):
        if qd.static(src.grad is not None):
            src.grad[i] += dst.grad[at]
        dst.grad[at] = 0


@qd.ad.grad_for(batched_copy)
@qd.func(requires_top_level=True)
def _batched_copy_grad(
    src: qd.template(),
    dst: qd.template(),
    src_offsets: qd.template(),
    dst_offsets: qd.template(),
    sizes: qd.template(),
    scratch: qd.template(),
    count: qd.template(),
):
    _for_pieces(_element_back, src, dst, src_offsets, dst_offsets, sizes, scratch, count)
