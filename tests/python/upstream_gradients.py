"""Runs the tests that Quadrants has of its gradients with frozen kernels, and prints what became of each.

    python3 tests/python/upstream_gradients.py [--every] COMMAND CHECKOUT FOLDER [PATTERN]

COMMAND: the built `sextant`; its package, pytest, autograd, torch and quadrants have to be importable. CHECKOUT: a copy
of Quadrants' repository. FOLDER: for a folder a test, which a later run uses again. PATTERN: only tests that it
matches, as `test_ad_if::test_ad_nested`.

The tests are all of the files that are about gradients, by their names, and those of other files that use gradients.

Each test is recorded (`sextant freeze`) and then run from the module, in processes of its own, with the first of its
parameters. With --every, which needs a FOLDER of its own, those that have several are run with all of them. The tests'
own assertions judge. The copy of the tests differs from Quadrants' in three things. Each `lambda` is a function, since
kernel files have none. Of two tests with one name the first gets another, since pytest runs the last one only. Tests
that Quadrants runs on GPUs only are run on the CPU, too.
"""

from __future__ import annotations

import argparse
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
options = ["-q", "-rs", "-p", "no:cacheprovider", "-p", "no:xdist", "--assert=plain"]
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


ABOUT = re.compile(r"test_ad|test_.*grad")  # files
USES = re.compile(r"\.(grad|dual)\b|needs_(grad|dual)|lazy_(grad|dual)|\bTape\b|FwdMode|autodiff")


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


def functions(tree: ast.Module) -> list[ast.FunctionDef]:
    return [each for each in tree.body if isinstance(each, ast.FunctionDef)]


def recordable(text: str) -> str:
    """A file of tests without lambdas, and with a name for each test."""
    named, tree = Named(), ast.parse(text)
    tree = named.visit(tree)
    last = {each.name: each for each in functions(tree)}
    for each in functions(tree):
        if last[each.name] is not each:
            each.name += "_first"
    first = next((n for n, each in enumerate(tree.body) if isinstance(each, ast.FunctionDef)), 0)
    tree.body[first:first] = named.made
    return ast.unparse(ast.fix_missing_locations(tree))


def tests_of(path: pathlib.Path) -> list[str]:
    """The names of a file's tests of gradients."""
    text = path.read_text()
    named = [each for each in functions(ast.parse(text)) if each.name.startswith("test_")]
    about = ABOUT.match(path.name)
    return [each.name for each in named if about or USES.search(ast.get_source_segment(text, each) or "")]


def replace(path: pathlib.Path, old: str, new: str) -> None:
    text = path.read_text()
    if old not in text:
        sys.exit(f"{path.name} has no `{old}`")
    path.write_text(text.replace(old, new))


def prepared(checkout: pathlib.Path, folder: pathlib.Path) -> pathlib.Path:
    """A copy of the tests in which all code can be recorded."""
    copy = folder / "checkout"
    if not copy.exists():
        for part in "tests", "quadrants/transforms":  # a test reads the latter
            shutil.copytree(checkout / part, copy / part)
        for path in (copy / "tests/python").glob("test_*.py"):
            if tests_of(path):
                path.write_text(recordable(path.read_text()))
        replace(copy / "tests/python/conftest.py", "def pytest_handlecrashitem", "def handlecrashitem")  # xdist's
        known = "[v for v in arch if v in archs_expected]"
        replace(copy / "tests/test_utils.py", known, f"{known} or archs_expected")
    return copy


def tests_in(checkout: pathlib.Path, pattern: str, every: bool) -> list[str]:
    """The tests, each with its first parameters; with `every`, those that have several, without any."""
    names = {path: tests_of(path) for path in sorted((checkout / "tests/python").glob("test_*.py"))}
    files = sorted((path for path in names if names[path]), key=lambda path: not ABOUT.match(path.name))
    text = run(pathlib.Path.cwd(), os.devnull, sys.executable, "-m", "pytest", "--collect-only", "-q", *map(str, files))
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        file, _, name = line.split("[")[0].partition(".py::")
        path = checkout / "tests" / f"{file}.py"
        if name in names.get(path, []) and re.search(pattern, f"{path.stem}::{name}"):
            found.setdefault(f"{file}.py::{name}", []).append(line)
    chosen = [name for name in found if len(found[name]) > 1] if every else [lines[0] for lines in found.values()]
    return [str(checkout / "tests" / each) for each in chosen]


def outcome(recorded: str, played: str) -> str:
    """Says what became of a test."""
    refused = re.search(r"warning: (.*) \[-Wleft-kernel\]", recorded)
    by_jit = re.search(r"is compiled by the JIT: (.*)", played)
    if "outcome 0" not in recorded:
        return "fails with the JIT"
    if skipped := re.search(r"SKIPPED \[1\] [^ ]+ (.*)", recorded):
        return f"skipped: {skipped[1]}"
    if "launched no kernel" in recorded:
        unseen = re.search(r"is not recorded: (.*)", recorded)
        return f"not recorded: {unseen[1] if unseen else 'it launches no kernel'}"
    if "outcome 0" in played:
        if " xfailed" in played:
            return "fails with both, as Quadrants marks it"
        if " 0 by the JIT" in played:
            return "passes"
        part = "by the JIT only" if "launches: 0 from" in played else "in part by the JIT"
        return f"passes, {part}: {refused[1] if refused else by_jit[1] if by_jit else '?'}"
    if "XPASS(strict)" in played:
        return "passes, where Quadrants marks a failure of the JIT"
    if refused:
        return f"refused: {refused[1]}"
    if "DID NOT RAISE" in played:
        return "expects an error of the JIT, and there is none"
    return "fails"


def print_row(*cells: object) -> None:
    print(f"| {' | '.join(map(str, cells))} |")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--every", action="store_true")
    for name in "command", "checkout", "folder":
        parser.add_argument(name, type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("pattern", nargs="?", default="")
    options = parser.parse_args()
    command, folder = options.command, options.folder
    folder.mkdir(parents=True, exist_ok=True)
    checkout = prepared(options.checkout, folder)
    counts: collections.Counter[str] = collections.Counter()
    files: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    for test in tests_in(checkout, options.pattern, options.every):
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
        kind = what.split(":")[0]
        counts[kind] += 1
        files[file][kind] += 1
        print(f"{file} {name}: {what}", flush=True)
    kinds = [kind for kind, _ in counts.most_common()]
    print_row("file", "tests", *kinds)
    for file, of_file in files.items():
        print_row(file, of_file.total(), *(of_file[kind] or "" for kind in kinds))
    print_row("all", counts.total(), *(counts[kind] for kind in kinds))


if __name__ == "__main__":
    main()
