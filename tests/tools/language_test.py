"""The examples of docs/language.md compile for every backend, and compute on the CPU what they say.

    language_test.py SEXTANT PAGE

Each kernel of the page has a row below. What it has to give is worked out here.
"""

import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

TARGETS = "cpu,sm_90,compute_80,gfx942,gfx1100,vulkan,metal"


def f32(x):
    """The nearest f32."""
    return struct.unpack("f", struct.pack("f", x))[0]


def relaxed(x):
    """Jacobi's means until no change is above 1e-4."""
    change = 1.0
    while change > f32(1e-4):
        y = [f32(0.5 * f32(a + b)) for a, b in zip(x, x[2:])]
        change = max(abs(f32(a - b)) for a, b in zip(y, x[1:]))
        x = [x[0], *y, x[-1]]
    return x


def save(path, values):
    """An array of f32 as a .npy file of version 1.0."""
    head = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({len(values)},), }}"
    head += " " * (-(10 + len(head) + 1) % 64) + "\n"
    data = struct.pack(f"<{len(values)}f", *values)
    pathlib.Path(path).write_bytes(b"\x93NUMPY\x01\0" + struct.pack("<H", len(head)) + head.encode() + data)


ROUGH = [0.0, 3.0, -1.0, 4.0, 1.5, -9.0, 2.0, 6.0, 8.0]  # rough.npy

# Kernel, or implementation of one: arguments, and the values of some afterwards.
CASES = {
    "saxpy": (["n=6", "a=0.5", "x=iota:f32[6]", "y=const:2:f32[6]"], {"y": [2.0, 2.5, 3.0, 3.5, 4.0, 4.5]}),
    "advance": (["dt=0.5", "e=const:7:f32[1024]"], {"e": [0.0] * 1024}),  # the field is zero at first
    "relax": (["x={folder}/rough.npy", "y=zeros:f32[9]", "go=const:1:i32"], {"x": relaxed(ROUGH), "go": [0]}),
    "grow": (["x=const:1:i32[40]", "found=zeros:i32[64]", "count=const:9:i32", "full=const:0:i32"],
             {"count": [40], "full": [0], "found": None}),
    "total_by_atomics": (["x=iota:f32[6]", "out=const:1:f32[1]"], {"out": [16.0]}),
    "total_by_one_thread": (["x=iota:f32[6]", "out=const:2:f32[1]"], {"out": [17.0]}),
    "turned_rows": (["x=iota:f32[128]", "y=zeros:f32[128]"], {"y": [*map(float, range(-63, 1)),
                                                                     *map(float, range(-127, -63))]}),
    "turned": (["x=iota:f32[256]", "y=zeros:f32[256]"], {"y": [*map(float, range(127, -1, -1)),
                                                                *map(float, range(255, 127, -1))]}),
}


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(" ".join(command) + "\n" + done.stderr)
    return done.stdout


def main(sextant, page):
    blocks = re.findall(r"^```python\n(.*?)^```", pathlib.Path(page).read_text(), re.M | re.S)
    seen, faults = [], []
    with tempfile.TemporaryDirectory() as folder:
        save(f"{folder}/rough.npy", ROUGH)
        for number, block in enumerate(blocks):
            source, module = f"{folder}/example{number}.py", f"{folder}/example{number}.sxt"
            head = "" if "import quadrants" in block else "import quadrants as qd\n\n"
            pathlib.Path(source).write_text(head + block)
            run(sextant, "compile", source, "-o", module, f"--targets={TARGETS}")
            prototypes = set()
            for prototype, kernel in re.findall(r"(?:@(\w+)\.register\n)?@qd\.kernel.*\ndef (\w+)", block):
                # The first implementation is the kernel's ordinary code.
                pin = [f"--variant=+implementation={kernel}"] if prototype in prototypes else []
                prototypes.add(prototype or kernel)
                seen.append(kernel)
                if kernel not in CASES:
                    faults.append(f"{kernel}: it has no row here")
                    continue
                arguments, wanted = CASES[kernel]
                arguments = [argument.replace("{folder}", folder) for argument in arguments]
                given = json.loads(run(sextant, "run", module, prototype or kernel, "--device=cpu", "--json",
                                       *pin, *arguments))
                values = {output["name"]: output["values"] for output in given["outputs"]}
                for output in given["outputs"]:  # the fewest digits that mean the f32
                    if output["dtype"] == "f32":
                        values[output["name"]] = [f32(value) for value in output["values"]]
                for name, expected in wanted.items():
                    if expected is None:  # each number once, in any order
                        expected = sorted(range(40))
                        values[name] = sorted(values[name][:40])
                    if values[name] != expected:
                        faults.append(f"{kernel}: {name} is {values[name][:12]}, expected {expected[:12]}")
    faults += [f"{kernel}: the page has no such example" for kernel in CASES if kernel not in seen]
    print(f"{len(seen)} kernels of {len(blocks)} examples, {len(faults)} faults", *faults, sep="\n")
    return 1 if faults or not seen else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
