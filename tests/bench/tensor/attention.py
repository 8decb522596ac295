# Attention, for attention_rows.py: a kernel for each number of elements that heads have, and with causal masks.
import quadrants as qd

F16 = qd.types.ndarray(qd.f16, 4)
BF16 = qd.types.ndarray(qd.bf16, 4)
Workspace = qd.types.ndarray(qd.u64, 1)


@qd.kernel
def f16_128(q: F16, k: F16, v: F16, out: F16, workspace: Workspace):
    qd.tensors.attention(q, k, v, out, workspace, 128)


@qd.kernel
def bf16_128(q: BF16, k: BF16, v: BF16, out: BF16, workspace: Workspace):
    qd.tensors.attention(q, k, v, out, workspace, 128)


@qd.kernel
def bf16_128_causal(q: BF16, k: BF16, v: BF16, out: BF16, workspace: Workspace):
    qd.tensors.attention(q, k, v, out, workspace, 128, causal=True)


@qd.kernel
def bf16_64(q: BF16, k: BF16, v: BF16, out: BF16, workspace: Workspace):
    qd.tensors.attention(q, k, v, out, workspace, 64)


@qd.kernel
def bf16_64_causal(q: BF16, k: BF16, v: BF16, out: BF16, workspace: Workspace):
    qd.tensors.attention(q, k, v, out, workspace, 64, causal=True)


@qd.kernel
def bf16_256(q: BF16, k: BF16, v: BF16, out: BF16, workspace: Workspace):
    qd.tensors.attention(q, k, v, out, workspace, 256)


@qd.kernel
def bf16_256_causal(q: BF16, k: BF16, v: BF16, out: BF16, workspace: Workspace):
    qd.tensors.attention(q, k, v, out, workspace, 256, causal=True)


Scratch = qd.types.ndarray(qd.f32, 1)


@qd.kernel
def bf16_128_decode(q: BF16, k: BF16, v: BF16, out: BF16, scratch: Scratch):
    qd.tensors.decode(q, k, v, out, scratch, 128)


@qd.kernel
def bf16_64_decode(q: BF16, k: BF16, v: BF16, out: BF16, scratch: Scratch):
    qd.tensors.decode(q, k, v, out, scratch, 64)


Sums = qd.types.ndarray(qd.f32, 3)


@qd.kernel
def bf16_128_backward(
    q: BF16, k: BF16, v: BF16, out: BF16, d_out: BF16, lse: Sums, d_q: BF16, d_k: BF16, d_v: BF16, sums: Sums
):
    qd.tensors.attention_backward(q, k, v, out, d_out, lse, d_q, d_k, d_v, sums, 128)


@qd.kernel
def bf16_64_backward(
    q: BF16, k: BF16, v: BF16, out: BF16, d_out: BF16, lse: Sums, d_q: BF16, d_k: BF16, d_v: BF16, sums: Sums
):
    qd.tensors.attention_backward(q, k, v, out, d_out, lse, d_q, d_k, d_v, sums, 64)


@qd.kernel
def bf16_64_causal_backward(
    q: BF16, k: BF16, v: BF16, out: BF16, d_out: BF16, lse: Sums, d_q: BF16, d_k: BF16, d_v: BF16, sums: Sums
):
    qd.tensors.attention_backward(q, k, v, out, d_out, lse, d_q, d_k, d_v, sums, 64, causal=True)
