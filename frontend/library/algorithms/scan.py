# Scans of arrays, and everything that is a scan with a way of its own to read elements and to use
# the result (select.py, keys.py).
#
# CPUs walk through chunks (chunks.py). Else words with scratch of u32 are scanned in one pass
# (lookback.py). Everything else takes three: each
# tile's fold goes to `scratch`, one block scans the folds, and each tile is scanned again after the
# fold before it.
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


# Calls `write(sink, i, value, scanned)` for all i below n, in any order, with `read(source, i)` as
# the value and the fold of all earlier values, with `inclusive` of this one too. `scratch` has a
# place for each tile from `start` on. With a `depth` of 1 there is a single tile. What `keep(sink, i)`
# yields is loaded early, and `write` gets it last. With `keep`, one thread calls `finish(sink, total)`
# with the fold of all values; if n is 0, nobody does.
@qd.func(requires_top_level=True)
def _scan(
    read: qd.template(),
    source: qd.template(),
    write: qd.template(),
    sink: qd.template(),
    scratch: qd.template(),
    start,
    n,
    dtype: qd.template(),
    op: qd.template(),
    identity: qd.template(),
    inclusive: qd.template(),
    depth: qd.template(),
    keep: qd.template() = None,
    finish: qd.template() = None,
):
    if qd.static(algorithms._walks(dtype, keep)):
        algorithms._scan_in_chunks(
            read, source, write, sink, scratch, start, n, dtype, op, identity, inclusive, depth
        )
    elif qd.static(depth > 1 and algorithms._can_look_back(scratch, dtype)):
        algorithms._scan_in_one_pass(
            read, source, write, sink, scratch, start, n, dtype, op, identity, inclusive, keep, finish
        )
    else:
        _scan_in_three_passes(
            read, source, write, sink, scratch, start, n, dtype, op, identity, inclusive, depth, keep, finish
        )


@qd.func(requires_top_level=True)
def _scan_in_three_passes(
    read: qd.template(),
    source: qd.template(),
    write: qd.template(),
    sink: qd.template(),
    scratch: qd.template(),
    start,
    n,
    dtype: qd.template(),
    op: qd.template(),
    identity: qd.template(),
    inclusive: qd.template(),
    depth: qd.template(),
    keep: qd.template(),
    finish: qd.template(),
):
    items = qd.static(algorithms._items(dtype, keep))
    tile = qd.static(algorithms.SCAN_THREADS * items)
    tiles = algorithms._tiles(n, tile)
    # 1 if there are several tiles. Loops without iterations are not launched.
    several = qd.min(tiles - 1, 1)
    if qd.static(depth > 1):
        _fold_tiles(read, source, scratch, start, n, several * tiles, dtype, op, identity, items)
        _scan_folds(scratch, start, tiles, several, dtype, op, identity)
    qd.loop_config(block_dim=algorithms.SCAN_THREADS, name="scan_tiles")
    for i in range(tiles * algorithms.SCAN_THREADS):
        staging = algorithms._staging(dtype)
        number = i // algorithms.SCAN_THREADS
        base = number * tile
        left = n - base
        values = algorithms._load_rows(read, source, base, left, identity, dtype, items)
        kept = algorithms._kept(keep, sink, base, left, dtype, items)
        rows, carries, before, total = algorithms._scan_rows(values, op, identity, dtype, items, staging)
        if qd.static(depth > 1):
            if tiles > 1:
                earlier = _load_fold(scratch, start, number, dtype)
                before = algorithms._apply(op, earlier, before)
                total = algorithms._apply(op, earlier, total)
        algorithms._write_rows(
            write, sink, values, rows, carries, before, base, left, op, dtype, items, inclusive, staging, kept
        )
        _finish(finish, sink, left, tile, total)


# Tells the fold of all values, after the last tile's.
@qd.func
def _finish(finish: qd.template(), sink: qd.template(), left, tile: qd.template(), total):
    if qd.static(finish is not None):
        if left <= tile and block.thread_idx() == 0:
            finish(sink, total)


@qd.func(requires_top_level=True)
def _fold_tiles(
    read: qd.template(),
    source: qd.template(),
    scratch: qd.template(),
    start,
    n,
    tiles,
    dtype: qd.template(),
    op: qd.template(),
    identity: qd.template(),
    items: qd.template(),
):
    tile = qd.static(algorithms.SCAN_THREADS * items)
    qd.loop_config(block_dim=algorithms.SCAN_THREADS, name="fold_tiles")
    for i in range(tiles * algorithms.SCAN_THREADS):
        staging = algorithms._staging(dtype)
        number = i // algorithms.SCAN_THREADS
        base = number * tile
        values = algorithms._load_rows(read, source, base, n - base, identity, dtype, items)
        rows, carries, before, total = algorithms._scan_rows(values, op, identity, dtype, items, staging)
        if block.thread_idx() == 0:
            _store_fold(scratch, start, number, total, dtype)


# One block replaces the folds by what is before each.
@qd.func(requires_top_level=True)
def _scan_folds(
    scratch: qd.template(),
    start,
    tiles,
    several,
    dtype: qd.template(),
    op: qd.template(),
    identity: qd.template(),
):
    items = qd.static(algorithms._items(dtype))
    tile = qd.static(algorithms.SCAN_THREADS * items)
    qd.loop_config(block_dim=algorithms.SCAN_THREADS, name="scan_folds")
    for i in range(several * algorithms.SCAN_THREADS):
        staging = algorithms._staging(dtype)
        earlier = algorithms._typed(identity, dtype)
        for base in range(0, tiles, tile):
            values = algorithms._load_rows(
                _read_fold, (scratch, start, dtype), base, tiles - base, identity, dtype, items
            )
            rows, carries, before, total = algorithms._scan_rows(values, op, identity, dtype, items, staging)
            algorithms._write_rows(
                _write_fold,
                (scratch, start, dtype),
                values,
                rows,
                carries,
                algorithms._apply(op, earlier, before),
                base,
                tiles - base,
                op,
                dtype,
                items,
                False,
                staging,
            )
            earlier = algorithms._apply(op, earlier, total)


# ---- Scans of arrays --------------------------------------------------------------------


@qd.func
def _read_element(source: qd.template(), i):
    return source[i]


@qd.func
def _write_scanned(sink: qd.template(), i, value, scanned):
    sink[i] = scanned


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
    _check_scratch(scratch, dtype)
    _check_depth(log256_max_n)
    count = algorithms._count(n)
    _scan(
        _read_element, arr, _write_scanned, out, scratch, 0, count, dtype, (op,), identity, False, log256_max_n
    )


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
    _check_scratch(scratch, dtype)
    _check_depth(log256_max_n)
    count = algorithms._count(n)
    _scan(
        _read_element, arr, _write_scanned, out, scratch, 0, count, dtype, (op,), identity, True, log256_max_n
    )
