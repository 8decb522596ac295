"""Tests of the scripts here: the list of the surface against the frontend's tables, the generator,
the reading of machine code, the page.

    scripts_test.py PROJECT
"""

import ast
import contextlib
import functools
import io
import pathlib
import re
import sys
import tempfile
import unittest

import functions
import generate
import instructions
import matrix
import operations
import surface

ROOT = pathlib.Path(sys.argv.pop(1))
SPACES = ("subgroup", "block", "grid")
OPERATIONS = operations.operations()


def library(space, file=None):
    """Public functions of a module of the library, with the names of their parameters."""
    tree = ast.parse((ROOT / f"frontend/library/{file or space}.py").read_text())
    return {f"{space}.{node.name}": [arg.arg for arg in node.args.args]
            for node in tree.body if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")}


class List(unittest.TestCase):
    """The frontend's list of functions, which the rest is made of."""

    def test_has_every_row_of_the_file(self):
        text = operations.TABLE.read_text()
        rows = re.findall(r"^(?:OP|DEVICE|LAZY|METHOD|LIBRARY|OLD|OWN)\(", text[text.index("\nGROUP("):], re.M)
        self.assertGreater(len(rows), 200)
        self.assertEqual(len(rows), len(OPERATIONS))
        names = [op.name for op in OPERATIONS]
        self.assertEqual(len(names), len(set(names)))

    def test_library_functions_are_as_listed(self):
        listed = {op.name: [p.name for p in op.parameters] for op in OPERATIONS if op.kind == "LIBRARY"}
        defined = {**library("subgroup"), **library("block"), **library("math"), **library("warp"),
                   **library("qd", "linalg"), **library("qd", "random"), **library("simt", "matrices/units")}
        for space in ("algorithms", "tensors"):
            for path in (ROOT / f"frontend/library/{space}").glob("*.py"):
                defined |= library(space, f"{space}/{path.stem}")
        self.assertEqual(listed, defined)

    def test_old_names_stand_for_others(self):
        names = {op.name for op in OPERATIONS if op.kind != "OLD"}
        for op in OPERATIONS:
            if op.kind == "OLD":
                self.assertIn(op.current, names)

    def test_parameters_take_what_is_defined(self):
        text = operations.TABLE.read_text()
        head = text[:text.index("#ifndef")]
        tested = set(re.findall(r"^//   ([a-z]+) ", head, re.M)) | {"list", "any"}
        by_hand = set(re.search(r"^//   (extents, .*)$", head, re.M)[1].split(", "))
        rows = (ROOT / "frontend/sema/builtins/Operands.cpp").read_text()
        self.assertLessEqual(set(re.findall(r'^    \{"(\w+)", ', rows, re.M)), tested)
        used = {p.takes.split()[0] for op in OPERATIONS for p in op.parameters if p.takes}
        self.assertEqual(sorted(used - tested - by_hand), [], "not explained in the head of Operations.def")
        self.assertEqual(sorted(by_hand - used), [], "no parameter takes it")

    def test_the_page_is_the_list(self):
        self.assertEqual((ROOT / "docs/functions.md").read_text(), functions.page() + "\n",
                         "run tests/conformance/functions.py > docs/functions.md")


class Surface(unittest.TestCase):
    def test_covers_what_the_frontend_has(self):
        known = {op.name for op in OPERATIONS if op.kind != "OWN" and not op.name.split(".")[1].startswith("_")
                 and (op.space in SPACES or op.group in ("Atomics", "Volatile loads"))}
        known |= {op.name for op in OPERATIONS if op.name in ("qd.popcnt", "qd.clz", "qd.ffs", "qd.fns")}
        listed = {op.builtin for op in surface.OPS} | {op.builtin + "_tiled" for op in surface.OPS if op.tiled}
        listed |= {hand.name for hand in surface.HAND}
        self.assertGreater(len(known), 100)
        self.assertEqual(sorted(known - listed), [], "in the frontend, but not in surface.py")
        self.assertEqual(sorted(listed - known), [], "in surface.py, but not in the frontend")

    def test_hand_written_cases_are_there(self):
        sources = "".join(path.read_text() for path in (ROOT / "tests/conformance").glob("*.cpp"))
        for hand in surface.HAND:
            family = hand.module.removesuffix(f"_{hand.dtype}")  # a module for each type
            self.assertTrue(f'"{hand.module}"' in sources or f'"{family}"' in sources, hand.module)
            self.assertIn(f'"{hand.case}', sources)

    def test_rows_are_distinct(self):
        rows = [(op.name, dtype) for op, dtype in surface.rows()]
        self.assertEqual(len(rows), len(set(rows)))


class Generator(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        generate.write(pathlib.Path(cls.folder.name))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    @functools.cache
    def kernels(cls, module):
        tree = ast.parse((pathlib.Path(cls.folder.name) / f"{module}.py").read_text())
        return {node.name: ast.unparse(node) for node in tree.body if isinstance(node, ast.FunctionDef)}

    def test_every_row_has_a_kernel_that_calls_it(self):
        table = (pathlib.Path(self.folder.name) / "SurfaceTable.cpp").read_text()
        for op, dtype in surface.rows():
            module = f"{op.family}_{dtype}"
            name = {"shared": "shared_array", "sort": f"{op.kernel}_f32"}.get(op.family, op.kernel)
            body = self.kernels(module)[name]
            called = op.builtin in body or (op.builtin + "_tiled") in body
            self.assertTrue(called, f"{name} of {module}")
            self.assertIn(f'{{"{module}", "{op.kernel}", "{op.name}", "{dtype}"', table)

    def test_kernels_of_a_module_have_names_of_their_own(self):
        for module in surface.modules():
            text = (pathlib.Path(self.folder.name) / f"{module}.py").read_text()
            names = re.findall(r"^def (\w+)", text, re.M)
            self.assertEqual(len(names), len(set(names)), module)

    def test_all_tiles_and_placements(self):
        body = self.kernels("scan_u64")["exclusive_mul"]
        for part in ("range(L + 1)", "exclusive_mul_tiled(v, k)", "exclusive_mul(v)", "if rounds > 1",
                     "if i % 3 == 0", "for r in range(rounds)", "block_dim=W // 2"):
            self.assertIn(part, body)

    def test_each_placement_meets_each_tile(self):
        for sizes in (6, 7):
            twists = {row.rsplit(",", 1)[1].strip(" }") for row in
                      re.findall(r'"scan"[^}]*\}', (pathlib.Path(self.folder.name) / "SurfaceTable.cpp").read_text())}
            self.assertEqual({int(twist) % sizes for twist in twists}, set(range(sizes)))


class Instructions(unittest.TestCase):
    OPS = {op.name: op for op in surface.OPS}

    def verdict(self, name, target, code):
        return instructions.verdict(self.OPS[name], target, code)

    def test_one_instruction_is_native(self):
        self.assertEqual(self.verdict("qd.atomic_add", "cuda", "atom.global.add.f32 %f1, [%rd1], %f2;"), "native")
        self.assertEqual(self.verdict("subgroup.reduce_add", "cuda", "redux.sync.add.s32 %r1, %r2, %r3;"), "native")

    def test_a_loop_is_not(self):
        loop = "atom.global.add.u32 %r1, [%rd1], 0;\natom.global.cas.b32 %r1, [%rd1], %r2, %r3;"
        self.assertEqual(self.verdict("qd.atomic_add", "cuda", loop), "emulated")
        self.assertEqual(self.verdict("qd.atomic_cas", "cuda", "atom.global.cas.b32 %r1, [%rd1], %r2, %r3;"), "native")

    def test_several_are_not(self):
        self.assertEqual(self.verdict("subgroup.shuffle", "cuda", "shfl.sync.idx.b32\nshfl.sync.idx.b32"), "emulated")
        self.assertEqual(self.verdict("subgroup.reduce_add", "cuda", "shfl.sync.down.b32"), "emulated")


class Page(unittest.TestCase):
    def page(self, *lines):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "run.tsv").write_text("\n".join("\t".join(line) for line in lines) + "\n")
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                matrix.page([folder])
            return out.getvalue()

    def row(self, text, name, dtype):
        return next(line for line in text.splitlines() if line.startswith(f"| `{name}` |") and dtype in line.split("|")[2].split())

    def case(self, column, op, dtype, result, why=""):
        return "case", column, "m", f"{op} {dtype}", result, "1", why, op, dtype, "tile 1, tile 2"

    def test_cells(self):
        op = "subgroup.shuffle"
        text = self.page(
            ("device", "cpu", "cpu", "x", "CPU", "2026-01-01"), ("code", "cpu", op, "i32", "native", ""),
            ("code", "cuda", op, "i32", "emulated", ""), ("code", "metal", op, "i32", "refused", "no such thing"),
            ("code", "vulkan", op, "i32", "native", "with a feature; else emulated"),
            self.case("cpu:x/wave4", op, "i32", "ok"), self.case("cpu:x/wave8", op, "i32", "ok"),
            self.case("cuda/wave32", op, "i32", "ok"), self.case("cuda:y/wave32", op, "i32", "FAILED", "is 1"))
        cells = self.row(text, op, "i32").split(" | ")
        self.assertEqual(cells[2:5], ["none", "native ✓", "emulated ✗"])
        self.assertRegex(cells[7], r"native\[\^\d\] —")
        self.assertRegex(cells[8], r"refused\[\^\d\]")
        self.assertIn(": no such thing", text)
        self.assertIn("| CPU | `cpu:x/wave4`, `cpu:x/wave8` | CPU | 2 | 0 | 0 | 4 |", text)

    def test_a_refusal_that_runs_is_a_failure(self):
        text = self.page(("code", "metal", "qd.volatile_load", "f64", "refused", "no f64"),
                         self.case("metal:3.0/wave32", "qd.volatile_load", "f64", "ok"))
        self.assertIn("✗", self.row(text, "qd.volatile_load", "f64"))

    def test_bit_functions_have_rows(self):
        text = self.page(("case", "cpu:x/wave4", "bit_counts", "i8", "ok", "1", ""),
                         ("case", "cpu:x/wave4", "arith_int_u64", "bits", "FAILED", "1", "is 1"))
        for name in ("qd.popcnt", "qd.clz", "qd.ffs"):
            self.assertEqual(self.row(text, name, "i8").split(" | ")[2], "✓")
            self.assertEqual(self.row(text, name, "u64").split(" | ")[2], "✗")
        self.assertEqual(self.row(text, "qd.fns", "u32").split(" | ")[2], "—")

    def test_some_columns_only(self):
        text = self.page(("code", "metal", "subgroup.mem_fence", "i32", "native", ""),
                         self.case("metal:2.3/wave32", "subgroup.mem_fence", "i32", "skipped", "from 3.2 on"),
                         self.case("metal:3.2/wave32", "subgroup.mem_fence", "i32", "ok"))
        self.assertRegex(self.row(text, "subgroup.mem_fence", "i32"), r"native ✓\[\^\d\]")
        self.assertIn("from 3.2 on: `metal:2.3/wave32`", text)


if __name__ == "__main__":
    unittest.main()
