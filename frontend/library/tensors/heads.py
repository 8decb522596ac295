# The two products of attention by a subgroup, which has 16 rows of the left operand: with rows of k, over the elements of a
# head, and of weights with rows of v. By the matrix unit, or else by multiplications and additions of what lies in shared
# memory, in loops of the run, so that code stays short.
import quadrants as qd
from quadrants import tensors
from quadrants.lang.simt import block, subgroup


# Starts the copies of some rows of k and v.
@qd.func
def _copy_step(
    keys: qd.template(),
    values: qd.template(),
    stage,
    k: qd.template(),
    v: qd.template(),
    row,
    threads: qd.template(),
    fast,
    panels: qd.template(),
):
    for p in qd.static(range(panels)):
        keys.copy(stage * panels + p, k, row, p * 64, threads, fast)
    values.copy(stage, v, 0, row, threads, fast)


# The element of a lane that is the first one in its row, or column, of that number.
@qd.func
def _first_in_row(r: qd.template()):
    return qd.static([i for i in range(subgroup._ELEMENTS) if subgroup._row_of_lane(i) == r][0])


@qd.func
def _first_in_col(c: qd.template()):
    return qd.static([i for i in range(subgroup._ELEMENTS) if subgroup._col_of_lane(i) == c][0])


# Adds the product of a word of a lane's rows, and of a word of its columns in each tile of 16.
@qd.func
def _plus_words(sums, rows: qd.template(), cols: qd.template(), kind: qd.template()):
    result = sums
    for e in qd.static(range(subgroup._packed(kind))):
        left = [subgroup._element(rows[r], kind, e) for r in qd.static(range(len(rows)))]
        right = [subgroup._element(cols[c], kind, e) for c in qd.static(range(len(cols)))]
        for i in qd.static(range(len(sums.words))):
            x = qd.static(subgroup._row_of_lane(i % subgroup._ELEMENTS))
            y = qd.static(
                i // subgroup._ELEMENTS * subgroup._cols_of_lane() + subgroup._col_of_lane(i % subgroup._ELEMENTS)
            )
            result.words[i] = qd.math.fma(left[x], right[y], result.words[i])
    return result


# Words of the columns of `right` that a lane has, in each tile of 16 columns from `begin` on.
@qd.func
def _words_of_cols(right: qd.template(), stage, begin, cols: qd.template(), word):
    own = qd.static(subgroup._cols_of_lane())
    result = qd.Vector([qd.u32(0) for _ in qd.static(range(cols // 16 * own))])
    for n in qd.static(range(cols // 16)):
        for c in qd.static(range(own)):
            _, col = subgroup._element_place(qd.f32, _first_in_col(c))
            result[n * own + c] = right.word(stage * right.stage_words, begin + n * 16 + col, 0, word)
    return result


# The products of 16 rows from `row` on with columns of `right` from `begin` on. Each panel of `right` has 64 elements of the
# heads; `first` is the number of the first one.
@qd.func
def _products_of_rows(
    left: qd.template(), right: qd.template(), row, first, begin, cols: qd.template(), dim: qd.template()
):
    result = subgroup.Matrix.zeros((16, cols))
    if qd.static(subgroup.matrix_unit(left.kind) == "none"):
        own = qd.static(subgroup._rows_of_lane())
        for w in range(dim // 2):
            rows = qd.Vector([qd.u32(0) for _ in qd.static(range(own))])
            for r in qd.static(range(own)):
                place, _ = subgroup._element_place(qd.f32, _first_in_row(r))
                rows[r] = left.word(w // 32 * left.stage_words, row + place, 0, w % 32)
            result = _plus_words(result, rows, _words_of_cols(right, first + w // 32, begin, cols, w % 32), left.kind)
    else:
        for d in qd.static(range(dim // 16)):
            x = left.operand(d // 4, row, 16, d % 4)
            y = right.operand(first + d // 4, begin, cols, d % 4)
            result.mma(x, y)
    return result


# Adds the product of weights, rounded to the type of the values, with as many rows of values from step `first` of 16 rows on.
# `subgroups`: those of a block, all of which make this call.
@qd.func
def _plus_weighted(
    sums, weights: qd.template(), values: qd.template(), stage, first, dim: qd.template(), subgroups: qd.template()
):
    kind = qd.static(values.kind)
    result = sums
    if qd.static(subgroup.matrix_unit(kind) == "none"):
        words = qd.static(weights.cols // 2)
        own = qd.static(subgroup._rows_of_lane())
        kept = block.SharedArray((subgroups * 16 * words * 2,), kind)
        base = block.thread_idx() // subgroup._WAVE * (16 * words * 2)
        subgroup.sync()
        for i in qd.static(range(len(weights.words))):
            row, col = subgroup._place_of(weights, i)
            kept[base + row * (2 * words) + col] = qd.cast(weights.words[i], kind)
        subgroup.sync()
        for w in range(words):
            rows = qd.Vector([qd.u32(0) for _ in qd.static(range(own))])
            for r in qd.static(range(own)):
                place, _ = subgroup._element_place(qd.f32, _first_in_row(r))
                at = base + place * (2 * words) + 2 * w
                rows[r] = subgroup._bits(kept[at]) | subgroup._bits(kept[at + 1]) << 16
            result = _plus_words(result, rows, _words_of_cols(values, stage, 0, dim, first * 8 + w), kind)
    else:
        left = weights.as_a(kind)
        own = qd.static(subgroup._words(kind))
        for s in qd.static(range(weights.cols // 16)):
            x = subgroup._zeros_of("a", kind, 16, 1)
            for i in qd.static(range(own)):
                x.words[i] = left.words[s * own + i]
            y = values.operand(stage, 0, dim, first + s)
            result.mma(x, y)
    return result
