"""With --diagnostics=json every line on stderr is an object, whatever goes wrong; and no source writes there otherwise.

    json_lines.py SEXTANT PROJECT
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

KERNEL = "import quadrants as qd\n\n@qd.kernel\ndef k(x: qd.types.ndarray(qd.f32, 1)):\n    for i in x:\n        x[i] = 1.0\n"
MANIFEST = '[module.app]\nsources = ["k.py"]\nouput = "app.sxt"\n'
# Command lines that fail, and what their fix writes in place of what, if they have one.
FAILING = [
    ("", None), ("comple k.py", ("comple", "compile")), ("compile", None), ("compile k.py ''", None),
    ("compile k.py --kep-going", ("--kep-going", "--keep-going")), ("compile k.py --compress=none2", ("none2", "none")),
    ("compile k.py --color=allways", ("allways", "always")), ("compile k.py -O4", ("4", "3")), ("compile k.py -O 5", ("5", "3")),
    ("compile k.py -Wlossy-stor", ("lossy-stor", "lossy-store")), ("compile k.py -W no-cash", ("cash", "cache")),
    ("compile k.py -Werror=cach", ("cach", "cache")), ("compile cach -Wcach", ("cach", "cache")),
    ("completions bsh", ("bsh", "bash")), ("message not-callble", ("not-callble", "not-callable")),
    ("run k.sxt k xx=1 x=iota:f32[8] --device=cpu", ("xx", "x")),
    ("compile nowhere.py", None), ("compile .", None), ("compile k.py -t vulkan:7.7", None), ("compile @nowhere", None),
    ("compile k.py -Wno-lossy", ("lossy", "lossy-store")), ("compile k.py -o .", None), ("compile wrong.py", None),
    ("compile --manifest sextant.toml", ("ouput", "output")), ("inspect k.py", None), ("inspect nowhere", None),
    ("explain k.sxt --as metal:9.9", None), ("run k.sxt j", None), ("run k.sxt k y=1 --device cpu", None),
    ("run k.sxt k --device cup", None), ("run k.sxt k x=iota:f32[8] --device cup", ("cup", "cpu")), ("freeze nowhere.py -o f.sxt", None), ("message nothing", None),
    ("inspect k.sxt >/dev/full", None),
]
# Files that write to stderr: messages, text that JSON leaves out, and the end of a process.
WRITERS = {"driver/commands/Messages.cpp", "driver/commands/CompileCommand.cpp", "driver/commands/Process.cpp",
           "driver/Driver.cpp", "driver/End.cpp", "driver/main.cpp"}


def main(sextant, project):
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        (place / "k.py").write_text(KERNEL)
        (place / "wrong.py").write_text(KERNEL + "        x[y] = 2.0\n")
        (place / "sextant.toml").write_text(MANIFEST)
        subprocess.run([sextant, "compile", "k.py", "-t", "cpu"], cwd=folder, check=True)

        def said(words):
            done = subprocess.run(f"'{sextant}' {words} --diagnostics=json", shell=True, cwd=folder, text=True,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            return done.returncode, done.stderr

        for words, fix in FAILING:
            status, text = said(words)
            try:
                objects = [json.loads(line) for line in text.splitlines()]
            except json.JSONDecodeError:
                faults.append(f"{words}: not JSON: {text}")
                continue
            if status == 0 or not any(one["severity"] == "error" and one["code"] for one in objects):
                faults.append(f"{words}: status {status}, and {text}")
            edits = [edit for one in objects for edit in one.get("fix", {}).get("edits", [])]
            if fix and [(edit["end"] - edit["begin"], edit["replacement"]) for edit in edits] != [(len(fix[0]), fix[1])]:
                faults.append(f"{words}: edits {edits}")
        status, text = said("compile k.py -t cpu -v --progress")
        if status or not all(json.loads(line) for line in text.splitlines()):
            faults.append(f"progress: {text}")
    for path in sorted((pathlib.Path(project) / "driver").rglob("*.cpp")):
        name = str(path.relative_to(project))
        if name not in WRITERS and re.search(r"environment\.err\b|std::cerr|fputs|STDERR_FILENO|llvm::errs", path.read_text()):
            faults.append(f"{name} writes to stderr by itself")
    print(f"{len(FAILING)} command lines, {len(faults)} faults", *faults, sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
