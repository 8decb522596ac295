# How the algorithms cut an array on a CPU, whose threads are few: into some chunks, each of which one
# thread walks through from its begin to its end, in scalar code (blocks of one thread). What GPUs do in
# one pass, with a look back, is a walk or two here.
#
# Some scans stay with tiles: of reals, as a walk would add each to the one before, and wait for it; and
# those that store only some elements, where a walk would branch on each.
import quadrants as qd
from quadrants import algorithms
from quadrants.lang.simt import grid

# Builds may set this.
CHUNKS = qd.cfg.arch == qd.cpu
# A chunk is worth a thread from so many elements on, in scans and in sorts; and there are at most so
# many chunks, enough to share among any CPU's threads.
_CHUNK = 32768
_SORTED_CHUNK = 4096
_MOST_CHUNKS = 64
# A chunk tells this after the one before it has, as in lookback.py: the state of all up to its end.
_DONE = 2


# The elements of a chunk, and the number of chunks.
@qd.func
def _chunk(n, least: qd.template()):
    return qd.max(algorithms._tiles(n, _MOST_CHUNKS), least)


@qd.func
def _chunks(n, least: qd.template()):
    return qd.cast((n - 1) // _chunk(n, least) + 1, qd.i32)


# Where a chunk ends. The chunk after the last one may begin past what counts can tell.
@qd.func
def _end(begin, chunk, n):
    return begin + qd.min(chunk, n - begin)


# ---- Scans ------------------------------------------------------------------------------


@qd.func
def _walks(fold: qd.template()):
    return algorithms.CHUNKS and fold.keep is None and fold.dtype not in algorithms._REALS


@qd.func
def _fold_walk(fold: qd.template(), source: qd.template(), begin, end):
    total = fold.identity()
    qd.loop_config(unroll=4)
    for i in range(begin, end):
        total = fold.join(total, algorithms._typed(fold.read(source, i), fold.dtype))
    return total


# Returns the fold of `before` and all elements.
@qd.func
def _scan_walk(fold: qd.template(), source: qd.template(), sink: qd.template(), begin, end, before):
    scanned = before
    qd.loop_config(unroll=4)
    for i in range(begin, end):
        value = algorithms._typed(fold.read(source, i), fold.dtype)
        after = fold.join(scanned, value)
        if qd.static(fold.inclusive):
            fold.write(sink, i, value, after)
        else:
            fold.write(sink, i, value, scanned)
        scanned = after
    return scanned


# As `_scan`, which calls it. One chunk needs no scratch.
@qd.func(requires_top_level=True)
def _scan_in_chunks(
    fold: qd.template(),
    source: qd.template(),
    sink: qd.template(),
    scratch: qd.template(),
    start,
    n,
    depth: qd.template(),
):
    if qd.static(depth == 1):
        qd.loop_config(block_dim=1, name="scan_chunk")
        for c in range(qd.cast(qd.min(n, 1), qd.i32)):
            _scan_walk(fold, source, sink, 0 * n, n, fold.identity())
    elif qd.static(algorithms._can_look_back(scratch, fold.dtype)):
        _scan_in_turn(fold, source, sink, scratch, start, n)
    else:
        _scan_in_two_walks(fold, source, sink, scratch, start, n)


# Chunks are walked through once where the one before is done when they begin: always, if there is one
# thread. Else they are folded, while the threads before walk, and then wait for what is before them.
# That one was begun earlier, and CPUs give all threads their time.
@qd.func(requires_top_level=True)
def _scan_in_turn(fold: qd.template(), source: qd.template(), sink: qd.template(), scratch: qd.template(), start, n):
    chunk = _chunk(n, _CHUNK)
    chunks = _chunks(n, _CHUNK)
    dtype = qd.static(fold.dtype)
    words = qd.static(algorithms._halves(dtype))
    qd.loop_config(block_dim=1, name="clear_states")
    for z in range(qd.min(chunks - 1, 1)):
        for k in range(chunks * words):
            scratch[start + k] = qd.u32(0)
    qd.loop_config(block_dim=1, name="scan_chunks")
    for c in range(chunks):
        begin = c * chunk
        end = _end(begin, chunk, n)
        before = fold.identity()
        told = False
        if c > 0:
            earlier = start + (c - 1) * words
            state, value = algorithms._hear(scratch, earlier, dtype)
            if state != qd.u32(_DONE):
                total = _fold_walk(fold, source, begin, end)
                while state != qd.u32(_DONE):
                    grid.pause()
                    state, value = algorithms._hear(scratch, earlier, dtype)
                algorithms._tell(scratch, start + c * words, fold.join(value, total), _DONE << 16, dtype)
                told = True
            before = value
        after = _scan_walk(fold, source, sink, begin, end, before)
        if not told and chunks > 1:
            algorithms._tell(scratch, start + c * words, after, _DONE << 16, dtype)


# For accumulators that do not fit into 32-bit words.
@qd.func(requires_top_level=True)
def _scan_in_two_walks(
    fold: qd.template(), source: qd.template(), sink: qd.template(), scratch: qd.template(), start, n
):
    chunk = _chunk(n, _CHUNK)
    chunks = _chunks(n, _CHUNK)
    dtype = qd.static(fold.dtype)
    several = qd.min(chunks - 1, 1)
    qd.loop_config(block_dim=1, name="fold_chunks")
    for c in range(several * chunks):
        total = _fold_walk(fold, source, c * chunk, _end(c * chunk, chunk, n))
        algorithms._store_fold(scratch, start, c, total, dtype)
    qd.loop_config(block_dim=1, name="scan_folds")
    for z in range(several):
        before = fold.identity()
        for c in range(chunks):
            total = algorithms._load_fold(scratch, start, c, dtype)
            algorithms._store_fold(scratch, start, c, before, dtype)
            before = fold.join(before, total)
    qd.loop_config(block_dim=1, name="scan_chunks")
    for c in range(chunks):
        before = fold.identity()
        if chunks > 1:
            before = algorithms._load_fold(scratch, start, c, dtype)
        _scan_walk(fold, source, sink, c * chunk, _end(c * chunk, chunk, n), before)


# ---- Sorts ------------------------------------------------------------------------------

# As a pass of sort.py: counts of each chunk's digits, where the first element of each digit of a chunk
# goes, and the moves. `scratch` has a row of digits for each chunk.
@qd.func(requires_top_level=True)
def _pass_in_chunks(sort: qd.template(), number: qd.template(), scratch: qd.template(), n):
    move = algorithms._Move(sort, number)
    chunk = _chunk(n, _SORTED_CHUNK)
    chunks = _chunks(n, _SORTED_CHUNK)
    qd.loop_config(block_dim=1, name="count_digits")
    for c in range(chunks):
        row = c * algorithms._RADIX
        for d in range(1 << move.bits):
            scratch[row + d] = 0
        for i in range(c * chunk, _end(c * chunk, chunk, n)):
            d = row + move.digit(move.keys[i])
            scratch[d] = scratch[d] + qd.u32(1)
    qd.loop_config(block_dim=1, name="place_digits")
    for z in range(qd.min(chunks, 1)):
        before = qd.u32(0)
        for d in range(1 << move.bits):
            for c in range(chunks):
                count = scratch[c * algorithms._RADIX + d]
                scratch[c * algorithms._RADIX + d] = before
                before += count
    qd.loop_config(block_dim=1, name="move_keys")
    for c in range(chunks):
        row = c * algorithms._RADIX
        for i in range(c * chunk, _end(c * chunk, chunk, n)):
            key = move.keys[i]
            d = row + move.digit(key)
            at = scratch[d]
            scratch[d] = at + qd.u32(1)
            move.keys_out[algorithms._widened(at, n)] = key
            if qd.static(sort.has_values):
                move.values_out[algorithms._widened(at, n)] = move.values[i]
