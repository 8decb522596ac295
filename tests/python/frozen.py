"""Programs under the real quadrants, recorded by `sextant freeze`, and run with kernels of the module.

The numbers that kinds.py must print were worked out by hand and by Python below, not by the JIT.
"""

import importlib.util
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

if not importlib.util.find_spec("quadrants"):
    raise unittest.SkipTest("this Python has no package quadrants; ./dev setup installs it")

HERE = pathlib.Path(__file__).parent
COMMAND = os.environ["SEXTANT_COMMAND"]
ROOT = HERE.parent.parent
KINDS, ENDS = str(HERE / "programs/kinds.py"), str(HERE / "programs/ends.py")


def power(value, exponent):
    return value**exponent + exponent


def halved(values):
    while True:
        values = [v / 2 for v in values]
        if max(values) <= 1:
            return values


STATE = [(v + 2.0 * v * w + 0.5 * (v + 2.0 * v * w) * w) * 4 for v, w in zip((1, 2, 3, 4), (1, 2, 0.5, 4))]
BELOW = math.nextafter(2.5, 0)  # below it as an f32: 2.5 - 2^-22
EXPECTED = {
    "numbers": [5 + i * i for i in range(6)],
    "flags": [1 if (5 + i * i) % 2 == 0 else 0 for i in range(6)],
    "points": [1 + 3, 4 + 3, 9 + 3],
    "state": STATE,
    "ramp": [min(i, 2.5 - 2.0**-22 + 1) - len([3, 6]) for i in range(8)],
    "grains": [[1.0 + i, 0, -2.0 * (1 + i)] for i in range(4)],
    "cells": [[0, 2 * i] for i in range(3)],
    "columns": [[10 * i + j for j in range(3)] for i in range(2)],
    "total": [sum(STATE), 4],
    "half": [sum(STATE[:2]), 2],
    "halved": halved(STATE),
    "ADD": [0.5 * 3] * 4 + [-1],
    "MULTIPLY": [1.5 * 3 * 2] * 5 + [-1],
    "powers": [power(power(v, 2), 3) for v in (1, 2, 3)],
}


PLACES = {
    "pair": [[i, i + 0.5] for i in range(7)], "byte": [1, 2, 3], "turn": [[[i, 1], [2, i]] for i in range(3)],
    "x": [[10 * i + j for j in range(5)] for i in range(4)],
    "y": [[[i, j, i + j] for j in range(5)] for i in range(4)],
    "z": [[i * j for j in range(5)] for i in range(4)],
    "blocks": [[100 * i + j for j in range(6)] for i in range(8)],
    "rows": [[7 * i + j for j in range(6)] for i in range(4)], "tail": [21 + j + 1 for j in range(6)],
    "p": [[i, 2 * i] for i in range(6)], "q": [3 * i for i in range(6)],
    "balls.center": [[i, -i] for i in range(3)], "balls.mass": [0.25 * i for i in range(3)],
    "edges.last": [[2 * i, 2] for i in range(2)], "alone": [65535, 65534, 65533],
    "first": [7, 8, 0], "later": [8, 7],
    "i8": [-i for i in range(5)], "u8": [200 + i for i in range(5)], "i16": [-300 * i for i in range(5)],
    "u16": [60000 + i for i in range(5)], "u32": [4000000000 + i for i in range(5)],
    "i64": [-5000000000 * i for i in range(5)], "u64": [1 << 60 + i % 4 for i in range(5)],
    "f16": [0.5 * i for i in range(5)], "count": 5, "center": [1.5, 2.5],
}


class Frozen(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="sextant-frozen-"))
                                   if hasattr(self, "enterContext") else tempfile.mkdtemp(prefix="sextant-frozen-"))

    def run_command(self, *words):
        environment = {**os.environ, "QD_LOG_LEVEL": "error", "QD_OFFLINE_CACHE_FILE_PATH": str(self.folder / "cache")}
        return subprocess.run(words, cwd=self.folder, env=environment, capture_output=True)

    def freeze(self, program, *arguments, options=()):
        return self.run_command(COMMAND, "freeze", "-o", "app.sxt", "-t", "cpu", "--python", sys.executable, *options,
                                "--", program, *arguments)

    def play(self, program, *arguments, options=()):
        return self.run_command(sys.executable, "-m", "sextant.frozen", "--report", *options, "app.sxt", program,
                                *arguments)

    def good(self, done):
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return done.stdout.decode(), done.stderr.decode()

    def bad(self, done, *words, status=1):
        self.assertEqual(done.returncode, status, done.stderr.decode())
        for word in words:
            self.assertIn(word, done.stderr.decode())
        return done.stderr.decode()

    def test_kernels_of_all_kinds(self):
        printed, _ = self.good(self.freeze(KINDS, options=["--strict"]))
        self.compare(printed)  # the JIT, too
        printed, said = self.good(self.play(KINDS, options=["--strict"]))
        self.compare(printed)
        self.assertIn("launches: 29 from app.sxt, 0 by the JIT", said)
        printed, _ = self.good(self.play(KINDS, options=["--check"]))
        self.compare(printed)

        files = {p.name: p.read_text() for p in (self.folder / "app.frozen").glob("*.py")}
        self.assertIn("OFFSETS[j] + i", files["kinds.py"])  # the program's own lines
        self.assertIn("_Side.RIGHT", files["kinds.py"])
        self.assertIn("exponent = 2", files["kinds__make_power.py"])
        self.assertIn("exponent = 3", files["kinds__make_power_2.py"])
        again = (self.folder / "app.sxt").read_bytes()
        _, said = self.good(self.freeze(KINDS))
        self.assertIn("0 of them new", said)
        self.assertEqual((self.folder / "app.sxt").read_bytes(), again)

    def test_fields_lie_as_the_jit_lays_them(self):
        self.assertEqual(self.frozen_result("places.py"), PLACES)
        lines = (self.folder / "app.frozen/places.py").read_text()
        for layout in ("((0, 7, 2),)", "((0, 4, 50), (1, 5, 10))", "((0, 2, 24), (1, 3, 8), (0, 4, 2), (1, 2, 1))",
                       "((1, 6, 5), (0, 4, 1))"):
            self.assertIn(f"layout={layout}", lines)

    def test_a_fault_of_ours_leaves_the_program_its_jit(self):
        program = self.folder / "program.py"
        broken = "import sextant.frozen.{0} as target\n\n\ndef fault(*arguments):\n    raise KeyError('broken')\n\n\n" \
                 "target.{1} = fault\n"
        program.write_text(pathlib.Path(ENDS).read_text())
        self.good(self.freeze("program.py", "well"))
        program.write_text(broken.format("runtime", "bind") + pathlib.Path(ENDS).read_text())
        printed, said = self.good(self.play("program.py", "well"))
        self.assertEqual(printed.splitlines()[-1], "[1.0, 3.0, 5.0, 7.0]")
        self.assertIn("is compiled by the JIT: sextant.frozen fails with KeyError: 'broken'", said)
        said = self.bad(self.play("program.py", "well", options=["--strict"]), "Missing", "KeyError: 'broken'")
        self.assertEqual(said.count("Traceback"), 1)
        program.write_text(broken.format("record.watch", "Session.enter") + pathlib.Path(ENDS).read_text())
        done = self.freeze("program.py", "well", options=["--fresh"])
        self.assertIn("[1.0, 3.0, 5.0, 7.0]", done.stdout.decode())
        self.bad(done, "a fault of the recorder: KeyError: 'broken'")

    def frozen_result(self, name):
        """Runs a program with all kernels from the module, and returns what it prints. The JIT agrees with each."""
        program = str(HERE / "programs" / name)
        self.good(self.freeze(program, options=["--strict"]))
        printed, _ = self.good(self.play(program, options=["--strict", "--check"]))
        return json.loads(printed.splitlines()[-1])

    @unittest.skipUnless(sys.platform.startswith("linux"), "margins are of Linux")
    def test_what_lies_around_fields_can_be_read(self):
        """A page with nothing mapped around it, and with a guard page before it: reading there would end the process."""
        program = self.folder / "program.py"
        program.write_text("""
import ctypes, mmap
from sextant.frozen.margins import MARGIN, keep_readable
libc, page, size = ctypes.CDLL(None), mmap.PAGESIZE, 2 * MARGIN + mmap.PAGESIZE
libc.mmap.restype = ctypes.c_void_p
begin = libc.mmap(None, ctypes.c_size_t(size), 3, 0x22, -1, ctypes.c_long(0))
middle = begin + MARGIN
assert libc.munmap(ctypes.c_void_p(begin), ctypes.c_size_t(MARGIN - page)) == 0
assert libc.mprotect(ctypes.c_void_p(middle - page), ctypes.c_size_t(page), 0) == 0
assert libc.munmap(ctypes.c_void_p(middle + page), ctypes.c_size_t(MARGIN)) == 0
ctypes.memset(middle, 7, page)
keep_readable([(middle + 8, page - 16)])
read = ctypes.string_at(begin, size)
print(read.count(7), read[MARGIN:MARGIN + page] == bytes([7]) * page)
""")
        printed, _ = self.good(self.run_command(sys.executable, "program.py"))
        self.assertEqual(printed, f"{os.sysconf('SC_PAGESIZE')} True\n")

    def test_objects_and_modules_that_names_lead_to(self):
        """`2 u + (10, 1)` and `5 u + (0, 10)` of two cameras, half of each u by the lens, and what a module has."""
        out = [[2 * i + 10 + 0.5 * i + 5 + 0.5 + 100 * i, 2 + 1 + 0.5 + 5 * i + 10 + 0.5 * i + 100 * i]
               for i in range(3)]
        self.assertEqual(self.frozen_result("module_objects.py"), [out, [10, 1], [1.5]])
        for name in ("module_objects", "module_objects_head", "module_objects_state"):
            source = (HERE / f"programs/{name}.py").read_text()
            (self.folder / f"{name}.py").write_text(source.replace("Camera(2.0,", "Camera(3.0,"))
        self.bad(self.play("module_objects.py", options=["--strict"]), "`camera.gain` of `render` is 3.0, and was 2.0")

    def test_lists_of_objects_fields_and_functions(self):
        """The distances of (3, i) and (3, 4 + i) to balls around (3, 0) and (3, 8), and to a floor at -2.5."""
        def near(y):
            return min(abs(y) - 1, abs(y - 8) - 2 + 0.5, y + 2.5)
        self.assertEqual(self.frozen_result("lists.py"),
                         [[near(i) + 1 for i in range(4)], [near(4 + i) * 2 + 0.25 + 6 for i in range(4)], 4])

    def test_dictionaries_and_functions_of_one_name(self):
        u = [2 * 3 + (i + 1) + 3 + 2 for i in range(3)]
        self.assertEqual(self.frozen_result("dictionaries.py"),
                         [u, [[value, 0] for value in u], [0, 2, 4], [(1 + i) + (4 + 10 * i) for i in range(2)], [5, 5],
                          [i + i for i in range(3)], [i + i + 10 * i for i in range(3)]])

    def test_the_same_names_with_other_meanings(self):
        """With an argument each name means something else; the module's kernels are for what it means without."""
        usual = [6, 6, 6, 2, 1, 1.5, 1.5, 1.5, 2, 6, 101, 1, 4, 7, 5, 2, 3, 4, 1, 4 + 70, 48, 0, 3]
        changed = [10.5, 10.5, 10.5, 1.5, 2, 1, 1, 1, 1, 7, 505, 1.5, 4, 7, 9, 2, 3, 7, 5, 7 + 40, 34.5, 0, 3]
        self.assertEqual(self.frozen_result("meanings.py"), usual)
        printed, said = self.good(self.play(str(HERE / "programs/meanings.py"), "changed"))
        self.assertEqual(json.loads(printed.splitlines()[-1]), changed)
        self.assertIn("launches: 6 from app.sxt, 18 by the JIT", said)
        for words in ("`law` of `of_function` is 'meanings_slow.law', and was 'meanings_fast.law'",
                      "`constant` of `inner` is 6, and was 5", "`count` of `of_field` is ndarray(qd.f32, 1), and was",
                      "thing is 'meanings_slow.Thing', not 'meanings_fast.Thing'"):
            self.assertIn(words, said)

    def test_objects_that_kernels_make(self):
        """Rays that reach 100 + 100 - 4, lasers 50 + 100; spheres of radius r have the size r + (r + 1) / 2."""
        def size(r):
            return r + (r + 1) / 2

        traced = [10 * (i + 1) + (0.5 * i + 0.25) + 2 * i + 4 for i in range(4)]
        turned = [2 * (-2 * 196) + i - 2 for i in range(4)]
        bases = [(i + 1) + (2 + 2 * 0.5) + (2 * 2 + 0.5 * 196) + 3 + 150 + 50 for i in range(4)]
        hits = [size(size(i)) for i in range(4)]
        nested = [(i + 1) / 2 + 100 * t + 3 * t + (t + 3) for i, t in enumerate(hits)]
        self.assertEqual(self.frozen_result("made_objects.py"), [traced, turned, bases, nested])
        for name in ("made_objects", "made_objects_shapes"):
            source = (HERE / f"programs/{name}.py").read_text()
            (self.folder / f"{name}.py").write_text(source.replace("REACH = 100.0", "REACH = 200.0"))
        self.bad(self.play("made_objects.py", options=["--strict"]), "`Ray.REACH` of", "is 200.0, and was 100.0")

    def test_kernels_that_cannot_be_built(self):
        """Reads around a field, in the row before and the row after, are built; a write there is left to the JIT."""
        (self.folder / "around.py").write_text("""
import quadrants as qd
qd.init(arch=qd.cpu)
cells = qd.field(qd.i32, shape=(4, 4))
@qd.kernel
def fill():
    for i, j in cells:
        cells[i, j] = 10 * i + j
@qd.kernel
def read() -> qd.i32:
    return cells[1, -1] + 100 * cells[0, 6] + 0 * cells[-1, -1]
@qd.kernel
def write():
    for i in range(2, 3):
        cells[i, -1] = 5
fill()
print(read())
write()
print(cells[1, 3])
""")
        _, said = self.good(self.freeze("around.py"))
        self.assertIn("warning: the index -1 is outside of `cells`, whose extent is 4: it reads the memory there "
                      "[-Woutside-read]", said)
        self.assertIn("warning: the index -1 is outside of `cells`, whose extent is 4 [-Wleft-kernel]", said)
        self.assertIn("note: 1 of 3 kernels are left out: write", said)
        self.assertNotIn("error", said)
        for options in ([], ["--check"]):
            printed, said = self.good(self.play("around.py", options=options))
            self.assertEqual(printed.splitlines()[-2:], ["1203", "5"])
            self.assertIn("launches: 2 from app.sxt, 1 by the JIT", said)
        _, said = self.good(self.freeze("around.py", options=["--diagnostics=json"]))
        self.assertNotIn('"severity":"error"', said)
        self.bad(self.freeze("around.py", options=["--strict"]),
                 "error: the index -1 is outside of `cells`, whose extent is 4\n", "1 error")

    def test_structs_in_structs(self):
        """A path is (i, 2) to (0, i), moved by (10, 20) and turned; the layouts hold what was stored in order."""
        def stored(first):
            return [[0.5 * i for i in range(3)], [1, 2, 3], [first + i for i in range(3)], [300, 301, 302]]

        self.assertEqual(self.frozen_result("nested_structs.py"), [
            stored(10), stored(10), stored(20),
            [[(10 + i + 10) / 2, (22 + 20 + i) / 2] for i in range(3)], [[10, 20 + i] for i in range(3)],
            [(20 + i) + 22 + (i + 1) for i in range(3)],
            [v * w + v + 0.5 + 700 + 3 for v, w in zip((4, 5, 6), (1, 2, 3))],
            [v * v + w + 0.5 + 700 + 3 for v, w in zip((4, 5, 6), (1, 2, 3))],
            [2 * sum(0.5 * i + 0.25 for i in range(3)) + 1 + 2 + 3, [1, 2, 3]],
            {"small": {"wide": 1, "first": 3, "small": {"byte": 12, "word": 302}}, "last": 0.25, "count": 3},
            {"a": {"x": [1, 2]}, "b": {"x": [3, 4]}}, [5, 6], 3 * (1 + 2) + 2, 4 * (1 + 2) + 2])

    def test_fields_with_other_extents(self):
        """A kernel has the extents of fields at module level, also where it has no more of the field."""
        (self.folder / "grid.py").write_text("""
import sys
import quadrants as qd
qd.init(arch=qd.cpu)
x = qd.field(qd.i32, shape=(int(sys.argv[1]), int(sys.argv[2])))
@qd.kernel
def fill():
    for i, j in x:
        x[i, j] = 10 * i + j
@qd.kernel
def sum() -> qd.i32:
    total = 0
    for i, j in x:
        total += 10 * i + j
    return total
fill()
print(sum(), x[1, 0])
""")
        self.good(self.freeze("grid.py", "2", "3"))
        self.bad(self.play("grid.py", "3", "2", options=["--strict"]),
                 "`x.shape` of `fill` is (3, 2), and was (2, 3) when the module was frozen")
        printed, said = self.good(self.play("grid.py", "3", "2"))
        self.assertEqual(printed.splitlines()[-1], "63 10")
        self.assertIn("launches: 0 from app.sxt, 2 by the JIT", said)
        self.good(self.freeze("grid.py", "3", "2"))  # adds to what the folder has
        for extents, result in (("23", "36 10"), ("32", "63 10")):
            printed, _ = self.good(self.play("grid.py", *extents, options=["--strict"]))
            self.assertEqual(printed.splitlines()[-1], result)

    def test_gradients_of_fields(self):
        """The cost is the sum of x x y, its gradient (2 x y, x x). A step is half of it for x, a quarter for y."""
        program = str(HERE / "programs/gradients.py")
        self.good(self.freeze(program, options=["--strict"]))
        for options in ["--strict"], ["--strict", "--check"]:
            printed, said = self.good(self.play(program, options=options))
            self.assertEqual(json.loads(printed.splitlines()[-1]),
                             [[0, 8, 24, 48], [1, 4, 9, 16], [1, -2, -9, -20], [-0.25, 1, 1.75, 2], 945.5,
                              [-0.5, -4, -31.5, -80]])
            self.assertIn(" 0 by the JIT", said)

    def test_kernels_of_one_name(self):
        """Functions of a program make kernels of one name, one of them twice."""
        program = self.folder / "program.py"
        program.write_text("""
import quadrants as qd
qd.init(arch=qd.cpu)
def grown(by):
    x = qd.field(qd.f32, shape=2)
    @qd.kernel
    def func():
        for i in x:
            x[i] += by
    func()
    return x.to_numpy().tolist()
def shrunk():
    y = qd.field(qd.f32, shape=2)
    @qd.kernel
    def func():
        for i in y:
            y[i] -= 1
    func()
    return y.to_numpy().tolist()
print(grown(2), shrunk(), grown(3))
""")
        self.good(self.freeze("program.py", options=["--strict"]))
        printed, said = self.good(self.play("program.py", options=["--strict", "--check"]))
        self.assertEqual(printed.splitlines()[-1], "[2.0, 2.0] [-1.0, -1.0] [3.0, 3.0]")
        self.assertIn(" 0 by the JIT", said)

    def test_tangents_of_fields(self):
        """y = 2 x x along (1, 0, 2): 4 x of it. A field without a tangent is a constant."""
        program = self.folder / "program.py"
        program.write_text("""
import quadrants as qd
qd.init(arch=qd.cpu)
x, y = (qd.field(qd.f32, shape=3, needs_dual=True, needs_grad=True) for _ in range(2))
c = qd.field(qd.f32, shape=3, needs_grad=True)
@qd.kernel
def grow(k: qd.f32):
    for i in x:
        y[i] += k * x[i] * x[i] * c[i]
for i in range(3):
    x[i], c[i] = i + 1, 1
grow(0.0)
with qd.ad.FwdMode(loss=y, param=x, seed=[1.0, 0.0, 2.0]):
    grow(2.0)
grow(2.0)
print([y.dual[i] for i in range(3)], [y[i] for i in range(3)])
""")
        self.good(self.freeze("program.py", options=["--strict"]))
        printed, said = self.good(self.play("program.py", options=["--strict", "--check"]))
        self.assertEqual(printed.splitlines()[-1], "[4.0, 0.0, 24.0] [4.0, 16.0, 36.0]")
        self.assertIn(" 0 by the JIT", said)

    def test_gradients_of_arrays(self):
        """y = 2 c x x in a loop of three steps, so the derivative is 6 c x; c and the second x have no gradient."""
        program = self.folder / "program.py"
        program.write_text("""
import quadrants as qd
qd.init(arch=qd.cpu)
F = qd.types.ndarray(qd.f32, 1)
import numpy as np
@qd.data_oriented
class Model:
    def __init__(self):
        self.scale = qd.ndarray(qd.f32, 3, needs_grad=True)
    @qd.kernel
    def grow(self, x: F, c: F, n: qd.template(), y: F):
        for i in x:
            for k in qd.static(range(n)):
                y[i] += self.scale[i] * c[i] * x[i] * x[i]
model = Model()
x, y = (qd.ndarray(qd.f32, 3, needs_grad=True) for _ in range(2))
c, z = qd.ndarray(qd.f32, 3), qd.ndarray(qd.f32, 3)
for i in range(3):
    x[i], c[i], z[i], model.scale[i] = i + 1, 2 * i + 1, i, 2
for first in x, z:
    y.grad.fill(1)
    model.grow(first, c, 3, y)
    model.grow.grad(first, c, 3, y)
    model.grow.grad(z, np.zeros(3, np.float32), 3, y)  # adds nothing
print([x.grad[i] for i in range(3)], [model.scale.grad[i] for i in range(3)])
""")
        self.good(self.freeze("program.py", options=["--strict"]))
        printed, said = self.good(self.play("program.py", options=["--strict", "--check"]))
        self.assertEqual(printed.splitlines()[-1], "[12.0, 72.0, 180.0] [3.0, 45.0, 195.0]")
        self.assertIn(" 0 by the JIT", said)

    def test_gradients_of_structs(self):
        """p of a frame is p p q of the one before, from p = (1, 2), q = (3, 4): p = (3, 16), and with its gradient
        (1, 2) that of the first p is 2 p q times it, (6, 32), and of q is p p times it, (1, 8)."""
        program = self.folder / "program.py"
        program.write_text("""
import quadrants as qd
qd.init(arch=qd.cpu)
Point = qd.types.struct(p=qd.f32, q=qd.types.vector(2, qd.f32))
@qd.data_oriented
class Model:
    def __init__(self, layout):
        self.points = Point.field(shape=(3, 2), needs_grad=True, layout=layout)
        self.sizes = Point.field(shape=2, layout=layout)
    @qd.kernel
    def step(self, f: qd.i32):
        for i in range(2):
            self.points[f + 1, i].p = self.points[f, i].p ** 2 * self.points[f, i].q[1] * self.sizes[i].p
    @qd.kernel
    def seed(self, f: qd.i32):
        for i in range(2):
            self.points.grad[f, i].p = i + 1
points = Point.field(shape=(3, 2), needs_grad=True)
@qd.kernel
def step(f: qd.i32):
    for i in range(2):
        points[f + 1, i].p = points[f, i].p ** 2 * points[f, i].q[1]
def found(points, step):
    for i in range(2):
        points.p[1, i], points.q[1, i] = i + 1, [0, i + 3]
    step(1)
    points.grad.p.fill(0)
    points.grad.q.fill(0)
    for i in range(2):
        points.grad.p[2, i] = i + 1
    step.grad(1)
    return [points.p[2, i] for i in range(2)] + [points.grad.p[1, i] for i in range(2)] + [
        points.grad.q[1, i][1] for i in range(2)]
results = [found(points, step)]
for layout in qd.Layout.SOA, qd.Layout.AOS:
    model = Model(layout)
    model.sizes.p.fill(1)
    results.append(found(model.points, model.step))
    model.seed(0)
    results[-1].append(model.points.grad.p[0, 1])
print(results)
""")
        self.good(self.freeze("program.py", options=["--strict"]))
        gradients = [3.0, 16.0, 6.0, 32.0, 1.0, 8.0]
        for options in ["--strict"], ["--strict", "--check"]:
            printed, said = self.good(self.play("program.py", options=options))
            self.assertEqual(json.loads(printed.splitlines()[-1]), [gradients, gradients + [2.0], gradients + [2.0]])
            self.assertIn(" 0 by the JIT", said)

    def test_launches_that_draw_are_not_compared(self):
        """The launches after them are compared, on the numbers that they left."""
        program = self.folder / "program.py"
        program.write_text("""
import quadrants as qd
qd.init(arch=qd.cpu)
x = qd.field(qd.f32, shape=64)
@qd.kernel
def draw() -> qd.f32:
    for i in x:
        x[i] = qd.random()
    return qd.random()
@qd.kernel
def twice():
    for i in x:
        x[i] *= 2
draw()
before = x.to_numpy()
twice()
print((x.to_numpy() == 2 * before).all())
""")
        self.good(self.freeze("program.py", options=["--strict"]))
        printed, said = self.good(self.play("program.py", options=["--strict", "--check"]))
        self.assertEqual(printed.splitlines()[-1], "True")
        self.assertIn("launches: 4 from app.sxt, 0 by the JIT; 1 drew random numbers and were not compared", said)
        source = self.folder / "app.frozen/program.py"
        source.write_text(source.read_text().replace("*= 2", "*= 3"))
        self.good(self.run_command(COMMAND, "compile", "--manifest", "app.frozen/sextant.toml"))
        self.bad(self.play("program.py", options=["--check"]), "Difference: __main__.twice: field `program.py:x`: ")

    def test_values_that_python_works_out(self):
        """Worked out by hand, as `5 + 4 + 2 + 1`, for s = 2. Arrays of numpy are constants, also to a changed program:
        of one that a kernel asks for its extents, only these."""
        self.assertEqual(self.frozen_result("python_values.py"),
                         [[12, 11, 11.5, 37.5], [46, 1010.75, 34.5, 91 * 2 + 6 + 15 + 13 + 6 + 1000 + 9]])
        lines = (self.folder / "app.frozen/python_values.py").read_text()
        for text in ("weights = (1.0, 2.0, 4.0)", "table[i][j] * table[i][j] * s", "math.sqrt(i * i)"):
            self.assertIn(text, lines)
        self.assertNotIn("many", lines)
        program = (HERE / "programs/python_values.py").read_text()
        (self.folder / "python_values_more.py").write_text((HERE / "programs/python_values_more.py").read_text())
        for old, new, said in (
                ("[1.0, 2.0, 4.0]", "[1.0, 2.0, 8.0]", "`weights` of `arrays` is (1.0, 2.0, 8.0), and was (1.0, 2.0, 4.0)"),
                ("np.arange(3000)", "1 + np.arange(3000)", ""),
                ("reshape(1000, 3)", "reshape(500, 6)", "`many.shape` of `arrays` is (500, 6), and was (1000, 3)")):
            (self.folder / "python_values.py").write_text(program.replace(old, new))
            done = self.play("python_values.py", options=["--strict"])
            self.bad(done, said) if said else self.good(done)

    def test_forms_that_the_jit_takes(self):
        self.assertEqual(self.frozen_result("forms.py"),
                         [3.5, [6, 10, 14], [[7, 10], [15, 22]], [1, 2, 3, 0, 0, 0], 2])

    def test_objects_and_their_methods(self):
        update = (lambda x, y: 2 * x + y + 4.75 + 2 * 2, lambda x, y: 3 * x + y + 4.75 + 2 * 3,
                  lambda x, y: 1.5 * x - y)
        expected = [[update[(i + j) % 3](i, j) + 7 + 3 + 5 + 4.75 + 2 * 5 for j in range(4)] for i in range(3)]
        for i in range(3):
            expected[i][0] += 2.0 * i + 3 * 7 - 0.5 * i + 0.25  # the three forces, and one by another path
        used = [[2 + int(2.0 * i) for i in range(3)], [2 + int(20 - 0.5 * i) for i in range(3)]]
        program = str(HERE / "programs/objects.py")
        self.good(self.freeze(program, options=["--strict"]))
        for option in ("--strict", "--check"):
            printed, _ = self.good(self.play(program, options=[option]))
            self.assertEqual(json.loads(printed.splitlines()[-1]), [expected, *used])
        lines = "".join(p.read_text() for p in (self.folder / "app.frozen").glob("objects*.py"))
        for text in ("x * 2.0 + y", "x * 3.0 + y", "x * 5.0 + y", "return x * 1.5"):
            self.assertIn(text, lines)  # the members of materials are numbers
        changed = self.folder / "changed.py"
        changed.write_text(pathlib.Path(program).read_text().replace("Elastic(3.0)", "Elastic(4.0)"))
        (self.folder / "objects.py").write_text(changed.read_text())
        self.bad(self.play("objects.py", options=["--strict"]), "self.updates.1.instance.mu is 4.0, not 3.0")

    def test_objects_that_several_paths_lead_to(self):
        program = pathlib.Path(HERE / "programs/objects.py").read_text()
        (self.folder / "objects.py").write_text(program)
        self.good(self.freeze("objects.py", options=["--strict"]))
        run, push = self.requests("Solver.")
        self.assertIn("self.simulator.solver=self", run)
        self.assertIn("self.forces.1.solver=self", push)
        self.assertIn("self.gravity=self.forces.1", push)
        for request in (run, push):  # the object's members are said once
            self.assertNotRegex(request, r"(solver|gravity)\.")
        self.assertEqual((run + push).count("Simulator"), 2)
        # Another object of the class, with equal members: the kernels would not read its memory.
        (self.folder / "objects.py").write_text("import copy\n" + program.replace("simulator.solver = self",
                                                                                 "simulator.solver = copy.copy(self)"))
        self.bad(self.play("objects.py", options=["--strict"]), "self.simulator.solver is another object than self")

    def requests(self, kernels):
        """The requests of the recording whose kernels have names that begin so."""
        lines = (self.folder / "app.frozen/sextant.toml").read_text().splitlines()
        return [line for line in lines if f".py:{kernels}" in line]

    def compare(self, printed):
        result = json.loads(printed.splitlines()[-1])
        self.assertEqual(result.keys(), EXPECTED.keys())
        for name, expected in EXPECTED.items():
            self.assertEqual(result[name], expected, name)

    def test_the_example(self):
        """docs/examples/mpm: what is recorded is what the folder has, and the block falls freely until it is wet."""
        program = ROOT / "docs/examples/mpm/mpm.py"
        self.good(self.freeze(str(program), "--steps", "1"))
        for name in ("mpm.py", "quadrants_library/_kernels.py"):
            self.assertEqual((self.folder / "app.frozen" / name).read_text(),
                             (program.parent / "mpm.frozen" / name).read_text())
        printed, said = self.good(self.play(str(program), "--steps", "300", options=["--strict"]))
        self.assertIn("jelly at [0.5    0.6823]", printed)
        self.assertIn("launches: 302 from app.sxt, 0 by the JIT", said)

    def test_launches_that_the_module_lacks(self):
        self.good(self.freeze(ENDS, "well"))
        printed, said = self.good(self.play(ENDS, "doubles"))
        self.assertEqual(printed.splitlines()[-1], "[1.0, 3.0, 5.0, 7.0]")
        self.assertIn("__main__.scale is compiled by the JIT: the module has it for other values: x is "
                      "ndarray(qd.f64, 1), not ndarray(qd.f32, 1)", said)
        self.assertIn("launches: 0 from app.sxt, 1 by the JIT", said)
        self.bad(self.play(ENDS, "doubles", options=["--strict"]), "Missing", "x is ndarray(qd.f64, 1)")
        self.good(self.freeze(ENDS, "doubles"))  # adds to what the folder has
        for how in ("well", "doubles"):
            printed, said = self.good(self.play(ENDS, how, options=["--strict"]))
            self.assertEqual(printed.splitlines()[-1], "[1.0, 3.0, 5.0, 7.0]")

    def test_sources_that_changed(self):
        program = self.folder / "program.py"
        program.write_text(pathlib.Path(ENDS).read_text())
        self.good(self.freeze("program.py", "well"))
        self.bad(self.play("program.py", "gain", options=["--strict"]),
                 "`GAIN` of `scale` is 3, and was 2 when the module was frozen")
        program.write_text(program.read_text().replace("* GAIN + 1", "* GAIN + 5"))
        self.bad(self.play("program.py", "well", options=["--strict"]),
                 "`scale` has changed since the module was frozen; freeze it again")
        printed, _ = self.good(self.play("program.py", "well"))
        self.assertEqual(printed.splitlines()[-1], "[5.0, 7.0, 9.0, 11.0]")

    def test_a_wrong_kernel_is_found(self):
        self.good(self.freeze(ENDS, "well"))
        source = self.folder / "app.frozen/ends.py"
        source.write_text(source.read_text().replace("GAIN = 2", "GAIN = 5"))
        self.good(self.run_command(COMMAND, "compile", "--manifest", "app.frozen/sextant.toml"))
        self.bad(self.play(ENDS, "well", options=["--check"]),
                 "Difference: __main__.scale: argument `x`: 3 of 4 scalars differ; scalar 1 is 6.0 from the module and "
                 "3.0 by the JIT")
        self.bad(self.freeze(ENDS, "well"), "ends.py' was edited since it was recorded", "--fresh")
        self.good(self.freeze(ENDS, "well", options=["--fresh"]))

    def test_structs_are_compared_by_their_members(self):
        """Positions may differ by rounding; a member of a struct in them that is wrong is named."""
        (self.folder / "grains.py").write_text("""
import quadrants as qd
qd.init(arch=qd.cpu)
Inner = qd.types.struct(f=qd.types.matrix(2, 2, qd.f32), j=qd.f32)
Grain = qd.types.struct(x=qd.types.vector(2, qd.f32), inner=Inner, kind=qd.i32)
grains = Grain.field(shape=1000)
@qd.kernel
def place():
    for i in grains:
        grains[i].x = [((i * 7919) % 997) / 997 * 0.2 + 0.3, ((i * 104729) % 1009) / 1009 * 0.2 + 0.05]
        grains[i].inner.j = 0.5
        grains[i].kind = i
place()
""")
        self.good(self.freeze("grains.py", options=["--strict"]))
        self.good(self.play("grains.py", options=["--strict", "--check"]))
        source = self.folder / "app.frozen/grains.py"
        source.write_text(source.read_text().replace("= 0.5", "= 0.75"))
        self.good(self.run_command(COMMAND, "compile", "--manifest", "app.frozen/sextant.toml"))
        self.bad(self.play("grains.py", options=["--check"]),
                 "field `grains.py:grains`.inner.j: 1000 of 1000 scalars differ; scalar 0 is 0.75 from the module")

    def test_programs_that_do_not_end_well(self):
        for how, why in (("fails", "it raises ValueError"), ("exits", "it ends with status 3")):
            self.bad(self.freeze(ENDS, how), "did not end well, so nothing is written", why)
            self.assertEqual(sorted(p.name for p in self.folder.iterdir() if p.name != "cache"), [])
        said = self.bad(self.freeze(ENDS, "fails", options=["--diagnostics=json"]))
        (error,) = map(json.loads, said.splitlines())  # the traceback is not text between objects
        self.assertEqual(error["severity"], "error")
        self.assertTrue(error["message"].endswith("did not end well, so nothing is written: it raises ValueError"))
        self.assertIn("Traceback (most recent call last)", error["notes"][0]["message"])
        self.bad(self.freeze("none.py"), "there is no program 'none.py'")
        self.bad(self.run_command(COMMAND, "freeze", "-o", "app.sxt", "--python", "no-such-python", ENDS),
                 "no-such-python")

    def test_the_python_of_the_active_environment(self):
        """It comes before those of the PATH, and one that lacks a package is left out."""
        for name, status in (("venv", 0), ("lacks", 41)):
            python = self.folder / name / "bin/python"
            python.parent.mkdir(parents=True)
            python.write_text(f"#!/bin/sh\n[ $1 = -c ] && exit {status}\necho {name} runs\nexit 1\n")
            python.chmod(0o755)
        path = {"PATH": f"{self.folder}/path:{os.environ['PATH']}"}
        (self.folder / "path").mkdir()
        (self.folder / "path/python3").symlink_to(self.folder / "venv/bin/python")
        for active in ("venv", "lacks"):
            environment = {**os.environ, **path, "VIRTUAL_ENV": str(self.folder / active)}
            done = subprocess.run([COMMAND, "freeze", "-o", "app.sxt", ENDS], cwd=self.folder, env=environment,
                                  capture_output=True)
            self.assertEqual(done.stdout.decode(), "venv runs\n", done.stderr.decode())

    def test_programs_that_are_hard_to_watch(self):
        done = self.freeze(ENDS, "binary")
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        self.assertIn(bytes(range(256)), done.stdout)
        _, said = self.good(self.freeze(ENDS, "fork"))
        self.assertIn("the program forks here", said)
        self.bad(self.freeze(ENDS, "fork", options=["--strict"]), "--strict")

    def test_modules_that_were_not_frozen(self):
        (self.folder / "plain.py").write_text("import quadrants as qd\n\n\n@qd.kernel\ndef one(n: qd.i32) -> qd.i32:\n"
                                              "    return n\n")
        self.good(self.run_command(COMMAND, "compile", "plain.py", "-o", "app.sxt"))
        self.bad(self.play(ENDS, "well"), "app.sxt", "frozen.json")


if __name__ == "__main__":
    unittest.main()
