# The look back of sorts: a tile tells how many elements of each digit it has, and learns from the
# tiles before it where its own begin in the result.
#
# As in lookback.py, a word tells a state and a number, and a block that misses a tile's counts makes
# them itself. The number is below 2**32 - 2**16, and so is n, whatever its type.
import quadrants as qd
from quadrants import algorithms
from quadrants.lang.simt import block, grid

# States of a tile's digit: 0; the tile's count, and 1; or where the digit's elements of all tiles up to
# it end in the result, and this.
_SORT_PREFIX = 1 << 16
# How often a thread looks for a state, and how often without a pause: the next tile is mostly about
# to tell it.
_LOOKS = 256
_EAGER = 16


# Where the elements of the thread's digits begin in the result, of all keys.
@qd.func
def _bases(scratch: qd.template(), row, threads: qd.template()):
    each = qd.static(algorithms._digits_each(threads))
    totals = qd.Vector([qd.i32(0) for _ in qd.static(range(each))])
    if algorithms._has_digits(threads):
        for k in qd.static(range(each)):
            totals[k] = qd.cast(scratch[row + block.thread_idx() * each + k], qd.i32)
    return algorithms._before_digits(totals, threads)


# Tells a number for each of the thread's digits, and the state. `table` is where the states of tile 0
# begin, a row of digits for each tile.
@qd.func
def _tell_digits(scratch: qd.template(), table, number, counts, state: qd.template(), threads: qd.template()):
    each = qd.static(algorithms._digits_each(threads))
    if algorithms._has_digits(threads):
        for k in qd.static(range(each)):
            at = table + number * algorithms._RADIX + block.thread_idx() * each + k
            qd.atomic_exchange(scratch[at], qd.cast(counts[k], qd.u32) + qd.u32(state))


# Where the elements of the thread's digits of tile `number` begin in the result: after those of the
# tiles before it, of which there are some. `counts` are the tile's own, which it has told.
@qd.func
def _earlier_digits(
    move: qd.template(),
    scratch: qd.template(),
    made: qd.template(),
    n,
    table,
    totals_row,
    number,
    counts,
    first,
):
    threads = qd.static(move.threads)
    whole = qd.static(threads * move.items)
    each = qd.static(algorithms._digits_each(threads))
    digit = block.thread_idx() * each
    has = algorithms._has_digits(threads)
    missing = block.SharedArray((1,), qd.i32)
    earlier = qd.Vector([qd.i32(0) for _ in qd.static(range(each))])
    at = qd.Vector([number - 1 if has else -1 for _ in qd.static(range(each))])
    window = qd.static(algorithms.SORT_WINDOW)
    searches = True
    while searches:
        for k in qd.static(range(each)):
            looks = 0
            while at[k] >= 0 and looks < _LOOKS:
                nearest = at[k]
                states = qd.Vector(
                    [
                        qd.volatile_load(scratch[table + qd.max(nearest - w, 0) * algorithms._RADIX + digit + k])
                        for w in qd.static(range(window))
                    ]
                )
                for w in qd.static(range(window)):
                    if at[k] >= 0 and at[k] == nearest - w: # the tiles after it are counted
                        if states[w] >= qd.u32(_SORT_PREFIX):
                            earlier[k] += qd.cast(states[w] - qd.u32(_SORT_PREFIX), qd.i32)
                            at[k] = -1
                        elif states[w] != qd.u32(0):
                            earlier[k] += qd.cast(states[w], qd.i32) - 1
                            at[k] -= 1
                looks += 1
                if at[k] != nearest:
                    looks = 0
                elif looks > _EAGER:
                    grid.pause()
        if block.thread_idx() == 0:
            missing[0] = -1
        block.sync()
        if has:
            for k in qd.static(range(each)):
                if at[k] >= 0:
                    qd.atomic_max(missing[0], at[k])
                made[digit + k] = 0
        block.sync()
        tile = missing[0]
        searches = tile >= 0
        if searches: # its counts do not come: they are made of its keys, which are all there
            base = qd.cast(tile, algorithms._dtype(n)) * whole
            move.add_digits(move.load(base, whole), made, 0, whole, first)
        bases = qd.Vector([qd.i32(0) for _ in qd.static(range(each))])
        if tile == 0:  # it would have told where digits begin, too
            bases = _bases(scratch, totals_row, threads)
        block.sync()
        for k in qd.static(range(each)):
            if searches and at[k] == tile:
                earlier[k] += qd.cast(made[digit + k], qd.i32) + bases[k]
                at[k] -= 1
    _tell_digits(scratch, table, number, earlier + counts, _SORT_PREFIX, threads)
    return earlier
