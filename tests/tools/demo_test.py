"""The targets that `./dev demo` builds are all that an installation, and the build tree as a package, consist of.

    demo_test.py PROJECT BUILD NINJA

CI also follows the pages from the state that the demo leaves (.ci/run). This test finds what is missing in a build
folder where everything is built: it asks ninja.
"""

import pathlib
import re
import subprocess
import sys


def demo_targets(project):
    """The targets that the script's demo() builds."""
    demo = re.search(r"^demo\(\) \{\n(.*?)^\}", (project / "dev").read_text(), re.M | re.S)[1]
    return re.search(r"^  build release (.+)$", demo, re.M)[1].split()


def named_files(build):
    """The files of the build folder that the install scripts and the build tree's package name."""
    scripts, found = [build / "cmake_install.cmake"], set()
    while scripts:
        text = scripts.pop().read_text()
        scripts += map(pathlib.Path, re.findall(r'include\("([^"]+/cmake_install\.cmake)"\)', text))
        for call in re.findall(r"file\(INSTALL ([^)]*)\)", text):
            if " OPTIONAL " not in call:
                found.update(re.findall(r'"([^"]+)"', call))
    for package in ("SextantTargets.cmake", "SextantCommand.cmake"):
        found.update(re.findall(r'IMPORTED_LOCATION\w* "([^"]+)"', (build / package).read_text()))
    return {str(pathlib.Path(path).relative_to(build)) for path in found if path.startswith(f"{build}/")}


def ninja_lines(ninja, build, *arguments):
    done = subprocess.run([ninja, "-C", build, "-t", *arguments], check=True, text=True, capture_output=True)
    return done.stdout.splitlines()


def files_of(ninja, build, target):
    """The files that a target makes: itself, or what it is another name for."""
    lines = ninja_lines(ninja, build, "query", target)
    if "  input: phony" not in lines:
        return {target}
    inputs = [line.lstrip(" |") for line in lines[2:lines.index("  outputs:")]]
    return set().union(*(files_of(ninja, build, each) for each in inputs))


def main(project, build, ninja):
    project, build = pathlib.Path(project), pathlib.Path(build)
    made = {line.rpartition(": ")[0] for line in ninja_lines(ninja, build, "targets", "all")}
    needed = {path for path in named_files(build) & made if not (build / path).is_symlink()}
    asked = set().union(*(files_of(ninja, build, target) for target in demo_targets(project)))
    built = asked | set(ninja_lines(ninja, build, "inputs", *asked))
    missing = sorted(needed - built)
    print(f"{len(needed)} files are needed; the demo builds {len(needed) - len(missing)}", *missing, sep="\n")
    return 1 if missing or len(needed) < 4 else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
