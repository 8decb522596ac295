"""Runs the tests that Quadrants has of its gradients with frozen kernels, and prints what became of each.

    python3 tests/python/upstream_gradients.py COMMAND CHECKOUT FOLDER [PATTERN]

COMMAND: the built `sextant`; its package, pytest, autograd and quadrants have to be importable. CHECKOUT: a copy of
Quadrants' repository. FOLDER: for a folder a test, which a later run uses again. PATTERN: only tests whose names have it.

Each test is recorded (`sextant freeze`) and then run from the module, in processes of its own, with the first of its
parameters. The tests' own assertions judge. Each `lambda` becomes a function, since kernel files have none.
"""

from __future__ import annotations

import ast
import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys

RUNNER = """
import sys
sys.path.insert(0, {checkout!r})
import pytest
options = ["-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist", "--assert=plain"]
print("outcome", int(pytest.main([*options, {test!r}])), flush=True)
"""


def run(folder: pathlib.Path, log: str, *command: str) -> str:
    environment = os.environ | {"QD_WANTED_ARCHS": "cpu", "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=600)
        text = done.stdout + done.stderr
    except subprocess.TimeoutExpired:
        text = "timed out"
    (folder / log).write_text(text)
    return text


class Named(ast.NodeTransformer):
    """Puts functions before a file's other code in place of its lambdas."""

    def __init__(self) -> None:
        self.made: list[ast.FunctionDef] = []

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        self.generic_visit(node)
        if not node.args.args:
            return node  # host code
        name = f"function_{len(self.made)}"
        made = ast.parse(f"def {name}(): return 0").body[0]
        made.args, made.body[0].value = node.args, node.body
        self.made.append(made)
        return ast.Name(name, ast.Load())


def without_lambdas(text: str) -> str:
    named, tree = Named(), ast.parse(text)
    tree = named.visit(tree)
    first = next((n for n, each in enumerate(tree.body) if isinstance(each, ast.FunctionDef)), 0)
    tree.body[first:first] = named.made
    return ast.unparse(ast.fix_missing_locations(tree))


def prepared(checkout: pathlib.Path, folder: pathlib.Path) -> pathlib.Path:
    """A copy of the tests in which all code can be recorded."""
    copy = folder / "checkout"
    if not copy.exists():
        shutil.copytree(checkout / "tests", copy / "tests")
        for path in (copy / "tests/python").glob("test_ad*.py"):
            path.write_text(without_lambdas(path.read_text()))
        hooks = copy / "tests/python/conftest.py"  # one of its hooks is xdist's
        hooks.write_text(hooks.read_text().replace("def pytest_handlecrashitem", "def handlecrashitem"))
    return copy


def tests_in(checkout: pathlib.Path, pattern: str) -> list[str]:
    """The tests, each with its first parameters."""
    files = sorted(str(path) for path in (checkout / "tests/python").glob("test_ad*.py"))
    text = run(pathlib.Path.cwd(), os.devnull, sys.executable, "-m", "pytest", "--collect-only", "-q", *files)
    found: dict[str, str] = {}
    for line in text.splitlines():
        if "::" in line and pattern in line:
            found.setdefault(line.split("[")[0], line)
    return [str(checkout / "tests" / line) for line in found.values()]


def outcome(recorded: str, played: str) -> str:
    """Says what became of a test."""
    refused = re.search(r"warning: (.*) \[-Wleft-kernel\]", recorded)
    by_jit = re.search(r"is compiled by the JIT: (.*)", played)
    if "outcome 0" not in recorded:
        return "fails with the JIT"
    if "launched no kernel" in recorded:
        unseen = re.search(r"is not recorded: (.*)", recorded)
        return f"not recorded: {unseen[1] if unseen else 'it launches no kernel'}"
    if "outcome 0" in played:
        if " 0 by the JIT" in played:
            return "passes"
        return f"passes, in part by the JIT: {refused[1] if refused else by_jit[1] if by_jit else '?'}"
    if refused:
        return f"refused: {refused[1]}"
    if "DID NOT RAISE" in played:
        return "expects an error of the JIT, and there is none"
    return "fails"


def main() -> None:
    command, checkout, folder = (pathlib.Path(each).resolve() for each in sys.argv[1:4])
    folder.mkdir(parents=True, exist_ok=True)
    checkout = prepared(checkout, folder)
    counts: collections.Counter[str] = collections.Counter()
    for test in tests_in(checkout, sys.argv[4] if len(sys.argv) > 4 else ""):
        file, name = re.search(r"(\w+)\.py::(\w+)", test).groups()
        place = folder / file / name
        place.mkdir(parents=True, exist_ok=True)
        runner = place / "runner.py"
        runner.write_text(RUNNER.format(checkout=str(checkout), test=test))
        if not (place / "played").exists():
            run(place, "recorded", str(command), "freeze", "-o", "app.sxt", "-t", "cpu", "--fresh", "--python",
                sys.executable, "--", str(runner))
            run(place, "played", sys.executable, "-m", "sextant.frozen", "--report", "app.sxt", str(runner))
        what = outcome((place / "recorded").read_text(), (place / "played").read_text())
        counts[what.split(":")[0]] += 1
        print(f"{file} {name}: {what}", flush=True)
    for what, count in counts.most_common():
        print(f"{count:4} {what}")


if __name__ == "__main__":
    main()
