"""The examples of docs/language.md and docs/language/ compile for every backend, and compute on the CPU what they say.

    language_test.py SEXTANT PROJECT

An example is a block of ```python; one with a name (```python shapes.py) is a file that examples of its page import.
Each kernel of the pages has a row below. What it has to give is worked out here.
"""

import concurrent.futures
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

TARGETS = "cpu,sm_90,compute_80,gfx942,gfx1100,vulkan,metal:3.2"
BLOCK = re.compile(r"^```python(?: (\S+))?\n(.*?)^```", re.M | re.S)


class Failed(Exception):
    """A command, and what it said."""


class AnyOrder(list):
    """These values, in any order."""


def f32(x):
    """The nearest f32."""
    return struct.unpack("f", struct.pack("f", x))[0]


def bf16(x):
    """The nearest bf16: the upper half of an f32, halves to the even side."""
    bits = struct.unpack("I", struct.pack("f", x))[0]
    bits += 0x7FFF + (bits >> 16 & 1)
    return struct.unpack("f", struct.pack("I", bits >> 16 << 16))[0]


def relaxed(x):
    """Jacobi's means until no change is above 1e-4."""
    change = 1.0
    while change > f32(1e-4):
        y = [f32(0.5 * f32(a + b)) for a, b in zip(x, x[2:])]
        change = max(abs(f32(a - b)) for a, b in zip(y, x[1:]))
        x = [x[0], *y, x[-1]]
    return x


def save(path, values, shape):
    """An array of f32 as a .npy file of version 1.0."""
    head = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}"
    head += " " * (-(10 + len(head) + 1) % 64) + "\n"
    data = struct.pack(f"<{len(values)}f", *values)
    pathlib.Path(path).write_bytes(b"\x93NUMPY\x01\0" + struct.pack("<H", len(head)) + head.encode() + data)


ROUGH = [0.0, 3.0, -1.0, 4.0, 1.5, -9.0, 2.0, 6.0, 8.0]  # rough.npy
# square.npy is the product of a lower triangle of ones and its transpose.
SQUARE = [float(min(i, j) + 1) for i in range(16) for j in range(16)]
TRIANGLE = [float(j <= i) for i in range(16) for j in range(16)]

# Kernel, or implementation of one: arguments, and the values of some afterwards.
CASES = {
    # language.md
    "saxpy": (["n=6", "a=0.5", "x=iota:f32[6]", "y=const:2:f32[6]"], {"y": [2.0, 2.5, 3.0, 3.5, 4.0, 4.5]}),
    # kernels.md
    "squares": (["x=iota:f32[4]", "y=zeros:f32[4]"], {"y": [0.0, 1.0, 4.0, 9.0]}),
    "surfaces": (["x=iota:f32[3]"], {"x": [0.0, 6.0, 24.0]}),
    "Filters_halve": (["x=iota:f32[4]"], {"x": [0.0, 0.5, 1.0, 1.5]}),
    "move": (["points=const:1:f32[2]", "by=1,2,3", "times=2"], {"points": [3.0, 5.0, 7.0] * 2}),
    "mean": (["image=iota:f32[2,2]", "out=const:5:f32"], {"out": [1.5]}),
    "smooth": (["x=iota:f32[4]", "y=zeros:f32[4]"], {"y": [f32(1 / 3), 1.0, 2.0, f32(8 / 3)]}),
    "clear_middle": (["v=const:1:f32[8]"], {"v": [1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0]}),
    "dot": (["x=iota:f32[4]", "y=const:2:f32[4]"], {"return": [12.0]}),
    "fill_row_4": ([], {"return": [4.0]}),
    # fields.md
    "count_up": (["by=1.5"], {"return": [1.5]}),
    "sum_of_indices": ([], {"return": [31 * 32 // 2]}),
    "positions": ([], {"return": [-20]}),
    "corner": ([], {"return": [12.0]}),
    "descend": (["rate=0.5"], {"return": [-1.0]}),
    # structs.md
    "advance": (["dt=0.5", "e=const:7:f32[1024]"], {"e": [0.0] * 1024}),  # the field is zero at first
    "span_of": (["x=2"], {"return0": [1.5], "return1": [2.5]}),
    "weigh": ([], {"return": [3.0]}),
    "drift": (["state.x=iota:f32[3]", "state.v=const:2:f32[3]", "dt=0.5"], {"state.x": [1.0, 2.0, 3.0]}),
    "on_line": (["slope=2", "y=zeros:f32[3]"], {"y": [1.0, 3.0, 5.0]}),
    "speed": (["mode=2"], {"return": [100]}),
    # types.md
    "third": (["x=iota:f32[5]", "y=zeros:bf16[5]"], {"x": [bf16(i / 3) for i in range(5)]}),
    "quantise": (["x=iota:f32[5]", "scale=3.3", "y=zeros:f8e4m3[5]"], {"y": [0.0, 3.25, 6.5, 10.0, 13.0]}),
    "dot_of_bytes": (["x=const:2:f8e4m3[4]", "y=const:3:f8e4m3[4]", "sum=zeros:f32[1]"], {"sum": [24.0]}),
    "top_bit": (["x=1"], {"return": [2147483649]}),
    "fixed": (["x=3.9"], {"return": [3.5]}),
    "mixed": (["a=7", "b=0.25"], {"return": [3.75]}),
    "ends": (["big=3e9", "x=zeros:i32[4]"], {"x": [127, 0, 6000000000 - 2**32, 0x3F800000]}),
    "floors": (["a=-7", "b=2", "x=zeros:i32[4]"], {"x": [-4, 1, -4, 15]}),
    "split": (["x=-6"], {"return0": [-0.75], "return1": [3]}),
    "draws": (["x=zeros:i32[50]"], {"x": [1] * 50}),
    "turn": (["v=1,2,3", "m=1,2,3,4"], {"return0": [5.0, 3.0, 7.0], "return1": [1.0, -2.0, 3.0, -4.0]}),
    "both": (["a=zeros:f32[2]", "b=zeros:f32[2]"], {"a": [0.0, 1.0], "b": [10.0, 11.0]}),
    "pick": (["i=3"], {"return": [-2.0, 3.0, 3.0]}),
    "inverse": (["m=1,2,3,4"], {"return": [-2.0, 1.0, 1.5, -0.5]}),
    # matrices.md
    "layer": (["a=iota:f16[2,4]", "weights=iota:f16[3,4]", "bias=const:-38:f32[3]", "c=zeros:f32[2,3]",
               "workspace=zeros:u64[64]"], {"c": [0.0, 0.0, 24.0, 0.0, 88.0, 176.0]}),
    "attend": (["q=zeros:f16[1,1,2,16]", "k=iota:f16[1,1,2,16]", "v=iota:f16[1,1,2,16]", "out=zeros:f16[1,1,2,16]",
                "workspace=zeros:u64[80]"], {"out": [float(8 + d) for d in range(16)] * 2}),
    "next_row": (["q=zeros:f16[1,1,2,16]", "k=iota:f16[1,3,1,16]", "v=iota:f16[1,3,1,16]", "out=zeros:f16[1,1,2,16]",
                  "scratch=zeros:f32[0]", "lengths=const:2:i32[1]"], {"out": [float(8 + d) for d in range(16)] * 2}),
    "gram": (["x=iota:i8[2,3]", "sums=zeros:i32[2,2]"], {"sums": [0, 14, 14, 0]}),
    # statements.md
    "classify": (["x=iota:i32[80]"], {"x": [1] * 10 + [2] * 50 + [6] * 10 + [7] * 10}),
    "triangle": (["out=zeros:i32[3,3]"], {"out": [1, 3, 6, 101, 103, 106, 201, 203, 206]}),
    "product": (["m=iota:f32[2,4]", "x=iota:f32[4]", "out=zeros:f32[2]"], {"out": [14.0, 38.0]}),
    "count_down": (["n=100"], {"return": [914]}),  # 100, 97, 94, 91
    "weighted": (["x=2"], {"return": [31.0]}),
    "polynomial": (["x=2"], {"return": [13.0]}),
    "step_twice": (["x=zeros:f32[2]"], {"x": [2.0, 3.0], "return": [4]}),
    "report": (["x=1.5"], {"return": [3.0]}),
    # tasks.md
    "normalize": (["x=iota:f32[5]"], {"x": [-2.0, -1.0, 0.0, 1.0, 2.0]}),
    "sums": (["x=iota:f32[4]"], {"return": [2.0, 4.0]}),
    "threads": (["x=zeros:i32[64]"], {"x": [*range(32)] * 2}),
    "stream_copy": (["x=iota:f32[5]", "y=zeros:f32[5]"], {"y": [0.0, 1.0, 2.0, 3.0, 4.0]}),
    "total": (["x=iota:f32[6]", "out=const:1:f32[1]"], {"out": [16.0]}),
    "total+implementation=total_by_one_thread": (["x=iota:f32[6]", "out=const:2:f32[1]"], {"out": [17.0]}),
    # graphs.md
    "relax": (["x={folder}/rough.npy", "y=zeros:f32[9]", "go=const:1:i32"], {"x": relaxed(ROUGH), "go": [0]}),
    "grow": (["x=const:1:i32[40]", "found=zeros:i32[64]", "count=const:9:i32", "full=const:0:i32"],
             {"count": [40], "full": [0], "found": AnyOrder([*range(40), *[0] * 24])}),
    "two_parts": (["x=iota:f32[3]", "y=const:2:f32[3]"], {"x": [5.0, 6.0, 7.0]}),
    "reset": (["x=iota:f32[3]"], {"x": [0.0] * 3}),
    # targets.md
    "turned_rows": (["x=iota:f32[128]", "y=zeros:f32[128]"], {"y": [*map(float, range(-63, 1)),
                                                                     *map(float, range(-127, -63))]}),
    "ratio": (["x=iota:f32[4]"], {"x": [0.0, 0.25, 0.5, 0.75]}),
    # atomics.md
    "pack": (["x=iota:i32[5]", "found=zeros:i32[5]", "count=zeros:i32[1]"],
             {"count": [4], "found": AnyOrder([0, 1, 2, 3, 4])}),
    "mark": (["small=zeros:u8[2]", "out=zeros:i32[2]"], {"out": [12, 12]}),
    "histogram": (["x=iota:i32[6]", "bins=const:1:i32[8]"], {"bins": [2] * 6 + [1] * 2}),
    "hand_over": (["flags=zeros:i32[1]", "data=zeros:i32[2]"], {"data": [7, 8]}),
    # simt.md
    "block_sums": (["x=iota:f32[256]", "sums=zeros:f32[2]"], {"sums": [8128.0, 24512.0]}),
    "timed": (["x=const:4:f32[1]"], {"x": [2.0], "return": [1]}),
    "turned": (["x=iota:f32[256]", "y=zeros:f32[256]"], {"y": [*map(float, range(127, -1, -1)),
                                                                *map(float, range(255, 127, -1))]}),
    "factor": (["a={folder}/square.npy"], {"a": TRIANGLE}),
    # checks.md
    "roots": (["x=const:9:f32[4]"], {"x": [3.0] * 4}),
}


def run(*command, folder):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise Failed(" ".join(command) + "\n" + done.stderr)
    return done.stdout


def compile_page(sextant, page, folder):
    """Builds all examples of a page as one module. Returns the names of its rows, a kernel and its implementations."""
    folder.mkdir()
    examples = []
    for number, (name, text) in enumerate(BLOCK.findall(page.read_text())):
        file = name or f"example{number}.py"
        (folder / file).write_text(text)
        if not name:
            examples.append(file)
    run(sextant, "compile", *examples, "-o", "page.sxt", f"--targets={TARGETS}", folder=folder)
    kernels = json.loads(run(sextant, "inspect", "--json", "page.sxt", folder=folder))["kernels"]
    rows = []
    for kernel in kernels:
        name = kernel["instance"] or kernel["name"]
        found = {re.sub(r".*(\+implementation=\w+).*", r"\1", variant["target"]) for variant in kernel["variants"]}
        rows += [name, *(name + each for each in sorted(found) if each.startswith("+"))]
    return rows


def faults_of(sextant, row, folder):
    """Runs a row of CASES on the CPU, and compares what it gives."""
    kernel, mark, implementation = row.partition("+")
    arguments, wanted = CASES[row]
    arguments = [argument.replace("{folder}", str(folder.parent)) for argument in arguments]
    # The first implementation is the kernel's ordinary code.
    pin = [f"--variant={mark}{implementation}"] if mark else []
    try:
        said = run(sextant, "run", "page.sxt", kernel, "--device=cpu", "--json", *pin, *arguments, folder=folder)
    except Failed as failed:
        yield f"{row}: {failed}"
        return
    given = {}
    for output in json.loads(said[said.index("{"):])["outputs"]:  # after what the kernel prints
        rounded = f32 if output["dtype"] == "f32" else lambda value: value  # the fewest digits that mean the f32
        given[output["name"]] = [rounded(value) for value in output["values"]]
    for name, expected in wanted.items():
        values = given.get(name, f"missing among {list(given)}")
        if (sorted(values) != sorted(expected) if isinstance(expected, AnyOrder) else values != expected):
            yield f"{row}: {name} is {values[:40]}, expected {expected[:12]}"


def main(sextant, project):
    sextant, docs = str(pathlib.Path(sextant).resolve()), pathlib.Path(project) / "docs"
    pages = [docs / "language.md", *sorted((docs / "language").glob("*.md"))]
    with tempfile.TemporaryDirectory() as work, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        folders = [pathlib.Path(work) / page.stem for page in pages]
        save(f"{work}/rough.npy", ROUGH, (len(ROUGH),))
        save(f"{work}/square.npy", SQUARE, (16, 16))
        rows = list(pool.map(lambda page, folder: compile_page(sextant, page, folder), pages, folders))
        seen = [(row, folder) for found, folder in zip(rows, folders) for row in found]
        names = [row for row, _ in seen]
        faults = [f"{row}: it has no row here" for row in names if row not in CASES]
        faults += [f"{row}: the pages have no such example" for row in CASES if row not in names]
        faults += [f"{row}: several examples have the name" for row in set(names) if names.count(row) > 1]
        known = [(row, folder) for row, folder in seen if row in CASES]
        for found in pool.map(lambda one: list(faults_of(sextant, *one)), known):
            faults += found
    print(f"{len(seen)} kernels of {len(pages)} pages, {len(faults)} faults", *faults, sep="\n")
    return 1 if faults or not seen else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
