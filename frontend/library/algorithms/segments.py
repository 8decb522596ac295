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
    items = qd.static(algorithms._items(dtype))
    tile = qd.static(algorithms.SCAN_THREADS * items)
    count = algorithms._count(segments)
    qd.loop_config(block_dim=algorithms.SCAN_THREADS, name="segments")
    for i in range(count * algorithms.SCAN_THREADS):
        staging = algorithms._staging(dtype)
        s = i // algorithms.SCAN_THREADS
        end = offsets[s + 1]
        result = algorithms._typed(identity, dtype)
        for base in range(offsets[s], end, tile):
            values = algorithms._load_rows(algorithms._read_element, arr, base, end - base, identity, dtype, items)
            result = op(result, algorithms._fold_loaded(values, (op,), items))
        total = algorithms._fold_block(result, (op,), dtype, staging)
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
    items = qd.static(algorithms._items(dtype))
    tile = qd.static(algorithms.SCAN_THREADS * items)
    count = algorithms._count(segments)
    qd.loop_config(block_dim=algorithms.SCAN_THREADS, name="segments")
    for i in range(count * algorithms.SCAN_THREADS):
        staging = algorithms._staging(dtype)
        s = i // algorithms.SCAN_THREADS
        end = offsets[s + 1]
        earlier = algorithms._typed(identity, dtype)
        for base in range(offsets[s], end, tile):
            values = algorithms._load_rows(algorithms._read_element, arr, base, end - base, identity, dtype, items)
            rows, carries, before, total = algorithms._scan_rows(values, (op,), identity, dtype, items, staging)
            algorithms._write_rows(
                algorithms._write_scanned,
                out,
                values,
                rows,
                carries,
                op(earlier, before),
                base,
                end - base,
                (op,),
                dtype,
                items,
                inclusive,
                staging,
            )
            earlier = op(earlier, total)


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
    stop = qd.static(algorithms._key_width(key_dtype) if end_bit is None else end_bit)
    algorithms._check_bits(key_dtype, begin_bit, stop)
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
        for p in qd.static(range(algorithms._passes(begin_bit, stop))):
            _sort_segment(
                (keys, tmp_keys)[p % 2],
                (tmp_keys, keys)[p % 2],
                (values, tmp_values)[p % 2],
                (tmp_values, values)[p % 2],
                begin,
                end,
                own,
                starts,
                places,
                counts,
                masks,
                key_dtype,
                has_values,
                qd.static(algorithms._pass_start(p, begin_bit, stop)),
                qd.static(algorithms._pass_width(p, begin_bit, stop)),
                descending,
            )


# One pass over a segment: counts the digits, then moves the tiles in turn.
@qd.func
def _sort_segment(
    keys: qd.template(),
    keys_out: qd.template(),
    values: qd.template(),
    values_out: qd.template(),
    begin,
    end,
    own: qd.template(),
    starts: qd.template(),
    places: qd.template(),
    counts: qd.template(),
    masks: qd.template(),
    dtype: qd.template(),
    has_values: qd.template(),
    start: qd.template(),
    bits: qd.template(),
    descending: qd.template(),
):
    threads = qd.static(min(256, 16 * subgroup.group_size()))
    wave = qd.static(subgroup.group_size())
    each = qd.static(algorithms._RADIX // threads)
    tile = qd.static(threads * 8)
    tid = block.thread_idx()
    first = algorithms._first(8)
    row = tid // wave * algorithms._RADIX
    for k in qd.static(range(each)):
        counts[tid * each + k] = 0
    block.sync()
    for base in range(begin, end, tile):
        loaded = algorithms._load_keys(keys, base, end - base, 8, dtype, threads)
        algorithms._add_digits(loaded, counts, 0, end - base, first, 8, dtype, start, bits, descending)
    block.sync()
    totals = qd.Vector([qd.cast(counts[tid * each + k], qd.i32) for k in qd.static(range(each))])
    before = algorithms._before_digits(totals, threads)
    for k in qd.static(range(each)):
        places[tid * each + k] = begin + before[k]
    for base in range(begin, end, tile):
        left = end - base
        loaded = algorithms._load_keys(keys, base, left, 8, dtype, threads)
        for k in qd.static(range(algorithms._RADIX // wave)):
            own[k * threads + tid] = 0
        block.sync()
        ranks, here = algorithms._rank_tile(
            algorithms._loaded_digit,
            (loaded, left, first, dtype, start, bits, descending),
            8,
            threads,
            own,
            starts,
            masks,
        )
        for k in qd.static(range(8)):
            if first + k * wave < left:
                digit = ranks[k] >> 16
                at = (ranks[k] & 0xFFFF) + own[row + digit] + places[digit]
                keys_out[at] = loaded[k]
                if qd.static(has_values):
                    values_out[at] = values[base + first + k * wave]
        block.sync()
        for k in qd.static(range(each)):
            places[tid * each + k] += here[k]
    block.sync()
