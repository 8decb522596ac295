# A stable sort by key: a radix sort from the least digit up, of 8 bits a digit at most. A pass moves
# each element once (A. Adinets, D. Merrill, Onesweep, 2022): a tile ranks its elements, looks back for
# how many elements of each digit earlier tiles have, and stores its elements behind those. Meanwhile
# it counts the digits of the next pass.
#
# Keys move as they are; what orders them is made of their bits each time. The number of passes is
# even, so that the result is where the keys were.
#
# As in lookback.py, a word tells a state and a number, and a block that misses a tile's counts makes
# them itself. `scratch` has, in this order: three rows of digits' counts, of this pass, the next one
# and the one behind it; as many tickets; and two tables of tiles' states, of this pass and the next.
import quadrants as qd
from quadrants import algorithms
from quadrants.lang.simt import block, grid, subgroup

_RADIX = 256
# Places in scratch.
_TICKETS = 3 * _RADIX
_TABLES = _TICKETS + 3
# States of a tile's digit: 0; the tile's count, and 1; or the count of all tiles up to it, and this.
_PREFIX = 1 << 16
_LOOKS = 256


# ---- Sizes ------------------------------------------------------------------------------


# Threads of a block. A block has a row of counts for each subgroup, so there are at most 16.
@qd.func
def _sort_block():
    if qd.static(subgroup.group_size() < 16):
        return 16 * subgroup.group_size()
    else:
        return 256


# A tile has 2048 elements at least, so that scratch is no more than Quadrants asks for.
@qd.func
def _sort_items(dtype: qd.template()):
    if qd.static(subgroup.group_size() < 16):
        return 2048 // (16 * subgroup.group_size())
    elif qd.static(subgroup.group_size() >= 32 and dtype not in algorithms._WORDS8):
        return 16
    else:
        return 8


@qd.func
def _key_width(dtype: qd.template()):
    qd.static_assert(dtype in algorithms._SCALARS, "`key_dtype` has to be a scalar type")
    if qd.static(dtype in algorithms._WORDS8):
        return 64
    elif qd.static(dtype in algorithms._WORDS4):
        return 32
    elif qd.static(dtype in (qd.i16, qd.u16, qd.f16, qd.bf16)):
        return 16
    else:
        return 8


# ---- What orders keys -------------------------------------------------------------------


# Bits that are ordered as the keys are, when read as an unsigned number. Of reals, negative ones come
# first, -0 before 0, and NaN last (before all others, where its sign is set).
@qd.func
def _ordered(key, dtype: qd.template(), descending: qd.template()):
    width = qd.static(_key_width(dtype))
    if qd.static(width == 64):
        bits = qd.bit_cast(key, qd.u64)
        if qd.static(dtype == qd.i64):
            bits = bits ^ (qd.u64(1) << qd.u64(63))
        elif qd.static(dtype == qd.f64):
            bits = bits ^ (qd.cast(qd.bit_cast(key, qd.i64) >> 63, qd.u64) | (qd.u64(1) << qd.u64(63)))
        if qd.static(descending):
            bits = ~bits
        return bits
    else:
        bits = _ordered_word(key, dtype, width)
        if qd.static(descending):
            bits = bits ^ qd.u32((1 << width) - 1)
        return bits


@qd.func
def _ordered_word(key, dtype: qd.template(), width: qd.template()):
    top = qd.u32(1 << (width - 1))
    if qd.static(dtype in algorithms._REALS):
        signed = qd.bit_cast(key, qd.i32 if width == 32 else qd.i16)
        word = qd.cast(qd.cast(signed, qd.i32), qd.u32) & qd.u32((1 << width) - 1)
        return word ^ ((qd.cast(qd.cast(signed, qd.i32) >> 31, qd.u32) | top) & qd.u32((1 << width) - 1))
    elif qd.static(dtype in (qd.i8, qd.i16, qd.i32)):
        return (qd.cast(qd.cast(key, qd.i32), qd.u32) ^ top) & qd.u32((1 << width) - 1)
    else:
        return qd.cast(key, qd.u32)


@qd.func
def _digit(key, dtype: qd.template(), start: qd.template(), bits: qd.template(), descending: qd.template()):
    ordered = _ordered(key, dtype, descending)
    if qd.static(bits == 0):
        return 0
    else:
        return qd.cast(
            (ordered >> qd.cast(start, algorithms._dtype(ordered)))
            & qd.cast((1 << bits) - 1, algorithms._dtype(ordered)),
            qd.i32,
        )


@qd.func
def _sort_first(items: qd.template()):
    wave = qd.static(subgroup.group_size())
    return block.thread_idx() // wave * (wave * items) + subgroup.invocation_id()


@qd.func
def _load_keys(
    keys: qd.template(), base, left, first, items: qd.template(), dtype: qd.template(), threads: qd.template()
):
    wave = qd.static(subgroup.group_size())
    loaded = qd.Vector([qd.cast(0, dtype) for _ in qd.static(range(items))])
    if left >= threads * items:
        for k in qd.static(range(items)):
            loaded[k] = keys[base + first + k * wave]
    else:
        for k in qd.static(range(items)):
            if first + k * wave < left:
                loaded[k] = keys[base + first + k * wave]
    return loaded


# Adds the digits of the thread's keys to `own`, of shared memory.
@qd.func
def _add_digits(
    loaded,
    own: qd.template(),
    left,
    first,
    items: qd.template(),
    dtype: qd.template(),
    start: qd.template(),
    bits: qd.template(),
    descending: qd.template(),
):
    wave = qd.static(subgroup.group_size())
    for k in qd.static(range(items)):
        if first + k * wave < left:
            qd.atomic_add(own[_digit(loaded[k], dtype, start, bits, descending)], qd.u32(1))


# ---- Before the passes ------------------------------------------------------------------


@qd.func(requires_top_level=True)
def _clear(scratch: qd.template(), words):
    qd.loop_config(block_dim=256, name="clear_states")
    for i in range(words):
        scratch[i] = qd.u32(0)


# The counts of the first digit. A block takes many tiles.
@qd.func(requires_top_level=True)
def _count_first(
    keys: qd.template(),
    scratch: qd.template(),
    n,
    tiles,
    several,
    dtype: qd.template(),
    start: qd.template(),
    bits: qd.template(),
    descending: qd.template(),
):
    items = qd.static(_sort_items(dtype))
    threads = qd.static(_sort_block())
    blocks = qd.min(tiles, 1024) * several
    qd.loop_config(block_dim=threads, name="count_digits")
    for i in range(blocks * threads):
        own = block.SharedArray((_RADIX,), qd.u32)
        tid = block.thread_idx()
        first = _sort_first(items)
        for k in qd.static(range(_RADIX // threads)):
            own[tid + k * threads] = 0
        block.sync()
        for number in range(i // threads, tiles, blocks):
            base = number * qd.static(threads * items)
            loaded = _load_keys(keys, base, n - base, first, items, dtype, threads)
            _add_digits(loaded, own, n - base, first, items, dtype, start, bits, descending)
        block.sync()
        for k in qd.static(range(_RADIX // threads)):
            qd.atomic_add(scratch[tid + k * threads], own[tid + k * threads])


# ---- Ranks ------------------------------------------------------------------------------


# Of the subgroup's lanes with this lane's digit: how many come before it, and how many there are.
@qd.func
def _peers(digit, masks: qd.template()):
    wave = qd.static(subgroup.group_size())
    lane = subgroup.invocation_id()
    if qd.static(wave <= 32):
        same = qd.cast(subgroup._match(digit, 8), qd.u32)
        below = (qd.u32(1) << qd.cast(lane, qd.u32)) - qd.u32(1)
        return qd.math.popcnt(same & below), qd.math.popcnt(same)
    elif qd.static(wave == 64):
        same = subgroup._match(digit, 8)
        below = (qd.u64(1) << qd.cast(lane, qd.u64)) - qd.u64(1)
        return qd.math.popcnt(same & below), qd.math.popcnt(same)
    else:
        # No ballot has so many bits: each lane sets its bit in its digit's words, which the lowest
        # one clears again.
        words = qd.static(wave // 32)
        mine = block.thread_idx() // wave * (_RADIX * words) + digit * words
        qd.atomic_or(masks[mine + lane // 32], qd.u32(1) << qd.cast(lane % 32, qd.u32))
        subgroup.sync()
        before = 0
        total = 0
        for k in qd.static(range(words)):
            word = masks[mine + k]
            total += qd.math.popcnt(word)
            if k < lane // 32:
                before += qd.math.popcnt(word)
            elif k == lane // 32:
                before += qd.math.popcnt(word & ((qd.u32(1) << qd.cast(lane % 32, qd.u32)) - qd.u32(1)))
        subgroup.sync()
        if before == 0:
            for k in qd.static(range(words)):
                masks[mine + k] = 0
        subgroup.sync()
        return before, total


@qd.func
def _make_masks():
    wave = qd.static(subgroup.group_size())
    if qd.static(wave > 64):
        masks = block.SharedArray((_sort_block() // wave * _RADIX * (wave // 32),), qd.u32)
        for k in qd.static(range(_RADIX * (wave // 32) // wave)):
            masks[k * _sort_block() + block.thread_idx()] = 0
        return masks
    else:
        return None


# The ranks of the thread's elements among those of equal digits in the subgroup, in order. `own` is
# the subgroups' counts, a row of digits each, which are complete behind the next barrier.
@qd.func
def _rank_rows(digits, items: qd.template(), own: qd.template(), masks: qd.template()):
    wave = qd.static(subgroup.group_size())
    row = block.thread_idx() // wave * _RADIX
    ranks = qd.Vector([qd.i32(0) for _ in qd.static(range(items))])
    for k in qd.static(range(items)):
        before, total = _peers(digits[k], masks)
        earlier = own[row + digits[k]]
        subgroup.sync()
        if before == 0:
            own[row + digits[k]] = earlier + total
        subgroup.sync()
        ranks[k] = earlier + before
    return ranks


# Replaces the subgroups' counts by what is before each in the tile, of equal digits. Stores where the
# tile's elements of each digit begin, in the order of digits, to `starts`. Returns the tile's counts
# of the thread's digits, `each * tid` and behind.
@qd.func
def _scan_counts(own: qd.template(), starts: qd.template(), threads: qd.template()):
    wave = qd.static(subgroup.group_size())
    tid = block.thread_idx()
    each = qd.static(_RADIX // threads)
    totals = qd.Vector([qd.i32(0) for _ in qd.static(range(each))])
    for k in qd.static(range(each)):
        for s in qd.static(range(threads // wave)):
            at = s * _RADIX + tid * each + k
            count = own[at]
            own[at] = totals[k]
            totals[k] += count
    before = _before_digits(totals, threads)
    for k in qd.static(range(each)):
        starts[tid * each + k] = before[k]
    return totals


# The exclusive scan of a count for each digit.
@qd.func
def _before_digits(counts, threads: qd.template()):
    each = qd.static(_RADIX // threads)
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


# How many elements of each of the thread's digits the tiles before tile `number` have. `counts` are
# the tile's own. `table` is where the states of tile 0 begin, a row of digits for each tile.
@qd.func
def _earlier_digits(
    keys: qd.template(),
    scratch: qd.template(),
    table,
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
    each = qd.static(_RADIX // threads)
    digit = block.thread_idx() * each
    missing = block.SharedArray((1,), qd.i32)
    made = block.SharedArray((_RADIX,), qd.u32)
    earlier = qd.Vector([qd.i32(0) for _ in qd.static(range(each))])
    at = qd.Vector([number - 1 for _ in qd.static(range(each))])
    for k in qd.static(range(each)):
        state = qd.cast(counts[k], qd.u32) + qd.u32(1)
        if number == 0:
            state += qd.u32(_PREFIX - 1)
        qd.atomic_exchange(scratch[table + number * _RADIX + digit + k], state)
    searches = number > 0
    while searches:
        for k in qd.static(range(each)):
            looks = 0
            while at[k] >= 0 and looks < _LOOKS:
                state = qd.volatile_load(scratch[table + at[k] * _RADIX + digit + k])
                if state >= qd.u32(_PREFIX):
                    earlier[k] += qd.cast(state - qd.u32(_PREFIX), qd.i32)
                    at[k] = -1
                elif state != qd.u32(0):
                    earlier[k] += qd.cast(state, qd.i32) - 1
                    at[k] -= 1
                    looks = 0
                else:
                    looks += 1
                    grid.pause()
        if block.thread_idx() == 0:
            missing[0] = -1
        block.sync()
        for k in qd.static(range(each)):
            if at[k] >= 0:
                qd.atomic_max(missing[0], at[k])
            made[digit + k] = 0
        block.sync()
        tile = missing[0]
        searches = tile >= 0
        if searches: # its counts do not come: they are made of its keys, which are all there
            base = tile * qd.static(threads * items)
            loaded = _load_keys(keys, base, qd.static(threads * items), first, items, dtype, threads)
            _add_digits(
                loaded, made, qd.static(threads * items), first, items, dtype, start, bits, descending
            )
        block.sync()
        for k in qd.static(range(each)):
            if searches and at[k] == tile:
                earlier[k] += qd.cast(made[digit + k], qd.i32)
                at[k] -= 1
    if number > 0:
        for k in qd.static(range(each)):
            state = qd.cast(earlier[k] + counts[k], qd.u32) + qd.u32(_PREFIX)
            qd.atomic_exchange(scratch[table + number * _RADIX + digit + k], state)
    return earlier


# ---- A pass -----------------------------------------------------------------------------


# `next_start` and `next_bits` are the digit of the next pass, if there is one.
@qd.func(requires_top_level=True)
def _pass(
    keys: qd.template(),
    keys_out: qd.template(),
    values: qd.template(),
    values_out: qd.template(),
    scratch: qd.template(),
    n,
    number_of_pass: qd.template(),
    dtype: qd.template(),
    has_values: qd.template(),
    start: qd.template(),
    bits: qd.template(),
    next_start: qd.template(),
    next_bits: qd.template(),
    is_last: qd.template(),
    descending: qd.template(),
):
    items = qd.static(_sort_items(dtype))
    threads = qd.static(_sort_block())
    tile = qd.static(threads * items)
    wave = qd.static(subgroup.group_size())
    each = qd.static(_RADIX // threads)
    this = qd.static(number_of_pass % 3)
    following = qd.static((number_of_pass + 1) % 3)
    unused = qd.static((number_of_pass + 2) % 3)
    tiles = algorithms._tiles(n, tile)
    qd.loop_config(block_dim=threads, name="sort_pass")
    for i in range(tiles * threads):
        own = block.SharedArray((threads // wave * _RADIX,), qd.i32)
        starts = block.SharedArray((_RADIX,), qd.i32)
        shift = block.SharedArray((_RADIX,), qd.i32)
        counted = block.SharedArray((_RADIX,), qd.u32)
        masks = _make_masks()
        tid = block.thread_idx()
        number = i // threads
        if tiles > 1:
            number = algorithms._draw(scratch, _TICKETS + this)
        base = number * tile
        left = n - base
        first = _sort_first(items)
        for k in qd.static(range(_RADIX // wave)):
            own[k * threads + tid] = 0
        for k in qd.static(range(each)):
            counted[k * threads + tid] = 0
        loaded = _load_keys(keys, base, left, first, items, dtype, threads)
        # What is behind the end has the greatest digit: it is the last of the last tile.
        digits = qd.Vector([qd.i32((1 << bits) - 1) for _ in qd.static(range(items))])
        for k in qd.static(range(items)):
            if first + k * wave < left:
                digits[k] = _digit(loaded[k], dtype, start, bits, descending)
        block.sync()
        ranks = _rank_rows(digits, items, own, masks)
        if qd.static(next_bits > 0):
            if tiles > 1:
                _add_digits(
                    loaded, counted, left, first, items, dtype, next_start, next_bits, descending
                )
        block.sync()
        counts = _scan_counts(own, starts, threads)
        block.sync()
        row = tid // wave * _RADIX
        for k in qd.static(range(items)):
            ranks[k] += own[row + digits[k]] + starts[digits[k]]
        if tiles > 1:
            table = _TABLES + qd.static(number_of_pass % 2) * _RADIX * tiles
            other = _TABLES + qd.static((number_of_pass + 1) % 2) * _RADIX * tiles
            bases = qd.Vector([qd.i32(0) for _ in qd.static(range(each))])
            for k in qd.static(range(each)):
                d = tid * each + k
                bases[k] = qd.cast(scratch[this * _RADIX + d], qd.i32)
                if qd.static(next_bits > 0):
                    qd.atomic_add(scratch[following * _RADIX + d], counted[d])
                if qd.static(not is_last):
                    scratch[other + number * _RADIX + d] = qd.u32(0)
                    if number == 0:
                        scratch[unused * _RADIX + d] = qd.u32(0)
                        if d == 0:
                            scratch[_TICKETS + unused] = qd.u32(0)
            bases = _before_digits(bases, threads)
            earlier = _earlier_digits(
                keys, scratch, table, number, counts, first, items, threads, dtype, start, bits, descending
            )
            for k in qd.static(range(each)):
                d = tid * each + k
                shift[d] = bases[k] + earlier[k] - starts[d]
        else:
            for k in qd.static(range(each)):
                shift[tid * each + k] = 0
        block.sync()
        _store_keys(
            loaded, keys_out, shift, ranks, digits, left, first, items, threads, dtype, start, bits, descending
        )
        if qd.static(has_values):
            _store_values(
                values, values_out, shift, ranks, digits, base, left, first, items, threads
            )


# True if a tile of keys fits in shared memory beside the counts, within 32 KiB.
@qd.func
def _is_staged(dtype: qd.template()):
    if qd.static(dtype in algorithms._WORDS8):
        return subgroup.group_size() > 16
    else:
        return True


# Stores the keys, where there is room through shared memory in the order of digits, so that
# neighbours go together.
@qd.func
def _store_keys(
    loaded,
    keys_out: qd.template(),
    shift: qd.template(),
    ranks,
    digits,
    left,
    first,
    items: qd.template(),
    threads: qd.template(),
    dtype: qd.template(),
    start: qd.template(),
    bits: qd.template(),
    descending: qd.template(),
):
    wave = qd.static(subgroup.group_size())
    if qd.static(_is_staged(dtype)):
        staged = block.SharedArray((threads * items,), dtype)
        for k in qd.static(range(items)):
            if first + k * wave < left:
                staged[ranks[k]] = loaded[k]
        block.sync()
        for k in qd.static(range(items)):
            at = k * threads + block.thread_idx()
            if at < left:
                key = staged[at]
                keys_out[at + shift[_digit(key, dtype, start, bits, descending)]] = key
    else:
        for k in qd.static(range(items)):
            if first + k * wave < left:
                keys_out[ranks[k] + shift[digits[k]]] = loaded[k]


@qd.func
def _store_values(
    values: qd.template(),
    values_out: qd.template(),
    shift: qd.template(),
    ranks,
    digits,
    base,
    left,
    first,
    items: qd.template(),
    threads: qd.template(),
):
    wave = qd.static(subgroup.group_size())
    for k in qd.static(range(items)):
        if first + k * wave < left:
            values_out[ranks[k] + shift[digits[k]]] = values[base + first + k * wave]


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
    qd.static_assert(
        0 <= begin_bit and begin_bit < end_bit and end_bit <= _key_width(key_dtype),
        "`begin_bit` and `end_bit` name bits of the key: 0 <= begin_bit < end_bit <= its width",
    )
    count = algorithms._count(n)
    qd.static_assert(algorithms._dtype(count) == qd.i32, "`n` of `sort` is an i32")
    passes = qd.static((end_bit - begin_bit + 15) // 16 * 2)
    bits = qd.static((end_bit - begin_bit + passes - 1) // passes)
    tiles = algorithms._tiles(count, qd.static(_sort_block() * _sort_items(key_dtype)))
    several = qd.min(tiles - 1, 1)
    _clear(scratch, several * (tiles * _RADIX + _TABLES))
    _count_first(
        keys, scratch, count, tiles, several, key_dtype, begin_bit, min(bits, end_bit - begin_bit), descending
    )
    for p in qd.static(range(passes)):
        start = qd.static(begin_bit + p * bits)
        width = qd.static(max(min(bits, end_bit - start), 0))
        after = qd.static(start + width)
        is_last = qd.static(p + 1 == passes)
        next_bits = qd.static(0 if is_last else max(min(bits, end_bit - after), 0))
        if qd.static(p % 2 == 0):
            _pass(
                keys,
                tmp_keys,
                values,
                tmp_values,
                scratch,
                count,
                p,
                key_dtype,
                has_values,
                start,
                width,
                after,
                next_bits,
                is_last,
                descending,
            )
        else:
            _pass(
                tmp_keys,
                keys,
                tmp_values,
                values,
                scratch,
                count,
                p,
                key_dtype,
                has_values,
                start,
                width,
                after,
                next_bits,
                is_last,
                descending,
            )


@qd.func
def sort_scratch_slots(n, log256_max_n: qd.template() = 4):
    counts = qd.max(algorithms._tiles(n, algorithms._BLOCK), 1) * _RADIX
    return counts + algorithms._levels(counts, log256_max_n)
