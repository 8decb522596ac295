# A stable sort by key: a radix sort from the least digit up, of 8 bits a digit at most. A pass moves
# each element once (A. Adinets, D. Merrill, Onesweep, 2022): a tile counts its digits and tells the
# counts, brings its elements in order in shared memory (ranks.py), looks back for how many elements of
# each digit earlier tiles have (sortback.py), and stores its elements after those. Before each four
# passes, the keys are read once more to count their digits.
#
# Keys move as they are; what orders them is made of their bits each time. The number of passes is
# even, so that the result is where the keys were.
#
# `scratch` has, in this order: a row of digits' counts for each of four passes; as many tickets; and
# two tables of tiles' states, of this pass and the next.
import quadrants as qd
from quadrants import algorithms
from quadrants.lang.simt import block, subgroup

# Places in scratch.
_GROUP = 4
_TICKETS = _GROUP * algorithms._RADIX
_TABLES = _TICKETS + _GROUP


# ---- Before the passes ------------------------------------------------------------------


@qd.func(requires_top_level=True)
def _clear(scratch: qd.template(), words):
    qd.loop_config(block_dim=256, name="clear_states")
    for i in range(words):
        scratch[i] = qd.u32(0)


# The counts of the digits of some passes, from `pass_begin` on. A block takes many tiles.
@qd.func(requires_top_level=True)
def _count_digits(
    sort: qd.template(), pass_begin: qd.template(), pass_end: qd.template(), scratch: qd.template(), n, several
):
    items = qd.static(8 if sort.dtype in algorithms._WORDS8 else 16)
    threads = qd.static(min(256, 16 * subgroup.group_size()))
    tile = qd.static(threads * items)
    rows = qd.static(pass_end - pass_begin)
    tiles = algorithms._tiles(n, tile)
    blocks = qd.min(tiles, 1024) * several
    qd.loop_config(block_dim=threads, name="count_digits")
    for i in range(blocks * threads):
        own = block.SharedArray((rows * algorithms._RADIX,), qd.u32)
        tid = block.thread_idx()
        first = algorithms._first(items)
        for k in qd.static(range(rows * algorithms._RADIX // threads)):
            own[tid + k * threads] = 0
        block.sync()
        for number in range(i // threads, tiles, blocks):
            base = number * tile
            left = algorithms._left(n, base, tile)
            loaded = algorithms._load_keys(sort.keys[0], base, left, items, sort.dtype, threads)
            for p in qd.static(range(rows)):
                move = algorithms._Move(sort, pass_begin + p, threads, items)
                move.add_digits(loaded, own, p * algorithms._RADIX, left, first)
        block.sync()
        for k in qd.static(range(rows * algorithms._RADIX // threads)):
            qd.atomic_add(scratch[tid + k * threads], own[tid + k * threads])


# ---- A pass -----------------------------------------------------------------------------


@qd.func(requires_top_level=True)
def _pass(sort: qd.template(), number_of_pass: qd.template(), scratch: qd.template(), n, blocks):
    has_twins = qd.static(_has_twins(sort))
    items = qd.static(algorithms._sort_items(sort.dtype, has_twins))
    threads = qd.static(algorithms._sort_block(sort.dtype, has_twins))
    move = algorithms._Move(sort, number_of_pass, threads, items)
    tile = qd.static(threads * items)
    wave = qd.static(subgroup.group_size())
    each = qd.static(algorithms._digits_each(threads))
    in_group = qd.static(number_of_pass % _GROUP)
    tiles = qd.cast(algorithms._tiles(n, tile), qd.i32)
    if qd.static(algorithms._sort_blocks(has_twins) != 0):
        qd.loop_config(block_dim=threads, name="sort_pass", min_blocks=algorithms._sort_blocks(has_twins))
    else:
        qd.loop_config(block_dim=threads, name="sort_pass")
    for i in range(blocks * threads):
        own = block.SharedArray((threads // wave * algorithms._RADIX,), qd.i32)
        shift = block.SharedArray((algorithms._RADIX,), algorithms._dtype(n))
        made = block.SharedArray((algorithms._RADIX,), qd.u32)  # counts of the digits of a whole tile
        masks = algorithms._make_masks(threads)
        staged = _make_staged(move, _is_staged(move.dtype))
        twins = _make_staged(move, has_twins)
        tid = block.thread_idx()
        number = i // threads
        if tiles > 1:
            number = algorithms._draw(scratch, _TICKETS + in_group, number)
        base = qd.cast(number, algorithms._dtype(n)) * tile
        left = algorithms._left(n, base, tile)
        first = algorithms._first(items)
        row = tid // wave * algorithms._RADIX
        table = _TABLES + qd.static(number_of_pass % 2) * algorithms._RADIX * tiles
        other = _TABLES + qd.static((number_of_pass + 1) % 2) * algorithms._RADIX * tiles
        for k in qd.static(range(algorithms._RADIX // wave)):
            own[k * threads + tid] = 0
        loaded = move.load(base, left)
        block.sync()
        # Counts of all subgroups, and what others wait for.
        move.add_digits(loaded, own, row, left, first)
        block.sync()
        counts = algorithms._sum_rows(own, threads)
        earlier = qd.Vector([qd.i32(0) for _ in qd.static(range(each))])
        if tiles > 1:
            if number == 0:
                earlier = algorithms._bases(scratch, in_group * algorithms._RADIX, threads)
                algorithms._tell_digits(scratch, table, number, earlier + counts, algorithms._SORT_PREFIX, threads)
            else:
                algorithms._tell_digits(scratch, table, number, counts, 1, threads)
            if algorithms._has_digits(threads):
                for k in qd.static(range(each)):
                    scratch[other + number * algorithms._RADIX + tid * each + k] = qd.u32(0)
        # The tile's elements in order.
        before = algorithms._before_digits(counts, threads)
        algorithms._scan_rows_of(own, before, threads)
        block.sync()
        moved = _load_twins(move, base, left, has_twins)
        ranks = algorithms._rank_rows(
            algorithms._loaded_digit,
            (loaded, left, first, move),
            items,
            own,
            masks,
            _stage,
            (staged, twins, loaded, moved, left, first),
        )
        # Where they go.
        if number > 0:
            earlier = algorithms._earlier_digits(
                move, scratch, made, n, table, in_group * algorithms._RADIX, number, counts, first
            )
        if algorithms._has_digits(threads):
            for k in qd.static(range(each)):
                shift[tid * each + k] = algorithms._widened(earlier[k] if tiles > 1 else before[k], n) - before[k]
        block.sync()
        if qd.static(staged is not None):
            _store_staged(move, staged, twins, shift, ranks, base, left, first)
        else:
            for k in qd.static(range(items)):
                if first + k * wave < left:
                    at = (ranks[k] & 0xFFFF) + shift[ranks[k] >> 16]
                    move.keys_out[at] = loaded[k]
                    if qd.static(move.has_values):
                        move.values_out[at] = move.values[base + first + k * wave]


# True if a tile of keys fits in shared memory beside the counts, within 32 KiB.
@qd.func
def _is_staged(dtype: qd.template()):
    if qd.static(dtype in algorithms._WORDS8):
        return subgroup.group_size() > 16
    else:
        return True


# True if there is shared memory for a tile's values beside its keys.
@qd.func
def _has_twins(sort: qd.template()):
    if qd.static(sort.has_values and algorithms.SORT_TWINS):
        return _is_alike(sort.values[0], sort.dtype)
    else:
        return False


@qd.func
def _load_twins(move: qd.template(), base, left, has_twins: qd.template()):
    if qd.static(has_twins):
        return algorithms._load_keys(move.values, base, left, move.items, move.values.dtype, move.threads)
    else:
        return None


# Shared memory for words as large as keys.
@qd.func
def _make_staged(move: qd.template(), is_used: qd.template()):
    if qd.static(is_used):
        return block.SharedArray((move.threads * move.items,), _word_of(move.dtype))
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
    move: qd.template(), staged: qd.template(), twins: qd.template(), shift: qd.template(), ranks, base, left, first
):
    wave = qd.static(subgroup.group_size())
    word = qd.static(_word_of(move.dtype))
    places = qd.Vector([0 * base for _ in qd.static(range(move.items))])
    for k in qd.static(range(move.items)):
        at = k * move.threads + block.thread_idx()
        if at < left:
            key = qd.bit_cast(staged[at], move.dtype)
            places[k] = at + shift[move.digit(key)]
            move.keys_out[places[k]] = key
            if qd.static(twins is not None):
                move.values_out[places[k]] = qd.bit_cast(twins[at], move.values.dtype)
    if qd.static(move.has_values and twins is None):
        if qd.static(_is_alike(move.values, move.dtype)):
            block.sync()
            for k in qd.static(range(move.items)):
                if first + k * wave < left:
                    staged[ranks[k] & 0xFFFF] = qd.bit_cast(move.values[base + first + k * wave], word)
            block.sync()
            for k in qd.static(range(move.items)):
                at = k * move.threads + block.thread_idx()
                if at < left:
                    move.values_out[places[k]] = qd.bit_cast(staged[at], move.values.dtype)
        else:
            for k in qd.static(range(move.items)):
                if first + k * wave < left:
                    move.values_out[(ranks[k] & 0xFFFF) + shift[ranks[k] >> 16]] = move.values[base + first + k * wave]


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
    sort = algorithms._Sort(
        keys, tmp_keys, values, tmp_values, key_dtype, has_values, begin_bit, end_bit, descending
    )
    count = algorithms._count(n)
    if qd.static(algorithms.CHUNKS):
        for p in qd.static(range(sort.passes)):
            algorithms._pass_in_chunks(sort, p, scratch, count)
    else:
        _sort_in_tiles(sort, scratch, count)


@qd.func(requires_top_level=True)
def _sort_in_tiles(sort: qd.template(), scratch: qd.template(), count):
    has_twins = qd.static(_has_twins(sort))
    tile = qd.static(algorithms._sort_block(sort.dtype, has_twins) * algorithms._sort_items(sort.dtype, has_twins))
    qd.static_assert(tile >= 2048, "a tile of a sort has at least 2048 keys: SORT_THREADS * SORT_ITEMS")
    tiles = algorithms._tiles(count, tile)
    several = qd.min(tiles - 1, 1)
    # 1 if there are more keys than `_sort_few` takes.
    many = qd.min(qd.max(count - (algorithms._FEW if qd.static(algorithms._sorts_few()) else 0), 0), 1)
    few = qd.min(count, 1) - many
    blocks = tiles * many
    if qd.static(algorithms._sorts_few()):
        algorithms._sort_few(sort, count, few)
    for p in qd.static(range(sort.passes)):
        if qd.static(p % _GROUP == 0):
            _clear(scratch, several * (tiles * algorithms._RADIX + _TABLES))
            _count_digits(sort, p, qd.static(min(p + _GROUP, sort.passes)), scratch, count, several)
        _pass(sort, p, scratch, count, blocks)


# ---- Gradients --------------------------------------------------------------------------
# derivatives.py says how this function is used.


@qd.ad.grad_for(sort)
@qd.func(requires_top_level=True)
def _sort_grad(
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
    begin_bit: qd.template(),
    descending: qd.template(),
):
    algorithms._refuse_gradient(keys, values, has_values)
