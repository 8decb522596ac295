"""Attention of one row of q by a module of attention.py beside PyTorch's, on one NVIDIA GPU.

    decode_rows.py LOADER MODULE [BATCHESxHEADSxK_HEADSxROWS…] [--variant=PATTERN] [--kernel=WORD]

All work on the same memory and stream, in turn: medians of 15 rounds of 10 launches in a row. GB/s count k and v once. `copy` is PyTorch's copy of as
many bytes in the same round, whose reads and writes both count. 50 MB and less lie in the L2 cache.
"""

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

from rows import begin, error_of, medians, warm


def row(program, name, batches, heads, k_heads, rows):
    dim = int(name.split("_")[1])
    q = torch.randn((batches, heads, 1, dim), device="cuda").to(torch.bfloat16)
    k, v = (torch.randn((batches, k_heads, rows, dim), device="cuda").to(torch.bfloat16) for _ in range(2))
    out, scratch = torch.empty_like(q), torch.zeros(1 << 22, device="cuda")
    other = torch.empty_like(k)
    kernel = program.kernel(name)

    def by(backend):
        with sdpa_kernel(backend):
            return scaled_dot_product_attention(q, k, v, enable_gqa=True)

    ways = [lambda: kernel(q, k, v, out, scratch), lambda: other.copy_(k)]
    for backend in (SDPBackend.CUDNN_ATTENTION, SDPBackend.FLASH_ATTENTION):
        try:
            by(backend)
            ways.append(lambda backend=backend: by(backend))
        except RuntimeError:
            ways.append(None)
    warm(ways)
    expected = by(SDPBackend.FLASH_ATTENTION)
    error = error_of(out, expected)
    ours, copy, cudnn, flash = (2 * k.numel() * 2 / 1e6 / time for time in medians(ways, 10))
    best = max(rate for rate in (cudnn, flash) if rate == rate)
    shape = f"{batches}x{heads}x{k_heads}x{rows}"
    print(f"| {name:15} | {shape:14} | {ours:6.0f} | {cudnn:6.0f} | {flash:6.0f} | {copy:6.0f} | {ours / best:5.2f} | {ours / copy:5.2f} | {error:.1e} |", flush=True)


def main():
    program, words, options = begin()
    print("| kernel          | b x h x kh x rows | ours | cuDNN | flash | copy | of the best | of copy | error |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name in ("bf16_128_decode", "bf16_64_decode"):
        if options.get("kernel", "") in name:
            for size in words or ("1x32x8x131072", "1x32x8x32768", "16x32x8x8192", "64x32x8x4096", "64x32x32x4096", "1x32x8x4096"):
                row(program, name, *map(int, size.split("x")))


if __name__ == "__main__":
    main()
