# Matrices of subgroups, and products of whole ones.
import quadrants as qd
from quadrants.lang.simt import subgroup

Half = qd.types.ndarray(qd.f16, 2)
Brain = qd.types.ndarray(qd.bf16, 2)
Real = qd.types.ndarray(qd.f32, 2)
Words = qd.types.ndarray(qd.u64, 1)


@qd.kernel
def tiles(x: Half, y: Brain):
    qd.loop_config(block_dim=64)
    for t in range(64):
        subgroup.Matrix.a(x, (0, 0), (16, 8))  # error: the rows and columns of a matrix are multiples of 16
        subgroup.Matrix.a(x, (0, 0), (16, 16), "tf32")  # error: the array has elements of another type than the matrix
        subgroup.Matrix.zeros((16, 16), qd.f16)  # error: accumulators have elements of f32, f64 or i32
        c = subgroup.Matrix.zeros((16, 16))
        a = subgroup.Matrix.a(x, (0, 0), (16, 16))
        b = subgroup.Matrix.b(y, (0, 0), (16, 16))
        c.mma(a, b)  # error: both operands have one type, or both i8 or u8, or both f8e4m3 or f8e5m2
        c.mma(b, a)  # error: `c.mma(a, b)` takes accumulators, a left operand (`Matrix.a`) and a right one (`Matrix.b`)
        c = a  # error: the struct `subgroup.Matrix.a of 16x16 f16` does not fit the struct `subgroup.Matrix.c of 16x16 f32`


@qd.kernel
def types(x: Half, y: Brain, z: Real, w: Words):
    qd.tensors.matmul(x, y, z, w)  # error: `matmul` multiplies matrices of one type, i8 and u8, or f8e4m3 and f8e5m2


@qd.kernel
def kinds(x: Half, z: Real, w: Words):
    qd.tensors.matmul(x, x, z, w, "tf32")  # error: `matmul` multiplies f16, bf16, f32, f64, i8, u8, f8e4m3 or f8e5m2, and f32 as "tf32"


@qd.kernel
def workspaces(x: Half, z: Real, w: qd.types.ndarray(qd.i32, 1)):
    qd.tensors.matmul(x, x, z, w)  # error: the workspace of `matmul` is an array of u64, of tensors.MATMUL_WORKSPACE elements


@qd.kernel
def dimensions(x: qd.types.ndarray(qd.f16, 3), z: Real, w: Words):
    qd.tensors.matmul(x, x, z, w)  # error: `matmul` takes matrices: arrays of two dimensions, or three: the first one numbers the matrices

Heads = qd.types.ndarray(qd.f16, 4)
Wide = qd.types.ndarray(qd.f32, 4)


@qd.kernel
def rows(x: Half):
    qd.loop_config(block_dim=64)
    for t in range(64):
        a = subgroup.Matrix.a(x, (0, 0), (16, 16))
        a.reduce_rows(qd.max)  # error: `reduce_rows` is for accumulators
        c = subgroup.Matrix.zeros((16, 16))
        c.combine(a, qd.add)  # error: `combine` is for accumulators, and for matrices of one column
        c.combine(subgroup.Matrix.zeros((32, 16)).reduce_rows(qd.max), qd.add)  # error: `combine` takes a matrix of the same shape, or one of one column with as many rows
        c.as_a(qd.i8)  # error: `as_a` makes operands of f16 or bf16


@qd.kernel
def heads(x: Heads, y: Wide, z: Half, w: Words):
    qd.tensors.attention(x, x, z, x, w, 64)  # error: attention takes arrays of four dimensions: batches, heads, rows, and the elements of a head


@qd.kernel
def wide(x: Heads, y: Wide, w: Words):
    qd.tensors.attention(y, y, y, x, w, 64)  # error: attention takes q, k and v of f16, or all of bf16


@qd.kernel
def axes(x: Heads, w: Words):
    qd.tensors.attention(x, x, x, x, w, 64, axes="sbhd")  # error: the axes of attention's arrays are "bhsd" (heads before rows) or "bshd"


@qd.kernel
def elements(x: Heads, w: Words):
    qd.tensors.attention(x, x, x, x, w, 24)  # error: `dim` is a multiple of 16, at most 256: heads have no more elements


@qd.kernel
def workspace(x: Heads):
    qd.tensors.attention(x, x, x, x, x, 64)  # error: the workspace of `attention` is an array of u64, of tensors.ATTENTION_WORKSPACE elements


@qd.kernel
def lengths(x: Heads, w: Words):
    qd.tensors.attention(x, x, x, x, w, 64, lengths=w)  # error: the lengths of attention are an array of i32: the rows of k and v in each batch


@qd.kernel
def few(x: Heads, w: Words):
    qd.tensors.decode(x, x, x, x, w, 64)  # error: the scratch of `decode` is an array of f32
