# A stable sort by key: a radix sort from the least digit up, of 8 bits a digit at most. A pass moves
# each element once (A. Adinets, D. Merrill, Onesweep, 2022): a tile counts its digits and tells the
# counts, brings its elements in order in shared memory, looks back for how many elements of each digit
# earlier tiles have, and stores its elements behind those. Before each four passes, the keys are read
# once more to count their digits.
#
# Keys move as they are; what orders them is made of their bits each time. The number of passes is
# even, so that the result is where the keys were.
#
# As in lookback.py, a word tells a state and a number, and a block that misses a tile's counts makes
# them itself. The number is below 2**32 - 2**16, and so is n, whatever its type. `scratch` has, in this
# order: a row of digits' counts for each of four passes; as many tickets; and two tables of tiles'
# states, of this pass and the next.
import quadrants as qd
from quadrants import algorithms
from quadrants.lang.simt import block, grid, subgroup

_RADIX = 256
# Places in scratch.
_GROUP = 4
_TICKETS = _GROUP * _RADIX
_TABLES = _TICKETS + _GROUP
# States of a tile's digit: 0; the tile's count, and 1; or where the digit's elements of all tiles up to
# it end in the result, and this.
_PREFIX = 1 << 16
# How often a thread looks for a state, and how often without a pause: the next tile is mostly about
# to tell it.
_LOOKS = 256
_EAGER = 16


# ---- Before the passes ------------------------------------------------------------------


@qd.func(requires_top_level=True)
def _clear(scratch: qd.template(), words):
    qd.loop_config(block_dim=256, name="clear_states")
    for i in range(words):
        scratch[i] = qd.u32(0)


# The counts of the digits of some passes, from `pass_begin` on. A block takes many tiles.
@qd.func(requires_top_level=True)
def _count_digits(
    keys: qd.template(),
    scratch: qd.template(),
    n,
    several,
    dtype: qd.template(),
    pass_begin: qd.template(),
    pass_end: qd.template(),
    begin_bit: qd.template(),
    end_bit: qd.template(),
    descending: qd.template(),
):
    items = qd.static(8 if dtype in algorithms._WORDS8 else 16)
    threads = qd.static(min(256, 16 * subgroup.group_size()))
    rows = qd.static(pass_end - pass_begin)
    tiles = algorithms._tiles(n, qd.static(threads * items))
    blocks = qd.min(tiles, 1024) * several
    qd.loop_config(block_dim=threads, name="count_digits")
    for i in range(blocks * threads):
        own = block.SharedArray((rows * _RADIX,), qd.u32)
        tid = block.thread_idx()
        first = algorithms._first(items)
        for k in qd.static(range(rows * _RADIX // threads)):
            own[tid + k * threads] = 0
        block.sync()
        for number in range(i // threads, tiles, blocks):
            base = number * qd.static(threads * items)
            left = algorithms._left(n, base, qd.static(threads * items))
            loaded = algorithms._load_keys(keys, base, left, items, dtype, threads)
            for p in qd.static(range(rows)):
                start = qd.static(algorithms._pass_start(pass_begin + p, begin_bit, end_bit))
                width = qd.static(algorithms._pass_width(pass_begin + p, begin_bit, end_bit))
                algorithms._add_digits(loaded, own, p * _RADIX, left, first, items, dtype, start, width, descending)
        block.sync()
        for k in qd.static(range(rows * _RADIX // threads)):
            qd.atomic_add(scratch[tid + k * threads], own[tid + k * threads])


# ---- Ranks ------------------------------------------------------------------------------


# True if lanes with equal digits find each other by words in shared memory: no ballot has more than
# 64 bits.
@qd.func
def _has_masks():
    return algorithms.SORT_MASKS or subgroup.group_size() > 64


# Of the subgroup's lanes with this lane's digit: how many come before it, and how many there are.
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


# As `_peers`: each lane sets its bit in its digit's words. Whoever comes first clears them behind the
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


# The digit of a thread's k-th key in a pass. What is behind the end has the greatest digit, as it is
# the last of the last tile. source: (loaded, left, first, dtype, start, bits, descending)
@qd.func
def _loaded_digit(source: qd.template(), k: qd.template()):
    bits = qd.static(source[5])
    digit = qd.i32((1 << bits) - 1)
    if source[2] + k * subgroup.group_size() < source[1]:
        digit = algorithms._digit(source[0][k], source[3], source[4], bits, source[6])
    return digit


# The ranks of the thread's keys among those of equal digits in the subgroup, in order, and in the upper
# half of a word their digits, `digit_of(source, k)`. They count on from `own`, a row of digits for each
# subgroup: where that is 0 at first, it has the subgroups' counts behind the next barrier. As soon as a
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
# thread's digits; behind it, `own` and `starts` are complete.
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


# The digits of a thread: `each * tid` and behind, of the first threads only, if there are more threads
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


# ---- The look back ----------------------------------------------------------------------


# Where the elements of the thread's digits begin in the result, of all keys.
@qd.func
def _bases(scratch: qd.template(), row, threads: qd.template()):
    each = qd.static(_digits_each(threads))
    totals = qd.Vector([qd.i32(0) for _ in qd.static(range(each))])
    if _has_digits(threads):
        for k in qd.static(range(each)):
            totals[k] = qd.cast(scratch[row + block.thread_idx() * each + k], qd.i32)
    return _before_digits(totals, threads)


# Tells a number for each of the thread's digits, and the state. `table` is where the states of tile 0
# begin, a row of digits for each tile.
@qd.func
def _tell_digits(scratch: qd.template(), table, number, counts, state: qd.template(), threads: qd.template()):
    each = qd.static(_digits_each(threads))
    if _has_digits(threads):
        for k in qd.static(range(each)):
            at = table + number * _RADIX + block.thread_idx() * each + k
            qd.atomic_exchange(scratch[at], qd.cast(counts[k], qd.u32) + qd.u32(state))


# Where the elements of the thread's digits of tile `number` begin in the result: behind those of the
# tiles before it, of which there are some. `counts` are the tile's own, which it has told.
@qd.func
def _earlier_digits(
    keys: qd.template(),
    scratch: qd.template(),
    made: qd.template(),
    n,
    table,
    totals_row,
    number,
    counts,
    first,
    items: qd.template(),
    threads: qd.template(),
    dtype: qd.template(),
    start: qd.template(),
    bits: qd.template(),
    descending: qd.template(),
):
    each = qd.static(_digits_each(threads))
    digit = block.thread_idx() * each
    has = _has_digits(threads)
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
                        qd.volatile_load(scratch[table + qd.max(nearest - w, 0) * _RADIX + digit + k])
                        for w in qd.static(range(window))
                    ]
                )
                for w in qd.static(range(window)):
                    if at[k] >= 0 and at[k] == nearest - w: # the tiles behind it are counted
                        if states[w] >= qd.u32(_PREFIX):
                            earlier[k] += qd.cast(states[w] - qd.u32(_PREFIX), qd.i32)
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
            base = qd.cast(tile, algorithms._dtype(n)) * qd.static(threads * items)
            loaded = algorithms._load_keys(keys, base, qd.static(threads * items), items, dtype, threads)
            algorithms._add_digits(
                loaded, made, 0, qd.static(threads * items), first, items, dtype, start, bits, descending
            )
        bases = qd.Vector([qd.i32(0) for _ in qd.static(range(each))])
        if tile == 0:  # it would have told where digits begin, too
            bases = _bases(scratch, totals_row, threads)
        block.sync()
        for k in qd.static(range(each)):
            if searches and at[k] == tile:
                earlier[k] += qd.cast(made[digit + k], qd.i32) + bases[k]
                at[k] -= 1
    _tell_digits(scratch, table, number, earlier + counts, _PREFIX, threads)
    return earlier


# ---- A pass -----------------------------------------------------------------------------


@qd.func(requires_top_level=True)
def _pass(
    keys: qd.template(),
    keys_out: qd.template(),
    values: qd.template(),
    values_out: qd.template(),
    scratch: qd.template(),
    n,
    blocks,
    number_of_pass: qd.template(),
    dtype: qd.template(),
    has_values: qd.template(),
    start: qd.template(),
    bits: qd.template(),
    descending: qd.template(),
):
    has_twins = qd.static(_has_twins(values, dtype, has_values))
    items = qd.static(algorithms._sort_items(dtype, has_twins))
    threads = qd.static(algorithms._sort_block(dtype, has_twins))
    tile = qd.static(threads * items)
    wave = qd.static(subgroup.group_size())
    each = qd.static(_digits_each(threads))
    in_group = qd.static(number_of_pass % _GROUP)
    tiles = qd.cast(algorithms._tiles(n, tile), qd.i32)
    if qd.static(algorithms._sort_blocks(has_twins) != 0):
        qd.loop_config(block_dim=threads, name="sort_pass", min_blocks=algorithms._sort_blocks(has_twins))
    else:
        qd.loop_config(block_dim=threads, name="sort_pass")
    for i in range(blocks * threads):
        own = block.SharedArray((threads // wave * _RADIX,), qd.i32)
        shift = block.SharedArray((_RADIX,), algorithms._dtype(n))
        made = block.SharedArray((_RADIX,), qd.u32)  # counts of the digits of a whole tile
        masks = _make_masks(threads)
        staged = _make_staged(dtype, threads * items, _is_staged(dtype))
        twins = _make_staged(dtype, threads * items, has_twins)
        tid = block.thread_idx()
        number = i // threads
        if tiles > 1:
            number = algorithms._draw(scratch, _TICKETS + in_group, number)
        base = qd.cast(number, algorithms._dtype(n)) * tile
        left = algorithms._left(n, base, tile)
        first = algorithms._first(items)
        row = tid // wave * _RADIX
        table = _TABLES + qd.static(number_of_pass % 2) * _RADIX * tiles
        other = _TABLES + qd.static((number_of_pass + 1) % 2) * _RADIX * tiles
        for k in qd.static(range(_RADIX // wave)):
            own[k * threads + tid] = 0
        loaded = algorithms._load_keys(keys, base, left, items, dtype, threads)
        block.sync()
        # Counts of all subgroups, and what others wait for.
        algorithms._add_digits(loaded, own, row, left, first, items, dtype, start, bits, descending)
        block.sync()
        counts = _sum_rows(own, threads)
        earlier = qd.Vector([qd.i32(0) for _ in qd.static(range(each))])
        if tiles > 1:
            if number == 0:
                earlier = _bases(scratch, in_group * _RADIX, threads)
                _tell_digits(scratch, table, number, earlier + counts, _PREFIX, threads)
            else:
                _tell_digits(scratch, table, number, counts, 1, threads)
            if _has_digits(threads):
                for k in qd.static(range(each)):
                    scratch[other + number * _RADIX + tid * each + k] = qd.u32(0)
        # The tile's elements in order.
        before = _before_digits(counts, threads)
        _scan_rows_of(own, before, threads)
        block.sync()
        moved = _load_twins(values, base, left, items, threads, has_twins)
        ranks = _rank_rows(
            _loaded_digit,
            (loaded, left, first, dtype, start, bits, descending),
            items,
            own,
            masks,
            _stage,
            (staged, twins, loaded, moved, left, first),
        )
        # Where they go.
        if number > 0:
            earlier = _earlier_digits(
                keys,
                scratch,
                made,
                n,
                table,
                in_group * _RADIX,
                number,
                counts,
                first,
                items,
                threads,
                dtype,
                start,
                bits,
                descending,
            )
        if _has_digits(threads):
            for k in qd.static(range(each)):
                shift[tid * each + k] = algorithms._widened(earlier[k] if tiles > 1 else before[k], n) - before[k]
        block.sync()
        if qd.static(_is_staged(dtype)):
            _store_staged(
                staged,
                twins,
                keys_out,
                values,
                values_out,
                shift,
                ranks,
                base,
                left,
                first,
                items,
                threads,
                dtype,
                has_values,
                start,
                bits,
                descending,
            )
        else:
            for k in qd.static(range(items)):
                if first + k * wave < left:
                    at = (ranks[k] & 0xFFFF) + shift[ranks[k] >> 16]
                    keys_out[at] = loaded[k]
                    if qd.static(has_values):
                        values_out[at] = values[base + first + k * wave]


# True if a tile of keys fits in shared memory beside the counts, within 32 KiB.
@qd.func
def _is_staged(dtype: qd.template()):
    if qd.static(dtype in algorithms._WORDS8):
        return subgroup.group_size() > 16
    else:
        return True


# True if there is shared memory for a tile's values beside its keys.
@qd.func
def _has_twins(values: qd.template(), dtype: qd.template(), has_values: qd.template()):
    if qd.static(has_values and algorithms.SORT_TWINS):
        return _is_alike(values, dtype)
    else:
        return False


@qd.func
def _load_twins(
    values: qd.template(), base, left, items: qd.template(), threads: qd.template(), has_twins: qd.template()
):
    if qd.static(has_twins):
        return algorithms._load_keys(values, base, left, items, values.dtype, threads)
    else:
        return None


# Shared memory for words as large as keys.
@qd.func
def _make_staged(dtype: qd.template(), tile: qd.template(), is_used: qd.template()):
    if qd.static(is_used):
        return block.SharedArray((tile,), _word_of(dtype))
    else:
        return None


# Brings a key, and its value if there is room, to its place in the tile.
# sink: (staged, twins, keys, values, left, first)
@qd.func
def _stage(sink: qd.template(), k: qd.template(), rank):
    if qd.static(sink[0] is not None):
        if sink[5] + k * subgroup.group_size() < sink[4]:
            sink[0][rank] = qd.bit_cast(sink[2][k], sink[0].dtype)
            if qd.static(sink[1] is not None):
                sink[1][rank] = qd.bit_cast(sink[3][k], sink[1].dtype)


# Stores keys, which `staged` has in the order of digits, and values in this order too, so that
# neighbours go together. Values that are words of the keys' size are in `twins`, or take the keys'
# place in `staged`; others go directly.
@qd.func
def _store_staged(
    staged: qd.template(),
    twins: qd.template(),
    keys_out: qd.template(),
    values: qd.template(),
    values_out: qd.template(),
    shift: qd.template(),
    ranks,
    base,
    left,
    first,
    items: qd.template(),
    threads: qd.template(),
    dtype: qd.template(),
    has_values: qd.template(),
    start: qd.template(),
    bits: qd.template(),
    descending: qd.template(),
):
    wave = qd.static(subgroup.group_size())
    word = qd.static(_word_of(dtype))
    places = qd.Vector([0 * base for _ in qd.static(range(items))])
    for k in qd.static(range(items)):
        at = k * threads + block.thread_idx()
        if at < left:
            key = qd.bit_cast(staged[at], dtype)
            places[k] = at + shift[algorithms._digit(key, dtype, start, bits, descending)]
            keys_out[places[k]] = key
            if qd.static(twins is not None):
                values_out[places[k]] = qd.bit_cast(twins[at], values.dtype)
    if qd.static(has_values and twins is None):
        if qd.static(_is_alike(values, dtype)):
            block.sync()
            for k in qd.static(range(items)):
                if first + k * wave < left:
                    staged[ranks[k] & 0xFFFF] = qd.bit_cast(values[base + first + k * wave], word)
            block.sync()
            for k in qd.static(range(items)):
                at = k * threads + block.thread_idx()
                if at < left:
                    values_out[places[k]] = qd.bit_cast(staged[at], values.dtype)
        else:
            for k in qd.static(range(items)):
                if first + k * wave < left:
                    values_out[(ranks[k] & 0xFFFF) + shift[ranks[k] >> 16]] = values[base + first + k * wave]


# The type in which keys lie in shared memory: the bits of words.
@qd.func
def _word_of(dtype: qd.template()):
    if qd.static(dtype in algorithms._WORDS4):
        return qd.u32
    elif qd.static(dtype in algorithms._WORDS8):
        return qd.u64
    else:
        return dtype


# True if a value is as large as a key, and both are words.
@qd.func
def _is_alike(values: qd.template(), dtype: qd.template()):
    if qd.static(dtype in algorithms._WORDS4):
        return algorithms._is_word(values, algorithms._WORDS4)
    elif qd.static(dtype in algorithms._WORDS8):
        return algorithms._is_word(values, algorithms._WORDS8)
    else:
        return False


# ---- The sort ---------------------------------------------------------------------------


@qd.func(requires_top_level=True)
def sort(
    keys: qd.template(),
    tmp_keys: qd.template(),
    values: qd.template(),
    tmp_values: qd.template(),
    scratch: qd.template(),
    n: qd.template(),
    key_dtype: qd.template(),
    has_values: qd.template(),
    end_bit: qd.template(),
    log256_max_n: qd.template(),
    begin_bit: qd.template() = 0,
    descending: qd.template() = False,
):
    algorithms._check_scratch(scratch, qd.u32)
    algorithms._check_depth(log256_max_n)
    stop = qd.static(algorithms._key_width(key_dtype) if end_bit is None else end_bit)
    algorithms._check_bits(key_dtype, begin_bit, stop)
    count = algorithms._count(n)
    if qd.static(algorithms.CHUNKS):
        for p in qd.static(range(algorithms._passes(begin_bit, stop))):
            algorithms._pass_in_chunks(
                (keys, tmp_keys)[p % 2],
                (tmp_keys, keys)[p % 2],
                (values, tmp_values)[p % 2],
                (tmp_values, values)[p % 2],
                scratch,
                count,
                key_dtype,
                has_values,
                qd.static(algorithms._pass_start(p, begin_bit, stop)),
                qd.static(algorithms._pass_width(p, begin_bit, stop)),
                descending,
            )
    else:
        _sort_in_tiles(
            keys, tmp_keys, values, tmp_values, scratch, count, key_dtype, has_values, begin_bit, stop, descending
        )


@qd.func(requires_top_level=True)
def _sort_in_tiles(
    keys: qd.template(),
    tmp_keys: qd.template(),
    values: qd.template(),
    tmp_values: qd.template(),
    scratch: qd.template(),
    count,
    key_dtype: qd.template(),
    has_values: qd.template(),
    begin_bit: qd.template(),
    stop: qd.template(),
    descending: qd.template(),
):
    passes = qd.static(algorithms._passes(begin_bit, stop))
    has_twins = qd.static(_has_twins(values, key_dtype, has_values))
    tile = qd.static(algorithms._sort_block(key_dtype, has_twins) * algorithms._sort_items(key_dtype, has_twins))
    qd.static_assert(tile >= 2048, "a tile of a sort has at least 2048 keys: SORT_THREADS * SORT_ITEMS")
    tiles = algorithms._tiles(count, tile)
    several = qd.min(tiles - 1, 1)
    # 1 if there are more keys than `_sort_few` takes.
    many = qd.min(qd.max(count - (algorithms._FEW if qd.static(algorithms._sorts_few()) else 0), 0), 1)
    few = qd.min(count, 1) - many
    blocks = tiles * many
    if qd.static(algorithms._sorts_few()):
        algorithms._sort_few(keys, values, count, few, key_dtype, has_values, begin_bit, stop, descending)
    for p in qd.static(range(passes)):
        if qd.static(p % _GROUP == 0):
            _clear(scratch, several * (tiles * _RADIX + _TABLES))
            _count_digits(
                keys,
                scratch,
                count,
                several,
                key_dtype,
                p,
                qd.static(min(p + _GROUP, passes)),
                begin_bit,
                stop,
                descending,
            )
        _pass(
            (keys, tmp_keys)[p % 2],
            (tmp_keys, keys)[p % 2],
            (values, tmp_values)[p % 2],
            (tmp_values, values)[p % 2],
            scratch,
            count,
            blocks,
            p,
            key_dtype,
            has_values,
            qd.static(algorithms._pass_start(p, begin_bit, stop)),
            qd.static(algorithms._pass_width(p, begin_bit, stop)),
            descending,
        )


@qd.func
def sort_scratch_slots(n, log256_max_n: qd.template() = 4):
    counts = qd.max(algorithms._tiles(n, 256), 1) * _RADIX
    return counts + algorithms._levels(counts, log256_max_n)
