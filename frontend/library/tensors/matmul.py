# `qd.tensors.matmul`: products of matrices.
import quadrants as qd
from quadrants import tensors
from quadrants.lang.simt import subgroup

MATMUL_WORKSPACE = 64  # elements of the array of u64 that `matmul` works with


# Row and column of part `number` of (down, across) parts, in bands of `group` parts.
@qd.func
def _part(number, down, across, group: qd.template()):
    band = number // (group * across)
    inside = number % (group * across)
    height = qd.min(group, down - band * group)
    return band * group + inside % height, inside // height


# The function that makes what is written of a sum, and its arguments after value, row and column.
@qd.data_oriented
class _Epilogue:
    def __init__(self, function: qd.template(), args: qd.template(), c: qd.template()):
        self.function = function
        self.args = args
        self.rows = c.shape[qd.static(len(c.shape) - 2)]
        self.cols = c.shape[qd.static(len(c.shape) - 1)]

    # Parts of the product reach past the ends of `c`. A function with arguments gets the last row or column there, so that
    # it reads no array past its ends.
    @qd.func
    def of(self, value, row, col):
        if qd.static(len(self.args) == 0):
            return self.function(value, row, col)
        else:
            return self.function(value, qd.min(row, self.rows - 1), qd.min(col, self.cols - 1), *self.args)


# Writes the elements of accumulators that lie in the matrix. The epilogue gets row and column in it.
@qd.func
def _store_each(sums: qd.template(), epilogue: qd.template(), c: qd.template(), row, col):
    result = sums
    for i in qd.static(range(len(sums.words))):
        own_row, own_col = subgroup._place_of(sums, i)
        result.words[i] = epilogue.of(sums.words[i], row + own_row, col + own_col)
    tensors._store_view(result, c, row, col)


@qd.func
def _same(value, row, col):
    return value


# True if Hopper's unit takes operands of this kind that lie so: those of 16 bits in any way, others along the inner
# axis.
@qd.func
def _goes_by_wgmma(kind: qd.template(), transposed_a: qd.template(), transposed_b: qd.template()):
    if qd.static(subgroup._UNIT != "sm_90a" or subgroup.matrix_unit(kind) == "none" or kind == qd.f64):
        return False
    else:
        return kind in subgroup._HALVES or (not transposed_a and transposed_b)


# True if subgroups multiply operands of these kinds by a matrix unit.
@qd.func
def _goes_by_blocks(left: qd.template(), right: qd.template()):
    return subgroup._unit_of(left, right) != "none"


@qd.func(requires_top_level=True)
def matmul(
    a: qd.template(),
    b: qd.template(),
    c: qd.template(),
    workspace: qd.template(),
    dtype: qd.template() = None,
    epilogue: qd.template() = _same,
    transposed_a: qd.template() = False,
    transposed_b: qd.template() = False,
    args: qd.template() = (),
):
    kind = qd.static(a.dtype if dtype is None else dtype)
    right = qd.static(b.dtype if dtype is None else dtype)
    qd.static_assert(
        (len(c.shape) == 2 or len(c.shape) == 3) and len(a.shape) == len(c.shape) and len(b.shape) == len(c.shape),
        "`matmul` takes matrices: arrays of two dimensions, or three: the first one numbers the matrices",
    )
    qd.static_assert(
        workspace.dtype == qd.u64 and len(workspace.shape) == 1,
        "the workspace of `matmul` is an array of u64, of tensors.MATMUL_WORKSPACE elements",
    )
    qd.static_assert(
        subgroup._is_operand(a, kind) and subgroup._is_operand(b, right),
        "`matmul` multiplies f16, bf16, f32, f64, i8, u8, f8e4m3 or f8e5m2, and f32 as \"tf32\"",
    )
    qd.static_assert(
        kind == right
        or (
            tensors._size(a.dtype) == 1
            and tensors._size(b.dtype) == 1
            and subgroup._sum_type(kind) == subgroup._sum_type(right)
        ),
        "`matmul` multiplies matrices of one type, i8 and u8, or f8e4m3 and f8e5m2",
    )
    finish = _Epilogue(epilogue, args, c)
    rows = qd.static(tensors._rows_of(kind))
    cols = qd.static(tensors._cols_of(kind))
    if qd.static(
        len(c.shape) == 2
        and _goes_by_wgmma(kind, transposed_a, transposed_b)
        and _goes_by_wgmma(right, transposed_a, transposed_b)
    ):
        fits = 1 - qd.min(tensors._odd(a) + tensors._odd(b) + tensors._odd(c), 1)
        tensors._matmul_by_wgmma(a, b, c, workspace, kind, right, finish, transposed_a, transposed_b, fits)
        tensors._matmul_by_blocks(a, b, c, kind, right, finish, transposed_a, transposed_b, 1 - fits, rows, cols)
    elif qd.static(len(c.shape) == 3 and tensors._goes_by_blocks(kind, right)):
        length = a.shape[qd.static(1 if transposed_a else 2)]
        most = qd.max(qd.max(c.shape[1], c.shape[2]), length)
        small = tensors._fit(most, tensors.SMALL_MOST)
        medium = tensors._fit(most, 64)
        tensors._matmul_by_subgroups(a, b, c, kind, right, finish, transposed_a, transposed_b, length, small)
        tensors._matmul_by_blocks(a, b, c, kind, right, finish, transposed_a, transposed_b, medium - small, 32, 32)
        tensors._matmul_by_blocks(a, b, c, kind, right, finish, transposed_a, transposed_b, 1 - medium, rows, cols)
    elif qd.static(tensors._goes_by_blocks(kind, right)):
        tensors._matmul_by_blocks(a, b, c, kind, right, finish, transposed_a, transposed_b, 1, rows, cols)
    else:
        tensors._matmul_by_fma(a, b, c, subgroup._sum_type(kind), finish, transposed_a, transposed_b)
