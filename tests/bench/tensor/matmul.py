# Products of matrices, for rows.py: a kernel for each type of operands, and for each layout of f16. The
# first letter of a layout is the left operand's: `n` as it is, `t` transposed.
import quadrants as qd

F16 = qd.types.ndarray(qd.f16, 2)
BF16 = qd.types.ndarray(qd.bf16, 2)
F32 = qd.types.ndarray(qd.f32, 2)
F64 = qd.types.ndarray(qd.f64, 2)
I8 = qd.types.ndarray(qd.i8, 2)
I32 = qd.types.ndarray(qd.i32, 2)
E4M3 = qd.types.ndarray(qd.f8e4m3, 2)
Workspace = qd.types.ndarray(qd.u64, 1)
Many = qd.types.ndarray(qd.f16, 3)


@qd.kernel
def f16_nn(a: F16, b: F16, c: F16, workspace: Workspace):
    qd.tensors.matmul(a, b, c, workspace)


@qd.kernel
def f16_nt(a: F16, b: F16, c: F16, workspace: Workspace):
    qd.tensors.matmul(a, b, c, workspace, transposed_b=True)


@qd.kernel
def f16_tn(a: F16, b: F16, c: F16, workspace: Workspace):
    qd.tensors.matmul(a, b, c, workspace, transposed_a=True)


@qd.kernel
def f16_tt(a: F16, b: F16, c: F16, workspace: Workspace):
    qd.tensors.matmul(a, b, c, workspace, transposed_a=True, transposed_b=True)


@qd.kernel
def bf16_nn(a: BF16, b: BF16, c: BF16, workspace: Workspace):
    qd.tensors.matmul(a, b, c, workspace)


@qd.kernel
def tf32_nt(a: F32, b: F32, c: F32, workspace: Workspace):
    qd.tensors.matmul(a, b, c, workspace, "tf32", transposed_b=True)


@qd.kernel
def tf32_nn(a: F32, b: F32, c: F32, workspace: Workspace):
    qd.tensors.matmul(a, b, c, workspace, "tf32")


@qd.kernel
def f32_nn(a: F32, b: F32, c: F32, workspace: Workspace):
    qd.tensors.matmul(a, b, c, workspace)


@qd.kernel
def f32_nt(a: F32, b: F32, c: F32, workspace: Workspace):
    qd.tensors.matmul(a, b, c, workspace, transposed_b=True)


@qd.kernel
def f64_nn(a: F64, b: F64, c: F64, workspace: Workspace):
    qd.tensors.matmul(a, b, c, workspace)


@qd.kernel
def i8_nt(a: I8, b: I8, c: I32, workspace: Workspace):
    qd.tensors.matmul(a, b, c, workspace, transposed_b=True)


@qd.kernel
def f8e4m3_nt(a: E4M3, b: E4M3, c: BF16, workspace: Workspace):
    qd.tensors.matmul(a, b, c, workspace, transposed_b=True)


@qd.kernel
def f16_batched(a: Many, b: Many, c: Many, workspace: Workspace):
    qd.tensors.matmul(a, b, c, workspace)
