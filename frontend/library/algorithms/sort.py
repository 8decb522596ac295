# A stable sort by key: a radix sort from the least digit up, of 8 bits a digit at most. A pass counts
# the digits of each tile, scans the counts, and moves each tile's elements behind those of equal
# digits in earlier tiles. Keys move as they are; what orders them is made of their bits each time.
#
# The number of passes is even, so that the result is where the keys were.
import quadrants as qd
from quadrants import algorithms
from quadrants.lang.simt import block, subgroup

_RADIX = 256


# ---- Sizes ------------------------------------------------------------------------------


# Threads of a block. A block has a row of counts for each subgroup, so there are at most 16.
@qd.func
def _sort_block():
    if qd.static(subgroup.group_size() < 16):
        return 16 * subgroup.group_size()
    else:
        return 256


@qd.func
def _sort_items(dtype: qd.template()):
    if qd.static(subgroup.group_size() >= 32 and dtype not in algorithms._WORDS8):
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


# The digits of the thread's elements. Those behind the end have the greatest digit: they are the
# last of the last tile, so that they come after all others.
@qd.func
def _load_digits(
    keys: qd.template(),
    base,
    left,
    first,
    items: qd.template(),
    dtype: qd.template(),
    start: qd.template(),
    bits: qd.template(),
    descending: qd.template(),
):
    wave = qd.static(subgroup.group_size())
    digits = qd.Vector([qd.i32((1 << bits) - 1) for _ in qd.static(range(items))])
    for k in qd.static(range(items)):
        if first + k * wave < left:
            digits[k] = _digit(keys[base + first + k * wave], dtype, start, bits, descending)
    return digits


# ---- Counts -----------------------------------------------------------------------------


# `counts[d * tiles + tile]`: how many keys of the tile have the digit d.
@qd.func(requires_top_level=True)
def _count_digits(
    keys: qd.template(),
    counts: qd.template(),
    n,
    tiles,
    dtype: qd.template(),
    start: qd.template(),
    bits: qd.template(),
    descending: qd.template(),
):
    items = qd.static(_sort_items(dtype))
    threads = qd.static(_sort_block())
    wave = qd.static(subgroup.group_size())
    qd.loop_config(block_dim=threads, name="count_digits")
    for i in range(tiles * threads):
        own = block.SharedArray((_RADIX,), qd.u32)
        tid = block.thread_idx()
        number = i // threads
        base = number * (threads * items)
        first = _sort_first(items)
        for k in qd.static(range(_RADIX // threads)):
            own[tid + k * threads] = 0
        digits = _load_digits(keys, base, n - base, first, items, dtype, start, bits, descending)
        block.sync()
        for k in qd.static(range(items)):
            if first + k * wave < n - base:
                qd.atomic_add(own[digits[k]], qd.u32(1))
        block.sync()
        for k in qd.static(range(_RADIX // threads)):
            counts[(tid + k * threads) * tiles + number] = own[tid + k * threads]


@qd.func
def _sort_first(items: qd.template()):
    wave = qd.static(subgroup.group_size())
    return block.thread_idx() // wave * (wave * items) + subgroup.invocation_id()


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


# Replaces the subgroups' counts by what is before each in the tile, of equal digits, and stores where
# the tile's elements of each digit begin, in the order of digits, to `starts`.
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
    total = totals[0]
    for k in qd.static(range(1, each)):
        total += totals[k]
    before = block.exclusive_add(total, threads, qd.i32)
    for k in qd.static(range(each)):
        starts[tid * each + k] = before
        before += totals[k]


# ---- Moves ------------------------------------------------------------------------------


# Moves each tile's elements to their places. `counts` has been scanned.
@qd.func(requires_top_level=True)
def _move_tiles(
    keys: qd.template(),
    keys_out: qd.template(),
    values: qd.template(),
    values_out: qd.template(),
    counts: qd.template(),
    n,
    tiles,
    dtype: qd.template(),
    has_values: qd.template(),
    start: qd.template(),
    bits: qd.template(),
    descending: qd.template(),
):
    items = qd.static(_sort_items(dtype))
    threads = qd.static(_sort_block())
    tile = qd.static(threads * items)
    wave = qd.static(subgroup.group_size())
    qd.loop_config(block_dim=threads, name="move_tiles")
    for i in range(tiles * threads):
        own = block.SharedArray((threads // wave * _RADIX,), qd.i32)
        starts = block.SharedArray((_RADIX,), qd.i32)
        masks = _make_masks()
        tid = block.thread_idx()
        number = i // threads
        base = number * tile
        left = n - base
        first = _sort_first(items)
        for k in qd.static(range(_RADIX // wave)):
            own[k * threads + tid] = 0
        digits = _load_digits(keys, base, left, first, items, dtype, start, bits, descending)
        block.sync()
        ranks = _rank_rows(digits, items, own, masks)
        block.sync()
        _scan_counts(own, starts, threads)
        block.sync()
        # From the place in the order of digits to the place in the array.
        shift = block.SharedArray((_RADIX,), qd.i32)
        for k in qd.static(range(_RADIX // threads)):
            d = tid + k * threads
            shift[d] = qd.cast(counts[d * tiles + number], qd.i32) - starts[d]
        row = tid // wave * _RADIX
        for k in qd.static(range(items)):
            ranks[k] += own[row + digits[k]] + starts[digits[k]]
        block.sync()
        _exchange(
            keys, keys_out, shift, ranks, digits, base, left, first, items, dtype, dtype, start, bits, descending
        )
        if qd.static(has_values):
            for k in qd.static(range(items)):
                if first + k * wave < left:
                    values_out[ranks[k] + shift[digits[k]]] = values[base + first + k * wave]


# Brings the keys into the order of digits in shared memory, so that neighbours are stored together.
@qd.func
def _exchange(
    keys: qd.template(),
    keys_out: qd.template(),
    shift: qd.template(),
    ranks,
    digits,
    base,
    left,
    first,
    items: qd.template(),
    dtype: qd.template(),
    key_dtype: qd.template(),
    start: qd.template(),
    bits: qd.template(),
    descending: qd.template(),
):
    threads = qd.static(_sort_block())
    wave = qd.static(subgroup.group_size())
    staged = block.SharedArray((threads * items,), dtype)
    for k in qd.static(range(items)):
        if first + k * wave < left:
            staged[ranks[k]] = keys[base + first + k * wave]
    block.sync()
    for k in qd.static(range(items)):
        at = k * threads + block.thread_idx()
        if at < left:
            key = staged[at]
            keys_out[at + shift[_digit(key, key_dtype, start, bits, descending)]] = key


# ---- The sort ---------------------------------------------------------------------------


@qd.func
def _read_count(source: qd.template(), i):
    return qd.bit_cast(source[i], qd.u32)


@qd.func
def _write_count(sink: qd.template(), i, value, scanned):
    sink[i] = qd.bit_cast(scanned, sink.dtype)


@qd.func(requires_top_level=True)
def _pass(
    keys: qd.template(),
    keys_out: qd.template(),
    values: qd.template(),
    values_out: qd.template(),
    scratch: qd.template(),
    n,
    dtype: qd.template(),
    has_values: qd.template(),
    start: qd.template(),
    bits: qd.template(),
    descending: qd.template(),
):
    tiles = algorithms._tiles(n, qd.static(_sort_block() * _sort_items(dtype)))
    _count_digits(keys, scratch, n, tiles, dtype, start, bits, descending)
    algorithms._scan(
        _read_count,
        scratch,
        _write_count,
        scratch,
        scratch,
        tiles * _RADIX,
        tiles * _RADIX,
        qd.u32,
        (block._add,),
        0,
        False,
        4,
    )
    _move_tiles(
        keys, keys_out, values, values_out, scratch, n, tiles, dtype, has_values, start, bits, descending
    )


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
    passes = qd.static((end_bit - begin_bit + 15) // 16 * 2)
    bits = qd.static((end_bit - begin_bit + passes - 1) // passes)
    for p in qd.static(range(passes)):
        start = qd.static(begin_bit + p * bits)
        width = qd.static(max(min(bits, end_bit - start), 0))
        if qd.static(p % 2 == 0):
            _pass(keys, tmp_keys, values, tmp_values, scratch, count, key_dtype, has_values, start, width, descending)
        else:
            _pass(tmp_keys, keys, tmp_values, values, scratch, count, key_dtype, has_values, start, width, descending)


@qd.func
def sort_scratch_slots(n, log256_max_n: qd.template() = 4):
    counts = qd.max(algorithms._tiles(n, algorithms._BLOCK), 1) * _RADIX
    return counts + algorithms._levels(counts, log256_max_n)
