# Products of many small matrices: each subgroup makes parts of its own, from operands that it reads where they lie.
# Memory gives the pace, and neighbouring subgroups find in the caches what they share.
import quadrants as qd
from quadrants import tensors
from quadrants.lang.simt import subgroup

SMALL_MOST = 32  # rows, columns and elements of the inner axis that count as small, at most 64

_THREADS = 4 * subgroup._WAVE


# 1 if `most` is at most `limit`, else 0.
@qd.func
def _fit(most, limit: qd.template()):
    return qd.min(qd.max(2 - (most + (limit - 1)) // limit, 0), 1)


# The part of `size` by `size` elements that begins at a row and a column.
@qd.func
def _small_part(
    a: qd.template(),
    b: qd.template(),
    c: qd.template(),
    kind: qd.template(),
    right_kind: qd.template(),
    epilogue: qd.template(),
    transposed_a: qd.template(),
    transposed_b: qd.template(),
    size: qd.template(),
    number,
    row,
    col,
    length,
):
    step = qd.static(max(16, 8 * subgroup._packed(kind)))
    sums = subgroup.Matrix.zeros((size, size), subgroup._sum_type(kind))
    for k in range(0, length, step):
        left = [k, row] if qd.static(transposed_a) else [row, k]
        right = [col, k] if qd.static(transposed_b) else [k, col]
        x = subgroup.Matrix.a(a, (number, left[0], left[1]), (size, step), kind, transposed_a)
        y = subgroup.Matrix.b(b, (number, right[0], right[1]), (step, size), right_kind, transposed_b)
        sums.mma(x, y)
    tensors._store_each(sums, epilogue, tensors._matrix_of(c, number), row, col)


# c = epilogue(a @ b) of each matrix, or nothing if `factor` is 0 and not 1.
@qd.func(requires_top_level=True)
def _matmul_by_subgroups(
    a: qd.template(),
    b: qd.template(),
    c: qd.template(),
    kind: qd.template(),
    right_kind: qd.template(),
    epilogue: qd.template(),
    transposed_a: qd.template(),
    transposed_b: qd.template(),
    length,
    factor,
):
    size = 16 + qd.min(qd.max(c.shape[1], c.shape[2]) // 17, 1) * 16
    down = (c.shape[1] + (size - 1)) // size
    across = (c.shape[2] + (size - 1)) // size
    qd.loop_config(block_dim=_THREADS, name="matmul_by_subgroups")
    for t in range(factor * down * across * c.shape[0] * subgroup._WAVE):
        part = t // subgroup._WAVE % (down * across)
        number = t // subgroup._WAVE // (down * across)
        row = part // across * size
        col = part % across * size
        if size == 16:
            _small_part(a, b, c, kind, right_kind, epilogue, transposed_a, transposed_b, 16, number, row, col, length)
        else:
            _small_part(a, b, c, kind, right_kind, epilogue, transposed_a, transposed_b, 32, number, row, col, length)
