"""The libraries of a loader for another host: libraries.py WORK PREFIX COMPILER…

Makes a folder PREFIX that CMake finds libraries in: zstd and libsodium as static libraries, and headers of xxhash,
Vulkan and Catch2, which fit any host. COMPILER… is the C compiler with its arguments, such as `python3 -m ziglang cc
-target aarch64-macos`. The sources come from source distributions of PyPI's packages, which bring them along; they are
kept in WORK. Does nothing if PREFIX is there.
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


def library(compiler, output, sources, *options):
    """Compiles sources to a static library."""
    objects = output.parent / (output.stem + ".objects")
    objects.mkdir(parents=True)

    def one(numbered):
        number, file = numbered
        run(*compiler, "-O2", "-g0", "-fPIC", "-ffunction-sections", *options, "-c", file, "-o", objects / f"{number}.o")

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(one, enumerate(sources)))
    run("llvm-ar-19", *(["--format=darwin"] if "macos" in " ".join(compiler) else []), "rcs", output,
        *sorted(objects.glob("*.o")))
    shutil.rmtree(objects)


def make(work, prefix, compiler):
    work.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(prefix, ignore_errors=True)
    include, lib = prefix / "include", prefix / "lib"
    include.mkdir(parents=True)
    lib.mkdir()
    # On Windows, tables for unwinding name each function, so that the linker keeps all of them.
    plain = ["-fno-asynchronous-unwind-tables"] if "mingw" in compiler[0] else []
    zstd = source(work, ZSTD) / "zstd"
    sodium = source(work, SODIUM) / "src/libsodium"
    headers = sodium / "src/libsodium/include"
    for header in [*zstd.glob("*.h"), headers / "sodium.h", *(SYSTEM / name for name in
                                                              ("xxhash.h", "vulkan", "vk_video", "catch2"))]:
        (include / header.name).symlink_to(header)
    shutil.copytree(headers / "sodium", include / "sodium")
    shutil.copy(sodium / "builds/msvc/version.h", include / "sodium/version.h")
    library(compiler, lib / "libzstd.a", [zstd / "zstd.c"], "-fvisibility=hidden", "-DZSTDLIB_VISIBLE=",
            "-DZDICTLIB_VISIBLE=", "-DZSTDERRORLIB_VISIBLE=", *plain)
    # Without processors' special instructions: each file then compiles to plain C or to nothing.
    library(compiler, lib / "libsodium.a", sorted((sodium / "src/libsodium").rglob("*.c")), "-DCONFIGURED=1",
            "-DSODIUM_STATIC", "-DNATIVE_LITTLE_ENDIAN=1", "-DDEV_MODE=0", f"-I{include}", f"-I{include}/sodium",
            "-w")
    if "mingw" in compiler[0]:  # found at run time, beside the loader
        (prefix / "bin").mkdir()
        run(*compiler, "-shared", "-s", "-static-libgcc", "-o", prefix / "bin/libsodium.dll", "-Wl,--whole-archive",
            lib / "libsodium.a", "-Wl,--no-whole-archive", "-ladvapi32")
    catch = lib / "cmake/Catch2"
    catch.mkdir(parents=True)
    (catch / "Main.cpp").write_text("#define CATCH_CONFIG_MAIN\n#include <catch2/catch.hpp>\n")
    (catch / "Catch2Config.cmake").write_text(CATCH)


def main():
    work, prefix, *compiler = sys.argv[1:]
    if not pathlib.Path(prefix).exists():
        unfinished = pathlib.Path(prefix + ".unfinished")
        make(pathlib.Path(work), unfinished, compiler)
        unfinished.rename(prefix)


if __name__ == "__main__":
    main()
