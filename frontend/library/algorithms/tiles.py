# How the algorithms cut an array: into tiles, one for each block. A subgroup owns a run of the tile,
# row by row of one element a lane. So lanes read neighbours, whatever the subgroup's size, and an
# element's place in the array is its place in (subgroup, row, lane).
#
# On AMD, reductions and scans have rows of 16 bytes a lane (`_width`): one instruction loads or stores
# them, and only their fold takes part in the scan of the row. An element's place in the array then is
# its place in (subgroup, row, lane, element).
#
# Elements of 4 and 8 bytes move between lanes by shuffles, and a thread has several of them. All
# other types, structs too, move through shared memory, and a thread has one of them.
#
# Operators are functions of (earlier, later). They must be associative, but need not commute. An
# operator's identity is what leaves every value unchanged. In here, an operator is a tuple: the
# function, and what it gets before the two values, if anything (`_apply`).
import quadrants as qd
from quadrants import algorithms
from quadrants.lang.simt import block, subgroup

# Builds may set these, and tune them.
SCAN_THREADS = 256  # threads of a block in all algorithms but sorts: 128, 256 or 512
# How many elements a thread has in reductions and scans, 8 or more. 0: by their type.
SCAN_ITEMS = 0
SCAN_BLOCKS = 0  # blocks that registers are to leave room for on a multiprocessor; 0: as they come
# True: blocks begin in the order of their numbers, as they do on NVIDIA's GPUs, so that tiles have the
# numbers of their blocks. False: blocks draw the numbers of tiles, as they begin. The results are right
# with both, whatever the order is.
IN_ORDER = qd.cfg.arch == qd.cuda
_WORDS4 = (qd.i32, qd.u32, qd.f32)
_WORDS8 = (qd.i64, qd.u64, qd.f64)
_INTEGERS = (qd.i32, qd.u32, qd.i64, qd.u64)
_REALS = (qd.f16, qd.bf16, qd.f32, qd.f64)
_SCALARS = (qd.u1, qd.i8, qd.u8, qd.i16, qd.u16, qd.i32, qd.u32, qd.i64, qd.u64, qd.f16, qd.bf16, qd.f32, qd.f64)


# ---- Sizes ------------------------------------------------------------------------------


# True if an array has scalars of one of these types.
@qd.func
def _is_word(array: qd.template(), types: qd.template()):
    return algorithms._is_scalar(array) and array.dtype in types


# How many elements of a tile a thread has: fewer where it keeps something else for each (`_kept`), so
# that registers leave room for four blocks on NVIDIA's multiprocessors.
@qd.func
def _items(dtype: qd.template(), keep: qd.template() = None):
    if qd.static(algorithms.SCAN_ITEMS != 0 and (dtype in _WORDS4 or dtype in _WORDS8)):
        return algorithms.SCAN_ITEMS
    elif qd.static(dtype in _WORDS4):
        return 16 if qd.static(keep is None) else 12
    elif qd.static(dtype in _WORDS8):
        return 8
    else:
        return 1


# The number of tiles that hold n elements. It does not overflow where n is the greatest of its type.
@qd.func
def _tiles(n, tile: qd.template()):
    return (n - 1) // tile + 1


# A count as a number: of an array without dimensions, its element. Unsigned ones become signed, so
# that `n - 1` is -1 where there is nothing.
@qd.func
def _count(n: qd.template()):
    number = algorithms._number(n)
    if qd.static(algorithms._dtype(number) in (qd.i64, qd.u32, qd.u64)):
        return qd.cast(number, qd.i64)
    else:
        return qd.cast(number, qd.i32)


# The counts in the halves of a word, where two are scanned at once.
@qd.func
def _lower(counts):
    return qd.cast(counts & qd.u64(0xFFFFFFFF), qd.i32)


@qd.func
def _upper(counts):
    return qd.cast(counts >> qd.u64(32), qd.i32)


# A count below 2**32 that was kept in 32 bits, as a number of the type of `n`.
@qd.func
def _widened(word, n):
    if qd.static(algorithms._dtype(n) == qd.i64):
        return qd.cast(qd.bit_cast(word, qd.u32), qd.i64)
    else:
        return qd.bit_cast(word, qd.i32)


# How many of a tile's elements there are, where it begins at `base` of n elements, as an i32: if all,
# any number from `tile` on.
@qd.func
def _left(n, base, tile: qd.template()):
    if qd.static(algorithms._dtype(n) == qd.i64):
        return qd.cast(qd.min(n - base, tile), qd.i32)
    else:
        return n - base


# ---- Operators and identities -----------------------------------------------------------


@qd.func
def _apply(op: qd.template(), a, b):
    if qd.static(len(op) == 1):
        return op[0](a, b)
    else:
        return op[0](op[1], a, b)


@qd.func
def _typed(value: qd.template(), dtype: qd.template()):
    if qd.static(dtype in _SCALARS):
        return qd.cast(value, dtype)
    else:
        return value


# The value that `min` and `max` begin with.
@qd.func
def _greatest(dtype: qd.template()):
    if qd.static(dtype in _REALS):
        return qd.cast(qd.math.inf, dtype)
    elif qd.static(dtype == qd.i32):
        return qd.i32(0x7FFFFFFF)
    elif qd.static(dtype == qd.u32):
        return qd.u32(0xFFFFFFFF)
    elif qd.static(dtype == qd.i64):
        return qd.i64(0x7FFFFFFFFFFFFFFF)
    elif qd.static(dtype == qd.u64):
        return qd.u64(0xFFFFFFFFFFFFFFFF)
    else:
        return _greatest_narrow(dtype)


@qd.func
def _greatest_narrow(dtype: qd.template()):
    qd.static_assert(dtype in _SCALARS, "`dtype` has to be a scalar type: minima and maxima order numbers")
    if qd.static(dtype == qd.i8):
        return qd.i8(127)
    elif qd.static(dtype == qd.u8):
        return qd.u8(255)
    elif qd.static(dtype == qd.i16):
        return qd.i16(32767)
    elif qd.static(dtype == qd.u16):
        return qd.u16(65535)
    else:
        return qd.u1(1)


@qd.func
def _least(dtype: qd.template()):
    if qd.static(dtype in _REALS):
        return qd.cast(-qd.math.inf, dtype)
    else:
        return ~_greatest(dtype) if qd.static(dtype != qd.u1) else qd.u1(0)


# ---- Loads ------------------------------------------------------------------------------


# How many neighbours a lane has in a row, where a thread has so many elements.
@qd.func
def _width(dtype: qd.template(), items: qd.template()):
    if qd.static(qd.cfg.arch != qd.amdgpu):
        return 1
    elif qd.static(dtype in _WORDS4 and items % 4 == 0):
        return 4
    elif qd.static(dtype in _WORDS8 and items % 2 == 0):
        return 2
    else:
        return 1


# The place in the tile of the thread's first element.
@qd.func
def _first(items: qd.template(), width: qd.template() = 1):
    wave = qd.static(subgroup.group_size())
    if qd.static(items == 1):
        return block.thread_idx()
    else:
        return block.thread_idx() // wave * (wave * items) + subgroup.invocation_id() * width


# How far from there its element k lies.
@qd.func
def _step(k: qd.template(), width: qd.template()):
    return qd.static(k // width * subgroup.group_size() * width + k % width)


# The thread's elements of a tile of so many threads, `read(source, i)` each. Past the end, where `left`
# elements are left from `base` on, they are the identity.
@qd.func
def _load(
    read: qd.template(),
    source: qd.template(),
    base,
    left,
    identity: qd.template(),
    dtype: qd.template(),
    items: qd.template(),
    threads: qd.template() = SCAN_THREADS,
    width: qd.template() = 1,
):
    first = _first(items, width)
    if qd.static(items == 1):
        value = _typed(identity, dtype)
        if first < left:
            value = read(source, base + first)
        return [value]
    else:
        values = qd.Vector([_typed(identity, dtype) for _ in qd.static(range(items))])
        if left >= threads * items:
            for k in qd.static(range(items)):
                values[k] = read(source, base + first + _step(k, width))
        else:
            for k in qd.static(range(items)):
                if first < left - _step(k, width):
                    values[k] = read(source, base + first + _step(k, width))
        return values


# The elements that a reduction or a scan folds.
@qd.func
def _load_rows(
    read: qd.template(),
    source: qd.template(),
    base,
    left,
    identity: qd.template(),
    dtype: qd.template(),
    items: qd.template(),
):
    return _load(read, source, base, left, identity, dtype, items, SCAN_THREADS, _width(dtype, items))


# ---- Scans ------------------------------------------------------------------------------


# Where values that lanes cannot exchange go from thread to thread.
@qd.func
def _staging(dtype: qd.template()):
    if qd.static(dtype in _WORDS4 or dtype in _WORDS8):
        return None
    else:
        return block.SharedArray((SCAN_THREADS,), dtype)


# The fold of a row up to this lane.
@qd.func
def _row_scan(value, op: qd.template(), staging: qd.template()):
    if qd.static(staging is not None):
        tid = block.thread_idx()
        lane = subgroup.invocation_id()
        result = value
        for k in qd.static(range(subgroup.log2_group_size())):
            staging[tid] = result
            subgroup.sync()
            if lane >= 1 << k:
                result = _apply(op, staging[tid - (1 << k)], result)
            subgroup.sync()
        return result
    elif qd.static(op[0] == block._add):
        return subgroup.inclusive_add(value)
    elif qd.static(op[0] == block._min):
        return subgroup.inclusive_min(value)
    elif qd.static(op[0] == block._max):
        return subgroup.inclusive_max(value)
    else:
        result = value
        for k in qd.static(range(subgroup.log2_group_size())):
            partner = subgroup._scan_partner(result, k)
            result = qd.select(subgroup._has_scan_partner(k), _apply(op, partner, result), result)
        return result


# The part of a scanned row before this lane; `before_row` in lane 0.
@qd.func
def _row_before(value, scanned, before_row, op: qd.template(), dtype: qd.template(), staging: qd.template()):
    if qd.static(staging is not None):
        tid = block.thread_idx()
        result = before_row
        staging[tid] = scanned
        subgroup.sync()
        if subgroup.invocation_id() > 0:
            result = _apply(op, before_row, staging[tid - 1])
        subgroup.sync()
        return result
    elif qd.static(op[0] == block._add and dtype in _INTEGERS):
        return before_row + (scanned - value)
    else:
        shifted = subgroup.shuffle_up(scanned, qd.u32(1))
        return qd.select(subgroup.invocation_id() == 0, before_row, _apply(op, before_row, shifted))


# Scans a tile. Returns each row's own scan, or, where lanes have several elements of a row, of each row
# what is before this lane; for each row, the fold of the subgroup's rows before it; the fold of the
# subgroups before this one; and the fold of the tile, in all threads.
@qd.func
def _scan_rows(
    values,
    op: qd.template(),
    identity: qd.template(),
    dtype: qd.template(),
    items: qd.template(),
    staging: qd.template(),
):
    wave = qd.static(subgroup.group_size())
    width = qd.static(_width(dtype, items))
    if qd.static(items == 1):
        rows = [_row_scan(values[0], op, staging)]
        carries = [_typed(identity, dtype)]
        before, total = _fold_subgroups(rows[0], op, identity, dtype)
        return rows, carries, before, total
    else:
        count = qd.static(items // width)
        folds = qd.Vector([_fold_lane(values, k * width, op, width) for k in qd.static(range(count))])
        rows = qd.Vector([_row_scan(folds[k], op, staging) for k in qd.static(range(count))])
        totals = qd.Vector([subgroup.broadcast(rows[k], qd.u32(wave - 1)) for k in qd.static(range(count))])
        carries = qd.Vector([_typed(identity, dtype) for _ in qd.static(range(count))])
        carries[1] = totals[0]
        for k in qd.static(range(2, count)):
            carries[k] = _apply(op, carries[k - 1], totals[k - 1])
        if qd.static(width > 1):
            for k in qd.static(range(count)):
                rows[k] = _row_before(folds[k], rows[k], _typed(identity, dtype), op, dtype, staging)
        before, total = _fold_subgroups(_apply(op, carries[count - 1], totals[count - 1]), op, identity, dtype)
        return rows, carries, before, total


# The fold of the thread's elements of a row, the first of which is `start`.
@qd.func
def _fold_lane(values, start: qd.template(), op: qd.template(), width: qd.template()):
    result = values[start]
    for k in qd.static(range(1, width)):
        result = _apply(op, result, values[start + k])
    return result


# The fold of the aggregates of earlier subgroups, and of all. `aggregate` is the subgroup's, in its
# last lane.
@qd.func
def _fold_subgroups(aggregate, op: qd.template(), identity: qd.template(), dtype: qd.template()):
    wave = qd.static(subgroup.group_size())
    count = qd.static(SCAN_THREADS // subgroup.group_size())
    sums = block.SharedArray((count,), dtype)
    mine = block.thread_idx() // wave
    if subgroup.invocation_id() == wave - 1:
        sums[mine] = aggregate
    block.sync()
    before = _typed(identity, dtype)
    total = sums[0]
    if qd.static(count <= block._UNROLLED):
        for s in qd.static(range(1, count)):
            if s == mine:
                before = total
            total = _apply(op, total, sums[s])
    else:
        for s in range(1, count):
            if s == mine:
                before = total
            total = _apply(op, total, sums[s])
    block._before_reuse()
    return before, total


# The values that writing needs besides, `keep(sink, i)` for each of the thread's elements: loaded
# early, so that nobody waits for them after the scan. Past the end there is anything.
@qd.func
def _kept(keep: qd.template(), sink: qd.template(), base, left, dtype: qd.template(), items: qd.template()):
    width = qd.static(_width(dtype, items))
    first = _first(items, width)
    if qd.static(keep is None):
        return None
    else:
        last = base + qd.min(left, SCAN_THREADS * items) - 1
        return [keep(sink, qd.min(base + first + _step(k, width), last)) for k in qd.static(range(items))]


# Calls `write(sink, i, value, scanned)` for each of the thread's elements, with what was kept for it,
# if anything was. `scanned` is the fold of `before_tile` and of all elements of the tile before this
# one; with `inclusive`, of this one too.
@qd.func
def _write_rows(
    write: qd.template(),
    sink: qd.template(),
    values,
    rows,
    carries,
    before_subgroup,
    base,
    left,
    op: qd.template(),
    dtype: qd.template(),
    items: qd.template(),
    inclusive: qd.template(),
    staging: qd.template(),
    kept: qd.template() = None,
):
    wave = qd.static(subgroup.group_size())
    width = qd.static(_width(dtype, items))
    first = _first(items, width)
    if qd.static(qd.cfg.arch == qd.amdgpu and items > 1):
        # Whole tiles need no test for each element: there it takes five instructions.
        results = _scanned(values, rows, carries, before_subgroup, op, dtype, items, inclusive)
        if left >= SCAN_THREADS * items:
            for k in qd.static(range(items)):
                _write_one(write, sink, base + first + _step(k, width), values[k], results[k], kept, k)
        else:
            for k in qd.static(range(items)):
                if first < left - _step(k, width):
                    _write_one(write, sink, base + first + _step(k, width), values[k], results[k], kept, k)
    else:
        for k in qd.static(range(items)):
            before_row = before_subgroup
            if qd.static(k > 0):
                before_row = _apply(op, before_subgroup, carries[k])
            scanned = before_row
            if qd.static(inclusive):
                scanned = _apply(op, before_row, rows[k])
            else:
                scanned = _row_before(values[k], rows[k], before_row, op, dtype, staging)
            if first + k * wave < left:
                _write_one(write, sink, base + first + k * wave, values[k], scanned, kept, k)


# The values that `_write_rows` calls `scanned`, for each of the thread's elements, where it has several.
@qd.func
def _scanned(
    values,
    rows,
    carries,
    before_subgroup,
    op: qd.template(),
    dtype: qd.template(),
    items: qd.template(),
    inclusive: qd.template(),
):
    width = qd.static(_width(dtype, items))
    results = values
    for k in qd.static(range(items)):
        if qd.static(k % width == 0):
            before = before_subgroup
            if qd.static(k > 0):
                before = _apply(op, before_subgroup, carries[k // width])
            if qd.static(width > 1 and inclusive):
                results[k] = _apply(op, _apply(op, before, rows[k // width]), values[k])
            elif qd.static(width > 1 or inclusive):
                results[k] = _apply(op, before, rows[k // width])
            else:
                results[k] = _row_before(values[k], rows[k], before, op, dtype, None)
        elif qd.static(inclusive):
            results[k] = _apply(op, results[k - 1], values[k])
        else:
            results[k] = _apply(op, results[k - 1], values[k - 1])
    return results


@qd.func
def _write_one(
    write: qd.template(), sink: qd.template(), i, value, scanned, kept: qd.template(), k: qd.template()
):
    if qd.static(kept is None):
        write(sink, i, value, scanned)
    else:
        write(sink, i, value, scanned, kept[k])
