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
_REALS = (qd.f8e4m3, qd.f8e5m2, qd.f16, qd.bf16, qd.f32, qd.f64)
_SCALARS = (qd.u1, qd.i8, qd.u8, qd.i16, qd.u16, qd.i32, qd.u32, qd.i64, qd.u64,
            qd.f8e4m3, qd.f8e5m2, qd.f16, qd.bf16, qd.f32, qd.f64)


# ---- Sizes ------------------------------------------------------------------------------


# True if an array has scalars of one of these types.
@qd.func
def _is_word(array: qd.template(), types: qd.template()):
    return algorithms._is_scalar(array) and array.dtype in types


# How many elements of a tile a thread has: fewer where it keeps something else for each (`keep`), so
# that registers leave room for four blocks on NVIDIA's multiprocessors.
@qd.func
def _items(fold: qd.template()):
    if qd.static(algorithms.SCAN_ITEMS != 0 and (fold.dtype in _WORDS4 or fold.dtype in _WORDS8)):
        return algorithms.SCAN_ITEMS
    elif qd.static(fold.dtype in _WORDS4):
        return 16 if qd.static(fold.keep is None) else 12
    elif qd.static(fold.dtype in _WORDS8):
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


# The thread's elements of a tile of so many threads. Past the end, where `left` elements are left from
# `base` on, they are the identity.
@qd.func
def _load(
    fold: qd.template(),
    source: qd.template(),
    base,
    left,
    items: qd.template(),
    threads: qd.template(),
    width: qd.template() = 1,
):
    first = _first(items, width)
    read = qd.static(fold.read)
    if qd.static(items == 1):
        value = fold.identity()
        if first < left:
            value = read(source, base + first)
        return [value]
    else:
        values = qd.Vector([fold.identity() for _ in qd.static(range(items))])
        if left >= threads * items:
            for k in qd.static(range(items)):
                values[k] = read(source, base + first + _step(k, width))
        else:
            for k in qd.static(range(items)):
                step = qd.static(_step(k, width))
                if first < left - step:
                    values[k] = read(source, base + first + step)
        return values


# ---- Folds of rows ----------------------------------------------------------------------


# The fold of a row up to this lane.
@qd.func
def _row_scan(fold: qd.template(), value, staging: qd.template()):
    if qd.static(staging is not None):
        tid = block.thread_idx()
        lane = subgroup.invocation_id()
        result = value
        for k in qd.static(range(subgroup.log2_group_size())):
            staging[tid] = result
            subgroup.sync()
            if lane >= 1 << k:
                result = fold.join(staging[tid - (1 << k)], result)
            subgroup.sync()
        return result
    elif qd.static(fold.op == block._add):
        return subgroup.inclusive_add(value)
    elif qd.static(fold.op == block._min):
        return subgroup.inclusive_min(value)
    elif qd.static(fold.op == block._max):
        return subgroup.inclusive_max(value)
    else:
        result = value
        for k in qd.static(range(subgroup.log2_group_size())):
            partner = subgroup._scan_partner(result, k)
            result = qd.select(subgroup._has_scan_partner(k), fold.join(partner, result), result)
        return result


# The part of a scanned row before this lane; `before_row` in lane 0.
@qd.func
def _row_before(fold: qd.template(), value, scanned, before_row, staging: qd.template()):
    if qd.static(staging is not None):
        tid = block.thread_idx()
        result = before_row
        staging[tid] = scanned
        subgroup.sync()
        if subgroup.invocation_id() > 0:
            result = fold.join(before_row, staging[tid - 1])
        subgroup.sync()
        return result
    elif qd.static(fold.op == block._add and fold.dtype in _INTEGERS):
        return before_row + (scanned - value)
    else:
        shifted = subgroup.shuffle_up(scanned, qd.u32(1))
        return qd.select(subgroup.invocation_id() == 0, before_row, fold.join(before_row, shifted))


# The fold of the thread's elements of a row, the first of which is `start`.
@qd.func
def _fold_lane(fold: qd.template(), values: qd.template(), start: qd.template(), width: qd.template()):
    result = values[start]
    for k in qd.static(range(1, width)):
        result = fold.join(result, values[start + k])
    return result


# The fold of the aggregates of earlier subgroups, and of all. `aggregate` is the subgroup's, in its
# last lane.
@qd.func
def _fold_subgroups(fold: qd.template(), aggregate):
    wave = qd.static(subgroup.group_size())
    count = qd.static(SCAN_THREADS // subgroup.group_size())
    sums = block.SharedArray((count,), fold.dtype)
    mine = block.thread_idx() // wave
    if subgroup.invocation_id() == wave - 1:
        sums[mine] = aggregate
    block.sync()
    before = fold.identity()
    total = sums[0]
    if qd.static(count <= block._UNROLLED):
        for s in qd.static(range(1, count)):
            if s == mine:
                before = total
            total = fold.join(total, sums[s])
    else:
        for s in range(1, count):
            if s == mine:
                before = total
            total = fold.join(total, sums[s])
    block._before_reuse()
    return before, total


# ---- Tiles ------------------------------------------------------------------------------


# Tiles of a task, each thread with so many elements of one.
@qd.data_oriented
class _Tile:
    def __init__(self, fold: qd.template(), items: qd.template()):
        self.fold = fold
        self.items = items
        self.size = SCAN_THREADS * items
        self.width = _width(fold.dtype, items)
        # Where values that lanes cannot exchange go from thread to thread.
        self.staging = None
        if qd.static(fold.dtype not in _WORDS4 and fold.dtype not in _WORDS8):
            self.staging = block.SharedArray((SCAN_THREADS,), fold.dtype)

    # The thread's elements of the tile at `base`, of which `left` are left.
    @qd.func
    def load(self, source: qd.template(), base, left):
        return _load(self.fold, source, base, left, self.items, SCAN_THREADS, self.width)

    # Scans a tile. Returns each row's own scan, or, where lanes have several elements of a row, of each row
    # what is before this lane; for each row, the fold of the subgroup's rows before it; the fold of the
    # subgroups before this one; and the fold of the tile, in all threads.
    @qd.func
    def scan(self, values: qd.template()):
        fold = qd.static(self.fold)
        width = qd.static(self.width)
        wave = qd.static(subgroup.group_size())
        if qd.static(self.items == 1):
            rows = [_row_scan(fold, values[0], self.staging)]
            carries = [fold.identity()]
            before, total = _fold_subgroups(fold, rows[0])
            return rows, carries, before, total
        else:
            count = qd.static(self.items // width)
            folds = qd.Vector([_fold_lane(fold, values, k * width, width) for k in qd.static(range(count))])
            rows = qd.Vector([_row_scan(fold, folds[k], self.staging) for k in qd.static(range(count))])
            totals = qd.Vector([subgroup.broadcast(rows[k], qd.u32(wave - 1)) for k in qd.static(range(count))])
            carries = qd.Vector([fold.identity() for _ in qd.static(range(count))])
            carries[1] = totals[0]
            for k in qd.static(range(2, count)):
                carries[k] = fold.join(carries[k - 1], totals[k - 1])
            if qd.static(width > 1):
                for k in qd.static(range(count)):
                    rows[k] = _row_before(fold, folds[k], rows[k], fold.identity(), self.staging)
            before, total = _fold_subgroups(fold, fold.join(carries[count - 1], totals[count - 1]))
            return rows, carries, before, total

    # Loads early what `keep` yields for each of the thread's elements, so that nobody waits for it after the
    # scan. Past the end there is anything.
    @qd.func
    def kept(self, sink: qd.template(), base, left):
        keep = qd.static(self.fold.keep)
        width = qd.static(self.width)
        first = _first(self.items, width)
        if qd.static(keep is None):
            return None
        else:
            last = base + qd.min(left, self.size) - 1
            return [keep(sink, qd.min(base + first + _step(k, width), last)) for k in qd.static(range(self.items))]

    # Writes each of the thread's elements, with what was kept for it, if anything was: scanned after
    # `before_subgroup`, which has what is before the tile too.
    @qd.func
    def write(
        self,
        sink: qd.template(),
        values: qd.template(),
        rows: qd.template(),
        carries: qd.template(),
        before_subgroup,
        base,
        left,
        kept: qd.template(),
    ):
        fold = qd.static(self.fold)
        wave = qd.static(subgroup.group_size())
        width = qd.static(self.width)
        first = _first(self.items, width)
        write = qd.static(fold.write)
        if qd.static(qd.cfg.arch == qd.amdgpu and self.items > 1):
            # Whole tiles need no test for each element: there it takes five instructions.
            results = self.scanned(values, rows, carries, before_subgroup)
            if left >= self.size:
                for k in qd.static(range(self.items)):
                    _write_one(write, sink, base + first + _step(k, width), values[k], results[k], kept, k)
            else:
                for k in qd.static(range(self.items)):
                    step = qd.static(_step(k, width))
                    if first < left - step:
                        _write_one(write, sink, base + first + step, values[k], results[k], kept, k)
        else:
            for k in qd.static(range(self.items)):
                before_row = before_subgroup
                if qd.static(k > 0):
                    before_row = fold.join(before_subgroup, carries[k])
                scanned = before_row
                if qd.static(fold.inclusive):
                    scanned = fold.join(before_row, rows[k])
                else:
                    scanned = _row_before(fold, values[k], rows[k], before_row, self.staging)
                if first + k * wave < left:
                    _write_one(write, sink, base + first + k * wave, values[k], scanned, kept, k)

    # Returns what `write` calls `scanned`, for each of the thread's elements, where it has several.
    @qd.func
    def scanned(self, values: qd.template(), rows: qd.template(), carries: qd.template(), before_subgroup):
        fold = qd.static(self.fold)
        width = qd.static(self.width)
        results = values
        for k in qd.static(range(self.items)):
            if qd.static(k % width == 0):
                before = before_subgroup
                if qd.static(k > 0):
                    before = fold.join(before_subgroup, carries[k // width])
                if qd.static(width > 1 and fold.inclusive):
                    results[k] = fold.join(fold.join(before, rows[k // width]), values[k])
                elif qd.static(width > 1 or fold.inclusive):
                    results[k] = fold.join(before, rows[k // width])
                else:
                    results[k] = _row_before(fold, values[k], rows[k], before, None)
            elif qd.static(fold.inclusive):
                results[k] = fold.join(results[k - 1], values[k])
            else:
                results[k] = fold.join(results[k - 1], values[k - 1])
        return results

    # Tells the fold of all values, after the last tile's.
    @qd.func
    def finish(self, sink: qd.template(), left, total):
        if qd.static(self.fold.finish is not None):
            if left <= self.size and block.thread_idx() == 0:
                self.fold.finish(sink, total)

    # The fold of the thread's elements.
    @qd.func
    def fold_loaded(self, values: qd.template()):
        return _fold_lane(self.fold, values, 0, self.items)

    # The block's fold, in thread 0.
    @qd.func
    def fold_block(self, value):
        fold = qd.static(self.fold)
        if qd.static(self.staging is None):
            if qd.static(fold.op == block._add):
                return block.reduce_add(value, SCAN_THREADS, fold.dtype)
            elif qd.static(fold.op == block._min):
                return block.reduce_min(value, SCAN_THREADS, fold.dtype)
            elif qd.static(fold.op == block._max):
                return block.reduce_max(value, SCAN_THREADS, fold.dtype)
            else:
                return block.reduce(value, SCAN_THREADS, fold.op, fold.dtype)
        else:
            tid = block.thread_idx()
            result = value
            self.staging[tid] = result
            block.sync()
            for k in qd.static(range((SCAN_THREADS - 1).bit_length())):
                half = qd.static(SCAN_THREADS >> (k + 1))
                if tid < half:
                    result = fold.join(result, self.staging[tid + half])
                    self.staging[tid] = result
                block.sync()
            return result


@qd.func
def _write_one(write: qd.template(), sink: qd.template(), i, value, scanned, kept: qd.template(), k: qd.template()):
    if qd.static(kept is None):
        write(sink, i, value, scanned)
    else:
        write(sink, i, value, scanned, kept[k])
