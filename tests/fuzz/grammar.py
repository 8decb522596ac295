"""Random expressions and statements, right and wrong: the compiler answers each with a result or with errors.

    grammar.py SEXTANT PROJECT [--seconds N | --files N] [--seed S] [--folder FOLDER]

SEXTANT is the command, or sextant-sema-dump: the same up to HIR, without LLVM, and so as sanitizers have it.

The other fuzzer writes kernels that mean something. This one writes what the grammar allows: every operator on every
kind of value, calls of all builtins with any arguments, objects and lists of them, empty tuples, lists, dictionaries and matrices, unpacking,
`:=`, slices, comprehensions, f-strings. A crash, a hang and an error that calls itself a fault of the compiler are
findings. Each goes to the folder as a file with one kernel. A file depends only on the seed and its number.
"""

import argparse
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

KERNELS = 40  # in a file
TIMEOUT = 120  # seconds for a file, also on a busy machine

HEAD = """import dataclasses
import math
import quadrants as qd
from quadrants.lang.simt import block, subgroup, grid

F = qd.types.ndarray(dtype=qd.f32, ndim=1)
N = qd.types.ndarray(dtype=qd.i32, ndim=2)
V = qd.types.ndarray(dtype=qd.types.vector(3, qd.f32), ndim=1)
field = qd.field(qd.f32, shape=(4, 4))
point = qd.field(qd.i32, shape=())


@qd.dataclass
class Pair:
    a: qd.f32
    b: qd.types.vector(2, qd.i32)

    @qd.func
    def total(self):
        return self.a + self.b.sum()


@qd.data_oriented
class Holder:
    def __init__(self, held, n=1):
        self.held = held
        self.n = n

    @qd.func
    def at(self, i):
        return self.held[i] + self.n


@qd.func
def plain(a, b=1):
    return a


@qd.func
def early(a: qd.template(), *rest):
    if a > 0:
        return a
    return a + 1


@qd.func
def named(a=0, *, key=2, **others):
    return key

"""
SPACES = {"qd": "qd.", "math": "qd.math.", "py": "", "types": "qd.types.", "pymath": "math.", "algorithms": "qd.algorithms.",
          "graph": "qd.graph.", "numpy": "math."}
NAMES = "x n v m i c w t d p h hs field point F Pair Holder plain early named qd math block None True False".split()
MEMBERS = "held at n x xy shape dtype a b n sum norm norm_sqr max min any all transpose determinant inverse trace cast fill dot " \
          "cross total items keys values get grad parent copy_from outer_product normalized field to_numpy row".split()
BINARY = "+ - * / // % ** & | ^ << >> @".split()
COMPARISONS = "== != < <= > >= in is".split() + ["not in", "is not"]
NUMBERS = "0 1 2 3 -1 7 255 65536 2147483648 0.5 1e30 -0.0 1e-40 0x10 1_000".split()
EMPTY = ["()", "[]", "{}", "((),)", "[[]]", "[[], []]", "zip()", "range(0)", "qd.Matrix([[]])", "[1][:0]"]
TEXTS = ["''", "'a'", '"{} {}"', "'%d'", "'k'"]


def builtins(project):
    """Every function that kernels can call, as a kernel writes it."""
    text = (project / "frontend/sema/builtins/Operations.def").read_text()
    rows = re.findall(r'^(?:OP|DEVICE|LAZY|METHOD|LIBRARY|OLD)\("(\w+)\.([\w.]+)"', text, re.M)
    return sorted({SPACES.get(space, space + ".") + name for space, name in rows})


class Writer:
    def __init__(self, seed, functions):
        self.random = random.Random(seed)
        self.functions = functions

    def one(self, choices):
        return self.random.choice(choices)

    def several(self, depth, most=3, least=0):
        return [self.expression(depth) for _ in range(self.random.randint(least, most))]

    def arguments(self, depth):
        given = []
        for _ in range(self.one([0, 1, 1, 1, 2, 2, 3, 4])):
            star = self.one(["", "", "", "", "", "", "*"])
            given.append(star + self.expression(depth))
        for _ in range(self.one([0, 0, 0, 1, 2])):
            name = self.one(["a", "b", "key", "dt", "eps", "shape", "val", "dtype", "default", "**"])
            value = self.expression(depth)
            given.append(name + value if name == "**" else f"{name}={value}")
        return "(" + ", ".join(given) + ")"

    def index(self, depth):
        kind = self.random.random()
        if kind < 0.5:
            return self.expression(depth)
        if kind < 0.8:
            return ", ".join(self.several(depth, 3, 1)) + self.one(["", ","])
        parts = [self.one(["", self.expression(depth)]) for _ in range(self.one([2, 2, 3]))]
        return ":".join(parts) + self.one(["", "", ", " + self.expression(depth)])

    def comprehension(self, depth):
        name = self.one(["j", "k", "(j, k)", "i", "_"])
        source = self.one([f"range({self.one(NUMBERS[:5])})", f"qd.static(range({self.one('0123')}))",
                           self.expression(depth)])
        test = self.one(["", "", " if " + self.expression(depth)])
        return f"[{self.expression(depth)} for {name} in {source}{test}]"

    def atom(self):
        kind = self.random.random()
        if kind < 0.5:
            return self.one(["x[i]", "n[i, 0]", "m", "i", "c", "w", "p.a", "d['k']", self.one(NUMBERS)])
        if kind < 0.65:
            return self.one(["v[i]", "p.b", "p", "t", "qd.Vector([1, 2])", "qd.Matrix([[1, 2], [3, 4]])", "[x[i], 2.0]",
                             "h", "hs", "hs[0]", "h.held", "hs[1].n", "[x, i]", "{'k': h, 1: x}"])
        if kind < 0.85:
            return self.one(EMPTY)
        return self.one([self.one(NAMES), self.one(TEXTS), self.one(self.functions)])

    def expression(self, depth):
        if depth <= 0:
            return self.atom()
        d = depth - 1
        e = self.expression
        shapes = [
            self.atom,
            lambda: f"({e(d)} {self.one(BINARY)} {e(d)})",
            lambda: f"({e(d)} {self.one(BINARY)} {e(d)})",
            lambda: f"({e(d)} {self.one(COMPARISONS)} {e(d)} {self.one(COMPARISONS)} {e(d)})",
            lambda: f"({self.one(['-', '+', '~', 'not '])}{e(d)})",
            lambda: f"({e(d)} {self.one(['and', 'or'])} {e(d)})",
            lambda: f"({e(d)} if {e(d)} else {e(d)})",
            lambda: self.one(self.functions) + self.arguments(d),
            lambda: self.one(self.functions) + self.arguments(d),
            lambda: self.one(["plain", "early", "named", "Pair", "Holder", "len", "print", "p.total", "h.at", "hs[0].at"]) + self.arguments(d),
            lambda: f"{e(d)}.{self.one(MEMBERS)}{self.arguments(d)}",
            lambda: f"({e(d)}).{self.one(MEMBERS)}",
            lambda: f"{e(d)}[{self.index(d)}]",
            lambda: "(" + "".join(item + ", " for item in self.several(d)) + ")",
            lambda: "[" + ", ".join(self.several(d)) + "]",
            lambda: "[" + ", ".join(self.one(["", "*"]) + item for item in self.several(d)) + "]",
            lambda: "{" + ", ".join(f"{e(0)}: {item}" for item in self.several(d)) + "}",
            lambda: f"qd.Vector([{', '.join(self.several(d))}])",
            lambda: f"qd.Matrix([[{', '.join(self.several(d))}], [{', '.join(self.several(d))}]])",
            lambda: f"({self.one(['w', 'c', 'fresh', 'x', 'i', e(0)])} := {e(d)})",
            lambda: self.comprehension(d),
            lambda: f"f'{{x[i]{self.one(['', ':.3f', ':d', '!r', ':>8'])}}} {{{self.one(NAMES)}}}'",
            lambda: f"qd.static({e(d)})",
        ]
        return self.one(shapes)()

    def target(self, depth):
        return self.one(["w", "c", "x[i]", "v[i]", "m[i, 0]", "t", "p.a", "h", "hs", "hs[0].n", "hs[1]", "h.held[i]", "p.b[0]", "x", "point[None]", "w, c", "v[i].x",
                         f"t[{self.index(depth)}]", f"({self.expression(depth)}).a", "field[i, :]", "*w, c"])

    def statement(self, depth, indent):
        pad = "    " * indent
        e = lambda: self.expression(depth)
        kind = self.random.random()
        if kind < 0.35:
            return [f"{pad}{self.target(1)} = {e()}"]
        if kind < 0.5:
            return [f"{pad}{self.target(1)} {self.one(BINARY)}= {e()}"]
        if kind < 0.65:
            return [f"{pad}{e()}"]
        if kind < 0.7:
            return [f"{pad}{self.one(['fresh', 'w', 'p.a'])}: {self.expression(1)} = {e()}"]
        if kind < 0.75:
            return [f"{pad}{self.one(['assert ', 'return ', 'del '])}{e()}"]
        if kind > 0.97:
            return [pad + self.one(["break", "continue", "return", "pass", "..."])]
        inner = self.body(depth, indent + 1, self.random.randint(1, 2))
        if kind < 0.85:
            return [f"{pad}if {e()}:"] + inner
        if kind < 0.93:
            source = self.one(["range(" + e() + ")", "qd.static(" + e() + ")", "qd.ndrange(" + e() + ", 2)", e()])
            return [f"{pad}for {self.one(['j', 'j, k', '_', 'w', '(j, k)'])} in {source}:"] + inner
        return [f"{pad}while {e()}:"] + inner + [f"{pad}    break"]

    def body(self, depth, indent, count):
        return [line for _ in range(count) for line in self.statement(depth, indent)]

    def kernel(self, name):
        head = ["@qd.kernel", f"def {name}(x: F, n: N, v: V, m: qd.i32):"]
        inside = self.random.random() < 0.7
        locals_ = ["c = 1", "w = 0.5", "t = (1, x[0], 'k')", "d = {'k': m, 1: 2.0}", "p = Pair(1.0, [1, 2])",
                   "h = Holder(x, m)", "hs = [Holder(x, x[0]), Holder(n)]"]
        locals_ = [line for line in locals_ if self.random.random() < 0.8]
        loop = "for i in range(m):" if inside else "i = m"
        if self.random.random() < 0.5:  # the iterations share the variables
            head += ["    " + line for line in [*locals_, loop]]
        else:
            head += ["    " + loop] + ["    " * (2 if inside else 1) + line for line in locals_]
        depth = self.one([1, 2, 2, 3])
        return "\n".join(head + self.body(depth, 2 if inside else 1, self.random.randint(1, 3))) + "\n"


def readable(kernel):
    """True if Python can read it."""
    try:
        compile(kernel, "", "exec")
    except (SyntaxError, ValueError, MemoryError):
        return False
    return True


def answer(sextant, file, timeout):
    """The fault of the compiler's answer; None if there is none."""
    command = [sextant, str(file)]
    if pathlib.Path(sextant).name == "sextant":
        command[1:1] = ["compile", "--syntax-only", "--keep-going", "--no-cache"]
    # Sanitizers would end with 1, as errors do; frames with copies of them would not fit the stack.
    environment = dict(os.environ, ASAN_OPTIONS="exitcode=99:detect_stack_use_after_return=0")
    try:
        done = subprocess.run(command, capture_output=True, timeout=timeout, check=False, env=environment)
    except subprocess.TimeoutExpired:
        return "hangs"
    text = (done.stdout + done.stderr).decode(errors="replace")
    if done.returncode not in (0, 1):
        return f"ends with {done.returncode}"
    if "fault of the compiler" in text or "internal" in text:
        return "calls itself at fault"
    return None


def fuzz(sextant, functions, seed, number, folder, scratch):
    """Tries one file. Returns the number of kernels and of findings."""
    writer = Writer(f"{seed}.{number}", functions)
    kernels = []
    while len(kernels) < KERNELS:
        kernel = writer.kernel(f"k{len(kernels)}")
        # A tenth of those that Python does not read, each in a file of its own, for the parser.
        if readable(kernel):
            kernels.append(kernel)
        elif writer.random.random() < 0.1:
            alone = scratch / "alone.py"
            alone.write_text(HEAD + kernel)
            if wrong := answer(sextant, alone, TIMEOUT):
                return len(kernels), keep(folder, seed, number, "text", kernel, wrong)
    file = scratch / "kernels.py"
    file.write_text(HEAD + "\n\n".join(kernels))
    if answer(sextant, file, TIMEOUT) is None:
        return len(kernels), 0
    found = 0
    for kernel in kernels:
        file.write_text(HEAD + kernel)
        if wrong := answer(sextant, file, TIMEOUT):
            found += keep(folder, seed, number, re.search(r"def (\w+)", kernel)[1], kernel, wrong)
    return len(kernels), found or keep(folder, seed, number, "all", "\n\n".join(kernels), "only together")


def keep(folder, seed, number, name, kernel, wrong):
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"grammar-{seed}-{number}-{name}.py"
    file.write_text(f"# {wrong}\n" + HEAD + kernel)
    print(f"FOUND {file}: the compiler {wrong}", flush=True)
    return 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sextant")
    parser.add_argument("project", type=pathlib.Path)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--files", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("found-grammar"))
    options = parser.parse_args()
    functions = builtins(options.project)
    kernels = found = number = 0
    end = time.monotonic() + (options.seconds or 0)
    with tempfile.TemporaryDirectory() as scratch:
        while time.monotonic() < end if options.seconds else number < options.files:
            made, more = fuzz(options.sextant, functions, options.seed, number, options.folder, pathlib.Path(scratch))
            kernels, found, number = kernels + made, found + more, number + 1
    print(f"{kernels} kernels in {number} files, {found} findings")
    return found > 0


if __name__ == "__main__":
    import warnings

    warnings.simplefilter("ignore")  # Python's, of odd constants
    sys.exit(main())
