# Products by blocks of subgroups that have a matrix unit: copies of parts of the operands to shared memory, from
# which subgroups take what they multiply.
import quadrants as qd
from quadrants import tensors
from quadrants.lang.simt import block, subgroup

# Rows and columns of the part of the product that a subgroup makes by its matrix unit; a block has 2 by 2 of them.
BLOCK_ROWS = 32 if subgroup._APPLE else 64
BLOCK_COLS = 32 if subgroup._APPLE or subgroup._UNIT == "gfx11" else 64
BLOCK_STAGES = 3 if tensors._ASYNC else 1  # parts of the operands in shared memory
BLOCK_GROUP = 8  # parts of the product that lie below each other and are made side by side, for the L2 cache

_THREADS = 4 * subgroup._WAVE


# Starts the copies of both operands for a step of 128 bytes of the inner axis.
@qd.func
def _copy_both(
    left: qd.template(), right: qd.template(), stage, a: qd.template(), b: qd.template(), row, col, inner, fast
):
    left.copy(stage, a, row, inner, _THREADS, fast)
    right.copy(stage, b, col, inner, _THREADS, fast)


# Rows and columns of a subgroup for a kind of operands: fewer of 64 bits.
@qd.func
def _rows_of(kind: qd.template()):
    return 32 if qd.static(kind == qd.f64) else BLOCK_ROWS


@qd.func
def _cols_of(kind: qd.template()):
    return 32 if qd.static(kind == qd.f64) else BLOCK_COLS


# The parts of `size` along an axis of a product, the last one or the one before.
@qd.func
def _parts_along(c: qd.template(), axis: qd.template(), size: qd.template()):
    return (c.shape[qd.static(len(c.shape) + axis)] + (size - 1)) // size


# Adds the product of a stage.
@qd.func
def _plus_stage(sums, left: qd.template(), right: qd.template(), stage, row, col):
    result = sums
    if qd.static(left.loads_words and right.loads_words):
        for step in qd.static(range(_steps(left.kind))):
            result = _plus_step(result, left, right, stage, row, col, step)
    else:
        for step in range(_steps(left.kind)):
            result = _plus_step(result, left, right, stage, row, col, step)
    return result


@qd.func
def _plus_step(sums, left: qd.template(), right: qd.template(), stage, row, col, step):
    result = sums
    x = left.operand(stage, row, sums.rows, step)
    y = right.operand(stage, col, sums.cols, step)
    result.mma(x, y)
    return result


# The steps of 8 words in 128 bytes.
@qd.func
def _steps(kind: qd.template()):
    return 2 if qd.static(kind == qd.f64) else 4


# Adds all of a part, with copies in flight.
@qd.func
def _plus_all(
    sums,
    left: qd.template(),
    right: qd.template(),
    a: qd.template(),
    b: qd.template(),
    row,
    col,
    own_row,
    own_col,
    steps,
    fast,
):
    result = sums
    for s in qd.static(range(BLOCK_STAGES - 1)):
        if s < steps:
            _copy_both(left, right, s, a, b, row, col, s * left.inner, fast)
        block._end_copies()
    stage = 0
    for k in range(steps):
        block._await_copies(BLOCK_STAGES - 2)
        block.sync()
        ahead = k + (BLOCK_STAGES - 1)
        if ahead < steps:
            _copy_both(
                left, right, stage - 1 if stage > 0 else BLOCK_STAGES - 1, a, b, row, col, ahead * left.inner, fast
            )
        block._end_copies()
        result = _plus_stage(result, left, right, stage, own_row, own_col)
        stage = stage + 1 if stage < BLOCK_STAGES - 1 else 0
    return result


# c = epilogue(a @ b), or nothing if `factor` is 0 and not 1. A subgroup makes parts of `rows` by `cols`.
@qd.func(requires_top_level=True)
def _matmul_by_blocks(
    a: qd.template(),
    b: qd.template(),
    c: qd.template(),
    kind: qd.template(),
    right_kind: qd.template(),
    epilogue: qd.template(),
    transposed_a: qd.template(),
    transposed_b: qd.template(),
    factor,
    rows: qd.template(),
    cols: qd.template(),
):
    length = a.shape[qd.static(len(a.shape) - (2 if transposed_a else 1))]
    down = _parts_along(c, -2, 2 * rows)
    across = _parts_along(c, -1, 2 * cols)
    qd.loop_config(block_dim=_THREADS, name="matmul_by_blocks")
    for t in range(factor * down * across * tensors._count_of(c) * _THREADS):
        number = 0 if qd.static(len(c.shape) == 2) else t // _THREADS // (down * across)
        x = tensors._matrix_of(a, number)
        y = tensors._matrix_of(b, number)
        left = tensors._Tile("a", 2 * rows, a.dtype, kind, transposed_a, BLOCK_STAGES)
        right = tensors._Tile("b", 2 * cols, b.dtype, right_kind, not transposed_b, BLOCK_STAGES)
        part = t // _THREADS if qd.static(len(c.shape) == 2) else t // _THREADS % (down * across)
        part_row, part_col = tensors._part(part, down, across, BLOCK_GROUP)
        row = part_row * (2 * rows)
        col = part_col * (2 * cols)
        own = block.thread_idx() // subgroup._WAVE
        own_row = own // 2 * rows
        own_col = own % 2 * cols
        steps = (length + (left.inner - 1)) // left.inner
        fast = tensors._is_aligned(a) and tensors._is_aligned(b)
        sums = subgroup.Matrix.zeros((rows, cols), subgroup._sum_type(kind))
        if qd.static(BLOCK_STAGES == 1):
            for k in range(steps):
                block.sync()
                _copy_both(left, right, 0, x, y, row, col, k * left.inner, fast)
                block.sync()
                sums = _plus_stage(sums, left, right, 0, own_row, own_col)
        else:
            sums = _plus_all(sums, left, right, x, y, row, col, own_row, own_col, steps, fast)
        z = tensors._matrix_of(c, number)
        tensors._store_each(sums, epilogue, z, row + own_row, col + own_col)
