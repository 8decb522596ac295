"""Products of many matrices by a module of matmul.py beside torch.bmm, on one NVIDIA GPU.

    batched_rows.py LOADER MODULE [COUNTxSIZE…] [--variant=PATTERN]

Both work on the same memory and stream, in turn: medians of 15 rounds of 10 launches in a row. GB/s count both operands and
the result once. `error` is the greatest difference of the results, over the greatest of PyTorch's.
"""

import statistics
import sys

import torch

from rows import ROUNDS, Program, time_one


def row(program, count, size):
    a, b = (torch.randn((count, size, size), device="cuda").to(torch.float16) for _ in range(2))
    c, expected, workspace = torch.empty_like(a), torch.empty_like(a), torch.zeros(64, device="cuda", dtype=torch.int64)
    kernel = program.kernel("f16_batched")
    ways = (lambda: [kernel(a, b, c, workspace) for _ in range(10)], lambda: [torch.bmm(a, b, out=expected) for _ in range(10)])
    for way in ways:
        way()
    torch.cuda.synchronize()
    error = float((c.float() - expected.float()).abs().max() / expected.float().abs().max())
    times = [[time_one(way) / 10 for way in ways] for _ in range(ROUNDS)]
    ours, other = (3 * 2 * count * size * size / 1e6 / statistics.median(each) for each in zip(*times))
    print(f"| {count}x{size} | {ours:.0f} | {other:.0f} | {ours / other:.2f} | {error:.1e} |", flush=True)


def main():
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    options = dict(word[2:].split("=", 1) for word in sys.argv[1:] if word.startswith("--"))
    program = Program(words[0], words[1], options.get("variant"))
    torch.manual_seed(1)
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, variant {options.get('variant') or 'as the loader picks'}\n")
    print("| count x size | ours | torch | ratio | error |")
    print("|---|---|---|---|---|")
    for size in words[2:] or ("16384x16", "16384x32", "8192x64", "4096x96", "4096x128", "1024x256"):
        row(program, *map(int, size.split("x")))


if __name__ == "__main__":
    main()
