"""Prints kernels that sort keys of one type by each range of bits, all pairs (begin, end), or every STEPth of them.

    pairs.py TYPE [STEP]      pairs.py u32 > pairs_u32.py
"""

import sys

def pairs(width, step=1):
    every = [(begin, end) for begin in range(width) for end in range(begin + 1, width + 1)]
    return every[step // 2 :: step]


def text(dtype, step):
    width = int(dtype.lstrip("bfiu"))
    lines = [
        "import quadrants as qd",
        "",
        f"Keys = qd.types.ndarray(dtype=qd.{dtype}, ndim=1)",
        "i32s = qd.types.ndarray(dtype=qd.i32, ndim=1)",
        "u32s = qd.types.ndarray(dtype=qd.u32, ndim=1)",
    ]
    for begin, end in pairs(width, step):
        lines += [
            "",
            "",
            "@qd.kernel",
            f"def bits_{begin}_{end}(keys: Keys, tmp: Keys, values: i32s, tmp_values: i32s, scratch: u32s, n: qd.i32):",
            f"    qd.algorithms.sort(keys, tmp, values, tmp_values, scratch, n, qd.{dtype}, True, {end}, 4, {begin})",
        ]
    return "\n".join(lines)


if __name__ == "__main__":
    print(text(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1))
