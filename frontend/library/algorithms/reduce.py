# Reductions of arrays. Each of at most _BLOCKS blocks folds many tiles, and one block folds what
# they found. The order depends only on the number of elements, so sums of reals have the same bits
# in each run on one device. It is not the array's order: operators have to commute.
import quadrants as qd
from quadrants import algorithms
from quadrants.lang.simt import block, subgroup

# Enough to fill any GPU several times; the second pass is short.
_BLOCKS = 2048


# Folds `read(source, i)` of all i below n to `out[0]`.
@qd.func(requires_top_level=True)
def _reduce(
    fold: qd.template(),
    source: qd.template(),
    out: qd.template(),
    scratch: qd.template(),
    n: qd.template(),
    depth: qd.template(),
):
    algorithms._check_scratch(scratch, fold.dtype)
    algorithms._check_depth(depth)
    count = algorithms._count(n)
    items = qd.static(algorithms._items(fold))
    tiles = qd.max(algorithms._tiles(count, qd.static(algorithms.SCAN_THREADS * items)), 1)
    blocks = qd.min(tiles, _BLOCKS)
    if qd.static(algorithms.CHUNKS):  # few threads, and a block's last step costs as much as a tile
        blocks = qd.min(algorithms._tiles(tiles, 8), algorithms._MOST_CHUNKS)
    qd.loop_config(block_dim=algorithms.SCAN_THREADS, name="reduce_tiles")
    for i in range(blocks * algorithms.SCAN_THREADS):
        tile = algorithms._Tile(fold, items)
        number = i // algorithms.SCAN_THREADS
        result = fold.identity()
        each = number
        while each < tiles:  # a range with a step that is not known would divide to know its length
            base = each * tile.size
            values = tile.load(source, base, count - base)
            result = fold.join(result, tile.fold_loaded(values))
            each += blocks
        total = tile.fold_block(result)
        if block.thread_idx() == 0:
            if qd.static(depth > 1):
                if blocks > 1:
                    algorithms._store_fold(scratch, 0, number, total, fold.dtype)
                else:
                    out[0] = total
            else:
                out[0] = total
    if qd.static(depth > 1):
        # No iterations, and so no launch, after a single block.
        qd.loop_config(block_dim=algorithms.SCAN_THREADS, name="reduce_folds")
        for i in range(qd.min(blocks - 1, 1) * algorithms.SCAN_THREADS):
            tile = algorithms._Tile(algorithms._of_folds(fold), items)
            total = _fold_range(tile, (scratch, 0, fold.dtype), 0, blocks)
            if block.thread_idx() == 0:
                out[0] = total


# The block's fold of the elements from `begin` to below `end`, tile by tile, in thread 0.
@qd.func
def _fold_range(tile: qd.template(), source: qd.template(), begin, end):
    result = tile.fold.identity()
    for base in range(begin, end, tile.size):
        values = tile.load(source, base, end - base)
        result = tile.fold.join(result, tile.fold_loaded(values))
    return tile.fold_block(result)


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
    if qd.static(algorithms._is_sum(dtype, op)):
        _reduce_sum(arr, out, scratch, n, dtype, op, identity, log256_max_n)
    elif qd.static(algorithms._is_extreme(dtype, op)):
        _reduce_extreme(arr, out, scratch, n, dtype, op, identity, log256_max_n)
    else:
        _reduce(algorithms._Fold(dtype, op, identity), arr, out, scratch, n, log256_max_n)


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
    _reduce(
        algorithms._Fold(dtype, op, identity, _read_transformed), (arr, transform), out, scratch, n, log256_max_n
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


# ---- Derivatives ------------------------------------------------------------------------
# derivatives.py says how these functions are used.


@qd.func(requires_top_level=True)
def _reduce_sum(
    arr: qd.template(),
    out: qd.template(),
    scratch: qd.template(),
    n: qd.template(),
    dtype: qd.template(),
    op: qd.template(),
    identity: qd.template(),
    log256_max_n: qd.template(),
):
    _reduce(algorithms._Fold(dtype, op, identity), arr, out, scratch, n, log256_max_n)


@qd.ad.grad_for(_reduce_sum)
@qd.func(requires_top_level=True)
def _reduce_sum_grad(
    arr: qd.template(),
    out: qd.template(),
    scratch: qd.template(),
    n: qd.template(),
    dtype: qd.template(),
    op: qd.template(),
    identity: qd.template(),
    log256_max_n: qd.template(),
):
    if qd.static(algorithms._reach(arr.grad, out.grad, dtype)):
        for i in range(algorithms._count(n)):
            arr.grad[i] = arr.grad[i] + out.grad[0]
    algorithms._clear_derivative(out.grad, 1)


@qd.ad.dual_for(_reduce_sum)
@qd.func(requires_top_level=True)
def _reduce_sum_dual(
    arr: qd.template(),
    out: qd.template(),
    scratch: qd.template(),
    n: qd.template(),
    dtype: qd.template(),
    op: qd.template(),
    identity: qd.template(),
    log256_max_n: qd.template(),
):
    if qd.static(algorithms._reach(arr.dual, out.dual, dtype)):
        _reduce_sum(arr.dual, out.dual, scratch, n, dtype, op, identity, log256_max_n)
    else:
        algorithms._clear_derivative(out.dual, 1)


@qd.func(requires_top_level=True)
def _reduce_extreme(
    arr: qd.template(),
    out: qd.template(),
    scratch: qd.template(),
    n: qd.template(),
    dtype: qd.template(),
    op: qd.template(),
    identity: qd.template(),
    log256_max_n: qd.template(),
):
    _reduce(algorithms._Fold(dtype, op, identity), arr, out, scratch, n, log256_max_n)


# True for an element that is the minimum or maximum.
@qd.func
def _is_result(arr: qd.template(), out: qd.template(), i, dtype: qd.template()):
    return qd.cast(qd.cast(arr[i], dtype), out.dtype) == out[0]


# Equal elements share it.
@qd.ad.grad_for(_reduce_extreme)
@qd.func(requires_top_level=True)
def _reduce_extreme_grad(
    arr: qd.template(),
    out: qd.template(),
    scratch: qd.template(),
    n: qd.template(),
    dtype: qd.template(),
    op: qd.template(),
    identity: qd.template(),
    log256_max_n: qd.template(),
):
    if qd.static(algorithms._reach(arr.grad, out.grad, dtype)):
        count = algorithms._count(n)
        equal = 0 * count
        for i in range(count):
            if _is_result(arr, out, i, dtype):
                equal += 1
        for i in range(count):
            if _is_result(arr, out, i, dtype):
                arr.grad[i] = arr.grad[i] + out.grad[0] / equal
    algorithms._clear_derivative(out.grad, 1)


@qd.ad.dual_for(_reduce_extreme)
@qd.func(requires_top_level=True)
def _reduce_extreme_dual(
    arr: qd.template(),
    out: qd.template(),
    scratch: qd.template(),
    n: qd.template(),
    dtype: qd.template(),
    op: qd.template(),
    identity: qd.template(),
    log256_max_n: qd.template(),
):
    if qd.static(algorithms._reach(arr.dual, out.dual, dtype)):
        count = algorithms._count(n)
        equal = 0 * count
        total = qd.cast(0, dtype)
        for i in range(count):
            if _is_result(arr, out, i, dtype):
                equal += 1
                total += qd.cast(arr.dual[i], dtype)
        out.dual[0] = total / qd.max(equal, 1)
    else:
        algorithms._clear_derivative(out.dual, 1)
