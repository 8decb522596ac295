# Scans in one pass: each tile looks back at the tiles before it (D. Merrill, M. Garland, Single-pass
# parallel prefix scan with decoupled look-back, 2016).
#
# A tile tells its fold, and later the fold of everything up to its end, in words of scratch. A word
# has a state and 16 bits of the value, and is whole by itself. So this needs neither fences nor
# atomics on 64 bits: one who finds the same state in all words of a tile has a value.
#
# Nothing here assumes that blocks make progress. A tile whose state does not come within some looks
# is folded by the block that needs it, from the input (decoupled fallback; T. Smith and others,
# SPAA 2025). Tiles have numbers in the order in which blocks begin, so that this is rare.
import quadrants as qd
from quadrants import algorithms
from quadrants.lang.simt import block, grid, subgroup

_FOLD = 1 << 16
_PREFIX = 2 << 16
# How often a block looks for a state before it does without. With the pauses this is longer than a
# tile takes on a GPU.
_LOOKS = 256


# Words of a tile.
@qd.func
def _halves(dtype: qd.template()):
    if qd.static(dtype in algorithms._WORDS8):
        return 4
    else:
        return 2


@qd.func
def _can_look_back(scratch: qd.template(), dtype: qd.template()):
    if qd.static(dtype in algorithms._WORDS4 or dtype in algorithms._WORDS8):
        return scratch.dtype == qd.u32
    else:
        return False


# The number of the tile of block `number`. Where blocks may begin in another order than that of their
# numbers, they draw those of tiles in turn from `scratch[at]`.
@qd.func
def _draw(scratch: qd.template(), at, number):
    if qd.static(algorithms.IN_ORDER):
        return number
    else:
        drawn = block.SharedArray((1,), qd.i32)
        if block.thread_idx() == 0:
            # Not a constant index: a small field has no such place, and then this is not reached.
            drawn[0] = qd.cast(qd.atomic_add(scratch[at + 0 * number], qd.u32(1)), qd.i32)
        block.sync()
        return drawn[0]


@qd.func
def _tell(scratch: qd.template(), at, value, state: qd.template(), dtype: qd.template()):
    if qd.static(dtype in algorithms._WORDS8):
        bits = qd.bit_cast(value, qd.u64)
        for k in qd.static(range(4)):
            half = qd.cast(bits >> qd.u64(16 * k), qd.u32) & qd.u32(0xFFFF)
            qd.atomic_exchange(scratch[at + k], half | qd.u32(state))
    else:
        bits = qd.bit_cast(value, qd.u32)
        qd.atomic_exchange(scratch[at], (bits & qd.u32(0xFFFF)) | qd.u32(state))
        qd.atomic_exchange(scratch[at + 1], (bits >> qd.u32(16)) | qd.u32(state))


# A tile's state, 0 where its words do not agree, and its value.
@qd.func
def _hear(scratch: qd.template(), at, dtype: qd.template()):
    words = [qd.volatile_load(scratch[at + k]) for k in qd.static(range(_halves(dtype)))]
    state = words[0] >> qd.u32(16)
    if qd.static(dtype in algorithms._WORDS8):
        bits = qd.u64(0)
        for k in qd.static(range(4)):
            state = qd.select(words[k] >> qd.u32(16) == state, state, qd.u32(0))
            bits = bits | (qd.cast(words[k] & qd.u32(0xFFFF), qd.u64) << qd.u64(16 * k))
        return state, qd.bit_cast(bits, dtype)
    else:
        state = qd.select(words[1] >> qd.u32(16) == state, state, qd.u32(0))
        return state, qd.bit_cast((words[0] & qd.u32(0xFFFF)) | (words[1] << qd.u32(16)), dtype)


# The fold of all tiles before tile `number`, whose own fold is `total`, in all threads. `states` is
# where the words of tile 0 begin.
@qd.func
def _look_back(tile: qd.template(), source: qd.template(), scratch: qd.template(), states, number, total):
    fold = qd.static(tile.fold)
    dtype = qd.static(fold.dtype)
    halves = qd.static(_halves(dtype))
    wave = qd.static(subgroup.group_size())
    window = qd.static(min(subgroup.group_size(), 32))
    found = block.SharedArray((1,), dtype)
    missing = block.SharedArray((1,), qd.i32)
    tid = block.thread_idx()
    lane = subgroup.invocation_id()
    own = states + number * halves
    if tid == 0:
        if number == 0:
            _tell(scratch, own, total, _PREFIX, dtype)
        else:
            _tell(scratch, own, total, _FOLD, dtype)
    earlier = fold.identity()
    at = number - 1
    searches = at >= 0
    while searches:
        if tid // wave == 0:
            looks = 0
            while at >= 0 and looks < _LOOKS:
                # Lanes look at the tiles up to `at`, the last of them at that.
                index = at - (window - 1) + lane
                state = qd.u32(1)
                value = fold.identity()
                if lane < window:
                    state = qd.u32(2)
                    if index >= 0:
                        state, value = _hear(scratch, states + index * halves, dtype)
                gap = subgroup.reduce_all_max(qd.select(state == qd.u32(0), lane, -1))
                prefix = subgroup.reduce_all_max(qd.select(state == qd.u32(2), lane, -1))
                if gap == window - 1:
                    looks += 1
                    grid.pause()
                else:
                    used = lane > gap and lane >= prefix
                    value = qd.select(used, value, fold.identity())
                    scanned = algorithms._row_scan(fold, value, None)
                    folded = subgroup.broadcast(scanned, qd.u32(wave - 1))
                    earlier = fold.join(folded, earlier)
                    looks = 0
                    if prefix > gap:
                        at = -1
                    else:
                        at -= window - 1 - gap
            if lane == 0:
                missing[0] = at
        block.sync()
        at = missing[0]
        searches = at >= 0
        if searches:
            values = tile.load(source, at * tile.size, qd.static(tile.size))
            rows, carries, before, missed = tile.scan(values)
            earlier = fold.join(missed, earlier)
            at -= 1
            searches = at >= 0
        block.sync()
    if tid == 0:
        found[0] = earlier
        if number > 0:
            _tell(scratch, own, fold.join(earlier, total), _PREFIX, dtype)
    block.sync()
    return found[0]


@qd.func
def _is_unlike_nvidia():
    return qd.static(subgroup.group_size() != 32 or qd.cfg.arch == qd.amdgpu)


# Elements a thread, and blocks a multiprocessor, 0 for any. Where elements come from an array as they
# are, this is what was the fastest on an H100; elsewhere it is what other code needs registers for. On
# AMD, 16 words of a thread are all within reach of one address.
@qd.func
def _look_back_items(fold: qd.template()):
    is_plain = qd.static(fold.read == algorithms._read_element)
    if qd.static(algorithms.SCAN_ITEMS != 0 or not is_plain or _is_unlike_nvidia()):
        return algorithms._items(fold)
    elif qd.static(fold.dtype in algorithms._WORDS4):
        return 20
    else:
        return 24


@qd.func
def _look_back_blocks(fold: qd.template()):
    is_plain = qd.static(fold.read == algorithms._read_element)
    if qd.static(algorithms.SCAN_BLOCKS != 0 or algorithms.SCAN_ITEMS != 0):
        return algorithms.SCAN_BLOCKS
    elif qd.static(not is_plain or _is_unlike_nvidia()):
        return 0
    elif qd.static(fold.dtype in algorithms._WORDS4):
        return 4
    else:
        return 2


# As `_scan`, which calls it.
@qd.func(requires_top_level=True)
def _scan_in_one_pass(
    fold: qd.template(), source: qd.template(), sink: qd.template(), scratch: qd.template(), start, n
):
    items = qd.static(_look_back_items(fold))
    room = qd.static(_look_back_blocks(fold))
    tiles = algorithms._tiles(n, qd.static(algorithms.SCAN_THREADS * items))
    several = qd.min(tiles - 1, 1)
    qd.loop_config(block_dim=algorithms.SCAN_THREADS, name="clear_states")
    for i in range(several * (tiles * qd.static(_halves(fold.dtype)) + 1)):
        scratch[start + i] = qd.u32(0)
    if qd.static(room != 0):
        qd.loop_config(block_dim=algorithms.SCAN_THREADS, name="scan_tiles", min_blocks=room)
    else:
        qd.loop_config(block_dim=algorithms.SCAN_THREADS, name="scan_tiles")
    for i in range(tiles * algorithms.SCAN_THREADS):
        tile = algorithms._Tile(fold, items)
        number = i // algorithms.SCAN_THREADS
        if tiles > 1:
            number = _draw(scratch, start, number)
        base = number * tile.size
        left = n - base
        values = tile.load(source, base, left)
        kept = tile.kept(sink, base, left)
        rows, carries, before, total = tile.scan(values)
        if tiles > 1:
            earlier = _look_back(tile, source, scratch, start + 1, number, total)
            before = fold.join(earlier, before)
            total = fold.join(earlier, total)
        tile.write(sink, values, rows, carries, before, base, left, kept)
        tile.finish(sink, left, total)
