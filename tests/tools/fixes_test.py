"""Fixes that `--diagnostics=json` has can be applied, and remove the error.

    fixes_test.py SEXTANT PROJECT

The mistakes are those of the table below, which says what the line has to become, and the first examples of all pages
of messages, whose suggestions of names must have edits.
"""

import concurrent.futures
import json
import os
import pathlib
import re
import sys

from messages_test import compiling, file_of, names

# A statement in messages_test's kernel (x, y: F; n: N; m), what it becomes, and whether that is a guess.
LINES = [
    ("x[i] = sqr(y[i])", "x[i] = sqrt(y[i])", None),  # `sqrt` is not a name here: no fix
    ("x[i] = qd.sqr(y[i])", "x[i] = qd.sqrt(y[i])", True),
    ("x[i] = qd.f33(y[i])", "x[i] = qd.f32(y[i])", True),
    ("x[i] = yy[i] + m", "x[i] = y[i] + m", True),
    ("value = 1.0\nx[i] = vlaue", "value = 1.0\nx[i] = value", True),
    ("if m == 1 && i == 2:\n    x[i] = 0.0", "if m == 1 and i == 2:\n    x[i] = 0.0", False),
    ("if m == 1&&i == 2:\n    x[i] = 0.0", "if m == 1 and i == 2:\n    x[i] = 0.0", False),
    ("if m == 1 || i == 2:\n    x[i] = 0.0", "if m == 1 or i == 2:\n    x[i] = 0.0", False),
    ("if m == 1\n    x[i] = 0.0", "if m == 1:\n    x[i] = 0.0", False),
    ("if m == 1  # one\n    x[i] = 0.0", "if m == 1:  # one\n    x[i] = 0.0", False),
    ("for j in range(3)\n    x[i] = 0.0", "for j in range(3):\n    x[i] = 0.0", False),
    ("if m = 1:\n    x[i] = 0.0", "if m == 1:\n    x[i] = 0.0", True),
    ("if m == 1:\n    x[i] = 0.0\nelse if m == 2:\n    x[i] = 1.0",
     "if m == 1:\n    x[i] = 0.0\nelif m == 2:\n    x[i] = 1.0", False),
    ("whlie m == 1:\n    break", "while m == 1:\n    break", True),
    ("forr j in range(3):\n    x[j] = 0.0", "for j in range(3):\n    x[j] = 0.0", True),
    ("if m == 1:\n    x[i] = 0.0\nesle:\n    x[i] = 1.0", "if m == 1:\n    x[i] = 0.0\nelse:\n    x[i] = 1.0", True),
    ("j := 1", "j = 1", False),
    ("x[i] = y[i])", "x[i] = y[i]", True),
    ("x[i] = (y[i + 1)]", "x[i] = (y[i + 1])]", True),
    ("n[i] = y[i] * 0.5", "n[i] = int(y[i] * 0.5)", False),
    ("j = 1\nj = 0.75  # three quarters", "j = 1\nj = int(0.75)  # three quarters", False),
    ("for j in range(2.5):\n    x[j] = 0.0", "for j in range(int(2.5)):\n    x[j] = 0.0", True),
    ("for j in m:\n    x[j] = 0.0", "for j in range(m):\n    x[j] = 0.0", False),
    ("for j in range(3):\n    qd.loop_config(serialise=True)\n    for l in range(3):\n        x[l] = 0.0",
     "for j in range(3):\n    qd.loop_config(serialize=True)\n    for l in range(3):\n        x[l] = 0.0", True),
]


def diagnostics(sextant, block, content, is_whole=False):
    """All objects that compiling says, notes too."""
    done = compiling(sextant, block, is_whole, "--diagnostics=json", content=content)
    said = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("{")]
    return [each for one in said for each in [one, *one.get("notes", [])]]


def applied(content, fix):
    """The bytes after a fix. Each edit's bytes have to be at its lines and columns, too."""
    starts = [0] + [match.end() for match in re.finditer(rb"\r\n|\r|\n", content)]
    for edit in sorted(fix["edits"], key=lambda edit: edit["begin"], reverse=True):
        for key, line, column in [("begin", "line", "column"), ("end", "endLine", "endColumn")]:
            assert starts[edit[line] - 1] + edit[column] - 1 == edit[key], edit
        content = content[:edit["begin"]] + edit["replacement"].encode() + content[edit["end"]:]
    return content


def count(said, code):
    return sum(one.get("code") == code for one in said)


def check_line(sextant, row):
    before, after, is_guess = row
    content = file_of(before)
    said = diagnostics(sextant, before, content)
    fixed = [one for one in said if "fix" in one]
    if is_guess is None:
        return [f"{before!r}: a fix that is not certain: {fixed}"] if fixed else []
    if not fixed:
        return [f"{before!r}: no fix in {said}"]
    fix = fixed[0]["fix"]
    faults = [f"{before!r}: isGuess is {fix['isGuess']}"] if fix["isGuess"] != is_guess else []
    result = applied(content, fix)
    if result != file_of(after):
        faults.append(f"{before!r} becomes\n{result.decode()}")
    return faults


def check_page(sextant, phase, name, block):
    content, is_whole = file_of(block), phase == "Target"
    said = diagnostics(sextant, block, content, is_whole)
    faults = []
    for one in said:
        if re.fullmatch(r"did you mean `[^`@]*`\?", one.get("help", "")) and one.get("file") and "fix" not in one:
            faults.append(f"{name}: no edits for {one['help']}")
        if any(edit["file"] != "kernels.py" for edit in one.get("fix", {}).get("edits", [])) or "fix" not in one:
            continue
        after = diagnostics(sextant, block, applied(content, one["fix"]), is_whole)
        if count(after, one["code"]) >= count(said, one["code"]):
            faults.append(f"{name}: after {one['fix']['edits']} it still says {one['message']}")
    return faults


def main(sextant, project):
    project = pathlib.Path(project)
    known, blocks = names(project), []
    for page in sorted((project / "docs/messages").glob("*.md")):
        for part in re.split(r"^## ", page.read_text(), flags=re.M)[1:]:
            name, _, section = part.partition("\n")
            examples = re.findall(r"^```python\n(.*?)^```", section, re.M | re.S)
            if page.name != "README.md" and known.get(name) != "Command" and examples:
                blocks.append((known.get(name), name, examples[0]))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        faults = sum(pool.map(lambda row: check_line(sextant, row), LINES), [])
        faults += sum(pool.map(lambda row: check_page(sextant, *row), blocks), [])
    print(f"{len(LINES)} lines, {len(blocks)} examples, {len(faults)} faults", *faults, sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
