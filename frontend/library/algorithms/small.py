# Sorts of a few keys by one block, in one task: the passes of sort.py cost a launch each. What moves
# from pass to pass is the order of the keys, in shared memory; keys and values move once, at the end.
import quadrants as qd
from quadrants import algorithms
from quadrants.lang.simt import block, subgroup

_FEW = 2048
_FEW_THREADS = 512 if qd.cfg.arch == qd.cuda else 256


# True if sorts have this task. Below, blocks are small and a thread would have many keys; such targets
# launch tasks within a microsecond.
@qd.func
def _sorts_few():
    return subgroup.group_size() >= 32


# The digit of the thread's k-th key in a pass that is known when the code runs: `width` bits from
# `start` on. source: (sort, places, left, first, start, width)
@qd.func
def _placed_digit(source: qd.template(), k: qd.template()):
    width = source[5]
    digit = (1 << width) - 1
    if source[3] + k * subgroup.group_size() < source[2]:
        digit = _digit_from(source[0], source[0].keys[0][source[1][k]], source[4], width)
    return digit


@qd.func
def _digit_from(sort: qd.template(), key, start, width):
    ordered = algorithms._ordered(key, sort.dtype, sort.descending)
    last = qd.static(63 if sort.dtype in algorithms._WORDS8 else 31)
    bits = ordered >> qd.cast(qd.min(start, last), algorithms._dtype(ordered))
    return qd.cast(bits & qd.cast((1 << width) - 1, algorithms._dtype(ordered)), qd.i32)


# Sorts n keys, `_FEW` at most, and their values. \param blocks 1, or 0 where there is nothing to do
@qd.func(requires_top_level=True)
def _sort_few(sort: qd.template(), n, blocks):
    keys = qd.static(sort.keys[0])
    values = qd.static(sort.values[0])
    wave = qd.static(subgroup.group_size())
    threads = qd.static(_FEW_THREADS)
    items = qd.static(_FEW // threads)
    qd.loop_config(block_dim=threads, name="sort_few")
    for i in range(blocks * threads):
        own = block.SharedArray((threads // wave * algorithms._RADIX,), qd.i32)
        starts = block.SharedArray((algorithms._RADIX,), qd.i32)
        order = block.SharedArray((_FEW,), qd.i32)
        masks = algorithms._make_masks(threads)
        tid = block.thread_idx()
        left = qd.cast(n, qd.i32)
        first = algorithms._first(items)
        row = tid // wave * algorithms._RADIX
        places = qd.Vector([first + k * wave for k in qd.static(range(items))])
        for p in range(sort.passes):
            start = sort.begin_bit + p * sort.bits
            width = qd.max(qd.min(sort.bits, sort.end_bit - start), 0)
            for k in qd.static(range(algorithms._RADIX // wave)):
                own[k * threads + tid] = 0
            block.sync()
            ranks, counts = algorithms._rank_tile(
                _placed_digit, (sort, places, left, first, start, width), items, threads, own, starts, masks
            )
            for k in qd.static(range(items)):
                at = (ranks[k] & 0xFFFF) + own[row + (ranks[k] >> 16)] + starts[ranks[k] >> 16]
                order[at] = places[k]
            block.sync()
            for k in qd.static(range(items)):
                places[k] = order[first + k * wave]
        sorted_keys = [keys[qd.min(places[k], left - 1)] for k in qd.static(range(items))]
        if qd.static(sort.has_values):
            sorted_values = [values[qd.min(places[k], left - 1)] for k in qd.static(range(items))]
            block.sync()
            for k in qd.static(range(items)):
                if first + k * wave < left:
                    values[first + k * wave] = sorted_values[k]
        else:
            block.sync()
        for k in qd.static(range(items)):
            if first + k * wave < left:
                keys[first + k * wave] = sorted_keys[k]
