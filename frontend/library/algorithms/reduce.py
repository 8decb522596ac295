# Reductions of arrays. Each of at most _BLOCKS blocks folds many tiles, and one block folds what
# they found. The order depends only on the number of elements, so sums of reals have the same bits
# in each run on one device. It is not the array's order: operators have to commute.
import quadrants as qd
from quadrants import algorithms
from quadrants.lang.simt import block, subgroup

# Enough to fill any GPU several times; the second pass is short.
_BLOCKS = 2048


@qd.func
def _fold_loaded(values, op: qd.template(), items: qd.template()):
    result = values[0]
    for k in qd.static(range(1, items)):
        result = algorithms._apply(op, result, values[k])
    return result


# The block's fold, in thread 0.
@qd.func
def _fold_block(value, op: qd.template(), dtype: qd.template(), staging: qd.template()):
    if qd.static(staging is None):
        if qd.static(op[0] == block._add):
            return block.reduce_add(value, algorithms.SCAN_THREADS, dtype)
        elif qd.static(op[0] == block._min):
            return block.reduce_min(value, algorithms.SCAN_THREADS, dtype)
        elif qd.static(op[0] == block._max):
            return block.reduce_max(value, algorithms.SCAN_THREADS, dtype)
        else:
            return block.reduce(value, algorithms.SCAN_THREADS, op[0], dtype)
    else:
        tid = block.thread_idx()
        result = value
        staging[tid] = result
        block.sync()
        for k in qd.static(range((algorithms.SCAN_THREADS - 1).bit_length())):
            half = qd.static(algorithms.SCAN_THREADS >> (k + 1))
            if tid < half:
                result = algorithms._apply(op, result, staging[tid + half])
                staging[tid] = result
            block.sync()
        return result


# Folds `read(source, i)` of all i below n to `out[0]`.
@qd.func(requires_top_level=True)
def _reduce(
    read: qd.template(),
    source: qd.template(),
    out: qd.template(),
    scratch: qd.template(),
    n,
    dtype: qd.template(),
    op: qd.template(),
    identity: qd.template(),
    depth: qd.template(),
):
    items = qd.static(algorithms._items(dtype))
    tile = qd.static(algorithms.SCAN_THREADS * items)
    tiles = qd.max(algorithms._tiles(n, tile), 1)
    blocks = qd.min(tiles, _BLOCKS)
    if qd.static(algorithms.CHUNKS):  # few threads, and a block's last step costs as much as a tile
        blocks = qd.min(algorithms._tiles(tiles, 8), algorithms._MOST_CHUNKS)
    qd.loop_config(block_dim=algorithms.SCAN_THREADS, name="reduce_tiles")
    for i in range(blocks * algorithms.SCAN_THREADS):
        staging = algorithms._staging(dtype)
        number = i // algorithms.SCAN_THREADS
        result = algorithms._typed(identity, dtype)
        each = number
        while each < tiles:  # a range with a step that is not known would divide to know its length
            base = each * tile
            values = algorithms._load_rows(read, source, base, n - base, identity, dtype, items)
            result = algorithms._apply(op, result, _fold_loaded(values, op, items))
            each += blocks
        total = _fold_block(result, op, dtype, staging)
        if block.thread_idx() == 0:
            if qd.static(depth > 1):
                if blocks > 1:
                    algorithms._store_fold(scratch, 0, number, total, dtype)
                else:
                    out[0] = total
            else:
                out[0] = total
    if qd.static(depth > 1):
        # No iterations, and so no launch, after a single block.
        qd.loop_config(block_dim=algorithms.SCAN_THREADS, name="reduce_folds")
        for i in range(qd.min(blocks - 1, 1) * algorithms.SCAN_THREADS):
            staging = algorithms._staging(dtype)
            result = algorithms._typed(identity, dtype)
            for base in range(0, blocks, tile):
                values = algorithms._load_rows(
                    algorithms._read_fold, (scratch, 0, dtype), base, blocks - base, identity, dtype, items
                )
                result = algorithms._apply(op, result, _fold_loaded(values, op, items))
            total = _fold_block(result, op, dtype, staging)
            if block.thread_idx() == 0:
                out[0] = total


@qd.func
def _read_transformed(source: qd.template(), i):
    return source[1](source[0][i])


@qd.func(requires_top_level=True)
def reduce(
    arr: qd.template(),
    out: qd.template(),
    scratch: qd.template(),
    n: qd.template(),
    dtype: qd.template(),
    op: qd.template(),
    identity: qd.template(),
    log256_max_n: qd.template() = 4,
):
    algorithms._check_scratch(scratch, dtype)
    algorithms._check_depth(log256_max_n)
    _reduce(
        algorithms._read_element, arr, out, scratch, algorithms._count(n), dtype, (op,), identity, log256_max_n
    )


@qd.func(requires_top_level=True)
def transform_reduce(
    arr: qd.template(),
    out: qd.template(),
    scratch: qd.template(),
    n: qd.template(),
    dtype: qd.template(),
    transform: qd.template(),
    op: qd.template(),
    identity: qd.template(),
    log256_max_n: qd.template() = 4,
):
    algorithms._check_scratch(scratch, dtype)
    algorithms._check_depth(log256_max_n)
    _reduce(
        _read_transformed,
        (arr, transform),
        out,
        scratch,
        algorithms._count(n),
        dtype,
        (op,),
        identity,
        log256_max_n,
    )


@qd.func(requires_top_level=True)
def reduce_add(
    arr: qd.template(),
    out: qd.template(),
    scratch: qd.template(),
    n: qd.template(),
    dtype: qd.template(),
    log256_max_n: qd.template(),
):
    reduce(arr, out, scratch, n, dtype, block._add, 0, log256_max_n)


@qd.func(requires_top_level=True)
def reduce_min(
    arr: qd.template(),
    out: qd.template(),
    scratch: qd.template(),
    n: qd.template(),
    dtype: qd.template(),
    log256_max_n: qd.template(),
):
    reduce(arr, out, scratch, n, dtype, block._min, algorithms._greatest(dtype), log256_max_n)


@qd.func(requires_top_level=True)
def reduce_max(
    arr: qd.template(),
    out: qd.template(),
    scratch: qd.template(),
    n: qd.template(),
    dtype: qd.template(),
    log256_max_n: qd.template(),
):
    reduce(arr, out, scratch, n, dtype, block._max, algorithms._least(dtype), log256_max_n)
