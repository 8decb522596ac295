# Reductions, scans and sorts of segments: segment s has the elements `offsets[s]` to
# `offsets[s + 1] - 1`. Each has a block of its own, which goes over it tile by tile.
import quadrants as qd
from quadrants import algorithms
from quadrants.lang.simt import block, subgroup


@qd.func(requires_top_level=True)
def segmented_reduce(
    arr: qd.template(),
    out: qd.template(),
    offsets: qd.template(),
    segments: qd.template(),
    dtype: qd.template(),
    op: qd.template(),
    identity: qd.template(),
):
    fold = algorithms._Fold(dtype, op, identity)
    count = algorithms._count(segments)
    qd.loop_config(block_dim=algorithms.SCAN_THREADS, name="segments")
    for i in range(count * algorithms.SCAN_THREADS):
        tile = algorithms._Tile(fold, algorithms._items(fold))
        s = i // algorithms.SCAN_THREADS
        end = offsets[s + 1]
        total = algorithms._fold_range(tile, arr, offsets[s], end)
        if block.thread_idx() == 0:
            out[s] = total


@qd.func(requires_top_level=True)
def segmented_scan(
    arr: qd.template(),
    out: qd.template(),
    offsets: qd.template(),
    segments: qd.template(),
    dtype: qd.template(),
    op: qd.template(),
    identity: qd.template(),
    inclusive: qd.template() = False,
):
    fold = algorithms._Fold(dtype, op, identity, inclusive=inclusive)
    count = algorithms._count(segments)
    qd.loop_config(block_dim=algorithms.SCAN_THREADS, name="segments")
    for i in range(count * algorithms.SCAN_THREADS):
        tile = algorithms._Tile(fold, algorithms._items(fold))
        s = i // algorithms.SCAN_THREADS
        end = offsets[s + 1]
        algorithms._scan_range(tile, arr, out, offsets[s], end)


@qd.func(requires_top_level=True)
def segmented_sort(
    keys: qd.template(),
    tmp_keys: qd.template(),
    values: qd.template(),
    tmp_values: qd.template(),
    offsets: qd.template(),
    segments: qd.template(),
    key_dtype: qd.template(),
    has_values: qd.template(),
    end_bit: qd.template(),
    begin_bit: qd.template() = 0,
    descending: qd.template() = False,
):
    sort = algorithms._Sort(
        keys, tmp_keys, values, tmp_values, key_dtype, has_values, begin_bit, end_bit, descending
    )
    threads = qd.static(min(256, 16 * subgroup.group_size()))
    count = algorithms._count(segments)
    qd.loop_config(block_dim=threads, name="segments")
    for i in range(count * threads):
        begin = offsets[i // threads]
        end = offsets[i // threads + 1]
        own = block.SharedArray((threads // subgroup.group_size() * algorithms._RADIX,), qd.i32)
        starts = block.SharedArray((algorithms._RADIX,), qd.i32)
        places = block.SharedArray((algorithms._RADIX,), algorithms._dtype(begin))
        counts = block.SharedArray((algorithms._RADIX,), qd.u32)
        masks = algorithms._make_masks(threads)
        for p in qd.static(range(sort.passes)):
            _sort_segment(algorithms._Move(sort, p, threads, 8), begin, end, own, starts, places, counts, masks)


# One pass over a segment: counts the digits, then moves the tiles in turn.
@qd.func
def _sort_segment(
    move: qd.template(),
    begin,
    end,
    own: qd.template(),
    starts: qd.template(),
    places: qd.template(),
    counts: qd.template(),
    masks: qd.template(),
):
    threads = qd.static(move.threads)
    wave = qd.static(subgroup.group_size())
    each = qd.static(algorithms._RADIX // threads)
    tile = qd.static(threads * move.items)
    tid = block.thread_idx()
    first = algorithms._first(move.items)
    row = tid // wave * algorithms._RADIX
    for k in qd.static(range(each)):
        counts[tid * each + k] = 0
    block.sync()
    for base in range(begin, end, tile):
        loaded = move.load(base, end - base)
        move.add_digits(loaded, counts, 0, end - base, first)
    block.sync()
    totals = qd.Vector([qd.cast(counts[tid * each + k], qd.i32) for k in qd.static(range(each))])
    before = algorithms._before_digits(totals, threads)
    for k in qd.static(range(each)):
        places[tid * each + k] = begin + before[k]
    for base in range(begin, end, tile):
        left = end - base
        loaded = move.load(base, left)
        for k in qd.static(range(algorithms._RADIX // wave)):
            own[k * threads + tid] = 0
        block.sync()
        ranks, here = algorithms._rank_tile(
            algorithms._loaded_digit, (loaded, left, first, move), move.items, threads, own, starts, masks
        )
        for k in qd.static(range(move.items)):
            if first + k * wave < left:
                digit = ranks[k] >> 16
                at = (ranks[k] & 0xFFFF) + own[row + digit] + places[digit]
                move.keys_out[at] = loaded[k]
                if qd.static(move.has_values):
                    move.values_out[at] = move.values[base + first + k * wave]
        block.sync()
        for k in qd.static(range(each)):
            places[tid * each + k] += here[k]
    block.sync()


# ---- Gradients --------------------------------------------------------------------------
# derivatives.py says how this function is used.


@qd.ad.grad_for(segmented_sort)
@qd.func(requires_top_level=True)
def _segmented_sort_grad(
    keys: qd.template(),
    tmp_keys: qd.template(),
    values: qd.template(),
    tmp_values: qd.template(),
    offsets: qd.template(),
    segments: qd.template(),
    key_dtype: qd.template(),
    has_values: qd.template(),
    end_bit: qd.template(),
    begin_bit: qd.template(),
    descending: qd.template(),
):
    algorithms._refuse_gradient(keys, values, has_values)
