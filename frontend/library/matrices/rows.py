# Values of rows, as softmax needs them: each lane has the value of every row of which it holds elements, so those
# that share a row have the same. And accumulators as the left operand of the next product.
import quadrants as qd
from quadrants.lang.simt import subgroup


# One column of a value.
@qd.func
def _column(rows: qd.template(), value, dtype: qd.template()):
    count = qd.static(rows // 16 * subgroup._rows_of_lane())
    one = qd.cast(value, dtype)
    return subgroup._matrix_type("r", rows, 1, dtype, dtype, count)(qd.Vector([one for _ in qd.static(range(count))]))


# f over the elements of a row that the lane holds.
@qd.func
def _rows_in_lane(matrix: qd.template(), f: qd.template()):
    rows = qd.static(subgroup._rows_of_lane())
    across = qd.static(matrix.cols // 16)
    result = _column(matrix.rows, 0, matrix.dtype)
    for m in qd.static(range(matrix.rows // 16)):
        for r in qd.static(range(rows)):
            own = qd.static(
                [
                    (m * across + n) * subgroup._ELEMENTS + i
                    for n in range(across)
                    for i in range(subgroup._ELEMENTS)
                    if subgroup._row_of_lane(i) == r
                ]
            )
            value = matrix.words[own[0]]
            for k in qd.static(range(1, len(own))):
                value = f(value, matrix.words[own[k]])
            result.words[m * rows + r] = value
    return result


# f over the lanes that share a row, in a tree. `f` is associative and commutative.
@qd.func
def _rows_across(column: qd.template(), f: qd.template()):
    result = column
    for i in qd.static(range(len(column.words))):
        for bit in qd.static(subgroup._ROW_LANES):
            result.words[i] = f(result.words[i], subgroup.shuffle_xor(result.words[i], qd.u32(bit)))
    return result


# The number among a lane's rows of word i of accumulators.
@qd.func
def _row_number(matrix: qd.template(), i: qd.template()):
    tile = qd.static(i // subgroup._ELEMENTS)
    return tile // (matrix.cols // 16) * subgroup._rows_of_lane() + subgroup._row_of_lane(i % subgroup._ELEMENTS)


# Two elements of 16 bits as a word.
@qd.func
def _pair(low, high, dtype: qd.template()):
    if qd.static(subgroup._NVIDIA and subgroup._UNIT != "sm_75"):
        name = qd.static("f16" if dtype == qd.f16 else "bf16")
        return subgroup._instruction(f"cvt.rn.{name}x2.f32 #, #, #;", qd.u32(0), (high, low))
    else:
        return subgroup._bits(qd.cast(low, dtype)) | subgroup._bits(qd.cast(high, dtype)) << 16


# The element of a tile of accumulators at a place, from whichever lane has it.
@qd.func
def _fetched(matrix: qd.template(), first: qd.template(), row, col):
    lane, own = subgroup._holder(matrix.dtype, row, col)
    value = subgroup.shuffle(matrix.words[first], qd.u32(lane))
    for i in qd.static(range(1, subgroup._ELEMENTS)):
        other = subgroup.shuffle(matrix.words[first + i], qd.u32(lane))
        value = other if own == i else value
    return value


# Accumulators as a left operand, cast to a type of 16 bits.
@qd.func
def _as_left(matrix: qd.template(), dtype: qd.template()):
    result = subgroup._zeros_of("a", dtype, matrix.rows, qd.static(matrix.cols // 16))
    words = qd.static(subgroup._words(dtype))
    for tile in qd.static(range(matrix.rows // 16 * (matrix.cols // 16))):
        first = qd.static(tile * subgroup._ELEMENTS)
        for i in qd.static(range(words)):
            if qd.static(subgroup._MMA):
                low = qd.static(first + (i & 1) * 2 + (i >> 1) * 4)
                result.words[tile * words + i] = _pair(matrix.words[low], matrix.words[low + 1], dtype)
            else:
                row, word = subgroup._word_place("a", dtype, i)
                low = _fetched(matrix, first, row, word * 2)
                high = _fetched(matrix, first, row, word * 2 + 1)
                result.words[tile * words + i] = _pair(low, high, dtype)
    return result


# Writes one column to an array whose last axis is that of the rows.
@qd.func
def _store_column(column: qd.template(), array: qd.template(), at: qd.template()):
    rank = qd.static(len(array.shape))
    lead = qd.static(len(at) - 1)
    rows = qd.static(subgroup._rows_of_lane())
    for i in qd.static(range(len(column.words))):
        element = qd.static([e for e in range(subgroup._ELEMENTS) if subgroup._row_of_lane(e) == i % rows][0])
        own_row, own_col = subgroup._element_place(column.dtype, element)
        r = at[lead] + own_row + i // rows * 16
        if own_col == 0 and r < array.shape[qd.static(rank - 1)]:
            array[[at[j] for j in qd.static(range(lead))], r] = qd.cast(column.words[i], array.dtype)
