# Attention (`qd.tensors.attention`) of T, whose heads have up to DIM elements.
import quadrants as qd

T = qd.f16
DIM = 64
Heads = qd.types.ndarray(T, 4)
Rows = qd.types.ndarray(qd.f32, 3)
Lengths = qd.types.ndarray(qd.i32, 1)
Workspace = qd.types.ndarray(qd.u64, 1)


@qd.kernel
def plain(q: Heads, k: Heads, v: Heads, out: Heads, lse: Rows, workspace: Workspace):
    qd.tensors.attention(q, k, v, out, workspace, DIM, lse=lse)


@qd.kernel
def causal(q: Heads, k: Heads, v: Heads, out: Heads, lse: Rows, workspace: Workspace):
    qd.tensors.attention(q, k, v, out, workspace, DIM, causal=True, axes="bshd", lse=lse)


@qd.func
def sloped(score, batch, head, row, col):
    return score - qd.abs(row - col) * qd.cast(head + 1, qd.f32) * 0.125 + batch


@qd.kernel
def sloped_of_lengths(
    q: Heads, k: Heads, v: Heads, out: Heads, lse: Rows, lengths: Lengths, scale: qd.f32, workspace: Workspace
):
    qd.tensors.attention(q, k, v, out, workspace, DIM, scale, lengths=lengths, score=sloped, lse=lse)


@qd.kernel
def few(q: Heads, k: Heads, v: Heads, out: Heads, scratch: qd.types.ndarray(qd.f32, 1)):
    qd.tensors.decode(q, k, v, out, scratch, DIM)


@qd.kernel
def few_of_lengths(
    q: Heads, k: Heads, v: Heads, out: Heads, scratch: qd.types.ndarray(qd.f32, 1), lengths: Lengths, scale: qd.f32
):
    qd.tensors.decode(q, k, v, out, scratch, DIM, scale, axes="bshd", lengths=lengths, score=sloped)


@qd.kernel
def backward(
    q: Heads, k: Heads, v: Heads, out: Heads, d_out: Heads, lse: Rows, d_q: Heads, d_k: Heads, d_v: Heads, sums: Rows
):
    qd.tensors.attention_backward(q, k, v, out, d_out, lse, d_q, d_k, d_v, sums, DIM)


@qd.kernel
def causal_backward(
    q: Heads,
    k: Heads,
    v: Heads,
    out: Heads,
    d_out: Heads,
    lse: Rows,
    d_q: Heads,
    d_k: Heads,
    d_v: Heads,
    sums: Rows,
    lengths: Lengths,
):
    qd.tensors.attention_backward(
        q, k, v, out, d_out, lse, d_q, d_k, d_v, sums, DIM, causal=True, axes="bshd", lengths=lengths
    )
