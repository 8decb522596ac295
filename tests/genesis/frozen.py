#!/usr/bin/env python3
"""Freezes the scenes of Genesis and measures them: frozen.py BUILD_FOLDER PAGE [STAGE…]

Stages, in order; all of them without any named: environment (the packages, 6.4 GB), record (each scene once under the
JIT, into BUILD/genesis/frozen), build (the module for five targets, cold and after a one-line edit), measure (box and
franka, cold, warm and frozen), page. What a stage found is kept in BUILD/genesis/*.json, from which PAGE is written.
"""

import ast
import datetime
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from count import NAME, TARGETS, VERSION, find  # noqa: E402

MODULES = ["genesis", "genesis64"]
DOUBLE = ["sap"]  # scenes of double precision, which are a module of their own
SCENES = ["box", "franka", "contacts", "mpm", "sph", "pbd", "fem", "sap", "api", "smoke", "tool", "sensors", "water",
          "fem_implicit", "dfsph", "ghost", "masked", "touch", "touch --rays", "paths", "gradients", "gradients_soft",
          "gradients_states"]  # with their options
MEASURED = {"box": ["--envs", "4", "--steps", "1000", "--exact"], "franka": ["--steps", "1000", "--exact"]}


class Work:
    """The folders and commands of a run."""

    def __init__(self, build):
        self.build = pathlib.Path(build).resolve()
        self.folder = self.build / "genesis"
        self.folder.mkdir(exist_ok=True)
        self.python = self.folder / "venv/bin/python"
        self.sextant = self.build / "driver/sextant"
        self.module = self.folder / "genesis.sxt"
        self.variables = os.environ | {"PYTHONPATH": str(self.build / "loader/python")}

    def sources(self, name):
        return self.folder / f"{name}.frozen"

    def run(self, *command, **options):
        print("+", *(str(word) for word in command), file=sys.stderr)
        return subprocess.run([str(word) for word in command], env=self.variables, **options)

    def keep(self, name, data):
        (self.folder / f"{name}.json").write_text(json.dumps(data, indent=1))

    def kept(self, name):
        path = self.folder / f"{name}.json"
        return json.loads(path.read_text()) if path.exists() else {}


def environment(work):
    if not work.python.exists():
        subprocess.run([sys.executable, "-m", "venv", work.python.parent.parent], check=True)
    pip = [work.python, "-m", "pip", "install", "-q", "--no-deps", "-r", HERE / "requirements.txt"]
    subprocess.run(pip, check=True)


def module_of(scene):
    return "genesis64" if scene in DOUBLE else "genesis"


def record(work):
    said = {}
    for name in MODULES:
        shutil.rmtree(work.sources(name), ignore_errors=True)
    for scene in SCENES:
        name, (file, *options) = module_of(scene), scene.split()
        done = work.run(work.sextant, "freeze", "--record-only", "-o", work.folder / f"{name}.sxt", "--sources",
                        work.sources(name), "-t", TARGETS, "--python", work.python, "--",
                        HERE / f"scenes/{file}.py", *options, stderr=subprocess.PIPE, text=True)
        said[scene] = {"status": done.returncode,
                       "refused": [line for line in done.stderr.splitlines() if "is not recorded" in line]}
    work.keep("record", said)


def compile_all(work, name, cache):
    """Builds a module. Returns the seconds, and what the compiler says as JSON."""
    start = time.perf_counter()
    done = work.run(work.sextant, "compile", "--manifest", work.sources(name) / "sextant.toml", "--keep-going", "-o",
                    work.folder / f"{name}.sxt", "-t", TARGETS, "--cache-dir", cache, "--diagnostics=json",
                    stderr=subprocess.PIPE, text=True)
    said = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("{")]
    return time.perf_counter() - start, said


def build(work):
    work.keep("build", {name: build_one(work, name) for name in MODULES})


def build_one(work, name):
    cache = work.folder / "cache"
    shutil.rmtree(cache, ignore_errors=True)
    cold, said = compile_all(work, name, cache)
    edited = max(work.sources(name).rglob("*.py"), key=lambda path: path.stat().st_size)
    text = edited.read_text()
    edited.write_text(text.replace("    return ", "    # edited\n    return ", 1))
    try:
        again, _ = compile_all(work, name, cache)
    finally:
        edited.write_text(text)
    compile_all(work, name, cache)
    lost, reasons = set(), {}
    for one in said:
        for kernel in one.get("kernels") or filter(None, [one.get("kernel")]):
            lost.add(kernel)
            if one["severity"] == "error":
                reasons.setdefault(kernel, f"{one['file']}:{one['line']}: {one['message']}")
    size = (work.folder / f"{name}.sxt").stat().st_size
    return {"cold": cold, "edit": again, "bytes": size, "lost": sorted(lost), "reasons": reasons,
            "load": os.getloadavg()[0]}


def measure(work):
    texts = {}
    for scene, options in MEASURED.items():
        frozen = f"{work.python} -m sextant.frozen --strict {work.module}"
        done = work.run(work.python, "-B", HERE / "measure.py", "--repeat", "3", "--frozen", frozen,
                        HERE / f"scenes/{scene}.py", *options, stdout=subprocess.PIPE, text=True)
        texts[scene] = done.stdout
    work.keep("measure", texts)


def page(work, target):
    import report

    package = next((work.folder / "venv").glob("lib/python*/site-packages/genesis"))
    all_kernels = set()
    for path in sorted(package.rglob("*.py")):
        name = str(path.relative_to(package.parent))
        for kernel in find(name, ast.parse(path.read_text())):
            all_kernels.add((name, kernel.node.name, kernel.node.lineno, kernel.solver))
    recordings = {name: json.loads((work.sources(name) / "recording.json").read_text()) for name in MODULES}
    text = report.text(all_kernels, recordings, work.kept("record"), work.kept("build"), work.kept("measure"),
                       package=f"{NAME} {VERSION}", targets=TARGETS, date=datetime.date.today().isoformat())
    pathlib.Path(target).write_text(text)


STAGES = {"environment": environment, "record": record, "build": build, "measure": measure}

if __name__ == "__main__":
    if len(sys.argv) < 3 or not set(sys.argv[3:]) <= {*STAGES, "page"}:
        sys.exit(f"usage: frozen.py BUILD_FOLDER PAGE [{'|'.join([*STAGES, 'page'])}]…")
    chosen = sys.argv[3:] or [*STAGES, "page"]
    place = Work(sys.argv[1])
    for name, stage in STAGES.items():
        if name in chosen:
            stage(place)
    if "page" in chosen:
        page(place, sys.argv[2])
