# Digits of keys, for sorts and for top_k: what orders keys, and a thread's keys of a tile.
import quadrants as qd
from quadrants import algorithms
from quadrants.lang import impl
from quadrants.lang.simt import block, subgroup


# ---- Sizes ------------------------------------------------------------------------------

# Builds may set these, and tune them. 0: by the target, and by the types of the keys and values.
SORT_THREADS = 0  # threads of a block: a multiple of 128
SORT_ITEMS = 0  # keys a thread: a tile has 2048 at least, so that scratch is as Quadrants asks for
# True on NVIDIA's GPUs that have shared memory for large tiles; and on those that have it for values
# beside the keys. The sizes that depend on them were the fastest on an H100.
SORT_LARGE = qd.cfg.arch == qd.cuda and impl.get_max_shared_memory_bytes() >= 96 * 1024
SORT_TWINS = qd.cfg.arch == qd.cuda and impl.get_max_shared_memory_bytes() >= 200 * 1024
# True on devices with Vulkan that have shared memory for tiles of middle size.
SORT_MIDDLE = qd.cfg.arch == qd.vulkan and impl.get_max_shared_memory_bytes() >= 48 * 1024
SORT_WINDOW = 4  # tiles whose states a look back loads at once
# True: a subgroup finds equal digits by words in shared memory, else by ballots.
SORT_MASKS = False
SORT_BLOCKS = 0  # blocks that registers are to leave room for on a multiprocessor


@qd.func
def _is_middle():
    return algorithms.SORT_MIDDLE and subgroup.group_size() >= 32


# Threads of a block. A block has a row of counts for each subgroup.
@qd.func
def _sort_block(dtype: qd.template(), has_twins: qd.template()):
    if qd.static(algorithms.SORT_THREADS != 0):
        return algorithms.SORT_THREADS
    elif qd.static(algorithms.SORT_LARGE):
        return 768 if qd.static(has_twins) else 512
    elif qd.static(subgroup.group_size() < 16):
        return 16 * subgroup.group_size()
    elif qd.static(_is_middle() and dtype not in algorithms._WORDS8):
        return 384
    else:
        return 256


@qd.func
def _sort_items(dtype: qd.template(), has_twins: qd.template()):
    if qd.static(algorithms.SORT_ITEMS != 0):
        return algorithms.SORT_ITEMS
    elif qd.static(algorithms.SORT_TWINS and not has_twins):
        return 16 if qd.static(dtype in algorithms._WORDS8) else 23
    elif qd.static(algorithms.SORT_LARGE):
        return 10 if qd.static(has_twins and dtype in algorithms._WORDS8) else 18
    elif qd.static(subgroup.group_size() < 16):
        return 2048 // (16 * subgroup.group_size())
    elif qd.static(_is_middle()):
        return 18
    elif qd.static(subgroup.group_size() >= 32 and dtype not in algorithms._WORDS8):
        return 16
    elif qd.static(subgroup.group_size() >= 32 and qd.cfg.arch == qd.vulkan):
        return 10  # 31 of 32 KiB of shared memory, which all devices have
    else:
        return 8


# Blocks that registers leave room for on a multiprocessor; 0: as they come.
@qd.func
def _sort_blocks(has_twins: qd.template()):
    if qd.static(algorithms.SORT_BLOCKS != 0 or not algorithms.SORT_LARGE):
        return algorithms.SORT_BLOCKS
    else:
        return 1 if qd.static(has_twins) else 2


@qd.func
def _key_width(dtype: qd.template()):
    qd.static_assert(dtype in algorithms._SCALARS, "`key_dtype` has to be a scalar type")
    if qd.static(dtype in algorithms._WORDS8):
        return 64
    elif qd.static(dtype in algorithms._WORDS4):
        return 32
    elif qd.static(dtype in (qd.u1, qd.i8, qd.u8, qd.f8e4m3, qd.f8e5m2)):
        return 8
    else:
        return 16


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
        signed = qd.bit_cast(key, qd.i32 if width == 32 else qd.i16 if width == 16 else qd.i8)
        word = qd.cast(qd.cast(signed, qd.i32), qd.u32) & qd.u32((1 << width) - 1)
        return word ^ ((qd.cast(qd.cast(signed, qd.i32) >> 31, qd.u32) | top) & qd.u32((1 << width) - 1))
    elif qd.static(dtype in (qd.i8, qd.i16, qd.i32)):
        return (qd.cast(qd.cast(key, qd.i32), qd.u32) ^ top) & qd.u32((1 << width) - 1)
    else:
        return qd.cast(key, qd.u32)


# ---- Passes of a sort -------------------------------------------------------------------


# A sort by the bits from `begin_bit` to below `end_bit`; None: by all that are above. Passes have 8 bits at
# most. Their number is even, so that the result is where the keys were.
@qd.data_oriented
class _Sort:
    def __init__(
        self,
        keys: qd.template(),
        tmp_keys: qd.template(),
        values: qd.template(),
        tmp_values: qd.template(),
        dtype: qd.template(),
        has_values: qd.template(),
        begin_bit: qd.template(),
        end_bit: qd.template(),
        descending: qd.template(),
    ):
        self.keys = (keys, tmp_keys)
        self.values = (values, tmp_values)
        self.dtype = dtype
        self.has_values = has_values
        self.begin_bit = begin_bit
        self.end_bit = qd.static(_key_width(dtype) if end_bit is None else end_bit)
        self.descending = descending
        qd.static_assert(
            0 <= begin_bit and begin_bit < self.end_bit and self.end_bit <= _key_width(dtype),
            "`begin_bit` and `end_bit` name bits of the key: 0 <= begin_bit < end_bit <= its width",
        )
        self.passes = qd.static((self.end_bit - begin_bit + 15) // 16 * 2)
        self.bits = qd.static((self.end_bit - begin_bit + self.passes - 1) // self.passes)


# A pass: the arrays that it moves elements between, and the digit by which it does, the `bits` from bit
# `start` on. There are fewer where the sort's bits end, and none after that. A block takes tiles of `items`
# keys for each of its threads.
@qd.data_oriented
class _Move:
    def __init__(
        self, sort: qd.template(), number: qd.template(), threads: qd.template() = 1, items: qd.template() = 1
    ):
        self.keys = sort.keys[number % 2]
        self.keys_out = sort.keys[1 - number % 2]
        self.values = sort.values[number % 2]
        self.values_out = sort.values[1 - number % 2]
        self.dtype = sort.dtype
        self.has_values = sort.has_values
        self.start = qd.static(sort.begin_bit + number * sort.bits)
        self.bits = qd.static(max(min(sort.bits, sort.end_bit - self.start), 0))
        self.descending = sort.descending
        self.threads = threads
        self.items = items

    @qd.func
    def digit(self, key):
        if qd.static(self.bits == 0):
            return 0
        else:
            ordered = _ordered(key, self.dtype, self.descending)
            word = qd.static(algorithms._dtype(ordered))
            return qd.cast((ordered >> qd.cast(self.start, word)) & qd.cast((1 << self.bits) - 1, word), qd.i32)

    # The thread's keys of the tile at `base`, of which `left` are left.
    @qd.func
    def load(self, base, left):
        return _load_keys(self.keys, base, left, self.items, self.dtype, self.threads)

    # Adds the digits of the thread's keys to `own`, of shared memory, from `row` on.
    @qd.func
    def add_digits(self, loaded, own: qd.template(), row: qd.template(), left, first):
        wave = qd.static(subgroup.group_size())
        for k in qd.static(range(self.items)):
            if first + k * wave < left:
                qd.atomic_add(own[row + self.digit(loaded[k])], qd.cast(1, own.dtype))


@qd.func
def _load_keys(keys: qd.template(), base, left, items: qd.template(), dtype: qd.template(), threads: qd.template()):
    return algorithms._load(algorithms._Fold(dtype, None, 0), keys, base, left, items, threads)
