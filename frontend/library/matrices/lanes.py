# The places of a matrix's elements: which lane of a subgroup holds which. Other files do not know it.
#
# A matrix consists of tiles of 16 rows. The left operand of a product, "a", has tiles of 16 rows by 8 words, the
# right one, "b", of 8 words by 16 columns, and the accumulators, "c", of 16 by 16 elements. A word holds the
# elements that follow each other along the inner axis: two of 16 bits, four of 8, one of 32 or 64. So all types
# have one layout, and an inner axis of 8, 16 or 32 elements a tile.
import quadrants as qd
from quadrants.lang.simt import subgroup

_WAVE = subgroup.group_size()
_GROUPS = _WAVE // 16  # groups of 16 lanes, which hold a row or a column each
_ELEMENTS = 256 // _WAVE  # elements of a tile of accumulators, a lane


# The words of a row that a lane holds one after the other, where groups of lanes share a row: those that
# one instruction takes.
@qd.func
def _run(dtype: qd.template()):
    if qd.static(subgroup._UNIT == "gfx12"):
        return (4 if qd.static(dtype in subgroup._BYTES or dtype in subgroup._FP8) else 8) // _GROUPS
    elif qd.static(dtype == qd.f16 or (dtype == "tf32" and subgroup._UNIT == "gfx942")):
        return 2
    elif qd.static(dtype == qd.bf16):
        return 1 if qd.static(subgroup._UNIT == "gfx908") else 2
    else:
        return 2 if qd.static(dtype in subgroup._BYTES and subgroup._CDNA3) else 1


# The words of a tile of an operand that a lane holds.
@qd.func
def _words(dtype: qd.template()):
    return 8 if qd.static(subgroup._UNIT == "gfx11" or (subgroup._UNIT == "" and _WAVE >= 16)) else 128 // _WAVE


# Row and column of the first of the two elements that a lane holds of Metal's matrices, which have 8 rows and 8
# columns; the other is beside it. Apple does not document it; all of its GPUs have it, and MLX relies on it.
@qd.func
def _apple_place():
    lane = subgroup.invocation_id()
    return (lane >> 4) * 4 + (lane >> 1 & 3), (lane >> 3 & 1) * 4 + (lane & 1) * 2


# Row and column of a lane's element i of a tile of accumulators.
@qd.func
def _element_place(dtype: qd.template(), i: qd.template()):
    lane = subgroup.invocation_id()
    if qd.static(subgroup._APPLE):
        row, col = _apple_place()
        return row + (i >> 2) * 8, col + ((i >> 1 & 1) * 8 + (i & 1))
    elif qd.static(subgroup._MMA):
        return (lane >> 2) + (i >> 1 & 1) * 8, (lane & 3) * 2 + ((i & 1) + (i >> 2) * 8)
    elif qd.static(subgroup._CDNA and dtype != qd.f64):
        return (lane >> 4) * 4 + i, lane & 15
    elif qd.static(subgroup._CDNA or subgroup._UNIT == "gfx11"):
        return (lane >> 4) + i * _GROUPS, lane & 15
    elif qd.static(subgroup._UNIT == "gfx12" and _WAVE == 64):
        return (lane >> 4 & 1) * 8 + (lane >> 5) * 4 + i, lane & 15
    elif qd.static(_WAVE >= 16):
        return (lane >> 4) * _ELEMENTS + i, lane & 15
    else:
        return i % 16, lane + _WAVE * (i // 16)


# Row of "a", or column of "b", and the word in it, of a lane's word i of a tile.
@qd.func
def _word_place(use: qd.template(), dtype: qd.template(), i: qd.template()):
    lane = subgroup.invocation_id()
    if qd.static(subgroup._APPLE):
        row, col = _apple_place()
        if qd.static(use == "a"):
            return row + (i >> 1) * 8, col + (i & 1)
        else:
            return col + ((i >> 1) * 8 + (i & 1)), row
    elif qd.static(subgroup._MMA):
        if qd.static(use == "a"):
            return (lane >> 2) + (i & 1) * 8, (lane & 3) + (i >> 1) * 4
        else:
            return (lane >> 2) + (i >> 1) * 8, (lane & 3) + (i & 1) * 4
    elif qd.static(subgroup._CDNA or subgroup._UNIT == "gfx12"):
        run = qd.static(_run(dtype))
        return lane & 15, (lane >> 4) * run + (i // run * run * _GROUPS + i % run)
    elif qd.static(_WAVE >= 16):
        return lane & 15, i
    else:
        return lane + _WAVE * (i // 8), i % 8


# The lanes' elements of a tile of accumulators are in so many rows, and element i is in this one of them:
# elements of one lane and one row have one number. The same of columns.
@qd.func
def _rows_of_lane():
    return 2 if qd.static(subgroup._MMA or subgroup._APPLE) else min(_ELEMENTS, 16)


@qd.func
def _row_of_lane(i: qd.template()):
    if qd.static(subgroup._APPLE):
        return i >> 2
    else:
        return i >> 1 & 1 if qd.static(subgroup._MMA) else i % 16


@qd.func
def _cols_of_lane():
    return 4 if qd.static(subgroup._MMA or subgroup._APPLE) else (_ELEMENTS + 15) // 16


@qd.func
def _col_of_lane(i: qd.template()):
    if qd.static(subgroup._APPLE):
        return i & 3
    else:
        return (i & 1) + (i >> 2) * 2 if qd.static(subgroup._MMA) else i // 16


# The lane that holds an element of a tile of accumulators, and the element's number there.
@qd.func
def _holder(dtype: qd.template(), row, col):
    if qd.static(subgroup._APPLE):
        lane = (row >> 2 & 1) * 16 + (col >> 2 & 1) * 8 + (row & 3) * 2 + (col >> 1 & 1)
        return lane, (row >> 3) * 4 + (col >> 3) * 2 + (col & 1)
    elif qd.static(subgroup._MMA):
        return (row & 7) * 4 + (col >> 1 & 3), (row >> 3) * 2 + (col & 1) + (col >> 3) * 4
    elif qd.static((subgroup._CDNA and dtype != qd.f64) or (subgroup._UNIT == "gfx12" and _WAVE == 64)):
        high = (row >> 3) * 16 + (row >> 2 & 1) * 32 if qd.static(subgroup._UNIT == "gfx12") else (row >> 2) * 16
        return high + col, row & 3
    elif qd.static(subgroup._CDNA or subgroup._UNIT == "gfx11"):
        return row % _GROUPS * 16 + col, row // _GROUPS
    elif qd.static(_WAVE >= 16):
        return row // _ELEMENTS * 16 + col, row % _ELEMENTS
    else:
        return col % _WAVE, col // _WAVE * 16 + row


# Lanes that share rows of accumulators differ in these bits of their number.
_ROW_LANES = (
    (1, 8)
    if subgroup._APPLE
    else (1, 2) if subgroup._MMA or _WAVE == 4 else (1, 2, 4) if _WAVE == 8 else (1, 2, 4, 8)
)


# Word w of the row of "a" that a lane needs for its row number r.
@qd.func
def _row_word(
    words: qd.template(),
    first: qd.template(),
    dtype: qd.template(),
    sums: qd.template(),
    r: qd.template(),
    w: qd.template(),
):
    lane = subgroup.invocation_id()
    if qd.static(subgroup._APPLE):
        source = (lane & 22) + ((w >> 2) * 8 + (w >> 1 & 1))
        return subgroup.shuffle(words[first + r * 2 + (w & 1)], qd.u32(source))
    elif qd.static(subgroup._MMA):
        return subgroup.shuffle(words[first + r + (w >> 2) * 2], qd.u32((lane & 28) + (w & 3)))
    elif qd.static(subgroup._CDNA or subgroup._UNIT == "gfx12"):
        run = qd.static(_run(dtype))
        row, _ = _element_place(sums, r)
        own = qd.static(w // (run * _GROUPS) * run + w % run)
        return subgroup.shuffle(words[first + own], qd.u32(row + w // run % _GROUPS * 16))
    elif qd.static(_WAVE >= 16):
        row, _ = _element_place(sums, r)
        return subgroup.shuffle(words[first + w], qd.u32(row))
    else:
        return subgroup.broadcast(words[first + r // _WAVE * 8 + w], qd.u32(r % _WAVE))


# Word w of the column of "b" that a lane needs for its column number c.
@qd.func
def _col_word(words: qd.template(), first: qd.template(), dtype: qd.template(), c: qd.template(), w: qd.template()):
    lane = subgroup.invocation_id()
    if qd.static(subgroup._APPLE):
        source = (lane & 9) + ((w >> 2) * 16 + (w & 3) * 2)
        return subgroup.shuffle(words[first + c], qd.u32(source))
    elif qd.static(subgroup._MMA):
        source = (lane & 3) * 8 + ((c & 1) * 4 + (w & 3))
        return subgroup.shuffle(words[first + (c >> 1) * 2 + (w >> 2)], qd.u32(source))
    elif qd.static(subgroup._CDNA or subgroup._UNIT == "gfx12"):
        run = qd.static(_run(dtype))
        own = qd.static(w // (run * _GROUPS) * run + w % run)
        return subgroup.shuffle(words[first + own], qd.u32((lane & 15) + w // run % _GROUPS * 16))
    else:
        return words[first + c * 8 + w]


# Row and column of a lane's element i of accumulators.
@qd.func
def _place_of(matrix: qd.template(), i: qd.template()):
    tile = qd.static(i // _ELEMENTS)
    row, col = _element_place(matrix.dtype, i % _ELEMENTS)
    return row + tile // (matrix.cols // 16) * 16, col + tile % (matrix.cols // 16) * 16
