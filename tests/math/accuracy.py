#!/usr/bin/env python3
"""Makes docs/math-accuracy.md of result files of sextant-math.

    accuracy.py FOLDER...      the folders of the *.tsv; the page goes to stdout
"""
import pathlib
import sys

HEAD = """# How exact the math functions are

With this page you can look up how far a result may be from the exact one, on each target.

Written by `./dev math` (`tests/math/accuracy.py`) from measurements. Numbers are the largest error seen, in units in
the last place (ulp) of the exact result: 0.5 is correct rounding, 0 an exact result. `!` marks special values that are
wrong.

- **Inputs** (`tests/math/Operands.cpp`): functions of one f16 on all 65536 numbers; the others on zeros, subnormal
  numbers, the ends of the ranges, infinities and NaN, on every exponent, close to the hard points of each function
  (multiples of pi/2 as large as the type has them, 1 for logarithms, the edges of overflow and underflow), and on
  random bits. A measured error is a lower bound of the worst.
- **References**: MPFR with 120 bits for f64; glibc's f64 functions for f32 and f16, where their error is less than
  2^-26 units.
- **Special values** are C99's (Annex F): NaN, infinities, poles, signs of zeros. `%` and `//` are Python's. A minimum
  of two zeros may be either. An overflow is counted as if the exponent went on. Where a Vulkan device flushes subnormal
  numbers, zeros stand for them.
- **Promise**: the bound that the tests hold every target to (`tests/math/Promises.cpp`).
- `x ** n` has an integer exponent. Constants up to 8 become products, with an error of up to 3.5 units.

Where the numbers come from: on the CPU, our own expansions. On NVIDIA GPUs, libdevice. On AMD GPUs, LLVM for
exponentials and logarithms of f32, our own expansions for sin, cos and tan of f64, and else ocml. Vulkan: our own
expansions, and the device's inverse square root. **AMD is measured on amdsim and Metal on mslsim**: amdsim computes the hardware's
approximate instructions (v_exp_f32, v_rcp_f64 …) its own way, and mslsim takes the host's libm for Metal's functions,
so these columns prove our code and not the devices'. Divisions whose divisor has a subnormal reciprocal are left out on
amdsim in f64, where its v_div_scale is not the hardware's.
"""

# Published limits, in ulp; their sources are in TAIL.
CUDA = {
    "f32": {"sqrt(x)": "0", "rsqrt(x)": "2", "exp(x)": "2", "exp2(x)": "2", "log(x)": "1", "log2(x)": "1", "log10(x)": "2",
            "sin(x)": "2", "cos(x)": "2", "tan(x)": "4", "asin(x)": "4", "acos(x)": "3", "atan(x)": "2", "sinh(x)": "3",
            "cosh(x)": "2", "tanh(x)": "2", "x / y": "0", "atan2(x, y)": "3", "pow(x, y)": "8"},
    "f64": {"sqrt(x)": "0", "rsqrt(x)": "1", "exp(x)": "1", "exp2(x)": "1", "log(x)": "1", "log2(x)": "1", "log10(x)": "1",
            "sin(x)": "1", "cos(x)": "1", "tan(x)": "2", "asin(x)": "2", "acos(x)": "1", "atan(x)": "2", "sinh(x)": "1",
            "cosh(x)": "1", "tanh(x)": "1", "x / y": "0", "atan2(x, y)": "2", "pow(x, y)": "2"},
}
OPENCL = {"sqrt(x)": "3", "rsqrt(x)": "2", "exp(x)": "3", "exp2(x)": "3", "log(x)": "3", "log2(x)": "3", "log10(x)": "3",
          "sin(x)": "4", "cos(x)": "4", "tan(x)": "5", "asin(x)": "4", "acos(x)": "4", "atan(x)": "5", "sinh(x)": "4",
          "cosh(x)": "4", "tanh(x)": "5", "x / y": "2.5", "atan2(x, y)": "6", "pow(x, y)": "16"}
VULKAN = {"sqrt(x)": "of 1/rsqrt", "rsqrt(x)": "2", "exp(x)": "3 + 2 abs(x)", "exp2(x)": "3 + 2 abs(x)",
          "log(x)": "3; 2^-21 near 1", "log2(x)": "3; 2^-21 near 1", "sin(x)": "2^-11", "cos(x)": "2^-11",
          "tan(x)": "of sin/cos", "asin(x)": "of atan2", "acos(x)": "of atan2", "atan(x)": "4096", "atan2(x, y)": "4096",
          "sinh(x)": "of exp", "cosh(x)": "of exp", "tanh(x)": "of sinh/cosh", "x / y": "2.5", "pow(x, y)": "of exp2, log2"}
TAIL = """
CUDA's limits are against the correctly rounded result (CUDA C++ Programming Guide, "Mathematical Functions", as
tabulated in intel/llvm's `cuda-vs-opencl-math-builtin-precisions.md`); OpenCL's are of the full profile (OpenCL C,
"Relative Error as ULPs"; `sqrt` and `/` of f64 are rounded correctly); Vulkan's are of f32 (Vulkan, "Precision of
GLSL.std.450 Instructions"; sin and cos: the absolute error from -pi to pi).
"""


DECOMPOSITIONS = """
## Decompositions of small matrices

Measured by `tests/math/decompositions` beside LAPACK in f64 (`dgesvd`, `dsyev`, `dgeev`, `dgesv`), which gets the same
matrices, rounded to the type. Numbers are the largest errors, in units of the type's epsilon (2^-23, 2^-52) and of the
matrix's Frobenius norm: of the **values** / of the **product** of the factors beside the matrix / of the **factors**.

| | values | product | factors |
|---|---|---|---|
| `svd` | singular values | U S V' | U' U and V' V beside the identity |
| `polar` (`qd.polar_decompose`) | the eigenvalues of S beside A's singular values | R S | R' R beside the identity |
| `sym_eig` | eigenvalues | V W V' | V' V beside the identity |
| `make_spd` | eigenvalues, beside A's without the negative ones | the matrix beside LAPACK's | beside its transpose |
| `eig` | eigenvalues; those of matrices that are almost defective are known to the root of epsilon | A v - w v, beside v | |
| `solve` | x beside LAPACK's, divided by the condition of the matrix; not of matrices with a condition past a tenth of 1/epsilon | the residual, beside the norms of A x and b | |

The families of matrices: random entries from -1 to 1; nearly singular, with a smallest singular value of 10^-3 to 10^-12
of the largest; repeated, with two or more equal values, or almost (10^-4 to 10^-12); singular, with one or more zeros,
down to the zero matrix (not for `solve`). Each table's cell is the largest of all families.
"""


def decompositions(folders):
    """The section on decompositions, if there are measurements."""
    columns, cells, families = [], {}, {}
    for folder in folders:
        for path in sorted(pathlib.Path(folder).glob("decompositions-*.tsv")):
            device = None
            for line in path.read_text().splitlines():
                cell = line.split("\t")
                if cell[0] == "device":
                    device = cell[1:]
                elif cell[0] == "decomposition":
                    _, name, what, kind, rows, family, count, *errors = cell
                    on = device[3] if device[1] != "cpu" else device[0]
                    column = (name.split("/wave")[0], on, device[4], int(count))
                    if column not in columns:
                        columns.append(column)
                    errors = [float(e) for e in errors]
                    key = (kind, what, int(rows))
                    old = cells.setdefault(key, {}).get(column, [0.0] * 3)
                    # A NaN is not a maximum, and stays.
                    cells[key][column] = [a if a != a else b if b != b else max(a, b) for a, b in zip(old, errors)]
                    families.setdefault(family, {}).setdefault(key, {})[column] = errors
    if not columns:
        return []
    def text(errors, what):
        shown = errors[:2] if what in ("eig", "solve") else errors
        return " / ".join(f"{e:.2g}" if e < 99.5 else f"{e:.0f}" if e < 1e5 else f"{e:.0e}" for e in shown)
    out = [DECOMPOSITIONS, "| column | device | measured | matrices of each kind and family |\n|---|---|---|---|"]
    out += [f"| `{c[0]}` | {c[1]} | {c[2]} | {c[3]} |" for c in columns]
    order = ["svd", "polar", "sym_eig", "make_spd", "eig", "solve"]
    for kind in ("f32", "f64"):
        keys = sorted((k for k in cells if k[0] == kind), key=lambda k: (order.index(k[1]), k[2]))
        has = [c for c in columns if any(c in cells[k] for k in keys)]
        out.append(f"\n{kind}:\n\n| | " + " | ".join(f"`{c[0]}`" for c in has) + " |\n" + "|---" * (1 + len(has)) + "|")
        for key in keys:
            out.append(f"| `{key[1]}` {key[2]}x{key[2]} | " +
                       " | ".join(text(cells[key][c], key[1]) if c in cells[key] else "" for c in has) + " |")
    shown = next((c for c in columns if c[0] == "cpu:x86-64-v3"), columns[0])
    out.append(f"\nBy family, on `{shown[0]}`, f32:\n\n| | " + " | ".join(families) + " |\n" + "|---" * (1 + len(families)) + "|")
    for key in sorted((k for k in cells if k[0] == "f32" and shown in cells[k]), key=lambda k: (order.index(k[1]), k[2])):
        out.append(f"| `{key[1]}` {key[2]}x{key[2]} | " + " | ".join(
            text(of[key][shown], key[1]) if shown in of.get(key, {}) else "" for of in families.values()) + " |")
    return out


def read(folders):
    """Devices by file, and rows: type -> function -> column -> row."""
    columns, rows, absent = [], {}, []
    for folder in folders:
        for path in sorted(pathlib.Path(folder).glob("*.tsv")):
            device = None
            for line in path.read_text().splitlines():
                cell = line.split("\t")
                if cell[0] == "device":
                    device = cell[1:]
                elif cell[0] == "absent":
                    absent.append((path.stem, cell[1]))
                elif cell[0] == "math":
                    # One device may run what two files are of.
                    column = (cell[1].split("/wave")[0], device[3] if device[1] != "cpu" else device[0], device[4])
                    if column not in columns:
                        columns.append(column)
                    rows.setdefault(cell[3], {}).setdefault(cell[2], {})[column] = {
                        "points": int(cell[4]), "ulp": float(cell[5]), "at": cell[6], "got": cell[7],
                        "wrong": int(cell[8]), "wrongAt": cell[9], "wrongGot": cell[10], "promise": float(cell[11]),
                        "flushes": cell[12] == "1"}
    return columns, rows, absent


def number(value):
    return f"{value:.3g}" if value < 1e6 else f"{value:.1e}"


def main(folders):
    columns, rows, absent = read(folders)
    # The same column measured on several machines or days: numbered.
    names = {}
    for column in columns:
        same = [c for c in columns if c[0] == column[0]]
        names[column] = f"`{column[0]}`" + (f" ({same.index(column) + 1})" if len(same) > 1 else "")
    out = [HEAD]
    out.append("| column | device | measured | subnormal f32 | points of one f32 function |\n|---|---|---|---|---|")
    for column in columns:
        cells = [r[column] for r in rows.get("f32", {}).values() if column in r]
        flushes = any(c["flushes"] for c in cells)
        points = max((c["points"] for c in cells), default=0)
        out.append(f"| {names[column]} | {column[1]} | {column[2]} | {'flushed' if flushes else 'kept'} | {points} |")
    for name, why in absent:
        out.append(f"\nNot measured: {name} ({why}).")
    for kind in ("f16", "f32", "f64"):
        if kind not in rows:
            continue
        has = [c for c in columns if any(c in r for r in rows[kind].values())]
        limits = [("CUDA", CUDA.get(kind, {})), ("OpenCL", OPENCL if kind != "f16" else {}), ("Vulkan", VULKAN if kind == "f32" else {})]
        limits = [(n, t) for n, t in limits if t]
        out.append(f"\n## {kind}\n")
        out.append("| function | promise | " + " | ".join(names[c] for c in has) + " | " * bool(limits) +
                   " | ".join(f"{n}'s limit" for n, _ in limits) + " |")
        out.append("|---" * (2 + len(has) + len(limits)) + "|")
        for function, of in rows[kind].items():
            promise = max(r["promise"] for r in of.values())
            cells = []
            for c in has:
                row = of.get(c)
                text = "" if row is None else number(row["ulp"]) + (f" !{row['wrong']}" if row["wrong"] else "")
                cells.append(f"**{text}**" if row and (row["wrong"] or row["ulp"] > row["promise"] + 1e-6) else text)
            out.append(f"| `{function}` | {promise:g} | " + " | ".join(cells) +
                       "".join(f" | {t.get(function, '')}" for _, t in limits) + " |")
        out.append(f"\nWhere the error is largest, in {kind}:\n")
        out.append("| function | " + " | ".join(names[c] for c in has) + " |\n" + "|---" * (1 + len(has)) + "|")
        for function, of in rows[kind].items():
            if all(r["ulp"] <= 0.5 and not r["wrong"] for r in of.values()):
                continue
            cells = []
            for c in has:
                row = of.get(c)
                text = "" if row is None or row["ulp"] <= 0.5 else row["at"]
                if row and row["wrong"]:
                    text += f" wrong: {row['wrongAt']} gives {row['wrongGot']}"
                cells.append(text)
            out.append(f"| `{function}` | " + " | ".join(cells) + " |")
    out.append(TAIL)
    out += decompositions(folders)
    print("\n".join(out))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1:])
