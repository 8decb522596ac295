"""Attention by a module of attention.py beside PyTorch's, by cuDNN and by FlashAttention, on one NVIDIA GPU.

    attention_rows.py LOADER MODULE [BATCHESxHEADSxROWS…] [--variant=PATTERN] [--kernel=WORD]

All work on the same memory and stream, in turn: medians of 15 rounds, in TFLOP/s; a causal mask halves the work. `error` is
the greatest difference from cuDNN's result, over the greatest of these. Without sizes, 16,384 rows in all, and 2048 elements
of all heads of a row.
"""

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

from rows import begin, error_of, medians, warm


def row(program, name, batches, heads, rows):
    words = name.split("_")
    dim, causal = int(words[1]), words[-1] == "causal"
    dtype = torch.float16 if words[0] == "f16" else torch.bfloat16
    q, k, v = (torch.randn((batches, heads, rows, dim), device="cuda").to(dtype) for _ in range(3))
    out, workspace = torch.empty_like(q), torch.zeros(80, device="cuda", dtype=torch.int64)
    kernel = program.kernel(name)

    def by(backend):
        with sdpa_kernel(backend):
            return scaled_dot_product_attention(q, k, v, is_causal=causal)

    ways = [lambda: kernel(q, k, v, out, workspace)]
    for backend in (SDPBackend.CUDNN_ATTENTION, SDPBackend.FLASH_ATTENTION):
        try:
            by(backend)
            ways.append(lambda backend=backend: by(backend))
        except RuntimeError:
            ways.append(None)
    warm(ways)
    expected = by(SDPBackend.CUDNN_ATTENTION if ways[1] else SDPBackend.FLASH_ATTENTION)
    error = error_of(out, expected)
    ours, cudnn, flash = medians(ways)
    work = 4 * batches * heads * rows * rows * dim / (2 if causal else 1) / 1e9
    best = min(time for time in (cudnn, flash) if time == time)
    shape = f"{batches}x{heads}x{rows}"
    print(f"| {name:15} | {shape:12} | {work / ours:6.1f} | {work / cudnn:6.1f} | {work / flash:6.1f} | {best / ours:5.2f} | {error:.1e} |", flush=True)


def main():
    program, words, options = begin()
    print("| kernel          | b x h x rows |   ours |  cuDNN |  flash | ratio |   error |")
    print("|-----------------|--------------|--------|--------|--------|-------|---------|")
    for name in ("f16_128", "bf16_128", "bf16_128_causal", "bf16_64", "bf16_64_causal", "bf16_256", "bf16_256_causal"):
        if options.get("kernel", "") in name:
            heads = 2048 // int(name.split("_")[1])
            sizes = words or [f"{16384 // rows}x{heads}x{rows}" for rows in (16384, 4096, 1024)]
            for size in sizes:
                row(program, name, *map(int, size.split("x")))


if __name__ == "__main__":
    main()
