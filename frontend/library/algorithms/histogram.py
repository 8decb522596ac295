# Histograms. Blocks count in shared memory where the bins fit, and add that to the result.
import quadrants as qd
from quadrants import algorithms
from quadrants.lang.simt import block, subgroup

_SHARED_BINS = 4096
_COUNTERS = 512
_ITEMS = 8


# Counts `bin_of(source, x)` of all elements; -1 is not a bin.
@qd.func(requires_top_level=True)
def _histogram(
    arr: qd.template(),
    hist: qd.template(),
    n,
    bins: qd.template(),
    bin_of: qd.template(),
    source: qd.template(),
):
    qd.static_assert(bins >= 1, "`bins` is 1 at least")
    threads = qd.static(algorithms.SCAN_THREADS)
    tile = qd.static(threads * _ITEMS)
    tiles = algorithms._tiles(n, tile)
    blocks = qd.min(tiles, _COUNTERS)
    for i in range(bins):
        hist[i] = 0
    qd.loop_config(block_dim=threads, name="count_bins")
    for i in range(blocks * threads):
        tid = block.thread_idx()
        if qd.static(bins <= _SHARED_BINS):
            own = block.SharedArray((bins,), qd.u32)
            for b in range(tid, bins, threads):
                own[b] = 0
            block.sync()
            _count_tiles(arr, own, i // threads, tiles, blocks, n, bin_of, source)
            block.sync()
            for b in range(tid, bins, threads):
                if own[b] != 0:
                    qd.atomic_add(hist[b], qd.cast(own[b], hist.dtype))
        else:
            _count_tiles(arr, hist, i // threads, tiles, blocks, n, bin_of, source)


# Counts the elements of every `blocks`-th tile from tile `number` on. A range with a step that is not
# known would divide to know its length.
@qd.func
def _count_tiles(
    arr: qd.template(),
    counts: qd.template(),
    number,
    tiles,
    blocks,
    n,
    bin_of: qd.template(),
    source: qd.template(),
):
    each = number
    while each < tiles:
        _count_tile(arr, counts, each * qd.static(algorithms.SCAN_THREADS * _ITEMS), n, bin_of, source)
        each += blocks


# Counts the elements of a tile. Of a whole one, all are loaded before the first is counted.
@qd.func
def _count_tile(arr: qd.template(), counts: qd.template(), base, n, bin_of: qd.template(), source: qd.template()):
    wave = qd.static(subgroup.group_size())
    first = algorithms._first(_ITEMS)
    tile = qd.static(algorithms.SCAN_THREADS * _ITEMS)
    left = algorithms._left(n, base, tile)
    if left >= tile:
        loaded = [arr[base + first + k * wave] for k in qd.static(range(_ITEMS))]
        for k in qd.static(range(_ITEMS)):
            _count_element(loaded[k], counts, bin_of, source)
    else:
        for k in range(_ITEMS):
            if first + k * wave < left:
                _count_element(arr[base + first + k * wave], counts, bin_of, source)


@qd.func
def _count_element(x, counts: qd.template(), bin_of: qd.template(), source: qd.template()):
    b = bin_of(source, x)
    if b >= 0:
        qd.atomic_add(counts[b], qd.cast(1, counts.dtype))


# source: (lower, upper, bins)
@qd.func
def _even_bin(source: qd.template(), x):
    lower = source[0]
    upper = source[1]
    if qd.static(algorithms._dtype(x) in algorithms._REALS):
        # Without a branch: the one who counts has one.
        b = qd.min(qd.cast((x - lower) * (source[2] / (upper - lower)), qd.i32), source[2] - 1)
        return qd.select(x >= lower and x < upper, b, -1)
    else:
        b = -1
        if x >= lower and x < upper:
            b = qd.cast((qd.cast(x, qd.i64) - lower) * source[2] // (qd.cast(upper, qd.i64) - lower), qd.i32)
            b = qd.min(b, source[2] - 1)
        return b


# source: (levels, bins). The last level that is not above x.
@qd.func
def _range_bin(source: qd.template(), x):
    levels = source[0]
    b = -1
    if x >= levels[0] and x < levels[source[1]]:
        first = 0
        last = qd.cast(source[1], qd.i32)
        while last - first > 1:
            middle = (first + last) // 2
            if levels[middle] <= x:
                first = middle
            else:
                last = middle
        b = first
    return b


@qd.func(requires_top_level=True)
def histogram_even(
    arr: qd.template(),
    hist: qd.template(),
    n: qd.template(),
    bins: qd.template(),
    lower: qd.template(),
    upper: qd.template(),
):
    _histogram(arr, hist, algorithms._count(n), bins, _even_bin, (lower, upper, bins))


@qd.func(requires_top_level=True)
def histogram_range(
    arr: qd.template(), hist: qd.template(), levels: qd.template(), n: qd.template(), bins: qd.template()
):
    _histogram(arr, hist, algorithms._count(n), bins, _range_bin, (levels, bins))
