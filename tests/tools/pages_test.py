"""The pages that teach do what they say: their files and commands, in the order of the page.

    pages_test.py SEXTANT PROJECT FOLDER [PICTURE]

In the pages, a block whose first line names a file (```python waves.py) is that file. In a block
```console, lines with `$ ` are commands and the others what they print, where … is any text. Each page
has an empty folder in FOLDER. PICTURE gets what the tutorial drew.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.M | re.S)


def matches(wanted, printed):
    pattern = ".*".join(re.escape(part) for part in wanted.strip().split("…"))
    return re.fullmatch(pattern, printed.strip(), re.S) is not None


def commands(block):
    """Pairs of a command and what it prints."""
    for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
        command, _, printed = part.partition("\n")
        yield command, printed


def run_page(page, folder, path):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    count, faults = 0, []
    for language, name, text in BLOCK.findall(page.read_text()):
        if name:
            (folder / name).write_text(text)
        elif language == "console":
            for command, wanted in commands(text):
                done = subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True, text=True,
                                      env={**os.environ, "PATH": path})
                count += 1
                if done.returncode or not matches(wanted, done.stdout):
                    faults.append(f"{page.name}: $ {command}\n{done.stdout}{done.stderr}")
                    return count, faults
    return count, faults


def main(sextant, project, folder, picture=None):
    path = f"{pathlib.Path(sextant).parent}:{os.environ['PATH']}"
    docs, folder = pathlib.Path(project) / "docs", pathlib.Path(folder)
    total, faults = 0, []
    for page in [docs / "tutorial.md", docs / "site/index.md", *sorted((docs / "howto").glob("*.md"))]:
        count, found = run_page(page, folder / page.stem, path)
        total += count
        faults += found
    print(f"{total} commands, {len(faults)} faults", *faults, sep="\n")
    if picture and not faults:
        shutil.copy(folder / "tutorial/waves.png", picture)
    return 1 if faults or total < 20 else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
