# Products of matrices (`qd.tensors.matmul`) of T, by kernels for each layout of the operands.
import quadrants as qd

T = qd.f16
KIND = None
SUM = qd.f64 if T == qd.f64 else qd.i32 if T in (qd.i8, qd.u8) else qd.f32
OUT = SUM
Operand = qd.types.ndarray(T, 2)
Result = qd.types.ndarray(OUT, 2)
Workspace = qd.types.ndarray(qd.u64, 1)


@qd.kernel
def plain(x: Operand, y: Operand, z: Result, workspace: Workspace):
    qd.tensors.matmul(x, y, z, workspace, KIND)


@qd.func
def numbered(value, row, col):
    return value + qd.cast(row % 7 * 8 + col % 8, SUM)


@qd.kernel
def turned_right(x: Operand, y: Operand, z: Result, workspace: Workspace):
    qd.tensors.matmul(x, y, z, workspace, KIND, numbered, transposed_b=True)


@qd.kernel
def turned_left(x: Operand, y: Operand, z: Result, workspace: Workspace):
    qd.tensors.matmul(x, y, z, workspace, KIND, transposed_a=True)


@qd.func
def added(value, row, col, bias, other, factor):
    return value * factor + bias[col] + other[row, col]


# z = factor * (x @ y) + bias of each column + other.
@qd.kernel
def with_arguments(
    x: Operand,
    y: Operand,
    z: Result,
    workspace: Workspace,
    bias: qd.types.ndarray(SUM, 1),
    other: qd.types.ndarray(SUM, 2),
    factor: SUM,
):
    qd.tensors.matmul(x, y, z, workspace, KIND, added, transposed_b=True, args=(bias, other, factor))


# A product for each number of the first dimension, of operands that lie in another way for some types.
@qd.kernel
def batched(x: qd.types.ndarray(T, 3), y: qd.types.ndarray(T, 3), z: qd.types.ndarray(OUT, 3), workspace: Workspace):
    qd.tensors.matmul(x, y, z, workspace, KIND, transposed_a=T == qd.bf16, transposed_b=T in (qd.i8, qd.f8e4m3))
