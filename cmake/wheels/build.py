"""Builds the wheels of `./dev wheel`: build.py BUILD OUT [PLATFORM…]

BUILD is a build folder with the target sextant-portable built. Wheels go to OUT, what is needed on the way to
BUILD/wheels. PLATFORM is a word such as manylinux_x86_64; without any, all of PLATFORMS. It runs in the environment
of requirements.txt. Prints a line for each wheel, and for each that cannot be built here.
"""
import hashlib
import base64
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile

SOURCES = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCES / "cmake/hosts"))
import libraries
VERSION = re.search(r"project\(Sextant VERSION ([0-9.]+)", (SOURCES / "CMakeLists.txt").read_text())[1]
BACKEND = ["scikit-build-core==1.1.2", "nanobind==3.1.0", "cmake==3.31.6", "ninja==1.11.1.4"]

# The platforms of the loader: Zig's target, our word, Python's, and the ending of its modules. auditwheel finds the
# oldest C library that a wheel runs with, which the tag of the wheel names.
PLATFORMS = [
    ("x86_64-linux-gnu.2.28", "manylinux_x86_64", "linux-x86_64", "x86_64-linux-gnu"),
    ("aarch64-linux-gnu.2.28", "manylinux_aarch64", "linux-aarch64", "aarch64-linux-gnu"),
    ("x86_64-linux-musl", "musllinux_x86_64", "linux-x86_64", "x86_64-linux-musl"),
    ("aarch64-linux-musl", "musllinux_aarch64", "linux-aarch64", "aarch64-linux-musl"),
]
# From 3.12 on one wheel serves all versions.
PYTHONS = ["3.12", "3.11", "3.10"]


def run(*command, **variables):
    """Runs a command; the end of its output is shown if it fails."""
    done = subprocess.run([str(each) for each in command], env={**os.environ, **variables}, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        sys.exit(f"{done.stdout[-4000:]}\n{' '.join(str(each) for each in command)}: status {done.returncode}")
    return done.stdout


def find_python(version):
    """Returns an interpreter with headers, of PATH or pyenv; None if there is none."""
    found = [shutil.which("python" + version)]
    found += sorted(pathlib.Path.home().glob(f".pyenv/versions/{version}.*/bin/python"), reverse=True)
    for python in filter(None, found):
        asked = "import sys, sysconfig; print(*sys.version_info[:2], sep='.'); print(sysconfig.get_path('include'))"
        done = subprocess.run([python, "-c", asked], text=True, capture_output=True)
        lines = done.stdout.splitlines()
        if done.returncode == 0 and lines[0] == version and (pathlib.Path(lines[1]) / "Python.h").exists():
            return python
    return None


class Loader:
    """Builds sextant-kernels-loader for one platform after the other, by Zig."""

    def __init__(self, work, out):
        self.work, self.out = work, out

    def settings(self, target):
        """Returns CMake's definitions for a platform, and makes the libraries for it."""
        (self.work / target).mkdir(parents=True, exist_ok=True)
        prefix = self.work / target / "libraries"
        libraries.prepare(self.work / "sources", prefix, [sys.executable, "-m", "ziglang", "cc", "-target", target])
        return [f"-DCMAKE_TOOLCHAIN_FILE={SOURCES}/cmake/hosts/zig.cmake", f"-DCMAKE_FIND_ROOT_PATH={prefix}",
                "-DCMAKE_DISABLE_FIND_PACKAGE_zstd=ON", "-DSEXTANT_LD=", "-DSEXTANT_LLD_LTO=OFF",
                "-DCMAKE_SHARED_LINKER_FLAGS=-s", "-DCMAKE_MODULE_LINKER_FLAGS=-s"]

    def environment(self, version):
        """Returns an interpreter of that version that has the build backend; None if none is here."""
        folder = self.work / f"python{version}"
        if not folder.exists():
            python = find_python(version)
            if python is None:
                return None
            run(python, "-m", "venv", folder)
            run(folder / "bin/python", "-m", "pip", "install", *BACKEND)
        return folder / "bin/python"

    def build(self, version, target, word, platform, ending):
        """Builds one wheel and returns its file; None if no interpreter of that version is here."""
        python = self.environment(version)
        if python is None:
            return None
        plain = self.work / target / "plain"
        shutil.rmtree(plain, ignore_errors=True)
        # One build folder a platform: the loader in it is compiled once.
        run(python, "-m", "pip", "wheel", SOURCES / "loader/python", "--no-deps", "--no-build-isolation", "-w", plain,
            f"--config-settings=build-dir={self.work}/{target}/build",
            CMAKE_ARGS=" ".join(self.settings(target)), SEXTANT_ZIG_PYTHON=sys.executable, SEXTANT_ZIG_TARGET=target,
            SETUPTOOLS_EXT_SUFFIX=f".cpython-{version.replace('.', '')}-{ending}.so",
            _PYTHON_HOST_PLATFORM=platform)
        name = repair if word.startswith("manylinux") else name_musl
        return name(next(plain.glob("*.whl")), word, self.out)

    def shared_library(self):
        """Builds the shared loader for the wheel of the command, of the objects of a wheel of the loader that was
        built, and returns its file."""
        target = PLATFORMS[0][0]
        run("cmake", "--build", self.work / target / "build", "--target", "sextant_loader",
            SEXTANT_ZIG_PYTHON=sys.executable, SEXTANT_ZIG_TARGET=target)
        return next((self.work / target / "build").rglob("libsextant_loader.so.0")).resolve()


def repair(wheel, platform, out):
    """Has auditwheel check that the wheel needs nothing but the C library, and name it by the tag that it finds."""
    folder = wheel.parent / "repaired"
    run(sys.executable, "-m", "auditwheel", "repair", "--plat", "auto", "--only-plat", "-w", folder, wheel,
        PATH=f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}")
    made = next(folder.glob("*.whl"))
    family, machine = platform.split("_", 1)
    # For glibc 2.17 the older name of the tag stands beside it: manylinux2014_x86_64.manylinux_2_17_x86_64.
    if not re.search(rf"-({family}[0-9]+_{machine}\.)?{family}_[0-9]+_[0-9]+_{machine}\.whl$", made.name):
        sys.exit(f"{made.name} is not a wheel for {platform}")
    return pathlib.Path(shutil.copy2(made, out))


def name_musl(wheel, platform, out):
    """Does the same for musl, which auditwheel only knows on machines that run it: the wheel may need only libc.so."""
    root = wheel.parent / "musl"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(root)
    for library in root.rglob("*.so"):
        needed = re.findall(r"NEEDED.*\[(.*)\]", run("readelf", "-d", library))
        if needed != ["libc.so"]:
            sys.exit(f"{wheel.name}: {library.name} needs {', '.join(needed)}")
        library.chmod(0o755)
    info = next(root.glob("*.dist-info"))
    tag = platform.replace("_", "_1_2_", 1)  # the version of musl that Zig has
    before = wheel.stem.rsplit("-", 1)[1]
    (info / "WHEEL").write_text((info / "WHEEL").read_text().replace(f"-{before}", f"-{tag}"))
    (info / "RECORD").unlink()
    pack(root, info, out / wheel.name.replace(before, tag))
    return out / wheel.name.replace(before, tag)


def stage(build, folder, shared):
    """Installs the command and its CMake package as a wheel has them, and returns the two roots."""
    plain = folder / "plain"
    run("cmake", "--install", build, "--prefix", plain)
    name = f"sextant_kernels-{VERSION}"
    scripts, data = folder / "wheel" / f"{name}.data/scripts", folder / "wheel" / f"{name}.data/data"
    scripts.mkdir(parents=True)
    shutil.copy2(build / "driver/sextant-portable", scripts / "sextant")
    shutil.copytree(plain / "include", data / "include")
    shutil.copytree(plain / "lib/cmake", data / "lib/cmake")
    shutil.copy2(plain / "lib/libsextant_loader.a", data / "lib")
    # A wheel has no links: the library lies under the name that programs look for.
    shutil.copy2(shared, data / "lib/libsextant_loader.so.0")
    for file in (data / "lib/cmake/Sextant").glob("SextantTargets-*.cmake"):
        file.write_text(re.sub(r"libsextant_loader\.so\.[0-9.]+", "libsextant_loader.so.0", file.read_text()))
    shutil.copytree(plain / "share/doc", data / "share/doc")
    share = data / "share/sextant"
    ocml = next(pathlib.Path("/usr/lib").glob("*/amdgcn/bitcode/ocml.bc"))
    (share / "amdgcn/bitcode").mkdir(parents=True)
    shutil.copy2(ocml, share / "amdgcn/bitcode/ocml.bc")
    return folder / "wheel", name


LICENSES = ["llvm-19-dev", "libmlir-19-dev", "libmpfr-dev", "libgmp-dev", "libsodium-dev", "libzstd-dev", "zlib1g-dev",
            "spirv-tools", "libspirv-cross-c-shared-dev", "libncurses-dev", "rocm-device-libs", "libstdc++-12-dev"]


def put_metadata(root, name):
    """Writes METADATA, WHEEL and the licenses of what is inside, each with the version of its sources."""
    info = root / f"{name}.dist-info"
    (info / "licenses").mkdir(parents=True)
    shutil.copy2(SOURCES / "LICENSE", info / "licenses")
    for package in LICENSES:
        text = pathlib.Path("/usr/share/doc", package, "copyright")
        if text.exists():
            source = run("dpkg-query", "-W", "-f=${source:Package} ${source:Version}", package)
            (info / "licenses" / f"{package}.txt").write_text(f"Debian source package {source}\n\n"
                                                              + text.read_text(errors="replace"))
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: sextant-kernels\nVersion: {VERSION}\n"
        "Summary: Compiles GPU and CPU kernels ahead of time, for every architecture, into one file\n"
        "License: Apache-2.0 WITH LLVM-exception\nRequires-Python: >=3.10\n"
        f"Requires-Dist: sextant-kernels-loader=={VERSION}\n")
    for license in ("GPL-3", "LGPL-3"):  # which those of MPFR and GMP refer to
        shutil.copy2(pathlib.Path("/usr/share/common-licenses", license), info / "licenses")
    # The platform's tag is auditwheel's business.
    (info / "WHEEL").write_text(f"Wheel-Version: 1.0\nGenerator: sextant {VERSION}\nRoot-Is-Purelib: false\n"
                                f"Tag: py3-none-{sysconfig.get_platform().replace('-', '_')}\n")
    return info


def pack(root, info, file):
    """Writes the archive with RECORD. Programs keep their mode."""
    record = []
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path in sorted(path for path in root.rglob("*") if path.is_file()):
            member = zipfile.ZipInfo(path.relative_to(root).as_posix())
            member.external_attr = (0o100755 if os.access(path, os.X_OK) else 0o100644) << 16
            member.compress_type = zipfile.ZIP_DEFLATED
            content = path.read_bytes()
            archive.writestr(member, content, compresslevel=9)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
            record.append(f"{member.filename},sha256={digest},{len(content)}\n")
        name = (info / "RECORD").relative_to(root).as_posix()
        archive.writestr(zipfile.ZipInfo(name), "".join(record) + f"{name},,\n")


def build_command(build, out, loader):
    """Builds the wheel of the command, and returns its file."""
    folder = build / "wheels/command"
    shutil.rmtree(folder, ignore_errors=True)
    root, name = stage(build, folder, loader.shared_library())
    info = put_metadata(root, name)
    program = root / f"{name}.data/scripts/sextant"
    symbols = run("objdump", "-T", program)
    needed = max(int(minor) for minor in re.findall(r"GLIBC_2\.([0-9]+)", symbols))
    plain = folder / f"{name}-py3-none-{sysconfig.get_platform().replace('-', '_')}.whl"
    pack(root, info, plain)
    return check_command(plain, f"manylinux_2_{needed}_x86_64", out)


def check_command(plain, tag, out):
    """Has auditwheel find the tag of the wheel, and names it so. `auditwheel repair` would put a Python script in the
    place of the program, for libraries beside it; there are none."""
    shown = run(sys.executable, "-m", "auditwheel", "show", plain)
    found = re.search(r'platform\s+tag:\s+"([^"]+)"', " ".join(shown.split()))
    if not found or found[1] != tag:
        sys.exit(f"{shown}\nThe command needs more than the C library of {tag}.")
    final = out / plain.name.replace(sysconfig.get_platform().replace("-", "_"), tag)
    text = f"Tag: py3-none-{sysconfig.get_platform().replace('-', '_')}"
    root = plain.parent / "wheel"
    info = next(root.glob("*.dist-info"))
    (info / "WHEEL").write_text((info / "WHEEL").read_text().replace(text, f"Tag: py3-none-{tag}"))
    pack(root, info, final)
    return final


def main(build, out, only):
    build, out = pathlib.Path(build).resolve(), pathlib.Path(out).resolve()
    out.mkdir(parents=True, exist_ok=True)
    loader = Loader(build / "wheels", out)

    def report(wheel, limit):
        size = wheel.stat().st_size
        print(f"{wheel.name}: {size} bytes", flush=True)
        if size > limit:
            sys.exit(f"{wheel.name} is larger than {limit} bytes")

    is_command_built = False
    for platform in PLATFORMS:
        if only and platform[1] not in only:
            continue
        for version in PYTHONS:
            wheel = loader.build(version, *platform)
            if wheel is None:
                print(f"no wheel for Python {version} on {platform[1]}: no such interpreter with headers is here")
                continue
            report(wheel, 1_000_000)
            if platform == PLATFORMS[0] and not is_command_built:  # the shared loader in that build folder needs it
                report(build_command(build, out, loader), 80_000_000)
                is_command_built = True


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
