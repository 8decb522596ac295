"""The libraries of a loader for another host: libraries.py WORK PREFIX [--tests] COMPILER…

Makes a folder PREFIX that CMake finds libraries in (CMAKE_FIND_ROOT_PATH): zstd as a static library, and headers of
xxhash and Vulkan, which fit any host. Tests also need libsodium and Catch2. COMPILER… is the C compiler with its
arguments, such as `python3 -m ziglang cc -target aarch64-macos`. The sources come from source distributions of PyPI's
packages, which bring them along; they are kept in WORK. Does nothing if PREFIX is there.
"""
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile

# zstd 1.5 as one file; libsodium 1.0.18.
ZSTD, SODIUM = "zstandard==0.25.0", "PyNaCl==1.5.0"
SYSTEM = pathlib.Path("/usr/include")

CATCH = """# Catch2 of one header, as the target of later versions.
add_library(SextantCatch STATIC "${CMAKE_CURRENT_LIST_DIR}/Main.cpp")
target_include_directories(SextantCatch SYSTEM PUBLIC "${CMAKE_CURRENT_LIST_DIR}/../../../include")
add_library(Catch2::Catch2WithMain ALIAS SextantCatch)
"""


def run(*command):
    done = subprocess.run([str(each) for each in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        sys.exit(f"{done.stdout[-4000:]}\n{' '.join(str(each) for each in command)}: status {done.returncode}")


def source(work, package):
    """The unpacked source distribution of a package."""
    name = package.replace("==", "-")
    if not (work / name).exists():
        # pip asks a package for its name, for which it builds a part. What PyNaCl needs for that is no longer found.
        pip = [sys.executable, "-m", "pip"]
        run(*pip, "install", "-q", "setuptools", "wheel", "cffi")
        run(*pip, "download", "-q", "--no-deps", "--no-binary=:all:", "-d", work, package,
            *(["--no-build-isolation"] if package == SODIUM else []))
        with tarfile.open(work / f"{name}.tar.gz") as archive:
            archive.extractall(work, filter="data")
    return work / name


def is_for(system, compiler):
    """True if a compiler's target is of a system: mingw, macos."""
    return system in " ".join(compiler)


def library(compiler, output, sources, *options):
    """Compiles sources to a static library."""
    objects = output.parent / (output.stem + ".objects")
    objects.mkdir(parents=True)

    def one(numbered):
        number, file = numbered
        run(*compiler, "-O2", "-g0", "-fPIC", "-ffunction-sections", "-fdata-sections",
            *options, "-c", file, "-o", objects / f"{number}.o")

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(one, enumerate(sources)))
    run("llvm-ar-19", *(["--format=darwin"] if is_for("macos", compiler) else []), "rcs", output,
        *sorted(objects.glob("*.o")))
    shutil.rmtree(objects)


def make(work, prefix, compiler, with_tests):
    """Fills a prefix."""
    (prefix / "include").mkdir(parents=True)
    (prefix / "lib").mkdir()
    zstd = source(work, ZSTD) / "zstd"
    link_headers(prefix, [*zstd.glob("*.h"), *(SYSTEM / name for name in ("xxhash.h", "vulkan", "vk_video"))])
    # On Windows, tables for unwinding name each function, so that the linker keeps all of them.
    plain = ["-fno-asynchronous-unwind-tables"] if is_for("mingw", compiler) else []
    library(compiler, prefix / "lib/libzstd.a", [zstd / "zstd.c"], "-fvisibility=hidden", "-DZSTDLIB_VISIBLE=",
            "-DZDICTLIB_VISIBLE=", "-DZSTDERRORLIB_VISIBLE=", *plain)
    if with_tests:
        make_sodium(source(work, SODIUM) / "src/libsodium", prefix, compiler)
        make_catch(prefix)


def link_headers(prefix, headers):
    for header in headers:
        (prefix / "include" / header.name).symlink_to(header)


def make_sodium(sodium, prefix, compiler):
    include, lib = prefix / "include", prefix / "lib"
    headers = sodium / "src/libsodium/include"
    link_headers(prefix, [headers / "sodium.h"])
    shutil.copytree(headers / "sodium", include / "sodium")
    shutil.copy(sodium / "builds/msvc/version.h", include / "sodium/version.h")
    # Without processors' special instructions: each file then compiles to plain C or to nothing.
    library(compiler, lib / "libsodium.a", sorted((sodium / "src/libsodium").rglob("*.c")), "-DCONFIGURED=1",
            "-DSODIUM_STATIC", "-DNATIVE_LITTLE_ENDIAN=1", "-DDEV_MODE=0", f"-I{include}", f"-I{include}/sodium",
            "-w")
    if is_for("mingw", compiler):  # found at run time, beside the loader
        (prefix / "bin").mkdir()
        run("x86_64-w64-mingw32-gcc-posix", "-shared", "-s", "-static-libgcc", "-o", prefix / "bin/libsodium.dll",
            "-Wl,--whole-archive", lib / "libsodium.a", "-Wl,--no-whole-archive", "-ladvapi32")


def make_catch(prefix):
    link_headers(prefix, [SYSTEM / "catch2"])
    catch = prefix / "lib/cmake/Catch2"
    catch.mkdir(parents=True)
    (catch / "Main.cpp").write_text("#define CATCH_CONFIG_MAIN\n#include <catch2/catch.hpp>\n")
    (catch / "Catch2Config.cmake").write_text(CATCH)


def prepare(work, prefix, compiler, with_tests=False):
    """Makes a prefix as a whole, unless it is there."""
    work, prefix = pathlib.Path(work).resolve(), pathlib.Path(prefix).resolve()
    if prefix.exists():
        return
    work.mkdir(parents=True, exist_ok=True)
    unfinished = prefix.with_name(prefix.name + ".unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    make(work, unfinished, compiler, with_tests)
    unfinished.rename(prefix)


def main():
    work, prefix, *compiler = sys.argv[1:]
    with_tests = compiler[0] == "--tests"
    prepare(work, prefix, compiler[with_tests:], with_tests)


if __name__ == "__main__":
    main()
