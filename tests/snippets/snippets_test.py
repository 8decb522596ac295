"""The snippets of the pages do what they say, beside those of the tutorial, the how-tos and the language's page, which
have tests of their own.

    snippets_test.py SEXTANT PROJECT BUILD FOLDER

A frame, a file *.in of frames/, is a program around one snippet. Its first lines say which, and what it needs:

    // snippet: loader-api.md cpp 3      the third block of ```cpp in docs/loader-api.md
    // put: … = 0x01                     text for the next … in the snippet, one line for each
    // compiled: why it does not run here

In the frame, a line SNIPPET is the snippet, and a line INCLUDES its lines that begin with #; without INCLUDES they stay
where they are. All frames in C and C++ are built by one project (CMakeLists.txt) as an application would, and run on the
CPU with what they check. Frames in Python run with the package. Snippets of kernels are compiled, those of CMake
configured, a page at a time, and the manifest is built. Any other snippet fails, unless ELSEWHERE says what tests it.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)
HERE = pathlib.Path(__file__).parent
FRAMES, KERNELS = HERE / "frames", HERE / "kernels.py"
OTHERS = ("tutorial.md", "language.md")  # tests/tools/pages_test.py and language_test.py
ELSEWHERE = {
    ("autodiff.md", "python", 2): "tests/python/test_gradients.py makes such calls",
    ("autodiff.md", "python", 4): "tests/python/test_gradients.py makes such calls",
    ("autodiff.md", "python", 7): "tests/python/test_functions.py, by PyTorch's and JAX's functions",
    ("autodiff.md", "python", 16): "tests/python/test_functions.py, where torch is installed",
    ("autodiff.md", "python", 17): "tests/python/test_functions.py, where JAX is installed",
    ("command.md", "python", 1): "tests/python/test_wheel.py calls functions of a wheel's package",
    ("editors.md", "json", 1): "settings of an editor",
    ("editors.md", "python", 1): "what an editor finds wrong",
    ("freeze.md", "python", 1): "a part of docs/examples/mpm/mpm.frozen, which sextant freeze wrote",
    ("freeze.md", "python", 2): "tests/python/frozen.py",
    ("howto/torch.md", "python", 1): "tests/python/cuda_streams.py",
}


def snippets(project):
    """(page, language, number): text. Blocks with a file's name, and what consoles print, are of pages_test.py."""
    found = {}
    for page in [project / "README.md", *sorted((project / "docs").glob("*.md")), project / "docs/howto/torch.md"]:
        name = str(page.relative_to(project)).removeprefix("docs/")
        counts = {}
        for language, text in BLOCK.findall(page.read_text()):
            counts[language] = counts.get(language, 0) + 1
            if name not in OTHERS and language != "console":
                found[name, language, counts[language]] = text
    return found


def framed(frame, texts):
    """A frame's snippet, and its text around it."""
    lines = frame.read_text().split("\n")
    settings = [found.groups() for found in (re.match(r"(?://|#) (snippet|put|compiled): (.*)", line) for line in lines)
                if found]
    page, language, number = dict(settings)["snippet"].split()
    key = (page, language, int(number))
    text = texts[key]
    for word, value in settings:
        if word == "put":
            text = text.replace("…", value, 1)
    top = [line for line in text.split("\n") if line.startswith("#")] if "INCLUDES" in lines else []
    body = [line for line in text.split("\n") if line not in top]
    out = []
    for line in lines:
        if line.strip() == "SNIPPET":
            indent = line[:line.index("SNIPPET")]
            out += [indent + each if each else each for each in body]
        elif line == "INCLUDES":
            out += top
        else:
            out.append(line)
    return key, "\n".join(out), "compiled" in dict(settings)


def run(command, folder, **environment):
    done = subprocess.run([str(each) for each in command], cwd=folder, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, env={**os.environ, **environment})
    return "" if done.returncode == 0 else f"$ {' '.join(map(str, command))}\n{done.stdout[-3000:]}"


def compile_kernels(texts, folder, sextant):
    """Compiles each snippet of kernels by itself. Returns their keys, and the faults."""
    keys = [key for key in sorted(texts) if key[1] == "python" and "import quadrants as qd" in texts[key]]
    faults = []
    for page, _, number in keys:
        name = f"{page.removesuffix('.md').lower()}_{number}"
        (folder / f"{name}.py").write_text(texts[page, "python", number])
        faults.append(run([sextant, "compile", f"{name}.py", "--targets=cpu", "-o", f"{name}.sxt"], folder))
    return keys, faults


def build_manifest(text, folder, project, sextant):
    """Builds a manifest over the examples that it names."""
    shutil.copytree(project / "docs/examples/pages", folder / "pages")
    shutil.copy(project / "docs/examples/saxpy.py", folder)
    (folder / "sextant.toml").write_text(text)
    return run([sextant, "compile", "--manifest", "sextant.toml"], folder)


def configure(page, blocks, folder, build):
    """Configures a project with all that a page says to CMake; its kernels and programs are those of this folder."""
    project = folder / f"cmake-{page.removesuffix('.md')}"
    project.mkdir()
    for name in ("app_kernels.py", "mpm.frozen"):
        (project / name).symlink_to(folder / name)
    shutil.copy(KERNELS, project)
    (project / "tuning.txt").touch()
    (project / "main.c").write_text("int main(void) { return 0; }\n")
    (project / "CMakeLists.txt").write_text("\n".join([
        "cmake_minimum_required(VERSION 3.25)", f"project({project.stem.split('-')[1]} C CXX)", "find_package(Sextant REQUIRED)",
        "include(GNUInstallDirs)", "add_executable(app main.c)", "add_executable(scaler main.c)", *blocks]))
    return run(["cmake", "-S", ".", "-B", "build", "-G", "Ninja", f"-DSextant_DIR={build}"], project)


def main(sextant, project, build, folder):
    project, build, folder = (pathlib.Path(each).resolve() for each in (project, build, folder))
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(FRAMES, folder, ignore=shutil.ignore_patterns("*.in"))
    found, programs, scripts = snippets(project), [], []
    left = {key for key in found if key not in ELSEWHERE}
    for frame in sorted(FRAMES.glob("*.in")):
        key, text, only_compiled = framed(frame, found)
        left.discard(key)
        made = folder / frame.stem
        made.write_text(text)
        if made.suffix == ".py":
            scripts.append(made.name)
        elif not only_compiled:
            programs.append(made.stem)
    keys, faults = compile_kernels({key: found[key] for key in left}, folder, sextant)
    left -= set(keys)
    left.discard(("manifest.md", "toml", 1))
    faults.append(build_manifest(found["manifest.md", "toml", 1], folder / "manifest", project, sextant))
    # Programs, as an application builds them.
    shutil.copytree(project / "docs/examples/mpm/mpm.frozen", folder / "mpm.frozen")
    for page in sorted({page for page, language, _ in left if language == "cmake"}):
        faults.append(configure(page, [found[key] for key in sorted(left) if key[:2] == (page, "cmake")], folder, build))
    left = {key for key in left if key[1] != "cmake"}
    faults.append(run(["cmake", "-S", ".", "-B", "build", "-G", "Ninja", f"-DSextant_DIR={build}",
                       f"-DCMAKE_CXX_COMPILER={os.environ.get('CXX', 'c++')}"], folder) or
                  run(["cmake", "--build", "build"], folder))
    if not any(faults):
        for name in programs:
            faults.append(run([folder / "build" / name], folder / "build", SEXTANT_DEVICE="cpu"))
        for module in ("app.sxt", "springs.sxt"):
            shutil.copy(folder / "build" / module, folder)
        for name in scripts:
            faults.append(run([sys.executable, "-B", name], folder, SEXTANT_DEVICE="cpu"))
    faults = [fault for fault in faults if fault]
    faults += [f"{page}: no frame has the block {language} {number}: add one to tests/snippets/frames"
               for page, language, number in sorted(left)]
    print(f"{len(found)} snippets, {len(programs)} programs ran, {len(faults)} faults", *faults, sep="\n")
    return 1 if faults or len(programs) < 10 else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
