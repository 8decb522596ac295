"""The pages of messages are complete and true: each mistake that the compiler names has a section in
docs/messages, whose first block raises it and whose second block compiles.

    messages_test.py SEXTANT PROJECT

A block without a kernel stands in the kernel below. A first line `# options: …` has options of `compile`.
"""

import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

HEAD = """import dataclasses
import math
import quadrants as qd
from quadrants.lang.simt import block, subgroup, grid

F = qd.types.ndarray(dtype=qd.f32, ndim=1)
N = qd.types.ndarray(dtype=qd.i32, ndim=1)
vec2 = qd.types.vector(2, qd.f32)
mat2 = qd.types.matrix(2, 2, qd.f32)
"""
KERNEL = """
@qd.kernel
def k(x: F, y: F, n: N, m: qd.i32):
    for i in range(128):
"""
# What no file raises: mistakes of the compiler or its library, and what an earlier phase finds first. They are those of
# tests/sema/ProblemsTest.cpp, and a --kernel without a kernel, which the command itself reports.
OF_NO_SOURCE = {"other", "internal-library-function", "internal-library-module", "internal-match-bits",
                "internal-missing-value", "internal-body-unread", "internal-kernel-lost", "atomic-cas-on-value",
                "returns-differ", "definition-inside-function", "expression-out-of-place", "jump-outside-loop",
                "nesting-too-deep", "request-of-unknown-kernel", "statement-not-in-kernels"}


def names(project):
    rows = re.findall(r"^PROBLEM\((\w+)\)", (project / "frontend/syntax/Problems.def").read_text(), re.M)
    return {re.sub(r"(?<!^)(?=[A-Z])", "-", row).lower() for row in rows}


def file_of(block):
    if re.search(r"^\s*(@|class |def )", block, re.M):
        return HEAD + "\n" + block
    return HEAD + KERNEL + "".join(f"        {line}\n" if line else "\n" for line in block.splitlines())


def codes(sextant, block):
    """The codes of what a block raises, and all that was said."""
    first = re.match(r"# options: (.*)", block)
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "kernels.py").write_text(file_of(block))
        (pathlib.Path(folder) / "broken.py").write_text("value = 1\n\ndef f(:\n    pass\n")
        (pathlib.Path(folder) / "helper.py").write_text("value = 1\n")
        options = shlex.split(first[1]) if first else []
        if not any(option.startswith("--targets") for option in options):
            options.append("--targets=vulkan:1.1/wave32")
        done = subprocess.run([sextant, "compile", "kernels.py", "--syntax-only", "--diagnostics=json", *options],
                              cwd=folder, capture_output=True, text=True)
    said = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("{")]
    found = {each.get("code") for one in said for each in [one, *one.get("notes", [])]} - {None}
    return found, done.returncode, done.stderr


def check(sextant, name, section):
    blocks = re.findall(r"^```python\n(.*?)^```", section, re.M | re.S)
    if len(blocks) != 2:
        return [f"{name}: {len(blocks)} blocks and not two"]
    faults = []
    found, _, said = codes(sextant, blocks[0])
    if name not in found:
        faults.append(f"{name}: its first block raises {sorted(found)}\n{said}")
    found, status, said = codes(sextant, blocks[1])
    if status or name in found:
        faults.append(f"{name}: its second block does not compile\n{said}")
    return faults


def main(sextant, project):
    project = pathlib.Path(project)
    sections = []
    for page in sorted((project / "docs/messages").glob("*.md")):
        if page.name != "README.md":
            sections += [part.partition("\n")[::2] for part in re.split(r"^## ", page.read_text(), flags=re.M)[1:]]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        faults = sum(pool.map(lambda section: check(sextant, *section), sections), [])
    known, described = names(project) - OF_NO_SOURCE, [name for name, _ in sections]
    faults += [f"{name}: no page" for name in sorted(known - set(described))]
    faults += [f"{name}: no such message" for name in sorted(set(described) - known)]
    faults += [f"{name}: twice" for name in sorted(set(described)) if described.count(name) > 1]
    print(f"{len(sections)} messages of {len(known)}, {len(faults)} faults", *faults, sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
