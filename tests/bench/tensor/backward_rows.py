"""Derivatives of attention by a module of attention.py beside PyTorch's, by cuDNN and by FlashAttention, on one NVIDIA GPU.

    backward_rows.py LOADER MODULE [BATCHESxHEADSxROWS…] [--variant=PATTERN] [--kernel=WORD]

All work on the same memory and stream, in turn: medians of 15 rounds, in TFLOP/s, at ten operations a score and element of a head; a causal mask
halves the work. `error` is the greatest difference from FlashAttention's derivatives, over the greatest of these.
"""

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

from rows import begin, error_of, medians, warm


def row(program, name, batches, heads, rows):
    words = name.split("_")
    dim, causal = int(words[1]), "causal" in words
    q, k, v = (torch.randn((batches, heads, rows, dim), device="cuda").to(torch.bfloat16).requires_grad_() for _ in range(3))
    d_out = torch.randn_like(q)
    results = {}
    for backend in (SDPBackend.CUDNN_ATTENTION, SDPBackend.FLASH_ATTENTION):
        with sdpa_kernel(backend):
            results[backend] = scaled_dot_product_attention(q, k, v, is_causal=causal)
    by = lambda backend: torch.autograd.grad(results[backend], (q, k, v), d_out, retain_graph=True)
    with torch.no_grad():
        scores = torch.zeros((batches, heads, rows), device="cuda")
        for head in range(heads):  # whole matrices of scores, one head at a time
            one = q[:, head].float() @ k[:, head].float().transpose(1, 2) * dim**-0.5
            if causal:
                one = one.masked_fill(torch.ones(rows, rows, device="cuda", dtype=torch.bool).triu(1), float("-inf"))
            scores[:, head] = one.logsumexp(-1)
    out = results[SDPBackend.FLASH_ATTENTION].detach().contiguous()
    found, sums = [torch.empty(q.shape, device="cuda", dtype=q.dtype) for _ in range(3)], torch.empty_like(scores)
    kernel = program.kernel(name)
    plain = [each.detach() for each in (q, k, v)]
    ways = [lambda: kernel(*plain, out, d_out, scores, *found, sums), lambda: by(SDPBackend.CUDNN_ATTENTION), lambda: by(SDPBackend.FLASH_ATTENTION)]
    warm(ways)
    expected = by(SDPBackend.FLASH_ATTENTION)
    error = max(error_of(a, b) for a, b in zip(found, expected))
    ours, cudnn, flash = medians(ways)
    work = 10 * batches * heads * rows * rows * dim / (2 if causal else 1) / 1e9
    shape = f"{batches}x{heads}x{rows}"
    print(f"| {name:23} | {shape:12} | {work / ours:6.1f} | {work / cudnn:6.1f} | {work / flash:6.1f} | {flash / ours:5.2f} | {error:.1e} |", flush=True)


def main():
    program, words, options = begin()
    print("| kernel                  | b x h x rows |   ours |  cuDNN |  flash | of flash |   error |")
    print("|-------------------------|--------------|--------|--------|--------|-------|---------|")
    for name in ("bf16_128_backward", "bf16_64_backward", "bf16_64_causal_backward"):
        if options.get("kernel", "") in name:
            heads = 2048 // int(name.split("_")[1])
            for size in words or [f"4x{heads}x4096", f"16x{heads}x1024"]:
                row(program, name, *map(int, size.split("x")))


if __name__ == "__main__":
    main()
