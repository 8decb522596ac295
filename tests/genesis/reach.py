#!/usr/bin/env python3
"""Records which kernels a scene uses, or lists those that no record has.

    reach.py record RECORD.json scenes/box.py [options of the scene]
    reach.py missing RECORD.json...

A record counts, for each kernel by file, name and direction of differentiation, its instances and launches.
"""

import collections
import importlib.util
import json
import pathlib
import runpy
import sys


def record(out, scene):
    import quadrants.lang.kernel  # noqa: F401: the module, which a function of the package hides

    kernel_class = sys.modules["quadrants.lang.kernel"].Kernel
    counts = collections.defaultdict(lambda: {"instances": 0, "launches": 0})
    materialize, launch = kernel_class.materialize, kernel_class.launch_kernel

    def name(kernel):
        return f"{kernel.func.__code__.co_filename}|{kernel.func.__qualname__}|{kernel.autodiff_mode.name}"

    def counted_materialize(self, key, py_args, arg_features=None):
        counts[name(self)]["instances"] += key not in self.materialized_kernels
        return materialize(self, key, py_args, arg_features)

    def counted_launch(self, *args, **options):
        counts[name(self)]["launches"] += 1
        return launch(self, *args, **options)

    kernel_class.materialize, kernel_class.launch_kernel = counted_materialize, counted_launch
    sys.path.insert(0, str(pathlib.Path(scene).resolve().parent))
    try:
        runpy.run_path(scene, run_name="__main__")
    finally:
        pathlib.Path(out).write_text(json.dumps(counts, indent=1, sort_keys=True))


def missing(records):
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
    import ast

    from count import SOLVERS, find

    root = pathlib.Path(importlib.util.find_spec("genesis").origin).parent
    used = collections.defaultdict(set)
    for path in records:
        for key in json.loads(pathlib.Path(path).read_text()):
            file, name, direction = key.split("|")
            used[file, name.split(".")[-1]].add(direction)
    lacking, total = collections.defaultdict(list), 0
    for path in sorted(root.rglob("*.py")):
        relative = str(path.relative_to(root))
        for kernel in find(relative, ast.parse(path.read_text())):
            total += 1
            if (str(path), kernel.node.name) not in used:
                solver = next((s for s, part in SOLVERS if part in relative), "others")
                lacking[solver].append(f"{relative}:{kernel.node.lineno} {kernel.node.name}")
    for solver in sorted(lacking):
        print(f"{solver}:", *lacking[solver], sep="\n  ")
    print(f"{total - sum(map(len, lacking.values()))} of {total} kernels are used")


if __name__ == "__main__":
    if len(sys.argv) > 3 and sys.argv[1] == "record":
        out, scene = sys.argv[2:4]
        sys.argv = sys.argv[3:]
        record(out, scene)
    elif len(sys.argv) > 2 and sys.argv[1] == "missing":
        missing(sys.argv[2:])
    else:
        sys.exit(__doc__)
