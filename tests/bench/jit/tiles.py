"""The kernels of tests/bench/cuda/tiles.py under Quadrants' own JIT, on the GPU.

    tiles.py KERNELS.py

Needs the package `quadrants`. Prints a table: medians of 15 rounds of 10 launches, which the host's clock times from a
synchronised device to the next. bench-cuda-tiles times the same launches of the module, with the same matrices.
"""

import importlib.util
import statistics
import sys
import time

import numpy as np
import quadrants as qd

LAUNCHES, ROUNDS = 10, 15


def positive(count, n):
    """The same as positive() in bench-cuda-tiles makes: symmetric matrices with large diagonals."""
    numbers = np.arange(count * n * n, dtype=np.uint64).reshape(count, n, n)
    mixed = (numbers * 2654435761 & 0xFFFFFFFF) >> 8
    values = mixed.astype(np.float32) / np.float32(1 << 24) - np.float32(0.5)
    below = np.tril(values, -1)
    return below + below.transpose(0, 2, 1) + n * np.eye(n, dtype=np.float32)


def time_one(kernel, a):
    qd.sync()
    begin = time.perf_counter()
    for _ in range(LAUNCHES):
        kernel(a)
    qd.sync()
    return (time.perf_counter() - begin) * 1000 / LAUNCHES


def compare(name, kernel, count, n):
    given = positive(count, n)
    a = qd.ndarray(qd.f32, shape=(count, n, n))
    a.from_numpy(given)
    kernel(a)
    some = np.tril(a.to_numpy()[:64])
    wanted = np.linalg.cholesky(given[:64].astype(np.float64))
    worst = np.abs(some - wanted).max()
    times = [time_one(kernel, a) for _ in range(ROUNDS)]
    print(f"| {name:44} | {statistics.median(times):9.4f} ms | {worst:8.1e} |")
    return worst < 1e-3


def main(path):
    spec = importlib.util.spec_from_file_location("tiles_kernels", path)
    kernels = importlib.util.module_from_spec(spec)
    qd.init(arch=qd.cuda)
    spec.loader.exec_module(kernels)
    print(f"quadrants {'.'.join(map(str, qd.__version__))}\n")
    print(f"| {'':44} | {'JIT':>12} | {'error':>8} |\n|{'-' * 46}|{'-' * 14}|{'-' * 10}|")
    right = compare("2^16 of 16x16, a warp a matrix", kernels.cholesky16, 1 << 16, 16)
    right &= compare("2^13 of 64x64, a warp a matrix", kernels.cholesky64, 1 << 13, 64)
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
