"""The kernels of rows.py under Quadrants' own JIT, on the GPU.

    run_rows.py

Needs the package `quadrants`. Prints a table: medians of 15 rounds of 50 launches, which the host's clock times from a
synchronised device to the next, and sums of the results. rows.cpp times the same launches of the module.
"""

import statistics
import time

import numpy as np
import quadrants as qd

LAUNCHES, ROUNDS = 50, 15
COUNT, ROWS = 1 << 22, 1 << 20


def mixed(count, bits, seed=0):
    """The same numbers as mixed() in rows.cpp makes: below 2**bits."""
    numbers = np.arange(count, dtype=np.uint64) + seed
    return ((numbers * 2654435761 & 0xFFFFFFFF) >> (32 - bits)).astype(np.int32)


def reals(count, least, most, seed):
    return (least + (most - least) * mixed(count, 20, seed) / np.float32(1 << 20)).astype(np.float32)


def array(values, dtype):
    result = qd.ndarray(dtype, shape=values.shape)
    result.from_numpy(values)
    return result


def time_one(launch):
    qd.sync()
    begin = time.perf_counter()
    for _ in range(LAUNCHES):
        launch()
    qd.sync()
    return (time.perf_counter() - begin) * 1000 / LAUNCHES


def row(name, launch, result):
    launch()
    total = float(result.to_numpy().astype(np.float64).sum())
    times = [time_one(launch) for _ in range(ROUNDS)]
    print(f"| {name:24} | {statistics.median(times):9.4f} ms | {total:14.6e} |", flush=True)


def main():
    qd.init(arch=qd.cuda, fast_math=True)
    import rows

    print(f"quadrants {'.'.join(map(str, qd.__version__))}\n\n| {'':24} | {'JIT':>12} | {'sum':>14} |")
    price, strike = (array(reals(COUNT, 5, 30, seed), qd.f32) for seed in (0, 7))
    years, call = array(reals(COUNT, 0.25, 10, 13), qd.f32), qd.ndarray(qd.f32, shape=(COUNT,))
    for name in ("black_scholes", "black_scholes_strided"):
        kernel = getattr(rows, name)
        row(name, lambda: kernel(price, strike, years, call), call)
    lengths = 8 + mixed(ROWS, 4)
    begin = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    entries = int(begin[-1])
    first, column = array(begin, qd.i32), array(mixed(entries, 20), qd.i32)
    value, x = array(reals(entries, 0, 1, 3), qd.f32), array(reals(ROWS, 0, 1, 5), qd.f32)
    y = qd.ndarray(qd.f32, shape=(ROWS,))
    for name in ("spmv", "spmv_strided"):
        kernel = getattr(rows, name)
        row(name, lambda: kernel(first, column, value, x, y), y)
    table = array((np.arange(ROWS) * 16).astype(np.int32), qd.i32)
    keys, places = array(mixed(COUNT, 24), qd.i32), qd.ndarray(qd.i32, shape=(COUNT,))
    for name in ("lower_bound", "lower_bound_strided"):
        kernel = getattr(rows, name)
        row(name, lambda: kernel(table, keys, places), places)


if __name__ == "__main__":
    main()
