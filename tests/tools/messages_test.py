"""The pages of messages are complete and true: each mistake that has a name has a section in docs/messages, whose first
block raises it and whose second block does not. Fixes of the first block can be applied, and remove the error. Each
warning has a row in docs/command.md.

    messages_test.py SEXTANT PROJECT

A block of Python without a kernel stands in the kernel below. First lines `# options: …` and `# environment: …` have
options and variables of `compile`; with a first line `# prints the kernels` a block is a program that does. What only
code for a target shows is compiled to the end. A block ```console runs in a folder with the file that command.md shows,
and its module: `$ ` begins a command, other lines are what it prints, where … is any text.
"""

import concurrent.futures
import itertools
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
# No file raises these: what has no name, mistakes of the compiler or its library, and what an earlier phase finds first.
OF_NO_SOURCE = {"other", "atomic-cas-on-value", "block-dim-beyond-target", "expression-out-of-place", "returns-differ"}


def in_kebab_case(name):
    return re.sub(r"(?<!^)(?=[A-Z])", "-", name).lower()


def rows_of(project):
    return (project / "frontend/problems/Problems.def").read_text()


def names(project):
    """The names of mistakes, each with its phase."""
    rows = re.findall(r"^(?:PROBLEM\((\w+), |OPERANDS\()(\w+)\)", rows_of(project), re.M)
    known = {in_kebab_case(name): phase or "Sema" for phase, name in rows}
    return {name: phase for name, phase in known.items()
            if name not in OF_NO_SOURCE and not name.startswith("internal-")}


def warnings(project):
    """The names of warnings, by the compiler's list and by the page's."""
    rows = re.findall(r"^WARNING\((\w+)\)", rows_of(project), re.M)
    page = (project / "docs/command.md").read_text().split("| name | says |\n", 1)[1].split("\n\n", 1)[0]
    return [in_kebab_case(name) for name in rows], re.findall(r"^\| `([\w-]+)` \|", page, re.M)


def file_of(block):
    """The bytes of the file that a block is."""
    if block.startswith("# prints the kernels\n"):
        return HEAD.encode() + subprocess.run([sys.executable, "-c", block], capture_output=True, check=True).stdout
    return text_of(block).encode()


def text_of(block):
    if re.search(r"^\s*(@|class |def )", block, re.M):
        return HEAD + "\n" + block
    return HEAD + KERNEL + "".join(f"        {line}\n" if line else "\n" for line in block.splitlines())


def objects_of(text):
    """The messages and their notes among lines of JSON."""
    said = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
    return [each for one in said for each in [one, *one.get("notes", [])]]


def said_by(text):
    """The codes of the messages among lines of JSON."""
    return {one.get("code") for one in objects_of(text)} - {None}


def applied(content, fix):
    """The bytes after a fix. Each edit's bytes have to be at its lines and columns, too."""
    starts = [0] + [match.end() for match in re.finditer(rb"\r\n|\r|\n", content)]
    for edit in sorted(fix["edits"], key=lambda edit: edit["begin"], reverse=True):
        for key, line, column in [("begin", "line", "column"), ("end", "endLine", "endColumn")]:
            assert starts[edit[line] - 1] + edit[column] - 1 == edit[key], edit
        content = content[:edit["begin"]] + edit["replacement"].encode() + content[edit["end"]:]
    return content


def compiling(sextant, block, is_whole, *how, content=None):
    """Compiles a block, or other bytes in its place, with further options, and returns the ended process."""
    first = dict(re.findall(r"^# (options|environment): (.*)$", block, re.M))
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "kernels.py").write_bytes(file_of(block) if content is None else content)
        (pathlib.Path(folder) / "broken.py").write_text("value = 1\n\ndef f(:\n    pass\n")
        (pathlib.Path(folder) / "helper.py").write_text("value = 1\n")
        options = shlex.split(first.get("options", ""))
        if not any(option.startswith("--targets") for option in options):
            options.append("--targets=vulkan:1.1/wave32")
        if not is_whole:
            options.append("--syntax-only")
        variables = dict(word.split("=", 1) for word in shlex.split(first.get("environment", "")))
        return subprocess.run([sextant, "compile", "kernels.py", *how, *options], cwd=folder, capture_output=True,
                              text=True, env={**os.environ, **variables})


def compiled(sextant, block, is_whole):
    """Compiles a block. Returns what that says as codes, whether it fails, and all that it says."""
    done = compiling(sextant, block, is_whole, "--diagnostics=json")
    return said_by(done.stderr), done.returncode != 0, done.stderr


def run(sextant, block, kernels):
    """Runs the commands of a block. Returns their codes, whether the last fails, and what differs from the page."""
    wanted, commands = [], []
    for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
        command, _, printed = part.partition("\n")
        commands.append(command)
        wanted.append(printed)
    pattern = ".*".join(re.escape(part) for part in "".join(wanted).strip().split("…"))
    # Once as the page has it, and once for the codes.
    for how in ["", 'sextant() { command sextant "$@" --diagnostics=json; }; ']:
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "kernels.py").write_text(kernels)
            bare = {name: value for name, value in os.environ.items() if not name.startswith("SEXTANT_")}
            start = {"cwd": folder, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True,
                     "env": {**bare, "PATH": f"{pathlib.Path(sextant).resolve().parent}:{os.environ['PATH']}"}}
            subprocess.run([sextant, "compile", "kernels.py", "-o", "app.sxt"], check=True, **start)
            done = subprocess.run(["bash", "-c", how + "\n".join(commands)], **start)
        if not how and not re.fullmatch(pattern, done.stdout.strip(), re.S):
            return set(), True, f"the page has another text:\n{done.stdout}"
    return said_by(done.stdout), done.returncode != 0, done.stdout


def check_fixes(sextant, name, block, is_whole, text):
    """Each fix of what compiling the block says has to remove its error, and suggested names have to have edits."""
    said, content, faults = objects_of(text), file_of(block), []
    for one in said:
        if re.fullmatch(r"did you mean `[^`@]*`\?", one.get("help", "")) and one.get("file") and "fix" not in one:
            faults.append(f"{name}: no edits for {one['help']}")
        if "fix" not in one or any(edit["file"] != "kernels.py" for edit in one["fix"]["edits"]):
            continue
        done = compiling(sextant, block, is_whole, "--diagnostics=json", content=applied(content, one["fix"]))
        left = sum(other.get("code") == one["code"] for other in objects_of(done.stderr))
        if left >= sum(other.get("code") == one["code"] for other in said):
            faults.append(f"{name}: after {one['fix']['edits']} it still says {one['message']}")
    return faults


def check(sextant, phase, name, section, kernels):
    language = "console" if phase == "Command" else "python"
    blocks = re.findall(rf"^```{language}\n(.*?)^```", section, re.M | re.S)
    if len(blocks) != 2:
        return [f"{name}: {len(blocks)} blocks and not two"]
    faults = []
    for block, is_cured in zip(blocks, [False, True]):
        if phase == "Command":
            found, fails, said = run(sextant, block, kernels)
        else:
            found, fails, said = compiled(sextant, block, phase == "Target")
        if not is_cured and phase != "Command":
            faults += check_fixes(sextant, name, block, phase == "Target", said)
        if not is_cured and name not in found:
            faults.append(f"{name}: its first block raises {sorted(found)}\n{said}")
        if is_cured and (fails or name in found):
            faults.append(f"{name}: its second block fails\n{said}")
    return faults


def main(sextant, project):
    project = pathlib.Path(project)
    known, sections = names(project), []
    kernels = re.search(r"^```python\n(.*?)^```", (project / "docs/messages/command.md").read_text(), re.M | re.S)[1]
    for page in sorted((project / "docs/messages").glob("*.md")):
        if page.name != "README.md":
            sections += [part.partition("\n")[::2] for part in re.split(r"^## ", page.read_text(), flags=re.M)[1:]]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        faults = sum(pool.map(lambda one: check(sextant, known.get(one[0]), *one, kernels), sections), [])
    described = [name for name, _ in sections]
    faults += [f"{name}: no page" for name in sorted(set(known) - set(described))]
    faults += [f"{name}: no such message" for name in sorted(set(described) - set(known))]
    faults += [f"{name}: twice" for name in sorted(set(described)) if described.count(name) > 1]
    listed, described = warnings(project)
    faults += [f"{name}: a warning in Problems.def or in docs/command.md, not in both, or not in the same order"
               for name, other in itertools.zip_longest(listed, described) if name != other]
    print(f"{len(sections)} messages of {len(known)}, {len(faults)} faults", *faults, sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
