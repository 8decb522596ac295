# Matrices in arrays of more dimensions: the last axis is that of columns, another one that of rows, and the
# others have indices.
import quadrants as qd
from quadrants import tensors
from quadrants.lang.simt import subgroup


# `lead`: the indices along the axes other than `axis`, that of the rows, and the last one. `rows`: how many of the rows
# there are, if not all.
@qd.data_oriented
class _View:
    def __init__(self, array: qd.template(), lead, axis: qd.template(), rows=None):
        self.array = array
        self.lead = lead
        self.axis = axis
        self.rows = array.shape[axis] if qd.static(rows is None) else rows
        self.cols = array.shape[qd.static(len(array.shape) - 1)]

    @qd.func
    def place(self, row, col):
        before = [self.lead[i] for i in qd.static(range(self.axis))]
        after = [self.lead[i] for i in qd.static(range(self.axis, len(self.array.shape) - 2))]
        return [before, row, after, col]

    # Elements from a row to the next.
    @qd.func
    def pitch(self):
        result = self.cols
        for i in qd.static(range(self.axis + 1, len(self.array.shape) - 1)):
            result = result * self.array.shape[i]
        return result

    @qd.func
    def address(self, row, col):
        return subgroup._address(self.array, self.place(row, col))


# The matrix with a number, of an array of three dimensions, or an array of two.
@qd.func
def _matrix_of(array: qd.template(), number):
    if qd.static(len(array.shape) == 2):
        return _View(array, [], 0)
    else:
        return _View(array, [number], 1)


# How many matrices an array has.
@qd.func
def _count_of(array: qd.template()):
    return 1 if qd.static(len(array.shape) == 2) else array.shape[0]


# True if an array and its rows begin at multiples of 16 bytes, on targets where that matters. On Vulkan the loader
# sees to the array.
@qd.func
def _is_aligned(array: qd.template()):
    if qd.static(tensors._WORDS):
        return _odd(array) == 0
    elif qd.static(tensors._ASYNC):
        return (
            _odd(array) == 0 and subgroup._address(array, [0 for _ in qd.static(range(len(array.shape)))]) & 15 == 0
        )
    else:
        return False


# 0 if an array's rows begin at multiples of 16 bytes.
@qd.func
def _odd(array: qd.template()):
    return array.shape[qd.static(len(array.shape) - 1)] % (16 // tensors._size(array.dtype))


# Writes accumulators to a view, as far as they lie in it.
@qd.func
def _store_view(sums: qd.template(), view: qd.template(), row, col):
    dtype = qd.static(view.array.dtype)
    # NVIDIA's lanes hold pairs of neighbours in a row, which go at once where all of them are aligned.
    halves = qd.static(dtype in subgroup._HALVES and sums.dtype == qd.f32)
    if qd.static(subgroup._NVIDIA and (halves or dtype == qd.f32)):
        bytes = qd.static(2 * tensors._size(dtype))
        inside = row + sums.rows <= view.rows and col + sums.cols <= view.cols and view.cols % 2 == 0
        if inside and view.address(0, 0) & (bytes - 1) == 0:
            for i in qd.static(range(0, len(sums.words), 2)):
                own_row, own_col = subgroup._place_of(sums, i)
                to = view.address(row + own_row, col + own_col)
                if qd.static(dtype == qd.f32):
                    pair = [qd.cast(sums.words[i + e], qd.f32) for e in qd.static(range(2))]
                    subgroup._instruction("st.global.v2.f32 [#], {2};", None, (to, pair), True, True)
                else:
                    word = subgroup._pair(sums.words[i], sums.words[i + 1], dtype)
                    subgroup._instruction("st.global.b32 [#], #;", None, (to, word), True, True)
        else:
            _store_elements(sums, view, row, col)
    else:
        _store_elements(sums, view, row, col)


@qd.func
def _store_elements(sums: qd.template(), view: qd.template(), row, col):
    for i in qd.static(range(len(sums.words))):
        own_row, own_col = subgroup._place_of(sums, i)
        if row + own_row < view.rows and col + own_col < view.cols:
            view.array[view.place(row + own_row, col + own_col)] = qd.cast(sums.words[i], view.array.dtype)
