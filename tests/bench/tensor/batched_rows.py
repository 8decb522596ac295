"""Products of many matrices by a module of matmul.py beside torch.bmm, on one NVIDIA GPU.

    batched_rows.py LOADER MODULE [COUNTxSIZE…] [--variant=PATTERN]

Both work on the same memory and stream, in turn: medians of 15 rounds of 10 launches in a row. GB/s count both operands and
the result once. `error` is the greatest difference of the results, over the greatest of PyTorch's.
"""

import torch

from rows import begin, error_of, medians, warm


def row(program, count, size):
    a, b = (torch.randn((count, size, size), device="cuda").to(torch.float16) for _ in range(2))
    c, expected, workspace = torch.empty_like(a), torch.empty_like(a), torch.zeros(64, device="cuda", dtype=torch.int64)
    kernel = program.kernel("f16_batched")
    ways = (lambda: kernel(a, b, c, workspace), lambda: torch.bmm(a, b, out=expected))
    warm(ways)
    error = error_of(c, expected)
    ours, other = (3 * 2 * count * size * size / 1e6 / time for time in medians(ways, 10))
    print(f"| {count}x{size} | {ours:.0f} | {other:.0f} | {ours / other:.2f} | {error:.1e} |", flush=True)


def main():
    program, words, _ = begin()
    print("| count x size | ours | torch | ratio | error |")
    print("|---|---|---|---|---|")
    for size in words or ("16384x16", "16384x32", "8192x64", "4096x96", "4096x128", "1024x256"):
        row(program, *map(int, size.split("x")))


if __name__ == "__main__":
    main()
