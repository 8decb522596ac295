#!/usr/bin/env python3
"""Random kernels, compiled and run on the CPU or another device, compared with what Python says.

A kernel file is valid Python: the same text runs here with a stand-in for the
`quadrants` module. Programs stay within 32 bits where it matters (results are
compared modulo 2**32), assign each local with one type, and read no local
outside of the block that it was first assigned in.

    random_kernels.py SEXTANT [FIRST_SEED [COUNT [TARGET...]]]
"""

import itertools
import random
import re
import struct
import subprocess
import sys
import tempfile
import types
from pathlib import Path

TARGETS = ["cpu:x86-64-v3/wave8", "cpu:x86-64-v2/wave4", "cpu:x86-64-v3/wave32", "cpu:x86-64-v3/wave64"]
DEVICES = {"cpu": "cpu", "cuda": "cuda:0", "amdgpu": "hip:0", "vulkan": "vulkan:0", "metal": "metal:0"}
INPUT = [(j * 37) % 23 - 7 for j in range(16)]
THREADS = 40


class Writer:
    """One random kernel, and the functions that it calls."""

    def __init__(self, seed, number):
        self.random = random.Random(seed)
        self.number = number
        self.lines = []
        self.names = 0
        self.functions = []  # (name, count of parameters)
        self.in_function = False

    def below(self, limit):
        return self.random.randrange(limit)

    def line(self, depth, text):
        self.lines.append("    " * depth + text)

    def fresh(self, prefix):
        self.names += 1
        return f"{prefix}{self.names}"

    def value(self, names, depth=3):
        kind = self.below(18) if depth > 0 else self.below(4)

        def sub():
            return self.value(names, depth - 1)

        if kind == 0:
            return str(self.below(20))
        if kind < 4 or depth <= 0:
            return self.random.choice(names)
        if kind < 6:
            return f"({sub()} {self.random.choice('+-')} {sub()})"
        if kind == 6:
            return f"({sub()} % 13 * ({sub()} % 11))"
        if kind == 7:
            return self.random.choice([f"({sub()} // ({sub()} % 7 + 1))", f"({sub()} // -({sub()} % 7 + 1))"])
        if kind == 8:
            return self.random.choice([f"({sub()} % ({sub()} % 9 + 1))", f"({sub()} % (-1 - {sub()} % 9))"])
        if kind == 9:
            return f"({sub()} {self.random.choice('&|^')} {sub()})"
        if kind == 10:
            return f"({sub()} if {self.condition(names, depth - 1)} else {sub()})"
        if kind == 11:
            return self.random.choice(
                [f"min({sub()}, {sub()})", f"max({sub()}, {sub()})", f"abs({sub()})", f"(-{sub()})", f"(~{sub()})"]
            )
        if kind == 12:
            return self.random.choice([f"({sub()} % 64 << {self.below(4)})", f"({sub()} >> {self.below(5)})"])
        if kind == 13:
            return f"({sub()} {self.random.choice(['and', 'or'])} {sub()})"
        if kind == 14 and self.functions:
            name, count = self.random.choice(self.functions)
            return f"{name}({', '.join(sub() for _ in range(count))})"
        if kind == 15:
            return f"qd.select({self.condition(names, depth - 1)}, {sub()}, {sub()})"
        if kind == 16 and not self.in_function:
            return f"x[{sub()} % 16]"
        return self.random.choice(names)

    def condition(self, names, depth=2):
        def sub():
            return self.value(names, max(depth - 1, 0))

        kind = self.below(6 if depth > 0 else 4)
        if kind == 0:
            return f"{sub()} < {sub()}"
        if kind == 1:
            return f"{sub()} % 3 == {self.below(3)}"
        if kind == 2:
            return f"{sub()} != {sub()}"
        if kind == 3:
            return f"{self.below(5)} <= {sub()} < {self.below(30)}"
        if kind == 4:
            word = self.random.choice(["and", "or"])
            return f"({self.condition(names, depth - 1)}) {word} ({self.condition(names, depth - 1)})"
        return f"not ({self.condition(names, depth - 1)})"

    def count_range(self, names):
        def sub():
            return self.value(names, 1)

        return self.random.choice(
            [
                f"range({sub()} % 6)",
                f"range({sub()} % 4, {sub()} % 9)",
                f"range({sub()} % 9, {sub()} % 4, -{1 + self.below(3)})",
                f"range({self.below(3)}, {sub()} % 12, {1 + self.below(4)})",
                f"qd.static(range({1 + self.below(3)}))",
            ]
        )

    def statement(self, depth, names, nesting, in_loop):
        """Writes one statement; `names` grows by what it declares."""
        locals_ = [name for name in names if name.startswith("v")]
        kind = self.below(13) if nesting > 0 else self.below(3)
        if kind < 2:
            self.line(depth, f"{self.random.choice(locals_)} = {self.value(names)} % 1000")
        elif kind == 2:
            operator = self.random.choice(["+", "-", "^", "|", "&", "*"])
            name = self.random.choice(locals_)
            self.line(depth, f"{name} {operator}= {self.value(names)} % 10")
            self.line(depth, f"{name} = {name} % 5000")
        elif kind == 3:
            name = self.fresh("v")
            self.line(depth, f"{name} = {self.value(names)} % 500")
            names.append(name)
        elif kind < 7:
            self.line(depth, f"if {self.condition(names)}:")
            self.block(depth + 1, names, nesting - 1, in_loop)
            if self.below(3) == 0:
                self.line(depth, f"elif {self.condition(names)}:")
                self.block(depth + 1, names, nesting - 1, in_loop)
            if self.below(2):
                self.line(depth, "else:")
                self.block(depth + 1, names, nesting - 1, in_loop)
        elif kind < 9:
            name, counts = self.fresh("i"), self.count_range(names)
            self.line(depth, f"for {name} in {counts}:")
            # A static loop is unrolled: `break` would need a static condition.
            self.block(depth + 1, names + [name], nesting - 1, "static" not in counts)
        elif kind == 9:
            first, second = self.fresh("i"), self.fresh("i")
            self.line(depth, f"for {first}, {second} in qd.ndrange({1 + self.below(3)}, (1, {2 + self.below(3)})):")
            self.block(depth + 1, names + [first, second], nesting - 1, False)
        elif kind == 10:
            name = self.fresh("w")
            test = f"{name} < {1 + self.below(6)}"
            if self.below(2):
                test += f" and ({self.condition(names)})"
            self.line(depth, f"{name} = 0")
            self.line(depth, f"while {test}:")
            self.line(depth + 1, f"{name} += 1")
            self.block(depth + 1, names + [name], nesting - 1, True)
        elif kind == 11 and in_loop:
            self.line(depth, f"if {self.condition(names)}:")
            self.line(depth + 1, self.random.choice(["break", "continue"]))
        elif kind == 12 and self.in_function:
            self.line(depth, f"if {self.condition(names)}:")
            self.line(depth + 1, f"return {self.value(names)} % 777")
        else:
            self.line(depth, "pass")

    def block(self, depth, names, nesting, in_loop):
        names = list(names)
        for _ in range(1 + self.below(4)):
            self.statement(depth, names, nesting, in_loop)

    def function(self, number):
        name = f"f{self.number}_{number}"
        parameters = [f"a{j}" for j in range(1 + self.below(3))]
        self.line(0, "@qd.func")
        self.line(0, f"def {name}({', '.join(parameters)}):")
        self.line(1, "v = a0 % 100")
        self.in_function = True
        self.block(1, ["v"] + parameters, 2, False)
        self.line(1, f"return v + {self.value(['v', 'a0'])} % 50")
        self.line(0, "")
        self.in_function = False
        self.functions.append((name, len(parameters)))

    def kernel(self):
        for number in range(self.below(3)):
            self.function(number)
        self.line(0, "@qd.kernel")
        self.line(0, f"def k{self.number}(x: ints, out: ints):")
        self.line(1, "for i in range(out.shape[0]):")
        names = []
        for j in range(3):
            self.line(2, f"v_{j} = x[(i * {1 + self.below(5)} + {self.below(9)}) % 16]")
            names.append(f"v_{j}")
        self.block(2, names + ["i"], 3, False)
        self.line(2, "out[i] = v_0 + v_1 * 3 + v_2 * 7")
        self.line(0, "")
        return "\n".join(self.lines) + "\n"


class Array(list):
    @property
    def shape(self):
        return (len(self),)


def reference(source, count):
    """What each kernel leaves in `out`, by Python."""

    def ndrange(*spans):
        return itertools.product(*(range(*span) if isinstance(span, tuple) else range(span) for span in spans))

    qd = types.ModuleType("quadrants")
    qd.i32 = int
    qd.kernel = qd.func = qd.static = lambda value: value
    qd.types = types.SimpleNamespace(ndarray=lambda **_: None)
    qd.select = lambda condition, yes, no: yes if condition else no
    qd.ndrange = ndrange
    sys.modules["quadrants"] = qd
    names = {}
    exec(compile(source, "kernels", "exec"), names)
    results = []
    for number in range(count):
        out = Array([0] * THREADS)
        names[f"k{number}"](Array(INPUT), out)
        results.append([(value + 2**31) % 2**32 - 2**31 for value in out])
    return results


def write_npy(path, values):
    header = "{'descr': '<i4', 'fortran_order': False, 'shape': (%d,), }" % len(values)
    header = header.ljust(117) + "\n"
    body = struct.pack(f"<{len(values)}i", *values)
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + body)


def read_npy(path):
    data = path.read_bytes()
    start = 10 + struct.unpack("<H", data[8:10])[0]
    return list(struct.unpack(f"<{(len(data) - start) // 4}i", data[start:]))


def check(sextant, folder, targets, first, count):
    """The number of kernels of one file that go wrong."""
    source = "import quadrants as qd\n\nints = qd.types.ndarray(dtype=qd.i32, ndim=1)\n\n"
    source += "\n".join(Writer(first + number, number).kernel() for number in range(count))
    expected = reference(source, count)
    kernels, module, result = folder / "kernels.py", folder / "kernels.sxt", folder / "out.npy"
    kernels.write_text(source)
    write_npy(folder / "x.npy", INPUT)
    target = targets[first // count % len(targets)]
    device = DEVICES[target.split(":")[0]]
    where = f"seeds {first} to {first + count - 1} for {target}"
    compiled = subprocess.run(
        [sextant, "compile", kernels, "-o", module, f"--targets={target}"], capture_output=True, text=True
    )
    if compiled.returncode:
        print(f"{where}: does not compile ({compiled.returncode})\n{compiled.stdout}{compiled.stderr}")
        return count
    wrong = 0
    for number in range(count):
        ran = subprocess.run(
            [sextant, "run", module, f"k{number}", f"x={folder / 'x.npy'}", f"out=zeros:i32[{THREADS}]"]
            + ["--device", device, "--save", f"out={result}", "-q"],
            capture_output=True,
            text=True,
        )
        computed = read_npy(result) if ran.returncode == 0 else None
        if computed != expected[number]:
            wrong += 1
            text = re.search(rf"(?:@qd.func\ndef f{number}_.*?)?@qd.kernel\ndef k{number}\(.*?\n\n", source, re.S)
            print(f"{where}: seed {first + number} is wrong\n{ran.stderr}{text.group(0) if text else ''}")
            print(f"expected {expected[number]}\ncomputed {computed}")
    return wrong


def main():
    sextant = sys.argv[1]
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 40
    targets = sys.argv[4:] or TARGETS
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for start in range(first, first + count, 10):
            wrong += check(sextant, Path(folder), targets, start, min(10, first + count - start))
    print(f"{count} kernels, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
