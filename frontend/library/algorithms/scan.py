# Scans of arrays, and everything that is a scan with a way of its own to read elements and to use
# the result (select.py, keys.py).
#
# CPUs walk through chunks (chunks.py). Else words with scratch of u32 are scanned in one pass
# (lookback.py). Everything else takes three: each tile's fold goes to `scratch`, one block scans the
# folds, and each tile is scanned again after the fold before it.
import quadrants as qd
from quadrants import algorithms
from quadrants.lang.simt import block

# The greatest number of elements is 2**31 - 1, and 256**4 is more.
_DEEPEST = 4


# ---- Folds of tiles in scratch ----------------------------------------------------------

# Runs of equal keys, and the fold of the last one's values (keys.py).
_PAIR_I64 = qd.types.struct(runs=qd.i32, value=qd.i64)
_PAIR_U64 = qd.types.struct(runs=qd.i32, value=qd.u64)
_PAIR_F64 = qd.types.struct(runs=qd.i32, value=qd.f64)
_PAIRS = (_PAIR_I64, _PAIR_U64, _PAIR_F64)


# How many elements of scratch a fold takes. Scratch of words holds the bits of words; other types
# are in scratch of their own type.
@qd.func
def _slots(scratch: qd.template(), dtype: qd.template()):
    if qd.static(dtype in _PAIRS):
        return 3
    elif qd.static(dtype in algorithms._WORDS8 and scratch.dtype in algorithms._WORDS4):
        return 2
    else:
        return 1


@qd.func
def _store_fold(scratch: qd.template(), start, number, value, dtype: qd.template()):
    slots = qd.static(_slots(scratch, dtype))
    at = start + number * slots
    if qd.static(dtype in _PAIRS):
        scratch[at] = qd.bit_cast(value.runs, scratch.dtype)
        _store_halves(scratch, at + 1, value.value)
    elif qd.static(slots == 2):
        _store_halves(scratch, at, value)
    elif qd.static(dtype in algorithms._WORDS4 or dtype in algorithms._WORDS8):
        scratch[at] = qd.bit_cast(value, scratch.dtype)
    else:
        scratch[at] = value


@qd.func
def _store_halves(scratch: qd.template(), at, value):
    bits = qd.bit_cast(value, qd.u64)
    scratch[at] = qd.bit_cast(qd.cast(bits, qd.u32), scratch.dtype)
    scratch[at + 1] = qd.bit_cast(qd.cast(bits >> qd.u64(32), qd.u32), scratch.dtype)


@qd.func
def _load_fold(scratch: qd.template(), start, number, dtype: qd.template()):
    slots = qd.static(_slots(scratch, dtype))
    at = start + number * slots
    if qd.static(dtype in _PAIRS):
        value = _load_halves(scratch, at + 1)
        return dtype(qd.bit_cast(scratch[at], qd.i32), qd.bit_cast(value, algorithms._value_of(dtype)))
    elif qd.static(slots == 2):
        return qd.bit_cast(_load_halves(scratch, at), dtype)
    elif qd.static(dtype in algorithms._WORDS4 or dtype in algorithms._WORDS8):
        return qd.bit_cast(scratch[at], dtype)
    else:
        return scratch[at]


@qd.func
def _load_halves(scratch: qd.template(), at):
    low = qd.cast(qd.bit_cast(scratch[at], qd.u32), qd.u64)
    return low | (qd.cast(qd.bit_cast(scratch[at + 1], qd.u32), qd.u64) << qd.u64(32))


@qd.func
def _check_scratch(scratch: qd.template(), dtype: qd.template()):
    if qd.static(dtype in algorithms._WORDS4):
        qd.static_assert(scratch.dtype in algorithms._WORDS4, "`scratch` of 4-byte elements is an array of u32")
    elif qd.static(dtype in algorithms._WORDS8):
        qd.static_assert(
            scratch.dtype in algorithms._WORDS4 or scratch.dtype in algorithms._WORDS8,
            "`scratch` of 8-byte elements is an array of u64, or one of u32 of twice the size",
        )


@qd.func
def _check_depth(log256_max_n: qd.template()):
    qd.static_assert(
        1 <= log256_max_n and log256_max_n <= _DEEPEST,
        "`log256_max_n` is 1 to 4: arrays have at most 2**31 - 1 elements, and 256**4 is more",
    )


# ---- The scan ---------------------------------------------------------------------------


@qd.func
def _read_fold(source: qd.template(), i):
    return _load_fold(source[0], source[1], i, source[2])


@qd.func
def _write_fold(sink: qd.template(), i, value, scanned):
    _store_fold(sink[0], sink[1], i, scanned, sink[2])


# The same fold, of the folds that are in scratch.
@qd.func
def _of_folds(fold: qd.template()):
    return algorithms._Fold(fold.dtype, fold.op, fold.start, _read_fold, _write_fold)


# Scans all i below n, in any order. `scratch` has a place for each tile from `start` on. With a `depth`
# of 1 there is a single tile.
@qd.func(requires_top_level=True)
def _scan(
    fold: qd.template(),
    source: qd.template(),
    sink: qd.template(),
    scratch: qd.template(),
    start,
    n,
    depth: qd.template(),
):
    if qd.static(algorithms._walks(fold)):
        algorithms._scan_in_chunks(fold, source, sink, scratch, start, n, depth)
    elif qd.static(depth > 1 and algorithms._can_look_back(scratch, fold.dtype)):
        algorithms._scan_in_one_pass(fold, source, sink, scratch, start, n)
    else:
        _scan_in_three_passes(fold, source, sink, scratch, start, n, depth)


@qd.func(requires_top_level=True)
def _scan_in_three_passes(
    fold: qd.template(),
    source: qd.template(),
    sink: qd.template(),
    scratch: qd.template(),
    start,
    n,
    depth: qd.template(),
):
    items = qd.static(algorithms._items(fold))
    tiles = algorithms._tiles(n, qd.static(algorithms.SCAN_THREADS * items))
    # 1 if there are several tiles. Loops without iterations are not launched.
    several = qd.min(tiles - 1, 1)
    if qd.static(depth > 1):
        _fold_tiles(fold, source, scratch, start, n, several * tiles, items)
        _scan_folds(_of_folds(fold), scratch, start, tiles, several)
    qd.loop_config(block_dim=algorithms.SCAN_THREADS, name="scan_tiles")
    for i in range(tiles * algorithms.SCAN_THREADS):
        tile = algorithms._Tile(fold, items)
        number = i // algorithms.SCAN_THREADS
        base = number * tile.size
        left = n - base
        values = tile.load(source, base, left)
        kept = tile.kept(sink, base, left)
        rows, carries, before, total = tile.scan(values)
        if qd.static(depth > 1):
            if tiles > 1:
                earlier = _load_fold(scratch, start, number, fold.dtype)
                before = fold.join(earlier, before)
                total = fold.join(earlier, total)
        tile.write(sink, values, rows, carries, before, base, left, kept)
        tile.finish(sink, left, total)


@qd.func(requires_top_level=True)
def _fold_tiles(
    fold: qd.template(), source: qd.template(), scratch: qd.template(), start, n, tiles, items: qd.template()
):
    qd.loop_config(block_dim=algorithms.SCAN_THREADS, name="fold_tiles")
    for i in range(tiles * algorithms.SCAN_THREADS):
        tile = algorithms._Tile(fold, items)
        number = i // algorithms.SCAN_THREADS
        base = number * tile.size
        values = tile.load(source, base, n - base)
        rows, carries, before, total = tile.scan(values)
        if block.thread_idx() == 0:
            _store_fold(scratch, start, number, total, fold.dtype)


# One block replaces the folds by what is before each.
@qd.func(requires_top_level=True)
def _scan_folds(fold: qd.template(), scratch: qd.template(), start, tiles, several):
    items = qd.static(algorithms._items(fold))
    qd.loop_config(block_dim=algorithms.SCAN_THREADS, name="scan_folds")
    for i in range(several * algorithms.SCAN_THREADS):
        tile = algorithms._Tile(fold, items)
        _scan_range(tile, (scratch, start, fold.dtype), (scratch, start, fold.dtype), 0, tiles)


# A block scans the elements from `begin` to below `end`, tile by tile.
@qd.func
def _scan_range(tile: qd.template(), source: qd.template(), sink: qd.template(), begin, end):
    earlier = tile.fold.identity()
    for base in range(begin, end, tile.size):
        values = tile.load(source, base, end - base)
        rows, carries, before, total = tile.scan(values)
        tile.write(sink, values, rows, carries, tile.fold.join(earlier, before), base, end - base, None)
        earlier = tile.fold.join(earlier, total)


# ---- Scans of arrays --------------------------------------------------------------------


@qd.func(requires_top_level=True)
def exclusive_scan_add(
    arr: qd.template(),
    out: qd.template(),
    scratch: qd.template(),
    n: qd.template(),
    dtype: qd.template(),
    log256_max_n: qd.template(),
):
    exclusive_scan(arr, out, scratch, n, dtype, block._add, 0, log256_max_n)


@qd.func(requires_top_level=True)
def exclusive_scan_min(
    arr: qd.template(),
    out: qd.template(),
    scratch: qd.template(),
    n: qd.template(),
    dtype: qd.template(),
    log256_max_n: qd.template(),
):
    exclusive_scan(arr, out, scratch, n, dtype, block._min, algorithms._greatest(dtype), log256_max_n)


@qd.func(requires_top_level=True)
def exclusive_scan_max(
    arr: qd.template(),
    out: qd.template(),
    scratch: qd.template(),
    n: qd.template(),
    dtype: qd.template(),
    log256_max_n: qd.template(),
):
    exclusive_scan(arr, out, scratch, n, dtype, block._max, algorithms._least(dtype), log256_max_n)


@qd.func(requires_top_level=True)
def exclusive_scan(
    arr: qd.template(),
    out: qd.template(),
    scratch: qd.template(),
    n: qd.template(),
    dtype: qd.template(),
    op: qd.template(),
    identity: qd.template(),
    log256_max_n: qd.template() = 4,
):
    _scan_array(arr, out, scratch, n, dtype, op, identity, False, log256_max_n)


@qd.func(requires_top_level=True)
def inclusive_scan(
    arr: qd.template(),
    out: qd.template(),
    scratch: qd.template(),
    n: qd.template(),
    dtype: qd.template(),
    op: qd.template(),
    identity: qd.template(),
    log256_max_n: qd.template() = 4,
):
    _scan_array(arr, out, scratch, n, dtype, op, identity, True, log256_max_n)


@qd.func(requires_top_level=True)
def _scan_array(
    arr: qd.template(),
    out: qd.template(),
    scratch: qd.template(),
    n: qd.template(),
    dtype: qd.template(),
    op: qd.template(),
    identity: qd.template(),
    inclusive: qd.template(),
    depth: qd.template(),
):
    if qd.static(algorithms._is_sum(dtype, op)):
        _scan_sums(arr, out, scratch, n, dtype, op, identity, inclusive, depth)
    elif qd.static(dtype in algorithms._SCALARS):
        _scan_others(arr, out, scratch, n, dtype, op, identity, inclusive, depth)
    else:
        _scan_elements(arr, out, scratch, n, dtype, op, identity, inclusive, depth)


@qd.func(requires_top_level=True)
def _scan_elements(
    arr: qd.template(),
    out: qd.template(),
    scratch: qd.template(),
    n: qd.template(),
    dtype: qd.template(),
    op: qd.template(),
    identity: qd.template(),
    inclusive: qd.template(),
    depth: qd.template(),
):
    fold = algorithms._Fold(dtype, op, identity, inclusive=inclusive)
    _check_scratch(scratch, dtype)
    _check_depth(depth)
    count = algorithms._count(n)
    _scan(fold, arr, out, scratch, 0, count, depth)


# ---- Derivatives ------------------------------------------------------------------------
# derivatives.py says how these functions are used.


@qd.func(requires_top_level=True)
def _scan_sums(
    arr: qd.template(),
    out: qd.template(),
    scratch: qd.template(),
    n: qd.template(),
    dtype: qd.template(),
    op: qd.template(),
    identity: qd.template(),
    inclusive: qd.template(),
    depth: qd.template(),
):
    _scan_elements(arr, out, scratch, n, dtype, op, identity, inclusive, depth)


# source: (out.grad, n)
@qd.func
def _read_from_end(source: qd.template(), i):
    return source[0][source[1] - 1 - i]


# sink: (arr.grad, out.grad, n)
@qd.func
def _add_from_end(sink: qd.template(), i, value, scanned):
    at = sink[2] - 1 - i
    sink[0][at] = sink[0][at] + scanned


# The two may be one array, in three passes.
@qd.func
def _replace_from_end(sink: qd.template(), i, value, scanned):
    at = sink[2] - 1 - i
    sink[1][at] = 0
    sink[0][at] = sink[0][at] + scanned


# An element is in the sums from its place on, so its gradient is a sum from the end.
@qd.ad.grad_for(_scan_sums)
@qd.func(requires_top_level=True)
def _scan_sums_grad(
    arr: qd.template(),
    out: qd.template(),
    scratch: qd.template(),
    n: qd.template(),
    dtype: qd.template(),
    op: qd.template(),
    identity: qd.template(),
    inclusive: qd.template(),
    depth: qd.template(),
):
    count = algorithms._count(n)
    if qd.static(algorithms._reach(arr.grad, out.grad, dtype)):
        source = (out.grad, count)
        sink = (arr.grad, out.grad, count)
        if qd.static(depth > 1 and algorithms._can_look_back(scratch, dtype)):
            fold = algorithms._Fold(dtype, op, identity, _read_from_end, _add_from_end, inclusive)
            _scan(fold, source, sink, scratch, 0, count, depth)
            algorithms._clear_derivative(out.grad, count)
        else:
            fold = algorithms._Fold(dtype, op, identity, _read_from_end, _replace_from_end, inclusive)
            _scan(fold, source, sink, scratch, 0, count, depth)
    else:
        algorithms._clear_derivative(out.grad, count)


@qd.ad.dual_for(_scan_sums)
@qd.func(requires_top_level=True)
def _scan_sums_dual(
    arr: qd.template(),
    out: qd.template(),
    scratch: qd.template(),
    n: qd.template(),
    dtype: qd.template(),
    op: qd.template(),
    identity: qd.template(),
    inclusive: qd.template(),
    depth: qd.template(),
):
    if qd.static(algorithms._reach(arr.dual, out.dual, dtype)):
        _scan_elements(arr.dual, out.dual, scratch, n, dtype, op, identity, inclusive, depth)
    else:
        algorithms._clear_derivative(out.dual, algorithms._count(n))


@qd.func(requires_top_level=True)
def _scan_others(
    arr: qd.template(),
    out: qd.template(),
    scratch: qd.template(),
    n: qd.template(),
    dtype: qd.template(),
    op: qd.template(),
    identity: qd.template(),
    inclusive: qd.template(),
    depth: qd.template(),
):
    _scan_elements(arr, out, scratch, n, dtype, op, identity, inclusive, depth)


@qd.ad.grad_for(_scan_others)
@qd.func(requires_top_level=True)
def _scan_others_grad(
    arr: qd.template(),
    out: qd.template(),
    scratch: qd.template(),
    n: qd.template(),
    dtype: qd.template(),
    op: qd.template(),
    identity: qd.template(),
    inclusive: qd.template(),
    depth: qd.template(),
):
    qd.static_assert(
        not algorithms._reach(arr.grad, out.grad, dtype),
        "only scans by sums have a gradient: `exclusive_scan_add`, and others by `qd.add`",
    )
    algorithms._clear_derivative(out.grad, algorithms._count(n))
