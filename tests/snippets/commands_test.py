"""The commands that pages show in passing run: lines that are indented by four and begin with `sextant`.

    commands_test.py SEXTANT PROJECT FOLDER

Each page has a folder with the modules and kernel files that its commands name, and its commands run there in the order
of the page. The pages that are run as they are have a test of their own (tests/tools/pages_test.py). Without ptxas,
commands that look for machine code for NVIDIA in a module are left out, which is said.
"""
import os
import pathlib
import re
import shutil
import sys

from snippets_test import KERNELS, run

TARGETS = "cpu,sm_90,sm_80,compute_80,gfx1100/wave32,gfx11-generic,vulkan"
NOT_HERE = {  # text of a command: why it does not run
    "sextant freeze": "it runs a program of Quadrants: tests/python/frozen.py",
    "--device hip": "it needs an AMD GPU: tests/driver/bench-amd.sh",
    "--device cuda:0": "it needs an NVIDIA GPU",
    "y=y.npy …": "the rest of the line is left out",
    "n=1000000 …": "the rest of the line is left out; docs/command.md has it whole",
}
COMMAND = re.compile(r"^    (?:\$ )?(sextant (?:.*\\\n)*.*|openssl .*)$", re.M)


def shell(command, folder, path):
    return run(["bash", "-c", command], folder, PATH=path, HOME=str(folder))


def needs_ptxas(command):
    return "--as=fatbin" in command or (command.startswith(("sextant extract", "sextant verify")) and "sm_" in command)


def prepare(folder, project, path):
    """Makes what commands of all pages find."""
    folder.mkdir(parents=True)
    shutil.copy(KERNELS, folder)
    examples = folder / "docs/examples"  # for the manifest
    shutil.copytree(project / "docs/examples/pages", examples / "pages")
    for name in ("saxpy.py", "sextant.toml"):
        shutil.copy(project / "docs/examples" / name, examples)
    for page, name in (("tuning", "scale"), ("autodiff", "energy")):
        text = (project / f"docs/{page}.md").read_text()
        (folder / f"{name}.py").write_text(re.search(r"^```python\n(.*?)^```$", text, re.M | re.S).group(1))
    (folder / "scene.json").write_text("{}\n")
    for place in (".local/share/bash-completion/completions", ".zfunc", ".config/fish/completions"):
        (folder / place).mkdir(parents=True)
    return shell(f"sextant compile kernels.py -o app.sxt -t {TARGETS} --attach scene.json=scene.json "
                 "--kernel 'scan[dtype=qd.i32, n=256] as scan' && "
                 "for name in old new last-release scaler_kernels; do cp app.sxt $name.sxt; done", folder, path)


def main(sextant, project, folder):
    project, folder = pathlib.Path(project), pathlib.Path(folder).resolve()
    path = f"{pathlib.Path(sextant).resolve().parent}:{os.environ['PATH']}"
    shutil.rmtree(folder, ignore_errors=True)
    first = folder / "prepared"
    ran, left, faults = 0, [], [prepare(first, project, path)]
    docs = project / "docs"
    pages = [project / "README.md", *sorted(docs.glob("*.md")), *sorted(docs.glob("language/*.md"))]
    for page in pages:
        here = folder / page.stem
        for command in COMMAND.findall(page.read_text()):
            if page.stem == "tutorial" or any(text in command for text in NOT_HERE):
                continue
            if needs_ptxas(command) and not shutil.which("ptxas"):
                left.append(command)
                continue
            if not here.exists():
                shutil.copytree(first, here)
            faults.append(shell(re.sub(r" \| man -l -$", " | cat", command).replace("FOLDER", "pages"), here, path))
            if "-o app.sxt" in command:  # the page goes on with another module of that name
                shutil.copy(first / "app.sxt", here)
            ran += 1
    faults = [fault for fault in faults if fault]
    print(f"{ran} commands, {len(left)} left out without ptxas, {len(faults)} faults", *faults, sep="\n")
    return 1 if faults or ran < 30 else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
