#!/usr/bin/env python3
"""Counts what the compiler makes of the kernels of Genesis: count.py BUILD_FOLDER PAGE [PART].

It downloads the wheel, reads its source and runs none of it. Each kernel is compiled by itself, first as it is, then with
the values that answers.py finds in the source; then its gradient, if Genesis calls it. PAGE gets the numbers and the reasons. With PART, only kernels with it
in their place or name are compiled; their values and errors are printed, and no page is written.
"""

import ast
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import zipfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import page  # noqa: E402
from answers import EXTENT, Package  # noqa: E402
from conventions import TYPES  # noqa: E402
from source import last  # noqa: E402

NAME, VERSION, PACKAGE = "genesis-world", "1.4.5", "genesis"
TARGETS = "cpu,sm_90,gfx942,gfx1100,vulkan"
SECONDS = int(os.environ.get("SEXTANT_GENESIS_SECONDS", 300))  # for one kernel

# The compiler's messages where it lacks a value or a type, and the path in its message.
QUESTIONS = {
    "ndarray-without-dimensions-or-element": r"the ndarray `(.+?)`",
    "member-without-value": r"the ndarray `(.+?)`",
    "member-not-given": r"gives `(.+?)` no value",
    "template-parameter-without-value": r"the template parameter `(.+?)`",
    "module-member-unknown": r"__init__\.py` has no `(.+?)`",
    "name-without-value": r"`(.+?)` has no value",
    "name-of-host-code": r"`(.+?)` is set by host code",
}
# Its messages for a value that is a number at run time here, and a constant in a run of Genesis.
CONSTANTS = {"unrolled-bound-not-static", "argument-not-static", "static-of-run-time-value", "condition-not-static",
             "shared-array-extent-not-positive", "tuple-indexed-at-run-time"}

SOLVERS = [
    ("SAP coupler", "couplers/sap"), ("legacy coupler", "couplers/legacy"), ("MPM", "mpm_"), ("SPH", "sph_"),
    ("PBD", "pbd_"), ("FEM", "fem_"), ("SF", "sf_solver"), ("rigid", "solvers/rigid"), ("tool", "tool_"),
    ("sensors", "sensors/"), ("utilities", "utils/"),
]


class Kernel:
    def __init__(self, path, node, owner):
        self.path, self.node, self.owner = path, node, owner
        self.name = f"{owner.name}.{node.name}" if owner else node.name
        self.solver = next((s for s, part in SOLVERS if part in path), "entities, bvh, others")
        self.plain = self.derived = self.gradient = None  # verdicts; no gradient: Genesis does not call it


class Verdict:
    """`kind` is compiles, needs or refused; `errors` are what the compiler said last; `instance` is what it compiled."""

    def __init__(self, kind, errors, values=(), instance=()):
        self.kind, self.errors, self.values, self.instance = kind, errors, values, instance


def download(cache):
    wheel = cache / f"{NAME.replace('-', '_')}-{VERSION}-py3-none-any.whl"
    if not wheel.exists():
        cache.mkdir(parents=True, exist_ok=True)
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:",
               "--dest", str(cache), f"{NAME}=={VERSION}"]
        if subprocess.run(pip).returncode or not wheel.exists():
            sys.exit(f"error: pip cannot download {NAME} {VERSION}; is there a network? A wheel can be put at {wheel}")
    try:
        with zipfile.ZipFile(wheel) as archive:
            names = [n for n in archive.namelist() if n.startswith(PACKAGE + "/") and n.endswith(".py")]
            return {n: archive.read(n).decode() for n in sorted(names)}
    except zipfile.BadZipFile:
        sys.exit(f"error: {wheel} is not a wheel; remove it, and it is downloaded again")


def is_kernel(node):
    return isinstance(node, ast.FunctionDef) and any(
        ast.unparse(d).split("(")[0] == "qd.kernel" for d in node.decorator_list)


def find(path, tree):
    for node in ast.walk(tree):
        for child in ast.iter_child_nodes(node):
            if is_kernel(child):
                yield Kernel(path, child, marked(node, tree) if isinstance(node, ast.ClassDef) else None)


def differentiated(trees):
    """The names of the kernels whose gradients are called: `self.p2g.grad(f)`."""
    calls = (n for tree in trees for n in ast.walk(tree) if isinstance(n, ast.Call))
    return {last(c.func.value) for c in calls if isinstance(c.func, ast.Attribute) and c.func.attr == "grad"}


def marked(owner, tree):
    """The class whose kernels are built: a base without a mark lends its kernels to the next class with one."""
    known = [n for n in ast.walk(tree) if isinstance(n, ast.ClassDef)]
    heirs = [n for n in known if any(ast.unparse(base).split(".")[-1] == owner.name for base in n.bases)]
    is_marked = any("data_oriented" in ast.unparse(d) for d in owner.decorator_list)
    return owner if is_marked or not heirs else marked(heirs[0], tree)


def alone(text, kernel, others):
    """The file with one kernel: the others lose their marks, and no line moves."""
    lines = text.split("\n")
    for other in others:
        if other is not kernel:
            first = min(d.lineno for d in other.node.decorator_list)
            lines[first - 1 : other.node.lineno - 1] = [""] * (other.node.lineno - first)
    for decorator in kernel.node.decorator_list:  # an implementation of several is a kernel here
        if ".register" in ast.unparse(decorator):
            lines[decorator.lineno - 1] = ""
    return "\n".join(lines)


class Compiler:
    """Compiles one kernel at a time, in a copy of the source of its own."""

    def __init__(self, command, sources, folder):
        self.command, self.sources, self.folder = command, sources, folder
        shutil.rmtree(folder, ignore_errors=True)
        for path, text in sources.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text)

    def run(self, kernel, text, values, constants, *options, derivative=""):
        request = f"{kernel.name}{derivative}[{', '.join(f'{k}={v}' for k, v in values.items())}]"
        command = [self.command, "compile", kernel.path, f"--targets={TARGETS}", "--diagnostics=json", "-j1"]
        command += ["--kernel", request, *(f"--const={k}={v}" for k, v in constants.items()), *options]
        (self.folder / kernel.path).write_text(text)
        try:
            done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return [{"code": "timeout", "message": f"it takes more than {SECONDS} seconds", "file": "", "line": 0}]
        finally:
            (self.folder / kernel.path).write_text(self.sources[kernel.path])
        errors = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("{")]
        errors = [e for e in errors if e["severity"] == "error"]
        if done.returncode and not errors:
            errors = [{"code": "crash", "message": f"the compiler ends with status {done.returncode}"}]
        return errors

    def build(self, kernel, text, values, constants, derivative=""):
        errors = self.run(kernel, text, values, constants, "--syntax-only", derivative=derivative)
        return errors or self.run(kernel, text, values, constants, "-o", "out.sxt", derivative=derivative)


def question(error):
    """The path of a value or type that the compiler lacks, "None" for a name that is None until the host sets it."""
    if made := re.search(r"`(\w+)`", error["message"]):
        if made[1] in TYPES:  # made by init(), whatever the name is before
            return made[1]
    if re.search(r"\bNone\b", error["message"]):
        return "None"
    pattern = QUESTIONS.get(error.get("code"))
    found = re.search(pattern, error["message"]) if pattern else None
    return found.group(1) if found else None


def paths(error, package, kernel, values):
    """The paths that an error asks for. Where it says less than a path, those of all objects that it may mean."""
    objects = package.objects(kernel.node, kernel.owner, values)
    path = question(error)
    if path and not path.startswith("."):
        yield path
    elif path:
        yield from (f"{start}{path}" for start, _ in objects)
    if named := re.search(r"which this build has for `(\w+)\.(\w+)`", error["message"]):
        yield from (f"{start}.{named[2]}" for start, owner in objects
                    if named[1] in (known.name for known in package.lines(package.classes[owner])))
    for name in TYPES.keys() & package.functions.keys():  # a function that init() replaces by a type
        if package.functions[name].lineno <= error.get("line", 0) <= package.functions[name].end_lineno:
            yield name
    if named := re.search(r"the method `(\w+)`", error["message"]):
        yield from (f"{start}.{named[1]}" for start, owner in objects if named[1] in package.properties(owner))
    if named := re.match(r"`(\w+)` has no `(\w+)`", error["message"]):
        yield from (f"{start}.{named[2]}" for start, owner in objects if owner == named[1])


def verdict(errors, values=(), gave=(), instance=()):
    if not errors:
        return Verdict("compiles", [], values, instance)
    other = [e for e in errors if question(e) is None and not (gave and e.get("code") in CONSTANTS)]
    return Verdict("refused", other, values) if other else Verdict("needs", errors, values)


def derive(compiler, package, kernel, text):
    """Asks the compiler what it lacks, answers what the source says, and again until one has no more to say."""
    values, constants, added, corrected = {}, {}, {}, set()
    if kernel.owner:
        values |= package.running("self", kernel.owner.name)
    while True:
        errors = compiler.run(kernel, text + "".join(added.values()), values, constants, "--syntax-only")
        before = len(values) + len(constants), dict(values)
        for error in errors:
            wrong = re.search(r"`(.+?)` has \d+ dimensions?, but is indexed with (\d+)", error["message"])
            if wrong and values.get(wrong[1], "").startswith("ndarray") and wrong[1] not in corrected:
                values[wrong[1]] = re.sub(r", \d+\)$", f", {wrong[2]})", values[wrong[1]])
                corrected.add(wrong[1])
            for path in paths(error, package, kernel, values):
                if path == "None":
                    constants["EPS"] = TYPES["EPS"]
                elif path in TYPES:
                    constants[path] = TYPES[path].replace("qd.", "")
                elif path and path not in values and (path.split(".")[0] == "self" or
                                                      path.split(".")[0] in [a.arg for a in kernel.node.args.args]):
                    if (answer := package.answer(path, kernel.node, kernel.owner)) is not None:
                        values[path] = answer
                        if answer in package.classes:
                            values |= package.running(path, answer)
                        if answer in package.module and not re.search(rf"^(class|def) {answer}\b", text, re.M):
                            added[answer] = f"\nfrom {package.module[answer]} import {answer}"
        added |= package.definitions(values)
        if before == (len(values) + len(constants), values):
            break
    if not errors:
        errors = compiler.run(kernel, text + "".join(added.values()), values, constants, "-o", "out.sxt")
    gave = [v for v in values.values() if v in ("qd.i32", "qd.f32", "qd.u1")]
    return verdict(errors, values, gave, (text + "".join(added.values()), values, constants))


def judge(compiler, package, kernel, text, is_differentiated):
    kernel.plain = verdict(compiler.build(kernel, text, {}, {}), instance=(text, {}, {}))
    kernel.derived = kernel.plain if kernel.plain.kind == "compiles" else derive(compiler, package, kernel, text)
    if is_differentiated:
        built = kernel.derived.kind == "compiles"
        kernel.gradient = (verdict(compiler.build(kernel, *kernel.derived.instance, derivative=".grad")) if built
                           else Verdict("needs", kernel.derived.errors))
    return kernel


def main(build, target, only=""):
    build = pathlib.Path(build).resolve()
    command = os.environ.get("SEXTANT", str(build / "driver/sextant"))
    if not os.access(command, os.X_OK):
        sys.exit(f"error: there is no compiler at {command}; ./dev build makes it, or SEXTANT names one")
    work = build / "genesis"
    sources = download(work)
    trees = {path: ast.parse(text) for path, text in sources.items()}
    files = {path: list(find(path, tree)) for path, tree in trees.items()}
    kernels = [k for found in files.values() for k in found if only in f"{k.path}:{k.name}"]
    if not kernels:
        sys.exit(f"error: {NAME} {VERSION} has no kernel {only}")
    package, compiler = Package(trees), Compiler(command, sources, work / "source")
    called = differentiated(trees.values())
    for number, kernel in enumerate(kernels, 1):
        judge(compiler, package, kernel, alone(sources[kernel.path], kernel, files[kernel.path]),
              kernel.node.name in called)
        gradient = f", its gradient {kernel.gradient.kind}" if kernel.gradient else ""
        print(f"[{number}/{len(kernels)}] {page.place(kernel)} {kernel.name}: {kernel.derived.kind}{gradient}",
              file=sys.stderr)
        if only:
            print(*(f"    {k}={v}" for k, v in kernel.derived.values.items()), sep="\n")
            for found in filter(None, [kernel.derived, kernel.gradient]):
                print(*(f"    {page.where(e)} {e['message']}" for e in found.errors), sep="\n")
    if not only:
        page.write(pathlib.Path(target), kernels, name=NAME, version=VERSION, targets=TARGETS, extent=EXTENT)


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit("usage: count.py BUILD_FOLDER PAGE [PART_OF_A_KERNEL'S_PLACE_OR_NAME]")
    main(*sys.argv[1:])
