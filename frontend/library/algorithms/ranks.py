# The ranks of a tile's elements by digit: a subgroup finds its lanes with equal digits, and a block
# adds up what its subgroups counted. Counts are rows in shared memory, a number for each digit and a
# row for each subgroup.
import quadrants as qd
from quadrants import algorithms
from quadrants.lang.simt import block, subgroup

_RADIX = 256


# True if lanes with equal digits find each other by words in shared memory: no ballot has more than
# 64 bits.
@qd.func
def _has_masks():
    return algorithms.SORT_MASKS or subgroup.group_size() > 64


# Among the subgroup's lanes with this lane's digit: how many come before it, and how many there are.
@qd.func
def _peers(digit):
    lane = subgroup.invocation_id()
    if qd.static(subgroup.group_size() <= 32):
        same = qd.cast(subgroup._match(digit, 8), qd.u32)
        below = (qd.u32(1) << qd.cast(lane, qd.u32)) - qd.u32(1)
        return qd.math.popcnt(same & below), qd.math.popcnt(same)
    else:
        same = subgroup._match(digit, 8)
        below = (qd.u64(1) << qd.cast(lane, qd.u64)) - qd.u64(1)
        return qd.math.popcnt(same & below), qd.math.popcnt(same)


# The words by which a subgroup finds equal digits, a bit for each lane. They are 0 between uses.
@qd.func
def _make_masks(threads: qd.template()):
    if qd.static(_has_masks()):
        size = qd.static(threads // subgroup.group_size() * _RADIX * _words())
        masks = block.SharedArray((size,), qd.u32)
        for k in qd.static(range(size // threads)):
            masks[k * threads + block.thread_idx()] = 0
        return masks
    else:
        return None


@qd.func
def _words():
    return max(subgroup.group_size() // 32, 1)


# As `_peers`: each lane sets its bit in its digit's words. The first of these lanes clears them after the
# next barrier of the subgroup.
@qd.func
def _peers_by_masks(masks: qd.template(), at):
    words = qd.static(_words())
    lane = subgroup.invocation_id()
    bit = qd.u32(1) << qd.cast(lane % 32, qd.u32)
    qd.atomic_or(masks[at + lane // 32], bit)
    subgroup.sync()
    before = 0
    total = 0
    for k in qd.static(range(words)):
        word = masks[at + k]
        total += qd.math.popcnt(word)
        if k < lane // 32:
            before += qd.math.popcnt(word)
        elif k == lane // 32:
            before += qd.math.popcnt(word & (bit - qd.u32(1)))
    return before, total


# The digit of a thread's k-th key in a pass. A key past the end has the greatest digit, as it is
# the last of the last tile. source: (loaded, left, first, move)
@qd.func
def _loaded_digit(source: qd.template(), k: qd.template()):
    digit = qd.i32((1 << source[3].bits) - 1)
    if source[2] + k * subgroup.group_size() < source[1]:
        digit = source[3].digit(source[0][k])
    return digit


# The ranks of the thread's keys among those of equal digits in the subgroup, in order, and in the upper
# half of a word their digits, `digit_of(source, k)`. They count on from `own`, a row of digits for each
# subgroup: where that is 0 at first, it has the subgroups' counts after the next barrier. As soon as a
# rank is known, `use(sink, k, rank)` gets it.
@qd.func
def _rank_rows(
    digit_of: qd.template(),
    source: qd.template(),
    items: qd.template(),
    own: qd.template(),
    masks: qd.template(),
    use: qd.template() = None,
    sink: qd.template() = None,
):
    wave = qd.static(subgroup.group_size())
    row = block.thread_idx() // wave * _RADIX
    ranks = qd.Vector([qd.i32(0) for _ in qd.static(range(items))])
    for k in qd.static(range(items)):
        digit = digit_of(source, k)
        before = 0
        total = 0
        if qd.static(_has_masks()):
            before, total = _peers_by_masks(masks, (row + digit) * qd.static(_words()))
        else:
            before, total = _peers(digit)
        earlier = own[row + digit]
        subgroup.sync()
        if before == 0:
            own[row + digit] = earlier + total
            if qd.static(_has_masks()):
                for w in qd.static(range(_words())):
                    masks[(row + digit) * qd.static(_words()) + w] = 0
        subgroup.sync()
        ranks[k] = earlier + before + (digit << 16)
        if qd.static(use is not None):
            use(sink, k, earlier + before)
    return ranks


# `_rank_rows`, then `_scan_counts` when all have ranked. Returns the ranks and the tile's counts of the
# thread's digits; after it, `own` and `starts` are complete.
@qd.func
def _rank_tile(
    digit_of: qd.template(),
    source: qd.template(),
    items: qd.template(),
    threads: qd.template(),
    own: qd.template(),
    starts: qd.template(),
    masks: qd.template(),
):
    ranks = _rank_rows(digit_of, source, items, own, masks)
    block.sync()
    counts = _scan_counts(own, starts, threads)
    block.sync()
    return ranks, counts


# The digits of a thread: `each * tid` and after, of the first threads only, if there are more threads
# than digits.
@qd.func
def _digits_each(threads: qd.template()):
    return max(_RADIX // threads, 1)


@qd.func
def _has_digits(threads: qd.template()):
    if qd.static(threads <= _RADIX):
        return True
    else:
        return block.thread_idx() < _RADIX


# Replaces the subgroups' counts by what is before each in the tile, of equal digits. Stores where the
# tile's elements of each digit begin, in the order of digits, to `starts`. Returns the tile's counts
# of the thread's digits.
@qd.func
def _scan_counts(own: qd.template(), starts: qd.template(), threads: qd.template()):
    tid = block.thread_idx()
    each = qd.static(_digits_each(threads))
    zero = qd.Vector([qd.i32(0) for _ in qd.static(range(each))])
    totals = _scan_rows_of(own, zero, threads)
    before = _before_digits(totals, threads)
    if _has_digits(threads):
        for k in qd.static(range(each)):
            starts[tid * each + k] = before[k]
    return totals


# Replaces the subgroups' counts of the thread's digits by `first` and what is before each. Returns
# their sums.
@qd.func
def _scan_rows_of(own: qd.template(), first, threads: qd.template()):
    tid = block.thread_idx()
    each = qd.static(_digits_each(threads))
    totals = qd.Vector([qd.i32(0) for _ in qd.static(range(each))])
    if _has_digits(threads):
        for k in qd.static(range(each)):
            for s in qd.static(range(threads // subgroup.group_size())):
                at = s * _RADIX + tid * each + k
                count = own[at]
                own[at] = first[k] + totals[k]
                totals[k] += count
    return totals


# The sums of the subgroups' counts of the thread's digits.
@qd.func
def _sum_rows(own: qd.template(), threads: qd.template()):
    tid = block.thread_idx()
    each = qd.static(_digits_each(threads))
    totals = qd.Vector([qd.i32(0) for _ in qd.static(range(each))])
    if _has_digits(threads):
        for k in qd.static(range(each)):
            for s in qd.static(range(threads // subgroup.group_size())):
                totals[k] += own[s * _RADIX + tid * each + k]
    return totals


# The exclusive scan of a count for each digit.
@qd.func
def _before_digits(counts, threads: qd.template()):
    each = qd.static(_digits_each(threads))
    total = counts[0]
    for k in qd.static(range(1, each)):
        total += counts[k]
    first = block.exclusive_add(total, threads, qd.i32)
    before = qd.Vector([qd.i32(0) for _ in qd.static(range(each))])
    before[0] = first
    for k in qd.static(range(1, each)):
        before[k] = before[k - 1] + counts[k - 1]
    return before
