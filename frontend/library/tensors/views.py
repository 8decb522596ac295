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


# True if an array and its rows begin at multiples of 16 bytes, on targets that have addresses.
@qd.func
def _is_aligned(array: qd.template()):
    if qd.static(tensors._ASYNC):
        return (
            _odd(array) == 0 and subgroup._address(array, [0 for _ in qd.static(range(len(array.shape)))]) & 15 == 0
        )
    else:
        return False


# 0 if an array's rows begin at multiples of 16 bytes.
@qd.func
def _odd(array: qd.template()):
    return array.shape[qd.static(len(array.shape) - 1)] % (16 // tensors._size(array.dtype))
