"""Writes kernel files of many kernels: kernels.py FOLDER COUNT. No two kernels have the same code.

A quarter each: elementwise with math, a stencil, sums through shared memory, a loop with a branch.
"""

import pathlib
import sys

A_FILE = 50
SHAPES = [
    """
@qd.kernel
def map{n}(a: qd.f32, x: qd.types.ndarray(dtype=qd.f32, ndim=1), y: qd.types.ndarray(dtype=qd.f32, ndim=1)):
    for i in range(x.shape[0]):
        y[i] = a * qd.exp(x[i] * {n}.5) + qd.sqrt(y[i] + {n}.0) / (x[i] + {n}.25)
""",
    """
@qd.kernel
def stencil{n}(x: qd.types.ndarray(dtype=qd.f32, ndim=2), y: qd.types.ndarray(dtype=qd.f32, ndim=2)):
    for i, j in qd.ndrange((1, x.shape[0] - 1), (1, x.shape[1] - 1)):
        y[i, j] = x[i, j] * {n}.0 + (x[i - 1, j] + x[i + 1, j] + x[i, j - 1] + x[i, j + 1]) * 0.{n}
""",
    """
@qd.kernel
def sums{n}(x: qd.types.ndarray(dtype=qd.f32, ndim=1), out: qd.types.ndarray(dtype=qd.f32, ndim=1)):
    qd.loop_config(block_dim=256)
    for i in range(x.shape[0]):
        tid = i % 256
        pad = qd.simt.block.SharedArray((256,), qd.f32)
        pad[tid] = x[i] * {n}.0
        qd.simt.block.sync()
        step = 128
        while step > 0:
            if tid < step:
                pad[tid] += pad[tid + step]
            qd.simt.block.sync()
            step = step // 2
        if tid == 0:
            out[i // 256] = pad[0]
""",
    """
@qd.kernel
def walk{n}(x: qd.types.ndarray(dtype=qd.i32, ndim=1), steps: qd.i32):
    for i in range(x.shape[0]):
        value = x[i]
        for k in range(steps):
            if value % 2 == 0:
                value = value // 2 + {n}
            else:
                value = value * 3 + k
        x[i] = value
""",
]


def main(folder, count):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for first in range(0, count, A_FILE):
        text = "import quadrants as qd\n"
        for number in range(first, min(first + A_FILE, count)):
            text += SHAPES[number % len(SHAPES)].format(n=number + 1)
        (folder / f"kernels{first // A_FILE:04}.py").write_text(text)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
